/* SPDX-License-Identifier: MIT
 * The kinds of body as rows of one table: tests that should hold for all of them run once per row.
 *     for (int k = 0; kind_choose(k); ++k) { RUN(one); RUN(another); }
 * Kits that make models (world_kit.h, core/physics_kit.h) ask the row that is chosen what to make.
 * Tests of edits are for kinds that can be edited, each as its first row makes it:
 *     for (int k = 0; (k = kind_edited(k)) >= 0; ++k) { kind_id(k) ... }
 */
#ifndef LIMBER_KIND_ROWS_H
#define LIMBER_KIND_ROWS_H

#include <limber/world.h>
#include <stdio.h>

typedef struct kind_row {
    const char* name;
    void (*describe)(lim_model_desc* desc); /* changes the default */
    bool solid; /* the inside is filled: mass and stiffness are those of the shape */
    lim_goal goal;
    bool clay; /* flows, and keeps its volume */
} kind_row;

static inline void kind_uniform(lim_model_desc* desc) {
    desc->kind = LIM_KIND_OCTREE;
}

/* Cells twice as large in the half where x > 0. */
static inline float kind_half_as_large(void* user, lim_point centre, float edge) {
    (void)user;
    return centre.x < 0.0 ? 0.5f * edge : 0.0f;
}
static inline void kind_mixed(lim_model_desc* desc) {
    desc->coarsen = 1;
    desc->cells_across = 0.0f;
    desc->size_at = kind_half_as_large;
}

static inline void kind_lattice(lim_model_desc* desc) {
    desc->kind = LIM_KIND_LATTICE;
}
static inline void kind_shell(lim_model_desc* desc) {
    desc->kind = LIM_KIND_LATTICE;
    desc->solid = false;
}

static inline void kind_hex(lim_model_desc* desc) {
    desc->kind = LIM_KIND_HEX;
}

/* Points are the surface's own, whatever node_count says. */
static inline void kind_points(lim_model_desc* desc) {
    desc->kind = LIM_KIND_POINTS;
}
static inline void kind_clusters(lim_model_desc* desc) {
    desc->kind = LIM_KIND_POINTS;
    desc->clusters = 8;
}

enum {
    KIND_UNIFORM,
    KIND_MIXED,
    KIND_LATTICE,
    KIND_SHELL,
    KIND_POINTS,
    KIND_CLUSTERS,
    KIND_QUADRATIC,
    KIND_CLAY,
    KIND_HEX,
    KIND_ROWS
};
static const kind_row KIND_TABLE[KIND_ROWS] = {
    {"octree, cells of one size", kind_uniform, true, LIM_GOAL_RIGID, false},
    {"octree, cells of two sizes", kind_mixed, true, LIM_GOAL_RIGID, false},
    {"lattice", kind_lattice, true, LIM_GOAL_RIGID, false},
    {"lattice, shell", kind_shell, false, LIM_GOAL_RIGID, false},
    {"points, one shape", kind_points, false, LIM_GOAL_RIGID, false},
    {"points, clusters with linear goals", kind_clusters, false, LIM_GOAL_LINEAR, false},
    {"points, clusters with quadratic goals", kind_clusters, false, LIM_GOAL_QUADRATIC, false},
    {"octree of clay", kind_uniform, false, LIM_GOAL_RIGID, true},
    {"hex", kind_hex, true, LIM_GOAL_RIGID, false}};
static int kind_now; /* the row that is chosen */

/* Chooses row k and says so; false, and the first row, when there is none. */
static inline bool kind_choose(int k) {
    kind_now = k < KIND_ROWS ? k : 0;
    if (k < KIND_ROWS) {
        printf("%s:\n", KIND_TABLE[k].name);
    }
    return k < KIND_ROWS;
}

static inline void kind_describe(lim_model_desc* desc) {
    KIND_TABLE[kind_now].describe(desc);
}

/* The kind of a row, and what it can do. */
static inline lim_kind kind_id(int row) {
    lim_model_desc desc = lim_model_desc_default();
    KIND_TABLE[row].describe(&desc);
    return desc.kind;
}
static inline lim_kind_info kind_info(int row) {
    return lim_kind_get_info(kind_id(row));
}
static inline bool kind_has_corners(int row) {
    return kind_info(row).nodes == LIM_NODES_AT_CORNERS;
}
/* Its solver is implicit: it falls as a stone does, not as Euler's, and always has its modulus. */
static inline bool kind_is_implicit(int row) {
    return kind_id(row) == LIM_KIND_HEX;
}
static inline bool kind_has_points(int row) {
    return kind_info(row).nodes == LIM_NODES_ARE_POINTS;
}

/* From `row` on the next that is the first of its kind; -1: there is none. */
static inline int kind_first(int row) {
    for (; row < KIND_ROWS; ++row) {
        int first = 0;
        while (kind_id(first) != kind_id(row)) {
            first++;
        }
        if (first == row) {
            return row;
        }
    }
    return -1;
}
/* Likewise of a kind that can be edited. */
static inline int kind_edited(int row) {
    row = kind_first(row);
    while (row >= 0 && !kind_info(row).edits) {
        row = kind_first(row + 1);
    }
    return row;
}

/* The goals of the row, and what else it is made of. */
static inline lim_material kind_material(lim_material material) {
    material.goal = KIND_TABLE[kind_now].goal;
    if (KIND_TABLE[kind_now].clay) {
        material.volume = 0.5f;
        material.yield = 0.05f;
    }
    return material;
}

#endif

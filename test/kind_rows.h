/* SPDX-License-Identifier: MIT
 * The kinds of body as rows of one table: tests that should hold for all of them run once per row.
 *     for (int k = 0; kind_choose(k); ++k) { RUN(one); RUN(another); }
 * Kits that make models (world_kit.h, core/physics_kit.h) ask the row that is chosen what to make.
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
    bool points; /* nodes are the surface's own points */
    bool clay;   /* flows, and keeps its volume */
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
    KIND_ROWS
};
static const kind_row KIND_TABLE[KIND_ROWS] = {
    {"octree, cells of one size", kind_uniform, true, LIM_GOAL_RIGID, false, false},
    {"octree, cells of two sizes", kind_mixed, true, LIM_GOAL_RIGID, false, false},
    {"lattice", kind_lattice, true, LIM_GOAL_RIGID, false, false},
    {"lattice, shell", kind_shell, false, LIM_GOAL_RIGID, false, false},
    {"points, one shape", kind_points, false, LIM_GOAL_RIGID, true, false},
    {"points, clusters with linear goals", kind_clusters, false, LIM_GOAL_LINEAR, true, false},
    {"points, clusters with quadratic goals", kind_clusters, false, LIM_GOAL_QUADRATIC, true,
     false},
    {"octree of clay", kind_uniform, false, LIM_GOAL_RIGID, false, true}};
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

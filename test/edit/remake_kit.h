/* SPDX-License-Identifier: MIT
 * What tests of remade topologies begin with: bodies of several shapes, bytes to compare, levels.
 */
#ifndef LIMBER_REMAKE_KIT_H
#define LIMBER_REMAKE_KIT_H

#include "base/random.h"
#include "body/remake.h"
#include "bound_checks.h"
#include "edit/levels.h"
#include "edit/surface_cut.h"
#include "failing_host.h"
#include "mesh/mesh_shapes.h"
#include "sample/matter_cut.h"
#include "sample/pieces.h"
#include "test.h"

enum { REMAKE_SHAPES = 6 };

static inline float kit_width(void* user, lim_point at, float side) {
    (void)user;
    return at.x > 0.5 ? 2.5f * side : 0.0f;
}

/* Solid, thin, with gaps and several parts, painted, with widths of its own, intervals. */
static inline lim_mesh* remake_mesh(int which, lim_model_desc* desc) {
    shape s = {0};
    switch (which % REMAKE_SHAPES) {
    case 0:
        shape_sphere(&s, 0, 0, 0, 1, 14);
        break;
    case 1:
        shape_fingers(&s, 0.37, 0.06);
        break;
    case 2:
        shape_box(&s, 0, 0, 0, 1, 0.3, 0.2);
        shape_box(&s, 0, 0.31, 0, 1, 0.5, 0.2);
        desc->glue_parts = false;
        break;
    case 3:
        shape_torus(&s, 1.0, 0.3, 30, 14);
        desc->width_at = kit_width;
        break;
    case 4:
        shape_box(&s, 0, 0, 0, 1, 0.4, 0.3);
        break;
    default:
        shape_sphere(&s, 0, 0, 0, 1, 9);
        desc->regions = LIM_REGIONS_INTERVAL;
        break;
    }
    lim_mesh_desc d = shape_desc(&s);
    float* paint = malloc(2 * (size_t)d.vertex_count * sizeof(float));
    for (int32_t i = 0; i < d.vertex_count; ++i) {
        paint[i] = 1.0f + 0.05f * (float)(i % 7);
        paint[d.vertex_count + i] = 1.0f + 0.2f * (float)(i % 5);
    }
    if (which % REMAKE_SHAPES == 4) {
        d.densities = paint;
        d.stiffnesses = paint + d.vertex_count;
    }
    lim_mesh* mesh = NULL;
    CHECK(lim_mesh_create(&d, NULL, &mesh) == LIM_OK);
    free(paint);
    shape_free(&s);
    return mesh;
}

static inline lim_model_desc remake_desc(double cell, int32_t coarsen) {
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = 0;
    desc.cell_size = (float)cell;
    desc.coarsen = coarsen;
    return desc;
}

/* A rule that asks for finest cells everywhere. */
static inline float kit_finest(void* user, lim_point centre, float edge) {
    (void)user;
    (void)centre;
    return 0.001f * edge;
}

/* coarsen below 0: cells could be so much coarser, but are not. */
static inline topology* remake_body(int which, double cell, int32_t coarsen) {
    lim_model_desc desc = remake_desc(cell, coarsen < 0 ? -coarsen : coarsen);
    desc.size_at = coarsen < 0 ? kit_finest : NULL;
    lim_mesh* mesh = remake_mesh(which, &desc);
    topology* t = NULL;
    lim_host host = mem_host(NULL);
    CHECK(topology_build(mesh, &desc, &host, &t) == LIM_OK);
    lim_mesh_destroy(mesh);
    return t;
}

static inline bool same_bytes(const topology* a, const topology* b) {
    size_t size = topology_bytes(a);
    if (size != topology_bytes(b)) {
        return false;
    }
    unsigned char* bytes = malloc(2 * size);
    topology_write(a, bytes);
    topology_write(b, bytes + size);
    bool same = memcmp(bytes, bytes + size, size) == 0;
    free(bytes);
    return same;
}

/* The plan's topology; out_slot may be null. */
static inline topology* remade(const topology_plan* plan) {
    arena a;
    arena_init(&a, NULL);
    topology* t = NULL;
    int32_t* slot = NULL;
    CHECK(topology_remake(&a, plan, NULL, &t, &slot) == LIM_OK);
    CHECK(t != NULL && topology_is_valid(t));
    arena_release(&a);
    return t;
}

static inline topology* with_levels(const topology* from, const int8_t* level) {
    topology_plan plan = {.from = from, .level = level};
    return remade(&plan);
}

static inline int8_t* levels_of(const topology* t) {
    int8_t* level = malloc((size_t)t->matter.count);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        level[i] = (int8_t)(t->key[t->fragment_slot[i]] >> 58);
    }
    return level;
}

/* Valid levels about some wishes. */
static inline void random_levels(random_stream* r, const topology* t, int8_t* level) {
    arena a;
    pieces all;
    arena_init(&a, NULL);
    matter m = t->matter;
    CHECK(pieces_build(&a, &m, &all) == LIM_OK);
    level_wish* wish = ARENA_ARRAY(&a, level_wish, m.count);
    int32_t patches = random_index(r, 4), finest = all.finest;
    int32_t base = finest - random_index(r, 3);
    base = base > 0 ? base : 0;
    for (int32_t i = 0; i < m.count; ++i) {
        wish[i] = (level_wish){(int8_t)base, (int8_t)base, 0.0f};
    }
    for (; patches > 0; --patches) {
        lim_point at = m.centroid[random_index(r, m.count)];
        double reach = 0.05 + 0.2 * (double)random_unit(r);
        int8_t to = (int8_t)(finest - random_index(r, 2));
        for (int32_t i = 0; i < m.count; ++i) {
            if (p3_length(p3_sub(m.centroid[i], at)) < reach && to > base) {
                wish[i].coarsest = wish[i].finest = to;
            }
        }
    }
    level_limits limits = {.coarsest = base};
    level_report report;
    CHECK(levels_choose(&a, &all, level, wish, &limits, level, &report) == LIM_OK);
    CHECK(levels_are_valid(&all, level));
    arena_release(&a);
}

/* A plane across the body, rest space of the mesh: a grid of n x n quads. */
static inline cut_blade plane_blade(arena* a, int axis, double at, double tilt, double deep,
                                    int32_t n) {
    lim_point* point = ARENA_ARRAY(a, lim_point, (size_t)(n + 1) * (size_t)(n + 1));
    int32_t* triangle = ARENA_ARRAY(a, int32_t, 6 * (size_t)n * (size_t)n);
    for (int32_t i = 0; i <= n; ++i) {
        for (int32_t k = 0; k <= n; ++k) {
            double y = -0.7 + (0.7 + deep) * (double)i / n, z = -0.8 + 1.6 * (double)k / n;
            double x = at + tilt * y + 0.3 * tilt * z;
            point[i * (n + 1) + k] = axis == 0 ? p3(x, y, z) : p3(y, x, z);
        }
    }
    for (int32_t i = 0, t = 0; i < n; ++i) {
        for (int32_t k = 0; k < n; ++k) {
            int32_t p = i * (n + 1) + k;
            const int32_t corner[6] = {p, p + 1, p + n + 1, p + 1, p + n + 2, p + n + 1};
            for (int j = 0; j < 6; ++j) {
                triangle[t++] = corner[j];
            }
        }
    }
    return (cut_blade){(n + 1) * (n + 1), 2 * n * n, point, triangle, NULL, false};
}

/* The body cut by a blade, skin and material; null where the blade misses or no sound cut is made.
 */
static inline topology* cut_body(const topology* t, const cut_blade* blade, uint64_t stroke) {
    arena a;
    arena_init(&a, NULL);
    surface_cut skin;
    matter_change change;
    topology* out = NULL;
    int32_t* slot = NULL;
    if (surface_cut_make(&a, t, blade, -1, stroke, 1, &skin) == LIM_OK && skin.cut_triangles > 0) {
        CHECK(matter_cut(&a, &t->matter, &skin.blade, -1, &change) == LIM_OK);
        topology_plan plan = {
            .from = t, .after = &change.after, .source = change.source, .surface = &skin.change};
        CHECK(topology_remake(&a, &plan, NULL, &out, &slot) == LIM_OK);
    }
    arena_release(&a);
    return out;
}

#endif

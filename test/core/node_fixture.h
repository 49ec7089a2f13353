/* SPDX-License-Identifier: MIT
 * Small node sets for tests, without a sampler: cells of one or several sizes on an integer grid,
 * linked where they touch and share a part, in slots padded per component, with all the arrays of a
 * node_state.
 */
#ifndef LIMBER_NODE_FIXTURE_H
#define LIMBER_NODE_FIXTURE_H

#include "base/arena.h"
#include "base/random.h"
#include "mat3_kit.h"
#include "skin/binding.h"
#include "test.h"

typedef struct fixture_cell {
    int x, y, z;     /* lower corner, in finest cells */
    unsigned parts;  /* bits: touching cells are linked when they share one */
    int component;   /* cells are listed in order of component */
    lim_vec3 offset; /* centroid - centre, in cell edges */
    int size;        /* edge in finest cells; 0 means 1 */
} fixture_cell;

enum { FIXTURE_DEGREE = 128 };

typedef struct fixture {
    arena mem;
    float side;
    int32_t cell_count;
    int32_t* slot_of; /* per cell */
    float *x0[3], *centre[3], *sides, *volume;
    int32_t *slot_component, *offset, *node;
    uint16_t* length;
    bind_nodes rest;
    node_state nodes;
} fixture;

static inline int fixture_size(const fixture_cell* c) {
    return c->size > 0 ? c->size : 1;
}

/* Closed cells have a point in common. */
static inline bool fixture_touch(const fixture_cell* a, const fixture_cell* b) {
    int m = fixture_size(a), n = fixture_size(b);
    return a->x <= b->x + n && b->x <= a->x + m && a->y <= b->y + n && b->y <= a->y + m &&
           a->z <= b->z + n && b->z <= a->z + m;
}

static inline bool fixture_linked(const fixture_cell* a, const fixture_cell* b) {
    return a != b && a->component == b->component && (a->parts & b->parts) != 0 &&
           fixture_touch(a, b);
}

/* Max-norm of the difference of centres, in half finest cells. */
static inline uint16_t fixture_length(const fixture_cell* a, const fixture_cell* b) {
    int grow = fixture_size(a) - fixture_size(b);
    int x = abs(2 * (a->x - b->x) + grow), y = abs(2 * (a->y - b->y) + grow);
    int z = abs(2 * (a->z - b->z) + grow);
    x = y > x ? y : x;
    return (uint16_t)(z > x ? z : x);
}

static inline void fixture_graph(fixture* f, const fixture_cell* cells, int32_t padded) {
    f->offset = ARENA_ARRAY(&f->mem, int32_t, padded + 1);
    f->node = ARENA_ARRAY(&f->mem, int32_t, f->cell_count * FIXTURE_DEGREE);
    f->length = ARENA_ARRAY(&f->mem, uint16_t, f->cell_count * FIXTURE_DEGREE);
    int32_t edges = 0, cell = 0;
    for (int32_t slot = 0; slot < padded; ++slot) {
        f->offset[slot] = edges;
        if (cell < f->cell_count && f->slot_of[cell] == slot) {
            for (int32_t other = 0; other < f->cell_count; ++other) {
                if (fixture_linked(&cells[cell], &cells[other])) {
                    f->node[edges] = f->slot_of[other];
                    f->length[edges++] = fixture_length(&cells[cell], &cells[other]);
                }
            }
            cell++;
        }
    }
    f->offset[padded] = edges;
}

/* A finest cell at (0, 0, 0) is centred at `corner`. Frames are the identity, everything at rest.
 */
static inline void fixture_make(fixture* f, const fixture_cell* cells, int32_t count, float side,
                                lim_vec3 corner) {
    *f = (fixture){.side = side, .cell_count = count};
    arena_init(&f->mem, NULL);
    f->slot_of = ARENA_ARRAY(&f->mem, int32_t, count);
    int32_t components = cells[count - 1].component + 1, padded = 0;
    component* frames = ARENA_ARRAY(&f->mem, component, components);
    for (int32_t i = 0, which = -1; i < count; ++i) {
        if (cells[i].component != which) {
            padded = (padded + 7) / 8 * 8;
            which = cells[i].component;
            frames[which] = (component){.rotation = dquat_identity(), .begin = padded};
        }
        f->slot_of[i] = padded++;
        frames[which].end = (padded + 7) / 8 * 8;
    }
    padded = (padded + 7) / 8 * 8;
    for (int axis = 0; axis < 3; ++axis) {
        f->x0[axis] = ARENA_ARRAY(&f->mem, float, padded);
        f->centre[axis] = ARENA_ARRAY(&f->mem, float, padded);
        f->nodes.d[axis] = ARENA_ARRAY(&f->mem, float, padded);
        f->nodes.v[axis] = ARENA_ARRAY(&f->mem, float, padded);
        f->nodes.x0[axis] = f->rest.x0[axis] = f->x0[axis];
        f->rest.centre[axis] = f->centre[axis];
    }
    f->sides = ARENA_ARRAY(&f->mem, float, padded);
    f->volume = ARENA_ARRAY(&f->mem, float, padded);
    f->slot_component = ARENA_ARRAY(&f->mem, int32_t, padded);
    f->nodes.inv_mass = ARENA_ARRAY(&f->mem, float, padded);
    f->nodes.affine = ARENA_ARRAY(&f->mem, float, padded * 16);
    for (int32_t i = 0; i < count; ++i) {
        int32_t slot = f->slot_of[i];
        const fixture_cell* c = &cells[i];
        float edge = side * (float)fixture_size(c), grow = 0.5f * (float)(fixture_size(c) - 1);
        lim_vec3 at = v3((float)c->x + grow, (float)c->y + grow, (float)c->z + grow);
        lim_vec3 centre = v3_mad(corner, at, side);
        lim_vec3 x0 = v3_mad(centre, c->offset, edge);
        f->centre[0][slot] = centre.x;
        f->centre[1][slot] = centre.y;
        f->centre[2][slot] = centre.z;
        f->x0[0][slot] = x0.x;
        f->x0[1][slot] = x0.y;
        f->x0[2][slot] = x0.z;
        f->sides[slot] = edge;
        f->volume[slot] = edge * edge * edge;
        f->nodes.inv_mass[slot] = 1.0f / f->volume[slot];
    }
    for (int32_t which = 0; which < components; ++which) {
        for (int32_t slot = frames[which].begin; slot < frames[which].end; ++slot) {
            f->slot_component[slot] = which;
        }
    }
    fixture_graph(f, cells, padded);
    f->rest.padded = f->nodes.padded = padded;
    f->rest.side = f->sides;
    f->rest.slot_component = f->nodes.slot_component = f->slot_component;
    f->rest.g = (graph){padded, f->offset, f->node, f->length};
    f->nodes.mass = f->volume;
    f->nodes.components = frames;
    f->nodes.component_count = components;
}

/* A full block of nx * ny * nz cells around the origin. */
static inline void fixture_block(fixture* f, int nx, int ny, int nz, float side) {
    fixture_cell* cells = calloc((size_t)(nx * ny * nz), sizeof(fixture_cell));
    int32_t count = 0;
    for (int z = 0; z < nz; ++z) {
        for (int y = 0; y < ny; ++y) {
            for (int x = 0; x < nx; ++x) {
                cells[count++] = (fixture_cell){x, y, z, 1, 0, {0, 0, 0}, 1};
            }
        }
    }
    lim_vec3 corner = v3_scale(v3((float)(1 - nx), (float)(1 - ny), (float)(1 - nz)), 0.5f * side);
    fixture_make(f, cells, count, side, corner);
    free(cells);
}

static inline void fixture_free(fixture* f) {
    arena_release(&f->mem);
}

static inline bindings fixture_bind(fixture* f, const lim_vec3* points, const lim_vec3* normals,
                                    int32_t count) {
    bindings b = {0};
    arena scratch;
    arena_init(&scratch, NULL);
    CHECK(bindings_build(&f->mem, &scratch, &f->rest, points, normals, count, NULL, &b) == LIM_OK);
    arena_release(&scratch);
    return b;
}

static inline lim_vec3 random_vec3(random_stream* r, float low, float high) {
    float x = random_range(r, low, high), y = random_range(r, low, high);
    return v3(x, y, random_range(r, low, high));
}

/* Every node moved by the affine map x -> F x + t: d = F x0 + t - x0, B = F - 1. */
static inline void fixture_affine(fixture* f, const mat3* map, lim_vec3 t) {
    for (int32_t i = 0; i < f->nodes.padded; ++i) {
        lim_vec3 x0 = v3(f->x0[0][i], f->x0[1][i], f->x0[2][i]);
        lim_vec3 d = v3_sub(v3_add(mat3_mul(map, x0), t), x0);
        f->nodes.d[0][i] = d.x;
        f->nodes.d[1][i] = d.y;
        f->nodes.d[2][i] = d.z;
        for (int k = 0; k < 9; ++k) {
            f->nodes.affine[16 * i + k] = map->m[k] - (k % 4 == 0 ? 1.0f : 0.0f);
        }
    }
}

static inline void fixture_random_motion(fixture* f, random_stream* r, float size) {
    for (int32_t i = 0; i < f->nodes.padded; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            f->nodes.d[axis][i] = random_range(r, -size, size);
            f->nodes.v[axis][i] = random_range(r, -1, 1);
        }
        for (int k = 0; k < 9; ++k) {
            f->nodes.affine[16 * i + k] = random_range(r, -0.3f, 0.3f);
        }
    }
}

#endif

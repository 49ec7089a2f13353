/* SPDX-License-Identifier: MIT
 * A lattice for tests: the nodes of a node fixture are the corners of cells, of which any may be
 * left out; and a slow skin in double, straight from Rivers and James 2007, eq. 15-17.
 */
#ifndef LIMBER_LATTICE_FIXTURE_H
#define LIMBER_LATTICE_FIXTURE_H

#include "sample/octant.h"
#include "skin/trilinear.h"
#include "skin_fixture.h"

typedef struct lattice_fixture {
    fixture nodes;
    int size[3]; /* cells along each axis */
    uint64_t *key, *cell;
    int32_t* slot_node;
    lattice_bind bind;
} lattice_fixture;

enum { LATTICE_LEVEL = 7 };

static inline uint64_t lattice_key(int x, int y, int z) {
    return octant_key((octant){LATTICE_LEVEL, x, y, z});
}

static inline int lattice_compare(const void* a, const void* b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* A block of nx * ny * nz cells of this edge around the origin, without those that `empty` says. */
static inline void lattice_make(lattice_fixture* l, int nx, int ny, int nz, float edge,
                                bool (*empty)(int x, int y, int z)) {
    *l = (lattice_fixture){.size = {nx, ny, nz}};
    fixture* f = &l->nodes;
    fixture_block(f, nx + 1, ny + 1, nz + 1, edge);
    l->key = ARENA_ARRAY(&f->mem, uint64_t, f->nodes.padded);
    l->slot_node = ARENA_ARRAY(&f->mem, int32_t, f->nodes.padded);
    l->cell = ARENA_ARRAY(&f->mem, uint64_t, nx * ny * nz);
    int32_t cells = 0, node = 0;
    for (int32_t i = 0; i < f->nodes.padded; ++i) {
        l->slot_node[i] = -1;
    }
    for (int z = 0; z <= nz; ++z) {
        for (int y = 0; y <= ny; ++y) {
            for (int x = 0; x <= nx; ++x, ++node) {
                l->key[f->slot_of[node]] = lattice_key(x, y, z);
                l->slot_node[f->slot_of[node]] = node;
                bool cell = x < nx && y < ny && z < nz && (empty == NULL || !empty(x, y, z));
                if (cell) {
                    l->cell[cells++] = lattice_key(x, y, z);
                }
            }
        }
    }
    qsort(l->cell, (size_t)cells, sizeof(uint64_t), lattice_compare);
    l->bind = (lattice_bind){
        .slot_count = f->nodes.padded,
        .key = l->key,
        .slot_node = l->slot_node,
        .slot_component = f->slot_component,
        .edge = (double)edge,
        .lower = p3(-0.5 * nx * (double)edge, -0.5 * ny * (double)edge, -0.5 * nz * (double)edge),
        .cell_count = cells,
        .cell = l->cell};
}

static inline bindings lattice_points(lattice_fixture* l, const lim_vec3* points,
                                      const lim_vec3* normals, int32_t count) {
    bindings b = {0};
    arena scratch;
    arena_init(&scratch, NULL);
    CHECK(bindings_build_trilinear(&l->nodes.mem, &scratch, &l->bind, points, normals, count, &b) ==
          LIM_OK);
    arena_release(&scratch);
    return b;
}

/* An ellipsoid of rows * (columns + 1) vertices, bound to the lattice. */
static inline void lattice_skin(skin_fixture* s, lattice_fixture* l, int rows, int columns,
                                lim_vec3 radii) {
    skin_fixture_make(s, &l->nodes, rows, columns, radii);
    int32_t count = s->bind.count;
    lim_vec3* points = ARENA_ARRAY(&s->mem, lim_vec3, count);
    for (int32_t i = 0; i < count; ++i) {
        points[i] = v3(s->bind.rest[0][i], s->bind.rest[1][i], s->bind.rest[2][i]);
    }
    s->bind = lattice_points(l, points, NULL, count);
}

static inline void lattice_random_motion(lattice_fixture* l, random_stream* r, float size) {
    fixture_random_motion(&l->nodes, r, size);
    memset(l->nodes.nodes.affine, 0, (size_t)l->nodes.nodes.padded * 16 * sizeof(float));
}

static inline void lattice_affine(lattice_fixture* l, const mat3* map, lim_vec3 shift) {
    fixture_affine(&l->nodes, map, shift);
    memset(l->nodes.nodes.affine, 0, (size_t)l->nodes.nodes.padded * 16 * sizeof(float));
}

/* x and F at a place, from the whole block of nodes: eq. 15 and 16, with phi_i the product of hats
 * max(0, 1 - |X - X_i| / edge) and its slope on the side of the given cell. */
static inline void lattice_oracle(const lattice_fixture* l, lim_point at, uint64_t in_cell,
                                  lim_point* out_x, dmat3* out_f) {
    octant cell = octant_of(in_cell);
    const int low[3] = {cell.x, cell.y, cell.z};
    const node_state* n = &l->nodes.nodes;
    double edge = l->bind.edge, x[3] = {0, 0, 0}, f[9] = {0};
    const double origin[3] = {l->bind.lower.x, l->bind.lower.y, l->bind.lower.z};
    const double place[3] = {at.x, at.y, at.z};
    for (int32_t i = 0; i < n->padded; ++i) {
        octant o = octant_of(l->key[i]);
        const int c[3] = {o.x, o.y, o.z};
        double phi = 1.0, slope[3] = {1, 1, 1};
        for (int axis = 0; axis < 3; ++axis) {
            double apart = (place[axis] - origin[axis]) / edge - c[axis];
            bool corner = c[axis] == low[axis] || c[axis] == low[axis] + 1;
            double hat = corner ? fmax(0.0, 1.0 - fabs(apart)) : 0.0;
            double rise = !corner ? 0.0 : c[axis] == low[axis] ? -1.0 / edge : 1.0 / edge;
            phi *= hat;
            for (int k = 0; k < 3; ++k) {
                slope[k] *= k == axis ? rise : hat;
            }
        }
        for (int k = 0; k < 3 && l->slot_node[i] >= 0; ++k) {
            double moved = origin[k] + c[k] * edge + (double)n->d[k][i];
            x[k] += phi * moved;
            for (int axis = 0; axis < 3; ++axis) {
                f[3 * k + axis] += slope[axis] * moved;
            }
        }
    }
    *out_x = p3(x[0], x[1], x[2]);
    memcpy(out_f->m, f, sizeof f);
}

#endif

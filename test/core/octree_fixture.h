/* SPDX-License-Identifier: MIT
 * Random octrees as node sets for tests: a block of coarse cells, some of them split again and
 * again, balanced so that cells that touch differ by at most one halving, or left as they fall.
 */
#ifndef LIMBER_OCTREE_FIXTURE_H
#define LIMBER_OCTREE_FIXTURE_H

#include "node_fixture.h"

enum { OCTREE_MOST = 6000 };

typedef struct octree {
    fixture_cell cell[OCTREE_MOST];
    int32_t count;
} octree;

/* The cell becomes its lowest child; the others are appended. */
static inline void octree_split(octree* t, int32_t which) {
    fixture_cell parent = t->cell[which];
    int half = parent.size / 2;
    for (int k = 0; k < 8; ++k) {
        fixture_cell child = parent;
        child.x += (k & 1) * half;
        child.y += (k >> 1 & 1) * half;
        child.z += (k >> 2) * half;
        child.size = half;
        t->cell[k == 0 ? which : t->count++] = child;
    }
}

/* Splits until no two cells that touch differ by more than one halving. */
static inline void octree_balance(octree* t) {
    bool again = true;
    while (again) {
        again = false;
        for (int32_t i = 0; i < t->count; ++i) {
            for (int32_t k = 0; k < t->count; ++k) {
                if (t->cell[i].size > 2 * t->cell[k].size &&
                    fixture_touch(&t->cell[i], &t->cell[k])) {
                    octree_split(t, i);
                    again = true;
                    k = -1;
                }
            }
        }
    }
}

/* nx * ny * nz root cells of edge 2^levels finest cells; each cell is split with this chance. */
static inline void octree_make(octree* t, int nx, int ny, int nz, int levels, float chance,
                               bool balanced, random_stream* r) {
    t->count = 0;
    for (int i = 0; i < nx * ny * nz; ++i) {
        int edge = 1 << levels;
        t->cell[t->count++] = (fixture_cell){.x = i % nx * edge,
                                             .y = i / nx % ny * edge,
                                             .z = i / nx / ny * edge,
                                             .parts = 1,
                                             .size = edge};
    }
    for (int32_t i = 0; i < t->count; ++i) {
        while (t->cell[i].size > 1 && t->count + 8 < OCTREE_MOST &&
               random_range(r, 0, 1) < chance) {
            octree_split(t, i);
        }
    }
    if (balanced) {
        octree_balance(t);
    }
    for (int32_t i = 0; i < t->count; ++i) {
        t->cell[i].offset = random_vec3(r, -0.2f, 0.2f);
    }
}

/* Lower corner of the block at the origin, finest cells of edge `side`. */
static inline void octree_fixture(fixture* f, const octree* t, float side) {
    fixture_make(f, t->cell, t->count, side, v3(0.5f * side, 0.5f * side, 0.5f * side));
}

#endif

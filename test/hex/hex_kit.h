/* SPDX-License-Identifier: MIT
 * Bodies of cells for the tests of `hex`: any shape over a box of cells, with faces that hold or do
 * not. Corners are one node where cells are linked through a face.
 */
#ifndef LIMBER_HEX_KIT_H
#define LIMBER_HEX_KIT_H

#include "base/disjoint_set.h"
#include "hex/cycle.h"

#include <stdlib.h>
#include <string.h>

typedef struct kit_shape {
    const char* name;
    int32_t size[3];
    /* the mask of a cell, 0: none; null: a full box */
    uint64_t (*mask)(const struct kit_shape* s, int32_t x, int32_t y, int32_t z);
    /* whether the face of a cell towards +axis holds; null: all do */
    bool (*holds)(const struct kit_shape* s, int32_t x, int32_t y, int32_t z, int axis);
    double wide; /* for the shape's own use */
} kit_shape;

typedef struct kit_body {
    arena mem;
    hex_desc desc;
    hex_levels levels;
    hex_solver solver;
    int32_t (*at)[3], (*corner)[8];
    uint64_t* mask;
    int32_t (*place)[3];           /* of nodes, in cells */
    float *young, *poisson, *mass; /* per cell, cell, node */
    double total;
} kit_body;

/* Cells whose middle a test lets in, sub-voxel by sub-voxel. */
static inline uint64_t kit_mask(bool (*in)(const kit_shape*, const double[3]), const kit_shape* s,
                                int32_t x, int32_t y, int32_t z) {
    uint64_t mask = 0;
    for (int v = 0; v < 64; ++v) {
        const double at[3] = {x + ((v & 3) + 0.5) / 4.0, y + ((v >> 2 & 3) + 0.5) / 4.0,
                              z + ((v >> 4) + 0.5) / 4.0};
        mask |= (uint64_t)in(s, at) << v;
    }
    return mask;
}

static inline void kit_cells(kit_body* b, const kit_shape* s, int32_t* cell_at) {
    for (int32_t i = 0; i < s->size[0] * s->size[1] * s->size[2]; ++i) {
        int32_t x = i % s->size[0], y = i / s->size[0] % s->size[1],
                z = i / s->size[0] / s->size[1];
        uint64_t mask = s->mask != NULL ? s->mask(s, x, y, z) : ~(uint64_t)0;
        cell_at[i] = -1;
        if (mask != 0) {
            int32_t e = cell_at[i] = b->desc.cells++;
            b->at[e][0] = x;
            b->at[e][1] = y;
            b->at[e][2] = z;
            b->mask[e] = mask;
        }
    }
}

static inline void kit_nodes(kit_body* b, const kit_shape* s, const int32_t* cell_at) {
    const int32_t step[3] = {1, s->size[0], s->size[0] * s->size[1]};
    int32_t ends = 8 * b->desc.cells, *set = malloc(sizeof(int32_t) * (size_t)ends);
    disjoint_init(set, ends);
    for (int32_t e = 0; e < b->desc.cells; ++e) {
        const int32_t* at = b->at[e];
        for (int k = 0; k < 3; ++k) {
            int32_t i = at[0] + at[1] * step[1] + at[2] * step[2] + step[k];
            bool holds = s->holds == NULL || s->holds(s, at[0], at[1], at[2], k);
            int32_t other = at[k] + 1 < s->size[k] && holds ? cell_at[i] : -1;
            for (int c = 0; c < 8 && other >= 0; ++c) {
                if ((c >> k & 1) != 0) {
                    disjoint_join(set, 8 * e + c, 8 * other + (c ^ 1 << k));
                }
            }
        }
    }
    b->desc.nodes = disjoint_name(set, ends);
    b->place = arena_alloc(&b->mem, (size_t)b->desc.nodes, sizeof *b->place);
    for (int32_t i = 0; i < ends; ++i) {
        b->corner[i / 8][i % 8] = set[i];
        for (int k = 0; k < 3; ++k) {
            b->place[set[i]][k] = b->at[i / 8][k] + (i % 8 >> k & 1);
        }
    }
    free(set);
}

static inline void kit_weigh(kit_body* b, double density) {
    double cell = density * pow((double)b->desc.edge, 3.0);
    b->mass = ARENA_ARRAY(&b->mem, float, b->desc.nodes);
    b->total = 0.0;
    for (int32_t e = 0; e < b->desc.cells; ++e) {
        double share[8], fill = 0.0;
        hex_part_shares(b->mask[e], share);
        for (int v = 0; v < 64; ++v) {
            fill += (double)(b->mask[e] >> v & 1) / 64.0;
        }
        for (int c = 0; c < 8; ++c) {
            b->mass[b->corner[e][c]] += (float)(cell * fill * share[c]);
        }
        b->total += cell * fill;
    }
}

/* All but the material; false when memory is out. */
static inline void kit_grid(kit_body* b, const kit_shape* s, double edge) {
    size_t most = (size_t)s->size[0] * (size_t)s->size[1] * (size_t)s->size[2];
    *b = (kit_body){.desc = {.edge = (float)edge}};
    arena_init(&b->mem, NULL);
    b->at = arena_alloc(&b->mem, most, sizeof *b->at);
    b->corner = arena_alloc(&b->mem, most, sizeof *b->corner);
    b->mask = ARENA_ARRAY(&b->mem, uint64_t, most);
    int32_t* cell_at = ARENA_ARRAY(&b->mem, int32_t, most);
    kit_cells(b, s, cell_at);
    kit_nodes(b, s, cell_at);
    kit_weigh(b, 1000.0);
    b->desc.at = b->at;
    b->desc.corner = b->corner;
    b->desc.mask = b->mask;
    b->young = ARENA_ARRAY(&b->mem, float, b->desc.cells);
    b->poisson = ARENA_ARRAY(&b->mem, float, b->desc.cells);
}

static inline void kit_make(kit_body* b, const kit_shape* s, double edge, double young,
                            double poisson) {
    kit_grid(b, s, edge);
    for (int32_t e = 0; e < b->desc.cells; ++e) {
        b->young[e] = (float)young;
        b->poisson[e] = (float)poisson;
    }
    lim_host host = mem_host(NULL);
    CHECK(hex_levels_build(&b->mem, &host, &b->desc, &b->levels) == LIM_OK);
    CHECK(hex_levels_stiffen(&b->levels, b->young, b->poisson) == LIM_OK);
    CHECK(hex_solver_make(&b->mem, &b->levels, &b->solver) == LIM_OK);
}

static inline void kit_free(kit_body* b) {
    arena_release(&b->mem);
}

static inline float* kit_rows(kit_body* b) {
    return ARENA_ARRAY(&b->mem, float, 8 * (size_t)b->levels.level[0].pairs);
}

/* Masses times `scale`, none limited. */
static inline void kit_masses(kit_body* b, float scale) {
    hex_level* l = &b->levels.level[0];
    for (int32_t n = 0; n < b->desc.nodes; ++n) {
        for (int k = 0; k < 3; ++k) {
            l->mass[4 * n + k] = scale * b->mass[n];
        }
    }
}

/* Takes directions from a node: bit k of `axes`. */
static inline void kit_fix(kit_body* b, int32_t node, int axes) {
    hex_level* l = &b->levels.level[0];
    float* f = l->filter + 6 * (size_t)l->limited_count;
    memset(f, 0, 6 * sizeof *f);
    for (int k = 0; k < 3; ++k) {
        f[k] = (axes >> k & 1) != 0 ? 0.0f : 1.0f;
    }
    l->filter_of[node] = l->limited_count;
    l->limited[l->limited_count++] = node;
}

/* ---- shapes -------------------------------------------------------------------------------------
 */

/* A round rod along x, `wide` cells across. */
static inline bool kit_in_rod(const kit_shape* s, const double at[3]) {
    double y = at[1] - 0.5 * s->size[1], z = at[2] - 0.5 * s->size[2];
    return y * y + z * z < 0.25 * s->wide * s->wide;
}

static inline uint64_t kit_rod(const kit_shape* s, int32_t x, int32_t y, int32_t z) {
    return kit_mask(kit_in_rod, s, x, y, z);
}

/* The same of whole cells by their middles. */
static inline uint64_t kit_whole_rod(const kit_shape* s, int32_t x, int32_t y, int32_t z) {
    const double at[3] = {x + 0.5, y + 0.5, z + 0.5};
    return kit_in_rod(s, at) ? ~(uint64_t)0 : 0;
}

/* Slit lengthwise, one cell wide, over half of its length. */
static inline uint64_t kit_slit_rod(const kit_shape* s, int32_t x, int32_t y, int32_t z) {
    return x > s->size[0] / 2 && y == s->size[1] / 2 ? 0 : kit_whole_rod(s, x, y, z);
}

static inline bool kit_cut_holds(const kit_shape* s, int32_t x, int32_t y, int32_t z, int axis) {
    (void)z;
    return !(axis == 1 && y == s->size[1] / 2 && x > s->size[0] / 2);
}

/* A plate of two cells with teeth of 1 to 4 cells, one cell apart. */
static inline uint64_t kit_comb(const kit_shape* s, int32_t x, int32_t y, int32_t z) {
    (void)s;
    (void)z;
    return x < 8 || (y != 1 && y != 4 && y != 7 && y != 9 && y != 11 && y != 13 && y != 15)
               ? ~(uint64_t)0
               : 0;
}

static inline bool kit_in_blob(const kit_shape* s, const double at[3]) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += (at[k] - 0.5 * s->size[k]) * (at[k] - 0.5 * s->size[k]);
    }
    return sum < 0.25 * s->size[0] * s->size[0];
}

static inline uint64_t kit_blob(const kit_shape* s, int32_t x, int32_t y, int32_t z) {
    return kit_mask(kit_in_blob, s, x, y, z);
}

#endif

/* SPDX-License-Identifier: MIT
 * A body for tests without a mesh: the cells of a box grid that a mask keeps, linked to their 26
 * neighbours where a path of kept face neighbours joins them, ball regions, constants, state at
 * rest.
 */
#ifndef LIMBER_GRID_BODY_H
#define LIMBER_GRID_BODY_H

#include "base/random.h"
#include "match/match.h"

#include <stdlib.h>
#include <string.h>

typedef struct grid_body {
    arena mem;
    int32_t nx, ny, nz, count, padded;
    int32_t* cell_slot; /* -1: hole */
    float *x0[3], *volume, *inv_weight, *fit_mass;
    uint64_t* key;
    uint16_t* fragment;
    int32_t *edge_offset, *edge_node, *slot_component;
    uint16_t* edge_length;
    graph g;
    net n;
    regions r;
    node_state nodes;
    match_body match;
    match_gains gains;
} grid_body;

static inline int32_t grid_slot(const grid_body* b, int32_t x, int32_t y, int32_t z) {
    if (x < 0 || y < 0 || z < 0 || x >= b->nx || y >= b->ny || z >= b->nz) {
        return -1;
    }
    return b->cell_slot[(z * b->ny + y) * b->nx + x];
}

/* True when (dx, dy, dz) leads from a cell to a kept cell by kept face neighbours in their common
 * block. */
static inline bool grid_linked(const grid_body* b, int32_t x, int32_t y, int32_t z, int32_t dx,
                               int32_t dy, int32_t dz) {
    if (dx == 0 && dy == 0 && dz == 0) {
        return true;
    }
    return (dx != 0 && grid_slot(b, x + dx, y, z) >= 0 &&
            grid_linked(b, x + dx, y, z, 0, dy, dz)) ||
           (dy != 0 && grid_slot(b, x, y + dy, z) >= 0 &&
            grid_linked(b, x, y + dy, z, dx, 0, dz)) ||
           (dz != 0 && grid_slot(b, x, y, z + dz) >= 0 && grid_linked(b, x, y, z + dz, dx, dy, 0));
}

static inline float* grid_floats(grid_body* b, size_t count) {
    return ARENA_ARRAY(&b->mem, float, count);
}

/* kept: nx * ny * nz flags or null for all. Cell edge `cell`, volumes 1 per node. width in half
 * cells. */
static inline void grid_body_make(grid_body* b, int32_t nx, int32_t ny, int32_t nz,
                                  const uint8_t* kept, float cell, int32_t width) {
    *b = (grid_body){.nx = nx, .ny = ny, .nz = nz};
    arena_init(&b->mem, NULL);
    int32_t cells = nx * ny * nz;
    b->cell_slot = ARENA_ARRAY(&b->mem, int32_t, cells);
    for (int32_t c = 0; c < cells; ++c) {
        b->cell_slot[c] = kept == NULL || kept[c] ? b->count++ : -1;
    }
    b->padded = (b->count + 7) / 8 * 8;
    size_t slots = (size_t)b->padded;
    for (int k = 0; k < 3; ++k) {
        b->x0[k] = grid_floats(b, slots);
        b->nodes.d[k] = grid_floats(b, slots);
        b->nodes.v[k] = grid_floats(b, slots);
        b->nodes.x0[k] = b->x0[k];
    }
    b->volume = grid_floats(b, slots);
    b->nodes.inv_mass = grid_floats(b, slots);
    b->nodes.affine = grid_floats(b, slots * 16);
    b->inv_weight = grid_floats(b, slots);
    b->fit_mass = grid_floats(b, slots);
    b->key = ARENA_ARRAY(&b->mem, uint64_t, slots);
    b->fragment = ARENA_ARRAY(&b->mem, uint16_t, slots);
    b->slot_component = ARENA_ARRAY(&b->mem, int32_t, slots);
    b->edge_offset = ARENA_ARRAY(&b->mem, int32_t, slots + 1);
    b->edge_node = ARENA_ARRAY(&b->mem, int32_t, slots * 26);
    b->edge_length = ARENA_ARRAY(&b->mem, uint16_t, slots * 26);
    int32_t edges = 0;
    for (int32_t z = 0; z < nz; ++z) {
        for (int32_t y = 0; y < ny; ++y) {
            for (int32_t x = 0; x < nx; ++x) {
                int32_t i = grid_slot(b, x, y, z);
                if (i < 0) {
                    continue;
                }
                b->x0[0][i] = cell * ((float)x - 0.5f * (float)(nx - 1));
                b->x0[1][i] = cell * ((float)y - 0.5f * (float)(ny - 1));
                b->x0[2][i] = cell * ((float)z - 0.5f * (float)(nz - 1));
                b->volume[i] = 1.0f;
                b->nodes.inv_mass[i] = 1.0f;
                b->key[i] = octant_key((octant){10, x, y, z});
                b->edge_offset[i] = edges;
                for (int32_t dz = -1; dz <= 1; ++dz) {
                    for (int32_t dy = -1; dy <= 1; ++dy) {
                        for (int32_t dx = -1; dx <= 1; ++dx) {
                            int32_t j = grid_slot(b, x + dx, y + dy, z + dz);
                            if (j >= 0 && j != i && grid_linked(b, x, y, z, dx, dy, dz)) {
                                b->edge_node[edges] = j;
                                b->edge_length[edges++] = 2;
                            }
                        }
                    }
                }
            }
        }
    }
    for (int32_t i = b->count; i <= b->padded; ++i) {
        b->edge_offset[i] = edges;
    }
    b->g = (graph){b->padded, b->edge_offset, b->edge_node, b->edge_length};
    region_nodes rn = {.count = b->count,
                       .padded = b->padded,
                       .x0 = {b->x0[0], b->x0[1], b->x0[2]},
                       .volume = b->volume,
                       .key = b->key,
                       .fragment = b->fragment};
    lim_host host = mem_host(NULL);
    if (regions_build_balls(&b->mem, &host, &rn, b->g, width, &b->n, &b->r) != LIM_OK ||
        regions_constants(&b->mem, &rn, &b->n, &b->r, b->inv_weight, b->fit_mass) != LIM_OK) {
        abort();
    }
    size_t rs = (size_t)b->r.padded, records = (size_t)b->n.record_count;
    b->nodes.padded = b->padded;
    b->nodes.volume = b->volume;
    b->nodes.slot_component = b->slot_component;
    b->nodes.component_count = 1;
    b->nodes.components = ARENA_ARRAY(&b->mem, component, 1);
    b->nodes.components[0] =
        (component){.rotation = dquat_identity(), .end = b->padded, .finite = true};
    node_block* blocks = ARENA_ARRAY(&b->mem, node_block, slots / NODE_BLOCK + 1);
    for (int32_t i = 0; i < b->padded; i += NODE_BLOCK) {
        int32_t end = i + NODE_BLOCK < b->padded ? i + NODE_BLOCK : b->padded;
        blocks[b->nodes.block_count++] = (node_block){i, end, 0};
    }
    b->nodes.blocks = blocks;
    b->gains = (match_gains){.goal = grid_floats(b, rs),
                             .damp = grid_floats(b, rs),
                             .goal_sum = grid_floats(b, slots),
                             .damp_sum = grid_floats(b, slots)};
    b->match = (match_body){
        .net = &b->n,
        .regions = &b->r,
        .inv_weight = b->inv_weight,
        .fit_mass = b->fit_mass,
        .nodes = &b->nodes,
        .gains = &b->gains,
        .forward = grid_floats(b, records * 24),
        .adjoint = grid_floats(b, records * 16),
        .block_sums = ARENA_ARRAY(&b->mem, double, (size_t)b->nodes.block_count* NODE_SUMS)};
    for (int k = 0; k < 4; ++k) {
        b->match.q[k] = grid_floats(b, rs);
    }
    for (size_t r = 0; r < rs; ++r) {
        b->match.q[3][r] = 1.0f;
    }
}

static inline void grid_body_free(grid_body* b) {
    arena_release(&b->mem);
}

/* Random holes: keeps each cell with the given chance. */
static inline uint8_t* grid_mask(random_stream* r, int32_t cells, float keep) {
    uint8_t* kept = malloc((size_t)cells);
    for (int32_t c = 0; c < cells; ++c) {
        kept[c] = random_unit(r) < keep;
    }
    kept[0] = 1;
    return kept;
}

#endif

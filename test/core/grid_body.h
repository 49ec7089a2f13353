/* SPDX-License-Identifier: MIT
 * A body for tests without a mesh: the cells of a box grid that a mask keeps, linked to their 26
 * neighbours where a path of kept face neighbours joins them, as nodes of one level or of several;
 * regions of any kind, constants, state at rest.
 */
#ifndef LIMBER_GRID_BODY_H
#define LIMBER_GRID_BODY_H

#include "base/random.h"
#include "base/sort.h"
#include "core/grid_pieces.h"
#include "match/match.h"

#include <stdlib.h>
#include <string.h>

typedef struct grid_body {
    arena mem;
    int32_t nx, ny, nz, count, padded;
    int32_t* cell_slot; /* -1: hole */
    float *x0[3], *volume, *side, *width, *inv_weight, *fit_mass;
    uint64_t* key;
    uint16_t* fragment;
    int32_t *edge_offset, *edge_node, *slot_component;
    uint16_t* edge_length;
    graph g;
    pieces pieces;
    int32_t *level, *piece;
    region_nodes rn;
    region_tree tree;
    charts charts;
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

/* What to make. Cells of the grid lie at `shift` in an octree of 2^10 cells; up tells how many
 * levels coarser than the finest the node of a cell is (null: 0). Regions are balls of width_half
 * half cells, or blended ones of a width in cells of each node. chart_levels: charts are cubes of
 * 2^chart_levels finest cells (0: one chart). */
typedef struct grid_plan {
    int32_t nx, ny, nz;
    const uint8_t* kept; /* nx * ny * nz flags or null for all */
    float cell;
    int32_t shift[3];
    int32_t (*up)(int32_t x, int32_t y, int32_t z);
    int32_t width_half;                              /* 0: blended */
    float (*width)(int32_t x, int32_t y, int32_t z); /* in cells of the node */
    int32_t chart_levels;
} grid_plan;

enum { GRID_LEVEL = 10 };

/* The kept cells in order of their keys, with links to their 26 neighbours. */
typedef struct grid_cells {
    int32_t count;
    uint64_t* key;
    int32_t (*at)[3];
    lim_point* centre;
    double* volume;
    graph g;
} grid_cells;

static inline void grid_cells_make(grid_body* b, const grid_plan* plan, grid_cells* c) {
    int32_t cells = b->nx * b->ny * b->nz;
    sort_item* items = ARENA_ARRAY(&b->mem, sort_item, cells);
    sort_item* spare = ARENA_ARRAY(&b->mem, sort_item, cells);
    for (int32_t i = 0; i < cells; ++i) {
        b->cell_slot[i] = -1;
        if (plan->kept == NULL || plan->kept[i]) {
            octant o = {GRID_LEVEL, i % b->nx + plan->shift[0], i / b->nx % b->ny + plan->shift[1],
                        i / b->nx / b->ny + plan->shift[2]};
            items[c->count++] = (sort_item){octant_key(o), i, 0};
        }
    }
    sort_items(items, spare, c->count);
    c->key = ARENA_ARRAY(&b->mem, uint64_t, c->count);
    c->at = arena_alloc(&b->mem, (size_t)c->count, sizeof *c->at);
    c->centre = ARENA_ARRAY(&b->mem, lim_point, c->count);
    c->volume = ARENA_ARRAY(&b->mem, double, c->count);
    for (int32_t k = 0; k < c->count; ++k) {
        int32_t i = items[k].value;
        b->cell_slot[i] = k;
        c->key[k] = items[k].key;
        c->at[k][0] = i % b->nx;
        c->at[k][1] = i / b->nx % b->ny;
        c->at[k][2] = i / b->nx / b->ny;
        c->volume[k] = 1.0;
        c->centre[k] = p3((double)plan->cell * (c->at[k][0] - 0.5 * (b->nx - 1)),
                          (double)plan->cell * (c->at[k][1] - 0.5 * (b->ny - 1)),
                          (double)plan->cell * (c->at[k][2] - 0.5 * (b->nz - 1)));
    }
    int32_t* offset = ARENA_ARRAY(&b->mem, int32_t, c->count + 1);
    int32_t* node = ARENA_ARRAY(&b->mem, int32_t, c->count * 26);
    uint16_t* length = ARENA_ARRAY(&b->mem, uint16_t, c->count * 26);
    int32_t edges = 0;
    for (int32_t k = 0; k < c->count; ++k) {
        offset[k] = edges;
        for (int32_t d = 0; d < 27; ++d) {
            int32_t dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
            const int32_t* at = c->at[k];
            int32_t other = grid_slot(b, at[0] + dx, at[1] + dy, at[2] + dz);
            if (other < 0 || d == 13 || !grid_linked(b, at[0], at[1], at[2], dx, dy, dz)) {
                continue;
            }
            int32_t e = edges++;
            for (; e > offset[k] && node[e - 1] > other; --e) {
                node[e] = node[e - 1];
            }
            node[e] = other;
        }
    }
    offset[c->count] = edges;
    for (int32_t e = 0; e < edges; ++e) {
        length[e] = 2;
    }
    c->g = (graph){c->count, offset, node, length};
}

/* Largest coordinate of the way between two cells' centres, in half finest cells. */
static inline uint16_t grid_length(uint64_t a, uint64_t b) {
    octant p = octant_of(a), q = octant_of(b);
    int32_t sp = GRID_LEVEL - p.level, sq = GRID_LEVEL - q.level;
    int32_t d[3] = {((2 * p.x + 1) << sp) - ((2 * q.x + 1) << sq),
                    ((2 * p.y + 1) << sp) - ((2 * q.y + 1) << sq),
                    ((2 * p.z + 1) << sp) - ((2 * q.z + 1) << sq)};
    int32_t far = 1;
    for (int k = 0; k < 3; ++k) {
        far = abs(d[k]) > far ? abs(d[k]) : far;
    }
    return (uint16_t)far;
}

/* Nodes: the pieces of the wished levels, in order of key; cell_slot then names the node. */
static inline void grid_nodes_make(grid_body* b, const grid_plan* plan, const grid_cells* c) {
    int32_t* piece = ARENA_ARRAY(&b->mem, int32_t, c->count);
    sort_item* items = ARENA_ARRAY(&b->mem, sort_item, c->count);
    sort_item* spare = ARENA_ARRAY(&b->mem, sort_item, c->count);
    int32_t* up = ARENA_ARRAY(&b->mem, int32_t, c->count);
    for (int32_t k = 0; k < c->count; ++k) {
        up[k] = plan->up != NULL ? plan->up(c->at[k][0], c->at[k][1], c->at[k][2]) : 0;
        piece[k] = k;
        for (int32_t l = 0; l < up[k]; ++l) {
            piece[k] = b->pieces.level[GRID_LEVEL - l].parent[piece[k]];
        }
        int32_t level = GRID_LEVEL - up[k];
        items[k] = (sort_item){(uint64_t)level << 32 | (uint64_t)piece[k], k, 0};
    }
    sort_items(items, spare, c->count);
    int32_t* slot = ARENA_ARRAY(&b->mem, int32_t, c->count);
    for (int32_t k = 0; k < c->count; ++k) {
        b->count += k == 0 || items[k].key != items[k - 1].key;
        slot[items[k].value] = b->count - 1;
    }
    b->padded = (b->count + 7) / 8 * 8;
    size_t slots = (size_t)b->padded;
    for (int k = 0; k < 3; ++k) {
        b->x0[k] = grid_floats(b, slots);
    }
    b->volume = grid_floats(b, slots);
    b->side = grid_floats(b, slots);
    b->width = grid_floats(b, slots);
    b->key = ARENA_ARRAY(&b->mem, uint64_t, slots);
    b->fragment = arena_alloc(&b->mem, slots, sizeof *b->fragment);
    b->level = ARENA_ARRAY(&b->mem, int32_t, slots);
    b->piece = ARENA_ARRAY(&b->mem, int32_t, slots);
    memset(b->level, 0xFF, slots * sizeof(int32_t));
    for (int32_t k = 0; k < c->count; ++k) {
        int32_t i = slot[k], l = GRID_LEVEL - up[k];
        const piece_level* level = &b->pieces.level[l];
        b->level[i] = l;
        b->piece[i] = piece[k];
        b->key[i] = level->key[piece[k]];
        b->volume[i] = (float)level->volume[piece[k]];
        b->side[i] = plan->cell * (float)(1 << up[k]);
        lim_point at = level->centroid[piece[k]];
        b->x0[0][i] = (float)at.x;
        b->x0[1][i] = (float)at.y;
        b->x0[2][i] = (float)at.z;
        b->width[i] =
            b->side[i] *
            (plan->width != NULL ? plan->width(c->at[k][0], c->at[k][1], c->at[k][2]) : 1.0f);
    }
    for (int32_t i = 0; i < b->nx * b->ny * b->nz; ++i) {
        b->cell_slot[i] = b->cell_slot[i] >= 0 ? slot[b->cell_slot[i]] : -1;
    }
    /* Edges between nodes that hold linked cells; lengths between cell centres in half cells. */
    int32_t edges = 0, most = c->g.offset[c->count];
    int32_t* stamp = ARENA_ARRAY(&b->mem, int32_t, slots);
    b->edge_offset = ARENA_ARRAY(&b->mem, int32_t, slots + 1);
    b->edge_node = ARENA_ARRAY(&b->mem, int32_t, most + 1);
    b->edge_length = ARENA_ARRAY(&b->mem, uint16_t, most + 1);
    for (int32_t i = 0, k = 0; i < b->count; ++i) {
        b->edge_offset[i] = edges;
        for (; k < c->count && slot[items[k].value] == i; ++k) {
            int32_t cell = items[k].value;
            for (int32_t e = c->g.offset[cell]; e < c->g.offset[cell + 1]; ++e) {
                int32_t j = slot[c->g.node[e]];
                if (j == i || stamp[j] == i + 1) {
                    continue;
                }
                stamp[j] = i + 1;
                int32_t at = edges++;
                for (; at > b->edge_offset[i] && b->edge_node[at - 1] > j; --at) {
                    b->edge_node[at] = b->edge_node[at - 1];
                }
                b->edge_node[at] = j;
            }
        }
        for (int32_t e = b->edge_offset[i]; e < edges; ++e) {
            b->edge_length[e] = grid_length(b->key[i], b->key[b->edge_node[e]]);
        }
    }
    for (int32_t i = b->count; i < b->padded; ++i) {
        b->edge_offset[i] = edges;
    }
    b->edge_offset[b->padded] = edges;
    b->g = (graph){b->padded, b->edge_offset, b->edge_node, b->edge_length};
}

/* An array of nodes as one of slots; pads are `pad`. */
#define GRID_MOVE(b, type, array, slot, pad)                                                       \
    do {                                                                                           \
        type* moved_ = ARENA_ARRAY(&(b)->mem, type, (b)->padded);                                  \
        for (int32_t i_ = 0; i_ < (b)->padded; ++i_) {                                             \
            moved_[i_] = (pad);                                                                    \
        }                                                                                          \
        for (int32_t i_ = 0; i_ < (b)->count; ++i_) {                                              \
            moved_[(slot)[i_]] = (array)[i_];                                                      \
        }                                                                                          \
        (array) = moved_;                                                                          \
    } while (0)

/* Cuts the body into charts and moves the nodes, so far numbered through, to their slots. */
static inline void grid_charts_make(grid_body* b, const grid_plan* plan) {
    int32_t* chart = ARENA_ARRAY(&b->mem, int32_t, b->count);
    int32_t* piece = ARENA_ARRAY(&b->mem, int32_t, b->count); /* all 0 */
    chart_source source = {b->count, 1,
                           b->key,   piece,
                           b->g,     plan->chart_levels > 0 ? plan->chart_levels : OCTANT_LEVELS};
    if (charts_cut(&b->mem, &b->mem, &source, &b->charts, chart) != LIM_OK) {
        abort();
    }
    b->padded = b->charts.slots;
    int32_t* fill = ARENA_ARRAY(&b->mem, int32_t, b->charts.count);
    int32_t* slot = ARENA_ARRAY(&b->mem, int32_t, b->count);
    int32_t* node = ARENA_ARRAY(&b->mem, int32_t, b->padded);
    memset(node, 0xFF, (size_t)b->padded * sizeof *node);
    for (int32_t i = 0; i < b->count; ++i) {
        slot[i] = b->charts.begin[chart[i]] + fill[chart[i]]++;
        node[slot[i]] = i;
    }
    for (int k = 0; k < 3; ++k) {
        GRID_MOVE(b, float, b->x0[k], slot, 0.0f);
    }
    GRID_MOVE(b, float, b->volume, slot, 0.0f);
    GRID_MOVE(b, float, b->side, slot, 0.0f);
    GRID_MOVE(b, float, b->width, slot, 0.0f);
    GRID_MOVE(b, uint64_t, b->key, slot, 0);
    GRID_MOVE(b, uint16_t, b->fragment, slot, 0);
    GRID_MOVE(b, int32_t, b->level, slot, -1);
    GRID_MOVE(b, int32_t, b->piece, slot, 0);
    for (int32_t i = 0; i < b->nx * b->ny * b->nz; ++i) {
        b->cell_slot[i] = b->cell_slot[i] >= 0 ? slot[b->cell_slot[i]] : -1;
    }
    int32_t* offset = ARENA_ARRAY(&b->mem, int32_t, b->padded + 1);
    int32_t* to = ARENA_ARRAY(&b->mem, int32_t, b->edge_offset[b->count] + 1);
    uint16_t* length = ARENA_ARRAY(&b->mem, uint16_t, b->edge_offset[b->count] + 1);
    for (int32_t i = 0; i < b->padded; ++i) {
        offset[i + 1] = offset[i];
        for (int32_t e = node[i] < 0 ? 0 : b->edge_offset[node[i]];
             node[i] >= 0 && e < b->edge_offset[node[i] + 1]; ++e) {
            int32_t at = offset[i + 1]++;
            for (; at > offset[i] && to[at - 1] > slot[b->edge_node[e]]; --at) {
                to[at] = to[at - 1];
                length[at] = length[at - 1];
            }
            to[at] = slot[b->edge_node[e]];
            length[at] = b->edge_length[e];
        }
    }
    b->edge_offset = offset;
    b->edge_node = to;
    b->edge_length = length;
    b->g = (graph){b->padded, offset, to, length};
}

static inline void grid_body_plan(grid_body* b, const grid_plan* plan) {
    *b = (grid_body){.nx = plan->nx, .ny = plan->ny, .nz = plan->nz};
    arena_init(&b->mem, NULL);
    b->cell_slot = ARENA_ARRAY(&b->mem, int32_t, b->nx * b->ny * b->nz);
    grid_cells c = {0};
    grid_cells_make(b, plan, &c);
    grid_pieces_make(&b->mem, c.key, c.centre, c.volume, c.count, c.g, (double)plan->cell,
                     &b->pieces);
    grid_nodes_make(b, plan, &c);
    grid_charts_make(b, plan);
    size_t slots = (size_t)b->padded;
    for (int k = 0; k < 3; ++k) {
        b->nodes.d[k] = grid_floats(b, slots);
        b->nodes.v[k] = grid_floats(b, slots);
        b->nodes.x0[k] = b->x0[k];
    }
    b->nodes.inv_mass = grid_floats(b, slots);
    for (int32_t i = 0; i < b->padded; ++i) {
        b->nodes.inv_mass[i] = b->volume[i] > 0.0f ? 1.0f / b->volume[i] : 0.0f;
    }
    b->nodes.affine = grid_floats(b, slots * 16);
    b->slot_component = ARENA_ARRAY(&b->mem, int32_t, slots);
    b->rn = (region_nodes){.count = b->count,
                           .padded = b->padded,
                           .x0 = {b->x0[0], b->x0[1], b->x0[2]},
                           .volume = b->volume,
                           .key = b->key,
                           .fragment = b->fragment};
    b->tree = (region_tree){&b->pieces, b->level, b->piece};
    lim_host host = mem_host(NULL);
    lim_result made =
        plan->width_half > 0
            ? regions_build_balls(&b->mem, &host, &b->rn, b->g, plan->width_half, &b->n, &b->r)
            : regions_build_blended(&b->mem, &host, &b->rn, b->tree, b->width, &b->n, &b->r);
    if (made != LIM_OK || charts_place(&b->mem, &b->charts, &b->rn) != LIM_OK ||
        charts_split(&b->mem, &host, &b->rn, &b->charts, &b->n, &b->r) != LIM_OK) {
        abort();
    }
    size_t rs = (size_t)b->r.padded, records = (size_t)b->n.record_count;
    size_t leaves = (size_t)b->n.node_count;
    b->inv_weight = grid_floats(b, leaves);
    b->fit_mass = grid_floats(b, leaves);
    if (regions_constants(&b->mem, &b->rn, &b->charts, &b->n, NULL, &b->r, b->inv_weight,
                          b->fit_mass) != LIM_OK) {
        abort();
    }
    b->nodes.padded = b->padded;
    b->nodes.mass = b->volume;
    b->nodes.slot_component = b->slot_component;
    b->nodes.component_count = 1;
    b->nodes.components = ARENA_ARRAY(&b->mem, component, 1);
    b->nodes.components[0] =
        (component){.rotation = dquat_identity(), .end = b->padded, .finite = true};
    node_block* blocks;
    if (charts_blocks(&b->mem, &b->charts, b->charts.begin, &blocks, &b->nodes.block_count) !=
        LIM_OK) {
        abort();
    }
    b->nodes.blocks = blocks;
    b->gains = (match_gains){.goal = grid_floats(b, rs),
                             .damp = grid_floats(b, rs),
                             .goal_sum = grid_floats(b, leaves),
                             .damp_sum = grid_floats(b, leaves)};
    b->match = (match_body){
        .net = &b->n,
        .regions = &b->r,
        .charts = &b->charts,
        .inv_weight = b->inv_weight,
        .fit_mass = b->fit_mass,
        .nodes = &b->nodes,
        .damped = true,
        .gains = &b->gains,
        .forward = grid_floats(b, records * 24),
        .adjoint = grid_floats(b, records * 16),
        .block_sums = ARENA_ARRAY(&b->mem, double, (size_t)b->nodes.block_count* NODE_SUMS),
        .frames = ARENA_ARRAY(&b->mem, match_chart, b->charts.count)};
    for (int k = 0; k < 4; ++k) {
        b->match.q[k] = grid_floats(b, rs);
    }
    for (size_t r = 0; r < rs; ++r) {
        b->match.q[3][r] = 1.0f;
    }
}

/* Ball regions of `width` half cells over all cells that `kept` keeps. */
static inline void grid_body_make(grid_body* b, int32_t nx, int32_t ny, int32_t nz,
                                  const uint8_t* kept, float cell, int32_t width) {
    grid_plan plan = {
        .nx = nx, .ny = ny, .nz = nz, .kept = kept, .cell = cell, .width_half = width};
    grid_body_plan(b, &plan);
}

/* The kinds of regions and samplings that every property of the sums and of matching is tested
 * for. Mixed: coarse nodes from x = 4 on, and a width between two levels. */
typedef enum grid_kind { GRID_BALLS, GRID_BLENDED, GRID_MIXED, GRID_KINDS } grid_kind;

static inline int32_t grid_coarse_half(int32_t x, int32_t y, int32_t z) {
    (void)y;
    (void)z;
    return x >= 4 ? 1 : 0;
}

static inline float grid_width_two(int32_t x, int32_t y, int32_t z) {
    (void)x;
    (void)y;
    (void)z;
    return 2.0f;
}

static inline void grid_body_kind(grid_body* b, grid_kind kind, int32_t nx, int32_t ny, int32_t nz,
                                  const uint8_t* kept, float cell) {
    grid_plan plan = {.nx = nx, .ny = ny, .nz = nz, .kept = kept, .cell = cell};
    plan.width_half = kind == GRID_BALLS ? 4 : 0;
    if (kind == GRID_MIXED) {
        plan.up = grid_coarse_half;
        plan.width = grid_width_two;
    }
    grid_body_plan(b, &plan);
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

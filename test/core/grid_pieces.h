/* SPDX-License-Identifier: MIT
 * The hierarchy of pieces of a grid body, made the slow way: cell by cell, by spreading the lowest
 * number along links until nothing changes. Nodes may be pieces of any levels.
 */
#ifndef LIMBER_GRID_PIECES_H
#define LIMBER_GRID_PIECES_H

#include "graph/distance.h"
#include "sample/pieces.h"

#include <stdlib.h>
#include <string.h>

/* Pieces over `count` finest fragments with keys in ascending order and a symmetric graph. */
static inline void grid_pieces_make(arena* a, const uint64_t* key, const lim_point* at,
                                    const double* volume, int32_t count, graph g, double side,
                                    pieces* out) {
    *out = (pieces){.finest = (int32_t)(key[0] >> 58), .side = side};
    int32_t* of = ARENA_ARRAY(a, int32_t, count); /* fragment -> piece of the level at hand */
    for (int32_t l = out->finest; l >= 0; --l) {
        piece_level* level = &out->level[l];
        int up = out->finest - l;
        /* Lowest fragment that is joined within the cell. */
        int32_t* label = ARENA_ARRAY(a, int32_t, count);
        uint64_t* cell = ARENA_ARRAY(a, uint64_t, count);
        for (int32_t i = 0; i < count; ++i) {
            label[i] = i;
            cell[i] = (uint64_t)l << 58 | (key[i] & 0x03FFFFFFFFFFFFFFu) >> (3 * up);
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (int32_t i = 0; i < count; ++i) {
                for (int32_t e = g.offset[i]; e < g.offset[i + 1]; ++e) {
                    int32_t j = g.node[e];
                    if (cell[i] == cell[j] && label[j] < label[i]) {
                        label[i] = label[j];
                        changed = true;
                    }
                }
            }
        }
        /* Labels in order of (cell, label) become pieces; keys ascend, so cells do too. */
        int32_t* number = ARENA_ARRAY(a, int32_t, count);
        level->key = ARENA_ARRAY(a, uint64_t, count);
        level->volume = ARENA_ARRAY(a, double, count);
        level->centroid = ARENA_ARRAY(a, lim_point, count);
        int32_t* before = ARENA_ARRAY(a, int32_t, count);
        memcpy(before, of, (size_t)count * sizeof *of);
        for (int32_t i = 0; i < count; ++i) {
            if (label[i] == i) {
                number[i] = level->count;
                level->key[level->count++] = cell[i];
            }
        }
        for (int32_t i = 0; i < count; ++i) {
            int32_t p = of[i] = number[label[i]];
            level->volume[p] += volume[i];
            level->centroid[p] = p3_mad(level->centroid[p], at[i], volume[i]);
        }
        for (int32_t p = 0; p < level->count; ++p) {
            level->centroid[p] = p3_scale(level->centroid[p], 1.0 / level->volume[p]);
        }
        if (l < out->finest) {
            piece_level* finer = &out->level[l + 1];
            finer->parent = ARENA_ARRAY(a, int32_t, count);
            for (int32_t i = 0; i < count; ++i) {
                finer->parent[before[i]] = of[i];
            }
        }
        /* Edges: every pair once, ascending; by a table of pairs when small, by rows otherwise. */
        level->edge_offset = ARENA_ARRAY(a, int32_t, level->count + 1);
        int32_t capacity = 64, edges = 0;
        int32_t* list = malloc((size_t)capacity * sizeof *list);
        int32_t* first = calloc((size_t)level->count + 1, sizeof *first);
        int32_t* member = malloc((size_t)count * sizeof *member);
        for (int32_t i = 0; i < count; ++i) {
            first[of[i] + 1]++;
        }
        for (int32_t p = 0; p < level->count; ++p) {
            first[p + 1] += first[p];
        }
        int32_t* fill = malloc(((size_t)level->count + 1) * sizeof *fill);
        memcpy(fill, first, ((size_t)level->count + 1) * sizeof *fill);
        for (int32_t i = 0; i < count; ++i) {
            member[fill[of[i]]++] = i;
        }
        for (int32_t p = 0; p < level->count; ++p) {
            level->edge_offset[p] = edges;
            for (int32_t k = first[p]; k < first[p + 1]; ++k) {
                for (int32_t e = g.offset[member[k]]; e < g.offset[member[k] + 1]; ++e) {
                    int32_t q = of[g.node[e]], at_ = edges;
                    if (q == p) {
                        continue;
                    }
                    while (at_ > level->edge_offset[p] && list[at_ - 1] > q) {
                        at_--;
                    }
                    if (at_ > level->edge_offset[p] && list[at_ - 1] == q) {
                        continue;
                    }
                    if (edges == capacity) {
                        capacity *= 2;
                        list = realloc(list, (size_t)capacity * sizeof *list);
                    }
                    memmove(list + at_ + 1, list + at_, (size_t)(edges - at_) * sizeof *list);
                    list[at_] = q;
                    edges++;
                }
            }
        }
        level->edge_offset[level->count] = edges;
        level->edge_piece = ARENA_ARRAY(a, int32_t, edges + 1);
        memcpy(level->edge_piece, list, (size_t)edges * sizeof *list);
        free(list);
        free(first);
        free(member);
        free(fill);
    }
}

#endif

/* SPDX-License-Identifier: MIT
 * A hierarchy of pieces against flood fills over the fragments, level by level.
 */
#ifndef LIMBER_PIECES_CHECK_H
#define LIMBER_PIECES_CHECK_H

#include "sample_kit.h"

/* Key of the cell of a level over a fragment. */
static inline uint64_t key_over(const finest_kit* k, int32_t fragment, int32_t level) {
    uint64_t key = k->v.cell.data[k->f.cell[fragment]].key;
    for (int32_t l = k->v.level; l > level; --l) {
        key = octant_parent(key);
    }
    return key;
}

/* Labels fragments that edges join within one cell of a level; labels count up with the lowest
 * fragment. At the finest level each fragment is its own. */
static inline int32_t flood(const finest_kit* k, int32_t level, int32_t* label) {
    int32_t count = 0, n = k->f.count;
    int32_t* queue = malloc((size_t)n * sizeof(int32_t) + 1);
    for (int32_t f = 0; f < n; ++f) {
        label[f] = -1;
    }
    for (int32_t seed = 0; seed < n; ++seed) {
        if (label[seed] >= 0) {
            continue;
        }
        int32_t found = 1;
        queue[0] = seed;
        label[seed] = count;
        for (int32_t at = 0; at < found && level < k->v.level; ++at) {
            for (int32_t e = k->see.edge_offset[queue[at]]; e < k->see.edge_offset[queue[at] + 1];
                 ++e) {
                int32_t other = k->see.edge_node[e];
                if (label[other] < 0 && key_over(k, other, level) == key_over(k, seed, level)) {
                    label[other] = count;
                    queue[found++] = other;
                }
            }
        }
        count++;
    }
    free(queue);
    return count;
}

static inline void check_groups(const finest_kit* k, int32_t level, const int32_t* label,
                                int32_t count) {
    const piece_level* l = &k->tree.level[level];
    int32_t* lowest = malloc((size_t)l->count * sizeof(int32_t) + 1);
    int32_t* piece_of = malloc((size_t)count * sizeof(int32_t) + 1);
    CHECK(l->count == count);
    for (int32_t i = 0; i < count; ++i) {
        piece_of[i] = -1;
    }
    for (int32_t i = 0; i < l->count; ++i) {
        lowest[i] = -1;
    }
    for (int32_t f = 0; f < k->f.count && l->count == count; ++f) {
        int32_t piece = piece_over(&k->tree, f, level);
        CHECK(l->key[piece] == key_over(k, f, level));
        CHECK(piece_of[label[f]] == -1 || piece_of[label[f]] == piece);
        piece_of[label[f]] = piece;
        lowest[piece] = lowest[piece] < 0 ? f : lowest[piece];
    }
    for (int32_t i = 1; i < l->count; ++i) {
        CHECK(l->key[i - 1] < l->key[i] ||
              (l->key[i - 1] == l->key[i] && lowest[i - 1] < lowest[i]));
    }
    free(lowest);
    free(piece_of);
}

static inline void check_children(const finest_kit* k, int32_t level) {
    const piece_level *l = &k->tree.level[level], *fine = &k->tree.level[level + 1];
    int32_t seen = 0;
    for (int32_t i = 0; i < l->count; ++i) {
        CHECK(l->child_first[i] < l->child_first[i + 1]);
        for (int32_t c = l->child_first[i]; c < l->child_first[i + 1]; ++c) {
            CHECK(fine->parent[l->child[c]] == i);
            CHECK(c == l->child_first[i] || l->child[c - 1] < l->child[c]);
            seen++;
        }
    }
    CHECK(seen == fine->count);
}

/* Neighbours from the edges between fragments. */
static inline void check_neighbours(const finest_kit* k, int32_t level) {
    const piece_level* l = &k->tree.level[level];
    size_t n = (size_t)l->count;
    uint8_t* linked = calloc(n * n + 1, 1);
    for (int32_t f = 0; f < k->f.count; ++f) {
        size_t a = (size_t)piece_over(&k->tree, f, level);
        for (int32_t e = k->see.edge_offset[f]; e < k->see.edge_offset[f + 1]; ++e) {
            size_t b = (size_t)piece_over(&k->tree, k->see.edge_node[e], level);
            linked[a * n + b] = l->key[a] != l->key[b];
        }
    }
    for (size_t a = 0; a < n; ++a) {
        int32_t at = l->edge_offset[a];
        for (size_t b = 0; b < n; ++b) {
            if (linked[a * n + b]) {
                CHECK(at < l->edge_offset[a + 1] && l->edge_piece[at] == (int32_t)b);
                at++;
            }
        }
        CHECK(at == l->edge_offset[a + 1]);
    }
    free(linked);
}

static inline void add_moment(double m[6], double volume, lim_point d) {
    double x[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
    for (int i = 0; i < 6; ++i) {
        m[i] += volume * x[i];
    }
}

/* Volume, centroid and moments of every piece from the fragments below it. */
static inline void check_sums(const finest_kit* k, int32_t level) {
    const piece_level *l = &k->tree.level[level], *fine = &k->tree.level[k->tree.finest];
    size_t n = (size_t)l->count;
    double* volume = calloc(n + 1, sizeof(double));
    lim_point* sum = calloc(n + 1, sizeof(lim_point));
    double(*moment)[6] = calloc(n + 1, sizeof *moment);
    for (int32_t f = 0; f < k->f.count; ++f) {
        int32_t p = piece_over(&k->tree, f, level);
        volume[p] += k->f.volume[f];
        sum[p] = p3_mad(sum[p], k->f.centroid[f], k->f.volume[f]);
    }
    for (int32_t f = 0; f < k->f.count; ++f) {
        int32_t p = piece_over(&k->tree, f, level);
        lim_point c = p3_scale(sum[p], 1.0 / volume[p]);
        add_moment(moment[p], k->f.volume[f], p3_sub(k->f.centroid[f], c));
        for (int i = 0; i < 6; ++i) {
            moment[p][i] += fine->moment[f][i];
        }
    }
    for (int32_t p = 0; p < l->count; ++p) {
        double size = moment[p][0] + moment[p][1] + moment[p][2];
        CHECK_NEAR(l->volume[p] / volume[p], 1.0, 1e-12);
        CHECK_NEAR(p3_length(p3_sub(l->centroid[p], p3_scale(sum[p], 1.0 / volume[p]))), 0.0,
                   1e-13);
        for (int i = 0; i < 6; ++i) {
            CHECK_NEAR(l->moment[p][i] / size, moment[p][i] / size, 1e-12);
        }
    }
    free(volume);
    free(sum);
    free(moment);
}

/* A fragment's moment from 4^3 points in each of its sub-voxels, which fall short of cubes by
 * V h^2 / 12 / 16. */
static inline void check_fragment_moments(const finest_kit* k) {
    const piece_level* fine = &k->tree.level[k->tree.finest];
    for (int32_t f = 0; f < k->f.count; f += 7) {
        const voxel_cell* c = &k->v.cell.data[k->f.cell[f]];
        uint64_t bits = k->f.mask[f] & (c->inside | c->thin);
        bits = bits != 0 ? bits : k->f.mask[f];
        double count = 64.0 * mask_count(bits), m[6] = {0};
        lim_point mean = p3(0, 0, 0);
        for (int pass = 0; pass < 2; ++pass) {
            for (int i = 0; i < 64 * 64; ++i) {
                int bit = i / 64, in = i % 64;
                if ((bits >> bit & 1) == 0) {
                    continue;
                }
                lim_point at =
                    p3(bit % 4 + (in % 4 + 0.5) / 4, bit / 4 % 4 + (in / 4 % 4 + 0.5) / 4,
                       bit / 16 + (in / 16 + 0.5) / 4);
                at = p3_scale(at, k->v.sub);
                if (pass == 0) {
                    mean = p3_mad(mean, at, 1.0 / count);
                } else {
                    add_moment(m, k->f.volume[f] / count, p3_sub(at, mean));
                }
            }
        }
        double size = k->f.volume[f] * k->v.sub * k->v.sub;
        for (int i = 0; i < 6; ++i) {
            double rest = i < 3 ? size / 12.0 / 16.0 : 0.0;
            CHECK_NEAR(fine->moment[f][i] / size, (m[i] + rest) / size, 1e-9);
        }
    }
}

static inline void check_pieces(const finest_kit* k) {
    int32_t* label = malloc((size_t)k->f.count * sizeof(int32_t) + 1);
    CHECK(k->tree.finest == k->v.level && k->tree.side == k->v.side);
    for (int32_t level = k->tree.finest; level >= 0; --level) {
        check_groups(k, level, label, flood(k, level, label));
        check_neighbours(k, level);
        check_sums(k, level);
        if (level < k->tree.finest) {
            check_children(k, level);
        }
    }
    check_fragment_moments(k);
    free(label);
}

#endif

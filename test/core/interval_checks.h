/* SPDX-License-Identifier: MIT
 * Checks of interval regions that hold for any nodes in any hierarchy of pieces: intervals against
 * brute-force distances, members against widths, sums and adjoint against loops over members. Whole
 * numbers where bits are compared.
 */
#ifndef LIMBER_INTERVAL_CHECKS_H
#define LIMBER_INTERVAL_CHECKS_H

#include "test.h"

#include "base/random.h"
#include "region/interval_tree.h"

typedef struct interval_case {
    const region_nodes* nodes;
    graph g;
    region_tree where;
    const int32_t* width; /* per slot, half finest cells */
    int32_t eps_num, eps_den;
    int32_t stride; /* every stride-th slot is tried where all would take too long; 1: all */
} interval_case;

/* Slow oracle: label correcting with a queue. FAR where there is no path. */
static inline void oracle_distances(graph g, int32_t source, int32_t* distance, int32_t* queue,
                                    uint8_t* queued) {
    int32_t n = g.node_count, head = 0, size = 1;
    for (int32_t i = 0; i < n; ++i) {
        distance[i] = INTERVAL_FAR;
    }
    memset(queued, 0, (size_t)n);
    distance[source] = 0;
    queue[0] = source;
    while (size > 0) {
        int32_t i = queue[head];
        head = (head + 1) % n;
        size--;
        queued[i] = 0;
        for (int32_t e = g.offset[i]; e < g.offset[i + 1]; ++e) {
            int32_t j = g.node[e], d = distance[i] + g.length[e];
            if (d < distance[j]) {
                distance[j] = d;
                if (!queued[j]) {
                    queued[j] = 1;
                    queue[(head + size++) % n] = j;
                }
            }
        }
    }
}

typedef struct oracle {
    arena mem;
    int32_t *distance, *queue, *members;
    uint8_t* queued;
} oracle;

static inline void oracle_make(oracle* o, graph g) {
    arena_init(&o->mem, NULL);
    o->distance = ARENA_ARRAY(&o->mem, int32_t, g.node_count);
    o->queue = ARENA_ARRAY(&o->mem, int32_t, g.node_count);
    o->members = ARENA_ARRAY(&o->mem, int32_t, g.node_count);
    o->queued = ARENA_ARRAY(&o->mem, uint8_t, g.node_count);
}

/* Item 1, and more: a is the least and b the largest distance of the leaves under each virtual
 * node, as long as they are below the limit; leaves are found by walking up the pieces. Also that
 * the chosen are the coarsest cover of their set. */
static inline void check_interval_bounds(const interval_case* c) {
    oracle o;
    oracle_make(&o, c->g);
    const pieces* p = c->where.pieces;
    interval_tree t;
    CHECK(interval_tree_build(&o.mem, c->nodes, c->where, &t) == LIM_OK);
    interval_search s;
    CHECK(interval_search_init(&s, &o.mem, &t, c->g) == LIM_OK);
    int32_t* number[OCTANT_LEVELS + 1]; /* per piece: virtual node or 0 */
    for (int32_t l = 0; l <= p->finest; ++l) {
        number[l] = ARENA_ARRAY(&o.mem, int32_t, p->level[l].count);
    }
    for (int32_t v = t.slot_count; v < t.count; ++v) {
        number[t.order[v] >> 32][t.order[v] & 0xFFFFFFFFu] = v;
        CHECK(v == t.slot_count || t.order[v - 1] >> 32 >= t.order[v] >> 32);
    }
    int32_t* least = ARENA_ARRAY(&o.mem, int32_t, t.count);
    int32_t* most = ARENA_ARRAY(&o.mem, int32_t, t.count);
    int32_t* leaves = ARENA_ARRAY(&o.mem, int32_t, t.count);
    int32_t* taken = ARENA_ARRAY(&o.mem, int32_t, t.count); /* leaves under chosen ones */
    for (int32_t i = 0; i < c->nodes->padded; i += c->stride) {
        if (c->where.level[i] < 0) {
            continue;
        }
        int32_t limit = interval_limit(c->width[i], c->eps_num, c->eps_den);
        oracle_distances(c->g, i, o.distance, o.queue, o.queued);
        interval_search_run(&s, i, c->width[i], limit);
        for (int32_t v = 0; v < t.count; ++v) {
            least[v] = INTERVAL_FAR;
            most[v] = leaves[v] = taken[v] = 0;
        }
        for (int32_t k = 0; k < s.count; ++k) {
            CHECK(k == 0 || t.order[s.chosen[k - 1]] < t.order[s.chosen[k]]);
            for (int32_t v = s.chosen[k]; v >= 0; v = t.parent[v]) {
                taken[v] += t.leaves[s.chosen[k]];
            }
        }
        for (int32_t j = 0; j < c->nodes->padded; ++j) {
            int32_t piece = c->where.piece[j];
            for (int32_t l = c->where.level[j]; l >= 0; --l) {
                int32_t v = l == c->where.level[j] ? j : number[l][piece];
                if (v > 0 || l == c->where.level[j]) {
                    least[v] = o.distance[j] < least[v] ? o.distance[j] : least[v];
                    most[v] = o.distance[j] > most[v] ? o.distance[j] : most[v];
                    leaves[v]++;
                }
                piece = l > 0 ? p->level[l].parent[piece] : 0;
            }
        }
        for (int32_t v = 0; v < t.count; ++v) {
            if (t.leaves[v] == 0) {
                continue; /* a pad */
            }
            CHECK(leaves[v] == t.leaves[v]);
            CHECK(interval_least(&s, v) == (least[v] < limit ? least[v] : INTERVAL_FAR));
            CHECK(interval_most(&s, v) == (most[v] < limit ? most[v] : INTERVAL_FAR));
        }
        for (int32_t k = 0; k < s.count; ++k) {
            int32_t above = t.parent[s.chosen[k]];
            CHECK(above < 0 || taken[above] < t.leaves[above]);
        }
    }
    arena_release(&o.mem);
}

/* Items 2 and 8: what must be a member is, what must not be is not, once, and never across a gap.
 */
static inline void check_interval_members(const interval_case* c, const net* n, const regions* r) {
    oracle o;
    oracle_make(&o, c->g);
    for (int32_t i = 0; i < c->nodes->padded; i += c->stride) {
        if (c->where.level[i] < 0) {
            CHECK(r->seed_region[i] == -1);
            continue;
        }
        oracle_distances(c->g, i, o.distance, o.queue, o.queued);
        int32_t count = net_members(n, r->seed_region[i], o.members, c->nodes->padded), inside = 0;
        int64_t w = c->width[i];
        CHECK(count <= c->nodes->padded);
        for (int32_t k = 0; k < count; ++k) {
            int64_t d = o.distance[o.members[k]];
            CHECK(k == 0 || o.members[k - 1] < o.members[k]);
            CHECK(d != INTERVAL_FAR);
            /* (1 + eps) w <= d is not allowed, nor d > w at eps = 0 */
            CHECK(d <= w || d * c->eps_den < w * (c->eps_den + c->eps_num));
            inside += d <= w;
        }
        int32_t expected = 0;
        for (int32_t j = 0; j < c->nodes->padded; ++j) {
            expected += o.distance[j] <= w;
        }
        CHECK(inside == expected);
    }
    arena_release(&o.mem);
}

/* Items 3 and 4: HF is the sum over the members and its adjoint the sum over the regions of a node,
 * bit for bit in whole numbers; <P u, w> = <u, P^T w>; within 1e-6 of the absolute sum in floats.
 */
static inline void check_interval_sums(const net* n, const regions* r, uint64_t seed) {
    random_stream random = random_seed(seed);
    int32_t first = n->first[n->layers - 1];
    size_t floats = (size_t)n->record_count * 8, bytes = (floats * sizeof(float) + 63) / 64 * 64;
    float* forward = aligned_alloc(64, bytes);
    float* adjoint = aligned_alloc(64, bytes);
    float* expected = calloc((size_t)n->node_count * 8, sizeof(float));
    int32_t* members = calloc((size_t)n->node_count, sizeof *members);
    double left = 0.0, right = 0.0;
    memset(forward, 0, bytes);
    memset(adjoint, 0, bytes);
    /* strip 0..3 whole numbers, 4..7 floats */
    for (int32_t i = 0; i < n->node_count * 8; ++i) {
        forward[i] = i % 8 < 4 ? (float)(random_index(&random, 201) - 100)
                               : random_range(&random, -1.0f, 1.0f);
    }
    for (int32_t i = 0; i < r->count * 8; ++i) {
        adjoint[first * 8 + i] = (float)(random_index(&random, 201) - 100);
    }
    net_forward_middle(n, forward, 1, ISA_SCALAR, NULL);
    net_kernels_for(ISA_SCALAR)->forward(n, forward, 1, first, n->record_count);
    net_adjoint_middle(n, adjoint, 1, ISA_SCALAR, NULL);
    net_kernels_for(ISA_SCALAR)->adjoint(n, adjoint, 1, 0, n->node_count);
    for (int32_t k = 0; k < r->count; ++k) {
        int32_t count = net_members(n, k, members, n->node_count);
        for (int32_t f = 0; f < 8; ++f) {
            double sum = 0.0, size = 1e-30, got = (double)forward[(first + k) * 8 + f];
            double w = (double)adjoint[(first + k) * 8 + f];
            for (int32_t m = 0; m < count; ++m) {
                double value = (double)forward[members[m] * 8 + f];
                sum += value;
                size += fabs(value);
                expected[members[m] * 8 + f] += (float)w;
            }
            if (f < 4) {
                CHECK(sum == got);
                left += got * w;
            } else {
                CHECK_NEAR(got, sum, 1e-6 * size);
            }
        }
    }
    for (int32_t i = 0; i < n->node_count * 8; ++i) {
        CHECK(expected[i] == adjoint[i]);
        right += i % 8 < 4 ? (double)forward[i] * (double)adjoint[i] : 0.0;
    }
    CHECK(left == right);
    free(forward);
    free(adjoint);
    free(expected);
    free(members);
}

/* Item 13: summation nodes of a region, mean over every stride-th node. */
static inline double interval_mean_inputs(const interval_case* c) {
    arena mem;
    arena_init(&mem, NULL);
    interval_tree t;
    interval_search s;
    CHECK(interval_tree_build(&mem, c->nodes, c->where, &t) == LIM_OK);
    CHECK(interval_search_init(&s, &mem, &t, c->g) == LIM_OK);
    double sum = 0.0, seeds = 0.0;
    for (int32_t i = 0; i < c->nodes->padded; i += c->stride) {
        if (c->where.level[i] >= 0) {
            interval_search_run(&s, i, c->width[i],
                                interval_limit(c->width[i], c->eps_num, c->eps_den));
            sum += (double)s.count;
            seeds += 1.0;
        }
    }
    arena_release(&mem);
    return sum / seeds;
}

/* All of it, with one region per node and with equal ones collapsed. */
static inline void check_intervals(const interval_case* c, uint64_t seed) {
    check_interval_bounds(c);
    double weight = -1.0;
    for (int one_per_node = 1; one_per_node >= 0; --one_per_node) {
        arena mem;
        arena_init(&mem, NULL);
        net n;
        regions r;
        CHECK(regions_build_intervals(&mem, &mem.host, c->nodes, c->g, c->where, c->width,
                                      c->eps_num, c->eps_den, one_per_node == 1, &n, &r) == LIM_OK);
        CHECK(net_is_valid(&n));
        CHECK(one_per_node == 0 ? r.count <= c->nodes->count : r.count == c->nodes->count);
        check_interval_members(c, &n, &r);
        check_interval_sums(&n, &r, seed);
        double sum = 0.0;
        for (int32_t k = 0; k < r.padded; ++k) {
            sum += (double)r.weight[k];
        }
        weight = weight < 0.0 ? sum : weight;
        CHECK_NEAR(sum, weight, 1e-5 * weight);
        arena_release(&mem);
    }
}

#endif

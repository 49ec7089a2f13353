/* SPDX-License-Identifier: MIT
 * Networks of any records with any weights, and others that some of their records are still in: for
 * tests of what is taken over. Weights of a node over the regions of a body add up to 1 whatever an
 * edit does, but for rounding; of these they do not.
 */
#ifndef LIMBER_PAST_NETS_H
#define LIMBER_PAST_NETS_H

#include "base/random.h"
#include "region/past.h"
#include "test.h"

enum { LOOSE_LAYERS = 4, LOOSE_ROOM = 256, LOOSE_INPUTS = 6 };

typedef struct loose_net {
    net n;
    regions r;
    charts c;
    region_nodes nodes;
    float *x0[3], *volume;
    float *inv_weight, *fit_mass;
    int32_t in_layer[LOOSE_LAYERS]; /* without pads */
} loose_net;

static inline void loose_room(arena* a, loose_net* l) {
    *l = (loose_net){0};
    l->n.layers = LOOSE_LAYERS;
    l->n.forward_offset = ARENA_ARRAY(a, int32_t, LOOSE_ROOM + 1);
    l->n.forward = ARENA_ARRAY(a, int32_t, LOOSE_ROOM * LOOSE_INPUTS);
    l->n.forward_weight = ARENA_ARRAY(a, float, LOOSE_ROOM* LOOSE_INPUTS);
    l->volume = ARENA_ARRAY(a, float, LOOSE_ROOM);
    l->inv_weight = ARENA_ARRAY(a, float, LOOSE_ROOM);
    l->fit_mass = ARENA_ARRAY(a, float, LOOSE_ROOM);
    for (int k = 0; k < 3; ++k) {
        l->x0[k] = ARENA_ARRAY(a, float, LOOSE_ROOM);
    }
}

static inline void loose_add_node(random_stream* r, loose_net* l, const loose_net* from,
                                  int32_t was) {
    int32_t i = l->in_layer[0]++;
    for (int k = 0; k < 3; ++k) {
        l->x0[k][i] = was >= 0 ? from->x0[k][was] : random_range(r, -1.0f, 1.0f);
    }
    l->volume[i] = was >= 0 ? from->volume[was] : random_range(r, 0.5f, 1.0f);
}

/* The layer is full: pads, where it is the nodes or the regions. */
static inline void loose_end_layer(loose_net* l, int32_t layer) {
    net* n = &l->n;
    int32_t begin = n->first[layer], end = begin + l->in_layer[layer];
    bool padded = layer == 0 || layer == LOOSE_LAYERS - 1;
    n->first[layer + 1] = padded ? (end + 7) / 8 * 8 : end;
    for (int32_t i = layer == 0 ? 0 : end; i < n->first[layer + 1]; ++i) {
        n->forward_offset[i + 1] = n->forward_offset[i];
    }
    n->node_count = n->first[1];
    n->record_count = n->first[layer + 1];
}

/* A record of some of the records before its layer. */
static inline void loose_add(random_stream* r, loose_net* l, int32_t layer) {
    net* n = &l->n;
    int32_t record = n->first[layer] + l->in_layer[layer]++, at = n->forward_offset[record];
    int32_t count = 1 + random_index(r, LOOSE_INPUTS), begin = at;
    for (int32_t k = 0; k < count; ++k) {
        int32_t of = random_index(r, layer);
        int32_t input = n->first[of] + random_index(r, l->in_layer[of]);
        bool there = false;
        for (int32_t e = begin; e < at; ++e) {
            there = there || n->forward[e] == input;
        }
        if (!there) {
            n->forward[at] = input;
            n->forward_weight[at++] = random_range(r, 0.1f, 1.0f);
        }
    }
    n->forward_offset[record + 1] = at;
}

/* Transposed lists, seeds and constants, the whole way. */
static inline void loose_regions(arena* a, loose_net* l, regions* r) {
    net* n = &l->n;
    n->region_count = n->first[LOOSE_LAYERS] - n->first[LOOSE_LAYERS - 1];
    *r = (regions){.count = l->in_layer[LOOSE_LAYERS - 1], .padded = n->region_count};
    r->seed_region = ARENA_ARRAY(a, int32_t, n->node_count);
    CHECK(regions_allocate(a, r) == LIM_OK);
    for (int32_t i = 0; i < r->count; ++i) {
        r->weight[i] = 1.0f;
    }
}

static inline void loose_finish(arena* a, loose_net* l) {
    int32_t padded = l->n.node_count;
    l->nodes = (region_nodes){.count = l->in_layer[0], .padded = padded, .volume = l->volume};
    l->c = (charts){.count = 1, .components = 1, .slots = padded};
    l->c.begin = ARENA_ARRAY(a, int32_t, 2);
    l->c.begin[1] = padded;
    for (int k = 0; k < 3; ++k) {
        l->nodes.x0[k] = l->x0[k];
        l->c.origin[k] = ARENA_ARRAY(a, float, 1);
    }
    loose_regions(a, l, &l->r);
    CHECK(net_transpose(&l->n, a) == LIM_OK);
    CHECK(regions_seeds(a, &l->n, NULL, NULL, &l->r) == LIM_OK);
    CHECK(regions_constants(a, &l->nodes, &l->c, &l->n, NULL, &l->r, l->inv_weight, l->fit_mass) ==
          LIM_OK);
}

static inline void loose_make(random_stream* r, arena* a, loose_net* l) {
    loose_room(a, l);
    for (int32_t layer = 0; layer < LOOSE_LAYERS; ++layer) {
        for (int32_t count = 4 + random_index(r, layer == 0 ? 40 : 20); count > 0; --count) {
            if (layer == 0) {
                loose_add_node(r, l, NULL, -1);
            } else {
                loose_add(r, l, layer);
            }
        }
        loose_end_layer(l, layer);
    }
    loose_finish(a, l);
}

/* The record `was` of `from` with the same inputs; false where one of these is gone. */
static inline bool loose_take(loose_net* l, int32_t layer, const net* from, int32_t was,
                              const int32_t* now) {
    net* n = &l->n;
    int32_t record = n->first[layer] + l->in_layer[layer], at = n->forward_offset[record];
    for (int32_t e = from->forward_offset[was]; e < from->forward_offset[was + 1]; ++e) {
        if (now[from->forward[e]] < 0) {
            return false;
        }
        n->forward[at] = now[from->forward[e]];
        n->forward_weight[at++] = from->forward_weight[e];
    }
    n->forward_offset[record + 1] = at;
    l->in_layer[layer]++;
    return true;
}

/* Some records go, some come, each with a chance of one in `rare`; the others stay in their order.
 */
static inline void loose_change(random_stream* r, arena* a, const loose_net* from, int32_t rare,
                                loose_net* l, record_map* map) {
    const net* old = &from->n;
    loose_room(a, l);
    map->now = ARENA_ARRAY(a, int32_t, old->record_count);
    map->before = ARENA_ARRAY(a, int32_t, LOOSE_ROOM);
    memset(map->now, 0xFF, (size_t)old->record_count * sizeof(int32_t));
    memset(map->before, 0xFF, LOOSE_ROOM * sizeof(int32_t));
    for (int32_t layer = 0; layer < LOOSE_LAYERS; ++layer) {
        for (int32_t k = 0; k < from->in_layer[layer]; ++k) {
            int32_t was = old->first[layer] + k, at = l->n.first[layer] + l->in_layer[layer];
            bool stays = random_index(r, rare) != 0;
            if (stays && layer == 0) {
                loose_add_node(r, l, from, was);
            } else if (stays) {
                stays = loose_take(l, layer, old, was, map->now);
            }
            if (stays) {
                map->now[was] = at;
                map->before[at] = was;
            }
            if (random_index(r, rare) == 0 || l->in_layer[layer] == 0) {
                if (layer == 0) {
                    loose_add_node(r, l, NULL, -1);
                } else {
                    loose_add(r, l, layer);
                }
            }
        }
        loose_end_layer(l, layer);
    }
    loose_finish(a, l);
}

#endif

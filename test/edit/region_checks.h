/* SPDX-License-Identifier: MIT
 * Regions of a topology against regions made whole: what tests of edits ask for.
 */
#ifndef LIMBER_REGION_CHECKS_H
#define LIMBER_REGION_CHECKS_H

#include "body/material.h"
#include "test.h"

#include <string.h>

/* What regions of a topology are built from, in `a`. */
typedef struct region_source {
    pieces all;
    region_tree tree;
    float* width;
} region_source;

static inline void find_source(arena* a, const topology* t, region_source* out) {
    sampling s = {.matter = t->matter, .node_count = t->node_count};
    int32_t* level = ARENA_ARRAY(a, int32_t, t->slot_count);
    int32_t* piece = ARENA_ARRAY(a, int32_t, t->slot_count);
    s.fragment_node = ARENA_ARRAY(a, int32_t, t->matter.count);
    s.side = ARENA_ARRAY(a, float, t->node_count);
    CHECK(pieces_build(a, &s.matter, &out->all) == LIM_OK);
    memset(level, 0xFF, (size_t)t->slot_count * sizeof(int32_t));
    for (int32_t i = 0; i < t->matter.count; ++i) {
        int32_t slot = t->fragment_slot[i];
        s.fragment_node[i] = t->slot_node[slot];
        s.side[t->slot_node[slot]] = t->side[slot];
        level[slot] = (int32_t)(t->key[slot] >> 58);
        piece[slot] = i;
        for (int32_t l = out->all.finest; l > level[slot]; --l) {
            piece[slot] = out->all.level[l].parent[piece[slot]];
        }
    }
    topology widths = *t; /* keeps them itself */
    arena_init(&widths.mem, NULL);
    CHECK(material_widths(&widths, a, &s, t, NULL, &out->width) == LIM_OK);
    arena_release(&widths.mem);
    out->tree = (region_tree){&out->all, level, piece};
}

static inline bool same_array(const void* a, const void* b, int32_t count, size_t size) {
    return memcmp(a, b, (size_t)count * size) == 0;
}

static inline bool same_net(const net* a, const net* b) {
    int32_t records = a->record_count, entries = a->forward_offset[records];
    return a->layers == b->layers &&
           same_array(a->first, b->first, NET_LAYERS + 1, sizeof(int32_t)) &&
           records == b->record_count && entries == b->forward_offset[records] &&
           a->node_count == b->node_count && a->region_count == b->region_count &&
           same_array(a->forward_offset, b->forward_offset, records + 1, sizeof(int32_t)) &&
           same_array(a->forward, b->forward, entries, sizeof(int32_t)) &&
           same_array(a->forward_weight, b->forward_weight, entries, sizeof(float)) &&
           same_array(a->back_offset, b->back_offset, records + 1, sizeof(int32_t)) &&
           same_array(a->back, b->back, entries, sizeof(int32_t)) &&
           same_array(a->back_weight, b->back_weight, entries, sizeof(float));
}

/* nodes: padded. */
static inline bool same_constants(const regions* a, const regions* b, int32_t nodes) {
    bool equal = a->count == b->count && a->padded == b->padded && a->members == b->members &&
                 a->inputs == b->inputs &&
                 same_array(a->seed_region, b->seed_region, nodes, sizeof(int32_t)) &&
                 same_array(a->weight, b->weight, a->padded, sizeof(float)) &&
                 same_array(a->inv_mass, b->inv_mass, a->padded, sizeof(float)) &&
                 same_array(a->sigma2, b->sigma2, a->padded, sizeof(float));
    for (int k = 0; k < 3; ++k) {
        equal = equal && same_array(a->c0[k], b->c0[k], a->padded, sizeof(float));
    }
    for (int k = 0; k < 6; ++k) {
        equal = equal && same_array(a->a0[k], b->a0[k], a->padded, sizeof(float));
    }
    return equal;
}

static inline bool same_sums(const regions* a, const regions* b, int32_t behind) {
    bool same = true;
    for (int32_t i = 0; i < behind; ++i) {
        const record_sum *x = &a->record_sum[i], *y = &b->record_sum[i];
        same = same && x->mass == y->mass && x->wish == y->wish && x->only == y->only;
    }
    return same;
}

static inline bool same_regions(const regions* a, const regions* b, const net* n) {
    int32_t behind = n->record_count - n->node_count;
    return same_constants(a, b, n->node_count) &&
           same_array(a->record_fragment, b->record_fragment, behind, sizeof(int32_t)) &&
           same_array(a->record_level, b->record_level, behind, 1) && same_sums(a, b, behind);
}

/* The regions made whole, in `a`, with their constants. */
typedef struct whole_regions {
    net n;
    regions r;
    float *inv_weight, *fit_mass;
} whole_regions;

static inline void make_whole(arena* a, const topology* t, const region_source* s,
                              whole_regions* out) {
    region_nodes nodes = topology_nodes(t);
    out->inv_weight = ARENA_ARRAY(a, float, t->slot_count);
    out->fit_mass = ARENA_ARRAY(a, float, t->slot_count);
    CHECK(regions_build_blended(a, &a->host, &nodes, s->tree, s->width, &out->n, &out->r) ==
          LIM_OK);
    CHECK(regions_constants(a, &nodes, &t->charts, &out->n, NULL, &out->r, out->inv_weight,
                            out->fit_mass) == LIM_OK);
}

static inline bool has_whole(const topology* t, const whole_regions* w) {
    return same_net(&w->n, &t->net) && same_regions(&w->r, &t->regions, &w->n) &&
           same_array(w->inv_weight, t->inv_weight, t->slot_count, sizeof(float)) &&
           same_array(w->fit_mass, t->fit_mass, t->slot_count, sizeof(float));
}

/* Lists, seeds and constants are those of making everything. Of lattices and bodies of several
 * charts every edit does. */
static inline bool regions_as_anew(const topology* t) {
    if (t->kind->regions != REGIONS_TREE || t->region_kind != LIM_REGIONS_BLENDED ||
        charts_many(&t->charts)) {
        return true;
    }
    arena a;
    region_source s;
    whole_regions whole;
    arena_init(&a, NULL);
    find_source(&a, t, &s);
    make_whole(&a, t, &s, &whole);
    bool same = has_whole(t, &whole);
    arena_release(&a);
    return same;
}

#endif

/* SPDX-License-Identifier: MIT
 * Job: keep the material. In: a sampling, its nodes in slots, factors and widths of nodes. Out: the
 * material, its nodes, and the same factors and widths per fragment, so that nodes of other levels
 * can have them.
 */
#include "body/material.h"

#include "sample/matter_copy.h"

lim_result material_slots(topology* t, const sampling* s) {
    t->fragment_slot = ARENA_ROOM(&t->mem, int32_t, s->matter.count);
    LIM_TRY_MEMORY(t->fragment_slot);
    for (int32_t i = 0; i < s->matter.count; ++i) {
        t->fragment_slot[i] = t->node_slot[s->fragment_node[i]];
    }
    return LIM_OK;
}

/* A value per node becomes one per fragment; null stays null. */
static lim_result spread(topology* t, const sampling* s, const float* by_node, float** out) {
    if (by_node == NULL) {
        return LIM_OK;
    }
    *out = ARENA_ROOM(&t->mem, float, s->matter.count);
    LIM_TRY_MEMORY(*out);
    for (int32_t i = 0; i < s->matter.count; ++i) {
        (*out)[i] = by_node[s->fragment_node[i]];
    }
    return LIM_OK;
}

/* So many cells of the node's own. */
static float rule_width(const topology* t, int32_t fragment) {
    return t->side[t->fragment_slot[fragment]] * t->own_width;
}

/* Keeps the wished half-width of fragment i, width[at[i]], where that is not the rule for the node
 * that it is part of. */
static lim_result keep_widths(topology* t, const float* width, const int32_t* at) {
    bool any = false;
    for (int32_t i = 0; i < t->matter.count; ++i) {
        any = any || width[at != NULL ? at[i] : i] != rule_width(t, i);
    }
    if (!any) {
        return LIM_OK;
    }
    t->fragment_width = ARENA_ROOM(&t->mem, float, t->matter.count);
    LIM_TRY_MEMORY(t->fragment_width);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        float wish = width[at != NULL ? at[i] : i];
        t->fragment_width[i] = wish == rule_width(t, i) ? 0.0f : wish;
    }
    return LIM_OK;
}

lim_result material_keep(topology* t, const matter* m) {
    t->matter_mem = shared_make(&t->mem.host);
    LIM_TRY_MEMORY(t->matter_mem);
    return matter_copy(&t->matter_mem->mem, m, &t->matter);
}

lim_result material_tree_of(const topology* t, const lim_host* host, material_tree* out) {
    if (t->tree.mem != NULL) {
        *out = (material_tree){t->tree.pieces, shared_join(t->tree.mem)};
        return LIM_OK;
    }
    shared_arena* s = shared_make(host);
    LIM_TRY_MEMORY(s);
    pieces* made = ARENA_ARRAY(&s->mem, pieces, 1);
    lim_result result = made != NULL ? pieces_build(&s->mem, &t->matter, made) : LIM_ERROR_MEMORY;
    if (result != LIM_OK) {
        shared_leave(s);
        return result;
    }
    *out = (material_tree){made, s};
    return LIM_OK;
}

lim_result material_tree_follow(shared_arena* mem, const topology* from,
                                const matter_change* change, material_tree* out) {
    pieces* made = ARENA_ARRAY(&mem->mem, pieces, 1);
    LIM_TRY_MEMORY(made);
    pieces_before before = {&from->matter, from->tree.pieces, change->source, change->touched};
    LIM_TRY(pieces_follow(&mem->mem, &change->after, before.tree != NULL ? &before : NULL, made));
    *out = (material_tree){made, mem};
    return LIM_OK;
}

lim_result material_take(topology* t, const sampling* s, const node_factors* factors,
                         const float* width, const lim_model_desc* desc) {
    t->own_width = desc->region_width;
    t->region_kind = desc->regions;
    LIM_TRY(material_keep(t, &s->matter));
    LIM_TRY(material_tree_of(t, &t->mem.host, &t->tree));
    LIM_TRY(material_slots(t, s));
    LIM_TRY(spread(t, s, factors->density, &t->fragment_density));
    if (t->stiffness != NULL) {
        t->fragment_stiffness = ARENA_ROOM(&t->mem, float, t->matter.count);
        LIM_TRY_MEMORY(t->fragment_stiffness);
    }
    for (int32_t i = 0; i < t->matter.count && t->stiffness != NULL; ++i) {
        t->fragment_stiffness[i] = t->stiffness[t->fragment_slot[i]];
    }
    return keep_widths(t, width, t->fragment_slot);
}

static lim_result follow(topology* t, const float* from, const int32_t* source, float** out) {
    if (from == NULL) {
        return LIM_OK;
    }
    *out = ARENA_ROOM(&t->mem, float, t->matter.count);
    LIM_TRY_MEMORY(*out);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        (*out)[i] = from[source != NULL ? source[i] : i];
    }
    return LIM_OK;
}

lim_result material_follow(topology* t, const topology* from, const int32_t* source) {
    t->own_width = from->own_width;
    t->region_kind = from->region_kind;
    LIM_TRY(follow(t, from->fragment_density, source, &t->fragment_density));
    LIM_TRY(follow(t, from->fragment_stiffness, source, &t->fragment_stiffness));
    bool hops = t->kind->regions == REGIONS_HOPS;
    return hops ? follow(t, from->fragment_width, source, &t->fragment_width) : LIM_OK;
}

lim_result material_mean(arena* scratch, const sampling* s, const float* by_fragment, float** out) {
    *out = NULL;
    if (by_fragment == NULL) {
        return LIM_OK;
    }
    float* mean = *out = ARENA_ARRAY(scratch, float, s->node_count);
    double* sum = ARENA_ARRAY(scratch, double, 2 * (size_t)s->node_count);
    uint8_t* state = ARENA_ARRAY(scratch, uint8_t, s->node_count); /* 1: one value, 2: several */
    LIM_TRY_MEMORY(mean);
    LIM_TRY_MEMORY(sum);
    LIM_TRY_MEMORY(state);
    for (int32_t i = 0; i < s->matter.count; ++i) {
        int32_t node = s->fragment_node[i];
        if (state[node] == 0) {
            mean[node] = by_fragment[i];
            state[node] = 1;
        } else if (mean[node] != by_fragment[i]) {
            state[node] = 2;
        }
        sum[2 * (size_t)node] += s->matter.volume[i] * (double)by_fragment[i];
        sum[2 * (size_t)node + 1] += s->matter.volume[i];
    }
    for (int32_t i = 0; i < s->node_count; ++i) {
        if (state[i] == 2) {
            mean[i] = (float)(sum[2 * (size_t)i] / sum[2 * (size_t)i + 1]);
        }
    }
    return LIM_OK;
}

lim_result material_widths(topology* t, arena* scratch, const sampling* s, const topology* from,
                           const int32_t* source, float** out) {
    float* told;
    float* wish = ARENA_ROOM(scratch, float, t->matter.count);
    float* width = *out = ARENA_ROOM(scratch, float, t->slot_count);
    LIM_TRY_MEMORY(wish);
    LIM_TRY_MEMORY(width);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        int32_t was = source != NULL ? source[i] : i;
        bool ruled = from->fragment_width == NULL || !(from->fragment_width[was] > 0.0f);
        wish[i] = ruled ? rule_width(from, was) : from->fragment_width[was];
    }
    LIM_TRY(keep_widths(t, wish, NULL));
    LIM_TRY(material_mean(scratch, s, wish, &told));
    for (int32_t i = 0; i < t->slot_count; ++i) {
        int32_t node = t->slot_node[i];
        /* A node alone has no shape. */
        width[i] = node >= 0 && told[node] > t->side[i] ? told[node] : t->side[i];
    }
    return LIM_OK;
}

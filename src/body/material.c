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

/* Only what is not the rule is kept, so that it holds for nodes of other sizes. */
static lim_result take_widths(topology* t, const float* width) {
    bool any = false;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        any = any || width[i] != t->side[i] * t->own_width;
    }
    if (!any) {
        return LIM_OK;
    }
    t->fragment_width = ARENA_ROOM(&t->mem, float, t->matter.count);
    LIM_TRY_MEMORY(t->fragment_width);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        int32_t slot = t->fragment_slot[i];
        bool own = width[slot] == t->side[slot] * t->own_width;
        t->fragment_width[i] = own ? 0.0f : width[slot];
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
    return take_widths(t, width);
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
    return follow(t, from->fragment_width, source, &t->fragment_width);
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

lim_result material_widths(const topology* t, arena* scratch, const sampling* s, float** out) {
    float *told = NULL, *filled = NULL;
    float* width = *out = ARENA_ROOM(scratch, float, t->slot_count);
    LIM_TRY_MEMORY(width);
    LIM_TRY(material_mean(scratch, s, t->fragment_width, &told));
    if (told != NULL) {
        /* The rule is 0; where some fragments have it and others not, it is as wide as it says. */
        filled = ARENA_ROOM(scratch, float, t->matter.count);
        LIM_TRY_MEMORY(filled);
        for (int32_t i = 0; i < t->matter.count; ++i) {
            int32_t node = s->fragment_node[i];
            bool rule = !(t->fragment_width[i] > 0.0f) && told[node] > 0.0f;
            filled[i] = rule ? s->side[node] * t->own_width : t->fragment_width[i];
        }
        LIM_TRY(material_mean(scratch, s, filled, &told));
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        int32_t node = t->slot_node[i];
        bool wished = node >= 0 && told != NULL && told[node] > 0.0f;
        width[i] = wished ? told[node] : t->side[i] * t->own_width;
    }
    return LIM_OK;
}

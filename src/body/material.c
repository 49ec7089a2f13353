/* SPDX-License-Identifier: MIT
 * Job: keep the material. In: a sampling, its nodes in slots, factors and widths of nodes. Out: the
 * material, its nodes, and the same factors and widths per fragment, so that nodes of other levels
 * can have them.
 */
#include "body/material.h"

#include "sample/matter_copy.h"

lim_result material_slots(topology* t, const sampling* s) {
    t->fragment_slot = ARENA_ARRAY(&t->mem, int32_t, s->matter.count);
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
    *out = ARENA_ARRAY(&t->mem, float, s->matter.count);
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
    t->fragment_width = ARENA_ARRAY(&t->mem, float, t->matter.count);
    LIM_TRY_MEMORY(t->fragment_width);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        int32_t slot = t->fragment_slot[i];
        bool own = width[slot] == t->side[slot] * t->own_width;
        t->fragment_width[i] = own ? 0.0f : width[slot];
    }
    return LIM_OK;
}

lim_result material_take(topology* t, const sampling* s, const node_factors* factors,
                         const float* width, const lim_model_desc* desc) {
    t->own_width = desc->region_width;
    t->region_kind = desc->regions;
    LIM_TRY(matter_copy(&t->mem, &s->matter, &t->matter));
    LIM_TRY(material_slots(t, s));
    LIM_TRY(spread(t, s, factors->density, &t->fragment_density));
    if (t->stiffness != NULL) {
        t->fragment_stiffness = ARENA_ARRAY(&t->mem, float, t->matter.count);
        LIM_TRY_MEMORY(t->fragment_stiffness);
    }
    for (int32_t i = 0; i < t->matter.count && t->stiffness != NULL; ++i) {
        t->fragment_stiffness[i] = t->stiffness[t->fragment_slot[i]];
    }
    return take_widths(t, width);
}

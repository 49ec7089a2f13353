/* SPDX-License-Identifier: MIT
 * Job: change the stiffness of a body that is there. In: a factor of Young's modulus per slot. Out:
 * the regions that hold a changed node have new means and gains, the nodes of those regions new
 * sums of gains; all else stays, and everything has the bits of a body made from a model with these
 * factors. (The modulus that is got is a mean over all regions: one look at each.)
 */
#include "body/solver.h"

#include <string.h>

void body_model_stiffness(body* b) {
    const topology* t = b->topology;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        b->stiffness[i] = t->stiffness != NULL ? t->stiffness[i] : 1.0f;
    }
    for (int32_t i = 0; i < t->regions.padded; ++i) {
        b->region_stiffness[i] = t->regions.stiffness != NULL ? t->regions.stiffness[i] : 1.0f;
    }
    b->own_stiffness = false;
}

/* What a change needs beside the body. */
typedef struct change {
    float *factor, *means;              /* per slot, per region */
    uint8_t *changed, *touched, *marks; /* per slot, region, record */
} change;

static lim_result make_change(arena* scratch, const topology* t, change* out) {
    out->factor = ARENA_ARRAY(scratch, float, t->slot_count);
    out->means = ARENA_ARRAY(scratch, float, t->regions.padded);
    out->changed = ARENA_ARRAY(scratch, uint8_t, t->slot_count);
    out->touched = ARENA_ARRAY(scratch, uint8_t, t->regions.padded);
    out->marks = ARENA_ARRAY(scratch, uint8_t, t->net.record_count);
    LIM_TRY_MEMORY(out->factor);
    LIM_TRY_MEMORY(out->means);
    LIM_TRY_MEMORY(out->changed);
    LIM_TRY_MEMORY(out->touched);
    LIM_TRY_MEMORY(out->marks);
    return LIM_OK;
}

static lim_result find_change(arena* scratch, const body* b, const float* factor, change* c) {
    const topology* t = b->topology;
    LIM_TRY(make_change(scratch, t, c));
    const float* wanted = factor != NULL ? factor : t->stiffness;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        c->factor[i] = wanted != NULL && t->slot_node[i] >= 0 ? wanted[i] : 1.0f;
        c->changed[i] = c->factor[i] < b->stiffness[i] || c->factor[i] > b->stiffness[i];
    }
    memcpy(c->means, b->region_stiffness, (size_t)t->regions.padded * sizeof(float));
    region_nodes nodes = topology_nodes(t);
    return regions_mean_again(scratch, &nodes, &t->charts, &t->net,
                              t->regions.box > 0 ? &t->box : NULL, t->inv_weight, c->factor,
                              c->changed, &t->regions, c->touched, c->means);
}

lim_result body_set_stiffness(body* b, const float* factor, isa set, workers* pool) {
    const topology* t = b->topology;
    arena scratch;
    arena_init(&scratch, &b->host);
    change c;
    lim_result result = find_change(&scratch, b, factor, &c);
    if (result == LIM_OK) {
        memcpy(b->stiffness, c.factor, (size_t)t->slot_count * sizeof(float));
        memcpy(b->region_stiffness, c.means, (size_t)t->regions.padded * sizeof(float));
        b->own_stiffness = factor != NULL;
        solver_of(b)->stiffen(b, c.touched, c.marks, set, pool);
        b->share_stale = true;
    }
    arena_release(&scratch);
    return result;
}

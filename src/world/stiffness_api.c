/* SPDX-License-Identifier: MIT
 * Job: the stiffness of a body at the border. In: factors per node, or zones, checked here. Out: a
 * body with these factors, awake; or a failure and no change.
 */
#include "body/zones.h"
#include "world/world.h"

/* Takes factors per slot, or null. */
static lim_result set_slots(lim_world* world, world_body* b, const float* factor) {
    LIM_TRY(body_set_stiffness(&b->body, factor, world->set, world->pool));
    body_wake(&b->body);
    /* As with a new material: affine parts are the same with and without a save in between. */
    world_body_reshape(world, b);
    return LIM_OK;
}

static lim_result finish(const lim_world* world, const char* call, lim_result result) {
    if (result == LIM_ERROR_MEMORY) {
        return log_fail(&world->host, result, "%s: the host gave no memory; nothing was changed",
                        call);
    }
    return result;
}

static lim_result check_factors(const lim_world* world, const body* b, const float* factor,
                                int32_t count) {
    check c = check_begin(&world->host, "lim_body_set_stiffness");
    int32_t nodes = b->topology->node_count;
    check_integer(&c, "node_count", count, nodes, nodes, "as many as the model has nodes");
    for (int32_t i = 0; c.result == LIM_OK && i < count; ++i) {
        if (!attribute_fits(ATTRIBUTE_STIFFNESS, factor[i])) {
            c.result = log_fail(&world->host, LIM_ERROR_ARGUMENT,
                                "lim_body_set_stiffness: factor of node %d is %g; give a factor "
                                "from 1e-6 to 1e6",
                                (int)i, (double)factor[i]);
        }
    }
    return c.result;
}

static lim_result set_factors(lim_world* world, world_body* b, arena* scratch,
                              const float* factor) {
    const topology* t = b->body.topology;
    float* slot = ARENA_ARRAY(scratch, float, t->slot_count);
    LIM_TRY_MEMORY(slot);
    for (int32_t i = 0; i < t->node_count; ++i) {
        slot[t->node_slot[i]] = factor[i];
    }
    return set_slots(world, b, slot);
}

static lim_result set_stiffness(lim_world* world, lim_body id, const float* factor, int32_t count) {
    world_body* b = world_body_of(world, "lim_body_set_stiffness", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    LIM_TRY(factor != NULL ? check_factors(world, &b->body, factor, count) : LIM_OK);
    arena scratch;
    arena_init(&scratch, &world->host);
    lim_result result =
        factor != NULL ? set_factors(world, b, &scratch, factor) : set_slots(world, b, NULL);
    arena_release(&scratch);
    return finish(world, "lim_body_set_stiffness", result);
}

lim_result lim_body_set_stiffness(lim_world* world, lim_body id, const float* factor,
                                  int32_t node_count) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_stiffness(world, id, factor, node_count));
}

static lim_result zone_factors(lim_world* world, world_body* b, arena* scratch,
                               const lim_zone* zones, int32_t count) {
    const topology* t = b->body.topology;
    float* slot = ARENA_ARRAY(scratch, float, t->slot_count);
    LIM_TRY_MEMORY(slot);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        float own = t->stiffness != NULL ? t->stiffness[i] : 1.0f;
        slot[i] = t->slot_node[i] < 0
                      ? 1.0f
                      : zones_apply(zones, count, ZONE_STIFFNESS, topology_place(t, i), own);
    }
    return set_slots(world, b, slot);
}

static lim_result set_zones(lim_world* world, lim_body id, const lim_zone* zones, int32_t count) {
    world_body* b = world_body_of(world, "lim_body_set_zones", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    check c = check_begin(&world->host, "lim_body_set_zones");
    check_zones(&c, zones, count);
    for (int32_t i = 0; c.result == LIM_OK && i < count; ++i) {
        check_number(&c, "zones.density", (double)zones[i].density, 1.0, 1.0,
                     "1: the mass of a body does not change; set density in the model");
    }
    LIM_TRY(c.result);
    arena scratch;
    arena_init(&scratch, &world->host);
    lim_result result =
        count > 0 ? zone_factors(world, b, &scratch, zones, count) : set_slots(world, b, NULL);
    arena_release(&scratch);
    return finish(world, "lim_body_set_zones", result);
}

lim_result lim_body_set_zones(lim_world* world, lim_body id, const lim_zone* zones, int32_t count) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_zones(world, id, zones, count));
}

static lim_result get_stiffness(const lim_world* world, lim_body id, float* out, int32_t count) {
    const world_body* b = world_body_of(world, "lim_body_get_stiffness", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    const topology* t = b->body.topology;
    check c = check_begin(&world->host, "lim_body_get_stiffness");
    check_integer(&c, "node_count", count, t->node_count, t->node_count,
                  "as many as the model has nodes");
    LIM_TRY(c.result);
    for (int32_t i = 0; i < count; ++i) {
        out[i] = b->body.stiffness[t->node_slot[i]];
    }
    return LIM_OK;
}

lim_result lim_body_get_stiffness(const lim_world* world, lim_body id, float* out_factor,
                                  int32_t node_count) {
    if (!world_given(world, "lim_body_get_stiffness", "out_factor", out_factor)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(get_stiffness(world, id, out_factor, node_count));
}

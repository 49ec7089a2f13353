/* SPDX-License-Identifier: MIT
 * Job: fracture at the border and in the step. In: limits of bodies; their nodes as they are. Out:
 * bodies torn where links are over their limits, at most so many of them in a step. What breaks
 * depends on the state alone.
 */
#include "edit/tear.h"
#include "world/world.h"

#include <string.h>

enum { TEAR_MOST = 8 };

lim_fracture lim_fracture_default(void) {
    return (lim_fracture){.cookie = COOKIE_FRACTURE, .most = TEAR_MOST, .inner_submesh = -1};
}

lim_result world_fracture_copy(const lim_host* host, const lim_fracture* from, lim_fracture* out) {
    lim_zone* zones = NULL;
    if (from->zone_count > 0) {
        zones = mem_alloc(host, (size_t)from->zone_count, sizeof *zones);
        LIM_TRY_MEMORY(zones);
        memcpy(zones, from->zones, (size_t)from->zone_count * sizeof *zones);
    }
    *out = *from;
    out->zones = zones;
    return LIM_OK;
}

void world_fracture_free(const lim_host* host, lim_fracture* f) {
    mem_free(host, (lim_zone*)f->zones, (size_t)f->zone_count, sizeof *f->zones);
    *f = (lim_fracture){0};
}

/* ---- the border ---------------------------------------------------------------------------------
 */

static lim_result set_fracture(lim_world* world, lim_body id, const lim_fracture* fracture) {
    world_body* b;
    check c = world_editable(world, "lim_body_set_fracture", id, &b);
    LIM_TRY(c.result);
    lim_fracture own = {0};
    if (fracture != NULL) {
        check_cookie(&c, fracture->cookie, COOKIE_FRACTURE, "lim_fracture_default");
        check_fracture(&c, fracture, b->body.topology->submesh_count);
        LIM_TRY(c.result);
        if (world_fracture_copy(&world->host, fracture, &own) != LIM_OK) {
            return log_fail(&world->host, LIM_ERROR_MEMORY,
                            "lim_body_set_fracture: the host gave no memory; nothing was changed");
        }
    }
    world_fracture_free(&world->host, &b->fracture);
    b->fragile = fracture != NULL;
    b->fracture = own;
    return LIM_OK;
}

lim_result lim_body_set_fracture(lim_world* world, lim_body id, const lim_fracture* fracture) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_fracture(world, id, fracture));
}

bool lim_body_get_fracture(const lim_world* world, lim_body id, lim_fracture* out) {
    const world_body* b =
        world != NULL && out != NULL ? world_body_of(world, "lim_body_get_fracture", id) : NULL;
    if (out != NULL) {
        *out = b != NULL && b->fragile ? b->fracture : lim_fracture_default();
    }
    return b != NULL && b->fragile;
}

/* ---- the step -----------------------------------------------------------------------------------
 */

/* Links that have broken, and the middle of them. */
static void count_torn(world_body* w, const fracture_plan* breaks, const uint8_t* parted) {
    const body* b = &w->body;
    double metres = body_metres(b);
    lim_point sum = p3(0, 0, 0);
    for (int32_t k = 0; k < breaks->broken; ++k) {
        if (!parted[breaks->link_blade[k]]) {
            continue;
        }
        const component* c = &b->components[b->topology->slot_component[breaks->link[k][0]]];
        w->torn++;
        for (int end = 0; end < 2; ++end) {
            lim_point local = body_slot_local(b, breaks->link[k][end]);
            sum = p3_mad(sum, node_to_world(c, metres, local), 0.5);
        }
    }
    w->torn_at = w->torn > 0 ? p3_scale(sum, 1.0 / w->torn) : sum;
}

static lim_result tear(lim_world* world, int32_t index, arena* a) {
    world_body* w = world->bodies[index];
    const lim_fracture* f = &w->fracture;
    tear_limit limit = {f->strain, f->zones, f->zone_count};
    fracture_links links;
    fracture_plan breaks;
    uint64_t stroke = w->stroke.number + 1;
    LIM_TRY(tear_measure(a, &w->body, &limit, &links));
    LIM_TRY(fracture_plan_make(a, &links, f->most, stroke, &breaks));
    if (breaks.broken == 0) {
        return LIM_OK;
    }
    const topology* t = w->body.topology;
    tear_plan plan = {.breaks = &breaks,
                      .inner_submesh = f->inner_submesh >= 0 ? f->inner_submesh : t->own_submeshes,
                      .stroke = stroke,
                      .draw = true};
    edit_means with = {&world->host, world->set, world->pool, a};
    edit_made made;
    uint8_t* parted;
    LIM_TRY(edit_tear(&with, &w->body, &plan, &made, &parted));
    if (made.report.changed) {
        count_torn(w, &breaks, parted);
        lim_result result = world_body_take(world, index, &made, a);
        if (result != LIM_OK) {
            w->torn = 0;
            body_destroy(&made.body);
            return result;
        }
        stroke_free(&w->stroke, &world->host);
    }
    w->stroke.number = stroke; /* the next blades lie elsewhere, also when these found no cut */
    return LIM_OK;
}

void world_tear_update(lim_world* world) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        world_body* w = world->bodies[i];
        tear_limit limit = {w->fracture.strain, w->fracture.zones, w->fracture.zone_count};
        w->torn = 0;
        if (!w->fragile || limit.strain <= 0.0f || !body_moves(&w->body) ||
            !tear_is_near(&w->body, &limit)) {
            continue;
        }
        arena a;
        arena_init(&a, &world->host);
        lim_result result = tear(world, i, &a);
        arena_release(&a);
        if (result != LIM_OK) {
            log_say(&world->host, LIM_LOG_WARNING, "lim_world_step: body %d does not tear (%s)", i,
                    lim_result_name(result));
        }
    }
}

void world_tear_tell(lim_world* world) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        const world_body* w = world->bodies[i];
        if (w->torn > 0) {
            world->touches.events.data[world->touches.events.count++] =
                (lim_event){.kind = LIM_EVENT_TORN,
                            .body = {(uint32_t)i, world->body_slots.generation[i]},
                            .point = w->torn_at,
                            .count = w->torn};
        }
    }
}

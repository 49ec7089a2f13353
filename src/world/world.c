/* SPDX-License-Identifier: MIT
 * Job: make and end worlds, keep their tables, answer for gravity, wind and the report. In:
 * descriptors. Out: a lim_world, or an error and nothing.
 */
#include "world/world.h"

#include <string.h>

lim_world_desc lim_world_desc_default(void) {
    return (lim_world_desc){.cookie = COOKIE_WORLD,
                            .gravity = {0.0f, -9.81f, 0.0f},
                            .substeps = 4,
                            .workers = 1,
                            .fixed_dt = 1.0f / 60.0f,
                            .advance_limit = 4,
                            .sleep = true,
                            .load_time = 0.05f};
}

/* ---- tables -------------------------------------------------------------------------------- */

/* A larger copy of a table, or null. */
static void* table_grown(const lim_host* host, const void* old, int32_t count, int32_t capacity,
                         size_t size) {
    void* grown = mem_alloc(host, (size_t)capacity, size);
    if (grown != NULL && count > 0) {
        memcpy(grown, old, (size_t)count * size);
    }
    return grown;
}

/* Twice as many as before, at least 16, at least `needed`. */
static int32_t table_capacity(int32_t old, int32_t needed) {
    int64_t larger = old < 16 ? 16 : (int64_t)old * 2;
    larger = larger < needed ? needed : larger;
    return larger > INT32_MAX ? needed : (int32_t)larger;
}

bool world_reserve_bodies(lim_world* w, int32_t needed) {
    if (!slots_reserve(&w->body_slots, &w->host, needed)) {
        return false;
    }
    if (needed <= w->body_capacity) {
        return true;
    }
    int32_t old = w->body_capacity, capacity = table_capacity(old, needed);
    size_t n = (size_t)capacity;
    world_body** bodies = table_grown(&w->host, w->bodies, old, capacity, sizeof *bodies);
    body_step_times* times = mem_alloc(&w->host, n, sizeof *times);
    int32_t* queue = mem_alloc(&w->host, n, sizeof *queue);
    if (bodies == NULL || times == NULL || queue == NULL) {
        mem_free(&w->host, bodies, n, sizeof *bodies);
        mem_free(&w->host, times, n, sizeof *times);
        mem_free(&w->host, queue, n, sizeof *queue);
        return false;
    }
    mem_free(&w->host, w->bodies, (size_t)old, sizeof *bodies);
    mem_free(&w->host, w->times, (size_t)old, sizeof *times);
    mem_free(&w->host, w->queue, (size_t)old, sizeof *queue);
    w->bodies = bodies;
    w->times = times;
    w->queue = queue;
    w->body_capacity = capacity;
    return true;
}

bool world_reserve_colliders(lim_world* w, int32_t needed) {
    if (!slots_reserve(&w->collider_slots, &w->host, needed)) {
        return false;
    }
    if (needed <= w->collider_capacity) {
        return true;
    }
    int32_t old = w->collider_capacity, capacity = table_capacity(old, needed);
    size_t n = (size_t)capacity;
    world_collider* colliders =
        table_grown(&w->host, w->colliders, old, capacity, sizeof *colliders);
    collider* list = mem_alloc(&w->host, n, sizeof *list);
    contact_layers* layers = mem_alloc(&w->host, n, sizeof *layers);
    lim_collider* ids = table_grown(&w->host, w->collider_ids, old, capacity, sizeof *ids);
    if (colliders == NULL || list == NULL || layers == NULL || ids == NULL) {
        mem_free(&w->host, colliders, n, sizeof *colliders);
        mem_free(&w->host, list, n, sizeof *list);
        mem_free(&w->host, layers, n, sizeof *layers);
        mem_free(&w->host, ids, n, sizeof *ids);
        return false;
    }
    mem_free(&w->host, w->colliders, (size_t)old, sizeof *colliders);
    mem_free(&w->host, w->collider_list, (size_t)old, sizeof *list);
    mem_free(&w->host, w->collider_layers, (size_t)old, sizeof *layers);
    mem_free(&w->host, w->collider_ids, (size_t)old, sizeof *ids);
    w->colliders = colliders;
    w->collider_list = list;
    w->collider_layers = layers;
    w->collider_ids = ids;
    w->collider_capacity = capacity;
    return true;
}

/* Pins and grabs have the same table: the body of each. */
static bool reserve_owners(const lim_host* host, slots* s, int32_t** owners, int32_t* capacity,
                           int32_t needed) {
    if (!slots_reserve(s, host, needed)) {
        return false;
    }
    if (needed <= *capacity) {
        return true;
    }
    int32_t larger = table_capacity(*capacity, needed);
    int32_t* grown = table_grown(host, *owners, *capacity, larger, sizeof(int32_t));
    if (grown == NULL) {
        return false;
    }
    mem_free(host, *owners, (size_t)*capacity, sizeof(int32_t));
    *owners = grown;
    *capacity = larger;
    return true;
}

bool world_reserve_pins(lim_world* w, int32_t needed) {
    return reserve_owners(&w->host, &w->pin_slots, &w->pin_body, &w->pin_capacity, needed);
}

bool world_reserve_grabs(lim_world* w, int32_t needed) {
    return reserve_owners(&w->host, &w->grab_slots, &w->grab_body, &w->grab_capacity, needed);
}

bool world_reserve_links(lim_world* w, int32_t needed) {
    if (!slots_reserve(&w->link_slots, &w->host, needed)) {
        return false;
    }
    if (needed <= w->link_capacity) {
        return true;
    }
    int32_t old = w->link_capacity, capacity = table_capacity(old, needed);
    world_link* links = table_grown(&w->host, w->links, old, capacity, sizeof *links);
    if (links == NULL) {
        return false;
    }
    mem_free(&w->host, w->links, (size_t)old, sizeof *links);
    w->links = links;
    w->link_capacity = capacity;
    return true;
}

/* ---- making and ending ------------------------------------------------------------------------
 */

void world_identity_release(world_identity* identity, const lim_host* host) {
    if (identity != NULL && --identity->references == 0) {
        mem_free(host, identity, 1, sizeof *identity);
    }
}

lim_result world_make(const world_settings* settings, int32_t worker_count, const lim_host* host,
                      lim_world** out) {
    lim_host hooks = mem_host(host);
    lim_world* world = mem_alloc(&hooks, 1, sizeof *world);
    if (world == NULL) {
        return log_fail(&hooks, LIM_ERROR_MEMORY, "lim_world: the host gave no memory");
    }
    world->host = hooks;
    world->set = isa_best();
    world->settings = *settings;
    world->identity = mem_alloc(&hooks, 1, sizeof *world->identity);
    lim_result result = LIM_ERROR_MEMORY;
    if (world->identity != NULL) {
        world->identity->references = 1;
        result = workers_create(&world->host, worker_count, &world->pool);
    }
    if (result != LIM_OK) {
        world_identity_release(world->identity, &hooks);
        mem_free(&hooks, world, 1, sizeof *world);
        return log_fail(&hooks, result, "lim_world: the host gave no memory or no thread");
    }
    *out = world;
    return LIM_OK;
}

static lim_result create(const lim_world_desc* desc, const lim_host* host, lim_world** out) {
    check c = check_begin(host, "lim_world_create");
    check_cookie(&c, desc->cookie, COOKIE_WORLD, "lim_world_desc_default");
    check_vector(&c, "gravity", desc->gravity, 1e6, "metres per second squared, up to 1e6");
    check_integer(&c, "substeps", desc->substeps, 1, 64, "a number from 1 to 64");
    check_integer(&c, "workers", desc->workers, 1, 64, "a number from 1 to 64");
    check_number(&c, "fixed_dt", (double)desc->fixed_dt, 0.999e-6, 10.0, "seconds from 1e-6 to 10");
    check_integer(&c, "advance_limit", desc->advance_limit, 1, 1000000,
                  "a number of steps above 0");
    check_number(&c, "load_time", (double)desc->load_time, 0.0, 1e6, "seconds, 0 or more");
    check_number(&c, "impact", (double)desc->impact, 0.0, (double)CHECK_FORCE,
                 "newton second, or 0 for none");
    if (host != NULL && (host->alloc == NULL) != (host->free == NULL)) {
        check_fail(&c, LIM_ERROR_ARGUMENT, "the host has only one of alloc and free",
                   "set both or neither");
    }
    LIM_TRY(c.result);
    world_settings settings = {.gravity = desc->gravity,
                               .detail = lim_world_detail_default(),
                               .substeps = desc->substeps,
                               .fixed_dt = desc->fixed_dt,
                               .advance_limit = desc->advance_limit,
                               .sleep = desc->sleep,
                               .load_time = desc->load_time,
                               .impact = desc->impact,
                               .wind = {.gust_size = 1.0f}};
    return world_make(&settings, desc->workers, host, out);
}

lim_result lim_world_create(const lim_world_desc* desc, const lim_host* host,
                            lim_world** out_world) {
    if (out_world != NULL) {
        *out_world = NULL;
    }
    if (desc == NULL || out_world == NULL) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "lim_world_create: desc or out_world is null; give both");
    }
    WORLD_BORDER(create(desc, host, out_world));
}

void lim_world_destroy(lim_world* world) {
    if (world == NULL) {
        return;
    }
    lim_host host = world->host;
    for (int32_t i = 0; i < world->body_slots.count; ++i) {
        if (world->body_slots.used[i]) {
            world_body_free(&host, world->bodies[i]);
        }
    }
    for (int32_t i = 0; i < world->collider_slots.count; ++i) {
        if (world->collider_slots.used[i]) {
            asset_release(world->colliders[i].shape.asset);
        }
    }
    for (int32_t i = 0; i < world->link_slots.count; ++i) {
        if (world->link_slots.used[i]) {
            world_link_free(&host, &world->links[i]);
        }
    }
    size_t bodies = (size_t)world->body_capacity, colliders = (size_t)world->collider_capacity;
    world_meet_free(&world->meet, &host);
    world_touches_free(&world->touches, &host);
    mem_free(&host, world->bodies, bodies, sizeof *world->bodies);
    mem_free(&host, world->times, bodies, sizeof *world->times);
    mem_free(&host, world->queue, bodies, sizeof *world->queue);
    mem_free(&host, world->colliders, colliders, sizeof *world->colliders);
    mem_free(&host, world->collider_list, colliders, sizeof *world->collider_list);
    mem_free(&host, world->collider_layers, colliders, sizeof *world->collider_layers);
    mem_free(&host, world->collider_ids, colliders, sizeof *world->collider_ids);
    mem_free(&host, world->pin_body, (size_t)world->pin_capacity, sizeof(int32_t));
    mem_free(&host, world->grab_body, (size_t)world->grab_capacity, sizeof(int32_t));
    mem_free(&host, world->links, (size_t)world->link_capacity, sizeof *world->links);
    slots_free(&world->body_slots, &host);
    slots_free(&world->collider_slots, &host);
    slots_free(&world->pin_slots, &host);
    slots_free(&world->grab_slots, &host);
    slots_free(&world->link_slots, &host);
    workers_destroy(world->pool);
    world_identity_release(world->identity, &host);
    mem_free(&host, world, 1, sizeof *world);
}

/* ---- settings ---------------------------------------------------------------------------------
 */

void world_wake_all(lim_world* world) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        body_wake(&world->bodies[i]->body);
    }
}

static lim_result set_gravity(lim_world* world, lim_vec3 gravity) {
    check c = check_begin(&world->host, "lim_world_set_gravity");
    check_vector(&c, "gravity", gravity, 1e6, "metres per second squared, up to 1e6");
    LIM_TRY(c.result);
    world->settings.gravity = gravity;
    world_wake_all(world);
    return LIM_OK;
}

lim_result lim_world_set_gravity(lim_world* world, lim_vec3 gravity) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_gravity(world, gravity));
}

lim_vec3 lim_world_get_gravity(const lim_world* world) {
    return world != NULL ? world->settings.gravity : (lim_vec3){0};
}

static lim_result set_wind(lim_world* world, lim_wind wind) {
    check c = check_begin(&world->host, "lim_world_set_wind");
    check_wind(&c, &wind);
    LIM_TRY(c.result);
    world->settings.wind = wind;
    world_wake_all(world);
    return LIM_OK;
}

lim_wind lim_world_get_wind(const lim_world* world) {
    return world != NULL ? world->settings.wind : (lim_wind){0};
}

static lim_result set_range(lim_world* world, const lim_box* box) {
    if (box == NULL) {
        world->settings.ranged = false;
        world->settings.range = (lim_box){0};
        return LIM_OK;
    }
    check c = check_begin(&world->host, "lim_world_set_range");
    check_range(&c, box);
    LIM_TRY(c.result);
    world->settings.ranged = true;
    world->settings.range = *box;
    return LIM_OK;
}

lim_result lim_world_set_range(lim_world* world, const lim_box* box) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_range(world, box));
}

bool lim_world_get_range(const lim_world* world, lim_box* out) {
    bool ranged = world != NULL && world->settings.ranged;
    if (out != NULL) {
        *out = ranged ? world->settings.range : (lim_box){0};
    }
    return ranged;
}

lim_result lim_world_set_wind(lim_world* world, lim_wind wind) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_wind(world, wind));
}

lim_step_report lim_world_get_report(const lim_world* world) {
    if (world == NULL) {
        return (lim_step_report){0};
    }
    lim_step_report report = world->report;
    report.tick = world->settings.tick;
    report.time = world->settings.time;
    return report;
}

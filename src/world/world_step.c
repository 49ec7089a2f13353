/* SPDX-License-Identifier: MIT
 * Job: one step of the world. In: the world and dt. Out: every enabled body, every collider and the
 * clock moved on, a report. The stages, in order; world_step_once has them at the end of this file:
 *
 *   edit      bodies tear (tear_step.c), cells are split and joined (detail.c)
 *   wake      by colliders that move; bodies out of range rest
 *   prepare   pairs of bodies that are near each other, their contacts and links, islands of bodies
 *             that touch (meet.c); new rest shapes (body/embed.c); contacts with colliders
 *             (contact/contact_find.c); room for wind. The only stage that may fail: nothing has
 *             moved by then
 *   islands   each by itself (island.c); of one body where nothing touches:
 *     begin     substeps and gains, sums over components, wind on nodes (body_step_begin)
 *     substeps, of each (substep in island.c):
 *       push      wind, pressure, the solver with gravity and damping (body/solver.h), then what
 *                 limits nodes: pins, grabs, colliders (body/node_limits.h): velocities
 *                 (body_substep_push)
 *       hold      contacts and links between bodies, in passes with those of colliders: velocities
 *       drift     positions move with the velocities
 *       settle    what is left in each other is taken out: positions, of pairs, then of colliders
 *     end       loads of tools, frames, fits (body_step_end)
 *     pieces    of a body that was cut: what is left in each other there
 *     clear     what a hard impact has left deep in another body
 *     publish   finite or restored, how quiet, what the skin is made of and, where somebody
 *               is going to ask, the skin (body_step_publish); all sleep or none
 *   bounce    what restitution gives back (bounce.c)
 *   tell      who touches whom, events, what tools feel (touches.c, loads.c), which nodes are
 *             touched (detail_touch.c), weights of trained detail (trained.c)
 *   clock     colliders move on, time, the report
 *
 * Small islands are stepped side by side, one task each, large ones one after the other, each split
 * over the workers: the bits are the same either way.
 */
#include "base/timer.h"
#include "world/bounce.h"
#include "world/island.h"

/* ---- waking -----------------------------------------------------------------------------------
 */

bool world_body_near(world_body* b, const collider* c, double dt) {
    /* The ball around the body's box, a tenth larger, against the collider's distance field; the
     * collider's surface moves at most as fast as its velocity plus spin times reach. */
    lim_box box = body_box(&b->body);
    lim_point middle = p3_scale(p3_add(box.lower, box.upper), 0.5);
    double radius = 0.55 * p3_length(p3_sub(box.upper, box.lower));
    lim_vec3 normal;
    double distance = collider_distance(c, middle, &normal);
    double reach = p3_length(p3_sub(middle, c->position)) + radius;
    double speed = (double)v3_length(c->velocity) + (double)v3_length(c->angular_velocity) * reach;
    return !(distance > radius + speed * dt);
}

void world_wake_near(lim_world* world, const world_collider* c) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        if (contact_layers_meet(world->bodies[i]->body.layers, c->layers) &&
            world_body_near(world->bodies[i], &c->shape, 0.0)) {
            body_wake(&world->bodies[i]->body);
        }
    }
}

static bool collider_moves(const collider* c) {
    return v3_dot(c->velocity, c->velocity) > 0.0f ||
           v3_dot(c->angular_velocity, c->angular_velocity) > 0.0f;
}

/* ---- stages -----------------------------------------------------------------------------------
 */

/* The colliders in use, in order of index, as one array. */
static int32_t gather_colliders(lim_world* world) {
    int32_t count = 0;
    for (int32_t i = slots_next(&world->collider_slots, 0); i >= 0;
         i = slots_next(&world->collider_slots, (int64_t)i + 1)) {
        world->collider_ids[count] =
            (lim_collider){(uint32_t)i, world->collider_slots.generation[i]};
        world->collider_layers[count] = world->colliders[i].layers;
        world->collider_list[count++] = world->colliders[i].shape;
    }
    return count;
}

/* Who is out of range rests in this step. */
static void pause_far(lim_world* world) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        body* b = &world->bodies[i]->body;
        b->paused = world->settings.ranged && body_is_outside(b, &world->settings.range);
    }
}

static bool collider_comes(const lim_world* world, world_body* b, int32_t collider_count,
                           double dt) {
    bool comes = false;
    for (int32_t k = 0; k < collider_count && !comes; ++k) {
        const collider* c = &world->collider_list[k];
        comes = collider_moves(c) &&
                contact_layers_meet(b->body.layers, world->collider_layers[k]) &&
                world_body_near(b, c, dt);
    }
    return comes;
}

/* Wakes sleeping bodies that a moving collider comes near to in this step, and those that fell
 * asleep in steps of another length. */
static void wake_for_step(lim_world* world, int32_t collider_count, double dt) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        world_body* b = world->bodies[i];
        b->woken = false;
        if (b->body.asleep && !b->body.paused &&
            (body_is_roused(&b->body, dt) || collider_comes(world, b, collider_count, dt))) {
            b->woken = true;
            b->woken_quiet = b->body.quiet_time;
            body_wake(&b->body);
        }
    }
}

/* A step that fails has changed nothing: who was woken for it sleeps again. */
static void undo_waking(lim_world* world) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        world_body* b = world->bodies[i];
        if (b->woken) {
            b->body.asleep = true;
            b->body.quiet_time = b->woken_quiet;
        }
    }
}

typedef struct step_tasks {
    lim_world* world;
    const body_step_input* in;
} step_tasks;

/* The bodies that move, of any size. */
static int32_t queue_moving(lim_world* world) {
    int32_t count = 0;
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        if (body_moves(&world->bodies[i]->body)) {
            world->queue[count++] = i;
        }
    }
    return count;
}

static void find_task(void* context, int32_t task) {
    const step_tasks* tasks = context;
    lim_world* world = tasks->world;
    body_find_contacts(&world->bodies[world->queue[task]]->body, tasks->in);
}

/* Bodies that have flowed far get new rest shapes, one after the other, each split over the
 * workers; they take effect when nothing can fail any more. */
static lim_result plan_embeddings(lim_world* world, int32_t count) {
    for (int32_t k = 0; k < count; ++k) {
        LIM_TRY(embedding_plan(&world->bodies[world->queue[k]]->body, world->set, world->pool));
    }
    return LIM_OK;
}

static void commit_embeddings(lim_world* world, int32_t count) {
    for (int32_t k = 0; k < count; ++k) {
        body* b = &world->bodies[world->queue[k]]->body;
        bool first = b->embedding == NULL;
        if (embedding_commit(b) && first) {
            log_say(&world->host, LIM_LOG_INFO,
                    "lim_world_step: body %d has flowed so far that its rest shape was built anew",
                    world->queue[k]);
        }
    }
}

static void drop_embeddings(lim_world* world, int32_t count) {
    for (int32_t k = 0; k < count; ++k) {
        embedding_drop(&world->bodies[world->queue[k]]->body);
    }
}

/* Contacts of bodies with colliders. Bodies are searched side by
 * side; memory is taken between searches, by the calling thread alone, and who had too little of it
 * is searched again. */
static lim_result find_contacts(lim_world* world, const body_step_input* in, int32_t count) {
    step_tasks tasks = {world, in};
    for (int32_t k = 0; k < count; ++k) {
        LIM_TRY(body_reserve_contacts(&world->bodies[world->queue[k]]->body));
    }
    workers_run(world->pool, count, find_task, &tasks);
    for (int32_t k = 0; k < count; ++k) {
        body* b = &world->bodies[world->queue[k]]->body;
        if (b->contacts_found > b->contacts.items.count) {
            LIM_TRY(body_reserve_contacts(b));
            find_task(&tasks, k);
        }
        LIM_TRY(body_reserve_lifters(b));
    }
    return LIM_OK;
}

static lim_result reserve_wind(lim_world* world, const body_step_input* in, int32_t count) {
    for (int32_t k = 0; k < count && in->wind != NULL; ++k) {
        LIM_TRY(body_reserve_wind(&world->bodies[world->queue[k]]->body));
    }
    return LIM_OK;
}

/* For skins between two steps. */
static lim_result reserve_before(lim_world* world, int32_t count) {
    for (int32_t k = 0; k < count && world->blends; ++k) {
        LIM_TRY(body_reserve_before(&world->bodies[world->queue[k]]->body));
    }
    return LIM_OK;
}

static lim_result prepare(lim_world* world, const body_step_input* in) {
    lim_result result = world_meet_find(world, in); /* may wake bodies */
    int32_t count = queue_moving(world);
    result = result == LIM_OK ? plan_embeddings(world, count) : result;
    result = result == LIM_OK ? find_contacts(world, in, count) : result;
    result = result == LIM_OK ? reserve_wind(world, in, count) : result;
    result = result == LIM_OK ? reserve_before(world, count) : result;
    result = result == LIM_OK ? world_touches_reserve(world) : result;
    if (result == LIM_OK) {
        commit_embeddings(world, count);
    } else {
        drop_embeddings(world, count);
        undo_waking(world);
        log_fail(&world->host, result, "lim_world_step: no memory for this step; nothing moved");
    }
    return result;
}

static void begin_bodies(lim_world* world) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        world_body* b = world->bodies[i];
        b->limit_was_said = b->body.limit_said;
        b->moved = body_moves(&b->body);
        world->times[i] = (body_step_times){0};
    }
}

static void end_bodies(lim_world* world) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        world_body* b = world->bodies[i];
        b->stepped = true;
        b->show_between = false;
    }
}

/* Islands from this many nodes on are split over the workers, one after the other. */
enum { ISLAND_LARGE = 4096 };

static void island_task(void* context, int32_t task) {
    const step_tasks* tasks = context;
    world_island* island = &tasks->world->meet.islands.data[task];
    if (island->nodes < ISLAND_LARGE) {
        world_island_step(tasks->world, island, *tasks->in);
    }
}

static void step_islands(lim_world* world, body_step_input in) {
    world_meet* m = &world->meet;
    body_step_input alone = in;
    alone.pool = NULL;
    step_tasks tasks = {world, &alone};
    workers_run(world->pool, m->islands.count, island_task, &tasks);
    for (int32_t i = 0; i < m->islands.count; ++i) {
        if (m->islands.data[i].nodes >= ISLAND_LARGE) {
            world_island_step(world, &m->islands.data[i], in);
        }
    }
}

static void move_colliders(lim_world* world, double dt) {
    for (int32_t i = slots_next(&world->collider_slots, 0); i >= 0;
         i = slots_next(&world->collider_slots, (int64_t)i + 1)) {
        collider* c = &world->colliders[i].shape;
        if (collider_moves(c)) {
            *c = collider_at(c, dt);
        }
    }
}

void world_body_say_restored(const lim_world* world, int32_t index) {
    body* b = &world->bodies[index]->body;
    if (b->restored_untold) {
        b->restored_untold = false;
        log_say(&world->host, LIM_LOG_WARNING,
                "body %d turned non-finite, went back to its last finite state and is frozen; "
                "lim_body_reset or lim_body_wake lets it move again",
                index);
    }
}

/* What bodies have to say, in order of index, from the calling thread. */
static void say(const lim_world* world, int32_t index) {
    const world_body* b = world->bodies[index];
    world_body_say_restored(world, index);
    if (b->body.limit_said && !b->limit_was_said) {
        log_say(
            &world->host, LIM_LOG_WARNING,
            "lim_world_step: body %d got a modulus of %.3g Pa of the %.3g asked for: that needs "
            "%d substeps, not %d; use a smaller step, larger cells, a larger region_width or a "
            "softer material",
            index, (double)b->body.gains.young_got, (double)b->body.material.young,
            b->body.substeps_needed, b->body.substeps);
    }
}

static void write_report(lim_world* world, double total, double contact_find) {
    lim_step_report r = {.total = total, .contact_find = contact_find};
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        const body* b = &world->bodies[i]->body;
        const body_step_times* t = &world->times[i];
        bool awake = body_moves(b);
        r.frames += t->frames;
        r.contact_find += t->contact_find;
        r.sums += t->match.sums;
        r.regions += t->match.regions;
        r.goals += t->match.goals;
        r.integrate += t->integrate;
        r.contact_solve += t->contact_solve;
        r.tools += t->tools;
        r.solve += t->solve;
        r.skin += t->skin;
        r.bodies++;
        r.bodies_awake += awake;
        r.nodes += b->topology->node_count;
        r.nodes_awake += awake ? b->topology->node_count : 0;
        r.contacts += t->contacts;
        r.substeps_most = awake && b->substeps > r.substeps_most ? b->substeps : r.substeps_most;
        r.bodies_restored += t->restored;
        r.solve_iterations += t->iterations;
        r.solves_cut_short += t->cut_short;
        say(world, i);
    }
    for (int32_t i = 0; i < world->meet.islands.count; ++i) {
        r.contact_solve += world->meet.islands.data[i].solve_time;
    }
    r.body_contacts = world->meet.contacts;
    world->report = r;
}

/* ---- the step ---------------------------------------------------------------------------------
 */

lim_result world_step_once(lim_world* world, double dt, bool first) {
    double start = timer_now(&world->host);
    /* edit */
    pause_far(world); /* who rests has other wishes */
    world_tear_update(world);
    world_detail_update(world);
    int32_t collider_count = gather_colliders(world);
    body_step_input in = {.gravity = world->settings.gravity,
                          .wind =
                              world->settings.wind.density > 0.0f ? &world->settings.wind : NULL,
                          .time = world->settings.time,
                          .colliders = world->collider_list,
                          .collider_layers = world->collider_layers,
                          .collider_count = collider_count,
                          .dt = dt,
                          .substeps = world->settings.substeps,
                          .set = world->set,
                          .pool = world->pool};
    /* wake */
    pause_far(world); /* as they are now */
    wake_for_step(world, collider_count, dt);
    /* prepare */
    LIM_TRY(prepare(world, &in));
    double prepared = timer_now(&world->host);
    /* islands, bounce */
    begin_bodies(world);
    world_detail_touch_begin(world, dt);
    world_bounce_begin(world);
    step_islands(world, in);
    world_bounce_end(world, dt);
    end_bodies(world);
    /* tell */
    if (first) {
        world_events_begin(world);
    }
    world_touches_update(world, dt);
    world_detail_touch_end(world);
    world_tear_tell(world);
    world_loads_update(world, dt);
    world_trained_update(world, dt);
    /* clock */
    move_colliders(world, dt);
    world->settings.time += dt;
    world->settings.tick++;
    write_report(world, timer_now(&world->host) - start, prepared - start);
    return LIM_OK;
}

static lim_result step(lim_world* world, float dt) {
    check c = check_begin(&world->host, "lim_world_step");
    check_number(&c, "dt", (double)dt, 1e-6f, 10.0, "seconds from 1e-6 to 10");
    LIM_TRY(c.result);
    return world_step_once(world, (double)dt, true);
}

lim_result lim_world_step(lim_world* world, float dt) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(step(world, dt));
}

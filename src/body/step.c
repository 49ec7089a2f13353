/* SPDX-License-Identifier: MIT
 * Job: move one body by one step. In: its state and what the world tells it. Out: new state and a
 * published skin. The stages of one body; world/world_step.c has the list of the whole step.
 */
#include "base/timer.h"
#include "body/solver.h"
#include "contact/contact_kernel.h"
#include "math/trig.h"

#include <string.h>

enum { CLEAR_ROUNDS = 8 }; /* tries to leave colliders after a step */
#define SLEEP_TIME  0.5f   /* seconds below the sleep speed */
#define SLEEP_STEPS 8     /* and at least so many steps: at the end of one it may just turn round */
#define SLEEP_SPEED 0.003 /* of sqrt(g size) */
/* Where a body rests depends on its substeps where they are too long for its material: it gives way
 * as if it were softer. In steps more than so many times longer or shorter it is not at rest. */
#define STEP_RATIO 2.0
/* Where bodies lie on each other, which points decide changes from step to step, and they tremble;
 * so does what lies on a collider and is about as stiff as its substeps bear. In sleeping
 * speeds: how fast they may be and yet fall asleep; how slow they must be to be braked, and the
 * time in which that fades. */
#define LEAN_SPEEDS 2.0
#define CALM_SPEEDS 4.0
#define CALM_TIME   0.1
/* How much of a point of the surface the nodes have that its contacts act on: of a lattice that was
 * cut, and where they are limits of the solve. */
#define CARRIED_CUT    0.8f
#define CARRIED_WITHIN 0.97f
#define MOST_REACH     1e6           /* times its size: a body so wide, or ... */
#define MOST_SPEED     1e16          /* ... in sizes per second so fast, has flown apart */
#define FIRST_SUBSTEP  (1.0 / 240.0) /* what gains are for before the first step */

int32_t body_own_substeps(body* b, const body_step_input* in) {
    double asked = in->dt / in->substeps;
    if (b->gains_stale || b->share_stale || b->own_h < asked || b->own_h > asked) {
        int32_t most = in->substeps > MATCH_SUBSTEPS ? in->substeps : MATCH_SUBSTEPS;
        int32_t n = in->substeps;
        while (n < most && !solver_of(b)->enough(b, in->dt / n)) {
            n++;
        }
        b->own_substeps = n;
        b->own_h = asked;
    }
    return b->own_substeps;
}

/* Substeps and gains for this step; work only when the step or the material has changed. */
static void refresh_gains(body* b, const body_step_input* in) {
    int32_t n = body_own_substeps(b, in);
    n = n < in->substeps_least ? in->substeps_least : n;
    if (!b->gains_stale && !b->share_stale && b->asked_h == in->dt / n) {
        return;
    }
    b->substeps = n;
    /* E_max grows with n^2; the mean share tells how many would do. */
    double share = solver_of(b)->share(b, in->dt / n);
    double needed = share < MATCH_ENOUGH ? (double)n * sqrt(1.0 / share) : (double)n;
    b->share = share;
    /* alpha = E h^2 / (rho sigma^2): steps longer by sqrt(most) leave what an alpha of 1 gives. */
    match_material material = body_match_material(b);
    double longer = sqrt(match_most_alpha(&material));
    b->near_limit = solver_of(b)->share(b, longer * in->dt / n) < MATCH_ENOUGH;
    b->substeps_needed = needed < 1e6 ? (int32_t)(needed + 0.999) : 1000000;
    b->asked_h = b->gains_h = in->dt / n;
    if (b->gains_stale || b->gains.h < b->gains_h || b->gains.h > b->gains_h) {
        solver_of(b)->refresh(b, in->set, in->pool);
    }
    b->gains_stale = b->share_stale = false;
    b->limit_said = b->limit_said || share < MATCH_ENOUGH;
}

static body_substep substep_of(const body* b, const body_step_input* in, int32_t k,
                               body_step_times* times) {
    return (body_substep){.in = in,
                          .begin = (double)k / b->substeps,
                          .end = (double)(k + 1) / b->substeps,
                          .h = b->gains_h,
                          .last = k + 1 == b->substeps,
                          .times = times};
}

void body_substep_push(body* b, const body_step_input* in, int32_t k, body_step_times* times) {
    if (!body_moves(b)) {
        return;
    }
    body_substep s = substep_of(b, in, k, times);
    double t0 = timer_now(&b->host);
    body_grabs_begin(b, s.begin);
    body_wind_apply(b);
    body_pressure_apply(b, s.h);
    body_limits_hold(b, &s);
    times->tools += timer_now(&b->host) - t0;
    solver_of(b)->push(b, &s);
    body_limits_apply(b, &s);
}

void body_substep_hold(body* b) {
    if (body_moves(b) && b->contacts.items.count > 0) {
        node_state nodes = body_nodes(b);
        contact_hold_velocity(&b->contacts, &nodes, b->gains_h);
    }
}

/* Matching sums about where a component was at the step's begin. Where it travels by many times its
 * size in a step, squares of the way leave no digits for its inertia: there the centre goes along.
 */
#define TRAVELS_FAR 2.0 /* spans, about its size, in a substep */
static void follow_travel(body* b) {
    const topology* t = b->topology;
    for (int32_t n = 0; n < t->component_count; ++n) {
        component* c = b->components + n;
        lim_point sum = p3(0, 0, 0);
        if (!(p3_length(p3_add(c->velocity, c->own_velocity)) * b->gains_h >
              TRAVELS_FAR * c->span)) {
            continue;
        }
        for (int32_t i = c->begin; i < c->end; ++i) {
            lim_point d = p3((double)b->d[0][i], (double)b->d[1][i], (double)b->d[2][i]);
            sum = p3_mad(sum, d, (double)t->mass[i]);
        }
        lim_point centre = p3_mad(c->rest_centre, sum, 1.0 / c->mass);
        c->centre = p3_finite(centre) ? centre : c->centre;
    }
}

void body_substep_drift(body* b, const body_step_input* in, int32_t k, body_step_times* times) {
    if (!body_moves(b)) {
        return;
    }
    body_substep s = substep_of(b, in, k, times);
    double t0 = timer_now(&b->host);
    solver_of(b)->drift(b, &s);
    follow_travel(b);
    times->integrate += timer_now(&b->host) - t0;
}

void body_substep_settle(body* b, const body_step_input* in, int32_t k, body_step_times* times) {
    if (!body_moves(b)) {
        return;
    }
    node_state nodes = body_nodes(b);
    double t0 = timer_now(&b->host);
    contact_solve_position(&b->contacts, &b->topology->touch, &nodes, body_metres(b), in->colliders,
                           (double)(k + 1) / b->substeps * in->dt);
    contact_grip_settle(&b->contacts, (float)b->gains_h);
    times->contact_solve += timer_now(&b->host) - t0;
}

/* Fits of the positions as they are after a step move the surface that contacts have just left
 * where it belongs. What that leaves inside a collider is taken out again.
 */
static void clear_after_fit(body* b, node_state* nodes, const body_step_input* in) {
    const bindings* touch = &b->topology->touch;
    double scale = body_metres(b);
    float deepest = HUGE_VALF;
    for (int round = 0; round < CLEAR_ROUNDS && b->contacts.items.count > 0; ++round) {
        bool some = b->contacts.hard;
        bool left = contact_left(&b->contacts, touch, nodes, scale, in->colliders, in->dt, &some);
        if (left) {
            contact_solve_position(&b->contacts, touch, nodes, scale, in->colliders, in->dt);
        }
        bool cleared = deepest > 0.0f && (left || some) &&
                       contact_clear(&b->contacts, touch, nodes, scale, in->colliders, in->dt,
                                     in->set, &deepest);
        if (!left && !cleared) {
            break;
        }
        node_component_sums(nodes, b->block_sums, in->set, in->pool);
        solver_of(b)->affine(b, in->set, in->pool);
    }
}

/* To the last finite state, or back. */
static void copy_state(body* b, bool back) {
    const topology* t = b->topology;
#define COPY_STATE(array, type, count)                                                             \
    memcpy(back ? b->array : b->good_##array, back ? b->good_##array : b->array,                   \
           (size_t)(count) * sizeof(type));
    BODY_STATE(COPY_STATE)
    if (b->plastic) {
        BODY_PLASTIC_STATE(COPY_STATE)
    }
    if (b->moved[0] != NULL) {
        BODY_HISTORY_STATE(COPY_STATE)
    }
#undef COPY_STATE
    *(back ? &b->history_h : &b->good_history_h) = back ? b->good_history_h : b->history_h;
    memcpy(back ? b->components : b->good_components, back ? b->good_components : b->components,
           (size_t)t->component_count * sizeof(component));
}

/* Below the far end of floats by so much that no call between two steps leads there: what a step
 * lets pass, a load lets pass too, whatever the body was told in between. */
static bool is_sane(const component* c) {
    double spread = 0.5 * (c->inertia[0] + c->inertia[1] + c->inertia[2]); /* sum m r^2 */
    return !(spread > MOST_REACH * MOST_REACH * c->mass) &&
           !(c->kinetic > 0.5 * MOST_SPEED * MOST_SPEED * c->mass);
}

static bool is_finite(const body* b) {
    const topology* t = b->topology;
    bool finite = true;
    for (int32_t c = 0; c < t->component_count; ++c) {
        const component* at = b->components + c;
        finite = finite && at->finite && p3_finite(at->origin) && p3_finite(at->left_impulse) &&
                 p3_finite(at->left_turning);
    }
    for (int k = 0; k < 6 && b->plastic; ++k) {
        for (int32_t r = 0; r < t->regions.padded; ++r) {
            finite = finite && isfinite(b->strain[k][r]);
        }
    }
    return finite;
}

/* What a body felt and did in a step that is not to have been. */
static void forget_step(body* b) {
    b->contacts.items.count = 0;
    for (int32_t c = 0; c < b->topology->component_count; ++c) {
        b->bounces[c] = (body_bounce){0};
    }
    for (int32_t i = 0; i < b->pins.count; ++i) {
        b->pins.data[i].force = b->pins.data[i].torque = v3(0, 0, 0);
    }
    body_grabs_forget(b);
}

/* After a step, whether any of its components has flown apart. */
static bool are_sane(const body* b) {
    bool sane = true;
    for (int32_t c = 0; c < b->topology->component_count; ++c) {
        sane = sane && is_sane(b->components + c);
    }
    return sane;
}

/* Keeps the state if it is good; else goes back to the last that was, or to rest, and freezes. */
static bool keep_if(body* b, bool good) {
    const topology* t = b->topology;
    if (good) {
        copy_state(b, false);
        b->has_good = true;
        return true;
    }
    if (b->has_good) {
        copy_state(b, true);
    } else {
        body_reset(b);
    }
    forget_step(b);
    for (int k = 0; k < 3; ++k) {
        memset(b->v[k], 0, (size_t)t->slot_count * sizeof(float));
    }
    b->frozen = true;
    b->history_h = 0.0f;
    b->sums_valid = false;
    b->restored_untold = true;
    return false;
}

static void calm(body* b, double dt) {
    float keep = (float)(1.0 / (1.0 + dt / CALM_TIME));
    for (int k = 0; k < 3; ++k) {
        for (int32_t i = 0; i < b->topology->slot_count; ++i) {
            b->v[k][i] *= keep;
        }
    }
    b->history_h = 0.0f;
    b->sums_valid = false;
}

static bool may_tremble(const body* b, const body_step_input* in) {
    bool touched = false;
    for (int32_t c = 0; c < b->topology->component_count; ++c) {
        touched = touched || b->components[c].touched;
    }
    return in->leans || (touched && b->near_limit);
}

static void measure_quiet(body* b, const body_step_input* in) {
    const topology* t = b->topology;
    bool trembles = may_tremble(b, in);
    double kinetic = 0.0, mass = 0.0, scale = body_metres(b);
    for (int32_t c = 0; c < t->component_count; ++c) {
        kinetic += b->components[c].kinetic;
        mass += b->components[c].mass;
    }
    double speed = sqrt(2.0 * kinetic / mass) * scale;
    double gravity = p3_length(p3_of(in->gravity)) * fabs((double)b->gravity_scale);
    double size = 2.0 * (double)t->extent * scale;
    double limit = SLEEP_SPEED * sqrt((gravity > 0.1 ? gravity : 0.1) * size);
    double most = (trembles ? LEAN_SPEEDS : 1.0) * limit;
    bool quiet = speed < most && b->grabs.count == 0;
    /* a tremble takes back what it lasts; anything more, all */
    float most_told = SLEEP_TIME / SLEEP_STEPS, dt = (float)in->dt;
    float told = dt < most_told ? dt : most_told;
    if (!(b->quiet_time > 0.0f) || body_is_roused(b, in->dt)) {
        b->quiet_time = 0.0f;
        b->quiet_step = dt;
    }
    float left = trembles && speed < 2.0 * most ? b->quiet_time - told : 0.0f;
    b->quiet_time = quiet ? b->quiet_time + told : (left > 0.0f ? left : 0.0f);
    if (trembles && speed < CALM_SPEEDS * limit && b->grabs.count == 0) {
        calm(b, in->dt);
    }
}

bool body_is_tired(const body* b) {
    return b->quiet_time >= SLEEP_TIME;
}

bool body_is_roused(const body* b, double dt) {
    double was = (double)b->quiet_step;
    return dt > STEP_RATIO * was || dt * STEP_RATIO < was;
}

void body_sleep(body* b) {
    b->asleep = true;
    b->gripped = false;
    b->history_h = 0.0f;
    for (int k = 0; k < 3; ++k) {
        memset(b->v[k], 0, (size_t)b->topology->slot_count * sizeof(float));
    }
    b->sums_valid = false;
}

static double fastest(const body* b, isa set) {
    float square = contact_kernels_for(set)->longest(b->v, 0, b->topology->slot_count);
    return sqrt((double)square) * body_metres(b);
}

bool body_moves(const body* b) {
    return b->enabled && !b->asleep && !b->frozen && !b->paused;
}

lim_result body_reserve_contacts(body* b) {
    node_state nodes = body_nodes(b);
    b->contacts.corners = b->topology->kind->nodes == LIM_NODES_AT_CORNERS;
    b->contacts.points = b->topology->kind->nodes == LIM_NODES_ARE_POINTS;
    bool cut = b->contacts.corners && b->topology->source_count > 0;
    b->contacts.carried = solver_of(b)->within ? CARRIED_WITHIN : cut ? CARRIED_CUT : 0.0f;
    LIM_TRY(
        contact_reserve(&b->contacts, &b->host, &b->topology->touch, &nodes, b->contacts_found));
    return solver_of(b)->reserve(b);
}

void body_find_contacts(body* b, const body_step_input* in) {
    node_state nodes = body_nodes(b);
    double fall = p3_length(p3_of(in->gravity)) * fabs((double)b->gravity_scale) * in->dt;
    b->contacts.fall = fall;
    b->contacts.layers = b->layers;
    b->contacts.collider_layers = in->collider_layers;
    b->contacts_found =
        contact_search(&b->contacts, &b->topology->touch, &nodes, body_metres(b), in->colliders,
                       in->collider_count, in->dt, fastest(b, in->set) + fall, in->set);
}

void body_step_begin(body* b, const body_step_input* in, body_step_times* times) {
    if (!body_moves(b)) {
        return;
    }
    const lim_host* host = &b->host;
    double t0 = timer_now(host);
    body_keep_before(b);
    b->embed_wait -= b->embed_wait > 0;
    node_state nodes = body_nodes(b);
    refresh_gains(b, in);
    if (!b->sums_valid) {
        node_component_sums(&nodes, b->block_sums, in->set, in->pool);
    }
    for (int32_t c = 0; c < b->topology->component_count; ++c) {
        b->components[c].touched = false; /* nothing of a step before may matter: it is no state */
    }
    if (b->gripped) {
        contact_grip_begin(&b->contacts, b->spare, b->usual);
    }
    body_wind_begin(b, in);
    times->frames += timer_now(host) - t0;
    times->contacts += b->contacts.items.count;
    body_pins_begin(b);
}

void body_step_end(body* b, const body_step_input* in, body_step_times* times) {
    if (!body_moves(b)) {
        return;
    }
    const lim_host* host = &b->host;
    node_state nodes = body_nodes(b);
    body_pins_finish(b, in->dt);
    body_grabs_finish(b, in->dt);
    double scale = body_metres(b), unit_mass = (double)b->material.density * scale * scale * scale;
    if (b->gripped || b->contacts.items.count > 0) {
        b->gripped = contact_grip_end(&b->contacts, b->spare, b->usual, b->topology->slot_count);
    }
    contact_finish(&b->contacts, &nodes, scale, unit_mass, in->colliders, in->dt);

    double t0 = timer_now(host);
    node_component_sums(&nodes, b->block_sums, in->set, in->pool);
    b->sums_valid = true;
    float* const q[4] = {b->q[0], b->q[1], b->q[2], b->q[3]};
    bool turned = node_reframe(&nodes, body_metres(b), q, b->topology->region_component,
                               b->topology->regions.padded);
    if (turned) {
        node_component_sums(&nodes, b->block_sums, in->set, in->pool);
    }
    /* The affine parts turn with the frame; those of fits are of the positions as they are now, so
     * that loading finds the same. */
    bool anew = turned || b->gains.goal_kind != MATCH_RIGID || match_fits(&b->gains);
    if (anew) {
        solver_of(b)->affine(b, in->set, in->pool);
    }
    if (anew || !contact_is_out(&b->contacts)) {
        clear_after_fit(b, &nodes, in);
    }
    times->frames += timer_now(host) - t0;
}

void body_step_moved(body* b, const body_step_input* in) {
    node_state nodes = body_nodes(b);
    node_component_sums(&nodes, b->block_sums, in->set, in->pool);
    solver_of(b)->affine(b, in->set, in->pool);
    clear_after_fit(b, &nodes, in);
}

void body_step_publish(body* b, const body_step_input* in, body_step_times* times) {
    if (!body_moves(b)) {
        return;
    }
    const lim_host* host = &b->host;
    double t1 = timer_now(host);
    times->restored = !keep_if(b, is_finite(b) && are_sane(b));
    if (times->restored) {
        solver_of(b)->affine(b, in->set, in->pool);
    } else {
        measure_quiet(b, in);
    }
    double t2 = timer_now(host);
    body_publish_step(b, in);
    times->frames += t2 - t1;
    times->skin += timer_now(host) - t2;
}

void body_refresh(body* b, isa set, workers* pool) {
    if (b->gains_h <= 0.0) {
        b->gains_h = FIRST_SUBSTEP;
    }
    solver_of(b)->refresh(b, set, pool);
    body_refresh_shape(b, set, pool);
}

void body_refresh_affine(body* b, isa set, workers* pool) {
    body_skin_settle(b, set, pool);
    node_state nodes = body_nodes(b);
    node_component_sums(&nodes, b->block_sums, set, pool);
    solver_of(b)->affine(b, set, pool);
    body_complete_affine(b, set, pool);
}

void body_refresh_shape(body* b, isa set, workers* pool) {
    node_state nodes = body_nodes(b);
    node_component_sums(&nodes, b->block_sums, set, pool);
    solver_of(b)->affine(b, set, pool);
    keep_if(b, is_finite(b));
    b->sums_valid = false;
    b->contacts.items.count = b->meeting.list.items.count = 0;
    body_publish_set(b, set, pool);
}

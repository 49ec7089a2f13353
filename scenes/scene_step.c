/* SPDX-License-Identifier: MIT
 *
 * Stepping a scene: applies the timed actions and moves the world on by one dt. An action waits, is
 * active from the first step that begins at or after its time, and is over when its last moment has
 * passed. Motions ease in and out (3 s^2 - 2 s^3) and are given to the world for the end of the
 * step, so that what is moved arrives on time.
 */
#include "scene_motion.h"
#include "scene_run_inside.h"

#include <string.h>

/* Times within a tenth of a microsecond count as equal: dt is seldom a binary fraction. */
#define TIME_SLACK 1e-7

typedef struct body_range {
    int32_t begin, end;
} body_range;

static body_range targets(const scene_run* run, const scene_action* a) {
    body_range r = {run->first_body[a->target], run->first_body[a->target + 1]};
    if (a->copy >= 0) {
        r.begin += a->copy;
        r.end = r.begin + 1;
    }
    return r;
}

double run_ease(const scene_action* a, double time) {
    double s = a->move_time > 0.0 ? (time - a->at) / a->move_time : 1.0;
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    return s * s * (3.0 - 2.0 * s);
}

lim_point run_between(lim_point a, lim_point b, double share) {
    return p3_add(p3_scale(a, 1.0 - share), p3_scale(b, share));
}

/* The shorter way, normalised; exact at both ends, smooth between. */
static dquat turn_between(lim_quat a, lim_quat b, double s) {
    dquat p = dquat_of(a), q = dquat_of(b);
    double side = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0.0 ? -s : s;
    return dquat_unit((dquat){p.x * (1.0 - s) + q.x * side, p.y * (1.0 - s) + q.y * side,
                              p.z * (1.0 - s) + q.z * side, p.w * (1.0 - s) + q.w * side});
}

/* Angular velocity that turns a into b in one step: 2 (b a*) / dt for small angles. */
static lim_vec3 spin_between(dquat a, dquat b, double dt) {
    dquat d = dquat_mul(b, dquat_conjugate(a));
    double s = (d.w < 0.0 ? -2.0 : 2.0) / dt;
    return v3((float)(d.x * s), (float)(d.y * s), (float)(d.z * s));
}

static lim_result move_pin(scene_run* run, int32_t target, lim_point position, lim_quat rotation) {
    run_pin* pin = &run->pin[target];
    pin->position = position;
    pin->rotation = rotation;
    for (int32_t i = 0; i < pin->count; ++i) {
        LIM_TRY(lim_pin_move(run->world, run->pin_id[pin->first + i], position, rotation));
    }
    return LIM_OK;
}

static lim_result begin_grab(scene_run* run, const scene_action* a, run_action* state) {
    body_range r = targets(run, a);
    state->from = a->point;
    for (int32_t i = r.begin; i < r.end; ++i) {
        lim_grab_desc desc = lim_grab_desc_default();
        desc.body = run->body[i].body;
        desc.point = a->point;
        desc.radius = a->radius;
        desc.stiffness = a->stiffness;
        desc.force_limit = a->force_limit;
        desc.hard = a->hard;
        lim_grab* grab = &run->grab[state->first_grab + i - r.begin];
        LIM_TRY(lim_grab_create(run->world, &desc, grab));
        if (i == r.begin) {
            /* the pull begins where the surface is, which may be a little off the point */
            LIM_TRY(lim_grab_get_point(run->world, *grab, &state->from));
        }
    }
    return LIM_OK;
}

static lim_result begin(scene_run* run, const scene_action* a, run_action* state) {
    lim_world* w = run->world;
    switch (a->type) {
    case SCENE_CUT:
        return LIM_OK;
    case SCENE_SPLIT:
        return run_split(run, (int32_t)(a - run->source->desc.actions));
    case SCENE_REFINE:
    case SCENE_COARSEN:
        return run_refine(run, (int32_t)(a - run->source->desc.actions));
    case SCENE_GRAB:
        return begin_grab(run, a, state);
    case SCENE_GRAVITY:
        state->old_gravity = lim_world_get_gravity(w);
        return lim_world_set_gravity(w, a->vector);
    case SCENE_WIND:
        state->old_wind = run->wind;
        run->wind = a->wind;
        return lim_world_set_wind(w, a->wind);
    case SCENE_MOVE_COLLIDER: {
        lim_collider_desc now;
        LIM_TRY(lim_collider_get(w, run->collider[a->target], &now));
        state->from = now.position;
        state->from_rotation = now.orientation;
        return LIM_OK;
    }
    case SCENE_MOVE_PIN:
        state->from = run->pin[a->target].position;
        state->from_rotation = run->pin[a->target].rotation;
        return LIM_OK;
    case SCENE_RELEASE_PIN: {
        run_pin* pin = &run->pin[a->target];
        for (int32_t i = 0; i < pin->count; ++i) {
            LIM_TRY(lim_pin_destroy(w, run->pin_id[pin->first + i]));
        }
        pin->count = 0;
        return LIM_OK;
    }
    default:
        break;
    }
    body_range r = targets(run, a);
    for (int32_t i = r.begin; i < r.end; ++i) {
        lim_body body = run->body[i].body;
        if (a->type == SCENE_IMPULSE) {
            LIM_TRY(lim_body_apply_impulse(w, body, a->point, a->vector));
        } else if (a->type == SCENE_VELOCITY) {
            LIM_TRY(lim_body_set_velocity(w, body, a->vector, a->angular_velocity));
        } else if (a->type == SCENE_RESET) {
            LIM_TRY(lim_body_reset(w, body));
        }
    }
    return LIM_OK;
}

/* What moves, for the step from `time` to `time` + dt. */
static lim_result go_on(scene_run* run, const scene_action* a, run_action* state, double time) {
    double dt = run->source->desc.dt;
    if (a->type == SCENE_CUT) {
        return run_cut(run, (int32_t)(a - run->source->desc.actions), time + dt, false);
    }
    double s0 = run_ease(a, time), s1 = run_ease(a, time + dt);
    lim_point to = a->has_to ? a->to : state->from;
    lim_point p0 = run_between(state->from, to, s0), p1 = run_between(state->from, to, s1);
    if (a->type == SCENE_GRAB) {
        body_range r = targets(run, a);
        for (int32_t i = 0; i < r.end - r.begin; ++i) {
            LIM_TRY(lim_grab_move(run->world, run->grab[state->first_grab + i], p1));
        }
        return LIM_OK;
    }
    lim_quat turn = a->has_rotation ? a->rotation : state->from_rotation;
    dquat q0 = turn_between(state->from_rotation, turn, s0);
    dquat q1 = turn_between(state->from_rotation, turn, s1);
    if (a->type == SCENE_MOVE_COLLIDER) {
        lim_vec3 velocity = v3_of(p3_scale(p3_sub(p1, p0), 1.0 / dt));
        return lim_collider_move(run->world, run->collider[a->target], p0, quat_of(q0), velocity,
                                 spin_between(q0, q1, dt));
    }
    if (a->type == SCENE_MOVE_PIN) {
        return move_pin(run, a->target, p1, quat_of(q1));
    }
    return LIM_OK;
}

static lim_result end(scene_run* run, const scene_action* a, run_action* state) {
    switch (a->type) {
    case SCENE_GRAB: {
        body_range r = targets(run, a);
        for (int32_t i = 0; i < r.end - r.begin; ++i) {
            LIM_TRY(lim_grab_destroy(run->world, run->grab[state->first_grab + i]));
        }
        return LIM_OK;
    }
    case SCENE_GRAVITY:
        return a->until >= 0.0 ? lim_world_set_gravity(run->world, state->old_gravity) : LIM_OK;
    case SCENE_WIND:
        if (a->until >= 0.0) {
            run->wind = state->old_wind;
            return lim_world_set_wind(run->world, run->wind);
        }
        return LIM_OK;
    case SCENE_MOVE_COLLIDER: {
        lim_point to = a->has_to ? a->to : state->from;
        lim_quat turn = a->has_rotation ? a->rotation : state->from_rotation;
        return lim_collider_move(run->world, run->collider[a->target], to, turn, v3(0, 0, 0),
                                 v3(0, 0, 0));
    }
    case SCENE_CUT:
        return run_cut(run, (int32_t)(a - run->source->desc.actions), INFINITY, true);
    case SCENE_MOVE_PIN:
        return move_pin(run, a->target, a->has_to ? a->to : state->from,
                        a->has_rotation ? a->rotation : state->from_rotation);
    default:
        return LIM_OK;
    }
}

/* When an active action is over. Grabs are held to their end; what has no length ends at once; a
 * change without an end is over as soon as it is made. */
static double end_time(const scene_action* a) {
    switch (a->type) {
    case SCENE_GRAB:
    case SCENE_GRAVITY:
    case SCENE_WIND:
        return a->until >= 0.0 ? a->until : a->type == SCENE_GRAB ? INFINITY : a->at;
    case SCENE_MOVE_COLLIDER:
    case SCENE_MOVE_PIN:
    case SCENE_CUT:
        return a->at + a->move_time;
    default:
        return a->at;
    }
}

static lim_result apply(scene_run* run, const scene_action* a, run_action* state, double time) {
    if (state->state == RUN_WAITING && time + TIME_SLACK >= a->at) {
        LIM_TRY(begin(run, a, state));
        state->state = RUN_ACTIVE;
    }
    if (state->state != RUN_ACTIVE) {
        return LIM_OK;
    }
    if (time + TIME_SLACK >= end_time(a)) {
        state->state = RUN_OVER;
        return end(run, a, state);
    }
    return go_on(run, a, state, time);
}

/* Pins with a motion or a parent go to where they are at the end of the step: their own pose first,
 * then what their parent has done since the start. */
static lim_result drive_pins(scene_run* run, double time) {
    const scene_desc* d = &run->source->desc;
    for (int32_t i = 0; i < d->pin_count; ++i) {
        const scene_pin* p = &d->pins[i];
        if (!scene_pin_is_driven(p)) {
            continue;
        }
        motion_pose own = motion_at(&p->motion, time);
        lim_point at = motion_place(&own, p->position);
        dquat turn = motion_turn(&own, dquat_of(p->rotation));
        if (p->parent > 0) {
            const scene_pin* q = &d->pins[p->parent - 1];
            const run_pin* now = &run->pin[p->parent - 1];
            dquat since =
                dquat_mul(dquat_of(now->rotation), dquat_conjugate(dquat_of(q->rotation)));
            motion_pose carried = {q->position, p3_sub(now->position, q->position),
                                   dquat_unit(since)};
            at = motion_place(&carried, at);
            turn = motion_turn(&carried, turn);
        }
        /* Moving wakes: what stands still may sleep. */
        lim_quat to = quat_of(turn);
        if (memcmp(&at, &run->pin[i].position, sizeof at) != 0 ||
            memcmp(&to, &run->pin[i].rotation, sizeof to) != 0) {
            LIM_TRY(move_pin(run, i, at, to));
        }
    }
    return LIM_OK;
}

lim_result scene_step(scene_run* run, lim_io_message* out_message) {
    if (run == NULL) {
        return scene_fail(out_message, LIM_ERROR_ARGUMENT, "scene_step: run is null");
    }
    const scene_desc* d = &run->source->desc;
    double time = (double)run->steps * d->dt;
    for (int32_t i = 0; i < d->action_count; ++i) {
        const scene_action* a = &d->actions[i];
        run_forget(run);
        lim_result result = apply(run, a, &run->action[i], time);
        if (result != LIM_OK) {
            scene_fail(out_message, result, "action %d at %g s failed: %s", i + 1, a->at,
                       run_why(run, result));
            return run_placed(run, a->line, a->column, result, out_message);
        }
    }
    run_forget(run);
    lim_result result = drive_pins(run, time + d->dt);
    if (result == LIM_OK && run->has_detail) {
        result = run_look(run, time);
    }
    if (result == LIM_OK) {
        result = lim_world_step(run->world, (float)d->dt);
    }
    if (result != LIM_OK) {
        return scene_fail(out_message, result, "step %lld failed: %s", (long long)run->steps + 1,
                          run_why(run, result));
    }
    run->steps++;
    return LIM_OK;
}

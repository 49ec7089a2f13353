/* SPDX-License-Identifier: MIT
 * Job: move a world on by any frame time in steps of one size, and show the skins between the last
 * two steps at the exact time. In: frame seconds. Out: steps taken, interpolated skins: position
 * and normal blended by the share of a step that is left over, when somebody asks. The steps are
 * those of lim_world_step: nothing that moves depends on frame times.
 */
#include "world/world.h"

/* ---- skins between two steps ------------------------------------------------------------------
 */

static bool make_between(const lim_host* host, world_body* b) {
    size_t n = (size_t)b->body.topology->vertex_count;
    bool tangents = b->body.skin[0].tangents != NULL;
    for (int i = 0; i < 2; ++i) {
        world_skin* s = &b->between[i];
        s->positions = s->positions != NULL ? s->positions : mem_alloc(host, 3 * n, sizeof(float));
        s->normals = s->normals != NULL ? s->normals : mem_alloc(host, 3 * n, sizeof(float));
        if (tangents && s->tangents == NULL) {
            s->tangents = mem_alloc(host, 4 * n, sizeof(float));
        }
        if (s->positions == NULL || s->normals == NULL || (tangents && s->tangents == NULL)) {
            return false; /* what is there is kept for the next call and freed with the body */
        }
    }
    return true;
}

/* to = from + share (last - from), unit; `width` 3, or 4 with the handedness of the last. */
static void blend_directions(const float* from, const float* last, float share, int32_t count,
                             int32_t width, float* to) {
    for (int32_t i = 0; i < count; ++i) {
        const float *a = from + (size_t)width * (size_t)i, *b = last + (size_t)width * (size_t)i;
        float* out = to + (size_t)width * (size_t)i;
        lim_vec3 n = v3(a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]),
                        a[2] + share * (b[2] - a[2]));
        n = v3_unit(n, v3(b[0], b[1], b[2]));
        out[0] = n.x;
        out[1] = n.y;
        out[2] = n.z;
        if (width == 4) {
            out[3] = b[3];
        }
    }
}

static world_shown shown_now(const lim_world* world, world_body* b) {
    return world_trained_show(world, b, body_skin_now(&b->body, world->set, world->pool), true);
}

static void write_between(const lim_world* world, world_body* b, world_skin* to) {
    world_shown last = shown_now(world, b);
    world_shown from =
        world_trained_show(world, b, body_skin_before(&b->body, world->set, world->pool), false);
    int32_t count = b->body.topology->vertex_count;
    /* Both in coordinates relative to the last origin; the shift is small, so float is enough. */
    lim_vec3 shift = v3_of(p3_sub(from.origin, last.origin));
    const float s[3] = {shift.x, shift.y, shift.z};
    float w = (float)b->between_share;
    for (int32_t i = 0; i < 3 * count; ++i) {
        float a = from.positions[i] + s[i % 3];
        to->positions[i] = a + w * (last.positions[i] - a);
    }
    blend_directions(from.normals, last.normals, w, count, 3, to->normals);
    if (to->tangents != NULL) {
        blend_directions(from.tangents, last.tangents, w, count, 4, to->tangents);
    }
    to->origin = last.origin;
    to->made = true;
}

world_shown world_body_shown(const lim_world* world, world_body* b) {
    if (b->show_between) {
        world_skin* s = &b->between[b->between_front];
        if (!s->made) {
            write_between(world, b, s);
        }
        return (world_shown){s->positions, s->normals, s->tangents, s->origin};
    }
    return shown_now(world, b);
}

static void show_between(world_body* b, double share) {
    b->between_front = 1 - b->between_front;
    b->between[b->between_front].made = false;
    b->between_share = share;
    b->show_between = true;
}

/* ---- advance ----------------------------------------------------------------------------------
 */

static lim_result advance(lim_world* world, float frame_dt, int32_t* out_steps) {
    check c = check_begin(&world->host, "lim_world_advance");
    check_number(&c, "frame_dt", (double)frame_dt, 0.0, 1e6, "seconds, 0 or more");
    LIM_TRY(c.result);
    world->blends = true;
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        if (!make_between(&world->host, world->bodies[i])) {
            return log_fail(&world->host, LIM_ERROR_MEMORY,
                            "lim_world_advance: no memory for interpolated skins; nothing moved");
        }
    }
    double dt = (double)world->settings.fixed_dt;
    double before = world->settings.accumulator;
    double left = before + (double)frame_dt;
    int32_t steps = 0;
    while (left >= dt && steps < world->settings.advance_limit) {
        lim_result result = world_step_once(world, dt, steps == 0);
        if (result != LIM_OK && steps == 0) {
            return result;
        }
        if (result != LIM_OK) {
            break; /* what was stepped counts; the time that is left is tried again next time */
        }
        left -= dt;
        ++steps;
    }
    if (steps == world->settings.advance_limit && left >= dt) {
        left -= dt * floor(left / dt); /* the host cannot keep up: drop whole steps of time */
        left = left >= 0.0 && left < dt ? left : 0.0;
    }
    /* After steps without memory there may be more than the next call can make up for. */
    double most = dt * world->settings.advance_limit;
    left = left < most ? left : most;
    world->settings.accumulator = left;
    world->touches.events.count = steps > 0 ? world->touches.events.count : 0;
    double share = left / dt;
    share = share < 1.0 ? share : 1.0;
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        world_body* b = world->bodies[i];
        /* A step that has changed a body's cells has given up its skins. Without new ones, and
         * where nobody has asked for the skin before a first step, it is shown as of the last. */
        if (b->moved && body_has_before(&b->body) && make_between(&world->host, b)) {
            show_between(b, share);
        }
    }
    if (out_steps != NULL) {
        *out_steps = steps;
    }
    return LIM_OK;
}

lim_result lim_world_advance(lim_world* world, float frame_dt, int32_t* out_steps) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(advance(world, frame_dt, out_steps));
}

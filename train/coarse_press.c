/* SPDX-License-Identifier: MIT
 * Job: one pose of the coarse scene. In: the world at rest, a pose. Out: the world at rest with the
 * tool in place.
 */
#include "train/coarse_press.h"

/* Seconds for coming and for going along. */
#define WAY_TIME 0.5
/* From how far the tool comes, and below which speed (per second) a body rests, as shares of the
 * body's extent. */
#define CLEAR      0.05
#define REST_SPEED 1e-3
enum { LOOKS = 10 }; /* steps between two looks at the speed */

/* How far the tool's lowest point along its own y axis lies below its position. */
static double tool_foot(const collider* c) {
    switch (c->shape) {
    case LIM_SHAPE_CAPSULE:
        return (double)c->size.x + (double)c->size.y;
    case LIM_SHAPE_BOX:
        return (double)c->size.y;
    case LIM_SHAPE_HULL:
    case LIM_SHAPE_MESH:
        return -c->asset->lower.y;
    default:
        return (double)c->size.x;
    }
}

/* The least rotation that takes y to a unit vector. */
static lim_quat upright(lim_vec3 axis) {
    if (axis.y < -0.999999f) {
        return (lim_quat){1, 0, 0, 0};
    }
    dquat q = {(double)axis.z, 0.0, -(double)axis.x, 1.0 + (double)axis.y};
    return quat_of(dquat_unit(q));
}

typedef struct pressing {
    const press_start* start;
    lim_world* world;
    lim_quat turn;
} pressing;

static lim_result place(const pressing* p, lim_point at, lim_vec3 speed) {
    return lim_collider_move(p->world, p->start->tool, at, p->turn, speed, (lim_vec3){0, 0, 0});
}

static lim_result steps(const pressing* p, int count) {
    for (int i = 0; i < count; ++i) {
        LIM_TRY(lim_world_step(p->world, (float)p->start->dt));
    }
    return LIM_OK;
}

/* From one place to another at even speed. */
static lim_result go(const pressing* p, lim_point from, lim_point to) {
    int count = (int)(WAY_TIME / p->start->dt + 0.5);
    count = count > 1 ? count : 1;
    LIM_TRY(place(p, from, v3_of(p3_scale(p3_sub(to, from), 1.0 / (count * p->start->dt)))));
    LIM_TRY(steps(p, count));
    return place(p, to, (lim_vec3){0, 0, 0});
}

static double speed_of(const body* b) {
    float most = 0.0f;
    for (int k = 0; k < 3; ++k) {
        for (int32_t i = 0; i < b->topology->slot_count; ++i) {
            most = fabsf(b->v[k][i]) > most ? fabsf(b->v[k][i]) : most;
        }
    }
    return (double)most;
}

static lim_result wait_for_rest(const pressing* p, const body* b, bool* out_rests) {
    double limit = REST_SPEED * (double)b->topology->extent;
    int quiet = 0;
    for (double time = 0.0; time < p->start->settle && quiet < 2; time += LOOKS * p->start->dt) {
        LIM_TRY(steps(p, LOOKS));
        quiet = b->asleep || speed_of(b) < limit ? quiet + 1 : 0;
    }
    *out_rests = quiet >= 2;
    return LIM_OK;
}

static lim_result press(pressing* p, const tool_pose* pose, coarse_press* out) {
    const body* b = &p->world->bodies[p->start->body.index]->body;
    double size = (double)b->topology->extent * body_metres(b);
    double foot = tool_foot(&p->world->colliders[p->start->tool.index].shape);
    lim_point axis = p3_of(pose->axis);
    lim_point far = p3_mad(pose->point, axis, foot + CLEAR * size);
    lim_point deep = p3_mad(pose->point, axis, foot - (double)pose->depth);
    p->turn = upright(pose->axis);
    LIM_TRY(go(p, far, deep));
    if (v3_dot(pose->drag, pose->drag) > 0.0f) {
        LIM_TRY(go(p, deep, p3_add(deep, p3_of(pose->drag))));
    }
    return wait_for_rest(p, b, &out->rests);
}

lim_result coarse_press_run(const press_start* start, const tool_pose* pose, const lim_host* host,
                            coarse_press* out) {
    pressing p = {.start = start};
    LIM_TRY(lim_world_load(start->bytes, start->size, 1, host, &p.world));
    out->world = p.world;
    lim_result result = press(&p, pose, out);
    if (result != LIM_OK) {
        lim_world_destroy(p.world);
        out->world = NULL;
    }
    return result;
}

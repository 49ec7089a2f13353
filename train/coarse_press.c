/* SPDX-License-Identifier: MIT
 * Job: one pose of the coarse scene. In: the world at rest, a pose. Out: the world at rest with the
 * tool in place.
 */
#include "train/coarse_press.h"

/* Seconds for coming and for going along. */
#define WAY_TIME 0.5
/* From how far the tool comes, as a share of the body's extent. */
#define CLEAR 0.05
/* A body rests when no node goes farther than this share of the pose's depth between two looks. */
#define REST_WAY 0.01
enum { LOOKS = 10 }; /* steps between two looks */

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

/* The largest way of a node since the last look, metres. Velocities would not do: a contact that is
 * put back in each substep has one and goes nowhere. */
static lim_result look(const pressing* p, double* place, int32_t nodes, double* out_way) {
    double most = 0.0;
    for (int32_t i = 0; i < 3 * nodes; ++i) {
        place[3 * nodes + i] = place[i];
    }
    LIM_TRY(lim_body_get_nodes(p->world, p->start->body, place, NULL, nodes));
    for (int32_t i = 0; i < nodes; ++i) {
        const double *a = place + 3 * i, *b = place + 3 * (nodes + i);
        lim_point way = p3_sub(p3(a[0], a[1], a[2]), p3(b[0], b[1], b[2]));
        most = fmax(most, p3_length(way));
    }
    *out_way = most;
    return LIM_OK;
}

static lim_result wait_for_rest(const pressing* p, const body* b, double limit, arena* scratch,
                                bool* out_rests) {
    double span = (double)LOOKS * p->start->dt, way;
    int32_t nodes = b->topology->node_count, quiet = 0;
    double* place = ARENA_ARRAY(scratch, double, 6 * (int64_t)nodes);
    LIM_TRY_MEMORY(place);
    LIM_TRY(look(p, place, nodes, &way));
    for (double time = 0.0; time < p->start->settle && quiet < 2; time += span) {
        LIM_TRY(steps(p, LOOKS));
        LIM_TRY(look(p, place, nodes, &way));
        quiet = b->asleep || way < limit ? quiet + 1 : 0;
    }
    *out_rests = quiet >= 2;
    return LIM_OK;
}

static lim_result press(pressing* p, const tool_pose* pose, arena* scratch, coarse_press* out) {
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
    return wait_for_rest(p, b, REST_WAY * (double)pose->depth, scratch, &out->rests);
}

lim_result coarse_press_run(const press_start* start, const tool_pose* pose, arena* scratch,
                            const lim_host* host, coarse_press* out) {
    pressing p = {.start = start};
    LIM_TRY(lim_world_load(start->bytes, start->size, 1, host, &p.world));
    out->world = p.world;
    lim_result result = press(&p, pose, scratch, out);
    if (result != LIM_OK) {
        lim_world_destroy(p.world);
        out->world = NULL;
    }
    return result;
}

/* SPDX-License-Identifier: MIT
 * Job: the motion of a whole body, and its nodes, in world coordinates. In: node state in component
 * frames. Out: sums in double: mass, centre, momentum, energy, mean orientation; or the other way,
 * a rigid velocity field or given nodes put into the state.
 *
 * World values of a node: x = origin + s R (x0 + d), velocity = s R v, mass = density s^3 m,
 * with s metres per unit.
 */
#include "body/solver.h"
#include "math/eigen.h"
#include "world/surface_closed.h"
#include "world/world.h"

/* ---- one node ---------------------------------------------------------------------------------
 */

static lim_point rest_of(const topology* t, int32_t slot) {
    return p3((double)t->x0[0][slot], (double)t->x0[1][slot], (double)t->x0[2][slot]);
}

static lim_point place_of(const body* b, int32_t slot) {
    const topology* t = b->topology;
    lim_point d = p3((double)b->d[0][slot], (double)b->d[1][slot], (double)b->d[2][slot]);
    const component* c = &b->components[t->slot_component[slot]];
    return node_to_world(c, body_metres(b), p3_add(rest_of(t, slot), d));
}

static lim_point velocity_of(const body* b, int32_t slot) {
    lim_point v = p3((double)b->v[0][slot], (double)b->v[1][slot], (double)b->v[2][slot]);
    const component* c = &b->components[b->topology->slot_component[slot]];
    return p3_scale(dquat_rotate(c->rotation, v), body_metres(b));
}

/* ---- mean pose --------------------------------------------------------------------------------
 */

world_pose world_body_pose(const world_body* wb) {
    const body* b = &wb->body;
    const topology* t = b->topology;
    double s = body_metres(b), mass = 0.0;
    /* Places relative to the first frame, so that 10 km away costs no digits. */
    lim_point near = b->components[0].origin, centre = p3(0, 0, 0), rest_centre = p3(0, 0, 0);
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        double m = (double)t->mass[slot];
        mass += m;
        centre = p3_mad(centre, p3_sub(place_of(b, slot), near), m);
        rest_centre = p3_mad(rest_centre, rest_of(t, slot), m);
    }
    double inverse = mass > 0.0 ? 1.0 / mass : 0.0;
    centre = p3_scale(centre, inverse);
    rest_centre = p3_scale(rest_centre, inverse);
    /* A = sum m (x - c)(x0 - c0)^T; the nearest rotation to it is the mean orientation. */
    dmat3 a = {{0}};
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        double m = (double)t->mass[slot];
        lim_point x = p3_scale(p3_sub(p3_sub(place_of(b, slot), near), centre), m);
        lim_point y = p3_sub(rest_of(t, slot), rest_centre);
        const double row[3] = {x.x, x.y, x.z}, column[3] = {y.x, y.y, y.z};
        for (int k = 0; k < 9; ++k) {
            a.m[k] += row[k / 3] * column[k % 3];
        }
    }
    /* One node, or all nodes in a line, leave the rotation open: the frame's own decides. */
    dmat3 frame = dquat_matrix(b->components[0].rotation);
    double size = 0.0;
    for (int k = 0; k < 9; ++k) {
        size += fabs(a.m[k]);
    }
    double least = 1e-6 * (size + 1e-30 * s);
    for (int k = 0; k < 9; ++k) {
        a.m[k] += least * frame.m[k];
    }
    dmat3 rotation = nearest_rotation(&a);
    return (world_pose){.mass = (double)b->material.density * s * s * s * mass,
                        .centre = p3_add(near, centre),
                        .rest_centre = rest_centre,
                        .orientation = dquat_of_matrix(&rotation)};
}

/* ---- motion -----------------------------------------------------------------------------------
 */

static double elastic_energy(const body* b) {
    if (!(b->gains_h > 0.0) || b->gains_stale) {
        return 0.0; /* not stepped yet, or another material since */
    }
    body view = *b; /* solvers want a body that they may write to; the energy only reads */
    return solver_of(b)->energy(&view);
}

/* Volume of the nodes by the determinants of their gradients, cubic metres. */
static double node_volume(const body* b) {
    const topology* t = b->topology;
    double sum = 0.0, s = body_metres(b);
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        dmat3 f = body_gradient(b, slot);
        lim_point x = p3(f.m[0], f.m[1], f.m[2]), y = p3(f.m[3], f.m[4], f.m[5]);
        lim_point z = p3(f.m[6], f.m[7], f.m[8]);
        sum += (double)t->volume[slot] * p3_dot(x, p3_cross(y, z));
    }
    return sum * s * s * s;
}

static void motion_of(const lim_world* world, world_body* wb, lim_body_motion* out) {
    body* b = &wb->body;
    const topology* t = b->topology;
    double s = body_metres(b), density = (double)b->material.density * s * s * s;
    world_pose pose = world_body_pose(wb);
    lim_point gravity = p3_scale(p3_of(world->settings.gravity), (double)b->gravity_scale);
    lim_point momentum = p3(0, 0, 0), turning = p3(0, 0, 0);
    double kinetic = 0.0, farthest = 0.0, fastest = 0.0;
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        double m = density * (double)t->mass[slot];
        lim_point arm = p3_sub(place_of(b, slot), pose.centre), v = velocity_of(b, slot);
        momentum = p3_mad(momentum, v, m);
        turning = p3_mad(turning, p3_cross(arm, v), m);
        kinetic += 0.5 * m * p3_dot(v, v);
        double speed = p3_length(v);
        fastest = speed > fastest ? speed : fastest;
        /* How far the node is from the best rigid pose; the body's longest side is s. */
        lim_point rest = p3_sub(rest_of(t, slot), pose.rest_centre);
        lim_point rigid = p3_scale(dquat_rotate(pose.orientation, rest), s);
        double away = p3_length(p3_sub(arm, rigid)) / s;
        farthest = away > farthest ? away : farthest;
    }
    const body_skin* skin = body_skin_now(b, world->set, world->pool);
    *out = (lim_body_motion){
        .mass = pose.mass,
        .volume = wb->closed ? surface_volume(t, skin->positions) : node_volume(b),
        .centre = pose.centre,
        .orientation = quat_of(pose.orientation),
        .momentum = {momentum.x, momentum.y, momentum.z},
        .angular_momentum = {turning.x, turning.y, turning.z},
        .kinetic = kinetic,
        .potential = -pose.mass * p3_dot(gravity, pose.centre),
        .elastic = elastic_energy(b) * density * s * s,
        .strain = farthest,
        .speed = fastest,
        .bounds = {p3_add(skin->origin, p3_of(skin->lower)),
                   p3_add(skin->origin, p3_of(skin->upper))},
        .asleep = b->asleep,
        .frozen = b->frozen,
    };
}

lim_result lim_body_get_motion(const lim_world* world, lim_body id, lim_body_motion* out) {
    if (!world_given(world, "lim_body_get_motion", "out", out)) {
        return LIM_ERROR_ARGUMENT;
    }
    world_body* b = world_body_of(world, "lim_body_get_motion", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    fpenv env = fpenv_enter();
    motion_of(world, b, out);
    fpenv_leave(env);
    return LIM_OK;
}

/* Velocity of the centre of mass, and the spin of a rigid body with this angular momentum. */
static void mean_motion(const body* b, const world_pose* pose, lim_vec3* out_velocity,
                        lim_vec3* out_spin) {
    const topology* t = b->topology;
    lim_point momentum = p3(0, 0, 0), turning = p3(0, 0, 0);
    double mass = 0.0, xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        double m = (double)t->mass[slot];
        lim_point r = p3_sub(place_of(b, slot), pose->centre), v = velocity_of(b, slot);
        mass += m;
        momentum = p3_mad(momentum, v, m);
        turning = p3_mad(turning, p3_cross(r, v), m);
        xx += m * r.x * r.x, yy += m * r.y * r.y, zz += m * r.z * r.z;
        xy += m * r.x * r.y, xz += m * r.x * r.z, yz += m * r.y * r.z;
    }
    const double inertia[6] = {yy + zz, xx + zz, xx + yy, -xy, -xz, -yz};
    *out_velocity = v3_of(p3_scale(momentum, mass > 0.0 ? 1.0 / mass : 0.0));
    *out_spin = xx + yy + zz > 0.0 ? v3_of(sym3_solve(inertia, turning, NODE_THIN)) : v3(0, 0, 0);
}

static lim_result get(const lim_world* world, lim_body id, lim_body_desc* out) {
    const world_body* wb = world_body_of(world, "lim_body_get", id);
    if (wb == NULL) {
        return LIM_ERROR_ID;
    }
    const body* b = &wb->body;
    world_pose pose = world_body_pose(wb);
    *out = (lim_body_desc){.cookie = COOKIE_BODY,
                           .position = pose.centre,
                           .orientation = quat_of(pose.orientation),
                           .scale = (float)b->scale,
                           .material = b->material,
                           .gravity_scale = b->gravity_scale,
                           .enabled = b->enabled,
                           .layer = b->layers.layer,
                           .mask = b->layers.mask,
                           .self_contact = b->self_contact,
                           .user = b->user};
    mean_motion(b, &pose, &out->velocity, &out->angular_velocity);
    return LIM_OK;
}

lim_result lim_body_get(const lim_world* world, lim_body id, lim_body_desc* out) {
    if (!world_given(world, "lim_body_get", "out", out)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(get(world, id, out));
}

/* ---- setting ----------------------------------------------------------------------------------
 */

static void put_velocity(body* b, int32_t slot, lim_point velocity) {
    const component* c = &b->components[b->topology->slot_component[slot]];
    lim_point v = dquat_rotate(dquat_conjugate(c->rotation), velocity);
    lim_vec3 unit = v3_of(p3_scale(v, 1.0 / body_metres(b)));
    b->v[0][slot] = unit.x;
    b->v[1][slot] = unit.y;
    b->v[2][slot] = unit.z;
}

static lim_result get_nodes(const lim_world* world, lim_body id, double* positions,
                            float* velocities, int32_t node_count) {
    const world_body* wb = world_body_of(world, "lim_body_get_nodes", id);
    if (wb == NULL) {
        return LIM_ERROR_ID;
    }
    const body* b = &wb->body;
    int32_t count = b->topology->node_count;
    check c = check_begin(&world->host, "lim_body_get_nodes");
    check_integer(&c, "node_count", node_count, count, count, "the node count of the model");
    LIM_TRY(c.result);
    for (int32_t i = 0; i < count; ++i) {
        int32_t slot = b->topology->node_slot[i];
        if (positions != NULL) {
            lim_point x = place_of(b, slot);
            positions[3 * (size_t)i] = x.x;
            positions[3 * (size_t)i + 1] = x.y;
            positions[3 * (size_t)i + 2] = x.z;
        }
        if (velocities != NULL) {
            lim_vec3 v = v3_of(velocity_of(b, slot));
            velocities[3 * (size_t)i] = v.x;
            velocities[3 * (size_t)i + 1] = v.y;
            velocities[3 * (size_t)i + 2] = v.z;
        }
    }
    return LIM_OK;
}

lim_result lim_body_get_nodes(const lim_world* world, lim_body id, double* out_positions,
                              float* out_velocities, int32_t node_count) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(get_nodes(world, id, out_positions, out_velocities, node_count));
}

static lim_result set_nodes(lim_world* world, lim_body id, const double* positions,
                            const float* velocities, int32_t node_count) {
    world_body* wb = world_body_of(world, "lim_body_set_nodes", id);
    if (wb == NULL) {
        return LIM_ERROR_ID;
    }
    body* b = &wb->body;
    const topology* t = b->topology;
    check c = check_begin(&world->host, "lim_body_set_nodes");
    check_integer(&c, "node_count", node_count, t->node_count, t->node_count,
                  "the node count of the model");
    for (int32_t i = 0; c.result == LIM_OK && i < node_count; ++i) {
        if (positions != NULL) {
            const double* x = positions + 3 * (size_t)i;
            check_point(&c, "a position", p3(x[0], x[1], x[2]));
        }
        if (velocities != NULL) {
            const float* v = velocities + 3 * (size_t)i;
            check_vector(&c, "a velocity", v3(v[0], v[1], v[2]), (double)CHECK_SPEED,
                         "m/s, up to 1e6");
        }
    }
    LIM_TRY(c.result);
    for (int32_t i = 0; i < node_count; ++i) {
        int32_t slot = t->node_slot[i];
        if (positions != NULL) {
            const double* x = positions + 3 * (size_t)i;
            const component* frame = &b->components[t->slot_component[slot]];
            lim_point local = node_to_local(frame, body_metres(b), p3(x[0], x[1], x[2]));
            lim_vec3 d = v3_of(p3_sub(local, rest_of(t, slot)));
            b->d[0][slot] = d.x;
            b->d[1][slot] = d.y;
            b->d[2][slot] = d.z;
        }
        if (velocities != NULL) {
            const float* v = velocities + 3 * (size_t)i;
            put_velocity(b, slot, p3((double)v[0], (double)v[1], (double)v[2]));
        }
    }
    b->history_h = 0.0f;
    body_wake(b);
    if (positions != NULL) {
        world_body_refresh(world, wb);
    }
    return LIM_OK;
}

lim_result lim_body_set_nodes(lim_world* world, lim_body id, const double* positions,
                              const float* velocities, int32_t node_count) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_nodes(world, id, positions, velocities, node_count));
}

/* SPDX-License-Identifier: MIT
 * Tests of contact with colliders begin with this: a block of cells with points on its bottom, one
 * or two colliders, and the steps of contact alone.
 */
#ifndef LIMBER_CONTACT_FIXTURE_H
#define LIMBER_CONTACT_FIXTURE_H

#include "contact/contact.h"
#include "math/trig.h"
#include "node_fixture.h"

/* A body in a scene: everything a step needs. */
typedef struct scene {
    fixture f;
    bindings bind;
    double scale;
    lim_vec3 gravity; /* world, m/s^2 */
    float friction;
    collider colliders[2];
    int32_t collider_count;
    contact_list list;
    bool stiff; /* all nodes share their mean motion: a crude rigid body without rotation */
} scene;

static const dquat upright = {0, 0, 0, 1};

static inline dquat turn(lim_vec3 axis, double angle) {
    lim_point u = p3_scale(p3_of(v3_unit(axis, v3(1, 0, 0))), trig_sin(0.5 * angle));
    return (dquat){u.x, u.y, u.z, trig_cos(0.5 * angle)};
}

/* A block of cells with `per_cell`^2 points on the bottom face of every column. */
static inline void scene_block(scene* s, int nx, int ny, int nz, float side, int per_cell) {
    *s = (scene){.scale = 1.0, .gravity = v3(0, -10, 0), .friction = 0.5f};
    fixture_block(&s->f, nx, ny, nz, side);
    int32_t count = nx * nz * per_cell * per_cell, made = 0;
    lim_vec3* points = calloc((size_t)count, sizeof(lim_vec3));
    for (int i = 0; i < nx * per_cell; ++i) {
        for (int j = 0; j < nz * per_cell; ++j) {
            float step = side / (float)per_cell;
            points[made++] =
                v3(((float)i + 0.5f) * step - 0.5f * side * (float)nx, -0.5f * side * (float)ny,
                   ((float)j + 0.5f) * step - 0.5f * side * (float)nz);
        }
    }
    s->bind = fixture_bind(&s->f, points, NULL, count);
    free(points);
}

static inline void scene_free(scene* s) {
    contact_list_free(&s->list, &s->f.mem.host);
    fixture_free(&s->f);
}

static inline void scene_plane(scene* s, double height, float friction) {
    s->colliders[0] = (collider){.shape = LIM_SHAPE_PLANE,
                                 .position = {0, height, 0},
                                 .orientation = upright,
                                 .friction = friction};
    s->collider_count = 1;
}

static inline void set_velocity(scene* s, lim_vec3 world) {
    const component* c = &s->f.nodes.components[0];
    lim_point v = dquat_rotate(dquat_conjugate(c->rotation), p3_of(world));
    for (int32_t i = 0; i < s->f.nodes.padded; ++i) {
        s->f.nodes.v[0][i] = (float)(v.x / s->scale);
        s->f.nodes.v[1][i] = (float)(v.y / s->scale);
        s->f.nodes.v[2][i] = (float)(v.z / s->scale);
    }
}

/* World velocity of one node. */
static inline lim_vec3 velocity(const scene* s, int32_t slot) {
    const node_state* n = &s->f.nodes;
    lim_vec3 v = v3(n->v[0][slot], n->v[1][slot], n->v[2][slot]);
    return v3_of(p3_scale(dquat_rotate(n->components[0].rotation, p3_of(v)), s->scale));
}

static inline lim_point point_world(const scene* s, int32_t point) {
    lim_vec3 rest = v3(s->bind.rest[0][point], s->bind.rest[1][point], s->bind.rest[2][point]);
    lim_vec3 y = binding_position(&s->bind.bind[point], rest, &s->f.nodes);
    return node_to_world(&s->f.nodes.components[s->bind.component[point]], s->scale, p3_of(y));
}

static inline double kinetic(const scene* s) {
    double sum = 0.0;
    for (int32_t i = 0; i < s->f.nodes.padded; ++i) {
        lim_vec3 v = velocity(s, i);
        sum += 0.5 * (double)s->f.volume[i] * (double)v3_dot(v, v);
    }
    return sum;
}

static inline void share_mean(scene* s, float* const array[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        double sum = 0.0;
        for (int32_t i = 0; i < s->f.cell_count; ++i) {
            sum += (double)array[axis][s->f.slot_of[i]];
        }
        for (int32_t i = 0; i < s->f.cell_count; ++i) {
            array[axis][s->f.slot_of[i]] = (float)(sum / s->f.cell_count);
        }
    }
}

/* Affines are complete when contacts are searched for. */
static inline lim_result find_with(contact_list* list, const lim_host* host, const bindings* b,
                                   node_state* nodes, double scale, const collider* colliders,
                                   int32_t count, double dt, double speed) {
    skin_prepare(nodes, ISA_SCALAR, NULL);
    int32_t found = 0;
    do { /* with as much room as it takes */
        lim_result result = contact_reserve(list, host, b, nodes, found);
        if (result != LIM_OK) {
            return result;
        }
        found = contact_search(list, b, nodes, scale, colliders, count, dt, speed, isa_best());
    } while (found > list->items.count);
    return LIM_OK;
}

static inline void limit_velocity(scene* s, double time, double h) {
    node_state* n = &s->f.nodes;
    contact_measure(&s->list, &s->bind, n, s->scale, s->colliders, s->friction, time, h);
    contact_limit_velocity(&s->list, &s->bind, n, s->scale, s->colliders, time, h);
}

static inline void substep(scene* s, double time, double h) {
    node_state* n = &s->f.nodes;
    lim_point g = dquat_rotate(dquat_conjugate(n->components[0].rotation), p3_of(s->gravity));
    lim_vec3 push = v3_of(p3_scale(g, h / s->scale));
    for (int32_t i = 0; i < n->padded; ++i) {
        if (n->inv_mass[i] > 0.0f) {
            n->v[0][i] += push.x;
            n->v[1][i] += push.y;
            n->v[2][i] += push.z;
        }
    }
    limit_velocity(s, time, h);
    if (s->stiff) {
        share_mean(s, n->v);
    }
    for (int32_t i = 0; i < n->padded; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            n->d[axis][i] += (float)h * n->v[axis][i];
        }
    }
    contact_solve_position(&s->list, &s->bind, n, s->scale, s->colliders, time + h);
    if (s->stiff) {
        share_mean(s, n->d);
    }
}

enum { SUBSTEPS = 4 };
static inline void step(scene* s) {
    const double dt = 1.0 / 60.0;
    double speed = 0.0;
    for (int32_t i = 0; i < s->f.nodes.padded; ++i) {
        double v = (double)v3_length(velocity(s, i));
        speed = v > speed ? v : speed;
    }
    speed += (double)v3_length(s->gravity) * dt;
    CHECK(find_with(&s->list, &s->f.mem.host, &s->bind, &s->f.nodes, s->scale, s->colliders,
                    s->collider_count, dt, speed) == LIM_OK);
    for (int k = 0; k < SUBSTEPS; ++k) {
        substep(s, dt * k / (double)SUBSTEPS, dt / (double)SUBSTEPS);
    }
    for (int32_t j = 0; j < s->collider_count; ++j) {
        s->colliders[j] = collider_at(&s->colliders[j], dt);
    }
}

#endif

/* SPDX-License-Identifier: MIT
 * The smallest rigid body that can be coupled with soft ones: a box under gravity and one load per
 * step. It stands for the caller's own physics engine.
 *
 * The exchange is explicit: over a step Limber moves the box at the velocity it was given and tells
 * the mean load that this brought; then the box gets its new velocity. docs/contact.md says for which
 * masses and steps that is stable.
 */
#ifndef RIGID_BOX_H
#define RIGID_BOX_H

#include <limber/world.h>
#include <math.h>

typedef struct rigid_box {
    double mass;    /* kg */
    double half[3]; /* metres */
    double position[3], velocity[3], spin[3];
    double turn[4]; /* x y z w */
} rigid_box;

static inline void rigid_turn(const double q[4], const double v[3], double out[3], double sign) {
    /* v + 2 w (u x v) + 2 u x (u x v), with u negated for the way back */
    double u[3] = {sign * q[0], sign * q[1], sign * q[2]};
    double t[3] = {2 * (u[1] * v[2] - u[2] * v[1]), 2 * (u[2] * v[0] - u[0] * v[2]),
                   2 * (u[0] * v[1] - u[1] * v[0])};
    out[0] = v[0] + q[3] * t[0] + u[1] * t[2] - u[2] * t[1];
    out[1] = v[1] + q[3] * t[1] + u[2] * t[0] - u[0] * t[2];
    out[2] = v[2] + q[3] * t[2] + u[0] * t[1] - u[1] * t[0];
}

/* Where it is after dt at its present velocity: where Limber has moved its collider to. */
static inline void rigid_move(rigid_box* b, double dt) {
    double* q = b->turn;
    double w[3] = {0.5 * dt * b->spin[0], 0.5 * dt * b->spin[1], 0.5 * dt * b->spin[2]};
    double r[4] = {q[0] + w[0] * q[3] + w[1] * q[2] - w[2] * q[1],
                   q[1] + w[1] * q[3] + w[2] * q[0] - w[0] * q[2],
                   q[2] + w[2] * q[3] + w[0] * q[1] - w[1] * q[0],
                   q[3] - w[0] * q[0] - w[1] * q[1] - w[2] * q[2]};
    double n = 1.0 / sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int k = 0; k < 3; ++k) {
        b->position[k] += dt * b->velocity[k];
    }
    for (int k = 0; k < 4; ++k) {
        q[k] = n * r[k];
    }
}

/* The new velocity and spin from the load of the last dt seconds. */
static inline void rigid_push(rigid_box* b, const lim_load* load, lim_vec3 gravity, double dt) {
    const double torque[3] = {(double)load->torque.x, (double)load->torque.y,
                              (double)load->torque.z};
    b->velocity[0] += dt * ((double)load->force.x / b->mass + (double)gravity.x);
    b->velocity[1] += dt * ((double)load->force.y / b->mass + (double)gravity.y);
    b->velocity[2] += dt * ((double)load->force.z / b->mass + (double)gravity.z);
    /* Euler's equations, in the box's own axes */
    double own[3], spin[3], inertia[3], changed[3];
    rigid_turn(b->turn, torque, own, -1);
    rigid_turn(b->turn, b->spin, spin, -1);
    for (int k = 0; k < 3; ++k) {
        double p = b->half[(k + 1) % 3], q = b->half[(k + 2) % 3];
        inertia[k] = b->mass * (p * p + q * q) / 3;
    }
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double gyro = (inertia[i] - inertia[j]) * spin[i] * spin[j];
        changed[k] = spin[k] + dt * (own[k] + gyro) / inertia[k];
    }
    rigid_turn(b->turn, changed, b->spin, 1);
}

static inline lim_vec3 rigid_vec(const double v[3]) {
    return (lim_vec3){(float)v[0], (float)v[1], (float)v[2]};
}

/* One step of both. */
static inline lim_result rigid_step(rigid_box* b, lim_world* world, lim_collider c, float dt) {
    lim_point at = {b->position[0], b->position[1], b->position[2]};
    lim_quat turn = {(float)b->turn[0], (float)b->turn[1], (float)b->turn[2], (float)b->turn[3]};
    lim_load load = {0};
    lim_result result =
        lim_collider_move(world, c, at, turn, rigid_vec(b->velocity), rigid_vec(b->spin));
    result = result == LIM_OK ? lim_world_step(world, dt) : result;
    result = result == LIM_OK ? lim_collider_get_load(world, c, &load) : result;
    if (result == LIM_OK) {
        rigid_move(b, (double)dt);
        rigid_push(b, &load, lim_world_get_gravity(world), (double)dt);
    }
    return result;
}

#endif

/* SPDX-License-Identifier: MIT
 * Bodies of cells that move: state, a floor, and steps.
 */
#ifndef LIMBER_STEP_KIT_H
#define LIMBER_STEP_KIT_H

#include "hex/hex_step.h"
#include "hex_kit.h"

#define KIT_GRAVITY 9.81

typedef struct kit_mover {
    kit_body body;
    hex_stepper stepper;
    hex_state state;
    hex_forces forces;
    hex_budget budget;
    float *rest[3], *force[3];
    int32_t part[2];
    hex_step_report report;
    int64_t iterations, rounds, cut_off, euler;
    int32_t worst, steps;
} kit_mover;

static inline void kit_mover_make(kit_mover* m, const kit_shape* s, double edge, double young,
                                  double poisson) {
    *m = (kit_mover){.budget = {1e-3, 60, 8}};
    kit_make(&m->body, s, edge, young, poisson);
    int32_t nodes = m->body.desc.nodes, cells = m->body.desc.cells;
    arena* a = &m->body.mem;
    for (int k = 0; k < 3; ++k) {
        m->rest[k] = ARENA_ARRAY(a, float, nodes);
        m->force[k] = ARENA_ARRAY(a, float, nodes);
        m->state.d[k] = ARENA_ARRAY(a, float, nodes);
        m->state.v[k] = ARENA_ARRAY(a, float, nodes);
        m->state.moved[k] = ARENA_ARRAY(a, float, nodes);
        m->state.kicked[k] = ARENA_ARRAY(a, float, nodes);
        for (int32_t n = 0; n < nodes; ++n) {
            m->rest[k][n] = (float)(edge * m->body.place[n][k]);
        }
        m->forces.rest[k] = m->rest[k];
        m->forces.force[k] = m->force[k];
    }
    for (int k = 0; k < 4; ++k) {
        m->state.q[k] = ARENA_ARRAY(a, float, cells);
        for (int32_t e = 0; e < cells; ++e) {
            m->state.q[k][e] = k == 3 ? 1.0f : 0.0f;
        }
    }
    m->part[1] = nodes;
    m->forces.mass = m->body.mass;
    m->forces.part_first = m->part;
    m->forces.parts = 1;
    m->forces.limit = ARENA_ARRAY(a, hex_limit, nodes);
    m->forces.work = ARENA_ARRAY(a, hex_limit_work, nodes);
    CHECK(hex_stepper_make(a, &m->body.levels, &m->stepper) == LIM_OK);
}

static inline void kit_gravity(kit_mover* m, double x, double y) {
    for (int32_t n = 0; n < m->body.desc.nodes; ++n) {
        m->force[0][n] = (float)(x * (double)m->body.mass[n]);
        m->force[1][n] = (float)(y * (double)m->body.mass[n]);
    }
}

/* A floor at y = 0 for every node of the body, which lies `above` at rest. */
static inline void kit_floor(kit_mover* m, float friction) {
    m->forces.limits = m->body.desc.nodes;
    for (int32_t n = 0; n < m->forces.limits; ++n) {
        m->forces.limit[n] = (hex_limit){.node = n, .normal = {0, 1, 0}, .friction = friction};
    }
}

static inline void kit_hold(kit_mover* m, int32_t node) {
    m->forces.limit[m->forces.limits++] = (hex_limit){.node = node, .held = true};
}

static inline void kit_step(kit_mover* m, double dt) {
    for (int32_t i = 0; i < m->forces.limits; ++i) {
        hex_limit* l = &m->forces.limit[i];
        l->gap = l->held ? 0.0f : m->rest[1][l->node] + m->state.d[1][l->node];
    }
    m->report = hex_step(&m->stepper, &m->forces, &m->budget, (float)dt, &m->state);
    m->iterations += m->report.iterations;
    m->rounds += m->report.rounds;
    m->euler += m->report.euler;
    m->cut_off += !m->report.converged;
    int32_t each = (m->report.iterations + m->report.rounds - 1) / m->report.rounds;
    m->worst = each > m->worst ? each : m->worst;
    m->steps++;
}

static inline double kit_mean(const kit_mover* m, float* const values[3], int k) {
    double sum = 0.0, mass = 0.0;
    for (int32_t n = 0; n < m->body.desc.nodes; ++n) {
        sum += (double)m->body.mass[n] * (double)values[k][n];
        mass += (double)m->body.mass[n];
    }
    return sum / mass;
}

static inline double kit_fastest(const kit_mover* m) {
    double most = 0.0;
    for (int32_t i = 0; i < 3 * m->body.desc.nodes; ++i) {
        double v = fabs((double)m->state.v[i % 3][i / 3]);
        most = v <= most ? most : v;
    }
    return most;
}

static inline void kit_mover_free(kit_mover* m) {
    kit_free(&m->body);
}

#endif

/* SPDX-License-Identifier: MIT
 * Job: the wind's push on a body. In: how its nodes lie and move, the wind. Out: changes of their
 * velocities. A piece of surface of area a and unit normal n feels, of the air's velocity u
 * relative to it,
 *     F = 1/2 rho |u| (u.n) n a:
 * the wind presses where it comes and sucks where it goes, along the normal, as the cosine of its
 * angle and the square of its speed (lifting plates follow the cosine, not its square, for which
 * Newton's law is known; Wejchert, Haumann 1991 blow leaves about so). The sides of a sheet feel
 * the same. Being linear in n n^T it adds up: all that hangs on a node feels 1/2 rho |u| A u, with
 * A the sum of a n n^T over it, made once at rest (body/sail.c). So wind costs by nodes, however
 * fine the skin is.
 *
 * A node that turns takes A along: with C = cof(L) of its affine part, A is C A C^T, brought back
 * to its own trace, which is the area: areas are those at rest.
 *
 * Forces are those of the step's begin and stay so through its substeps. An impulse never turns the
 * flow around: it is limited to that of |u| A u / tr A, and no eigenvalue of A is above its trace.
 * Gusts are a sum of three travelling waves, smooth in space and time.
 */
#include "body/body.h"
#include "math/trig.h"

#define DECLARE(set, suffix) extern const wind_kernels wind_kernels_##suffix;
ISA_LIST(DECLARE)

const wind_kernels* wind_kernels_for(isa set) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        return &wind_kernels_##suffix;
        ISA_LIST(CASE)
    default:
        return &ISA_BASE(wind_kernels);
    }
}

/* Waves: where they go, how fast beside the wind, how large beside gust_size; sum of sizes. */
static const double DIRECTION[WIND_WAVES][3] = {
    {0.8, 0.2, 0.56}, {-0.5, 0.3, 0.81}, {0.3, -0.9, 0.32}};
static const double PACE[WIND_WAVES] = {1.0, 1.7, 2.9}, SIZE[WIND_WAVES] = {1.0, 0.6, 0.35};
#define SIZES 1.95

typedef struct blowing {
    body* b;
    const wind_kernels* kernels;
    const lim_wind* wind;
    double time, dt;
    wind_nodes nodes;
} blowing;

/* An angle less whole turns; one beyond what trig_sin knows counts as 0. */
static double within_a_turn(double angle) {
    double turns = angle / (2.0 * TRIG_PI);
    return fabs(turns) < 0x1p26 ? angle - (double)(int64_t)turns * (2.0 * TRIG_PI) : 0.0;
}

static wind_air air_of(const blowing* w, const component* c) {
    const lim_wind* wind = w->wind;
    double scale = body_metres(w->b), speed = p3_length(p3_of(wind->velocity));
    dquat back = dquat_conjugate(c->rotation);
    lim_vec3 velocity = v3_of(p3_scale(dquat_rotate(back, p3_of(wind->velocity)), 1.0 / scale));
    double strength = 0.5 * (double)wind->density * (double)w->b->material.air_drag * w->dt /
                      (double)w->b->material.density;
    wind_air air = {.velocity = {velocity.x, velocity.y, velocity.z},
                    .gusts = wind->gust > 0.0f,
                    .strength = (float)strength};
    for (int k = 0; k < WIND_WAVES && air.gusts; ++k) {
        double size = (double)wind->gust_size * SIZE[k];
        lim_point direction = p3(DIRECTION[k][0], DIRECTION[k][1], DIRECTION[k][2]);
        double phase = (p3_dot(c->origin, direction) - PACE[k] * speed * w->time) / size;
        lim_vec3 slope = v3_of(p3_scale(dquat_rotate(back, direction), scale / size));
        air.phase[k] = (float)within_a_turn(phase);
        air.wave[k][0] = slope.x;
        air.wave[k][1] = slope.y;
        air.wave[k][2] = slope.z;
        air.share[k] = (float)((double)wind->gust * SIZE[k] / SIZES);
    }
    return air;
}

/* The affine parts of 8 nodes of a lattice, which has none of its own, where wind acts on them. */
static void lattice_turns(const body* b, int32_t begin, float turn[16 * 8]) {
    for (int32_t i = 0; i < 8; ++i) {
        float* out = turn + 16 * (size_t)i;
        int32_t slot = begin + i;
        bool sails = b->sail[0][slot] + b->sail[1][slot] + b->sail[2][slot] > 0.0f;
        dmat3 f = sails ? body_gradient(b, slot) : dmat3_identity();
        for (int k = 0; k < 9; ++k) {
            out[k] = (float)(f.m[k] - (k % 4 == 0 ? 1.0 : 0.0));
        }
    }
}

static void blow_task(void* context, int32_t index) {
    const blowing* w = context;
    const body* b = w->b;
    const node_block* block = w->nodes.nodes->blocks + index;
    wind_air air = air_of(w, b->components + block->component);
    if (b->topology->bind.cell_count == 0) {
        w->kernels->blow(&w->nodes, &air, b->affine + 16 * (size_t)block->begin, block->begin,
                         block->end);
        return;
    }
    for (int32_t i = block->begin; i < block->end; i += 8) {
        float turn[16 * 8];
        lattice_turns(b, i, turn);
        w->kernels->blow(&w->nodes, &air, turn, i, i + 8);
    }
}

void body_wind_begin(body* b, const body_step_input* in) {
    b->windy = in->wind != NULL && b->sail[0] != NULL && b->material.air_drag > 0.0f;
    if (!b->windy) {
        return;
    }
    node_state nodes = body_nodes(b);
    blowing w = {.b = b,
                 .kernels = wind_kernels_for(in->set),
                 .wind = in->wind,
                 .time = in->time,
                 .dt = in->dt,
                 .nodes = {.nodes = &nodes}};
    for (int k = 0; k < WIND_SAIL; ++k) {
        w.nodes.sail[k] = b->sail[k];
    }
    for (int k = 0; k < 3; ++k) {
        w.nodes.push[k] = b->blown[k];
    }
    workers_run(in->pool, b->topology->block_count, blow_task, &w);
}

void body_wind_apply(body* b) {
    float share = 1.0f / (float)b->substeps;
    for (int k = 0; k < 3 && b->windy; ++k) {
        for (int32_t i = 0; i < b->topology->slot_count; ++i) {
            b->v[k][i] += share * b->blown[k][i];
        }
    }
}

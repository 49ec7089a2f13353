/* SPDX-License-Identifier: MIT
 * Job: one matching pass over a body, and the constants it needs. In: node state, network, regions.
 * Out: velocities. The order of the passes is the order of data: leaves, sums, regions, sums back,
 * goals; then the impulse that rounding has left is taken out per component.
 */
#include "match/match.h"

#include "base/timer.h"
#include "match/match_kernel.h"
#include "math/trig.h"

#include <string.h>

enum { REGION_BLOCK = 512 };

#define DECLARE(set, suffix) extern const match_kernels match_kernels_##suffix;
ISA_LIST(DECLARE)

const match_kernels* match_kernels_for(isa set) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        return &match_kernels_##suffix;
        ISA_LIST(CASE)
    default:
        return &match_kernels_scalar;
    }
}

typedef struct pass {
    const match_body* m;
    const match_kernels* kernels;
    bool want_affine;
} pass;

static void leaves_task(void* context, int32_t index) {
    const pass* p = context;
    const node_block* b = p->m->nodes->blocks + index;
    p->kernels->leaves(p->m, b->begin, b->end);
}

static int32_t region_end(const match_body* m, int32_t index) {
    int32_t end = (index + 1) * REGION_BLOCK;
    return end < m->regions->padded ? end : m->regions->padded;
}

static int32_t region_blocks(const match_body* m) {
    return (m->regions->padded + REGION_BLOCK - 1) / REGION_BLOCK;
}

static void regions_task(void* context, int32_t index) {
    const pass* p = context;
    p->kernels->regions(p->m, index * REGION_BLOCK, region_end(p->m, index));
}

static void rotations_task(void* context, int32_t index) {
    const pass* p = context;
    p->kernels->rotations(p->m, index * REGION_BLOCK, region_end(p->m, index));
}

static void goals_task(void* context, int32_t index) {
    const pass* p = context;
    const node_state* n = p->m->nodes;
    const node_block* b = n->blocks + index;
    const component* c = n->components + b->component;
    /* v_rigid(x) = velocity + spin x (x - centre) = a + spin x x */
    lim_point a = p3_sub(c->velocity, p3_cross(c->spin, c->centre));
    match_rigid rigid = {{(float)a.x, (float)a.y, (float)a.z},
                         {(float)c->spin.x, (float)c->spin.y, (float)c->spin.z}};
    p->kernels->goals(p->m, b->begin, b->end, &rigid, p->want_affine,
                      p->m->block_sums + (size_t)index * NODE_SUMS);
}

static void affine_task(void* context, int32_t index) {
    const pass* p = context;
    const node_block* b = p->m->nodes->blocks + index;
    p->kernels->affine(p->m, b->begin, b->end);
}

/* Rigid corrections that take the residual impulse of each component out again. */
static void residual_corrections(const match_body* m, match_correction* out) {
    const node_state* n = m->nodes;
    for (int32_t b = 0; b < n->block_count;) {
        int32_t number = n->blocks[b].component;
        double sum[6] = {0};
        for (; b < n->block_count && n->blocks[b].component == number; ++b) {
            for (int k = 0; k < 6; ++k) {
                sum[k] += m->block_sums[(size_t)b * NODE_SUMS + (size_t)k];
            }
        }
        const component* c = n->components + number;
        match_correction* fix = out + number;
        *fix = (match_correction){0};
        if (!(c->mass > 0.0) || !c->finite) {
            continue;
        }
        lim_point p = p3(sum[0], sum[1], sum[2]);
        lim_point l = p3_sub(p3(sum[3], sum[4], sum[5]), p3_cross(c->centre, p));
        lim_point shift = p3_scale(p, 1.0 / c->mass);
        lim_point spin = sym3_solve(c->inertia, l, NODE_THIN);
        if (p3_finite(shift) && p3_finite(spin)) {
            fix->a = p3_sub(p3_cross(spin, c->centre), shift);
            fix->w = p3_scale(spin, -1.0);
        }
    }
}

void match_step(match_body* m, bool want_affine, match_correction* out_corrections, isa set,
                workers* pool, const lim_host* host, match_times* times) {
    pass p = {m, match_kernels_for(set), want_affine};
    double t0 = times != NULL ? timer_now(host) : 0.0;
    workers_run(pool, m->nodes->block_count, leaves_task, &p);
    net_forward_middle(m->net, m->forward, NET_FORWARD_STRIPS, set, pool);
    double t1 = times != NULL ? timer_now(host) : 0.0;
    workers_run(pool, region_blocks(m), regions_task, &p);
    double t2 = times != NULL ? timer_now(host) : 0.0;
    net_adjoint_middle(m->net, m->adjoint, NET_ADJOINT_STRIPS, set, pool);
    double t3 = times != NULL ? timer_now(host) : 0.0;
    workers_run(pool, m->nodes->block_count, goals_task, &p);
    residual_corrections(m, out_corrections);
    if (times != NULL) {
        times->sums += t1 - t0 + t3 - t2;
        times->regions += t2 - t1;
        times->goals += timer_now(host) - t3;
    }
}

void match_affine(match_body* m, isa set, workers* pool) {
    pass p = {m, match_kernels_for(set), true};
    workers_run(pool, region_blocks(m), rotations_task, &p);
    net_adjoint_middle(m->net, m->adjoint, NET_ADJOINT_STRIPS, set, pool);
    workers_run(pool, m->nodes->block_count, affine_task, &p);
}

void match_refresh(match_body* m, const match_material* material, double h, isa set,
                   workers* pool) {
    const regions* r = m->regions;
    const net* n = m->net;
    match_gains* g = m->gains;
    const int32_t first = n->first[n->layers - 1];
    double got = 0.0, weight = 0.0;
    double rho = material->density, unit2 = material->scale * material->scale;
    memset(m->adjoint, 0, (size_t)n->record_count * 8 * sizeof(float));
    for (int32_t i = 0; i < r->padded; ++i) {
        double w = (double)r->weight[i], inertia = rho * (double)r->sigma2[i] * unit2;
        /* alpha = E h^2 / (rho sigma^2), at most 1; a region without extent holds nothing together.
         */
        double alpha = inertia > 0.0 ? material->young * h * h / inertia : 1.0;
        double kept = alpha > 1.0 ? 1.0 / alpha : 1.0;
        alpha = alpha > 1.0 ? 1.0 : alpha;
        double k = inertia > 0.0 ? 1.0 - trig_exp(-h * material->viscosity / inertia) : 0.0;
        g->goal[i] = (float)(w * alpha / h);
        g->damp[i] = (float)(w * k);
        got += w * kept;
        weight += w;
        m->adjoint[(size_t)(first + i) * 8] = g->goal[i];
        m->adjoint[(size_t)(first + i) * 8 + 1] = g->damp[i];
    }
    g->young_got = (float)(material->young * (weight > 0.0 ? got / weight : 1.0));
    double tau = material->damping_time;
    g->body_damp = tau > 0.0 ? (float)(1.0 - trig_exp(-h / tau)) : 0.0f;
    net_adjoint_middle(n, m->adjoint, 1, set, pool);
    net_kernels_for(set)->adjoint(n, m->adjoint, 1, 0, n->node_count);
    for (int32_t i = 0; i < n->node_count; ++i) {
        g->goal_sum[i] = m->inv_weight[i] * m->adjoint[(size_t)i * 8];
        g->damp_sum[i] = m->inv_weight[i] * m->adjoint[(size_t)i * 8 + 1];
    }
}

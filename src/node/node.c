/* SPDX-License-Identifier: MIT
 * Job: what a component does as a whole, and its frame. In: node arrays. Out: mass, centre,
 * velocity, spin, inertia of each component; frames fitted anew when the body has turned or
 * travelled.
 */
#include "node/node.h"

#include "math/eigen.h"
#include "node/sums_kernel.h"

#define DECLARE(set, suffix) extern const node_kernels node_kernels_##suffix;
ISA_LIST(DECLARE)

const node_kernels* node_kernels_for(isa set) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        return &node_kernels_##suffix;
        ISA_LIST(CASE)
    default:
        return &ISA_BASE(node_kernels);
    }
}

void node_anchor(const float* const x0[3], const float* volume, const float* side, int32_t begin,
                 int32_t end, float out_anchor[3], double* out_span) {
    double low[3], high[3], size = 0.0;
    for (int k = 0; k < 3; ++k) {
        low[k] = HUGE_VAL;
        high[k] = -HUGE_VAL;
        for (int32_t i = begin; i < end; ++i) {
            double x = (double)x0[k][i], half = side != NULL ? 0.5 * (double)side[i] : 0.0;
            low[k] = volume[i] > 0.0f && x - half < low[k] ? x - half : low[k];
            high[k] = volume[i] > 0.0f && x + half > high[k] ? x + half : high[k];
        }
        size = high[k] - low[k] > size ? high[k] - low[k] : size;
    }
    double span = 1.0;
    while (0.5 * span >= size && span > NODE_LEAST_SPAN) {
        span *= 0.5;
    }
    double step = 4.0 * span;
    for (int k = 0; k < 3; ++k) {
        out_anchor[k] = (float)(step * floor(0.5 * (low[k] + high[k]) / step + 0.5));
    }
    *out_span = span;
}

static lim_point anchor_of(const component* c) {
    return p3((double)c->anchor[0], (double)c->anchor[1], (double)c->anchor[2]);
}

/* Turns the sums of one component into its motion. */
static void finish_sums(component* c, const double s[NODE_SUMS]) {
    double m = s[0];
    bool finite = true;
    for (int k = 0; k < NODE_SUMS; ++k) {
        finite = finite && isfinite(s[k]);
    }
    c->finite = finite;
    c->mass = m;
    if (!(m > 0.0) || !finite) {
        c->velocity = c->spin = p3(0, 0, 0);
        c->kinetic = 0.0;
        return;
    }
    /* From the mean displacement: exactly the rest centre at rest. */
    c->centre = p3_add(c->rest_centre, p3(s[1] / m, s[2] / m, s[3] / m));
    c->velocity = p3(s[4] / m, s[5] / m, s[6] / m);
    c->kinetic = s[16];
    lim_point x = p3_sub(c->centre, anchor_of(c)), y = p3_sub(c->rest_centre, anchor_of(c));
    /* S about the centre, then inertia tr(S) 1 - S and angular momentum about the centre. */
    double xx = s[10] - m * x.x * x.x, yy = s[11] - m * x.y * x.y, zz = s[12] - m * x.z * x.z;
    double xy = s[13] - m * x.x * x.y, xz = s[14] - m * x.x * x.z, yz = s[15] - m * x.y * x.z;
    double own = c->own_inertia;
    const double inertia[6] = {yy + zz + own, xx + zz + own, xx + yy + own, -xy, -xz, -yz};
    for (int k = 0; k < 6; ++k) {
        c->inertia[k] = inertia[k];
    }
    lim_point turning = p3_cross(x, p3_scale(c->velocity, m));
    lim_point angular = p3_sub(p3(s[7], s[8], s[9]), turning);
    c->spin = sym3_solve(inertia, angular, NODE_THIN);
    for (int k = 0; k < 9; ++k) {
        const double at[3] = {x.x, x.y, x.z};
        const double rest[3] = {y.x, y.y, y.z};
        c->shape.m[k] = s[17 + k] - m * at[k / 3] * rest[k % 3];
    }
}

typedef struct sums_pass {
    const node_state* n;
    const node_kernels* kernels;
    double* block_sums;
} sums_pass;

static void sums_task(void* context, int32_t index) {
    const sums_pass* p = context;
    const node_block* b = p->n->blocks + index;
    p->kernels->sums(p->n, b->begin, b->end, p->n->components[b->component].anchor,
                     p->block_sums + (size_t)index * NODE_SUMS);
}

void node_component_sums(const node_state* n, double* block_sums, isa set, workers* pool) {
    sums_pass pass = {n, node_kernels_for(set), block_sums};
    workers_run(pool, n->block_count, sums_task, &pass);
    /* Blocks are in order of component. */
    for (int32_t b = 0; b < n->block_count;) {
        int32_t number = n->blocks[b].component;
        double total[NODE_SUMS] = {0};
        for (; b < n->block_count && n->blocks[b].component == number; ++b) {
            for (int s = 0; s < NODE_SUMS; ++s) {
                total[s] += block_sums[(size_t)b * NODE_SUMS + (size_t)s];
            }
        }
        finish_sums(n->components + number, total);
    }
}

/* The further vectors of slots [begin, end) in axes that turn. */
static void turn_more(const node_state* n, const dmat3* rotate, int32_t begin, int32_t end) {
    for (int which = 0; which < 3; ++which) {
        float* const* at = n->more[which];
        for (int32_t i = begin; i < end && at[0] != NULL; ++i) {
            lim_point p =
                dmat3_mul(rotate, p3((double)at[0][i], (double)at[1][i], (double)at[2][i]));
            at[0][i] = (float)p.x;
            at[1][i] = (float)p.y;
            at[2][i] = (float)p.z;
        }
    }
}

/* New frame: turned by `turn` (in frame axes) and moved so that the rest centre comes to `centre`.
 */
static void refit(node_state* n, component* c, dquat turn, lim_point centre, double scale,
                  float* const q[4], const int32_t* region_component, int32_t region_count) {
    /* Q takes old frame coordinates to new ones: x' = Q (x - centre) + rest_centre. */
    dquat back = dquat_conjugate(turn);
    dmat3 rotate = dquat_matrix(back);
    double x = back.x, y = back.y, z = back.z, w = back.w;
    /* Q - 1 without cancellation, so that a small turn leaves a small rounding. */
    const dmat3 less = {{-2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                         2 * (x * y + w * z), -2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y), 2 * (y * z + w * x), -2 * (x * x + y * y)}};
    lim_point moved = p3_sub(c->rest_centre, dmat3_mul(&rotate, centre));
    for (int32_t i = c->begin; i < c->end; ++i) {
        lim_point x0 = p3((double)n->x0[0][i], (double)n->x0[1][i], (double)n->x0[2][i]);
        lim_point d = p3((double)n->d[0][i], (double)n->d[1][i], (double)n->d[2][i]);
        lim_point v = p3((double)n->v[0][i], (double)n->v[1][i], (double)n->v[2][i]);
        d = p3_add(p3_add(dmat3_mul(&rotate, d), dmat3_mul(&less, x0)), moved);
        v = dmat3_mul(&rotate, v);
        bool real = n->mass[i] > 0.0f;
        n->d[0][i] = real ? (float)d.x : 0.0f;
        n->d[1][i] = real ? (float)d.y : 0.0f;
        n->d[2][i] = real ? (float)d.z : 0.0f;
        n->v[0][i] = (float)v.x;
        n->v[1][i] = (float)v.y;
        n->v[2][i] = (float)v.z;
    }
    turn_more(n, &rotate, c->begin, c->end);
    int32_t number = (int32_t)(c - n->components);
    for (int32_t r = 0; r < region_count; ++r) {
        if (region_component[r] == number) {
            dquat p = {(double)q[0][r], (double)q[1][r], (double)q[2][r], (double)q[3][r]};
            p = dquat_unit(dquat_mul(back, p));
            q[0][r] = (float)p.x;
            q[1][r] = (float)p.y;
            q[2][r] = (float)p.z;
            q[3][r] = (float)p.w;
        }
    }
    c->left_impulse = dmat3_mul(&rotate, c->left_impulse);
    c->left_turning = dmat3_mul(&rotate, c->left_turning);
    /* world = origin + scale R x  with  x = Q^T (x' - rest_centre) + centre */
    lim_point shift = p3_sub(centre, dquat_rotate(turn, c->rest_centre));
    c->origin = p3_mad(c->origin, dquat_rotate(c->rotation, shift), scale);
    c->rotation = dquat_unit(dquat_mul(c->rotation, turn));
}

/* How a component is turned from its frame. Nodes in a line, or one alone, do not say how they are
 * turned about it: where the shape leaves that to rounding, they are not. */
static dquat turn_of(const component* c) {
    dmat3 u, v, shape = c->shape;
    double s[3];
    svd3(&shape, &u, s, &v);
    lim_point far = p3_sub(c->centre, anchor_of(c));
    double rounding = NODE_ROUNDING * p3_dot(far, far) * c->mass;
    double noise = NODE_POINT * c->mass + rounding;
    if (s[0] <= rounding) {
        return dquat_identity();
    }
    if (s[1] + s[2] <= NODE_LINE * s[0] + noise) {
        for (int k = 0; k < 9; k += 4) {
            shape.m[k] += NODE_LINE * s[0] + noise;
        }
        svd3(&shape, &u, s, &v);
    }
    dmat3 rotation = svd_rotation(&u, &v);
    return dquat_of_matrix(&rotation);
}

bool node_reframe(node_state* n, double scale, float* const q[4], const int32_t* region_component,
                  int32_t region_count) {
    bool changed = false;
    for (int32_t k = 0; k < n->component_count; ++k) {
        component* c = n->components + k;
        if (!c->finite || !(c->mass > 0.0)) {
            continue;
        }
        dquat turn = turn_of(c);
        double sine2 = turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
        bool turned = sine2 > NODE_REFRAME_SINE2;
        lim_point travel = p3_sub(c->centre, c->rest_centre);
        double most = NODE_REFRAME_TRAVEL * c->span;
        bool moved = p3_dot(travel, travel) > most * most;
        if (turned || moved) {
            refit(n, c, turned ? turn : dquat_identity(), c->centre, scale, q, region_component,
                  region_count);
            changed = true;
        }
    }
    return changed;
}

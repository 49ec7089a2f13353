/* SPDX-License-Identifier: MIT
 * Job: quadratic goals beside the network's rigid ones. In: displacements, rotations. Out: what the
 * fits pull at each node, and what they add to its affine part. Sums run over fixed runs, then run
 * by run; a node adds its clusters in order.
 */
#include "match/quadratic.h"

#include "match/quadratic_kernel.h"
#include "match/stretch.h"

#define DECLARE(set, suffix) extern const quadratic_kernels quadratic_kernels_##suffix;
ISA_LIST(DECLARE)

const quadratic_kernels* quadratic_kernels_for(isa set) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        return &quadratic_kernels_##suffix;
        ISA_LIST(CASE)
    default:
        return &ISA_BASE(quadratic_kernels);
    }
}

typedef struct pass {
    match_body* m;
    const quadratic_kernels* kernels;
} pass;

/* What the cluster's component is displaced by as a whole: a constant changes no sum but for
 * rounding. */
static void sums_task(void* context, int32_t index) {
    const pass* p = context;
    const quadratic_run* run = p->m->quadratic->runs + index;
    const component* c = p->m->nodes->components + p->m->region_component[run->cluster];
    lim_point shift = p3_sub(c->centre, c->rest_centre);
    const float less[3] = {(float)shift.x, (float)shift.y, (float)shift.z};
    p->kernels->sums(p->m, run, less, p->m->work->sums[index]);
}

static void pulls_task(void* context, int32_t index) {
    const pass* p = context;
    p->kernels->pulls(p->m, p->m->quadratic->runs + index);
}

/* E = sum m e q~^T = D - radius (R - 1) rows, 3 x 9. */
static void find_rest(const match_body* m, int32_t cluster, const dmat3* less,
                      double e[QUADRATIC_MATRIX]) {
    const quadratic* q = m->quadratic;
    double radius = 1.0 / (double)q->inv_radius[cluster];
    for (int k = 0; k < QUADRATIC_MATRIX; ++k) {
        e[k] = 0.0;
    }
    for (int32_t run = q->run_first[cluster]; run < q->run_first[cluster + 1]; ++run) {
        for (int k = 0; k < QUADRATIC_MATRIX; ++k) {
            e[k] += m->work->sums[run][k];
        }
    }
    for (int k = 0; k < QUADRATIC_MATRIX; ++k) {
        const double *turn = less->m + 3 * (k / QUADRATIC), *row = q->rows[cluster];
        int j = k % QUADRATIC;
        e[k] -= radius * (turn[0] * row[j] + turn[1] * row[QUADRATIC + j] +
                          turn[2] * row[2 * QUADRATIC + j]);
    }
}

/* A~ - R~ = E H^-1. */
static void find_fit(const match_body* m, int32_t cluster, const double e[QUADRATIC_MATRIX],
                     double out[QUADRATIC_MATRIX]) {
    for (int k = 0; k < QUADRATIC_MATRIX; ++k) {
        const double* from = e + QUADRATIC * (k / QUADRATIC);
        const double* inverse = m->quadratic->inverse[cluster];
        out[k] = 0.0;
        for (int j = 0; j < QUADRATIC; ++j) {
            out[k] += from[j] * inverse[QUADRATIC * j + k % QUADRATIC];
        }
    }
}

/* The linear fit F = R + sum m e (x0 - c0)^T Q, Q = (A0 + kappa 1)^-1: the one that guides go by
 * (match/guide.h). */
static dmat3 linear_fit(const dmat3* rotation, const double e[QUADRATIC_MATRIX], double radius,
                        const double inverse[6]) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    dmat3 f = *rotation;
    for (int k = 0; k < 9; ++k) {
        for (int j = 0; j < 3; ++j) {
            f.m[k] += radius * e[QUADRATIC * (k / 3) + j] * inverse[symmetric[3 * j + k % 3]];
        }
    }
    return f;
}

/* A cluster's fit of the present sums. */
typedef struct cluster_fit {
    double radius;
    double e[QUADRATIC_MATRIX], fit[QUADRATIC_MATRIX]; /* E, and A~ - R~ */
    dmat3 linear;
    double det, inverse[6];
} cluster_fit;

static cluster_fit fit_of(const match_body* m, int32_t cluster) {
    dquat q = {(double)m->q[0][cluster], (double)m->q[1][cluster], (double)m->q[2][cluster],
               (double)m->q[3][cluster]};
    dmat3 rotation = dquat_matrix(dquat_unit(q)), less = rotation;
    /* At rest q is the identity to the bit, and so is this. */
    for (int k = 0; k < 9; k += 4) {
        less.m[k] -= 1.0;
    }
    cluster_fit c = {.radius = 1.0 / (double)m->quadratic->inv_radius[cluster]};
    for (int k = 0; k < 6; ++k) {
        c.inverse[k] = (double)m->gains->inverse[k][cluster];
    }
    find_rest(m, cluster, &less, c.e);
    find_fit(m, cluster, c.e, c.fit);
    c.linear = linear_fit(&rotation, c.e, c.radius, c.inverse);
    c.det = dmat3_determinant(&c.linear);
    return c;
}

/* matrix = gain t (A~ - R~ + bulk radius [V 0 0]). */
static void find_matrix(const match_body* m, int32_t cluster) {
    cluster_fit c = fit_of(m, cluster);
    dmat3 volume = stretch_keep_volume(&c.linear, c.det, c.inverse);
    double unused, t;
    stretch_share(c.det, (double)m->gains->beta, &unused, &t);
    double gain = (double)m->gains->goal[cluster] * t;
    double bulk = c.radius * (double)m->gains->bulk[cluster];
    for (int k = 0; k < QUADRATIC_MATRIX; ++k) {
        int row = k / QUADRATIC, column = k % QUADRATIC;
        double more = column < 3 ? bulk * volume.m[3 * row + column] : 0.0;
        m->work->matrix[cluster][k] = (float)(gain * (c.fit[k] + more));
    }
}

double quadratic_energy(const match_body* m, int32_t cluster) {
    cluster_fit c = fit_of(m, cluster);
    double beside = 0.0; /* tr((A~ - R~) H (A~ - R~)^T) = E : (A~ - R~) */
    for (int k = 0; k < QUADRATIC_MATRIX; ++k) {
        beside += c.e[k] * c.fit[k];
    }
    return stretch_energy(c.det, c.inverse, (double)m->gains->beta,
                          (double)m->gains->beta * (double)m->gains->bulk[cluster], beside);
}

static void find_matrices(pass* p, workers* pool) {
    workers_run(pool, p->m->quadratic->run_count, sums_task, p);
    for (int32_t k = 0; k < p->m->quadratic->clusters; ++k) {
        find_matrix(p->m, k);
    }
}

static void nodes_task(void* context, int32_t index) {
    const pass* p = context;
    const match_body* m = p->m;
    const quadratic* q = m->quadratic;
    const node_block* b = m->nodes->blocks + index;
    for (int32_t i = b->begin; i < b->end; ++i) {
        float sum[3] = {0, 0, 0};
        for (int32_t e = q->node_first[i]; e < q->node_first[i + 1]; ++e) {
            for (int k = 0; k < 3; ++k) {
                sum[k] += m->work->pull[k][q->node_at[e]];
            }
        }
        for (int k = 0; k < 3; ++k) {
            m->more[k][i] = sum[k];
        }
    }
}

void quadratic_pull(match_body* m, isa set, workers* pool) {
    pass p = {m, quadratic_kernels_for(set)};
    find_matrices(&p, pool);
    workers_run(pool, m->quadratic->run_count, pulls_task, &p);
    workers_run(pool, m->nodes->block_count, nodes_task, &p);
}

/* The derivative of the basis by q, times a row of the matrix. */
static void row_slope(const float row[QUADRATIC], const float q[3], float out[3]) {
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        out[k] = row[k] + 2.0f * row[3 + k] * q[k] + row[6 + k] * q[next] + row[6 + last] * q[last];
    }
}

static void affine_task(void* context, int32_t index) {
    const pass* p = context;
    const match_body* m = p->m;
    const quadratic* q = m->quadratic;
    const node_block* b = m->nodes->blocks + index;
    for (int32_t i = b->begin; i < b->end; ++i) {
        float goal = m->gains->goal_sum[i];
        for (int32_t e = q->node_first[i]; e < q->node_first[i + 1] && goal > 0.0f; ++e) {
            int32_t member = q->node_at[e], cluster = q->node_cluster[e];
            float inv_radius = q->inv_radius[cluster], arm[3];
            float share = q->share[member] * inv_radius / goal;
            for (int k = 0; k < 3; ++k) {
                arm[k] = (m->nodes->x0[k][i] - q->c0[k][cluster]) * inv_radius;
            }
            for (int k = 0; k < 3; ++k) {
                float slope[3];
                row_slope(m->work->matrix[cluster] + QUADRATIC * k, arm, slope);
                for (int j = 0; j < 3; ++j) {
                    m->nodes->affine[16 * (size_t)i + 3 * (size_t)k + (size_t)j] +=
                        share * slope[j];
                }
            }
        }
    }
}

void quadratic_affine(match_body* m, isa set, workers* pool) {
    pass p = {m, quadratic_kernels_for(set)};
    find_matrices(&p, pool);
    workers_run(pool, m->nodes->block_count, affine_task, &p);
}

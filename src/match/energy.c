/* SPDX-License-Identifier: MIT
 * Job: the elastic energy of the goals, by walking every region's members. In: node state,
 * rotations. Out: 1/2 sum_r w_r alpha_r / h^2 sum_{i in r} phi_ri m~_i |T_r x0_i - x_i|^2. Slow:
 * for reports and tests.
 */
#include "match/match.h"

typedef struct walk {
    const match_body* m;
    lim_point c0, dbar;
    dmat3 less; /* R - 1 */
    double mass, sum;
} walk;

static double weight_of(const net* n, int32_t entry) {
    return n->forward_weight != NULL ? (double)n->forward_weight[entry] : 1.0;
}

static void visit(walk* w, int32_t record, double weight) {
    const net* n = w->m->net;
    if (record >= n->node_count) {
        for (int32_t e = n->forward_offset[record]; e < n->forward_offset[record + 1]; ++e) {
            visit(w, n->forward[e], weight * weight_of(n, e));
        }
        return;
    }
    const node_state* s = w->m->nodes;
    int32_t i = charts_node(w->m->charts, record);
    lim_point x0 = p3((double)s->x0[0][i], (double)s->x0[1][i], (double)s->x0[2][i]);
    lim_point d = p3((double)s->d[0][i], (double)s->d[1][i], (double)s->d[2][i]);
    lim_point goal = p3_add(dmat3_mul(&w->less, p3_sub(x0, w->c0)), w->dbar);
    lim_point off = p3_sub(goal, d);
    w->sum += weight * (double)w->m->fit_mass[record] * p3_dot(off, off);
}

/* Sums of m~ x0 and m~ d: in the component's frame, and in double, whatever the chart. */
static void mean(walk* w, int32_t record, double weight) {
    const net* n = w->m->net;
    if (record >= n->node_count) {
        for (int32_t e = n->forward_offset[record]; e < n->forward_offset[record + 1]; ++e) {
            mean(w, n->forward[e], weight * weight_of(n, e));
        }
        return;
    }
    const node_state* s = w->m->nodes;
    int32_t i = charts_node(w->m->charts, record);
    double m = weight * (double)w->m->fit_mass[record];
    w->c0 = p3_mad(w->c0, p3((double)s->x0[0][i], (double)s->x0[1][i], (double)s->x0[2][i]), m);
    w->dbar = p3_mad(w->dbar, p3((double)s->d[0][i], (double)s->d[1][i], (double)s->d[2][i]), m);
    w->mass += m;
}

double match_energy(const match_body* m, double h) {
    const regions* r = m->regions;
    double energy = 0.0;
    for (int32_t i = 0; i < r->count; ++i) {
        int32_t record = m->net->first[m->net->layers - 1] + i;
        dquat q = {(double)m->q[0][i], (double)m->q[1][i], (double)m->q[2][i], (double)m->q[3][i]};
        walk w = {.m = m, .less = dquat_matrix(dquat_unit(q))};
        w.less.m[0] -= 1.0;
        w.less.m[4] -= 1.0;
        w.less.m[8] -= 1.0;
        mean(&w, record, 1.0);
        w.c0 = p3_scale(w.c0, 1.0 / w.mass);
        w.dbar = p3_scale(w.dbar, 1.0 / w.mass);
        visit(&w, record, 1.0);
        /* goal gain = w alpha / h */
        energy += 0.5 * (double)m->gains->goal[i] / h * w.sum;
    }
    return energy;
}

/* SPDX-License-Identifier: MIT
 * Job: the elastic energy of the goals, by walking every region's members. In: node state,
 * rotations. Out: 1/2 sum_r w_r alpha_r / h^2 sum_{i in r} phi_ri m~_i |T_r x0_i - x_i|^2. Slow:
 * for reports and tests. Windows have too many members to walk: theirs comes from sums.
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

/* R - 1 of a region. */
static dmat3 less_of(const match_body* m, int32_t i) {
    dquat q = {(double)m->q[0][i], (double)m->q[1][i], (double)m->q[2][i], (double)m->q[3][i]};
    dmat3 less = dquat_matrix(dquat_unit(q));
    less.m[0] -= 1.0;
    less.m[4] -= 1.0;
    less.m[8] -= 1.0;
    return less;
}

/* Displacement of a slot beside its component's. */
static double own_displacement(const match_body* m, int32_t i, int k) {
    const component* c = m->nodes->components + m->nodes->slot_component[i];
    const double shift[3] = {c->centre.x - c->rest_centre.x, c->centre.y - c->rest_centre.y,
                             c->centre.z - c->rest_centre.z};
    return (double)m->nodes->d[k][i] - shift[k];
}

/* What goes into window sums: fields 0..2 are m~ d, 3..11 m~ d x0^T, 12..14 m~ d^2. */
static double window_field(const match_body* m, int32_t i, int field) {
    double mass = (double)m->fit_mass[i];
    if (field < 3) {
        return mass * own_displacement(m, i, field);
    }
    if (field < 12) {
        return mass * own_displacement(m, i, (field - 3) / 3) *
               (double)m->nodes->x0[(field - 3) % 3][i];
    }
    double d = own_displacement(m, i, field - 12);
    return mass * d * d;
}

/* The part of one sum s in sum m~ |(R - 1)(x0 - c0) + dbar - d|^2 = tr((R - 1) A0 (R - 1)^T)
 * - 2 (R - 1) : sum m~ (d - dbar)(x0 - c0)^T + sum m~ d^2 - M dbar^2. */
static double window_part(const match_body* m, int32_t i, const dmat3* less, int field, double s) {
    const regions* r = m->regions;
    if (field >= 12) {
        return s;
    }
    if (field >= 3) {
        return -2.0 * less->m[field - 3] * s;
    }
    lim_point c0 = p3((double)r->c0[0][i], (double)r->c0[1][i], (double)r->c0[2][i]);
    const double* row = less->m + 3 * field;
    double turned = row[0] * c0.x + row[1] * c0.y + row[2] * c0.z;
    return 2.0 * s * turned - s * s * (double)r->inv_mass[i];
}

static double rest_part(const match_body* m, int32_t i, const dmat3* less) {
    const regions* r = m->regions;
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    double sum = 0.0;
    for (int k = 0; k < 27; ++k) {
        int row = k / 9, a = k / 3 % 3, b = k % 3;
        sum += less->m[3 * row + a] * (double)r->a0[symmetric[3 * a + b]][i] * less->m[3 * row + b];
    }
    return sum;
}

/* Of the windows of a lattice: two fields at a time, in the memory that the sums have. */
static double window_energy(const match_body* m, double h) {
    const box_net* b = m->box;
    float *in = m->box_sums, *out = in + 16 * (size_t)b->octets;
    double energy = 0.0;
    for (int field = 0; field < 16; field += 2) {
        for (int32_t i = 0; i < 16 * b->octets; ++i) {
            int own = field + i / 8 % 2;
            int32_t slot = i / 16 * 8 + i % 8;
            in[i] = own < 15 ? (float)window_field(m, slot, own) : 0.0f;
        }
        box_kernels_for(ISA_SCALAR)->apply(b, in, out, 2, out + 16 * (size_t)b->octets);
        for (int32_t slot = 0; slot < 8 * b->octets; ++slot) {
            if (m->regions->weight[slot] > 0.0f) {
                dmat3 less = less_of(m, slot);
                double sum = field == 0 ? rest_part(m, slot, &less) : 0.0;
                for (int k = 0; k < 2 && field + k < 15; ++k) {
                    float s = out[slot / 8 * 16 + 8 * k + slot % 8];
                    sum += window_part(m, slot, &less, field + k, (double)s);
                }
                energy += 0.5 * (double)m->gains->goal[slot] / h * sum;
            }
        }
    }
    return energy;
}

double match_energy(const match_body* m, double h) {
    const regions* r = m->regions;
    double energy = m->box != NULL ? window_energy(m, h) : 0.0;
    for (int32_t i = r->box; i < r->count; ++i) {
        int32_t record = m->net->first[m->net->layers - 1] + i - r->box;
        walk w = {.m = m, .less = less_of(m, i)};
        mean(&w, record, 1.0);
        w.c0 = p3_scale(w.c0, 1.0 / w.mass);
        w.dbar = p3_scale(w.dbar, 1.0 / w.mass);
        visit(&w, record, 1.0);
        /* goal gain = w alpha / h */
        energy += 0.5 * (double)m->gains->goal[i] / h * w.sum;
    }
    return energy;
}

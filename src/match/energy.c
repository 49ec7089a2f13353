/* SPDX-License-Identifier: MIT
 * Job: the elastic energy of the goals. In: node state, rotations. Out: 1/2 sum_r w_r alpha_r / h^2
 * sum_{i in r} phi_ri m~_i |T_r x0_i - x_i|^2, for reports and tests. With q = x0 - c0, L = R - 1:
 *   sum m~ |L q + dbar - d|^2 = tr(L Q L^T) - 2 L : sum m~ (d - dbar) q^T + sum m~ d^2 - M dbar^2,
 * Q = sum m~ q q^T. These sums go up the network layer by layer, in double, for the terms cancel:
 * once for Q, once for the rest, in the room that a pass has. Those of windows come from their own.
 *
 * Goals that follow a fit pull as the slope of (1 - t) |x - R q|^2 + t |x - F q|^2 does, which is
 * |x - R q|^2 - t |F q - R q|^2 because F q is the nearest of its kind to x; and volume as the
 * slope of k (9 / tr Q) (1 - f)^2 (match/stretch_wide.h).
 */
#include "match/quadratic.h"
#include "match/stretch.h"

#include <string.h>

typedef struct walk {
    const match_body* m;
    int32_t region;
    dmat3 less;   /* R - 1 */
    dmat3 turned; /* sum m~ (d - dbar)(x0 - c0)^T */
} walk;

/* What a record holds: in the room of forward ones first m~ x0 x0^T (xx yy zz xy xz yz), then
 * m~ d (3) and m~ d x0^T (9); in that of adjoint ones m~, m~ x0 (3) and m~ d^2. */
enum { REST = 6, MOVED = 12, BESIDE = 5 };

static double* main_sums(const match_body* m, int32_t record) {
    return (double*)(void*)(m->forward + 24 * (size_t)record);
}

static double* beside_sums(const match_body* m, int32_t record) {
    return (double*)(void*)(m->adjoint + 16 * (size_t)record);
}

/* Displacement of a slot beside its component's. */
static double own_displacement(const match_body* m, int32_t i, int k) {
    const component* c = m->nodes->components + m->nodes->slot_component[i];
    const double shift[3] = {c->centre.x - c->rest_centre.x, c->centre.y - c->rest_centre.y,
                             c->centre.z - c->rest_centre.z};
    return (double)m->nodes->d[k][i] - shift[k];
}

static void leaf_sums(const match_body* m, int32_t record, int32_t chart, bool moved) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    int32_t i = charts_node(m->charts, record);
    double mass = (double)m->fit_mass[record], x[3], d[3];
    double *s = main_sums(m, record), *beside = beside_sums(m, record);
    for (int k = 0; k < 3; ++k) {
        x[k] = (double)m->nodes->x0[k][i] - (double)m->charts->origin[k][chart];
        d[k] = own_displacement(m, i, k);
        beside[1 + k] = mass * x[k];
    }
    beside[0] = mass;
    beside[4] = mass * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int k = 0; k < (moved ? MOVED : REST); ++k) {
        s[k] = !moved  ? mass * x[row[k]] * x[column[k]]
               : k < 3 ? mass * d[k]
                       : mass * d[(k - 3) / 3] * x[k % 3];
    }
}

static void add_sums(double* to, const double* from, double weight, int count) {
    for (int k = 0; k < count; ++k) {
        to[k] += weight * from[k];
    }
}

static void list_sums(const match_body* m, int32_t record, int count) {
    const net* n = m->net;
    double *s = main_sums(m, record), *beside = beside_sums(m, record);
    memset(s, 0, (size_t)count * sizeof(double));
    memset(beside, 0, BESIDE * sizeof(double));
    for (int32_t e = n->forward_offset[record]; e < n->forward_offset[record + 1]; ++e) {
        double weight = n->forward_weight != NULL ? (double)n->forward_weight[e] : 1.0;
        add_sums(s, main_sums(m, n->forward[e]), weight, count);
        add_sums(beside, beside_sums(m, n->forward[e]), weight, BESIDE);
    }
}

/* Of all records, those at rest or those that move. */
static void sum_records(const match_body* m, bool moved) {
    const charts* c = m->charts;
    for (int32_t chart = 0; chart < c->count; ++chart) {
        for (int32_t i = c->begin[chart]; i < c->begin[chart + 1]; ++i) {
            leaf_sums(m, i, chart, moved);
        }
        for (int32_t i = c->ghost_count > 0 ? c->ghost_begin[chart] : 0;
             c->ghost_count > 0 && i < c->ghost_begin[chart + 1]; ++i) {
            leaf_sums(m, i, chart, moved);
        }
    }
    for (int32_t i = m->net->node_count; i < m->net->record_count; ++i) {
        list_sums(m, i, moved ? MOVED : REST);
    }
}

/* tr(L Q L^T) */
static double turned_rest(const match_body* m, int32_t record, const dmat3* less) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const double *s = main_sums(m, record), *beside = beside_sums(m, record);
    double sum = 0.0;
    for (int k = 0; k < 27; ++k) {
        int row = k / 9, a = k / 3 % 3, b = k % 3;
        double q = s[symmetric[3 * a + b]] - beside[1 + a] * beside[1 + b] / beside[0];
        sum += less->m[3 * row + a] * q * less->m[3 * row + b];
    }
    return sum;
}

/* What is left of the sum; w->turned too. */
static double moved_sum(walk* w, int32_t record) {
    const double *s = main_sums(w->m, record), *beside = beside_sums(w->m, record);
    double sum = beside[4];
    for (int k = 0; k < 9; ++k) {
        w->turned.m[k] = s[3 + k] - s[k / 3] * beside[1 + k % 3] / beside[0];
        sum -= 2.0 * w->less.m[k] * w->turned.m[k];
    }
    for (int k = 0; k < 3; ++k) {
        sum -= s[k] * s[k] / beside[0];
    }
    return sum;
}

/* tr(D A0 D^T) */
static double moment_of(const regions* r, int32_t region, const dmat3* d) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    double sum = 0.0;
    for (int k = 0; k < 27; ++k) {
        int row = k / 9, a = k / 3 % 3, b = k % 3;
        sum += d->m[3 * row + a] * (double)r->a0[symmetric[3 * a + b]][region] * d->m[3 * row + b];
    }
    return sum;
}

/* U of a region's rest shape (match/plastic_wide.h), xx yy zz xy xz yz. */
static void flowed_shape(const match_body* m, int32_t region, double u[6]) {
    for (int k = 0; k < 6; ++k) {
        u[k] = (double)m->plastic[k][region] + (k < 3 ? 1.0 : 0.0);
    }
}

/* Q of the shape that has flowed: U^-1 Q U^-1. */
static void flowed_inverse(const match_body* m, int32_t region, double inverse[6]) {
    double u[6];
    flowed_shape(m, region, u);
    lim_point column[3];
    for (int k = 0; k < 3; ++k) {
        lim_point unit = p3(k == 0, k == 1, k == 2);
        lim_point back = sym3_solve(u, unit, 0.0);
        column[k] = sym3_solve(u, sym3_mul(inverse, back), 0.0);
    }
    const double whole[6] = {column[0].x, column[1].y, column[2].z,
                             column[1].x, column[2].x, column[2].y};
    memcpy(inverse, whole, sizeof whole);
}

/* What a linear fit changes of the sum. */
static double follow_fit(const walk* w) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const match_body* m = w->m;
    double a0[6], inverse[6], trace = 0.0;
    for (int k = 0; k < 6; ++k) {
        a0[k] = (double)m->regions->a0[k][w->region];
        trace += k < 3 ? a0[k] : 0.0;
    }
    stretch_inverse(a0, inverse);
    dmat3 f = dmat3_identity(), beside;
    for (int k = 0; k < 9; ++k) {
        for (int j = 0; j < 3; ++j) {
            int from = 3 * (k / 3) + j;
            double b = w->turned.m[from] + (double)STRETCH_KAPPA * trace * w->less.m[from];
            f.m[k] += b * inverse[symmetric[3 * j + k % 3]];
        }
        beside.m[k] = f.m[k] - (k % 4 == 0 ? 1.0 : 0.0) - w->less.m[k];
    }
    if (m->gains->shape == MATCH_PLASTIC) {
        flowed_inverse(m, w->region, inverse);
    }
    return stretch_energy(dmat3_determinant(&f), inverse, (double)m->gains->beta,
                          (double)m->gains->bulk[w->region],
                          moment_of(m->regions, w->region, &beside));
}

static walk begin_walk(const match_body* m, int32_t i) {
    dquat q = {(double)m->q[0][i], (double)m->q[1][i], (double)m->q[2][i], (double)m->q[3][i]};
    walk w = {.m = m, .region = i, .less = dquat_matrix(dquat_unit(q))};
    if (m->gains->shape == MATCH_PLASTIC) {
        static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
        double u[6];
        dmat3 shape;
        flowed_shape(m, i, u);
        for (int k = 0; k < 9; ++k) {
            shape.m[k] = u[symmetric[k]];
        }
        w.less = dmat3_product(&w.less, &shape);
    }
    w.less.m[0] -= 1.0;
    w.less.m[4] -= 1.0;
    w.less.m[8] -= 1.0;
    return w;
}

/* What goes into window sums: fields 0..2 are m~ d, 3..11 m~ d x0^T, 12..14 m~ d^2. */
enum { WINDOW_FIELDS = 15 };

static double window_field(const match_body* m, int32_t i, int field) {
    double mass = (double)m->fit_mass[i];
    if (field < 3) {
        return mass * own_displacement(m, i, field);
    }
    if (field < 12) {
        return mass * own_displacement(m, i, (field - 3) / 3) *
               ((double)m->nodes->x0[(field - 3) % 3][i] -
                (double)m->nodes->components[m->nodes->slot_component[i]].anchor[(field - 3) % 3]);
    }
    double d = own_displacement(m, i, field - 12);
    return mass * d * d;
}

static double window_sum(const match_body* m, int32_t i, const double s[WINDOW_FIELDS]) {
    const regions* r = m->regions;
    walk w = begin_walk(m, i);
    for (int k = 0; k < 9; ++k) {
        w.turned.m[k] = s[3 + k] - s[k / 3] * (double)r->c0[k % 3][i];
    }
    double sum = moment_of(r, i, &w.less);
    sum += m->gains->shape != MATCH_PLAIN ? follow_fit(&w) : 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += s[12 + k] - s[k] * s[k] * (double)r->inv_mass[i];
    }
    for (int k = 0; k < 9; ++k) {
        sum -= 2.0 * w.less.m[k] * w.turned.m[k];
    }
    return sum;
}

/* Of the windows of a lattice: two fields at a time, in the memory that the sums have. */
static double window_energy(const match_body* m, double h) {
    const box_net* b = m->box;
    size_t slots = 8 * (size_t)b->octets;
    float *in = m->box_sums, *out = in + 2 * slots, *kept = out + 2 * slots;
    double energy = 0.0;
    for (int field = 0; field < WINDOW_FIELDS; field += 2) {
        for (size_t i = 0; i < 2 * slots; ++i) {
            int own = field + (int)(i / 8 % 2);
            int32_t slot = (int32_t)(i / 16 * 8 + i % 8);
            in[i] = own < WINDOW_FIELDS ? (float)window_field(m, slot, own) : 0.0f;
        }
        box_kernels_for(ISA_SCALAR)->apply(b, in, out, 2, kept + 16 * slots);
        for (size_t i = 0; i < 2 * slots; ++i) {
            kept[(i / 16 * 8 + i % 8) * 16 + (size_t)field + i / 8 % 2] = out[i];
        }
    }
    for (int32_t slot = 0; slot < 8 * b->octets; ++slot) {
        if (m->regions->weight[slot] > 0.0f) {
            double s[WINDOW_FIELDS];
            for (int k = 0; k < WINDOW_FIELDS; ++k) {
                s[k] = (double)kept[16 * (size_t)slot + (size_t)k];
            }
            energy += 0.5 * (double)m->gains->goal[slot] / h * window_sum(m, slot, s);
        }
    }
    return energy;
}

/* Of the regions of lists, whose sums are there. */
static double list_energy(const match_body* m, double h, bool moved) {
    const regions* r = m->regions;
    int32_t first = m->net->first[m->net->layers - 1] - r->box;
    double energy = 0.0;
    for (int32_t i = r->box; i < r->count; ++i) {
        walk w = begin_walk(m, i);
        double sum = moved ? moved_sum(&w, first + i) : turned_rest(m, first + i, &w.less);
        if (moved && m->gains->shape != MATCH_PLAIN) {
            sum += follow_fit(&w);
        } else if (moved && m->gains->goal_kind == MATCH_QUADRATIC) {
            sum += quadratic_energy(m, i);
        }
        /* goal gain = w alpha / h */
        energy += 0.5 * (double)m->gains->goal[i] / h * sum;
    }
    return energy;
}

double match_energy(match_body* m, double h) {
    match_take_rest(m);
    double energy = m->box != NULL ? window_energy(m, h) : 0.0;
    for (int moved = 0; moved < 2; ++moved) {
        sum_records(m, moved != 0);
        energy += list_energy(m, h, moved != 0);
    }
    return energy;
}

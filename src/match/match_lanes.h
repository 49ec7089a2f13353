/* SPDX-License-Identifier: MIT
 * The arithmetic of matching, 8 nodes or regions in lanes: for the kernels over lists
 * (match/match_kernel.c) and over windows (match/match_box_kernel.c), compiled per instruction set.
 * Lanes are independent; nothing is summed across them. Equations in match/match.h. `damped` is a
 * constant where these are used: without it all that only damping needs is left out.
 */
#ifndef LIMBER_MATCH_LANES_H
#define LIMBER_MATCH_LANES_H

#include "match/guide.h"
#include "match/match_kernel.h"
#include "match/plastic_wide.h"
#include "math/rotation_wide.h"
#include "net/gather.h"

/* Fields of a forward record: m~d (3), m~d x0^T (9); for damping m~v (3), m~ x cross v (3),
 * m~ d d^T (6). Of an adjoint one: sum g (R - 1) (9), merged translation (3); for damping
 * sum k omega (3). */
enum {
    FORWARD = NET_FORWARD_STRIPS * 8,
    FORWARD_UNDAMPED = 12,
    ADJOINT = NET_ADJOINT_STRIPS * 8,
    ADJOINT_DAMPED = 15,
    ADJOINT_UNDAMPED = 12
};

/* Strips of a forward record: without damping 12 fields and 4 zeros. */
static inline int32_t forward_strips(bool damped) {
    return damped ? NET_FORWARD_STRIPS : 2;
}

/* Writes strip `strip` of 8 records of `strips` from fields in lanes. */
KERNEL_PASS void store_strip(fw* fields, int32_t strip, int32_t strips, float* records) {
    fw_transpose8(fields);
    for (int j = 0; j < 8; ++j) {
        fw_store(records + (size_t)(j * strips + strip) * 8, fields[j]);
    }
}

/* Writes 8 adjoint records. */
KERNEL_PASS void store_records(fw fields[ADJOINT], float* records) {
    store_strip(fields, 0, NET_ADJOINT_STRIPS, records);
    store_strip(fields + 8, 1, NET_ADJOINT_STRIPS, records);
}

/* Sums the lists of 8 outputs and turns them into fields in lanes. */
KERNEL_PASS void gather_eight(const int32_t* offset, const int32_t* items, const float* weight,
                              int32_t first, const float* records, int32_t strips, fw* fields) {
    for (int32_t j = 0; j < 8; ++j) {
        int32_t begin = offset[first + j], end = offset[first + j + 1];
        fw sum[NET_FORWARD_STRIPS];
        gather_list(items + begin, weight != NULL ? weight + begin : NULL, end - begin, records,
                    strips, sum);
        for (int32_t s = 0; s < strips; ++s) {
            fields[8 * s + j] = sum[s];
        }
    }
    for (int32_t s = 0; s < strips; ++s) {
        fw_transpose8(fields + 8 * s);
    }
}

KERNEL_PASS void gather_back(const net* n, int32_t first, const float* records, fw* fields) {
    if (n->back_weight != NULL) {
        gather_eight(n->back_offset, n->back, n->back_weight, first, records, NET_ADJOINT_STRIPS,
                     fields);
    } else {
        gather_eight(n->back_offset, n->back, NULL, first, records, NET_ADJOINT_STRIPS, fields);
    }
}

/* a cross b */
static inline void cross(const fw a[3], const fw b[3], fw out[3]) {
    for (int k = 0; k < 3; ++k) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        out[k] = fw_sub(fw_mul(a[p], b[q]), fw_mul(a[q], b[p]));
    }
}

static inline fw dot(const fw a[3], const fw b[3]) {
    return fw_add(fw_add(fw_mul(a[0], b[0]), fw_mul(a[1], b[1])), fw_mul(a[2], b[2]));
}

/* Row k of a 3x3 matrix times a vector. */
static inline fw row_times(const fw m[9], int k, const fw x[3]) {
    return dot(m + 3 * k, x);
}

/* Rest position and what is the component's own of displacement, position and velocity. */
typedef struct own_state {
    fw x0[3], d[3], x[3], v[3];
    fw over[3]; /* what limit_speed adds to the velocity */
} own_state;

static inline own_state load_own(const node_state* n, int32_t i, const match_rigid* rigid) {
    own_state o;
    fw turn[3];
    const fw w[3] = {fw_set1(rigid->w[0]), fw_set1(rigid->w[1]), fw_set1(rigid->w[2])};
    for (int k = 0; k < 3; ++k) {
        o.x0[k] = fw_sub(fw_load(n->x0[k] + i), fw_set1(rigid->anchor[k]));
        o.d[k] = fw_sub(fw_load(n->d[k] + i), fw_set1(rigid->shift[k]));
        o.x[k] = fw_add(o.x0[k], o.d[k]);
    }
    cross(w, o.x, turn);
    for (int k = 0; k < 3; ++k) {
        fw moving = fw_add(fw_set1(rigid->a[k]), turn[k]);
        o.v[k] = fw_sub(fw_load(n->v[k] + i), moving);
    }
    return o;
}

/* Shortens what is not rigid in own velocities to `most`; what is taken is taken from the body's
 * velocity too. A step may be so long that the body has travelled far and turned since it began:
 * what is rigid then is no motion of its own, however fast. (Where a body is in pieces its rigid
 * motion says nothing, and is faster than its nodes: then it does not count.) */
static inline void limit_speed(own_state* o, const match_rigid* rigid, fw most) {
    fw most2 = fw_mul(most, most), speed2 = dot(o->v, o->v);
    mw fast = fw_gt(speed2, most2);
    for (int k = 0; k < 3; ++k) {
        o->over[k] = fw_zero();
    }
    if (mw_any(fast)) {
        const fw w[3] = {fw_set1(rigid->own_w[0]), fw_set1(rigid->own_w[1]),
                         fw_set1(rigid->own_w[2])};
        fw turn[3], beside[3];
        cross(w, o->x, turn);
        for (int k = 0; k < 3; ++k) {
            beside[k] = fw_sub(o->v[k], fw_add(fw_set1(rigid->own_a[k]), turn[k]));
        }
        fw beside2 = dot(beside, beside);
        mw counts = fw_lt(beside2, speed2);
        for (int k = 0; k < 3; ++k) {
            beside[k] = fw_select(counts, beside[k], o->v[k]);
        }
        speed2 = fw_select(counts, beside2, speed2);
        fast = fw_gt(speed2, most2);
        fw less = fw_select(fast, fw_sub(fw_div(most, fw_sqrt(speed2)), fw_set1(1.0f)), fw_zero());
        for (int k = 0; k < 3; ++k) {
            o->over[k] = fw_select(fast, fw_mul(beside[k], less), fw_zero());
            o->v[k] = fw_add(o->v[k], o->over[k]);
        }
    }
}

/* Adds 8 nodes to the own motion of their component. */
static inline void add_own(const own_state* o, fw whole, fw sum[MATCH_SUMS]) {
    fw p[3], l[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = fw_mul(whole, o->v[k]);
        sum[k] = fw_add(sum[k], p[k]);
        sum[6 + k] = fw_add(sum[6 + k], fw_mul(whole, o->d[k]));
    }
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    fw mx[3] = {fw_mul(whole, o->x[0]), fw_mul(whole, o->x[1]), fw_mul(whole, o->x[2])};
    for (int k = 0; k < 6; ++k) {
        sum[9 + k] = fw_add(sum[9 + k], fw_mul(mx[pair[k][0]], o->x[pair[k][1]]));
    }
    cross(o->x, p, l);
    for (int k = 0; k < 3; ++k) {
        sum[3 + k] = fw_add(sum[3 + k], l[k]);
    }
}

/* A strip of the forward fields of 8 records: m~d (3), m~d x0^T (9), and what only damping needs,
 * else zero: m~v (3), m~ x cross v (3), m~ d d^T (6). */
KERNEL_PASS void forward_fields(const own_state* o, fw mass, bool damped, int32_t strip, fw r[8]) {
    fw md[3], mv[3], turning[3];
    for (int k = 0; k < 3; ++k) {
        md[k] = fw_mul(mass, o->d[k]);
    }
    if (strip == 0) {
        for (int k = 0; k < 3; ++k) {
            r[k] = md[k];
            r[3 + k] = fw_mul(md[0], o->x0[k]);
        }
        r[6] = fw_mul(md[1], o->x0[0]);
        r[7] = fw_mul(md[1], o->x0[1]);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        mv[k] = damped ? fw_mul(mass, o->v[k]) : fw_zero();
    }
    cross(o->x, mv, turning);
    if (strip == 1) {
        r[0] = fw_mul(md[1], o->x0[2]);
        for (int k = 0; k < 3; ++k) {
            r[1 + k] = fw_mul(md[2], o->x0[k]);
            r[4 + k] = mv[k];
        }
        r[7] = damped ? turning[0] : fw_zero();
    } else {
        r[0] = turning[1];
        r[1] = turning[2];
        for (int k = 0; k < 3; ++k) {
            r[2 + k] = fw_mul(md[k], o->d[k]);
        }
        r[5] = fw_mul(md[0], o->d[1]);
        r[6] = fw_mul(md[0], o->d[2]);
        r[7] = fw_mul(md[1], o->d[2]);
    }
}

KERNEL_PASS void store_fields(const own_state* o, fw mass, bool damped, int32_t strip,
                              float* records) {
    fw r[8];
    forward_fields(o, mass, damped, strip, r);
    store_strip(r, strip, forward_strips(damped), records);
}

/* Forward records of 8 slots, or of 8 ghosts: a strip at a time, which registers can hold. */
KERNEL_PASS void store_forward(const match_body* m, int32_t i, const own_state* o, bool damped) {
    float* records = m->forward + (size_t)i * 8 * (size_t)forward_strips(damped);
    fw mass = fw_load(m->fit_mass + i);
    store_fields(o, mass, damped, 0, records);
    store_fields(o, mass, damped, 1, records);
    if (damped) {
        store_fields(o, mass, damped, 2, records);
    }
}

/* omega = I^-1 L for I = (tr(S) + shift) 1 - S, S symmetric (xx yy zz xy xz yz). The shift keeps I
 * positive where S is not, by more than S can be wrong. */
static inline void solve_spin(const fw s[6], fw shift, const fw l[3], fw omega[3]) {
    fw a = fw_add(fw_add(s[1], s[2]), shift), b = fw_add(fw_add(s[0], s[2]), shift);
    fw c = fw_add(fw_add(s[0], s[1]), shift);
    fw d = fw_neg(s[3]), e = fw_neg(s[4]), f = fw_neg(s[5]);
    /* Scale by the trace first, so that cubes neither overflow nor vanish. */
    fw scale = fw_div(fw_set1(1.0f), fw_add(fw_add(a, b), c));
    a = fw_mul(a, scale);
    b = fw_mul(b, scale);
    c = fw_mul(c, scale);
    d = fw_mul(d, scale);
    e = fw_mul(e, scale);
    f = fw_mul(f, scale);
    fw c00 = fw_sub(fw_mul(b, c), fw_mul(f, f)), c01 = fw_sub(fw_mul(e, f), fw_mul(d, c));
    fw c02 = fw_sub(fw_mul(d, f), fw_mul(b, e)), c11 = fw_sub(fw_mul(a, c), fw_mul(e, e));
    fw c12 = fw_sub(fw_mul(d, e), fw_mul(a, f)), c22 = fw_sub(fw_mul(a, b), fw_mul(d, d));
    fw det = fw_add(fw_add(fw_mul(a, c00), fw_mul(d, c01)), fw_mul(e, c02));
    /* The trace is 1 here. */
    fw inverse = fw_div(scale, fw_max(det, fw_set1(1e-14f)));
    omega[0] = fw_mul(dot((const fw[3]){c00, c01, c02}, l), inverse);
    omega[1] = fw_mul(dot((const fw[3]){c01, c11, c12}, l), inverse);
    omega[2] = fw_mul(dot((const fw[3]){c02, c12, c22}, l), inverse);
}

/* What damping adds to the adjoint fields: the rigid velocity of the region, v_r and omega_r from
 * L_r and the present second moments S = A0 + B + B^T + sum m~ d d^T - M dbar dbar^T. */
KERNEL_PASS void region_damping(const fw s[FORWARD], const fw a0[6], const fw b[9], const fw c0[3],
                                const fw dbar[3], fw inv_mass, fw damp, fw out[ADJOINT]) {
    fw vr[3], c[3], l[3], turning[3], spread[6], omega[3], lever[3];
    for (int k = 0; k < 3; ++k) {
        vr[k] = fw_mul(s[12 + k], inv_mass);
        c[k] = fw_add(c0[k], dbar[k]);
    }
    cross(c, s + 12, turning);
    for (int k = 0; k < 3; ++k) {
        l[k] = fw_sub(s[15 + k], turning[k]);
    }
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; ++k) {
        int p = pair[k][0], t = pair[k][1];
        fw both = fw_add(b[3 * p + t], b[3 * t + p]);
        fw own = fw_sub(s[18 + k], fw_mul(s[p], dbar[t]));
        spread[k] = fw_add(fw_add(a0[k], both), own);
    }
    /* A region that has collapsed has no inertia to speak of, and one far from its place has S
     * only up to the rounding of large terms: a thousandth of the rest inertia and a millionth
     * of the displacement keep omega bounded by what the velocities can mean. */
    fw rest = fw_add(fw_add(a0[0], a0[1]), a0[2]);
    fw far = fw_add(fw_add(s[18], s[19]), s[20]);
    fw now = fw_max(fw_add(fw_add(spread[0], spread[1]), spread[2]), fw_zero());
    fw extra = fw_mad(fw_set1(1e-3f), rest, fw_mul(fw_set1(1e-6f), fw_add(far, now)));
    solve_spin(spread, fw_add(extra, fw_set1(1e-30f)), l, omega);
    cross(omega, c, lever);
    for (int k = 0; k < 3; ++k) {
        out[9 + k] = fw_add(out[9 + k], fw_mul(damp, fw_sub(vr[k], lever[k])));
        out[12 + k] = fw_mul(damp, omega[k]);
    }
}

/* sum m~ (d - dbar)(x0 - c0)^T from the sums of a region. */
static inline void region_moments(const fw* s, const fw c0[3], fw b[9]) {
    for (int k = 0; k < 9; ++k) {
        b[k] = fw_sub(s[3 + k], fw_mul(s[k / 3], c0[k % 3]));
    }
}

/* The linear fit of 8 regions, and their Q. less: R - 1. */
static inline stretch region_stretch(const match_body* m, int32_t i, const fw b[9], const fw a0[6],
                                     const fw less[9], fw inverse[6]) {
    for (int k = 0; k < 6; ++k) {
        inverse[k] = fw_load(m->gains->inverse[k] + i);
    }
    fw trace = fw_add(fw_add(a0[0], a0[1]), a0[2]);
    return stretch_of(b, inverse, fw_mul(fw_set1(STRETCH_KAPPA), trace), less);
}

/* The same of regions that may have flowed: F U^-1, and the inverse moments of that shape. */
static inline stretch plastic_stretch(const match_body* m, int32_t i, const fw b[9], const fw a0[6],
                                      const fw less[9], const fw p[6], bool flowed, fw inverse[6]) {
    if (!flowed) {
        return region_stretch(m, i, b, a0, less, inverse);
    }
    fw whole[9], back[6];
    for (int k = 0; k < 9; ++k) {
        whole[k] = less[k];
    }
    plastic_times(whole, p); /* where there is no extent, F goes as R U */
    stretch f = region_stretch(m, i, b, a0, whole, inverse);
    plastic_inverse_of(p, back);
    plastic_times(f.x, back);
    plastic_inverse_moments(inverse, back);
    return f;
}

/* The plastic strain of 8 regions after this pass; false when there is none. q: their rotations
 * before it. */
static inline bool region_flow(const match_body* m, int32_t i, const fw b[9], const fw a0[6],
                               const fw q[4], fw p[6]) {
    bool flowed = plastic_load(m, i, p);
    if (!(m->gains->yield > 0.0f)) {
        return flowed;
    }
    fw less[9], inverse[6], square[6];
    rotation_matrix_minus_identity(q, less);
    stretch f = plastic_stretch(m, i, b, a0, less, p, flowed, inverse);
    plastic_square(f.x, square);
    if (!mw_any(plastic_may_yield(square, fw_set1(m->gains->yield)))) {
        return flowed;
    }
    if (m->past != NULL) {
        fw swell = fw_load(m->swell + i);
        plastic_scale(p, fw_div(fw_set1(1.0f), swell));
        plastic_flow(m->gains, square, f.det, m->past + i, p);
        plastic_scale(p, swell);
    } else {
        plastic_flow(m->gains, square, f.det, NULL, p);
    }
    for (int k = 0; k < 6; ++k) {
        fw_store(m->plastic[k] + i, p[k]);
    }
    return plastic_some(p);
}

/* less: R - 1 in, the goal's matrix less 1 out. */
static inline void region_goal(const match_body* m, int32_t i, const stretch* f,
                               const fw inverse[6], fw less[9]) {
    const match_gains* g = m->gains;
    stretch_goal(f, inverse, fw_set1(g->beta), fw_load(g->bulk + i), less);
}

/* less: R - 1 in, what the nodes' affine parts are made of out. */
static inline void region_seen(const match_body* m, const stretch* f, fw less[9]) {
    const match_gains* g = m->gains;
    stretch_seen(f, fw_set1(g->beta > g->volume ? g->beta : g->volume), less);
}

/* Regions that are guided keep the rotation that they were given. */
static inline void take_guides(const match_body* m, int32_t i, fw q[4]) {
    mw guided = fw_gt(fw_load(m->watch->guided + i), fw_zero());
    for (int k = 0; k < 4; ++k) {
        q[k] = fw_select(guided, fw_load(m->q[k] + i), q[k]);
    }
}

/* A region that has lost its shape keeps the rotation that it had: steps towards the rotation of
 * noise mean nothing, and a guide goes by what was. */
static inline void keep_lost(const match_body* m, int32_t i, fw det, const fw before[4]) {
    mw sound = fw_ge(det, fw_set1(STRETCH_NONE));
    for (int k = 0; k < 4; ++k) {
        fw_store(m->q[k] + i, fw_select(sound, fw_load(m->q[k] + i), before[k]));
    }
}

/* Moments, det of the fit, and how far the rotation is from that of the moments: the torque that is
 * left, the antisymmetric part of A R^T, over the size of A, squared. */
static inline void store_watch(const match_body* m, int32_t i, const rotation_scaled* ready,
                               const fw a[9], const fw less[9], fw det) {
    for (int k = 0; k < 9; ++k) {
        fw_store(m->watch->a[k] + i, a[k]);
    }
    fw torque = fw_zero();
    for (int k = 0; k < 3; ++k) {
        int p = (k + 1) % 3, t = (k + 2) % 3;
        fw there = fw_add(row_times(less, t, ready->a + 3 * p), ready->a[3 * p + t]);
        fw back = fw_add(row_times(less, p, ready->a + 3 * t), ready->a[3 * t + p]);
        fw left = fw_sub(there, back);
        torque = fw_mad(left, left, torque);
    }
    fw size2 = fw_max(fw_mul(ready->size, ready->size), fw_set1(1e-30f));
    fw_store(m->watch->torque2 + i, fw_div(torque, size2));
    fw_store(m->watch->det + i, det);
}

/* 8 regions from their sums: rotations by warm Newton steps, kept in q, and the adjoint fields
 * {g (R - 1), translation, k omega} in `out`: 12 of them, 15 when damped. `shape` and `watched`
 * are constants too. */
KERNEL_INLINE void region_lanes(const match_body* m, int32_t i, const fw* s, bool damped,
                                match_shape shape, bool watched, fw out[ADJOINT]) {
    const regions* r = m->regions;
    fw inv_mass = fw_load(r->inv_mass + i);
    fw c0[3], a0[6], dbar[3], b[9], a[9], q[4], less[9];
    for (int k = 0; k < 3; ++k) {
        c0[k] = fw_load(r->c0[k] + i);
        dbar[k] = fw_mul(s[k], inv_mass);
    }
    for (int k = 0; k < 6; ++k) {
        a0[k] = fw_load(r->a0[k] + i);
    }
    region_moments(s, c0, b);
    /* A = sum m~ p q^T = A0 + sum m~ (d - dbar)(x0 - c0)^T */
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int k = 0; k < 9; ++k) {
        a[k] = fw_add(a0[symmetric[k]], b[k]);
    }
    fw before[4], p[6];
    for (int k = 0; k < 4; ++k) {
        q[k] = before[k] = fw_load(m->q[k] + i);
    }
    bool flowed = shape == MATCH_PLASTIC && region_flow(m, i, b, a0, q, p);
    if (flowed) {
        plastic_moments(a, p);
    }
    rotation_scaled ready = rotation_scale(a, fw_zero());
    rotation_step(&ready, q);
    rotation_step(&ready, q);
    if (watched) {
        /* Few regions, and some far from where they were: two steps more cost nothing. */
        rotation_step(&ready, q);
        rotation_step(&ready, q);
        take_guides(m, i, q);
    }
    for (int k = 0; k < 4; ++k) {
        fw_store(m->q[k] + i, q[k]);
    }
    rotation_matrix_minus_identity(q, less);
    bool fits = shape != MATCH_PLAIN && match_fits(m->gains);
    if (fits || watched) {
        fw inverse[6];
        stretch f = plastic_stretch(m, i, b, a0, less, p, flowed, inverse);
        if (watched) {
            store_watch(m, i, &ready, a, less, f.det);
            keep_lost(m, i, f.det, before);
        }
        if (fits) {
            region_goal(m, i, &f, inverse, less);
        }
    }
    if (flowed) {
        plastic_times(less, p);
    }

    fw goal = fw_load(m->gains->goal + i);
    for (int k = 0; k < 9; ++k) {
        out[k] = fw_mul(goal, less[k]);
    }
    for (int k = 0; k < 3; ++k) {
        fw shift = fw_sub(dbar[k], row_times(less, k, c0));
        out[9 + k] = fw_mul(goal, shift);
    }
    if (damped) {
        region_damping(s, a0, b, c0, dbar, inv_mass, fw_load(m->gains->damp + i), out);
    }
}

/* 1/W sum k of this pass. */
static inline fw damp_of(const match_body* m, int32_t i) {
    return m->damped ? fw_load(m->gains->damp_sum + i) : fw_zero();
}

/* What the regions of a record pull at it: s its sums, o its state in their coordinates. */
KERNEL_PASS void region_pull(const fw* s, const own_state* o, fw inv_weight, fw goal, fw damp,
                             bool damped, fw out[3]) {
    fw spun[3];
    if (damped) {
        cross(s + 12, o->x, spun);
    }
    for (int k = 0; k < 3; ++k) {
        fw pull = fw_add(row_times(s, k, o->x0), s[9 + k]);
        pull = damped ? fw_add(pull, spun[k]) : pull;
        fw hold = fw_add(fw_mul(goal, o->d[k]), fw_mul(damp, o->v[k]));
        out[k] = fw_sub(fw_mul(inv_weight, pull), hold);
    }
}

/* Changes the velocities of 8 nodes by `pull` and by what the component does as a whole; adds what
 * really changed to `added`. */
static inline void change_velocities(const node_state* n, int32_t i, const own_state* o,
                                     const match_rigid* rigid, const fw pull[3], dw added[6]) {
    fw node_mass = fw_load(n->mass + i);
    mw is_node = fw_gt(node_mass, fw_zero());
    const fw push_w[3] = {fw_set1(rigid->push_w[0]), fw_set1(rigid->push_w[1]),
                          fw_set1(rigid->push_w[2])};
    fw fix[3];
    cross(push_w, o->x, fix);
    dw mass = dw_from(node_mass), p[3], xd[3];
    for (int k = 0; k < 3; ++k) {
        fw push = fw_add(fix[k], fw_set1(rigid->push_a[k])), g = fw_set1(rigid->gravity[k]);
        fw dv = fw_add(fw_add(pull[k], push), o->over[k]);
        fw v = fw_load(n->v[k] + i), all = fw_add(dv, g), moved = fw_add(v, all);
        fw_store(n->v[k] + i, fw_select(is_node, moved, v));
        /* What really changed, rounding included. */
        p[k] = dw_mul(mass, dw_sub(dw_from(fw_sub(moved, v)), dw_from(g)));
        xd[k] = dw_from(o->x[k]);
    }
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        added[k] = dw_add(added[k], p[k]);
        dw turning = dw_sub(dw_mul(xd[a], p[b]), dw_mul(xd[b], p[a]));
        added[3 + k] = dw_add(added[3 + k], turning);
    }
}

/* One body length per substep beside the rigid motion: beyond, a step tells nothing any more. */
static inline fw most_speed(const match_body* m) {
    return fw_set1((float)(1.0 / m->gains->h));
}

#endif

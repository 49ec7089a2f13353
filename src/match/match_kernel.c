/* SPDX-License-Identifier: MIT
 * Job: the four passes of matching, 8 nodes or regions at a time, compiled once per instruction
 * set. In: node state, region constants, records. Out: records, rotations, velocities. Lanes are
 * independent nodes or regions; nothing is summed across lanes but the residual impulse, in a fixed
 * order. Equations in match/match.h.
 */
#include "match/match_kernel.h"

#include "math/rotation_wide.h"
#include "net/gather.h"

enum { FORWARD = NET_FORWARD_STRIPS * 8, ADJOINT = NET_ADJOINT_STRIPS * 8 };

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

/* Writes 8 records of `strips` strips from fields in lanes. */
static inline void store_records(fw* fields, int32_t strips, float* records) {
    for (int32_t s = 0; s < strips; ++s) {
        fw_transpose8(fields + 8 * s);
        for (int j = 0; j < 8; ++j) {
            fw_store(records + (size_t)(j * strips + s) * 8, fields[8 * s + j]);
        }
    }
}

/* Sums the lists of 8 outputs and turns them into fields in lanes. */
static inline void gather_eight(const int32_t* offset, const int32_t* items, const float* weight,
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

static inline void gather_forward(const net* n, int32_t first, const float* records, fw* fields) {
    if (n->forward_weight != NULL) {
        gather_eight(n->forward_offset, n->forward, n->forward_weight, first, records,
                     NET_FORWARD_STRIPS, fields);
    } else {
        gather_eight(n->forward_offset, n->forward, NULL, first, records, NET_FORWARD_STRIPS,
                     fields);
    }
}

static inline void gather_back(const net* n, int32_t first, const float* records, fw* fields) {
    if (n->back_weight != NULL) {
        gather_eight(n->back_offset, n->back, n->back_weight, first, records, NET_ADJOINT_STRIPS,
                     fields);
    } else {
        gather_eight(n->back_offset, n->back, NULL, first, records, NET_ADJOINT_STRIPS, fields);
    }
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
        o.x0[k] = fw_load(n->x0[k] + i);
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

/* Shortens own velocities beyond `most`; what is taken is taken from the body's velocity too. */
static inline void limit_speed(own_state* o, fw most) {
    fw speed2 = dot(o->v, o->v);
    mw fast = fw_gt(speed2, fw_mul(most, most));
    for (int k = 0; k < 3; ++k) {
        o->over[k] = fw_zero();
    }
    if (mw_any(fast)) {
        fw keep = fw_select(fast, fw_div(most, fw_sqrt(speed2)), fw_set1(1.0f));
        for (int k = 0; k < 3; ++k) {
            fw kept = fw_mul(o->v[k], keep);
            o->over[k] = fw_select(fast, fw_sub(kept, o->v[k]), fw_zero());
            o->v[k] = fw_select(fast, kept, o->v[k]);
        }
    }
}

/* Node state as it is stored: of 8 slots in a row, or of any 8. */
typedef struct raw_state {
    fw x0[3], d[3], v[3];
} raw_state;

static inline raw_state load_raw(const node_state* n, int32_t i) {
    raw_state r;
    for (int k = 0; k < 3; ++k) {
        r.x0[k] = fw_load(n->x0[k] + i);
        r.d[k] = fw_load(n->d[k] + i);
        r.v[k] = fw_load(n->v[k] + i);
    }
    return r;
}

static inline raw_state gather_raw(const node_state* n, const int32_t slot[8]) {
    raw_state r;
    for (int k = 0; k < 3; ++k) {
        r.x0[k] = fw_gather(n->x0[k], slot);
        r.d[k] = fw_gather(n->d[k], slot);
        r.v[k] = fw_gather(n->v[k], slot);
    }
    return r;
}

/* The state in a chart's coordinates. Like is taken from like first, so nothing large is rounded;
 * the component's displacement and velocity are in both and need no name here. */
static inline own_state chart_state(const raw_state* r, const match_rigid* rigid,
                                    const match_chart* c) {
    own_state o;
    fw turn[3];
    const fw w[3] = {fw_set1(rigid->w[0]), fw_set1(rigid->w[1]), fw_set1(rigid->w[2])};
    for (int k = 0; k < 3; ++k) {
        o.x0[k] = fw_sub(r->x0[k], fw_set1(c->x0[k]));
        o.d[k] = fw_sub(r->d[k], fw_set1(c->d[k]));
        o.x[k] = fw_add(o.x0[k], o.d[k]);
        o.over[k] = fw_zero();
    }
    cross(w, o.x, turn);
    for (int k = 0; k < 3; ++k) {
        o.v[k] = fw_sub(fw_sub(r->v[k], fw_set1(c->v[k])), turn[k]);
    }
    return o;
}

static inline void store_forward(const match_body* m, int32_t i, const own_state* o) {
    fw mass = fw_load(m->fit_mass + i), md[3], mv[3], r[FORWARD];
    for (int k = 0; k < 3; ++k) {
        md[k] = fw_mul(mass, o->d[k]);
        mv[k] = fw_mul(mass, o->v[k]);
    }
    for (int k = 0; k < 3; ++k) {
        r[k] = md[k];
        for (int j = 0; j < 3; ++j) {
            r[3 + 3 * k + j] = fw_mul(md[k], o->x0[j]);
        }
        r[12 + k] = mv[k];
        r[18 + k] = fw_mul(md[k], o->d[k]);
    }
    cross(o->x, mv, r + 15);
    r[21] = fw_mul(md[0], o->d[1]);
    r[22] = fw_mul(md[0], o->d[2]);
    r[23] = fw_mul(md[1], o->d[2]);
    store_records(r, NET_FORWARD_STRIPS, m->forward + (size_t)i * FORWARD);
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

static void match_leaves(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                         double out_own[MATCH_SUMS]) {
    fw sum[MATCH_SUMS];
    for (int k = 0; k < MATCH_SUMS; ++k) {
        sum[k] = fw_zero();
    }
    for (int32_t i = begin; i < end; i += 8) {
        own_state o = load_own(m->nodes, i, rigid);
        add_own(&o, fw_load(m->nodes->mass + i), sum);
        store_forward(m, i, &o);
    }
    for (int k = 0; k < MATCH_SUMS; ++k) {
        out_own[k] = dw_sum(dw_from(sum[k]));
    }
}

static void match_chart_leaves(const match_body* m, int32_t begin, int32_t end,
                               const match_rigid* rigid, const match_chart* chart,
                               double out_own[MATCH_SUMS]) {
    fw sum[MATCH_SUMS];
    for (int k = 0; k < MATCH_SUMS; ++k) {
        sum[k] = fw_zero();
    }
    for (int32_t i = begin; i < end; i += 8) {
        own_state o = load_own(m->nodes, i, rigid);
        add_own(&o, fw_load(m->nodes->mass + i), sum);
        raw_state raw = load_raw(m->nodes, i);
        o = chart_state(&raw, rigid, chart);
        store_forward(m, i, &o);
    }
    for (int k = 0; k < MATCH_SUMS; ++k) {
        out_own[k] = dw_sum(dw_from(sum[k]));
    }
}

static void match_ghost_leaves(const match_body* m, int32_t begin, int32_t end,
                               const match_rigid* rigid, const match_chart* chart) {
    const charts* c = m->charts;
    for (int32_t i = begin; i < end; i += 8) {
        raw_state raw = gather_raw(m->nodes, c->ghost_node + (i - c->slots));
        own_state o = chart_state(&raw, rigid, chart);
        store_forward(m, i, &o);
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

static void match_regions(const match_body* m, int32_t begin, int32_t end) {
    const net* n = m->net;
    const regions* r = m->regions;
    const int32_t first = n->first[n->layers - 1];
    for (int32_t i = begin; i < end; i += 8) {
        fw s[FORWARD];
        gather_forward(n, first + i, m->forward, s);
        fw inv_mass = fw_load(r->inv_mass + i);
        fw c0[3], a0[6], dbar[3], b[9], a[9], q[4], less[9];
        for (int k = 0; k < 3; ++k) {
            c0[k] = fw_load(r->c0[k] + i);
            dbar[k] = fw_mul(s[k], inv_mass);
        }
        for (int k = 0; k < 6; ++k) {
            a0[k] = fw_load(r->a0[k] + i);
        }
        for (int k = 0; k < 9; ++k) {
            b[k] = fw_sub(s[3 + k], fw_mul(s[k / 3], c0[k % 3]));
        }
        /* A = sum m~ p q^T = A0 + sum m~ (d - dbar)(x0 - c0)^T */
        static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
        for (int k = 0; k < 9; ++k) {
            a[k] = fw_add(a0[symmetric[k]], b[k]);
        }
        for (int k = 0; k < 4; ++k) {
            q[k] = fw_load(m->q[k] + i);
        }
        rotation_scaled ready = rotation_scale(a, fw_zero());
        rotation_step(&ready, q);
        rotation_step(&ready, q);
        for (int k = 0; k < 4; ++k) {
            fw_store(m->q[k] + i, q[k]);
        }
        rotation_matrix_minus_identity(q, less);

        /* Rigid velocity of the region: v_r, and omega_r from L_r and the present second moments
         * S = A0 + B + B^T + sum m~ d d^T - M dbar dbar^T. */
        fw vr[3], c[3], l[3], turning[3], spread[6], omega[3];
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

        fw goal = fw_load(m->gains->goal + i), damp = fw_load(m->gains->damp + i);
        fw out[ADJOINT], lever[3];
        cross(omega, c, lever);
        for (int k = 0; k < 9; ++k) {
            out[k] = fw_mul(goal, less[k]);
        }
        for (int k = 0; k < 3; ++k) {
            out[9 + k] = fw_mul(damp, omega[k]);
            fw shift = fw_sub(dbar[k], row_times(less, k, c0));
            out[12 + k] = fw_add(fw_mul(goal, shift), fw_mul(damp, fw_sub(vr[k], lever[k])));
        }
        out[15] = fw_zero();
        store_records(out, NET_ADJOINT_STRIPS, m->adjoint + (size_t)(first + i) * ADJOINT);
    }
}

static void match_rotations(const match_body* m, int32_t begin, int32_t end) {
    const int32_t first = m->net->first[m->net->layers - 1];
    for (int32_t i = begin; i < end; i += 8) {
        fw q[4], less[9], out[ADJOINT];
        for (int k = 0; k < 4; ++k) {
            q[k] = fw_load(m->q[k] + i);
        }
        rotation_matrix_minus_identity(q, less);
        fw goal = fw_load(m->gains->goal + i);
        for (int k = 0; k < ADJOINT; ++k) {
            out[k] = k < 9 ? fw_mul(goal, less[k]) : fw_zero();
        }
        store_records(out, NET_ADJOINT_STRIPS, m->adjoint + (size_t)(first + i) * ADJOINT);
    }
}

/* B = sum g (R - 1) / sum g, the node's own affine part; d - B x0 is completed by the skin. `goal`:
 * 1/W sum g. */
static inline void store_affine(const match_body* m, int32_t i, const fw less[9], fw goal) {
    fw inv_weight = fw_load(m->inv_weight + i);
    fw share = fw_select(fw_gt(goal, fw_zero()), fw_div(inv_weight, fw_max(goal, fw_set1(1e-30f))),
                         fw_zero());
    fw out[ADJOINT];
    for (int k = 0; k < ADJOINT; ++k) {
        out[k] = k < 9 ? fw_mul(share, less[k]) : fw_zero();
    }
    store_records(out, NET_ADJOINT_STRIPS, m->nodes->affine + (size_t)i * ADJOINT);
}

/* Sums what the ghosts of 8 nodes have left in their records; false when there are none. */
static inline bool gather_ghosts(const match_body* m, int32_t i, fw given[ADJOINT]) {
    const charts* c = m->charts;
    if (c->node_offset[i] == c->node_offset[i + 8]) {
        return false;
    }
    gather_eight(c->node_offset, c->node_ghost, NULL, i, m->adjoint, NET_ADJOINT_STRIPS, given);
    return true;
}

/* Adds the ghosts' matrices, and their sum g to `goal`. */
static inline fw add_affine(fw less[9], const fw given[ADJOINT], fw goal) {
    for (int k = 0; k < 9; ++k) {
        less[k] = fw_add(less[k], given[k]);
    }
    return fw_add(goal, given[15]);
}

/* What the regions of a record pull at it: s its sums, o its state in their coordinates. */
static inline void region_pull(const fw s[ADJOINT], const own_state* o, fw inv_weight, fw goal,
                               fw damp, fw out[3]) {
    fw spun[3];
    cross(s + 9, o->x, spun);
    for (int k = 0; k < 3; ++k) {
        fw pull = fw_add(fw_add(row_times(s, k, o->x0), s[12 + k]), spun[k]);
        fw hold = fw_add(fw_mul(goal, o->d[k]), fw_mul(damp, o->v[k]));
        out[k] = fw_sub(fw_mul(inv_weight, pull), hold);
    }
}

static void match_ghost_goals(const match_body* m, int32_t begin, int32_t end,
                              const match_rigid* rigid, const match_chart* chart) {
    const charts* c = m->charts;
    for (int32_t i = begin; i < end; i += 8) {
        fw s[ADJOINT];
        gather_back(m->net, i, m->adjoint, s);
        fw goal = fw_load(m->gains->goal_sum + i), damp = fw_load(m->gains->damp_sum + i);
        raw_state raw = gather_raw(m->nodes, c->ghost_node + (i - c->slots));
        own_state o = chart_state(&raw, rigid, chart);
        fw pull[3];
        region_pull(s, &o, fw_load(m->inv_weight + i), goal, damp, pull);
        for (int k = 0; k < 3; ++k) {
            s[9 + k] = fw_zero();
            s[12 + k] = pull[k];
        }
        s[15] = goal;
        store_records(s, NET_ADJOINT_STRIPS, m->adjoint + (size_t)i * ADJOINT);
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

static void match_goals(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                        bool want_affine, double out_added[6]) {
    dw added[6];
    for (int k = 0; k < 6; ++k) {
        added[k] = dw_zero();
    }
    fw body_damp = fw_set1(m->gains->body_damp), most = most_speed(m);
    for (int32_t i = begin; i < end; i += 8) {
        fw s[ADJOINT], pull[3];
        gather_back(m->net, i, m->adjoint, s);
        fw goal = fw_load(m->gains->goal_sum + i), damp = fw_load(m->gains->damp_sum + i);
        own_state o = load_own(m->nodes, i, rigid);
        limit_speed(&o, most);
        region_pull(s, &o, fw_load(m->inv_weight + i), goal, fw_add(damp, body_damp), pull);
        change_velocities(m->nodes, i, &o, rigid, pull, added);
        if (want_affine) {
            store_affine(m, i, s, goal);
        }
    }
    for (int k = 0; k < 6; ++k) {
        out_added[k] = dw_sum(added[k]);
    }
}

/* The body's damping acts on the chart's velocities too; what that leaves out, the chart's own, is
 * in push_a. */
static void match_chart_goals(const match_body* m, int32_t begin, int32_t end,
                              const match_rigid* rigid, const match_chart* chart, bool want_affine,
                              double out_added[6]) {
    dw added[6];
    for (int k = 0; k < 6; ++k) {
        added[k] = dw_zero();
    }
    fw body_damp = fw_set1(m->gains->body_damp), most = most_speed(m);
    for (int32_t i = begin; i < end; i += 8) {
        fw s[ADJOINT], given[ADJOINT], pull[3];
        gather_back(m->net, i, m->adjoint, s);
        fw goal = fw_load(m->gains->goal_sum + i), damp = fw_load(m->gains->damp_sum + i);
        own_state o = load_own(m->nodes, i, rigid);
        limit_speed(&o, most);
        raw_state raw = load_raw(m->nodes, i);
        own_state local = chart_state(&raw, rigid, chart);
        for (int k = 0; k < 3; ++k) {
            local.v[k] = fw_add(local.v[k], o.over[k]);
        }
        region_pull(s, &local, fw_load(m->inv_weight + i), goal, fw_add(damp, body_damp), pull);
        if (gather_ghosts(m, i, given)) {
            for (int k = 0; k < 3; ++k) {
                pull[k] = fw_add(pull[k], given[12 + k]);
            }
            goal = add_affine(s, given, goal);
        }
        change_velocities(m->nodes, i, &o, rigid, pull, added);
        if (want_affine) {
            store_affine(m, i, s, goal);
        }
    }
    for (int k = 0; k < 6; ++k) {
        out_added[k] = dw_sum(added[k]);
    }
}

static void match_affines(const match_body* m, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; i += 8) {
        fw s[ADJOINT], given[ADJOINT], goal = fw_load(m->gains->goal_sum + i);
        gather_back(m->net, i, m->adjoint, s);
        if (m->charts->ghost_count > 0 && gather_ghosts(m, i, given)) {
            goal = add_affine(s, given, goal);
        }
        store_affine(m, i, s, goal);
    }
}

const match_kernels KERNEL(match_kernels) = {match_leaves,  match_chart_leaves, match_ghost_leaves,
                                             match_regions, match_rotations,    match_ghost_goals,
                                             match_goals,   match_chart_goals,  match_affines};

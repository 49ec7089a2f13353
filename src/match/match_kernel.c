/* SPDX-License-Identifier: MIT
 * Job: the four passes of matching, 8 nodes or regions at a time, compiled once per instruction
 * set. In: node state, region constants, records. Out: records, rotations, velocities. Lanes are
 * independent nodes or regions; nothing is summed across lanes but the residual impulse, in a fixed
 * order. Equations in match/match.h.
 */
#include "match/match_lanes.h"

KERNEL_PASS void gather_forward(const net* n, int32_t first, const float* records, bool damped,
                                fw* fields) {
    int32_t strips = forward_strips(damped);
    if (n->forward_weight != NULL) {
        gather_eight(n->forward_offset, n->forward, n->forward_weight, first, records, strips,
                     fields);
    } else {
        gather_eight(n->forward_offset, n->forward, NULL, first, records, strips, fields);
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

KERNEL_PASS void leaves(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                        const match_chart* chart, bool damped, double out_own[MATCH_SUMS]) {
    fw sum[MATCH_SUMS];
    for (int k = 0; k < MATCH_SUMS; ++k) {
        sum[k] = fw_zero();
    }
    for (int32_t i = begin; i < end; i += 8) {
        own_state o = load_own(m->nodes, i, rigid);
        if (chart != NULL) {
            raw_state raw = load_raw(m->nodes, i);
            own_state local = chart_state(&raw, rigid, chart);
            store_forward(m, i, &local, damped);
        } else {
            store_forward(m, i, &o, damped);
        }
        add_own(&o, fw_load(m->nodes->mass + i), sum);
    }
    for (int k = 0; k < MATCH_SUMS; ++k) {
        out_own[k] = dw_sum(dw_from(sum[k]));
    }
}

static void match_leaves(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                         double out_own[MATCH_SUMS]) {
    if (m->damped) {
        leaves(m, begin, end, rigid, NULL, true, out_own);
    } else {
        leaves(m, begin, end, rigid, NULL, false, out_own);
    }
}

static void match_chart_leaves(const match_body* m, int32_t begin, int32_t end,
                               const match_rigid* rigid, const match_chart* chart,
                               double out_own[MATCH_SUMS]) {
    if (m->damped) {
        leaves(m, begin, end, rigid, chart, true, out_own);
    } else {
        leaves(m, begin, end, rigid, chart, false, out_own);
    }
}

static void match_ghost_leaves(const match_body* m, int32_t begin, int32_t end,
                               const match_rigid* rigid, const match_chart* chart) {
    const charts* c = m->charts;
    for (int32_t i = begin; i < end; i += 8) {
        raw_state raw = gather_raw(m->nodes, c->ghost_node + (i - c->slots));
        own_state o = chart_state(&raw, rigid, chart);
        store_forward(m, i, &o, m->damped);
    }
}

KERNEL_PASS void solve_regions(const match_body* m, int32_t begin, int32_t end, bool damped,
                               match_shape shape, bool watched) {
    const net* n = m->net;
    const int32_t first = n->first[n->layers - 1] - m->regions->box;
    for (int32_t i = begin; i < end; i += 8) {
        fw s[FORWARD], out[ADJOINT];
        gather_forward(n, first + i, m->forward, damped, s);
        region_lanes(m, i, s, damped, shape, watched, out);
        for (int k = damped ? ADJOINT_DAMPED : ADJOINT_UNDAMPED; k < ADJOINT; ++k) {
            out[k] = fw_zero();
        }
        store_records(out, m->adjoint + (size_t)(first + i) * ADJOINT);
    }
}

/* One copy for each of what regions may be asked for, with damping and without. */
KERNEL_PASS void regions_pass(const match_body* m, int32_t begin, int32_t end, match_shape shape,
                              bool watched) {
    if (m->damped) {
        solve_regions(m, begin, end, true, shape, watched);
    } else {
        solve_regions(m, begin, end, false, shape, watched);
    }
}

static void match_regions(const match_body* m, int32_t begin, int32_t end) {
    regions_pass(m, begin, end, MATCH_PLAIN, false);
}

static void match_regions_fit(const match_body* m, int32_t begin, int32_t end) {
    regions_pass(m, begin, end, MATCH_FIT, false);
}

static void match_regions_plastic(const match_body* m, int32_t begin, int32_t end) {
    regions_pass(m, begin, end, MATCH_PLASTIC, false);
}

/* Of points, which are few regions: one copy for all shapes. */
static void match_regions_watched(const match_body* m, int32_t begin, int32_t end) {
    regions_pass(m, begin, end, m->gains->shape, true);
}

static void match_rotations(const match_body* m, int32_t begin, int32_t end) {
    const int32_t first = m->net->first[m->net->layers - 1] - m->regions->box;
    for (int32_t i = begin; i < end; i += 8) {
        fw q[4], less[9], out[ADJOINT];
        for (int k = 0; k < 4; ++k) {
            q[k] = fw_load(m->q[k] + i);
        }
        rotation_matrix_minus_identity(q, less);
        if (m->gains->shape == MATCH_PLASTIC) {
            fw p[6];
            if (plastic_load(m, i, p)) {
                plastic_times(less, p);
            }
        }
        fw goal = fw_load(m->gains->goal + i);
        for (int k = 0; k < ADJOINT; ++k) {
            out[k] = k < 9 ? fw_mul(goal, less[k]) : fw_zero();
        }
        store_records(out, m->adjoint + (size_t)(first + i) * ADJOINT);
    }
}

static void match_shapes(const match_body* m, int32_t begin, int32_t end) {
    const net* n = m->net;
    const regions* r = m->regions;
    const int32_t first = n->first[n->layers - 1];
    for (int32_t i = begin; i < end; i += 8) {
        fw s[FORWARD], q[4], c0[3], a0[6], b[9], less[9], out[ADJOINT];
        gather_forward(n, first + i, m->forward, true, s);
        for (int k = 0; k < 3; ++k) {
            c0[k] = fw_load(r->c0[k] + i);
        }
        for (int k = 0; k < 6; ++k) {
            a0[k] = fw_load(r->a0[k] + i);
        }
        for (int k = 0; k < 4; ++k) {
            q[k] = fw_load(m->q[k] + i);
        }
        region_moments(s, c0, b);
        rotation_matrix_minus_identity(q, less);
        fw inverse[6];
        fw p[6];
        bool flowed = m->gains->shape == MATCH_PLASTIC && plastic_load(m, i, p);
        stretch f = plastic_stretch(m, i, b, a0, less, p, flowed, inverse);
        region_seen(m, &f, less);
        if (flowed) {
            plastic_times(less, p);
        }
        fw goal = fw_load(m->gains->goal + i);
        for (int k = 0; k < ADJOINT; ++k) {
            out[k] = k < 9 ? fw_mul(goal, less[k]) : fw_zero();
        }
        store_records(out, m->adjoint + (size_t)(first + i) * ADJOINT);
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
    store_records(out, m->nodes->affine + (size_t)i * ADJOINT);
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

static void match_ghost_goals(const match_body* m, int32_t begin, int32_t end,
                              const match_rigid* rigid, const match_chart* chart) {
    const charts* c = m->charts;
    for (int32_t i = begin; i < end; i += 8) {
        fw s[ADJOINT];
        gather_back(m->net, i, m->adjoint, s);
        fw goal = fw_load(m->gains->goal_sum + i), damp = damp_of(m, i);
        raw_state raw = gather_raw(m->nodes, c->ghost_node + (i - c->slots));
        own_state o = chart_state(&raw, rigid, chart);
        fw pull[3];
        region_pull(s, &o, fw_load(m->inv_weight + i), goal, damp, m->damped, pull);
        for (int k = 0; k < 3; ++k) {
            s[9 + k] = pull[k];
            s[12 + k] = fw_zero();
        }
        s[15] = goal;
        store_records(s, m->adjoint + (size_t)i * ADJOINT);
    }
}

KERNEL_PASS void goals_pass(const match_body* m, int32_t begin, int32_t end,
                            const match_rigid* rigid, bool want_affine, bool more,
                            double out_added[6]) {
    dw added[6];
    for (int k = 0; k < 6; ++k) {
        added[k] = dw_zero();
    }
    fw body_damp = fw_set1(m->gains->body_damp), most = most_speed(m);
    for (int32_t i = begin; i < end; i += 8) {
        fw s[ADJOINT], pull[3];
        gather_back(m->net, i, m->adjoint, s);
        fw goal = fw_load(m->gains->goal_sum + i), damp = damp_of(m, i);
        own_state o = load_own(m->nodes, i, rigid);
        limit_speed(&o, rigid, most);
        region_pull(s, &o, fw_load(m->inv_weight + i), goal, fw_add(damp, body_damp), m->damped,
                    pull);
        for (int k = 0; k < 3 && more; ++k) {
            pull[k] = fw_add(pull[k], fw_load(m->more[k] + i));
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

static void match_goals(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                        bool want_affine, double out_added[6]) {
    goals_pass(m, begin, end, rigid, want_affine, false, out_added);
}

static void match_goals_more(const match_body* m, int32_t begin, int32_t end,
                             const match_rigid* rigid, bool want_affine, double out_added[6]) {
    goals_pass(m, begin, end, rigid, want_affine, true, out_added);
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
        fw goal = fw_load(m->gains->goal_sum + i), damp = damp_of(m, i);
        own_state o = load_own(m->nodes, i, rigid);
        limit_speed(&o, rigid, most);
        raw_state raw = load_raw(m->nodes, i);
        own_state local = chart_state(&raw, rigid, chart);
        for (int k = 0; k < 3; ++k) {
            local.v[k] = fw_add(local.v[k], o.over[k]);
        }
        region_pull(s, &local, fw_load(m->inv_weight + i), goal, fw_add(damp, body_damp), m->damped,
                    pull);
        if (gather_ghosts(m, i, given)) {
            for (int k = 0; k < 3; ++k) {
                pull[k] = fw_add(pull[k], given[9 + k]);
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

const match_kernels KERNEL(match_kernels) = {
    .leaves = match_leaves,
    .chart_leaves = match_chart_leaves,
    .ghost_leaves = match_ghost_leaves,
    .regions = {{match_regions, match_regions_watched},
                {match_regions_fit, match_regions_watched},
                {match_regions_plastic, match_regions_watched}},
    .rotations = match_rotations,
    .shapes = match_shapes,
    .ghost_goals = match_ghost_goals,
    .goals = match_goals,
    .goals_more = match_goals_more,
    .chart_goals = match_chart_goals,
    .affine = match_affines,
};

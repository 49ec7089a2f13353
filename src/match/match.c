/* SPDX-License-Identifier: MIT
 * Job: one matching pass over a body, or over some of its regions and nodes. In: node state,
 * network, regions. Out: velocities. The order of the passes is the order of data: leaves, sums,
 * regions, sums back, goals; then the impulse that rounding has left is taken out per component.
 */
#include "match/match.h"

#include "base/timer.h"
#include "match/guide.h"
#include "match/match_box.h"
#include "match/match_some.h"
#include "match/quadratic.h"

#include <string.h>

enum { REGION_BLOCK = 64 }; /* a region has some 60 inputs */

#define DECLARE(set, suffix)                                                                       \
    extern const match_kernels match_kernels_##suffix;                                             \
    extern const match_box_kernels match_box_kernels_##suffix;
ISA_LIST(DECLARE)

const match_kernels* match_kernels_for(isa set) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        return &match_kernels_##suffix;
        ISA_LIST(CASE)
    default:
        return &ISA_BASE(match_kernels);
    }
}

const match_box_kernels* match_box_kernels_for(isa set) {
    switch (set) {
#define CASE_BOX(set, suffix)                                                                      \
    case set:                                                                                      \
        return &match_box_kernels_##suffix;
        ISA_LIST(CASE_BOX)
    default:
        return &ISA_BASE(match_box_kernels);
    }
}

typedef struct pass {
    const match_body* m;
    const match_kernels* kernels;
    const match_box_kernels* box;
    bool want_affine;
    const uint8_t *wanted, *mark; /* of a pass over some (match/match_some.h) */
} pass;

static void to_floats(float out[3], lim_point p) {
    out[0] = (float)p.x;
    out[1] = (float)p.y;
    out[2] = (float)p.z;
}

/* Sums are about the component's anchor. */
static lim_point from_anchor(const component* c, lim_point at) {
    return p3(at.x - (double)c->anchor[0], at.y - (double)c->anchor[1],
              at.z - (double)c->anchor[2]);
}

/* Of the sums at the step's begin: displaced by centre - rest centre, moving with
 * velocity + spin x (x - centre) = a + spin x x', x' = x - shift - anchor. The push is u + omega x
 * (x' - own centre), as component_push has found it. */
static match_rigid rigid_of(const match_body* m, int32_t number) {
    const component* c = m->nodes->components + number;
    match_rigid r = {.anchor = {c->anchor[0], c->anchor[1], c->anchor[2]}};
    lim_point own_centre = from_anchor(c, c->own_centre);
    to_floats(r.shift, p3_sub(c->centre, c->rest_centre));
    to_floats(r.a, p3_sub(c->velocity, p3_cross(c->spin, from_anchor(c, c->rest_centre))));
    to_floats(r.w, c->spin);
    to_floats(r.gravity, dquat_rotate(dquat_conjugate(c->rotation), m->gravity));
    to_floats(r.push_a, p3_sub(c->push, p3_cross(c->push_spin, own_centre)));
    to_floats(r.push_w, c->push_spin);
    to_floats(r.own_a, p3_sub(c->own_velocity, p3_cross(c->own_spin, own_centre)));
    to_floats(r.own_w, c->own_spin);
    return r;
}

/* Before anything moves: goals change the velocities of the charts' nodes too. */
static void take_frames(const match_body* m) {
    const charts* c = m->charts;
    for (int32_t i = 0; i < c->count && charts_many(c); ++i) {
        for (int k = 0; k < 3 && c->node[i] >= 0; ++k) {
            m->frames[i].x0[k] = c->origin[k][i];
            m->frames[i].d[k] = m->nodes->d[k][c->node[i]];
            m->frames[i].v[k] = m->nodes->v[k][c->node[i]];
        }
    }
}

/* Null for the component's own frame. */
static const match_chart* chart_of(const match_body* m, int32_t number) {
    return m->charts->node[number] >= 0 ? m->frames + number : NULL;
}

/* Displacements from a rest shape of the matching's own. */
static void rest_task(void* context, int32_t index) {
    const pass* p = context;
    const match_rest* r = p->m->rest;
    const node_block* b = p->m->nodes->blocks + index;
    for (int k = 0; k < 3; ++k) {
        for (int32_t i = b->begin; i < b->end; ++i) {
            p->m->nodes->d[k][i] = r->d[k][i] - r->shift[k][i];
        }
    }
}

static void take_rest(pass* p, workers* pool) {
    if (p->m->rest != NULL) {
        workers_run(pool, p->m->nodes->block_count, rest_task, p);
    }
}

/* Affine parts L - 1 from that rest shape become L G - 1, from the body's. */
static void bend_task(void* context, int32_t index) {
    const pass* p = context;
    const node_block* b = p->m->nodes->blocks + index;
    for (int32_t i = b->begin; i < b->end; ++i) {
        const float* g = p->m->rest->gradient + 9 * (size_t)i;
        float *l = p->m->nodes->affine + 16 * (size_t)i, out[9];
        for (int k = 0; k < 9; ++k) {
            const float *row = l + k / 3 * 3, *column = g + k % 3;
            float sum = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
            out[k] = sum + (g[k] - (k % 4 == 0 ? 1.0f : 0.0f));
        }
        memcpy(l, out, sizeof out);
    }
}

static void bend_affine(pass* p, workers* pool) {
    if (p->m->rest != NULL && p->m->rest->gradient != NULL) {
        workers_run(pool, p->m->nodes->block_count, bend_task, p);
    }
}

/* Blocks of nodes, then of ghosts. */
static const node_block* leaves_block(const match_body* m, int32_t index) {
    int32_t nodes = m->nodes->block_count;
    return index < nodes ? m->nodes->blocks + index : m->charts->ghost_blocks + (index - nodes);
}

static void run_leaves(const pass* p, const node_block* b, int32_t begin, int32_t end,
                       double sums[MATCH_SUMS]) {
    match_rigid rigid = rigid_of(p->m, b->component);
    const match_chart* chart = chart_of(p->m, b->chart);
    if (begin >= p->m->nodes->padded) {
        p->kernels->ghost_leaves(p->m, begin, end, &rigid, chart);
    } else if (chart != NULL) {
        p->kernels->chart_leaves(p->m, begin, end, &rigid, chart, sums);
    } else {
        p->kernels->leaves(p->m, begin, end, &rigid, sums);
    }
}

static void leaves_task(void* context, int32_t index) {
    const pass* p = context;
    const node_block* b = leaves_block(p->m, index);
    bool ghosts = index >= p->m->nodes->block_count;
    run_leaves(p, b, b->begin, b->end,
               ghosts ? NULL : p->m->block_sums + (size_t)index * NODE_SUMS);
}

/* Regions of lists, in blocks. */
static int32_t region_begin(const match_body* m, int32_t index) {
    int32_t begin = m->regions->box + index * REGION_BLOCK;
    return begin < m->regions->padded ? begin : m->regions->padded;
}

static int32_t region_blocks(const match_body* m) {
    return (m->regions->padded - m->regions->box + REGION_BLOCK - 1) / REGION_BLOCK;
}

static void regions_task(void* context, int32_t index) {
    const pass* p = context;
    int watched = p->m->watch != NULL;
    p->kernels->regions[p->m->gains->shape][watched](p->m, region_begin(p->m, index),
                                                     region_begin(p->m, index + 1));
}

static void shapes_task(void* context, int32_t index) {
    const pass* p = context;
    p->kernels->shapes(p->m, region_begin(p->m, index), region_begin(p->m, index + 1));
}

/* Every region finds its rotation; then those that have lost their shape get a common one. */
static void match_all_regions(pass* p, workers* pool) {
    workers_run(pool, region_blocks(p->m), regions_task, p);
    if (p->m->watch != NULL && guide_regions(p->m)) {
        workers_run(pool, region_blocks(p->m), regions_task, p);
        guide_release(p->m);
    }
}

static void rotations_task(void* context, int32_t index) {
    const pass* p = context;
    p->kernels->rotations(p->m, region_begin(p->m, index), region_begin(p->m, index + 1));
}

static void ghosts_task(void* context, int32_t index) {
    const pass* p = context;
    const node_block* b = p->m->charts->ghost_blocks + index;
    match_rigid rigid = rigid_of(p->m, b->component);
    p->kernels->ghost_goals(p->m, b->begin, b->end, &rigid, chart_of(p->m, b->chart));
}

/* The body's damping acts on v' + (v_c - a - w cross x_c), what a node does in its chart and what
 * the chart does in the component. Goals see the first; this is the second. */
static void damp_chart(const match_body* m, const match_chart* c, match_rigid* r) {
    double at[3];
    for (int k = 0; k < 3; ++k) {
        at[k] = (double)c->x0[k] + (double)c->d[k] - (double)r->shift[k] - (double)r->anchor[k];
    }
    lim_point x = p3(at[0], at[1], at[2]);
    lim_point turn = p3_cross(p3((double)r->w[0], (double)r->w[1], (double)r->w[2]), x);
    const double turning[3] = {turn.x, turn.y, turn.z};
    for (int k = 0; k < 3; ++k) {
        double own = (double)c->v[k] - ((double)r->a[k] + turning[k]);
        r->push_a[k] = (float)((double)r->push_a[k] - (double)m->gains->body_damp * own);
    }
}

static void goals_task(void* context, int32_t index) {
    const pass* p = context;
    const node_state* n = p->m->nodes;
    const node_block* b = n->blocks + index;
    match_rigid rigid = rigid_of(p->m, b->component);
    const match_chart* chart = chart_of(p->m, b->chart);
    double* sums = p->m->block_sums + (size_t)index * NODE_SUMS;
    if (chart != NULL) {
        damp_chart(p->m, chart, &rigid);
        p->kernels->chart_goals(p->m, b->begin, b->end, &rigid, chart, p->want_affine, sums);
    } else {
        bool more = p->m->gains->goal_kind == MATCH_QUADRATIC;
        (more ? p->kernels->goals_more : p->kernels->goals)(p->m, b->begin, b->end, &rigid,
                                                            p->want_affine, sums);
    }
}

static void affine_task(void* context, int32_t index) {
    const pass* p = context;
    const node_block* b = p->m->nodes->blocks + index;
    p->kernels->affine(p->m, b->begin, b->end);
}

/* Sum of the first `count` sums of the blocks of one component, from block *b on, which moves
 * behind. */
static void component_sum(const match_body* m, int32_t* b, int count, double sum[MATCH_SUMS]) {
    const node_state* n = m->nodes;
    int32_t number = n->blocks[*b].component;
    for (int k = 0; k < count; ++k) {
        sum[k] = 0.0;
    }
    for (; *b < n->block_count && n->blocks[*b].component == number; ++*b) {
        for (int k = 0; k < count; ++k) {
            sum[k] += m->block_sums[(size_t)*b * NODE_SUMS + (size_t)k];
        }
    }
}

/* Radians that a component may turn in a substep: beyond, moving along straight lines stretches it
 * faster than matching mends it. At 240 Hz that is 19 turns per second. */
#define TURN_MOST 0.5

/* Inertia about the own centre from sum m x x^T, with that of the cells themselves. */
static void inertia_of(const component* c, const double s[6], double out[6]) {
    double m = c->mass, own = c->own_inertia;
    lim_point o = from_anchor(c, c->own_centre);
    double xx = s[0] - m * o.x * o.x, yy = s[1] - m * o.y * o.y, zz = s[2] - m * o.z * o.z;
    out[0] = yy + zz + own;
    out[1] = xx + zz + own;
    out[2] = xx + yy + own;
    out[3] = m * o.x * o.y - s[3];
    out[4] = m * o.x * o.z - s[4];
    out[5] = m * o.y * o.z - s[5];
}

/* A component that is held fades towards the motion of what holds it, as far as it is held; its
 * momentum is not its own. p, l: what is rigid in its velocities beside the motion of the step's
 * begin, about the own centre; this is not given back. */
static void push_to_held(component* c, double damp, const double inertia[6], lim_point p,
                         lim_point l) {
    /* Velocities at the own centre, which is at own_centre + shift in the frame. */
    lim_point at = p3_add(c->own_centre, p3_sub(c->centre, c->rest_centre));
    lim_point held = p3_cross(c->held_spin, p3_sub(at, c->held_centre));
    lim_point own = p3_cross(c->spin, p3_sub(at, c->centre));
    lim_point way = p3_sub(p3_add(c->held_velocity, held), p3_add(c->velocity, own));
    lim_point push = p3_scale(way, damp), turn = p3_scale(p3_sub(c->held_spin, c->spin), damp);
    bool finite = p3_finite(push) && p3_finite(turn);
    push = finite ? push : p3(0, 0, 0);
    turn = finite ? turn : p3(0, 0, 0);
    lim_point impulse = p3_sub(p3_scale(push, c->mass), p3_scale(p, damp));
    lim_point turning = p3_sub(sym3_mul(inertia, turn), p3_scale(l, damp));
    c->held_impulse = p3_scale(impulse, c->held);
    c->held_turning = p3_scale(turning, c->held);
    c->push = p3_mad(p3_scale(c->push, 1.0 - c->held), push, c->held);
    c->push_spin = p3_mad(p3_scale(c->push_spin, 1.0 - c->held), turn, c->held);
    /* No error to be taken out. */
    c->left_impulse = p3_sub(p3_scale(c->left_impulse, 1.0 - c->held), c->held_impulse);
    c->left_turning = p3_sub(p3_scale(c->left_turning, 1.0 - c->held), c->held_turning);
}

/* The body's own damping acts on velocities less the rigid motion of the step's begin; what is
 * rigid in them by now is given back. What rounding has left is taken out. */
static void component_push(match_body* m) {
    node_state* n = m->nodes;
    for (int32_t b = 0; b < n->block_count;) {
        component* c = n->components + n->blocks[b].component;
        double sum[MATCH_SUMS];
        component_sum(m, &b, MATCH_SUMS, sum);
        c->own_centre = p3_mad(c->rest_centre, p3(sum[6], sum[7], sum[8]), 1.0 / c->mass);
        const lim_point own = p3(sum[0], sum[1], sum[2]);
        const lim_point own_turning =
            p3_sub(p3(sum[3], sum[4], sum[5]), p3_cross(from_anchor(c, c->own_centre), own));
        lim_point p = own, l = own_turning;
        double inertia[6];
        inertia_of(c, sum + 9, inertia);
        /* Rolling resistance, and the limit of spin, are pushes from outside: no error to be taken
         * out. */
        lim_point turning = p3_add(sym3_mul(inertia, c->spin), l);
        double turn = p3_length(sym3_solve(inertia, turning, NODE_THIN)) * m->gains->h;
        double slow = c->touched ? (double)m->gains->roll_damp : 0.0;
        slow = turn > TURN_MOST && 1.0 - TURN_MOST / turn > slow ? 1.0 - TURN_MOST / turn : slow;
        lim_point roll = p3_scale(turning, -slow);
        p = p3_sub(p3_scale(p, (double)m->gains->body_damp), c->left_impulse);
        l = p3_sub(p3_scale(l, (double)m->gains->body_damp), c->left_turning);
        l = p3_add(l, roll);
        c->left_turning = p3_sub(c->left_turning, roll);
        lim_point spin = sym3_solve(inertia, l, NODE_THIN);
        bool finite = c->mass > 0.0 && p3_finite(p) && p3_finite(spin) && p3_finite(c->own_centre);
        c->own_centre = finite ? c->own_centre : c->rest_centre;
        c->push = finite ? p3_scale(p, 1.0 / c->mass) : p3(0, 0, 0);
        c->push_spin = finite ? spin : p3(0, 0, 0);
        lim_point own_spin = sym3_solve(inertia, own_turning, NODE_THIN);
        finite = finite && p3_finite(own_spin);
        c->own_velocity = finite ? p3_scale(own, 1.0 / c->mass) : p3(0, 0, 0);
        c->own_spin = finite ? own_spin : p3(0, 0, 0);
        if (c->held > 0.0) {
            push_to_held(c, (double)m->gains->body_damp, inertia, own, own_turning);
        }
    }
}

/* A share of the motion beyond which a left impulse is no rounding but a body in pieces: dropped,
 * so that taking it out with the inertia of the step's begin can never build up. */
#define LEFT_MOST 1e-3

/* Impulse that a pass added and should not have: rounding. It is kept per component, and the next
 * pass takes it out. Because what is taken out is measured as well, an error too small for a float
 * to show waits until it is large enough, and momentum never drifts. */
static void keep_left_impulse(match_body* m) {
    node_state* n = m->nodes;
    for (int32_t b = 0; b < n->block_count;) {
        component* c = n->components + n->blocks[b].component;
        double sum[MATCH_SUMS];
        component_sum(m, &b, 6, sum);
        lim_point p = p3(sum[0], sum[1], sum[2]);
        lim_point turning = p3_cross(from_anchor(c, c->own_centre), p);
        lim_point l = p3_sub(p3(sum[3], sum[4], sum[5]), turning);
        p = p3_add(c->left_impulse, p);
        l = p3_add(c->left_turning, l);
        double most = LEFT_MOST * sqrt(2.0 * c->kinetic * c->mass);
        double arm2 = (c->inertia[0] + c->inertia[1] + c->inertia[2]) / (2.0 * c->mass);
        bool rounding = c->held < 1.0 && p3_length(p) <= most && p3_dot(l, l) <= most * most * arm2;
        c->left_impulse = rounding ? p : p3(0, 0, 0);
        c->left_turning = rounding ? l : p3(0, 0, 0);
    }
}

/* The first block of nodes of a plane. */
static int32_t plane_block(const node_state* n, const box_plane* p) {
    int32_t low = 0, high = n->block_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (n->blocks[middle].begin < 8 * p->octet_begin) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static float* task_scratch(const match_body* m, int32_t index) {
    return m->box_scratch + (size_t)index * match_box_scratch(m->box);
}

/* Planes of one slab, up or down. */
static void run_slab(const pass* p, int32_t index, bool down) {
    const box_net* b = p->m->box;
    for (int32_t i = b->slab[index].begin; i < b->slab[index].end; ++i) {
        int32_t block = plane_block(p->m->nodes, &b->plane[i]);
        match_rigid rigid = rigid_of(p->m, p->m->nodes->blocks[block].component);
        (down ? p->box->down : p->box->up)(p->m, &b->plane[i], block, &rigid,
                                           task_scratch(p->m, index));
    }
}

static void slab_up_task(void* context, int32_t index) {
    run_slab(context, index, false);
}

static void slab_down_task(void* context, int32_t index) {
    run_slab(context, index, true);
}

static void pile_task(void* context, int32_t index) {
    const pass* p = context;
    const box_range* pile = &p->m->box->pile[index];
    p->box->columns(p->m, pile->begin, pile->end, task_scratch(p->m, index));
}

void match_step(match_body* m, bool want_affine, isa set, workers* pool, const lim_host* host,
                match_times* times) {
    bool affine = want_affine && !m->plain && !match_fits(m->gains);
    pass p = {.m = m,
              .kernels = match_kernels_for(set),
              .box = match_box_kernels_for(set),
              .want_affine = affine};
    double t0 = times != NULL ? timer_now(host) : 0.0;
    take_rest(&p, pool);
    take_frames(m);
    if (m->box != NULL) {
        workers_run(pool, m->box->slab_count, slab_up_task, &p);
    } else {
        workers_run(pool, m->nodes->block_count + m->charts->ghost_block_count, leaves_task, &p);
    }
    component_push(m);
    net_forward_middle(m->net, m->forward, m->damped ? NET_FORWARD_STRIPS : 2, set, pool);
    double t1 = times != NULL ? timer_now(host) : 0.0;
    match_all_regions(&p, pool);
    if (m->box != NULL) {
        workers_run(pool, m->box->pile_count, pile_task, &p);
    }
    double t2 = times != NULL ? timer_now(host) : 0.0;
    net_adjoint_middle(m->net, m->adjoint, NET_ADJOINT_STRIPS, set, pool);
    double t3 = times != NULL ? timer_now(host) : 0.0;
    if (m->gains->goal_kind == MATCH_QUADRATIC) {
        quadratic_pull(m, set, pool);
    }
    if (m->box != NULL) {
        workers_run(pool, m->box->slab_count, slab_down_task, &p);
    } else {
        workers_run(pool, m->charts->ghost_block_count, ghosts_task, &p);
        workers_run(pool, m->nodes->block_count, goals_task, &p);
    }
    keep_left_impulse(m);
    if (affine) {
        bend_affine(&p, pool);
    }
    if (times != NULL) {
        times->sums += t1 - t0 + t3 - t2;
        times->regions += t2 - t1;
        times->goals += timer_now(host) - t3;
    }
}

void match_affine(match_body* m, isa set, workers* pool) {
    if (m->plain) {
        return;
    }
    pass p = {.m = m,
              .kernels = match_kernels_for(set),
              .box = match_box_kernels_for(set),
              .want_affine = true};
    bool fits = match_fits(m->gains);
    m->damped = m->damped || fits; /* the leaves' records have their full width */
    take_rest(&p, pool);
    take_frames(m);
    if (fits) {
        workers_run(pool, m->nodes->block_count + m->charts->ghost_block_count, leaves_task, &p);
        net_forward_middle(m->net, m->forward, NET_FORWARD_STRIPS, set, pool);
    }
    workers_run(pool, region_blocks(m), fits ? shapes_task : rotations_task, &p);
    net_adjoint_middle(m->net, m->adjoint, NET_ADJOINT_STRIPS, set, pool);
    workers_run(pool, m->charts->ghost_block_count, ghosts_task, &p);
    workers_run(pool, m->nodes->block_count, affine_task, &p);
    if (m->gains->goal_kind == MATCH_QUADRATIC) {
        quadratic_affine(m, set, pool);
    }
    bend_affine(&p, pool);
}

/* ---- some regions -----------------------------------------------------------------------------
 */

static bool any_of_eight(const uint8_t* mark) {
    uint64_t eight;
    memcpy(&eight, mark, sizeof eight);
    return eight != 0;
}

/* Eight at a time, as kernels take them. */
void match_mark_below(const match_body* m, const uint8_t* wanted, uint8_t* mark) {
    const net* n = m->net;
    int32_t last = n->first[n->layers - 1];
    memset(mark, 0, (size_t)n->record_count);
    for (int32_t i = 0; i < m->regions->padded; i += 8) {
        if (any_of_eight(wanted + i)) {
            memset(mark + last + i, 1, 8);
        }
    }
    for (int32_t i = n->record_count - 1; i >= n->node_count; --i) {
        for (int32_t e = n->forward_offset[i]; mark[i] != 0 && e < n->forward_offset[i + 1]; ++e) {
            mark[n->forward[e]] = 1;
        }
    }
}

static void some_leaves_task(void* context, int32_t index) {
    const pass* p = context;
    const node_block* b = leaves_block(p->m, index);
    double sums[MATCH_SUMS];
    for (int32_t i = b->begin; i < b->end; i += 8) {
        if (any_of_eight(p->mark + i)) {
            run_leaves(p, b, i, i + 8, sums);
        }
    }
}

/* Others of the eight, and what has flowed, stay as they were. */
static void some_regions_task(void* context, int32_t index) {
    const pass* p = context;
    const match_body* m = p->m;
    for (int32_t i = region_begin(m, index); i < region_begin(m, index + 1); i += 8) {
        if (!any_of_eight(p->wanted + i)) {
            continue;
        }
        float q[4][8], strain[6][8];
        for (int k = 0; k < 4; ++k) {
            memcpy(q[k], m->q[k] + i, sizeof q[k]);
        }
        for (int k = 0; k < 6; ++k) {
            memcpy(strain[k], m->plastic[k] + i, sizeof strain[k]);
        }
        p->kernels->regions[m->gains->shape][0](m, i, i + 8);
        for (int k = 0; k < 4; ++k) {
            for (int j = 0; j < 8; ++j) {
                m->q[k][i + j] = p->wanted[i + j] ? m->q[k][i + j] : q[k][j];
            }
        }
        for (int k = 0; k < 6; ++k) {
            memcpy(m->plastic[k] + i, strain[k], sizeof strain[k]);
        }
    }
}

void match_turn_some(match_body* m, const uint8_t* wanted, const uint8_t* mark, isa set,
                     workers* pool) {
    const net* n = m->net;
    pass p = {.m = m, .kernels = match_kernels_for(set), .wanted = wanted, .mark = mark};
    take_rest(&p, pool);
    take_frames(m);
    workers_run(pool, m->nodes->block_count + m->charts->ghost_block_count, some_leaves_task, &p);
    for (int32_t i = n->node_count; i < n->first[n->layers - 1]; ++i) {
        if (mark[i] != 0) {
            net_kernels_for(set)->forward(n, m->forward, m->damped ? NET_FORWARD_STRIPS : 2, i,
                                          i + 1);
        }
    }
    workers_run(pool, region_blocks(m), some_regions_task, &p);
}

/* Nodes by eights, and all that is above them. */
static void mark_above(const match_body* m, const uint8_t* wanted, uint8_t* mark) {
    const net* n = m->net;
    memset(mark, 0, (size_t)n->record_count);
    for (int32_t i = 0; i < m->nodes->padded; i += 8) {
        if (any_of_eight(wanted + i)) {
            memset(mark + i, 1, 8);
        }
    }
    for (int32_t i = 0; i < n->first[n->layers - 1]; ++i) {
        for (int32_t e = n->back_offset[i]; mark[i] != 0 && e < n->back_offset[i + 1]; ++e) {
            mark[n->back[e]] = 1;
        }
    }
}

static void some_turned_task(void* context, int32_t index) {
    const pass* p = context;
    const match_body* m = p->m;
    const uint8_t* mark = p->mark + m->net->first[m->net->layers - 1];
    for (int32_t i = region_begin(m, index); i < region_begin(m, index + 1); i += 8) {
        if (any_of_eight(mark + i)) {
            p->kernels->rotations(m, i, i + 8);
        }
    }
}

static void some_affine_task(void* context, int32_t index) {
    const pass* p = context;
    const node_block* b = p->m->nodes->blocks + index;
    for (int32_t i = b->begin; i < b->end; i += 8) {
        if (any_of_eight(p->mark + i)) {
            p->kernels->affine(p->m, i, i + 8);
        }
    }
}

/* Of fits, ghosts and rest shapes of the matching's own there is more to be known: all of it. */
void match_affine_some(match_body* m, const uint8_t* wanted, uint8_t* mark, isa set,
                       workers* pool) {
    const net* n = m->net;
    if (match_fits(m->gains) || m->charts->ghost_count > 0 || m->rest != NULL ||
        m->gains->goal_kind == MATCH_QUADRATIC) {
        match_affine(m, set, pool);
        return;
    }
    pass p = {.m = m, .kernels = match_kernels_for(set), .mark = mark};
    mark_above(m, wanted, mark);
    workers_run(pool, region_blocks(m), some_turned_task, &p);
    for (int32_t i = n->first[n->layers - 1] - 1; i >= n->node_count; --i) {
        if (mark[i] != 0) {
            net_kernels_for(set)->adjoint(n, m->adjoint, NET_ADJOINT_STRIPS, i, i + 1);
        }
    }
    workers_run(pool, m->nodes->block_count, some_affine_task, &p);
}

void match_take_rest(match_body* m) {
    pass p = {.m = m};
    take_rest(&p, NULL);
}

/* SPDX-License-Identifier: MIT
 * Job: a substep. In: state, masses, forces, limits. Out: the state at its end, the limits' forces.
 * Its stages: predict, turn and force at the predicted place; rounds of filter, solve and check;
 * then the state, and what momentum the solve has lost.
 */
#include "hex/hex_step.h"

#include "hex/momentum.h"

#include <math.h>
#include <string.h>

enum { AXES = 3, SYMMETRIC = 6 };

/* Friction may be off by this share of its most when the rounds end. */
#define LAG_MOST 0.003f
/* A limit that is passed by less than this share of a cell does not touch. */
#define CLOSE_LEAST 1e-4f

typedef struct substep {
    hex_stepper* s;
    const hex_forces* forces;
    const hex_budget* budget;
    hex_state* state;
    hex_level* level;
    hex_limit_set set;
    float dt, ch;
    bool bdf;
    hex_step_report report;
} substep;

lim_result hex_stepper_make(arena* a, hex_levels* levels, hex_stepper* out) {
    size_t rows = 2 * (size_t)levels->level[0].pairs;
    *out = (hex_stepper){0};
    LIM_TRY(hex_solver_make(a, levels, &out->solver));
    float** arrays[] = {&out->y,     &out->v,      &out->history, &out->f,
                        &out->given, &out->change, &out->rest};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        *arrays[i] = ARENA_ARRAY(a, float, 4 * rows);
        LIM_TRY_MEMORY(*arrays[i]);
    }
    out->weight = ARENA_ARRAY(a, float, rows);
    LIM_TRY_MEMORY(out->weight);
    return LIM_OK;
}

/* ---- cells --------------------------------------------------------------------------------------
 */

static float* lane_of(float* rows, int32_t count, int32_t lane) {
    return rows + (size_t)count * HEX_LANES * (size_t)(lane / HEX_LANES) + lane % HEX_LANES;
}

void hex_load_cells(hex_level* l, const hex_state* state) {
    l->strained = state->strain[0] != NULL;
    for (int32_t e = 0; e < l->elements; ++e) {
        float *q = lane_of(l->q, 4, l->lane[e]), *p = lane_of(l->strain, SYMMETRIC, l->lane[e]);
        for (int k = 0; k < 4; ++k) {
            q[HEX_LANES * k] = state->q[k][e];
        }
        for (int k = 0; k < SYMMETRIC && l->strained; ++k) {
            p[HEX_LANES * k] = state->strain[k][e];
        }
    }
}

void hex_store_strain(const hex_level* l, hex_state* state) {
    for (int32_t e = 0; e < l->elements; ++e) {
        const float* p = lane_of(l->strain, SYMMETRIC, l->lane[e]);
        for (int k = 0; k < SYMMETRIC; ++k) {
            state->strain[k][e] = p[HEX_LANES * k];
        }
    }
}

/* ---- prediction ---------------------------------------------------------------------------------
 */

static void store_rotations(const substep* t) {
    const hex_level* l = t->level;
    for (int32_t e = 0; e < l->elements; ++e) {
        const float* q = lane_of(l->q, 4, l->lane[e]);
        for (int k = 0; k < 4; ++k) {
            t->state->q[k][e] = q[HEX_LANES * k];
        }
    }
}

static void predict_node(substep* t, int32_t n) {
    hex_stepper* s = t->s;
    const hex_state* state = t->state;
    const hex_forces* forces = t->forces;
    float third = t->bdf ? 1.0f / 3.0f : 0.0f;
    float spring = forces->spring != NULL ? forces->spring[n] : 0.0f;
    float damper = forces->spring != NULL ? forces->damper[n] : 0.0f;
    s->weight[n] = forces->mass[n] + t->ch * (t->ch * spring + damper);
    for (int k = 0; k < AXES; ++k) {
        size_t at = 4 * (size_t)n + (size_t)k;
        float v = state->v[k][n], way = third * state->moved[k][n] + t->ch * v;
        float force = forces->force[k][n] - spring * way - damper * v;
        s->v[at] = v;
        s->y[at] = state->d[k][n] + way;
        s->history[at] = forces->mass[n] * third * state->kicked[k][n] + t->ch * force;
    }
}

/* The predicted place, and what is known of the right side. */
static void predict(substep* t, bool bdf) {
    hex_stepper* s = t->s;
    float tau = t->forces->viscosity;
    t->bdf = bdf;
    t->ch = bdf ? t->dt * (2.0f / 3.0f) : t->dt;
    s->solver.scale = t->ch * (t->ch + tau);
    for (int32_t n = 0; n < t->level->nodes; ++n) {
        predict_node(t, n);
    }
    hex_load_cells(t->level, t->state);
    hex_solver_turn(&s->solver, s->y);
    hex_solver_force(&s->solver, s->y, s->f);
    for (size_t i = 0; i < 4 * (size_t)t->level->nodes; ++i) {
        s->history[i] -= t->ch * s->f[i];
    }
    if (tau > 0.0f) {
        float share = tau / (t->ch + tau);
        hex_solver_stiffness(&s->solver, s->v, s->f);
        for (size_t i = 0; i < 4 * (size_t)t->level->nodes; ++i) {
            s->history[i] -= share * s->f[i];
        }
    }
}

/* ---- limits -------------------------------------------------------------------------------------
 */

static int32_t part_of(const hex_forces* f, int32_t node) {
    int32_t low = 0, high = f->parts - 1;
    while (low < high) {
        int32_t middle = (low + high + 1) / 2;
        bool before = f->part_first[middle] <= node;
        low = before ? middle : low;
        high = before ? high : middle - 1;
    }
    return low;
}

/* Limits are in the order of nodes, so those of a part follow on each other. */
static int32_t part_end(const hex_forces* f, int32_t begin, int32_t* out_part) {
    int32_t end = begin;
    *out_part = part_of(f, f->limit[begin].node);
    while (end < f->limits && f->limit[end].node < f->part_first[*out_part + 1]) {
        end++;
    }
    return end;
}

/* The mass of each limit's part over its limits that touch. */
static void share_masses(substep* t) {
    const hex_forces* f = t->forces;
    for (int32_t begin = 0, end, part; begin < f->limits; begin = end) {
        double mass = 0.0;
        int32_t touching = 0;
        end = part_end(f, begin, &part);
        for (int32_t n = f->part_first[part]; n < f->part_first[part + 1]; ++n) {
            mass += (double)f->mass[n];
        }
        for (int32_t i = begin; i < end; ++i) {
            touching += f->limit[i].touches;
        }
        for (int32_t i = begin; i < end; ++i) {
            f->work[i].share = (float)(mass / (double)(touching > 0 ? touching : 1));
        }
    }
}

/* The gap at the end, gap + n.(x1 - x0) - dt n.velocity >= 0, as a least n.v1; and the v1 that
 * takes a held node along dt velocity. */
static void begin_limits(substep* t) {
    const hex_state* state = t->state;
    float third = t->bdf ? 1.0f / 3.0f : 0.0f;
    t->set = (hex_limit_set){t->forces->limit,
                             t->forces->work,
                             t->forces->limits,
                             t->ch,
                             CLOSE_LEAST * t->level->edge / t->ch,
                             t->s->weight};
    for (int32_t i = 0; i < t->set.count; ++i) {
        const hex_limit* l = &t->set.limit[i];
        float move = -l->gap;
        for (int k = 0; k < AXES; ++k) {
            float way = t->dt * l->velocity[k] - third * state->moved[k][l->node];
            move += l->normal[k] * way;
            t->set.work[i].hold[k] = way / t->ch;
        }
        t->set.work[i].least = move / t->ch;
    }
    share_masses(t);
    hex_limits_begin(&t->set, t->s->v);
}

/* ---- rounds -------------------------------------------------------------------------------------
 */

/* b = what is known - A given, and friction. */
static void right_side(substep* t) {
    hex_stepper* s = t->s;
    const float* mass = s->weight;
    float* b = t->level->b;
    if (t->level->limited_count > 0) {
        hex_solver_stiffness(&s->solver, s->given, b);
    } else {
        memset(b, 0, 4 * (size_t)t->level->nodes * sizeof *b);
    }
    for (int32_t n = 0; n < t->level->nodes; ++n) {
        for (int k = 0; k < AXES; ++k) {
            size_t at = 4 * (size_t)n + (size_t)k;
            b[at] = s->history[at] - b[at] - mass[n] * s->given[at];
        }
    }
    hex_limits_push(&t->set, s->v, s->given, b);
}

/* What is left on the nodes: m dv + ch^2 K dv - what is known. */
static void find_rest(substep* t) {
    hex_stepper* s = t->s;
    const float* mass = s->weight;
    hex_solver_stiffness(&s->solver, s->change, s->rest);
    for (int32_t n = 0; n < t->level->nodes; ++n) {
        for (int k = 0; k < AXES; ++k) {
            size_t at = 4 * (size_t)n + (size_t)k;
            s->rest[at] += mass[n] * s->change[at] - s->history[at];
        }
    }
}

/* One round; true: no other is wanted. */
static bool solve_round(substep* t, bool* out_changed) {
    hex_stepper* s = t->s;
    hex_limits_filter(&t->set, t->level, s->v, s->given);
    hex_solver_ready(&s->solver);
    right_side(t);
    hex_filter(t->level, s->solver.answer);
    hex_solve_report r = hex_solver_solve(&s->solver, t->budget->tolerance, t->budget->iterations);
    t->report.iterations += r.iterations;
    t->report.residual = r.residual;
    t->report.converged = t->report.converged && r.converged;
    t->report.rounds++;
    for (size_t i = 0; i < 4 * (size_t)t->level->nodes; ++i) {
        s->change[i] = s->solver.answer[i] + s->given[i];
    }
    if (t->set.count == 0) {
        *out_changed = false;
        return true;
    }
    float lag;
    find_rest(t);
    *out_changed = hex_limits_update(&t->set, s->v, s->change, s->rest, &lag);
    return !*out_changed && lag <= LAG_MOST;
}

static void restart(substep* t, bool bdf) {
    predict(t, bdf);
    begin_limits(t);
    memset(t->s->solver.answer, 0, 8 * (size_t)t->level->pairs * sizeof(float));
}

/* Whether any limit has begun or ceased to touch. */
static bool run_rounds(substep* t) {
    bool grew = false;
    for (;;) {
        bool changed, done = solve_round(t, &changed);
        grew = grew || changed;
        if (done || t->report.rounds >= t->budget->rounds) {
            t->report.converged = t->report.converged && done;
            return grew;
        }
        if (changed && t->bdf) {
            restart(t, false);
        }
    }
}

/* ---- the end ------------------------------------------------------------------------------------
 */

static bool is_finite(const substep* t) {
    for (size_t i = 0; i < 4 * (size_t)t->level->nodes; ++i) {
        if (!isfinite(t->s->change[i]) || !isfinite(t->s->y[i])) {
            return false;
        }
    }
    return true;
}

static void store_nodes(const substep* t, int32_t begin, int32_t end) {
    hex_state* state = t->state;
    float third = t->bdf ? 1.0f / 3.0f : 0.0f;
    for (int32_t n = begin; n < end; ++n) {
        for (int k = 0; k < AXES; ++k) {
            float change = t->s->change[4 * (size_t)n + (size_t)k];
            state->v[k][n] += change;
            state->moved[k][n] = third * state->moved[k][n] + t->ch * state->v[k][n];
            state->d[k][n] += state->moved[k][n];
            state->kicked[k][n] = change;
        }
    }
}

/* The directions that limits take from a part as a whole, orthonormal. */
typedef struct part_hold {
    int count;
    double e[AXES][AXES];
} part_hold;

/* A normal out of the others by less than this, as a share of its length, is one of theirs. */
#define DIRECTION_LEAST 0.1

static void add_direction(part_hold* h, const float normal[AXES]) {
    double left[AXES], square = 0.0;
    for (int k = 0; k < AXES; ++k) {
        left[k] = (double)normal[k];
        for (int j = 0; j < h->count; ++j) {
            double along = (double)normal[0] * h->e[j][0] + (double)normal[1] * h->e[j][1] +
                           (double)normal[2] * h->e[j][2];
            left[k] -= along * h->e[j][k];
        }
        square += left[k] * left[k];
    }
    for (int k = 0; k < AXES && square > DIRECTION_LEAST * DIRECTION_LEAST; ++k) {
        h->e[h->count][k] = left[k] / sqrt(square);
    }
    h->count += square > DIRECTION_LEAST * DIRECTION_LEAST;
}

/* Of the part's limits, from limit *at on, which moves behind. */
static part_hold hold_of(const hex_forces* f, int32_t part, int32_t* at) {
    part_hold h = {0};
    for (; *at < f->limits && f->limit[*at].node < f->part_first[part + 1]; ++*at) {
        const hex_limit* l = &f->limit[*at];
        if (l->held) {
            h.count = AXES;
        } else if (l->touches && h.count < AXES) {
            add_direction(&h, l->normal);
        }
    }
    return h;
}

/* Whether a spring holds it: then its momentum is not known beforehand. */
static bool is_pulled(const hex_forces* f, int32_t part) {
    bool pulled = false;
    for (int32_t n = f->part_first[part]; n < f->part_first[part + 1] && f->spring != NULL; ++n) {
        pulled = pulled || f->spring[n] > 0.0f || f->damper[n] > 0.0f;
    }
    return pulled;
}

/* What external forces make of a part's momentum. */
static void add_forces(const substep* t, int32_t part, const hex_momentum* at, hex_momentum* m) {
    const hex_forces* f = t->forces;
    for (int32_t n = f->part_first[part]; n < f->part_first[part + 1] && at->mass > 0.0; ++n) {
        for (int k = 0; k < AXES; ++k) {
            int i = (k + 1) % AXES, j = (k + 2) % AXES;
            double x = (double)f->rest[i][n] + (double)t->state->d[i][n] - at->centre[i];
            double y = (double)f->rest[j][n] + (double)t->state->d[j][n] - at->centre[j];
            double force = (double)t->dt * (double)f->force[k][n];
            m->velocity[k] += force / at->mass;
            m->angular[k] +=
                (double)t->dt * (x * (double)f->force[j][n] - y * (double)f->force[i][n]);
        }
    }
}

static hex_momentum momentum_of(const substep* t, int32_t part) {
    const hex_forces* f = t->forces;
    return hex_momentum_of(f->rest, f->mass, t->state->d, t->state->v, f->part_first[part],
                           f->part_first[part + 1]);
}

/* Velocities become those of a rigid motion more. */
static void add_motion(const substep* t, int32_t part, const hex_momentum* now,
                       const double velocity[AXES], const double spin[AXES]) {
    const hex_forces* f = t->forces;
    for (int32_t n = f->part_first[part]; n < f->part_first[part + 1]; ++n) {
        double x[AXES];
        for (int k = 0; k < AXES; ++k) {
            x[k] = (double)f->rest[k][n] + (double)t->state->d[k][n] - now->centre[k];
        }
        for (int k = 0; k < AXES; ++k) {
            int i = (k + 1) % AXES, j = (k + 2) % AXES;
            float more = (float)(velocity[k] + spin[i] * x[j] - spin[j] * x[i]);
            t->state->v[k][n] += more;
            t->state->kicked[k][n] += more;
        }
    }
}

/* Euler moves a part by its velocity at the end. Its centre goes by the mean of both instead, where
 * limits leave it free to: so what falls or slides comes as far as it should. */
static void correct_travel(const substep* t, int32_t part, const part_hold* h,
                           const double before[AXES], const double after[AXES]) {
    const hex_forces* f = t->forces;
    double by[AXES];
    for (int k = 0; k < AXES; ++k) {
        by[k] = 0.5 * (double)t->dt * (before[k] - after[k]);
    }
    for (int j = 0; j < h->count; ++j) {
        double along = by[0] * h->e[j][0] + by[1] * h->e[j][1] + by[2] * h->e[j][2];
        for (int k = 0; k < AXES; ++k) {
            by[k] -= along * h->e[j][k];
        }
    }
    for (int32_t n = f->part_first[part]; n < f->part_first[part + 1]; ++n) {
        for (int k = 0; k < AXES; ++k) {
            t->state->d[k][n] += (float)by[k];
            t->state->moved[k][n] += (float)by[k];
        }
    }
}

/* The state at the end; that of a part that nothing touches with the momentum that it must have. */
static void store_part(const substep* t, int32_t part, const part_hold* h) {
    hex_momentum begin = momentum_of(t, part);
    store_nodes(t, t->forces->part_first[part], t->forces->part_first[part + 1]);
    hex_momentum end = momentum_of(t, part);
    if (!t->bdf && h->count < AXES) {
        correct_travel(t, part, h, begin.velocity, end.velocity);
    }
    if (h->count == 0) {
        double velocity[AXES], spin[AXES];
        end = momentum_of(t, part);
        add_forces(t, part, &end, &begin);
        hex_momentum_change(&end, &begin, (double)t->dt, velocity, spin);
        add_motion(t, part, &end, velocity, spin);
    }
}

hex_step_report hex_step(hex_stepper* s, const hex_forces* forces, const hex_budget* budget,
                         float dt, hex_state* state) {
    substep t = {.s = s,
                 .forces = forces,
                 .budget = budget,
                 .state = state,
                 .level = &s->solver.levels->level[0],
                 .dt = dt,
                 .report = {.converged = true, .finite = true}};
    restart(&t, state->last == dt);
    bool grew = run_rounds(&t);
    t.report.euler = !t.bdf;

    for (int32_t i = 0; i < forces->limits; ++i) {
        t.report.touching += forces->limit[i].touches;
    }
    t.report.finite = is_finite(&t);
    if (!t.report.finite) {
        return t.report;
    }
    for (size_t i = 0; i < 4 * (size_t)t.level->nodes; ++i) {
        s->v[i] += s->change[i];
    }
    hex_limits_end(&t.set, s->v);
    for (int32_t part = 0, limit = 0; part < forces->parts; ++part) {
        part_hold hold = hold_of(forces, part, &limit);
        hold.count = is_pulled(forces, part) ? AXES : hold.count;
        store_part(&t, part, &hold);
    }
    store_rotations(&t);
    state->last = grew ? 0.0f : dt;
    return t.report;
}

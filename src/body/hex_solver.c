/* SPDX-License-Identifier: MIT
 * Job: elastic cubes as the solver of a body. In: a body, and a substep or a question about it.
 * Out: velocities that the solve leaves, impulses of what limits the nodes, and where nodes go.
 */
#include "body/hex_solver.h"

#include "base/timer.h"
#include "hex/cell_energy.h"
#include "math/trig.h"

#include <string.h>

enum { AXES = 3, CORNERS = 8 };

/* A solve ends at this residual; so many iterations in each, and rounds of the active set, are more
 * than any body of good material needs. */
static const hex_budget BUDGET = {1e-3, 60, 8};

/* ---- memory -------------------------------------------------------------------------------------
 */

static lim_result describe_cells(const body* b, const hex_body* x, hex_desc* out) {
    const topology* t = b->topology;
    const matter* m = &t->matter;
    arena* a = (arena*)&b->mem;
    *out = (hex_desc){.cells = m->count,
                      .nodes = x->nodes,
                      .at = arena_alloc(a, (size_t)m->count, sizeof *out->at),
                      .corner = arena_alloc(a, (size_t)m->count, sizeof *out->corner),
                      .mask = m->mask,
                      .edge = (float)x->edge};
    LIM_TRY_MEMORY(out->at);
    LIM_TRY_MEMORY(out->corner);
    for (int32_t i = 0; i < m->count; ++i) {
        octant o = octant_of(m->key[i]);
        out->at[i][0] = o.x;
        out->at[i][1] = o.y;
        out->at[i][2] = o.z;
        for (int k = 0; k < CORNERS; ++k) {
            out->corner[i][k] = x->node[t->bind.corner[CORNERS * (size_t)i + (size_t)k]];
        }
    }
    return LIM_OK;
}

static lim_result number_nodes(body* b, hex_body* x) {
    const topology* t = b->topology;
    int32_t* first = ARENA_ARRAY(&b->mem, int32_t, t->component_count + 1);
    x->slot = ARENA_ARRAY(&b->mem, int32_t, t->node_count);
    x->node = ARENA_ARRAY(&b->mem, int32_t, t->slot_count);
    LIM_TRY_MEMORY(first);
    LIM_TRY_MEMORY(x->slot);
    LIM_TRY_MEMORY(x->node);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        bool real = t->slot_node[i] >= 0;
        x->node[i] = real ? x->nodes : -1;
        if (real) {
            x->slot[x->nodes++] = i;
            first[t->slot_component[i] + 1] = x->nodes;
        }
    }
    x->part = ARENA_ARRAY(&b->mem, hex_free, t->component_count);
    LIM_TRY_MEMORY(x->part);
    b->forward = ARENA_ARRAY(&b->mem, float, 3 * (size_t)t->slot_count); /* scratch of pressure */
    LIM_TRY_MEMORY(b->forward);
    x->forces.part_first = first;
    x->forces.parts = t->component_count;
    return LIM_OK;
}

static lim_result allocate(body* b, hex_body* x) {
    size_t n = (size_t)x->nodes, cells = (size_t)b->topology->matter.count;
    float** arrays[] = {&x->mass,
                        &x->spring,
                        &x->damper,
                        &x->rest[0],
                        &x->rest[1],
                        &x->rest[2],
                        &x->force[0],
                        &x->force[1],
                        &x->force[2],
                        &x->way[0],
                        &x->way[1],
                        &x->way[2],
                        &x->speed[0],
                        &x->speed[1],
                        &x->speed[2],
                        &x->state.d[0],
                        &x->state.d[1],
                        &x->state.d[2],
                        &x->state.v[0],
                        &x->state.v[1],
                        &x->state.v[2],
                        &x->state.moved[0],
                        &x->state.moved[1],
                        &x->state.moved[2],
                        &x->state.kicked[0],
                        &x->state.kicked[1],
                        &x->state.kicked[2]};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        *arrays[i] = ARENA_ARRAY(&b->mem, float, n);
        LIM_TRY_MEMORY(*arrays[i]);
    }
    x->young = ARENA_ARRAY(&b->mem, float, cells);
    x->poisson = ARENA_ARRAY(&b->mem, float, cells);
    x->first = ARENA_ARRAY(&b->mem, int32_t, n);
    x->used = ARENA_ARRAY(&b->mem, int32_t, n);
    LIM_TRY_MEMORY(x->young);
    LIM_TRY_MEMORY(x->poisson);
    LIM_TRY_MEMORY(x->first);
    LIM_TRY_MEMORY(x->used);
    return LIM_OK;
}

static lim_result make(body* b) {
    hex_body* x = b->hex = ARENA_ARRAY(&b->mem, hex_body, 1);
    hex_desc cells;
    LIM_TRY_MEMORY(x);
    x->edge = (double)b->topology->cell * body_metres(b);
    LIM_TRY(number_nodes(b, x));
    LIM_TRY(allocate(b, x));
    LIM_TRY(describe_cells(b, x, &cells));
    LIM_TRY(hex_levels_build(&b->mem, &b->host, &cells, &x->levels));
    LIM_TRY(hex_stepper_make(&b->mem, &x->levels, &x->stepper));
    for (int k = 0; k < AXES; ++k) {
        x->forces.rest[k] = x->rest[k];
        x->forces.force[k] = x->force[k];
    }
    x->forces.mass = x->mass;
    for (int k = 0; k < 4; ++k) {
        x->state.q[k] = b->q[k];
    }
    return hex_crumbs_find(b);
}

static lim_result reserve(body* b) {
    hex_body* x = b->hex;
    int32_t needed = b->contacts.items.capacity, k = 0;
    for (const body_pin* p = body_next_hold(b, &k); p != NULL; p = body_next_hold(b, &k)) {
        needed += p->count;
    }
    bool room = ARRAY_RESERVE(&b->host, &x->limits, needed) &&
                ARRAY_RESERVE(&b->host, &x->works, needed) &&
                ARRAY_RESERVE(&b->host, &x->contact, needed);
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

static void release(body* b) {
    if (b->hex != NULL) {
        ARRAY_FREE(&b->host, &b->hex->limits);
        ARRAY_FREE(&b->host, &b->hex->works);
        ARRAY_FREE(&b->host, &b->hex->contact);
    }
}

/* ---- material -----------------------------------------------------------------------------------
 */

/* It gets what it asks for at any step. */
static bool enough(const body* b, double h) {
    (void)b;
    (void)h;
    return true;
}

static double share(const body* b, double h) {
    (void)b;
    (void)h;
    return 1.0;
}

static double clamp(double value, double least, double most) {
    return value < least ? least : value > most ? most : value;
}

static void set_stiffness(body* b) {
    hex_body* x = b->hex;
    double ratio = body_poisson(&b->material);
    for (int32_t i = 0; i < b->topology->matter.count; ++i) {
        double young = (double)b->material.young * (double)b->region_stiffness[i];
        x->young[i] = (float)clamp(young, HEX_YOUNG_LEAST, HEX_YOUNG_MOST);
        x->poisson[i] = (float)ratio;
    }
    hex_levels_stiffen(&x->levels, x->young, x->poisson); /* all are in range */
}

static double fading(double h, double time) {
    return time > 0.0 ? 1.0 - trig_exp(-h / time) : 0.0;
}

static void set_gains(body* b) {
    const lim_material* m = &b->material;
    double h = b->gains_h;
    b->gains = (match_gains){.h = h,
                             .roll_damp = (float)fading(h, (double)m->rolling_time),
                             .body_damp = (float)fading(2.0 * h, (double)m->damping_time),
                             .young_got = m->young,
                             .yield = m->yield,
                             .flow = (float)(1.0 - trig_exp(-h * (double)m->creep)),
                             .most_strain = m->max_strain < 1.0f ? m->max_strain : 1.0f,
                             .total_strain = m->max_strain,
                             .hardening = m->hardening};
}

static void refresh(body* b, isa set, workers* pool) {
    hex_body* x = b->hex;
    const topology* t = b->topology;
    double metres = body_metres(b), edge = (double)t->cell * metres;
    double kilograms = (double)b->material.density * metres * metres * metres;
    (void)set;
    (void)pool;
    for (int32_t n = 0; n < x->nodes; ++n) {
        int32_t i = x->slot[n];
        x->mass[n] = (float)((double)t->mass[i] * kilograms);
        for (int k = 0; k < AXES; ++k) {
            x->rest[k][n] = (float)((double)t->x0[k][i] * metres);
        }
    }
    if (x->edge < edge || x->edge > edge) {
        x->edge = edge;
        hex_levels_scale(&x->levels, (float)edge);
    }
    x->forces.viscosity = b->material.viscosity / b->material.young;
    set_gains(b);
    set_stiffness(b);
}

static void stiffen(body* b, const uint8_t* touched, uint8_t* marks, isa set, workers* pool) {
    (void)touched;
    (void)marks;
    (void)set;
    (void)pool;
    set_stiffness(b);
}

/* ---- a substep ----------------------------------------------------------------------------------
 */

static void load_state(body* b, const body_substep* s) {
    hex_body* x = b->hex;
    const topology* t = b->topology;
    float metres = (float)body_metres(b);
    memset(x->spring, 0, (size_t)x->nodes * sizeof *x->spring);
    memset(x->damper, 0, (size_t)x->nodes * sizeof *x->damper);
    for (int32_t part = 0; part < t->component_count; ++part) {
        dquat back = dquat_conjugate(b->components[part].rotation);
        lim_point g = dquat_rotate(back, p3_of(s->in->gravity));
        x->part[part].fall = p3_scale(g, (double)b->gravity_scale * s->h / body_metres(b));
        const float fall[AXES] = {b->gravity_scale * (float)g.x, b->gravity_scale * (float)g.y,
                                  b->gravity_scale * (float)g.z};
        for (int32_t n = x->forces.part_first[part]; n < x->forces.part_first[part + 1]; ++n) {
            int32_t i = x->slot[n];
            for (int k = 0; k < AXES; ++k) {
                x->state.d[k][n] = metres * b->d[k][i];
                x->state.v[k][n] = metres * b->v[k][i];
                x->state.moved[k][n] = metres * b->moved[k][i];
                x->state.kicked[k][n] = metres * b->kicked[k][i];
                x->force[k][n] = x->mass[n] * fall[k];
            }
        }
    }
    x->state.last = b->history_h;
    for (int k = 0; k < 6; ++k) {
        x->state.strain[k] = b->plastic ? b->strain[k] : NULL;
    }
}

static body_springs springs_of(hex_body* x) {
    return (body_springs){.node = x->node,
                          .force = {x->force[0], x->force[1], x->force[2]},
                          .spring = x->spring,
                          .damper = x->damper,
                          .way = {x->state.moved[0], x->state.moved[1], x->state.moved[2]},
                          .v = {x->state.v[0], x->state.v[1], x->state.v[2]}};
}

static void take_springs(body* b, const body_substep* s) {
    hex_body* x = b->hex;
    body_springs springs = springs_of(x);
    bool any = b->pins.count + b->grabs.count > 0;
    x->forces.spring = any ? x->spring : NULL;
    x->forces.damper = any ? x->damper : NULL;
    if (any) {
        body_pins_spring(b, s->begin, s->end, s->h, &springs);
        body_grabs_spring(b, s->end, s->h, &springs);
    }
}

static void tell_springs(body* b, const body_substep* s) {
    body_springs springs = springs_of(b->hex);
    if (b->hex->forces.spring != NULL) {
        body_pins_sprung(b, s->begin, s->end, s->h, &springs);
        body_grabs_sprung(b, s->begin, s->end, s->in->dt, s->h, &springs);
    }
}

/* Plastic strain flows at the substep's begin. */
static void flow(body* b) {
    hex_body* x = b->hex;
    hex_level* l = &x->levels.level[0];
    if (!(b->material.yield > 0.0f)) {
        return;
    }
    for (int32_t n = 0; n < x->nodes; ++n) {
        for (int k = 0; k < AXES; ++k) {
            x->stepper.y[4 * (size_t)n + (size_t)k] = x->state.d[k][n];
        }
    }
    hex_load_cells(l, &x->state);
    hex_solver_flow(&x->stepper.solver, &b->gains, x->stepper.y);
    hex_store_strain(l, &x->state);
}

/* What the solve leaves: velocities, and the substep as the next one remembers it. */
static void store_state(body* b) {
    hex_body* x = b->hex;
    float metres = (float)body_metres(b);
    for (int32_t n = 0; n < x->nodes; ++n) {
        int32_t i = x->slot[n];
        for (int k = 0; k < AXES; ++k) {
            b->v[k][i] = x->speed[k][n] = x->state.v[k][n] / metres;
            b->moved[k][i] = x->way[k][n] = x->state.moved[k][n] / metres;
            b->kicked[k][i] = x->state.kicked[k][n] / metres;
        }
    }
    b->history_h = x->state.last;
}

static void push(body* b, const body_substep* s) {
    hex_body* x = b->hex;
    x->stepper.solver.kernels = hex_kernels_for(s->in->set);
    x->stepper.solver.pool = s->in->pool;
    body_limits_measure(b, s);
    double t0 = timer_now(&b->host);
    hex_limits_take(b, s->h);
    for (int32_t i = 0; i < b->topology->component_count; ++i) {
        hex_damp(b, &b->components[i], &x->part[i]);
    }
    load_state(b, s);
    take_springs(b, s);
    flow(b);
    hex_step_report report = hex_step(&x->stepper, &x->forces, &BUDGET, (float)s->h, &x->state);
    s->times->iterations += report.iterations;
    s->times->cut_short += !report.converged;
    if (!report.finite) { /* the step is taken back (body/step.c) */
        b->v[0][x->slot[0]] = NAN;
        b->history_h = 0.0f;
    } else {
        tell_springs(b, s);
        store_state(b);
        hex_limits_tell(b, s->h);
    }
    s->times->solve += timer_now(&b->host) - t0;
}

/* By the way that the solve has found, and what has changed velocities since. Returns whether
 * anything has. */
static bool drift_nodes(body* b, float h, int32_t begin, int32_t end) {
    hex_body* x = b->hex;
    bool kicked = false;
    for (int32_t n = begin; n < end; ++n) {
        int32_t i = x->slot[n];
        bool free = b->inv_mass[i] > 0.0f;
        for (int k = 0; k < AXES; ++k) {
            float more = b->v[k][i] - x->speed[k][n];
            kicked = kicked || (free && (more < 0.0f || more > 0.0f));
            b->d[k][i] += free ? x->way[k][n] + h * more : h * b->v[k][i];
        }
    }
    return kicked;
}

/* Where velocities were changed the solver does not know any more what comes next: its history
 * ends. */
static void drift(body* b, const body_substep* s) {
    hex_body* x = b->hex;
    for (int32_t i = 0; i < b->topology->component_count; ++i) {
        const int32_t* first = x->forces.part_first + i;
        bool kicked = drift_nodes(b, (float)s->h, first[0], first[1]);
        b->history_h = kicked ? 0.0f : b->history_h;
        if (!kicked && x->part[i].free) {
            hex_find_left(b, &b->components[i], &x->part[i]);
        }
    }
    hex_crumbs_move(b);
}

/* ---- questions ----------------------------------------------------------------------------------
 */

/* Corners do not turn. */
static void affine(body* b, isa set, workers* pool) {
    (void)b;
    (void)set;
    (void)pool;
}

static double energy(body* b) {
    hex_body* x = b->hex;
    double metres = body_metres(b);
    double unit = (double)b->material.density * metres * metres * metres * metres * metres;
    float* d = x->stepper.y;
    for (int32_t n = 0; n < x->nodes; ++n) {
        for (int k = 0; k < AXES; ++k) {
            d[4 * (size_t)n + (size_t)k] = (float)metres * b->d[k][x->slot[n]];
        }
    }
    for (int k = 0; k < 6; ++k) {
        x->state.strain[k] = b->plastic ? b->strain[k] : NULL;
    }
    hex_load_cells(&x->levels.level[0], &x->state);
    hex_solver_turn(&x->stepper.solver, d);
    return hex_cell_energy(&x->levels, d) / unit;
}

static double young(const body* b, int32_t slot) {
    return (double)b->material.young * (double)b->stiffness[slot];
}

static float bending(const body* b) {
    return b->material.young;
}

const body_solver hex_body_solver = {.history = true,
                                     .within = true,
                                     .make = make,
                                     .reserve = reserve,
                                     .release = release,
                                     .enough = enough,
                                     .share = share,
                                     .refresh = refresh,
                                     .stiffen = stiffen,
                                     .push = push,
                                     .drift = drift,
                                     .affine = affine,
                                     .energy = energy,
                                     .young = young,
                                     .bending = bending};

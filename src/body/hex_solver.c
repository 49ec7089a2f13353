/* SPDX-License-Identifier: MIT
 * Job: the cells of a lattice as elastic cubes (hex/hex_step.h), as the solver of a body. In: a
 * body, and a substep or a question about it. Out: velocities that the solve leaves, impulses of
 * what limits the nodes, and where nodes go.
 *
 * The solve is in SI units and the axes of each component's frame. It knows the nodes without pads,
 * in the order of slots: so components are runs of them. Elements are the fragments of the
 * material, one region each.
 */
#include "body/hex_solver.h"

#include "base/timer.h"
#include "hex/cell_energy.h"
#include "hex/hex_step.h"
#include "hex/momentum.h"
#include "math/trig.h"

#include <string.h>

enum { AXES = 3, CORNERS = 8 };

/* A solve ends at this residual; so many iterations in each, and rounds of the active set, are more
 * than any body of good material needs. */
static const hex_budget BUDGET = {1e-3, 60, 8};

/* A node closer to a collider that is no plane than this share of a cell, or that goes less than a
 * cell in the substep, has its contact in the solve. */
#define NEAR_CELLS 0.2
/* Normals of one node nearer to each other than this are the same limit. */
#define SAME_NORMAL 0.99f
/* Where the limits that touch lie nearly in a line, they take no turn about it. */
#define LACK_THIN 1e-4
/* Radians that a component may turn in a substep. */
#define TURN_MOST 0.5

/* The momentum of a component, unit lengths and masses: what a substep begins with, and what it
 * must end with where nothing outside acts but gravity. */
typedef struct hex_free {
    lim_point centre, velocity, turning; /* angular momentum about the centre */
    lim_point fall;                      /* by gravity in the substep */
    bool free;
} hex_free;

struct hex_body {
    hex_levels levels;
    hex_stepper stepper;
    hex_state state;
    hex_forces forces;
    int32_t nodes;
    int32_t *slot, *node; /* of each node; of each slot, -1 for pads */
    float *mass, *rest[AXES], *force[AXES], *spring, *damper;
    float *way[AXES], *speed[AXES]; /* of a substep, m; velocities as the solve has left them */
    float *young, *poisson;         /* per cell, as asked */
    int32_t *first, *used;          /* limits of each node: where they begin, and how many */
    ARRAY(hex_limit) limits;
    ARRAY(hex_limit_work) works;
    ARRAY(int32_t) contact; /* of each limit; -1: a hard pin or grab */
    hex_free* part;         /* per component */
    double edge;            /* that levels have, m */
};

/* ---- memory -------------------------------------------------------------------------------------
 */

static lim_result describe_cells(const body* b, const struct hex_body* x, hex_desc* out) {
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

static lim_result number_nodes(body* b, struct hex_body* x) {
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

static lim_result allocate(body* b, struct hex_body* x) {
    size_t n = (size_t)x->nodes, cells = (size_t)b->topology->matter.count;
    float** arrays[] = {&x->mass,           &x->spring,         &x->damper,
                        &x->rest[0],        &x->rest[1],        &x->rest[2],
                        &x->force[0],       &x->force[1],       &x->force[2],
                        &x->way[0],         &x->way[1],         &x->way[2],
                        &x->speed[0],       &x->speed[1],       &x->speed[2],
                        &x->state.d[0],     &x->state.d[1],     &x->state.d[2],
                        &x->state.v[0],     &x->state.v[1],     &x->state.v[2],
                        &x->state.moved[0], &x->state.moved[1], &x->state.moved[2],
                        &x->state.kicked[0], &x->state.kicked[1], &x->state.kicked[2]};
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
    struct hex_body* x = b->hex = ARENA_ARRAY(&b->mem, struct hex_body, 1);
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
    return LIM_OK;
}

static lim_result reserve(body* b) {
    struct hex_body* x = b->hex;
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
    struct hex_body* x = b->hex;
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
    struct hex_body* x = b->hex;
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

/* ---- damping ------------------------------------------------------------------------------------
 */

/* v = a + w x (x - centre), unit lengths. */
typedef struct rigid {
    lim_point a, w, centre;
} rigid;

static lim_point point_of(const double v[AXES]) {
    return p3(v[0], v[1], v[2]);
}

static lim_point rigid_at(const rigid* r, lim_point x) {
    return p3_add(r->a, p3_cross(r->w, p3_sub(x, r->centre)));
}

/* Of what holds it, at the centre. */
static rigid held_motion(const component* c, lim_point centre) {
    lim_point away = p3_sub(centre, c->held_centre);
    return (rigid){p3_add(c->held_velocity, p3_cross(c->held_spin, away)), c->held_spin, centre};
}

/* What pins feel of damping towards them, and where. */
static void tell_held(component* c, double damp, const hex_momentum* m, const rigid* own,
                      const rigid* held) {
    double by = damp * c->held;
    c->own_centre = p3_sub(own->centre, p3_sub(c->centre, c->rest_centre));
    c->held_impulse = p3_scale(p3_sub(held->a, own->a), by * m->mass);
    c->held_turning = p3_scale(sym3_mul(m->inertia, p3_sub(held->w, own->w)), by);
}

static hex_momentum momentum_of(const body* b, const component* c) {
    const topology* t = b->topology;
    const float* const x0[AXES] = {t->x0[0], t->x0[1], t->x0[2]};
    return hex_momentum_of(x0, t->mass, b->d, b->v, c->begin, c->end);
}

/* A component's own oscillations fade, rolling is braked, and what rounding has left of its
 * momentum is taken out. */
static void damp_component(body* b, component* c, hex_free* part) {
    const topology* t = b->topology;
    double damp = (double)b->gains.body_damp, h = b->gains.h;
    hex_momentum m = momentum_of(b, c);
    lim_point turning = point_of(m.angular);
    rigid own = {point_of(m.velocity), sym3_solve(m.inertia, turning, NODE_THIN),
                 point_of(m.centre)};
    rigid held = c->held > 0.0 ? held_motion(c, own.centre) : own;
    double turn = p3_length(own.w) * h, slow = c->touched ? (double)b->gains.roll_damp : 0.0;
    slow = turn > TURN_MOST && 1.0 - TURN_MOST / turn > slow ? 1.0 - TURN_MOST / turn : slow;
    rigid push = {p3_scale(c->left_impulse, (c->held - 1.0) / m.mass),
                  p3_mad(p3_scale(own.w, -slow),
                         sym3_solve(m.inertia, c->left_turning, NODE_THIN), c->held - 1.0),
                  own.centre};
    *part = (hex_free){.centre = own.centre,
                       .velocity = p3_mad(own.a, c->left_impulse, -1.0 / m.mass),
                       .turning = p3_sub(turning, c->left_turning),
                       .free = !(c->held > 0.0) && !(slow > 0.0)};
    c->left_impulse = c->left_turning = p3(0, 0, 0);
    c->own_velocity = c->own_spin = p3(0, 0, 0);
    tell_held(c, damp, &m, &own, &held);
    bool still = !(damp > 0.0) && !(p3_length(push.a) > 0.0) && !(p3_length(push.w) > 0.0);
    if (still || !p3_finite(own.w) || !p3_finite(push.w) || !p3_finite(held.w)) {
        return;
    }
    for (int32_t i = c->begin; i < c->end; ++i) {
        if (t->slot_node[i] < 0) {
            continue;
        }
        lim_point x = body_slot_local(b, i), to = rigid_at(&own, x);
        to = p3_mad(p3_scale(to, 1.0 - c->held), rigid_at(&held, x), c->held);
        lim_point v = p3((double)b->v[0][i], (double)b->v[1][i], (double)b->v[2][i]);
        v = p3_add(p3_mad(v, p3_sub(to, v), damp), rigid_at(&push, x));
        b->v[0][i] = (float)v.x;
        b->v[1][i] = (float)v.y;
        b->v[2][i] = (float)v.z;
    }
}

/* ---- limits -------------------------------------------------------------------------------------
 */

static const contact_run* run_of(const contact_list* list, int32_t item, int32_t* run) {
    while (list->runs.data[*run].end <= item) {
        ++*run;
    }
    return &list->runs.data[*run];
}

static lim_vec3 normal_of(const contact* c, const contact_run* run) {
    return run->plane ? run->normal : c->normal;
}

/* Whether the plane that a contact has now is what its node meets in this substep; else it is held
 * to it when the solve is over. */
static bool is_in_solve(const body* b, const contact* c, const contact_run* run, double h) {
    double cell = (double)b->topology->cell;
    if (!(c->least > -HUGE_VALF) || !(b->inv_mass[c->node] > 0.0f) || !isfinite(c->least) ||
        !v3_finite(normal_of(c, run)) || !v3_finite(c->moving)) {
        return false;
    }
    lim_vec3 v = v3_sub(v3(b->v[0][c->node], b->v[1][c->node], b->v[2][c->node]), c->moving);
    return run->plane || (double)c->gap < NEAR_CELLS * cell || (double)v3_length(v) * h < cell;
}

static hex_limit contact_limit(const body* b, const contact* c, const contact_run* run, double h) {
    float metres = (float)body_metres(b);
    lim_vec3 n = normal_of(c, run), u = run->moves ? v3_scale(c->moving, metres) : v3(0, 0, 0);
    int32_t i = c->node;
    lim_vec3 force = v3(b->pressed[0][i], b->pressed[1][i], b->pressed[2][i]);
    float press = v3_dot(force, n);
    lim_vec3 drag = v3_mad(force, n, -press);
    bool touches = press > 0.0f;
    return (hex_limit){.node = b->hex->node[i],
                       .normal = {n.x, n.y, n.z},
                       .gap = (float)(-(double)c->least * h * (double)metres),
                       .velocity = {u.x, u.y, u.z},
                       .friction = run->friction,
                       .touches = touches,
                       .press = touches ? press : 0.0f,
                       .drag = {touches ? drag.x : 0.0f, touches ? drag.y : 0.0f,
                                touches ? drag.z : 0.0f}};
}

/* How many limits each node may have, as where its own begin; returns how many in all. */
static int32_t count_limits(const body* b, double h) {
    struct hex_body* x = b->hex;
    int32_t run = 0, sum = 0;
    for (int32_t n = 0; n < x->nodes; ++n) {
        x->first[n] = !(b->inv_mass[x->slot[n]] > 0.0f);
        x->used[n] = 0;
    }
    for (int32_t i = 0; i < b->contacts.items.count; ++i) {
        const contact* c = &b->contacts.items.data[i];
        x->first[x->node[c->node]] += is_in_solve(b, c, run_of(&b->contacts, i, &run), h);
    }
    for (int32_t n = 0; n < x->nodes; ++n) {
        int32_t own = x->first[n];
        x->first[n] = sum;
        sum += own;
    }
    return sum;
}

/* Of those that point the same way the nearest counts: several points of one node meet a plane. */
static void put_limit(struct hex_body* x, const hex_limit* l, int32_t item) {
    int32_t first = x->first[l->node], *used = &x->used[l->node], at = first;
    for (; at < first + *used; ++at) {
        const float *a = x->limits.data[at].normal, *n = l->normal;
        if (a[0] * n[0] + a[1] * n[1] + a[2] * n[2] > SAME_NORMAL) {
            break;
        }
    }
    bool fresh = at == first + *used;
    if (fresh || l->gap < x->limits.data[at].gap) {
        x->limits.data[at] = *l;
        x->contact.data[at] = item;
    }
    *used += fresh;
}

static void put_held(const body* b, struct hex_body* x, int32_t node) {
    float metres = (float)body_metres(b);
    int32_t slot = x->slot[node];
    hex_limit l = {.node = node, .held = true};
    for (int k = 0; k < AXES; ++k) {
        l.velocity[k] = metres * b->v[k][slot];
    }
    put_limit(x, &l, -1);
}

/* In the order of nodes. There is room: nothing was found or held since it was reserved. */
static void take_limits(body* b, double h) {
    struct hex_body* x = b->hex;
    int32_t run = 0, kept = 0;
    if (count_limits(b, h) > 0) {
        for (int32_t n = 0; n < x->nodes; ++n) {
            if (!(b->inv_mass[x->slot[n]] > 0.0f)) {
                put_held(b, x, n);
            }
        }
        for (int32_t i = 0; i < b->contacts.items.count; ++i) {
            const contact* c = &b->contacts.items.data[i];
            const contact_run* own = run_of(&b->contacts, i, &run);
            if (is_in_solve(b, c, own, h)) {
                hex_limit l = contact_limit(b, c, own, h);
                put_limit(x, &l, i);
            }
        }
        for (int32_t n = 0; n < x->nodes; ++n) {
            for (int32_t i = x->first[n]; i < x->first[n] + x->used[n]; ++i, ++kept) {
                x->limits.data[kept] = x->limits.data[i];
                x->contact.data[kept] = x->contact.data[i];
            }
        }
    }
    x->forces.limit = x->limits.data;
    x->forces.work = x->works.data;
    x->forces.limits = kept;
}

static lim_vec3 force_of(const hex_limit* l) {
    return v3(l->drag[0] + l->press * l->normal[0], l->drag[1] + l->press * l->normal[1],
              l->drag[2] + l->press * l->normal[2]);
}

/* A held node is left with what its pin puts on it still to be done. */
static void leave_held(body* b, const hex_limit* l, const lim_vec3 impulse) {
    int32_t slot = b->hex->slot[l->node];
    float metres = (float)body_metres(b), mass = b->topology->mass[slot];
    b->v[0][slot] = l->velocity[0] / metres - impulse.x / mass;
    b->v[1][slot] = l->velocity[1] / metres - impulse.y / mass;
    b->v[2][slot] = l->velocity[2] / metres - impulse.z / mass;
}

/* A contact feels its impulse, and asks for no more than what the solve has left. */
static void tell_contact(body* b, contact* c, const contact_run* run, const hex_limit* l,
                         lim_vec3 impulse) {
    node_state nodes = body_nodes(b);
    lim_vec3 n = normal_of(c, run), v = v3(b->v[0][c->node], b->v[1][c->node], b->v[2][c->node]);
    float along = v3_dot(run->moves ? v3_sub(v, c->moving) : v, n), push = v3_dot(impulse, n);
    c->least = l->touches || along < c->least ? along : c->least;
    if (l->touches) {
        c->normal = n;
        c->touching = c->point[0];
        c->impulse = push > 0.0f ? push : 0.0f;
        c->friction_impulse = v3_mad(impulse, n, -push);
        contact_feel(c, &nodes, c->node, impulse);
    }
}

/* The solve ends at a tolerance, so that the impulses of its limits are not quite what a component
 * got: what is lacking, as push + turn x r on each limit that touches by its share of the pressing.
 */
typedef struct lack {
    double press, inertia[6];
    lim_point centre, push, turn;
} lack;

static lim_point place_of(const body* b, const hex_limit* l) {
    return body_slot_local(b, b->hex->slot[l->node]);
}

/* Sums over the limits [begin, end) of a component, which moves by what they do and gravity. */
static lack find_lack(const body* b, const component* c, const hex_free* part, int32_t begin,
                      int32_t end, double impulse) {
    const struct hex_body* x = b->hex;
    hex_momentum m = momentum_of(b, c);
    lack out = {.centre = p3(0, 0, 0)};
    lim_point push = p3_scale(p3_sub(p3_sub(point_of(m.velocity), part->velocity), part->fall), m.mass);
    lim_point turn = p3_sub(point_of(m.angular), part->turning);
    for (int32_t i = begin; i < end; ++i) {
        const hex_limit* l = &x->limits.data[i];
        lim_point told = p3_scale(p3_of(force_of(l)), impulse), at = place_of(b, l);
        out.press += (double)l->press;
        out.centre = p3_mad(out.centre, at, (double)l->press);
        push = p3_sub(push, told);
        turn = p3_sub(turn, p3_cross(p3_sub(at, point_of(m.centre)), told));
    }
    if (!(out.press > 0.0)) {
        return out;
    }
    out.centre = p3_scale(out.centre, 1.0 / out.press);
    for (int32_t i = begin; i < end; ++i) {
        const hex_limit* l = &x->limits.data[i];
        lim_point r = p3_sub(place_of(b, l), out.centre);
        double w = (double)l->press / out.press;
        out.inertia[0] += w * (r.y * r.y + r.z * r.z);
        out.inertia[1] += w * (r.x * r.x + r.z * r.z);
        out.inertia[2] += w * (r.x * r.x + r.y * r.y);
        out.inertia[3] -= w * r.x * r.y;
        out.inertia[4] -= w * r.x * r.z;
        out.inertia[5] -= w * r.y * r.z;
    }
    turn = p3_sub(turn, p3_cross(p3_sub(out.centre, point_of(m.centre)), push));
    out.push = push;
    out.turn = sym3_solve(out.inertia, turn, LACK_THIN);
    return out;
}

/* Tells one component's limits. */
static void tell_part(body* b, int32_t part, int32_t begin, int32_t end, double h) {
    struct hex_body* x = b->hex;
    double metres = body_metres(b);
    double unit = (double)b->material.density * metres * metres * metres * metres;
    lack off = {0};
    bool touching = false;
    for (int32_t i = begin; i < end; ++i) {
        touching = touching || x->limits.data[i].touches || x->limits.data[i].held;
    }
    if (touching && x->part[part].free && x->forces.spring == NULL) {
        off = find_lack(b, &b->components[part], &x->part[part], begin, end, h / unit);
    }
    x->part[part].free = x->part[part].free && !touching && x->forces.spring == NULL;
    for (int32_t i = begin; i < end; ++i) {
        const hex_limit* l = &x->limits.data[i];
        lim_vec3 force = force_of(l), impulse = v3_scale(force, (float)(h / unit));
        int32_t slot = x->slot[l->node];
        if (l->held) {
            leave_held(b, l, impulse);
            continue;
        }
        if (off.press > 0.0 && l->press > 0.0f) {
            lim_point more = p3_add(off.push, p3_cross(off.turn, p3_sub(place_of(b, l), off.centre)));
            impulse = v3_add(impulse, v3_of(p3_scale(more, (double)l->press / off.press)));
        }
        b->pressed[0][slot] += force.x;
        b->pressed[1][slot] += force.y;
        b->pressed[2][slot] += force.z;
        int32_t run = 0;
        tell_contact(b, &b->contacts.items.data[x->contact.data[i]],
                     run_of(&b->contacts, x->contact.data[i], &run), l, impulse);
    }
}

static void tell_limits(body* b, double h) {
    struct hex_body* x = b->hex;
    for (int k = 0; k < AXES; ++k) {
        memset(b->pressed[k], 0, (size_t)b->topology->slot_count * sizeof(float));
    }
    for (int32_t part = 0, begin = 0, end; part < x->forces.parts; ++part, begin = end) {
        for (end = begin; end < x->forces.limits &&
                          x->limits.data[end].node < x->forces.part_first[part + 1];) {
            ++end;
        }
        tell_part(b, part, begin, end, h);
    }
}

/* ---- a substep ----------------------------------------------------------------------------------
 */

static void load_state(body* b, const body_substep* s) {
    struct hex_body* x = b->hex;
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

static body_springs springs_of(struct hex_body* x) {
    return (body_springs){.node = x->node,
                          .force = {x->force[0], x->force[1], x->force[2]},
                          .spring = x->spring,
                          .damper = x->damper,
                          .way = {x->state.moved[0], x->state.moved[1], x->state.moved[2]},
                          .v = {x->state.v[0], x->state.v[1], x->state.v[2]}};
}

static void take_springs(body* b, const body_substep* s) {
    struct hex_body* x = b->hex;
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
    struct hex_body* x = b->hex;
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
    struct hex_body* x = b->hex;
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
    struct hex_body* x = b->hex;
    x->stepper.solver.kernels = hex_kernels_for(s->in->set);
    x->stepper.solver.pool = s->in->pool;
    body_limits_measure(b, s);
    double t0 = timer_now(&b->host);
    take_limits(b, s->h);
    for (int32_t i = 0; i < b->topology->component_count; ++i) {
        damp_component(b, &b->components[i], &x->part[i]);
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
        tell_limits(b, s->h);
    }
    s->times->solve += timer_now(&b->host) - t0;
}

/* By the way that the solve has found, and what has changed velocities since. Returns whether
 * anything has. */
static bool drift_nodes(body* b, float h, int32_t begin, int32_t end) {
    struct hex_body* x = b->hex;
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

/* What rounding has left of the momentum of a component that nothing has touched. */
static void find_left(const body* b, component* c, const hex_free* part) {
    hex_momentum m = momentum_of(b, c);
    lim_point want = p3_add(part->velocity, part->fall);
    c->left_impulse = p3_scale(p3_sub(point_of(m.velocity), want), m.mass);
    c->left_turning = p3_sub(point_of(m.angular), part->turning);
    if (!p3_finite(c->left_impulse) || !p3_finite(c->left_turning)) {
        c->left_impulse = c->left_turning = p3(0, 0, 0);
    }
}

/* Where velocities were changed the solver does not know any more what comes next: its history
 * ends. */
static void drift(body* b, const body_substep* s) {
    struct hex_body* x = b->hex;
    for (int32_t i = 0; i < b->topology->component_count; ++i) {
        const int32_t* first = x->forces.part_first + i;
        bool kicked = drift_nodes(b, (float)s->h, first[0], first[1]);
        b->history_h = kicked ? 0.0f : b->history_h;
        if (!kicked && x->part[i].free) {
            find_left(b, &b->components[i], &x->part[i]);
        }
    }
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
    struct hex_body* x = b->hex;
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

/* SPDX-License-Identifier: MIT
 * Job: what is rigid in the velocities of a component. In: a component of a body of cubes, before
 * its solve and after. Out: the body's own damping, rolling resistance, and what rounding has left.
 */
#include "body/hex_solver.h"

enum { AXES = 3 };

/* Radians that a component may turn in a substep. */
#define TURN_MOST 0.5

/* v = a + w x (x - centre), unit lengths. */
typedef struct rigid {
    lim_point a, w, centre;
} rigid;

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

hex_momentum hex_component_momentum(const body* b, const component* c) {
    const topology* t = b->topology;
    const float* const x0[AXES] = {t->x0[0], t->x0[1], t->x0[2]};
    return hex_momentum_of(x0, t->mass, b->d, b->v, c->begin, c->end);
}

void hex_damp(body* b, component* c, hex_free* part) {
    const topology* t = b->topology;
    double damp = (double)b->gains.body_damp, h = b->gains.h;
    hex_momentum m = hex_component_momentum(b, c);
    lim_point turning = hex_point(m.angular);
    rigid own = {hex_point(m.velocity), sym3_solve(m.inertia, turning, NODE_THIN),
                 hex_point(m.centre)};
    rigid held = c->held > 0.0 ? held_motion(c, own.centre) : own;
    double turn = p3_length(own.w) * h, slow = c->touched ? (double)b->gains.roll_damp : 0.0;
    slow = turn > TURN_MOST && 1.0 - TURN_MOST / turn > slow ? 1.0 - TURN_MOST / turn : slow;
    rigid push = {p3_scale(c->left_impulse, (c->held - 1.0) / m.mass),
                  p3_mad(p3_scale(own.w, -slow), sym3_solve(m.inertia, c->left_turning, NODE_THIN),
                         c->held - 1.0),
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

/* Of a component that nothing has touched. */
void hex_find_left(const body* b, component* c, const hex_free* part) {
    hex_momentum m = hex_component_momentum(b, c);
    lim_point want = p3_add(part->velocity, part->fall);
    c->left_impulse = p3_scale(p3_sub(hex_point(m.velocity), want), m.mass);
    c->left_turning = p3_sub(hex_point(m.angular), part->turning);
    if (!p3_finite(c->left_impulse) || !p3_finite(c->left_turning)) {
        c->left_impulse = c->left_turning = p3(0, 0, 0);
    }
}

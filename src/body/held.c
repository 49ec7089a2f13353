/* SPDX-License-Identifier: MIT
 * Job: what pins mean for the body they hold. In: where their frames take the held nodes. Out: per
 * component the best rigid motion of that, v = V + omega x (x - o), omega = I^-1 L, towards which
 * the body's own damping fades; and for the skin the affine part of nodes in hard pins, which turn
 * with their pin and not with their regions.
 */
#include "body/body.h"
#include "math/eigen.h"

/* While pins are gone through, the held fields of a component are sums over its held nodes: m, m x,
 * m v, m x cross v, m x x^T. */
static void add_node(component* c, double m, lim_point x, lim_point v) {
    const double square[6] = {x.x * x.x, x.y * x.y, x.z * x.z, x.x * x.y, x.x * x.z, x.y * x.z};
    c->held_mass += m;
    c->held_centre = p3_mad(c->held_centre, x, m);
    c->held_velocity = p3_mad(c->held_velocity, v, m);
    c->held_spin = p3_mad(c->held_spin, p3_cross(x, v), m);
    for (int k = 0; k < 6; ++k) {
        c->held_square[k] += m * square[k];
    }
}

static void add_pin(body* b, const body_pin* p, double t0, double t1, double h) {
    const topology* t = b->topology;
    for (int32_t i = 0, end; i < p->count; i = end) {
        int32_t piece = t->slot_component[p->slot[i]];
        component* c = &b->components[piece];
        pin_frame from = body_pin_frame(b, p, t0, piece), to = body_pin_frame(b, p, t1, piece);
        double before = c->held_mass;
        for (end = body_pin_run(b, p, i); i < end; ++i) {
            if (body_pin_holds(b, p, i)) {
                lim_point at = body_pin_place(&to, p->local[i]);
                lim_point way = p3_sub(at, body_pin_place(&from, p->local[i]));
                double m = p->hold * (double)t->mass[p->slot[i]];
                add_node(c, m, at, p3_scale(way, 1.0 / h));
            }
        }
        /* what no pin holds: the product of what each leaves */
        c->held = c->held_mass > before ? 1.0 - (1.0 - c->held) * (1.0 - p->hold) : c->held;
    }
}

static void finish_held(component* c) {
    const double* s = c->held_square;
    double mass = c->held_mass, own = mass * NODE_OWN * c->span * c->span;
    lim_point o = p3_scale(c->held_centre, 1.0 / mass), v = c->held_velocity;
    double xx = s[0] - mass * o.x * o.x, yy = s[1] - mass * o.y * o.y;
    double zz = s[2] - mass * o.z * o.z;
    const double inertia[6] = {yy + zz + own,           xx + zz + own,
                               xx + yy + own,           mass * o.x * o.y - s[3],
                               mass * o.x * o.z - s[4], mass * o.y * o.z - s[5]};
    c->held_spin = sym3_solve(inertia, p3_sub(c->held_spin, p3_cross(o, v)), NODE_THIN);
    c->held_centre = o;
    c->held_velocity = p3_scale(v, 1.0 / mass);
}

/* A hard pin holds all, a soft one as far as it can bring what hangs on it along within the time in
 * which oscillations fade: w T^2 / (1 + w T^2), w = K / M', T = 2 h / body_damp. */
static double how_far(const body* b, const body_pin* p, double h) {
    double metres = body_metres(b), damp = (double)b->gains.body_damp;
    double mass = body_pin_load(b, p) * (double)b->material.density * metres * metres * metres;
    double time = 2.0 * h / damp, w = (double)p->stiffness / mass * time * time;
    return body_pin_is_hard(p) || !(damp > 0.0) || !(mass > 0.0) ? 1.0 : w / (1.0 + w);
}

void body_measure_held(body* b, double t0, double t1, double h) {
    bool any = b->pins.count + b->grabs.count > 0;
    for (int32_t i = 0; i < b->topology->component_count; ++i) {
        component* c = &b->components[i];
        c->held = 0.0;
        if (!any) {
            continue; /* nobody asks for the rest */
        }
        c->held_mass = 0.0;
        c->held_centre = c->held_velocity = c->held_spin = p3(0, 0, 0);
        for (int k = 0; k < 6; ++k) {
            c->held_square[k] = 0.0;
        }
    }
    if (!any) {
        return;
    }
    int32_t k = 0;
    for (body_pin* p = body_next_hold(b, &k); p != NULL; p = body_next_hold(b, &k)) {
        p->hold = how_far(b, p, h);
        add_pin(b, p, t0, t1, h);
    }
    for (int32_t i = 0; i < b->topology->component_count; ++i) {
        if (b->components[i].held > 0.0) {
            finish_held(&b->components[i]);
        }
    }
}

/* Entries of B below this are rounding: a pin that has not turned leaves the skin exactly at rest.
 */
#define TURN_LEAST 1e-7

/* The rotation of a pin's nodes from rest; false when they are too few or in a line. */
static bool pin_rotation(const body* b, const body_pin* pin, dmat3* out) {
    const topology* t = b->topology;
    lim_point c = p3(0, 0, 0), c0 = p3(0, 0, 0);
    dmat3 a = {{0}}, u, v;
    double mass = 0.0, s[3];
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t k = 0; k < pin->count; ++k) {
            int32_t i = pin->slot[k];
            double m = (double)t->mass[i];
            lim_point x0 = p3((double)t->x0[0][i], (double)t->x0[1][i], (double)t->x0[2][i]);
            lim_point x =
                p3_add(x0, p3((double)b->d[0][i], (double)b->d[1][i], (double)b->d[2][i]));
            if (pass == 0) {
                mass += m;
                c = p3_mad(c, x, m);
                c0 = p3_mad(c0, x0, m);
                continue;
            }
            const double p[3] = {x.x - c.x, x.y - c.y, x.z - c.z};
            const double q[3] = {x0.x - c0.x, x0.y - c0.y, x0.z - c0.z};
            for (int j = 0; j < 9; ++j) {
                a.m[j] += m * p[j / 3] * q[j % 3];
            }
        }
        if (!(mass > 0.0)) {
            return false;
        }
        c = pass == 0 ? p3_scale(c, 1.0 / mass) : c;
        c0 = pass == 0 ? p3_scale(c0, 1.0 / mass) : c0;
    }
    svd3(&a, &u, s, &v);
    *out = svd_rotation(&u, &v);
    return s[1] > 1e-3 * s[0] && s[0] > 0.0;
}

void body_pins_affine(body* b) {
    bool lattice = b->topology->bind.cell_count > 0; /* nodes do not turn: skin/trilinear.h */
    int32_t k = 0;
    for (const body_pin* pin = body_next_hold(b, &k); pin != NULL && !lattice;
         pin = body_next_hold(b, &k)) {
        dmat3 r;
        if (!body_pin_is_hard(pin) || !pin_rotation(b, pin, &r)) {
            continue;
        }
        for (int j = 0; j < 9; ++j) {
            r.m[j] -= j % 4 == 0 ? 1.0 : 0.0;
            r.m[j] = fabs(r.m[j]) > TURN_LEAST ? r.m[j] : 0.0;
        }
        for (int32_t i = 0; i < pin->count; ++i) {
            float* to = b->affine + 16 * (size_t)pin->slot[i];
            for (int j = 0; j < 9; ++j) {
                to[j] = (float)r.m[j];
            }
        }
    }
}

/* SPDX-License-Identifier: MIT
 * Job: what pins mean for the body they hold. In: where their frames take the held nodes. Out: per
 * component the best rigid motion of that, v = V + omega x (x - o), omega = I^-1 L, towards which
 * the body's own damping fades; and for the skin the affine part of nodes in hard pins, which turn
 * with their pin and not with their regions.
 */
#include "body/body.h"
#include "math/eigen.h"

/* Sums over the held nodes of one component. */
typedef struct held_sums {
    double free; /* how far nothing holds it */
    double mass, square[6];
    lim_point x, v, turning;
} held_sums;

static void add_node(held_sums* s, double m, lim_point x, lim_point v) {
    const double square[6] = {x.x * x.x, x.y * x.y, x.z * x.z, x.x * x.y, x.x * x.z, x.y * x.z};
    s->mass += m;
    s->x = p3_mad(s->x, x, m);
    s->v = p3_mad(s->v, v, m);
    s->turning = p3_mad(s->turning, p3_cross(x, v), m);
    for (int k = 0; k < 6; ++k) {
        s->square[k] += m * square[k];
    }
}

static void add_pin(const body* b, const body_pin* p, int32_t piece, double t0, double t1, double h,
                    held_sums* s) {
    const topology* t = b->topology;
    bool hard = body_pin_is_hard(p), any = false;
    for (int32_t i = 0; i < p->count; ++i) {
        int32_t slot = p->slot[i];
        if (t->slot_component[slot] == piece && (hard || b->inv_mass[slot] > 0.0f)) {
            lim_point to = body_pin_place(b, p, i, t1);
            lim_point way = p3_sub(to, body_pin_place(b, p, i, t0));
            add_node(s, p->hold * (double)t->volume[slot], to, p3_scale(way, 1.0 / h));
            any = true;
        }
    }
    s->free *= any ? 1.0 - p->hold : 1.0;
}

static void set_held(component* at, const held_sums* sum) {
    const double* s = sum->square;
    double mass = sum->mass;
    lim_point o = p3_scale(sum->x, 1.0 / mass);
    double xx = s[0] - mass * o.x * o.x, yy = s[1] - mass * o.y * o.y;
    double zz = s[2] - mass * o.z * o.z;
    double own = mass * NODE_OWN;
    const double inertia[6] = {yy + zz + own,           xx + zz + own,
                               xx + yy + own,           mass * o.x * o.y - s[3],
                               mass * o.x * o.z - s[4], mass * o.y * o.z - s[5]};
    at->held = 1.0 - sum->free;
    at->held_mass = mass;
    at->held_centre = o;
    at->held_velocity = p3_scale(sum->v, 1.0 / mass);
    at->held_spin = sym3_solve(inertia, p3_sub(sum->turning, p3_cross(o, sum->v)), NODE_THIN);
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
    const topology* t = b->topology;
    for (int32_t k = 0; k < b->pins.count; ++k) {
        b->pins.data[k].hold = how_far(b, &b->pins.data[k], h);
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        held_sums sums = {.free = 1.0};
        b->components[c].held = 0.0;
        for (int32_t k = 0; k < b->pins.count; ++k) {
            add_pin(b, &b->pins.data[k], c, t0, t1, h, &sums);
        }
        if (sums.mass > 0.0) {
            set_held(b->components + c, &sums);
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
            double m = (double)t->volume[i];
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
    *out = nearest_rotation(&a);
    return s[1] > 1e-3 * s[0] && s[0] > 0.0;
}

void body_pins_affine(body* b) {
    for (int32_t k = 0; k < b->pins.count; ++k) {
        const body_pin* pin = &b->pins.data[k];
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

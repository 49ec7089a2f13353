/* SPDX-License-Identifier: MIT
 * Job: what pins mean for the body they hold. In: the velocities and places of pinned nodes. Out:
 * per component the best rigid motion of them, v = V + omega x (x - o), omega = I^-1 L, towards
 * which the body's own damping fades; and for the skin the affine part of pinned nodes, which turn
 * with their pin and not with their regions.
 */
#include "body/body.h"
#include "math/eigen.h"

void body_measure_held(body* b) {
    const topology* t = b->topology;
    for (int32_t c = 0; c < t->component_count; ++c) {
        b->components[c].held = false;
    }
    if (b->pins.count == 0) {
        return;
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        component* at = b->components + c;
        double mass = 0.0, s[6] = {0};
        lim_point x_sum = p3(0, 0, 0), v_sum = p3(0, 0, 0), l_sum = p3(0, 0, 0);
        for (int32_t i = at->begin; i < at->end; ++i) {
            if (b->inv_mass[i] > 0.0f || !(t->volume[i] > 0.0f)) {
                continue;
            }
            double m = (double)t->volume[i];
            lim_point x = p3((double)t->x0[0][i] + (double)b->d[0][i],
                             (double)t->x0[1][i] + (double)b->d[1][i],
                             (double)t->x0[2][i] + (double)b->d[2][i]);
            lim_point v = p3((double)b->v[0][i], (double)b->v[1][i], (double)b->v[2][i]);
            mass += m;
            x_sum = p3_mad(x_sum, x, m);
            v_sum = p3_mad(v_sum, v, m);
            l_sum = p3_mad(l_sum, p3_cross(x, v), m);
            const double square[6] = {x.x * x.x, x.y * x.y, x.z * x.z,
                                      x.x * x.y, x.x * x.z, x.y * x.z};
            for (int k = 0; k < 6; ++k) {
                s[k] += m * square[k];
            }
        }
        if (!(mass > 0.0)) {
            continue;
        }
        lim_point o = p3_scale(x_sum, 1.0 / mass);
        double xx = s[0] - mass * o.x * o.x, yy = s[1] - mass * o.y * o.y;
        double zz = s[2] - mass * o.z * o.z;
        double own = mass * NODE_OWN;
        const double inertia[6] = {yy + zz + own,           xx + zz + own,
                                   xx + yy + own,           mass * o.x * o.y - s[3],
                                   mass * o.x * o.z - s[4], mass * o.y * o.z - s[5]};
        at->held = true;
        at->held_centre = o;
        at->held_velocity = p3_scale(v_sum, 1.0 / mass);
        at->held_spin = sym3_solve(inertia, p3_sub(l_sum, p3_cross(o, v_sum)), NODE_THIN);
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
    bool lattice = b->topology->bind.cell_count > 0; /* nodes do not turn: skin/trilinear.h */
    for (int32_t k = 0; k < b->pins.count && !lattice; ++k) {
        const body_pin* pin = &b->pins.data[k];
        dmat3 r;
        if (!pin_rotation(b, pin, &r)) {
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

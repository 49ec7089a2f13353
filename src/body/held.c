/* SPDX-License-Identifier: MIT
 * Job: how what holds a body moves. In: the velocities of pinned nodes. Out: per component the best
 * rigid motion of them, v = V + omega x (x - o), omega = I^-1 L. The body's own damping fades
 * towards it.
 */
#include "body/body.h"

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

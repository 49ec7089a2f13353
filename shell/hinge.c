/* SPDX-License-Identifier: MIT
 * Job: the angle of a hinge. In: four points. Out: the angle between the normals and how it changes
 * with each point.
 */
#include "shell/hinge.h"

#include "math/trig.h"

#include <string.h>

bool hinge_angle(const lim_point corner[4], double* out_angle, lim_point gradient[4]) {
    lim_point a = corner[0], b = corner[1], c = corner[2], d = corner[3], e = p3_sub(b, a);
    lim_point ca = p3_sub(c, a), cb = p3_sub(c, b), da = p3_sub(d, a), db = p3_sub(d, b);
    lim_point n1 = p3_cross(ca, cb), n2 = p3_cross(db, da);
    double length = p3_length(e), q1 = p3_dot(n1, n1), q2 = p3_dot(n2, n2);
    if (!(length > 0.0 && q1 > 0.0 && q2 > 0.0)) {
        *out_angle = 0.0;
        memset(gradient, 0, 4 * sizeof *gradient);
        return false;
    }
    n1 = p3_scale(n1, 1.0 / q1);
    n2 = p3_scale(n2, 1.0 / q2);
    gradient[0] =
        p3_add(p3_scale(n1, -p3_dot(cb, e) / length), p3_scale(n2, -p3_dot(db, e) / length));
    gradient[1] =
        p3_add(p3_scale(n1, p3_dot(ca, e) / length), p3_scale(n2, p3_dot(da, e) / length));
    gradient[2] = p3_scale(n1, -length);
    gradient[3] = p3_scale(n2, -length);
    /* n1 and n2 over their squares: sine and cosine keep their ratio. */
    *out_angle = trig_atan2(p3_dot(p3_cross(n1, n2), e) / length, p3_dot(n1, n2));
    return true;
}

double hinge_turn(double a, double b) {
    double d = a - b;
    d = d > TRIG_PI ? d - 2.0 * TRIG_PI : d;
    return d < -TRIG_PI ? d + 2.0 * TRIG_PI : d;
}

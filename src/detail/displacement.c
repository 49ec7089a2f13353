/* SPDX-License-Identifier: MIT
 * Job: what is left of a displacement when rigid motion is taken out. In: nodes at rest and where
 * they are. Out: one vector that turns and moves with nothing. Sums in double, in the nodes' order.
 */
#include "detail/displacement.h"

#include "math/quat.h"
#include "math/rotation.h"

#include <string.h>

/* |u| below this share of the body's rms radius is rounding. */
#define ROUNDING 1e-7

void displacement_shares(const float* mass, int32_t count, float* out_share) {
    double sum = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        sum += (double)mass[i];
    }
    for (int32_t i = 0; i < count; ++i) {
        out_share[i] = sum > 0.0 ? (float)sqrt((double)mass[i] / sum) : 0.0f;
    }
}

static lim_point at(const float* const p[3], int32_t i) {
    return p3((double)p[0][i], (double)p[1][i], (double)p[2][i]);
}

typedef struct rigid_fit {
    lim_point rest, shift; /* centre at rest, and how it has moved */
    dquat turn;
    double radius2; /* mean square distance from the centre at rest */
} rigid_fit;

static rigid_fit fit(const displaced_nodes* n) {
    rigid_fit f = {.rest = {0, 0, 0}, .shift = {0, 0, 0}};
    for (int32_t i = 0; i < n->count; ++i) {
        double m = (double)n->share[i] * (double)n->share[i];
        f.rest = p3_mad(f.rest, at(n->x0, i), m);
        f.shift = p3_mad(f.shift, at(n->d, i), m);
    }
    double a[9] = {0}, q[4];
    for (int32_t i = 0; i < n->count; ++i) {
        double m = (double)n->share[i] * (double)n->share[i];
        lim_point rest = p3_sub(at(n->x0, i), f.rest);
        lim_point now = p3_add(rest, p3_sub(at(n->d, i), f.shift));
        const double x[3] = {now.x, now.y, now.z}, y[3] = {rest.x, rest.y, rest.z};
        for (int k = 0; k < 9; ++k) {
            a[k] += m * x[k / 3] * y[k % 3];
        }
        f.radius2 += m * p3_dot(rest, rest);
    }
    rotation_cold(a, q);
    f.turn = dquat_unit((dquat){q[0], q[1], q[2], q[3]});
    return f;
}

float displacement_of(const displaced_nodes* n, float* u) {
    rigid_fit f = fit(n);
    dquat back = dquat_conjugate(f.turn);
    int32_t stride = displacement_width(n->count) / 3;
    double square = 0.0;
    memset(u, 0, 3 * (size_t)stride * sizeof *u);
    for (int32_t i = 0; i < n->count; ++i) {
        /* (R^T - 1) (x0 - c0) + R^T (d - shift): small for what is small */
        lim_point rest = p3_sub(at(n->x0, i), f.rest);
        lim_point axis = p3(back.x, back.y, back.z);
        lim_point t = p3_scale(p3_cross(axis, rest), 2.0);
        lim_point turned = p3_add(p3_scale(t, back.w), p3_cross(axis, t));
        lim_point own = dquat_rotate(back, p3_sub(at(n->d, i), f.shift));
        lim_point all = p3_scale(p3_add(turned, own), (double)n->share[i]);
        square += p3_dot(all, all);
        u[i] = (float)all.x;
        u[stride + i] = (float)all.y;
        u[2 * stride + i] = (float)all.z;
    }
    if (!(square > ROUNDING * ROUNDING * f.radius2 && square < 1e30)) {
        memset(u, 0, 3 * (size_t)stride * sizeof *u);
        return 0.0f;
    }
    return (float)sqrt(square);
}

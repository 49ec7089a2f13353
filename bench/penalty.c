/* SPDX-License-Identifier: MIT
 * Job: repulsive forces by depth. In: two boxes as they are deformed. Out: their nodes' velocities
 * after a step of springs.
 */
#include "bench/penalty.h"

#include "math/vec3.h"

#include <math.h>

penalty_depth penalty_depth_of(const penalty_block* b, lim_point point) {
    int32_t nearest = 0;
    double least = INFINITY;
    for (int32_t i = 0; i < b->node_count; ++i) {
        lim_point way = p3_sub(point, b->at[i]);
        double square = p3_dot(way, way);
        nearest = square < least ? i : nearest;
        least = square < least ? square : least;
    }
    /* X = x0_i + R^T (y - x_i) */
    lim_point back = dquat_rotate(dquat_conjugate(b->turn), p3_sub(point, b->at[nearest]));
    lim_point at = p3_add(p3_of(b->rest[nearest]), back);
    const double x[3] = {at.x, at.y, at.z};
    const double half[3] = {(double)b->half.x, (double)b->half.y, (double)b->half.z};
    double deep = INFINITY, out[3] = {0.0, 0.0, 0.0};
    int axis = 0;
    for (int k = 0; k < 3; ++k) {
        double to_face = half[k] - fabs(x[k]);
        axis = to_face < deep ? k : axis;
        deep = to_face < deep ? to_face : deep;
    }
    out[axis] = x[axis] < 0.0 ? -1.0 : 1.0;
    return (penalty_depth){deep, dquat_rotate(b->turn, p3(out[0], out[1], out[2])), nearest};
}

/* Of its surface: what lies beyond is not inside. */
static void bounds_of(const penalty_block* b, lim_point* lower, lim_point* upper) {
    *lower = p3(INFINITY, INFINITY, INFINITY);
    *upper = p3(-INFINITY, -INFINITY, -INFINITY);
    for (int32_t i = 0; i < b->point_count; ++i) {
        *lower = p3_min(*lower, b->point[i]);
        *upper = p3_max(*upper, b->point[i]);
    }
}

static void add_impulse(penalty_block* b, int32_t node, lim_point impulse) {
    b->velocity[node] = v3_add(b->velocity[node], v3_of(p3_scale(impulse, 1.0 / b->mass[node])));
}

int32_t penalty_push(penalty_block* a, penalty_block* b, double k, double h) {
    lim_point lower, upper;
    bounds_of(b, &lower, &upper);
    int32_t inside = 0;
    for (int32_t i = 0; i < a->point_count; ++i) {
        lim_point p = a->point[i];
        if (p.x < lower.x || p.y < lower.y || p.z < lower.z || p.x > upper.x || p.y > upper.y ||
            p.z > upper.z) {
            continue;
        }
        penalty_depth d = penalty_depth_of(b, p);
        if (d.deep > 0.0) {
            lim_point impulse = p3_scale(d.out, h * k * d.deep * a->point_share[i]);
            add_impulse(a, a->point_node[i], impulse);
            add_impulse(b, d.node, p3_scale(impulse, -1.0));
            inside += 1;
        }
    }
    return inside;
}

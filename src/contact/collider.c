/* SPDX-License-Identifier: MIT
 * Job: signed distance, normal and motion of one collider. In: a world point. Out: exact distances
 * to plane, sphere, capsule and box, and to what contact/asset.h has, inside and outside, always
 * with a unit normal. All but meshes and height fields are convex: the plane across the normal at
 * the nearest point has the whole shape on its other side.
 */
#include "contact/contact.h"

#include "math/trig.h"

/* Points nearer to a centre or an axis than this (metres) have no direction from it. */
#define NO_DIRECTION 1e-12
/* Steps along a way, and how near to what is asked they come. */
enum { MEET_TRIES = 16 };
#define MEET_NEAR 0.1

static double distance_from(lim_point r, double radius, lim_point fallback, lim_point* normal) {
    double length = p3_length(r);
    *normal = length > NO_DIRECTION ? p3_scale(r, 1.0 / length) : fallback;
    return length - radius;
}

static double box_distance(lim_point p, lim_vec3 half, lim_point* normal) {
    double at[3] = {p.x, p.y, p.z}, size[3] = {(double)half.x, (double)half.y, (double)half.z};
    double out[3], face[3] = {0, 0, 0};
    int nearest = 0;
    for (int k = 0; k < 3; ++k) {
        out[k] = fabs(at[k]) - size[k];
        nearest = out[k] > out[nearest] ? k : nearest;
    }
    face[nearest] = at[nearest] < 0.0 ? -1.0 : 1.0;
    *normal = p3(face[0], face[1], face[2]);
    if (!(out[nearest] > NO_DIRECTION)) {
        return out[nearest]; /* inside or on a face */
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = out[k] > 0.0 ? (at[k] < 0.0 ? -out[k] : out[k]) : 0.0;
    }
    return distance_from(p3(out[0], out[1], out[2]), 0.0, *normal, normal);
}

/* Distance, and the normal in the collider's own axes. */
static double own_distance(const collider* c, lim_point at, lim_point* normal) {
    lim_point p = dquat_rotate(dquat_conjugate(c->orientation), p3_sub(at, c->position));
    double radius = (double)c->size.x, half = (double)c->size.y;
    *normal = p3(0, 1, 0);
    switch (c->shape) {
    case LIM_SHAPE_SPHERE:
        return distance_from(p, radius, *normal, normal);
    case LIM_SHAPE_CAPSULE:
        p.y -= p.y < -half ? -half : p.y > half ? half : p.y;
        return distance_from(p, radius, p3(1, 0, 0), normal);
    case LIM_SHAPE_BOX:
        return box_distance(p, c->size, normal);
    case LIM_SHAPE_HULL:
    case LIM_SHAPE_MESH:
    case LIM_SHAPE_HEIGHTS:
        return asset_distance(c->asset, p3_scale(p, c->scale), normal) / c->scale;
    case LIM_SHAPE_PLANE:
    default:
        return p.y;
    }
}

bool collider_is_convex(const collider* c) {
    return c->shape != LIM_SHAPE_MESH && c->shape != LIM_SHAPE_HEIGHTS;
}

bool collider_is_sheet(const collider* c) {
    return c->shape == LIM_SHAPE_MESH && !c->asset->solid;
}

lim_point collider_own(const collider* c, lim_point at) {
    return p3_scale(dquat_rotate(dquat_conjugate(c->orientation), p3_sub(at, c->position)),
                    c->scale);
}

bool collider_parts(const collider* c, lim_point from, lim_point at) {
    return asset_parts(c->asset, from, collider_own(c, at));
}

bool collider_sweep(const collider* c, lim_point from, lim_point to, double* out_share,
                    lim_vec3* out_normal) {
    lim_point normal;
    if (!asset_sweep(c->asset, collider_own(c, from), collider_own(c, to), out_share, &normal)) {
        return false;
    }
    *out_normal = v3_of(dquat_rotate(c->orientation, normal));
    return true;
}

double collider_distance(const collider* c, lim_point at, lim_vec3* out_normal) {
    lim_point normal;
    double distance = own_distance(c, at, &normal);
    *out_normal = v3_of(dquat_rotate(c->orientation, normal));
    return distance;
}

/* Newton's way to the first place where the distance is `margin`: along a line the distance from
 * something convex is convex, and the plane at the nearest point is below it, so no step goes too
 * far. */
bool collider_meets(const collider* c, lim_point from, lim_point to, double margin, float* out_gap,
                    lim_vec3* out_normal) {
    lim_point way = p3_sub(to, from);
    double share = 0.0;
    for (int k = 0; k < MEET_TRIES; ++k) {
        double gap = collider_distance(c, p3_mad(from, way, share), out_normal) - margin;
        double closing = -p3_dot(p3_of(*out_normal), way);
        *out_gap = (float)(gap + margin + share * closing);
        if (!(gap > MEET_NEAR * margin)) {
            return true;
        }
        if (!(closing > 0.0)) {
            return false; /* it only gets farther */
        }
        share += gap / closing;
        if (share > 1.0) {
            return false;
        }
    }
    return true;
}

double collider_gap(const collider* c, lim_point at) {
    lim_point normal;
    return own_distance(c, at, &normal);
}

bool collider_surely_far(const collider* c, const collider_last* last, lim_point at,
                         double margin) {
    const double sure = 1.0 - 1e-9; /* what is lost is more than rounding */
    if (c->shape == LIM_SHAPE_HEIGHTS) {
        return sure * asset_at_least(c->asset, collider_own(c, at)) > margin * c->scale;
    }
    double left = sure * last->gap - margin;
    lim_point way = p3_sub(at, last->at);
    return c->shape == LIM_SHAPE_MESH && left > 0.0 && p3_dot(way, way) < left * left;
}

/* Of what is not convex, the side of its bounds that a point is farthest in front of. A height
 * field has no lower side. */
static double bounds_front(const collider* c, lim_point at, lim_vec3* out_normal) {
    lim_point own = collider_own(c, at), low = c->asset->lower, high = c->asset->upper;
    const double out[6] = {own.x - high.x, low.x - own.x,  own.z - high.z,
                           low.z - own.z,  own.y - high.y, low.y - own.y};
    int sides = c->shape == LIM_SHAPE_HEIGHTS ? 5 : 6, most = 0;
    for (int k = 1; k < sides; ++k) {
        most = out[k] > out[most] ? k : most;
    }
    double sign = most % 2 == 0 ? 1.0 : -1.0;
    lim_point normal =
        p3(most < 2 ? sign : 0.0, most >= 4 ? sign : 0.0, most == 2 || most == 3 ? sign : 0.0);
    *out_normal = v3_of(dquat_rotate(c->orientation, normal));
    return out[most] / c->scale;
}

collider_front collider_front_at(const collider* c, lim_point at, lim_point origin, double reach) {
    collider_front f;
    double gap = collider_is_convex(c) ? collider_distance(c, at, &f.normal)
                                       : bounds_front(c, at, &f.normal);
    double there = p3_dot(p3_of(f.normal), p3_sub(at, origin));
    f.offset = (float)(there - gap);
    f.slack = (float)(1e-6 * (fabs(there) + fabs(gap) + 4.0 * reach));
    return f;
}

collider collider_in_frame(const collider* c, const component* frame, double scale) {
    collider seen = *c;
    dquat back = dquat_conjugate(frame->rotation);
    seen.position = p3_scale(dquat_rotate(back, p3_sub(c->position, frame->origin)), 1.0 / scale);
    seen.orientation = dquat_mul(back, c->orientation);
    seen.size = v3_scale(c->size, (float)(1.0 / scale));
    seen.scale = c->scale * scale;
    return seen;
}

lim_vec3 collider_velocity_at(const collider* c, lim_point at) {
    lim_point turning = p3_cross(p3_of(c->angular_velocity), p3_sub(at, c->position));
    return v3_of(p3_add(p3_of(c->velocity), turning));
}

collider collider_at(const collider* c, double time) {
    collider moved = *c;
    moved.position = p3_mad(c->position, p3_of(c->velocity), time);
    lim_point turn = p3_scale(p3_of(c->angular_velocity), 0.5 * time);
    double angle = p3_length(turn);
    if (angle > 0.0) {
        lim_point axis = p3_scale(turn, trig_sin(angle) / angle);
        dquat q = {axis.x, axis.y, axis.z, trig_cos(angle)};
        moved.orientation = dquat_unit(dquat_mul(q, c->orientation));
    }
    return moved;
}

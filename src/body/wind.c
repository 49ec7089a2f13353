/* SPDX-License-Identifier: MIT
 * Job: the wind's push on a body's surface. In: the last published skin, the wind. Out: velocities.
 * Each triangle feels 1/2 rho |u.n| (u.n) n A of the air's velocity u relative to it, shared among
 * its three bound points; an impulse never turns the flow around (it is limited to what stops u.n).
 * Gusts are a sum of three travelling waves, smooth in space and time.
 */
#include "body/body.h"
#include "math/trig.h"

static double gust(const lim_wind* w, lim_point at, double time) {
    static const double direction[3][3] = {{0.8, 0.2, 0.56}, {-0.5, 0.3, 0.81}, {0.3, -0.9, 0.32}};
    static const double pace[3] = {1.0, 1.7, 2.9}, size[3] = {1.0, 0.6, 0.35};
    double speed = p3_length(p3_of(w->velocity)), sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double along = at.x * direction[k][0] + at.y * direction[k][1] + at.z * direction[k][2];
        double phase = (along - pace[k] * speed * time) / ((double)w->gust_size * size[k]);
        sum += trig_sin(phase) * size[k];
    }
    return (double)w->gust * sum / 1.95;
}

void body_wind_apply(body* b, const lim_wind* wind, double time, double dt) {
    const topology* t = b->topology;
    const body_skin* s = &b->skin[b->skin_front];
    double scale = body_metres(b), density = (double)b->material.density;
    double strength = 0.5 * (double)wind->density * (double)b->material.air_drag;
    node_state nodes = body_nodes(b);
    if (!(strength > 0.0)) {
        return;
    }
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        const uint32_t* v = t->indices + 3 * (size_t)i;
        lim_vec3 p[3];
        const binding* bound[3];
        lim_point moving = p3(0, 0, 0);
        const component* c = b->components + t->bind.component[t->vertex_point[v[0]]];
        for (int k = 0; k < 3; ++k) {
            const float* at = s->positions + 3 * (size_t)v[k];
            p[k] = v3(at[0], at[1], at[2]);
            bound[k] = t->bind.bind + t->vertex_point[v[k]];
            lim_vec3 local = binding_velocity(bound[k], &nodes);
            moving = p3_mad(moving, dquat_rotate(c->rotation, p3_of(local)), scale / 3.0);
        }
        lim_vec3 cross = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
        double area2 = (double)v3_length(cross);
        if (!(area2 > 0.0)) {
            continue;
        }
        lim_point normal = p3_scale(p3_of(cross), 1.0 / area2);
        lim_point middle = p3_of(v3_scale(v3_add(v3_add(p[0], p[1]), p[2]), 1.0f / 3.0f));
        double blow = 1.0 + gust(wind, p3_add(s->origin, middle), time);
        lim_point air = p3_sub(p3_scale(p3_of(wind->velocity), blow), moving);
        double along = p3_dot(air, normal);
        double impulse = strength * fabs(along) * along * 0.5 * area2 * dt;
        /* In units of the body: mass 1 = density * scale^3, length 1 = scale. */
        double units = 1.0 / (density * scale * scale * scale * scale);
        for (int k = 0; k < 3; ++k) {
            double inv_mass = (double)binding_inv_mass(bound[k], &nodes);
            double most = inv_mass > 0.0 ? fabs(along) / scale / inv_mass : 0.0;
            double share = impulse * units / 3.0;
            share = share > most ? most : (share < -most ? -most : share);
            lim_point push = dquat_rotate(dquat_conjugate(c->rotation), p3_scale(normal, share));
            binding_push(bound[k], &nodes, v3_of(push));
        }
    }
}

/* SPDX-License-Identifier: MIT
 * Job: the wind's push on a body's surface. In: the surface as the nodes carry it, the wind. Out:
 * velocities. Each triangle feels 1/2 rho |u.n| (u.n) n A of the air's velocity u relative to it,
 * shared among the nodes of its three bound points in proportion to mass (a light node at the
 * surface moves with its neighbours): dv_i = phi_i J / sum phi m with phi_i the mean of the node's
 * weights. An impulse never turns the flow around: J sum phi^2 / sum phi m is limited to u.n, where
 * sum phi^2 is at most the mean over the three points of their own. Gusts are a sum of three
 * travelling waves, smooth in space and time.
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
    double scale = body_metres(b), density = (double)b->material.density;
    double strength = 0.5 * (double)wind->density * (double)b->material.air_drag;
    node_state nodes = body_nodes(b);
    if (!(strength > 0.0)) {
        return;
    }
    /* Impulses in units of the body: mass 1 = density * scale^3, length 1 = scale. */
    double units = 1.0 / (density * scale * scale * scale * scale);
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        const uint32_t* v = t->indices + 3 * (size_t)i;
        const component* c = b->components + t->bind.component[t->vertex_point[v[0]]];
        dquat back = dquat_conjugate(c->rotation);
        lim_vec3 p[3], moving = v3(0, 0, 0);
        double mass = 0.0, response = 0.0;
        const binding* bound[3];
        for (int k = 0; k < 3; ++k) {
            int32_t point = t->vertex_point[v[k]];
            lim_vec3 rest = bindings_rest(&t->bind, point);
            bound[k] = t->bind.bind + point;
            p[k] = binding_position(bound[k], rest, &nodes);
            moving = v3_mad(moving, binding_velocity(bound[k], &nodes), 1.0f / 3.0f);
            mass += (double)binding_mass(bound[k], &nodes) / 3.0;
            response += (double)binding_response(bound[k]) / 3.0;
        }
        lim_vec3 cross = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
        double area2 = (double)v3_length(cross) * scale * scale;
        if (!(area2 > 0.0)) {
            continue;
        }
        /* All of it in the frame's axes, in metres. */
        lim_vec3 normal = v3_unit(cross, v3(0, 1, 0));
        lim_point middle = p3_of(v3_scale(v3_add(v3_add(p[0], p[1]), p[2]), 1.0f / 3.0f));
        double blow = 1.0 + gust(wind, node_to_world(c, scale, middle), time);
        lim_point air = dquat_rotate(back, p3_scale(p3_of(wind->velocity), blow));
        air = p3_sub(air, p3_scale(p3_of(moving), scale));
        double along = p3_dot(air, p3_of(normal));
        double impulse = strength * fabs(along) * along * 0.5 * area2 * dt;
        double change = impulse * units / mass, most = fabs(along) / scale / response;
        change = change > most ? most : (change < -most ? -most : change);
        for (int k = 0; k < 3; ++k) {
            binding_push(bound[k], &nodes, v3_scale(normal, (float)(change / 3.0)));
        }
    }
}

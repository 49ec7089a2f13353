/* SPDX-License-Identifier: MIT
 * Job: keep a body's surface out of colliders. In: candidates found once per step, node state. Out:
 * velocities that approach no faster than the gap allows, with Coulomb friction; positions without
 * penetration. The shapes are convex and only the plane at the nearest point counts within a
 * substep, so no speed is too high. A normal impulse never pulls.
 */
#include "contact/contact.h"

#include <string.h>

/* Penetration that positions may keep, unit lengths: a resting body is not moved to and fro. */
#define SLOP 1e-4f
/* Passes that take penetration out: moving one node moves its points by its share of them only. */
enum { POSITION_PASSES = 4 };
/* How far one pass may move a node, in the largest distance of a point from its node: about a cell.
 */
#define PUSH_MOST 0.1f

/* Where a node's surface is now relative to a collider. */
typedef struct contact_place {
    int32_t point;
    float gap;       /* unit lengths */
    lim_vec3 normal; /* frame axes */
} contact_place;

/* A collider at a moment, and as the component of a node sees it: made anew when either changes,
 * which is seldom, for contacts are in order of collider and node. */
typedef struct moving_collider {
    const collider* all;
    const node_state* nodes;
    double scale, time;
    int32_t index, component;
    collider now, seen;
} moving_collider;

static void collider_for(moving_collider* m, const contact* c) {
    int32_t which = m->nodes->slot_component[c->node];
    if (m->index == c->collider && m->component == which) {
        return;
    }
    m->index = c->collider;
    m->component = which;
    m->now = collider_at(&m->all[c->collider], m->time);
    m->seen = collider_in_frame(&m->now, &m->nodes->components[which], m->scale);
}

/* The nearest of the node's points decides. False when nothing is finite. */
static bool contact_where(const contact* c, const bindings* b, moving_collider* m,
                          contact_place* out) {
    const node_state* n = m->nodes;
    collider_for(m, c);
    lim_vec3 nearest = v3(0, 0, 0);
    double least = HUGE_VAL;
    for (int k = 0; k < CONTACT_NEAR && c->point[k] >= 0; ++k) {
        lim_vec3 y = binding_position(&b->bind[c->point[k]], bindings_rest(b, c->point[k]), n);
        double gap = collider_gap(&m->seen, p3_of(y));
        if (gap < least) {
            least = gap;
            nearest = y;
            out->point = c->point[k];
        }
    }
    out->gap = (float)collider_distance(&m->seen, p3_of(nearest), &out->normal);
    return isfinite(least) && v3_finite(out->normal);
}

/* The collider's motion where a node is (its point may be any of several equally near): frame axes,
 * unit lengths. */
static lim_vec3 contact_motion(const moving_collider* m, int32_t i) {
    const node_state* n = m->nodes;
    const component* frame = &n->components[m->component];
    lim_point at =
        p3((double)n->x0[0][i] + (double)n->d[0][i], (double)n->x0[1][i] + (double)n->d[1][i],
           (double)n->x0[2][i] + (double)n->d[2][i]);
    lim_point moving = p3_of(collider_velocity_at(&m->now, node_to_world(frame, m->scale, at)));
    dquat back = dquat_conjugate(frame->rotation);
    return v3_of(p3_scale(dquat_rotate(back, moving), 1.0 / m->scale));
}

/* One node: stop the approach, then the slip as far as the friction cone allows. */
static void solve_velocity(contact* c, const contact_place* at, node_state* n, lim_vec3 moving,
                           float friction, double h) {
    int32_t i = c->node;
    float mass = 1.0f / n->inv_mass[i];
    lim_vec3 v = v3_sub(v3(n->v[0][i], n->v[1][i], n->v[2][i]), moving);
    float least = at->gap > 0.0f ? -(float)((double)at->gap / h) : 0.0f;
    float along = v3_dot(v, at->normal);
    c->normal = at->normal;
    c->touching = at->point;
    c->least = least;
    c->moving = moving;
    if (!(along < least)) {
        return;
    }
    lim_vec3 slip = v3_mad(v, at->normal, -along);
    float change = least - along, speed = v3_length(slip);
    float stop = friction * change < speed ? friction * change / speed : 1.0f;
    lim_vec3 brake = speed > 0.0f ? v3_scale(slip, -stop) : v3(0, 0, 0);
    lim_vec3 dv = v3_mad(brake, at->normal, change);
    if (!v3_finite(dv)) {
        return;
    }
    c->impulse = mass * change;
    c->friction_impulse = v3_scale(brake, mass);
    n->v[0][i] += dv.x;
    n->v[1][i] += dv.y;
    n->v[2][i] += dv.z;
}

void contact_solve_velocity(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, float body_friction, double time, double h) {
    moving_collider m = {
        .all = colliders, .nodes = nodes, .scale = scale, .time = time, .index = -1};
    for (int32_t i = 0; i < list->items.count; ++i) {
        contact* c = &list->items.data[i];
        contact_place at;
        c->impulse = 0.0f;
        c->friction_impulse = v3(0, 0, 0);
        c->touching = -1;
        if (contact_where(c, b, &m, &at)) {
            float product = body_friction * m.now.friction;
            solve_velocity(c, &at, nodes, contact_motion(&m, c->node),
                           product > 0.0f ? sqrtf(product) : 0.0f, h);
        }
    }
}

void contact_solve_position(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, double time) {
    moving_collider m = {
        .all = colliders, .nodes = nodes, .scale = scale, .time = time, .index = -1};
    /* A body that starts deep inside comes out over several substeps: at once it would be torn. */
    float most = PUSH_MOST * list->reach;
    bool moved = true;
    for (int pass = 0; pass < POSITION_PASSES && moved; ++pass) {
        moved = false;
        for (int32_t i = 0; i < list->items.count; ++i) {
            contact* c = &list->items.data[i];
            /* A pass moves no point by more than `most`: who was farther off is not reached. */
            if (pass > 0 && c->gap > (float)pass * most) {
                continue;
            }
            contact_place at = {.gap = HUGE_VALF};
            bool there = contact_where(c, b, &m, &at);
            c->gap = pass == 0 ? at.gap : c->gap;
            if (there && at.gap < -SLOP) {
                float move = -at.gap < most ? -at.gap : most;
                nodes->d[0][c->node] += move * at.normal.x;
                nodes->d[1][c->node] += move * at.normal.y;
                nodes->d[2][c->node] += move * at.normal.z;
                moved = true;
            }
        }
    }
}

/* SPDX-License-Identifier: MIT
 * Job: keep a body's surface out of colliders. In: candidates found once per step, node state. Out:
 * velocities that approach no faster than the gap allows, with Coulomb friction; positions without
 * penetration. Of convex shapes only the plane at the nearest point counts within a substep, so no
 * speed is too high. Of the others it counts only where it is near; what lies further along the way
 * of a point is found by a swept test, and a sheet knows the side from which a point came. A normal
 * impulse never pulls.
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
/* A sheet is kept so far from points, in the same measure: what is left of a penetration does not
 * end on its other side. */
#define SHEET_CLEAR 0.05f
/* Of what is not convex, the plane at the nearest point counts when it is as near as this,
 * likewise.
 */
#define PLANE_NEAR 0.2f
/* How deep a node itself may lie in something solid, likewise: what is rounder than the surface's
 * points are close may come between them. */
#define NODE_DEEP 0.15f
/* A penetration that a step must not leave, likewise. */
#define LEAVE_MOST 0.25f
/* Swept tests of one point in one substep; each finds another face in a corner. */
enum { SWEEPS = 3 };

/* Where a node's surface is now relative to a collider. */
typedef struct contact_place {
    int32_t point;
    float gap;       /* unit lengths */
    lim_vec3 normal; /* frame axes */
    lim_vec3 place;  /* of the point */
} contact_place;

/* A collider at a moment, and as the component of a node sees it: made anew when either changes,
 * which is seldom, for contacts are in order of collider and node. */
typedef struct moving_collider {
    const collider* all;
    const node_state* nodes;
    double scale, time;
    int32_t index, component;
    collider now, seen;
    float reach; /* of the contact list */
    bool convex, sheet;
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
    m->convex = collider_is_convex(&m->seen);
    m->sheet = collider_is_sheet(&m->seen);
}

static lim_vec3 node_place(const node_state* n, int32_t i) {
    return v3(n->x0[0][i] + n->d[0][i], n->x0[1][i] + n->d[1][i], n->x0[2][i] + n->d[2][i]);
}

/* Where the first point of a contact is, or the node of one without points. */
static lim_vec3 first_place(const contact* c, const bindings* b, const node_state* n) {
    int32_t p = c->point[0];
    return p < 0 ? node_place(n, c->node) : binding_position(&b->bind[p], bindings_rest(b, p), n);
}

/* The mean of the nodes that a point follows, by mass: in the material below it. Corners of a
 * lattice may lie on the other side of the sheet: there, where the point itself is, which the step
 * before has left on its side (contact_left). */
static void mark_side(contact* c, const bindings* b, const moving_collider* m, bool corners) {
    const node_state* n = m->nodes;
    if (c->point[0] < 0 || corners) {
        c->from = collider_own(&m->seen, p3_of(first_place(c, b, n)));
        return;
    }
    const binding* at = &b->bind[c->point[0]];
    lim_point sum = p3(0, 0, 0);
    double mass = 0.0;
    for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f; ++k) {
        int32_t i = at->node[k];
        sum = p3_mad(sum, p3_of(node_place(n, i)), (double)n->mass[i]);
        mass += (double)n->mass[i];
    }
    c->from = collider_own(&m->seen, p3_scale(sum, 1.0 / mass));
}

/* The nearest of the node's points decides. False when nothing is finite. */
static bool contact_where(const contact* c, const bindings* b, moving_collider* m,
                          contact_place* out) {
    const node_state* n = m->nodes;
    collider_for(m, c);
    if (m->sheet) {
        out->point = c->point[0];
        out->place = first_place(c, b, n);
        double clear = (double)(SHEET_CLEAR * m->reach);
        out->gap =
            (float)(collider_gap_from(&m->seen, c->from, p3_of(out->place), &out->normal) - clear);
        return isfinite(out->gap) && v3_finite(out->normal);
    }
    out->point = c->point[0];
    lim_vec3 nearest = first_place(c, b, n);
    double least =
        c->point[0] < 0 || c->point[1] < 0 ? 0.0 : collider_gap(&m->seen, p3_of(nearest));
    for (int k = 1; k < CONTACT_NEAR && c->point[0] >= 0 && c->point[k] >= 0; ++k) {
        lim_vec3 y = binding_position(&b->bind[c->point[k]], bindings_rest(b, c->point[k]), n);
        double gap = collider_gap(&m->seen, p3_of(y));
        if (gap < least) {
            least = gap;
            nearest = y;
            out->point = c->point[k];
        }
    }
    out->place = nearest;
    out->gap = (float)collider_distance(&m->seen, p3_of(nearest), &out->normal);
    out->gap += c->point[0] < 0 ? NODE_DEEP * m->reach : 0.0f;
    return isfinite(out->gap) && v3_finite(out->normal);
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
    c->impulse += mass * change;
    c->friction_impulse = v3_mad(c->friction_impulse, brake, mass);
    n->v[0][i] += dv.x;
    n->v[1][i] += dv.y;
    n->v[2][i] += dv.z;
}

/* One node and what lies in its point's way: each face that is met stops the approach to it; what
 * still meets one after a few stops short of it. */
static void solve_sweep(contact* c, contact_place* at, const moving_collider* m, node_state* n,
                        lim_vec3 moving, float friction, double h) {
    float clear = m->sheet ? SHEET_CLEAR * m->reach : SLOP;
    for (int k = 0; k <= SWEEPS; ++k) {
        int32_t i = c->node;
        lim_vec3 v = v3_sub(v3(n->v[0][i], n->v[1][i], n->v[2][i]), moving);
        lim_point way = p3_scale(p3_of(v), h), from = p3_of(at->place);
        double share;
        if (!(p3_length(way) > (double)SLOP) ||
            !collider_sweep(&m->seen, from, p3_add(from, way), &share, &at->normal)) {
            return;
        }
        if (k == SWEEPS) {
            float less = 1.0f - (float)share;
            n->v[0][i] -= less * v.x;
            n->v[1][i] -= less * v.y;
            n->v[2][i] -= less * v.z;
            return;
        }
        at->gap = (float)(-share * p3_dot(way, p3_of(at->normal))) - clear;
        solve_velocity(c, at, n, moving, friction, h);
    }
}

void contact_solve_velocity(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, float body_friction, double time, double h) {
    moving_collider m = {.all = colliders,
                         .nodes = nodes,
                         .scale = scale,
                         .time = time,
                         .index = -1,
                         .reach = list->reach};
    for (int32_t i = 0; i < list->items.count; ++i) {
        contact* c = &list->items.data[i];
        contact_place at;
        c->impulse = 0.0f;
        c->friction_impulse = v3(0, 0, 0);
        c->touching = -1;
        c->least = -HUGE_VALF;
        collider_for(&m, c);
        if (m.sheet) {
            mark_side(c, b, &m, list->corners);
        }
        if (contact_where(c, b, &m, &at)) {
            float product = body_friction * m.now.friction;
            float friction = product > 0.0f ? sqrtf(product) : 0.0f;
            lim_vec3 moving = contact_motion(&m, c->node);
            if (m.convex || at.gap < PLANE_NEAR * m.reach) {
                solve_velocity(c, &at, nodes, moving, friction, h);
            }
            if (!m.convex) {
                solve_sweep(c, &at, &m, nodes, moving, friction, h);
            }
        }
    }
}

void contact_solve_position(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, double time) {
    moving_collider m = {.all = colliders,
                         .nodes = nodes,
                         .scale = scale,
                         .time = time,
                         .index = -1,
                         .reach = list->reach};
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

bool contact_left(const contact_list* list, const bindings* b, const node_state* nodes,
                  double scale, const collider* colliders, double time, bool* out_some) {
    moving_collider m = {.all = colliders,
                         .nodes = nodes,
                         .scale = scale,
                         .time = time,
                         .index = -1,
                         .reach = list->reach};
    for (int32_t i = 0; i < list->items.count; ++i) {
        contact_place at;
        if (contact_where(&list->items.data[i], b, &m, &at)) {
            const contact* c = &list->items.data[i];
            float most = m.sheet ? 0.8f * SHEET_CLEAR : c->point[0] < 0 ? NODE_DEEP : LEAVE_MOST;
            if (at.gap < -most * m.reach) {
                return true;
            }
            *out_some = *out_some || at.gap < -CONTACT_CLEAR_BEGIN * m.reach;
        }
    }
    return false;
}

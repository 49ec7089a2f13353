/* SPDX-License-Identifier: MIT
 * Job: keep a body's surface out of colliders. In: candidates found once per step, node state. Out:
 * velocities that approach no faster than the gap allows, with Coulomb friction; positions without
 * penetration. Of convex shapes only one plane counts within a substep, so no speed is too high: at
 * the nearest point, or for fast points where they come near. Of the others it counts only where it
 * is near; what lies further along the way of a point is found by a swept test, and a sheet knows
 * the side from which a point came. A normal impulse never pulls.
 */
#include "contact/contact_where.h"

/* Penetration that positions may keep, unit lengths: a resting body is not moved to and fro. */
#define SLOP 1e-4f
/* What rounding may cost: of how far a point has moved, and of how far points are from the origin
 * of their frame. */
#define ROUNDED  1.001f
#define ROUNDING 4e-6f
/* Passes that take penetration out: moving one node moves its points by its share of them only. */
enum { POSITION_PASSES = 4 };
/* How far one pass may move a node, in the largest distance of a point from its node: about a cell.
 */
#define PUSH_MOST 0.1f
/* Of what is not convex, and of fast points, the plane at the nearest point counts when it is as
 * near as this, likewise. */
#define PLANE_NEAR 0.2f
/* A penetration that a step must not leave, likewise. */
#define LEAVE_MOST 0.25f
/* Swept tests of one point in one substep; each finds another face in a corner. */
enum { SWEEPS = 3 };

/* The mean of the nodes that a point follows, by mass: in the material below it. Corners of a
 * lattice may lie on the other side of the sheet: there, where the point itself is, which the step
 * before has left on its side (contact_left). */
static void mark_side(contact* c, const moving_collider* m) {
    const node_state* n = m->nodes;
    if (c->point[0] < 0 || m->list->corners) {
        c->from = collider_own(&m->seen, p3_of(contact_point(m, c, 0)));
        return;
    }
    const binding* at = &m->bind->bind[c->point[0]];
    lim_point sum = p3(0, 0, 0);
    double mass = 0.0;
    for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f; ++k) {
        int32_t i = at->node[k];
        lim_vec3 x =
            v3(n->x0[0][i] + n->d[0][i], n->x0[1][i] + n->d[1][i], n->x0[2][i] + n->d[2][i]);
        sum = p3_mad(sum, p3_of(x), (double)n->mass[i]);
        mass += (double)n->mass[i];
    }
    c->from = collider_own(&m->seen, p3_scale(sum, 1.0 / mass));
}

/* One node: stop the approach, then the slip as far as friction allows. */
static void solve_velocity(contact* c, const contact_place* at, node_state* n, lim_vec3 moving,
                           double h) {
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
    float most = c->friction * change + c->more / mass;
    float stop = most < speed ? most / speed : 1.0f;
    lim_vec3 brake = speed > 0.0f ? v3_scale(slip, -stop) : v3(0, 0, 0);
    lim_vec3 dv = v3_mad(brake, at->normal, change);
    if (!v3_finite(dv)) {
        return;
    }
    c->impulse += mass * change;
    c->friction_impulse = v3_mad(c->friction_impulse, brake, mass);
    contact_feel(c, n, v3_scale(dv, mass));
    n->v[0][i] += dv.x;
    n->v[1][i] += dv.y;
    n->v[2][i] += dv.z;
}

/* Of a fast point and something convex the plane at the nearest point would turn aside what flies
 * past: there the plane counts where the point comes near, and none when it does not. */
static bool is_in_the_way(const contact* c, contact_place* at, const moving_collider* m,
                          lim_vec3 moving, double h) {
    const node_state* n = m->nodes;
    int32_t i = c->node;
    lim_point v = p3_of(v3_sub(v3(n->v[0][i], n->v[1][i], n->v[2][i]), moving));
    double near = (double)(PLANE_NEAR * m->reach), way = h * p3_length(v);
    if (!((double)at->gap > near && way > (double)m->reach && way > (double)at->gap)) {
        return true;
    }
    lim_point from = p3_of(at->place);
    bool meets = collider_meets(&m->seen, from, p3_mad(from, v, h), near, &at->gap, &at->normal);
    at->gap += c->point[0] < 0 ? CONTACT_NODE_DEEP * m->reach : 0.0f;
    return meets;
}

/* One node and what lies in its point's way: each face that is met stops the approach to it; what
 * still meets one after a few stops short of it. */
static void solve_sweep(contact* c, contact_place* at, const moving_collider* m, node_state* n,
                        lim_vec3 moving, double h) {
    float clear = m->sheet ? CONTACT_SHEET_CLEAR * m->reach : SLOP;
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
            contact_feel(c, n, v3_scale(v, -less / n->inv_mass[i]));
            n->v[0][i] -= less * v.x;
            n->v[1][i] -= less * v.y;
            n->v[2][i] -= less * v.z;
            return;
        }
        at->gap = (float)(-share * p3_dot(way, p3_of(at->normal))) - clear;
        solve_velocity(c, at, n, moving, h);
    }
}

void contact_solve_velocity(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, float body_friction, double time, double h) {
    moving_collider m = contact_look(list, b, nodes, scale, colliders, time);
    for (int32_t i = 0; i < list->items.count; ++i) {
        contact* c = &list->items.data[i];
        contact_place at;
        c->pushed = c->pushed || c->impulse > 0.0f;
        c->impulse = 0.0f;
        c->friction_impulse = v3(0, 0, 0);
        c->touching = -1;
        c->least = -HUGE_VALF;
        c->gap = -HUGE_VALF;
        contact_collider(&m, c);
        if (m.sheet) {
            mark_side(c, &m);
        }
        if (contact_where(&m, c, &at)) {
            c->gap = at.gap;
            float product = body_friction * m.now.friction;
            c->friction = product > 0.0f ? sqrtf(product) : 0.0f;
            c->more = contact_grip(c, (float)h);
            lim_vec3 moving = contact_motion(&m, c->node);
            bool counts =
                m.convex ? is_in_the_way(c, &at, &m, moving, h) : at.gap < PLANE_NEAR * m.reach;
            if (counts) {
                solve_velocity(c, &at, nodes, moving, h);
            }
            if (!m.convex) {
                solve_sweep(c, &at, &m, nodes, moving, h);
            }
        }
    }
    list->kept = list->items.count > 0;
    if (list->kept) {
        contact_keep_places(list, nodes);
    }
}

/* Whether a contact was so far off when velocities were solved that it cannot be inside now. What
 * it was then less how far its points have moved is no more than it is. */
static bool is_off(moving_collider* m, contact* c) {
    contact_collider(m, c);
    if (!m->list->kept || !m->still || m->sheet) {
        return false;
    }
    float gap = c->gap - ROUNDED * contact_moved(m, c) - ROUNDING * m->list->far;
    if (!(gap > -SLOP)) {
        return false;
    }
    c->gap = gap;
    return true;
}

/* Takes one contact out. True when that moved its node. */
static bool solve_position(moving_collider* m, contact* c, node_state* nodes, bool first,
                           float most) {
    contact_place at = {.gap = HUGE_VALF};
    c->clock = m->list->clock;
    if (first && is_off(m, c)) {
        return false;
    }
    bool there = contact_where(m, c, &at);
    c->gap = first ? at.gap : c->gap;
    if (!there || !(at.gap < -SLOP)) {
        return false;
    }
    contact_push(m->list, nodes, c->node, v3_scale(at.normal, -at.gap < most ? -at.gap : most));
    return true;
}

void contact_solve_position(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, double time) {
    moving_collider m = contact_look(list, b, nodes, scale, colliders, time);
    /* A body that starts deep inside comes out over several substeps: at once it would be torn. */
    float most = PUSH_MOST * list->reach;
    bool moved = true;
    if (list->kept) {
        contact_measure_moves(list, nodes);
    }
    for (int pass = 0; pass < POSITION_PASSES && moved; ++pass) {
        moved = false;
        for (int32_t i = 0; i < list->items.count; ++i) {
            contact* c = &list->items.data[i];
            /* A pass moves no point by more than `most`: who was farther off is not reached. And
             * where nothing has moved, nothing is new. */
            if (pass > 0 && (c->gap > (float)pass * most || !contact_changed(&m, c, c->clock))) {
                continue;
            }
            moved = solve_position(&m, c, nodes, pass == 0, most) || moved;
        }
    }
    list->kept = false;
}

bool contact_left(contact_list* list, const bindings* b, const node_state* nodes, double scale,
                  const collider* colliders, double time, bool* out_some) {
    moving_collider m = contact_look(list, b, nodes, scale, colliders, time);
    for (int32_t i = 0; i < list->items.count; ++i) {
        contact_place at;
        if (contact_where(&m, &list->items.data[i], &at)) {
            const contact* c = &list->items.data[i];
            float most = m.sheet           ? 0.8f * CONTACT_SHEET_CLEAR
                         : c->point[0] < 0 ? CONTACT_NODE_DEEP
                                           : LEAVE_MOST;
            if (at.gap < -most * m.reach) {
                return true;
            }
            *out_some = *out_some || at.gap < -CONTACT_CLEAR_BEGIN * m.reach;
        }
    }
    return false;
}

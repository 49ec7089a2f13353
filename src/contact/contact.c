/* SPDX-License-Identifier: MIT
 * Job: keep a body's surface out of colliders. In: candidates found once per step, node state. Out:
 * velocities that approach no faster than the gap allows, with Coulomb friction; positions without
 * penetration. Of convex shapes only one plane counts within a substep, so no speed is too high: at
 * the nearest point, or for fast points where they come near. Of the others it counts only where it
 * is near; what lies further along the way of a point is found by a swept test, and a sheet knows
 * the side from which a point came. A normal impulse never pulls.
 */
#include "contact/contact_groups.h"
#include "contact/contact_rows.h"

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
/* A penetration that a step must not leave, likewise; and through a sheet. */
#define LEAVE_MOST  0.25f
#define SHEET_LEAVE (0.8f * CONTACT_SHEET_CLEAR)
/* Swept tests of one point in one substep; each finds another face in a corner. */
enum { SWEEPS = 3 };

/* The mean of the nodes that a point follows, by mass: in the material below it. Corners of a
 * lattice may lie on the other side of the sheet: there, where the point itself is, which the step
 * before has left on its side (contact_left). */
static void mark_side(contact* c, const contact_view* v) {
    const node_state* n = v->nodes;
    if (c->point[0] < 0 || v->list->corners) {
        c->from = collider_own(&v->seen, p3_of(contact_row_place(v->list, c->row[0])));
        return;
    }
    const binding* at = &v->bind->bind[c->point[0]];
    lim_point sum = p3(0, 0, 0);
    double mass = 0.0;
    for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f; ++k) {
        int32_t i = at->node[k];
        lim_vec3 x =
            v3(n->x0[0][i] + n->d[0][i], n->x0[1][i] + n->d[1][i], n->x0[2][i] + n->d[2][i]);
        sum = p3_mad(sum, p3_of(x), (double)n->mass[i]);
        mass += (double)n->mass[i];
    }
    c->from = collider_own(&v->seen, p3_scale(sum, 1.0 / mass));
}

static bool is_finite(const contact_place* p) {
    return isfinite(p->gap) && v3_finite(p->normal);
}

/* Brakes the approach of a node, by at most an impulse. */
static void brake_node(contact* c, node_state* n, int32_t i, lim_vec3 normal, float impulse) {
    lim_vec3 v = v3_sub(v3(n->v[0][i], n->v[1][i], n->v[2][i]), c->moving);
    float along = v3_dot(v, normal), most = impulse * n->inv_mass[i];
    if (along < 0.0f && most > 0.0f) {
        lim_vec3 dv = v3_scale(normal, -along < most ? -along : most);
        lim_vec3 felt = v3_scale(dv, 1.0f / n->inv_mass[i]);
        contact_feel(c, n, i, felt);
        c->braked += v3_dot(felt, normal);
        n->v[0][i] += dv.x;
        n->v[1][i] += dv.y;
        n->v[2][i] += dv.z;
    }
}

/* With an impulse on the node of a contact: brakes the corners of a lattice that the point follows
 * and that do not carry it. */
static void brake_others(contact* c, const contact_view* s, node_state* n, lim_vec3 normal,
                         float impulse) {
    if (!s->list->corners || c->touching < 0) {
        return;
    }
    const binding* at = &s->bind->bind[c->touching];
    int carriers = contact_carriers(s->list, at);
    float carried = 0.0f;
    for (int k = 0; k < carriers; ++k) {
        carried += at->weight[k];
    }
    for (int k = carriers; k < BINDING_NODES && at->weight[k] > 0.0f; ++k) {
        brake_node(c, n, at->node[k], normal, impulse * at->weight[k] / carried);
    }
}

/* One node: stop the approach, then the slip as far as friction allows. */
static void push_back(contact* c, const contact_view* s, node_state* n, lim_vec3 v, lim_vec3 normal,
                      float h) {
    int32_t i = c->node;
    float mass = 1.0f / n->inv_mass[i], friction = s->run->friction;
    float along = v3_dot(v, normal), before = c->braked;
    lim_vec3 slip = v3_mad(v, normal, -along);
    float change = c->least - along, speed = v3_length(slip);
    brake_others(c, s, n, normal, mass * change);
    float most = friction * (change + (c->braked - before) / mass);
    most += contact_grip(c, friction, h) / mass;
    float stop = most < speed ? most / speed : 1.0f;
    lim_vec3 brake = speed > 0.0f ? v3_scale(slip, -stop) : v3(0, 0, 0);
    lim_vec3 dv = v3_mad(brake, normal, change);
    if (!v3_finite(dv)) {
        return;
    }
    c->impulse += mass * change;
    c->friction_impulse = v3_mad(c->friction_impulse, brake, mass);
    contact_feel(c, n, i, v3_scale(dv, mass));
    n->v[0][i] += dv.x;
    n->v[1][i] += dv.y;
    n->v[2][i] += dv.z;
}

/* A node against the collider's motion there. */
static inline lim_vec3 closing(const contact* c, const contact_view* s) {
    const node_state* n = s->nodes;
    lim_vec3 v = v3(n->v[0][c->node], n->v[1][c->node], n->v[2][c->node]);
    return s->still ? v : v3_sub(v, c->moving);
}

static inline float least_of(float gap, float h) {
    return gap > 0.0f ? -gap / h : 0.0f;
}

/* The limit by a plane at this gap from the node's surface. */
static void set_limit(contact* c, const contact_place* at, float h) {
    c->normal = at->normal;
    c->touching = at->point;
    c->least = least_of(at->gap, h);
}

/* Holds a node to its limit. */
static void hold(contact* c, const contact_view* s, node_state* n, float h) {
    lim_vec3 v = closing(c, s);
    if (v3_dot(v, c->normal) < c->least) {
        push_back(c, s, n, v, c->normal, h);
    }
}

/* Of a fast point and something convex the plane at the nearest point would turn aside what flies
 * past: there the plane counts where the point comes near, and none when it does not. */
static bool is_in_the_way(const contact* c, contact_place* at, const contact_view* s, double h) {
    double near = (double)(PLANE_NEAR * s->reach);
    lim_point v = p3_of(closing(c, s));
    double way = h * p3_length(v);
    if (!((double)at->gap > near && way > (double)s->reach && way > (double)at->gap)) {
        return true;
    }
    lim_point from = p3_of(at->place);
    bool meets = collider_meets(&s->seen, from, p3_mad(from, v, h), near, &at->gap, &at->normal);
    at->gap += s->deep;
    return meets;
}

/* One node and what lies in its point's way: each face that is met stops the approach to it; what
 * still meets one after a few stops short of it. */
static void solve_sweep(contact* c, contact_place* at, const contact_view* s, node_state* n,
                        double h) {
    float clear = s->sheet ? CONTACT_SHEET_CLEAR * s->reach : SLOP;
    for (int k = 0; k <= SWEEPS; ++k) {
        int32_t i = c->node;
        lim_vec3 v = closing(c, s);
        lim_point way = p3_scale(p3_of(v), h), from = p3_of(at->place);
        double share;
        if (!(p3_length(way) > (double)SLOP) ||
            !collider_sweep(&s->seen, from, p3_add(from, way), &share, &at->normal)) {
            return;
        }
        if (k == SWEEPS) {
            float less = 1.0f - (float)share;
            contact_feel(c, n, i, v3_scale(v, -less / n->inv_mass[i]));
            n->v[0][i] -= less * v.x;
            n->v[1][i] -= less * v.y;
            n->v[2][i] -= less * v.z;
            return;
        }
        at->gap = (float)(-share * p3_dot(way, p3_of(at->normal))) - clear;
        set_limit(c, at, (float)h);
        hold(c, s, n, (float)h);
    }
}

/* A substep begins. */
static inline void forget_impulse(contact* c) {
    if (c->impulse > 0.0f) {
        c->pushed = true;
        c->impulse = c->braked = 0.0f;
        c->friction_impulse = v3(0, 0, 0);
    }
}

/* A contact that closes. */
static void solve_closing(contact* c, const contact_view* s, node_state* nodes, double h) {
    contact_place at = contact_where(s, c);
    if (is_finite(&at)) {
        if (is_in_the_way(c, &at, s, h)) {
            set_limit(c, &at, (float)h);
            hold(c, s, nodes, (float)h);
        } else {
            c->least = -HUGE_VALF;
        }
    }
}

/* Something convex: the plane at the nearest point, which nothing crosses. */
static inline void measure_convex(contact* c, const contact_view* s, double h) {
    const contact_list* list = s->list;
    int32_t row = contact_nearest(list, c);
    if (!s->plane) {
        c->normal = list->row_normal.data[row];
    }
    if (!s->still) {
        c->moving = contact_motion(s, c->node);
    }
    c->gap = list->row_gap.data[row];
    c->least = least_of(c->gap, (float)h);
}

/* The plane where it is near; none elsewhere. */
static void measure_other(contact* c, const contact_view* s, double h) {
    c->least = -HUGE_VALF;
    if (s->sheet) {
        mark_side(c, s);
    }
    contact_place at = contact_where(s, c);
    c->gap = at.gap;
    if (!is_finite(&at)) {
        return;
    }
    c->moving = contact_motion(s, c->node);
    if (at.gap < PLANE_NEAR * s->reach) {
        set_limit(c, &at, (float)h);
    }
}

void contact_measure(contact_list* list, const bindings* b, node_state* nodes, double scale,
                     const collider* colliders, float body_friction, double time, double h) {
    if (list->items.count == 0) {
        return;
    }
    contact_rows_measure(list, b, nodes, scale, colliders, time);
    for (int32_t r = 0; r < list->runs.count; ++r) {
        contact_run* run = &list->runs.data[r];
        contact_view seen = contact_see(list, b, nodes, run, scale, colliders, time);
        float product = body_friction * seen.now.friction;
        run->friction = product > 0.0f ? sqrtf(product) : 0.0f;
        run->moves = !seen.still;
        run->plane = seen.plane;
        run->normal = seen.normal;
        for (int32_t i = run->begin; i < run->end; ++i) {
            contact* c = &list->items.data[i];
            forget_impulse(c);
            if (seen.convex) {
                measure_convex(c, &seen, h);
            } else {
                measure_other(c, &seen, h);
            }
        }
    }
}

/* Most do not close. */
static inline void limit_convex(contact* c, const contact_view* s, node_state* nodes, double h) {
    if (v3_dot(closing(c, s), s->plane ? s->normal : c->normal) < c->least) {
        solve_closing(c, s, nodes, h);
    }
}

static void limit_other(contact* c, const contact_view* s, node_state* nodes, double h) {
    contact_place at = contact_where(s, c);
    if (is_finite(&at)) {
        hold(c, s, nodes, (float)h);
        solve_sweep(c, &at, s, nodes, h);
    }
}

void contact_limit_velocity(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, double time, double h) {
    for (int32_t r = 0; r < list->runs.count && list->items.count > 0; ++r) {
        const contact_run* run = &list->runs.data[r];
        contact_view seen = contact_see(list, b, nodes, run, scale, colliders, time);
        for (int32_t i = run->begin; i < run->end; ++i) {
            contact* c = &list->items.data[i];
            if (seen.convex) {
                limit_convex(c, &seen, nodes, h);
            } else {
                limit_other(c, &seen, nodes, h);
            }
        }
    }
}

/* Whether contacts that were far enough off when velocities were solved cannot be inside now: a
 * gap is no less than it was, less the most that a node has moved. Returns that; endless where it
 * may be anything. */
static float most_moved(const contact_view* s) {
    const contact_list* list = s->list;
    return s->still && !s->sheet
               ? ROUNDED * list->ball.data[s->run->component].moved + ROUNDING * list->far
               : HUGE_VALF;
}

/* Takes one contact out. True when that moved its node. */
static bool solve_position(const contact_view* s, contact* c, node_state* nodes, bool first,
                           float most) {
    contact_list* list = s->list;
    c->clock = list->clock;
    contact_rows_look(s, c);
    if (!s->sheet) {
        float gap = list->row_gap.data[contact_nearest(list, c)];
        c->gap = first ? gap : c->gap;
        if (!(gap < -SLOP)) {
            return false;
        }
    }
    contact_place at = contact_where_moved(s, c);
    c->gap = first ? at.gap : c->gap;
    if (!(at.gap < -SLOP) || !is_finite(&at)) {
        return false;
    }
    float way = -at.gap < most ? -at.gap : most;
    contact_push(s, nodes, c->node, v3_scale(at.normal, way));
    list->push = way > list->push ? way : list->push;
    return true;
}

/* A pass over the contacts of one run. */
static bool solve_run(const contact_view* s, node_state* nodes, int pass, float most) {
    contact_list* list = s->list;
    float moved = pass == 0 ? most_moved(s) : 0.0f;
    bool any = false;
    contact_rows_rise(s);
    for (int32_t i = s->run->begin; i < s->run->end; ++i) {
        contact* c = &list->items.data[i];
        if (pass == 0 && c->gap - moved > -SLOP) {
            c->gap -= moved;
            c->clock = list->clock;
            continue;
        }
        /* A pass moves no point by more than `most`: who was farther off is not reached. And where
         * nothing has moved, nothing is new. */
        if (pass > 0 && (c->gap > (float)pass * most || !contact_changed(s, c, c->clock))) {
            continue;
        }
        any = solve_position(s, c, nodes, pass == 0, most) || any;
    }
    return any;
}

void contact_solve_position(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, double time) {
    if (list->items.count == 0) {
        return;
    }
    /* A body that starts deep inside comes out over several substeps: at once it would be torn. */
    float most = PUSH_MOST * list->reach;
    bool moved = true;
    list->push = 0.0f;
    contact_rows_move(list, nodes);
    for (int pass = 0; pass < POSITION_PASSES && moved; ++pass) {
        moved = false;
        for (int32_t r = 0; r < list->runs.count; ++r) {
            contact_view seen =
                contact_see(list, b, nodes, &list->runs.data[r], scale, colliders, time);
            moved = solve_run(&seen, nodes, pass, most) || moved;
        }
    }
}

bool contact_is_out(const contact_list* list) {
    float left = fminf(CONTACT_CLEAR_BEGIN, fminf(SHEET_LEAVE, CONTACT_NODE_DEEP)) * list->reach;
    bool out = !list->hard;
    for (int32_t i = 0; i < list->items.count && out; ++i) {
        out = list->items.data[i].gap - (float)POSITION_PASSES * list->push > -left;
    }
    return out;
}

bool contact_left(contact_list* list, const bindings* b, node_state* nodes, double scale,
                  const collider* colliders, double time, bool* out_some) {
    if (list->items.count == 0) {
        return false;
    }
    bool left = false;
    contact_rows_measure(list, b, nodes, scale, colliders, time);
    for (int32_t r = 0; r < list->runs.count; ++r) {
        const contact_run* run = &list->runs.data[r];
        contact_view seen = contact_see(list, b, nodes, run, scale, colliders, time);
        float most = (seen.sheet   ? SHEET_LEAVE
                      : run->nodes ? CONTACT_NODE_DEEP
                                   : LEAVE_MOST) *
                     list->reach;
        for (int32_t i = run->begin; i < run->end; ++i) {
            contact* c = &list->items.data[i];
            contact_place at = contact_where(&seen, c);
            c->gap = at.gap;
            if (is_finite(&at)) {
                left = left || at.gap < -most;
                *out_some = *out_some || at.gap < -CONTACT_CLEAR_BEGIN * list->reach;
            }
        }
    }
    return left;
}

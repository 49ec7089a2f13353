/* SPDX-License-Identifier: MIT
 * Contact of a body with simple colliders. The surface decides, the nodes carry: once per step the
 * surface points that may touch are collected, for each node the nearest few of those that follow
 * it; the node's gap is the least of theirs. Each substep limits the velocity of each such node (no
 * approach faster than the gap allows, Coulomb friction) before positions move, and takes what
 * penetration is left out of the positions afterwards without adding speed. Each constraint acts on
 * one node, so one pass solves them all exactly and a resting body is at rest: constraints on the
 * blended points themselves are many more than the nodes they share, never converge and keep stiff
 * bodies trembling (tried). Momentum is exchanged with the collider alone. Order is by (collider,
 * node).
 *
 * A point of a lattice also follows corners that do not carry it, and sinks with them when its cell
 * is squeezed. Positions are mended by lifting the corners that carry it, against their impulses J:
 * with w_k the weight of one that does not and comes nearer at u, and w that of all that do, that
 * is work of J u w_k / w from nowhere. So that one is braked, by at most J w_k / w and never beyond
 * rest, which takes out as much or more. Friction acts by all of these impulses.
 *
 * Nodes near a collider are looked at themselves, too (but for corners of a lattice that may lie
 * outside of the material), though less strictly: nothing else would hold them when a body is
 * squashed flat. With a collider that is not convex, and when a step brings a body farther than a
 * few cells, each near point of a node has a contact of its own, in order of points: which of them
 * meets what cannot be said before.
 */
#ifndef LIMBER_CONTACT_H
#define LIMBER_CONTACT_H

#include "base/array.h"
#include "contact/asset.h"
#include "skin/deform.h"

#include <limber/world.h>

typedef struct collider {
    lim_shape shape;
    lim_vec3 size; /* metres */
    lim_point position;
    dquat orientation;
    lim_vec3 velocity, angular_velocity;
    float friction, restitution;
    collider_asset* asset; /* hull, mesh, heights: borrowed; null for the other shapes */
    double scale;          /* metres per length of what is asked about the asset */
} collider;

/* Who meets whom: two meet when each one's layer has a bit in the other's mask. */
typedef struct contact_layers {
    uint32_t layer, mask;
} contact_layers;

static inline bool contact_layers_meet(contact_layers a, contact_layers b) {
    return (a.layer & b.mask) != 0 && (b.layer & a.mask) != 0;
}

/* The surface points nearest to one collider among those that follow one node. */
enum { CONTACT_NEAR = 3 };
typedef struct contact_near {
    int32_t point[CONTACT_NEAR]; /* -1: none; nearest first when found */
    float gap[CONTACT_NEAR];
} contact_near;

typedef struct contact {
    int32_t node, collider;
    int32_t point[CONTACT_NEAR]; /* bound points; -1: none, and without any the node itself */
    int32_t row[CONTACT_NEAR];   /* where these are measured (contact_rows.h); -1: none */
    /* of the last substep; vectors in frame axes of the node's component, unit lengths and masses
     */
    int32_t touching; /* the point that decided, -1 before the first substep */
    lim_vec3 normal;
    float impulse; /* along the normal, >= 0 */
    float braked;  /* of a lattice: the impulses on corners that do not carry the point, likewise */
    lim_vec3 friction_impulse;
    /* Friction (contact_grip.c): what is kept of impulses that it might have had, and the mean
     * force along the normal. */
    float spare, usual;
    float least;     /* velocity along the normal against the collider's that is allowed */
    lim_vec3 moving; /* the collider's, if it moves */
    float gap;       /* when positions were first looked at, or less */
    int32_t clock;   /* of the list, when positions were last looked at */
    /* Of the step so far: all impulses, normal and friction, on the node, and those times its
     * place; frame axes, unit lengths and masses. contact_finish makes them newton second (metre)
     * in world axes, the second about the collider's position at the step's end, and the normal
     * with them.
     */
    lim_vec3 sum, turning;
    bool pushed; /* some substep has left it with an impulse; else the sums are but rounding */
    /* Of a sheet: a place in the material below the point when the substep began, in the sheet's
     * own axes. The point belongs on that side. */
    lim_point from;
} contact;

/* A ball around the points of one component, in its frame. */
typedef struct contact_ball {
    lim_point centre;
    double radius;
    float moved; /* of its nodes that rows follow, the most since they were measured */
} contact_ball;

/* Contacts of one collider with one component, and the rows (contact_rows.h) that decide them. */
typedef struct contact_run {
    int32_t collider, component;
    int32_t begin, end; /* contacts */
    int32_t row_begin, row_end;
    bool nodes; /* of nodes themselves, not of bound points */
    /* of the last substep: friction of the two, whether the collider moves or turns, and the normal
     * of a plane */
    float friction;
    bool moves, plane;
    lim_vec3 normal;
} contact_run;

/* Slots of one component that rows follow: multiples of 8. */
typedef struct contact_span {
    int32_t begin, end, component;
} contact_span;

/* A group of bound points (contact_groups.h) that follows a node. */
typedef struct contact_follower {
    int32_t group;
    float reach;
} contact_follower;

/* A zeroed list is empty and ready. Free with contact_list_free. */
typedef struct contact_list {
    ARRAY(contact) items;
    ARRAY(contact_near) near; /* scratch of contact_search, empty between searches */
    ARRAY(contact_ball) ball; /* likewise: of each component */
    ARRAY(float) place[3];    /* likewise: where points are, frame coordinates, in `order` */
    ARRAY(float) bend;        /* likewise: |B| of each node */
    ARRAY(uint8_t) wanted;    /* likewise: per group (contact_groups.h), 1: a contact may come, */
    ARRAY(uint8_t) placed;    /* and 1: its points are in `place` */
    /* Kept like `reach`: points in the order of the groups, and where in it each is; the groups
     * that follow node i, from follower_row[i] to follower_row[i + 1], and the largest |X - x0_i|
     * of the points of each; the largest of all these; a box about the points of each group at
     * rest; groups that are near to everything. */
    ARRAY(int32_t) order, rank;
    ARRAY(int32_t) follower_row;
    ARRAY(contact_follower) follower;
    ARRAY(float) node_reach;
    ARRAY(float) low[3], high[3];
    ARRAY(uint8_t) anywhere;
    /* Largest |X - x0| of a binding, kept from the first search with these bindings. */
    float reach;
    const binding* reach_of;
    double fall;          /* the caller's: what gravity alone adds to the speed of a search, m/s */
    bool hard;            /* points may end inside that no contact holds (contact_clear) */
    bool corners, points; /* the caller's: nodes are corners of a lattice's cells, or points */
    /* The caller's: so many nodes carry a point that they have at least this much of it. A point in
     * the middle of a cell follows eight nodes by about an eighth each: held by one alone it sinks
     * with the others, and pushes of that one put energy into the body without end. */
    float carried;
    /* The caller's: the layers of the body, and of each collider; null: it meets all of them. */
    contact_layers layers;
    const contact_layers* collider_layers;
    /* Rows (contact_rows.h): which bound point or node each is, where it was measured, and its gap
     * and, but of planes, normal when it was last looked at. */
    ARRAY(contact_run) runs;
    ARRAY(contact_span) spans;
    ARRAY(int32_t) row_at;
    ARRAY(float) row_place[3], row_gap;
    ARRAY(lim_vec3) row_normal;
    ARRAY(int32_t) row_of;   /* scratch, per bound point or node: its row */
    ARRAY(uint8_t) followed; /* likewise, per 8 slots: 1: rows follow one of them */
    ARRAY(float) moved[3]; /* per node: displacements when rows were measured; then, moves since */
    ARRAY(float) rise;     /* likewise, along the normal of the plane that is looked at */
    /* The clock ticks with each push and each look, and never goes back while it has room. */
    ARRAY(int32_t) row_clock; /* when a row was looked at */
    ARRAY(int32_t) pushed;    /* per node: when it was pushed last */
    int32_t clock, look;
    isa set;    /* of the search */
    float push; /* the largest of the last contact_solve_position, unit lengths */
    float far;  /* 1 and how far points were from the origin of their frame, unit lengths */
    ARRAY(uint8_t) carrier; /* 1: not to be looked at itself; kept likewise */
} contact_list;

void contact_list_free(contact_list* list, const lim_host* host);

/* Adds an impulse on node i to what a contact has done in this step. */
static inline void contact_feel(contact* c, const node_state* n, int32_t i, lim_vec3 impulse) {
    lim_vec3 at = v3(n->x0[0][i] + n->d[0][i], n->x0[1][i] + n->d[1][i], n->x0[2][i] + n->d[2][i]);
    c->sum = v3_add(c->sum, impulse);
    c->turning = v3_add(c->turning, v3_cross(at, impulse));
}

/* Signed distance (metres, negative inside) and outward world normal of a world point. */
double collider_distance(const collider* c, lim_point at, lim_vec3* out_normal);
/* The distance alone. */
double collider_gap(const collider* c, lim_point at);
/* A plane with the whole collider behind it, the one nearest to a point: who is in front of it by
 * some distance is at least as far from the collider. In floats, about `origin`; `slack` is what
 * rounding may cost for points up to `reach` from there. */
typedef struct collider_front {
    lim_vec3 normal;
    float offset, slack;
} collider_front;
collider_front collider_front_at(const collider* c, lim_point at, lim_point origin, double reach);
static inline float collider_front_gap(const collider_front* f, lim_vec3 p) {
    return v3_dot(f->normal, p) - f->offset;
}
/* The last place that was asked for, and its distance; zeroed at first. */
typedef struct collider_last {
    lim_point at;
    double gap;
} collider_last;
/* Whether a place must be farther than `margin`, without asking for its distance: one near it was
 * so far from a mesh, and distances change by no more than the way; or it is high above a height
 * field. Of other shapes never: to ask costs less. */
bool collider_surely_far(const collider* c, const collider_last* last, lim_point at, double margin);
/* Whether the plane across the normal at the nearest point has the whole shape on its other side,
 * and whether it is a mesh without an inside. */
bool collider_is_convex(const collider* c);
bool collider_is_sheet(const collider* c);
/* A place in the collider's own axes, metres. */
lim_point collider_own(const collider* c, lim_point at);
/* Whether a sheet lies between a point and a place in its own axes where the point belongs: then
 * its distance is below 0, and the normal leads back to that side. */
bool collider_parts(const collider* c, lim_point from, lim_point at);
/* Where a point that moves relative to a collider which is not convex first meets it: the share of
 * the way and the normal against it. */
bool collider_sweep(const collider* c, lim_point from, lim_point to, double* out_share,
                    lim_vec3* out_normal);
/* Whether a point that moves relative to a convex collider comes as near to it as `margin` > 0; the
 * normal there, and the distance of `from` from the plane across it that touches the collider. */
bool collider_meets(const collider* c, lim_point from, lim_point to, double margin, float* out_gap,
                    lim_vec3* out_normal);
/* A collider as a component sees it: frame coordinates, unit lengths. */
collider collider_in_frame(const collider* c, const component* frame, double scale);
/* World velocity of the collider's material at a world point. */
lim_vec3 collider_velocity_at(const collider* c, lim_point at);
/* The collider after moving by itself for `time` seconds. */
collider collider_at(const collider* c, double time);

/* Room for a search and for so many contacts: the only thing here that allocates. */
lim_result contact_reserve(contact_list* list, const lim_host* host, const bindings* b,
                           const node_state* nodes, int32_t contacts);
/* Collects the nodes whose surface may come into contact within dt, and returns how many there are:
 * more than the list's count when it had no room for all. `speed` bounds how fast any point moves,
 * m/s. The nodes' affines must be complete (skin_prepare). */
int32_t contact_search(contact_list* list, const bindings* b, const node_state* nodes, double scale,
                       const collider* colliders, int32_t collider_count, double dt, double speed,
                       isa set);
/* The limits of substep h, by the positions at its begin: of each contact a normal (of its run
 * where that is a plane), the least velocity along it and the collider's motion; of each run the
 * friction. Impulses are those of a new substep: none. `time` is how far into the step the substep
 * begins: moving colliders are where they are then. body_friction combines by the geometric mean.
 */
void contact_measure(contact_list* list, const bindings* b, node_state* nodes, double scale,
                     const collider* colliders, float body_friction, double time, double h);
/* Holds velocities to these limits, node by node, with Coulomb friction; of fast nodes the plane is
 * looked for along the way. Contacts feel what that changes. */
void contact_limit_velocity(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, double time, double h);
/* Holds to what the last contact_limit_velocity has reached, after other contacts have pushed: no
 * look at positions, so that it costs little. */
void contact_hold_velocity(contact_list* list, node_state* nodes, double h);
/* The impulse of friction that a contact may have beside the cone's. */
static inline float contact_grip(const contact* c, float friction, float h) {
    float most = friction * c->usual * h;
    return c->spare < most ? c->spare : most;
}
/* What friction has left for the moments of little pressure: taken over from the step before, per
 * slot; after each substep h; and at the step's end, false when nothing is left. */
void contact_grip_begin(contact_list* list, float* spare, float* usual);
void contact_grip_settle(contact_list* list, float h);
bool contact_grip_end(const contact_list* list, float* spare, float* usual, int32_t slots);
/* After the last substep, before frames change: sums, and the normal, in world axes and SI units.
 * unit_mass: kg per unit of node mass. `dt` is the step's length. */
void contact_finish(contact_list* list, const node_state* nodes, double scale, double unit_mass,
                    const collider* colliders, double dt);
/* Where a contact is now, frame coordinates: the point that decided last, or the node itself. */
lim_vec3 contact_where_now(const contact* c, const bindings* b, const node_state* nodes);
/* How many colliders are in the list. */
int32_t contact_collider_count(const contact_list* list);
/* Those of them that are solid, as they are at `time` (as below): returns how many. */
int32_t contact_lifters(const contact_list* list, const collider* colliders, double time,
                        collider* out);
/* Moves vertices of a skin that lie inside one of them to its surface: what the nodes' constraints
 * leave (up to a tenth of a cell in a hard impact), for the eye. Bounds follow. */
void contact_clear_skin(const collider* lifters, int32_t count, isa set, skin_output* skin,
                        int32_t vertex_count);
/* Whether more penetration is left than a step may leave: a hard impact of a body whose surface
 * follows fits of its shape, which contacts change. `out_some` becomes true when a point of a
 * contact is so deep that contact_clear takes it out. */
#define CONTACT_CLEAR_BEGIN 0.06f /* in `reach` */
bool contact_left(contact_list* list, const bindings* b, node_state* nodes, double scale,
                  const collider* colliders, double time, bool* out_some);
/* Whether the last contact_solve_position has left so little that neither finds anything, while all
 * is as it was then. */
bool contact_is_out(const contact_list* list);
/* Takes points out that lie inside a solid collider of the list, all of them and not only those of
 * contacts, and moves every node they follow. Returns whether any was moved. `deepest`: the
 * greatest depth of the call before, HUGE_VALF at first; now, or 0 when another call is of no use.
 * Affines are completed. */
bool contact_clear(contact_list* list, const bindings* b, node_state* nodes, double scale,
                   const collider* colliders, double time, isa set, float* deepest);
/* Takes what penetration is left out of d, after nodes have moved since the last
 * contact_limit_velocity or contact_left. `time` is that of the positions in d: after a substep,
 * its end. */
void contact_solve_position(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, double time);

#endif

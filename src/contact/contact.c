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
/* A node carries the points of which it has at least this weight, and always those it has most of.
 */
#define CARRIES 0.15f
/* Passes that take penetration out: moving one node moves its points by its share of them only. */
enum { POSITION_PASSES = 4 };
/* How far one pass may move a node, in the largest distance of a point from its node: about a cell.
 */
#define PUSH_MOST 0.1f

static lim_vec3 rest_of(const bindings* b, int32_t point) {
    return v3(b->rest[0][point], b->rest[1][point], b->rest[2][point]);
}

/* ---- finding --------------------------------------------------------------------------------- */

static float find_reach(const bindings* b, const node_state* n) {
    float most = 0.0f;
    for (int32_t i = 0; i < b->count; ++i) {
        for (int k = 0; k < BINDING_NODES; ++k) {
            int32_t slot = b->bind[i].node[k];
            lim_vec3 x0 = v3(n->x0[0][slot], n->x0[1][slot], n->x0[2][slot]);
            lim_vec3 r = v3_sub(rest_of(b, i), x0);
            float square = v3_dot(r, r);
            most = square > most ? square : most;
        }
    }
    return sqrtf(most);
}

/* A ball around the points of one component: the box of its nodes, widened by
 * |L (X - x0)| <= (1 + |B|) reach. */
static contact_ball component_ball(const node_state* n, const component* c, float reach) {
    lim_vec3 low = v3(HUGE_VALF, HUGE_VALF, HUGE_VALF), high = v3_scale(low, -1.0f);
    float most = 0.0f;
    for (int32_t i = c->begin; i < c->end; ++i) {
        if (!(n->mass[i] > 0.0f)) {
            continue;
        }
        lim_vec3 x =
            v3(n->x0[0][i] + n->d[0][i], n->x0[1][i] + n->d[1][i], n->x0[2][i] + n->d[2][i]);
        low = v3_min(x, low);
        high = v3_max(x, high);
        const float* m = n->affine + (size_t)i * 16;
        float square = 0.0f;
        for (int k = 0; k < 9; ++k) {
            square += m[k] * m[k];
        }
        most = square > most ? square : most;
    }
    lim_point a = p3_of(low), b = p3_of(high);
    double stretch = 1.0 + sqrt((double)most);
    return (contact_ball){p3_scale(p3_add(a, b), 0.5),
                          0.5 * p3_length(p3_sub(b, a)) + stretch * (double)reach};
}

/* How near points of a component must be to one collider, metres; negative: none of them can be. */
static double find_margin(const component* c, const contact_ball* around, double scale,
                          const collider* other, double dt, double speed) {
    lim_point centre = node_to_world(c, scale, around->centre);
    double radius = scale * around->radius;
    double arm = p3_length(p3_sub(centre, other->position)) + radius;
    double turning = p3_length(p3_of(other->angular_velocity)) * arm;
    double margin = (speed + p3_length(p3_of(other->velocity)) + turning) * dt + 0.02 * radius;
    lim_vec3 normal;
    return collider_distance(other, centre, &normal) < radius + margin ? margin : -1.0;
}

/* The margin of every component; false when the collider is beyond all of them. */
static bool find_margins(contact_list* list, const node_state* n, double scale,
                         const collider* other, double dt, double speed) {
    bool any = false;
    for (int32_t c = 0; c < n->component_count; ++c) {
        list->margin.data[c] =
            find_margin(&n->components[c], &list->ball.data[c], scale, other, dt, speed);
        any = any || list->margin.data[c] >= 0.0;
    }
    return any;
}

/* Entries are in order of weight. */
static bool carries(const binding* b, int k) {
    return k == 0 || b->weight[k] >= CARRIES;
}

/* Keeps a point among the nearest of its node. Ties go to the lower point, which comes first. */
static void keep_near(contact_near* near, int32_t point, float gap) {
    for (int k = 0; k < CONTACT_NEAR; ++k) {
        if (near->point[k] < 0 || gap < near->gap[k]) {
            int32_t next_point = near->point[k];
            float next_gap = near->gap[k];
            near->point[k] = point;
            near->gap[k] = gap;
            point = next_point;
            gap = next_gap;
            if (point < 0) {
                return;
            }
        }
    }
}

/* Distance of every node from a plane, metres. */
static void find_node_gaps(float* gap, const node_state* n, double scale, const collider* plane) {
    for (int32_t c = 0; c < n->component_count; ++c) {
        const component* at = &n->components[c];
        /* In the frame the plane is n.x + offset; two doubles per component, floats per node. */
        lim_vec3 normal;
        double offset = collider_distance(plane, at->origin, &normal);
        lim_point local = dquat_rotate(dquat_conjugate(at->rotation), p3_of(normal));
        lim_vec3 way = v3_of(p3_scale(local, scale));
        for (int32_t i = at->begin; i < at->end; ++i) {
            lim_vec3 x =
                v3(n->x0[0][i] + n->d[0][i], n->x0[1][i] + n->d[1][i], n->x0[2][i] + n->d[2][i]);
            gap[i] = v3_dot(way, x) + (float)offset;
        }
    }
}

/* A point's distance from a plane is the weighted mean of where its nodes' maps take it, so it is
 * no less than the least of its nodes' less how far a map can reach. */
static bool is_beyond(const float* gap, const binding* b, double limit) {
    for (int k = 0; k < BINDING_NODES; ++k) {
        if (!((double)gap[b->node[k]] > limit)) {
            return false;
        }
    }
    return true;
}

/* Fills list->near for one collider; true when anything is near. */
static bool find_near(contact_list* list, const bindings* b, const node_state* nodes, double scale,
                      const collider* other, double dt, double speed) {
    if (!find_margins(list, nodes, scale, other, dt, speed)) {
        return false;
    }
    bool any = false;
    /* |L (X - x0)| <= 3 |X - x0|: a mean of rotations has norm 1, and B = L - 1. */
    double reach = 3.0 * scale * (double)list->reach;
    float* gaps = other->shape == LIM_SHAPE_PLANE ? list->node_gap.data : NULL;
    if (gaps != NULL) {
        find_node_gaps(gaps, nodes, scale, other);
    }
    for (int32_t i = 0; i < b->count; ++i) {
        int32_t which = b->component[i];
        double margin = list->margin.data[which];
        if (margin < 0.0 || (gaps != NULL && is_beyond(gaps, &b->bind[i], margin + reach))) {
            continue;
        }
        if (!list->known.data[i]) {
            lim_vec3 y = binding_position(&b->bind[i], rest_of(b, i), nodes);
            list->world.data[i] = node_to_world(&nodes->components[which], scale, p3_of(y));
            list->known.data[i] = 1;
        }
        lim_vec3 normal;
        double gap = collider_distance(other, list->world.data[i], &normal);
        if (gap < margin) {
            if (!any) {
                memset(list->near.data, 0xFF, (size_t)nodes->padded * sizeof(contact_near));
                any = true;
            }
            for (int k = 0; k < BINDING_NODES && carries(&b->bind[i], k); ++k) {
                keep_near(&list->near.data[b->bind[i].node[k]], i, (float)(gap / scale));
            }
        }
    }
    return any;
}

lim_result contact_find(contact_list* list, const lim_host* host, const bindings* b,
                        const node_state* nodes, double scale, const collider* colliders,
                        int32_t collider_count, double dt, double speed) {
    list->items.count = 0;
    if (collider_count == 0) {
        return LIM_OK;
    }
    if (!ARRAY_RESERVE(host, &list->near, nodes->padded) ||
        !ARRAY_RESERVE(host, &list->node_gap, nodes->padded) ||
        !ARRAY_RESERVE(host, &list->ball, nodes->component_count) ||
        !ARRAY_RESERVE(host, &list->margin, nodes->component_count) ||
        !ARRAY_RESERVE(host, &list->world, b->count) ||
        !ARRAY_RESERVE(host, &list->known, b->count)) {
        return LIM_ERROR_MEMORY;
    }
    if (list->reach_of != b->bind || !(list->reach > 0.0f)) {
        list->reach = find_reach(b, nodes);
        list->reach_of = b->bind;
    }
    if (b->count > 0) {
        memset(list->known.data, 0, (size_t)b->count);
    }
    for (int32_t c = 0; c < nodes->component_count; ++c) {
        list->ball.data[c] = component_ball(nodes, &nodes->components[c], list->reach);
    }
    for (int32_t j = 0; j < collider_count; ++j) {
        if (!find_near(list, b, nodes, scale, &colliders[j], dt, speed)) {
            continue;
        }
        for (int32_t i = 0; i < nodes->padded; ++i) {
            const contact_near* near = &list->near.data[i];
            if (near->point[0] < 0 || !(nodes->inv_mass[i] > 0.0f)) {
                continue;
            }
            contact made = {.node = i, .collider = j, .touching = -1};
            memcpy(made.point, near->point, sizeof made.point);
            if (!ARRAY_PUSH(host, &list->items, made)) {
                list->items.count = 0;
                return LIM_ERROR_MEMORY;
            }
        }
    }
    return LIM_OK;
}

void contact_list_free(contact_list* list, const lim_host* host) {
    ARRAY_FREE(host, &list->items);
    ARRAY_FREE(host, &list->near);
    ARRAY_FREE(host, &list->node_gap);
    ARRAY_FREE(host, &list->ball);
    ARRAY_FREE(host, &list->margin);
    ARRAY_FREE(host, &list->world);
    ARRAY_FREE(host, &list->known);
}

/* ---- solving --------------------------------------------------------------------------------- */

/* Where a node's surface is now relative to a collider. */
typedef struct contact_place {
    int32_t point;
    float gap;         /* unit lengths */
    lim_vec3 normal;   /* frame axes */
    lim_vec3 velocity; /* of the collider's surface there, frame axes, unit lengths */
} contact_place;

/* The nearest of the node's points decides. False when nothing is finite. */
static bool contact_where(const contact* c, const bindings* b, const node_state* n, double scale,
                          const collider* other, contact_place* out) {
    const component* frame = &n->components[n->slot_component[c->node]];
    lim_vec3 normal = v3(0, 0, 0);
    double least = HUGE_VAL;
    for (int k = 0; k < CONTACT_NEAR && c->point[k] >= 0; ++k) {
        lim_vec3 y = binding_position(&b->bind[c->point[k]], rest_of(b, c->point[k]), n), way;
        lim_point world = node_to_world(frame, scale, p3_of(y));
        double gap = collider_distance(other, world, &way);
        if (gap < least) {
            least = gap;
            normal = way;
            out->point = c->point[k];
        }
    }
    dquat back = dquat_conjugate(frame->rotation);
    /* The collider's motion where the node is: the point may be any of several equally near. */
    int32_t i = c->node;
    lim_point at =
        p3((double)n->x0[0][i] + (double)n->d[0][i], (double)n->x0[1][i] + (double)n->d[1][i],
           (double)n->x0[2][i] + (double)n->d[2][i]);
    lim_point moving = p3_of(collider_velocity_at(other, node_to_world(frame, scale, at)));
    out->gap = (float)(least / scale);
    out->normal = v3_of(dquat_rotate(back, p3_of(normal)));
    out->velocity = v3_of(p3_scale(dquat_rotate(back, moving), 1.0 / scale));
    return isfinite(out->gap) && v3_finite(out->normal) && v3_finite(out->velocity);
}

/* A collider moved on to `time`, made anew when the index changes. */
typedef struct moving_collider {
    const collider* all;
    double time;
    int32_t index;
    collider now;
} moving_collider;

static const collider* collider_now(moving_collider* m, int32_t index) {
    if (m->index != index) {
        m->index = index;
        m->now = collider_at(&m->all[index], m->time);
    }
    return &m->now;
}

/* One node: stop the approach, then the slip as far as the friction cone allows. */
static void solve_velocity(contact* c, const contact_place* at, node_state* n, float friction,
                           double h) {
    int32_t i = c->node;
    float mass = 1.0f / n->inv_mass[i];
    lim_vec3 v = v3_sub(v3(n->v[0][i], n->v[1][i], n->v[2][i]), at->velocity);
    float least = at->gap > 0.0f ? -(float)((double)at->gap / h) : 0.0f;
    float along = v3_dot(v, at->normal);
    c->normal = at->normal;
    c->touching = at->point;
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
    moving_collider moving = {.all = colliders, .time = time, .index = -1};
    for (int32_t i = 0; i < list->items.count; ++i) {
        contact* c = &list->items.data[i];
        const collider* other = collider_now(&moving, c->collider);
        contact_place at;
        c->impulse = 0.0f;
        c->friction_impulse = v3(0, 0, 0);
        if (contact_where(c, b, nodes, scale, other, &at)) {
            float product = body_friction * other->friction;
            solve_velocity(c, &at, nodes, product > 0.0f ? sqrtf(product) : 0.0f, h);
        }
    }
}

void contact_solve_position(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, double time) {
    moving_collider moving = {.all = colliders, .time = time, .index = -1};
    /* A body that starts deep inside comes out over several substeps: at once it would be torn. */
    float most = PUSH_MOST * list->reach;
    bool moved = true;
    for (int pass = 0; pass < POSITION_PASSES && moved; ++pass) {
        moved = false;
        for (int32_t i = 0; i < list->items.count; ++i) {
            const contact* c = &list->items.data[i];
            contact_place at;
            if (contact_where(c, b, nodes, scale, collider_now(&moving, c->collider), &at) &&
                at.gap < -SLOP) {
                float move = -at.gap < most ? -at.gap : most;
                nodes->d[0][c->node] += move * at.normal.x;
                nodes->d[1][c->node] += move * at.normal.y;
                nodes->d[2][c->node] += move * at.normal.z;
                moved = true;
            }
        }
    }
}

void contact_clear_skin(const contact_list* list, const collider* colliders, double time,
                        skin_output* skin, int32_t vertex_count) {
    for (int32_t k = 0; k < list->items.count;) {
        int32_t which = list->items.data[k].collider;
        collider now = collider_at(&colliders[which], time);
        for (int32_t i = 0; i < vertex_count; ++i) {
            float* p = skin->positions + 3 * (size_t)i;
            lim_point at = p3((double)p[0], (double)p[1], (double)p[2]);
            lim_vec3 normal;
            double gap = collider_distance(&now, p3_add(skin->origin, at), &normal);
            if (gap < 0.0 && isfinite(gap)) {
                p[0] -= (float)gap * normal.x;
                p[1] -= (float)gap * normal.y;
                p[2] -= (float)gap * normal.z;
            }
        }
        while (k < list->items.count && list->items.data[k].collider == which) {
            k++;
        }
    }
    lim_vec3 low = v3(HUGE_VALF, HUGE_VALF, HUGE_VALF), high = v3_scale(low, -1.0f);
    for (int32_t i = 0; i < vertex_count; ++i) {
        const float* p = skin->positions + 3 * (size_t)i;
        low = v3_min(v3(p[0], p[1], p[2]), low);
        high = v3_max(v3(p[0], p[1], p[2]), high);
    }
    skin->lower = low;
    skin->upper = high;
}

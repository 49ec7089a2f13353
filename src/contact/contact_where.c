/* SPDX-License-Identifier: MIT
 * Job: the gap between a node's surface and a collider. In: a contact, node state. Out: the nearest
 * of its points, its distance and normal; nothing twice that has not changed.
 */
#include "contact/contact_where.h"

#include <string.h>

moving_collider contact_look(contact_list* list, const bindings* b, const node_state* nodes,
                             double scale, const collider* colliders, double time) {
    list->look = ++list->clock;
    return (moving_collider){.list = list,
                             .bind = b,
                             .nodes = nodes,
                             .all = colliders,
                             .scale = scale,
                             .time = time,
                             .index = -1,
                             .reach = list->reach};
}

static bool is_zero(lim_vec3 v) {
    return !(v3_dot(v, v) > 0.0f);
}

void contact_collider(moving_collider* m, const contact* c) {
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
    m->plane = m->seen.shape == LIM_SHAPE_PLANE;
    m->normal = v3_of(dquat_rotate(m->seen.orientation, p3(0, 1, 0)));
    m->still = false;
    m->moving = contact_motion(m, c->node);
    m->still = is_zero(m->now.velocity) && is_zero(m->now.angular_velocity);
}

lim_vec3 contact_motion(const moving_collider* m, int32_t i) {
    if (m->still) {
        return m->moving;
    }
    const node_state* n = m->nodes;
    const component* frame = &n->components[m->component];
    lim_point at =
        p3((double)n->x0[0][i] + (double)n->d[0][i], (double)n->x0[1][i] + (double)n->d[1][i],
           (double)n->x0[2][i] + (double)n->d[2][i]);
    lim_point moving = p3_of(collider_velocity_at(&m->now, node_to_world(frame, m->scale, at)));
    dquat back = dquat_conjugate(frame->rotation);
    return v3_of(p3_scale(dquat_rotate(back, moving), 1.0 / m->scale));
}

/* ---- what has changed -------------------------------------------------------------------------
 */

void contact_push(contact_list* list, node_state* n, int32_t i, lim_vec3 way) {
    n->d[0][i] += way.x;
    n->d[1][i] += way.y;
    n->d[2][i] += way.z;
    list->pushed.data[i] = ++list->clock;
}

static bool point_changed(const moving_collider* m, int32_t point, int32_t since) {
    const binding* at = &m->bind->bind[point];
    bool changed = false;
    for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f; ++k) {
        changed = changed || m->list->pushed.data[at->node[k]] > since;
    }
    return changed;
}

bool contact_changed(const moving_collider* m, const contact* c, int32_t since) {
    if (m->list->clock == since) {
        return false;
    }
    bool changed = m->list->pushed.data[c->node] > since;
    for (int k = 0; k < CONTACT_NEAR && c->point[k] >= 0 && !changed; ++k) {
        changed = point_changed(m, c->point[k], since);
    }
    return changed;
}

void contact_keep_places(contact_list* list, const node_state* nodes) {
    for (int k = 0; k < 3; ++k) {
        memcpy(list->before[k].data, nodes->d[k], (size_t)nodes->padded * sizeof(float));
    }
}

void contact_measure_moves(contact_list* list, const node_state* n) {
    float *x = list->before[0].data, *y = list->before[1].data, *z = list->before[2].data;
    for (int32_t i = 0; i < n->padded; ++i) {
        float a = n->d[0][i] - x[i], b = n->d[1][i] - y[i], c = n->d[2][i] - z[i];
        x[i] = sqrtf(a * a + b * b + c * c);
    }
}

/* The affine parts of nodes are what they were: a point moves by the mean of its nodes' moves. */
float contact_moved(const moving_collider* m, const contact* c) {
    const float* moved = m->list->before[0].data;
    float most = moved[c->node];
    for (int p = 0; p < CONTACT_NEAR && c->point[p] >= 0; ++p) {
        const binding* at = &m->bind->bind[c->point[p]];
        for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f; ++k) {
            float one = moved[at->node[k]];
            most = one > most ? one : most;
        }
    }
    return most;
}

/* ---- gaps -------------------------------------------------------------------------------------
 */

static lim_vec3 node_place(const node_state* n, int32_t i) {
    return v3(n->x0[0][i] + n->d[0][i], n->x0[1][i] + n->d[1][i], n->x0[2][i] + n->d[2][i]);
}

/* A point where it is now. */
static contact_seen* point_seen(const moving_collider* m, int32_t point) {
    contact_seen* s = &m->list->seen.data[point];
    bool old = s->clock < m->list->look;
    if (old || (m->list->clock > s->clock && point_changed(m, point, s->clock))) {
        s->place = binding_position(&m->bind->bind[point], bindings_rest(m->bind, point), m->nodes);
        s->clock = m->list->clock;
        s->collider = -1;
    }
    return s;
}

static double distance_of(const moving_collider* m, lim_vec3 place, lim_vec3* normal) {
    if (m->plane) {
        lim_point r = p3_sub(p3_of(place), m->seen.position);
        *normal = m->normal;
        return dquat_rotate(dquat_conjugate(m->seen.orientation), r).y;
    }
    return collider_distance(&m->seen, p3_of(place), normal);
}

/* A point where it is now, with its distance. */
static const contact_seen* point_distance(const moving_collider* m, int32_t point) {
    contact_seen* s = point_seen(m, point);
    if (s->collider != m->index) {
        s->gap = distance_of(m, s->place, &s->normal);
        s->collider = m->index;
    }
    return s;
}

lim_vec3 contact_point(const moving_collider* m, const contact* c, int k) {
    return c->point[k] < 0 ? node_place(m->nodes, c->node) : point_seen(m, c->point[k])->place;
}

static bool is_finite(const contact_place* p) {
    return isfinite(p->gap) && v3_finite(p->normal);
}

/* Of a sheet the first point alone decides, and the side where it belongs. */
static bool where_of_sheet(moving_collider* m, const contact* c, contact_place* out) {
    double clear = (double)(CONTACT_SHEET_CLEAR * m->reach), gap;
    out->point = c->point[0];
    if (out->point < 0) {
        out->place = node_place(m->nodes, c->node);
        gap = distance_of(m, out->place, &out->normal);
    } else { /* the nodes that carry it have a contact each, which ask for the same */
        const contact_seen* at = point_distance(m, out->point);
        out->place = at->place;
        out->normal = at->normal;
        gap = at->gap;
    }
    if (collider_parts(&m->seen, c->from, p3_of(out->place))) {
        out->normal = v3_scale(out->normal, -1.0f);
        gap = -gap;
    }
    out->gap = (float)(gap - clear);
    return is_finite(out);
}

bool contact_where(moving_collider* m, const contact* c, contact_place* out) {
    contact_collider(m, c);
    if (m->sheet) {
        return where_of_sheet(m, c, out);
    }
    out->point = c->point[0];
    if (c->point[0] < 0) {
        out->place = node_place(m->nodes, c->node);
        out->gap = (float)distance_of(m, out->place, &out->normal) + CONTACT_NODE_DEEP * m->reach;
        return is_finite(out);
    }
    const contact_seen* least = point_distance(m, c->point[0]);
    for (int k = 1; k < CONTACT_NEAR && c->point[k] >= 0; ++k) {
        const contact_seen* other = point_distance(m, c->point[k]);
        if (other->gap < least->gap) {
            least = other;
            out->point = c->point[k];
        }
    }
    out->place = least->place;
    out->gap = (float)least->gap;
    out->normal = least->normal;
    return is_finite(out);
}

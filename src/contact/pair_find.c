/* SPDX-License-Identifier: MIT
 * Job: find where a body may meet another, or itself, in this step. In: two sides. Out: contacts,
 * at most two for each node of A, in order of node.
 */
#include "contact/pair.h"

#include <string.h>

/* A node carries the points of which it has at least this weight, and those it has most of. */
#define CARRIES 0.15f
/* Contacts that may come about are kept from this share of a cell on. */
#define NEAR_CELLS 0.05f
/* What may come this many cells nearer in a step is fast. */
#define FAST 0.5f
/* Two contacts of a node with one surface: normals at least some 45 degrees apart. */
#define APART 0.7f

void pair_list_free(pair_list* list, const lim_host* host) {
    ARRAY_FREE(host, &list->items);
    ARRAY_FREE(host, &list->points);
    ARRAY_FREE(host, &list->near);
}

lim_result pair_reserve(pair_list* list, const lim_host* host, int32_t slots) {
    bool room = ARRAY_RESERVE(host, &list->near, slots) &&
                ARRAY_RESERVE(host, &list->points, list->points_wanted) &&
                ARRAY_RESERVE(host, &list->items, list->items_wanted);
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

void pair_begin(pair_list* list) {
    list->items.count = list->items_wanted = list->points_wanted = 0;
}

static lim_vec3 turned(const float m[9], lim_vec3 v) {
    return v3(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
              m[6] * v.x + m[7] * v.y + m[8] * v.z);
}

static lim_vec3 turned_back(const float m[9], lim_vec3 v) {
    return v3(m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
              m[2] * v.x + m[5] * v.y + m[8] * v.z);
}

static lim_vec3 node_displacement(const node_state* n, int32_t i) {
    return v3(n->d[0][i], n->d[1][i], n->d[2][i]);
}

static lim_vec3 node_velocity(const node_state* n, int32_t i) {
    return v3(n->v[0][i], n->v[1][i], n->v[2][i]);
}

static lim_vec3 node_place(const pair_side* s, int32_t i) {
    const pair_frame* f = &s->frame[s->nodes.slot_component[i]];
    lim_vec3 x0 = v3(s->nodes.x0[0][i], s->nodes.x0[1][i], s->nodes.x0[2][i]);
    return v3_add(f->shift, turned(f->turn, v3_add(x0, node_displacement(&s->nodes, i))));
}

/* The nodes of B that carry a place on one of its triangles: those with most weight. All of one
 * component, that of the corner that counts most. */
static void find_carriers(pair_contact* c, const pair_side* b, const surface_hit* hit) {
    const int32_t* corner = b->shape.net->corner + 3 * (size_t)hit->triangle;
    int32_t slot[3 * BINDING_NODES], count = 0;
    float weight[3 * BINDING_NODES];
    int main = hit->weight[1] > hit->weight[0] ? 1 : 0;
    main = hit->weight[2] > hit->weight[main] ? 2 : main;
    c->component_b = b->bind->component[corner[main]];
    for (int k = 0; k < 3; ++k) {
        const binding* from = &b->bind->bind[corner[k]];
        for (int j = 0; j < BINDING_NODES && from->weight[j] > 0.0f; ++j) {
            float w = hit->weight[k] * from->weight[j];
            int32_t at = 0;
            while (at < count && slot[at] != from->node[j]) {
                at++;
            }
            if (!(w > 0.0f) || b->nodes.slot_component[from->node[j]] != c->component_b) {
                continue;
            }
            slot[at] = from->node[j];
            weight[at] = at < count ? weight[at] + w : w;
            count += at == count;
        }
    }
    float sum = 0.0f;
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        int32_t most = 0;
        for (int32_t j = 1; j < count; ++j) {
            most = weight[j] > weight[most] ? j : most;
        }
        c->carrier[k] = slot[most];
        c->weight[k] = k < count ? weight[most] : 0.0f;
        weight[most] = k < count ? -1.0f : weight[most];
        sum += c->weight[k];
    }
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        c->weight[k] /= sum;
    }
}

static lim_vec3 carried_velocity(const pair_contact* c, const pair_side* b) {
    lim_vec3 v = v3(0, 0, 0);
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        v = v3_mad(v, node_velocity(&b->nodes, c->carrier[k]), c->weight[k]);
    }
    return turned(b->frame[c->component_b].turn, v);
}

static lim_vec3 carried_place(const pair_contact* c, const pair_side* b) {
    lim_vec3 x = v3(0, 0, 0);
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        x = v3_mad(x, node_place(b, c->carrier[k]), c->weight[k]);
    }
    return x;
}

/* What somebody of A, at this velocity (in the frame of its component), sees of B's surface. False:
 * it is too far to meet it within dt. */
static bool meet(const pair_side* a, const pair_side* b, int32_t piece, lim_vec3 velocity,
                 lim_vec3 from_b, const surface_hit* hit, double dt, pair_contact* c) {
    *c = (pair_contact){.point = -1,
                        .triangle = hit->triangle,
                        .normal = hit->normal,
                        .gap = hit->gap,
                        .place = v3_add(hit->point, from_b)};
    find_carriers(c, b, hit);
    lim_vec3 own = turned(a->frame[piece].turn, velocity);
    float closing = -v3_dot(hit->normal, v3_sub(own, carried_velocity(c, b)));
    /* Matching may throw a point by a part of what moves in the bodies at all. */
    float way = 1.25f * fmaxf(closing, 0.0f) + 0.25f * (a->spread + b->spread);
    return hit->gap < way * (float)dt + NEAR_CELLS * a->cell;
}

/* Keeps a candidate among the nearest two of a node, the second only if it looks elsewhere. */
static void keep_near(pair_list* list, int32_t node, int32_t candidate) {
    pair_near* near = &list->near.data[node];
    const pair_contact* c = &list->points.data[candidate];
    if (near->found[0] < 0) {
        near->found[0] = candidate;
        near->gap[0] = c->gap;
        return;
    }
    bool alike = v3_dot(c->normal, list->points.data[near->found[0]].normal) > APART;
    if (c->gap < near->gap[0]) {
        if (!alike) {
            near->found[1] = near->found[0];
            near->gap[1] = near->gap[0];
        } else if (near->found[1] >= 0 &&
                   v3_dot(c->normal, list->points.data[near->found[1]].normal) > APART) {
            near->found[1] = -1;
        }
        near->found[0] = candidate;
        near->gap[0] = c->gap;
    } else if (!alike && (near->found[1] < 0 || c->gap < near->gap[1])) {
        near->found[1] = candidate;
        near->gap[1] = c->gap;
    }
}

static float inverse_mass(const pair_side* s, int32_t slot) {
    return s->still ? 0.0f : s->nodes.inv_mass[slot] / s->unit_mass;
}

/* How much the place on B moves per impulse: sum w_k^2 / m_k. */
static float give_of(const pair_contact* c, const pair_side* b) {
    float sum = 0.0f;
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        sum += c->weight[k] * c->weight[k] * inverse_mass(b, c->carrier[k]);
    }
    return sum;
}

/* A contact of one node, from what one of its points has met. */
static bool make_contact(const pair_side* a, const pair_side* b, const pair_contact* met,
                         int32_t node, int32_t other, lim_vec3 from_b, pair_contact* c) {
    *c = *met;
    c->other = other;
    c->node = node;
    c->give_a = inverse_mass(a, node);
    c->give_b = give_of(c, b);
    const pair_frame* fa = &a->frame[a->nodes.slot_component[node]];
    const pair_frame* fb = &b->frame[c->component_b];
    c->normal_a = turned_back(fa->turn, c->normal);
    c->normal_b = turned_back(fb->turn, c->normal);
    /* The point and the place turn about their nodes with the bodies. */
    lim_vec3 arm_a = v3(0, 0, 0);
    if (c->point >= 0) {
        lim_vec3 point = v3(a->feel[0][c->point], a->feel[1][c->point], a->feel[2][c->point]);
        arm_a = v3_sub(point, node_place(a, node));
    }
    lim_vec3 arm_b = v3_sub(v3_sub(c->place, from_b), carried_place(c, b));
    c->rate = v3_dot(c->normal, v3_sub(v3_cross(fa->spin, arm_a), v3_cross(fb->spin, arm_b)));
    c->base = 0.0f;
    c->base = pair_gap(c, a, b, 0.0) - c->gap;
    return c->give_a + c->give_b > 0.0f && isfinite(c->base) && isfinite(c->rate);
}

static void add_contacts(pair_list* list, const pair_side* a, const pair_side* b, int32_t other,
                         lim_vec3 from_b) {
    for (int32_t i = 0; i < a->nodes.padded; ++i) {
        for (int k = 0; k < 2; ++k) {
            int32_t found = list->near.data[i].found[k];
            pair_contact made;
            if (found < 0 ||
                !make_contact(a, b, &list->points.data[found], i, other, from_b, &made)) {
                continue;
            }
            list->items_wanted++;
            if (list->items.count < list->items.capacity) {
                list->items.data[list->items.count++] = made;
            }
        }
    }
}

/* ---- a body and itself --------------------------------------------------------------------------
 */

typedef struct self_point {
    const pair_side* side;
    const pair_self* self;
    int32_t node;
    lim_vec3 rest;
} self_point;

/* Whether a point of the surface is beside the one that asks. */
static bool is_beside(const void* context, int32_t point) {
    const self_point* p = context;
    int32_t node = p->side->bind->bind[point].node[0];
    lim_vec3 r = v3_sub(bindings_rest(p->side->bind, point), p->rest);
    if (v3_dot(r, r) > p->self->reach * p->self->reach) {
        return false;
    }
    int32_t low = p->self->offset[p->node], high = p->self->offset[p->node + 1];
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (p->self->slot[middle] < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < p->self->offset[p->node + 1] && p->self->slot[low] == node;
}

/* Behind the surface there is the body's own material: a point of the far side of a part is where
 * it belongs, also when a squash has brought it near. It has come through another surface only if
 * its depth there is well below the distance that the two have at rest. */
static bool is_own_material(const pair_side* s, int32_t point, const surface_hit* hit) {
    if (hit->gap > 0.0f) {
        return false;
    }
    lim_vec3 q = v3(0, 0, 0);
    const int32_t* corner = s->shape.net->corner + 3 * (size_t)hit->triangle;
    for (int k = 0; k < 3; ++k) {
        q = v3_mad(q, bindings_rest(s->bind, corner[k]), hit->weight[k]);
    }
    float apart = v3_length(v3_sub(bindings_rest(s->touch, point), q)) * (float)s->scale;
    return -hit->gap > 0.25f * apart;
}

/* ---- the search ---------------------------------------------------------------------------------
 */

/* A search of A's points, and its nodes, against B. */
typedef struct pair_query {
    pair_list* list;
    const pair_side *a, *b;
    const pair_self* self; /* null: two bodies */
    lim_vec3 from_b;
    float reach;
    double dt;
    bool any; /* somebody is near */
    int32_t wanted;
} pair_query;

/* Where the next candidate goes, or -1. */
static int32_t next_candidate(pair_query* q) {
    pair_list* list = q->list;
    q->wanted++;
    if (list->points.count == list->points.capacity) {
        return -1;
    }
    if (!q->any) {
        memset(list->near.data, 0xFF, (size_t)q->a->nodes.padded * sizeof(pair_near));
        q->any = true;
    }
    return list->points.count++;
}

static void search_point(pair_query* q, int32_t i) {
    const pair_side *a = q->a, *b = q->b;
    lim_vec3 at = v3_sub(v3(a->feel[0][i], a->feel[1][i], a->feel[2][i]), q->from_b);
    if (!surface_may_reach(&b->shape, at, q->reach)) {
        return;
    }
    surface_query query = {.at = at, .reach = q->reach};
    self_point asks = {.side = a, .self = q->self};
    if (q->self != NULL) {
        asks.node = a->touch->bind[i].node[0];
        asks.rest = bindings_rest(a->touch, i);
        query.skips = is_beside;
        query.context = &asks;
    }
    query.look = surface_normal(&a->shape, a->touch_point[i]);
    surface_hit hit = surface_nearest(&b->shape, &query);
    const binding* by = &a->touch->bind[i];
    pair_contact met;
    if (hit.triangle < 0 || (q->self != NULL && is_own_material(a, i, &hit)) ||
        !meet(a, b, a->touch->component[i], binding_velocity(by, &a->nodes), q->from_b, &hit, q->dt,
              &met)) {
        return;
    }
    met.point = i;
    int32_t candidate = next_candidate(q);
    if (candidate < 0) {
        return;
    }
    q->list->points.data[candidate] = met;
    for (int k = 0; k < BINDING_NODES && (k == 0 || by->weight[k] >= CARRIES); ++k) {
        keep_near(q->list, by->node[k], candidate);
    }
}

/* In a fast impact the surface alone is not enough: what is behind it is stopped too, before it
 * comes through. */
static void search_node(pair_query* q, int32_t i) {
    const pair_side *a = q->a, *b = q->b;
    lim_vec3 at = v3_sub(node_place(a, i), q->from_b);
    if (!surface_may_reach(&b->shape, at, q->reach)) {
        return;
    }
    surface_query query = {.at = at, .reach = q->reach};
    surface_hit hit = surface_nearest(&b->shape, &query);
    pair_contact met;
    if (hit.triangle < 0 || !meet(a, b, a->nodes.slot_component[i], node_velocity(&a->nodes, i),
                                  q->from_b, &hit, q->dt, &met)) {
        return;
    }
    int32_t candidate = next_candidate(q);
    if (candidate >= 0) {
        q->list->points.data[candidate] = met;
        keep_near(q->list, i, candidate);
    }
}

void pair_search(pair_list* list, const pair_side* a, const pair_side* b, int32_t other, double dt,
                 const pair_self* self) {
    pair_query q = {.list = list, .a = a, .b = b, .self = self, .dt = dt};
    q.from_b = v3_of(p3_sub(b->shape.origin, a->shape.origin));
    float closing = v3_length(v3_sub(a->velocity, b->velocity)) + a->spread + b->spread;
    /* How deep a point may be and still find its way out: a cell of the larger kind. */
    float deep = fmaxf(a->cell, b->cell), way = closing * (float)dt;
    q.reach = fmaxf(way + NEAR_CELLS * a->cell, deep);
    list->points.count = 0;
    for (int32_t i = 0; i < a->touch->count; ++i) {
        search_point(&q, i);
    }
    for (int32_t i = 0; i < a->nodes.padded && way > FAST * a->cell && self == NULL; ++i) {
        if (a->nodes.mass[i] > 0.0f) {
            search_node(&q, i);
        }
    }
    list->points_wanted = q.wanted > list->points_wanted ? q.wanted : list->points_wanted;
    if (q.any) {
        add_contacts(list, a, b, other, q.from_b);
    }
}

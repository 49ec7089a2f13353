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
/* Who is no deeper than this, in cells of B, is not asked whether it is inside. */
#define SURE 0.05f
/* Two contacts of a node with one surface: normals at least some 45 degrees apart. */
#define APART 0.7f
/* So many of a node's candidates are looked at closely for the nearest; of the others those that
 * may be of another side. */
enum { LOOKED_AT = 3 };
#define MAYBE_APART 0.9f

void pair_list_free(pair_list* list, const lim_host* host) {
    ARRAY_FREE(host, &list->items);
    ARRAY_FREE(host, &list->points);
    ARRAY_FREE(host, &list->near);
    ARRAY_FREE(host, &list->patch);
    ARRAY_FREE(host, &list->tied);
}

lim_result pair_reserve(pair_list* list, const lim_host* host, int32_t slots, int32_t patches) {
    bool room = ARRAY_RESERVE(host, &list->near, slots) &&
                ARRAY_RESERVE(host, &list->tied, slots) &&
                ARRAY_RESERVE(host, &list->patch, patches + (int64_t)patches / 8 + 1) &&
                ARRAY_RESERVE(host, &list->points, list->points_wanted) &&
                ARRAY_RESERVE(host, &list->items, list->items_wanted);
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

void pair_begin(pair_list* list) {
    list->items.count = list->items_wanted = list->points_wanted = 0;
}

static lim_vec3 node_place(const pair_side* s, int32_t i) {
    const pair_frame* f = &s->frame[s->nodes.slot_component[i]];
    lim_vec3 x0 = v3(s->nodes.x0[0][i], s->nodes.x0[1][i], s->nodes.x0[2][i]);
    return v3_add(f->shift, pair_turned(f->turn, v3_add(x0, pair_vector(s->nodes.d, i))));
}

/* The nodes of B that carry a place on one of its triangles: those with most weight. All of one
 * component, that of the corner that counts most. */
static void find_carriers(pair_contact* c, const pair_side* b, const surface_hit* hit) {
    const int32_t* corner = b->shape.net->corner + 3 * (size_t)hit->triangle;
    int32_t slot[3 * BINDING_NODES], count = 0;
    float weight[3 * BINDING_NODES];
    int main = hit->weight[1] > hit->weight[0] ? 1 : 0;
    main = hit->weight[2] > hit->weight[main] ? 2 : main;
    c->component_b = b->shape.net->points.component[corner[main]];
    for (int k = 0; k < 3; ++k) {
        const binding* from = &b->shape.net->points.bind[corner[k]];
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
        v = v3_mad(v, pair_vector(b->nodes.v, c->carrier[k]), c->weight[k]);
    }
    return pair_turned(b->frame[c->component_b].turn, v);
}

static lim_vec3 carried_place(const pair_contact* c, const pair_side* b) {
    lim_vec3 x = v3(0, 0, 0);
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        x = v3_mad(x, node_place(b, c->carrier[k]), c->weight[k]);
    }
    return x;
}

/* Keeps a candidate among the nearest of a node. */
static void keep_near(pair_list* list, int32_t node, int32_t candidate) {
    int32_t* found = list->near.data[node].found;
    const pair_candidate* c = list->points.data;
    for (int k = 0; k < PAIR_NEAR; ++k) {
        if (found[k] < 0 || c[candidate].gap < c[found[k]].gap) {
            int32_t next = found[k];
            found[k] = candidate;
            candidate = next;
            if (candidate < 0) {
                return;
            }
        }
    }
}

/* Which way a contact pushes, in the world and in the frames, and what each node takes of it: node
 * i of A 1 / m_i, carrier k of B w_k / m_k. With the weights that measure the gap the passes lower
 * the energy; with others they may raise it. Of a body with itself node i may be carrier k: it
 * takes (1 - w_k) / m_i, and gives (1 - w_k)^2 / m_i. */
static void set_axes(pair_contact* c, const pair_side* a, const pair_side* b, lim_vec3 normal) {
    const pair_frame* fa = &a->frame[a->nodes.slot_component[c->node]];
    const pair_frame* fb = &b->frame[c->component_b];
    lim_vec3 aside = fabsf(normal.x) < 0.6f ? v3(1, 0, 0) : v3(0, 1, 0);
    c->axis[0] = normal;
    c->axis[1] = v3_unit(v3_cross(normal, aside), v3(0, 0, 0));
    c->axis[2] = v3_cross(normal, c->axis[1]);
    for (int k = 0; k < 3; ++k) {
        c->axis_a[k] = pair_turned_back(fa->turn, c->axis[k]);
        c->axis_b[k] = pair_turned_back(fb->turn, c->axis[k]);
    }
    float give = pair_inverse_mass(a, c->node);
    c->push_a = give * a->inv_square;
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        float share = c->weight[k] * pair_inverse_mass(b, c->carrier[k]);
        c->push_b[k] = share * b->inv_square;
        give += c->weight[k] * share;
        give -= a == b && c->carrier[k] == c->node ? 2.0f * share : 0.0f;
    }
    c->give = give;
}

/* A gap that may close within dt at this speed: matching may throw a point by a part of what moves
 * in the bodies at all. */
static float way_along(const pair_side* a, const pair_side* b, float closing, double dt) {
    float way = 1.25f * fmaxf(closing, 0.0f) + 0.25f * (a->spread + b->spread);
    return way * (float)dt + NEAR_CELLS * a->cell;
}

/* Whether a contact may come about within dt. */
static bool may_close(const pair_contact* c, const pair_side* a, const pair_side* b, double dt) {
    lim_vec3 v = c->point >= 0 ? binding_velocity(&a->shape.net->points.bind[c->point], &a->nodes)
                               : pair_vector(a->nodes.v, c->node);
    lim_vec3 own = pair_turned(a->frame[a->nodes.slot_component[c->node]].turn, v);
    float closing = -v3_dot(c->axis[0], v3_sub(own, carried_velocity(c, b)));
    return c->gap < way_along(a, b, closing, dt);
}

static lim_vec3 point_place(const pair_side* s, int32_t point) {
    return v3(s->shape.at[0][point], s->shape.at[1][point], s->shape.at[2][point]);
}

/* A contact of one node, from what one of its points has found. False: it cannot act. */
static bool make_contact(const pair_side* a, const pair_side* b, const pair_candidate* found,
                         int32_t node, int32_t other, lim_vec3 from_b, double dt, pair_contact* c) {
    *c = (pair_contact){.other = other,
                        .node = node,
                        .point = found->point,
                        .triangle = found->hit.triangle,
                        .gap = found->hit.gap,
                        .place = v3_add(found->hit.point, from_b)};
    find_carriers(c, b, &found->hit);
    set_axes(c, a, b, found->hit.normal);
    if (!may_close(c, a, b, dt)) {
        return false;
    }
    /* The point and the place turn about their nodes with the bodies. */
    const pair_frame* fa = &a->frame[a->nodes.slot_component[node]];
    const pair_frame* fb = &b->frame[c->component_b];
    lim_vec3 arm_a = v3(0, 0, 0);
    if (c->point >= 0) {
        arm_a = v3_sub(point_place(a, c->point), node_place(a, node));
    }
    lim_vec3 arm_b = v3_sub(v3_sub(c->place, from_b), carried_place(c, b));
    c->rate = v3_dot(c->axis[0], v3_sub(v3_cross(fa->spin, arm_a), v3_cross(fb->spin, arm_b)));
    c->base = 0.0f;
    c->base = pair_gap(c, a, b, 0.0) - c->gap;
    return c->give > 0.0f && isfinite(c->base) && isfinite(c->rate);
}

/* ---- a body and itself --------------------------------------------------------------------------
 */

/* Whether two slots are beside each other along the graph. */
static bool is_beside(const pair_self* self, int32_t slot, int32_t other) {
    int32_t low = self->offset[slot], high = self->offset[slot + 1];
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (self->slot[middle] < other) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < self->offset[slot + 1] && self->slot[low] == other;
}

/* Behind the surface there is the body's own material: a point of the far side of a part is where
 * it belongs, also when a squash has brought it near. It has come through another surface only if
 * its depth there is well below the distance that the two have at rest. */
static bool is_own_material(const pair_side* s, int32_t point, const surface_hit* hit) {
    if (hit->gap > 0.0f) {
        return false;
    }
    const surface_net* net = s->shape.net;
    lim_vec3 q = v3(0, 0, 0);
    const int32_t* corner = net->corner + 3 * (size_t)hit->triangle;
    for (int k = 0; k < 3; ++k) {
        q = v3_mad(q, bindings_rest(&net->points, corner[k]), hit->weight[k]);
    }
    float apart = v3_length(v3_sub(bindings_rest(&net->points, point), q)) * (float)s->scale;
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
    lim_vec3 way; /* of A as B sees it, in the step */
    pair_reach reach;
    double dt;
    int32_t groups; /* at the head of list->patch, each << 8 with a bit for who may meet it */
    bool any;       /* somebody is near */
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

/* A box of A as B sees it go by: boxes have the ways that patches go beside their bodies, whose own
 * are added here. */
static surface_box passing(const pair_query* q, surface_box box) {
    box = surface_box_swept(box, q->way);
    return (surface_box){v3_sub(box.low, q->from_b), v3_sub(box.high, q->from_b)};
}

/* With how near B's patches must be to count. */
static surface_box widened(const pair_query* q, surface_box box) {
    float reach = fmaxf(q->reach.near, q->reach.deep);
    lim_vec3 wide = v3(reach, reach, reach);
    return (surface_box){v3_sub(box.low, wide), v3_add(box.high, wide)};
}

/* A box of B as A sees it go by, with how near it must be. */
static surface_box widened_of_b(const pair_query* q, surface_box box) {
    box = surface_box_swept(box, v3_scale(q->way, -1.0f));
    return widened(q, (surface_box){v3_add(box.low, q->from_b), v3_add(box.high, q->from_b)});
}

/* Of those of B's groups at the head of the list that may meet a group of A's patches each with a
 * bit for the patches it may meet. Returns all bits. */
static int32_t keep_groups(pair_query* q, int32_t count, int32_t asks) {
    const surface_shape *a = &q->a->shape, *b = &q->b->shape;
    int32_t *list = q->list->patch.data, all = 0;
    q->groups = 0;
    for (int32_t k = 0; k < count; ++k) {
        if (surface_look_alike(a, surface_group_look(a->net, asks), b,
                               surface_group_look(b->net, list[k]))) {
            continue;
        }
        surface_box box = widened_of_b(q, surface_group_box(b, list[k]));
        int32_t bits = (int32_t)surface_overlaps(&a->feel[asks], &box);
        if (bits != 0) {
            list[q->groups++] = list[k] << 8 | bits;
            all |= bits;
        }
    }
    return all;
}

/* Whether a patch cannot be met by another: they look the same way, or, of one body, are beside
 * each other. */
static bool is_other(const pair_query* q, int32_t asks, int32_t patch) {
    const surface_shape *a = &q->a->shape, *b = &q->b->shape;
    return surface_look_alike(a, asks, b, patch) ||
           (q->self != NULL &&
            is_beside(q->self, a->net->patch_node[asks], b->net->patch_node[patch]));
}

/* Patches of the groups that a box, the one of this bit, may meet; asks: not those that this one
 * cannot meet, -1: all. */
static int32_t patches_near(const pair_query* q, surface_box box, int bit, int32_t asks,
                            int32_t* out) {
    int32_t count = 0;
    const surface_shape* s = &q->b->shape;
    surface_box wide = widened(q, box);
    for (int32_t k = 0; k < q->groups; ++k) {
        int32_t group = q->list->patch.data[k] >> 8;
        if ((q->list->patch.data[k] >> bit & 1) == 0) {
            continue;
        }
        unsigned bits = surface_overlaps(&s->group[group], &wide);
        for (int i = 0; bits >> i != 0; ++i) {
            int32_t patch = 8 * group + i;
            if ((bits >> i & 1u) != 0 && !surface_is_above(s, patch, box, q->reach.near) &&
                (asks < 0 || !is_other(q, asks, patch))) {
                out[count++] = patch;
            }
        }
    }
    return count;
}

/* A first look of a point, or of a node: which of them may meet B within dt. */
static void see(pair_query* q, int32_t point, int32_t node, const surface_query* query) {
    const pair_side *a = q->a, *b = q->b;
    surface_sight sight = surface_see(&b->shape, query);
    if (sight.point < 0) {
        return;
    }
    int32_t there = b->shape.net->patch_node[b->shape.net->point_patch[sight.point]];
    lim_vec3 v = v3_sub(
        pair_turned(a->frame[a->nodes.slot_component[node]].turn, pair_vector(a->nodes.v, node)),
        pair_turned(b->frame[b->nodes.slot_component[there]].turn, pair_vector(b->nodes.v, there)));
    float most = way_along(a, b, -v3_dot(v, sight.normal), q->dt) +
                 SURFACE_RISE * b->shape.stretch * b->shape.net->longest;
    /* A node that is inside already has surface points that look for the way out. */
    bool counts = sight.gap < most && (point >= 0 || sight.gap > 0.0f);
    int32_t candidate = counts ? next_candidate(q) : -1;
    if (candidate < 0) {
        return;
    }
    q->list->points.data[candidate] = (pair_candidate){.point = point,
                                                       .node = node,
                                                       .sees = sight.point,
                                                       .gap = sight.gap,
                                                       .normal = sight.normal};
    if (point < 0) {
        keep_near(q->list, node, candidate);
        return;
    }
    const binding* by = &a->shape.net->points.bind[point];
    for (int k = 0; k < BINDING_NODES && (k == 0 || by->weight[k] >= CARRIES); ++k) {
        keep_near(q->list, by->node[k], candidate);
    }
}

static surface_query query_of(const pair_query* q, lim_vec3 at) {
    return (surface_query){
        .at = v3_sub(at, q->from_b), .reach = q->reach.out, .deep = q->reach.deep};
}

static void search_patch(pair_query* q, int32_t patch, surface_box box, int32_t* near) {
    const surface_shape* s = &q->a->shape;
    int32_t begin = s->net->patch_feel[patch], end = s->net->patch_feel[patch + 1];
    int32_t count = patches_near(q, box, patch % 8, patch, near);
    for (int32_t i = begin; i < end && count > 0; ++i) {
        int32_t point = s->net->feel[i];
        surface_query query = query_of(q, point_place(q->a, point));
        query.look = s->normal[point];
        query.sharp = s->net->sharp[point] != 0;
        query.patch = near;
        query.patch_count = count;
        see(q, point, s->net->patch_node[patch], &query);
    }
}

/* The list begins with the groups of B that are near; patches that are near follow. */
static void search_group(pair_query* q, int32_t group) {
    const surface_shape* s = &q->a->shape;
    surface_box all = widened(q, passing(q, s->feel_box[group]));
    if (!surface_boxes_meet(all, q->b->shape.box)) {
        return;
    }
    int32_t count = surface_groups_in(&q->b->shape, all, q->list->patch.data);
    int32_t asks = keep_groups(q, count, group);
    for (int k = 0; k < 8; ++k) {
        if ((asks >> k & 1) != 0) {
            surface_box box = passing(q, surface_get_box(&s->feel[group], k));
            search_patch(q, 8 * group + k, box, q->list->patch.data + q->groups);
        }
    }
}

/* In a fast impact the surface alone is not enough: what is behind it is stopped too, before it
 * comes through. */
static void search_node(pair_query* q, int32_t i) {
    lim_vec3 at = node_place(q->a, i);
    surface_query query = query_of(q, at);
    const pair_frame* f = &q->a->frame[q->a->nodes.slot_component[i]];
    lim_vec3 v = v3_sub(pair_turned(f->turn, pair_vector(q->a->nodes.v, i)), q->a->velocity);
    surface_box box =
        passing(q, surface_box_swept((surface_box){at, at}, v3_scale(v, (float)q->dt)));
    surface_box wide = widened(q, box);
    if (!surface_boxes_meet(wide, q->b->shape.box)) {
        return;
    }
    int32_t* list = q->list->patch.data;
    q->groups = surface_groups_in(&q->b->shape, wide, list);
    for (int32_t k = 0; k < q->groups; ++k) {
        list[k] = list[k] << 8 | 1;
    }
    query.patch = list + q->groups;
    query.patch_count = patches_near(q, box, 0, -1, list + q->groups);
    see(q, -1, i, &query);
}

/* Whether a place is outside of B after all: only faces that look against a point count for it, and
 * behind a thin part of B, or in front of it with the far side of a thin part of A, those are not
 * the nearest. */
static bool is_outside(const pair_query* q, lim_vec3 at, float depth) {
    const surface_shape* s = &q->b->shape;
    lim_vec3 wide = v3(depth, depth, depth);
    surface_box box = {v3_sub(at, wide), v3_add(at, wide)};
    int32_t *list = q->list->patch.data, groups = surface_groups_in(s, box, list), count = 0;
    for (int32_t k = 0; k < groups; ++k) {
        unsigned bits = surface_overlaps(&s->group[list[k]], &box);
        for (int i = 0; bits >> i != 0; ++i) {
            if ((bits >> i & 1u) != 0) {
                list[groups + count++] = 8 * list[k] + i;
            }
        }
    }
    surface_query query = {
        .at = at, .reach = depth, .deep = depth, .patch = list + groups, .patch_count = count};
    surface_sight sight = surface_see(s, &query);
    return sight.point < 0 || !(surface_nearest(s, &query, sight.point).gap < 0.0f);
}

/* The nearest place, for those candidates that a node has chosen. False: there is none. */
static bool look_closely(const pair_query* q, pair_candidate* c) {
    if (!c->exact) {
        surface_query query = query_of(q, v3(0, 0, 0));
        query.at = v3_sub(c->point < 0 ? node_place(q->a, c->node) : point_place(q->a, c->point),
                          q->from_b);
        if (c->point >= 0) {
            query.look = q->a->shape.normal[c->point];
            query.sharp = q->a->shape.net->sharp[c->point] != 0;
        }
        c->hit = surface_nearest(&q->b->shape, &query, c->sees);
        c->gap = c->hit.gap;
        c->exact = true;
        bool wrong = false;
        if (c->hit.triangle >= 0 && q->self != NULL) {
            wrong = is_own_material(q->a, c->point, &c->hit);
        } else if (c->hit.triangle >= 0 && c->gap < -SURE * q->b->cell) {
            wrong = is_outside(q, query.at, -1.01f * c->gap);
        }
        c->hit.triangle = wrong ? -1 : c->hit.triangle;
    }
    return c->hit.triangle >= 0;
}

static void add_contact(const pair_query* q, int32_t other, int32_t node,
                        const pair_candidate* found) {
    pair_list* list = q->list;
    pair_contact made;
    if (!make_contact(q->a, q->b, found, node, other, q->from_b, q->dt, &made)) {
        return;
    }
    list->items_wanted++;
    if (list->items.count < list->items.capacity) {
        list->items.data[list->items.count++] = made;
    }
}

/* Whether a node carries the place on its own body that a candidate has found: sides of a crease
 * share nodes, and a node cannot be held off itself. */
static bool is_own_place(const pair_query* q, int32_t node, const surface_hit* hit) {
    pair_contact c;
    bool own = false;
    if (q->self != NULL) {
        find_carriers(&c, q->b, hit);
        for (int k = 0; k < PAIR_CARRIERS; ++k) {
            own = own || (c.carrier[k] == node && c.weight[k] >= CARRIES);
        }
    }
    return own;
}

/* Of a node's candidates the nearest one, and the nearest of those that meet the surface from
 * another side; null: none. */
static void choose_candidates(const pair_query* q, int32_t node, const pair_candidate* out[2]) {
    const pair_near* near = &q->list->near.data[node];
    const pair_candidate *best = NULL, *second = NULL;
    int looked = 0;
    for (int k = 0; k < PAIR_NEAR && near->found[k] >= 0; ++k) {
        pair_candidate* c = &q->list->points.data[near->found[k]];
        bool other_side = best == NULL || v3_dot(c->normal, best->hit.normal) < MAYBE_APART;
        if ((looked < LOOKED_AT || other_side) && look_closely(q, c) &&
            !is_own_place(q, node, &c->hit)) {
            best = best == NULL || c->gap < best->gap ? c : best;
            looked++;
        }
    }
    for (int k = 0; k < PAIR_NEAR && near->found[k] >= 0 && best != NULL; ++k) {
        const pair_candidate* c = &q->list->points.data[near->found[k]];
        if (c->exact && c->hit.triangle >= 0 && v3_dot(best->hit.normal, c->hit.normal) < APART &&
            (second == NULL || c->gap < second->gap) && !is_own_place(q, node, &c->hit)) {
            second = c;
        }
    }
    out[0] = best;
    out[1] = second;
}

static void add_contacts(const pair_query* q, int32_t other) {
    for (int32_t i = 0; i < q->a->nodes.padded; ++i) {
        const pair_candidate* chosen[2];
        if (q->list->any_tied && q->list->tied.data[i] != 0) {
            continue;
        }
        choose_candidates(q, i, chosen);
        for (int k = 0; k < 2 && chosen[k] != NULL; ++k) {
            add_contact(q, other, i, chosen[k]);
        }
    }
}

static float way_of(const pair_side* a, const pair_side* b, double dt) {
    float closing = v3_length(v3_sub(a->velocity, b->velocity)) + a->spread + b->spread;
    return closing * (float)dt;
}

pair_reach pair_reach_of(const pair_side* a, const pair_side* b, double dt) {
    /* Behind the surface half a cell of the larger kind, and in fast steps up to a whole one, but
     * not through a body, nor of a body's own, whose far side is near. */
    float cell = fmaxf(a->cell, b->cell), way = way_of(a, b, dt);
    float deep = a == b || way < 0.5f * cell ? 0.5f * cell : fminf(way, cell);
    deep = fminf(deep, 0.5f * fminf(a->extent, b->extent));
    return (pair_reach){way + NEAR_CELLS * a->cell, deep, way_along(a, b, 0.0f, dt)};
}

void pair_search(pair_list* list, const pair_side* a, const pair_side* b, int32_t other, double dt,
                 const pair_self* self) {
    pair_query q = {.list = list, .a = a, .b = b, .self = self, .dt = dt};
    q.from_b = v3_of(p3_sub(b->shape.origin, a->shape.origin));
    q.way = v3_scale(v3_sub(a->velocity, b->velocity), (float)dt);
    q.reach = pair_reach_of(a, b, dt);
    list->points.count = 0;
    const surface_net* felt = a->shape.net;
    for (int32_t group = 0; group < felt->group_count; ++group) {
        search_group(&q, group);
    }
    bool fast = way_of(a, b, dt) > FAST * a->cell && self == NULL;
    for (int32_t i = 0; i < a->nodes.padded && fast; ++i) {
        if (a->nodes.mass[i] > 0.0f && !(a->corners && felt->carrier[i])) {
            search_node(&q, i);
        }
    }
    list->points_wanted = q.wanted > list->points_wanted ? q.wanted : list->points_wanted;
    if (q.any) {
        add_contacts(&q, other);
    }
}

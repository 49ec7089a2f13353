/* SPDX-License-Identifier: MIT
 * Job: find where a body may meet another, or itself, in this step. In: two sides. Out: contacts,
 * at most two for each node of A, in order of node.
 */
#include "contact/pair_query.h"

#include <string.h>

/* A node carries the points of which it has at least this weight, and those it has most of. */
#define CARRIES 0.15f
/* Who is no deeper than this, in cells of B, is not asked whether it is inside. */
#define SURE 0.05f
/* Who is no deeper than this, in cells of B, lies on its surface, and on which side rounding puts
 * it says nothing: pieces that were cut apart lie so. Nor is somebody really inside whose nearest
 * way out is much shorter than the one that looks against it, by this share. */
#define ON_IT  0.02f
#define REALLY 0.2f
/* Two contacts of a node with one surface: normals at least some 45 degrees apart. */
#define APART 0.7f
/* So many of a node's candidates are looked at closely for the nearest; of the others those that
 * may be of another side. */
enum { LOOKED_AT = 3 };
#define MAYBE_APART 0.9f
/* How many times as much as the place that it carries a node may have to move. Of nodes of one mass
 * that all give way none has to: w_k / sum w^2 is at most 1 / max w, so at most 4. */
#define LEVER_MOST 4.0f

void pair_list_free(pair_list* list, const lim_host* host) {
    ARRAY_FREE(host, &list->items);
    ARRAY_FREE(host, &list->points);
    ARRAY_FREE(host, &list->near);
    ARRAY_FREE(host, &list->near_count);
    ARRAY_FREE(host, &list->patch);
    ARRAY_FREE(host, &list->beside);
    ARRAY_FREE(host, &list->tied);
}

enum { POINTS_LEAST = 96, ITEMS_LEAST = 24 }; /* room that a list begins with */

/* With some to spare where there is too little: who had too little is searched again. */
static int64_t with_spare(int32_t wanted, int64_t capacity, int32_t least) {
    wanted = wanted > least ? wanted : least;
    return wanted > capacity ? (int64_t)wanted + wanted / 2 : wanted;
}

lim_result pair_reserve(pair_list* list, const lim_host* host, int32_t slots, int32_t patches) {
    /* groups that are near a group, those of them near a patch, and near one point of it */
    bool room =
        ARRAY_RESERVE(host, &list->near, slots) && ARRAY_RESERVE(host, &list->near_count, slots) &&
        ARRAY_RESERVE(host, &list->tied, slots) && ARRAY_RESERVE(host, &list->beside, slots) &&
        ARRAY_RESERVE(host, &list->patch, 3 * ((int64_t)patches / 8 + 1)) &&
        ARRAY_RESERVE(host, &list->points,
                      with_spare(list->points_wanted, list->points.capacity, POINTS_LEAST)) &&
        ARRAY_RESERVE(host, &list->items,
                      with_spare(list->items_wanted, list->items.capacity, ITEMS_LEAST));
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

pair_holders pair_holders_of(const pair_side* b, const surface_hit* hit) {
    const int32_t* corner = b->shape.net->corner + 3 * (size_t)hit->triangle;
    int main = hit->weight[1] > hit->weight[0] ? 1 : 0;
    main = hit->weight[2] > hit->weight[main] ? 2 : main;
    pair_holders h;
    h.component = b->shape.net->points.component[corner[main]];
    h.count = 0;
    for (int k = 0; k < 3; ++k) {
        const binding* from = &b->shape.net->points.bind[corner[k]];
        bool own = b->shape.net->points.component[corner[k]] == h.component;
        for (int j = 0; j < BINDING_NODES && own && from->weight[j] > 0.0f; ++j) {
            float w = hit->weight[k] * from->weight[j];
            if (!(w > 0.0f)) {
                continue;
            }
            int32_t at = h.count; /* without a way out of the loop that has to be guessed */
            for (int32_t i = 0; i < h.count; ++i) {
                at = h.node[i] == from->node[j] ? i : at;
            }
            h.node[at] = from->node[j];
            h.weight[at] = at < h.count ? h.weight[at] + w : w;
            h.count += at == h.count;
        }
    }
    return h;
}

/* Those of them with most weight. */
static pair_carriers find_carriers(const pair_side* b, const surface_hit* hit) {
    pair_holders h = pair_holders_of(b, hit);
    pair_carriers c = {.component = h.component};
    float sum = 0.0f;
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        int32_t most = 0;
        for (int32_t j = 1; j < h.count; ++j) {
            most = h.weight[j] > h.weight[most] ? j : most;
        }
        c.node[k] = h.node[most];
        c.weight[k] = k < h.count ? h.weight[most] : 0.0f;
        h.weight[most] = k < h.count ? -1.0f : h.weight[most];
        sum += c.weight[k];
    }
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        c.weight[k] /= sum;
    }
    return c;
}

static const pair_carriers* carriers_of(const pair_side* b, pair_candidate* c) {
    if (!c->carried) {
        c->by = find_carriers(b, &c->hit);
        c->carried = true;
    }
    return &c->by;
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

/* Keeps a candidate among the nearest of a node: after those that are as near. */
static void keep_near(pair_list* list, int32_t node, int32_t candidate, float gap) {
    pair_near* near = &list->near.data[node];
    int k = list->near_count.data[node];
    if (k < PAIR_NEAR) {
        list->near_count.data[node]++;
    } else if (gap < near->gap[PAIR_NEAR - 1]) {
        k--; /* the last one goes */
    } else {
        return;
    }
    for (; k > 0 && gap < near->gap[k - 1]; --k) {
        near->found[k] = near->found[k - 1];
        near->gap[k] = near->gap[k - 1];
    }
    near->found[k] = candidate;
    near->gap[k] = gap;
}

/* What each node takes of an impulse: node i of A 1 / m_i, carrier k of B w_k / m_k. With the
 * weights that measure the gap the passes lower the energy; with others they may raise it. Of a
 * body with itself node i may be carrier k: it takes (1 - w_k) / m_i, and gives (1 - w_k)^2 / m_i.
 */
static void set_pushes(pair_contact* c, const pair_side* a, const pair_side* b) {
    c->give = pair_inverse_mass(a, c->node);
    c->push_a = c->give * a->inv_square;
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        float share = c->weight[k] * pair_inverse_mass(b, c->carrier[k]);
        c->push_b[k] = share * b->inv_square;
        c->give += c->weight[k] * share;
        c->give -= a == b && c->carrier[k] == c->node ? 2.0f * share : 0.0f;
    }
}

/* Who carries little of a place is a lever where the others and A's node hardly give way, because
 * pins hold them or because they are so heavy: for the place to move by v it has to move by up to
 * v / w_k, and what is left of a turn throws it out of the body. Such a carrier is left out. False:
 * nobody is left who gives way. */
static bool leave_levers_out(pair_contact* c, const pair_side* a, const pair_side* b) {
    for (int round = 0; round < PAIR_CARRIERS; ++round) {
        int lever = -1;
        for (int k = 0; k < PAIR_CARRIERS; ++k) {
            bool is_lever = c->push_b[k] > LEVER_MOST * c->give * b->inv_square;
            lever = is_lever && (lever < 0 || c->weight[k] < c->weight[lever]) ? k : lever;
        }
        if (lever < 0) {
            break;
        }
        float rest = 1.0f - c->weight[lever];
        c->weight[lever] = 0.0f;
        for (int k = 0; k < PAIR_CARRIERS && rest > 0.0f; ++k) {
            c->weight[k] /= rest;
        }
        set_pushes(c, a, b);
    }
    return c->give > 0.0f;
}

/* Which way a contact pushes, in the world and in the frames. */
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
}

/* Whether the place of a contact, or its node, has sides to go by (contact/pair_inverted.c). */
static bool has_sides(const pair_contact* c, const pair_side* a, const pair_side* b) {
    bool sound = !pair_is_inverted(a, c->node);
    for (int k = 0; k < PAIR_CARRIERS && b->inverted != NULL; ++k) {
        sound = sound && !(c->weight[k] > 0.0f && pair_is_inverted(b, c->carrier[k]));
    }
    return sound;
}

/* Whether a contact may come about within dt. */
static bool may_close(const pair_contact* c, const pair_side* a, const pair_side* b, double dt) {
    lim_vec3 v = c->point >= 0 ? binding_velocity(&a->shape.net->points.bind[c->point], &a->nodes)
                               : pair_vector(a->nodes.v, c->node);
    lim_vec3 own = pair_turned(a->frame[a->nodes.slot_component[c->node]].turn, v);
    float closing = -v3_dot(c->axis[0], v3_sub(own, carried_velocity(c, b)));
    return c->gap < pair_way_along(a, b, closing, dt);
}

/* A contact of one node, from what one of its points has found. False: it cannot act. */
static bool make_contact(const pair_side* a, const pair_side* b, pair_candidate* found,
                         int32_t node, int32_t other, lim_vec3 from_b, double dt, pair_contact* c) {
    *c = (pair_contact){.other = other,
                        .node = node,
                        .point = found->point,
                        .triangle = found->hit.triangle,
                        .gap = found->hit.gap,
                        .place = v3_add(found->hit.point, from_b)};
    const pair_carriers* by = carriers_of(b, found);
    c->component_b = by->component;
    memcpy(c->carrier, by->node, sizeof c->carrier);
    memcpy(c->weight, by->weight, sizeof c->weight);
    if (!has_sides(c, a, b)) {
        return false;
    }
    set_axes(c, a, b, found->hit.normal);
    set_pushes(c, a, b);
    if (!leave_levers_out(c, a, b) || !may_close(c, a, b, dt)) {
        return false;
    }
    /* The point and the place turn about their nodes with the bodies. */
    const pair_frame* fa = &a->frame[a->nodes.slot_component[node]];
    const pair_frame* fb = &b->frame[c->component_b];
    lim_vec3 arm_a = v3(0, 0, 0);
    if (c->point >= 0) {
        arm_a = v3_sub(pair_point_place(a, c->point), node_place(a, node));
    }
    lim_vec3 arm_b = v3_sub(v3_sub(c->place, from_b), carried_place(c, b));
    c->rate = v3_dot(c->axis[0], v3_sub(v3_cross(fa->spin, arm_a), v3_cross(fb->spin, arm_b)));
    c->base = 0.0f;
    c->base = pair_gap(c, a, b, 0.0) - c->gap;
    return isfinite(c->base) && isfinite(c->rate);
}

/* ---- a body and itself --------------------------------------------------------------------------
 */

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

/* Where the next candidate goes, or -1. */
static int32_t next_candidate(pair_query* q) {
    pair_list* list = q->list;
    q->wanted++;
    if (list->points.count == list->points.capacity) {
        return -1;
    }
    if (!q->any) {
        memset(list->near_count.data + q->a->begin, 0, (size_t)(q->a->end - q->a->begin));
        q->any = true;
    }
    return list->points.count++;
}

/* ---- first looks --------------------------------------------------------------------------------
 */

/* Up to eight of A's points or nodes that look at B at a time. */
typedef struct pair_looks {
    int32_t count;
    int32_t point[8]; /* -1: a node */
    int32_t node[8];
    surface_query query[8];
} pair_looks;

surface_query pair_asks(const pair_query* q, int32_t point, lim_vec3 at) {
    surface_query query = {
        .at = v3_sub(at, q->from_b), .reach = q->reach.out, .deep = q->reach.deep};
    if (point >= 0) {
        query.look = q->a->shape.normal[point];
        query.sharp = q->a->shape.net->sharp[point] != 0;
    }
    return query;
}

static void add_look(pair_looks* l, const pair_query* q, int32_t point, int32_t node, lim_vec3 at) {
    l->query[l->count] = pair_asks(q, point, at);
    l->point[l->count] = point;
    l->node[l->count++] = node;
}

/* What they see of the patches in a list. All have the same reach. */
static void look_at(const pair_query* q, const pair_looks* l, const int32_t* near, int32_t count,
                    surface_sight sight[8]) {
    const surface_shape* s = &q->b->shape;
    float far = surface_far(s, &l->query[0]);
    felt_eyes eyes = {.reach = l->query[0].reach};
    felt_sights found;
    for (int k = 0; k < 8; ++k) {
        const surface_query* query = &l->query[k < l->count ? k : 0];
        bool any = v3_dot(query->look, query->look) == 0.0f;
        eyes.at[0][k] = query->at.x;
        eyes.at[1][k] = query->at.y;
        eyes.at[2][k] = query->at.z;
        eyes.look[0][k] = query->look.x;
        eyes.look[1][k] = query->look.y;
        eyes.look[2][k] = query->look.z;
        eyes.against[k] = any ? 1.0f : surface_looks_against(query->sharp);
        found.best[k] = v3_finite(query->at) ? far * far : 0.0f;
    }
    q->kernels->nearest(s, &eyes, near, count, &found);
    for (int k = 0; k < l->count; ++k) {
        sight[k] = surface_sight_at(s, &l->query[k], (int32_t)found.point[k], found.best[k]);
    }
}

/* Whether what is seen may be met within dt. Most is so near that it does not matter how fast it
 * comes. */
static bool may_be_met(const pair_query* q, int32_t node, const surface_sight* sight) {
    const pair_side *a = q->a, *b = q->b;
    float rise = SURFACE_RISE * b->shape.stretch * b->shape.net->longest;
    if (sight->gap < q->reach.near + rise) {
        return true;
    }
    int32_t there = b->shape.net->patch_node[b->shape.net->point_patch[sight->point]];
    lim_vec3 v = v3_sub(
        pair_turned(a->frame[a->nodes.slot_component[node]].turn, pair_vector(a->nodes.v, node)),
        pair_turned(b->frame[b->nodes.slot_component[there]].turn, pair_vector(b->nodes.v, there)));
    return sight->gap < pair_way_along(a, b, -v3_dot(v, sight->normal), q->dt) + rise;
}

/* Keeps who has seen something that it may meet. */
static void keep_seen(pair_query* q, int32_t point, int32_t node, surface_sight sight) {
    /* A node that is inside already has surface points that look for the way out. */
    bool counts =
        sight.point >= 0 && may_be_met(q, node, &sight) && (point >= 0 || sight.gap > 0.0f);
    int32_t candidate = counts ? next_candidate(q) : -1;
    if (candidate < 0) {
        return;
    }
    pair_candidate* c = &q->list->points.data[candidate];
    c->point = point;
    c->node = node;
    c->sees = sight.point;
    c->gap = sight.gap;
    c->normal = sight.normal;
    c->exact = c->carried = false; /* what they stand for is not known yet */
    if (point < 0) {
        keep_near(q->list, node, candidate, sight.gap);
        return;
    }
    const binding* by = &q->a->shape.net->points.bind[point];
    for (int k = 0; k < BINDING_NODES && (k == 0 || by->weight[k] >= CARRIES); ++k) {
        keep_near(q->list, by->node[k], candidate, sight.gap);
    }
}

static void look_and_see(pair_query* q, pair_looks* l, const int32_t* near, int32_t count) {
    surface_sight sight[8];
    if (l->count > 0 && count > 0) {
        look_at(q, l, near, count, sight);
        for (int k = 0; k < l->count; ++k) {
            q->see(q, l->point[k], l->node[k], sight[k]);
        }
    }
    l->count = 0;
}

static felt_asker patch_asker(const pair_query* q, int32_t patch) {
    const surface_shape* s = &q->a->shape;
    felt_asker asker = pair_asker_of(q, surface_get_box(&s->feel[patch / 8], patch % 8));
    pair_asker_looks(&asker, &s->tree.looks[patch / 8], patch % 8);
    return asker;
}

/* near: the patches of B that the patch may meet. */
static void search_patch(pair_query* q, int32_t patch, const int32_t* near, int32_t count) {
    const surface_net* net = q->a->shape.net;
    int32_t begin = net->patch_feel[patch], end = net->patch_feel[patch + 1];
    pair_looks looks;
    looks.count = 0;
    if (pair_is_inverted(q->a, net->patch_node[patch])) {
        return;
    }
    for (int32_t i = begin; i < end && count > 0; ++i) {
        int32_t point = net->feel[i];
        add_look(&looks, q, point, net->patch_node[patch], pair_point_place(q->a, point));
        if (looks.count == 8 || i + 1 == end) {
            look_and_see(q, &looks, near, count);
        }
    }
}

/* The list begins with the groups of B that are near; patches that are near follow. */
static void search_group(pair_query* q, int32_t group) {
    const surface_shape *s = &q->a->shape, *b = &q->b->shape;
    felt_asker asker = pair_asker_of(q, s->feel_box[group]);
    unsigned asks = surface_boxes_meet(asker.box, b->tree.box) ? pair_askers(q, group) : 0, near;
    if (asks == 0) {
        return;
    }
    if (s->tree.levels > 1) {
        pair_asker_looks(&asker, &s->tree.looks[s->tree.first[1] + group / 8], group % 8);
    }
    int32_t* list = q->list->patch.data;
    felt_view view = pair_view_of(q);
    int32_t count = q->kernels->groups(&b->tree, &asker, list);
    count = q->kernels->askers(&b->tree, &s->feel[group], &view, list, count, list, &near);
    for (int k = 0; (asks & near) >> k != 0; ++k) {
        if (((asks & near) >> k & 1u) != 0) {
            int32_t patch = 8 * group + k, *found = list + count;
            felt_asker one = patch_asker(q, patch);
            int32_t left = q->kernels->patches(&b->tree, &one, list, count, k, found);
            left = q->self != NULL ? pair_leave_beside(q, patch, found, left) : left;
            search_patch(q, patch, found, left);
        }
    }
}

/* A body and itself, where lists tell who is near whom. */
static void search_kept(pair_query* q, const pair_kept* kept) {
    int32_t* near = q->list->patch.data;
    for (int32_t k = 0; k < kept->asks.count; ++k) {
        int32_t patch = kept->asks.data[k], begin = kept->begin.data[k];
        felt_asker asker = patch_asker(q, patch);
        int32_t count = q->kernels->among(&q->b->shape.tree, &asker, kept->list.data + begin,
                                          kept->begin.data[k + 1] - begin, near);
        search_patch(q, patch, near, count);
    }
}

/* All patches of B that may meet an asker. */
static int32_t patches_in(const pair_query* q, const felt_asker* asker, int32_t* list) {
    const surface_tree* t = &q->b->shape.tree;
    int32_t groups = q->kernels->groups(t, asker, list);
    for (int32_t k = 0; k < groups; ++k) {
        list[k] = (int32_t)((uint32_t)list[k] << 8 | 1u);
    }
    return q->kernels->patches(t, asker, list, groups, 0, list);
}

/* In a fast impact the surface alone is not enough: what is behind it is stopped too, before it
 * comes through. */
static void search_node(pair_query* q, int32_t i) {
    lim_vec3 at = node_place(q->a, i);
    const pair_frame* f = &q->a->frame[q->a->nodes.slot_component[i]];
    lim_vec3 v = v3_sub(pair_turned(f->turn, pair_vector(q->a->nodes.v, i)), q->a->velocity);
    felt_asker asker =
        pair_asker_of(q, surface_box_swept((surface_box){at, at}, v3_scale(v, (float)q->dt)));
    if (!surface_boxes_meet(asker.box, q->b->shape.tree.box)) {
        return;
    }
    int32_t* list = q->list->patch.data;
    pair_looks looks;
    looks.count = 0;
    add_look(&looks, q, -1, i, at);
    look_and_see(q, &looks, list, patches_in(q, &asker, list));
}

bool pair_is_outside(const pair_query* q, lim_vec3 at, float depth) {
    lim_vec3 wide = v3(depth, depth, depth);
    surface_box box = {v3_sub(at, wide), v3_add(at, wide)};
    felt_asker asker = {.box = box, .bare = box, .cone = SURFACE_ANY, .reach = SURFACE_ANY};
    /* behind the lists of a patch that is looked at */
    int32_t* list = q->list->patch.data + 2 * (size_t)q->b->shape.net->group_count;
    pair_looks looks;
    looks.count = 1;
    looks.query[0] = (surface_query){.at = at, .reach = depth, .deep = depth};
    surface_sight sight[8];
    look_at(q, &looks, list, patches_in(q, &asker, list), sight);
    float least = fmaxf(ON_IT * q->b->cell, REALLY * depth);
    return sight[0].point < 0 ||
           !(surface_nearest(&q->b->shape, &looks.query[0], sight[0].point, q->kernels).gap <
             -least);
}

/* The nearest place, for those candidates that a node has chosen. False: there is none. */
static bool look_closely(const pair_query* q, pair_candidate* c) {
    if (!c->exact) {
        surface_query query =
            pair_asks(q, c->point,
                      c->point < 0 ? node_place(q->a, c->node) : pair_point_place(q->a, c->point));
        c->hit = surface_nearest(&q->b->shape, &query, c->sees, q->kernels);
        c->gap = c->hit.gap;
        c->exact = true;
        bool wrong = false;
        if (c->hit.triangle >= 0 && q->self != NULL) {
            wrong = is_own_material(q->a, c->point, &c->hit);
        } else if (c->hit.triangle >= 0 && c->gap < -SURE * q->b->cell) {
            wrong = pair_is_outside(q, query.at, -1.01f * c->gap);
        }
        c->hit.triangle = wrong ? -1 : c->hit.triangle;
    }
    return c->hit.triangle >= 0;
}

static void add_contact(const pair_query* q, int32_t other, int32_t node, pair_candidate* found) {
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
static bool is_own_place(const pair_query* q, int32_t node, pair_candidate* c) {
    const surface_net* net = q->b->shape.net;
    bool own = false;
    for (int k = 0; k < 3 && q->self != NULL; ++k) {
        const binding* by = &net->points.bind[net->corner[3 * (size_t)c->hit.triangle + (size_t)k]];
        for (int j = 0; j < BINDING_NODES; ++j) {
            own = own || by->node[j] == node;
        }
    }
    if (own) {
        const pair_carriers* by = carriers_of(q->b, c);
        own = false;
        for (int k = 0; k < PAIR_CARRIERS; ++k) {
            own = own || (by->node[k] == node && by->weight[k] >= CARRIES);
        }
    }
    return own;
}

/* Of a node's candidates the nearest one, and the nearest of those that meet the surface from
 * another side; null: none. */
static void choose_candidates(const pair_query* q, int32_t node, pair_candidate* out[2]) {
    const pair_near* near = &q->list->near.data[node];
    int count = q->list->near_count.data[node];
    pair_candidate *best = NULL, *second = NULL;
    int looked = 0;
    for (int k = 0; k < count; ++k) {
        pair_candidate* c = &q->list->points.data[near->found[k]];
        bool other_side = best == NULL || v3_dot(c->normal, best->hit.normal) < MAYBE_APART;
        if ((looked < LOOKED_AT || other_side) && look_closely(q, c) && !is_own_place(q, node, c)) {
            best = best == NULL || c->gap < best->gap ? c : best;
            looked++;
        }
    }
    for (int k = 0; k < count && best != NULL; ++k) {
        pair_candidate* c = &q->list->points.data[near->found[k]];
        if (c->exact && c->hit.triangle >= 0 && v3_dot(best->hit.normal, c->hit.normal) < APART &&
            (second == NULL || c->gap < second->gap) && !is_own_place(q, node, c)) {
            second = c;
        }
    }
    out[0] = best;
    out[1] = second;
}

static void add_contacts(const pair_query* q, int32_t other) {
    for (int32_t i = q->a->begin; i < q->a->end; ++i) {
        pair_candidate* chosen[2];
        if (q->list->near_count.data[i] == 0 || (q->list->any_tied && q->list->tied.data[i] != 0)) {
            continue;
        }
        choose_candidates(q, i, chosen);
        for (int k = 0; k < 2 && chosen[k] != NULL; ++k) {
            add_contact(q, other, i, chosen[k]);
        }
    }
}

void pair_look(pair_query* q) {
    for (int32_t group = 0; group < q->a->shape.net->group_count; ++group) {
        search_group(q, group);
    }
}

void pair_search(pair_list* list, const pair_side* a, const pair_side* b, int32_t other, double dt,
                 const pair_self* self, isa set) {
    pair_query q = pair_query_of(list, a, b, dt, self, set);
    q.see = keep_seen;
    list->origin = a->shape.origin;
    list->points.count = 0;
    if (self != NULL) {
        memset(list->beside.data, 0, (size_t)a->nodes.padded * sizeof(int32_t));
    }
    const surface_net* felt = a->shape.net;
    pair_kept* kept = self != NULL ? self->kept : NULL;
    if (kept != NULL && kept->holds) {
        search_kept(&q, kept);
    } else {
        pair_look(&q);
        if (kept != NULL) {
            pair_kept_make(kept, &q);
        }
    }
    bool fast = pair_is_fast(a, b, dt) && self == NULL;
    for (int32_t i = a->begin; i < a->end && fast; ++i) {
        if (a->nodes.mass[i] > 0.0f && !(a->corners && felt->carrier[i]) &&
            !pair_is_inverted(a, i)) {
            search_node(&q, i);
        }
    }
    list->points_wanted = q.wanted > list->points_wanted ? q.wanted : list->points_wanted;
    if (q.any) {
        add_contacts(&q, other);
    }
}

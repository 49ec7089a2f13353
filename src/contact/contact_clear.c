/* SPDX-License-Identifier: MIT
 * Job: take what a hard impact leaves inside colliders out of the positions. In: any bound points,
 * node state, the colliders of a contact list at the end of a step. Out: displacements with which
 * points lie outside, or nearly so.
 *
 * The contacts of a step hold single nodes, and only for the points that were nearest when it
 * began. In a hard impact other points come first, and a point that follows eight nodes by an
 * eighth each hardly moves with one of them. Here every point is looked at, and one that is inside
 * by `depth` moves all of its nodes by their weights, which takes it to the surface at once:
 *     dx_k = w_k depth / (sum of w^2 of nodes that may move) n.
 */
#include "contact/contact.h"

/* In the largest distance of a point from its node: how deep a point must lie to be moved, and how
 * far it is moved at most in one pass, so that what lies deep inside is not torn. */
#define CLEAR_DEPTH 0.01f
#define CLEAR_PUSH  0.25f
/* Passes. While more is left than one push takes out, each must bring the greatest depth down to
 * this share: what is torn or squeezed is not pushed about for ever. */
enum { CLEAR_PASSES = 8 };
#define CLEAR_BETTER 0.98f
/* Of the weights, squared: points that pinned nodes hold are left where they are. */
#define CLEAR_FREE 0.02f

static float free_weight(const binding* at, const node_state* n) {
    float sum = 0.0f;
    for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f; ++k) {
        sum += n->inv_mass[at->node[k]] > 0.0f ? at->weight[k] * at->weight[k] : 0.0f;
    }
    return sum;
}

static void push_point(const binding* at, node_state* n, lim_vec3 way) {
    for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f; ++k) {
        int32_t i = at->node[k];
        if (n->inv_mass[i] > 0.0f) {
            n->d[0][i] += at->weight[k] * way.x;
            n->d[1][i] += at->weight[k] * way.y;
            n->d[2][i] += at->weight[k] * way.z;
        }
    }
}

/* Takes one point out if it is deeper than `least`; returns how deep it was, or 0. */
static float clear_point(const contact_list* list, const bindings* b, node_state* n, int32_t point,
                         const collider* seen, collider_last* last, float least) {
    const binding* at = &b->bind[point];
    lim_point y = p3_of(binding_position(at, bindings_rest(b, point), n));
    if (collider_surely_far(seen, last, y, 0.0)) {
        return 0.0f;
    }
    lim_vec3 normal;
    *last = (collider_last){y, collider_distance(seen, y, &normal)};
    if (!(last->gap < (double)-least)) {
        return 0.0f;
    }
    float depth = -(float)last->gap, most = CLEAR_PUSH * list->reach;
    float weight = free_weight(at, n);
    if (!isfinite(depth) || !v3_finite(normal) || weight < CLEAR_FREE) {
        return 0.0f;
    }
    push_point(at, n, v3_scale(normal, (depth < most ? depth : most) / weight));
    return depth;
}

/* All points against one collider, as they were placed or, where that is near, as they are now.
 * Returns the greatest depth. */
static float clear_collider(const contact_list* list, const bindings* b, node_state* n,
                            double scale, const collider* now, float least) {
    float deepest = 0.0f;
    int32_t seen_by = -1;
    collider seen;
    collider_last last;
    collider_front front;
    for (int32_t i = 0; i < b->count; ++i) {
        if (b->component[i] != seen_by) {
            seen_by = b->component[i];
            last = (collider_last){0};
            const contact_ball* ball = &list->ball.data[seen_by];
            seen = collider_in_frame(now, &n->components[seen_by], scale);
            front = collider_front_at(&seen, ball->centre, p3(0, 0, 0),
                                      p3_length(ball->centre) + ball->radius);
        }
        lim_vec3 place = v3(list->place[0].data[i], list->place[1].data[i], list->place[2].data[i]);
        if (!(collider_front_gap(&front, place) > front.slack)) {
            float depth = clear_point(list, b, n, i, &seen, &last, least);
            deepest = depth > deepest ? depth : deepest;
        }
    }
    return deepest;
}

static float clear_pass(contact_list* list, const bindings* b, node_state* nodes, double scale,
                        const collider* colliders, double time, float least, isa set) {
    float* const place[3] = {list->place[0].data, list->place[1].data, list->place[2].data};
    float deepest = 0.0f;
    skin_prepare(nodes, set, NULL);
    skin_place(b, nodes, set, place);
    for (int32_t k = 0; k < list->items.count;) {
        int32_t which = list->items.data[k].collider;
        collider now = collider_at(&colliders[which], time);
        if (!collider_is_sheet(&now)) {
            float depth = clear_collider(list, b, nodes, scale, &now, least);
            deepest = depth > deepest ? depth : deepest;
        }
        while (k < list->items.count && list->items.data[k].collider == which) {
            k++;
        }
    }
    return deepest;
}

bool contact_clear(contact_list* list, const bindings* b, node_state* nodes, double scale,
                   const collider* colliders, double time, isa set, float* deepest) {
    float before = *deepest;
    for (int pass = 0; pass < CLEAR_PASSES; ++pass) {
        float least = (pass == 0 ? CONTACT_CLEAR_BEGIN : CLEAR_DEPTH) * list->reach;
        float depth = clear_pass(list, b, nodes, scale, colliders, time, least, set);
        if (!(depth > 0.0f)) {
            return pass > 0;
        }
        bool better = depth < CLEAR_BETTER * before || depth < CLEAR_PUSH * list->reach;
        if (pass == 0) {
            *deepest = better ? depth : 0.0f;
        }
        if (!better) {
            return true;
        }
        before = depth;
    }
    return true;
}

/* SPDX-License-Identifier: MIT
 * Job: take what a hard impact leaves deep in another body out of the positions. In: two sides as
 * they are after a step. Out: displacements with which no point of A is deep in B, or nearly so.
 *
 * The contacts of a step hold single nodes off places, for the points that were nearest when it
 * began. In a hard impact the points of a soft body move beside their nodes, others come first, and
 * nodes without a contact are dragged along. Here every point that feels is looked at where it is.
 * One that is deeper than it may be, by `more`, moves all nodes that carry it, and those that carry
 * the nearest place of B the other way, by their weights:
 *     dx_i = w_i x_a n, dx_k = -u_k x_b n, with x_a sum w^2 + x_b sum u^2 = more
 * and x_a sum w_i m_i = x_b sum u_k m_k: the centre of mass stays, and no light node is thrown.
 * Velocities stay as they are: the contacts of the next step see to them.
 */
#include "contact/pair_query.h"

/* In finest cells: who is deeper is moved, to where it is as deep as that; and how far at most in
 * one pass, so that what lies deep inside is not torn. */
#define CLEAR_DEEP 0.13f
#define CLEAR_LEFT 0.1f
#define CLEAR_PUSH 0.25f
/* How far two bodies may come against each other in a step, in finest cells, and nobody is looked
 * at: who rests. Points turn with their nodes too, so that they move farther than those do. */
#define CLEAR_ROUGH 0.03f
/* Who was deeper before the step was put there, or could not be taken out after the last. */
#define CLEAR_PUT 0.2f
/* Of the weights, squared: places that pinned nodes hold are left where they are. */
#define CLEAR_FREE 0.02f

static float finest(const pair_side* a, const pair_side* b) {
    return fminf(a->cell, b->cell);
}

bool pair_is_rough(const pair_side* a, const pair_side* b, double dt) {
    float closing = v3_length(v3_sub(a->velocity, b->velocity)) + a->stir + b->stir;
    return closing * (float)dt > CLEAR_ROUGH * finest(a, b);
}

bool pair_was_put(const pair_contact* begin, const pair_contact* end, const pair_side* a,
                  const pair_side* b) {
    bool put = false;
    for (const pair_contact* c = begin; c < end && !put; ++c) {
        put = c->gap < -CLEAR_PUT * finest(a, b);
    }
    return put;
}

/* The nodes that carry a place, and what they take of a push. */
typedef struct carried_place {
    const pair_side* side;
    int32_t component, count;
    const int32_t* node;
    const float* weight;
    float square; /* sum of w^2 of nodes that give way; 0: it does not */
    float mass;   /* sum of w m of those, kg */
} carried_place;

static carried_place place_of(const pair_side* s, int32_t piece, const int32_t* node,
                              const float* weight, int32_t most) {
    carried_place p = {.side = s, .component = piece, .node = node, .weight = weight};
    for (; p.count < most && weight[p.count] > 0.0f; ++p.count) {
        int32_t i = node[p.count];
        if (pair_inverse_mass(s, i) > 0.0f) {
            p.square += weight[p.count] * weight[p.count];
            p.mass += weight[p.count] * s->nodes.mass[i] * s->unit_mass;
        }
    }
    p.square = p.square < CLEAR_FREE ? 0.0f : p.square;
    return p;
}

static void push_place(const carried_place* p, lim_vec3 way) {
    lim_vec3 own = pair_turned_back(p->side->frame[p->component].turn, way);
    for (int32_t k = 0; k < p->count && p->square > 0.0f; ++k) {
        if (pair_inverse_mass(p->side, p->node[k]) > 0.0f) {
            pair_add(p->side->nodes.d, p->node[k], own, p->weight[k] * p->side->inv_square);
        }
    }
}

/* Where a point is now, with all that has been pushed since points were placed. */
static lim_vec3 place_now(const pair_side* s, int32_t point) {
    const bindings* b = &s->shape.net->points;
    const pair_frame* f = &s->frame[b->component[point]];
    lim_vec3 x = binding_position(&b->bind[point], bindings_rest(b, point), &s->nodes);
    return v3_add(f->shift, pair_turned(f->turn, x));
}

static float gap_now(const pair_query* q, int32_t point, const surface_hit* hit) {
    const int32_t* corner = q->b->shape.net->corner + 3 * (size_t)hit->triangle;
    lim_vec3 apart = v3_sub(place_now(q->a, point), q->from_b);
    for (int k = 0; k < 3; ++k) {
        apart = v3_mad(apart, place_now(q->b, corner[k]), -hit->weight[k]);
    }
    return v3_dot(apart, hit->normal);
}

static bool push_apart(const pair_query* q, int32_t point, const surface_hit* hit, float more) {
    const bindings* from = &q->a->shape.net->points;
    const binding* at = &from->bind[point];
    pair_holders held = pair_holders_of(q->b, hit);
    for (int32_t k = 0; k < held.count && q->b->inverted != NULL; ++k) {
        if (pair_is_inverted(q->b, held.node[k])) {
            return false; /* what is inside is not known there */
        }
    }
    carried_place a = place_of(q->a, from->component[point], at->node, at->weight, BINDING_NODES);
    carried_place b = place_of(q->b, held.component, held.node, held.weight, held.count);
    float share_a = b.square > 0.0f ? b.mass : 1.0f, share_b = a.square > 0.0f ? a.mass : 1.0f;
    float sum = share_a * a.square + share_b * b.square;
    float x = more / sum;
    if (!(sum > 0.0f) || !isfinite(x * (share_a + share_b))) {
        return false;
    }
    push_place(&a, v3_scale(hit->normal, x * share_a));
    push_place(&b, v3_scale(hit->normal, -x * share_b));
    return true;
}

/* Takes a point out that is deep, at once: who is looked at next sees what that has moved. */
static void clear_seen(pair_query* q, int32_t point, int32_t node, surface_sight sight) {
    (void)node;
    if (sight.point < 0) {
        return;
    }
    float cell = finest(q->a, q->b);
    surface_query query = pair_asks(q, point, pair_point_place(q->a, point));
    surface_hit hit = surface_nearest(&q->b->shape, &query, sight.point, q->kernels);
    if (hit.triangle < 0 || !(hit.gap < -CLEAR_DEEP * cell) ||
        pair_is_outside(q, query.at, -1.01f * hit.gap)) {
        return;
    }
    float more = -gap_now(q, point, &hit) - CLEAR_LEFT * cell;
    if (more > (CLEAR_DEEP - CLEAR_LEFT) * cell) {
        q->any = push_apart(q, point, &hit, fminf(more, CLEAR_PUSH * cell)) || q->any;
    }
}

/* Who is deep in B lies that much below all planes over it; half as much for what looks askew. */
static pair_query clear_query(pair_list* list, const pair_side* a, const pair_side* b, isa set) {
    pair_query q = pair_query_of(list, a, b, 0.0, NULL, set);
    q.reach.near = -0.5f * CLEAR_DEEP * finest(a, b);
    q.reach.deep = fminf(fmaxf(a->cell, b->cell), 0.5f * fminf(a->extent, b->extent));
    q.see = clear_seen;
    return q;
}

bool pair_clear_is_apart(const pair_side* a, const pair_side* b, isa set) {
    pair_query q = clear_query(NULL, a, b, set);
    return pair_are_apart(&q);
}

bool pair_clear_ask(const pair_side* a, const pair_side* b, isa set, surface_box* out) {
    pair_query q = clear_query(NULL, a, b, set);
    return pair_ask_other(&q, out);
}

bool pair_clear(pair_list* list, const pair_side* a, const pair_side* b, isa set) {
    pair_query q = clear_query(list, a, b, set);
    pair_look(&q);
    return q.any;
}

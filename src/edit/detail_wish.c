/* SPDX-License-Identifier: MIT
 * Job: wishes for levels. In: where nodes are, how large their cells are, and what is asked. Out:
 * a range of levels and a weight per node, then per fragment.
 *
 * A rule allows cells of edge a. A node is split while its cell is larger than a, and joined when
 * the joined cell is not larger than a / h: between the two, a may change by the factor h. As
 * levels: the coarsest whose cells suit a, and the coarsest whose cells suit a / h. Weights do not
 * look at how large cells are now: else the order of who is served would turn with each split.
 */
#include "edit/detail_wish.h"

#include "math/vec3.h"

#include <float.h>
#include <math.h>

static double coarsest_edge(const detail_nodes* nodes) {
    double edge = nodes->cell;
    for (int32_t l = nodes->coarsest; l < nodes->finest; ++l) {
        edge *= 2.0;
    }
    return edge;
}

/* The coarsest level whose cells are no larger, or the finest. */
static int32_t level_for(const detail_nodes* nodes, double coarsest, double allowed) {
    int32_t level = nodes->coarsest;
    for (double edge = coarsest; edge > allowed && level < nodes->finest; ++level) {
        edge *= 0.5;
    }
    return level;
}

/* Level of a node, by its cell. */
static int32_t level_of(const detail_nodes* nodes, double coarsest, float side) {
    return level_for(nodes, coarsest, 1.25 * (double)side);
}

static void add(level_wish* wish, int32_t coarsest, int32_t finest, double weight) {
    float w = (float)weight;
    wish->coarsest = coarsest > wish->coarsest ? (int8_t)coarsest : wish->coarsest;
    wish->finest = finest > wish->finest ? (int8_t)finest : wish->finest;
    wish->weight = w > wish->weight ? w : wish->weight;
}

static int32_t clamp(int32_t x, int32_t low, int32_t high) {
    return x < low ? low : x > high ? high : x;
}

static bool check_nodes(const detail_nodes* nodes) {
    return nodes->coarsest >= 0 && nodes->coarsest <= nodes->finest &&
           nodes->finest <= OCTANT_LEVELS && nodes->cell > 0.0 && isfinite(nodes->cell);
}

void detail_none(const detail_nodes* nodes, level_wish* wish) {
    for (int32_t i = 0; i < nodes->count; ++i) {
        wish[i] = (level_wish){(int8_t)nodes->coarsest, (int8_t)nodes->coarsest, 0.0f};
    }
}

void detail_keep(const detail_nodes* nodes, level_wish* wish) {
    double edge = coarsest_edge(nodes);
    for (int32_t i = 0; i < nodes->count; ++i) {
        int32_t now = level_of(nodes, edge, nodes->side[i]);
        wish[i] = (level_wish){(int8_t)(nodes->side[i] > 0.0f ? now : nodes->coarsest),
                               (int8_t)nodes->finest, 0.0f};
    }
}

static double beyond(double x, double low, double high) {
    return x < low ? low - x : x > high ? x - high : 0.0;
}

static double distance_to(const detail_request* r, lim_point p) {
    if (r->radius > 0.0) {
        double d = p3_length(p3_sub(p, r->centre)) - r->radius;
        return d > 0.0 ? d : 0.0;
    }
    return p3_length(p3(beyond(p.x, r->box.lower.x, r->box.upper.x),
                        beyond(p.y, r->box.lower.y, r->box.upper.y),
                        beyond(p.z, r->box.lower.z, r->box.upper.z)));
}

/* The level that is asked for. */
static lim_result read_request(const detail_nodes* nodes, const detail_request* request,
                               int32_t* out_level) {
    bool sphere = request->radius > 0.0;
    lim_point low = sphere ? request->centre : request->box.lower;
    lim_point high = sphere ? request->centre : request->box.upper;
    if (!check_nodes(nodes) || !p3_finite(low) || !p3_finite(high) || low.x > high.x ||
        low.y > high.y || low.z > high.z || !(request->radius >= 0.0) ||
        !isfinite(request->radius) || !(request->size >= 0.0)) {
        return LIM_ERROR_ARGUMENT;
    }
    *out_level = clamp(request->level, nodes->coarsest, nodes->finest);
    if (request->size > 0.0) {
        *out_level = level_for(nodes, coarsest_edge(nodes), request->size);
    }
    return LIM_OK;
}

lim_result detail_by_request(const detail_nodes* nodes, const detail_request* request,
                             level_wish* wish) {
    int32_t level;
    LIM_TRY(read_request(nodes, request, &level));
    for (int32_t i = 0; i < nodes->count; ++i) {
        /* Half a cell about its middle, near enough. Children of a cell that is asked lie within
         * two of their own edges: they stay, whether or not one of them is asked. */
        double side = (double)nodes->side[i], away = distance_to(request, nodes->position[i]);
        if (side > 0.0 && p3_finite(nodes->position[i]) && away <= 2.0 * side) {
            bool asked = away <= 0.5 * side;
            add(&wish[i], asked ? level : nodes->coarsest, level,
                asked ? (double)DETAIL_REQUEST_WEIGHT : 0.0);
        }
    }
    return LIM_OK;
}

lim_result detail_release(const detail_nodes* nodes, const detail_request* request,
                          level_wish* wish) {
    int32_t level;
    LIM_TRY(read_request(nodes, request, &level));
    for (int32_t i = 0; i < nodes->count; ++i) {
        if (nodes->side[i] > 0.0f && p3_finite(nodes->position[i]) &&
            distance_to(request, nodes->position[i]) <= 0.0) {
            wish[i] = (level_wish){(int8_t)nodes->coarsest, (int8_t)level, 0.0f};
        }
    }
    return LIM_OK;
}

lim_result detail_by_camera(const detail_nodes* nodes, const detail_camera* camera,
                            level_wish* wish) {
    const detail_camera c = *camera;
    if (!check_nodes(nodes) || !p3_finite(c.eye) || !(c.angle > 0.0) || !isfinite(c.angle) ||
        !(c.least >= 0.0) || !(c.range >= 0.0) || !(c.hysteresis >= 1.0 && c.hysteresis <= 4.0)) {
        return LIM_ERROR_ARGUMENT;
    }
    double edge = coarsest_edge(nodes);
    for (int32_t i = 0; i < nodes->count; ++i) {
        double away = p3_length(p3_sub(nodes->position[i], c.eye));
        bool outside = c.range > 0.0 && away > c.range;
        if (!(nodes->side[i] > 0.0f) || !isfinite(away) ||
            (outside && away > c.range * c.hysteresis)) {
            continue;
        }
        double allowed = c.angle * away > c.least ? c.angle * away : c.least;
        double weight = edge < (double)DETAIL_MOST_WEIGHT * allowed ? edge / allowed
                                                                    : (double)DETAIL_MOST_WEIGHT;
        add(&wish[i], outside ? nodes->coarsest : level_for(nodes, edge, allowed),
            level_for(nodes, edge, allowed / c.hysteresis), outside ? 0.0 : weight);
    }
    return LIM_OK;
}

lim_result detail_by_strain(const detail_nodes* nodes, const float* strain,
                            const detail_strain* limits, level_wish* wish) {
    bool fine = check_nodes(nodes) && limits->coarse >= 0.0f && limits->fine > limits->coarse &&
                limits->fine <= FLT_MAX;
    for (int32_t i = 0; fine && i < nodes->count; ++i) {
        fine = !(nodes->side[i] > 0.0f) || (strain[i] >= 0.0f && strain[i] <= FLT_MAX);
    }
    if (!fine) {
        return LIM_ERROR_ARGUMENT;
    }
    double edge = coarsest_edge(nodes);
    int32_t cap = clamp(limits->finest, nodes->coarsest, nodes->finest);
    for (int32_t i = 0; i < nodes->count; ++i) {
        if (nodes->side[i] > 0.0f) {
            int32_t now = level_of(nodes, edge, nodes->side[i]);
            int32_t to = now + (strain[i] > limits->fine) - (strain[i] < limits->coarse);
            to = clamp(to, nodes->coarsest, cap > now ? cap : now);
            double excess = (double)strain[i] / (double)limits->fine;
            add(&wish[i], to < cap ? to : cap, to,
                excess < (double)DETAIL_MOST_WEIGHT ? excess : (double)DETAIL_MOST_WEIGHT);
        }
    }
    return LIM_OK;
}

/* The sources nearest to nodes, spread along links from node to node. */
typedef struct touch_spread {
    const detail_nodes* nodes;
    const detail_touch* touch;
    int32_t* source; /* per slot, -1: none within reach */
    double* away;    /* from it */
    int32_t* queue;  /* a ring with room for every slot */
    bool* queued;
    int32_t first, count;
} touch_spread;

/* Children of a node that is asked for lie within two of their own edges: they stay. */
static double stay_reach(const touch_spread* s, int32_t i) {
    return s->touch->reach + 2.0 * (double)s->nodes->side[i];
}

static void reached(touch_spread* s, int32_t i, int32_t source, double away) {
    s->source[i] = source;
    s->away[i] = away;
    if (!s->queued[i]) {
        s->queued[i] = true;
        s->queue[(s->first + s->count++) % s->nodes->count] = i;
    }
}

/* A node takes over the source of a neighbour when it is nearer than its own. */
static void spread_touches(touch_spread* s, double within) {
    const graph* links = &s->touch->links;
    const lim_point* at = s->nodes->position;
    for (int32_t i = 0; i < s->nodes->count; ++i) {
        s->source[i] = -1;
        s->away[i] = HUGE_VAL;
        bool here = s->nodes->side[i] > 0.0f && p3_finite(at[i]);
        if (here && (double)s->touch->since[i] <= within) {
            reached(s, i, i, 0.0);
        }
    }
    while (s->count > 0) {
        int32_t i = s->queue[s->first];
        s->first = (s->first + 1) % s->nodes->count;
        s->count--;
        s->queued[i] = false;
        for (int32_t e = links->offset[i]; e < links->offset[i + 1]; ++e) {
            int32_t to = links->node[e];
            double away = p3_length(p3_sub(at[to], at[s->source[i]]));
            if (away < s->away[to] && away <= stay_reach(s, to)) {
                reached(s, to, s->source[i], away);
            }
        }
    }
}

static lim_result spread_make(arena* scratch, const detail_nodes* nodes, const detail_touch* touch,
                              touch_spread* out) {
    *out = (touch_spread){.nodes = nodes,
                          .touch = touch,
                          .source = ARENA_ROOM(scratch, int32_t, nodes->count),
                          .away = ARENA_ROOM(scratch, double, nodes->count),
                          .queue = ARENA_ROOM(scratch, int32_t, nodes->count),
                          .queued = ARENA_ARRAY(scratch, bool, nodes->count)};
    LIM_TRY_MEMORY(out->source);
    LIM_TRY_MEMORY(out->away);
    LIM_TRY_MEMORY(out->queue);
    LIM_TRY_MEMORY(out->queued);
    return LIM_OK;
}

lim_result detail_by_touch(arena* scratch, const detail_nodes* nodes, const detail_touch* touch,
                           level_wish* wish) {
    if (!check_nodes(nodes) || !(touch->reach >= 0.0) || !isfinite(touch->reach) ||
        !(touch->keep >= 0.0)) {
        return LIM_ERROR_ARGUMENT;
    }
    touch_spread s;
    LIM_TRY(spread_make(scratch, nodes, touch, &s));
    double edge = coarsest_edge(nodes);
    int32_t cap = clamp(touch->finest, nodes->coarsest, nodes->finest);
    for (int pass = 0; pass < (touch->still ? 1 : 2); ++pass) {
        bool now = pass == 1;
        spread_touches(&s, now ? 0.0 : touch->keep);
        for (int32_t i = 0; i < nodes->count; ++i) {
            if (s.source[i] < 0) {
                continue;
            }
            int32_t own = level_of(nodes, edge, nodes->side[i]);
            int32_t to = own + now < cap ? own + now : cap;
            bool asked = s.away[i] <= touch->reach + 0.5 * (double)nodes->side[i];
            add(&wish[i], asked ? to : nodes->coarsest, to,
                asked ? (double)DETAIL_TOUCH_WEIGHT : 0.0);
        }
    }
    return LIM_OK;
}

void detail_spread(const level_wish* wish, int32_t fragment_count, const int32_t* fragment_slot,
                   const int8_t* least, level_wish* out) {
    for (int32_t f = 0; f < fragment_count; ++f) {
        out[f] = wish[fragment_slot[f]];
        if (least != NULL) {
            add(&out[f], least[f], least[f], 0.0);
        }
    }
}

/* SPDX-License-Identifier: MIT
 * Job: the edge of the finest cells for a wished number of nodes. In: a sampler. Out: its best try.
 * The number falls steadily with the edge, but for small steps where layers of cells come and go,
 * so the search closes in from both sides and keeps the best try. With cells of several sizes a try
 * includes choosing the nodes, the number jumps, and it may stay below the wish however fine cells
 * are: tries of more than FINEST_PER_NODE finest cells per wished node are not made.
 */
#include "sample/sampler.h"

enum { TRIES_MOST = 12, FINEST_PER_NODE = 64, FINEST_SEARCHED = 300000 };
/* A try this near to the wish ends the search; the first few should be better. With cells of
 * several sizes tries are dear, and the number jumps. */
static const double NEAR_FIRST[2] = {0.05, 0.1}, NEAR_ENOUGH[2] = {0.1, 0.2};
static const int TRIES_FIRST[2] = {3, 2};
/* A try of more than this share of the most finest cells becomes one of the most: mostly fewer
 * nodes come of a try than were expected. */
#define LIMIT_SHARE 0.6
/* The search ends when an edge with too many finest cells is this near to one with few enough. */
#define NEAR_LIMIT 1.15

/* About how many nodes cells of an edge will give: the volume, and half a cell more around it, but
 * not more than there are cells in the bounds. */
double edge_guess_nodes(const sampler* s, double side) {
    double volume = 0.0, area = 0.0;
    for (int32_t p = 0; p < s->mesh->report.parts; ++p) {
        volume += fabs(s->mesh->part_volume[p]);
        area += s->mesh->part_area[p];
    }
    volume = s->desc->solid ? volume : 0.0;
    double skin = s->desc->solid && s->closed ? s->skin_solid : s->skin_open;
    double nodes = volume / (side * side * side) + skin * area / (side * side) + 1.0;
    lim_point size = p3_sub(s->mesh->report.bounds.upper, s->mesh->report.bounds.lower);
    double scale = s->mesh->size * side, more = s->row_more;
    double most = (size.x / scale + more) * (size.y / scale + more) * (size.z / scale + more);
    return nodes < most ? nodes : most;
}

/* The edge at which the guess is `wanted`, by halving. */
static double guess_side(const sampler* s, double wanted) {
    double low = VOXELS_SIDE_LEAST, high = 1.0;
    for (int i = 0; i < 60; ++i) {
        double middle = sqrt(low * high);
        if (edge_guess_nodes(s, middle) > wanted) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

typedef struct search {
    double small, large;             /* edges that gave too many and too few nodes; 0: none yet */
    double small_nodes, large_nodes; /* how many */
    bool limited;                    /* `small` was given up for its finest cells */
    double finest, finest_nodes; /* finest cells of the last try with too few nodes, and those */
} search;

static int32_t search_limit(const sampler* s) {
    const lim_model_desc* desc = s->desc;
    if (desc->node_count > NODES_MOST / 2) {
        return 3 * NODES_MOST;
    }
    int32_t least = 6 * desc->node_count + 1000;
    if (s->coarsen == 0 || least > FINEST_SEARCHED) {
        return least;
    }
    int64_t most = (int64_t)FINEST_PER_NODE * desc->node_count + 1000;
    return most < FINEST_SEARCHED ? (int32_t)most : FINEST_SEARCHED;
}

/* How many times as many finest cells give so many times as many nodes. Where no cells are joined
 * they go together; where most are, nodes are about as the root of finest cells: thick material
 * needs no more of them. */
static double growth(double nodes, double finest, double times) {
    double share = nodes < finest ? nodes / finest : 1.0;
    return times * (share + (1.0 - share) * times);
}

/* Next edge to try after `side` gave `nodes` in so many finest cells. One-sided: trust the guess,
 * corrected by its last error, but step by at least 2 % and stay below the limit. Between two
 * sides: straight in 1 / edge^2, kept off the ends. */
static double next_side(const sampler* s, const search* range, double side, double nodes,
                        double finest) {
    double wanted = s->desc->node_count;
    double next;
    if (range->small > 0.0 && range->large > 0.0) {
        double a = 1.0 / (range->small * range->small), b = 1.0 / (range->large * range->large);
        double share = (wanted - range->large_nodes) / (range->small_nodes - range->large_nodes);
        share = share < 0.1 ? 0.1 : share > 0.9 ? 0.9 : share;
        next = 1.0 / sqrt(b + (a - b) * share);
    } else {
        double times = wanted / nodes, most = 0.9 * search_limit(s);
        if (s->coarsen > 0 && finest > 0.0) {
            times = growth(nodes, finest, times);
            times = times * finest > LIMIT_SHARE * most ? most / finest : times;
        }
        next = guess_side(s, edge_guess_nodes(s, side) * times);
        if (nodes > wanted) {
            next = next > 1.02 * side ? next : 1.02 * side;
        } else {
            next = next < 0.98 * side ? next : 0.98 * side;
        }
    }
    next = next < VOXELS_SIDE_LEAST ? VOXELS_SIDE_LEAST : next;
    return (double)(float)(next < 1.0 ? next : 1.0);
}

static double miss(double nodes, double wanted) {
    return nodes > wanted ? nodes / wanted - 1.0 : wanted / nodes - 1.0;
}

/* Keeps a try when it is the best so far. */
static void keep_better(sampler* s, attempt* now) {
    double wanted = s->desc->node_count;
    if (!s->best.made || miss(now->nodes, wanted) < miss(s->best.nodes, wanted)) {
        attempt_release(&s->best);
        s->best = *now;
    } else {
        attempt_release(now);
    }
}

/* Notes what a try came to; false when finer cells would not help: ten times as many (an octree
 * level and more) gave less than a tenth more nodes, or there is no room for many more. */
static bool note_try(const sampler* s, search* range, double side, double nodes, double finest,
                     bool limited) {
    if (nodes > s->desc->node_count) {
        range->small = side;
        range->small_nodes = nodes;
        range->limited = limited;
        return true;
    }
    range->large = side;
    range->large_nodes = nodes;
    if (nodes >= 1.1 * range->finest_nodes) {
        range->finest = finest;
        range->finest_nodes = nodes;
    }
    return s->coarsen == 0 || (finest < 10.0 * range->finest && finest < 0.7 * search_limit(s));
}

/* True when trying on would lead nowhere: at the end of what there is, on a step of the number, or
 * at the most finest cells. */
static bool search_ends(const sampler* s, const search* range, double side, double next) {
    bool closed = range->small > 0.0 && range->large > 0.0;
    double near = range->limited ? NEAR_LIMIT : s->coarsen > 0 ? 1.02 : 1.002;
    return next == side || (closed && range->large / range->small < near);
}

lim_result edge_search(sampler* s) {
    double wanted = s->desc->node_count;
    int32_t limit = search_limit(s);
    search range = {0};
    int several = s->coarsen > 0; /* then there are several finest cells to a node: a first guess */
    double side = (double)(float)guess_side(s, several ? 4.0 * wanted : wanted);
    for (int i = 0; i < TRIES_MOST; ++i) {
        if (!sampler_go_on(s, 0.03f * (float)i, "cells")) {
            return LIM_ERROR_CANCELLED;
        }
        attempt now = {0};
        lim_result result = attempt_make(s, side, limit, &now);
        bool usable = result == LIM_OK && now.f.count <= NODES_MOST;
        if (usable) {
            result = s->count(s, &now);
            usable = result == LIM_OK;
        }
        double nodes = result == LIM_OK ? now.nodes : limit, finest = now.f.count;
        if (usable) {
            keep_better(s, &now);
        } else {
            attempt_release(&now);
        }
        if (result != LIM_OK && result != LIM_ERROR_TOO_LARGE) {
            return result;
        }
        double near = i < TRIES_FIRST[several] ? NEAR_FIRST[several] : NEAR_ENOUGH[several];
        if (s->best.made && miss(s->best.nodes, wanted) < near) {
            return LIM_OK;
        }
        bool limited = result != LIM_OK && s->coarsen > 0;
        bool settled = !note_try(s, &range, side, nodes, finest, limited);
        double next = next_side(s, &range, side, nodes, finest);
        if (settled || search_ends(s, &range, side, next)) {
            break;
        }
        side = next;
    }
    return s->best.made ? LIM_OK : LIM_ERROR_TOO_LARGE;
}

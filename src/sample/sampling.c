/* SPDX-License-Identifier: MIT
 * Job: a sampling. In: a mesh and wishes (finest cell edge, or number of nodes; rules for the size
 * of cells). Out: nodes and their graph. When the number of nodes is given, the finest edge is
 * searched for: the number falls steadily with the edge, but for small steps where layers of cells
 * come and go, so the search closes in from both sides and keeps the best try. With cells of
 * several sizes a try includes choosing the nodes, and the number may stay below the wish however
 * fine the cells are: tries of more than FINEST_PER_NODE finest cells per wished node are not made.
 */
#include "sample/sampling.h"

#include "base/log.h"
#include "sample/nodes.h"

enum { NODES_MOST = 4000000, COARSEN_MOST = 10 };
enum { TRIES_MOST = 12, FINEST_PER_NODE = 64, FINEST_SEARCHED = 300000 };
/* A try this near to the wish ends the search; the first few tries should be better. */
#define NEAR_ENOUGH 0.1
#define NEAR_FIRST  0.05
enum { TRIES_FIRST = 3 };
/* The search ends when an edge with too many finest cells is this near to one with few enough. */
#define NEAR_LIMIT 1.15

/* One try: what a cell edge leads to. */
typedef struct attempt {
    voxels v;
    arena mem; /* of the fragments */
    fragments f;
    int32_t nodes; /* that come of it */
    bool made;
} attempt;

typedef struct sampler {
    const lim_mesh* mesh;
    const lim_model_desc* desc;
    lim_host host;
    arena tools; /* of the trees */
    winding* number;
    bvh* tree;
    bool closed;
    int block; /* for voxels_inside_winding */
    attempt best;
} sampler;

static bool go_on(const sampler* s, float done, const char* stage) {
    return s->desc->progress == NULL || s->desc->progress(s->desc->progress_user, done, stage);
}

static void attempt_release(attempt* a) {
    if (a->made) {
        voxels_release(&a->v);
        arena_release(&a->mem);
        a->made = false;
    }
}

static lim_result attempt_make(const sampler* s, double side, int32_t cell_limit, attempt* a) {
    voxels_init(&a->v, s->mesh, side, s->desc->coarsen, cell_limit, &s->host);
    arena_init(&a->mem, &s->host);
    a->made = true;
    LIM_TRY(voxels_surface(&a->v));
    if (s->desc->solid) {
        LIM_TRY(s->closed ? voxels_inside_rows(&a->v)
                          : voxels_inside_winding(&a->v, s->number, s->block));
    }
    LIM_TRY(voxels_finish(&a->v));
    LIM_TRY(voxels_thin(&a->v, !s->desc->solid));
    LIM_TRY(fragments_build(&a->mem, &a->v, s->tree, !s->desc->solid, &a->f));
    a->nodes = a->f.count;
    return LIM_OK;
}

/* Without rules to follow, all fragments are nodes. */
static lim_result choose_all(arena* a, const pieces* tree, adaptation* out) {
    *out = (adaptation){.count = tree->level[tree->finest].count};
    out->level = ARENA_ARRAY(a, int32_t, out->count);
    out->piece = ARENA_ARRAY(a, int32_t, out->count);
    LIM_TRY_MEMORY(out->level);
    LIM_TRY_MEMORY(out->piece);
    for (int32_t i = 0; i < out->count; ++i) {
        out->level[i] = tree->finest;
        out->piece[i] = i;
    }
    return LIM_OK;
}

/* The graph, the hierarchy and the nodes of a try, in `a`. */
static lim_result refine(const sampler* s, const attempt* from, arena* a, visibility* see,
                         pieces* tree, adaptation* chosen) {
    LIM_TRY(visibility_build(a, &from->v, &from->f, s->desc->glue_parts, see));
    LIM_TRY(pieces_build(a, &from->v, &from->f, see->edge_offset, see->edge_node, tree));
    int32_t coarsest = tree->finest > s->desc->coarsen ? tree->finest - s->desc->coarsen : 0;
    if (coarsest == tree->finest) {
        return choose_all(a, tree, chosen);
    }
    arena scratch;
    arena_init(&scratch, &s->host);
    wishes w;
    lim_result result =
        wishes_build(&scratch, s->desc, &from->v, &from->f, see, tree, coarsest, &w);
    if (result == LIM_OK) {
        result = adapt_choose(a, &w, coarsest, s->desc->node_budget, chosen);
    }
    arena_release(&scratch);
    return result;
}

/* How many nodes a try comes to. */
static lim_result count_nodes(const sampler* s, attempt* now) {
    if (s->desc->coarsen == 0) {
        return LIM_OK; /* as many as fragments */
    }
    arena mem;
    arena_init(&mem, &s->host);
    visibility see;
    pieces tree;
    adaptation chosen;
    lim_result result = refine(s, now, &mem, &see, &tree, &chosen);
    now->nodes = result == LIM_OK ? chosen.count : now->nodes;
    arena_release(&mem);
    return result;
}

/* Where winding numbers look at hundreds of triangles each (soups of large triangles), sub-voxels
 * share them. Probes are corners spread over the triangles. */
static int choose_block(const lim_mesh* mesh, const winding* number) {
    int64_t cost = 0, probes = 64;
    for (int64_t i = 0; i < probes; ++i) {
        int64_t t = i * mesh->triangle_count / probes;
        cost += winding_cost(number, mesh->point[mesh->triangle_point[3 * t]]);
    }
    return cost > 500 * probes ? 4 : cost > 150 * probes ? 2 : 1;
}

/* Trees that the tries share: winding numbers for meshes with open parts, nearest triangles where
 * there are parts to tell apart. */
static lim_result make_tools(sampler* s) {
    const lim_mesh* mesh = s->mesh;
    s->closed = true;
    for (int32_t p = 0; p < mesh->report.parts; ++p) {
        s->closed = s->closed && mesh->part_closed[p];
    }
    if (!s->closed && s->desc->solid) {
        LIM_TRY(winding_build(&s->tools, mesh, &s->number));
        s->block = choose_block(mesh, s->number);
    }
    if (mesh->report.parts > 1) {
        LIM_TRY(bvh_build(&s->tools, mesh->point, mesh->triangle_point, mesh->triangle_count,
                          &s->tree));
    }
    return LIM_OK;
}

/* About how many nodes cells of an edge will give: the volume, and half a cell more around it, but
 * not more than there are cells in the bounds. */
static double guess_nodes(const sampler* s, double side) {
    double volume = 0.0, area = 0.0;
    for (int32_t p = 0; p < s->mesh->report.parts; ++p) {
        volume += fabs(s->mesh->part_volume[p]);
        area += s->mesh->part_area[p];
    }
    volume = s->desc->solid ? volume : 0.0;
    double skin = s->desc->solid && s->closed ? 0.7 : 1.5;
    double nodes = volume / (side * side * side) + skin * area / (side * side) + 1.0;
    lim_point size = p3_sub(s->mesh->report.bounds.upper, s->mesh->report.bounds.lower);
    double scale = s->mesh->size * side;
    double most = (size.x / scale + 1.0) * (size.y / scale + 1.0) * (size.z / scale + 1.0);
    return nodes < most ? nodes : most;
}

/* The edge at which the guess is `wanted`, by halving. */
static double guess_side(const sampler* s, double wanted) {
    double low = VOXELS_SIDE_LEAST, high = 1.0;
    for (int i = 0; i < 60; ++i) {
        double middle = sqrt(low * high);
        if (guess_nodes(s, middle) > wanted) {
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

static int32_t search_limit(const lim_model_desc* desc) {
    if (desc->node_count > NODES_MOST / 2) {
        return 3 * NODES_MOST;
    }
    int32_t least = 6 * desc->node_count + 1000;
    if (desc->coarsen == 0 || least > FINEST_SEARCHED) {
        return least;
    }
    int64_t most = (int64_t)FINEST_PER_NODE * desc->node_count + 1000;
    return most < FINEST_SEARCHED ? (int32_t)most : FINEST_SEARCHED;
}

/* Next edge to try after `side` gave `nodes`. One-sided: trust the guess, corrected by its last
 * error, but step by at least 2 % (20 % where cells have several sizes: their number grows in
 * steps) and stay below the limit. Between two sides: straight in 1 / edge^2, kept off the ends. */
static double next_side(const sampler* s, const search* range, double side, double nodes) {
    double wanted = s->desc->node_count, step = s->desc->coarsen > 0 ? 0.8 : 0.98;
    double next;
    if (range->small > 0.0 && range->large > 0.0) {
        double a = 1.0 / (range->small * range->small), b = 1.0 / (range->large * range->large);
        double share = (wanted - range->large_nodes) / (range->small_nodes - range->large_nodes);
        share = share < 0.1 ? 0.1 : share > 0.9 ? 0.9 : share;
        next = 1.0 / sqrt(b + (a - b) * share);
    } else {
        double guess = guess_nodes(s, side) * wanted / nodes, most = 0.8 * search_limit(s->desc);
        next = guess_side(s, s->desc->coarsen > 0 && guess > most ? most : guess);
        if (nodes > wanted) {
            next = next > 1.02 * side ? next : 1.02 * side;
        } else {
            next = next < step * side ? next : step * side;
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
    return s->desc->coarsen == 0 ||
           (finest < 10.0 * range->finest && finest < 0.7 * search_limit(s->desc));
}

/* True when trying on would lead nowhere: at the end of what there is, on a step of the number, or
 * at the most finest cells. */
static bool search_ends(const sampler* s, const search* range, double side, double next) {
    bool closed = range->small > 0.0 && range->large > 0.0;
    double near = range->limited ? NEAR_LIMIT : s->desc->coarsen > 0 ? 1.02 : 1.002;
    return next == side || (closed && range->large / range->small < near);
}

static lim_result search_side(sampler* s) {
    double wanted = s->desc->node_count;
    int32_t limit = search_limit(s->desc);
    search range = {0};
    /* With several sizes of cells there are several finest ones to a node: a first guess. */
    double side = (double)(float)guess_side(s, s->desc->coarsen > 0 ? 4.0 * wanted : wanted);
    for (int i = 0; i < TRIES_MOST; ++i) {
        if (!go_on(s, 0.03f * (float)i, "cells")) {
            return LIM_ERROR_CANCELLED;
        }
        attempt now = {0};
        lim_result result = attempt_make(s, side, limit, &now);
        bool usable = result == LIM_OK && now.f.count <= NODES_MOST;
        if (usable) {
            result = count_nodes(s, &now);
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
        double near = i < TRIES_FIRST ? NEAR_FIRST : NEAR_ENOUGH;
        if (s->best.made && miss(s->best.nodes, wanted) < near) {
            return LIM_OK;
        }
        bool limited = result != LIM_OK && s->desc->coarsen > 0;
        bool settled = !note_try(s, &range, side, nodes, finest, limited);
        double next = next_side(s, &range, side, nodes);
        if (settled || search_ends(s, &range, side, next)) {
            break;
        }
        side = next;
    }
    return s->best.made ? LIM_OK : LIM_ERROR_TOO_LARGE;
}

static lim_result given_side(sampler* s) {
    double side = (double)s->desc->cell_size / s->desc->scale / s->mesh->size;
    if (side > 1.0) {
        side = 1.0; /* one cell holds it all: larger ones would only be emptier */
    }
    side = (double)(float)side;
    if (!(side >= VOXELS_SIDE_LEAST)) {
        return LIM_ERROR_TOO_LARGE;
    }
    if (s->closed && guess_nodes(s, side) > 2.0 * (double)NODES_MOST) {
        return LIM_ERROR_TOO_LARGE; /* told at once, not after filling the memory */
    }
    if (!go_on(s, 0.0f, "cells")) {
        return LIM_ERROR_CANCELLED;
    }
    LIM_TRY(attempt_make(s, side, 3 * NODES_MOST, &s->best));
    return s->best.f.count <= NODES_MOST ? LIM_OK : LIM_ERROR_TOO_LARGE;
}

static lim_result sample(sampler* s, arena* a, sampling* out) {
    LIM_TRY(make_tools(s));
    LIM_TRY(s->desc->cell_size > 0.0f ? given_side(s) : search_side(s));
    if (!go_on(s, 0.4f, "graph")) {
        return LIM_ERROR_CANCELLED;
    }
    visibility see;
    adaptation chosen;
    LIM_TRY(refine(s, &s->best, a, &see, &out->pieces, &chosen));
    LIM_TRY(nodes_fill(a, &s->best.v, &s->best.f, &see, &chosen, out));
    return go_on(s, 0.5f, "graph") ? LIM_OK : LIM_ERROR_CANCELLED;
}

lim_result sampling_build(arena* a, const lim_mesh* mesh, const lim_model_desc* desc,
                          const lim_host* host, sampling* out) {
    *out = (sampling){0};
    if (!(desc->scale > 0.0) || !isfinite(desc->scale) || !(desc->cell_size >= 0.0f) ||
        !isfinite(desc->cell_size)) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "model: scale must be above 0 and cell_size not below, both finite");
    }
    if (desc->coarsen < 0 || desc->coarsen > COARSEN_MOST) {
        return log_fail(host, LIM_ERROR_ARGUMENT, "model: coarsen must be from 0 to %d",
                        (int)COARSEN_MOST);
    }
    if (desc->cell_size == 0.0f && (desc->node_count < 1 || desc->node_count > NODES_MOST)) {
        return log_fail(host, LIM_ERROR_ARGUMENT, "model: node_count must be from 1 to %d",
                        (int)NODES_MOST);
    }
    sampler s = {.mesh = mesh, .desc = desc, .host = mem_host(host)};
    arena_init(&s.tools, &s.host);
    lim_result result = sample(&s, a, out);
    attempt_release(&s.best);
    arena_release(&s.tools);
    if (result == LIM_OK) {
        return LIM_OK;
    }
    *out = (sampling){0};
    if (result == LIM_ERROR_TOO_LARGE) {
        return log_fail(host, result,
                        "model: more than %d finest cells or 2^%d in a row; use larger cells",
                        (int)NODES_MOST, (int)OCTANT_LEVELS);
    }
    return log_fail(host, result, "model: sampling ended (%s)", lim_result_name(result));
}

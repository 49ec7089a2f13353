/* SPDX-License-Identifier: MIT
 * Job: a sampling of the octree. In: a mesh and wishes (finest cell edge, or number of nodes; rules
 * for the size of cells). Out: nodes and their graph.
 */
#include "sample/sampling.h"

#include "base/log.h"
#include "sample/nodes.h"
#include "sample/sampler.h"

enum { COARSEN_MOST = 10 };

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

/* What follows from the cells of a try. */
typedef struct refined {
    matter m;
    pieces tree;
    adaptation chosen;
} refined;

/* The graph, the hierarchy and the nodes of a try, in `a`. */
static lim_result refine(const sampler* s, const attempt* from, arena* a, refined* out) {
    visibility see;
    LIM_TRY(visibility_build(a, &from->v, &from->f, s->desc->glue_parts, &see));
    LIM_TRY(matter_make(a, &from->v, &from->f, &see, &out->m));
    LIM_TRY(pieces_build(a, &out->m, &out->tree));
    int32_t finest = out->tree.finest, coarsest = finest > s->coarsen ? finest - s->coarsen : 0;
    if (coarsest == finest) {
        return choose_all(a, &out->tree, &out->chosen);
    }
    arena scratch;
    arena_init(&scratch, &s->host);
    wishes w;
    lim_result result =
        wishes_build(&scratch, s->desc, &from->v, &from->f, &see, &out->tree, coarsest, &w);
    if (result == LIM_OK) {
        result = adapt_choose(a, &w, coarsest, s->desc->node_budget, &out->chosen);
    }
    arena_release(&scratch);
    return result;
}

/* How many nodes a try comes to. */
static lim_result count_nodes(const sampler* s, attempt* now) {
    if (s->coarsen == 0) {
        return LIM_OK; /* as many as fragments */
    }
    refined* r = ARENA_ARRAY(&now->kept, refined, 1);
    LIM_TRY_MEMORY(r);
    LIM_TRY(refine(s, now, &now->kept, r));
    now->refined = r;
    now->nodes = r->chosen.count;
    return LIM_OK;
}

static lim_result fill(sampler* s, arena* a, sampling* out) {
    refined made, *r = s->best.refined;
    if (r == NULL) {
        r = &made;
        LIM_TRY(refine(s, &s->best, a, r));
    }
    arena_adopt(a, &s->best.kept);
    out->matter = r->m;
    out->pieces = r->tree;
    LIM_TRY(nodes_fill(a, &out->matter, &r->chosen, out));
    out->edge_length = ARENA_ROOM(a, uint16_t, out->edge_offset[out->node_count]);
    LIM_TRY_MEMORY(out->edge_length);
    nodes_measure(out, out->edge_length);
    return nodes_anchor(a, &out->matter, out);
}

lim_result sampling_build(arena* a, const lim_mesh* mesh, const lim_model_desc* desc,
                          const lim_host* host, sampling* out) {
    *out = (sampling){0};
    if (desc->coarsen < 0 || desc->coarsen > COARSEN_MOST) {
        return log_fail(host, LIM_ERROR_ARGUMENT, "model: coarsen must be from 0 to %d",
                        (int)COARSEN_MOST);
    }
    sampler s = {.mesh = mesh,
                 .desc = desc,
                 .host = mem_host(host),
                 .coarsen = desc->coarsen,
                 .count = count_nodes,
                 .fill = fill,
                 .skin_solid = 0.7,
                 .skin_open = 1.5,
                 .row_more = 1.0};
    return sampler_run(&s, a, out);
}

/* SPDX-License-Identifier: MIT
 * Job: cells with material. In: a mesh and wishes (edge of the finest cells, or number of nodes).
 * Out: voxels and fragments of one edge, of which the kind of sampling makes nodes.
 */
#include "sample/sampler.h"

#include "base/log.h"

bool sampler_go_on(const sampler* s, float done, const char* stage) {
    return s->desc->progress == NULL || s->desc->progress(s->desc->progress_user, done, stage);
}

void attempt_release(attempt* a) {
    if (a->made) {
        voxels_release(&a->v);
        arena_release(&a->mem);
        arena_release(&a->kept);
        a->made = false;
    }
}

lim_result attempt_make(const sampler* s, double side, int32_t cell_limit, attempt* a) {
    voxels_init(&a->v, s->mesh, side, s->coarsen, cell_limit, &s->host);
    arena_init(&a->mem, &s->host);
    arena_init(&a->kept, &s->host);
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

static lim_result given_side(sampler* s) {
    double side = (double)s->desc->cell_size / s->desc->scale / s->mesh->size;
    if (side > 1.0) {
        side = 1.0; /* one cell holds it all: larger ones would only be emptier */
    }
    side = (double)(float)side;
    if (!(side >= VOXELS_SIDE_LEAST)) {
        return LIM_ERROR_TOO_LARGE;
    }
    if (s->closed && edge_guess_nodes(s, side) > 2.0 * (double)NODES_MOST) {
        return LIM_ERROR_TOO_LARGE; /* told at once, not after filling the memory */
    }
    if (!sampler_go_on(s, 0.0f, "cells")) {
        return LIM_ERROR_CANCELLED;
    }
    LIM_TRY(attempt_make(s, side, 3 * NODES_MOST, &s->best));
    return s->best.f.count <= NODES_MOST ? LIM_OK : LIM_ERROR_TOO_LARGE;
}

static lim_result check(const lim_model_desc* desc, const lim_host* host) {
    if (!(desc->scale > 0.0) || !isfinite(desc->scale) || !(desc->cell_size >= 0.0f) ||
        !isfinite(desc->cell_size)) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "model: scale must be above 0 and cell_size not below, both finite");
    }
    if (desc->cell_size == 0.0f && (desc->node_count < 1 || desc->node_count > NODES_MOST)) {
        return log_fail(host, LIM_ERROR_ARGUMENT, "model: node_count must be from 1 to %d",
                        (int)NODES_MOST);
    }
    return LIM_OK;
}

static lim_result sample(sampler* s, arena* a, sampling* out) {
    LIM_TRY(make_tools(s));
    LIM_TRY(s->desc->cell_size > 0.0f ? given_side(s) : edge_search(s));
    if (!sampler_go_on(s, 0.4f, "graph")) {
        return LIM_ERROR_CANCELLED;
    }
    LIM_TRY(s->fill(s, a, out));
    return sampler_go_on(s, 0.5f, "graph") ? LIM_OK : LIM_ERROR_CANCELLED;
}

lim_result sampler_run(sampler* s, arena* a, sampling* out) {
    *out = (sampling){0};
    LIM_TRY(check(s->desc, &s->host));
    arena_init(&s->tools, &s->host);
    lim_result result = sample(s, a, out);
    attempt_release(&s->best);
    arena_release(&s->tools);
    if (result == LIM_OK) {
        return LIM_OK;
    }
    *out = (sampling){0};
    if (result == LIM_ERROR_TOO_LARGE) {
        return log_fail(&s->host, result,
                        "model: more than %d finest cells or 2^%d in a row; use larger cells",
                        (int)NODES_MOST, (int)OCTANT_LEVELS);
    }
    return log_fail(&s->host, result, "model: sampling ended (%s)", lim_result_name(result));
}

/* SPDX-License-Identifier: MIT
 * Job: one sampling of a mesh. In: the mesh and how to sample it. Out: counts per level, a picture
 * of the surface, a picture of the cells or of batches.
 */
#include "cli/samplings.h"

#include "base/hash.h"
#include "base/sort.h"
#include "cli/batch_picture.h"
#include "cli/draw.h"

#include <stdio.h>
#include <string.h>

/* Pieces of material that share a cell without touching are nodes of their own in one cell: cells
 * are told apart by their lower corner, which is the same to the last bit. */
static lim_result count_levels(sampling* s) {
    const film* f = &s->recorded;
    lim_model_nodes nodes = f->bodies.data[0].now->nodes;
    const lim_debug_line* cells = f->frames.data[0].cells;
    arena scratch;
    arena_init(&scratch, &f->host);
    sort_item* items = ARENA_ARRAY(&scratch, sort_item, nodes.count);
    sort_item* spare = ARENA_ARRAY(&scratch, sort_item, nodes.count);
    if (items == NULL || spare == NULL) {
        arena_release(&scratch);
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < nodes.count; ++i) {
        sampling_level* level = &s->level[nodes.level[i]];
        level->edge = (double)nodes.side[i];
        level->nodes++;
        level->volume += (double)nodes.volume[i];
        const lim_debug_line* edges = cells + 12 * (size_t)i;
        uint64_t key = hash_bytes((uint64_t)nodes.level[i], &edges[0].a, sizeof edges[0].a);
        items[i] = (sort_item){key, i, 0};
    }
    sort_items(items, spare, nodes.count);
    for (int32_t i = 0; i < nodes.count; ++i) {
        bool first = i == 0 || items[i - 1].key != items[i].key;
        s->level[nodes.level[items[i].value]].cells += first;
    }
    arena_release(&scratch);
    if (lim_kind_get_info(s->info.kind).nodes == LIM_NODES_AT_CORNERS) {
        s->level[s->info.levels].cells = s->info.cells; /* the boxes are about corners */
    }
    return LIM_OK;
}

static lim_result record(sampling* s, const lim_host* host, lim_io_message* out_message) {
    const scene_options options = {.workers = 1};
    lim_result result = scene_start(s->plan, &options, host, &s->run, out_message);
    if (result != LIM_OK) {
        return result;
    }
    result = film_begin(&s->recorded, s->run, LIM_DEBUG_CELLS, NULL, 1.0, host);
    if (result == LIM_OK) {
        result = film_take(&s->recorded, s->run);
    }
    if (result == LIM_OK) {
        s->info = lim_model_get_info(scene_run_body_at(s->run, 0).model);
        result = count_levels(s);
    }
    return result;
}

lim_result sampling_begin(sampling* s, const lim_mesh* mesh, const lim_model_desc* desc,
                          const lim_host* host, lim_io_message* out_message) {
    memset(s, 0, sizeof *s);
    scene_body body = scene_body_default();
    body.name = "sampling";
    body.mesh = mesh;
    body.kind = desc->kind;
    body.nodes = desc->node_count;
    body.coarsen = desc->coarsen;
    body.cells_across = desc->cells_across;
    body.size = 0.0;
    body.scale = desc->scale;
    body.up = SCENE_UP_AUTO;
    scene_desc stage = scene_desc_default();
    stage.bodies = &body;
    stage.body_count = 1;
    lim_result result = scene_create(&stage, host, &s->plan, out_message);
    if (result == LIM_OK) {
        result = record(s, host, out_message);
    }
    if (result != LIM_OK) {
        sampling_end(s);
    }
    return result;
}

lim_result sampling_cut(sampling* s, int32_t max_nodes, const lim_host* host) {
    return lim_model_make_batches(scene_run_body_at(s->run, 0).model, max_nodes, host, &s->batches);
}

void sampling_end(sampling* s) {
    lim_batches_destroy(s->batches);
    if (s->run != NULL) {
        film_end(&s->recorded);
    }
    scene_stop(s->run);
    scene_destroy(s->plan);
    memset(s, 0, sizeof *s);
}

lim_result sampling_draw(const sampling* s, bool surface, const int32_t size[2], lim_image* image) {
    char caption[64];
    if (!surface && s->batches != NULL) {
        lim_batches_view batches = lim_batches_get_view(s->batches);
        snprintf(caption, sizeof caption, "%d nodes, %d batches", s->info.nodes,
                 batches.batch_count);
        return batch_picture_draw(&s->recorded, &batches, size, caption, image);
    }
    if (surface) {
        snprintf(caption, sizeof caption, "%d triangles",
                 s->recorded.bodies.data[0].now->triangle_count);
    } else {
        snprintf(caption, sizeof caption, "%d nodes", s->info.nodes);
    }
    return draw_still(&s->recorded, surface, size, caption, image);
}

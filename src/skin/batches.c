/* SPDX-License-Identifier: MIT
 * Job: write batches down. In: the batch of every triangle (skin/batch_growth.h). Out: per batch
 * its triangles in their old order, its vertices and nodes in order of first use, and the places of
 * the vertices' nodes in the batch's list.
 */
#include "skin/batches.h"

#include "skin/batch_growth.h"

#include <string.h>

typedef struct writer {
    const batch_source* in;
    lim_batches_view* out;
    lim_batch* batches;
    int32_t *triangles, *vertices, *nodes;
    uint32_t* indices;
    uint16_t* local_nodes;
    /* per vertex and node of the surface: the last batch that listed it, and where */
    int32_t *vertex_batch, *vertex_at, *node_batch, *node_at;
} writer;

/* Triangles by batch, in their old order within. */
static void list_triangles(writer* w, const int32_t* batch) {
    int32_t count = w->out->batch_count, triangles = w->in->triangle_count;
    for (int32_t t = 0; t < triangles; ++t) {
        w->batches[batch[t]].triangle_count++;
    }
    for (int32_t b = 0, sum = 0; b < count; ++b) {
        w->batches[b].first_triangle = sum;
        sum += w->batches[b].triangle_count;
        w->batches[b].triangle_count = 0;
    }
    for (int32_t t = 0; t < triangles; ++t) {
        lim_batch* b = &w->batches[batch[t]];
        w->triangles[b->first_triangle + b->triangle_count++] = t;
        b->submesh = w->in->submesh[t];
    }
}

/* Where a vertex stands in the list of batch b. */
static int32_t list_vertex(writer* w, int32_t b, int32_t vertex) {
    lim_batch* batch = &w->batches[b];
    if (w->vertex_batch[vertex] == b + 1) {
        return w->vertex_at[vertex];
    }
    int32_t at = batch->first_vertex + batch->vertex_count++;
    w->vertex_batch[vertex] = b + 1;
    w->vertex_at[vertex] = at;
    w->vertices[at] = vertex;
    for (size_t k = 0; k < BATCH_VERTEX_NODES; ++k) {
        int32_t node = w->in->nodes[BATCH_VERTEX_NODES * (size_t)vertex + k];
        if (w->node_batch[node] != b + 1) {
            w->node_batch[node] = b + 1;
            w->node_at[node] = batch->node_count;
            w->nodes[batch->first_node + batch->node_count++] = node;
        }
        w->local_nodes[BATCH_VERTEX_NODES * (size_t)at + k] = (uint16_t)w->node_at[node];
    }
    return at;
}

static void list_corners(writer* w) {
    int32_t vertices = 0, nodes = 0;
    for (int32_t b = 0; b < w->out->batch_count; ++b) {
        lim_batch* batch = &w->batches[b];
        batch->first_vertex = vertices;
        batch->first_node = nodes;
        for (int32_t i = 0; i < batch->triangle_count; ++i) {
            size_t at = (size_t)(batch->first_triangle + i);
            const uint32_t* corner = w->in->indices + 3 * (size_t)w->triangles[at];
            for (size_t k = 0; k < 3; ++k) {
                w->indices[3 * at + k] = (uint32_t)list_vertex(w, b, (int32_t)corner[k]);
            }
        }
        vertices += batch->vertex_count;
        nodes += batch->node_count;
    }
    w->out->vertex_count = vertices;
    w->out->node_count = nodes;
}

/* Room for the longest that lists can become: vertices of all corners, and the nodes of each
 * batch. */
static lim_result writer_init(writer* w, arena* a, arena* scratch, int32_t max_nodes) {
    const batch_source* in = w->in;
    int64_t corners = 3 * (int64_t)in->triangle_count, count = w->out->batch_count;
    int64_t most = max_nodes < in->node_count ? max_nodes : in->node_count;
    w->batches = ARENA_ARRAY(a, lim_batch, count);
    w->triangles = ARENA_ARRAY(a, int32_t, in->triangle_count);
    w->indices = ARENA_ARRAY(a, uint32_t, corners);
    w->vertices = ARENA_ARRAY(scratch, int32_t, corners);
    w->local_nodes = ARENA_ARRAY(scratch, uint16_t, BATCH_VERTEX_NODES * corners);
    w->nodes = ARENA_ARRAY(scratch, int32_t, count * most);
    w->vertex_batch = ARENA_ARRAY(scratch, int32_t, in->vertex_count);
    w->vertex_at = ARENA_ARRAY(scratch, int32_t, in->vertex_count);
    w->node_batch = ARENA_ARRAY(scratch, int32_t, in->node_count);
    w->node_at = ARENA_ARRAY(scratch, int32_t, in->node_count);
    bool complete = w->batches != NULL && w->triangles != NULL && w->indices != NULL &&
                    w->vertices != NULL && w->local_nodes != NULL && w->nodes != NULL &&
                    w->vertex_batch != NULL && w->vertex_at != NULL && w->node_batch != NULL &&
                    w->node_at != NULL;
    return complete ? LIM_OK : LIM_ERROR_MEMORY;
}

/* Keeps what the lists came to. */
static lim_result writer_finish(writer* w, arena* a) {
    lim_batches_view* v = w->out;
    int32_t* vertices = ARENA_ARRAY(a, int32_t, v->vertex_count);
    int32_t* nodes = ARENA_ARRAY(a, int32_t, v->node_count);
    size_t locals = BATCH_VERTEX_NODES * (size_t)v->vertex_count;
    uint16_t* local = ARENA_ARRAY(a, uint16_t, locals);
    LIM_TRY_MEMORY(vertices);
    LIM_TRY_MEMORY(nodes);
    LIM_TRY_MEMORY(local);
    memcpy(vertices, w->vertices, (size_t)v->vertex_count * sizeof *vertices);
    memcpy(nodes, w->nodes, (size_t)v->node_count * sizeof *nodes);
    memcpy(local, w->local_nodes, locals * sizeof *local);
    v->batches = w->batches;
    v->triangles = w->triangles;
    v->indices = w->indices;
    v->vertices = vertices;
    v->local_nodes = local;
    v->nodes = nodes;
    return LIM_OK;
}

lim_result batches_build(arena* a, arena* scratch, const batch_source* in, int32_t max_nodes,
                         lim_batches_view* out) {
    batch_lists lists;
    int32_t* batch = ARENA_ARRAY(scratch, int32_t, in->triangle_count);
    LIM_TRY_MEMORY(batch);
    LIM_TRY(batch_lists_make(scratch, in, &lists));
    lim_batches_view made = {.triangle_count = in->triangle_count};
    LIM_TRY(batches_grow(scratch, in, &lists, max_nodes, batch, &made.batch_count));
    writer w = {.in = in, .out = &made};
    LIM_TRY(writer_init(&w, a, scratch, max_nodes));
    list_triangles(&w, batch);
    list_corners(&w);
    LIM_TRY(writer_finish(&w, a));
    *out = made;
    return LIM_OK;
}

/* SPDX-License-Identifier: MIT
 * Job: give every triangle a batch. In: triangles, their nodes, the most nodes of a batch. Out: the
 * number of its batch per triangle. A batch grows from a seed over neighbouring triangles: next is
 * always the one that needs the fewest new nodes, of these the one nearest to the seed, so that the
 * patch stays round and its nodes few; a triangle that needs no new node is taken wherever it is
 * (the other side of a thin sheet). While the next seed fits, another patch follows in the same
 * batch.
 */
#include "skin/batch_growth.h"

#include "base/array.h"
#include "base/sort.h"
#include "math/vec3.h"

#include <string.h>

/* ---- lists ------------------------------------------------------------------------------------
 */

/* Adds what is not there yet to an ascending list. */
static int32_t insert(int32_t* list, int32_t count, int32_t value) {
    int32_t to = count;
    while (to > 0 && list[to - 1] > value) {
        to--;
    }
    if (to > 0 && list[to - 1] == value) {
        return count;
    }
    memmove(list + to + 1, list + to, (size_t)(count - to) * sizeof *list);
    list[to] = value;
    return count + 1;
}

static int32_t triangle_nodes(const batch_source* in, int32_t triangle, int32_t out[BATCH_LEAST]) {
    int32_t count = 0;
    for (size_t k = 0; k < 3; ++k) {
        size_t vertex = in->indices[3 * (size_t)triangle + k];
        for (size_t j = 0; j < BATCH_VERTEX_NODES; ++j) {
            count = insert(out, count, in->nodes[BATCH_VERTEX_NODES * vertex + j]);
        }
    }
    return count;
}

/* Turns lists of items by owner into lists of owners by item. */
static lim_result transpose(arena* a, const int32_t* offset, const int32_t* item, int32_t owners,
                            int32_t items, int32_t** out_offset, int32_t** out_owner) {
    int32_t* start = ARENA_ARRAY(a, int32_t, (int64_t)items + 1);
    int32_t* owner = ARENA_ARRAY(a, int32_t, offset[owners]);
    LIM_TRY_MEMORY(start);
    LIM_TRY_MEMORY(owner);
    for (int32_t e = 0; e < offset[owners]; ++e) {
        start[item[e]]++;
    }
    for (int32_t i = 0, sum = 0; i <= items; ++i) {
        int32_t count = start[i];
        start[i] = sum;
        sum += count;
    }
    for (int32_t o = 0; o < owners; ++o) {
        for (int32_t e = offset[o]; e < offset[o + 1]; ++e) {
            owner[start[item[e]]++] = o;
        }
    }
    memmove(start + 1, start, (size_t)items * sizeof *start);
    start[0] = 0;
    *out_offset = start;
    *out_owner = owner;
    return LIM_OK;
}

lim_result batch_lists_make(arena* a, const batch_source* in, batch_lists* out) {
    int32_t triangles = in->triangle_count, nodes[BATCH_LEAST];
    int64_t total = 0;
    for (int32_t t = 0; t < triangles; ++t) {
        total += triangle_nodes(in, t, nodes);
    }
    if (total > INT32_MAX) {
        return LIM_ERROR_TOO_LARGE;
    }
    out->triangle_offset = ARENA_ARRAY(a, int32_t, (int64_t)triangles + 1);
    out->triangle_node = ARENA_ARRAY(a, int32_t, total);
    int32_t* offset = ARENA_ARRAY(a, int32_t, (int64_t)triangles + 1);
    int32_t* point = ARENA_ARRAY(a, int32_t, 3 * (int64_t)triangles);
    LIM_TRY_MEMORY(out->triangle_offset);
    LIM_TRY_MEMORY(out->triangle_node);
    LIM_TRY_MEMORY(offset);
    LIM_TRY_MEMORY(point);
    for (int32_t t = 0; t < triangles; ++t) {
        int32_t count = triangle_nodes(in, t, nodes), at = out->triangle_offset[t];
        memcpy(out->triangle_node + at, nodes, (size_t)count * sizeof *nodes);
        out->triangle_offset[t + 1] = at + count;
        offset[t + 1] = 3 * (t + 1);
        for (int32_t k = 3 * t; k < 3 * t + 3; ++k) {
            point[k] = in->vertex_point[in->indices[k]];
        }
    }
    LIM_TRY(transpose(a, out->triangle_offset, out->triangle_node, triangles, in->node_count,
                      &out->node_offset, &out->node_triangle));
    return transpose(a, offset, point, triangles, in->point_count, &out->point_offset,
                     &out->point_triangle);
}

/* ---- the next triangle ------------------------------------------------------------------------
 */

/* A binary heap; the least first. Entries are never changed: one that is out of date is skipped. */
typedef struct candidate {
    uint64_t key; /* nodes it needs, then the bits of its distance from the seed */
    int32_t triangle;
} candidate;
typedef ARRAY(candidate) candidate_heap;

static bool before(candidate a, candidate b) {
    return a.key < b.key || (a.key == b.key && a.triangle < b.triangle);
}

static bool heap_push(const lim_host* host, candidate_heap* heap, candidate c) {
    if (!ARRAY_PUSH(host, heap, c)) {
        return false;
    }
    int32_t at = heap->count - 1;
    for (; at > 0 && before(c, heap->data[(at - 1) / 2]); at = (at - 1) / 2) {
        heap->data[at] = heap->data[(at - 1) / 2];
    }
    heap->data[at] = c;
    return true;
}

static candidate heap_pop(candidate_heap* heap) {
    candidate least = heap->data[0], last = heap->data[--heap->count];
    int32_t at = 0;
    for (int32_t child = 1; child < heap->count; child = 2 * at + 1) {
        child += child + 1 < heap->count && before(heap->data[child + 1], heap->data[child]);
        if (!before(heap->data[child], last)) {
            break;
        }
        heap->data[at] = heap->data[child];
        at = child;
    }
    heap->data[at] = last;
    return least;
}

/* ---- growth -----------------------------------------------------------------------------------
 */

typedef struct growth {
    const batch_source* in;
    const batch_lists* lists;
    const lim_host* host;
    int32_t* batch;        /* per triangle, -1: none yet */
    int32_t present, room; /* the batch that grows and the nodes that it may still take */
    int32_t submesh;
    lim_vec3 seed;
    int32_t* node_batch; /* per node: the last batch that took it */
    int32_t* seen;       /* per triangle: the batch that `missing` is about */
    int32_t* missing;    /* per triangle: nodes of it that the batch does not have */
    int32_t* neighbour;  /* per triangle: the last batch that came to its border */
    candidate_heap heap;
} growth;

static lim_vec3 middle_of(const batch_source* in, int32_t triangle) {
    lim_vec3 sum = v3(0, 0, 0);
    for (size_t k = 0; k < 3; ++k) {
        const float* p = in->positions + 3 * (size_t)in->indices[3 * (size_t)triangle + k];
        sum = v3_add(sum, v3(p[0], p[1], p[2]));
    }
    return v3_scale(sum, 1.0f / 3.0f);
}

static int32_t missing_of(growth* g, int32_t triangle) {
    if (g->seen[triangle] != g->present) {
        const batch_lists* l = g->lists;
        int32_t count = 0;
        for (int32_t e = l->triangle_offset[triangle]; e < l->triangle_offset[triangle + 1]; ++e) {
            count += g->node_batch[l->triangle_node[e]] != g->present;
        }
        g->seen[triangle] = g->present;
        g->missing[triangle] = count;
    }
    return g->missing[triangle];
}

static bool is_open(const growth* g, int32_t triangle) {
    return g->batch[triangle] < 0 && g->in->submesh[triangle] == g->submesh;
}

static lim_result offer(growth* g, int32_t triangle) {
    lim_vec3 away = v3_sub(middle_of(g->in, triangle), g->seed);
    float square = v3_dot(away, away);
    uint32_t bits; /* of a number that is not negative: in the order of numbers */
    memcpy(&bits, &square, sizeof bits);
    candidate c = {(uint64_t)(uint32_t)missing_of(g, triangle) << 32 | bits, triangle};
    return heap_push(g->host, &g->heap, c) ? LIM_OK : LIM_ERROR_MEMORY;
}

static lim_result take_node(growth* g, int32_t node) {
    const batch_lists* l = g->lists;
    /* Counts begin before the node is in: each of its triangles loses one by it. */
    for (int32_t e = l->node_offset[node]; e < l->node_offset[node + 1]; ++e) {
        if (is_open(g, l->node_triangle[e])) {
            missing_of(g, l->node_triangle[e]);
        }
    }
    g->node_batch[node] = g->present;
    g->room--;
    for (int32_t e = l->node_offset[node]; e < l->node_offset[node + 1]; ++e) {
        int32_t t = l->node_triangle[e];
        if (is_open(g, t) && (--g->missing[t] == 0 || g->neighbour[t] == g->present)) {
            LIM_TRY(offer(g, t));
        }
    }
    return LIM_OK;
}

static lim_result take_triangle(growth* g, int32_t triangle) {
    const batch_lists* l = g->lists;
    g->batch[triangle] = g->present;
    for (int32_t e = l->triangle_offset[triangle]; e < l->triangle_offset[triangle + 1]; ++e) {
        if (g->node_batch[l->triangle_node[e]] != g->present) {
            LIM_TRY(take_node(g, l->triangle_node[e]));
        }
    }
    for (size_t k = 0; k < 3; ++k) {
        int32_t point = g->in->vertex_point[g->in->indices[3 * (size_t)triangle + k]];
        for (int32_t e = l->point_offset[point]; e < l->point_offset[point + 1]; ++e) {
            int32_t t = l->point_triangle[e];
            if (is_open(g, t) && g->neighbour[t] != g->present) {
                g->neighbour[t] = g->present;
                LIM_TRY(offer(g, t));
            }
        }
    }
    return LIM_OK;
}

/* The best candidate that is still one; -1: there is none. */
static int32_t next_candidate(growth* g) {
    while (g->heap.count > 0) {
        candidate c = heap_pop(&g->heap);
        if (is_open(g, c.triangle) && (int32_t)(c.key >> 32) == missing_of(g, c.triangle)) {
            return c.triangle;
        }
    }
    return -1;
}

/* Grows one patch from a seed, until nothing that is next to it fits. */
static lim_result grow_patch(growth* g, int32_t seed) {
    int32_t t = seed;
    g->seed = middle_of(g->in, seed);
    g->heap.count = 0;
    while (t >= 0 && missing_of(g, t) <= g->room) {
        LIM_TRY(take_triangle(g, t));
        t = next_candidate(g);
    }
    return LIM_OK;
}

/* Triangles in order of submesh. */
static lim_result order_triangles(arena* scratch, const batch_source* in, sort_item** out) {
    sort_item* items = ARENA_ARRAY(scratch, sort_item, in->triangle_count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, in->triangle_count);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    for (int32_t t = 0; t < in->triangle_count; ++t) {
        items[t] = (sort_item){.key = (uint64_t)in->submesh[t], .value = t};
    }
    sort_items(items, spare, in->triangle_count);
    *out = items;
    return LIM_OK;
}

/* Seeds are the first triangles left in order. Where they lie hardly matters to the number of
 * batches; that patches are round does. */
static lim_result grow_all(growth* g, const sort_item* order, int32_t max_nodes) {
    for (int32_t i = 0; i < g->in->triangle_count; ++i) {
        int32_t seed = order[i].value, submesh = g->in->submesh[seed];
        if (g->batch[seed] >= 0) {
            continue;
        }
        if (g->present < 0 || submesh != g->submesh || missing_of(g, seed) > g->room) {
            g->present++;
            g->room = max_nodes;
            g->submesh = submesh;
        }
        LIM_TRY(grow_patch(g, seed));
    }
    return LIM_OK;
}

static lim_result fill_unset(arena* a, int32_t count, int32_t** out) {
    *out = ARENA_ARRAY(a, int32_t, count);
    LIM_TRY_MEMORY(*out);
    memset(*out, 0xFF, (size_t)count * sizeof **out);
    return LIM_OK;
}

lim_result batches_grow(arena* scratch, const batch_source* in, const batch_lists* lists,
                        int32_t max_nodes, int32_t* batch, int32_t* out_count) {
    growth g = {.in = in, .lists = lists, .host = &scratch->host, .batch = batch, .present = -1};
    sort_item* order;
    LIM_TRY(order_triangles(scratch, in, &order));
    LIM_TRY(fill_unset(scratch, in->node_count, &g.node_batch));
    LIM_TRY(fill_unset(scratch, in->triangle_count, &g.seen));
    LIM_TRY(fill_unset(scratch, in->triangle_count, &g.missing));
    LIM_TRY(fill_unset(scratch, in->triangle_count, &g.neighbour));
    memset(batch, 0xFF, (size_t)in->triangle_count * sizeof *batch);
    lim_result result = grow_all(&g, order, max_nodes);
    ARRAY_FREE(&scratch->host, &g.heap);
    *out_count = g.present + 1;
    return result;
}

/* SPDX-License-Identifier: MIT
 * Job: a part of a material. In: a material, which fragments. Out: these, renumbered in their order
 * with their edges, components named by lowest fragment, and the walls of their cells.
 */
#include "sample/matter_part.h"

/* Numbers names in the order in which they come up; name has room for all that were. */
static int32_t rename_parts(int32_t* part, int32_t count, int32_t* name) {
    int32_t next = 0;
    for (int32_t i = 0; i < count; ++i) {
        int32_t* own = &name[part[i]];
        *own = *own == 0 ? ++next : *own;
        part[i] = *own - 1;
    }
    return next;
}

static lim_result allocate(arena* a, const matter* m, int32_t count, int32_t edges, matter* out) {
    *out = *m;
    out->count = count;
    out->key = ARENA_ARRAY(a, uint64_t, count);
    out->mask = ARENA_ARRAY(a, uint64_t, count);
    out->soft = ARENA_ARRAY(a, uint64_t, count);
    out->volume = ARENA_ARRAY(a, double, count);
    out->centroid = ARENA_ARRAY(a, lim_point, count);
    out->moment = arena_alloc(a, (size_t)count, sizeof *out->moment);
    out->edge_offset = ARENA_ARRAY(a, int32_t, (int64_t)count + 1);
    out->edge_node = ARENA_ARRAY(a, int32_t, edges);
    out->component = ARENA_ARRAY(a, int32_t, count);
    out->unglued = m->unglued != NULL ? ARENA_ARRAY(a, int32_t, count) : NULL;
    out->glue = m->unglued != NULL ? ARENA_ARRAY(a, int32_t, 2 * (size_t)m->glued_edges) : NULL;
    out->wall = ARENA_ARRAY(a, matter_wall, m->wall_count);
    LIM_TRY_MEMORY(out->key);
    LIM_TRY_MEMORY(out->mask);
    LIM_TRY_MEMORY(out->soft);
    LIM_TRY_MEMORY(out->volume);
    LIM_TRY_MEMORY(out->centroid);
    LIM_TRY_MEMORY(out->moment);
    LIM_TRY_MEMORY(out->edge_offset);
    LIM_TRY_MEMORY(out->edge_node);
    LIM_TRY_MEMORY(out->component);
    LIM_TRY_MEMORY(out->wall);
    bool lacks = m->unglued != NULL && (out->unglued == NULL || out->glue == NULL);
    return lacks ? LIM_ERROR_MEMORY : LIM_OK;
}

static void take_fragments(const matter* m, const int32_t* number, const int32_t* source,
                           matter* out) {
    int32_t edge = 0;
    for (int32_t i = 0; i < out->count; ++i) {
        int32_t from = source[i];
        out->key[i] = m->key[from];
        out->mask[i] = m->mask[from];
        out->soft[i] = m->soft[from];
        out->volume[i] = m->volume[from];
        out->centroid[i] = m->centroid[from];
        out->component[i] = m->component[from];
        for (int k = 0; k < 6; ++k) {
            out->moment[i][k] = m->moment[from][k];
        }
        if (m->unglued != NULL) {
            out->unglued[i] = m->unglued[from];
        }
        for (int32_t e = m->edge_offset[from]; e < m->edge_offset[from + 1]; ++e) {
            out->edge_node[edge++] = number[m->edge_node[e]] - 1;
        }
        out->edge_offset[i + 1] = edge;
    }
}

/* An edge goes with the component that it is of. */
static void take_glue(const matter* m, const int32_t* number, matter* out) {
    out->glued_edges = 0;
    for (int32_t i = 0; i < m->glued_edges; ++i) {
        int32_t a = number[m->glue[2 * i]] - 1, b = number[m->glue[2 * i + 1]] - 1;
        if (a >= 0 && b >= 0) {
            out->glue[2 * out->glued_edges] = a;
            out->glue[2 * out->glued_edges++ + 1] = b;
        }
    }
}

/* Both are ascending. */
static void take_walls(const matter* m, matter* out) {
    int32_t at = 0;
    out->wall_count = 0;
    for (int32_t i = 0; i < m->wall_count; ++i) {
        while (at < out->count && out->key[at] < m->wall[i].key) {
            at++;
        }
        if (at < out->count && out->key[at] == m->wall[i].key) {
            out->wall[out->wall_count++] = m->wall[i];
        }
    }
}

lim_result matter_part(arena* a, const matter* m, const uint8_t* takes, matter* out,
                       int32_t** out_source) {
    int32_t count = 0, edges = 0;
    int32_t* number = ARENA_ARRAY(a, int32_t, m->count); /* + 1; 0: not taken */
    int32_t* source = *out_source = ARENA_ARRAY(a, int32_t, m->count);
    int32_t* name = ARENA_ARRAY(a, int32_t, 2 * (int64_t)m->count);
    LIM_TRY_MEMORY(number);
    LIM_TRY_MEMORY(source);
    LIM_TRY_MEMORY(name);
    for (int32_t i = 0; i < m->count; ++i) {
        if (takes[i]) {
            source[count] = i;
            number[i] = ++count;
            edges += m->edge_offset[i + 1] - m->edge_offset[i];
        }
    }
    LIM_TRY(allocate(a, m, count, edges, out));
    take_fragments(m, number, source, out);
    take_glue(m, number, out);
    take_walls(m, out);
    out->component_count = rename_parts(out->component, count, name);
    if (out->glued_edges == 0) {
        out->unglued = out->glue = NULL;
    } else {
        rename_parts(out->unglued, count, name + m->count);
    }
    return LIM_OK;
}

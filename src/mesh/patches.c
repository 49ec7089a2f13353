/* SPDX-License-Identifier: MIT
 * Job: give every patch points of its own. In: triangles over welded points. Out: the same over
 * more points. Triangles of the same three points count as one: both sides of a sheet are one
 * patch.
 */
#include "mesh/patches.h"

#include "base/disjoint_set.h"
#include "base/sort.h"

#include <string.h>

/* The third point of a triangle at an edge. */
static int32_t beside(const lim_mesh* mesh, const sort_item* edge) {
    return mesh->triangle_point[3 * (size_t)edge->value + (size_t)(edge->extra + 2) % 3];
}

/* Patches by their lowest triangle. */
static lim_result find_patches(arena* scratch, const lim_mesh* mesh, int32_t** out) {
    int32_t triangles = mesh->triangle_count, edges = 3 * triangles;
    int32_t* parent = *out = ARENA_ROOM(scratch, int32_t, triangles);
    sort_item* item = ARENA_ROOM(scratch, sort_item, edges);
    sort_item* spare = ARENA_ROOM(scratch, sort_item, edges);
    LIM_TRY_MEMORY(parent);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(spare);
    disjoint_init(parent, triangles);
    for (int32_t i = 0; i < edges; ++i) {
        int32_t t = i / 3, k = i % 3;
        int32_t a = mesh->triangle_point[i], b = mesh->triangle_point[3 * t + (k + 1) % 3];
        uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
        item[i] = (sort_item){low << 32 | high, t, k};
    }
    sort_items(item, spare, edges);
    for (int32_t i = 0, end; i < edges; i = end) {
        int32_t other = -1, more = 0;
        for (end = i; end < edges && item[end].key == item[i].key; ++end) {
            int32_t point = beside(mesh, &item[end]);
            bool new_point = point != beside(mesh, &item[i]) && point != other;
            more += new_point;
            other = new_point && other < 0 ? point : other;
        }
        for (int32_t k = i + 1; k < end && more < 2; ++k) {
            disjoint_join(parent, item[i].value, item[k].value);
        }
    }
    for (int32_t t = 0; t < triangles; ++t) {
        parent[t] = disjoint_root(parent, t);
    }
    return LIM_OK;
}

lim_result patches_part(arena* a, arena* scratch, const lim_mesh* mesh, lim_mesh* out,
                        int32_t** out_copy_of) {
    int32_t corners = 3 * mesh->triangle_count, copies = 0;
    int32_t* patch;
    LIM_TRY(find_patches(scratch, mesh, &patch));
    sort_item* item = ARENA_ROOM(scratch, sort_item, corners);
    sort_item* spare = ARENA_ROOM(scratch, sort_item, corners);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(spare);
    for (int32_t i = 0; i < corners; ++i) {
        uint64_t point = (uint64_t)mesh->triangle_point[i];
        item[i] = (sort_item){point << 32 | (uint64_t)patch[i / 3], i, 0};
    }
    sort_items(item, spare, corners);
    for (int32_t i = 1; i < corners; ++i) {
        bool shared = item[i].key >> 32 == item[i - 1].key >> 32;
        copies += shared && item[i].key != item[i - 1].key;
    }
    *out = *mesh;
    *out_copy_of = NULL;
    if (copies == 0) {
        return LIM_OK;
    }
    out->triangle_point = ARENA_ROOM(a, int32_t, corners);
    out->point = ARENA_ROOM(a, lim_vec3, mesh->point_count + copies);
    *out_copy_of = ARENA_ROOM(a, int32_t, copies);
    LIM_TRY_MEMORY(out->triangle_point);
    LIM_TRY_MEMORY(out->point);
    LIM_TRY_MEMORY(*out_copy_of);
    memcpy(out->point, mesh->point, (size_t)mesh->point_count * sizeof(lim_vec3));
    for (int32_t i = 0, point = 0; i < corners; ++i) {
        int32_t own = (int32_t)(item[i].key >> 32);
        if (i == 0 || item[i].key >> 32 != item[i - 1].key >> 32) {
            point = own;
        } else if (item[i].key != item[i - 1].key) {
            (*out_copy_of)[out->point_count - mesh->point_count] = own;
            out->point[out->point_count] = mesh->point[own];
            point = out->point_count++;
        }
        out->triangle_point[item[i].value] = point;
    }
    return LIM_OK;
}

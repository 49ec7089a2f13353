/* SPDX-License-Identifier: MIT
 * Job: which triangles of a surface a blade can meet. In: a tree over the surface, a blade. Out:
 * the triangles whose boxes come near the box of a blade triangle and that do not lie clearly on
 * one side of its plane, ascending, each once. Near means: nearer than the blade may be moved aside
 * and than the tree's floats are rounded.
 */
#include "cut/cut.h"

#include "base/array.h"
#include "base/sort.h"

static const double MARGIN = 1e-5;

typedef struct near_list {
    const lim_host* host;
    const cut_surface* surface;
    lim_point origin, normal; /* of the plane of a blade triangle; length 1 */
    ARRAY(sort_item) item;
    bool failed;
} near_list;

static bool add_near(void* user, int32_t triangle) {
    near_list* list = user;
    int above = 0, below = 0;
    for (int k = 0; k < 3; ++k) {
        lim_point p =
            list->surface->point[list->surface->triangle[3 * (size_t)triangle + (size_t)k]];
        double height = p3_dot(p3_sub(p, list->origin), list->normal);
        above += height > MARGIN;
        below += height < -MARGIN;
    }
    if (above == 3 || below == 3) {
        return true;
    }
    sort_item item = {(uint64_t)(uint32_t)triangle, triangle, 0};
    list->failed = !ARRAY_PUSH(list->host, &list->item, item);
    return !list->failed;
}

static lim_result keep_once(arena* a, near_list* list, int32_t** out_candidate,
                            int32_t* out_count) {
    size_t count = (size_t)list->item.count;
    sort_item* scratch = mem_alloc(list->host, count + 1, sizeof(sort_item));
    int32_t* candidate = ARENA_ARRAY(a, int32_t, count);
    bool ok = scratch != NULL && candidate != NULL;
    if (ok) {
        int32_t kept = 0;
        sort_items(list->item.data, scratch, list->item.count);
        for (int32_t i = 0; i < list->item.count; ++i) {
            int32_t t = list->item.data[i].value;
            if (kept == 0 || candidate[kept - 1] != t) {
                candidate[kept++] = t;
            }
        }
        *out_candidate = candidate;
        *out_count = kept;
    }
    mem_free(list->host, scratch, count + 1, sizeof(sort_item));
    return ok ? LIM_OK : LIM_ERROR_MEMORY;
}

lim_result cut_near(arena* a, const bvh* tree, const cut_surface* surface, const cut_blade* blade,
                    int32_t** out_candidate, int32_t* out_count) {
    near_list list = {.host = &a->host, .surface = surface};
    for (int32_t t = 0; t < blade->triangle_count && !list.failed; ++t) {
        const int32_t* p = blade->triangle + 3 * (size_t)t;
        lim_point lower = blade->point[p[0]], upper = lower;
        for (int k = 1; k < 3; ++k) {
            lower = p3_min(lower, blade->point[p[k]]);
            upper = p3_max(upper, blade->point[p[k]]);
        }
        list.origin = blade->point[p[0]];
        lim_point normal = p3_cross(p3_sub(blade->point[p[1]], list.origin),
                                    p3_sub(blade->point[p[2]], list.origin));
        list.normal = p3_scale(normal, 1.0 / p3_length(normal));
        const lim_point margin = {MARGIN, MARGIN, MARGIN};
        bvh_visit(tree, v3_of(p3_sub(lower, margin)), v3_of(p3_add(upper, margin)), add_near,
                  &list);
    }
    lim_result result =
        list.failed ? LIM_ERROR_MEMORY : keep_once(a, &list, out_candidate, out_count);
    ARRAY_FREE(list.host, &list.item);
    return result;
}

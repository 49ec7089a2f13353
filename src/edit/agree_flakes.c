/* SPDX-License-Identifier: MIT
 * Job: flakes of the skin that look for their home through the next cut. In: homes. Out: homes on
 * the side that the flake hangs on. Where a blade goes on from an earlier one their rims cross
 * (edit/fracture_plan.h) and leave flakes that are far thinner than a sub-voxel: looking inwards, a
 * point of theirs sees the material beyond. It would follow that, and its triangles would span the
 * crack as threads.
 *
 * Two points next to each other on the skin should have homes that hang together within the cells
 * that these are in, where they are neighbours. Points that do are patches. A patch that is all rim
 * - its area is less than its border with others times a tenth of a cell - goes over to these, from
 * the border on.
 */
#include "edit/agree_work.h"

/* Finest cells. */
static const double RIM_WIDTH = 0.1;
enum { NEAR_MOST = 64 };

typedef struct flakes {
    agree_work* w;
    int32_t count; /* triangles with a point whose home may have changed */
    int32_t* corner;
    int32_t* set;   /* per point: its patch */
    double* area;   /* per patch */
    double* border; /* likewise */
    uint8_t* rim;   /* per point: of a patch that is all rim, and not yet gone over */
} flakes;

static bool is_between(octant o, octant a, octant b) {
    return (o.x == a.x || o.x == b.x) && (o.y == a.y || o.y == b.y) && (o.z == a.z || o.z == b.z);
}

/* Whether two fragments of neighbouring cells hang together within the block that these span.
 * Others do: nothing is known of the way between them. */
static bool hang_together(const matter* m, int32_t from, int32_t to) {
    octant a = octant_of(m->key[from]), b = octant_of(m->key[to]);
    int32_t x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    if (from == to || x * x > 1 || y * y > 1 || z * z > 1) {
        return true;
    }
    int32_t near[NEAR_MOST] = {from}, count = 1;
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t e = m->edge_offset[near[i]]; e < m->edge_offset[near[i] + 1]; ++e) {
            int32_t next = m->edge_node[e];
            bool known = !is_between(octant_of(m->key[next]), a, b);
            for (int32_t k = 0; k < count && !known; ++k) {
                known = near[k] == next;
            }
            if (next == to || (!known && count == NEAR_MOST)) {
                return true;
            }
            if (!known) {
                near[count++] = next;
            }
        }
    }
    return false;
}

static bool agree(const flakes* f, int32_t p, int32_t q) {
    const int32_t* home = f->w->home;
    return home[p] < 0 || home[q] < 0 || hang_together(&f->w->change->after, home[p], home[q]);
}

/* Those of the skin and of the surface that others feel. */
static lim_result list_triangles(flakes* f) {
    const agree_work* w = f->w;
    const surface_change* c = &w->skin->change;
    f->corner = ARENA_ROOM(&f->w->mem, int32_t, 3 * ((int64_t)c->triangle_count + c->felt_count));
    LIM_TRY_MEMORY(f->corner);
    for (int32_t t = 0; t < c->triangle_count + c->felt_count; ++t) {
        int32_t* p = f->corner + 3 * (size_t)f->count;
        bool renewed = false;
        for (int k = 0; k < 3; ++k) {
            size_t at = 3 * (size_t)(t - c->triangle_count) + (size_t)k;
            p[k] = t < c->triangle_count
                       ? agree_vertex_point(w, c->indices[3 * (size_t)t + (size_t)k])
                       : c->felt[at];
            renewed = renewed || w->renew[p[k]] != 0;
        }
        f->count += renewed;
    }
    return LIM_OK;
}

static lim_result find_patches(flakes* f) {
    agree_work* w = f->w;
    f->set = ARENA_ARRAY(&w->mem, int32_t, w->points);
    f->area = ARENA_ARRAY(&w->mem, double, w->points);
    f->border = ARENA_ARRAY(&w->mem, double, w->points);
    f->rim = ARENA_ARRAY(&w->mem, uint8_t, w->points);
    LIM_TRY_MEMORY(f->set);
    LIM_TRY_MEMORY(f->area);
    LIM_TRY_MEMORY(f->border);
    LIM_TRY_MEMORY(f->rim);
    for (int32_t i = 0; i < w->points; ++i) {
        f->set[i] = i;
    }
    for (int32_t i = 0; i < 3 * f->count; ++i) {
        int32_t p = f->corner[i], q = f->corner[i % 3 == 2 ? i - 2 : i + 1];
        if (f->set[p] != f->set[q] && agree(f, p, q)) {
            link_join(f->set, p, q);
        }
    }
    link_name_sets(f->set, w->points);
    return LIM_OK;
}

static bool find_rims(flakes* f) {
    const agree_work* w = f->w;
    bool some = false;
    for (int32_t t = 0; t < f->count; ++t) {
        const int32_t* p = f->corner + 3 * (size_t)t;
        lim_point at[3] = {agree_place(w, p[0]), agree_place(w, p[1]), agree_place(w, p[2])};
        double area = 0.5 * p3_length(p3_cross(p3_sub(at[1], at[0]), p3_sub(at[2], at[0])));
        for (int k = 0; k < 3; ++k) {
            int n = k == 2 ? 0 : k + 1;
            f->area[f->set[p[k]]] += area / 3.0;
            if (f->set[p[k]] != f->set[p[n]]) {
                double length = p3_length(p3_sub(at[n], at[k]));
                f->border[f->set[p[k]]] += length;
                f->border[f->set[p[n]]] += length;
                some = true;
            }
        }
    }
    double width = RIM_WIDTH * w->change->after.side;
    for (int32_t i = 0; i < 3 * f->count && some; ++i) {
        int32_t p = f->corner[i], patch = f->set[p];
        f->rim[p] = f->area[patch] < width * f->border[patch];
    }
    return some;
}

/* From the border on: a point of a rim takes the home of one beside it that is not of it. */
static void go_over(flakes* f) {
    agree_work* w = f->w;
    for (bool going = true; going;) {
        going = false;
        for (int32_t i = 0; i < 3 * f->count; ++i) {
            int32_t p = f->corner[i], q = f->corner[i % 3 == 2 ? i - 2 : i + 1];
            if (f->rim[p] == f->rim[q]) {
                continue;
            }
            int32_t goes = f->rim[p] ? p : q, to = f->rim[p] ? q : p;
            if (w->home[to] >= 0) {
                w->home[goes] = w->home[to];
                w->renew[goes] = 1;
                f->rim[goes] = 0;
                going = true;
            }
        }
    }
}

lim_result agree_flakes(agree_work* w) {
    flakes f = {.w = w};
    LIM_TRY(list_triangles(&f));
    LIM_TRY(find_patches(&f));
    if (find_rims(&f)) {
        go_over(&f);
    }
    return LIM_OK;
}

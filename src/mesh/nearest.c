/* SPDX-License-Identifier: MIT
 * Job: nearest points. In: points, then places. Out: for each place the few nearest points. A k-d
 * tree (Bentley 1975) without pointers: each range of the order is sorted along its widest axis and
 * parted at its middle. What is found does not depend on the shape of the tree.
 */
#include "mesh/nearest.h"

#include "base/sort.h"

enum { LEAF = 8, DEPTH_MOST = 40 };

typedef struct range {
    int32_t begin, end;
} range;

static float coordinate(lim_vec3 p, int axis) {
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static int widest_axis(const nearest_tree* t, range r) {
    lim_vec3 low = t->point[t->order[r.begin]], high = low;
    for (int32_t i = r.begin + 1; i < r.end; ++i) {
        low = v3_min(low, t->point[t->order[i]]);
        high = v3_max(high, t->point[t->order[i]]);
    }
    lim_vec3 side = v3_sub(high, low);
    int axis = side.y > side.x ? 1 : 0;
    return side.z > coordinate(side, axis) ? 2 : axis;
}

static void sort_range(nearest_tree* t, range r, sort_item* items, sort_item* spare) {
    int axis = widest_axis(t, r);
    for (int32_t i = r.begin; i < r.end; ++i) {
        double x = (double)coordinate(t->point[t->order[i]], axis);
        items[i - r.begin] = (sort_item){.key = sort_key_double(x), .value = t->order[i]};
    }
    sort_items(items, spare, r.end - r.begin);
    for (int32_t i = r.begin; i < r.end; ++i) {
        t->order[i] = items[i - r.begin].value;
    }
    t->axis[(r.begin + r.end) / 2] = (uint8_t)axis;
}

lim_result nearest_build(arena* a, const lim_vec3* point, int32_t count, nearest_tree* out) {
    *out = (nearest_tree){.count = count, .point = point};
    out->order = ARENA_ARRAY(a, int32_t, count);
    out->axis = ARENA_ARRAY(a, uint8_t, count);
    sort_item* items = ARENA_ARRAY(a, sort_item, count);
    sort_item* spare = ARENA_ARRAY(a, sort_item, count);
    if (out->order == NULL || out->axis == NULL || items == NULL || spare == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < count; ++i) {
        out->order[i] = i;
    }
    range stack[DEPTH_MOST] = {{0, count}};
    for (int depth = 1; depth > 0;) {
        range r = stack[--depth];
        if (r.end - r.begin <= LEAF) {
            continue;
        }
        sort_range(out, r, items, spare);
        int32_t middle = (r.begin + r.end) / 2;
        stack[depth++] = (range){r.begin, middle};
        stack[depth++] = (range){middle + 1, r.end};
    }
    return LIM_OK;
}

typedef struct search {
    const nearest_tree* tree;
    lim_vec3 at;
    int32_t want, count;
    nearest_found* found;
} search;

static void consider(search* s, int32_t point) {
    lim_vec3 p = s->tree->point[point];
    double x = (double)p.x - (double)s->at.x, y = (double)p.y - (double)s->at.y;
    double z = (double)p.z - (double)s->at.z, d2 = x * x + y * y + z * z;
    int32_t i = s->count < s->want ? s->count++ : s->want;
    for (; i > 0; --i) {
        const nearest_found* before = &s->found[i - 1];
        if (before->distance2 < d2 || (before->distance2 <= d2 && before->point < point)) {
            break;
        }
        if (i < s->want) {
            s->found[i] = *before;
        }
    }
    if (i < s->want) {
        s->found[i] = (nearest_found){point, d2};
    }
}

/* A range and how far away, squared, it is at least. */
typedef struct task {
    range r;
    double distance2;
} task;

int32_t nearest_find(const nearest_tree* tree, lim_vec3 at, int32_t want, nearest_found* out) {
    search s = {tree, at, want, 0, out};
    task stack[DEPTH_MOST] = {{{0, tree->count}, 0.0}};
    for (int depth = 1; depth > 0 && want > 0;) {
        task t = stack[--depth];
        if (s.count == want && t.distance2 > out[want - 1].distance2) {
            continue;
        }
        if (t.r.end - t.r.begin <= LEAF) {
            for (int32_t i = t.r.begin; i < t.r.end; ++i) {
                consider(&s, tree->order[i]);
            }
            continue;
        }
        int32_t middle = (t.r.begin + t.r.end) / 2, point = tree->order[middle];
        int axis = tree->axis[middle];
        double away = (double)coordinate(at, axis) - (double)coordinate(tree->point[point], axis);
        range low = {t.r.begin, middle}, high = {middle + 1, t.r.end};
        double beyond = away * away > t.distance2 ? away * away : t.distance2;
        consider(&s, point);
        /* The nearer side is looked at first: it lies on top. */
        stack[depth++] = (task){away < 0.0 ? high : low, beyond};
        stack[depth++] = (task){away < 0.0 ? low : high, t.distance2};
    }
    return s.count;
}

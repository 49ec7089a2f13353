/* SPDX-License-Identifier: MIT
 * Job: the nearest points. In: points, then questions. Out: indices in order of distance. Each
 * range of the order is split at its middle along its longest side; a question goes down the nearer
 * half first and into the other only when that can hold something nearer.
 */
#include "sample/nearest.h"

static float coordinate(const nearest_tree* t, int32_t point, int axis) {
    const lim_vec3* p = t->at + point;
    return axis == 0 ? p->x : axis == 1 ? p->y : p->z;
}

/* A unique order along an axis. */
static bool before(const nearest_tree* t, int32_t a, int32_t b, int axis) {
    float x = coordinate(t, a, axis), y = coordinate(t, b, axis);
    return x < y || (x == y && a < b);
}

static void swap(int32_t* a, int32_t* b) {
    int32_t keep = *a;
    *a = *b;
    *b = keep;
}

/* Puts the entry that belongs at `to` there, lower ones before and higher ones behind. */
static void select_middle(nearest_tree* t, int32_t begin, int32_t end, int32_t to, int axis) {
    int32_t* o = t->order;
    while (end - begin > 1) {
        int32_t low = begin, middle = begin + (end - begin) / 2, high = end - 1;
        /* The middle one of three is the pivot, and goes to the end. */
        if (before(t, o[middle], o[low], axis)) {
            swap(o + middle, o + low);
        }
        if (before(t, o[high], o[low], axis)) {
            swap(o + high, o + low);
        }
        if (before(t, o[middle], o[high], axis)) {
            swap(o + middle, o + high);
        }
        int32_t pivot = o[end - 1], place = begin;
        for (int32_t i = begin; i < end - 1; ++i) {
            if (before(t, o[i], pivot, axis)) {
                swap(o + i, o + place++);
            }
        }
        swap(o + place, o + end - 1);
        if (place == to) {
            return;
        }
        begin = place < to ? place + 1 : begin;
        end = place < to ? end : place;
    }
}

static int longest_axis(const nearest_tree* t, int32_t begin, int32_t end) {
    lim_vec3 low = t->at[t->order[begin]], high = low;
    for (int32_t i = begin + 1; i < end; ++i) {
        low = v3_min(low, t->at[t->order[i]]);
        high = v3_max(high, t->at[t->order[i]]);
    }
    lim_vec3 side = v3_sub(high, low);
    return side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
}

static void split(nearest_tree* t, int32_t begin, int32_t end) {
    while (end - begin > 1) {
        int axis = longest_axis(t, begin, end);
        int32_t middle = begin + (end - begin) / 2;
        select_middle(t, begin, end, middle, axis);
        t->axis[middle] = (uint8_t)axis;
        split(t, begin, middle);
        begin = middle + 1;
    }
}

lim_result nearest_build(arena* a, const lim_vec3* at, int32_t count, nearest_tree* out) {
    nearest_tree t = {.count = count, .at = at};
    t.order = ARENA_ARRAY(a, int32_t, count);
    t.axis = ARENA_ARRAY(a, uint8_t, count);
    LIM_TRY_MEMORY(t.order);
    LIM_TRY_MEMORY(t.axis);
    for (int32_t i = 0; i < count; ++i) {
        t.order[i] = i;
    }
    split(&t, 0, count);
    *out = t;
    return LIM_OK;
}

typedef struct search {
    const nearest_tree* tree;
    lim_point to;
    int32_t wanted, skip, found;
    int32_t* index;
    double* square;
} search;

/* Keeps the list in order of (square, index). */
static void offer(search* s, int32_t point) {
    lim_point r = p3_sub(p3_of(s->tree->at[point]), s->to);
    double square = p3_dot(r, r);
    int32_t to = s->found;
    while (to > 0 && (square < s->square[to - 1] ||
                      (square == s->square[to - 1] && point < s->index[to - 1]))) {
        to--;
    }
    if (to >= s->wanted || point == s->skip) {
        return;
    }
    s->found += s->found < s->wanted;
    for (int32_t k = s->found - 1; k > to; --k) {
        s->index[k] = s->index[k - 1];
        s->square[k] = s->square[k - 1];
    }
    s->index[to] = point;
    s->square[to] = square;
}

static void look(search* s, int32_t begin, int32_t end) {
    while (end > begin) {
        int32_t middle = begin + (end - begin) / 2, point = s->tree->order[middle];
        int axis = s->tree->axis[middle];
        double way = (axis == 0   ? s->to.x
                      : axis == 1 ? s->to.y
                                  : s->to.z) -
                     (double)coordinate(s->tree, point, axis);
        bool left = way < 0.0;
        offer(s, point);
        look(s, left ? begin : middle + 1, left ? middle : end);
        if (s->found == s->wanted && way * way > s->square[s->found - 1]) {
            return;
        }
        begin = left ? middle + 1 : begin;
        end = left ? end : middle;
    }
}

int32_t nearest_find(const nearest_tree* t, lim_point to, int32_t k, int32_t skip,
                     int32_t out_index[], double out_square[]) {
    search s = {.tree = t,
                .to = to,
                .wanted = k < NEAREST_MOST ? k : NEAREST_MOST,
                .skip = skip,
                .index = out_index,
                .square = out_square};
    look(&s, 0, t->count);
    return s.found;
}

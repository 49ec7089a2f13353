/* SPDX-License-Identifier: MIT
 * Job: the shape of a skyline matrix. In: elements over nodes, and where they lie. Out: an order of
 * the nodes in which rows are short, where each row begins, and how much work a factor is.
 */
#include "hex/skyline.h"

#include "base/disjoint_set.h"
#include "base/sort.h"

#include <string.h>

enum { CORNERS = 8, AXES = 3, STEP = 8 };

typedef struct order {
    int32_t nodes, elements;
    int32_t (*at)[3];
    int32_t (*corner)[CORNERS];
    int32_t *part, (*place)[AXES], (*low)[AXES], (*high)[AXES];
    sort_item *item, *spare;
} order;

static lim_result allocate(arena* scratch, order* o) {
    o->part = ARENA_ARRAY(scratch, int32_t, o->nodes);
    o->place = arena_alloc(scratch, (size_t)o->nodes, sizeof *o->place);
    o->low = arena_alloc(scratch, (size_t)o->nodes, sizeof *o->low);
    o->high = arena_alloc(scratch, (size_t)o->nodes, sizeof *o->high);
    o->item = ARENA_ARRAY(scratch, sort_item, o->nodes);
    o->spare = ARENA_ARRAY(scratch, sort_item, o->nodes);
    LIM_TRY_MEMORY(o->part);
    LIM_TRY_MEMORY(o->place);
    LIM_TRY_MEMORY(o->low);
    LIM_TRY_MEMORY(o->high);
    LIM_TRY_MEMORY(o->item);
    LIM_TRY_MEMORY(o->spare);
    return LIM_OK;
}

/* Connected parts, where each node lies, and the box of each part. */
static void find_parts(order* o) {
    disjoint_init(o->part, o->nodes);
    for (int32_t e = 0; e < o->elements; ++e) {
        for (int c = 0; c < CORNERS; ++c) {
            int32_t node = o->corner[e][c];
            disjoint_join(o->part, o->corner[e][0], node);
            for (int k = 0; k < AXES; ++k) {
                o->place[node][k] = o->at[e][k] + (c >> k & 1);
            }
        }
    }
    int32_t parts = disjoint_name(o->part, o->nodes);
    for (int32_t p = 0; p < parts; ++p) {
        for (int k = 0; k < AXES; ++k) {
            o->low[p][k] = INT32_MAX;
        }
    }
    for (int32_t n = 0; n < o->nodes; ++n) {
        int32_t p = o->part[n];
        for (int k = 0; k < AXES; ++k) {
            int32_t at = o->place[n][k];
            o->low[p][k] = at < o->low[p][k] ? at : o->low[p][k];
            o->high[p][k] = at > o->high[p][k] ? at : o->high[p][k];
        }
    }
}

/* By part, then along its longest axis. */
static void sort_nodes(order* o) {
    for (int32_t n = 0; n < o->nodes; ++n) {
        int32_t p = o->part[n], longest = 0;
        for (int k = 1; k < AXES; ++k) {
            bool longer = o->high[p][k] - o->low[p][k] > o->high[p][longest] - o->low[p][longest];
            longest = longer ? k : longest;
        }
        uint64_t key = 0;
        for (int k = 0; k < AXES; ++k) {
            key = key << 21 | (uint64_t)o->place[n][(longest + k) % AXES];
        }
        o->item[n] = (sort_item){.key = key, .value = n};
    }
    sort_items(o->item, o->spare, o->nodes);
    for (int32_t i = 0; i < o->nodes; ++i) {
        o->item[i].key = (uint64_t)o->part[o->item[i].value];
    }
    sort_items(o->item, o->spare, o->nodes);
}

/* Rows reach back to the first node that they share an element with. */
static void shape_rows(const order* o, skyline* s) {
    for (int32_t n = 0; n < o->nodes; ++n) {
        s->place[o->item[n].value] = n;
    }
    for (int32_t i = 0; i < s->size; ++i) {
        s->top[i] = i / AXES;
    }
    for (int32_t e = 0; e < o->elements; ++e) {
        int32_t first = INT32_MAX;
        for (int c = 0; c < CORNERS; ++c) {
            int32_t place = s->place[o->corner[e][c]];
            first = place < first ? place : first;
        }
        for (int c = 0; c < CORNERS; ++c) {
            int32_t* top = s->top + AXES * (size_t)s->place[o->corner[e][c]];
            for (int a = 0; a < AXES; ++a) {
                top[a] = first < top[a] ? first : top[a];
            }
        }
    }
    for (int32_t i = 0; i < s->size; ++i) {
        s->top[i] = AXES * s->top[i] / STEP * STEP;
        double length = (double)(i - s->top[i]);
        s->start[i] = s->entries - (size_t)s->top[i];
        s->entries += (size_t)((i - s->top[i] + STEP - 1) / STEP * STEP);
        s->work += length * length;
    }
}

lim_result skyline_plan(arena* a, arena* scratch, int32_t nodes, int32_t elements, int32_t (*at)[3],
                        int32_t (*corner)[8], skyline* out) {
    order o = {.nodes = nodes, .elements = elements, .at = at, .corner = corner};
    *out = (skyline){.size = AXES * nodes};
    out->place = ARENA_ARRAY(a, int32_t, nodes);
    out->top = ARENA_ARRAY(a, int32_t, out->size);
    out->start = ARENA_ARRAY(a, size_t, out->size);
    LIM_TRY_MEMORY(out->place);
    LIM_TRY_MEMORY(out->top);
    LIM_TRY_MEMORY(out->start);
    LIM_TRY(allocate(scratch, &o));
    find_parts(&o);
    sort_nodes(&o);
    shape_rows(&o, out);
    return LIM_OK;
}

lim_result skyline_room(arena* a, skyline* s) {
    s->a = ARENA_ARRAY(a, double, s->entries);
    s->pivot = ARENA_ARRAY(a, double, s->size);
    s->unknown = ARENA_ARRAY(a, double, (s->size + STEP - 1) / STEP * STEP);
    LIM_TRY_MEMORY(s->a);
    LIM_TRY_MEMORY(s->pivot);
    LIM_TRY_MEMORY(s->unknown);
    return LIM_OK;
}

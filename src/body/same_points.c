/* SPDX-License-Identifier: MIT
 * Job: recognise points. In: two topologies made from a third. Out: which point is which. Points of
 * the third keep their numbers; new ones are found by place in a hash table, of whose order nothing
 * depends: two points at one place of one node are bound alike.
 */
#include "body/same_points.h"

#include "base/hash.h"

#include <string.h>

typedef struct point_table {
    const topology* like;
    int32_t* head; /* 1 + the last point of a place, 0: none */
    int32_t* next; /* per point: likewise, the one before it */
    uint64_t last; /* places - 1 */
} point_table;

static uint64_t hash_of(const point_table* p, lim_vec3 at) {
    uint32_t x, y, z;
    memcpy(&x, &at.x, sizeof x);
    memcpy(&y, &at.y, sizeof y);
    memcpy(&z, &at.z, sizeof z);
    return hash_u64(hash_mix((uint64_t)x << 32 | y), z) & p->last;
}

static bool same_place(lim_vec3 a, lim_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void put(point_table* p, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; ++i) {
        int32_t* head = &p->head[hash_of(p, bindings_rest(&p->like->bind, i))];
        p->next[i] = *head;
        *head = i + 1;
    }
}

static int32_t node_of(const topology* t, int32_t point) {
    return t->fragment_slot[t->point_home[point]];
}

static int32_t look_up(const point_table* p, lim_vec3 at, int32_t node) {
    int32_t i = p->head[hash_of(p, at)];
    while (i > 0 && !(node_of(p->like, i - 1) == node &&
                      same_place(bindings_rest(&p->like->bind, i - 1), at))) {
        i = p->next[i - 1];
    }
    return i - 1;
}

/* The point with the number that point i of `t` has, as the points of `from` go; -1: it is new. */
static int32_t by_number(const topology* from, const topology* like, const topology* t, int32_t i) {
    int32_t skin = t->point_count - 1, old = from->point_count - 1, felt = i - t->point_count;
    int32_t to = i < skin ? (i < old ? i : -1)
                 : i > skin
                     ? (felt < from->bind.count - from->point_count ? like->point_count + felt : -1)
                     : like->point_count - 1;
    return to < like->bind.count ? to : -1;
}

lim_result same_points_find(arena* a, const topology* from, const topology* like, const topology* t,
                            const kept_nodes* kept, int32_t** out) {
    int32_t* same = *out = ARENA_ROOM(a, int32_t, t->bind.count);
    point_table p = {.like = like, .last = 1023};
    while ((int64_t)p.last < (int64_t)like->bind.count - from->bind.count) {
        p.last = 2 * p.last + 1;
    }
    p.head = ARENA_ARRAY(a, int32_t, p.last + 1);
    p.next = ARENA_ROOM(a, int32_t, like->bind.count);
    LIM_TRY_MEMORY(same);
    LIM_TRY_MEMORY(p.head);
    LIM_TRY_MEMORY(p.next);
    put(&p, from->point_count - 1, like->point_count - 1);
    put(&p, like->point_count + from->bind.count - from->point_count, like->bind.count);
    for (int32_t i = 0; i < t->bind.count; ++i) {
        lim_vec3 at = bindings_rest(&t->bind, i);
        int32_t to = by_number(from, like, t, i), node = kept->before[node_of(t, i)];
        if (to < 0) {
            to = node >= 0 ? look_up(&p, at, node) : -1;
        }
        same[i] = to >= 0 && same_place(bindings_rest(&like->bind, to), at) ? to : -1;
    }
    return LIM_OK;
}

/* SPDX-License-Identifier: MIT
 * Job: who is beside whom in one body. In: the graph, which nodes carry the surface that is felt;
 * after an edit also the lists before it. Out: per node that carries some of the surface, all nodes
 * nearer along the graph than a limit, ascending.
 */
#include "body/beside.h"

#include "base/sort.h"

#include <string.h>

/* The distance along the graph below which nodes do not meet, half finest cells: two half-widths of
 * a region, at least two own cells. */
static int32_t beside_limit(const topology* t, int32_t slot) {
    double cells = 2.0 * (t->region_width > 1.0f ? (double)t->region_width : 1.0);
    double half = 2.0 * cells * (double)t->side[slot] / (double)t->cell;
    return half < 30000.0 ? (int32_t)(half + 1.5) : 30000;
}

typedef struct besides {
    body* b;
    distance_search search;
    sort_item *items, *spare;
    /* after an edit: */
    const body_meeting* had; /* null: none */
    const int32_t* before;   /* per slot, -1 */
    int32_t* after;          /* per slot before: that of the same node with the same edges, -1 */
} besides;

/* Appends the slots nearer than the limit to one slot, ascending. */
static bool search_from(besides* s, int32_t slot) {
    body_meeting* m = &s->b->meeting;
    distance_search_run(&s->search, slot, beside_limit(s->b->topology, slot));
    for (int32_t k = 0; k < s->search.count; ++k) {
        int32_t found = s->search.found[k];
        s->items[k] = (sort_item){.key = (uint64_t)(uint32_t)found, .value = found};
    }
    sort_items(s->items, s->spare, s->search.count);
    bool room = ARRAY_RESERVE(&s->b->host, &m->beside, (int64_t)m->beside.count + s->search.count);
    for (int32_t k = 0; k < s->search.count && room; ++k) {
        m->beside.data[m->beside.count++] = s->items[k].value;
    }
    return room;
}

/* A search from the node would go along the edges of those that it found, and nowhere else: if all
 * of these are the same it finds the same. Appends them, numbers moved; false: some are not, or are
 * in another order. */
static bool take_over(besides* s, int32_t slot) {
    int32_t was = s->had != NULL ? s->before[slot] : -1;
    int32_t begin = was >= 0 ? s->had->beside_offset.data[was] : 0;
    int32_t end = was >= 0 ? s->had->beside_offset.data[was + 1] : 0, last = -1;
    body_meeting* m = &s->b->meeting;
    if (begin == end || /* it carried none of the surface */
        !ARRAY_RESERVE(&s->b->host, &m->beside, (int64_t)m->beside.count + (end - begin))) {
        return false;
    }
    for (int32_t k = begin; k < end; ++k) {
        int32_t now = s->after[s->had->beside.data[k]];
        if (now <= last) {
            return false;
        }
        m->beside.data[m->beside.count + (k - begin)] = last = now;
    }
    m->beside.count += end - begin;
    return true;
}

static lim_result list_all(besides* s, arena* scratch) {
    const topology* t = s->b->topology;
    body_meeting* m = &s->b->meeting;
    LIM_TRY(distance_search_init(&s->search, scratch, topology_graph(t)));
    uint8_t* feels = ARENA_ARRAY(scratch, uint8_t, t->slot_count);
    s->items = ARENA_ROOM(scratch, sort_item, t->slot_count);
    s->spare = ARENA_ROOM(scratch, sort_item, t->slot_count);
    LIM_TRY_MEMORY(feels);
    LIM_TRY_MEMORY(s->items);
    LIM_TRY_MEMORY(s->spare);
    for (int32_t i = 0; i < t->surface.patch_count; ++i) {
        feels[t->surface.patch_node[i]] = 1;
    }
    m->beside.count = m->beside_offset.count = 0;
    bool room = ARRAY_PUSH(&s->b->host, &m->beside_offset, 0);
    for (int32_t i = 0; i < t->slot_count && room; ++i) {
        room = !feels[i] || take_over(s, i) || search_from(s, i);
        room = room && ARRAY_PUSH(&s->b->host, &m->beside_offset, m->beside.count);
    }
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

lim_result body_beside_find(body* b) {
    besides s = {.b = b};
    arena scratch;
    arena_init(&scratch, &b->host);
    lim_result result = list_all(&s, &scratch);
    arena_release(&scratch);
    return result;
}

static bool same_row(const topology* t, int32_t i, const topology* old, int32_t k,
                     const int32_t* before) {
    int32_t at = t->edge_offset[i], was = old->edge_offset[k], count = t->edge_offset[i + 1] - at;
    bool same = count == old->edge_offset[k + 1] - was;
    for (int32_t e = 0; e < count && same; ++e) {
        same = before[t->edge_node[at + e]] == old->edge_node[was + e] &&
               t->edge_length[at + e] == old->edge_length[was + e];
    }
    return same;
}

static lim_result carry(besides* s, arena* scratch, const topology* old) {
    const topology* t = s->b->topology;
    s->after = ARENA_ROOM(scratch, int32_t, old->slot_count);
    LIM_TRY_MEMORY(s->after);
    memset(s->after, 0xFF, (size_t)old->slot_count * sizeof(int32_t));
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (s->before[i] >= 0 && same_row(t, i, old, s->before[i], s->before)) {
            s->after[s->before[i]] = i;
        }
    }
    return list_all(s, scratch);
}

lim_result body_beside_carry(body* b, const body* from, const int32_t* before) {
    bool known = from->meeting.beside_offset.count == from->topology->slot_count + 1 &&
                 from->topology->cell == b->topology->cell &&
                 from->topology->region_width == b->topology->region_width;
    if (!known) {
        return body_beside_find(b);
    }
    besides s = {.b = b, .had = &from->meeting, .before = before};
    arena scratch;
    arena_init(&scratch, &b->host);
    lim_result result = carry(&s, &scratch, from->topology);
    arena_release(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT
 * Job: thin the points that feel contacts. In: bindings, normals, cell sizes. Out: bindings of
 * those that stay. A point's class is the node it follows most, its box of half that node's cell,
 * and the axis and sign along which it looks most: no node loses its last point, and the sides of a
 * thin sheet stay apart.
 */
#include "body/touch.h"

/* A box of a node with points in it: the classes there, by where they look, on each surface. */
typedef struct touch_box {
    uint64_t place;
    int32_t next;                                /* 1 + another box of the node, 0: none */
    int32_t best[TOUCH_SURFACES][SURFACE_LOOKS]; /* 1 + the best point so far, 0: none */
} touch_box;

static uint64_t place_of(const topology* t, int32_t i, int32_t slot) {
    double half = 0.5 * (double)(t->side[slot] > 0.0f ? t->side[slot] : t->cell);
    uint64_t place = 0;
    for (int k = 0; k < 3; ++k) {
        /* Rest coordinates are at most some units; cells at least a few millionths of one. */
        double at = (double)t->bind.rest[k][i] / half + 1048576.0;
        at = at > 0.0 ? (at < 2097151.0 ? at : 2097151.0) : 0.0;
        place = place << 21 | (uint64_t)at;
    }
    return place;
}

/* How far a point stands out, along where its class looks. */
static float stands_out(const topology* t, int32_t i, int32_t look) {
    float along = t->bind.rest[look / 2][i];
    return look % 2 == 1 ? along : -along;
}

/* Boxes of all nodes, in lists. */
typedef struct touch_boxes {
    int32_t* first; /* per slot: 1 + a box, 0: none */
    touch_box* box;
    int32_t count;
} touch_boxes;

static touch_box* box_at(touch_boxes* all, int32_t slot, uint64_t place) {
    for (int32_t b = all->first[slot]; b != 0; b = all->box[b - 1].next) {
        if (all->box[b - 1].place == place) {
            return &all->box[b - 1];
        }
    }
    touch_box* made = &all->box[all->count++];
    *made = (touch_box){.place = place, .next = all->first[slot]};
    all->first[slot] = all->count;
    return made;
}

/* Points come in their order, so that of equal ones the first is kept. Which is better is anyone's
 * guess: nothing to branch on. */
static int32_t better(const topology* t, int32_t i, int32_t look, int32_t best) {
    float than = stands_out(t, best > 0 ? best - 1 : i, look);
    bool more = (best == 0) | (stands_out(t, i, look) > than);
    return more ? i + 1 : best;
}

/* Those that are the best of their classes in the end. */
static void put_best(const touch_boxes* all, int surface, uint8_t* stays) {
    for (int32_t b = 0; b < all->count; ++b) {
        for (int look = 0; look < SURFACE_LOOKS; ++look) {
            int32_t best = all->box[b].best[surface][look];
            if (best > 0) {
                stays[best - 1] = 1;
            }
        }
    }
}

lim_result touch_choose(const topology* t, arena* scratch,
                        const lim_vec3* const normal[TOUCH_SURFACES],
                        uint8_t* out_stays[TOUCH_SURFACES]) {
    int32_t count = t->bind.count;
    touch_boxes all = {.first = ARENA_ARRAY(scratch, int32_t, t->slot_count),
                       .box = ARENA_ROOM(scratch, touch_box, count)};
    LIM_TRY_MEMORY(all.first);
    LIM_TRY_MEMORY(all.box);
    for (int s = 0; s < TOUCH_SURFACES; ++s) {
        out_stays[s] = normal[s] != NULL ? ARENA_ARRAY(scratch, uint8_t, count) : NULL;
        if (normal[s] != NULL && out_stays[s] == NULL) {
            return LIM_ERROR_MEMORY;
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        touch_box* at = NULL;
        for (int s = 0; s < TOUCH_SURFACES && normal[s] != NULL; ++s) {
            int32_t look = surface_look(normal[s][i]);
            if (look == SURFACE_LOOKS) {
                out_stays[s][i] = !t->felt_coarse;
                continue;
            }
            int32_t slot = t->bind.bind[i].node[0];
            at = at != NULL ? at : box_at(&all, slot, place_of(t, i, slot));
            at->best[s][look] = better(t, i, look, at->best[s][look]);
        }
    }
    for (int s = 0; s < TOUCH_SURFACES && normal[s] != NULL; ++s) {
        put_best(&all, s, out_stays[s]);
        out_stays[s][t->point_count - 1] = 0; /* the centre of mass (body/topology.h) */
    }
    return LIM_OK;
}

lim_result touch_build(topology* t, const uint8_t* stays) {
    const bindings* from = &t->bind;
    bindings* to = &t->touch;
    for (int32_t i = 0; i < from->count; ++i) {
        to->count += stays[i];
    }
    to->bind = ARENA_ROOM(&t->mem, binding, to->count);
    to->component = ARENA_ROOM(&t->mem, int32_t, to->count);
    LIM_TRY_MEMORY(to->bind);
    LIM_TRY_MEMORY(to->component);
    for (int k = 0; k < 3; ++k) {
        to->rest[k] = ARENA_ROOM(&t->mem, float, to->count);
        LIM_TRY_MEMORY(to->rest[k]);
    }
    int32_t next = 0;
    for (int32_t i = 0; i < from->count; ++i) {
        if (stays[i]) {
            to->bind[next] = from->bind[i];
            to->component[next] = from->component[i];
            for (int k = 0; k < 3; ++k) {
                to->rest[k][next] = from->rest[k][i];
            }
            next++;
        }
    }
    return LIM_OK;
}

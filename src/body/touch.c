/* SPDX-License-Identifier: MIT
 * Job: thin the points that feel contacts. In: bindings, normals, cell sizes. Out: bindings of
 * those that stay. A point's class is the node it follows most, its box of half that node's cell,
 * and the axis and sign along which it looks most: no node loses its last point, and the sides of a
 * thin sheet stay apart.
 */
#include "body/touch.h"

#include "base/hash.h"

#include <string.h>

typedef struct touch_point {
    uint64_t box, rest; /* the class */
    float out;          /* how far it stands out, along where its class looks */
} touch_point;

static touch_point class_of(const topology* t, int32_t i, int32_t look) {
    int32_t slot = t->bind.bind[i].node[0];
    double half = 0.5 * (double)(t->side[slot] > 0.0f ? t->side[slot] : t->cell);
    touch_point p = {.rest = (uint64_t)(uint32_t)slot << 8 | (uint64_t)(uint32_t)look};
    for (int k = 0; k < 3; ++k) {
        /* Rest coordinates are at most some units; cells at least a few millionths of one. */
        double at = (double)t->bind.rest[k][i] / half + 1048576.0;
        at = at > 0.0 ? (at < 2097151.0 ? at : 2097151.0) : 0.0;
        p.box = p.box << 21 | (uint64_t)at;
    }
    float along = t->bind.rest[look / 2][i];
    p.out = look % 2 == 1 ? along : -along;
    return p;
}

/* The place of a point's class in a table of a power of two places: its first point + 1, or free.
 */
static int32_t* class_place(const touch_point* points, const touch_point* p, int32_t* table,
                            uint64_t last) {
    uint64_t place = hash_mix(p->box ^ hash_mix(p->rest)) & last;
    while (table[place] != 0) {
        const touch_point* other = &points[table[place] - 1];
        if (other->box == p->box && other->rest == p->rest) {
            break;
        }
        place = (place + 1) & last;
    }
    return &table[place];
}

/* The table holds the best point of each class so far; points come in their order, so that of equal
 * ones the first is kept, wherever the classes lie in the table. */
lim_result touch_choose(const topology* t, arena* scratch, const lim_vec3* normal,
                        uint8_t** out_stays) {
    int32_t count = t->bind.count;
    uint64_t places = 16;
    while (places < 2 * (uint64_t)count) {
        places *= 2;
    }
    uint8_t* stays = ARENA_ARRAY(scratch, uint8_t, count);
    touch_point* points =
        ARENA_ROOM(scratch, touch_point, count); /* of those that look somewhere */
    int32_t* table = ARENA_ARRAY(scratch, int32_t, places);
    LIM_TRY_MEMORY(stays);
    LIM_TRY_MEMORY(points);
    LIM_TRY_MEMORY(table);
    for (int32_t i = 0; i < count; ++i) {
        int32_t look = surface_look(normal[i]);
        if (look == SURFACE_LOOKS) {
            stays[i] = !t->felt_coarse;
            continue;
        }
        points[i] = class_of(t, i, look);
        int32_t* best = class_place(points, &points[i], table, places - 1);
        if (*best == 0 || points[i].out > points[*best - 1].out) {
            if (*best != 0) {
                stays[*best - 1] = 0;
            }
            *best = i + 1;
            stays[i] = 1;
        }
    }
    stays[t->point_count - 1] = 0; /* the centre of mass (body/topology.h) feels nothing */
    *out_stays = stays;
    return LIM_OK;
}

lim_result touch_build(topology* t, arena* scratch, const lim_vec3* normal, uint8_t** out_stays) {
    const bindings* from = &t->bind;
    LIM_TRY(touch_choose(t, scratch, normal, out_stays));
    const uint8_t* stays = *out_stays;
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

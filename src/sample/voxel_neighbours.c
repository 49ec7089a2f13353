/* SPDX-License-Identifier: MIT
 * Job: the cells around each cell. In: cells in order of key. Out: 27 numbers per cell. From the
 * root down: a cell's neighbours are children of its parent's, so nothing is searched for.
 */
#include "sample/voxels.h"

#include <string.h>

enum { SIDE = 4, AROUND = SIDE * SIDE * SIDE }; /* a block's 2^3 cells and one more on each side */

/* The blocks of a level, in order of key. */
typedef struct block_level {
    int32_t count;
    int32_t (*child)[8]; /* -1: none */
    int32_t (*near)[27];
} block_level;

/* Blocks of cells, or of the blocks of the next finer level. `first`: a cell of each of these; out:
 * one of each block. */
static lim_result make_blocks(arena* a, const voxels* v, int32_t up, int32_t count, int32_t* first,
                              block_level* out) {
    *out = (block_level){.child = arena_room(a, (size_t)count, sizeof *out->child)};
    LIM_TRY_MEMORY(out->child);
    uint64_t last = 0;
    for (int32_t i = 0; i < count; ++i) {
        uint64_t key = v->cell.data[first[i]].key >> 3 * (up - 1);
        if (i == 0 || key >> 3 != last) {
            memset(out->child[out->count], 0xFF, sizeof *out->child);
            first[out->count++] = first[i];
            last = key >> 3;
        }
        out->child[out->count - 1][key & 7] = i;
    }
    out->near = arena_room(a, (size_t)out->count, sizeof *out->near);
    return out->near != NULL ? LIM_OK : LIM_ERROR_MEMORY;
}

/* Per cell around a block's: which of the 27 blocks around holds it, and which of its children it
 * is. */
typedef struct surroundings {
    uint8_t block[AROUND], child[AROUND];
} surroundings;

static void find_surroundings(surroundings* out) {
    for (int i = 0; i < AROUND; ++i) {
        int x = i % SIDE + 1, y = i / SIDE % SIDE + 1, z = i / (SIDE * SIDE) + 1;
        out->block[i] = (uint8_t)(x / 2 + 3 * (y / 2) + 9 * (z / 2));
        out->child[i] = (uint8_t)((x & 1) + 2 * (y & 1) + 4 * (z & 1));
    }
}

/* The neighbours of the children of a block. */
static void pass_down(const block_level* l, const surroundings* s, int32_t block,
                      int32_t (*near)[27]) {
    int32_t around[AROUND];
    for (int i = 0; i < AROUND; ++i) {
        int32_t from = l->near[block][s->block[i]];
        around[i] = from >= 0 ? l->child[from][s->child[i]] : -1;
    }
    for (int k = 0; k < 8; ++k) {
        int32_t child = l->child[block][k];
        int corner = (k & 1) + SIDE * (k >> 1 & 1) + SIDE * SIDE * (k >> 2);
        for (int z = 0; z < 3 && child >= 0; ++z) {
            for (int y = 0; y < 3; ++y) {
                memcpy(near[child] + 3 * y + 9 * z, around + corner + SIDE * y + SIDE * SIDE * z,
                       3 * sizeof(int32_t));
            }
        }
    }
}

static lim_result find(voxels* v, arena* scratch) {
    block_level level[OCTANT_LEVELS + 1]; /* level[0]: above the cells */
    int32_t count = v->cell.count;
    int32_t* first = ARENA_ROOM(scratch, int32_t, count);
    v->near = arena_room(&v->mem, (size_t)count, sizeof *v->near);
    LIM_TRY_MEMORY(first);
    LIM_TRY_MEMORY(v->near);
    for (int32_t i = 0; i < count; ++i) {
        first[i] = i;
    }
    if (v->level == 0 && count > 0) {
        memset(v->near, 0xFF, sizeof *v->near);
        v->near[0][13] = 0;
        return LIM_OK;
    }
    for (int32_t up = 1; up <= v->level; ++up) {
        LIM_TRY(make_blocks(scratch, v, up, count, first, &level[up - 1]));
        count = level[up - 1].count;
    }
    if (count == 0) {
        return LIM_OK;
    }
    memset(level[v->level - 1].near, 0xFF, sizeof *v->near);
    level[v->level - 1].near[0][13] = 0;
    surroundings s;
    find_surroundings(&s);
    for (int32_t up = v->level; up >= 1; --up) {
        const block_level* l = &level[up - 1];
        for (int32_t i = 0; i < l->count; ++i) {
            pass_down(l, &s, i, up > 1 ? level[up - 2].near : v->near);
        }
    }
    return LIM_OK;
}

lim_result voxels_neighbours(voxels* v) {
    arena scratch;
    arena_init(&scratch, &v->host);
    lim_result result = find(v, &scratch);
    arena_release(&scratch);
    return result;
}

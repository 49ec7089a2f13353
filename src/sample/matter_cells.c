/* SPDX-License-Identifier: MIT
 * Job: where the cells of a material are. In: fragments by key. Out: cells by number, and where
 * those of each coarser cell begin: they are in a row. Two passes along memory.
 */
#include "sample/matter_cells.h"

static uint64_t code_of(uint64_t key) {
    return key & 0x03FFFFFFFFFFFFFFu;
}

int32_t matter_cells_find(const matter_cells* c, uint64_t key) {
    uint64_t group = code_of(key) >> c->shift;
    if (group >= c->groups) {
        return -1;
    }
    int32_t low = c->group[group], high = c->group[group + 1], end = high;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        bool before = c->key[middle] < key;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < end && c->key[low] == key ? low : -1;
}

int32_t matter_cells_at(const matter_cells* c, int32_t x, int32_t y, int32_t z) {
    int32_t extent = (int32_t)1 << c->level;
    if (x < 0 || y < 0 || z < 0 || x >= extent || y >= extent || z >= extent) {
        return -1;
    }
    return matter_cells_find(c, octant_key((octant){c->level, x, y, z}));
}

lim_result matter_cells_make(arena* a, const matter* m, matter_cells* out) {
    matter_cells c = {.level = m->level, .groups = 1, .shift = 3 * m->level};
    while (c.shift > 0 && 8 * c.groups <= 2 * (uint64_t)m->count) {
        c.groups *= 8;
        c.shift -= 3;
    }
    c.first = ARENA_ROOM(a, int32_t, m->count + 1);
    c.key = ARENA_ROOM(a, uint64_t, m->count);
    c.group = ARENA_ROOM(a, int32_t, c.groups + 1);
    LIM_TRY_MEMORY(c.first);
    LIM_TRY_MEMORY(c.key);
    LIM_TRY_MEMORY(c.group);
    uint64_t next = 0;
    for (int32_t i = 0; i < m->count; ++i) {
        if (i > 0 && m->key[i] == m->key[i - 1]) {
            continue;
        }
        for (; next <= code_of(m->key[i]) >> c.shift; ++next) {
            c.group[next] = c.count;
        }
        c.first[c.count] = i;
        c.key[c.count++] = m->key[i];
    }
    for (; next <= c.groups; ++next) {
        c.group[next] = c.count;
    }
    c.first[c.count] = m->count;
    *out = c;
    return LIM_OK;
}

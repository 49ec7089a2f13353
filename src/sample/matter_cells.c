/* SPDX-License-Identifier: MIT
 * Job: where the cells of a material are. In: fragments by key. Out: cells by number, and a table
 * that is only asked, never walked through: its order is nobody's.
 */
#include "sample/matter_cells.h"

static uint32_t place_of(const matter_cells* c, uint64_t key) {
    return (uint32_t)(key * 0x9E3779B97F4A7C15u >> 32) & (c->slots - 1);
}

int32_t matter_cells_find(const matter_cells* c, uint64_t key) {
    for (uint32_t at = place_of(c, key); c->table[at] != 0; at = (at + 1) & (c->slots - 1)) {
        if (c->key[c->table[at] - 1] == key) {
            return c->table[at] - 1;
        }
    }
    return -1;
}

int32_t matter_cells_at(const matter_cells* c, int32_t x, int32_t y, int32_t z) {
    int32_t extent = (int32_t)1 << c->level;
    if (x < 0 || y < 0 || z < 0 || x >= extent || y >= extent || z >= extent) {
        return -1;
    }
    return matter_cells_find(c, octant_key((octant){c->level, x, y, z}));
}

lim_result matter_cells_make(arena* a, const matter* m, matter_cells* out) {
    matter_cells c = {.level = m->level, .slots = 16};
    for (int32_t i = 0; i < m->count; ++i) {
        c.count += i == 0 || m->key[i] != m->key[i - 1];
    }
    while (c.slots < 2 * (uint32_t)c.count) {
        c.slots *= 2;
    }
    c.first = ARENA_ARRAY(a, int32_t, c.count + 1);
    c.key = ARENA_ARRAY(a, uint64_t, c.count);
    c.table = ARENA_ARRAY(a, int32_t, c.slots);
    LIM_TRY_MEMORY(c.first);
    LIM_TRY_MEMORY(c.key);
    LIM_TRY_MEMORY(c.table);
    int32_t cell = 0;
    for (int32_t i = 0; i < m->count; ++i) {
        if (i > 0 && m->key[i] == m->key[i - 1]) {
            continue;
        }
        c.first[cell] = i;
        c.key[cell] = m->key[i];
        uint32_t at = place_of(&c, m->key[i]);
        while (c.table[at] != 0) {
            at = (at + 1) & (c.slots - 1);
        }
        c.table[at] = ++cell;
    }
    c.first[cell] = m->count;
    *out = c;
    return LIM_OK;
}

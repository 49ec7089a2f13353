/* SPDX-License-Identifier: MIT
 * Job: figure 2 of the octree paper, computed. In: nothing. Out: every node and virtual node with
 * its interval and what the construction of the region does with it. Two searches from n_i: one
 * without a bound, for the intervals as the figure prints them, and the bounded one that the
 * library uses, for the summation nodes.
 */
#include "bench/figure_intervals.h"

#include "region/interval_tree.h"

#include <string.h>

/* The object covers x 2 to 7 and y 0 to 3 of the 8 x 8 cells; n_i is the left lower cell of the
 * block at x 4 to 5, y 2 to 3. */
enum { OBJECT_X = 2, OBJECT_WIDTH = 6, OBJECT_HEIGHT = 4, SEED_X = 4, SEED_Y = 2, CELL = 2 };
enum { OBJECT_CELLS = OBJECT_WIDTH * OBJECT_HEIGHT };

static const struct {
    const char* name;
    int32_t level, x, y;
} names[] = {{"n_i", 3, SEED_X, SEED_Y}, {"n_b", 2, 2, 1}, {"n_c", 2, 1, 1}, {"n_a", 2, 3, 1}};

typedef struct figure_work {
    arena mem;
    pieces tree;
    region_nodes nodes;
    region_tree where;
    graph g;
    int32_t seed;
} figure_work;

/* Pieces of the level above, one per cell: the object is solid. */
static lim_result add_level(figure_work* w, int32_t level) {
    piece_level *here = &w->tree.level[level], *fine = &w->tree.level[level + 1];
    here->key = ARENA_ARRAY(&w->mem, uint64_t, fine->count);
    here->child_first = ARENA_ARRAY(&w->mem, int32_t, fine->count + 1);
    here->child = ARENA_ARRAY(&w->mem, int32_t, fine->count);
    fine->parent = ARENA_ARRAY(&w->mem, int32_t, fine->count);
    if (here->key == NULL || here->child_first == NULL || here->child == NULL ||
        fine->parent == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t p = 0; p < fine->count; ++p) {
        uint64_t key = octant_parent(fine->key[p]);
        if (here->count == 0 || here->key[here->count - 1] != key) {
            here->key[here->count++] = key;
        }
        fine->parent[p] = here->count - 1;
        here->child[p] = p;
        here->child_first[here->count] = p + 1;
    }
    return LIM_OK;
}

static lim_result add_nodes(figure_work* w) {
    piece_level* finest = &w->tree.level[FIGURE_LEVELS];
    float* volume = ARENA_ARRAY(&w->mem, float, OBJECT_CELLS);
    float* x0 = ARENA_ARRAY(&w->mem, float, OBJECT_CELLS);
    int32_t* level = ARENA_ARRAY(&w->mem, int32_t, OBJECT_CELLS);
    int32_t* piece = ARENA_ARRAY(&w->mem, int32_t, OBJECT_CELLS);
    finest->key = ARENA_ARRAY(&w->mem, uint64_t, OBJECT_CELLS);
    if (volume == NULL || x0 == NULL || level == NULL || piece == NULL || finest->key == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t code = 0; code < FIGURE_SIDE * FIGURE_SIDE * FIGURE_SIDE; ++code) {
        uint64_t key = (uint64_t)FIGURE_LEVELS << 58 | (uint64_t)code;
        octant o = octant_of(key);
        if (o.z == 0 && o.y < OBJECT_HEIGHT && o.x >= OBJECT_X && o.x < OBJECT_X + OBJECT_WIDTH) {
            int32_t i = finest->count++;
            finest->key[i] = key;
            volume[i] = 1.0f;
            level[i] = FIGURE_LEVELS;
            piece[i] = i;
            w->seed = o.x == SEED_X && o.y == SEED_Y ? i : w->seed;
        }
    }
    w->nodes = (region_nodes){.count = OBJECT_CELLS,
                              .padded = OBJECT_CELLS, /* a multiple of 8 */
                              .x0 = {x0, x0, x0},
                              .volume = volume,
                              .key = finest->key};
    w->where = (region_tree){&w->tree, level, piece};
    return LIM_OK;
}

/* Cells that touch, also at a corner, are one cell apart: two half cells. */
static lim_result add_graph(figure_work* w) {
    const uint64_t* key = w->nodes.key;
    int32_t edges = 0;
    int32_t* offset = ARENA_ARRAY(&w->mem, int32_t, OBJECT_CELLS + 1);
    int32_t* node = ARENA_ARRAY(&w->mem, int32_t, OBJECT_CELLS * 8);
    uint16_t* length = ARENA_ARRAY(&w->mem, uint16_t, OBJECT_CELLS * 8);
    if (offset == NULL || node == NULL || length == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < OBJECT_CELLS; ++i) {
        octant a = octant_of(key[i]);
        for (int32_t j = 0; j < OBJECT_CELLS; ++j) {
            octant b = octant_of(key[j]);
            if (j != i && b.x - a.x <= 1 && a.x - b.x <= 1 && b.y - a.y <= 1 && a.y - b.y <= 1) {
                node[edges] = j;
                length[edges++] = CELL;
            }
        }
        offset[i + 1] = edges;
    }
    w->g = (graph){OBJECT_CELLS, offset, node, length};
    return LIM_OK;
}

static const char* name_of(const figure_cell* c) {
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        if (names[k].level == c->level && names[k].x == c->x && names[k].y == c->y) {
            return names[k].name;
        }
    }
    return "";
}

/* What the descent did: it came to a cell if the cell above was opened. */
static void set_fates(const interval_tree* t, const interval_search* s, int32_t width,
                      figure_intervals* out) {
    int32_t levels = 0;
    out->summation_nodes = s->count;
    for (int32_t k = 0; k < s->count; ++k) {
        figure_cell* c = &out->cell[s->chosen[k]];
        c->fate = FIGURE_TAKEN;
        out->members += c->nodes;
        levels |= 1 << c->level;
    }
    for (; levels != 0; levels &= levels - 1) {
        out->levels++;
    }
    for (int32_t v = t->count - 1; v >= 0; --v) { /* parents come after their children */
        figure_cell* c = &out->cell[v];
        if (t->parent[v] >= 0 && out->cell[t->parent[v]].fate != FIGURE_OPENED) {
            c->fate = FIGURE_UNSEEN;
        } else if (c->fate != FIGURE_TAKEN) {
            c->fate = interval_least(s, v) > width ? FIGURE_LEFT_OUT : FIGURE_OPENED;
        }
    }
}

static lim_result compute(figure_work* w, figure_intervals* out) {
    LIM_TRY(add_nodes(w));
    for (int32_t level = FIGURE_LEVELS - 1; level >= 0; --level) {
        LIM_TRY(add_level(w, level));
    }
    LIM_TRY(add_graph(w));
    interval_tree t;
    interval_search s;
    LIM_TRY(interval_tree_build(&w->mem, &w->nodes, w->where, &t));
    LIM_TRY(interval_search_init(&s, &w->mem, &t, w->g));
    out->count = t.count;
    interval_search_run(&s, w->seed, CELL, INTERVAL_FAR / 2);
    for (int32_t v = 0; v < t.count; ++v) {
        int32_t level = (int32_t)(t.order[v] >> 32);
        octant o = octant_of(w->tree.level[level].key[t.order[v] & 0xFFFFFFFFu]);
        out->cell[v] = (figure_cell){.level = level,
                                     .x = o.x,
                                     .y = o.y,
                                     .least = interval_least(&s, v) / CELL,
                                     .most = interval_most(&s, v) / CELL,
                                     .nodes = t.leaves[v]};
        out->cell[v].name = name_of(&out->cell[v]);
    }
    interval_search_run(&s, w->seed, CELL, interval_limit(CELL, 1, 2));
    set_fates(&t, &s, CELL, out);
    return LIM_OK;
}

lim_result figure_intervals_make(const lim_host* host, figure_intervals* out) {
    *out = (figure_intervals){0};
    figure_work w = {.tree = {.finest = FIGURE_LEVELS, .side = 1.0 / (double)FIGURE_SIDE}};
    arena_init(&w.mem, host);
    lim_result result = compute(&w, out);
    arena_release(&w.mem);
    return result;
}

const figure_cell* figure_find(const figure_intervals* f, const char* name) {
    for (int32_t k = 0; k < f->count; ++k) {
        if (strcmp(f->cell[k].name, name) == 0) {
            return &f->cell[k];
        }
    }
    return NULL;
}

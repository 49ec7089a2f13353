/* SPDX-License-Identifier: MIT
 * Job: choose the nodes. In: pieces and rules for the size of their cells. Out: the pieces that are
 * nodes.
 *
 * Balance along the graph: when a piece X of a level is split, all that it is linked to is of this
 * level or finer, so the parents of X's neighbours must be split too. The neighbours are those of
 * the level's own graph, where fragments of both are linked: nothing is refined across a wall. What
 * a split asks for lies in coarser levels only, so it is found by a short recursion before anything
 * changes.
 */
#include "sample/adapt.h"

#include "base/sort.h"

enum { STATE_NONE, STATE_LEAF, STATE_PLANNED, STATE_SPLIT };

typedef struct place {
    int32_t level, piece;
} place;

typedef struct choosing {
    const wishes* w;
    const pieces* tree;
    lim_host host;
    int32_t coarsest, budget, count;
    uint8_t* state[OCTANT_LEVELS + 1];
    ARRAY(int32_t) waiting[OCTANT_LEVELS + 1]; /* leaves that no rule has judged yet */
    ARRAY(place) plan;
    ARRAY(sort_item) item, other_item;
} choosing;

static int32_t child_count(const choosing* c, place at) {
    const int32_t* first = c->tree->level[at.level].child_first;
    return first[at.piece + 1] - first[at.piece];
}

/* Adds a piece to the plan, with all that has to be split before it. */
static lim_result plan_split(choosing* c, place at) {
    const piece_level* l = &c->tree->level[at.level];
    uint8_t* state = &c->state[at.level][at.piece];
    if (*state == STATE_SPLIT || *state == STATE_PLANNED) {
        return LIM_OK;
    }
    if (*state == STATE_NONE) {
        LIM_TRY(plan_split(c, (place){at.level - 1, l->parent[at.piece]}));
    }
    if (!ARRAY_PUSH(&c->host, &c->plan, at)) {
        return LIM_ERROR_MEMORY;
    }
    *state = STATE_PLANNED;
    for (int32_t e = l->edge_offset[at.piece]; e < l->edge_offset[at.piece + 1]; ++e) {
        if (c->state[at.level][l->edge_piece[e]] == STATE_NONE) {
            LIM_TRY(plan_split(c, (place){at.level - 1, l->parent[l->edge_piece[e]]}));
        }
    }
    return LIM_OK;
}

/* A planned piece is a leaf until it is split: its parent's split came first or comes now. */
static lim_result carry_out(choosing* c) {
    for (int32_t i = 0; i < c->plan.count; ++i) {
        place at = c->plan.data[i];
        const piece_level* l = &c->tree->level[at.level];
        c->state[at.level][at.piece] = STATE_SPLIT;
        for (int32_t k = l->child_first[at.piece]; k < l->child_first[at.piece + 1]; ++k) {
            int32_t child = l->child[k];
            if (c->state[at.level + 1][child] != STATE_NONE) {
                continue; /* planned, or split a moment ago */
            }
            c->state[at.level + 1][child] = STATE_LEAF;
            if (at.level + 1 < c->tree->finest &&
                !ARRAY_PUSH(&c->host, &c->waiting[at.level + 1], child)) {
                return LIM_ERROR_MEMORY;
            }
        }
    }
    return LIM_OK;
}

static void drop_plan(choosing* c) {
    for (int32_t i = 0; i < c->plan.count; ++i) {
        place at = c->plan.data[i];
        int32_t up = at.level > c->coarsest ? c->tree->level[at.level].parent[at.piece] : -1;
        bool there = up < 0 || c->state[at.level - 1][up] == STATE_SPLIT;
        c->state[at.level][at.piece] = there ? STATE_LEAF : STATE_NONE;
    }
}

static lim_result split(choosing* c, place at, bool forced) {
    int64_t more = 0;
    c->plan.count = 0;
    LIM_TRY(plan_split(c, at));
    for (int32_t i = 0; i < c->plan.count; ++i) {
        more += child_count(c, c->plan.data[i]) - 1;
    }
    if (c->budget > 0 && !forced && c->count + more > c->budget) {
        drop_plan(c);
        return LIM_OK;
    }
    c->count += (int32_t)more;
    return carry_out(c);
}

/* Takes the waiting leaves of a level, judges them and splits the worst first. */
static lim_result refine_level(choosing* c, int32_t level) {
    c->item.count = 0;
    for (int32_t i = 0; i < c->waiting[level].count; ++i) {
        int32_t piece = c->waiting[level].data[i];
        sort_item item = {.key = (uint64_t)piece, .value = piece};
        if (c->state[level][piece] == STATE_LEAF && !ARRAY_PUSH(&c->host, &c->item, item)) {
            return LIM_ERROR_MEMORY;
        }
    }
    c->waiting[level].count = 0;
    int32_t count = c->item.count, found = 0;
    if (!ARRAY_RESERVE(&c->host, &c->other_item, count)) {
        return LIM_ERROR_MEMORY;
    }
    if (count == 0) {
        return LIM_OK;
    }
    sort_item* item = c->item.data;
    sort_items(item, c->other_item.data, count);
    for (int32_t i = 0; i < count; ++i) {
        double excess = wishes_excess(c->w, level, item[i].value);
        if (excess > 1.0) {
            item[found++] = (sort_item){~sort_key_double(excess), item[i].value, !isfinite(excess)};
        }
    }
    sort_items(item, c->other_item.data, found);
    for (int32_t i = 0; i < found; ++i) {
        if (c->state[level][item[i].value] == STATE_LEAF) {
            LIM_TRY(split(c, (place){level, item[i].value}, item[i].extra != 0));
        }
    }
    return LIM_OK;
}

static lim_result refine(choosing* c) {
    for (int32_t level = c->coarsest; level < c->tree->finest;) {
        if (c->waiting[level].count == 0) {
            level++;
            continue;
        }
        LIM_TRY(refine_level(c, level));
        level = c->coarsest; /* balance may have made leaves of coarser levels */
    }
    return LIM_OK;
}

static lim_result list_nodes(arena* a, const choosing* c, adaptation* out) {
    out->level = ARENA_ARRAY(a, int32_t, c->count);
    out->piece = ARENA_ARRAY(a, int32_t, c->count);
    LIM_TRY_MEMORY(out->level);
    LIM_TRY_MEMORY(out->piece);
    for (int32_t l = c->coarsest; l <= c->tree->finest; ++l) {
        for (int32_t i = 0; i < c->tree->level[l].count; ++i) {
            if (c->state[l][i] == STATE_LEAF) {
                out->level[out->count] = l;
                out->piece[out->count++] = i;
            }
        }
    }
    LIM_ASSERT(out->count == c->count);
    return LIM_OK;
}

static lim_result choose(arena* a, arena* scratch, choosing* c, adaptation* out) {
    for (int32_t l = c->coarsest; l <= c->tree->finest; ++l) {
        c->state[l] = ARENA_ARRAY(scratch, uint8_t, c->tree->level[l].count);
        LIM_TRY_MEMORY(c->state[l]);
    }
    c->count = c->tree->level[c->coarsest].count;
    for (int32_t i = 0; i < c->count; ++i) {
        c->state[c->coarsest][i] = STATE_LEAF;
        if (c->coarsest < c->tree->finest && !ARRAY_PUSH(&c->host, &c->waiting[c->coarsest], i)) {
            return LIM_ERROR_MEMORY;
        }
    }
    LIM_TRY(refine(c));
    return list_nodes(a, c, out);
}

lim_result adapt_choose(arena* a, const wishes* w, int32_t coarsest, int32_t budget,
                        adaptation* out) {
    *out = (adaptation){0};
    arena scratch;
    arena_init(&scratch, &a->host);
    choosing c = {.w = w, .tree = w->tree, .host = a->host, .coarsest = coarsest, .budget = budget};
    lim_result result = choose(a, &scratch, &c, out);
    for (int32_t l = 0; l <= OCTANT_LEVELS; ++l) {
        ARRAY_FREE(&c.host, &c.waiting[l]);
    }
    ARRAY_FREE(&c.host, &c.plan);
    ARRAY_FREE(&c.host, &c.item);
    ARRAY_FREE(&c.host, &c.other_item);
    arena_release(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT
 * Job: level of detail. In: pieces, levels now, wishes, limits. Out: levels after.
 *
 * The aim is one closure. Pieces that must be split: those whose fragments wish for finer nodes,
 * and those that are split now and that nobody wishes to see joined. With the parents of each and
 * of its neighbours they are the smallest sound set, which is also where splits and joins one by
 * one end in any order: a join never forbids another one. A set between the present one and the aim
 * has the same aim, so that work may stop anywhere and go on later.
 */
#include "edit/level_sets.h"

#include <float.h>
#include <string.h>

static int8_t clamp_level(const level_sets* s, int8_t level) {
    int32_t low = s->limits.coarsest, high = s->tree->finest;
    return (int8_t)(level < low ? low : level > high ? high : level);
}

static lim_result check(const level_sets* s, const int8_t* now) {
    const pieces* tree = s->tree;
    bool fine = s->limits.coarsest >= 0 && s->limits.coarsest <= tree->finest &&
                s->limits.nodes >= 0 && s->limits.work >= 0;
    for (int32_t i = 0; i < tree->level[tree->finest].count; ++i) {
        const level_wish* w = &s->wish[i];
        fine = fine && now[i] >= 0 && now[i] <= tree->finest && w->coarsest <= w->finest &&
               w->weight >= 0.0f && w->weight <= FLT_MAX;
    }
    return fine ? LIM_OK : LIM_ERROR_ARGUMENT;
}

static lim_result allocate(level_sets* s) {
    for (int32_t l = 0; l < s->tree->finest; ++l) {
        int32_t n = s->tree->level[l].count;
        s->state[l] = ARENA_ARRAY(s->mem, uint8_t, n);
        s->need[l] = ARENA_ARRAY(s->mem, int8_t, n);
        s->allow[l] = ARENA_ARRAY(s->mem, int8_t, n);
        s->deep[l] = ARENA_ARRAY(s->mem, int8_t, n);
        LIM_TRY_MEMORY(s->state[l]);
        LIM_TRY_MEMORY(s->need[l]);
        LIM_TRY_MEMORY(s->allow[l]);
        LIM_TRY_MEMORY(s->deep[l]);
        memset(s->allow[l], INT8_MAX, (size_t)n);
        s->total += n;
    }
    return LIM_OK;
}

static void take(level_sets* s, int32_t level, int32_t piece, int8_t need, int8_t allow,
                 int8_t deep) {
    s->need[level][piece] = need > s->need[level][piece] ? need : s->need[level][piece];
    s->allow[level][piece] = allow < s->allow[level][piece] ? allow : s->allow[level][piece];
    s->deep[level][piece] = deep > s->deep[level][piece] ? deep : s->deep[level][piece];
}

/* Wishes of pieces from those of their fragments, then who is to be joined: a piece that all are
 * content with and some wish for, and all below it, whatever they are content with. */
static void gather(level_sets* s, const int8_t* now) {
    const pieces* tree = s->tree;
    const int32_t* up = tree->level[tree->finest].parent;
    for (int32_t i = 0; i < tree->level[tree->finest].count; ++i) {
        take(s, tree->finest - 1, up[i], clamp_level(s, s->wish[i].coarsest),
             clamp_level(s, s->wish[i].finest), now[i]);
    }
    for (int32_t l = tree->finest - 1; l > 0; --l) {
        up = tree->level[l].parent;
        for (int32_t i = 0; i < tree->level[l].count; ++i) {
            take(s, l - 1, up[i], s->need[l][i], s->allow[l][i], s->deep[l][i]);
        }
    }
    for (int32_t l = 0; l < tree->finest; ++l) {
        up = tree->level[l].parent;
        for (int32_t i = 0; i < tree->level[l].count; ++i) {
            bool above = l > 0 && (s->state[l - 1][up[i]] & LEVEL_COARSE);
            if (s->need[l][i] <= l && (above || s->allow[l][i] <= l)) {
                s->state[l][i] = LEVEL_COARSE;
            }
        }
    }
}

/* What is split now and what is aimed at, both sound. What a split asks for lies in coarser levels
 * only, so one pass is enough. Returns the nodes that the aim has. */
static int64_t close_sets(level_sets* s) {
    int64_t full = s->tree->level[0].count;
    s->count = full;
    for (int32_t l = s->tree->finest - 1; l >= 0; --l) {
        const piece_level* at = &s->tree->level[l];
        for (int32_t i = 0; i < at->count; ++i) {
            uint8_t* state = &s->state[l][i];
            *state |= s->deep[l][i] > l ? LEVEL_NOW : 0;
            bool kept = (*state & (LEVEL_NOW | LEVEL_COARSE)) == LEVEL_NOW;
            *state |= kept || s->need[l][i] > l ? LEVEL_FULL : 0;
            uint8_t sets = *state & (LEVEL_NOW | LEVEL_FULL);
            if (sets == 0) {
                continue;
            }
            int32_t more = level_children(s, (level_place){l, i}) - 1;
            s->count += sets & LEVEL_NOW ? more : 0;
            s->refined += sets & LEVEL_NOW && s->deep[l][i] <= l;
            full += sets & LEVEL_FULL ? more : 0;
            if (l > 0) {
                uint8_t* above = s->state[l - 1];
                above[at->parent[i]] |= sets;
                for (int32_t e = at->edge_offset[i]; e < at->edge_offset[i + 1]; ++e) {
                    above[at->parent[at->edge_piece[e]]] |= sets;
                }
            }
        }
    }
    return full;
}

/* The aim within the limit of nodes, and the way to it within that of work. */
static lim_result change(level_sets* s, int64_t full) {
    const pieces* tree = s->tree;
    int64_t work = 0;
    bool fits = s->limits.nodes == 0 || full <= s->limits.nodes;
    if (!fits || s->limits.work > 0) {
        LIM_TRY(level_weigh(s));
    }
    if (!fits) {
        LIM_TRY(level_fit(s));
    }
    for (int32_t l = 0; l < tree->finest; ++l) {
        for (int32_t i = 0; i < tree->level[l].count; ++i) {
            uint8_t* state = &s->state[l][i];
            *state |= fits && *state & LEVEL_FULL ? LEVEL_AIM : 0;
            bool changes = !(*state & LEVEL_NOW) != !(*state & LEVEL_AIM);
            work += changes ? level_children(s, (level_place){l, i}) : 0;
        }
    }
    if (s->limits.work > 0 && work > s->limits.work) {
        return level_move(s);
    }
    for (int32_t l = 0; l < tree->finest && work > 0; ++l) {
        for (int32_t i = 0; i < tree->level[l].count; ++i) {
            uint8_t* state = &s->state[l][i];
            bool now = *state & LEVEL_NOW, then = *state & LEVEL_AIM;
            if (now != then) {
                int32_t more = level_children(s, (level_place){l, i}) - 1;
                *state ^= LEVEL_NOW;
                s->count += then ? more : -more;
                s->refined += then;
                s->joined += now;
            }
        }
    }
    return LIM_OK;
}

/* Levels of nodes go down the tree to their fragments; `deep` is used for it, -1 means split. */
static void write_levels(level_sets* s, int8_t* out, level_report* report) {
    const pieces* tree = s->tree;
    *report =
        (level_report){.nodes = (int32_t)s->count, .refined = s->refined, .joined = s->joined};
    for (int32_t l = 0; l <= tree->finest; ++l) {
        int8_t* level = l == tree->finest ? out : s->deep[l];
        for (int32_t i = 0; i < tree->level[l].count; ++i) {
            uint8_t state = l < tree->finest ? s->state[l][i] : 0;
            bool now = state & LEVEL_NOW, aim = state & LEVEL_AIM, full = state & LEVEL_FULL;
            int8_t above = l > 0 ? s->deep[l - 1][tree->level[l].parent[i]] : -1;
            level[i] = (int8_t)(above >= 0 ? above : now ? -1 : l);
            report->waiting += (full && !now) || (now && !aim);
        }
    }
}

lim_result levels_choose(arena* scratch, const pieces* all, const int8_t* now,
                         const level_wish* wish, const level_limits* limits, int8_t* out,
                         level_report* report) {
    *report = (level_report){0};
    level_sets s = {.mem = scratch, .tree = all, .wish = wish, .limits = *limits};
    LIM_TRY(check(&s, now));
    LIM_TRY(allocate(&s));
    if (all->finest > 0) {
        gather(&s, now);
    }
    LIM_TRY(change(&s, close_sets(&s)));
    write_levels(&s, out, report);
    LIM_VALIDATE(levels_are_valid(all, out));
    return LIM_OK;
}

enum { LEVEL_SPLIT = -1, LEVEL_BAD = -2 };

/* Level of the node that a piece is, or is a part of; or that it is split. */
static int32_t level_of_piece(const pieces* all, const int8_t* level, int32_t at, int32_t piece) {
    const piece_level* l = &all->level[at];
    if (at == all->finest) {
        return level[piece] >= 0 && level[piece] <= at ? level[piece] : LEVEL_BAD;
    }
    int32_t found = LEVEL_BAD;
    for (int32_t k = l->child_first[piece]; k < l->child_first[piece + 1]; ++k) {
        int32_t below = level_of_piece(all, level, at + 1, l->child[k]);
        below = below > at ? LEVEL_SPLIT : below;
        if (below == LEVEL_BAD || (k > l->child_first[piece] && below != found)) {
            return LEVEL_BAD;
        }
        found = below;
    }
    return found;
}

bool levels_are_valid(const pieces* all, const int8_t* level) {
    const piece_level* l = &all->level[all->finest];
    for (int32_t i = 0; i < all->level[0].count; ++i) {
        if (level_of_piece(all, level, 0, i) == LEVEL_BAD) {
            return false;
        }
    }
    for (int32_t i = 0; i < l->count; ++i) {
        for (int32_t e = l->edge_offset[i]; e < l->edge_offset[i + 1]; ++e) {
            int32_t step = level[i] - level[l->edge_piece[e]];
            if (step < -1 || step > 1) {
                return false;
            }
        }
    }
    return true;
}

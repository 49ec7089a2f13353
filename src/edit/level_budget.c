/* SPDX-License-Identifier: MIT
 * Job: the limits of level of detail. In: sets of split pieces (edit/level_sets.h). Out: the aim
 * within a limit of nodes; a way towards it within a limit of work.
 *
 * The limit of nodes: from the coarsest nodes on, whatever is to be split is taken in order of
 * weight, with all that it asks for, and left out where that does not fit. What is left out changes
 * nothing for those that follow, so the aim stays the same on the way to it: no flicker.
 */
#include "edit/level_sets.h"

bool level_plan_split(level_sets* s, level_plan* plan, level_place at, uint8_t set, int64_t room) {
    const piece_level* l = &s->tree->level[at.level];
    uint8_t* state = s->state[at.level];
    if (state[at.piece] & (set | LEVEL_PLANNED)) {
        return true;
    }
    if (at.level > 0) {
        if (!level_plan_split(s, plan, (level_place){at.level - 1, l->parent[at.piece]}, set,
                              room)) {
            return false;
        }
        for (int32_t e = l->edge_offset[at.piece]; e < l->edge_offset[at.piece + 1]; ++e) {
            level_place beside = {at.level - 1, l->parent[l->edge_piece[e]]};
            if (!level_plan_split(s, plan, beside, set, room)) {
                return false;
            }
        }
    }
    state[at.piece] |= LEVEL_PLANNED;
    plan->at[plan->count++] = at;
    plan->more += level_children(s, at) - 1;
    return plan->more <= room;
}

/* Adds a piece to the plan, after all that must be joined before it: what is split inside of it and
 * beside it. */
static void plan_join(level_sets* s, level_plan* plan, level_place at) {
    const piece_level* l = &s->tree->level[at.level];
    uint8_t* state = s->state[at.level];
    if ((state[at.piece] & (LEVEL_NOW | LEVEL_PLANNED)) != LEVEL_NOW) {
        return;
    }
    int32_t finer = at.level + 1;
    const piece_level* below = &s->tree->level[finer];
    for (int32_t k = l->child_first[at.piece];
         finer < s->tree->finest && k < l->child_first[at.piece + 1]; ++k) {
        int32_t child = l->child[k];
        plan_join(s, plan, (level_place){finer, child});
        for (int32_t e = below->edge_offset[child]; e < below->edge_offset[child + 1]; ++e) {
            plan_join(s, plan, (level_place){finer, below->edge_piece[e]});
        }
    }
    state[at.piece] |= LEVEL_PLANNED;
    plan->at[plan->count++] = at;
}

void level_plan_drop(level_sets* s, level_plan* plan) {
    for (int32_t i = 0; i < plan->count; ++i) {
        s->state[plan->at[i].level][plan->at[i].piece] &= (uint8_t)~LEVEL_PLANNED;
    }
    plan->count = 0;
    plan->more = 0;
}

lim_result level_weigh(level_sets* s) {
    const pieces* tree = s->tree;
    for (int32_t l = 0; l < tree->finest; ++l) {
        s->asked[l] = ARENA_ARRAY(s->mem, float, tree->level[l].count);
        s->weight[l] = ARENA_ARRAY(s->mem, float, tree->level[l].count);
        LIM_TRY_MEMORY(s->asked[l]);
        LIM_TRY_MEMORY(s->weight[l]);
    }
    for (int32_t l = tree->finest; l > 0; --l) {
        for (int32_t i = 0; i < tree->level[l].count; ++i) {
            float* above = &s->weight[l - 1][tree->level[l].parent[i]];
            float own = l == tree->finest ? s->wish[i].weight : s->weight[l][i];
            *above = own > *above ? own : *above;
        }
    }
    for (int32_t i = 0; i < tree->level[tree->finest].count; ++i) {
        int32_t level = tree->finest, at = i, asks = s->wish[i].coarsest;
        while (asks > s->limits.coarsest && level > 0) {
            at = tree->level[level--].parent[at];
            if (level < asks) {
                if (s->asked[level][at] >= s->wish[i].weight) {
                    break; /* and so it is above */
                }
                s->asked[level][at] = s->wish[i].weight;
            }
        }
    }
    return LIM_OK;
}

/* A double that was a float has 29 bits of zeros below. */
uint64_t level_order(const level_sets* s, level_place at) {
    bool asked = s->need[at.level][at.piece] > at.level;
    float weight = asked ? s->asked[at.level][at.piece] : s->weight[at.level][at.piece];
    return (uint64_t)asked << 40 | sort_key_double((double)weight) >> 29;
}

typedef struct level_list {
    sort_item* item; /* value: piece, extra: level */
    int32_t count, next;
} level_list;

/* Pieces whose bits of `mask` are `value`, by falling order, then coarser ones first; or all the
 * other way round, by key in either. */
static lim_result list_pieces(level_sets* s, uint8_t mask, uint8_t value, bool rising,
                              level_list* out) {
    const pieces* tree = s->tree;
    sort_item* other;
    *out = (level_list){.item = ARENA_ARRAY(s->mem, sort_item, s->total)};
    other = ARENA_ARRAY(s->mem, sort_item, s->total);
    LIM_TRY_MEMORY(out->item);
    LIM_TRY_MEMORY(other);
    for (int32_t k = 0; k < tree->finest; ++k) {
        int32_t l = rising ? tree->finest - 1 - k : k;
        for (int32_t i = 0; i < tree->level[l].count; ++i) {
            if ((s->state[l][i] & mask) == value) {
                uint64_t order = level_order(s, (level_place){l, i});
                out->item[out->count++] = (sort_item){rising ? order : ~order, i, l};
            }
        }
    }
    sort_items(out->item, other, out->count);
    return LIM_OK;
}

static lim_result plan_make(level_sets* s, level_plan* plan) {
    *plan = (level_plan){.at = ARENA_ARRAY(s->mem, level_place, s->total)};
    LIM_TRY_MEMORY(plan->at);
    return LIM_OK;
}

/* What balance alone asks for is in the list too, and comes in with those that ask for it. */
static bool is_candidate(const level_sets* s, level_place at) {
    uint8_t state = s->state[at.level][at.piece];
    return s->need[at.level][at.piece] > at.level ||
           (state & (LEVEL_NOW | LEVEL_COARSE)) == LEVEL_NOW;
}

lim_result level_fit(level_sets* s) {
    level_list list;
    level_plan plan;
    LIM_TRY(list_pieces(s, LEVEL_FULL, LEVEL_FULL, false, &list));
    LIM_TRY(plan_make(s, &plan));
    int64_t count = s->tree->level[s->limits.coarsest].count;
    for (int32_t l = 0; l < s->limits.coarsest; ++l) {
        for (int32_t i = 0; i < s->tree->level[l].count; ++i) {
            s->state[l][i] |= LEVEL_AIM;
        }
    }
    for (int32_t k = 0; k < list.count; ++k) {
        level_place at = {list.item[k].extra, list.item[k].value};
        if (!is_candidate(s, at)) {
            continue;
        }
        if (level_plan_split(s, &plan, at, LEVEL_AIM, s->limits.nodes - count)) {
            for (int32_t i = 0; i < plan.count; ++i) {
                s->state[plan.at[i].level][plan.at[i].piece] |= LEVEL_AIM;
            }
            count += plan.more;
        }
        level_plan_drop(s, &plan);
    }
    return LIM_OK;
}

/* Splits and joins one by one, each within what is left of the work. */
typedef struct level_moves {
    level_list splits, joins;
    level_plan split, join;
    int32_t joined; /* of the plan `join` */
    int64_t spent, joins_cost;
    bool began;
} level_moves;

static bool afford(const level_moves* m, int64_t cost, int64_t most) {
    return !m->began || m->spent + cost <= most;
}

static void turn(level_sets* s, level_moves* m, level_place at) {
    int32_t children = level_children(s, at);
    uint8_t* state = &s->state[at.level][at.piece];
    bool join = *state & LEVEL_NOW;
    *state = (uint8_t)((*state ^ LEVEL_NOW) & ~LEVEL_PLANNED);
    s->count += join ? 1 - children : children - 1;
    s->joined += join;
    s->refined += !join;
    m->spent += children;
    m->began = true;
}

/* The next join. False: there is none, or not the work for it. */
static bool join_next(level_sets* s, level_moves* m) {
    while (m->joined == m->join.count) {
        m->joined = m->join.count = 0;
        if (m->joins.next == m->joins.count) {
            return false;
        }
        sort_item next = m->joins.item[m->joins.next++];
        plan_join(s, &m->join, (level_place){next.extra, next.value});
    }
    level_place at = m->join.at[m->joined];
    if (!afford(m, level_children(s, at), s->limits.work)) {
        return false;
    }
    m->joined++;
    turn(s, m, at);
    return true;
}

/* One split of a plan, with the joins that make room for it. */
static bool split_next(level_sets* s, level_moves* m, level_place at) {
    int64_t limit = s->limits.nodes, cost = level_children(s, at);
    while (limit > 0 && s->count + cost - 1 > limit) {
        if (!join_next(s, m)) {
            break;
        }
    }
    /* The last quarter of the work is for joins: else they would wait for as long as there is
     * anything to split. */
    int64_t kept = s->limits.work / 4;
    kept = m->joins_cost < kept ? m->joins_cost : kept;
    bool room = limit == 0 || cost == 1 || s->count + cost - 1 <= limit ||
                (m->joins.next == m->joins.count && m->joined == m->join.count);
    if (!room || !afford(m, cost, s->limits.work - kept)) {
        return false;
    }
    turn(s, m, at);
    return true;
}

lim_result level_move(level_sets* s) {
    level_moves m = {0};
    LIM_TRY(list_pieces(s, LEVEL_NOW | LEVEL_AIM, LEVEL_AIM, false, &m.splits));
    LIM_TRY(list_pieces(s, LEVEL_NOW | LEVEL_AIM, LEVEL_NOW, true, &m.joins));
    LIM_TRY(plan_make(s, &m.split));
    LIM_TRY(plan_make(s, &m.join));
    for (int32_t i = 0; i < m.joins.count; ++i) {
        m.joins_cost +=
            level_children(s, (level_place){m.joins.item[i].extra, m.joins.item[i].value});
    }
    bool going = true;
    while (going && s->limits.nodes > 0 && s->count > s->limits.nodes) {
        going = join_next(s, &m);
    }
    going = true;
    for (int32_t k = 0; going && k < m.splits.count; ++k) {
        sort_item next = m.splits.item[k];
        m.split.count = 0;
        level_plan_split(s, &m.split, (level_place){next.extra, next.value}, LEVEL_NOW, INT64_MAX);
        int32_t i = 0;
        while (i < m.split.count && split_next(s, &m, m.split.at[i])) {
            i++;
        }
        going = i == m.split.count;
    }
    while (join_next(s, &m)) {
    }
    return LIM_OK;
}

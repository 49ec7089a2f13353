/* SPDX-License-Identifier: MIT
 * Job: which virtual nodes make up the region of a node. In: the hierarchy of pieces, the nodes in
 * it, their graph. Out: the tree of virtual nodes; per node its summation nodes.
 *
 * A search finds the nodes below the limit, carries their distances up as intervals [a, b] over
 * their ancestors only (a child that was not reached makes b infinite), and goes down from the
 * roots. Every decision is between whole numbers. An interval is made of distances along the graph,
 * never of distances in space, so a virtual node with a leaf beyond a gap or a cut is always
 * opened.
 *
 * The list is the coarsest cover of its set: a virtual node all of whose leaves are members has
 * a <= width and b < limit, so that it, or something above it, was taken. Hence regions with equal
 * sets have equal lists.
 */
#include "region/interval_tree.h"

/* A number per piece, level by level from the finest: a node's slot, the only child's number, or a
 * new virtual node; -1 where there is no node at or below the piece. */
typedef struct tree_builder {
    const pieces* pieces;
    interval_tree* tree;
    int32_t* number[OCTANT_LEVELS + 1]; /* per piece of a level */
    int32_t children;
    sort_item *item, *spare;
} tree_builder;

static lim_result allocate_tree(tree_builder* b, arena* a, arena* scratch,
                                const region_nodes* nodes) {
    interval_tree* t = b->tree;
    /* Every virtual node has at least two children, so there are fewer of them than nodes. */
    size_t most = (size_t)nodes->padded + (size_t)nodes->count;
    t->parent = ARENA_ARRAY(a, int32_t, most);
    t->order = ARENA_ARRAY(a, uint64_t, most);
    t->leaves = ARENA_ARRAY(a, int32_t, most);
    t->child_first = ARENA_ARRAY(a, int32_t, nodes->count + 1);
    t->child = ARENA_ARRAY(a, int32_t, 2 * (size_t)nodes->count);
    b->item = ARENA_ARRAY(scratch, sort_item, nodes->count);
    b->spare = ARENA_ARRAY(scratch, sort_item, nodes->count);
    if (t->parent == NULL || t->order == NULL || t->leaves == NULL || t->child_first == NULL ||
        t->child == NULL || b->item == NULL || b->spare == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (size_t i = 0; i < most; ++i) {
        t->parent[i] = -1;
    }
    for (int32_t l = 0; l <= b->pieces->finest; ++l) {
        int32_t count = b->pieces->level[l].count;
        b->number[l] = ARENA_ARRAY(scratch, int32_t, count);
        LIM_TRY_MEMORY(b->number[l]);
        for (int32_t p = 0; p < count; ++p) {
            b->number[l][p] = -1;
        }
    }
    return LIM_OK;
}

/* Appends a virtual node with the children that wait in b->item. */
static int32_t add_virtual(tree_builder* b, int32_t level, int32_t piece, int32_t count) {
    interval_tree* t = b->tree;
    int32_t number = t->count++;
    t->order[number] = (uint64_t)level << 32 | (uint64_t)(uint32_t)piece;
    sort_items(b->item, b->spare, count);
    for (int32_t k = 0; k < count; ++k) {
        int32_t child = b->item[k].value;
        t->parent[child] = number;
        t->leaves[number] += t->leaves[child];
        t->child[b->children++] = child;
    }
    t->child_first[number - t->slot_count + 1] = b->children;
    return number;
}

static void number_level(tree_builder* b, int32_t level) {
    const piece_level* here = &b->pieces->level[level];
    for (int32_t p = 0; p < here->count; ++p) {
        if (b->number[level][p] >= 0) {
            continue; /* a node */
        }
        int32_t count = 0;
        for (int32_t e = here->child_first[p]; e < here->child_first[p + 1]; ++e) {
            int32_t child = b->number[level + 1][here->child[e]];
            if (child >= 0) {
                b->item[count++] = (sort_item){b->tree->order[child], child, 0};
            }
        }
        if (count > 0) {
            b->number[level][p] = count == 1 ? b->item[0].value : add_virtual(b, level, p, count);
        }
    }
}

lim_result interval_tree_build(arena* a, const region_nodes* nodes, region_tree tree,
                               interval_tree* out) {
    *out = (interval_tree){.slot_count = nodes->padded, .count = nodes->padded};
    tree_builder b = {.pieces = tree.pieces, .tree = out};
    arena scratch;
    arena_init(&scratch, &a->host);
    lim_result result = allocate_tree(&b, a, &scratch, nodes);
    if (result == LIM_OK) {
        for (int32_t i = 0; i < nodes->padded; ++i) {
            if (tree.level[i] >= 0) {
                b.number[tree.level[i]][tree.piece[i]] = i;
                out->order[i] = (uint64_t)tree.level[i] << 32 | (uint64_t)(uint32_t)tree.piece[i];
                out->leaves[i] = 1;
                out->finest = tree.level[i] > out->finest ? tree.level[i] : out->finest;
            }
        }
        for (int32_t l = OCTANT_LEVELS; l >= 0; --l) {
            if (l < out->finest) {
                number_level(&b, l);
            }
            out->first[l] = out->count;
        }
        out->first[OCTANT_LEVELS + 1] = nodes->padded;
    }
    arena_release(&scratch);
    return result;
}

lim_result interval_search_init(interval_search* s, arena* a, const interval_tree* tree, graph g) {
    *s = (interval_search){.tree = tree};
    LIM_TRY(distance_search_init(&s->distances, a, g));
    int32_t inner = tree->count - tree->slot_count;
    s->seen = ARENA_ARRAY(a, uint32_t, tree->count);
    s->a = ARENA_ARRAY(a, int32_t, tree->count);
    s->b = ARENA_ARRAY(a, int32_t, tree->count);
    s->arrived = ARENA_ARRAY(a, int32_t, tree->count);
    s->reached = ARENA_ARRAY(a, int32_t, inner);
    s->waiting = ARENA_ARRAY(a, int32_t, tree->count);
    s->item = ARENA_ARRAY(a, sort_item, tree->slot_count);
    s->spare = ARENA_ARRAY(a, sort_item, tree->slot_count);
    s->chosen = ARENA_ARRAY(a, int32_t, tree->slot_count);
    if (s->seen == NULL || s->a == NULL || s->b == NULL || s->arrived == NULL ||
        s->reached == NULL || s->waiting == NULL || s->item == NULL || s->spare == NULL ||
        s->chosen == NULL) {
        return LIM_ERROR_MEMORY;
    }
    return LIM_OK;
}

int32_t interval_limit(int32_t width, int32_t eps_num, int32_t eps_den) {
    /* the least whole number at or above width (1 + eps) */
    int64_t scaled = (int64_t)width * ((int64_t)eps_den + eps_num);
    int64_t limit = (scaled + eps_den - 1) / eps_den;
    limit = limit > width ? limit : (int64_t)width + 1;
    return (int32_t)(limit < INT32_MAX / 2 ? limit : INT32_MAX / 2);
}

/* One more child of a virtual node, with its interval. `fill`: how many of its level are there. */
static void arrive(interval_search* s, int32_t number, int32_t a, int32_t b, int32_t* fill) {
    const interval_tree* t = s->tree;
    if (s->seen[number] != s->distances.epoch) {
        int32_t level = (int32_t)(t->order[number] >> 32);
        s->seen[number] = s->distances.epoch;
        s->a[number] = a;
        s->b[number] = b;
        s->arrived[number] = 0;
        s->reached[t->first[level + 1] - t->slot_count + fill[level]++] = number;
    }
    s->a[number] = a < s->a[number] ? a : s->a[number];
    s->b[number] = b > s->b[number] ? b : s->b[number];
    s->arrived[number]++;
}

/* Intervals of the ancestors of what was found; returns how many roots there are, in `waiting`. */
static int32_t carry_up(interval_search* s) {
    const interval_tree* t = s->tree;
    int32_t fill[OCTANT_LEVELS + 1] = {0}, roots = 0;
    for (int32_t k = 0; k < s->distances.count; ++k) {
        int32_t i = s->distances.found[k], d = s->distances.found_distance[k];
        s->seen[i] = s->distances.epoch;
        s->a[i] = s->b[i] = d;
        if (t->parent[i] >= 0) {
            arrive(s, t->parent[i], d, d, fill);
        } else {
            s->waiting[roots++] = i;
        }
    }
    for (int32_t level = t->finest - 1; level >= 0; --level) {
        const int32_t* reached = s->reached + (t->first[level + 1] - t->slot_count);
        for (int32_t k = 0; k < fill[level]; ++k) {
            int32_t v = reached[k], inner = v - t->slot_count;
            if (s->arrived[v] < t->child_first[inner + 1] - t->child_first[inner]) {
                s->b[v] = INTERVAL_FAR;
            }
            if (t->parent[v] >= 0) {
                arrive(s, t->parent[v], s->a[v], s->b[v], fill);
            } else {
                s->waiting[roots++] = v;
            }
        }
    }
    return roots;
}

void interval_search_run(interval_search* s, int32_t slot, int32_t width, int32_t limit) {
    const interval_tree* t = s->tree;
    distance_search_run(&s->distances, slot, limit);
    int32_t waiting = carry_up(s), count = 0;
    while (waiting > 0) {
        int32_t number = s->waiting[--waiting];
        if (interval_least(s, number) > width) {
            continue;
        }
        if (interval_most(s, number) < limit) {
            s->item[count++] = (sort_item){t->order[number], number, 0};
            continue;
        }
        /* Not a node: a found node has a = b < limit. */
        int32_t inner = number - t->slot_count;
        for (int32_t e = t->child_first[inner]; e < t->child_first[inner + 1]; ++e) {
            s->waiting[waiting++] = t->child[e];
        }
    }
    sort_items(s->item, s->spare, count);
    s->count = count;
    for (int32_t k = 0; k < count; ++k) {
        s->chosen[k] = s->item[k].value;
    }
}

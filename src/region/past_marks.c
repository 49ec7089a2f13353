/* SPDX-License-Identifier: MIT
 * Job: what of a network of blended regions an edit may have changed. In: fragments and nodes that
 * are not as they were, the hierarchy of pieces. Out: marks on pieces, from fine to coarse.
 *
 * region/blend.c says what a piece q of level l - 1 holds: from every piece p of level l whose
 * parent o is q or a neighbour of q, a part that follows from p's share, from the cells in which o
 * has neighbours and from the volumes of those in the cell of q. So q is marked
 * - where it has other material, or a piece in its cell has;
 * - where a node that it is, or was, is another;
 * - where one of those p is marked: o has other neighbours only where a child of it has.
 * The share of a piece follows from what it holds and from nodes and shares within two rings of it
 * on its own level (the ramp beside coarse nodes) and from the volumes around all these, but that
 * of a node is always 1. Where linked nodes differ by one level at most, what makes a node of a
 * piece, or no longer one, gives to all its neighbours, and one ring about these would do. Glue may
 * hold nodes that differ by more.
 */
#include "region/past.h"

enum {
    DIRTY = 1,
    MATERIAL = 2, /* a fragment of it is changed */
    GIVES = 4,    /* a child is dirty */
    RAMP_ONE = 8, /* one and two steps from a dirty piece, or one that is fuller or less full */
    RAMP_TWO = 16,
    FULL = 32 /* a neighbour has other material */
};

/* What is given to: pieces of which a child is dirty, and their neighbours. */
static void mark_given(const piece_level* all, uint8_t* mark) {
    for (int32_t p = 0; p < all->count; ++p) {
        if ((mark[p] & GIVES) == 0) {
            continue;
        }
        mark[p] |= DIRTY;
        for (int32_t e = all->edge_offset[p]; e < all->edge_offset[p + 1]; ++e) {
            mark[all->edge_piece[e]] |= DIRTY;
        }
    }
}

/* What shares a cell with other material; pieces of a cell are in a row. */
static void mark_cells(const piece_level* all, uint8_t* mark) {
    for (int32_t p = 0; p < all->count; ++p) {
        if ((mark[p] & MATERIAL) == 0) {
            continue;
        }
        mark[p] |= DIRTY;
        for (int32_t q = p - 1; q >= 0 && all->key[q] == all->key[p]; --q) {
            mark[q] |= DIRTY;
        }
        for (int32_t q = p + 1; q < all->count && all->key[q] == all->key[p]; ++q) {
            mark[q] |= DIRTY;
        }
    }
}

static void mark_full(const piece_level* all, uint8_t* mark) {
    for (int32_t p = 0; p < all->count; ++p) {
        for (int32_t e = all->edge_offset[p];
             (mark[p] & MATERIAL) != 0 && e < all->edge_offset[p + 1]; ++e) {
            mark[all->edge_piece[e]] |= FULL;
        }
    }
}

/* Marks neighbours of the pieces that have any of `of` with `with`, if they are no nodes. */
static void spread_ramp(const piece_level* all, const int32_t* slot, uint8_t* mark, uint8_t of,
                        uint8_t with) {
    for (int32_t p = 0; p < all->count; ++p) {
        for (int32_t e = all->edge_offset[p]; (mark[p] & of) != 0 && e < all->edge_offset[p + 1];
             ++e) {
            int32_t q = all->edge_piece[e];
            mark[q] |= slot[q] < 0 ? with : 0;
        }
    }
}

static void mark_material(const region_past* past, const pieces* all, uint8_t** mark) {
    int32_t count = past->changed != NULL ? all->level[all->finest].count : 0;
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t l = all->finest, p = i;
             past->changed[i] != 0 && l >= 0 && (mark[l][p] & MATERIAL) == 0; --l) {
            mark[l][p] |= MATERIAL;
            p = l > 0 ? all->level[l].parent[p] : 0;
        }
    }
}

/* Nodes that are new or gone. Returns the finest level of one. */
static int32_t mark_nodes(const region_past* past, const region_tree* tree, int32_t padded,
                          uint8_t** mark) {
    const pieces* all = tree->pieces;
    int32_t finest = 0;
    for (int32_t i = 0; i < padded; ++i) {
        if (tree->level[i] >= 0 && past->before[i] < 0) {
            mark[tree->level[i]][tree->piece[i]] |= DIRTY;
        }
    }
    for (int32_t i = 0; i < all->level[all->finest].count; ++i) {
        int32_t was = past->was[i];
        if (past->after[was] >= 0) {
            continue;
        }
        int32_t level = (int32_t)(past->key[was] >> 58), p = i;
        for (int32_t l = all->finest; l > level; --l) {
            p = all->level[l].parent[p];
        }
        mark[level][p] |= DIRTY;
        finest = level > finest ? level : finest;
    }
    return finest;
}

lim_result past_marks(arena* a, const region_past* past, const region_tree* tree, int32_t padded,
                      const int32_t* const* slot, int32_t begin, uint8_t** dirty) {
    const pieces* all = tree->pieces;
    for (int32_t l = 0; l <= all->finest; ++l) {
        dirty[l] = ARENA_ARRAY(a, uint8_t, all->level[l].count);
        LIM_TRY_MEMORY(dirty[l]);
    }
    mark_material(past, all, dirty);
    int32_t gone = mark_nodes(past, tree, padded, dirty), top = gone > begin ? gone : begin;
    for (int32_t l = top; l >= 0; --l) {
        const piece_level* level = &all->level[l];
        mark_cells(level, dirty[l]);
        mark_given(level, dirty[l]);
        if (l <= begin) {
            mark_full(level, dirty[l]);
            spread_ramp(level, slot[l], dirty[l], DIRTY | FULL, RAMP_ONE);
            spread_ramp(level, slot[l], dirty[l], RAMP_ONE, RAMP_TWO);
        }
        for (int32_t p = 0; p < level->count; ++p) {
            dirty[l][p] = (dirty[l][p] & (DIRTY | RAMP_ONE | RAMP_TWO)) != 0;
            if (l > 0 && dirty[l][p]) {
                dirty[l - 1][level->parent[p]] |= GIVES;
            }
        }
    }
    return LIM_OK;
}

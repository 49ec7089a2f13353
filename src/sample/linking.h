/* SPDX-License-Identifier: MIT
 * Links: which fragments of touching cells are joined by material, for whoever makes or mends a
 * graph of fragments. The cells may be all of a body or some of it; links between sub-voxels that a
 * blade has cut do not count.
 */
#ifndef LIMBER_LINKING_H
#define LIMBER_LINKING_H

#include "base/arena.h"
#include "base/array.h"
#include "sample/mask.h"

/* The 13 of 26 directions whose last coordinate that is not 0 is positive. */
enum { LINK_WAYS = 13, STEP_MIDDLE = 2 + 10 + 50 };
static inline void link_way(int i, int d[3]) {
    int k = 14 + i;
    d[0] = k % 3 - 1;
    d[1] = k / 3 % 3 - 1;
    d[2] = k / 9 - 1;
}
static inline bool link_is_diagonal(const int d[3]) {
    return (d[0] != 0) + (d[1] != 0) + (d[2] != 0) > 1;
}

typedef struct link_pair {
    int32_t a, b;
} link_pair;

/* What a cell is like: full of one fragment that holds over faces alone, uncut; and all cells
 * around it too. */
enum link_cell { LINK_ANY, LINK_WHOLE, LINK_WITHIN };

typedef struct linking {
    lim_host host;
    arena* scratch;
    int32_t cell_count;
    const int32_t (*place)[3];   /* of each cell */
    const int32_t* near;         /* 27 per cell: the cells around it, -1: none */
    const int32_t* cell_first;   /* CSR: the fragments of each cell, which are numbered by cell */
    const int32_t* cell;         /* per fragment */
    const uint64_t *mask, *soft; /* per fragment: its sub-voxels, and which of them are soft */
    const uint64_t* const* cut; /* per cell: 13 masks of links that are cut (sample/matter.h), null:
                                   none; the whole may be null */
    const uint32_t* dirty_near; /* per cell: which of the 27 cells around it have changed; not null:
                                   only links that hang on a changed cell are wanted */
    uint32_t block[27];    /* per way: the cells between a cell and the one that way, of the 27 */
    ARRAY(link_pair) link; /* what was found, by the host */
    int32_t direct;        /* how many of these are direct; they come first */
    uint8_t* whole;        /* per cell: a link_cell */
    int32_t *first, *item; /* scratch: CSR of direct links */
    int8_t* step;          /* per item: the step between the cells, x + 5 y + 25 z */
    uint8_t within[27][2 * STEP_MIDDLE + 1]; /* per way and sum of two steps: is it in its block? */
    uint32_t*
        joined; /* per cell of one fragment: ways to such cells that it is directly linked to */
    int32_t* seen;
    int32_t* queue;
    int8_t* queue_step; /* from where the search began */
    int32_t stamp;
} linking;

/* Finds every link between fragments of different cells: direct ones (sub-voxels that touch over a
 * face; soft ones in any way), then those between diagonal cells that direct links join within the
 * cells they span. */
lim_result linking_find(linking* l);
void linking_release(linking* l);
/* Both directions of pairs, by fragment, ascending, in `a`. */
lim_result linking_list(arena* a, int32_t count, const link_pair* pair, int32_t pairs,
                        int32_t** out_first, int32_t** out_item);
/* Do piece a (in one cell) and b (in the cell d away) touch as in mask_touch, over a link that is
 * not cut? a_cut, b_cut: of their cells, null where nothing is. */
bool linking_touch(uint64_t a, uint64_t a_soft, const uint64_t* a_cut, uint64_t b, uint64_t b_soft,
                   const uint64_t* b_cut, const int d[3]);
/* Adds to cut[13] all links that go up from piece a to piece b, in the cell d away. */
void linking_between(uint64_t a, uint64_t b, const int d[3], uint64_t* cut);
/* As mask_flood, over links that are not cut. */
uint64_t linking_flood(uint64_t m, uint64_t soft, const uint64_t* cut, uint64_t seed);

#endif

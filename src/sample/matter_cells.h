/* SPDX-License-Identifier: MIT
 * The cells of a material, and which one lies where.
 */
#ifndef LIMBER_MATTER_CELLS_H
#define LIMBER_MATTER_CELLS_H

#include "sample/matter.h"

typedef struct matter_cells {
    int32_t level, count;
    int32_t* first; /* CSR over the fragments; count + 1 */
    uint64_t* key;  /* ascending */
    int32_t shift;  /* of the bits of a key that name its coarser cell */
    uint64_t groups;
    int32_t* group; /* per coarser cell: the first cell in it; groups + 1 */
} matter_cells;

/* All in `a`. O(fragments), along memory. */
lim_result matter_cells_make(arena* a, const matter* m, matter_cells* out);
/* Any key and any coordinates may be asked for; -1: no material there. */
int32_t matter_cells_find(const matter_cells* c, uint64_t key);
int32_t matter_cells_at(const matter_cells* c, int32_t x, int32_t y, int32_t z);

#endif

/* SPDX-License-Identifier: MIT
 * Figure 2 of Steinemann, Otaduy and Gross 2008 as data: a flat object of 6 x 4 cells under a tree
 * of blocks, seen from one node n_i with w = 1 cell and eps = 1/2. The text gives three blocks of 2
 * x 2 cells: n_b, where n_i lies, has the interval [0, 1] and is taken; n_a has [2, 3] and is left
 * out; n_c has [1, 2] and is opened. The outline of the object and the place of n_i are ours (its
 * picture is not in the text): n_i is the cell of its block that is nearest to n_c, which is what
 * these intervals ask for.
 */
#ifndef LIMBER_FIGURE_INTERVALS_H
#define LIMBER_FIGURE_INTERVALS_H

#include <limber/base.h>

enum { FIGURE_CELLS_MOST = 64, FIGURE_LEVELS = 3, FIGURE_SIDE = 1 << FIGURE_LEVELS };

typedef enum figure_fate {
    FIGURE_UNSEEN,   /* below something that was taken or left out */
    FIGURE_LEFT_OUT, /* a > w */
    FIGURE_TAKEN,    /* b < (1 + eps) w: a summation node */
    FIGURE_OPENED
} figure_fate;

typedef struct figure_cell {
    int32_t level;       /* 0: the whole of 8 x 8 cells; 3: a node */
    int32_t x, y;        /* in cells of its level */
    int32_t least, most; /* distances from n_i in finest cells */
    int32_t nodes;       /* how many are in it */
    figure_fate fate;
    const char* name; /* "n_a", "n_b", "n_c", "n_i" or "" */
} figure_cell;

typedef struct figure_intervals {
    int32_t count;
    figure_cell cell[FIGURE_CELLS_MOST]; /* nodes first, then blocks, the finest first */
    int32_t summation_nodes, levels;     /* how many were taken, and on how many levels */
    int32_t members;
} figure_intervals;

lim_result figure_intervals_make(const lim_host* host, figure_intervals* out);
/* The cell of this name; null where there is none. */
const figure_cell* figure_find(const figure_intervals* f, const char* name);

#endif

/* SPDX-License-Identifier: MIT
 * One level of the multigrid of `hex`: elements over corners, and vectors over the corners.
 *
 * Vectors are rows of 4 floats per corner, x y z 0; an even number of rows, and the corners of a
 * pair lie side by side. Elements come in groups of 8, lanes of the kernels. Groups of full cubes
 * of the body's own cells come first and know their three constants; the others know a whole
 * matrix. An element writes what it does to its corners into rows of `out`, and each corner sums
 * its own, in a fixed order: so any number of workers gives the same bits.
 */
#ifndef LIMBER_HEX_LEVEL_H
#define LIMBER_HEX_LEVEL_H

#include "hex/element.h"
#include "hex/skyline.h"

enum {
    HEX_LANES = 8,
    HEX_GROUP = HEX_CORNERS * HEX_LANES, /* corners of a group */
    HEX_ENTRIES = HEX_MODES * (HEX_MODES + 1) / 2,
    HEX_LEVELS = 20
};

/* Weighted rows: CSR. */
typedef struct hex_rows {
    int32_t *first, *node;
    float* weight;
} hex_rows;

typedef struct hex_level {
    int32_t elements, groups, cubes; /* groups [0, cubes) are of full cubes */
    int32_t nodes, pairs;
    float edge;
    /* per lane (8 group + lane): the element, in the order in which it was given; -1: none */
    int32_t* element;
    int32_t* lane;    /* per element, its lane */
    uint8_t* changed; /* likewise: its stiffness, when that was set last */
    int32_t (*at)[3];
    int32_t (*corner)[HEX_CORNERS]; /* per element */
    int32_t* group_corner;          /* per group, corner and lane; the first node where none is */
    float* lame;   /* per group of cubes: lambda, mu, plane, 8 lanes each, times edge / 16 */
    float* matrix; /* per other group: HEX_ENTRIES of 8 lanes (hex_entry) */
    float* block;  /* per group: 8 corners, 6 entries, 8 lanes; hex_diagonal_blocks */
    float* q;      /* per group: 4 of 8 lanes */
    float* turn;   /* per group: rotation less identity, 9 of 8 lanes */
    float* strain; /* plastic, of the finest level: 6 of 8 lanes; counts if `strained` */
    bool strained;
    float* out;          /* a row per group, corner and lane; then one of zeros */
    int32_t* pair_first; /* per pair, and one more */
    int32_t* pair_row;   /* per entry two rows of `out`, one for each node */
    /* to the next coarser level: the piece of each element, interpolation to the nodes of this
     * level, and its transpose, by coarse node */
    int32_t *piece, *piece_first, *piece_item; /* piece_item: elements by piece */
    hex_rows up, down;
    /* vectors */
    float* mass; /* per row: m m m 0 */
    float *x, *b, *r, *p;
    float* diagonal;  /* per node 8: xx yy zz 0 xy xz yz 0, sum of blocks */
    float* inverse;   /* per pair three columns of two rows */
    int32_t* limited; /* nodes that cannot move in all directions */
    int32_t limited_count;
    float* filter;      /* per limited node: projection on the directions left, 6 */
    int32_t* filter_of; /* per node its place among these, or -1 */
    /* of the coarsest level: corner matrices of its elements, and the factor of their sum */
    float* full;
    skyline direct;
} hex_level;

/* The place of K_ij, i <= j or not, in a packed matrix: blocks of 3x3 by rows of modes. */
static inline int32_t hex_entry(int32_t i, int32_t j) {
    int32_t f = i / 3, g = j / 3, a = i % 3, b = j % 3;
    if (f < g) {
        return hex_entry(j, i);
    }
    int32_t before = 9 * (f * (f - 1) / 2) + 6 * f; /* all rows above: f (f - 1) / 2 blocks */
    if (f == g) {
        static const int32_t place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
        return before + 9 * f + place[3 * a + b];
    }
    return before + 9 * g + 3 * a + b;
}

#endif

/* SPDX-License-Identifier: MIT
 * A symmetric positive matrix of few unknowns, factored directly: rows from their first entry to
 * the diagonal (a skyline, Jennings 1966), in double. Columns begin at multiples of 8 and rows end
 * at such, zero behind the diagonal's column, so that products of rows are whole wide operations.
 */
#ifndef LIMBER_SKYLINE_H
#define LIMBER_SKYLINE_H

#include "base/arena.h"

typedef struct skyline {
    int32_t size;   /* unknowns: 3 place + axis */
    int32_t* place; /* per node */
    int32_t* top;   /* per row its first column, a multiple of 8 */
    size_t* start;  /* per row the entry of column 0, which may lie before the row */
    size_t entries;
    double work;     /* products that a factor takes */
    double* a;       /* below the diagonal; null: only planned */
    double* pivot;   /* the diagonal, then 1 over that of the factor */
    double* unknown; /* of a solve; padded */
} skyline;

/* The order and the shape for elements over nodes: nodes go along the longest axis of their
 * connected part. */
lim_result skyline_plan(arena* a, arena* scratch, int32_t nodes, int32_t elements, int32_t (*at)[3],
                        int32_t (*corner)[8], skyline* out);

/* Room for the numbers. */
lim_result skyline_room(arena* a, skyline* s);

#endif

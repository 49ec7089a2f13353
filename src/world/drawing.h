/* SPDX-License-Identifier: MIT
 * Lists of lines and points that show the inside of a body, while they are being filled: they are
 * counted to the end, and written as far as there is room.
 */
#ifndef LIMBER_DRAWING_H
#define LIMBER_DRAWING_H

#include "world/world.h"

typedef struct drawing {
    const body* body;
    lim_point origin;
    lim_debug_line* lines;
    lim_debug_point* points;
    int32_t line_capacity, point_capacity, line_count, point_count;
} drawing;

/* The finest level that has a node. */
int32_t drawing_finest(const topology* t);
void drawing_line(drawing* d, lim_vec3 a, lim_vec3 b, uint32_t rgba);
/* A node as a point, `share` of its cell in size. */
void drawing_slot(drawing* d, int32_t slot, float share, uint32_t rgba);
/* A place at rest (unit space) as the node carries it: x = X + d + B (X - x0). */
lim_vec3 drawing_carried(const drawing* d, int32_t slot, const double rest[3]);
/* The 12 edges of a box: for each of the 8 corners (bit k: the far side along axis k) those that
 * leave it towards a far side, in order of the axes. */
void drawing_box(drawing* d, const lim_vec3 corner[8], uint32_t rgba);

/* The region of a node: its members as points, the sums that it is made of as boxes. Scratch comes
 * from the host and is given back. */
lim_result drawing_region(drawing* d, int32_t node, const lim_host* host);

#endif

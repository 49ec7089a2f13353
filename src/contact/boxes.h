/* SPDX-License-Identifier: MIT
 * Who is near whom: boxes in the world, eight to a group and eight groups to a larger one, in the
 * order of a Morton curve of their middles. Built anew each step in O(n log n), whatever the sizes
 * are; the same for every number of workers.
 */
#ifndef LIMBER_BOXES_H
#define LIMBER_BOXES_H

#include "base/array.h"
#include "base/sort.h"
#include "contact/felt_surface.h"

typedef struct boxes {
    int32_t count;
    lim_point origin; /* floats are relative to it */
    int32_t levels;
    int32_t first[SURFACE_LEVELS]; /* groups of each level, finest first */
    ARRAY(sort_item) order;        /* value: the place in the list given to boxes_build */
    ARRAY(sort_item) spare;
    ARRAY(surface_group) group;
} boxes;

void boxes_free(boxes* b, const lim_host* host);
/* Room for so many; all that allocates. */
lim_result boxes_reserve(boxes* b, const lim_host* host, int32_t count);
/* Boxes that are not finite, or turned inside out, are near nobody. */
void boxes_build(boxes* b, const lim_box* box, int32_t count);
/* Writes up to `capacity` places of boxes that overlap one, ascending by their order on the curve,
 * and returns how many there are. */
int32_t boxes_overlapping(const boxes* b, lim_box box, int32_t* out, int32_t capacity);

#endif

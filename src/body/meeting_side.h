/* SPDX-License-Identifier: MIT
 * A body, or one of its pieces, as a side of contacts (contact/pair.h): how it moves, where it may
 * go in a step, where its surface is.
 */
#ifndef LIMBER_MEETING_SIDE_H
#define LIMBER_MEETING_SIDE_H

#include "contact/pair.h"

struct body;

/* The arrays of a deformed surface. */
typedef struct meeting_shape {
    ARRAY(float) at[3];
    ARRAY(float) spot;
    ARRAY(lim_vec3) normal;
    ARRAY(surface_group) group;
    ARRAY(surface_looks) looks;
    ARRAY(surface_ways) patch_way;
    ARRAY(surface_group) tight;
    ARRAY(surface_group) feel;
    ARRAY(surface_box) feel_box;
    ARRAY(uint8_t) wanted;
} meeting_shape;

void meeting_shape_free(meeting_shape* s, const lim_host* host);
/* Room for a surface; all that allocates. */
bool meeting_shape_reserve(meeting_shape* s, const lim_host* host, const surface_net* felt);

/* A side that is a run of components, and boxes of its points, now and with what they may travel
 * within dt. Sums of components are valid if the body moves. */
typedef struct meeting_measure {
    lim_box box, way;
} meeting_measure;
meeting_measure meeting_side_measure(const struct body* b, int32_t first, int32_t count,
                                     lim_vec3 gravity, double dt, pair_side* out);
/* The box of the whole skin, now. */
lim_box meeting_side_box(const struct body* b);
/* Frames of the body's components, in the arrays that all of its sides share. */
void meeting_frames(struct body* b);
/* A surface of which no point is known yet and nothing is wanted. */
void meeting_side_begin(struct body* b, const surface_net* felt, meeting_shape* arrays,
                        pair_side* side);
/* Where its points are now, and between which planes if somebody else may ask. */
void meeting_side_place(struct body* b, pair_side* side, double dt, isa set, bool alone);
/* Whether others can feel a surface: most of it is closed. */
bool meeting_is_felt(const surface_net* felt);

#endif

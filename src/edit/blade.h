/* SPDX-License-Identifier: MIT
 * A blade in the world, taken to rest: a segment that moves sweeps a strip of quads; each point of
 * it goes back through the deformation of the body as it is now. Inside of the material the way
 * back is that of the skin's own field, to a thousandth of a cell; outside it goes on as the
 * nearest material is turned and stretched.
 */
#ifndef LIMBER_BLADE_H
#define LIMBER_BLADE_H

#include "body/body.h"
#include "cut/cut.h"

/* A strip: at station i the blade lies from tip[i] to back[i], world, metres. */
typedef struct blade_strip {
    int32_t count; /* stations, at least 2 */
    const lim_point *tip, *back;
} blade_strip;

/* A place of the blade at rest. */
typedef struct blade_place {
    lim_point at; /* unit space of the mesh */
    float away; /* how far from the nearest node, in edges of its cell; HUGE_VALF: nobody looked */
} blade_place;

/* Rows of places along the way of the blade, each from tip to back. */
typedef struct blade_rows {
    int32_t rows, columns;
    blade_place* place;
} blade_rows;

/* Places farther from every node than this are not near the body: edges of the node's cell. */
#define BLADE_NEAR 2.0
/* The corners of a quad, counter-clockwise: this row, the next, the next column of both. */
static inline void blade_corners(int32_t columns, int32_t row, int32_t column, int32_t out[4]) {
    out[0] = row * columns + column;
    out[1] = out[0] + columns;
    out[2] = out[1] + 1;
    out[3] = out[0] + 1;
}
/* Whether a triangle of places is near the body: somebody looked at all of them, and one is
 * nearer to a node than `reach`. */
static inline bool blade_is_near(const blade_place* place, const int32_t corner[3], double reach) {
    bool near = false, known = true;
    for (int k = 0; k < 3; ++k) {
        near = near || (double)place[corner[k]].away < reach;
        known = known && place[corner[k]].away < HUGE_VALF;
    }
    return near && known;
}
/* Most places in a row, and rows of a sweep. */
enum { BLADE_COLUMNS = 1024, BLADE_ROWS = 8192 };

/* Places in a row that are no farther apart than a finest cell; BLADE_COLUMNS + 1 when that would
 * be too many. */
int32_t blade_columns(const body* b, const blade_strip* strip);
/* A sweep at rest, in `a`: rows no farther apart than a finest cell; stations that say nothing new
 * (closer than that and in line) are left out, or a slow stroke would have slivers for faces. in:
 * per component of the body, 1 for those whose material counts. A strip that turns back onto
 * itself, or in the body about a place between tip and back, has no area or is not finite:
 * LIM_ERROR_ARGUMENT with `why`. Nothing near the body: LIM_OK and no row. */
lim_result blade_sweep(arena* a, const body* b, const uint8_t* in, const blade_strip* strip,
                       int32_t columns, blade_rows* out, const char** why);
/* Triangles between rows, where the material is near, in `a`; uv in metres at rest along the way
 * and from the tip. Where the way back to rest folds the blade is smoothed; one that still crosses
 * itself: LIM_ERROR_ARGUMENT with `why`. */
lim_result blade_make(arena* a, const topology* t, const blade_rows* rows, cut_blade* out,
                      const char** why);

#endif

/* SPDX-License-Identifier: MIT
 * A stroke: sweeps of a blade that belong together, kept as one blade at rest. Each sweep adds rows
 * of places, taken to rest through the deformation of its own moment, behind the rows that are
 * there; the body is then cut anew with all of them, from the topology that it had when the stroke
 * began. So lips stay smooth where one sweep ends and the next begins, and a cut that ended inside
 * goes on without a seam.
 */
#ifndef LIMBER_STROKE_H
#define LIMBER_STROKE_H

#include "base/array.h"
#include "edit/blade.h"
#include "edit/edit.h"

/* Rows for one component of the base. */
typedef struct stroke_rows {
    int32_t component; /* of its material */
    ARRAY(blade_place) place;
} stroke_rows;

typedef struct edit_stroke {
    topology* base;      /* a reference; null: there is no stroke */
    int32_t columns;     /* places in a row, at least 2 */
    uint64_t number;     /* of strokes of this body so far: moves blades aside differently */
    lim_point tip, back; /* its last station, world: whatever the body has done since */
    ARRAY(stroke_rows) rows;
} edit_stroke;

/* Leaves the number. */
void stroke_free(edit_stroke* s, const lim_host* host);

/* How far from the last station a sweep begins, metres; 0: near enough to go on. Nearer than what
 * could be seen of a cut, or than a hand that holds the blade, or than floats of that size hold. */
double stroke_gap(const edit_stroke* s, const body* b, const blade_strip* sweep);
/* `out` becomes the stroke with a sweep more: of `before`, or where that has no base a new one of
 * the body as it is. All or nothing. *why: of LIM_ERROR_ARGUMENT. */
lim_result stroke_add(arena* scratch, const edit_stroke* before, const body* b,
                      const blade_strip* sweep, const lim_host* host, edit_stroke* out,
                      const char** why);
/* The blades of a stroke, one for each component that it comes near, in `a`. */
lim_result stroke_blades(arena* a, const edit_stroke* s, edit_blade** out_blade, int32_t* out_count,
                         const char** why);

#endif

/* SPDX-License-Identifier: MIT
 * A blade in the world, taken to rest: a segment that moves sweeps a strip of quads; each point of
 * it goes back through the deformation of the body as it is now (algorithms B.2). Inside of the
 * material the way back is that of the skin's own field, to a thousandth of a cell; outside it goes
 * on as the nearest material is turned and stretched.
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

/* The blade at rest, in unit space of the mesh (topology.rest_origin is added), of triangles no
 * larger than a finest cell near the body and coarser far from it, in `a`. Parts of the strip that
 * are farther than some cells from the body are left out. A strip that folds onto itself, has no
 * area or is not finite: LIM_ERROR_ARGUMENT with `why`. Nothing near the body: LIM_OK and no
 * triangle. Pieces of the body that lie apart in the world but not at rest (components with frames
 * of their own) each have a blade: `piece` says which; call for each that the strip comes near.
 */
lim_result blade_to_rest(arena* a, const body* b, const blade_strip* strip, int32_t piece,
                         cut_blade* out, const char** why);
/* World -> rest of one point, relative to the centre of mass, unit space: the place of the material
 * of component `piece` that is there now. False: it is farther than `reach` unit lengths outside.
 */
bool blade_point_to_rest(const body* b, lim_point world, int32_t piece, double reach,
                         lim_point* out);

#endif

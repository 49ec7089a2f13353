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

/* World -> rest of many points: the place, in unit space of the mesh, of the material that is there
 * now. in: per component of the body, 1 for those whose material counts. near: 1 where a point lies
 * in that material or within two cells of it; farther away the way back is only smooth. */
lim_result blade_points_to_rest(arena* scratch, const body* b, const uint8_t* in,
                                const lim_point* world, int32_t count, lim_point* out_rest,
                                uint8_t* out_near);

#endif

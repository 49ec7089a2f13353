/* SPDX-License-Identifier: MIT
 * A stamp from the detail of one example: the triangles of the skin that face the contact,
 * projected to its tangent plane, and what they carry written into the texels that they cover.
 * Texels that none covers take over their surroundings, smoothly, so that a stamp taken at the rim
 * of a body has something to show where it is put in the middle.
 */
#ifndef LIMBER_STAMP_MAKE_H
#define LIMBER_STAMP_MAKE_H

#include "detail/detail_skin.h"

/* field: a dense field of the skin's points in the axes of the rest shape. out: side x side texels,
 * a dense field, in the stamp's axes. O(triangles + texels). */
lim_result stamp_make(arena* scratch, const detail_skin* s, const stamp_grid* g,
                      const stamp_place* at, const float* field, float* out);

#endif

/* SPDX-License-Identifier: MIT
 * Pins, grabs and blades as meshes, so that pictures show what acts on a body.
 */
#ifndef LIMBER_TOOL_PROPS_H
#define LIMBER_TOOL_PROPS_H

#include "cli/film.h"

enum { TOOL_MESHES_MOST = 8 }; /* of one tool */

/* The meshes of a tool of a film: a clamp about what a box holds, a pin with a head where a sphere
 * does, bones as they are, a knob on a rod for a grab, and for a blade a veil behind its edge.
 * Writes at most TOOL_MESHES_MOST and adds their number to *count; the arrays live in the arena. */
lim_result tool_props_make(const film* f, const film_tool* tool, arena* memory, lim_draw_mesh* out,
                           int32_t* count);

#endif

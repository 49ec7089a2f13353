/* SPDX-License-Identifier: MIT
 * Which vertices are of faces of cuts.
 */
#ifndef LIMBER_CUT_FACES_H
#define LIMBER_CUT_FACES_H

#include "body/remake.h"

enum { FACE_EARLIER = 1, FACE_NEW = 2 };

/* Per vertex that edits have made (behind those of the mesh), then per new vertex of a change that
 * is planned (or null): whether it is of a face of a cut before the change, or of the change, else
 * 0. Those lie on a blade alone, or between such; and a face has vertices of its own. In `a`.
 * O(vertices). */
lim_result cut_faces_mark(arena* a, const topology* t, const surface_change* change, uint8_t** out);

#endif

/* SPDX-License-Identifier: MIT
 * Which side of the skin the material is on. A mesh whose parts are inside out is sampled all the
 * same (mesh/orient.c), but a cut goes by its triangles as they came.
 */
#ifndef LIMBER_SKIN_SIDES_H
#define LIMBER_SKIN_SIDES_H

#include "body/topology.h"
#include "cut/cut.h"

/* Whether the material lies behind the triangles that a blade may meet, patch by patch: false where
 * one is inside out. skin: triangles of that of `t`, and which ones (null: all). Candidates as
 * cut_scan lists them. O(points + fragments), for scratch. */
lim_result skin_looks_out(arena* a, const topology* t, const cut_surface* skin, const int32_t* name,
                          const int32_t* candidate, int32_t count, bool* out);

#endif

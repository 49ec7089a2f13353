/* SPDX-License-Identifier: MIT
 * Crumbs: parts of a skin with next to no volume, which blades that meet may shut in
 * (fracture_find_crumbs), taken out of a surface before its material is looked at: each would get a
 * node, and fly about as dust.
 */
#ifndef LIMBER_CRUMBS_H
#define LIMBER_CRUMBS_H

#include "edit/surface_cut.h"

/* Leaves the triangles of some parts out of the skin, and of what bodies feel the sets that have no
 * other points of the skin; their vertices and points stay, without a triangle. Both are as closed
 * as before. Parts are numbered anew. O(all). */
lim_result crumbs_leave_out(arena* a, const topology* before, const uint8_t* crumb,
                            surface_cut* skin);

/* Leaves crumbs out. *out_count: how many there were. */
lim_result crumbs_drop(arena* a, const topology* before, int32_t inner_submesh, surface_cut* skin,
                       int32_t* out_count);

#endif

/* SPDX-License-Identifier: MIT
 * Skin and material must fall apart alike: after a cut every connected part of the skin has nodes
 * of its own, and nothing of the material joins two parts. Slivers thinner than a sub-voxel get a
 * fragment, hinges thinner than one are glued again, gaps that were narrower than one before the
 * cut are cut.
 */
#ifndef LIMBER_AGREE_H
#define LIMBER_AGREE_H

#include "edit/surface_cut.h"
#include "sample/matter_cut.h"

/* Mends `change` until its components are the parts of the skin (where they were before the cut),
 * and tells the fragment that each new or moved point of the surface lies on (surface_change.home).
 * piece: the component of the material that was cut, -1: all. All in `a`. */
lim_result edit_agree(arena* a, const topology* before, const surface_cut* skin, int32_t piece,
                      matter_change* change, int32_t** out_home);

#endif

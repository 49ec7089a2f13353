/* SPDX-License-Identifier: MIT
 * Slivers: what a blade takes off that is nothing but a skin, because it passes where the skin or
 * an earlier cut passes. Both lie within a thousandth of a finest cell of each other, which is as
 * true as a blade comes to rest (edit/blade.h). Such a part would get material of its own, taken
 * from its neighbour, and be a sheet of no thickness that weighs something.
 */
#ifndef LIMBER_SLIVERS_H
#define LIMBER_SLIVERS_H

#include "edit/surface_cut.h"

/* Leaves slivers out of the skin and of what bodies feel, as of one blade; both are as closed as
 * before. A cut without slivers stays as it is. *out_new, or null: whether the blade has parted
 * anything else; false where all of it takes slivers off, or lies along faces of earlier cuts. */
lim_result slivers_drop(arena* a, const topology* before, surface_cut* skin, bool* out_new);

#endif

/* SPDX-License-Identifier: MIT
 * Which material of one topology is which of another: fragments by the sub-voxels that they share,
 * nodes by their fragments. Edits of one body may start from an older topology than the one that it
 * has by now (a stroke that grows is cut anew from where it began), so the way from one to the
 * other is found from the material itself.
 */
#ifndef LIMBER_SAME_MATERIAL_H
#define LIMBER_SAME_MATERIAL_H

#include "body/topology.h"

/* source[i], per fragment of `after`: the fragment of `before` with which it shares most sub-voxels
 * (of equals the first); where it shares none with any in its cell, the nearest there; in a cell
 * that was empty, the one that a neighbour of it comes from. O(fragments). */
lim_result same_fragments(arena* scratch, const matter* before, const matter* after,
                          int32_t* source);
/* slot[i], per slot of `after`: the slot of `before` that is the same node, all of its rest state
 * to the last bit; -1: none, and for pads. */
void same_nodes(const topology* before, const topology* after, const int32_t* source,
                int32_t* slot);

#endif

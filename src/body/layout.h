/* SPDX-License-Identifier: MIT
 * How nodes lie in slots, by kind of body. An octree's: charts one after the other, nodes in key
 * order, pads at the end of each chart. A lattice's: octets. Within a component the slots are in
 * order of (c, b, a), where a is the coordinate along t->row_axis and b and c those along the two
 * axes that follow in the cycle x, y, z; each group of 8 slots holds the places a = 8 k to 8 k + 7
 * of one row, and places without a node are pads. The row axis is the one that needs the fewest
 * octets. Where a slit has left a component several nodes at one corner, it has sheets: all this
 * for the first nodes of corners, then again for the second ones.
 */
#ifndef LIMBER_LAYOUT_H
#define LIMBER_LAYOUT_H

#include "body/topology.h"

enum { OCTET = 8 };

/* Components, charts, and which node is in which slot; the arrays over slots are zero for pads and
 * to be written for nodes. */
lim_result layout_slots(topology* t, arena* scratch, const sampling* s);
/* The blocks: runs of slots of one chart, of a lattice also of one sheet and plane (equal c), at
 * most NODE_BLOCK long. Needs the keys. */
lim_result layout_blocks(topology* t);
/* Whether the slots and blocks of a lattice are as layout_slots and layout_blocks make them. Needs
 * valid charts. */
bool layout_octets_valid(const topology* t);

#endif

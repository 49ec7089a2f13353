/* SPDX-License-Identifier: MIT
 * The nodes of a lattice whose material was cut. Each fragment holds on to eight nodes, one at each
 * corner of its cell, and fragments that are joined share those at the corners that their cells
 * share. Where a cut leads through, a corner has a node for each side (virtual nodes, Molino et al.
 * 2004): each part of a cell still has all eight, and moves as its own side does.
 */
#ifndef LIMBER_REMAKE_LATTICE_H
#define LIMBER_REMAKE_LATTICE_H

#include "body/remake.h"

/* `t` has its frame; it gets material, slots, rest places, graph and regions. `s`, in scratch, has
 * the nodes. A node that is whole has the bits it had. What a node weighed goes to the nodes that
 * it has become in proportion to the material about them, but no less than LATTICE_SHARE of an even
 * share to each. LIM_ERROR_UNSUPPORTED: levels are
 * asked for. */
lim_result remake_lattice_nodes(topology* t, arena* scratch, const lim_host* host,
                                const topology_plan* plan, sampling* s);

#endif

/* SPDX-License-Identifier: MIT
 * The nodes of a topology that is made from another one: what body/remake.c and body/part.c share.
 */
#ifndef LIMBER_REMAKE_NODES_H
#define LIMBER_REMAKE_NODES_H

#include "body/kept_nodes.h"
#include "body/remake.h"

/* Material, nodes, graph and regions of a plan, in the same rest coordinates; `s` is in scratch.
 * kept, in `a`, but for a lattice: the nodes of plan->like, or else of plan->from. */
lim_result remake_nodes(topology* t, arena* a, arena* scratch, const lim_host* host,
                        const topology_plan* plan, sampling* s, kept_nodes* kept);

#endif

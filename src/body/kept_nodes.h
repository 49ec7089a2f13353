/* SPDX-License-Identifier: MIT
 * Which nodes of a topology that was made from another one are still the same.
 */
#ifndef LIMBER_KEPT_NODES_H
#define LIMBER_KEPT_NODES_H

#include "body/topology.h"

typedef struct kept_nodes {
    int32_t* before;  /* per slot: of the topology before, where it is the same node to the last bit
                         of its rest state; -1 */
    int32_t* after;   /* per slot of the topology before: the slot that is the same node, or -1 */
    uint8_t* changed; /* per slot: a new node, one that is joined to other nodes among those that
                         are kept, or one whose place in the order of slots is another; 0: pads */
} kept_nodes;

/* source: per fragment of `t` the fragment of `from`; null: itself. `t` has nodes, graph and
 * fragment_slot. In `a`. */
lim_result kept_nodes_find(arena* a, const topology* from, const topology* t, const int32_t* source,
                           kept_nodes* out);

#endif

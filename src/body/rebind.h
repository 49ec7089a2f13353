/* SPDX-License-Identifier: MIT
 * Bindings of a topology that was made from another one: those of points about which nothing has
 * changed are taken over, the others are made anew. The result is the same as binding all.
 */
#ifndef LIMBER_REBIND_H
#define LIMBER_REBIND_H

#include "body/kept_nodes.h"

/* t: nodes, graph, fragment_slot, and of its bindings count and rest; point_home is filled. old:
 * per point the one of `from` that it is, at the same place; -1. out_renewed: how many were bound
 * anew. */
lim_result rebind(topology* t, arena* scratch, const topology* from, const kept_nodes* kept,
                  const int32_t* old, workers* pool, int32_t* out_renewed);

#endif

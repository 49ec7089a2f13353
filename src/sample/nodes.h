/* SPDX-License-Identifier: MIT
 * From chosen pieces to the nodes of a sampling: their places, masses, anchors and graph.
 */
#ifndef LIMBER_SAMPLE_NODES_H
#define LIMBER_SAMPLE_NODES_H

#include "sample/adapt.h"
#include "sample/sampling.h"

/* Fills all of `out` but anchors and lengths of edges, and out->matter and out->pieces, which are
 * there already; arrays in `a`, which also holds what is given. */
lim_result nodes_fill(arena* a, const matter* m, const adaptation* chosen, sampling* out);
/* The lengths of all edges of nodes that are filled. */
void nodes_measure(const sampling* s, uint16_t* length);
/* The anchors of nodes that are filled. */
lim_result nodes_anchor(arena* a, const matter* m, sampling* out);

#endif

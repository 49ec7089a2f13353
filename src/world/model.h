/* SPDX-License-Identifier: MIT
 * The inside of a lim_model: a reference to a topology, and its nodes in metres for
 * lim_model_nodes.
 */
#ifndef LIMBER_MODEL_INSIDE_H
#define LIMBER_MODEL_INSIDE_H

#include "body/topology.h"

struct lim_model {
    topology* topology;
    arena mem; /* owns what `nodes` points to */
    lim_model_nodes nodes;
};

/* A model over a topology; takes over the reference, also when it fails. */
lim_result model_wrap(topology* t, const lim_host* host, lim_model** out);

#endif

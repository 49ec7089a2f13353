/* SPDX-License-Identifier: MIT
 * The nodes of a sampling at rest, in the slots that a layout gave them.
 */
#ifndef LIMBER_REST_NODES_H
#define LIMBER_REST_NODES_H

#include "body/topology.h"

/* Volumes and masses. density: factors per node, or null. */
lim_result rest_masses(topology* t, const sampling* s, const float* density);
/* The centre of mass, unit space; sets t->volume_sum. */
lim_point rest_centre(topology* t, const sampling* s);
/* Places about t->rest_origin, cells, keys. */
void rest_places(topology* t, const sampling* s);
/* The graph over slots; lengths are measured where they are not. */
lim_result rest_graph(topology* t, arena* scratch, const sampling* s);
/* What is told of the model, but its bounds; when all else is there. */
void rest_info(topology* t, const sampling* s);

#endif

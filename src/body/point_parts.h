/* SPDX-License-Identifier: MIT
 * What building a topology does of its own for points: nodes without cells, clusters, bindings to
 * the nearest.
 */
#ifndef LIMBER_POINT_PARTS_H
#define LIMBER_POINT_PARTS_H

#include "body/topology.h"
#include "region/clusters.h"

typedef struct point_parts {
    cluster_plan plan;
    int32_t* own; /* node of each point of the mesh; null when points were given */
} point_parts;

/* Points as nodes, in scratch memory; what shares clusters is a component, and links between
 * components are none. */
lim_result point_parts_sample(arena* scratch, const lim_mesh* mesh, const lim_model_desc* desc,
                              const lim_host* host, sampling* out, point_parts* out_parts);
/* Binds the places of the skin, of which the mesh's points come first. */
lim_result point_parts_bind(topology* t, arena* scratch, const lim_mesh* mesh,
                            const point_parts* parts, const lim_vec3* places, int32_t count);

/* The fits of quadratic goals. */
lim_result point_parts_derive(topology* t, arena* scratch);

#endif

/* SPDX-License-Identifier: MIT
 * The regions of a topology whose nodes and graph are there.
 */
#ifndef LIMBER_MAKE_REGIONS_H
#define LIMBER_MAKE_REGIONS_H

#include "body/topology.h"
#include "region/clusters.h"
#include "region/past.h"

typedef struct region_recipe {
    lim_region_kind kind;  /* of an octree */
    const sampling* s;     /* of an octree: its pieces */
    const float* width;    /* likewise: wished half-width per slot, unit lengths */
    const int32_t* hops;   /* of a lattice: per component */
    const int32_t* corner; /* of cells: the nodes at the corners of each, 8 */
    int32_t cells;
    const cluster_plan* clusters; /* of points */
    const float* density;         /* factors per node, or null */
    const region_past* past;      /* of blended regions after an edit: what may be kept; or null */
} region_recipe;

/* Regions over a network, split into charts, with their constants. */
lim_result make_regions(topology* t, arena* scratch, const lim_host* host,
                        const region_recipe* recipe);

#endif

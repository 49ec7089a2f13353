/* SPDX-License-Identifier: MIT
 * Clusters: overlapping sets of points that are matched as one each (Mueller et al. 2005, section
 * 4.4), or one that holds them all. Seeds are farthest points, moved to the middles of what is
 * nearest to them. A cluster reaches as far as the farthest point for which it is one of the two
 * nearest, and a little beyond; the weight of a point in it is the kernel (1 - r^2 / R^2)^2 over
 * the sum of the kernels at the point: smooth in space, with sum 1 over the clusters of a point. So
 * a goal is a mean over clusters, never a sum, and the fit masses m_i w_ic conserve momentum as
 * those of any other regions do.
 */
#ifndef LIMBER_CLUSTERS_H
#define LIMBER_CLUSTERS_H

#include "region/region.h"

typedef struct cluster_source {
    int32_t count; /* points */
    const lim_vec3* at;
    const int32_t* part; /* per point, ascending by first use; no cluster reaches into two parts */
    int32_t parts;
    int32_t wished; /* clusters, at least 1; every part gets one */
} cluster_source;

typedef struct cluster_plan {
    int32_t count;
    int32_t* offset; /* count + 1 */
    int32_t* point;  /* members, ascending */
    float* weight;   /* above 0, at most 1 */
    /* what shares clusters, numbered by the lowest point */
    int32_t components;
    int32_t* component; /* per point */
} cluster_plan;

/* O(points * clusters). */
lim_result clusters_plan(arena* a, const cluster_source* s, cluster_plan* out);

/* The network: a cluster of up to CLUSTER_LIST points sums them itself; a larger one sums middle
 * sums of so many each, so that lists stay short, rounding small, and workers share them. `slot`:
 * of each point. seed_region: the cluster in which a node weighs most. */
enum { CLUSTER_LIST = 128 };
lim_result regions_build_clusters(arena* a, arena* scratch, const region_nodes* nodes,
                                  const cluster_plan* plan, const int32_t* slot, net* out_net,
                                  regions* out_regions);

#endif

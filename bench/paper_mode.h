/* SPDX-License-Identifier: MIT
 * The baseline: the step of Steinemann, Otaduy and Gross 2008 as it is printed (section 4.3, eq. 6
 * to 8, with the damping of Rivers and James 2007), scalar, on one thread, with one region per node
 * and a separate pass of hierarchical sums per equation. Plain C without wide code of ours, in
 * world coordinates and floats. What the library does is measured against it.
 */
#ifndef LIMBER_PAPER_MODE_H
#define LIMBER_PAPER_MODE_H

#include "region/region.h"

typedef struct paper_mode paper_mode;

typedef struct paper_mode_desc {
    const region_nodes* nodes; /* used at creation only, like graph, tree and width */
    graph g;
    region_tree tree;
    const int32_t* width;     /* per slot, half finest cells */
    int32_t eps_num, eps_den; /* 1/2 in the paper */
    bool literal;   /* regions are fitted with m_i as printed, else with m_i / W_i, which conserves
                       momentum */
    bool symmetric; /* regions made symmetric and goals by HF as printed, else goals by the
                       transposed lists  */
    float alpha;    /* share of the way to the goal per step; 1 in the paper */
    float
        damping; /* share of the motion within regions that a step takes out; 0: no damping pass */
    lim_vec3 gravity;
} paper_mode_desc;

/* Seconds since creation. sums: eq. 6, 7, 8 and the update; damping has its own sums in it. */
typedef struct paper_mode_times {
    double sums, rotations, damping;
} paper_mode_times;

typedef struct paper_mode_info {
    int32_t nodes, regions;
    double summation_nodes; /* per region, mean */
    double members;         /* per region, mean */
    double added;           /* members per region that symmetry added */
    double sweeps;          /* of Jacobi, mean per rotation so far */
} paper_mode_info;

lim_result paper_mode_create(const paper_mode_desc* desc, const lim_host* host,
                             paper_mode** out_mode);
void paper_mode_destroy(paper_mode* p);
/* v += alpha (g - x) / h + h gravity; damping; x += h v */
void paper_mode_step(paper_mode* p, float h);
/* Goals of the present positions alone; 3 floats per slot. */
const float* paper_mode_goals(paper_mode* p);

paper_mode_times paper_mode_get_times(const paper_mode* p);
paper_mode_info paper_mode_get_info(const paper_mode* p);
/* The state, 3 floats per slot; may be written between steps. */
float* paper_mode_positions(paper_mode* p);
float* paper_mode_velocities(paper_mode* p);
/* What it sums over: the network, and the region of each slot (-1 for pads). */
const net* paper_mode_net(const paper_mode* p);
const int32_t* paper_mode_seed_regions(const paper_mode* p);

#endif

/* SPDX-License-Identifier: MIT
 * A sampling as region builders and the printed step take it: a surface through the library's own
 * sampler, nodes in slots, graph and hierarchy, without the rest of a body.
 */
#ifndef LIMBER_SAMPLED_H
#define LIMBER_SAMPLED_H

#include "bench/paper_mode.h"
#include "sample/sampling.h"

typedef struct sampled {
    arena mem;
    sampling s;
    double unit;           /* metres per unit length */
    lim_point mesh_origin; /* of unit space, metres */
    lim_point centre;      /* of mass, unit space: x0 is relative to it */
    region_nodes nodes;    /* slot i is node i, pads come last */
    graph g;
    region_tree tree;
    float* side; /* per slot, unit space; 0 for pads */
} sampled;

/* The sampling of `desc`; release it also after a failure. */
lim_result sampled_make(const lim_mesh* mesh, const lim_model_desc* desc, const lim_host* host,
                        sampled* out);
void sampled_release(sampled* s);

/* Where a slot is at rest, in metres, the mesh's frame times the scale. */
lim_point sampled_metres(const sampled* s, int32_t slot);

/* Edge in metres of the cell with a node that holds a point (metres, the mesh's frame times scale);
 * 0: there is none. O(levels log nodes). */
double sampled_edge_at(const sampled* s, lim_point metres);

/* Pieces of material in cells of 2^coarsen finest edges. */
int32_t sampled_base_cells(const sampled* s, int32_t coarsen);

/* Settings of the printed step. `width_at` as in lim_model_desc; null: width in cells. */
typedef struct sampled_paper_desc {
    double width; /* cell edges */
    float (*width_at)(void* user, lim_point place, float edge);
    void* width_user;
    bool literal, symmetric; /* as in paper_mode_desc */
    float alpha, damping;
    lim_vec3 gravity; /* m/s^2 */
} sampled_paper_desc;

/* The printed step over the sampling, in unit space. */
lim_result sampled_paper_mode(const sampled* s, const sampled_paper_desc* desc,
                              const lim_host* host, paper_mode** out_mode);

#endif

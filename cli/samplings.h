/* SPDX-License-Identifier: MIT
 * One sampling of a mesh: a body that stands on the ground, what its cells are like level by level,
 * what batches its surface is cut into, and pictures of it.
 */
#ifndef LIMBER_SAMPLINGS_H
#define LIMBER_SAMPLINGS_H

#include "cli/film.h"

enum { SAMPLING_LEVELS = 20 };

/* Cells of one size. */
typedef struct sampling_level {
    double edge; /* metres */
    int32_t cells, nodes;
    double volume; /* of the material in them, cubic metres */
} sampling_level;

typedef struct sampling {
    scene* plan;
    scene_run* run;
    film recorded; /* the body at rest, with its cells */
    lim_model_info info;
    sampling_level level[SAMPLING_LEVELS]; /* 0: the root */
    lim_batches* batches;                  /* null: not asked for */
} sampling;

/* Makes a body of the mesh as the descriptor's kind, node_count, scale, coarsen and cells_across
 * say. On failure there is nothing to free. The mesh must outlive it. */
lim_result sampling_begin(sampling* s, const lim_mesh* mesh, const lim_model_desc* desc,
                          const lim_host* host, lim_io_message* out_message);
/* Cuts the surface into batches of at most so many nodes. */
lim_result sampling_cut(sampling* s, int32_t max_nodes, const lim_host* host);
void sampling_end(sampling* s);

/* The surface alone; or its batches where there are any; or a veil over the cells with a legend. */
lim_result sampling_draw(const sampling* s, bool surface, const int32_t size[2], lim_image* image);

#endif

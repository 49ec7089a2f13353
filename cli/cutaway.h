/* SPDX-License-Identifier: MIT
 * The inside of bodies in a picture: cells as boxes, graph and nodes, all cut open towards the
 * viewer, and a legend of their sizes.
 */
#ifndef LIMBER_CUTAWAY_H
#define LIMBER_CUTAWAY_H

#include "cli/film.h"

typedef struct cutaway_view {
    lim_draw_mesh cells; /* no triangle when the film has no cells */
    lim_debug_line* lines;
    lim_debug_point* points;
    int32_t line_count, point_count;
} cutaway_view;

/* What a camera shows of a frame. Of the cells of each body the nearest quarter is left out, of
 * graph and nodes the nearer half, and the rest of these fades behind the cut. Regions and contacts
 * are shown whole. Everything is in the arena. */
lim_result cutaway_make(const film* f, int32_t frame, const lim_camera* camera, int32_t height,
                        arena* memory, cutaway_view* out);

/* The sizes of the cells of a frame with their colours, in the upper left corner. */
void cutaway_legend(const film* f, int32_t frame, lim_image* image);

#endif

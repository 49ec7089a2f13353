/* SPDX-License-Identifier: MIT
 * Triangles onto a grid of samples, keeping at each sample the largest value (1/depth, or height
 * towards a light) and whose it is.
 */
#ifndef LIMBER_RASTER_H
#define LIMBER_RASTER_H

#include <stdint.h>

enum {
    RASTER_ONE = 256, /* units of a corner's x and y per sample; centres lie at half a sample */
    RASTER_LIMIT = 1 << 25 /* corners must lie within +-this, so that products fit 64 bits */
};

typedef struct raster_corner {
    int32_t x, y;
    float value; /* linear over the triangle */
} raster_corner;

typedef struct raster_grid {
    int32_t width, height;
    int32_t first_row; /* the grid holds rows first_row ... first_row + height - 1 */
    float* value;      /* start below everything that is drawn */
    int32_t* id;       /* or null */
} raster_grid;

/* Either winding. A sample on an edge shared by two triangles belongs to exactly one. */
void raster_triangle(const raster_grid* grid, raster_corner a, raster_corner b, raster_corner c,
                     int32_t id);

#endif

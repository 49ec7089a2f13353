/* SPDX-License-Identifier: MIT
 * Simple solids as meshes to draw: turned on a lathe, blocks with round edges, triangles with
 * normals of their own. Their arrays live in the arena.
 */
#ifndef LIMBER_SOLIDS_H
#define LIMBER_SOLIDS_H

#include "base/arena.h"

#include <limber/io.h>

/* A ring of a turned solid: how far along its axis, and how wide. */
typedef struct solid_ring {
    float along, radius;
    lim_vec3 colour; /* linear RGB */
} solid_ring;

enum { SOLID_RINGS_MOST = 64 };

/* Rings about the line from `foot` along `axis` (any length above 0), in ascending order, 2 to
 * SOLID_RINGS_MOST; the surface runs from ring to ring, smoothly where it turns by less than 45
 * degrees. Rings of radius 0 close it. */
lim_result solid_turned(lim_vec3 foot, lim_vec3 axis, const solid_ring* rings, int32_t count,
                        arena* memory, lim_draw_mesh* out);
/* A ball from `along` - radius to `along` + radius: appends its rings and returns their number. The
 * part before `from` is left out. */
int32_t solid_ball(float along, float radius, float from, lim_vec3 colour, solid_ring* out);
/* A block with these half edges, its own edges rounded over `bevel`. */
lim_result solid_block(lim_vec3 middle, lim_quat turn, lim_vec3 half, float bevel, lim_vec3 colour,
                       arena* memory, lim_draw_mesh* out);
/* Triangles as they are, smooth across edges where two of them meet at less than 40 degrees. */
lim_result solid_faces(const lim_vec3* points, int32_t point_count, const uint32_t* indices,
                       int32_t triangle_count, lim_vec3 colour, arena* memory, lim_draw_mesh* out);

/* v turned by q, which need not be of unit length. */
lim_vec3 solid_rotate(lim_quat q, lim_vec3 v);

#endif

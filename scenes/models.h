/* SPDX-License-Identifier: MIT
 * Procedural models: closed, smooth, coloured meshes that need no file. One metre in their longest
 * side, y up, facing +z, standing on y = 0 about the y axis. The same call gives the same bits on
 * every machine.
 */
#ifndef LIMBER_MODELS_H
#define LIMBER_MODELS_H

#include <limber/world.h>

typedef struct model_entry {
    const char* name;
    const char* about; /* one line */
    int32_t triangles; /* that triangle_target 0 asks for */
} model_entry;

/* How many models there are; fills at most `capacity` entries of `out` (may be null with 0). The
 * texts are constants. */
int32_t model_list(model_entry* out, int32_t capacity);

/* Polygonises a model to about `triangle_target` triangles (0: its default; else 100 to 400,000).
 * Positions, normals, uvs (a projection along z) and colours are set. O(triangles^1.5).
 * LIM_ERROR_ARGUMENT for a name that is not in the list, LIM_ERROR_MESH when the target is too low
 * for the model's thin parts. The caller owns the mesh. */
lim_result model_mesh(const char* name, int32_t triangle_target, const lim_host* host,
                      lim_mesh** out_mesh);

/* A plain box with sharp edges, from the origin to (lx, ly, lz) metres, each side divided into
 * cells[axis] squares of two triangles (1 to 512). Corners are shared, so the mesh is closed as it
 * stands: 12 triangles for one cell. For tests and measurements. */
lim_result box_mesh(double lx, double ly, double lz, const int32_t cells[3], const lim_host* host,
                    lim_mesh** out_mesh);

#endif

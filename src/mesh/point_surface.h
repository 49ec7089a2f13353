/* SPDX-License-Identifier: MIT
 * A surface of points alone: what a body that was given points and no mesh has for a skin.
 */
#ifndef LIMBER_POINT_SURFACE_H
#define LIMBER_POINT_SURFACE_H

#include "mesh/surface.h"

/* One vertex and one point of the welded surface per place (3 doubles each, finite, at least one),
 * no triangles; normals look away from the middle. The size of a single place is 1. Destroy with
 * lim_mesh_destroy. */
lim_result point_surface_make(const double* places, int32_t count, const lim_host* host,
                              lim_mesh** out);

#endif

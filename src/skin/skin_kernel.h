/* SPDX-License-Identifier: MIT
 * The skin's passes over ranges, one copy per instruction set. Ranges may have any length; each
 * call writes its own range only.
 */
#ifndef LIMBER_SKIN_KERNEL_H
#define LIMBER_SKIN_KERNEL_H

#include "skin/deform.h"

typedef struct skin_job {
    const bindings* bind;
    const skin_surface* surface;
    const node_state* nodes;
    double scale;
    const skin_output* out;
} skin_job;

typedef void skin_prepare_kernel(const node_state* nodes, int32_t begin, int32_t end);
typedef void skin_range_kernel(const skin_job* job, int32_t begin, int32_t end);
typedef void skin_bounds_kernel(const float* positions, int32_t count, lim_vec3* lower,
                                lim_vec3* upper);

typedef void skin_place_kernel(const bindings* b, const node_state* nodes, const int32_t* order,
                               int32_t begin, int32_t end, float* const place[3]);

/* Points, in an order or (NULL) as they are, frame coordinates: writes groups of 8 whole, so up to
 * 7 places behind the last. Needs complete affines. */
skin_place_kernel KERNEL(skin_place_points);
/* Slots, a multiple of 8: affine 9..11 = d - B x0. */
skin_prepare_kernel KERNEL(skin_prepare_slots);
/* Vertices: positions, normals and tangents. */
skin_range_kernel KERNEL(skin_deform_vertices);
/* The same for bindings to lattice cells. */
skin_range_kernel KERNEL(skin_deform_cells);
/* Box of at least one position. */
skin_bounds_kernel KERNEL(skin_bounds);

#define SKIN_KERNELS(set, suffix)                                                                  \
    skin_prepare_kernel skin_prepare_slots_##suffix;                                               \
    skin_place_kernel skin_place_points_##suffix;                                                  \
    skin_range_kernel skin_deform_vertices_##suffix;                                               \
    skin_range_kernel skin_deform_cells_##suffix;                                                  \
    skin_bounds_kernel skin_bounds_##suffix;
ISA_LIST(SKIN_KERNELS)
#undef SKIN_KERNELS

#endif

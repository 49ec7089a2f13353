/* SPDX-License-Identifier: MIT
 * Whether the volume that a skin encloses means something.
 */
#ifndef LIMBER_SURFACE_CLOSED_H
#define LIMBER_SURFACE_CLOSED_H

#include "body/topology.h"

typedef struct surface_seal {
    bool sealed; /* every welded edge is passed as often in each direction: it has an inside */
    bool filled; /* and the enclosed volume at rest is within a factor of two of the nodes' (that of
                    a shell, a surface inside out or parts within parts is not) */
} surface_seal;

/* Fails only for want of memory. O(triangles). */
lim_result surface_closed(const topology* t, const lim_host* host, surface_seal* out);

/* Volume by the divergence theorem, of float positions (3 per vertex). */
double surface_volume(const topology* t, const float* positions);

#endif

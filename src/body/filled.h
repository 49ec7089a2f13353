/* SPDX-License-Identifier: MIT
 * Whether the volume inside of a closed surface is that of the nodes.
 */
#ifndef LIMBER_FILLED_H
#define LIMBER_FILLED_H

#include "body/topology.h"

/* The volume at rest is within a factor of two of the nodes'. Only of surfaces that are closed.
 * O(triangles). */
bool topology_is_filled(const topology* t);

#endif

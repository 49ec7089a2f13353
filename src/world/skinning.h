/* SPDX-License-Identifier: MIT
 * What skinning outside of the library needs of a topology, per vertex.
 */
#ifndef LIMBER_SKINNING_INSIDE_H
#define LIMBER_SKINNING_INSIDE_H

#include "body/topology.h"

lim_result skinning_fill(arena* a, const topology* t, lim_skinning_view* out);

#endif

/* SPDX-License-Identifier: MIT
 * The material that a topology keeps for edits: fragments of the finest cells, the node that each
 * is part of, and what it was told about density, stiffness and the width of regions.
 */
#ifndef LIMBER_MATERIAL_H
#define LIMBER_MATERIAL_H

#include "body/painted.h"
#include "body/topology.h"

/* From a sampling of an octree and what its nodes were given. width: per slot, wished half-width of
 * regions in unit lengths, where own_width cells of its own are the rule. */
lim_result material_take(topology* t, const sampling* s, const node_factors* factors,
                         const float* width, const lim_model_desc* desc);
/* The slots of the nodes that fragments are part of. */
lim_result material_slots(topology* t, const sampling* s);
/* Whether it can be edited; the rest of the topology is valid. */
bool material_is_valid(const topology* t);

#endif

/* SPDX-License-Identifier: MIT
 * The material that a topology keeps for edits: fragments of the finest cells, the node that each
 * is part of, and what it was told about density, stiffness and the width of regions.
 */
#ifndef LIMBER_MATERIAL_H
#define LIMBER_MATERIAL_H

#include "body/painted.h"
#include "body/topology.h"
#include "sample/matter_cut.h"

/* From a sampling of an octree and what its nodes were given. width: per slot, wished half-width of
 * regions in unit lengths, where own_width cells of its own are the rule. */
lim_result material_take(topology* t, const sampling* s, const node_factors* factors,
                         const float* width, const lim_model_desc* desc);
/* A copy of the material for this topology and those that will share it. */
lim_result material_keep(topology* t, const matter* m);
/* The pieces of a topology's material: those it has, or new ones from the host's memory. Let go of
 * them with shared_leave(out->mem). */
lim_result material_tree_of(const topology* t, const lim_host* host, material_tree* out);
/* The pieces of a material that was cut from a topology's, both in `mem`, which still has as many
 * owners as before. */
lim_result material_tree_follow(shared_arena* mem, const topology* from,
                                const matter_change* change, material_tree* out);
/* The slots of the nodes that fragments are part of. */
lim_result material_slots(topology* t, const sampling* s);
/* What fragments were told, of the fragments that they come from; null: of themselves. Widths of an
 * octree come with its nodes, below. */
lim_result material_follow(topology* t, const topology* from, const int32_t* source);
/* What nodes are told by their fragments: the same where all agree, else the mean by volume. Null
 * stays null; in scratch. */
lim_result material_mean(arena* scratch, const sampling* s, const float* by_fragment, float** out);
/* Wished half-widths of regions per slot, unit lengths, in scratch. The material has the widths in
 * space that it had in `from`, which has nodes of other sizes: so a body bends as stiffly as
 * before. Where nodes a apart have regions of half-width a (one level of tents, region/blend.c), a
 * bar bends like one whose squared thickness is 2 a^2 larger (docs/model_octree.md): with nodes
 * half as far apart and regions of their own cells that would be 1/2 a^2, with regions of
 * half-width a it is again 2 a^2. */
lim_result material_widths(topology* t, arena* scratch, const sampling* s, const topology* from,
                           const int32_t* source, float** out);
/* Whether it can be edited; the rest of the topology is valid. */
bool material_is_valid(const topology* t);

#endif

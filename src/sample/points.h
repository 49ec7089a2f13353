/* SPDX-License-Identifier: MIT
 * Points as nodes (Mueller et al. 2005): nothing is cut into cells; the particles are the points
 * that the caller gives, or the welded points of the surface. Points at one place (of the floats of
 * unit space) are one node; nodes are in order of the first of them.
 *
 * Links join what is near, for patches and pictures: the edges of the triangles between a surface's
 * own points, else the POINTS_NEAR nearest of each. The side of a node is the mean length of its
 * links, or of the three nearest points. Volumes: nodes share the volume of a closed mesh, its own
 * points in proportion to their area, given ones to the cube of their side; without a closed mesh a
 * node has the cube of its side.
 */
#ifndef LIMBER_POINTS_H
#define LIMBER_POINTS_H

#include "sample/sampling.h"

enum { POINTS_NEAR = 8 };

/* Fills everything of a sampling but moments, anchors and pieces: one cell, the root, holds all
 * nodes. Components are what the links join. out_point_node: the node at each point of the mesh, or
 * null when desc->points were given. LIM_ERROR_ARGUMENT when a given point is not finite or more
 * than 1,000 times the mesh's size away from it. */
lim_result points_sample(arena* a, const lim_mesh* mesh, const lim_model_desc* desc,
                         const lim_host* host, sampling* out, int32_t** out_point_node);

#endif

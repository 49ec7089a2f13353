/* SPDX-License-Identifier: MIT
 * A topology made anew from another after an edit: the same rest coordinates, other nodes, other
 * material, another surface. What did not change comes out with the same bits. The topology before
 * is left as it was, so that an edit is a plan that may fail until the body takes its result.
 */
#ifndef LIMBER_REMAKE_H
#define LIMBER_REMAKE_H

#include "body/topology.h"

/* A surface after an edit, beside what it was. Vertices and points that were there keep their
 * numbers; new ones are appended. Everything is borrowed by the plan and copied by the topology. */
typedef struct surface_change {
    int32_t vertex_count, triangle_count, submesh_count;
    int32_t new_vertices;      /* the last so many: */
    const lim_point* position; /* mesh units, as topology.position; of the new ones, and so below */
    const float *normal, *tangent, *uv,
        *colour; /* 3, 4, 2, 4 each; null where the surface has none */
    const float* attribute[ATTRIBUTES];
    const int32_t* vertex_point;
    const lim_vertex_source* source; /* where each comes from */
    const uint32_t* indices;         /* all triangles, 3 vertices each */
    const int32_t* submesh;          /* of all triangles */
    /* welded points of the skin, the new ones behind those that are there (before the centre of
     * mass, which stays the last) */
    int32_t new_points;
    const lim_point* point; /* unit space of the mesh */
    /* what bodies feel: all triangles over points, numbers as above; points of its own come behind
     * those of the skin */
    int32_t felt_count;
    const int32_t* felt;
    int32_t felt_points; /* of them, all */
    const lim_point* felt_point;
    /* per point of the skin, then per felt point: the fragment that it lies on, or -1: find out */
    const int32_t* home;
} surface_change;

typedef struct topology_plan {
    const topology* from;
    const matter* after;     /* null: from->matter */
    shared_arena* after_mem; /* its arrays, and those of `tree`, to be shared; null: to be copied */
    const int32_t* source;   /* per fragment of `after`: of from->matter; null: itself */
    const uint8_t* touched;  /* per fragment of `after`; null: none */
    const int8_t* level;     /* per fragment of `after`: octree level of the node it is to be part
                                of; the fragments of a piece of that level must agree (edit/levels.h
                                sees to it); null: as they are */
    const surface_change* surface; /* null: as it is */
    material_tree tree;            /* of `after`, where it is known already; no pieces: made here */
    /* Another topology that was made from `from`, and that is more like what will be made: bindings
     * are taken from there. For each fragment of `after` the one of it. Null: there is none */
    const topology* like;
    const int32_t* like_source;
    workers* pool; /* null: the calling thread alone; the result is the same */
} topology_plan;

/* Of an octree or a lattice, which does not look at `level`, `pieces`. `out_slot`, in `a`: per slot
 * of the new topology a slot of `from`, or of `like` if that is given, that is the same node, to
 * the last bit of its rest state, or -1. */
lim_result topology_remake(arena* a, const topology_plan* plan, const lim_host* host,
                           topology** out, int32_t** out_slot);

#endif

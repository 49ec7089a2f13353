/* SPDX-License-Identifier: MIT
 * The steps between a caller's triangles and a lim_mesh; each is one file. They work on one
 * `cleaning`, whose arrays live in its scratch arena.
 */
#ifndef LIMBER_CLEAN_H
#define LIMBER_CLEAN_H

#include "mesh/surface.h"

typedef struct cleaning {
    arena scratch;
    const lim_mesh_desc* desc;
    lim_mesh* mesh; /* what is being made; its report is filled on the way */
    /* triangles that are still kept, in input order */
    int32_t triangle_count;
    int32_t* triangle;    /* index in the input */
    int32_t* corner;      /* 3 per kept triangle: vertex, then point once welded */
    int32_t* twin;        /* kept triangle with the same points and the opposite side, or -1; only
                             the later one of the two has it: the earlier one is its partner */
    double* area;         /* unit space squared */
    lim_point* exact;     /* per point: unit space in double */
    int32_t* point_owner; /* per point: the vertex that gave its position */
} cleaning;

/* Drops triangles with corners that are not finite or too far, and those without an area. */
lim_result clean_filter(cleaning* c);
/* Welds vertices to points, drops duplicates, finds twins, sets origin, size and unit points. */
lim_result clean_weld(cleaning* c);
/* Counts edges, finds parts, makes each part consistent and turns parts that are inside out. */
lim_result clean_orient(cleaning* c);
/* Signs that closed parts should have (+1 solid, -1 cavity) by which part lies in which. `sign`
 * comes in as the signs of their volumes, 0 for parts that do not take part. */
lim_result clean_nesting(cleaning* c, int32_t* sign);
/* Fills mesh->normal: the caller's where usable, else computed. */
lim_result clean_normals(cleaning* c);

#endif

/* SPDX-License-Identifier: MIT
 * One edit of a body, planned: from what is wished to a body that can take the place of the old
 * one. The old one is left as it was.
 */
#ifndef LIMBER_EDIT_INSIDE_H
#define LIMBER_EDIT_INSIDE_H

#include "cut/cut.h"
#include "edit/carry.h"
#include "edit/levels.h"
#include "edit/surface_cut.h"

#include <limber/edit.h>

/* What came of an edit: all in the arena but the body, which is the caller's to keep or destroy. */
typedef struct edit_made {
    body body;
    int32_t* source; /* per fragment after it: the one before */
    int32_t* slot;   /* per slot after it: the same node before it, or -1 */
    lim_edit_report report;
} edit_made;

/* The world's share. */
typedef struct edit_means {
    const lim_host* host;
    isa set;
    workers* pool;
    arena* a;
} edit_means;

/* Blades at rest (unit space of the mesh), each for one component of the topology that is cut. */
typedef struct edit_blade {
    int32_t component;
    cut_blade blade;
} edit_blade;

typedef struct edit_cut_plan {
    const topology* base; /* what is cut: the body's own, or an older one of its stroke */
    const edit_blade* blade;
    int32_t blade_count;
    int32_t refine, inner_submesh;
    uint64_t stroke; /* a number that differs from stroke to stroke */
    bool draw;       /* draw together what the blade has shattered (edit/draw_together.h) */
} edit_cut_plan;

/* All of a cut but the skin, which is cut already: through the component of a topology that has a
 * fragment. Adds to the report. */
lim_result edit_cut_inside(const edit_means* with, const body* b, const topology* from,
                           int32_t fragment, const edit_cut_plan* plan, surface_cut* skin,
                           topology** out, lim_edit_report* report);
/* The body on its new topology, whose reference is given up; times count from `begin`. */
lim_result edit_finish(const edit_means* with, const body* b, topology* after, double begin,
                       edit_made* made);

/* LIM_OK with made->report.changed false: the blades have missed, and there is no body. */
lim_result edit_cut(const edit_means* with, const body* b, const edit_cut_plan* plan,
                    edit_made* made);
/* The material as it is, its nodes of other levels (per fragment; edit/levels.h). tree: of that
 * material (material_tree_of). */
lim_result edit_levels(const edit_means* with, const body* b, material_tree tree,
                       const int8_t* level, edit_made* made);
/* Per fragment: the octree level of its node. */
void edit_levels_of(const topology* t, int8_t* level);

#endif

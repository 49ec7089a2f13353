/* SPDX-License-Identifier: MIT
 * The kinds of body, one row each. Code asks a row what it must know: what nodes are, how regions
 * are made, what can be done with bodies of the kind, who moves them. Nobody compares kinds. A new
 * kind is a row here, a case where samplings and regions are built (body/topology.c,
 * body/make_regions.c) if it has its own, a solver (body/solver.h) likewise, and a row in
 * test/kind_rows.h.
 */
#ifndef LIMBER_KIND_H
#define LIMBER_KIND_H

#include <limber/model.h>

/* How regions are made and what their widths are. */
typedef enum kind_regions {
    REGIONS_TREE,     /* along the hierarchy of pieces; half-widths per slot, unit lengths */
    REGIONS_HOPS,     /* all within a number of steps along the graph; hops per component */
    REGIONS_CLUSTERS, /* without a width */
    REGIONS_CELLS     /* the corners of each cell of a lattice */
} kind_regions;

typedef struct body_kind {
    lim_kind id;
    const char* name;
    lim_node_place nodes;
    kind_regions regions;
    /* can */
    bool edits; /* be cut, torn and split: its material is known at the finest level (topology.h) */
    bool levels;    /* have cells of several sizes, and change them at run time */
    bool quadratic; /* have quadratic goals */
    float widest;   /* region_width of a model, at most */
    const struct body_solver* solver;
} body_kind;

/* The row of a kind; null: there is no such kind. */
const body_kind* kind_of(lim_kind id);

#endif

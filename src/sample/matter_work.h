/* SPDX-License-Identifier: MIT
 * One cut of a material, stage by stage: what the files of the cut hand to each other.
 */
#ifndef LIMBER_MATTER_WORK_H
#define LIMBER_MATTER_WORK_H

#include "sample/matter_cut.h"
#include "sample/matter_links.h"

/* What a fragment of a cell with newly cut links has become a piece of. */
typedef struct cut_piece {
    uint64_t mask, soft;
    int32_t source;
    int32_t parts; /* pieces of that source */
    bool gone;     /* a speck that was given away */
    bool grown;    /* another one was given to it */
    double volume;
    lim_point centroid;
    double moment[6];
} cut_piece;

/* A speck given to a fragment of a cell that is as it was. */
typedef struct matter_gift {
    int32_t to;
    double volume;
    lim_point centroid;
    double moment[6];
} matter_gift;

typedef struct matter_work {
    arena* a; /* of the result */
    arena mem;
    const matter* m;
    matter_change* out;
    matter_cells cells;
    grid_blade blade;
    matter_links links;
    int32_t changed_count;
    int32_t* changed;       /* cells with newly cut links, ascending */
    int32_t* changed_piece; /* first piece of each, + 1 */
    int32_t* changed_of;    /* per cell: its place in changed + 1, 0: none */
    ARRAY(cut_piece) piece;
    ARRAY(matter_gift) gift;
    int32_t* new_first; /* per cell: its first fragment after the cut; + 1 */
    int32_t* new_of;    /* per fragment before: the one after, -1: it is in pieces */
    int32_t* run;       /* per fragment before: between which changed cells it lies, where numbers
                           move by the same; -1: in one */
} matter_work;

/* Stages, in this order. */
lim_result matter_soften(matter_work* w); /* what lies beside a cut holds on in any way */
lim_result matter_split(matter_work* w);  /* pieces, specks, numbers, all of a fragment but edges */
lim_result matter_relink(matter_work* w); /* edges, components, what has changed */

/* m->glue from its glued_edges pairs, which are in any order; in `a`. */
lim_result matter_list_glue(arena* a, const link_pair* pair, matter* m);
/* Joins (volume, centroid, moment) of another body of material to one. */
void matter_join(double* volume, lim_point* centroid, double moment[6], double other_volume,
                 lim_point other_centroid, const double other_moment[6]);

#endif

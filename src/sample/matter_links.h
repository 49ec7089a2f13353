/* SPDX-License-Identifier: MIT
 * Which links between sub-voxels a blade cuts.
 */
#ifndef LIMBER_MATTER_LINKS_H
#define LIMBER_MATTER_LINKS_H

#include "cut/cut.h"
#include "sample/linking.h"
#include "sample/matter_cells.h"

/* A blade in grid coordinates: the centre of sub-voxel (x, y, z) of the root is the point (x, y,
 * z). Coordinates are multiples of 2^-28 below 2^23, so that their differences, and sums of two of
 * these, are exact. */
typedef struct grid_blade {
    int32_t triangle_count;
    lim_point* point;
    const int32_t* triangle;
} grid_blade;

/* LIM_ERROR_ARGUMENT: not finite, too far away, or an index out of range. */
lim_result grid_blade_make(arena* a, const matter* m, const cut_blade* blade, grid_blade* out);
lim_point grid_place(const matter* m, lim_point unit);

/* Does a segment (whose ends are rounded likewise) cross the blade? As for links the blade is
 * thought of as moved aside by less than anything. O(triangles). */
bool grid_segment_is_cut(const grid_blade* blade, lim_point from, lim_point to);

/* The same of one triangle, with ends that are rounded already (grid_round). */
bool grid_segment_crosses(const lim_point t[3], lim_point from, lim_point to);
/* And where they are on different sides of its plane: does the line pass within its edges? */
bool grid_line_passes(const lim_point t[3], lim_point from, lim_point to);
lim_point grid_round(lim_point grid);

/* A cell that the blade comes near. */
typedef struct near_cell {
    int32_t cell;
    int32_t place[3];
    int32_t near[27];        /* the cells around it, -1: none */
    uint64_t has[LINK_WAYS]; /* links: both ends are material */
    matter_wall wall;        /* links that are cut, before and now */
    uint64_t ends;           /* sub-voxels that such a link leads to or from (matter_soften) */
    bool changed;
} near_cell;

typedef struct matter_links {
    lim_host host;
    const matter* m;
    const matter_cells* cells;
    int32_t* slot; /* per cell: its place in near + 1, 0: none */
    ARRAY(near_cell) near;
    int32_t changed; /* cells with more cut links than before */
} matter_links;

/* slot[] in `a`; the rest by the host, until it is released, also after a failure. O(links near the
 * blade). */
lim_result matter_links_cut(arena* a, const matter* m, const matter_cells* cells,
                            const grid_blade* blade, matter_links* out);
/* The same for links that are named. */
lim_result matter_links_take(arena* a, const matter* m, const matter_cells* cells,
                             const matter_wall* wall, int32_t count, matter_links* out);
/* The 13 masks of links of a cell that are cut, before and now; null: none is. */
const uint64_t* matter_links_of(const matter_links* l, int32_t cell);
/* The record of a cell, made when there is none. Pointers to records end with it; null: memory. */
near_cell* matter_links_near(matter_links* l, int32_t cell);
void matter_links_release(matter_links* l);

#endif

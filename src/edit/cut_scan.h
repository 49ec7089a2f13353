/* SPDX-License-Identifier: MIT
 * Which triangles of a surface a blade can meet, without a tree: an edit changes the surface, and a
 * tree over all of it costs more than one look at each triangle.
 */
#ifndef LIMBER_CUT_SCAN_H
#define LIMBER_CUT_SCAN_H

#include "cut/cut.h"

/* Slabs about a blade: across the axes, and across the way that it looks. */
enum { CUT_WAYS = 4 };
typedef struct cut_slabs {
    lim_point way; /* unit, the fourth; the others are the axes */
    double low[CUT_WAYS], high[CUT_WAYS];
} cut_slabs;
cut_slabs cut_slabs_about(const cut_blade* blade, double margin);
/* Per point a bit for each side of the slabs that it is beyond; 0: it is in all of them. */
void cut_slabs_beyond(const cut_slabs* s, const lim_point* point, int32_t count, uint8_t* out);

/* Candidates for cut_options.candidate, in `a`: ascending. O(points + triangles), some nanoseconds
 * each. Blade and surface have checked indices. */
lim_result cut_scan(arena* a, const cut_surface* surface, const cut_blade* blade,
                    int32_t** out_candidate, int32_t* out_count);

#endif

/* SPDX-License-Identifier: MIT
 * Which triangles of a surface a blade can meet, without a tree: an edit changes the surface, and a
 * tree over all of it costs more than one look at each triangle.
 */
#ifndef LIMBER_CUT_SCAN_H
#define LIMBER_CUT_SCAN_H

#include "cut/cut.h"

/* Candidates for cut_options.candidate, in `a`: ascending. O(points + triangles), some nanoseconds
 * each. Blade and surface have checked indices. */
lim_result cut_scan(arena* a, const cut_surface* surface, const cut_blade* blade,
                    int32_t** out_candidate, int32_t* out_count);

#endif

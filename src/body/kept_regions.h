/* SPDX-License-Identifier: MIT
 * What of the blended regions of a topology another one that is made from it may take over.
 */
#ifndef LIMBER_KEPT_REGIONS_H
#define LIMBER_KEPT_REGIONS_H

#include "body/kept_nodes.h"
#include "region/past.h"

/* source: per fragment of `t` the fragment of `from`; null: itself. touched: per fragment of `t`, 1
 * where it or an edge of it has changed; null: found out. `t` has its nodes, its graph and its
 * material. In `a`. out_known: false where everything is to be made. */
lim_result kept_regions_find(arena* a, const topology* from, const topology* t,
                             const int32_t* source, const uint8_t* touched, const kept_nodes* kept,
                             region_past* out, bool* out_known);

#endif

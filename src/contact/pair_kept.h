/* SPDX-License-Identifier: MIT
 * Which patches of a body may be near which others of it, found once for several steps: those that
 * have points nearer to each other than a radius, the way that a point looks for the nearest ones
 * and a margin. While nothing has moved against anything else by more than what the margin is
 * larger than that way by now, no other patches can count, and a search among them finds what a
 * search among all finds, bit for bit. So lists are no state: whoever has none makes them.
 */
#ifndef LIMBER_PAIR_KEPT_H
#define LIMBER_PAIR_KEPT_H

#include "base/array.h"
#include "contact/felt_surface.h"

struct pair_query;
struct pair_side;

typedef struct pair_kept {
    bool known;              /* there are lists */
    bool holds;              /* in this step */
    float radius;            /* metres */
    float margin;            /* finest cells that are in it */
    int32_t used;            /* steps they have been good for */
    int32_t pause;           /* steps not to make any: the last ones were good for none */
    ARRAY(float) was;        /* per slot 12: d, B as they were then */
    ARRAY(int32_t) asks;     /* patches that have others near them, ascending */
    ARRAY(int32_t) begin;    /* of each, + 1: where its list begins */
    ARRAY(int32_t) list;     /* groups << 8 with a bit for each of their patches */
    ARRAY(int32_t) triangle; /* those at points of wanted patches, ascending */
    ARRAY(uint8_t) wanted;   /* per patch: asks or is asked about */
    int32_t list_wanted;
} pair_kept;

void pair_kept_free(pair_kept* kept, const lim_host* host);
/* Room for lists; all that allocates. */
lim_result pair_kept_reserve(pair_kept* kept, const lim_host* host, int32_t slots,
                             const surface_net* net);
/* Sets `holds`: whether the lists are good for a step of dt from where the side's nodes are. */
void pair_kept_check(pair_kept* kept, const struct pair_side* side, double dt);
/* Makes lists from a surface all of whose patches are wanted; q: the body asks itself. */
void pair_kept_make(pair_kept* kept, const struct pair_query* q);

#endif

/* SPDX-License-Identifier: MIT
 * Blended regions made again after an edit: what lies away from the change is taken from the
 * regions before, numbers moved, and only what is near is made. The result is, to the last bit,
 * what making everything gives.
 */
#ifndef LIMBER_PAST_H
#define LIMBER_PAST_H

#include "region/charts.h"

/* The regions before, of one chart per component, and what of the body is still so. */
typedef struct region_past {
    const net* n;
    const charts* c;
    const regions* r;                   /* with the pieces of its records */
    const uint64_t* key;                /* per slot before, */
    const float *inv_weight, *fit_mass; /* and these */
    const int32_t *before, *after;      /* the slots of nodes that are the same, both ways; -1 */
    /* Fragments: in the order that they had, those that are as before. */
    const int32_t* was;     /* per fragment: the slot before that it, or what it was part of, had */
    const uint8_t* changed; /* per fragment: it or an edge of it is new or another; null: none */
    const int32_t* fragment_after; /* per fragment before: what it is now, where that is not
                                      changed; -1; null: all are what they were */
} region_past;

/* Which records are the same: sums of the same inputs with the same weights. */
typedef struct record_map {
    int32_t* now;     /* per record before, -1 */
    int32_t* before;  /* per record, -1 */
    uint8_t* touched; /* per record: other records use it, or one that is touched does */
} record_map;

/* Per level, pieces of which nothing that the network knows can be as it was: the sums that they
 * hold or the share that they pass on. slot: per level down to `begin`, the finest that has nodes,
 * the node that is the piece or -1. dirty: per level and piece. */
lim_result past_marks(arena* a, const region_past* past, const region_tree* tree, int32_t padded,
                      const int32_t* const* slot, int32_t begin, uint8_t** dirty);

/* Fills the back lists as net_transpose does, from those before; and map->touched. */
lim_result past_transpose(arena* a, arena* scratch, const region_past* past, record_map* map,
                          net* n);

/* As regions_build_blended. The map is in scratch. */
lim_result regions_blend_again(arena* a, arena* scratch, const lim_host* host,
                               const region_nodes* nodes, region_tree tree, const float* width,
                               const region_past* past, net* out_net, regions* out_regions,
                               record_map* out_map);

/* The region in which each node weighs most, the first of equals, and r->members. past: null, or
 * what nodes under records that are not touched take it from. */
lim_result regions_seeds(arena* scratch, const net* n, const region_past* past,
                         const record_map* map, regions* r);

/* As regions_constants, of regions that regions_blend_again has made. */
lim_result regions_constants_again(arena* scratch, const region_nodes* nodes, const charts* c,
                                   const net* n, const region_past* past, const record_map* map,
                                   regions* r, float* out_inv_weight, float* out_fit_mass);

#endif

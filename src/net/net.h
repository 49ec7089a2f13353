/* SPDX-License-Identifier: MIT
 * The sum network: records in layers, each record of a later layer the sum of records of earlier
 * ones. Layer 0 is the nodes, the last layer the regions; what lies between are shared partial
 * sums. Forward (P) walks the lists and sums node quantities over each region; the adjoint (P
 * transposed) walks the transposed lists and sums region quantities over the regions of each node.
 * A record is `strips` strips of 8 floats. Sums are sequential in list order and start from the
 * first input, so the bits depend on neither workers nor instruction set. Entries may have weights,
 * the same forward and back.
 *
 * Records are numbered through all layers: layer l holds records [first[l], first[l + 1]).
 * first[1] = padded node count, a multiple of 8; the region layer is padded to a multiple of 8 too;
 * pad records have empty lists and sum to zero.
 */
#ifndef LIMBER_NET_H
#define LIMBER_NET_H

#include "base/arena.h"
#include "base/isa.h"
#include "base/workers.h"

enum { NET_LAYERS = 24, NET_FORWARD_STRIPS = 3, NET_ADJOINT_STRIPS = 2 };

typedef struct net {
    int32_t layers; /* at least 2 */
    int32_t first[NET_LAYERS + 1];
    int32_t record_count;    /* first[layers] */
    int32_t node_count;      /* padded: first[1] */
    int32_t region_count;    /* padded: first[layers] - first[layers - 1] */
    int32_t* forward_offset; /* record_count + 1; empty lists in layer 0 */
    int32_t* forward;        /* input records of each output, canonical order */
    float* forward_weight;   /* of each entry, > 0; null: all 1 */
    int32_t* back_offset;    /* record_count + 1; empty lists in the last layer */
    int32_t* back;           /* outputs that use each record, ascending */
    float* back_weight;      /* of each entry; null: all 1 */
} net;

/* Fills the back lists from the forward lists. */
lim_result net_transpose(net* n, arena* a);
/* Whole-structure check, for tests and loading: ranges, order, transposition. */
bool net_is_valid(const net* n);

/* Kernels over a range [begin, end) of outputs. `records` holds record_count * strips * 8 floats,
 * aligned to 32 bytes. */
typedef struct net_kernels {
    /* records[i] = sum of its inputs */
    void (*forward)(const net* n, float* records, int32_t strips, int32_t begin, int32_t end);
    /* records[i] = sum over the outputs that use it */
    void (*adjoint)(const net* n, float* records, int32_t strips, int32_t begin, int32_t end);
} net_kernels;
const net_kernels* net_kernels_for(isa set);

/* Middle layers 1 .. layers-2 forward (the region layer is fused into the region kernel, see
 * match/). Layers of more than a block are split over the workers. */
void net_forward_middle(const net* n, float* records, int32_t strips, isa set, workers* pool);
/* Middle layers layers-2 .. 1 of the adjoint. */
void net_adjoint_middle(const net* n, float* records, int32_t strips, isa set, workers* pool);

/* The slow oracle: the weight of a node in a region, summed over the paths that lead there; 0 when
 * it is no member. */
double net_weight(const net* n, int32_t node, int32_t region);
/* Members of a region: writes at most `capacity` nodes in ascending order; returns how many there
 * are. Slow: asks every node. */
int32_t net_members(const net* n, int32_t region, int32_t* out_nodes, int32_t capacity);

#endif

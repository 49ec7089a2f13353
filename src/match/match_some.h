/* SPDX-License-Identifier: MIT
 * Matching where little has changed: rotations of some regions, affine parts of some nodes. Bits
 * are those of a pass over all. Not for nets with windows (match_body.box), nor for clusters.
 */
#ifndef LIMBER_MATCH_SOME_H
#define LIMBER_MATCH_SOME_H

#include "match/match.h"

/* Marks, a byte per record of the net, what the rotations of `wanted` regions (a byte each, padded)
 * are summed from. */
void match_mark_below(const match_body* m, const uint8_t* wanted, uint8_t* mark);
/* The rotations that match_step finds for them, and nothing else. Needs the components' sums. */
void match_turn_some(match_body* m, const uint8_t* wanted, const uint8_t* mark, isa set,
                     workers* pool);

/* The affine parts that match_affine finds for `wanted` nodes (a byte per slot); others are
 * anything. mark: scratch, a byte per record of the net. */
void match_affine_some(match_body* m, const uint8_t* wanted, uint8_t* mark, isa set, workers* pool);

#endif

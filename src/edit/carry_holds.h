/* SPDX-License-Identifier: MIT
 * Pins and grabs of a body that is carried over: the same material is held at the same places.
 */
#ifndef LIMBER_CARRY_HOLDS_H
#define LIMBER_CARRY_HOLDS_H

#include "edit/carry_overlap.h"

/* Needs places and frames of `to`, which has no pins and grabs yet. What was made before a failure
 * is the body's. */
lim_result carry_holds(arena* scratch, const carry_overlap* o, const body* from, body* to);

#endif

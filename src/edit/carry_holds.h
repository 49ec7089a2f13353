/* SPDX-License-Identifier: MIT
 * Pins and grabs of a body that is carried over: the same material is held at the same places.
 */
#ifndef LIMBER_CARRY_HOLDS_H
#define LIMBER_CARRY_HOLDS_H

#include "edit/carry_overlap.h"

/* Who is held; `to` has no pins and grabs yet. What was made before a failure is the body's. */
lim_result carry_holds(arena* scratch, const carry_overlap* o, const body* from, body* to);
/* Then where, when nodes are where they stay. */
lim_result carry_held_places(arena* scratch, const carry_overlap* o, const body* from, body* to);

#endif

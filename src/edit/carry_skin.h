/* SPDX-License-Identifier: MIT
 * What the skin of a body does when its nodes are others: it should not jump.
 */
#ifndef LIMBER_CARRY_SKIN_H
#define LIMBER_CARRY_SKIN_H

#include "edit/carry_overlap.h"

/* Moves new nodes, so that the skin comes nearer to where it was. The centre of mass of a group
 * that has several stays, and so does that of all others of a component together. Needs gains and
 * inverse masses of `to`: what a hard pin holds stays. */
lim_result carry_skin(arena* scratch, const carry_overlap* o, const body* from, isa set,
                      workers* pool, body* to);

#endif

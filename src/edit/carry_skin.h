/* SPDX-License-Identifier: MIT
 * What the skin of a body does when its nodes are others: it should not jump.
 */
#ifndef LIMBER_CARRY_SKIN_H
#define LIMBER_CARRY_SKIN_H

#include "edit/carry_overlap.h"

/* Moves the new nodes of groups that have several, so that the skin comes nearer to where it was,
 * and no group's centre of mass moves. Needs affine parts and inverse masses of `to`: what a hard
 * pin holds stays. */
lim_result carry_skin(arena* scratch, const carry_overlap* o, const body* from, body* to);

#endif

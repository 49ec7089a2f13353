/* SPDX-License-Identifier: MIT
 * Which nodes of a body that may meet itself are too close along the graph to meet: what
 * body_meeting_self hands to the search (contact/pair.h). Once for a topology.
 */
#ifndef LIMBER_BESIDE_H
#define LIMBER_BESIDE_H

#include "body/body.h"

lim_result body_beside_find(body* b);
/* The same for a body made from another by an edit: nodes about which the graph is as it was have
 * beside them those that they had. before: per slot that of the same node in `from`, or -1. */
lim_result body_beside_carry(body* b, const body* from, const int32_t* before);

#endif

/* SPDX-License-Identifier: MIT
 * Carrying a body over to a topology that was made from its own (body/remake.h). Nodes that stay
 * keep their state to the last bit. New ones take place and velocity from the blended field that
 * moves the skin; joined ones the mean by mass. Mass, momentum and (as far as the nodes can carry
 * it) angular momentum stay, and so do plastic strain, stiffness, pins and grabs.
 */
#ifndef LIMBER_CARRY_H
#define LIMBER_CARRY_H

#include "body/body.h"

/* What the caller knows of the way from one topology to the other. */
typedef struct carry_map {
    const int32_t* source; /* per fragment of the new matter: of the old one; null: itself */
    const int32_t* slot;   /* per new slot: the old slot that it is, or -1 (topology_remake) */
} carry_map;

/* Makes `out` of `from`, which is left as it was and whose fits are known (body_refresh): all or
 * nothing. `after` gets a reference. The new body is awake. Skins are written. */
lim_result body_carry(const body* from, topology* after, const carry_map* map, isa set,
                      workers* pool, body* out);

/* For others that hold slots of a body (links): the new slots that an old one has become, at least
 * one of each, with the share of its mass that each has. CSR over old slots, in `a`. */
typedef struct carry_slots {
    int32_t *first, *slot;
    float* share;
} carry_slots;
lim_result carry_slots_make(arena* a, const topology* before, const topology* after,
                            const carry_map* map, carry_slots* out);

#endif

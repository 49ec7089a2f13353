/* SPDX-License-Identifier: MIT
 * Places and velocities of the nodes of a body that is carried over, and with them the frames of
 * its components.
 *
 * A node that is part of one old node takes what the field that moves the skin says of its rest
 * position; one that spans several takes their mean by mass. Then all new nodes of a group
 * (edit/carry_overlap.h) are shifted alike, so that the group's centre of mass and momentum are
 * what they were. Velocities are interpolated less the rigid motion of their component: a body that
 * turns as one goes on so.
 *
 * Smaller nodes at the same angular velocity have more angular momentum: points have none of their
 * own. What its groups have gained or lost that way, a component gives back: its changed nodes turn
 * as one, where they are most of it and no hard pin holds it. Else the next substep takes it out of
 * the whole component (component.left_turning), so that a small place that was refined does not lag
 * behind its neighbours.
 */
#ifndef LIMBER_CARRY_NODES_H
#define LIMBER_CARRY_NODES_H

#include "edit/carry_overlap.h"

/* The bindings of the new nodes that are part of one old node to the nodes before. */
typedef struct carry_field {
    int32_t count;
    int32_t* slot; /* new, ascending */
    bindings bind;
} carry_field;
lim_result carry_field_make(arena* a, arena* scratch, const carry_overlap* o, carry_field* out);

/* A displacement over the old slots, with slopes as bindings use them. */
typedef struct carry_values {
    const float* value[3];
    const float* slope; /* 9 of every `stride`, row major; null: even about every node */
    int32_t stride;
    bool gradient; /* slopes are 1 too large */
    const float*
        held; /* not null: where it is 0, parts of the node turn with it and nothing else */
} carry_values;
/* Carries it over to the new slots. `out` is 0 at pads. */
lim_result carry_displacements(arena* scratch, const carry_overlap* o, const carry_field* f,
                               const carry_values* from, float* const out[3]);

/* d, v and frames of `to`, without what is left over. */
lim_result carry_motion(arena* scratch, const carry_overlap* o, const carry_field* f,
                        const body* from, isa set, workers* pool, body* to);
/* Then, when nodes are where they stay: the angular momentum that was. Needs inverse masses. */
lim_result carry_turning(arena* scratch, const carry_overlap* o, const body* from, body* to);

#endif

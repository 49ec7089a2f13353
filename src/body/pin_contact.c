/* SPDX-License-Identifier: MIT
 * Job: hard pins feel what others press on their nodes. In: an impulse on a node after a step. Out:
 * the pin's force and torque. Such a node does not give way to contacts, so that nothing of them is
 * in its velocity (body/pins.c): they are told.
 */
#include "body/body.h"

/* Of several hard pins that hold a node, the last has set its velocity. */
static body_pin* pin_of(const body* b, int32_t slot) {
    for (int32_t k = b->pins.count - 1; k >= 0; --k) {
        body_pin* p = &b->pins.data[k];
        int32_t low = 0, high = body_pin_is_hard(p) ? p->count : 0;
        while (low < high) {
            int32_t middle = low + (high - low) / 2;
            if (p->slot[middle] < slot) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (body_pin_is_hard(p) && low < p->count && p->slot[low] == slot) {
            return p;
        }
    }
    return NULL;
}

void body_pin_bear(body* b, int32_t slot, lim_point force) {
    body_pin* p = b->inv_mass[slot] > 0.0f ? NULL : pin_of(b, slot);
    if (p == NULL) {
        return;
    }
    const component* c = &b->components[b->topology->slot_component[slot]];
    lim_point at = node_to_world(c, body_metres(b), body_slot_local(b, slot));
    lim_point turning = p3_cross(p3_sub(at, p->position), force);
    p->force = v3_finite_of(p3_of(v3_sub(p->force, v3_of(force))));
    p->torque = v3_finite_of(p3_of(v3_sub(p->torque, v3_of(turning))));
}

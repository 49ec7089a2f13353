/* SPDX-License-Identifier: MIT
 * Job: hold the nodes of a body to what limits them. In: a substep, velocities that a solver has
 * left. Out: velocities within the limits; pins, grabs and contacts that have felt it.
 */
#include "body/solver.h"

#include "base/timer.h"

void body_limits_hold(body* b, const body_substep* s) {
    body_pins_hold(b, s->end, s->h);
    body_measure_held(b, s->begin, s->end, s->h);
}

void body_limits_measure(body* b, const body_substep* s) {
    double t0 = timer_now(&b->host);
    node_state nodes = body_nodes(b);
    contact_measure(&b->contacts, &b->topology->touch, &nodes, body_metres(b), s->in->colliders,
                    b->material.friction, s->begin * s->in->dt, s->h);
    s->times->contact_solve += timer_now(&b->host) - t0;
}

/* Components that a collider presses on now. */
static void mark_touched(body* b) {
    for (int32_t c = 0; c < b->topology->component_count; ++c) {
        b->components[c].touched = false;
    }
    for (int32_t i = 0; i < b->contacts.items.count; ++i) {
        const contact* at = &b->contacts.items.data[i];
        if (at->impulse > 0.0f) {
            b->components[b->topology->slot_component[at->node]].touched = true;
        }
    }
}

void body_limits_apply(body* b, const body_substep* s) {
    double t0 = timer_now(&b->host);
    node_state nodes = body_nodes(b);
    body_pins_hold(b, s->end, s->h);
    body_pins_share(b);
    if (!solver_of(b)->within) {
        body_pins_pull(b, s->begin, s->end, s->h);
    }
    if (b->grabs.count > 0 && !solver_of(b)->within) {
        body_grabs_apply(b, s->begin, s->end, s->in->dt, s->h);
        body_pins_hold(b, s->end, s->h);
    }
    double t1 = timer_now(&b->host);
    contact_limit_velocity(&b->contacts, &b->topology->touch, &nodes, body_metres(b),
                           s->in->colliders, s->begin * s->in->dt, s->h);
    mark_touched(b);
    s->times->tools += t1 - t0;
    s->times->contact_solve += timer_now(&b->host) - t1;
}

/* SPDX-License-Identifier: MIT
 * Whether the points of a body are bound as they should be: all of them bound anew.
 */
#ifndef LIMBER_BOUND_CHECKS_H
#define LIMBER_BOUND_CHECKS_H

#include "body/bind_cells.h"
#include "body/topology.h"

#include <string.h>

static inline bool same_bindings(const bindings* a, const bindings* b) {
    bool same = a->count == b->count &&
                memcmp(a->bind, b->bind, (size_t)a->count * sizeof *a->bind) == 0 &&
                memcmp(a->component, b->component, (size_t)a->count * sizeof(int32_t)) == 0;
    for (int k = 0; same && k < 3; ++k) {
        same = memcmp(a->rest[k], b->rest[k], (size_t)a->count * sizeof(float)) == 0;
    }
    return same;
}

/* Every point is bound as if all were bound anew, each with its home. */
static inline bool bound_as_anew(const topology* t) {
    arena a;
    arena_init(&a, NULL);
    cell_frame frame;
    bind_nodes nodes = bind_cells_nodes(t, &frame);
    bindings all = t->bind;
    all.bind = ARENA_ARRAY(&a, binding, all.count);
    all.component = ARENA_ARRAY(&a, int32_t, all.count);
    int32_t* which = ARENA_ARRAY(&a, int32_t, all.count);
    int32_t* own = ARENA_ARRAY(&a, int32_t, all.count);
    for (int32_t i = 0; i < all.count; ++i) {
        which[i] = i;
        own[i] = t->fragment_slot[t->point_home[i]];
    }
    bool same = bindings_renew(&a, &nodes, which, own, all.count, &all) == LIM_OK &&
                same_bindings(&all, &t->bind);
    arena_release(&a);
    return same;
}

#endif

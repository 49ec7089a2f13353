/* SPDX-License-Identifier: MIT
 * Whether the points of a body are bound as they should be: all of them bound anew; and what is
 * derived, likewise.
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
    bool same = bindings_renew(&a, &nodes, which, own, all.count, NULL, &all) == LIM_OK &&
                same_bindings(&all, &t->bind);
    arena_release(&a);
    return same;
}

/* What is derived and not saved. */
static inline bool same_derived(const topology* a, const topology* b) {
    const surface_net *s = &a->surface, *r = &b->surface;
    size_t corners = 3 * (size_t)s->triangle_count * sizeof(int32_t);
    size_t patches = (size_t)s->patch_count;
    return same_bindings(&a->touch, &b->touch) && same_bindings(&s->points, &r->points) &&
           s->triangle_count == r->triangle_count && s->patch_count == r->patch_count &&
           memcmp(s->corner, r->corner, corners) == 0 &&
           memcmp(s->neighbour, r->neighbour, corners) == 0 &&
           memcmp(s->patch_node, r->patch_node, patches * sizeof(int32_t)) == 0 &&
           memcmp(s->patch_feel, r->patch_feel, (patches + 1) * sizeof(int32_t)) == 0 &&
           memcmp(s->feel, r->feel, (size_t)s->patch_feel[patches] * sizeof(int32_t)) == 0 &&
           memcmp(s->carrier, r->carrier, (size_t)a->slot_count) == 0 &&
           memcmp(s->sharp, r->sharp, (size_t)s->points.count) == 0 &&
           a->surface_reach == b->surface_reach && s->longest == r->longest &&
           s->open_share == r->open_share;
}

/* All that is derived, as if nothing had been known before. */
static inline bool derived_as_anew(const topology* t) {
    topology again = *t;
    arena scratch;
    arena_init(&scratch, NULL);
    arena_init(&again.mem, NULL);
    again.touch = (bindings){0};
    bool same = topology_derive(&again, &scratch, NULL) == LIM_OK && same_derived(t, &again);
    arena_release(&scratch);
    arena_release(&again.mem);
    return same;
}

#endif

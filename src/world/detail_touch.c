/* SPDX-License-Identifier: MIT
 * Job: which nodes are touched, for levels of detail. In: contacts of the step, grabs, pins that
 * move. Out: seconds since each node of a body with that rule was last touched. Simulated time
 * alone counts, and a body that does not move keeps its seconds.
 */
#include "world/world.h"

#include <math.h>

static bool pin_moves(const body_pin* p) {
    lim_point way = p3_sub(p->target_position, p->position);
    dquat a = p->orientation, b = p->target_orientation;
    return p3_dot(way, way) > 0.0 || a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w;
}

/* Of a grab only the node nearest to the point that it holds: its grip reaches over coarse cells,
 * and would keep all of them fine. */
static int32_t node_of_grab(const body* b, const body_grab* g) {
    const topology* t = b->topology;
    lim_point held = p3_of(g->rest);
    for (int32_t i = 0; i < g->count; ++i) {
        held = p3_mad(held, body_slot_rest(t, g->slot[i]), (double)g->weight[i]);
    }
    int32_t nearest = g->slot[0];
    double least = HUGE_VAL;
    for (int32_t i = 0; i < g->count; ++i) {
        lim_point off = p3_sub(body_slot_rest(t, g->slot[i]), held);
        double away = p3_dot(off, off);
        nearest = away < least ? g->slot[i] : nearest;
        least = away < least ? away : least;
    }
    return nearest;
}

static void begin_body(body* b, double dt) {
    for (int32_t i = 0; i < b->topology->slot_count; ++i) {
        b->since_touch[i] += (float)dt;
    }
    for (int32_t k = 0; k < b->grabs.count; ++k) {
        if (b->grabs.data[k].count > 0) {
            b->since_touch[node_of_grab(b, &b->grabs.data[k])] = 0.0f;
        }
    }
    for (int32_t k = 0; k < b->pins.count; ++k) {
        const body_pin* p = &b->pins.data[k];
        for (int32_t i = 0; i < p->count && pin_moves(p); ++i) {
            b->since_touch[p->slot[i]] = 0.0f;
        }
    }
}

void world_detail_touch_begin(lim_world* world, double dt) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        body* b = &world->bodies[i]->body;
        if (b->feels_touch && body_moves(b)) {
            begin_body(b, dt);
        }
    }
}

static void by_colliders(body* b) {
    for (int32_t k = 0; k < b->contacts.items.count; ++k) {
        const contact* c = &b->contacts.items.data[k];
        if (v3_dot(c->sum, c->sum) > 0.0f) {
            b->since_touch[c->node] = 0.0f;
        }
    }
}

/* Of two bodies, or of one with itself: the nodes that feel it and those that carry the place that
 * is felt. */
static void by_pair(lim_world* world, const world_pair* p) {
    world_body* pair[2] = {world->bodies[p->a], world->bodies[p->b]};
    for (int k = 0; k < 2; ++k) {
        body *a = &pair[k]->body, *b = &pair[1 - k]->body;
        for (int32_t i = p->begin[k]; i < p->end[k]; ++i) {
            const pair_contact* c = &a->meeting.list.items.data[i];
            if (!(v3_dot(c->sum, c->sum) > 0.0f)) {
                continue;
            }
            if (a->feels_touch && pair[k]->moved) {
                a->since_touch[c->node] = 0.0f;
            }
            for (int j = 0; j < PAIR_CARRIERS && b->feels_touch && pair[1 - k]->moved; ++j) {
                if (c->weight[j] > 0.0f) {
                    b->since_touch[c->carrier[j]] = 0.0f;
                }
            }
        }
    }
}

void world_detail_touch_end(lim_world* world) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        if (world->bodies[i]->body.feels_touch && world->bodies[i]->moved) {
            by_colliders(&world->bodies[i]->body);
        }
    }
    for (int32_t i = 0; i < world->meet.pairs.count; ++i) {
        by_pair(world, &world->meet.pairs.data[i]);
    }
}

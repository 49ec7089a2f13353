/* SPDX-License-Identifier: MIT
 * Job: what tools feel. In: touches and contacts after a step. Out: loads of colliders, pins,
 * grabs and links, smoothed ones too. Sums are in order of touches and contacts, by the calling
 * thread.
 */
#include "math/trig.h"
#include "world/world.h"

/* `keep`: the share of what was felt before that is left. */
static void smooth(lim_vec3* mean, lim_vec3 now, float keep) {
    *mean = v3_mad(now, v3_sub(*mean, now), keep);
}

/* Hard pins bear what presses on their nodes: of one contact, A's node and B's carriers. */
static void bear_contact(const pair_contact* c, world_body* a, world_body* b, double dt) {
    lim_point force = p3_scale(p3_of(c->sum), 1.0 / dt);
    if (a->moved && a->body.pins.count > 0) {
        body_pin_bear(&a->body, c->node, force);
    }
    for (int k = 0; k < PAIR_CARRIERS && b->moved && b->body.pins.count > 0; ++k) {
        if (c->weight[k] > 0.0f) {
            body_pin_bear(&b->body, c->carrier[k], p3_scale(force, -(double)c->weight[k]));
        }
    }
}

static void bear_contacts(lim_world* world, double dt) {
    for (int32_t i = 0; i < world->meet.pairs.count; ++i) {
        const world_pair* p = &world->meet.pairs.data[i];
        world_body* pair[2] = {world->bodies[p->a], world->bodies[p->b]};
        bool pinned = pair[0]->body.pins.count + pair[1]->body.pins.count > 0;
        for (int k = 0; k < 2 && pinned; ++k) {
            for (int32_t j = p->begin[k]; j < p->end[k]; ++j) {
                const pair_contact* c = &pair[k]->body.meeting.list.items.data[j];
                bear_contact(c, pair[k], pair[1 - k], dt);
            }
        }
    }
}

static void load_colliders(lim_world* world, float keep) {
    for (int32_t i = slots_next(&world->collider_slots, 0); i >= 0;
         i = slots_next(&world->collider_slots, (int64_t)i + 1)) {
        world->colliders[i].push = world->colliders[i].turn = p3(0, 0, 0);
    }
    for (int32_t k = 0; k < world->touches.now.count; ++k) {
        const world_touch* t = &world->touches.now.data[k];
        if (!touch_is_of_bodies(t)) {
            world_collider* c = &world->colliders[touch_other(t)];
            c->push = p3_add(c->push, p3_of(t->force));
            c->turn = p3_add(c->turn, p3_of(t->torque));
        }
    }
    for (int32_t i = slots_next(&world->collider_slots, 0); i >= 0;
         i = slots_next(&world->collider_slots, (int64_t)i + 1)) {
        world_collider* c = &world->colliders[i];
        c->load.force = v3_finite_of(c->push);
        c->load.torque = v3_finite_of(c->turn);
        smooth(&c->load.smooth_force, c->load.force, keep);
        smooth(&c->load.smooth_torque, c->load.torque, keep);
    }
}

/* Forces of pins and grabs are those on the body. */
static void smooth_tools(lim_world* world, float keep) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        body* b = &world->bodies[i]->body;
        for (int32_t k = 0; k < b->pins.count; ++k) {
            body_pin* p = &b->pins.data[k];
            smooth(&p->smooth_force, p->force, keep);
            smooth(&p->smooth_torque, p->torque, keep);
        }
        for (int32_t k = 0; k < b->grabs.count; ++k) {
            smooth(&b->grabs.data[k].smooth_force, b->grabs.data[k].force, keep);
        }
    }
}

void world_loads_update(lim_world* world, double dt) {
    double time = (double)world->settings.load_time;
    float keep = time > 0.0 ? (float)trig_exp(-dt / time) : 0.0f;
    bear_contacts(world, dt);
    world_links_bear(world, dt);
    load_colliders(world, keep);
    smooth_tools(world, keep);
    world_links_feel(world, dt, keep);
}

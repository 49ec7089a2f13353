/* SPDX-License-Identifier: MIT
 * Job: contacts, events and what colliders feel, at the border. In: what the last step has left.
 * Out: copies in arrays of the caller.
 */
#include "world/world.h"

/* ---- contacts ---------------------------------------------------------------------------------
 */

typedef struct contact_out {
    lim_contact* to;
    int32_t capacity, count;
} contact_out;

static void put(contact_out* out, lim_contact c) {
    if (out->count < out->capacity) {
        out->to[out->count] = c;
    }
    out->count++;
}

static lim_body body_id(const lim_world* world, int32_t index) {
    return (lim_body){(uint32_t)index, world->body_slots.generation[index]};
}

static void put_with_colliders(const lim_world* world, int32_t index, contact_out* out) {
    const body* b = &world->bodies[index]->body;
    node_state nodes = body_nodes(b);
    double metres = body_metres(b);
    for (int32_t k = 0; k < b->contacts.items.count; ++k) {
        const contact* c = &b->contacts.items.data[k];
        lim_collider other = world->collider_ids[c->collider];
        if (!(v3_dot(c->sum, c->sum) > 0.0f) ||
            !slots_holds(&world->collider_slots, other.index, other.generation)) {
            continue;
        }
        const component* frame = &b->components[b->topology->slot_component[c->node]];
        lim_vec3 local = contact_where_now(c, &b->topology->touch, &nodes);
        put(out, (lim_contact){.body = body_id(world, index),
                               .collider = other,
                               .point = node_to_world(frame, metres, p3_of(local)),
                               .normal = c->normal,
                               .impulse = c->sum,
                               .depth = c->gap < 0.0f ? -c->gap * (float)metres : 0.0f});
    }
}

static void put_with_bodies(const lim_world* world, int32_t index, contact_out* out) {
    const body_meeting* m = &world->bodies[index]->body.meeting;
    for (int32_t k = 0; k < m->list.items.count; ++k) {
        const pair_contact* c = &m->list.items.data[k];
        if (!(v3_dot(c->sum, c->sum) > 0.0f) || !slots_is_used(&world->body_slots, c->other) ||
            !world->bodies[c->other]->stepped) {
            continue; /* whom it met is gone, though another may have taken its place */
        }
        put(out, (lim_contact){.body = body_id(world, index),
                               .other = body_id(world, c->other),
                               .point = p3_add(m->list.origin, p3_of(c->place)),
                               .normal = c->axis[0],
                               .impulse = c->sum,
                               .depth = c->gap < 0.0f ? -c->gap : 0.0f});
    }
}

static lim_result get_contacts(const lim_world* world, contact_out* out) {
    check c = check_begin(&world->host, "lim_world_get_contacts");
    check_integer(&c, "capacity", out->capacity, 0, out->to != NULL ? INT32_MAX : 0,
                  "the size of out, 0 when it is null");
    LIM_TRY(c.result);
    int32_t met = 0;
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        const world_body* b = world->bodies[i];
        if (b->moved) {
            put_with_colliders(world, i, out);
        }
        while (met < world->meet.met.count && world->meet.met.data[met] < i) {
            met++;
        }
        if (b->stepped && met < world->meet.met.count && world->meet.met.data[met] == i) {
            put_with_bodies(world, i, out);
        }
    }
    return LIM_OK;
}

lim_result lim_world_get_contacts(const lim_world* world, lim_contact* out, int32_t capacity,
                                  int32_t* out_count) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    contact_out to = {out, capacity, 0};
    fpenv env = fpenv_enter();
    lim_result result = get_contacts(world, &to);
    fpenv_leave(env);
    if (result == LIM_OK && out_count != NULL) {
        *out_count = to.count;
    }
    return result;
}

/* ---- events -----------------------------------------------------------------------------------
 */

lim_result lim_world_get_events(const lim_world* world, lim_event* out, int32_t capacity,
                                int32_t* out_count) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    check c = check_begin(&world->host, "lim_world_get_events");
    check_integer(&c, "capacity", capacity, 0, out != NULL ? INT32_MAX : 0,
                  "the size of out, 0 when it is null");
    LIM_TRY(c.result);
    int32_t count = world->touches.events.count;
    for (int32_t i = 0; i < count && i < capacity; ++i) {
        out[i] = world->touches.events.data[i];
    }
    if (out_count != NULL) {
        *out_count = count;
    }
    return LIM_OK;
}

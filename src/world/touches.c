/* SPDX-License-Identifier: MIT
 * Job: who has touched whom. In: contacts with their impulses after a step. Out: the touches of the
 * world, events. All sums are in order of bodies, then contacts, by the calling
 * thread: the same for any number of workers.
 */
#include "world/touches.h"

#include "world/world.h"

void world_touches_free(world_touches* t, const lim_host* host) {
    ARRAY_FREE(host, &t->now);
    ARRAY_FREE(host, &t->fresh);
    ARRAY_FREE(host, &t->next);
    ARRAY_FREE(host, &t->order);
    ARRAY_FREE(host, &t->spare);
    ARRAY_FREE(host, &t->events);
    ARRAY_FREE(host, &t->waiting);
}

lim_result world_touches_reserve(lim_world* world) {
    world_touches* t = &world->touches;
    int64_t fresh = world->meet.pairs.count, bodies = 0;
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        const contact_list* list = &world->bodies[i]->body.contacts;
        bodies++;
        for (int32_t k = 0; k < list->items.count; ++k) {
            fresh += k == 0 || list->items.data[k].collider != list->items.data[k - 1].collider;
        }
    }
    bool room = ARRAY_RESERVE(&world->host, &t->fresh, fresh) &&
                ARRAY_RESERVE(&world->host, &t->order, fresh) &&
                ARRAY_RESERVE(&world->host, &t->spare, fresh) &&
                ARRAY_RESERVE(&world->host, &t->now, t->now.count + fresh) &&
                ARRAY_RESERVE(&world->host, &t->next, t->now.count + fresh) &&
                ARRAY_RESERVE(&world->host, &t->events,
                              t->events.count + t->waiting.count + t->now.count + 2 * fresh +
                                  2 * bodies + world->link_slots.count);
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

/* ---- touches of the step ------------------------------------------------------------------------
 */

/* Sums of a touch; the strongest contact says where it is. */
typedef struct touch_sum {
    lim_point impulse, turning; /* on the body */
    double along, strongest;
    bool any;
} touch_sum;

/* True when the contact is the strongest so far. */
static bool add_contact(touch_sum* s, lim_vec3 impulse, lim_vec3 turning, lim_vec3 normal) {
    if (!(v3_dot(impulse, impulse) > 0.0f)) {
        return false;
    }
    double along = (double)v3_dot(impulse, normal);
    bool first = !s->any;
    s->any = true;
    s->impulse = p3_add(s->impulse, p3_of(impulse));
    s->turning = p3_add(s->turning, p3_of(turning));
    s->along += along > 0.0 ? along : 0.0;
    if (first || along > s->strongest) {
        s->strongest = along;
        return true;
    }
    return false;
}

static void add_touch(world_touches* t, const world_touch* made) {
    if (!p3_finite(made->point) || !v3_finite(made->normal)) {
        return; /* nowhere */
    }
    t->order.data[t->fresh.count] = (sort_item){.key = made->key, .value = t->fresh.count};
    t->fresh.data[t->fresh.count++] = *made;
}

/* Of one body with the colliders that its contacts name, one after the other. */
static void gather_colliders(lim_world* world, int32_t index, double dt) {
    const body* b = &world->bodies[index]->body;
    const contact_list* list = &b->contacts;
    node_state nodes = body_nodes(b);
    for (int32_t k = 0; k < list->items.count;) {
        int32_t which = list->items.data[k].collider;
        const contact* place = NULL;
        touch_sum s = {0};
        for (; k < list->items.count && list->items.data[k].collider == which; ++k) {
            const contact* c = &list->items.data[k];
            place = add_contact(&s, c->sum, c->turning, c->normal) ? c : place;
        }
        if (place == NULL) {
            continue;
        }
        lim_collider other = world->collider_ids[which];
        const component* frame = &b->components[b->topology->slot_component[place->node]];
        lim_vec3 local = contact_where_now(place, &b->topology->touch, &nodes);
        world_touch made = {.key = touch_key(index, false, (int32_t)other.index),
                            .body_generation = world->body_slots.generation[index],
                            .other_generation = other.generation,
                            .impulse = finite_of(s.along),
                            .force = v3_finite_of(p3_scale(s.impulse, -1.0 / dt)),
                            .torque = v3_finite_of(p3_scale(s.turning, -1.0 / dt)),
                            .point = node_to_world(frame, body_metres(b), p3_of(local)),
                            .normal = place->normal};
        add_touch(&world->touches, &made);
    }
}

/* Of two bodies: both lists, as the lower index feels them. */
static void gather_pair(lim_world* world, const world_pair* p) {
    const body* pair[2] = {&world->bodies[p->a]->body, &world->bodies[p->b]->body};
    world_touch made = {.key = touch_key(p->a, true, p->b),
                        .body_generation = world->body_slots.generation[p->a],
                        .other_generation = world->body_slots.generation[p->b]};
    touch_sum s = {0};
    for (int k = 0; k < 2; ++k) {
        for (int32_t i = p->begin[k]; i < p->end[k]; ++i) {
            const pair_contact* c = &pair[k]->meeting.list.items.data[i];
            if (add_contact(&s, c->sum, v3(0, 0, 0), c->axis[0])) {
                made.point = p3_add(pair[k]->meeting.list.origin, p3_of(c->place));
                made.normal = v3_scale(c->axis[0], k == 0 ? 1.0f : -1.0f);
            }
        }
    }
    made.impulse = finite_of(s.along);
    if (s.any) {
        add_touch(&world->touches, &made);
    }
}

static void gather(lim_world* world, double dt) {
    world_touches* t = &world->touches;
    t->fresh.count = 0;
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        if (world->bodies[i]->moved) {
            gather_colliders(world, i, dt);
        }
    }
    for (int32_t i = 0; i < world->meet.pairs.count; ++i) {
        gather_pair(world, &world->meet.pairs.data[i]);
    }
    sort_items(t->order.data, t->spare.data, t->fresh.count);
}

/* ---- events -------------------------------------------------------------------------------------
 */

void world_events_begin(lim_world* world) {
    world_touches* t = &world->touches;
    t->events.count = 0;
    for (int32_t i = 0; i < t->waiting.count; ++i) {
        t->events.data[t->events.count++] = t->waiting.data[i];
    }
    t->waiting.count = 0;
}

static void tell(world_touches* all, lim_event_kind kind, const world_touch* t) {
    lim_event e = {.kind = kind,
                   .body = touch_body(t),
                   .point = t->point,
                   .normal = t->normal,
                   .impulse = kind == LIM_EVENT_END ? 0.0f : t->impulse};
    if (touch_is_of_bodies(t)) {
        e.other = (lim_body){touch_other(t), t->other_generation};
    } else {
        e.collider = (lim_collider){touch_other(t), t->other_generation};
    }
    all->events.data[all->events.count++] = e;
}

static bool is_there(const lim_world* world, const world_touch* t) {
    lim_body id = touch_body(t);
    const slots* others = touch_is_of_bodies(t) ? &world->body_slots : &world->collider_slots;
    return slots_holds(&world->body_slots, id.index, id.generation) &&
           slots_holds(others, touch_other(t), t->other_generation);
}

static bool stands(const world_body* b) {
    return b->body.enabled && !b->moved;
}

/* Of a touch without an impulse in this step, whose body and other are still there. */
static bool lies_still(const lim_world* world, const world_touch* t) {
    return t->quiet == 0 && stands(world->bodies[touch_body(t).index]) &&
           (!touch_is_of_bodies(t) || stands(world->bodies[touch_other(t)]));
}

static void keep_or_end(lim_world* world, world_touch t) {
    world_touches* all = &world->touches;
    if (!is_there(world, &t)) {
        tell(all, LIM_EVENT_END, &t);
        return;
    }
    if (!lies_still(world, &t)) {
        t.quiet++;
        t.force = t.torque = v3(0, 0, 0);
    }
    if (t.quiet >= TOUCH_QUIET) {
        tell(all, LIM_EVENT_END, &t);
    } else {
        all->next.data[all->next.count++] = t;
    }
}

static void add_fresh(lim_world* world, const world_touch* t, bool begins) {
    world_touches* all = &world->touches;
    float impact = world->settings.impact;
    if (begins) {
        tell(all, LIM_EVENT_BEGIN, t);
    }
    if (impact > 0.0f && t->impulse > impact) {
        tell(all, LIM_EVENT_IMPACT, t);
    }
    all->next.data[all->next.count++] = *t;
}

/* The old touches and those of the step, both in order of keys. */
static void merge(lim_world* world) {
    world_touches* t = &world->touches;
    t->next.count = 0;
    int32_t i = 0, j = 0;
    while (i < t->now.count || j < t->fresh.count) {
        const world_touch* old = i < t->now.count ? &t->now.data[i] : NULL;
        const world_touch* fresh =
            j < t->fresh.count ? &t->fresh.data[t->order.data[j].value] : NULL;
        bool both = old != NULL && fresh != NULL && old->key == fresh->key;
        bool same = both && is_there(world, old); /* and not one that had the same place */
        if (old != NULL && (fresh == NULL || old->key <= fresh->key)) {
            if (!same) {
                keep_or_end(world, *old);
            }
            i++;
        }
        if (fresh != NULL && (old == NULL || fresh->key <= old->key)) {
            add_fresh(world, fresh, !same);
            j++;
        }
    }
    world_touches old = *t;
    t->now.data = old.next.data;
    t->now.count = old.next.count;
    t->now.capacity = old.next.capacity;
    t->next.data = old.now.data;
    t->next.count = 0;
    t->next.capacity = old.now.capacity;
}

static void tell_sleep(lim_world* world) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        body* b = &world->bodies[i]->body;
        if (b->asleep != b->asleep_told) {
            b->asleep_told = b->asleep;
            world->touches.events.data[world->touches.events.count++] =
                (lim_event){.kind = b->asleep ? LIM_EVENT_SLEEP : LIM_EVENT_WAKE,
                            .body = {(uint32_t)i, world->body_slots.generation[i]}};
        }
    }
}

void world_touches_update(lim_world* world, double dt) {
    gather(world, dt);
    merge(world);
    tell_sleep(world);
}

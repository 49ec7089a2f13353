/* SPDX-License-Identifier: MIT
 * Job: which tools press on a body with trained detail, and where. In: contacts and grabs of the
 * last step. Out: presses with their places in the rest shape. Colliders that are smaller than the
 * body are tools, and so are grabs. The place of a collider follows from where it and the body are,
 * not from where it was before; one that has let go keeps its last place while it fades.
 */
#include "world/trained.h"

#include "world/world.h"

static const uint64_t GRAB_KEY = (uint64_t)1 << 63;

/* The press of this key, or a free place; null when there is none. */
static trained_press* place_of(world_trained* t, uint64_t key, uint32_t generation) {
    trained_press* free_place = NULL;
    for (int32_t i = 0; i < TRAINED_PRESSES; ++i) {
        trained_press* p = &t->press[i];
        bool used = p->strength > 0.0f || p->pressed;
        if (used && p->key == key && p->generation == generation) {
            return p;
        }
        free_place = free_place == NULL && !used ? p : free_place;
    }
    if (free_place != NULL) {
        *free_place = (trained_press){.key = key, .generation = generation};
    }
    return free_place;
}

/* Where a contact is in the rest shape. */
static lim_vec3 contact_rest(const topology* t, const contact* c) {
    int32_t point = c->touching >= 0 ? c->touching : c->point[0];
    return point >= 0 ? bindings_rest(&t->touch, point)
                      : v3(t->x0[0][c->node], t->x0[1][c->node], t->x0[2][c->node]);
}

static void press_colliders(const lim_world* world, const world_body* w, double dt) {
    const body* b = &w->body;
    const contact_list* list = &b->contacts;
    world_trained* t = w->trained;
    for (int32_t k = 0; k < list->items.count;) {
        int32_t which = list->items.data[k].collider;
        const contact* strongest = NULL;
        float most = 0.0f;
        for (; k < list->items.count && list->items.data[k].collider == which; ++k) {
            const contact* c = &list->items.data[k];
            float along = v3_dot(c->sum, c->normal);
            if (along > most) {
                most = along;
                strongest = c;
            }
        }
        const collider* c = &world->collider_list[which];
        if (strongest == NULL || !trained_is_tool(b, c)) {
            continue;
        }
        lim_collider id = world->collider_ids[which];
        trained_press* p = place_of(t, id.index, id.generation);
        if (p != NULL) {
            collider now = collider_at(c, dt);
            p->pressed = true;
            (void)trained_contact(b, &t->skin, &now, contact_rest(b->topology, strongest),
                                  t->data.grid.radius, world->set, &t->search, &p->spot);
        }
    }
}

/* What a grab holds does not move over the skin. */
static trained_spot grab_spot(const world_trained* t, const body* b, const body_grab* g) {
    lim_point mean = p3(0, 0, 0);
    for (int32_t i = 0; i < g->count; ++i) {
        mean = p3_mad(mean, body_slot_rest(b->topology, g->slot[i]), (double)g->weight[i]);
    }
    trained_spot spot = {.point = v3_of(p3_add(mean, p3_of(g->rest))), .normal = {0, 1, 0}};
    float least = INFINITY;
    for (int32_t i = 0; i < t->skin.point_count; ++i) {
        lim_vec3 way = v3_sub(bindings_rest(&b->topology->bind, i), spot.point);
        if (t->skin.fan_start[i + 1] > t->skin.fan_start[i] && v3_dot(way, way) < least) {
            least = v3_dot(way, way);
            spot.normal = t->skin.normal[i];
        }
    }
    return spot;
}

static void press_grabs(const lim_world* world, const world_body* w) {
    for (int32_t i = 0; i < w->body.grabs.count; ++i) {
        const body_grab* g = &w->body.grabs.data[i];
        uint32_t generation = world->grab_slots.generation[g->id_index];
        trained_press* p = place_of(w->trained, GRAB_KEY | g->id_index, generation);
        if (p != NULL) {
            bool new_one = p->strength <= 0.0f && !p->pressed;
            p->pressed = true;
            p->spot = new_one ? grab_spot(w->trained, &w->body, g) : p->spot;
        }
    }
}

void trained_presses_update(const lim_world* world, const world_body* w, double dt) {
    world_trained* t = w->trained;
    for (int32_t i = 0; i < TRAINED_PRESSES; ++i) {
        t->press[i].pressed = false;
    }
    press_colliders(world, w, dt);
    press_grabs(world, w);
    for (int32_t i = 0; i < TRAINED_PRESSES; ++i) {
        trained_press* p = &t->press[i];
        float change = (float)dt / (p->pressed ? TRAINED_RISE : -TRAINED_FADE);
        float strength = t->fresh && p->pressed ? 1.0f : p->strength + change;
        p->strength = strength < 0.0f ? 0.0f : strength < 1.0f ? strength : 1.0f;
    }
    t->fresh = false;
}

/* SPDX-License-Identifier: MIT
 * Job: a body that was edited takes its place in the world. In: the body as an edit has made it.
 * Out: the world with it, links tied to its new nodes. Memory is taken first; then nothing can
 * fail.
 */
#include "world/world.h"

#include <string.h>

/* A link whose ties have new nodes. */
typedef struct retied {
    int32_t link, count;
    link_tie* tie; /* room for `room` */
    int32_t room;
} retied;

typedef struct taking {
    lim_world* world;
    int32_t index;
    const edit_made* made;
    carry_slots slots;
    int32_t* before; /* per old slot: the new slot that is the same node, or -1 */
    int32_t* stamp;  /* per new slot: 1 + the link that has a tie on it */
    ARRAY(retied) links;
} taking;

static const body* other_of(const taking* t, int32_t index) {
    return index == t->index ? &t->made->body : &t->world->bodies[index]->body;
}

/* Ties on nodes of the body that was edited. */
static void tie_nodes(taking* t, const world_link* link, retied* out) {
    const body *a = other_of(t, link->body), *b = other_of(t, link->other);
    for (int32_t i = 0; i < link->count; ++i) {
        int32_t old = link->tie[i].node;
        for (int32_t k = t->slots.first[old]; k < t->slots.first[old + 1]; ++k) {
            int32_t slot = t->slots.slot[k];
            if (t->stamp[slot] == out->link + 1) {
                continue;
            }
            t->stamp[slot] = out->link + 1;
            link_tie tie = link->tie[i];
            if (t->made->slot[slot] == old) {
                tie.node = slot;
            } else {
                tie = world_tie_make(a, b, slot);
                tie.force = v3_scale(link->tie[i].force, t->slots.share[k]);
            }
            out->tie[out->count++] = tie;
        }
    }
}

/* Ties whose carriers are nodes of the body that was edited. */
static void tie_carriers(const taking* t, const world_link* link, retied* out) {
    const body *a = other_of(t, link->body), *b = other_of(t, link->other);
    for (int32_t i = 0; i < link->count; ++i) {
        link_tie tie = link->tie[i];
        bool same = true;
        for (int k = 0; k < LINK_CARRIERS; ++k) {
            int32_t slot = t->before[tie.carrier[k]];
            same = same && slot >= 0;
            tie.carrier[k] = slot;
        }
        int32_t piece = same ? b->topology->slot_component[tie.carrier[0]] : -1;
        for (int k = 1; k < LINK_CARRIERS && same; ++k) {
            same = b->topology->slot_component[tie.carrier[k]] == piece;
        }
        if (!same) {
            tie = world_tie_make(a, b, link->tie[i].node);
            tie.force = link->tie[i].force;
        }
        out->tie[out->count++] = tie;
    }
}

/* Most ties that a link may have after it. */
static int32_t room_for(const taking* t, const world_link* link) {
    int32_t count = link->count;
    for (int32_t i = 0; i < link->count && link->body == t->index; ++i) {
        int32_t old = link->tie[i].node;
        count += t->slots.first[old + 1] - t->slots.first[old];
    }
    return count;
}

static lim_result plan_links(taking* t) {
    lim_world* world = t->world;
    for (int32_t i = slots_next(&world->link_slots, 0); i >= 0;
         i = slots_next(&world->link_slots, (int64_t)i + 1)) {
        const world_link* link = &world->links[i];
        if (link->body != t->index && link->other != t->index) {
            continue;
        }
        retied r = {.link = i, .room = room_for(t, link)};
        r.tie = mem_alloc(&world->host, (size_t)r.room, sizeof *r.tie);
        LIM_TRY_MEMORY(r.tie);
        if (!ARRAY_PUSH(&world->host, &t->links, r)) {
            mem_free(&world->host, r.tie, (size_t)r.room, sizeof *r.tie);
            return LIM_ERROR_MEMORY;
        }
        retied* kept = &t->links.data[t->links.count - 1];
        if (link->body == t->index) {
            tie_nodes(t, link, kept);
        } else {
            tie_carriers(t, link, kept);
        }
    }
    return LIM_OK;
}

/* A link frees what it counts, so its memory has no room to spare. */
static lim_result trim_links(taking* t) {
    const lim_host* host = &t->world->host;
    for (int32_t i = 0; i < t->links.count; ++i) {
        retied* r = &t->links.data[i];
        link_tie* fits = mem_alloc(host, (size_t)r->count, sizeof *fits);
        LIM_TRY_MEMORY(fits);
        memcpy(fits, r->tie, (size_t)r->count * sizeof *fits);
        mem_free(host, r->tie, (size_t)r->room, sizeof *r->tie);
        r->tie = fits;
        r->room = r->count;
    }
    return LIM_OK;
}

/* Whether somebody holds nodes of the body. */
static bool has_links(const taking* t) {
    const lim_world* world = t->world;
    for (int32_t i = slots_next(&world->link_slots, 0); i >= 0;
         i = slots_next(&world->link_slots, (int64_t)i + 1)) {
        if (world->links[i].body == t->index || world->links[i].other == t->index) {
            return true;
        }
    }
    return false;
}

static lim_result plan(taking* t, arena* scratch) {
    if (!has_links(t)) {
        return LIM_OK;
    }
    const topology *before = t->world->bodies[t->index]->body.topology,
                   *after = t->made->body.topology;
    carry_map map = {t->made->source, t->made->slot};
    LIM_TRY(carry_slots_make(scratch, before, after, &map, &t->slots));
    t->before = ARENA_ROOM(scratch, int32_t, before->slot_count);
    t->stamp = ARENA_ARRAY(scratch, int32_t, after->slot_count);
    LIM_TRY_MEMORY(t->before);
    LIM_TRY_MEMORY(t->stamp);
    memset(t->before, 0xFF, (size_t)before->slot_count * sizeof(int32_t));
    for (int32_t i = 0; i < after->slot_count; ++i) {
        if (t->made->slot[i] >= 0) {
            t->before[t->made->slot[i]] = i;
        }
    }
    LIM_TRY(plan_links(t));
    return trim_links(t);
}

static void commit(const taking* t) {
    lim_world* world = t->world;
    world_body* w = world->bodies[t->index];
    for (int32_t i = 0; i < t->links.count; ++i) {
        world_link* link = &world->links[t->links.data[i].link];
        mem_free(&world->host, link->tie, (size_t)link->count, sizeof *link->tie);
        link->tie = t->links.data[i].tie;
        link->count = t->links.data[i].count;
    }
    world_body_free_between(&world->host, w);
    world_trained_drop(world, t->index);
    body old = w->body;
    w->body = t->made->body;
    w->closed = w->body.filled;
    w->moved = false;
    body_destroy(&old);
}

lim_result world_body_take(lim_world* world, int32_t index, edit_made* made, arena* scratch) {
    taking t = {.world = world, .index = index, .made = made};
    lim_result result = plan(&t, scratch);
    if (result == LIM_OK) {
        commit(&t);
    } else {
        for (int32_t i = 0; i < t.links.count; ++i) {
            retied* r = &t.links.data[i];
            mem_free(&world->host, r->tie, (size_t)r->room, sizeof *r->tie);
        }
    }
    ARRAY_FREE(&world->host, &t.links);
    return result;
}

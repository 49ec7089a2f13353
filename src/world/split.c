/* SPDX-License-Identifier: MIT
 * Job: pieces of a body become bodies. In: a body of several components. Out: one body for each;
 * the heaviest keeps the id and the numbers of its vertices. Nodes, regions and skins of all keep
 * their bits. Everything is made beside the body first; then nothing can fail.
 *
 * What holds material goes with it: a pin or grab with the piece that it holds most of, and of a
 * pin that holds several pieces the others get one of their own; a link with the piece that has
 * most of its ties, which loses the others.
 */
#include "body/part.h"
#include "world/surface_closed.h"
#include "world/world.h"

#include <string.h>

typedef struct split_piece {
    int32_t component;
    double mass;
    part_map map;
    world_body* made;    /* of its own; of the first: null, `body` */
    body body;           /* of the first, which stays */
    int32_t* from_whole; /* per slot of the whole: its slot here, or -1 */
    int32_t index;       /* of the body in the world */
} split_piece;

typedef struct split_link {
    int32_t link, piece; /* piece: -1: it ends */
    int32_t count;
    link_tie* tie;
} split_link;

typedef struct splitting {
    lim_world* world;
    int32_t index;
    const body* whole;
    arena* a;
    int32_t count, made;
    split_piece* piece; /* heaviest first */
    ARRAY(split_link) links;
} splitting;

/* ---- pieces -------------------------------------------------------------------------------------
 */

static lim_result order_pieces(splitting* s) {
    const topology* t = s->whole->topology;
    s->count = t->component_count;
    s->piece = ARENA_ARRAY(s->a, split_piece, s->count);
    LIM_TRY_MEMORY(s->piece);
    for (int32_t c = 0; c < s->count; ++c) {
        split_piece p = {.component = c};
        for (int32_t i = t->component_begin[c]; i < t->component_begin[c + 1]; ++i) {
            p.mass += (double)t->mass[i];
        }
        int32_t at = c;
        while (at > 0 && s->piece[at - 1].mass < p.mass) {
            s->piece[at] = s->piece[at - 1];
            at--;
        }
        s->piece[at] = p;
    }
    return LIM_OK;
}

static int32_t count_in(const split_piece* p, const int32_t* slot, int32_t count) {
    int32_t in = 0;
    for (int32_t i = 0; i < count; ++i) {
        in += p->from_whole[slot[i]] >= 0;
    }
    return in;
}

/* The piece that has most of some nodes; of equals the heavier. */
static int32_t most_of(const splitting* s, const int32_t* slot, int32_t count) {
    int32_t best = 0, most = -1;
    for (int32_t k = 0; k < s->count; ++k) {
        int32_t in = count_in(&s->piece[k], slot, count);
        if (in > most) {
            best = k;
            most = in;
        }
    }
    return best;
}

/* The body as one piece sees it: with the holds that reach into it, and of these only its nodes. */
static lim_result view_of(const splitting* s, int32_t which, body* out) {
    const body* b = s->whole;
    const split_piece* p = &s->piece[which];
    *out = *b;
    out->pins.data = ARENA_ARRAY(s->a, body_pin, b->pins.count);
    out->grabs.data = ARENA_ARRAY(s->a, body_grab, b->grabs.count);
    LIM_TRY_MEMORY(out->pins.data);
    LIM_TRY_MEMORY(out->grabs.data);
    out->pins.count = out->grabs.count = 0;
    for (int32_t k = 0; k < b->pins.count; ++k) {
        body_pin pin = b->pins.data[k];
        int32_t count = count_in(p, pin.slot, pin.count), at = 0;
        if (count == 0) {
            continue;
        }
        int32_t* slot = ARENA_ARRAY(s->a, int32_t, count);
        lim_vec3* local = ARENA_ARRAY(s->a, lim_vec3, count);
        LIM_TRY_MEMORY(slot);
        LIM_TRY_MEMORY(local);
        for (int32_t i = 0; i < pin.count; ++i) {
            if (p->from_whole[pin.slot[i]] >= 0) {
                slot[at] = pin.slot[i];
                local[at++] = pin.local[i];
            }
        }
        pin.slot = slot;
        pin.local = local;
        pin.count = count;
        out->pins.data[out->pins.count++] = pin;
    }
    for (int32_t k = 0; k < b->grabs.count; ++k) {
        const body_grab* g = &b->grabs.data[k];
        if (most_of(s, g->slot, g->count) == which) {
            out->grabs.data[out->grabs.count++] = *g;
        }
    }
    return LIM_OK;
}

/* The topology of a piece, and which slots of the whole it has. Its reference is the caller's. */
static lim_result part_piece(splitting* s, int32_t which, topology** out) {
    const topology* t = s->whole->topology;
    split_piece* p = &s->piece[which];
    uint8_t* takes = ARENA_ARRAY(s->a, uint8_t, s->count);
    p->from_whole = ARENA_ARRAY(s->a, int32_t, t->slot_count);
    LIM_TRY_MEMORY(takes);
    LIM_TRY_MEMORY(p->from_whole);
    takes[p->component] = 1;
    LIM_TRY(topology_part(s->a, t, takes, which == 0, &s->world->host, out, &p->map));
    memset(p->from_whole, 0xFF, (size_t)t->slot_count * sizeof(int32_t));
    for (int32_t i = 0; i < (*out)->slot_count; ++i) {
        if (p->map.slot[i] >= 0) {
            p->from_whole[p->map.slot[i]] = i;
        }
    }
    return LIM_OK;
}

static lim_result carry_piece(splitting* s, int32_t which, topology* t, body* out) {
    const split_piece* p = &s->piece[which];
    carry_map map = {p->map.fragment, p->map.slot};
    body view;
    LIM_TRY(view_of(s, which, &view));
    return body_carry(&view, t, &map, s->world->set, s->world->pool, out);
}

/* A body of the world around a piece that leaves. */
static lim_result wrap_piece(splitting* s, int32_t which, body* taken) {
    const world_body* whole = s->world->bodies[s->index];
    const lim_host* host = &s->world->host;
    split_piece* p = &s->piece[which];
    int32_t count = taken->topology->vertex_count;
    world_body* w = mem_alloc(host, 1, sizeof *w);
    int32_t* vertex = mem_alloc(host, (size_t)count, sizeof *vertex);
    lim_fracture fracture = {0};
    bool copied =
        !whole->fragile || world_fracture_copy(host, &whole->fracture, &fracture) == LIM_OK;
    if (w == NULL || vertex == NULL || !copied) {
        world_fracture_free(host, &fracture);
        mem_free(host, w, 1, sizeof *w);
        mem_free(host, vertex, (size_t)count, sizeof *vertex);
        return LIM_ERROR_MEMORY;
    }
    memcpy(vertex, p->map.vertex, (size_t)count * sizeof *vertex);
    *w = (world_body){.body = *taken,
                      .closed = taken->filled,
                      .detailed = whole->detailed,
                      .detail = whole->detail,
                      .fragile = whole->fragile,
                      .fracture = fracture,
                      .stroke.number = whole->stroke.number,
                      .origin = {(uint32_t)s->index, s->world->body_slots.generation[s->index]},
                      .origin_vertex = vertex,
                      .origin_count = count};
    p->made = w;
    return LIM_OK;
}

static lim_result make_piece(splitting* s, int32_t which, topology* t) {
    body taken;
    LIM_TRY(carry_piece(s, which, t, &taken));
    lim_result result = LIM_OK;
    if (!taken.sealed) { /* this piece may be, where another one has the hole */
        surface_seal seal;
        result = surface_closed(t, &s->world->host, &seal);
        taken.sealed = seal.sealed;
        taken.filled = seal.filled;
    }
    if (result == LIM_OK && which == 0) {
        s->piece[0].body = taken;
        return LIM_OK;
    }
    result = result == LIM_OK ? wrap_piece(s, which, &taken) : result;
    if (result != LIM_OK) {
        body_destroy(&taken);
    }
    return result;
}

static lim_result make_pieces(splitting* s) {
    topology** t = ARENA_ARRAY(s->a, topology*, s->count);
    LIM_TRY_MEMORY(t);
    lim_result result = LIM_OK;
    int32_t parted = 0;
    for (; parted < s->count && result == LIM_OK; ++parted) {
        result = part_piece(s, parted, &t[parted]);
    }
    for (int32_t k = 0; k < s->count && result == LIM_OK; ++k) {
        result = make_piece(s, k, t[k]);
        s->made += result == LIM_OK;
    }
    for (int32_t k = 0; k < parted; ++k) {
        topology_release(t[k]); /* bodies have references of their own */
    }
    return result;
}

/* ---- links --------------------------------------------------------------------------------------
 */

/* The piece with most ties: as nodes, or as the first carriers of each. */
static int32_t piece_of_link(const splitting* s, const world_link* link, bool as_body) {
    int32_t best = 0, most = -1;
    for (int32_t k = 0; k < s->count; ++k) {
        int32_t in = 0;
        for (int32_t i = 0; i < link->count; ++i) {
            const link_tie* t = &link->tie[i];
            in += s->piece[k].from_whole[as_body ? t->node : t->carrier[0]] >= 0;
        }
        if (in > most) {
            best = k;
            most = in;
        }
    }
    return best;
}

static lim_result plan_link(splitting* s, int32_t index) {
    const world_link* link = &s->world->links[index];
    bool as_body = link->body == s->index;
    int32_t which = piece_of_link(s, link, as_body), count = 0;
    const int32_t* to = s->piece[which].from_whole;
    for (int32_t i = 0; i < link->count; ++i) {
        count += to[as_body ? link->tie[i].node : link->tie[i].carrier[0]] >= 0;
    }
    split_link made = {.link = index, .piece = which, .count = count};
    made.tie = mem_alloc(&s->world->host, (size_t)count, sizeof *made.tie);
    LIM_TRY_MEMORY(made.tie);
    int32_t at = 0;
    for (int32_t i = 0; i < link->count; ++i) {
        link_tie t = link->tie[i];
        if (to[as_body ? t.node : t.carrier[0]] < 0) {
            continue;
        }
        t.node = as_body ? to[t.node] : t.node;
        for (int k = 0; k < LINK_CARRIERS && !as_body; ++k) {
            t.carrier[k] = to[t.carrier[k]]; /* all of one component */
        }
        made.tie[at++] = t;
    }
    if (!ARRAY_PUSH(&s->world->host, &s->links, made)) {
        mem_free(&s->world->host, made.tie, (size_t)count, sizeof *made.tie);
        return LIM_ERROR_MEMORY;
    }
    return LIM_OK;
}

static lim_result plan_links(splitting* s) {
    const lim_world* world = s->world;
    for (int32_t i = slots_next(&world->link_slots, 0); i >= 0;
         i = slots_next(&world->link_slots, (int64_t)i + 1)) {
        if (world->links[i].body == s->index || world->links[i].other == s->index) {
            LIM_TRY(plan_link(s, i));
        }
    }
    return LIM_OK;
}

/* ---- the world ----------------------------------------------------------------------------------
 */

static body* body_of(splitting* s, int32_t which) {
    return which == 0 ? &s->piece[0].body : &s->piece[which].made->body;
}

/* Pins that several pieces have. */
static int32_t pins_more(splitting* s) {
    int32_t count = 0;
    for (int32_t k = 0; k < s->count; ++k) {
        count += body_of(s, k)->pins.count;
    }
    return count - s->whole->pins.count;
}

static lim_result reserve(splitting* s) {
    lim_world* world = s->world;
    world_touches* t = &world->touches;
    bool room = world_reserve_bodies(world, world->body_slots.count + s->count) &&
                world_reserve_pins(world, world->pin_slots.count + pins_more(s)) &&
                ARRAY_RESERVE(&world->host, &t->waiting, t->waiting.count + s->count);
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

static void commit_pins(splitting* s) {
    lim_world* world = s->world;
    for (int32_t k = 0; k < s->whole->pins.count; ++k) {
        const body_pin* had = &s->whole->pins.data[k];
        int32_t owner = most_of(s, had->slot, had->count);
        for (int32_t p = 0; p < s->count; ++p) {
            body* b = body_of(s, p);
            for (int32_t i = 0; i < b->pins.count; ++i) {
                if (b->pins.data[i].id_index != had->id_index) {
                    continue;
                }
                uint32_t id = p == owner ? had->id_index : (uint32_t)slots_take(&world->pin_slots);
                b->pins.data[i].id_index = id;
                world->pin_body[id] = s->piece[p].index;
                break; /* a new id may be an old one's number */
            }
        }
    }
}

static void commit_grabs(splitting* s) {
    for (int32_t p = 0; p < s->count; ++p) {
        const body* b = body_of(s, p);
        for (int32_t i = 0; i < b->grabs.count; ++i) {
            s->world->grab_body[b->grabs.data[i].id_index] = s->piece[p].index;
        }
    }
}

static void commit_links(splitting* s) {
    lim_world* world = s->world;
    for (int32_t i = 0; i < s->links.count; ++i) {
        const split_link* l = &s->links.data[i];
        world_link* link = &world->links[l->link];
        mem_free(&world->host, link->tie, (size_t)link->count, sizeof *link->tie);
        link->tie = l->tie;
        link->count = l->count;
        int32_t* side = link->body == s->index ? &link->body : &link->other;
        *side = s->piece[l->piece].index;
    }
}

static void commit(splitting* s, lim_body* out) {
    lim_world* world = s->world;
    world_body* w = world->bodies[s->index];
    lim_body whole = {(uint32_t)s->index, world->body_slots.generation[s->index]};
    s->piece[0].index = s->index;
    for (int32_t k = 1; k < s->count; ++k) {
        int32_t index = slots_take(&world->body_slots);
        s->piece[k].index = index;
        world->bodies[index] = s->piece[k].made;
        lim_body id = {(uint32_t)index, world->body_slots.generation[index]};
        world->touches.waiting.data[world->touches.waiting.count++] =
            (lim_event){.kind = LIM_EVENT_PIECE, .body = id, .other = whole};
        out[k - 1] = id;
    }
    commit_pins(s);
    commit_grabs(s);
    commit_links(s);
    world_body_free_between(&world->host, w);
    world_trained_drop(world, s->index);
    stroke_free(&w->stroke, &world->host);
    body old = w->body;
    w->body = s->piece[0].body;
    w->closed = w->body.filled;
    w->moved = false;
    body_destroy(&old);
}

static void discard(splitting* s) {
    const lim_host* host = &s->world->host;
    for (int32_t k = 0; k < s->made; ++k) {
        if (k == 0) {
            body_destroy(&s->piece[0].body);
        } else {
            world_body_free(host, s->piece[k].made);
        }
    }
    for (int32_t i = 0; i < s->links.count; ++i) {
        split_link* l = &s->links.data[i];
        mem_free(host, l->tie, (size_t)l->count, sizeof *l->tie);
    }
}

static lim_result split(lim_world* world, lim_body id, lim_body* out, int32_t capacity,
                        int32_t* out_count) {
    world_body* b;
    check c = world_editable(world, "lim_body_split", id, &b);
    check_integer(&c, "capacity", capacity, 0, out != NULL ? INT32_MAX : 0,
                  "the size of out_bodies, 0 when it is null");
    LIM_TRY(c.result);
    int32_t others = b->body.topology->component_count - 1;
    *out_count = others;
    if (others == 0 || out == NULL) {
        return LIM_OK;
    }
    if (capacity < others) {
        return log_fail(&world->host, LIM_ERROR_ARGUMENT,
                        "lim_body_split: capacity is %d; give room for the ids of %d pieces; "
                        "nothing was changed",
                        capacity, others);
    }
    arena a;
    arena_init(&a, &world->host);
    splitting s = {.world = world, .index = (int32_t)id.index, .whole = &b->body, .a = &a};
    lim_result result = order_pieces(&s);
    result = result == LIM_OK ? make_pieces(&s) : result;
    result = result == LIM_OK ? plan_links(&s) : result;
    result = result == LIM_OK ? reserve(&s) : result;
    if (result == LIM_OK) {
        commit(&s, out);
    } else {
        discard(&s);
        *out_count = 0;
        log_fail(&world->host, result, "lim_body_split: %s; nothing was changed",
                 lim_result_name(result));
    }
    ARRAY_FREE(&world->host, &s.links);
    arena_release(&a);
    return result;
}

lim_result lim_body_split(lim_world* world, lim_body id, lim_body* out_bodies, int32_t capacity,
                          int32_t* out_count) {
    int32_t count = 0;
    if (out_count != NULL) {
        *out_count = 0;
    }
    /* Without either there is nothing to tell. */
    if (world == NULL ||
        (out_bodies == NULL && !world_given(world, "lim_body_split", "out_count", out_count))) {
        return LIM_ERROR_ARGUMENT;
    }
    fpenv env = fpenv_enter();
    lim_result result = split(world, id, out_bodies, capacity, &count);
    fpenv_leave(env);
    if (out_count != NULL) {
        *out_count = count;
    }
    return result;
}

lim_result lim_body_get_origin(const lim_world* world, lim_body id, lim_body* out_from,
                               const int32_t** out_vertices, int32_t* out_count) {
    const world_body* b = world != NULL ? world_body_of(world, "lim_body_get_origin", id) : NULL;
    if (out_from != NULL) {
        *out_from = b != NULL ? b->origin : (lim_body){0};
    }
    if (out_vertices != NULL) {
        *out_vertices = b != NULL ? b->origin_vertex : NULL;
    }
    if (out_count != NULL) {
        *out_count = b != NULL ? b->origin_count : 0;
    }
    return world == NULL ? LIM_ERROR_ARGUMENT : b == NULL ? LIM_ERROR_ID : LIM_OK;
}

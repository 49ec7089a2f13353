/* SPDX-License-Identifier: MIT
 * Job: a world's state out as a stream, and back in two halves. In: a world; or a stream that may
 * hold anything. Out: fields in a fixed order; or a plan whose every count and index was checked,
 * then the world as it was.
 *
 * Order: settings, the five slot tables, the bodies in use (values, frames, arrays, pins, grabs),
 * the colliders in use, the links in use; and, but for hashes (nothing that moves depends on them),
 * what colliders feel and who touches whom.
 */
#include "world/state.h"

#include <string.h>

/* ---- out --------------------------------------------------------------------------------------
 */

/* Assets that colliders share (those of copies restored from a snapshot) are there once. */
static lim_result list_assets(const lim_world* world, topology_list* out) {
    out->asset_capacity = slots_used(&world->collider_slots);
    if (out->asset_capacity == 0) {
        return LIM_OK;
    }
    out->asset = mem_alloc(&world->host, (size_t)out->asset_capacity, sizeof *out->asset);
    LIM_TRY_MEMORY(out->asset);
    for (int32_t i = slots_next(&world->collider_slots, 0); i >= 0;
         i = slots_next(&world->collider_slots, (int64_t)i + 1)) {
        collider_asset* a = world->colliders[i].shape.asset;
        int32_t k = 0;
        while (k < out->asset_count && out->asset[k] != a) {
            ++k;
        }
        if (a != NULL && k == out->asset_count) {
            out->asset[out->asset_count++] = a;
        }
    }
    return LIM_OK;
}

static void list_topology(topology_list* out, topology* t) {
    int32_t k = 0;
    while (k < out->count && out->data[k] != t) {
        ++k;
    }
    if (t != NULL && k == out->count) {
        out->data[out->count++] = t;
    }
}

/* Those of bodies, and those that their strokes began with. */
static lim_result list_topologies(const lim_world* world, topology_list* out) {
    out->capacity = 2 * slots_used(&world->body_slots);
    if (out->capacity == 0) {
        return LIM_OK;
    }
    out->data = mem_alloc(&world->host, (size_t)out->capacity, sizeof *out->data);
    LIM_TRY_MEMORY(out->data);
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        list_topology(out, world->bodies[i]->body.topology);
        list_topology(out, world->bodies[i]->stroke.base);
    }
    return LIM_OK;
}

lim_result topology_list_of(const lim_world* world, topology_list* out) {
    *out = (topology_list){0};
    lim_result result = list_topologies(world, out);
    result = result == LIM_OK ? list_assets(world, out) : result;
    if (result != LIM_OK) {
        topology_list_free(out, &world->host);
    }
    return result;
}

void topology_list_retain(topology_list* list) {
    for (int32_t i = 0; i < list->count; ++i) {
        topology_retain(list->data[i]);
    }
    for (int32_t i = 0; i < list->asset_count; ++i) {
        asset_retain(list->asset[i]);
    }
}

void topology_list_release(topology_list* list, const lim_host* host) {
    for (int32_t i = 0; i < list->count; ++i) {
        topology_release(list->data[i]);
    }
    for (int32_t i = 0; i < list->asset_count; ++i) {
        asset_release(list->asset[i]);
    }
    topology_list_free(list, host);
}

void topology_list_free(topology_list* list, const lim_host* host) {
    mem_free(host, list->data, (size_t)list->capacity, sizeof *list->data);
    mem_free(host, list->asset, (size_t)list->asset_capacity, sizeof *list->asset);
    *list = (topology_list){0};
}

static state_record record_of(const body* b, const topology_list* list) {
    uint32_t place = (uint32_t)b->topology->node_count; /* hashing: any number that says which */
    for (int32_t k = 0; list != NULL && k < list->count; ++k) {
        if (list->data[k] == b->topology) {
            place = (uint32_t)k;
        }
    }
    return (state_record){.topology = place,
                          .material = b->material,
                          .scale = b->scale,
                          .gains_h = b->gains_h,
                          .gravity_scale = b->gravity_scale,
                          .damping_wait = b->damping_wait,
                          .quiet_time = b->quiet_time,
                          .quiet_step = b->quiet_step,
                          .kept_substeps = b->kept_substeps,
                          .kept_time = b->kept_time,
                          .history_h = b->history_h,
                          .enabled = b->enabled,
                          .asleep = b->asleep,
                          .asleep_told = b->asleep_told,
                          .frozen = b->frozen,
                          .plastic = b->plastic,
                          .gripped = b->gripped,
                          .feels_touch = b->feels_touch,
                          .own_stiffness = b->own_stiffness,
                          .self_contact = b->self_contact,
                          .layers = b->layers,
                          .embedded = b->embedding != NULL,
                          .embed_wait = b->embed_wait,
                          .start_position = b->start_position,
                          .start_orientation = b->start_orientation};
}

static void write_slots(stream* s, const slots* given) {
    int32_t count = given->count;
    stream_i32(s, &count);
    stream_array(s, given->generation, count, sizeof(uint32_t));
    stream_array(s, given->used, count, 1);
}

static void write_body(stream* s, world_body* w, const topology_list* list) {
    body* b = &w->body;
    state_record record = record_of(b, list);
    state_stream_record(s, &record);
    state_stream_arrays(s, b);
    if (b->embedding != NULL) {
        state_stream_shape(s, b->topology, b->embedding->y0);
    }
    int32_t pins = b->pins.count, grabs = b->grabs.count;
    stream_i32(s, &pins);
    for (int32_t i = 0; i < pins; ++i) {
        body_pin* p = &b->pins.data[i];
        state_stream_pin(s, p);
        stream_array(s, p->slot, p->count, sizeof(int32_t));
        stream_floats(s, &p->local->x, 3 * (int64_t)p->count);
    }
    stream_i32(s, &grabs);
    for (int32_t i = 0; i < grabs; ++i) {
        body_grab* g = &b->grabs.data[i];
        state_stream_grab(s, g);
        stream_array(s, g->slot, g->count, sizeof(int32_t));
        stream_floats(s, g->weight, g->count);
        stream_floats(s, &g->arm->x, 3 * (int64_t)g->count);
        if (g->hard) {
            stream_floats(s, &g->hold.local->x, 3 * (int64_t)g->count);
        }
    }
    state_write_stroke(s, &w->stroke, list);
    state_stream_detail(s, w);
    state_write_fracture(s, w);
}

/* A collider, then its asset: by its place in the list, or, hashing, by what is in it. */
static void write_collider(stream* s, world_collider* of, const topology_list* list) {
    const collider* c = &of->shape;
    state_stream_collider(s, of);
    if (c->asset == NULL) {
        return;
    }
    uint64_t content = c->asset->hash;
    if (list == NULL) {
        stream_u64(s, &content);
        return;
    }
    uint32_t place = 0;
    while (list->asset[place] != c->asset) {
        place++;
    }
    stream_u32(s, &place);
}

static void write_link(stream* s, world_link* link) {
    state_stream_link(s, link);
    for (int32_t i = 0; i < link->count; ++i) {
        state_stream_tie(s, &link->tie[i]);
    }
}

static void write_touches(stream* s, const lim_world* world) {
    for (int32_t i = slots_next(&world->collider_slots, 0); i >= 0;
         i = slots_next(&world->collider_slots, (int64_t)i + 1)) {
        state_stream_load(s, &world->colliders[i].load);
    }
    int32_t count = world->touches.now.count;
    stream_i32(s, &count);
    for (int32_t i = 0; i < count; ++i) {
        state_stream_touch(s, &world->touches.now.data[i]);
    }
}

void state_write(stream* s, const lim_world* world, const topology_list* list) {
    world_settings settings = world->settings;
    state_stream_settings(s, &settings);
    write_slots(s, &world->body_slots);
    write_slots(s, &world->collider_slots);
    write_slots(s, &world->pin_slots);
    write_slots(s, &world->grab_slots);
    if (s->mode != STREAM_HASH || world->link_slots.count > 0) {
        write_slots(s, &world->link_slots);
    }
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        write_body(s, world->bodies[i], list);
    }
    for (int32_t i = slots_next(&world->collider_slots, 0); i >= 0;
         i = slots_next(&world->collider_slots, (int64_t)i + 1)) {
        write_collider(s, &world->colliders[i], list);
    }
    for (int32_t i = slots_next(&world->link_slots, 0); i >= 0;
         i = slots_next(&world->link_slots, (int64_t)i + 1)) {
        write_link(s, &world->links[i]);
    }
    if (s->mode != STREAM_HASH) {
        write_touches(s, world);
    }
}

/* ---- in: the plan -----------------------------------------------------------------------------
 */

static lim_result failure(const stream* s) {
    return s->failed ? LIM_ERROR_FORMAT : LIM_OK;
}

static lim_result read_slots(stream* s, const lim_host* host, slots* out) {
    int32_t count = 0;
    stream_i32(s, &count);
    if (!stream_has(s, count, sizeof(uint32_t) + 1)) {
        return LIM_ERROR_FORMAT;
    }
    if (!slots_reserve(out, host, count)) {
        return LIM_ERROR_MEMORY;
    }
    stream_array(s, out->generation, count, sizeof(uint32_t));
    stream_array(s, out->used, count, 1);
    out->count = count;
    for (int32_t i = 0; i < count && !s->failed; ++i) {
        s->failed = out->used[i] > 1 || out->generation[i] == 0;
    }
    return failure(s);
}

/* A tool's slots: in range, of nodes, ascending or not as they were made. */
static bool slots_valid(const topology* t, const int32_t* slot, int32_t count, int32_t piece) {
    for (int32_t i = 0; i < count; ++i) {
        if (slot[i] < 0 || slot[i] >= t->slot_count || (piece < 0 && t->slot_node[slot[i]] < 0) ||
            (piece >= 0 && t->slot_component[slot[i]] != piece)) {
            return false;
        }
    }
    return true;
}

/* Each tool in use belongs to exactly one body. */
static bool claim(const slots* tools, int32_t* owner, uint32_t index, int32_t body_index) {
    if (index >= (uint32_t)tools->count || !tools->used[index] || owner[index] >= 0) {
        return false;
    }
    owner[index] = body_index;
    return true;
}

static lim_result read_pins(state_plan* plan, stream* s, const topology* t, int32_t index) {
    state_body* b = &plan->body[index];
    stream_i32(s, &b->pin_capacity);
    if (s->failed || b->pin_capacity < 0 || b->pin_capacity > plan->pins.count) {
        b->pin_capacity = 0;
        return LIM_ERROR_FORMAT;
    }
    b->pins = mem_alloc(&plan->host, (size_t)b->pin_capacity, sizeof *b->pins);
    if (b->pins == NULL && b->pin_capacity > 0) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < b->pin_capacity; ++i) {
        body_pin* p = &b->pins[i];
        state_stream_pin(s, p);
        size_t n = p->count > 0 ? (size_t)p->count : 0;
        if (p->count < 1 || !stream_has(s, p->count, sizeof(int32_t) + sizeof(lim_vec3)) ||
            !claim(&plan->pins, plan->pin_body, p->id_index, index)) {
            return LIM_ERROR_FORMAT;
        }
        p->slot = mem_alloc(&plan->host, n, sizeof *p->slot);
        p->local = mem_alloc(&plan->host, n, sizeof *p->local);
        b->pin_count = i + 1;
        if (p->slot == NULL || p->local == NULL) {
            return LIM_ERROR_MEMORY;
        }
        stream_array(s, p->slot, p->count, sizeof(int32_t));
        stream_floats(s, &p->local->x, 3 * (int64_t)p->count);
        if (s->failed || !slots_valid(t, p->slot, p->count, -1)) {
            return LIM_ERROR_FORMAT;
        }
    }
    return LIM_OK;
}

static lim_result read_grabs(state_plan* plan, stream* s, const topology* t, int32_t index) {
    state_body* b = &plan->body[index];
    stream_i32(s, &b->grab_capacity);
    if (s->failed || b->grab_capacity < 0 || b->grab_capacity > plan->grabs.count) {
        b->grab_capacity = 0;
        return LIM_ERROR_FORMAT;
    }
    b->grabs = mem_alloc(&plan->host, (size_t)b->grab_capacity, sizeof *b->grabs);
    if (b->grabs == NULL && b->grab_capacity > 0) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < b->grab_capacity; ++i) {
        body_grab* g = &b->grabs[i];
        state_stream_grab(s, g);
        size_t n = g->count > 0 ? (size_t)g->count : 0;
        if (g->count < 1 || g->component < 0 || g->component >= t->component_count ||
            !stream_has(s, g->count, sizeof(int32_t) + sizeof(float) + sizeof(lim_vec3)) ||
            !claim(&plan->grabs, plan->grab_body, g->id_index, index)) {
            return LIM_ERROR_FORMAT;
        }
        g->slot = mem_alloc(&plan->host, n, sizeof *g->slot);
        g->weight = mem_alloc(&plan->host, n, sizeof *g->weight);
        g->arm = mem_alloc(&plan->host, n, sizeof *g->arm);
        b->grab_count = i + 1;
        if (g->slot == NULL || g->weight == NULL || g->arm == NULL ||
            body_grab_hold(&plan->host, g) != LIM_OK) {
            return LIM_ERROR_MEMORY;
        }
        stream_array(s, g->slot, g->count, sizeof(int32_t));
        stream_floats(s, g->weight, g->count);
        stream_floats(s, &g->arm->x, 3 * (int64_t)g->count);
        if (g->hard) {
            stream_floats(s, &g->hold.local->x, 3 * (int64_t)g->count);
        }
        if (s->failed || !slots_valid(t, g->slot, g->count, g->component)) {
            return LIM_ERROR_FORMAT;
        }
    }
    return LIM_OK;
}

/* The world's own body can be used again when it has the same id and topology. */
static bool body_is_same(const state_plan* plan, const lim_world* world, int32_t i,
                         const topology* t) {
    return slots_holds(&world->body_slots, (uint32_t)i, plan->bodies.generation[i]) &&
           world->bodies[i]->body.topology == t &&
           world->bodies[i]->body.self_contact == plan->body[i].record.self_contact;
}

/* What else an embedding holds follows from its shape. */
static lim_result read_embedding(state_plan* plan, stream* s, const topology* t, bool filled,
                                 body_embedding** out) {
    arena scratch;
    arena_init(&scratch, &plan->host);
    float* y0[3];
    lim_result result =
        stream_has(s, 3 * (int64_t)t->slot_count, sizeof(float)) ? LIM_OK : LIM_ERROR_FORMAT;
    for (int k = 0; k < 3 && result == LIM_OK; ++k) {
        y0[k] = ARENA_ARRAY(&scratch, float, t->slot_count);
        result = y0[k] != NULL ? LIM_OK : LIM_ERROR_MEMORY;
    }
    if (result == LIM_OK) {
        state_stream_shape(s, t, y0);
        const float* const from[3] = {y0[0], y0[1], y0[2]};
        result = s->failed ? LIM_ERROR_FORMAT : embedding_make(t, from, filled, &plan->host, out);
    }
    arena_release(&scratch);
    return result;
}

static lim_result read_body(state_plan* plan, stream* s, lim_world* world,
                            const topology_list* list, int32_t i) {
    state_body* b = &plan->body[i];
    state_stream_record(s, &b->record);
    if (s->failed || b->record.topology >= (uint32_t)list->count) {
        return LIM_ERROR_FORMAT;
    }
    topology* t = list->data[b->record.topology];
    check c = check_begin(NULL, "");
    check_of_kind(&c, &b->record.material, t->kind);
    bool flows = b->record.material.yield > 0.0f || b->record.embedded;
    if (c.result != LIM_OK || (flows && !b->record.plastic)) {
        return LIM_ERROR_FORMAT;
    }
    b->arrays_at = s->at;
    state_skip_arrays(s, t, &b->record);
    LIM_TRY(failure(s));
    if (!body_is_same(plan, world, i, t)) {
        lim_body_desc desc = {.position = b->record.start_position,
                              .orientation = quat_of(b->record.start_orientation),
                              .scale = (float)b->record.scale,
                              .material = b->record.material,
                              .gravity_scale = b->record.gravity_scale,
                              .enabled = b->record.enabled,
                              .layer = b->record.layers.layer,
                              .mask = b->record.layers.mask,
                              .self_contact = b->record.self_contact};
        LIM_TRY(world_body_make(&desc, t, world, &b->fresh));
    }
    if (b->record.embedded) {
        const world_body* made = b->fresh != NULL ? b->fresh : world->bodies[i];
        LIM_TRY(read_embedding(plan, s, t, made->body.filled, &b->embedding));
    }
    LIM_TRY(read_pins(plan, s, t, i));
    LIM_TRY(read_grabs(plan, s, t, i));
    LIM_TRY(state_read_stroke(s, &plan->host, list, &b->edits.stroke));
    state_stream_detail(s, &b->edits);
    return state_read_fracture(s, &plan->host, &b->edits);
}

static void read_collider(stream* s, world_collider* of, const topology_list* list) {
    collider* c = &of->shape;
    state_stream_collider(s, of);
    c->scale = 1.0;
    if (s->failed || c->shape < LIM_SHAPE_HULL) {
        return;
    }
    uint32_t place = 0;
    stream_u32(s, &place);
    bool right = !s->failed && place < (uint32_t)list->asset_count &&
                 list->asset[place]->from.shape == c->shape;
    if (!right) {
        s->failed = true;
        return;
    }
    c->asset = list->asset[place];
    asset_retain(c->asset);
}

/* Of nodes there are, carriers of one component. */
static bool tie_is_valid(const topology* a, const topology* b, const link_tie* t) {
    bool valid = slots_valid(a, &t->node, 1, -1) && slots_valid(b, t->carrier, LINK_CARRIERS, -1);
    for (int k = 0; k < LINK_CARRIERS && valid; ++k) {
        valid = b->slot_component[t->carrier[k]] == b->slot_component[t->carrier[0]];
    }
    return valid;
}

static lim_result read_link(state_plan* plan, stream* s, const topology_list* list,
                            world_link* link) {
    state_stream_link(s, link);
    int32_t count = link->count;
    link->count = 0;
    if (s->failed || count < 1 || link->body == link->other ||
        !slots_is_used(&plan->bodies, link->body) || !slots_is_used(&plan->bodies, link->other) ||
        !stream_has(s, count, sizeof(int32_t) + LINK_CARRIERS * sizeof(int32_t))) {
        return LIM_ERROR_FORMAT;
    }
    link->tie = mem_alloc(&plan->host, (size_t)count, sizeof *link->tie);
    LIM_TRY_MEMORY(link->tie);
    link->count = count;
    const topology* a = list->data[plan->body[link->body].record.topology];
    const topology* b = list->data[plan->body[link->other].record.topology];
    for (int32_t i = 0; i < count; ++i) {
        state_stream_tie(s, &link->tie[i]);
        if (s->failed || !tie_is_valid(a, b, &link->tie[i])) {
            return LIM_ERROR_FORMAT;
        }
    }
    return LIM_OK;
}

/* Ids in touches may be of what is gone; keys are in order. */
static lim_result read_touches(state_plan* plan, stream* s) {
    for (int32_t i = slots_next(&plan->colliders, 0); i >= 0;
         i = slots_next(&plan->colliders, (int64_t)i + 1)) {
        state_stream_load(s, &plan->collider[i].load);
    }
    int32_t count = 0;
    stream_i32(s, &count);
    if (s->failed || count < 0 || !stream_has(s, count, sizeof(uint64_t))) {
        return LIM_ERROR_FORMAT;
    }
    for (int32_t i = 0; i < count && !s->failed; ++i) {
        world_touch t = {0};
        state_stream_touch(s, &t);
        s->failed = s->failed || (i > 0 && t.key <= plan->touches.data[i - 1].key);
        if (!s->failed && !ARRAY_PUSH(&plan->host, &plan->touches, t)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return failure(s);
}

/* Tables of the plan, and room for them in the world. */
static lim_result make_tables(state_plan* plan, lim_world* world) {
    const lim_host* host = &plan->host;
    size_t bodies = (size_t)plan->bodies.count, colliders = (size_t)plan->colliders.count;
    size_t pins = (size_t)plan->pins.count, grabs = (size_t)plan->grabs.count;
    plan->body = mem_alloc(host, bodies, sizeof *plan->body);
    plan->collider = mem_alloc(host, colliders, sizeof *plan->collider);
    plan->pin_body = mem_alloc(host, pins, sizeof(int32_t));
    plan->grab_body = mem_alloc(host, grabs, sizeof(int32_t));
    plan->link = mem_alloc(host, (size_t)plan->links.count, sizeof *plan->link);
    if ((plan->body == NULL && bodies > 0) || (plan->collider == NULL && colliders > 0) ||
        (plan->pin_body == NULL && pins > 0) || (plan->grab_body == NULL && grabs > 0) ||
        (plan->link == NULL && plan->links.count > 0)) {
        return LIM_ERROR_MEMORY;
    }
    for (size_t i = 0; i < pins; ++i) {
        plan->pin_body[i] = -1;
    }
    for (size_t i = 0; i < grabs; ++i) {
        plan->grab_body[i] = -1;
    }
    bool room = world_reserve_bodies(world, plan->bodies.count) &&
                world_reserve_colliders(world, plan->colliders.count) &&
                world_reserve_pins(world, plan->pins.count) &&
                world_reserve_grabs(world, plan->grabs.count) &&
                world_reserve_links(world, plan->links.count);
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

/* Every tool in use has found its body. */
static bool all_claimed(const slots* tools, const int32_t* owner) {
    for (int32_t i = 0; i < tools->count; ++i) {
        if (tools->used[i] && owner[i] < 0) {
            return false;
        }
    }
    return true;
}

static lim_result read_all(state_plan* plan, stream* s, lim_world* world,
                           const topology_list* list) {
    state_stream_settings(s, &plan->settings);
    LIM_TRY(failure(s));
    LIM_TRY(read_slots(s, &plan->host, &plan->bodies));
    LIM_TRY(read_slots(s, &plan->host, &plan->colliders));
    LIM_TRY(read_slots(s, &plan->host, &plan->pins));
    LIM_TRY(read_slots(s, &plan->host, &plan->grabs));
    LIM_TRY(read_slots(s, &plan->host, &plan->links));
    LIM_TRY(make_tables(plan, world));
    for (int32_t i = slots_next(&plan->bodies, 0); i >= 0;
         i = slots_next(&plan->bodies, (int64_t)i + 1)) {
        LIM_TRY(read_body(plan, s, world, list, i));
    }
    for (int32_t i = slots_next(&plan->colliders, 0); i >= 0;
         i = slots_next(&plan->colliders, (int64_t)i + 1)) {
        read_collider(s, &plan->collider[i], list);
    }
    LIM_TRY(failure(s));
    for (int32_t i = slots_next(&plan->links, 0); i >= 0;
         i = slots_next(&plan->links, (int64_t)i + 1)) {
        LIM_TRY(read_link(plan, s, list, &plan->link[i]));
    }
    LIM_TRY(read_touches(plan, s));
    bool whole = s->at == s->size && all_claimed(&plan->pins, plan->pin_body) &&
                 all_claimed(&plan->grabs, plan->grab_body);
    return whole ? LIM_OK : LIM_ERROR_FORMAT;
}

/* Gives back what a plan holds, pins, grabs and fresh bodies included unless they were taken. */
static void discard(state_plan* plan) {
    const lim_host* host = &plan->host;
    for (int32_t i = 0; i < plan->bodies.count && plan->body != NULL; ++i) {
        state_body* b = &plan->body[i];
        for (int32_t k = 0; k < b->pin_count; ++k) {
            size_t n = (size_t)b->pins[k].count;
            mem_free(host, b->pins[k].slot, n, sizeof(int32_t));
            mem_free(host, b->pins[k].local, n, sizeof(lim_vec3));
        }
        for (int32_t k = 0; k < b->grab_count; ++k) {
            size_t n = (size_t)b->grabs[k].count;
            mem_free(host, b->grabs[k].slot, n, sizeof(int32_t));
            mem_free(host, b->grabs[k].weight, n, sizeof(float));
            mem_free(host, b->grabs[k].arm, n, sizeof(lim_vec3));
            mem_free(host, b->grabs[k].hold.local, n, sizeof(lim_vec3));
        }
        embedding_free(b->embedding);
        stroke_free(&b->edits.stroke, host);
        world_fracture_free(host, &b->edits.fracture);
        mem_free(host, b->pins, (size_t)b->pin_capacity, sizeof *b->pins);
        mem_free(host, b->grabs, (size_t)b->grab_capacity, sizeof *b->grabs);
        if (b->fresh != NULL) {
            world_body_free(host, b->fresh);
        }
    }
    for (int32_t i = 0; i < plan->colliders.count && plan->collider != NULL; ++i) {
        asset_release(plan->collider[i].shape.asset);
    }
    for (int32_t i = 0; i < plan->links.count && plan->link != NULL; ++i) {
        world_link_free(host, &plan->link[i]);
    }
    mem_free(host, plan->body, (size_t)plan->bodies.count, sizeof *plan->body);
    mem_free(host, plan->collider, (size_t)plan->colliders.count, sizeof *plan->collider);
    mem_free(host, plan->pin_body, (size_t)plan->pins.count, sizeof(int32_t));
    mem_free(host, plan->grab_body, (size_t)plan->grabs.count, sizeof(int32_t));
    mem_free(host, plan->link, (size_t)plan->links.count, sizeof *plan->link);
    ARRAY_FREE(host, &plan->touches);
    slots_free(&plan->bodies, host);
    slots_free(&plan->colliders, host);
    slots_free(&plan->pins, host);
    slots_free(&plan->grabs, host);
    slots_free(&plan->links, host);
    *plan = (state_plan){0};
}

lim_result state_plan_read(state_plan* plan, stream* s, lim_world* world,
                           const topology_list* list) {
    *plan = (state_plan){.host = world->host};
    lim_result result = read_all(plan, s, world, list);
    if (result != LIM_OK) {
        discard(plan);
    }
    return result;
}

/* ---- in: the commit ---------------------------------------------------------------------------
 */

static void set_body(body* b, state_body* from, const unsigned char* bytes, size_t size) {
    const state_record* r = &from->record;
    b->material = r->material;
    b->scale = r->scale;
    b->gains_h = r->gains_h;
    b->gravity_scale = r->gravity_scale;
    b->damping_wait = r->damping_wait;
    b->quiet_time = r->quiet_time;
    b->quiet_step = r->quiet_step;
    b->kept_substeps = r->kept_substeps;
    b->kept_time = r->kept_time;
    b->history_h = r->history_h;
    b->enabled = r->enabled;
    b->asleep = r->asleep;
    b->asleep_told = r->asleep_told;
    b->frozen = r->frozen;
    b->plastic = r->plastic;
    b->gripped = r->gripped;
    b->feels_touch = r->feels_touch;
    b->embed_wait = r->embed_wait;
    embedding_free(b->embedding);
    b->embedding = from->embedding;
    from->embedding = NULL;
    body_model_stiffness(b);
    b->own_stiffness = r->own_stiffness;
    b->layers = r->layers;
    b->start_position = r->start_position;
    b->start_orientation = r->start_orientation;
    b->gains_stale = true;
    b->sums_valid = false;
    b->contacts.items.count = 0;
    while (b->pins.count > 0) {
        body_pin_destroy(b, b->pins.count - 1);
    }
    while (b->grabs.count > 0) {
        body_grab_destroy(b, b->grabs.count - 1);
    }
    ARRAY_FREE(&b->host, &b->pins);
    ARRAY_FREE(&b->host, &b->grabs);
    b->pins.data = from->pins;
    b->pins.count = b->pins.capacity = from->pin_capacity;
    b->grabs.data = from->grabs;
    b->grabs.count = b->grabs.capacity = from->grab_capacity;
    from->pins = NULL;
    from->grabs = NULL;
    from->pin_count = from->grab_count = from->pin_capacity = from->grab_capacity = 0;
    body_refresh_inv_mass(b);
    stream s = stream_read(bytes, size);
    s.at = from->arrays_at;
    for (int k = 0; k < 6; ++k) {
        memset(b->strain[k], 0, (size_t)b->topology->regions.padded * sizeof(float));
    }
    state_stream_arrays(&s, b);
}

static void set_edits(world_body* b, state_body* from, const lim_host* host) {
    stroke_free(&b->stroke, host);
    b->stroke = from->edits.stroke;
    from->edits.stroke = (edit_stroke){0};
    b->detailed = from->edits.detailed;
    b->detail = from->edits.detail;
    b->detail_waits = from->edits.detail_waits;
    world_fracture_free(host, &b->fracture);
    b->fragile = from->edits.fragile;
    b->fracture = from->edits.fracture;
    from->edits.fracture = (lim_fracture){0};
}

/* Contacts and events are of the world as it was: they are gone, with those that waited. */
static void set_touches(lim_world* world, state_plan* plan) {
    world_touches* t = &world->touches;
    ARRAY_FREE(&world->host, &t->now);
    t->now.data = plan->touches.data;
    t->now.count = plan->touches.count;
    t->now.capacity = plan->touches.capacity;
    plan->touches.data = NULL;
    plan->touches.count = plan->touches.capacity = 0;
    t->events.count = t->waiting.count = 0;
    world->meet.met.count = world->meet.pairs.count = 0;
}

static void swap_slots(slots* a, slots* b) {
    slots keep = *a;
    *a = *b;
    *b = keep;
}

/* The smaller capacity of a read table may not shrink what the world's other tables rely on: slots
 * are grown on their own when one is taken. */
void state_plan_commit(state_plan* plan, lim_world* world, const unsigned char* bytes,
                       size_t size) {
    /* Bodies that are not used again end first. */
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        bool kept = i < plan->bodies.count && plan->bodies.used[i] && plan->body[i].fresh == NULL;
        if (!kept) {
            world_body_free(&world->host, world->bodies[i]);
            world->bodies[i] = NULL;
        }
    }
    for (int32_t i = slots_next(&plan->bodies, 0); i >= 0;
         i = slots_next(&plan->bodies, (int64_t)i + 1)) {
        state_body* from = &plan->body[i];
        if (from->fresh != NULL) {
            world->bodies[i] = from->fresh;
            from->fresh = NULL;
        }
        set_body(&world->bodies[i]->body, from, bytes, size);
        world_trained_forget(world->bodies[i]->trained);
        set_edits(world->bodies[i], from, &world->host);
        world_body_refresh(world, world->bodies[i]);
    }
    for (int32_t i = slots_next(&world->collider_slots, 0); i >= 0;
         i = slots_next(&world->collider_slots, (int64_t)i + 1)) {
        asset_release(world->colliders[i].shape.asset);
        world->colliders[i].shape.asset = NULL;
    }
    for (int32_t i = 0; i < plan->colliders.count; ++i) {
        world->colliders[i] = plan->collider[i]; /* its asset's reference too */
    }
    for (int32_t i = 0; i < plan->pins.count; ++i) {
        world->pin_body[i] = plan->pin_body[i];
    }
    for (int32_t i = 0; i < plan->grabs.count; ++i) {
        world->grab_body[i] = plan->grab_body[i];
    }
    for (int32_t i = slots_next(&world->link_slots, 0); i >= 0;
         i = slots_next(&world->link_slots, (int64_t)i + 1)) {
        world_link_free(&world->host, &world->links[i]);
    }
    for (int32_t i = 0; i < plan->links.count; ++i) {
        world->links[i] = plan->link[i]; /* its ties too */
    }
    set_touches(world, plan);
    world->settings = plan->settings;
    /* The counts of the plan's own tables change hands with the slots: free them first. */
    mem_free(&plan->host, plan->body, (size_t)plan->bodies.count, sizeof *plan->body);
    mem_free(&plan->host, plan->collider, (size_t)plan->colliders.count, sizeof *plan->collider);
    mem_free(&plan->host, plan->pin_body, (size_t)plan->pins.count, sizeof(int32_t));
    mem_free(&plan->host, plan->grab_body, (size_t)plan->grabs.count, sizeof(int32_t));
    mem_free(&plan->host, plan->link, (size_t)plan->links.count, sizeof *plan->link);
    plan->link = NULL;
    plan->body = NULL;
    plan->collider = NULL;
    plan->pin_body = plan->grab_body = NULL;
    swap_slots(&world->body_slots, &plan->bodies);
    swap_slots(&world->collider_slots, &plan->colliders);
    swap_slots(&world->pin_slots, &plan->pins);
    swap_slots(&world->grab_slots, &plan->grabs);
    swap_slots(&world->link_slots, &plan->links);
    discard(plan);
}

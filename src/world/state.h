/* SPDX-License-Identifier: MIT
 * Everything of a world that moves, as one stream of fields: hashed by lim_world_hash, kept by
 * snapshots, written by lim_world_save. Topologies of bodies and assets of colliders are named by
 * their places in a list.
 *
 * Coming back has two halves: a plan reads, checks and takes all memory, and changes nothing; then
 * a commit, which cannot fail.
 */
#ifndef LIMBER_STATE_H
#define LIMBER_STATE_H

#include "base/stream.h"
#include "world/world.h"

/* The topologies of a world's bodies and the assets of its colliders, each once, in order of first
 * use. */
typedef struct topology_list {
    topology** data;
    int32_t count, capacity;
    collider_asset** asset;
    int32_t asset_count, asset_capacity;
} topology_list;

/* Borrows: takes no references. */
lim_result topology_list_of(const lim_world* world, topology_list* out);
void topology_list_free(topology_list* list, const lim_host* host);
/* For lists that hold a reference to each of their parts. */
void topology_list_retain(topology_list* list);
void topology_list_release(topology_list* list, const lim_host* host);

/* Counts, writes or hashes the state. list may be null when hashing. */
void state_write(stream* s, const lim_world* world, const topology_list* list);

/* Plain values of a body, as they are streamed. */
typedef struct state_record {
    uint32_t topology;
    lim_material material;
    double scale, gains_h;
    int32_t damping_wait, embed_wait, kept_substeps;
    float gravity_scale, quiet_time, quiet_step, kept_time, history_h;
    bool enabled, asleep, asleep_told, frozen, plastic, gripped, feels_touch, own_stiffness,
        self_contact, embedded;
    contact_layers layers;
    lim_point start_position;
    dquat start_orientation;
} state_record;

typedef struct state_body {
    world_body* fresh; /* made for this plan; null: the world's own body is used again */
    state_record record;
    size_t arrays_at; /* where its frames and arrays lie in the stream */
    body_embedding* embedding;
    int32_t pin_count, grab_count, pin_capacity, grab_capacity;
    body_pin* pins;
    body_grab* grabs;
    world_body edits; /* of it only what edits need: stroke, detail */
} state_body;

typedef struct state_plan {
    lim_host host;
    world_settings settings;
    slots bodies, colliders, pins, grabs, links;
    state_body* body;         /* per body slot */
    world_collider* collider; /* per collider slot */
    int32_t *pin_body, *grab_body;
    world_link* link; /* per link slot */
    ARRAY(world_touch) touches;
} state_plan;

/* Reads a whole state from the stream. Bodies of `world` that have the same id and topology are
 * used again. LIM_ERROR_FORMAT or LIM_ERROR_MEMORY: nothing changed, nothing held. */
lim_result state_plan_read(state_plan* plan, stream* s, lim_world* world,
                           const topology_list* list);
/* Makes the world what the plan says and empties the plan. `bytes` are those that were read. */
void state_plan_commit(state_plan* plan, lim_world* world, const unsigned char* bytes, size_t size);

/* One field list for both ways (world/state_fields.c). */
void state_stream_settings(stream* s, world_settings* settings);
void state_stream_record(stream* s, state_record* r);
void state_stream_arrays(stream* s, body* b);
void state_stream_pin(stream* s, body_pin* p);            /* all but slot and local */
void state_stream_grab(stream* s, body_grab* g);          /* all but its arrays */
void state_stream_collider(stream* s, world_collider* c); /* all but asset and load */
void state_stream_link(stream* s, world_link* l);         /* all but its ties */
void state_stream_tie(stream* s, link_tie* t);
/* A body's stroke (world/state_stroke.c). What was read is the caller's to free, also after a
 * failure. */
void state_write_stroke(stream* s, edit_stroke* stroke, const topology_list* list);
lim_result state_read_stroke(stream* s, const lim_host* host, const topology_list* list,
                             edit_stroke* stroke);
void state_stream_stroke(stream* s, edit_stroke* stroke); /* all but number, base and rows */
void state_stream_detail(stream* s, world_body* b);
/* What tears it (world/state_fracture.c): written or hashed; read, with zones from the host. */
void state_write_fracture(stream* s, world_body* b);
lim_result state_read_fracture(stream* s, const lim_host* host, world_body* b);
void state_stream_place(stream* s, blade_place* place);
void state_stream_load(stream* s, lim_load* l);
void state_stream_touch(stream* s, world_touch* t);
/* The rest shape of an embedded body's matching, y0[3] over the slots. */
void state_stream_shape(stream* s, const topology* t, float* const y0[3]);
/* Reads past what state_stream_arrays would read, checking it. */
void state_skip_arrays(stream* s, const topology* t, const state_record* r);

#endif

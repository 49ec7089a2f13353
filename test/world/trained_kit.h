/* SPDX-License-Identifier: MIT
 * Detail for tests of worlds: a ball that is held below, a small ball that presses it from above,
 * and examples of what it looks like pressed, with a bump about the contact as their detail.
 */
#ifndef LIMBER_TRAINED_KIT_H
#define LIMBER_TRAINED_KIT_H

#include "math/trig.h"
#include "train/stamp_make.h"
#include "world/world.h"
#include "world_kit.h"

#define TOOL_RADIUS 0.1

typedef struct trained_scene {
    lim_world* world;
    lim_body body;
    lim_collider tool;
    lim_pin pin;
} trained_scene;

/* Everything about the origin, turned by `turn`. */
static inline lim_point turned_about(dquat turn, lim_point p) {
    return dquat_rotate(turn, p);
}

static inline trained_scene trained_start(const lim_model* model, dquat turn, int32_t threads) {
    trained_scene s = {.world = kit_world(NULL, threads)};
    CHECK(lim_world_set_gravity(s.world, (lim_vec3){0, 0, 0}) == LIM_OK);
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.orientation = quat_of(turn);
    desc.material.young = 20e3f;
    desc.material.damping_time = 0.05f;
    desc.material.viscosity = 300.0f;
    desc.material = kind_material(desc.material);
    CHECK(lim_body_create(s.world, &desc, &s.body) == LIM_OK);
    lim_pin_desc pin = lim_pin_desc_default();
    pin.body = s.body;
    pin.shape = LIM_SHAPE_BOX;
    pin.size = (lim_vec3){1.0f, 0.25f, 1.0f};
    pin.position = turned_about(turn, p3(0, -0.6, 0));
    pin.orientation = quat_of(turn);
    CHECK(lim_pin_create(s.world, &pin, &s.pin) == LIM_OK);
    lim_collider_desc tool = lim_collider_desc_default();
    tool.shape = LIM_SHAPE_SPHERE;
    tool.size = (lim_vec3){(float)TOOL_RADIUS, 0, 0};
    tool.position = turned_about(turn, p3(0, 2, 0));
    tool.friction = 0.0f;
    CHECK(lim_collider_create(s.world, &tool, &s.tool) == LIM_OK);
    return s;
}

/* The tool to a place in `steps` steps, at even speed. */
static inline void tool_to(trained_scene* s, dquat turn, lim_point to, int steps) {
    lim_collider_desc now;
    CHECK(lim_collider_get(s->world, s->tool, &now) == LIM_OK);
    lim_point target = turned_about(turn, to), from = now.position;
    lim_vec3 speed = v3_of(p3_scale(p3_sub(target, from), 60.0 / steps));
    CHECK(lim_collider_move(s->world, s->tool, from, (lim_quat){0, 0, 0, 1}, speed,
                            (lim_vec3){0, 0, 0}) == LIM_OK);
    kit_steps(s->world, steps);
    CHECK(lim_collider_move(s->world, s->tool, target, (lim_quat){0, 0, 0, 1}, (lim_vec3){0, 0, 0},
                            (lim_vec3){0, 0, 0}) == LIM_OK);
}

/* ---- examples -----------------------------------------------------------------------------------
 */

enum { KIT_EXAMPLES = 16 };
typedef struct trained_set {
    arena mem;
    detail_skin skin;
    detail_data data;
    detail_example example[KIT_EXAMPLES];
} trained_set;

static inline world_body* inside(const trained_scene* s) {
    return s->world->bodies[s->body.index];
}

static inline void set_start(trained_set* t, const trained_scene* s) {
    const topology* top = inside(s)->body.topology;
    lim_host host = mem_host(NULL);
    *t = (trained_set){.data = {.model = trained_model(top),
                                .nodes = top->node_count,
                                .points = top->point_count,
                                .sigma = 0.2f,
                                .tau = DETAIL_TAU,
                                .most = 10,
                                .grid = {.axis = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},
                                         .side = 33,
                                         .radius = 0.3f,
                                         .inner = 0.15f,
                                         .depth = 0.2f}}};
    arena_init(&t->mem, &host);
    CHECK(trained_skin_build(&t->mem, top, &t->skin) == LIM_OK);
}

/* Where the tool touches, as a body with detail finds it. */
static inline trained_spot spot_now(trained_set* t, const trained_scene* s) {
    const world_body* w = inside(s);
    trained_search room;
    trained_spot spot;
    CHECK(trained_search_create(&t->mem, w->body.topology, &room) == LIM_OK);
    collider c = s->world->colliders[s->tool.index].shape;
    lim_vec3 about = t->skin.normal[0];
    float least = INFINITY;
    for (int32_t i = 0; i < t->skin.point_count; ++i) { /* the point nearest to the tool */
        const component* f = &w->body.components[0];
        lim_point world = node_to_world(f, body_metres(&w->body),
                                        p3_of(bindings_rest(&w->body.topology->bind, i)));
        float away = (float)collider_gap(&c, world);
        if (away < least && t->skin.fan_start[i + 1] > t->skin.fan_start[i]) {
            least = away;
            about = bindings_rest(&w->body.topology->bind, i);
        }
    }
    CHECK(trained_contact(&w->body, &t->skin, &c, about, t->data.grid.radius, s->world->set, &room,
                          &spot));
    return spot;
}

/* 0.02 outwards at a place, fading over 0.1. */
static inline lim_vec3 bump(const detail_skin* k, int32_t i, trained_spot spot) {
    lim_vec3 way = v3_sub(v3(k->rest[0][i], k->rest[1][i], k->rest[2][i]), spot.point);
    float fall = (float)trig_exp(-(double)v3_dot(way, way) / 0.01);
    return v3_scale(k->normal[i], fall > 1e-4f ? 0.02f * fall : 0.0f);
}

/* The body as it is becomes an example. */
static inline void set_take(trained_set* t, const trained_scene* s) {
    const world_body* w = inside(s);
    const topology* top = w->body.topology;
    detail_example* e = &t->example[t->data.count++];
    t->data.example = t->example;
    trained_nodes nodes;
    CHECK(trained_nodes_create(&t->mem, top, &nodes) == LIM_OK);
    trained_nodes_update(&w->body, &nodes);
    int32_t width = displacement_width(top->node_count);
    e->way = ARENA_ARRAY(&t->mem, float, width);
    e->size = displacement_of(&nodes.nodes, e->way);
    CHECK(e->size > 0.0f);
    for (int32_t i = 0; i < width; ++i) {
        e->way[i] /= e->size;
    }
    trained_spot spot = spot_now(t, s);
    e->point = spot.point;
    e->normal = spot.normal;
    float* field = ARENA_ARRAY(&t->mem, float, detail_blocks(top->point_count) * DETAIL_BLOCK);
    int32_t texels = t->data.grid.side * t->data.grid.side;
    float* stamp = ARENA_ARRAY(&t->mem, float, detail_blocks(texels) * DETAIL_BLOCK);
    for (int32_t i = 0; i < top->point_count; ++i) {
        detail_set(field, i, bump(&t->skin, i, spot));
    }
    stamp_place at = stamp_at(&t->data.grid, spot.point, spot.normal);
    CHECK(stamp_make(&t->mem, &t->skin, &t->data.grid, &at, field, stamp) == LIM_OK);
    CHECK(detail_field_of(&t->mem, field, detail_blocks(top->point_count), 1e-6f, &e->field) ==
          LIM_OK);
    CHECK(detail_field_of(&t->mem, stamp, detail_blocks(texels), 1e-6f, &e->stamp) == LIM_OK);
}

typedef struct trained_bytes {
    unsigned char* data;
    size_t size;
} trained_bytes;
static inline trained_bytes set_bytes(const trained_set* t) {
    trained_bytes b = {.size = detail_data_save(&t->data, NULL)};
    b.data = malloc(b.size);
    (void)detail_data_save(&t->data, b.data);
    return b;
}

/* Pressed at the top, at two depths. */
static inline trained_bytes train_press(const lim_model* model) {
    trained_scene s = trained_start(model, dquat_identity(), 1);
    trained_set t;
    set_start(&t, &s);
    tool_to(&s, dquat_identity(), p3(0, 0.6 + TOOL_RADIUS - 0.08, 0), 60);
    kit_steps(s.world, 30);
    set_take(&t, &s);
    trained_bytes b = set_bytes(&t);
    arena_release(&t.mem);
    lim_world_destroy(s.world);
    return b;
}

/* ---- skins --------------------------------------------------------------------------------------
 */

static inline lim_skin_view skin_of(const trained_scene* s) {
    lim_skin_view v = {0};
    CHECK(lim_body_get_skin(s->world, s->body, &v) == LIM_OK);
    return v;
}

/* The plain skin of the last step. */
static inline const body_skin* plain_of(const trained_scene* s) {
    return body_skin_now(&inside(s)->body, s->world->set, NULL);
}

static inline bool is_plain(const trained_scene* s) {
    lim_skin_view v = skin_of(s);
    const body_skin* p = plain_of(s);
    return memcmp(v.positions, p->positions, 12 * (size_t)v.vertex_count) == 0 &&
           memcmp(v.normals, p->normals, 12 * (size_t)v.vertex_count) == 0;
}

/* What detail adds to a vertex. */
static inline lim_vec3 added(const trained_scene* s, int32_t v) {
    const float *a = skin_of(s).positions + 3 * v, *b = plain_of(s)->positions + 3 * v;
    return v3(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

static inline float most_added(const trained_scene* s) {
    float most = 0.0f;
    for (int32_t v = 0; v < skin_of(s).vertex_count; ++v) {
        float own = v3_length(added(s, v));
        most = own > most ? own : most;
    }
    return most;
}

#endif

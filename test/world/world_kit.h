/* SPDX-License-Identifier: MIT
 * What tests of worlds begin with: a ball as a mesh, a model of it, a world with a floor, and a
 * scene that has one of everything.
 */
#ifndef LIMBER_WORLD_KIT_H
#define LIMBER_WORLD_KIT_H

#include <limber/limber.h>

#include "failing_host.h"
#include "kind_rows.h"
#include "test.h"

enum { KIT_MOST = 20000 };

/* A closed ball of radius 0.5 about the origin, a little longer along y. */
static inline lim_result kit_ball(int rings, int sides, const lim_host* host, lim_mesh** out) {
    static double position[KIT_MOST];
    static uint32_t index[KIT_MOST];
    const double pi = 3.14159265358979;
    int v = 0, t = 0;
    for (int r = 1; r < rings; ++r) {
        for (int s = 0; s < sides; ++s, ++v) {
            double a = pi * r / rings, b = 2 * pi * s / sides;
            position[3 * v] = 0.5 * sin(a) * cos(b);
            position[3 * v + 1] = 0.6 * cos(a);
            position[3 * v + 2] = 0.5 * sin(a) * sin(b);
        }
    }
    int north = v, south = v + 1;
    memset(position + 3 * v, 0, 6 * sizeof(double));
    position[3 * north + 1] = 0.6;
    position[3 * south + 1] = -0.6;
    for (int s = 0; s < sides; ++s) {
        int next = (s + 1) % sides;
        for (int r = 0; r < rings - 2; ++r) {
            int a = r * sides + s, b = r * sides + next;
            int c = a + sides, d = b + sides;
            const int corners[6] = {a, b, c, b, d, c};
            for (int k = 0; k < 6; ++k) {
                index[t++] = (uint32_t)corners[k];
            }
        }
        int last = (rings - 2) * sides;
        const int caps[6] = {north, next, s, south, last + s, last + next};
        for (int k = 0; k < 6; ++k) {
            index[t++] = (uint32_t)caps[k];
        }
    }
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = south + 1;
    desc.triangle_count = t / 3;
    desc.positions = position;
    desc.indices = index;
    return lim_mesh_create(&desc, host, out);
}

static inline lim_result kit_mesh(const lim_host* host, lim_mesh** out) {
    return kit_ball(8, 12, host, out);
}

/* Of the chosen kind. */
static inline lim_model* kit_model(int32_t nodes, const lim_host* host) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = nodes;
    kind_describe(&desc);
    /* Contacts are at vertices: about two per cell of the surface, or material hangs through. */
    int rings = nodes < 30 ? 8 : nodes < 400 ? 20 : 36;
    CHECK(kit_ball(rings, rings * 3 / 2, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, host, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

static inline lim_world* kit_world(const lim_host* host, int32_t threads) {
    lim_world_desc desc = lim_world_desc_default();
    desc.workers = threads;
    lim_world* world = NULL;
    CHECK(lim_world_create(&desc, host, &world) == LIM_OK);
    return world;
}

static inline lim_body kit_body(lim_world* world, const lim_model* model, double x, double y) {
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = (lim_point){x, y, 0.0};
    desc.material = kind_material(desc.material);
    lim_body made = {0};
    CHECK(lim_body_create(world, &desc, &made) == LIM_OK);
    return made;
}

/* A toy of 24 cm: stiff for its size, so that it comes to rest soon. */
static inline lim_body kit_toy(lim_world* world, const lim_model* model, double x, double y) {
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = (lim_point){x, y, 0.0};
    desc.scale = 0.2f;
    desc.material.viscosity = 100.0f;
    desc.material.damping_time = 0.2f;
    desc.material = kind_material(desc.material);
    lim_body made = {0};
    CHECK(lim_body_create(world, &desc, &made) == LIM_OK);
    return made;
}

static inline lim_collider kit_floor(lim_world* world) {
    lim_collider_desc desc = lim_collider_desc_default();
    lim_collider floor = {0};
    CHECK(lim_collider_create(world, &desc, &floor) == LIM_OK);
    return floor;
}

static inline void kit_steps(lim_world* world, int count) {
    for (int i = 0; i < count; ++i) {
        CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
    }
}

static inline lim_body_motion motion_of(const lim_world* world, lim_body b) {
    lim_body_motion m = {0};
    CHECK(lim_body_get_motion(world, b, &m) == LIM_OK);
    return m;
}

/* One of everything: three bodies (one of another model, one pinned, one grabbed), a floor, a
 * turning box and a sphere that flies by, wind. */
typedef struct kit_scene {
    lim_world* world;
    lim_body body[3];
    lim_collider collider[3];
    lim_pin pin;
    lim_grab grab;
} kit_scene;

static inline kit_scene kit_everything(const lim_model* a, const lim_model* b, const lim_host* host,
                                       int32_t threads) {
    kit_scene s = {.world = kit_world(host, threads)};
    s.body[0] = kit_body(s.world, a, 0.0, 0.58); /* touches the floor */
    s.body[1] = kit_body(s.world, b, 2.0, 1.5);
    s.body[2] = kit_body(s.world, a, -2.0, 2.0);
    s.collider[0] = kit_floor(s.world);
    lim_collider_desc c = lim_collider_desc_default();
    c.shape = LIM_SHAPE_BOX;
    c.size = (lim_vec3){0.5f, 0.1f, 0.5f};
    c.position = (lim_point){2.0, 0.3, 0.0};
    c.angular_velocity = (lim_vec3){0.3f, 2.0f, 0.1f};
    CHECK(lim_collider_create(s.world, &c, &s.collider[1]) == LIM_OK);
    c.shape = LIM_SHAPE_SPHERE;
    c.size = (lim_vec3){0.3f, 0.0f, 0.0f};
    c.position = (lim_point){-3.0, 0.5, 0.0};
    c.velocity = (lim_vec3){2.0f, 0.0f, 0.0f};
    CHECK(lim_collider_create(s.world, &c, &s.collider[2]) == LIM_OK);
    lim_pin_desc p = lim_pin_desc_default();
    p.body = s.body[2];
    p.shape = LIM_SHAPE_BOX;
    p.size = (lim_vec3){1.0f, 0.3f, 1.0f};
    p.position = (lim_point){-2.0, 2.6, 0.0};
    CHECK(lim_pin_create(s.world, &p, &s.pin) == LIM_OK);
    lim_grab_desc g = lim_grab_desc_default();
    g.body = s.body[1];
    g.point = (lim_point){2.0, 2.2, 0.0};
    g.radius = 0.3f;
    CHECK(lim_grab_create(s.world, &g, &s.grab) == LIM_OK);
    CHECK(lim_world_set_wind(s.world, (lim_wind){{1.0f, 0.0f, 0.5f}, 0.5f, 1.0f, 1.2f}) == LIM_OK);
    return s;
}

/* A step with something for everything to do. */
static inline void kit_everything_steps(kit_scene* s, int from, int to) {
    for (int i = from; i < to; ++i) {
        double a = 0.1 * i;
        lim_quat turn = {0.0f, (float)(0.2 * sin(a)), 0.0f, 1.0f};
        CHECK(lim_pin_move(s->world, s->pin, (lim_point){-2.0 + 0.2 * sin(a), 2.6, 0.0}, turn) ==
              LIM_OK);
        CHECK(lim_grab_move(s->world, s->grab, (lim_point){2.0, 2.2 + 0.3 * sin(a), 0.1}) ==
              LIM_OK);
        CHECK(lim_world_step(s->world, 1.0f / 60.0f) == LIM_OK);
    }
}

#endif

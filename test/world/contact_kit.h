/* SPDX-License-Identifier: MIT
 * What tests of contact begin with: models of the chosen kind from a shape, a ball and a block of
 * 20 cm, a material that is firm for this size, and empty space.
 */
#ifndef LIMBER_CONTACT_KIT_H
#define LIMBER_CONTACT_KIT_H

#include "mesh/mesh_shapes.h"
#include "world_kit.h"

/* Frees the shape. */
static inline lim_model* shape_model(shape* s, int32_t nodes) {
    lim_mesh* mesh = shape_mesh(s);
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = nodes;
    kind_describe(&desc);
    lim_model* model = NULL;
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    shape_free(s);
    return model;
}

static inline lim_model* ball_model(int32_t nodes) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 0.1, 20);
    return shape_model(&s, nodes);
}

/* Half its edges. */
static inline lim_model* box_model(double x, double y, double z, int32_t nodes) {
    shape s = {0};
    shape_box(&s, -x, -y, -z, x, y, z);
    return shape_model(&s, nodes);
}

static inline lim_model* block_model(int32_t nodes) {
    return box_model(0.1, 0.05, 0.1, nodes);
}

static inline lim_body_desc firm(const lim_model* model, lim_point at) {
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = at;
    desc.material.young = 8e4f;
    desc.material.density = 600.0f;
    desc.material = kind_material(desc.material);
    return desc;
}

static inline lim_body make(lim_world* world, const lim_body_desc* desc) {
    lim_body made = {0};
    CHECK(lim_body_create(world, desc, &made) == LIM_OK);
    return made;
}

/* Nothing falls, nothing sleeps. */
static inline lim_world* empty_space(int32_t threads) {
    lim_world_desc desc = lim_world_desc_default();
    desc.gravity = (lim_vec3){0, 0, 0};
    desc.workers = threads;
    desc.sleep = false;
    lim_world* world = NULL;
    CHECK(lim_world_create(&desc, NULL, &world) == LIM_OK);
    return world;
}

#endif

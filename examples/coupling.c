/* SPDX-License-Identifier: MIT
 * A rigid box of another engine falls onto a soft block, in both ways: the box is a collider of the
 * block, and what the collider feels moves the box. Prints how it comes to rest.
 */
#include "rigid_box.h"

#include <limber/limber.h>
#include <stdio.h>

enum { STEPS = 8, FRAMES = 240 }; /* small steps per frame of 1/60 s */

static lim_result make_block(lim_world* world, lim_body* out) {
    static const double corner[24] = {-0.1, -0.05, -0.1, 0.1, -0.05, -0.1, -0.1, 0.05,
                                      -0.1, 0.1,   0.05, -0.1, -0.1, -0.05, 0.1, 0.1,
                                      -0.05, 0.1,  -0.1, 0.05, 0.1,  0.1,   0.05, 0.1};
    static const uint32_t face[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    lim_mesh_desc shape = lim_mesh_desc_default();
    shape.vertex_count = 8;
    shape.positions = corner;
    shape.triangle_count = 12;
    shape.indices = face;
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc sampling = lim_model_desc_default();
    sampling.node_count = 200;
    lim_result result = lim_mesh_create(&shape, NULL, &mesh);
    result = result == LIM_OK ? lim_model_create(mesh, &sampling, NULL, &model) : result;
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position.y = 0.05;
    desc.material.young = 8e4f;
    desc.material.density = 600.0f;
    desc.material.viscosity = 500.0f; /* damps more than the exchange feeds */
    result = result == LIM_OK ? lim_body_create(world, &desc, out) : result;
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
    return result;
}

static lim_result run(lim_world* world) {
    rigid_box box = {.mass = 0.5,
                     .half = {0.05, 0.03, 0.05},
                     .position = {0.01, 0.16, 0.0},
                     .turn = {0, 0, 0, 1}};
    lim_collider_desc desc = lim_collider_desc_default(), ground = desc;
    desc.shape = LIM_SHAPE_BOX;
    desc.size = rigid_vec(box.half);
    desc.position.y = box.position[1];
    lim_collider collider = {0}, floor_id = {0};
    lim_body block = {0};
    lim_result result = make_block(world, &block);
    result = result == LIM_OK ? lim_collider_create(world, &desc, &collider) : result;
    result = result == LIM_OK ? lim_collider_create(world, &ground, &floor_id) : result;
    for (int frame = 1; frame <= FRAMES && result == LIM_OK; ++frame) {
        for (int k = 0; k < STEPS && result == LIM_OK; ++k) {
            result = rigid_step(&box, world, collider, 1.0f / (60.0f * STEPS));
        }
        lim_load load = {0};
        if (frame % 20 == 0 && lim_collider_get_load(world, collider, &load) == LIM_OK) {
            printf("%.2f s: box at %.4f m, %+.4f m/s, load %.3f N of %.3f N\n", frame / 60.0,
                   box.position[1], box.velocity[1], (double)load.smooth_force.y, 9.81 * box.mass);
        }
    }
    return result;
}

int main(void) {
    lim_world_desc desc = lim_world_desc_default();
    desc.substeps = 1; /* the steps are small already */
    lim_world* world = NULL;
    lim_result result = lim_world_create(&desc, NULL, &world);
    result = result == LIM_OK ? run(world) : result;
    lim_world_destroy(world);
    if (result != LIM_OK) {
        fprintf(stderr, "coupling: %s\n", lim_result_name(result));
    }
    return result == LIM_OK ? 0 : 1;
}

/* SPDX-License-Identifier: MIT
 * A thin finger on a thick body with cells of many sizes and one region per node: it bends as a
 * beam that is clamped at its root, and does not hang there as on a hinge.
 */
#include "test.h"

#include "scenes/models.h"

#include <limber/limber.h>
#include <math.h>

static const float CELL = 0.0165f, YOUNG = 10e3f, FORCE = 0.04f;
static const double STEP = 1.0 / 60.0;

/* The finger of the polyp that points up; metres. */
typedef struct finger {
    double radius; /* of the round body, which stands on the ground */
    double length, thickness;
    int32_t tip; /* vertex */
    lim_point rest;
} finger;

static finger find_finger(const lim_mesh* mesh) {
    lim_mesh_view view = lim_mesh_get_view(mesh);
    finger f = {0};
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        f.radius = fmax(f.radius, view.positions[i].z);
        if (view.positions[i].y > f.rest.y) {
            f.rest = view.positions[i];
            f.tip = i;
        }
    }
    f.length = f.rest.y - 2.0 * f.radius;
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        bool outer = view.positions[i].y > 2.0 * f.radius + 0.5 * f.length;
        f.thickness = outer ? fmax(f.thickness, 2.0 * view.positions[i].z) : f.thickness;
    }
    return f;
}

static lim_model* make_model(const lim_mesh* mesh, const finger* f) {
    const lim_size_region root = {.shape = LIM_SIZE_SPHERE,
                                  .centre = {0.0, 2.0 * f->radius + 1.25 * (double)CELL, 0.0},
                                  .half = {CELL, 0.0f, 0.0f},
                                  .size = CELL};
    lim_model_desc desc = lim_model_desc_default();
    desc.cell_size = CELL;
    desc.region_width = 1.5f;
    desc.regions = LIM_REGIONS_INTERVAL;
    desc.coarsen = 4;
    desc.cells_across = 2.0f;
    desc.interest = &root;
    desc.interest_count = 1;
    lim_model* model = NULL;
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    return model;
}

/* Without gravity, strongly damped, held at its core. */
static lim_world* make_world(const lim_model* model, const finger* f, lim_body* body) {
    lim_world_desc desc = lim_world_desc_default();
    desc.gravity = (lim_vec3){0.0f, 0.0f, 0.0f};
    desc.substeps = 4;
    lim_world* world = NULL;
    CHECK(lim_world_create(&desc, NULL, &world) == LIM_OK);
    lim_body_desc body_desc = lim_body_desc_default();
    body_desc.model = model;
    body_desc.position = lim_model_get_info(model).centre;
    body_desc.material.young = YOUNG;
    body_desc.material.viscosity = 300.0f;
    body_desc.material.damping_time = 0.2f;
    CHECK(lim_body_create(world, &body_desc, body) == LIM_OK);
    lim_pin_desc pin = lim_pin_desc_default();
    pin.body = *body;
    pin.shape = LIM_SHAPE_SPHERE;
    pin.size = (lim_vec3){(float)(0.5 * f->radius), 0.0f, 0.0f};
    pin.position = (lim_point){0.0, f->radius, 0.0};
    CHECK(lim_pin_create(world, &pin, &(lim_pin){0}) == LIM_OK);
    return world;
}

/* How far the tip is after some seconds of a pull along x. */
static double pull(lim_world* world, lim_body body, const finger* f, double seconds) {
    const lim_vec3 impulse = {(float)((double)FORCE * STEP), 0.0f, 0.0f};
    lim_point tip = f->rest;
    for (double time = 0.0; time < seconds; time += STEP) {
        CHECK(lim_body_apply_impulse(world, body, tip, impulse) == LIM_OK);
        CHECK(lim_world_step(world, (float)STEP) == LIM_OK);
        lim_skin_view skin;
        CHECK(lim_body_get_skin(world, body, &skin) == LIM_OK);
        const float* at = skin.positions + 3 * (size_t)f->tip;
        tip = (lim_point){skin.origin.x + (double)at[0], skin.origin.y + (double)at[1],
                          skin.origin.z + (double)at[2]};
    }
    double x = tip.x - f->rest.x, y = tip.y - f->rest.y, z = tip.z - f->rest.z;
    return sqrt(x * x + y * y + z * z);
}

/* A beam under a small force F goes F l^3 / (3 E I), I = pi t^4 / 64, and under a larger one less
 * than that. Regions are stiffer in bending than a beam of two cells. */
static void one_region_per_node_holds_the_root(void) {
    lim_mesh* mesh = NULL;
    lim_body body;
    CHECK(model_mesh("polyp", 0, NULL, &mesh) == LIM_OK);
    finger f = find_finger(mesh);
    lim_model* model = make_model(mesh, &f);
    lim_world* world = make_world(model, &f, &body);
    double bending = (double)YOUNG * 3.14159265358979 * pow(f.thickness, 4.0) / 64.0;
    double beam = (double)FORCE * pow(f.length, 3.0) / (3.0 * bending);
    double way = pull(world, body, &f, 6.0);
    printf("  a beam goes %.2f of its length, the finger %.2f\n", beam / f.length, way / f.length);
    CHECK(way < beam && way > 0.5 * beam);
    lim_world_destroy(world);
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
}

TEST_SUITE(finger_roots) {
    TEST_BEGIN(argc, argv);
    RUN(one_region_per_node_holds_the_root);
    TEST_END();
}

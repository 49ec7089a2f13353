/* SPDX-License-Identifier: MIT
 * Job: make the seeds of fuzz_save anew, when the format of saves has changed: save_seeds FOLDER.
 * Small worlds and models that together have something of everything that is saved.
 */
#include "scenes/models.h"

#include <limber/limber.h>
#include <stdio.h>
#include <stdlib.h>

static const char* folder;
static bool failed;

static void need(bool good, const char* what) {
    if (!good) {
        fprintf(stderr, "save_seeds: %s failed\n", what);
        failed = true;
    }
}

static void write_bytes(const char* name, const unsigned char* bytes, size_t size) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.bin", folder, name);
    FILE* file = fopen(path, "wb");
    need(file != NULL && fwrite(bytes, 1, size, file) == size, path);
    need(file == NULL || fclose(file) == 0, path);
}

static void write_world(const char* name, lim_world* world) {
    size_t size = 0;
    need(lim_world_save(world, NULL, 0, &size) == LIM_OK, name);
    unsigned char* bytes = malloc(size);
    need(bytes != NULL && lim_world_save(world, bytes, size, &size) == LIM_OK, name);
    if (bytes != NULL) {
        write_bytes(name, bytes, size);
    }
    free(bytes);
    lim_world_destroy(world);
}

static void write_model(const char* name, const lim_model* model) {
    size_t size = 0;
    need(lim_model_save(model, NULL, 0, &size) == LIM_OK, name);
    unsigned char* bytes = malloc(size);
    need(bytes != NULL && lim_model_save(model, bytes, size, &size) == LIM_OK, name);
    if (bytes != NULL) {
        write_bytes(name, bytes, size);
    }
    free(bytes);
}

/* A bar of 0.9 by 0.3 by 0.3. */
static lim_model* make_model(lim_kind kind, int32_t nodes, int32_t coarsen) {
    const int32_t cells[3] = {3, 1, 1};
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = kind;
    desc.node_count = nodes;
    desc.coarsen = coarsen;
    desc.clusters = 2; /* counts for points */
    need(box_mesh(0.9, 0.3, 0.3, cells, NULL, &mesh) == LIM_OK, "box_mesh");
    need(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK, "lim_model_create");
    lim_mesh_destroy(mesh);
    return model;
}

static lim_world* make_world(void) {
    lim_world* world = NULL;
    lim_world_desc desc = lim_world_desc_default();
    desc.workers = 1;
    need(lim_world_create(&desc, NULL, &world) == LIM_OK, "lim_world_create");
    return world;
}

static lim_body add(lim_world* world, const lim_model* model, double x, double y) {
    lim_body body = {0};
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = (lim_point){x, y, 0};
    desc.angular_velocity = (lim_vec3){0.1f, 0.2f, 0.3f};
    need(lim_body_create(world, &desc, &body) == LIM_OK, "lim_body_create");
    return body;
}

static void step(lim_world* world, int count) {
    for (int i = 0; i < count; ++i) {
        need(lim_world_step(world, 1.0f / 60.0f) == LIM_OK, "lim_world_step");
    }
}

static void cut(lim_world* world, lim_body body, double x, double from, double to, bool goes_on) {
    const lim_point tips[2] = {{x, from, -0.31}, {x + 0.01, to, -0.31}};
    const lim_point backs[2] = {{x + 0.01, from, 0.31}, {x + 0.02, to, 0.31}};
    lim_edit_report report;
    lim_cut_desc desc = lim_cut_desc_default();
    desc.count = 2;
    desc.tips = tips;
    desc.backs = backs;
    desc.continues = goes_on;
    need(lim_body_cut(world, body, &desc, &report) == LIM_OK && report.changed, "lim_body_cut");
}

static void plain_worlds(void) {
    static const char* const NAMES[][2] = {
        {"model", "world"}, {"lattice", "lattice_world"}, {"points", "points_world"}};
    const lim_kind kinds[] = {LIM_KIND_OCTREE, LIM_KIND_LATTICE, LIM_KIND_POINTS};
    write_world("empty", make_world());
    for (int i = 0; i < 3; ++i) {
        lim_model* model = make_model(kinds[i], 6, 0);
        lim_world* world = make_world();
        add(world, model, 0, 0.4);
        step(world, 3);
        write_model(NAMES[i][0], model);
        write_world(NAMES[i][1], world);
        lim_model_destroy(model);
    }
}

static void colliders_world(const lim_model* model) {
    lim_world* world = make_world();
    const lim_shape shapes[] = {LIM_SHAPE_PLANE, LIM_SHAPE_SPHERE, LIM_SHAPE_CAPSULE,
                                LIM_SHAPE_BOX};
    for (int i = 0; i < 4; ++i) {
        lim_collider_desc desc = lim_collider_desc_default();
        lim_collider made;
        desc.shape = shapes[i];
        desc.size = (lim_vec3){0.1f, 0.1f, 0.1f};
        desc.position = (lim_point){0.2 * i, 0, 0};
        desc.restitution = 0.5f;
        desc.angular_velocity.y = 1.0f;
        need(lim_collider_create(world, &desc, &made) == LIM_OK, "lim_collider_create");
    }
    const lim_box range = {{-5, -5, -5}, {5, 5, 5}};
    need(lim_world_set_range(world, &range) == LIM_OK, "lim_world_set_range");
    need(lim_world_set_wind(world, (lim_wind){{3, 0, 1}, 1, 0.5f, 1.2f}) == LIM_OK, "wind");
    add(world, model, 0, 0.2);
    step(world, 10);
    write_world("colliders", world);
}

/* Held in every way, of clay with stiffness of its own, linked either way. */
static lim_world* held_world(const lim_model* model, lim_body* out) {
    lim_world* world = make_world();
    lim_body a = add(world, model, 0, 0.4), b = add(world, model, 0.1, 0.1);
    lim_material clay;
    lim_zone zone = lim_zone_default();
    lim_pin_desc pin = lim_pin_desc_default();
    lim_grab_desc grab = lim_grab_desc_default();
    lim_link_desc link = lim_link_desc_default();
    lim_pin p;
    lim_grab g;
    lim_link l;
    need(lim_body_get_material(world, a, &clay) == LIM_OK, "lim_body_get_material");
    clay.yield = 0.01f;
    clay.volume = 0.5f;
    need(lim_body_set_material(world, a, &clay) == LIM_OK, "lim_body_set_material");
    zone.size.x = 0.3f;
    zone.stiffness = 3.0f;
    need(lim_body_set_zones(world, a, &zone, 1) == LIM_OK, "lim_body_set_zones");
    pin.body = a;
    pin.size.x = 0.2f;
    pin.position = (lim_point){-0.4, 0.4, 0};
    need(lim_pin_create(world, &pin, &p) == LIM_OK, "lim_pin_create");
    pin.stiffness = 1e4f;
    need(lim_pin_create(world, &pin, &p) == LIM_OK, "lim_pin_create");
    grab.body = a;
    grab.point = (lim_point){0.4, 0.4, 0};
    need(lim_grab_create(world, &grab, &g) == LIM_OK, "lim_grab_create");
    grab.hard = true;
    grab.force_limit = 50.0f;
    grab.body = b;
    need(lim_grab_create(world, &grab, &g) == LIM_OK, "lim_grab_create");
    link.size.x = 0.25f;
    link.position = (lim_point){0.1, 0.25, 0};
    for (int i = 0; i < 2; ++i) {
        link.body = i == 0 ? a : b;
        link.other = i == 0 ? b : a;
        link.stiffness = i == 0 ? 0.0f : 1e3f;
        need(lim_link_create(world, &link, &l) == LIM_OK, "lim_link_create");
    }
    *out = a;
    return world;
}

static void held_worlds(void) {
    lim_model* model = make_model(LIM_KIND_OCTREE, 6, 0);
    lim_body body;
    lim_world* world = held_world(model, &body);
    step(world, 5);
    write_world("holds_world", world);
    world = held_world(model, &body);
    step(world, 2);
    cut(world, body, 0.1, 0.7, 0.0, false);
    step(world, 2);
    write_world("cut_held", world);
    colliders_world(model);
    lim_model_destroy(model);
}

static void edited_worlds(void) {
    lim_model *one = make_model(LIM_KIND_OCTREE, 6, 0), *two = make_model(LIM_KIND_OCTREE, 20, 1);
    lim_world* world = make_world();
    lim_body body = add(world, one, 0, 0.4);
    cut(world, body, 0.1, 0.7, 0.0, false);
    step(world, 2);
    lim_model* made = NULL;
    need(lim_body_get_model(world, body, &made) == LIM_OK, "lim_body_get_model");
    write_model("cut_model", made);
    lim_model_destroy(made);
    write_world("cut", world);
    world = make_world();
    body = add(world, one, 0, 0.4);
    cut(world, body, 0.1, 0.7, 0.45, false);
    step(world, 1);
    cut(world, body, 0.11, 0.45, 0.35, true);
    step(world, 1);
    write_world("stroke", world);
    world = make_world();
    body = add(world, one, 0, 0.4);
    cut(world, body, 0.1, 0.7, 0.0, false);
    lim_body pieces[16];
    need(lim_body_split(world, body, pieces, 16, NULL) == LIM_OK, "lim_body_split");
    step(world, 1);
    write_world("split", world);
    world = make_world();
    body = add(world, two, 0, 0.4);
    lim_detail detail = lim_detail_default();
    lim_world_detail eye = lim_world_detail_default();
    detail.angle = 0.3f;
    detail.strain_fine = 0.1f;
    detail.touch = 0.05f;
    eye.eye = (lim_point){0.5, 0.4, 1};
    need(lim_body_set_detail(world, body, &detail) == LIM_OK, "lim_body_set_detail");
    need(lim_world_set_detail(world, &eye) == LIM_OK, "lim_world_set_detail");
    step(world, 3);
    write_world("detail", world);
    lim_model_destroy(one);
    lim_model_destroy(two);
}

/* A slit, from which a stroke may go on: corners with two nodes. */
static void cut_lattices(void) {
    lim_model* model = make_model(LIM_KIND_LATTICE, 20, 0);
    lim_world* world = make_world();
    lim_body body = add(world, model, 0, 0.4);
    cut(world, body, 0.1, 0.7, 0.42, false);
    step(world, 2);
    write_world("cut_lattice", world);
    lim_model_destroy(model);
}

int main(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "save_seeds FOLDER\n");
        return 2;
    }
    folder = argv[1];
    plain_worlds();
    held_worlds();
    edited_worlds();
    cut_lattices();
    return failed ? 1 : 0;
}

/* SPDX-License-Identifier: MIT
 * Whatever the border takes can be saved and loaded: worlds at the ends of what descriptors allow,
 * bodies that turned non-finite, and who had touched them.
 */
#include "world_kit.h"

/* The same after a save, and after a snapshot. */
static bool comes_back(lim_world* world) {
    size_t size = 0;
    bool good = lim_world_save(world, NULL, 0, &size) == LIM_OK;
    void* bytes = malloc(size);
    good = good && lim_world_save(world, bytes, size, &size) == LIM_OK;
    lim_world* twin = NULL;
    good = good && lim_world_load(bytes, size, 1, NULL, &twin) == LIM_OK &&
           lim_world_hash(twin) == lim_world_hash(world);
    lim_world_destroy(twin);
    free(bytes);
    lim_snapshot* shot = NULL;
    uint64_t hash = lim_world_hash(world);
    good = good && lim_snapshot_create(world, &shot) == LIM_OK &&
           lim_snapshot_restore(world, shot) == LIM_OK && lim_world_hash(world) == hash;
    lim_snapshot_destroy(shot);
    return good;
}

static lim_body make(lim_world* world, const lim_model* model, float scale, lim_point at) {
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.scale = scale;
    desc.position = at;
    lim_body body = {0};
    CHECK(lim_body_create(world, &desc, &body) == LIM_OK);
    return body;
}

/* A meeting that begins at 1e9 m/s and more, across it too. */
static void falls_from_the_strongest_gravity(void) {
    lim_model* model = kit_model(24, NULL);
    lim_world* world = kit_world(NULL, 1);
    (void)kit_floor(world);
    CHECK(lim_world_set_gravity(world, (lim_vec3){5e5f, -5e5f, 0.0f}) == LIM_OK);
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position.y = 1e9;
    desc.gravity_scale = 1e3f;
    desc.material.restitution = 1.0f;
    lim_body body;
    CHECK(lim_body_create(world, &desc, &body) == LIM_OK);
    for (int i = 0; i < 20; ++i) {
        CHECK(lim_world_step(world, 1.0f) == LIM_OK);
        CHECK(comes_back(world));
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* 600 m long, before the scale of its bodies. */
static lim_model* large_model(void) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    CHECK(kit_mesh(NULL, &mesh) == LIM_OK);
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = 24;
    desc.scale = 500.0;
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

/* The forces and torques of its contacts leave what floats hold; so they did for a step after it
 * was gone. */
static void the_heaviest_body_hits_the_ground(void) {
    lim_model* model = large_model();
    lim_world* world = kit_world(NULL, 1);
    lim_collider floor = kit_floor(world);
    lim_body_desc heavy = lim_body_desc_default();
    heavy.model = model;
    heavy.scale = 1e4f;
    heavy.material.density = 1e6f;
    heavy.position = (lim_point){2e6, 3.1e6, 0};
    heavy.velocity = (lim_vec3){0.0f, -1e6f, 0.0f};
    lim_body body;
    CHECK(lim_body_create(world, &heavy, &body) == LIM_OK);
    for (int i = 0; i < 4; ++i) {
        CHECK(lim_world_step(world, i == 3 ? 1e-6f : 1.0f) == LIM_OK);
        CHECK(comes_back(world));
    }
    lim_load load;
    CHECK(lim_collider_get_load(world, floor, &load) == LIM_OK);
    CHECK(isfinite(load.torque.x) && fabsf(load.torque.z) > 1e29f);
    CHECK(lim_body_destroy(world, body) == LIM_OK);
    CHECK(lim_collider_destroy(world, floor) == LIM_OK);
    CHECK(comes_back(world));
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Stiffness and damping that are chosen from a mass beyond what floats hold. */
static void grabs_of_the_heaviest_body(void) {
    lim_model* model = large_model();
    lim_world* world = kit_world(NULL, 1);
    lim_body_desc heavy = lim_body_desc_default();
    heavy.model = model;
    heavy.scale = 1e6f;
    heavy.material.density = 1e6f;
    lim_grab_desc grab = lim_grab_desc_default();
    lim_grab made;
    CHECK(lim_body_create(world, &heavy, &grab.body) == LIM_OK);
    CHECK(lim_grab_create(world, &grab, &made) == LIM_OK);
    CHECK(comes_back(world));
    CHECK(lim_grab_move(world, made, (lim_point){1e9, 1e9, 1e9}) == LIM_OK);
    for (int i = 0; i < 5; ++i) {
        CHECK(lim_world_step(world, 1e-6f) == LIM_OK);
        CHECK(comes_back(world));
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* A tie over many times the size of what carries it has large weights. */
static void links_over_a_long_way(void) {
    lim_model* model = kit_model(24, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_link_desc link = lim_link_desc_default();
    link.body = make(world, model, 1.0f, (lim_point){5e5, 0, 0});
    link.other = make(world, model, 1e-2f, (lim_point){0, 0, 0});
    link.size.x = 6e5f;
    lim_link made;
    CHECK(lim_link_create(world, &link, &made) == LIM_OK);
    for (int i = 0; i < 3; ++i) {
        CHECK(comes_back(world));
        CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Means of the factors that the border takes at its ends. */
static void the_least_and_the_most_stiffness(void) {
    float factor[512];
    lim_model* model = kit_model(100, NULL);
    int32_t count = lim_model_get_info(model).nodes;
    lim_world* world = kit_world(NULL, 1);
    lim_body body = make(world, model, 1.0f, (lim_point){0, 0, 0});
    for (int k = 0; k < 8 && count <= 512; ++k) {
        for (int32_t i = 0; i < count; ++i) {
            factor[i] = k == 0 || (k > 1 && i % k == 0) || (k == 7 && i > 40) ? 1e6f : 1.01e-6f;
        }
        CHECK(lim_body_set_stiffness(world, body, factor, count) == LIM_OK);
        CHECK(comes_back(world));
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Bodies whose velocities leave what floats hold go back, and nothing that they touched, held or
 * pulled keeps what they felt. */
static int restored; /* of all kinds */
static void what_turned_non_finite(void) {
    lim_model* model = kit_model(24, NULL);
    for (int k = 0; k < 24; ++k) {
        lim_world* world = kit_world(NULL, 1);
        (void)kit_floor(world);
        float scale = 1e-3f;
        lim_body_desc desc = lim_body_desc_default();
        desc.model = model;
        desc.scale = scale;
        desc.position.y = 0.55e-3;
        desc.material = kind_material(desc.material);
        desc.material.restitution = 0.5f;
        float speed = k % 2 == 0 ? 1e6f : 1e5f;
        desc.velocity = (lim_vec3){speed, -speed, 0.0f};
        desc.angular_velocity = (lim_vec3){1e6f, 1e6f, 0.0f};
        lim_body one, two;
        lim_link link;
        CHECK(lim_body_create(world, &desc, &one) == LIM_OK);
        desc.velocity = (lim_vec3){0.0f, 0.0f, 0.0f};
        desc.position.x = 0.9e-3;
        if (k >= 8) {
            desc.position.x = 5.0;
        }
        CHECK(lim_body_create(world, &desc, &two) == LIM_OK);
        lim_link_desc tie = lim_link_desc_default();
        tie.body = one;
        tie.other = two;
        tie.size.x = scale;
        if (k / 2 % 2 == 0 && k < 8) {
            CHECK(lim_link_create(world, &tie, &link) == LIM_OK);
        }
        lim_pin_desc pin = lim_pin_desc_default();
        lim_pin held;
        pin.body = two;
        pin.position.x = desc.position.x;
        pin.size.x = scale;
        if (k / 4 % 2 == 0 && k < 8) {
            CHECK(lim_pin_create(world, &pin, &held) == LIM_OK);
        }
        lim_grab_desc hold = lim_grab_desc_default();
        lim_grab grab;
        hold.body = one;
        hold.hard = true;
        hold.force_limit = powf(10.0f, (float)(k % 13));
        if (k % 8 == 3 || k % 8 >= 6) {
            CHECK(lim_grab_create(world, &hold, &grab) == LIM_OK);
        }
        for (int i = 0; i < 8; ++i) {
            CHECK(lim_world_step(world, i == 5 ? 1.0f : 1.0f / 60.0f) == LIM_OK);
            restored += lim_world_get_report(world).bodies_restored;
            CHECK(comes_back(world));
        }
        CHECK(lim_body_destroy(world, one) == LIM_OK && lim_body_destroy(world, two) == LIM_OK);
        CHECK(comes_back(world));
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

/* A body that is turned again and again at the highest spin grows from step to step. Whether it has
 * flown apart is said at a step's end, never first by the load of what it was told since. */
static int apart; /* of all kinds */
static void what_flies_apart(void) {
    lim_model* model = kit_model(24, NULL);
    for (int k = 0; k < 6; ++k) {
        lim_world* world = kit_world(NULL, 1);
        lim_body body = make(world, model, 1.0f, (lim_point){0, 0, 0});
        lim_grab_desc desc = lim_grab_desc_default();
        lim_grab grab;
        desc.body = body;
        desc.hard = true;
        desc.radius = 0.5f;
        if (k >= 3) {
            CHECK(lim_grab_create(world, &desc, &grab) == LIM_OK);
        }
        const float dt[3] = {1.0f / 60.0f, 1.0f, 10.0f};
        for (int i = 0; i < 24; ++i) {
            lim_vec3 spin = {i % 2 == 0 ? 1e6f : 0.0f, i % 2 == 1 ? 1e6f : 0.0f, 0.0f};
            CHECK(lim_body_set_velocity(world, body, (lim_vec3){1e6f, 0, 0}, spin) == LIM_OK);
            CHECK(comes_back(world));
            CHECK(lim_world_step(world, dt[k % 3]) == LIM_OK);
            apart += lim_world_get_report(world).bodies_restored;
            CHECK(comes_back(world));
            CHECK(lim_body_wake(world, body) == LIM_OK);
        }
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

static void what_turned_non_finite_was_seen(void) {
    printf("  %d bodies went back, %d of them flown apart\n", restored + apart, apart);
    CHECK(restored > 0 && apart > 0);
}

TEST_SUITE(save_extremes) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(what_turned_non_finite);
        RUN(what_flies_apart);
        RUN(the_least_and_the_most_stiffness);
    }
    RUN(falls_from_the_strongest_gravity);
    RUN(grabs_of_the_heaviest_body);
    RUN(links_over_a_long_way);
    RUN(the_heaviest_body_hits_the_ground);
    RUN(what_turned_non_finite_was_seen);
    TEST_END();
}

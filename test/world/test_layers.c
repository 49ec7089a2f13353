/* SPDX-License-Identifier: MIT
 * Job: layers and masks of bodies and colliders. Who does not meet what lies below falls as a stone
 * falls; calls take effect on sleepers and on those that lie on them; all of it is state. And what
 * calls have set can be asked for.
 */
#include "world_kit.h"

/* A cube of a metre. */
static lim_model* cube_model(void) {
    static const double corners[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0,
                                       0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = 8;
    desc.positions = corners;
    desc.triangle_count = 12;
    desc.indices = faces;
    lim_model_desc how = lim_model_desc_default();
    how.node_count = 27;
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &how, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

static lim_body layered(lim_world* world, const lim_model* model, double y, uint32_t layer,
                        uint32_t mask) {
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position.y = y;
    desc.scale = 0.2f;
    desc.layer = layer;
    desc.mask = mask;
    desc.material.damping_time = 0.2f;
    lim_body made = {0};
    CHECK(lim_body_create(world, &desc, &made) == LIM_OK);
    return made;
}

static double height(const lim_world* world, lim_body b) {
    return motion_of(world, b).centre.y;
}

static void run_to_sleep(lim_world* world) {
    for (int k = 0; k < 600 && (k == 0 || lim_world_get_report(world).bodies_awake > 0); ++k) {
        kit_steps(world, 1);
    }
    CHECK(lim_world_get_report(world).bodies_awake == 0);
}

/* Both must want it. Half a second of free fall in substeps of h: g t (t + h) / 2. */
static void body_and_collider_meet_when_both_want(void) {
    static const struct {
        uint32_t body_layer, body_mask, layer, mask;
        bool meet;
    } rows[] = {
        {1, UINT32_MAX, 1, UINT32_MAX, true},
        {4, 2, 2, 4, true},
        {4, 2, 2, 1, false},
        {4, 1, 2, 4, false},
        {4, 0, 2, 4, false},
        {0, 2, 2, 4, false},
        {1, LIM_LAYER_COLLIDER, 0, 0, true}, /* 0: the descriptor's own */
        {2, UINT32_MAX, 1, 2, true},
    };
    lim_model* model = kit_model(40, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        lim_world* world = kit_world(NULL, 1);
        lim_collider_desc floor = lim_collider_desc_default();
        floor.layer = rows[i].layer != 0 ? rows[i].layer : floor.layer;
        floor.mask = rows[i].layer != 0 ? rows[i].mask : floor.mask;
        lim_collider id;
        CHECK(lim_collider_create(world, &floor, &id) == LIM_OK);
        lim_body b = layered(world, model, 0.15, rows[i].body_layer, rows[i].body_mask);
        kit_steps(world, 30);
        CHECK(rows[i].meet == (lim_world_get_report(world).contacts > 0));
        if (rows[i].meet) {
            CHECK(height(world, b) > 0.05);
        } else {
            CHECK_NEAR(height(world, b), 0.15 - 0.5 * 9.81 * 0.5 * (0.5 + 1.0 / 240.0), 1e-4);
        }
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

/* A body whose mask is the colliders' bit alone lies on the floor with another one in it. */
static void a_mask_for_colliders_alone(void) {
    lim_model* model = cube_model();
    lim_world* world = kit_world(NULL, 1);
    kit_floor(world);
    lim_body a = layered(world, model, 0.13, 1, LIM_LAYER_COLLIDER);
    lim_body b = layered(world, model, 0.5, 1, UINT32_MAX);
    run_to_sleep(world);
    CHECK(lim_world_get_report(world).body_contacts == 0);
    CHECK(fabs(height(world, a) - height(world, b)) < 0.01 && height(world, a) > 0.05);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Of two bodies that sleep on each other on a floor, the change of one wakes both; so does one of
 * the floor; and what is given back holds again. */
static void changes_wake_who_they_concern(void) {
    lim_model* model = cube_model();
    for (int which = 0; which < 3; ++which) {
        lim_world* world = kit_world(NULL, 1);
        lim_collider floor = kit_floor(world);
        lim_body low = layered(world, model, 0.13, 1, UINT32_MAX);
        lim_body high = layered(world, model, 0.33, 1, UINT32_MAX);
        lim_body apart = layered(world, model, 50.0, 1, UINT32_MAX);
        CHECK(lim_body_set_gravity_scale(world, apart, 0.0f) == LIM_OK);
        run_to_sleep(world);
        double was = height(world, high);
        CHECK(was > 0.2);
        if (which == 0) {
            CHECK(lim_body_set_layer(world, low, 1, 0) == LIM_OK);
        } else if (which == 1) {
            CHECK(lim_body_set_layer(world, high, 2, LIM_LAYER_COLLIDER) == LIM_OK);
        } else {
            CHECK(lim_collider_set_layer(world, floor, 1, 2) == LIM_OK);
        }
        kit_steps(world, 30);
        CHECK(height(world, high) < was - 0.05);
        CHECK((height(world, low) < -0.5) == (which != 1));
        CHECK(which == 2 ? height(world, high) < -0.5 : height(world, high) > 0.05);
        CHECK(which == 2 || motion_of(world, apart).asleep);
        if (which == 2) { /* above the floor again, it holds */
            CHECK(lim_collider_set_layer(world, floor, 1, UINT32_MAX) == LIM_OK);
            CHECK(lim_body_teleport(world, low, (lim_point){0, 0.2, 0}, (lim_quat){0, 0, 0, 1}) ==
                  LIM_OK);
            CHECK(lim_body_set_velocity(world, low, (lim_vec3){0}, (lim_vec3){0}) == LIM_OK);
            kit_steps(world, 60);
            CHECK(height(world, low) > 0.05);
        }
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

/* A collider that a sleeper does not meet may come and go without waking it. */
static void what_nobody_meets_wakes_nobody(void) {
    lim_model* model = kit_model(40, NULL);
    for (int meets = 0; meets < 2; ++meets) {
        lim_world* world = kit_world(NULL, 1);
        kit_floor(world);
        lim_body b = layered(world, model, 0.13, 1, LIM_LAYER_COLLIDER);
        run_to_sleep(world);
        uint64_t rest = lim_world_hash(world);
        lim_collider_desc desc = lim_collider_desc_default();
        desc.shape = LIM_SHAPE_SPHERE;
        desc.position = (lim_point){-1.5, 0.1, 0};
        desc.velocity = (lim_vec3){2, 0, 0};
        desc.layer = meets ? desc.layer : 2;
        lim_collider id;
        CHECK(lim_collider_create(world, &desc, &id) == LIM_OK);
        CHECK(lim_world_hash(world) != rest);
        for (int k = 0; k < 30; ++k) {
            kit_steps(world, 1);
            CHECK(meets || lim_world_get_report(world).bodies_awake == 0);
        }
        CHECK(motion_of(world, b).asleep == !meets);
        CHECK(lim_collider_move(world, id, (lim_point){0, 0.1, 0}, (lim_quat){0, 0, 0, 1},
                                (lim_vec3){0}, (lim_vec3){0}) == LIM_OK);
        CHECK(lim_collider_destroy(world, id) == LIM_OK);
        CHECK(motion_of(world, b).asleep == !meets);
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

/* Layers are hashed, saved, loaded, and restored by a snapshot; the way on is the same. */
static void layers_are_state(void) {
    lim_model* model = kit_model(40, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_collider floor = kit_floor(world);
    lim_body b = layered(world, model, 0.2, 1, UINT32_MAX);
    kit_steps(world, 3);
    uint64_t plain = lim_world_hash(world);
    lim_snapshot* shot = NULL;
    CHECK(lim_snapshot_create(world, &shot) == LIM_OK);
    CHECK(lim_body_set_layer(world, b, 6, 9) == LIM_OK);
    uint64_t of_body = lim_world_hash(world);
    CHECK(lim_collider_set_layer(world, floor, 8, 2) == LIM_OK);
    CHECK(of_body != plain && lim_world_hash(world) != of_body);
    size_t size = 0;
    CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK);
    void* bytes = malloc(size);
    CHECK(lim_world_save(world, bytes, size, &size) == LIM_OK);
    lim_world* other = NULL;
    CHECK(lim_world_load(bytes, size, 1, NULL, &other) == LIM_OK);
    free(bytes);
    lim_body_desc body;
    lim_collider_desc collider;
    CHECK(lim_body_get(other, b, &body) == LIM_OK && body.layer == 6 && body.mask == 9);
    CHECK(lim_collider_get(other, floor, &collider) == LIM_OK);
    CHECK(collider.layer == 8 && collider.mask == 2);
    kit_steps(world, 20);
    kit_steps(other, 20);
    CHECK(lim_world_hash(world) == lim_world_hash(other) && height(other, b) > 0.0);
    CHECK(lim_snapshot_restore(world, shot) == LIM_OK && lim_world_hash(world) == plain);
    CHECK(lim_body_get(world, b, &body) == LIM_OK && body.layer == 1 && body.mask == UINT32_MAX);
    CHECK(lim_collider_get(world, floor, &collider) == LIM_OK);
    CHECK(collider.layer == (1 | LIM_LAYER_COLLIDER) && collider.mask == UINT32_MAX);
    lim_snapshot_destroy(shot);
    lim_world_destroy(other);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* ---- what was set can be asked for ------------------------------------------------------------
 */

static void a_body_tells_its_settings(void) {
    lim_model* model = kit_model(60, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body b = layered(world, model, 2.0, 3, 5);
    int user = 0;
    lim_quat turn = {0.5f, 0.5f, -0.5f, 0.5f};
    CHECK(lim_body_set_gravity_scale(world, b, 0.25f) == LIM_OK);
    CHECK(lim_body_set_enabled(world, b, false) == LIM_OK);
    CHECK(lim_body_set_user(world, b, &user) == LIM_OK);
    CHECK(lim_body_teleport(world, b, (lim_point){1, 2, 3}, turn) == LIM_OK);
    CHECK(lim_body_set_velocity(world, b, (lim_vec3){1, -2, 3}, (lim_vec3){0.5f, 4, -1}) == LIM_OK);
    lim_body_desc got;
    CHECK(lim_body_get(world, b, &got) == LIM_OK);
    CHECK(got.cookie == lim_body_desc_default().cookie && got.model == NULL);
    CHECK(got.gravity_scale == 0.25f && !got.enabled && got.user == &user && got.scale == 0.2f);
    CHECK(got.layer == 3 && got.mask == 5 && !got.self_contact);
    CHECK(got.material.damping_time == 0.2f);
    CHECK_NEAR(got.position.x, 1, 1e-6);
    CHECK_NEAR(got.position.z, 3, 1e-6);
    CHECK_NEAR(fabs((double)(got.orientation.x * turn.x + got.orientation.y * turn.y +
                             got.orientation.z * turn.z + got.orientation.w * turn.w)),
               1, 1e-6);
    CHECK_NEAR(got.velocity.x, 1, 1e-5);
    CHECK_NEAR(got.velocity.y, -2, 1e-5);
    CHECK_NEAR(got.angular_velocity.x, 0.5, 1e-5);
    CHECK_NEAR(got.angular_velocity.y, 4, 1e-5);
    CHECK_NEAR(got.angular_velocity.z, -1, 1e-5);
    /* With a model it makes a twin. */
    got.model = model;
    lim_body twin;
    lim_body_desc again;
    CHECK(lim_body_create(world, &got, &twin) == LIM_OK);
    CHECK(lim_body_get(world, twin, &again) == LIM_OK);
    CHECK_NEAR(again.angular_velocity.y, 4, 1e-4);
    CHECK_NEAR(again.position.y, 2, 1e-6);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void a_world_tells_its_settings(void) {
    lim_world* world = kit_world(NULL, 1);
    lim_box box = {{-1, -2, -3}, {4, 5, 6}}, got;
    CHECK(!lim_world_get_range(world, &got) && got.upper.x == 0.0);
    CHECK(lim_world_set_range(world, &box) == LIM_OK);
    CHECK(lim_world_get_range(world, &got) && got.lower.y == -2.0 && got.upper.z == 6.0);
    CHECK(lim_world_get_range(world, NULL));
    CHECK(lim_world_set_range(world, NULL) == LIM_OK && !lim_world_get_range(world, &got));
    lim_wind wind = {{1, 2, 3}, 0.5f, 2.0f, 1.2f};
    CHECK(lim_world_get_wind(world).density == 0.0f);
    CHECK(lim_world_set_wind(world, wind) == LIM_OK);
    CHECK(lim_world_get_wind(world).velocity.z == 3.0f && lim_world_get_wind(world).gust == 0.5f);
    lim_world_detail detail = lim_world_detail_default();
    CHECK(lim_world_get_detail(world).work == detail.work);
    detail.eye.y = 7.0;
    detail.nodes = 1234;
    CHECK(lim_world_set_detail(world, &detail) == LIM_OK);
    CHECK(lim_world_get_detail(world).eye.y == 7.0 && lim_world_get_detail(world).nodes == 1234);
    CHECK(lim_world_get_wind(NULL).density == 0.0f && !lim_world_get_range(NULL, &got));
    CHECK(lim_world_get_detail(NULL).work == lim_world_detail_default().work);
    lim_world_destroy(world);
}

/* Factors as they were set, those of zones at the nodes they hold, and the model's own again. */
static void a_body_tells_its_stiffness(void) {
    lim_model* model = kit_model(60, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body b = kit_body(world, model, 0, 1);
    enum { MOST = 400 };
    int32_t nodes = lim_model_get_info(model).nodes;
    float set[MOST], got[MOST];
    CHECK(nodes <= MOST);
    for (int32_t i = 0; i < nodes; ++i) {
        set[i] = 1.0f + 0.25f * (float)(i % 7);
    }
    CHECK(lim_body_get_stiffness(world, b, got, nodes) == LIM_OK && got[0] == 1.0f);
    CHECK(lim_body_set_stiffness(world, b, set, nodes) == LIM_OK);
    CHECK(lim_body_get_stiffness(world, b, got, nodes) == LIM_OK);
    CHECK(memcmp(set, got, (size_t)nodes * sizeof(float)) == 0);
    CHECK(lim_body_get_stiffness(world, b, got, nodes + 1) == LIM_ERROR_ARGUMENT);
    lim_zone zone = lim_zone_default();
    zone.shape = LIM_SHAPE_SPHERE;
    zone.size.x = 100.0f;
    zone.stiffness = 3.0f;
    CHECK(lim_body_set_zones(world, b, &zone, 1) == LIM_OK);
    CHECK(lim_body_get_stiffness(world, b, got, nodes) == LIM_OK);
    CHECK_NEAR(got[nodes - 1], 3, 1e-6);
    CHECK(lim_body_set_zones(world, b, NULL, 0) == LIM_OK);
    CHECK(lim_body_get_stiffness(world, b, got, nodes) == LIM_OK && got[nodes - 1] == 1.0f);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

TEST_SUITE(world_layers) {
    TEST_BEGIN(argc, argv);
    RUN(body_and_collider_meet_when_both_want);
    RUN(a_mask_for_colliders_alone);
    RUN(changes_wake_who_they_concern);
    RUN(what_nobody_meets_wakes_nobody);
    RUN(layers_are_state);
    RUN(a_body_tells_its_settings);
    RUN(a_world_tells_its_settings);
    RUN(a_body_tells_its_stiffness);
    TEST_END();
}

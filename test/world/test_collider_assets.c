/* SPDX-License-Identifier: MIT
 * Hulls, meshes and height fields in a world: what is given comes back, saves, snapshots and
 * hashes, workers, failing memory, sleep, and bodies that lie across edges.
 */
#include "../core/shape_kit.h"
#include "world_kit.h"

enum { GIVEN = 4 };

static lim_collider_desc given(int which) {
    random_stream r = random_seed(3);
    lim_collider_desc d = lim_collider_desc_default();
    d.position = (lim_point){-4.0 + 2.5 * which, 0.0, 0.0};
    switch (which) {
    case 0:
        shape_hull(&d, &r, 40, (lim_vec3){1.0f, 0.4f, 1.0f});
        d.velocity = (lim_vec3){0.0f, 0.2f, 0.0f};
        break;
    case 1:
        shape_torus(&d, 0.7, 0.3, 16, 10);
        d.angular_velocity = (lim_vec3){0.0f, 1.0f, 0.3f};
        break;
    case 2:
        shape_sheet(&d, 2.2, 0.1, 10);
        break;
    default:
        shape_land(&d, 2.2, 0.1, 9, 12);
        break;
    }
    return d;
}

static lim_world* crowd(const lim_model* model, const lim_host* host, int32_t workers,
                        lim_collider out[GIVEN]) {
    lim_world* world = kit_world(host, workers);
    for (int k = 0; k < GIVEN; ++k) {
        lim_collider_desc d = given(k);
        CHECK(lim_collider_create(world, &d, &out[k]) == LIM_OK);
        kit_toy(world, model, d.position.x + 0.1, 1.0);
    }
    return world;
}

static void arrays_come_back(void) {
    lim_world* world = kit_world(NULL, 1);
    for (int k = 0; k < GIVEN; ++k) {
        lim_collider_desc d = given(k), got;
        lim_collider c;
        CHECK(lim_collider_create(world, &d, &c) == LIM_OK);
        CHECK(lim_collider_get(world, c, &got) == LIM_OK);
        CHECK(got.shape == d.shape && got.point_count == d.point_count &&
              (got.triangle_count == d.triangle_count || k == 0) && got.columns == d.columns &&
              got.rows == d.rows);
        CHECK(d.points == NULL ||
              (got.points != d.points &&
               memcmp(got.points, d.points, (size_t)d.point_count * sizeof *d.points) == 0));
        CHECK(d.indices == NULL ||
              memcmp(got.indices, d.indices, 12 * (size_t)d.triangle_count) == 0);
        CHECK(d.heights == NULL ||
              memcmp(got.heights, d.heights, 4 * (size_t)d.columns * (size_t)d.rows) == 0);
        lim_collider again; /* what was got makes the same again */
        CHECK(lim_collider_create(world, &got, &again) == LIM_OK);
    }
    lim_collider_desc bad = given(1);
    lim_collider none;
    bad.triangle_count = 0;
    CHECK(lim_collider_create(world, &bad, &none) == LIM_ERROR_ARGUMENT && none.generation == 0);
    lim_pin_desc pin = lim_pin_desc_default();
    lim_model* model = kit_model(40, NULL);
    pin.body = kit_toy(world, model, 0, 5);
    pin.shape = LIM_SHAPE_MESH;
    lim_pin held;
    CHECK(lim_pin_create(world, &pin, &held) == LIM_ERROR_ARGUMENT);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void saves_and_snapshots_step_on_alike(void) {
    lim_model* model = kit_model(60, NULL);
    lim_collider c[GIVEN];
    lim_world *world = crowd(model, NULL, 1, c), *loaded = NULL;
    kit_steps(world, 25);
    size_t size = 0;
    CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK);
    unsigned char* bytes = malloc(size);
    CHECK(lim_world_save(world, bytes, size, NULL) == LIM_OK);
    CHECK(lim_world_load(bytes, size, 1, NULL, &loaded) == LIM_OK);
    CHECK(lim_world_hash(loaded) == lim_world_hash(world));
    lim_snapshot* shot = NULL;
    CHECK(lim_snapshot_create(world, &shot) == LIM_OK);
    kit_steps(world, 30);
    kit_steps(loaded, 30);
    uint64_t later = lim_world_hash(world);
    CHECK(lim_world_hash(loaded) == later);
    for (int k = 0; k < GIVEN; ++k) { /* the snapshot holds what the world lets go of */
        CHECK(lim_collider_destroy(world, c[k]) == LIM_OK);
    }
    kit_steps(world, 3);
    CHECK(lim_snapshot_restore(world, shot) == LIM_OK);
    kit_steps(world, 30);
    CHECK(lim_world_hash(world) == later);
    /* Twice into the same world; and the content counts in the hash. */
    CHECK(lim_snapshot_restore(world, shot) == LIM_OK);
    CHECK(lim_snapshot_restore(world, shot) == LIM_OK);
    uint64_t hash = lim_world_hash(world);
    lim_snapshot_destroy(shot);
    lim_world_destroy(loaded);
    /* Bytes of the first asset's points: a world with another shape is another world. */
    lim_world *a = kit_world(NULL, 1), *b = kit_world(NULL, 1);
    lim_collider_desc d = given(3);
    lim_collider made;
    CHECK(lim_collider_create(a, &d, &made) == LIM_OK);
    shape_land_arrays.heights[5] += 0.001f;
    CHECK(lim_collider_create(b, &d, &made) == LIM_OK);
    CHECK(lim_world_hash(a) != lim_world_hash(b) && hash != 0);
    /* Damage anywhere is noticed or harmless. */
    random_stream r = random_seed(5);
    for (int k = 0; k < 300; ++k) {
        lim_world* other = NULL;
        size_t short_size = (size_t)random_index(&r, (int32_t)size);
        CHECK(lim_world_load(bytes, short_size, 1, NULL, &other) != LIM_OK && other == NULL);
    }
    lim_world_destroy(a);
    lim_world_destroy(b);
    lim_world_destroy(world);
    lim_model_destroy(model);
    free(bytes);
}

static void workers_do_not_matter(void) {
    lim_model* model = kit_model(60, NULL);
    uint64_t hash[3];
    for (int32_t w = 1; w <= 3; ++w) {
        lim_collider c[GIVEN];
        lim_world* world = crowd(model, NULL, w, c);
        kit_steps(world, 60);
        hash[w - 1] = lim_world_hash(world);
        lim_world_destroy(world);
    }
    CHECK(hash[0] == hash[1] && hash[1] == hash[2]);
    lim_model_destroy(model);
}

static void every_allocation_may_fail(void) {
    for (int k = 0; k < GIVEN; ++k) {
        lim_collider_desc d = given(k);
        failing_host f;
        failing_host_arm(&f, -1);
        lim_world* world = kit_world(&f.host, 1);
        int64_t held = f.held;
        uint64_t hash = lim_world_hash(world);
        for (int n = 0;; ++n) {
            lim_collider c;
            f.allocations = 0;
            f.fail_at = n;
            lim_result result = lim_collider_create(world, &d, &c);
            f.fail_at = -1;
            if (result == LIM_OK) {
                CHECK(n > 2);
                break;
            }
            CHECK(result == LIM_ERROR_MEMORY && lim_world_hash(world) == hash);
            CHECK(f.held <= held + 3); /* the table of colliders may have grown */
        }
        size_t size = 0;
        CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK);
        unsigned char* bytes = malloc(size);
        CHECK(lim_world_save(world, bytes, size, NULL) == LIM_OK);
        hash = lim_world_hash(world);
        lim_snapshot* shot = NULL;
        for (int n = 0; shot == NULL; ++n) {
            int64_t before = f.held;
            f.allocations = 0;
            f.fail_at = n;
            lim_result result = lim_snapshot_create(world, &shot);
            CHECK(result == LIM_OK || f.held == before);
        }
        f.fail_at = -1;
        lim_snapshot_destroy(shot);
        lim_world_destroy(world);
        CHECK(f.held == 0);
        for (int n = 0;; ++n) {
            failing_host_arm(&f, n);
            lim_result result = lim_world_load(bytes, size, 1, &f.host, &world);
            if (result == LIM_OK) {
                CHECK(lim_world_hash(world) == hash);
                lim_world_destroy(world);
                CHECK(f.held == 0);
                break;
            }
            CHECK(result == LIM_ERROR_MEMORY && f.held == 0);
        }
        free(bytes);
    }
}

/* A toy across the ridge of a roof, a hollow, and the inner edges of a flat floor of triangles: it
 * does not creep through, comes to rest, sleeps, and wakes when what it lies on begins to move. */
static void rests_across(int which) {
    static lim_vec3 roof[6] = {{-2, -0.2f, -2}, {0, 0, -2}, {2, -0.2f, -2},
                               {-2, -0.2f, 2},  {0, 0, 2},  {2, -0.2f, 2}};
    static const uint32_t faces[12] = {0, 3, 1, 1, 3, 4, 1, 4, 2, 2, 4, 5};
    lim_model* model = kit_model(60, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_collider_desc d = lim_collider_desc_default();
    d.shape = LIM_SHAPE_MESH;
    d.points = roof;
    d.point_count = 6;
    d.indices = faces;
    d.triangle_count = 4;
    d.friction = 1.0f;
    for (int k = 0; k < 6; ++k) {
        bool rim = k % 3 != 1;
        roof[k].y = !rim || which == 2 ? 0.0f : which == 0 ? -0.2f : 0.4f;
    }
    if (which == 3) {
        shape_land(&d, 4.0, 0.0, 25, 25);
    }
    lim_collider c;
    CHECK(lim_collider_create(world, &d, &c) == LIM_OK);
    lim_body b = kit_toy(world, model, 0.01, 0.16);
    lim_body_motion m = {0};
    int steps = 0;
    /* From a ridge a ball rolls down; elsewhere it comes to rest, as on a plane. */
    for (; steps < (which == 0 ? 90 : 2400) && !m.asleep; ++steps) {
        kit_steps(world, 1);
        CHECK(lim_body_get_motion(world, b, &m) == LIM_OK);
        double x = fabs(m.centre.x);
        double floor = which == 0 ? -0.1 * x : which == 1 ? 0.2 * x : 0.0;
        CHECK(m.centre.y > floor + 0.05 && m.centre.y < floor + 0.2 && x < 1.5);
    }
    CHECK(m.asleep || which == 0);
    CHECK(lim_collider_move(world, c, d.position, d.orientation, (lim_vec3){0, 0.1f, 0},
                            (lim_vec3){0, 0, 0}) == LIM_OK);
    CHECK(lim_body_get_motion(world, b, &m) == LIM_OK && !m.asleep);
    double before = m.centre.y;
    kit_steps(world, 60);
    CHECK(lim_body_get_motion(world, b, &m) == LIM_OK);
    CHECK(which == 0 || m.centre.y > before + 0.05);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void rests_on_a_ridge(void) {
    rests_across(0);
}
static void rests_in_a_hollow(void) {
    rests_across(1);
}
static void rests_on_inner_edges(void) {
    rests_across(2);
}
static void rests_on_a_height_field(void) {
    rests_across(3);
}

TEST_SUITE(collider_assets) {
    TEST_BEGIN(argc, argv);
    RUN(arrays_come_back);
    RUN(saves_and_snapshots_step_on_alike);
    RUN(workers_do_not_matter);
    RUN(every_allocation_may_fail);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(rests_on_a_ridge);
        RUN(rests_in_a_hollow);
        RUN(rests_on_inner_edges);
        RUN(rests_on_a_height_field);
    }
    TEST_END();
}

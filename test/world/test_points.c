/* SPDX-License-Identifier: MIT
 * Bodies of points through the public API, beside what holds for every kind (test_kinds.c): points
 * without a mesh and with one, what is refused, goals that change while a body moves, and that what
 * was saved goes on with the same bits in the middle of a recovery.
 */
#include "core/points_kit.h"
#include "world_kit.h"

static const lim_vec3 NO_GRAVITY = {0, 0, 0};

static lim_model* cloud_model(int32_t clusters) {
    const int32_t n[3] = {6, 5, 4};
    return lattice_model(n, 0.1, clusters, NULL);
}

static void points_need_no_mesh(void) {
    lim_model* model = cloud_model(4);
    lim_world* world = kit_world(NULL, 1);
    kit_floor(world);
    lim_body body = kit_body(world, model, 0.0, 0.6);
    lim_model_info info = lim_model_get_info(model);
    CHECK(info.kind == LIM_KIND_POINTS && info.nodes == 120 && info.regions == 4);
    lim_skin_view skin;
    CHECK(lim_body_get_skin(world, body, &skin) == LIM_OK);
    CHECK(skin.vertex_count == 120 && skin.triangle_count == 0);
    /* It falls, and rests on the floor. */
    kit_steps(world, 300);
    lim_body_motion motion;
    CHECK(lim_body_get_motion(world, body, &motion) == LIM_OK);
    CHECK(motion.centre.y > 0.1 && motion.centre.y < 0.25 && motion.bounds.lower.y > -0.02);
    CHECK_NEAR(motion.volume, info.volume, 0.1 * info.volume);
    /* The skin is where the nodes are. */
    double at[3 * 120];
    CHECK(lim_body_get_nodes(world, body, at, NULL, 120) == LIM_OK);
    CHECK(lim_body_get_skin(world, body, &skin) == LIM_OK);
    for (int32_t i = 0; i < 120; ++i) {
        CHECK_NEAR(skin.origin.x + (double)skin.positions[3 * i], at[3 * i], 1e-5);
    }
    /* Rays pass, nothing is nearest; pins, grabs and impulses take points. */
    lim_hit hit;
    CHECK(lim_world_pick(world, p3(0, 5, 0), (lim_vec3){0, -1, 0}, 100.0, &hit) == LIM_OK);
    CHECK(hit.triangle < 0 && hit.body.generation == 0);
    CHECK(lim_body_closest_point(world, body, p3(0, 1, 0), &hit) == LIM_OK && hit.triangle < 0);
    lim_grab_desc g = lim_grab_desc_default();
    lim_grab grab;
    g.body = body;
    g.point = p3(0.25, 0.4, 0.15);
    CHECK(lim_grab_create(world, &g, &grab) == LIM_OK);
    CHECK(lim_grab_move(world, grab, p3(0.3, 1.5, 0.2)) == LIM_OK);
    CHECK(lim_body_apply_impulse(world, body, p3(0, 1, 0), (lim_vec3){0, 5, 0}) == LIM_OK);
    lim_pin_desc p = lim_pin_desc_default();
    lim_pin pin;
    p.body = body;
    p.shape = LIM_SHAPE_SPHERE;
    p.size = (lim_vec3){0.2f, 0, 0};
    p.position = p3(at[0], at[1], at[2]);
    CHECK(lim_pin_create(world, &p, &pin) == LIM_OK && lim_pin_node_count(world, pin) > 0);
    CHECK(lim_world_set_wind(world, (lim_wind){{5, 0, 0}, 0.5f, 1, 1.2f}) == LIM_OK);
    kit_steps(world, 120);
    CHECK(lim_body_get_motion(world, body, &motion) == LIM_OK);
    CHECK(motion.bounds.upper.y > 0.5 && !motion.frozen);
    /* Drawing and strain. */
    float strain[120];
    CHECK(lim_body_get_strain(world, body, strain, 120) == LIM_OK && isfinite(strain[7]));
    int32_t lines = 0, points = 0;
    CHECK(lim_body_debug_draw(world, body, 31, 0, p3(0, 0, 0), NULL, 0, &lines, NULL, 0, &points) ==
          LIM_OK);
    CHECK(lines > 0 && points > 120);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void one_point_is_a_body(void) {
    const double place[3] = {1, 2, 3};
    lim_model_desc desc = lim_model_desc_default();
    lim_model* model = NULL;
    desc.kind = LIM_KIND_POINTS;
    desc.points = place;
    desc.point_count = 1;
    CHECK(lim_model_create(NULL, &desc, NULL, &model) == LIM_OK);
    lim_world* world = kit_world(NULL, 1);
    lim_body body = kit_body(world, model, 0.0, 1.0);
    kit_steps(world, 60);
    lim_body_motion motion;
    CHECK(lim_body_get_motion(world, body, &motion) == LIM_OK);
    CHECK_NEAR(motion.centre.y, 1.0 - 0.5 * 9.81, 0.1);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static lim_result try_points(const double* points, int32_t count, int32_t clusters, lim_kind kind,
                             const lim_mesh* mesh) {
    lim_model_desc desc = lim_model_desc_default();
    lim_model* model = NULL;
    desc.kind = kind;
    desc.points = points;
    desc.point_count = count;
    desc.clusters = clusters;
    lim_result result = lim_model_create(mesh, &desc, NULL, &model);
    lim_model_destroy(model);
    return result;
}

static void bad_points_are_refused(void) {
    const double good[6] = {0, 0, 0, 0.1, 0.1, 0.1}, bad[6] = {0, 0, 0, NAN, 0, 0};
    const double huge[6] = {0, 0, 0, INFINITY, 0, 0}, far[6] = {0, 0, 0, 1e6, 0, 0};
    lim_mesh* mesh = NULL;
    CHECK(kit_mesh(NULL, &mesh) == LIM_OK);
    CHECK(try_points(good, 2, 1, LIM_KIND_POINTS, NULL) == LIM_OK);
    CHECK(try_points(good, 2, 1, LIM_KIND_POINTS, mesh) == LIM_OK);
    CHECK(try_points(NULL, 0, 1, LIM_KIND_POINTS, mesh) == LIM_OK);
    CHECK(try_points(NULL, 0, 1, LIM_KIND_POINTS, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(try_points(good, 0, 1, LIM_KIND_POINTS, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(try_points(good, -1, 1, LIM_KIND_POINTS, mesh) == LIM_ERROR_ARGUMENT);
    CHECK(try_points(bad, 2, 1, LIM_KIND_POINTS, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(try_points(huge, 2, 1, LIM_KIND_POINTS, mesh) == LIM_ERROR_ARGUMENT);
    CHECK(try_points(far, 2, 1, LIM_KIND_POINTS, mesh) == LIM_ERROR_ARGUMENT);
    CHECK(try_points(good, 2, 0, LIM_KIND_POINTS, mesh) == LIM_ERROR_ARGUMENT);
    CHECK(try_points(good, 2, 5000, LIM_KIND_POINTS, mesh) == LIM_ERROR_ARGUMENT);
    CHECK(try_points(good, 2, 1, LIM_KIND_OCTREE, mesh) == LIM_ERROR_ARGUMENT);
    CHECK(try_points(good, 2, 1, LIM_KIND_OCTREE, NULL) == LIM_ERROR_ARGUMENT);
    lim_mesh_destroy(mesh);
}

static void goals_have_their_ranges_and_kinds(void) {
    lim_model *tree = kit_model(60, NULL), *cloud = cloud_model(2);
    lim_world* world = kit_world(NULL, 1);
    lim_body a = kit_body(world, tree, 0, 1), b = kit_body(world, cloud, 2, 1);
    const struct {
        int goal;
        float beta, alpha;
        bool tree, cloud;
    } row[] = {{LIM_GOAL_RIGID, 0.5f, 0, true, true},
               {LIM_GOAL_LINEAR, 1, 1, true, true},
               {LIM_GOAL_QUADRATIC, 0, 0, false, true},
               {3, 0.5f, 0, false, false},
               {-1, 0.5f, 0, false, false},
               {LIM_GOAL_LINEAR, 1.1f, 0, false, false},
               {LIM_GOAL_LINEAR, NAN, 0, false, false},
               {LIM_GOAL_RIGID, 0.5f, 1.5f, false, false},
               {LIM_GOAL_RIGID, 0.5f, -1, false, false}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
        lim_material m = lim_material_default(), got;
        m.goal = (lim_goal)row[i].goal;
        m.beta = row[i].beta;
        m.alpha = row[i].alpha;
        CHECK((lim_body_set_material(world, a, &m) == LIM_OK) == row[i].tree);
        CHECK((lim_body_set_material(world, b, &m) == LIM_OK) == row[i].cloud);
        CHECK(lim_body_get_material(world, b, &got) == LIM_OK);
        CHECK(!row[i].cloud || got.goal == m.goal);
        lim_body_desc desc = lim_body_desc_default();
        lim_body made = {0};
        desc.model = tree;
        desc.material = m;
        CHECK((lim_body_create(world, &desc, &made) == LIM_OK) == row[i].tree);
        if (row[i].tree) {
            CHECK(lim_body_destroy(world, made) == LIM_OK);
        }
    }
    lim_world_destroy(world);
    lim_model_destroy(tree);
    lim_model_destroy(cloud);
}

/* Linear goals over an octree keep its volume better, and its momentum as well. */
static void linear_goals_serve_an_octree(void) {
    double off[2];
    for (int linear = 0; linear < 2; ++linear) {
        lim_material m = lim_material_default();
        m.goal = linear ? LIM_GOAL_LINEAR : LIM_GOAL_RIGID;
        m.beta = 0.9f;
        lim_model* model = kit_model(300, NULL);
        toy t = toy_of_model(model, 1.2, &m, NO_GRAVITY, 4, 1);
        lim_body_motion rest, motion;
        CHECK(lim_body_get_motion(t.world, t.body, &rest) == LIM_OK);
        lim_collider_desc c = lim_collider_desc_default();
        c.shape = LIM_SHAPE_BOX;
        c.size = (lim_vec3){3, 1, 3};
        for (int k = 0; k < 2; ++k) {
            lim_collider plate;
            c.position = p3(0, k == 0 ? 1.62 : -1.62, 0);
            c.velocity = (lim_vec3){0, k == 0 ? -0.1f : 0.1f, 0};
            CHECK(lim_collider_create(t.world, &c, &plate) == LIM_OK);
        }
        for (int k = 0; k < 120; ++k) {
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
        }
        CHECK(lim_body_get_motion(t.world, t.body, &motion) == LIM_OK);
        off[linear] = fabs(motion.volume / rest.volume - 1.0);
        toy_free(&t);
    }
    CHECK(off[1] < 0.5 * off[0]);
}

/* Flat, lost and guided: saved in the middle, it goes on with the same bits. */
static void recovery_goes_on_after_loading(void) {
    for (int goal = LIM_GOAL_RIGID; goal <= LIM_GOAL_QUADRATIC; ++goal) {
        lim_model* model = cloud_model(5);
        lim_material m = lim_material_default();
        m.goal = (lim_goal)goal;
        m.beta = 0.7f;
        toy t = toy_of_model(model, 0.5, &m, NO_GRAVITY, 4, 1);
        kit_floor(t.world);
        toy_read(&t);
        for (int32_t i = 0; i < t.nodes; ++i) {
            t.x[3 * i + 1] = 0.3 + 0.01 * t.x[3 * i + 1];
        }
        toy_write(&t);
        for (int k = 0; k < 120; ++k) {
            if (k % 8 == 3) {
                size_t size = 0;
                CHECK(lim_world_save(t.world, NULL, 0, &size) == LIM_OK);
                unsigned char* bytes = malloc(size);
                CHECK(lim_world_save(t.world, bytes, size, &size) == LIM_OK);
                lim_world* again = NULL;
                CHECK(lim_world_load(bytes, size, 1, NULL, &again) == LIM_OK);
                free(bytes);
                CHECK(lim_world_hash(again) == lim_world_hash(t.world));
                for (int step = 0; step < 3; ++step) {
                    CHECK(lim_world_step(again, 1.0f / 60) == LIM_OK);
                    CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
                }
                CHECK(lim_world_hash(again) == lim_world_hash(t.world));
                lim_world_destroy(again);
            }
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
        }
        toy_free(&t);
    }
}

TEST_SUITE(world_points) {
    TEST_BEGIN(argc, argv);
    RUN(points_need_no_mesh);
    RUN(one_point_is_a_body);
    RUN(bad_points_are_refused);
    RUN(goals_have_their_ranges_and_kinds);
    RUN(linear_goals_serve_an_octree);
    RUN(recovery_goes_on_after_loading);
    TEST_END();
}

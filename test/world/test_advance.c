/* SPDX-License-Identifier: MIT
 * Time: advance takes the same steps as step and shows skins between them; the report; colliders
 * that move by themselves; sleep and what wakes.
 */
#include "world_kit.h"

static void advance_takes_the_same_steps(void) {
    lim_model* model = kit_model(80, NULL);
    kit_scene s = kit_everything(model, model, NULL, 1);
    kit_scene t = kit_everything(model, model, NULL, 1);
    const float frames[] = {0.001f, 0.02f, 0.05f, 0.0f, 1.0f / 60.0f, 0.031f, 0.0007f, 0.04f};
    double given = 0.0;
    int taken = 0;
    for (int i = 0; i < 64; ++i) {
        int32_t steps = -1;
        given += (double)frames[i % 8];
        CHECK(lim_world_advance(s.world, frames[i % 8], &steps) == LIM_OK);
        CHECK(steps >= 0 && steps <= 4);
        taken += steps;
        kit_steps(t.world, steps);
        double left = given - taken / 60.0;
        CHECK(left > -1e-5 && left < 1.0 / 60.0 + 1e-5);
        lim_step_report a = lim_world_get_report(s.world), b = lim_world_get_report(t.world);
        CHECK(a.tick == b.tick && a.time == b.time && a.tick == (uint64_t)taken);
        lim_body_motion x, y;
        CHECK(lim_body_get_motion(s.world, s.body[1], &x) == LIM_OK);
        CHECK(lim_body_get_motion(t.world, t.body[1], &y) == LIM_OK);
        CHECK(memcmp(&x.centre, &y.centre, sizeof x.centre) == 0 && x.kinetic == y.kinetic);
    }
    CHECK(taken > 50);
    lim_world_destroy(s.world);
    lim_world_destroy(t.world);
    lim_model_destroy(model);
}

static void advance_drops_time_beyond_its_limit(void) {
    lim_model* model = kit_model(20, NULL);
    lim_world* world = kit_world(NULL, 1);
    kit_body(world, model, 0, 5);
    int32_t steps = 0;
    CHECK(lim_world_advance(world, 10.0f, &steps) == LIM_OK);
    CHECK(steps == 4);
    CHECK(lim_world_advance(world, 0.0f, &steps) == LIM_OK);
    CHECK(steps == 0); /* the rest is gone, not owed */
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Without anything to hit, a falling skin lies at the blend of the last two steps. */
static void interpolated_skins_lie_between_the_last_two(void) {
    lim_model* model = kit_model(60, NULL);
    lim_world *world = kit_world(NULL, 1), *twin = kit_world(NULL, 1);
    lim_body b = kit_body(world, model, 10000.0, 5), c = kit_body(twin, model, 10000.0, 5);
    CHECK(lim_body_set_velocity(world, b, (lim_vec3){30, 0, 0}, (lim_vec3){0, 0, 3}) == LIM_OK);
    CHECK(lim_body_set_velocity(twin, c, (lim_vec3){30, 0, 0}, (lim_vec3){0, 0, 3}) == LIM_OK);
    int32_t count = lim_model_get_surface(model).vertex_count;
    double* last[2] = {malloc(24u * (size_t)count), malloc(24u * (size_t)count)};
    for (int i = 0; i < 40; ++i) {
        kit_steps(twin, 1);
        lim_skin_view v;
        CHECK(lim_body_get_skin(twin, c, &v) == LIM_OK);
        double* to = last[i % 2];
        for (int32_t k = 0; k < count; ++k) {
            to[3 * k] = v.origin.x + (double)v.positions[3 * k];
            to[3 * k + 1] = v.origin.y + (double)v.positions[3 * k + 1];
            to[3 * k + 2] = v.origin.z + (double)v.positions[3 * k + 2];
        }
    }
    /* 40 steps and a quarter. */
    double dt = (double)(1.0f / 60.0f);
    for (int i = 0; i < 20; ++i) {
        CHECK(lim_world_advance(world, 1.0f / 30.0f, NULL) == LIM_OK);
    }
    CHECK(lim_world_advance(world, (float)(0.25 * dt), NULL) == LIM_OK);
    lim_skin_view v;
    CHECK(lim_body_get_skin(world, b, &v) == LIM_OK);
    double worst = 0.0, moved = 0.0;
    for (int32_t k = 0; k < 3 * count; ++k) {
        const double* origin = &v.origin.x;
        double at = origin[k % 3] + (double)v.positions[k];
        double expected = last[0][k] + 0.25 * (last[1][k] - last[0][k]);
        worst = fabs(at - expected) > worst ? fabs(at - expected) : worst;
        moved = fabs(last[1][k] - last[0][k]) > moved ? fabs(last[1][k] - last[0][k]) : moved;
    }
    CHECK(moved > 0.4);
    CHECK(worst < 2e-6);
    for (int32_t k = 0; k < count; ++k) {
        const float* n = v.normals + 3 * k;
        CHECK_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-4);
    }
    /* The copy for the caller shows the same. */
    float* copy = malloc(20u * (size_t)count);
    lim_point origin = {10000.0, 0, 0};
    CHECK(lim_body_write_skin(world, b, origin, copy, 20, NULL, 0, count) == LIM_OK);
    for (int32_t k = 0; k < count; ++k) {
        double x = v.origin.x - origin.x + (double)v.positions[3 * k];
        CHECK_NEAR(copy[5 * k], x, 1e-5);
    }
    free(copy);
    /* A step shows the step itself again; a teleport shows no blend with the place before. */
    kit_steps(world, 1);
    CHECK(lim_world_advance(world, 0.0f, NULL) == LIM_OK);
    CHECK(lim_body_teleport(world, b, (lim_point){0, 50, 0}, (lim_quat){0, 0, 0, 1}) == LIM_OK);
    CHECK(lim_world_advance(world, 0.001f, NULL) == LIM_OK);
    CHECK(lim_body_get_skin(world, b, &v) == LIM_OK);
    for (int32_t k = 0; k < count; ++k) {
        CHECK(fabs(v.origin.y + (double)v.positions[3 * k + 1] - 50.0) < 1.0);
    }
    free(last[0]);
    free(last[1]);
    lim_world_destroy(world);
    lim_world_destroy(twin);
    lim_model_destroy(model);
}

static void a_view_lives_until_the_second_next_step(void) {
    lim_model* model = kit_model(40, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body b = kit_body(world, model, 0, 5);
    kit_steps(world, 3);
    lim_skin_view v;
    CHECK(lim_body_get_skin(world, b, &v) == LIM_OK);
    size_t bytes = 12u * (size_t)v.vertex_count;
    float* copy = malloc(bytes);
    memcpy(copy, v.positions, bytes);
    kit_steps(world, 1);
    CHECK(memcmp(copy, v.positions, bytes) == 0);
    for (int k = 0; k < 3; ++k) {
        CHECK(lim_world_advance(world, 0.01f, NULL) == LIM_OK);
        CHECK(lim_body_get_skin(world, b, &v) == LIM_OK);
        memcpy(copy, v.positions, bytes);
        CHECK(lim_world_advance(world, 0.01f, NULL) == LIM_OK);
        CHECK(memcmp(copy, v.positions, bytes) == 0);
    }
    free(copy);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void colliders_move_by_themselves(void) {
    lim_world* world = kit_world(NULL, 1);
    lim_collider_desc desc = lim_collider_desc_default();
    desc.shape = LIM_SHAPE_BOX;
    desc.position = (lim_point){1, 2, 3};
    desc.velocity = (lim_vec3){0.5f, -1.0f, 2.0f};
    desc.angular_velocity = (lim_vec3){0, 3.14159265f, 0};
    lim_collider c;
    CHECK(lim_collider_create(world, &desc, &c) == LIM_OK);
    kit_steps(world, 30);
    CHECK(lim_collider_get(world, c, &desc) == LIM_OK);
    CHECK_NEAR(desc.position.x, 1.25, 1e-6);
    CHECK_NEAR(desc.position.y, 1.5, 1e-6);
    CHECK_NEAR(desc.position.z, 4.0, 1e-6);
    CHECK_NEAR(desc.orientation.y, sqrt(0.5), 1e-5); /* a quarter turn */
    CHECK_NEAR(desc.orientation.w, sqrt(0.5), 1e-5);
    lim_vec3 still = {0};
    CHECK(lim_collider_move(world, c, (lim_point){9, 9, 9}, (lim_quat){0, 0, 0, 2}, still, still) ==
          LIM_OK);
    kit_steps(world, 5);
    CHECK(lim_collider_get(world, c, &desc) == LIM_OK);
    CHECK(desc.position.x == 9.0 && desc.orientation.w == 1.0f);
    lim_world_destroy(world);
}

static bool asleep(const lim_world* world, lim_body b) {
    return motion_of(world, b).asleep;
}

/* Weightless and back at rest, a body sleeps after half a second. */
static void fall_asleep(lim_world* world, lim_body b) {
    CHECK(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}) == LIM_OK);
    CHECK(lim_body_reset(world, b) == LIM_OK);
    for (int i = 0; i < 60 && !asleep(world, b); ++i) {
        kit_steps(world, 1);
    }
    CHECK(asleep(world, b));
}

static void sleepers_wake_for_what_concerns_them(void) {
    lim_model* model = kit_model(40, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body b = kit_toy(world, model, 0, 0.2);
    fall_asleep(world, b);
    lim_step_report r = lim_world_get_report(world);
    CHECK(r.bodies == 1 && r.bodies_awake == 0 && r.nodes_awake == 0 && r.nodes > 0);
    uint64_t before = lim_world_hash(world);
    int32_t nodes = lim_model_get_info(model).nodes;
    double *x = malloc(24u * (size_t)nodes), *y = malloc(24u * (size_t)nodes);
    CHECK(lim_body_get_nodes(world, b, x, NULL, nodes) == LIM_OK);
    kit_steps(world, 10);
    CHECK(lim_body_get_nodes(world, b, y, NULL, nodes) == LIM_OK);
    CHECK(memcmp(x, y, 24u * (size_t)nodes) == 0); /* nothing moves in its sleep */
    CHECK(lim_world_hash(world) != before);        /* but the clock does */

    /* A collider far away changes nothing, moving or not; one that comes near wakes. */
    lim_collider_desc desc = lim_collider_desc_default();
    desc.shape = LIM_SHAPE_SPHERE;
    desc.size.x = 0.1f;
    desc.position = (lim_point){20, 0.2, 0};
    lim_collider ball;
    CHECK(lim_collider_create(world, &desc, &ball) == LIM_OK);
    kit_steps(world, 1);
    CHECK(asleep(world, b));
    CHECK(lim_collider_move(world, ball, (lim_point){5, 0.2, 0}, (lim_quat){0, 0, 0, 1},
                            (lim_vec3){-4, 0, 0}, (lim_vec3){0}) == LIM_OK);
    kit_steps(world, 5);
    CHECK(asleep(world, b));
    int i = 5;
    while (i < 100 && asleep(world, b)) {
        kit_steps(world, 1);
        ++i;
    }
    CHECK(i > 60 && i < 73); /* touches after (5 - 0.1 - 0.1) / 4 * 60 = 72 steps, not before */
    CHECK(lim_collider_destroy(world, ball) == LIM_OK);

    /* A floor that comes or goes under it; one far below does not matter. */
    desc = lim_collider_desc_default();
    desc.position = (lim_point){0, -5, 0};
    fall_asleep(world, b);
    lim_collider deep;
    CHECK(lim_collider_create(world, &desc, &deep) == LIM_OK);
    CHECK(asleep(world, b));
    CHECK(lim_collider_destroy(world, deep) == LIM_OK);
    CHECK(asleep(world, b));
    desc.position = (lim_point){0, 0.08, 0};
    lim_collider floor;
    CHECK(lim_collider_create(world, &desc, &floor) == LIM_OK);
    CHECK(!asleep(world, b));
    fall_asleep(world, b);
    CHECK(lim_collider_destroy(world, floor) == LIM_OK);
    CHECK(!asleep(world, b));

    /* What the caller changes. */
    lim_grab_desc g = lim_grab_desc_default();
    g.body = b;
    g.point = (lim_point){0, 2, 0};
    lim_pin_desc p = lim_pin_desc_default();
    p.body = b;
    p.position = (lim_point){0, 0.2, 0};
    lim_grab grab = {0};
    lim_pin pin = {0};
    lim_material m = lim_material_default();
    for (int what = 0; what < 14; ++what) {
        fall_asleep(world, b);
        lim_result result = LIM_OK;
        switch (what) {
        case 0:
            result = lim_world_set_gravity(world, (lim_vec3){0, -5, 0});
            break;
        case 1:
            result = lim_body_apply_impulse(world, b, g.point, (lim_vec3){0.1f, 0, 0});
            break;
        case 2:
            result = lim_body_set_material(world, b, &m);
            break;
        case 3:
            result = lim_body_set_nodes(world, b, y, NULL, nodes);
            break;
        case 4:
            result = lim_body_set_velocity(world, b, (lim_vec3){1, 0, 0}, (lim_vec3){0});
            break;
        case 5:
            result = lim_body_teleport(world, b, (lim_point){1, 1, 1}, (lim_quat){0, 0, 0, 1});
            break;
        case 6:
            result = lim_body_set_gravity_scale(world, b, 1.0f);
            break;
        case 7:
            result = lim_world_set_wind(world, (lim_wind){{1, 0, 0}, 0, 1, 1.2f});
            break;
        case 8:
            result = lim_pin_create(world, &p, &pin);
            break;
        case 9:
            result = lim_pin_move(world, pin, p.position, (lim_quat){0, 0, 0, 1});
            break;
        case 10:
            result = lim_pin_destroy(world, pin);
            break;
        case 11:
            result = lim_body_wake(world, b);
            break;
        case 12:
            result = lim_body_set_enabled(world, b, true);
            break;
        default:
            result = lim_grab_create(world, &g, &grab);
            break;
        }
        CHECK(result == LIM_OK);
        if (asleep(world, b)) {
            printf("  change %d did not wake\n", what);
            CHECK(false);
        }
        CHECK(lim_world_set_wind(world, (lim_wind){{0, 0, 0}, 0, 1, 0}) == LIM_OK);
    }
    /* A body that is held does not sleep. */
    kit_steps(world, 100);
    CHECK(!asleep(world, b));
    free(x);
    free(y);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static double fake_time;
static double fake_now(void* user) {
    (void)user;
    return fake_time += 0.001;
}

static void the_report_adds_up(void) {
    lim_host host = {.now = fake_now};
    lim_model* model = kit_model(80, NULL);
    kit_scene s = kit_everything(model, model, &host, 1);
    kit_everything_steps(&s, 0, 20);
    lim_step_report r = lim_world_get_report(s.world);
    CHECK(r.bodies == 3 && r.bodies_awake == 3 && r.nodes == 3 * lim_model_get_info(model).nodes);
    CHECK(r.nodes_awake == r.nodes && r.contacts > 0 && r.substeps_most >= 4);
    CHECK(r.tick == 20 && fabs(r.time - 20.0 / 60.0) < 1e-6);
    double parts = r.frames + r.contact_find + r.sums + r.regions + r.goals + r.integrate +
                   r.contact_solve + r.tools + r.skin;
    CHECK(r.total > 0.0 && parts > 0.5 * r.total && parts < r.total);
    CHECK(r.sums > 0 && r.regions > 0 && r.goals > 0 && r.integrate > 0 && r.skin > 0);
    CHECK(r.bodies_restored == 0);
    lim_world_destroy(s.world);
    lim_model_destroy(model);
}

TEST_SUITE(world_advance) {
    TEST_BEGIN(argc, argv);
    RUN(advance_takes_the_same_steps);
    RUN(advance_drops_time_beyond_its_limit);
    RUN(interpolated_skins_lie_between_the_last_two);
    RUN(a_view_lives_until_the_second_next_step);
    RUN(colliders_move_by_themselves);
    RUN(sleepers_wake_for_what_concerns_them);
    RUN(the_report_adds_up);
    TEST_END();
}

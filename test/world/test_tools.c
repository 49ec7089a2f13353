/* SPDX-License-Identifier: MIT
 * Pins, grabs, impulses, whole-body moves and motion against what can be computed by hand.
 */
#include "world_kit.h"

static lim_body_motion motion(const lim_world* world, lim_body b) {
    lim_body_motion m = {0};
    CHECK(lim_body_get_motion(world, b, &m) == LIM_OK);
    return m;
}

static lim_world* weightless(void) {
    lim_world* world = kit_world(NULL, 1);
    CHECK(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}) == LIM_OK);
    return world;
}

static void motion_is_what_was_set(void) {
    lim_model* model = kit_model(300, NULL);
    lim_world* world = weightless();
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = (lim_point){10000.0, 3.0, -5.0};
    desc.orientation = (lim_quat){0.1f, 0.7f, -0.2f, 0.6f};
    desc.scale = 2.0f;
    desc.material.density = 500.0f;
    desc.velocity = (lim_vec3){1, 2, 3};
    desc.angular_velocity = (lim_vec3){0, 2, 0};
    lim_body b;
    CHECK(lim_body_create(world, &desc, &b) == LIM_OK);
    lim_model_info info = lim_model_get_info(model);
    lim_body_motion m = motion(world, b);
    double mass = info.volume * 8.0 * 500.0;
    CHECK_NEAR(m.mass / mass, 1.0, 1e-6);
    CHECK_NEAR(m.centre.x, 10000.0, 1e-6);
    CHECK_NEAR(m.centre.y, 3.0, 1e-6);
    CHECK_NEAR(m.momentum[0] / mass, 1.0, 1e-5);
    CHECK_NEAR(m.momentum[1] / mass, 2.0, 1e-5);
    CHECK_NEAR(m.momentum[2] / mass, 3.0, 1e-5);
    CHECK(m.angular_momentum[1] > 0.1 * mass);
    CHECK(m.strain < 1e-5);
    CHECK_NEAR(m.potential, 0.0, 1e-9);
    CHECK(m.speed > sqrt(14.0) && m.speed < 10.0);
    double n = sqrt(0.01 + 0.49 + 0.04 + 0.36);
    double dot = (0.1 * (double)m.orientation.x + 0.7 * (double)m.orientation.y -
                  0.2 * (double)m.orientation.z + 0.6 * (double)m.orientation.w) /
                 n;
    CHECK_NEAR(fabs(dot), 1.0, 1e-6);
    /* The ball's skin is closed: its volume is that of the polyhedron, near the ellipsoid's. */
    CHECK(m.volume > 0.8 * info.volume * 8.0 && m.volume < 1.2 * info.volume * 8.0);
    CHECK(m.bounds.lower.x < 10000.0 && m.bounds.upper.x > 10000.0);
    CHECK(m.bounds.upper.y - m.bounds.lower.y > 1.9 && m.bounds.upper.y - m.bounds.lower.y < 2.5);

    /* Free flight keeps momentum; the centre moves by v t. */
    kit_steps(world, 60);
    lim_body_motion after = motion(world, b);
    CHECK_NEAR(after.centre.x, 10001.0, 1e-3);
    CHECK_NEAR(after.centre.y, 5.0, 1e-3);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(after.momentum[k] / mass, m.momentum[k] / mass, 1e-4);
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void teleport_reset_and_velocity(void) {
    lim_model* model = kit_model(120, NULL);
    lim_world* world = kit_world(NULL, 1);
    kit_floor(world);
    lim_body b = kit_body(world, model, 0, 0.8);
    kit_steps(world, 25); /* squashed on the floor */
    lim_body_motion before = motion(world, b);
    lim_quat turn = {0.0f, 0.0f, 0.70710678f, 0.70710678f};
    CHECK(lim_body_teleport(world, b, (lim_point){5, 6, 7}, turn) == LIM_OK);
    lim_body_motion m = motion(world, b);
    CHECK_NEAR(m.centre.x, 5.0, 1e-5);
    CHECK_NEAR(m.centre.y, 6.0, 1e-5);
    CHECK_NEAR(m.centre.z, 7.0, 1e-5);
    CHECK_NEAR(fabs((double)m.orientation.z), 0.70710678, 1e-4);
    CHECK_NEAR(m.strain, before.strain, 1e-4);
    CHECK_NEAR(m.kinetic, before.kinetic, 1e-4 * (1.0 + before.kinetic));
    CHECK(fabs(m.bounds.upper.x - 5.0) < 1.0); /* the skin came along */
    CHECK(lim_body_reset(world, b) == LIM_OK);
    m = motion(world, b);
    CHECK_NEAR(m.centre.y, 0.8, 1e-6);
    CHECK(m.kinetic == 0.0 && m.strain < 1e-6);
    CHECK(lim_body_set_velocity(world, b, (lim_vec3){0, 4, 0}, (lim_vec3){0, 0, 1}) == LIM_OK);
    m = motion(world, b);
    CHECK_NEAR(m.momentum[1] / m.mass, 4.0, 1e-5);
    CHECK(m.angular_momentum[2] > 0.0);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void an_impulse_is_the_change_of_momentum(void) {
    lim_model* model = kit_model(200, NULL);
    lim_world* world = weightless();
    lim_body b = kit_body(world, model, 0, 0);
    lim_vec3 push = {3, -2, 1};
    CHECK(lim_body_apply_impulse(world, b, (lim_point){0, 2, 0}, push) == LIM_OK);
    lim_body_motion m = motion(world, b);
    CHECK_NEAR(m.momentum[0], 3.0, 1e-4);
    CHECK_NEAR(m.momentum[1], -2.0, 1e-4);
    CHECK_NEAR(m.momentum[2], 1.0, 1e-4);
    /* At the top of the ball, 0.6 above the centre: r x J. */
    CHECK_NEAR(m.angular_momentum[0], 0.6, 1e-3);
    CHECK_NEAR(m.angular_momentum[1], 0.0, 1e-3);
    CHECK_NEAR(m.angular_momentum[2], -1.8, 1e-3);
    kit_steps(world, 60);
    lim_body_motion later = motion(world, b);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(later.momentum[k], m.momentum[k], 1e-3);
        CHECK_NEAR(later.angular_momentum[k], m.angular_momentum[k], 5e-3);
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Wherever it hits, on slivers too, an impulse moves a patch of two and a half cells as one. */
static void an_impulse_throws_no_node(void) {
    lim_model* model = kit_model(600, NULL);
    lim_model_nodes rest = lim_model_get_nodes(model);
    for (int k = 0; k < 40; ++k) {
        lim_world* world = weightless();
        lim_body b = kit_body(world, model, 0, 0);
        double up = cos(0.37 * k), out = sqrt(1.0 - up * up);
        lim_point far = {3.0 * out * sin(0.7 * k), 3.0 * up, 3.0 * out * cos(0.7 * k)};
        lim_hit hit;
        CHECK(lim_body_closest_point(world, b, far, &hit) == LIM_OK);
        double patch = 0.0;
        for (int32_t i = 0; i < rest.count; ++i) {
            double x = (double)rest.x[i] - hit.point.x, y = (double)rest.y[i] - hit.point.y;
            double z = (double)rest.z[i] - hit.point.z, reach = 2.5 * (double)rest.side[i];
            patch += x * x + y * y + z * z < reach * reach ? 1000.0 * (double)rest.volume[i] : 0.0;
        }
        lim_vec3 push = {70.0f * (float)sin(k), 70.0f * (float)cos(k), 20.0f};
        CHECK(lim_body_apply_impulse(world, b, far, push) == LIM_OK);
        lim_body_motion m = motion(world, b);
        double size = sqrt(70.0 * 70.0 + 20.0 * 20.0);
        CHECK_NEAR(m.momentum[0], (double)push.x, 1e-3);
        CHECK_NEAR(m.momentum[1], (double)push.y, 1e-3);
        CHECK_NEAR(m.momentum[2], (double)push.z, 1e-3);
        CHECK(m.speed > size / patch && m.speed < 6.0 * size / patch);
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

static void an_impulse_leaves_pinned_nodes_alone(void) {
    lim_model* model = kit_model(200, NULL);
    lim_world* world = weightless();
    lim_body b = kit_body(world, model, 0, 0);
    lim_pin_desc desc = lim_pin_desc_default();
    desc.body = b;
    desc.shape = LIM_SHAPE_BOX;
    desc.size = (lim_vec3){1, 0.2f, 1};
    desc.position = (lim_point){0, 0.5, 0};
    lim_pin pin;
    CHECK(lim_pin_create(world, &desc, &pin) == LIM_OK);
    CHECK(lim_body_apply_impulse(world, b, (lim_point){3, 0.3, 0}, (lim_vec3){-9, 2, 0}) == LIM_OK);
    int32_t n = lim_model_get_info(model).nodes, moving = 0;
    double* x = malloc(24u * (size_t)n);
    float* v = malloc(12u * (size_t)n);
    CHECK(lim_body_get_nodes(world, b, x, v, n) == LIM_OK);
    for (int32_t i = 0; i < n; ++i) {
        bool moves = v[3 * i] != 0.0f || v[3 * i + 1] != 0.0f || v[3 * i + 2] != 0.0f;
        moving += moves;
        CHECK(!moves || fabs(x[3 * i + 1] - 0.5) > 0.2);
    }
    CHECK(moving > 0);
    CHECK(motion(world, b).momentum[0] > -9.0); /* the pin took its share */
    free(x);
    free(v);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void nodes_go_in_and_come_out(void) {
    lim_model* model = kit_model(100, NULL);
    lim_world* world = weightless();
    lim_body b = kit_body(world, model, 3, 4);
    int32_t n = lim_model_get_info(model).nodes;
    double *x = malloc(24u * (size_t)n), *y = malloc(24u * (size_t)n);
    float *v = malloc(12u * (size_t)n), *w = malloc(12u * (size_t)n);
    CHECK(lim_body_get_nodes(world, b, x, v, n) == LIM_OK);
    lim_model_nodes rest = lim_model_get_nodes(model);
    CHECK(rest.count == n);
    for (int32_t i = 0; i < n; ++i) {
        CHECK_NEAR(x[3 * i], 3.0 + (double)rest.x[i], 1e-6);
        CHECK_NEAR(x[3 * i + 1], 4.0 + (double)rest.y[i], 1e-6);
        x[3 * i] += 0.01 * sin(i);
        x[3 * i + 2] *= 1.1;
        v[3 * i + 1] = (float)(0.1 * i);
    }
    CHECK(lim_body_set_nodes(world, b, x, v, n) == LIM_OK);
    CHECK(lim_body_get_nodes(world, b, y, w, n) == LIM_OK);
    for (int32_t i = 0; i < 3 * n; ++i) {
        CHECK_NEAR(x[i], y[i], 1e-6);
        CHECK_NEAR(v[i], w[i], 1e-5);
    }
    free(x);
    free(y);
    free(v);
    free(w);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Pinned nodes are where the frame puts them, whatever pulls. */
static void pins_carry_their_nodes(void) {
    lim_model* model = kit_model(200, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body b = kit_body(world, model, 0, 0);
    int32_t n = lim_model_get_info(model).nodes;
    double *x = malloc(24u * (size_t)n), *y = malloc(24u * (size_t)n);
    CHECK(lim_body_get_nodes(world, b, x, NULL, n) == LIM_OK);
    lim_pin_desc desc = lim_pin_desc_default();
    desc.body = b;
    desc.shape = LIM_SHAPE_BOX;
    desc.size = (lim_vec3){1, 0.2f, 1};
    desc.position = (lim_point){0, 0.5, 0};
    lim_pin pin;
    CHECK(lim_pin_create(world, &desc, &pin) == LIM_OK);
    int32_t inside = 0;
    for (int32_t i = 0; i < n; ++i) {
        inside += fabs(x[3 * i + 1] - 0.5) <= 0.2;
    }
    CHECK(inside > 0 && inside < n && lim_pin_node_count(world, pin) == inside);
    for (int k = 1; k <= 90; ++k) {
        double a = 0.5 * k / 60.0; /* turns about y and travels */
        lim_point at = {0.3 * sin(a), 0.5 + 0.2 * a, 0};
        lim_quat turn = {0, (float)sin(0.5 * a), 0, (float)cos(0.5 * a)};
        CHECK(lim_pin_move(world, pin, at, turn) == LIM_OK);
        kit_steps(world, 1);
        CHECK(lim_body_get_nodes(world, b, y, NULL, n) == LIM_OK);
        for (int32_t i = 0; i < n; ++i) {
            if (fabs(x[3 * i + 1] - 0.5) <= 0.2) {
                double c = cos(a), s = sin(a), px = x[3 * i], pz = x[3 * i + 2];
                CHECK_NEAR(y[3 * i], at.x + c * px + s * pz, 1e-5);
                CHECK_NEAR(y[3 * i + 1], at.y + x[3 * i + 1] - 0.5, 1e-5);
                CHECK_NEAR(y[3 * i + 2], -s * px + c * pz, 1e-5);
            }
        }
    }
    /* It hangs, it does not fall; without the pin it does. */
    double hanging = motion(world, b).centre.y;
    CHECK(hanging > -0.5);
    CHECK(lim_pin_destroy(world, pin) == LIM_OK);
    kit_steps(world, 60);
    CHECK(motion(world, b).centre.y < hanging - 3.0);
    free(x);
    free(y);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static lim_grab take(lim_world* world, lim_body b, lim_point at, float radius, float stiffness,
                     float limit) {
    lim_grab_desc desc = lim_grab_desc_default();
    desc.body = b;
    desc.point = at;
    desc.radius = radius;
    desc.stiffness = stiffness;
    desc.force_limit = limit;
    lim_grab grab = {0};
    CHECK(lim_grab_create(world, &desc, &grab) == LIM_OK);
    return grab;
}

static void a_grab_follows_its_target_in_a_tenth_of_a_second(void) {
    lim_model* model = kit_model(150, NULL);
    const float radii[2] = {0.0f, 0.3f};
    for (int r = 0; r < 2; ++r) {
        lim_world* world = weightless();
        lim_body b = kit_body(world, model, 0, 0);
        lim_grab grab = take(world, b, (lim_point){0, 3, 0}, radii[r], 0, 0);
        lim_point held;
        lim_load load;
        CHECK(lim_grab_get_load(world, grab, &load) == LIM_OK);
        CHECK(lim_grab_get_point(world, grab, &held) == LIM_OK);
        CHECK_NEAR(held.x, 0.0, 1e-5);
        CHECK_NEAR(held.y, 0.6, 1e-5);
        CHECK(load.force.y == 0.0f);
        kit_steps(world, 5); /* nothing pulls yet */
        CHECK(motion(world, b).speed < 1e-4);
        CHECK(lim_grab_move(world, grab, (lim_point){0, 1.1, 0}) == LIM_OK);
        kit_steps(world, 1);
        CHECK(lim_grab_get_load(world, grab, &load) == LIM_OK);
        CHECK(lim_grab_get_point(world, grab, &held) == LIM_OK);
        CHECK(load.force.y < 0.0f && held.y < 1.1);
        double highest = 0.0, centre = 0.0;
        for (int i = 0; i < 120; ++i) {
            kit_steps(world, 1);
            CHECK(lim_grab_get_point(world, grab, &held) == LIM_OK);
            centre += motion(world, b).centre.y / 120.0;
            highest = held.y > highest ? held.y : highest;
            if (i == 17) { /* 0.3 s: nearly there */
                CHECK_NEAR(held.y, 1.1, 0.1);
            }
        }
        CHECK_NEAR(held.y, 1.1, 0.025);
        CHECK(highest < 1.2);           /* no great overshoot */
        CHECK_NEAR(centre, 0.5, 0.125); /* it came along and swings about its place */
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

/* How far a node's displacement from `rest` is from the mean of its neighbours', in cells, less the
 * mean stretch (relative displacement along edges): the worst. */
static double worst_stray(const lim_model_nodes* g, const double* rest, const double* now) {
    double* sum = calloc((size_t)g->count, 4 * sizeof(double));
    double mean = 0.0, worst = 0.0;
    for (int32_t e = 0; e < g->edge_count; ++e) {
        int32_t a = g->edges[2 * e], b = g->edges[2 * e + 1];
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double ua = now[3 * a + k] - rest[3 * a + k], ub = now[3 * b + k] - rest[3 * b + k];
            sum[4 * a + k] += ub;
            sum[4 * b + k] += ua;
            square += (ua - ub) * (ua - ub);
        }
        sum[4 * a + 3] += 1.0;
        sum[4 * b + 3] += 1.0;
        mean += sqrt(square) / (double)g->side[a] / g->edge_count;
    }
    for (int32_t i = 0; i < g->count; ++i) {
        double square = 0.0;
        for (int k = 0; k < 3 && sum[4 * i + 3] > 0.0; ++k) {
            double u = now[3 * i + k] - rest[3 * i + k] - sum[4 * i + k] / sum[4 * i + 3];
            square += u * u;
        }
        double stray = sqrt(square) / (double)g->side[i] - mean;
        worst = stray > worst ? stray : worst;
    }
    free(sum);
    return worst;
}

/* A jelly that sits on its pinned foot, pulled up by a quarter of its height. */
static void a_grab_pulls_out_no_spike(void) {
    const int32_t sizes[3] = {150, 300, 600};
    for (int s = 0; s < 3; ++s) {
        lim_model* model = kit_model(sizes[s], NULL);
        lim_model_nodes g = lim_model_get_nodes(model);
        lim_world* world = kit_world(NULL, 1);
        lim_body b = kit_body(world, model, 0, 0);
        lim_pin_desc desc = lim_pin_desc_default();
        desc.body = b;
        desc.shape = LIM_SHAPE_BOX;
        desc.size = (lim_vec3){1, 0.2f, 1};
        desc.position = (lim_point){0, -0.5, 0};
        lim_pin pin;
        CHECK(lim_pin_create(world, &desc, &pin) == LIM_OK);
        kit_steps(world, 60);
        double *rest = malloc(24u * (size_t)g.count), *now = malloc(24u * (size_t)g.count);
        CHECK(lim_body_get_nodes(world, b, rest, NULL, g.count) == LIM_OK);
        lim_grab grab = take(world, b, (lim_point){0.2, 3, 0.1}, 0, 0, 0);
        lim_point from, held;
        CHECK(lim_grab_get_point(world, grab, &from) == LIM_OK);
        for (int i = 0; i < 60; ++i) {
            double way = i < 30 ? i / 30.0 : 1.0;
            lim_point to = {from.x + 0.1 * way, from.y + 0.25 * way, from.z};
            CHECK(lim_grab_move(world, grab, to) == LIM_OK);
            kit_steps(world, 1);
            CHECK(lim_body_get_nodes(world, b, now, NULL, g.count) == LIM_OK);
            CHECK(worst_stray(&g, rest, now) < 0.5);
        }
        CHECK(lim_grab_get_point(world, grab, &held) == LIM_OK);
        CHECK_NEAR(held.y, from.y + 0.25, 0.03);
        free(rest);
        free(now);
        lim_world_destroy(world);
        lim_model_destroy(model);
    }
}

/* A gust moves the light nodes of the surface with the others and not faster than the air. */
static void wind_throws_no_node(void) {
    lim_model* model = kit_model(300, NULL);
    lim_world* world = weightless();
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.material.density = 20.0f;
    lim_body b;
    CHECK(lim_body_create(world, &desc, &b) == LIM_OK);
    CHECK(lim_world_set_wind(world, (lim_wind){{30, 0, 0}, 0, 1, 1.2f}) == LIM_OK);
    double most = 0.0;
    for (int i = 0; i < 30; ++i) {
        kit_steps(world, 1);
        lim_body_motion now = motion(world, b);
        most = now.speed > most ? now.speed : most;
        CHECK(now.speed < 4.0 * now.momentum[0] / now.mass);
    }
    lim_body_motion m = motion(world, b);
    CHECK(m.momentum[0] / m.mass > 5.0 && most < 30.0);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* At rest on a grab the mean force is the weight. */
static void a_grab_feels_the_weight(void) {
    lim_model* model = kit_model(150, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body b = kit_toy(world, model, 0, 0);
    lim_grab grab = take(world, b, (lim_point){0, 3, 0}, 0.08f, 0, 0);
    kit_steps(world, 1200);
    lim_load load;
    CHECK(lim_grab_get_load(world, grab, &load) == LIM_OK);
    double weight = motion(world, b).mass * 9.81;
    CHECK_NEAR((double)load.force.y / weight, -1.0, 0.02);
    CHECK(fabs((double)load.force.x) < 0.02 * weight && fabs((double)load.force.z) < 0.02 * weight);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void any_stiffness_and_step_is_stable(void) {
    lim_model* model = kit_model(60, NULL);
    const float stiffness[4] = {1.0f, 1e4f, 1e8f, 1e12f};
    const float steps[3] = {0.001f, 1.0f / 60.0f, 0.1f};
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            lim_world* world = weightless();
            lim_body b = kit_body(world, model, 0, 0);
            lim_grab grab = take(world, b, (lim_point){0, 3, 0}, 0.2f, stiffness[i], 0);
            CHECK(lim_grab_move(world, grab, (lim_point){1, 2, 0}) == LIM_OK);
            /* The target jumps 1.72 m within one step: nothing has to be much faster than that. */
            double most = 2.5 * 1.72 / (double)steps[k];
            for (int n = 0; n < 200; ++n) {
                CHECK(lim_world_step(world, steps[k]) == LIM_OK);
                lim_body_motion m = motion(world, b);
                CHECK(!m.frozen && isfinite(m.kinetic) && m.speed < most);
            }
            CHECK(motion(world, b).speed < 0.5 * most);
            CHECK(lim_world_get_report(world).bodies_restored == 0);
            lim_world_destroy(world);
        }
    }
    lim_model_destroy(model);
}

static void a_force_limit_holds(void) {
    lim_model* model = kit_model(60, NULL);
    lim_world* world = weightless();
    lim_body b = kit_body(world, model, 0, 0);
    lim_grab grab = take(world, b, (lim_point){0, 3, 0}, 0.3f, 0, 50.0f);
    CHECK(lim_grab_move(world, grab, (lim_point){0, 100, 0}) == LIM_OK);
    double before = motion(world, b).momentum[1];
    for (int i = 0; i < 20; ++i) {
        kit_steps(world, 1);
        lim_load load;
        CHECK(lim_grab_get_load(world, grab, &load) == LIM_OK);
        lim_vec3 f = load.force;
        CHECK_NEAR(sqrt((double)(f.x * f.x + f.y * f.y + f.z * f.z)), 50.0, 0.01);
        /* Newton: the change of momentum is force times time. */
        double now = motion(world, b).momentum[1];
        CHECK_NEAR(now - before, 50.0 / 60.0, 0.01);
        before = now;
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void strain_is_zero_at_rest_and_sees_stretch_but_no_rotation(void) {
    lim_model* model = kit_model(200, NULL);
    lim_world* world = weightless();
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.orientation = (lim_quat){0.5f, 0.5f, 0.1f, 0.7f};
    lim_body b;
    CHECK(lim_body_create(world, &desc, &b) == LIM_OK);
    int32_t n = lim_model_get_info(model).nodes;
    int32_t count = lim_model_get_surface(model).vertex_count;
    float* strain = malloc(sizeof(float) * (size_t)count);
    CHECK(lim_body_get_strain(world, b, strain, count) == LIM_OK);
    for (int32_t i = 0; i < count; ++i) {
        CHECK_NEAR(strain[i], 0.0, 1e-5);
    }
    double* x = malloc(24u * (size_t)n);
    CHECK(lim_body_get_nodes(world, b, x, NULL, n) == LIM_OK);
    for (int32_t i = 0; i < n; ++i) {
        x[3 * i] *= 1.1; /* 10 % along world x */
    }
    CHECK(lim_body_set_nodes(world, b, x, NULL, n) == LIM_OK);
    CHECK(lim_body_get_strain(world, b, strain, count) == LIM_OK);
    for (int32_t i = 0; i < count; ++i) {
        CHECK_NEAR(strain[i], 0.1, 0.002);
    }
    free(x);
    free(strain);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void debug_lists_have_what_they_promise(void) {
    lim_model* model = kit_model(80, NULL);
    lim_world* world = kit_world(NULL, 1);
    kit_floor(world);
    lim_body b = kit_body(world, model, 0, 0.6);
    kit_steps(world, 10);
    lim_model_info info = lim_model_get_info(model);
    int32_t lines = -1, points = -1;
    lim_point o = {0, 0, 0};
    CHECK(lim_body_debug_draw(world, b, LIM_DEBUG_NODES, 0, o, NULL, 0, &lines, NULL, 0, &points) ==
          LIM_OK);
    CHECK(lines == 0 && points == info.nodes);
    CHECK(lim_body_debug_draw(world, b, LIM_DEBUG_CELLS, 0, o, NULL, 0, &lines, NULL, 0, &points) ==
          LIM_OK);
    CHECK(lines == 12 * info.nodes && points == 0);
    CHECK(lim_body_debug_draw(world, b, LIM_DEBUG_GRAPH, 0, o, NULL, 0, &lines, NULL, 0, NULL) ==
          LIM_OK);
    CHECK(lines == info.edges && lines == lim_model_get_nodes(model).edge_count);
    CHECK(lim_body_debug_draw(world, b, LIM_DEBUG_REGION, 3, o, NULL, 0, NULL, NULL, 0, &points) ==
          LIM_OK);
    CHECK(points == lim_model_get_region(model, 3, NULL, NULL, 0) && points > 1);
    CHECK(lim_body_debug_draw(world, b, LIM_DEBUG_CONTACTS, 0, o, NULL, 0, &lines, NULL, 0, NULL) ==
          LIM_OK);
    CHECK(lines > 0);
    lim_debug_line line[4];
    lim_debug_point point[3];
    memset(point, 0, sizeof point);
    CHECK(lim_body_debug_draw(world, b, LIM_DEBUG_NODES | LIM_DEBUG_CONTACTS, 0, o, line, 4, &lines,
                              point, 2, &points) == LIM_OK);
    CHECK(points == info.nodes && point[2].size == 0.0f && point[1].size > 0.0f);
    double* x = malloc(24u * (size_t)info.nodes);
    CHECK(lim_body_get_nodes(world, b, x, NULL, info.nodes) == LIM_OK);
    CHECK_NEAR(point[1].at.x, x[3], 1e-5);
    CHECK_NEAR(point[1].at.y, x[4], 1e-5);
    CHECK(line[0].b.y > line[0].a.y); /* contact normals of a floor point up */
    free(x);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

TEST_SUITE(world_tools) {
    TEST_BEGIN(argc, argv);
    RUN(motion_is_what_was_set);
    RUN(teleport_reset_and_velocity);
    RUN(an_impulse_is_the_change_of_momentum);
    RUN(an_impulse_throws_no_node);
    RUN(an_impulse_leaves_pinned_nodes_alone);
    RUN(nodes_go_in_and_come_out);
    RUN(pins_carry_their_nodes);
    RUN(a_grab_follows_its_target_in_a_tenth_of_a_second);
    RUN(a_grab_pulls_out_no_spike);
    RUN(wind_throws_no_node);
    RUN(a_grab_feels_the_weight);
    RUN(any_stiffness_and_step_is_stable);
    RUN(a_force_limit_holds);
    RUN(strain_is_zero_at_rest_and_sees_stretch_but_no_rotation);
    RUN(debug_lists_have_what_they_promise);
    TEST_END();
}

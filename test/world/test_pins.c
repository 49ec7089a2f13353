/* SPDX-License-Identifier: MIT
 * Pins as bones: hard ones against the exact place of their frames, soft ones against a mass on a
 * damped spring by hand, both against Newton: what a pin says it put on the body is what changed
 * the body's momentum.
 */
#include "world_kit.h"

#include "core/physics_kit.h"

/* What the pin puts on the body. */
static void get_pin(const lim_world* world, lim_pin pin, lim_vec3* force, lim_vec3* torque) {
    lim_load load;
    CHECK(lim_pin_get_load(world, pin, &load) == LIM_OK);
    *force = v3_scale(load.force, -1.0f);
    if (torque != NULL) {
        *torque = v3_scale(load.torque, -1.0f);
    }
}

static const lim_vec3 NO_GRAVITY = {0, 0, 0}, GRAVITY = {0, -9.81f, 0};

static lim_body_motion toy_motion(const toy* t) {
    lim_body_motion m = {0};
    CHECK(lim_body_get_motion(t->world, t->body, &m) == LIM_OK);
    return m;
}

static lim_pin pin_box(const toy* t, lim_point at, lim_vec3 half, float stiffness) {
    lim_pin_desc desc = lim_pin_desc_default();
    desc.body = t->body;
    desc.shape = LIM_SHAPE_BOX;
    desc.position = at;
    desc.size = half;
    desc.stiffness = stiffness;
    lim_pin pin = {0};
    CHECK(lim_pin_create(t->world, &desc, &pin) == LIM_OK);
    return pin;
}

static toy stiff_box(lim_vec3 gravity, int32_t substeps) {
    lim_material m = lim_material_default();
    m.young = 2e5f;
    return toy_box((const int32_t[3]){8, 4, 4}, 0.05, p3(0, 0, 0), &m, gravity, substeps, 1);
}

/* Two bones that turn and travel against each other, near and 10 km away. */
static void hard_pins_have_their_nodes_exactly_in_the_frame(void) {
    const lim_point places[2] = {{0, 0, 0}, {10000, -200, 3000}};
    const int32_t substeps[4] = {1, 3, 4, 7};
    for (int run = 0; run < 8; ++run) {
        lim_point o = places[run % 2];
        lim_material m = lim_material_default();
        toy t = toy_box((const int32_t[3]){8, 4, 4}, 0.05, o, &m, GRAVITY, substeps[run / 2], 1);
        lim_point at[2] = {p3_add(o, p3(-0.15, 0, 0)), p3_add(o, p3(0.15, 0, 0))};
        lim_vec3 half = {0.051f, 1, 1};
        lim_pin pin[2] = {pin_box(&t, at[0], half, 0), pin_box(&t, at[1], half, 0)};
        CHECK(lim_pin_node_count(t.world, pin[0]) == 32);
        for (int step = 1; step <= 80; ++step) {
            lim_point to[2];
            dquat turn[2];
            for (int k = 0; k < 2; ++k) {
                double a = 0.03 * step * (k ? 1.0 : -0.7);
                turn[k] = dquat_unit((dquat){0.3 * a, 0.5 * a, -0.4 * a, 1.0});
                to[k] = p3_add(at[k], p3(0.001 * step, 0.1 * trig_sin(a), -0.1 * a));
                CHECK(lim_pin_move(t.world, pin[k], to[k], quat_of(turn[k])) == LIM_OK);
            }
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
            toy_read(&t);
            double worst = 0.0;
            for (int32_t i = 0; i < t.nodes; ++i) {
                int k = t.rest[3 * i] > 0.1 ? 1 : t.rest[3 * i] < -0.1 ? 0 : -1;
                if (k >= 0) {
                    lim_point rest = p3(t.rest[3 * i], t.rest[3 * i + 1], t.rest[3 * i + 2]);
                    lim_point arm = p3_sub(p3_add(o, rest), at[k]);
                    lim_point want = p3_add(to[k], dquat_rotate(dquat_of(quat_of(turn[k])), arm));
                    lim_point is = p3(t.x[3 * i], t.x[3 * i + 1], t.x[3 * i + 2]);
                    double off = p3_length(p3_sub(is, want));
                    worst = off > worst ? off : worst;
                }
            }
            CHECK(worst < 3e-7); /* floats of a body of 0.4 m */
        }
        toy_free(&t);
    }
}

/* A bar that hangs by one end, hard and soft: force = weight, torque = the weight's about the
 * frame's origin. */
static void a_pin_reads_the_weight(void) {
    const float stiffness[3] = {0, 3000, 1e8f};
    for (int k = 0; k < 3; ++k) {
        toy t = stiff_box(GRAVITY, 4);
        lim_pin pin = pin_box(&t, p3(-0.2, 0.05, 0), (lim_vec3){0.06f, 1, 1}, stiffness[k]);
        for (int step = 0; step < 900; ++step) {
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
        }
        lim_vec3 force, torque;
        get_pin(t.world, pin, &force, &torque);
        lim_body_motion m = toy_motion(&t);
        double weight = 9.81 * m.mass, arm = m.centre.x + 0.2;
        CHECK_NEAR((double)force.y / weight, 1.0, 0.002);
        CHECK(fabs((double)force.x) < 0.002 * weight && fabs((double)force.z) < 0.002 * weight);
        CHECK_NEAR((double)torque.z / (weight * arm), 1.0, 0.005);
        CHECK(fabs((double)torque.x) < 0.005 * weight * arm);
        /* Asleep, it still holds that weight. */
        lim_vec3 still;
        get_pin(t.world, pin, &still, NULL);
        CHECK(still.y == force.y);
        toy_free(&t);
    }
}

/* Mass-weighted mean of how far the nodes with rest x below `below` have sunk. */
static double sunk(toy* t, double below) {
    double sum = 0.0, mass = 0.0;
    toy_read(t);
    for (int32_t i = 0; i < t->nodes; ++i) {
        if (t->rest[3 * i] < below) {
            sum += (double)t->mass[i] * (t->rest[3 * i + 1] - t->x[3 * i + 1]);
            mass += (double)t->mass[i];
        }
    }
    return sum / mass;
}

static void a_soft_pin_sinks_by_weight_over_stiffness(void) {
    for (int whole = 0; whole < 2; ++whole) {
        toy t = stiff_box(GRAVITY, 4);
        double weight = 9.81 * toy_motion(&t).mass, below = whole ? 1.0 : 0.0;
        pin_box(&t, p3(whole ? 0 : -0.5, 0, 0), (lim_vec3){whole ? 1 : 0.5f, 1, 1}, 4000);
        for (int step = 0; step < 600; ++step) {
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
        }
        CHECK_NEAR(sunk(&t, below) / (weight / 4000), 1.0, 0.002);
        toy_free(&t);
    }
}

/* x(t) = x0 (1 + w t) exp(-w t), w = sqrt(k / m); at rest in a frame that flies on, nothing. */
static void a_soft_pin_is_critically_damped(void) {
    lim_material m = lim_material_default();
    m.damping_time = 0.0f; /* which would fade beside the pin's motion too */
    toy t = toy_box((const int32_t[3]){8, 4, 4}, 0.05, p3(0, 0, 0), &m, NO_GRAVITY, 4, 1);
    double mass = toy_motion(&t).mass, rate = 12.0;
    lim_pin pin = pin_box(&t, p3(0, 0, 0), (lim_vec3){1, 1, 1}, (float)(mass * rate * rate));
    toy_read(&t);
    for (int32_t i = 0; i < t.nodes; ++i) {
        t.x[3 * i + 1] += 0.1;
    }
    toy_write(&t);
    for (int step = 1; step <= 600; ++step) {
        CHECK(lim_world_step(t.world, 0.001f) == LIM_OK);
        double time = 0.001 * step, by_hand = 0.1 * (1 + rate * time) * trig_exp(-rate * time);
        CHECK_NEAR(toy_motion(&t).centre.y, by_hand, 1e-3 * 0.1 + 2e-6);
    }
    CHECK(lim_body_set_velocity(t.world, t.body, (lim_vec3){2, 0, 0}, NO_GRAVITY) == LIM_OK);
    toy_read(&t);
    for (int32_t i = 0; i < 3 * t.nodes; ++i) {
        t.x[i] = t.rest[i];
    }
    toy_write(&t);
    for (int step = 1; step <= 60; ++step) {
        lim_point to = {2.0 / 60 * step, 0, 0};
        CHECK(lim_pin_move(t.world, pin, to, (lim_quat){0, 0, 0, 1}) == LIM_OK);
        CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
        CHECK_NEAR(toy_motion(&t).centre.x, to.x, 1e-5);
    }
    toy_free(&t);
}

/* Where nodes are after a bone has turned and travelled, with the given stiffness. */
static double* after_a_swing(float stiffness, int32_t* out_count) {
    toy t = stiff_box(GRAVITY, 4);
    lim_pin pin = pin_box(&t, p3(-0.2, 0, 0), (lim_vec3){0.11f, 1, 1}, stiffness);
    for (int step = 1; step <= 60; ++step) {
        double a = 0.01 * step;
        lim_quat turn = {0, 0, (float)trig_sin(a), (float)trig_cos(a)};
        CHECK(lim_pin_move(t.world, pin, p3(-0.2, 0.3 * a, 0.2 * a), turn) == LIM_OK);
        CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
    }
    double* out = malloc((size_t)t.nodes * 24);
    toy_read(&t);
    memcpy(out, t.x, (size_t)t.nodes * 24);
    *out_count = t.nodes;
    toy_free(&t);
    return out;
}

static void a_very_stiff_pin_is_a_hard_one(void) {
    int32_t n;
    double* hard = after_a_swing(0, &n);
    double last = 1.0;
    for (int k = 0; k < 4; ++k) {
        const float stiffness[4] = {1e4f, 1e6f, 1e8f, 1e12f};
        double *soft = after_a_swing(stiffness[k], &n), worst = 0.0;
        for (int32_t i = 0; i < 3 * n; ++i) {
            double off = fabs(soft[i] - hard[i]);
            worst = off > worst ? off : worst;
        }
        CHECK(worst < last);
        CHECK(k < 3 || worst < 3e-5);
        last = worst;
        free(soft);
    }
    free(hard);
}

/* Motion, goals and the pins' springs, k / 2 times the mean square distance from their places. */
static double energy_of(toy* t, double stiffness) {
    lim_body_motion m = toy_motion(t);
    double spring = 0.0, mass = 0.0;
    toy_read(t);
    for (int32_t i = 0; i < t->nodes; ++i) {
        for (int k = 0; k < 3 && t->rest[3 * i] < -0.1; ++k) {
            double off = t->x[3 * i + k] - t->rest[3 * i + k];
            spring += (double)t->mass[i] * off * off;
        }
        mass += t->rest[3 * i] < -0.1 ? (double)t->mass[i] : 0.0;
    }
    return m.kinetic + m.elastic + 0.5 * stiffness * spring / mass;
}

static void no_stiffness_and_step_adds_energy(void) {
    const float stiffness[6] = {1e-6f, 1e-2f, 1e2f, 1e4f, 1e6f, 1e9f};
    const float lengths[4] = {0.001f, 0.01f, 1.0f / 60, 0.1f};
    for (int k = 0; k < 24; ++k) {
        float length = lengths[k % 4];
        lim_material m = lim_material_default();
        toy t = toy_box((const int32_t[3]){8, 4, 4}, 0.05, p3(0, 0, 0), &m, NO_GRAVITY, 1, 1);
        pin_box(&t, p3(-0.2, 0, 0), (lim_vec3){0.11f, 1, 1}, stiffness[k / 4]);
        CHECK(lim_body_set_velocity(t.world, t.body, (lim_vec3){0.2f, -0.3f, 0.1f},
                                    (lim_vec3){1, 0.5f, -2}) == LIM_OK);
        /* A first long step may find another spin for the same angular momentum, pin or not. */
        double start = 1.1 * energy_of(&t, (double)stiffness[k / 4]), most = start, window = 0.0;
        for (int step = 0; step < 300; ++step) {
            CHECK(lim_world_step(t.world, length) == LIM_OK);
            double now = energy_of(&t, (double)stiffness[k / 4]);
            CHECK(isfinite(now) && now <= most + 1e-3 * start);
            window = now > window ? now : window;
            if (step % 60 == 59) { /* never above the most of the 60 steps before */
                most = window;
                window = 0.0;
            }
        }
        CHECK(!toy_motion(&t).frozen);
        CHECK(lim_world_get_report(t.world).bodies_restored == 0);
        toy_free(&t);
    }
}

/* A frame that jumps by 2 m in one step throws nothing beyond what a hard pin would. */
static void a_jump_is_survived(void) {
    const float stiffness[4] = {0, 1e-6f, 1e4f, 1e9f};
    for (int k = 0; k < 12; ++k) {
        float length = k % 3 == 0 ? 0.001f : k % 3 == 1 ? 0.02f : 0.1f;
        toy t = stiff_box(GRAVITY, 2);
        lim_pin pin = pin_box(&t, p3(0, 0, 0), (lim_vec3){0.06f, 1, 1}, stiffness[k / 3]);
        lim_quat turn = {1, 1, 0, 0.1f};
        CHECK(lim_pin_move(t.world, pin, p3(0, 2, 0), turn) == LIM_OK);
        for (int step = 0; step < 200; ++step) {
            CHECK(lim_world_step(t.world, length) == LIM_OK);
            lim_body_motion m = toy_motion(&t);
            CHECK(isfinite(m.kinetic) && !m.frozen && m.speed < 20.0 / (double)length);
        }
        CHECK(lim_world_get_report(t.world).bodies_restored == 0);
        toy_free(&t);
    }
}

/* Pins of both kinds, and a grab that pulls at held and free nodes alike. */
static void pins_and_grabs_say_what_changed_the_momentum(void) {
    for (int run = 0; run < 3; ++run) {
        lim_material m = lim_material_default();
        toy t = toy_box((const int32_t[3]){8, 4, 4}, 0.05, p3(40, 2, -7), &m, GRAVITY, 3, 1);
        const float stiffness[3][2] = {{0, 800}, {0, 0}, {300, 2000}};
        lim_point at[2] = {{39.83, 2, -7}, {40.1, 2, -7}};
        lim_pin pin[2];
        for (int k = 0; k < 2; ++k) {
            pin[k] = pin_box(&t, at[k], (lim_vec3){0.08f, 1, 1}, stiffness[run][k]);
        }
        lim_grab_desc gd = lim_grab_desc_default();
        gd.body = t.body;
        gd.point = p3(40, 2.2, -7);
        lim_grab grab;
        CHECK(lim_grab_create(t.world, &gd, &grab) == LIM_OK);
        lim_body_motion a = toy_motion(&t);
        for (int step = 1; step <= 90; ++step) {
            for (int k = 0; k < 2; ++k) {
                double s = trig_sin(0.2 * step * (k + 1));
                lim_quat turn = {(float)(0.2 * s), (float)(0.1 * s), (float)(-0.3 * s), 1};
                lim_point to = p3_add(at[k], p3(0.02 * s, 0.05 * s, -0.03 * s));
                CHECK(lim_pin_move(t.world, pin[k], to, turn) == LIM_OK);
            }
            CHECK(lim_grab_move(t.world, grab, p3(40, 2.2 + 0.001 * step, -7)) == LIM_OK);
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
            lim_vec3 f[2], pull;
            get_pin(t.world, pin[0], &f[0], NULL);
            get_pin(t.world, pin[1], &f[1], NULL);
            lim_load felt;
            CHECK(lim_grab_get_load(t.world, grab, &felt) == LIM_OK);
            pull = v3_scale(felt.force, -1.0f);
            lim_body_motion b = toy_motion(&t);
            double dt = (double)(1.0f / 60);
            const double sum[3] = {(double)(f[0].x + f[1].x + pull.x),
                                   (double)(f[0].y + f[1].y + pull.y) - 9.81 * a.mass,
                                   (double)(f[0].z + f[1].z + pull.z)};
            double size = (double)(fabsf(f[0].y) + fabsf(f[1].y) + fabsf(pull.y)) + 10 * a.mass;
            for (int k = 0; k < 3; ++k) {
                CHECK_NEAR((b.momentum[k] - a.momentum[k]) / dt, sum[k], 1e-5 * size);
            }
            a = b;
        }
        toy_free(&t);
    }
}

/* Angular momentum about the world's origin. */
static lim_point turning_of(const lim_body_motion* m) {
    lim_point p = p3(m->momentum[0], m->momentum[1], m->momentum[2]);
    lim_point l = p3(m->angular_momentum[0], m->angular_momentum[1], m->angular_momentum[2]);
    return p3_add(l, p3_cross(m->centre, p));
}

static void pins_say_what_changed_the_angular_momentum(void) {
    for (int run = 0; run < 3; ++run) {
        lim_material m = lim_material_default();
        toy t = toy_box((const int32_t[3]){8, 4, 4}, 0.05, p3(1, 2, 3), &m, NO_GRAVITY, 3, 1);
        const float stiffness[3][2] = {{0, 800}, {0, 0}, {300, 2000}};
        lim_point at[2] = {{0.83, 2, 3}, {1.1, 2, 3}};
        lim_pin pin[2];
        for (int k = 0; k < 2; ++k) {
            pin[k] = pin_box(&t, at[k], (lim_vec3){0.08f, 1, 1}, stiffness[run][k]);
        }
        lim_body_motion before = toy_motion(&t);
        double largest = 0.0, worst = 0.0;
        for (int step = 1; step <= 90; ++step) {
            lim_point sum = p3(0, 0, 0);
            lim_point to[2];
            for (int k = 0; k < 2; ++k) {
                double s = trig_sin(0.2 * step * (k + 1));
                lim_quat turn = {(float)(0.2 * s), (float)(0.1 * s), (float)(-0.3 * s), 1};
                to[k] = p3_add(at[k], p3(0.02 * s, 0.05 * s, -0.03 * s));
                CHECK(lim_pin_move(t.world, pin[k], to[k], turn) == LIM_OK);
            }
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
            for (int k = 0; k < 2; ++k) {
                lim_vec3 force, torque;
                get_pin(t.world, pin[k], &force, &torque);
                lim_point about = p3_add(p3_of(torque), p3_cross(to[k], p3_of(force)));
                sum = p3_add(sum, about);
                largest = p3_length(about) > largest ? p3_length(about) : largest;
            }
            lim_body_motion now = toy_motion(&t);
            lim_point change = p3_sub(turning_of(&now), turning_of(&before));
            double off = p3_length(p3_sub(p3_scale(change, 60.0), sum));
            worst = off > worst ? off : worst;
            before = now;
        }
        CHECK(worst < 2e-4 * largest);
        toy_free(&t);
    }
}

static void soft_pins_are_saved_and_hashed(void) {
    uint64_t last = 0;
    for (int k = 0; k < 3; ++k) {
        toy t = stiff_box(GRAVITY, 4);
        pin_box(&t, p3(-0.2, 0, 0), (lim_vec3){0.11f, 1, 1}, k == 0 ? 0.0f : 1000.0f * (float)k);
        CHECK(lim_world_hash(t.world) != last);
        last = lim_world_hash(t.world);
        lim_pin pin = pin_box(&t, p3(0.2, 0, 0), (lim_vec3){0.06f, 1, 1}, 500);
        lim_quat turn = {0.1f, 0, 0, 1};
        CHECK(lim_pin_move(t.world, pin, p3(0.21, 0.05, 0), turn) == LIM_OK);
        CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
        size_t size;
        CHECK(lim_world_save(t.world, NULL, 0, &size) == LIM_OK);
        unsigned char* bytes = malloc(size);
        CHECK(lim_world_save(t.world, bytes, size, &size) == LIM_OK);
        lim_world* twin = NULL;
        CHECK(lim_world_load(bytes, size, 1, NULL, &twin) == LIM_OK);
        lim_snapshot* shot = NULL;
        CHECK(lim_snapshot_create(t.world, &shot) == LIM_OK);
        lim_vec3 f[2], torque[2];
        get_pin(t.world, pin, &f[0], &torque[0]);
        get_pin(twin, pin, &f[1], &torque[1]);
        CHECK(memcmp(&f[0], &f[1], sizeof f[0]) == 0 && f[0].y != 0.0f);
        CHECK(memcmp(&torque[0], &torque[1], sizeof torque[0]) == 0 && torque[0].x != 0.0f);
        for (int step = 0; step < 20; ++step) {
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
            CHECK(lim_world_step(twin, 1.0f / 60) == LIM_OK);
        }
        uint64_t end = lim_world_hash(t.world);
        CHECK(lim_world_hash(twin) == end);
        CHECK(lim_snapshot_restore(t.world, shot) == LIM_OK);
        get_pin(t.world, pin, &f[1], NULL);
        CHECK(memcmp(&f[0], &f[1], sizeof f[0]) == 0);
        for (int step = 0; step < 20; ++step) {
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
        }
        CHECK(lim_world_hash(t.world) == end);
        lim_snapshot_destroy(shot);
        lim_world_destroy(twin);
        free(bytes);
        toy_free(&t);
    }
}

/* Where both hold, the hard one counts. */
static void a_hard_pin_beats_a_soft_one(void) {
    toy t = stiff_box(GRAVITY, 4);
    lim_vec3 half = {1, 1, 1}, force;
    lim_pin soft = pin_box(&t, p3(0, 0, 0), half, 1e5f);
    lim_pin hard = pin_box(&t, p3(0, 0, 0), half, 0);
    CHECK(lim_pin_move(t.world, soft, p3(0, 1, 0), (lim_quat){0, 0, 0, 1}) == LIM_OK);
    CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
    CHECK_NEAR(toy_motion(&t).centre.y, 0.0, 1e-6);
    get_pin(t.world, soft, &force, NULL);
    CHECK(force.y == 0.0f);
    get_pin(t.world, hard, &force, NULL);
    CHECK(force.y > 0.0f);
    CHECK(lim_pin_destroy(t.world, hard) == LIM_OK);
    CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
    CHECK(toy_motion(&t).centre.y > 0.0);
    toy_free(&t);
}

static void bad_values_are_refused(void) {
    toy t = stiff_box(GRAVITY, 4);
    lim_pin_desc desc = lim_pin_desc_default();
    desc.body = t.body;
    CHECK(desc.stiffness == 0.0f);
    const float bad[4] = {-1.0f, NAN, INFINITY, 2e12f};
    lim_pin pin;
    for (int k = 0; k < 4; ++k) {
        desc.stiffness = bad[k];
        CHECK(lim_pin_create(t.world, &desc, &pin) == LIM_ERROR_ARGUMENT && pin.generation == 0);
    }
    lim_load load = {.force = {1, 2, 3}};
    CHECK(lim_pin_get_load(t.world, pin, &load) == LIM_ERROR_ID && load.force.x == 1.0f);
    CHECK(lim_pin_get_load(NULL, pin, &load) == LIM_ERROR_ARGUMENT);
    CHECK(lim_pin_get_load(t.world, pin, NULL) == LIM_ERROR_ARGUMENT);
    toy_free(&t);
}

TEST_SUITE(world_pins) {
    TEST_BEGIN(argc, argv);
    RUN(hard_pins_have_their_nodes_exactly_in_the_frame);
    RUN(a_pin_reads_the_weight);
    RUN(a_soft_pin_sinks_by_weight_over_stiffness);
    RUN(a_soft_pin_is_critically_damped);
    RUN(a_very_stiff_pin_is_a_hard_one);
    RUN(no_stiffness_and_step_adds_energy);
    RUN(a_jump_is_survived);
    RUN(pins_and_grabs_say_what_changed_the_momentum);
    RUN(pins_say_what_changed_the_angular_momentum);
    RUN(soft_pins_are_saved_and_hashed);
    RUN(a_hard_pin_beats_a_soft_one);
    RUN(bad_values_are_refused);
    TEST_END();
}

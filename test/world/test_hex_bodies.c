/* SPDX-License-Identifier: MIT
 * Bodies of the kind `hex` through the public API, against what can be computed by hand: bending,
 * swinging, impact, friction, soft holds, and bad states.
 */
#include "base/random.h"
#include "core/physics_kit.h"
#include "test.h"

#define GRAVITY 9.81f

static toy make_toy(const int32_t n[3], double cell, double y, const lim_material* m,
                    lim_vec3 gravity, int32_t substeps) {
    kind_now = KIND_HEX;
    return toy_box(n, cell, p3(0, y, 0), m, gravity, substeps, 1);
}

static lim_material rubber(double young, double nu) {
    lim_material m = lim_material_default();
    m.young = (float)young;
    m.nu = (float)nu;
    m.viscosity = 0.0f;
    m.damping_time = 0.0f;
    return m;
}

static void steps(toy* t, int count, float dt) {
    for (int k = 0; k < count; ++k) {
        CHECK(lim_world_step(t->world, dt) == LIM_OK);
    }
}

static lim_body_motion motion_of(const toy* t) {
    lim_body_motion out;
    CHECK(lim_body_get_motion(t->world, t->body, &out) == LIM_OK);
    return out;
}

static void add_floor(toy* t, double friction) {
    lim_collider_desc desc = lim_collider_desc_default();
    lim_collider id;
    desc.shape = LIM_SHAPE_PLANE;
    desc.friction = (float)friction;
    CHECK(lim_collider_create(t->world, &desc, &id) == LIM_OK);
}

static lim_pin hold(toy* t, lim_point at, lim_vec3 half, float stiffness) {
    lim_pin_desc desc = lim_pin_desc_default();
    lim_pin id = {0};
    desc.body = t->body;
    desc.shape = LIM_SHAPE_BOX;
    desc.size = half;
    desc.position = at;
    desc.stiffness = stiffness;
    CHECK(lim_pin_create(t->world, &desc, &id) == LIM_OK);
    return id;
}

/* Mean height of the nodes whose rest place along x is near this. */
static double height_at(const toy* t, double x) {
    double sum = 0.0, count = 0.0;
    for (int32_t i = 0; i < t->nodes; ++i) {
        if (fabs(t->rest[3 * i] - x) < 1e-4) {
            sum += t->x[3 * i + 1] - t->rest[3 * i + 1];
            count += 1.0;
        }
    }
    return sum / count;
}

/* Two cantilevers of 8 x 2 x 2 cells root to root, held at the line in the middle, so that the root
 * may contract, and bent by their own weight. */
static void cantilevers_sag_as_timoshenko(void) {
    static const double poissons[] = {0.0, 0.3, 0.45, 0.49};
    const double cell = 0.02, length = 8 * cell, side = 2 * cell, young = 1e6, g = 0.3;
    for (int i = 0; i < 4; ++i) {
        lim_material m = rubber(young, poissons[i]);
        m.damping_time = 0.1f;
        toy t =
            make_toy((const int32_t[3]){16, 2, 2}, cell, 0.0, &m, (lim_vec3){0, -(float)g, 0}, 4);
        lim_pin pin = hold(&t, p3(0, 0, 0), (lim_vec3){1e-3f, 1e-3f, 1.0f}, 0.0f);
        lim_load load;
        steps(&t, 240, 1.0f / 60);
        toy_read(&t);
        double q = 1000.0 * side * side * g, second = pow(side, 4.0) / 12.0;
        double shear = 10.0 * (1.0 + poissons[i]) / (12.0 + 11.0 * poissons[i]) * young / 2.0 /
                       (1.0 + poissons[i]) * side * side;
        double want =
            q * pow(length, 4.0) / (8.0 * young * second) + 0.5 * q * length * length / shear;
        double got = height_at(&t, 0.0) - 0.5 * (height_at(&t, length) + height_at(&t, -length));
        CHECK(lim_pin_get_load(t.world, pin, &load) == LIM_OK);
        printf("  nu %.2f: %.4f of Timoshenko, the pin bears %.4f of the weight, fastest %.1e\n",
               poissons[i], got / want, -(double)load.force.y / (2.0 * q * length),
               motion_of(&t).speed);
        CHECK_NEAR(got, want, 0.02 * want);
        CHECK_NEAR(-(double)load.force.y, 2.0 * q * length, 0.01 * 2.0 * q * length);
        toy_free(&t);
    }
}

/* One that swings with a period of about a quarter of a second: Euler and Bernoulli, 3 / 1.8751^4
 * of the mass at the tip, with Timoshenko's shear as a spring in series. */
static void swings_keep_their_period(void) {
    const double cell = 0.01, length = 16 * cell, young = 1e6;
    lim_material m = rubber(young, 0.3);
    toy t = make_toy((const int32_t[3]){16, 2, 2}, cell, 0.0, &m, (lim_vec3){0, 0, 0}, 2);
    hold(&t, p3(-0.5 * length, 0, 0), (lim_vec3){1e-3f, 1.0f, 1.0f}, 0.0f);
    toy_read(&t);
    for (int32_t i = 0; i < t.nodes; ++i) {
        double r = t.rest[3 * i] / length + 0.5;
        t.v[3 * i + 1] = (float)(0.3 * r * r * (6.0 - 4.0 * r + r * r) / 3.0);
    }
    toy_write(&t);
    double top[64], at[64], before = 0.0, before2 = 0.0;
    int tops = 0;
    for (int n = 0; n < 150 && tops < 20; ++n) {
        steps(&t, 1, 1.0f / 60);
        toy_read(&t);
        double y = height_at(&t, 0.5 * length);
        if (n > 1 && (before - before2) * (y - before) < 0.0) {
            double c = before2 - 2.0 * before + y, d = 0.5 * (before2 - y) / c;
            top[tops] = fabs(before - 0.25 * (before2 - y) * d);
            at[tops++] = (n + d) / 60.0;
        }
        before2 = before;
        before = y;
    }
    double kept = pow(top[tops - 1] / top[0], 2.0 / (tops - 1));
    double period = 2.0 * (at[tops - 1] - at[0]) / (tops - 1);
    double stiff = 3.0 * young * pow(0.02, 4.0) / 12.0 / pow(length, 3.0);
    double soft = 1.0 / stiff + length / (5.0 / 6.0 * young / 2.6 * 4e-4);
    double want = 2.0 * 3.14159265 * sqrt(0.24267 * 1000.0 * length * 4e-4 * soft);
    printf("  period %.4f s (%.4f in theory), keeps %.4f of its amplitude\n", period, want, kept);
    CHECK(kept > 0.95);
    CHECK_NEAR(period, want, 0.02 * want);
    toy_free(&t);
}

static void hard_impacts_squash_little(void) {
    static const double youngs[] = {1e7, 1e6};
    const double cell = 0.0125, side = 8 * cell;
    for (int i = 0; i < 2; ++i) {
        lim_material m = rubber(youngs[i], 0.3);
        toy t = make_toy((const int32_t[3]){8, 8, 8}, cell, 0.5 * side + 0.01, &m,
                         (lim_vec3){0, -GRAVITY, 0}, 4);
        add_floor(&t, 0.5);
        CHECK(lim_body_set_velocity(t.world, t.body, (lim_vec3){0, -2, 0}, (lim_vec3){0, 0, 0}) ==
              LIM_OK);
        double squash = 0.0, through = 0.0, energy = 1e9, grew = 0.0;
        int32_t cut = 0;
        for (int k = 0; k < 180; ++k) {
            steps(&t, 1, 1.0f / 240);
            toy_read(&t);
            double low = 1e9, high = -1e9;
            for (int32_t n = 0; n < t.nodes; ++n) {
                low = fmin(low, t.x[3 * n + 1]);
                high = fmax(high, t.x[3 * n + 1]);
            }
            lim_body_motion now = motion_of(&t);
            double all = now.kinetic + now.potential + now.elastic;
            squash = fmax(squash, 1.0 - (high - low) / side);
            through = fmax(through, -low);
            grew = fmax(grew, all - energy);
            energy = all;
            cut += lim_world_get_report(t.world).solves_cut_short;
        }
        printf(
            "  %.0f MPa: squash %.3f %%, %.2g m through the floor, energy grew by %.2g J, fastest "
            "at the end %.1e, cut short %d\n",
            1e-6 * youngs[i], 100.0 * squash, through, grew, motion_of(&t).speed, cut);
        CHECK(squash < (i == 0 ? 0.01 : 0.04));
        CHECK(through < 0.02 * cell);
        CHECK(grew < 1e-3);
        CHECK(motion_of(&t).speed < 0.01 * 2.0);
        toy_free(&t);
    }
}

/* A slope is turned gravity. */
static void friction_holds_and_lets_go(void) {
    const double angle = atan(0.5), off[2] = {-2.0 / 57.29578, 2.0 / 57.29578}, cell = 0.02;
    for (int i = 0; i < 2; ++i) {
        double a = angle + off[i], g = (double)GRAVITY;
        lim_material m = rubber(1e6, 0.3);
        toy t = make_toy((const int32_t[3]){6, 6, 6}, cell, 3 * cell + 1e-4, &m,
                         (lim_vec3){(float)(g * sin(a)), (float)(-g * cos(a)), 0}, 4);
        add_floor(&t, 0.5);
        steps(&t, 60, 1.0f / 60);
        double from = motion_of(&t).centre.x, v = motion_of(&t).momentum[0] / motion_of(&t).mass;
        steps(&t, 60, 1.0f / 60);
        double way = motion_of(&t).centre.x - from;
        double want = i == 0 ? 0.0 : v + 0.5 * g * (sin(a) - 0.5 * cos(a));
        printf("  %+.0f degrees: %.5f m in a second (%.5f in theory)\n", 57.29578 * off[i], way,
               want);
        CHECK_NEAR(way, want, 1e-4 + 0.05 * want);
        toy_free(&t);
    }
}

static void slides_stop_where_coulomb_says(void) {
    static const double youngs[] = {1e5, 1e7};
    for (int i = 0; i < 2; ++i) {
        lim_material m = rubber(youngs[i], 0.3);
        toy t = make_toy((const int32_t[3]){6, 3, 6}, 0.02, 0.03 + 1e-4, &m,
                         (lim_vec3){0, -GRAVITY, 0}, 4);
        add_floor(&t, 0.5);
        steps(&t, 60, 1.0f / 60);
        double from = motion_of(&t).centre.x, want = 2.0 * 2.0 / (2.0 * 0.5 * (double)GRAVITY);
        CHECK(lim_body_set_velocity(t.world, t.body, (lim_vec3){2, 0, 0}, (lim_vec3){0, 0, 0}) ==
              LIM_OK);
        steps(&t, 120, 1.0f / 60);
        double way = motion_of(&t).centre.x - from;
        printf("  %.1f MPa: %.4f m (%.4f in theory)\n", 1e-6 * youngs[i], way, want);
        CHECK_NEAR(way, want, 0.05 * want);
        toy_free(&t);
    }
}

/* A soft pin at the middle of a hanging block gives way by its weight over the stiffness, however
 * light the nodes are that it holds; and a soft grab, too. */
static void soft_holds_are_as_stiff_as_they_say(void) {
    static const float stiffness[] = {1e3f, 1e5f};
    for (int i = 0; i < 4; ++i) {
        lim_material m = rubber(1e7, 0.3);
        m.damping_time = 0.2f;
        toy t =
            make_toy((const int32_t[3]){4, 4, 4}, 0.025, 0.0, &m, (lim_vec3){0, -GRAVITY, 0}, 4);
        float k = stiffness[i % 2];
        lim_load load;
        if (i < 2) {
            lim_pin pin = hold(&t, p3(0, 0, 0), (lim_vec3){0.013f, 0.013f, 0.013f}, k);
            steps(&t, 150, 1.0f / 60);
            CHECK(lim_pin_get_load(t.world, pin, &load) == LIM_OK);
        } else {
            lim_grab_desc desc = lim_grab_desc_default();
            lim_grab grab;
            desc.body = t.body;
            desc.point = p3(0, 0.05, 0);
            desc.stiffness = k;
            CHECK(lim_grab_create(t.world, &desc, &grab) == LIM_OK);
            steps(&t, 150, 1.0f / 60);
            CHECK(lim_grab_get_load(t.world, grab, &load) == LIM_OK);
        }
        double sag = -motion_of(&t).centre.y, weight = (double)GRAVITY * motion_of(&t).mass;
        printf("  %s of %.0f N/m: sags %.5f m (%.5f), bears %.4f of the weight, fastest %.1e\n",
               i < 2 ? "pin" : "grab", (double)k, sag, weight / (double)k,
               -(double)load.force.y / weight, motion_of(&t).speed);
        CHECK_NEAR(-(double)load.force.y, weight, 0.01 * weight);
        CHECK_NEAR(sag, weight / (double)k, 0.05 * weight / (double)k + 2e-4);
        toy_free(&t);
    }
}

/* 0: scrambled, 1: flattened, 2: mirrored, 3: collapsed to a line, 4: to a point. */
static void spoil(toy* t, int how, random_stream* r) {
    steps(t, 1, 1.0f / 60); /* from then on its energy is known */
    toy_read(t);
    for (int32_t i = 0; i < t->nodes; ++i) {
        for (int k = 0; k < 3; ++k) {
            double* x = &t->x[3 * i + k];
            if (how == 0) {
                *x = (double)random_range(r, -0.5f, 0.5f) * t->size;
            } else if (how == 2) {
                *x = k == 0 ? -*x : *x;
            } else if (how == 4 || (how == 1 && k == 1) || (how == 3 && k > 0)) {
                *x = 0.0;
            }
            t->v[3 * i + k] = 0.0f;
        }
    }
    toy_write(t);
}

static void bad_states_come_back(void) {
    static const double youngs[] = {1e4, 1e7};
    static const char* const names[] = {"scrambled", "flattened", "mirrored", "line", "point"};
    random_stream r = random_seed(5);
    for (int i = 0; i < 10; ++i) {
        lim_material m = lim_material_default();
        m.young = (float)youngs[i / 5];
        m.nu = 0.3f;
        toy t = make_toy((const int32_t[3]){4, 3, 3}, 0.02, 0.0, &m, (lim_vec3){0, 0, 0}, 4);
        spoil(&t, i % 5, &r);
        double start = motion_of(&t).elastic, most = 0.0;
        for (int k = 0; k < 240; ++k) {
            steps(&t, 1, 1.0f / 60);
            lim_body_motion now = motion_of(&t);
            most = fmax(most, now.elastic + now.kinetic);
        }
        double off = toy_distance(&t) / t.size;
        printf("  %.0f kPa, %s: rms %.2g, energy at most %.3f of the first\n", 1e-3 * youngs[i / 5],
               names[i % 5], off, most / start);
        CHECK(off < 0.01);
        CHECK(!motion_of(&t).frozen);
        toy_free(&t);
    }
}

/* Energy never grows, however long the step is. */
static void any_step_keeps_energy(void) {
    static const float dts[] = {1e-4f, 1e-3f, 1.0f / 60, 0.1f, 1.0f};
    for (int i = 0; i < 5; ++i) {
        lim_material m = rubber(1e6, 0.3);
        toy t = make_toy((const int32_t[3]){6, 3, 3}, 0.02, 0.0, &m, (lim_vec3){0, 0, 0}, 1);
        steps(&t, 1, dts[i]); /* from then on its energy is known */
        toy_read(&t);
        for (int32_t n = 0; n < t.nodes; ++n) { /* twisted and bent */
            double x = t.rest[3 * n], a = 6.0 * x;
            double y = t.rest[3 * n + 1], z = t.rest[3 * n + 2];
            t.x[3 * n + 1] = cos(a) * y - sin(a) * z + 3.0 * x * x;
            t.x[3 * n + 2] = sin(a) * y + cos(a) * z;
        }
        toy_write(&t);
        lim_body_motion first = motion_of(&t);
        double begin = first.kinetic + first.elastic, most = 0.0;
        for (int k = 0; k < 200; ++k) {
            steps(&t, 1, dts[i]);
            lim_body_motion now = motion_of(&t);
            most = fmax(most, now.kinetic + now.elastic);
        }
        printf("  steps of %g s: energy at most %.4f of the first\n", (double)dts[i], most / begin);
        CHECK(most < 1.01 * begin);
        CHECK(!motion_of(&t).frozen);
        toy_free(&t);
    }
}

/* One on the other: cubes of rubber and octrees of jelly. They tremble (docs/limits.md) and stand.
 */
static void blocks_stand_on_each_other(void) {
    static const lim_kind kinds[3][2] = {{LIM_KIND_HEX, LIM_KIND_HEX},
                                         {LIM_KIND_OCTREE, LIM_KIND_HEX},
                                         {LIM_KIND_HEX, LIM_KIND_OCTREE}};
    const double cell = 0.05, side = 4 * cell;
    for (int c = 0; c < 3; ++c) {
        const int32_t n[3] = {4, 4, 4};
        lim_world_desc wd = lim_world_desc_default();
        lim_mesh* mesh = box_surface(n, cell);
        toy t = {.size = side};
        lim_body body[2];
        CHECK(lim_world_create(&wd, NULL, &t.world) == LIM_OK);
        add_floor(&t, 0.6);
        for (int k = 0; k < 2; ++k) {
            lim_model_desc md = lim_model_desc_default();
            lim_model* model = NULL;
            lim_body_desc bd = lim_body_desc_default();
            md.cell_size = (float)cell;
            md.kind = kinds[c][k];
            CHECK(lim_model_create(mesh, &md, NULL, &model) == LIM_OK);
            bd.model = model;
            bd.position = p3(0, side * (k + 0.5) + 0.005 * k, 0);
            bd.material = rubber(md.kind == LIM_KIND_HEX ? 1e6 : 2e4, 0.3);
            bd.material.damping_time = 2.0f;
            bd.material.viscosity = 100.0f;
            CHECK(lim_body_create(t.world, &bd, &body[k]) == LIM_OK);
            lim_model_destroy(model);
        }
        lim_mesh_destroy(mesh);
        steps(&t, 180, 1.0f / 60);
        lim_body_motion low, high;
        CHECK(lim_body_get_motion(t.world, body[0], &low) == LIM_OK);
        CHECK(lim_body_get_motion(t.world, body[1], &high) == LIM_OK);
        double moved = fmax(fabs(high.centre.x), fabs(high.centre.z));
        printf("  at %.4f and %.4f m, aside by %.4f, %.1e and %.1e m/s\n", low.centre.y,
               high.centre.y, moved, low.speed, high.speed);
        CHECK(high.centre.y - low.centre.y > 0.9 * side && low.centre.y > 0.4 * side);
        CHECK(moved < 0.1 * side);
        CHECK(low.speed < 0.2 && high.speed < 0.2);
        lim_world_destroy(t.world);
    }
}

/* How long the middle half of a bar along x is, over what it was. */
static double middle_stretch(toy* t, double length) {
    double ends[2];
    toy_read(t);
    for (int k = 0; k < 2; ++k) {
        double sum = 0.0, count = 0.0;
        for (int32_t i = 0; i < t->nodes; ++i) {
            if (fabs(t->rest[3 * i] - (k - 0.5) * 0.5 * length) < 1e-4) {
                sum += t->x[3 * i];
                count += 1.0;
            }
        }
        ends[k] = sum / count;
    }
    return (ends[1] - ends[0]) / (0.5 * length);
}

/* A bar that is drawn out by a tenth flows until its elastic strain is at the yield: n = e (1 + nu)
 * of a pulled bar (docs/materials.md). Let go, it keeps the rest. */
static void what_has_flowed_stays(void) {
    const double cell = 0.02, length = 12 * cell, yield = 0.02, nu = 0.3;
    lim_material m = lim_material_default();
    m.young = 1e6f;
    m.nu = (float)nu;
    m.yield = (float)yield;
    m.creep = 50.0f;
    toy t = make_toy((const int32_t[3]){12, 3, 3}, cell, 0.0, &m, (lim_vec3){0, 0, 0}, 4);
    lim_pin pin[2];
    for (int k = 0; k < 2; ++k) {
        pin[k] = hold(&t, p3((k - 0.5) * length, 0, 0), (lim_vec3){1e-3f, 1.0f, 1.0f}, 0.0f);
    }
    for (int s = 1; s <= 120; ++s) {
        double by = 0.1 * length * fmin(s / 60.0, 1.0);
        CHECK(lim_pin_move(t.world, pin[1], p3(0.5 * length + by, 0, 0), (lim_quat){0, 0, 0, 1}) ==
              LIM_OK);
        steps(&t, 1, 1.0f / 60);
    }
    double drawn = middle_stretch(&t, length), want = drawn - yield / (1.0 + nu) * drawn;
    CHECK(lim_pin_destroy(t.world, pin[0]) == LIM_OK);
    CHECK(lim_pin_destroy(t.world, pin[1]) == LIM_OK);
    steps(&t, 90, 1.0f / 60);
    double got = middle_stretch(&t, length);
    printf("  drawn to %.4f, stays at %.4f (%.4f by hand), still at %.1e m/s\n", drawn, got, want,
           motion_of(&t).speed);
    CHECK(drawn > 1.09);
    CHECK_NEAR(drawn - got, drawn - want, 0.1 * (drawn - want));
    toy_free(&t);
}

TEST_SUITE(hex_bodies) {
    TEST_BEGIN(argc, argv);
    RUN(cantilevers_sag_as_timoshenko);
    RUN(swings_keep_their_period);
    RUN(hard_impacts_squash_little);
    RUN(friction_holds_and_lets_go);
    RUN(slides_stop_where_coulomb_says);
    RUN(soft_holds_are_as_stiff_as_they_say);
    RUN(bad_states_come_back);
    RUN(any_step_keeps_energy);
    RUN(blocks_stand_on_each_other);
    RUN(what_has_flowed_stays);
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * Matching against what can be said by hand: rest is a fixed point bit for bit, rigid motions leave
 * goals on the moved body, momentum is kept, goals equal the slow formula, backends and workers
 * agree, the effective modulus of a bar is the one asked for.
 */
#include "test.h"

#include "core/grid_body.h"
#include "math/eigen.h"
#include "math/trig.h"
#include "node/sums_kernel.h"

static const match_material SOFT = {
    .young = 5e3, .density = 1000.0, .viscosity = 5.0, .damping_time = 1.0, .scale = 1.0};

static void prepare(grid_body* b, double h, const match_material* material, isa set) {
    match_refresh(&b->match, material, h, set, NULL);
    component* c = b->nodes.components;
    lim_point sum = p3(0, 0, 0);
    double mass = 0.0;
    for (int32_t i = 0; i < b->count; ++i) {
        lim_point x0 = p3((double)b->x0[0][i], (double)b->x0[1][i], (double)b->x0[2][i]);
        sum = p3_mad(sum, x0, (double)b->volume[i]);
        mass += (double)b->volume[i];
    }
    c->rest_centre = p3_scale(sum, 1.0 / mass);
    node_component_sums(&b->nodes, b->match.block_sums, set, NULL);
}

static void step(grid_body* b, double h, isa set, workers* pool) {
    match_step(&b->match, true, set, pool, NULL, NULL);
    node_kernels_for(set)->drift(&b->nodes, 0, b->padded, (float)h);
    node_component_sums(&b->nodes, b->match.block_sums, set, pool);
}

static void stir(grid_body* b, uint64_t seed, float distance, float speed) {
    random_stream r = random_seed(seed);
    for (int32_t i = 0; i < b->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            b->nodes.d[k][i] = random_range(&r, -distance, distance);
            b->nodes.v[k][i] = random_range(&r, -speed, speed);
        }
    }
}

static void rest_is_a_fixed_point_bit_for_bit_of(grid_kind kind) {
    random_stream r = random_seed(5);
    uint8_t* kept = grid_mask(&r, 9 * 7 * 5, 0.8f);
    grid_body b;
    grid_body_kind(&b, kind, 9, 7, 5, kept, 0.0371f);
    for (int set = 0; set < ISA_COUNT; ++set) {
        if (!isa_available((isa)set)) {
            continue;
        }
        prepare(&b, 1.0 / 240, &SOFT, (isa)set);
        for (int k = 0; k < 100; ++k) {
            step(&b, 1.0 / 240, (isa)set, NULL);
        }
        for (int32_t i = 0; i < b.padded; ++i) {
            for (int k = 0; k < 3; ++k) {
                CHECK(b.nodes.d[k][i] == 0.0f && b.nodes.v[k][i] == 0.0f);
            }
        }
        for (int32_t i = 0; i < b.r.padded; ++i) {
            CHECK(b.match.q[0][i] == 0.0f && b.match.q[3][i] == 1.0f);
        }
    }
    free(kept);
    grid_body_free(&b);
}

static void rest_is_a_fixed_point_bit_for_bit(void) {
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        rest_is_a_fixed_point_bit_for_bit_of((grid_kind)kind);
    }
}

/* The goal of one node by the definition, in double: rotations by singular values. */
static lim_point slow_pull(const grid_body* b, int32_t node) {
    int32_t* members = calloc((size_t)b->padded, sizeof *members);
    lim_point pull = p3(0, 0, 0);
    for (int32_t region = 0; region < b->r.count; ++region) {
        int32_t count = net_members(&b->n, region, members, b->padded);
        double inside = net_weight(&b->n, node, region);
        lim_point c = p3(0, 0, 0), c0 = p3(0, 0, 0);
        double mass = 0.0;
        for (int32_t k = 0; k < count; ++k) {
            int32_t i = members[k];
            double m = (double)b->fit_mass[i] * net_weight(&b->n, i, region);
            lim_point x0 = p3((double)b->x0[0][i], (double)b->x0[1][i], (double)b->x0[2][i]);
            lim_point d =
                p3((double)b->nodes.d[0][i], (double)b->nodes.d[1][i], (double)b->nodes.d[2][i]);
            c0 = p3_mad(c0, x0, m);
            c = p3_mad(c, p3_add(x0, d), m);
            mass += m;
        }
        if (inside <= 0.0) {
            continue;
        }
        c = p3_scale(c, 1.0 / mass);
        c0 = p3_scale(c0, 1.0 / mass);
        dmat3 a = {{0}};
        for (int32_t k = 0; k < count; ++k) {
            int32_t i = members[k];
            double m = (double)b->fit_mass[i] * net_weight(&b->n, i, region);
            double p[3], q[3];
            const double cc[3] = {c.x, c.y, c.z}, cr[3] = {c0.x, c0.y, c0.z};
            for (int j = 0; j < 3; ++j) {
                q[j] = (double)b->x0[j][i] - cr[j];
                p[j] = (double)b->x0[j][i] + (double)b->nodes.d[j][i] - cc[j];
            }
            for (int j = 0; j < 9; ++j) {
                a.m[j] += m * p[j / 3] * q[j % 3];
            }
        }
        dmat3 rotation = nearest_rotation(&a);
        lim_point x0 = p3((double)b->x0[0][node], (double)b->x0[1][node], (double)b->x0[2][node]);
        lim_point x = p3_add(x0, p3((double)b->nodes.d[0][node], (double)b->nodes.d[1][node],
                                    (double)b->nodes.d[2][node]));
        lim_point goal = p3_add(dmat3_mul(&rotation, p3_sub(x0, c0)), c);
        pull = p3_mad(pull, p3_sub(goal, x),
                      inside * (double)b->gains.goal[region] * (double)b->inv_weight[node]);
    }
    free(members);
    return pull;
}

static void goals_equal_the_definition_of(grid_kind kind) {
    random_stream r = random_seed(6);
    uint8_t* kept = grid_mask(&r, 8 * 5 * 4, 0.9f);
    grid_body b;
    grid_body_kind(&b, kind, 8, 5, 4, kept, 0.1f);
    match_material still = SOFT;
    still.viscosity = 0.0;
    still.damping_time = 0.0;
    stir(&b, 7, 0.02f, 0.0f);
    prepare(&b, 1.0 / 240, &still, ISA_SCALAR);
    /* A few passes at the same positions let the warm start converge. */
    for (int pass = 0; pass < 5; ++pass) {
        for (int k = 0; k < 3; ++k) {
            memset(b.nodes.v[k], 0, (size_t)b.padded * sizeof(float));
        }
        match_step(&b.match, true, ISA_SCALAR, NULL, NULL, NULL);
    }
    for (int32_t i = 0; i < b.count; i += 3) {
        lim_point pull = slow_pull(&b, i);
        CHECK_NEAR(b.nodes.v[0][i], pull.x, 2e-6 * 240);
        CHECK_NEAR(b.nodes.v[1][i], pull.y, 2e-6 * 240);
        CHECK_NEAR(b.nodes.v[2][i], pull.z, 2e-6 * 240);
    }
    free(kept);
    grid_body_free(&b);
}

static void goals_equal_the_definition(void) {
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        goals_equal_the_definition_of((grid_kind)kind);
    }
}

static void a_turned_body_has_no_pull_of(grid_kind kind) {
    grid_body b;
    grid_body_kind(&b, kind, 8, 6, 5, NULL, 0.1f);
    dquat turn = dquat_unit((dquat){0.3, -0.2, 0.5, 0.6});
    dmat3 m = dquat_matrix(turn);
    for (int32_t i = 0; i < b.count; ++i) {
        lim_point x0 = p3((double)b.x0[0][i], (double)b.x0[1][i], (double)b.x0[2][i]);
        lim_point d = p3_sub(p3_add(dmat3_mul(&m, x0), p3(0.3, -0.1, 0.2)), x0);
        b.nodes.d[0][i] = (float)d.x;
        b.nodes.d[1][i] = (float)d.y;
        b.nodes.d[2][i] = (float)d.z;
    }
    prepare(&b, 1.0 / 240, &SOFT, isa_best());
    for (int pass = 0; pass < 20; ++pass) {
        for (int k = 0; k < 3; ++k) {
            memset(b.nodes.v[k], 0, (size_t)b.padded * sizeof(float));
        }
        match_step(&b.match, true, isa_best(), NULL, NULL, NULL);
    }
    for (int32_t i = 0; i < b.count; ++i) {
        for (int k = 0; k < 3; ++k) {
            /* Goals within 1e-5 of the size: pull * h / alpha <= 1e-5 * 0.8; alpha is about 0.004.
             */
            CHECK_NEAR(b.nodes.v[k][i] * (1.0f / 240), 0.0, 1e-5 * 0.8);
        }
        /* The affine part is the rotation. */
        for (int k = 0; k < 9; ++k) {
            double expected = m.m[k] - (k % 4 == 0 ? 1.0 : 0.0);
            CHECK_NEAR(b.nodes.affine[16 * i + k], expected, 1e-5);
        }
    }
    grid_body_free(&b);
}

static void a_turned_body_has_no_pull(void) {
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        a_turned_body_has_no_pull_of((grid_kind)kind);
    }
}

typedef struct motion {
    double p[3], l[3], absolute;
} motion;

static motion motion_of(const grid_body* b) {
    motion m = {{0}, {0}, 0};
    for (int32_t i = 0; i < b->count; ++i) {
        double x[3], v[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = (double)b->x0[k][i] + (double)b->nodes.d[k][i];
            v[k] = (double)b->nodes.v[k][i];
            v[k] *= (double)b->volume[i];
            m.p[k] += v[k];
        }
        for (int k = 0; k < 3; ++k) {
            m.l[k] += x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3];
        }
        m.absolute += sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return m;
}

static void momentum_is_kept_of(grid_kind kind) {
    random_stream r = random_seed(8);
    uint8_t* kept = grid_mask(&r, 8 * 6 * 5, 0.85f);
    grid_body b;
    grid_body_kind(&b, kind, 8, 6, 5, kept, 0.1f);
    stir(&b, 9, 0.03f, 1.0f);
    prepare(&b, 1.0 / 240, &SOFT, isa_best());
    motion before = motion_of(&b);
    for (int k = 0; k < 2000; ++k) {
        step(&b, 1.0 / 240, isa_best(), NULL);
    }
    motion after = motion_of(&b);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(after.p[k], before.p[k], 1e-6 * before.absolute);
        CHECK_NEAR(after.l[k], before.l[k], 1e-4 * before.absolute * 0.4);
    }
    free(kept);
    grid_body_free(&b);
}

static void momentum_is_kept(void) {
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        momentum_is_kept_of((grid_kind)kind);
    }
}

static uint64_t hash_of_kind(grid_kind kind) {
    uint64_t reference = 0;
    for (int set = TEST_RACES ? (int)isa_best() : 0; set < ISA_COUNT; ++set) {
        for (int32_t count = 1 + TEST_RACES; count <= 3 && isa_available((isa)set); ++count) {
            workers* pool = NULL;
            CHECK(workers_create(NULL, count, &pool) == LIM_OK);
            grid_body b;
            grid_body_kind(&b, kind, 20, 12, 10, NULL, 0.05f);
            stir(&b, 10, 0.02f, 0.5f);
            prepare(&b, 1.0 / 240, &SOFT, (isa)set);
            for (int k = 0; k < 20; ++k) {
                step(&b, 1.0 / 240, (isa)set, pool);
            }
            uint64_t hash = HASH_SEED;
            for (int k = 0; k < 3; ++k) {
                hash = hash_bytes(hash, b.nodes.d[k], (size_t)b.padded * sizeof(float));
                hash = hash_bytes(hash, b.nodes.v[k], (size_t)b.padded * sizeof(float));
            }
            reference = reference == 0 ? hash : reference;
            CHECK(hash == reference);
            grid_body_free(&b);
            workers_destroy(pool);
        }
    }
    return reference;
}

static void backends_and_workers_agree(void) {
    /* One number for every machine and backend; a change of numbers goes into the changelog. */
    CHECK(hash_of_kind(GRID_BALLS) == 0x73254684651ce79b);
    CHECK(hash_of_kind(GRID_BLENDED) == 0x03df4f746dae46ca);
    CHECK(hash_of_kind(GRID_MIXED) == 0x4ffc1072f5eac93a);
}

/* Regions of fine cells have little mass: the mean says that all is well where they get a quarter
 * of their modulus, the count of regions does not. */
static void thin_parts_count_by_number(void) {
    float weight[10], inv_mass[10], sigma2[10];
    regions r = {
        .count = 10, .padded = 16, .weight = weight, .inv_mass = inv_mass, .sigma2 = sigma2};
    match_material m = {.young = 1000.0 * MATCH_MOST_ALPHA, .density = 1000.0, .scale = 1.0};
    for (int fine = 0; fine <= 10; ++fine) {
        for (int i = 0; i < 10; ++i) {
            weight[i] = 1.0f;
            inv_mass[i] = i < fine ? 1000.0f : 1.0f;
            sigma2[i] = i < fine ? 0.25f : 1.0f; /* coarse ones: the most alpha */
        }
        double lost = 0.75 * 1e-3 * fine / (1e-3 * fine + 10.0 - fine);
        CHECK_NEAR(match_share(&r, &m, 1.0), 1.0 - lost, 1e-6);
        CHECK(match_most_get(&r, &m, 1.0) == (fine <= 2));
        CHECK(match_most_get(&r, &m, 0.5)); /* all get theirs */
    }
    m.alpha = 0.5; /* nothing is asked for */
    CHECK(match_most_get(&r, &m, 1.0));
}

/* A free bar stretched along its axis in its first mode: period 2 L / sqrt(E / rho). */
static double bar_period(int32_t length, int32_t thickness, int32_t width, double h, double young) {
    grid_body b;
    float cell = 1.0f / (float)length;
    grid_body_make(&b, length, thickness, thickness, NULL, cell, width);
    match_material m = {.young = young, .density = 1000.0, .scale = 1.0};
    for (int32_t i = 0; i < b.count; ++i) {
        b.nodes.d[0][i] = 0.002f * (float)trig_sin(3.14159265358979 * (double)b.x0[0][i]);
    }
    prepare(&b, h, &m, isa_best());
    double before = 0.0, time = 0.0, first = -1.0, second = -1.0;
    for (int k = 0; k < 20000 && second < 0.0; ++k) {
        step(&b, h, isa_best(), NULL);
        time += h;
        double now = 0.0;
        for (int32_t i = 0; i < b.count; ++i) {
            now += (double)b.nodes.d[0][i] * trig_sin(3.14159265358979 * (double)b.x0[0][i]);
        }
        if (k > 0 && before > 0.0 && now <= 0.0) {
            double crossing = time - h * now / (now - before);
            (first < 0.0) ? (first = crossing) : (second = crossing);
        }
        before = now;
    }
    grid_body_free(&b);
    return second - first;
}

static void a_bar_has_the_modulus_asked_for(void) {
    double young = 20e3, exact = 2.0 / sqrt(young / 1000.0);
    for (int32_t thickness = 1; thickness <= 4; thickness *= 2) {
        for (int32_t width = 2; width <= 4; width += 2) {
            double period = bar_period(24, thickness, width, 1.0 / 960, young);
            CHECK_NEAR(period / exact, 1.0, 0.05);
        }
    }
    /* The same for another step and another resolution. */
    CHECK_NEAR(bar_period(24, 2, 4, 1.0 / 3840, young) / exact, 1.0, 0.05);
    CHECK_NEAR(bar_period(48, 4, 4, 1.0 / 960, young) / exact, 1.0, 0.05);
}

static void reframing_moves_nothing(void) {
    grid_body b;
    grid_body_make(&b, 8, 6, 5, NULL, 0.1f, 4);
    stir(&b, 11, 0.02f, 0.5f);
    dmat3 m = dquat_matrix(dquat_unit((dquat){0.1, 0.2, -0.05, 0.97}));
    component* c = b.nodes.components;
    c->origin = p3(10000.0, 5.0, -3.0);
    c->rotation = dquat_unit((dquat){0.5, 0.1, 0.2, 0.8});
    for (int32_t i = 0; i < b.count; ++i) {
        lim_point x =
            p3((double)(b.x0[0][i] + b.nodes.d[0][i]), (double)(b.x0[1][i] + b.nodes.d[1][i]),
               (double)(b.x0[2][i] + b.nodes.d[2][i]));
        lim_point y = p3_add(dmat3_mul(&m, x), p3(0.4, 0.3, -0.2));
        b.nodes.d[0][i] = (float)(y.x - (double)b.x0[0][i]);
        b.nodes.d[1][i] = (float)(y.y - (double)b.x0[1][i]);
        b.nodes.d[2][i] = (float)(y.z - (double)b.x0[2][i]);
    }
    prepare(&b, 1.0 / 240, &SOFT, ISA_SCALAR);
    lim_point* world = malloc((size_t)b.count * sizeof *world);
    double scale = 2.0;
    for (int32_t i = 0; i < b.count; ++i) {
        world[i] = node_to_world(c, scale,
                                 p3((double)b.x0[0][i] + (double)b.nodes.d[0][i],
                                    (double)b.x0[1][i] + (double)b.nodes.d[1][i],
                                    (double)b.x0[2][i] + (double)b.nodes.d[2][i]));
    }
    int32_t* region_component = calloc((size_t)b.r.padded, sizeof *region_component);
    CHECK(node_reframe(&b.nodes, scale, b.match.q, region_component, b.r.padded));
    double most = 0.0;
    for (int32_t i = 0; i < b.count; ++i) {
        lim_point now = node_to_world(c, scale,
                                      p3((double)b.x0[0][i] + (double)b.nodes.d[0][i],
                                         (double)b.x0[1][i] + (double)b.nodes.d[1][i],
                                         (double)b.x0[2][i] + (double)b.nodes.d[2][i]));
        CHECK(p3_length(p3_sub(now, world[i])) < 1e-6);
        for (int k = 0; k < 3; ++k) {
            double d = fabs((double)b.nodes.d[k][i]);
            most = d > most ? d : most;
        }
    }
    CHECK(most < 0.03); /* what is left is the deformation alone */
    free(world);
    free(region_component);
    grid_body_free(&b);
}

TEST_SUITE(match) {
    TEST_BEGIN(argc, argv);
    RUN(backends_and_workers_agree);
    RUN(thin_parts_count_by_number);
    if (TEST_RACES) {
        TEST_END();
    }
    RUN(rest_is_a_fixed_point_bit_for_bit);
    RUN(goals_equal_the_definition);
    RUN(a_turned_body_has_no_pull);
    RUN(momentum_is_kept);
    RUN(a_bar_has_the_modulus_asked_for);
    RUN(reframing_moves_nothing);
    TEST_END();
}

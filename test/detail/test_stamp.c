/* SPDX-License-Identifier: MIT
 * Stamps: their axes, their reach, what they give back, what moves when the contact moves.
 */
#include "detail/stamp.h"
#include "train/stamp_make.h"

#include "base/random.h"
#include "detail_kit.h"
#include "failing_host.h"
#include "test.h"

static const stamp_grid GRID = {.axis = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},
                                .side = 65,
                                .radius = 0.4f,
                                .inner = 0.3f,
                                .depth = 0.2f};

static lim_vec3 random_way(random_stream* r) {
    lim_vec3 v;
    do {
        v = v3(random_range(r, -1, 1), random_range(r, -1, 1), random_range(r, -1, 1));
    } while (!(v3_length(v) > 0.1f && v3_length(v) < 1.0f));
    return v3_unit(v, v3(1, 0, 0));
}

static void axes_are_right_handed_and_turn_back(void) {
    random_stream r = random_seed(1);
    for (int trial = 0; trial < 500; ++trial) {
        lim_vec3 n = random_way(&r), m = random_way(&r), v = random_way(&r);
        if (v3_dot(n, m) < -0.9f || v3_dot(n, GRID.axis[2]) < -0.9f) {
            continue; /* nearly opposite: digits go, and trust with them */
        }
        stamp_place at = stamp_at(&GRID, v, n);
        CHECK_NEAR(v3_length(v3_sub(v3_cross(at.axis[0], at.axis[1]), n)), 0.0, 2e-5);
        lim_vec3 there = stamp_out(&at, m, v), back = stamp_in(&at, m, there);
        CHECK_NEAR(v3_length(there), 1.0, 2e-5);
        CHECK_NEAR(v3_length(v3_sub(back, v)), 0.0, 1e-4);
        CHECK_NEAR(v3_dot(stamp_out(&at, m, v3(0, 0, 1)), m), 1.0, 2e-5); /* outwards is outwards */
        CHECK_NEAR(v3_length(v3_sub(stamp_turn(n, m, n), m)), 0.0, 2e-5);
    }
    lim_vec3 n = {0, 1, 0}, opposite = {0, -1, 0};
    CHECK(v3_finite(stamp_turn(n, opposite, v3(1, 2, 3))));
    CHECK(stamp_at(&GRID, n, opposite).trust == 0.0f && stamp_at(&GRID, n, n).trust == 1.0f);
}

/* Around any path on a ball: a small step turns the axes by little, and they are those of the
 * place, not of the way there. */
static void axes_turn_continuously(void) {
    for (int path = 0; path < 8; ++path) {
        stamp_place before = {.trust = 0};
        for (int step = 0; step <= 2000; ++step) {
            double a = 2 * TRIG_PI * step / 2000, b = 0.3 * path + 0.4 * trig_sin(3 * a);
            lim_vec3 n =
                v3_of(p3(trig_cos(a) * trig_sin(b), trig_cos(b), trig_sin(a) * trig_sin(b)));
            stamp_place at = stamp_at(&GRID, n, n);
            if (step > 0) {
                float turn = v3_length(v3_sub(at.axis[0], before.axis[0]));
                float way = v3_length(v3_sub(at.axis[2], before.axis[2]));
                /* as trust fades the axes spin faster: what counts is their product */
                CHECK(turn * at.trust <= 14.0f * way + 1e-4f);
                CHECK(fabsf(at.trust - before.trust) <= 6.0f * way + 1e-5f);
            }
            before = at;
        }
    }
}

static void nearness_is_smooth_and_leaves_out_the_far_side(void) {
    stamp_place at = stamp_at(&GRID, v3(0, 0, 0), v3(0, 1, 0));
    float texel[2];
    CHECK(stamp_near(&GRID, &at, v3(0, 0, 0), v3(0, 1, 0), texel) == 1.0f);
    CHECK(texel[0] == 32.0f && texel[1] == 32.0f);
    CHECK(stamp_near(&GRID, &at, v3(0.29f, 0, 0), v3(0, 1, 0), texel) == 1.0f);
    CHECK(stamp_near(&GRID, &at, v3(0.4f, 0, 0), v3(0, 1, 0), texel) == 0.0f);
    CHECK(stamp_near(&GRID, &at, v3(0, -0.1f, 0), v3(0, -1, 0), texel) == 0.0f); /* far side */
    CHECK(stamp_near(&GRID, &at, v3(0, -0.2f, 0), v3(0, 1, 0), texel) == 0.0f);  /* too deep */
    CHECK(stamp_near(&GRID, &at, v3(0.2f, 0, -0.1f), v3(0, 1, 0), texel) == 1.0f);
    CHECK_NEAR(texel[0], 48.0, 1e-4);
    CHECK_NEAR(texel[1], 40.0, 1e-4);
    float before = 1.0f;
    for (float t = 0.0f; t < 1.0f; t += 0.001f) { /* outwards, down and turning away, together */
        lim_vec3 n = v3_unit(v3(t, 1.0f - 1.5f * t, 0), v3(0, 1, 0));
        float near = stamp_near(&GRID, &at, v3(0.45f * t, -0.15f * t, 0), n, texel);
        CHECK(near <= before + 1e-6f && before - near < 0.02f);
        before = near;
    }
    CHECK(before == 0.0f);
}

static void samples_are_bilinear(void) {
    static float texels[DETAIL_BLOCK * 600];
    for (int32_t i = 0; i < 65 * 65; ++i) {
        detail_set(texels, i, v3((float)(i % 65), (float)(i / 65), 2.0f));
    }
    for (float x = -1.0f; x < 66.0f; x += 0.37f) {
        const float at[2] = {x, 64.0f - 0.9f * x};
        lim_vec3 v = stamp_sample(&GRID, texels, at);
        CHECK_NEAR(v.x, fmin(64.0, fmax(0.0, (double)at[0])), 1e-4);
        CHECK_NEAR(v.y, fmin(64.0, fmax(0.0, (double)at[1])), 1e-4);
        CHECK_NEAR(v.z, 2.0, 1e-6);
    }
}

/* A layer of one stamp alone, over the skin. */
static void put(kit_skin* k, const float* texels, const stamp_place* at, const float* vector,
                float* sum) {
    const detail_layer layer = {.vector = vector, .grid = &GRID, .texels = texels, .place = *at};
    memset(sum, 0, (size_t)detail_blocks(k->points) * DETAIL_BLOCK * sizeof *sum);
    detail_add(&k->s, &layer, sum);
}

/* The stamp of a bump, put where it was taken, is the bump. */
static void a_stamp_gives_its_example_back(void) {
    for (int which = 0; which < 2; ++which) {
        kit_skin k = which == 0 ? kit_slab(50) : kit_ball(160, 80);
        CHECK(kit_build(&k));
        lim_vec3 n = which == 0 ? v3(0, 1, 0) : v3_unit(v3(0.5f, 0.7f, 0.4f), v3(0, 1, 0));
        lim_vec3 c = which == 0 ? v3(0.5f, 0, 0.5f) : n;
        stamp_place at = stamp_at(&GRID, c, n);
        float *field = kit_dense(&k, k.points), *sum = kit_dense(&k, k.points);
        float* texels = kit_dense(&k, 65 * 65);
        kit_bump(&k, &at, field);
        arena scratch;
        arena_init(&scratch, &k.mem.host);
        CHECK(stamp_make(&scratch, &k.s, &GRID, &at, field, texels) == LIM_OK);
        arena_release(&scratch);
        put(&k, texels, &at, field, sum);
        double worst = 0.0;
        for (int32_t i = 0; i < k.points; ++i) {
            worst =
                fmax(worst, (double)v3_length(v3_sub(detail_get(sum, i), detail_get(field, i))));
        }
        printf("  worst %.2g of a bump of 0.05\n", worst);
        CHECK(worst < 0.0015);
        arena_release(&k.mem);
    }
}

/* Shifted by delta on a plane, the pattern shifts by delta: correlation above 0.99 with the shifted
 * bump. Between two examples stamping shows one bump under the tool, vertex blending two beside it
 * (figure 4 of the paper). The far face stays as it is. */
static void the_pattern_goes_with_the_tool(void) {
    kit_skin k = kit_slab(60);
    CHECK(kit_build(&k));
    lim_vec3 up = {0, 1, 0};
    stamp_place a = stamp_at(&GRID, v3(0.4f, 0, 0.5f), up),
                b = stamp_at(&GRID, v3(0.6f, 0, 0.5f), up);
    stamp_place middle = stamp_at(&GRID, v3(0.5f, 0, 0.5f), up);
    float *field_a = kit_dense(&k, k.points), *field_b = kit_dense(&k, k.points);
    float *wanted = kit_dense(&k, k.points), *vector = kit_dense(&k, k.points);
    float *stamped = kit_dense(&k, k.points), *none = kit_dense(&k, k.points);
    float *ta = kit_dense(&k, 65 * 65), *tb = kit_dense(&k, 65 * 65), *t = kit_dense(&k, 65 * 65);
    kit_bump(&k, &a, field_a);
    kit_bump(&k, &b, field_b);
    kit_bump(&k, &middle, wanted);
    arena scratch;
    arena_init(&scratch, &k.mem.host);
    CHECK(stamp_make(&scratch, &k.s, &GRID, &a, field_a, ta) == LIM_OK);
    CHECK(stamp_make(&scratch, &k.s, &GRID, &b, field_b, tb) == LIM_OK);
    const float half[2] = {0.5f, 0.5f};
    detail_field f[2], ft[2];
    CHECK(detail_field_of(&scratch, field_a, detail_blocks(k.points), 0.0f, &f[0]) == LIM_OK);
    CHECK(detail_field_of(&scratch, field_b, detail_blocks(k.points), 0.0f, &f[1]) == LIM_OK);
    CHECK(detail_field_of(&scratch, ta, detail_blocks(65 * 65), 0.0f, &ft[0]) == LIM_OK);
    CHECK(detail_field_of(&scratch, tb, detail_blocks(65 * 65), 0.0f, &ft[1]) == LIM_OK);
    detail_blend(isa_best(), f, half, 2, detail_blocks(k.points), vector);
    detail_blend(isa_best(), ft, half, 2, detail_blocks(65 * 65), t);
    put(&k, t, &middle, none, stamped);
    double ab = 0.0, aa = 0.0, bb = 0.0, top = 0.0, top_vector = 0.0;
    for (int32_t i = 0; i < k.points; ++i) {
        lim_point p = p3_of(detail_get(stamped, i)), q = p3_of(detail_get(wanted, i));
        ab += p3_dot(p, q);
        aa += p3_dot(p, p);
        bb += p3_dot(q, q);
        top = fmax(top, p.y);
        top_vector = fmax(top_vector, (double)detail_get(vector, i).y);
        CHECK(i < k.points / 2 || p3_length(p) == 0.0);
    }
    printf("  height 0.05: stamped %.4f, blended %.4f; correlation %.4f\n", top, top_vector,
           ab / sqrt(aa * bb));
    CHECK(ab / sqrt(aa * bb) > 0.99);
    CHECK(top > 0.047 && top_vector < 0.03);
    arena_release(&scratch);
    arena_release(&k.mem);
}

/* Around a ball the bump stays a bump of its height, wherever the contact goes, and does not jump.
 */
static void a_stamp_goes_around_a_ball(void) {
    kit_skin k = kit_ball(128, 64);
    CHECK(kit_build(&k));
    lim_vec3 n = v3_unit(v3(0.2f, 0.9f, 0.1f), v3(0, 1, 0));
    stamp_place at = stamp_at(&GRID, n, n);
    float *field = kit_dense(&k, k.points), *none = kit_dense(&k, k.points);
    float *sum = kit_dense(&k, k.points), *before = kit_dense(&k, k.points);
    float* want = kit_dense(&k, k.points);
    float* texels = kit_dense(&k, 65 * 65);
    kit_bump(&k, &at, field);
    arena scratch;
    arena_init(&scratch, &k.mem.host);
    CHECK(stamp_make(&scratch, &k.s, &GRID, &at, field, texels) == LIM_OK);
    arena_release(&scratch);
    double jump = 0.0, worst = 0.0;
    for (int step = 0; step <= 150; ++step) {
        double a = 0.01 * step;
        n = v3_of(p3(trig_sin(a) * 0.8, trig_cos(a), trig_sin(a) * 0.6));
        at = stamp_at(&GRID, n, n);
        put(&k, texels, &at, none, sum);
        kit_bump(&k, &at, want);
        for (int32_t i = 0; i < k.points; ++i) {
            lim_vec3 now = detail_get(sum, i);
            worst = fmax(worst, (double)v3_length(v3_sub(now, detail_get(want, i))));
            if (step > 0) {
                jump = fmax(jump, (double)v3_length(v3_sub(now, detail_get(before, i))));
            }
        }
        memcpy(before, sum, (size_t)detail_blocks(k.points) * DETAIL_BLOCK * sizeof *sum);
    }
    printf("  worst %.2g of a bump of 0.05, jump %.2g\n", worst, jump);
    CHECK(worst < 0.004); /* what triangles of 0.05 leave of it */
    CHECK(jump < 0.01);   /* steps of 0.01 along bumps 0.1 wide and 0.05 high */
    arena_release(&k.mem);
}

static void memory_may_run_out(void) {
    kit_skin k = kit_slab(4);
    CHECK(kit_build(&k));
    stamp_place at = stamp_at(&GRID, v3(0.5f, 0, 0.5f), v3(0, 1, 0));
    float *field = kit_dense(&k, k.points), *texels = kit_dense(&k, 65 * 65);
    failing_host f;
    failing_host_arm(&f, 0);
    arena scratch;
    arena_init(&scratch, &f.host);
    CHECK(stamp_make(&scratch, &k.s, &GRID, &at, field, texels) == LIM_ERROR_MEMORY);
    arena_release(&scratch);
    CHECK(f.held == 0);
    arena_release(&k.mem);
}

TEST_SUITE(stamp) {
    TEST_BEGIN(argc, argv);
    RUN(axes_are_right_handed_and_turn_back);
    RUN(axes_turn_continuously);
    RUN(nearness_is_smooth_and_leaves_out_the_far_side);
    RUN(samples_are_bilinear);
    RUN(a_stamp_gives_its_example_back);
    RUN(the_pattern_goes_with_the_tool);
    RUN(a_stamp_goes_around_a_ball);
    RUN(memory_may_run_out);
    TEST_END();
}

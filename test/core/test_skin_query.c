/* SPDX-License-Identifier: MIT
 * Picking on a skin: against dense sampling, along shared edges, with ties and bad input.
 */
#include "skin/query.h"
#include "skin_fixture.h"

static lim_point hit_point(const skin_fixture* s, const skin_hit* hit) {
    lim_point sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        lim_vec3 p = skin_fixture_position(s, (int32_t)s->indices[3 * hit->triangle + k]);
        sum = p3_mad(sum, p3_of(p), (double)hit->weights[k]);
    }
    return sum;
}

static void make(fixture* f, skin_fixture* s) {
    fixture_block(f, 10, 6, 8, 0.1f);
    skin_fixture_make(s, f, 20, 24, v3(0.5f, 0.3f, 0.4f));
    skin_fixture_run(s, f, 1.0, isa_best(), NULL);
}

static void rays_hit_the_ellipsoid(void) {
    fixture f;
    skin_fixture s;
    make(&f, &s);
    random_stream r = random_seed(31);
    int hits = 0;
    for (int i = 0; i < 500; ++i) {
        lim_vec3 from = v3_scale(v3_unit(random_vec3(&r, -1, 1), v3(1, 0, 0)), 2.0f);
        from.y *= 0.3f;                               /* not into the open poles */
        lim_vec3 to = random_vec3(&r, -0.15f, 0.15f); /* well inside, so away from the poles */
        lim_vec3 direction = v3_scale(v3_sub(to, from), random_range(&r, 0.1f, 3.0f));
        skin_hit hit = skin_ray(s.out.positions, s.indices, s.surface.triangle_count, p3_of(from),
                                direction, 1e9);
        if (hit.triangle < 0) {
            continue;
        }
        hits++;
        lim_point on_ray = p3_mad(p3_of(from), p3_of(direction), hit.distance);
        CHECK_NEAR(p3_length(p3_sub(on_ray, hit_point(&s, &hit))), 0.0, 1e-6);
        lim_vec3 n = skin_triangle_normal(s.out.positions, s.indices, hit.triangle);
        CHECK_NEAR(v3_length(n), 1.0, 1e-6);
        CHECK(v3_dot(n, v3_of(on_ray)) > 0.0f); /* outward, on the near side */
        CHECK(v3_dot(n, direction) < 0.0f);
        /* one triangle at a time finds nothing nearer */
        for (int32_t t = 0; t < s.surface.triangle_count; ++t) {
            skin_hit one =
                skin_ray(s.out.positions, s.indices + 3 * t, 1, p3_of(from), direction, 1e9);
            CHECK(one.triangle < 0 || one.distance > hit.distance ||
                  (one.distance >= hit.distance && t >= hit.triangle));
        }
        CHECK(skin_ray(s.out.positions, s.indices, s.surface.triangle_count, p3_of(from), direction,
                       0.99 * hit.distance)
                  .triangle < 0);
    }
    CHECK(hits > 450);
    skin_fixture_free(&s);
    fixture_free(&f);
}

/* Rays aimed exactly at vertices and edge points of the closed part always hit something there. */
static void no_ray_slips_through_an_edge(void) {
    fixture f;
    skin_fixture s;
    make(&f, &s);
    random_stream r = random_seed(32);
    for (int i = 0; i < 1000; ++i) {
        int32_t triangle = random_index(&r, s.surface.triangle_count);
        lim_vec3 a = skin_fixture_position(&s, (int32_t)s.indices[3 * triangle]);
        lim_vec3 b = skin_fixture_position(&s, (int32_t)s.indices[3 * triangle + 1 + i % 2]);
        if (fabsf(a.y) > 0.29f || fabsf(b.y) > 0.29f) {
            continue; /* the rims of the open poles */
        }
        lim_vec3 target = v3_mad(a, v3_sub(b, a), i % 3 == 0 ? 0.0f : random_unit(&r));
        lim_vec3 from = random_vec3(&r, -0.05f, 0.05f);
        skin_hit hit = skin_ray(s.out.positions, s.indices, s.surface.triangle_count, p3_of(from),
                                v3_sub(target, from), 2.0);
        CHECK(hit.triangle >= 0);
        CHECK_NEAR(hit.distance, 1.0, 1e-4);
    }
    skin_fixture_free(&s);
    fixture_free(&f);
}

static void closest_is_not_beaten_by_samples(void) {
    fixture f;
    skin_fixture s;
    make(&f, &s);
    random_stream r = random_seed(33);
    for (int i = 0; i < 200; ++i) {
        lim_point to = p3_of(random_vec3(&r, -1, 1));
        skin_hit hit =
            skin_closest(s.out.positions, s.indices, s.surface.triangle_count, to, HUGE_VAL);
        CHECK(hit.triangle >= 0);
        CHECK_NEAR(p3_length(p3_sub(to, hit_point(&s, &hit))), hit.distance, 1e-6);
        CHECK_NEAR(hit.weights[0] + hit.weights[1] + hit.weights[2], 1.0, 1e-6);
        CHECK(hit.weights[0] >= 0.0f && hit.weights[1] >= 0.0f && hit.weights[2] >= 0.0f);
        double least = 1e9;
        for (int32_t t = 0; t < s.surface.triangle_count; ++t) {
            for (int u = 0; u <= 6; ++u) {
                for (int v = 0; u + v <= 6; ++v) {
                    skin_hit at = {
                        t, {(float)u / 6.0f, (float)v / 6.0f, (float)(6 - u - v) / 6.0f}, 0.0};
                    double distance = p3_length(p3_sub(to, hit_point(&s, &at)));
                    least = distance < least ? distance : least;
                }
            }
        }
        CHECK(hit.distance <= least + 1e-7);
        CHECK(hit.distance > least - 0.03); /* samples are this near to every point */
        CHECK(skin_closest(s.out.positions, s.indices, s.surface.triangle_count, to,
                           0.99 * hit.distance)
                  .triangle < 0);
    }
    skin_fixture_free(&s);
    fixture_free(&f);
}

static void ties_and_bad_input(void) {
    const float p[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5};
    const uint32_t twice[] = {3, 3, 3, 0, 1, 2, 0, 1, 2}; /* the first has no area */
    skin_hit hit = skin_ray(p, twice, 3, p3(0.2, 0.2, 1), v3(0, 0, -1), 10.0);
    CHECK(hit.triangle == 1);
    CHECK_NEAR(hit.distance, 1.0, 1e-12);
    CHECK(skin_ray(p, twice, 3, p3(0.2, 0.2, 1), v3(0, 0, 1), 10.0).triangle < 0);
    CHECK(skin_ray(p, twice, 3, p3(0.2, 0.2, 1), v3(0, 0, 0), 10.0).triangle < 0);
    CHECK(skin_ray(p, twice, 3, p3(0.2, 0.2, 1), v3(0, NAN, 1), 10.0).triangle < 0);
    CHECK(skin_ray(p, twice, 0, p3(0.2, 0.2, 1), v3(0, 0, -1), 10.0).triangle < 0);
    CHECK(skin_closest(p, twice, 3, p3(0.2, 0.2, 1), 10.0).triangle == 1);
    CHECK(skin_closest(p, twice, 3, p3(5, 5, 6), 10.0).triangle == 0);
    CHECK(skin_closest(p, twice, 3, p3(NAN, 5, 6), 10.0).triangle < 0);
    CHECK(skin_closest(p, twice, 3, p3(0.2, 0.2, 0), 0.0).triangle == 1);
    CHECK(v3_length(skin_triangle_normal(p, twice, 0)) == 0.0f);
    CHECK(skin_triangle_normal(p, twice, 1).z == 1.0f);
}

TEST_SUITE(skin_query) {
    TEST_BEGIN(argc, argv);
    RUN(rays_hit_the_ellipsoid);
    RUN(no_ray_slips_through_an_edge);
    RUN(closest_is_not_beaten_by_samples);
    RUN(ties_and_bad_input);
    TEST_END();
}

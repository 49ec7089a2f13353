/* SPDX-License-Identifier: MIT
 * Picking against brute force over every triangle of every skin, in double.
 */
#include "base/random.h"
#include "world_kit.h"

typedef struct point {
    double x, y, z;
} point;

static point minus(point a, point b) {
    return (point){a.x - b.x, a.y - b.y, a.z - b.z};
}
static point plus(point a, point b, double s) {
    return (point){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static point cross(point a, point b) {
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static double dot(point a, point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static point corner(const lim_skin_view* v, int32_t triangle, int k) {
    const float* p = v->positions + 3 * v->indices[3 * triangle + k];
    return (point){v->origin.x + (double)p[0], v->origin.y + (double)p[1],
                   v->origin.z + (double)p[2]};
}

/* Ray against one triangle: where the ray meets the plane, inside all three edges. */
static double ray_triangle(const lim_skin_view* v, int32_t t, point from, point along) {
    point a = corner(v, t, 0), b = corner(v, t, 1), c = corner(v, t, 2);
    point n = cross(minus(b, a), minus(c, a));
    double slope = dot(n, along);
    if (fabs(slope) < 1e-14) {
        return INFINITY;
    }
    double s = dot(n, minus(a, from)) / slope;
    point p = plus(from, along, s);
    bool inside = dot(n, cross(minus(b, a), minus(p, a))) >= 0 &&
                  dot(n, cross(minus(c, b), minus(p, b))) >= 0 &&
                  dot(n, cross(minus(a, c), minus(p, c))) >= 0;
    return inside && s >= 0.0 ? s : INFINITY;
}

/* Distance to a triangle by trying its face and its three edges. */
static double triangle_distance(const lim_skin_view* v, int32_t t, point at) {
    point a[3] = {corner(v, t, 0), corner(v, t, 1), corner(v, t, 2)};
    point n = cross(minus(a[1], a[0]), minus(a[2], a[0]));
    double best = INFINITY, nn = dot(n, n);
    bool over = nn > 0.0;
    for (int k = 0; k < 3; ++k) {
        point e = minus(a[(k + 1) % 3], a[k]), d = minus(at, a[k]);
        double s = dot(e, e) > 0.0 ? dot(d, e) / dot(e, e) : 0.0;
        s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
        point r = minus(at, plus(a[k], e, s));
        best = fmin(best, sqrt(dot(r, r)));
        over = over && dot(n, cross(e, d)) >= 0.0;
    }
    return over ? fmin(best, fabs(dot(n, minus(at, a[0]))) / sqrt(nn)) : best;
}

static point random_point(random_stream* r, double size) {
    point p;
    p.x = size * (double)random_range(r, -1, 1);
    p.y = size * (double)random_range(r, -1, 1);
    p.z = size * (double)random_range(r, -1, 1);
    return p;
}

static void compare(kit_scene* s, random_stream* r, int rounds) {
    lim_skin_view view[3];
    for (int k = 0; k < 3; ++k) {
        CHECK(lim_body_get_skin(s->world, s->body[k], &view[k]) == LIM_OK);
    }
    int hits = 0;
    for (int i = 0; i < rounds; ++i) {
        point from = random_point(r, 6.0), to = random_point(r, 0.8);
        to.x += 2.0 * (i % 3) - 2.0; /* about where the bodies are */
        to.y += 1.2;
        point along = minus(to, from);
        double length = sqrt(dot(along, along));
        along = (point){along.x / length, along.y / length, along.z / length};
        double best = INFINITY, limit = i % 4 == 0 ? 3.0 : 100.0;
        int which = -1;
        for (int k = 0; k < 3; ++k) {
            for (int32_t t = 0; t < view[k].triangle_count; ++t) {
                double d = ray_triangle(&view[k], t, from, along);
                if (d < best && d <= limit) {
                    best = d;
                    which = k;
                }
            }
        }
        lim_hit hit;
        lim_vec3 way = {(float)(3.0 * along.x), (float)(3.0 * along.y), (float)(3.0 * along.z)};
        CHECK(lim_world_pick(s->world, (lim_point){from.x, from.y, from.z}, way, limit, &hit) ==
              LIM_OK);
        CHECK((hit.body.generation != 0) == (which >= 0));
        if (which >= 0 && hit.body.generation != 0) {
            ++hits;
            CHECK(hit.body.index == s->body[which].index);
            CHECK_NEAR(hit.distance, best, 1e-5);
            point p = plus(from, along, best);
            CHECK_NEAR(hit.point.x, p.x, 1e-4);
            CHECK_NEAR(hit.point.y, p.y, 1e-4);
            CHECK_NEAR(hit.point.z, p.z, 1e-4);
            CHECK_NEAR(hit.weights[0] + hit.weights[1] + hit.weights[2], 1.0, 1e-5);
            CHECK_NEAR(hit.normal.x * hit.normal.x + hit.normal.y * hit.normal.y +
                           hit.normal.z * hit.normal.z,
                       1.0, 1e-4);
        }
        /* Closest point of one body. */
        int k = i % 3;
        double nearest = INFINITY;
        for (int32_t t = 0; t < view[k].triangle_count; ++t) {
            nearest = fmin(nearest, triangle_distance(&view[k], t, to));
        }
        CHECK(lim_body_closest_point(s->world, s->body[k], (lim_point){to.x, to.y, to.z}, &hit) ==
              LIM_OK);
        CHECK_NEAR(hit.distance, nearest, 1e-5);
        point away = minus(to, (point){hit.point.x, hit.point.y, hit.point.z});
        CHECK_NEAR(sqrt(dot(away, away)), nearest, 1e-5);
    }
    CHECK(hits > rounds / 10);
}

static void picks_equal_brute_force(void) {
    lim_model *a = kit_model(80, NULL), *b = kit_model(60, NULL);
    kit_scene s = kit_everything(a, b, NULL, 1);
    random_stream r = random_seed(3);
    compare(&s, &r, 100);
    kit_everything_steps(&s, 0, 40);
    compare(&s, &r, 200);
    CHECK(lim_world_advance(s.world, 0.025f, NULL) == LIM_OK); /* on interpolated skins */
    compare(&s, &r, 100);
    lim_world_destroy(s.world);
    lim_model_destroy(a);
    lim_model_destroy(b);
}

static void picks_far_from_the_origin_are_as_exact(void) {
    lim_model* model = kit_model(60, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = (lim_point){1e4, -2e4, 3e4};
    lim_body b;
    CHECK(lim_body_create(world, &desc, &b) == LIM_OK);
    lim_hit hit;
    CHECK(lim_world_pick(world, (lim_point){1e4, -2e4 + 5, 3e4}, (lim_vec3){0, -2, 0}, INFINITY,
                         &hit) == LIM_OK);
    CHECK(hit.body.index == b.index && hit.body.generation == b.generation);
    CHECK_NEAR(hit.distance, 4.4, 1e-6);
    CHECK_NEAR(hit.point.y, -2e4 + 0.6, 1e-6);
    CHECK(hit.normal.y > 0.8f);
    CHECK(lim_world_pick(world, (lim_point){1e4, -2e4 + 5, 3e4}, (lim_vec3){0, 1, 0}, INFINITY,
                         &hit) == LIM_OK);
    CHECK(hit.body.generation == 0);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

TEST_SUITE(world_pick) {
    TEST_BEGIN(argc, argv);
    RUN(picks_equal_brute_force);
    RUN(picks_far_from_the_origin_are_as_exact);
    TEST_END();
}

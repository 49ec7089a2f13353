/* SPDX-License-Identifier: MIT
 * Hulls, meshes and height fields: distances against all triangles one by one, signs against
 * winding numbers, hulls against their points, the front, swept tests, frames.
 * `test_collider_shapes costs` prints what a distance costs; no time is checked.
 */
#include "base/timer.h"
#include "contact/contact.h"
#include "math/trig.h"
#include "mesh/triangle.h"
#include "shape_kit.h"

static lim_point random_point(random_stream* r, double size) {
    double x = (double)random_range(r, -1, 1), y = (double)random_range(r, -1, 1);
    return p3_scale(p3(x, y, (double)random_range(r, -1, 1)), size);
}

static collider_asset* make(const lim_collider_desc* d) {
    asset_source from = {.shape = d->shape,
                         .point_count = d->point_count,
                         .triangle_count = d->triangle_count,
                         .columns = d->columns,
                         .rows = d->rows,
                         .points = d->points,
                         .indices = d->indices,
                         .heights = d->heights,
                         .step_x = d->size.x,
                         .step_z = d->size.z};
    const char *what = "", *cure = "";
    lim_host host = mem_host(NULL);
    collider_asset* a = NULL;
    CHECK(asset_make(&from, &host, &a, &what, &cure) == LIM_OK);
    return a;
}

/* The triangles of a mesh or a height field, as the test sees them. */
typedef struct triangles {
    int32_t count;
    lim_point corner[3 * 8192];
} triangles;
static triangles all;

static void list_triangles(const lim_collider_desc* d) {
    all.count = 0;
    if (d->shape == LIM_SHAPE_MESH) {
        for (int32_t i = 0; i < 3 * d->triangle_count; ++i) {
            all.corner[i] = p3_of(d->points[d->indices[i]]);
        }
        all.count = d->triangle_count;
        return;
    }
    for (int r = 0; r + 1 < d->rows; ++r) {
        for (int c = 0; c + 1 < d->columns; ++c) {
            lim_point p[4];
            for (int k = 0; k < 4; ++k) {
                int i = c + k % 2, j = r + k / 2;
                p[k] = p3((i - 0.5 * (d->columns - 1)) * (double)d->size.x,
                          (double)d->heights[j * d->columns + i],
                          (j - 0.5 * (d->rows - 1)) * (double)d->size.z);
            }
            const int corner[6] = {0, 3, 1, 0, 2, 3};
            for (int k = 0; k < 6; ++k) {
                all.corner[3 * all.count + k] = p[corner[k]];
            }
            all.count += 2;
        }
    }
}

static double nearest_of_all(lim_point at) {
    double best = HUGE_VAL, w[3];
    for (int32_t i = 0; i < all.count; ++i) {
        const lim_point* t = all.corner + 3 * i;
        double d2 = triangle_closest(t[0], t[1], t[2], at, w);
        best = d2 < best ? d2 : best;
    }
    return sqrt(best);
}

/* Solid angle of all triangles over 4 pi (van Oosterom, Strackee 1983). */
static double winding(lim_point at) {
    double sum = 0.0;
    for (int32_t i = 0; i < all.count; ++i) {
        const lim_point* t = all.corner + 3 * i;
        lim_point a = p3_sub(t[0], at), b = p3_sub(t[1], at), c = p3_sub(t[2], at);
        double la = p3_length(a), lb = p3_length(b), lc = p3_length(c);
        sum +=
            2.0 * trig_atan2(p3_dot(a, p3_cross(b, c)), la * lb * lc + p3_dot(a, b) * lc +
                                                            p3_dot(b, c) * la + p3_dot(c, a) * lb);
    }
    return sum / (4.0 * TRIG_PI);
}

/* Half of the places anywhere, half close to a corner, an edge or a face. */
static lim_point place_near(random_stream* r, double size) {
    if (random_index(r, 2) == 0) {
        return random_point(r, size);
    }
    const lim_point* t = all.corner + 3 * random_index(r, all.count);
    double u = (double)random_range(r, 0, 1), v = (double)random_range(r, 0, 1) * (1.0 - u);
    u = random_index(r, 3) == 0 ? 0.0 : u;
    v = random_index(r, 3) == 0 ? 0.0 : v;
    const double w[3] = {1.0 - u - v, u, v};
    return p3_add(triangle_point_at(t[0], t[1], t[2], w), random_point(r, 0.02));
}

/* The normal is the slope of the distance. */
static void check_slope(const collider_asset* a, lim_point at, double distance, lim_point normal) {
    CHECK_NEAR(p3_length(normal), 1.0, 1e-6);
    lim_point none;
    double step = 1e-4 * (distance < 0.0 ? -1.0 : 1.0);
    double on = asset_distance(a, p3_mad(at, normal, -distance + step), &none);
    CHECK_NEAR(on, step, 2e-5); /* on the surface, moved off along the normal */
}

static void meshes_agree_with_all_triangles(void) {
    random_stream r = random_seed(7);
    for (int closed = 0; closed < 2; ++closed) {
        lim_collider_desc d = {0};
        if (closed) {
            shape_torus(&d, 1.0, 0.4, 24, 14);
        } else {
            shape_sheet(&d, 2.0, 0.3, 16);
        }
        list_triangles(&d);
        collider_asset* a = make(&d);
        CHECK(a->solid == (closed == 1));
        int inside = 0;
        for (int i = 0; i < 4000; ++i) {
            lim_point at = place_near(&r, 1.6), normal;
            double got = asset_distance(a, at, &normal), want = nearest_of_all(at);
            CHECK_NEAR(fabs(got), want, 1e-6);
            if (closed && want > 1e-6) {
                CHECK((fabs(winding(at)) > 0.5) == (got < 0.0));
                inside += got < 0.0;
            }
            CHECK(closed || got >= 0.0);
            CHECK_NEAR(p3_length(normal), 1.0, 1e-6);
        }
        CHECK(!closed || inside > 200);
        asset_release(a);
    }
}

static void landscapes_agree_with_all_triangles(void) {
    random_stream r = random_seed(8);
    const int sides[3][2] = {{2, 2}, {17, 12}, {40, 33}};
    for (int s = 0; s < 3; ++s) {
        lim_collider_desc d = {0};
        shape_land(&d, 2.0, 0.4, sides[s][0], sides[s][1]);
        list_triangles(&d);
        collider_asset* a = make(&d);
        int inside = 0, beside = 0;
        for (int i = 0; i < 3000; ++i) {
            lim_point at = place_near(&r, 1.5), normal, up;
            double got = asset_distance(a, at, &normal), want = nearest_of_all(at);
            /* below: a way straight up meets a triangle */
            double share;
            bool below = asset_sweep(a, p3_add(at, p3(0, 9, 0)), at, &share, &up);
            double out = fmax(fabs(at.x), fabs(at.z)) - 1.0;
            if (out > 1e-6) {
                CHECK(got >= 0.0 && got <= want + 1e-6);
                double x = fmax(fabs(at.x) - 1.0, 0.0), z = fmax(fabs(at.z) - 1.0, 0.0);
                CHECK(fabs(got - want) < 1e-6 || fabs(got - sqrt(x * x + z * z)) < 1e-6);
                beside++;
            } else if (out < -1e-6 && want > 1e-6) {
                CHECK((got < 0.0) == below);
                CHECK_NEAR(fabs(got), below && -out < want ? -out : want, 1e-6);
                inside += below;
            }
        }
        CHECK(inside > 100 && beside > 100);
        asset_release(a);
    }
}

/* Farthest point of the hull along a direction. */
static double support(const lim_collider_desc* d, lim_point n) {
    double most = -HUGE_VAL;
    for (int32_t i = 0; i < d->point_count; ++i) {
        double x = p3_dot(n, p3_of(d->points[i]));
        most = x > most ? x : most;
    }
    return most;
}

static void hulls_hold_their_points(void) {
    random_stream r = random_seed(9);
    for (int s = 0; s < 60; ++s) {
        lim_collider_desc d = {0};
        int32_t count = s < 3 ? 4 + s : s == 3 ? 1024 : 8 + random_index(&r, 120);
        shape_hull(&d, &r, count, (lim_vec3){0.8f, 0.5f, 0.3f});
        if (s % 5 == 4) { /* a grid: everything in planes and on lines */
            for (int32_t i = 0; i < 64; ++i) {
                shape_hull_arrays.points[i] =
                    (lim_vec3){(float)(i % 4), (float)(i / 4 % 4), (float)(i / 16)};
            }
            d.point_count = 64;
        }
        collider_asset* a = make(&d);
        if (a == NULL) {
            return;
        }
        /* Euler: a closed surface of triangles; each edge once in each direction */
        for (int32_t f = 0; f < a->face_count; ++f) {
            CHECK(support(&d, a->face[f].normal) <= a->face[f].offset + 1e-6);
        }
        lim_point normal;
        for (int32_t i = 0; i < d.point_count; ++i) {
            CHECK(asset_distance(a, p3_of(d.points[i]), &normal) < 1e-6);
        }
        for (int i = 0; i < 300; ++i) {
            lim_point at = random_point(&r, 1.5);
            double got = asset_distance(a, at, &normal);
            /* No plane across any direction can part the point from the hull by more, and the one
             * across the normal does by as much. */
            CHECK_NEAR(p3_dot(normal, at) - support(&d, normal), got, 1e-6);
            for (int k = 0; k < 40; ++k) {
                lim_point n = random_point(&r, 1.0);
                n = p3_scale(n, 1.0 / p3_length(n));
                CHECK(p3_dot(n, at) - support(&d, n) <= got + 1e-6);
            }
            if (got > 1e-3) {
                check_slope(a, at, got, normal);
            }
        }
        asset_release(a);
    }
}

/* Rotated, moved, and seen in other lengths. */
static void frames_do_not_matter(void) {
    random_stream r = random_seed(10);
    for (int s = 0; s < 4; ++s) {
        lim_collider_desc d = {0};
        s == 0   ? shape_hull(&d, &r, 60, (lim_vec3){0.8f, 0.5f, 0.3f})
        : s == 1 ? shape_torus(&d, 1.0, 0.4, 24, 14)
        : s == 2 ? shape_sheet(&d, 2.0, 0.3, 16)
                 : shape_land(&d, 2.0, 0.4, 17, 12);
        collider_asset* a = make(&d);
        lim_point q = random_point(&r, 1.0);
        collider c = {.shape = d.shape,
                      .position = p3(30, -20, 50),
                      .orientation = dquat_unit((dquat){q.x, q.y, q.z, 0.5}),
                      .asset = a,
                      .scale = 1.0};
        component frame = {.origin = p3(31, -21, 50.5),
                           .rotation = dquat_unit((dquat){0.1, -0.4, 0.3, 0.8})};
        double scale = 0.37;
        collider seen = collider_in_frame(&c, &frame, scale);
        for (int i = 0; i < 500; ++i) {
            lim_point own = random_point(&r, 1.5), n1;
            lim_point at = p3_add(c.position, dquat_rotate(c.orientation, own));
            lim_point in_frame =
                p3_scale(dquat_rotate(dquat_conjugate(frame.rotation), p3_sub(at, frame.origin)),
                         1.0 / scale);
            lim_vec3 n2, n3;
            double d1 = asset_distance(a, own, &n1), d2 = collider_distance(&c, at, &n2);
            double d3 = scale * collider_distance(&seen, in_frame, &n3);
            CHECK_NEAR(d1, d2, 1e-9);
            CHECK_NEAR(d1, d3, 1e-6); /* its size is a float */
            CHECK_NEAR(p3_length(p3_sub(dquat_rotate(c.orientation, n1), p3_of(n2))), 0.0, 1e-3);
        }
        asset_release(a);
    }
}

/* Who is in front of the front by some distance is at least as far from the collider. */
static void fronts_have_all_behind_them(void) {
    random_stream r = random_seed(11);
    for (int s = 0; s < 4; ++s) {
        lim_collider_desc d = {0};
        s == 0   ? shape_hull(&d, &r, 60, (lim_vec3){0.8f, 0.5f, 0.3f})
        : s == 1 ? shape_torus(&d, 1.0, 0.4, 24, 14)
        : s == 2 ? shape_sheet(&d, 2.0, 0.3, 16)
                 : shape_land(&d, 2.0, 0.4, 17, 12);
        collider_asset* a = make(&d);
        collider c = {.shape = d.shape,
                      .position = p3(3, 2, -1),
                      .orientation = dquat_unit((dquat){0.2, 0.5, -0.1, 0.5}),
                      .asset = a,
                      .scale = 1.0};
        for (int i = 0; i < 200; ++i) {
            lim_point at = p3_add(c.position, random_point(&r, 4.0));
            collider_front f = collider_front_at(&c, at, p3(0, 0, 0), 10.0);
            for (int k = 0; k < 20; ++k) {
                lim_point p = p3_add(c.position, random_point(&r, 3.0));
                double ahead = (double)collider_front_gap(&f, v3_of(p)) - (double)f.slack;
                CHECK(collider_gap(&c, p) >= ahead - 1e-6);
            }
        }
        asset_release(a);
    }
}

/* What is said to be far without asking for its distance is. */
static void what_is_surely_far_is_far(void) {
    random_stream r = random_seed(14);
    for (int s = 0; s < 5; ++s) { /* the last is flat: the bound is the distance */
        lim_collider_desc d = {0};
        s == 0   ? shape_hull(&d, &r, 60, (lim_vec3){0.8f, 0.5f, 0.3f})
        : s == 1 ? shape_torus(&d, 1.0, 0.4, 24, 14)
        : s == 2 ? shape_sheet(&d, 2.0, 0.3, 16)
                 : shape_land(&d, 2.0, s == 3 ? 0.4 : 0.0, 17, 12);
        collider_asset* a = make(&d);
        collider c = {.shape = d.shape,
                      .position = p3(3, 2, -1),
                      .orientation = dquat_unit((dquat){0.2, 0.5, -0.1, 0.5}),
                      .asset = a,
                      .scale = 2.5};
        collider_last last = {0};
        lim_point at = c.position;
        int32_t far = 0;
        for (int i = 0; i < 4000; ++i) {
            at = i % 40 == 0 ? p3_add(c.position, random_point(&r, 0.6))
                             : p3_add(at, random_point(&r, 0.05));
            double margin = i % 3 == 0 ? 0.0 : 0.1 * (double)random_unit(&r);
            bool sure = collider_surely_far(&c, &last, at, margin);
            double gap = collider_gap(&c, at);
            CHECK(!sure || gap > margin);
            far += sure;
            if (!sure) {
                last = (collider_last){at, gap};
            }
        }
        CHECK(s == 0 ? far == 0 : far > 400);
        asset_release(a);
    }
}

static void ways_meet_what_they_cross(void) {
    random_stream r = random_seed(12);
    for (int s = 0; s < 2; ++s) {
        lim_collider_desc d = {0};
        s == 0 ? shape_torus(&d, 1.0, 0.4, 24, 14) : shape_sheet(&d, 2.0, 0.3, 16);
        list_triangles(&d);
        collider_asset* a = make(&d);
        int met = 0;
        for (int i = 0; i < 3000; ++i) {
            lim_point from = random_point(&r, 1.5), to = random_point(&r, 1.5);
            lim_point along = p3_sub(to, from), n = p3(0, 0, 0);
            double first = HUGE_VAL, share = HUGE_VAL, w[3], t;
            int crossings = 0;
            for (int32_t k = 0; k < all.count; ++k) {
                const lim_point* q = all.corner + 3 * k;
                if (triangle_ray(q[0], q[1], q[2], from, along, w, &t) && t <= 1.0) {
                    crossings++;
                    lim_point up = p3_cross(p3_sub(q[1], q[0]), p3_sub(q[2], q[0]));
                    bool against =
                        s == 1 ||
                        p3_dot(up, along) * (winding(p3(1, 0, 0)) < 0.0 ? -1.0 : 1.0) < 0.0;
                    first = against && t < first ? t : first;
                }
            }
            CHECK(asset_parts(a, from, to) == (crossings % 2 == 1));
            bool found = asset_sweep(a, from, to, &share, &n);
            CHECK(found == (first <= 1.0));
            if (found) {
                CHECK_NEAR(share, first, 1e-5);
                CHECK(p3_dot(n, along) < 0.0);
                met++;
            }
        }
        CHECK(met > 500);
        asset_release(a);
    }
}

static bool refused(const asset_source* from, const char* word) {
    const char *what = "", *cure = "";
    lim_host host = mem_host(NULL);
    collider_asset* a = NULL;
    lim_result result = asset_make(from, &host, &a, &what, &cure);
    asset_release(a);
    return result == LIM_ERROR_ARGUMENT && strstr(what, word) != NULL && cure[0] != 0;
}

static void nonsense_is_refused(void) {
    lim_vec3 p[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}};
    uint32_t index[6] = {0, 1, 2, 0, 0, 1};
    float height[4] = {0, 0, 0, 0};
    asset_source hull = {.shape = LIM_SHAPE_HULL, .points = p, .point_count = 5};
    asset_source bad = hull;
    bad.point_count = 4;
    CHECK(refused(&bad, "plane"));
    bad.point_count = 3;
    CHECK(refused(&bad, "point_count"));
    bad.point_count = 5000;
    CHECK(refused(&bad, "point_count"));
    bad = hull;
    bad.points = NULL;
    CHECK(refused(&bad, "points"));
    asset_source mesh = hull;
    mesh.shape = LIM_SHAPE_MESH;
    mesh.indices = index;
    mesh.triangle_count = 2; /* one without an area is left out */
    bad = mesh;
    bad.indices = index + 3;
    bad.triangle_count = 1;
    CHECK(refused(&bad, "area"));
    bad.triangle_count = 0;
    CHECK(refused(&bad, "triangle_count"));
    bad = mesh;
    bad.indices = NULL;
    CHECK(refused(&bad, "indices"));
    const char *what, *cure;
    lim_host host = mem_host(NULL);
    collider_asset* a = NULL;
    CHECK(asset_make(&mesh, &host, &a, &what, &cure) == LIM_OK && !a->solid);
    asset_release(a);
    index[1] = 5;
    CHECK(refused(&mesh, "point_count"));
    p[4].z = NAN;
    CHECK(refused(&hull, "finite"));
    p[4].z = 2e6f;
    CHECK(refused(&hull, "1e6"));
    asset_source land = {.shape = LIM_SHAPE_HEIGHTS,
                         .heights = height,
                         .columns = 2,
                         .rows = 2,
                         .step_x = 1.0f,
                         .step_z = 1.0f};
    bad = land;
    bad.columns = 1;
    CHECK(refused(&bad, "columns"));
    bad.columns = 4097;
    CHECK(refused(&bad, "columns"));
    bad = land;
    bad.step_z = 0.0f;
    CHECK(refused(&bad, "spacing"));
    bad = land;
    bad.heights = NULL;
    CHECK(refused(&bad, "heights"));
    height[3] = INFINITY;
    CHECK(refused(&land, "finite"));
}

enum { COST_POINTS = 4096 };
static lim_point cost_point[COST_POINTS];

/* Least of some runs, nanoseconds per distance. */
static double cost_of(const collider* c) {
    double best = HUGE_VAL, sum = 0.0;
    lim_vec3 normal;
    for (int run = 0; run < 20; ++run) {
        double begin = timer_now(NULL);
        for (int i = 0; i < COST_POINTS; ++i) {
            sum += collider_distance(c, cost_point[i], &normal);
        }
        double took = (timer_now(NULL) - begin) * 1e9 / (double)COST_POINTS;
        best = took < best ? took : best;
    }
    CHECK(isfinite(sum));
    return best;
}

static void print_cost(const char* name, collider c, double size, double height) {
    random_stream r = random_seed(12);
    for (int i = 0; i < COST_POINTS; ++i) {
        lim_point p = random_point(&r, 1.5);
        cost_point[i] = p3(size * p.x, height * p.y, size * p.z);
    }
    double around = cost_of(&c);
    for (int i = 0; i < COST_POINTS; ++i) { /* to the surface, and a little off it */
        lim_vec3 normal;
        double gap = collider_distance(&c, cost_point[i], &normal);
        double off = 0.02 * height * (double)random_range(&r, -1, 1);
        cost_point[i] = p3_mad(cost_point[i], p3_of(normal), off - gap);
    }
    printf("  %-32s %8.0f around %8.0f at the surface, ns\n", name, around, cost_of(&c));
}

static void print_asset_cost(const char* name, const lim_collider_desc* d, double size,
                             double height) {
    collider c = {.shape = d->shape, .orientation = {0, 0, 0, 1}, .asset = make(d), .scale = 1.0};
    print_cost(name, c, size, height);
    asset_release(c.asset);
}

static void costs_of_distances(void) {
    random_stream r = random_seed(11);
    collider c = {.orientation = {0, 0, 0, 1}, .size = {0.5f, 0.4f, 0.3f}, .scale = 1.0};
    const char* const name[4] = {"plane", "sphere", "capsule", "box"};
    const lim_shape shape[4] = {LIM_SHAPE_PLANE, LIM_SHAPE_SPHERE, LIM_SHAPE_CAPSULE,
                                LIM_SHAPE_BOX};
    for (int k = 0; k < 4; ++k) {
        c.shape = shape[k];
        print_cost(name[k], c, 0.8, 0.8);
    }
    lim_collider_desc d = {0};
    shape_hull(&d, &r, 60, (lim_vec3){0.8f, 0.8f, 0.8f});
    print_asset_cost("hull of 60 points", &d, 0.8, 0.8);
    shape_torus(&d, 0.7, 0.3, 28, 12);
    print_asset_cost("closed mesh of 672 triangles", &d, 1.0, 1.0);
    shape_torus(&d, 0.7, 0.3, 80, 50);
    print_asset_cost("closed mesh of 8,000 triangles", &d, 1.0, 1.0);
    shape_land(&d, 16.0, 0.6, 64, 64);
    print_asset_cost("height field of 64 x 64", &d, 8.0, 2.0);
}

TEST_SUITE(collider_shapes) {
    TEST_BEGIN(argc, argv);
    if (argc > 1) {
        RUN(costs_of_distances);
    }
    RUN(meshes_agree_with_all_triangles);
    RUN(landscapes_agree_with_all_triangles);
    RUN(hulls_hold_their_points);
    RUN(frames_do_not_matter);
    RUN(fronts_have_all_behind_them);
    RUN(what_is_surely_far_is_far);
    RUN(ways_meet_what_they_cross);
    RUN(nonsense_is_refused);
    TEST_END();
}

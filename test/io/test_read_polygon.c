/* SPDX-License-Identifier: MIT
 * Job: polygons to triangles. The oracle: triangles of a simple polygon all turn its way and their
 * areas sum to the polygon's, which together mean that they cover it once.
 */
#include "base/random.h"
#include "io/polygon.h"
#include "test.h"

static const lim_host* host(void) {
    static lim_host filled;
    filled = mem_host(NULL);
    return &filled;
}

/* Twice the area in the plane z = 0. */
static double cross_of(const double* p, int32_t a, int32_t b, int32_t c) {
    return (p[3 * b] - p[3 * a]) * (p[3 * c + 1] - p[3 * a + 1]) -
           (p[3 * b + 1] - p[3 * a + 1]) * (p[3 * c] - p[3 * a]);
}

static double area_of(const double* p, int32_t count) {
    double sum = 0.0;
    for (int32_t i = 1; i + 1 < count; ++i) {
        sum += cross_of(p, 0, i, i + 1);
    }
    return sum;
}

/* Flat polygons that turn left. */
static void check_cover(const double* p, int32_t count) {
    polygon_work work = {.budget = 100000000};
    CHECK(polygon_triangulate(&work, host(), p, count) == POLYGON_OK);
    CHECK(work.triangles.count == 3 * (count - 2));
    double sum = 0.0;
    for (int32_t t = 0; t < work.triangles.count; t += 3) {
        const int32_t* c = work.triangles.data + t;
        double area = cross_of(p, c[0], c[1], c[2]);
        CHECK(area > 0.0);
        sum += area;
    }
    CHECK_NEAR(sum, area_of(p, count), 1e-9 * fabs(sum));
    polygon_free(&work, host());
}

static void stars_are_covered(void) {
    random_stream r = random_seed(3);
    for (int round = 0; round < 300; ++round) {
        enum { MOST = 60 };
        double p[3 * MOST];
        int32_t count = 4 + random_index(&r, MOST - 4);
        for (int32_t i = 0; i < count; ++i) {
            double angle = 6.283185307179586 * (double)i / (double)count;
            double radius = (double)random_range(&r, 0.05f, 1.0f);
            p[3 * i] = radius * cos(angle);
            p[3 * i + 1] = radius * sin(angle);
            p[3 * i + 2] = 0.0;
        }
        if (count > 6) {
            check_cover(p, count);
        }
    }
}

/* A comb on a grid: long, with many corners on one line. */
static void combs_with_straight_corners_are_covered(void) {
    enum { TEETH = 40 };
    double p[3 * (4 * TEETH + 2)];
    int32_t count = 0;
    for (int i = 0; i < 4 * TEETH; ++i) { /* up, across, down, across */
        double x = (double)(i / 2), y = i % 4 == 1 || i % 4 == 2 ? 5.0 : 1.0;
        p[3 * count] = -x;
        p[3 * count + 1] = y;
        p[3 * count++ + 2] = 0.0;
    }
    double ends[2] = {-(double)(2 * TEETH - 1), 0.0};
    for (int i = 0; i < 2; ++i) {
        p[3 * count] = ends[i];
        p[3 * count + 1] = 0.0;
        p[3 * count++ + 2] = 0.0;
    }
    check_cover(p, count);
}

static void straight_corners_make_no_flat_triangle(void) {
    static const double square[] = {0, 0, 0, 1, 0, 0, 2, 0,   0, 2, 1, 0, 2, 2,   0,
                                    1, 2, 0, 0, 2, 0, 0, 1.5, 0, 0, 1, 0, 0, 0.5, 0};
    check_cover(square, 10);
    /* A triangle with corners on all sides, from each corner on. */
    static const double sides[6][2] = {{0, 0}, {1, 0}, {2, 0}, {1, 1}, {0, 2}, {0, 1}};
    for (int first = 0; first < 6; ++first) {
        double p[18];
        for (int i = 0; i < 6; ++i) {
            p[3 * i] = sides[(first + i) % 6][0];
            p[3 * i + 1] = sides[(first + i) % 6][1];
            p[3 * i + 2] = 0.0;
        }
        check_cover(p, 6);
    }
}

/* A square hole joined to the border by a doubled edge, as exporters write it. */
static void holes_with_a_bridge_are_covered(void) {
    static const double p[] = {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0, 0, 0, 0,
                               1, 1, 0, 1, 3, 0, 3, 3, 0, 3, 1, 0, 1, 1, 0};
    check_cover(p, 10);
}

static void any_plane_and_scale_will_do(void) {
    static const double scales[] = {1.0, 1e-200, 1e200, 1e-310};
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t s = 0; s < 4; ++s) {
            double p[12] = {0};
            static const double dart[4][2] = {{0, 0}, {4, 4}, {1, 0}, {4, -4}};
            for (int i = 0; i < 4; ++i) {
                p[3 * i + (axis + 1) % 3] = dart[i][0] * scales[s];
                p[3 * i + (axis + 2) % 3] = dart[i][1] * scales[s];
            }
            polygon_work work = {.budget = 1000};
            CHECK(polygon_triangulate(&work, host(), p, 4) == POLYGON_OK);
            /* The hollow corner 2 must be in both triangles: a fan from 1 would leave the dart. */
            for (int t = 0; t < 6; t += 3) {
                const int32_t* c = work.triangles.data + t;
                CHECK(c[0] == 2 || c[1] == 2 || c[2] == 2);
                CHECK(c[0] == 0 || c[1] == 0 || c[2] == 0);
            }
            polygon_free(&work, host());
        }
    }
}

static void crossing_and_broken_polygons_become_fans(void) {
    static const double bowtie[] = {0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0};
    double broken[] = {0, 0, 0, 1, (double)NAN, 0, 1, 0, 0, 0, 1, 0};
    double line[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
    double point[12] = {0};
    const double* all[] = {bowtie, broken, line, point};
    for (int i = 0; i < 4; ++i) {
        polygon_work work = {.budget = 1000};
        CHECK(polygon_triangulate(&work, host(), all[i], 4) == POLYGON_CROSSING);
        static const int32_t fan[] = {0, 1, 2, 0, 2, 3};
        CHECK(work.triangles.count == 6 && memcmp(work.triangles.data, fan, sizeof fan) == 0);
        polygon_free(&work, host());
    }
    /* Random corners: always count - 2 triangles over corners that exist. */
    random_stream r = random_seed(4);
    for (int round = 0; round < 500; ++round) {
        double p[90];
        int32_t count = 3 + random_index(&r, 27);
        for (int i = 0; i < 3 * count; ++i) {
            p[i] = (double)random_index(&r, 5);
        }
        polygon_work work = {.budget = round % 2 == 0 ? 100000 : 40};
        polygon_outcome outcome = polygon_triangulate(&work, host(), p, count);
        CHECK(outcome != POLYGON_NO_MEMORY && work.triangles.count == 3 * (count - 2));
        int64_t uses = 0;
        for (int32_t i = 0; i < work.triangles.count; ++i) {
            CHECK(work.triangles.data[i] >= 0 && work.triangles.data[i] < count);
            uses |= (int64_t)1 << work.triangles.data[i];
        }
        CHECK(uses == ((int64_t)1 << count) - 1);
        polygon_free(&work, host());
    }
}

/* Coordinates on a grid of 2^-26: the integers of 64 bits are the oracle. */
static void turns_are_exact(void) {
    random_stream r = random_seed(5);
    int zeros = 0;
    for (int round = 0; round < 200000; ++round) {
        int64_t k[6];
        for (int i = 0; i < 6; ++i) {
            k[i] = random_index(&r, 1 << 26);
        }
        if (round % 2 == 0) { /* near or on the line through a and b */
            int64_t dx = k[2] >> 13, dy = k[3] >> 13, m = random_index(&r, 1 << 12);
            k[2] = k[0] / 2 + dx * (1 << 5);
            k[3] = k[1] / 2 + dy * (1 << 5);
            k[0] /= 2;
            k[1] /= 2;
            k[4] = k[0] + dx * (m >> 8);
            k[5] = k[1] + dy * (m >> 8) + (round % 4 == 0 ? 0 : random_index(&r, 3) - 1);
        }
        int64_t turn = (k[2] - k[0]) * (k[5] - k[1]) - (k[3] - k[1]) * (k[4] - k[0]);
        double c[6];
        for (int i = 0; i < 6; ++i) {
            c[i] = (double)k[i] * 0x1p-26;
        }
        int expected = turn > 0 ? 1 : turn < 0 ? -1 : 0;
        zeros += expected == 0;
        CHECK(polygon_turn(c[0], c[1], c[2], c[3], c[4], c[5]) == expected);
    }
    CHECK(zeros > 1000);
    /* Differences that round: c lies beside the line by the last bit. */
    double tiny = 0x1p-53;
    CHECK(polygon_turn(0.0, 0.0, 1.0, 1.0, 0.5, 0.5 + tiny) == 1);
    CHECK(polygon_turn(0.5, 0.5, 12.0 / 16, 12.0 / 16, 0.5 + tiny * 2, 0.5) == -1);
    CHECK(polygon_turn(tiny * tiny, 0.0, 1.0, 1.0, 0.0, 0.0) == 1);
}

/* a so near to 0 that differences to b and c lose it, b and c on one line through 0 or beside it by
 * one step. In units of 2^-104 the turn is (b x c) 2^52 - a x (c - b). */
static void turns_that_round_away_are_exact(void) {
    random_stream r = random_seed(6);
    for (int round = 0; round < 100000; ++round) {
        int64_t u = random_index(&r, 1 << 13), v = random_index(&r, 1 << 13);
        int64_t s = random_index(&r, 1 << 13), t = random_index(&r, 1 << 13);
        int64_t b[2] = {u * s, v * s}, c[2] = {u * t, v * t}, a[2];
        for (int k = 0; k < 2; ++k) {
            a[k] = round % 3 == 0 ? 0 : random_index(&r, 1 << 26);
        }
        c[1] += round % 5 == 0 ? random_index(&r, 3) - 1 : 0;
        int64_t high = b[0] * c[1] - b[1] * c[0];
        int64_t low = a[0] * (c[1] - b[1]) - a[1] * (c[0] - b[0]);
        int64_t turn = high > 4 ? 1 : high < -4 ? -1 : high * ((int64_t)1 << 52) - low;
        CHECK(polygon_turn((double)a[0] * 0x1p-78, (double)a[1] * 0x1p-78, (double)b[0] * 0x1p-26,
                           (double)b[1] * 0x1p-26, (double)c[0] * 0x1p-26,
                           (double)c[1] * 0x1p-26) == (turn > 0   ? 1
                                                       : turn < 0 ? -1
                                                                  : 0));
    }
}

TEST_SUITE(read_polygon) {
    TEST_BEGIN(argc, argv);
    RUN(stars_are_covered);
    RUN(combs_with_straight_corners_are_covered);
    RUN(straight_corners_make_no_flat_triangle);
    RUN(holes_with_a_bridge_are_covered);
    RUN(any_plane_and_scale_will_do);
    RUN(crossing_and_broken_polygons_become_fans);
    RUN(turns_are_exact);
    RUN(turns_that_round_away_are_exact);
    TEST_END();
}

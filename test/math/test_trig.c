/* SPDX-License-Identifier: MIT
 * Own elementary functions against the system's, and their results at the edges.
 */
#include "base/random.h"
#include "math/trig.h"
#include "test.h"

static double unit(random_stream* r) {
    return (double)(random_u64(r) >> 11) * 0x1p-53;
}

/* Relative to the larger of |want| and `floor`. */
static void check_close(const char* name, double x, double got, double want, double floor) {
    double size = fabs(want) > floor ? fabs(want) : floor;
    bool close = got == want || fabs(got - want) <= 1e-13 * size;
    if (!close) {
        printf("  %s(%.17g) = %.17g, not %.17g\n", name, x, got, want);
    }
    CHECK(close);
}

static void sin_cos_equal_libm(void) {
    random_stream r = random_seed(6);
    for (int i = 0; i < 200000; ++i) {
        double range = i % 4 == 0 ? 1e6 : i % 4 == 1 ? 10.0 : i % 4 == 2 ? 1e-3 : 5e8;
        double x = (2.0 * unit(&r) - 1.0) * range;
        /* Beside multiples of pi/2 the result is small, and still right to its last digits. */
        if (i % 16 == 1) {
            x = floor(x) * (TRIG_PI / 2.0);
        }
        check_close("sin", x, trig_sin(x), sin(x), 0.0);
        check_close("cos", x, trig_cos(x), cos(x), 0.0);
    }
    CHECK(trig_sin(0.0) == 0.0 && trig_cos(0.0) == 1.0);
    CHECK(isnan(trig_sin(INFINITY)) && isnan(trig_cos(-INFINITY)) && isnan(trig_sin(NAN)));
    CHECK(trig_sin(1e300) == 0.0 && trig_cos(-1e300) == 1.0);
}

static void atan2_acos_equal_libm(void) {
    random_stream r = random_seed(7);
    for (int i = 0; i < 200000; ++i) {
        double y = 2.0 * unit(&r) - 1.0, x = 2.0 * unit(&r) - 1.0;
        y = i % 5 == 0 ? y * 1e-9 : i % 5 == 1 ? y * 1e200 : y;
        x = i % 7 == 0 ? x * 1e-9 : x;
        check_close("atan2", y / x, trig_atan2(y, x), atan2(y, x), 0.0);
        double c = i % 3 == 0 ? 1.0 - 1e-9 * unit(&r) : 2.0 * unit(&r) - 1.0;
        check_close("acos", c, trig_acos(c), acos(c), 0.0);
    }
    static const double edge[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, 1e-320, 1e308, -1e308};
    enum { EDGES = sizeof edge / sizeof *edge };
    for (int i = 0; i < EDGES; ++i) {
        for (int j = 0; j < EDGES; ++j) {
            double got = trig_atan2(edge[i], edge[j]), want = atan2(edge[i], edge[j]);
            check_close("atan2", edge[i], got, want, 0.0);
            CHECK(signbit(got) == signbit(want));
        }
        CHECK(isnan(trig_atan2(edge[i], NAN)) && isnan(trig_atan2(NAN, edge[i])));
    }
    CHECK(trig_acos(2.0) == 0.0 && trig_acos(-1e9) == TRIG_PI && isnan(trig_acos(NAN)));
    CHECK(trig_acos(1.0) == 0.0 && trig_acos(-1.0) == TRIG_PI);
}

static void exp_equals_libm(void) {
    random_stream r = random_seed(8);
    for (int i = 0; i < 200000; ++i) {
        double range = i % 3 == 0 ? 708.0 : i % 3 == 1 ? 5.0 : 1e-6;
        double x = (2.0 * unit(&r) - 1.0) * range;
        check_close("exp", x, trig_exp(x), exp(x), 0.0);
    }
    CHECK(trig_exp(0.0) == 1.0);
    CHECK(trig_exp(710.0) == INFINITY && trig_exp(INFINITY) == INFINITY);
    CHECK(trig_exp(-800.0) == 0.0 && trig_exp(-INFINITY) == 0.0 && isnan(trig_exp(NAN)));
    CHECK_NEAR(trig_exp(-740.0) / exp(-740.0), 1.0, 0.2); /* a denormal of a few bits */
    check_close("exp", 709.7, trig_exp(709.7), exp(709.7), 0.0);
}

static void cbrt_equals_libm(void) {
    random_stream r = random_seed(9);
    for (int i = 0; i < 100000; ++i) {
        double x = (2.0 * unit(&r) - 1.0) * ldexp(1.0, random_index(&r, 2000) - 1000);
        check_close("cbrt", x, trig_cbrt(x), cbrt(x), 0.0);
    }
    CHECK(trig_cbrt(0.0) == 0.0 && signbit(trig_cbrt(-0.0)));
    CHECK(trig_cbrt(INFINITY) == INFINITY && trig_cbrt(-INFINITY) == -INFINITY);
    CHECK(isnan(trig_cbrt(NAN)));
    CHECK_NEAR(trig_cbrt(27.0), 3.0, 1e-15);
    CHECK_NEAR(trig_cbrt(-8.0), -2.0, 1e-15);
    check_close("cbrt", 0x1p-1074, trig_cbrt(0x1p-1074), cbrt(0x1p-1074), 0.0);
    check_close("cbrt", 1.7e308, trig_cbrt(1.7e308), cbrt(1.7e308), 0.0);
}

TEST_SUITE(trig) {
    TEST_BEGIN(argc, argv);
    RUN(sin_cos_equal_libm);
    RUN(atan2_acos_equal_libm);
    RUN(exp_equals_libm);
    RUN(cbrt_equals_libm);
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * Warm-started rotations against singular values: general, inverted, flat, collinear, zero, tiny
 * and huge matrices, in every instruction set.
 */
#include "base/random.h"
#include "math/eigen.h"
#include "math/quat.h"
#include "math/rotation.h"
#include "math/rotation_wide.h"
#include "test.h"

enum { N = 1000 };

static float A[9 * N], q[4 * N], q_before[4 * N];

static double signed_unit(random_stream* r) {
    return (double)random_range(r, -1.0f, 1.0f);
}

static dquat random_quat(random_stream* r) {
    dquat a = {signed_unit(r), signed_unit(r), signed_unit(r), signed_unit(r)};
    return dquat_unit(a);
}

/* A turn by `angle` about a random axis. */
static dquat random_turn(random_stream* r, double angle) {
    dquat a = random_quat(r);
    double length = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    double s = sin(angle / 2) / length;
    return (dquat){a.x * s, a.y * s, a.z * s, cos(angle / 2)};
}

static void set_matrix(int i, random_stream* r, double s0, double s1, double s2) {
    dmat3 u = dquat_matrix(random_quat(r)), v = dquat_matrix(random_quat(r));
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            double a = s0 * u.m[3 * row] * v.m[3 * column] +
                       s1 * u.m[3 * row + 1] * v.m[3 * column + 1] +
                       s2 * u.m[3 * row + 2] * v.m[3 * column + 2];
            A[(3 * row + column) * N + i] = (float)a;
        }
    }
}

static dmat3 matrix(int i) {
    dmat3 a;
    for (int k = 0; k < 9; ++k) {
        a.m[k] = (double)A[k * N + i];
    }
    return a;
}

static void set_quat(int i, dquat a) {
    q[i] = (float)a.x;
    q[N + i] = (float)a.y;
    q[2 * N + i] = (float)a.z;
    q[3 * N + i] = (float)a.w;
}

static dquat get_quat(int i) {
    return (dquat){(double)q[i], (double)q[N + i], (double)q[2 * N + i], (double)q[3 * N + i]};
}

static dquat cold(const dmat3* a) {
    double c[4];
    rotation_cold(a->m, c);
    return (dquat){c[0], c[1], c[2], c[3]};
}

static double trace_product(const dmat3* a, const dmat3* b) {
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        sum += a->m[k] * b->m[k];
    }
    return sum;
}

/* Angle between the rotation found and the nearest one, and what the objective lacks, relative. */
static void errors_at(int i, double* angle, double* lack) {
    dmat3 a = matrix(i), best = nearest_rotation(&a), found = dquat_matrix(dquat_unit(get_quat(i)));
    double distance = 0.0, size = sqrt(trace_product(&a, &a));
    for (int k = 0; k < 9; ++k) {
        double d = best.m[k] - found.m[k];
        distance += d * d;
    }
    double half = sqrt(distance / 8.0);
    *angle = 2.0 * asin(half < 1.0 ? half : 1.0);
    *lack = size > 0.0 ? (trace_product(&best, &a) - trace_product(&found, &a)) / size : 0.0;
}

static void check_units(void) {
    for (int i = 0; i < N; ++i) {
        dquat a = get_quat(i);
        CHECK_NEAR(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w, 1.0, 1e-6);
    }
}

#define FOR_EACH_ISA(set)                                                                          \
    for (isa set = ISA_SCALAR; set < ISA_COUNT; set = (isa)(set + 1))                              \
        if (isa_available(set))

static void stale_by_a_little_takes_two_steps(void) {
    FOR_EACH_ISA(set) {
        random_stream r = random_seed(16);
        for (int i = 0; i < N; ++i) {
            set_matrix(i, &r, 0.5 + (double)random_unit(&r), 0.5 + (double)random_unit(&r),
                       0.5 + (double)random_unit(&r));
            dmat3 a = matrix(i);
            set_quat(i, dquat_mul(cold(&a), random_turn(&r, 0.15)));
        }
        rotation_solve(set, A, q, N, 2);
        for (int i = 0; i < N; ++i) {
            double angle, lack;
            errors_at(i, &angle, &lack);
            CHECK(angle <= 1e-6);
        }
    }
}

/* kind: what the singular values are like. */
static void any_start_converges(double least, double most2, double least2, double most3,
                                double least3, double angle_bound, double lack_bound) {
    FOR_EACH_ISA(set) {
        random_stream r = random_seed(17);
        for (int i = 0; i < N; ++i) {
            double s0 = least + (1.0 - least) * (double)random_unit(&r);
            double s1 = s0 * (least2 + (most2 - least2) * (double)random_unit(&r));
            double s2 = s1 * (least3 + (most3 - least3) * (double)random_unit(&r));
            set_matrix(i, &r, s0, s1, s2);
            set_quat(i, random_quat(&r));
        }
        rotation_solve(set, A, q, N, 60);
        check_units();
        for (int i = 0; i < N; ++i) {
            double angle, lack;
            errors_at(i, &angle, &lack);
            CHECK(angle <= angle_bound);
            CHECK(lack <= lack_bound);
        }
    }
}

static void general_matrices_converge(void) {
    any_start_converges(0.5, 1.0, 0.3, 1.0, 0.3, 2e-6, 1e-10);
}
static void inverted_matrices_converge(void) {
    any_start_converges(0.5, 1.0, 0.5, -0.6, 0.0, 4e-6, 1e-10);
}
static void flat_matrices_converge(void) {
    any_start_converges(0.5, 1.0, 0.2, 0.0, 0.0, 4e-6, 1e-10);
}
static void collinear_matrices_converge(void) {
    any_start_converges(0.5, 0.0, 0.0, 0.0, 0.0, 4.0, 1e-6);
}
/* Mirrored with equal singular values: every rotation of a whole family is as good. */
static void ambiguous_matrices_converge(void) {
    any_start_converges(0.5, 1.0, 1.0, -1.0, -1.0, 4.0, 1e-6);
}

static void starts_near_half_a_turn_converge(void) {
    FOR_EACH_ISA(set) {
        random_stream r = random_seed(18);
        for (int i = 0; i < N; ++i) {
            set_matrix(i, &r, 1.0, 0.4 + 0.6 * (double)random_unit(&r),
                       0.3 + 0.1 * (double)random_unit(&r));
            dmat3 a = matrix(i);
            double short_of = i % 3 == 0 ? 1e-6 : i % 3 == 1 ? 1e-3 : 0.1;
            set_quat(i, dquat_mul(cold(&a), random_turn(&r, 3.14159265358979 - short_of)));
        }
        rotation_solve(set, A, q, N, 60);
        for (int i = 0; i < N; ++i) {
            double angle, lack;
            errors_at(i, &angle, &lack);
            CHECK(angle <= 2e-6);
        }
    }
}

/* One step turns by at most 2 atan(1.5 / 2), however far the start and however weak the matrix. */
static void one_step_is_bounded(void) {
    FOR_EACH_ISA(set) {
        random_stream r = random_seed(28);
        for (int i = 0; i < N; ++i) {
            set_matrix(i, &r, 1.0, 0.3 * (double)random_unit(&r), -0.3 * (double)random_unit(&r));
            set_quat(i, random_quat(&r));
        }
        memcpy(q_before, q, sizeof q);
        rotation_solve(set, A, q, N, 1);
        double most = 0.0;
        for (int i = 0; i < N; ++i) {
            double dot = 0.0;
            for (int k = 0; k < 4; ++k) {
                dot += (double)q[k * N + i] * (double)q_before[k * N + i];
            }
            double turn = 2.0 * acos(dot < 1.0 ? dot : 1.0);
            most = turn > most ? turn : most;
        }
        CHECK(most > 0.9 && most <= 2.0 * atan(0.75) + 1e-5);
    }
}

/* The same matrices at another scale, a power of two, take the same path to the bit, down to where
 * denormals lose digits. */
static void scale_does_not_matter(void) {
    static float reference[4 * N];
    FOR_EACH_ISA(set) {
        static const float scales[] = {1.0f, 0x1p-40f, 0x1p40f, 0x1p-100f, 0x1p100f};
        for (int k = 0; k < 5; ++k) {
            random_stream r = random_seed(19);
            for (int i = 0; i < N; ++i) {
                set_matrix(i, &r, 1.0, 0.7, i % 2 == 0 ? 0.2 : -0.2);
                set_quat(i, random_quat(&r));
            }
            for (int i = 0; i < 9 * N; ++i) {
                A[i] *= scales[k];
            }
            rotation_solve(set, A, q, N, 20);
            if (k == 0) {
                memcpy(reference, q, sizeof q);
            }
            CHECK(memcmp(reference, q, sizeof q) == 0);
        }
        /* The ends of float's range still give an answer. */
        static const float ends[] = {1e-38f, 1e-42f, 1e38f};
        for (int k = 0; k < 3; ++k) {
            random_stream r = random_seed(20);
            for (int i = 0; i < N; ++i) {
                set_matrix(i, &r, 1.0, 0.7, 0.4);
                set_quat(i, random_quat(&r));
            }
            for (int i = 0; i < 9 * N; ++i) {
                A[i] *= ends[k];
            }
            rotation_solve(set, A, q, N, 40);
            check_units();
            for (int i = 0; i < N; ++i) {
                double angle, lack;
                errors_at(i, &angle, &lack);
                CHECK(angle <= 1e-3);
            }
        }
    }
}

static void rest_and_zero_and_broken_matrices_keep_q(void) {
    FOR_EACH_ISA(set) {
        random_stream r = random_seed(21);
        for (int i = 0; i < N; ++i) {
            double x[6];
            for (int k = 0; k < 6; ++k) {
                x[k] = signed_unit(&r) * (i % 5 == 0 ? 1e-12 : i % 5 == 1 ? 1e12 : 1.0);
            }
            double symmetric[9] = {x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
            set_quat(i, dquat_identity());
            if (i % 4 == 2) {
                set_quat(i, random_quat(&r));
            }
            for (int k = 0; k < 9; ++k) {
                A[k * N + i] = i % 4 == 2 ? 0.0f : (float)symmetric[k];
            }
            if (i % 4 == 3) {
                A[(i % 9) * N + i] = i % 8 == 3 ? NAN : INFINITY;
                set_quat(i, random_quat(&r));
            }
        }
        memcpy(q_before, q, sizeof q);
        rotation_solve(set, A, q, N, 3);
        CHECK(memcmp(q_before, q, sizeof q) == 0);
    }
}

/* The last lanes of an array of any length, and nothing beyond it. */
static void every_length_gives_the_same(void) {
    FOR_EACH_ISA(set) {
        for (int32_t n = 0; n <= 20; ++n) {
            random_stream r = random_seed(22);
            float a[9 * 20 + 1], few[4 * 20 + 1], one[4];
            for (int i = 0; i < 9 * n; ++i) {
                a[i] = random_range(&r, -1.0f, 1.0f);
            }
            for (int i = 0; i < 4 * n; ++i) {
                few[i] = i < 3 * n ? 0.0f : 1.0f;
            }
            few[4 * n] = 77.0f;
            rotation_solve(set, a, few, n, 2);
            CHECK(few[4 * n] == 77.0f);
            for (int i = 0; i < n; ++i) {
                float single[9];
                for (int k = 0; k < 9; ++k) {
                    single[k] = a[k * n + i];
                }
                one[0] = one[1] = one[2] = 0.0f;
                one[3] = 1.0f;
                rotation_solve(ISA_SCALAR, single, one, 1, 2);
                for (int k = 0; k < 4; ++k) {
                    CHECK(memcmp(&one[k], &few[k * n + i], sizeof(float)) == 0);
                }
            }
        }
    }
}

/* The shift slows the step and does not move the fixed point; a free twist stays. (This file is
 * compiled for the scalar set.) */
static void shift_keeps_the_fixed_point_and_the_twist(void) {
    random_stream r = random_seed(23);
    for (int round = 0; round < 100; ++round) {
        set_matrix(0, &r, 1.0, 0.6, 0.3);
        dmat3 a = matrix(0), best = nearest_rotation(&a);
        fw wide[9], p[4];
        for (int k = 0; k < 9; ++k) {
            wide[k] = fw_set1(A[k * N]);
        }
        dquat start = dquat_mul(cold(&a), random_turn(&r, 0.3));
        p[0] = fw_set1((float)start.x);
        p[1] = fw_set1((float)start.y);
        p[2] = fw_set1((float)start.z);
        p[3] = fw_set1((float)start.w);
        for (int step = 0; step < 60; ++step) {
            rotation_newton(wide, p, fw_set1(0.5f));
        }
        fw N_wide[9];
        rotation_matrix_minus_identity(p, N_wide);
        for (int k = 0; k < 9; ++k) {
            double here = (double)fw_lane(N_wide[k], 3) + (k % 4 == 0 ? 1.0 : 0.0);
            CHECK_NEAR(here, best.m[k], 2e-6);
        }
    }
    /* A = e_x e_x^T turned by nothing: twist about x is free and must stay to the bit. */
    fw line[9], p[4] = {fw_set1(0.6f), fw_zero(), fw_zero(), fw_set1(0.8f)};
    for (int k = 0; k < 9; ++k) {
        line[k] = k == 0 ? fw_set1(3.0f) : fw_zero();
    }
    for (int step = 0; step < 100; ++step) {
        rotation_newton(line, p, fw_set1(0.1f));
    }
    CHECK_NEAR(fw_lane(p[0], 0), 0.6, 1e-6);
    CHECK_NEAR(fw_lane(p[3], 0), 0.8, 1e-6);
}

static void minus_identity_keeps_small_turns(void) {
    fw p[4] = {fw_set1(1e-12f), fw_set1(2e-12f), fw_zero(), fw_set1(1.0f)}, m[9];
    rotation_matrix_minus_identity(p, m);
    CHECK_NEAR(fw_lane(m[0], 0), -8e-24, 1e-30);
    CHECK_NEAR(fw_lane(m[2], 0), 4e-12, 1e-18);
    CHECK_NEAR(fw_lane(m[7], 0), 2e-12, 1e-18);
    random_stream r = random_seed(24);
    for (int round = 0; round < 100; ++round) {
        dquat a = random_quat(&r);
        dmat3 want = dquat_matrix(a);
        fw w[4] = {fw_set1((float)a.x), fw_set1((float)a.y), fw_set1((float)a.z),
                   fw_set1((float)a.w)};
        rotation_matrix_minus_identity(w, m);
        for (int k = 0; k < 9; ++k) {
            CHECK_NEAR((double)fw_lane(m[k], 0) + (k % 4 == 0 ? 1.0 : 0.0), want.m[k], 1e-6);
        }
    }
}

static void cold_starts_are_never_reflections(void) {
    random_stream r = random_seed(25);
    static const double spectra[][3] = {{3, 2, 1}, {1, 1, 1}, {1, 1, -1},   {2, 1, -1}, {1, 1, 0},
                                        {1, 0, 0}, {0, 0, 0}, {1, 1e-9, 0}, {4, 2, -1}};
    for (int round = 0; round < 3000; ++round) {
        const double* s = spectra[round % 9];
        double size = round % 2 == 0 ? 1.0 : 1e-30;
        set_matrix(0, &r, s[0], s[1], s[2]);
        dmat3 a = matrix(0);
        for (int k = 0; k < 9; ++k) {
            a.m[k] *= size;
        }
        dquat c = cold(&a);
        CHECK_NEAR(c.x * c.x + c.y * c.y + c.z * c.z + c.w * c.w, 1.0, 1e-14);
        CHECK(c.w >= 0.0);
        dmat3 best = nearest_rotation(&a), found = dquat_matrix(c);
        CHECK_NEAR(trace_product(&found, &a) / size, trace_product(&best, &a) / size, 1e-13 * 8);
    }
    double zero[9] = {0}, bad[9] = {0, NAN}, c[4];
    rotation_cold(zero, c);
    CHECK(c[0] == 0.0 && c[1] == 0.0 && c[2] == 0.0 && c[3] == 1.0);
    rotation_cold(bad, c);
    CHECK(c[0] == 0.0 && c[1] == 0.0 && c[2] == 0.0 && c[3] == 1.0);
}

TEST_SUITE(rotation) {
    TEST_BEGIN(argc, argv);
    RUN(stale_by_a_little_takes_two_steps);
    RUN(general_matrices_converge);
    RUN(inverted_matrices_converge);
    RUN(flat_matrices_converge);
    RUN(collinear_matrices_converge);
    RUN(ambiguous_matrices_converge);
    RUN(starts_near_half_a_turn_converge);
    RUN(one_step_is_bounded);
    RUN(scale_does_not_matter);
    RUN(rest_and_zero_and_broken_matrices_keep_q);
    RUN(every_length_gives_the_same);
    RUN(shift_keeps_the_fixed_point_and_the_twist);
    RUN(minus_identity_keeps_small_turns);
    RUN(cold_starts_are_never_reflections);
    TEST_END();
}

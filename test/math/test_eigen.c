/* SPDX-License-Identifier: MIT
 * Eigenvalues and singular values: the factors multiply back to the matrix, of any rank and size.
 */
#include "base/random.h"
#include "math/eigen.h"
#include "math/quat.h"
#include "test.h"

static double signed_unit(random_stream* r) {
    return (double)random_range(r, -1.0f, 1.0f);
}

static dmat3 random_rotation(random_stream* r) {
    dquat q = {signed_unit(r), signed_unit(r), signed_unit(r), signed_unit(r)};
    return dquat_matrix(dquat_unit(q));
}

/* U diag(s) V^T. */
static dmat3 compose(const dmat3* u, const double s[3], const dmat3* v) {
    dmat3 a;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += u->m[3 * i + k] * s[k] * v->m[3 * j + k];
            }
            a.m[3 * i + j] = sum;
        }
    }
    return a;
}

static double determinant(const dmat3* a) {
    const double* m = a->m;
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static void check_proper(const dmat3* r) {
    double one[3] = {1, 1, 1};
    dmat3 product = compose(r, one, r), identity = dmat3_identity();
    for (int i = 0; i < 9; ++i) {
        CHECK_NEAR(product.m[i], identity.m[i], 1e-13);
    }
    CHECK_NEAR(determinant(r), 1.0, 1e-13);
}

static void eigenvectors_rebuild_the_matrix(void) {
    random_stream r = random_seed(11);
    static const double spectra[][3] = {{3, 2, 1},  {1, 1, 1},   {2, 1, 1},    {1, 0, 0},
                                        {0, 0, -1}, {5, -1, -7}, {1, 1e-9, 0}, {0, 0, 0}};
    for (int round = 0; round < 4000; ++round) {
        double s[3];
        double size = round % 3 == 0 ? 1e-150 : round % 3 == 1 ? 1.0 : 1e150;
        for (int i = 0; i < 3; ++i) {
            s[i] = round % 2 == 0 ? spectra[round / 2 % 8][i] * size : signed_unit(&r) * size;
        }
        dmat3 u = random_rotation(&r);
        dmat3 a = compose(&u, s, &u);
        double packed[6] = {a.m[0], a.m[4], a.m[8], a.m[1], a.m[2], a.m[5]};
        double values[3];
        dmat3 vectors;
        eigen_sym3(packed, values, &vectors);
        check_proper(&vectors);
        CHECK(values[0] >= values[1] && values[1] >= values[2]);
        dmat3 columns = {{vectors.m[0], vectors.m[3], vectors.m[6], vectors.m[1], vectors.m[4],
                          vectors.m[7], vectors.m[2], vectors.m[5], vectors.m[8]}};
        dmat3 again = compose(&columns, values, &columns);
        for (int i = 0; i < 9; ++i) {
            CHECK_NEAR(again.m[i] / size, a.m[i] / size, 1e-14 * 8);
        }
    }
    double bad[6] = {1, NAN, 1, 0, 0, 0}, values[3];
    dmat3 vectors;
    eigen_sym3(bad, values, &vectors);
    check_proper(&vectors);
    CHECK(values[0] == 0.0 && values[2] == 0.0);
}

static void singular_values_rebuild_the_matrix(void) {
    random_stream r = random_seed(12);
    static const double spectra[][3] = {
        {3, 2, 1}, {1, 1, 1}, {1, 1, -1},   {2, 1, -1},       {1, 1, 0},         {1, 0.5, 0},
        {1, 0, 0}, {0, 0, 0}, {1, 1e-9, 0}, {1, 1e-9, -1e-9}, {1, 1e-17, 1e-30}, {4, 2, -1}};
    for (int round = 0; round < 6000; ++round) {
        double s[3];
        double size = round % 3 == 0 ? 1e-150 : round % 3 == 1 ? 1.0 : 1e150;
        for (int i = 0; i < 3; ++i) {
            s[i] = spectra[round % 12][i] * size;
        }
        dmat3 u = random_rotation(&r), v = random_rotation(&r);
        dmat3 a = compose(&u, s, &v);
        if (round % 4 == 0) {
            for (int i = 0; i < 9; ++i) {
                a.m[i] = signed_unit(&r) * size;
            }
        }
        dmat3 gu, gv;
        double gs[3];
        svd3(&a, &gu, gs, &gv);
        check_proper(&gu);
        check_proper(&gv);
        CHECK(gs[0] >= gs[1] && gs[1] >= fabs(gs[2]) * (1.0 - 1e-12));
        dmat3 again = compose(&gu, gs, &gv);
        for (int i = 0; i < 9; ++i) {
            CHECK_NEAR(again.m[i] / size, a.m[i] / size, 1e-14 * 8);
        }
        /* No other rotation nearby, nor any random one, is nearer. */
        dmat3 best = nearest_rotation(&a);
        check_proper(&best);
        double most = 0.0;
        for (int i = 0; i < 9; ++i) {
            most += best.m[i] * a.m[i] / size;
        }
        for (int turn = 0; turn < 10; ++turn) {
            dmat3 other = random_rotation(&r);
            double sum = 0.0;
            for (int i = 0; i < 9; ++i) {
                sum += other.m[i] * a.m[i] / size;
            }
            CHECK(sum <= most + 1e-12);
        }
    }
    dmat3 bad = {{INFINITY, 0, 0, 0, 1, 0, 0, 0, 1}};
    dmat3 rotation = nearest_rotation(&bad);
    check_proper(&rotation);
}

TEST_SUITE(eigen) {
    TEST_BEGIN(argc, argv);
    RUN(eigenvectors_rebuild_the_matrix);
    RUN(singular_values_rebuild_the_matrix);
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * Orientation signs against whole numbers of 1,024 bits, on random, nearly flat and exactly flat
 * points.
 */
#include "base/random.h"
#include "math/predicates.h"
#include "test.h"

/* Two's complement: sums and products modulo 2^1024 are those of signed numbers. */
enum { LIMBS = 32 };
typedef struct big {
    uint32_t limb[LIMBS];
} big;

static big big_add(big a, big b) {
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; ++i) {
        carry += (uint64_t)a.limb[i] + b.limb[i];
        a.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return a;
}

static big big_negative(big a) {
    for (int i = 0; i < LIMBS; ++i) {
        a.limb[i] = ~a.limb[i];
    }
    big one = {{1}};
    return big_add(a, one);
}

static big big_sub(big a, big b) {
    return big_add(a, big_negative(b));
}

static big big_mul(big a, big b) {
    big product = {{0}};
    for (int i = 0; i < LIMBS; ++i) {
        uint64_t carry = 0;
        for (int j = 0; i + j < LIMBS; ++j) {
            carry += (uint64_t)a.limb[i] * b.limb[j] + product.limb[i + j];
            product.limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return product;
}

static int big_sign(big a) {
    if (a.limb[LIMBS - 1] >> 31 != 0) {
        return -1;
    }
    for (int i = 0; i < LIMBS; ++i) {
        if (a.limb[i] != 0) {
            return 1;
        }
    }
    return 0;
}

/* x 2^130, which is whole for the numbers used here. */
static big big_of(double x) {
    big a = {{0}};
    if (x == 0.0) {
        return a;
    }
    int exponent = 0;
    double mantissa = frexp(fabs(x), &exponent);
    uint64_t whole = (uint64_t)ldexp(mantissa, 53);
    int shift = exponent - 53 + 130;
    while (shift < 0) { /* only zeros fall out */
        CHECK((whole & 1) == 0);
        whole >>= 1;
        shift++;
    }
    for (int bit = 0; bit < 64; ++bit) {
        if ((whole >> bit & 1) != 0) {
            a.limb[(bit + shift) / 32] |= 1u << ((bit + shift) % 32);
        }
    }
    return x < 0.0 ? big_negative(a) : a;
}

static int slow_orient3d(lim_point a, lim_point b, lim_point c, lim_point d) {
    double p[4][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}, {d.x, d.y, d.z}};
    big m[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m[i][j] = big_sub(big_of(p[i + 1][j]), big_of(p[0][j]));
        }
    }
    big det = {{0}};
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        big minor = big_sub(big_mul(m[1][j], m[2][k]), big_mul(m[1][k], m[2][j]));
        det = big_add(det, big_mul(m[0][i], minor));
    }
    return big_sign(det);
}

static int slow_orient2d(const double a[2], const double b[2], const double c[2]) {
    big ax = big_sub(big_of(a[0]), big_of(c[0])), ay = big_sub(big_of(a[1]), big_of(c[1]));
    big bx = big_sub(big_of(b[0]), big_of(c[0])), by = big_sub(big_of(b[1]), big_of(c[1]));
    return big_sign(big_sub(big_mul(ax, by), big_mul(ay, bx)));
}

/* A coordinate of up to 53 bits whose last is at least 2^-130. */
static double coordinate(random_stream* r, int kind) {
    switch (kind % 4) {
    case 0:
        return (double)(int64_t)(random_u64(r) >> 11) * 0x1p-53 - 0.5;
    case 1:
        return (double)(random_index(r, 9) - 4);
    case 2:
        return (double)random_range(r, -1.0f, 1.0f) * ldexp(1.0, random_index(r, 120) - 60);
    default:
        return 12.0 + (double)random_index(r, 8) * 0x1p-50;
    }
}

static void orient3d_is_exact(void) {
    random_stream r = random_seed(13);
    int flat = 0, tilted = 0;
    for (int round = 0; round < 40000; ++round) {
        lim_point p[4];
        for (int i = 0; i < 4; ++i) {
            p[i] = (lim_point){coordinate(&r, round), coordinate(&r, round), coordinate(&r, round)};
        }
        if (round % 3 == 0) { /* in the plane up to rounding */
            double s = coordinate(&r, round), t = coordinate(&r, 0);
            p[3].x = p[0].x + s * (p[1].x - p[0].x) + t * (p[2].x - p[0].x);
            p[3].y = p[0].y + s * (p[1].y - p[0].y) + t * (p[2].y - p[0].y);
            p[3].z = p[0].z + s * (p[1].z - p[0].z) + t * (p[2].z - p[0].z);
            /* Round to the grid of the slow numbers. */
            p[3].x = ldexp(nearbyint(ldexp(p[3].x, 120)), -120);
            p[3].y = ldexp(nearbyint(ldexp(p[3].y, 120)), -120);
            p[3].z = ldexp(nearbyint(ldexp(p[3].z, 120)), -120);
        }
        int want = slow_orient3d(p[0], p[1], p[2], p[3]);
        CHECK(orient3d(p[0], p[1], p[2], p[3]) == want);
        CHECK(orient3d(p[1], p[0], p[2], p[3]) == -want);
        flat += want == 0;
        tilted += want != 0;
    }
    CHECK(flat > 500 && tilted > 500);
    lim_point a = {0, 0, 0}, b = {1, 0, 0}, c = {0, 1, 0}, above = {0, 0, 1}, bad = {NAN, 0, 0};
    CHECK(orient3d(a, b, c, above) == 1);
    CHECK(orient3d(a, b, c, bad) == 0);
    /* One unit in the last place above a plane through large coordinates. */
    lim_point o = {1e15, 1e15, 1e15}, u = {1e15 + 1, 1e15, 1e15}, v = {1e15, 1e15 + 1, 1e15};
    lim_point w = {1e15 + 3, 1e15 + 5, 1e15 + 0.125};
    CHECK(orient3d(o, u, v, w) == 1);
    /* Tiny and huge. */
    lim_point t1 = {1e-80, 0, 0}, t2 = {0, 1e-80, 0}, t3 = {1e-80, 1e-80, 1e-85};
    CHECK(orient3d(a, t1, t2, t3) == 1);
    lim_point h1 = {1e80, 0, 0}, h2 = {0, 1e80, 0}, h3 = {1e80, 1e80, -1e70};
    CHECK(orient3d(a, h1, h2, h3) == -1);
}

static void orient2d_is_exact(void) {
    random_stream r = random_seed(14);
    int flat = 0;
    for (int round = 0; round < 40000; ++round) {
        double p[3][2];
        for (int i = 0; i < 3; ++i) {
            p[i][0] = coordinate(&r, round);
            p[i][1] = coordinate(&r, round);
        }
        if (round % 3 == 0) {
            double s = coordinate(&r, 0);
            for (int k = 0; k < 2; ++k) {
                double x = p[0][k] + s * (p[1][k] - p[0][k]);
                p[2][k] = ldexp(nearbyint(ldexp(x, 120)), -120);
            }
        }
        int want = slow_orient2d(p[0], p[1], p[2]);
        CHECK(orient2d(p[0], p[1], p[2]) == want);
        CHECK(orient2d(p[1], p[0], p[2]) == -want);
        flat += want == 0;
    }
    CHECK(flat > 500);
    double a[2] = {0, 0}, b[2] = {1, 0}, left[2] = {0, 1}, bad[2] = {INFINITY, 0};
    CHECK(orient2d(a, b, left) == 1);
    CHECK(orient2d(a, b, bad) == 0);
}

static void orient3d_of_integers_is_exact(void) {
    random_stream r = random_seed(15);
    static const int32_t edge[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX};
    int flat = 0;
    for (int round = 0; round < 40000; ++round) {
        int32_t p[4][3];
        lim_point q[4];
        for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 3; ++k) {
                p[i][k] = round % 3 == 0   ? edge[random_index(&r, 7)]
                          : round % 3 == 1 ? (int32_t)(uint32_t)random_u64(&r)
                                           : random_index(&r, 5) - 2;
            }
            q[i] = (lim_point){(double)p[i][0], (double)p[i][1], (double)p[i][2]};
        }
        int want = slow_orient3d(q[0], q[1], q[2], q[3]);
        CHECK(orient3d_integer(p[0], p[1], p[2], p[3]) == want);
        flat += want == 0;
    }
    CHECK(flat > 500);
}

TEST_SUITE(predicates) {
    TEST_BEGIN(argc, argv);
    RUN(orient3d_is_exact);
    RUN(orient2d_is_exact);
    RUN(orient3d_of_integers_is_exact);
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * Job: exact orientation signs. In: points. Out: -1, 0, 1. First the determinant in plain doubles
 * with a bound on its error; when the bound does not decide, again exactly, as an expansion: a sum
 * of doubles that do not overlap, smallest first, whose sign is that of its last term. The idea and
 * the two basic steps (error-free sum and product) are from Shewchuk 1997, "Adaptive precision
 * floating-point arithmetic and fast robust geometric predicates", building on Dekker and Knuth.
 */
#include "math/predicates.h"

#include <math.h>

/* 2^-53, the relative error of one rounding. */
static const double ROUND = 0x1p-53;

/* a + b = sum + error exactly, for any a and b. */
static double two_sum(double a, double b, double* error) {
    double sum = a + b;
    double b_part = sum - a, a_part = sum - b_part;
    *error = (a - a_part) + (b - b_part);
    return sum;
}

/* a = high + low with 26 bits each. */
static void split(double a, double* high, double* low) {
    double c = 134217729.0 * a; /* 2^27 + 1 */
    *high = c - (c - a);
    *low = a - *high;
}

/* a b = product + error exactly. */
static double two_product(double a, double b, double* error) {
    double product = a * b, ah, al, bh, bl;
    split(a, &ah, &al);
    split(b, &bh, &bl);
    *error = al * bl - (((product - ah * bh) - al * bh) - ah * bl);
    return product;
}

/* e += x, term by term upwards; the terms stay apart and in order. Expansions are arrays with a
 * count of terms, without zeros; none is the number 0. Each term that is added makes them longer by
 * at most one. */
static int grow(double* e, int count, double x) {
    int kept = 0;
    double carry = x;
    for (int i = 0; i < count; ++i) {
        double error;
        carry = two_sum(carry, e[i], &error);
        if (error != 0.0) {
            e[kept++] = error;
        }
    }
    if (carry != 0.0) {
        e[kept++] = carry;
    }
    return kept;
}

/* a - b exactly. */
typedef struct difference {
    int count;
    double term[2];
} difference;

static difference subtract(double a, double b) {
    difference d;
    double error, sum = two_sum(a, -b, &error);
    d.count = grow(d.term, 0, error);
    d.count = grow(d.term, d.count, sum);
    return d;
}

/* e += sign f d. */
static int grow_product(double* e, int count, const double* f, int f_count, const difference* d,
                        double sign) {
    for (int i = 0; i < d->count; ++i) {
        double x = sign * d->term[i];
        for (int k = 0; k < f_count; ++k) {
            double error, product = two_product(f[k], x, &error);
            count = grow(e, count, error);
            count = grow(e, count, product);
        }
    }
    return count;
}

static int sign_of(double x) {
    return (x > 0.0) - (x < 0.0);
}

static int sign_of_sum(const double* e, int count) {
    return count > 0 ? sign_of(e[count - 1]) : 0;
}

/* The determinants exactly, apart from the tests before them, which take no room on the stack. */
static int exact2(const double a[2], const double b[2], const double c[2]) {
    difference ax = subtract(a[0], c[0]), ay = subtract(a[1], c[1]);
    difference bx = subtract(b[0], c[0]), by = subtract(b[1], c[1]);
    double e[16];
    int count = grow_product(e, 0, ax.term, ax.count, &by, 1.0);
    count = grow_product(e, count, ay.term, ay.count, &bx, -1.0);
    return sign_of_sum(e, count);
}

static int exact3(lim_point a, lim_point b, lim_point c, lim_point d) {
    difference u[3] = {subtract(b.x, a.x), subtract(b.y, a.y), subtract(b.z, a.z)};
    difference v[3] = {subtract(c.x, a.x), subtract(c.y, a.y), subtract(c.z, a.z)};
    difference w[3] = {subtract(d.x, a.x), subtract(d.y, a.y), subtract(d.z, a.z)};
    double e[192]; /* 3 products of a minor and a difference, 2 x 16 x 2 each */
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double minor[16];
        int terms = grow_product(minor, 0, v[j].term, v[j].count, &w[k], 1.0);
        terms = grow_product(minor, terms, v[k].term, v[k].count, &w[j], -1.0);
        count = grow_product(e, count, minor, terms, &u[i], 1.0);
    }
    return sign_of_sum(e, count);
}

int orient2d(const double a[2], const double b[2], const double c[2]) {
    double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
    double det = left - right;
    /* 3 roundings in each product, 1 in the difference; a little more for those of the bound. */
    double bound = 4.0 * ROUND * (fabs(left) + fabs(right));
    if (fabs(det) > bound && isfinite(bound)) {
        return sign_of(det);
    }
    if (!isfinite(bound)) {
        return 0;
    }
    return exact2(a, b, c);
}

int orient3d(lim_point a, lim_point b, lim_point c, lim_point d) {
    double bx = b.x - a.x, by = b.y - a.y, bz = b.z - a.z;
    double cx = c.x - a.x, cy = c.y - a.y, cz = c.z - a.z;
    double dx = d.x - a.x, dy = d.y - a.y, dz = d.z - a.z;
    double yz = cy * dz, zy = cz * dy, zx = cz * dx, xz = cx * dz, xy = cx * dy, yx = cy * dx;
    double det = bx * (yz - zy) + by * (zx - xz) + bz * (xy - yx);
    double size = fabs(bx) * (fabs(yz) + fabs(zy)) + fabs(by) * (fabs(zx) + fabs(xz)) +
                  fabs(bz) * (fabs(xy) + fabs(yx));
    /* 8 roundings lie on the way of each product: 3 differences, 2 products, 3 sums. */
    double bound = 10.0 * ROUND * size;
    if (fabs(det) > bound && isfinite(bound)) {
        return sign_of(det);
    }
    if (!isfinite(bound)) {
        return 0;
    }
    return exact3(a, b, c, d);
}

/* Integers of 32 bits are doubles, and so are their differences. */
int orient3d_integer(const int32_t a[3], const int32_t b[3], const int32_t c[3],
                     const int32_t d[3]) {
    lim_point p[4];
    const int32_t* from[4] = {a, b, c, d};
    for (int i = 0; i < 4; ++i) {
        p[i] = (lim_point){(double)from[i][0], (double)from[i][1], (double)from[i][2]};
    }
    return orient3d(p[0], p[1], p[2], p[3]);
}

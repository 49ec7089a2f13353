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

/* The most terms of an orient3d: 3 products of a difference (2) with a minor of differences (16),
 * 2 x 2 x 16 each. */
enum { TERMS = 192 };

typedef struct expansion {
    int count; /* without zeros; 0 terms are the number 0 */
    double term[TERMS];
} expansion;

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

/* e += x, term by term upwards; the terms stay apart and in order. */
static void expansion_add(expansion* e, double x) {
    int kept = 0;
    double carry = x;
    for (int i = 0; i < e->count; ++i) {
        double error;
        carry = two_sum(carry, e->term[i], &error);
        if (error != 0.0) {
            e->term[kept++] = error;
        }
    }
    if (carry != 0.0) {
        e->term[kept++] = carry;
    }
    e->count = kept;
}

/* e += f x. */
static void expansion_add_scaled(expansion* e, const expansion* f, double x) {
    for (int i = 0; i < f->count; ++i) {
        double error, product = two_product(f->term[i], x, &error);
        expansion_add(e, error);
        expansion_add(e, product);
    }
}

/* a - b as an expansion of at most 2 terms. */
static expansion difference(double a, double b) {
    expansion e;
    e.count = 0;
    double error, sum = two_sum(a, -b, &error);
    expansion_add(&e, error);
    expansion_add(&e, sum);
    return e;
}

/* e += sign a b. */
static void expansion_add_product(expansion* e, const expansion* a, const expansion* b,
                                  double sign) {
    for (int i = 0; i < b->count; ++i) {
        expansion_add_scaled(e, a, sign * b->term[i]);
    }
}

static int sign_of(double x) {
    return (x > 0.0) - (x < 0.0);
}

static int expansion_sign(const expansion* e) {
    return e->count > 0 ? sign_of(e->term[e->count - 1]) : 0;
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
    expansion ax = difference(a[0], c[0]), ay = difference(a[1], c[1]);
    expansion bx = difference(b[0], c[0]), by = difference(b[1], c[1]);
    expansion e;
    e.count = 0;
    expansion_add_product(&e, &ax, &by, 1.0);
    expansion_add_product(&e, &ay, &bx, -1.0);
    return expansion_sign(&e);
}

/* The determinant of the rows u, v, w, exactly. */
static int exact_sign3(const expansion u[3], const expansion v[3], const expansion w[3]) {
    expansion e;
    e.count = 0;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        expansion minor;
        minor.count = 0;
        expansion_add_product(&minor, &v[j], &w[k], 1.0);
        expansion_add_product(&minor, &v[k], &w[j], -1.0);
        expansion_add_product(&e, &minor, &u[i], 1.0);
    }
    return expansion_sign(&e);
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
    expansion u[3] = {difference(b.x, a.x), difference(b.y, a.y), difference(b.z, a.z)};
    expansion v[3] = {difference(c.x, a.x), difference(c.y, a.y), difference(c.z, a.z)};
    expansion w[3] = {difference(d.x, a.x), difference(d.y, a.y), difference(d.z, a.z)};
    return exact_sign3(u, v, w);
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

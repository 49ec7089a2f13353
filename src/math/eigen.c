/* SPDX-License-Identifier: MIT
 * Job: eigenvalues and singular values of 3x3 matrices. In: a matrix. Out: its factors, in double.
 * Both are Jacobi's method: rotations in one plane after another, each of which makes one pair
 * orthogonal (two-sided for the eigenvalues; one-sided on the columns for the singular values,
 * Hestenes 1958, which never squares the condition number).
 */
#include "math/eigen.h"

#include <stdbool.h>

enum { SWEEPS = 30 };

/* The rotation (c, s) that diagonalises [p q; q r]: t = tan of the smaller angle, from
 * t^2 + 2 tau t - 1 = 0 with tau = (r - p)/(2 q). */
static void jacobi_angle(double p, double q, double r, double* c, double* s) {
    double tau = (r - p) / (2.0 * q);
    double t = 1.0 / (fabs(tau) + sqrt(1.0 + tau * tau));
    t = tau < 0.0 ? -t : t;
    *c = 1.0 / sqrt(1.0 + t * t);
    *s = t * *c;
}

/* Largest entry's power of two: scaling by it changes no bits. 0 for a zero or non-finite input. */
static double scale_of(const double* a, int count) {
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        if (!isfinite(a[i])) {
            return 0.0;
        }
        most = fabs(a[i]) > most ? fabs(a[i]) : most;
    }
    if (most == 0.0) {
        return 0.0;
    }
    double scale = 1.0;
    while (most * scale > 2.0) {
        scale *= 0.5;
    }
    while (most * scale < 1.0) {
        scale *= 2.0;
        if (scale > 0x1p1000) {
            break;
        }
    }
    return scale;
}

static void swap_rows(dmat3* m, int i, int j) {
    for (int k = 0; k < 3; ++k) {
        double swap = m->m[3 * i + k];
        m->m[3 * i + k] = m->m[3 * j + k];
        m->m[3 * j + k] = swap;
    }
}

static lim_point row(const dmat3* m, int i) {
    return p3(m->m[3 * i], m->m[3 * i + 1], m->m[3 * i + 2]);
}

static void set_row(dmat3* m, int i, lim_point p) {
    m->m[3 * i] = p.x;
    m->m[3 * i + 1] = p.y;
    m->m[3 * i + 2] = p.z;
}

static dmat3 transposed(const dmat3* m) {
    const double* a = m->m;
    return (dmat3){{a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]}};
}

/* Descending by `key` (three exchanges), rows of both following; `other` may be null. */
static void sort_rows(double key[3], dmat3* rows, dmat3* other) {
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int p = 0; p < 3; ++p) {
        int i = pairs[p][0], j = pairs[p][1];
        if (key[i] < key[j]) {
            double swap = key[i];
            key[i] = key[j];
            key[j] = swap;
            swap_rows(rows, i, j);
            if (other != NULL) {
                swap_rows(other, i, j);
            }
        }
    }
}

void eigen_sym3(const double a[6], double values[3], dmat3* vectors) {
    *vectors = dmat3_identity();
    values[0] = values[1] = values[2] = 0.0;
    double scale = scale_of(a, 6);
    if (scale == 0.0) {
        return;
    }
    double m[3][3] = {{a[0] * scale, a[3] * scale, a[4] * scale},
                      {a[3] * scale, a[1] * scale, a[5] * scale},
                      {a[4] * scale, a[5] * scale, a[2] * scale}};
    double* v = vectors->m;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        bool changed = false;
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q) {
                /* 1e-40 of the largest entry is nothing, and keeps tau finite. */
                if (!(fabs(m[p][q]) > 1e-40)) {
                    continue;
                }
                changed = true;
                double c, s;
                jacobi_angle(m[p][p], m[p][q], m[q][q], &c, &s);
                for (int k = 0; k < 3; ++k) {
                    double x = m[k][p], y = m[k][q];
                    m[k][p] = c * x - s * y;
                    m[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; ++k) {
                    double x = m[p][k], y = m[q][k];
                    m[p][k] = c * x - s * y;
                    m[q][k] = s * x + c * y;
                    double vx = v[3 * p + k], vy = v[3 * q + k];
                    v[3 * p + k] = c * vx - s * vy;
                    v[3 * q + k] = s * vx + c * vy;
                }
                m[p][q] = m[q][p] = 0.0;
            }
        }
        if (!changed) {
            break;
        }
    }
    for (int i = 0; i < 3; ++i) {
        values[i] = m[i][i] / scale;
    }
    sort_rows(values, vectors, NULL);
    set_row(vectors, 2, p3_cross(row(vectors, 0), row(vectors, 1)));
}

/* A unit vector at right angles to unit a: a crossed with the axis it points along least. */
static lim_point any_orthogonal(lim_point a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    lim_point axis = x <= y && x <= z ? p3(1, 0, 0) : y <= z ? p3(0, 1, 0) : p3(0, 0, 1);
    lim_point b = p3_cross(a, axis);
    return p3_scale(b, 1.0 / p3_length(b));
}

void svd3(const dmat3* a, dmat3* u, double s[3], dmat3* v) {
    *u = *v = dmat3_identity();
    s[0] = s[1] = s[2] = 0.0;
    double scale = scale_of(a->m, 9);
    if (scale == 0.0) {
        return;
    }
    /* Rows of w are the columns of A V, rows of vt the columns of V. */
    dmat3 w = transposed(a), vt = dmat3_identity();
    for (int i = 0; i < 9; ++i) {
        w.m[i] *= scale;
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        bool changed = false;
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q) {
                lim_point wp = row(&w, p), wq = row(&w, q);
                double pp = p3_dot(wp, wp), pq = p3_dot(wp, wq), qq = p3_dot(wq, wq);
                if (!(fabs(pq) > 1e-16 * sqrt(pp) * sqrt(qq)) || fabs(pq) < 1e-280) {
                    continue;
                }
                changed = true;
                double c, t;
                jacobi_angle(pp, pq, qq, &c, &t);
                lim_point vp = row(&vt, p), vq = row(&vt, q);
                set_row(&w, p, p3_sub(p3_scale(wp, c), p3_scale(wq, t)));
                set_row(&w, q, p3_add(p3_scale(wp, t), p3_scale(wq, c)));
                set_row(&vt, p, p3_sub(p3_scale(vp, c), p3_scale(vq, t)));
                set_row(&vt, q, p3_add(p3_scale(vp, t), p3_scale(vq, c)));
            }
        }
        if (!changed) {
            break;
        }
    }
    for (int i = 0; i < 3; ++i) {
        s[i] = p3_length(row(&w, i));
    }
    sort_rows(s, &w, &vt);
    /* V and U made right handed; what is then left of the third column is s[2] with its sign. A
     * column that is rounding noise beside the first gives no direction. */
    lim_point u0 = p3_scale(row(&w, 0), 1.0 / s[0]), w1 = row(&w, 1);
    w1 = p3_sub(w1, p3_scale(u0, p3_dot(u0, w1)));
    double length = p3_length(w1);
    lim_point u1 = length > 1e-200 ? p3_scale(w1, 1.0 / length) : any_orthogonal(u0);
    u1 = p3_sub(u1, p3_scale(u0, p3_dot(u0, u1)));
    length = p3_length(u1);
    u1 = length > 0.5 ? p3_scale(u1, 1.0 / length) : any_orthogonal(u0);
    lim_point u2 = p3_cross(u0, u1);
    lim_point v2 = p3_cross(row(&vt, 0), row(&vt, 1));
    double turned = p3_dot(v2, row(&vt, 2)) < 0.0 ? -1.0 : 1.0;
    double third = turned * p3_dot(u2, row(&w, 2));
    set_row(&vt, 2, v2);
    dmat3 ut = {{u0.x, u0.y, u0.z, u1.x, u1.y, u1.z, u2.x, u2.y, u2.z}};
    *u = transposed(&ut);
    *v = transposed(&vt);
    s[0] /= scale;
    s[1] /= scale;
    s[2] = third / scale;
}

dmat3 svd_rotation(const dmat3* u, const dmat3* v) {
    dmat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[3 * i + j] = p3_dot(row(u, i), row(v, j));
        }
    }
    return r;
}

dmat3 nearest_rotation(const dmat3* a) {
    dmat3 u, v;
    double s[3];
    svd3(a, &u, s, &v);
    return svd_rotation(&u, &v);
}

/* SPDX-License-Identifier: MIT
 * Job: the stretch of one triangle. In: its rest shape, material and corners. Out: energy,
 * gradient, second derivative. Equations in shell/membrane.h; here s1, s2 are a, b, the directions
 * at rest v1, v2 and where they go u1, u2, with u3 the normal.
 */
#include "shell/membrane.h"

#include <string.h>

membrane_material membrane_material_of(double youngs_modulus, double poisson_ratio) {
    return (membrane_material){.shear = 0.5 * youngs_modulus / (1.0 + poisson_ratio),
                               .area = 0.5 * youngs_modulus / (1.0 - poisson_ratio)};
}

membrane_rest membrane_rest_of(lim_point a, lim_point b, lim_point c, double thickness) {
    lim_point e1 = p3_sub(b, a), e2 = p3_sub(c, a), e3 = p3_sub(c, b);
    double l11 = p3_dot(e1, e1), l22 = p3_dot(e2, e2), l33 = p3_dot(e3, e3);
    double longest = l11 > l22 ? l11 : l22, twice = p3_length(p3_cross(e1, e2));
    longest = longest > l33 ? longest : l33;
    if (!(twice > 2e-6 * longest)) {
        return (membrane_rest){.volume = 0.0};
    }
    double length = sqrt(l11), along = p3_dot(e1, e2) / length, across = twice / length;
    return (membrane_rest){.inverse = {1.0 / length, -along / (length * across), 0, 1.0 / across},
                           .volume = 0.5 * twice * thickness};
}

membrane_rest membrane_thinned(const membrane_rest* rest, double thinning) {
    membrane_rest out = *rest;
    double scale = sqrt(thinning);
    for (int k = 0; k < 4; ++k) {
        out.inverse[k] *= scale;
    }
    return out;
}

/* Derivatives of F by the corners: column k of F moves with corner i by shape[i][k]. */
static void shapes_of(const membrane_rest* rest, double shape[3][2]) {
    for (int k = 0; k < 2; ++k) {
        shape[1][k] = rest->inverse[k];
        shape[2][k] = rest->inverse[2 + k];
        shape[0][k] = -(shape[1][k] + shape[2][k]);
    }
}

typedef struct stretch_frame {
    lim_point u1, u2, u3;
    double v1[2], v2[2], a, b;
} stretch_frame;

/* F = u1 a v1^T + u2 b v2^T. False when it has no area. */
static bool stretch_of(const membrane_rest* rest, const lim_point corner[3], stretch_frame* f) {
    lim_point e1 = p3_sub(corner[1], corner[0]), e2 = p3_sub(corner[2], corner[0]);
    const double* m = rest->inverse;
    lim_point f1 = p3_mad(p3_scale(e1, m[0]), e2, m[2]), f2 = p3_mad(p3_scale(e1, m[1]), e2, m[3]);
    lim_point n = p3_cross(f1, f2);
    double area = p3_length(n);
    if (!(area > 0.0)) {
        return false;
    }
    double c11 = p3_dot(f1, f1), c22 = p3_dot(f2, f2), c12 = p3_dot(f1, f2);
    double d = 0.5 * (c11 - c22), r = sqrt(d * d + c12 * c12);
    double x = d >= 0.0 ? d + r : c12, y = d >= 0.0 ? c12 : r - d;
    double length = sqrt(x * x + y * y);
    f->v1[0] = length > 0.0 ? x / length : 1.0;
    f->v1[1] = length > 0.0 ? y / length : 0.0;
    f->v2[0] = -f->v1[1];
    f->v2[1] = f->v1[0];
    lim_point long_way = p3_mad(p3_scale(f1, f->v1[0]), f2, f->v1[1]);
    f->a = p3_length(long_way);
    f->b = area / f->a;
    f->u1 = p3_scale(long_way, 1.0 / f->a);
    f->u3 = p3_scale(n, 1.0 / area);
    f->u2 = p3_cross(f->u3, f->u1);
    return true;
}

/* Derivatives of W by a and b. */
static void slopes_of(const membrane_material* m, double a, double b, double* wa, double* wb) {
    double j = a * b, p = 0.25 * m->area * (j - 1.0 / (j * j * j)), h = 0.5 * m->shear;
    *wa = h * (1.0 / b - b / (a * a)) + p * b;
    *wb = h * (1.0 / a - a / (b * b)) + p * a;
}

double membrane_energy(const membrane_rest* rest, const membrane_material* m,
                       const lim_point corner[3], lim_point gradient[3]) {
    stretch_frame f;
    if (rest->volume <= 0.0) {
        if (gradient != NULL) {
            memset(gradient, 0, 3 * sizeof *gradient);
        }
        return 0.0;
    }
    if (!stretch_of(rest, corner, &f)) {
        return INFINITY;
    }
    if (gradient != NULL) {
        double wa, wb, shape[3][2];
        slopes_of(m, f.a, f.b, &wa, &wb);
        shapes_of(rest, shape);
        for (int i = 0; i < 3; ++i) {
            double s1 = f.v1[0] * shape[i][0] + f.v1[1] * shape[i][1];
            double s2 = f.v2[0] * shape[i][0] + f.v2[1] * shape[i][1];
            lim_point g = p3_mad(p3_scale(f.u1, wa * s1), f.u2, wb * s2);
            gradient[i] = p3_scale(g, rest->volume);
        }
    }
    /* I/J - 2 = (a - b)^2 / J keeps its digits near rest. */
    double j = f.a * f.b, apart = f.a - f.b, swell = j - 1.0 / j;
    return rest->volume * (0.5 * m->shear * apart * apart / j + 0.125 * m->area * swell * swell);
}

/* The derivative of F by the corners (9) in one of its modes: rows p1 v1^T + p2 v2^T. */
typedef struct stretch_mode {
    lim_point p1, p2;
    double value;
} stretch_mode;

static void modes_of(const membrane_material* m, const stretch_frame* f, stretch_mode mode[6]) {
    const lim_point none = p3(0, 0, 0);
    double a = f->a, b = f->b, j = a * b, h = 0.5 * m->shear, half = sqrt(0.5);
    double p = 0.25 * m->area * (j - 1.0 / (j * j * j));
    double q = 0.25 * m->area * (1.0 + 3.0 / (j * j * j * j));
    double wa, wb;
    slopes_of(m, a, b, &wa, &wb);
    /* Scaling: the 2x2 second derivative of W by a and b. */
    double aa = h * 2.0 * b / (a * a * a) + q * b * b, bb = h * 2.0 * a / (b * b * b) + q * a * a;
    double ab = -h * (1.0 / (a * a) + 1.0 / (b * b)) + p + q * j;
    double d = 0.5 * (aa - bb), r = sqrt(d * d + ab * ab), mid = 0.5 * (aa + bb);
    double x = d >= 0.0 ? d + r : ab, y = d >= 0.0 ? ab : r - d, length = sqrt(x * x + y * y);
    x = length > 0.0 ? x / length : 1.0;
    y = length > 0.0 ? y / length : 0.0;
    mode[0] = (stretch_mode){p3_scale(f->u1, x), p3_scale(f->u2, y), mid + r};
    mode[1] = (stretch_mode){p3_scale(f->u1, -y), p3_scale(f->u2, x), mid - r};
    /* Flip, (wa - wb) / (a - b), and twist, (wa + wb) / (a + b), with the division done. */
    double i = a * a + b * b;
    mode[2] = (stretch_mode){p3_scale(f->u2, half), p3_scale(f->u1, half),
                             h * (i + 2.0 * j) / (j * j) - p};
    mode[3] = (stretch_mode){p3_scale(f->u2, half), p3_scale(f->u1, -half),
                             h * (2.0 * j - i) / (j * j) + p};
    mode[4] = (stretch_mode){f->u3, none, wa / a};
    mode[5] = (stretch_mode){none, f->u3, wb / b};
}

void membrane_hessian(const membrane_rest* rest, const membrane_material* m,
                      const lim_point corner[3], membrane_part part, double hessian[81]) {
    stretch_frame f;
    memset(hessian, 0, 81 * sizeof *hessian);
    if (rest->volume <= 0.0 || !stretch_of(rest, corner, &f)) {
        return;
    }
    stretch_mode mode[6];
    double shape[3][2];
    modes_of(m, &f, mode);
    shapes_of(rest, shape);
    for (int k = 0; k < 6; ++k) {
        double value = mode[k].value * rest->volume, way[9];
        if (part == MEMBRANE_POSITIVE && value <= 0.0) {
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            double s1 = f.v1[0] * shape[i][0] + f.v1[1] * shape[i][1];
            double s2 = f.v2[0] * shape[i][0] + f.v2[1] * shape[i][1];
            lim_point w = p3_mad(p3_scale(mode[k].p1, s1), mode[k].p2, s2);
            way[3 * i] = w.x;
            way[3 * i + 1] = w.y;
            way[3 * i + 2] = w.z;
        }
        for (int i = 0; i < 9; ++i) {
            for (int c = 0; c < 9; ++c) {
                hessian[9 * i + c] += value * way[i] * way[c];
            }
        }
    }
}

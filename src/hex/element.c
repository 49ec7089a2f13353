/* SPDX-License-Identifier: MIT
 * Job: the stiffness matrices of cells. In: moduli, an edge, which sub-voxels have material. Out:
 * matrices in Walsh modes, masses of corners, the blocks that a smoother divides by. All in double
 * and outside the step.
 */
#include "hex/element.h"

#include "sample/mask.h"

#include <math.h>
#include <string.h>

enum { AXES = 3, INNER = 9, ALL = HEX_MODES + INNER };

bool hex_lame_of(double young, double poisson, hex_lame* out) {
    if (!(young >= HEX_YOUNG_LEAST && young <= HEX_YOUNG_MOST && poisson >= 0.0 &&
          poisson <= HEX_POISSON_MOST)) {
        return false;
    }
    double lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    double mu = young / (2.0 * (1.0 + poisson));
    *out = (hex_lame){lambda, mu, 2.0 * lambda * mu / (lambda + 2.0 * mu)};
    return true;
}

static int mode_of(int f, int axis) {
    return AXES * (f - 1) + axis;
}

/* ---- full cubes ---------------------------------------------------------------------------------
 * The strains are polynomials in r, and monomials r^m are orthogonal: only displacements whose
 * strains share a monomial meet. Integrated, r_k^2 gives 1/3.
 */

/* Two modes along axes a and b (which may be one): `both` off the diagonal, `own` more on it. */
static void add_pair(hex_matrix* out, int i, int j, double both, double own) {
    out->k[i][j] += both + (i == j ? own : 0.0);
}

void hex_cube_matrix(const hex_lame* m, double edge, hex_matrix* out) {
    double unit = edge / 16.0;
    memset(out, 0, sizeof *out);
    for (int a = 0; a < AXES; ++a) {
        add_pair(out, mode_of(7, a), mode_of(7, a), unit * (m->lambda + 4.0 * m->mu) / 9.0, 0.0);
        for (int b = 0; b < AXES; ++b) {
            /* stretches, and twists */
            add_pair(out, mode_of(1 << a, a), mode_of(1 << b, b), unit * m->lambda,
                     2.0 * unit * m->mu);
            add_pair(out, mode_of(7 ^ 1 << a, a), mode_of(7 ^ 1 << b, b), unit * m->mu / 3.0,
                     unit * m->mu / 3.0);
            if (a == b) {
                continue;
            }
            /* shears; bending, in which a face across may bulge: plane stress */
            int c = AXES - a - b;
            add_pair(out, mode_of(1 << a, b), mode_of(1 << a, b), unit * m->mu, 0.0);
            add_pair(out, mode_of(1 << a, b), mode_of(1 << b, a), unit * m->mu, 0.0);
            int i = mode_of(1 << c | 1 << a, a), j = mode_of(1 << c | 1 << b, b);
            add_pair(out, i, i, unit * m->plane / 3.0, 2.0 * unit * m->mu / 3.0);
            add_pair(out, i, j, unit * m->plane / 3.0, 0.0);
        }
    }
}

/* ---- partly filled cubes ------------------------------------------------------------------------
 */

/* Means of r_x^i r_y^j r_z^k over the cube, nothing where there is no material; index i + 3 j + 9
 * k. */
static void moments_of(uint64_t mask, double out[27]) {
    memset(out, 0, 27 * sizeof *out);
    for (uint64_t left = mask; left != 0; left &= left - 1) {
        int bit = mask_lowest(left);
        double power[AXES][3];
        for (int k = 0; k < AXES; ++k) {
            double at = ((bit >> (2 * k) & 3) - 1.5) / 2.0;
            power[k][0] = 0.25;
            power[k][1] = 0.25 * at;
            power[k][2] = 0.25 * (at * at + 1.0 / 48.0);
        }
        for (int i = 0; i < 27; ++i) {
            out[i] += power[0][i % 3] * power[1][i / 3 % 3] * power[2][i / 9];
        }
    }
}

/* Of a full cube. */
static double full_moment(int i) {
    static const double along[3] = {1.0, 0.0, 1.0 / 3.0};
    return along[i % 3] * along[i / 3 % 3] * along[i / 9];
}

/* d u_a / d x_k of one degree of freedom that displaces along a: factor (r^set + shift). */
typedef struct slope {
    double factor, shift;
    int set;
} slope;

typedef struct degree {
    int axis;
    slope along[AXES];
} degree;

/* The 21 modes (of u / 8 and edge 1), then the incompatible ones: (1 - r_k^2) along each axis, from
 * whose strains the mean is taken. So they do no work on a constant stress, whatever the material's
 * shape. */
static void list_degrees(const double moment[27], degree out[ALL]) {
    static const int power[AXES] = {1, 3, 9};
    memset(out, 0, ALL * sizeof *out);
    for (int f = 1; f < HEX_CORNERS; ++f) {
        for (int a = 0; a < AXES; ++a) {
            degree* d = &out[mode_of(f, a)];
            d->axis = a;
            for (int k = 0; k < AXES; ++k) {
                d->along[k] = (slope){(f >> k & 1) != 0 ? 2.0 : 0.0, 0.0, f & ~(1 << k)};
            }
        }
    }
    for (int i = 0; i < INNER; ++i) {
        int k = i / AXES;
        out[HEX_MODES + i].axis = i % AXES;
        out[HEX_MODES + i].along[k] = (slope){-4.0, -moment[power[k]] / moment[0], 1 << k};
    }
}

static double moment_at(const double moment[27], int once, int twice) {
    int at = 0;
    for (int k = 0, power = 1; k < AXES; ++k, power *= 3) {
        at += power * ((once >> k & 1) + 2 * (twice >> k & 1));
    }
    return moment[at];
}

/* The mean of a product of two slopes over the cube. */
static double product(const slope* a, const slope* b, const double moment[27]) {
    if (a->factor == 0.0 || b->factor == 0.0) {
        return 0.0;
    }
    double sum = moment_at(moment, a->set ^ b->set, a->set & b->set) +
                 a->shift * moment_at(moment, b->set, 0) + b->shift * moment_at(moment, a->set, 0) +
                 a->shift * b->shift * moment[0];
    return a->factor * b->factor * sum;
}

/* lambda (tr g)(tr g') + mu g : (g' + g'^T) */
static double energy_of(const hex_lame* m, const degree* a, const degree* b,
                        const double moment[27]) {
    double sum = m->lambda * product(&a->along[a->axis], &b->along[b->axis], moment) +
                 m->mu * product(&a->along[b->axis], &b->along[a->axis], moment);
    for (int k = 0; k < AXES && a->axis == b->axis; ++k) {
        sum += m->mu * product(&a->along[k], &b->along[k], moment);
    }
    return sum;
}

/* Takes the incompatible modes out: they are where they cost least. Their own matrix is positive,
 * because each sub-voxel has second moments of its own. */
static void condense(double k[ALL][ALL]) {
    for (int p = ALL - 1; p >= HEX_MODES; --p) {
        for (int i = 0; i < p; ++i) {
            double share = k[i][p] / k[p][p];
            for (int j = 0; j < p; ++j) {
                k[i][j] -= share * k[p][j];
            }
        }
    }
}

void hex_part_matrix(const hex_lame* m, double edge, uint64_t mask, hex_matrix* out) {
    double moment[27], k[ALL][ALL];
    degree list[ALL];
    memset(out, 0, sizeof *out);
    if (mask == 0) {
        return;
    }
    moments_of(mask, moment);
    for (int i = 0; i < 27; ++i) {
        moment[i] += HEX_FILLER * (full_moment(i) - moment[i]);
    }
    list_degrees(moment, list);
    for (int i = 0; i < ALL; ++i) {
        for (int j = 0; j <= i; ++j) {
            k[i][j] = k[j][i] = energy_of(m, &list[i], &list[j], moment);
        }
    }
    condense(k);
    for (int i = 0; i < HEX_MODES; ++i) {
        for (int j = 0; j < HEX_MODES; ++j) {
            out->k[i][j] = edge / 128.0 * (k[i][j] + k[j][i]);
        }
    }
}

void hex_part_shares(uint64_t mask, double out[HEX_CORNERS]) {
    double moment[27];
    moments_of(mask, moment);
    for (int c = 0; c < HEX_CORNERS; ++c) {
        out[c] = 0.0;
        for (int f = 0; f < HEX_CORNERS && mask != 0; ++f) {
            out[c] += 0.125 * hex_sign(f, c) * moment_at(moment, f, 0) / moment[0];
        }
    }
}

/* ---- coarse elements ----------------------------------------------------------------------------
 */

/* Of the octant, r = (r' + s) / 2 along each axis: u'_f = u_f + s/2 u_{f and k}, u'_{f and k} =
 * u_{f and k} / 2, one axis after the other; K becomes T^T K T. */
void hex_add_child(const hex_matrix* child, int octant, hex_matrix* parent) {
    hex_matrix m = *child;
    for (int axis = 0; axis < AXES; ++axis) {
        double half = (octant >> axis & 1) != 0 ? 0.5 : -0.5;
        for (int pass = 0; pass < 2; ++pass) { /* rows, then columns */
            for (int i = 0; i < HEX_MODES; ++i) {
                int f = i / AXES + 1;
                int less = (f & ~(1 << axis)) == 0 ? -1 : mode_of(f & ~(1 << axis), i % AXES);
                for (int j = 0; j < HEX_MODES && (f >> axis & 1) != 0; ++j) {
                    double* to = pass == 0 ? &m.k[i][j] : &m.k[j][i];
                    double from = less < 0 ? 0.0 : pass == 0 ? m.k[less][j] : m.k[j][less];
                    *to = 0.5 * *to + half * from;
                }
            }
        }
    }
    for (int i = 0; i < HEX_MODES; ++i) {
        for (int j = 0; j < HEX_MODES; ++j) {
            parent->k[i][j] += m.k[i][j];
        }
    }
}

/* ---- corners ------------------------------------------------------------------------------------
 */

/* out_c = sum_f s_f(c) in_f. */
static void corners_of(const double in[HEX_CORNERS], double out[HEX_CORNERS]) {
    memcpy(out, in, HEX_CORNERS * sizeof *out);
    for (int bit = 1; bit < HEX_CORNERS; bit *= 2) {
        for (int c = 0; c < HEX_CORNERS; ++c) {
            if ((c & bit) == 0) {
                double less = out[c], more = out[c | bit];
                out[c] = less - more;
                out[c | bit] = less + more;
            }
        }
    }
}

void hex_corner_matrix(const hex_matrix* m, double out[HEX_DEGREES][HEX_DEGREES]) {
    double half[HEX_DEGREES][HEX_MODES], in[HEX_CORNERS], corner[HEX_CORNERS];
    for (int a = 0; a < AXES; ++a) {
        for (int j = 0; j < HEX_MODES; ++j) {
            in[0] = 0.0;
            for (int f = 1; f < HEX_CORNERS; ++f) {
                in[f] = m->k[mode_of(f, a)][j];
            }
            corners_of(in, corner);
            for (int c = 0; c < HEX_CORNERS; ++c) {
                half[AXES * c + a][j] = corner[c];
            }
        }
    }
    for (int i = 0; i < HEX_DEGREES; ++i) {
        for (int a = 0; a < AXES; ++a) {
            in[0] = 0.0;
            for (int f = 1; f < HEX_CORNERS; ++f) {
                in[f] = half[i][mode_of(f, a)];
            }
            corners_of(in, corner);
            for (int c = 0; c < HEX_CORNERS; ++c) {
                out[i][AXES * c + a] = corner[c];
            }
        }
    }
}

/* y = D^-1 y of one corner, D its block; a vanishing block gives nothing. */
static void divide_block(const double d[6], double y[AXES]) {
    double xx = d[1] * d[2] - d[5] * d[5], xy = d[4] * d[5] - d[3] * d[2];
    double xz = d[3] * d[5] - d[4] * d[1], det = d[0] * xx + d[3] * xy + d[4] * xz;
    double yy = d[0] * d[2] - d[4] * d[4], yz = d[3] * d[4] - d[0] * d[5];
    double zz = d[0] * d[1] - d[3] * d[3], inverse = det > 0.0 ? 1.0 / det : 0.0;
    const double in[AXES] = {y[0], y[1], y[2]};
    y[0] = inverse * (xx * in[0] + xy * in[1] + xz * in[2]);
    y[1] = inverse * (xy * in[0] + yy * in[1] + yz * in[2]);
    y[2] = inverse * (xz * in[0] + yz * in[1] + zz * in[2]);
}

/* The power method leaves out 1 % at most after so many rounds; the smoother's polynomial damps to
 * 1.1 times its end, and bodies have hardly more than 0.9 of their elements' bound. A block is a
 * part of a positive matrix of 8, so nothing is beyond 8. */
enum { POWER_ROUNDS = 12 };
#define BOUND_MARGIN 0.95

static double bound_of(double k[HEX_DEGREES][HEX_DEGREES], double block[HEX_CORNERS][6]) {
    double x[HEX_DEGREES], y[HEX_DEGREES], before = 1.0, bound = 1.0;
    for (int i = 0; i < HEX_DEGREES; ++i) {
        x[i] = (double)(i * 7 % 11) - 5.0 + 0.25 * (double)(i % 3);
    }
    for (int round = 0; round < POWER_ROUNDS; ++round) {
        double square = 0.0;
        for (int i = 0; i < HEX_DEGREES; ++i) {
            y[i] = 0.0;
            for (int j = 0; j < HEX_DEGREES; ++j) {
                y[i] += k[i][j] * x[j];
            }
        }
        for (int c = 0; c < HEX_CORNERS; ++c) {
            divide_block(block[c], y + AXES * c);
        }
        for (int i = 0; i < HEX_DEGREES; ++i) {
            square += y[i] * y[i];
        }
        double size = sqrt(square);
        bound = size / before;
        before = 1.0;
        for (int i = 0; i < HEX_DEGREES; ++i) {
            x[i] = size > 0.0 ? y[i] / size : 0.0;
        }
    }
    bound *= BOUND_MARGIN;
    return bound < 1.0 ? 1.0 : bound < 8.0 ? bound : 8.0;
}

void hex_diagonal_blocks(const hex_matrix* m, double out[HEX_CORNERS][6]) {
    double k[HEX_DEGREES][HEX_DEGREES];
    hex_corner_matrix(m, k);
    for (int c = 0; c < HEX_CORNERS; ++c) {
        int i = AXES * c;
        out[c][0] = k[i][i];
        out[c][1] = k[i + 1][i + 1];
        out[c][2] = k[i + 2][i + 2];
        out[c][3] = k[i][i + 1];
        out[c][4] = k[i][i + 2];
        out[c][5] = k[i + 1][i + 2];
    }
    double bound = bound_of(k, out);
    for (int i = 0; i < 6 * HEX_CORNERS; ++i) {
        out[i / 6][i % 6] *= bound;
    }
}

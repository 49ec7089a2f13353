/* SPDX-License-Identifier: MIT
 * Plastic flow of 8 regions at a time (Mueller et al. 2005, section 4.4). A region whose material
 * has flowed has the rest shape U (x0 - c0) in place of x0 - c0, with U = 1 + P symmetric and of
 * determinant 1; P is what is kept. Its moments are A U, its linear fit is F U^-1, its goal G U,
 * all exact at P = 0.
 *
 * What flows is measured on the elastic fit E = F U^-1 = R_E S, whose stretch S is that of E itself
 * (with the rotation of the moments in place of R_E it would not be symmetric, and a turning body
 * would creep); S comes from E^T E = S^2:
 *     D = S - 1 - tr(S - 1) / 3,     n = sqrt(3/2 D : D),
 * which is the strain of a bar that is pulled (nothing across it moves: Poisson's ratio is 0).
 * Pressure alone never yields. Beyond y = yield + hardening n(P) the excess fades with the rate
 * `creep`:
 *     U <- (1 + g D) U,   g = (1 - exp(-h creep)) (n - y) / n,
 * less a rotation that leaves U symmetric, and scaled to determinant 1. n(P) stays below `most`,
 * and with what has flowed into a rest shape of the matching's own (body/embed.h), `past`, below
 * `total`; the yield then rises with both, and U has the determinant that makes up for the volume
 * which that shape has lost or won, swell^3. A region that has lost its shape (match/stretch.h)
 * does not flow. Flow comes first in a pass: rotations and goals are those of the shape that has
 * flowed, so momentum is kept.
 */
#ifndef LIMBER_PLASTIC_WIDE_H
#define LIMBER_PLASTIC_WIDE_H

#include "match/match.h"
#include "match/stretch_wide.h"
#include "math/rotation_wide.h"

/* Symmetric 3x3: xx yy zz xy xz yz. */
static const int plastic_symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};

/* False when none of 8 regions has flowed: then U = 1 to the bit and need not be multiplied with.
 */
static inline bool plastic_some(const fw p[6]) {
    fw sum = fw_abs(p[0]);
    for (int k = 1; k < 6; ++k) {
        sum = fw_add(sum, fw_abs(p[k]));
    }
    return mw_any(fw_gt(sum, fw_zero()));
}

static inline bool plastic_load(const match_body* m, int32_t i, fw p[6]) {
    for (int k = 0; k < 6; ++k) {
        p[k] = fw_load(m->plastic[k] + i);
    }
    return plastic_some(p);
}

/* (1 + a)(1 + p) - 1 = a + p + a p, p symmetric; in place of a. */
static inline void plastic_times(fw a[9], const fw p[6]) {
    for (int k = 0; k < 3; ++k) {
        fw row[3] = {a[3 * k], a[3 * k + 1], a[3 * k + 2]};
        for (int j = 0; j < 3; ++j) {
            fw product = rotation_dot(row[0], row[1], row[2], p[plastic_symmetric[j]],
                                      p[plastic_symmetric[3 + j]], p[plastic_symmetric[6 + j]]);
            a[3 * k + j] = fw_add(fw_add(row[j], p[plastic_symmetric[3 * k + j]]), product);
        }
    }
}

/* a (1 + p) */
static inline void plastic_moments(fw a[9], const fw p[6]) {
    for (int k = 0; k < 3; ++k) {
        fw row[3] = {a[3 * k], a[3 * k + 1], a[3 * k + 2]};
        for (int j = 0; j < 3; ++j) {
            fw product = rotation_dot(row[0], row[1], row[2], p[plastic_symmetric[j]],
                                      p[plastic_symmetric[3 + j]], p[plastic_symmetric[6 + j]]);
            a[3 * k + j] = fw_add(row[j], product);
        }
    }
}

/* Cofactors of 1 + p and its determinant. */
static inline fw plastic_cofactors(const fw p[6], fw c[6]) {
    fw one = fw_set1(1.0f), x = fw_add(one, p[0]), y = fw_add(one, p[1]), z = fw_add(one, p[2]);
    c[0] = fw_sub(fw_mul(y, z), fw_mul(p[5], p[5]));
    c[1] = fw_sub(fw_mul(x, z), fw_mul(p[4], p[4]));
    c[2] = fw_sub(fw_mul(x, y), fw_mul(p[3], p[3]));
    c[3] = fw_sub(fw_mul(p[4], p[5]), fw_mul(p[3], z));
    c[4] = fw_sub(fw_mul(p[3], p[5]), fw_mul(y, p[4]));
    c[5] = fw_sub(fw_mul(p[3], p[4]), fw_mul(x, p[5]));
    return fw_add(fw_add(fw_mul(x, c[0]), fw_mul(p[3], c[3])), fw_mul(p[4], c[4]));
}

/* (1 + p)^-1 - 1, of a positive 1 + p. */
static inline void plastic_inverse_of(const fw p[6], fw v[6]) {
    fw det = plastic_cofactors(p, v), scale = fw_div(fw_set1(1.0f), fw_max(det, fw_set1(1e-3f)));
    for (int k = 0; k < 6; ++k) {
        v[k] = fw_mul(scale, v[k]);
        v[k] = k < 3 ? fw_sub(v[k], fw_set1(1.0f)) : v[k];
    }
}

/* (1 + v) q (1 + v), both symmetric: the inverse moments of the shape that has flowed. */
static inline void plastic_inverse_moments(fw q[6], const fw v[6]) {
    fw half[9], out[9];
    for (int k = 0; k < 9; ++k) {
        half[k] = q[plastic_symmetric[k]];
    }
    plastic_moments(half, v); /* q (1 + v) */
    for (int k = 0; k < 9; ++k) {
        out[k] = half[3 * (k % 3) + k / 3]; /* transposed: (1 + v) q */
    }
    plastic_moments(out, v);
    for (int k = 0; k < 3; ++k) {
        q[k] = out[4 * k];
    }
    q[3] = out[1];
    q[4] = out[2];
    q[5] = out[5];
}

/* D : D of the part of a symmetric matrix that keeps the volume; the part itself in d. */
static inline fw plastic_deviator(const fw s[6], fw d[6]) {
    fw mean = fw_div(fw_add(fw_add(s[0], s[1]), s[2]), fw_set1(3.0f)), square = fw_zero();
    for (int k = 0; k < 6; ++k) {
        d[k] = k < 3 ? fw_sub(s[k], mean) : s[k];
        fw once = fw_mul(d[k], d[k]);
        square = fw_add(square, k < 3 ? once : fw_add(once, once));
    }
    return square;
}

static inline fw plastic_norm(const fw s[6], fw d[6]) {
    return fw_sqrt(fw_mul(fw_set1(1.5f), plastic_deviator(s, d)));
}

/* The symmetric part of a product that is nearly symmetric. */
static inline void plastic_halves(const fw full[9], fw s[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
        fw both = fw_add(full[3 * row[k] + column[k]], full[3 * column[k] + row[k]]);
        s[k] = fw_mul(fw_set1(0.5f), both);
    }
}

/* One step of Newton's method for the square root of 1 + c: s <- (s + (1 + c) / (1 + s) - 1) / 2.
 */
static inline void plastic_root_step(const fw c[6], fw s[6]) {
    fw back[6], full[9];
    plastic_inverse_of(s, back);
    for (int k = 0; k < 9; ++k) {
        full[k] = c[plastic_symmetric[k]];
    }
    plastic_times(full, back); /* (1 + c) / (1 + s) - 1 */
    fw other[6];
    plastic_halves(full, other);
    for (int k = 0; k < 6; ++k) {
        s[k] = fw_mul(fw_set1(0.5f), fw_add(s[k], other[k]));
    }
}

/* (1 + x)^T (1 + x) - 1 */
static inline void plastic_square(const fw x[9], fw c[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
        int i = row[k], j = column[k];
        fw product = rotation_dot(x[i], x[3 + i], x[6 + i], x[j], x[3 + j], x[6 + j]);
        c[k] = fw_add(fw_add(x[3 * i + j], x[3 * j + i]), product);
    }
}

/* S - 1 of 1 + x from c = S^2 - 1 alone, so that no rotation is needed: with G = c / 2 the strain
 * of Green, S - 1 = G / (1 + G / 2) to second order, then one step of Newton's method. Off by a
 * ten-thousandth at strains of 1/2, by a thirtieth at 2. */
static inline void plastic_strain(const fw c[6], fw s[6]) {
    fw quarter[6];
    for (int k = 0; k < 6; ++k) {
        quarter[k] = fw_mul(fw_set1(0.25f), c[k]);
    }
    plastic_inverse_of(quarter, s);
    for (int k = 0; k < 6; ++k) {
        s[k] = fw_mul(fw_set1(-2.0f), s[k]); /* 2 (1 - 1 / (1 + G / 2)) */
    }
    plastic_root_step(c, s);
}

/* 1 + p scaled to determinant 1, which it nearly has. */
static inline void plastic_unit_volume(fw p[6]) {
    fw c[6], e = fw_sub(plastic_cofactors(p, c), fw_set1(1.0f)), third = fw_set1(-1.0f / 3.0f);
    fw less = fw_mul(e, fw_mad(fw_set1(2.0f / 9.0f), e, third)); /* (1 + e)^(-1/3) - 1 */
    for (int k = 0; k < 6; ++k) {
        p[k] = fw_mad(less, p[k], p[k]);
        p[k] = k < 3 ? fw_add(p[k], less) : p[k];
    }
}

/* False for lanes that surely do not yield: S - 1 = G - (S - 1)^2 / 2. c: S^2 - 1 = 2 G. */
static inline mw plastic_may_yield(const fw c[6], fw yield) {
    fw d[6], whole = fw_zero();
    for (int k = 0; k < 6; ++k) {
        fw once = fw_mul(c[k], c[k]);
        whole = fw_add(whole, k < 3 ? once : fw_add(once, once));
    }
    /* |S - 1| <= 1.3 |G| below a half, so (S - 1)^2 / 2 is at most 0.85 |G|^2, and sqrt(3/2) times
     * that 1.04 of it. */
    fw most = fw_mad(fw_set1(0.5f), plastic_norm(c, d), fw_mul(fw_set1(0.275f), whole));
    return mw_not(fw_le(most, yield));
}

/* scale (1 + p) - 1 */
static inline void plastic_scale(fw p[6], fw scale) {
    for (int k = 0; k < 6; ++k) {
        p[k] = fw_mul(scale, p[k]);
        p[k] = k < 3 ? fw_add(p[k], fw_sub(scale, fw_set1(1.0f))) : p[k];
    }
}

/* Lets the material of 8 regions flow. c: S^2 - 1; det: of the fit; p: the plastic strain, in and
 * out; past: of the regions, or null. */
static inline void plastic_flow(const match_gains* g, const fw c[6], fw det, const float* past,
                                fw p[6]) {
    fw s[6], d[6], d_p[6];
    plastic_strain(c, s);
    fw strain = plastic_norm(s, d);
    fw had = plastic_norm(p, d_p), all = past != NULL ? fw_add(had, fw_load(past)) : had;
    fw yield = fw_mad(fw_set1(g->hardening), all, fw_set1(g->yield));
    /* not for a region out of shape, nor for a strain that is no number */
    mw flows = mw_and(mw_and(fw_gt(strain, yield), fw_gt(det, fw_set1(STRETCH_WHOLE))),
                      fw_lt(strain, fw_set1(10.0f)));
    if (!mw_any(flows)) {
        return;
    }
    fw excess = fw_div(fw_sub(strain, yield), fw_max(strain, fw_set1(1e-30f)));
    fw rate = fw_select(flows, fw_mul(fw_set1(g->flow), excess), fw_zero());
    fw t[9], square[6], next[6];
    for (int k = 0; k < 9; ++k) {
        t[k] = fw_mul(rate, d[plastic_symmetric[k]]);
    }
    plastic_times(t, p); /* (1 + g D) U, not symmetric: less the rotation in it */
    plastic_square(t, square);
    plastic_halves(t, next);
    plastic_root_step(square, next);
    plastic_unit_volume(next);
    fw reached = plastic_norm(next, d_p), most = fw_set1(g->most_strain);
    if (past != NULL) { /* what is there already stays */
        most = fw_max(had, fw_min(most, fw_sub(fw_set1(g->total_strain), fw_load(past))));
    }
    mw over = fw_gt(reached, most);
    if (mw_any(over)) {
        fw back = fw_select(over, fw_div(most, fw_max(reached, fw_set1(1e-30f))), fw_set1(1.0f));
        for (int k = 0; k < 6; ++k) {
            next[k] = fw_mul(back, next[k]);
        }
        plastic_unit_volume(next);
        plastic_unit_volume(next);
    }
    for (int k = 0; k < 6; ++k) {
        p[k] = fw_select(flows, next[k], p[k]);
    }
}

#endif

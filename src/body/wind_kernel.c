/* SPDX-License-Identifier: MIT
 * Job: what the wind does to nodes, 8 at a time. In: areas of nodes at rest, how the nodes lie,
 * turn and move, the air. Out: changes of velocity over a step. Equations in body/wind.c.
 */
#include "body/wind_kernel.h"

#include "math/sine_wide.h"

/* Of an area: what is squashed to less has no side that looks anywhere. */
#define SQUASHED 1e-6f

static inline fw dot3(const fw a[3], const fw b[3]) {
    return fw_mad(a[2], b[2], fw_mad(a[1], b[1], fw_mul(a[0], b[0])));
}

static inline void cross3(const fw a[3], const fw b[3], fw out[3]) {
    for (int k = 0; k < 3; ++k) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        out[k] = fw_sub(fw_mul(a[p], b[q]), fw_mul(a[q], b[p]));
    }
}

/* out = s x, s symmetric: xx yy zz xy xz yz. */
static inline void symmetric3(const fw s[WIND_SAIL], const fw x[3], fw out[3]) {
    out[0] = fw_mad(s[4], x[2], fw_mad(s[3], x[1], fw_mul(s[0], x[0])));
    out[1] = fw_mad(s[5], x[2], fw_mad(s[1], x[1], fw_mul(s[3], x[0])));
    out[2] = fw_mad(s[2], x[2], fw_mad(s[5], x[1], fw_mul(s[4], x[0])));
}

/* Rows of cof(L). */
static inline void cofactors(const float* turn, fw c[3][3]) {
    fw lo[8], l[3][3];
    _Alignas(32) float last[8];
    for (int k = 0; k < 8; ++k) {
        lo[k] = fw_loadu(turn + 16 * k);
        last[k] = turn[16 * k + 8];
    }
    fw_transpose8(lo);
    fw one = fw_set1(1.0f);
    for (int k = 0; k < 8; ++k) {
        l[k / 3][k % 3] = k % 4 == 0 ? fw_add(lo[k], one) : lo[k];
    }
    l[2][2] = fw_add(fw_load(last), one);
    for (int k = 0; k < 3; ++k) {
        cross3(l[(k + 1) % 3], l[(k + 2) % 3], c[k]);
    }
}

static inline fw strength_at(const wind_air* air, const fw x[3]) {
    fw sum = fw_set1(1.0f);
    for (int k = 0; k < WIND_WAVES; ++k) {
        const float* wave = air->wave[k];
        const fw slope[3] = {fw_set1(wave[0]), fw_set1(wave[1]), fw_set1(wave[2])};
        fw angle = fw_add(fw_set1(air->phase[k]), dot3(slope, x));
        sum = fw_mad(fw_set1(air->share[k]), fw_sine(angle), sum);
    }
    return sum;
}

static void wind_blow(const wind_nodes* w, const wind_air* air, const float* turn, int32_t begin,
                      int32_t end) {
    const node_state* n = w->nodes;
    for (int32_t i = begin; i < end; i += FW_LANES, turn += 16 * FW_LANES) {
        fw s[WIND_SAIL], u[3], c[3][3], x[3];
        for (int k = 0; k < WIND_SAIL; ++k) {
            s[k] = fw_load(w->sail[k] + i);
        }
        fw area = fw_add(fw_add(s[0], s[1]), s[2]);
        mw blown = mw_and(fw_gt(area, fw_zero()), fw_gt(fw_load(n->inv_mass + i), fw_zero()));
        if (!mw_any(blown)) {
            for (int k = 0; k < 3; ++k) {
                fw_store(w->push[k] + i, fw_zero());
            }
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            x[k] = fw_add(fw_load(n->x0[k] + i), fw_load(n->d[k] + i));
        }
        fw more = air->gusts ? strength_at(air, x) : fw_set1(1.0f);
        for (int k = 0; k < 3; ++k) {
            u[k] = fw_sub(fw_mul(fw_set1(air->velocity[k]), more), fw_load(n->v[k] + i));
        }
        cofactors(turn, c);
        /* f = C S C^T u, and the trace of C S C^T */
        fw back[3], felt[3], f[3], turned = fw_zero();
        for (int k = 0; k < 3; ++k) {
            fw row[3];
            symmetric3(s, c[k], row);
            turned = fw_add(turned, dot3(row, c[k]));
            back[k] = fw_mad(c[2][k], u[2], fw_mad(c[1][k], u[1], fw_mul(c[0][k], u[0])));
        }
        symmetric3(s, back, felt);
        for (int k = 0; k < 3; ++k) {
            f[k] = dot3(c[k], felt);
        }
        blown = mw_and(blown, fw_gt(turned, fw_mul(fw_set1(SQUASHED), area)));
        fw speed = fw_sqrt(dot3(u, u));
        fw share = fw_min(fw_mul(fw_set1(air->strength), speed), fw_div(fw_set1(1.0f), area));
        share = fw_mul(share, fw_div(area, turned));
        for (int k = 0; k < 3; ++k) {
            fw_store(w->push[k] + i, fw_select(blown, fw_mul(share, f[k]), fw_zero()));
        }
    }
}

const wind_kernels KERNEL(wind_kernels) = {wind_blow};

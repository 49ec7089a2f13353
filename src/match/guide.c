/* SPDX-License-Identifier: MIT
 * Job: a common rotation for lost regions. In: what a watched pass has stored. Out: quaternions of
 * the regions that have no shape left, and a mark on each.
 */
#include "match/guide.h"

#include "match/stretch.h"
#include "math/rotation.h"

#include <string.h>

enum { SUMS = 10 };
/* The share of the rest moments with which the rotation that a component's regions have had counts:
 * what the moments leave open (the twist of a line, all of a point) stays as it is. */
#define KEEP_SHARE 1e-6

static bool is_lost(const match_body* m, int32_t region) {
    return !(m->watch->det[region] >= STRETCH_NONE) && m->regions->sigma2[region] > 0.0f;
}

static void add_moments(const match_body* m, int32_t region, double* sum) {
    const regions* r = m->regions;
    dquat had = {(double)m->q[0][region], (double)m->q[1][region], (double)m->q[2][region],
                 (double)m->q[3][region]};
    dmat3 rotation = dquat_matrix(dquat_unit(had));
    double keep = KEEP_SHARE * ((double)r->a0[0][region] + (double)r->a0[1][region] +
                                (double)r->a0[2][region]);
    for (int k = 0; k < 9; ++k) {
        sum[k] += (double)m->watch->a[k][region] + keep * rotation.m[k];
    }
    sum[9] += 1.0;
}

bool guide_regions(const match_body* m) {
    const regions* r = m->regions;
    double* sums = m->watch->sums;
    bool any = false;
    for (int32_t i = 0; i < r->count; ++i) {
        any = any || is_lost(m, i);
    }
    if (!any) {
        return false;
    }
    int32_t components = m->nodes->component_count;
    memset(sums, 0, (size_t)components * SUMS * sizeof(double));
    for (int32_t i = 0; i < r->count; ++i) {
        if (is_lost(m, i)) {
            add_moments(m, i, sums + (size_t)m->region_component[i] * SUMS);
        }
    }
    for (int32_t c = 0; c < components; ++c) {
        double q[4];
        if (sums[(size_t)c * SUMS + 9] > 0.0) {
            rotation_cold(sums + (size_t)c * SUMS, q);
            memcpy(sums + (size_t)c * SUMS, q, sizeof q);
        }
    }
    for (int32_t i = 0; i < r->count; ++i) {
        if (is_lost(m, i)) {
            m->watch->guided[i] = 1.0f;
            for (int k = 0; k < 4; ++k) {
                m->q[k][i] = (float)sums[(size_t)m->region_component[i] * SUMS + (size_t)k];
            }
        }
    }
    return true;
}

void guide_release(const match_body* m) {
    memset(m->watch->guided, 0, (size_t)m->regions->padded * sizeof(float));
}

/* SPDX-License-Identifier: MIT
 * Job: a common rotation for lost regions. In: what a watched pass has stored. Out: quaternions of
 * the regions that have no shape left, and a mark on each.
 */
#include "match/guide.h"

#include "match/stretch.h"
#include "math/rotation.h"

#include <string.h>

/* The share of the rest moments with which the rotation that a component's regions have had counts:
 * what the moments leave open (the twist of a line, all of a point) stays as it is. */
#define KEEP_SHARE 1e-4
/* A torque left, over the size of the moments, beyond which a rotation is not yet found; floats
 * leave 1e-6. */
#define LATE_TORQUE 1e-4f

static bool is_lost(const match_body* m, int32_t region) {
    return !(m->watch->det[region] >= STRETCH_NONE) && m->regions->sigma2[region] > 0.0f;
}

static bool is_late(const match_body* m, int32_t region) {
    return m->watch->torque2[region] > LATE_TORQUE * LATE_TORQUE;
}

static match_lost* lost_of(const match_body* m, int32_t region) {
    return m->watch->lost + m->region_component[region];
}

/* Where more than a quarter of a component's regions are lost, the others have their shape by
 * chance: with half as the limit, one scrambled shell of 64 clusters in three stays inside out for
 * good. */
static bool follows(const match_body* m, int32_t region) {
    const match_lost* l = lost_of(m, region);
    return is_lost(m, region) || 4 * l->count > l->regions;
}

static void give(const match_body* m, int32_t region, const double q[4]) {
    m->watch->guided[region] = 1.0f;
    for (int k = 0; k < 4; ++k) {
        m->q[k][region] = (float)q[k];
    }
}

/* As strongly as the region pulls towards its turned shape: the sum of the torques is to vanish.
 * Towards its fit it pulls without torque. */
static void add_moments(const match_body* m, int32_t region, double sum[9]) {
    const regions* r = m->regions;
    dquat had = {(double)m->q[0][region], (double)m->q[1][region], (double)m->q[2][region],
                 (double)m->q[3][region]};
    dmat3 rotation = dquat_matrix(dquat_unit(had));
    double keep = KEEP_SHARE *
                  ((double)r->a0[0][region] + (double)r->a0[1][region] + (double)r->a0[2][region]);
    double volume, fit;
    stretch_share((double)m->watch->det[region], (double)m->gains->beta, &volume, &fit);
    double gain = (double)m->gains->goal[region] * (1.0 - fit);
    for (int k = 0; k < 9; ++k) {
        sum[k] += gain * ((double)m->watch->a[k][region] + keep * rotation.m[k]);
    }
}

/* Counts; false when every region has found its rotation. */
static bool count_lost(const match_body* m) {
    bool any = false;
    memset(m->watch->lost, 0, (size_t)m->nodes->component_count * sizeof *m->watch->lost);
    for (int32_t i = 0; i < m->regions->count; ++i) {
        bool lost = is_lost(m, i);
        any = any || lost || is_late(m, i);
        lost_of(m, i)->regions++;
        lost_of(m, i)->count += lost;
    }
    return any;
}

bool guide_regions(const match_body* m) {
    const regions* r = m->regions;
    if (!count_lost(m)) {
        return false;
    }
    for (int32_t i = 0; i < r->count; ++i) {
        if (follows(m, i)) {
            add_moments(m, i, lost_of(m, i)->moments);
        }
    }
    for (int32_t c = 0; c < m->nodes->component_count; ++c) {
        match_lost* l = m->watch->lost + c;
        if (l->count > 0) {
            rotation_cold(l->moments, l->q);
        }
    }
    for (int32_t i = 0; i < r->count; ++i) {
        double own[9], q[4];
        if (follows(m, i)) {
            give(m, i, lost_of(m, i)->q);
        } else if (is_late(m, i)) {
            for (int k = 0; k < 9; ++k) {
                own[k] = (double)m->watch->a[k][i];
            }
            rotation_cold(own, q);
            give(m, i, q);
        }
    }
    return true;
}

void guide_release(const match_body* m) {
    memset(m->watch->guided, 0, (size_t)m->regions->padded * sizeof(float));
}

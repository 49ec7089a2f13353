/* SPDX-License-Identifier: MIT
 * Quadratic goals of clusters (Mueller et al. 2005, section 4.3): the fit may bend and twist a
 * cluster. With q = (x0 - c0) / radius the basis is
 *     q~ = (qx, qy, qz, qx^2, qy^2, qz^2, qx qy, qy qz, qz qx) less its mean over the cluster,
 * the fit A~ = (sum m p q~^T)(sum m q~ q~^T)^-1, 3 x 9, and the goal
 *     g = c + R~ q~ + t (A~ q~ - R~ q~ + k V (x0 - c0)),   R~ = radius [R 0 0].
 * k V keeps the volume of the linear fit, and t falls where that has none: match/stretch_wide.h.
 *
 * With e = p - R (x0 - c0), what the rigid goal leaves, A~ - R~ = (sum m e q~^T) H^-1: exactly 0 at
 * rest. The rigid goal itself comes over the network; what the fit adds to it is summed here over
 * explicit members. H has a ridge of 1e-6 of its mean; a cluster of fewer than 10 points, or that
 * is flat, has the linear part alone.
 */
#ifndef LIMBER_QUADRATIC_H
#define LIMBER_QUADRATIC_H

#include "match/match.h"

enum { QUADRATIC = 9, QUADRATIC_MATRIX = 27 };

/* k: the stiffness of volume over that of shape is at most 16, alpha times it at most a half. */
static inline double quadratic_bulk(double alpha) {
    double most = alpha * 16.0 < 0.5 ? 16.0 : 0.5 / alpha;
    return most > 1.0 ? most : 1.0;
}

/* A run of members of one cluster: the unit of work. */
typedef struct quadratic_run {
    int32_t cluster, begin, end; /* members, multiples of 8 */
} quadratic_run;

/* What is constant. Members are by cluster, each padded to a multiple of 8 with weight 0. */
typedef struct quadratic {
    int32_t clusters, members, run_count;
    int32_t* slot; /* of each member */
    float* mass;   /* m~ w */
    float* share;  /* w / W */
    quadratic_run* runs;
    int32_t* run_first;            /* clusters + 1 */
    int32_t *node_first, *node_at; /* per slot: its members ... */
    int32_t* node_cluster;         /* ... and their clusters */
    float* c0[3];                  /* per cluster its centre, in the component's frame */
    float* inv_radius;
    float (*mean)[6];
    double (*rows)[QUADRATIC_MATRIX]; /* sum m q q~^T */
    double (*inverse)[QUADRATIC * QUADRATIC];
} quadratic;

typedef struct quadratic_source {
    const net* net;
    const charts* charts;
    const regions* regions;
    int32_t slots;
    const float* x0[3];
    const float *inv_weight, *fit_mass;
} quadratic_source;

lim_result quadratic_build(arena* a, arena* scratch, const quadratic_source* s, quadratic* out);

/* What a body needs for it. */
typedef struct quadratic_work {
    double (*sums)[QUADRATIC_MATRIX];  /* per run */
    float (*matrix)[QUADRATIC_MATRIX]; /* per cluster: goal gain * t (s A~ - R~) */
    float* pull[3];                    /* per member */
} quadratic_work;
lim_result quadratic_work_make(arena* a, const quadratic* q, quadratic_work* out);

/* From displacements and rotations to the clusters' matrices, and with them to match_body.more. */
void quadratic_pull(match_body* m, isa set, workers* pool);
/* What the fit of a cluster changes of sum m |x - R q|^2 (match/energy.c), of the positions of the
 * last of the two passes here. */
double quadratic_energy(const match_body* m, int32_t cluster);
/* From the same to what the fit adds to the nodes' affine parts, which hold the rotations' alone.
 */
void quadratic_affine(match_body* m, isa set, workers* pool);

#endif

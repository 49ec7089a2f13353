/* SPDX-License-Identifier: MIT
 * Solving A x = b, A = S (M + s K) S: M the masses of the corners, K the stiffness in its present
 * rotations, s a time squared, S the filter that takes out what limits prescribe.
 *
 * Conjugate gradients, preconditioned by one V-cycle: two steps of Chebyshev smoothing before and
 * after each coarse correction (Adams, Brezina, Hu and Tuminaro 2003), the coarsest level by a
 * Cholesky factor. A smoother divides by D = m + s sum_e lambda_e D_e, D_e the diagonal blocks of
 * an element and lambda_e a bound of its eigenvalues: then D^-1 A has none far beyond 1 in any
 * deformation, and nothing has to be estimated or kept from step to step.
 */
#ifndef LIMBER_CYCLE_H
#define LIMBER_CYCLE_H

#include "base/workers.h"
#include "hex/hex_kernel.h"
#include "hex/hex_levels.h"

typedef struct hex_solver {
    hex_levels* levels;
    const hex_kernels* kernels;
    workers* pool;
    float scale;                /* s */
    float *answer, *search, *q; /* vectors of the finest level */
    double* sums;               /* of blocks */
} hex_solver;

lim_result hex_solver_make(arena* a, hex_levels* levels, hex_solver* out);

/* Rotations of all levels at displacements d (rows of the finest level's nodes), from q of its
 * elements on. Then the diagonals. */
void hex_solver_turn(hex_solver* s, const float* d);

/* Plastic flow of the finest level's elements at displacements d. */
void hex_solver_flow(hex_solver* s, const match_gains* gains, const float* d);

/* K (R^T (X + d) - U X), turned back: minus the elastic forces at displacements d, to `out`. */
void hex_solver_force(hex_solver* s, const float* d, float* out);

/* s K x, to `out`. */
void hex_solver_stiffness(hex_solver* s, const float* x, float* out);

/* Coarse masses and filters, inverse diagonals and the factor, from `mass`, `limited` and `filter`
 * of the finest level and from `scale`. */
void hex_solver_ready(hex_solver* s);

typedef struct hex_solve_report {
    int32_t iterations;
    double residual; /* |b - A x| / |b| at the end */
    bool converged;
} hex_solve_report;

/* `answer`, from what it holds on, for the right side `b` of the finest level, which becomes the
 * residual. Ends at this share of |b| or after this many iterations: then it has what it has, and
 * that is finite. */
hex_solve_report hex_solver_solve(hex_solver* s, double tolerance, int32_t most);

/* r = S r over the limited nodes of a level. */
void hex_filter(const hex_level* l, float* r);

#endif

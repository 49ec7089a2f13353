/* SPDX-License-Identifier: MIT
 * A sparse symmetric matrix of 3x3 blocks, one row of blocks per vertex: the lower triangle by
 * rows, columns ascending, the diagonal last. With an incomplete Cholesky factor of the same
 * pattern and conjugate gradients that it preconditions.
 */
#ifndef LIMBER_BLOCK_MATRIX_H
#define LIMBER_BLOCK_MATRIX_H

#include "base/arena.h"
#include "math/vec3.h"

typedef struct block_matrix {
    int32_t rows;
    int32_t* start;  /* rows + 1: where the row's blocks begin; its last is the diagonal */
    int32_t* column; /* per block */
    double* value;   /* 9 per block, row major */
} block_matrix;

/* A matrix with blocks at (pair[2i], pair[2i + 1]) and on the diagonal, all zero. */
lim_result block_matrix_create(arena* a, arena* scratch, int32_t rows, const int32_t* pairs,
                               int64_t pair_count, block_matrix* out);
/* Where the block of two vertices is; the lower one when row < column. -1: not in the pattern. */
int32_t block_matrix_find(const block_matrix* m, int32_t row, int32_t column);
/* out = m x + shift x. */
void block_matrix_apply(const block_matrix* m, double shift, const lim_point* x, lim_point* out);

/* L with L L^T = m + shift I where the pattern has room for it (Meijerink, van der Vorst 1977, by
 * blocks). Where a pivot is lost the diagonal is raised, tenfold at a time (Manteuffel 1980). The
 * diagonal blocks hold the inverse of L's. */
void block_factor(const block_matrix* m, double shift, block_matrix* factor);
/* x = (L L^T)^-1 x. */
void block_factor_solve(const block_matrix* factor, lim_point* x);

/* What conjugate gradients work on: arrays of as many vectors as rows. */
typedef struct block_work {
    lim_point *residual, *z, *way, *image;
} block_work;
typedef struct block_solved {
    int32_t iterations;
    bool bent; /* met a direction in which m is not positive: x is what had been found before */
} block_solved;

/* A rank-one part beside the matrix: m + scale v v^T. v null: none. */
typedef struct block_rank {
    const lim_point* v;
    double scale;
} block_rank;

/* Solves (m + shift I + rank) x = b from x = 0 until the residual is `tolerance` of |b|, or for
 * `most` iterations. In the first direction of no positive curvature x is the preconditioned b. */
block_solved block_solve(const block_matrix* m, double shift, const block_rank* rank,
                         const block_matrix* factor, const lim_point* b, double tolerance,
                         int32_t most, const block_work* work, lim_point* x);

/* Sum of products over all rows, in order. */
double block_dot(const lim_point* a, const lim_point* b, int32_t rows);

#endif

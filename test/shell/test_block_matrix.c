/* SPDX-License-Identifier: MIT
 * Sparse block matrices against dense ones: products, factors, solutions.
 */
#include "shell/block_matrix.h"

#include "base/random.h"
#include "test.h"

enum { ROWS = 12, WIDE = 3 * ROWS };

typedef struct dense {
    double m[WIDE][WIDE];
} dense;

static dense dense_of(const block_matrix* b) {
    dense out = {{{0}}};
    for (int32_t i = 0; i < b->rows; ++i) {
        for (int32_t k = b->start[i]; k < b->start[i + 1]; ++k) {
            for (int e = 0; e < 9; ++e) {
                double v = b->value[9 * k + e];
                out.m[3 * i + e / 3][3 * b->column[k] + e % 3] = v;
                out.m[3 * b->column[k] + e % 3][3 * i + e / 3] = v;
            }
        }
    }
    return out;
}

/* Springs of random matrices between vertices of a ring, also every third; held by `hold`. */
static void random_matrix(arena* a, bool ring_only, double hold, block_matrix* out) {
    random_stream r = random_seed(7);
    int32_t pairs[4 * ROWS], count = 0;
    for (int32_t i = 0; i < ROWS; ++i) {
        pairs[2 * count] = i;
        pairs[2 * count++ + 1] = ring_only && i == ROWS - 1 ? i : (i + 1) % ROWS;
        if (!ring_only) {
            pairs[2 * count] = (i + 3) % ROWS;
            pairs[2 * count++ + 1] = i;
        }
    }
    arena scratch;
    arena_init(&scratch, &a->host);
    CHECK(block_matrix_create(a, &scratch, ROWS, pairs, count, out) == LIM_OK);
    arena_release(&scratch);
    for (int32_t i = 0; i < ROWS; ++i) {
        int32_t last = out->start[i + 1] - 1;
        CHECK(out->column[last] == i);
        for (int e = 0; e < 3; ++e) {
            out->value[9 * last + 4 * e] += hold;
        }
        for (int32_t k = out->start[i]; k < last; ++k) {
            CHECK(k == out->start[i] || out->column[k] > out->column[k - 1]);
            int32_t j = out->column[k], other = out->start[j + 1] - 1;
            double w[3], v[9];
            for (int e = 0; e < 3; ++e) {
                w[e] = (double)random_range(&r, -1, 1);
            }
            for (int e = 0; e < 9; ++e) {
                v[e] = w[e / 3] * w[e % 3] + (e % 4 == 0 ? 0.1 : 0.0);
                out->value[9 * last + e] += v[e];
                out->value[9 * other + e] += v[e];
                out->value[9 * k + e] -= v[e];
            }
        }
    }
}

static void fill(lim_point* x, uint64_t seed) {
    random_stream r = random_seed(seed);
    for (int i = 0; i < ROWS; ++i) {
        x[i] = p3((double)random_range(&r, -1, 1), (double)random_range(&r, -1, 1),
                  (double)random_range(&r, -1, 1));
    }
}

static double at(const lim_point* x, int i) {
    return i % 3 == 0 ? x[i / 3].x : i % 3 == 1 ? x[i / 3].y : x[i / 3].z;
}

static void products_are_those_of_the_dense_matrix(void) {
    arena a;
    lim_host host = mem_host(NULL);
    arena_init(&a, &host);
    block_matrix b;
    random_matrix(&a, false, 0.1, &b);
    dense d = dense_of(&b);
    lim_point x[ROWS], y[ROWS];
    fill(x, 1);
    block_matrix_apply(&b, 0.25, x, y);
    for (int i = 0; i < WIDE; ++i) {
        double sum = 0.25 * at(x, i);
        for (int k = 0; k < WIDE; ++k) {
            sum += d.m[i][k] * at(x, k);
        }
        CHECK_NEAR(at(y, i), sum, 1e-13);
    }
    CHECK(block_matrix_find(&b, 0, 3) == block_matrix_find(&b, 3, 0));
    CHECK(block_matrix_find(&b, 0, 3) >= 0 && block_matrix_find(&b, 0, 5) == -1);
    arena_release(&a);
}

/* A chain has no fill: the incomplete factor is the factor, and solves. */
static void the_factor_of_a_chain_is_exact(void) {
    arena a;
    lim_host host = mem_host(NULL);
    arena_init(&a, &host);
    block_matrix b;
    random_matrix(&a, true, 0.1, &b);
    block_matrix f = b;
    f.value = ARENA_ARRAY(&a, double, 9 * b.start[ROWS]);
    block_factor(&b, 0.05, &f);
    lim_point x[ROWS], y[ROWS];
    fill(x, 2);
    memcpy(y, x, sizeof y);
    block_factor_solve(&f, y);
    lim_point back[ROWS];
    block_matrix_apply(&b, 0.05, y, back);
    for (int i = 0; i < WIDE; ++i) {
        CHECK_NEAR(at(back, i), at(x, i), 1e-11);
    }
    arena_release(&a);
}

static block_work work_of(arena* a) {
    return (block_work){ARENA_ARRAY(a, lim_point, ROWS), ARENA_ARRAY(a, lim_point, ROWS),
                        ARENA_ARRAY(a, lim_point, ROWS), ARENA_ARRAY(a, lim_point, ROWS)};
}

static void gradients_solve_with_a_rank_one_part(void) {
    arena a;
    lim_host host = mem_host(NULL);
    arena_init(&a, &host);
    block_matrix b;
    random_matrix(&a, false, 0.01, &b);
    block_matrix f = b;
    f.value = ARENA_ARRAY(&a, double, 9 * b.start[ROWS]);
    block_factor(&b, 0.0, &f);
    block_work work = work_of(&a);
    lim_point right[ROWS], v[ROWS], x[ROWS], back[ROWS];
    fill(right, 3);
    fill(v, 4);
    const block_rank rank = {v, 100.0};
    block_solved done = block_solve(&b, 0.0, &rank, &f, right, 1e-10, 100, &work, x);
    CHECK(!done.bent && done.iterations < 40);
    block_matrix_apply(&b, 0.0, x, back);
    double s = 100.0 * block_dot(v, x, ROWS);
    for (int i = 0; i < WIDE; ++i) {
        CHECK_NEAR(at(back, i) + s * at(v, i), at(right, i), 1e-8);
    }
    arena_release(&a);
}

/* A matrix that is not positive: the factor is raised until it is, the solver stops and says so,
 * and what it gives goes downhill. */
static void what_is_not_positive_is_found(void) {
    arena a;
    lim_host host = mem_host(NULL);
    arena_init(&a, &host);
    block_matrix b;
    random_matrix(&a, false, -1.5, &b);
    block_matrix f = b;
    f.value = ARENA_ARRAY(&a, double, 9 * b.start[ROWS]);
    block_factor(&b, 0.0, &f);
    block_work work = work_of(&a);
    const block_rank none = {NULL, 0.0};
    lim_point right[ROWS], x[ROWS];
    fill(right, 5);
    block_solved done = block_solve(&b, 0.0, &none, &f, right, 1e-10, 100, &work, x);
    CHECK(done.bent);
    CHECK(block_dot(x, right, ROWS) > 0.0);
    arena_release(&a);
}

TEST_SUITE(block_matrix) {
    TEST_BEGIN(argc, argv);
    RUN(products_are_those_of_the_dense_matrix);
    RUN(the_factor_of_a_chain_is_exact);
    RUN(gradients_solve_with_a_rank_one_part);
    RUN(what_is_not_positive_is_found);
    TEST_END();
}

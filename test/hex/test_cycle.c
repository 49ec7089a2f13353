/* SPDX-License-Identifier: MIT
 * Products, forces and solves against dense matrices in double; beams against Timoshenko; numbers
 * of iterations; bits of instruction sets and workers.
 */
#include "test.h"

#include "base/random.h"
#include "hex_kit.h"
#include "hex_oracle.h"
#include "math/rotation.h"

static const double edge = 0.01;

/* Four kinds of cells in a small box with a cut of no width. */
static uint64_t mixed_mask(const kit_shape* s, int32_t x, int32_t y, int32_t z) {
    (void)s;
    static const uint64_t masks[4] = {~(uint64_t)0, 0xFFFF777733331111u, 0x0000FFFFFFFFFFFFu,
                                      ~(uint64_t)0};
    return x == 2 && y == 1 && z == 0 ? 0 : masks[(x + 2 * y + 3 * z) % 4];
}
static bool mixed_holds(const kit_shape* s, int32_t x, int32_t y, int32_t z, int axis) {
    (void)s;
    (void)z;
    return !(axis == 1 && y == 0 && x > 2);
}
static const kit_shape mixed = {"mixed", {5, 3, 2}, mixed_mask, mixed_holds, 0.0};

static void random_rows(random_stream* r, float* rows, int32_t nodes, float size) {
    for (int32_t i = 0; i < 4 * nodes; ++i) {
        rows[i] = i % 4 < 3 ? random_range(r, -size, size) : 0.0f;
    }
}

static void use_random_moduli(kit_body* b, random_stream* r) {
    for (int32_t e = 0; e < b->desc.cells; ++e) {
        b->young[e] = random_range(r, 1e5f, 2e5f);
        b->poisson[e] = random_range(r, 0.0f, 0.49f);
    }
    CHECK(hex_levels_stiffen(&b->levels, b->young, b->poisson) == LIM_OK);
}

/* The matrix of all cells, turned by the rotations that the solver holds, and their forces. */
static void dense_sum(const kit_body* b, const float* d, const float* x, double* kx, double* f) {
    const hex_level* l = &b->levels.level[0];
    for (int32_t e = 0; e < b->desc.cells; ++e) {
        double k[24][24], R[9], u[24], w[24];
        int32_t lane = l->lane[e];
        oracle_element((double)b->young[e], (double)b->poisson[e], edge, b->mask[e], k);
        for (int i = 0; i < 9; ++i) {
            R[i] = (double)l->turn[72 * (lane / 8) + 8 * i + lane % 8] + (i % 4 == 0 ? 1.0 : 0.0);
        }
        for (int i = 0; i < 24; ++i) {
            const float *row = d + 4 * b->corner[e][i / 3], *other = x + 4 * b->corner[e][i / 3];
            u[i] = w[i] = 0.0;
            for (int m = 0; m < 3; ++m) {
                double rest = edge * (double)(i / 3 >> m & 1);
                u[i] += R[3 * m + i % 3] * ((double)row[m] + rest);
                w[i] += R[3 * m + i % 3] * (double)other[m];
            }
            u[i] -= edge * (double)(i / 3 >> (i % 3) & 1);
        }
        for (int i = 0; i < 24; ++i) {
            double force = 0.0, product = 0.0;
            for (int j = 0; j < 24; ++j) {
                force += k[i][j] * u[j];
                product += k[i][j] * w[j];
            }
            for (int m = 0; m < 3; ++m) {
                int32_t to = 3 * b->corner[e][i / 3] + m;
                f[to] += R[3 * m + i % 3] * force;
                kx[to] += R[3 * m + i % 3] * product;
            }
        }
    }
}

static double worst_row(const float* got, const double* want, int32_t nodes) {
    double worst = 0.0, largest = 1e-300;
    for (int32_t i = 0; i < 3 * nodes; ++i) {
        worst = fmax(worst, fabs((double)got[4 * (i / 3) + i % 3] - want[i]));
        largest = fmax(largest, fabs(want[i]));
    }
    return worst / largest;
}

static void products_equal_dense_matrices(void) {
    random_stream r = random_seed(1);
    kit_body b;
    kit_make(&b, &mixed, edge, 1e5, 0.3);
    use_random_moduli(&b, &r);
    float *d = kit_rows(&b), *x = kit_rows(&b), *got = kit_rows(&b), *force = kit_rows(&b);
    int32_t nodes = b.desc.nodes;
    double* want = calloc((size_t)(6 * nodes), sizeof *want);
    random_rows(&r, d, nodes, 0.004f);
    random_rows(&r, x, nodes, 1.0f);
    hex_solver_turn(&b.solver, d);
    b.solver.scale = 1.0f;
    hex_solver_force(&b.solver, d, force);
    hex_solver_stiffness(&b.solver, x, got);
    dense_sum(&b, d, x, want, want + 3 * nodes);
    CHECK(worst_row(got, want, nodes) < 2e-6);
    CHECK(worst_row(force, want + 3 * nodes, nodes) < 4e-6);
    free(want);
    kit_free(&b);
}

/* Rotations are the ones nearest to the mean gradient, also where that is turned inside out. */
static void rotations_are_the_nearest(void) {
    random_stream r = random_seed(2);
    const kit_shape box = {"box", {4, 4, 4}, NULL, NULL, 0.0};
    kit_body b;
    kit_make(&b, &box, edge, 1e5, 0.3);
    float* d = kit_rows(&b);
    const hex_level* l = &b.levels.level[0];
    for (int wild = 0; wild < 2; ++wild) {
        random_rows(&r, d, b.desc.nodes, wild != 0 ? 0.02f : 0.003f);
        for (int again = 0; again < 1 + 20 * wild; ++again) {
            hex_solver_turn(&b.solver, d);
        }
        int32_t far = 0;
        for (int32_t e = 0; e < b.desc.cells; ++e) {
            double F[9], q[4], dot = 0.0, length = 0.0;
            int32_t lane = l->lane[e];
            for (int i = 0; i < 9; ++i) {
                F[i] = i % 4 == 0 ? 1.0 : 0.0;
                for (int c = 0; c < 8; ++c) {
                    double sign = (c >> (i % 3) & 1) != 0 ? 0.25 : -0.25;
                    F[i] += sign / edge * (double)d[4 * b.corner[e][c] + i / 3];
                }
            }
            rotation_cold(F, q);
            for (int k = 0; k < 4; ++k) {
                double have = (double)l->q[32 * (lane / 8) + 8 * k + lane % 8];
                dot += q[k] * have;
                length += have * have;
            }
            far += !(fabs(dot) > 1.0 - 1e-6);
            CHECK_NEAR(length, 1.0, 1e-5);
        }
        CHECK(far <= (wild != 0 ? 3 : 0));
    }
    kit_free(&b);
}

/* Any affine displacement of a box without masses: solving for the inner nodes with the outer ones
 * given gives it back, whatever the cells' masks are, as long as their material is one. */
static void affine_patch_is_exact(void) {
    const kit_shape box = {"box", {6, 5, 4}, NULL, NULL, 0.0};
    kit_body b;
    kit_make(&b, &box, edge, 1e5, 0.45);
    hex_level* l = &b.levels.level[0];
    float *u = kit_rows(&b), *f = kit_rows(&b);
    static const float G[9] = {0.01f, 0.02f,  -0.005f, 0.003f, -0.02f,
                               0.01f, 0.004f, 0.006f,  0.015f};
    for (int32_t n = 0; n < b.desc.nodes; ++n) {
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 3; ++j) {
                u[4 * n + k] += G[3 * k + j] * (float)b.place[n][j];
            }
        }
    }
    hex_solver_turn(&b.solver, f);
    b.solver.scale = 1.0f;
    hex_solver_stiffness(&b.solver, u, f);
    double inner = 0.0, outer = 0.0;
    for (int32_t i = 0; i < 3 * b.desc.nodes; ++i) {
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
            inside = inside && b.place[i / 3][k] > 0 && b.place[i / 3][k] < box.size[k];
        }
        double size = fabs((double)f[4 * (i / 3) + i % 3]);
        *(inside ? &inner : &outer) = fmax(inside ? inner : outer, size);
    }
    CHECK(inner < 1e-5 * outer);
    (void)l;
    kit_free(&b);
}

/* Deflection of a beam over that of Timoshenko, root free to contract. End load, or its weight. */
static double beam(const kit_shape* s, double poisson, bool weight, int32_t* iterations) {
    const double young = 1e6;
    kit_body b;
    kit_make(&b, s, edge, young, poisson);
    hex_level* l = &b.levels.level[0];
    float* still = kit_rows(&b);
    double ny = s->size[1], nz = s->size[2], load = 1e-3, length = s->size[0] * edge;
    for (int32_t n = 0; n < b.desc.nodes; ++n) {
        const int32_t* p = b.place[n];
        if (p[0] == 0) {
            kit_fix(&b, n, 1 | (2 * p[1] == s->size[1]) << 1 | (2 * p[2] == s->size[2]) << 2);
        }
        double share = (p[1] == 0 || 2 * p[1] == 2 * s->size[1] ? 0.5 : 1.0) *
                       (p[2] == 0 || p[2] == s->size[2] ? 0.5 : 1.0) / (ny * nz);
        l->b[4 * n + 1] = weight               ? -9.81f * b.mass[n]
                          : p[0] == s->size[0] ? (float)(-load * share)
                                               : 0.0f;
    }
    hex_solver_turn(&b.solver, still);
    b.solver.scale = 1.0f;
    hex_solver_ready(&b.solver);
    hex_solve_report report = hex_solver_solve(&b.solver, 1e-5, 200);
    CHECK(report.converged);
    *iterations = report.iterations;
    double tip = 0.0, count = 0.0;
    for (int32_t n = 0; n < b.desc.nodes; ++n) {
        if (b.place[n][0] == s->size[0] && b.place[n][1] == s->size[1] / 2) {
            tip -= (double)b.solver.answer[4 * n + 1];
            count += 1.0;
        }
    }
    kit_free(&b);
    double shear = young / (2.0 * (1.0 + poisson));
    if (weight) {
        const double pi = 3.14159265358979;
        double wide = s->wide * edge, area = pi * wide * wide / 4.0;
        double inertia = pi * wide * wide * wide * wide / 64.0, line = 9810.0 * area;
        return tip / count /
               (line * pow(length, 4.0) / (8.0 * young * inertia) +
                line * length * length / (2.0 * 0.9 * shear * area));
    }
    double area = ny * nz * edge * edge, inertia = nz * edge * pow(ny * edge, 3.0) / 12.0;
    return tip / count /
           (load * pow(length, 3.0) / (3.0 * young * inertia) +
            load * length / (5.0 / 6.0 * shear * area));
}

static void cantilevers_bend_as_timoshenko(void) {
    static const double poissons[] = {0.0, 0.3, 0.45, 0.49};
    const kit_shape bar = {"bar", {8, 2, 2}, NULL, NULL, 0.0};
    for (int i = 0; i < 4; ++i) {
        int32_t iterations;
        double ratio = beam(&bar, poissons[i], false, &iterations);
        printf("  nu %.2f: %.4f of Timoshenko, %d iterations\n", poissons[i], ratio, iterations);
        CHECK_NEAR(ratio, 1.0, 0.02);
    }
}

static void round_rods_bend_as_timoshenko(void) {
    static const double wides[] = {3.3, 4.6, 5.0, 6.5, 9.4};
    for (int i = 0; i < 5; ++i) {
        int32_t side = wides[i] < 8.0 ? 8 : 16, iterations; /* a node of every level on the axis */
        const kit_shape rod = {
            "rod", {(int32_t)(8.0 * wides[i]), side, side}, kit_rod, NULL, wides[i]};
        double ratio = beam(&rod, 0.3, true, &iterations);
        printf("  %.1f cells across: %.4f of Timoshenko, %d iterations\n", wides[i], ratio,
               iterations);
        CHECK_NEAR(ratio, 1.0, 0.08);
    }
}

TEST_SUITE(cycle) {
    TEST_BEGIN(argc, argv);
    RUN(products_equal_dense_matrices);
    RUN(rotations_are_the_nearest);
    RUN(affine_patch_is_exact);
    RUN(cantilevers_bend_as_timoshenko);
    RUN(round_rods_bend_as_timoshenko);
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * Matrices of cells against textbook integration, patches of constant strain, rigid motions,
 * masses, and the bound of the smoother's blocks.
 */
#include "test.h"

#include "base/random.h"
#include "hex/element.h"
#include "hex_oracle.h"

#define YOUNG 1e6
#define EDGE  0.013

static const double poissons[] = {0.0, 0.3, 0.45, 0.49, 0.495};
enum { POISSONS = 5, MASKS = 24 };

/* Full, octants, slabs, one sub-voxel, and random ones. */
static uint64_t mask_number(int i, random_stream* r) {
    static const uint64_t fixed[] = {~(uint64_t)0,        0x0000000000330033u, 0x1111111111111111u,
                                     0x000000000000FFFFu, 0x0000000000000001u, 0x8000000000000000u};
    uint64_t any = random_u64(r) & random_u64(r);
    return i < 6 ? fixed[i] : i % 2 == 0 ? any : ~any;
}

static double worst_entry(double a[24][24], double b[24][24]) {
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < 576; ++i) {
        double off = fabs(a[i / 24][i % 24] - b[i / 24][i % 24]);
        worst = off > worst ? off : worst;
        largest = fabs(b[i / 24][i % 24]) > largest ? fabs(b[i / 24][i % 24]) : largest;
    }
    return worst / largest;
}

static void matrices_equal_integration(void) {
    random_stream r = random_seed(1);
    for (int p = 0; p < POISSONS; ++p) {
        hex_lame m;
        hex_matrix k;
        double got[24][24], want[24][24];
        CHECK(hex_lame_of(YOUNG, poissons[p], &m));
        hex_cube_matrix(&m, EDGE, &k);
        hex_corner_matrix(&k, got);
        oracle_element(YOUNG, poissons[p], EDGE, ~(uint64_t)0, want);
        CHECK(worst_entry(got, want) < 1e-12);
        for (int i = 0; i < MASKS; ++i) {
            uint64_t mask = mask_number(i, &r);
            hex_part_matrix(&m, EDGE, mask, &k);
            hex_corner_matrix(&k, got);
            oracle_element(YOUNG, poissons[p], EDGE, mask, want);
            CHECK(worst_entry(got, want) < 1e-9);
        }
    }
}

/* A linear displacement gives the forces of its constant stress on the material, and turning by a
 * small angle none. */
static void constant_strain_is_exact(void) {
    random_stream r = random_seed(2);
    for (int i = 0; i < MASKS; ++i) {
        uint64_t mask = mask_number(i, &r);
        hex_lame m;
        hex_matrix k;
        double corner[24][24], G[3][3], force[24] = {0}, turn[24] = {0}, share[8];
        hex_lame_of(YOUNG, 0.45, &m);
        hex_part_matrix(&m, EDGE, mask, &k);
        hex_corner_matrix(&k, corner);
        for (int a = 0; a < 9; ++a) {
            G[a / 3][a % 3] = (double)random_range(&r, -1.0f, 1.0f);
        }
        double stretch = 0.0, moved = 0.0, fill = 0.0, middle[3] = {0};
        for (int v = 0; v < 64; ++v) {
            fill += (double)(mask >> v & 1) / 64.0;
        }
        for (int j = 0; j < 24; ++j) {
            double at[3], u = 0.0, w = 0.0;
            for (int b = 0; b < 3; ++b) {
                at[b] = EDGE * (double)(j / 3 >> b & 1);
            }
            for (int b = 0; b < 3; ++b) {
                u += G[j % 3][b] * at[b];
                w += (G[j % 3][b] - G[b][j % 3]) * at[b];
            }
            for (int n = 0; n < 24; ++n) {
                force[n] += corner[n][j] * u;
                turn[n] += corner[n][j] * w;
            }
        }
        /* sum over corners of force x^T = stress times volume */
        double lambda = m.lambda, mu = m.mu, cube = EDGE * EDGE * EDGE;
        double volume = (fill + HEX_FILLER * (1.0 - fill)) * cube;
        double trace = G[0][0] + G[1][1] + G[2][2];
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                double sum = 0.0, stress = mu * (G[a][b] + G[b][a]) + (a == b ? lambda * trace : 0);
                for (int c = 0; c < 8; ++c) {
                    sum += force[3 * c + a] * EDGE * (double)(c >> b & 1);
                }
                CHECK_NEAR(sum, stress * volume, 1e-9 * lambda * volume);
            }
        }
        for (int n = 0; n < 24; ++n) {
            stretch = fmax(stretch, fabs(force[n]));
            moved = fmax(moved, fabs(turn[n]));
        }
        CHECK(moved < 1e-10 * stretch);
        /* masses keep the sum and the centre */
        hex_part_shares(mask, share);
        double sum = 0.0;
        for (int c = 0; c < 8; ++c) {
            sum += share[c];
            for (int b = 0; b < 3; ++b) {
                middle[b] += share[c] * (double)(c >> b & 1);
            }
        }
        CHECK_NEAR(sum, 1.0, 1e-12);
        for (int b = 0; b < 3; ++b) {
            double want = 0.0;
            for (int v = 0; v < 64; ++v) {
                want += (double)(mask >> v & 1) / 64.0 / fill * ((v >> (2 * b) & 3) + 0.5) / 4.0;
            }
            CHECK_NEAR(middle[b], want, 1e-12);
        }
    }
}

/* A coarse element of eight full children, against following its trilinear displacement by hand. */
static void parents_follow_their_children(void) {
    random_stream r = random_seed(3);
    hex_lame m;
    hex_matrix child, parent = {0};
    double fine[24][24], got[24][24], want[24][24] = {{0}};
    hex_lame_of(YOUNG, 0.3, &m);
    for (int o = 0; o < 8; ++o) {
        double P[8][8];
        hex_part_matrix(&m, EDGE, mask_number(4 + 3 * o, &r), &child);
        hex_corner_matrix(&child, fine);
        hex_add_child(&child, o, &parent);
        for (int c = 0; c < 64; ++c) {
            P[c / 8][c % 8] = 1.0;
            for (int k = 0; k < 3; ++k) {
                double t = 0.5 * (double)((o >> k & 1) + (c / 8 >> k & 1));
                P[c / 8][c % 8] *= (c >> k & 1) != 0 ? t : 1.0 - t;
            }
        }
        for (int i = 0; i < 576; ++i) {
            for (int j = 0; j < 64; ++j) {
                want[i / 24][i % 24] += P[j / 8][i / 24 / 3] * P[j % 8][i % 24 / 3] *
                                        fine[3 * (j / 8) + i / 24 % 3][3 * (j % 8) + i % 3];
            }
        }
    }
    hex_corner_matrix(&parent, got);
    CHECK(worst_entry(got, want) < 1e-12);
}

/* x^T K x <= 1.1 x^T D x for random x and for those that the power method finds. */
static void blocks_bound_the_matrix(void) {
    random_stream r = random_seed(4);
    for (int i = 0; i < MASKS * POISSONS; ++i) {
        hex_lame m;
        hex_matrix k;
        double corner[24][24], block[8][6], x[24], y[24], largest = 0.0;
        hex_lame_of(YOUNG, poissons[i / MASKS], &m);
        hex_part_matrix(&m, EDGE, mask_number(i % MASKS, &r), &k);
        hex_corner_matrix(&k, corner);
        hex_diagonal_blocks(&k, block);
        for (int j = 0; j < 24; ++j) {
            x[j] = (double)random_range(&r, -1.0f, 1.0f);
        }
        for (int round = 0; round < 400; ++round) {
            double over = 0.0, under = 0.0;
            for (int j = 0; j < 24; ++j) {
                y[j] = 0.0;
                for (int n = 0; n < 24; ++n) {
                    y[j] += corner[j][n] * x[n];
                }
                over += y[j] * x[j];
            }
            for (int c = 0; c < 8; ++c) {
                const double *d = block[c], *u = x + 3 * c;
                under += d[0] * u[0] * u[0] + d[1] * u[1] * u[1] + d[2] * u[2] * u[2] +
                         2.0 * (d[3] * u[0] * u[1] + d[4] * u[0] * u[2] + d[5] * u[1] * u[2]);
            }
            largest = over / under > largest ? over / under : largest;
            /* one step of descent on the quotient, scaled by the blocks' diagonals */
            for (int j = 0; j < 24; ++j) {
                x[j] = y[j] / block[j / 3][j % 3] / sqrt(over * 1e3 / YOUNG);
            }
        }
        CHECK(largest <= 1.07 && largest > 0.5);
    }
}

static void moduli_are_checked(void) {
    hex_lame m;
    CHECK(hex_lame_of(1.0, 0.0, &m) && m.lambda == 0.0 && m.mu == 0.5 && m.plane == 0.0);
    CHECK(hex_lame_of(1e12, 0.495, &m));
    CHECK(!hex_lame_of(0.5, 0.3, &m) && !hex_lame_of(2e12, 0.3, &m));
    CHECK(!hex_lame_of(1e6, -0.01, &m) && !hex_lame_of(1e6, 0.496, &m));
    CHECK(!hex_lame_of((double)NAN, 0.3, &m) && !hex_lame_of(1e6, (double)NAN, &m));
}

TEST_SUITE(element) {
    TEST_BEGIN(argc, argv);
    RUN(matrices_equal_integration);
    RUN(constant_strain_is_exact);
    RUN(parents_follow_their_children);
    RUN(blocks_bound_the_matrix);
    RUN(moduli_are_checked);
    TEST_END();
}

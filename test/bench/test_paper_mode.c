/* SPDX-License-Identifier: MIT
 * The baselines are what they claim: naive sums equal the network's, regions made symmetric are the
 * union with the transpose, Jacobi finds the nearest rotation, the goals of the printed step are
 * those of its equations in double, and the corrected weights conserve momentum where the printed
 * ones do not.
 */
#include "test.h"

#include "bench/naive_sums.h"
#include "bench/paper_mode.h"
#include "bench/polar_jacobi.h"
#include "bench/polar_record.h"
#include "core/piece_body.h"
#include "failing_host.h"
#include "math/eigen.h"

static const piece_recipe adaptive = {4, 1.0f, 0.0f, 1.0f, 0.55f, true, false};
static const piece_recipe fingers = {4, 0.95f, 0.0f, 1.0f, 0.7f, false, true};

static paper_mode_desc describe(piece_body* b, const int32_t* width, bool literal, bool symmetric) {
    return (paper_mode_desc){.nodes = &b->nodes,
                             .g = b->g,
                             .tree = b->where,
                             .width = width,
                             .eps_num = 1,
                             .eps_den = 2,
                             .literal = literal,
                             .symmetric = symmetric,
                             .alpha = 1.0f};
}

static int32_t* widths(piece_body* b, int32_t least, int32_t most, uint64_t seed) {
    random_stream r = random_seed(seed);
    int32_t* width = ARENA_ARRAY(&b->mem, int32_t, b->nodes.padded);
    for (int32_t i = 0; i < b->nodes.padded; ++i) {
        width[i] = least + random_index(&r, most - least + 1);
    }
    return width;
}

static void naive_sums_equal_the_network(void) {
    piece_body b;
    piece_body_make(&b, &adaptive, 1);
    int32_t* width = widths(&b, 0, 20, 1);
    net n;
    regions r;
    naive_sums s;
    CHECK(regions_build_intervals(&b.mem, &b.mem.host, &b.nodes, b.g, b.where, width, 1, 2, true,
                                  &n, &r) == LIM_OK);
    CHECK(naive_sums_make(&b.mem, &n, &s) == LIM_OK);
    float* record = ARENA_ARRAY(&b.mem, float, (size_t)n.record_count * 8);
    float* out = ARENA_ARRAY(&b.mem, float, (size_t)n.region_count * 8);
    random_stream random = random_seed(2);
    for (int32_t i = 0; i < n.node_count * 8; ++i) {
        record[i] = (float)(random_index(&random, 2001) - 1000);
    }
    int32_t first = n.first[n.layers - 1];
    net_forward_middle(&n, record, 1, ISA_SCALAR, NULL);
    net_kernels_for(ISA_SCALAR)->forward(&n, record, 1, first, n.record_count);
    naive_sums_apply(&s, record, 8, out);
    CHECK(memcmp(out, record + (size_t)first * 8, (size_t)n.region_count * 8 * sizeof(float)) == 0);
    CHECK((double)s.offset[n.region_count] / r.count == r.members);
    piece_body_free(&b);
}

/* member[i * slots + j]: j is in the region of i. */
static uint8_t* relation(piece_body* b, const net* n, const int32_t* seed_region) {
    int32_t slots = b->nodes.padded;
    uint8_t* member = ARENA_ARRAY(&b->mem, uint8_t, (size_t)slots * (size_t)slots);
    int32_t* list = ARENA_ARRAY(&b->mem, int32_t, slots);
    for (int32_t i = 0; i < slots; ++i) {
        int32_t count = seed_region[i] < 0 ? 0 : net_members(n, seed_region[i], list, slots);
        CHECK(count <= slots);
        for (int32_t k = 0; k < count; ++k) {
            CHECK(member[i * slots + list[k]] == 0);
            member[i * slots + list[k]] = 1;
        }
    }
    return member;
}

static void symmetric_regions_are_the_union(void) {
    piece_body b;
    piece_body_make(&b, &(piece_recipe){3, 0.9f, 0.2f, 0.9f, 0.7f, true, false}, 3);
    int32_t* width = widths(&b, 1, 10, 3);
    paper_mode *plain, *symmetric;
    paper_mode_desc d = describe(&b, width, true, false);
    CHECK(paper_mode_create(&d, NULL, &plain) == LIM_OK);
    d.symmetric = true;
    CHECK(paper_mode_create(&d, NULL, &symmetric) == LIM_OK);
    CHECK(net_is_valid(paper_mode_net(symmetric)));
    const uint8_t* a = relation(&b, paper_mode_net(plain), paper_mode_seed_regions(plain));
    const uint8_t* c = relation(&b, paper_mode_net(symmetric), paper_mode_seed_regions(symmetric));
    int32_t slots = b.nodes.padded, added = 0;
    for (int32_t i = 0; i < slots; ++i) {
        for (int32_t j = 0; j < slots; ++j) {
            CHECK(c[i * slots + j] == (a[i * slots + j] | a[j * slots + i]));
            added += c[i * slots + j] - a[i * slots + j];
        }
    }
    CHECK(added > 0);
    CHECK_NEAR(paper_mode_get_info(symmetric).added * b.nodes.count, added, 1e-6);
    paper_mode_destroy(plain);
    paper_mode_destroy(symmetric);
    piece_body_free(&b);
}

static double rotation_difference(const float R[9], const dmat3* exact) {
    double most = 0.0;
    for (int k = 0; k < 9; ++k) {
        double difference = fabs((double)R[k] - exact->m[k]);
        most = difference > most ? difference : most;
    }
    return most;
}

static void jacobi_finds_the_nearest_rotation(void) {
    random_stream r = random_seed(5);
    int32_t cold = 0, warm = 0;
    for (int round = 0; round < 2000; ++round) {
        float A[9], V[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (int k = 0; k < 9; ++k) {
            A[k] = random_range(&r, -1.0f, 1.0f);
        }
        bool flat = round % 4 == 0;
        for (int k = 0; k < 9 && flat; k += 3) {
            A[k + 2] = 0.0f; /* a plane: rank 2 */
        }
        dmat3 a, u, v;
        double s[3];
        for (int k = 0; k < 9; ++k) {
            a.m[k] = (double)A[k];
        }
        svd3(&a, &u, s, &v);
        dmat3 exact = nearest_rotation(&a);
        cold += polar_jacobi(A, V, R);
        /* floats of A^T A tell singular values apart to 1e-7 s0^2 / s1; where the two smallest
         * nearly cancel the rotation itself is unsure */
        double unsure = 2e-6 * s[0] * s[0] / (s[1] * s[1]) + 4e-6 * s[0] / (s[1] + s[2]);
        if (unsure < 0.01) {
            CHECK_NEAR(rotation_difference(R, &exact), 0.0, 2.0 * unsure);
        }
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                double dot = 0.0;
                for (int k = 0; k < 3; ++k) {
                    dot += (double)R[3 * k + i] * (double)R[3 * k + j];
                }
                CHECK_NEAR(dot, i == j ? 1.0 : 0.0, 1e-5);
            }
        }
        for (int k = 0; k < 9; ++k) {
            A[k] += random_range(&r, -1e-3f, 1e-3f);
        }
        warm += polar_jacobi(A, V, R);
    }
    printf("  sweeps: %.2f cold, %.2f warm\n", cold / 2000.0, warm / 2000.0);
    CHECK(warm < cold / 2);
    /* nothing to match: the rotation stays; a line: only the line turns */
    float none[9] = {0}, V[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, R[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    polar_jacobi(none, V, R);
    CHECK(R[1] == -1.0f && R[3] == 1.0f && R[8] == 1.0f);
    float line[9] = {0, 0, 0, 2, 0, 0, 0, 0, 0}; /* x goes to y */
    polar_jacobi(line, V, R);
    CHECK_NEAR(R[3], 1.0, 1e-6);
    CHECK_NEAR(R[8], 1.0, 1e-6);
}

/* On the matrices of a body that moves: every way finds the rotation, eigenvectors of the last step
 * save sweeps, and all instruction sets give the same bits. */
static void rotations_of_a_moving_body(void) {
    for (int32_t kind = 0; kind < 2; ++kind) {
        arena memory;
        arena_init(&memory, NULL);
        polar_record r;
        CHECK(polar_record_bar(&memory, kind == 0 ? LIM_KIND_LATTICE : LIM_KIND_OCTREE, 3, 90, NULL,
                               &r) == LIM_OK);
        CHECK(r.regions % 8 == 0 && r.regions >= 108 && r.steps == 90);
        CHECK(r.turn > 0.005 && r.most > r.turn && r.most < 1.0 && r.stretch > 1.0);
        polar_result p[POLAR_WAYS];
        for (int32_t set = 0; set < ISA_COUNT; ++set) {
            if (isa_available((isa)set)) {
                CHECK(polar_record_solve(&r, (isa)set, NULL, p) == LIM_OK);
                CHECK(p[POLAR_OURS].largest < 1e-5 && p[POLAR_OURS].sweeps == 2.0);
                CHECK(p[POLAR_COLD].largest < 1e-4 && p[POLAR_WARM].largest < 1e-4);
                CHECK(p[POLAR_WARM].sweeps < p[POLAR_COLD].sweeps);
            }
        }
        float *q[2][4],
            *last = r.records + (size_t)(r.steps - 1) * (size_t)r.regions * POLAR_RECORD;
        for (int32_t set = 0; set < ISA_COUNT; ++set) {
            for (int32_t k = 0; k < 4; ++k) {
                q[set > 0][k] = ARENA_ARRAY(&memory, float, r.regions);
                for (int32_t i = 0; i < r.regions; ++i) {
                    q[set > 0][k][i] = k == 3 ? 1.0f : 0.0f;
                }
            }
            if (isa_available((isa)set)) {
                polar_kernel_for((isa)set)(last, q[set > 0], r.regions);
                for (int32_t k = 0; k < 4; ++k) {
                    CHECK(memcmp(q[0][k], q[set > 0][k], (size_t)r.regions * sizeof(float)) == 0);
                }
            }
        }
        arena_release(&memory);
    }
    polar_record none = {.steps = 1};
    polar_result p[POLAR_WAYS];
    CHECK(polar_record_solve(&none, ISA_SCALAR, NULL, p) == LIM_ERROR_ARGUMENT);
}

static void recording_fails_cleanly(void) {
    bool done = false;
    for (int64_t n = 0; !done; n += n < 40 ? 1 : 37) {
        failing_host f;
        failing_host_arm(&f, n);
        arena memory;
        arena_init(&memory, &f.host);
        polar_record r;
        polar_result p[POLAR_WAYS];
        lim_result result = polar_record_bar(&memory, LIM_KIND_LATTICE, 2, 4, &f.host, &r);
        result = result == LIM_OK ? polar_record_solve(&r, ISA_SCALAR, &f.host, p) : result;
        done = result == LIM_OK;
        CHECK(done || result == LIM_ERROR_MEMORY);
        arena_release(&memory);
        CHECK(f.held == 0);
    }
}

/* A bend and a twist with noise, about the rest positions. */
static void deform(piece_body* b, paper_mode* p, float amount, uint64_t seed) {
    random_stream r = random_seed(seed);
    float* x = paper_mode_positions(p);
    for (int32_t i = 0; i < b->nodes.padded; ++i) {
        if (b->level[i] >= 0) {
            float X = b->x0[0][i], Y = b->x0[1][i], Z = b->x0[2][i], t = amount * X;
            x[3 * i] = X + 0.3f * amount * Y * Y;
            x[3 * i + 1] = Y + t * Z;
            x[3 * i + 2] = Z - t * Y + 0.4f * amount * X * X;
            for (int k = 0; k < 3; ++k) {
                x[3 * i + k] += random_range(&r, -0.01f, 0.01f) * amount;
            }
        }
    }
}

/* The same equations in double over the members, with a singular value decomposition. */
static void oracle_goals(piece_body* b, paper_mode* p, bool literal, double* goal) {
    const net* n = paper_mode_net(p);
    const int32_t* seed_region = paper_mode_seed_regions(p);
    const float* x = paper_mode_positions(p);
    int32_t slots = b->nodes.padded;
    const uint8_t* member = relation(b, n, seed_region);
    double* weight = ARENA_ARRAY(&b->mem, double, slots);
    for (int32_t r = 0; r < slots; ++r) {
        for (int32_t i = 0; i < slots; ++i) {
            weight[i] += member[r * slots + i] ? (double)b->volume[r] : 0.0;
        }
    }
    memset(goal, 0, (size_t)slots * 3 * sizeof(double));
    for (int32_t r = 0; r < slots; ++r) {
        lim_point c = {0, 0, 0}, c0 = {0, 0, 0};
        double mass = 0.0;
        dmat3 A = {{0}};
        for (int pass = 0; pass < 2; ++pass) {
            for (int32_t i = 0; i < slots; ++i) {
                if (!member[r * slots + i]) {
                    continue;
                }
                double m = (double)b->volume[i] / (literal ? 1.0 : weight[i]);
                double at[3] = {(double)x[3 * i], (double)x[3 * i + 1], (double)x[3 * i + 2]};
                double rest[3] = {(double)b->x0[0][i], (double)b->x0[1][i], (double)b->x0[2][i]};
                if (pass == 0) {
                    mass += m;
                    c = p3_mad(c, p3(at[0], at[1], at[2]), m);
                    c0 = p3_mad(c0, p3(rest[0], rest[1], rest[2]), m);
                } else {
                    double dp[3] = {at[0] - c.x, at[1] - c.y, at[2] - c.z};
                    double dq[3] = {rest[0] - c0.x, rest[1] - c0.y, rest[2] - c0.z};
                    for (int k = 0; k < 9; ++k) {
                        A.m[k] += m * dp[k / 3] * dq[k % 3];
                    }
                }
            }
            if (pass == 0 && mass > 0.0) {
                c = p3_scale(c, 1.0 / mass);
                c0 = p3_scale(c0, 1.0 / mass);
            }
        }
        dmat3 R = nearest_rotation(&A);
        for (int32_t i = 0; i < slots && mass > 0.0; ++i) {
            if (member[r * slots + i]) {
                lim_point q = p3((double)b->x0[0][i] - c0.x, (double)b->x0[1][i] - c0.y,
                                 (double)b->x0[2][i] - c0.z);
                lim_point g =
                    p3_scale(p3_add(dmat3_mul(&R, q), c), (double)b->volume[r] / weight[i]);
                goal[3 * i] += g.x;
                goal[3 * i + 1] += g.y;
                goal[3 * i + 2] += g.z;
            }
        }
    }
}

static void goals_are_those_of_the_equations(void) {
    const piece_recipe* recipes[2] = {&adaptive, &fingers};
    for (int round = 0; round < 8; ++round) {
        piece_body b;
        piece_body_make(&b, recipes[round / 4], 7);
        /* at least a neighbour, so that a region has a rotation */
        int32_t* width = widths(&b, 4, 12, 7);
        bool literal = round % 2 == 0, symmetric = round % 4 < 2;
        paper_mode* p;
        paper_mode_desc d = describe(&b, width, literal, symmetric);
        CHECK(paper_mode_create(&d, NULL, &p) == LIM_OK);
        const float* goal = paper_mode_goals(p);
        for (int32_t i = 0; i < b.nodes.padded; ++i) {
            for (int k = 0; k < 3 && b.level[i] >= 0; ++k) {
                CHECK_NEAR(goal[3 * i + k], b.x0[k][i], 2e-6); /* rest stays */
            }
        }
        double* expected = ARENA_ARRAY(&b.mem, double, b.nodes.padded * 3);
        deform(&b, p, 0.5f, 8);
        oracle_goals(&b, p, literal, expected);
        goal = paper_mode_goals(p);
        double most = 0.0;
        for (int32_t i = 0; i < 3 * b.nodes.padded; ++i) {
            double off = fabs((double)goal[i] - expected[i]);
            most = off > most && b.level[i / 3] >= 0 ? off : most;
        }
        CHECK_NEAR(most, 0.0, 2e-5); /* of a body of size 1 */
        paper_mode_destroy(p);
        piece_body_free(&b);
    }
}

/* Change of the linear and angular momentum over some steps, relative to sum m |v| and to sum m
 * |x| |v| at the most violent moment. */
static void momentum_change(bool literal, bool symmetric, float damping, double out[2]) {
    piece_body b;
    piece_body_make(&b, &adaptive, 11);
    int32_t* width = widths(&b, 4, 12, 12);
    paper_mode* p;
    paper_mode_desc d = describe(&b, width, literal, symmetric);
    d.damping = damping;
    d.alpha = 0.3f;
    CHECK(paper_mode_create(&d, NULL, &p) == LIM_OK);
    deform(&b, p, 0.5f, 13);
    const float *x = paper_mode_positions(p), *v = paper_mode_velocities(p);
    double size[2] = {0.0, 0.0};
    out[0] = out[1] = 0.0;
    for (int step = 0; step <= 300; ++step) {
        lim_point P = {0, 0, 0}, L = {0, 0, 0};
        double sizes[2] = {0.0, 0.0};
        for (int32_t i = 0; i < b.nodes.padded; ++i) {
            lim_point at = p3((double)x[3 * i], (double)x[3 * i + 1], (double)x[3 * i + 2]);
            lim_point speed = p3((double)v[3 * i], (double)v[3 * i + 1], (double)v[3 * i + 2]);
            double m = (double)b.volume[i];
            P = p3_mad(P, speed, m);
            L = p3_mad(L, p3_cross(at, speed), m);
            sizes[0] += m * p3_length(speed);
            sizes[1] += m * p3_length(speed) * p3_length(at);
        }
        for (int k = 0; k < 2; ++k) {
            size[k] = sizes[k] > size[k] ? sizes[k] : size[k];
            double now = p3_length(k == 0 ? P : L);
            out[k] = now > out[k] ? now : out[k];
        }
        paper_mode_step(p, 1.0f / 60.0f);
    }
    for (int k = 0; k < 2; ++k) {
        CHECK(size[k] > 0.0);
        out[k] /= size[k];
    }
    paper_mode_destroy(p);
    piece_body_free(&b);
}

static void corrected_weights_conserve_momentum(void) {
    for (int round = 0; round < 4; ++round) {
        bool symmetric = round % 2 == 0;
        float damping = round < 2 ? 0.0f : 0.1f;
        double corrected[2], literal[2];
        momentum_change(false, symmetric, damping, corrected);
        momentum_change(true, symmetric, damping, literal);
        printf("  %s, damping %.1f: corrected %.1e %.1e, printed %.1e %.1e\n",
               symmetric ? "symmetric" : "adjoint", (double)damping, corrected[0], corrected[1],
               literal[0], literal[1]);
        for (int k = 0; k < 2; ++k) {
            CHECK(corrected[k] < 1e-4);
            CHECK(literal[k] > 20.0 * corrected[k]);
        }
    }
}

/* Damping alone: a rigid motion stays as it is, anything else gets slower. */
static void damping_keeps_rigid_motions(void) {
    piece_body b;
    piece_body_make(&b, &adaptive, 15);
    int32_t* width = widths(&b, 6, 8, 15);
    paper_mode* p;
    paper_mode_desc d = describe(&b, width, false, false);
    d.alpha = 0.0f;
    d.damping = 0.5f;
    CHECK(paper_mode_create(&d, NULL, &p) == LIM_OK);
    float* v = paper_mode_velocities(p);
    for (int32_t i = 0; i < b.nodes.padded; ++i) {
        if (b.level[i] >= 0) {
            v[3 * i] = 1.0f - 2.0f * b.x0[1][i];
            v[3 * i + 1] = 2.0f * b.x0[0][i];
            v[3 * i + 2] = 3.0f;
        }
    }
    paper_mode_step(p, 1e-6f);
    double energy[2] = {0.0, 0.0};
    for (int32_t i = 0; i < b.nodes.padded; ++i) {
        if (b.level[i] >= 0) {
            CHECK_NEAR(v[3 * i], 1.0f - 2.0f * b.x0[1][i], 2e-4);
            CHECK_NEAR(v[3 * i + 1], 2.0f * b.x0[0][i], 2e-4);
            CHECK_NEAR(v[3 * i + 2], 3.0, 2e-4);
        }
    }
    random_stream r = random_seed(1);
    for (int step = 0; step < 2; ++step) {
        for (int32_t i = 0; i < 3 * b.nodes.padded; ++i) {
            v[i] = step == 0 ? random_range(&r, -1.0f, 1.0f) : v[i];
            energy[step] += (double)b.volume[i / 3] * (double)v[i] * (double)v[i];
        }
        paper_mode_step(p, 1e-6f);
    }
    CHECK(energy[1] < 0.5 * energy[0]);
    paper_mode_destroy(p);
    piece_body_free(&b);
}

static void creating_fails_cleanly(void) {
    piece_body b;
    piece_body_make(&b, &(piece_recipe){3, 0.9f, 0.0f, 1.0f, 0.7f, false, false}, 3);
    int32_t* width = widths(&b, 2, 6, 3);
    for (int symmetric = 0; symmetric < 2; ++symmetric) {
        paper_mode_desc d = describe(&b, width, false, symmetric == 1);
        bool done = false;
        for (int64_t n = 0; !done; ++n) {
            failing_host f;
            failing_host_arm(&f, n);
            paper_mode* p = NULL;
            lim_result result = paper_mode_create(&d, &f.host, &p);
            done = result == LIM_OK;
            CHECK(done || (result == LIM_ERROR_MEMORY && p == NULL));
            paper_mode_destroy(p);
            CHECK(f.held == 0);
        }
    }
    piece_body_free(&b);
}

TEST_SUITE(paper_mode) {
    TEST_BEGIN(argc, argv);
    RUN(naive_sums_equal_the_network);
    RUN(symmetric_regions_are_the_union);
    RUN(jacobi_finds_the_nearest_rotation);
    RUN(rotations_of_a_moving_body);
    RUN(recording_fails_cleanly);
    RUN(goals_are_those_of_the_equations);
    RUN(corrected_weights_conserve_momentum);
    RUN(damping_keeps_rigid_motions);
    RUN(creating_fails_cleanly);
    TEST_END();
}

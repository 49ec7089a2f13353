/* SPDX-License-Identifier: MIT
 * The same bits for every instruction set and number of workers; failing allocations; what is
 * refused; budgets that are too small.
 */
#include "test.h"

#include "base/hash.h"
#include "base/random.h"
#include "failing_host.h"
#include "step_kit.h"

static const kit_shape figure = {"figure", {12, 10, 10}, kit_blob, kit_cut_holds, 0.0};
static const kit_shape block = {"block", {16, 14, 14}, NULL, NULL, 0.0};

/* A round body with a slit that slides on a floor, held at one node: all that a step has. */
static uint64_t slide(const kit_shape* s, isa set, workers* pool) {
    kit_mover m;
    random_stream r = random_seed(3);
    kit_mover_make(&m, s, 0.01, 3e5, 0.4);
    m.stepper.solver.kernels = hex_kernels_for(set);
    m.stepper.solver.pool = pool;
    for (int32_t e = 0; e < m.body.desc.cells; ++e) {
        m.body.young[e] = random_range(&r, 1e5f, 1e6f);
        m.body.poisson[e] = random_range(&r, 0.0f, 0.49f);
    }
    CHECK(hex_levels_stiffen(&m.body.levels, m.body.young, m.body.poisson) == LIM_OK);
    kit_gravity(&m, 0.5, -KIT_GRAVITY);
    kit_floor(&m, 0.4f);
    m.forces.limit[m.body.desc.nodes - 1] =
        (hex_limit){.node = m.body.desc.nodes - 1, .held = true, .velocity = {0.1f, 0.0f, 0.0f}};
    for (int32_t n = 0; n < m.body.desc.nodes; ++n) {
        m.state.v[0][n] = 0.5f;
        m.state.v[1][n] = -1.0f;
        m.state.d[2][n] = random_range(&r, -0.003f, 0.003f);
    }
    uint64_t hash = HASH_SEED;
    for (int step = 0; step < 6; ++step) {
        kit_step(&m, 1.0 / 120.0);
        for (int k = 0; k < 3; ++k) {
            size_t bytes = (size_t)m.body.desc.nodes * sizeof(float);
            hash = hash_bytes(hash, m.state.d[k], bytes);
            hash = hash_bytes(hash, m.state.v[k], bytes);
        }
        for (int k = 0; k < 4; ++k) {
            hash = hash_bytes(hash, m.state.q[k], (size_t)m.body.desc.cells * sizeof(float));
        }
    }
    CHECK(m.report.touching > 0 && m.report.finite);
    kit_mover_free(&m);
    return hash;
}

/* The number is that of every machine. */
#define FIGURE_HASH 0x797b25c7a13a8b8du

static void instruction_sets_give_the_same_bits(void) {
    for (int set = 0; set < ISA_COUNT; ++set) {
        if (isa_available((isa)set)) {
            uint64_t hash = slide(&figure, (isa)set, NULL);
            printf("  %s: %016llx\n", isa_name((isa)set), (unsigned long long)hash);
            CHECK(hash == FIGURE_HASH);
        }
    }
}

static void workers_give_the_same_bits(void) {
    uint64_t alone = slide(&block, isa_best(), NULL);
    for (int32_t count = 2; count <= (TEST_RACES ? 3 : 5); ++count) {
        workers* pool;
        lim_host host = mem_host(NULL);
        CHECK(workers_create(&host, count, &pool) == LIM_OK);
        CHECK(slide(&block, isa_best(), pool) == alone);
        workers_destroy(pool);
    }
}

static void failing_allocations_leave_nothing(void) {
    kit_body b;
    kit_grid(&b, &figure, 0.01);
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena memory;
        hex_levels levels;
        hex_stepper stepper;
        lim_host host = mem_host(&f.host);
        arena_init(&memory, &host);
        lim_result result = hex_levels_build(&memory, &host, &b.desc, &levels);
        if (result == LIM_OK) {
            result = hex_stepper_make(&memory, &levels, &stepper);
        }
        arena_release(&memory);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            CHECK(n > 10);
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
    }
    kit_free(&b);
}

/* Only what has changed is worked out again, with the bits of all. */
static void stiffening_some_is_stiffening_all(void) {
    kit_body a, b;
    kit_make(&a, &figure, 0.01, 1e6, 0.3);
    kit_make(&b, &figure, 0.01, 3e5, 0.4);
    for (int32_t e = 0; e < b.desc.cells; ++e) {
        b.young[e] = a.young[e] = e % 37 == 5 ? 2e6f : 1e6f;
        b.poisson[e] = a.poisson[e] = e % 41 == 7 ? 0.45f : 0.3f;
    }
    CHECK(hex_levels_stiffen(&a.levels, a.young, a.poisson) == LIM_OK);
    CHECK(hex_levels_stiffen(&b.levels, b.young, b.poisson) == LIM_OK);
    int32_t changed = 0;
    for (int32_t e = 0; e < a.desc.cells; ++e) {
        changed += a.levels.level[0].changed[e];
    }
    CHECK(changed > 0 && changed < a.desc.cells / 10);
    for (int32_t i = 0; i < a.levels.count; ++i) {
        const hex_level *l = &a.levels.level[i], *k = &b.levels.level[i];
        size_t rest = (size_t)(l->groups - l->cubes) * HEX_ENTRIES * HEX_LANES;
        size_t blocks = (size_t)l->groups * HEX_CORNERS * 6 * HEX_LANES;
        CHECK(memcmp(l->lame, k->lame, (size_t)l->cubes * 3 * HEX_LANES * sizeof(float)) == 0);
        CHECK(memcmp(l->matrix, k->matrix, rest * sizeof(float)) == 0);
        CHECK(memcmp(l->block, k->block, blocks * sizeof(float)) == 0);
    }
    kit_free(&a);
    kit_free(&b);
}

static void bad_input_is_refused(void) {
    kit_body b;
    arena memory;
    lim_host host = mem_host(NULL);
    kit_make(&b, &figure, 0.01, 1e6, 0.3);
    hex_level* l = &b.levels.level[1];
    float before = l->matrix[0];
    b.poisson[7] = 0.5f;
    CHECK(hex_levels_stiffen(&b.levels, b.young, b.poisson) == LIM_ERROR_ARGUMENT);
    b.poisson[7] = 0.3f;
    b.young[3] = (float)NAN;
    CHECK(hex_levels_stiffen(&b.levels, b.young, b.poisson) == LIM_ERROR_ARGUMENT);
    CHECK(l->matrix[0] == before);
    hex_levels levels;
    arena_init(&memory, &host);
    b.at[5][1] = 1 << 20;
    CHECK(hex_levels_build(&memory, &host, &b.desc, &levels) == LIM_ERROR_TOO_LARGE);
    arena_release(&memory);
    kit_free(&b);
}

/* Too few iterations and rounds: what there is, and counted. */
static void small_budgets_are_counted(void) {
    kit_mover m;
    kit_mover_make(&m, &block, 0.01, 1e7, 0.45);
    m.budget = (hex_budget){1e-6, 2, 2};
    kit_gravity(&m, 0.0, -KIT_GRAVITY);
    kit_floor(&m, 0.5f);
    for (int32_t n = 0; n < m.body.desc.nodes; ++n) {
        m.state.d[1][n] = 0.005f;
        m.state.v[1][n] = -2.0f;
    }
    for (int step = 0; step < 60; ++step) {
        kit_step(&m, 1.0 / 60.0);
        CHECK(m.report.finite && m.report.rounds <= 2 && m.report.iterations <= 4);
    }
    printf("  cut off %d of %d, fastest %.2f m/s\n", (int)m.cut_off, m.steps, kit_fastest(&m));
    CHECK(m.cut_off > 5);
    CHECK(kit_fastest(&m) < 0.01);
    kit_mover_free(&m);
}

/* A state that is not finite is reported and left as it is. */
static void states_that_are_not_finite_are_left(void) {
    kit_mover m;
    kit_mover_make(&m, &figure, 0.01, 1e6, 0.3);
    m.state.v[1][100] = (float)INFINITY;
    kit_step(&m, 1.0 / 60.0);
    CHECK(!m.report.finite);
    CHECK(m.state.v[1][100] == (float)INFINITY && m.state.d[0][7] == 0.0f);
    kit_mover_free(&m);
}

TEST_SUITE(hex_bits) {
    TEST_BEGIN(argc, argv);
    RUN(workers_give_the_same_bits);
    if (!TEST_RACES) {
        RUN(instruction_sets_give_the_same_bits);
        RUN(failing_allocations_leave_nothing);
        RUN(stiffening_some_is_stiffening_all);
        RUN(bad_input_is_refused);
        RUN(small_budgets_are_counted);
        RUN(states_that_are_not_finite_are_left);
    }
    TEST_END();
}

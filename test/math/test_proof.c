/* SPDX-License-Identifier: MIT
 * The proof that bits are the same everywhere: one committed number for a kernel, in every
 * instruction set and as WebAssembly, and one for the elementary functions.
 */
#include "base/random.h"
#include "math/rotation.h"
#include "math/trig.h"
#include "test.h"

enum { N = 4096 };
static const uint64_t GOLDEN_ROTATION = 0xBFD4B8F95F00A244u;
static const uint64_t GOLDEN_TRIG = 0x4A30AFA80D924887u;

static uint64_t hash_floats(uint64_t seed, const float* x, int count) {
    for (int i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        seed = hash_u64(seed, bits);
    }
    return seed;
}

static void rotations_have_the_golden_bits(void) {
    static float A[9 * N], q[4 * N];
    for (int set = 0; set < ISA_COUNT; ++set) {
        if (!isa_available((isa)set)) {
            continue;
        }
        random_stream r = random_seed(26);
        for (int i = 0; i < 9 * N; ++i) {
            A[i] = random_range(&r, -1.0f, 1.0f);
        }
        for (int i = 0; i < N; ++i) {
            q[i] = q[N + i] = q[2 * N + i] = 0.0f;
            q[3 * N + i] = 1.0f;
        }
        rotation_solve((isa)set, A, q, N, 3);
        uint64_t hash = hash_floats(HASH_SEED, q, 4 * N);
        printf("  %s: 0x%016llX\n", isa_name((isa)set), (unsigned long long)hash);
        CHECK(hash == GOLDEN_ROTATION);
    }
}

static void elementary_functions_have_the_golden_bits(void) {
    random_stream r = random_seed(27);
    uint64_t hash = HASH_SEED;
    for (int i = 0; i < 20000; ++i) {
        double x = (double)(random_u64(&r) >> 11) * 0x1p-50 - 4.0;
        double y = (double)(random_u64(&r) >> 11) * 0x1p-50 - 4.0;
        double values[6] = {trig_sin(1000.0 * x), trig_cos(1000.0 * x), trig_acos(x / 4.0),
                            trig_atan2(y, x),     trig_exp(x),          trig_cbrt(x)};
        for (int k = 0; k < 6; ++k) {
            uint64_t bits;
            memcpy(&bits, &values[k], sizeof bits);
            hash = hash_u64(hash, bits);
        }
    }
    printf("  0x%016llX\n", (unsigned long long)hash);
    CHECK(hash == GOLDEN_TRIG);
}

TEST_SUITE(proof) {
    TEST_BEGIN(argc, argv);
    RUN(rotations_have_the_golden_bits);
    RUN(elementary_functions_have_the_golden_bits);
    TEST_END();
}

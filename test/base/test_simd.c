/* SPDX-License-Identifier: MIT
 * Every wide operation in every backend that runs here, against plain C, bit for bit, over normal
 * and nasty numbers.
 */
#include "base/random.h"
#include "simd_kernel.h"
#include "test.h"

#define DECLARE(set, suffix) simd_table simd_table_##suffix(void);
ISA_LIST(DECLARE)

static simd_table table_of(isa set) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        return simd_table_##suffix();
        ISA_LIST(CASE)
    default:
        return (simd_table){0};
    }
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of_double(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float nasty(random_stream* r) {
    static const uint32_t bits[] = {0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000,
                                    0xFFC12345, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000,
                                    0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0xBF800000, 0x3F800001};
    switch (random_index(r, 3)) {
    case 0:
        return of_bits(bits[random_index(r, (int32_t)(sizeof bits / sizeof *bits))]);
    case 1:
        /* Any bits but signalling NaNs, which hardware may quieten on a load. */
        for (;;) {
            float x = of_bits((uint32_t)random_u64(r));
            if (!isnan(x) || (bits_of(x) & 0x00400000u) != 0) {
                return x;
            }
        }
    default:
        return random_range(r, -4.0f, 4.0f);
    }
}

/* What one lane should be; volatile so that nothing is folded or fused. */
static float expected(int operation, float a, float b, float c, unsigned less, float c3,
                      float mirrored) {
    volatile float product = a * b;
    switch (operation) {
    case SIMD_ADD:
        return a + b;
    case SIMD_SUB:
        return a - b;
    case SIMD_MUL:
        return product;
    case SIMD_DIV:
        return a / b;
    case SIMD_SQRT:
        return sqrtf(a);
    case SIMD_MAD:
        return product + c;
    case SIMD_NEG:
        return of_bits(bits_of(a) ^ 0x80000000u);
    case SIMD_ABS:
        return of_bits(bits_of(a) & 0x7FFFFFFFu);
    case SIMD_MIN:
        return a < b ? a : b;
    case SIMD_MAX:
        return a > b ? a : b;
    case SIMD_LT:
        return a < b ? 1.0f : 0.0f;
    case SIMD_LE:
        return a <= b ? 1.0f : 0.0f;
    case SIMD_GT:
        return a > b ? 1.0f : 0.0f;
    case SIMD_GE:
        return a >= b ? 1.0f : 0.0f;
    case SIMD_AND:
        return a < b && b < c ? 1.0f : 0.0f;
    case SIMD_OR:
        return a < b || b < c ? 1.0f : 0.0f;
    case SIMD_NOT:
        return a < b ? 0.0f : 1.0f;
    case SIMD_SELECT:
        return a < b ? b : c;
    case SIMD_ANY_ALL:
        return (less != 0 ? 1.0f : 0.0f) + (less == 0xFF ? 2.0f : 0.0f);
    case SIMD_BITS:
        return (float)less;
    case SIMD_SET1_ZERO:
        return a < b ? c3 : 0.0f;
    case SIMD_UNALIGNED:
        return a;
    case SIMD_LANE:
        return mirrored;
    default:
        return 0.0f;
    }
}

static void operations_equal_plain_c(void) {
    for (int set = 0; set < ISA_COUNT; ++set) {
        if (!isa_available((isa)set)) {
            continue;
        }
        simd_table table = table_of((isa)set);
        random_stream r = random_seed(1);
        for (int round = 0; round < 20000; ++round) {
            _Alignas(32) float a[8], b[8], c[8], out[8];
            for (int i = 0; i < 8; ++i) {
                a[i] = nasty(&r);
                b[i] = random_index(&r, 8) == 0 ? a[i] : nasty(&r);
                c[i] = nasty(&r);
            }
            if (round % 4 == 0) { /* so that all() is true at times */
                for (int i = 0; i < 8; ++i) {
                    a[i] = random_range(&r, -2.0f, 0.1f);
                    b[i] = random_range(&r, 0.0f, 2.0f);
                }
            }
            unsigned less = 0;
            for (int i = 0; i < 8; ++i) {
                less |= (unsigned)(a[i] < b[i]) << i;
            }
            for (int operation = 0; operation < SIMD_OPERATIONS; ++operation) {
                table.operate(operation, a, b, c, out);
                for (int i = 0; i < 8; ++i) {
                    float want = expected(operation, a[i], b[i], c[i], less, c[3], a[7 - i]);
                    bool same = bits_of(out[i]) == bits_of(want) ||
                                (operation < SIMD_NEG && isnan(out[i]) && isnan(want));
                    if (!same) {
                        printf("  %s operation %d: %a %a %a gives %a, not %a\n", isa_name((isa)set),
                               operation, (double)a[i], (double)b[i], (double)c[i], (double)out[i],
                               (double)want);
                    }
                    CHECK(same);
                }
            }
        }
    }
}

static void transpose_and_gather_move_each_lane(void) {
    for (int set = 0; set < ISA_COUNT; ++set) {
        if (!isa_available((isa)set)) {
            continue;
        }
        simd_table table = table_of((isa)set);
        random_stream r = random_seed(2);
        for (int round = 0; round < 100; ++round) {
            _Alignas(32) float m[64], before[64], out[8];
            int32_t index[8];
            for (int i = 0; i < 64; ++i) {
                before[i] = m[i] = nasty(&r);
            }
            for (int i = 0; i < 8; ++i) {
                index[i] = random_index(&r, 64);
            }
            table.gather(before, index, out);
            table.transpose(m);
            for (int i = 0; i < 8; ++i) {
                CHECK(bits_of(out[i]) == bits_of(before[index[i]]));
                for (int j = 0; j < 8; ++j) {
                    CHECK(bits_of(m[8 * i + j]) == bits_of(before[8 * j + i]));
                }
            }
        }
    }
}

/* Neither reads nor writes beyond its 8 vectors: they lie at the very end of their memory, and what
 * is behind the copy keeps its mark. */
static void vectors_become_columns_and_back(void) {
    for (int set = 0; set < ISA_COUNT; ++set) {
        if (!isa_available((isa)set)) {
            continue;
        }
        simd_table table = table_of((isa)set);
        random_stream r = random_seed(4);
        for (int round = 0; round < 200; ++round) {
            int width = 3 + round % 2;
            size_t bytes = (size_t)(8 * width) * sizeof(float);
            float m[64], columns[32], out[32], back[34];
            float* from = malloc(bytes);
            for (int i = 0; i < 64; ++i) {
                m[i] = nasty(&r);
            }
            memcpy(from, m, bytes);
            back[0] = back[8 * width + 1] = 7.5f;
            table.columns(m, columns);
            table.vectors(width, from, out, back + 1);
            for (int i = 0; i < 8; ++i) {
                for (int k = 0; k < 4; ++k) {
                    CHECK(bits_of(columns[8 * k + i]) == bits_of(m[8 * i + k]));
                }
                for (int k = 0; k < width; ++k) {
                    CHECK(bits_of(out[8 * k + i]) == bits_of(m[width * i + k]));
                }
            }
            CHECK(memcmp(back + 1, m, bytes) == 0);
            CHECK(back[0] == 7.5f && back[8 * width + 1] == 7.5f);
            free(from);
        }
    }
}

static void pairs_of_rows_are_turned_and_spread(void) {
    for (int set = 0; set < ISA_COUNT; ++set) {
        if (!isa_available((isa)set)) {
            continue;
        }
        simd_table table = table_of((isa)set);
        random_stream r = random_seed(5);
        for (int round = 0; round < 100; ++round) {
            float from[32], out[96];
            for (int i = 0; i < 32; ++i) {
                from[i] = nasty(&r);
            }
            table.pairs(from, out);
            for (int i = 0; i < 4; ++i) {
                for (int k = 0; k < 8; ++k) {
                    CHECK(bits_of(out[8 * i + k]) == bits_of(from[16 * (k / 4) + 4 * (k % 4) + i]));
                    CHECK(bits_of(out[32 + 8 * i + k]) == bits_of(from[16 * (k / 4) + i]));
                }
            }
            CHECK(memcmp(out + 64, from, sizeof from) == 0);
        }
    }
}

static void doubles_equal_plain_c(void) {
    for (int set = 0; set < ISA_COUNT; ++set) {
        if (!isa_available((isa)set)) {
            continue;
        }
        simd_table table = table_of((isa)set);
        random_stream r = random_seed(3);
        for (int round = 0; round < 2000; ++round) {
            _Alignas(32) double a[8], b[8], out[40];
            _Alignas(32) float f[8];
            for (int i = 0; i < 8; ++i) {
                a[i] = (double)random_range(&r, -1.0f, 1.0f) *
                       (random_index(&r, 3) == 0 ? 0x1p-1040 : 3.7);
                b[i] = (double)random_range(&r, -1.0f, 1.0f) / 3.0;
                f[i] = nasty(&r);
            }
            table.doubles(a, b, f, out);
            for (int i = 0; i < 8; ++i) {
                CHECK(bits_of_double(out[i]) == bits_of_double(a[i] + b[i]));
                CHECK(bits_of_double(out[8 + i]) == bits_of_double(a[i] - b[i]));
                CHECK(bits_of_double(out[16 + i]) == bits_of_double(a[i] * b[i]));
                CHECK(bits_of_double(out[24 + i]) == bits_of_double((double)f[i]) ||
                      (isnan(f[i]) && isnan(out[24 + i])));
            }
            double sum = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
            CHECK(bits_of_double(out[32]) == bits_of_double(sum));
        }
    }
}

static void isa_names_what_is_there(void) {
    CHECK(isa_available(ISA_SCALAR));
    CHECK(isa_available(isa_best()));
    CHECK(strcmp(isa_name(ISA_SCALAR), "scalar") == 0);
    CHECK(strcmp(isa_name(ISA_COUNT), "none") == 0);
    CHECK(!isa_available(ISA_COUNT));
#if defined(__x86_64__)
    CHECK(isa_available(ISA_SSE2) && strcmp(isa_name(ISA_SSE2), "sse2") == 0);
    CHECK(!isa_available(ISA_NEON) && !isa_available(ISA_WASM));
#elif defined(__wasm__)
    CHECK(isa_best() == ISA_WASM && strcmp(isa_name(ISA_WASM), "wasm") == 0);
#endif
    printf("  best: %s\n", isa_name(isa_best()));
}

TEST_SUITE(simd) {
    TEST_BEGIN(argc, argv);
    RUN(operations_equal_plain_c);
    RUN(transpose_and_gather_move_each_lane);
    RUN(vectors_become_columns_and_back);
    RUN(pairs_of_rows_are_turned_and_spread);
    RUN(doubles_equal_plain_c);
    RUN(isa_names_what_is_there);
    TEST_END();
}

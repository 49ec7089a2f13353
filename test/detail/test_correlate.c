/* SPDX-License-Identifier: MIT
 * Weights of examples: the invariants of the corrected kernel, against an oracle in double; sums of
 * fields.
 */
#include "detail/correlate.h"
#include "detail/detail_fields.h"

#include "base/random.h"
#include "failing_host.h"
#include "test.h"

enum { MOST = 40, WIDTH = 48 };

typedef struct set_of {
    float u[MOST][WIDTH], way[MOST * WIDTH], size[MOST];
    detail_examples e;
} set_of;

static float length_of(const float* u) {
    double sum = 0.0;
    for (int i = 0; i < WIDTH; ++i) {
        sum += (double)u[i] * (double)u[i];
    }
    return (float)sqrt(sum);
}

/* Random ways that have something in common (`alike`), of random size. */
static void make_set(set_of* s, int32_t count, float alike, uint64_t seed) {
    random_stream r = random_seed(seed);
    float base[WIDTH];
    for (int i = 0; i < WIDTH; ++i) {
        base[i] = random_range(&r, -1, 1);
    }
    for (int32_t k = 0; k < count; ++k) {
        float grow = random_range(&r, 0.5f, 2.0f);
        for (int i = 0; i < WIDTH; ++i) {
            s->u[k][i] = grow * (alike * base[i] + random_range(&r, -1, 1));
        }
        s->size[k] = length_of(s->u[k]);
        for (int i = 0; i < WIDTH; ++i) {
            s->way[k * WIDTH + i] = s->u[k][i] / s->size[k];
        }
    }
    s->e = (detail_examples){count, WIDTH, s->way, s->size, 0.3f, DETAIL_TAU, count};
}

static void weigh(const set_of* s, const float* u, float* w) {
    float room[MOST];
    detail_correlate(isa_best(), &s->e, u, length_of(u), room, w);
}

/* The equations once more, in double, by sorting. */
static void oracle(const set_of* s, const float* u, double* w) {
    double g[MOST], sorted[MOST], size = (double)length_of(u), sum = 0.0;
    for (int32_t k = 0; k < s->e.count; ++k) {
        double r = 0.0;
        for (int i = 0; i < WIDTH; ++i) {
            r += (double)u[i] * (double)s->u[k][i];
        }
        double t = (1.0 - r / size / (double)s->size[k]) / (double)s->e.sigma;
        g[k] = t < 2.0 ? (exp(-t * t) - exp(-4.0)) / (1.0 - exp(-4.0)) : 0.0;
        int32_t at = k;
        for (; at > 0 && sorted[at - 1] < g[k]; --at) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = g[k];
    }
    for (int32_t k = 0; k < s->e.count; ++k) {
        double off = s->e.most < s->e.count ? sorted[s->e.most] : 0.0;
        g[k] = g[k] > off ? g[k] - off : 0.0;
        sum += g[k];
    }
    for (int32_t k = 0; k < s->e.count; ++k) {
        w[k] = fmin(1.5, size / (double)s->size[k]) * g[k] / fmax(sum, (double)s->e.tau);
    }
}

static void weights_are_those_of_the_equations(void) {
    static set_of s;
    for (int trial = 0; trial < 60; ++trial) {
        make_set(&s, 1 + trial % MOST, 2.0f, (uint64_t)trial);
        s.e.most = 1 + trial % 12;
        float u[WIDTH], w[MOST];
        double hand[MOST];
        for (int i = 0; i < WIDTH; ++i) {
            u[i] = 0.7f * s.u[0][i] + 0.6f * s.u[s.e.count - 1][i];
        }
        weigh(&s, u, w);
        oracle(&s, u, hand);
        for (int32_t k = 0; k < s.e.count; ++k) {
            CHECK_NEAR(w[k], hand[k], 2e-5);
        }
    }
}

static void the_kernel_is_one_at_zero_and_ends_without_a_step(void) {
    CHECK(detail_falloff(0.0f) == 1.0f && detail_falloff(2.0f) == 0.0f);
    CHECK(detail_falloff(NAN) == 0.0f && detail_falloff(1e30f) == 0.0f);
    CHECK(detail_falloff(1.9999f) > 0.0f && detail_falloff(1.9999f) < 1e-5f);
    for (float t = 0.0f; t < 2.0f; t += 0.01f) {
        CHECK(detail_falloff(t) > detail_falloff(t + 0.01f));
    }
}

/* One example, u = s u1: w = s up to 1.5; -s: nothing at all. */
static void opposite_deformations_have_no_detail(void) {
    static set_of s;
    make_set(&s, 1, 0.0f, 5);
    for (float scale = 1e-4f; scale < 3.0f; scale *= 1.7f) {
        float u[WIDTH], w[1];
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < WIDTH; ++i) {
                u[i] = (float)side * scale * s.u[0][i];
            }
            weigh(&s, u, w);
            CHECK(side > 0 || w[0] == 0.0f);
            CHECK(side < 0 || fabsf(w[0] - (scale < 1.5f ? scale : 1.5f)) < 1e-5f * scale);
        }
    }
}

static void nothing_and_what_does_not_fit_have_no_weight(void) {
    static set_of s;
    make_set(&s, 8, 3.0f, 7);
    float u[WIDTH] = {0}, w[MOST];
    weigh(&s, u, w);
    for (int k = 0; k < 8; ++k) {
        CHECK(w[k] == 0.0f);
    }
    /* across all examples: Gram and Schmidt */
    random_stream r = random_seed(8);
    double v[WIDTH], basis[8][WIDTH];
    for (int i = 0; i < WIDTH; ++i) {
        v[i] = (double)random_range(&r, -1, 1);
    }
    for (int k = 0; k < 9; ++k) {
        double* own = k < 8 ? basis[k] : v;
        double square = 0.0;
        for (int i = 0; i < WIDTH && k < 8; ++i) {
            own[i] = (double)s.u[k][i];
        }
        for (int j = 0; j < k && j < 8; ++j) {
            double dot = 0.0;
            for (int i = 0; i < WIDTH; ++i) {
                dot += basis[j][i] * own[i];
            }
            for (int i = 0; i < WIDTH; ++i) {
                own[i] -= dot * basis[j][i];
            }
        }
        for (int i = 0; i < WIDTH; ++i) {
            square += own[i] * own[i];
        }
        for (int i = 0; i < WIDTH; ++i) {
            own[i] /= sqrt(square);
        }
    }
    for (int i = 0; i < WIDTH; ++i) {
        u[i] = (float)v[i];
    }
    weigh(&s, u, w);
    for (int k = 0; k < 8; ++k) {
        CHECK(w[k] == 0.0f);
    }
}

/* Over a turn from one example past others to its opposite: weights sum to at most |u|'s share, and
 * change by no more than the turn, across truncation and where ranks swap. */
static void weights_are_continuous(void) {
    static set_of s;
    for (int32_t most = 2; most <= 20; most += 6) {
        make_set(&s, 20, 1.5f, 9);
        for (int k = 0; k < 20; ++k) { /* of one size, so that phi = w */
            for (int i = 0; i < WIDTH; ++i) {
                s.u[k][i] = s.way[k * WIDTH + i];
            }
            s.size[k] = 1.0f;
        }
        s.e.most = most;
        const int steps = 4000;
        float before[MOST] = {0}, w[MOST];
        double largest = 0.0, sum_most = 0.0;
        for (int step = 0; step <= steps; ++step) {
            double a = 3.0 * step / steps, square = 0.0;
            float u[WIDTH];
            for (int i = 0; i < WIDTH; ++i) {
                u[i] = (float)(cos(a) * (double)s.u[0][i] + sin(a) * (double)s.u[1][i] +
                               0.3 * sin(3 * a) * (double)s.u[2][i]);
                square += (double)u[i] * (double)u[i];
            }
            for (int i = 0; i < WIDTH; ++i) {
                u[i] /= (float)sqrt(square);
            }
            weigh(&s, u, w);
            double sum = 0.0;
            for (int k = 0; k < 20; ++k) {
                CHECK(w[k] >= 0.0f);
                sum += (double)w[k];
                largest = step > 0 ? fmax(largest, fabs((double)(w[k] - before[k]))) : largest;
                before[k] = w[k];
            }
            sum_most = fmax(sum_most, sum);
        }
        /* a step turns by 7.5e-4; dphi / dt is at most about 1 / tau */
        CHECK(sum_most <= 1.0 + 1e-5 && sum_most > 0.9);
        CHECK(largest < 0.03);
    }
}

static void an_example_of_no_weight_makes_no_difference(void) {
    static set_of s, fewer;
    make_set(&s, 12, 1.0f, 11);
    make_set(&fewer, 12, 1.0f, 11);
    float w[MOST], v[MOST];
    weigh(&s, s.u[0], w);
    int32_t gone = -1;
    for (int32_t k = 0; k < 12; ++k) {
        gone = w[k] == 0.0f ? k : gone;
    }
    CHECK(gone >= 0);
    for (int32_t k = gone; k < 11; ++k) {
        memcpy(fewer.way + k * WIDTH, s.way + (k + 1) * WIDTH, sizeof s.u[0]);
        fewer.size[k] = s.size[k + 1];
    }
    fewer.e.count = 11;
    weigh(&fewer, s.u[0], v);
    for (int32_t k = 0; k < 11; ++k) {
        CHECK(v[k] == w[k + (k >= gone)]);
    }
}

static void every_instruction_set_gives_the_same_bits(void) {
    static set_of s;
    make_set(&s, 30, 1.0f, 12);
    float w[MOST], v[MOST], room[MOST];
    detail_correlate(ISA_SCALAR, &s.e, s.u[3], length_of(s.u[3]), room, w);
    for (int set = 0; set < ISA_COUNT; ++set) {
        if (isa_available((isa)set)) {
            detail_correlate((isa)set, &s.e, s.u[3], length_of(s.u[3]), room, v);
            CHECK(memcmp(v, w, 30 * sizeof *w) == 0);
        }
    }
}

/* Examples along a line of turns: sigma is the mean distance of neighbours. */
static void sigma_is_the_distance_of_neighbours(void) {
    static set_of s;
    make_set(&s, 2, 0.0f, 13);
    s.e.count = 10;
    for (int k = 0; k < 10; ++k) {
        for (int i = 0; i < WIDTH; ++i) {
            s.way[k * WIDTH + i] = i == 0   ? cosf(0.2f * (float)k)
                                   : i == 1 ? sinf(0.2f * (float)k)
                                            : 0.0f;
        }
    }
    float room[MOST];
    double one = 1.0 - cos(0.2), two = 1.0 - cos(0.4);
    CHECK_NEAR(detail_sigma(isa_best(), &s.e, 1, room), one, 1e-6);
    CHECK_NEAR(detail_sigma(isa_best(), &s.e, 2, room), (0.8 * one + 0.2 * 0.5 * (one + two)),
               1e-6);
    s.e.count = 1;
    CHECK(detail_sigma(isa_best(), &s.e, 3, room) == 0.5f);
    s.e.count = 2;
    memcpy(s.way + WIDTH, s.way, WIDTH * sizeof(float)); /* the same twice */
    CHECK(detail_sigma(isa_best(), &s.e, 3, room) == 0.01f);
}

static void sparse_sums_are_dense_sums(void) {
    enum { POINTS = 61, FIELDS = 5 };
    const int32_t blocks = detail_blocks(POINTS);
    static float dense[FIELDS][DETAIL_BLOCK * 8], sum[DETAIL_BLOCK * 8], scalar[DETAIL_BLOCK * 8];
    const float weight[FIELDS] = {0.3f, 0.0f, 1.2f, 0.01f, 0.5f};
    detail_field field[FIELDS];
    random_stream r = random_seed(14);
    arena a;
    lim_host host = mem_host(NULL);
    arena_init(&a, &host);
    for (int k = 0; k < FIELDS; ++k) {
        for (int32_t i = 0; i < POINTS; ++i) {
            bool there = (i / 10 + k) % 3 == 0;
            lim_vec3 v = {random_range(&r, -1, 1), random_range(&r, -1, 1),
                          random_range(&r, -1, 1)};
            detail_set(dense[k], i, there ? v : v3(0, 0, 0));
        }
        CHECK(detail_field_of(&a, dense[k], blocks, 0.0f, &field[k]) == LIM_OK);
        CHECK(field[k].count < blocks && field[k].count > 0);
    }
    detail_blend(isa_best(), field, weight, FIELDS, blocks, sum);
    detail_blend(ISA_SCALAR, field, weight, FIELDS, blocks, scalar);
    CHECK(memcmp(sum, scalar, sizeof sum) == 0);
    for (int32_t i = 0; i < POINTS; ++i) {
        lim_point hand = {0, 0, 0};
        for (int k = 0; k < FIELDS; ++k) {
            hand = p3_mad(hand, p3_of(detail_get(dense[k], i)), (double)weight[k]);
        }
        CHECK_NEAR(p3_length(p3_sub(p3_of(detail_get(sum, i)), hand)), 0.0, 1e-6);
    }
    arena_release(&a);
    for (int n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena_init(&a, &f.host);
        lim_result result = detail_field_of(&a, dense[0], blocks, 0.0f, &field[0]);
        arena_release(&a);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
    }
}

TEST_SUITE(correlate) {
    TEST_BEGIN(argc, argv);
    RUN(weights_are_those_of_the_equations);
    RUN(the_kernel_is_one_at_zero_and_ends_without_a_step);
    RUN(opposite_deformations_have_no_detail);
    RUN(nothing_and_what_does_not_fit_have_no_weight);
    RUN(weights_are_continuous);
    RUN(an_example_of_no_weight_makes_no_difference);
    RUN(every_instruction_set_gives_the_same_bits);
    RUN(sigma_is_the_distance_of_neighbours);
    RUN(sparse_sums_are_dense_sums);
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * The width of the kernel: as narrow as keeps unlike examples apart, as wide as lets like ones
 * help.
 */
#include "train/mix_choice.h"

#include "detail/displacement.h"
#include "train_kit.h"

enum { NODES = 8, POINTS = 16, EXAMPLES = 12 };

typedef struct mix_case {
    arena mem;
    detail_data d;
    detail_skin skin;
    detail_example example[EXAMPLES];
} mix_case;

/* Examples on an arc of displacements; fields that turn `fast` times as quickly, and are off by
 * `noise` either way in turns. */
static void mix_start(mix_case* c, double step, double fast, double noise) {
    lim_host host = mem_host(NULL);
    *c = (mix_case){.d = {.nodes = NODES,
                          .points = POINTS,
                          .count = EXAMPLES,
                          .tau = DETAIL_TAU,
                          .most = EXAMPLES,
                          .grid = {.axis = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},
                                   .side = 2,
                                   .radius = 1e-3f,
                                   .inner = 1e-4f,
                                   .depth = 1e-3f}}};
    arena_init(&c->mem, &host);
    c->d.example = c->example;
    float place[3 * POINTS] = {0}, normal[3 * POINTS] = {0};
    int32_t point[POINTS];
    for (int32_t i = 0; i < POINTS; ++i) {
        place[3 * i] = (float)(1 + i);
        normal[3 * i + 1] = 1.0f;
        point[i] = i;
    }
    const int32_t triangle[3] = {0, 1, 2};
    CHECK(detail_skin_build(&c->mem, place, POINTS, point, normal, POINTS, triangle, 1, &c->skin) ==
          LIM_OK);
    for (int32_t i = 0; i < EXAMPLES; ++i) {
        detail_example* e = &c->example[i];
        e->size = 1.0f;
        e->normal = v3(0, 1, 0);
        e->way = ARENA_ARRAY(&c->mem, float, displacement_width(NODES));
        e->way[0] = (float)cos(step * i);
        e->way[1] = (float)sin(step * i);
        float* field = ARENA_ARRAY(&c->mem, float, detail_blocks(POINTS) * DETAIL_BLOCK);
        double off = i % 2 == 0 ? noise : -noise;
        detail_set(field, 0,
                   v3((float)(cos(fast * step * i) + off), (float)sin(fast * step * i), 0));
        CHECK(detail_field_of(&c->mem, field, detail_blocks(POINTS), 0.0f, &e->field) == LIM_OK);
    }
}

/* By hand: what is left of example i when the others make it. */
static double left_of(const mix_case* c, float sigma) {
    double left = 0.0;
    for (int i = 0; i < EXAMPLES; ++i) {
        double sum = 0.0, x = 0.0, y = 0.0;
        for (int k = 0; k < EXAMPLES; ++k) {
            double r = 0.0;
            for (int n = 0; n < 2; ++n) {
                r += (double)c->example[i].way[n] * (double)c->example[k].way[n];
            }
            double t = (1.0 - r) / (double)sigma;
            double g = k == i || t >= 2.0 ? 0.0 : (exp(-t * t) - exp(-4.0)) / (1.0 - exp(-4.0));
            sum += g;
            x += g * (double)c->example[k].field.value[0];
            y += g * (double)c->example[k].field.value[DETAIL_LANES];
        }
        double whole = fmax(sum, (double)DETAIL_TAU);
        x = x / whole - (double)c->example[i].field.value[0];
        y = y / whole - (double)c->example[i].field.value[DETAIL_LANES];
        left += x * x + y * y;
    }
    return sqrt(left / EXAMPLES);
}

static float choose(double fast, double noise) {
    mix_case c;
    mix_choice choice;
    arena scratch;
    mix_start(&c, 0.15, fast, noise);
    arena_init(&scratch, &c.mem.host);
    CHECK(mix_choose(&scratch, &c.d, &c.skin, 0.02f, 0.5f, &choice) == LIM_OK);
    double whole = 0.0, most = 0.0;
    for (int i = 0; i < EXAMPLES; ++i) {
        const float* v = c.example[i].field.value;
        whole += (double)v[0] * (double)v[0] + (double)v[DETAIL_LANES] * (double)v[DETAIL_LANES];
    }
    double scale = sqrt(EXAMPLES / whole);
    CHECK_NEAR(choice.error, scale * left_of(&c, choice.sigma), 1e-4);
    for (float sigma = 0.5f; sigma > 0.02f; sigma /= 1.6f) {
        CHECK(scale * left_of(&c, sigma) > choice.error - 1e-4);
        most = fmax(most, scale * left_of(&c, sigma));
    }
    printf("  sigma %.3f: %.3f left, up to %.3f\n", (double)choice.sigma, choice.error, most);
    arena_release(&scratch);
    arena_release(&c.mem);
    return choice.sigma;
}

static void it_is_the_best_of_its_widths(void) {
    float quick = choose(4.0, 0.0), noisy = choose(1.0, 0.6);
    CHECK(quick < 0.05f && noisy > 0.1f);
}

TEST_SUITE(mix_choice) {
    TEST_BEGIN(argc, argv);
    RUN(it_is_the_best_of_its_widths);
    TEST_END();
}

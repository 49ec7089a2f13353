/* SPDX-License-Identifier: MIT
 * Window sums over lattices against brute force: random sizes, random holes, several components,
 * every width and number of fields, every backend.
 */
#include "test.h"

#include "base/isa.h"
#include "base/random.h"
#include "net/box.h"

#include <stdlib.h>
#include <string.h>

/* A lattice of up to 2 components with random holes, in octets. */
typedef struct random_lattice {
    arena mem;
    int32_t size[3], octets, components;
    bool* there[2]; /* per place x + sx (y + sy z) */
    int32_t (*place)[4];
    uint8_t* mask;
    box_net box;
} random_lattice;

static size_t place_index(const random_lattice* l, int32_t x, int32_t y, int32_t z) {
    return (size_t)(x + l->size[0] * (y + l->size[1] * z));
}

static void lattice_make(random_lattice* l, random_stream* r, int32_t width, float filled) {
    *l = (random_lattice){.components = 1 + random_index(r, 2)};
    arena_init(&l->mem, NULL);
    for (int k = 0; k < 3; ++k) {
        l->size[k] = 1 + random_index(r, k == 0 ? 30 : 14);
    }
    int32_t cells = l->size[0] * l->size[1] * l->size[2];
    l->place = arena_alloc(&l->mem, (size_t)cells * 2, sizeof *l->place);
    l->mask = ARENA_ARRAY(&l->mem, uint8_t, cells * 2);
    for (int32_t c = 0; c < l->components; ++c) {
        l->there[c] = ARENA_ARRAY(&l->mem, bool, cells);
        for (int32_t i = 0; i < cells; ++i) {
            l->there[c][i] = i == 0 || random_unit(r) < filled;
        }
        for (int32_t z = 0; z < l->size[2]; ++z) {
            for (int32_t y = 0; y < l->size[1]; ++y) {
                for (int32_t x = 0; x < l->size[0]; x += 8) {
                    uint8_t mask = 0;
                    for (int32_t k = 0; k < 8 && x + k < l->size[0]; ++k) {
                        mask = (uint8_t)(mask | l->there[c][place_index(l, x + k, y, z)] << k);
                    }
                    if (mask != 0) {
                        int32_t* at = l->place[l->octets];
                        at[0] = x / 8;
                        at[1] = y;
                        at[2] = z;
                        at[3] = c;
                        l->mask[l->octets++] = mask;
                    }
                }
            }
        }
    }
    arena scratch;
    arena_init(&scratch, NULL);
    CHECK(box_build(&l->mem, &scratch, (const int32_t(*)[4])l->place, l->mask, l->octets, width,
                    &l->box) == LIM_OK);
    arena_release(&scratch);
}

/* Slot of a place, -1 when it is outside of all octets (it may still be a pad). */
static int32_t box_find(const box_net* b, int32_t component, int32_t x, int32_t y, int32_t z) {
    for (int32_t o = 0; o < b->octets && x >= 0; ++o) {
        const int32_t* p = b->place[o];
        if (p[0] == x / 8 && p[1] == y && p[2] == z && p[3] == component) {
            return 8 * o + x % 8;
        }
    }
    return -1;
}

/* The sum over a slot's window, place by place. */
static double brute_sum(const random_lattice* l, int32_t slot, const double* value) {
    const int32_t* at = l->place[slot / 8];
    int32_t w = l->box.width, x0 = 8 * at[0] + slot % 8;
    double sum = 0.0;
    for (int32_t z = at[2] - w; z <= at[2] + w; ++z) {
        for (int32_t y = at[1] - w; y <= at[1] + w; ++y) {
            for (int32_t x = x0 - w; x <= x0 + w; ++x) {
                bool in = x >= 0 && y >= 0 && z >= 0 && x < l->size[0] && y < l->size[1] &&
                          z < l->size[2];
                if (in && l->there[at[3]][place_index(l, x, y, z)]) {
                    sum += value[box_find(&l->box, at[3], x, y, z)];
                }
            }
        }
    }
    return sum;
}

static void check_layout(const random_lattice* l) {
    for (int32_t o = 0; o < l->octets; ++o) {
        const int32_t* at = l->place[o];
        CHECK(box_find(&l->box, at[3], 8 * at[0] + 5, at[1], at[2]) == 8 * o + 5);
    }
    CHECK(box_find(&l->box, 0, -1, 0, 0) < 0 && box_find(&l->box, 7, 0, 0, 0) < 0);
    CHECK(box_find(&l->box, 0, 0, 0, l->size[2]) < 0);
}

/* Whole numbers up to 2^10: every sum is exact in float, in whatever order. */
static void check_sums(const random_lattice* l, random_stream* r, int32_t fields) {
    const box_net* b = &l->box;
    size_t slots = 8 * (size_t)l->octets, count = slots * (size_t)fields;
    arena mem;
    arena_init(&mem, NULL);
    double* value = ARENA_ARRAY(&mem, double, slots);
    double* sum = ARENA_ARRAY(&mem, double, slots);
    float* in = ARENA_ARRAY(&mem, float, count);
    float* out = ARENA_ARRAY(&mem, float, count);
    float* work = ARENA_ARRAY(&mem, float, box_work_floats(b, fields));
    for (size_t i = 0; i < slots; ++i) {
        bool node = l->mask[i / 8] >> i % 8 & 1;
        value[i] = node ? (double)(1 + random_index(r, 1000)) : 0.0;
        for (int32_t f = 0; f < fields; ++f) {
            in[(i / 8 * (size_t)fields + (size_t)f) * 8 + i % 8] =
                node ? (float)((int32_t)value[i] - f) : 0.0f;
        }
    }
    CHECK(box_sums(b, &mem, value, sum) == LIM_OK);
    double* ones = ARENA_ARRAY(&mem, double, slots);
    double* members = ARENA_ARRAY(&mem, double, slots);
    for (size_t i = 0; i < slots; ++i) {
        ones[i] = value[i] > 0.0 ? 1.0 : 0.0;
        CHECK(sum[i] == brute_sum(l, (int32_t)i, value));
    }
    CHECK(box_sums(b, &mem, ones, members) == LIM_OK);
    for (int set = 0; set < ISA_COUNT; ++set) {
        if (!isa_available((isa)set)) {
            continue;
        }
        memset(out, 0xFF, count * sizeof *out);
        memset(work, 0xFF, box_work_floats(b, fields) * sizeof *work);
        box_kernels_for((isa)set)->apply(b, in, out, fields, work);
        for (size_t i = 0; i < slots; ++i) {
            for (int32_t f = 0; f < fields; ++f) {
                float got = out[(i / 8 * (size_t)fields + (size_t)f) * 8 + i % 8];
                CHECK((double)got == sum[i] - f * members[i]);
            }
        }
    }
    arena_release(&mem);
}

static void sums_equal_brute_force(void) {
    random_stream r = random_seed(41);
    static const int32_t fields[4] = {2, 12, 15, 24};
    for (int round = 0; round < 120; ++round) {
        random_lattice l;
        int32_t width = round < 90 ? 1 + round % 6 : 1 + round % BOX_WIDTH_MOST;
        lattice_make(&l, &r, width, round % 3 == 0 ? 1.1f : 0.2f + 0.7f * random_unit(&r));
        check_layout(&l);
        check_sums(&l, &r, fields[round % 4]);
        arena_release(&l.mem);
    }
}

TEST_SUITE(box) {
    TEST_BEGIN(argc, argv);
    RUN(sums_equal_brute_force);
    TEST_END();
}

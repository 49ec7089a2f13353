/* SPDX-License-Identifier: MIT
 * Trained detail as bytes: there and back, cut at every length, damaged at every byte, damaged
 * under a right checksum, of another model; half precision.
 */
#include "detail/detail_data.h"
#include "detail/displacement.h"

#include "base/random.h"
#include "failing_host.h"
#include "math/half.h"
#include "test.h"

enum { NODES = 5, POINTS = 37, SIDE = 6, EXAMPLES = 3, BYTES = 8192 };
#define MODEL 0x0123456789ABCDEFu

typedef struct fixture {
    arena a;
    detail_data d;
    unsigned char bytes[BYTES];
    size_t size;
} fixture;

static void random_field(arena* a, random_stream* r, int32_t vectors, detail_field* out) {
    float dense[DETAIL_BLOCK * 8] = {0};
    for (int32_t i = 0; i < vectors; ++i) {
        bool there = i / 8 % 2 == 0;
        detail_set(dense, i,
                   there ? v3(random_range(r, -1, 1), random_range(r, -1, 1), 0.1f) : v3(0, 0, 0));
    }
    CHECK(detail_field_of(a, dense, detail_blocks(vectors), 0.0f, out) == LIM_OK);
}

static void make(fixture* f) {
    lim_host host = mem_host(NULL);
    arena_init(&f->a, &host);
    random_stream r = random_seed(3);
    f->d = (detail_data){.model = MODEL, .seed = 7, .nodes = NODES, .points = POINTS};
    f->d.count = EXAMPLES;
    f->d.sigma = 0.2f;
    f->d.tau = DETAIL_TAU;
    f->d.most = 2;
    f->d.grid = (stamp_grid){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, SIDE, 0.4f, 0.3f, 0.2f};
    f->d.example = ARENA_ARRAY(&f->a, detail_example, EXAMPLES);
    int32_t stride = displacement_width(NODES) / 3;
    for (int k = 0; k < EXAMPLES; ++k) {
        detail_example* e = &f->d.example[k];
        float* way = ARENA_ARRAY(&f->a, float, 3 * stride);
        double square = 0.0;
        for (int i = 0; i < 3 * NODES; ++i) {
            way[i / NODES * stride + i % NODES] = random_range(&r, -1, 1);
            square += pow((double)way[i / NODES * stride + i % NODES], 2.0);
        }
        for (int i = 0; i < 3 * stride; ++i) {
            way[i] /= (float)sqrt(square);
        }
        *e = (detail_example){.size = 0.1f * (float)(k + 1), .way = way};
        e->point = v3(0.1f * (float)k, 0.2f, 0.3f);
        e->normal = v3(0, 0.6f, 0.8f);
        random_field(&f->a, &r, POINTS, &e->field);
        random_field(&f->a, &r, SIDE * SIDE, &e->stamp);
    }
    f->size = detail_data_save(&f->d, NULL);
    CHECK(f->size < BYTES);
    CHECK(detail_data_save(&f->d, f->bytes) == f->size);
}

static lim_result load_of(const unsigned char* bytes, size_t size, uint64_t model, int32_t points,
                          arena* a, detail_data* out) {
    lim_host host = mem_host(NULL);
    arena_init(a, &host);
    return detail_data_load(a, bytes, size, model, NODES, points, &host, out);
}

static bool same_field(const detail_field* a, const detail_field* b) {
    bool same = a->count == b->count;
    for (int32_t i = 0; same && i < a->count; ++i) {
        same = a->block[i] == b->block[i];
    }
    for (int32_t i = 0; same && i < a->count * DETAIL_BLOCK; ++i) {
        same = fabsf(a->value[i] - b->value[i]) <= 0x1p-11f;
    }
    return same;
}

static void what_is_saved_comes_back(void) {
    static fixture f;
    make(&f);
    arena a;
    detail_data d;
    detail_examples e;
    CHECK(load_of(f.bytes, f.size, MODEL, POINTS, &a, &d) == LIM_OK);
    CHECK(d.count == EXAMPLES && d.seed == 7 && d.most == 2 && d.sigma == 0.2f);
    CHECK(d.model == MODEL && d.nodes == NODES && d.points == POINTS);
    CHECK(memcmp(&d.grid, &f.d.grid, sizeof d.grid) == 0);
    CHECK(detail_data_examples(&a, &d, &e) == LIM_OK && e.width == displacement_width(NODES));
    for (int k = 0; k < EXAMPLES; ++k) {
        const detail_example *x = &f.d.example[k], *y = &d.example[k];
        double square = 0.0;
        CHECK(x->size == y->size && e.size[k] == y->size);
        CHECK(memcmp(&x->point, &y->point, sizeof x->point) == 0);
        CHECK(same_field(&x->field, &y->field) && same_field(&x->stamp, &y->stamp));
        for (int i = 0; i < e.width; ++i) {
            CHECK_NEAR(x->way[i], y->way[i], 1e-3);
            CHECK(e.way[k * e.width + i] == y->way[i]);
            square += (double)y->way[i] * (double)y->way[i];
        }
        CHECK_NEAR(square, 1.0, 1e-6);
    }
    arena_release(&a);
    arena_release(&f.a);
}

static void every_length_that_is_short_is_refused(void) {
    static fixture f;
    make(&f);
    for (size_t size = 0; size < f.size; ++size) {
        arena a;
        detail_data d;
        unsigned char* exact = malloc(size + 1);
        memcpy(exact, f.bytes, size);
        unsigned char* cut = realloc(exact, size > 0 ? size : 1);
        CHECK(load_of(cut, size, MODEL, POINTS, &a, &d) == LIM_ERROR_FORMAT);
        arena_release(&a);
        if (size >= DETAIL_DATA_HEAD) { /* and under a right head */
            detail_data_seal(cut, size, MODEL);
            CHECK(load_of(cut, size, MODEL, POINTS, &a, &d) == LIM_ERROR_FORMAT);
            arena_release(&a);
        }
        free(cut);
    }
    arena_release(&f.a);
}

static void every_damaged_byte_is_noticed(void) {
    static fixture f;
    make(&f);
    for (size_t i = 0; i < f.size; ++i) {
        arena a;
        detail_data d;
        f.bytes[i] ^= 0x10;
        lim_result result = load_of(f.bytes, f.size, MODEL, POINTS, &a, &d);
        CHECK(result == LIM_ERROR_FORMAT || (result == LIM_ERROR_VERSION && i >= 8 && i < 12));
        arena_release(&a);
        f.bytes[i] ^= 0x10;
    }
    arena_release(&f.a);
}

/* Damage that somebody has sealed: refused, or values that can be worked with. */
static void sealed_damage_is_refused_or_harmless(void) {
    static fixture f;
    make(&f);
    random_stream r = random_seed(9);
    int refused = 0, taken = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        unsigned char bytes[BYTES];
        memcpy(bytes, f.bytes, f.size);
        for (int k = 0; k < 1 + trial % 3; ++k) {
            int32_t at = random_index(&r, (int32_t)f.size - DETAIL_DATA_HEAD);
            bytes[DETAIL_DATA_HEAD + at] = (unsigned char)random_u64(&r);
        }
        detail_data_seal(bytes, f.size, MODEL);
        arena a;
        detail_data d;
        lim_result result = load_of(bytes, f.size, MODEL, POINTS, &a, &d);
        CHECK(result == LIM_OK || result == LIM_ERROR_FORMAT || result == LIM_ERROR_ARGUMENT);
        refused += result != LIM_OK;
        taken += result == LIM_OK;
        for (int32_t k = 0; result == LIM_OK && k < d.count; ++k) {
            const detail_field* field = &d.example[k].field;
            CHECK(d.example[k].size > 0.0f && field->count <= detail_blocks(POINTS));
            for (int32_t i = 0; i < field->count * DETAIL_BLOCK; ++i) {
                CHECK(isfinite(field->value[i]) &&
                      field->block[i / DETAIL_BLOCK] < detail_blocks(POINTS));
            }
        }
        arena_release(&a);
    }
    CHECK(refused > 1000 && taken > 1000);
    arena_release(&f.a);
}

static char last_text[512];
static void keep_text(void* user, lim_log_level level, const char* text) {
    (void)user;
    (void)level;
    snprintf(last_text, sizeof last_text, "%s", text);
}

static void refuse(const fixture* f, uint64_t model, int32_t nodes, int32_t points,
                   lim_result wanted, const char* says) {
    lim_host host = mem_host(NULL);
    host.log = keep_text;
    arena a;
    arena_init(&a, &host);
    detail_data d;
    CHECK(detail_data_load(&a, f->bytes, f->size, model, nodes, points, &host, &d) == wanted);
    if (strstr(last_text, says) == NULL) {
        printf("  said: %s\n", last_text);
        CHECK(false);
    }
    arena_release(&a);
}

static void another_model_is_named(void) {
    static fixture f;
    make(&f);
    refuse(&f, MODEL + 1, NODES, POINTS, LIM_ERROR_ARGUMENT, "another model (0123456789abcdef");
    refuse(&f, MODEL, NODES + 1, POINTS, LIM_ERROR_ARGUMENT, "5 nodes and 37 points");
    refuse(&f, MODEL, NODES, POINTS + 9, LIM_ERROR_ARGUMENT, "here are 5 and 46");
    f.bytes[8] = 2;
    refuse(&f, MODEL, NODES, POINTS, LIM_ERROR_VERSION, "format 2, this library reads 1");
    f.bytes[8] = 1;
    f.bytes[0] = 'X';
    refuse(&f, MODEL, NODES, POINTS, LIM_ERROR_FORMAT, "do not begin with LIMTRAIN");
    f.bytes[0] = 'L';
    f.bytes[100] ^= 1;
    refuse(&f, MODEL, NODES, POINTS, LIM_ERROR_FORMAT, "checksum");
    f.size -= 1;
    refuse(&f, MODEL, NODES, POINTS, LIM_ERROR_FORMAT, "give all of them");
    arena_release(&f.a);
}

static void memory_may_run_out(void) {
    static fixture f;
    make(&f);
    for (int n = 0;; ++n) {
        failing_host h;
        failing_host_arm(&h, n);
        arena a;
        arena_init(&a, &h.host);
        detail_data d;
        detail_examples e;
        lim_result result =
            detail_data_load(&a, f.bytes, f.size, MODEL, NODES, POINTS, &h.host, &d);
        result = result == LIM_OK ? detail_data_examples(&a, &d, &e) : result;
        arena_release(&a);
        CHECK(h.held == 0);
        if (result == LIM_OK) {
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
    }
    arena_release(&f.a);
}

/* Every half is itself; what lies between two goes to the nearer, in the middle to the even one. */
static void halves_round_to_nearest(void) {
    for (uint32_t h = 0; h < 0x10000u; ++h) {
        float value = half_to_float((uint16_t)h);
        if ((h & 0x7C00u) == 0x7C00u && (h & 0x3FFu) != 0) {
            CHECK(isnan(value) && isnan(half_to_float(half_of_float(value))));
            continue;
        }
        CHECK(half_of_float(value) == h);
        if ((h & 0x7FFFu) >= 0x7BFFu) {
            continue;
        }
        float next = half_to_float((uint16_t)(h + 1)), middle = 0.5f * (value + next);
        float less = 0.501f * value + 0.499f * next, more = 0.499f * value + 0.501f * next;
        CHECK(half_of_float(middle) == ((h & 1u) != 0 ? h + 1 : h));
        CHECK(half_of_float(less) == h && half_of_float(more) == h + 1);
    }
    CHECK(half_to_float(0x3C00) == 1.0f && half_to_float(0x0001) == 0x1p-24f);
    CHECK(half_of_float(65519.0f) == 0x7BFF && half_of_float(65520.0f) == 0x7C00);
    CHECK(half_of_float(1e30f) == 0x7C00 && half_of_float(-1e-30f) == 0x8000);
    CHECK(half_of_float(0x1p-25f) == 0 && half_of_float(0x1.01p-25f) == 1);
}

TEST_SUITE(detail_data) {
    TEST_BEGIN(argc, argv);
    RUN(what_is_saved_comes_back);
    RUN(every_length_that_is_short_is_refused);
    RUN(every_damaged_byte_is_noticed);
    RUN(sealed_damage_is_refused_or_harmless);
    RUN(another_model_is_named);
    RUN(memory_may_run_out);
    RUN(halves_round_to_nearest);
    TEST_END();
}

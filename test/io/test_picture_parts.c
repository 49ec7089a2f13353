/* SPDX-License-Identifier: MIT
 * The parts that pictures are made of, against slow or exact counterparts: tone curves against pow,
 * the rasteriser against point-in-triangle, deflate and PNG against a decoder of their own, numbers
 * as text against strtof.
 */
#include "base/random.h"
#include "failing_host.h"
#include "inflate.h"
#include "io/font.h"
#include "io/out_file.h"
#include "io/png.h"
#include "io/raster.h"
#include "io/tone.h"
#include "test.h"

static void tone_curves_are_the_standards(void) {
    tone_table table;
    tone_table_fill(&table);
    for (int i = 0; i <= 1000; ++i) {
        double x = i / 1000.0;
        double encoded = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
        CHECK_NEAR(tone_srgb((float)x), encoded, 1e-6);
        CHECK_NEAR(tone_byte(&table, (float)x), encoded * 255, 1.0);
        CHECK_NEAR(tone_tan((float)(1.5 * x)), tan((double)(float)(1.5 * x)), 1e-5);
    }
    for (int i = 0; i < 256; ++i) { /* every byte survives being decoded and encoded */
        double x = i / 255.0, decoded = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
        CHECK(tone_byte(&table, (float)decoded) == i);
    }
    CHECK(tone_srgb(NAN) == 0.0f && tone_srgb(-1.0f) == 0.0f && tone_srgb(2.0f) == 1.0f);
    CHECK(tone_byte(&table, NAN) == 0 && tone_byte(&table, 1e30f) == 255);
}

enum { WIDE = 48, TALL = 36 };
typedef struct sample_field {
    float value[WIDE * TALL];
    int32_t id[WIDE * TALL];
} sample_field;

static void field_clear(sample_field* field) {
    for (int i = 0; i < WIDE * TALL; ++i) {
        field->value[i] = -1e30f;
        field->id[i] = -1;
    }
}

static raster_corner random_corner(random_stream* r) {
    return (raster_corner){random_index(r, 70 * RASTER_ONE) - 10 * RASTER_ONE,
                           random_index(r, 60 * RASTER_ONE) - 10 * RASTER_ONE,
                           random_range(r, 0.5f, 2.0f)};
}

static int64_t cross(raster_corner a, raster_corner b, int64_t x, int64_t y) {
    return (int64_t)(b.x - a.x) * (y - a.y) - (int64_t)(b.y - a.y) * (x - a.x);
}

static void triangles_fill_what_is_inside(void) {
    random_stream r = random_seed(7);
    for (int round = 0; round < 400; ++round) {
        sample_field field;
        field_clear(&field);
        raster_grid grid = {WIDE, TALL, 0, field.value, field.id};
        raster_corner a = random_corner(&r), b = random_corner(&r), c = random_corner(&r);
        raster_triangle(&grid, a, b, c, round);
        int64_t area = cross(a, b, c.x, c.y), turn = area < 0 ? -1 : 1;
        for (int y = 0; y < TALL; ++y) {
            for (int x = 0; x < WIDE; ++x) {
                int64_t px = (int64_t)x * RASTER_ONE + RASTER_ONE / 2;
                int64_t py = (int64_t)y * RASTER_ONE + RASTER_ONE / 2;
                int64_t wa = cross(b, c, px, py) * turn, wb = cross(c, a, px, py) * turn;
                int64_t wc = cross(a, b, px, py) * turn;
                int at = y * WIDE + x;
                if (wa > 0 && wb > 0 && wc > 0) {
                    double sum = (double)(wa + wb + wc);
                    double value = ((double)wa * (double)a.value + (double)wb * (double)b.value +
                                    (double)wc * (double)c.value) /
                                   sum;
                    CHECK(field.id[at] == round);
                    CHECK_NEAR(field.value[at], value, 1e-4);
                } else if (wa < 0 || wb < 0 || wc < 0) {
                    CHECK(field.id[at] == -1);
                }
            }
        }
    }
}

/* A fan around a point, corners on sample centres so that edges hit many samples exactly. */
static void neighbours_share_no_sample_and_leave_none(void) {
    random_stream r = random_seed(8);
    for (int round = 0; round < 50; ++round) {
        const int rim[8][2] = {{4, 4},   {20, 4},  {40, 4}, {40, 18},
                               {40, 30}, {20, 30}, {4, 30}, {4, 18}};
        raster_corner corners[8];
        raster_corner middle = {random_index(&r, 30) * 256 + 6 * 256 + 128,
                                random_index(&r, 20) * 256 + 6 * 256 + 128, 1.0f};
        int hits[WIDE * TALL] = {0};
        for (int k = 0; k < 8; ++k) {
            corners[k] = (raster_corner){rim[k][0] * 256 + 128, rim[k][1] * 256 + 128, 1.0f};
        }
        for (int k = 0; k < 8; ++k) {
            sample_field field;
            field_clear(&field);
            raster_grid grid = {WIDE, TALL, 0, field.value, field.id};
            raster_corner b = corners[k], c = corners[(k + 1) % 8];
            raster_triangle(&grid, k % 2 ? middle : c, k % 2 ? c : b, k % 2 ? b : middle, 1);
            for (int i = 0; i < WIDE * TALL; ++i) {
                hits[i] += field.id[i] == 1;
            }
        }
        for (int y = 5; y < 30; ++y) {
            for (int x = 5; x < 40; ++x) {
                CHECK(hits[y * WIDE + x] == 1);
            }
        }
    }
}

static void bands_are_cut_from_the_whole(void) {
    random_stream r = random_seed(9);
    sample_field whole, banded;
    field_clear(&whole);
    field_clear(&banded);
    for (int k = 0; k < 60; ++k) {
        raster_corner a = random_corner(&r), b = random_corner(&r), c = random_corner(&r);
        raster_grid all = {WIDE, TALL, 0, whole.value, whole.id};
        raster_triangle(&all, a, b, c, k);
        for (int first = 0; first < TALL; first += 12) {
            raster_grid band = {WIDE, 12, first, banded.value + first * WIDE,
                                banded.id + first * WIDE};
            raster_triangle(&band, a, b, c, k);
        }
    }
    int same = 0;
    for (int i = 0; i < WIDE * TALL; ++i) {
        same += whole.id[i] == banded.id[i];
        CHECK_NEAR(whole.value[i], banded.value[i], 1e-5f);
    }
    CHECK(same >= WIDE * TALL - 2); /* equal depths to the last bit may change hands */
}

static bool survives(const uint8_t* bytes, int32_t size, int32_t* out_packed) {
    lim_host host = mem_host(NULL);
    byte_array packed = {0};
    bool same = deflate_append(&host, bytes, size, &packed) == LIM_OK;
    uint8_t* back = malloc((size_t)size + 1);
    size_t made = 0;
    same = same && inflate_zlib(packed.data, (size_t)packed.count, back, (size_t)size + 1, &made) &&
           made == (size_t)size && (size == 0 || memcmp(bytes, back, made) == 0);
    *out_packed = packed.count;
    free(back);
    ARRAY_FREE(&host, &packed);
    return same;
}

static void deflate_comes_back(void) {
    enum { SIZE = 300000 };
    uint8_t* bytes = calloc(1, SIZE);
    random_stream r = random_seed(3);
    int32_t packed = 0;
    for (int32_t size = 0; size < 40; ++size) {
        bytes[size] = (uint8_t)random_index(&r, 3);
        CHECK(survives(bytes, size, &packed));
    }
    memset(bytes, 0, SIZE);
    CHECK(survives(bytes, SIZE, &packed) && packed < 1000);
    for (int32_t i = 0; i < SIZE; ++i) { /* noise cannot shrink, and must not grow much */
        bytes[i] = (uint8_t)random_index(&r, 256);
    }
    CHECK(survives(bytes, SIZE, &packed) && packed < SIZE + SIZE / 100);
    for (int32_t i = 0; i < SIZE; ++i) { /* very uneven: asks for long codes */
        uint64_t word = random_u64(&r);
        int32_t letter = 0;
        while (letter < 40 && (word >> letter & 1) != 0) {
            letter++;
        }
        bytes[i] = (uint8_t)(letter * 5);
    }
    CHECK(survives(bytes, SIZE, &packed) && packed < SIZE / 3);
    for (int32_t i = 0; i < SIZE; ++i) { /* repeats at all distances and lengths */
        int32_t back = 1 + random_index(&r, i < 40000 ? i + 1 : 40000);
        for (int32_t k = random_index(&r, 400); k > 0 && i < SIZE - 1 && i >= back; --k, ++i) {
            bytes[i] = bytes[i - back];
        }
        bytes[i] = (uint8_t)random_index(&r, 256);
    }
    CHECK(survives(bytes, SIZE, &packed) && packed < SIZE / 8);
    free(bytes);
}

static void png_comes_back(void) {
    random_stream r = random_seed(5);
    lim_host host = mem_host(NULL);
    for (int round = 0; round < 24; ++round) {
        lim_image image;
        int32_t width = 1 + random_index(&r, 70), height = 1 + random_index(&r, 50);
        CHECK(lim_image_create(width, height, &image) == LIM_OK);
        for (int32_t i = 0; i < width * height * 4; ++i) {
            int32_t x = i / 4 % width, y = i / 4 / width;
            int32_t smooth = 2 * x + 3 * y + 40 * (i % 4);
            image.rgba[i] = (uint8_t)(round % 3 == 0 ? random_index(&r, 256) : smooth);
            if (i % 4 == 3 && round % 2 == 0) {
                image.rgba[i] = 255;
            }
        }
        byte_array bytes = {0};
        CHECK(png_encode(&host, &image, &bytes) == LIM_OK);
        int got_width = 0, got_height = 0;
        uint8_t* rgba = png_decode(bytes.data, (size_t)bytes.count, &got_width, &got_height);
        CHECK(rgba != NULL && got_width == width && got_height == height);
        CHECK(rgba != NULL && memcmp(rgba, image.rgba, (size_t)(width * height) * 4) == 0);
        free(rgba);
        ARRAY_FREE(&host, &bytes);
        lim_image_destroy(&image);
    }
}

static void png_without_memory_leaks_nothing(void) {
    lim_image image;
    CHECK(lim_image_create(40, 30, &image) == LIM_OK);
    int failures = 0;
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        byte_array bytes = {0};
        lim_result result = png_encode(&f.host, &image, &bytes);
        ARRAY_FREE(&f.host, &bytes);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
        failures++;
    }
    CHECK(failures >= 4);
    lim_image_destroy(&image);
}

static void numbers_read_back(void) {
    random_stream r = random_seed(11);
    char text[OUT_NUMBER];
    for (int i = 0; i < 200000; ++i) {
        uint32_t bits = (uint32_t)random_u64(&r);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (i % 2 == 0) {
            value = random_range(&r, -10.0f, 10.0f);
        }
        if (!isfinite(value)) {
            continue;
        }
        int32_t length = out_format_decimal(text, value);
        CHECK(length < OUT_NUMBER && text[length] == '\0');
        CHECK(strtof(text, NULL) == value);
        /* No more figures than needed. */
        int needed = 6, figures = 0;
        char other[40];
        while (snprintf(other, sizeof other, "%.*g", needed, (double)value),
               strtof(other, NULL) != value) {
            needed++;
        }
        for (const char* at = text; *at != '\0' && *at != 'e'; ++at) {
            figures += *at >= (figures > 0 ? '0' : '1') && *at <= '9';
        }
        CHECK(figures <= needed || fabsf(value) > 1e5f);
    }
    const struct {
        float value;
        const char* text;
    } plain[] = {{0, "0"},           {1, "1"},
                 {-0.1f, "-0.1"},    {100, "100"},
                 {0.5f, "0.5"},      {1e-3f, "0.001"},
                 {1e20f, "1e20"},    {-2.5e-7f, "-2.5e-7"},
                 {123456, "123456"}, {16777216, "16777216"}};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; ++i) {
        out_format_decimal(text, plain[i].value);
        CHECK(strcmp(text, plain[i].text) == 0);
    }
    out_format_integer(text, -9007199254740993);
    CHECK(strcmp(text, "-9007199254740993") == 0);
}

static void letters_are_there_and_differ(void) {
    for (int a = 33; a < 127; ++a) {
        int dots = 0;
        for (int row = 0; row < FONT_ROWS; ++row) {
            dots += font_glyph((char)a)[row] != 0;
            CHECK(font_glyph((char)a)[row] < 32);
        }
        CHECK(dots > 0);
        for (int b = a + 1; b < 128; ++b) {
            CHECK(memcmp(font_glyph((char)a), font_glyph((char)b), FONT_ROWS) != 0);
        }
    }
    CHECK(font_glyph((char)200) == font_glyph((char)1));
}

static void text_stays_inside(void) {
    lim_image image;
    CHECK(lim_image_create(40, 30, &image) == LIM_OK);
    lim_image_text(&image, 2, 3, 1, "I", 0xFF8040FFu);
    const uint8_t* dot = image.rgba + 4 * (3 * 40 + 4); /* the bar's middle */
    CHECK(dot[0] == 0xFF && dot[1] == 0x80 && dot[2] == 0x40);
    lim_image_text(&image, -7, -5, 3, "across the border", 0xFFFFFFFFu);
    lim_image_text(&image, 35, 25, 64, "large", 0xFFFFFFFFu);
    lim_image_text(&image, INT32_MAX, INT32_MIN, 1, "far", 0xFFFFFFFFu);
    lim_image_text(&image, 0, INT32_MAX, 1, "far\nfar", 0xFFFFFFFFu);
    lim_image_text(&image, 0, 0, 0, "no size", 0xFFFFFFFFu);
    lim_image_text(NULL, 0, 0, 1, "no image", 0xFFFFFFFFu);
    lim_image_destroy(&image);
}

TEST_SUITE(picture_parts) {
    TEST_BEGIN(argc, argv);
    RUN(tone_curves_are_the_standards);
    RUN(triangles_fill_what_is_inside);
    RUN(neighbours_share_no_sample_and_leave_none);
    RUN(bands_are_cut_from_the_whole);
    RUN(deflate_comes_back);
    RUN(png_comes_back);
    RUN(png_without_memory_leaks_nothing);
    RUN(numbers_read_back);
    RUN(letters_are_there_and_differ);
    RUN(text_stays_inside);
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * Job: numbers in text against the C library's strtod, which rounds correctly, and by hand where
 * the library knows no such spelling.
 */
#include "base/random.h"
#include "io/number.h"
#include "test.h"

static double scan(const char* text, size_t* out_used) {
    const char* at = text;
    double value = -12345.0;
    bool ok = number_scan_real(&at, text + strlen(text), &value);
    *out_used = (size_t)(at - text);
    CHECK(ok == (at != text));
    return value;
}

static void check_like_library(const char* text) {
    size_t used = 0;
    char* end = NULL;
    double expected = strtod(text, &end), got = scan(text, &used);
    bool same = memcmp(&expected, &got, sizeof got) == 0 && used == (size_t)(end - text);
    if (!same) {
        printf("  %s: %.17g, expected %.17g\n", text, got, expected);
    }
    CHECK(same);
}

static void random_doubles_come_back(void) {
    random_stream r = random_seed(1);
    for (int i = 0; i < 200000; ++i) {
        uint64_t bits = random_u64(&r);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[64];
        snprintf(text, sizeof text, "%.17g", value);
        check_like_library(text);
        snprintf(text, sizeof text, "%.*g", 1 + (int)(random_u64(&r) % 19), value);
        check_like_library(text);
    }
}

static void ordinary_decimals_are_right(void) {
    random_stream r = random_seed(2);
    for (int i = 0; i < 200000; ++i) {
        double value = ((double)random_unit(&r) - 0.5) * (double)(1 << (random_u64(&r) % 20));
        char text[64];
        snprintf(text, sizeof text, "%.*f", (int)(random_u64(&r) % 18), value);
        check_like_library(text);
        snprintf(text, sizeof text, "%.*e", (int)(random_u64(&r) % 18), value * 1e-3);
        check_like_library(text);
    }
}

static void hard_cases_are_right(void) {
    static const char* const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "+1",
                                        ".5",
                                        "5.",
                                        "1e5",
                                        "1E+5",
                                        "1e-5",
                                        "1e",
                                        "1e+",
                                        "1.e3",
                                        "2.5e-3x",
                                        "9007199254740993",
                                        "9007199254740992.9",
                                        "1e22",
                                        "1e23",
                                        "1e-22",
                                        "1e-23",
                                        "4.9e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072014e-308",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "1e309",
                                        "-1e400",
                                        "1e-400",
                                        "8.5e-324",
                                        "179769313486231580793e289",
                                        "0.000001",
                                        "123456789012345678",
                                        "1234567890123456789",
                                        "12345678901234567890",
                                        "1e999999999999",
                                        "1e-999999999999",
                                        "0e999999999999",
                                        "3.14159265358979323846264338327950288"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        check_like_library(texts[i]);
    }
}

static void special_words_are_numbers(void) {
    size_t used = 0;
    CHECK(isnan(scan("nan", &used)) && used == 3);
    CHECK(isnan(scan("NaN(ind)", &used)) && used == 8);
    CHECK(isnan(scan("-nan", &used)) && used == 4);
    CHECK(scan("-Infinity", &used) == -(double)INFINITY && used == 9);
    CHECK(scan("infx", &used) == (double)INFINITY && used == 3);
    CHECK(isnan(scan("1.#QNAN", &used)) && used == 7);
    CHECK(isnan(scan("-1.#IND00", &used)) && used == 9);
    CHECK(scan("1.#INF", &used) == (double)INFINITY && used == 6);
    CHECK(scan("1.#", &used) == 1.0 && used == 2);
    static const char* const none[] = {"", "-", "+", ".", "-.", "e5", "x", "na", "--1", " 1", "#"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; ++i) {
        scan(none[i], &used);
        CHECK(used == 0);
    }
}

static void long_numbers_end(void) {
    static char text[6000];
    size_t used = 0;
    memset(text, '0', sizeof text - 1);
    text[1] = '.';
    text[5000] = '7';
    CHECK(scan(text, &used) == 0.0 && used == sizeof text - 1);
    memset(text, '9', sizeof text - 1);
    CHECK(scan(text, &used) == (double)INFINITY);
    memset(text, '1', 300);
    text[300] = '\0';
    check_like_library(text);
}

static void whole_numbers_saturate(void) {
    static const struct {
        const char* text;
        int64_t value;
        int used;
    } cases[] = {{"0", 0, 1},
                 {"-12/3", -12, 3},
                 {"+7", 7, 2},
                 {"2147483648", 2147483648, 10},
                 {"9223372036854775807", INT64_MAX, 19},
                 {"99999999999999999999", INT64_MAX, 20},
                 {"-99999999999999999999", INT64_MIN, 21},
                 {"1.5", 1, 1},
                 {"x", 0, 0},
                 {"-", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* at = cases[i].text;
        int64_t value = 0;
        CHECK(number_scan_whole(&at, at + strlen(at), &value) == (cases[i].used > 0));
        CHECK(value == cases[i].value && at - cases[i].text == cases[i].used);
    }
}

TEST_SUITE(read_number) {
    TEST_BEGIN(argc, argv);
    RUN(random_doubles_come_back);
    RUN(ordinary_decimals_are_right);
    RUN(hard_cases_are_right);
    RUN(special_words_are_numbers);
    RUN(long_numbers_end);
    RUN(whole_numbers_saturate);
    TEST_END();
}

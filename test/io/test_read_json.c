/* SPDX-License-Identifier: MIT
 * Job: the JSON parser: what it reads, what it refuses and where it points, every cut and every
 * failing allocation.
 */
#include "failing_host.h"
#include "io/json.h"
#include "test.h"

static lim_result parse(arena* a, const char* text, json_value* root, json_error* error) {
    arena_init(a, NULL);
    return json_parse(a, text, strlen(text), root, error);
}

static void values_are_read_with_their_places(void) {
    arena a;
    json_value root;
    json_error error;
    CHECK(parse(&a,
                "{ \"a\": [1, -2.5e1, true, false, null],\n"
                "  \"b\" : {\"c\": \"x\\n\\u00e9\\ud83d\\ude00\\\"\"},\r\n \"\": []}\n",
                &root, &error) == LIM_OK);
    CHECK(root.kind == JSON_OBJECT && root.count == 3 && root.line == 1 && root.column == 1);
    const json_value* list = json_member(&root, "a");
    CHECK(json_is(list, JSON_ARRAY) && json_count(list) == 5 && list->column == 8);
    CHECK(json_number(json_item(list, 1), 0.0) == -25.0);
    CHECK(json_boolean(json_item(list, 2), false) && !json_boolean(json_item(list, 3), true));
    CHECK(json_is(json_item(list, 4), JSON_NULL) && json_item(list, 5) == NULL);
    CHECK(json_item(list, -1) == NULL);
    const json_value* text = json_member(json_member(&root, "b"), "c");
    CHECK(text != NULL && text->line == 2 && text->column == 15);
    CHECK(json_string_is(text, "x\n\xC3\xA9\xF0\x9F\x98\x80\""));
    CHECK(text != NULL && text->count == 9 && strcmp(text->key, "c") == 0);
    CHECK(json_is(json_member(&root, ""), JSON_ARRAY) && json_count(json_member(&root, "")) == 0);
    CHECK(json_member(&root, "missing") == NULL && json_member(NULL, "a") == NULL);
    CHECK(json_member(list, "a") == NULL && json_count(NULL) == 0);
    CHECK(json_number(NULL, 7.0) == 7.0 && strcmp(json_string(list, "no"), "no") == 0);
    arena_release(&a);
}

static void numbers_are_taken_in_ranges(void) {
    arena a;
    json_value root;
    json_error error;
    CHECK(parse(&a, "[3, 3.5, 1e300, -1, \"3\", [1, 2, 3], [1, \"2\", 3]]", &root, &error) ==
          LIM_OK);
    int64_t whole = 0;
    double three[3];
    CHECK(json_whole(json_item(&root, 0), 0, 3, &whole) && whole == 3);
    CHECK(!json_whole(json_item(&root, 0), 0, 2, &whole));
    CHECK(!json_whole(json_item(&root, 1), 0, 9, &whole));
    CHECK(!json_whole(json_item(&root, 2), 0, INT64_MAX, &whole));
    CHECK(!json_whole(json_item(&root, 3), 0, 9, &whole));
    CHECK(!json_whole(json_item(&root, 4), 0, 9, &whole) && !json_whole(NULL, 0, 9, &whole));
    CHECK(json_numbers(json_item(&root, 5), 3, three) && three[2] == 3.0);
    CHECK(!json_numbers(json_item(&root, 5), 2, three));
    CHECK(!json_numbers(json_item(&root, 6), 3, three));
    arena_release(&a);
}

static void what_is_no_json_is_refused_at_its_place(void) {
    static const struct {
        const char* text;
        int line, column;
    } cases[] = {{"", 1, 1},
                 {" \n ", 2, 2},
                 {"{", 1, 2},
                 {"[1, 2", 1, 6},
                 {"[1,]", 1, 4},
                 {"{\"a\":1,}", 1, 8},
                 {"{\"a\" 1}", 1, 6},
                 {"{a:1}", 1, 2},
                 {"[1 2]", 1, 4},
                 {"[1}", 1, 3},
                 {"\n\n  01", 3, 3},
                 {"+1", 1, 1},
                 {"-", 1, 1},
                 {"1.", 1, 1},
                 {".5", 1, 1},
                 {"1e", 1, 1},
                 {"1e400", 1, 1},
                 {"nan", 1, 1},
                 {"Infinity", 1, 1},
                 {"tru", 1, 1},
                 {"\"abc", 1, 1},
                 {"\"a\nb\"", 1, 3},
                 {"\"\\x\"", 1, 2},
                 {"\"\\u12g4\"", 1, 2},
                 {"\"\\ud800\"", 1, 2},
                 {"\"\\udc00\"", 1, 2},
                 {"\"\xC0\x80\"", 1, 2},
                 {"\"\xED\xA0\x80\"", 1, 2},
                 {"\"\xF5\x80\x80\x80\"", 1, 2},
                 {"\"\x80\"", 1, 2},
                 {"[] []", 1, 4},
                 {"// no\n1", 1, 1},
                 {"{\"a\":1,\n\"b\":2,\n\"a\":3}", 3, 5},
                 {"{\"a\\u0000\":1}", 1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        arena a;
        json_value root;
        json_error error;
        lim_result result = parse(&a, cases[i].text, &root, &error);
        if (result != LIM_ERROR_FORMAT || error.line != cases[i].line ||
            error.column != cases[i].column) {
            printf("  %s: %d:%d %s\n", cases[i].text, (int)error.line, (int)error.column,
                   error.text);
        }
        CHECK(result == LIM_ERROR_FORMAT);
        CHECK(error.line == cases[i].line && error.column == cases[i].column);
        arena_release(&a);
    }
}

static void depth_is_limited(void) {
    static char text[2 * (JSON_DEEPEST + 1) + 1];
    for (int depth = JSON_DEEPEST; depth <= JSON_DEEPEST + 1; ++depth) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        text[2 * depth] = '\0';
        arena a;
        json_value root;
        json_error error;
        CHECK(parse(&a, text, &root, &error) ==
              (depth <= JSON_DEEPEST ? LIM_OK : LIM_ERROR_FORMAT));
        arena_release(&a);
    }
}

static const char scene[] = "{\"name\":\"box\",\"list\":[1,2,[3,{\"x\":[]}],\"\\u00e9\"],"
                            "\"deep\":{\"a\":{\"b\":{\"c\":1.5e-3}}},\"t\":true,\"n\":null}";

static void every_cut_is_refused(void) {
    for (size_t size = 0; size < strlen(scene); ++size) {
        char* copy = malloc(size > 0 ? size : 1);
        memcpy(copy, scene, size);
        arena a;
        json_value root;
        json_error error;
        arena_init(&a, NULL);
        CHECK(json_parse(&a, copy, size, &root, &error) == LIM_ERROR_FORMAT);
        arena_release(&a);
        free(copy);
    }
}

static void failing_allocations_are_passed_on(void) {
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        json_value root;
        json_error error;
        arena_init(&a, &f.host);
        lim_result result = json_parse(&a, scene, strlen(scene), &root, &error);
        arena_release(&a);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            CHECK(n > 1);
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
    }
}

TEST_SUITE(read_json) {
    TEST_BEGIN(argc, argv);
    RUN(values_are_read_with_their_places);
    RUN(numbers_are_taken_in_ranges);
    RUN(what_is_no_json_is_refused_at_its_place);
    RUN(depth_is_limited);
    RUN(every_cut_is_refused);
    RUN(failing_allocations_are_passed_on);
    TEST_END();
}

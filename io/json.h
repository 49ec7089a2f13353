/* SPDX-License-Identifier: MIT
 * JSON (RFC 8259), strict: no comments, no trailing commas, no repeated keys, UTF-8 only, numbers
 * within the range of double. The tree lives in an arena; every value knows where it stood, so that
 * whoever reads it can say file, line and cure.
 *
 *     json_value root;
 *     json_error error;
 *     lim_result r = json_parse(&arena, text, size, &root, &error);
 *     const json_value* gravity = json_member(&root, "gravity");
 *     for (int32_t i = 0; i < json_count(gravity); ++i) { double g = json_item(gravity, i)->number;
 * }
 *
 * Lookups take null (and values of another kind) and give null, so that they can be chained.
 */
#ifndef LIMBER_IO_JSON_H
#define LIMBER_IO_JSON_H

#include "base/arena.h"

typedef enum json_kind {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

typedef struct json_value json_value;
struct json_value {
    json_kind kind;
    int32_t line, column;    /* from 1; columns count bytes */
    int32_t count;           /* items of an array, members of an object, bytes of a string */
    const char* key;         /* of a member of an object, ends with a zero byte; else null */
    const char* string;      /* UTF-8, ends with a zero byte (it may hold zero bytes itself) */
    const json_value* items; /* of an array or object, in the order of the text */
    double number;
    bool boolean;
};

/* Why a text is no JSON, in words that go behind "file:line:column: ". */
typedef struct json_error {
    int32_t line, column;
    const char* text;
} json_error;

enum { JSON_DEEPEST = 256 }; /* nesting of arrays and objects */

/* LIM_OK, LIM_ERROR_FORMAT with *out_error filled, or LIM_ERROR_MEMORY. A byte order mark at the
 * start is passed over. The text need not live on. Texts of 2 GiB and more are refused. */
lim_result json_parse(arena* memory, const char* text, size_t size, json_value* out_root,
                      json_error* out_error);

/* The member of an object, or null. O(members). */
const json_value* json_member(const json_value* object, const char* key);
/* The i-th item of an array or member of an object, or null. */
const json_value* json_item(const json_value* list, int32_t index);
/* Items of an array or members of an object; 0 for anything else. */
int32_t json_count(const json_value* list);

/* Is it of this kind? False for null pointers. */
bool json_is(const json_value* value, json_kind kind);
/* The number of a number, else the fallback. */
double json_number(const json_value* value, double fallback);
bool json_boolean(const json_value* value, bool fallback);
/* The text of a string, else the fallback. */
const char* json_string(const json_value* value, const char* fallback);
bool json_string_is(const json_value* value, const char* text);
/* A whole number from low to high: false when the value is anything else. */
bool json_whole(const json_value* value, int64_t low, int64_t high, int64_t* out);
/* Exactly `count` numbers in an array: false when the value is anything else. */
bool json_numbers(const json_value* value, int32_t count, double* out);
/* What to call a kind in a message: "a number", "an object". */
const char* json_kind_name(json_kind kind);

/* Length of the UTF-8 sequence at `at`, 0 when it is none (overlong, surrogate, beyond 10FFFF). */
size_t json_utf8_length(const char* at, const char* end);

#endif

/* SPDX-License-Identifier: MIT
 * Job: JSON text to a tree. In: bytes. Out: values in an arena. Open arrays and objects are frames
 * of an explicit stack, so that depth costs no machine stack; finished items wait on a second stack
 * and are copied side by side into the arena when their list closes. All strings together are
 * shorter than the text, so one block of its size holds them.
 */
#include "io/json.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/sort.h"
#include "io/number.h"

#include <math.h>
#include <string.h>

typedef struct json_frame {
    json_value list; /* the open array or object */
    int32_t first;   /* its items on the stack of values begin here */
} json_frame;

typedef struct json_parser {
    arena* memory;
    const char* at;
    const char* end;
    const char* line_start;
    int32_t line;
    char* strings; /* where the next string goes */
    json_frame frames[JSON_DEEPEST];
    int32_t depth;
    ARRAY(json_value) values;
    json_error* error;
} json_parser;

/* ---- letters ----------------------------------------------------------------------------------
 */

static lim_result fail_at(json_parser* p, const char* at, const char* text) {
    *p->error =
        (json_error){.line = p->line, .column = (int32_t)(at - p->line_start) + 1, .text = text};
    return LIM_ERROR_FORMAT;
}

static void skip_blanks(json_parser* p) {
    for (; p->at < p->end; ++p->at) {
        char c = *p->at;
        if (c == '\n' || (c == '\r' && !(p->at + 1 < p->end && p->at[1] == '\n'))) {
            p->line++;
            p->line_start = p->at + 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

size_t json_utf8_length(const char* at, const char* end) {
    const unsigned char* b = (const unsigned char*)at;
    size_t length = b[0] < 0x80 ? 1 : b[0] < 0xC2 ? 0 : b[0] < 0xE0 ? 2 : b[0] < 0xF0 ? 3 : 4;
    if (b[0] > 0xF4 || length > (size_t)(end - at)) {
        return 0;
    }
    for (size_t i = 1; i < length; ++i) {
        if ((b[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    if ((b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xED && b[1] > 0x9F) ||
        (b[0] == 0xF0 && b[1] < 0x90) || (b[0] == 0xF4 && b[1] > 0x8F)) {
        return 0;
    }
    return length;
}

/* Four hex digits; -1 when they are none. */
static int32_t scan_hex(const char* at, const char* end) {
    int32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at) {
        if (at >= end) {
            return -1;
        }
        char c = *at;
        int32_t digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

static void put_code(char** to, int32_t code) {
    char* t = *to;
    if (code < 0x80) {
        *t++ = (char)code;
    } else if (code < 0x800) {
        *t++ = (char)(0xC0 | code >> 6);
        *t++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *t++ = (char)(0xE0 | code >> 12);
        *t++ = (char)(0x80 | (code >> 6 & 0x3F));
        *t++ = (char)(0x80 | (code & 0x3F));
    } else {
        *t++ = (char)(0xF0 | code >> 18);
        *t++ = (char)(0x80 | (code >> 12 & 0x3F));
        *t++ = (char)(0x80 | (code >> 6 & 0x3F));
        *t++ = (char)(0x80 | (code & 0x3F));
    }
    *to = t;
}

/* What follows a backslash; p->at is at the letter. Never longer than its spelling. */
static lim_result scan_escape(json_parser* p, char** to) {
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char* start = p->at - 1;
    char c = p->at < p->end ? *p->at++ : '\0';
    const char* found = c != '\0' ? strchr(letters, c) : NULL;
    if (found != NULL) {
        *(*to)++ = meant[found - letters];
        return LIM_OK;
    }
    int32_t code = c == 'u' ? scan_hex(p->at, p->end) : -1;
    if (code < 0) {
        return fail_at(p, start,
                       "a backslash is followed by one of \"\\/bfnrt or u and four hex "
                       "digits");
    }
    p->at += 4;
    if (code >= 0xD800 && code < 0xE000) {
        int32_t low = code < 0xDC00 && p->end - p->at >= 6 && p->at[0] == '\\' && p->at[1] == 'u'
                          ? scan_hex(p->at + 2, p->end)
                          : -1;
        if (low < 0xDC00 || low >= 0xE000) {
            return fail_at(p, start,
                           "half of a surrogate pair; write both halves, or the letter "
                           "itself in UTF-8");
        }
        p->at += 6;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    put_code(to, code);
    return LIM_OK;
}

/* A string at its opening quote. */
static lim_result scan_string(json_parser* p, const char** out, int32_t* out_length) {
    const char* start = p->at++;
    char* to = p->strings;
    *out = to;
    while (p->at < p->end && *p->at != '"') {
        if (*p->at == '\\') {
            p->at++;
            LIM_TRY(scan_escape(p, &to));
        } else if ((unsigned char)*p->at < 0x20) {
            return fail_at(p, p->at,
                           "a control character or line end inside a string; write it "
                           "as \\n or \\u00XX, or close the string");
        } else {
            size_t length = json_utf8_length(p->at, p->end);
            if (length == 0) {
                return fail_at(p, p->at, "bytes that are not UTF-8; save the file as UTF-8");
            }
            memcpy(to, p->at, length);
            to += length;
            p->at += length;
        }
    }
    if (p->at == p->end) {
        return fail_at(p, start, "this string is not closed; the file was cut or a \" is missing");
    }
    p->at++;
    *out_length = (int32_t)(to - p->strings);
    *to++ = '\0';
    p->strings = to;
    return LIM_OK;
}

static bool is_digit(const json_parser* p, const char* at) {
    return at < p->end && *at >= '0' && *at <= '9';
}

static lim_result scan_number(json_parser* p, double* out) {
    const char* start = p->at;
    const char* at = start + (*start == '-');
    bool ok = is_digit(p, at) && !(*at == '0' && is_digit(p, at + 1));
    while (is_digit(p, at)) {
        at++;
    }
    if (at < p->end && *at == '.') {
        at++;
        ok = ok && is_digit(p, at);
        while (is_digit(p, at)) {
            at++;
        }
    }
    if (at < p->end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < p->end && (*at == '+' || *at == '-');
        ok = ok && is_digit(p, at);
        while (is_digit(p, at)) {
            at++;
        }
    }
    if (!ok || !number_scan_real(&p->at, at, out)) {
        return fail_at(p, start, "not a JSON number; write it like -0.5e3");
    }
    p->at = at;
    return isfinite(*out) ? LIM_OK : fail_at(p, start, "this number is too large for a double");
}

/* ---- values -----------------------------------------------------------------------------------
 */

static bool take_word(json_parser* p, const char* word) {
    size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) {
        return false;
    }
    p->at += length;
    return true;
}

/* A value, or the opening of a list (*out_opens). */
static lim_result scan_value(json_parser* p, json_value* out, bool* out_opens) {
    *out = (json_value){.line = p->line, .column = (int32_t)(p->at - p->line_start) + 1};
    *out_opens = false;
    if (p->at == p->end) {
        return fail_at(p, p->at, "the text ends where a value should stand; the file was cut");
    }
    char c = *p->at;
    if (c == '{' || c == '[') {
        out->kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
        *out_opens = true;
        p->at++;
        return LIM_OK;
    }
    if (c == '"') {
        out->kind = JSON_STRING;
        return scan_string(p, &out->string, &out->count);
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
        out->kind = JSON_NUMBER;
        return scan_number(p, &out->number);
    }
    if (take_word(p, "true") || take_word(p, "false")) {
        out->kind = JSON_BOOL;
        out->boolean = c == 't';
        return LIM_OK;
    }
    if (take_word(p, "null")) {
        return LIM_OK;
    }
    return fail_at(p, p->at,
                   "not a JSON value: an object, array, string, number, true, false or "
                   "null belongs here");
}

/* Keys sorted by hash: equal ones become neighbours. */
static lim_result check_keys(json_parser* p, const json_value* object) {
    if (object->count < 2) {
        return LIM_OK;
    }
    const lim_host* host = &p->memory->host;
    size_t count = (size_t)object->count;
    sort_item* items = mem_alloc(host, 2 * count, sizeof(sort_item));
    LIM_TRY_MEMORY(items);
    for (int32_t i = 0; i < object->count; ++i) {
        const char* key = object->items[i].key;
        items[i] = (sort_item){.key = hash_bytes(HASH_SEED, key, strlen(key)), .value = i};
    }
    sort_items(items, items + count, object->count);
    lim_result result = LIM_OK;
    for (int32_t i = 1; i < object->count && result == LIM_OK; ++i) {
        const json_value* a = &object->items[items[i - 1].value];
        const json_value* b = &object->items[items[i].value];
        if (items[i].key == items[i - 1].key && strcmp(a->key, b->key) == 0) {
            *p->error = (json_error){.line = b->line,
                                     .column = b->column,
                                     .text = "this key is there twice in one object; remove one"};
            result = LIM_ERROR_FORMAT;
        }
    }
    mem_free(host, items, 2 * count, sizeof(sort_item));
    return result;
}

/* Moves the items of the innermost list into the arena. */
static lim_result close_list(json_parser* p, json_value* out) {
    const json_frame* frame = &p->frames[--p->depth];
    *out = frame->list;
    out->count = p->values.count - frame->first;
    json_value* items = ARENA_ARRAY(p->memory, json_value, out->count);
    LIM_TRY_MEMORY(items);
    if (out->count > 0) {
        memcpy(items, p->values.data + frame->first, sizeof(json_value) * (size_t)out->count);
    }
    out->items = items;
    p->values.count = frame->first;
    return out->kind == JSON_OBJECT ? check_keys(p, out) : LIM_OK;
}

/* A key and its colon. */
static lim_result scan_key(json_parser* p, const char** out_key) {
    int32_t length = 0;
    if (p->at == p->end || *p->at != '"') {
        return fail_at(p, p->at, "a key in \"quotes\" belongs here (no comma before a closing })");
    }
    const char* start = p->at;
    LIM_TRY(scan_string(p, out_key, &length));
    if (strlen(*out_key) != (size_t)length) {
        return fail_at(p, start, "a key must not hold a zero byte");
    }
    skip_blanks(p);
    if (p->at == p->end || *p->at != ':') {
        return fail_at(p, p->at, "a : belongs between key and value");
    }
    p->at++;
    skip_blanks(p);
    return LIM_OK;
}

static char closing(const json_parser* p) {
    return p->frames[p->depth - 1].list.kind == JSON_OBJECT ? '}' : ']';
}

/* After a value: commas and closings until the next value is due. *out_done when the root is. */
static lim_result finish_value(json_parser* p, json_value value, json_value* out_root,
                               bool* out_done) {
    for (;;) {
        if (p->depth == 0) {
            *out_root = value;
            *out_done = true;
            return LIM_OK;
        }
        if (!ARRAY_PUSH(&p->memory->host, &p->values, value)) {
            return LIM_ERROR_MEMORY;
        }
        skip_blanks(p);
        char c = p->at < p->end ? *p->at : '\0';
        if (c == ',') {
            p->at++;
            return LIM_OK;
        }
        if (c != closing(p)) {
            return fail_at(p, p->at,
                           closing(p) == '}' ? "a , or } belongs here; the file was cut or a sign "
                                               "is missing"
                                             : "a , or ] belongs here; the file was cut or a sign "
                                               "is missing");
        }
        p->at++;
        LIM_TRY(close_list(p, &value));
    }
}

static lim_result parse_text(json_parser* p, json_value* out_root) {
    bool done = false, fresh = true; /* fresh: nothing yet in the innermost list */
    while (!done) {
        skip_blanks(p);
        json_value value;
        if (p->depth > 0 && fresh && p->at < p->end && *p->at == closing(p)) {
            p->at++;
            LIM_TRY(close_list(p, &value));
        } else {
            const char* key = NULL;
            if (p->depth > 0 && p->frames[p->depth - 1].list.kind == JSON_OBJECT) {
                LIM_TRY(scan_key(p, &key));
            }
            bool opens = false;
            LIM_TRY(scan_value(p, &value, &opens));
            value.key = key;
            if (opens) {
                if (p->depth == JSON_DEEPEST) {
                    return fail_at(p, p->at - 1, "nested too deeply; at most 256 levels are read");
                }
                p->frames[p->depth++] = (json_frame){.list = value, .first = p->values.count};
                fresh = true;
                continue;
            }
        }
        fresh = false;
        LIM_TRY(finish_value(p, value, out_root, &done));
    }
    skip_blanks(p);
    return p->at == p->end ? LIM_OK : fail_at(p, p->at, "text after the end of the JSON value");
}

lim_result json_parse(arena* memory, const char* text, size_t size, json_value* out_root,
                      json_error* out_error) {
    json_parser p = {.memory = memory, .at = text, .line_start = text, .line = 1};
    *out_error = (json_error){.line = 1, .column = 1, .text = "2 GiB or more of text"};
    if (size >= INT32_MAX) {
        return LIM_ERROR_FORMAT;
    }
    p.end = text + size;
    p.error = out_error;
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        p.at += 3;
        p.line_start += 3;
    }
    /* A string of n bytes takes n + 2 in the text and n + 1 here. */
    p.strings = arena_alloc(memory, size + 1, 1);
    LIM_TRY_MEMORY(p.strings);
    lim_result result = parse_text(&p, out_root);
    ARRAY_FREE(&memory->host, &p.values);
    return result;
}

/* ---- looking at it ----------------------------------------------------------------------------
 */

bool json_is(const json_value* value, json_kind kind) {
    return value != NULL && value->kind == kind;
}

int32_t json_count(const json_value* list) {
    return json_is(list, JSON_ARRAY) || json_is(list, JSON_OBJECT) ? list->count : 0;
}

const json_value* json_item(const json_value* list, int32_t index) {
    return index >= 0 && index < json_count(list) ? &list->items[index] : NULL;
}

const json_value* json_member(const json_value* object, const char* key) {
    for (int32_t i = 0; json_is(object, JSON_OBJECT) && i < object->count; ++i) {
        if (strcmp(object->items[i].key, key) == 0) {
            return &object->items[i];
        }
    }
    return NULL;
}

double json_number(const json_value* value, double fallback) {
    return json_is(value, JSON_NUMBER) ? value->number : fallback;
}

bool json_boolean(const json_value* value, bool fallback) {
    return json_is(value, JSON_BOOL) ? value->boolean : fallback;
}

const char* json_string(const json_value* value, const char* fallback) {
    return json_is(value, JSON_STRING) ? value->string : fallback;
}

bool json_string_is(const json_value* value, const char* text) {
    return json_is(value, JSON_STRING) && strcmp(value->string, text) == 0;
}

bool json_whole(const json_value* value, int64_t low, int64_t high, int64_t* out) {
    if (!json_is(value, JSON_NUMBER) || value->number != floor(value->number) ||
        fabs(value->number) > 9007199254740992.0) {
        return false;
    }
    int64_t whole = (int64_t)value->number;
    if (whole < low || whole > high) {
        return false;
    }
    *out = whole;
    return true;
}

bool json_numbers(const json_value* value, int32_t count, double* out) {
    if (!json_is(value, JSON_ARRAY) || value->count != count) {
        return false;
    }
    for (int32_t i = 0; i < count; ++i) {
        if (value->items[i].kind != JSON_NUMBER) {
            return false;
        }
        out[i] = value->items[i].number;
    }
    return true;
}

const char* json_kind_name(json_kind kind) {
    static const char* const names[] = {"null",     "true or false", "a number",
                                        "a string", "an array",      "an object"};
    return names[kind];
}

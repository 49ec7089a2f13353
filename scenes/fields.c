/* SPDX-License-Identifier: MIT
 *
 * The table reader. In: a JSON object, a table of the keys it may have. Out: a struct, or a message
 * with the place of the mistake and its cure.
 */
#include "fields.h"

#include "math/quat.h"
#include "math/trig.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MOST = 63, SHOWN = 60 };

lim_result field_fail(const field_reader* r, const json_value* at, lim_result result,
                      const char* format, ...) {
    if (r->message != NULL) {
        char* text = r->message->text;
        size_t size = sizeof(r->message->text);
        int head = snprintf(text, size, "%.150s:%d:%d: ", r->file, at->line, at->column);
        size_t used = head > 0 ? (size_t)head : 0;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text + used, size - used, format, arguments);
        va_end(arguments);
    }
    return result;
}

/* Letters to change, add, drop or swap to turn a into b (optimal string alignment). */
static int distance(const char* a, const char* b) {
    size_t n = strlen(a), m = strlen(b);
    if (n > WORD_MOST || m > WORD_MOST) {
        return WORD_MOST;
    }
    int row[3][WORD_MOST + 2] = {{0}};
    for (size_t j = 0; j <= m; ++j) {
        row[0][j] = (int)j;
    }
    for (size_t i = 1; i <= n; ++i) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= m; ++j) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best) {
                best = before[j - 2] + 1;
            }
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char* nearest_word(const char* wrong, const char* (*next)(const void* user, int32_t i),
                         const void* user) {
    const char* best = NULL;
    int best_distance = 1 + (int)(strlen(wrong) < WORD_MOST ? strlen(wrong) : WORD_MOST) / 3;
    for (int32_t i = 0; next(user, i) != NULL; ++i) {
        int d = distance(wrong, next(user, i));
        if (d < best_distance || (d == best_distance && best == NULL)) {
            best = next(user, i);
            best_distance = d;
        }
    }
    return best;
}

/* ---- unknown keys ----------------------------------------------------------------------------
 */

typedef struct key_list {
    const field* fields;
    int32_t count;
    uint32_t variant;
} key_list;

static bool is_known(const field* f, uint32_t variant) {
    return f->mask == 0 || (f->mask & variant) != 0;
}

static const char* known_key(const void* user, int32_t i) {
    const key_list* list = user;
    for (int32_t k = 0; k < list->count; ++k) {
        if (is_known(&list->fields[k], list->variant) && i-- == 0) {
            return list->fields[k].key;
        }
    }
    return NULL;
}

/* Candidates as "a, b, c", as many as fit. */
static void join_words(const char* (*next)(const void* user, int32_t i), const void* user,
                       char* out, size_t size) {
    size_t used = 0;
    out[0] = '\0';
    for (int32_t i = 0; next(user, i) != NULL; ++i) {
        int n = snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "", next(user, i));
        if (n < 0 || (size_t)n >= size - used) {
            out[used] = '\0';
            return;
        }
        used += (size_t)n;
    }
}

/* A value knows its own place; the key stands before it: back over the colon to the key's first
 * quote. Keys with escaped quotes keep the place of the value. */
static json_value key_place(const field_reader* r, const json_value* member) {
    json_value place = *member;
    int32_t line = 1;
    size_t at = 0;
    while (at < r->size && line < member->line) {
        line += r->text[at++] == '\n';
    }
    size_t start = at;
    at += (size_t)member->column - 1;
    while (at > 0 && at <= r->size && r->text[at - 1] != '"') {
        at--;
    }
    size_t length = strlen(member->key);
    if (at <= r->size && at >= length + 2 && r->text[at - length - 2] == '"' &&
        memcmp(&r->text[at - length - 1], member->key, length) == 0 && at - length - 2 >= start) {
        place.column = (int32_t)(at - length - 2 - start) + 1;
    }
    return place;
}

static lim_result unknown_key(const field_reader* r, const json_value* member, const char* what,
                              const key_list* keys) {
    const char* meant = nearest_word(member->key, known_key, keys);
    json_value place = key_place(r, member);
    if (meant != NULL) {
        return field_fail(r, &place, LIM_ERROR_FORMAT,
                          "unknown key \"%.*s\" in %s; did you mean \"%s\"?", SHOWN, member->key,
                          what, meant);
    }
    char known[260];
    join_words(known_key, keys, known, sizeof(known));
    return field_fail(r, &place, LIM_ERROR_FORMAT, "unknown key \"%.*s\" in %s; it may have %s",
                      SHOWN, member->key, what, known);
}

/* ---- values ----------------------------------------------------------------------------------
 */

static lim_result wrong_kind(const field_reader* r, const json_value* v, const char* what,
                             const char* key, const char* wanted) {
    return field_fail(r, v, LIM_ERROR_FORMAT, "\"%s\" in %s must be %s, not %s", key, what, wanted,
                      json_kind_name(v->kind));
}

static lim_result read_number(const field_reader* r, const json_value* v, const char* what,
                              const field* f, double* out) {
    if (!json_is(v, JSON_NUMBER)) {
        return wrong_kind(r, v, what, f->key, "a number");
    }
    if (!(v->number >= f->low && v->number <= f->high)) {
        return field_fail(r, v, LIM_ERROR_FORMAT, "\"%s\" in %s is %g; give %g to %g", f->key, what,
                          v->number, f->low, f->high);
    }
    *out = v->number;
    return LIM_OK;
}

static lim_result read_whole(const field_reader* r, const json_value* v, const char* what,
                             const field* f, int32_t* out) {
    double number;
    LIM_TRY(read_number(r, v, what, f, &number));
    int64_t whole;
    if (!json_whole(v, INT32_MIN, INT32_MAX, &whole)) {
        return field_fail(r, v, LIM_ERROR_FORMAT, "\"%s\" in %s is %g; give a whole number", f->key,
                          what, number);
    }
    *out = (int32_t)whole;
    return LIM_OK;
}

static lim_result read_bits(const field_reader* r, const json_value* v, const char* what,
                            const field* f, uint32_t* out) {
    double number;
    LIM_TRY(read_number(r, v, what, f, &number));
    int64_t whole;
    if (!json_whole(v, 0, UINT32_MAX, &whole)) {
        return field_fail(r, v, LIM_ERROR_FORMAT, "\"%s\" in %s is %g; give a whole number", f->key,
                          what, number);
    }
    *out = (uint32_t)whole;
    return LIM_OK;
}

static lim_result read_list(const field_reader* r, const json_value* v, const char* what,
                            const field* f, int32_t count) {
    if (!json_is(v, JSON_ARRAY) || json_count(v) != count) {
        char wanted[40];
        snprintf(wanted, sizeof(wanted), "a list of %d numbers", count);
        return json_is(v, JSON_ARRAY)
                   ? field_fail(r, v, LIM_ERROR_FORMAT, "\"%s\" in %s must be %s; it has %d",
                                f->key, what, wanted, json_count(v))
                   : wrong_kind(r, v, what, f->key, wanted);
    }
    return LIM_OK;
}

static lim_result read_numbers(const field_reader* r, const json_value* v, const char* what,
                               const field* f, int32_t count, double* out) {
    LIM_TRY(read_list(r, v, what, f, count));
    for (int32_t i = 0; i < count; ++i) {
        LIM_TRY(read_number(r, json_item(v, i), what, f, &out[i]));
    }
    return LIM_OK;
}

typedef struct axis_angle {
    lim_point axis;
    double degrees;
} axis_angle;

static lim_result read_rotation(const field_reader* r, const json_value* v, const char* what,
                                const field* f, lim_quat* out) {
    double q[4];
    if (json_is(v, JSON_ARRAY)) {
        field range = *f;
        range.low = -1e6;
        range.high = 1e6;
        LIM_TRY(read_numbers(r, v, what, &range, 4, q));
    } else if (json_is(v, JSON_OBJECT)) {
        static const field fields[] = {
            {"axis", FIELD_POINT, offsetof(axis_angle, axis), -1e6, 1e6, NULL, 0},
            {"degrees", FIELD_DOUBLE, offsetof(axis_angle, degrees), -36000, 36000, NULL, 0}};
        char inner[160];
        snprintf(inner, sizeof(inner), "\"%s\" of %.120s", f->key, what);
        axis_angle turn = {{0, 1, 0}, 0};
        LIM_TRY(field_require(r, v, inner, "axis"));
        LIM_TRY(field_require(r, v, inner, "degrees"));
        LIM_TRY(fields_read(r, v, inner, fields, 2, 0, &turn));
        double length = p3_length(turn.axis), half = turn.degrees * (TRIG_PI / 360.0);
        double s = length > 0.0 ? trig_sin(half) / length : 0.0;
        q[0] = turn.axis.x * s;
        q[1] = turn.axis.y * s;
        q[2] = turn.axis.z * s;
        q[3] = length > 0.0 ? trig_cos(half) : 0.0;
    } else {
        return wrong_kind(r, v, what, f->key, "[x, y, z, w] or {\"axis\": ..., \"degrees\": ...}");
    }
    double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(n > 1e-12)) {
        return field_fail(r, v, LIM_ERROR_FORMAT,
                          "\"%s\" in %s has no direction; give an axis or quaternion that is not "
                          "zero",
                          f->key, what);
    }
    *out = quat_of(dquat_unit((dquat){q[0], q[1], q[2], q[3]}));
    return LIM_OK;
}

static const char* next_word(const void* user, int32_t i) {
    return ((const field_word*)user)[i].word;
}

lim_result field_word_read(const field_reader* r, const json_value* v, const char* what,
                           const char* key, const field_word* words, int* out) {
    if (!json_is(v, JSON_STRING)) {
        return wrong_kind(r, v, what, key, "a text");
    }
    for (int32_t i = 0; words[i].word != NULL; ++i) {
        if (json_string_is(v, words[i].word)) {
            *out = words[i].value;
            return LIM_OK;
        }
    }
    const char* meant = nearest_word(v->string, next_word, words);
    char known[200];
    join_words(next_word, words, known, sizeof(known));
    return meant != NULL
               ? field_fail(r, v, LIM_ERROR_FORMAT,
                            "unknown %s \"%.*s\" in %s; did you mean \"%s\"?", key, SHOWN,
                            v->string, what, meant)
               : field_fail(r, v, LIM_ERROR_FORMAT, "unknown %s \"%.*s\" in %s; there are %s", key,
                            SHOWN, v->string, what, known);
}

static lim_result read_text(const field_reader* r, const json_value* v, const char* what,
                            const field* f, const char** out) {
    if (!json_is(v, JSON_STRING)) {
        return wrong_kind(r, v, what, f->key, "a text");
    }
    size_t length = strlen(v->string);
    if (length != (size_t)v->count || length == 0 || length > 400) {
        return field_fail(r, v, LIM_ERROR_FORMAT,
                          "\"%s\" in %s must be a text of 1 to 400 bytes without zeros", f->key,
                          what);
    }
    bool ok = true;
    *out = scene_text(r->s, v->string, &ok);
    return ok ? LIM_OK : field_fail(r, v, LIM_ERROR_MEMORY, "out of memory");
}

static lim_result read_value(const field_reader* r, const json_value* v, const char* what,
                             const field* f, void* out) {
    double d[3] = {0, 0, 0};
    switch (f->kind) {
    case FIELD_DOUBLE:
        return read_number(r, v, what, f, out);
    case FIELD_FLOAT:
        LIM_TRY(read_number(r, v, what, f, &d[0]));
        *(float*)out = (float)d[0];
        return LIM_OK;
    case FIELD_WHOLE:
        return read_whole(r, v, what, f, out);
    case FIELD_BITS:
        return read_bits(r, v, what, f, out);
    case FIELD_BOOL:
        if (!json_is(v, JSON_BOOL)) {
            return wrong_kind(r, v, what, f->key, "true or false");
        }
        *(bool*)out = v->boolean;
        return LIM_OK;
    case FIELD_TEXT:
        return read_text(r, v, what, f, out);
    case FIELD_POINT:
        LIM_TRY(read_numbers(r, v, what, f, 3, d));
        *(lim_point*)out = p3(d[0], d[1], d[2]);
        return LIM_OK;
    case FIELD_VECTOR:
        LIM_TRY(read_numbers(r, v, what, f, 3, d));
        *(lim_vec3*)out = v3((float)d[0], (float)d[1], (float)d[2]);
        return LIM_OK;
    case FIELD_COUNTS:
        LIM_TRY(read_list(r, v, what, f, 3));
        for (int32_t i = 0; i < 3; ++i) {
            LIM_TRY(read_whole(r, json_item(v, i), what, f, (int32_t*)out + i));
        }
        return LIM_OK;
    case FIELD_ROTATION:
        return read_rotation(r, v, what, f, out);
    case FIELD_WORD:
        return field_word_read(r, v, what, f->key, f->words, out);
    case FIELD_OTHER:
        break;
    }
    return LIM_OK;
}

lim_result fields_read(const field_reader* r, const json_value* object, const char* what,
                       const field* fields, int32_t count, uint32_t variant, void* out) {
    if (!json_is(object, JSON_OBJECT)) {
        return field_fail(r, object, LIM_ERROR_FORMAT, "%s must be an object, not %s", what,
                          json_kind_name(object->kind));
    }
    key_list keys = {fields, count, variant};
    for (int32_t i = 0; i < json_count(object); ++i) {
        const json_value* member = json_item(object, i);
        const field* found = NULL;
        for (int32_t k = 0; k < count && found == NULL; ++k) {
            if (strcmp(fields[k].key, member->key) == 0 && is_known(&fields[k], variant)) {
                found = &fields[k];
            }
        }
        if (found == NULL) {
            return unknown_key(r, member, what, &keys);
        }
        LIM_TRY(read_value(r, member, what, found, (char*)out + found->offset));
    }
    return LIM_OK;
}

lim_result field_require(const field_reader* r, const json_value* object, const char* what,
                         const char* key) {
    return json_member(object, key) != NULL
               ? LIM_OK
               : field_fail(r, object, LIM_ERROR_FORMAT, "%s needs \"%s\"", what, key);
}

/* SPDX-License-Identifier: MIT
 * Reading JSON objects into structs by a table of keys: strict, with messages that say file, line,
 * column, what is wrong and what was probably meant.
 */
#ifndef LIMBER_FIELDS_H
#define LIMBER_FIELDS_H

#include "io/json.h"
#include "scene_inside.h"

typedef enum field_kind {
    FIELD_DOUBLE,
    FIELD_FLOAT,
    FIELD_WHOLE,    /* int32_t */
    FIELD_BITS,     /* uint32_t */
    FIELD_BOOL,     /* bool */
    FIELD_TEXT,     /* const char*, copied to the scene's arena; not empty */
    FIELD_POINT,    /* lim_point, three numbers */
    FIELD_VECTOR,   /* lim_vec3, three numbers */
    FIELD_COUNTS,   /* int32_t[3] */
    FIELD_ROTATION, /* lim_quat: {"axis", "degrees"} or [x, y, z, w] */
    FIELD_WORD,     /* an enum (int), one of `words` */
    FIELD_OTHER     /* known, read by the caller */
} field_kind;

typedef struct field_word {
    const char* word;
    int value;
} field_word;

typedef struct field {
    const char* key;
    field_kind kind;
    size_t offset;
    double low, high;        /* of each number */
    const field_word* words; /* ends with a null word */
    uint32_t mask;           /* the variants of the object that have this key; 0: all */
} field;

typedef struct field_reader {
    scene* s;
    const char* file; /* for messages */
    const char* text; /* the whole JSON text, to find the places of keys */
    size_t size;
    lim_io_message* message;
} field_reader;

/* Reads every member of an object; `what` names it in messages ("body \"a\""). Only fields of the
 * given variant are known (variant 0: all fields without a mask). */
lim_result fields_read(const field_reader* r, const json_value* object, const char* what,
                       const field* fields, int32_t count, uint32_t variant, void* out);
/* Fails with "what: key is missing" when the object has no such member. */
lim_result field_require(const field_reader* r, const json_value* object, const char* what,
                         const char* key);
lim_result field_word_read(const field_reader* r, const json_value* value, const char* what,
                           const char* key, const field_word* words, int* out);

/* "file:line:column: text" into the message. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
lim_result
field_fail(const field_reader* r, const json_value* at, lim_result result, const char* format, ...);

/* The word nearest to `wrong` by changed, added, dropped or swapped letters, or null when none is
 * near enough to be meant. next(user, i) gives the i-th candidate, null after the last. */
const char* nearest_word(const char* wrong, const char* (*next)(const void* user, int32_t i),
                         const void* user);

#endif

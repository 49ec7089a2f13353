/* SPDX-License-Identifier: MIT
 * JSON out: objects and arrays are opened and closed in turn, commas and quotes are put right here.
 * Names are constants of ours; texts are escaped; a number that is not finite becomes null.
 */
#ifndef LIMBER_EMIT_H
#define LIMBER_EMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct emit {
    FILE* file;
    int32_t depth;
    bool filled[16]; /* per depth: something stands before */
} emit;

emit emit_begin(FILE* file);
/* A null name: an element of an array, or the outermost value. */
void emit_object(emit* e, const char* name);
void emit_array(emit* e, const char* name);
void emit_close_object(emit* e);
void emit_close_array(emit* e);
void emit_text(emit* e, const char* name, const char* text);
void emit_number(emit* e, const char* name, double value);
void emit_count(emit* e, const char* name, int64_t value);
void emit_flag(emit* e, const char* name, bool value);
/* 16 hexadecimal digits, as a text: 64 bits do not fit a number of JSON. */
void emit_hash(emit* e, const char* name, uint64_t value);
/* A line end after the outermost value; false when the stream has failed. */
bool emit_end(emit* e);

#endif

/* SPDX-License-Identifier: MIT
 * Job: write JSON. In: values in the order of the document. Out: indented text on a stream.
 */
#include "cli/emit.h"

#include <math.h>

emit emit_begin(FILE* file) {
    return (emit){.file = file};
}

static void put_text(FILE* file, const char* text) {
    fputc('"', file);
    for (const unsigned char* c = (const unsigned char*)text; *c != '\0'; ++c) {
        if (*c == '"' || *c == '\\') {
            fprintf(file, "\\%c", *c);
        } else if (*c < 0x20) {
            fprintf(file, "\\u%04x", *c);
        } else {
            fputc(*c, file);
        }
    }
    fputc('"', file);
}

static void new_line(emit* e) {
    fprintf(e->file, "\n%*s", e->depth * 2, "");
}

/* Comma, line end, indentation and name of the next value. */
static void place(emit* e, const char* name) {
    if (e->depth > 0) {
        if (e->filled[e->depth]) {
            fputc(',', e->file);
        }
        e->filled[e->depth] = true;
        new_line(e);
    }
    if (name != NULL) {
        put_text(e->file, name);
        fputs(": ", e->file);
    }
}

static void open_value(emit* e, const char* name, char bracket) {
    place(e, name);
    fputc(bracket, e->file);
    if (e->depth + 1 < (int32_t)(sizeof e->filled / sizeof e->filled[0])) {
        e->depth++;
    }
    e->filled[e->depth] = false;
}

static void close_value(emit* e, char bracket) {
    bool filled = e->filled[e->depth];
    e->depth--;
    if (filled) {
        new_line(e);
    }
    fputc(bracket, e->file);
}

void emit_object(emit* e, const char* name) {
    open_value(e, name, '{');
}

void emit_array(emit* e, const char* name) {
    open_value(e, name, '[');
}

void emit_close_object(emit* e) {
    close_value(e, '}');
}

void emit_close_array(emit* e) {
    close_value(e, ']');
}

void emit_text(emit* e, const char* name, const char* text) {
    place(e, name);
    put_text(e->file, text);
}

void emit_number(emit* e, const char* name, double value) {
    place(e, name);
    if (isfinite(value)) {
        fprintf(e->file, "%.9g", value);
    } else {
        fputs("null", e->file);
    }
}

void emit_count(emit* e, const char* name, int64_t value) {
    place(e, name);
    fprintf(e->file, "%lld", (long long)value);
}

void emit_flag(emit* e, const char* name, bool value) {
    place(e, name);
    fputs(value ? "true" : "false", e->file);
}

void emit_hash(emit* e, const char* name, uint64_t value) {
    place(e, name);
    fprintf(e->file, "\"%016llx\"", (unsigned long long)value);
}

bool emit_end(emit* e) {
    fputc('\n', e->file);
    return fflush(e->file) == 0 && ferror(e->file) == 0;
}

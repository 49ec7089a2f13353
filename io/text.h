/* SPDX-License-Identifier: MIT
 * A place in text made of words: moves over blanks, counts lines (LF, CRLF or CR alone), and scans
 * whole words and numbers. Used by the formats whose lines do not matter much.
 */
#ifndef LIMBER_IO_TEXT_H
#define LIMBER_IO_TEXT_H

#include "io/number.h"

#include <stddef.h>

typedef struct text_place {
    const char* at;
    const char* end;
    int32_t line; /* from 1 */
    char comment; /* this sign starts a comment up to the line end; 0: none does */
} text_place;

static inline bool text_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/* Moves over one character and counts it when it ends a line. */
static inline void text_step(text_place* p) {
    char c = *p->at++;
    if (c == '\n' || (c == '\r' && (p->at == p->end || *p->at != '\n'))) {
        p->line += p->line < INT32_MAX;
    }
}

static inline bool text_at_line_end(const text_place* p) {
    return p->at == p->end || *p->at == '\n' || *p->at == '\r';
}

/* To the next character that is neither blank nor comment. */
static inline void text_skip_blanks(text_place* p) {
    while (p->at < p->end) {
        if (text_is_blank(*p->at)) {
            text_step(p);
        } else if (p->comment != '\0' && *p->at == p->comment) {
            while (!text_at_line_end(p)) {
                p->at++;
            }
        } else {
            return;
        }
    }
}

/* The same, but not over the end of the line. True when something stands there. */
static inline bool text_skip_blanks_in_line(text_place* p) {
    while (!text_at_line_end(p) && text_is_blank(*p->at)) {
        p->at++;
    }
    return !text_at_line_end(p) && !(p->comment != '\0' && *p->at == p->comment);
}

/* To the start of the next line. */
static inline void text_skip_line(text_place* p) {
    while (!text_at_line_end(p)) {
        p->at++;
    }
    if (p->at < p->end && *p->at == '\r' && p->at + 1 < p->end && p->at[1] == '\n') {
        p->at++;
    }
    if (p->at < p->end) {
        text_step(p);
    }
}

static inline bool text_ends_word(const text_place* p) {
    return p->at == p->end || text_is_blank(*p->at) || (p->comment != '\0' && *p->at == p->comment);
}

/* The next word: its start and length; length 0 at the end of the text. */
static inline size_t text_word(text_place* p, const char** out_word) {
    text_skip_blanks(p);
    *out_word = p->at;
    while (!text_ends_word(p)) {
        p->at++;
    }
    return (size_t)(p->at - *out_word);
}

/* The next word as a number; false (and the place stays at the word) when it is none. */
static inline bool text_real(text_place* p, double* out) {
    text_skip_blanks(p);
    const char* start = p->at;
    if (number_scan_real(&p->at, p->end, out) && text_ends_word(p)) {
        return true;
    }
    p->at = start;
    return false;
}

static inline bool text_whole(text_place* p, int64_t* out) {
    text_skip_blanks(p);
    const char* start = p->at;
    if (number_scan_whole(&p->at, p->end, out) && text_ends_word(p)) {
        return true;
    }
    p->at = start;
    return false;
}

/* Is the word of this length the given one (in lower case), without regard to case? */
static inline bool text_same(const char* word, size_t length, const char* lower) {
    for (size_t i = 0; i < length; ++i, ++lower) {
        char c = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
        if (*lower == '\0' || c != *lower) {
            return false;
        }
    }
    return *lower == '\0';
}

/* The end of a text without the zero bytes, and the blanks among them, that stand behind it. */
static inline const char* text_without_zeros(const char* text, const char* end) {
    const char* found = end;
    while (end > text && (end[-1] == '\0' || text_is_blank(end[-1]))) {
        end--;
        found = *end == '\0' ? end : found;
    }
    return found;
}

/* For messages: how much of a word to print. */
static inline int text_shown(size_t length) {
    return length < 40 ? (int)length : 40;
}

#endif

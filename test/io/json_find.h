/* SPDX-License-Identifier: MIT
 * A reader of JSON by path, for checking what the writers write: json_find(text, "meshes/0/name")
 * points at the value, or is null. Knows nothing of the writers.
 */
#ifndef LIMBER_TEST_JSON_FIND_H
#define LIMBER_TEST_JSON_FIND_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline const char* json_space(const char* at) {
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') {
        at++;
    }
    return at;
}

/* Behind the value at `at`; null when it is not JSON. */
static inline const char* json_skip(const char* at) {
    at = json_space(at);
    if (*at == '"') {
        for (at++; *at != '"'; ++at) {
            if (*at == '\0') {
                return NULL;
            }
            at += *at == '\\';
        }
        return at + 1;
    }
    if (*at == '{' || *at == '[') {
        const char end = *at == '{' ? '}' : ']';
        const bool is_object = *at == '{';
        at = json_space(at + 1);
        while (*at != end) {
            if (is_object) {
                at = *at == '"' ? json_skip(at) : NULL;
                at = at != NULL ? json_space(at) : NULL;
                if (at == NULL || *at++ != ':') {
                    return NULL;
                }
            }
            at = json_skip(at);
            if (at == NULL) {
                return NULL;
            }
            at = json_space(at);
            if (*at == ',') {
                at = json_space(at + 1);
                if (*at == end) {
                    return NULL;
                }
            } else if (*at != end) {
                return NULL;
            }
        }
        return at + 1;
    }
    if (strncmp(at, "true", 4) == 0 || strncmp(at, "null", 4) == 0) {
        return at + 4;
    }
    if (strncmp(at, "false", 5) == 0) {
        return at + 5;
    }
    size_t length = strspn(at, "-+.eE0123456789");
    return length > 0 ? at + length : NULL;
}

static inline const char* json_find(const char* at, const char* path) {
    while (at != NULL && *path != '\0') {
        size_t length = strcspn(path, "/");
        at = json_space(at);
        bool is_object = *at == '{';
        if (!is_object && *at != '[') {
            return NULL;
        }
        long index = strtol(path, NULL, 10);
        at = json_space(at + 1);
        const char* found = NULL;
        for (long i = 0; *at != '}' && *at != ']'; ++i) {
            bool here = !is_object && i == index;
            if (is_object) {
                here = strncmp(at + 1, path, length) == 0 && at[length + 1] == '"';
                at = json_space(json_skip(at)) + 1;
            }
            if (here) {
                found = json_space(at);
                break;
            }
            at = json_space(json_skip(at));
            at = *at == ',' ? json_space(at + 1) : at;
        }
        at = found;
        path += length;
        path += *path == '/';
    }
    return at;
}

static inline double json_number(const char* text, const char* path, double missing) {
    const char* at = json_find(text, path);
    return at != NULL ? strtod(at, NULL) : missing;
}

static inline int json_count(const char* text, const char* path) {
    const char* at = json_find(text, path);
    int count = 0;
    if (at == NULL || *at != '[') {
        return -1;
    }
    at = json_space(at + 1);
    while (*at != ']') {
        at = json_space(json_skip(at));
        at = *at == ',' ? json_space(at + 1) : at;
        count++;
    }
    return count;
}

#endif

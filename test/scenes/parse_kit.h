/* SPDX-License-Identifier: MIT
 * What tests of the scene format begin with.
 */
#ifndef LIMBER_PARSE_KIT_H
#define LIMBER_PARSE_KIT_H

#include "scene.h"
#include "test.h"

static inline lim_result parse(const char* text, scene** out, lim_io_message* message) {
    memset(message, 0, sizeof(*message));
    return scene_parse(text, strlen(text), "t.json", "some/folder", NULL, out, message);
}

/* A scene that is refused with exactly this message. */
static inline void refuse(const char* text, lim_result result, const char* wanted) {
    scene* s = NULL;
    lim_io_message message;
    lim_result got = parse(text, &s, &message);
    CHECK(got == result);
    CHECK(s == NULL);
    CHECK(strcmp(message.text, wanted) == 0);
    if (strcmp(message.text, wanted) != 0) {
        printf("    said:   %s\n    wanted: %s\n", message.text, wanted);
    }
    scene_destroy(s);
}

#define HEAD "{\"limber\": 1, \"bodies\": [{\"name\": \"a\", \"model\": \"duck\""

#endif

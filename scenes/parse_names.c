/* SPDX-License-Identifier: MIT
 * Job: the names of entries in a scene file. In: entries, and those read before them. Out: titles
 * for messages, what a name means; or a message that says what was probably meant.
 */
#include "parse_sections.h"

#include <stdio.h>
#include <string.h>

void entry_title(char out[160], const char* kind, const json_value* entry, int32_t index) {
    const char* name = json_string(json_member(entry, "name"), NULL);
    if (name != NULL) {
        snprintf(out, 160, "%s \"%.*s\"", kind, NAME_SHOWN, name);
    } else {
        snprintf(out, 160, "%s %d", kind, index + 1);
    }
}

lim_result entry_name(const field_reader* r, const json_value* entry, const char* kind,
                      int32_t index, const char** name) {
    if (*name == NULL) {
        char text[40];
        snprintf(text, sizeof(text), "%s %d", kind, index + 1);
        bool ok = true;
        *name = scene_text(r->s, text, &ok);
        if (!ok) {
            return field_fail(r, entry, LIM_ERROR_MEMORY, "out of memory");
        }
    }
    return LIM_OK;
}

lim_result entry_name_is_new(const field_reader* r, const json_value* list, int32_t index,
                             const char* what) {
    const json_value* name = json_member(json_item(list, index), "name");
    for (int32_t i = 0; json_is(name, JSON_STRING) && i < index; ++i) {
        const json_value* other = json_member(json_item(list, i), "name");
        if (json_is(other, JSON_STRING) && json_string_is(other, name->string)) {
            return field_fail(r, name, LIM_ERROR_FORMAT,
                              "the name of %s is taken by line %d; give each its own", what,
                              other->line);
        }
    }
    return LIM_OK;
}

lim_result entry_only_one(const field_reader* r, const json_value* entry, const char* what,
                          const char* a, const char* b) {
    const json_value* second = json_member(entry, b);
    return json_member(entry, a) != NULL && second != NULL
               ? field_fail(r, second, LIM_ERROR_FORMAT, "%s has both \"%s\" and \"%s\"; keep one",
                            what, a, b)
               : LIM_OK;
}

typedef struct name_list {
    const scene_desc* d;
    named kind;
} name_list;

static const char* next_name(const void* user, int32_t i) {
    const name_list* n = user;
    if (n->kind == NAMED_BODY) {
        return i < n->d->body_count ? n->d->bodies[i].name : NULL;
    }
    if (n->kind == NAMED_COLLIDER) {
        return i < n->d->collider_count ? n->d->colliders[i].name : NULL;
    }
    return i < n->d->pin_count ? n->d->pins[i].name : NULL;
}

/* "name.3" as the third copy of body "name": its number from 0, or -1. */
static int32_t copy_number(const char* text, const scene_body* b) {
    size_t length = strlen(b->name);
    if (strncmp(text, b->name, length) != 0 || text[length] != '.') {
        return -1;
    }
    int64_t number = 0;
    const char* digit = text + length + 1;
    for (; *digit >= '0' && *digit <= '9' && number <= SCENE_BODY_LIMIT; ++digit) {
        number = number * 10 + (*digit - '0');
    }
    int64_t copies = (int64_t)b->copies[0] * b->copies[1] * b->copies[2];
    return *digit == '\0' && number >= 1 && number <= copies ? (int32_t)number - 1 : -1;
}

lim_result named_find(const field_reader* r, const json_value* entry, const char* what,
                      const char* key, named kind, int32_t* out_index, int32_t* out_copy) {
    LIM_TRY(field_require(r, entry, what, key));
    const json_value* name = json_member(entry, key);
    if (!json_is(name, JSON_STRING)) {
        return field_fail(r, name, LIM_ERROR_FORMAT, "\"%s\" in %s must be a name, not %s", key,
                          what, json_kind_name(name->kind));
    }
    name_list names = {&r->s->desc, kind};
    for (int32_t i = 0; next_name(&names, i) != NULL; ++i) {
        if (strcmp(next_name(&names, i), name->string) == 0) {
            *out_index = i;
            return LIM_OK;
        }
    }
    for (int32_t i = 0; kind == NAMED_BODY && i < r->s->desc.body_count; ++i) {
        int32_t copy = copy_number(name->string, &r->s->desc.bodies[i]);
        if (copy >= 0) {
            *out_index = i;
            *out_copy = copy;
            return LIM_OK;
        }
    }
    const char* meant = nearest_word(name->string, next_name, &names);
    return meant != NULL
               ? field_fail(r, name, LIM_ERROR_FORMAT,
                            "%s names the %s \"%.*s\", which is not there; did you mean \"%.*s\"?",
                            what, key, 60, name->string, 60, meant)
               : field_fail(r, name, LIM_ERROR_FORMAT,
                            "%s names the %s \"%.*s\", which is not there", what, key, 60,
                            name->string);
}

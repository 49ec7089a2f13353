/* SPDX-License-Identifier: MIT
 * Job: any bytes as JSON. Whatever is read is walked through: every value has a place in the text
 * and lists hold what they count.
 */
#include "fuzz.h"

#include "io/json.h"

#include <string.h>

static bool is_sound(const json_value* value, size_t size) {
    bool sound = value->line >= 1 && value->column >= 1 && (size_t)value->column <= size;
    sound = sound && (value->kind != JSON_STRING || value->string[value->count] == '\0');
    for (int32_t i = 0; i < json_count(value) && sound; ++i) {
        const json_value* item = json_item(value, i);
        sound = (item->key != NULL) == (value->kind == JSON_OBJECT) && is_sound(item, size);
        sound = sound && (item->key == NULL || json_member(value, item->key) == item);
    }
    return sound;
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    arena memory;
    json_value root;
    json_error error;
    arena_init(&memory, NULL);
    lim_result result = json_parse(&memory, (const char*)bytes, size, &root, &error);
    bool sound = result == LIM_OK ? is_sound(&root, size)
                                  : error.line >= 1 && error.column >= 1 && error.text != NULL;
    arena_release(&memory);
    if (!sound) {
        __builtin_trap();
    }
    return 0;
}

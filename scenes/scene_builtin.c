/* SPDX-License-Identifier: MIT
 *
 * The built-in scenes by name: the JSON files of this folder, put into the program when it is
 * built.
 */
#include "scene.h"
#include "scene_table.h"

#include <string.h>

int32_t scene_list(scene_entry* out, int32_t capacity) {
    for (int32_t i = 0; out != NULL && i < capacity && i < SCENE_TABLE_COUNT; ++i) {
        out[i] = SCENE_TABLE[i];
    }
    return SCENE_TABLE_COUNT;
}

const scene_entry* scene_find(const char* name) {
    for (int32_t i = 0; name != NULL && i < SCENE_TABLE_COUNT; ++i) {
        if (strcmp(SCENE_TABLE[i].name, name) == 0) {
            return &SCENE_TABLE[i];
        }
    }
    return NULL;
}

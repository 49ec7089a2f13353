/* SPDX-License-Identifier: MIT
 * Job: any bytes as a scene. Whatever is read has bodies, names and targets that exist, and numbers
 * that are finite; whatever is refused has a message.
 */
#include "fuzz.h"

#include "scene.h"

#include <math.h>
#include <string.h>

static bool is_sound(const scene_desc* d) {
    bool sound = d->body_count >= 1 && d->duration > 0.0 && d->dt > 0.0 && d->name != NULL;
    for (int32_t i = 0; i < d->body_count; ++i) {
        const scene_body* b = &d->bodies[i];
        sound = sound && b->name != NULL && (b->model == NULL) != (b->mesh_file == NULL) &&
                isfinite(b->position.x) && b->nodes >= 1 && b->copies[0] >= 1 && b->line >= 1;
    }
    for (int32_t i = 0; i < d->pin_count; ++i) {
        sound = sound && d->pins[i].body >= 0 && d->pins[i].body < d->body_count;
    }
    for (int32_t i = 0; i < d->action_count; ++i) {
        const scene_action* a = &d->actions[i];
        sound = sound && a->at >= 0.0 && a->move_time >= 0.0 && a->target < 10000;
    }
    return sound;
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    scene* s = NULL;
    lim_io_message message = {{0}};
    lim_result result =
        scene_parse((const char*)bytes, size, "fuzz.json", "folder", NULL, &s, &message);
    bool kept = (result == LIM_OK) == (s != NULL) && (result == LIM_OK || message.text[0] != '\0');
    if (s != NULL) {
        const scene_desc* d = scene_get_desc(s);
        kept = kept && is_sound(d);
        /* what the parser lets through, the check of descriptions made in C lets through as well */
        scene* copy = NULL;
        kept = kept && scene_create(d, NULL, &copy, &message) == LIM_OK;
        scene_destroy(copy);
    }
    scene_destroy(s);
    if (!kept) {
        __builtin_trap();
    }
    return 0;
}

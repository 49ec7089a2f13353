/* SPDX-License-Identifier: MIT
 * Job: going back within a run. In: a run. Out: its state in memory (the world's snapshot, and how
 * far each action, pin and stroke has come), and the run put back into it.
 */
#include "scene_run_inside.h"

#include <string.h>

struct scene_snapshot {
    lim_host host;
    arena mem;
    const scene_run* of;
    lim_snapshot* world;
    run_pin* pin;
    run_action* action;
    lim_grab* grab;
    run_stroke* stroke;
    int32_t pin_count, action_count, grab_count, stroke_count, edit_count, body_count;
    lim_wind wind;
    int64_t steps;
};

/* A copy in the arena; null when memory is out. */
static void* kept(arena* a, const void* from, int32_t count, size_t size) {
    void* to = arena_room(a, (size_t)count, size);
    if (to != NULL && count > 0) {
        memcpy(to, from, (size_t)count * size);
    }
    return to;
}

lim_result scene_snapshot_create(const scene_run* run, scene_snapshot** out_snapshot) {
    if (run == NULL || out_snapshot == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    *out_snapshot = NULL;
    scene_snapshot* s = mem_alloc(&run->host, 1, sizeof *s);
    LIM_TRY_MEMORY(s);
    const scene_desc* d = &run->source->desc;
    *s = (scene_snapshot){.host = run->hooks.own,
                          .of = run,
                          .pin_count = d->pin_count,
                          .action_count = d->action_count,
                          .grab_count = run->grab_count,
                          .stroke_count = run->strokes.count,
                          .edit_count = run->edits.count,
                          .body_count = run->body_count,
                          .wind = run->wind,
                          .steps = run->steps};
    arena_init(&s->mem, &s->host);
    s->pin = kept(&s->mem, run->pin, s->pin_count, sizeof *s->pin);
    s->action = kept(&s->mem, run->action, s->action_count, sizeof *s->action);
    s->grab = kept(&s->mem, run->grab, s->grab_count, sizeof *s->grab);
    s->stroke = kept(&s->mem, run->strokes.data, s->stroke_count, sizeof *s->stroke);
    lim_result result = s->pin != NULL && s->action != NULL && s->grab != NULL && s->stroke != NULL
                            ? lim_snapshot_create(run->world, &s->world)
                            : LIM_ERROR_MEMORY;
    if (result != LIM_OK) {
        scene_snapshot_destroy(s);
        return result;
    }
    *out_snapshot = s;
    return LIM_OK;
}

static void put_back(void* to, const void* from, int32_t count, size_t size) {
    if (count > 0) {
        memcpy(to, from, (size_t)count * size);
    }
}

lim_result scene_snapshot_restore(scene_run* run, const scene_snapshot* s) {
    if (run == NULL || s == NULL || s->of != run) {
        return LIM_ERROR_ARGUMENT;
    }
    if (!ARRAY_RESERVE(&run->host, &run->strokes, s->stroke_count)) {
        return LIM_ERROR_MEMORY;
    }
    LIM_TRY(lim_snapshot_restore(run->world, s->world));
    put_back(run->pin, s->pin, s->pin_count, sizeof *s->pin);
    put_back(run->action, s->action, s->action_count, sizeof *s->action);
    put_back(run->grab, s->grab, s->grab_count, sizeof *s->grab);
    put_back(run->strokes.data, s->stroke, s->stroke_count, sizeof *s->stroke);
    run->strokes.count = s->stroke_count;
    run->edits.count = s->edit_count;
    run->body_count = s->body_count; /* entries of bodies and of edits never change */
    run->wind = s->wind;
    run->steps = s->steps;
    return LIM_OK;
}

void scene_snapshot_destroy(scene_snapshot* s) {
    if (s == NULL) {
        return;
    }
    lim_snapshot_destroy(s->world);
    arena_release(&s->mem);
    lim_host host = s->host;
    mem_free(&host, s, 1, sizeof *s);
}

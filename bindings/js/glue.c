/* SPDX-License-Identifier: MIT
 * Job: the hooks of a host that is JavaScript. In: four functions that the module imports from
 * "limber". Out: the host that every object of the package is made with, and descriptors whose
 * callbacks lead back to JavaScript.
 */
#include "scenes/scene.h"

#define IMPORT(name) __attribute__((import_module("limber"), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name)))

IMPORT("log") void js_log(int32_t level, const char* text);
IMPORT("now") double js_now(void);
IMPORT("progress") bool js_progress(float done, const char* stage);
IMPORT("wish") float js_wish(bool width, double x, double y, double z, float edge);
IMPORT("mesh") lim_mesh* js_mesh(const char* path);

const lim_host* js_host(void);
void js_model_hooks(lim_model_desc* desc, bool progress, bool size_at, bool width_at);
void js_scene_hooks(scene_options* options);

static void log_hook(void* user, lim_log_level level, const char* text) {
    (void)user;
    js_log((int32_t)level, text);
}

static double now_hook(void* user) {
    (void)user;
    return js_now();
}

static bool progress_hook(void* user, float done, const char* stage) {
    (void)user;
    return js_progress(done, stage);
}

static float size_hook(void* user, lim_point at, float edge) {
    (void)user;
    return js_wish(false, at.x, at.y, at.z, edge);
}

static float width_hook(void* user, lim_point at, float edge) {
    (void)user;
    return js_wish(true, at.x, at.y, at.z, edge);
}

static lim_result read_hook(void* user, const char* path, const lim_host* host, lim_mesh** out_mesh,
                            lim_io_message* out_message) {
    (void)user, (void)host, (void)out_message;
    *out_mesh = js_mesh(path);
    return *out_mesh != NULL ? LIM_OK : LIM_ERROR_FILE;
}

EXPORT("js_host") const lim_host* js_host(void) {
    static const lim_host host = {.log = log_hook, .now = now_hook};
    return &host;
}

EXPORT("js_model_hooks")
void js_model_hooks(lim_model_desc* desc, bool progress, bool size_at, bool width_at) {
    desc->progress = progress ? progress_hook : NULL;
    desc->size_at = size_at ? size_hook : NULL;
    desc->width_at = width_at ? width_hook : NULL;
}

EXPORT("js_scene_hooks") void js_scene_hooks(scene_options* options) {
    options->read_mesh = read_hook;
    options->progress = progress_hook;
}

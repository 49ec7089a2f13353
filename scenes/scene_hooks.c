/* SPDX-License-Identifier: MIT
 *
 * Job: hear what the library says while a scene runs. In: the caller's hooks. Out: hooks that do
 * what those do and keep the last error, so that a message about an entry of a scene can tell the
 * cause and the cure.
 */
#include "scene_run_inside.h"

#include <stdio.h>
#include <string.h>

static void* take(void* user, size_t size, size_t align) {
    const run_hooks* h = user;
    return h->own.alloc(h->own.user, size, align);
}

static void give_back(void* user, void* memory, size_t size) {
    const run_hooks* h = user;
    h->own.free(h->own.user, memory, size);
}

static void hear(void* user, lim_log_level level, const char* text) {
    run_hooks* h = user;
    if (level == LIM_LOG_ERROR) {
        snprintf(h->error, sizeof h->error, "%s", text);
    }
    if (h->own.log != NULL) {
        h->own.log(h->own.user, level, text);
    }
}

static void share_out(void* user, int32_t count, void (*task)(void* context, int32_t index),
                      void* context) {
    const run_hooks* h = user;
    h->own.parallel_for(h->own.user, count, task, context);
}

static double look_at_clock(void* user) {
    const run_hooks* h = user;
    return h->own.now(h->own.user);
}

lim_host run_hooks_make(run_hooks* h, const lim_host* own) {
    *h = (run_hooks){.own = *own};
    return (lim_host){.alloc = take,
                      .free = give_back,
                      .log = hear,
                      .parallel_for = own->parallel_for != NULL ? share_out : NULL,
                      .now = own->now != NULL ? look_at_clock : NULL,
                      .user = h};
}

void run_forget(scene_run* run) {
    run->hooks.error[0] = '\0';
}

const char* run_why(const scene_run* run, lim_result result) {
    const char* text = run->hooks.error;
    /* who writes a scene does not know the calls behind it */
    const char* after = strncmp(text, "lim_", 4) == 0 ? strstr(text, ": ") : NULL;
    text = after != NULL ? after + 2 : text;
    return text[0] != '\0' ? text : lim_result_name(result);
}

lim_result run_placed(const scene_run* run, int32_t line, int32_t column, lim_result result,
                      lim_io_message* message) {
    if (result != LIM_OK && message != NULL && run->source->source != NULL && line > 0) {
        lim_io_message text = *message;
        scene_fail(message, result, "%.150s:%d:%d: %.330s", run->source->source, line, column,
                   text.text);
    }
    return result;
}

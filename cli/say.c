/* SPDX-License-Identifier: MIT
 * Job: print messages and progress. In: texts and shares. Out: lines on the error stream.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/say.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };

void say_error(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("limber: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static void take_log(void* user, lim_log_level level, const char* text) {
    say_log* log = user;
    if (level == LIM_LOG_ERROR) {
        /* kept, not printed: the command says it together with the file it was about */
        snprintf(log->last_error, sizeof log->last_error, "%s", text);
    } else if (!log->quiet) {
        fprintf(stderr, "%s%s\n", level == LIM_LOG_WARNING ? "warning: " : "", text);
    }
}

void say_log_init(say_log* log, bool quiet) {
    memset(log, 0, sizeof *log);
    log->quiet = quiet;
    const lim_host hooks = {.log = take_log, .user = log};
    log->host = mem_host(&hooks); /* with the default allocator filled in: our arrays use it too */
}

say_progress say_progress_begin(const char* job, bool quiet) {
    return (say_progress){
        .job = job, .quiet = quiet, .terminal = isatty(STDERR_FILENO) != 0, .shown = -1};
}

void say_progress_at(say_progress* progress, double share) {
    if (progress->quiet || !(share >= 0.0)) {
        return;
    }
    int32_t percent = share >= 1.0 ? 100 : (int32_t)(share * 100.0);
    int32_t now = progress->terminal ? percent : percent / 25;
    if (now <= progress->shown) {
        return;
    }
    progress->shown = now;
    if (!progress->terminal) {
        fprintf(stderr, "%s %d %%\n", progress->job, now * 25);
        return;
    }
    char bar[BAR_WIDTH + 1];
    for (int32_t i = 0; i < BAR_WIDTH; ++i) {
        bar[i] = i * 100 < percent * BAR_WIDTH ? '#' : '.';
    }
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%-14s [%s] %3d %%", progress->job, bar, percent);
    fflush(stderr);
}

void say_progress_end(say_progress* progress, bool whole) {
    if (whole) {
        say_progress_at(progress, 1.0);
    }
    if (!progress->quiet && progress->terminal && progress->shown >= 0) {
        fputc('\n', stderr);
    }
}

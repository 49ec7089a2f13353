/* SPDX-License-Identifier: MIT
 * Job: print messages and progress. In: texts and shares. Out: lines on the error stream.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/say.h"

#include "base/mem.h"
#include "base/timer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 30, LONG_SECONDS = 60, FIRST_SECONDS = 2 };

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
    } else if (level <= log->most) {
        fprintf(stderr, "%s%s\n", level == LIM_LOG_WARNING ? "warning: " : "", text);
    }
}

void say_log_init(say_log* log, lim_log_level most) {
    memset(log, 0, sizeof *log);
    log->most = most;
    const lim_host hooks = {.log = take_log, .user = log};
    log->host = mem_host(&hooks); /* with the default allocator filled in: our arrays use it too */
}

double say_time_left(double elapsed, double share) {
    /* the first steps of a run say little: they touch memory for the first time */
    if (!(elapsed >= FIRST_SECONDS) || !(share > 0.0) || !(elapsed / share > LONG_SECONDS)) {
        return 0.0;
    }
    return elapsed / share - elapsed;
}

void say_time(double seconds, char* out, size_t room) {
    if (seconds < 99.5) {
        snprintf(out, room, "%.0f s", ceil(seconds));
    } else if (seconds < 99.5 * 60.0) {
        snprintf(out, room, "%.0f min", ceil(seconds / 60.0));
    } else {
        snprintf(out, room, "%.1f h", ceil(seconds / 360.0) / 10.0);
    }
}

say_progress say_progress_begin(const char* job, say_pace pace, bool quiet) {
    double now = timer_now(NULL);
    return (say_progress){.job = job,
                          .pace = pace,
                          .quiet = quiet,
                          .terminal = isatty(STDERR_FILENO) != 0,
                          .shown = -1,
                          .began = now,
                          .at = now};
}

/* ", about 3 min left", or nothing */
static void time_left(const say_progress* progress, double seconds, char* out, size_t room) {
    char text[32];
    out[0] = '\0';
    if (seconds > 0.0) {
        say_time(seconds, text, sizeof text);
        snprintf(out, room, ", %s %s left",
                 progress->pace == SAY_PACE_AT_MOST ? "at most" : "about", text);
    }
}

static void show_bar(const say_progress* progress, int32_t percent, const char* left) {
    char bar[BAR_WIDTH + 1];
    for (int32_t i = 0; i < BAR_WIDTH; ++i) {
        bar[i] = i * 100 < percent * BAR_WIDTH ? '#' : '.';
    }
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%-14s [%s] %3d %%%-24s", progress->job, bar, percent, left);
    fflush(stderr);
}

void say_progress_at(say_progress* progress, double share) {
    if (progress->quiet || !(share >= 0.0)) {
        return;
    }
    double now = timer_now(NULL);
    double seconds = progress->pace != SAY_PACE_UNKNOWN && share < 1.0
                         ? say_time_left(now - progress->began, share)
                         : 0.0;
    if (seconds > 0.0 && !progress->long_told && !progress->terminal) {
        char text[32];
        say_time(seconds + now - progress->began, text, sizeof text);
        fprintf(stderr, "%s takes %s %s\n", progress->job,
                progress->pace == SAY_PACE_AT_MOST ? "at most" : "about", text);
        progress->long_told = true;
    }
    int32_t percent = share >= 1.0 ? 100 : (int32_t)(share * 100.0);
    int32_t to_show = progress->terminal ? percent : percent / 25;
    bool again = progress->terminal && seconds > 0.0 && now - progress->at >= 1.0;
    if (to_show <= progress->shown && !again) {
        return;
    }
    progress->shown = to_show;
    progress->at = now;
    char left[48];
    time_left(progress, seconds, left, sizeof left);
    if (progress->terminal) {
        show_bar(progress, percent, left);
    } else {
        fprintf(stderr, "%s %d %%%s\n", progress->job, to_show * 25, left);
    }
}

void say_progress_end(say_progress* progress, bool whole) {
    if (whole) {
        say_progress_at(progress, 1.0);
    }
    if (!progress->quiet && progress->terminal && progress->shown >= 0) {
        fputc('\n', stderr);
    }
}

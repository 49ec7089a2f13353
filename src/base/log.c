/* SPDX-License-Identifier: MIT
 * Job: text to the log hook. In: a format. Out: one line of at most 511 characters.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static void say(const lim_host* host, lim_log_level level, const char* format, va_list arguments) {
    if (host == NULL || host->log == NULL) {
        return;
    }
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    host->log(host->user, level, text);
}

void log_say(const lim_host* host, lim_log_level level, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(host, level, format, arguments);
    va_end(arguments);
}

lim_result log_fail(const lim_host* host, lim_result result, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(host, LIM_LOG_ERROR, format, arguments);
    va_end(arguments);
    return result;
}

/* SPDX-License-Identifier: MIT
 * One line of text to the host's log hook; nothing when there is none.
 */
#ifndef LIMBER_LOG_H
#define LIMBER_LOG_H

#include "base/result.h"

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void log_say(const lim_host* host, lim_log_level level, const char* format, ...);

/* Logs an error and gives back the result, for `return log_fail(host, LIM_ERROR_X, "why; cure")`.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
lim_result
log_fail(const lim_host* host, lim_result result, const char* format, ...);

#endif

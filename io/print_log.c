/* SPDX-License-Identifier: MIT
 * Job: a log hook for programs that have none of their own. In: the library's texts. Out: lines on
 * the error stream.
 */
#include <limber/io.h>
#include <stdio.h>

void lim_io_log(void* user, lim_log_level level, const char* text) {
    (void)user;
    const char* what = level == LIM_LOG_ERROR     ? "error: "
                       : level == LIM_LOG_WARNING ? "warning: "
                                                  : "";
    fprintf(stderr, "limber: %s%s\n", what, text);
}

/* SPDX-License-Identifier: MIT
 * What the tool says: errors, notes, and how far it is. Everything here goes to the error stream,
 * so that the output stream holds results alone.
 */
#ifndef LIMBER_SAY_H
#define LIMBER_SAY_H

#include <limber/base.h>

/* Exit codes. EXIT_FROZEN: the results are there, but a body became non-finite and was frozen. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_FROZEN = 3 };

#if defined(__GNUC__)
#define SAY_FORMAT __attribute__((format(printf, 1, 2)))
#else
#define SAY_FORMAT
#endif

/* "limber: ..." */
SAY_FORMAT void say_error(const char* format, ...);

/* The last error text that the library gave to the log hook of this host, for messages. */
typedef struct say_log {
    lim_host host; /* pass this to the library; its user is the say_log, which must not move */
    bool quiet;    /* warnings and notes are not printed */
    char last_error[512];
} say_log;
void say_log_init(say_log* log, bool quiet);

/* How far a long job is: a bar on a terminal, a line per quarter otherwise, nothing when quiet. */
typedef struct say_progress {
    const char* job;
    bool quiet, terminal;
    int32_t shown; /* what was last shown: percent on a terminal, quarters otherwise */
} say_progress;
say_progress say_progress_begin(const char* job, bool quiet);
void say_progress_at(say_progress* progress, double share);
/* Ends the bar's line; `whole` shows it full first. */
void say_progress_end(say_progress* progress, bool whole);

#endif

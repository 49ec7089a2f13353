/* SPDX-License-Identifier: MIT
 * What the tool says: errors, notes, and how far it is. Everything here goes to the error stream,
 * so that the output stream holds results alone.
 */
#ifndef LIMBER_SAY_H
#define LIMBER_SAY_H

#include <limber/base.h>

/* Exit codes. EXIT_FROZEN: the results are there, but a body became non-finite and was frozen. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_FROZEN = 3, EXIT_INTERRUPTED = 130 };

#if defined(__GNUC__)
#define SAY_FORMAT __attribute__((format(printf, 1, 2)))
#else
#define SAY_FORMAT
#endif

/* "limber: ..." */
SAY_FORMAT void say_error(const char* format, ...);

/* The last error text that the library gave to the log hook of this host, for messages. */
typedef struct say_log {
    lim_host host;      /* pass this to the library; its user is the say_log, which must not move */
    lim_log_level most; /* what says less than this is not printed; errors never are, see above */
    char last_error[512];
} say_log;
/* LIM_LOG_INFO: notes and warnings are printed, LIM_LOG_WARNING: warnings alone, LIM_LOG_ERROR:
 * nothing (a bench, whose bodies are odd on purpose). */
void say_log_init(say_log* log, lim_log_level most);

/* What the time that a job has taken says of the time that it will. */
typedef enum say_pace {
    SAY_PACE_UNKNOWN, /* nothing */
    SAY_PACE_EVEN,    /* all shares take about the same time */
    SAY_PACE_AT_MOST  /* likewise, but the job may end before the last share */
} say_pace;

/* How far a long job is: a bar on a terminal, a line per quarter otherwise, nothing when quiet. Of
 * a job that takes more than a minute in all the time that is left is told with it, on a terminal
 * every second; otherwise a line tells the whole time as soon as it can be estimated. */
typedef struct say_progress {
    const char* job;
    bool quiet, terminal;
    say_pace pace;
    int32_t shown;    /* what was last shown: percent on a terminal, quarters otherwise */
    double began, at; /* seconds: the job, and what was last shown */
    bool long_told;   /* the whole time was told */
} say_progress;
say_progress say_progress_begin(const char* job, say_pace pace, bool quiet);
void say_progress_at(say_progress* progress, double share);
/* Seconds that are left after `elapsed` of them brought a job to `share`; 0 while that says
 * nothing, or when the job takes at most a minute in all. */
double say_time_left(double elapsed, double share);
/* "50 s", "3 min" or "2.5 h", upwards. */
void say_time(double seconds, char* out, size_t room);
/* Ends the bar's line; `whole` shows it full first. */
void say_progress_end(say_progress* progress, bool whole);

#endif

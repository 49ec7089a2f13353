/* SPDX-License-Identifier: MIT
 * What came out of a run, as a table for people and as JSON for programs.
 */
#ifndef LIMBER_RUN_REPORT_H
#define LIMBER_RUN_REPORT_H

#include "cli/draw.h"
#include "cli/emit.h"
#include "cli/measure.h"
#include "cli/subject.h"

typedef struct run_report {
    const char* name;
    const scene_run* run;
    const film* recorded; /* first and last frame at least */
    const subject* about; /* its mesh, if it has one */
    const measure* times; /* one entry per step */
    const lim_host* host;
    draw_sheet_report sheet; /* count 0: no contact sheet was drawn */
    double peak_strain;
    double lowest; /* of the skins under way, metres above the ground */
    int32_t workers, restored;
    bool interrupted;    /* ended early by Ctrl-C */
    double wall_seconds; /* from the first step to the last */
} run_report;

/* The exit code of a run that came to its end: EXIT_FROZEN, after a message, when a body became
 * non-finite on the way. */
int run_report_code(const run_report* report);

void run_report_json(const run_report* report, FILE* file);
void run_report_table(const run_report* report, FILE* file);

/* The report of a mesh as an object called `name`. */
void run_report_mesh(emit* e, const char* name, const lim_mesh_report* mesh);

/* rms distance between two states of the same points after the best rigid motion, over the
 * diagonal of the bounds of the first. */
double run_report_shape(const float* before, const float* after, int64_t count);

#endif

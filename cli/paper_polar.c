/* SPDX-License-Identifier: MIT
 * Job: 001.polar. In: nothing. Out: rows about the rotation of a region, on made-up matrices (the
 * kernel alone) and on those of a bar that is twisted and let go.
 */
#include "cli/paper_lattice.h"

#include "bench/polar_record.h"
#include "cli/bench.h"

#include <math.h>

static lim_result made_up(const lim_host* host, paper_rows* rows) {
    bench_rotation_result r[ISA_COUNT];
    int32_t count = 0;
    lim_result result = bench_rotation(BENCH_ROTATION_STEPS, host, r, &count);
    for (int32_t i = 0; result == LIM_OK && i < count; ++i) {
        if (r[i].set == isa_best()) {
            paper_rows_add(rows, "rotation from a warm start", 450.0, r[i].ns, "ns");
            paper_rows_add(rows, "largest error", NAN, r[i].residual, "rad");
        } else if (r[i].set == ISA_SCALAR) {
            paper_rows_add(rows, "rotation from a warm start, scalar", 450.0, r[i].ns, "ns");
        }
    }
    return result;
}

static lim_result moving(const lim_host* host, paper_rows* rows) {
    enum { CELLS = 6, STEPS = 300, QUICK_CELLS = 3, QUICK_STEPS = 60 };
    arena memory;
    arena_init(&memory, host);
    polar_record record;
    polar_result p[POLAR_WAYS];
    lim_result result =
        polar_record_bar(&memory, LIM_KIND_LATTICE, rows->quick ? QUICK_CELLS : CELLS,
                         rows->quick ? QUICK_STEPS : STEPS, host, &record);
    if (result == LIM_OK) {
        result = polar_record_solve(&record, isa_best(), host, p);
    }
    if (result == LIM_OK) {
        const char* about = "twisted bar";
        const polar_result *cold = &p[POLAR_COLD], *warm = &p[POLAR_WARM], *ours = &p[POLAR_OURS];
        paper_rows_of(rows, about, "regions", NAN, (double)record.regions, "");
        paper_rows_of(rows, about, "steps", NAN, (double)record.steps, "");
        paper_rows_of(rows, about, "a region turns in a step, mean", NAN, record.turn, "rad");
        paper_rows_of(rows, about, "a region turns in a step, most", NAN, record.most, "rad");
        paper_rows_of(rows, about, "longest over shortest axis of A, mean", NAN, record.stretch,
                      "");
        paper_rows_of(rows, about, "Jacobi, cold, sweeps", 1.9, cold->sweeps, "");
        paper_rows_of(rows, about, "Jacobi, warm, sweeps", 0.4, warm->sweeps, "");
        paper_rows_of(rows, about, "ours, Newton steps", NAN, ours->sweeps, "");
        paper_rows_of(rows, about, "Jacobi, cold, scalar", 2500.0, cold->ns, "ns");
        paper_rows_of(rows, about, "Jacobi, warm, scalar", 450.0, warm->ns, "ns");
        paper_rows_of(rows, about, "ours, loads and transposes included", 450.0, ours->ns, "ns");
        paper_rows_of(rows, about, "warm Jacobi over ours", NAN, warm->ns / ours->ns, "");
        paper_rows_of(rows, about, "Jacobi, cold, largest error", NAN, cold->largest, "rad");
        paper_rows_of(rows, about, "Jacobi, warm, largest error", NAN, warm->largest, "rad");
        paper_rows_of(rows, about, "ours, largest error", NAN, ours->largest, "rad");
        paper_rows_note(rows,
                        "Twisted bar: 4 : 1 : 1, half a turn at one end, then let go; every step "
                        "of 1/240 s, medians over the steps.");
        paper_rows_note(rows, "Errors are against the quaternion solver in double. Jacobi stops at "
                              "1e-6 of the trace off the diagonal of A^T A.");
    }
    arena_release(&memory);
    return result;
}

lim_result paper_polar(const lim_host* host, paper_rows* rows) {
    lim_result result = made_up(host, rows);
    return result == LIM_OK ? moving(host, rows) : result;
}

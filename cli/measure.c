/* SPDX-License-Identifier: MIT
 * Job: collect step times and summarise them. In: step reports. Out: median, 99th percentile and
 * minimum per stage. Medians, because a shared machine has long pauses that are not ours.
 */
#include "cli/measure.h"

#include "base/sort.h"

const char* const measure_stage_names[MEASURE_STAGES] = {
    "frames",    "contact_find",  "sums",  "regions", "goals",
    "integrate", "contact_solve", "tools", "solve",   "skin"};

bool measure_add(measure* m, const lim_host* host, const lim_step_report* report) {
    const double values[1 + MEASURE_STAGES] = {
        report->total,   report->frames, report->contact_find, report->sums,
        report->regions, report->goals,  report->integrate,    report->contact_solve,
        report->tools,   report->solve,  report->skin};
    for (int32_t i = 0; i <= MEASURE_STAGES; ++i) {
        if (!ARRAY_PUSH(host, &m->times[i], values[i])) {
            return false;
        }
    }
    return true;
}

measure_summary measure_of(const double* values, int32_t count, const lim_host* host) {
    measure_summary summary = {0.0, 0.0, 0.0};
    if (count <= 0) {
        return summary;
    }
    sort_item* items = mem_alloc(host, (size_t)count, sizeof *items);
    sort_item* scratch = mem_alloc(host, (size_t)count, sizeof *scratch);
    if (items != NULL && scratch != NULL) {
        for (int32_t i = 0; i < count; ++i) {
            items[i] = (sort_item){.key = sort_key_double(values[i]), .value = i};
        }
        sort_items(items, scratch, count);
        summary.least = values[items[0].value];
        summary.median =
            0.5 * (values[items[(count - 1) / 2].value] + values[items[count / 2].value]);
        /* the nearest rank, rounded up: never below the median */
        summary.p99 = values[items[(int32_t)(((int64_t)(count - 1) * 99 + 99) / 100)].value];
    }
    mem_free(host, items, (size_t)count, sizeof *items);
    mem_free(host, scratch, (size_t)count, sizeof *scratch);
    return summary;
}

measure_summary measure_summarise(const measure* m, const lim_host* host, int32_t column) {
    return measure_of(m->times[column].data, m->times[column].count, host);
}

void measure_free(measure* m, const lim_host* host) {
    for (int32_t i = 0; i <= MEASURE_STAGES; ++i) {
        ARRAY_FREE(host, &m->times[i]);
    }
}

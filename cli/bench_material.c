/* SPDX-License-Identifier: MIT
 * Job: what materials cost. In: how many nodes and steps. Out: ns per node and step of one hanging
 * cube, as an octree and as a lattice, that is elastic, keeps its volume, could flow and never
 * does, and flows everywhere; all in turns, 1 worker.
 */
#include "cli/bench_step_table.h"
#include "cli/commands.h"
#include "cli/emit.h"
#include "cli/kinds.h"
#include "cli/subject.h"

#include <string.h>

enum { MATERIALS = 4, KINDS = 2, TURN = 20 };
static const char* const material_names[MATERIALS] = {"elastic", "volume kept", "never yields",
                                                      "yields everywhere"};
static const lim_kind kinds[KINDS] = {LIM_KIND_OCTREE, LIM_KIND_LATTICE};

static lim_material material_of(int32_t which) {
    lim_material m = bench_material();
    m.volume = which == 1 ? 1.0f : 0.0f;
    m.yield = which == 2 ? 1.0f : which == 3 ? 1e-7f : 0.0f;
    return m;
}

typedef struct material_row {
    int32_t nodes;
    measure_summary total;
    uint64_t hash;
} material_row;

/* Worlds of one model take turns; the first turns only warm. */
static lim_result take_turns(lim_world* const worlds[MATERIALS], int32_t steps,
                             measure times[MATERIALS], const lim_host* host) {
    for (int32_t done = -BENCH_WARM_STEPS; done < steps; done += TURN) {
        for (int32_t i = 0; i < MATERIALS; ++i) {
            for (int32_t k = done; k < done + TURN && k < steps; ++k) {
                lim_result result = lim_world_step(worlds[i], BENCH_STEP_DT);
                if (result != LIM_OK) {
                    return result;
                }
                lim_step_report report = lim_world_get_report(worlds[i]);
                if (k >= 0 && !measure_add(&times[i], host, &report)) {
                    return LIM_ERROR_MEMORY;
                }
            }
        }
    }
    return LIM_OK;
}

static lim_result measure_kind(lim_kind kind, int32_t nodes, int32_t steps, const lim_host* host,
                               material_row out[MATERIALS]) {
    lim_model* model = NULL;
    lim_world* worlds[MATERIALS] = {NULL};
    measure times[MATERIALS];
    memset(times, 0, sizeof times);
    lim_result result = bench_cube(kind, nodes, BENCH_WIDTH, host, &model);
    for (int32_t i = 0; i < MATERIALS && result == LIM_OK; ++i) {
        lim_material m = material_of(i);
        result = bench_hang(model, &m, 1, host, &worlds[i]);
    }
    result = result == LIM_OK ? take_turns(worlds, steps, times, host) : result;
    for (int32_t i = 0; i < MATERIALS; ++i) {
        if (result == LIM_OK) {
            out[i] = (material_row){.nodes = lim_model_get_info(model).nodes,
                                    .total = measure_summarise(&times[i], host, 0),
                                    .hash = lim_world_hash(worlds[i])};
        }
        measure_free(&times[i], host);
        lim_world_destroy(worlds[i]);
    }
    lim_model_destroy(model);
    return result;
}

static double ns_of(const material_row* r, double seconds) {
    return 1e9 * seconds / (double)r->nodes;
}

static void print_kind(lim_kind kind, const material_row r[MATERIALS]) {
    for (int32_t i = 0; i < MATERIALS; ++i) {
        printf("  %-8s %8d  %-18s %8.1f %8.1f %+8.1f %+8.1f   hash %016llx\n", kind_name(kind),
               r[i].nodes, material_names[i], ns_of(&r[i], r[i].total.median),
               ns_of(&r[i], r[i].total.least), ns_of(&r[i], r[i].total.median - r[0].total.median),
               ns_of(&r[i], r[i].total.least - r[0].total.least), (unsigned long long)r[i].hash);
    }
}

static void emit_kind(emit* e, lim_kind kind, const material_row r[MATERIALS]) {
    for (int32_t i = 0; i < MATERIALS; ++i) {
        emit_object(e, NULL);
        emit_text(e, "kind", kind_name(kind));
        emit_count(e, "nodes", r[i].nodes);
        emit_text(e, "material", material_names[i]);
        emit_number(e, "ns_per_node", ns_of(&r[i], r[i].total.median));
        emit_number(e, "ns_per_node_least", ns_of(&r[i], r[i].total.least));
        emit_hash(e, "hash", r[i].hash);
        emit_close_object(e);
    }
}

int bench_material_command(const bench_options* o, say_log* log) {
    emit e = emit_begin(stdout);
    if (o->json) {
        emit_object(&e, NULL);
        emit_text(&e, "bench", "material");
        emit_count(&e, "steps", o->steps);
        emit_array(&e, "rows");
    } else {
        printf("A hanging cube, 1 worker, one substep per step; %d warm steps, then %d.\n"
               "  %-8s %8s  %-18s %8s %8s %8s %8s   ns per node and step\n",
               BENCH_WARM_STEPS, o->steps, "kind", "nodes", "material", "median", "least", "more",
               "least");
    }
    for (int32_t k = 0; k < KINDS; ++k) {
        material_row rows[MATERIALS];
        lim_result result = measure_kind(kinds[k], o->nodes.items[0], o->steps, &log->host, rows);
        if (result != LIM_OK) {
            return subject_failed("bench material", result, NULL, log);
        }
        if (o->json) {
            emit_kind(&e, kinds[k], rows);
        } else {
            print_kind(kinds[k], rows);
        }
    }
    if (o->json) {
        emit_close_array(&e);
        emit_close_object(&e);
        emit_end(&e);
    }
    return EXIT_DONE;
}

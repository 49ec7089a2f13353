/* SPDX-License-Identifier: MIT
 * Job: `limber bench step` and `limber bench creature`. In: sizes and steps. Out: a table or JSON:
 * each size with 1 and 2 workers and per stage, the printed step of 2008 beside ours, and how the
 * cost of a node grows with the body. Fails when 1 and 2 workers do not give the same bits, or when
 * a body did not move at a measured step.
 */
#include "cli/bench_step_table.h"

#include "cli/emit.h"
#include "cli/subject.h"

#include <string.h>

enum { SIZE_BASE = 4096, ROUNDS = 12 };
/* The cost of a node at most, over that at 4,096 nodes: up to 50,000 nodes, and beyond. */
static const double GROWTH[2] = {1.3, 1.6};
static const double PAPER_RATIO = 8.0, PAPER_NS = 1000.0;

static double ns(double seconds, int32_t nodes) {
    return 1e9 * seconds / (double)(nodes > 0 ? nodes : 1);
}

static double per_node(double seconds, const bench_step_result* r) {
    return ns(seconds, r->info.nodes);
}

static void emit_step(emit* e, const bench_step_result* r) {
    emit_object(e, NULL);
    emit_count(e, "nodes", r->info.nodes);
    emit_count(e, "regions", r->info.regions);
    emit_number(e, "width", r->width);
    emit_number(e, "members_per_region", r->info.members_per_region);
    emit_number(e, "inputs_per_region", r->info.inputs_per_region);
    emit_count(e, "substeps", r->substeps);
    emit_array(e, "workers");
    for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
        emit_object(e, NULL);
        emit_count(e, "workers", w + 1);
        emit_number(e, "ms_per_step", 1e3 * r->total[w].median);
        emit_number(e, "ns_per_node", per_node(r->total[w].median, r));
        emit_number(e, "ns_per_node_p99", per_node(r->total[w].p99, r));
        emit_number(e, "ns_per_node_least", per_node(r->total[w].least, r));
        emit_object(e, "stages_ns_per_node");
        for (int32_t s = 0; s < MEASURE_STAGES; ++s) {
            emit_number(e, measure_stage_names[s], per_node(r->stages[w][s].median, r));
        }
        emit_close_object(e);
        emit_close_object(e);
    }
    emit_close_array(e);
    emit_count(e, "steps_that_moved", r->moves);
    emit_hash(e, "hash", r->hash);
    emit_flag(e, "same_hash", r->same_hash);
    emit_close_object(e);
}

static void print_step(const bench_step_result* r) {
    printf("%d nodes, %d regions of width %g, %.1f members and %.1f inputs per region, %d "
           "substep%s\n",
           r->info.nodes, r->info.regions, r->width, r->info.members_per_region,
           r->info.inputs_per_region, r->substeps, r->substeps == 1 ? "" : "s");
    printf("  %-14s %10s %10s %8s   ns per node and step, medians\n", "", "1 worker", "2 workers",
           "ratio");
    for (int32_t s = -1; s < MEASURE_STAGES; ++s) {
        double one = per_node(s < 0 ? r->total[0].median : r->stages[0][s].median, r);
        double two = per_node(s < 0 ? r->total[1].median : r->stages[1][s].median, r);
        printf("  %-14s %10.2f %10.2f %8.2f\n", s < 0 ? "step" : measure_stage_names[s], one, two,
               two > 0.0 ? one / two : 0.0);
    }
    printf("  %-14s %10.2f %10.2f\n", "step, p99", per_node(r->total[0].p99, r),
           per_node(r->total[1].p99, r));
    printf("  %-14s %10.2f %10.2f\n", "step, least", per_node(r->total[0].least, r),
           per_node(r->total[1].least, r));
    printf("  %-14s %10.4f %10.4f            ms\n", "step", 1e3 * r->total[0].median,
           1e3 * r->total[1].median);
    printf("  hash %016llx%s; it changed in %d of %d steps\n", (unsigned long long)r->hash,
           r->same_hash ? ", the same with 2 workers" : ", DIFFERENT with 2 workers", r->moves,
           r->steps);
}

static void emit_paper(emit* e, const bench_paper_result* p) {
    int32_t nodes = p->info.nodes;
    emit_object(e, "paper_mode");
    emit_text(e, "mode", "scalar, one region per node, goals by transposed lists, weights m / W");
    emit_count(e, "nodes", nodes);
    emit_number(e, "width", p->info.width);
    emit_number(e, "members_per_region", p->info.members);
    emit_number(e, "summation_nodes", p->info.summation_nodes);
    emit_number(e, "ns_per_node", ns(p->total.median, nodes));
    emit_number(e, "sums_ns_per_node", ns(p->sums, nodes));
    emit_number(e, "rotations_ns_per_node", ns(p->rotations, nodes));
    emit_number(e, "damping_ns_per_node", ns(p->damping, nodes));
    emit_number(e, "our_ns_per_node", ns(p->ours.median, nodes));
    emit_number(e, "ratio", p->total.median / p->ours.median);
    emit_number(e, "ratio_of_least", p->total.least / p->ours.least);
    emit_count(e, "steps", p->steps);
    emit_count(e, "steps_that_moved", p->moves);
    emit_hash(e, "hash", p->hash);
    emit_close_object(e);
}

static void print_paper(const bench_paper_result* p) {
    int32_t nodes = p->info.nodes;
    printf("Paper mode (the step of 2008, scalar, 1 thread, one region per node, goals by "
           "transposed lists)\n"
           "%d nodes, width %g, %.1f members and %.1f summation nodes per region, in turns with "
           "ours\n",
           nodes, p->info.width, p->info.members, p->info.summation_nodes);
    printf("  %-14s %10.2f   ns per node and step (sums %.0f, rotations %.0f, damping %.0f); at "
           "most %.0f\n",
           "paper mode", ns(p->total.median, nodes), ns(p->sums, nodes), ns(p->rotations, nodes),
           ns(p->damping, nodes), PAPER_NS);
    printf("  %-14s %10.2f   %.1f members per region\n", "ours", ns(p->ours.median, nodes),
           p->our_info.members_per_region);
    printf("  %-14s %10.2f   of the fastest steps %.2f; at least %g\n", "ratio",
           p->total.median / p->ours.median, p->total.least / p->ours.least, PAPER_RATIO);
    printf("  hash %016llx; it changed in %d of %d steps\n", (unsigned long long)p->hash, p->moves,
           p->steps);
}

/* Cost of a node in larger bodies, over that in one of 4,096 nodes; by medians, and by the fastest
 * steps, which other programs on the machine slow down less. */
static void show_growth(emit* e, const bench_step_result* r, int32_t count, bool json) {
    int32_t base = 0;
    for (int32_t i = 1; i < count; ++i) {
        int32_t now = r[i].info.nodes - SIZE_BASE, best = r[base].info.nodes - SIZE_BASE;
        base = (now < 0 ? -now : now) < (best < 0 ? -best : best) ? i : base;
    }
    if (json) {
        emit_array(e, "growth");
    }
    for (int32_t i = 0; i < count; ++i) {
        if (r[i].info.nodes <= r[base].info.nodes) {
            continue;
        }
        double ratio =
            per_node(r[i].total[0].median, &r[i]) / per_node(r[base].total[0].median, &r[base]);
        double least =
            per_node(r[i].total[0].least, &r[i]) / per_node(r[base].total[0].least, &r[base]);
        double most = GROWTH[r[i].info.nodes > 50000];
        if (json) {
            emit_object(e, NULL);
            emit_count(e, "nodes", r[i].info.nodes);
            emit_count(e, "over", r[base].info.nodes);
            emit_number(e, "ratio", ratio);
            emit_number(e, "ratio_of_least", least);
            emit_number(e, "most", most);
            emit_close_object(e);
        } else {
            printf("ns per node, %d over %d nodes: %.2f, of the fastest steps %.2f (at most %g)\n",
                   r[i].info.nodes, r[base].info.nodes, ratio, least, most);
        }
    }
    if (json) {
        emit_close_array(e);
    }
}

static int check_step(const bench_step_result* r) {
    if (!r->same_hash) {
        say_error("bench step: 2 workers gave other bits");
    } else if (r->moves != r->steps) {
        say_error("bench step: the body moved in %d of %d steps", r->moves, r->steps);
    } else {
        return EXIT_DONE;
    }
    return EXIT_FAILED;
}

static int run_sizes(const bench_options* o, say_log* log, emit* e, bench_step_result* r,
                     int32_t* count) {
    int code = EXIT_DONE;
    for (int32_t i = 0; i < o->nodes.count && code == EXIT_DONE; ++i) {
        lim_result result = bench_step(o->nodes.items[i], o->width, o->steps, &log->host, &r[i]);
        if (result != LIM_OK) {
            return subject_failed("bench step", result, NULL, log);
        }
        if (o->json) {
            emit_step(e, &r[i]);
        } else {
            print_step(&r[i]);
        }
        ++*count;
        code = check_step(&r[i]);
    }
    return code;
}

/* The largest of the sizes that the printed step is run at. */
static int run_paper(const bench_options* o, say_log* log, emit* e) {
    int32_t nodes = 0;
    for (int32_t i = 0; i < o->nodes.count; ++i) {
        int32_t here = o->nodes.items[i];
        nodes = here <= BENCH_PAPER_MOST && here > nodes ? here : nodes;
    }
    if (nodes == 0) {
        return EXIT_DONE;
    }
    bench_paper_result p;
    int32_t rounds = o->steps < ROUNDS ? o->steps : ROUNDS;
    lim_result result = bench_paper_step(nodes, o->width, rounds, &log->host, &p);
    if (result != LIM_OK) {
        return subject_failed("bench step", result, NULL, log);
    }
    if (o->json) {
        emit_paper(e, &p);
    } else {
        print_paper(&p);
    }
    return EXIT_DONE;
}

int bench_step_command(const bench_options* o, say_log* log) {
    emit e = emit_begin(stdout);
    if (o->json) {
        emit_object(&e, NULL);
        emit_text(&e, "bench", "step");
        emit_count(&e, "steps", o->steps);
        emit_array(&e, "rows");
    } else {
        printf("A hanging cube of uniform nodes, damping on, nothing asleep; %d warm steps, then "
               "%d.\n",
               BENCH_WARM_STEPS, o->steps);
    }
    bench_step_result rows[OPTION_LIST_MOST];
    int32_t count = 0;
    int code = run_sizes(o, log, &e, rows, &count);
    if (o->json) {
        emit_close_array(&e);
    }
    if (code == EXIT_DONE) {
        code = run_paper(o, log, &e);
    }
    if (count > 0) {
        show_growth(&e, rows, count, o->json);
    }
    if (o->json) {
        emit_close_object(&e);
        emit_end(&e);
    }
    return code;
}

int bench_creature_command(const bench_options* o, say_log* log) {
    bench_step_result row;
    lim_result result = bench_creature(o->steps, &log->host, &row);
    if (result != LIM_OK) {
        return subject_failed("bench creature", result, NULL, log);
    }
    if (o->json) {
        emit e = emit_begin(stdout);
        emit_object(&e, NULL);
        emit_text(&e, "bench", "creature");
        emit_count(&e, "steps", o->steps);
        emit_array(&e, "rows");
        emit_step(&e, &row);
        emit_close_array(&e);
        emit_close_object(&e);
        emit_end(&e);
    } else {
        printf("The creature at rest on the ground, with contact and skin, steps of 1/60 s; %d to "
               "settle, then %d.\n",
               BENCH_REST_STEPS, o->steps);
        print_step(&row);
    }
    if (!row.same_hash) {
        say_error("bench creature: 2 workers gave other bits");
    }
    return row.same_hash ? EXIT_DONE : EXIT_FAILED;
}

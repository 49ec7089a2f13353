/* SPDX-License-Identifier: MIT
 * Job: `limber bench`. In: what to measure. Out: a table or JSON with times, configuration and
 * hashes. Fails when 1 and 2 workers do not give the same bits.
 */
#include "cli/bench_cost.h"
#include "cli/bench_step_table.h"
#include "cli/commands.h"
#include "cli/emit.h"
#include "cli/kinds.h"
#include "cli/options.h"
#include "cli/subject.h"

#include "bench/machine.h"

#include <string.h>

static void emit_skins(const bench_options* o, const bench_skin_result* r, double scale) {
    emit e = emit_begin(stdout);
    emit_object(&e, NULL);
    emit_text(&e, "bench", "skin");
    emit_count(&e, "steps", o->steps);
    emit_count(&e, "vertices", r[0].vertices);
    emit_count(&e, "triangles", r[0].triangles);
    emit_array(&e, "kinds");
    for (int32_t k = 0; k < BENCH_SKINS; ++k) {
        emit_object(&e, NULL);
        emit_text(&e, "kind", kind_name(r[k].kind));
        emit_count(&e, "nodes", r[k].nodes);
        emit_array(&e, "workers");
        for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
            emit_object(&e, NULL);
            emit_count(&e, "workers", w + 1);
            emit_number(&e, "ns_per_vertex", scale * r[k].skin[w].median);
            emit_number(&e, "ns_per_vertex_p99", scale * r[k].skin[w].p99);
            emit_close_object(&e);
        }
        emit_close_array(&e);
        emit_hash(&e, "hash", r[k].hash);
        emit_flag(&e, "same_hash", r[k].same_hash);
        emit_close_object(&e);
    }
    emit_close_array(&e);
    emit_close_object(&e);
    emit_end(&e);
}

static void print_skins(const bench_options* o, const bench_skin_result* r, double scale) {
    printf("Skin of a falling creature: %d vertices, %d triangles; positions, normals and "
           "tangents;\n"
           "%d warm steps, then %d.\n",
           r[0].vertices, r[0].triangles, BENCH_WARM_STEPS, o->steps);
    printf("  %-10s %8s %10s %10s %10s   ns per vertex and step\n", "kind", "nodes", "", "1 worker",
           "2 workers");
    for (int32_t k = 0; k < BENCH_SKINS; ++k) {
        const measure_summary* m = r[k].skin;
        printf("  %-10s %8d %10s %10.2f %10.2f   hash %016llx%s\n", kind_name(r[k].kind),
               r[k].nodes, "median", scale * m[0].median, scale * m[1].median,
               (unsigned long long)r[k].hash,
               r[k].same_hash ? ", the same with 2 workers" : ", DIFFERENT with 2 workers");
        printf("  %-10s %8s %10s %10.2f %10.2f\n", "", "", "p99", scale * m[0].p99,
               scale * m[1].p99);
    }
}

static int run_skin(const bench_options* o, say_log* log) {
    bench_skin_result r[BENCH_SKINS];
    lim_result result =
        bench_skin(o->triangles > 0 ? o->triangles : 60000, o->steps, &log->host, r);
    if (result != LIM_OK) {
        return subject_failed("bench skin", result, NULL, log);
    }
    double scale = 1e9 / (double)(r[0].vertices > 0 ? r[0].vertices : 1);
    if (o->json) {
        emit_skins(o, r, scale);
    } else {
        print_skins(o, r, scale);
    }
    return r[0].same_hash && r[1].same_hash ? EXIT_DONE : EXIT_FAILED;
}

static int run_rotation(const bench_options* o, say_log* log) {
    bench_rotation_result r[ISA_COUNT];
    int32_t count = 0;
    lim_result result = bench_rotation(BENCH_ROTATION_STEPS, &log->host, r, &count);
    if (result != LIM_OK) {
        return subject_failed("bench rotation", result, NULL, log);
    }
    bool same = true;
    for (int32_t i = 1; i < count; ++i) {
        same = same && r[i].hash == r[0].hash;
    }
    if (o->json) {
        emit e = emit_begin(stdout);
        emit_object(&e, NULL);
        emit_text(&e, "bench", "rotation");
        emit_count(&e, "matrices", BENCH_ROTATION_COUNT);
        emit_count(&e, "iterations", BENCH_ROTATION_STEPS);
        emit_array(&e, "rows");
        for (int32_t i = 0; i < count; ++i) {
            emit_object(&e, NULL);
            emit_text(&e, "set", isa_name(r[i].set));
            emit_number(&e, "ns", r[i].ns);
            emit_number(&e, "residual", r[i].residual);
            emit_hash(&e, "hash", r[i].hash);
            emit_close_object(&e);
        }
        emit_close_array(&e);
        emit_flag(&e, "same_hash", same);
        emit_close_object(&e);
        emit_end(&e);
    } else {
        printf("Rotations of %d matrices, %d steps from a start 0.05 rad off, 1 thread.\n",
               BENCH_ROTATION_COUNT, BENCH_ROTATION_STEPS);
        printf("  %-10s %8s %12s   %s\n", "set", "ns each", "error rad", "hash");
        for (int32_t i = 0; i < count; ++i) {
            printf("  %-10s %8.2f %12.2e   %016llx\n", isa_name(r[i].set), r[i].ns, r[i].residual,
                   (unsigned long long)r[i].hash);
        }
        printf("  %s\n", same ? "the same bits with every set" : "DIFFERENT bits");
    }
    return same ? EXIT_DONE : EXIT_FAILED;
}

enum { BUILD_COARSEN = 3 };

static int run_build(const bench_options* o, say_log* log) {
    static const int32_t sizes[2] = {10000, 200000};
    emit e = emit_begin(stdout);
    if (o->json) {
        emit_object(&e, NULL);
        emit_text(&e, "bench", "build");
        emit_array(&e, "rows");
    } else {
        printf("From a triangle soup to the first step, 1 worker; processor seconds. Cells of one\n"
               "size, or of several (up to 8 times the finest edge): `ratio` is their build over\n"
               "that of as many nodes in cells of one size.\n");
        printf("  %10s %10s %8s %7s %8s %8s %8s %8s %6s   %s\n", "triangles", "open edges", "cells",
               "nodes", "clean", "build", "step", "all", "ratio", "hash");
    }
    int code = EXIT_DONE;
    for (int32_t i = 0; i < 8 && code == EXIT_DONE; ++i) {
        int32_t triangles = o->triangles > 0 ? o->triangles : sizes[i / 4];
        if (o->triangles > 0 && i >= 4) {
            break;
        }
        bench_build_result r;
        int32_t coarsen = i / 2 % 2 == 1 ? BUILD_COARSEN : 0;
        lim_result result = bench_build(triangles, i % 2 == 1, coarsen, &log->host, &r);
        double ratio = r.uniform > 0.0 ? r.build / r.uniform : 1.0;
        if (result != LIM_OK) {
            code = subject_failed("bench build", result, NULL, log);
        } else if (o->json) {
            emit_object(&e, NULL);
            emit_count(&e, "triangles", r.triangles);
            emit_count(&e, "open_edges", r.open_edges);
            emit_count(&e, "coarsen", coarsen);
            emit_count(&e, "nodes", r.nodes);
            emit_number(&e, "clean_seconds", r.clean);
            emit_number(&e, "build_seconds", r.build);
            emit_number(&e, "first_step_seconds", r.first_step);
            emit_number(&e, "build_over_uniform", ratio);
            emit_hash(&e, "hash", r.hash);
            emit_close_object(&e);
        } else {
            printf("  %10d %10d %8s %7d %8.3f %8.3f %8.3f %8.3f %6.2f   %016llx\n", r.triangles,
                   r.open_edges, coarsen > 0 ? "several" : "one", r.nodes, r.clean, r.build,
                   r.first_step, r.clean + r.build + r.first_step, ratio,
                   (unsigned long long)r.hash);
        }
    }
    if (o->json) {
        emit_close_array(&e);
        emit_close_object(&e);
        emit_end(&e);
    }
    return code;
}

static int run_machine(const bench_options* o, say_log* log) {
    static const char* const places[3] = {"second cache", "third cache", "memory"};
    bench_machine_result r;
    lim_result result = bench_machine(&log->host, &r);
    if (result != LIM_OK) {
        return subject_failed("bench machine", result, NULL, log);
    }
    double ns = 1e9 * r.sum_seconds, rate = 1e-9 * (double)r.sum_flops / r.sum_seconds;
    if (o->json) {
        emit e = emit_begin(stdout);
        emit_object(&e, NULL);
        emit_text(&e, "bench", "machine");
        emit_array(&e, "copies");
        for (int32_t i = 0; i < 3; ++i) {
            emit_object(&e, NULL);
            emit_text(&e, "place", places[i]);
            emit_number(&e, "bytes", (double)r.copy_bytes[i]);
            emit_number(&e, "gigabytes_per_second", 1e-9 * r.copy_speed[i]);
            emit_close_object(&e);
        }
        emit_close_array(&e);
        emit_number(&e, "sum_ns", ns);
        emit_number(&e, "sum_gigaflops", rate);
        emit_close_object(&e);
        emit_end(&e);
        return EXIT_DONE;
    }
    printf("What one core of this machine allows, best of several tries.\n");
    for (int32_t i = 0; i < 3; ++i) {
        printf("  copy in %-14s %8.1f GB/s read and written, %zu kB in all\n", places[i],
               1e-9 * r.copy_speed[i], r.copy_bytes[i] >> 10);
    }
    printf(
        "  weighted sum           %8.2f ns per record of 24 floats in cache, %.1f GFLOP/s (%s)\n",
        ns, rate, isa_name(isa_best()));
    return EXIT_DONE;
}

int command_bench(int argc, char** argv) {
    static const option_counts step_nodes = {{661, 4096, 35937, 97336}, 4};
    static const option_counts material_nodes = {{35937}, 1};
    bench_options o = {.steps = BENCH_STEPS, .width = BENCH_WIDTH};
    const option options[] = {
        {"--nodes", "N,...",
         "of bench step (default 661,4096,35937,97336); of bench material one (35937)",
         OPTION_COUNTS, &o.nodes, 8, 4e6},
        {"--width", "CELLS", "of the regions of bench step (default 1)", OPTION_NUMBER, &o.width, 1,
         8},
        {"--triangles", "N",
         "of bench skin (default 60000) and bench build (default 10000 and 200000)", OPTION_COUNT,
         &o.triangles, 1000, 4e5},
        {"--steps", "N",
         "timed steps of bench step, creature, lattice, hex, material, contact and skin (default\n"
         "                           300);\n"
         "                           livers of bench edit, at most 6",
         OPTION_COUNT, &o.steps, 1, 1e6},
        {"-o", "FILE.png", "a picture of what bench contact has found", OPTION_TEXT, &o.picture, 0,
         0},
        {"--json", NULL, "as JSON", OPTION_FLAG, &o.json, 0, 0}};
    const option_table table = {
        .usage = "limber bench "
                 "step|creature|lattice|hex|material|contact|edit|skin|build|rotation|machine|cost "
                 "[options]",
        .about =
            "Measures on this machine, with 1 and 2 workers in turns. Every time stands beside a\n"
            "hash of what was computed. `cost` does work whose instructions are counted (./x "
            "bench\n"
            "cost): all cases, or those of the names that follow.\n",
        .options = options,
        .option_count = (int32_t)(sizeof options / sizeof options[0]),
        .words_least = 1,
        .words_most = OPTION_LIST_MOST,
        .words_name =
            "what to measure (step, creature, lattice, hex, material, contact, edit, skin, "
            "build, rotation, machine or cost)"};
    option_texts words;
    option_result read = options_read(&table, argc, argv, &words);
    if (read != OPTIONS_OK) {
        return read == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    bool cost = strcmp(words.items[0], "cost") == 0;
    if (words.count > 1 && !cost) {
        say_error("one word too many: '%s'", words.items[1]);
        return EXIT_USAGE;
    }
    if (o.picture != NULL && strcmp(words.items[0], "contact") != 0) {
        say_error("-o is for bench contact; the others have no picture");
        return EXIT_USAGE;
    }
    say_log log;
    say_log_init(&log, LIM_LOG_ERROR);
    if (strcmp(words.items[0], "step") == 0) {
        o.nodes = o.nodes.count > 0 ? o.nodes : step_nodes;
        return bench_step_command(&o, &log);
    }
    if (strcmp(words.items[0], "creature") == 0) {
        return bench_creature_command(&o, &log);
    }
    if (strcmp(words.items[0], "lattice") == 0) {
        return bench_lattice_command(&o, &log);
    }
    if (strcmp(words.items[0], "hex") == 0) {
        return bench_hex_command(&o, &log);
    }
    if (strcmp(words.items[0], "material") == 0) {
        o.nodes = o.nodes.count > 0 ? o.nodes : material_nodes;
        return bench_material_command(&o, &log);
    }
    if (strcmp(words.items[0], "contact") == 0) {
        return bench_contact_command(&o, &log);
    }
    if (strcmp(words.items[0], "edit") == 0) {
        return bench_edit_command(&o, &log);
    }
    if (strcmp(words.items[0], "skin") == 0) {
        return run_skin(&o, &log);
    }
    if (strcmp(words.items[0], "build") == 0) {
        return run_build(&o, &log);
    }
    if (strcmp(words.items[0], "rotation") == 0) {
        return run_rotation(&o, &log);
    }
    if (strcmp(words.items[0], "machine") == 0) {
        return run_machine(&o, &log);
    }
    if (cost) {
        option_texts names = {.count = words.count - 1};
        memcpy(names.items, words.items + 1, (size_t)names.count * sizeof names.items[0]);
        return bench_cost_command(&names, &log);
    }
    say_error(
        "no bench '%s'; there are step, creature, lattice, hex, material, contact, edit, skin, "
        "build, rotation, machine and cost",
        words.items[0]);
    return EXIT_USAGE;
}

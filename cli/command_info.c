/* SPDX-License-Identifier: MIT
 * Job: `limber info`. In: a mesh file or a model. Out: what the mesh is like, and what models of
 * several sizes come to.
 */
#include "cli/commands.h"
#include "cli/emit.h"
#include "cli/options.h"
#include "cli/run_report.h"
#include "cli/subject.h"

#include <math.h>
#include <string.h>

static void print_mesh(const char* word, const subject* s, const lim_mesh_report* m) {
    double side[3] = {m->bounds.upper.x - m->bounds.lower.x, m->bounds.upper.y - m->bounds.lower.y,
                      m->bounds.upper.z - m->bounds.lower.z};
    printf("%s\n", word);
    printf("  vertices       %d (%d points after welding, %d unused)\n", m->vertices, m->points,
           m->vertices_unused);
    printf("  triangles      %d (%d kept)\n", m->triangles, m->triangles_kept);
    if (m->dropped_degenerate + m->dropped_duplicate + m->dropped_non_finite > 0) {
        printf("  dropped        %d degenerate, %d duplicate, %d not finite\n",
               m->dropped_degenerate, m->dropped_duplicate, m->dropped_non_finite);
    }
    if (s->from_file && s->read.repairs > 0) {
        printf("  mended         %d places; the first: %s\n", s->read.repairs,
               s->read.first_repair.text);
    }
    printf("  parts          %d (%d inside out)\n", m->parts, m->parts_flipped);
    printf("  closed         %s (%d open edges, %d non-manifold)\n", m->closed ? "yes" : "no",
           m->open_edges, m->non_manifold_edges);
    printf("  size           %.6g x %.6g x %.6g\n", side[0], side[1], side[2]);
    printf("  area           %.6g\n", m->area);
    if (m->closed) {
        printf("  volume         %.6g\n", m->volume);
    }
    printf("  stands along   %s\n", scene_find_up(s->mesh) == SCENE_UP_Z ? "z" : "y");
}

static double longest_side(const lim_mesh_report* m) {
    double x = m->bounds.upper.x - m->bounds.lower.x, y = m->bounds.upper.y - m->bounds.lower.y,
           z = m->bounds.upper.z - m->bounds.lower.z;
    return fmax(x, fmax(y, z));
}

static void emit_sampling(emit* e, const lim_model_info* info) {
    emit_object(e, NULL);
    emit_count(e, "nodes", info->nodes);
    emit_count(e, "regions", info->regions);
    emit_count(e, "edges", info->edges);
    emit_count(e, "components", info->components);
    emit_count(e, "fragments", info->fragments);
    emit_count(e, "glued", info->glued_edges);
    emit_number(e, "cell_size", (double)info->cell_size);
    emit_number(e, "coarsest_size", (double)info->coarsest_size);
    emit_array(e, "level_nodes");
    for (int32_t l = 0; l <= info->levels; ++l) {
        emit_count(e, NULL, info->level_nodes[l]);
    }
    emit_close_array(e);
    emit_number(e, "volume", info->volume);
    emit_number(e, "members_per_region", info->members_per_region);
    emit_number(e, "inputs_per_region", info->inputs_per_region);
    emit_number(e, "build_seconds", info->build_seconds);
    emit_close_object(e);
}

/* One row per number of nodes asked for. */
static int print_samplings(const char* word, const subject* s, const lim_model_desc* given,
                           const option_counts* counts, emit* e, bool json, say_log* log) {
    if (!json) {
        printf("  sampled at %.6g metres per unit:\n", given->scale);
        printf("  %9s %9s %10s %9s %9s %7s %10s %9s %8s\n", "nodes", "cell mm", "largest mm",
               "regions", "members", "parts", "fragments", "glued", "build s");
    }
    for (int32_t i = 0; i < counts->count; ++i) {
        lim_model_desc desc = *given;
        desc.node_count = counts->items[i];
        lim_model* model = NULL;
        lim_result result = lim_model_create(s->mesh, &desc, &log->host, &model);
        if (result != LIM_OK) {
            return subject_failed(word, result, NULL, log);
        }
        lim_model_info info = lim_model_get_info(model);
        lim_model_destroy(model);
        if (json) {
            emit_sampling(e, &info);
        } else {
            printf("  %9d %9.2f %10.2f %9d %9.1f %7d %10d %9d %8.3f\n", info.nodes,
                   1e3 * (double)info.cell_size, 1e3 * (double)info.coarsest_size, info.regions,
                   info.members_per_region, info.components, info.fragments, info.glued_edges,
                   info.build_seconds);
        }
    }
    return EXIT_DONE;
}

int command_info(int argc, char** argv) {
    bool json = false, units = false;
    option_counts counts = {{500, 2000, 8000}, 3};
    lim_model_desc desc = lim_model_desc_default();
    double across = (double)desc.cells_across;
    const option options[] = {
        {"--nodes", "N,...", "samplings to try (default 500,2000,8000)", OPTION_COUNTS, &counts, 1,
         4e6},
        {"--coarsen", "N", "cells may be up to 2^N times the finest; 0 (default): one size",
         OPTION_COUNT, &desc.coarsen, 0, 10},
        {"--cells-across", "X", "least number of cells across thin material; 0: any (default 2)",
         OPTION_NUMBER, &across, 0, 64},
        {"--units", NULL, "one unit of the file is a metre; else its longest side is", OPTION_FLAG,
         &units, 0, 0},
        {"--json", NULL, "as JSON", OPTION_FLAG, &json, 0, 0}};
    const option_table table = {
        .usage = "limber info MESH|MODEL [options]",
        .about =
            "Says what a mesh file or a model is like, and what bodies made from it come to.\n",
        .options = options,
        .option_count = (int32_t)(sizeof options / sizeof options[0]),
        .words_least = 1,
        .words_most = 1,
        .words_name = "the mesh or model"};
    option_texts words;
    option_result read = options_read(&table, argc, argv, &words);
    if (read != OPTIONS_OK) {
        return read == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    say_log log;
    say_log_init(&log, json);
    subject s;
    int code = subject_open_mesh(&s, words.items[0], &log);
    if (code != EXIT_DONE) {
        return code;
    }
    lim_mesh_report report = lim_mesh_get_report(s.mesh);
    double longest = longest_side(&report);
    double scale = units || !(longest > 0.0) ? 1.0 : 1.0 / longest;
    desc.scale = scale;
    desc.cells_across = (float)across;
    emit e = emit_begin(stdout);
    if (json) {
        emit_object(&e, NULL);
        emit_text(&e, "mesh", words.items[0]);
        run_report_mesh(&e, "report", &report);
        emit_count(&e, "repairs", s.read.repairs);
        emit_number(&e, "scale", scale);
        emit_array(&e, "samplings");
    } else {
        print_mesh(words.items[0], &s, &report);
    }
    code = print_samplings(words.items[0], &s, &desc, &counts, &e, json, &log);
    if (json) {
        emit_close_array(&e);
        emit_close_object(&e);
        emit_end(&e);
    }
    subject_close(&s);
    return code;
}

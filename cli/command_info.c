/* SPDX-License-Identifier: MIT
 * Job: `limber info`. In: a mesh file or a model. Out: what the mesh is like, what models of
 * several sizes come to, level by level, what batches their surface is cut into, and a picture of
 * their cells or batches.
 */
#include "cli/commands.h"
#include "cli/emit.h"
#include "cli/kinds.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/run_report.h"
#include "cli/samplings.h"
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

static void emit_sampling(emit* e, const sampling* s) {
    const lim_model_info* info = &s->info;
    emit_object(e, NULL);
    emit_text(e, "kind", kind_name(info->kind));
    emit_count(e, "nodes", info->nodes);
    emit_count(e, "cells", info->cells);
    emit_count(e, "regions", info->regions);
    emit_count(e, "edges", info->edges);
    emit_count(e, "components", info->components);
    emit_count(e, "fragments", info->fragments);
    emit_count(e, "glued", info->glued_edges);
    emit_number(e, "cell_size", (double)info->cell_size);
    emit_number(e, "coarsest_size", (double)info->coarsest_size);
    emit_array(e, "levels");
    for (int32_t l = 0; l < SAMPLING_LEVELS; ++l) {
        const sampling_level* level = &s->level[l];
        if (level->nodes > 0) {
            emit_object(e, NULL);
            emit_count(e, "level", l);
            emit_number(e, "edge", level->edge);
            emit_count(e, "cells", level->cells);
            emit_count(e, "nodes", level->nodes);
            emit_number(e, "volume_share", level->volume / info->volume);
            emit_close_object(e);
        }
    }
    emit_close_array(e);
    emit_number(e, "volume", info->volume);
    emit_number(e, "members_per_region", info->members_per_region);
    emit_number(e, "inputs_per_region", info->inputs_per_region);
    emit_number(e, "build_seconds", info->build_seconds);
    if (s->batches != NULL) {
        lim_batches_view b = lim_batches_get_view(s->batches);
        emit_object(e, "batches");
        emit_count(e, "count", b.batch_count);
        emit_count(e, "triangles", b.triangle_count);
        emit_count(e, "vertices", b.vertex_count);
        emit_count(e, "nodes", b.node_count);
        emit_close_object(e);
    }
    emit_close_object(e);
}

static void print_batches(const sampling* all, int32_t count, int32_t max_nodes) {
    printf("\n  batches of at most %d nodes\n", max_nodes);
    printf("  %9s %9s %11s %9s %9s\n", "of nodes", "batches", "triangles", "vertices", "nodes");
    for (int32_t i = 0; i < count; ++i) {
        lim_batches_view b = lim_batches_get_view(all[i].batches);
        double each = 1.0 / (double)(b.batch_count > 0 ? b.batch_count : 1);
        printf("  %9d %9d %11.1f %9.1f %9.1f\n", all[i].info.nodes, b.batch_count,
               each * b.triangle_count, each * b.vertex_count, each * b.node_count);
    }
}

static void print_samplings(const sampling* all, int32_t count, double scale) {
    printf("\n  sampled at %.6g metres per unit\n", scale);
    printf("  %9s %9s %9s %9s %7s %10s %9s %8s\n", "nodes", "cells", "regions", "members", "parts",
           "fragments", "glued", "build s");
    for (int32_t i = 0; i < count; ++i) {
        const lim_model_info* info = &all[i].info;
        printf("  %9d %9d %9d %9.1f %7d %10d %9d %8.3f\n", info->nodes, info->cells, info->regions,
               info->members_per_region, info->components, info->fragments, info->glued_edges,
               info->build_seconds);
    }
    printf("\n  level by level, the largest cells first\n");
    printf("  %9s %9s %9s %9s %9s %10s\n", "of nodes", "level", "edge m", "cells", "nodes",
           "volume %");
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t l = 0; l < SAMPLING_LEVELS; ++l) {
            const sampling_level* level = &all[i].level[l];
            if (level->nodes > 0) {
                printf("  %9d %9d %9.4g %9d %9d %10.2f\n", all[i].info.nodes, l, level->edge,
                       level->cells, level->nodes, 100.0 * level->volume / all[i].info.volume);
            }
        }
    }
}

/* The surface and the cells of each sampling, side by side. */
static lim_result write_picture(const sampling* all, int32_t count, const int32_t size[2],
                                const char* path, lim_io_message* out_message) {
    lim_image images[OPTION_LIST_MOST + 1] = {{0}}, sheet = {0};
    lim_result result = LIM_OK;
    for (int32_t i = 0; i <= count && result == LIM_OK; ++i) {
        result = lim_image_create(size[0], size[1], &images[i]);
        if (result == LIM_OK) {
            result = sampling_draw(&all[i > 0 ? i - 1 : 0], i == 0, size, &images[i]);
        }
    }
    if (result == LIM_OK) {
        result = lim_image_sheet(images, count + 1, count < 4 ? count + 1 : 4, &sheet);
    }
    if (result == LIM_OK) {
        result = lim_io_write_png(path, &sheet, out_message);
    }
    lim_image_destroy(&sheet);
    for (int32_t i = 0; i <= count; ++i) {
        lim_image_destroy(&images[i]);
    }
    return result;
}

typedef struct info_options {
    option_counts counts;
    lim_model_desc desc;
    const char *picture, *kind; /* null when they are not given */
    int32_t size[2];
    int32_t batches; /* most nodes of a batch; 0: none are made */
    bool json, units;
} info_options;

/* The samplings asked for: tables or JSON, and a picture. */
static int show_samplings(const char* word, const lim_mesh* mesh, const info_options* o, emit* e,
                          say_log* log) {
    sampling all[OPTION_LIST_MOST];
    int32_t count = 0;
    lim_io_message message = {""};
    lim_result result = LIM_OK;
    /* the body is not stepped: what the log says about its stiffness is of no interest */
    log->most = LIM_LOG_ERROR;
    while (count < o->counts.count && result == LIM_OK) {
        lim_model_desc desc = o->desc;
        desc.node_count = o->counts.items[count];
        result = sampling_begin(&all[count], mesh, &desc, &log->host, &message);
        count += result == LIM_OK;
        if (result == LIM_OK && o->batches > 0) {
            result = sampling_cut(&all[count - 1], o->batches, &log->host);
        }
    }
    int code = result == LIM_OK ? EXIT_DONE : subject_failed(word, result, &message, log);
    for (int32_t i = 0; i < count && code == EXIT_DONE && o->json; ++i) {
        emit_sampling(e, &all[i]);
    }
    if (code == EXIT_DONE && !o->json) {
        print_samplings(all, count, o->desc.scale);
        if (o->batches > 0) {
            print_batches(all, count, o->batches);
        }
    }
    if (code == EXIT_DONE && o->picture != NULL) {
        result = write_picture(all, count, o->size, o->picture, &message);
        code = result == LIM_OK ? EXIT_DONE : subject_failed(o->picture, result, &message, log);
        if (code == EXIT_DONE && !o->json) {
            printf("\n  written        %s\n", o->picture);
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        sampling_end(&all[i]);
    }
    return code;
}

static option_result read_info_options(info_options* o, int argc, char** argv,
                                       option_texts* words) {
    double across = (double)o->desc.cells_across;
    const option options[] = {
        {"-o", "FILE.png", "a picture of the surface and of the cells of each sampling",
         OPTION_TEXT, &o->picture, 0, 0},
        {"--size", "WxH", "pixels of each part of the picture (default 400x480)", OPTION_SIZE,
         o->size, 16, 4096},
        {"--batches", "N", "cut the surface into batches of at most N nodes; -o draws them",
         OPTION_COUNT, &o->batches, 24, 65536},
        {"--kind", "KIND", "what bodies are made of: octree (default), lattice or points",
         OPTION_TEXT, &o->kind, 0, 0},
        {"--nodes", "N,...", "samplings to try (default 500,2000,8000)", OPTION_COUNTS, &o->counts,
         1, 4e6},
        {"--coarsen", "N", "cells may be up to 2^N times the finest; 0 (default): one size",
         OPTION_COUNT, &o->desc.coarsen, 0, 10},
        {"--cells-across", "X", "least number of cells across thin material; 0: any (default 2)",
         OPTION_NUMBER, &across, 0, 64},
        {"--units", NULL, "one unit of the file is a metre; else its longest side is", OPTION_FLAG,
         &o->units, 0, 0},
        {"--json", NULL, "as JSON", OPTION_FLAG, &o->json, 0, 0}};
    const option_table table = {
        .usage = "limber info MESH|MODEL [-o FILE.png] [options]",
        .about =
            "Says what a mesh file or a model is like, and what bodies made from it come to.\n",
        .options = options,
        .option_count = (int32_t)(sizeof options / sizeof options[0]),
        .words_least = 1,
        .words_most = 1,
        .words_name = "the mesh or model"};
    option_result result = options_read(&table, argc, argv, words);
    o->desc.cells_across = (float)across;
    if (result == OPTIONS_OK && o->kind != NULL && !kind_of_word(o->kind, &o->desc.kind)) {
        return OPTIONS_BAD;
    }
    if (result == OPTIONS_OK && o->picture != NULL) {
        lim_io_message message = {""};
        if (output_kind_of(o->picture) != OUTPUT_PNG) {
            say_error("%s: a picture of a sampling is a .png", o->picture);
            return OPTIONS_BAD;
        }
        if (!output_is_possible(o->picture, &message)) {
            say_error("%s", message.text);
            return OPTIONS_BAD;
        }
    }
    return result;
}

int command_info(int argc, char** argv) {
    info_options o = {
        .counts = {{500, 2000, 8000}, 3}, .desc = lim_model_desc_default(), .size = {400, 480}};
    option_texts words;
    option_result read = read_info_options(&o, argc, argv, &words);
    if (read != OPTIONS_OK) {
        return read == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    say_log log;
    say_log_init(&log, o.json ? LIM_LOG_WARNING : LIM_LOG_INFO);
    subject s;
    int code = subject_open_mesh(&s, words.items[0], &log);
    if (code != EXIT_DONE) {
        return code;
    }
    lim_mesh_report report = lim_mesh_get_report(s.mesh);
    double longest = longest_side(&report);
    o.desc.scale = o.units || !(longest > 0.0) ? 1.0 : 1.0 / longest;
    emit e = emit_begin(stdout);
    if (o.json) {
        emit_object(&e, NULL);
        emit_text(&e, "mesh", words.items[0]);
        run_report_mesh(&e, "report", &report);
        emit_count(&e, "repairs", s.read.repairs);
        emit_number(&e, "scale", o.desc.scale);
        emit_array(&e, "samplings");
    } else {
        print_mesh(words.items[0], &s, &report);
    }
    code = show_samplings(words.items[0], s.mesh, &o, &e, &log);
    if (o.json) {
        emit_close_array(&e);
        emit_close_object(&e);
        emit_end(&e);
    }
    subject_close(&s);
    return code;
}

/* SPDX-License-Identifier: MIT
 * Job: `limber run`. In: a scene or a mesh. Out: what the extensions of -o ask for, and a report.
 */
#include "cli/commands.h"
#include "cli/file_bytes.h"
#include "cli/interrupt.h"
#include "cli/kinds.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/run_report.h"

#include "base/log.h"
#include "base/timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct run_options {
    option_texts outputs;
    int32_t frames, nodes, substeps, workers, coarsen; /* coarsen: -1 when it is not given */
    double seconds, fps, young, cells_across;          /* cells_across likewise */
    double at;                                         /* of the one picture; -1: a contact sheet */
    const char* kind_word;                             /* null when it is not given */
    lim_kind kind;
    const char* material_word; /* likewise */
    lim_preset material;
    const char* widen_word; /* likewise */
    bool widen;
    const char* region;
    const char* detail; /* a file of trained detail */
    lim_point region_at;
    int32_t size[2];
    const char* overlay;
    uint32_t overlay_flags;
    bool units, quiet, json;
} run_options;

static bool read_overlay(const char* text, uint32_t* out) {
    static const struct {
        const char* name;
        uint32_t flag;
    } known[] = {{"nodes", LIM_DEBUG_NODES},       {"cells", LIM_DEBUG_CELLS},
                 {"graph", LIM_DEBUG_GRAPH},       {"region", LIM_DEBUG_REGION},
                 {"contacts", LIM_DEBUG_CONTACTS}, {"strain", FILM_STRAIN},
                 {"plastic", FILM_PLASTIC},        {"checker", FILM_CHECKER}};
    *out = 0;
    while (text != NULL) {
        size_t length = strcspn(text, ",");
        uint32_t flag = 0;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
            if (strlen(known[i].name) == length && strncmp(known[i].name, text, length) == 0) {
                flag = known[i].flag;
            }
        }
        if (flag == 0) {
            say_error(
                "--overlay '%.*s' is not known; it takes nodes, cells, graph, region, contacts, "
                "strain, plastic, checker, with commas between",
                (int)length, text);
            return false;
        }
        *out |= flag;
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    return true;
}

static bool read_preset(const char* word, lim_preset* out) {
    for (int i = 0; lim_preset_name((lim_preset)i) != NULL; ++i) {
        if (strcmp(lim_preset_name((lim_preset)i), word) == 0) {
            *out = (lim_preset)i;
            return true;
        }
    }
    say_error("--material '%s' is not known; see `limber list`", word);
    return false;
}

/* X,Y,Z in metres, as the places of a scene. */
static bool read_region(run_options* o) {
    if (o->region == NULL) {
        return true;
    }
    if ((o->overlay_flags & LIM_DEBUG_REGION) == 0) {
        say_error("--region is for --overlay region; add that");
        return false;
    }
    double* const to[3] = {&o->region_at.x, &o->region_at.y, &o->region_at.z};
    const char* text = o->region;
    for (int32_t k = 0; k < 3; ++k) {
        char* end = NULL;
        *to[k] = strtod(text, &end);
        if (end == text || *end != (k < 2 ? ',' : '\0') || !(fabs(*to[k]) <= 1e9)) {
            say_error("--region takes X,Y,Z in metres, not '%s'", o->region);
            return false;
        }
        text = end + 1;
    }
    return true;
}

static bool read_widen(run_options* o) {
    const char* word = o->widen_word;
    o->widen = word == NULL || strcmp(word, "yes") == 0;
    if (word != NULL && !o->widen && strcmp(word, "no") != 0) {
        say_error("--widen '%s' is not known; it takes yes or no", word);
        return false;
    }
    return true;
}

/* Before a run that takes long, not after it. */
static bool check_outputs(const option_texts* outputs, const char* input) {
    for (int32_t i = 0; i < outputs->count; ++i) {
        const char* path = outputs->items[i];
        lim_io_message message = {""};
        if (output_kind_of(path) == OUTPUT_UNKNOWN) {
            say_error("%s: no such kind of file; -o takes .png, .glb, .obj, .ply, .mp4 and .json",
                      path);
            return false;
        }
        if (!output_is_possible(path, &message)) {
            say_error("%s", message.text);
            return false;
        }
        if (output_is_file(path, input)) {
            say_error("%s: is the file that is read; choose another name for -o", path);
            return false;
        }
        for (int32_t k = 0; k < i; ++k) {
            if (strcmp(path, outputs->items[k]) == 0) {
                say_error("-o %s is given twice; leave one out", path);
                return false;
            }
        }
    }
    return true;
}

static option_result read_run_options(run_options* o, int argc, char** argv, option_texts* words) {
    const option options[] = {
        {"-o", "FILE",
         "write FILE; may be given again. .png: a contact sheet, .glb: an animation,\n"
         "                           .obj .ply: a series, .mp4: a movie (needs ffmpeg), .json: the "
         "report",
         OPTION_TEXTS, &o->outputs, 0, 0},
        {"--frames", "N", "stop after N picture frames", OPTION_COUNT, &o->frames, 1, 1e6},
        {"--seconds", "S", "stop after S simulated seconds (default: the scene's; a mesh: at rest)",
         OPTION_NUMBER, &o->seconds, 1e-3, 1e5},
        {"--fps", "F", "picture frames per simulated second (default: the scene's, else 30)",
         OPTION_NUMBER, &o->fps, 0.1, 1000},
        {"--at", "S", "stop after S seconds; a .png is that one moment, not a contact sheet",
         OPTION_NUMBER, &o->at, 0, 1e5},
        {"--size", "WxH", "pixels of each picture (default 400x480; of a movie 960x720)",
         OPTION_SIZE, o->size, 16, 4096},
        {"--kind", "KIND", "what bodies are made of: octree, lattice or points (default: octree)",
         OPTION_TEXT, &o->kind_word, 0, 0},
        {"--nodes", "N", "about how many nodes each body gets (default: the scene's; a mesh: 2000)",
         OPTION_COUNT, &o->nodes, 1, 4e6},
        {"--coarsen", "N", "cells may be up to 2^N times the finest; 0: all of one size",
         OPTION_COUNT, &o->coarsen, 0, 10},
        {"--cells-across", "X", "least number of cells across thin material; 0: any (default 2)",
         OPTION_NUMBER, &o->cells_across, 0, 64},
        {"--material", "NAME",
         "what every body is made of, such as jelly or clay: `limber list` names them", OPTION_TEXT,
         &o->material_word, 0, 0},
        {"--young", "E", "stiffness: Young's modulus of every body, pascal (default: the scene's)",
         OPTION_NUMBER, &o->young, 1e-3, 1e12},
        {"--widen", "yes|no",
         "regions as wide as the modulus of each body needs (default: yes with --material\n"
         "                           or --young, else as the scene says)",
         OPTION_TEXT, &o->widen_word, 0, 0},
        {"--substeps", "N", "substeps per step (default: the scene's, else 4)", OPTION_COUNT,
         &o->substeps, 1, 64},
        {"--workers", "N", "threads (default 1); the result does not depend on them", OPTION_COUNT,
         &o->workers, 1, 64},
        {"--units", NULL, "one unit of a mesh file is a metre; else its longest side is",
         OPTION_FLAG, &o->units, 0, 0},
        {"--overlay", "LIST",
         "draw over pictures: nodes,cells,graph,region,contacts,strain,plastic,checker",
         OPTION_TEXT, &o->overlay, 0, 0},
        {"--region", "X,Y,Z", "with --overlay region: of the node nearest to this place",
         OPTION_TEXT, &o->region, 0, 0},
        {"--detail", "FILE", "trained detail of `limber train`, for the body that the scene trains",
         OPTION_TEXT, &o->detail, 0, 0},
        {"--quiet", NULL, "no progress, no notes, no table; warnings and errors are printed",
         OPTION_FLAG, &o->quiet, 0, 0},
        {"--json", NULL, "print the report as JSON", OPTION_FLAG, &o->json, 0, 0}};
    const option_table table = {.usage = "limber run SCENE|MESH [-o FILE]... [options]",
                                .about =
                                    "Simulates a scene (a name of `limber list`, or a .json "
                                    "file), or drops a mesh (.obj .ply .stl\n"
                                    ".off .gltf .glb, or a model of `limber list`) onto the "
                                    "ground. A mesh needs no option. Ctrl-C ends a run early and "
                                    "keeps what there is. The exit code is 3 when a body froze on "
                                    "the way.\n",
                                .options = options,
                                .option_count = (int32_t)(sizeof options / sizeof options[0]),
                                .words_least = 1,
                                .words_most = 1,
                                .words_name = "the scene or mesh"};
    option_result result = options_read(&table, argc, argv, words);
    if (result != OPTIONS_OK) {
        return result;
    }
    if ((o->frames > 0) + (o->seconds > 0.0) + (o->at >= 0.0) > 1) {
        say_error("--frames, --seconds and --at all set the length; give one of them");
        return OPTIONS_BAD;
    }
    if (o->kind_word != NULL && !kind_of_word(o->kind_word, &o->kind)) {
        return OPTIONS_BAD;
    }
    if (o->material_word != NULL && !read_preset(o->material_word, &o->material)) {
        return OPTIONS_BAD;
    }
    if (!read_widen(o) || !read_overlay(o->overlay, &o->overlay_flags) || !read_region(o)) {
        return OPTIONS_BAD;
    }
    return check_outputs(&o->outputs, words->items[0]) ? OPTIONS_OK : OPTIONS_BAD;
}

static bool building(void* user, float done, const char* stage) {
    (void)stage;
    say_progress_at(user, (double)done);
    return !interrupt_came();
}

/* How long: steps in all, and steps from one recorded frame to the next. */
typedef struct run_length {
    int64_t steps, stride;
    double fps;      /* that this stride gives */
    bool until_done; /* ends when the scene does, if that is earlier */
} run_length;

static run_length choose_length(const run_options* o, const scene_run* run) {
    const scene_desc* desc = scene_run_desc(run);
    double fps = o->fps > 0.0 ? o->fps : desc->fps;
    run_length length = {.stride = (int64_t)(1.0 / (fps * desc->dt) + 0.5)};
    length.stride = length.stride < 1 ? 1 : length.stride;
    length.fps = 1.0 / ((double)length.stride * desc->dt);
    length.steps = scene_run_steps_total(run);
    length.until_done = !(o->frames > 0) && !(o->seconds > 0.0) && !(o->at >= 0.0);
    if (o->frames > 0) {
        length.steps = o->frames * length.stride;
    } else if (o->seconds > 0.0) {
        length.steps = (int64_t)(o->seconds / desc->dt + 0.5);
    } else if (o->at >= 0.0) {
        length.steps = (int64_t)(o->at / desc->dt + 0.5);
    }
    length.steps = length.steps < 1 ? 1 : length.steps;
    return length;
}

/* Greatest strain and lowest point of the moment, which asks for skins. */
static void watch(run_report* report) {
    const lim_world* world = scene_run_world(report->run);
    double ground = (double)scene_run_desc(report->run)->ground_height;
    for (int32_t i = 0; i < scene_run_body_count(report->run); ++i) {
        lim_body_motion motion;
        if (lim_body_get_motion(world, scene_run_body_at(report->run, i).body, &motion) == LIM_OK) {
            report->peak_strain =
                motion.strain > report->peak_strain ? motion.strain : report->peak_strain;
            double lowest = motion.bounds.lower.y - ground;
            report->lowest = lowest < report->lowest ? lowest : report->lowest;
        }
    }
}

/* Steps to the end, or to the end of the frame in which Ctrl-C came; records every frame when the
 * film is wanted, else the first and the last. */
static lim_result simulate(scene_run* run, run_length length, bool filming, film* f, measure* times,
                           run_report* report, bool quiet, lim_io_message* message) {
    lim_result result = film_take(f, run);
    bool may_rest = length.until_done && scene_run_desc(run)->rest_after > 0.0;
    say_progress progress =
        say_progress_begin("simulating", may_rest ? SAY_PACE_AT_MOST : SAY_PACE_EVEN, quiet);
    double start = timer_now(report->host);
    watch(report);
    bool ended = false;
    for (int64_t i = 1; i <= length.steps && !ended && result == LIM_OK; ++i) {
        result = scene_step(run, message);
        if (result != LIM_OK) {
            break;
        }
        lim_step_report step = lim_world_get_report(scene_run_world(run));
        report->restored += step.bodies_restored;
        /* a step in which all sleep costs nothing and would hide what the others cost */
        if (step.bodies_awake > 0 && !measure_add(times, report->host, &step)) {
            result = LIM_ERROR_MEMORY;
        }
        bool whole_frame = i % length.stride == 0;
        ended = i == length.steps || (length.until_done && scene_run_done(run)) ||
                (interrupt_came() && (whole_frame || !filming));
        if (whole_frame || ended) {
            watch(report);
        }
        if (result == LIM_OK && ((filming && whole_frame) || ended)) {
            result = film_take(f, run);
        }
        say_progress_at(&progress, (double)i / (double)length.steps);
    }
    report->wall_seconds = timer_now(report->host) - start;
    say_progress_end(&progress, result == LIM_OK && !interrupt_came());
    return result;
}

static int write_report(const run_report* report, const char* path) {
    FILE* file = fopen(path, "w");
    if (file != NULL) {
        run_report_json(report, file);
        bool whole = ferror(file) == 0;
        if (fclose(file) == 0 && whole) {
            return EXIT_DONE;
        }
    }
    say_error("%s: cannot be written; check the folder and the space on the disk", path);
    return EXIT_FAILED;
}

/* What cannot be written does not keep the rest from being written. */
static int write_outputs(const run_options* o, const film* f, run_report* report, say_log* log) {
    const scene_desc* desc = scene_run_desc(report->run);
    lim_camera camera = desc->camera;
    camera.eye = film_relative(f, camera.eye);
    camera.target = film_relative(f, camera.target);
    output_look look = {.size = {o->size[0], o->size[1]},
                        .camera = desc->has_camera ? &camera : NULL,
                        .quiet = o->quiet,
                        .one_moment = o->at >= 0.0,
                        .at = o->at};
    int code = EXIT_DONE;
    for (int32_t i = 0; i < o->outputs.count; ++i) {
        const char* path = o->outputs.items[i];
        lim_io_message message = {""};
        if (output_kind_of(path) == OUTPUT_JSON) {
            continue;
        }
        lim_result result = output_write(f, path, &look, &report->sheet, &message);
        if (result != LIM_OK) {
            code = subject_failed(path, result, &message, log);
        }
    }
    /* last, because it tells of the pictures too */
    report->interrupted = interrupt_came();
    for (int32_t i = 0; i < o->outputs.count; ++i) {
        if (output_kind_of(o->outputs.items[i]) == OUTPUT_JSON &&
            write_report(report, o->outputs.items[i]) != EXIT_DONE) {
            code = EXIT_FAILED;
        }
    }
    return code;
}

static bool wants_film(const run_options* o) {
    for (int32_t i = 0; i < o->outputs.count; ++i) {
        if (output_kind_of(o->outputs.items[i]) != OUTPUT_JSON) {
            return true;
        }
    }
    return false;
}

/* Each of two blades in a body at once ends the stroke of the other. */
static void tell_overlapping_cuts(const scene_desc* d, const char* word, say_log* log) {
    for (int32_t i = 0; i < d->action_count; ++i) {
        const scene_action* a = &d->actions[i];
        for (int32_t k = 0; k < i && a->type == SCENE_CUT; ++k) {
            const scene_action* b = &d->actions[k];
            bool same = b->type == SCENE_CUT && b->target == a->target &&
                        (b->copy == a->copy || b->copy < 0 || a->copy < 0);
            if (same && a->at < b->at + b->move_time && b->at < a->at + a->move_time) {
                log_say(&log->host, LIM_LOG_WARNING,
                        "%s:%d:%d: action %d cuts from %g to %g s, action %d the same body from %g "
                        "to %g s: their sweeps end each other's strokes, and may not part it; let "
                        "one end before the other begins",
                        word, a->line, a->column, i + 1, a->at, a->at + a->move_time, k + 1, b->at,
                        b->at + b->move_time);
                return; /* one such line is enough */
            }
        }
    }
}

/* What begins after the last step never happens, and a blade may not get to its end: nobody means
 * that. */
static void tell_late_actions(const scene_run* run, const char* word, int64_t steps, say_log* log) {
    const scene_desc* d = scene_run_desc(run);
    int64_t all = scene_run_steps_total(run);
    double last = ((double)(steps > all ? steps : all) - 1.0) * d->dt;
    for (int32_t i = 0; i < d->action_count; ++i) {
        const scene_action* a = &d->actions[i];
        if (a->at > last + 1e-6) {
            log_say(&log->host, LIM_LOG_WARNING,
                    "%s:%d:%d: action %d begins at %g s, and the scene ends at %g s: it never "
                    "acts; give a longer \"duration\" or an earlier \"at\"",
                    word, a->line, a->column, i + 1, a->at, last + d->dt);
        } else if (a->type == SCENE_CUT && a->at + a->move_time > last + d->dt + 1e-6) {
            log_say(&log->host, LIM_LOG_WARNING,
                    "%s:%d:%d: action %d cuts until %g s, and the scene ends at %g s: the blade "
                    "stops on its way; give a longer \"duration\" or a shorter \"move_time\"",
                    word, a->line, a->column, i + 1, a->at + a->move_time, last + d->dt);
        }
    }
}

/* From a started run to its results. */
static int run_to_the_end(const run_options* o, const char* word, scene_run* run,
                          const subject* about, say_log* log) {
    lim_io_message message = {""};
    film recorded;
    measure times;
    memset(&times, 0, sizeof times);
    run_length length = choose_length(o, run);
    tell_late_actions(run, word, length.steps, log);
    tell_overlapping_cuts(scene_run_desc(run), word, log);
    lim_result result =
        film_begin(&recorded, run, o->overlay_flags, o->region != NULL ? &o->region_at : NULL,
                   length.fps, &log->host);
    run_report report = {.name = word,
                         .run = run,
                         .recorded = &recorded,
                         .about = about,
                         .times = &times,
                         .host = &log->host,
                         .lowest = INFINITY,
                         .workers = o->workers > 0 ? o->workers : 1};
    if (result == LIM_OK) {
        result =
            simulate(run, length, wants_film(o), &recorded, &times, &report, o->quiet, &message);
    }
    bool ended_early = interrupt_came();
    int code = result == LIM_OK ? write_outputs(o, &recorded, &report, log)
                                : subject_failed(word, result, &message, log);
    if (code == EXIT_DONE && o->json) {
        run_report_json(&report, stdout);
    } else if (code == EXIT_DONE && !o->quiet) {
        run_report_table(&report, stdout);
        for (int32_t i = 0; i < o->outputs.count; ++i) {
            printf("%-16s %s\n", i == 0 ? "written" : "", o->outputs.items[i]);
        }
    }
    code = code == EXIT_DONE ? run_report_code(&report) : code;
    if (code == EXIT_DONE && report.interrupted) {
        if (ended_early) {
            say_error("interrupted after %.2f s of at most %.2f; what there was by then is written",
                      scene_run_time(run), (double)length.steps * scene_run_desc(run)->dt);
        } else {
            say_error("interrupted after the last step; all is written, but a movie may end early");
        }
        code = EXIT_INTERRUPTED;
    }
    measure_free(&times, &log->host);
    film_end(&recorded);
    return code;
}

/* To the body that the scene trains, or the first. */
static int give_detail(const char* path, const scene_run* run, say_log* log) {
    const scene_desc* d = scene_run_desc(run);
    int32_t entry = 0;
    for (int32_t i = 0; d->has_training && i < d->training.body; ++i) {
        entry += d->bodies[i].copies[0] * d->bodies[i].copies[1] * d->bodies[i].copies[2];
    }
    lim_io_message none = {""};
    size_t size = 0;
    unsigned char* bytes = file_read(path, &size);
    if (bytes == NULL) {
        say_error("%s: cannot be read; give a file that `limber train` wrote", path);
        return EXIT_FAILED;
    }
    lim_result result = lim_body_set_trained_detail(
        scene_run_world(run), scene_run_body_at(run, entry).body, bytes, size);
    free(bytes);
    return result == LIM_OK ? EXIT_DONE : subject_failed(path, result, &none, log);
}

int command_run(int argc, char** argv) {
    run_options o;
    memset(&o, 0, sizeof o);
    o.coarsen = -1;
    o.cells_across = -1.0;
    o.at = -1.0;
    option_texts words;
    option_result read = read_run_options(&o, argc, argv, &words);
    if (read != OPTIONS_OK) {
        return read == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    say_log log;
    say_log_init(&log, o.quiet ? LIM_LOG_WARNING : LIM_LOG_INFO);
    scene_drop_options drop = scene_drop_options_default();
    drop.keep_units = o.units;
    drop.nodes = o.nodes;
    subject about;
    int code = subject_open(&about, words.items[0], &drop, &log);
    if (code != EXIT_DONE) {
        return code;
    }
    if (about.read.repairs > 1) { /* the reader has warned of the first */
        log_say(&log.host, LIM_LOG_WARNING, "%s: mended in %d places in all", words.items[0],
                about.read.repairs);
    }
    interrupt_listen();
    say_progress progress = say_progress_begin("building", SAY_PACE_UNKNOWN, o.quiet);
    lim_material material = lim_material_preset(o.material);
    scene_options options = {.read_mesh = subject_read_mesh,
                             .workers = o.workers,
                             .substeps = o.substeps,
                             .nodes = o.nodes,
                             .has_kind = o.kind_word != NULL,
                             .has_coarsen = o.coarsen >= 0,
                             .has_cells_across = o.cells_across >= 0.0,
                             .kind = o.kind,
                             .coarsen = o.coarsen,
                             .cells_across = (float)o.cells_across,
                             .material = o.material_word != NULL ? &material : NULL,
                             .young = (float)o.young,
                             .has_widen =
                                 o.widen_word != NULL || o.material_word != NULL || o.young > 0.0,
                             .widen = o.widen,
                             .progress = building,
                             .progress_user = &progress};
    lim_io_message message = {""};
    scene_run* run = NULL;
    lim_result result = scene_start(about.plan, &options, &log.host, &run, &message);
    say_progress_end(&progress, result == LIM_OK);
    if (result == LIM_OK && o.detail != NULL) {
        code = give_detail(o.detail, run, &log);
    }
    if (result == LIM_OK && code == EXIT_DONE) {
        code = run_to_the_end(&o, words.items[0], run, &about, &log);
    } else if (result != LIM_OK && interrupt_came()) {
        say_error("interrupted before the first step; nothing is written");
        code = EXIT_INTERRUPTED;
    } else if (result != LIM_OK) {
        code = subject_failed(words.items[0], result, &message, &log);
    }
    scene_stop(run);
    subject_close(&about);
    return code;
}

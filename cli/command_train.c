/* SPDX-License-Identifier: MIT
 * Job: `limber train`. In: a scene with a "training". Out: a file of trained detail, and how good
 * it is. Ctrl-C keeps what is done beside the file; the same command goes on from there.
 */
#include "cli/commands.h"
#include "cli/file_bytes.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/subject.h"

#include "base/timer.h"
#include "train/trainer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is done is kept this often, seconds. */
#define KEPT_EVERY 30.0

typedef struct train_options {
    const char* output;
    int32_t poses, held_out, workers; /* 0 and -1: the scene's */
    double budget;                    /* megabytes; 0: none */
    bool anew, quiet;
} train_options;

typedef struct train_work {
    trainer* t;
    const train_options* o;
    char part[4096]; /* the file of what is kept */
    say_progress progress;
    double kept; /* when */
} train_work;

/* ---- what is kept
 * --------------------------------------------------------------------------------------
 */

static void keep(train_work* w) {
    unsigned char* bytes = NULL;
    size_t size = 0;
    if (trainer_keep(w->t, &bytes, &size) == LIM_OK) {
        (void)file_write(w->part, bytes, size);
    }
    free(bytes);
    w->kept = timer_now(NULL);
}

static void resume(train_work* w) {
    size_t size = 0;
    unsigned char* bytes = w->o->anew ? NULL : file_read(w->part, &size);
    if (bytes == NULL) {
        return;
    }
    lim_result result = trainer_resume(w->t, bytes, size);
    if (result == LIM_OK && !w->o->quiet) {
        fprintf(stderr, "limber: goes on from %s\n", w->part);
    } else if (result != LIM_OK) {
        say_error("%s: is of another scene or damaged; begins anew", w->part);
    }
    free(bytes);
}

/* ---- stages -------------------------------------------------------------------------------------
 */

static bool advance(void* user, double share) {
    train_work* w = user;
    say_progress_at(&w->progress, share);
    if (timer_now(NULL) - w->kept > KEPT_EVERY && share < 1.0) {
        keep(w);
    }
    return !interrupt_came();
}

static void print_poses(const trainer* t, bool quiet) {
    int32_t count[TRAIN_FAILED + 1] = {0};
    double residual = 0.0, detail = 0.0;
    for (int32_t i = 0; i < trainer_count(t); ++i) {
        train_pose_report r = trainer_report(t, i);
        count[r.status]++;
        residual = r.status == TRAIN_DONE && r.residual > residual ? r.residual : residual;
        detail = r.status == TRAIN_DONE && r.detail > detail ? r.detail : detail;
        if (r.status > TRAIN_DONE && !quiet) {
            fprintf(stderr,
                    "limber: pose %d at (%.4g, %.4g, %.4g), %.4g m deep, is left out: %s "
                    "(residual %.2g after %d steps)\n",
                    i + 1, r.point.x, r.point.y, r.point.z, (double)r.depth,
                    train_status_name(r.status), r.residual, r.iterations);
        }
    }
    if (!quiet) {
        printf("%-16s %d of %d poses", "examples", count[TRAIN_DONE], trainer_count(t));
        for (int s = TRAIN_MISSED; s <= TRAIN_FAILED; ++s) {
            if (count[s] > 0) {
                printf(", %d %s", count[s], train_status_name((train_status)s));
            }
        }
        printf("\n%-16s %.2g of the load at most\n", "residual", residual);
        printf("%-16s %.3g m at most\n", "detail", detail);
    }
}

static void print_quality(const train_quality* q) {
    printf("%-16s %d poses that were not learnt: the plain skin is %.3g m off, with detail %.3g m "
           "(%.0f %%; in the worst pose %.0f %%)\n",
           "held out", q->poses, q->coarse, q->enriched,
           q->coarse > 0.0 ? 100.0 * q->enriched / q->coarse : 100.0, 100.0 * q->worst);
}

static int finish(train_work* w, const char* word, say_log* log) {
    unsigned char* bytes = NULL;
    size_t size = 0;
    int32_t left_out = 0;
    lim_io_message none = {""};
    lim_result result = trainer_bytes(w->t, (size_t)(w->o->budget * 1e6), &bytes, &size, &left_out);
    if (result == LIM_ERROR_ARGUMENT) {
        say_error("%s: no pose has given an example; nothing is written", word);
        return EXIT_FAILED;
    }
    if (result != LIM_OK) {
        return subject_failed(word, result, &none, log);
    }
    int code = file_write(w->o->output, bytes, size) ? EXIT_DONE : EXIT_FAILED;
    if (!w->o->quiet) {
        if (left_out > 0) {
            printf("%-16s %d examples that others are like are left out\n", "budget", left_out);
        }
        printf("%-16s %s, %.2f MB\n", "written", w->o->output, 1e-6 * (double)size);
    }
    if (code == EXIT_DONE && !interrupt_came() && !w->o->quiet) {
        train_quality q;
        w->progress = say_progress_begin("testing", SAY_PACE_EVEN, w->o->quiet);
        w->kept = timer_now(NULL) + 1e9;
        result = trainer_test(w->t, bytes, size, w->o->workers, advance, w, &q);
        say_progress_end(&w->progress, result == LIM_OK && !interrupt_came());
        if (result == LIM_OK && q.poses > 0) {
            print_quality(&q);
        }
    }
    free(bytes);
    return code;
}

static int train(train_work* w, const char* word, say_log* log) {
    lim_io_message none = {""};
    snprintf(w->part, sizeof w->part, "%s.part", w->o->output);
    resume(w);
    w->kept = timer_now(NULL);
    w->progress = say_progress_begin("training", SAY_PACE_EVEN, w->o->quiet);
    lim_result result = trainer_run(w->t, w->o->workers, advance, w);
    say_progress_end(&w->progress, result == LIM_OK && !interrupt_came());
    if (result != LIM_OK) {
        keep(w);
        return subject_failed(word, result, &none, log);
    }
    if (interrupt_came()) {
        keep(w);
        say_error("interrupted; what is done is kept in %s, and the same command goes on from it",
                  w->part);
    } else {
        remove(w->part);
    }
    print_poses(w->t, w->o->quiet);
    int code = finish(w, word, log);
    return interrupt_came() ? EXIT_INTERRUPTED : code;
}

int command_train(int argc, char** argv) {
    train_options o = {.poses = 0, .held_out = -1, .workers = 1};
    const option options[] = {
        {"-o", "FILE", "where the trained detail goes (required)", OPTION_TEXT, &o.output, 0, 0},
        {"--poses", "N", "poses to learn; default: the scene's", OPTION_COUNT, &o.poses, 1, 10000},
        {"--held-out", "N", "further poses that show how good it is; default: the scene's",
         OPTION_COUNT, &o.held_out, 0, 1000},
        {"--workers", "N", "poses that run side by side; default 1", OPTION_COUNT, &o.workers, 1,
         64},
        {"--budget", "MB", "largest size of the file, megabytes; default: none", OPTION_NUMBER,
         &o.budget, 0.001, 4000},
        {"--anew", NULL, "do not go on from an interrupted training", OPTION_FLAG, &o.anew, 0, 0},
        {"--quiet", NULL, "say nothing but errors", OPTION_FLAG, &o.quiet, 0, 0}};
    const option_table table = {
        .usage = "limber train SCENE -o FILE [options]",
        .about = "Presses the scene's tool into its body in many poses, works out with an accurate "
                 "model\n"
                 "what the skin would look like, and writes the difference as trained detail\n"
                 "(docs/detail.md). Ctrl-C keeps what is done; the same command goes on from it.\n",
        .options = options,
        .option_count = (int32_t)(sizeof options / sizeof options[0]),
        .words_least = 1,
        .words_most = 1,
        .words_name = "a scene"};
    option_texts words;
    option_result read = options_read(&table, argc, argv, &words);
    if (read != OPTIONS_OK) {
        return read == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    if (o.output == NULL) {
        say_error("-o is missing; say where the trained detail goes");
        return EXIT_USAGE;
    }
    if (output_is_file(o.output, words.items[0])) {
        say_error("%s: is the file that is read; choose another name for -o", o.output);
        return EXIT_USAGE;
    }
    say_log log;
    say_log_init(&log, o.quiet ? LIM_LOG_ERROR : LIM_LOG_WARNING);
    scene_drop_options drop = scene_drop_options_default();
    subject about;
    int code = subject_open(&about, words.items[0], &drop, &log);
    if (code != EXIT_DONE) {
        return code;
    }
    interrupt_listen();
    scene_options how = {.read_mesh = subject_read_mesh, .workers = 1};
    lim_io_message message = {""};
    train_work w = {.o = &o};
    trainer_choice choice = {.poses = o.poses, .held_out = o.held_out};
    lim_result result = trainer_create(about.plan, &how, &choice, &log.host, &w.t, &message);
    code = result == LIM_OK ? train(&w, words.items[0], &log)
                            : subject_failed(words.items[0], result, &message, &log);
    trainer_destroy(w.t);
    subject_close(&about);
    return code;
}

/* SPDX-License-Identifier: MIT
 * Parts of the command line tool that need no run: options, suggestions, moments, JSON, medians,
 * the shape error, colliders as meshes.
 */
#include "cli/emit.h"
#include "cli/measure.h"
#include "cli/moments.h"
#include "cli/options.h"
#include "cli/paper_rows.h"
#include "cli/plot.h"
#include "cli/props.h"
#include "cli/run_report.h"
#include "cli/say.h"

#include "base/random.h"
#include "test.h"

static option_result read_words(int argc, char** argv, int32_t* count, double* number,
                                int32_t* size, bool* flag, option_texts* texts,
                                option_counts* counts, option_texts* words) {
    const option options[] = {{"--count", "N", "", OPTION_COUNT, count, 1, 100},
                              {"--number", "X", "", OPTION_NUMBER, number, -1.5, 1e6},
                              {"--size", "WxH", "", OPTION_SIZE, size, 16, 4096},
                              {"--flag", NULL, "", OPTION_FLAG, flag, 0, 0},
                              {"-o", "FILE", "", OPTION_TEXTS, texts, 0, 0},
                              {"--list", "N,...", "", OPTION_COUNTS, counts, 1, 1000}};
    const option_table table = {.usage = "test",
                                .about = "",
                                .options = options,
                                .option_count = 6,
                                .words_least = 1,
                                .words_most = 2,
                                .words_name = "a word"};
    return options_read(&table, argc, argv, words);
}

typedef struct read_values {
    int32_t count, size[2];
    double number;
    bool flag;
    option_texts texts, words;
    option_counts counts;
} read_values;

/* Splits a line at spaces and reads it. */
static option_result read_line(const char* line, read_values* v) {
    static char copy[512];
    static char* parts[32];
    memset(v, 0, sizeof *v);
    snprintf(copy, sizeof copy, "%s", line);
    int argc = 0;
    for (char* part = strtok(copy, " "); part != NULL; part = strtok(NULL, " ")) {
        parts[argc++] = part;
    }
    return read_words(argc, parts, &v->count, &v->number, v->size, &v->flag, &v->texts, &v->counts,
                      &v->words);
}

static void time_left_is_told(void) {
    CHECK(say_time_left(1.9, 0.001) == 0.0); /* too early to say */
    CHECK(say_time_left(3.0, 0.0) == 0.0 && say_time_left(3.0, NAN) == 0.0);
    CHECK(say_time_left(30.0, 0.5) == 0.0); /* a minute in all is not long */
    CHECK_NEAR(say_time_left(3.0, 0.01), 297.0, 1e-9);
    CHECK_NEAR(say_time_left(90.0, 0.75), 30.0, 1e-9);
    static const struct {
        double seconds;
        const char* text;
    } times[] = {{0.2, "1 s"},      {42.0, "42 s"},     {99.0, "99 s"},   {100.0, "2 min"},
                 {180.0, "3 min"},  {181.0, "4 min"},   {5900, "99 min"}, {6000.0, "1.7 h"},
                 {36000, "10.0 h"}, {90000.0, "25.0 h"}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        char text[32];
        say_time(times[i].seconds, text, sizeof text);
        CHECK(strcmp(text, times[i].text) == 0);
    }
}

static void options_are_read(void) {
    read_values v;
    CHECK(
        read_line("a --count 7 --number=-1.5 -o x.png --size 640x480 b --flag -o y --list 1,20,300",
                  &v) == OPTIONS_OK);
    CHECK(v.count == 7 && v.number == -1.5 && v.flag);
    CHECK(v.size[0] == 640 && v.size[1] == 480);
    CHECK(v.texts.count == 2 && strcmp(v.texts.items[1], "y") == 0);
    CHECK(v.counts.count == 3 && v.counts.items[2] == 300);
    CHECK(v.words.count == 2 && strcmp(v.words.items[1], "b") == 0);
    CHECK(read_line("-- --count", &v) == OPTIONS_OK && strcmp(v.words.items[0], "--count") == 0);
    CHECK(read_line("a --help", &v) == OPTIONS_HELP);
}

static void bad_options_are_refused(void) {
    static const char* const lines[] = {"",
                                        "a b c",
                                        "a --count",
                                        "a --count x",
                                        "a --count 1.5",
                                        "a --count 0",
                                        "a --count 101",
                                        "a --count nan",
                                        "a --count 7z",
                                        "a --number inf",
                                        "a --number -2",
                                        "a --size 640",
                                        "a --size 640x",
                                        "a --size x480",
                                        "a --size 640x480x3",
                                        "a --size 8x480",
                                        "a --flag=1",
                                        "a --list 1,,2",
                                        "a --list 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
                                        "a --cuont 7",
                                        "a -x"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        read_values v;
        CHECK(read_line(lines[i], &v) == OPTIONS_BAD);
    }
}

static void slips_find_their_word(void) {
    static const char* const names[] = {"run", "list", "info", "bench", "--frames", "--workers"};
    CHECK(strcmp(options_nearest("rnu", names, 6), "run") == 0);
    CHECK(strcmp(options_nearest("--frame", names, 6), "--frames") == 0);
    CHECK(strcmp(options_nearest("--wrokers", names, 6), "--workers") == 0);
    CHECK(options_nearest("penguin", names, 6) == NULL);
    CHECK(options_nearest("", names, 0) == NULL);
}

static void moments_tell_the_story(void) {
    /* a fall of 20 frames, contact from 20 on, greatest squash at 26, top of the rebound at 40 */
    moment_sample samples[120];
    for (int32_t i = 0; i < 120; ++i) {
        double height = i < 26 ? 10.0 - 0.01 * i * i : 3.24 + 0.02 * (14.0 - fabs(i - 40.0));
        samples[i] = (moment_sample){.contacts = i >= 20,
                                     .strain = i == 26 ? 0.5 : 0.1,
                                     .height = height,
                                     .motion = i < 20    ? 0.004 * i
                                               : i <= 26 ? 0.03
                                                         : 0.004};
    }
    int32_t moments[MOMENTS_MOST];
    int32_t count = moments_choose(samples, 120, moments);
    CHECK(count == MOMENTS_MOST);
    static const int32_t wanted[] = {0, 20, 26, 40, 119};
    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; ++w) {
        bool found = false;
        for (int32_t i = 0; i < count; ++i) {
            found = found || moments[i] == wanted[w];
        }
        CHECK(found);
    }
    CHECK(moments[1] > 8 && moments[1] < 18); /* one in the fall, where it is fast */
    /* Five actions come to their point: all are shown. Of ten as many as there is room for. */
    for (int32_t many = 1; many <= 2; ++many) {
        for (int32_t i = 0; i < 120; ++i) {
            samples[i].telling = i > 0 && i < 100 && i % (20 / many) == 0;
        }
        CHECK(moments_choose(samples, 120, moments) == MOMENTS_MOST);
        int32_t told = 0;
        for (int32_t i = 0; i < MOMENTS_MOST; ++i) {
            told += samples[moments[i]].telling;
        }
        CHECK(many == 1 ? told == 4 : told >= 5);
    }
    /* where nothing moves after half of the time, no two pictures are taken of it but the last */
    for (int32_t i = 0; i < 120; ++i) {
        samples[i] = (moment_sample){.motion = i < 60 ? 0.02 : 0.0};
    }
    CHECK(moments_choose(samples, 120, moments) == MOMENTS_MOST && moments[MOMENTS_MOST - 3] < 60);
    /* any film: ascending, different, within, and never fewer than there could be */
    random_stream r = random_seed(3);
    for (int32_t n = 0; n <= 40; ++n) {
        for (int32_t i = 0; i < n; ++i) {
            samples[i] = (moment_sample){.contacts = random_index(&r, 2),
                                         .strain = (double)random_unit(&r),
                                         .height = (double)random_unit(&r)};
        }
        count = moments_choose(samples, n, moments);
        CHECK(count == (n < MOMENTS_MOST ? n : MOMENTS_MOST));
        for (int32_t i = 0; i < count; ++i) {
            CHECK(moments[i] >= 0 && moments[i] < n && (i == 0 || moments[i] > moments[i - 1]));
        }
    }
}

static void json_is_well_formed(void) {
    FILE* file = tmpfile();
    CHECK(file != NULL);
    if (file == NULL) {
        return;
    }
    emit e = emit_begin(file);
    emit_object(&e, NULL);
    emit_text(&e, "text", "a \"b\" \\ \n");
    emit_number(&e, "nan", NAN);
    emit_number(&e, "number", 0.5);
    emit_array(&e, "empty");
    emit_close_array(&e);
    emit_array(&e, "list");
    emit_count(&e, NULL, -3);
    emit_flag(&e, NULL, true);
    emit_close_array(&e);
    emit_hash(&e, "hash", 255);
    emit_close_object(&e);
    CHECK(emit_end(&e));
    char text[512] = "";
    rewind(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    CHECK(strcmp(text,
                 "{\n  \"text\": \"a \\\"b\\\" \\\\ \\u000a\",\n  \"nan\": null,\n"
                 "  \"number\": 0.5,\n  \"empty\": [],\n  \"list\": [\n    -3,\n    true\n  ],\n"
                 "  \"hash\": \"00000000000000ff\"\n}\n") == 0);
}

static void medians_are_right(void) {
    say_log log;
    say_log_init(&log, LIM_LOG_ERROR);
    double values[101];
    for (int32_t i = 0; i < 101; ++i) {
        values[i] = (double)((i * 37) % 101) - 10.0; /* -10 .. 90 in some order */
    }
    measure_summary s = measure_of(values, 101, &log.host);
    CHECK(s.least == -10.0 && s.median == 40.0 && s.p99 == 89.0);
    s = measure_of(values, 0, &log.host);
    CHECK(s.least == 0.0 && s.median == 0.0 && s.p99 == 0.0);
    const double two[2] = {3.0, 1.0};
    CHECK(measure_of(two, 2, &log.host).median == 2.0);
    CHECK(measure_of(two, 2, &log.host).p99 >= 2.0);
}

static void shape_error_ignores_rigid_motion(void) {
    enum { COUNT = 200 };
    float before[3 * COUNT], after[3 * COUNT];
    random_stream r = random_seed(11);
    for (int32_t i = 0; i < 3 * COUNT; ++i) {
        before[i] = random_range(&r, -1.0f, 1.0f);
    }
    /* a turn by 2 radians about y, and a shift */
    for (int32_t i = 0; i < COUNT; ++i) {
        float x = before[3 * i], y = before[3 * i + 1], z = before[3 * i + 2];
        after[3 * i] = -0.41614684f * x + 0.90929743f * z + 5.0f;
        after[3 * i + 1] = y - 2.0f;
        after[3 * i + 2] = -0.90929743f * x - 0.41614684f * z + 1.0f;
    }
    CHECK_NEAR(run_report_shape(before, after, COUNT), 0.0, 1e-6);
    /* a bump on every other point: the distance is known before the fit, and the fit may only
       lower it */
    for (int32_t i = 0; i < COUNT; i += 2) {
        after[3 * i] += 0.1f;
    }
    double error = run_report_shape(before, after, COUNT);
    CHECK(error > 0.01 && error < 0.1 / sqrt(2.0) / 3.0);
    CHECK(run_report_shape(before, after, 0) == 0.0);
}

/* A closed surface has the right volume by the divergence theorem, wherever it stands: wrong turns
 * would show in it, and a wrong place in the mean of its points. */
static double volume_of(const lim_io_frame* f, double mean[3]) {
    double volume = 0.0;
    for (int32_t t = 0; t < f->triangle_count; ++t) {
        const float* a = &f->positions[3 * f->indices[3 * t]];
        const float* b = &f->positions[3 * f->indices[3 * t + 1]];
        const float* c = &f->positions[3 * f->indices[3 * t + 2]];
        volume += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6.0;
    }
    for (int32_t i = 0; i < 3 * f->vertex_count; ++i) {
        mean[i % 3] += (double)f->positions[i] / f->vertex_count;
    }
    return volume;
}

static void colliders_stand_where_they_are(void) {
    static const struct {
        lim_shape shape;
        double volume, tolerance;
    } shapes[] = {{LIM_SHAPE_BOX, 1.0, 2e-3}, /* its edges are round */
                  {LIM_SHAPE_SPHERE, 0.5236, 0.02},
                  {LIM_SHAPE_CAPSULE, 0.5236 + 1.5708, 0.08}};
    say_log log;
    say_log_init(&log, LIM_LOG_ERROR);
    arena memory;
    arena_init(&memory, &log.host);
    film_collider c = {.size = {0.5f, 1.0f, 0.25f},
                       .position = {1.0f, 2.0f, 3.0f},
                       .orientation = {0.1f, 0.2f, 0.3f, 0.9f}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
        lim_draw_mesh mesh;
        double mean[3] = {0.0, 0.0, 0.0};
        c.shape = shapes[i].shape;
        CHECK(prop_make(&c, &memory, &mesh) == LIM_OK);
        CHECK_NEAR(volume_of(&mesh.frame, mean), shapes[i].volume, shapes[i].tolerance);
        CHECK_NEAR(mean[0], 1.0, 0.01);
        CHECK_NEAR(mean[1], 2.0, 0.01);
        CHECK_NEAR(mean[2], 3.0, 0.01);
    }
    lim_draw_mesh none;
    c.shape = LIM_SHAPE_PLANE; /* it has no end */
    CHECK(prop_make(&c, &memory, &none) == LIM_ERROR_ARGUMENT);
    arena_release(&memory);
}

/* A landscape is lit from above, whichever way its sheet could be taken to look: all of its normals
 * point up, and so do its triangles. */
static void landscapes_look_up(void) {
    enum { SIDE = 9 };
    float heights[SIDE * SIDE];
    for (int32_t i = 0; i < SIDE * SIDE; ++i) {
        float x = (float)(i % SIDE) - 4.0f, z = (float)(i / SIDE) - 4.0f;
        heights[i] = 0.02f * (x * x - z * x) + 0.1f * z;
    }
    const film_collider c = {.shape = LIM_SHAPE_HEIGHTS,
                             .size = {0.5f, 0.0f, 0.5f},
                             .orientation = {0.0f, 0.0f, 0.0f, 1.0f},
                             .heights = heights,
                             .columns = SIDE,
                             .rows = SIDE};
    say_log log;
    say_log_init(&log, true);
    arena memory;
    arena_init(&memory, &log.host);
    lim_draw_mesh mesh;
    CHECK(prop_make(&c, &memory, &mesh) == LIM_OK);
    CHECK(mesh.frame.triangle_count == 2 * (SIDE - 1) * (SIDE - 1));
    for (int32_t i = 0; i < mesh.frame.triangle_count; ++i) {
        const uint32_t* t = mesh.frame.indices + 3 * i;
        const float *a = mesh.frame.positions + 3 * t[0], *b = mesh.frame.positions + 3 * t[1],
                    *d = mesh.frame.positions + 3 * t[2];
        CHECK((b[2] - a[2]) * (d[0] - a[0]) - (b[0] - a[0]) * (d[2] - a[2]) > 0.0f);
        CHECK(mesh.frame.normals[3 * t[0] + 1] > 0.3f);
    }
    arena_release(&memory);
}

static void slopes_and_plots(void) {
    plot p = {.title = "t", .x_name = "x", .y_name = "y", .series_count = 2};
    for (int32_t i = 0; i < 8; ++i) {
        double x = i + 1.0;
        p.series[0].x[i] = p.series[1].x[i] = x;
        p.series[0].y[i] = 0.01 * x * x * x;
        p.series[1].y[i] = 5.0;
    }
    p.series[0].count = p.series[1].count = 8;
    p.series[0].name = p.series[1].name = "s";
    p.series[0].rgba = 0xFF0000FFu;
    p.series[1].rgba = 0x0000FFFFu;
    CHECK_NEAR(plot_slope(&p.series[0], 2.0, 8.0), 3.0, 1e-9);
    CHECK_NEAR(plot_slope(&p.series[1], 2.0, 8.0), 0.0, 1e-9);
    CHECK(isnan(plot_slope(&p.series[0], 8.0, 9.0)));
    lim_image image = {0};
    CHECK(plot_draw(&p, 400, 300, &image) == LIM_OK);
    int32_t red = 0, blue = 0;
    for (int32_t i = 0; i < 400 * 300; ++i) {
        const uint8_t* c = image.rgba + 4 * i;
        red += c[0] == 255 && c[1] == 0 && c[2] == 0;
        blue += c[0] == 0 && c[1] == 0 && c[2] == 255;
    }
    CHECK(red > 500 && blue > 500);
    lim_image_destroy(&image);
    p.series_count = 0;
    CHECK(plot_draw(&p, 400, 300, &image) == LIM_ERROR_ARGUMENT);
}

static void rows_are_copied_and_bounded(void) {
    paper_rows rows = {.count = 0};
    char name[8] = "first";
    paper_rows_add(&rows, name, NAN, 1.0, "");
    name[0] = 'X';
    CHECK(strcmp(rows.items[0].name, "first") == 0);
    paper_rows_of(&rows, "box", "nodes", 1.0, 2.0, "ms");
    CHECK(strcmp(rows.items[1].name, "box: nodes") == 0);
    for (int32_t i = 0; i < 2 * PAPER_ROWS_MOST; ++i) {
        paper_rows_add(&rows, "more", 0.0, 0.0, "");
        paper_rows_note(&rows, "note");
    }
    CHECK(rows.count == PAPER_ROWS_MOST && rows.note_count == PAPER_NOTES_MOST);
}

/* A run in which a body froze says so in its exit code. */
static void frozen_bodies_have_an_exit_code(void) {
    run_report report = {.name = "a scene"};
    CHECK(run_report_code(&report) == EXIT_DONE);
    report.restored = 2;
    CHECK(run_report_code(&report) == EXIT_FROZEN);
}

TEST_SUITE(tool_parts) {
    TEST_BEGIN(argc, argv);
    RUN(options_are_read);
    RUN(time_left_is_told);
    RUN(bad_options_are_refused);
    RUN(slips_find_their_word);
    RUN(moments_tell_the_story);
    RUN(json_is_well_formed);
    RUN(medians_are_right);
    RUN(shape_error_ignores_rigid_motion);
    RUN(colliders_stand_where_they_are);
    RUN(landscapes_look_up);
    RUN(slopes_and_plots);
    RUN(rows_are_copied_and_bounded);
    RUN(frozen_bodies_have_an_exit_code);
    TEST_END();
}

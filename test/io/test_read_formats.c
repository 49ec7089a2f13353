/* SPDX-License-Identifier: MIT
 * Job: every format in memory. The box is the same whatever it is read from; every truncated
 * length and every failing allocation ends in a result, with nothing held and nothing crashed.
 */
#include "failing_host.h"
#include "read_samples.h"

static lim_result parse(const sample* s, size_t size, const lim_host* host, lim_mesh** mesh,
                        lim_io_report* report, lim_io_message* message) {
    /* A copy of exactly this size: a byte read beyond it is seen by the sanitizer. */
    char* copy = malloc(size > 0 ? size : 1);
    memcpy(copy, s->bytes, size);
    lim_result result = lim_io_parse_mesh(copy, size, s->format, NULL, host, mesh, report, message);
    free(copy);
    return result;
}

static void the_box_is_the_same_in_every_format(void) {
    for (int i = 0; i < SAMPLE_COUNT; ++i) {
        sample s = sample_at(i);
        lim_mesh* mesh = NULL;
        lim_io_report report;
        lim_io_message message;
        lim_result result = parse(&s, s.size, NULL, &mesh, &report, &message);
        if (result != LIM_OK) {
            printf("  %s: %s\n", s.name, message.text);
        }
        CHECK(result == LIM_OK && report.repairs == 0 && message.text[0] == '\0');
        if (result != LIM_OK) {
            continue;
        }
        lim_mesh_report found = lim_mesh_get_report(mesh);
        CHECK(found.triangles_kept == 12 && found.points == 8 && found.vertices == 8);
        CHECK(found.closed && found.parts == 1 && found.parts_flipped == 0);
        CHECK_NEAR(found.volume, 24.0, 1e-9);
        CHECK_NEAR(found.area, 52.0, 1e-9);
        CHECK(found.bounds.lower.x == 0.0 && found.bounds.upper.z == 4.0);
        CHECK(report.polygons == (s.format == LIM_IO_STL || i >= 7 ? 0 : 6));
        lim_mesh_destroy(mesh);
    }
}

static void every_truncated_length_ends_in_a_result(void) {
    for (int i = 0; i < SAMPLE_COUNT; ++i) {
        sample s = sample_at(i);
        int whole = 0;
        for (size_t size = 0; size < s.size; ++size) {
            failing_host f;
            failing_host_arm(&f, -1);
            lim_mesh* mesh = NULL;
            lim_io_report report;
            lim_io_message message;
            lim_result result = parse(&s, size, &f.host, &mesh, &report, &message);
            CHECK((result == LIM_OK) == (mesh != NULL));
            CHECK((result == LIM_OK) == (message.text[0] == '\0'));
            whole += result == LIM_OK && report.repairs == 0;
            lim_mesh_destroy(mesh);
            CHECK(f.held == 0);
        }
        /* Binary files and those with counts notice every cut but that of a last line end. */
        CHECK(s.format == LIM_IO_OBJ || whole <= (s.format == LIM_IO_STL ? 12 : 1));
    }
}

static void every_failing_allocation_is_reported(void) {
    for (int i = 0; i < SAMPLE_COUNT; ++i) {
        sample s = sample_at(i);
        for (int64_t n = 0;; ++n) {
            failing_host f;
            failing_host_arm(&f, n);
            lim_mesh* mesh = NULL;
            lim_io_report report;
            lim_io_message message;
            lim_result result = parse(&s, s.size, &f.host, &mesh, &report, &message);
            lim_mesh_destroy(mesh);
            CHECK(f.held == 0);
            if (result == LIM_OK) {
                CHECK(n > 3);
                break;
            }
            CHECK(result == LIM_ERROR_MEMORY && mesh == NULL && message.text[0] != '\0');
            if (result != LIM_ERROR_MEMORY) {
                break;
            }
        }
    }
}

static void every_flipped_byte_ends_in_a_result(void) {
    for (int i = 0; i < SAMPLE_COUNT; ++i) {
        sample s = sample_at(i);
        for (size_t at = 0; at < s.size; ++at) {
            char kept = s.bytes[at];
            static const char values[] = {0, -1, '0', '9', '-', ' ', '\n', '"', 'e', 0x7F};
            for (size_t v = 0; v < sizeof values; ++v) {
                s.bytes[at] = values[v];
                lim_mesh* mesh = NULL;
                lim_result result = parse(&s, s.size, NULL, &mesh, NULL, NULL);
                CHECK((result == LIM_OK) == (mesh != NULL));
                lim_mesh_destroy(mesh);
            }
            s.bytes[at] = kept;
        }
    }
}

static void bad_calls_are_refused(void) {
    lim_mesh* mesh = NULL;
    lim_io_message message;
    sample s = sample_obj();
    CHECK(lim_io_parse_mesh(s.bytes, s.size, LIM_IO_OBJ, NULL, NULL, NULL, NULL, &message) ==
          LIM_ERROR_ARGUMENT);
    CHECK(lim_io_parse_mesh(NULL, 5, LIM_IO_OBJ, NULL, NULL, &mesh, NULL, &message) ==
          LIM_ERROR_ARGUMENT);
    CHECK(lim_io_parse_mesh(s.bytes, s.size, LIM_IO_UNKNOWN, NULL, NULL, &mesh, NULL, &message) ==
          LIM_ERROR_UNSUPPORTED);
    CHECK(lim_io_read_mesh(NULL, NULL, &mesh, NULL, &message) == LIM_ERROR_ARGUMENT);
    CHECK(lim_io_read_mesh("a.obj", NULL, NULL, NULL, &message) == LIM_ERROR_ARGUMENT);
    CHECK(lim_io_read_mesh("thing.fbx", NULL, &mesh, NULL, &message) == LIM_ERROR_UNSUPPORTED);
    CHECK(strstr(message.text, "thing.fbx: ") == message.text);
    CHECK(strstr(message.text, ".obj") != NULL);
    CHECK(lim_io_read_mesh("not_there.obj", NULL, &mesh, NULL, &message) == LIM_ERROR_FILE);
    CHECK(mesh == NULL);
}

static void formats_are_told_by_extension(void) {
    CHECK(lim_io_format_of("a/b.c/d.OBJ") == LIM_IO_OBJ);
    CHECK(lim_io_format_of("x.ply") == LIM_IO_PLY && lim_io_format_of("x.Stl") == LIM_IO_STL);
    CHECK(lim_io_format_of("x.off") == LIM_IO_OFF && lim_io_format_of("x.gltf") == LIM_IO_GLTF);
    CHECK(lim_io_format_of("x.glb") == LIM_IO_GLB && lim_io_format_of("x.glbx") == LIM_IO_UNKNOWN);
    CHECK(lim_io_format_of("obj") == LIM_IO_UNKNOWN && lim_io_format_of(NULL) == LIM_IO_UNKNOWN);
    CHECK(lim_io_format_of("x.") == LIM_IO_UNKNOWN && lim_io_format_of("") == LIM_IO_UNKNOWN);
}

TEST_SUITE(read_formats) {
    TEST_BEGIN(argc, argv);
    RUN(the_box_is_the_same_in_every_format);
    RUN(every_truncated_length_ends_in_a_result);
    RUN(every_failing_allocation_is_reported);
    RUN(every_flipped_byte_ends_in_a_result);
    RUN(bad_calls_are_refused);
    RUN(formats_are_told_by_extension);
    TEST_END();
}

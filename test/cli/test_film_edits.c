/* SPDX-License-Identifier: MIT
 * Films of bodies that change: shapes that come and go with edits, colours of cut faces, pieces
 * that appear, overlays over other numbers of nodes, files of all kinds.
 */
#include "cli/cutaway.h"
#include "cli/film.h"
#include "cli/output.h"
#include "cli/say.h"

#include "film_kit.h"

/* A bar that is cut by a blade that comes down, and falls into two bodies. */
static const char TEXT[] =
    "{\"limber\": 1, \"dt\": 0.01, \"duration\": 0.3, \"gravity\": [0, 0, 0], \"bodies\": "
    "[{\"name\": "
    "\"b\", \"model\": \"bar\", \"triangles\": 1500, \"nodes\": 150, \"position\": [0, 1, 0], "
    "\"inner_colour\": [1, 0.5, 0.25]}], \"actions\": ["
    "{\"type\": \"cut\", \"body\": \"b\", \"at\": 0.05, \"move_time\": 0.1, \"blade\": [{\"from\": "
    "[0.17, 1.5, -0.5], \"to\": [0.17, 1.5, 0.5]}, {\"from\": [0.17, 0.8, -0.5], \"to\": [0.17, "
    "0.8, "
    "0.5]}]}, {\"type\": \"split\", \"body\": \"b\", \"at\": 0.2}]}";

static bool is_inner(const float* rgba) {
    return rgba[0] == 1.0f && rgba[1] == 0.5f && rgba[2] == 0.25f;
}

/* Areas of a frame: all, and where all corners have the colour of cut faces. */
static void areas(const lim_io_frame* frame, double* all, double* inner) {
    *all = *inner = 0.0;
    for (int64_t i = 0; i < frame->triangle_count; ++i) {
        const uint32_t* t = frame->indices + 3 * i;
        const float *a = frame->positions + 3 * t[0], *b = frame->positions + 3 * t[1],
                    *c = frame->positions + 3 * t[2];
        double u[3], v[3];
        for (int k = 0; k < 3; ++k) {
            u[k] = (double)(b[k] - a[k]);
            v[k] = (double)(c[k] - a[k]);
        }
        double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                       u[0] * v[1] - u[1] * v[0]};
        double area = 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        *all += area;
        bool cut = frame->colours != NULL && is_inner(frame->colours + 4 * t[0]) &&
                   is_inner(frame->colours + 4 * t[1]) && is_inner(frame->colours + 4 * t[2]);
        *inner += cut ? area : 0.0;
    }
}

static void shapes_follow_edits(void) {
    recorded r;
    if (!record(&r, TEXT, 100.0, 0)) {
        return;
    }
    int32_t last = r.f.frames.count - 1;
    CHECK(r.f.bodies.count == 2);
    CHECK(r.f.frames.data[0].part_count == 1 && r.f.frames.data[last].part_count == 2);
    CHECK(film_part_at(&r.f, 1, 0) == NULL && film_view(&r.f, 1, 0).vertex_count == 0);
    /* nothing changes: the same shape; the blade goes on: another */
    CHECK(r.f.frames.data[0].parts[0].shape == r.f.frames.data[3].parts[0].shape);
    CHECK(r.f.frames.data[0].parts[0].shape != r.f.frames.data[16].parts[0].shape);
    int32_t changes = 0;
    for (int32_t i = 1; i <= last; ++i) {
        changes += r.f.frames.data[i].parts[0].shape != r.f.frames.data[i - 1].parts[0].shape;
    }
    CHECK(changes >= 4 && changes <= 12);
    /* two faces of the bar's cross section, 1/4 by 1/4 m but for its round edges */
    lim_io_frame first = film_view(&r.f, 0, 0), cut = film_view(&r.f, 0, 17);
    double all, inner, whole;
    areas(&first, &whole, &inner);
    CHECK(inner < 1e-9);
    areas(&cut, &all, &inner);
    printf("    skin %.4f, with cut faces %.4f, of these %.4f\n", whole, all, inner);
    CHECK(inner > 0.100 && inner < 0.127);
    CHECK_NEAR(all - inner, whole, 0.01 * whole);
    CHECK(cut.vertex_count > first.vertex_count && cut.uvs != NULL);
    /* the two bodies are the one, cut */
    lim_io_frame a = film_view(&r.f, 0, last), b = film_view(&r.f, 1, last);
    double parts[2], faces[2];
    areas(&a, &parts[0], &faces[0]);
    areas(&b, &parts[1], &faces[1]);
    CHECK_NEAR(parts[0] + parts[1], all, 0.01 * all);
    CHECK_NEAR(faces[0], 0.5 * inner, 0.02 * inner);
    CHECK_NEAR(faces[1], 0.5 * inner, 0.02 * inner);
    CHECK(r.f.frames.data[last].vertex_count == a.vertex_count + b.vertex_count);
    for (int32_t i = 0; i < 3 * b.triangle_count; ++i) {
        CHECK(b.indices[i] < (uint32_t)b.vertex_count);
    }
    forget(&r);
}

static void overlays_follow_the_nodes(void) {
    recorded r;
    if (!record(&r, TEXT, 100.0,
                LIM_DEBUG_NODES | LIM_DEBUG_CELLS | LIM_DEBUG_GRAPH | LIM_DEBUG_REGION |
                    FILM_STRAIN | FILM_CHECKER)) {
        return;
    }
    int32_t last = r.f.frames.count - 1;
    const film_frame *begin = &r.f.frames.data[0], *end = &r.f.frames.data[last];
    CHECK(end->node_count > begin->node_count); /* cells that are cut are two nodes */
    for (int32_t i = 0; i <= last; i += last) {
        arena memory;
        arena_init(&memory, &r.log.host);
        const lim_camera camera = {{0, 2, 4}, {0, 1, 0}, {0, 1, 0}, 0.6f};
        cutaway_view seen;
        CHECK(cutaway_make(&r.f, i, &camera, 400, &memory, &seen) == LIM_OK);
        int64_t nodes = r.f.frames.data[i].node_count;
        CHECK(seen.point_count > nodes / 3);
        CHECK(seen.cells.frame.triangle_count > 12 * nodes / 2);
        arena_release(&memory);
    }
    for (int32_t b = 0; b < 2; ++b) {
        const film_part* part = film_part_at(&r.f, b, last);
        CHECK(part != NULL && part->shape->region_node >= 0 && part->shape->rest != NULL);
    }
    forget(&r);
}

static void every_kind_of_file_is_written(void) {
    recorded r;
    if (!record(&r, TEXT, 100.0, 0)) {
        return;
    }
    static const char* const names[] = {"film_edits.png", "film_edits.glb", "film_edits.obj",
                                        "film_edits.ply"};
    const output_look look = {.size = {64, 48}, .quiet = true};
    for (int i = 0; i < 4; ++i) {
        lim_io_message message = {""};
        draw_sheet_report sheet;
        CHECK(output_write(&r.f, names[i], &look, &sheet, &message) == LIM_OK);
        if (message.text[0] != '\0') {
            printf("    %s\n", message.text);
        }
        remove(names[i]);
    }
    for (int32_t i = 1; i <= r.f.frames.count; ++i) {
        char name[64];
        snprintf(name, sizeof name, "film_edits_%04d.obj", i);
        CHECK(remove(name) == 0);
        snprintf(name, sizeof name, "film_edits_%04d.ply", i);
        CHECK(remove(name) == 0);
    }
    forget(&r);
}

TEST_SUITE(film_edits) {
    TEST_BEGIN(argc, argv);
    RUN(shapes_follow_edits);
    RUN(overlays_follow_the_nodes);
    RUN(every_kind_of_file_is_written);
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * One camera for all pictures of a run, and what acts on bodies in them: everything that moves lies
 * within every picture and fills it, the camera stands still, pins, grabs and blades are drawn
 * where they are, faces of cuts have a colour that fits.
 */
#include "cli/draw.h"
#include "cli/film.h"
#include "cli/framing.h"
#include "cli/say.h"
#include "cli/tool_props.h"
#include "math/vec3.h"
#include "scenes/scene.h"

#include "film_kit.h"

/* How far a point is from the middle of a picture, in half pictures. */
static double off_middle(const lim_camera* c, double aspect, lim_vec3 p) {
    lim_vec3 forward = v3_unit(v3_sub(c->target, c->eye), v3(0, 0, -1));
    lim_vec3 right = v3_unit(v3_cross(forward, c->up), v3(1, 0, 0)), up = v3_cross(right, forward);
    lim_vec3 d = v3_sub(p, c->eye);
    double z = tan(0.5 * (double)c->fov) * (double)v3_dot(d, forward);
    return fmax(fabs((double)v3_dot(d, right)) / (aspect * z), fabs((double)v3_dot(d, up)) / z);
}

/* The largest such distance of any corner of a body. */
static double reach(const film* f, const int32_t* frames, int32_t count, const lim_camera* c,
                    double aspect) {
    double most = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t b = 0; b < f->frames.data[frames[i]].part_count; ++b) {
            lim_io_frame skin = film_view(f, b, frames[i]);
            for (int64_t v = 0; v < skin.vertex_count; ++v) {
                const float* p = skin.positions + 3 * v;
                most = fmax(most, off_middle(c, aspect, v3(p[0], p[1], p[2])));
            }
        }
    }
    return most;
}

/* A small ball is thrown far up: it would be lost in a picture of all of its way. */
static const char THROWN[] =
    "{\"limber\": 1, \"dt\": 0.02, \"duration\": 0.9, \"camera\": {\"eye\": [0.3, 0.5, 2], "
    "\"target\": [0.9, 0.3, 0]}, \"bodies\": [{\"model\": \"sphere\", \"triangles\": 300, "
    "\"nodes\": 30, \"size\": 0.15, \"position\": [0, 0.02, 0], \"velocity\": [1, 4.4, 0]}]}";

/* Of the lower half of two pictures, the share of pixels that differ. */
static double share_changed(const lim_image* a, const lim_image* b) {
    size_t begin = 4 * (size_t)a->width * (size_t)(a->height / 2);
    size_t end = 4 * (size_t)a->width * (size_t)a->height, changed = 0;
    for (size_t at = begin; at < end; at += 4) {
        changed += abs(a->rgba[at] - b->rgba[at]) > 3;
    }
    return 4.0 * (double)changed / (double)(end - begin);
}

static void one_camera_holds_all(void) {
    recorded r;
    if (!record(&r, THROWN, 50.0, 0)) {
        return;
    }
    const lim_camera* given = &scene_run_desc(r.run)->camera;
    lim_image images[8];
    draw_sheet_report report;
    for (int32_t shape = 0; shape < 3; ++shape) {
        const int32_t sizes[3][2] = {{160, 200}, {240, 120}, {0, 0}};
        CHECK(draw_pictures(&r.f, given, sizes[shape], images, &report) == LIM_OK);
        CHECK(report.count == 8);
        double aspect = (double)images[0].width / (double)images[0].height;
        const framing s = {.f = &r.f, .frames = report.moments, .count = report.count};
        lim_camera camera = framing_choose(&s, given, (float)aspect);
        double most = reach(&r.f, report.moments, report.count, &camera, aspect);
        printf("    %d x %d: up to %.3f of the half picture\n", images[0].width, images[0].height,
               most);
        CHECK(most > 0.90 && most < 0.97);
        CHECK_NEAR(framing_span(&s, &camera, (float)aspect), 0.94, 0.03);
        /* the squares of the ground stay where they are: the ball and its shadow cover little */
        for (int32_t i = 1; i < report.count; ++i) {
            double moved = share_changed(&images[0], &images[i]);
            CHECK(moved < 0.3);
        }
        for (int32_t i = 0; i < 8; ++i) {
            lim_image_destroy(&images[i]);
        }
    }
    /* its shape follows the way: 1.3 m high and 0.9 m wide */
    const framing s = {.f = &r.f, .frames = report.moments, .count = report.count};
    float aspect = framing_aspect(&s, given);
    CHECK(aspect > 0.6f && aspect < 1.1f);
    /* a camera of the scene that sees it all is kept */
    lim_camera fitted = framing_fit(&s, given, 1.0f);
    lim_camera kept = framing_choose(&s, &fitted, 1.0f);
    CHECK(memcmp(&kept, &fitted, sizeof kept) == 0);
    fitted.eye.x += 0.3f;
    fitted.target.x += 0.3f;
    kept = framing_choose(&s, &fitted, 1.0f);
    CHECK(fabsf(kept.eye.x - fitted.eye.x) > 0.1f);
    forget(&r);
}

/* Cells and nodes of a lattice lie beyond its skin, and are within the picture all the same. */
static void insides_are_held(void) {
    static const char BALL[] =
        "{\"limber\": 1, \"dt\": 0.02, \"duration\": 0.02, \"bodies\": [{\"model\": \"sphere\", "
        "\"kind\": \"lattice\", \"triangles\": 300, \"nodes\": 30, \"position\": [0, 1, 0]}]}";
    static const uint32_t shown[2] = {LIM_DEBUG_CELLS, LIM_DEBUG_NODES};
    for (int32_t k = 0; k < 2; ++k) {
        recorded r;
        if (!record(&r, BALL, 50.0, shown[k])) {
            return;
        }
        const int32_t first = 0;
        const framing s = {.f = &r.f, .frames = &first, .count = 1};
        const film_frame* frame = &r.f.frames.data[0];
        lim_camera camera = framing_fit(&s, NULL, 1.0f);
        double most = 0.0;
        for (int64_t i = 0; i < frame->node_count && frame->nodes != NULL; ++i) {
            most = fmax(most, off_middle(&camera, 1.0, frame->nodes[i].at));
        }
        for (int64_t i = 0; i < FILM_CELL_LINES * frame->node_count && frame->cells != NULL; ++i) {
            most = fmax(most, off_middle(&camera, 1.0, frame->cells[i].a));
            most = fmax(most, off_middle(&camera, 1.0, frame->cells[i].b));
        }
        printf("    %s: up to %.3f of the half picture\n", k == 0 ? "cells" : "nodes", most);
        CHECK(most > 0.90 && most < 0.97);
        forget(&r);
    }
}

/* Of three balls one leaves at 400 m/s: the others are still seen. */
static const char LEAVING[] =
    "{\"limber\": 1, \"dt\": 0.02, \"duration\": 0.5, \"gravity\": [0, 0, 0], \"ground\": false, "
    "\"bodies\": [{\"name\": \"b\", \"model\": \"sphere\", \"triangles\": 300, \"nodes\": 30, "
    "\"size\": 0.3, \"copies\": {\"count\": [3, 1, 1], \"spacing\": [0.4, 0, 0]}}], "
    "\"actions\": [{\"type\": \"velocity\", \"body\": \"b.2\", \"at\": 0.1, \"velocity\": [0, 50, "
    "0]}]}";

static void who_leaves_does_not_count(void) {
    recorded r;
    if (!record(&r, LEAVING, 50.0, 0)) {
        return;
    }
    const int32_t ends[2] = {0, r.f.frames.count - 1};
    const framing s = {.f = &r.f, .frames = ends, .count = 2};
    lim_camera camera = framing_fit(&s, NULL, 1.0f);
    double distance = (double)v3_length(v3_sub(camera.eye, camera.target));
    printf("    the third ball is %.0f m away, the camera %.1f m\n",
           (double)r.f.frames.data[ends[1]].upper.y, distance);
    CHECK(distance < 4.0 && r.f.frames.data[ends[1]].upper.y > 15.0f);
    forget(&r);
}

/* A bar is clamped at one end, pinned at the other, pulled in the middle and cut. */
static const char WORKED[] =
    "{\"limber\": 1, \"dt\": 0.02, \"duration\": 0.6, \"gravity\": [0, 0, 0], \"bodies\": "
    "[{\"name\": \"b\", \"model\": \"bar\", \"triangles\": 1500, \"nodes\": 150, \"anchor\": "
    "\"centre\", \"position\": [0, 1, 0], \"colour\": [0.1, 0.2, 0.6]}], \"pins\": ["
    "{\"name\": \"clamp\", \"body\": \"b\", \"shape\": \"box\", \"size\": [0.2, 0.6, 0.6], "
    "\"position\": [-0.5, 1, 0]}, {\"name\": \"needle\", \"body\": \"b\", \"shape\": \"sphere\", "
    "\"radius\": 0.08, \"position\": [0.4, 1.1, 0]}], \"actions\": ["
    "{\"type\": \"grab\", \"body\": \"b\", \"at\": 0.04, \"until\": 0.4, \"point\": [0, 1.12, 0], "
    "\"to\": [0, 1.4, 0], \"move_time\": 0.2}, {\"type\": \"cut\", \"body\": \"b\", \"at\": 0.1, "
    "\"move_time\": 0.2, \"blade\": [{\"from\": [0.2, 1.4, -0.3], \"to\": [0.2, 1.4, 0.3]}, "
    "{\"from\": [0.2, 0.6, -0.3], \"to\": [0.2, 0.6, 0.3]}]}, "
    "{\"type\": \"release_pin\", \"pin\": \"needle\", \"at\": 0.5}]}";

static int32_t frame_near(const film* f, double time) {
    int32_t best = 0;
    for (int32_t i = 1; i < f->frames.count; ++i) {
        best =
            fabs(f->frames.data[i].time - time) < fabs(f->frames.data[best].time - time) ? i : best;
    }
    return best;
}

static const film_tool* tool_at(const film* f, double time, scene_tool_kind kind, lim_shape shape) {
    const film_frame* frame = &f->frames.data[frame_near(f, time)];
    for (int32_t i = 0; i < frame->tool_count; ++i) {
        const film_tool* t = &frame->tools[i];
        if (t->kind == kind && (kind != SCENE_TOOL_PIN || t->shape == shape)) {
            return t;
        }
    }
    return NULL;
}

static void tools_are_recorded(void) {
    recorded r;
    if (!record(&r, WORKED, 50.0, 0)) {
        return;
    }
    const film* f = &r.f;
    const film_tool* clamp = tool_at(f, 0.0, SCENE_TOOL_PIN, LIM_SHAPE_BOX);
    CHECK(clamp != NULL && clamp->hold >= 0);
    if (clamp != NULL && clamp->hold >= 0) {
        /* it holds 0.1 m of the bar's end, 1/4 m square, and the bar goes on to the right */
        const film_hold* hold = &f->holds.data[clamp->hold];
        CHECK_NEAR(hold->lower.x, 0.0, 0.01);
        CHECK_NEAR(hold->upper.x, 0.1, 1e-4);
        CHECK_NEAR(hold->upper.y - hold->lower.y, 0.25, 0.01);
        CHECK(hold->goes_on[0][1] && !hold->goes_on[0][0] && !hold->goes_on[1][0] &&
              !hold->goes_on[1][1] && !hold->goes_on[2][0] && !hold->goes_on[2][1]);
    }
    const film_tool* needle = tool_at(f, 0.0, SCENE_TOOL_PIN, LIM_SHAPE_SPHERE);
    CHECK(needle != NULL && needle->hold >= 0);
    if (needle != NULL && needle->hold >= 0) {
        const film_hold* hold = &f->holds.data[needle->hold];
        CHECK(hold->out.y > 0.9f); /* up through the nearest face, which is 2.5 cm away */
        CHECK_NEAR(hold->depth, 0.025, 0.01);
    }
    CHECK(tool_at(f, 0.6, SCENE_TOOL_PIN, LIM_SHAPE_SPHERE) == NULL); /* released */
    CHECK(tool_at(f, 0.02, SCENE_TOOL_GRAB, 0) == NULL &&
          tool_at(f, 0.5, SCENE_TOOL_GRAB, 0) == NULL);
    const film_tool* grab = tool_at(f, 0.3, SCENE_TOOL_GRAB, 0);
    CHECK(grab != NULL);
    if (grab != NULL) {
        CHECK_NEAR(grab->to.y, 1.4, 1e-5);
        CHECK(grab->from.y > 1.1f && grab->from.y <= 1.41f);
    }
    CHECK(tool_at(f, 0.06, SCENE_TOOL_BLADE, 0) == NULL &&
          tool_at(f, 0.4, SCENE_TOOL_BLADE, 0) == NULL);
    const film_tool* blade = tool_at(f, 0.2, SCENE_TOOL_BLADE, 0);
    CHECK(blade != NULL);
    if (blade != NULL) {
        CHECK_NEAR(blade->from.y, 1.0, 1e-5); /* half of the way */
        CHECK_NEAR(blade->to.z, 0.3, 1e-5);
        CHECK_NEAR(blade->forward.y, -1.0, 1e-5);
    }
    CHECK(f->frames.data[frame_near(f, 0.2)].telling);
    CHECK(!f->frames.data[frame_near(f, 0.14)].telling);
    forget(&r);
}

/* The pixels in which a picture differs from that without tools. */
static int32_t pixels_of_tools(recorded* r, double time) {
    film_frame* frame = &r->f.frames.data[frame_near(&r->f, time)];
    const lim_camera camera = {{0.6f, 1.5f, 2.2f}, {0.0f, 1.0f, 0.0f}, {0, 1, 0}, 0.6f};
    const int32_t size[2] = {200, 160};
    lim_image with[1] = {{0}}, without[1] = {{0}};
    int32_t tools = frame->tool_count, count = 0;
    const lim_io_frame skin = film_view(&r->f, 0, frame_near(&r->f, time));
    CHECK(lim_image_create(size[0], size[1], with) == LIM_OK);
    CHECK(lim_image_create(size[0], size[1], without) == LIM_OK);
    arena scratch;
    arena_init(&scratch, &r->log.host);
    lim_draw_mesh meshes[1 + 8 * TOOL_MESHES_MOST] = {
        {.frame = skin, .colour = {0.1f, 0.2f, 0.6f}}};
    int32_t mesh_count = 1;
    for (int32_t i = 0; i < tools; ++i) {
        CHECK(tool_props_make(&r->f, &frame->tools[i], &scratch, meshes, &mesh_count) == LIM_OK);
    }
    lim_picture p = {.width = size[0],
                     .height = size[1],
                     .camera = camera,
                     .meshes = meshes,
                     .mesh_count = mesh_count};
    CHECK(lim_image_draw(with, &p) == LIM_OK);
    p.mesh_count = 1;
    CHECK(lim_image_draw(without, &p) == LIM_OK);
    for (int32_t i = 0; i < size[0] * size[1]; ++i) {
        int32_t most = 0;
        for (int32_t k = 0; k < 3; ++k) {
            int32_t d = abs(with[0].rgba[4 * i + k] - without[0].rgba[4 * i + k]);
            most = d > most ? d : most;
        }
        count += most > 10;
    }
    arena_release(&scratch);
    lim_image_destroy(with);
    lim_image_destroy(without);
    return count;
}

/* The clamp and the needle alone, with the grab, with grab and blade. The same film without its
 * tools gives other pictures of a sheet. */
static void tools_are_drawn(void) {
    recorded r;
    if (!record(&r, WORKED, 50.0, 0)) {
        return;
    }
    int32_t pins = pixels_of_tools(&r, 0.0), clamp = pixels_of_tools(&r, 0.6),
            grab = pixels_of_tools(&r, 0.36), blade = pixels_of_tools(&r, 0.2);
    printf("    pixels of the clamp %d, and of the pin %d, and of the grab %d, and the blade %d\n",
           clamp, pins, grab, blade);
    CHECK(clamp > 200 && pins > clamp + 20 && grab > pins + 15 && blade > grab + 100);
    lim_image with[8], without[8];
    draw_sheet_report report;
    const int32_t size[2] = {100, 80};
    const lim_camera camera = {{0.6f, 1.5f, 2.2f}, {0.0f, 1.0f, 0.0f}, {0, 1, 0}, 0.6f};
    CHECK(draw_pictures(&r.f, &camera, size, with, &report) == LIM_OK);
    for (int32_t i = 0; i < r.f.frames.count; ++i) {
        r.f.frames.data[i].tool_count = 0;
    }
    CHECK(draw_pictures(&r.f, &camera, size, without, &report) == LIM_OK);
    for (int32_t i = 0; i < 8; ++i) {
        CHECK(memcmp(with[i].rgba, without[i].rgba, 4 * 100 * 80) != 0);
        lim_image_destroy(&with[i]);
        lim_image_destroy(&without[i]);
    }
    forget(&r);
}

/* Where the scene says nothing of it, the inside is that of the model, or of the skin and paler. */
static void insides_fit(void) {
    static const struct {
        const char* body;
        lim_vec3 least, most;
    } known[] = {
        {"\"model\": \"liver\"", {0.2f, 0.0f, 0.0f}, {0.4f, 0.05f, 0.05f}},
        {"\"model\": \"loaf\"", {0.8f, 0.6f, 0.4f}, {1.0f, 0.9f, 0.7f}},
        {"\"model\": \"bar\", \"colour\": [0.1, 0.5, 0.1]", {0.2f, 0.5f, 0.2f}, {0.4f, 0.7f, 0.4f}},
        {"\"model\": \"loaf\", \"colour\": [0.1, 0.5, 0.1]",
         {0.2f, 0.5f, 0.2f},
         {0.4f, 0.7f, 0.4f}},
        {"\"model\": \"liver\", \"inner_colour\": [0, 0, 1]", {0, 0, 1}, {0, 0, 1}}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text,
                 "{\"limber\": 1, \"duration\": 0.02, \"bodies\": [{%s, \"triangles\": 1500, "
                 "\"nodes\": 60}]}",
                 known[i].body);
        recorded r;
        if (record(&r, text, 50.0, 0)) {
            lim_vec3 c = r.f.bodies.data[0].inner_colour;
            CHECK(c.x >= known[i].least.x && c.y >= known[i].least.y && c.z >= known[i].least.z);
            CHECK(c.x <= known[i].most.x && c.y <= known[i].most.y && c.z <= known[i].most.z);
            forget(&r);
        }
    }
}

TEST_SUITE(framing) {
    TEST_BEGIN(argc, argv);
    RUN(one_camera_holds_all);
    RUN(insides_are_held);
    RUN(who_leaves_does_not_count);
    RUN(tools_are_recorded);
    RUN(tools_are_drawn);
    RUN(insides_fit);
    TEST_END();
}

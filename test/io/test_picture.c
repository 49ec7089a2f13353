/* SPDX-License-Identifier: MIT
 * Pictures as a whole: the same bytes on every machine, coverage, what is in front, overlays,
 * shadows, sheets, cameras, bad input and lack of memory.
 */
#include "base/hash.h"
#include "failing_host.h"
#include "io/image.h"
#include "io/view.h"
#include "picture_shapes.h"
#include "test.h"

typedef struct scene {
    shape_mesh *ball, *lump;
    lim_draw_mesh meshes[2];
    lim_debug_line lines[12];
    lim_debug_point points[8];
    lim_picture picture;
} scene;

/* Two balls on the ground, one bumpy and coloured by vertex, with a few lines and points. */
static void scene_make(scene* s) {
    memset(s, 0, sizeof *s);
    s->ball = shape_ball((lim_vec3){-0.45f, 0.35f, 0.1f}, 0.35f, 0.0f);
    s->lump = shape_ball((lim_vec3){0.40f, 0.42f, 0.0f}, 0.40f, 0.12f);
    s->meshes[0] = (lim_draw_mesh){.frame = shape_frame(s->ball), .colour = {0.75f, 0.20f, 0.08f}};
    s->meshes[1] = (lim_draw_mesh){.frame = shape_frame(s->lump), .colour = {1, 1, 1}};
    s->meshes[1].frame.colours = s->lump->colours;
    for (int i = 0; i < 12; ++i) {
        float at = 0.1f * (float)i;
        s->lines[i] =
            (lim_debug_line){{-0.6f + at, 0.05f, 0.5f}, {-0.6f + at, 0.8f, -0.3f}, 0x2060C0FFu};
    }
    for (int i = 0; i < 8; ++i) {
        s->points[i] = (lim_debug_point){{-0.7f + 0.2f * (float)i, 0.7f, 0.3f}, 0.1f, 0xE0A020C0u};
    }
    s->picture = (lim_picture){.width = 160, .height = 120, .meshes = s->meshes, .mesh_count = 2};
    s->picture.camera = lim_camera_fit((lim_vec3){-0.8f, 0, -0.45f},
                                       (lim_vec3){0.85f, 0.85f, 0.45f}, 160.0f / 120.0f);
    s->picture.ground = true;
}

static void scene_free(scene* s) {
    free(s->ball);
    free(s->lump);
}

static uint64_t draw_hash(const lim_picture* picture) {
    lim_image image;
    CHECK(lim_image_create(picture->width, picture->height, &image) == LIM_OK);
    CHECK(lim_image_draw(&image, picture) == LIM_OK);
    size_t bytes = 4 * (size_t)image.width * (size_t)image.height;
    uint64_t hash = hash_bytes(HASH_SEED, image.rgba, bytes);
    lim_image_destroy(&image);
    return hash;
}

/* The hashes of gcc, clang with sanitizers and wasm are these. A change of the renderer's looks
 * changes them: look at the new picture, then take the printed numbers over. */
static void bytes_are_the_same_everywhere(void) {
    scene s;
    scene_make(&s);
    const uint64_t golden[5] = {0x42E55BA3D9CD94D3u, 0x2E6606D68E3C94BDu, 0x94BDFEA3D06044ACu,
                                0x60F7091FC386422Cu, 0xF78BCF17843E59CFu};
    lim_picture pictures[5] = {s.picture, s.picture, s.picture, s.picture, s.picture};
    pictures[1].lines = s.lines;
    pictures[1].line_count = 12;
    pictures[1].points = s.points;
    pictures[1].point_count = 8;
    pictures[1].caption = "Limber 0.1";
    pictures[2] = pictures[1];
    lim_draw_mesh veils[2] = {s.meshes[0], s.meshes[1]};
    veils[0].see_through = veils[1].see_through = true;
    pictures[2].meshes = veils;
    pictures[3].ground = false;
    pictures[3].width = 97;
    /* a veil over squares */
    lim_draw_mesh layers[2] = {s.meshes[0], s.meshes[1]};
    layers[0].see_through = true;
    layers[0].frame.positions = s.lump->positions;
    layers[1].checker = 0.1f;
    layers[1].rest = s.ball->positions;
    layers[1].frame.positions = s.ball->positions;
    pictures[4].meshes = layers;
    for (int i = 0; i < 5; ++i) {
        uint64_t hash = draw_hash(&pictures[i]);
        CHECK(hash == golden[i]);
        if (hash != golden[i]) {
            printf("  picture %d: 0x%016llX\n", i, (unsigned long long)hash);
        }
        CHECK(draw_hash(&pictures[i]) == hash);
    }
    scene_free(&s);
}

static void coverage_is_the_projected_area(void) {
    /* A ball of radius r at distance d shows a disc of tan^2 a, sin a = r / d, in a picture of
     * 4 tan_x tan_y. */
    shape_mesh* ball = shape_ball((lim_vec3){0, 0, 0}, 0.5f, 0.0f);
    lim_draw_mesh mesh = {.frame = shape_frame(ball), .colour = {1, 1, 1}};
    lim_picture p = {.width = 200, .height = 150, .meshes = &mesh, .mesh_count = 1};
    p.camera = (lim_camera){{0, 0, 3}, {0, 0, 0}, {0, 1, 0}, 0.6f};
    double tan_y = tan(0.3), sine = 0.5 / 3.0;
    double disc = 3.14159265 * sine * sine / (1 - sine * sine);
    CHECK_NEAR(lim_picture_coverage(&p), disc / (4 * tan_y * tan_y * 200 / 150), 0.003);
    /* Half of it under the ground. */
    p.ground = true;
    CHECK_NEAR(lim_picture_coverage(&p), disc / (4 * tan_y * tan_y * 200 / 150), 0.003);
    p.camera.eye.y = 0.3f;
    p.camera.target.y = 0.3f;
    float half = lim_picture_coverage(&p);
    p.ground = false;
    CHECK(half < 0.75f * lim_picture_coverage(&p) && half > 0.4f * lim_picture_coverage(&p));
    /* Behind the camera: nothing. Inside the ball: everything. */
    p.camera.target.z = 6;
    CHECK(lim_picture_coverage(&p) == 0.0f);
    p.camera = (lim_camera){{0, 0, 0.1f}, {0, 0, 0}, {0, 1, 0}, 0.6f};
    CHECK(lim_picture_coverage(&p) == 1.0f);
    p.width = 3;
    CHECK(lim_picture_coverage(&p) == -1.0f && lim_picture_coverage(NULL) == -1.0f);
    free(ball);
}

static const uint8_t* pixel_at(const lim_image* image, int x, int y) {
    return image->rgba + 4 * (y * image->width + x);
}

static int light_at(const lim_image* image, int x, int y) {
    const uint8_t* p = pixel_at(image, x, y);
    return p[0] + p[1] + p[2];
}

/* The nearer of two squares wins, whatever their order; also where they lie across the near plane.
 */
static void nearer_hides_farther(void) {
    const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    const float near[12] = {-1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1};
    const float far[12] = {-3, -3, 0, 3, -3, 0, 3, 3, 0, -3, 3, 0};
    lim_io_frame frame = {.vertex_count = 4, .triangle_count = 2, .indices = indices};
    lim_image image;
    CHECK(lim_image_create(64, 64, &image) == LIM_OK);
    for (int order = 0; order < 2; ++order) {
        lim_draw_mesh meshes[2];
        meshes[order] = (lim_draw_mesh){.frame = frame, .colour = {0.8f, 0.02f, 0.02f}};
        meshes[order].frame.positions = near;
        meshes[1 - order] = (lim_draw_mesh){.frame = frame, .colour = {0.02f, 0.02f, 0.8f}};
        meshes[1 - order].frame.positions = far;
        lim_picture p = {.width = 64, .height = 64, .meshes = meshes, .mesh_count = 2};
        p.camera = (lim_camera){{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 0.8f};
        CHECK(lim_image_draw(&image, &p) == LIM_OK);
        CHECK(pixel_at(&image, 32, 32)[0] > 2 * pixel_at(&image, 32, 32)[2]);
        CHECK(pixel_at(&image, 5, 5)[2] > 2 * pixel_at(&image, 5, 5)[0]);
    }
    /* A floor that runs from behind the camera to the distance fills the lower half exactly. */
    const float floor[12] = {-1e4f, -1, 1e4f, 1e4f, -1, 1e4f, 1e4f, -1, -1e4f, -1e4f, -1, -1e4f};
    lim_draw_mesh mesh = {.frame = frame, .colour = {0.8f, 0.02f, 0.02f}};
    mesh.frame.positions = floor;
    lim_picture p = {.width = 64, .height = 64, .meshes = &mesh, .mesh_count = 1};
    p.camera = (lim_camera){{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 0.8f};
    CHECK(lim_image_draw(&image, &p) == LIM_OK);
    CHECK_NEAR(lim_picture_coverage(&p), 0.5, 0.01);
    lim_image_destroy(&image);
}

/* A sheet on the ground, a rounding error above or below it, is as visible as without the ground.
 */
static void ground_gives_way(void) {
    enum { SIDE = 20, CORNERS = (SIDE + 1) * (SIDE + 1) };
    static float positions[3 * CORNERS];
    static uint32_t indices[6 * SIDE * SIDE];
    uint32_t* out = indices;
    for (int i = 0; i < CORNERS; ++i) {
        positions[3 * i] = (float)(i % (SIDE + 1)) / (float)SIDE - 0.5f;
        positions[3 * i + 1] = 1e-8f * (float)(i * 7 % 5 - 2);
        positions[3 * i + 2] = (float)(i / (SIDE + 1)) / (float)SIDE - 0.5f;
        if (i % (SIDE + 1) < SIDE && i / (SIDE + 1) < SIDE) {
            uint32_t a = (uint32_t)i, b = a + SIDE + 1;
            const uint32_t corners[6] = {a, b, b + 1, a, b + 1, a + 1};
            memcpy(out, corners, sizeof corners);
            out += 6;
        }
    }
    lim_draw_mesh mesh = {.frame = {.vertex_count = CORNERS,
                                    .triangle_count = 2 * SIDE * SIDE,
                                    .positions = positions,
                                    .indices = indices},
                          .colour = {0.8f, 0.3f, 0.2f}};
    lim_picture p = {.width = 160, .height = 120, .meshes = &mesh, .mesh_count = 1};
    p.camera = (lim_camera){{0.9f, 0.5f, 1.6f}, {0, 0, 0}, {0, 1, 0}, 0.6f};
    float alone = lim_picture_coverage(&p);
    p.ground = true;
    CHECK(alone > 0.1f && lim_picture_coverage(&p) > 0.998f * alone); /* but for its border */
    p.ground_height = 0.01f;
    CHECK(lim_picture_coverage(&p) == 0.0f);
}

static void shadows_fall_and_soften(void) {
    shape_mesh* ball = shape_ball((lim_vec3){0, 0.5f, 0}, 0.5f, 0.0f);
    lim_draw_mesh mesh = {.frame = shape_frame(ball), .colour = {0.5f, 0.5f, 0.5f}};
    lim_picture with = {
        .width = 200, .height = 200, .meshes = &mesh, .mesh_count = 1, .ground = true};
    with.camera = (lim_camera){{0, 5, 6}, {0, 0, 0}, {0, 1, 0}, 0.6f};
    lim_picture without = with;
    without.mesh_count = 0;
    lim_image a, b;
    CHECK(lim_image_create(200, 200, &a) == LIM_OK && lim_image_create(200, 200, &b) == LIM_OK);
    CHECK(lim_image_draw(&a, &with) == LIM_OK && lim_image_draw(&b, &without) == LIM_OK);
    /* The key light comes from the upper left: the shadow lies to the right of the ball. */
    int darkest = 0, left = 0;
    for (int x = 0; x < 200; ++x) {
        for (int y = 0; y < 200; ++y) {
            int loss = light_at(&b, x, y) - light_at(&a, x, y);
            darkest = x > 135 && loss > darkest ? loss : darkest;
            left += x < 40 && loss > 3;
        }
    }
    CHECK(darkest > 60);
    CHECK(left == 0);
    lim_image_destroy(&a);
    lim_image_destroy(&b);
    free(ball);
}

/* A board takes the shadow of a ball over it as the ground does. */
static void meshes_take_shadows(void) {
    shape_mesh* ball = shape_ball((lim_vec3){0, 0.6f, 0}, 0.3f, 0.0f);
    const float at[12] = {-2, 0, -2, -2, 0, 2, 2, 0, 2, 2, 0, -2};
    const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    lim_draw_mesh meshes[2] = {
        {.frame = {.vertex_count = 4, .triangle_count = 2, .positions = at, .indices = indices},
         .colour = {0.5f, 0.5f, 0.5f}},
        {.frame = shape_frame(ball), .colour = {0.5f, 0.5f, 0.5f}}};
    lim_picture p = {.width = 200, .height = 200, .meshes = meshes, .mesh_count = 2};
    p.camera = (lim_camera){{0, 5, 6}, {0, 0, 0}, {0, 1, 0}, 0.6f};
    lim_image with, without;
    CHECK(lim_image_create(200, 200, &with) == LIM_OK);
    CHECK(lim_image_create(200, 200, &without) == LIM_OK);
    CHECK(lim_image_draw(&with, &p) == LIM_OK);
    p.mesh_count = 1;
    CHECK(lim_image_draw(&without, &p) == LIM_OK);
    int darkest = 0, left = 0;
    for (int x = 0; x < 200; ++x) {
        for (int y = 60; y < 150; ++y) {
            int loss = light_at(&without, x, y) - light_at(&with, x, y);
            darkest = x > 115 && loss > darkest ? loss : darkest;
            left += x < 70 && loss > 3;
        }
    }
    CHECK(darkest > 60);
    CHECK(left == 0);
    lim_image_destroy(&with);
    lim_image_destroy(&without);
    free(ball);
}

/* A body that is inside out has normals of either side. It keeps its colour, a little darker: none
 * of it is lit as if it were seen edge on, which is grey. */
static void inside_out_keeps_its_colour(void) {
    shape_mesh* ball = shape_ball((lim_vec3){0, 0, 0}, 0.5f, 0.0f);
    lim_draw_mesh mesh = {.frame = shape_frame(ball), .colour = {0.7f, 0.02f, 0.02f}};
    uint32_t* turned = malloc(sizeof ball->indices);
    for (int32_t i = 0; i < SHAPE_TRIANGLES; ++i) {
        turned[3 * i] = ball->indices[3 * i];
        turned[3 * i + 1] = ball->indices[3 * i + 2];
        turned[3 * i + 2] = ball->indices[3 * i + 1];
    }
    lim_picture p = {.width = 120, .height = 120, .meshes = &mesh, .mesh_count = 1};
    p.camera = (lim_camera){{0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 0.4f};
    lim_image right, wrong;
    CHECK(lim_image_create(120, 120, &right) == LIM_OK);
    CHECK(lim_image_create(120, 120, &wrong) == LIM_OK);
    CHECK(lim_image_draw(&right, &p) == LIM_OK);
    mesh.frame.indices = turned;
    CHECK(lim_image_draw(&wrong, &p) == LIM_OK);
    for (int y = 40; y <= 80; ++y) {
        for (int x = 40; x <= 80; ++x) {
            const uint8_t *a = pixel_at(&right, x, y), *b = pixel_at(&wrong, x, y);
            CHECK(b[0] < a[0] && b[0] > a[0] / 2 && b[2] <= a[2]);
        }
    }
    lim_image_destroy(&right);
    lim_image_destroy(&wrong);
    free(turned);
    free(ball);
}

static void hidden_lines_are_faint(void) {
    shape_mesh* ball = shape_ball((lim_vec3){0, 0, 0}, 0.5f, 0.0f);
    lim_draw_mesh mesh = {.frame = shape_frame(ball), .colour = {0.7f, 0.7f, 0.7f}};
    lim_debug_line lines[2] = {{{-2, 0, -1}, {2, 0, -1}, 0x000000FFu},
                               {{-2, 0.2f, 1}, {2, 0.2f, 1}, 0x000000FFu}};
    lim_picture p = {.width = 120, .height = 120, .meshes = &mesh, .mesh_count = 1};
    p.camera = (lim_camera){{0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 0.5f};
    lim_image plain, over;
    CHECK(lim_image_create(120, 120, &plain) == LIM_OK);
    CHECK(lim_image_create(120, 120, &over) == LIM_OK);
    CHECK(lim_image_draw(&plain, &p) == LIM_OK);
    p.lines = lines;
    p.line_count = 2;
    CHECK(lim_image_draw(&over, &p) == LIM_OK);
    int behind = 0, before = 0, beside = 0; /* the most that a line takes from its columns */
    for (int y = 0; y < 120; ++y) {
        int middle = light_at(&plain, 60, y) - light_at(&over, 60, y);
        int border = light_at(&plain, 3, y) - light_at(&over, 3, y);
        behind = y > 55 && middle > behind ? middle : behind;
        before = y <= 55 && middle > before ? middle : before;
        beside = border > beside ? border : beside;
    }
    CHECK(behind > 20 && before > 3 * behind && beside > 3 * behind);
    lim_image_destroy(&plain);
    lim_image_destroy(&over);
    free(ball);
}

/* Three squares one behind the other, seen from the front: what is behind a veil shows through,
 * what is before it is untouched, and its own colour is seen over the sky. */
static void veils_let_through(void) {
    const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    const float wide[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    const float behind[12] = {-1, -1, -1, 0, -1, -1, 0, 1, -1, -1, 1, -1};
    const float before[12] = {-1, -1, 1, 0, -1, 1, 0, 0, 1, -1, 0, 1};
    lim_io_frame frame = {.vertex_count = 4, .triangle_count = 2, .indices = indices};
    lim_draw_mesh meshes[3] = {
        {.frame = frame, .colour = {0.02f, 0.6f, 0.02f}, .see_through = true},
        {.frame = frame, .colour = {0.8f, 0.02f, 0.02f}},
        {.frame = frame, .colour = {0.02f, 0.02f, 0.8f}}};
    meshes[0].frame.positions = wide;
    meshes[1].frame.positions = behind;
    meshes[2].frame.positions = before;
    lim_picture p = {.width = 64, .height = 64, .meshes = meshes, .mesh_count = 3};
    p.camera = (lim_camera){{0, 0, 6}, {0, 0, 0}, {0, 1, 0}, 0.4f};
    lim_image veiled, bare;
    CHECK(lim_image_create(64, 64, &veiled) == LIM_OK);
    CHECK(lim_image_create(64, 64, &bare) == LIM_OK);
    CHECK(lim_image_draw(&veiled, &p) == LIM_OK);
    float covered = lim_picture_coverage(&p);
    p.meshes = meshes + 1;
    p.mesh_count = 2;
    CHECK(lim_image_draw(&bare, &p) == LIM_OK);
    CHECK(covered > lim_picture_coverage(&p) + 0.1f);
    const uint8_t *through = pixel_at(&veiled, 20, 20), *red = pixel_at(&bare, 20, 20);
    CHECK(red[0] > 2 * red[1]);
    CHECK(through[1] > red[1] + 20 && through[0] > 60 && through[0] < red[0]);
    CHECK(memcmp(pixel_at(&veiled, 20, 44), pixel_at(&bare, 20, 44), 3) == 0);
    CHECK(pixel_at(&veiled, 44, 32)[1] > pixel_at(&veiled, 44, 32)[0] + 8);
    lim_image_destroy(&veiled);
    lim_image_destroy(&bare);
}

/* Squares go with the rest position, not with the place: a sheet that is drawn out has them longer.
 */
static void squares_are_fixed_to_the_material(void) {
    const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    const float rest[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    float drawn[12];
    lim_draw_mesh mesh = {
        .frame = {.vertex_count = 4, .triangle_count = 2, .positions = drawn, .indices = indices},
        .colour = {0.5f, 0.5f, 0.5f},
        .checker = 0.25f,
        .rest = rest};
    lim_picture p = {.width = 256, .height = 64, .meshes = &mesh, .mesh_count = 1};
    p.camera = (lim_camera){{0, 0, 10}, {0, 0, 0}, {0, 1, 0}, 0.1f};
    lim_image image;
    CHECK(lim_image_create(256, 64, &image) == LIM_OK);
    int changes[2];
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 12; ++i) {
            drawn[i] = rest[i] * (i % 3 == 0 && k == 1 ? 2.0f : 1.0f);
        }
        CHECK(lim_image_draw(&image, &p) == LIM_OK);
        int middle = (light_at(&image, 128, 32) + light_at(&image, 128 + 16 * (k + 1), 32)) / 2;
        changes[k] = 0;
        for (int x = 1; x < 256; ++x) {
            changes[k] +=
                (light_at(&image, x - 1, 32) > middle) != (light_at(&image, x, 32) > middle);
        }
    }
    /* the picture is 4 m wide: a sheet of 2 m has 8 squares of 0.25 m, and so has it at 4 m */
    CHECK(changes[0] >= 7 && changes[0] <= 10);
    CHECK(changes[1] >= 7 && changes[1] <= 9);
    const float bad[3] = {-1.0f, NAN, INFINITY};
    for (int k = 0; k < 3; ++k) {
        mesh.checker = bad[k];
        CHECK(lim_image_draw(&image, &p) == LIM_ERROR_ARGUMENT);
    }
    mesh.checker = 0.1f;
    mesh.rest = NULL;
    CHECK(lim_image_draw(&image, &p) == LIM_ERROR_ARGUMENT);
    lim_image_destroy(&image);
}

static void fitted_cameras_show_the_box(void) {
    const lim_vec3 boxes[5][2] = {{{-1, 0, -1}, {1, 2, 1}},
                                  {{-5, 0, -0.1f}, {5, 0.2f, 0.1f}},
                                  {{100, 100, 100}, {100.1f, 101, 100.1f}},
                                  {{-0.01f, -0.01f, -3}, {0.01f, 0.01f, 3}},
                                  {{0, 0, 0}, {0, 0, 0}}};
    const float aspects[3] = {4.0f / 3.0f, 0.5f, 3.0f};
    for (int i = 0; i < 15; ++i) {
        const lim_vec3* box = boxes[i % 5];
        float aspect = aspects[i / 5], widest = 0.0f;
        lim_camera camera = lim_camera_fit(box[0], box[1], aspect);
        view v;
        CHECK(view_make(&camera, aspect, &v));
        CHECK(v.forward.y < -0.2f && v.forward.y > -0.6f);
        for (int k = 0; k < 8; ++k) {
            lim_vec3 at = view_point(&v, v3(box[k & 1].x, box[k >> 1 & 1].y, box[k >> 2].z));
            float x = fabsf(at.x) / (at.z * v.tan_x), y = fabsf(at.y) / (at.z * v.tan_y);
            CHECK(at.z > v.near && x <= 1.0f && y <= 1.0f);
            widest = x > widest ? x : widest;
            widest = y > widest ? y : widest;
        }
        CHECK(i % 5 == 4 || widest > 0.85f);
    }
    lim_camera camera = lim_camera_fit((lim_vec3){NAN, 0, 0}, (lim_vec3){1, 1, 1}, -1.0f);
    view v;
    CHECK(view_make(&camera, 1.0f, &v));
}

static void sheets_tile(void) {
    lim_image images[5], sheet;
    for (int i = 0; i < 5; ++i) {
        CHECK(lim_image_create(7, 4, &images[i]) == LIM_OK);
        memset(images[i].rgba, 10 * (i + 1), 7 * 4 * 4);
    }
    CHECK(lim_image_sheet(images, 5, 3, &sheet) == LIM_OK);
    CHECK(sheet.width == 21 && sheet.height == 8);
    for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 21; ++x) {
            int tile = y / 4 * 3 + x / 7;
            CHECK(pixel_at(&sheet, x, y)[1] == (tile < 5 ? 10 * (tile + 1) : 255));
        }
    }
    lim_image_destroy(&sheet);
    CHECK(lim_image_sheet(images, 2, 9, &sheet) == LIM_OK && sheet.width == 14);
    lim_image_destroy(&sheet);
    CHECK(lim_image_sheet(images, 0, 3, &sheet) == LIM_ERROR_ARGUMENT && sheet.rgba == NULL);
    CHECK(lim_image_sheet(images, 5, 0, &sheet) == LIM_ERROR_ARGUMENT);
    images[1].width = 4;
    images[1].height = 7;
    CHECK(lim_image_sheet(images, 5, 3, &sheet) == LIM_ERROR_ARGUMENT);
    images[1].width = 7;
    images[1].height = 4;
    for (int i = 0; i < 5; ++i) {
        lim_image_destroy(&images[i]);
        CHECK(images[i].rgba == NULL);
    }
    lim_image_destroy(NULL);
}

static void bad_input_is_refused(void) {
    scene s;
    scene_make(&s);
    lim_image image;
    CHECK(lim_image_create(0, 5, &image) == LIM_ERROR_ARGUMENT);
    CHECK(lim_image_create(5, 40000, &image) == LIM_ERROR_ARGUMENT);
    CHECK(lim_image_create(5, 5, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(lim_image_create(160, 120, &image) == LIM_OK);
    CHECK(lim_image_draw(&image, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(lim_image_draw(NULL, &s.picture) == LIM_ERROR_ARGUMENT);
    lim_picture p = s.picture;
    p.width = 161;
    CHECK(lim_image_draw(&image, &p) == LIM_ERROR_ARGUMENT);
    const float eyes[4] = {NAN, INFINITY, 1e38f, -1e38f};
    for (int i = 0; i < 4; ++i) {
        p = s.picture;
        p.camera.eye.x = eyes[i];
        CHECK(i >= 2 || lim_image_draw(&image, &p) == LIM_ERROR_ARGUMENT);
        lim_image_draw(&image, &p);
    }
    p = s.picture;
    p.camera.target = p.camera.eye;
    CHECK(lim_image_draw(&image, &p) == LIM_ERROR_ARGUMENT);
    p = s.picture;
    p.camera.fov = 0.0f;
    CHECK(lim_image_draw(&image, &p) == LIM_ERROR_ARGUMENT);
    p = s.picture;
    p.line_count = 1;
    CHECK(lim_image_draw(&image, &p) == LIM_ERROR_ARGUMENT);
    s.ball->indices[100] = SHAPE_VERTICES;
    CHECK(lim_image_draw(&image, &s.picture) == LIM_ERROR_ARGUMENT);
    lim_image_destroy(&image);
    scene_free(&s);
}

/* Vertices that are not finite or far out lose their triangles and nothing else. */
static void wild_numbers_are_left_out(void) {
    scene s;
    scene_make(&s);
    lim_image image;
    CHECK(lim_image_create(160, 120, &image) == LIM_OK);
    float before = lim_picture_coverage(&s.picture);
    const float wild[6] = {NAN, INFINITY, -INFINITY, 1e38f, -1e38f, 1e30f};
    for (int i = 0; i < 6; ++i) {
        s.ball->positions[300 * i + 4] = wild[i];
        s.ball->normals[210 * i + 1] = wild[i];
        s.lump->colours[160 * i] = wild[i];
        s.lines[i].a.y = wild[i];
        s.points[i].at.z = wild[i];
        s.points[i].size = wild[(i + 3) % 6];
    }
    s.picture.lines = s.lines;
    s.picture.line_count = 12;
    s.picture.points = s.points;
    s.picture.point_count = 8;
    CHECK(lim_image_draw(&image, &s.picture) == LIM_OK);
    CHECK_NEAR(lim_picture_coverage(&s.picture), before, 0.01);
    /* Looking straight down, and from below the ground. */
    s.picture.camera = (lim_camera){{0, 5, 0}, {0, 0, 0}, {0, 1, 0}, 0.6f};
    CHECK(lim_image_draw(&image, &s.picture) == LIM_OK);
    s.picture.camera = (lim_camera){{0, -2, 3}, {0, 0, 0}, {0, 1, 0}, 0.6f};
    CHECK(lim_image_draw(&image, &s.picture) == LIM_OK);
    /* A scene without a size. */
    memset(s.ball->positions, 0, sizeof s.ball->positions);
    s.picture.mesh_count = 1;
    CHECK(lim_image_draw(&image, &s.picture) == LIM_OK);
    lim_image_destroy(&image);
    scene_free(&s);
}

static void without_memory_nothing_leaks(void) {
    scene s;
    scene_make(&s);
    s.picture.lines = s.lines;
    s.picture.line_count = 12;
    s.picture.width = s.picture.height = 32;
    s.meshes[0].see_through = true;
    int failures = 0;
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        lim_image image, sheet = {0};
        lim_result result = image_create(&f.host, 32, 32, &image);
        if (result == LIM_OK) {
            result = image_draw(&f.host, &image, &s.picture);
            if (result == LIM_OK) {
                result = image_sheet(&f.host, &image, 1, 1, &sheet);
            }
            mem_free(&f.host, image.rgba, 32 * 32, 4);
            mem_free(&f.host, sheet.rgba, 32 * 32, 4);
        }
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
        failures++;
    }
    CHECK(failures > 3);
    scene_free(&s);
}

TEST_SUITE(picture) {
    TEST_BEGIN(argc, argv);
    RUN(bytes_are_the_same_everywhere);
    RUN(coverage_is_the_projected_area);
    RUN(nearer_hides_farther);
    RUN(ground_gives_way);
    RUN(shadows_fall_and_soften);
    RUN(meshes_take_shadows);
    RUN(inside_out_keeps_its_colour);
    RUN(hidden_lines_are_faint);
    RUN(veils_let_through);
    RUN(squares_are_fixed_to_the_material);
    RUN(fitted_cameras_show_the_box);
    RUN(sheets_tile);
    RUN(bad_input_is_refused);
    RUN(wild_numbers_are_left_out);
    RUN(without_memory_nothing_leaks);
    TEST_END();
}

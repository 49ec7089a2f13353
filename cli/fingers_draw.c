/* SPDX-License-Identifier: MIT
 * Job: the picture of figure 1. In: nothing. Out: three panels: the cells of both samplings, and
 * the adaptive body with one finger pulled aside.
 */
#include "cli/fingers_body.h"

#include "base/arena.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 560, HEIGHT = 520, PANELS = 3 };

static lim_result draw_body(const lim_world* world, lim_body body, const lim_model* model,
                            bool cells, const char* caption, const lim_host* host,
                            lim_image* image) {
    arena scratch;
    arena_init(&scratch, host);
    lim_skin_view skin;
    lim_mesh_view surface = lim_model_get_surface(model);
    const lim_point origin = {0.0, 0.0, 0.0};
    int32_t line_count = 0, point_count = 0;
    lim_result result = lim_body_get_skin(world, body, &skin);
    float* at =
        result == LIM_OK ? ARENA_ARRAY(&scratch, float, 6 * (int64_t)skin.vertex_count) : NULL;
    if (result == LIM_OK) {
        float* normals = at + 3 * (size_t)skin.vertex_count;
        result = at == NULL ? LIM_ERROR_MEMORY
                            : lim_body_write_skin(world, body, origin, at, 3 * sizeof(float),
                                                  normals, 3 * sizeof(float), skin.vertex_count);
    }
    if (result == LIM_OK && cells) {
        result = lim_body_debug_draw(world, body, LIM_DEBUG_CELLS, 0, origin, NULL, 0, &line_count,
                                     NULL, 0, &point_count);
    }
    lim_debug_line* lines = ARENA_ARRAY(&scratch, lim_debug_line, line_count);
    if (result == LIM_OK && line_count > 0) {
        result = lines == NULL
                     ? LIM_ERROR_MEMORY
                     : lim_body_debug_draw(world, body, LIM_DEBUG_CELLS, 0, origin, lines,
                                           line_count, &line_count, NULL, 0, &point_count);
    }
    if (result == LIM_OK) {
        lim_draw_mesh mesh = {.frame = {.vertex_count = skin.vertex_count,
                                        .triangle_count = skin.triangle_count,
                                        .positions = at,
                                        .normals = at + 3 * (size_t)skin.vertex_count,
                                        .colours = surface.colours,
                                        .indices = skin.indices},
                              .see_through = cells};
        lim_picture picture = {.width = WIDTH,
                               .height = HEIGHT,
                               .camera = {.eye = {0.0f, 0.55f, 2.3f},
                                          .target = {0.0f, 0.40f, 0.0f},
                                          .up = {0.0f, 1.0f, 0.0f},
                                          .fov = 0.44f},
                               .meshes = &mesh,
                               .mesh_count = 1,
                               .lines = lines,
                               .line_count = line_count,
                               .caption = caption};
        result = lim_image_create(WIDTH, HEIGHT, image);
        result = result == LIM_OK ? lim_image_draw(image, &picture) : result;
    }
    arena_release(&scratch);
    return result;
}

/* Panels 0 and 1: a sampling with its cells; panel 2: the adaptive body with a finger pulled. */
static lim_result draw_panel(const fingers_set* set, int32_t panel, const lim_host* host,
                             lim_image* image) {
    static const char* const what[PANELS] = {"uniform", "adaptive", "adaptive, one finger pulled"};
    fingers_sampling which = panel == 0 ? FINGERS_UNIFORM : FINGERS_ADAPTIVE;
    lim_model* model = NULL;
    lim_world* world = NULL;
    lim_body body;
    char caption[64];
    lim_result result = fingers_model(set, FINGERS_BLENDED, which, host, &model);
    if (result == LIM_OK) {
        snprintf(caption, sizeof caption, "%s, %d nodes", what[panel],
                 (int)lim_model_get_info(model).nodes);
        result = fingers_world(set, model, 0.0f, true, host, &world, &body);
    }
    if (result == LIM_OK && panel == PANELS - 1) {
        fingers_pull pull;
        result = fingers_pull_tip(set, world, body, &pull);
    }
    if (result == LIM_OK) {
        result = draw_body(world, body, model, panel < PANELS - 1, caption, host, image);
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
    return result;
}

lim_result fingers_draw(const lim_host* host, lim_image* out_image) {
    fingers_set set;
    lim_image images[PANELS];
    memset(images, 0, sizeof images);
    lim_result result = fingers_set_make(&set, host);
    for (int32_t panel = 0; panel < PANELS && result == LIM_OK; ++panel) {
        result = draw_panel(&set, panel, host, &images[panel]);
    }
    if (result == LIM_OK) {
        result = lim_image_sheet(images, PANELS, PANELS, out_image);
    }
    for (int32_t panel = 0; panel < PANELS; ++panel) {
        lim_image_destroy(&images[panel]);
    }
    fingers_set_release(&set);
    return result;
}

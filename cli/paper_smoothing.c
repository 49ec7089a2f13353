/* SPDX-License-Identifier: MIT
 * Job: 001.fig2. In: nothing. Out: a bar with a node displaced, smoothed by matching with regions
 * of half-width 1, 2 and 3: how much is left after two steps, and a picture; and a bent bar: how
 * many steps it takes until a tenth of the bend is left. A smoothing step sets every node to its
 * goal: the paper's step (alpha 1, no damping) from rest, after which velocities are set to zero
 * again.
 */
#include "cli/paper_lattice.h"

#include "cli/stage.h"
#include "scenes/models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTHS = 3, PANELS = WIDTHS + 1, STEPS_MOST = 2000, SHOWN_STEPS = 2 };
static const int32_t CELLS[3] = {14, 4, 1};
static const double CELL = 0.05, SHIFT = 3.0; /* SHIFT: cells */
static const double LEFT = 0.1;
static const float DT = 1.0f / 60.0f;

typedef struct smoothing {
    lim_mesh* mesh;
    lim_model* model;
    lim_world* world;
    lim_body body;
    int32_t count;
    double *rest, *x;
    float* still;
    arena memory;
} smoothing;

static void smoothing_end(smoothing* s) {
    lim_world_destroy(s->world);
    lim_model_destroy(s->model);
    lim_mesh_destroy(s->mesh);
    arena_release(&s->memory);
}

static lim_result make_body(smoothing* s, int32_t width, const lim_host* host) {
    /* a little short of whole cells, so that no cell more is touched */
    const int32_t squares[3] = {1, 1, 1};
    lim_result result = box_mesh((CELLS[0] - 0.01) * CELL, (CELLS[1] - 0.01) * CELL,
                                 (CELLS[2] - 0.01) * CELL, squares, host, &s->mesh);
    if (result == LIM_OK) {
        lim_model_desc desc = lim_model_desc_default();
        desc.kind = LIM_KIND_LATTICE;
        desc.cell_size = (float)CELL;
        desc.region_width = (float)width;
        result = lim_model_create(s->mesh, &desc, host, &s->model);
    }
    if (result == LIM_OK) {
        lim_world_desc desc = lim_world_desc_default();
        desc.gravity = (lim_vec3){0.0f, 0.0f, 0.0f};
        desc.substeps = 1;
        desc.sleep = false;
        result = lim_world_create(&desc, host, &s->world);
    }
    if (result == LIM_OK) {
        lim_body_desc desc = lim_body_desc_default();
        desc.model = s->model;
        desc.material.alpha = 1.0f;
        desc.material.viscosity = desc.material.damping_time = 0.0f;
        result = lim_body_create(s->world, &desc, &s->body);
    }
    return result;
}

/* At rest. */
static lim_result smoothing_begin(smoothing* s, int32_t width, const lim_host* host) {
    memset(s, 0, sizeof *s);
    arena_init(&s->memory, host);
    lim_result result = make_body(s, width, host);
    if (result != LIM_OK) {
        return result;
    }
    s->count = lim_model_get_info(s->model).nodes;
    s->rest = ARENA_ARRAY(&s->memory, double, 3 * (int64_t)s->count);
    s->x = ARENA_ARRAY(&s->memory, double, 3 * (int64_t)s->count);
    s->still = ARENA_ARRAY(&s->memory, float, 3 * (int64_t)s->count);
    if (s->rest == NULL || s->x == NULL || s->still == NULL) {
        return LIM_ERROR_MEMORY;
    }
    return lim_body_get_nodes(s->world, s->body, s->rest, NULL, s->count);
}

/* Up by at most the same: the middle of the upper side, through the thickness, so that it is like
 * the flat lattice of the paper's figure; or all nodes, as a parabola. */
static lim_result displace(smoothing* s, bool bend) {
    double half = 0.5 * CELLS[0] * CELL;
    memcpy(s->x, s->rest, 3 * (size_t)s->count * sizeof(double));
    for (int32_t i = 0; i < s->count; ++i) {
        const double* at = s->rest + 3 * (size_t)i;
        bool middle = fabs(at[0]) < 0.5 * CELL && at[1] > (0.5 * CELLS[1] - 0.5) * CELL;
        double share = bend ? at[0] * at[0] / (half * half) : middle ? 1.0 : 0.0;
        s->x[3 * (size_t)i + 1] += SHIFT * CELL * share;
    }
    return lim_body_set_nodes(s->world, s->body, s->x, s->still, s->count);
}

static lim_result smooth(smoothing* s) {
    lim_result result = lim_world_step(s->world, DT);
    if (result == LIM_OK) {
        result = lim_body_get_nodes(s->world, s->body, s->x, NULL, s->count);
    }
    return result == LIM_OK ? lim_body_set_nodes(s->world, s->body, NULL, s->still, s->count)
                            : result;
}

/* Root mean square of the displacements, beside their mean. */
static double rms(const smoothing* s) {
    double mean[3] = {0, 0, 0}, sum = 0.0;
    for (int32_t i = 0; i < 3 * s->count; ++i) {
        mean[i % 3] += (s->x[i] - s->rest[i]) / s->count;
    }
    for (int32_t i = 0; i < 3 * s->count; ++i) {
        double off = s->x[i] - s->rest[i] - mean[i % 3];
        sum += off * off;
    }
    return sqrt(sum / s->count);
}

static lim_result draw(const smoothing* s, const char* caption, const lim_host* host,
                       lim_image* out) {
    stage st;
    stage_begin(&st, host);
    lim_result result = stage_add_lattice(&st, s->world, s->body, s->model, 0x5C6B7AFFu,
                                          0x1F7A8CFFu, (float)(0.34 * CELL));
    if (result == LIM_OK) {
        const lim_picture look = {.width = 640,
                                  .height = 340,
                                  .camera = {.eye = {0.0f, 0.12f, 2.4f},
                                             .target = {0.0f, 0.055f, 0.0f},
                                             .up = {0.0f, 1.0f, 0.0f},
                                             .fov = 0.19f},
                                  .caption = caption};
        result = stage_draw(&st, &look, out);
    }
    stage_end(&st);
    return result;
}

/* What is left of one displaced node after two steps; draws before and after. */
static lim_result smooth_node(smoothing* s, int32_t width, const lim_host* host, bool picture,
                              lim_image panels[PANELS], double* out_left) {
    lim_result result = displace(s, false);
    double first = rms(s);
    if (result == LIM_OK && picture && width == 1) {
        result = draw(s, "before", host, &panels[0]);
    }
    for (int32_t i = 0; i < SHOWN_STEPS && result == LIM_OK; ++i) {
        result = smooth(s);
    }
    *out_left = rms(s) / first;
    if (result == LIM_OK && picture) {
        char caption[32];
        snprintf(caption, sizeof caption, "w = %d, after %d steps", (int)width, (int)SHOWN_STEPS);
        result = draw(s, caption, host, &panels[width]);
    }
    return result;
}

static lim_result smooth_bend(smoothing* s, int32_t* out_steps) {
    lim_result result = displace(s, true);
    double first = rms(s);
    *out_steps = 0;
    while (result == LIM_OK && rms(s) > LEFT * first && *out_steps < STEPS_MOST) {
        result = smooth(s);
        ++*out_steps;
    }
    return result;
}

static lim_result measure_width(int32_t width, const lim_host* host, paper_rows* rows,
                                lim_image panels[PANELS]) {
    smoothing s;
    double left = 1.0;
    int32_t steps = 0;
    lim_result result = smoothing_begin(&s, width, host);
    result = result == LIM_OK ? smooth_node(&s, width, host, rows->picture != NULL, panels, &left)
                              : result;
    result = result == LIM_OK ? smooth_bend(&s, &steps) : result;
    if (result == LIM_OK) {
        char about[16];
        snprintf(about, sizeof about, "w = %d", (int)width);
        paper_rows_of(rows, about, "a node displaced: rms left after two steps", NAN, left,
                      "of the first");
        paper_rows_of(rows, about, "bent bar: steps until a tenth is left", NAN, (double)steps, "");
    }
    smoothing_end(&s);
    return result;
}

lim_result paper_smoothing(const lim_host* host, paper_rows* rows) {
    lim_image panels[PANELS];
    memset(panels, 0, sizeof panels);
    lim_result result = LIM_OK;
    for (int32_t width = 1; width <= WIDTHS && result == LIM_OK; ++width) {
        result = measure_width(width, host, rows, panels);
    }
    if (result == LIM_OK && rows->picture != NULL) {
        result = lim_image_sheet(panels, PANELS, 2, rows->picture);
    }
    for (int32_t i = 0; i < PANELS; ++i) {
        lim_image_destroy(&panels[i]);
    }
    paper_rows_note(rows,
                    "A bar of 14 x 4 x 1 cells, the middle of its upper side displaced by 3 "
                    "cells, or its ends bent up as far. A step sets all nodes to their goals.");
    return result;
}

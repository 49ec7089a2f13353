/* SPDX-License-Identifier: MIT
 * Job: draw frames of a film. In: a film, a size, perhaps a camera. Out: a PNG or an MP4. All
 * pictures of a sheet have one camera (framing.h), so that they can be compared. Only movies and
 * single moments of a scene whose camera moves are seen through that one.
 */
#include "cli/draw.h"

#include "cli/cutaway.h"
#include "cli/framing.h"
#include "cli/interrupt.h"
#include "cli/moments.h"
#include "cli/props.h"
#include "cli/tool_props.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pixels of a picture of a sheet whose size is not given, and how wide one is in rows of two. */
static const double PIXELS = 128000.0;
static const float WIDE = 1.3f;

/* What is drawn of a frame, and how. */
typedef struct frame_look {
    const lim_camera* camera;
    const int32_t* size; /* 2 */
    const char* caption;
    bool plain; /* nothing of the inside */
} frame_look;

/* The bodies, as a veil where something inside is shown, then the cells, the colliders and the
 * tools; returns how many meshes that are. */
static lim_result gather(const film* f, int32_t index, const cutaway_view* inside, bool plain,
                         arena* scratch, lim_draw_mesh* meshes, int32_t* out_count) {
    const film_frame* frame = &f->frames.data[index];
    for (int32_t i = 0; i < frame->part_count; ++i) {
        const film_part* part = film_part_at(f, i, index);
        meshes[i] = (lim_draw_mesh){
            .frame = film_view(f, i, index),
            .colour = f->bodies.data[i].colour,
            .see_through = !plain && (f->overlay & FILM_INSIDE) != 0,
            .checker = part != NULL && part->shape->rest != NULL ? f->bodies.data[i].checker : 0.0f,
            .rest = part != NULL ? part->shape->rest : NULL};
    }
    int32_t count = frame->part_count;
    meshes[count++] = inside->cells;
    lim_result result = LIM_OK;
    for (int32_t i = 0; i < frame->collider_count && result == LIM_OK; ++i) {
        result = prop_make(&frame->colliders[i], scratch, &meshes[count++]);
    }
    for (int32_t i = 0; i < frame->tool_count && result == LIM_OK && !plain; ++i) {
        result = tool_props_make(f, &frame->tools[i], scratch, meshes, &count);
    }
    *out_count = count;
    return result;
}

/* Draws one frame. Scratch comes from an arena that is given back at the end. out_coverage may be
 * null. */
static lim_result draw_frame(const film* f, int32_t index, const frame_look* look, lim_image* image,
                             float* out_coverage) {
    const film_frame* frame = &f->frames.data[index];
    arena scratch;
    arena_init(&scratch, &f->host);
    cutaway_view inside = {0};
    int32_t count = 0;
    int64_t most = (int64_t)frame->part_count + frame->collider_count + 1 +
                   TOOL_MESHES_MOST * (int64_t)frame->tool_count;
    lim_draw_mesh* meshes = ARENA_ARRAY(&scratch, lim_draw_mesh, most);
    lim_result result = meshes != NULL ? LIM_OK : LIM_ERROR_MEMORY;
    if (result == LIM_OK && !look->plain) {
        result = cutaway_make(f, index, look->camera, look->size[1], &scratch, &inside);
    }
    if (result == LIM_OK) {
        result = gather(f, index, &inside, look->plain, &scratch, meshes, &count);
    }
    if (result == LIM_OK) {
        lim_picture picture = {.width = look->size[0],
                               .height = look->size[1],
                               .camera = *look->camera,
                               .meshes = meshes,
                               .mesh_count = count,
                               .lines = inside.lines,
                               .line_count = inside.line_count,
                               .points = inside.points,
                               .point_count = inside.point_count,
                               .ground = f->ground,
                               .ground_height = f->ground_height,
                               .caption = look->caption};
        result = lim_image_draw(image, &picture);
        if (result == LIM_OK && !look->plain &&
            (f->overlay & (LIM_DEBUG_CELLS | LIM_DEBUG_NODES | LIM_DEBUG_GRAPH)) != 0) {
            cutaway_legend(f, index, image);
        }
        if (out_coverage != NULL) {
            picture.mesh_count = frame->part_count;
            *out_coverage = lim_picture_coverage(&picture);
        }
    }
    arena_release(&scratch);
    return result;
}

static lim_result draw_timed(const film* f, int32_t index, const lim_camera* camera,
                             const int32_t size[2], lim_image* image, float* out_coverage) {
    char caption[32];
    snprintf(caption, sizeof caption, "%.2f s", f->frames.data[index].time);
    const frame_look look = {.camera = camera, .size = size, .caption = caption};
    return draw_frame(f, index, &look, image, out_coverage);
}

lim_result draw_still(const film* f, bool plain, const int32_t size[2], const char* caption,
                      lim_image* image) {
    const int32_t first = 0;
    const framing s = {.f = f, .frames = &first, .count = 1, .plain = plain};
    lim_camera camera = framing_fit(&s, NULL, (float)size[0] / (float)size[1]);
    const frame_look look = {.camera = &camera, .size = size, .caption = caption, .plain = plain};
    return draw_frame(f, first, &look, image, NULL);
}

static int32_t choose(const film* f, int32_t out[MOMENTS_MOST]) {
    arena scratch;
    arena_init(&scratch, &f->host);
    moment_sample* samples = ARENA_ARRAY(&scratch, moment_sample, f->frames.count);
    int32_t count = 0;
    if (samples != NULL) {
        for (int32_t i = 0; i < f->frames.count; ++i) {
            const film_frame* frame = &f->frames.data[i];
            samples[i] = (moment_sample){.contacts = frame->contacts,
                                         .strain = frame->strain,
                                         .height = frame->height,
                                         .motion = frame->motion,
                                         .telling = frame->telling};
        }
        count = moments_choose(samples, f->frames.count, out);
    }
    arena_release(&scratch);
    return count;
}

/* The given size, or one whose shape fits what is to be seen. */
static void choose_size(const film* f, const lim_camera* camera, const draw_sheet_report* report,
                        const int32_t size[2], int32_t out[2]) {
    out[0] = size[0];
    out[1] = size[1];
    if (size[0] <= 0) {
        const framing s = {.f = f, .frames = report->moments, .count = report->count};
        double aspect = (double)framing_aspect(&s, camera);
        out[0] = 8 * (int32_t)(sqrt(PIXELS * aspect) / 8.0 + 0.5);
        out[1] = 8 * (int32_t)(sqrt(PIXELS / aspect) / 8.0 + 0.5);
    }
}

/* Draws the chosen moments into images that are made here, all of them with one camera. */
static lim_result draw_chosen(const film* f, const lim_camera* camera, const int32_t size[2],
                              lim_image images[MOMENTS_MOST], draw_sheet_report* report) {
    const framing s = {.f = f, .frames = report->moments, .count = report->count};
    lim_camera still = framing_choose(&s, camera, (float)size[0] / (float)size[1]);
    for (int32_t i = 0; i < report->count; ++i) {
        lim_result result = lim_image_create(size[0], size[1], &images[i]);
        if (result == LIM_OK) {
            result =
                draw_timed(f, report->moments[i], &still, size, &images[i], &report->coverage[i]);
        }
        if (result != LIM_OK) {
            return result;
        }
    }
    return LIM_OK;
}

lim_result draw_pictures(const film* f, const lim_camera* camera, const int32_t size[2],
                         lim_image images[MOMENTS_MOST], draw_sheet_report* out_report) {
    memset(out_report, 0, sizeof *out_report);
    memset(images, 0, sizeof(lim_image) * MOMENTS_MOST);
    out_report->count = choose(f, out_report->moments);
    if (out_report->count == 0) {
        return LIM_ERROR_MEMORY;
    }
    int32_t chosen[2];
    choose_size(f, camera, out_report, size, chosen);
    return draw_chosen(f, camera, chosen, images, out_report);
}

/* Tiles the pictures, writes them and frees them. */
static lim_result write_pictures(lim_image images[MOMENTS_MOST], int32_t count, lim_result drawn,
                                 const char* path, lim_io_message* out_message) {
    lim_image sheet = {0};
    lim_result result = drawn;
    if (result == LIM_ERROR_ARGUMENT) {
        snprintf(out_message->text, sizeof out_message->text,
                 "%.200s: a body is too far away or too large to draw; the run went out of bounds, "
                 "try more --nodes or a softer body",
                 path);
    }
    if (result == LIM_OK) {
        bool wide = (float)images[0].width > WIDE * (float)images[0].height;
        int32_t columns = wide ? 2 : 4;
        result = lim_image_sheet(images, count, count < columns ? count : columns, &sheet);
    }
    if (result == LIM_OK) {
        result = lim_io_write_png(path, &sheet, out_message);
    }
    lim_image_destroy(&sheet);
    for (int32_t i = 0; i < MOMENTS_MOST; ++i) {
        lim_image_destroy(&images[i]);
    }
    return result;
}

lim_result draw_sheet(const film* f, const lim_camera* camera, const int32_t size[2],
                      const char* path, draw_sheet_report* out_report,
                      lim_io_message* out_message) {
    draw_sheet_report report;
    lim_image images[MOMENTS_MOST];
    lim_result drawn = draw_pictures(f, camera, size, images, &report);
    if (out_report != NULL) {
        *out_report = report;
    }
    return write_pictures(images, report.count, drawn, path, out_message);
}

lim_result draw_moment(const film* f, const lim_camera* camera, double at, const int32_t size[2],
                       const char* path, draw_sheet_report* out_report,
                       lim_io_message* out_message) {
    draw_sheet_report report = {.count = 1};
    lim_image images[MOMENTS_MOST] = {{0}};
    for (int32_t i = 1; i < f->frames.count; ++i) {
        if (fabs(f->frames.data[i].time - at) < fabs(f->frames.data[report.moments[0]].time - at)) {
            report.moments[0] = i;
        }
    }
    lim_camera own = camera != NULL ? *camera : (lim_camera){0};
    if (f->camera_moves && camera != NULL) {
        own = f->frames.data[report.moments[0]].camera;
    }
    int32_t chosen[2];
    choose_size(f, camera != NULL ? &own : NULL, &report, size, chosen);
    lim_result drawn = draw_chosen(f, camera != NULL ? &own : NULL, chosen, images, &report);
    if (out_report != NULL) {
        *out_report = report;
    }
    return write_pictures(images, report.count, drawn, path, out_message);
}

lim_result draw_movie(const film* f, const lim_camera* camera, const int32_t size[2],
                      const char* path, say_progress* progress, lim_io_message* out_message) {
    const framing all = {.f = f, .count = f->frames.count};
    lim_camera still = framing_choose(&all, camera, (float)size[0] / (float)size[1]);
    lim_movie* movie = NULL;
    lim_result result = lim_movie_open(path, size[0], size[1], (float)f->fps, &movie, out_message);
    if (result != LIM_OK) {
        return result;
    }
    lim_image image = {0};
    result = lim_image_create(size[0], size[1], &image);
    bool before = interrupt_came(); /* then the film is short already, and all of it is drawn */
    for (int32_t i = 0; i < f->frames.count && result == LIM_OK; ++i) {
        if (i > 0 && !before && interrupt_came()) {
            break;
        }
        bool own = f->camera_moves && camera != NULL;
        const lim_camera* with = own ? &f->frames.data[i].camera : &still;
        result = draw_timed(f, i, with, size, &image, NULL);
        if (result == LIM_OK) {
            result = lim_movie_add(movie, &image);
        }
        say_progress_at(progress, (double)(i + 1) / (double)f->frames.count);
    }
    lim_image_destroy(&image);
    lim_result closed = lim_movie_close(movie, out_message);
    return result != LIM_OK ? result : closed;
}

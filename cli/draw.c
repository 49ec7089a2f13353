/* SPDX-License-Identifier: MIT
 * Job: draw frames of a film. In: a film, a size, perhaps a camera. Out: a PNG or an MP4. The
 * camera stands still for the whole film and shows the bounds of all that is drawn; where a body
 * would then be too small to see, each picture of a sheet gets its own target with the same
 * direction. A scene whose camera moves is seen through that one.
 */
#include "cli/draw.h"

#include "cli/cutaway.h"
#include "cli/interrupt.h"
#include "cli/moments.h"
#include "cli/props.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Below this share of a picture a body is hard to read; above the other the rest is out of sight.
 */
static const float COVERAGE_LEAST = 0.11f, COVERAGE_MOST = 0.75f;

/* A camera that shows all of these frames: the given one's direction and angle if there is one, as
 * near as lim_camera_fit would stand. */
static lim_camera fit(const film* f, const lim_camera* given, const int32_t* frames, int32_t count,
                      const int32_t size[2]) {
    lim_vec3 lower = f->frames.data[frames[0]].lower, upper = f->frames.data[frames[0]].upper;
    for (int32_t i = 1; i < count; ++i) {
        const film_frame* frame = &f->frames.data[frames[i]];
        lower = (lim_vec3){fminf(lower.x, frame->lower.x), fminf(lower.y, frame->lower.y),
                           fminf(lower.z, frame->lower.z)};
        upper = (lim_vec3){fmaxf(upper.x, frame->upper.x), fmaxf(upper.y, frame->upper.y),
                           fmaxf(upper.z, frame->upper.z)};
    }
    lim_camera camera = lim_camera_fit(lower, upper, (float)size[0] / (float)size[1]);
    if (given != NULL) {
        lim_vec3 away = {given->eye.x - given->target.x, given->eye.y - given->target.y,
                         given->eye.z - given->target.z};
        lim_vec3 fitted = {camera.eye.x - camera.target.x, camera.eye.y - camera.target.y,
                           camera.eye.z - camera.target.z};
        float length = sqrtf(away.x * away.x + away.y * away.y + away.z * away.z);
        float distance = sqrtf(fitted.x * fitted.x + fitted.y * fitted.y + fitted.z * fitted.z) *
                         tanf(0.5f * camera.fov) / tanf(0.5f * given->fov);
        if (length > 0.0f) { /* else the scene's camera looks at itself: keep the fitted one */
            camera.eye = (lim_vec3){camera.target.x + away.x * distance / length,
                                    camera.target.y + away.y * distance / length,
                                    camera.target.z + away.z * distance / length};
            camera.up = given->up;
            camera.fov = given->fov;
        }
    }
    return camera;
}

/* What is drawn of a frame, and how. */
typedef struct frame_look {
    const lim_camera* camera;
    const int32_t* size; /* 2 */
    const char* caption;
    bool plain; /* nothing of the inside */
} frame_look;

/* The bodies, as a veil where something inside is shown, then the colliders, then the cells. */
static lim_result gather(const film* f, int32_t index, const cutaway_view* inside, bool plain,
                         arena* scratch, lim_draw_mesh* meshes) {
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
    for (int32_t i = 0; i < frame->collider_count; ++i) {
        lim_result result =
            prop_make(&frame->colliders[i], scratch, &meshes[frame->part_count + i]);
        if (result != LIM_OK) {
            return result;
        }
    }
    meshes[frame->part_count + frame->collider_count] = inside->cells;
    return LIM_OK;
}

/* Draws one frame. Scratch comes from an arena that is given back at the end. out_coverage may be
 * null. */
static lim_result draw_frame(const film* f, int32_t index, const frame_look* look, lim_image* image,
                             float* out_coverage) {
    const film_frame* frame = &f->frames.data[index];
    arena scratch;
    arena_init(&scratch, &f->host);
    cutaway_view inside = {0};
    int32_t count = frame->part_count + frame->collider_count + 1;
    lim_draw_mesh* meshes = ARENA_ARRAY(&scratch, lim_draw_mesh, count);
    lim_result result = meshes != NULL ? LIM_OK : LIM_ERROR_MEMORY;
    if (result == LIM_OK && !look->plain) {
        result = cutaway_make(f, index, look->camera, look->size[1], &scratch, &inside);
    }
    if (result == LIM_OK) {
        result = gather(f, index, &inside, look->plain, &scratch, meshes);
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
    lim_camera camera = fit(f, NULL, &first, 1, size);
    const frame_look look = {.camera = &camera, .size = size, .caption = caption, .plain = plain};
    return draw_frame(f, first, &look, image, NULL);
}

/* Draws all moments with one camera, or each with its own target from the same direction. */
static lim_result draw_moments(const film* f, const lim_camera* camera, const int32_t size[2],
                               const int32_t* moments, int32_t count, bool follow,
                               lim_image* images, float* coverage) {
    for (int32_t i = 0; i < count; ++i) {
        lim_camera own = follow ? fit(f, camera, &moments[i], 1, size) : *camera;
        lim_result result = draw_timed(f, moments[i], &own, size, &images[i], &coverage[i]);
        if (result != LIM_OK) {
            return result;
        }
    }
    return LIM_OK;
}

static int32_t choose(const film* f, int32_t out[MOMENTS_MOST]) {
    arena scratch;
    arena_init(&scratch, &f->host);
    moment_sample* samples = ARENA_ARRAY(&scratch, moment_sample, f->frames.count);
    int32_t count = 0;
    if (samples != NULL) {
        for (int32_t i = 0; i < f->frames.count; ++i) {
            const film_frame* frame = &f->frames.data[i];
            samples[i] = (moment_sample){frame->contacts, frame->strain, frame->height};
        }
        count = moments_choose(samples, f->frames.count, out);
    }
    arena_release(&scratch);
    return count;
}

/* Whether a place lies within a picture. */
typedef struct sight {
    lim_vec3 eye, forward, right, up;
    float tan_x, tan_y;
} sight;

static bool sees(const sight* s, const float* at) {
    lim_vec3 d = v3_sub(v3(at[0], at[1], at[2]), s->eye);
    float depth = v3_dot(d, s->forward);
    return fabsf(v3_dot(d, s->right)) <= s->tan_x * depth &&
           fabsf(v3_dot(d, s->up)) <= s->tan_y * depth;
}

/* Every body lies within every picture: no corner of a triangle beyond the border. */
static bool is_in_sight(const film* f, const draw_sheet_report* report, const lim_camera* camera,
                        const int32_t size[2]) {
    sight s = {.eye = camera->eye, .tan_y = tanf(0.5f * camera->fov)};
    s.forward = v3_unit(v3_sub(camera->target, camera->eye), v3(0, 0, -1));
    s.right = v3_unit(v3_cross(s.forward, camera->up), v3(1, 0, 0));
    s.up = v3_cross(s.right, s.forward);
    s.tan_x = s.tan_y * (float)size[0] / (float)size[1];
    for (int32_t i = 0; i < report->count; ++i) {
        int32_t frame = report->moments[i];
        for (int32_t b = 0; b < f->frames.data[frame].part_count; ++b) {
            lim_io_frame skin = film_view(f, b, frame);
            for (int64_t k = 0; k < 3 * (int64_t)skin.triangle_count; ++k) {
                if (!sees(&s, skin.positions + 3 * (size_t)skin.indices[k])) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool is_readable(const draw_sheet_report* report) {
    for (int32_t i = 0; i < report->count; ++i) {
        if (report->coverage[i] < COVERAGE_LEAST || report->coverage[i] > COVERAGE_MOST) {
            return false;
        }
    }
    return true;
}

/* Draws report->moments into images that are made here. */
static lim_result draw_chosen(const film* f, const lim_camera* camera, const int32_t size[2],
                              lim_image images[MOMENTS_MOST], draw_sheet_report* report) {
    for (int32_t i = 0; i < report->count; ++i) {
        lim_result result = lim_image_create(size[0], size[1], &images[i]);
        if (result != LIM_OK) {
            return result;
        }
    }
    for (int32_t i = 0; i < report->count && f->camera_moves && camera != NULL; ++i) {
        int32_t at = report->moments[i];
        lim_result result =
            draw_timed(f, at, &f->frames.data[at].camera, size, &images[i], &report->coverage[i]);
        if (result != LIM_OK || i == report->count - 1) {
            return result;
        }
    }
    /* the scene's camera, then one that stands still and sees it all, then one that follows: the
       first that shows the bodies whole and large enough everywhere */
    lim_camera still = fit(f, camera, report->moments, report->count, size);
    bool usable = camera != NULL && is_in_sight(f, report, camera, size);
    for (int32_t attempt = usable ? 0 : 1; attempt < 3; ++attempt) {
        const lim_camera* with = attempt == 0 ? camera : attempt == 1 ? &still : camera;
        lim_result result = draw_moments(f, with, size, report->moments, report->count,
                                         attempt == 2, images, report->coverage);
        if (result != LIM_OK || is_readable(report)) {
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
    return out_report->count > 0 ? draw_chosen(f, camera, size, images, out_report)
                                 : LIM_ERROR_MEMORY;
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
        result = lim_image_sheet(images, count, count < 4 ? count : 4, &sheet);
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
    lim_result drawn = draw_chosen(f, camera, size, images, &report);
    if (out_report != NULL) {
        *out_report = report;
    }
    return write_pictures(images, report.count, drawn, path, out_message);
}

lim_result draw_movie(const film* f, const lim_camera* camera, const int32_t size[2],
                      const char* path, say_progress* progress, lim_io_message* out_message) {
    int32_t moments[MOMENTS_MOST];
    int32_t count = choose(f, moments);
    if (count == 0) {
        return LIM_ERROR_MEMORY;
    }
    lim_camera still = camera != NULL ? *camera : fit(f, NULL, moments, count, size);
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

/* SPDX-License-Identifier: MIT
 * Job: write a film as what the extension asks for. In: a film and a path. Out: a file, or a series
 * of files numbered from 1.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 1024 };

output_kind output_kind_of(const char* path) {
    static const struct {
        const char* extension;
        output_kind kind;
    } kinds[] = {{".png", OUTPUT_PNG}, {".glb", OUTPUT_GLB}, {".obj", OUTPUT_OBJ},
                 {".ply", OUTPUT_PLY}, {".mp4", OUTPUT_MP4}, {".json", OUTPUT_JSON}};
    const char* dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof kinds / sizeof kinds[0]; ++i) {
        if (strcasecmp(dot, kinds[i].extension) == 0) {
            return kinds[i].kind;
        }
    }
    return OUTPUT_UNKNOWN;
}

/* Whether a program of this name can be started. */
static bool has_program(const char* name) {
    const char* at = getenv("PATH");
    while (at != NULL) {
        char path[PATH_ROOM];
        size_t length = strcspn(at, ":");
        int size = snprintf(path, sizeof path, "%.*s/%s", (int)length, at, name);
        if (size > 0 && (size_t)size < sizeof path && access(path, X_OK) == 0) {
            return true;
        }
        at = at[length] == ':' ? at + length + 1 : NULL;
    }
    return false;
}

/* What is wrong with a folder for outputs, with its cure; null: nothing. */
static const char* folder_fault(const char* folder) {
    struct stat there;
    if (stat(folder, &there) != 0) {
        return "does not exist; make it first";
    }
    if (!S_ISDIR(there.st_mode)) {
        return "is a file; choose another folder";
    }
    return access(folder, W_OK) == 0
               ? NULL
               : "cannot be written to; choose another, or change its permissions";
}

/* Likewise with the file itself. */
static const char* file_fault(const char* path) {
    struct stat there;
    bool exists = stat(path, &there) == 0;
    if (exists && S_ISDIR(there.st_mode)) {
        return "is a folder; name a file in it, or another file";
    }
    if (exists && access(path, W_OK) != 0) {
        return "is there already and cannot be written to; choose another name, or change its "
               "permissions";
    }
    if (output_kind_of(path) == OUTPUT_MP4 && !has_program("ffmpeg")) {
        return "movies need the program ffmpeg, which is not there; install it, or write a .png or "
               "a .glb";
    }
    return NULL;
}

bool output_is_possible(const char* path, lim_io_message* out_message) {
    char folder[PATH_ROOM] = ".";
    size_t length = strlen(path);
    if (length + 16 > sizeof folder) {
        snprintf(out_message->text, sizeof out_message->text, "-o: the path is too long");
        return false;
    }
    const char* slash = strrchr(path, '/');
    if (slash != NULL) {
        length = slash == path ? 1 : (size_t)(slash - path);
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    const char* fault = folder_fault(folder);
    if (fault != NULL) {
        snprintf(out_message->text, sizeof out_message->text, "%.200s: the folder %.200s %s", path,
                 folder, fault);
        return false;
    }
    fault = file_fault(path);
    if (fault != NULL) {
        snprintf(out_message->text, sizeof out_message->text, "%.300s: %s", path, fault);
    }
    return fault == NULL;
}

bool output_is_file(const char* path, const char* other) {
    struct stat a, b;
    output_kind kind = output_kind_of(path);
    bool series = kind == OUTPUT_OBJ || kind == OUTPUT_PLY;
    return !series && stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* All bodies of a frame as one mesh. A body alone is passed on as it is. */
static lim_result merge(const film* f, int32_t frame, arena* scratch, lim_io_frame* out) {
    const film_frame* at = &f->frames.data[frame];
    if (at->part_count == 1) {
        *out = film_view(f, 0, frame);
        return LIM_OK;
    }
    int64_t triangles = 0;
    for (int32_t b = 0; b < at->part_count; ++b) {
        triangles += at->parts[b].shape != NULL ? at->parts[b].shape->triangle_count : 0;
    }
    if (at->vertex_count > INT32_MAX || triangles > INT32_MAX / 3) {
        return LIM_ERROR_TOO_LARGE;
    }
    uint32_t* indices = ARENA_ARRAY(scratch, uint32_t, 3 * triangles);
    float* colours = ARENA_ARRAY(scratch, float, 4 * at->vertex_count);
    if (indices == NULL || colours == NULL) {
        return LIM_ERROR_MEMORY;
    }
    uint32_t* to = indices;
    for (int32_t b = 0; b < at->part_count; ++b) {
        const lim_io_frame own = film_view(f, b, frame);
        int64_t first = at->parts[b].first_vertex;
        for (int64_t i = 0; i < 3 * (int64_t)own.triangle_count; ++i) {
            *to++ = own.indices[i] + (uint32_t)first;
        }
        lim_vec3 colour = f->bodies.data[b].colour;
        const float plain[4] = {colour.x, colour.y, colour.z, 1.0f};
        for (int64_t v = 0; v < own.vertex_count; ++v) {
            memcpy(colours + 4 * (first + v), own.colours != NULL ? own.colours + 4 * v : plain,
                   sizeof plain);
        }
    }
    *out = (lim_io_frame){.vertex_count = (int32_t)at->vertex_count,
                          .triangle_count = (int32_t)triangles,
                          .positions = at->positions,
                          .normals = at->normals,
                          .colours = colours,
                          .strains = at->strains,
                          .plastic_strains = at->plastics,
                          .indices = indices};
    return LIM_OK;
}

static lim_result write_series(const film* f, const char* path, output_kind kind,
                               lim_io_message* out_message) {
    size_t stem = (size_t)(strrchr(path, '.') - path);
    lim_result result = LIM_OK;
    for (int32_t i = 0; i < f->frames.count && result == LIM_OK; ++i) {
        char name[PATH_ROOM];
        snprintf(name, sizeof name, "%.*s_%04d%s", (int)stem, path, i + 1, path + stem);
        arena scratch;
        arena_init(&scratch, &f->host);
        lim_io_frame frame;
        result = merge(f, i, &scratch, &frame);
        if (result == LIM_OK) {
            result = kind == OUTPUT_OBJ ? lim_io_write_obj(name, &frame, out_message)
                                        : lim_io_write_ply(name, &frame, out_message);
        }
        arena_release(&scratch);
    }
    return result;
}

static bool has_colours(const film* f, int32_t body) {
    for (int32_t i = 0; i < f->frames.count; ++i) {
        if (film_view(f, body, i).colours != NULL) {
            return true;
        }
    }
    return false;
}

/* Colours for a frame without them, in a body that has some in others: the cut has its own. */
static lim_result fill_colours(const film* f, int32_t body, arena* scratch, lim_io_frame* frame,
                               const lim_io_frame* before) {
    if (before != NULL && before->indices == frame->indices) {
        frame->colours = before->colours;
        return LIM_OK;
    }
    float* colours = ARENA_ARRAY(scratch, float, 4 * (int64_t)frame->vertex_count);
    if (colours == NULL) {
        return LIM_ERROR_MEMORY;
    }
    lim_vec3 c = f->bodies.data[body].colour;
    const float plain[4] = {c.x, c.y, c.z, 1.0f};
    for (int64_t v = 0; v < frame->vertex_count; ++v) {
        memcpy(colours + 4 * v, plain, sizeof plain);
    }
    frame->colours = colours;
    return LIM_OK;
}

static lim_result write_animation(const film* f, const char* path, lim_io_message* out_message) {
    arena scratch;
    arena_init(&scratch, &f->host);
    int32_t bodies = f->bodies.count, count = f->frames.count;
    lim_result result = LIM_OK;
    lim_io_frame* frames = ARENA_ARRAY(&scratch, lim_io_frame, (int64_t)bodies * count);
    lim_vec3* colours = ARENA_ARRAY(&scratch, lim_vec3, bodies);
    if (frames == NULL || colours == NULL) {
        result = LIM_ERROR_MEMORY;
    }
    for (int32_t b = 0; b < bodies && result == LIM_OK; ++b) {
        /* the colours of vertices are multiplied by the body's */
        const lim_vec3 white = {1.0f, 1.0f, 1.0f};
        bool coloured = has_colours(f, b);
        colours[b] = coloured ? white : f->bodies.data[b].colour;
        for (int32_t i = 0; i < count && result == LIM_OK; ++i) {
            lim_io_frame* frame = &frames[(int64_t)b * count + i];
            *frame = film_view(f, b, i);
            frame->name = f->bodies.data[b].name;
            if (coloured && frame->vertex_count > 0 && frame->colours == NULL) {
                result = fill_colours(f, b, &scratch, frame, i > 0 ? frame - 1 : NULL);
            }
        }
    }
    if (result == LIM_OK) {
        result = lim_io_write_glb(path, frames, bodies, count, (float)f->fps, colours, out_message);
    }
    arena_release(&scratch);
    return result;
}

lim_result output_write(const film* f, const char* path, const output_look* look,
                        draw_sheet_report* out_sheet, lim_io_message* out_message) {
    bool chosen = look->size[0] > 0;
    const int32_t movie[2] = {chosen ? look->size[0] : 960, chosen ? look->size[1] : 720};
    switch (output_kind_of(path)) {
    case OUTPUT_PNG:
        if (look->one_moment) {
            return draw_moment(f, look->camera, look->at, look->size, path, out_sheet, out_message);
        }
        return draw_sheet(f, look->camera, look->size, path, out_sheet, out_message);
    case OUTPUT_GLB:
        return write_animation(f, path, out_message);
    case OUTPUT_OBJ:
        return write_series(f, path, OUTPUT_OBJ, out_message);
    case OUTPUT_PLY:
        return write_series(f, path, OUTPUT_PLY, out_message);
    case OUTPUT_MP4: {
        say_progress progress = say_progress_begin("drawing", SAY_PACE_EVEN, look->quiet);
        lim_result result = draw_movie(f, look->camera, movie, path, &progress, out_message);
        say_progress_end(&progress, false); /* drawing has shown it full, or ended early */
        return result;
    }
    case OUTPUT_JSON:
    case OUTPUT_UNKNOWN:
        break;
    }
    return LIM_ERROR_ARGUMENT;
}

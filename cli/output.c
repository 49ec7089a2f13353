/* SPDX-License-Identifier: MIT
 * Job: write a film as what the extension asks for. In: a film and a path. Out: a file, or a series
 * of files numbered from 1.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/output.h"

#include <stdio.h>
#include <string.h>
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
        if (strcmp(dot, kinds[i].extension) == 0) {
            return kinds[i].kind;
        }
    }
    return OUTPUT_UNKNOWN;
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
    struct stat there;
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) {
        snprintf(out_message->text, sizeof out_message->text,
                 "%.200s: is a folder; name a file in it, or another file", path);
        return false;
    }
    if (access(folder, W_OK) != 0) {
        snprintf(out_message->text, sizeof out_message->text,
                 "%.200s: the folder %.200s does not exist or cannot be written; make it first",
                 path, folder);
        return false;
    }
    return true;
}

/* All bodies of a frame as one mesh. A body alone is passed on as it is. */
static lim_result merge(const film* f, int32_t frame, arena* scratch, lim_io_frame* out) {
    if (f->body_count == 1) {
        *out = film_view(f, 0, frame);
        return LIM_OK;
    }
    int64_t triangles = 0;
    for (int32_t b = 0; b < f->body_count; ++b) {
        triangles += f->bodies[b].triangle_count;
    }
    if (f->vertex_count > INT32_MAX || triangles > INT32_MAX / 3) {
        return LIM_ERROR_TOO_LARGE;
    }
    uint32_t* indices = ARENA_ARRAY(scratch, uint32_t, 3 * triangles);
    float* colours = ARENA_ARRAY(scratch, float, 4 * f->vertex_count);
    if (indices == NULL || colours == NULL) {
        return LIM_ERROR_MEMORY;
    }
    uint32_t* at = indices;
    for (int32_t b = 0; b < f->body_count; ++b) {
        const film_body* body = &f->bodies[b];
        for (int64_t i = 0; i < 3 * (int64_t)body->triangle_count; ++i) {
            *at++ = body->indices[i] + (uint32_t)body->first_vertex;
        }
        const float* own = film_view(f, b, frame).colours;
        const float plain[4] = {body->colour.x, body->colour.y, body->colour.z, 1.0f};
        for (int64_t v = 0; v < body->vertex_count; ++v) {
            memcpy(colours + 4 * (body->first_vertex + v), own != NULL ? own + 4 * v : plain,
                   sizeof plain);
        }
    }
    *out = (lim_io_frame){.vertex_count = (int32_t)f->vertex_count,
                          .triangle_count = (int32_t)triangles,
                          .positions = f->frames.data[frame].positions,
                          .normals = f->frames.data[frame].normals,
                          .colours = colours,
                          .strains = f->frames.data[frame].strains,
                          .plastic_strains = f->frames.data[frame].plastics,
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

static lim_result write_animation(const film* f, const char* path, lim_io_message* out_message) {
    arena scratch;
    arena_init(&scratch, &f->host);
    lim_result result = LIM_ERROR_MEMORY;
    lim_io_frame* frames =
        ARENA_ARRAY(&scratch, lim_io_frame, (int64_t)f->body_count * f->frames.count);
    lim_vec3* colours = ARENA_ARRAY(&scratch, lim_vec3, f->body_count);
    if (frames != NULL && colours != NULL) {
        for (int32_t b = 0; b < f->body_count; ++b) {
            /* the colours of vertices are multiplied by the body's */
            const lim_vec3 white = {1.0f, 1.0f, 1.0f};
            colours[b] = film_view(f, b, 0).colours != NULL ? white : f->bodies[b].colour;
            for (int32_t i = 0; i < f->frames.count; ++i) {
                frames[(int64_t)b * f->frames.count + i] = film_view(f, b, i);
            }
        }
        result = lim_io_write_glb(path, frames, f->body_count, f->frames.count, (float)f->fps,
                                  colours, out_message);
    }
    arena_release(&scratch);
    return result;
}

lim_result output_write(const film* f, const char* path, const output_look* look,
                        draw_sheet_report* out_sheet, lim_io_message* out_message) {
    bool chosen = look->size[0] > 0;
    const int32_t picture[2] = {chosen ? look->size[0] : 400, chosen ? look->size[1] : 480};
    const int32_t movie[2] = {chosen ? look->size[0] : 960, chosen ? look->size[1] : 720};
    switch (output_kind_of(path)) {
    case OUTPUT_PNG:
        if (look->one_moment) {
            return draw_moment(f, look->camera, look->at, picture, path, out_sheet, out_message);
        }
        return draw_sheet(f, look->camera, picture, path, out_sheet, out_message);
    case OUTPUT_GLB:
        return write_animation(f, path, out_message);
    case OUTPUT_OBJ:
        return write_series(f, path, OUTPUT_OBJ, out_message);
    case OUTPUT_PLY:
        return write_series(f, path, OUTPUT_PLY, out_message);
    case OUTPUT_MP4: {
        say_progress progress = say_progress_begin("drawing", look->quiet);
        lim_result result = draw_movie(f, look->camera, movie, path, &progress, out_message);
        say_progress_end(&progress, result == LIM_OK);
        return result;
    }
    case OUTPUT_JSON:
    case OUTPUT_UNKNOWN:
        break;
    }
    return LIM_ERROR_ARGUMENT;
}

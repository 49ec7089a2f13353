/* SPDX-License-Identifier: MIT
 * Job: one frame as Wavefront OBJ. In: a frame. Out: v, vt, vn and f lines; colours follow the
 * position on the v line, as most programs read them. Numbers are the shortest that read back the
 * same.
 */
#include "io/out_file.h"

static void write_row(out_file* out, const char* word, const float* values, int32_t count) {
    out_text(out, word);
    for (int32_t i = 0; i < count; ++i) {
        out_text(out, " ");
        out_decimal(out, values[i]);
    }
}

static void write_corner(out_file* out, const lim_io_frame* frame, uint32_t index) {
    int64_t number = (int64_t)index + 1;
    out_text(out, " ");
    out_integer(out, number);
    if (frame->uvs != NULL || frame->normals != NULL) {
        out_text(out, "/");
    }
    if (frame->uvs != NULL) {
        out_integer(out, number);
    }
    if (frame->normals != NULL) {
        out_text(out, "/");
        out_integer(out, number);
    }
}

lim_result lim_io_write_obj(const char* path, const lim_io_frame* frame,
                            lim_io_message* out_message) {
    if (path == NULL || frame == NULL) {
        return out_fail(out_message, LIM_ERROR_ARGUMENT, "a null path or frame");
    }
    lim_result result = out_check_frame(frame, path, out_message);
    if (result != LIM_OK) {
        return result;
    }
    out_file out;
    result = out_open(&out, path, out_message);
    if (result != LIM_OK) {
        return result;
    }
    for (int32_t i = 0; i < frame->vertex_count; ++i) {
        write_row(&out, "v", frame->positions + 3 * (int64_t)i, 3);
        if (frame->colours != NULL) {
            write_row(&out, "", frame->colours + 4 * (int64_t)i, 3);
        }
        out_text(&out, "\n");
    }
    for (int32_t i = 0; frame->uvs != NULL && i < frame->vertex_count; ++i) {
        write_row(&out, "vt", frame->uvs + 2 * (int64_t)i, 2);
        out_text(&out, "\n");
    }
    for (int32_t i = 0; frame->normals != NULL && i < frame->vertex_count; ++i) {
        write_row(&out, "vn", frame->normals + 3 * (int64_t)i, 3);
        out_text(&out, "\n");
    }
    for (int32_t t = 0; t < frame->triangle_count; ++t) {
        out_text(&out, "f");
        for (int32_t k = 0; k < 3; ++k) {
            write_corner(&out, frame, frame->indices[3 * (int64_t)t + k]);
        }
        out_text(&out, "\n");
    }
    return out_close(&out);
}

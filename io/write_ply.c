/* SPDX-License-Identifier: MIT
 * Job: one frame as binary little-endian PLY. In: a frame. Out: vertices with x y z, then nx ny nz,
 * s t, red green blue alpha, density, stiffness, size, strain and plastic_strain where the frame
 * has them; faces as lists of 3. Colours are 8-bit sRGB, as programs show them.
 */
#include "io/out_file.h"
#include "io/tone.h"

static void write_header(out_file* out, const lim_io_frame* frame) {
    out_text(out, "ply\nformat binary_little_endian 1.0\ncomment limber\nelement vertex ");
    out_integer(out, frame->vertex_count);
    out_text(out, "\nproperty float x\nproperty float y\nproperty float z\n");
    if (frame->normals != NULL) {
        out_text(out, "property float nx\nproperty float ny\nproperty float nz\n");
    }
    if (frame->uvs != NULL) {
        out_text(out, "property float s\nproperty float t\n");
    }
    if (frame->colours != NULL) {
        out_text(out, "property uchar red\nproperty uchar green\nproperty uchar blue\n"
                      "property uchar alpha\n");
    }
    out_text(out, frame->densities != NULL ? "property float density\n" : "");
    out_text(out, frame->stiffnesses != NULL ? "property float stiffness\n" : "");
    out_text(out, frame->sizes != NULL ? "property float size\n" : "");
    out_text(out, frame->strains != NULL ? "property float strain\n" : "");
    out_text(out, frame->plastic_strains != NULL ? "property float plastic_strain\n" : "");
    out_text(out, "element face ");
    out_integer(out, frame->triangle_count);
    out_text(out, "\nproperty list uchar int vertex_indices\nend_header\n");
}

static void write_floats(out_file* out, const float* values, int32_t vertex, int32_t count) {
    for (int32_t i = 0; values != NULL && i < count; ++i) {
        out_f32(out, values[(int64_t)vertex * count + i]);
    }
}

static void write_colour(out_file* out, const float* rgba) {
    uint8_t bytes[4];
    for (int32_t k = 0; k < 3; ++k) {
        bytes[k] = (uint8_t)(tone_srgb(rgba[k]) * 255.0f + 0.5f);
    }
    float alpha = rgba[3] > 0.0f ? rgba[3] < 1.0f ? rgba[3] : 1.0f : 0.0f;
    bytes[3] = (uint8_t)(alpha * 255.0f + 0.5f);
    out_bytes(out, bytes, sizeof bytes);
}

lim_result lim_io_write_ply(const char* path, const lim_io_frame* frame,
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
    write_header(&out, frame);
    for (int32_t i = 0; i < frame->vertex_count; ++i) {
        write_floats(&out, frame->positions, i, 3);
        write_floats(&out, frame->normals, i, 3);
        write_floats(&out, frame->uvs, i, 2);
        if (frame->colours != NULL) {
            write_colour(&out, frame->colours + 4 * (int64_t)i);
        }
        write_floats(&out, frame->densities, i, 1);
        write_floats(&out, frame->stiffnesses, i, 1);
        write_floats(&out, frame->sizes, i, 1);
        write_floats(&out, frame->strains, i, 1);
        write_floats(&out, frame->plastic_strains, i, 1);
    }
    for (int32_t t = 0; t < frame->triangle_count; ++t) {
        const uint8_t corners = 3;
        out_bytes(&out, &corners, 1);
        for (int32_t k = 0; k < 3; ++k) {
            out_u32(&out, frame->indices[3 * (int64_t)t + k]);
        }
    }
    return out_close(&out);
}

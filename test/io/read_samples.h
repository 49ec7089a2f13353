/* SPDX-License-Identifier: MIT
 * The same small box in every format, made in memory, for tests of the readers: 8 corners, the top
 * as one quad (where the format has quads), 12 triangles.
 */
#ifndef LIMBER_READ_SAMPLES_H
#define LIMBER_READ_SAMPLES_H

#include "test.h"

#include <limber/io.h>
#include <stdarg.h>

typedef struct sample {
    char bytes[8192];
    size_t size;
    lim_io_format format;
    const char* name;
} sample;

static const float box_points[8][3] = {{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {2, 3, 0},
                                       {0, 0, 4}, {2, 0, 4}, {0, 3, 4}, {2, 3, 4}};
static const int box_quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static void put_text(sample* s, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(s->bytes + s->size, sizeof s->bytes - s->size, format, arguments);
    va_end(arguments);
    s->size += (size_t)n;
}

static void put_bytes(sample* s, const void* bytes, size_t size) {
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
}

static void put_u32(sample* s, uint32_t value) {
    for (int i = 0; i < 4; ++i) {
        s->bytes[s->size++] = (char)(value >> (8 * i));
    }
}

static void put_f32(sample* s, float value, bool big) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (big) {
        bits = bits >> 24 | (bits >> 8 & 0xFF00) | (bits << 8 & 0xFF0000) | bits << 24;
    }
    put_u32(s, bits);
}

static sample sample_obj(void) {
    sample s = {.format = LIM_IO_OBJ, .name = "obj"};
    for (int i = 0; i < 8; ++i) {
        put_text(&s, "v %g %g %g\n", (double)box_points[i][0], (double)box_points[i][1],
                 (double)box_points[i][2]);
    }
    for (int i = 0; i < 6; ++i) {
        const int* q = box_quads[i];
        put_text(&s, "f %d %d %d %d\n", q[0] + 1, q[1] + 1, q[2] + 1, q[3] + 1);
    }
    return s;
}

static sample sample_off(void) {
    sample s = {.format = LIM_IO_OFF, .name = "off"};
    put_text(&s, "OFF\n8 6 0\n");
    for (int i = 0; i < 8; ++i) {
        put_text(&s, "%g %g %g\n", (double)box_points[i][0], (double)box_points[i][1],
                 (double)box_points[i][2]);
    }
    for (int i = 0; i < 6; ++i) {
        const int* q = box_quads[i];
        put_text(&s, "4 %d %d %d %d\n", q[0], q[1], q[2], q[3]);
    }
    return s;
}

static sample sample_ply(int kind) { /* 0 ASCII, 1 little, 2 big endian */
    static const char* const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    sample s = {.format = LIM_IO_PLY, .name = names[kind]};
    put_text(&s,
             "ply\nformat %s 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
             "property float z\nelement face 6\nproperty list uchar int vertex_indices\n"
             "end_header\n",
             names[kind]);
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (kind == 0) {
                put_text(&s, "%g ", (double)box_points[i][k]);
            } else {
                put_f32(&s, box_points[i][k], kind == 2);
            }
        }
    }
    for (int i = 0; i < 6; ++i) {
        kind == 0 ? put_text(&s, "\n4") : put_bytes(&s, "\4", 1);
        for (int k = 0; k < 4; ++k) {
            uint32_t index = (uint32_t)box_quads[i][k];
            kind == 0 ? put_text(&s, " %u", (unsigned)index)
                      : put_u32(&s, kind == 2 ? index << 24 : index);
        }
    }
    return s;
}

static sample sample_stl(bool ascii) {
    sample s = {.format = LIM_IO_STL, .name = ascii ? "ascii stl" : "binary stl"};
    if (ascii) {
        put_text(&s, "solid box\n");
    } else {
        put_text(&s, "%-80s", "solid by name only");
        put_u32(&s, 12);
    }
    for (int i = 0; i < 12; ++i) {
        const int* q = box_quads[i / 2];
        const int corners[3] = {q[0], q[1 + i % 2], q[2 + i % 2]};
        if (ascii) {
            put_text(&s, "facet normal 0 0 0\nouter loop\n");
        } else {
            put_bytes(&s, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
        }
        for (int c = 0; c < 3; ++c) {
            const float* p = box_points[corners[c]];
            if (ascii) {
                put_text(&s, "vertex %g %g %g\n", (double)p[0], (double)p[1], (double)p[2]);
            }
            for (int k = 0; k < 3 && !ascii; ++k) {
                put_f32(&s, p[k], false);
            }
        }
        ascii ? put_text(&s, "endloop\nendfacet\n") : put_bytes(&s, "\0\0", 2);
    }
    if (ascii) {
        put_text(&s, "endsolid box\n");
    }
    return s;
}

/* Positions as floats and indices as bytes: 96 + 36 bytes. */
static void put_box_buffer(sample* s) {
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 3; ++k) {
            put_f32(s, box_points[i][k], false);
        }
    }
    for (int i = 0; i < 12; ++i) {
        const int* q = box_quads[i / 2];
        char corners[3] = {(char)q[0], (char)q[1 + i % 2], (char)q[2 + i % 2]};
        put_bytes(s, corners, 3);
    }
}

/* The JSON around that buffer. `uri` and `more` go in as they are: members of the buffer and of the
 * root. */
static void put_box_json(sample* s, const char* uri, const char* nodes, const char* more) {
    put_text(s,
             "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{%s\"byteLength\":132}],"
             "\"bufferViews\":[{\"buffer\":0,\"byteLength\":96},"
             "{\"buffer\":0,\"byteOffset\":96,\"byteLength\":36}],"
             "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":8,"
             "\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5121,\"count\":36,"
             "\"type\":\"SCALAR\"}],"
             "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
             "\"nodes\":%s%s}",
             uri, nodes, more);
}

static sample sample_glb_of(const char* nodes, const char* more) {
    sample json = {.size = 0}, s = {.format = LIM_IO_GLB, .name = "glb"};
    put_box_json(&json, "", nodes, more);
    while (json.size % 4 != 0) {
        put_text(&json, " ");
    }
    put_bytes(&s, "glTF", 4);
    put_u32(&s, 2);
    put_u32(&s, (uint32_t)(12 + 8 + json.size + 8 + 132));
    put_u32(&s, (uint32_t)json.size);
    put_bytes(&s, "JSON", 4);
    put_bytes(&s, json.bytes, json.size);
    put_u32(&s, 132);
    put_bytes(&s, "BIN\0", 4);
    put_box_buffer(&s);
    return s;
}

static sample sample_glb(void) {
    return sample_glb_of("[{\"mesh\":0}]", "");
}

static sample sample_gltf(void) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    sample raw = {.size = 0}, uri = {.size = 0}, s = {.format = LIM_IO_GLTF, .name = "gltf"};
    put_box_buffer(&raw);
    put_text(&uri, "\"uri\":\"data:application/octet-stream;base64,");
    for (size_t i = 0; i + 2 < raw.size; i += 3) {
        uint32_t bits = (uint32_t)(unsigned char)raw.bytes[i] << 16 |
                        (uint32_t)(unsigned char)raw.bytes[i + 1] << 8 |
                        (uint32_t)(unsigned char)raw.bytes[i + 2];
        for (int k = 0; k < 4; ++k) {
            put_bytes(&uri, &letters[bits >> (18 - 6 * k) & 63], 1);
        }
    }
    put_text(&uri, "\",");
    uri.bytes[uri.size] = '\0';
    put_box_json(&s, uri.bytes, "[{\"mesh\":0}]", "");
    return s;
}

enum { SAMPLE_COUNT = 9 };
static inline sample sample_at(int i) {
    switch (i) {
    case 0:
        return sample_obj();
    case 1:
        return sample_off();
    case 2:
    case 3:
    case 4:
        return sample_ply(i - 2);
    case 5:
    case 6:
        return sample_stl(i == 5);
    case 7:
        return sample_glb();
    default:
        return sample_gltf();
    }
}

/* Reads text; the caller destroys the mesh (null when it failed). */
static inline lim_mesh* read_text(lim_io_format format, const char* text, lim_io_report* report,
                                  lim_io_message* message) {
    lim_mesh* mesh = NULL;
    lim_result result =
        lim_io_parse_mesh(text, strlen(text), format, NULL, NULL, &mesh, report, message);
    CHECK((result == LIM_OK) == (mesh != NULL));
    return mesh;
}

#endif

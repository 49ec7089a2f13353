/* SPDX-License-Identifier: MIT
 * Mesh files read back by readers of the test's own: OBJ line by line, PLY byte by byte, GLB by the
 * rules of glTF 2.0. Also paths that cannot be written, and input that makes no sense.
 */
#include "failing_host.h"
#include "inflate.h"
#include "io/tone.h"
#include "io/write_glb.h"
#include "json_find.h"
#include "picture_shapes.h"
#include "test.h"

#include <stdarg.h>

#define FOLDER WRITE_FOLDER

/* A whole file with a zero behind it; free it. */
static uint8_t* load(const char* path, size_t* out_size) {
    FILE* file = fopen(path, "rb");
    *out_size = 0;
    if (file == NULL) {
        return calloc(1, 1);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t* bytes = calloc(1, (size_t)size + 1);
    *out_size = fread(bytes, 1, (size_t)size, file);
    fclose(file);
    return bytes;
}

static uint32_t u32_at(const uint8_t* at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static float f32_at(const uint8_t* at) {
    uint32_t bits = u32_at(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void obj_reads_back(void) {
    shape_mesh* ball = shape_ball((lim_vec3){0.3f, 1e-4f, -2e3f}, 0.7f, 0.1f);
    for (int with = 0; with < 4; ++with) { /* with and without texture coordinates and colours */
        lim_io_frame frame = shape_frame(ball);
        frame.uvs = with & 1 ? ball->uvs : NULL;
        frame.colours = with & 2 ? ball->colours : NULL;
        CHECK(lim_io_write_obj(FOLDER "/a.obj", &frame, NULL) == LIM_OK);
        size_t size = 0;
        char* text = (char*)load(FOLDER "/a.obj", &size);
        int v = 0, vt = 0, vn = 0, f = 0, wrong = 0;
        for (char* line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            char* at = line + strcspn(line, " ");
            if (strncmp(line, "v ", 2) == 0) {
                for (int k = 0; k < 3; ++k) {
                    wrong += strtof(at, &at) != ball->positions[3 * v + k];
                }
                for (int k = 0; k < 3 && frame.colours != NULL; ++k) {
                    wrong += strtof(at, &at) != ball->colours[4 * v + k];
                }
                v++;
            } else if (strncmp(line, "vt ", 3) == 0) {
                wrong += strtof(at, &at) != ball->uvs[2 * vt];
                wrong += strtof(at, &at) != ball->uvs[2 * vt + 1];
                vt++;
            } else if (strncmp(line, "vn ", 3) == 0) {
                for (int k = 0; k < 3; ++k) {
                    wrong += strtof(at, &at) != ball->normals[3 * vn + k];
                }
                vn++;
            } else if (strncmp(line, "f ", 2) == 0) {
                for (int k = 0; k < 3; ++k) {
                    long index = (long)ball->indices[3 * f + k] + 1;
                    wrong += strtol(at, &at, 10) != index || *at++ != '/';
                    wrong += frame.uvs != NULL && strtol(at, &at, 10) != index;
                    wrong += *at++ != '/' || strtol(at, &at, 10) != index;
                }
                f++;
            } else {
                wrong++;
            }
            wrong += *at != '\0';
        }
        CHECK(wrong == 0 && v == SHAPE_VERTICES && vn == v && f == SHAPE_TRIANGLES);
        CHECK(vt == (frame.uvs != NULL ? v : 0));
        free(text);
    }
    free(ball);
}

static void ply_reads_back(void) {
    shape_mesh* ball = shape_ball((lim_vec3){0.3f, 1e-4f, -2e3f}, 0.7f, 0.1f);
    lim_io_frame frame = shape_frame(ball);
    frame.uvs = ball->uvs;
    frame.colours = ball->colours;
    CHECK(lim_io_write_ply(FOLDER "/a.ply", &frame, NULL) == LIM_OK);
    size_t size = 0;
    uint8_t* bytes = load(FOLDER "/a.ply", &size);
    const char* body = strstr((const char*)bytes, "end_header\n");
    CHECK(strncmp((const char*)bytes, "ply\nformat binary_little_endian 1.0\n", 36) == 0);
    CHECK(strstr((const char*)bytes, "element vertex 3750\n") != NULL);
    CHECK(strstr((const char*)bytes, "element face 6912\n") != NULL);
    CHECK(body != NULL);
    const uint8_t* at = (const uint8_t*)body + 11;
    CHECK(bytes + size == at + SHAPE_VERTICES * 36 + SHAPE_TRIANGLES * 13);
    int wrong = 0;
    for (int v = 0; v < SHAPE_VERTICES; ++v, at += 36) {
        for (int k = 0; k < 3; ++k) {
            wrong += f32_at(at + 4 * k) != ball->positions[3 * v + k];
            wrong += f32_at(at + 12 + 4 * k) != ball->normals[3 * v + k];
            double encoded = 255.0 * (double)tone_srgb(ball->colours[4 * v + k]);
            wrong += fabs((double)at[32 + k] - encoded) > 0.51;
        }
        wrong += f32_at(at + 24) != ball->uvs[2 * v] || f32_at(at + 28) != ball->uvs[2 * v + 1];
        wrong += at[35] != 255;
    }
    for (int t = 0; t < SHAPE_TRIANGLES; ++t, at += 13) {
        wrong += at[0] != 3;
        for (int k = 0; k < 3; ++k) {
            wrong += u32_at(at + 1 + 4 * k) != ball->indices[3 * t + k];
        }
    }
    CHECK(wrong == 0);
    free(bytes);
    free(ball);
}

/* Strains follow all else, each under its own name. */
static void ply_has_strains(void) {
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const float strains[3] = {0.125f, 0.25f, 0.5f}, plastic[3] = {0.0f, 0.75f, 0.0625f};
    const uint32_t one[3] = {0, 1, 2};
    const lim_io_frame frame = {.vertex_count = 3,
                                .triangle_count = 1,
                                .positions = corners,
                                .strains = strains,
                                .plastic_strains = plastic,
                                .indices = one};
    CHECK(lim_io_write_ply(FOLDER "/s.ply", &frame, NULL) == LIM_OK);
    size_t size = 0;
    uint8_t* bytes = load(FOLDER "/s.ply", &size);
    const char* body = strstr((const char*)bytes, "end_header\n");
    CHECK(strstr((const char*)bytes,
                 "z\nproperty float strain\nproperty float plastic_strain\nelement face") != NULL);
    CHECK(body != NULL);
    const uint8_t* at = (const uint8_t*)body + 11;
    CHECK(bytes + size == at + 3 * 20 + 13);
    for (int v = 0; v < 3; ++v) {
        CHECK(f32_at(at + 20 * v + 12) == strains[v] && f32_at(at + 20 * v + 16) == plastic[v]);
    }
    free(bytes);
}

/* ---- GLB ------------------------------------------------------------------------------------ */

typedef struct glb_file {
    uint8_t* bytes;
    char* json;
    const uint8_t* binary;
    uint32_t binary_size;
} glb_file;

static bool glb_load(const char* path, glb_file* out) {
    size_t size = 0;
    *out = (glb_file){.bytes = load(path, &size)};
    const uint8_t* b = out->bytes;
    if (size < 28 || memcmp(b, "glTF\2\0\0\0", 8) != 0 || u32_at(b + 8) != size) {
        return false;
    }
    uint32_t text = u32_at(b + 12);
    if (memcmp(b + 16, "JSON", 4) != 0 || text % 4 != 0 || memcmp(b + 24 + text, "BIN\0", 4) != 0) {
        return false;
    }
    out->json = calloc(1, text + 1);
    memcpy(out->json, b + 20, text);
    out->binary = b + 28 + text;
    out->binary_size = u32_at(b + 20 + text);
    const char* end = json_skip(out->json);
    return out->binary_size % 4 == 0 && 28 + text + out->binary_size == size && end != NULL &&
           *json_space(end) == '\0';
}

static void glb_free(glb_file* file) {
    free(file->bytes);
    free(file->json);
}

static double number(const glb_file* file, double missing, const char* format, ...) {
    char path[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return json_number(file->json, path, missing);
}

/* Checks the rules for one accessor and gives its bytes; null when a rule is broken. */
static const uint8_t* accessor(const glb_file* file, int index, int component, const char* type,
                               int count, int target) {
    int view = (int)number(file, -1, "accessors/%d/bufferView", index);
    double offset = number(file, -1, "bufferViews/%d/byteOffset", view);
    double length = number(file, -1, "bufferViews/%d/byteLength", view);
    int parts = strcmp(type, "SCALAR") == 0 ? 1 : type[3] - '0';
    int size = parts * (component == 5123 ? 2 : 4);
    char path[64];
    snprintf(path, sizeof path, "accessors/%d/type", index);
    const char* named = json_find(file->json, path);
    bool good = named != NULL && strncmp(named + 1, type, strlen(type)) == 0;
    good = good && (int)number(file, 0, "accessors/%d/componentType", index) == component;
    good = good && (int)number(file, 0, "accessors/%d/count", index) == count;
    good = good && (int)number(file, 0, "bufferViews/%d/target", view) == target;
    good = good && number(file, -1, "bufferViews/%d/buffer", view) == 0.0;
    good = good && length == (double)size * count && offset >= 0 && fmod(offset, 4) == 0.0;
    good = good && offset + length <= (double)file->binary_size;
    return good ? file->binary + (size_t)offset : NULL;
}

/* Positions and their stated bounds, which must be exact. */
static void check_positions(const glb_file* file, int index, const float* own, const float* base,
                            int count) {
    const uint8_t* at = accessor(file, index, 5126, "VEC3", count, 34962);
    CHECK(at != NULL);
    int wrong = 0;
    for (int k = 0; at != NULL && k < 3; ++k) {
        float least = INFINITY, most = -INFINITY;
        for (int i = 0; i < count; ++i) {
            float value = f32_at(at + 12 * i + 4 * k);
            float expected = own[3 * i + k] - (base != NULL ? base[3 * i + k] : 0.0f);
            wrong += value != expected;
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        CHECK((float)number(file, NAN, "accessors/%d/min/%d", index, k) == least);
        CHECK((float)number(file, NAN, "accessors/%d/max/%d", index, k) == most);
    }
    CHECK(wrong == 0);
}

static void glb_follows_the_rules(void) {
    enum { BODIES = 2, FRAMES = 4 };
    shape_mesh* meshes[BODIES * FRAMES];
    lim_io_frame frames[BODIES * FRAMES];
    for (int i = 0; i < BODIES * FRAMES; ++i) {
        meshes[i] = shape_ball((lim_vec3){(float)(i / FRAMES), 0.1f * (float)i, 0},
                               0.5f + 0.05f * (float)i, 0.03f * (float)i);
        frames[i] = shape_frame(meshes[i]);
        frames[i].uvs = i / FRAMES == 0 ? meshes[i]->uvs : NULL;
        frames[i].colours = i / FRAMES == 1 ? meshes[i]->colours : NULL;
    }
    const lim_vec3 colours[BODIES] = {{0.5f, 0.25f, 0.125f}, {1, 1, 1}};
    CHECK(lim_io_write_glb(FOLDER "/a.glb", frames, BODIES, FRAMES, 25.0f, colours, NULL) ==
          LIM_OK);
    glb_file file;
    bool loaded = glb_load(FOLDER "/a.glb", &file);
    CHECK(loaded);
    for (int body = 0; loaded && body < BODIES; ++body) {
        const shape_mesh* base = meshes[body * FRAMES];
        CHECK(number(&file, -1, "nodes/%d/mesh", body) == body);
        CHECK(number(&file, -1, "scenes/0/nodes/%d", body) == body);
        CHECK(number(&file, -1, "animations/0/channels/%d/target/node", body) == body);
        int indices = (int)number(&file, -1, "meshes/%d/primitives/0/indices", body);
        const uint8_t* at = accessor(&file, indices, 5123, "SCALAR", 3 * SHAPE_TRIANGLES, 34963);
        CHECK(at != NULL);
        for (int i = 0; at != NULL && i < 3 * SHAPE_TRIANGLES; ++i) {
            CHECK((uint32_t)at[2 * i] + 256u * at[2 * i + 1] == base->indices[i]);
        }
        int position = (int)number(&file, -1, "meshes/%d/primitives/0/attributes/POSITION", body);
        check_positions(&file, position, base->positions, NULL, SHAPE_VERTICES);
        int normal = (int)number(&file, -1, "meshes/%d/primitives/0/attributes/NORMAL", body);
        at = accessor(&file, normal, 5126, "VEC3", SHAPE_VERTICES, 34962);
        CHECK(at != NULL);
        for (int i = 0; at != NULL && i < SHAPE_VERTICES; ++i) {
            float x = f32_at(at + 12 * i), y = f32_at(at + 12 * i + 4), z = f32_at(at + 12 * i + 8);
            CHECK_NEAR(x * x + y * y + z * z, 1, 1e-5);
            CHECK_NEAR(y, base->normals[3 * i + 1], 1e-6);
        }
        for (int target = 0; target < FRAMES - 1; ++target) {
            int moved =
                (int)number(&file, -1, "meshes/%d/primitives/0/targets/%d/POSITION", body, target);
            check_positions(&file, moved, meshes[body * FRAMES + target + 1]->positions,
                            base->positions, SHAPE_VERTICES);
            int turned =
                (int)number(&file, -1, "meshes/%d/primitives/0/targets/%d/NORMAL", body, target);
            CHECK(accessor(&file, turned, 5126, "VEC3", SHAPE_VERTICES, 34962) != NULL);
        }
        char path[64];
        snprintf(path, sizeof path, "meshes/%d/weights", body);
        CHECK(json_count(file.json, path) == FRAMES - 1);
        int material = (int)number(&file, -1, "meshes/%d/primitives/0/material", body);
        const char* factor = "materials/%d/pbrMetallicRoughness/baseColorFactor/1";
        CHECK((float)number(&file, -1, factor, material) == colours[body].y);
        CHECK(number(&file, -1, "materials/%d/pbrMetallicRoughness/metallicFactor", material) == 0);
        snprintf(path, sizeof path, "materials/%d/doubleSided", material);
        CHECK(strncmp(json_find(file.json, path), "true", 4) == 0);
    }
    if (loaded) {
        int uv = (int)number(&file, -1, "meshes/0/primitives/0/attributes/TEXCOORD_0");
        int colour = (int)number(&file, -1, "meshes/1/primitives/0/attributes/COLOR_0");
        const uint8_t* at = accessor(&file, uv, 5126, "VEC2", SHAPE_VERTICES, 34962);
        CHECK(at != NULL && f32_at(at + 8 * 31 + 4) == 1.0f - meshes[0]->uvs[2 * 31 + 1]);
        CHECK(accessor(&file, colour, 5126, "VEC4", SHAPE_VERTICES, 34962) != NULL);
        int times = (int)number(&file, -1, "animations/0/samplers/0/input");
        int weights = (int)number(&file, -1, "animations/0/samplers/0/output");
        at = accessor(&file, times, 5126, "SCALAR", FRAMES, 0);
        CHECK(at != NULL && (float)number(&file, -1, "accessors/%d/max/0", times) == 3.0f / 25.0f);
        for (int i = 0; at != NULL && i < FRAMES; ++i) {
            CHECK(f32_at(at + 4 * i) == (float)i / 25.0f);
        }
        at = accessor(&file, weights, 5126, "SCALAR", FRAMES * (FRAMES - 1), 0);
        CHECK(at != NULL);
        for (int i = 0; at != NULL && i < FRAMES * (FRAMES - 1); ++i) {
            CHECK(f32_at(at + 4 * i) == (i % (FRAMES - 1) + 1 == i / (FRAMES - 1) ? 1.0f : 0.0f));
        }
        CHECK(number(&file, -1, "buffers/0/byteLength") == (double)file.binary_size);
        CHECK(json_count(file.json, "bufferViews") == json_count(file.json, "accessors"));
    }
    glb_free(&file);
    for (int i = 0; i < BODIES * FRAMES; ++i) {
        free(meshes[i]);
    }
}

/* Colours that change are targets too, as differences; those of the mesh are not. */
static void glb_colours_move(void) {
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t one[3] = {0, 1, 2};
    const float cold[12] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
    const float hot[12] = {1, 0, 0.5f, 1, 0, 0, 1, 1, 2, 0, 1, 1};
    lim_io_frame frames[3];
    for (int i = 0; i < 3; ++i) {
        frames[i] = (lim_io_frame){.vertex_count = 3,
                                   .triangle_count = 1,
                                   .positions = corners,
                                   .colours = i == 2 ? hot : cold,
                                   .indices = one};
    }
    glb_file file;
    CHECK(lim_io_write_glb(FOLDER "/m.glb", frames, 1, 3, 30.0f, NULL, NULL) == LIM_OK);
    CHECK(glb_load(FOLDER "/m.glb", &file));
    const float expected[12] = {1, 0, -0.5f, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    for (int target = 0; target < 2; ++target) {
        int index = (int)number(&file, -1, "meshes/0/primitives/0/targets/%d/COLOR_0", target);
        const uint8_t* at = accessor(&file, index, 5126, "VEC4", 3, 34962);
        CHECK(at != NULL);
        for (int i = 0; at != NULL && i < 12; ++i) {
            CHECK(f32_at(at + 4 * i) == (target == 1 ? expected[i] : 0.0f));
        }
    }
    CHECK(number(&file, -1, "buffers/0/byteLength") == (double)file.binary_size);
    glb_free(&file);
    frames[2].colours = cold;
    CHECK(lim_io_write_glb(FOLDER "/m.glb", frames, 1, 3, 30.0f, NULL, NULL) == LIM_OK);
    CHECK(glb_load(FOLDER "/m.glb", &file));
    CHECK(file.json != NULL &&
          json_find(file.json, "meshes/0/primitives/0/targets/0/COLOR_0") == NULL);
    glb_free(&file);
}

/* One frame: a plain mesh. An odd number of 16-bit indices is padded; many vertices need 32 bits.
 */
static void glb_of_one_frame(void) {
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t one[3] = {0, 1, 2};
    lim_io_frame frame = {
        .vertex_count = 3, .triangle_count = 1, .positions = corners, .indices = one};
    glb_file file;
    CHECK(lim_io_write_glb(FOLDER "/b.glb", &frame, 1, 1, 30.0f, NULL, NULL) == LIM_OK);
    CHECK(glb_load(FOLDER "/b.glb", &file));
    CHECK(file.json != NULL && json_find(file.json, "animations") == NULL);
    CHECK(file.json != NULL && json_find(file.json, "meshes/0/primitives/0/targets") == NULL);
    CHECK(file.json != NULL &&
          json_find(file.json, "meshes/0/primitives/0/attributes/NORMAL") == NULL);
    CHECK(accessor(&file, 0, 5123, "SCALAR", 3, 34963) != NULL);
    CHECK(accessor(&file, 1, 5126, "VEC3", 3, 34962) != NULL);
    glb_free(&file);
    float* many = calloc(3 * 65535, sizeof(float));
    const uint32_t last[3] = {0, 1, 65534};
    memcpy(many, corners, sizeof corners);
    many[3 * 65534 + 1] = 1.0f;
    frame = (lim_io_frame){
        .vertex_count = 65535, .triangle_count = 1, .positions = many, .indices = last};
    CHECK(lim_io_write_glb(FOLDER "/b.glb", &frame, 1, 1, 30.0f, NULL, NULL) == LIM_OK);
    CHECK(glb_load(FOLDER "/b.glb", &file));
    const uint8_t* at = accessor(&file, 0, 5125, "SCALAR", 3, 34963);
    CHECK(at != NULL && u32_at(at + 8) == 65534);
    glb_free(&file);
    free(many);
}

static bool text_at(const char* at, const char* expected) {
    return at != NULL && strncmp(at, expected, strlen(expected)) == 0;
}

/* Names of bodies are those of nodes, meshes and materials, as JSON writes them. */
static void glb_names_bodies(void) {
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t one[3] = {0, 1, 2}, other[3] = {0, 2, 1};
    lim_io_frame frames[4][2];
    static const char* const names[4][2] = {
        {"left \"paw\"\\\n", NULL}, {NULL, "B\xC3\xA4r \xFF"}, {NULL, NULL}, {"", ""}};
    for (int i = 0; i < 8; ++i) {
        frames[i / 2][i % 2] = (lim_io_frame){.vertex_count = 3,
                                              .triangle_count = 1,
                                              .positions = corners,
                                              .indices = i == 3 ? other : one,
                                              .name = names[i / 2][i % 2]};
    }
    CHECK(lim_io_write_glb(FOLDER "/names.glb", frames[0], 4, 2, 30.0f, NULL, NULL) == LIM_OK);
    glb_file file;
    CHECK(glb_load(FOLDER "/names.glb", &file));
    static const char* const nodes[5] = {
        "\"left \\\"paw\\\"\\\\\\u000a\"", "\"B\xC3\xA4r ? from frame 0\"",
        "\"B\xC3\xA4r ? from frame 1\"", "\"body 2\"", "\"body 3\""};
    for (int i = 0; i < 5 && file.json != NULL; ++i) {
        char path[32];
        snprintf(path, sizeof path, "nodes/%d/name", i);
        CHECK(text_at(json_find(file.json, path), nodes[i]));
        snprintf(path, sizeof path, "meshes/%d/name", i);
        CHECK(text_at(json_find(file.json, path), nodes[i]));
    }
    if (file.json != NULL) {
        CHECK(text_at(json_find(file.json, "materials/0/name"), nodes[0]));
        CHECK(text_at(json_find(file.json, "materials/1/name"), "\"B\xC3\xA4r ?\""));
        CHECK(text_at(json_find(file.json, "materials/2/name"), nodes[3]));
    }
    glb_free(&file);
}

/* What node `node` is scaled to at a time, by the rules of STEP; -1 without such a channel. */
static float scale_at(const glb_file* file, int node, float time) {
    for (int c = 0; c < json_count(file->json, "animations/0/channels"); ++c) {
        char path[64];
        snprintf(path, sizeof path, "animations/0/channels/%d/target/path", c);
        bool scale = strncmp(json_find(file->json, path) + 1, "scale", 5) == 0;
        if (!scale || number(file, -1, "animations/0/channels/%d/target/node", c) != node) {
            continue;
        }
        int sampler = (int)number(file, -1, "animations/0/channels/%d/sampler", c);
        snprintf(path, sizeof path, "animations/0/samplers/%d/interpolation", sampler);
        CHECK(strncmp(json_find(file->json, path) + 1, "STEP", 4) == 0);
        int input = (int)number(file, -1, "animations/0/samplers/%d/input", sampler);
        int output = (int)number(file, -1, "animations/0/samplers/%d/output", sampler);
        int count = (int)number(file, 0, "accessors/%d/count", input);
        const uint8_t* times = accessor(file, input, 5126, "SCALAR", count, 0);
        const uint8_t* scales = accessor(file, output, 5126, "VEC3", count, 0);
        CHECK(times != NULL && scales != NULL);
        float value = -1.0f;
        for (int i = 0; times != NULL && scales != NULL && i < count; ++i) {
            CHECK(i == 0 || f32_at(times + 4 * i) > f32_at(times + 4 * (i - 1)));
            value = f32_at(times + 4 * i) <= time ? f32_at(scales + 12 * i) : value;
        }
        return value;
    }
    return -1.0f;
}

/* A body that is cut at frame 2 and ends at frame 5, and one that comes at frame 3: one mesh for
 * each stretch with the same triangles, and at any time only that of the moment is to be seen. */
static void glb_of_bodies_that_change(void) {
    enum { FRAMES = 6 };
    const uint32_t square[6] = {0, 1, 2, 2, 1, 3}, halves[6] = {0, 1, 2, 4, 5, 3};
    const uint32_t same[6] = {0, 1, 2, 2, 1, 3};
    float at[FRAMES][18] = {{0}};
    lim_io_frame frames[2 * FRAMES] = {{0}};
    for (int f = 0; f < FRAMES; ++f) {
        const float corners[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0};
        for (int i = 0; i < 18; ++i) {
            at[f][i] = corners[i] + (i % 3 == 2 ? 0.5f * (float)f : 0.0f);
        }
        bool cut = f >= 2;
        if (f < 5) {
            frames[f] = (lim_io_frame){.vertex_count = cut ? 6 : 4,
                                       .triangle_count = 2,
                                       .positions = at[f],
                                       .indices = cut      ? halves
                                                  : f == 1 ? same
                                                           : square};
        }
        if (f >= 3) {
            frames[FRAMES + f] = (lim_io_frame){
                .vertex_count = 4, .triangle_count = 2, .positions = at[f], .indices = square};
        }
    }
    glb_file file;
    CHECK(lim_io_write_glb(FOLDER "/n.glb", frames, 2, FRAMES, 10.0f, NULL, NULL) == LIM_OK);
    bool loaded = glb_load(FOLDER "/n.glb", &file);
    CHECK(loaded);
    static const int first[3] = {0, 2, 3}, count[3] = {2, 3, 3};
    CHECK(loaded && json_count(file.json, "nodes") == 3 && json_count(file.json, "meshes") == 3 &&
          json_count(file.json, "materials") == 2);
    for (int n = 0; loaded && n < 3; ++n) {
        CHECK(number(&file, -1, "nodes/%d/mesh", n) == n);
        CHECK(number(&file, -1, "meshes/%d/primitives/0/material", n) == (n == 2 ? 1 : 0));
        char path[64];
        snprintf(path, sizeof path, "meshes/%d/primitives/0/targets", n);
        CHECK(json_count(file.json, path) == count[n] - 1);
        int position = (int)number(&file, -1, "meshes/%d/primitives/0/attributes/POSITION", n);
        check_positions(&file, position, at[first[n]], NULL, n == 1 ? 6 : 4);
        int last =
            (int)number(&file, -1, "meshes/%d/primitives/0/targets/%d/POSITION", n, count[n] - 2);
        check_positions(&file, last, at[first[n] + count[n] - 1], at[first[n]], n == 1 ? 6 : 4);
        for (int f = 0; f < FRAMES; ++f) {
            bool there = f >= first[n] && f < first[n] + count[n];
            CHECK(scale_at(&file, n, (float)f / 10.0f) == (there ? 1.0f : 0.0f));
        }
        /* its weights run over its own frames */
        int sampler = (int)number(&file, -1, "animations/0/channels/%d/sampler", n);
        int times = (int)number(&file, -1, "animations/0/samplers/%d/input", sampler);
        const uint8_t* t = accessor(&file, times, 5126, "SCALAR", count[n], 0);
        CHECK(t != NULL && f32_at(t) == (float)first[n] / 10.0f);
    }
    CHECK(loaded && number(&file, -1, "buffers/0/byteLength") == (double)file.binary_size);
    CHECK(loaded && json_count(file.json, "bufferViews") == json_count(file.json, "accessors"));
    glb_free(&file);
}

static void glb_without_memory_leaks_nothing(void) {
    shape_mesh* ball = shape_ball((lim_vec3){0, 0, 0}, 0.5f, 0.0f);
    lim_io_frame frames[20];
    for (int i = 0; i < 20; ++i) {
        frames[i] = shape_frame(ball);
    }
    glb_animation animation = {frames, 2, 10, 30.0f, NULL};
    int failures = 0;
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        lim_io_message message;
        lim_result result = glb_write(&f.host, FOLDER "/c.glb", &animation, &message);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY && strstr(message.text, "c.glb") != NULL);
        failures++;
    }
    CHECK(failures > 3);
    free(ball);
}

/* What is written comes back through the library's own readers. */
static void own_readers_read_it(void) {
    shape_mesh* ball = shape_ball((lim_vec3){0.3f, 0.1f, -2.0f}, 0.7f, 0.1f);
    lim_io_frame frame = shape_frame(ball);
    frame.colours = ball->colours;
    static float density[SHAPE_VERTICES], stiffness[SHAPE_VERTICES], cell[SHAPE_VERTICES];
    for (int v = 0; v < SHAPE_VERTICES; ++v) {
        density[v] = 1.0f + 0.001f * (float)v;
        stiffness[v] = 0.1f + 0.37f * (float)v;
        cell[v] = v % 3 == 0 ? 0.0f : 0.01f * (float)v;
    }
    frame.densities = density;
    frame.stiffnesses = stiffness;
    frame.sizes = cell;
    const char* paths[3] = {FOLDER "/d.obj", FOLDER "/d.ply", FOLDER "/d.glb"};
    CHECK(lim_io_write_obj(paths[0], &frame, NULL) == LIM_OK);
    CHECK(lim_io_write_ply(paths[1], &frame, NULL) == LIM_OK);
    CHECK(lim_io_write_glb(paths[2], &frame, 1, 1, 30.0f, NULL, NULL) == LIM_OK);
    for (int i = 0; i < 3; ++i) {
        lim_mesh* mesh = NULL;
        lim_io_report report;
        lim_io_message message;
        lim_result result = lim_io_read_mesh(paths[i], NULL, &mesh, &report, &message);
        CHECK(result == LIM_OK && report.repairs == 0);
        if (result != LIM_OK) {
            continue;
        }
        lim_mesh_view view = lim_mesh_get_view(mesh);
        CHECK(view.vertex_count == SHAPE_VERTICES && view.triangle_count == SHAPE_TRIANGLES);
        CHECK(view.colours != NULL);
        if (i > 0) { /* an OBJ has no place for them */
            size_t size = SHAPE_VERTICES * sizeof(float);
            CHECK(view.densities != NULL && memcmp(view.densities, density, size) == 0);
            CHECK(view.stiffnesses != NULL && memcmp(view.stiffnesses, stiffness, size) == 0);
            CHECK(view.sizes != NULL && memcmp(view.sizes, cell, size) == 0);
        } else {
            CHECK(view.densities == NULL && view.stiffnesses == NULL && view.sizes == NULL);
        }
        for (int v = 0; v < SHAPE_VERTICES && view.vertex_count == SHAPE_VERTICES; ++v) {
            CHECK((float)view.positions[v].y == ball->positions[3 * v + 1]);
            CHECK_NEAR(view.normals[3 * v], ball->normals[3 * v], 1e-6);
            for (int k = 0; view.colours != NULL && k < 4; ++k) {
                CHECK_NEAR(view.colours[4 * v + k], ball->colours[4 * v + k],
                           i == 1 ? 0.005 : 1e-6);
            }
        }
        lim_mesh_destroy(mesh);
    }
    free(ball);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void paths_that_cannot_be_written_are_named(void) {
    shape_mesh* ball = shape_ball((lim_vec3){0, 0, 0}, 0.5f, 0.0f);
    lim_io_frame frame = shape_frame(ball);
    lim_image image;
    CHECK(lim_image_create(20, 20, &image) == LIM_OK);
    const char* bad[2] = {FOLDER "/no/such/folder/file", FOLDER};
    for (int i = 0; i < 2; ++i) {
        lim_io_message message = {""};
        CHECK(lim_io_write_obj(bad[i], &frame, &message) == LIM_ERROR_FILE);
        CHECK(strstr(message.text, bad[i]) != NULL);
        message.text[0] = '\0';
        CHECK(lim_io_write_ply(bad[i], &frame, &message) == LIM_ERROR_FILE);
        CHECK(strstr(message.text, bad[i]) != NULL);
        message.text[0] = '\0';
        CHECK(lim_io_write_glb(bad[i], &frame, 1, 1, 30, NULL, &message) == LIM_ERROR_FILE);
        CHECK(strstr(message.text, bad[i]) != NULL);
        message.text[0] = '\0';
        CHECK(lim_io_write_png(bad[i], &image, &message) == LIM_ERROR_FILE);
        CHECK(strstr(message.text, bad[i]) != NULL);
        CHECK(lim_io_write_png(bad[i], &image, NULL) == LIM_ERROR_FILE);
    }
    /* A device that is always full, where there is one. */
    FILE* full = fopen("/dev/full", "wb");
    if (full != NULL) {
        fclose(full);
        lim_io_message message;
        CHECK(lim_io_write_obj("/dev/full", &frame, &message) == LIM_ERROR_FILE);
        CHECK(strstr(message.text, "/dev/full") != NULL);
    }
    lim_image_destroy(&image);
    free(ball);
}

static void senseless_input_is_refused(void) {
    shape_mesh* ball = shape_ball((lim_vec3){0, 0, 0}, 0.5f, 0.0f);
    const lim_io_frame good = shape_frame(ball);
    lim_io_frame bad[6] = {good, good, good, good, good, good};
    uint32_t indices[3] = {0, 1, SHAPE_VERTICES};
    float wild[3 * SHAPE_VERTICES];
    memcpy(wild, ball->positions, sizeof wild);
    wild[77] = NAN;
    bad[0].positions = NULL;
    bad[1].indices = NULL;
    bad[2].triangle_count = 0;
    bad[3].vertex_count = -1;
    bad[4].indices = indices;
    bad[4].triangle_count = 1;
    bad[5].positions = wild;
    for (int i = 0; i < 6; ++i) {
        lim_io_message message = {""};
        CHECK(lim_io_write_obj(FOLDER "/x.obj", &bad[i], &message) == LIM_ERROR_ARGUMENT);
        CHECK(strstr(message.text, "x.obj") != NULL);
        CHECK(lim_io_write_ply(FOLDER "/x.ply", &bad[i], NULL) == LIM_ERROR_ARGUMENT);
        CHECK(lim_io_write_glb(FOLDER "/x.glb", &bad[i], 1, 1, 30, NULL, NULL) ==
              LIM_ERROR_ARGUMENT);
    }
    FILE* made = fopen(FOLDER "/x.obj", "rb"); /* refused before the file is touched */
    CHECK(made == NULL);
    lim_io_frame frames[2] = {good, good};
    frames[1].vertex_count -= 1;
    lim_io_message message;
    CHECK(lim_io_write_glb(FOLDER "/x.glb", frames, 1, 2, 30, NULL, &message) ==
          LIM_ERROR_ARGUMENT); /* an index beyond its vertices */
    frames[1] = good;
    frames[1].normals = NULL;
    CHECK(lim_io_write_glb(FOLDER "/x.glb", frames, 1, 2, 30, NULL, &message) ==
          LIM_ERROR_ARGUMENT);
    CHECK(strstr(message.text, "frame 1") != NULL);
    const lim_io_frame nothing[2] = {{0}, {0}};
    CHECK(lim_io_write_glb(FOLDER "/x.glb", nothing, 1, 2, 30, NULL, &message) ==
          LIM_ERROR_ARGUMENT);
    CHECK(lim_io_write_glb(FOLDER "/x.glb", &good, 1, 1, 0, NULL, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(lim_io_write_glb(FOLDER "/x.glb", &good, 0, 1, 30, NULL, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(lim_io_write_glb(NULL, &good, 1, 1, 30, NULL, &message) == LIM_ERROR_ARGUMENT);
    CHECK(lim_io_write_obj(NULL, &good, &message) == LIM_ERROR_ARGUMENT);
    CHECK(lim_io_write_ply(FOLDER "/x.ply", NULL, &message) == LIM_ERROR_ARGUMENT);
    CHECK(lim_io_write_png(FOLDER "/x.png", NULL, &message) == LIM_ERROR_ARGUMENT);
    free(ball);
}

static void png_files_decode(void) {
    lim_image image;
    CHECK(lim_image_create(50, 31, &image) == LIM_OK);
    for (int i = 0; i < 50 * 31 * 4; ++i) {
        image.rgba[i] = (uint8_t)(i % 4 == 3 ? 255 : i * i / 97);
    }
    CHECK(lim_io_write_png(FOLDER "/a.png", &image, NULL) == LIM_OK);
    size_t size = 0;
    uint8_t* bytes = load(FOLDER "/a.png", &size);
    int width = 0, height = 0;
    uint8_t* rgba = png_decode(bytes, size, &width, &height);
    CHECK(rgba != NULL && width == 50 && height == 31);
    CHECK(rgba != NULL && memcmp(rgba, image.rgba, 50 * 31 * 4) == 0);
    free(rgba);
    free(bytes);
    lim_image_destroy(&image);
}

/* Passes without ffmpeg too: then the refusal must say what is missing. */
static void movies_are_made_by_ffmpeg(void) {
    lim_movie* movie = NULL;
    lim_io_message message;
    lim_image image, other;
    CHECK(lim_image_create(31, 17, &image) == LIM_OK && lim_image_create(8, 8, &other) == LIM_OK);
    CHECK(lim_movie_open(FOLDER "/no/a.mp4", 31, 17, 30, &movie, &message) == LIM_ERROR_FILE);
    CHECK(movie == NULL && strstr(message.text, "/no/a.mp4") != NULL);
    CHECK(lim_movie_open(FOLDER "/a.mp4", 31, 17, 0, &movie, &message) == LIM_ERROR_ARGUMENT);
    CHECK(lim_movie_add(NULL, &image) == LIM_ERROR_ARGUMENT);
    CHECK(lim_movie_close(NULL, &message) == LIM_ERROR_ARGUMENT);
    lim_result result = lim_movie_open(FOLDER "/a.mp4", 31, 17, 30, &movie, &message);
    if (result == LIM_ERROR_UNSUPPORTED) {
        CHECK(strstr(message.text, "ffmpeg") != NULL && movie == NULL);
    } else {
        CHECK(result == LIM_OK);
        CHECK(lim_movie_add(movie, &other) == LIM_ERROR_ARGUMENT);
        for (int i = 0; i < 12; ++i) {
            memset(image.rgba, 20 * i, 31 * 17 * 4);
            CHECK(lim_movie_add(movie, &image) == LIM_OK);
        }
        CHECK(lim_movie_close(movie, &message) == LIM_OK);
        size_t size = 0;
        uint8_t* bytes = load(FOLDER "/a.mp4", &size);
        CHECK(size > 500 && memcmp(bytes + 4, "ftyp", 4) == 0);
        free(bytes);
        /* A kind of file that ffmpeg does not know: it goes away, and closing says why. */
        CHECK(lim_movie_open(FOLDER "/a.unknown", 31, 17, 30, &movie, &message) == LIM_OK);
        for (int i = 0; i < 300; ++i) {
            lim_movie_add(movie, &image);
        }
        CHECK(lim_movie_close(movie, &message) == LIM_ERROR_FILE);
        CHECK(strstr(message.text, "a.unknown") != NULL && strstr(message.text, "ffmpeg") != NULL);
    }
    lim_image_destroy(&image);
    lim_image_destroy(&other);
}

TEST_SUITE(write) {
    TEST_BEGIN(argc, argv);
    RUN(obj_reads_back);
    RUN(ply_reads_back);
    RUN(ply_has_strains);
    RUN(glb_follows_the_rules);
    RUN(glb_of_one_frame);
    RUN(glb_names_bodies);
    RUN(glb_colours_move);
    RUN(glb_of_bodies_that_change);
    RUN(glb_without_memory_leaks_nothing);
    RUN(own_readers_read_it);
    RUN(png_files_decode);
    RUN(paths_that_cannot_be_written_are_named);
    RUN(senseless_input_is_refused);
    RUN(movies_are_made_by_ffmpeg);
    TEST_END();
}

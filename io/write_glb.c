/* SPDX-License-Identifier: MIT
 * Job: an animation as binary glTF 2.0. In: frames of bodies. Out: one node and mesh per body; the
 * first frame is the mesh, each other frame a morph target (positions, normals and colours that
 * change as differences), and one animation whose weights go linearly from frame to frame: weight i
 * is 1 at the time of frame i and 0 at all others, so that linear interpolation moves each vertex
 * straight from frame to frame. Every accessor has a buffer view of its own, which keeps the stride
 * rules simple.
 */
#include "io/write_glb.h"
#include "base/array.h"
#include "io/out_file.h"

#include <math.h>
#include <string.h>

enum {
    ARRAY_BUFFER = 34962,
    ELEMENT_ARRAY_BUFFER = 34963,
    TYPE_U16 = 5123,
    TYPE_U32 = 5125,
    TYPE_F32 = 5126
};

typedef struct glb {
    const lim_host* host;
    ARRAY(char) json;
    bool failed; /* memory ran out; told at the end */
    const lim_io_frame* frames;
    int32_t body_count, frame_count;
    float fps;
    const lim_vec3* colours;
    int32_t accessors; /* so far; views and accessors share their numbers */
    int64_t bytes;     /* of the binary chunk so far */
} glb;

static const lim_io_frame* frame_of(const glb* g, int32_t body, int32_t frame) {
    return &g->frames[(int64_t)body * g->frame_count + frame];
}

/* ---- text ----------------------------------------------------------------------------------- */

static void say(glb* g, const char* text) {
    int32_t length = (int32_t)strlen(text);
    if (g->failed || length == 0) {
        return;
    }
    if (!ARRAY_RESERVE(g->host, &g->json, (int64_t)g->json.count + length)) {
        g->failed = true;
        return;
    }
    memcpy(g->json.data + g->json.count, text, (size_t)length);
    g->json.count += length;
}

static void say_integer(glb* g, int64_t value) {
    char text[OUT_NUMBER + 2];
    out_format_integer(text, value);
    say(g, text);
}

static void say_decimal(glb* g, float value) {
    char text[OUT_NUMBER];
    out_format_decimal(text, value);
    say(g, text);
}

static void say_field(glb* g, const char* name, int64_t value) {
    say(g, name);
    say_integer(g, value);
}

static void say_vector(glb* g, const char* name, const float* values, int32_t count) {
    say(g, name);
    for (int32_t i = 0; i < count; ++i) {
        say(g, i > 0 ? "," : "[");
        say_decimal(g, values[i]);
    }
    say(g, "]");
}

/* ---- values, the same for the text's bounds and for the binary chunk ------------------------- */

/* A unit normal: glTF asks for it. */
static lim_vec3 normal_of(const lim_io_frame* frame, int32_t vertex) {
    const float* n = frame->normals + 3 * (size_t)vertex;
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 1e-20f) || !isfinite(length)) {
        return (lim_vec3){0, 1, 0};
    }
    return (lim_vec3){n[0] / length, n[1] / length, n[2] / length};
}

static lim_vec3 position_of(const lim_io_frame* frame, int32_t vertex) {
    const float* p = frame->positions + 3 * (size_t)vertex;
    return (lim_vec3){p[0], p[1], p[2]};
}

/* Frame 0 as it is, others as the difference from frame 0. */
static lim_vec3 value_of(const glb* g, int32_t body, int32_t frame, int32_t vertex, bool normals) {
    const lim_io_frame* base = frame_of(g, body, 0);
    const lim_io_frame* own = frame_of(g, body, frame);
    lim_vec3 b = normals ? normal_of(base, vertex) : position_of(base, vertex);
    if (frame == 0) {
        return b;
    }
    lim_vec3 o = normals ? normal_of(own, vertex) : position_of(own, vertex);
    return (lim_vec3){o.x - b.x, o.y - b.y, o.z - b.z};
}

/* The largest index, 65535, is reserved by some graphics interfaces. */
static bool is_small(const lim_io_frame* frame) {
    return frame->vertex_count < 65535;
}

static float colour_value(float x) {
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

static float uv_value(float x) {
    return isfinite(x) ? x : 0.0f;
}

/* ---- views and accessors: the order here is the order of the binary chunk ---------------------
 */

typedef struct shape {
    int64_t count;
    int32_t component; /* TYPE_ */
    const char* type;  /* "SCALAR" and so on */
    int32_t size;      /* bytes of one element */
    int32_t target;    /* of the view, or 0 */
} shape;

static int64_t padded(int64_t bytes) {
    return (bytes + 3) / 4 * 4;
}

static void say_view(glb* g, const shape* s) {
    say(g, g->accessors > 0 ? "," : "");
    say_field(g, "{\"buffer\":0,\"byteOffset\":", g->bytes);
    say_field(g, ",\"byteLength\":", s->count * s->size);
    if (s->target != 0) {
        say_field(g, ",\"target\":", s->target);
    }
    say(g, "}");
    g->bytes += padded(s->count * s->size);
    g->accessors++;
}

static void say_accessor(glb* g, const shape* s, const float* least, const float* most,
                         int32_t bounds) {
    say(g, g->accessors > 0 ? "," : "");
    say_field(g, "{\"bufferView\":", g->accessors);
    say_field(g, ",\"componentType\":", s->component);
    say_field(g, ",\"count\":", s->count);
    say(g, ",\"type\":\"");
    say(g, s->type);
    say(g, "\"");
    if (bounds > 0) {
        say_vector(g, ",\"min\":", least, bounds);
        say_vector(g, ",\"max\":", most, bounds);
    }
    say(g, "}");
    g->accessors++;
}

typedef enum glb_pass { PASS_VIEWS, PASS_ACCESSORS, PASS_BYTES } glb_pass;

static void put_vectors(glb* g, glb_pass pass, int32_t body, int32_t frame, bool normals,
                        out_file* out) {
    int32_t count = frame_of(g, body, 0)->vertex_count;
    shape s = {count, TYPE_F32, "VEC3", 12, ARRAY_BUFFER};
    float least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (pass == PASS_VIEWS) {
        say_view(g, &s);
        return;
    }
    for (int32_t i = 0; i < count && !(pass == PASS_ACCESSORS && normals); ++i) {
        lim_vec3 value = value_of(g, body, frame, i, normals);
        const float parts[3] = {value.x, value.y, value.z};
        for (int32_t k = 0; k < 3; ++k) {
            least[k] = parts[k] < least[k] ? parts[k] : least[k];
            most[k] = parts[k] > most[k] ? parts[k] : most[k];
            if (pass == PASS_BYTES) {
                out_f32(out, parts[k]);
            }
        }
    }
    if (pass == PASS_ACCESSORS) {
        say_accessor(g, &s, least, most, normals ? 0 : 3);
    }
}

static void put_indices(glb* g, glb_pass pass, const lim_io_frame* frame, out_file* out) {
    bool small = is_small(frame);
    int64_t count = (int64_t)frame->triangle_count * 3;
    shape s = {count, small ? TYPE_U16 : TYPE_U32, "SCALAR", small ? 2 : 4, ELEMENT_ARRAY_BUFFER};
    if (pass == PASS_VIEWS) {
        say_view(g, &s);
    } else if (pass == PASS_ACCESSORS) {
        say_accessor(g, &s, NULL, NULL, 0);
    } else {
        for (int64_t i = 0; i < count; ++i) {
            small ? out_u16(out, frame->indices[i]) : out_u32(out, frame->indices[i]);
        }
        if (small && count % 2 != 0) {
            out_u16(out, 0);
        }
    }
}

static void put_uvs(glb* g, glb_pass pass, const lim_io_frame* frame, out_file* out) {
    shape s = {frame->vertex_count, TYPE_F32, "VEC2", 8, ARRAY_BUFFER};
    if (pass == PASS_VIEWS) {
        say_view(g, &s);
    } else if (pass == PASS_ACCESSORS) {
        say_accessor(g, &s, NULL, NULL, 0);
    } else {
        for (int64_t i = 0; i < frame->vertex_count; ++i) {
            out_f32(out, uv_value(frame->uvs[2 * i]));
            out_f32(out, 1.0f - uv_value(frame->uvs[2 * i + 1])); /* glTF counts from the top */
        }
    }
}

static void put_colours(glb* g, glb_pass pass, const lim_io_frame* frame, out_file* out) {
    shape s = {frame->vertex_count, TYPE_F32, "VEC4", 16, ARRAY_BUFFER};
    if (pass == PASS_VIEWS) {
        say_view(g, &s);
    } else if (pass == PASS_ACCESSORS) {
        say_accessor(g, &s, NULL, NULL, 0);
    } else {
        for (int64_t i = 0; i < 4 * (int64_t)frame->vertex_count; ++i) {
            out_f32(out, colour_value(frame->colours[i]));
        }
    }
}

/* Whether the colours of a body change from frame to frame. */
static bool colours_move(const glb* g, int32_t body) {
    const float* base = frame_of(g, body, 0)->colours;
    for (int32_t frame = 1; base != NULL && frame < g->frame_count; ++frame) {
        const float* own = frame_of(g, body, frame)->colours;
        if (own != NULL && own != base) {
            return true;
        }
    }
    return false;
}

/* What the colours of a frame differ from those of the first; nothing where it has none. */
static void put_colour_target(glb* g, glb_pass pass, int32_t body, int32_t frame, out_file* out) {
    const lim_io_frame* base = frame_of(g, body, 0);
    const float* own = frame_of(g, body, frame)->colours;
    shape s = {base->vertex_count, TYPE_F32, "VEC4", 16, ARRAY_BUFFER};
    if (pass == PASS_VIEWS) {
        say_view(g, &s);
    } else if (pass == PASS_ACCESSORS) {
        say_accessor(g, &s, NULL, NULL, 0);
    } else {
        own = own != NULL ? own : base->colours;
        for (int64_t i = 0; i < 4 * (int64_t)base->vertex_count; ++i) {
            out_f32(out, colour_value(own[i]) - colour_value(base->colours[i]));
        }
    }
}

/* Density, stiffness and size: what the frame has of them, under names of their own. */
enum { SCALARS = 3 };
static const char* const SCALAR_NAME[SCALARS] = {
    ",\"_DENSITY\":", ",\"_STIFFNESS\":", ",\"_SIZE\":"};

static const float* scalars_of(const lim_io_frame* frame, int which) {
    return which == 0 ? frame->densities : which == 1 ? frame->stiffnesses : frame->sizes;
}

static void put_scalars(glb* g, glb_pass pass, const lim_io_frame* frame, int which,
                        out_file* out) {
    shape s = {frame->vertex_count, TYPE_F32, "SCALAR", 4, ARRAY_BUFFER};
    if (pass == PASS_VIEWS) {
        say_view(g, &s);
    } else if (pass == PASS_ACCESSORS) {
        say_accessor(g, &s, NULL, NULL, 0);
    } else {
        for (int64_t i = 0; i < frame->vertex_count; ++i) {
            out_f32(out, scalars_of(frame, which)[i]);
        }
    }
}

/* Times of the frames, then the weights of all targets at each of them. */
static void put_animation(glb* g, glb_pass pass, out_file* out) {
    int64_t targets = g->frame_count - 1;
    shape times = {g->frame_count, TYPE_F32, "SCALAR", 4, 0};
    shape weights = {g->frame_count * targets, TYPE_F32, "SCALAR", 4, 0};
    float first = 0.0f, last = (float)targets / g->fps;
    if (pass == PASS_VIEWS) {
        say_view(g, &times);
        say_view(g, &weights);
    } else if (pass == PASS_ACCESSORS) {
        say_accessor(g, &times, &first, &last, 1);
        say_accessor(g, &weights, NULL, NULL, 0);
    } else {
        for (int32_t i = 0; i < g->frame_count; ++i) {
            out_f32(out, (float)i / g->fps);
        }
        for (int32_t i = 0; i < g->frame_count; ++i) {
            for (int32_t k = 1; k < g->frame_count; ++k) {
                out_f32(out, k == i ? 1.0f : 0.0f);
            }
        }
    }
}

/* Walks everything that has an accessor, always in the same order. */
static void put_all(glb* g, glb_pass pass, out_file* out) {
    g->accessors = 0;
    for (int32_t body = 0; body < g->body_count; ++body) {
        const lim_io_frame* base = frame_of(g, body, 0);
        put_indices(g, pass, base, out);
        for (int32_t frame = 0; frame < g->frame_count; ++frame) {
            put_vectors(g, pass, body, frame, false, out);
            if (base->normals != NULL) {
                put_vectors(g, pass, body, frame, true, out);
            }
        }
        if (base->uvs != NULL) {
            put_uvs(g, pass, base, out);
        }
        if (base->colours != NULL) {
            put_colours(g, pass, base, out);
        }
        for (int k = 0; k < SCALARS; ++k) {
            if (scalars_of(base, k) != NULL) {
                put_scalars(g, pass, base, k, out);
            }
        }
        for (int32_t frame = 1; frame < g->frame_count && colours_move(g, body); ++frame) {
            put_colour_target(g, pass, body, frame, out);
        }
    }
    if (g->frame_count > 1) {
        put_animation(g, pass, out);
    }
}

/* ---- the scene ------------------------------------------------------------------------------ */

/* A mesh whose accessors begin at `first`; returns where the next begin. */
static int32_t say_mesh(glb* g, int32_t body, int32_t first) {
    const lim_io_frame* base = frame_of(g, body, 0);
    int32_t per_frame = base->normals != NULL ? 2 : 1;
    int32_t next = first + 1 + per_frame * g->frame_count;
    say_field(g, "{\"name\":\"body ", body);
    say_field(g, "\",\"primitives\":[{\"mode\":4,\"material\":", body);
    say_field(g, ",\"indices\":", first);
    say_field(g, ",\"attributes\":{\"POSITION\":", first + 1);
    if (base->normals != NULL) {
        say_field(g, ",\"NORMAL\":", first + 2);
    }
    if (base->uvs != NULL) {
        say_field(g, ",\"TEXCOORD_0\":", next++);
    }
    if (base->colours != NULL) {
        say_field(g, ",\"COLOR_0\":", next++);
    }
    for (int k = 0; k < SCALARS; ++k) {
        if (scalars_of(base, k) != NULL) {
            say_field(g, SCALAR_NAME[k], next++);
        }
    }
    say(g, "}");
    bool colours = colours_move(g, body);
    for (int32_t frame = 1; frame < g->frame_count; ++frame) {
        say(g, frame == 1 ? ",\"targets\":[" : ",");
        say_field(g, "{\"POSITION\":", first + 1 + per_frame * frame);
        if (base->normals != NULL) {
            say_field(g, ",\"NORMAL\":", first + 2 + per_frame * frame);
        }
        if (colours) {
            say_field(g, ",\"COLOR_0\":", next++);
        }
        say(g, "}");
    }
    say(g, g->frame_count > 1 ? "]}]" : "}]");
    for (int32_t frame = 1; frame < g->frame_count; ++frame) {
        say(g, frame == 1 ? ",\"weights\":[0" : ",0");
    }
    say(g, g->frame_count > 1 ? "]}" : "}");
    return next;
}

static void say_material(glb* g, int32_t body) {
    /* Vertex colours are multiplied by the material's: white leaves them as they are. */
    float rgba[4] = {0.62f, 0.30f, 0.18f, 1.0f};
    if (g->colours != NULL) {
        rgba[0] = colour_value(g->colours[body].x);
        rgba[1] = colour_value(g->colours[body].y);
        rgba[2] = colour_value(g->colours[body].z);
    } else if (frame_of(g, body, 0)->colours != NULL) {
        rgba[0] = rgba[1] = rgba[2] = 1.0f;
    }
    say_field(g, "{\"name\":\"body ", body);
    say_vector(g, "\",\"pbrMetallicRoughness\":{\"baseColorFactor\":", rgba, 4);
    say(g, ",\"metallicFactor\":0,\"roughnessFactor\":0.6},\"doubleSided\":true}");
}

static void say_animation(glb* g, int32_t times) {
    say(g, ",\"animations\":[{\"name\":\"motion\",\"channels\":[");
    for (int32_t body = 0; body < g->body_count; ++body) {
        say_field(g,
                  body > 0 ? ",{\"sampler\":0,\"target\":{\"node\":"
                           : "{\"sampler\":0,\"target\":{\"node\":",
                  body);
        say(g, ",\"path\":\"weights\"}}");
    }
    say_field(g, "],\"samplers\":[{\"input\":", times);
    say_field(g, ",\"interpolation\":\"LINEAR\",\"output\":", times + 1);
    say(g, "}]}]");
}

static void say_scene(glb* g) {
    say(g, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"limber\"},\"scene\":0,\"scenes\":[{"
           "\"nodes\":[");
    for (int32_t body = 0; body < g->body_count; ++body) {
        say_field(g, body > 0 ? "," : "", body);
    }
    say(g, "]}],\"nodes\":[");
    for (int32_t body = 0; body < g->body_count; ++body) {
        say_field(g, body > 0 ? ",{\"name\":\"body " : "{\"name\":\"body ", body);
        say_field(g, "\",\"mesh\":", body);
        say(g, "}");
    }
    say(g, "],\"meshes\":[");
    int32_t accessor = 0;
    for (int32_t body = 0; body < g->body_count; ++body) {
        say(g, body > 0 ? "," : "");
        accessor = say_mesh(g, body, accessor);
    }
    say(g, "],\"materials\":[");
    for (int32_t body = 0; body < g->body_count; ++body) {
        say(g, body > 0 ? "," : "");
        say_material(g, body);
    }
    say(g, "]");
    if (g->frame_count > 1) {
        say_animation(g, accessor);
    }
    say(g, ",\"bufferViews\":[");
    put_all(g, PASS_VIEWS, NULL);
    say(g, "],\"accessors\":[");
    put_all(g, PASS_ACCESSORS, NULL);
    say_field(g, "],\"buffers\":[{\"byteLength\":", g->bytes);
    say(g, "}]}");
    while (g->json.count % 4 != 0 && !g->failed) {
        say(g, " ");
    }
}

/* ---- checks and the file -------------------------------------------------------------------- */

static lim_result check(const glb* g, const char* path, lim_io_message* message) {
    for (int32_t body = 0; body < g->body_count; ++body) {
        const lim_io_frame* base = frame_of(g, body, 0);
        for (int32_t f = 0; f < g->frame_count; ++f) {
            lim_io_frame own = *frame_of(g, body, f);
            if (own.vertex_count != base->vertex_count ||
                own.triangle_count != base->triangle_count ||
                (own.normals == NULL) != (base->normals == NULL)) {
                return out_fail(message, LIM_ERROR_ARGUMENT,
                                "%s: frame %d of body %d has other counts than its first; write "
                                "what comes before and after a cut into files of their own",
                                path, (int)f, (int)body);
            }
            own.indices = base->indices; /* the others are not used */
            LIM_TRY(out_check_frame(&own, path, message));
        }
    }
    return LIM_OK;
}

/* Bytes of the binary chunk, checked before any text is made. */
static bool fits(const glb* g) {
    double bytes = 0.0;
    for (int32_t body = 0; body < g->body_count; ++body) {
        const lim_io_frame* base = frame_of(g, body, 0);
        bytes += (double)base->triangle_count * 12.0;
        bytes += (double)base->vertex_count * (24.0 * (double)g->frame_count + 36.0);
    }
    bytes += 4.0 * (double)g->frame_count * (double)g->frame_count;
    double text = 400.0 * (double)g->frame_count * (double)g->body_count;
    return bytes + text < 4.2e9 && text < 2.0e9;
}

static lim_result write_file(glb* g, const char* path, lim_io_message* message) {
    out_file out;
    LIM_TRY(out_open(&out, path, message));
    out_u32(&out, 0x46546C67u); /* glTF */
    out_u32(&out, 2);
    out_u32(&out, (uint32_t)(12 + 8 + g->json.count + 8 + g->bytes));
    out_u32(&out, (uint32_t)g->json.count);
    out_u32(&out, 0x4E4F534Au); /* JSON */
    out_bytes(&out, g->json.data, (size_t)g->json.count);
    out_u32(&out, (uint32_t)g->bytes);
    out_u32(&out, 0x004E4942u); /* BIN */
    put_all(g, PASS_BYTES, &out);
    return out_close(&out);
}

lim_result glb_write(const lim_host* host, const char* path, const glb_animation* animation,
                     lim_io_message* message) {
    if (path == NULL || animation->frames == NULL || animation->body_count < 1 ||
        animation->frame_count < 1 || !(animation->fps > 0.0f) || !isfinite(animation->fps)) {
        return out_fail(message, LIM_ERROR_ARGUMENT,
                        "%s: an animation needs bodies, frames and frames per second above zero",
                        path != NULL ? path : "(null)");
    }
    glb g = {.host = host, .frames = animation->frames, .fps = animation->fps};
    g.body_count = animation->body_count;
    g.frame_count = animation->frame_count;
    g.colours = animation->colours;
    LIM_TRY(check(&g, path, message));
    if (!fits(&g)) {
        return out_fail(message, LIM_ERROR_TOO_LARGE,
                        "%s: %d frames of %d bodies do not fit the 4 GiB of a GLB; write fewer "
                        "frames or every second one",
                        path, (int)g.frame_count, (int)g.body_count);
    }
    say_scene(&g);
    lim_result result = g.failed ? out_fail(message, LIM_ERROR_MEMORY, "%s: no memory", path)
                                 : write_file(&g, path, message);
    ARRAY_FREE(host, &g.json);
    return result;
}

lim_result lim_io_write_glb(const char* path, const lim_io_frame* frames, int32_t body_count,
                            int32_t frame_count, float fps, const lim_vec3* colours,
                            lim_io_message* out_message) {
    lim_host host = mem_host(NULL);
    glb_animation animation = {frames, body_count, frame_count, fps, colours};
    return glb_write(&host, path, &animation, out_message);
}

/* SPDX-License-Identifier: MIT
 * Job: an animation as binary glTF 2.0. In: frames of bodies. Out: one node and mesh for each
 * stretch of frames in which a body has the same triangles, mostly all of them; the first frame is
 * the mesh, each other frame a morph target (positions, normals and colours that change as
 * differences), and one animation whose weights go linearly from frame to frame: weight i is 1 at
 * the time of frame i and 0 at all others, so that linear interpolation moves each vertex straight
 * from frame to frame. A node that is there for a part of the time has a scale of 0 in the rest.
 * Every accessor has a buffer view of its own, which keeps the stride rules simple.
 */
#include "io/write_glb.h"
#include "base/array.h"
#include "io/json.h"
#include "io/out_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ARRAY_BUFFER = 34962,
    ELEMENT_ARRAY_BUFFER = 34963,
    TYPE_U16 = 5123,
    TYPE_U32 = 5125,
    TYPE_F32 = 5126
};

/* Frames in which a body has the same triangles. */
typedef struct stretch {
    int32_t body, first, count;
    int32_t timed_as; /* the first stretch of the same frames: they share times and weights */
    int32_t sampler;  /* of its weights */
} stretch;

typedef struct glb {
    const lim_host* host;
    ARRAY(stretch) stretches; /* of one body after the other */
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

/* The first frame of a stretch; the others lie behind it. */
static const lim_io_frame* base_of(const glb* g, const stretch* s) {
    return frame_of(g, s->body, s->first);
}

static bool is_whole(const glb* g, const stretch* s) {
    return s->count == g->frame_count;
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

/* The first frame of a stretch as it is, others as the difference from it. */
static lim_vec3 value_of(const lim_io_frame* base, int32_t frame, int32_t vertex, bool normals) {
    const lim_io_frame* own = base + frame;
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

static void put_vectors(glb* g, glb_pass pass, const lim_io_frame* base, int32_t frame,
                        bool normals, out_file* out) {
    int32_t count = base->vertex_count;
    shape s = {count, TYPE_F32, "VEC3", 12, ARRAY_BUFFER};
    float least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (pass == PASS_VIEWS) {
        say_view(g, &s);
        return;
    }
    for (int32_t i = 0; i < count && !(pass == PASS_ACCESSORS && normals); ++i) {
        lim_vec3 value = value_of(base, frame, i, normals);
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
static bool colours_move(const lim_io_frame* first, int32_t count) {
    const float* base = first->colours;
    for (int32_t frame = 1; base != NULL && frame < count; ++frame) {
        const float* own = first[frame].colours;
        if (own != NULL && own != base) {
            return true;
        }
    }
    return false;
}

/* What the colours of a frame differ from those of the first; nothing where it has none. */
static void put_colour_target(glb* g, glb_pass pass, const lim_io_frame* base, int32_t frame,
                              out_file* out) {
    const float* own = base[frame].colours;
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

/* Times of the frames of a stretch, then the weights of all targets at each of them. */
static void put_weights(glb* g, glb_pass pass, const stretch* of, out_file* out) {
    int64_t targets = of->count - 1;
    shape times = {of->count, TYPE_F32, "SCALAR", 4, 0};
    shape weights = {of->count * targets, TYPE_F32, "SCALAR", 4, 0};
    float first = (float)of->first / g->fps, last = (float)(of->first + targets) / g->fps;
    if (pass == PASS_VIEWS) {
        say_view(g, &times);
        say_view(g, &weights);
    } else if (pass == PASS_ACCESSORS) {
        say_accessor(g, &times, &first, &last, 1);
        say_accessor(g, &weights, NULL, NULL, 0);
    } else {
        for (int32_t i = 0; i < of->count; ++i) {
            out_f32(out, (float)(of->first + i) / g->fps);
        }
        for (int32_t i = 0; i < of->count; ++i) {
            for (int32_t k = 1; k < of->count; ++k) {
                out_f32(out, k == i ? 1.0f : 0.0f);
            }
        }
    }
}

/* When a stretch comes and goes: frames and scales, at most three. */
static int32_t turns_of(const glb* g, const stretch* of, int32_t frame[3], float scale[3]) {
    int32_t count = 0;
    frame[count] = 0;
    scale[count++] = of->first == 0 ? 1.0f : 0.0f;
    if (of->first > 0) {
        frame[count] = of->first;
        scale[count++] = 1.0f;
    }
    if (of->first + of->count < g->frame_count) {
        frame[count] = of->first + of->count;
        scale[count++] = 0.0f;
    }
    return count;
}

static void put_turns(glb* g, glb_pass pass, const stretch* of, out_file* out) {
    int32_t frame[3];
    float scale[3];
    int32_t count = turns_of(g, of, frame, scale);
    shape times = {count, TYPE_F32, "SCALAR", 4, 0}, scales = {count, TYPE_F32, "VEC3", 12, 0};
    float first = 0.0f, last = (float)frame[count - 1] / g->fps;
    if (pass == PASS_VIEWS) {
        say_view(g, &times);
        say_view(g, &scales);
    } else if (pass == PASS_ACCESSORS) {
        say_accessor(g, &times, &first, &last, 1);
        say_accessor(g, &scales, NULL, NULL, 0);
    } else {
        for (int32_t i = 0; i < count; ++i) {
            out_f32(out, (float)frame[i] / g->fps);
        }
        for (int32_t i = 0; i < 3 * count; ++i) {
            out_f32(out, scale[i / 3]);
        }
    }
}

/* Whether the times and weights of a stretch stand in the file with it. */
static bool has_weights(const glb* g, int32_t index) {
    const stretch* s = &g->stretches.data[index];
    return s->count > 1 && s->timed_as == index;
}

static void put_mesh(glb* g, glb_pass pass, const stretch* s, out_file* out) {
    const lim_io_frame* base = base_of(g, s);
    put_indices(g, pass, base, out);
    for (int32_t frame = 0; frame < s->count; ++frame) {
        put_vectors(g, pass, base, frame, false, out);
        if (base->normals != NULL) {
            put_vectors(g, pass, base, frame, true, out);
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
    bool moving = colours_move(base, s->count);
    for (int32_t frame = 1; frame < s->count && moving; ++frame) {
        put_colour_target(g, pass, base, frame, out);
    }
}

/* Walks everything that has an accessor, always in the same order. */
static void put_all(glb* g, glb_pass pass, out_file* out) {
    g->accessors = 0;
    for (int32_t i = 0; i < g->stretches.count; ++i) {
        put_mesh(g, pass, &g->stretches.data[i], out);
    }
    for (int32_t i = 0; i < g->stretches.count; ++i) {
        if (has_weights(g, i)) {
            put_weights(g, pass, &g->stretches.data[i], out);
        }
    }
    for (int32_t i = 0; i < g->stretches.count; ++i) {
        if (!is_whole(g, &g->stretches.data[i])) {
            put_turns(g, pass, &g->stretches.data[i], out);
        }
    }
}

/* ---- the scene ------------------------------------------------------------------------------ */

/* What a text needs within quotes; bytes that are not UTF-8 become a question mark. */
static void say_escaped(glb* g, const char* text) {
    const char* end = text + strlen(text);
    while (text < end) {
        size_t length = json_utf8_length(text, end);
        char part[8] = "?";
        if ((unsigned char)*text < ' ') {
            snprintf(part, sizeof part, "\\u%04x", (unsigned)*text);
        } else if (*text == '"' || *text == '\\') {
            snprintf(part, sizeof part, "\\%c", *text);
        } else if (length > 0) {
            memcpy(part, text, length);
            part[length] = '\0';
        }
        say(g, part);
        text += length > 0 ? length : 1;
    }
}

static void say_body(glb* g, int32_t body) {
    say(g, "{\"name\":\"");
    for (int32_t i = 0; i < g->frame_count; ++i) {
        const char* name = frame_of(g, body, i)->name;
        if (name != NULL && name[0] != '\0') {
            say_escaped(g, name);
            return;
        }
    }
    say_field(g, "body ", body);
}

/* A body in one stretch is named as it is; else the frame is told too. */
static void say_name(glb* g, const stretch* s) {
    say_body(g, s->body);
    if (!is_whole(g, s)) {
        say_field(g, " from frame ", s->first);
    }
    say(g, "\"");
}

/* A mesh whose accessors begin at `first`; returns where the next begin. */
static int32_t say_mesh(glb* g, const stretch* s, int32_t first) {
    const lim_io_frame* base = base_of(g, s);
    int32_t per_frame = base->normals != NULL ? 2 : 1;
    int32_t next = first + 1 + per_frame * s->count;
    say_name(g, s);
    say_field(g, ",\"primitives\":[{\"mode\":4,\"material\":", s->body);
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
    bool colours = colours_move(base, s->count);
    for (int32_t frame = 1; frame < s->count; ++frame) {
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
    say(g, s->count > 1 ? "]}]" : "}]");
    for (int32_t frame = 1; frame < s->count; ++frame) {
        say(g, frame == 1 ? ",\"weights\":[0" : ",0");
    }
    say(g, s->count > 1 ? "]}" : "}");
    return next;
}

static bool is_coloured(const glb* g, int32_t body) {
    for (int32_t i = 0; i < g->frame_count; ++i) {
        if (frame_of(g, body, i)->colours != NULL) {
            return true;
        }
    }
    return false;
}

static void say_material(glb* g, int32_t body) {
    /* Vertex colours are multiplied by the material's: white leaves them as they are. */
    float rgba[4] = {0.62f, 0.30f, 0.18f, 1.0f};
    if (g->colours != NULL) {
        rgba[0] = colour_value(g->colours[body].x);
        rgba[1] = colour_value(g->colours[body].y);
        rgba[2] = colour_value(g->colours[body].z);
    } else if (is_coloured(g, body)) {
        rgba[0] = rgba[1] = rgba[2] = 1.0f;
    }
    say_body(g, body);
    say_vector(g, "\",\"pbrMetallicRoughness\":{\"baseColorFactor\":", rgba, 4);
    say(g, ",\"metallicFactor\":0,\"roughnessFactor\":0.6},\"doubleSided\":true}");
}

static void say_channel(glb* g, bool* begun, int32_t sampler, int32_t node, const char* path) {
    say_field(g, *begun ? ",{\"sampler\":" : "{\"sampler\":", sampler);
    say_field(g, ",\"target\":{\"node\":", node);
    say(g, ",\"path\":\"");
    say(g, path);
    say(g, "\"}}");
    *begun = true;
}

/* Samplers have their accessors from `first` on, two each: weights, then scales. */
static void say_animation(glb* g, int32_t first) {
    int32_t samplers = 0, steps;
    bool begun = false;
    say(g, ",\"animations\":[{\"name\":\"motion\",\"channels\":[");
    for (int32_t i = 0; i < g->stretches.count; ++i) {
        stretch* s = &g->stretches.data[i];
        s->sampler = has_weights(g, i) ? samplers++ : g->stretches.data[s->timed_as].sampler;
        if (s->count > 1) {
            say_channel(g, &begun, s->sampler, i, "weights");
        }
    }
    steps = samplers;
    for (int32_t i = 0; i < g->stretches.count; ++i) {
        if (!is_whole(g, &g->stretches.data[i])) {
            say_channel(g, &begun, samplers++, i, "scale");
        }
    }
    for (int32_t i = 0; i < samplers; ++i) {
        say_field(g, i > 0 ? ",{\"input\":" : "],\"samplers\":[{\"input\":", first + 2 * i);
        say_field(g,
                  i < steps ? ",\"interpolation\":\"LINEAR\",\"output\":"
                            : ",\"interpolation\":\"STEP\",\"output\":",
                  first + 2 * i + 1);
        say(g, "}");
    }
    say(g, "]}]");
}

static void say_nodes(glb* g) {
    say(g, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"limber\"},\"scene\":0,\"scenes\":[{"
           "\"nodes\":[");
    for (int32_t i = 0; i < g->stretches.count; ++i) {
        say_field(g, i > 0 ? "," : "", i);
    }
    say(g, "]}],\"nodes\":[");
    for (int32_t i = 0; i < g->stretches.count; ++i) {
        const stretch* s = &g->stretches.data[i];
        say(g, i > 0 ? "," : "");
        say_name(g, s);
        say_field(g, ",\"mesh\":", i);
        say(g, s->first > 0 ? ",\"scale\":[0,0,0]}" : "}");
    }
}

static void say_scene(glb* g) {
    say_nodes(g);
    say(g, "],\"meshes\":[");
    int32_t accessor = 0;
    for (int32_t i = 0; i < g->stretches.count; ++i) {
        say(g, i > 0 ? "," : "");
        accessor = say_mesh(g, &g->stretches.data[i], accessor);
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

static bool same_triangles(const lim_io_frame* a, const lim_io_frame* b) {
    size_t bytes = 3 * sizeof(uint32_t) * (size_t)(a->triangle_count > 0 ? a->triangle_count : 0);
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           (a->indices == b->indices || a->indices == NULL || b->indices == NULL || bytes == 0 ||
            memcmp(a->indices, b->indices, bytes) == 0);
}

/* The stretches of a body, each as long as it goes. A frame without vertices is in none. */
static lim_result find_stretches(glb* g, int32_t body, const char* path, lim_io_message* message) {
    stretch* now = NULL;
    for (int32_t f = 0; f < g->frame_count; ++f) {
        const lim_io_frame* own = frame_of(g, body, f);
        const lim_io_frame* base = now != NULL ? base_of(g, now) : NULL;
        if (own->vertex_count == 0 && own->triangle_count == 0) {
            now = NULL;
            continue;
        }
        lim_io_frame checked = *own;
        if (base != NULL && same_triangles(base, own)) {
            now->count++;
            checked.indices = base->indices; /* the others are not used */
            if ((own->normals == NULL) != (base->normals == NULL)) {
                return out_fail(message, LIM_ERROR_ARGUMENT,
                                "%s: frame %d of body %d has normals or the one before it has, but "
                                "not both; give all frames of a body normals, or none",
                                path, (int)f, (int)body);
            }
        } else {
            stretch next = {.body = body, .first = f, .count = 1};
            if (!ARRAY_PUSH(g->host, &g->stretches, next)) {
                return out_fail(message, LIM_ERROR_MEMORY, "%s: no memory", path);
            }
            now = &g->stretches.data[g->stretches.count - 1];
        }
        LIM_TRY(out_check_frame(&checked, path, message));
    }
    return LIM_OK;
}

/* Stretches of the same frames have the same times. Nearly all are whole. */
static void share_times(glb* g) {
    for (int32_t i = 0; i < g->stretches.count; ++i) {
        stretch* s = &g->stretches.data[i];
        s->timed_as = i;
        for (int32_t k = 0; k < i; ++k) {
            const stretch* other = &g->stretches.data[k];
            if (other->timed_as == k && other->first == s->first && other->count == s->count) {
                s->timed_as = k;
                break;
            }
        }
    }
}

static lim_result plan(glb* g, const char* path, lim_io_message* message) {
    for (int32_t body = 0; body < g->body_count; ++body) {
        LIM_TRY(find_stretches(g, body, path, message));
    }
    if (g->stretches.count == 0) {
        return out_fail(message, LIM_ERROR_ARGUMENT, "%s: no frame has any vertex", path);
    }
    share_times(g);
    return LIM_OK;
}

/* Bytes of the binary chunk, checked before any text is made. */
static bool fits(const glb* g) {
    double bytes = 0.0, text = 0.0;
    for (int32_t i = 0; i < g->stretches.count; ++i) {
        const stretch* s = &g->stretches.data[i];
        const lim_io_frame* base = base_of(g, s);
        bytes += (double)base->triangle_count * 12.0;
        bytes += (double)base->vertex_count * (24.0 * (double)s->count + 36.0);
        bytes += 4.0 * (double)s->count * (double)s->count;
        text += 400.0 * (double)s->count;
    }
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
    lim_result result = plan(&g, path, message);
    if (result == LIM_OK && !fits(&g)) {
        result = out_fail(message, LIM_ERROR_TOO_LARGE,
                          "%s: %d frames of %d bodies do not fit the 4 GiB of a GLB; write fewer "
                          "frames or every second one",
                          path, (int)g.frame_count, (int)g.body_count);
    }
    if (result == LIM_OK) {
        say_scene(&g);
        result = g.failed ? out_fail(message, LIM_ERROR_MEMORY, "%s: no memory", path)
                          : write_file(&g, path, message);
    }
    ARRAY_FREE(host, &g.json);
    ARRAY_FREE(host, &g.stretches);
    return result;
}

lim_result lim_io_write_glb(const char* path, const lim_io_frame* frames, int32_t body_count,
                            int32_t frame_count, float fps, const lim_vec3* colours,
                            lim_io_message* out_message) {
    lim_host host = mem_host(NULL);
    glb_animation animation = {frames, body_count, frame_count, fps, colours};
    return glb_write(&host, path, &animation, out_message);
}

/* SPDX-License-Identifier: MIT
 * Job: Wavefront OBJ. In: text. Out: vertices, faces, submeshes. Lines are read one by one; faces
 * are kept as corners (v, vt, vn) until the end, because they may come before their vertices. A
 * vertex keeps its number of the file: the first pair (vt, vn) seen with it takes that place, every
 * other pair a new vertex at the end. Statements that say nothing about the surface are passed
 * over; usemtl starts a submesh.
 */
#include "io/build.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

enum { NONE = -1, UNSEEN = -2 };

typedef struct obj_corner {
    int32_t v, vt, vn; /* from 0; NONE when not given */
} obj_corner;

typedef struct obj_face {
    int32_t first, count; /* corners */
    int32_t line, material;
} obj_face;

typedef struct obj_name {
    size_t start, length; /* in the text */
} obj_name;

typedef struct obj_pair {
    float value[3];
} obj_pair;

typedef struct obj_file {
    mesh_reader* reader;
    mesh_build* build;
    text_place at;
    ARRAY(obj_pair) uvs;
    ARRAY(obj_pair) normals;
    ARRAY(obj_corner) corners;
    ARRAY(obj_face) faces;
    ARRAY(obj_name) materials;
    ARRAY(obj_corner) owners; /* per vertex of the file: the pair that took its place */
    ARRAY(uint32_t) polygon;
    float colour_most; /* largest colour value: above 1 they are bytes */
    int32_t outside;   /* texture and normal indices out of range */
} obj_file;

/* Blanks within a line; a backslash at the line's end joins the next line. True when something
 * stands there. */
static bool skip_to_word(text_place* p) {
    for (;;) {
        while (!text_at_line_end(p) && text_is_blank(*p->at)) {
            p->at++;
        }
        if (p->at + 1 < p->end && *p->at == '\\' && (p->at[1] == '\n' || p->at[1] == '\r')) {
            p->at++;
            text_skip_line(p);
            continue;
        }
        return !text_at_line_end(p) && *p->at != '#';
    }
}

static bool ends_word(const text_place* p) {
    return p->at == p->end || text_is_blank(*p->at) || *p->at == '#' ||
           (*p->at == '\\' && p->at + 1 < p->end && (p->at[1] == '\n' || p->at[1] == '\r'));
}

/* Up to `most` numbers of a line; their count, or -1 when a word is none of them. */
static int32_t scan_numbers(text_place* p, double* out, int32_t most) {
    int32_t count = 0;
    while (count < most && skip_to_word(p)) {
        if (!number_scan_real(&p->at, p->end, &out[count]) || !ends_word(p)) {
            return -1;
        }
        count++;
    }
    return count;
}

static lim_result bad_number(obj_file* file, const char* statement) {
    const text_place* p = &file->at;
    bool comma = p->at < p->end && *p->at == ',';
    return reader_fail(file->reader, LIM_ERROR_FORMAT, p->line, "%s: %s", statement,
                       comma ? "decimal comma; write 1.5 instead of 1,5 (export with an English "
                               "locale)"
                             : "not a number; check the exporter");
}

static lim_result read_vertex(obj_file* file) {
    double number[7];
    int32_t line = file->at.line;
    int32_t count = scan_numbers(&file->at, number, 7);
    if (count < 0) {
        return bad_number(file, "v");
    }
    if (count < 3) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, line,
                           "v has %d numbers, not three; check the exporter", (int)count);
    }
    build_vertex vertex = {.position = {number[0], number[1], number[2]}};
    if (count >= 6) {
        for (int k = 0; k < 4; ++k) {
            vertex.colour[k] = k == 3 && count < 7 ? 1.0f : (float)number[3 + k];
        }
        for (int k = 0; k < 3; ++k) {
            file->colour_most =
                vertex.colour[k] > file->colour_most ? vertex.colour[k] : file->colour_most;
        }
        vertex.has = BUILD_COLOUR;
    }
    obj_corner owner = {UNSEEN, UNSEEN, UNSEEN};
    if (!ARRAY_PUSH(&file->reader->host, &file->owners, owner)) {
        return reader_no_memory(file->reader);
    }
    return build_vertex_add(file->build, &vertex);
}

/* vt (1 to 3 numbers) and vn (3). A bad one counts as not given: the shape does not need it. */
static lim_result read_pair(obj_file* file, bool normal) {
    double number[3] = {(double)NAN, 0.0, 0.0};
    int32_t count = scan_numbers(&file->at, number, 3);
    obj_pair pair = {{(float)NAN, (float)NAN, (float)NAN}};
    if (count >= (normal ? 3 : 1)) {
        pair = (obj_pair){{(float)number[0], (float)number[1], (float)number[2]}};
    }
    bool ok = normal ? ARRAY_PUSH(&file->reader->host, &file->normals, pair)
                     : ARRAY_PUSH(&file->reader->host, &file->uvs, pair);
    return ok ? LIM_OK : reader_no_memory(file->reader);
}

/* One index as the file has it (from 1, or from -1 backwards) to one from 0; NONE - 1 or less when
 * it cannot be right. */
static int32_t resolve(int64_t index, int32_t count) {
    if (index > 0 && index <= INT32_MAX) {
        return (int32_t)(index - 1);
    }
    return index < 0 && index >= -(int64_t)count ? (int32_t)(count + index) : UNSEEN;
}

/* v, v/vt, v//vn, v/vt/vn. */
static lim_result read_corner(obj_file* file, obj_corner* out) {
    text_place* p = &file->at;
    const int32_t counts[3] = {file->owners.count, file->uvs.count, file->normals.count};
    int32_t parts[3] = {NONE, NONE, NONE};
    const char* start = p->at;
    for (int part = 0; part < 3; ++part) {
        int64_t index = 0;
        if (number_scan_whole(&p->at, p->end, &index)) {
            parts[part] = resolve(index, counts[part]);
            if (part == 0 && parts[part] == UNSEEN) {
                return reader_fail(file->reader, LIM_ERROR_FORMAT, p->line,
                                   "face index %lld is out of range (%d vertices so far); indices "
                                   "count from 1, or "
                                   "back from -1: check the exporter",
                                   (long long)index, (int)counts[0]);
            }
        } else if (part == 0) {
            break;
        }
        if (p->at == p->end || *p->at != '/') {
            break;
        }
        p->at++;
    }
    if (parts[0] == NONE || !ends_word(p)) {
        while (!text_at_line_end(p) && !text_is_blank(*p->at)) {
            p->at++;
        }
        return reader_fail(file->reader, LIM_ERROR_FORMAT, p->line,
                           "face corner '%.*s' is not v, v/vt, v//vn or v/vt/vn; check the "
                           "exporter",
                           text_shown((size_t)(p->at - start)), start);
    }
    *out = (obj_corner){parts[0], parts[1], parts[2]};
    return LIM_OK;
}

static lim_result read_face(obj_file* file) {
    obj_face face = {
        .first = file->corners.count, .line = file->at.line, .material = file->materials.count - 1};
    while (skip_to_word(&file->at)) {
        obj_corner corner;
        LIM_TRY(read_corner(file, &corner));
        if (!ARRAY_PUSH(&file->reader->host, &file->corners, corner)) {
            return reader_no_memory(file->reader);
        }
    }
    face.count = file->corners.count - face.first;
    if (!ARRAY_PUSH(&file->reader->host, &file->faces, face)) {
        return reader_no_memory(file->reader);
    }
    return LIM_OK;
}

static lim_result read_material(obj_file* file) {
    text_place* p = &file->at;
    (void)skip_to_word(p);
    const char* start = p->at;
    while (!text_at_line_end(p)) {
        p->at++;
    }
    const char* stop = p->at;
    while (stop > start && text_is_blank(stop[-1])) {
        stop--;
    }
    obj_name name = {(size_t)(start - file->reader->bytes), (size_t)(stop - start)};
    return ARRAY_PUSH(&file->reader->host, &file->materials, name) ? LIM_OK
                                                                   : reader_no_memory(file->reader);
}

static lim_result read_statement(obj_file* file) {
    text_place* p = &file->at;
    const char* word = p->at;
    while (!ends_word(p)) {
        p->at++;
    }
    size_t length = (size_t)(p->at - word);
    if (length == 1 && word[0] == 'v') {
        return read_vertex(file);
    }
    if (length == 1 && word[0] == 'f') {
        return read_face(file);
    }
    if (length == 2 && word[0] == 'v' && (word[1] == 't' || word[1] == 'n')) {
        return read_pair(file, word[1] == 'n');
    }
    if (length == 6 && memcmp(word, "usemtl", 6) == 0) {
        return read_material(file);
    }
    return LIM_OK;
}

static lim_result read_lines(obj_file* file) {
    text_place* p = &file->at;
    while (p->at < p->end) {
        if (skip_to_word(p)) {
            LIM_TRY(read_statement(file));
            /* What is left of the line, continuations included, is not ours. */
            while (skip_to_word(p)) {
                while (!ends_word(p)) {
                    p->at++;
                }
            }
        }
        text_skip_line(p);
    }
    return LIM_OK;
}

/* ---- after the last line ----------------------------------------------------------------------
 */

/* Colours above 1 are bytes, which are sRGB; others are linear already. */
static void finish_colours(obj_file* file) {
    if (!(file->colour_most > 1.0f)) {
        return;
    }
    for (int32_t i = 0; i < file->build->colours.count; ++i) {
        float* value = &file->build->colours.data[i];
        *value = i % 4 != 3      ? build_linear(*value / 255.0f)
                 : *value > 1.0f ? *value / 255.0f
                                 : *value;
    }
}

/* The vertex of a corner. */
static lim_result vertex_of(obj_file* file, obj_corner corner, uint32_t* out) {
    mesh_build* build = file->build;
    bool bad_uv = corner.vt != NONE && (uint32_t)corner.vt >= (uint32_t)file->uvs.count;
    bool bad_normal = corner.vn != NONE && (uint32_t)corner.vn >= (uint32_t)file->normals.count;
    file->outside += (bad_uv || bad_normal) && file->outside < INT32_MAX;
    corner.vt = bad_uv ? NONE : corner.vt;
    corner.vn = bad_normal ? NONE : corner.vn;

    obj_corner* owner = &file->owners.data[corner.v];
    bool unseen = owner->v == UNSEEN;
    *out = (uint32_t)corner.v;
    if (!unseen && owner->vt == corner.vt && owner->vn == corner.vn) {
        return LIM_OK;
    }
    build_vertex vertex = {.has = 0};
    if (corner.vt != NONE) {
        memcpy(vertex.uv, file->uvs.data[corner.vt].value, sizeof vertex.uv);
        vertex.has |= BUILD_UV;
    }
    if (corner.vn != NONE) {
        memcpy(vertex.normal, file->normals.data[corner.vn].value, sizeof vertex.normal);
        vertex.has |= BUILD_NORMAL;
    }
    if (unseen) {
        *owner = corner;
        return build_vertex_set(build, corner.v, &vertex);
    }
    table_key key = {{(uint32_t)corner.v, (uint32_t)corner.vt, (uint32_t)corner.vn}};
    int32_t found_vertex = 0;
    bool found = false;
    if (!key_table_find(&build->corners, &file->reader->host, key, build->has.count, &found_vertex,
                        &found)) {
        return reader_no_memory(file->reader);
    }
    *out = (uint32_t)found_vertex;
    if (found) {
        return LIM_OK;
    }
    memcpy(vertex.position, build->positions.data + 3 * (size_t)corner.v, sizeof vertex.position);
    if ((build->has.data[corner.v] & BUILD_COLOUR) != 0) {
        memcpy(vertex.colour, build->colours.data + 4 * (size_t)corner.v, sizeof vertex.colour);
        vertex.has |= BUILD_COLOUR;
    }
    return build_vertex_add(build, &vertex);
}

static lim_result make_face(obj_file* file, const obj_face* face) {
    file->polygon.count = 0;
    for (int32_t i = 0; i < face->count; ++i) {
        obj_corner corner = file->corners.data[face->first + i];
        if (corner.v >= file->owners.count) {
            return reader_fail(file->reader, LIM_ERROR_FORMAT, face->line,
                               "face index %lld is out of range (%d vertices); check the exporter, "
                               "or whether the file was cut",
                               (long long)corner.v + 1, (int)file->owners.count);
        }
        uint32_t vertex = 0;
        LIM_TRY(vertex_of(file, corner, &vertex));
        if (!ARRAY_PUSH(&file->reader->host, &file->polygon, vertex)) {
            return reader_no_memory(file->reader);
        }
    }
    return build_face(file->build, face->line, file->polygon.data, file->polygon.count);
}

static lim_result make_faces(obj_file* file) {
    finish_colours(file);
    int32_t material = INT32_MIN;
    for (int32_t i = 0; i < file->faces.count; ++i) {
        const obj_face* face = &file->faces.data[i];
        if (face->material != material) {
            material = face->material;
            obj_name name = material >= 0 ? file->materials.data[material] : (obj_name){0, 0};
            LIM_TRY(build_material(file->build, file->reader->bytes + name.start, name.length));
        }
        LIM_TRY(make_face(file, face));
    }
    if (file->outside > 0) {
        reader_warn(file->reader, 0,
                    "%d corners name a texture coordinate or normal that is not there; they go "
                    "without",
                    (int)file->outside);
    }
    return LIM_OK;
}

/* Text in another encoding, or no text at all. */
static lim_result check_text(mesh_reader* reader, const char* end) {
    const unsigned char* b = (const unsigned char*)reader->bytes;
    if (reader->size >= 2 && ((b[0] == 0xFF && b[1] == 0xFE) || (b[0] == 0xFE && b[1] == 0xFF))) {
        return reader_fail(reader, LIM_ERROR_FORMAT, 1,
                           "UTF-16 text; save it as UTF-8 or plain ASCII");
    }
    const char* nul = memchr(reader->bytes, '\0', (size_t)(end - reader->bytes));
    if (nul != NULL) {
        return reader_fail(reader, LIM_ERROR_FORMAT, 0,
                           "byte %lld is zero: this is not text, or it is damaged; export it again "
                           "as OBJ",
                           (long long)(nul - reader->bytes));
    }
    return LIM_OK;
}

lim_result read_obj(mesh_reader* reader, mesh_build* build) {
    const char* end = reader_text_end(reader);
    LIM_TRY(check_text(reader, end));
    obj_file file = {.reader = reader, .build = build};
    file.at = (text_place){.at = reader->bytes, .end = end, .line = 1};
    if (reader->size >= 3 && memcmp(reader->bytes, "\xEF\xBB\xBF", 3) == 0) {
        file.at.at += 3;
    }
    lim_result result = read_lines(&file);
    if (result == LIM_OK && (file.faces.count == 0 || file.owners.count == 0)) {
        result = reader_fail(reader, LIM_ERROR_FORMAT, 0,
                             "no %s in it; is it an OBJ file with a surface?",
                             file.owners.count == 0 ? "v lines (vertices)" : "f lines (faces)");
    }
    result = result == LIM_OK ? make_faces(&file) : result;
    ARRAY_FREE(&reader->host, &file.uvs);
    ARRAY_FREE(&reader->host, &file.normals);
    ARRAY_FREE(&reader->host, &file.corners);
    ARRAY_FREE(&reader->host, &file.faces);
    ARRAY_FREE(&reader->host, &file.materials);
    ARRAY_FREE(&reader->host, &file.owners);
    ARRAY_FREE(&reader->host, &file.polygon);
    return result;
}

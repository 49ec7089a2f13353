/* SPDX-License-Identifier: MIT
 * Job: Stanford PLY, ASCII or binary of either byte order. In: bytes. Out: vertices, faces. The
 * header is read into a table of elements and properties, so that any types in any order can be
 * passed over; what has a meaning for us is marked by a role. Faces may come before the vertices,
 * so corners are kept until the end. Every promised count is held against the bytes that are left
 * before anything is done with it.
 */
#include "io/build.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

typedef enum ply_type {
    PLY_I8,
    PLY_U8,
    PLY_I16,
    PLY_U16,
    PLY_I32,
    PLY_U32,
    PLY_F32,
    PLY_F64
} ply_type;
static const size_t type_size[] = {1, 1, 2, 2, 4, 4, 4, 8};

/* Where a value goes: x y z, nx ny nz, u v, r g b a, density stiffness size, or a list of corners.
 */
typedef enum ply_role {
    ROLE_NONE = -1,
    ROLE_NORMAL = 3,
    ROLE_UV = 6,
    ROLE_COLOUR = 8,
    ROLE_ATTRIBUTE = 12,
    ROLE_LIST = 15
} ply_role;

typedef struct ply_property {
    int32_t element;
    ply_type type, list_type; /* list_type: of the length of a list */
    bool is_list;
    int32_t role;
} ply_property;

typedef enum ply_kind { PLY_OTHER, PLY_VERTICES, PLY_FACES, PLY_STRIPS } ply_kind;

typedef struct ply_element {
    ply_kind kind;
    int64_t count;
    int32_t first, properties;
} ply_element;

typedef struct ply_face {
    int32_t first, count, line;
    bool strip;
} ply_face;

typedef struct ply_file {
    mesh_reader* reader;
    mesh_build* build;
    text_place at; /* in binary files only its `at` and `end` */
    bool binary, big_endian, has_crlf;
    ARRAY(ply_element) elements;
    ARRAY(ply_property) properties;
    ARRAY(int64_t) corners;
    ARRAY(ply_face) faces;
    ARRAY(uint32_t) polygon;
} ply_file;

/* ---- the header -------------------------------------------------------------------------------
 */

static bool find_type(const char* word, size_t length, ply_type* out) {
    static const struct {
        const char* name;
        ply_type type;
    } names[] = {
        {"char", PLY_I8},   {"uchar", PLY_U8},   {"short", PLY_I16},   {"ushort", PLY_U16},
        {"int", PLY_I32},   {"uint", PLY_U32},   {"float", PLY_F32},   {"double", PLY_F64},
        {"int8", PLY_I8},   {"uint8", PLY_U8},   {"int16", PLY_I16},   {"uint16", PLY_U16},
        {"int32", PLY_I32}, {"uint32", PLY_U32}, {"float32", PLY_F32}, {"float64", PLY_F64}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (text_same(word, length, names[i].name)) {
            *out = names[i].type;
            return true;
        }
    }
    return false;
}

static int32_t find_role(ply_kind kind, bool is_list, const char* word, size_t length) {
    static const struct {
        const char* name;
        int32_t role;
    } names[] = {{"x", 0},
                 {"y", 1},
                 {"z", 2},
                 {"nx", 3},
                 {"ny", 4},
                 {"nz", 5},
                 {"u", 6},
                 {"v", 7},
                 {"s", 6},
                 {"t", 7},
                 {"texture_u", 6},
                 {"texture_v", 7},
                 {"red", 8},
                 {"green", 9},
                 {"blue", 10},
                 {"alpha", 11},
                 {"r", 8},
                 {"g", 9},
                 {"b", 10},
                 {"a", 11},
                 {"diffuse_red", 8},
                 {"diffuse_green", 9},
                 {"diffuse_blue", 10},
                 {"diffuse_alpha", 11},
                 {"density", ROLE_ATTRIBUTE + ATTRIBUTE_DENSITY},
                 {"stiffness", ROLE_ATTRIBUTE + ATTRIBUTE_STIFFNESS},
                 {"size", ROLE_ATTRIBUTE + ATTRIBUTE_SIZE}};
    if (is_list) {
        bool corners =
            text_same(word, length, "vertex_indices") || text_same(word, length, "vertex_index");
        return corners && (kind == PLY_FACES || kind == PLY_STRIPS) ? ROLE_LIST : ROLE_NONE;
    }
    for (size_t i = 0; kind == PLY_VERTICES && i < sizeof names / sizeof names[0]; ++i) {
        if (text_same(word, length, names[i].name)) {
            return names[i].role;
        }
    }
    return ROLE_NONE;
}

/* The words of one header line, at most six. */
typedef struct header_line {
    const char* word[6];
    size_t length[6];
    int32_t count, line;
} header_line;

static header_line next_line(text_place* p) {
    header_line h = {.line = p->line};
    while (h.count < 6 && text_skip_blanks_in_line(p)) {
        h.word[h.count] = p->at;
        while (p->at < p->end && !text_is_blank(*p->at)) {
            p->at++;
        }
        h.length[h.count] = (size_t)(p->at - h.word[h.count]);
        h.count++;
    }
    return h;
}

static lim_result header_element(ply_file* file, const header_line* h) {
    const char* at = h->word[2];
    ply_element element = {.first = file->properties.count};
    if (h->count < 3 || !number_scan_whole(&at, h->word[2] + h->length[2], &element.count) ||
        at != h->word[2] + h->length[2] || element.count < 0 || element.count > INT32_MAX) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, h->line,
                           "element needs a name and a count from 0 to 2147483647; the header is "
                           "damaged, export the file again");
    }
    element.kind = text_same(h->word[1], h->length[1], "vertex")      ? PLY_VERTICES
                   : text_same(h->word[1], h->length[1], "face")      ? PLY_FACES
                   : text_same(h->word[1], h->length[1], "tristrips") ? PLY_STRIPS
                                                                      : PLY_OTHER;
    for (int32_t i = 0; i < file->elements.count; ++i) {
        if (element.kind == PLY_VERTICES && file->elements.data[i].kind == PLY_VERTICES) {
            return reader_fail(file->reader, LIM_ERROR_FORMAT, h->line,
                               "a second element vertex; export one mesh per file");
        }
    }
    return ARRAY_PUSH(&file->reader->host, &file->elements, element)
               ? LIM_OK
               : reader_no_memory(file->reader);
}

static lim_result header_property(ply_file* file, const header_line* h) {
    ply_property property = {.element = file->elements.count - 1};
    property.is_list = h->count == 5 && text_same(h->word[1], h->length[1], "list");
    bool ok = property.element >= 0;
    if (property.is_list) {
        ok = ok && find_type(h->word[2], h->length[2], &property.list_type) &&
             find_type(h->word[3], h->length[3], &property.type) && property.list_type <= PLY_U32;
    } else {
        ok = ok && h->count == 3 && find_type(h->word[1], h->length[1], &property.type);
    }
    if (!ok) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, h->line,
                           "not `property TYPE NAME` or `property list TYPE TYPE NAME` after an "
                           "element; the header is damaged, export the file again");
    }
    ply_element* element = &file->elements.data[property.element];
    int32_t last = h->count - 1;
    property.role = find_role(element->kind, property.is_list, h->word[last], h->length[last]);
    element->properties++;
    return ARRAY_PUSH(&file->reader->host, &file->properties, property)
               ? LIM_OK
               : reader_no_memory(file->reader);
}

static lim_result header_format(ply_file* file, const header_line* h) {
    const char* word = h->count > 1 ? h->word[1] : "";
    size_t length = h->count > 1 ? h->length[1] : 0;
    file->big_endian = text_same(word, length, "binary_big_endian");
    file->binary = file->big_endian || text_same(word, length, "binary_little_endian");
    if (!file->binary && !text_same(word, length, "ascii")) {
        return reader_fail(file->reader, LIM_ERROR_UNSUPPORTED, h->line,
                           "format '%.*s' unknown; write ascii, binary_little_endian or "
                           "binary_big_endian",
                           text_shown(length), word);
    }
    return LIM_OK;
}

/* Moves behind the line end of the header's last line. A CR alone ends it in files whose lines end
 * so; elsewhere the LF behind it belongs to it. */
static void leave_line(ply_file* file) {
    text_place* p = &file->at;
    while (!text_at_line_end(p)) {
        p->at++;
    }
    if (p->at < p->end && *p->at == '\r' && file->has_crlf && p->at + 1 < p->end &&
        p->at[1] == '\n') {
        p->at++;
    }
    p->at += p->at < p->end;
    p->line++;
}

static lim_result bad_line(ply_file* file, const header_line* h) {
    return reader_fail(file->reader, LIM_ERROR_FORMAT, h->line,
                       "'%.*s' is no header line; the header is damaged or has no end_header, "
                       "export the file again",
                       text_shown(h->length[0]), h->word[0]);
}

/* A line with a type in it: a damaged property. */
static bool names_type(const header_line* h) {
    ply_type ignored;
    for (int32_t i = 0; i < h->count; ++i) {
        if (text_same(h->word[i], h->length[i], "list") ||
            find_type(h->word[i], h->length[i], &ignored)) {
            return true;
        }
    }
    return false;
}

/* A line that ends in a count, as element does. */
static bool ends_in_count(const header_line* h) {
    int64_t ignored = 0;
    const char* at = h->word[2];
    return h->count == 3 && number_scan_whole(&at, at + h->length[2], &ignored) &&
           at == h->word[2] + h->length[2];
}

/* A line that begins with no keyword: mostly a comment that lacks its own, which is passed over.
 * What may be a damaged property or element is refused: without it the rows of the body would be
 * misread. An element is known by the properties that follow it, so it is kept in *element. */
static lim_result header_stray(ply_file* file, const header_line* h, header_line* element) {
    if (names_type(h)) {
        return bad_line(file, h);
    }
    if (ends_in_count(h)) {
        *element = *h;
    }
    reader_mend(file->reader, h->line, 1,
                "the header line '%.*s' was taken for a comment: it begins with no keyword",
                text_shown(h->length[0]), h->word[0]);
    return LIM_OK;
}

static lim_result read_header(ply_file* file) {
    text_place* p = &file->at;
    header_line h = next_line(p);
    if (h.count != 1 || h.length[0] != 3 || memcmp(h.word[0], "ply", 3) != 0) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, 1,
                           "does not begin with the line `ply`; is it a PLY file?");
    }
    while (!text_at_line_end(p)) {
        p->at++;
    }
    file->has_crlf = p->at + 1 < p->end && p->at[0] == '\r' && p->at[1] == '\n';
    bool has_format = false;
    header_line stray_element = {.count = 0};
    while (p->at < p->end) {
        leave_line(file);
        h = next_line(p);
        if (h.count == 0) {
            continue;
        }
        if (text_same(h.word[0], h.length[0], "end_header")) {
            leave_line(file);
            return has_format ? LIM_OK
                              : reader_fail(file->reader, LIM_ERROR_FORMAT, h.line,
                                            "the header has no format line; export it again");
        }
        if (text_same(h.word[0], h.length[0], "format")) {
            LIM_TRY(header_format(file, &h));
            has_format = true;
        } else if (text_same(h.word[0], h.length[0], "element")) {
            LIM_TRY(header_element(file, &h));
            stray_element.count = 0;
        } else if (text_same(h.word[0], h.length[0], "property")) {
            if (stray_element.count > 0) {
                return bad_line(file, &stray_element);
            }
            LIM_TRY(header_property(file, &h));
        } else if (!text_same(h.word[0], h.length[0], "comment") &&
                   !text_same(h.word[0], h.length[0], "obj_info")) {
            LIM_TRY(header_stray(file, &h, &stray_element));
        }
    }
    return reader_fail(file->reader, LIM_ERROR_FORMAT, p->line,
                       "the header has no end_header; the file was cut, export it again");
}

/* ---- the body ---------------------------------------------------------------------------------
 */

static lim_result cut_short(ply_file* file) {
    return reader_fail(file->reader, LIM_ERROR_FORMAT, file->binary ? 0 : file->at.line,
                       "the data end before what the header promises; the file was cut, copy or "
                       "export it again");
}

static bool scan_binary(ply_file* file, ply_type type, double* out) {
    size_t size = type_size[type];
    if ((size_t)(file->at.end - file->at.at) < size) {
        return false;
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) {
        size_t from = file->big_endian ? size - 1 - i : i;
        bits |= (uint64_t)(unsigned char)file->at.at[from] << (8 * i);
    }
    file->at.at += size;
    float f;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case PLY_I8:
        *out = (double)(int8_t)bits;
        break;
    case PLY_I16:
        *out = (double)(int16_t)bits;
        break;
    case PLY_I32:
        *out = (double)(int32_t)bits;
        break;
    case PLY_U8:
    case PLY_U16:
    case PLY_U32:
        *out = (double)bits;
        break;
    case PLY_F32:
        memcpy(&f, &low, sizeof f);
        *out = (double)f;
        break;
    case PLY_F64:
        memcpy(out, &bits, sizeof *out);
        break;
    }
    return true;
}

static lim_result scan_value(ply_file* file, ply_type type, double* out) {
    if (file->binary) {
        return scan_binary(file, type, out) ? LIM_OK : cut_short(file);
    }
    if (text_real(&file->at, out)) {
        return LIM_OK;
    }
    if (file->at.at == file->at.end) {
        return cut_short(file);
    }
    const char* word;
    size_t length = text_word(&file->at, &word);
    return reader_fail(file->reader, LIM_ERROR_FORMAT, file->at.line,
                       "'%.*s' is not a number; the file is damaged, export it again",
                       text_shown(length), word);
}

static lim_result read_list(ply_file* file, const ply_property* property, ply_kind kind) {
    double length = 0.0;
    LIM_TRY(scan_value(file, property->list_type, &length));
    /* Each entry takes bytes: in text a sign and a blank, of which the last may be missing. */
    size_t left = (size_t)(file->at.end - file->at.at);
    size_t most = file->binary ? left / type_size[property->type] : left / 2;
    if (!(length >= 0.0) || length != floor(length)) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, file->binary ? 0 : file->at.line,
                           "a list has length %g; the file is damaged, export it again", length);
    }
    if (length > (double)most) {
        return cut_short(file);
    }
    bool wanted = property->role == ROLE_LIST;
    ply_face face = {.first = file->corners.count,
                     .count = (int32_t)length,
                     .line = file->binary ? 0 : file->at.line,
                     .strip = kind == PLY_STRIPS};
    for (int32_t i = 0; i < face.count; ++i) {
        double value = 0.0;
        LIM_TRY(scan_value(file, property->type, &value));
        /* Beyond 2^53, or NaN: no index. */
        int64_t corner = fabs(value) < 9e15 && value == floor(value) ? (int64_t)value : INT64_MIN;
        if (wanted && !ARRAY_PUSH(&file->reader->host, &file->corners, corner)) {
            return reader_no_memory(file->reader);
        }
    }
    if (wanted && !ARRAY_PUSH(&file->reader->host, &file->faces, face)) {
        return reader_no_memory(file->reader);
    }
    return LIM_OK;
}

/* How much a stored colour value is worth at its type's largest. */
static float colour_of(double value, ply_type type) {
    switch (type) {
    case PLY_U8:
    case PLY_I8:
        return (float)(value / 255.0);
    case PLY_F32:
    case PLY_F64:
        return (float)value;
    default:
        return (float)(value / 65535.0);
    }
}

static lim_result read_vertex(ply_file* file, const ply_property* properties, int32_t count) {
    double values[ROLE_LIST] = {[ROLE_COLOUR + 3] = 1.0};
    uint32_t seen = 0;
    bool bytes = false;
    for (int32_t i = 0; i < count; ++i) {
        if (properties[i].is_list) {
            LIM_TRY(read_list(file, &properties[i], PLY_VERTICES));
            continue;
        }
        double value = 0.0;
        LIM_TRY(scan_value(file, properties[i].type, &value));
        int32_t role = properties[i].role;
        if (role == ROLE_NONE) {
            continue;
        }
        seen |= 1u << role;
        values[role] = value;
        if (role >= ROLE_COLOUR && role < ROLE_ATTRIBUTE) {
            values[role] = (double)colour_of(value, properties[i].type);
            bytes = properties[i].type < PLY_F32;
        }
    }
    build_vertex vertex = {.position = {values[0], values[1], values[2]}};
    for (int k = 0; k < 3; ++k) {
        vertex.normal[k] = (float)values[ROLE_NORMAL + k];
        float light = (float)values[ROLE_COLOUR + k];
        vertex.colour[k] = bytes ? build_linear(light) : light;
    }
    vertex.colour[3] = (float)values[ROLE_COLOUR + 3];
    vertex.uv[0] = (float)values[ROLE_UV];
    vertex.uv[1] = (float)values[ROLE_UV + 1];
    vertex.has = (uint32_t)((seen >> ROLE_NORMAL & 7) == 7 ? BUILD_NORMAL : 0) |
                 (uint32_t)((seen >> ROLE_UV & 3) == 3 ? BUILD_UV : 0) |
                 (uint32_t)((seen >> ROLE_COLOUR & 7) == 7 ? BUILD_COLOUR : 0);
    for (int k = 0; k < ATTRIBUTES; ++k) {
        vertex.attribute[k] = (float)values[ROLE_ATTRIBUTE + k];
        vertex.has |= (seen >> (ROLE_ATTRIBUTE + k) & 1) * ((uint32_t)BUILD_ATTRIBUTE << k);
    }
    return build_vertex_add(file->build, &vertex);
}

/* The fewest bytes that one row of an element takes. */
static int64_t row_size(const ply_file* file, const ply_element* element) {
    int64_t size = 0;
    for (int32_t i = 0; i < element->properties; ++i) {
        const ply_property* property = &file->properties.data[element->first + i];
        size += !file->binary       ? 2
                : property->is_list ? (int64_t)type_size[property->list_type]
                                    : (int64_t)type_size[property->type];
    }
    return size;
}

static lim_result read_element(ply_file* file, const ply_element* element) {
    const ply_property* properties = file->properties.data + element->first;
    int64_t left = file->at.end - file->at.at;
    /* The last row of a text needs no line end. */
    if (element->count > 0 && element->count * row_size(file, element) > left + 1) {
        return cut_short(file);
    }
    for (int64_t row = 0; row < element->count && element->properties > 0; ++row) {
        if (element->kind == PLY_VERTICES) {
            LIM_TRY(read_vertex(file, properties, element->properties));
            continue;
        }
        for (int32_t i = 0; i < element->properties; ++i) {
            double ignored = 0.0;
            LIM_TRY(properties[i].is_list ? read_list(file, &properties[i], element->kind)
                                          : scan_value(file, properties[i].type, &ignored));
        }
    }
    return LIM_OK;
}

/* ---- after the body ---------------------------------------------------------------------------
 */

/* A strip may be in pieces, with -1 between them. */
static lim_result make_strip(ply_file* file, const ply_face* face) {
    file->polygon.count = 0;
    for (int32_t i = 0; i <= face->count; ++i) {
        int64_t corner = i < face->count ? file->corners.data[face->first + i] : -1;
        if (corner == -1) {
            if (file->polygon.count == 1 || file->polygon.count == 2) {
                reader_mend(file->reader, face->line, 1, "a strip with %d corner%s was left out",
                            (int)file->polygon.count, file->polygon.count == 1 ? "" : "s");
            }
            LIM_TRY(build_strip(file->build, file->polygon.data, file->polygon.count));
            file->polygon.count = 0;
        } else if (!ARRAY_PUSH(&file->reader->host, &file->polygon, (uint32_t)corner)) {
            return reader_no_memory(file->reader);
        }
    }
    return LIM_OK;
}

static lim_result make_face(ply_file* file, const ply_face* face) {
    int32_t vertices = file->build->has.count;
    file->polygon.count = 0;
    for (int32_t i = 0; i < face->count; ++i) {
        int64_t corner = file->corners.data[face->first + i];
        bool restart = face->strip && corner == -1;
        if (!restart && (corner < 0 || corner >= vertices)) {
            return reader_fail(file->reader, LIM_ERROR_FORMAT, face->line,
                               "face index %lld is out of range (%d vertices); check the exporter, "
                               "or whether the file is damaged",
                               (long long)corner, (int)vertices);
        }
        if (!ARRAY_PUSH(&file->reader->host, &file->polygon, (uint32_t)corner)) {
            return reader_no_memory(file->reader);
        }
    }
    return face->strip
               ? make_strip(file, face)
               : build_face(file->build, face->line, file->polygon.data, file->polygon.count);
}

static lim_result check_header(ply_file* file) {
    uint32_t roles = 0;
    for (int32_t i = 0; i < file->properties.count; ++i) {
        const ply_property* property = &file->properties.data[i];
        roles |= property->role >= 0 ? 1u << property->role : 0;
    }
    if ((roles & 7) != 7) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, 0,
                           "the vertices have no x, y and z; export positions");
    }
    if ((roles >> ROLE_LIST & 1) == 0) {
        return reader_fail(file->reader, LIM_ERROR_MESH, 0,
                           "no element face with a list vertex_indices: a cloud of points has no "
                           "surface; export faces");
    }
    return LIM_OK;
}

static lim_result read_all(ply_file* file) {
    LIM_TRY(read_header(file));
    if (!file->binary) {
        const char* end = reader_text_end(file->reader);
        file->at.end = end > file->at.at ? end : file->at.at;
    }
    LIM_TRY(check_header(file));
    for (int32_t i = 0; i < file->elements.count; ++i) {
        LIM_TRY(read_element(file, &file->elements.data[i]));
    }
    text_skip_blanks(&file->at);
    if (file->at.at < file->at.end) {
        reader_mend(file->reader, file->binary ? 0 : file->at.line, 1,
                    "%lld bytes behind the last element were passed over",
                    (long long)(file->at.end - file->at.at));
    }
    for (int32_t i = 0; i < file->faces.count; ++i) {
        LIM_TRY(make_face(file, &file->faces.data[i]));
    }
    return LIM_OK;
}

lim_result read_ply(mesh_reader* reader, mesh_build* build) {
    ply_file file = {.reader = reader, .build = build};
    file.at = (text_place){.at = reader->bytes, .end = reader->bytes + reader->size, .line = 1};
    lim_result result = read_all(&file);
    ARRAY_FREE(&reader->host, &file.elements);
    ARRAY_FREE(&reader->host, &file.properties);
    ARRAY_FREE(&reader->host, &file.corners);
    ARRAY_FREE(&reader->host, &file.faces);
    ARRAY_FREE(&reader->host, &file.polygon);
    return result;
}

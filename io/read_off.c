/* SPDX-License-Identifier: MIT
 * Job: the Object File Format of Geomview. In: text. Out: vertices, faces. The first word says what
 * stands beside a position: ST, C and N before OFF mean texture coordinates, colours and normals, 4
 * a fourth coordinate to divide by, n a number of dimensions (three are read).
 * Words matter more than lines; but where data do stand in lines, what follows a vertex or a face
 * in its line (colours, mostly) is passed over.
 */
#include "io/build.h"
#include "io/text.h"

#include <string.h>

typedef struct off_file {
    mesh_reader* reader;
    mesh_build* build;
    text_place at;
    bool has_uvs, has_colours, has_normals, is_4d;
    bool in_lines; /* data begin on a line of their own */
    ARRAY(uint32_t) polygon;
} off_file;

static lim_result bad_value(off_file* file, const char* what) {
    text_place* p = &file->at;
    if (p->at == p->end) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, p->line,
                           "the text ends where %s should stand; the file was cut, copy or export "
                           "it again",
                           what);
    }
    const char* word;
    size_t length = text_word(p, &word);
    return reader_fail(file->reader, LIM_ERROR_FORMAT, p->line,
                       "'%.*s' stands where %s should; is it an OFF file?", text_shown(length),
                       word, what);
}

/* nOFF says how many coordinates there are. */
static lim_result read_dimensions(off_file* file) {
    int64_t dimensions = 0;
    if (!text_whole(&file->at, &dimensions)) {
        return bad_value(file, "the number of dimensions");
    }
    return dimensions == 3
               ? LIM_OK
               : reader_fail(file->reader, LIM_ERROR_UNSUPPORTED, file->at.line,
                             "points of %lld dimensions are not read; export them in three",
                             (long long)dimensions);
}

/* [ST][C][N][4][n]OFF, or nothing (a repair) when counts come first. "OFF8 6 12" has lost the line
 * end between the word and the counts (a repair too). */
static lim_result read_magic(off_file* file) {
    text_skip_blanks(&file->at);
    text_place before = file->at;
    const char* word;
    size_t length = text_word(&file->at, &word), whole = length;
    while (length > 0 && word[length - 1] >= '0' && word[length - 1] <= '9') {
        length--;
    }
    size_t at = 0;
    if (length >= 3 && memcmp(word + length - 3, "OFF", 3) == 0) {
        if (length < whole) {
            file->at.at = word + length;
            reader_mend(file->reader, file->at.line, 1,
                        "a line end is missing behind the word OFF");
        }
        length -= 3;
        file->has_uvs = length >= at + 2 && memcmp(word + at, "ST", 2) == 0;
        at += file->has_uvs ? 2 : 0;
        file->has_colours = length > at && word[at] == 'C';
        at += file->has_colours;
        file->has_normals = length > at && word[at] == 'N';
        at += file->has_normals;
        file->is_4d = length > at && word[at] == '4';
        at += file->is_4d;
        bool has_dimensions = length > at && word[at] == 'n';
        at += has_dimensions;
        if (at != length) {
            return reader_fail(file->reader, LIM_ERROR_UNSUPPORTED, file->at.line,
                               "this kind of OFF is not read; write OFF, COFF, NOFF or STOFF");
        }
        return has_dimensions ? read_dimensions(file) : LIM_OK;
    }
    file->at = before;
    int64_t ignored = 0;
    if (!text_whole(&file->at, &ignored)) {
        return bad_value(file, "the word OFF");
    }
    file->at = before;
    reader_mend(file->reader, file->at.line, 1, "the first word OFF is missing");
    return LIM_OK;
}

/* Vertices, faces and edges; the last is often left out and never needed. */
static lim_result read_counts(off_file* file, int64_t* out_vertices, int64_t* out_faces) {
    text_place* p = &file->at;
    text_skip_blanks(p);
    if (p->at + 6 <= p->end && memcmp(p->at, "BINARY", 6) == 0) {
        return reader_fail(file->reader, LIM_ERROR_UNSUPPORTED, p->line,
                           "binary OFF is not read; save it as text");
    }
    if (!text_whole(p, out_vertices) || !text_whole(p, out_faces)) {
        return bad_value(file, "the number of vertices and faces");
    }
    int64_t ignored = 0;
    if (text_skip_blanks_in_line(p) && !text_whole(p, &ignored)) {
        return bad_value(file, "the number of edges");
    }
    file->in_lines = !text_skip_blanks_in_line(p);
    /* "0 0 0 " for each vertex and "1 0 " for each face at least. */
    int64_t left = p->end - p->at;
    if (*out_vertices < 0 || *out_faces < 0 || *out_vertices > left || *out_faces > left ||
        *out_vertices * 6 + *out_faces * 2 > left + 1) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, p->line,
                           "%lld vertices and %lld faces are promised, but only %lld bytes follow; "
                           "the file was cut or its counts are wrong, export it again",
                           (long long)*out_vertices, (long long)*out_faces, (long long)left);
    }
    return LIM_OK;
}

/* r g b [a], bytes or shares. In lines the alpha is what is left; elsewhere it must be there. */
static lim_result read_colour(off_file* file, build_vertex* vertex) {
    double numbers[4] = {0.0, 0.0, 0.0, 1.0};
    bool bytes = false;
    int count = 0;
    for (; count < 4; ++count) {
        if (count == 3 && file->in_lines && !text_skip_blanks_in_line(&file->at)) {
            break;
        }
        if (!text_real(&file->at, &numbers[count])) {
            return bad_value(file, "a vertex colour");
        }
        bytes = bytes || (count < 3 && numbers[count] > 1.0);
    }
    for (int k = 0; k < 4; ++k) {
        float value =
            (float)(bytes && (k < 3 || numbers[k] > 1.0) ? numbers[k] / 255.0 : numbers[k]);
        vertex->colour[k] = bytes && k < 3 ? build_linear(value) : value;
    }
    vertex->has |= BUILD_COLOUR;
    return LIM_OK;
}

static lim_result read_vertex(off_file* file) {
    build_vertex vertex = {.has = 0};
    double number = 0.0;
    for (int k = 0; k < (file->is_4d ? 4 : 3); ++k) {
        if (!text_real(&file->at, &number)) {
            return bad_value(file, "a coordinate");
        }
        if (k < 3) {
            vertex.position[k] = number;
        } else if (number != 0.0) {
            for (int i = 0; i < 3; ++i) {
                vertex.position[i] /= number;
            }
        }
    }
    for (int k = 0; k < 3 && file->has_normals; ++k) {
        if (!text_real(&file->at, &number)) {
            return bad_value(file, "a vertex normal");
        }
        vertex.normal[k] = (float)number;
        vertex.has |= BUILD_NORMAL;
    }
    if (file->has_colours) {
        LIM_TRY(read_colour(file, &vertex));
    }
    for (int k = 0; k < 2 && file->has_uvs; ++k) {
        if (!text_real(&file->at, &number)) {
            return bad_value(file, "a texture coordinate");
        }
        vertex.uv[k] = (float)number;
        vertex.has |= BUILD_UV;
    }
    return build_vertex_add(file->build, &vertex);
}

static lim_result read_face(off_file* file) {
    text_place* p = &file->at;
    int64_t count = 0;
    if (!text_whole(p, &count)) {
        return bad_value(file, "a number of corners");
    }
    int32_t line = p->line;
    if (count < 0 || count > (p->end - p->at) / 2) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, line,
                           "a face of %lld corners, but only %lld bytes follow; the file was cut, "
                           "export it again",
                           (long long)count, (long long)(p->end - p->at));
    }
    file->polygon.count = 0;
    for (int64_t i = 0; i < count; ++i) {
        int64_t index = 0;
        if (!text_whole(p, &index)) {
            return bad_value(file, "a face index");
        }
        if (index < 0 || index >= file->build->has.count) {
            return reader_fail(file->reader, LIM_ERROR_FORMAT, p->line,
                               "face index %lld is out of range (%d vertices, counted from 0); "
                               "check the exporter",
                               (long long)index, (int)file->build->has.count);
        }
        if (!ARRAY_PUSH(&file->reader->host, &file->polygon, (uint32_t)index)) {
            return reader_no_memory(file->reader);
        }
    }
    return build_face(file->build, line, file->polygon.data, file->polygon.count);
}

static lim_result read_all(off_file* file) {
    int64_t vertices = 0, faces = 0;
    LIM_TRY(read_magic(file));
    LIM_TRY(read_counts(file, &vertices, &faces));
    for (int64_t i = 0; i < vertices + faces; ++i) {
        LIM_TRY(i < vertices ? read_vertex(file) : read_face(file));
        if (file->in_lines) {
            text_skip_line(&file->at);
        }
    }
    text_skip_blanks(&file->at);
    if (file->at.at < file->at.end) {
        reader_mend(file->reader, file->at.line, 1, "text behind the last face was passed over");
    }
    return LIM_OK;
}

lim_result read_off(mesh_reader* reader, mesh_build* build) {
    off_file file = {.reader = reader, .build = build};
    file.at = (text_place){
        .at = reader->bytes, .end = reader_text_end(reader), .line = 1, .comment = '#'};
    lim_result result = read_all(&file);
    ARRAY_FREE(&reader->host, &file.polygon);
    return result;
}

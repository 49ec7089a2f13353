/* SPDX-License-Identifier: MIT
 * Job: STL, binary or ASCII. In: bytes. Out: triangles over vertices that are shared where corners
 * have exactly the same position. A file is binary when its size fits the count at byte 80; the
 * word "solid" proves nothing, binary files begin with it too. Normals and attribute bytes are
 * passed over: they are often zero or wrong, and the corners tell the side. Each solid is a
 * submesh.
 */
#include "io/build.h"
#include "io/text.h"

#include <string.h>

enum { HEADER = 84, FACET = 50 };

static uint32_t read_u32(const char* bytes) {
    const unsigned char* b = (const unsigned char*)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_f32(const char* bytes) {
    uint32_t bits = read_u32(bytes);
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static lim_result read_facets(mesh_reader* reader, mesh_build* build, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const char* facet = reader->bytes + HEADER + FACET * i;
        uint32_t corners[3];
        for (size_t c = 0; c < 3; ++c) {
            const char* at = facet + 12 + 12 * c;
            double position[3] = {read_f32(at), read_f32(at + 4), read_f32(at + 8)};
            LIM_TRY(build_vertex_at(build, position, &corners[c]));
        }
        LIM_TRY(build_face(build, 0, corners, 3));
    }
    return LIM_OK;
}

/* A size that does not fit: the whole facets that are there, if that is most of what is promised.
 */
static lim_result read_binary(mesh_reader* reader, mesh_build* build) {
    if (reader->size < HEADER) {
        return reader_fail(
            reader, LIM_ERROR_FORMAT, 0,
            "%lld bytes are too few for a binary STL, and it is no ASCII STL either; "
            "export it again",
            (long long)reader->size);
    }
    uint64_t promised = read_u32(reader->bytes + HEADER - 4);
    uint64_t whole = (reader->size - HEADER) / FACET, rest = (reader->size - HEADER) % FACET;
    if (promised == 0) {
        return reader_fail(reader, LIM_ERROR_MESH, 0,
                           "no triangles in it; export the surface again");
    }
    if (promised > whole && promised > 2 * (whole + 1)) {
        return reader_fail(reader, LIM_ERROR_FORMAT, 0,
                           "%llu triangles are promised but there is room for %llu; the file was "
                           "cut or is not STL, export it again",
                           (unsigned long long)promised, (unsigned long long)whole);
    }
    if (promised > whole) {
        reader_mend(reader, 0, (int64_t)(promised - whole),
                    "the file was cut: %llu of %llu triangles are there", (unsigned long long)whole,
                    (unsigned long long)promised);
    } else if (promised < whole || rest != 0) {
        /* A wrong count when facets follow exactly, else something of the exporter's own. */
        whole = rest == 0 ? whole : promised;
        reader_mend(reader, 0, 1,
                    "%llu triangles are promised, but the file goes on; %llu are used",
                    (unsigned long long)promised, (unsigned long long)whole);
    }
    return read_facets(reader, build, (size_t)whole);
}

/* ---- ASCII ------------------------------------------------------------------------------------
 */

typedef struct stl_text {
    mesh_reader* reader;
    mesh_build* build;
    text_place at;
    ARRAY(uint32_t) corners; /* of the open loop */
    int32_t solids;
    int32_t facet_line; /* of the open facet, 0: none is open */
    bool is_open;       /* a solid has begun and not ended */
} stl_text;

static lim_result bad_word(stl_text* text, const char* word, size_t length) {
    return reader_fail(text->reader, LIM_ERROR_FORMAT, text->at.line,
                       "'%.*s' is not expected here; the file is damaged or not STL, export it "
                       "again",
                       text_shown(length), word);
}

/* Three numbers; *out_cut when the text ends before the third is surely whole. */
static lim_result read_three(stl_text* text, double* out, bool* out_cut) {
    *out_cut = false;
    for (int k = 0; k < 3; ++k) {
        bool found = text_real(&text->at, &out[k]);
        if (text->at.at == text->at.end) {
            *out_cut = true;
            return LIM_OK;
        }
        if (!found) {
            const char* word;
            size_t length = text_word(&text->at, &word);
            *out_cut = text->at.at == text->at.end;
            return *out_cut ? LIM_OK : bad_word(text, word, length);
        }
    }
    return LIM_OK;
}

static lim_result end_facet(stl_text* text) {
    lim_result result =
        build_face(text->build, text->facet_line, text->corners.data, text->corners.count);
    text->corners.count = 0;
    text->facet_line = 0;
    return result;
}

/* One keyword and what belongs to it. *out_end at the end of the text. */
static lim_result read_keyword(stl_text* text, bool* out_end) {
    const char* word;
    size_t length = text_word(&text->at, &word);
    double numbers[3];
    if (length == 0) {
        *out_end = true;
        return LIM_OK;
    }
    if (text_same(word, length, "solid")) {
        build_submesh(text->build, text->solids++);
        text->is_open = true;
        text_skip_line(&text->at); /* the name may be any words */
    } else if (text_same(word, length, "endsolid")) {
        text->is_open = false;
        text_skip_line(&text->at);
    } else if (text_same(word, length, "facet")) {
        text->facet_line = text->at.line;
        text->corners.count = 0;
        /* "normal" and three numbers that are not needed and may be anything. */
        for (int k = 0; k < 4; ++k) {
            (void)text_word(&text->at, &word);
        }
    } else if (text_same(word, length, "vertex")) {
        LIM_TRY(read_three(text, numbers, out_end));
        if (!*out_end) {
            uint32_t vertex = 0;
            LIM_TRY(build_vertex_at(text->build, numbers, &vertex));
            if (!ARRAY_PUSH(&text->reader->host, &text->corners, vertex)) {
                return reader_no_memory(text->reader);
            }
        }
    } else if (text_same(word, length, "endfacet")) {
        LIM_TRY(end_facet(text));
    } else if (!text_same(word, length, "outer") && !text_same(word, length, "loop") &&
               !text_same(word, length, "endloop")) {
        *out_end = text->at.at == text->at.end; /* a word that the cut went through */
        return *out_end ? LIM_OK : bad_word(text, word, length);
    }
    return LIM_OK;
}

static lim_result read_ascii(mesh_reader* reader, mesh_build* build) {
    stl_text text = {.reader = reader, .build = build};
    text.at = (text_place){.at = reader->bytes, .end = reader_text_end(reader), .line = 1};
    lim_result result = LIM_OK;
    bool end = false;
    while (result == LIM_OK && !end) {
        result = read_keyword(&text, &end);
    }
    if (result == LIM_OK && text.facet_line > 0) {
        reader_mend(reader, text.facet_line, 1,
                    "the file was cut inside a facet, which was left out");
    } else if (result == LIM_OK && text.is_open) {
        reader_mend(reader, text.at.line, 1, "endsolid is missing; was the file cut?");
    }
    ARRAY_FREE(&reader->host, &text.corners);
    return result;
}

/* Begins with "solid" and has no bytes that text would not have. */
static bool is_ascii(const mesh_reader* reader) {
    text_place p = {.at = reader->bytes, .end = reader->bytes + reader->size, .line = 1};
    const char* word;
    size_t length = text_word(&p, &word);
    if (!text_same(word, length, "solid")) {
        return false;
    }
    size_t size = (size_t)(text_without_zeros(reader->bytes, p.end) - reader->bytes);
    return memchr(reader->bytes, '\0', size < 1024 ? size : 1024) == NULL;
}

lim_result read_stl(mesh_reader* reader, mesh_build* build) {
    bool fits = reader->size >= HEADER &&
                HEADER + (uint64_t)FACET * read_u32(reader->bytes + HEADER - 4) == reader->size;
    return !fits && is_ascii(reader) ? read_ascii(reader, build) : read_binary(reader, build);
}

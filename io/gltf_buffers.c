/* SPDX-License-Identifier: MIT
 * Job: the bytes behind a glTF. In: buffers, bufferViews and accessors of the JSON. Out: arrays of
 * numbers. A buffer is the GLB's chunk, base64 in the JSON, or a file beside it; nothing outside
 * the folder of the glTF is ever opened. Sizes are 64-bit sums of values below 2^53, so they cannot
 * wrap, and are held against the bytes before anything is allocated. glTF 2.0, sections 3.6 and
 * 5.1 to 5.4.
 */
#include "io/gltf.h"

#include <string.h>

enum { I8 = 5120, U8 = 5121, I16 = 5122, U16 = 5123, U32 = 5125, F32 = 5126 };

static const int64_t WHOLE_MOST = (int64_t)1 << 52;

lim_result gltf_entry(gltf_file* file, const json_value* list, const json_value* index,
                      const char* what, const json_value** out) {
    int64_t number = 0;
    if (!json_whole(index, 0, INT32_MAX, &number) || number >= json_count(list)) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, index != NULL ? index->line : 0,
                           "%s %.17g does not exist (there are %d); check the exporter", what,
                           json_number(index, -1.0), (int)json_count(list));
    }
    *out = json_item(list, (int32_t)number);
    return LIM_OK;
}

/* ---- buffers ----------------------------------------------------------------------------------
 */

static int32_t base64_value(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

static lim_result decode_base64(gltf_file* file, const json_value* uri, const char* text,
                                size_t length, gltf_buffer* buffer) {
    while (length > 0 && text[length - 1] == '=') {
        length--;
    }
    char* bytes = arena_alloc(&file->memory, length / 4 * 3 + 3, 1);
    if (bytes == NULL) {
        return reader_no_memory(file->reader);
    }
    uint32_t bits = 0;
    int32_t held = 0;
    size_t size = 0;
    for (size_t i = 0; i < length; ++i) {
        int32_t value = base64_value(text[i]);
        if (value < 0) {
            return reader_fail(file->reader, LIM_ERROR_FORMAT, uri->line,
                               "the embedded buffer is not base64 (character %lld of its data); "
                               "export it again, or as .glb",
                               (long long)i);
        }
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[size++] = (char)(bits >> held);
        }
    }
    buffer->bytes = bytes;
    buffer->size = size;
    return LIM_OK;
}

static int32_t hex_value(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* %20 to a blank, in place of a copy. False when the result could leave the folder: no scheme, no
 * drive, no absolute path, no "..". */
static bool decode_path(const char* uri, char* to) {
    char* start = to;
    for (; *uri != '\0'; ++uri) {
        char c = *uri;
        if (c == '%') {
            int32_t high = hex_value(uri[1]);
            int32_t low = high >= 0 ? hex_value(uri[2]) : -1;
            if (low < 0) {
                return false;
            }
            c = (char)(high * 16 + low);
            uri += 2;
        }
        if (c == '\0' || c == '\\' || c == ':') {
            return false;
        }
        *to++ = c;
    }
    *to = '\0';
    for (const char* part = start; *part != '\0';) {
        size_t length = strcspn(part, "/");
        if (length == 0 || (length == 2 && part[0] == '.' && part[1] == '.')) {
            return false;
        }
        part += length + (part[length] == '/');
    }
    return *start != '\0';
}

static lim_result load_file(gltf_file* file, const json_value* uri, gltf_buffer* buffer) {
    mesh_reader* reader = file->reader;
    if (reader->folder == NULL) {
        return reader_fail(reader, LIM_ERROR_UNSUPPORTED, uri->line,
                           "buffer '%.100s' is a file of its own, and no folder was given; read "
                           "the glTF by its path, or export as .glb",
                           uri->string);
    }
    size_t folder = strlen(reader->folder);
    char* path = arena_alloc(&file->memory, folder + (size_t)uri->count + 2, 1);
    if (path == NULL) {
        return reader_no_memory(reader);
    }
    memcpy(path, reader->folder, folder);
    if (folder > 0 && path[folder - 1] != '/' && path[folder - 1] != '\\') {
        path[folder++] = '/';
    }
    if (strlen(uri->string) != (size_t)uri->count || !decode_path(uri->string, path + folder)) {
        return reader_fail(reader, LIM_ERROR_UNSUPPORTED, uri->line,
                           "buffer '%.100s' is not a file within the folder of the glTF, and "
                           "nothing else is opened; put it there, or export as .glb",
                           uri->string);
    }
    LIM_TRY(reader_load(reader, path, &buffer->loaded, &buffer->loaded_size));
    buffer->bytes = buffer->loaded;
    buffer->size = buffer->loaded_size;
    return LIM_OK;
}

/* Makes sure that the bytes of a buffer are there, and as many as it promises. */
static lim_result load_buffer(gltf_file* file, const json_value* index, gltf_buffer** out) {
    const json_value* entry = NULL;
    const json_value* buffers = json_member(&file->root, "buffers");
    LIM_TRY(gltf_entry(file, buffers, index, "buffer", &entry));
    gltf_buffer* buffer = &file->buffers[(int32_t)index->number];
    *out = buffer;
    if (buffer->bytes != NULL) {
        return LIM_OK;
    }
    int64_t promised = 0;
    if (!json_whole(json_member(entry, "byteLength"), 1, WHOLE_MOST, &promised)) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, entry->line,
                           "a buffer without a byteLength above 0; check the exporter");
    }
    const json_value* uri = json_member(entry, "uri");
    if (uri == NULL) {
        if (file->chunk == NULL || index->number != 0.0) {
            return reader_fail(file->reader, LIM_ERROR_FORMAT, entry->line,
                               "a buffer without uri needs the binary chunk of a .glb, which is "
                               "not there; export it again");
        }
        buffer->bytes = file->chunk;
        buffer->size = file->chunk_size;
    } else if (!json_is(uri, JSON_STRING)) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, uri->line, "uri is not a string");
    } else if (strncmp(uri->string, "data:", 5) == 0) {
        const char* comma = strchr(uri->string, ',');
        if (comma == NULL || comma - uri->string < 7 || memcmp(comma - 7, ";base64", 7) != 0) {
            return reader_fail(file->reader, LIM_ERROR_UNSUPPORTED, uri->line,
                               "embedded data that are not base64; export as .glb");
        }
        size_t before = (size_t)(comma + 1 - uri->string);
        LIM_TRY(decode_base64(file, uri, comma + 1, (size_t)uri->count - before, buffer));
    } else {
        LIM_TRY(load_file(file, uri, buffer));
    }
    if (buffer->size < (uint64_t)promised) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, entry->line,
                           "a buffer promises %lld bytes and has %llu; the file was cut, copy or "
                           "export it again",
                           (long long)promised, (unsigned long long)buffer->size);
    }
    buffer->size = (uint64_t)promised;
    return LIM_OK;
}

lim_result gltf_open_buffers(gltf_file* file) {
    file->buffer_count = json_count(json_member(&file->root, "buffers"));
    file->buffers = ARENA_ARRAY(&file->memory, gltf_buffer, file->buffer_count);
    return file->buffers != NULL ? LIM_OK : reader_no_memory(file->reader);
}

void gltf_close_buffers(gltf_file* file) {
    for (int32_t i = 0; i < file->buffer_count && file->buffers != NULL; ++i) {
        mem_free(&file->reader->host, file->buffers[i].loaded, file->buffers[i].loaded_size + 1, 1);
    }
}

/* ---- accessors --------------------------------------------------------------------------------
 */

static int64_t component_size(int64_t type) {
    return type == I8 || type == U8     ? 1
           : type == I16 || type == U16 ? 2
           : type == U32 || type == F32 ? 4
                                        : 0;
}

static int32_t width_of(const json_value* type) {
    static const char* const names[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    for (int32_t i = 0; i < 4; ++i) {
        if (json_string_is(type, names[i])) {
            return i + 1;
        }
    }
    return 0;
}

/* Elements of `size` bytes, `count` of them, from an offset in a view: where they begin and how far
 * apart they are. */
static lim_result find_bytes(gltf_file* file, const json_value* holder, int64_t count, int64_t size,
                             const char** out_bytes, int64_t* out_stride) {
    const json_value* view = NULL;
    LIM_TRY(gltf_entry(file, file->views, json_member(holder, "bufferView"), "bufferView", &view));
    gltf_buffer* buffer = NULL;
    LIM_TRY(load_buffer(file, json_member(view, "buffer"), &buffer));
    const json_value* offsets[2] = {json_member(view, "byteOffset"),
                                    json_member(holder, "byteOffset")};
    const json_value* stride = json_member(view, "byteStride");
    int64_t offset[2] = {0, 0}, length = 0;
    *out_stride = size;
    bool ok = json_whole(json_member(view, "byteLength"), 1, WHOLE_MOST, &length);
    for (int i = 0; i < 2; ++i) {
        ok = ok && (offsets[i] == NULL || json_whole(offsets[i], 0, WHOLE_MOST, &offset[i]));
    }
    ok = ok && (stride == NULL || json_whole(stride, size, 252, out_stride));
    if (!ok) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, view->line,
                           "a bufferView or accessor with a byteLength, byteOffset or byteStride "
                           "that cannot be right; check the exporter");
    }
    /* count < 2^31 and stride < 2^8: no product or sum comes near 2^63. */
    int64_t needed = count > 0 ? offset[1] + (count - 1) * *out_stride + size : 0;
    if (needed > length || offset[0] + length > (int64_t)buffer->size) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, holder->line,
                           "an accessor needs %lld bytes of a bufferView of %lld at %lld in a "
                           "buffer of %llu; check the exporter, or whether the file was cut",
                           (long long)needed, (long long)length, (long long)offset[0],
                           (unsigned long long)buffer->size);
    }
    *out_bytes = buffer->bytes + offset[0] + offset[1];
    return LIM_OK;
}

/* One component as it is stored, and its largest value for normalized integers. */
static double read_component(const char* at, int64_t type, bool normalized) {
    uint32_t bits = 0;
    for (int64_t i = 0; i < component_size(type); ++i) {
        bits |= (uint32_t)(unsigned char)at[i] << (8 * i);
    }
    double value = 0.0;
    switch (type) {
    case I8:
        value = (double)(int8_t)bits;
        value = normalized ? value / 127.0 : value;
        return normalized && value < -1.0 ? -1.0 : value;
    case I16:
        value = (double)(int16_t)bits;
        value = normalized ? value / 32767.0 : value;
        return normalized && value < -1.0 ? -1.0 : value;
    case U8:
        return normalized ? (double)bits / 255.0 : (double)bits;
    case U16:
        return normalized ? (double)bits / 65535.0 : (double)bits;
    case U32:
        return (double)bits;
    default: {
        float f;
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
    }
}

typedef struct accessor_form {
    int64_t count, type;
    int32_t width;
    bool normalized;
} accessor_form;

static lim_result read_form(gltf_file* file, const json_value* accessor, uint32_t widths,
                            accessor_form* out) {
    out->width = width_of(json_member(accessor, "type"));
    out->normalized = json_boolean(json_member(accessor, "normalized"), false);
    if (!json_whole(json_member(accessor, "count"), 1, INT32_MAX / 4, &out->count) ||
        !json_whole(json_member(accessor, "componentType"), I8, F32, &out->type) ||
        component_size(out->type) == 0 || (widths >> out->width & 1) == 0) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, accessor->line,
                           "an accessor with a count, componentType or type that cannot be right "
                           "for what it is used for; check the exporter");
    }
    return LIM_OK;
}

/* Sparse accessors replace single elements (section 3.6.2.3). */
static lim_result apply_sparse(gltf_file* file, const json_value* sparse, const accessor_form* form,
                               double* values) {
    const json_value* places = json_member(sparse, "indices");
    const json_value* news = json_member(sparse, "values");
    int64_t count = 0, type = 0, index_stride = 0, stride = 0;
    if (!json_whole(json_member(sparse, "count"), 1, form->count, &count) ||
        !json_whole(json_member(places, "componentType"), U8, U32, &type) || type == I16 ||
        component_size(type) == 0 || news == NULL) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, sparse->line,
                           "a sparse accessor without a right count, indices and values; check the "
                           "exporter");
    }
    const char *index_bytes = NULL, *bytes = NULL;
    int64_t size = component_size(form->type) * form->width;
    LIM_TRY(find_bytes(file, places, count, component_size(type), &index_bytes, &index_stride));
    LIM_TRY(find_bytes(file, news, count, size, &bytes, &stride));
    for (int64_t i = 0; i < count; ++i) {
        int64_t at = (int64_t)read_component(index_bytes + i * index_stride, type, false);
        if (at >= form->count) {
            return reader_fail(file->reader, LIM_ERROR_FORMAT, sparse->line,
                               "sparse index %lld is out of range (%lld elements); check the "
                               "exporter",
                               (long long)at, (long long)form->count);
        }
        for (int32_t k = 0; k < form->width; ++k) {
            values[at * form->width + k] = read_component(
                bytes + i * stride + k * component_size(form->type), form->type, form->normalized);
        }
    }
    return LIM_OK;
}

/* Without a bufferView all elements are zero; a count that no bytes stand for is not believed
 * beyond the size of the file. */
static lim_result check_zeros(gltf_file* file, const json_value* accessor, int64_t count) {
    if (json_member(accessor, "sparse") != NULL && (uint64_t)count <= file->reader->size) {
        return LIM_OK;
    }
    return reader_fail(file->reader, LIM_ERROR_UNSUPPORTED, accessor->line,
                       "an accessor without a bufferView: its data are compressed or missing; "
                       "export without compression");
}

lim_result gltf_read_values(gltf_file* file, arena* scratch, const json_value* index,
                            uint32_t widths, gltf_values* out) {
    const json_value* accessor = NULL;
    accessor_form form;
    LIM_TRY(gltf_entry(file, file->accessors, index, "accessor", &accessor));
    LIM_TRY(read_form(file, accessor, widths, &form));
    int64_t size = component_size(form.type) * form.width, stride = 0;
    const char* bytes = NULL;
    if (json_member(accessor, "bufferView") != NULL) {
        LIM_TRY(find_bytes(file, accessor, form.count, size, &bytes, &stride));
    } else {
        LIM_TRY(check_zeros(file, accessor, form.count));
    }
    double* values = ARENA_ARRAY(scratch, double, form.count* form.width);
    if (values == NULL) {
        return reader_no_memory(file->reader);
    }
    for (int64_t i = 0; i < form.count && bytes != NULL; ++i) {
        for (int32_t k = 0; k < form.width; ++k) {
            values[i * form.width + k] = read_component(
                bytes + i * stride + k * component_size(form.type), form.type, form.normalized);
        }
    }
    const json_value* sparse = json_member(accessor, "sparse");
    if (sparse != NULL) {
        LIM_TRY(apply_sparse(file, sparse, &form, values));
    }
    *out = (gltf_values){.values = values, .count = (int32_t)form.count, .width = form.width};
    return LIM_OK;
}

lim_result gltf_read_indices(gltf_file* file, arena* scratch, const json_value* index,
                             uint32_t** out_indices, int32_t* out_count) {
    const json_value* accessor = NULL;
    gltf_values read;
    LIM_TRY(gltf_entry(file, file->accessors, index, "accessor", &accessor));
    int64_t type = 0;
    if (!json_whole(json_member(accessor, "componentType"), U8, U32, &type) || type == I16) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, accessor->line,
                           "indices must be unsigned bytes, shorts or ints; check the exporter");
    }
    LIM_TRY(gltf_read_values(file, scratch, index, 1u << 1, &read));
    uint32_t* indices = ARENA_ARRAY(scratch, uint32_t, read.count);
    if (indices == NULL) {
        return reader_no_memory(file->reader);
    }
    for (int32_t i = 0; i < read.count; ++i) {
        indices[i] = (uint32_t)(read.values[i] < 4294967295.0 ? read.values[i] : 4294967295.0);
    }
    *out_indices = indices;
    *out_count = read.count;
    return LIM_OK;
}

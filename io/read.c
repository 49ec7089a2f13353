/* SPDX-License-Identifier: MIT
 * Job: the door of the mesh readers. In: a path, or bytes and a format. Out: a mesh, a report and a
 * message. Loads the file, calls the reader of its format, and makes the mesh.
 */
#include "base/fpenv.h"
#include "base/log.h"
#include "io/build.h"
#include "io/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ---------------------------------------------------------------------------------
 */

/* "name:line: text". What comes out of a file may be any bytes: of these only plain ASCII is shown.
 */
static void compose(const mesh_reader* reader, int32_t line, const char* format, va_list arguments,
                    lim_io_message* out) {
    int start = line > 0 ? snprintf(out->text, sizeof out->text, "%.300s:%d: ", reader->name, line)
                         : snprintf(out->text, sizeof out->text, "%.300s: ", reader->name);
    if (start < 0) {
        start = 0;
    }
    vsnprintf(out->text + start, sizeof out->text - (size_t)start, format, arguments);
    for (char* c = out->text + start; *c != '\0'; ++c) {
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    }
}

lim_result reader_fail(mesh_reader* reader, lim_result result, int32_t line, const char* format,
                       ...) {
    va_list arguments;
    va_start(arguments, format);
    compose(reader, line, format, arguments, &reader->message);
    va_end(arguments);
    return log_fail(&reader->host, result, "%s", reader->message.text);
}

lim_result reader_no_memory(mesh_reader* reader) {
    return reader_fail(reader, LIM_ERROR_MEMORY, 0, "memory ran out while reading it");
}

void reader_mend(mesh_reader* reader, int32_t line, int64_t count, const char* format, ...) {
    if (reader->report.repairs == 0) {
        va_list arguments;
        va_start(arguments, format);
        compose(reader, line, format, arguments, &reader->report.first_repair);
        va_end(arguments);
        log_say(&reader->host, LIM_LOG_WARNING, "%s", reader->report.first_repair.text);
    }
    int64_t sum = reader->report.repairs + count;
    reader->report.repairs = sum < INT32_MAX ? (int32_t)sum : INT32_MAX;
}

void reader_warn(mesh_reader* reader, int32_t line, const char* format, ...) {
    lim_io_message message;
    va_list arguments;
    va_start(arguments, format);
    compose(reader, line, format, arguments, &message);
    va_end(arguments);
    log_say(&reader->host, LIM_LOG_WARNING, "%s", message.text);
}

const char* reader_text_end(mesh_reader* reader) {
    const char* end = reader->bytes + reader->size;
    const char* text_end = text_without_zeros(reader->bytes, end);
    if (text_end < end) {
        reader_mend(reader, 0, 1, "zero bytes behind the text were passed over");
    }
    return text_end;
}

/* ---- files ------------------------------------------------------------------------------------
 */

static lim_result load(mesh_reader* reader, FILE* file, char** out_bytes, size_t* out_size) {
    /* The first byte tells a folder (which opens but cannot be read) from a file. */
    if (fgetc(file) == EOF && ferror(file) != 0) {
        return reader_fail(reader, LIM_ERROR_FILE, 0,
                           "could not be read: %s; name a file that can be read, not a folder",
                           strerror(errno));
    }
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0) {
        return reader_fail(reader, LIM_ERROR_FILE, 0,
                           "its size cannot be told; copy it to a regular file first");
    }
    if (size >= INT32_MAX) {
        return reader_fail(reader, LIM_ERROR_TOO_LARGE, 0,
                           "2 GiB or more; reduce the mesh before simulating it");
    }
    char* bytes = mem_alloc(&reader->host, (size_t)size + 1, 1);
    if (bytes == NULL) {
        return reader_no_memory(reader);
    }
    if (fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        mem_free(&reader->host, bytes, (size_t)size + 1, 1);
        return reader_fail(reader, LIM_ERROR_FILE, 0, "could not be read to its end: %s",
                           strerror(errno));
    }
    *out_bytes = bytes;
    *out_size = (size_t)size;
    return LIM_OK;
}

lim_result reader_load(mesh_reader* reader, const char* path, char** out_bytes, size_t* out_size) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        /* the file itself is named already; a buffer beside it is not */
        bool beside = reader->name == NULL || strcmp(reader->name, path) != 0;
        return reader_fail(reader, LIM_ERROR_FILE, 0,
                           "%.200s%scould not be opened: %s; check the path", beside ? path : "",
                           beside ? " " : "", strerror(errno));
    }
    lim_result result = load(reader, file, out_bytes, out_size);
    fclose(file);
    return result;
}

/* ---- the formats ------------------------------------------------------------------------------
 */

static const struct {
    const char* extension;
    lim_io_format format;
    lim_result (*read)(mesh_reader* reader, mesh_build* build);
} formats[] = {
    {"obj", LIM_IO_OBJ, read_obj}, {"ply", LIM_IO_PLY, read_ply},    {"stl", LIM_IO_STL, read_stl},
    {"off", LIM_IO_OFF, read_off}, {"gltf", LIM_IO_GLTF, read_gltf}, {"glb", LIM_IO_GLB, read_glb},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

lim_io_format lim_io_format_of(const char* path) {
    const char* dot = path != NULL ? strrchr(path, '.') : NULL;
    for (int i = 0; dot != NULL && i < FORMAT_COUNT; ++i) {
        if (text_same(dot + 1, strlen(dot + 1), formats[i].extension)) {
            return formats[i].format;
        }
    }
    return LIM_IO_UNKNOWN;
}

static lim_result parse(mesh_reader* reader, lim_io_format format, lim_mesh** out_mesh) {
    if (reader->size == 0) {
        return reader_fail(reader, LIM_ERROR_FORMAT, 0, "the file is empty; export it again");
    }
    static const char pointer[] = "version https://git-lfs";
    if (reader->size > sizeof pointer && memcmp(reader->bytes, pointer, sizeof pointer - 1) == 0) {
        return reader_fail(reader, LIM_ERROR_FORMAT, 1,
                           "this is a Git LFS pointer, not the file; run `git lfs pull`");
    }
    for (int i = 0; i < FORMAT_COUNT; ++i) {
        if (formats[i].format == format) {
            mesh_build build;
            build_init(&build, reader);
            lim_result result = formats[i].read(reader, &build);
            result = result == LIM_OK ? build_finish(&build, out_mesh) : result;
            build_free(&build);
            return result;
        }
    }
    return reader_fail(reader, LIM_ERROR_UNSUPPORTED, 0,
                       "format unknown; readable are .obj, .ply, .stl, .off, .gltf and .glb");
}

/* Gives back what the caller asked for, on success and on failure. */
static lim_result leave(mesh_reader* reader, lim_result result, lim_io_report* out_report,
                        lim_io_message* out_message) {
    if (out_report != NULL) {
        *out_report = reader->report;
    }
    if (out_message != NULL) {
        *out_message = reader->message;
    }
    return result;
}

lim_result lim_io_parse_mesh(const void* bytes, size_t size, lim_io_format format,
                             const char* folder, const lim_host* host, lim_mesh** out_mesh,
                             lim_io_report* out_report, lim_io_message* out_message) {
    mesh_reader reader = {.host = mem_host(host), .name = "(memory)", .folder = folder};
    reader.bytes = bytes;
    reader.size = size;
    lim_result result;
    if (out_mesh == NULL || (bytes == NULL && size > 0)) {
        result = reader_fail(&reader, LIM_ERROR_ARGUMENT, 0,
                             "lim_io_parse_mesh needs bytes and a place for the mesh");
    } else if (size >= INT32_MAX) {
        result = reader_fail(&reader, LIM_ERROR_TOO_LARGE, 0,
                             "2 GiB or more; reduce the mesh before simulating it");
    } else {
        fpenv saved = fpenv_enter();
        *out_mesh = NULL;
        result = parse(&reader, format, out_mesh);
        fpenv_leave(saved);
    }
    return leave(&reader, result, out_report, out_message);
}

/* The folder part of a path, as a string of its own. */
static char* folder_of(const mesh_reader* reader, const char* path, size_t* out_size) {
    size_t length = 0;
    for (size_t i = 0; path[i] != '\0'; ++i) {
        length = path[i] == '/' || path[i] == '\\' ? i + 1 : length;
    }
    *out_size = length + 2;
    char* folder = mem_alloc(&reader->host, *out_size, 1);
    if (folder != NULL) {
        memcpy(folder, length > 0 ? path : ".", length > 0 ? length : 1);
    }
    return folder;
}

lim_result lim_io_read_mesh(const char* path, const lim_host* host, lim_mesh** out_mesh,
                            lim_io_report* out_report, lim_io_message* out_message) {
    mesh_reader reader = {.host = mem_host(host), .name = path != NULL ? path : "(no path)"};
    if (path == NULL || out_mesh == NULL) {
        lim_result result = reader_fail(&reader, LIM_ERROR_ARGUMENT, 0,
                                        "lim_io_read_mesh needs a path and a place for the mesh");
        return leave(&reader, result, out_report, out_message);
    }
    *out_mesh = NULL;
    lim_io_format format = lim_io_format_of(path);
    char* bytes = NULL;
    size_t folder_size = 0;
    char* folder = folder_of(&reader, path, &folder_size);
    lim_result result = folder != NULL ? LIM_OK : reader_no_memory(&reader);
    if (result == LIM_OK && format != LIM_IO_UNKNOWN) {
        result = reader_load(&reader, path, &bytes, &reader.size);
    }
    if (result == LIM_OK) {
        fpenv saved = fpenv_enter();
        reader.bytes = bytes;
        reader.folder = folder;
        result = format != LIM_IO_UNKNOWN || bytes != NULL
                     ? parse(&reader, format, out_mesh)
                     : reader_fail(&reader, LIM_ERROR_UNSUPPORTED, 0,
                                   "the extension is none of .obj, .ply, .stl, .off, .gltf, .glb");
        fpenv_leave(saved);
    }
    mem_free(&reader.host, bytes, reader.size + 1, 1);
    mem_free(&reader.host, folder, folder_size, 1);
    return leave(&reader, result, out_report, out_message);
}

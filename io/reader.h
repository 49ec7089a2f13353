/* SPDX-License-Identifier: MIT
 * What all mesh readers share: where they are, whom they tell, and how they fail. A reader takes
 * bytes and fills a mesh_build (io/build.h); io/read.c picks the reader and makes the mesh.
 *
 * Fail or mend: a file whose shape would be a guess is refused (indices out of range, cut binary
 * data, text that is no number). What can be left out without guessing is left out and counted as a
 * repair (a face of two corners, the facet in which an STL was cut). Texture coordinates, normals
 * and colours never fail a file and are no repairs: they do not change the shape.
 */
#ifndef LIMBER_IO_READER_H
#define LIMBER_IO_READER_H

#include "base/mem.h"

#include <limber/io.h>

typedef struct mesh_reader {
    lim_host host;
    const char* name;   /* of the file, for messages */
    const char* folder; /* where external buffers are; null: none allowed */
    const char* bytes;
    size_t size;
    lim_io_report report;
    lim_io_message message; /* of the failure */
} mesh_reader;

/* Writes "name:line: text" into the message, logs it, and gives the result back. line 0: none. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
lim_result
reader_fail(mesh_reader* reader, lim_result result, int32_t line, const char* format, ...);

/* Counts `count` repairs; the first ever is kept as text. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void reader_mend(mesh_reader* reader, int32_t line, int64_t count, const char* format, ...);

/* A warning to the log, for what is worth knowing but is no repair. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void reader_warn(mesh_reader* reader, int32_t line, const char* format, ...);

/* Memory is out: the one message for it. */
lim_result reader_no_memory(mesh_reader* reader);

/* A whole file in memory of the host. `what` is the path as the message should show it. On LIM_OK
 * *out_bytes has *out_size bytes (never null) and is freed by
 * mem_free(host, bytes, size + 1, 1). Files of 2 GiB and more are refused. */
lim_result reader_load(mesh_reader* reader, const char* path, char** out_bytes, size_t* out_size);

/* Where the text of the file ends: before the zero bytes that some programs leave behind it, which
 * count as one repair. Zero bytes elsewhere stay. */
const char* reader_text_end(mesh_reader* reader);

struct mesh_build;
lim_result read_obj(mesh_reader* reader, struct mesh_build* build);
lim_result read_ply(mesh_reader* reader, struct mesh_build* build);
lim_result read_stl(mesh_reader* reader, struct mesh_build* build);
lim_result read_off(mesh_reader* reader, struct mesh_build* build);
lim_result read_gltf(mesh_reader* reader, struct mesh_build* build);
lim_result read_glb(mesh_reader* reader, struct mesh_build* build);

#endif

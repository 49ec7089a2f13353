/* SPDX-License-Identifier: MIT
 * What the parts of the glTF reader share: the JSON tree, its buffers, and accessors turned into
 * plain arrays.
 */
#ifndef LIMBER_IO_GLTF_H
#define LIMBER_IO_GLTF_H

#include "io/build.h"
#include "io/json.h"

typedef struct gltf_buffer {
    const char* bytes; /* null: not loaded yet */
    uint64_t size;
    char* loaded; /* to be freed: bytes of a file, loaded_size + 1 of them */
    size_t loaded_size;
} gltf_buffer;

typedef struct gltf_file {
    mesh_reader* reader;
    mesh_build* build;
    arena memory;
    json_value root;
    const json_value *accessors, *views, *nodes, *meshes, *materials;
    gltf_buffer* buffers;
    int32_t buffer_count;
    const char* chunk; /* the binary chunk of a GLB, or null */
    uint64_t chunk_size;
} gltf_file;

/* Makes room for the buffers; they are loaded when an accessor asks for them. */
lim_result gltf_open_buffers(gltf_file* file);
void gltf_close_buffers(gltf_file* file);

/* The values of an accessor, `width` floats or doubles for each element, in memory of `scratch`.
 * Integers are divided by their largest value when the accessor says normalized. `widths` is a mask
 * of allowed numbers of components (1 << 3 for VEC3); *out_width is what was found. */
typedef struct gltf_values {
    double* values;
    int32_t count, width;
} gltf_values;
lim_result gltf_read_values(gltf_file* file, arena* scratch, const json_value* index,
                            uint32_t widths, gltf_values* out);
/* The same for indices: SCALAR of an unsigned type. */
lim_result gltf_read_indices(gltf_file* file, arena* scratch, const json_value* index,
                             uint32_t** out_indices, int32_t* out_count);

/* The entry of a list that an index names, for messages called `what`. Fails when there is none. */
lim_result gltf_entry(gltf_file* file, const json_value* list, const json_value* index,
                      const char* what, const json_value** out);

#endif

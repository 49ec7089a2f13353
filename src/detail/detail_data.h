/* SPDX-License-Identifier: MIT
 * Trained detail as bytes: examples with their displacement, field and stamp, in half precision and
 * only what is not zero. A head of 40 bytes names the format, its version, the size, a checksum,
 * and the checksum of the model that it was trained on: detail of another model would be put
 * anywhere.
 */
#ifndef LIMBER_DETAIL_DATA_H
#define LIMBER_DETAIL_DATA_H

#include "detail/correlate.h"
#include "detail/detail_fields.h"
#include "detail/stamp.h"

enum { DETAIL_DATA_VERSION = 1, DETAIL_DATA_HEAD = 40, DETAIL_EXAMPLES_MOST = 65536 };

typedef struct detail_example {
    float size;             /* |u_i| > 0, unit lengths */
    float* way;             /* n_i, displacement_width floats */
    lim_vec3 point, normal; /* of the contact, rest shape; normal: unit */
    detail_field field;     /* over the points of the skin */
    detail_field stamp;     /* over the texels */
} detail_example;

typedef struct detail_data {
    uint64_t model;        /* checksum of the model */
    uint64_t seed;         /* of the training poses: where sheets buckle depends on the way there */
    int32_t nodes, points; /* of the model */
    int32_t count;
    float sigma, tau; /* detail/correlate.h */
    int32_t most;
    stamp_grid grid;
    detail_example* example;
} detail_data;

/* The number of bytes; with `out` not null they are written there. */
size_t detail_data_save(const detail_data* data, unsigned char* out);
/* Writes the head of bytes whose tail is there. size: at least DETAIL_DATA_HEAD. */
void detail_data_seal(unsigned char* bytes, size_t size, uint64_t model);
/* Reads data of a model with this checksum and so many nodes and points of skin. In `a`.
 * LIM_ERROR_FORMAT: not detail, cut short, damaged, or values that cannot be; LIM_ERROR_VERSION;
 * LIM_ERROR_ARGUMENT: of another model. One log line says what and what to do. */
lim_result detail_data_load(arena* a, const unsigned char* bytes, size_t size, uint64_t model,
                            int32_t nodes, int32_t points, const lim_host* host, detail_data* out);
/* The rows that detail_correlate works on, with the width of displacement_width(nodes). In `a`. */
lim_result detail_data_examples(arena* a, const detail_data* data, detail_examples* out);

#endif

/* SPDX-License-Identifier: MIT
 * Compression for PNG: the zlib format (RFC 1950) around deflate (RFC 1951).
 */
#ifndef LIMBER_DEFLATE_H
#define LIMBER_DEFLATE_H

#include "base/array.h"

typedef ARRAY(uint8_t) byte_array;

/* Appends `size` bytes as one zlib stream to `out`. The same bytes on every machine. On
 * LIM_ERROR_MEMORY `out` holds a part and is the caller's to free. */
lim_result deflate_append(const lim_host* host, const uint8_t* bytes, int32_t size,
                          byte_array* out);

#endif

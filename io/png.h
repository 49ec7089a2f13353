/* SPDX-License-Identifier: MIT
 * An image as PNG bytes in memory.
 */
#ifndef LIMBER_PNG_H
#define LIMBER_PNG_H

#include "io/deflate.h"
#include <limber/io.h>

/* Fills an empty array; the caller frees it with the same host, also after a failure. */
lim_result png_encode(const lim_host* host, const lim_image* image, byte_array* out);

#endif

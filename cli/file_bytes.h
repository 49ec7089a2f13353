/* SPDX-License-Identifier: MIT
 * Files as bytes.
 */
#ifndef LIMBER_FILE_BYTES_H
#define LIMBER_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* False after a message. */
bool file_write(const char* path, const unsigned char* bytes, size_t size);
/* malloc'ed; null where there is no such file or nothing in it. */
unsigned char* file_read(const char* path, size_t* out_size);

#endif

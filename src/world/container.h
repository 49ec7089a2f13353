/* SPDX-License-Identifier: MIT
 * The head of saved bytes: 8 letters that say what it is, a version, the whole size, and a checksum
 * of everything after the head. 32 bytes, little endian.
 */
#ifndef LIMBER_CONTAINER_H
#define LIMBER_CONTAINER_H

#include "base/result.h"

enum { CONTAINER_HEAD = 32, CONTAINER_VERSION = 14 };

/* Writes the head of `size` bytes whose tail is already there. `kind` has 8 letters. */
void container_seal(unsigned char* bytes, size_t size, const char* kind);
/* Checks the head and the sum. LIM_ERROR_FORMAT or LIM_ERROR_VERSION with one log line that starts
 * with the name of the call. */
lim_result container_open(const unsigned char* bytes, size_t size, const char* kind,
                          const char* call, const lim_host* host);

#endif

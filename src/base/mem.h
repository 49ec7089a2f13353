/* SPDX-License-Identifier: MIT
 * Memory through the host's hooks, always aligned to 64 bytes, with checked sizes.
 */
#ifndef LIMBER_MEM_H
#define LIMBER_MEM_H

#include "base/result.h"

enum { MEM_ALIGN = 64 };

/* count * size with overflow check: false when it does not fit. */
static inline bool mem_size(size_t count, size_t size, size_t* out_bytes) {
    if (size != 0 && count > SIZE_MAX / size) {
        return false;
    }
    *out_bytes = count * size;
    return true;
}

/* count * size zeroed bytes, or null on overflow or when the host has none. count 0 gives null. */
void* mem_alloc(const lim_host* host, size_t count, size_t size);
/* The same count and size as given to mem_alloc; null is allowed. */
void mem_free(const lim_host* host, void* memory, size_t count, size_t size);

/* A copy of the host's hooks with the defaults filled in (malloc and free; the rest may stay null).
 */
lim_host mem_host(const lim_host* host_or_null);

#endif

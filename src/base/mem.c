/* SPDX-License-Identifier: MIT
 * Job: every byte of the library comes from here. In: host hooks, sizes. Out: zeroed, aligned
 * memory or null. The default hooks are aligned_alloc and free.
 */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void* default_alloc(void* user, size_t size, size_t align) {
    (void)user;
    if (size > SIZE_MAX - align) {
        return NULL;
    }
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void default_free(void* user, void* memory, size_t size) {
    (void)user;
    (void)size;
    free(memory);
}

lim_host mem_host(const lim_host* host_or_null) {
    lim_host host = {0};
    if (host_or_null != NULL) {
        host = *host_or_null;
    }
    if (host.alloc == NULL || host.free == NULL) {
        host.alloc = default_alloc;
        host.free = default_free;
    }
    return host;
}

void* mem_alloc(const lim_host* host, size_t count, size_t size) {
    size_t bytes = 0;
    if (!mem_size(count, size, &bytes) || bytes == 0) {
        return NULL;
    }
    void* memory = host->alloc(host->user, bytes, MEM_ALIGN);
    if (memory != NULL) {
        memset(memory, 0, bytes);
    }
    return memory;
}

void mem_free(const lim_host* host, void* memory, size_t count, size_t size) {
    if (memory != NULL) {
        host->free(host->user, memory, count * size);
    }
}

/* SPDX-License-Identifier: MIT
 * Job: grow an array by doubling. In: element size and need. Out: moved elements, or false and
 * nothing changed. What is pushed is written: room for it is not touched before, for the pages
 * behind the last element need never be there.
 */
#include "base/array.h"

#include <string.h>

/* Room for `larger` elements with the old ones in front. */
static void* move(const lim_host* host, void** data, int32_t count, int32_t* capacity,
                  int64_t needed, size_t size) {
    int64_t larger = *capacity < 16 ? 32 : (int64_t)*capacity * 2;
    size_t bytes = 0;
    larger = larger < needed ? needed : larger;
    if (larger > INT32_MAX || !mem_size((size_t)larger, size, &bytes)) {
        return NULL;
    }
    void* moved = host->alloc(host->user, bytes, MEM_ALIGN);
    if (moved == NULL) {
        return NULL;
    }
    if (count > 0) {
        memcpy(moved, *data, (size_t)count * size);
    }
    mem_free(host, *data, (size_t)*capacity, size);
    *data = moved;
    *capacity = (int32_t)larger;
    return moved;
}

bool array_push_room(const lim_host* host, void** data, int32_t count, int32_t* capacity,
                     size_t size) {
    char* moved = move(host, data, count, capacity, (int64_t)count + 1, size);
#if defined(LIM_VALIDATION)
    if (moved != NULL) { /* as base/arena.c */
        memset(moved + (size_t)count * size, 0x7F, (size_t)(*capacity - count) * size);
    }
#endif
    return moved != NULL;
}

bool array_grow(const lim_host* host, void** data, int32_t count, int32_t* capacity, int64_t needed,
                size_t size) {
    char* moved = move(host, data, count, capacity, needed, size);
    if (moved == NULL) {
        return false;
    }
    memset(moved + (size_t)count * size, 0, (size_t)(*capacity - count) * size);
    return true;
}

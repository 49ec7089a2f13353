/* SPDX-License-Identifier: MIT
 * Job: grow an array by doubling. In: element size and need. Out: moved elements, or false and
 * nothing changed.
 */
#include "base/array.h"

#include <string.h>

bool array_grow(const lim_host* host, void** data, int32_t count, int32_t* capacity, int64_t needed,
                size_t size) {
    int64_t larger = *capacity < 16 ? 32 : (int64_t)*capacity * 2;
    larger = larger < needed ? needed : larger;
    if (larger > INT32_MAX) {
        return false;
    }
    void* moved = mem_alloc(host, (size_t)larger, size);
    if (moved == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(moved, *data, (size_t)count * size);
    }
    mem_free(host, *data, (size_t)*capacity, size);
    *data = moved;
    *capacity = (int32_t)larger;
    return true;
}

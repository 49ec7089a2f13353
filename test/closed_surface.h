/* SPDX-License-Identifier: MIT
 * Whether triangles close, found by brute sorting.
 */
#ifndef LIMBER_CLOSED_SURFACE_H
#define LIMBER_CLOSED_SURFACE_H

#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>

/* Every directed edge once, and its reverse once. */
static inline bool kit_closed(const int32_t* t, int32_t triangles) {
    size_t n = 3 * (size_t)triangles;
    sort_item* item = malloc(n * sizeof(sort_item) + 1);
    sort_item* scratch = malloc(n * sizeof(sort_item) + 1);
    bool ok = true;
    for (size_t i = 0; i < n; ++i) {
        uint32_t a = (uint32_t)t[i], b = (uint32_t)t[i % 3 == 2 ? i - 2 : i + 1];
        ok = ok && a != b;
        item[i] = (sort_item){(uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a), (int32_t)i, a < b};
    }
    sort_items(item, scratch, (int32_t)n);
    for (size_t i = 0; i + 1 < n && ok; i += 2) {
        ok = item[i].key == item[i + 1].key && item[i].extra != item[i + 1].extra &&
             (i + 2 >= n || item[i + 2].key != item[i].key);
    }
    free(item);
    free(scratch);
    return ok && n % 2 == 0;
}

#endif

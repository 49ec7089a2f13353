/* SPDX-License-Identifier: MIT
 * Job: stable radix sort. In: items. Out: the same items in order of key. One counting pass finds
 * the bytes in which keys differ; only these are sorted by. A few items are put in place one by
 * one: counting alone would cost more.
 */
#include "base/sort.h"

#include <string.h>

enum { FEW = 32 };

static void sort_few(sort_item* items, int32_t count) {
    for (int32_t i = 1; i < count; ++i) {
        sort_item item = items[i];
        int32_t to = i;
        for (; to > 0 && items[to - 1].key > item.key; --to) {
            items[to] = items[to - 1];
        }
        items[to] = item;
    }
}

void sort_items(sort_item* items, sort_item* scratch, int32_t count) {
    if (count <= FEW) {
        sort_few(items, count);
        return;
    }
    uint64_t differ = 0;
    for (int32_t i = 1; i < count; ++i) {
        differ |= items[i].key ^ items[0].key;
    }
    sort_item* from = items;
    sort_item* to = scratch;
    for (int byte = 0; byte < 8; ++byte) {
        int shift = 8 * byte;
        if (((differ >> shift) & 0xFF) == 0) {
            continue;
        }
        int32_t start[257] = {0};
        for (int32_t i = 0; i < count; ++i) {
            start[((from[i].key >> shift) & 0xFF) + 1]++;
        }
        for (int b = 0; b < 256; ++b) {
            start[b + 1] += start[b];
        }
        for (int32_t i = 0; i < count; ++i) {
            to[start[(from[i].key >> shift) & 0xFF]++] = from[i];
        }
        sort_item* swap = from;
        from = to;
        to = swap;
    }
    if (from != items) {
        memcpy(items, from, (size_t)count * sizeof(sort_item));
    }
}

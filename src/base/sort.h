/* SPDX-License-Identifier: MIT
 * Stable radix sort of 64-bit keys that carry a 32-bit value: the one sort of the library, the same
 * order on every machine.
 */
#ifndef LIMBER_SORT_H
#define LIMBER_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct sort_item {
    uint64_t key;
    int32_t value;
    int32_t extra;
} sort_item;

/* Sorts by key, keeping the order of equal keys. `scratch` holds as many items. O(8 n), only the
 * bytes that differ are passed over. */
void sort_items(sort_item* items, sort_item* scratch, int32_t count);

/* Order-keeping bits of a double or float, so that they can be sort keys. Not for NaN. */
static inline uint64_t sort_key_double(double x) {
    union {
        double d;
        uint64_t u;
    } bits = {.d = x + 0.0};
    return bits.u >> 63 ? ~bits.u : bits.u | 0x8000000000000000u;
}

#endif

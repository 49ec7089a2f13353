/* SPDX-License-Identifier: MIT
 * Finds equal things: a table from a key of three words to the number that was given with it. Used
 * to make one vertex of equal corners and one submesh of equal material names.
 */
#ifndef LIMBER_IO_WELD_H
#define LIMBER_IO_WELD_H

#include "base/array.h"

typedef struct weld_key {
    uint64_t word[3];
} weld_key;

typedef struct weld_entry {
    weld_key key;
    int32_t value;
} weld_entry;

typedef struct weld_table {
    ARRAY(weld_entry) entries; /* in order of arrival */
    int32_t* slots;            /* entry + 1, or 0; a power of two of them */
    int32_t slot_count;
} weld_table;

/* The value of the key; if it is new, it gets `fresh` (and *out_found is false). False when memory
 * is out. */
bool weld_find(weld_table* table, const lim_host* host, weld_key key, int32_t fresh,
               int32_t* out_value, bool* out_found);
void weld_free(weld_table* table, const lim_host* host);

#endif

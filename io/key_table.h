/* SPDX-License-Identifier: MIT
 * Finds equal things: a table from a key of three words to the number that was given with it. Used
 * to make one vertex of equal corners and one submesh of equal material names.
 */
#ifndef LIMBER_IO_KEY_TABLE_H
#define LIMBER_IO_KEY_TABLE_H

#include "base/array.h"

typedef struct table_key {
    uint64_t word[3];
} table_key;

typedef struct table_entry {
    table_key key;
    int32_t value;
} table_entry;

typedef struct key_table {
    ARRAY(table_entry) entries; /* in order of arrival */
    int32_t* slots;             /* entry + 1, or 0; a power of two of them */
    int32_t slot_count;
} key_table;

/* The value of the key; if it is new, it gets `fresh` (and *out_found is false). False when memory
 * is out. */
bool key_table_find(key_table* table, const lim_host* host, table_key key, int32_t fresh,
                    int32_t* out_value, bool* out_found);
void key_table_free(key_table* table, const lim_host* host);

#endif

/* SPDX-License-Identifier: MIT
 * Job: a hash table of 24-byte keys. In: keys. Out: the value of each key's first arrival. Open
 * addressing, at most half full; nothing depends on the order of its slots.
 */
#include "io/key_table.h"

#include "base/hash.h"

static uint32_t slot_of(const key_table* table, const table_key* key) {
    uint64_t hash =
        hash_u64(hash_u64(hash_u64(HASH_SEED, key->word[0]), key->word[1]), key->word[2]);
    return (uint32_t)hash & ((uint32_t)table->slot_count - 1);
}

static bool same_key(const table_key* a, const table_key* b) {
    return a->word[0] == b->word[0] && a->word[1] == b->word[1] && a->word[2] == b->word[2];
}

/* The slot that holds the key, or the empty one where it belongs. */
static uint32_t find_slot(const key_table* table, const table_key* key) {
    uint32_t slot = slot_of(table, key);
    while (table->slots[slot] != 0 &&
           !same_key(&table->entries.data[table->slots[slot] - 1].key, key)) {
        slot = (slot + 1) & ((uint32_t)table->slot_count - 1);
    }
    return slot;
}

static bool grow(key_table* table, const lim_host* host) {
    if (table->slot_count > 1 << 29) {
        return false;
    }
    int32_t larger = table->slot_count < 64 ? 64 : table->slot_count * 2;
    int32_t* slots = mem_alloc(host, (size_t)larger, sizeof(int32_t));
    if (slots == NULL) {
        return false;
    }
    mem_free(host, table->slots, (size_t)table->slot_count, sizeof(int32_t));
    table->slots = slots;
    table->slot_count = larger;
    for (int32_t i = 0; i < table->entries.count; ++i) {
        slots[find_slot(table, &table->entries.data[i].key)] = i + 1;
    }
    return true;
}

bool key_table_find(key_table* table, const lim_host* host, table_key key, int32_t fresh,
                    int32_t* out_value, bool* out_found) {
    if (table->entries.count >= table->slot_count / 2 && !grow(table, host)) {
        return false;
    }
    uint32_t slot = find_slot(table, &key);
    *out_found = table->slots[slot] != 0;
    if (!*out_found) {
        table_entry entry = {.key = key, .value = fresh};
        if (!ARRAY_PUSH(host, &table->entries, entry)) {
            return false;
        }
        table->slots[slot] = table->entries.count;
    }
    *out_value = table->entries.data[table->slots[slot] - 1].value;
    return true;
}

void key_table_free(key_table* table, const lim_host* host) {
    ARRAY_FREE(host, &table->entries);
    mem_free(host, table->slots, (size_t)table->slot_count, sizeof(int32_t));
    table->slots = NULL;
    table->slot_count = 0;
}

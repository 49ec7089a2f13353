/* SPDX-License-Identifier: MIT
 * Job: store lists, each distinct one once. In: lists of numbers. Out: their numbers, in order of
 * first appearance. An open hash table finds equal ones; its order never shows.
 */
#include "region/list_pool.h"

#include "base/hash.h"

#include <string.h>

static uint64_t list_hash(const int32_t* list, int32_t count) {
    uint64_t hash = HASH_SEED;
    for (int32_t i = 0; i < count; ++i) {
        hash = hash_u64(hash, (uint64_t)(uint32_t)list[i]);
    }
    return hash;
}

static bool pool_rehash(const lim_host* host, list_pool* p, int32_t size) {
    int32_t* table = mem_alloc(host, (size_t)size, sizeof(int32_t));
    if (table == NULL) {
        return false;
    }
    for (int32_t l = 0; l + 1 < p->start.count; ++l) {
        const int32_t* list = p->items.data + p->start.data[l];
        uint64_t at = list_hash(list, p->start.data[l + 1] - p->start.data[l]);
        while (table[at & (uint64_t)(size - 1)] != 0) {
            at++;
        }
        table[at & (uint64_t)(size - 1)] = l + 1;
    }
    mem_free(host, p->table, (size_t)p->table_size, sizeof(int32_t));
    p->table = table;
    p->table_size = size;
    return true;
}

bool pool_init(const lim_host* host, list_pool* p, int32_t expected) {
    *p = (list_pool){0};
    int32_t size = 64;
    while (size < expected && size < 1 << 28) {
        size *= 2;
    }
    return ARRAY_PUSH(host, &p->start, 0) && pool_rehash(host, p, size);
}

void pool_free(const lim_host* host, list_pool* p) {
    ARRAY_FREE(host, &p->items);
    ARRAY_FREE(host, &p->start);
    mem_free(host, p->table, (size_t)p->table_size, sizeof(int32_t));
}

int32_t pool_add(const lim_host* host, list_pool* p, const int32_t* list, int32_t count) {
    int32_t number = pool_count(p);
    if (!ARRAY_RESERVE(host, &p->items, (int64_t)p->items.count + count) ||
        !ARRAY_PUSH(host, &p->start, p->items.count + count)) {
        return -1;
    }
    memcpy(p->items.data + p->items.count, list, (size_t)count * sizeof(int32_t));
    p->items.count += count;
    return number;
}

int32_t pool_find(const lim_host* host, list_pool* p, const int32_t* list, int32_t count) {
    uint64_t at = list_hash(list, count);
    for (;; ++at) {
        int32_t l = p->table[at & (uint64_t)(p->table_size - 1)] - 1;
        if (l < 0) {
            break;
        }
        int32_t begin = p->start.data[l];
        if (p->start.data[l + 1] - begin == count &&
            memcmp(p->items.data + begin, list, (size_t)count * sizeof(int32_t)) == 0) {
            return l;
        }
    }
    int32_t number = pool_add(host, p, list, count);
    if (number < 0) {
        return -1;
    }
    p->table[at & (uint64_t)(p->table_size - 1)] = number + 1;
    if (number + 1 > p->table_size / 2 && !pool_rehash(host, p, p->table_size * 2)) {
        return -1;
    }
    return number;
}

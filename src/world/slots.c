/* SPDX-License-Identifier: MIT
 * Job: hand out indices with generations. In: take and release. Out: the lowest free index, stale
 * ids refused.
 */
#include "world/slots.h"

#include <string.h>

bool slots_reserve(slots* s, const lim_host* host, int32_t capacity) {
    if (capacity <= s->capacity) {
        return true;
    }
    int64_t larger = s->capacity < 16 ? 16 : (int64_t)s->capacity * 2;
    larger = larger < capacity ? capacity : larger;
    if (larger > INT32_MAX) {
        return false;
    }
    uint32_t* generation = mem_alloc(host, (size_t)larger, sizeof(uint32_t));
    uint8_t* used = mem_alloc(host, (size_t)larger, 1);
    if (generation == NULL || used == NULL) {
        mem_free(host, generation, (size_t)larger, sizeof(uint32_t));
        mem_free(host, used, (size_t)larger, 1);
        return false;
    }
    int32_t count = s->count, first_free = s->first_free;
    if (count > 0) {
        memcpy(generation, s->generation, (size_t)count * sizeof(uint32_t));
        memcpy(used, s->used, (size_t)count);
    }
    slots_free(s, host);
    *s = (slots){generation, used, count, (int32_t)larger, first_free};
    return true;
}

int32_t slots_peek(const slots* s) {
    int32_t index = s->first_free;
    while (index < s->count && s->used[index]) {
        ++index;
    }
    return index;
}

int32_t slots_take(slots* s) {
    int32_t index = slots_peek(s);
    LIM_ASSERT(index < s->capacity);
    if (index == s->count) {
        s->generation[index] = 1;
        s->count++;
    }
    s->used[index] = 1;
    s->first_free = index + 1;
    return index;
}

void slots_release(slots* s, int32_t index) {
    s->used[index] = 0;
    s->generation[index]++;
    /* After 2^32 - 1 lives the first id would come back; 0 stays null. */
    s->generation[index] += s->generation[index] == 0;
    s->first_free = index < s->first_free ? index : s->first_free;
}

bool slots_holds(const slots* s, uint32_t index, uint32_t generation) {
    return generation != 0 && index < (uint32_t)s->count && s->used[index] &&
           s->generation[index] == generation;
}

bool slots_is_used(const slots* s, int32_t index) {
    return index >= 0 && index < s->count && s->used[index] != 0;
}

int32_t slots_next(const slots* s, int64_t index) {
    for (; index < s->count; ++index) {
        if (s->used[index]) {
            return (int32_t)index;
        }
    }
    return -1;
}

int32_t slots_used(const slots* s) {
    int32_t used = 0;
    for (int32_t i = 0; i < s->count; ++i) {
        used += s->used[i] != 0;
    }
    return used;
}

void slots_free(slots* s, const lim_host* host) {
    mem_free(host, s->generation, (size_t)s->capacity, sizeof(uint32_t));
    mem_free(host, s->used, (size_t)s->capacity, 1);
    *s = (slots){0};
}

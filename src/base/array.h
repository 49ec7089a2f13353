/* SPDX-License-Identifier: MIT
 * A growing array of any type: struct { T* data; int32_t count, capacity; } with memory from the
 * host. Pushing may fail: ARRAY_PUSH is an expression that is false when memory is out (nothing
 * changed). What ARRAY_RESERVE adds is zero; what lies behind the count of an array that is pushed
 * onto is anything.
 */
#ifndef LIMBER_ARRAY_H
#define LIMBER_ARRAY_H

#include "base/mem.h"

#define ARRAY(type)                                                                                \
    struct {                                                                                       \
        type* data;                                                                                \
        int32_t count, capacity;                                                                   \
    }

/* Grow *data (doubling) to hold at least `needed` elements, zero behind `count`; and one more,
 * unwritten. Used through the macros. */
bool array_grow(const lim_host* host, void** data, int32_t count, int32_t* capacity, int64_t needed,
                size_t size);
bool array_push_room(const lim_host* host, void** data, int32_t count, int32_t* capacity,
                     size_t size);

#define ARRAY_RESERVE(host, array, needed)                                                         \
    ((int64_t)(needed) <= (array)->capacity ||                                                     \
     array_grow((host), (void**)&(array)->data, (array)->count, &(array)->capacity,                \
                (int64_t)(needed), sizeof(*(array)->data)))

#define ARRAY_PUSH(host, array, value)                                                             \
    ((array)->count < (array)->capacity ||                                                         \
             array_push_room((host), (void**)&(array)->data, (array)->count, &(array)->capacity,   \
                             sizeof(*(array)->data))                                               \
         ? ((array)->data[(array)->count++] = (value), true)                                       \
         : false)

#define ARRAY_FREE(host, array)                                                                    \
    (mem_free((host), (array)->data, (size_t)(array)->capacity, sizeof(*(array)->data)),           \
     (array)->data = NULL, (array)->count = 0, (array)->capacity = 0)

#endif

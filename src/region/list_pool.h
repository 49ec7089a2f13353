/* SPDX-License-Identifier: MIT
 * Lists of numbers while a network is being collected, one after the other; equal ones can be found
 * again, so that each distinct list is stored once.
 */
#ifndef LIMBER_LIST_POOL_H
#define LIMBER_LIST_POOL_H

#include "base/array.h"

typedef struct list_pool {
    ARRAY(int32_t) items;
    ARRAY(int32_t) start; /* one more than there are lists */
    int32_t* table;       /* hash -> list + 1, 0 free; power of two */
    int32_t table_size;
} list_pool;

/* expected: how many lists may come; more are no error. */
bool pool_init(const lim_host* host, list_pool* p, int32_t expected);
/* Also after a failed or a missing pool_init of a zeroed pool. */
void pool_free(const lim_host* host, list_pool* p);
static inline int32_t pool_count(const list_pool* p) {
    return p->start.count - 1;
}

/* The number of the list in the pool, added if it is new; -1 when memory is out. */
int32_t pool_find(const lim_host* host, list_pool* p, const int32_t* list, int32_t count);
/* Adds the list, equal to another or not; a pool is filled by one of the two. -1 when memory is
 * out.
 */
int32_t pool_add(const lim_host* host, list_pool* p, const int32_t* list, int32_t count);

#endif

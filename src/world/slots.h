/* SPDX-License-Identifier: MIT
 * Ids: an index and a generation. A zeroed id is null because generations start at 1; releasing an
 * index raises its generation, so an id of what was there before is stale. The lowest free index is
 * taken first: the same calls give the same ids.
 */
#ifndef LIMBER_SLOTS_H
#define LIMBER_SLOTS_H

#include "base/mem.h"

typedef struct slots {
    uint32_t* generation; /* of what is there, or of what comes next */
    uint8_t* used;
    int32_t count, capacity; /* indices ever taken; room in the arrays */
    int32_t first_free;      /* no free index below it */
} slots;

/* Room for one more, so that the next slots_take cannot fail; changes nothing else. */
bool slots_reserve(slots* s, const lim_host* host, int32_t capacity);
/* The index that slots_take will give. */
int32_t slots_peek(const slots* s);
/* After slots_reserve(s, host, slots_peek(s) + 1). */
int32_t slots_take(slots* s);
void slots_release(slots* s, int32_t index);
bool slots_holds(const slots* s, uint32_t index, uint32_t generation);
bool slots_is_used(const slots* s, int32_t index);
/* The next used index from `index` on, -1 after the last. */
int32_t slots_next(const slots* s, int64_t index);
int32_t slots_used(const slots* s); /* how many are in use; O(count) */
void slots_free(slots* s, const lim_host* host);

#endif

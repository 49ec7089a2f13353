/* SPDX-License-Identifier: MIT
 * An arena: memory that is taken piece by piece and given back all at once. Building code takes one
 * for its result and one for its scratch, so that a failure anywhere needs no clean-up of its own.
 */
#ifndef LIMBER_ARENA_H
#define LIMBER_ARENA_H

#include "base/mem.h"

typedef struct arena_chunk arena_chunk;

typedef struct arena {
    lim_host host;
    arena_chunk* newest;
    size_t used;  /* bytes taken from the newest chunk */
    size_t total; /* bytes of all chunks */
} arena;

void arena_init(arena* a, const lim_host* host);
/* Zeroed, aligned to 64 bytes; a count of 0 gives a valid pointer to nothing. Null when memory is
 * out. */
void* arena_alloc(arena* a, size_t count, size_t size);
/* The same for what will be written in full: zeroed only behind its end. */
void* arena_room(arena* a, size_t count, size_t size);
/* All that `from` holds is the arena's from now on. */
void arena_adopt(arena* a, arena* from);
/* Gives everything back; the arena may be used again. */
void arena_release(arena* a);

#define ARENA_ARRAY(a, type, count) ((type*)arena_alloc((a), (size_t)(count), sizeof(type)))
#define ARENA_ROOM(a, type, count)  ((type*)arena_room((a), (size_t)(count), sizeof(type)))

#endif

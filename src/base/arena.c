/* SPDX-License-Identifier: MIT
 * Job: an arena of chunks. In: sizes. Out: zeroed pieces. Chunks double up to 4 MiB, a larger piece
 * gets a chunk of its own size.
 */
#include "base/arena.h"

#include <string.h>

struct arena_chunk {
    arena_chunk* older;
    size_t size; /* of the whole chunk, header included */
};

enum { CHUNK_HEADER = MEM_ALIGN, CHUNK_FIRST = 1 << 14, CHUNK_LARGEST = 1 << 22 };

void arena_init(arena* a, const lim_host* host) {
    *a = (arena){.host = mem_host(host)};
}

/* Bytes of a piece with what follows up to the next; 0: too many. */
static size_t piece_size(size_t count, size_t size) {
    size_t bytes = 0;
    if (!mem_size(count, size, &bytes) || bytes > SIZE_MAX / 2) {
        return 0;
    }
    bytes = bytes == 0 ? 1 : bytes;
    return (bytes + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
}

static void* take(arena* a, size_t bytes) {
    if (bytes == 0) {
        return NULL;
    }
    if (a->newest == NULL || a->newest->size - a->used < bytes) {
        size_t want = a->newest != NULL ? a->newest->size * 2 : CHUNK_FIRST;
        want = want > CHUNK_LARGEST ? (size_t)CHUNK_LARGEST : want;
        want = want < bytes + CHUNK_HEADER ? bytes + CHUNK_HEADER : want;
        arena_chunk* chunk = a->host.alloc(a->host.user, want, MEM_ALIGN);
        if (chunk == NULL) {
            return NULL;
        }
        *chunk = (arena_chunk){.older = a->newest, .size = want};
        a->newest = chunk;
        a->used = CHUNK_HEADER;
        a->total += want;
    }
    void* memory = (char*)a->newest + a->used;
    a->used += bytes;
    return memory;
}

void* arena_alloc(arena* a, size_t count, size_t size) {
    size_t bytes = piece_size(count, size);
    void* memory = take(a, bytes);
    if (memory != NULL) {
        memset(memory, 0, bytes);
    }
    return memory;
}

void* arena_room(arena* a, size_t count, size_t size) {
    size_t bytes = piece_size(count, size);
    char* memory = take(a, bytes);
    if (memory != NULL) {
#if defined(LIM_VALIDATION)
        memset(memory, 0x7F, bytes); /* so that tests see who reads what was not written */
#endif
        memset(memory + bytes - MEM_ALIGN, 0, MEM_ALIGN);
    }
    return memory;
}

void arena_adopt(arena* a, arena* from) {
    if (a->newest == NULL) {
        a->newest = from->newest;
        a->used = from->used;
    } else if (from->newest != NULL) {
        arena_chunk* oldest = from->newest;
        while (oldest->older != NULL) {
            oldest = oldest->older;
        }
        oldest->older = a->newest->older;
        a->newest->older = from->newest;
    }
    a->total += from->total;
    arena_init(from, &from->host);
}

void arena_release(arena* a) {
    while (a->newest != NULL) {
        arena_chunk* chunk = a->newest;
        a->newest = chunk->older;
        a->host.free(a->host.user, chunk, chunk->size);
    }
    a->used = 0;
    a->total = 0;
}

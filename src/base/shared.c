/* SPDX-License-Identifier: MIT
 * Job: arenas with several owners. In: a host. Out: memory that lives until the last has left.
 */
#include "base/shared.h"

shared_arena* shared_make(const lim_host* host) {
    lim_host hooks = mem_host(host);
    shared_arena* s = mem_alloc(&hooks, 1, sizeof *s);
    if (s != NULL) {
        arena_init(&s->mem, &hooks);
        s->owners = 1;
    }
    return s;
}

shared_arena* shared_join(shared_arena* s) {
    if (s != NULL) {
        atomic_fetch_add(&s->owners, 1);
    }
    return s;
}

void shared_leave(shared_arena* s) {
    if (s != NULL && atomic_fetch_sub(&s->owners, 1) == 1) {
        lim_host host = s->mem.host;
        arena_release(&s->mem);
        mem_free(&host, s, 1, sizeof *s);
    }
}

/* SPDX-License-Identifier: MIT
 * An arena that several owners share: the last that lets go of it gives its memory back. What is in
 * it is constant once a second owner has it.
 */
#ifndef LIMBER_SHARED_H
#define LIMBER_SHARED_H

#include "base/arena.h"

#include <stdatomic.h>

typedef struct shared_arena {
    arena mem;
    _Atomic int32_t owners;
} shared_arena;

/* With one owner; null: no memory. */
shared_arena* shared_make(const lim_host* host);
/* One owner more; null stays null. */
shared_arena* shared_join(shared_arena* s);
/* One owner less; null is allowed. */
void shared_leave(shared_arena* s);

#endif

/* SPDX-License-Identifier: MIT
 * Job: one number for everything that moves. In: a world. Out: the hash of its state as fixed-width
 * fields; pointers, padding, workers and instruction set play no part.
 */
#include "world/state.h"

uint64_t lim_world_hash(const lim_world* world) {
    if (world == NULL) {
        return 0;
    }
    stream s = stream_hash();
    state_write(&s, world, NULL);
    return s.hash;
}

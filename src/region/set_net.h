/* SPDX-License-Identifier: MIT
 * Sets of nodes as a sum network: each set is cut into bars (members with equal y, z), bars with
 * equal z make plates, plates make the set. Equal bars, plates and sets are found by hashing and
 * stored once (Rivers and James 2007, section 4, for irregular sets): in a solid place a cube of
 * half-width w costs 3 (2 w + 1) additions instead of (2 w + 1)^3. Sets that are equal are one. A
 * list of one entry is not a record of its own: its user takes the entry itself.
 */
#ifndef LIMBER_SET_NET_H
#define LIMBER_SET_NET_H

#include "net/net.h"
#include "region/list_pool.h"

typedef struct set_net {
    const lim_host* host;
    /* Nodes by rank, in order of (z, y, x): the number of the row and of the plate that each lies
     * in, and its slot. */
    const int32_t *row, *layer, *slot;
    list_pool bars, plates, sets;
    ARRAY(int32_t) bar, plate, set;
} set_net;

/* expected: how many sets may come. On failure free it all the same. */
lim_result set_net_init(set_net* s, const lim_host* host, const int32_t* row, const int32_t* layer,
                        const int32_t* slot, int32_t expected);
void set_net_free(set_net* s);
/* The number of the set with these members (ranks, ascending); -1 when memory is out. */
int32_t set_net_add(set_net* s, const int32_t* ranks, int32_t count);
static inline int32_t set_net_count(const set_net* s) {
    return pool_count(&s->sets);
}
/* The network: nodes (padded slots) -> bars -> plates -> sets, padded to a multiple of 8. */
lim_result set_net_emit(const set_net* s, arena* a, int32_t padded, net* out);

#endif

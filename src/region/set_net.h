/* SPDX-License-Identifier: MIT
 * Sets of nodes as a sum network: each set is cut into bars (members with equal y, z), bars with
 * equal z make plates, plates make the set. Equal bars, plates and sets are found by hashing and
 * stored once (Rivers and James 2007, section 4, for irregular sets): in a solid place a cube of
 * half-width w costs 3 (2 w + 1) additions instead of (2 w + 1)^3. Sets that are equal are one. A
 * list of one entry is not a record of its own: its user takes the entry itself.
 *
 * Some sets may be optional: sums that can be had in another way (net/box.h). The network is made
 * with them or without; what is then in it is the same as if they had never been added.
 */
#ifndef LIMBER_SET_NET_H
#define LIMBER_SET_NET_H

#include "net/net.h"
#include "region/list_pool.h"

/* Bars, plates or sets. */
typedef struct set_part {
    list_pool pool;
    ARRAY(int32_t) turn; /* per list: its number among those that are not optional; -1: it is */
    int32_t turns;
} set_part;

typedef struct set_net {
    const lim_host* host;
    /* Nodes by rank, in order of (z, y, x): the number of the row and of the plate that each lies
     * in, and its slot. */
    const int32_t *row, *layer, *slot;
    set_part bars, plates, sets;
    ARRAY(int32_t) bar, plate, set;
} set_net;

/* expected: how many sets may come. On failure free it all the same. */
lim_result set_net_init(set_net* s, const lim_host* host, const int32_t* row, const int32_t* layer,
                        const int32_t* slot, int32_t expected);
void set_net_free(set_net* s);
/* The number of the set with these members (ranks, ascending); -1 when memory is out. */
int32_t set_net_add(set_net* s, const int32_t* ranks, int32_t count);

/* Optional sets, part by part: the name of a bar of slots and of a plate of named bars, both of at
 * least one entry; false when memory is out. The number of a set of named plates; -1. */
bool set_net_bar(set_net* s, const int32_t* slots, int32_t count, int32_t* out_name);
bool set_net_plate(set_net* s, const int32_t* bars, int32_t count, int32_t* out_name);
int32_t set_net_cube(set_net* s, const int32_t* plates, int32_t count);

/* How many sets there are, with the optional ones or without, and the number of a set then. */
static inline int32_t set_net_count(const set_net* s, bool optional) {
    return optional ? pool_count(&s->sets.pool) : s->sets.turns;
}
static inline int32_t set_net_number(const set_net* s, int32_t set, bool optional) {
    return optional ? set : s->sets.turn.data[set];
}
/* About how many instructions the sums of a substep take, forward and back (net/box.h). */
int64_t set_net_work(const set_net* s, bool optional);
/* The network: nodes (padded slots) -> bars -> plates -> sets, padded to a multiple of 8. */
lim_result set_net_emit(const set_net* s, arena* a, int32_t padded, bool optional, net* out);

#endif

/* SPDX-License-Identifier: MIT
 * Disjoint sets as trees in one array: set[i] is the parent of i, a root is its own. The root of a
 * set is its lowest member, so that results do not depend on the order of joins. Paths are halved
 * on the way (Tarjan and van Leeuwen, 1984). An array may have entries that are never looked at.
 */
#ifndef LIMBER_DISJOINT_SET_H
#define LIMBER_DISJOINT_SET_H

#include <stdint.h>

/* Every member is a set of its own. */
static inline void disjoint_init(int32_t* set, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        set[i] = i;
    }
}

static inline int32_t disjoint_root(int32_t* set, int32_t i) {
    while (set[i] != i) {
        i = set[i] = set[set[i]];
    }
    return i;
}

/* Makes one set of the two that a and b are in; returns its root. */
static inline int32_t disjoint_join(int32_t* set, int32_t a, int32_t b) {
    a = disjoint_root(set, a);
    b = disjoint_root(set, b);
    int32_t low = a < b ? a : b;
    set[a < b ? b : a] = low;
    return low;
}

/* Replaces parents by names: sets are 0, 1, ... in order of their lowest. Returns how many there
 * are. */
static inline int32_t disjoint_name(int32_t* set, int32_t count) {
    int32_t names = 0;
    for (int32_t i = 0; i < count; ++i) {
        set[i] = set[i] == i ? names++ : set[set[i]];
    }
    return names;
}

#endif

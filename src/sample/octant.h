/* SPDX-License-Identifier: MIT
 * Octants: cells of an octree as integers. A key holds level and Morton code so that sorting by key
 * is sorting by level, then along the Z curve.
 */
#ifndef LIMBER_OCTANT_H
#define LIMBER_OCTANT_H

#include <stdint.h>

typedef struct octant {
    int32_t level;   /* 0 to 19 */
    int32_t x, y, z; /* 0 to 2^level - 1 */
} octant;

enum { OCTANT_LEVELS = 19 };

/* Spreads the low 19 bits of x to every third bit. */
static inline uint64_t octant_spread(uint32_t x) {
    uint64_t v = x & 0x7FFFFu;
    v = (v | v << 32) & 0x001F00000000FFFFu;
    v = (v | v << 16) & 0x001F0000FF0000FFu;
    v = (v | v << 8) & 0x100F00F00F00F00Fu;
    v = (v | v << 4) & 0x10C30C30C30C30C3u;
    v = (v | v << 2) & 0x1249249249249249u;
    return v;
}
static inline uint32_t octant_compact(uint64_t v) {
    v &= 0x1249249249249249u;
    v = (v | v >> 2) & 0x10C30C30C30C30C3u;
    v = (v | v >> 4) & 0x100F00F00F00F00Fu;
    v = (v | v >> 8) & 0x001F0000FF0000FFu;
    v = (v | v >> 16) & 0x001F00000000FFFFu;
    v = (v | v >> 32) & 0x7FFFFu;
    return (uint32_t)v;
}
/* Level in the top 5 bits, Morton code of 57 bits below. */
static inline uint64_t octant_key(octant o) {
    return (uint64_t)o.level << 58 | octant_spread((uint32_t)o.x) |
           octant_spread((uint32_t)o.y) << 1 | octant_spread((uint32_t)o.z) << 2;
}
static inline octant octant_of(uint64_t key) {
    return (octant){(int32_t)(key >> 58), (int32_t)octant_compact(key),
                    (int32_t)octant_compact(key >> 1), (int32_t)octant_compact(key >> 2)};
}
/* The same for a key whose neighbour in a list is known: in order of keys most share the parent. */
static inline octant octant_near(uint64_t key, uint64_t known_key, octant known) {
    if (key >> 3 != known_key >> 3) {
        return octant_of(key);
    }
    return (octant){known.level, (known.x & ~1) | (int32_t)(key & 1),
                    (known.y & ~1) | (int32_t)(key >> 1 & 1),
                    (known.z & ~1) | (int32_t)(key >> 2 & 1)};
}
static inline uint64_t octant_parent(uint64_t key) {
    uint64_t level = key >> 58;
    return (level - 1) << 58 | ((key & 0x03FFFFFFFFFFFFFFu) >> 3);
}

#endif

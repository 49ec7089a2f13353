/* SPDX-License-Identifier: MIT
 * The 4 x 4 x 4 sub-voxels of a cell as the bits of one integer: bit x + 4 y + 16 z. Shifting a
 * mask over a cell's border takes in the bits of the neighbour there.
 */
#ifndef LIMBER_MASK_H
#define LIMBER_MASK_H

#include <stdbool.h>
#include <stdint.h>

enum { MASK_SIDE = 4 };
#define MASK_ALL (~(uint64_t)0)

/* Bits whose coordinate along an axis is below k (0 to 4). */
static inline uint64_t mask_below(int axis, int k) {
    if (axis == 0) {
        return (((uint64_t)1 << k) - 1) * 0x1111111111111111u;
    }
    if (axis == 1) {
        return (((uint64_t)1 << (4 * k)) - 1) * 0x0001000100010001u;
    }
    return k >= 4 ? MASK_ALL : ((uint64_t)1 << (16 * k)) - 1;
}

/* The mask seen `by` (-3 to 3) further along an axis: bit v of the result is bit v + by of the row
 * of cells in which `beyond` follows m on the side of by's sign. */
static inline uint64_t mask_shift(uint64_t m, int axis, int by, uint64_t beyond) {
    int stride = axis == 0 ? 1 : axis == 1 ? 4 : 16;
    if (by > 0) {
        uint64_t own = mask_below(axis, MASK_SIDE - by);
        return ((m >> (by * stride)) & own) | ((beyond << ((MASK_SIDE - by) * stride)) & ~own);
    }
    if (by < 0) {
        uint64_t other = mask_below(axis, -by);
        return ((m << (-by * stride)) & ~other) | ((beyond >> ((MASK_SIDE + by) * stride)) & other);
    }
    return m;
}

/* Bits that are in m or share a face with it, in one cell. */
static inline uint64_t mask_grow_faces(uint64_t m) {
    uint64_t grown = m;
    for (int axis = 0; axis < 3; ++axis) {
        grown |= mask_shift(m, axis, 1, 0) | mask_shift(m, axis, -1, 0);
    }
    return grown;
}

/* Bits that are in m or touch it in any way, in one cell. */
static inline uint64_t mask_grow_all(uint64_t m) {
    for (int axis = 0; axis < 3; ++axis) {
        m |= mask_shift(m, axis, 1, 0) | mask_shift(m, axis, -1, 0);
    }
    return m;
}

/* The middle cell of 3 x 3 x 3 (index x + 3 y + 9 z): bits v for which any bit v + o, every
 * coordinate of o from low to high, is set. */
static inline uint64_t mask_reach(const uint64_t m[27], int low, int high) {
    uint64_t rows[9] = {0}, planes[3] = {0}, all = 0;
    for (int by = low; by <= high; ++by) {
        for (int i = 0; i < 9; ++i) {
            rows[i] |= mask_shift(m[3 * i + 1], 0, by, m[3 * i + (by > 0 ? 2 : 0)]);
        }
    }
    for (int by = low; by <= high; ++by) {
        for (int i = 0; i < 3; ++i) {
            planes[i] |= mask_shift(rows[3 * i + 1], 1, by, rows[3 * i + (by > 0 ? 2 : 0)]);
        }
    }
    for (int by = low; by <= high; ++by) {
        all |= mask_shift(planes[1], 2, by, planes[by > 0 ? 2 : 0]);
    }
    return all;
}

static inline int mask_count(uint64_t m) {
    m = m - ((m >> 1) & 0x5555555555555555u);
    m = (m & 0x3333333333333333u) + ((m >> 2) & 0x3333333333333333u);
    m = (m + (m >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int)((m * 0x0101010101010101u) >> 56);
}

/* Sum over the bits of their coordinate along an axis. */
static inline int mask_sum(uint64_t m, int axis) {
    uint64_t even = mask_below(axis, 1) | (mask_below(axis, 3) & ~mask_below(axis, 2));
    return mask_count(m & ~even) + 2 * mask_count(m & ~mask_below(axis, 2));
}

/* Number of the lowest bit; m is not 0. */
static inline int mask_lowest(uint64_t m) {
    return mask_count((m & (~m + 1)) - 1);
}

/* Number of the highest bit; m is not 0. */
static inline int mask_highest(uint64_t m) {
    for (int by = 1; by < 64; by *= 2) {
        m |= m >> by;
    }
    return mask_count(m) - 1;
}

/* The connected piece of m that holds `seed`: over faces, and in any way where a bit of `soft` is
 * one of the two. */
static inline uint64_t mask_flood(uint64_t m, uint64_t soft, uint64_t seed) {
    uint64_t piece = m == MASK_ALL ? m : seed;
    for (;;) {
        uint64_t grown = mask_grow_faces(piece);
        if ((m & soft) != 0) {
            grown |= (mask_grow_all(piece) & soft) | mask_grow_all(piece & soft);
        }
        grown &= m;
        if (grown == piece) {
            return piece;
        }
        piece = grown;
    }
}

/* Do piece a (in one cell) and piece b (in the cell `d` away, each coordinate -1, 0 or 1, not all
 * 0) touch over a face, or in any way where a soft bit is one of the two? */
static inline bool mask_touch(uint64_t a, uint64_t a_soft, uint64_t b, uint64_t b_soft,
                              const int d[3]) {
    int axes = (d[0] != 0) + (d[1] != 0) + (d[2] != 0);
    uint64_t face = axes == 1 ? b : 0, any = b, any_soft = b & b_soft;
    for (int axis = 0; axis < 3; ++axis) {
        if (d[axis] != 0) {
            face = mask_shift(0, axis, d[axis], face);
            any = mask_shift(0, axis, d[axis], any);
            any_soft = mask_shift(0, axis, d[axis], any_soft);
        } else {
            any |= mask_shift(any, axis, 1, 0) | mask_shift(any, axis, -1, 0);
            any_soft |= mask_shift(any_soft, axis, 1, 0) | mask_shift(any_soft, axis, -1, 0);
        }
    }
    return (a & face) != 0 || (a & a_soft & any) != 0 || (a & any_soft) != 0;
}

#endif

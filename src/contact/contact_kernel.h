/* SPDX-License-Identifier: MIT
 * The wide part of contact with colliders, one copy per instruction set: slots, points and vertices
 * eight at a time. Ranges of slots begin and end at multiples of 8. Of rows and of points in an
 * order whole groups of 8 are written, so up to 7 behind the last.
 */
#ifndef LIMBER_CONTACT_KERNEL_H
#define LIMBER_CONTACT_KERNEL_H

#include "node/node.h"

/* Rounding of places is far less than this share of the reach. */
#define CONTACT_SLACK 0.01f

/* What nodes of a range cover. */
typedef struct contact_extent {
    lim_vec3 low, high; /* of those with mass */
    float bend;         /* the largest of their |B|, squared */
} contact_extent;

typedef struct contact_kernels {
    /* Gaps of places from a plane, n . x - offset + more. */
    void (*gaps)(float* const place[3], lim_vec3 normal, float offset, float more, int32_t begin,
                 int32_t end, float* out);
    /* From displacements as they were: moves since. Returns the largest, squared. */
    float (*moves)(const node_state* nodes, int32_t begin, int32_t end, float* const io[3]);
    /* The longest of vectors, squared. */
    float (*longest)(float* const vectors[3], int32_t begin, int32_t end);
    /* Vectors along a normal. */
    void (*along)(float* const vectors[3], lim_vec3 normal, int32_t begin, int32_t end, float* out);
    /* |B| of nodes; what they cover is added to `io`. */
    void (*bends)(const node_state* nodes, int32_t begin, int32_t end, float* out,
                  contact_extent* io);
    /* Per 8 slots, of the first at `out`: a bit for each node that is not higher along a normal
     * than `height`, and than its reach (1 + CONTACT_SLACK + its bend) above that; reach null: 0.
     */
    void (*low)(const node_state* nodes, lim_vec3 normal, float height, const float* bend,
                const float* reach, int32_t begin, int32_t end, uint8_t* out);
    /* The next of places (3 floats each) from `i` on that may be no higher than that: one that is
     * not, or at most 7 before it; `count` when there is none. */
    int32_t (*next_low)(const float* places, lim_vec3 normal, float height, int32_t i,
                        int32_t count);
} contact_kernels;
const contact_kernels* contact_kernels_for(isa set);

#define CONTACT_KERNELS(set, suffix) extern const contact_kernels contact_kernels_##suffix;
ISA_LIST(CONTACT_KERNELS)
#undef CONTACT_KERNELS

#endif

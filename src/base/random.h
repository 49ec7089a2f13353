/* SPDX-License-Identifier: MIT
 * Random numbers that are the same everywhere: a counter through a mixing function.
 */
#ifndef LIMBER_RANDOM_H
#define LIMBER_RANDOM_H

#include "base/hash.h"

typedef struct random_stream {
    uint64_t state;
} random_stream;

static inline random_stream random_seed(uint64_t seed) {
    return (random_stream){hash_mix(seed ^ HASH_SEED)};
}

static inline uint64_t random_u64(random_stream* r) {
    r->state += 0x9E3779B97F4A7C15u;
    return hash_mix(r->state);
}

/* 0 <= x < 1, 24 bits. */
static inline float random_unit(random_stream* r) {
    return (float)(random_u64(r) >> 40) * 0x1p-24f;
}

static inline float random_range(random_stream* r, float low, float high) {
    return low + (high - low) * random_unit(r);
}

/* 0 <= x < count, for count > 0; the bias of 2^-32 * count does not matter here. */
static inline int32_t random_index(random_stream* r, int32_t count) {
    return (int32_t)(((random_u64(r) >> 32) * (uint64_t)count) >> 32);
}

#endif

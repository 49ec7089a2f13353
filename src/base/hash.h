/* SPDX-License-Identifier: MIT
 * A 64-bit hash of bytes: state hashes, hash tables, checksums. Not cryptographic. Words are read
 * little endian, so that every machine gives the same number.
 */
#ifndef LIMBER_HASH_H
#define LIMBER_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_SEED 0x9E3779B97F4A7C15u

/* A bijection that mixes all bits. */
static inline uint64_t hash_mix(uint64_t x) {
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    x ^= x >> 32;
    return x;
}

static inline uint64_t hash_u64(uint64_t seed, uint64_t value) {
    return hash_mix(seed * 0x2545F4914F6CDD1Du + value + 1);
}

uint64_t hash_bytes(uint64_t seed, const void* bytes, size_t size);

#endif

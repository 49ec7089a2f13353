/* SPDX-License-Identifier: MIT
 * Job: hash bytes, 8 at a time. In: bytes. Out: 64 bits, the same on every machine.
 */
#include "base/hash.h"

uint64_t hash_bytes(uint64_t seed, const void* bytes, size_t size) {
    const unsigned char* at = bytes;
    uint64_t hash = hash_u64(seed, (uint64_t)size);
    while (size > 0) {
        size_t take = size < 8 ? size : 8;
        uint64_t word = 0;
        for (size_t i = 0; i < take; ++i) {
            word |= (uint64_t)at[i] << (8 * i);
        }
        hash = hash_u64(hash, word);
        at += take;
        size -= take;
    }
    return hash;
}

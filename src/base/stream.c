/* SPDX-License-Identifier: MIT
 * Job: pass fields through a stream. In: values (or bytes, when reading). Out: bytes, their number,
 * their hash, or values. Words are assembled byte by byte, so every machine gives the same bytes;
 * compilers turn the loops into plain loads and stores.
 */
#include "base/stream.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

stream stream_hash(void) {
    return (stream){.mode = STREAM_HASH, .hash = HASH_SEED};
}

bool stream_has(stream* s, int64_t count, size_t width) {
    if (s->mode != STREAM_READ) {
        return true;
    }
    if (s->failed || count < 0 || (uint64_t)count > (s->size - s->at) / width) {
        s->failed = true;
        return false;
    }
    return true;
}

/* One word of `width` bytes; reading gives 0 after the end. */
static uint64_t pass_word(stream* s, uint64_t value, size_t width) {
    switch (s->mode) {
    case STREAM_COUNT:
        break;
    case STREAM_WRITE:
        for (size_t i = 0; i < width; ++i) {
            s->out[s->at + i] = (unsigned char)(value >> (8 * i));
        }
        break;
    case STREAM_HASH:
        s->hash = hash_u64(s->hash, value);
        break;
    case STREAM_READ:
        if (!stream_has(s, 1, width)) {
            return 0;
        }
        value = 0;
        for (size_t i = 0; i < width; ++i) {
            value |= (uint64_t)s->in[s->at + i] << (8 * i);
        }
        break;
    }
    s->at += width;
    return value;
}

void stream_u32(stream* s, uint32_t* value) {
    *value = (uint32_t)pass_word(s, *value, 4);
}

void stream_u64(stream* s, uint64_t* value) {
    *value = pass_word(s, *value, 8);
}

void stream_i32(stream* s, int32_t* value) {
    *value = (int32_t)(uint32_t)pass_word(s, (uint32_t)*value, 4);
}

void stream_bool(stream* s, bool* value) {
    uint64_t word = pass_word(s, *value ? 1 : 0, 1);
    s->failed = s->failed || word > 1;
    *value = word == 1;
}

void stream_f32(stream* s, float* value) {
    uint32_t bits;
    memcpy(&bits, value, 4);
    bits = (uint32_t)pass_word(s, bits, 4);
    if (s->mode == STREAM_READ) {
        memcpy(value, &bits, 4);
        if (!isfinite(*value)) {
            s->failed = true;
            *value = 0.0f;
        }
    }
}

void stream_f64(stream* s, double* value) {
    uint64_t bits;
    memcpy(&bits, value, 8);
    bits = pass_word(s, bits, 8);
    if (s->mode == STREAM_READ) {
        memcpy(value, &bits, 8);
        if (!isfinite(*value)) {
            s->failed = true;
            *value = 0.0;
        }
    }
}

/* One element in memory as a word, and back. */
static uint64_t load_element(const unsigned char* from, size_t width) {
    uint64_t word = 0;
    switch (width) {
    case 1:
        return *from;
    case 2: {
        uint16_t half;
        memcpy(&half, from, 2);
        return half;
    }
    case 4: {
        uint32_t single;
        memcpy(&single, from, 4);
        return single;
    }
    default:
        memcpy(&word, from, 8);
        return word;
    }
}

static void store_element(unsigned char* to, uint64_t word, size_t width) {
    uint8_t byte = (uint8_t)word;
    uint16_t half = (uint16_t)word;
    uint32_t single = (uint32_t)word;
    switch (width) {
    case 1:
        memcpy(to, &byte, 1);
        break;
    case 2:
        memcpy(to, &half, 2);
        break;
    case 4:
        memcpy(to, &single, 4);
        break;
    default:
        memcpy(to, &word, 8);
        break;
    }
}

/* Hashing takes two 4-byte elements at a time: half the multiplications of one by one. */
static void hash_elements(stream* s, const unsigned char* at, int64_t count, size_t width) {
    int64_t i = 0;
    if (width == 4) {
        for (; i + 1 < count; i += 2) {
            uint64_t low = load_element(at + 4 * i, 4), high = load_element(at + 4 * i + 4, 4);
            s->hash = hash_u64(s->hash, low | high << 32);
        }
    }
    for (; i < count; ++i) {
        s->hash = hash_u64(s->hash, load_element(at + (size_t)i * width, width));
    }
    s->at += (size_t)count * width;
}

void stream_array(stream* s, void* data, int64_t count, size_t width) {
    unsigned char* at = data;
    if (!stream_has(s, count, width)) {
        return;
    }
    if (s->mode == STREAM_COUNT) {
        s->at += (size_t)count * width;
        return;
    }
    if (s->mode == STREAM_HASH) {
        hash_elements(s, at, count, width);
        return;
    }
    for (int64_t i = 0; i < count; ++i) {
        unsigned char* element = at + (size_t)i * width;
        if (s->mode == STREAM_WRITE) {
            pass_word(s, load_element(element, width), width);
        } else {
            store_element(element, pass_word(s, 0, width), width);
        }
    }
}

void stream_floats(stream* s, float* data, int64_t count) {
    stream_array(s, data, count, sizeof(float));
    if (s->mode == STREAM_READ && !s->failed) {
        bool finite = true;
        for (int64_t i = 0; i < count; ++i) {
            finite = finite && isfinite(data[i]);
        }
        s->failed = !finite;
    }
}

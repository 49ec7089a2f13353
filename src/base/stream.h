/* SPDX-License-Identifier: MIT
 * A stream of fixed-width little-endian fields in one of four modes: count the bytes, write them,
 * hash them, or read them back. One function that names the fields of a thing in order serves all
 * four, so what is written, hashed and read can never drift apart.
 *
 * Reading never passes the end: the first field that is missing or impossible (a bool that is not 0
 * or 1, a float that is not finite) sets `failed`, and everything after it reads as zero.
 */
#ifndef LIMBER_STREAM_H
#define LIMBER_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum stream_mode { STREAM_COUNT, STREAM_WRITE, STREAM_HASH, STREAM_READ } stream_mode;

typedef struct stream {
    stream_mode mode;
    unsigned char* out;      /* write: at least as many bytes as a count gave */
    const unsigned char* in; /* read */
    size_t size;             /* bytes of `in` */
    size_t at;               /* bytes passed */
    uint64_t hash;
    bool failed;
} stream;

static inline stream stream_count(void) {
    return (stream){.mode = STREAM_COUNT};
}
static inline stream stream_write(unsigned char* out) {
    return (stream){.mode = STREAM_WRITE, .out = out};
}
stream stream_hash(void);
static inline stream stream_read(const unsigned char* in, size_t size) {
    return (stream){.mode = STREAM_READ, .in = in, .size = size};
}

void stream_u32(stream* s, uint32_t* value);
void stream_u64(stream* s, uint64_t* value);
void stream_i32(stream* s, int32_t* value);
void stream_bool(stream* s, bool* value);
void stream_f32(stream* s, float* value);  /* finite */
void stream_f64(stream* s, double* value); /* finite */

/* `count` elements of 1, 2, 4 or 8 bytes. */
void stream_array(stream* s, void* data, int64_t count, size_t width);
/* The same for floats, which must be finite. */
void stream_floats(stream* s, float* data, int64_t count);
/* Reading: whether `count` elements of `width` bytes can still be there; sets failed if not. Asked
 * before memory is taken for them. Always true in the other modes. */
bool stream_has(stream* s, int64_t count, size_t width);

#endif

/* SPDX-License-Identifier: MIT
 * A slow decoder of zlib streams and PNG files, for checking the writer: it reads bit by bit and
 * finds a code by trying its length, straight from RFC 1951. Handles all three kinds of block.
 */
#ifndef LIMBER_TEST_INFLATE_H
#define LIMBER_TEST_INFLATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct inflater {
    const uint8_t* in;
    size_t size, bit;
    uint8_t* out;
    size_t out_size, out_limit;
    bool bad;
} inflater;

static inline int inflate_bits(inflater* f, int count) {
    int value = 0;
    for (int i = 0; i < count; ++i, ++f->bit) {
        if (f->bit / 8 >= f->size) {
            f->bad = true;
            return 0;
        }
        value |= (f->in[f->bit / 8] >> (f->bit % 8) & 1) << i;
    }
    return value;
}

static inline void inflate_byte(inflater* f, int byte) {
    if (f->out_size >= f->out_limit) {
        f->bad = true;
    } else {
        f->out[f->out_size++] = (uint8_t)byte;
    }
}

/* Canonical decoding: codes of one length are consecutive numbers. */
static inline int inflate_symbol(inflater* f, const uint8_t* lengths, int symbols) {
    int code = 0, first = 0;
    for (int length = 1; length <= 15 && !f->bad; ++length) {
        int count = 0;
        code = code << 1 | inflate_bits(f, 1);
        for (int i = 0; i < symbols; ++i) {
            if (lengths[i] == length) {
                if (first + count == code) {
                    return i;
                }
                count++;
            }
        }
        first = (first + count) << 1;
    }
    f->bad = true;
    return 0;
}

static inline void inflate_codes(inflater* f, uint8_t lengths[320], int* literals, int* distances) {
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t meta[19] = {0};
    *literals = 257 + inflate_bits(f, 5);
    *distances = 1 + inflate_bits(f, 5);
    int sent = 4 + inflate_bits(f, 4);
    for (int i = 0; i < sent; ++i) {
        meta[order[i]] = (uint8_t)inflate_bits(f, 3);
    }
    for (int i = 0; i < *literals + *distances && !f->bad;) {
        int symbol = inflate_symbol(f, meta, 19), repeat = 1, value = symbol;
        if (symbol == 16) {
            value = i > 0 ? lengths[i - 1] : 0;
            repeat = 3 + inflate_bits(f, 2);
        } else if (symbol >= 17) {
            value = 0;
            repeat = symbol == 17 ? 3 + inflate_bits(f, 3) : 11 + inflate_bits(f, 7);
        }
        for (; repeat > 0 && i < 320; --repeat) {
            lengths[i++] = (uint8_t)value;
        }
    }
}

static inline void inflate_block(inflater* f, const uint8_t* lengths, int literals, int distances) {
    static const int length_base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                        15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                        67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const int length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const int distance_base[30] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    while (!f->bad) {
        int symbol = inflate_symbol(f, lengths, literals);
        if (symbol == 256) {
            return;
        }
        if (symbol < 256) {
            inflate_byte(f, symbol);
            continue;
        }
        if (symbol > 285) {
            f->bad = true;
            return;
        }
        int length = length_base[symbol - 257] + inflate_bits(f, length_extra[symbol - 257]);
        int code = inflate_symbol(f, lengths + literals, distances);
        if (code > 29) {
            f->bad = true;
            return;
        }
        size_t distance =
            (size_t)distance_base[code] + (size_t)inflate_bits(f, code < 4 ? 0 : code / 2 - 1);
        if (distance > f->out_size) {
            f->bad = true;
            return;
        }
        for (int i = 0; i < length; ++i) {
            inflate_byte(f, f->out[f->out_size - distance]);
        }
    }
}

/* Decodes a whole zlib stream; true if it is sound, has the right check sum and ends at `size`. */
static inline bool inflate_zlib(const uint8_t* in, size_t size, uint8_t* out, size_t limit,
                                size_t* out_size) {
    inflater f = {.in = in, .size = size, .bit = 16, .out = out, .out_limit = limit};
    if (size < 6 || (in[0] & 15) != 8 || (in[0] * 256 + in[1]) % 31 != 0) {
        return false;
    }
    for (bool last = false; !last && !f.bad;) {
        uint8_t lengths[320] = {0};
        int literals = 288, distances = 30;
        last = inflate_bits(&f, 1) != 0;
        int kind = inflate_bits(&f, 2);
        if (kind == 0) {
            f.bit = (f.bit + 7) / 8 * 8;
            int count = inflate_bits(&f, 16);
            inflate_bits(&f, 16);
            for (; count > 0 && !f.bad; --count) {
                inflate_byte(&f, inflate_bits(&f, 8));
            }
            continue;
        }
        if (kind == 1) {
            for (int i = 0; i < 288; ++i) {
                lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
            }
            memset(lengths + 288, 5, 30);
        } else if (kind == 2) {
            inflate_codes(&f, lengths, &literals, &distances);
        } else {
            return false;
        }
        inflate_block(&f, lengths, literals, distances);
    }
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < f.out_size; ++i) {
        a = (a + f.out[i]) % 65521;
        b = (b + a) % 65521;
    }
    size_t at = (f.bit + 7) / 8;
    uint32_t sum = b << 16 | a;
    *out_size = f.out_size;
    return !f.bad && at + 4 == size && in[at] == sum >> 24 && in[at + 1] == (sum >> 16 & 255) &&
           in[at + 2] == (sum >> 8 & 255) && in[at + 3] == (sum & 255);
}

/* ---- PNG ------------------------------------------------------------------------------------ */

static inline uint32_t png_u32(const uint8_t* at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The check sum bit by bit. */
static inline uint32_t png_crc(const uint8_t* bytes, size_t size) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size * 8; ++i) {
        uint32_t bit = (crc ^ (uint32_t)bytes[i / 8] >> (i % 8)) & 1;
        crc = bit != 0 ? 0xEDB88320u ^ crc >> 1 : crc >> 1;
    }
    return ~crc;
}

static inline int png_predict(int filter, int a, int b, int c) {
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    switch (filter) {
    case 1:
        return a;
    case 2:
        return b;
    case 3:
        return (a + b) / 2;
    case 4:
        return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
    default:
        return 0;
    }
}

/* Decodes 8-bit RGB and RGBA into new RGBA memory (free it); null when anything is wrong. */
static inline uint8_t* png_decode(const uint8_t* png, size_t size, int* width, int* height) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    if (size < 57 || memcmp(png, signature, 8) != 0) {
        return NULL;
    }
    const uint8_t* data = NULL;
    size_t data_size = 0, channels = 0;
    bool ended = false;
    for (size_t at = 8; at + 12 <= size && !ended;) {
        size_t length = png_u32(png + at);
        if (length > size - at - 12 ||
            png_crc(png + at + 4, length + 4) != png_u32(png + at + 8 + length)) {
            return NULL;
        }
        const uint8_t* body = png + at + 8;
        if (memcmp(png + at + 4, "IHDR", 4) == 0) {
            *width = (int)png_u32(body);
            *height = (int)png_u32(body + 4);
            channels = body[9] == 2 ? 3 : body[9] == 6 ? 4 : 0;
        } else if (memcmp(png + at + 4, "IDAT", 4) == 0) {
            data = body;
            data_size = length;
        }
        ended = memcmp(png + at + 4, "IEND", 4) == 0;
        at += 12 + length;
        if (ended && at != size) {
            return NULL;
        }
    }
    if (!ended || data == NULL || channels == 0) {
        return NULL;
    }
    size_t row = (size_t)*width * channels, total = (row + 1) * (size_t)*height, made = 0;
    uint8_t* raw = malloc(total);
    uint8_t* rgba = malloc((size_t)*width * (size_t)*height * 4);
    bool good = raw != NULL && rgba != NULL && inflate_zlib(data, data_size, raw, total, &made) &&
                made == total;
    for (size_t y = 0; good && y < (size_t)*height; ++y) {
        uint8_t* line = raw + y * (row + 1) + 1;
        good = line[-1] <= 4;
        for (size_t i = 0; i < row; ++i) {
            int a = i >= channels ? line[i - channels] : 0;
            int b = y > 0 ? line[(ptrdiff_t)i - (ptrdiff_t)row - 1] : 0;
            int c =
                i >= channels && y > 0 ? line[(ptrdiff_t)(i - channels) - (ptrdiff_t)row - 1] : 0;
            line[i] = (uint8_t)(line[i] + png_predict(line[-1], a, b, c));
        }
        for (size_t x = 0; x < (size_t)*width; ++x) {
            uint8_t* pixel = rgba + 4 * (y * (size_t)*width + x);
            pixel[3] = 255;
            memcpy(pixel, line + x * channels, channels);
        }
    }
    free(raw);
    if (!good) {
        free(rgba);
        return NULL;
    }
    return rgba;
}

#endif

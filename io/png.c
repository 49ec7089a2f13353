/* SPDX-License-Identifier: MIT
 * Job: an image as PNG (ISO/IEC 15948). In: RGBA pixels. Out: bytes or a file; without an alpha
 * channel where every pixel is opaque. Each row takes the filter whose residuals have the smallest
 * sum, which is the standard's own advice.
 */
#include "io/png.h"
#include "io/out_file.h"

#include <string.h>

static int32_t distance(int32_t a, int32_t b) {
    return a < b ? b - a : a - b;
}

/* The standard's Paeth predictor: the neighbour closest to left + up - corner. */
static int32_t paeth(int32_t left, int32_t up, int32_t corner) {
    int32_t estimate = left + up - corner;
    int32_t to_left = distance(estimate, left), to_up = distance(estimate, up);
    int32_t to_corner = distance(estimate, corner);
    if (to_left <= to_up && to_left <= to_corner) {
        return left;
    }
    return to_up <= to_corner ? up : corner;
}

/* Filters one row of `size` bytes; `above` is null for the first row. Returns the residuals' sum.
 */
static int64_t filter_row(int32_t filter, const uint8_t* row, const uint8_t* above, int32_t size,
                          int32_t step, uint8_t* out) {
    int64_t sum = 0;
    for (int32_t i = 0; i < size; ++i) {
        int32_t left = i >= step ? row[i - step] : 0;
        int32_t up = above != NULL ? above[i] : 0;
        int32_t corner = above != NULL && i >= step ? above[i - step] : 0;
        int32_t guess = 0;
        switch (filter) {
        case 1:
            guess = left;
            break;
        case 2:
            guess = up;
            break;
        case 3:
            guess = (left + up) / 2;
            break;
        case 4:
            guess = paeth(left, up, corner);
            break;
        default:
            break;
        }
        uint8_t residual = (uint8_t)(row[i] - guess);
        out[i] = residual;
        sum += residual < 128 ? residual : 256 - residual;
    }
    return sum;
}

static void pack_row(const lim_image* image, int32_t y, int32_t channels, uint8_t* out) {
    const uint8_t* from = image->rgba + (size_t)y * (size_t)image->width * 4;
    for (int32_t x = 0; x < image->width; ++x) {
        memcpy(out + (size_t)x * (size_t)channels, from + 4 * (size_t)x, (size_t)channels);
    }
}

/* Filter byte and residuals of all rows into `out`; `scratch` holds two rows and one result. */
static void filter_image(const lim_image* image, int32_t channels, uint8_t* scratch, uint8_t* out) {
    int32_t size = image->width * channels;
    uint8_t *row = scratch, *above = scratch + size, *attempt = scratch + 2 * (size_t)size;
    for (int32_t y = 0; y < image->height; ++y) {
        uint8_t* best = out + (size_t)y * ((size_t)size + 1);
        int64_t least = INT64_MAX;
        pack_row(image, y, channels, row);
        for (int32_t filter = 0; filter < 5; ++filter) {
            int64_t sum = filter_row(filter, row, y > 0 ? above : NULL, size, channels, attempt);
            if (sum < least) {
                least = sum;
                best[0] = (uint8_t)filter;
                memcpy(best + 1, attempt, (size_t)size);
            }
        }
        uint8_t* swap = row;
        row = above;
        above = swap;
    }
}

static uint32_t crc32(const uint8_t* bytes, size_t size) {
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t value = i;
        for (int32_t k = 0; k < 8; ++k) {
            value = value & 1 ? 0xEDB88320u ^ value >> 1 : value >> 1;
        }
        table[i] = value;
    }
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; ++i) {
        crc = table[(crc ^ bytes[i]) & 0xFF] ^ crc >> 8;
    }
    return ~crc;
}

static bool put_u32(const lim_host* host, byte_array* out, uint32_t value) {
    return ARRAY_PUSH(host, out, (uint8_t)(value >> 24)) &&
           ARRAY_PUSH(host, out, (uint8_t)(value >> 16)) &&
           ARRAY_PUSH(host, out, (uint8_t)(value >> 8)) && ARRAY_PUSH(host, out, (uint8_t)value);
}

static bool put_bytes(const lim_host* host, byte_array* out, const void* bytes, int32_t size) {
    if (!ARRAY_RESERVE(host, out, (int64_t)out->count + size)) {
        return false;
    }
    memcpy(out->data + out->count, bytes, (size_t)size);
    out->count += size;
    return true;
}

/* Writes the length in front of a chunk whose name and data begin at `start`, and its check sum. */
static bool end_chunk(const lim_host* host, byte_array* out, int32_t start) {
    uint32_t size = (uint32_t)(out->count - start - 4);
    for (int32_t i = 0; i < 4; ++i) {
        out->data[start - 4 + i] = (uint8_t)(size >> (24 - 8 * i));
    }
    return put_u32(host, out, crc32(out->data + start, (size_t)size + 4));
}

static bool begin_chunk(const lim_host* host, byte_array* out, const char* name,
                        int32_t* out_start) {
    bool fits = put_u32(host, out, 0);
    *out_start = out->count;
    return fits && put_bytes(host, out, name, 4);
}

lim_result png_encode(const lim_host* host, const lim_image* image, byte_array* out) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    size_t pixels = (size_t)image->width * (size_t)image->height;
    int32_t channels = 3, start = 0;
    for (size_t i = 0; i < pixels && channels == 3; ++i) {
        channels = image->rgba[4 * i + 3] == 255 ? 3 : 4;
    }
    size_t row = (size_t)image->width * (size_t)channels;
    size_t size = (row + 1) * (size_t)image->height;
    if (size > INT32_MAX) {
        return LIM_ERROR_TOO_LARGE;
    }
    const uint8_t about[5] = {8, channels == 3 ? 2 : 6, 0, 0, 0};
    const uint8_t intent = 0; /* sRGB, perceptual */
    if (!put_bytes(host, out, signature, sizeof signature) ||
        !begin_chunk(host, out, "IHDR", &start) || !put_u32(host, out, (uint32_t)image->width) ||
        !put_u32(host, out, (uint32_t)image->height) || !put_bytes(host, out, about, 5) ||
        !end_chunk(host, out, start) || !begin_chunk(host, out, "sRGB", &start) ||
        !put_bytes(host, out, &intent, 1) || !end_chunk(host, out, start)) {
        return LIM_ERROR_MEMORY;
    }
    uint8_t* scratch = mem_alloc(host, 3, row);
    uint8_t* filtered = mem_alloc(host, 1, size);
    lim_result result = LIM_ERROR_MEMORY;
    if (scratch != NULL && filtered != NULL && begin_chunk(host, out, "IDAT", &start)) {
        filter_image(image, channels, scratch, filtered);
        result = deflate_append(host, filtered, (int32_t)size, out);
    }
    mem_free(host, filtered, 1, size);
    mem_free(host, scratch, 3, row);
    LIM_TRY(result);
    if (!end_chunk(host, out, start) || !begin_chunk(host, out, "IEND", &start) ||
        !end_chunk(host, out, start)) {
        return LIM_ERROR_MEMORY;
    }
    return LIM_OK;
}

lim_result lim_io_write_png(const char* path, const lim_image* image, lim_io_message* out_message) {
    if (path == NULL || image == NULL || image->rgba == NULL || image->width <= 0 ||
        image->height <= 0) {
        return out_fail(out_message, LIM_ERROR_ARGUMENT, "a null path or an empty image");
    }
    lim_host host = mem_host(NULL);
    byte_array bytes = {0};
    lim_result result = png_encode(&host, image, &bytes);
    if (result != LIM_OK) {
        out_fail(out_message, result, "%s: an image of %d x %d pixels %s", path, (int)image->width,
                 (int)image->height,
                 result == LIM_ERROR_MEMORY ? "finds no memory" : "is too large for one PNG here");
    } else {
        out_file out;
        result = out_open(&out, path, out_message);
        if (result == LIM_OK) {
            out_bytes(&out, bytes.data, (size_t)bytes.count);
            result = out_close(&out);
        }
    }
    ARRAY_FREE(&host, &bytes);
    return result;
}

/* SPDX-License-Identifier: MIT
 * Running windows over octet records, for kernels that are compiled per instruction set. A record
 * has 8 lanes per field. Along a line whole records are added; along a row lanes move.
 *
 * A window of 2 w + 1 places is the end of one block of that many and the beginning of the next:
 * with sums from the left in each block and sums from the right, out = right[k - w] + left[k + w]
 * (van Herk 1992, for minima). So three additions per place whatever w is, never a subtraction, and
 * what a place's sum is depends on its window and on where the line begins alone. Along a row sums
 * of 1, 2, 4, ... lanes are put together from the binary digits of 2 w + 1.
 */
#ifndef LIMBER_BOX_WINDOW_H
#define LIMBER_BOX_WINDOW_H

#include "base/simd.h"
#include "net/box.h"

enum {
    BOX_FIELDS_MOST = 24,
    BOX_SUFFIX = 8 * BOX_FIELDS_MOST * (2 * BOX_WIDTH_MOST + 1), /* floats of right sums */
    BOX_EDGE = BOX_WIDTH_MOST / 8,                               /* octets of zeros before a row */
    BOX_MARGIN = 3 * BOX_EDGE                                    /* before and behind it */
};

/* Records of a line: at each place, or where an index says. */
typedef struct box_records {
    float* data;
    int32_t stride;       /* floats from one record to the next */
    const int32_t* index; /* per place, -1: none */
    bool at_places;       /* record k is that of place k, where index says that there is one */
} box_records;

static inline float* box_record(const box_records* r, int32_t k) {
    return r->data + (size_t)(r->at_places ? k : r->index[k]) * (size_t)r->stride;
}

/* A record where there is none. */
static const _Alignas(32) float BOX_NOTHING[8 * BOX_FIELDS_MOST];

static inline const float* box_input(const box_records* in, int32_t count, int32_t k) {
    return k >= 0 && k < count && in->index[k] >= 0 ? box_record(in, k) : BOX_NOTHING;
}

/* Three places wide. Fields run inside, so that records are read and written from end to end. */
KERNEL_INLINE void box_line_narrow(const box_records* in, const box_records* out, int32_t count,
                                   int fields) {
    for (int32_t k = 0; k < count; ++k) {
        if (out->index[k] < 0) {
            continue;
        }
        const float *before = box_input(in, count, k - 1), *now = box_input(in, count, k);
        const float* next = box_input(in, count, k + 1);
        float* to = box_record(out, k);
        for (int f = 0; f < fields; ++f) {
            fw sum = fw_add(fw_load(before + 8 * f), fw_load(now + 8 * f));
            fw_store(to + 8 * f, fw_add(sum, fw_load(next + 8 * f)));
        }
    }
}

/* Right sums of the block of `length` places from `begin` on: suffix[j] = places j .. length - 1.
 */
KERNEL_INLINE void box_line_right(const box_records* in, int32_t count, int32_t begin,
                                  int32_t length, int fields, float* suffix) {
    const float* last = BOX_NOTHING;
    for (int32_t j = length - 1; j > 0; --j) {
        const float* at = box_input(in, count, begin + j);
        float* to = suffix + (size_t)(j * fields) * 8;
        for (int f = 0; f < fields; ++f) {
            fw_store(to + 8 * f, fw_add(fw_load(last + 8 * f), fw_load(at + 8 * f)));
        }
        last = to;
    }
}

KERNEL_INLINE void box_line_wide(const box_records* in, const box_records* out, int32_t count,
                                 int32_t w, int fields, float* suffix) {
    int32_t length = 2 * w + 1, begin = 0;
    float* left = suffix; /* the place of suffix[0], which nothing needs */
    for (int f = 0; f < fields; ++f) {
        fw_store(left + 8 * f, fw_zero());
    }
    for (int32_t high = 0; high < count + w; ++high) {
        if (high == begin + length) {
            box_line_right(in, count, begin, length, fields, suffix);
            begin = high;
            for (int f = 0; f < fields; ++f) {
                fw_store(left + 8 * f, fw_zero());
            }
        }
        const float* at = box_input(in, count, high);
        int32_t k = high - w, low = high - begin + 1; /* of the window, in the block before */
        bool alone = begin == 0 || low == length;
        const float* right = alone ? BOX_NOTHING : suffix + (size_t)(low * fields) * 8;
        if (k < 0 || out->index[k] < 0) {
            for (int f = 0; f < fields; ++f) {
                fw_store(left + 8 * f, fw_add(fw_load(left + 8 * f), fw_load(at + 8 * f)));
            }
            continue;
        }
        float* to = box_record(out, k);
        for (int f = 0; f < fields; ++f) {
            fw sum = fw_add(fw_load(left + 8 * f), fw_load(at + 8 * f));
            fw_store(left + 8 * f, sum);
            fw_store(to + 8 * f, fw_add(fw_load(right + 8 * f), sum));
        }
    }
}

/* Windows along a line of `count` places. `fields` is a constant. suffix: BOX_SUFFIX floats. */
KERNEL_INLINE void box_line(const box_records* in, const box_records* out, int32_t count, int32_t w,
                            int fields, float* suffix) {
    if (w == 1) {
        box_line_narrow(in, out, count, fields);
    } else {
        box_line_wide(in, out, count, w, fields, suffix);
    }
}

/* Asks for a record before it is needed. */
static inline void box_prefetch(const float* record, int fields) {
    for (int k = 0; k < fields; k += 2) {
        __builtin_prefetch(record + 8 * k);
    }
}

/* A row of lanes with zeros around it: places begin BOX_EDGE octets in. */
static inline int32_t box_row_floats(int32_t places) {
    return 8 * (places + BOX_MARGIN);
}

/* Sums of one field at the places of a row go to records, where there is one. */
KERNEL_INLINE void box_put(const box_records* out, int32_t k, int field, fw sum) {
    if (out->index[k] >= 0) {
        fw_store(box_record(out, k) + 8 * field, sum);
    }
}

/* Windows along a row of one field. `row` and `sum`, as long, become scratch. */
KERNEL_INLINE void box_row(float* row, float* sum, int32_t places, int32_t w,
                           const box_records* out, int field) {
    float* at = row + 8 * BOX_EDGE;
    if (w == 1) {
        for (int32_t k = 0; k < places; ++k, at += 8) {
            box_put(out, k, field, fw_add(fw_add(fw_loadu(at - 1), fw_load(at)), fw_loadu(at + 1)));
        }
        return;
    }
    /* 2 w + 1 in binary, from its lowest digit, which is 1, to its highest. */
    int32_t length = 2 * w + 1, from = 1 - w, edge = 8 * ((w + 7) / 8);
    for (int32_t x = 0; x < 8 * places; x += 8) {
        fw_store(sum + x, fw_loadu(at + x - w));
    }
    for (int32_t step = 1; 2 * step <= length; step *= 2) {
        /* From sums of `step` lanes to sums of twice as many, in place: what is read lies ahead. */
        for (int32_t x = -edge; x < 8 * places + edge; x += 8) {
            fw_store(at + x, fw_add(fw_load(at + x), fw_loadu(at + x + step)));
        }
        if (4 * step > length) {
            for (int32_t k = 0; k < places; ++k) {
                box_put(out, k, field, fw_add(fw_load(sum + 8 * k), fw_loadu(at + 8 * k + from)));
            }
        } else if (length & 2 * step) {
            for (int32_t x = 0; x < 8 * places; x += 8) {
                fw_store(sum + x, fw_add(fw_load(sum + x), fw_loadu(at + x + from)));
            }
            from += 2 * step;
        }
    }
}

/* Zeros before and behind the places of each field's row, as far as windows reach and sums of lanes
 * look ahead. */
static inline void box_row_clear(float* rows, int32_t places, int32_t w, int32_t floats,
                                 int fields) {
    int32_t edge = 8 * ((w + 7) / 8), behind = w == 1 ? edge : 2 * edge;
    for (int f = 0; f < fields; ++f) {
        float* at = rows + (size_t)f * (size_t)floats + 8 * BOX_EDGE;
        for (int32_t x = -edge; x < 0; x += 8) {
            fw_store(at + x, fw_zero());
        }
        for (int32_t x = 8 * places; x < 8 * places + behind; x += 8) {
            fw_store(at + x, fw_zero());
        }
    }
}

#endif

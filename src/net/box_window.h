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
    BOX_GROUP = 8, /* most fields summed at a time, in registers */
    BOX_SUFFIX = 8 * BOX_GROUP * (2 * BOX_WIDTH_MOST + 1), /* floats of right sums */
    BOX_EDGE = BOX_WIDTH_MOST / 8,                         /* octets of zeros before a row */
    BOX_MARGIN = 3 * BOX_EDGE                              /* before and behind it */
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

/* Three places wide: the last two stay in registers. */
static inline void box_line_narrow(const box_records* in, const box_records* out, int32_t count,
                                   int first, int group) {
    fw before[4], now[4], next[4];
    for (int f = 0; f < group; ++f) {
        before[f] = now[f] = fw_zero();
    }
    for (int32_t k = -1; k < count; ++k) {
        bool more = k + 1 < count && in->index[k + 1] >= 0;
        const float* at = more ? box_record(in, k + 1) + 8 * first : NULL;
        for (int f = 0; f < group; ++f) {
            next[f] = more ? fw_load(at + 8 * f) : fw_zero();
        }
        if (k >= 0 && out->index[k] >= 0) {
            float* to = box_record(out, k) + 8 * first;
            for (int f = 0; f < group; ++f) {
                fw_store(to + 8 * f, fw_add(fw_add(before[f], now[f]), next[f]));
            }
        }
        for (int f = 0; f < group; ++f) {
            before[f] = now[f];
            now[f] = next[f];
        }
    }
}

/* Right sums of the block of `length` places from `begin` on: suffix[j] = places j .. length - 1.
 */
static inline void box_line_right(const box_records* in, int32_t count, int32_t begin,
                                  int32_t length, int first, int group, float* suffix) {
    fw sum[BOX_GROUP];
    for (int f = 0; f < group; ++f) {
        sum[f] = fw_zero();
    }
    for (int32_t j = length - 1; j > 0; --j) {
        int32_t k = begin + j;
        if (k < count && in->index[k] >= 0) {
            const float* at = box_record(in, k) + 8 * first;
            for (int f = 0; f < group; ++f) {
                sum[f] = fw_add(sum[f], fw_load(at + 8 * f));
            }
        }
        for (int f = 0; f < group; ++f) {
            fw_store(suffix + (size_t)(j * BOX_GROUP + f) * 8, sum[f]);
        }
    }
}

static inline void box_line_wide(const box_records* in, const box_records* out, int32_t count,
                                 int32_t w, int first, int group, float* suffix) {
    int32_t length = 2 * w + 1, begin = 0;
    fw left[BOX_GROUP];
    for (int f = 0; f < group; ++f) {
        left[f] = fw_zero();
    }
    for (int32_t high = 0; high < count + w; ++high) {
        if (high == begin + length) {
            box_line_right(in, count, begin, length, first, group, suffix);
            begin = high;
            for (int f = 0; f < group; ++f) {
                left[f] = fw_zero();
            }
        }
        if (high < count && in->index[high] >= 0) {
            const float* at = box_record(in, high) + 8 * first;
            for (int f = 0; f < group; ++f) {
                left[f] = fw_add(left[f], fw_load(at + 8 * f));
            }
        }
        int32_t k = high - w;
        if (k < 0 || out->index[k] < 0) {
            continue;
        }
        float* to = box_record(out, k) + 8 * first;
        int32_t low = high - begin + 1; /* of the window, in the block before */
        if (begin == 0 || low == length) {
            for (int f = 0; f < group; ++f) {
                fw_store(to + 8 * f, left[f]);
            }
        } else {
            const float* right = suffix + (size_t)(low * BOX_GROUP) * 8;
            for (int f = 0; f < group; ++f) {
                fw_store(to + 8 * f, fw_add(fw_load(right + 8 * f), left[f]));
            }
        }
    }
}

/* Windows along a line of `count` places. `fields` is a constant. suffix: BOX_SUFFIX floats. */
static inline void box_line(const box_records* in, const box_records* out, int32_t count, int32_t w,
                            int fields, float* suffix) {
    int narrow = fields % 4 == 0 ? 4 : fields % 3 == 0 ? 3 : 2;
    int wide = fields % 8 == 0 ? 8 : fields % 6 == 0 ? 6 : fields % 5 == 0 ? 5 : 2;
    if (w == 1) {
        for (int first = 0; first < fields; first += narrow) {
            box_line_narrow(in, out, count, first, narrow);
        }
    } else {
        for (int first = 0; first < fields; first += wide) {
            box_line_wide(in, out, count, w, first, wide, suffix);
        }
    }
}

/* A row of lanes with zeros around it: places begin BOX_EDGE octets in. */
static inline int32_t box_row_floats(int32_t places) {
    return 8 * (places + BOX_MARGIN);
}

/* Sums of one field at the places of a row go to records, where there is one. */
static inline void box_put(const box_records* out, int32_t k, int field, fw sum) {
    if (out->index[k] >= 0) {
        fw_store(box_record(out, k) + 8 * field, sum);
    }
}

/* Windows along a row of one field. `row` and `sum`, as long, become scratch. */
static inline void box_row(float* row, float* sum, int32_t places, int32_t w,
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

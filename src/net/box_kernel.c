/* SPDX-License-Identifier: MIT
 * Job: window sums of a whole lattice, compiled once per instruction set. In: a record per octet of
 * nodes. Out: the sum of each lane's window, in the same layout. Matching has the same sums in
 * pieces of its own (match/match_box_kernel.c); this is for constants, tests and benches.
 */
#include "net/box_window.h"

/* Rows of a plane, octets -> T. */
static inline void sum_rows(const box_net* b, const box_plane* p, const float* in, float* ends,
                            int fields, float* rows) {
    int32_t floats = box_row_floats(b->rows.longest);
    float* sums = rows + (size_t)(fields * floats);
    for (int32_t l = p->row_begin; l < p->row_end; ++l) {
        int32_t begin = b->rows.begin[l], places = b->rows.begin[l + 1] - begin;
        box_row_clear(rows, places, b->width, floats, fields);
        for (int32_t k = 0; k < places; ++k) {
            int32_t octet = b->rows.from[begin + k];
            for (int f = 0; f < fields; ++f) {
                fw value = octet >= 0
                               ? fw_load(in + ((size_t)octet * (size_t)fields + (size_t)f) * 8)
                               : fw_zero();
                fw_store(rows + f * floats + 8 * (k + BOX_EDGE), value);
            }
        }
        box_records to = {ends, 8 * fields, b->rows.to + begin, false};
        for (int f = 0; f < fields; ++f) {
            box_row(rows + f * floats, sums, places, b->width, &to, f);
        }
    }
}

static inline void apply(const box_net* b, const float* in, float* out, int fields, float* work) {
    int32_t stride = 8 * fields;
    float* suffix = work;
    float* rows = suffix + BOX_SUFFIX;
    float* ends = rows + (size_t)((fields + 1) * box_row_floats(b->rows.longest));
    float* plates = ends + (size_t)b->ends_most * (size_t)stride;
    for (int32_t i = 0; i < b->plane_count; ++i) {
        const box_plane* p = &b->plane[i];
        sum_rows(b, p, in, ends, fields, rows);
        for (int32_t l = p->line_begin; l < p->line_end; ++l) {
            int32_t begin = b->lines.begin[l];
            box_records from = {ends, stride, b->lines.from + begin, false};
            box_records to = {plates, stride, b->lines.to + begin, false};
            box_line(&from, &to, b->lines.begin[l + 1] - begin, b->width, fields, suffix);
        }
    }
    for (int32_t l = 0; l < b->columns.count; ++l) {
        int32_t begin = b->columns.begin[l];
        box_records from = {plates, stride, b->columns.from + begin, false};
        box_records to = {out, stride, b->columns.to + begin, false};
        box_line(&from, &to, b->columns.begin[l + 1] - begin, b->width, fields, suffix);
    }
}

static void box_apply(const box_net* b, const float* in, float* out, int32_t fields, float* work) {
    if (fields == 24) {
        apply(b, in, out, 24, work);
    } else if (fields == 15) {
        apply(b, in, out, 15, work);
    } else if (fields == 12) {
        apply(b, in, out, 12, work);
    } else {
        apply(b, in, out, 2, work);
    }
}

const box_kernels KERNEL(box_kernels) = {box_apply};

/* SPDX-License-Identifier: MIT
 * Job: sparse symmetric matrices of 3x3 blocks. In: which vertices meet. Out: the pattern, and
 * products.
 */
#include "shell/block_matrix.h"

#include "base/sort.h"

static uint64_t key_of(int32_t a, int32_t b) {
    uint32_t row = (uint32_t)(a > b ? a : b), column = (uint32_t)(a > b ? b : a);
    return (uint64_t)row << 32 | column;
}

lim_result block_matrix_create(arena* a, arena* scratch, int32_t rows, const int32_t* pairs,
                               int64_t pair_count, block_matrix* out) {
    int64_t all = pair_count + rows;
    if (all > INT32_MAX) {
        return LIM_ERROR_TOO_LARGE;
    }
    int32_t count = (int32_t)all, blocks = 0;
    sort_item* items = ARENA_ARRAY(scratch, sort_item, count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, count);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    for (int32_t i = 0; i < count; ++i) {
        int32_t row = i - (int32_t)pair_count;
        items[i].key =
            row < 0 ? key_of(pairs[2 * (size_t)i], pairs[2 * (size_t)i + 1]) : key_of(row, row);
    }
    sort_items(items, spare, count);
    for (int32_t i = 0; i < count; ++i) {
        if (i == 0 || items[i].key != items[i - 1].key) {
            items[blocks++] = items[i];
        }
    }
    out->rows = rows;
    out->start = ARENA_ARRAY(a, int32_t, rows + 1);
    out->column = ARENA_ARRAY(a, int32_t, blocks);
    out->value = ARENA_ARRAY(a, double, 9 * (size_t)blocks);
    LIM_TRY_MEMORY(out->start);
    LIM_TRY_MEMORY(out->column);
    LIM_TRY_MEMORY(out->value);
    for (int32_t i = 0; i < blocks; ++i) {
        out->column[i] = (int32_t)(items[i].key & 0xFFFFFFFFu);
        out->start[(items[i].key >> 32) + 1] = i + 1; /* every row has its diagonal */
    }
    return LIM_OK;
}

int32_t block_matrix_find(const block_matrix* m, int32_t row, int32_t column) {
    int32_t high = row > column ? row : column, low = row > column ? column : row;
    int32_t from = m->start[high], to = m->start[high + 1];
    while (to - from > 1) {
        int32_t middle = from + (to - from) / 2;
        if (m->column[middle] <= low) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return m->column[from] == low ? from : -1;
}

double block_dot(const lim_point* a, const lim_point* b, int32_t rows) {
    double sum = 0.0;
    for (int32_t i = 0; i < rows; ++i) {
        sum += p3_dot(a[i], b[i]);
    }
    return sum;
}

void block_matrix_apply(const block_matrix* m, double shift, const lim_point* x, lim_point* out) {
    for (int32_t i = 0; i < m->rows; ++i) {
        int32_t last = m->start[i + 1] - 1;
        const lim_point xi = x[i];
        lim_point sum = p3_scale(xi, shift);
        for (int32_t k = m->start[i]; k < last; ++k) {
            const double* v = m->value + 9 * (size_t)k;
            int32_t j = m->column[k];
            const lim_point xj = x[j];
            sum.x += v[0] * xj.x + v[1] * xj.y + v[2] * xj.z;
            sum.y += v[3] * xj.x + v[4] * xj.y + v[5] * xj.z;
            sum.z += v[6] * xj.x + v[7] * xj.y + v[8] * xj.z;
            out[j].x += v[0] * xi.x + v[3] * xi.y + v[6] * xi.z;
            out[j].y += v[1] * xi.x + v[4] * xi.y + v[7] * xi.z;
            out[j].z += v[2] * xi.x + v[5] * xi.y + v[8] * xi.z;
        }
        const double* v = m->value + 9 * (size_t)last;
        sum.x += v[0] * xi.x + v[1] * xi.y + v[2] * xi.z;
        sum.y += v[3] * xi.x + v[4] * xi.y + v[5] * xi.z;
        sum.z += v[6] * xi.x + v[7] * xi.y + v[8] * xi.z;
        out[i] = sum; /* rows above have not reached here yet */
    }
}

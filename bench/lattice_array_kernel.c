/* SPDX-License-Identifier: MIT
 * Job: the sums of figure 4, compiled once per instruction set like the kernels that they are
 * compared with. In: records in a dense array, or along lists. Out: sums. A sum stays in registers
 * until it is complete.
 */
#include "bench/lattice_array.h"

#include "net/gather.h"

static inline int32_t above(int32_t a, int32_t b) {
    return a > b ? a : b;
}
static inline int32_t below(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/* Adds `count` records that lie `stride` floats apart to sum. */
static inline void add_run(const float* record, int32_t count, size_t stride, int32_t strips,
                           fw* sum) {
    for (int32_t k = 0; k < count; ++k, record += stride) {
        for (int32_t s = 0; s < strips; ++s) {
            sum[s] = fw_add(sum[s], fw_load(record + 8 * s));
        }
    }
}

static inline void naive_strips(const lattice_array* l, int32_t w, int32_t strips, const float* in,
                                float* out) {
    const int32_t *n = l->size, floats = 8 * strips;
    for (int32_t i = 0; i < l->count; ++i) {
        int32_t at[3] = {l->place[i] % n[0], l->place[i] / n[0] % n[1], l->place[i] / n[0] / n[1]};
        int32_t first[3], last[3];
        for (int32_t k = 0; k < 3; ++k) {
            first[k] = above(at[k] - w, 0);
            last[k] = below(at[k] + w, n[k] - 1);
        }
        fw sum[NET_FORWARD_STRIPS];
        for (int32_t s = 0; s < strips; ++s) {
            sum[s] = fw_zero();
        }
        for (int32_t z = first[2]; z <= last[2]; ++z) {
            for (int32_t y = first[1]; y <= last[1]; ++y) {
                const float* row = in + (size_t)((z * n[1] + y) * n[0] + first[0]) * (size_t)floats;
                add_run(row, last[0] - first[0] + 1, (size_t)floats, strips, sum);
            }
        }
        for (int32_t s = 0; s < strips; ++s) {
            fw_store(out + (size_t)l->place[i] * (size_t)floats + 8 * s, sum[s]);
        }
    }
}

static void naive(const lattice_array* l, int32_t w, int32_t strips, const float* in, float* out) {
    if (strips == NET_FORWARD_STRIPS) {
        naive_strips(l, w, NET_FORWARD_STRIPS, in, out);
    } else {
        naive_strips(l, w, NET_ADJOINT_STRIPS, in, out);
    }
}

static inline void along_strips(const lattice_array* l, int32_t axis, int32_t w, int32_t strips,
                                const float* in, float* out) {
    const int32_t *n = l->size, floats = 8 * strips;
    int32_t step = axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1];
    size_t stride = (size_t)step * (size_t)floats;
    for (int32_t z = 0; z < n[2]; ++z) {
        for (int32_t y = 0; y < n[1]; ++y) {
            for (int32_t x = 0; x < n[0]; ++x) {
                int32_t at = axis == 0 ? x : axis == 1 ? y : z;
                int32_t first = above(at - w, 0), last = below(at + w, n[axis] - 1);
                int32_t place = (z * n[1] + y) * n[0] + x;
                fw sum[NET_FORWARD_STRIPS];
                for (int32_t s = 0; s < strips; ++s) {
                    sum[s] = fw_zero();
                }
                add_run(in + (size_t)(place + (first - at) * step) * (size_t)floats,
                        last - first + 1, stride, strips, sum);
                for (int32_t s = 0; s < strips; ++s) {
                    fw_store(out + (size_t)place * (size_t)floats + 8 * s, sum[s]);
                }
            }
        }
    }
}

static void along(const lattice_array* l, int32_t axis, int32_t w, int32_t strips, const float* in,
                  float* out) {
    if (strips == NET_FORWARD_STRIPS) {
        along_strips(l, axis, w, NET_FORWARD_STRIPS, in, out);
    } else {
        along_strips(l, axis, w, NET_ADJOINT_STRIPS, in, out);
    }
}

static inline void list_strips(const int64_t* offset, const int32_t* member, int32_t count,
                               int32_t strips, const float* in, float* out) {
    for (int32_t r = 0; r < count; ++r) {
        fw sum[NET_FORWARD_STRIPS];
        gather_list(member + offset[r], NULL, (int32_t)(offset[r + 1] - offset[r]), in, strips,
                    sum);
        for (int32_t s = 0; s < strips; ++s) {
            fw_store(out + (size_t)r * (size_t)(8 * strips) + 8 * s, sum[s]);
        }
    }
}

static void lists(const int64_t* offset, const int32_t* member, int32_t count, int32_t strips,
                  const float* in, float* out) {
    if (strips == NET_FORWARD_STRIPS) {
        list_strips(offset, member, count, NET_FORWARD_STRIPS, in, out);
    } else {
        list_strips(offset, member, count, NET_ADJOINT_STRIPS, in, out);
    }
}

const lattice_kernels KERNEL(lattice_kernels) = {naive, along, lists};

/* SPDX-License-Identifier: MIT
 * Job: what a region's material is like where it differs within a body. In: a factor per node. Out:
 * its mean over each region, P{V~ f} / P{V~}, by volume: density and modulus are both per volume.
 * After a change of some nodes only the regions that hold one of them are looked at, with the same
 * sums in the same order, so that the bits are those of a new body.
 */
#include "region/charts.h"

/* {V~, V~ f} of a record of layer 0. */
static void leaf_sums(const region_nodes* nodes, const charts* c, const float* inv_weight,
                      const float* factor, int32_t record, double* sum) {
    int32_t node = charts_node(c, record);
    double volume = (double)nodes->volume[node] * (double)inv_weight[record]; /* 0 for pads */
    sum[0] = volume;
    sum[1] = volume > 0.0 ? volume * (double)factor[node] : 0.0;
}

/* The same of a later record, from its inputs'. */
static void list_sums(const net* n, int32_t record, double* sums) {
    double* sum = sums + 2 * (size_t)record;
    sum[0] = sum[1] = 0.0;
    for (int32_t e = n->forward_offset[record]; e < n->forward_offset[record + 1]; ++e) {
        double share = n->forward_weight != NULL ? (double)n->forward_weight[e] : 1.0;
        const double* from = sums + 2 * (size_t)n->forward[e];
        sum[0] += share * from[0];
        sum[1] += share * from[1];
    }
}

static float mean_of(const double* sum) {
    return sum[0] > 0.0 ? (float)(sum[1] / sum[0]) : 1.0f;
}

/* Both sums over the windows of a lattice. */
static lim_result sum_windows(arena* scratch, const box_net* b, const double* sum, double* out) {
    size_t slots = 8 * (size_t)b->octets;
    double* in = ARENA_ARRAY(scratch, double, slots);
    double* one = ARENA_ARRAY(scratch, double, slots);
    LIM_TRY_MEMORY(in);
    LIM_TRY_MEMORY(one);
    for (size_t k = 0; k < 2; ++k) {
        for (size_t i = 0; i < slots; ++i) {
            in[i] = sum[2 * i + k];
        }
        LIM_TRY(box_sums(b, scratch, in, one));
        for (size_t i = 0; i < slots; ++i) {
            out[2 * i + k] = one[i];
        }
    }
    return LIM_OK;
}

lim_result regions_mean(arena* scratch, const region_nodes* nodes, const charts* c, const net* n,
                        const box_net* b, const float* inv_weight, const float* factor,
                        const regions* r, float* out) {
    double* sum = ARENA_ARRAY(scratch, double, 2 * (size_t)n->record_count);
    double* windows = ARENA_ARRAY(scratch, double, 2 * (size_t)r->box);
    LIM_TRY_MEMORY(sum);
    LIM_TRY_MEMORY(windows);
    for (int32_t i = 0; i < n->first[1]; ++i) {
        leaf_sums(nodes, c, inv_weight, factor, i, sum + 2 * (size_t)i);
    }
    for (int32_t i = n->first[1]; i < n->record_count; ++i) {
        list_sums(n, i, sum);
    }
    if (b != NULL) {
        LIM_TRY(sum_windows(scratch, b, sum, windows));
    }
    int32_t first = n->first[n->layers - 1] - r->box;
    for (int32_t i = 0; i < r->padded; ++i) {
        const double* s = i < r->box ? windows + 2 * (size_t)i : sum + 2 * (size_t)(first + i);
        out[i] = i < r->count ? mean_of(s) : 1.0f;
    }
    return LIM_OK;
}

/* Records above a changed node, then all that they are summed from. */
enum { CHANGED = 1, WANTED = 2 };
static void mark_records(const net* n, const charts* c, const uint8_t* changed, uint8_t* mark) {
    for (int32_t i = 0; i < n->first[1]; ++i) {
        mark[i] = changed[charts_node(c, i)] != 0 ? CHANGED : 0;
    }
    for (int32_t i = 0; i < n->first[n->layers - 1]; ++i) {
        for (int32_t e = n->back_offset[i]; mark[i] != 0 && e < n->back_offset[i + 1]; ++e) {
            mark[n->back[e]] = CHANGED;
        }
    }
    for (int32_t i = n->record_count - 1; i >= n->first[1]; --i) {
        for (int32_t e = n->forward_offset[i]; mark[i] != 0 && e < n->forward_offset[i + 1]; ++e) {
            mark[n->forward[e]] |= WANTED;
        }
    }
}

/* Regions of lists. */
static lim_result list_means(arena* scratch, const region_nodes* nodes, const charts* c,
                             const net* n, const float* inv_weight, const float* factor,
                             const uint8_t* changed, const regions* r, uint8_t* touched,
                             float* means) {
    uint8_t* mark = ARENA_ARRAY(scratch, uint8_t, n->record_count);
    double* sum = ARENA_ARRAY(scratch, double, 2 * (size_t)n->record_count);
    LIM_TRY_MEMORY(mark);
    LIM_TRY_MEMORY(sum);
    mark_records(n, c, changed, mark);
    for (int32_t i = 0; i < n->record_count; ++i) {
        if (mark[i] != 0 && i < n->first[1]) {
            leaf_sums(nodes, c, inv_weight, factor, i, sum + 2 * (size_t)i);
        } else if (mark[i] != 0) {
            list_sums(n, i, sum);
        }
    }
    int32_t first = n->first[n->layers - 1] - r->box;
    for (int32_t i = r->box; i < r->count; ++i) {
        touched[i] = (mark[first + i] & CHANGED) != 0;
        if (touched[i]) {
            means[i] = mean_of(sum + 2 * (size_t)(first + i));
        }
    }
    return LIM_OK;
}

/* Windows of a lattice: their sums are running ones over the whole body, and take less than finding
 * out where they could stop. The first of them says which windows hold a changed node. */
static lim_result window_means(arena* scratch, const region_nodes* nodes, const charts* c,
                               const box_net* b, const float* inv_weight, const float* factor,
                               const uint8_t* changed, uint8_t* touched, float* means) {
    size_t slots = 8 * (size_t)b->octets;
    double* sum = ARENA_ARRAY(scratch, double, 2 * slots);
    double* windows = ARENA_ARRAY(scratch, double, 2 * slots);
    LIM_TRY_MEMORY(sum);
    LIM_TRY_MEMORY(windows);
    for (size_t i = 0; i < slots; ++i) {
        sum[i] = changed[i] != 0 ? 1.0 : 0.0;
    }
    LIM_TRY(box_sums(b, scratch, sum, windows));
    for (size_t i = 0; i < slots; ++i) {
        touched[i] = windows[i] > 0.0;
        leaf_sums(nodes, c, inv_weight, factor, (int32_t)i, sum + 2 * i);
    }
    LIM_TRY(sum_windows(scratch, b, sum, windows));
    for (size_t i = 0; i < slots; ++i) {
        means[i] = touched[i] ? mean_of(windows + 2 * i) : means[i];
    }
    return LIM_OK;
}

lim_result regions_mean_again(arena* scratch, const region_nodes* nodes, const charts* c,
                              const net* n, const box_net* b, const float* inv_weight,
                              const float* factor, const uint8_t* changed, const regions* r,
                              uint8_t* touched, float* means) {
    if (b != NULL) {
        LIM_TRY(window_means(scratch, nodes, c, b, inv_weight, factor, changed, touched, means));
    }
    return list_means(scratch, nodes, c, n, inv_weight, factor, changed, r, touched, means);
}

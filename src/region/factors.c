/* SPDX-License-Identifier: MIT
 * Job: what a region's material is like where it differs within a body. In: a factor per node. Out:
 * its mean over each region, P{V~ f} / P{V~}, by volume: density and modulus are both per volume.
 */
#include "region/charts.h"

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
        int32_t node = charts_node(c, i);
        double volume = (double)nodes->volume[node] * (double)inv_weight[i]; /* 0 for pads */
        sum[2 * (size_t)i] = volume;
        sum[2 * (size_t)i + 1] = volume > 0.0 ? volume * (double)factor[node] : 0.0;
    }
    for (int32_t i = n->first[1]; i < n->record_count; ++i) {
        for (int32_t e = n->forward_offset[i]; e < n->forward_offset[i + 1]; ++e) {
            double share = n->forward_weight != NULL ? (double)n->forward_weight[e] : 1.0;
            size_t from = 2 * (size_t)n->forward[e];
            sum[2 * (size_t)i] += share * sum[from];
            sum[2 * (size_t)i + 1] += share * sum[from + 1];
        }
    }
    if (b != NULL) {
        LIM_TRY(sum_windows(scratch, b, sum, windows));
    }
    int32_t first = n->first[n->layers - 1] - r->box;
    for (int32_t i = 0; i < r->padded; ++i) {
        const double* s = i < r->box ? windows + 2 * (size_t)i : sum + 2 * (size_t)(first + i);
        out[i] = i < r->count && s[0] > 0.0 ? (float)(s[1] / s[0]) : 1.0f;
    }
    return LIM_OK;
}

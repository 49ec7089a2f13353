/* SPDX-License-Identifier: MIT
 * Job: what a region's material is like where it differs within a body. In: a factor per node. Out:
 * its mean over each region, P{V~ f} / P{V~}, by volume: density and modulus are both per volume.
 */
#include "region/charts.h"

lim_result regions_mean(arena* scratch, const region_nodes* nodes, const charts* c, const net* n,
                        const float* inv_weight, const float* factor, const regions* r,
                        float* out) {
    double* sum = ARENA_ARRAY(scratch, double, 2 * (size_t)n->record_count);
    LIM_TRY_MEMORY(sum);
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
    int32_t first = n->first[n->layers - 1];
    for (int32_t i = 0; i < r->padded; ++i) {
        const double* s = sum + 2 * (size_t)(first + i);
        out[i] = i < r->count && s[0] > 0.0 ? (float)(s[1] / s[0]) : 1.0f;
    }
    return LIM_OK;
}

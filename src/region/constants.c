/* SPDX-License-Identifier: MIT
 * Job: what regions need at rest, in double. In: nodes, the network, region weights. Out: W_i, m~_i
 * and per region M_r, c0_r, A0_r, sigma_r^2. Weights come from the seeds.
 */
#include "region/constants.h"

#include "math/eigen.h"

#include <string.h>

void regions_weigh_seeds(const region_nodes* nodes, regions* r) {
    double mean = 0.0;
    for (int32_t i = 0; i < nodes->padded; ++i) {
        mean += (double)nodes->volume[i] / nodes->count;
    }
    for (int32_t i = 0; i < nodes->padded; ++i) {
        if (r->seed_region[i] >= 0) {
            r->weight[r->seed_region[i]] += (float)((double)nodes->volume[i] / mean);
        }
    }
}

int32_t regions_used(const regions* r) {
    int32_t used = 0;
    for (int32_t i = 0; i < r->count; ++i) {
        used += r->weight[i] > 0.0f;
    }
    return used;
}

lim_result regions_allocate(arena* a, regions* r) {
    float** arrays[] = {&r->weight, &r->inv_mass, &r->c0[0], &r->c0[1], &r->c0[2], &r->a0[0],
                        &r->a0[1],  &r->a0[2],    &r->a0[3], &r->a0[4], &r->a0[5], &r->sigma2};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
        *arrays[k] = ARENA_ARRAY(a, float, r->padded);
        LIM_TRY_MEMORY(*arrays[k]);
    }
    return LIM_OK;
}

void node_moments(const region_nodes* nodes, const charts* c, int32_t chart, int32_t node, double m,
                  double at[MOMENTS]) {
    float local[3];
    for (int k = 0; k < 3; ++k) {
        local[k] = nodes->x0[k][node] - c->origin[k][chart];
    }
    double x = (double)local[0], y = (double)local[1], z = (double)local[2];
    const double values[MOMENTS] = {m,         m * x,     m * y,     m * z,     m * x * x,
                                    m * y * y, m * z * z, m * x * y, m * x * z, m * y * z};
    for (int k = 0; k < MOMENTS; ++k) {
        at[k] = values[k];
    }
}

void list_moments(const net* n, int32_t record, double* moment) {
    double sum[MOMENTS] = {0};
    for (int32_t e = n->forward_offset[record]; e < n->forward_offset[record + 1]; ++e) {
        const double* input = moment + (size_t)n->forward[e] * MOMENTS;
        double share = n->forward_weight != NULL ? (double)n->forward_weight[e] : 1.0;
        for (int k = 0; k < MOMENTS; ++k) {
            sum[k] += share * input[k];
        }
    }
    memcpy(moment + (size_t)record * MOMENTS, sum, sizeof sum);
}

double list_weight(const net* n, int32_t record, const double* weight) {
    double sum = 0.0;
    for (int32_t e = n->back_offset[record]; e < n->back_offset[record + 1]; ++e) {
        double share = n->back_weight != NULL ? (double)n->back_weight[e] : 1.0;
        sum += share * weight[n->back[e]];
    }
    return sum;
}

/* W = P^T w per record, then per node, its ghosts' added in order. */
static void sum_weights(const charts* c, const net* n, const regions* r, double* weight) {
    int32_t first_region = n->first[n->layers - 1];
    for (int32_t i = r->box; i < r->count; ++i) {
        weight[first_region + i - r->box] = (double)r->weight[i];
    }
    for (int32_t i = first_region - 1; i >= 0; --i) {
        weight[i] = list_weight(n, i, weight);
    }
    for (int32_t i = 0; i < c->slots && c->ghost_count > 0; ++i) {
        for (int32_t e = c->node_offset[i]; e < c->node_offset[i + 1]; ++e) {
            weight[i] += weight[c->node_ghost[e]];
        }
    }
}

/* What regions that are windows add to W. */
static lim_result add_box_weights(arena* scratch, const box_net* b, const regions* r,
                                  double* weight) {
    double* in = ARENA_ARRAY(scratch, double, r->box);
    double* out = ARENA_ARRAY(scratch, double, r->box);
    LIM_TRY_MEMORY(in);
    LIM_TRY_MEMORY(out);
    for (int32_t i = 0; i < r->box; ++i) {
        in[i] = (double)r->weight[i];
    }
    LIM_TRY(box_sums(b, scratch, in, out));
    for (int32_t i = 0; i < r->box; ++i) {
        weight[i] += out[i];
    }
    return LIM_OK;
}

/* Moments of the windows. */
static lim_result sum_box_moments(arena* scratch, const box_net* b, int32_t count,
                                  const double* moment, double* out) {
    double* in = ARENA_ARRAY(scratch, double, count);
    double* sum = ARENA_ARRAY(scratch, double, count);
    LIM_TRY_MEMORY(in);
    LIM_TRY_MEMORY(sum);
    for (int k = 0; k < MOMENTS; ++k) {
        for (int32_t i = 0; i < count; ++i) {
            in[i] = moment[(size_t)i * MOMENTS + (size_t)k];
        }
        LIM_TRY(box_sums(b, scratch, in, sum));
        for (int32_t i = 0; i < count; ++i) {
            out[(size_t)i * MOMENTS + (size_t)k] = sum[i];
        }
    }
    return LIM_OK;
}

void set_constants(regions* r, int32_t i, const double s[MOMENTS]) {
    double at[3] = {s[1] / s[0], s[2] / s[0], s[3] / s[0]};
    double a[6] = {s[4] - s[1] * at[0], s[5] - s[2] * at[1], s[6] - s[3] * at[2],
                   s[7] - s[1] * at[1], s[8] - s[1] * at[2], s[9] - s[2] * at[2]};
    r->inv_mass[i] = (float)(1.0 / s[0]);
    for (int k = 0; k < 3; ++k) {
        r->c0[k][i] = (float)at[k];
    }
    for (int k = 0; k < 6; ++k) {
        r->a0[k][i] = (float)a[k];
    }
    double values[3];
    dmat3 vectors;
    eigen_sym3(a, values, &vectors);
    /* A lone node, but for rounding of the large terms: no extent at all, so that nothing is
     * made of noise. */
    if (values[0] <= 1e-13 * (s[4] + s[5] + s[6])) {
        for (int k = 0; k < 6; ++k) {
            r->a0[k][i] = 0.0f;
        }
        return;
    }
    double sigma2 = values[0] / s[0];
    r->sigma2[i] = sigma2 > 0.0 ? (float)sigma2 : 0.0f;
}

lim_result regions_constants(arena* scratch, const region_nodes* nodes, const charts* c,
                             const net* n, const box_net* b, regions* r, float* out_inv_weight,
                             float* out_fit_mass) {
    double* weight = ARENA_ARRAY(scratch, double, n->record_count);
    double* moment = ARENA_ROOM(scratch, double, (size_t)n->record_count* MOMENTS);
    double* windows = ARENA_ARRAY(scratch, double, (size_t)r->box* MOMENTS);
    LIM_TRY_MEMORY(weight);
    LIM_TRY_MEMORY(moment);
    LIM_TRY_MEMORY(windows);
    const float* mass = nodes->mass != NULL ? nodes->mass : nodes->volume;
    int32_t first_region = n->first[n->layers - 1];
    sum_weights(c, n, r, weight);
    if (b != NULL) {
        LIM_TRY(add_box_weights(scratch, b, r, weight));
    }
    /* Node moments with m~ = m / W; a pad among the ghosts is in no list. */
    for (int32_t chart = 0; chart < c->count; ++chart) {
        for (int32_t i = c->begin[chart]; i < c->begin[chart + 1]; ++i) {
            bool real = nodes->volume[i] > 0.0f && weight[i] > 0.0;
            out_inv_weight[i] = real ? (float)(1.0 / weight[i]) : 0.0f;
            out_fit_mass[i] = real ? (float)((double)mass[i] / weight[i]) : 0.0f;
            node_moments(nodes, c, chart, i, (double)out_fit_mass[i], moment + (size_t)i * MOMENTS);
        }
    }
    for (int32_t chart = 0; chart < c->count && c->ghost_count > 0; ++chart) {
        for (int32_t i = c->ghost_begin[chart]; i < c->ghost_begin[chart + 1]; ++i) {
            int32_t node = charts_node(c, i);
            bool real = n->back_offset[i] < n->back_offset[i + 1];
            out_inv_weight[i] = real ? out_inv_weight[node] : 0.0f;
            out_fit_mass[i] = real ? out_fit_mass[node] : 0.0f;
            node_moments(nodes, c, chart, node, (double)out_fit_mass[i],
                         moment + (size_t)i * MOMENTS);
        }
    }
    for (int32_t i = n->first[1]; i < n->record_count; ++i) {
        list_moments(n, i, moment);
    }
    if (b != NULL) {
        LIM_TRY(sum_box_moments(scratch, b, r->box, moment, windows));
    }
    for (int32_t i = 0; i < r->padded; ++i) {
        const double* s = i < r->box ? windows + (size_t)i * MOMENTS
                                     : moment + (size_t)(first_region + i - r->box) * MOMENTS;
        if (i >= r->count || !(s[0] > 0.0)) {
            r->inv_mass[i] = 1.0f;
        } else {
            set_constants(r, i, s);
        }
    }
    return LIM_OK;
}

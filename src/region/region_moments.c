/* SPDX-License-Identifier: MIT
 * Job: how regions lie in another shape of the same nodes, in double. In: a second position per
 * slot. Out: per region the mixed moments sum m~ (y - c)(x0 - c0)^T, of which the linear fit from
 * rest to that shape is made; and the mean over the regions of each node of a matrix per region.
 */
#include "region/charts.h"

enum { FIELDS = 12 }; /* m~ y (3), m~ y x0^T (9) */

static void leaf_fields(const region_nodes* nodes, const charts* c, int32_t chart, int32_t node,
                        double m, const float* const to[3], double at[FIELDS]) {
    for (int k = 0; k < 3; ++k) {
        /* Like constants: the rest position is the float that matching uses. */
        double y = (double)to[k][node] - (double)c->origin[k][chart];
        at[k] = m * y;
        for (int j = 0; j < 3; ++j) {
            at[3 + 3 * k + j] = m * y * (double)(nodes->x0[j][node] - c->origin[j][chart]);
        }
    }
}

static void leaves(const region_nodes* nodes, const charts* c, const float* fit_mass,
                   const float* const to[3], double* field) {
    for (int32_t chart = 0; chart < c->count; ++chart) {
        for (int32_t i = c->begin[chart]; i < c->begin[chart + 1]; ++i) {
            leaf_fields(nodes, c, chart, i, (double)fit_mass[i], to, field + (size_t)i * FIELDS);
        }
        for (int32_t i = c->ghost_count > 0 ? c->ghost_begin[chart] : 0;
             c->ghost_count > 0 && i < c->ghost_begin[chart + 1]; ++i) {
            leaf_fields(nodes, c, chart, charts_node(c, i), (double)fit_mass[i], to,
                        field + (size_t)i * FIELDS);
        }
    }
}

/* Later records from their inputs. */
static void sum_lists(const net* n, double* field) {
    for (int32_t i = n->first[1]; i < n->record_count; ++i) {
        double* at = field + (size_t)i * FIELDS;
        for (int32_t e = n->forward_offset[i]; e < n->forward_offset[i + 1]; ++e) {
            const double* input = field + (size_t)n->forward[e] * FIELDS;
            double share = n->forward_weight != NULL ? (double)n->forward_weight[e] : 1.0;
            for (int k = 0; k < FIELDS; ++k) {
                at[k] += share * input[k];
            }
        }
    }
}

static lim_result sum_windows(arena* scratch, const box_net* b, int32_t count, const double* field,
                              double* out) {
    double* in = ARENA_ARRAY(scratch, double, count);
    double* sum = ARENA_ARRAY(scratch, double, count);
    LIM_TRY_MEMORY(in);
    LIM_TRY_MEMORY(sum);
    for (int k = 0; k < FIELDS; ++k) {
        for (int32_t i = 0; i < count; ++i) {
            in[i] = field[(size_t)i * FIELDS + (size_t)k];
        }
        LIM_TRY(box_sums(b, scratch, in, sum));
        for (int32_t i = 0; i < count; ++i) {
            out[(size_t)i * FIELDS + (size_t)k] = sum[i];
        }
    }
    return LIM_OK;
}

lim_result regions_moments(arena* scratch, const region_nodes* nodes, const charts* c, const net* n,
                           const box_net* b, const regions* r, const float* fit_mass,
                           const float* const to[3], dmat3* out) {
    double* field = ARENA_ARRAY(scratch, double, (size_t)n->record_count* FIELDS);
    double* windows = ARENA_ARRAY(scratch, double, (size_t)r->box* FIELDS);
    LIM_TRY_MEMORY(field);
    LIM_TRY_MEMORY(windows);
    leaves(nodes, c, fit_mass, to, field);
    sum_lists(n, field);
    if (b != NULL) {
        LIM_TRY(sum_windows(scratch, b, r->box, field, windows));
    }
    int32_t first = n->first[n->layers - 1] - r->box;
    for (int32_t i = 0; i < r->count; ++i) {
        const double* s =
            i < r->box ? windows + (size_t)i * FIELDS : field + (size_t)(first + i) * FIELDS;
        for (int k = 0; k < 9; ++k) {
            out[i].m[k] = s[3 + k] - s[k / 3] * (double)r->c0[k % 3][i];
        }
    }
    return LIM_OK;
}

lim_result regions_blend(arena* scratch, const charts* c, const net* n, const regions* r,
                         const float* inv_weight, const dmat3* matrix, float* out) {
    dmat3* sum = ARENA_ARRAY(scratch, dmat3, n->record_count);
    LIM_TRY_MEMORY(sum);
    int32_t first = n->first[n->layers - 1];
    for (int32_t i = 0; i < r->count; ++i) {
        for (int k = 0; k < 9; ++k) {
            sum[first + i].m[k] = (double)r->weight[i] * matrix[i].m[k];
        }
    }
    for (int32_t i = first - 1; i >= 0; --i) {
        for (int32_t e = n->back_offset[i]; e < n->back_offset[i + 1]; ++e) {
            double share = n->back_weight != NULL ? (double)n->back_weight[e] : 1.0;
            for (int k = 0; k < 9; ++k) {
                sum[i].m[k] += share * sum[n->back[e]].m[k];
            }
        }
    }
    for (int32_t i = 0; i < c->slots; ++i) {
        for (int32_t e = c->ghost_count > 0 ? c->node_offset[i] : 0;
             c->ghost_count > 0 && e < c->node_offset[i + 1]; ++e) {
            for (int k = 0; k < 9; ++k) {
                sum[i].m[k] += sum[c->node_ghost[e]].m[k];
            }
        }
        for (int k = 0; k < 9; ++k) {
            out[9 * (size_t)i + (size_t)k] = (float)((double)inv_weight[i] * sum[i].m[k]);
        }
    }
    return LIM_OK;
}

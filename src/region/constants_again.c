/* SPDX-License-Identifier: MIT
 * Job: the constants of regions after an edit. In: the network, which records are the same. Out:
 * what regions_constants gives. W of a node follows from the records above it, the constants of a
 * region from the nodes below: where those are as they were, so are these. Elsewhere the sums are
 * made, in the same order.
 */
#include "region/constants.h"
#include "region/past.h"

typedef struct renewal {
    const region_nodes* nodes;
    const charts* c;
    const net* n;
    const region_past* past;
    const record_map* map;
    regions* r;
    float *inv_weight, *fit_mass;
    uint8_t* wanted; /* records: of whom W, and later moments, are needed */
    uint8_t* other;  /* records that do not sum what they did */
    double* weight;  /* W, where wanted */
    double* moment;  /* MOMENTS each, where wanted */
} renewal;

static bool is_kept(const renewal* w, int32_t node) {
    return w->past->before[node] >= 0 && !w->map->touched[node];
}

/* W of the records above nodes that are not kept. */
static void sum_weights(const renewal* w) {
    const net* n = w->n;
    int32_t first = n->first[n->layers - 1];
    for (int32_t i = 0; i < first; ++i) {
        bool want = i < n->first[1] ? !is_kept(w, i) : w->wanted[i] != 0;
        for (int32_t e = n->back_offset[i]; want && e < n->back_offset[i + 1]; ++e) {
            w->wanted[n->back[e]] = 1;
        }
    }
    for (int32_t i = 0; i < w->r->count; ++i) {
        w->weight[first + i] = (double)w->r->weight[i];
    }
    for (int32_t i = first - 1; i >= n->first[1]; --i) {
        if (w->wanted[i]) {
            w->weight[i] = list_weight(n, i, w->weight);
        }
    }
}

/* Whether sums over a component are about another origin than before. */
static bool is_moved(const renewal* w, int32_t chart, int32_t was) {
    int32_t before = charts_of_slot(w->past->c, was);
    bool same = true;
    for (int k = 0; k < 3; ++k) {
        same = same && w->c->origin[k][chart] == w->past->c->origin[k][before];
    }
    return !same;
}

/* Marks nodes whose place in the sums is another. */
static void mark_moved(const renewal* w) {
    for (int32_t chart = 0; chart < w->c->count; ++chart) {
        for (int32_t i = w->c->begin[chart]; i < w->c->begin[chart + 1]; ++i) {
            int32_t was = w->past->before[i];
            w->other[i] |= was >= 0 && is_moved(w, chart, was);
        }
    }
}

/* 1 / W and m / W of the nodes. One that has another mass in the sums is marked. */
static void set_nodes(const renewal* w) {
    const float* mass = w->nodes->mass != NULL ? w->nodes->mass : w->nodes->volume;
    mark_moved(w);
    for (int32_t i = 0; i < w->n->first[1]; ++i) {
        int32_t was = w->past->before[i];
        if (is_kept(w, i)) {
            w->inv_weight[i] = w->past->inv_weight[was];
            w->fit_mass[i] = w->past->fit_mass[was];
            continue;
        }
        double sum = list_weight(w->n, i, w->weight);
        bool real = w->nodes->volume[i] > 0.0f && sum > 0.0;
        w->inv_weight[i] = real ? (float)(1.0 / sum) : 0.0f;
        w->fit_mass[i] = real ? (float)((double)mass[i] / sum) : 0.0f;
        w->other[i] |= was < 0 || w->fit_mass[i] != w->past->fit_mass[was];
    }
}

/* Which records do not sum what they did, and what their sums need. */
static void mark_sums(const renewal* w) {
    const net* n = w->n;
    int32_t first = n->first[n->layers - 1];
    for (int32_t i = 0; i < n->record_count; ++i) {
        w->other[i] |= w->map->before[i] < 0;
        for (int32_t e = n->back_offset[i]; w->other[i] && e < n->back_offset[i + 1]; ++e) {
            w->other[n->back[e]] = 1;
        }
        w->wanted[i] = w->other[i] && i >= first;
    }
    for (int32_t i = n->record_count - 1; i >= n->first[1]; --i) {
        for (int32_t e = n->forward_offset[i]; w->wanted[i] && e < n->forward_offset[i + 1]; ++e) {
            w->wanted[n->forward[e]] = 1;
        }
    }
}

static void sum_moments(const renewal* w) {
    const net* n = w->n;
    for (int32_t chart = 0; chart < w->c->count; ++chart) { /* a component is one chart */
        for (int32_t i = w->c->begin[chart]; i < w->c->begin[chart + 1]; ++i) {
            if (w->wanted[i]) {
                node_moments(w->nodes, w->c, chart, i, (double)w->fit_mass[i],
                             w->moment + (size_t)i * MOMENTS);
            }
        }
    }
    for (int32_t i = n->first[1]; i < n->record_count; ++i) {
        if (w->wanted[i]) {
            list_moments(n, i, w->moment);
        }
    }
}

static void take_constants(regions* r, int32_t i, const regions* from, int32_t was) {
    r->inv_mass[i] = from->inv_mass[was];
    r->sigma2[i] = from->sigma2[was];
    for (int k = 0; k < 3; ++k) {
        r->c0[k][i] = from->c0[k][was];
    }
    for (int k = 0; k < 6; ++k) {
        r->a0[k][i] = from->a0[k][was];
    }
}

static void set_regions(const renewal* w) {
    int32_t first = w->n->first[w->n->layers - 1];
    int32_t first_before = w->past->n->first[w->past->n->layers - 1];
    for (int32_t i = 0; i < w->r->padded; ++i) {
        const double* s = w->moment + (size_t)(first + i) * MOMENTS;
        if (!w->other[first + i]) {
            take_constants(w->r, i, w->past->r, w->map->before[first + i] - first_before);
        } else if (i >= w->r->count || !(s[0] > 0.0)) {
            w->r->inv_mass[i] = 1.0f;
        } else {
            set_constants(w->r, i, s);
        }
    }
}

lim_result regions_constants_again(arena* scratch, const region_nodes* nodes, const charts* c,
                                   const net* n, const region_past* past, const record_map* map,
                                   regions* r, float* out_inv_weight, float* out_fit_mass) {
    renewal w = {.nodes = nodes,
                 .c = c,
                 .n = n,
                 .past = past,
                 .map = map,
                 .r = r,
                 .inv_weight = out_inv_weight,
                 .fit_mass = out_fit_mass,
                 .wanted = ARENA_ARRAY(scratch, uint8_t, n->record_count),
                 .other = ARENA_ARRAY(scratch, uint8_t, n->record_count),
                 .weight = ARENA_ROOM(scratch, double, n->record_count),
                 .moment = ARENA_ROOM(scratch, double, (size_t)n->record_count* MOMENTS)};
    LIM_TRY_MEMORY(w.wanted);
    LIM_TRY_MEMORY(w.other);
    LIM_TRY_MEMORY(w.weight);
    LIM_TRY_MEMORY(w.moment);
    sum_weights(&w);
    set_nodes(&w);
    mark_sums(&w);
    sum_moments(&w);
    set_regions(&w);
    return LIM_OK;
}

/* SPDX-License-Identifier: MIT
 * Job: the network over clusters. In: a plan of clusters. Out: nodes -> middle sums -> regions. A
 * long list is cut into runs of CLUSTER_LIST, each a middle sum of the next layer, until the list
 * of the region itself is short. Weights stand in the entries of the nodes; sums of sums have
 * weight 1.
 */
#include "region/clusters.h"

/* Runs that a list of so many entries is cut into; 0: it is short enough. */
static int32_t runs_of(int32_t count) {
    return count > CLUSTER_LIST ? (count + CLUSTER_LIST - 1) / CLUSTER_LIST : 0;
}

/* Layers, records and entries. */
static lim_result count_layers(const cluster_plan* plan, const region_nodes* nodes, net* n,
                               int64_t* out_entries) {
    int64_t records[NET_LAYERS] = {0}, entries = 0, total = 0;
    int32_t middle = 0;
    for (int32_t k = 0; k < plan->count; ++k) {
        int32_t count = plan->offset[k + 1] - plan->offset[k], layer = 0;
        entries += count;
        for (; runs_of(count) > 0; count = runs_of(count)) {
            records[layer++] += runs_of(count);
            entries += runs_of(count);
        }
        middle = layer > middle ? layer : middle;
    }
    n->layers = middle + 2;
    n->first[1] = n->node_count = nodes->padded;
    total = nodes->padded;
    for (int32_t l = 0; l < middle; ++l) {
        total += records[l];
        n->first[l + 2] = (int32_t)total;
    }
    n->region_count = (plan->count + 7) / 8 * 8;
    total += n->region_count;
    if (total > INT32_MAX / 64 || entries > INT32_MAX) {
        return LIM_ERROR_TOO_LARGE;
    }
    n->record_count = n->first[n->layers] = (int32_t)total;
    *out_entries = entries;
    return LIM_OK;
}

/* Lists are filled layer by layer; within a layer by cluster, so offsets ascend. */
typedef struct filler {
    const cluster_plan* plan;
    const int32_t* slot;
    net* n;
    int32_t at;    /* next entry */
    int32_t* from; /* per cluster: where the list that it still has begins: a record, or -1: its
                      points */
    int32_t* left; /* how many entries that list has */
} filler;

static void put_entry(filler* f, int32_t k, int32_t entry) {
    bool points = f->from[k] < 0;
    int32_t member = f->plan->offset[k] + entry;
    f->n->forward[f->at] = points ? f->slot[f->plan->point[member]] : f->from[k] + entry;
    if (f->n->forward_weight != NULL) {
        f->n->forward_weight[f->at] = points ? f->plan->weight[member] : 1.0f;
    }
    f->at++;
}

static void fill_middle(filler* f, int32_t layer) {
    int32_t record = f->n->first[layer];
    for (int32_t k = 0; k < f->plan->count; ++k) {
        int32_t runs = runs_of(f->left[k]), first = record;
        for (int32_t run = 0; run < runs; ++run) {
            int32_t begin = run * CLUSTER_LIST, end = begin + CLUSTER_LIST;
            end = end < f->left[k] ? end : f->left[k];
            for (int32_t e = begin; e < end; ++e) {
                put_entry(f, k, e);
            }
            f->n->forward_offset[++record] = f->at;
        }
        if (runs > 0) {
            f->from[k] = first;
            f->left[k] = runs;
        }
    }
}

static void fill_regions(filler* f) {
    int32_t record = f->n->first[f->n->layers - 1];
    for (int32_t k = 0; k < f->n->region_count; ++k) {
        for (int32_t e = 0; k < f->plan->count && e < f->left[k]; ++e) {
            put_entry(f, k, e);
        }
        f->n->forward_offset[++record] = f->at;
    }
}

static lim_result fill_lists(arena* a, arena* scratch, const cluster_plan* plan,
                             const int32_t* slot, int64_t entries, net* n) {
    n->forward_offset = ARENA_ARRAY(a, int32_t, n->record_count + 1);
    n->forward = ARENA_ARRAY(a, int32_t, entries);
    filler f = {.plan = plan, .slot = slot, .n = n};
    f.from = ARENA_ARRAY(scratch, int32_t, plan->count);
    f.left = ARENA_ARRAY(scratch, int32_t, plan->count);
    LIM_TRY_MEMORY(n->forward_offset);
    LIM_TRY_MEMORY(n->forward);
    LIM_TRY_MEMORY(f.from);
    LIM_TRY_MEMORY(f.left);
    bool plain = true; /* one cluster for each point: every weight is 1 */
    for (int32_t e = 0; e < plan->offset[plan->count]; ++e) {
        plain = plain && plan->weight[e] == 1.0f;
    }
    if (!plain) {
        n->forward_weight = ARENA_ARRAY(a, float, entries);
        LIM_TRY_MEMORY(n->forward_weight);
    }
    for (int32_t k = 0; k < plan->count; ++k) {
        f.from[k] = -1;
        f.left[k] = plan->offset[k + 1] - plan->offset[k];
    }
    for (int32_t layer = 1; layer < n->layers - 1; ++layer) {
        fill_middle(&f, layer);
    }
    fill_regions(&f);
    return net_transpose(n, a);
}

lim_result regions_build_clusters(arena* a, arena* scratch, const region_nodes* nodes,
                                  const cluster_plan* plan, const int32_t* slot, net* out_net,
                                  regions* out_regions) {
    int64_t entries = 0;
    net n = {0};
    LIM_TRY(count_layers(plan, nodes, &n, &entries));
    LIM_TRY(fill_lists(a, scratch, plan, slot, entries, &n));
    regions r = {.count = plan->count, .padded = n.region_count};
    r.members = (double)plan->offset[plan->count] / plan->count;
    r.inputs = (double)entries / plan->count;
    r.seed_region = ARENA_ARRAY(a, int32_t, nodes->padded);
    float* most = ARENA_ARRAY(scratch, float, nodes->padded);
    LIM_TRY_MEMORY(r.seed_region);
    LIM_TRY_MEMORY(most);
    LIM_TRY(regions_allocate(a, &r));
    for (int32_t i = 0; i < nodes->padded; ++i) {
        r.seed_region[i] = -1;
    }
    for (int32_t k = 0; k < plan->count; ++k) {
        r.weight[k] = 1.0f;
        for (int32_t e = plan->offset[k]; e < plan->offset[k + 1]; ++e) {
            int32_t at = slot[plan->point[e]];
            if (plan->weight[e] > most[at]) {
                most[at] = plan->weight[e];
                r.seed_region[at] = k;
            }
        }
    }
    *out_net = n;
    *out_regions = r;
    return LIM_OK;
}

/* SPDX-License-Identifier: MIT
 * Job: interval regions as a sum network. In: nodes in the hierarchy of the material, their graph,
 * a width per node. Out: the network nodes -> virtual nodes, level by level -> regions, and the
 * seeds.
 *
 * Layers between the nodes and the regions are the depth summation of Steinemann et al. 2008
 * (section 4.3), one layer per octree level, the finest first: a virtual node is the sum of its
 * children. The last layer is the breadth summation: a region is the sum of its summation nodes. A
 * virtual node is there only when a region or a virtual node that is there needs it. Lists are in
 * order of (level, piece), so the bits depend on the material alone.
 */
#include "region/interval_tree.h"
#include "region/list_pool.h"

typedef struct interval_builder {
    const lim_host* host;
    arena scratch;
    interval_tree tree;
    list_pool sets;  /* per region: its summation nodes, as numbers of the tree */
    int32_t* record; /* per number: its record; -1 for a virtual node that nobody needs */
    int64_t inner_inputs;
} interval_builder;

/* Marks the virtual nodes that are needed and numbers their records, layer by layer. */
static lim_result number_records(interval_builder* b, net* n) {
    const interval_tree* t = &b->tree;
    b->record = ARENA_ARRAY(&b->scratch, int32_t, t->count);
    LIM_TRY_MEMORY(b->record);
    for (int32_t i = 0; i < t->count; ++i) {
        b->record[i] = i < t->slot_count ? i : -1;
    }
    for (int32_t e = 0; e < b->sets.items.count; ++e) {
        b->record[b->sets.items.data[e]] = 0;
    }
    for (int32_t v = t->count - 1; v >= t->slot_count; --v) {
        int32_t inner = v - t->slot_count;
        for (int32_t e = t->child_first[inner]; b->record[v] >= 0 && e < t->child_first[inner + 1];
             ++e) {
            b->record[t->child[e]] = 0;
            b->inner_inputs++;
        }
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        b->record[i] = i;
    }
    int32_t next = t->slot_count;
    n->layers = 1;
    for (int32_t l = OCTANT_LEVELS; l >= 0; --l) {
        n->first[n->layers] = next;
        for (int32_t v = t->first[l + 1]; v < t->first[l]; ++v) {
            b->record[v] = b->record[v] >= 0 ? next++ : -1;
        }
        n->layers += next > n->first[n->layers]; /* a level without records is no layer */
    }
    n->first[n->layers] = next;
    return LIM_OK;
}

static int32_t write_list(const interval_builder* b, net* n, const int32_t* list, int32_t count,
                          int32_t at) {
    for (int32_t e = 0; e < count; ++e) {
        n->forward[at++] = b->record[list[e]];
    }
    return at;
}

static lim_result emit(interval_builder* b, arena* a, int32_t count, net* n) {
    const interval_tree* t = &b->tree;
    *n = (net){.node_count = t->slot_count, .region_count = (count + 7) / 8 * 8};
    LIM_TRY(number_records(b, n));
    int64_t records = (int64_t)n->first[n->layers] + n->region_count;
    int64_t inputs = b->inner_inputs + b->sets.items.count;
    if (records > INT32_MAX / 32 || inputs > INT32_MAX) {
        return LIM_ERROR_TOO_LARGE;
    }
    n->record_count = (int32_t)records;
    n->first[++n->layers] = n->record_count;
    n->forward_offset = ARENA_ARRAY(a, int32_t, records + 1);
    n->forward = ARENA_ARRAY(a, int32_t, inputs);
    LIM_TRY_MEMORY(n->forward_offset);
    LIM_TRY_MEMORY(n->forward);
    int32_t at = 0, record = t->slot_count;
    for (int32_t v = t->slot_count; v < t->count; ++v) {
        if (b->record[v] >= 0) {
            const int32_t* range = t->child_first + (v - t->slot_count);
            at = write_list(b, n, t->child + range[0], range[1] - range[0], at);
            n->forward_offset[++record] = at;
        }
    }
    for (int32_t r = 0; r < n->region_count; ++r) {
        if (r < count) {
            const int32_t* range = b->sets.start.data + r;
            at = write_list(b, n, b->sets.items.data + range[0], range[1] - range[0], at);
        }
        n->forward_offset[++record] = at;
    }
    return net_transpose(n, a);
}

/* The set of every node. */
static lim_result collect(interval_builder* b, const region_nodes* nodes, graph g,
                          const int32_t* width, int32_t eps_num, int32_t eps_den, bool one_per_node,
                          regions* out) {
    interval_search search;
    LIM_TRY(interval_search_init(&search, &b->scratch, &b->tree, g));
    if (!pool_init(b->host, &b->sets, nodes->count * 2)) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < nodes->padded; ++i) {
        out->seed_region[i] = -1;
        if (nodes->volume[i] <= 0.0f) {
            continue;
        }
        interval_search_run(&search, i, width[i], interval_limit(width[i], eps_num, eps_den));
        out->seed_region[i] = one_per_node
                                  ? pool_add(b->host, &b->sets, search.chosen, search.count)
                                  : pool_find(b->host, &b->sets, search.chosen, search.count);
        if (out->seed_region[i] < 0) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

/* Every seed gives its region a weight of one, shared out among the members; so W, the sum over the
 * regions of a node, is 1 in the mean. Were it the volume of the seed, as it is printed, W would be
 * the volume of all regions that reach a node, and jump by hundreds where one in large cells ends
 * within a thin part. Fits take m / W, which keeps momentum: regions across that end would hardly
 * see the nodes before it, and the thin part would hang there as by a hinge. */
static lim_result weigh(interval_builder* b, const region_nodes* nodes, const net* n,
                        regions* out) {
    double* count = ARENA_ARRAY(&b->scratch, double, n->record_count);
    LIM_TRY_MEMORY(count);
    for (int32_t i = 0; i < nodes->padded; ++i) {
        count[i] = nodes->volume[i] > 0.0f ? 1.0 : 0.0;
    }
    for (int32_t i = n->first[1]; i < n->record_count; ++i) {
        for (int32_t e = n->forward_offset[i]; e < n->forward_offset[i + 1]; ++e) {
            count[i] += count[n->forward[e]];
        }
    }
    const double* members = count + n->first[n->layers - 1];
    double sum = 0.0;
    for (int32_t r = 0; r < out->count; ++r) {
        sum += members[r];
    }
    out->members = out->count > 0 ? sum / out->count : 0.0;
    for (int32_t i = 0; i < nodes->padded; ++i) {
        int32_t seed = out->seed_region[i];
        if (seed >= 0) {
            out->weight[seed] += (float)(1.0 / members[seed]);
        }
    }
    return LIM_OK;
}

static lim_result build(interval_builder* b, arena* a, const region_nodes* nodes, graph g,
                        region_tree tree, const int32_t* width, int32_t eps_num, int32_t eps_den,
                        bool one_per_node, net* out_net, regions* out) {
    *out = (regions){0};
    out->seed_region = ARENA_ARRAY(a, int32_t, nodes->padded);
    LIM_TRY_MEMORY(out->seed_region);
    LIM_TRY(interval_tree_build(&b->scratch, nodes, tree, &b->tree));
    LIM_TRY(collect(b, nodes, g, width, eps_num, eps_den, one_per_node, out));
    out->count = pool_count(&b->sets);
    LIM_TRY(emit(b, a, out->count, out_net));
    out->padded = out_net->region_count;
    double count = out->count > 0 ? (double)out->count : 1.0;
    out->inputs = (double)out_net->forward_offset[out_net->record_count] / count;
    LIM_TRY(regions_allocate(a, out));
    return weigh(b, nodes, out_net, out);
}

lim_result regions_build_intervals(arena* a, const lim_host* host, const region_nodes* nodes,
                                   graph g, region_tree tree, const int32_t* width, int32_t eps_num,
                                   int32_t eps_den, bool one_per_node, net* out_net,
                                   regions* out_regions) {
    interval_builder b = {.host = host};
    arena_init(&b.scratch, host);
    lim_result result =
        build(&b, a, nodes, g, tree, width, eps_num, eps_den, one_per_node, out_net, out_regions);
    pool_free(host, &b.sets);
    arena_release(&b.scratch);
    return result;
}

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

/* The set of every node, and how many members the regions have in all. */
static lim_result collect(interval_builder* b, const region_nodes* nodes, graph g,
                          const int32_t* width, int32_t eps_num, int32_t eps_den, bool one_per_node,
                          regions* out, double* out_members) {
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
        int32_t before = pool_count(&b->sets);
        out->seed_region[i] = one_per_node
                                  ? pool_add(b->host, &b->sets, search.chosen, search.count)
                                  : pool_find(b->host, &b->sets, search.chosen, search.count);
        if (out->seed_region[i] < 0) {
            return LIM_ERROR_MEMORY;
        }
        for (int32_t k = 0; pool_count(&b->sets) > before && k < search.count; ++k) {
            *out_members += (double)b->tree.leaves[search.chosen[k]];
        }
    }
    return LIM_OK;
}

static lim_result build(interval_builder* b, arena* a, const region_nodes* nodes, graph g,
                        region_tree tree, const int32_t* width, int32_t eps_num, int32_t eps_den,
                        bool one_per_node, net* out_net, regions* out) {
    double members = 0.0;
    *out = (regions){0};
    out->seed_region = ARENA_ARRAY(a, int32_t, nodes->padded);
    LIM_TRY_MEMORY(out->seed_region);
    LIM_TRY(interval_tree_build(&b->scratch, nodes, tree, &b->tree));
    LIM_TRY(collect(b, nodes, g, width, eps_num, eps_den, one_per_node, out, &members));
    out->count = pool_count(&b->sets);
    LIM_TRY(emit(b, a, out->count, out_net));
    out->padded = out_net->region_count;
    double count = out->count > 0 ? (double)out->count : 1.0;
    out->members = members / count;
    out->inputs = (double)out_net->forward_offset[out_net->record_count] / count;
    LIM_TRY(regions_allocate(a, out));
    regions_weigh_seeds(nodes, out);
    return LIM_OK;
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

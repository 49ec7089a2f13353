/* SPDX-License-Identifier: MIT
 * Job: exact ball regions as a sum network. In: nodes with cells, their graph, a width. Out: the
 * network nodes -> bars -> plates -> regions, and the seeds.
 *
 * The region of a node is every node within `width` along the graph: at a concave place it follows
 * the material and does not jump the gap. Sets share their bars and plates (region/set_net.h);
 * regions with equal sets collapse into one whose weight is the sum.
 *
 * Why balls and not aligned octree blocks as in Steinemann et al. 2008: a block that no region's
 * border ever cuts behaves stiffer than its surroundings and shows as a brick in a stretched body;
 * balls are centred on their node wherever the tree's planes lie.
 */
#include "base/sort.h"
#include "region/region.h"
#include "region/set_net.h"

typedef struct builder {
    const lim_host* host;
    arena scratch;
    set_net sets;
    int32_t *row,
        *layer; /* per rank: number of its row (level, z, y) and of its plate (level, z) */
    int32_t *rank, *ranked; /* slot -> rank in (level, z, y, x, fragment) order, and back */
    ARRAY(sort_item) members;
    ARRAY(sort_item) scratch_items;
    ARRAY(int32_t) sorted;
} builder;

/* Ranks slots by (level, z, y, x, slot) and numbers rows and plates along that order. */
static lim_result rank_slots(builder* b, const region_nodes* nodes) {
    sort_item* items = ARENA_ARRAY(&b->scratch, sort_item, nodes->count);
    sort_item* spare = ARENA_ARRAY(&b->scratch, sort_item, nodes->count);
    b->rank = ARENA_ARRAY(&b->scratch, int32_t, nodes->padded);
    b->ranked = ARENA_ARRAY(&b->scratch, int32_t, nodes->count);
    b->row = ARENA_ARRAY(&b->scratch, int32_t, nodes->count);
    b->layer = ARENA_ARRAY(&b->scratch, int32_t, nodes->count);
    if (items == NULL || spare == NULL || b->rank == NULL || b->ranked == NULL || b->row == NULL ||
        b->layer == NULL) {
        return LIM_ERROR_MEMORY;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < nodes->padded; ++i) {
        if (nodes->volume[i] > 0.0f) {
            octant o = octant_of(nodes->key[i]);
            uint64_t key = (uint64_t)o.level << 58 | (uint64_t)(uint32_t)o.z << 38 |
                           (uint64_t)(uint32_t)o.y << 19 | (uint64_t)(uint32_t)o.x;
            items[count++] = (sort_item){key, i, 0};
        }
    }
    sort_items(items, spare, count);
    for (int32_t r = 0; r < count; ++r) {
        bool same_layer = r > 0 && items[r].key >> 38 == items[r - 1].key >> 38;
        bool same_row = r > 0 && items[r].key >> 19 == items[r - 1].key >> 19;
        b->ranked[r] = items[r].value;
        b->rank[items[r].value] = r;
        b->row[r] = r == 0 ? 0 : b->row[r - 1] + !same_row;
        b->layer[r] = r == 0 ? 0 : b->layer[r - 1] + !same_layer;
    }
    return LIM_OK;
}

static lim_result build(builder* b, arena* a, const region_nodes* nodes, graph g, int32_t width,
                        net* out_net, regions* out) {
    LIM_TRY(rank_slots(b, nodes));
    distance_search search;
    LIM_TRY(distance_search_init(&search, &b->scratch, g));
    LIM_TRY(set_net_init(&b->sets, b->host, b->row, b->layer, b->ranked, nodes->count));
    *out = (regions){0};
    out->seed_region = ARENA_ARRAY(a, int32_t, nodes->padded);
    LIM_TRY_MEMORY(out->seed_region);
    double members = 0.0;
    for (int32_t i = 0; i < nodes->padded; ++i) {
        out->seed_region[i] = -1;
        if (nodes->volume[i] <= 0.0f) {
            continue;
        }
        distance_search_run(&search, i, width + 1);
        if (!ARRAY_RESERVE(b->host, &b->members, search.count) ||
            !ARRAY_RESERVE(b->host, &b->scratch_items, search.count) ||
            !ARRAY_RESERVE(b->host, &b->sorted, search.count)) {
            return LIM_ERROR_MEMORY;
        }
        for (int32_t k = 0; k < search.count; ++k) {
            b->members.data[k] = (sort_item){(uint64_t)b->rank[search.found[k]], 0, 0};
        }
        sort_items(b->members.data, b->scratch_items.data, search.count);
        for (int32_t k = 0; k < search.count; ++k) {
            b->sorted.data[k] = (int32_t)b->members.data[k].key;
        }
        int32_t before = set_net_count(&b->sets, true);
        int32_t set = set_net_add(&b->sets, b->sorted.data, search.count);
        if (set < 0) {
            return LIM_ERROR_MEMORY;
        }
        out->seed_region[i] = set;
        members += set_net_count(&b->sets, true) > before ? (double)search.count : 0.0;
    }
    out->count = set_net_count(&b->sets, true);
    LIM_TRY(set_net_emit(&b->sets, a, nodes->padded, true, out_net));
    out->padded = out_net->region_count;
    out->members = members / (out->count > 0 ? out->count : 1);
    out->inputs =
        (double)out_net->forward_offset[out_net->record_count] / (out->count > 0 ? out->count : 1);
    LIM_TRY(regions_allocate(a, out));
    regions_weigh_seeds(nodes, out);
    return LIM_OK;
}

lim_result regions_build_balls(arena* a, const lim_host* host, const region_nodes* nodes, graph g,
                               int32_t width, net* out_net, regions* out_regions) {
    builder b = {.host = host, .sets = {.host = host}};
    arena_init(&b.scratch, host);
    lim_result result = build(&b, a, nodes, g, width, out_net, out_regions);
    set_net_free(&b.sets);
    ARRAY_FREE(host, &b.sorted);
    ARRAY_FREE(host, &b.members);
    ARRAY_FREE(host, &b.scratch_items);
    arena_release(&b.scratch);
    return result;
}

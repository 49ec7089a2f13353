/* SPDX-License-Identifier: MIT
 * Job: exact ball regions as a sum network. In: nodes with cells, their graph, a width. Out: the
 * network nodes -> bars -> plates -> regions, and the seeds.
 *
 * The region of a node is every node within `width` along the graph: at a concave place it follows
 * the material and does not jump the gap. Each set is cut into bars (members with equal y, z), bars
 * with equal z make plates, plates make the region. Equal bars, plates and regions are found by
 * hashing and stored once (Rivers and James 2007, section 4, for irregular sets; algorithms B.11):
 * in a solid place a region of half-width w costs 3 (2 w + 1) additions instead of (2 w + 1)^3.
 * Regions with equal sets collapse into one whose weight is the sum (A.0 row 15). A list of one
 * entry is not a record of its own: its user takes the entry itself.
 *
 * Why balls and not aligned octree blocks as in Steinemann et al. 2008: a block that no region's
 * border ever cuts behaves stiffer than its surroundings and shows as a brick in a stretched body;
 * balls are centred on their node wherever the tree's planes lie.
 */
#include "base/sort.h"
#include "region/list_pool.h"
#include "region/region.h"

typedef struct builder {
    const lim_host* host;
    arena scratch;
    list_pool bars, plates, sets;
    int32_t *row,
        *layer; /* per rank: number of its row (level, z, y) and of its plate (level, z) */
    int32_t *rank, *ranked; /* slot -> rank in (level, z, y, x, fragment) order, and back */
    ARRAY(int32_t) bar_list, plate_list;
    ARRAY(sort_item) members;
    ARRAY(sort_item) scratch_items;
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

/* Bars and plates are named in lists by ~number until the layers' sizes are known; nodes by slot.
 * Bars: -2 - 2 k, plates: -3 - 2 k. */
static int32_t name_bar(int32_t number) {
    return -2 - 2 * number;
}
static int32_t name_plate(int32_t number) {
    return -3 - 2 * number;
}

/* Turns sorted ranks into the region's list of plates (or bars, or nodes). */
static bool factor(builder* b, int32_t count) {
    const sort_item* m = b->members.data;
    b->plate_list.count = 0;
    for (int32_t i = 0; i < count;) {
        int32_t layer = b->layer[m[i].key];
        b->bar_list.count = 0;
        while (i < count && b->layer[m[i].key] == layer) {
            int32_t row = b->row[m[i].key], begin = i;
            int32_t* list = (int32_t*)b->scratch_items.data; /* room for count entries */
            for (; i < count && b->row[m[i].key] == row; ++i) {
                list[i - begin] = b->ranked[m[i].key];
            }
            int32_t name = list[0];
            if (i - begin > 1) {
                int32_t bar = pool_find(b->host, &b->bars, list, i - begin);
                if (bar < 0) {
                    return false;
                }
                name = name_bar(bar);
            }
            if (!ARRAY_PUSH(b->host, &b->bar_list, name)) {
                return false;
            }
        }
        int32_t name = b->bar_list.data[0];
        if (b->bar_list.count > 1) {
            int32_t plate = pool_find(b->host, &b->plates, b->bar_list.data, b->bar_list.count);
            if (plate < 0) {
                return false;
            }
            name = name_plate(plate);
        }
        if (!ARRAY_PUSH(b->host, &b->plate_list, name)) {
            return false;
        }
    }
    return true;
}

static int32_t record_of(const net* n, int32_t name) {
    if (name >= 0) {
        return name;
    }
    int32_t number = (-name - 2) / 2;
    return (-name - 2) % 2 == 0 ? n->first[1] + number : n->first[2] + number;
}

static void copy_lists(const list_pool* p, int32_t first, net* n) {
    for (int32_t l = 0; l + 1 < p->start.count; ++l) {
        int32_t at = n->forward_offset[first + l];
        for (int32_t e = p->start.data[l]; e < p->start.data[l + 1]; ++e) {
            n->forward[at++] = record_of(n, p->items.data[e]);
        }
        n->forward_offset[first + l + 1] = at;
    }
}

/* Numbers the layers and writes the lists as records. */
static lim_result emit(builder* b, arena* a, const region_nodes* nodes, net* n, int32_t count) {
    int64_t bars = b->bars.start.count - 1, plates = b->plates.start.count - 1;
    int64_t padded = ((int64_t)count + 7) / 8 * 8;
    int64_t inputs = (int64_t)b->bars.items.count + b->plates.items.count + b->sets.items.count;
    int64_t records = nodes->padded + bars + plates + padded;
    if (records > INT32_MAX / 32 || inputs > INT32_MAX) {
        return LIM_ERROR_TOO_LARGE;
    }
    *n = (net){.layers = 4,
               .record_count = (int32_t)records,
               .node_count = nodes->padded,
               .region_count = (int32_t)padded};
    n->first[1] = nodes->padded;
    n->first[2] = n->first[1] + (int32_t)bars;
    n->first[3] = n->first[2] + (int32_t)plates;
    n->first[4] = (int32_t)records;
    n->forward_offset = ARENA_ARRAY(a, int32_t, records + 1);
    n->forward = ARENA_ARRAY(a, int32_t, inputs);
    LIM_TRY_MEMORY(n->forward_offset);
    LIM_TRY_MEMORY(n->forward);
    copy_lists(&b->bars, n->first[1], n);
    copy_lists(&b->plates, n->first[2], n);
    copy_lists(&b->sets, n->first[3], n);
    for (int32_t r = n->first[3] + count; r < n->first[4]; ++r) {
        n->forward_offset[r + 1] = n->forward_offset[r];
    }
    return net_transpose(n, a);
}

static lim_result build(builder* b, arena* a, const region_nodes* nodes, graph g, int32_t width,
                        net* out_net, regions* out) {
    LIM_TRY(rank_slots(b, nodes));
    distance_search search;
    LIM_TRY(distance_search_init(&search, &b->scratch, g));
    if (!pool_init(b->host, &b->bars, nodes->count * 4) ||
        !pool_init(b->host, &b->plates, nodes->count * 4) ||
        !pool_init(b->host, &b->sets, nodes->count * 2)) {
        return LIM_ERROR_MEMORY;
    }
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
            !ARRAY_RESERVE(b->host, &b->scratch_items, search.count)) {
            return LIM_ERROR_MEMORY;
        }
        for (int32_t k = 0; k < search.count; ++k) {
            b->members.data[k] = (sort_item){(uint64_t)b->rank[search.found[k]], 0, 0};
        }
        sort_items(b->members.data, b->scratch_items.data, search.count);
        if (!factor(b, search.count)) {
            return LIM_ERROR_MEMORY;
        }
        int32_t before = b->sets.start.count;
        int32_t set = pool_find(b->host, &b->sets, b->plate_list.data, b->plate_list.count);
        if (set < 0) {
            return LIM_ERROR_MEMORY;
        }
        out->seed_region[i] = set;
        members += b->sets.start.count > before ? (double)search.count : 0.0;
    }
    out->count = b->sets.start.count - 1;
    LIM_TRY(emit(b, a, nodes, out_net, out->count));
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
    builder b = {.host = host};
    arena_init(&b.scratch, host);
    lim_result result = build(&b, a, nodes, g, width, out_net, out_regions);
    pool_free(host, &b.bars);
    pool_free(host, &b.plates);
    pool_free(host, &b.sets);
    ARRAY_FREE(host, &b.bar_list);
    ARRAY_FREE(host, &b.plate_list);
    ARRAY_FREE(host, &b.members);
    ARRAY_FREE(host, &b.scratch_items);
    arena_release(&b.scratch);
    return result;
}

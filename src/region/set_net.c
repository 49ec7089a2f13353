/* SPDX-License-Identifier: MIT
 * Job: collect sets of nodes and share their parts. In: members of one set after the other. Out: a
 * sum network of three layers above the nodes.
 */
#include "region/set_net.h"

lim_result set_net_init(set_net* s, const lim_host* host, const int32_t* row, const int32_t* layer,
                        const int32_t* slot, int32_t expected) {
    *s = (set_net){.host = host, .row = row, .layer = layer, .slot = slot};
    bool made = pool_init(host, &s->bars, 4 * expected) &&
                pool_init(host, &s->plates, 4 * expected) &&
                pool_init(host, &s->sets, 2 * expected);
    return made ? LIM_OK : LIM_ERROR_MEMORY;
}

void set_net_free(set_net* s) {
    pool_free(s->host, &s->bars);
    pool_free(s->host, &s->plates);
    pool_free(s->host, &s->sets);
    ARRAY_FREE(s->host, &s->bar);
    ARRAY_FREE(s->host, &s->plate);
    ARRAY_FREE(s->host, &s->set);
}

/* Until the layers' sizes are known nodes are named by slot, bars by -2 - 2 k, plates by -3 - 2 k.
 */
static int32_t name_bar(int32_t number) {
    return -2 - 2 * number;
}
static int32_t name_plate(int32_t number) {
    return -3 - 2 * number;
}

/* The name of a list: its only entry, or that of the pool's. 0 and false when memory is out. */
static bool name_list(const lim_host* host, list_pool* pool, const int32_t* list, int32_t count,
                      int32_t (*name)(int32_t), int32_t* out) {
    *out = list[0];
    if (count > 1) {
        int32_t number = pool_find(host, pool, list, count);
        *out = name(number);
        return number >= 0;
    }
    return true;
}

int32_t set_net_add(set_net* s, const int32_t* ranks, int32_t count) {
    if (!ARRAY_RESERVE(s->host, &s->bar, count) || !ARRAY_RESERVE(s->host, &s->plate, count) ||
        !ARRAY_RESERVE(s->host, &s->set, count)) {
        return -1;
    }
    int32_t plates = 0;
    for (int32_t i = 0; i < count;) {
        int32_t layer = s->layer[ranks[i]], bars = 0;
        while (i < count && s->layer[ranks[i]] == layer) {
            int32_t row = s->row[ranks[i]], nodes = 0;
            for (; i < count && s->row[ranks[i]] == row; ++i) {
                s->bar.data[nodes++] = s->slot[ranks[i]];
            }
            if (!name_list(s->host, &s->bars, s->bar.data, nodes, name_bar,
                           &s->plate.data[bars++])) {
                return -1;
            }
        }
        if (!name_list(s->host, &s->plates, s->plate.data, bars, name_plate,
                       &s->set.data[plates++])) {
            return -1;
        }
    }
    return pool_find(s->host, &s->sets, s->set.data, plates);
}

static int32_t record_of(const net* n, int32_t name) {
    if (name >= 0) {
        return name;
    }
    int32_t number = (-name - 2) / 2;
    return (-name - 2) % 2 == 0 ? n->first[1] + number : n->first[2] + number;
}

static void copy_lists(const list_pool* p, int32_t first, net* n) {
    for (int32_t l = 0; l < pool_count(p); ++l) {
        int32_t at = n->forward_offset[first + l];
        for (int32_t e = p->start.data[l]; e < p->start.data[l + 1]; ++e) {
            n->forward[at++] = record_of(n, p->items.data[e]);
        }
        n->forward_offset[first + l + 1] = at;
    }
}

lim_result set_net_emit(const set_net* s, arena* a, int32_t nodes, net* n) {
    int64_t bars = pool_count(&s->bars), plates = pool_count(&s->plates);
    int32_t count = set_net_count(s);
    int64_t padded = ((int64_t)count + 7) / 8 * 8;
    int64_t inputs = (int64_t)s->bars.items.count + s->plates.items.count + s->sets.items.count;
    int64_t records = nodes + bars + plates + padded;
    if (records > INT32_MAX / 32 || inputs > INT32_MAX) {
        return LIM_ERROR_TOO_LARGE;
    }
    *n = (net){.layers = 4,
               .record_count = (int32_t)records,
               .node_count = nodes,
               .region_count = (int32_t)padded};
    n->first[1] = nodes;
    n->first[2] = n->first[1] + (int32_t)bars;
    n->first[3] = n->first[2] + (int32_t)plates;
    n->first[4] = (int32_t)records;
    n->forward_offset = ARENA_ARRAY(a, int32_t, records + 1);
    n->forward = ARENA_ARRAY(a, int32_t, inputs);
    LIM_TRY_MEMORY(n->forward_offset);
    LIM_TRY_MEMORY(n->forward);
    copy_lists(&s->bars, n->first[1], n);
    copy_lists(&s->plates, n->first[2], n);
    copy_lists(&s->sets, n->first[3], n);
    for (int32_t r = n->first[3] + count; r < n->first[4]; ++r) {
        n->forward_offset[r + 1] = n->forward_offset[r];
    }
    return net_transpose(n, a);
}

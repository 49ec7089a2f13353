/* SPDX-License-Identifier: MIT
 * Job: collect sets of nodes and share their parts. In: members of one set after the other. Out: a
 * sum network of three layers above the nodes.
 */
#include "region/set_net.h"

/* Instructions of match/match_kernel.c in AVX2 code with damping, by bench cost: of a record, and
 * of an input of it. A list whose inputs lie further apart than 768 KB waits for each of them: as
 * long as for four others (docs/performance.md). */
enum { WORK_RECORD = 114, WORK_INPUT = 14, WORK_FAR_INPUT = 56, FAR_RECORDS = 8192 };

static bool part_init(const lim_host* host, set_part* p, int32_t expected) {
    return pool_init(host, &p->pool, expected);
}

static void part_free(const lim_host* host, set_part* p) {
    pool_free(host, &p->pool);
    ARRAY_FREE(host, &p->turn);
}

/* The number of a list; -1 when memory is out. */
static int32_t part_find(const lim_host* host, set_part* p, const int32_t* list, int32_t count,
                         bool optional) {
    int32_t number = pool_find(host, &p->pool, list, count);
    if (number == p->turn.count && !ARRAY_PUSH(host, &p->turn, -1)) {
        return -1;
    }
    if (number >= 0 && !optional && p->turn.data[number] < 0) {
        p->turn.data[number] = p->turns++;
    }
    return number;
}

lim_result set_net_init(set_net* s, const lim_host* host, const int32_t* row, const int32_t* layer,
                        const int32_t* slot, int32_t expected) {
    *s = (set_net){.host = host, .row = row, .layer = layer, .slot = slot};
    bool made = part_init(host, &s->bars, 4 * expected) &&
                part_init(host, &s->plates, 4 * expected) &&
                part_init(host, &s->sets, 2 * expected);
    return made ? LIM_OK : LIM_ERROR_MEMORY;
}

void set_net_free(set_net* s) {
    part_free(s->host, &s->bars);
    part_free(s->host, &s->plates);
    part_free(s->host, &s->sets);
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
static bool is_bar(int32_t name) {
    return name % 2 == 0;
}
static int32_t number_of(int32_t name) {
    return (-name - 2) / 2;
}

/* The name of a list: its only entry, or that of the part's. 0 and false when memory is out. */
static bool name_list(set_net* s, set_part* part, const int32_t* list, int32_t count, bool optional,
                      int32_t (*name)(int32_t), int32_t* out) {
    *out = list[0];
    if (count > 1) {
        int32_t number = part_find(s->host, part, list, count, optional);
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
            if (!name_list(s, &s->bars, s->bar.data, nodes, false, name_bar,
                           &s->plate.data[bars++])) {
                return -1;
            }
        }
        if (!name_list(s, &s->plates, s->plate.data, bars, false, name_plate,
                       &s->set.data[plates++])) {
            return -1;
        }
    }
    return part_find(s->host, &s->sets, s->set.data, plates, false);
}

bool set_net_bar(set_net* s, const int32_t* slots, int32_t count, int32_t* out_name) {
    return name_list(s, &s->bars, slots, count, true, name_bar, out_name);
}

bool set_net_plate(set_net* s, const int32_t* bars, int32_t count, int32_t* out_name) {
    return name_list(s, &s->plates, bars, count, true, name_plate, out_name);
}

int32_t set_net_cube(set_net* s, const int32_t* plates, int32_t count) {
    return part_find(s->host, &s->sets, plates, count, true);
}

/* The number of what is named within its layer. */
static int32_t number_in_layer(const set_net* s, int32_t name, bool optional) {
    if (name >= 0 || optional) {
        return name >= 0 ? name : number_of(name);
    }
    return (is_bar(name) ? &s->bars : &s->plates)->turn.data[number_of(name)];
}

static bool is_in(const set_part* p, int32_t list, bool optional) {
    return optional || p->turn.data[list] >= 0;
}

static int64_t part_work(const set_net* s, const set_part* p, bool optional) {
    int64_t sum = 0;
    for (int32_t l = 0; l < pool_count(&p->pool); ++l) {
        if (is_in(p, l, optional)) {
            const int32_t* list = p->pool.items.data + p->pool.start.data[l];
            int32_t count = p->pool.start.data[l + 1] - p->pool.start.data[l];
            int32_t away = number_in_layer(s, list[count - 1], optional) -
                           number_in_layer(s, list[0], optional);
            bool far = away > FAR_RECORDS || away < -FAR_RECORDS;
            sum += WORK_RECORD + (int64_t)(far ? WORK_FAR_INPUT : WORK_INPUT) * count;
        }
    }
    return sum;
}

int64_t set_net_work(const set_net* s, bool optional) {
    return part_work(s, &s->bars, optional) + part_work(s, &s->plates, optional) +
           part_work(s, &s->sets, optional);
}

static int32_t part_count(const set_part* p, bool optional) {
    return optional ? pool_count(&p->pool) : p->turns;
}

static int64_t part_inputs(const set_part* p, bool optional) {
    int64_t sum = 0;
    for (int32_t l = 0; l < pool_count(&p->pool); ++l) {
        sum += is_in(p, l, optional) ? p->pool.start.data[l + 1] - p->pool.start.data[l] : 0;
    }
    return sum;
}

static int32_t record_of(const set_net* s, const net* n, int32_t name, bool optional) {
    int32_t number = number_in_layer(s, name, optional);
    return name >= 0 ? name : n->first[is_bar(name) ? 1 : 2] + number;
}

/* Lengths of lists stand where they end, in any order, then become sums. */
static void copy_lists(const set_net* s, const set_part* p, int32_t first, bool optional, net* n) {
    const list_pool* pool = &p->pool;
    for (int32_t l = 0; l < pool_count(pool); ++l) {
        if (is_in(p, l, optional)) {
            int32_t record = first + (optional ? l : p->turn.data[l]);
            n->forward_offset[record + 1] = pool->start.data[l + 1] - pool->start.data[l];
        }
    }
    for (int32_t r = first; r < first + part_count(p, optional); ++r) {
        n->forward_offset[r + 1] += n->forward_offset[r];
    }
    for (int32_t l = 0; l < pool_count(pool); ++l) {
        if (is_in(p, l, optional)) {
            int32_t at = n->forward_offset[first + (optional ? l : p->turn.data[l])];
            for (int32_t e = pool->start.data[l]; e < pool->start.data[l + 1]; ++e) {
                n->forward[at++] = record_of(s, n, pool->items.data[e], optional);
            }
        }
    }
}

lim_result set_net_emit(const set_net* s, arena* a, int32_t nodes, bool optional, net* n) {
    int64_t bars = part_count(&s->bars, optional), plates = part_count(&s->plates, optional);
    int32_t count = part_count(&s->sets, optional);
    int64_t padded = ((int64_t)count + 7) / 8 * 8;
    int64_t inputs = part_inputs(&s->bars, optional) + part_inputs(&s->plates, optional) +
                     part_inputs(&s->sets, optional);
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
    copy_lists(s, &s->bars, n->first[1], optional, n);
    copy_lists(s, &s->plates, n->first[2], optional, n);
    copy_lists(s, &s->sets, n->first[3], optional, n);
    for (int32_t r = n->first[3] + count; r < n->first[4]; ++r) {
        n->forward_offset[r + 1] = n->forward_offset[r];
    }
    return net_transpose(n, a);
}

/* SPDX-License-Identifier: MIT
 * Job: rewrite a sum network so that every record sums records of its own chart. In: a network over
 * slots, charts. Out: the network over slots and ghosts.
 *
 * Every region gets the chart that most of its mass is in. From there the need goes down the lists:
 * a record is wanted in every chart of the records that use it, and exists once for each. Of a node
 * the copy in its own chart is its slot, every other one a ghost. Copies keep the order of their
 * records, then of their charts, and lists keep theirs: sums do not depend on how charts are found.
 */
#include "base/array.h"
#include "region/charts.h"

#include <string.h>

/* A record in one chart; those of a record are linked in ascending order of chart. */
typedef struct copy {
    int32_t chart, next;
    int32_t number; /* in the new network */
} copy;

typedef struct splitter {
    const lim_host* host;
    arena scratch;
    const region_nodes* nodes;
    charts* c;
    const net* from;
    int32_t* slot_chart;
    int32_t* first_copy; /* per record of the old network, -1: none */
    ARRAY(copy) copies;
} splitter;

/* The chart with the largest share of the inputs' mass, each input being of one chart; the lowest
 * of equals. */
static int32_t heaviest_chart(const net* n, int32_t record, const int32_t* chart,
                              const double* mass) {
    int32_t best = -1;
    double most = 0.0;
    for (int32_t e = n->forward_offset[record]; e < n->forward_offset[record + 1]; ++e) {
        int32_t own = chart[n->forward[e]];
        double sum = 0.0;
        for (int32_t f = n->forward_offset[record]; f < n->forward_offset[record + 1]; ++f) {
            double w = n->forward_weight != NULL ? (double)n->forward_weight[f] : 1.0;
            sum += chart[n->forward[f]] == own ? w * mass[n->forward[f]] : 0.0;
        }
        if (best < 0 || sum > most || (sum == most && own < best)) {
            most = sum;
            best = own;
        }
    }
    return best;
}

static bool want(splitter* s, int32_t record, int32_t chart) {
    int32_t before = -1, at = s->first_copy[record];
    while (at >= 0 && s->copies.data[at].chart < chart) {
        before = at;
        at = s->copies.data[at].next;
    }
    if (at >= 0 && s->copies.data[at].chart == chart) {
        return true;
    }
    copy made = {chart, at, -1};
    if (!ARRAY_PUSH(s->host, &s->copies, made)) {
        return false;
    }
    *(before >= 0 ? &s->copies.data[before].next : &s->first_copy[record]) = s->copies.count - 1;
    return true;
}

/* Charts of the regions, then of everything below. Users have higher numbers than what they use. */
static lim_result find_copies(splitter* s, int32_t regions_count) {
    const net* n = s->from;
    int32_t* chart = ARENA_ARRAY(&s->scratch, int32_t, n->record_count);
    double* mass = ARENA_ARRAY(&s->scratch, double, n->record_count);
    s->slot_chart = chart;
    s->first_copy = ARENA_ARRAY(&s->scratch, int32_t, n->record_count);
    LIM_TRY_MEMORY(chart);
    LIM_TRY_MEMORY(mass);
    LIM_TRY_MEMORY(s->first_copy);
    memset(s->first_copy, 0xFF, (size_t)n->record_count * sizeof(int32_t));
    for (int32_t c = 0; c < s->c->count; ++c) {
        for (int32_t i = s->c->begin[c]; i < s->c->begin[c + 1]; ++i) {
            chart[i] = c;
            mass[i] = (double)s->nodes->volume[i];
        }
    }
    for (int32_t i = n->first[1]; i < n->record_count; ++i) {
        chart[i] = heaviest_chart(n, i, chart, mass);
        for (int32_t e = n->forward_offset[i]; e < n->forward_offset[i + 1]; ++e) {
            double w = n->forward_weight != NULL ? (double)n->forward_weight[e] : 1.0;
            mass[i] += w * mass[n->forward[e]];
        }
    }
    int32_t first_region = n->first[n->layers - 1];
    for (int32_t i = first_region; i < first_region + regions_count; ++i) {
        if (!want(s, i, chart[i])) {
            return LIM_ERROR_MEMORY;
        }
    }
    for (int32_t i = n->record_count - 1; i >= n->first[1]; --i) {
        for (int32_t at = s->first_copy[i]; at >= 0; at = s->copies.data[at].next) {
            for (int32_t e = n->forward_offset[i]; e < n->forward_offset[i + 1]; ++e) {
                if (!want(s, n->forward[e], s->copies.data[at].chart)) {
                    return LIM_ERROR_MEMORY;
                }
            }
        }
    }
    return LIM_OK;
}

/* Numbers of the ghosts, by chart and slot, and the lists of them. */
static lim_result number_ghosts(splitter* s, arena* a) {
    charts* c = s->c;
    int32_t* fill = ARENA_ARRAY(&s->scratch, int32_t, c->count);
    c->ghost_begin = ARENA_ARRAY(a, int32_t, c->count + 1);
    c->node_offset = ARENA_ARRAY(a, int32_t, c->slots + 1);
    LIM_TRY_MEMORY(fill);
    LIM_TRY_MEMORY(c->ghost_begin);
    LIM_TRY_MEMORY(c->node_offset);
    for (int32_t i = 0; i < c->slots; ++i) {
        c->node_offset[i + 1] = c->node_offset[i];
        for (int32_t at = s->first_copy[i]; at >= 0; at = s->copies.data[at].next) {
            if (s->copies.data[at].chart != s->slot_chart[i]) {
                fill[s->copies.data[at].chart]++;
                c->node_offset[i + 1]++;
            }
        }
    }
    int64_t end = c->slots;
    for (int32_t k = 0; k < c->count; ++k) {
        c->ghost_begin[k] = (int32_t)end;
        end += ((int64_t)fill[k] + 7) / 8 * 8;
        fill[k] = c->ghost_begin[k];
        if (end > INT32_MAX / 64) {
            return LIM_ERROR_TOO_LARGE;
        }
    }
    c->ghost_begin[c->count] = (int32_t)end;
    c->ghost_count = (int32_t)end - c->slots;
    c->ghost_node = ARENA_ARRAY(a, int32_t, c->ghost_count);
    c->node_ghost = ARENA_ARRAY(a, int32_t, c->node_offset[c->slots]);
    LIM_TRY_MEMORY(c->ghost_node);
    LIM_TRY_MEMORY(c->node_ghost);
    for (int32_t k = 0; k < c->count; ++k) {
        for (int32_t i = c->ghost_begin[k]; i < c->ghost_begin[k + 1]; ++i) {
            c->ghost_node[i - c->slots] = c->node[k];
        }
    }
    for (int32_t i = 0, listed = 0; i < c->slots; ++i) {
        for (int32_t at = s->first_copy[i]; at >= 0; at = s->copies.data[at].next) {
            copy* one = &s->copies.data[at];
            one->number = i;
            if (one->chart != s->slot_chart[i]) {
                one->number = fill[one->chart]++;
                c->ghost_node[one->number - c->slots] = i;
                c->node_ghost[listed++] = one->number;
            }
        }
    }
    return charts_blocks(a, c, c->ghost_begin, &c->ghost_blocks, &c->ghost_block_count);
}

/* Numbers of all later records, layer by layer; how many entries their lists have. */
static int64_t number_records(splitter* s, int32_t regions_count, net* n) {
    const net* from = s->from;
    int64_t entries = 0, next = s->c->slots + s->c->ghost_count;
    *n = (net){.layers = from->layers, .region_count = from->region_count};
    for (int32_t l = 1; l < from->layers; ++l) {
        n->first[l] = (int32_t)next;
        for (int32_t i = from->first[l]; i < from->first[l + 1]; ++i) {
            for (int32_t at = s->first_copy[i]; at >= 0; at = s->copies.data[at].next) {
                s->copies.data[at].number = (int32_t)next++;
                entries += from->forward_offset[i + 1] - from->forward_offset[i];
            }
        }
    }
    next += from->region_count - regions_count; /* pads */
    n->first[n->layers] = n->record_count = (int32_t)next;
    n->node_count = n->first[1];
    return next > INT32_MAX / 64 ? INT64_MAX : entries;
}

static int32_t copy_number(const splitter* s, int32_t record, int32_t chart) {
    int32_t at = s->first_copy[record];
    while (s->copies.data[at].chart != chart) {
        at = s->copies.data[at].next;
    }
    return s->copies.data[at].number;
}

static lim_result write_lists(splitter* s, arena* a, int64_t entries, net* n) {
    const net* from = s->from;
    n->forward_offset = ARENA_ARRAY(a, int32_t, n->record_count + 1);
    n->forward = ARENA_ARRAY(a, int32_t, entries);
    LIM_TRY_MEMORY(n->forward_offset);
    LIM_TRY_MEMORY(n->forward);
    if (from->forward_weight != NULL) {
        n->forward_weight = ARENA_ARRAY(a, float, entries);
        LIM_TRY_MEMORY(n->forward_weight);
    }
    int32_t listed = 0, next = n->first[1];
    for (int32_t i = from->first[1]; i < from->record_count; ++i) {
        for (int32_t at = s->first_copy[i]; at >= 0; at = s->copies.data[at].next) {
            for (int32_t e = from->forward_offset[i]; e < from->forward_offset[i + 1]; ++e) {
                if (from->forward_weight != NULL) {
                    n->forward_weight[listed] = from->forward_weight[e];
                }
                n->forward[listed++] = copy_number(s, from->forward[e], s->copies.data[at].chart);
            }
            n->forward_offset[++next] = listed;
        }
    }
    while (next < n->record_count) {
        n->forward_offset[++next] = listed;
    }
    return net_transpose(n, a);
}

static lim_result move_regions(arena* a, int32_t slots, const net* n, regions* r) {
    regions made = {.count = r->count, .padded = r->padded};
    made.seed_region = ARENA_ARRAY(a, int32_t, slots);
    LIM_TRY_MEMORY(made.seed_region);
    LIM_TRY(regions_allocate(a, &made));
    memcpy(made.weight, r->weight, (size_t)r->padded * sizeof(float));
    memcpy(made.seed_region, r->seed_region, (size_t)slots * sizeof(int32_t));
    made.members = r->members;
    made.inputs = (double)n->forward_offset[n->record_count] / (r->count > 0 ? r->count : 1);
    *r = made;
    return LIM_OK;
}

static lim_result split(splitter* s, arena* a, net* n, regions* r) {
    net made;
    LIM_TRY(find_copies(s, r->count));
    LIM_TRY(number_ghosts(s, a));
    int64_t entries = number_records(s, r->count, &made);
    if (entries > INT32_MAX) {
        return LIM_ERROR_TOO_LARGE;
    }
    LIM_TRY(write_lists(s, a, entries, &made));
    LIM_TRY(move_regions(a, s->c->slots, &made, r));
    *n = made;
    return LIM_OK;
}

lim_result charts_split(arena* a, const lim_host* host, const region_nodes* nodes, charts* c,
                        net* n, regions* r) {
    if (!charts_many(c)) {
        return LIM_OK;
    }
    splitter s = {.host = host, .nodes = nodes, .c = c, .from = n};
    arena_init(&s.scratch, host);
    lim_result result = split(&s, a, n, r);
    ARRAY_FREE(host, &s.copies);
    arena_release(&s.scratch);
    return result;
}

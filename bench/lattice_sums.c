/* SPDX-License-Identifier: MIT
 * Job: set up and run one way of summing over a lattice. In: nodes, links, half-width. Out: sums of
 * records.
 */
#include "bench/lattice_sums.h"

#include "bench/lattice_array.h"
#include "bench/lattice_ours.h"
#include "bench/naive_sums.h"
#include "region/region.h"
#include "sample/octant.h"

#include <string.h>

typedef enum sum_form { FORM_CUBES, FORM_LISTS, FORM_BARS, FORM_NET, FORM_OURS } sum_form;

enum { RUN = 256 }; /* regions of lists in one run */

struct lattice_sums {
    arena mem;
    sum_form form;
    int32_t w, nodes, count;
    int32_t* seed;
    lattice_array array;
    naive_sums lists;
    net n;
    regions r;
    float *in[2], *out[2]; /* of the array or of the lists; forward and back */
    float *bars, *plates;  /* of the array */
    float* records[2];     /* of the network; forward and back */
    lattice_ours ours;
};

/* Forward with 3 strips: 0, back with 2: 1. */
static int32_t pass_of(int32_t strips) {
    return strips == NET_FORWARD_STRIPS ? 0 : 1;
}

/* Records of both passes. */
static lim_result make_records(lattice_sums* s, int64_t count, float* out[2]) {
    out[0] = ARENA_ARRAY(&s->mem, float, (size_t)count* NET_FORWARD_STRIPS * 8);
    out[1] = ARENA_ARRAY(&s->mem, float, (size_t)count* NET_ADJOINT_STRIPS * 8);
    return out[0] != NULL && out[1] != NULL ? LIM_OK : LIM_ERROR_MEMORY;
}

static lim_result make_array(lattice_sums* s, const lattice_nodes* nodes) {
    LIM_TRY(lattice_array_make(&s->mem, nodes->coordinates, nodes->count, &s->array));
    LIM_TRY(make_records(s, s->array.places, s->in));
    LIM_TRY(make_records(s, s->array.places, s->out));
    if (s->form == FORM_BARS) {
        size_t floats = (size_t)s->array.places * NET_FORWARD_STRIPS * 8;
        s->bars = ARENA_ARRAY(&s->mem, float, floats);
        s->plates = ARENA_ARRAY(&s->mem, float, floats);
        LIM_TRY_MEMORY(s->bars);
        LIM_TRY_MEMORY(s->plates);
    }
    return LIM_OK;
}

/* Members of the largest region there can be. */
static int64_t cube(int32_t w) {
    int64_t side = 2 * (int64_t)w + 1;
    return side * side * side;
}

/* Takes runs of RUN neighbours, so many and so far apart that their lists fit. */
static lim_result make_lists(lattice_sums* s, const lattice_nodes* nodes, int64_t most_members) {
    int32_t runs = (nodes->count + RUN - 1) / RUN, every = 1;
    while (most_members > 0 &&
           (int64_t)((runs + every - 1) / every) * RUN * cube(s->w) > most_members &&
           every < runs) {
        every++;
    }
    s->count = 0;
    for (int32_t i = 0; i < nodes->count; ++i) {
        if (i / RUN % every == 0) {
            s->seed[s->count++] = i;
        }
    }
    LIM_TRY(make_records(s, nodes->count, s->in));
    LIM_TRY(make_records(s, s->count, s->out));
    arena scratch;
    arena_init(&scratch, &s->mem.host);
    lim_result result =
        naive_sums_within(&s->mem, &scratch, nodes->g, s->w, s->seed, s->count, &s->lists);
    arena_release(&scratch);
    return result;
}

/* The graph and the keys over padded slots; slot i is node i. */
static lim_result network_nodes(arena* a, const lattice_nodes* nodes, region_nodes* out_nodes,
                                graph* out_graph) {
    int32_t slots = (nodes->count + 7) / 8 * 8;
    float* volume = ARENA_ARRAY(a, float, slots);
    uint64_t* key = ARENA_ARRAY(a, uint64_t, slots);
    int32_t* offset = ARENA_ARRAY(a, int32_t, slots + 1);
    if (volume == NULL || key == NULL || offset == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < slots; ++i) {
        offset[i + 1] = nodes->g.offset[i < nodes->count ? i + 1 : nodes->count];
        if (i < nodes->count) {
            const int32_t* at = nodes->coordinates + 3 * (size_t)i;
            volume[i] = 1.0f;
            key[i] = octant_key((octant){OCTANT_LEVELS, at[0], at[1], at[2]});
        }
    }
    *out_nodes =
        (region_nodes){.count = nodes->count, .padded = slots, .volume = volume, .key = key};
    *out_graph = (graph){slots, offset, nodes->g.node, nodes->g.length};
    return LIM_OK;
}

/* Shared bars and plates, equal regions collapsed: the printed form for lattices of any shape. */
static lim_result make_network(lattice_sums* s, const lattice_nodes* nodes) {
    region_nodes over;
    graph g;
    s->form = FORM_NET;
    LIM_TRY(network_nodes(&s->mem, nodes, &over, &g));
    LIM_TRY(regions_build_balls(&s->mem, &s->mem.host, &over, g, s->w, &s->n, &s->r));
    return make_records(s, s->n.record_count, s->records);
}

static lim_result make(lattice_sums* s, const lattice_nodes* nodes, lattice_way way,
                       int64_t most_members) {
    s->nodes = s->count = nodes->count;
    s->seed = ARENA_ARRAY(&s->mem, int32_t, nodes->count);
    LIM_TRY_MEMORY(s->seed);
    for (int32_t i = 0; i < nodes->count; ++i) {
        s->seed[i] = i;
    }
    if (way == LATTICE_OURS) {
        s->form = FORM_OURS;
        return lattice_ours_make(&s->mem, nodes, s->w, &s->ours);
    }
    s->form = way == LATTICE_BARS ? FORM_BARS : nodes->full ? FORM_CUBES : FORM_LISTS;
    if (nodes->full) {
        return make_array(s, nodes);
    }
    return way == LATTICE_BARS ? make_network(s, nodes) : make_lists(s, nodes, most_members);
}

lim_result lattice_sums_create(const lattice_nodes* nodes, lattice_way way, int32_t w,
                               int64_t most_members, const lim_host* host, lattice_sums** out) {
    *out = NULL;
    lim_host hooks = mem_host(host);
    lattice_sums* s = mem_alloc(&hooks, 1, sizeof *s);
    LIM_TRY_MEMORY(s);
    arena_init(&s->mem, &hooks);
    s->w = w;
    lim_result result = make(s, nodes, way, most_members);
    if (result != LIM_OK) {
        lattice_sums_destroy(s);
        return result;
    }
    *out = s;
    return LIM_OK;
}

void lattice_sums_destroy(lattice_sums* s) {
    if (s != NULL) {
        lim_host host = s->mem.host;
        arena_release(&s->mem);
        mem_free(&host, s, 1, sizeof *s);
    }
}

int32_t lattice_sums_count(const lattice_sums* s) {
    return s->count;
}

int32_t lattice_sums_seed(const lattice_sums* s, int32_t index) {
    return s->seed[index];
}

/* Values of regions: those of equal regions add up. */
static void load_regions(lattice_sums* s, size_t floats, const float* values) {
    float* first = s->records[1] + (size_t)s->n.first[s->n.layers - 1] * floats;
    memset(first, 0, (size_t)s->n.region_count * floats * sizeof(float));
    for (int32_t i = 0; i < s->count; ++i) {
        float* record = first + (size_t)s->r.seed_region[i] * floats;
        for (size_t k = 0; k < floats; ++k) {
            record[k] += values[(size_t)i * floats + k];
        }
    }
}

void lattice_sums_load(lattice_sums* s, int32_t strips, const float* values) {
    size_t floats = (size_t)strips * 8;
    int32_t pass = pass_of(strips);
    if (s->form == FORM_OURS) {
        lattice_ours_load(&s->ours, strips, values);
    } else if (s->form == FORM_CUBES || s->form == FORM_BARS) {
        lattice_array_spread(&s->array, strips, values, s->in[pass]);
    } else if (s->form == FORM_LISTS) {
        memcpy(s->in[pass], values, (size_t)s->nodes * floats * sizeof(float));
    } else if (strips == NET_FORWARD_STRIPS) {
        memcpy(s->records[pass], values, (size_t)s->count * floats * sizeof(float));
    } else {
        load_regions(s, floats, values);
    }
}

void lattice_sums_run(lattice_sums* s, int32_t strips, isa set) {
    const net* n = &s->n;
    int32_t pass = pass_of(strips);
    if (s->form == FORM_OURS) {
        lattice_ours_run(&s->ours, strips, set);
    } else if (s->form == FORM_CUBES) {
        lattice_array_naive(&s->array, s->w, strips, set, s->in[pass], s->out[pass]);
    } else if (s->form == FORM_BARS) {
        lattice_array_bars(&s->array, s->w, strips, set, s->in[pass], s->bars, s->plates,
                           s->out[pass]);
    } else if (s->form == FORM_LISTS) {
        naive_sums_wide(&s->lists, s->in[pass], strips, set, s->out[pass]);
    } else if (strips == NET_FORWARD_STRIPS) {
        net_forward_middle(n, s->records[pass], strips, set, NULL);
        net_kernels_for(set)->forward(n, s->records[pass], strips, n->first[n->layers - 1],
                                      n->record_count);
    } else {
        net_adjoint_middle(n, s->records[pass], strips, set, NULL);
        net_kernels_for(set)->adjoint(n, s->records[pass], strips, 0, n->node_count);
    }
}

void lattice_sums_read(const lattice_sums* s, int32_t strips, float* out) {
    size_t floats = (size_t)strips * 8;
    int32_t pass = pass_of(strips);
    if (s->form == FORM_OURS) {
        lattice_ours_read(&s->ours, strips, out);
    } else if (s->form == FORM_CUBES || s->form == FORM_BARS) {
        lattice_array_collect(&s->array, strips, s->out[pass], out);
    } else if (s->form == FORM_LISTS) {
        memcpy(out, s->out[pass], (size_t)s->count * floats * sizeof(float));
    } else if (strips == NET_FORWARD_STRIPS) {
        const float* first = s->records[0] + (size_t)s->n.first[s->n.layers - 1] * floats;
        for (int32_t i = 0; i < s->count; ++i) {
            memcpy(out + (size_t)i * floats, first + (size_t)s->r.seed_region[i] * floats,
                   floats * sizeof(float));
        }
    } else {
        memcpy(out, s->records[pass], (size_t)s->count * floats * sizeof(float));
    }
}

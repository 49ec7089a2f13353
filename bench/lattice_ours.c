/* SPDX-License-Identifier: MIT
 * Job: run the library's sums over a lattice by themselves. In: nodes and links. Out: sums of
 * records. Nodes are laid out in octets as a body's are.
 */
#include "bench/lattice_ours.h"

#include "sample/octant.h"

#include <string.h>

/* Slots of the nodes: octets of 8 places along x, in order of z, y, x, as the nodes are. */
static lim_result place_nodes(arena* a, const lattice_nodes* nodes, lattice_ours* s) {
    s->count = nodes->count;
    s->slot = ARENA_ARRAY(a, int32_t, nodes->count);
    LIM_TRY_MEMORY(s->slot);
    int32_t octets = 0;
    for (int32_t i = 0; i < nodes->count; ++i) {
        const int32_t *at = nodes->coordinates + 3 * (size_t)i, *last = i > 0 ? at - 3 : at;
        bool same = i > 0 && at[2] == last[2] && at[1] == last[1] && at[0] / 8 == last[0] / 8;
        octets += !same;
        s->slot[i] = 8 * (octets - 1) + at[0] % 8;
    }
    s->slots = 8 * octets;
    return LIM_OK;
}

static lim_result slot_nodes(arena* a, const lattice_nodes* nodes, const lattice_ours* s,
                             region_nodes* out_nodes, graph* out_graph) {
    float* volume = ARENA_ARRAY(a, float, s->slots);
    uint64_t* key = ARENA_ARRAY(a, uint64_t, s->slots);
    int32_t* offset = ARENA_ARRAY(a, int32_t, s->slots + 1);
    int32_t* node = ARENA_ARRAY(a, int32_t, nodes->g.offset[nodes->count]);
    uint16_t* length = ARENA_ARRAY(a, uint16_t, nodes->g.offset[nodes->count]);
    if (volume == NULL || key == NULL || offset == NULL || node == NULL || length == NULL) {
        return LIM_ERROR_MEMORY;
    }
    int32_t links = 0, next = 0;
    for (int32_t slot = 0; slot < s->slots; ++slot) {
        if (next < nodes->count && s->slot[next] == slot) {
            const int32_t* at = nodes->coordinates + 3 * (size_t)next;
            volume[slot] = 1.0f;
            key[slot] = octant_key((octant){OCTANT_LEVELS, at[0], at[1], at[2]});
            for (int32_t e = nodes->g.offset[next]; e < nodes->g.offset[next + 1]; ++e) {
                length[links] = 2; /* half cells */
                node[links++] = s->slot[nodes->g.node[e]];
            }
            next++;
        }
        offset[slot + 1] = links;
    }
    *out_nodes =
        (region_nodes){.count = nodes->count, .padded = s->slots, .volume = volume, .key = key};
    *out_graph = (graph){s->slots, offset, node, length};
    return LIM_OK;
}

lim_result lattice_ours_make(arena* a, const lattice_nodes* nodes, int32_t w, lattice_ours* out) {
    *out = (lattice_ours){.count = 0};
    LIM_TRY(place_nodes(a, nodes, out));
    region_nodes over;
    graph g;
    LIM_TRY(slot_nodes(a, nodes, out, &over, &g));
    int32_t* component = ARENA_ARRAY(a, int32_t, out->slots); /* one, whether linked or not */
    LIM_TRY_MEMORY(component);
    LIM_TRY(regions_build_lattice(a, &a->host, &over, g, component, 0, w, NULL,
                                  WINDOWS_WHERE_CHEAPER, &out->box, &out->n, &out->r));
    static const int32_t fields[2] = {8 * NET_FORWARD_STRIPS, LATTICE_BACK};
    static const int32_t strips[2] = {NET_FORWARD_STRIPS, NET_ADJOINT_STRIPS};
    for (int32_t pass = 0; pass < 2; ++pass) {
        out->in[pass] = ARENA_ARRAY(a, float, (size_t)out->slots*(size_t)fields[pass]);
        out->out[pass] = ARENA_ARRAY(a, float, (size_t)out->slots*(size_t)fields[pass]);
        out->records[pass] =
            ARENA_ARRAY(a, float, (size_t)out->n.record_count*(size_t)strips[pass] * 8);
        LIM_TRY_MEMORY(out->in[pass]);
        LIM_TRY_MEMORY(out->out[pass]);
        LIM_TRY_MEMORY(out->records[pass]);
    }
    out->work = ARENA_ARRAY(a, float, box_work_floats(&out->box, fields[0]));
    LIM_TRY_MEMORY(out->work);
    return LIM_OK;
}

/* Where field f of a slot is in an array of octets. */
static size_t lane_of(int32_t slot, int32_t fields, int32_t f) {
    return (size_t)(slot / 8 * fields + f) * 8 + (size_t)(slot % 8);
}

static void load_nodes(lattice_ours* s, const float* values) {
    enum { FLOATS = 8 * NET_FORWARD_STRIPS };
    for (int32_t i = 0; i < s->count; ++i) {
        const float* value = values + (size_t)i * FLOATS;
        for (int32_t f = 0; f < FLOATS; ++f) {
            s->in[0][lane_of(s->slot[i], FLOATS, f)] = value[f];
        }
        memcpy(s->records[0] + (size_t)s->slot[i] * FLOATS, value, FLOATS * sizeof(float));
    }
}

/* Values of regions: a window's is that of its slot, those of equal sets add up. */
static void load_regions(lattice_ours* s, const float* values) {
    enum { FLOATS = 8 * NET_ADJOINT_STRIPS };
    float* first = s->records[1] + (size_t)s->n.first[s->n.layers - 1] * FLOATS;
    memset(first, 0, (size_t)s->n.region_count * FLOATS * sizeof(float));
    memset(s->in[1], 0, (size_t)s->slots * LATTICE_BACK * sizeof(float));
    for (int32_t i = 0; i < s->count; ++i) {
        int32_t region = s->r.seed_region[s->slot[i]];
        for (int32_t f = 0; f < LATTICE_BACK; ++f) {
            float value = values[(size_t)i * FLOATS + (size_t)f];
            if (region < s->r.box) {
                s->in[1][lane_of(region, LATTICE_BACK, f)] = value;
            } else {
                first[(size_t)(region - s->r.box) * FLOATS + (size_t)f] += value;
            }
        }
    }
}

void lattice_ours_load(lattice_ours* s, int32_t strips, const float* values) {
    if (strips == NET_FORWARD_STRIPS) {
        load_nodes(s, values);
    } else {
        load_regions(s, values);
    }
}

void lattice_ours_run(lattice_ours* s, int32_t strips, isa set) {
    const net* n = &s->n;
    bool forward = strips == NET_FORWARD_STRIPS;
    int32_t pass = forward ? 0 : 1, fields = forward ? 8 * NET_FORWARD_STRIPS : LATTICE_BACK;
    box_kernels_for(set)->apply(&s->box, s->in[pass], s->out[pass], fields, s->work);
    if (n->region_count == 0) {
        return;
    }
    if (forward) {
        net_forward_middle(n, s->records[0], strips, set, NULL);
        net_kernels_for(set)->forward(n, s->records[0], strips, n->first[n->layers - 1],
                                      n->record_count);
    } else {
        net_adjoint_middle(n, s->records[1], strips, set, NULL);
        net_kernels_for(set)->adjoint(n, s->records[1], strips, 0, n->node_count);
    }
}

void lattice_ours_few(lattice_ours* s, isa set) {
    enum { FEW = 12 };
    const net* n = &s->n;
    const net_kernels* kernels = net_kernels_for(set);
    float* records = s->records[1];
    box_kernels_for(set)->apply(&s->box, s->in[0], s->out[0], FEW, s->work);
    box_kernels_for(set)->apply(&s->box, s->in[1], s->out[1], FEW, s->work);
    if (n->region_count > 0) {
        net_forward_middle(n, s->records[0], NET_ADJOINT_STRIPS, set, NULL);
        kernels->forward(n, s->records[0], NET_ADJOINT_STRIPS, n->first[n->layers - 1],
                         n->record_count);
        net_adjoint_middle(n, records, NET_ADJOINT_STRIPS, set, NULL);
        kernels->adjoint(n, records, NET_ADJOINT_STRIPS, 0, n->node_count);
    }
}

void lattice_ours_read(const lattice_ours* s, int32_t strips, float* out) {
    bool forward = strips == NET_FORWARD_STRIPS;
    int32_t floats = 8 * strips, fields = forward ? floats : LATTICE_BACK;
    const float* first = s->records[0] + (size_t)s->n.first[s->n.layers - 1] * (size_t)floats;
    for (int32_t i = 0; i < s->count; ++i) {
        int32_t slot = s->slot[i], region = s->r.seed_region[slot];
        for (int32_t f = 0; f < fields; ++f) {
            float window = s->out[forward ? 0 : 1][lane_of(slot, fields, f)];
            float* to = out + (size_t)i * (size_t)floats + f;
            if (!forward) {
                float lists = s->n.region_count > 0
                                  ? s->records[1][(size_t)slot * (size_t)floats + (size_t)f]
                                  : 0.0f;
                *to = window + lists;
            } else {
                *to = region < s->r.box
                          ? window
                          : first[(size_t)(region - s->r.box) * (size_t)floats + (size_t)f];
            }
        }
    }
}

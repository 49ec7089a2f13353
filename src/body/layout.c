/* SPDX-License-Identifier: MIT
 * Job: nodes into slots. In: a sampling. Out: components, charts, slots and blocks of a topology.
 */
#include "body/layout.h"

#include "base/sort.h"

#include <string.h>

/* The arrays over slots; every slot is a pad of its component, what nodes have there is to be
 * written. component_begin is filled. */
static lim_result allocate_slots(topology* t) {
    arena* a = &t->mem;
    int32_t slots = t->slot_count;
    t->node_slot = ARENA_ROOM(a, int32_t, t->node_count);
    t->slot_node = ARENA_ROOM(a, int32_t, slots);
    t->slot_component = ARENA_ROOM(a, int32_t, slots);
    t->key = ARENA_ROOM(a, uint64_t, slots);
    t->fragment = ARENA_ROOM(a, uint16_t, slots);
    float** arrays[] = {&t->x0[0],     &t->x0[1],     &t->x0[2],  &t->centre[0],
                        &t->centre[1], &t->centre[2], &t->volume, &t->side};
    bool complete = t->node_slot != NULL && t->slot_node != NULL && t->slot_component != NULL &&
                    t->key != NULL && t->fragment != NULL;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
        *arrays[k] = ARENA_ROOM(a, float, slots);
        complete = complete && *arrays[k] != NULL;
    }
    if (!complete) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        for (int32_t i = t->component_begin[c]; i < t->component_begin[c + 1]; ++i) {
            t->slot_component[i] = c;
            t->slot_node[i] = -1;
        }
    }
    return LIM_OK;
}

/* slot: of each node. Pads are zero. */
static void put_all(topology* t, const int32_t* slot) {
    float* arrays[] = {t->x0[0],     t->x0[1],     t->x0[2],  t->centre[0],
                       t->centre[1], t->centre[2], t->volume, t->side};
    for (int32_t i = 0; i < t->node_count; ++i) {
        t->node_slot[i] = slot[i];
        t->slot_node[slot[i]] = i;
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (t->slot_node[i] >= 0) {
            continue;
        }
        for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
            arrays[k][i] = 0.0f;
        }
        t->key[i] = 0;
        t->fragment[i] = 0;
    }
}

/* Components one after the other, in them charts, each padded to a multiple of 8, nodes in key
 * order within. */
static lim_result lay_out_charts(topology* t, arena* scratch, const sampling* s) {
    chart_source source = {
        .count = s->node_count,
        .components = s->component_count,
        .key = s->key,
        .component = s->component,
        .g = {s->node_count, s->edge_offset, s->edge_node, s->edge_length},
        .levels = CHART_LEVELS,
    };
    int32_t* chart = ARENA_ROOM(scratch, int32_t, s->node_count);
    LIM_TRY_MEMORY(chart);
    LIM_TRY(charts_cut(&t->mem, scratch, &source, &t->charts, chart));
    int32_t* fill = ARENA_ARRAY(scratch, int32_t, t->charts.count);
    LIM_TRY_MEMORY(fill);
    for (int32_t c = t->charts.count - 1; c >= 0; --c) {
        fill[c] = t->component_begin[t->charts.component[c]] = t->charts.begin[c];
    }
    t->slot_count = t->component_begin[s->component_count] = t->charts.slots;
    LIM_TRY(allocate_slots(t));
    for (int32_t i = 0; i < s->node_count; ++i) {
        chart[i] = fill[chart[i]]++; /* from now on the slot */
    }
    put_all(t, chart);
    return LIM_OK;
}

/* ---- octets ---------------------------------------------------------------------------------- */

enum { ROW_BITS = OCTANT_LEVELS - 3, AXIS_BITS = OCTANT_LEVELS };

/* The octet of a place as a number: c, b, then a / 8. out_lane: a modulo 8. */
static uint64_t octet_of(uint64_t key, int32_t row_axis, int32_t* out_lane) {
    octant o = octant_of(key);
    const uint64_t at[3] = {(uint64_t)o.x, (uint64_t)o.y, (uint64_t)o.z};
    uint64_t a = at[row_axis], b = at[(row_axis + 1) % 3], c = at[(row_axis + 2) % 3];
    *out_lane = (int32_t)(a % OCTET);
    return c << (AXIS_BITS + ROW_BITS) | b << ROW_BITS | a / OCTET;
}

static uint64_t plane_of(uint64_t octet) {
    return octet >> (AXIS_BITS + ROW_BITS);
}

/* A corner that a slit leads through has several nodes in one component. They are laid out in
 * sheets: the first of each corner, then the second ones, and so on. Which sheet and component a
 * node is in, as a number. */
static lim_result number_sheets(const sampling* s, arena* scratch, uint64_t** out) {
    uint64_t* sheet = *out = ARENA_ARRAY(scratch, uint64_t, s->node_count);
    LIM_TRY_MEMORY(sheet);
    for (int32_t i = 0; i < s->node_count; ++i) {
        uint64_t before = 0; /* nodes of a corner are in a row */
        for (int32_t k = i - 1; k >= 0 && s->key[k] == s->key[i]; --k) {
            before += s->component[k] == s->component[i];
        }
        sheet[i] = (uint64_t)s->component[i] << 32 | before;
    }
    return LIM_OK;
}

/* Nodes in order of (component, sheet, octet); returns how many octets there are. */
static int32_t sort_octets(const sampling* s, const uint64_t* sheet, int32_t row_axis,
                           sort_item* item, sort_item* spare) {
    int32_t lane, count = 0;
    for (int32_t i = 0; i < s->node_count; ++i) {
        item[i] = (sort_item){.key = octet_of(s->key[i], row_axis, &lane), .value = i};
    }
    sort_items(item, spare, s->node_count);
    for (int32_t i = 0; i < s->node_count; ++i) {
        item[i].key = sheet[item[i].value];
    }
    sort_items(item, spare, s->node_count);
    for (int32_t i = 0; i < s->node_count; ++i) {
        uint64_t octet = octet_of(s->key[item[i].value], row_axis, &lane);
        count += i == 0 || item[i].key != item[i - 1].key ||
                 octet != octet_of(s->key[item[i - 1].value], row_axis, &lane);
    }
    return count;
}

/* One chart per component, which is never cut. */
static lim_result whole_charts(topology* t) {
    charts* c = &t->charts;
    *c = (charts){.count = t->component_count,
                  .components = t->component_count,
                  .slots = t->slot_count,
                  .begin = ARENA_ARRAY(&t->mem, int32_t, t->component_count + 1),
                  .component = ARENA_ARRAY(&t->mem, int32_t, t->component_count)};
    LIM_TRY_MEMORY(c->begin);
    LIM_TRY_MEMORY(c->component);
    memcpy(c->begin, t->component_begin, ((size_t)t->component_count + 1) * sizeof(int32_t));
    for (int32_t i = 0; i < t->component_count; ++i) {
        c->component[i] = i;
    }
    return LIM_OK;
}

static lim_result lay_out_octets(topology* t, arena* scratch, const sampling* s) {
    sort_item* item = ARENA_ARRAY(scratch, sort_item, s->node_count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, s->node_count);
    int32_t* slot = ARENA_ARRAY(scratch, int32_t, s->node_count);
    uint64_t* sheet;
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(spare);
    LIM_TRY_MEMORY(slot);
    LIM_TRY(number_sheets(s, scratch, &sheet));
    int32_t octets = INT32_MAX;
    for (int32_t axis = 0; axis < 3; ++axis) {
        int32_t needed = sort_octets(s, sheet, axis, item, spare);
        t->row_axis = needed < octets ? axis : t->row_axis;
        octets = needed < octets ? needed : octets;
    }
    if (octets > INT32_MAX / 64 / OCTET) {
        return LIM_ERROR_TOO_LARGE;
    }
    sort_octets(s, sheet, t->row_axis, item, spare);
    uint64_t before = 0;
    int32_t last = -1, at = -OCTET;
    for (int32_t i = 0; i < s->node_count; ++i) {
        int32_t lane, own = s->component[item[i].value];
        uint64_t octet = octet_of(s->key[item[i].value], t->row_axis, &lane);
        bool fresh = i == 0 || item[i].key != item[i - 1].key || octet != before;
        at += fresh ? OCTET : 0;
        if (own != last) {
            t->component_begin[own] = at;
        }
        slot[item[i].value] = at + lane;
        last = own;
        before = octet;
    }
    t->slot_count = t->component_begin[s->component_count] = octets * OCTET;
    LIM_TRY(allocate_slots(t));
    put_all(t, slot);
    return whole_charts(t);
}

lim_result layout_slots(topology* t, arena* scratch, const sampling* s) {
    t->node_count = s->node_count;
    t->component_count = s->component_count;
    t->component_begin = ARENA_ARRAY(&t->mem, int32_t, s->component_count + 1);
    t->component_origin = ARENA_ARRAY(&t->mem, int32_t, s->component_count);
    LIM_TRY_MEMORY(t->component_begin);
    LIM_TRY_MEMORY(t->component_origin);
    for (int32_t c = 0; c < s->component_count; ++c) {
        t->component_origin[c] = c;
    }
    return t->kind->nodes == LIM_NODES_AT_CORNERS ? lay_out_octets(t, scratch, s)
                                                  : lay_out_charts(t, scratch, s);
}

/* ---- blocks of octets ------------------------------------------------------------------------ */

/* The octet that begins at a slot; false when it has no node, or one that is not in its place. */
static bool octet_at(const topology* t, int32_t slot, uint64_t* out) {
    bool found = false;
    for (int32_t i = 0; i < OCTET; ++i) {
        int32_t lane;
        if (t->slot_node[slot + i] < 0) {
            continue;
        }
        uint64_t own = octet_of(t->key[slot + i], t->row_axis, &lane);
        if (lane != i || (found && own != *out)) {
            return false;
        }
        *out = own;
        found = true;
    }
    return found;
}

/* The block that begins at a slot. */
static node_block block_at(const topology* t, int32_t begin) {
    int32_t own = t->slot_component[begin], end = begin;
    int32_t most = t->component_begin[own + 1];
    most = begin + NODE_BLOCK < most ? begin + NODE_BLOCK : most;
    uint64_t octet = 0, before;
    octet_at(t, begin, &octet);
    do {
        end += OCTET;
        before = octet;
    } while (end < most && octet_at(t, end, &octet) && octet > before &&
             plane_of(octet) == plane_of(before));
    return (node_block){begin, end, own, own};
}

lim_result layout_blocks(topology* t) {
    if (t->kind->nodes != LIM_NODES_AT_CORNERS) {
        return charts_blocks(&t->mem, &t->charts, t->charts.begin, &t->blocks, &t->block_count);
    }
    for (int32_t at = 0; at < t->slot_count; at = block_at(t, at).end) {
        t->block_count++;
    }
    t->blocks = ARENA_ARRAY(&t->mem, node_block, t->block_count);
    LIM_TRY_MEMORY(t->blocks);
    for (int32_t i = 0, at = 0; i < t->block_count; at = t->blocks[i++].end) {
        t->blocks[i] = block_at(t, at);
    }
    return LIM_OK;
}

bool layout_octets_valid(const topology* t) {
    if (t->row_axis < 0 || t->row_axis > 2 || t->charts.count != t->component_count) {
        return false;
    }
    for (int32_t at = 0; at < t->slot_count; at += OCTET) {
        uint64_t octet = 0;
        if (!octet_at(t, at, &octet)) {
            return false;
        }
    }
    int32_t block = 0;
    for (int32_t at = 0; at < t->slot_count; ++block) {
        node_block right = block_at(t, at);
        if (block >= t->block_count || memcmp(&t->blocks[block], &right, sizeof right) != 0) {
            return false;
        }
        at = right.end;
    }
    return block == t->block_count;
}

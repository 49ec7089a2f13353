/* SPDX-License-Identifier: MIT
 * Job: show one region. In: a node of a body. Out: the members of its region as points that are
 * larger and darker the more they weigh, and the sums that the region adds up as the boxes of their
 * cells, coloured likewise.
 */
#include "world/drawing.h"

#include <string.h>

/* Boxes are this share of their edge smaller on each side, so that neighbours can be told apart. */
static const double BOX_GAP = 0.04;

/* Light for little weight, dark for the most; share within 0 and 1. */
static uint32_t weight_colour(float share) {
    static const float ramp[5][3] = {
        {250, 226, 150}, {246, 160, 76}, {214, 70, 105}, {124, 36, 130}, {38, 16, 84}};
    float at = share * 4.0f;
    int32_t from = at < 3.0f ? (int32_t)at : 3;
    uint32_t rgba = 0xFF;
    for (int k = 0; k < 3; ++k) {
        float mixed = ramp[from][k] + (ramp[from + 1][k] - ramp[from][k]) * (at - (float)from);
        rgba |= (uint32_t)(mixed + 0.5f) << (24 - 8 * k);
    }
    return rgba;
}

/* The share of every record up to `record` in its sum: down the lists, each list after all that use
 * it. What a ghost weighs, its node weighs. */
static void unfold(const topology* t, int32_t record, float* weight) {
    const net* n = &t->net;
    memset(weight, 0, (size_t)n->record_count * sizeof *weight);
    weight[record] = 1.0f;
    for (int32_t i = record; i >= n->first[1]; --i) {
        for (int32_t e = n->forward_offset[i]; weight[i] > 0.0f && e < n->forward_offset[i + 1];
             ++e) {
            float entry = n->forward_weight != NULL ? n->forward_weight[e] : 1.0f;
            weight[n->forward[e]] += weight[i] * entry;
        }
    }
    for (int32_t i = t->slot_count; i < n->first[1]; ++i) {
        weight[charts_node(&t->charts, i)] += weight[i];
    }
}

static int32_t layer_of(const net* n, int32_t record) {
    int32_t layer = 0;
    while (record >= n->first[layer + 1]) {
        layer++;
    }
    return layer;
}

static octant ancestor(octant o, int32_t level) {
    int32_t up = o.level - level;
    return (octant){level, o.x >> up, o.y >> up, o.z >> up};
}

/* The smallest cell with both in it. */
static octant join(octant a, octant b) {
    int32_t level = a.level < b.level ? a.level : b.level;
    a = ancestor(a, level);
    b = ancestor(b, level);
    while (a.x != b.x || a.y != b.y || a.z != b.z) {
        a = ancestor(a, a.level - 1);
        b = ancestor(b, b.level - 1);
    }
    return a;
}

/* The cell whose sum a record is. Plain sums are all that is in a cell. Tents reach beyond theirs,
 * but are highest in it, and each layer is one level up. */
static octant cell_of(const topology* t, int32_t record, const float* weight, int32_t* out_slot) {
    const net* n = &t->net;
    int32_t heaviest = -1;
    octant all = {0};
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (weight[i] > 0.0f) {
            octant own = octant_of(t->key[i]);
            all = heaviest < 0 ? own : join(all, own);
            heaviest = heaviest < 0 || weight[i] > weight[heaviest] ? i : heaviest;
        }
    }
    *out_slot = heaviest;
    if (heaviest < 0 || n->forward_weight == NULL) {
        return all;
    }
    octant own = octant_of(t->key[heaviest]);
    int32_t level = drawing_finest(t) - layer_of(n, record);
    level = level > 0 ? level : 0;
    return ancestor(own, level < own.level ? level : own.level);
}

/* The member of the sum nearest to a place at rest. */
static int32_t nearest_member(const topology* t, const float* weight, const double at[3]) {
    int32_t nearest = -1;
    double least = INFINITY;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        double x = (double)t->x0[0][i] - at[0], y = (double)t->x0[1][i] - at[1],
               z = (double)t->x0[2][i] - at[2];
        double d = x * x + y * y + z * z;
        if (weight[i] > 0.0f && d < least) {
            least = d;
            nearest = i;
        }
    }
    return nearest;
}

/* A box of whole cells of one member's size: that many below and above the member's own. */
typedef struct sum_box {
    int32_t slot; /* the member; -1: no box */
    int32_t below[3], above[3];
} sum_box;

/* The cell of the tree whose sum a record is. */
static sum_box tree_box(const topology* t, int32_t record, const float* weight) {
    sum_box box;
    octant cell = cell_of(t, record, weight, &box.slot);
    if (box.slot >= 0) {
        octant own = octant_of(t->key[box.slot]);
        int32_t up = own.level - cell.level;
        const int32_t at[3] = {own.x, own.y, own.z}, low[3] = {cell.x, cell.y, cell.z};
        for (int a = 0; a < 3; ++a) {
            box.below[a] = at[a] - (low[a] << up);
            box.above[a] = (1 << up) - 1 - box.below[a];
        }
    }
    return box;
}

/* Sums over a lattice are bars, plates and cubes: the bounds of the members. */
static sum_box lattice_box(const topology* t, const float* weight) {
    sum_box box = {.slot = -1};
    octant own = {0};
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (!(weight[i] > 0.0f)) {
            continue;
        }
        octant o = octant_of(t->key[i]);
        own = box.slot < 0 ? o : own;
        box.slot = box.slot < 0 ? i : box.slot;
        const int32_t away[3] = {o.x - own.x, o.y - own.y, o.z - own.z};
        for (int a = 0; a < 3; ++a) {
            box.below[a] = -away[a] > box.below[a] ? -away[a] : box.below[a];
            box.above[a] = away[a] > box.above[a] ? away[a] : box.above[a];
        }
    }
    return box;
}

/* The box of a sum; each corner goes with the nearest member. */
static void draw_sum(drawing* d, int32_t record, const float* weight, uint32_t rgba) {
    const topology* t = d->body->topology;
    sum_box box =
        t->kind->regions == REGIONS_HOPS ? lattice_box(t, weight) : tree_box(t, record, weight);
    if (box.slot < 0) {
        return;
    }
    double side = (double)t->side[box.slot];
    lim_vec3 corner[8];
    for (int k = 0; k < 8; ++k) {
        double rest[3];
        for (int a = 0; a < 3; ++a) {
            double below = side * (0.5 + (double)box.below[a]),
                   length = below + side * (0.5 + (double)box.above[a]);
            double lower = (double)t->centre[a][box.slot] - below, gap = BOX_GAP * length;
            rest[a] = lower + ((k >> a & 1) != 0 ? length - gap : gap);
        }
        corner[k] = drawing_carried(d, nearest_member(t, weight, rest), rest);
    }
    drawing_box(d, corner, rgba);
}

static void draw_members(drawing* d, const float* weight) {
    const topology* t = d->body->topology;
    float most = 0.0f;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        most = weight[i] > most ? weight[i] : most;
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (weight[i] > 0.0f) {
            float share = weight[i] / most;
            drawing_slot(d, i, 0.4f + 0.6f * sqrtf(share), weight_colour(share));
        }
    }
}

lim_result drawing_region(drawing* d, int32_t node, const lim_host* host) {
    const topology* t = d->body->topology;
    const net* n = &t->net;
    float* weight = mem_alloc(host, (size_t)n->record_count, sizeof *weight);
    if (weight == NULL) {
        return LIM_ERROR_MEMORY;
    }
    int32_t region = t->regions.seed_region[t->node_slot[node]];
    int32_t record = n->first[n->layers - 1] + region - t->regions.box;
    if (region < t->regions.box) {
        /* A window is one sum. */
        for (int32_t i = 0; i < t->slot_count; ++i) {
            weight[i] = (float)topology_region_weight(t, i, region);
        }
        draw_members(d, weight);
        draw_sum(d, 0, weight, weight_colour(0.75f));
        mem_free(host, weight, (size_t)n->record_count, sizeof *weight);
        return LIM_OK;
    }
    unfold(t, record, weight);
    draw_members(d, weight);
    /* A share of one sum is made of what that sum is made of. */
    while (n->forward_offset[record + 1] - n->forward_offset[record] == 1 &&
           n->forward[n->forward_offset[record]] >= n->first[1]) {
        record = n->forward[n->forward_offset[record]];
    }
    int32_t begin = n->forward_offset[record], end = n->forward_offset[record + 1];
    float most = 0.0f;
    for (int32_t e = begin; e < end && n->forward_weight != NULL; ++e) {
        most = n->forward_weight[e] > most ? n->forward_weight[e] : most;
    }
    for (int32_t e = begin; e < end; ++e) {
        unfold(t, n->forward[e], weight);
        float share = n->forward_weight != NULL ? n->forward_weight[e] / most : 0.75f;
        uint32_t clear = (uint32_t)(0xA0 * (1.0f - share)); /* light boxes are faint too */
        draw_sum(d, n->forward[e], weight, weight_colour(share) - clear);
    }
    mem_free(host, weight, (size_t)n->record_count, sizeof *weight);
    return LIM_OK;
}

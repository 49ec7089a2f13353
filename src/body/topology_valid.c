/* SPDX-License-Identifier: MIT
 * Job: check a whole topology. In: one that was built, or read from bytes that may be anything.
 * Out: true when every count agrees, every index is in range, every list is in order and every
 * number is finite: then nothing that walks it can leave its arrays. Array lengths are taken from
 * the counts, as topology_read gives them.
 */
#include "body/layout.h"
#include "body/material.h"

#include <string.h>

static bool finite_floats(const float* data, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        if (!isfinite(data[i])) {
            return false;
        }
    }
    return true;
}

/* Not there, or all finite and above 0. */
static bool positive_floats(const float* data, int64_t count) {
    for (int64_t i = 0; data != NULL && i < count; ++i) {
        if (!isfinite(data[i]) || !(data[i] > 0.0f)) {
            return false;
        }
    }
    return true;
}

/* Every entry in [low, high). */
static bool in_range(const int32_t* data, int64_t count, int32_t low, int32_t high) {
    for (int64_t i = 0; i < count; ++i) {
        if (data[i] < low || data[i] >= high) {
            return false;
        }
    }
    return true;
}

/* offset[0] = 0, never falling, offset[count] = total. */
static bool offsets_valid(const int32_t* offset, int32_t count, int32_t total) {
    if (offset[0] != 0 || offset[count] != total) {
        return false;
    }
    for (int32_t i = 0; i < count; ++i) {
        if (offset[i] > offset[i + 1]) {
            return false;
        }
    }
    return true;
}

static bool counts_valid(const topology* t) {
    /* A sum of slots or records times the widest record must stay a 32-bit index. */
    const int32_t limit = INT32_MAX / 64;
    /* Points may come without triangles. */
    return t->vertex_count > 0 &&
           t->triangle_count >= (t->kind->nodes == LIM_NODES_ARE_POINTS ? 0 : 1) &&
           t->submesh_count > 0 && t->vertex_count < limit && t->triangle_count < limit &&
           t->node_count > 0 && t->node_count <= t->slot_count && t->slot_count % 8 == 0 &&
           t->slot_count <= limit && t->component_count > 0 &&
           t->component_count <= t->node_count && t->net.record_count > 0 &&
           t->net.record_count <= limit &&
           t->net.node_count - t->slot_count == t->charts.ghost_count &&
           t->charts.slots == t->slot_count && t->charts.components == t->component_count &&
           t->charts.count >= t->component_count && t->charts.count <= t->node_count &&
           t->charts.ghost_count % 8 == 0 && t->regions.box >= 0 &&
           t->regions.box <= t->slot_count &&
           t->net.region_count == t->regions.padded - t->regions.box && t->regions.count > 0 &&
           t->regions.count <= t->regions.padded && t->regions.padded % 8 == 0 &&
           t->bind.count > 0 && t->point_count > 0 && t->bind.count >= t->point_count &&
           t->bind.count < limit && t->info.nodes == t->node_count &&
           t->info.regions <= t->regions.count && t->info.components == t->component_count;
}

static bool scalars_valid(const topology* t) {
    return isfinite(t->unit) && t->unit > 0.0 && p3_finite(t->rest_origin) &&
           p3_finite(t->centre_of_mass) && isfinite(t->volume_sum) && t->volume_sum > 0.0 &&
           isfinite(t->extent) && t->extent >= 0.0f && isfinite(t->cell) && t->cell > 0.0f &&
           t->levels >= 0 && t->levels <= OCTANT_LEVELS;
}

static bool surface_valid(const topology* t) {
    int64_t n = t->vertex_count;
    for (int64_t i = 0; i < n; ++i) {
        if (!p3_finite(t->position[i])) {
            return false;
        }
    }
    for (int64_t i = 0; i < 3 * (int64_t)t->triangle_count; ++i) {
        if (t->indices[i] >= (uint32_t)n) {
            return false;
        }
    }
    for (int k = 0; k < ATTRIBUTES; ++k) {
        for (int64_t i = 0; t->attribute[k] != NULL && i < n; ++i) {
            if (!attribute_fits(k, t->attribute[k][i])) {
                return false;
            }
        }
    }
    return finite_floats(t->normal, 3 * n) &&
           (t->tangent == NULL || finite_floats(t->tangent, 4 * n)) &&
           (t->uv == NULL || finite_floats(t->uv, 2 * n)) &&
           (t->colour == NULL || finite_floats(t->colour, 4 * n)) &&
           in_range(t->submesh, t->triangle_count, 0, t->submesh_count) &&
           in_range(t->vertex_point, n, 0, t->point_count);
}

/* Components are runs of slots that start at multiples of 8; nodes and slots name each other; pads
 * have no volume and no edges. */
static bool nodes_valid(const topology* t) {
    if (!offsets_valid(t->component_begin, t->component_count, t->slot_count) ||
        !in_range(t->node_slot, t->node_count, 0, t->slot_count) ||
        !in_range(t->slot_node, t->slot_count, -1, t->node_count)) {
        return false;
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        if (t->component_origin[c] < 0) {
            return false;
        }
        if (t->component_begin[c] % 8 != 0 || t->component_begin[c] == t->component_begin[c + 1]) {
            return false;
        }
        for (int32_t i = t->component_begin[c]; i < t->component_begin[c + 1]; ++i) {
            if (t->slot_component[i] != c) {
                return false;
            }
        }
    }
    int32_t nodes = 0, left[OCTANT_LEVELS + 1]; /* left: of what the table of levels says */
    memcpy(left, t->info.level_nodes, sizeof left);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        bool pad = t->slot_node[i] < 0;
        nodes += !pad;
        if ((!pad && t->node_slot[t->slot_node[i]] != i) || pad != !(t->volume[i] > 0.0f) ||
            pad != !(t->mass[i] > 0.0f) || (pad && (t->volume[i] != 0.0f || t->mass[i] != 0.0f)) ||
            t->key[i] >> 58 > (uint64_t)t->levels) {
            return false;
        }
        if (!pad) {
            left[t->key[i] >> 58]--;
        }
    }
    bool levels = true;
    for (int32_t l = 0; l <= OCTANT_LEVELS; ++l) {
        levels = levels && left[l] == 0;
    }
    int64_t n = t->slot_count;
    bool finite = levels && finite_floats(t->volume, n) && finite_floats(t->mass, n) &&
                  finite_floats(t->side, n) && finite_floats(t->inv_weight, t->net.node_count) &&
                  finite_floats(t->fit_mass, t->net.node_count);
    for (int k = 0; k < 3; ++k) {
        finite = finite && finite_floats(t->x0[k], n) && finite_floats(t->centre[k], n);
    }
    return finite && nodes == t->node_count;
}

/* The blocks are the runs of at most NODE_BLOCK records of each chart, in order (a lattice has its
 * own). */
static bool blocks_valid(const charts* c, const int32_t* begin, const node_block* blocks,
                         int32_t count) {
    int32_t block = 0;
    for (int32_t k = 0; k < c->count; ++k) {
        for (int32_t i = begin[k]; i < begin[k + 1]; i += NODE_BLOCK, ++block) {
            int32_t stop = i + NODE_BLOCK < begin[k + 1] ? i + NODE_BLOCK : begin[k + 1];
            if (block >= count || blocks[block].begin != i || blocks[block].end != stop ||
                blocks[block].component != c->component[k] || blocks[block].chart != k) {
                return false;
            }
        }
    }
    return block == count;
}

/* Charts are runs of slots within the runs of the components. One that is alone in its component
 * has no node and the component's anchor as origin, any other a node of its own that is. */
static bool charts_valid(const topology* t) {
    const charts* c = &t->charts;
    if (!offsets_valid(c->begin, c->count, t->slot_count) ||
        !in_range(c->component, c->count, 0, t->component_count)) {
        return false;
    }
    for (int32_t k = 0; k < c->count; ++k) {
        int32_t own = c->component[k], begin = c->begin[k], end = c->begin[k + 1];
        bool alone = begin == t->component_begin[own] && end == t->component_begin[own + 1];
        if (begin % 8 != 0 || begin == end || begin < t->component_begin[own] ||
            end > t->component_begin[own + 1]) {
            return false;
        }
        if (alone ? c->node[k] != -1
                  : c->node[k] < begin || c->node[k] >= end || t->slot_node[c->node[k]] < 0) {
            return false;
        }
        const float* const x0[3] = {t->x0[0], t->x0[1], t->x0[2]};
        float anchor[3];
        double span;
        node_anchor(x0, t->volume, t->side, begin, end, anchor, &span);
        for (int d = 0; d < 3; ++d) {
            if (c->origin[d][k] != (alone ? anchor[d] : t->x0[d][c->node[k]])) {
                return false;
            }
        }
    }
    return t->kind->nodes == LIM_NODES_AT_CORNERS
               ? layout_octets_valid(t)
               : t->row_axis == 0 && blocks_valid(c, c->begin, t->blocks, t->block_count);
}

/* Ghosts are by chart, of nodes of the chart's component; each that is used is in its node's list,
 * and pads are of the chart's node. Needs valid charts and a network with valid layers. */
static bool ghosts_valid(const topology* t) {
    const charts* c = &t->charts;
    if (!charts_many(c)) {
        return c->ghost_count == 0 && c->ghost_block_count == 0;
    }
    int32_t listed = c->node_offset[c->slots];
    if (c->ghost_begin[0] != c->slots || c->ghost_begin[c->count] != c->slots + c->ghost_count ||
        !in_range(c->ghost_node, c->ghost_count, 0, c->slots) ||
        !offsets_valid(c->node_offset, c->slots, listed) ||
        !in_range(c->node_ghost, listed, c->slots, c->slots + c->ghost_count)) {
        return false;
    }
    for (int32_t k = 0; k < c->count; ++k) {
        int32_t begin = c->ghost_begin[k], end = c->ghost_begin[k + 1];
        if (begin > end || begin % 8 != 0 || (begin < end && c->node[k] < 0)) {
            return false;
        }
        for (int32_t i = begin; i < end; ++i) {
            int32_t node = charts_node(c, i), found = 0;
            bool used = t->net.back_offset[i] < t->net.back_offset[i + 1];
            for (int32_t e = c->node_offset[node]; e < c->node_offset[node + 1]; ++e) {
                found += c->node_ghost[e] == i;
            }
            if (t->slot_component[node] != c->component[k] || found != (used ? 1 : 0) ||
                (!used && node != c->node[k])) {
                return false;
            }
            listed -= found;
        }
    }
    return listed == 0 && blocks_valid(c, c->ghost_begin, c->ghost_blocks, c->ghost_block_count);
}

static bool graph_valid(const topology* t) {
    if (!offsets_valid(t->edge_offset, t->slot_count, t->edge_count)) {
        return false;
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        for (int32_t e = t->edge_offset[i]; e < t->edge_offset[i + 1]; ++e) {
            int32_t j = t->edge_node[e];
            if (t->slot_node[i] < 0 || j < 0 || j >= t->slot_count || t->slot_node[j] < 0 ||
                t->edge_length[e] == 0 || t->slot_component[i] != t->slot_component[j]) {
                return false;
            }
        }
    }
    return true;
}

/* What net_is_valid takes for granted: the layers lie within the offset arrays. */
static bool layers_valid(const net* n) {
    if (n->layers < 2 || n->layers > NET_LAYERS || n->first[0] != 0 ||
        n->first[n->layers] != n->record_count) {
        return false;
    }
    for (int32_t l = 0; l < n->layers; ++l) {
        if (n->first[l] < 0 || n->first[l] > n->first[l + 1]) {
            return false;
        }
    }
    int32_t entries = n->forward_offset[n->record_count];
    return offsets_valid(n->forward_offset, n->record_count, entries) &&
           offsets_valid(n->back_offset, n->record_count, n->back_offset[n->record_count]);
}

static bool regions_valid(const topology* t) {
    const regions* r = &t->regions;
    int64_t n = r->padded;
    bool finite = finite_floats(r->weight, n) && finite_floats(r->inv_mass, n) &&
                  finite_floats(r->sigma2, n) && isfinite(r->members) && isfinite(r->inputs) &&
                  positive_floats(r->density, n) && positive_floats(r->stiffness, n) &&
                  positive_floats(t->stiffness, t->slot_count) &&
                  positive_floats(t->density, t->slot_count) && t->region_width >= 0.0f &&
                  t->region_width <= (float)(1 << (OCTANT_LEVELS + 1));
    for (int k = 0; k < 3; ++k) {
        finite = finite && finite_floats(r->c0[k], n);
    }
    for (int k = 0; k < 6; ++k) {
        finite = finite && finite_floats(r->a0[k], n);
    }
    if (!finite || !in_range(t->region_component, n, -1, t->component_count) ||
        !in_range(r->seed_region, t->slot_count, -1, r->count)) {
        return false;
    }
    /* Every node has a region; pads have none. */
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if ((t->slot_node[i] < 0) != (r->seed_region[i] < 0)) {
            return false;
        }
    }
    bool windows = r->box == 0 || (t->kind->regions == REGIONS_HOPS && r->box == t->slot_count);
    return windows && t->info.regions == regions_used(r) &&
           in_range(t->region_component, r->count, 0, t->component_count);
}

static bool bindings_valid(const topology* t) {
    const bindings* b = &t->bind;
    if (!in_range(b->component, b->count, 0, t->component_count) ||
        !in_range(t->felt, 3 * (int64_t)t->felt_count, 0, b->count) ||
        !in_range(t->coarse, 3 * (int64_t)t->coarse_count, 0, b->count)) {
        return false;
    }
    for (int32_t i = 0; i < b->count; ++i) {
        for (int k = 0; k < BINDING_NODES; ++k) {
            int32_t slot = b->bind[i].node[k];
            if (slot < 0 || slot >= t->slot_count || t->slot_node[slot] < 0 ||
                t->slot_component[slot] != b->component[i] || !isfinite(b->bind[i].weight[k])) {
                return false;
            }
        }
    }
    return finite_floats(b->rest[0], b->count) && finite_floats(b->rest[1], b->count) &&
           finite_floats(b->rest[2], b->count);
}

/* A point is in a cell of its component, and the corners of a cell are nodes of one. */
static bool lattice_valid(const topology* t) {
    const bindings* b = &t->bind;
    if (t->kind->nodes != LIM_NODES_AT_CORNERS) {
        return b->cell_count == 0;
    }
    if (b->cell_count <= 0 || b->cell_count != t->matter.count || b->cell_edge != t->cell ||
        !(t->cell > 1e-9f) || !in_range(b->corner, 8 * (int64_t)b->cell_count, 0, t->slot_count) ||
        !in_range(b->cell, b->count, 0, b->cell_count)) {
        return false;
    }
    for (int64_t i = 0; i < 8 * (int64_t)b->cell_count; ++i) {
        if (t->slot_node[b->corner[i]] < 0 ||
            t->slot_component[b->corner[i]] != t->slot_component[b->corner[i / 8 * 8]]) {
            return false;
        }
    }
    for (int32_t i = 0; i < b->count; ++i) {
        if (t->slot_component[b->corner[8 * (size_t)b->cell[i]]] != b->component[i]) {
            return false;
        }
        for (int axis = 0; axis < 3; ++axis) {
            if (!(b->local[axis][i] >= 0.0f && b->local[axis][i] <= 1.0f)) {
                return false;
            }
        }
    }
    return true;
}

bool topology_is_valid(const topology* t) {
    return counts_valid(t) && scalars_valid(t) && surface_valid(t) && nodes_valid(t) &&
           charts_valid(t) && graph_valid(t) && layers_valid(&t->net) && ghosts_valid(t) &&
           net_is_valid(&t->net) && regions_valid(t) && bindings_valid(t) && lattice_valid(t) &&
           material_is_valid(t);
}

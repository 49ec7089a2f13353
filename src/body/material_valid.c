/* SPDX-License-Identifier: MIT
 * Job: check the material of a topology. In: one that was built, or read from bytes that may be
 * anything; its nodes and bindings are valid. Out: true when an edit may start from it: every index
 * is in range, lists are in order, and each node is made of the fragments of its own cell.
 */
#include "body/material.h"
#include "sample/matter_cut.h"

#include <stdlib.h>

/* Lengths of edges between nodes are 16 bits: no edge, glue included, is longer than so many finest
 * cells. */
enum { CELLS_MOST = 1024 };

static bool cells_near(uint64_t a, uint64_t b) {
    octant p = octant_of(a), q = octant_of(b);
    return abs(p.x - q.x) <= CELLS_MOST && abs(p.y - q.y) <= CELLS_MOST &&
           abs(p.z - q.z) <= CELLS_MOST;
}

/* matter_is_valid walks the lists of edges: they must lie within their array. */
static bool matter_valid(const matter* m) {
    const int32_t* offset = m->edge_offset;
    for (int32_t i = 0; i < m->count; ++i) {
        if (offset[0] != 0 || offset[i] > offset[i + 1]) {
            return false;
        }
    }
    if (!isfinite(m->sub) || !matter_is_valid(m)) {
        return false;
    }
    for (int32_t i = 0; i < m->count; ++i) {
        for (int32_t e = offset[i]; e < offset[i + 1]; ++e) {
            if (!cells_near(m->key[i], m->key[m->edge_node[e]])) {
                return false;
            }
        }
    }
    return true;
}

/* Whether any fragment is part of a node: those of its cell are a run. */
static bool has_fragment(const topology* t, int32_t slot) {
    const matter* m = &t->matter;
    uint64_t key = t->key[slot], level = key >> 58;
    int shift = 3 * (int)((uint64_t)m->level - level);
    uint64_t code = (key & 0x03FFFFFFFFFFFFFFu) << shift;
    uint64_t first = (uint64_t)m->level << 58 | code;
    uint64_t last = first + (((uint64_t)1 << shift) - 1);
    int32_t low = matter_first_of(m, first);
    while (low < m->count && m->key[low] <= last && t->fragment_slot[low] != slot) {
        low++;
    }
    return low < m->count && m->key[low] <= last;
}

/* Whether any fragment of the cells about a corner hangs on its node. */
static bool has_cell(const topology* t, int32_t slot) {
    const matter* m = &t->matter;
    octant at = octant_of(t->key[slot]);
    for (int k = 0; k < 8; ++k) {
        octant cell = {at.level, at.x - (k & 1), at.y - (k >> 1 & 1), at.z - (k >> 2)};
        bool there = cell.x >= 0 && cell.y >= 0 && cell.z >= 0;
        for (int32_t i = there ? matter_first_of(m, octant_key(cell)) : m->count;
             i < m->count && m->key[i] == octant_key(cell); ++i) {
            if (t->bind.corner[8 * (size_t)i + (size_t)k] == slot) {
                return true;
            }
        }
    }
    return false;
}

/* Each fragment hangs on nodes at the corners of its cell, every node has one, components are the
 * same, and hops are those of windows. The corners themselves were checked. */
static bool corners_valid(const topology* t) {
    const matter* m = &t->matter;
    for (int32_t i = 0; i < m->count; ++i) {
        octant low = octant_of(m->key[i]);
        for (int k = 0; k < 8; ++k) {
            int32_t slot = t->bind.corner[8 * (size_t)i + (size_t)k];
            octant at = {low.level, low.x + (k & 1), low.y + (k >> 1 & 1), low.z + (k >> 2)};
            if (t->key[slot] != octant_key(at) || t->slot_component[slot] != m->component[i]) {
                return false;
            }
        }
        float hops = t->fragment_width != NULL ? t->fragment_width[i] : t->own_width;
        if (t->fragment_slot[i] != t->bind.corner[8 * (size_t)i] || !(hops >= 1.0f) ||
            hops > (float)BOX_WIDTH_MOST) {
            return false;
        }
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (t->slot_node[i] >= 0 && !has_cell(t, i)) {
            return false;
        }
    }
    return m->component_count == t->component_count;
}

/* Each fragment lies in its node's cell, nodes have fragments, and components are the same. */
static bool slots_valid(const topology* t) {
    const matter* m = &t->matter;
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t slot = t->fragment_slot[i];
        if (slot < 0 || slot >= t->slot_count || t->slot_node[slot] < 0) {
            return false;
        }
        uint64_t key = m->key[i];
        while (key >> 58 > t->key[slot] >> 58) {
            key = octant_parent(key);
        }
        if (key != t->key[slot]) {
            return false;
        }
        for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
            int32_t other = t->fragment_slot[m->edge_node[e]];
            if (other < 0 || other >= t->slot_count ||
                t->slot_component[other] != t->slot_component[slot]) {
                return false;
            }
        }
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (t->slot_node[i] >= 0 && !has_fragment(t, i)) {
            return false;
        }
    }
    return m->component_count == t->component_count;
}

static bool told_valid(const float* value, int32_t count, float least) {
    for (int32_t i = 0; value != NULL && i < count; ++i) {
        if (!isfinite(value[i]) || value[i] < least) {
            return false;
        }
    }
    return true;
}

/* What fragments weigh: floats hold it, and one over a small share of it. */
static bool masses_valid(const topology* t) {
    for (int32_t i = 0; t->fragment_density != NULL && i < t->matter.count; ++i) {
        float mass = (float)t->matter.volume[i] * t->fragment_density[i];
        if (!(mass >= 1e-33f && mass <= 1e30f)) {
            return false;
        }
    }
    return true;
}

static bool sources_valid(const topology* t) {
    for (int32_t i = 0; i < t->source_count; ++i) {
        const lim_vertex_source* s = &t->source[i];
        bool finite = isfinite(s->uv[0]) && isfinite(s->uv[1]);
        for (int k = 0; k < 3; ++k) {
            finite = finite && isfinite(s->weight[k]) && s->vertex[k] >= -1 &&
                     s->vertex[k] < t->vertex_count;
        }
        if (!finite || s->side < -1 || s->side > 1) {
            return false;
        }
    }
    return t->source_count <= t->vertex_count;
}

static bool points_valid(const topology* t) {
    for (int32_t i = 0; i < t->bind.count; ++i) {
        int32_t home = t->point_home[i];
        if (home < 0 || home >= t->matter.count ||
            t->slot_component[t->fragment_slot[home]] != t->bind.component[i]) {
            return false;
        }
    }
    for (int32_t i = 0; i + 1 < t->point_count; ++i) {
        lim_point at = t->skin_point[i]; /* in unit space, whose box has sides of at most 1 */
        if (!(fabs(at.x) <= 2.0 && fabs(at.y) <= 2.0 && fabs(at.z) <= 2.0)) {
            return false;
        }
    }
    return true;
}

bool material_is_valid(const topology* t) {
    if (!t->kind->edits) {
        return t->matter.count == 0 && t->source_count == 0;
    }
    const matter* m = &t->matter;
    bool lattice = t->kind->nodes == LIM_NODES_AT_CORNERS;
    return (lattice || m->count >= t->node_count) && m->level == t->levels &&
           (float)m->side == t->cell && isfinite(t->own_width) && t->own_width >= 0.0f &&
           t->own_submeshes <= t->submesh_count && matter_valid(m) &&
           (lattice ? corners_valid(t) : slots_valid(t)) &&
           told_valid(t->fragment_density, m->count, 1e-30f) &&
           told_valid(t->fragment_stiffness, m->count, 1e-30f) &&
           told_valid(t->fragment_width, m->count, 0.0f) && masses_valid(t) && sources_valid(t) &&
           points_valid(t);
}

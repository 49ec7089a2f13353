/* SPDX-License-Identifier: MIT
 * Job: check the material of a topology. In: one that was built, or read from bytes that may be
 * anything; its nodes and bindings are valid. Out: true when an edit may start from it: every index
 * is in range, lists are in order, and each node is made of the fragments of its own cell.
 */
#include "body/material.h"

/* A cell's key: the finest level, and coordinates within the root. */
static bool key_valid(const matter* m, uint64_t key) {
    octant o = octant_of(key);
    int32_t side = (int32_t)1 << m->level;
    return o.level == m->level && o.x < side && o.y < side && o.z < side && octant_key(o) == key;
}

static bool fragments_valid(const matter* m) {
    for (int32_t i = 0; i < m->count; ++i) {
        bool finite = isfinite(m->volume[i]) && m->volume[i] > 0.0 && p3_finite(m->centroid[i]);
        for (int k = 0; k < 6; ++k) {
            finite = finite && isfinite(m->moment[i][k]);
        }
        if (!finite || m->mask[i] == 0 || (m->soft[i] & ~m->mask[i]) != 0 ||
            !key_valid(m, m->key[i])) {
            return false;
        }
        if (i > 0 && (m->key[i] < m->key[i - 1] ||
                      (m->key[i] == m->key[i - 1] &&
                       mask_lowest(m->mask[i]) <= mask_lowest(m->mask[i - 1])))) {
            return false;
        }
    }
    return true;
}

static bool has_edge(const matter* m, int32_t from, int32_t to) {
    int32_t low = m->edge_offset[from], high = m->edge_offset[from + 1];
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (m->edge_node[middle] < to) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < m->edge_offset[from + 1] && m->edge_node[low] == to;
}

/* Both ways, ascending, within a component. */
static bool edges_valid(const matter* m) {
    const int32_t* offset = m->edge_offset;
    if (offset[0] != 0) {
        return false;
    }
    for (int32_t i = 0; i < m->count; ++i) {
        if (offset[i] > offset[i + 1]) {
            return false;
        }
    }
    for (int32_t i = 0; i < m->count; ++i) {
        for (int32_t e = offset[i]; e < offset[i + 1]; ++e) {
            int32_t to = m->edge_node[e];
            if (to < 0 || to >= m->count || to == i ||
                (e > offset[i] && to <= m->edge_node[e - 1])) {
                return false;
            }
        }
    }
    for (int32_t i = 0; i < m->count; ++i) {
        for (int32_t e = offset[i]; e < offset[i + 1]; ++e) {
            int32_t to = m->edge_node[e];
            if (!has_edge(m, to, i) || m->component[to] != m->component[i]) {
                return false;
            }
        }
    }
    return true;
}

/* Numbered by lowest fragment; glue is counted by the components that it joins. */
static bool components_valid(const matter* m) {
    int32_t seen = 0, glued = 0;
    for (int32_t i = 0; i < m->count; ++i) {
        if (m->component[i] < 0 || m->component[i] > seen) {
            return false;
        }
        seen += m->component[i] == seen;
        if (m->unglued != NULL && (m->unglued[i] < 0 || m->unglued[i] >= m->count)) {
            return false;
        }
        for (int32_t e = m->edge_offset[i]; m->unglued != NULL && e < m->edge_offset[i + 1]; ++e) {
            int32_t to = m->edge_node[e];
            glued += i < to && m->unglued[i] != m->unglued[to];
        }
    }
    return seen == m->component_count && glued <= m->glued_edges && m->glued_edges >= 0;
}

static bool walls_valid(const matter* m) {
    for (int32_t i = 0; i < m->wall_count; ++i) {
        if (!key_valid(m, m->wall[i].key) || (i > 0 && m->wall[i].key <= m->wall[i - 1].key)) {
            return false;
        }
    }
    return true;
}

static bool matter_valid(const matter* m) {
    return m->level >= 0 && m->level <= OCTANT_LEVELS && isfinite(m->side) && m->side > 0.0 &&
           isfinite(m->sub) && m->sub > 0.0 && p3_finite(m->corner) && fragments_valid(m) &&
           edges_valid(m) && components_valid(m) && walls_valid(m);
}

/* Whether any fragment is part of a node: those of its cell are a run. */
static bool has_fragment(const topology* t, int32_t slot) {
    const matter* m = &t->matter;
    uint64_t key = t->key[slot], level = key >> 58;
    int shift = 3 * (int)((uint64_t)m->level - level);
    uint64_t code = (key & 0x03FFFFFFFFFFFFFFu) << shift;
    uint64_t first = (uint64_t)m->level << 58 | code;
    uint64_t last = first + (((uint64_t)1 << shift) - 1);
    int32_t low = 0, high = m->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (m->key[middle] < first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low < m->count && m->key[low] <= last && t->fragment_slot[low] != slot) {
        low++;
    }
    return low < m->count && m->key[low] <= last;
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
        if (!p3_finite(t->skin_point[i])) {
            return false;
        }
    }
    return true;
}

bool material_is_valid(const topology* t) {
    if (t->kind != LIM_KIND_OCTREE) {
        return t->matter.count == 0 && t->source_count == 0;
    }
    const matter* m = &t->matter;
    return m->count >= t->node_count && m->level == t->levels && (float)m->side == t->cell &&
           isfinite(t->own_width) && t->own_width >= 0.0f && matter_valid(m) && slots_valid(t) &&
           told_valid(t->fragment_density, m->count, 1e-30f) &&
           told_valid(t->fragment_stiffness, m->count, 1e-30f) &&
           told_valid(t->fragment_width, m->count, 0.0f) && sources_valid(t) && points_valid(t);
}

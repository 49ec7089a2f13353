/* SPDX-License-Identifier: MIT
 * Slow ways to the graph of a topology and to the nodes that it has of another one.
 */
#ifndef LIMBER_KEPT_CHECKS_H
#define LIMBER_KEPT_CHECKS_H

#include "body/kept_nodes.h"
#include "test.h"

static inline int32_t length_apart(uint64_t a, uint64_t b, int32_t levels) {
    octant o = octant_of(a), p = octant_of(b);
    int32_t one = 1 << (levels - o.level), other = 1 << (levels - p.level), most = 1;
    const int32_t d[3] = {(2 * o.x + 1) * one - (2 * p.x + 1) * other,
                          (2 * o.y + 1) * one - (2 * p.y + 1) * other,
                          (2 * o.z + 1) * one - (2 * p.z + 1) * other};
    for (int k = 0; k < 3; ++k) {
        most = abs(d[k]) > most ? abs(d[k]) : most;
    }
    return most;
}

/* Edges of an octree's nodes from those between their fragments, lengths by definition. */
static inline bool graph_is_true(const topology* t) {
    const matter* m = &t->matter;
    size_t n = (size_t)t->slot_count;
    uint8_t* joined = calloc(n * n + 1, 1);
    for (int32_t i = 0; i < m->count; ++i) {
        for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
            size_t a = (size_t)t->fragment_slot[i], b = (size_t)t->fragment_slot[m->edge_node[e]];
            joined[a * n + b] = a != b;
        }
    }
    bool same = true;
    for (size_t a = 0; a < n; ++a) {
        int32_t e = t->edge_offset[a];
        for (size_t b = 0; b < n && same; ++b) {
            if (joined[a * n + b]) {
                same = e < t->edge_offset[a + 1] && t->edge_node[e] == (int32_t)b &&
                       t->edge_length[e] == length_apart(t->key[a], t->key[b], t->levels);
                e++;
            }
        }
        same = same && e == t->edge_offset[a + 1];
    }
    free(joined);
    return same;
}

/* The slot before that has the same fragments as a slot now, -1. */
static inline int32_t slow_before(const topology* from, const topology* t, const int32_t* source,
                                  int32_t slot) {
    int32_t was = -1, parts = 0, parts_before = 0;
    bool same = t->slot_node[slot] >= 0;
    for (int32_t i = 0; i < t->matter.count && same; ++i) {
        if (t->fragment_slot[i] == slot) {
            int32_t j = source != NULL ? source[i] : i;
            was = parts++ == 0 ? from->fragment_slot[j] : was;
            same = was == from->fragment_slot[j] && t->matter.mask[i] == from->matter.mask[j];
        }
    }
    for (int32_t i = 0; i < from->matter.count && same; ++i) {
        parts_before += from->fragment_slot[i] == was;
    }
    for (int k = 0; k < 3 && same; ++k) {
        same = t->x0[k][slot] == from->x0[k][was] && t->centre[k][slot] == from->centre[k][was];
    }
    float stiff = t->stiffness != NULL ? t->stiffness[slot] : 1.0f;
    return same && parts == parts_before && t->key[slot] == from->key[was] &&
                   t->mass[slot] == from->mass[was] && t->volume[slot] == from->volume[was] &&
                   stiff == (from->stiffness != NULL ? from->stiffness[was] : 1.0f)
               ? was
               : -1;
}

/* A node whose place in the order, or whose neighbours among those that are kept, are others. */
static inline bool slow_changed(const topology* from, const topology* t, const kept_nodes* kept,
                                int32_t slot) {
    int32_t was = kept->before[slot], seen = 0;
    for (int32_t k = 0; k < slot; ++k) {
        if (t->slot_component[k] == t->slot_component[slot] && kept->before[k] > was) {
            return true;
        }
    }
    for (int32_t e = t->edge_offset[slot]; e < t->edge_offset[slot + 1]; ++e) {
        seen += kept->before[t->edge_node[e]] >= 0;
    }
    int32_t last = -1;
    for (int32_t e = from->edge_offset[was]; e < from->edge_offset[was + 1]; ++e) {
        int32_t to = kept->after[from->edge_node[e]];
        bool found = to < 0;
        for (int32_t k = t->edge_offset[slot]; k < t->edge_offset[slot + 1]; ++k) {
            found = found || t->edge_node[k] == to;
        }
        if (!found || (to >= 0 && to < last)) {
            return true;
        }
        seen -= to >= 0;
        last = to >= 0 ? to : last;
    }
    return seen != 0;
}

static inline bool kept_is_true(const topology* from, const topology* t, const int32_t* source) {
    arena a;
    kept_nodes kept;
    arena_init(&a, NULL);
    bool same = kept_nodes_find(&a, from, t, source, &kept) == LIM_OK;
    for (int32_t i = 0; i < t->slot_count && same; ++i) {
        int32_t was = slow_before(from, t, source, i);
        same = kept.before[i] == was && (was < 0 || kept.after[was] == i);
    }
    for (int32_t i = 0; i < t->slot_count && same; ++i) {
        bool node = t->slot_node[i] >= 0;
        bool changed = node && (kept.before[i] < 0 || slow_changed(from, t, &kept, i));
        same = kept.changed[i] == changed;
    }
    arena_release(&a);
    return same;
}

#endif

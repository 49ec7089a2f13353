/* SPDX-License-Identifier: MIT
 * Job: recognise nodes. In: two topologies, and which fragment comes from which. Out: which slot is
 * which. A node is the same when it is made of the same fragments and nothing about it at rest is
 * different.
 */
#include "body/kept_nodes.h"

/* before: of the first fragment of each node; -1 where others or their sub-voxels disagree. */
static void name_candidates(const topology* from, const topology* t, const int32_t* source,
                            int32_t* parts, int32_t* parts_before, kept_nodes* out) {
    const matter *m = &t->matter, *old = &from->matter;
    int32_t ends = topology_ends(t);
    for (int32_t i = 0; i < ends * old->count; ++i) {
        parts_before[topology_end(from, i / ends, i % ends)]++;
    }
    for (int32_t k = 0; k < ends * m->count; ++k) {
        int32_t i = k / ends, j = source != NULL ? source[i] : i;
        int32_t slot = topology_end(t, i, k % ends), was = topology_end(from, j, k % ends);
        bool same = m->mask[i] == old->mask[j] && m->key[i] == old->key[j];
        if (parts[slot]++ == 0) {
            out->before[slot] = was;
        }
        if (!same || out->before[slot] != was) {
            out->before[slot] = -1;
        }
    }
}

static float factor_of(const float* factor, int32_t slot) {
    return factor != NULL ? factor[slot] : 1.0f;
}

static bool same_rest(const topology* from, int32_t was, const topology* t, int32_t slot) {
    bool same = t->key[slot] == from->key[was] && t->volume[slot] == from->volume[was] &&
                t->mass[slot] == from->mass[was] && t->side[slot] == from->side[was] &&
                factor_of(t->stiffness, slot) == factor_of(from->stiffness, was);
    for (int k = 0; k < 3; ++k) {
        same = same && t->x0[k][slot] == from->x0[k][was] &&
               t->centre[k][slot] == from->centre[k][was];
    }
    return same;
}

/* The next entry of a row whose node is in both topologies. */
static int32_t next_kept(const int32_t* row, int32_t at, int32_t end, const int32_t* other) {
    while (at < end && other[row[at]] < 0) {
        at++;
    }
    return at;
}

/* Of those neighbours that are kept: nodes that are new or gone speak for themselves. */
static bool same_neighbours(const topology* from, int32_t was, const topology* t, int32_t slot,
                            const kept_nodes* kept) {
    const int32_t *row = t->edge_node, *old = from->edge_node;
    int32_t i = t->edge_offset[slot], end = t->edge_offset[slot + 1];
    int32_t k = from->edge_offset[was], end_old = from->edge_offset[was + 1];
    for (;; ++i, ++k) {
        i = next_kept(row, i, end, kept->before);
        k = next_kept(old, k, end_old, kept->after);
        if (i == end || k == end_old) {
            return i == end && k == end_old;
        }
        if (kept->after[old[k]] != row[i]) {
            return false;
        }
    }
}

/* Nodes whose bindings may be others: ties are broken by the order of slots, and only nodes of one
 * component are ever compared. */
static void find_changed(const topology* from, const topology* t, kept_nodes* out) {
    int32_t piece = -1, last = -1;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        int32_t was = out->before[i];
        last = t->slot_component[i] != piece ? -1 : last;
        piece = t->slot_component[i];
        if (t->slot_node[i] >= 0) {
            out->changed[i] = was < last || was < 0 || !same_neighbours(from, was, t, i, out);
            last = was > last ? was : last;
        }
    }
}

lim_result kept_nodes_find(arena* a, const topology* from, const topology* t, const int32_t* source,
                           kept_nodes* out) {
    int32_t* parts = ARENA_ARRAY(a, int32_t, t->slot_count);
    int32_t* parts_before = ARENA_ARRAY(a, int32_t, from->slot_count);
    *out = (kept_nodes){.before = ARENA_ARRAY(a, int32_t, t->slot_count),
                        .after = ARENA_ARRAY(a, int32_t, from->slot_count),
                        .changed = ARENA_ARRAY(a, uint8_t, t->slot_count)};
    LIM_TRY_MEMORY(parts);
    LIM_TRY_MEMORY(parts_before);
    LIM_TRY_MEMORY(out->before);
    LIM_TRY_MEMORY(out->after);
    LIM_TRY_MEMORY(out->changed);
    name_candidates(from, t, source, parts, parts_before, out);
    for (int32_t i = 0; i < from->slot_count; ++i) {
        out->after[i] = -1;
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        int32_t was = t->slot_node[i] >= 0 ? out->before[i] : -1;
        bool same = was >= 0 && parts[i] == parts_before[was] && same_rest(from, was, t, i);
        out->before[i] = same ? was : -1;
        if (same) {
            out->after[was] = i;
        }
    }
    find_changed(from, t, out);
    return LIM_OK;
}

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
    for (int32_t i = 0; i < old->count; ++i) {
        for (int32_t k = 0; k < ends; ++k) {
            parts_before[topology_end(from, i, k)]++;
        }
    }
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t j = source != NULL ? source[i] : i;
        bool same = m->mask[i] == old->mask[j] && m->key[i] == old->key[j];
        for (int32_t k = 0; k < ends; ++k) {
            int32_t slot = topology_end(t, i, k), was = topology_end(from, j, k);
            if (parts[slot]++ == 0) {
                out->before[slot] = was;
            }
            if (!same || out->before[slot] != was) {
                out->before[slot] = -1;
            }
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

/* Slots in runs: one after the other in both topologies. A slot that is not kept (-1) can only be
 * the first of one. */
static void number_runs(const topology* t, const int32_t* before, int32_t* run) {
    for (int32_t i = 0; i < t->slot_count; ++i) {
        bool next = i > 0 && before[i] == before[i - 1] + 1;
        run[i] = i == 0 ? 0 : run[i - 1] + !next;
    }
}

/* A row within one run that is the row before, moved by as much: nearly all are. Rows ascend, so if
 * its first is kept all are; if not, there was no slot that would lie there moved by as much. */
static bool moved_row(const topology* from, int32_t was, const topology* t, int32_t slot,
                      const int32_t* before, const int32_t* run) {
    int32_t count = t->edge_offset[slot + 1] - t->edge_offset[slot];
    const int32_t* row = t->edge_node + t->edge_offset[slot];
    const int32_t* old = from->edge_node + from->edge_offset[was];
    if (count == 0 || count != from->edge_offset[was + 1] - from->edge_offset[was] ||
        run[row[0]] != run[row[count - 1]]) {
        return false;
    }
    int32_t by = row[0] - before[row[0]], other = 0;
    for (int32_t i = 0; i < count; ++i) {
        other |= (old[i] + by) ^ row[i];
    }
    return other == 0;
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
static void find_changed(const topology* from, const topology* t, const int32_t* run,
                         kept_nodes* out) {
    int32_t piece = -1, last = -1;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        int32_t was = out->before[i];
        last = t->slot_component[i] != piece ? -1 : last;
        piece = t->slot_component[i];
        out->changed[i] = 0;
        if (t->slot_node[i] >= 0) {
            out->changed[i] = was < last || was < 0 ||
                              !(moved_row(from, was, t, i, out->before, run) ||
                                same_neighbours(from, was, t, i, out));
            last = was > last ? was : last;
        }
    }
}

lim_result kept_nodes_find(arena* a, const topology* from, const topology* t, const int32_t* source,
                           kept_nodes* out) {
    int32_t* parts = ARENA_ARRAY(a, int32_t, t->slot_count);
    int32_t* parts_before = ARENA_ARRAY(a, int32_t, from->slot_count);
    *out = (kept_nodes){.before = ARENA_ROOM(a, int32_t, t->slot_count),
                        .after = ARENA_ROOM(a, int32_t, from->slot_count),
                        .changed = ARENA_ROOM(a, uint8_t, t->slot_count)};
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
        int32_t was = parts[i] > 0 ? out->before[i] : -1;
        bool same = was >= 0 && parts[i] == parts_before[was] && same_rest(from, was, t, i);
        out->before[i] = same ? was : -1;
        if (same) {
            out->after[was] = i;
        }
    }
    int32_t* run = parts; /* which are not asked for any more */
    number_runs(t, out->before, run);
    find_changed(from, t, run, out);
    return LIM_OK;
}

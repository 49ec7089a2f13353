/* SPDX-License-Identifier: MIT
 * Job: recognise material. In: two topologies, which fragment comes from which, which nodes are the
 * same. Out: which fragments are, with all their edges, what regions after an edit begin with.
 */
#include "body/kept_regions.h"

static bool same_edges(const matter* m, int32_t i, const matter* old, int32_t k,
                       const int32_t* source) {
    int32_t at = m->edge_offset[i], was = old->edge_offset[k];
    int32_t degree = m->edge_offset[i + 1] - at;
    if (degree != old->edge_offset[k + 1] - was) {
        return false;
    }
    for (int32_t e = 0; e < degree; ++e) {
        if (source[m->edge_node[at + e]] != old->edge_node[was + e]) {
            return false;
        }
    }
    return true;
}

/* Regions of one kind over one tree, with components of one chart. Their widths are the same: edits
 * keep them in space (material_widths). */
static bool may_be_kept(const topology* from, const topology* t) {
    return t->kind == from->kind && t->kind->regions == REGIONS_TREE &&
           t->region_kind == LIM_REGIONS_BLENDED && from->region_kind == LIM_REGIONS_BLENDED &&
           from->regions.record_fragment != NULL && !charts_many(&t->charts) &&
           !charts_many(&from->charts) && t->matter.level == from->matter.level &&
           t->matter.side == from->matter.side;
}

lim_result kept_regions_find(arena* a, const topology* from, const topology* t,
                             const int32_t* source, const uint8_t* touched, const kept_nodes* kept,
                             region_past* out, bool* out_known) {
    const matter *m = &t->matter, *old = &from->matter;
    *out_known = false;
    *out = (region_past){.n = &from->net,
                         .c = &from->charts,
                         .r = &from->regions,
                         .key = from->key,
                         .inv_weight = from->inv_weight,
                         .fit_mass = from->fit_mass,
                         .before = kept->before,
                         .after = kept->after,
                         .was = from->fragment_slot};
    if (!may_be_kept(from, t)) {
        return LIM_OK;
    }
    if (source == NULL) { /* the same material */
        *out_known = m->edge_node == old->edge_node;
        return LIM_OK;
    }
    int32_t* was = ARENA_ROOM(a, int32_t, m->count);
    int32_t* after = ARENA_ROOM(a, int32_t, old->count);
    uint8_t* changed = ARENA_ROOM(a, uint8_t, m->count);
    LIM_TRY_MEMORY(was);
    LIM_TRY_MEMORY(after);
    LIM_TRY_MEMORY(changed);
    for (int32_t k = 0; k < old->count; ++k) {
        after[k] = -1;
    }
    int32_t last = -1; /* fragments that are the same have one order */
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t k = source[i];
        was[i] = from->fragment_slot[k];
        bool other = touched != NULL ? touched[i] != 0 : !same_edges(m, i, old, k, source);
        changed[i] =
            other || k <= last || m->key[i] != old->key[k] || m->volume[i] != old->volume[k];
        if (!changed[i]) {
            LIM_VALIDATE(same_edges(m, i, old, k, source));
            last = k;
            after[k] = i;
        }
    }
    out->was = was;
    out->changed = changed;
    out->fragment_after = after;
    *out_known = true;
    return LIM_OK;
}

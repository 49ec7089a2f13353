/* SPDX-License-Identifier: MIT
 * Job: keep the material of a lattice. In: a sampling, or the nodes of one that was cut. Out: the
 * material, which nodes its fragments hang on, and the bindings of points to them.
 */
#include "body/lattice_material.h"

#include "sample/matter_copy.h"

enum { CORNERS = 8 };

/* Hops are a rule where all components have the same, and a number per fragment elsewhere. */
static lim_result take_hops(topology* t, const int32_t* hops) {
    bool even = true;
    t->own_width = (float)hops[0];
    for (int32_t c = 1; c < t->component_count; ++c) {
        even = even && hops[c] == hops[0];
    }
    if (even) {
        return LIM_OK;
    }
    t->fragment_width = ARENA_ARRAY(&t->mem, float, t->matter.count);
    LIM_TRY_MEMORY(t->fragment_width);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        t->fragment_width[i] = (float)hops[t->matter.component[i]];
    }
    return LIM_OK;
}

lim_result lattice_material_take(topology* t, const sampling* s, const node_factors* factors,
                                 const int32_t* hops) {
    LIM_TRY(matter_copy(&t->mem, &s->matter, &t->matter));
    if (factors->density != NULL) {
        t->density = ARENA_ARRAY(&t->mem, float, t->slot_count);
        LIM_TRY_MEMORY(t->density);
        for (int32_t i = 0; i < t->slot_count; ++i) {
            t->density[i] = t->slot_node[i] >= 0 ? factors->density[t->slot_node[i]] : 1.0f;
        }
    }
    t->own_width = 1.0f;
    return hops != NULL ? take_hops(t, hops) : LIM_OK;
}

/* The only node of a corner; -1: there is none. */
static int32_t node_at(const sampling* s, uint64_t key) {
    int32_t low = 0, high = s->node_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        bool before = s->key[middle] < key;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < s->node_count && s->key[low] == key ? low : -1;
}

lim_result lattice_material_nodes(arena* a, const sampling* s, const int32_t** out) {
    const matter* m = &s->matter;
    int32_t* node = ARENA_ARRAY(a, int32_t, CORNERS * (size_t)m->count);
    LIM_TRY_MEMORY(node);
    for (int32_t i = 0; i < m->count; ++i) {
        octant o = octant_of(m->key[i]);
        for (int k = 0; k < CORNERS; ++k) {
            octant at = {o.level, o.x + (k & 1), o.y + (k >> 1 & 1), o.z + (k >> 2)};
            int32_t found = node_at(s, octant_key(at));
            if (found < 0) {
                return LIM_ERROR_ARGUMENT;
            }
            node[CORNERS * (size_t)i + (size_t)k] = found;
        }
    }
    *out = node;
    return LIM_OK;
}

lim_result lattice_material_hops(const topology* t, arena* scratch, int32_t** out) {
    int32_t* hops = *out = ARENA_ARRAY(scratch, int32_t, t->component_count);
    LIM_TRY_MEMORY(hops);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        int32_t own = (int32_t)(t->fragment_width != NULL ? t->fragment_width[i] : t->own_width);
        int32_t* at = &hops[t->matter.component[i]];
        *at = own > *at ? own : *at;
    }
    return LIM_OK;
}

lim_result lattice_material_cells(const topology* t, arena* scratch, lattice_bind* out) {
    const matter* m = &t->matter;
    lim_point* middle = ARENA_ARRAY(scratch, lim_point, m->count);
    LIM_TRY_MEMORY(middle);
    for (int32_t i = 0; i < m->count; ++i) {
        middle[i] = p3_sub(m->centroid[i], t->rest_origin);
    }
    *out = (lattice_bind){.slot_count = t->slot_count,
                          .key = t->key,
                          .slot_node = t->slot_node,
                          .slot_component = t->slot_component,
                          .edge = (double)t->cell,
                          .lower = p3_sub(p3_of(v3_of(m->corner)), t->rest_origin),
                          .cell_count = m->count,
                          .cell = m->key,
                          .corner = t->bind.corner,
                          .middle = middle};
    return LIM_OK;
}

/* Any of a fragment's nodes says which component it is in: the lowest corner. */
static lim_result name_slots(topology* t) {
    t->fragment_slot = ARENA_ARRAY(&t->mem, int32_t, t->matter.count);
    LIM_TRY_MEMORY(t->fragment_slot);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        t->fragment_slot[i] = t->bind.corner[CORNERS * (size_t)i];
    }
    return LIM_OK;
}

lim_result lattice_material_bind(topology* t, arena* scratch, const lim_vec3* points,
                                 const lim_vec3* normals, int32_t count) {
    lattice_bind cells;
    LIM_TRY(lattice_material_cells(t, scratch, &cells));
    LIM_TRY(bindings_build_trilinear(&t->mem, scratch, &cells, points, normals, count, &t->bind));
    t->point_home = t->bind.cell;
    return name_slots(t);
}

lim_result lattice_material_corners(topology* t, const int32_t* corner_node) {
    size_t count = CORNERS * (size_t)t->matter.count;
    t->bind.cell_count = t->matter.count;
    t->bind.cell_edge = t->cell;
    t->bind.corner = ARENA_ARRAY(&t->mem, int32_t, count);
    LIM_TRY_MEMORY(t->bind.corner);
    for (size_t i = 0; i < count; ++i) {
        t->bind.corner[i] = t->node_slot[corner_node[i]];
    }
    return name_slots(t);
}

lim_result lattice_material_rebind(topology* t) {
    bindings* b = &t->bind;
    lattice_bind cells = {.slot_component = t->slot_component,
                          .edge = (double)t->cell,
                          .lower = p3_sub(p3_of(v3_of(t->matter.corner)), t->rest_origin),
                          .cell = t->matter.key};
    b->cell = t->point_home;
    b->bind = ARENA_ROOM(&t->mem, binding, b->count);
    b->component = ARENA_ROOM(&t->mem, int32_t, b->count);
    LIM_TRY_MEMORY(b->bind);
    LIM_TRY_MEMORY(b->component);
    for (int axis = 0; axis < 3; ++axis) {
        b->local[axis] = ARENA_ROOM(&t->mem, float, b->count);
        LIM_TRY_MEMORY(b->local[axis]);
    }
    bindings_fill_trilinear(&cells, b);
    return LIM_OK;
}

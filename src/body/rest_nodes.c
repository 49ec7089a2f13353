/* SPDX-License-Identifier: MIT
 * Job: nodes at rest. In: a sampling whose nodes have slots. Out: volumes, masses, places, graph.
 */
#include "body/rest_nodes.h"

#include "sample/nodes.h"

#include <string.h>

lim_result rest_masses(topology* t, const sampling* s, const float* density) {
    t->mass = t->volume;
    if (density != NULL) {
        t->mass = ARENA_ARRAY(&t->mem, float, t->slot_count);
        LIM_TRY_MEMORY(t->mass);
    }
    for (int32_t i = 0; i < s->node_count; ++i) {
        t->volume[t->node_slot[i]] = s->volume[i];
        if (density != NULL) {
            t->mass[t->node_slot[i]] = s->volume[i] * density[i];
        }
    }
    return LIM_OK;
}

lim_point rest_centre(topology* t, const sampling* s) {
    lim_point sum = p3(0, 0, 0);
    double volume = 0.0, mass = 0.0;
    for (int32_t i = 0; i < s->node_count; ++i) {
        double m = (double)t->mass[t->node_slot[i]];
        sum = p3_mad(sum, p3_of(s->centroid[i]), m);
        volume += (double)s->volume[i];
        mass += m;
    }
    t->volume_sum = volume;
    return p3_scale(sum, 1.0 / mass);
}

void rest_places(topology* t, const sampling* s) {
    t->cell = s->cell_size;
    t->levels = s->levels;
    for (int32_t i = 0; i < s->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        lim_vec3 x0 = v3_of(p3_sub(p3_of(s->centroid[i]), t->rest_origin));
        lim_vec3 centre = v3_of(p3_sub(p3_of(s->centre[i]), t->rest_origin));
        const float at[3] = {x0.x, x0.y, x0.z}, middle[3] = {centre.x, centre.y, centre.z};
        for (int k = 0; k < 3; ++k) {
            t->x0[k][slot] = at[k];
            t->centre[k][slot] = middle[k];
        }
        t->side[slot] = s->side[i];
        t->key[slot] = s->key[i];
        t->fragment[slot] = s->fragment[i];
    }
}

/* Row by row, ascending: slots keep the order of nodes within a chart, or nearly so, and rows are
 * short. */
static int32_t put_row(topology* t, const sampling* s, const uint16_t* length, int32_t node,
                       int32_t begin) {
    int32_t at = begin;
    for (int32_t e = s->edge_offset[node]; e < s->edge_offset[node + 1]; ++e) {
        int32_t to = t->node_slot[s->edge_node[e]], k = at++;
        for (; k > begin && t->edge_node[k - 1] > to; --k) {
            t->edge_node[k] = t->edge_node[k - 1];
            t->edge_length[k] = t->edge_length[k - 1];
        }
        t->edge_node[k] = to;
        t->edge_length[k] = length[e];
    }
    return at;
}

static void put_rows(topology* t, const sampling* s, const uint16_t* length) {
    int32_t at = 0;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        t->edge_offset[i] = at;
        at = t->slot_node[i] >= 0 ? put_row(t, s, length, t->slot_node[i], at) : at;
    }
    t->edge_offset[t->slot_count] = at;
}

/* Is the number of each node that of its slot? So it is where there is one chart. */
static bool in_order(const topology* t) {
    int32_t same = 0;
    while (same < t->node_count && t->node_slot[same] == same) {
        same++;
    }
    return same == t->node_count;
}

/* Rows as they are; pads come behind. */
static void keep_rows(topology* t, const sampling* s) {
    size_t edges = (size_t)t->edge_count;
    memcpy(t->edge_offset, s->edge_offset, (size_t)s->node_count * sizeof(int32_t));
    for (int32_t i = s->node_count; i <= t->slot_count; ++i) {
        t->edge_offset[i] = t->edge_count;
    }
    if (t->edge_node != s->edge_node) {
        memcpy(t->edge_node, s->edge_node, edges * sizeof(int32_t));
    }
    if (s->edge_length != NULL) {
        memcpy(t->edge_length, s->edge_length, edges * sizeof(uint16_t));
    } else {
        nodes_measure(s, t->edge_length);
    }
}

/* The sampling's graph, renumbered to slots; pads have no edges. */
lim_result rest_graph(topology* t, arena* scratch, const sampling* s) {
    t->edge_count = s->edge_offset[s->node_count];
    bool ordered = in_order(t);
    bool shared = ordered && s->edge_node == t->matter.edge_node; /* the nodes are the fragments */
    t->edge_offset = ARENA_ROOM(&t->mem, int32_t, t->slot_count + 1);
    t->edge_node = shared ? s->edge_node : ARENA_ROOM(&t->mem, int32_t, t->edge_count);
    t->edge_length = ARENA_ROOM(&t->mem, uint16_t, t->edge_count);
    LIM_TRY_MEMORY(t->edge_offset);
    LIM_TRY_MEMORY(t->edge_node);
    LIM_TRY_MEMORY(t->edge_length);
    if (ordered) {
        keep_rows(t, s);
        return LIM_OK;
    }
    if (s->edge_length != NULL) {
        put_rows(t, s, s->edge_length);
        return LIM_OK;
    }
    uint16_t* length = ARENA_ROOM(scratch, uint16_t, t->edge_count);
    LIM_TRY_MEMORY(length);
    nodes_measure(s, length);
    put_rows(t, s, length);
    return LIM_OK;
}

void rest_info(topology* t, const sampling* s) {
    t->info = (lim_model_info){.kind = t->kind->id,
                               .nodes = t->node_count,
                               .regions = regions_used(&t->regions),
                               .edges = t->edge_count / 2,
                               .components = t->component_count,
                               .levels = t->levels,
                               .cells = s->cell_count,
                               .fragments = s->fragment_count,
                               .glued_edges = s->glued_edges,
                               .cell_size = (float)((double)t->cell * t->unit),
                               .region_width = t->region_width,
                               .volume = t->volume_sum * t->unit * t->unit * t->unit,
                               .centre = t->centre_of_mass,
                               .members_per_region = t->regions.members,
                               .inputs_per_region = t->regions.inputs};
    for (int32_t i = 0; i < s->node_count; ++i) {
        t->info.level_nodes[s->level[i]]++;
    }
    /* Nodes are in order of level: the first is one of the coarsest. Points are in no order. */
    float coarsest = s->side[0];
    for (int32_t i = 1; i < s->node_count && t->kind->nodes == LIM_NODES_ARE_POINTS; ++i) {
        coarsest = s->side[i] > coarsest ? s->side[i] : coarsest;
    }
    t->info.coarsest_size = (float)((double)coarsest * t->unit);
}

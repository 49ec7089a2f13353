/* SPDX-License-Identifier: MIT
 * Job: bind points to the nodes of an octree. In: rest points, nodes, material. Out: bindings, and
 * the fragment that each point lies on.
 */
#include "body/bind_cells.h"

/* The fragments of the finest cells, each with the node that it is part of: they tell which node a
 * point of the surface belongs to where several share a coarse cell. In scratch. */
static lim_result material_of(const topology* t, arena* scratch, bind_material* out) {
    const matter* m = &t->matter;
    float* floats = ARENA_ARRAY(scratch, float, 7 * (size_t)m->count);
    LIM_TRY_MEMORY(floats);
    float* column[7];
    for (int k = 0; k < 7; ++k) {
        column[k] = floats + (size_t)k * (size_t)m->count;
    }
    for (int32_t p = 0; p < m->count; ++p) {
        octant o = octant_of(m->key[p]);
        lim_point cell = p3(o.x + 0.5, o.y + 0.5, o.z + 0.5);
        lim_vec3 centre = v3_of(p3_sub(p3_mad(m->corner, cell, m->side), t->rest_origin));
        lim_vec3 x0 = v3_of(p3_sub(m->centroid[p], t->rest_origin));
        const float values[7] = {x0.x, x0.y, x0.z, centre.x, centre.y, centre.z, (float)m->side};
        for (int k = 0; k < 7; ++k) {
            column[k][p] = values[k];
        }
    }
    *out = (bind_material){.count = m->count,
                           .x0 = {column[0], column[1], column[2]},
                           .centre = {column[3], column[4], column[5]},
                           .side = column[6],
                           .slot = t->fragment_slot};
    return LIM_OK;
}

bind_nodes bind_cells_nodes(const topology* t, cell_frame* frame) {
    const matter* m = &t->matter;
    *frame = (cell_frame){.lower = p3_sub(m->corner, t->rest_origin),
                          .root = m->side * (double)((int64_t)1 << m->level)};
    return (bind_nodes){.padded = t->slot_count,
                        .x0 = {t->x0[0], t->x0[1], t->x0[2]},
                        .centre = {t->centre[0], t->centre[1], t->centre[2]},
                        .side = t->side,
                        .slot_component = t->slot_component,
                        .g = topology_graph(t),
                        .frame = frame};
}

lim_result bind_cells(topology* t, arena* scratch, const lim_vec3* points, const lim_vec3* normals,
                      int32_t count) {
    cell_frame frame;
    bind_nodes nodes = bind_cells_nodes(t, &frame);
    bind_material material;
    if (t->node_count < t->matter.count) {
        LIM_TRY(material_of(t, scratch, &material));
        nodes.material = &material;
    }
    t->point_home = ARENA_ARRAY(&t->mem, int32_t, count);
    LIM_TRY_MEMORY(t->point_home);
    LIM_TRY(
        bindings_build(&t->mem, scratch, &nodes, points, normals, count, t->point_home, &t->bind));
    /* Nodes that are fragments are in their order. */
    for (int32_t i = 0; i < count && nodes.material == NULL; ++i) {
        t->point_home[i] = t->slot_node[t->point_home[i]];
    }
    return LIM_OK;
}

lim_result bind_cells_homes(topology* t, arena* scratch, const int32_t* point, const lim_vec3* look,
                            int32_t count) {
    if (count == 0) {
        return LIM_OK;
    }
    lim_vec3* at = ARENA_ARRAY(scratch, lim_vec3, count);
    int32_t* home = ARENA_ARRAY(scratch, int32_t, count);
    LIM_TRY_MEMORY(at);
    LIM_TRY_MEMORY(home);
    for (int32_t i = 0; i < count; ++i) {
        at[i] = bindings_rest(&t->bind, point[i]);
    }
    bind_material material;
    LIM_TRY(material_of(t, scratch, &material));
    LIM_TRY(bindings_homes(scratch, &material, at, look, count, home));
    for (int32_t i = 0; i < count; ++i) {
        t->point_home[point[i]] = home[i];
    }
    return LIM_OK;
}

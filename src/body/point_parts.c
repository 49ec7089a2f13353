/* SPDX-License-Identifier: MIT
 * Job: the parts of a topology of points. In: a mesh, given points, a descriptor. Out: a sampling
 * with a plan of clusters; bindings; what follows from both and is not saved.
 */
#include "body/point_parts.h"

#include "sample/points.h"
#include "skin/point_binding.h"

/* Takes out the links between components. */
static void drop_links(sampling* s) {
    int32_t kept = 0, begin = 0;
    for (int32_t i = 0; i < s->node_count; ++i) {
        int32_t end = s->edge_offset[i + 1];
        for (int32_t e = begin; e < end; ++e) {
            if (s->component[s->edge_node[e]] == s->component[i]) {
                s->edge_length[kept] = s->edge_length[e];
                s->edge_node[kept++] = s->edge_node[e];
            }
        }
        begin = end;
        s->edge_offset[i + 1] = kept;
    }
}

lim_result point_parts_sample(arena* scratch, const lim_mesh* mesh, const lim_model_desc* desc,
                              const lim_host* host, sampling* out, point_parts* out_parts) {
    LIM_TRY(points_sample(scratch, mesh, desc, host, out, &out_parts->own));
    cluster_source source = {.count = out->node_count,
                             .at = out->centroid,
                             .part = out->component,
                             .parts = out->component_count,
                             .wished = desc->clusters};
    if (desc->glue_parts) {
        source.parts = 1;
        source.part = ARENA_ARRAY(scratch, int32_t, out->node_count);
        LIM_TRY_MEMORY(source.part);
    }
    LIM_TRY(clusters_plan(scratch, &source, &out_parts->plan));
    out->component = out_parts->plan.component;
    out->component_count = out_parts->plan.components;
    drop_links(out);
    return LIM_OK;
}

lim_result point_parts_bind(topology* t, arena* scratch, const lim_mesh* mesh,
                            const point_parts* parts, const lim_vec3* places, int32_t count) {
    point_bind nodes = {.node_count = t->node_count,
                        .node_slot = t->node_slot,
                        .x0 = {t->x0[0], t->x0[1], t->x0[2]},
                        .slot_component = t->slot_component,
                        .own = parts->own,
                        .own_count = parts->own != NULL ? mesh->point_count : 0};
    return bindings_build_points(&t->mem, scratch, &nodes, places, count, &t->bind);
}

lim_result point_parts_derive(topology* t, arena* scratch) {
    quadratic_source source = {.net = &t->net,
                               .charts = &t->charts,
                               .regions = &t->regions,
                               .slots = t->slot_count,
                               .x0 = {t->x0[0], t->x0[1], t->x0[2]},
                               .inv_weight = t->inv_weight,
                               .fit_mass = t->fit_mass};
    return quadratic_build(&t->mem, scratch, &source, &t->quadratic);
}

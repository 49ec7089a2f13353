/* SPDX-License-Identifier: MIT
 * Job: anchor places to points. In: nodes at rest, places. Out: up to 8 (slot, weight) per place,
 * all of the component of the nearest.
 */
#include "skin/point_binding.h"

#include "mesh/nearest.h"

/* Weights below this share of the sum are dropped. */
#define LEAST_WEIGHT 1e-7

static void bind_alone(const point_bind* n, int32_t node, binding* out) {
    for (int k = 0; k < BINDING_NODES; ++k) {
        out->node[k] = n->node_slot[node];
        out->weight[k] = k == 0 ? 1.0f : 0.0f;
    }
}

static void bind_smooth(const point_bind* n, const nearest_tree* tree, lim_vec3 place,
                        binding* out) {
    nearest_found near[BINDING_NODES + 1];
    double weight[BINDING_NODES], sum = 0.0;
    int32_t found = nearest_find(tree, place, BINDING_NODES + 1, near);
    /* All of a few nodes count; the last of nine only says how far the others reach, by a hair more
     * so that nine at one distance weigh the same. */
    double rho2 = found > BINDING_NODES ? near[BINDING_NODES].distance2 * (1.0 + 1e-6)
                                        : near[found - 1].distance2 * 2.25 + 1e-30;
    int32_t own = n->slot_component[n->node_slot[near[0].point]], kept = 0;
    for (int32_t k = 0; k < found && k < BINDING_NODES; ++k) {
        double inside = 1.0 - near[k].distance2 / rho2;
        int32_t slot = n->node_slot[near[k].point];
        if (n->slot_component[slot] == own && inside > 0.0) {
            out->node[kept] = slot;
            weight[kept] = inside * inside;
            sum += weight[kept++];
        }
    }
    while (kept > 1 && weight[kept - 1] < LEAST_WEIGHT * sum) {
        sum -= weight[--kept];
    }
    for (int32_t k = 0; k < BINDING_NODES; ++k) {
        out->weight[k] = k < kept ? (float)(weight[k] / sum) : 0.0f;
        out->node[k] = out->node[k < kept ? k : 0];
    }
}

lim_result bindings_build_points(arena* a, arena* scratch, const point_bind* nodes,
                                 const lim_vec3* places, int32_t count, bindings* out) {
    bindings made = {.count = count};
    made.bind = ARENA_ARRAY(a, binding, count);
    made.component = ARENA_ARRAY(a, int32_t, count);
    lim_vec3* at = ARENA_ARRAY(scratch, lim_vec3, nodes->node_count);
    LIM_TRY_MEMORY(made.bind);
    LIM_TRY_MEMORY(made.component);
    LIM_TRY_MEMORY(at);
    for (int axis = 0; axis < 3; ++axis) {
        made.rest[axis] = ARENA_ARRAY(a, float, count);
        LIM_TRY_MEMORY(made.rest[axis]);
    }
    for (int32_t i = 0; i < nodes->node_count; ++i) {
        int32_t slot = nodes->node_slot[i];
        at[i] = v3(nodes->x0[0][slot], nodes->x0[1][slot], nodes->x0[2][slot]);
    }
    nearest_tree tree;
    LIM_TRY(nearest_build(scratch, at, nodes->node_count, &tree));
    for (int32_t i = 0; i < count; ++i) {
        if (i < nodes->own_count) {
            bind_alone(nodes, nodes->own[i], &made.bind[i]);
        } else {
            bind_smooth(nodes, &tree, places[i], &made.bind[i]);
        }
        made.component[i] = nodes->slot_component[made.bind[i].node[0]];
        made.rest[0][i] = places[i].x;
        made.rest[1][i] = places[i].y;
        made.rest[2][i] = places[i].z;
    }
    *out = made;
    return LIM_OK;
}

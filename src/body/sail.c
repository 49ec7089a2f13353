/* SPDX-License-Identifier: MIT
 * Job: what each node of a body offers to the wind. In: the skin at rest, its bindings, masses.
 * Out: the tensors A of body/wind.c, per slot. A triangle of area a and unit normal n has a n n^T,
 * which is the same for both of its sides. A third of it is at each corner, shared among the
 * corner's nodes in proportion to mass (a light node at the surface moves with its neighbours): the
 * weights w_i m_i / sum w m. Over the node's mass:
 *     A_i = sum over corners of (w_i / sum w m) a n n^T / 3.
 */
#include "body/body.h"

/* Per bound point of the skin: its thirds of the triangles about it. */
static float* corner_sums(const topology* t, arena* scratch) {
    float* sums = ARENA_ARRAY(scratch, float, WIND_SAIL*(int64_t)t->point_count);
    for (int32_t i = 0; i < t->triangle_count && sums != NULL; ++i) {
        const uint32_t* v = t->indices + 3 * (size_t)i;
        lim_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = bindings_rest(&t->bind, t->vertex_point[v[k]]);
        }
        lim_vec3 n = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
        float twice = v3_length(n), third = twice > 0.0f ? 1.0f / (6.0f * twice) : 0.0f;
        const float add[WIND_SAIL] = {third * n.x * n.x, third * n.y * n.y, third * n.z * n.z,
                                      third * n.x * n.y, third * n.x * n.z, third * n.y * n.z};
        for (int k = 0; k < 3; ++k) {
            float* sum = sums + WIND_SAIL * (size_t)t->vertex_point[v[k]];
            for (int j = 0; j < WIND_SAIL; ++j) {
                sum[j] += add[j];
            }
        }
    }
    return sums;
}

lim_result body_reserve_wind(body* b) {
    const topology* t = b->topology;
    if (b->sail[0] != NULL || t->triangle_count == 0) {
        return LIM_OK;
    }
    arena scratch;
    arena_init(&scratch, &b->host);
    const float* corner = corner_sums(t, &scratch);
    float* all = corner != NULL
                     ? ARENA_ARRAY(&b->mem, float, (WIND_SAIL + 3) * (int64_t)t->slot_count)
                     : NULL;
    if (all == NULL) {
        arena_release(&scratch);
        return LIM_ERROR_MEMORY;
    }
    for (int k = 0; k < WIND_SAIL; ++k) {
        b->sail[k] = all + (size_t)k * (size_t)t->slot_count;
    }
    for (int k = 0; k < 3; ++k) {
        b->blown[k] = all + (size_t)(WIND_SAIL + k) * (size_t)t->slot_count;
    }
    node_state nodes = body_nodes(b);
    for (int32_t i = 0; i < t->point_count; ++i) {
        const binding* at = t->bind.bind + i;
        float mass = binding_mass(at, &nodes);
        for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f && mass > 0.0f; ++k) {
            float share = at->weight[k] / mass;
            for (int j = 0; j < WIND_SAIL; ++j) {
                b->sail[j][at->node[k]] += share * corner[WIND_SAIL * (size_t)i + (size_t)j];
            }
        }
    }
    arena_release(&scratch);
    return LIM_OK;
}

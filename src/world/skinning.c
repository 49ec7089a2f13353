/* SPDX-License-Identifier: MIT
 * Job: hand out what a host needs to skin by itself. In: a model's bindings; a body. Out: per
 * vertex nodes, weights and weights of tangents; per node the map from rest to world. The blended
 * affine field x = origin + s R (X + sum w (d + B (X - x0))) of skin/skin_kernel.c is sum w M X
 * with M = (A | t), A = s R (1 + B), t = origin + s R (d - B x0). Over a lattice (B = 0) the
 * gradient is F T = T + sum d_k (grad phi_k . T), and since the gradients sum to nothing
 *     s R F T = sum_k (w_k A T + a_k t_k),    a_k = grad phi_k . T
 * (Rivers and James 2007, eq. 16-17): one formula for all kinds.
 */
#include "world/skinning.h"

#include "skin/trilinear.h"
#include "world/model.h"
#include "world/world.h"

#include <string.h>

/* ---- per vertex -------------------------------------------------------------------------------
 */

typedef struct skinning_arrays {
    float *positions, *normals, *tangents, *weights, *tangent_weights;
    int32_t* nodes;
} skinning_arrays;

/* The mesh's tangent made a unit vector across the normal, or any such vector. */
static lim_vec3 tangent_across(lim_vec3 n, lim_vec3 wish) {
    lim_vec3 axis = fabsf(n.x) < fabsf(n.y) ? v3(1, 0, 0) : v3(0, 1, 0);
    lim_vec3 other = v3_unit(v3_cross(n, axis), v3(1, 0, 0));
    lim_vec3 across = v3_sub(wish, v3_scale(n, v3_dot(n, wish)));
    return v3_length(across) > 1e-3f * v3_length(wish) ? v3_unit(across, other) : other;
}

static void fill_directions(const topology* t, size_t v, const skinning_arrays* to) {
    lim_vec3 n = v3(t->normal[3 * v], t->normal[3 * v + 1], t->normal[3 * v + 2]);
    lim_vec3 wish = v3(0, 0, 0);
    float hand = 1.0f;
    if (t->tangent != NULL) {
        const float* given = t->tangent + 4 * v;
        wish = v3(given[0], given[1], given[2]);
        hand = given[3];
    }
    lim_vec3 across = tangent_across(n, wish);
    memcpy(to->normals + 3 * v, &n, sizeof n);
    memcpy(to->tangents + 4 * v, &across, sizeof across);
    to->tangents[4 * v + 3] = hand;
}

static void fill_blended(const topology* t, size_t v, const skinning_arrays* to) {
    const binding* b = &t->bind.bind[t->vertex_point[v]];
    for (size_t k = 0; k < BINDING_NODES; ++k) {
        to->nodes[BINDING_NODES * v + k] = t->slot_node[b->node[k]];
        to->weights[BINDING_NODES * v + k] = b->weight[k];
    }
}

/* All corners of the cell: one without weight can still have a slope. */
static void fill_trilinear(const topology* t, size_t v, const skinning_arrays* to) {
    const bindings* b = &t->bind;
    int32_t point = t->vertex_point[v];
    const int32_t* corner = b->corner + 8 * (size_t)b->cell[point];
    const float *n = to->normals + 3 * v, *u = to->tangents + 4 * v;
    lim_point along = p3((double)u[0], (double)u[1], (double)u[2]);
    lim_point other = p3_cross(p3((double)n[0], (double)n[1], (double)n[2]), along);
    double phi[8], gradient[8][3];
    trilinear_weights(b, point, phi, gradient);
    for (size_t k = 0; k < 8; ++k) {
        lim_point g = p3(gradient[k][0], gradient[k][1], gradient[k][2]);
        to->nodes[8 * v + k] = t->slot_node[corner[k]];
        to->weights[8 * v + k] = (float)phi[k];
        to->tangent_weights[16 * v + k] = (float)(p3_dot(g, along) / t->unit);
        to->tangent_weights[16 * v + 8 + k] = (float)(p3_dot(g, other) / t->unit);
    }
}

lim_result skinning_fill(arena* a, const topology* t, lim_skinning_view* out) {
    bool cells = t->bind.cell_count > 0;
    int64_t count = t->vertex_count;
    skinning_arrays to = {.positions = ARENA_ARRAY(a, float, 3 * count),
                          .normals = ARENA_ARRAY(a, float, 3 * count),
                          .tangents = ARENA_ARRAY(a, float, 4 * count),
                          .weights = ARENA_ARRAY(a, float, 8 * count),
                          .tangent_weights = cells ? ARENA_ARRAY(a, float, 16 * count) : NULL,
                          .nodes = ARENA_ARRAY(a, int32_t, 8 * count)};
    if (to.positions == NULL || to.normals == NULL || to.tangents == NULL || to.weights == NULL ||
        to.nodes == NULL || (cells && to.tangent_weights == NULL)) {
        return LIM_ERROR_MEMORY;
    }
    for (size_t v = 0; v < (size_t)count; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            double x = (double)t->bind.rest[k][t->vertex_point[v]];
            to.positions[3 * v + k] = (float)(x * t->unit);
        }
        fill_directions(t, v, &to);
        if (cells) {
            fill_trilinear(t, v, &to);
        } else {
            fill_blended(t, v, &to);
        }
    }
    *out = (lim_skinning_view){.vertex_count = t->vertex_count,
                               .node_count = t->node_count,
                               .positions = to.positions,
                               .normals = to.normals,
                               .tangents = to.tangents,
                               .nodes = to.nodes,
                               .weights = to.weights,
                               .tangent_weights = to.tangent_weights};
    return LIM_OK;
}

struct lim_skinning {
    arena mem;
    lim_skinning_view view;
};

static lim_result make_skinning(const lim_model* model, const lim_host* host, lim_skinning** out) {
    lim_host hooks = mem_host(host);
    lim_skinning* made = mem_alloc(&hooks, 1, sizeof *made);
    LIM_TRY_MEMORY(made);
    arena_init(&made->mem, &hooks);
    lim_result result = skinning_fill(&made->mem, model->topology, &made->view);
    if (result != LIM_OK) {
        lim_skinning_destroy(made);
        return result;
    }
    *out = made;
    return LIM_OK;
}

lim_result lim_model_make_skinning(const lim_model* model, const lim_host* host,
                                   lim_skinning** out_skinning) {
    if (out_skinning != NULL) {
        *out_skinning = NULL;
    }
    if (model == NULL || out_skinning == NULL) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "lim_model_make_skinning: model or out_skinning is null; give both");
    }
    fpenv env = fpenv_enter();
    lim_result result = make_skinning(model, host, out_skinning);
    fpenv_leave(env);
    if (result == LIM_ERROR_MEMORY) {
        return log_fail(host, result,
                        "lim_model_make_skinning: the host gave no memory; nothing was made");
    }
    return result;
}

lim_skinning_view lim_skinning_get_view(const lim_skinning* skinning) {
    return skinning != NULL ? skinning->view : (lim_skinning_view){0};
}

void lim_skinning_destroy(lim_skinning* skinning) {
    if (skinning != NULL) {
        lim_host host = skinning->mem.host;
        arena_release(&skinning->mem);
        mem_free(&host, skinning, 1, sizeof *skinning);
    }
}

/* ---- per node ---------------------------------------------------------------------------------
 */

/* From the records that the last published skin was made of. */
static void write_transform(const body* b, int32_t slot, lim_point origin, float out[12]) {
    const component* c = &b->components[b->topology->slot_component[slot]];
    const float* affine = b->affine + 16 * (size_t)slot;
    dmat3 r = dquat_matrix(c->rotation);
    lim_point shift = p3((double)affine[9], (double)affine[10], (double)affine[11]);
    lim_point at = p3_sub(node_to_world(c, body_metres(b), shift), origin);
    const double to[3] = {at.x, at.y, at.z};
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            double sum = r.m[3 * row + column];
            for (int k = 0; k < 3; ++k) {
                sum += r.m[3 * row + k] * (double)affine[3 * k + column];
            }
            out[4 * row + column] = (float)(b->scale * sum);
        }
        out[4 * row + 3] = (float)to[row];
    }
}

static lim_result write_transforms(const lim_world* world, lim_body id, lim_point origin,
                                   float* out, int32_t node_count) {
    const world_body* wb = world_body_of(world, "lim_body_write_node_transforms", id);
    if (wb == NULL) {
        return LIM_ERROR_ID;
    }
    const topology* t = wb->body.topology;
    check c = check_begin(&world->host, "lim_body_write_node_transforms");
    check_point(&c, "origin", origin);
    check_integer(&c, "node_count", node_count, t->node_count, t->node_count,
                  "the node count of lim_model_get_nodes");
    LIM_TRY(c.result);
    for (int32_t i = 0; i < node_count; ++i) {
        write_transform(&wb->body, t->node_slot[i], origin, out + 12 * (size_t)i);
    }
    return LIM_OK;
}

lim_result lim_body_write_node_transforms(const lim_world* world, lim_body id, lim_point origin,
                                          float* out_transforms, int32_t node_count) {
    if (!world_given(world, "lim_body_write_node_transforms", "out_transforms", out_transforms)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(write_transforms(world, id, origin, out_transforms, node_count));
}

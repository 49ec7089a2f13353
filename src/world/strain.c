/* SPDX-License-Identifier: MIT
 * Job: how far each place of a skin is from rest, for colours. In: a body. Out: per vertex the
 * distance of the deformation gradient from a rotation, sqrt(sum (sigma_i - 1)^2), and what of the
 * strain has flowed into the rest shape. The gradient of
 * a node is fitted to its graph neighbours, F = 1 + (sum u X^T)(sum X X^T)^-1 with X the rest
 * vector to a neighbour and u what R^T x differs from it, R the rotation of the node's own region:
 * directions without a neighbour count as unstrained, and no rotation counts as strain. Vertices
 * blend their nodes by the binding. Over a lattice the gradient is the skin's own, at the vertex.
 * Plastic strain is as the flow measures it (match/plastic_wide.h): sqrt(3/2 D : D) of the deviator
 * D of P, with P the mean over the regions of the node and of its neighbours, which are those that
 * it lies in when they are a cell wide.
 */
#include "math/eigen.h"
#include "skin/trilinear.h"
#include "world/world.h"

#include <string.h>

static lim_point slot_offset(const body* b, int32_t from, int32_t to, lim_point* out_rest) {
    const topology* t = b->topology;
    double x[3], d[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = (double)t->x0[k][to] - (double)t->x0[k][from];
        d[k] = (double)b->d[k][to] - (double)b->d[k][from];
    }
    *out_rest = p3(x[0], x[1], x[2]);
    return p3(x[0] + d[0], x[1] + d[1], x[2] + d[2]);
}

static float strain_of(const dmat3* f) {
    dmat3 left, right;
    double s[3], sum = 0.0;
    svd3(f, &left, s, &right);
    for (int k = 0; k < 3; ++k) {
        sum += (s[k] - 1.0) * (s[k] - 1.0);
    }
    return (float)sqrt(sum);
}

static float node_strain(const body* b, int32_t slot) {
    const topology* t = b->topology;
    int32_t region = t->regions.seed_region[slot];
    dquat q = dquat_unit((dquat){(double)b->q[0][region], (double)b->q[1][region],
                                 (double)b->q[2][region], (double)b->q[3][region]});
    double rest[6] = {0}, moved[3][3] = {{0}};
    for (int32_t e = t->edge_offset[slot]; e < t->edge_offset[slot + 1]; ++e) {
        lim_point x0;
        lim_point x = slot_offset(b, slot, t->edge_node[e], &x0);
        lim_point u = p3_sub(dquat_rotate(dquat_conjugate(q), x), x0);
        const double a[3] = {u.x, u.y, u.z}, c[3] = {x0.x, x0.y, x0.z};
        for (int k = 0; k < 9; ++k) {
            moved[k / 3][k % 3] += a[k / 3] * c[k % 3];
        }
        rest[0] += x0.x * x0.x;
        rest[1] += x0.y * x0.y;
        rest[2] += x0.z * x0.z;
        rest[3] += x0.x * x0.y;
        rest[4] += x0.x * x0.z;
        rest[5] += x0.y * x0.z;
    }
    double trace = rest[0] + rest[1] + rest[2];
    if (!(trace > 0.0)) {
        return 0.0f; /* no neighbour: nothing to be strained against */
    }
    for (int k = 0; k < 3; ++k) {
        rest[k] += 1e-6 * trace;
    }
    dmat3 f;
    for (int k = 0; k < 3; ++k) {
        lim_point row = sym3_solve(rest, p3(moved[k][0], moved[k][1], moved[k][2]), 0.0);
        f.m[3 * k] = row.x + (k == 0);
        f.m[3 * k + 1] = row.y + (k == 1);
        f.m[3 * k + 2] = row.z + (k == 2);
    }
    return strain_of(&f);
}

static float node_plastic(const body* b, int32_t slot) {
    const topology* t = b->topology;
    const int32_t* region = t->regions.seed_region;
    int32_t begin = t->edge_offset[slot], end = t->edge_offset[slot + 1];
    double p[6], square = 0.0;
    for (int k = 0; k < 6; ++k) {
        p[k] = (double)b->strain[k][region[slot]];
        for (int32_t e = begin; e < end; ++e) {
            p[k] += (double)b->strain[k][region[t->edge_node[e]]];
        }
        p[k] /= 1.0 + (double)(end - begin);
    }
    double mean = (p[0] + p[1] + p[2]) / 3.0;
    for (int k = 0; k < 3; ++k) {
        square += (p[k] - mean) * (p[k] - mean) + 2.0 * p[3 + k] * p[3 + k];
    }
    return (float)sqrt(1.5 * square);
}

/* A value of nodes, blended by the bindings of the vertices. */
static lim_result blend(const body* b, float (*of)(const body* b, int32_t slot),
                        const lim_host* host, float* out) {
    const topology* t = b->topology;
    float* value = mem_alloc(host, (size_t)t->slot_count, sizeof *value);
    LIM_TRY_MEMORY(value);
    for (int32_t i = 0; i < t->node_count; ++i) {
        value[t->node_slot[i]] = of(b, t->node_slot[i]);
    }
    for (int32_t v = 0; v < t->vertex_count; ++v) {
        const binding* bound = &t->bind.bind[t->vertex_point[v]];
        float sum = 0.0f;
        for (int k = 0; k < BINDING_NODES; ++k) {
            sum += bound->weight[k] * value[bound->node[k]];
        }
        out[v] = sum;
    }
    mem_free(host, value, (size_t)t->slot_count, sizeof *value);
    return LIM_OK;
}

static void lattice_strain(const body* b, float* out) {
    const topology* t = b->topology;
    node_state nodes = body_nodes(b);
    for (int32_t v = 0; v < t->vertex_count; ++v) {
        dmat3 f = trilinear_gradient(&t->bind, t->vertex_point[v], &nodes);
        out[v] = strain_of(&f);
    }
}

/* The body of a call that fills one value per vertex; checks the count. */
static lim_result find_body(const lim_world* world, const char* call, lim_body id,
                            int32_t vertex_count, const body** out) {
    const world_body* wb = world_body_of(world, call, id);
    if (wb == NULL) {
        return LIM_ERROR_ID;
    }
    const topology* t = wb->body.topology;
    check c = check_begin(&world->host, call);
    check_integer(&c, "vertex_count", vertex_count, t->vertex_count, t->vertex_count,
                  "the vertex count of lim_body_get_skin");
    *out = &wb->body;
    return c.result;
}

static lim_result get_strain(const lim_world* world, lim_body id, float* out,
                             int32_t vertex_count) {
    const body* b = NULL;
    LIM_TRY(find_body(world, "lim_body_get_strain", id, vertex_count, &b));
    if (b->topology->bind.cell_count > 0) {
        lattice_strain(b, out);
        return LIM_OK;
    }
    return blend(b, node_strain, &world->host, out);
}

lim_result lim_body_get_strain(const lim_world* world, lim_body id, float* out_strain,
                               int32_t vertex_count) {
    if (world == NULL || out_strain == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(get_strain(world, id, out_strain, vertex_count));
}

static lim_result get_plastic(const lim_world* world, lim_body id, float* out,
                              int32_t vertex_count) {
    const body* b = NULL;
    LIM_TRY(find_body(world, "lim_body_get_plastic", id, vertex_count, &b));
    if (!b->plastic) {
        memset(out, 0, sizeof *out * (size_t)vertex_count);
        return LIM_OK;
    }
    return blend(b, node_plastic, &world->host, out);
}

lim_result lim_body_get_plastic(const lim_world* world, lim_body id, float* out_strain,
                                int32_t vertex_count) {
    if (world == NULL || out_strain == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(get_plastic(world, id, out_strain, vertex_count));
}

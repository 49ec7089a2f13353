/* SPDX-License-Identifier: MIT
 * Job: how far each place of a body is from rest, for colours and tools. In: a body. Out: per
 * vertex or node the elastic strain, the distance of E = F U^-1 from a rotation, sqrt(sum (sigma_i
 * - 1)^2), with F the deformation gradient and U the rest shape that has flowed
 * (match/plastic_wide.h); and the plastic strain n(U - 1), of a vertex that of the mean over the
 * regions of its nodes and their neighbours; and per node a stress. Where matching has a rest shape
 * of its own (body/embed.h), F is from there, and what has flowed into it counts as plastic.
 *
 * The gradient of a node is fitted to its graph neighbours, F = U + (sum u X^T)(sum X X^T)^-1 with
 * X the rest vector to a neighbour and u what R^T x differs from U X, R the rotation of the node's
 * own region: directions without a neighbour count as unstrained, and no rotation counts as strain.
 * U is that of the same region. Vertices blend their nodes by the binding. Over a lattice the
 * gradient is the skin's own, at the vertex, and U - 1 is blended.
 */
#include "body/solver.h"
#include "match/stretch.h"
#include "math/eigen.h"
#include "skin/trilinear.h"
#include "world/world.h"

#include <string.h>

static lim_point slot_offset(const body* b, int32_t from, int32_t to, lim_point* out_rest) {
    const topology* t = b->topology;
    double x[3], d[3], rest[3];
    for (int k = 0; k < 3; ++k) {
        const float* from_rest = b->embedding != NULL ? b->embedding->y0[k] : t->x0[k];
        x[k] = (double)t->x0[k][to] - (double)t->x0[k][from];
        d[k] = (double)b->d[k][to] - (double)b->d[k][from];
        rest[k] = (double)from_rest[to] - (double)from_rest[from];
    }
    *out_rest = p3(rest[0], rest[1], rest[2]);
    return p3(x[0] + d[0], x[1] + d[1], x[2] + d[2]);
}

/* Of F U^-1; p: U - 1 (xx yy zz xy xz yz), null where nothing flows. */
static float strain_of(const dmat3* f, const double* p) {
    dmat3 left, right, e = *f;
    double s[3], sum = 0.0;
    if (p != NULL) {
        const double u[6] = {1.0 + p[0], 1.0 + p[1], 1.0 + p[2], p[3], p[4], p[5]};
        for (int k = 0; k < 3; ++k) { /* rows: e U = f, and U is symmetric */
            lim_point row = sym3_solve(u, p3(f->m[3 * k], f->m[3 * k + 1], f->m[3 * k + 2]), 0.0);
            e.m[3 * k] = row.x;
            e.m[3 * k + 1] = row.y;
            e.m[3 * k + 2] = row.z;
        }
    }
    svd3(&e, &left, s, &right);
    for (int k = 0; k < 3; ++k) {
        sum += (s[k] - 1.0) * (s[k] - 1.0);
    }
    return (float)sqrt(sum);
}

/* Adds a share of U - 1 of the region of a node. */
static void add_flowed(const body* b, int32_t slot, double share, double p[6]) {
    int32_t region = b->topology->regions.seed_region[slot];
    for (int k = 0; k < 6 && region >= 0; ++k) {
        p[k] += share * (double)b->strain[k][region];
    }
}

/* What has flowed into the rest shape of the matching, of the region of a node. */
static double past_of(const body* b, int32_t slot) {
    int32_t region = b->topology->regions.seed_region[slot];
    return b->embedding != NULL && region >= 0 ? (double)b->embedding->past[region] : 0.0;
}

/* n(P) = sqrt(3/2 D : D), as yield and max_strain count it. */
static double plastic_of(const double p[6]) {
    double mean = (p[0] + p[1] + p[2]) / 3.0, sum = 0.0;
    for (int k = 0; k < 6; ++k) {
        double d = k < 3 ? p[k] - mean : p[k];
        sum += (k < 3 ? 1.0 : 2.0) * d * d;
    }
    return sqrt(1.5 * sum);
}

/* R^T F of a node, U its rest shape. */
static dmat3 node_gradient(const body* b, int32_t slot, const dmat3* u) {
    const topology* t = b->topology;
    int32_t region = t->regions.seed_region[slot];
    dquat q = dquat_unit((dquat){(double)b->q[0][region], (double)b->q[1][region],
                                 (double)b->q[2][region], (double)b->q[3][region]});
    double rest[6] = {0}, moved[3][3] = {{0}};
    for (int32_t e = t->edge_offset[slot]; e < t->edge_offset[slot + 1]; ++e) {
        lim_point x0;
        lim_point x = slot_offset(b, slot, t->edge_node[e], &x0);
        lim_point off = p3_sub(dquat_rotate(dquat_conjugate(q), x), dmat3_mul(u, x0));
        const double a[3] = {off.x, off.y, off.z}, c[3] = {x0.x, x0.y, x0.z};
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
        return *u; /* no neighbour: nothing to be strained against */
    }
    /* Points of a flat skin are no longer quite flat in y0: what that little depth says is noise.
     */
    double ridge = b->embedding != NULL ? 1e-2 : 1e-6;
    for (int k = 0; k < 3; ++k) {
        rest[k] += ridge * trace;
    }
    dmat3 f = *u;
    for (int k = 0; k < 3; ++k) {
        lim_point row = sym3_solve(rest, p3(moved[k][0], moved[k][1], moved[k][2]), 0.0);
        f.m[3 * k] += row.x;
        f.m[3 * k + 1] += row.y;
        f.m[3 * k + 2] += row.z;
    }
    return f;
}

static float node_strain(const body* b, int32_t slot) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    double p[6] = {0};
    dmat3 u = dmat3_identity();
    add_flowed(b, slot, 1.0, p);
    for (int k = 0; k < 9; ++k) {
        u.m[k] += p[symmetric[k]];
    }
    dmat3 f = node_gradient(b, slot, &u);
    return strain_of(&f, b->plastic ? p : NULL);
}

/* The mean over the regions of the node and of its neighbours, which are those that it lies in when
 * they are a cell wide. */
static float node_plastic(const body* b, int32_t slot) {
    const topology* t = b->topology;
    int32_t begin = t->edge_offset[slot], end = t->edge_offset[slot + 1];
    double p[6] = {0}, share = 1.0 / (1.0 + (double)(end - begin)), past = share * past_of(b, slot);
    add_flowed(b, slot, share, p);
    for (int32_t e = begin; e < end; ++e) {
        add_flowed(b, t->edge_node[e], share, p);
        past += share * past_of(b, t->edge_node[e]);
    }
    return (float)(past + plastic_of(p));
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

/* The gradient from the rest shape of the matching, of one from x0: both are the skin's own. */
static dmat3 from_embedding(const body* b, int32_t point, const dmat3* f) {
    node_state nodes = body_nodes(b);
    for (int k = 0; k < 3; ++k) {
        nodes.d[k] = b->embedding->shift[k];
    }
    dmat3 g = trilinear_gradient(&b->topology->bind, point, &nodes), back;
    double det = dmat3_determinant(&g);
    if (!(det > 1e-6)) {
        return dmat3_identity(); /* a cell that y0 folds has no strain to speak of */
    }
    back = dmat3_inverse(&g, det);
    return dmat3_product(f, &back);
}

static void lattice_strain(const body* b, float* out) {
    const topology* t = b->topology;
    node_state nodes = body_nodes(b);
    for (int32_t v = 0; v < t->vertex_count; ++v) {
        const binding* bound = &t->bind.bind[t->vertex_point[v]];
        dmat3 f = trilinear_gradient(&t->bind, t->vertex_point[v], &nodes);
        f = b->embedding != NULL ? from_embedding(b, t->vertex_point[v], &f) : f;
        double p[6] = {0};
        for (int k = 0; k < BINDING_NODES && b->plastic; ++k) {
            add_flowed(b, bound->node[k], (double)bound->weight[k], p);
        }
        out[v] = strain_of(&f, b->plastic ? p : NULL);
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
    if (!world_given(world, "lim_body_get_strain", "out_strain", out_strain)) {
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
    if (!world_given(world, "lim_body_get_plastic", "out_strain", out_strain)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(get_plastic(world, id, out_strain, vertex_count));
}

static lim_result get_node_strain(const lim_world* world, lim_body id, float* out_strain,
                                  float* out_plastic, float* out_stress, int32_t node_count) {
    const world_body* wb = world_body_of(world, "lim_body_get_node_strain", id);
    if (wb == NULL) {
        return LIM_ERROR_ID;
    }
    const body* b = &wb->body;
    const topology* t = b->topology;
    check c = check_begin(&world->host, "lim_body_get_node_strain");
    check_integer(&c, "node_count", node_count, t->node_count, t->node_count,
                  "the nodes of lim_model_get_info");
    LIM_TRY(c.result);
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        float strain = out_strain != NULL || out_stress != NULL ? node_strain(b, slot) : 0.0f;
        double p[6] = {0};
        add_flowed(b, slot, 1.0, p);
        if (out_strain != NULL) {
            out_strain[i] = strain;
        }
        if (out_plastic != NULL) {
            out_plastic[i] = (float)(past_of(b, slot) + plastic_of(p));
        }
        if (out_stress != NULL) {
            out_stress[i] = (float)(solver_of(b)->young(b, slot) * (double)strain);
        }
    }
    return LIM_OK;
}

lim_result lim_body_get_node_strain(const lim_world* world, lim_body id, float* out_strain,
                                    float* out_plastic, float* out_stress, int32_t node_count) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(get_node_strain(world, id, out_strain, out_plastic, out_stress, node_count));
}

void world_slot_strain(const body* b, float* out) {
    const topology* t = b->topology;
    for (int32_t i = 0; i < t->node_count; ++i) {
        out[t->node_slot[i]] = node_strain(b, t->node_slot[i]);
    }
}

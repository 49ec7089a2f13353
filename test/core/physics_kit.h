/* SPDX-License-Identifier: MIT
 * Bodies for tests of physics through the public API: boxes with a given cell, a world, states in
 * and out, best rigid fit.
 */
#ifndef LIMBER_PHYSICS_KIT_H
#define LIMBER_PHYSICS_KIT_H

#include "base/random.h"
#include "kind_rows.h"
#include "math/eigen.h"
#include "math/quat.h"
#include "math/trig.h"

#include <limber/limber.h>
#include <stdlib.h>
#include <string.h>

typedef struct toy {
    lim_model* model;
    lim_world* world;
    lim_body body;
    int32_t nodes;
    double size;
    double *rest, *x; /* 3 per node: rest relative to the centre of mass, and a buffer */
    float *mass, *v;  /* mass: volumes */
} toy;

/* The surface of a box of n[0] x n[1] x n[2] squares of edge `cell`, centred. */
static inline lim_mesh* box_surface(const int32_t n[3], double cell) {
    int32_t faces = 0;
    for (int k = 0; k < 3; ++k) {
        faces += 2 * n[(k + 1) % 3] * n[(k + 2) % 3];
    }
    double* p = malloc((size_t)faces * 4 * 3 * sizeof *p);
    uint32_t* t = malloc((size_t)faces * 6 * sizeof *t);
    int32_t at = 0;
    for (int k = 0; k < 3; ++k) {
        int u = (k + 1) % 3, w = (k + 2) % 3;
        for (int side = 0; side < 2; ++side) {
            for (int32_t i = 0; i < n[u]; ++i) {
                for (int32_t j = 0; j < n[w]; ++j) {
                    for (int c = 0; c < 4; ++c) {
                        double* q = p + 12 * (size_t)at + 3 * c;
                        q[k] = cell * (side - 0.5) * n[k];
                        q[u] = cell * (i + (c == 1 || c == 2) - 0.5 * n[u]);
                        q[w] = cell * (j + (c >= 2) - 0.5 * n[w]);
                    }
                    static const uint32_t out[6] = {0, 1, 2, 0, 2, 3}, in[6] = {0, 2, 1, 0, 3, 2};
                    for (int c = 0; c < 6; ++c) {
                        t[6 * (size_t)at + (size_t)c] = (uint32_t)(4 * at) + (side ? out : in)[c];
                    }
                    at++;
                }
            }
        }
    }
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = 4 * faces;
    desc.triangle_count = 2 * faces;
    desc.positions = p;
    desc.indices = t;
    lim_mesh* mesh = NULL;
    if (lim_mesh_create(&desc, NULL, &mesh) != LIM_OK) {
        abort();
    }
    free(p);
    free(t);
    return mesh;
}

/* A box body of the chosen kind in a world of its own, at `position`, with the given material. */
static inline toy toy_box(const int32_t n[3], double cell, lim_point position,
                          const lim_material* material, lim_vec3 gravity, int32_t substeps,
                          int32_t threads) {
    toy t = {.size = 0.0};
    lim_mesh* mesh = box_surface(n, cell);
    lim_model_desc md = lim_model_desc_default();
    md.cell_size = (float)cell;
    kind_describe(&md);
    lim_world_desc wd = lim_world_desc_default();
    wd.gravity = gravity;
    wd.substeps = substeps;
    wd.workers = threads;
    wd.sleep = false;
    lim_body_desc bd = lim_body_desc_default();
    if (lim_model_create(mesh, &md, NULL, &t.model) != LIM_OK ||
        lim_world_create(&wd, NULL, &t.world) != LIM_OK) {
        abort();
    }
    lim_mesh_destroy(mesh);
    bd.model = t.model;
    bd.position = position;
    bd.material = kind_material(*material);
    if (lim_body_create(t.world, &bd, &t.body) != LIM_OK) {
        abort();
    }
    t.nodes = lim_model_get_info(t.model).nodes;
    for (int k = 0; k < 3; ++k) {
        t.size = n[k] * cell > t.size ? n[k] * cell : t.size;
    }
    lim_model_nodes rest = lim_model_get_nodes(t.model);
    t.rest = malloc((size_t)t.nodes * 3 * sizeof(double));
    t.x = malloc((size_t)t.nodes * 3 * sizeof(double));
    t.v = malloc((size_t)t.nodes * 3 * sizeof(float));
    t.mass = malloc((size_t)t.nodes * sizeof(float));
    for (int32_t i = 0; i < t.nodes; ++i) {
        t.rest[3 * i] = (double)rest.x[i];
        t.rest[3 * i + 1] = (double)rest.y[i];
        t.rest[3 * i + 2] = (double)rest.z[i];
        t.mass[i] = rest.volume[i];
    }
    return t;
}

static inline void toy_free(toy* t) {
    lim_world_destroy(t->world);
    lim_model_destroy(t->model);
    free(t->rest);
    free(t->x);
    free(t->v);
    free(t->mass);
}

static inline void toy_read(toy* t) {
    if (lim_body_get_nodes(t->world, t->body, t->x, t->v, t->nodes) != LIM_OK) {
        abort();
    }
}

static inline void toy_write(toy* t) {
    if (lim_body_set_nodes(t->world, t->body, t->x, t->v, t->nodes) != LIM_OK) {
        abort();
    }
}

/* Root mean square distance of the nodes from the best rigid pose of the rest shape. */
static inline double toy_distance(toy* t) {
    toy_read(t);
    lim_point c = p3(0, 0, 0), c0 = p3(0, 0, 0);
    double mass = 0.0;
    for (int32_t i = 0; i < t->nodes; ++i) {
        double m = (double)t->mass[i];
        c = p3_mad(c, p3(t->x[3 * i], t->x[3 * i + 1], t->x[3 * i + 2]), m);
        c0 = p3_mad(c0, p3(t->rest[3 * i], t->rest[3 * i + 1], t->rest[3 * i + 2]), m);
        mass += m;
    }
    c = p3_scale(c, 1.0 / mass);
    c0 = p3_scale(c0, 1.0 / mass);
    dmat3 a = {{0}};
    for (int32_t i = 0; i < t->nodes; ++i) {
        const double p[3] = {t->x[3 * i] - c.x, t->x[3 * i + 1] - c.y, t->x[3 * i + 2] - c.z};
        const double q[3] = {t->rest[3 * i] - c0.x, t->rest[3 * i + 1] - c0.y,
                             t->rest[3 * i + 2] - c0.z};
        for (int k = 0; k < 9; ++k) {
            a.m[k] += (double)t->mass[i] * p[k / 3] * q[k % 3];
        }
    }
    dmat3 r = nearest_rotation(&a);
    double sum = 0.0;
    for (int32_t i = 0; i < t->nodes; ++i) {
        lim_point q = p3_sub(p3(t->rest[3 * i], t->rest[3 * i + 1], t->rest[3 * i + 2]), c0);
        lim_point at = p3_add(dmat3_mul(&r, q), c);
        lim_point off = p3_sub(p3(t->x[3 * i], t->x[3 * i + 1], t->x[3 * i + 2]), at);
        sum += (double)t->mass[i] * p3_dot(off, off);
    }
    return sqrt(sum / mass);
}

#endif

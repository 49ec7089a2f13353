/* SPDX-License-Identifier: MIT
 * Bodies of points for tests: boxes of lattice points, with or without a mesh around them, and a
 * toy of them (core/physics_kit.h) in a world of its own.
 */
#ifndef LIMBER_POINTS_KIT_H
#define LIMBER_POINTS_KIT_H

#include "core/physics_kit.h"

/* n[0] x n[1] x n[2] points of a lattice, centred. The caller frees. */
static inline double* lattice_points(const int32_t n[3], double cell, int32_t* out_count) {
    int32_t count = n[0] * n[1] * n[2];
    double* p = malloc((size_t)count * 3 * sizeof *p);
    for (int32_t i = 0; i < count; ++i) {
        p[3 * i] = cell * (i % n[0] - 0.5 * (n[0] - 1));
        p[3 * i + 1] = cell * (i / n[0] % n[1] - 0.5 * (n[1] - 1));
        p[3 * i + 2] = cell * (i / n[0] / n[1] - 0.5 * (n[2] - 1));
    }
    *out_count = count;
    return p;
}

static inline lim_model* lattice_model(const int32_t n[3], double cell, int32_t clusters,
                                       const lim_host* host) {
    lim_model_desc desc = lim_model_desc_default();
    lim_model* model = NULL;
    double* points = lattice_points(n, cell, &desc.point_count);
    desc.kind = LIM_KIND_POINTS;
    desc.points = points;
    desc.clusters = clusters;
    if (lim_model_create(NULL, &desc, host, &model) != LIM_OK) {
        model = NULL;
    }
    free(points);
    return model;
}

static inline toy toy_of_model(lim_model* model, double size, const lim_material* material,
                               lim_vec3 gravity, int32_t substeps, int32_t threads) {
    toy t = {.model = model, .size = size};
    lim_world_desc wd = lim_world_desc_default();
    wd.gravity = gravity;
    wd.substeps = substeps;
    wd.workers = threads;
    wd.sleep = false;
    lim_body_desc bd = lim_body_desc_default();
    bd.model = model;
    bd.material = *material;
    if (model == NULL || lim_world_create(&wd, NULL, &t.world) != LIM_OK ||
        lim_body_create(t.world, &bd, &t.body) != LIM_OK) {
        abort();
    }
    t.nodes = lim_model_get_info(model).nodes;
    lim_model_nodes rest = lim_model_get_nodes(model);
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

/* The surface points of a box of squares, as a mesh that is its own points. */
static inline toy toy_points(const int32_t n[3], double cell, int32_t clusters,
                             const lim_material* material, lim_vec3 gravity, int32_t substeps) {
    lim_mesh* mesh = box_surface(n, cell);
    lim_model_desc desc = lim_model_desc_default();
    lim_model* model = NULL;
    desc.kind = LIM_KIND_POINTS;
    desc.clusters = clusters;
    if (lim_model_create(mesh, &desc, NULL, &model) != LIM_OK) {
        abort();
    }
    lim_mesh_destroy(mesh);
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        longest = n[k] * cell > longest ? n[k] * cell : longest;
    }
    return toy_of_model(model, longest, material, gravity, substeps, 1);
}

#endif

/* SPDX-License-Identifier: MIT
 * Bodies of points for measurements of Mueller et al. 2005: a world with one body, its nodes in a
 * buffer, how far it is from its rest shape, and a picture of it.
 */
#ifndef LIMBER_POINTS_BODY_H
#define LIMBER_POINTS_BODY_H

#include "base/arena.h"

#include <limber/io.h>

typedef struct points_body {
    arena mem;
    lim_model* model;
    lim_world* world;
    lim_body body;
    int32_t nodes;
    double size; /* longest side, metres */
    double* x;   /* 3 per node */
    float* v;
    float* normals; /* of the skin, with positions before them */
} points_body;

typedef struct points_desc {
    const lim_mesh* mesh;
    const double* points; /* null: those of the mesh */
    int32_t point_count, clusters, substeps;
    double scale;
    lim_material material;
    lim_vec3 gravity;
} points_desc;

/* Defaults: one cluster, one substep, no gravity, and a material without any damping. */
points_desc points_desc_default(void);
lim_result points_body_make(const points_desc* desc, const lim_host* host, points_body* out);
void points_body_free(points_body* b); /* a zeroed one is allowed */

lim_result points_body_read(points_body* b);
lim_result points_body_write(points_body* b);
/* Root mean square distance of the nodes to the best rigid pose of the rest shape, over the size.
 */
double points_body_distance(points_body* b);

/* The skin. `ground` below y = 0. */
lim_result points_body_draw(points_body* b, const lim_camera* camera, bool ground,
                            const char* caption, const int32_t size[2], lim_image* image);

/* A bar of 1 x 0.2 x 0.2 m about the origin, along x, and n[0] x n[1] x n[2] points in it, which
 * the caller's arena holds. */
lim_result points_bar(arena* a, const int32_t n[3], const lim_host* host, lim_mesh** out_mesh,
                      double** out_points);

#endif

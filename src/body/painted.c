/* SPDX-License-Identifier: MIT
 * Job: bring factors of density and stiffness from the surface to the nodes. In: values per vertex.
 * Out: values per node: the mean over the nearest points of the welded surface, weighted by the
 * area that belongs to each and by nearness, w = a ((R - r) / r)^2 with R a quarter beyond the
 * farthest of them (Shepard 1968, in the local form of Franke and Nielson 1980), so that the value
 * changes smoothly from node to node and dense parts of the mesh count no more than others. Where
 * all values are 1 the mean is exactly 1.
 */
#include "body/painted.h"

#include "mesh/nearest.h"

enum { NEAR_POINTS = 16 };
#define BEYOND 1.25

lim_model_desc painted_desc(const lim_mesh* mesh, const lim_model_desc* desc) {
    lim_model_desc out = *desc;
    out.vertex_density =
        out.vertex_density != NULL ? out.vertex_density : mesh->attribute[ATTRIBUTE_DENSITY];
    out.vertex_stiffness =
        out.vertex_stiffness != NULL ? out.vertex_stiffness : mesh->attribute[ATTRIBUTE_STIFFNESS];
    out.vertex_size = out.vertex_size != NULL ? out.vertex_size : mesh->attribute[ATTRIBUTE_SIZE];
    return out;
}

/* Values of welded points: the mean of their vertices. */
static lim_result point_values(arena* a, const lim_mesh* mesh, const float* vertex, double** out) {
    double* sum = ARENA_ARRAY(a, double, mesh->point_count);
    int32_t* count = ARENA_ARRAY(a, int32_t, mesh->point_count);
    LIM_TRY_MEMORY(sum);
    LIM_TRY_MEMORY(count);
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        int32_t p = mesh->vertex_point[v];
        if (p >= 0) {
            sum[p] += (double)vertex[v];
            count[p]++;
        }
    }
    for (int32_t p = 0; p < mesh->point_count; ++p) {
        sum[p] /= count[p];
    }
    *out = sum;
    return LIM_OK;
}

/* A third of the area of each triangle to each of its corners. */
static lim_result point_areas(arena* a, const lim_mesh* mesh, double** out) {
    double* area = ARENA_ARRAY(a, double, mesh->point_count);
    LIM_TRY_MEMORY(area);
    for (int32_t i = 0; i < mesh->triangle_count; ++i) {
        const int32_t* p = mesh->triangle_point + 3 * (size_t)i;
        lim_point o = p3_of(mesh->point[p[0]]);
        lim_point cross =
            p3_cross(p3_sub(p3_of(mesh->point[p[1]]), o), p3_sub(p3_of(mesh->point[p[2]]), o));
        for (int k = 0; k < 3; ++k) {
            area[p[k]] += p3_length(cross) / 6.0;
        }
    }
    *out = area;
    return LIM_OK;
}

/* Weights of the points found; the sum is above 0. */
static void weigh(const nearest_found* found, int32_t count, const double* area, double* weight) {
    double far = BEYOND * sqrt(found[count - 1].distance2) + 1e-9;
    for (int32_t i = 0; i < count; ++i) {
        double r = sqrt(found[i].distance2) + 1e-9; /* a node may lie on a point */
        double near = (far - r) / r;
        weight[i] = (area[found[i].point] + 1e-30) * near * near;
    }
}

static float mean_of(const double* value, const nearest_found* found, const double* weight,
                     int32_t count) {
    double sum = 0.0, all = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        sum += weight[i] * value[found[i].point];
        all += weight[i];
    }
    return (float)(sum / all);
}

lim_result painted_take(arena* a, const lim_mesh* mesh, const lim_model_desc* desc,
                        const lim_vec3* at, int32_t count, node_factors* out) {
    *out = (node_factors){NULL, NULL};
    const float* vertex[2] = {desc->vertex_density, desc->vertex_stiffness};
    float** factor[2] = {&out->density, &out->stiffness};
    double *value[2] = {NULL, NULL}, *area = NULL;
    if (vertex[0] == NULL && vertex[1] == NULL) {
        return LIM_OK;
    }
    nearest_tree tree;
    LIM_TRY(nearest_build(a, mesh->point, mesh->point_count, &tree));
    LIM_TRY(point_areas(a, mesh, &area));
    for (int k = 0; k < 2; ++k) {
        if (vertex[k] != NULL) {
            LIM_TRY(point_values(a, mesh, vertex[k], &value[k]));
            *factor[k] = ARENA_ARRAY(a, float, count);
            LIM_TRY_MEMORY(*factor[k]);
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        nearest_found found[NEAR_POINTS];
        double weight[NEAR_POINTS];
        int32_t n = nearest_find(&tree, at[i], NEAR_POINTS, found);
        weigh(found, n, area, weight);
        for (int k = 0; k < 2; ++k) {
            if (vertex[k] != NULL) {
                (*factor[k])[i] = mean_of(value[k], found, weight, n);
            }
        }
    }
    return LIM_OK;
}

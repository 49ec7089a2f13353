/* SPDX-License-Identifier: MIT
 * Job: a unit normal for each vertex. In: the caller's normals or none, oriented triangles. Out:
 * mesh->normal. The caller's are kept where they are finite and not zero. Others are those of the
 * welded point: the sum over its corners of e1 x e2 / (|e1|^2 |e2|^2), e1 and e2 the edges at the
 * corner (Max 1999: exact for points on a sphere, near to angle weights, and free of
 * trigonometry).
 */
#include "mesh/clean.h"

static lim_point unit_or_zero(lim_point a) {
    double length = p3_length(a);
    return length > 0.0 ? p3_scale(a, 1.0 / length) : p3(0, 0, 0);
}

/* e1 x e2 / (|e1|^2 |e2|^2) with the lengths taken out first, so that tiny edges do not
 * underflow. */
static lim_point corner_normal(lim_point e1, lim_point e2) {
    double a = p3_length(e1), b = p3_length(e2);
    if (!(a > 0.0 && b > 0.0)) {
        return p3(0, 0, 0);
    }
    lim_point n = p3_cross(p3_scale(e1, 1.0 / a), p3_scale(e2, 1.0 / b));
    return p3_scale(n, 1.0 / a / b);
}

static void add_corners(const cleaning* c, lim_point* sum) {
    for (int32_t t = 0; t < c->triangle_count; ++t) {
        if (c->twin[t] >= 0) {
            continue;
        }
        const int32_t* p = c->corner + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            lim_point at = c->exact[p[k]];
            lim_point n = corner_normal(p3_sub(c->exact[p[(k + 1) % 3]], at),
                                        p3_sub(c->exact[p[(k + 2) % 3]], at));
            sum[p[k]] = p3_add(sum[p[k]], n);
        }
    }
}

/* Vertices of back sides alone look the other way. */
static void find_backs(const cleaning* c, int8_t* back) {
    for (int32_t t = 0; t < c->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            uint32_t v = c->desc->indices[3 * (size_t)c->triangle[t] + (size_t)k];
            bool is_back = c->twin[t] >= 0;
            back[v] = (int8_t)(is_back && back[v] != -1 ? 1 : is_back ? back[v] : -1);
        }
    }
}

static lim_point given_normal(const lim_mesh_desc* desc, int32_t vertex) {
    if (desc->normals == NULL) {
        return p3(0, 0, 0);
    }
    const float* n = desc->normals + 3 * (size_t)vertex;
    lim_point given = p3((double)n[0], (double)n[1], (double)n[2]);
    return p3_finite(given) ? unit_or_zero(given) : p3(0, 0, 0);
}

lim_result clean_normals(cleaning* c) {
    lim_mesh* mesh = c->mesh;
    mesh->normal = ARENA_ARRAY(&mesh->mem, float, 3 * (size_t)mesh->vertex_count);
    lim_point* sum = ARENA_ARRAY(&c->scratch, lim_point, mesh->point_count);
    int8_t* back = ARENA_ARRAY(&c->scratch, int8_t, mesh->vertex_count);
    LIM_TRY_MEMORY(mesh->normal);
    LIM_TRY_MEMORY(sum);
    LIM_TRY_MEMORY(back);
    add_corners(c, sum);
    find_backs(c, back);
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        lim_point n = given_normal(c->desc, v);
        if (p3_dot(n, n) == 0.0 && mesh->vertex_point[v] >= 0) {
            n = unit_or_zero(sum[mesh->vertex_point[v]]);
            n = p3_scale(n, back[v] == 1 ? -1.0 : 1.0);
        }
        if (!(p3_dot(n, n) > 0.5 && p3_dot(n, n) < 2.0)) {
            n = p3(0, 0, 1); /* nothing to go by */
        }
        float* out = mesh->normal + 3 * (size_t)v;
        out[0] = (float)n.x;
        out[1] = (float)n.y;
        out[2] = (float)n.z;
    }
    return LIM_OK;
}

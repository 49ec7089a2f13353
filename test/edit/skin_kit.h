/* SPDX-License-Identifier: MIT
 * For tests of cuts of a body's skin: meshes with seams, tangents and submeshes, and what a
 * topology would be like with a changed surface.
 */
#ifndef LIMBER_SKIN_KIT_H
#define LIMBER_SKIN_KIT_H

#include "cut/cut_kit.h"
#include "edit/surface_cut.h"

#include <limber/limber.h>

/* A lattice of vertices on a sphere of radius 1 or on a cube, with a seam: the last column has the
 * places of the first. Everything else that a vertex has is random. */
static inline lim_mesh* seam_mesh(int32_t rows, bool box) {
    int32_t columns = 2 * rows, count = (rows + 1) * (columns + 1), t = 0;
    random_stream r = random_seed(7);
    double* position = malloc(3 * (size_t)count * sizeof(double));
    float* random = malloc(16 * (size_t)count * sizeof(float));
    float *normal = random, *tangent = normal + 3 * count, *uv = tangent + 4 * count;
    float *colour = uv + 2 * count, *density = colour + 4 * count;
    uint32_t* index = malloc(6 * (size_t)(rows * columns) * sizeof(uint32_t));
    int32_t* submesh = malloc(2 * (size_t)(rows * columns) * sizeof(int32_t));
    for (int32_t i = 0; i < count; ++i) {
        int32_t row = i / (columns + 1), column = i % (columns + 1) % columns;
        double a = SHAPE_PI * row / rows, b = SHAPE_PI * 2.0 * column / columns;
        double p[3] = {sin(a) * cos(b), sin(a) * sin(b), cos(a)};
        p[0] = row == 0 || row == rows ? 0.0 : p[0];
        p[1] = row == 0 || row == rows ? 0.0 : p[1];
        double most = fmax(fmax(fabs(p[0]), fabs(p[1])), fabs(p[2]));
        for (int k = 0; k < 3; ++k) {
            p[k] = box ? p[k] / most : p[k];
            position[3 * i + k] = 3.0 + (k == 0 ? 2.0 : 1.3) * p[k];
            normal[3 * i + k] = (float)p[k] + random_range(&r, -0.2f, 0.2f);
        }
        for (int k = 0; k < 4; ++k) {
            tangent[4 * i + k] = k < 3            ? random_range(&r, -1.0f, 1.0f)
                                 : column % 7 < 3 ? 1.0f
                                                  : -1.0f;
            colour[4 * i + k] = random_unit(&r);
        }
        uv[2 * i] = random_unit(&r);
        uv[2 * i + 1] = random_unit(&r);
        density[i] = random_range(&r, 0.5f, 2.0f);
    }
    for (int32_t i = 0; i < rows; ++i) {
        for (int32_t j = 0; j < columns; ++j) {
            uint32_t p = (uint32_t)(i * (columns + 1) + j), q = p + (uint32_t)columns + 1;
            const uint32_t corner[6] = {p, q, q + 1, p, q + 1, p + 1};
            memcpy(index + 3 * (size_t)t, corner, sizeof(corner));
            submesh[t] = submesh[t + 1] = i % 3;
            t += 2;
        }
    }
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = count;
    desc.triangle_count = t;
    desc.positions = position;
    desc.normals = normal;
    desc.tangents = tangent;
    desc.uvs = uv;
    desc.colours = colour;
    desc.densities = density;
    desc.indices = index;
    desc.submeshes = submesh;
    desc.submesh_count = 3;
    lim_mesh* mesh = NULL;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_OK);
    free(position);
    free(random);
    free(index);
    free(submesh);
    return mesh;
}

static inline topology* kit_topology(const lim_mesh* mesh, int32_t nodes) {
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = nodes;
    topology* t = NULL;
    lim_host host = mem_host(NULL);
    CHECK(topology_build(mesh, &desc, &host, &t) == LIM_OK);
    return t;
}

static inline void* kit_joined(arena* a, const void* old, size_t olds, const void* fresh,
                               size_t news, size_t size) {
    if (old == NULL) {
        return NULL;
    }
    char* to = arena_alloc(a, olds + news, size);
    memcpy(to, old, olds * size);
    if (news > 0) {
        memcpy(to + olds * size, fresh, news * size);
    }
    return to;
}

/* A topology with the surface of `c` and everything else of `t`, as far as cuts look at it. */
static inline topology kit_after(arena* a, const topology* t, const surface_change* c) {
    topology n = *t;
    size_t v = (size_t)t->vertex_count, m = (size_t)c->new_vertices;
    n.vertex_count = c->vertex_count;
    n.triangle_count = c->triangle_count;
    n.submesh_count = c->submesh_count;
    n.point_count = t->point_count + c->new_points;
    n.position = kit_joined(a, t->position, v, c->position, m, sizeof(lim_point));
    n.normal = kit_joined(a, t->normal, v, c->normal, m, 12);
    n.tangent = kit_joined(a, t->tangent, v, c->tangent, m, 16);
    n.uv = kit_joined(a, t->uv, v, c->uv, m, 8);
    n.colour = kit_joined(a, t->colour, v, c->colour, m, 16);
    for (int k = 0; k < ATTRIBUTES; ++k) {
        n.attribute[k] = kit_joined(a, t->attribute[k], v, c->attribute[k], m, 4);
    }
    n.point_home = NULL; /* nobody has looked for them yet */
    n.source_count = t->source_count + c->new_vertices;
    n.source = ARENA_ARRAY(a, lim_vertex_source, n.source_count);
    if (t->source_count > 0) {
        memcpy(n.source, t->source, (size_t)t->source_count * sizeof *n.source);
    }
    memcpy(n.source + t->source_count, c->source, m * sizeof *n.source);
    n.vertex_point = kit_joined(a, t->vertex_point, v, c->vertex_point, m, 4);
    n.indices = kit_joined(a, c->indices, 3 * (size_t)c->triangle_count, NULL, 0, 4);
    n.submesh = kit_joined(a, c->submesh, (size_t)c->triangle_count, NULL, 0, 4);
    n.skin_point = kit_joined(a, t->skin_point, (size_t)t->point_count - 1, c->point,
                              (size_t)c->new_points, sizeof(lim_point));
    int32_t skin = n.point_count - 1;
    n.bind = (bindings){.count = n.point_count + c->felt_points};
    for (int k = 0; k < 3; ++k) {
        n.bind.rest[k] = ARENA_ARRAY(a, float, n.bind.count);
    }
    for (int32_t i = 0; i < n.bind.count; ++i) {
        lim_point p = i < skin   ? n.skin_point[i]
                      : i > skin ? c->felt_point[i - skin - 1]
                                 : t->rest_origin;
        lim_vec3 rest = v3_of(p3_sub(p, t->rest_origin));
        n.bind.rest[0][i] = rest.x;
        n.bind.rest[1][i] = rest.y;
        n.bind.rest[2][i] = rest.z;
    }
    n.surface = (surface_net){.triangle_count = c->felt_count};
    n.surface.corner = kit_joined(a, c->felt, 3 * (size_t)c->felt_count, NULL, 0, 4);
    n.surface.source = ARENA_ARRAY(a, int32_t, n.bind.count);
    for (int32_t i = 0; i < n.bind.count; ++i) {
        n.surface.source[i] = i < skin ? i : i + 1;
    }
    return n;
}

/* Triangles of the skin over welded points. */
static inline int32_t* kit_welded(const topology* t) {
    int32_t* out = malloc(3 * (size_t)t->triangle_count * sizeof(int32_t) + 1);
    for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
        out[i] = t->vertex_point[t->indices[i]];
    }
    return out;
}

#endif

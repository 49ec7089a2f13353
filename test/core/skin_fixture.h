/* SPDX-License-Identifier: MIT
 * A lat-long ellipsoid as rest surface over a node fixture, with its outputs, for skin tests. Seam
 * vertices share their points.
 */
#ifndef LIMBER_SKIN_FIXTURE_H
#define LIMBER_SKIN_FIXTURE_H

#include "node_fixture.h"
#include "skin/deform.h"

typedef struct skin_fixture {
    arena mem;
    bindings bind;
    skin_surface surface;
    lim_vec3* rest; /* per vertex */
    float *normal, *tangent;
    int32_t* vertex_point;
    uint32_t* indices;
    skin_output out;
} skin_fixture;

/* rows * (columns + 1) vertices, rows * columns points on an ellipsoid of these radii. */
static inline void skin_fixture_make(skin_fixture* s, fixture* f, int rows, int columns,
                                     lim_vec3 radii) {
    *s = (skin_fixture){0};
    arena_init(&s->mem, NULL);
    int32_t vertices = rows * (columns + 1), points = rows * columns;
    lim_vec3* point = ARENA_ARRAY(&s->mem, lim_vec3, points);
    s->rest = ARENA_ARRAY(&s->mem, lim_vec3, vertices);
    s->normal = ARENA_ARRAY(&s->mem, float, vertices * 3);
    s->tangent = ARENA_ARRAY(&s->mem, float, vertices * 4);
    s->vertex_point = ARENA_ARRAY(&s->mem, int32_t, vertices);
    s->indices = ARENA_ARRAY(&s->mem, uint32_t, (rows - 1) * columns * 6);
    int32_t triangles = 0;
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column <= columns; ++column) {
            int32_t v = row * (columns + 1) + column, p = row * columns + column % columns;
            double theta = 3.14159265358979 * (row + 0.5) / rows;
            double phi = 2 * 3.14159265358979 * (column % columns) / columns;
            lim_vec3 unit = v3((float)(sin(theta) * cos(phi)), (float)cos(theta),
                               (float)(sin(theta) * sin(phi)));
            point[p] = v3(unit.x * radii.x, unit.y * radii.y, unit.z * radii.z);
            s->rest[v] = point[p];
            lim_vec3 n = v3_unit(v3(unit.x / radii.x, unit.y / radii.y, unit.z / radii.z), unit);
            lim_vec3 t = v3_unit(v3((float)-sin(phi) * radii.x, 0, (float)cos(phi) * radii.z), n);
            memcpy(s->normal + 3 * v, &n, sizeof(n));
            memcpy(s->tangent + 4 * v, &t, sizeof(t));
            s->tangent[4 * v + 3] = column % 2 == 0 ? 1.0f : -1.0f;
            s->vertex_point[v] = p;
            if (row + 1 < rows && column < columns) {
                uint32_t a = (uint32_t)v, b = a + 1, c = a + (uint32_t)columns + 1, d = c + 1;
                uint32_t corners[6] = {a, b, c, b, d, c};
                memcpy(s->indices + 3 * triangles, corners, sizeof(corners));
                triangles += 2;
            }
        }
    }
    arena scratch;
    arena_init(&scratch, NULL);
    CHECK(bindings_build(&s->mem, &scratch, &f->rest, point, NULL, points, NULL, &s->bind) ==
          LIM_OK);
    arena_release(&scratch);
    s->surface =
        (skin_surface){vertices, triangles, s->vertex_point, s->normal, s->tangent, s->indices};
    s->out.positions = ARENA_ARRAY(&s->mem, float, vertices * 3);
    s->out.normals = ARENA_ARRAY(&s->mem, float, vertices * 3);
    s->out.tangents = ARENA_ARRAY(&s->mem, float, vertices * 4);
}

static inline void skin_fixture_free(skin_fixture* s) {
    arena_release(&s->mem);
}

static inline void skin_fixture_run(skin_fixture* s, fixture* f, double scale, isa set,
                                    workers* pool) {
    skin_prepare(&f->nodes, set, pool);
    skin_deform(&s->bind, &s->surface, &f->nodes, scale, set, pool, &s->out);
}

/* A hash of every output bit. */
static inline uint64_t skin_fixture_hash(const skin_fixture* s) {
    size_t n = (size_t)s->surface.vertex_count * sizeof(float);
    uint64_t hash = hash_bytes(HASH_SEED, s->out.positions, 3 * n);
    hash = hash_bytes(hash, s->out.normals, 3 * n);
    hash = hash_bytes(hash, s->out.tangents, 4 * n);
    hash = hash_bytes(hash, &s->out.lower, sizeof(s->out.lower));
    return hash_bytes(hash, &s->out.upper, sizeof(s->out.upper));
}

static inline lim_vec3 skin_fixture_position(const skin_fixture* s, int32_t vertex) {
    const float* p = s->out.positions + 3 * vertex;
    return v3(p[0], p[1], p[2]);
}
static inline lim_vec3 skin_fixture_normal(const skin_fixture* s, int32_t vertex) {
    const float* n = s->out.normals + 3 * vertex;
    return v3(n[0], n[1], n[2]);
}

#endif

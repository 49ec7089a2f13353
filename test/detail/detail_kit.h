/* SPDX-License-Identifier: MIT
 * Skins for tests of detail: a flat slab's two faces, a ball.
 */
#ifndef LIMBER_DETAIL_KIT_H
#define LIMBER_DETAIL_KIT_H

#include "detail/detail_skin.h"
#include "math/trig.h"

#include <stdlib.h>
#include <string.h>

typedef struct kit_skin {
    arena mem;
    int32_t points, vertices, triangles;
    float *positions, *normals; /* per vertex; positions of points are those of their first */
    float* rest;                /* per point */
    int32_t *vertex_point, *index;
    detail_skin s;
} kit_skin;

static inline lim_vec3 kit_load(const float* from, int32_t i) {
    return v3(from[3 * i], from[3 * i + 1], from[3 * i + 2]);
}
static inline void kit_store(float* to, int32_t i, lim_vec3 v) {
    to[3 * i] = v.x;
    to[3 * i + 1] = v.y;
    to[3 * i + 2] = v.z;
}

static inline kit_skin kit_room(int32_t points, int32_t vertices, int32_t triangles) {
    kit_skin k = {.points = points, .vertices = vertices};
    lim_host host = mem_host(NULL);
    arena_init(&k.mem, &host);
    k.rest = ARENA_ARRAY(&k.mem, float, 3 * points);
    k.positions = ARENA_ARRAY(&k.mem, float, 3 * vertices);
    k.normals = ARENA_ARRAY(&k.mem, float, 3 * vertices);
    k.vertex_point = ARENA_ARRAY(&k.mem, int32_t, vertices);
    k.index = ARENA_ARRAY(&k.mem, int32_t, 3 * triangles);
    return k;
}
static inline bool kit_build(kit_skin* k) {
    for (int32_t v = 0; v < k->vertices; ++v) {
        kit_store(k->positions, v, kit_load(k->rest, k->vertex_point[v]));
    }
    return detail_skin_build(&k->mem, k->rest, k->points, k->vertex_point, k->normals, k->vertices,
                             k->index, k->triangles, &k->s) == LIM_OK;
}
static inline void kit_face(kit_skin* k, int32_t a, int32_t b, int32_t c) {
    int32_t* to = k->index + 3 * k->triangles++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

/* Two square faces of n x n cells, 1 wide, at y = 0 facing up and y = -0.3 facing down. The row of
 * points at z = 0 of the upper face has two vertices each. */
static inline kit_skin kit_slab(int32_t n) {
    int32_t face = (n + 1) * (n + 1);
    kit_skin k = kit_room(2 * face, 2 * face + n + 1, 4 * n * n);
    for (int32_t i = 0; i < 2 * face; ++i) {
        int32_t at = i % face;
        kit_store(k.rest, i,
                  v3((float)(at / (n + 1)) / (float)n, i < face ? 0.0f : -0.3f,
                     (float)(at % (n + 1)) / (float)n));
        kit_store(k.normals, i, v3(0, i < face ? 1.0f : -1.0f, 0));
        k.vertex_point[i] = i;
    }
    for (int32_t i = 0; i <= n; ++i) {
        k.vertex_point[2 * face + i] = i * (n + 1);
        kit_store(k.normals, 2 * face + i, v3(0, 0.6f, -0.8f)); /* a hard edge */
    }
    for (int32_t i = 0; i < 2 * n * n; ++i) {
        int32_t side = i / (n * n), x = i / n % n, z = i % n;
        int32_t p = side * face + x * (n + 1) + z, q = p + n + 1;
        kit_face(&k, p, side ? q : p + 1, side ? p + 1 : q);
        kit_face(&k, p + 1, side ? q : q + 1, side ? q + 1 : q);
    }
    return k;
}

/* A unit ball of latitudes and longitudes. */
static inline kit_skin kit_ball(int32_t around, int32_t rings) {
    kit_skin k = kit_room(around * rings, around * rings, 2 * around * (rings - 1));
    for (int32_t i = 0; i < k.points; ++i) {
        double a = 2 * TRIG_PI * (i % around) / around, b = TRIG_PI * (i / around + 0.5) / rings;
        lim_vec3 at = v3_of(p3(trig_sin(b) * trig_cos(a), trig_cos(b), -trig_sin(b) * trig_sin(a)));
        kit_store(k.rest, i, at);
        kit_store(k.normals, i, at);
        k.vertex_point[i] = i;
    }
    for (int32_t i = 0; i < around * (rings - 1); ++i) {
        int32_t p = i, q = i / around * around + (i + 1) % around;
        kit_face(&k, p, p + around, q);
        kit_face(&k, q, p + around, q + around);
    }
    return k;
}

/* A bump of outward displacement around a place on the skin: 0.05 exp(-(d / 0.1)^2), with a twist
 * of in-plane displacement that tells tangents apart. */
static inline void kit_bump(const kit_skin* k, const stamp_place* at, float* dense) {
    for (int32_t i = 0; i < k->points; ++i) {
        lim_vec3 way = v3_sub(kit_load(k->rest, i), at->point);
        double d2 = (double)v3_dot(way, way);
        float fall = (float)trig_exp(-d2 / 0.01);
        lim_vec3 own = v3(0.02f * fall, 0.5f * v3_dot(way, at->axis[0]) * fall, 0.05f * fall);
        bool near = v3_dot(k->s.normal[i], at->axis[2]) > 0.0f;
        detail_set(dense, i, near ? stamp_out(at, k->s.normal[i], own) : v3(0, 0, 0));
    }
}

static inline float* kit_dense(kit_skin* k, int32_t count) {
    return ARENA_ARRAY(&k->mem, float, detail_blocks(count) * DETAIL_BLOCK);
}

#endif

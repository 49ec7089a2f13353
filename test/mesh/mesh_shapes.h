/* SPDX-License-Identifier: MIT
 * Shapes for tests: triangles are added to one list, and a mesh is made of it.
 */
#ifndef LIMBER_SHAPES_H
#define LIMBER_SHAPES_H

#include "base/random.h"
#include "test.h"

#include <limber/mesh.h>

#define SHAPE_PI 3.14159265358979

typedef struct shape {
    double* position;
    uint32_t* index;
    int32_t vertices, triangles, vertex_room, triangle_room;
} shape;

static inline uint32_t shape_vertex(shape* s, double x, double y, double z) {
    if (s->vertices == s->vertex_room) {
        s->vertex_room = 2 * s->vertex_room + 64;
        s->position = realloc(s->position, 3 * sizeof(double) * (size_t)s->vertex_room);
    }
    double* p = s->position + 3 * (size_t)s->vertices;
    p[0] = x;
    p[1] = y;
    p[2] = z;
    return (uint32_t)s->vertices++;
}

static inline void shape_triangle(shape* s, uint32_t a, uint32_t b, uint32_t c) {
    if (s->triangles == s->triangle_room) {
        s->triangle_room = 2 * s->triangle_room + 64;
        s->index = realloc(s->index, 3 * sizeof(uint32_t) * (size_t)s->triangle_room);
    }
    uint32_t* t = s->index + 3 * (size_t)s->triangles++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static inline void shape_free(shape* s) {
    free(s->position);
    free(s->index);
    *s = (shape){0};
}

static inline void shape_box(shape* s, double x0, double y0, double z0, double x1, double y1,
                             double z1) {
    static const uint32_t face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    uint32_t first = (uint32_t)s->vertices;
    for (int k = 0; k < 8; ++k) {
        shape_vertex(s, k & 1 ? x1 : x0, k & 2 ? y1 : y0, k & 4 ? z1 : z0);
    }
    for (int f = 0; f < 6; ++f) {
        shape_triangle(s, first + face[f][0], first + face[f][1], first + face[f][2]);
        shape_triangle(s, first + face[f][0], first + face[f][2], first + face[f][3]);
    }
}

/* n rows between the poles, 2 n columns: 4 n (n - 1) triangles, outward. */
static inline void shape_sphere(shape* s, double x, double y, double z, double radius, int n) {
    int columns = 2 * n;
    uint32_t top = shape_vertex(s, x, y, z + radius), ring = (uint32_t)s->vertices;
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < columns; ++j) {
            double t = SHAPE_PI * i / n, p = 2.0 * SHAPE_PI * j / columns;
            shape_vertex(s, x + radius * sin(t) * cos(p), y + radius * sin(t) * sin(p),
                         z + radius * cos(t));
        }
    }
    uint32_t bottom = shape_vertex(s, x, y, z - radius);
    for (int j = 0; j < columns; ++j) {
        uint32_t a = (uint32_t)j, b = (uint32_t)((j + 1) % columns), w = (uint32_t)columns;
        shape_triangle(s, top, ring + a, ring + b);
        for (uint32_t i = 0; i + 2 < (uint32_t)n; ++i) {
            shape_triangle(s, ring + i * w + a, ring + (i + 1) * w + a, ring + (i + 1) * w + b);
            shape_triangle(s, ring + i * w + a, ring + (i + 1) * w + b, ring + i * w + b);
        }
        shape_triangle(s, bottom, ring + (uint32_t)(n - 2) * w + b,
                       ring + (uint32_t)(n - 2) * w + a);
    }
}

static inline void shape_torus(shape* s, double large, double small, int n, int m) {
    uint32_t first = (uint32_t)s->vertices;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < m; ++j) {
            double t = 2.0 * SHAPE_PI * i / n, p = 2.0 * SHAPE_PI * j / m;
            double r = large + small * cos(p);
            shape_vertex(s, r * cos(t), r * sin(t), small * sin(p));
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < m; ++j) {
            uint32_t a = first + (uint32_t)(i * m + j), b = first + (uint32_t)((i + 1) % n * m + j);
            uint32_t c = first + (uint32_t)((i + 1) % n * m + (j + 1) % m);
            uint32_t d = first + (uint32_t)(i * m + (j + 1) % m);
            shape_triangle(s, a, b, c);
            shape_triangle(s, a, c, d);
        }
    }
}

/* A square sheet [-1, 1]^2 of n x n quads at height slope * x. */
static inline void shape_sheet(shape* s, int n, double slope) {
    uint32_t first = (uint32_t)s->vertices;
    for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
            double x = 2.0 * j / n - 1.0;
            shape_vertex(s, x, 2.0 * i / n - 1.0, slope * x);
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            uint32_t a = first + (uint32_t)(i * (n + 1) + j), up = (uint32_t)(n + 1);
            shape_triangle(s, a, a + 1, a + up + 1);
            shape_triangle(s, a, a + up + 1, a + up);
        }
    }
}

/* A prism over a polygon of the plane z = 0 (counter-clockwise, star-shaped fans given by
 * `triangle`). */
static inline void shape_prism(shape* s, const double (*corner)[2], int corners,
                               const uint8_t (*triangle)[3], int triangles, double height) {
    uint32_t low = (uint32_t)s->vertices, high = low + (uint32_t)corners;
    for (int k = 0; k < 2 * corners; ++k) {
        const double* c = corner[k % corners];
        shape_vertex(s, c[0], c[1], k < corners ? 0.0 : height);
    }
    for (int k = 0; k < triangles; ++k) {
        uint32_t a = triangle[k][0], b = triangle[k][1], c = triangle[k][2];
        shape_triangle(s, low + a, low + c, low + b);
        shape_triangle(s, high + a, high + b, high + c);
    }
    for (int k = 0; k < corners; ++k) {
        uint32_t a = (uint32_t)k, b = (uint32_t)((k + 1) % corners);
        shape_triangle(s, low + a, low + b, high + b);
        shape_triangle(s, low + a, high + b, high + a);
    }
}

/* Two fingers and the bar that joins them, gap wide: a U that opens towards +y. */
static inline void shape_fingers(shape* s, double finger, double gap) {
    double a = 0.0, b = finger, c = finger + gap, d = 2.0 * finger + gap;
    const double corner[8][2] = {{a, 0},   {d, 0},   {d, 1}, {c, 1},
                                 {c, 0.3}, {b, 0.3}, {b, 1}, {a, 1}};
    static const uint8_t triangle[6][3] = {{0, 1, 4}, {0, 4, 5}, {1, 2, 3},
                                           {1, 3, 4}, {0, 5, 6}, {0, 6, 7}};
    shape_prism(s, corner, 8, triangle, 6, 0.4);
}

static inline void shape_flip(shape* s, int32_t from, int32_t to) {
    for (int32_t t = from; t < to; ++t) {
        uint32_t swap = s->index[3 * t];
        s->index[3 * t] = s->index[3 * t + 1];
        s->index[3 * t + 1] = swap;
    }
}

/* Removes each triangle t with t % each == 0. */
static inline void shape_holes(shape* s, int each) {
    int32_t kept = 0;
    for (int32_t t = 0; t < s->triangles; ++t) {
        if (t % each != 0) {
            memmove(s->index + 3 * kept++, s->index + 3 * t, 3 * sizeof(uint32_t));
        }
    }
    s->triangles = kept;
}

/* Every triangle gets its own vertices, moved by up to `jitter`. */
static inline void shape_unweld(shape* s, double jitter) {
    shape out = {0};
    random_stream r = random_seed(7);
    for (int32_t i = 0; i < 3 * s->triangles; ++i) {
        const double* p = s->position + 3 * (size_t)s->index[i];
        double d[3];
        for (int k = 0; k < 3; ++k) {
            d[k] = jitter * (2.0 * (double)random_unit(&r) - 1.0);
        }
        shape_vertex(&out, p[0] + d[0], p[1] + d[1], p[2] + d[2]);
    }
    for (int32_t t = 0; t < s->triangles; ++t) {
        shape_triangle(&out, (uint32_t)(3 * t), (uint32_t)(3 * t + 1), (uint32_t)(3 * t + 2));
    }
    shape_free(s);
    *s = out;
}

/* Scales and moves all vertices. */
static inline void shape_place(shape* s, double scale, double x, double y, double z) {
    for (int32_t i = 0; i < s->vertices; ++i) {
        double* p = s->position + 3 * (size_t)i;
        p[0] = scale * p[0] + x;
        p[1] = scale * p[1] + y;
        p[2] = scale * p[2] + z;
    }
}

static inline lim_mesh_desc shape_desc(const shape* s) {
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = s->vertices;
    desc.triangle_count = s->triangles;
    desc.positions = s->position;
    desc.indices = s->index;
    return desc;
}

/* Makes the mesh and frees the shape. */
static inline lim_mesh* shape_mesh(shape* s) {
    lim_mesh_desc desc = shape_desc(s);
    lim_mesh* mesh = NULL;
    lim_result result = lim_mesh_create(&desc, NULL, &mesh);
    CHECK(result == LIM_OK);
    if (mesh == NULL) {
        printf("no mesh: %s\n", lim_result_name(result));
        exit(1);
    }
    shape_free(s);
    return mesh;
}

#endif

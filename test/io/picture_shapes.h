/* SPDX-License-Identifier: MIT
 * Closed meshes for picture and writer tests, made with + - * / and sqrt only, so that they are the
 * same on every machine.
 */
#ifndef LIMBER_TEST_SHAPES_H
#define LIMBER_TEST_SHAPES_H

#include <limber/io.h>
#include <math.h>
#include <stdlib.h>

enum { SHAPE_SIDE = 24, SHAPE_VERTICES = 6 * (SHAPE_SIDE + 1) * (SHAPE_SIDE + 1) };
enum { SHAPE_TRIANGLES = 12 * SHAPE_SIDE * SHAPE_SIDE };

typedef struct shape_mesh {
    float positions[3 * SHAPE_VERTICES], normals[3 * SHAPE_VERTICES];
    float uvs[2 * SHAPE_VERTICES], colours[4 * SHAPE_VERTICES];
    uint32_t indices[3 * SHAPE_TRIANGLES];
} shape_mesh;

/* A ball from the six faces of a cube, with bumps of the given height; normals of the ball. */
static inline shape_mesh* shape_ball(lim_vec3 centre, float radius, float bumps) {
    shape_mesh* mesh = calloc(1, sizeof *mesh);
    int v = 0, t = 0;
    for (int face = 0; face < 6; ++face) {
        int axis = face / 2;
        float sign = face % 2 == 0 ? 1.0f : -1.0f;
        for (int i = 0; i <= SHAPE_SIDE; ++i) {
            for (int j = 0; j <= SHAPE_SIDE; ++j, ++v) {
                float p[3];
                p[axis] = sign;
                p[(axis + 1) % 3] = 2.0f * (float)i / (float)SHAPE_SIDE - 1.0f;
                p[(axis + 2) % 3] = sign * (2.0f * (float)j / (float)SHAPE_SIDE - 1.0f);
                float length = sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
                float x = p[0] / length, y = p[1] / length, z = p[2] / length;
                float wave = 16.0f * x * y * z * (1.0f - 2.0f * y * y) + 2.0f * x * x * z * z;
                float r = radius * (1.0f + bumps * wave);
                float* out = mesh->positions + 3 * v;
                out[0] = centre.x + r * x;
                out[1] = centre.y + r * y;
                out[2] = centre.z + r * z;
                mesh->normals[3 * v] = x;
                mesh->normals[3 * v + 1] = y;
                mesh->normals[3 * v + 2] = z;
                mesh->uvs[2 * v] = (float)i / (float)SHAPE_SIDE;
                mesh->uvs[2 * v + 1] = (float)j / (float)SHAPE_SIDE;
                mesh->colours[4 * v] = 0.5f + 0.5f * x;
                mesh->colours[4 * v + 1] = 0.5f + 0.5f * y;
                mesh->colours[4 * v + 2] = 0.25f;
                mesh->colours[4 * v + 3] = 1.0f;
            }
        }
        int first = face * (SHAPE_SIDE + 1) * (SHAPE_SIDE + 1);
        for (int i = 0; i < SHAPE_SIDE; ++i) {
            for (int j = 0; j < SHAPE_SIDE; ++j) {
                uint32_t a = (uint32_t)(first + i * (SHAPE_SIDE + 1) + j), b = a + SHAPE_SIDE + 1;
                const uint32_t corners[6] = {a, b, b + 1, a, b + 1, a + 1};
                for (int k = 0; k < 6; ++k) {
                    mesh->indices[t++] = corners[k];
                }
            }
        }
    }
    return mesh;
}

static inline lim_io_frame shape_frame(const shape_mesh* mesh) {
    return (lim_io_frame){.vertex_count = SHAPE_VERTICES,
                          .triangle_count = SHAPE_TRIANGLES,
                          .positions = mesh->positions,
                          .normals = mesh->normals,
                          .indices = mesh->indices};
}

#endif

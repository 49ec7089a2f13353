/* SPDX-License-Identifier: MIT
 * Surfaces for tests of the shell: strips, tubes, boxes, two sheets sewn.
 */
#ifndef LIMBER_SHELL_KIT_H
#define LIMBER_SHELL_KIT_H

#include "math/trig.h"
#include "math/vec3.h"
#include "shell/shell.h"

#include <stdlib.h>
#include <string.h>

typedef struct kit_surface {
    int32_t vertices, triangles;
    lim_point* x; /* at rest */
    int32_t* index;
} kit_surface;

static inline kit_surface kit_new(int32_t vertices, int32_t triangles) {
    return (kit_surface){0, 0, calloc((size_t)vertices, sizeof(lim_point)),
                         calloc(3 * (size_t)triangles, sizeof(int32_t))};
}
static inline void kit_free(kit_surface* s) {
    free(s->x);
    free(s->index);
}
static inline void kit_triangle(kit_surface* s, int32_t a, int32_t b, int32_t c) {
    int32_t* to = s->index + 3 * (size_t)s->triangles++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

/* A strip along x with `across` cells along z, facing up, cells of two triangles whose diagonals
 * alternate; vertex i (across + 1) + j. */
static inline kit_surface kit_strip(int32_t along, int32_t across, double cell_x, double cell_z) {
    kit_surface s = kit_new((along + 1) * (across + 1), 2 * along * across);
    for (int32_t i = 0; i <= along; ++i) {
        for (int32_t j = 0; j <= across; ++j) {
            s.x[s.vertices++] = p3(i * cell_x, 0.0, j * cell_z);
        }
    }
    for (int32_t i = 0; i < along; ++i) {
        for (int32_t j = 0; j < across; ++j) {
            int32_t p = i * (across + 1) + j, q = p + across + 1, odd = (i + j) & 1;
            kit_triangle(&s, p, p + 1, odd ? q : q + 1);
            kit_triangle(&s, odd ? p + 1 : p, q + 1, q);
        }
    }
    return s;
}

/* A sheet of n x n cells of two equilateral triangles of edge `edge`. */
static inline kit_surface kit_equilateral(int32_t n, double edge) {
    kit_surface s = kit_new((n + 1) * (n + 1), 2 * n * n);
    for (int32_t i = 0; i <= n; ++i) {
        for (int32_t j = 0; j <= n; ++j) {
            s.x[s.vertices++] = p3((i + 0.5 * j) * edge, 0.0, j * edge * sqrt(0.75));
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j) {
            int32_t p = i * (n + 1) + j, q = p + n + 1;
            kit_triangle(&s, p, p + 1, q);
            kit_triangle(&s, p + 1, q + 1, q);
        }
    }
    return s;
}

/* A tube about x with flat ends; vertex i around + k, then both middles of the ends. */
static inline kit_surface kit_tube(int32_t along, int32_t around, double radius, double cell) {
    kit_surface s = kit_new((along + 1) * around + 2, 2 * along * around + 2 * around);
    for (int32_t i = 0; i <= along; ++i) {
        for (int32_t k = 0; k < around; ++k) {
            double turn = 2.0 * TRIG_PI * k / around;
            s.x[s.vertices++] = p3(i * cell, radius * trig_cos(turn), radius * trig_sin(turn));
        }
    }
    s.x[s.vertices++] = p3(0, 0, 0);
    s.x[s.vertices++] = p3(along * cell, 0, 0);
    for (int32_t k = 0; k < around; ++k) {
        int32_t l = (k + 1) % around, end = along * around;
        for (int32_t i = 0; i < along; ++i) {
            int32_t p = i * around + k, q = i * around + l, odd = (i + k) & 1;
            kit_triangle(&s, p, q, odd ? p + around : q + around);
            kit_triangle(&s, odd ? q : p, q + around, p + around);
        }
        kit_triangle(&s, s.vertices - 2, l, k);
        kit_triangle(&s, s.vertices - 1, end + k, end + l);
    }
    return s;
}

/* Two square sheets of n x n cells (n even) sewn along their borders, flat. */
static inline int32_t kit_sewn_vertex(int32_t n, int32_t sheet, int32_t i, int32_t j) {
    bool inner = i > 0 && j > 0 && i < n && j < n;
    return sheet == 1 && inner ? (n + 1) * (n + 1) + (i - 1) * (n - 1) + j - 1 : i * (n + 1) + j;
}
static inline kit_surface kit_sewn(int32_t n, double width) {
    kit_surface s = kit_new((n + 1) * (n + 1) + (n - 1) * (n - 1), 4 * n * n);
    s.vertices = (n + 1) * (n + 1) + (n - 1) * (n - 1);
    for (int32_t sheet = 0; sheet < 2; ++sheet) {
        for (int32_t i = 0; i <= n; ++i) {
            for (int32_t j = 0; j <= n; ++j) {
                s.x[kit_sewn_vertex(n, sheet, i, j)] = p3(i * width / n, 0.0, j * width / n);
            }
        }
        for (int32_t i = 0; i < n; ++i) {
            for (int32_t j = 0; j < n; ++j) {
                int32_t p = kit_sewn_vertex(n, sheet, i, j),
                        q = kit_sewn_vertex(n, sheet, i, j + 1);
                int32_t r = kit_sewn_vertex(n, sheet, i + 1, j);
                int32_t u = kit_sewn_vertex(n, sheet, i + 1, j + 1), odd = (i + j) & 1;
                int32_t a[2][3] = {{p, q, odd ? r : u}, {odd ? q : p, u, r}};
                for (int k = 0; k < 2; ++k) {
                    kit_triangle(&s, a[k][0], a[k][sheet ? 2 : 1], a[k][sheet ? 1 : 2]);
                }
            }
        }
    }
    return s;
}

/* The sewn sheets a little blown up, and disturbed by `noise` so that wrinkles find a beginning. */
static inline void kit_puff(kit_surface* s, int32_t n, double height, double noise) {
    uint32_t state = 1;
    for (int32_t sheet = 0; sheet < 2; ++sheet) {
        for (int32_t i = 1; i < n; ++i) {
            for (int32_t j = 1; j < n; ++j) {
                state = state * 1664525u + 1013904223u;
                double dome = trig_sin(TRIG_PI * i / n) * trig_sin(TRIG_PI * j / n);
                s->x[kit_sewn_vertex(n, sheet, i, j)].y =
                    (sheet ? -height : height) * dome +
                    noise * ((double)(state >> 8) * 0x1p-24 - 0.5);
            }
        }
    }
}

static inline shell_desc kit_desc(const kit_surface* s) {
    shell_desc d = shell_desc_default();
    d.vertex_count = s->vertices;
    d.triangle_count = s->triangles;
    d.rest = s->x;
    d.triangles = s->index;
    return d;
}

#endif

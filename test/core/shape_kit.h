/* SPDX-License-Identifier: MIT
 * Shapes for colliders that are arrays: a random hull, a closed torus, an open wavy sheet, a
 * landscape. Each fills static arrays, so one of a kind lives at a time.
 */
#ifndef LIMBER_SHAPE_KIT_H
#define LIMBER_SHAPE_KIT_H

#include "base/random.h"
#include "test.h"

#include <limber/world.h>

enum { SHAPE_KIT_POINTS = 4096, SHAPE_KIT_INDICES = 24576 };

typedef struct shape_arrays {
    lim_vec3 points[SHAPE_KIT_POINTS];
    uint32_t indices[SHAPE_KIT_INDICES];
    float heights[SHAPE_KIT_POINTS];
} shape_arrays;

static shape_arrays shape_hull_arrays, shape_torus_arrays, shape_sheet_arrays, shape_land_arrays;

/* Points in a box and on its faces: many of them inside, many in one plane. */
static inline void shape_hull(lim_collider_desc* d, random_stream* r, int32_t count,
                              lim_vec3 half) {
    shape_arrays* a = &shape_hull_arrays;
    for (int32_t i = 0; i < count; ++i) {
        float p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = random_range(r, -1.0f, 1.0f);
        }
        int k = random_index(r, 6);
        if (k < 3) {
            p[k] = p[k] < 0.0f ? -1.0f : 1.0f;
        }
        a->points[i] = (lim_vec3){p[0] * half.x, p[1] * half.y, p[2] * half.z};
    }
    d->shape = LIM_SHAPE_HULL;
    d->points = a->points;
    d->point_count = count;
}

/* A closed ring about y: large radius R, small radius r. */
static inline void shape_torus(lim_collider_desc* d, double big, double small, int around,
                               int across) {
    shape_arrays* a = &shape_torus_arrays;
    const double turn = 6.283185307179586;
    int32_t t = 0;
    for (int i = 0; i < around; ++i) {
        for (int k = 0; k < across; ++k) {
            double u = turn * i / around, v = turn * k / across, w = big + small * cos(v);
            a->points[i * across + k] =
                (lim_vec3){(float)(w * cos(u)), (float)(small * sin(v)), (float)(w * sin(u))};
            uint32_t p = (uint32_t)(i * across + k), q = (uint32_t)(i * across + (k + 1) % across);
            uint32_t s = (uint32_t)((i + 1) % around * across + k);
            uint32_t e = (uint32_t)((i + 1) % around * across + (k + 1) % across);
            const uint32_t six[6] = {p, q, s, q, e, s};
            memcpy(a->indices + t, six, sizeof six);
            t += 6;
        }
    }
    d->shape = LIM_SHAPE_MESH;
    d->points = a->points;
    d->point_count = around * across;
    d->indices = a->indices;
    d->triangle_count = t / 3;
}

/* An open sheet over a square of this side, with waves of this height. */
static inline void shape_sheet(lim_collider_desc* d, double side, double wave, int cells) {
    shape_arrays* a = &shape_sheet_arrays;
    int32_t t = 0;
    for (int i = 0; i <= cells; ++i) {
        for (int k = 0; k <= cells; ++k) {
            double x = side * ((double)i / cells - 0.5), z = side * ((double)k / cells - 0.5);
            double y = wave * sin(9.0 * x / side) * cos(7.0 * z / side);
            a->points[i * (cells + 1) + k] = (lim_vec3){(float)x, (float)y, (float)z};
            if (i < cells && k < cells) {
                uint32_t p = (uint32_t)(i * (cells + 1) + k), n = (uint32_t)cells + 1;
                const uint32_t six[6] = {p, p + 1, p + n, p + 1, p + n + 1, p + n};
                memcpy(a->indices + t, six, sizeof six);
                t += 6;
            }
        }
    }
    d->shape = LIM_SHAPE_MESH;
    d->points = a->points;
    d->point_count = (cells + 1) * (cells + 1);
    d->indices = a->indices;
    d->triangle_count = t / 3;
}

static inline void shape_land(lim_collider_desc* d, double side, double wave, int columns,
                              int rows) {
    shape_arrays* a = &shape_land_arrays;
    for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < columns; ++k) {
            double u = (double)k / (columns - 1), v = (double)i / (rows - 1);
            a->heights[i * columns + k] = (float)(wave * sin(11.0 * u + 1.0) * cos(8.0 * v));
        }
    }
    d->shape = LIM_SHAPE_HEIGHTS;
    d->heights = a->heights;
    d->columns = columns;
    d->rows = rows;
    d->size = (lim_vec3){(float)(side / (columns - 1)), 0.0f, (float)(side / (rows - 1))};
}

#endif

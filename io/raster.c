/* SPDX-License-Identifier: MIT
 * Job: fill a triangle. In: corners in fixed point. Out: samples whose value was raised. Edge
 * functions (Pineda 1988) in exact integers with a top-left rule leave neither gaps nor doubles
 * between neighbours; the value is a plane over the samples.
 */
#include "io/raster.h"

static int32_t least3(int32_t a, int32_t b, int32_t c) {
    int32_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}
static int32_t most3(int32_t a, int32_t b, int32_t c) {
    int32_t ab = a > b ? a : b;
    return ab > c ? ab : c;
}
/* First sample whose centre is at or beyond a coordinate. */
static int32_t first_sample(int32_t at) {
    int32_t shifted = at - RASTER_ONE / 2 + RASTER_ONE - 1;
    return shifted >= 0 ? shifted / RASTER_ONE : -((-shifted + RASTER_ONE - 1) / RASTER_ONE);
}

typedef struct raster_edge {
    int64_t at, step_x, step_y; /* at >= 0: inside */
} raster_edge;

/* E(p) = (to - from) x (p - from) >= 0 inside; edges that are neither top nor left lose the tie. */
static raster_edge edge_make(raster_corner from, raster_corner to, int32_t x, int32_t y) {
    int64_t dx = to.x - from.x, dy = to.y - from.y;
    int64_t px = (int64_t)x * RASTER_ONE + RASTER_ONE / 2 - from.x;
    int64_t py = (int64_t)y * RASTER_ONE + RASTER_ONE / 2 - from.y;
    int64_t tie = dy < 0 || (dy == 0 && dx > 0) ? 0 : -1;
    return (raster_edge){dx * py - dy * px + tie, -dy * RASTER_ONE, dx * RASTER_ONE};
}

void raster_triangle(const raster_grid* grid, raster_corner a, raster_corner b, raster_corner c,
                     int32_t id) {
    int32_t y0 = first_sample(least3(a.y, b.y, c.y)), y1 = first_sample(most3(a.y, b.y, c.y) + 1);
    int32_t x0 = first_sample(least3(a.x, b.x, c.x)), x1 = first_sample(most3(a.x, b.x, c.x) + 1);
    int32_t last_row = grid->first_row + grid->height;
    y0 = y0 > grid->first_row ? y0 : grid->first_row;
    y1 = y1 < last_row ? y1 : last_row;
    x0 = x0 > 0 ? x0 : 0;
    x1 = x1 < grid->width ? x1 : grid->width;
    if (x0 >= x1 || y0 >= y1) {
        return;
    }
    int64_t area = (int64_t)(b.x - a.x) * (c.y - a.y) - (int64_t)(b.y - a.y) * (c.x - a.x);
    if (area == 0) {
        return;
    }
    if (area < 0) {
        raster_corner swap = b;
        b = c;
        c = swap;
        area = -area;
    }
    raster_edge ab = edge_make(a, b, x0, y0), bc = edge_make(b, c, x0, y0);
    raster_edge ca = edge_make(c, a, x0, y0);
    /* The value's plane from Cramer's rule; area is not zero here. */
    double scale = (double)RASTER_ONE / (double)area;
    double vb = (double)b.value - (double)a.value, vc = (double)c.value - (double)a.value;
    double step_x = (vb * (double)(c.y - a.y) - vc * (double)(b.y - a.y)) * scale;
    double step_y = (vc * (double)(b.x - a.x) - vb * (double)(c.x - a.x)) * scale;
    double from_x = (double)x0 + 0.5 - (double)a.x / (double)RASTER_ONE;
    double from_y = (double)y0 + 0.5 - (double)a.y / (double)RASTER_ONE;
    double row_value = (double)a.value + step_x * from_x + step_y * from_y;
    float across = (float)step_x;
    for (int32_t y = y0; y < y1; ++y) {
        int64_t e0 = ab.at, e1 = bc.at, e2 = ca.at;
        int64_t base = (int64_t)(y - grid->first_row) * grid->width + x0;
        float start = (float)row_value;
        for (int32_t x = 0; x < x1 - x0; ++x) {
            if ((e0 | e1 | e2) >= 0) {
                float value = start + across * (float)x;
                if (value > grid->value[base + x]) {
                    grid->value[base + x] = value;
                    if (grid->id != 0) {
                        grid->id[base + x] = id;
                    }
                }
            }
            e0 += ab.step_x;
            e1 += bc.step_x;
            e2 += ca.step_x;
        }
        ab.at += ab.step_y;
        bc.at += bc.step_y;
        ca.at += ca.step_y;
        row_value += step_y;
    }
}

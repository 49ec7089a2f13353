/* SPDX-License-Identifier: MIT
 * Job: stamps from examples. In: the skin at rest, a contact point, a field over the skin. Out: the
 * field as a grid of the tangent plane.
 */
#include "train/stamp_make.h"

#include <math.h>
#include <string.h>

/* Sweeps that smooth what was filled in. */
enum { SWEEPS = 64 };

typedef struct drawing {
    const detail_skin* skin;
    const stamp_grid* grid;
    const stamp_place* at;
    float* texels;
    float*
        deep; /* per texel: how far from the tangent plane what is drawn lies; infinite: nothing */
} drawing;

typedef struct drawn_corner {
    double x, y; /* texels */
    float deep;
    lim_vec3 value;
} drawn_corner;

/* False when it faces away or lies too deep. */
static bool project(const drawing* d, const float* field, int32_t point, drawn_corner* c) {
    const detail_skin* s = d->skin;
    lim_vec3 x = v3(s->rest[0][point], s->rest[1][point], s->rest[2][point]), n = s->normal[point];
    lim_vec3 way = v3_sub(x, d->at->point);
    double half = 0.5 * (double)(d->grid->side - 1), radius = (double)d->grid->radius;
    c->x = half * ((double)v3_dot(way, d->at->axis[0]) / radius + 1.0);
    c->y = half * ((double)v3_dot(way, d->at->axis[1]) / radius + 1.0);
    c->deep = fabsf(v3_dot(way, d->at->axis[2]));
    c->value = stamp_in(d->at, n, detail_get(field, point));
    return v3_dot(n, d->at->axis[2]) > 0.0f && c->deep < d->grid->depth;
}

static int32_t between(double x, int32_t most) {
    return x < 0.0 ? 0 : x > (double)most ? most : (int32_t)x;
}

static void draw(const drawing* d, const drawn_corner c[3]) {
    double area = (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[1].y - c[0].y) * (c[2].x - c[0].x);
    if (!(fabs(area) > 1e-12)) {
        return;
    }
    int32_t most = d->grid->side - 1;
    int32_t x0 = between(ceil(fmin(c[0].x, fmin(c[1].x, c[2].x))), most + 1);
    int32_t y0 = between(ceil(fmin(c[0].y, fmin(c[1].y, c[2].y))), most + 1);
    double x1 = fmax(c[0].x, fmax(c[1].x, c[2].x)), y1 = fmax(c[0].y, fmax(c[1].y, c[2].y));
    for (int32_t y = y0; y <= most && (double)y <= y1; ++y) {
        for (int32_t x = x0; x <= most && (double)x <= x1; ++x) {
            double w[3], deep = 0.0;
            lim_vec3 value = {0, 0, 0};
            bool inside = true;
            for (int k = 0; k < 3; ++k) {
                const drawn_corner *a = &c[(k + 1) % 3], *b = &c[(k + 2) % 3];
                w[k] = ((a->x - x) * (b->y - y) - (a->y - y) * (b->x - x)) / area;
                inside = inside && w[k] >= -1e-9;
                deep += w[k] * (double)c[k].deep;
                value = v3_mad(value, c[k].value, (float)w[k]);
            }
            int32_t texel = y * d->grid->side + x;
            if (inside && (float)deep < d->deep[texel]) {
                d->deep[texel] = (float)deep;
                detail_set(d->texels, texel, value);
            }
        }
    }
}

/* The mean of the texels beside one that something is known of (deep finite or filled before). */
static bool beside(const drawing* d, int32_t texel, lim_vec3* out) {
    int32_t side = d->grid->side, x = texel % side, y = texel / side, count = 0;
    lim_vec3 sum = {0, 0, 0};
    const int32_t step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int k = 0; k < 4; ++k) {
        int32_t p = x + step[k][0], q = y + step[k][1];
        if (p >= 0 && q >= 0 && p < side && q < side && d->deep[q * side + p] < 3e38f) {
            sum = v3_add(sum, detail_get(d->texels, q * side + p));
            count++;
        }
    }
    *out = count > 0 ? v3_scale(sum, 1.0f / (float)count) : sum;
    return count > 0;
}

/* Ring by ring outwards from what is drawn, then smooth. Filled texels have the depth 1e38. */
static void fill(const drawing* d) {
    int32_t texels = d->grid->side * d->grid->side;
    for (bool more = true; more;) {
        more = false;
        for (int32_t i = 0; i < texels; ++i) {
            lim_vec3 value;
            if (isinf(d->deep[i]) && beside(d, i, &value)) {
                detail_set(d->texels, i, value);
                d->deep[i] = 2e38f;
                more = true;
            }
        }
        for (int32_t i = 0; more && i < texels; ++i) {
            d->deep[i] = d->deep[i] == 2e38f ? 1e38f : d->deep[i];
        }
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (int32_t i = 0; i < texels; ++i) {
            lim_vec3 value;
            if (d->deep[i] == 1e38f && beside(d, i, &value)) {
                detail_set(d->texels, i, value);
            }
        }
    }
}

lim_result stamp_make(arena* scratch, const detail_skin* s, const stamp_grid* g,
                      const stamp_place* at, const float* field, float* out) {
    int32_t texels = g->side * g->side;
    drawing d = {s, g, at, out, ARENA_ARRAY(scratch, float, texels)};
    LIM_TRY_MEMORY(d.deep);
    memset(out, 0, (size_t)detail_blocks(texels) * DETAIL_BLOCK * sizeof *out);
    for (int32_t i = 0; i < texels; ++i) {
        d.deep[i] = INFINITY;
    }
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        drawn_corner c[3];
        bool near = true;
        for (int k = 0; k < 3; ++k) {
            near = project(&d, field, s->triangle[3 * (size_t)t + (size_t)k], &c[k]) && near;
        }
        if (near) {
            draw(&d, c);
        }
    }
    fill(&d);
    return LIM_OK;
}

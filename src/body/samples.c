/* SPDX-License-Identifier: MIT
 * Job: sample large triangles. In: a surface and a spacing. Out: points and normals. Each triangle
 * gets the inner points of a barycentric grid as fine as its longest side asks for.
 */
#include "body/samples.h"

typedef struct triangle_grid {
    lim_vec3 p[3], normal;
    int32_t corner[3], parts;
} triangle_grid;

static triangle_grid grid_of(const lim_vec3* points, const int32_t* corner, float spacing) {
    triangle_grid g;
    float longest = 0.0f;
    for (int k = 0; k < 3; ++k) {
        g.corner[k] = corner[k];
        g.p[k] = points[corner[k]];
    }
    for (int k = 0; k < 3; ++k) {
        float side = v3_length(v3_sub(g.p[(k + 1) % 3], g.p[k]));
        longest = side > longest ? side : longest;
    }
    lim_vec3 cross = v3_cross(v3_sub(g.p[1], g.p[0]), v3_sub(g.p[2], g.p[0]));
    g.normal = v3_unit(cross, v3(0, 0, 0));
    float parts = longest / spacing;
    g.parts = parts < 1.0f ? 1 : (parts < 4096.0f ? (int32_t)parts + 1 : 4096);
    return g;
}

/* A grid point is ours unless it is a corner, or lies on a side that belongs to the other triangle.
 */
static bool is_own(const triangle_grid* g, const int32_t at[3]) {
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        if (at[a] == 0 && at[b] == 0) {
            return false;
        }
        if (at[k] == 0 && g->corner[a] > g->corner[b]) {
            return false;
        }
    }
    return true;
}

/* Calls for each own grid point: counts when out is null. */
static int32_t walk(const triangle_grid* g, surface_samples* out, int32_t count) {
    int32_t n = g->parts;
    for (int32_t i = 0; n > 1 && i <= n; ++i) {
        for (int32_t j = 0; j <= n - i; ++j) {
            const int32_t at[3] = {i, j, n - i - j};
            if (!is_own(g, at)) {
                continue;
            }
            if (out != NULL) {
                lim_vec3 p = v3_scale(g->p[0], (float)at[0] / (float)n);
                p = v3_mad(p, g->p[1], (float)at[1] / (float)n);
                out->point[count] = v3_mad(p, g->p[2], (float)at[2] / (float)n);
                out->normal[count] = g->normal;
            }
            count++;
        }
    }
    return count;
}

/* How many samples a spacing gives; stops counting beyond `most`. */
static int32_t count_samples(const lim_vec3* points, const int32_t* triangles,
                             int32_t triangle_count, float spacing, int32_t most) {
    int64_t count = 0;
    for (int32_t t = 0; t < triangle_count && count <= most; ++t) {
        triangle_grid g = grid_of(points, triangles + 3 * (size_t)t, spacing);
        int64_t n = g.parts;
        count += n > 256 ? n * n / 2 : walk(&g, NULL, 0);
    }
    return count > most ? most + 1 : (int32_t)count;
}

lim_result surface_samples_make(arena* a, const lim_vec3* points, const int32_t* triangles,
                                int32_t triangle_count, float spacing, int32_t most,
                                surface_samples* out) {
    *out = (surface_samples){0};
    /* Each doubling quarters the number, so this ends. */
    int32_t count = count_samples(points, triangles, triangle_count, spacing, most);
    for (int k = 0; count > most && k < 40; ++k) {
        spacing *= 1.5f;
        count = count_samples(points, triangles, triangle_count, spacing, most);
    }
    count = count > most ? 0 : count;
    out->point = ARENA_ARRAY(a, lim_vec3, count);
    out->normal = ARENA_ARRAY(a, lim_vec3, count);
    LIM_TRY_MEMORY(out->point);
    LIM_TRY_MEMORY(out->normal);
    for (int32_t t = 0; t < triangle_count && count > 0; ++t) {
        triangle_grid g = grid_of(points, triangles + 3 * (size_t)t, spacing);
        out->count = walk(&g, out, out->count);
    }
    return LIM_OK;
}

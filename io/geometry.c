/* SPDX-License-Identifier: MIT
 * Job: meshes to samples. In: a picture. Out: the nearest triangle of each sample. Triangles that
 * cross the near plane or lie far beside the picture are clipped in view space (Sutherland and
 * Hodgman 1974); all others go straight to the rasteriser.
 */
#include "io/geometry.h"

/* Beyond the picture's own planes (a triangle with one of them at every corner is unseen), and
 * beyond what the rasteriser takes (one such corner asks for clipping). */
enum {
    BEYOND_LEFT = 1,
    BEYOND_RIGHT = 2,
    BEYOND_TOP = 4,
    BEYOND_BOTTOM = 8,
    BEFORE_NEAR = 16,
    FAR_ASIDE = 32,
    NOT_FINITE = 64
};
static const float guard = 2.5f; /* pictures to each side that are left to the rasteriser */

static raster_corner project(const geometry* g, double x, double y, double z) {
    double inverse = 1.0 / z; /* z >= near */
    double px = (0.5 + 0.5 * x * inverse / (double)g->v.tan_x) * (double)g->width;
    double py = (0.5 - 0.5 * y * inverse / (double)g->v.tan_y) * (double)g->height;
    double shift =
        8.0 * (double)RASTER_ONE * (double)(g->width + g->height); /* truncation as floor */
    return (raster_corner){
        (int32_t)((int64_t)(px * (double)RASTER_ONE + 0.5 + shift) - (int64_t)shift),
        (int32_t)((int64_t)(py * (double)RASTER_ONE + 0.5 + shift) - (int64_t)shift),
        (float)inverse};
}

static seen_vertex see(const geometry* g, const float* position) {
    seen_vertex s = {.at = view_point(&g->v, v3(position[0], position[1], position[2]))};
    lim_vec3 p = s.at;
    if (!(fabsf(p.x) < 1e15f && fabsf(p.y) < 1e15f && fabsf(p.z) < 1e15f)) {
        s.code = NOT_FINITE;
        return s;
    }
    float wide = g->v.tan_x * p.z, tall = g->v.tan_y * p.z;
    s.code |= p.x < -wide ? BEYOND_LEFT : 0;
    s.code |= p.x > wide ? BEYOND_RIGHT : 0;
    s.code |= p.y > tall ? BEYOND_TOP : 0;
    s.code |= p.y < -tall ? BEYOND_BOTTOM : 0;
    if (p.z < g->v.near) {
        s.code |= BEFORE_NEAR;
    } else if (fabsf(p.x) > guard * wide || fabsf(p.y) > guard * tall) {
        s.code |= FAR_ASIDE;
    } else {
        raster_corner corner = project(g, (double)p.x, (double)p.y, (double)p.z);
        s.x = corner.x;
        s.y = corner.y;
        s.inverse = corner.value;
    }
    return s;
}

static lim_result check_picture(const lim_picture* picture) {
    if (picture->width < 16 || picture->width > 8192 || picture->height < 16 ||
        picture->height > 8192 || picture->mesh_count < 0 || picture->line_count < 0 ||
        picture->point_count < 0 || (picture->mesh_count > 0 && picture->meshes == NULL) ||
        (picture->line_count > 0 && picture->lines == NULL) ||
        (picture->point_count > 0 && picture->points == NULL) ||
        (picture->ground && !isfinite(picture->ground_height))) {
        return LIM_ERROR_ARGUMENT;
    }
    int64_t vertices = 0, triangles = 0;
    for (int32_t m = 0; m < picture->mesh_count; ++m) {
        const lim_io_frame* frame = &picture->meshes[m].frame;
        if (frame->vertex_count < 0 || frame->triangle_count < 0 ||
            (frame->vertex_count > 0 && frame->positions == NULL) ||
            (frame->triangle_count > 0 && frame->indices == NULL) ||
            !(picture->meshes[m].checker >= 0.0f && picture->meshes[m].checker < 1e30f) ||
            (picture->meshes[m].checker > 0.0f && picture->meshes[m].rest == NULL)) {
            return LIM_ERROR_ARGUMENT;
        }
        for (int64_t i = 0; i < (int64_t)frame->triangle_count * 3; ++i) {
            if (frame->indices[i] >= (uint32_t)frame->vertex_count) {
                return LIM_ERROR_ARGUMENT;
            }
        }
        vertices += frame->vertex_count;
        triangles += frame->triangle_count;
    }
    return vertices <= INT32_MAX && triangles <= INT32_MAX ? LIM_OK : LIM_ERROR_TOO_LARGE;
}

lim_result geometry_make(arena* memory, const lim_picture* picture, geometry* out) {
    LIM_TRY(check_picture(picture));
    geometry g = {
        .picture = picture, .lower = v3(1e30f, 1e30f, 1e30f), .upper = v3(-1e30f, -1e30f, -1e30f)};
    g.width = picture->width * SAMPLES;
    g.height = picture->height * SAMPLES;
    if (!view_make(&picture->camera, (float)picture->width / (float)picture->height, &g.v)) {
        return LIM_ERROR_ARGUMENT;
    }
    g.first_vertex = ARENA_ARRAY(memory, int32_t, picture->mesh_count + 1);
    g.first_triangle = ARENA_ARRAY(memory, int32_t, picture->mesh_count + 1);
    if (g.first_vertex == NULL || g.first_triangle == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t m = 0; m < picture->mesh_count; ++m) {
        const lim_io_frame* frame = &picture->meshes[m].frame;
        g.first_vertex[m + 1] = g.first_vertex[m] + frame->vertex_count;
        g.first_triangle[m + 1] = g.first_triangle[m] + frame->triangle_count;
    }
    g.vertices = ARENA_ARRAY(memory, seen_vertex, g.first_vertex[picture->mesh_count]);
    LIM_TRY_MEMORY(g.vertices);
    for (int32_t m = 0; m < picture->mesh_count; ++m) {
        const lim_io_frame* frame = &picture->meshes[m].frame;
        for (int32_t i = 0; i < frame->vertex_count; ++i) {
            const float* position = frame->positions + 3 * (size_t)i;
            seen_vertex seen = see(&g, position);
            g.vertices[g.first_vertex[m] + i] = seen;
            if ((seen.code & NOT_FINITE) == 0) {
                lim_vec3 p = v3(position[0], position[1], position[2]);
                g.lower = v3_min(g.lower, p);
                g.upper = v3_max(g.upper, p);
            }
        }
    }
    *out = g;
    return LIM_OK;
}

/* Signed distance to a clip plane: near, then the guard's four sides. */
static double side(const geometry* g, int32_t plane, const double p[3]) {
    double wide = (double)(guard * g->v.tan_x) * p[2], tall = (double)(guard * g->v.tan_y) * p[2];
    switch (plane) {
    case 0:
        return p[2] - (double)g->v.near;
    case 1:
        return wide - p[0];
    case 2:
        return wide + p[0];
    case 3:
        return tall - p[1];
    default:
        return tall + p[1];
    }
}

static void draw_clipped(const geometry* g, const raster_grid* grid, const seen_vertex* corners[3],
                         int32_t id) {
    double polygon[2][9][3]; /* three corners, one more per plane */
    int32_t count = 3, from = 0;
    for (int32_t k = 0; k < 3; ++k) {
        polygon[0][k][0] = (double)corners[k]->at.x;
        polygon[0][k][1] = (double)corners[k]->at.y;
        polygon[0][k][2] = (double)corners[k]->at.z;
    }
    for (int32_t plane = 0; plane < 5 && count > 0; ++plane) {
        int32_t kept = 0;
        for (int32_t i = 0; i < count; ++i) {
            const double* a = polygon[from][i];
            const double* b = polygon[from][(i + 1) % count];
            double da = side(g, plane, a), db = side(g, plane, b);
            if (da >= 0.0 && kept < 9) {
                for (int32_t k = 0; k < 3; ++k) {
                    polygon[1 - from][kept][k] = a[k];
                }
                kept++;
            }
            if ((da >= 0.0) != (db >= 0.0) && kept < 9) {
                double s = da / (da - db); /* the signs differ: not zero */
                for (int32_t k = 0; k < 3; ++k) {
                    polygon[1 - from][kept][k] = a[k] + s * (b[k] - a[k]);
                }
                kept++;
            }
        }
        count = kept;
        from = 1 - from;
    }
    raster_corner fan[9];
    for (int32_t i = 0; i < count; ++i) {
        const double* p = polygon[from][i];
        double near = (double)g->v.near;
        fan[i] = project(g, p[0], p[1], p[2] > near ? p[2] : near);
    }
    for (int32_t i = 2; i < count; ++i) {
        raster_triangle(grid, fan[0], fan[i - 1], fan[i], id);
    }
}

static raster_corner corner_of(const seen_vertex* v) {
    return (raster_corner){v->x, v->y, v->inverse};
}

void geometry_draw(const geometry* g, const raster_grid* grid, bool veils) {
    for (int32_t m = 0; m < g->picture->mesh_count; ++m) {
        if (g->picture->meshes[m].see_through != veils) {
            continue;
        }
        const lim_io_frame* frame = &g->picture->meshes[m].frame;
        const seen_vertex* vertices = g->vertices + g->first_vertex[m];
        for (int32_t t = 0; t < frame->triangle_count; ++t) {
            const uint32_t* index = frame->indices + 3 * (size_t)t;
            const seen_vertex* corners[3] = {vertices + index[0], vertices + index[1],
                                             vertices + index[2]};
            uint32_t all = corners[0]->code & corners[1]->code & corners[2]->code;
            uint32_t any = corners[0]->code | corners[1]->code | corners[2]->code;
            if ((all & ~(uint32_t)FAR_ASIDE) != 0 || (any & NOT_FINITE) != 0) {
                continue;
            }
            int32_t id = g->first_triangle[m] + t;
            if ((any & (BEFORE_NEAR | FAR_ASIDE)) != 0) {
                draw_clipped(g, grid, corners, id);
            } else {
                raster_triangle(grid, corner_of(corners[0]), corner_of(corners[1]),
                                corner_of(corners[2]), id);
            }
        }
    }
}

int32_t geometry_mesh_of(const geometry* g, int32_t id, int32_t guess) {
    if (id >= g->first_triangle[guess] && id < g->first_triangle[guess + 1]) {
        return guess;
    }
    int32_t low = 0, high = g->picture->mesh_count - 1;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        if (g->first_triangle[middle] <= id) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

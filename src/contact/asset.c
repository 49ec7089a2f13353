/* SPDX-License-Identifier: MIT
 * Job: shapes of colliders that are arrays. In: the caller's arrays, or saved bytes. Out: a checked
 * copy with what its queries need, counted by reference.
 */
#include "contact/asset.h"

#include "base/hash.h"

#include <string.h>

#define FARTHEST 1e6f /* metres */

static bool in_range(float x) {
    return x >= -FARTHEST && x <= FARTHEST;
}

static lim_result refuse(const char* what, const char* cure, const char** out_what,
                         const char** out_cure) {
    *out_what = what;
    *out_cure = cure;
    return LIM_ERROR_ARGUMENT;
}

static lim_result check_points(const asset_source* f, const char** what, const char** cure) {
    bool hull = f->shape == LIM_SHAPE_HULL;
    if (f->points == NULL || f->point_count < (hull ? 4 : 3) ||
        f->point_count > (hull ? ASSET_HULL_POINTS : ASSET_MESH_POINTS)) {
        return refuse("points is null, or point_count is out of range",
                      hull ? "give a hull 4 to 1024 points"
                           : "give a mesh 3 to 4000000 points and their number",
                      what, cure);
    }
    for (int32_t i = 0; i < f->point_count; ++i) {
        if (!in_range(f->points[i].x) || !in_range(f->points[i].y) || !in_range(f->points[i].z)) {
            return refuse("points holds a value that is not finite or beyond 1e6",
                          "give metres up to 1e6", what, cure);
        }
    }
    return LIM_OK;
}

static lim_result check_triangles(const asset_source* f, const char** what, const char** cure) {
    if (f->indices == NULL || f->triangle_count < 1 || f->triangle_count > ASSET_MESH_TRIANGLES) {
        return refuse("indices is null, or triangle_count is out of range",
                      "give 1 to 4000000 triangles, three indices each", what, cure);
    }
    for (int64_t i = 0; i < 3 * (int64_t)f->triangle_count; ++i) {
        if (f->indices[i] >= (uint32_t)f->point_count) {
            return refuse("indices holds a number that is not below point_count",
                          "give indices of the points that are there", what, cure);
        }
    }
    return LIM_OK;
}

static lim_result check_heights(const asset_source* f, const char** what, const char** cure) {
    if (f->heights == NULL || f->columns < 2 || f->rows < 2 || f->columns > ASSET_GRID_SIDE ||
        f->rows > ASSET_GRID_SIDE) {
        return refuse("heights is null, or columns or rows is out of range",
                      "give a grid of 2 to 4096 columns and rows", what, cure);
    }
    if (!(f->step_x >= 1e-6f && f->step_x <= 1e5f && f->step_z >= 1e-6f && f->step_z <= 1e5f)) {
        return refuse("size.x or size.z, the spacing of heights, is out of range",
                      "give metres from 1e-6 to 1e5", what, cure);
    }
    for (int64_t i = 0; i < (int64_t)f->columns * f->rows; ++i) {
        if (!in_range(f->heights[i])) {
            return refuse("heights holds a value that is not finite or beyond 1e6",
                          "give metres up to 1e6", what, cure);
        }
    }
    return LIM_OK;
}

static lim_result check_source(const asset_source* f, const char** what, const char** cure) {
    if (f->shape == LIM_SHAPE_HEIGHTS) {
        return check_heights(f, what, cure);
    }
    LIM_TRY(check_points(f, what, cure));
    return f->shape == LIM_SHAPE_MESH ? check_triangles(f, what, cure) : LIM_OK;
}

/* Only what the shape uses is kept. */
static lim_result copy_source(collider_asset* a, const asset_source* f) {
    a->from.shape = f->shape;
    if (f->shape == LIM_SHAPE_HEIGHTS) {
        size_t count = (size_t)f->columns * (size_t)f->rows;
        float* heights = ARENA_ARRAY(&a->mem, float, count);
        LIM_TRY_MEMORY(heights);
        memcpy(heights, f->heights, count * sizeof *heights);
        a->from.heights = heights;
        a->from.columns = f->columns;
        a->from.rows = f->rows;
        a->from.step_x = f->step_x;
        a->from.step_z = f->step_z;
        return LIM_OK;
    }
    lim_vec3* points = ARENA_ARRAY(&a->mem, lim_vec3, f->point_count);
    LIM_TRY_MEMORY(points);
    memcpy(points, f->points, (size_t)f->point_count * sizeof *points);
    a->from.points = points;
    a->from.point_count = f->point_count;
    if (f->shape == LIM_SHAPE_MESH) {
        size_t count = 3 * (size_t)f->triangle_count;
        uint32_t* indices = ARENA_ARRAY(&a->mem, uint32_t, count);
        LIM_TRY_MEMORY(indices);
        memcpy(indices, f->indices, count * sizeof *indices);
        a->from.indices = indices;
        a->from.triangle_count = f->triangle_count;
    }
    return LIM_OK;
}

static lim_result build(collider_asset* a, const asset_source* from, const char** what,
                        const char** cure) {
    LIM_TRY(copy_source(a, from));
    switch (from->shape) {
    case LIM_SHAPE_HULL:
        LIM_TRY(hull_build(a, what, cure));
        break;
    case LIM_SHAPE_MESH:
        LIM_TRY(sheet_build(a, what, cure));
        break;
    default:
        LIM_TRY(heights_build(a));
        break;
    }
    stream s = stream_hash();
    asset_write(&s, a);
    a->hash = s.hash;
    return LIM_OK;
}

lim_result asset_make(const asset_source* from, const lim_host* host, collider_asset** out,
                      const char** out_what, const char** out_cure) {
    LIM_TRY(check_source(from, out_what, out_cure));
    collider_asset* a = mem_alloc(host, 1, sizeof *a);
    LIM_TRY_MEMORY(a);
    a->references = 1;
    arena_init(&a->mem, host);
    lim_result result = build(a, from, out_what, out_cure);
    if (result != LIM_OK) {
        asset_release(a);
        return result;
    }
    *out = a;
    return LIM_OK;
}

void asset_retain(collider_asset* a) {
    if (a != NULL) {
        a->references++;
    }
}

void asset_release(collider_asset* a) {
    if (a != NULL && --a->references == 0) {
        lim_host host = a->mem.host;
        arena_release(&a->mem);
        mem_free(&host, a, 1, sizeof *a);
    }
}

/* ---- bytes ------------------------------------------------------------------------------------
 */

static void stream_counts(stream* s, asset_source* f) {
    int32_t shape = (int32_t)f->shape;
    stream_i32(s, &shape);
    s->failed = s->failed || shape < LIM_SHAPE_HULL || shape > LIM_SHAPE_HEIGHTS;
    f->shape = s->failed ? LIM_SHAPE_HULL : (lim_shape)shape;
    stream_i32(s, &f->point_count);
    stream_i32(s, &f->triangle_count);
    stream_i32(s, &f->columns);
    stream_i32(s, &f->rows);
    stream_f32(s, &f->step_x);
    stream_f32(s, &f->step_z);
}

static bool counts_possible(const asset_source* f) {
    return f->point_count >= 0 && f->point_count <= ASSET_MESH_POINTS && f->triangle_count >= 0 &&
           f->triangle_count <= ASSET_MESH_TRIANGLES && f->columns >= 0 && f->rows >= 0 &&
           f->columns <= ASSET_GRID_SIDE && f->rows <= ASSET_GRID_SIDE;
}

/* The arrays are not written to but when reading, into memory of the reader's own. */
static void stream_source(stream* s, const asset_source* f) {
    stream_floats(s, (float*)f->points, 3 * (int64_t)f->point_count);
    stream_array(s, (uint32_t*)f->indices, 3 * (int64_t)f->triangle_count, sizeof(uint32_t));
    stream_floats(s, (float*)f->heights, (int64_t)f->columns * f->rows);
}

void asset_write(stream* s, const collider_asset* a) {
    asset_source f = a->from;
    stream_counts(s, &f);
    stream_source(s, &f);
}

lim_result asset_read(stream* s, const lim_host* host, collider_asset** out) {
    asset_source f = {0};
    stream_counts(s, &f);
    if (s->failed || !counts_possible(&f) ||
        !stream_has(s,
                    3 * ((int64_t)f.point_count + f.triangle_count) + (int64_t)f.columns * f.rows,
                    sizeof(float))) {
        return LIM_ERROR_FORMAT;
    }
    arena scratch;
    arena_init(&scratch, host);
    f.points = ARENA_ARRAY(&scratch, lim_vec3, f.point_count);
    f.indices = ARENA_ARRAY(&scratch, uint32_t, 3 * (size_t)f.triangle_count);
    f.heights = ARENA_ARRAY(&scratch, float, (size_t)f.columns*(size_t)f.rows);
    lim_result result = LIM_ERROR_MEMORY;
    if (f.points != NULL && f.indices != NULL && f.heights != NULL) {
        const char *what, *cure;
        stream_source(s, &f);
        result = s->failed ? LIM_ERROR_FORMAT : asset_make(&f, host, out, &what, &cure);
        result = result == LIM_ERROR_ARGUMENT ? LIM_ERROR_FORMAT : result;
    }
    arena_release(&scratch);
    return result;
}

/* ---- queries ----------------------------------------------------------------------------------
 */

double asset_distance(const collider_asset* a, lim_point at, lim_point* out_normal) {
    switch (a->from.shape) {
    case LIM_SHAPE_HULL:
        return hull_distance(a, at, out_normal);
    case LIM_SHAPE_MESH:
        return sheet_distance(a, at, out_normal);
    default:
        return heights_distance(a, at, out_normal);
    }
}

double asset_at_least(const collider_asset* a, lim_point at) {
    return a->from.shape == LIM_SHAPE_HEIGHTS ? heights_at_least(a, at) : -HUGE_VAL;
}

bool asset_parts(const collider_asset* a, lim_point from, lim_point to) {
    return a->from.shape == LIM_SHAPE_MESH && sheet_parts(a, from, to);
}

bool asset_sweep(const collider_asset* a, lim_point from, lim_point to, double* out_share,
                 lim_point* out_normal) {
    switch (a->from.shape) {
    case LIM_SHAPE_MESH:
        return sheet_sweep(a, from, to, out_share, out_normal);
    case LIM_SHAPE_HEIGHTS:
        return heights_sweep(a, from, to, out_share, out_normal);
    default:
        return false;
    }
}

/* SPDX-License-Identifier: MIT
 * Job: the debug lines and points. In: segments and discs in space, the picture's depths. Out:
 * blended pixels. Everything is sorted from far to near and blended with the exact distance to the
 * segment or disc as its coverage; what lies behind a surface is faint.
 */
#include "io/overlay.h"
#include "base/sort.h"

/* Opacity that is left behind a surface, and behind a veil. */
static const float HIDDEN = 0.2f, VEILED = 0.7f;

typedef struct overlay_target {
    lim_image* image;
    const float *depth, *veil;
    const view* v;
    float half_width; /* of a line, pixels */
} overlay_target;

typedef struct screen_point {
    float x, y, inverse; /* pixels from the top left corner, 1/distance */
} screen_point;

static screen_point project(const overlay_target* t, lim_vec3 at) {
    float inverse = 1.0f / at.z; /* at.z >= near: the callers have clipped */
    return (screen_point){(0.5f + 0.5f * at.x * inverse / t->v->tan_x) * (float)t->image->width,
                          (0.5f - 0.5f * at.y * inverse / t->v->tan_y) * (float)t->image->height,
                          inverse};
}

static void blend(const overlay_target* t, int32_t x, int32_t y, const float rgb[3], float alpha,
                  float inverse) {
    size_t index = (size_t)y * (size_t)t->image->width + (size_t)x;
    /* A half percent of the distance keeps what lies on a surface from flickering. */
    alpha *= inverse * 1.005f < t->depth[index]  ? HIDDEN
             : inverse * 1.005f < t->veil[index] ? VEILED
                                                 : 1.0f;
    uint8_t* pixel = t->image->rgba + 4 * index;
    for (int32_t k = 0; k < 3; ++k) {
        float mixed = (float)pixel[k] + (rgb[k] - (float)pixel[k]) * alpha + 0.5f;
        pixel[k] = (uint8_t)(mixed > 0.0f ? (mixed < 255.0f ? mixed : 255.0f) : 0.0f);
    }
}

static void unpack(uint32_t rgba, float rgb[3], float* alpha) {
    rgb[0] = (float)(rgba >> 24);
    rgb[1] = (float)(rgba >> 16 & 0xFF);
    rgb[2] = (float)(rgba >> 8 & 0xFF);
    *alpha = (float)(rgba & 0xFF) * (1.0f / 255.0f);
}

static int32_t to_pixel(float x, int32_t limit) {
    return x > 0.0f ? (x < (float)limit ? (int32_t)x : limit) : 0;
}

/* Cuts the segment to where from + s (to - from), s in [*low, *high], has a + s d >= 0. */
static void cut(float a, float d, float* low, float* high) {
    if (d > 0.0f) {
        float s = -a / d;
        *low = s > *low ? s : *low;
    } else if (d < 0.0f) {
        float s = -a / d;
        *high = s < *high ? s : *high;
    } else if (a < 0.0f) {
        *high = -1.0f;
    }
}

/* The part of a view-space segment that the picture can show. */
static bool clip(const overlay_target* t, lim_vec3* a, lim_vec3* b) {
    const float wide = 1.1f * t->v->tan_x, tall = 1.1f * t->v->tan_y;
    lim_vec3 d = v3_sub(*b, *a);
    float low = 0.0f, high = 1.0f;
    cut(a->z - t->v->near, d.z, &low, &high);
    cut(wide * a->z - a->x, wide * d.z - d.x, &low, &high);
    cut(wide * a->z + a->x, wide * d.z + d.x, &low, &high);
    cut(tall * a->z - a->y, tall * d.z - d.y, &low, &high);
    cut(tall * a->z + a->y, tall * d.z + d.y, &low, &high);
    if (!(low <= high)) {
        return false;
    }
    lim_vec3 from = *a;
    *a = v3_mad(from, d, low);
    *b = v3_mad(from, d, high);
    return a->z > 0.5f * t->v->near && b->z > 0.5f * t->v->near;
}

static void draw_line(const overlay_target* t, const lim_debug_line* line) {
    lim_vec3 a = view_point(t->v, line->a), b = view_point(t->v, line->b);
    if (!clip(t, &a, &b)) {
        return;
    }
    float rgb[3], alpha;
    unpack(line->rgba, rgb, &alpha);
    screen_point p = project(t, a), q = project(t, b);
    float dx = q.x - p.x, dy = q.y - p.y, length2 = dx * dx + dy * dy;
    float reach = t->half_width + 1.0f;
    bool steep = fabsf(dy) > fabsf(dx);
    float low = p.y < q.y ? p.y : q.y, high = p.y < q.y ? q.y : p.y;
    int32_t y0 = to_pixel(low - reach, t->image->height);
    int32_t y1 = to_pixel(high + reach + 1.0f, t->image->height);
    for (int32_t y = y0; y < y1; ++y) {
        /* The row's part of the line, widened by its slant. */
        float left = p.x < q.x ? p.x : q.x, right = p.x < q.x ? q.x : p.x;
        if (fabsf(dy) > 1e-3f) {
            float s = ((float)y + 0.5f - p.y) / dy, slant = fabsf(dx / dy);
            float middle = p.x + s * dx, half = steep ? 2.0f * reach : (1.0f + reach) * (slant + 1);
            left = middle - half > left ? middle - half : left;
            right = middle + half < right ? middle + half : right;
        }
        int32_t x0 = to_pixel(left - reach, t->image->width);
        int32_t x1 = to_pixel(right + reach + 1.0f, t->image->width);
        for (int32_t x = x0; x < x1; ++x) {
            float ex = (float)x + 0.5f - p.x, ey = (float)y + 0.5f - p.y;
            float s = length2 > 1e-6f ? (ex * dx + ey * dy) / length2 : 0.0f;
            s = s > 0.0f ? (s < 1.0f ? s : 1.0f) : 0.0f;
            ex -= s * dx;
            ey -= s * dy;
            float covered = t->half_width + 0.5f - sqrtf(ex * ex + ey * ey);
            if (covered > 0.0f) {
                covered = covered < 1.0f ? covered : 1.0f;
                blend(t, x, y, rgb, alpha * covered, p.inverse + s * (q.inverse - p.inverse));
            }
        }
    }
}

/* A disc shaded as a ball lit from the upper left, as wide as half the point's size. */
static void draw_point(const overlay_target* t, const lim_debug_point* point) {
    lim_vec3 at = view_point(t->v, point->at);
    if (!(at.z > t->v->near)) {
        return;
    }
    float rgb[3], alpha;
    unpack(point->rgba, rgb, &alpha);
    screen_point p = project(t, at);
    float size = point->size > 0.0f ? point->size : 0.0f;
    float radius = 0.125f * size * p.inverse / t->v->tan_y * (float)t->image->height;
    float least = 1.3f * t->half_width, most = 0.05f * (float)t->image->height;
    radius = radius > least ? (radius < most ? radius : most) : least;
    float inverse = 1.0f / (at.z - 0.25f * size > t->v->near ? at.z - 0.25f * size : t->v->near);
    int32_t x0 = to_pixel(p.x - radius - 1.0f, t->image->width);
    int32_t x1 = to_pixel(p.x + radius + 2.0f, t->image->width);
    int32_t y0 = to_pixel(p.y - radius - 1.0f, t->image->height);
    int32_t y1 = to_pixel(p.y + radius + 2.0f, t->image->height);
    for (int32_t y = y0; y < y1; ++y) {
        for (int32_t x = x0; x < x1; ++x) {
            float nx = ((float)x + 0.5f - p.x) / radius, ny = ((float)y + 0.5f - p.y) / radius;
            float off = nx * nx + ny * ny;
            float covered = radius + 0.5f - sqrtf(off) * radius;
            if (!(covered > 0.0f)) {
                continue;
            }
            float nz = sqrtf(off < 1.0f ? 1.0f - off : 0.0f);
            float light = -0.45f * nx - 0.60f * ny + 0.66f * nz;
            light = light > 0.0f ? light : 0.0f;
            float glint = light * light;
            glint = glint * glint * glint * 50.0f;
            float shade = 0.55f + 0.55f * light;
            const float lit[3] = {rgb[0] * shade + glint, rgb[1] * shade + glint,
                                  rgb[2] * shade + glint};
            blend(t, x, y, lit, alpha * (covered < 1.0f ? covered : 1.0f), inverse);
        }
    }
}

lim_result overlay_draw(arena* memory, lim_image* image, const lim_picture* picture, const view* v,
                        const float* depth, const float* veil) {
    int64_t total = (int64_t)picture->line_count + picture->point_count;
    if (total == 0) {
        return LIM_OK;
    }
    if (total > INT32_MAX) {
        return LIM_ERROR_TOO_LARGE;
    }
    sort_item* items = ARENA_ARRAY(memory, sort_item, total);
    sort_item* scratch = ARENA_ARRAY(memory, sort_item, total);
    if (items == NULL || scratch == NULL) {
        return LIM_ERROR_MEMORY;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < picture->line_count; ++i) {
        const lim_debug_line* line = &picture->lines[i];
        lim_vec3 middle = v3_scale(v3_add(line->a, line->b), 0.5f);
        double z = (double)view_point(v, middle).z;
        if (v3_finite(line->a) && v3_finite(line->b) && isfinite(z)) {
            items[count++] = (sort_item){sort_key_double(-z), i, 0};
        }
    }
    for (int32_t i = 0; i < picture->point_count; ++i) {
        double z = (double)view_point(v, picture->points[i].at).z;
        if (isfinite(z)) {
            items[count++] = (sort_item){sort_key_double(-z), i, 1};
        }
    }
    sort_items(items, scratch, count);
    overlay_target target = {image, depth, veil, v, 0.0f};
    target.half_width = 0.5f * (0.7f + (float)image->height / 800.0f);
    for (int32_t i = 0; i < count; ++i) {
        if (items[i].extra == 0) {
            draw_line(&target, &picture->lines[items[i].value]);
        } else {
            draw_point(&target, &picture->points[items[i].value]);
        }
    }
    return LIM_OK;
}

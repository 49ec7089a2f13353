/* SPDX-License-Identifier: MIT
 * Job: where a point of the skin lies in a stamp. In: the contact point and its normal, the point
 * and its own. Out: texel, share, displacement.
 */
#include "detail/stamp.h"

/* A point whose normal is this far towards that of the contact counts in full. */
#define FACING 0.3f
/* From this share of the depth on a point fades. */
#define DEPTH_FADES 0.5f
/* 1 + cos of the angle to the chosen normal at which tangents are trusted in full. */
#define TRUSTED 0.3f

/* 0 at 0 and below, 1 at 1 and above, smooth. */
static float smooth(float x) {
    x = x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
    return x * x * (3.0f - 2.0f * x);
}

lim_vec3 stamp_turn(lim_vec3 from, lim_vec3 to, lim_vec3 v) {
    lim_vec3 w = v3_cross(from, to);
    float c = 1.0f + v3_dot(from, to);
    lim_vec3 wv = v3_cross(w, v);
    lim_vec3 out = v3_add(v, wv);
    return c > 1e-6f ? v3_mad(out, v3_cross(w, wv), 1.0f / c) : v3_scale(v, -1.0f);
}

stamp_place stamp_at(const stamp_grid* g, lim_vec3 point, lim_vec3 normal) {
    stamp_place at = {.point = point};
    at.trust = smooth((1.0f + v3_dot(g->axis[2], normal)) / TRUSTED);
    at.axis[0] = stamp_turn(g->axis[2], normal, g->axis[0]);
    at.axis[1] = stamp_turn(g->axis[2], normal, g->axis[1]);
    at.axis[2] = normal;
    return at;
}

float stamp_near(const stamp_grid* g, const stamp_place* at, lim_vec3 point, lim_vec3 normal,
                 float texel[2]) {
    lim_vec3 way = v3_sub(point, at->point);
    float x = v3_dot(way, at->axis[0]), y = v3_dot(way, at->axis[1]);
    float away = sqrtf(x * x + y * y), deep = fabsf(v3_dot(way, at->axis[2]));
    texel[0] = 0.5f * (x / g->radius + 1.0f) * (float)(g->side - 1);
    texel[1] = 0.5f * (y / g->radius + 1.0f) * (float)(g->side - 1);
    if (!(away < g->radius && deep < g->depth)) {
        return 0.0f;
    }
    float facing = smooth(v3_dot(normal, at->axis[2]) / FACING);
    float inside = smooth((g->radius - away) / (g->radius - g->inner));
    float shallow = smooth((g->depth - deep) / (g->depth * (1.0f - DEPTH_FADES)));
    return at->trust * facing * inside * shallow;
}

lim_vec3 stamp_sample(const stamp_grid* g, const float* texels, const float texel[2]) {
    int32_t cell[2];
    float part[2];
    for (int k = 0; k < 2; ++k) {
        float last = (float)(g->side - 1), t = texel[k] > 0.0f ? texel[k] : 0.0f;
        t = t < last ? t : last;
        cell[k] = (int32_t)t;
        cell[k] = cell[k] < g->side - 2 ? cell[k] : g->side - 2;
        part[k] = t - (float)cell[k];
    }
    int32_t first = cell[1] * g->side + cell[0];
    lim_vec3 row[2];
    for (int k = 0; k < 2; ++k) {
        lim_vec3 a = detail_get(texels, first + k * g->side);
        lim_vec3 b = detail_get(texels, first + k * g->side + 1);
        row[k] = v3_mad(v3_scale(a, 1.0f - part[0]), b, part[0]);
    }
    return v3_mad(v3_scale(row[0], 1.0f - part[1]), row[1], part[1]);
}

lim_vec3 stamp_out(const stamp_place* at, lim_vec3 normal, lim_vec3 v) {
    lim_vec3 flat = v3_add(v3_scale(at->axis[0], v.x), v3_scale(at->axis[1], v.y));
    return stamp_turn(at->axis[2], normal, v3_mad(flat, at->axis[2], v.z));
}

lim_vec3 stamp_in(const stamp_place* at, lim_vec3 normal, lim_vec3 v) {
    lim_vec3 back = stamp_turn(normal, at->axis[2], v);
    return v3(v3_dot(back, at->axis[0]), v3_dot(back, at->axis[1]), v3_dot(back, at->axis[2]));
}

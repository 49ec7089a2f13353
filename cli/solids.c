/* SPDX-License-Identifier: MIT
 * Job: simple solids. In: a profile, half edges, triangles. Out: meshes with normals. Vertices are
 * not shared where the surface has an edge.
 */
#include "cli/solids.h"

#include "math/trig.h"
#include "math/vec3.h"

#include <string.h>

enum { SIDES = 32, BALL_RINGS = 13 };

/* Cosines of the angles up to which a surface looks smooth: of a profile, and of triangles. */
static const float SMOOTH_PROFILE = 0.707f, SMOOTH_FACES = 0.766f;

lim_vec3 solid_rotate(lim_quat q, lim_vec3 v) {
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 0.0f)) {
        return v;
    }
    /* v + 2 w (u x v) + 2 u x (u x v) */
    lim_vec3 u = v3(q.x / length, q.y / length, q.z / length);
    lim_vec3 c = v3_cross(u, v);
    return v3_mad(v3_mad(v, c, 2.0f * q.w / length), v3_cross(u, c), 2.0f);
}

/* Room for a mesh; its counts are set. */
typedef struct solid_arrays {
    float *positions, *normals, *colours;
    uint32_t* indices;
} solid_arrays;

static lim_result take_arrays(int32_t vertices, int32_t triangles, bool coloured, arena* memory,
                              solid_arrays* to, lim_draw_mesh* out) {
    to->positions = ARENA_ARRAY(memory, float, 3 * (int64_t)vertices);
    to->normals = ARENA_ARRAY(memory, float, 3 * (int64_t)vertices);
    to->colours = coloured ? ARENA_ARRAY(memory, float, 4 * (int64_t)vertices) : NULL;
    to->indices = ARENA_ARRAY(memory, uint32_t, 3 * (int64_t)triangles);
    if (to->positions == NULL || to->normals == NULL || (coloured && to->colours == NULL) ||
        to->indices == NULL) {
        return LIM_ERROR_MEMORY;
    }
    *out = (lim_draw_mesh){.frame = {.vertex_count = vertices,
                                     .triangle_count = triangles,
                                     .positions = to->positions,
                                     .normals = to->normals,
                                     .colours = to->colours,
                                     .indices = to->indices}};
    return LIM_OK;
}

static void put(float* to, lim_vec3 v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

/* ---- turned solids ---------------------------------------------------------------------------
 */

/* The normal of the profile between two rings, as (outwards, along). */
static void profile_normal(const solid_ring* a, const solid_ring* b, float out[2]) {
    float along = b->along - a->along, wider = b->radius - a->radius;
    float length = sqrtf(along * along + wider * wider);
    out[0] = length > 0.0f ? along / length : 1.0f;
    out[1] = length > 0.0f ? -wider / length : 0.0f;
}

/* At one end of a segment: with its neighbour's there when the profile is smooth. */
static void ring_normal(const solid_ring* rings, int32_t count, int32_t segment, int32_t end,
                        float out[2]) {
    float own[2], other[2];
    int32_t beside = end == 0 ? segment - 1 : segment + 1;
    profile_normal(&rings[segment], &rings[segment + 1], own);
    out[0] = own[0];
    out[1] = own[1];
    if (beside >= 0 && beside + 1 < count) {
        profile_normal(&rings[beside], &rings[beside + 1], other);
        if (own[0] * other[0] + own[1] * other[1] > SMOOTH_PROFILE) {
            out[0] += other[0];
            out[1] += other[1];
        }
    }
}

lim_result solid_turned(lim_vec3 foot, lim_vec3 axis, const solid_ring* rings, int32_t count,
                        arena* memory, lim_draw_mesh* out) {
    *out = (lim_draw_mesh){0};
    if (count < 2 || count > SOLID_RINGS_MOST) {
        return LIM_ERROR_ARGUMENT;
    }
    int32_t segments = count - 1;
    solid_arrays to;
    lim_result result =
        take_arrays(2 * SIDES * segments, 2 * SIDES * segments, true, memory, &to, out);
    if (result != LIM_OK) {
        return result;
    }
    lim_vec3 up = v3_unit(axis, v3(0, 1, 0));
    lim_vec3 u = v3_unit(v3_cross(up, fabsf(up.y) < 0.9f ? v3(0, 1, 0) : v3(1, 0, 0)), v3(1, 0, 0));
    lim_vec3 v = v3_cross(up, u);
    uint32_t* index = to.indices;
    for (int32_t s = 0; s < segments; ++s) {
        for (int32_t end = 0; end < 2; ++end) {
            const solid_ring* ring = &rings[s + end];
            float bend[2];
            ring_normal(rings, count, s, end, bend);
            for (int32_t i = 0; i < SIDES; ++i) {
                double angle = 2.0 * TRIG_PI * i / SIDES;
                lim_vec3 away =
                    v3_mad(v3_scale(u, (float)trig_cos(angle)), v, (float)trig_sin(angle));
                size_t at = (size_t)((2 * s + end) * SIDES + i);
                put(to.positions + 3 * at,
                    v3_mad(v3_mad(foot, up, ring->along), away, ring->radius));
                put(to.normals + 3 * at,
                    v3_unit(v3_mad(v3_scale(away, bend[0]), up, bend[1]), away));
                put(to.colours + 4 * at, ring->colour);
                to.colours[4 * at + 3] = 1.0f;
            }
        }
        for (uint32_t i = 0; i < SIDES; ++i) {
            uint32_t first = (uint32_t)(2 * s * SIDES), next = (i + 1) % SIDES;
            uint32_t a = first + i, b = first + next, c = b + SIDES, d = a + SIDES;
            const uint32_t both[6] = {a, b, c, a, c, d};
            memcpy(index, both, sizeof both);
            index += 6;
        }
    }
    return LIM_OK;
}

int32_t solid_ball(float along, float radius, float from, lim_vec3 colour, solid_ring* out) {
    int32_t count = 0;
    for (int32_t i = 0; i < BALL_RINGS; ++i) {
        double angle = TRIG_PI * i / (BALL_RINGS - 1);
        float at = along - radius * (float)trig_cos(angle);
        if (at >= from) {
            float wide = i == 0 || i == BALL_RINGS - 1 ? 0.0f : radius * (float)trig_sin(angle);
            out[count++] = (solid_ring){at, wide, colour};
        }
    }
    return count;
}

/* ---- blocks ----------------------------------------------------------------------------------
 */

typedef struct block_writer {
    solid_arrays to;
    int32_t triangles;
} block_writer;

/* A triangle of vertices, turned so that it looks where their normals do. */
static void add_outward(block_writer* w, uint32_t a, uint32_t b, uint32_t c) {
    lim_vec3 p[3], look = {0};
    const uint32_t corner[3] = {a, b, c};
    for (int32_t k = 0; k < 3; ++k) {
        const float* at = w->to.positions + 3 * (size_t)corner[k];
        const float* n = w->to.normals + 3 * (size_t)corner[k];
        p[k] = v3(at[0], at[1], at[2]);
        look = v3_add(look, v3(n[0], n[1], n[2]));
    }
    bool outward = v3_dot(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])), look) > 0.0f;
    uint32_t* index = w->to.indices + 3 * (size_t)w->triangles++;
    index[0] = a;
    index[1] = outward ? b : c;
    index[2] = outward ? c : b;
}

static void add_square(block_writer* w, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    add_outward(w, a, b, c);
    add_outward(w, a, c, d);
}

/* Vertex 3 corner + axis lies on the face across `axis`, next to a corner of the block whose bits
 * are its sides. Faces, edges and corners are what lies between them. */
lim_result solid_block(lim_vec3 middle, lim_quat turn, lim_vec3 half, float bevel, lim_vec3 colour,
                       arena* memory, lim_draw_mesh* out) {
    block_writer w = {.triangles = 0};
    lim_result result = take_arrays(24, 44, false, memory, &w.to, out);
    if (result != LIM_OK) {
        return result;
    }
    out->colour = colour;
    const float edge[3] = {half.x, half.y, half.z};
    for (uint32_t corner = 0; corner < 8; ++corner) {
        for (uint32_t axis = 0; axis < 3; ++axis) {
            float at[3], n[3] = {0.0f, 0.0f, 0.0f};
            for (uint32_t k = 0; k < 3; ++k) {
                float side = corner >> k & 1 ? 1.0f : -1.0f;
                float inner = edge[k] > bevel ? edge[k] - bevel : 0.0f;
                at[k] = side * (k == axis ? edge[k] : inner);
                n[k] = k == axis ? side : 0.0f;
            }
            size_t to = 3 * (size_t)(3 * corner + axis);
            put(w.to.positions + to, v3_add(middle, solid_rotate(turn, v3(at[0], at[1], at[2]))));
            put(w.to.normals + to, solid_rotate(turn, v3(n[0], n[1], n[2])));
        }
    }
    for (uint32_t axis = 0; axis < 3; ++axis) {
        uint32_t b = 1u << (axis + 1) % 3, c = 1u << (axis + 2) % 3;
        for (uint32_t side = 0; side < 2; ++side) {
            uint32_t first = side << axis;
            add_square(&w, 3 * first + axis, 3 * (first | b) + axis, 3 * (first | b | c) + axis,
                       3 * (first | c) + axis);
        }
        /* the four edges along this axis lie between the faces across the two others */
        uint32_t across = (axis + 1) % 3, other = (axis + 2) % 3;
        for (uint32_t k = 0; k < 4; ++k) {
            uint32_t from = (k & 1 ? b : 0) | (k & 2 ? c : 0), to = from | 1u << axis;
            add_square(&w, 3 * from + across, 3 * from + other, 3 * to + other, 3 * to + across);
        }
    }
    for (uint32_t corner = 0; corner < 8; ++corner) {
        add_outward(&w, 3 * corner, 3 * corner + 1, 3 * corner + 2);
    }
    return LIM_OK;
}

/* ---- triangles -------------------------------------------------------------------------------
 */

/* Twice the area along the normal. */
static lim_vec3 face_of(const lim_vec3* points, const uint32_t* index) {
    lim_vec3 a = points[index[0]];
    return v3_cross(v3_sub(points[index[1]], a), v3_sub(points[index[2]], a));
}

/* The triangles at each point, one list after the other; first[p] to first[p + 1] are those of p.
 */
static lim_result list_faces(const uint32_t* indices, int32_t triangle_count, int32_t point_count,
                             arena* memory, int32_t** out_first, int32_t** out_list) {
    int32_t* first = ARENA_ARRAY(memory, int32_t, (int64_t)point_count + 2);
    int32_t* list = ARENA_ARRAY(memory, int32_t, 3 * (int64_t)triangle_count);
    if (first == NULL || list == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < 3 * (int64_t)triangle_count; ++i) {
        first[indices[i] + 2]++;
    }
    for (int32_t p = 0; p < point_count; ++p) {
        first[p + 2] += first[p + 1];
    }
    for (int64_t i = 0; i < 3 * (int64_t)triangle_count; ++i) {
        list[first[indices[i] + 1]++] = (int32_t)(i / 3);
    }
    *out_first = first;
    *out_list = list;
    return LIM_OK;
}

lim_result solid_faces(const lim_vec3* points, int32_t point_count, const uint32_t* indices,
                       int32_t triangle_count, lim_vec3 colour, arena* memory, lim_draw_mesh* out) {
    solid_arrays to;
    int32_t *first = NULL, *list = NULL;
    lim_result result = take_arrays(3 * triangle_count, triangle_count, false, memory, &to, out);
    if (result == LIM_OK) {
        result = list_faces(indices, triangle_count, point_count, memory, &first, &list);
    }
    if (result != LIM_OK) {
        return result;
    }
    out->colour = colour;
    for (int64_t i = 0; i < 3 * (int64_t)triangle_count; ++i) {
        lim_vec3 own = v3_unit(face_of(points, indices + i / 3 * 3), v3(0, 1, 0)), sum = {0};
        for (int32_t k = first[indices[i]]; k < first[indices[i] + 1]; ++k) {
            lim_vec3 face = face_of(points, indices + 3 * (size_t)list[k]);
            if (v3_dot(face, own) > SMOOTH_FACES * v3_length(face)) {
                sum = v3_add(sum, face);
            }
        }
        put(to.positions + 3 * i, points[indices[i]]);
        put(to.normals + 3 * i, v3_unit(sum, own));
        to.indices[i] = (uint32_t)i;
    }
    return LIM_OK;
}

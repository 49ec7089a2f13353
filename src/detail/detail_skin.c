/* SPDX-License-Identifier: MIT
 * Job: detail added to a deformed skin. In: displacements per point in the axes of the rest shape,
 * the skin without them. Out: positions, normals and tangents with them.
 */
#include "detail/detail_skin.h"

#include <string.h>

static lim_vec3 load(const float* from, int32_t i) {
    return v3(from[3 * (size_t)i], from[3 * (size_t)i + 1], from[3 * (size_t)i + 2]);
}

static void store(float* to, int32_t i, lim_vec3 v) {
    to[3 * (size_t)i] = v.x;
    to[3 * (size_t)i + 1] = v.y;
    to[3 * (size_t)i + 2] = v.z;
}

static lim_vec3 rest_of(const detail_skin* s, int32_t i) {
    return v3(s->rest[0][i], s->rest[1][i], s->rest[2][i]);
}

/* The part of `way` across a unit normal, as a unit vector; 0 where there is none. */
static lim_vec3 across(lim_vec3 way, lim_vec3 normal) {
    lim_vec3 flat = v3_mad(way, normal, -v3_dot(way, normal));
    float least = 1e-3f * v3_length(way);
    return v3_length(flat) > least ? v3_unit(flat, v3(0, 0, 0)) : v3(0, 0, 0);
}

/* Triangles by point, and for each point the neighbour that its frame looks at: that of the longest
 * edge across the normal. */
static void fill_fans(detail_skin* s) {
    for (int32_t i = 0; i < 3 * s->triangle_count; ++i) {
        s->fan_start[s->triangle[i] + 1]++;
    }
    for (int32_t i = 0; i < s->point_count; ++i) {
        s->fan_start[i + 1] += s->fan_start[i];
        s->toward[i] = i;
    }
    for (int32_t i = 3 * s->triangle_count - 1; i >= 0; --i) {
        s->fan[--s->fan_start[s->triangle[i] + 1]] = i / 3;
    }
    memmove(s->fan_start, s->fan_start + 1, (size_t)s->point_count * sizeof *s->fan_start);
    s->fan_start[s->point_count] = 3 * s->triangle_count;
}

static void choose_neighbours(detail_skin* s) {
    for (int32_t i = 0; i < s->point_count; ++i) {
        float longest = 0.0f;
        for (int32_t k = s->fan_start[i]; k < s->fan_start[i + 1]; ++k) {
            for (int c = 0; c < 3; ++c) {
                int32_t other = s->triangle[3 * (size_t)s->fan[k] + (size_t)c];
                lim_vec3 way = v3_sub(rest_of(s, other), rest_of(s, i));
                float length = v3_length(v3_mad(way, s->normal[i], -v3_dot(way, s->normal[i])));
                if (length > longest) {
                    longest = length;
                    s->toward[i] = other;
                    s->tangent[i] = across(way, s->normal[i]);
                }
            }
        }
    }
}

lim_result detail_skin_build(arena* a, const float* positions, int32_t point_count,
                             const int32_t* vertex_point, const float* normals,
                             int32_t vertex_count, const int32_t* triangles, int32_t triangle_count,
                             detail_skin* out) {
    detail_skin s = {
        .point_count = point_count, .vertex_count = vertex_count, .triangle_count = triangle_count};
    for (int k = 0; k < 3; ++k) {
        LIM_TRY_MEMORY(s.rest[k] = ARENA_ARRAY(a, float, point_count));
    }
    LIM_TRY_MEMORY(s.normal = ARENA_ARRAY(a, lim_vec3, point_count));
    LIM_TRY_MEMORY(s.tangent = ARENA_ARRAY(a, lim_vec3, point_count));
    LIM_TRY_MEMORY(s.toward = ARENA_ARRAY(a, int32_t, point_count));
    LIM_TRY_MEMORY(s.point_vertex = ARENA_ARRAY(a, int32_t, point_count));
    LIM_TRY_MEMORY(s.vertex_point = ARENA_ARRAY(a, int32_t, vertex_count));
    LIM_TRY_MEMORY(s.triangle = ARENA_ARRAY(a, int32_t, 3 * (size_t)triangle_count));
    LIM_TRY_MEMORY(s.fan_start = ARENA_ARRAY(a, int32_t, point_count + 1));
    LIM_TRY_MEMORY(s.fan = ARENA_ARRAY(a, int32_t, 3 * (size_t)triangle_count));
    memcpy(s.vertex_point, vertex_point, (size_t)vertex_count * sizeof *vertex_point);
    memcpy(s.triangle, triangles, 3 * (size_t)triangle_count * sizeof *triangles);
    for (int32_t i = 0; i < point_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            s.rest[k][i] = positions[3 * (size_t)i + (size_t)k];
        }
        s.point_vertex[i] = -1;
    }
    for (int32_t v = vertex_count - 1; v >= 0; --v) {
        s.point_vertex[vertex_point[v]] = v;
        s.normal[vertex_point[v]] = load(normals, v);
    }
    fill_fans(&s);
    choose_neighbours(&s);
    *out = s;
    return LIM_OK;
}

void detail_add(const detail_skin* s, const detail_layer* l, float* sum) {
    for (int32_t i = 0; i < s->point_count; ++i) {
        float texel[2], near = 0.0f;
        lim_vec3 add = detail_get(l->vector, i);
        if (l->texels != NULL) {
            near = stamp_near(l->grid, &l->place, rest_of(s, i), s->normal[i], texel);
        }
        if (near > 0.0f) {
            lim_vec3 stamped = stamp_sample(l->grid, l->texels, texel);
            stamped = stamp_out(&l->place, s->normal[i], stamped);
            add = v3_mad(v3_scale(add, 1.0f - near), stamped, near);
        }
        add = l->window != NULL ? v3_scale(add, l->window[i]) : add;
        detail_set(sum, i, v3_add(detail_get(sum, i), add));
    }
}

lim_result detail_room_create(arena* a, const detail_skin* s, detail_room* out) {
    LIM_TRY_MEMORY(out->move = ARENA_ARRAY(a, lim_vec3, s->point_count));
    LIM_TRY_MEMORY(out->before = ARENA_ARRAY(a, lim_vec3, s->triangle_count));
    LIM_TRY_MEMORY(out->after = ARENA_ARRAY(a, lim_vec3, s->triangle_count));
    return LIM_OK;
}

/* The frames of a point at rest and now: tangent, across, normal. False where there is no tangent:
 * then only the normals count. */
static bool point_frames(const detail_skin* s, int32_t i, const float* positions,
                         const float* normals, lim_vec3 rest[3], lim_vec3 now[3]) {
    int32_t own = s->point_vertex[i], other = s->point_vertex[s->toward[i]];
    rest[2] = s->normal[i];
    now[2] = own >= 0 ? load(normals, own) : rest[2];
    if (own < 0 || other < 0) {
        return false;
    }
    rest[0] = s->tangent[i];
    now[0] = across(v3_sub(load(positions, other), load(positions, own)), now[2]);
    rest[1] = v3_cross(rest[2], rest[0]);
    now[1] = v3_cross(now[2], now[0]);
    return v3_dot(rest[0], rest[0]) > 0.0f && v3_dot(now[0], now[0]) > 0.0f;
}

/* v as its parts along `from`, put along `to`. */
static lim_vec3 reframe(lim_vec3 v, const lim_vec3 from[3], const lim_vec3 to[3]) {
    lim_vec3 out = v3_scale(to[0], v3_dot(v, from[0]));
    out = v3_mad(out, to[1], v3_dot(v, from[1]));
    return v3_mad(out, to[2], v3_dot(v, from[2]));
}

static lim_vec3 turned(const detail_skin* s, int32_t i, lim_vec3 v, const float* positions,
                       const float* normals) {
    lim_vec3 rest[3], now[3];
    if (s->point_vertex[i] < 0 || s->point_vertex[s->toward[i]] < 0) {
        return v3(0, 0, 0);
    }
    return point_frames(s, i, positions, normals, rest, now) ? reframe(v, rest, now)
                                                             : stamp_turn(rest[2], now[2], v);
}

lim_vec3 detail_to_rest(const detail_skin* s, int32_t i, lim_vec3 v, const float* positions,
                        const float* normals) {
    lim_vec3 rest[3], now[3];
    if (s->point_vertex[i] < 0 || s->point_vertex[s->toward[i]] < 0) {
        return v3(0, 0, 0);
    }
    return point_frames(s, i, positions, normals, rest, now) ? reframe(v, now, rest)
                                                             : stamp_turn(now[2], rest[2], v);
}

static bool is_zero(lim_vec3 v) {
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

/* Normals of triangles without and with detail; equal where no corner moves. */
static void triangle_normals(const detail_skin* s, const detail_room* room,
                             const float* positions) {
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        const int32_t* p = s->triangle + 3 * (size_t)t;
        lim_vec3 at[3];
        for (int k = 0; k < 3; ++k) {
            int32_t v = s->point_vertex[p[k]];
            at[k] = v < 0 ? rest_of(s, p[k]) : load(positions, v);
        }
        room->before[t] = v3_cross(v3_sub(at[1], at[0]), v3_sub(at[2], at[0]));
        lim_vec3 b = room->move[p[0]], c = room->move[p[1]], d = room->move[p[2]];
        if (is_zero(b) && is_zero(c) && is_zero(d)) {
            room->after[t] = room->before[t];
            continue;
        }
        lim_vec3 from = v3_add(at[0], b);
        room->after[t] = v3_cross(v3_sub(v3_add(at[1], c), from), v3_sub(v3_add(at[2], d), from));
    }
}

/* The unit normals about a point; false where nothing about it moves or it has none. */
static bool point_normals(const detail_skin* s, const detail_room* room, int32_t i,
                          lim_vec3* before, lim_vec3* after) {
    *before = *after = v3(0, 0, 0);
    bool moves = false;
    for (int32_t k = s->fan_start[i]; k < s->fan_start[i + 1]; ++k) {
        lim_vec3 a = room->before[s->fan[k]], b = room->after[s->fan[k]];
        moves = moves || a.x != b.x || a.y != b.y || a.z != b.z;
        *before = v3_add(*before, a);
        *after = v3_add(*after, b);
    }
    if (!moves) {
        return false;
    }
    *before = v3_unit(*before, v3(0, 0, 0));
    *after = v3_unit(*after, v3(0, 0, 0));
    return !is_zero(*before) && !is_zero(*after);
}

void detail_move(const detail_skin* s, const float* sum, float scale, const detail_room* room,
                 float* positions, float* normals, float* tangents) {
    for (int32_t i = 0; i < s->point_count; ++i) {
        lim_vec3 v = detail_get(sum, i);
        room->move[i] = is_zero(v) ? v : v3_scale(turned(s, i, v, positions, normals), scale);
    }
    triangle_normals(s, room, positions);
    for (int32_t v = 0; v < s->vertex_count; ++v) {
        int32_t i = s->vertex_point[v];
        lim_vec3 before, after;
        if (!is_zero(room->move[i])) {
            store(positions, v, v3_add(load(positions, v), room->move[i]));
        }
        if (!point_normals(s, room, i, &before, &after)) {
            continue;
        }
        lim_vec3 n = load(normals, v);
        store(normals, v, v3_unit(stamp_turn(before, after, n), n));
        if (tangents != NULL) {
            float* t = tangents + 4 * (size_t)v;
            lim_vec3 now = stamp_turn(before, after, v3(t[0], t[1], t[2]));
            t[0] = now.x;
            t[1] = now.y;
            t[2] = now.z;
        }
    }
}

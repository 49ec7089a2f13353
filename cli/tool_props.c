/* SPDX-License-Identifier: MIT
 * Job: tools as meshes. In: a tool of a film. Out: small solids in the world. They have the size
 * that reads well beside the body; where they are is where the tool acts.
 */
#include "cli/tool_props.h"

#include "cli/solids.h"
#include "math/vec3.h"

#include <math.h>

static const lim_vec3 STEEL = {0.50f, 0.53f, 0.57f}, HEAD = {0.60f, 0.03f, 0.04f};
static const lim_vec3 BRASS = {0.62f, 0.42f, 0.12f}, BONE = {0.80f, 0.74f, 0.60f};
static const lim_vec3 HANDLE = {0.16f, 0.07f, 0.035f}, GLASS = {0.45f, 0.62f, 0.80f};

static float between(float low, float x, float high) {
    return x < low ? low : x > high ? high : x;
}

/* A place of the tool's own frame in the world. */
static lim_vec3 place(const film_tool* t, lim_vec3 own) {
    return v3_add(t->position, solid_rotate(t->rotation, own));
}

/* ---- pins ------------------------------------------------------------------------------------
 */

static lim_result add_bone(const film_tool* t, arena* memory, lim_draw_mesh* out, int32_t* count) {
    lim_draw_mesh* to = &out[(*count)++];
    if (t->shape == LIM_SHAPE_BOX) {
        return solid_block(t->position, t->rotation, t->size, 0.1f * t->size.x, BONE, memory, to);
    }
    float half = t->shape == LIM_SHAPE_CAPSULE ? t->size.y : 0.0f;
    solid_ring rings[SOLID_RINGS_MOST];
    int32_t n = solid_ball(-half, t->size.x, -INFINITY, BONE, rings) / 2 + 1;
    n += solid_ball(half, t->size.x, half, BONE, rings + n);
    return solid_turned(t->position, solid_rotate(t->rotation, v3(0, 1, 0)), rings, n, memory, to);
}

/* A needle from the middle of what is held, and its head outside of the skin. */
static lim_result add_pin(const film_tool* t, const film_hold* hold, arena* memory,
                          lim_draw_mesh* out, int32_t* count) {
    float head = between(0.022f * hold->size, 0.3f * t->size.x, 0.04f * hold->size);
    float skin = hold->depth, top = skin + 2.2f * head;
    float foot = skin > 0.0f ? 0.0f : skin - 0.5f * t->size.x;
    solid_ring rings[SOLID_RINGS_MOST];
    int32_t n = 0;
    rings[n++] = (solid_ring){foot, 0.0f, STEEL};
    rings[n++] = (solid_ring){foot + 1.5f * head, 0.24f * head, STEEL};
    rings[n++] = (solid_ring){fmaxf(top - head, foot + 1.6f * head), 0.24f * head, STEEL};
    n += solid_ball(top, head, top - 0.97f * head, HEAD, rings + n);
    return solid_turned(t->position, solid_rotate(t->rotation, hold->out), rings, n, memory,
                        &out[(*count)++]);
}

/* One block of a clamp, between two corners in the pin's frame. */
static lim_result add_jaw(const film_tool* t, const float low[3], const float high[3],
                          arena* memory, lim_draw_mesh* out, int32_t* count) {
    lim_vec3 half =
        v3(0.5f * (high[0] - low[0]), 0.5f * (high[1] - low[1]), 0.5f * (high[2] - low[2]));
    lim_vec3 middle =
        v3(0.5f * (high[0] + low[0]), 0.5f * (high[1] + low[1]), 0.5f * (high[2] + low[2]));
    float least = fminf(half.x, fminf(half.y, half.z));
    return solid_block(place(t, middle), t->rotation, half, 0.35f * least, STEEL, memory,
                       &out[(*count)++]);
}

/* Jaws on both sides of what is held along every axis on which the body ends: a collar about a
 * wrist, a peg at the corner of a cloth. Where the body goes on the collar sits at its border and
 * is no longer than wide. A body that is held all over is shown in a glass block. */
static lim_result add_clamp(const film* f, const film_tool* t, const film_hold* hold, arena* memory,
                            lim_draw_mesh* out, int32_t* count) {
    float low[3] = {hold->lower.x, hold->lower.y, hold->lower.z};
    float high[3] = {hold->upper.x, hold->upper.y, hold->upper.z};
    bool ends[3];
    float thin = INFINITY;
    int32_t ending = 0;
    for (int32_t k = 0; k < 3; ++k) {
        ends[k] = !hold->goes_on[k][0] && !hold->goes_on[k][1];
        ending += ends[k];
        thin = ends[k] ? fminf(thin, high[k] - low[k]) : thin;
    }
    if (ending == 0 || ending == 3) {
        const lim_vec3 middle = v3_scale(v3_add(hold->lower, hold->upper), 0.5f);
        lim_vec3 half = v3_scale(v3_sub(hold->upper, hold->lower), 0.5f);
        lim_draw_mesh* to = &out[(*count)++];
        lim_result result = solid_block(
            place(t, middle), t->rotation,
            v3_add(half, v3(0.006f * hold->size, 0.006f * hold->size, 0.006f * hold->size)),
            0.01f * hold->size, GLASS, memory, to);
        to->see_through = true;
        return result;
    }
    float thick = between(0.018f * hold->size, 0.16f * thin, 0.035f * hold->size);
    for (int32_t k = 0; k < 3 && ending == 2; ++k) {
        float most = between(0.03f * hold->size, 0.5f * thin, 0.05f * hold->size);
        bool below = hold->goes_on[k][0], above = hold->goes_on[k][1];
        if (below != above) {
            /* what stands on the ground is held there, all else where the body goes on */
            float free_end = below ? high[k] : low[k];
            const float own[3] = {k == 0 ? free_end : 0.0f, k == 1 ? free_end : 0.0f,
                                  k == 2 ? free_end : 0.0f};
            float height = place(t, v3(own[0], own[1], own[2])).y - f->ground_height;
            bool stands = f->ground && fabsf(height) < 0.03f * hold->size;
            if (below != stands) {
                high[k] = fminf(high[k], low[k] + most);
            } else {
                low[k] = fmaxf(low[k], high[k] - most);
            }
        }
    }
    int32_t first = ends[0] ? 0 : ends[1] ? 1 : 2; /* its jaws reach over those of the second */
    for (int32_t k = 0; k < 3; ++k) {
        for (int32_t side = 0; side < 2 && ends[k]; ++side) {
            float a[3] = {low[0], low[1], low[2]}, b[3] = {high[0], high[1], high[2]};
            for (int32_t other = 0; other < 3; ++other) {
                if (k == first && other != k && ends[other]) {
                    a[other] -= thick;
                    b[other] += thick;
                }
            }
            a[k] = side == 0 ? low[k] - thick : high[k];
            b[k] = a[k] + thick;
            lim_result result = add_jaw(t, a, b, memory, out, count);
            if (result != LIM_OK) {
                return result;
            }
        }
    }
    return LIM_OK;
}

/* ---- grabs and blades ------------------------------------------------------------------------
 */

/* A rod from the held place to where it is drawn, with a cup on the skin and a knob at its end. */
static lim_result add_grab(const film_tool* t, arena* memory, lim_draw_mesh* out, int32_t* count) {
    float size = 0.022f * t->size.x;
    lim_vec3 way = v3_sub(t->to, t->from);
    float length = v3_length(way);
    if (!(length > 2.0f * size)) { /* not drawn away yet: the knob stands on the skin */
        way = v3(0, 1, 0);
        length = 0.0f;
    }
    float top = fmaxf(length, 2.5f * size);
    solid_ring rings[SOLID_RINGS_MOST];
    int32_t n = 0;
    rings[n++] = (solid_ring){-0.4f * size, 0.0f, BRASS};
    rings[n++] = (solid_ring){-0.4f * size, 1.3f * size, BRASS};
    rings[n++] = (solid_ring){0.3f * size, 1.3f * size, BRASS};
    rings[n++] = (solid_ring){0.7f * size, 0.45f * size, BRASS};
    rings[n++] = (solid_ring){0.7f * size, 0.3f * size, STEEL};
    rings[n++] = (solid_ring){top - 0.95f * size, 0.3f * size, STEEL};
    n += solid_ball(top, size, top - 0.95f * size, BRASS, rings + n);
    return solid_turned(t->from, way, rings, n, memory, &out[(*count)++]);
}

/* A sheet behind the edge, the edge itself, and a handle on the side of `to`. */
static lim_result add_blade(const film_tool* t, arena* memory, lim_draw_mesh* out, int32_t* count) {
    lim_vec3 along = v3_sub(t->to, t->from);
    float length = v3_length(along), edge = 0.004f * t->size.x;
    if (!(length > 0.0f)) {
        return LIM_OK;
    }
    along = v3_scale(along, 1.0f / length);
    lim_vec3 ahead = v3_unit(v3_mad(t->forward, along, -v3_dot(t->forward, along)), v3(0, 0, 0));
    float wide = between(0.05f * t->size.x, 0.28f * length, 0.16f * t->size.x);
    lim_vec3 back = v3_scale(ahead, -wide);
    float grip = 0.20f * t->size.x, thick = 0.018f * t->size.x;
    const lim_vec3 corner[4] = {t->from, t->to, v3_add(t->to, back),
                                v3_mad(v3_add(t->from, back), along, fminf(wide, 0.3f * length))};
    static const uint32_t faces[6] = {0, 1, 2, 0, 2, 3};
    lim_draw_mesh* sheet = &out[(*count)++];
    lim_result result = solid_faces(corner, 4, faces, 2, GLASS, memory, sheet);
    sheet->see_through = true;
    const solid_ring rod[4] = {{0.0f, 0.0f, STEEL},
                               {0.02f * length, edge, STEEL},
                               {length, edge, STEEL},
                               {length, 0.0f, STEEL}};
    if (result == LIM_OK) {
        result = solid_turned(t->from, along, rod, 4, memory, &out[(*count)++]);
    }
    if (result != LIM_OK) {
        return result;
    }
    solid_ring rings[SOLID_RINGS_MOST];
    int32_t n = 0;
    rings[n++] = (solid_ring){0.0f, 0.0f, STEEL};
    rings[n++] = (solid_ring){0.0f, 1.25f * thick, STEEL};
    rings[n++] = (solid_ring){0.12f * grip, 1.25f * thick, STEEL};
    rings[n++] = (solid_ring){0.12f * grip, 0.85f * thick, HANDLE};
    rings[n++] = (solid_ring){0.5f * grip, 1.1f * thick, HANDLE};
    n += solid_ball(grip, thick, grip, HANDLE, rings + n);
    return solid_turned(v3_mad(t->to, back, 0.5f), along, rings, n, memory, &out[(*count)++]);
}

lim_result tool_props_make(const film* f, const film_tool* t, arena* memory, lim_draw_mesh* out,
                           int32_t* count) {
    const film_hold* hold = t->hold >= 0 ? &f->holds.data[t->hold] : NULL;
    switch (t->kind) {
    case SCENE_TOOL_GRAB:
        return add_grab(t, memory, out, count);
    case SCENE_TOOL_BLADE:
        return add_blade(t, memory, out, count);
    case SCENE_TOOL_PIN:
        break;
    }
    if (hold == NULL) {
        return add_bone(t, memory, out, count);
    }
    return t->shape == LIM_SHAPE_BOX ? add_clamp(f, t, hold, memory, out, count)
                                     : add_pin(t, hold, memory, out, count);
}

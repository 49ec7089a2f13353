/* SPDX-License-Identifier: MIT
 * Job: the bodies of figure 1. In: the model `polyp`. Out: samplings, models, worlds, and a finger
 * pulled aside. The finest cells are the same on both sides, a little more than two across a
 * finger.
 */
#include "cli/fingers_body.h"

#include "scenes/models.h"

#include <math.h>
#include <string.h>

static const float CELL = 0.0165f;
enum { COARSEN = 4, PULLED = 2 }; /* the finger that points up */
/* Widths of regions in cells. One region per node: with 1.5 the adaptive body has the 6 summation
 * nodes per region of the paper. */
static const float WIDTH[FINGERS_KINDS] = {1.5f, 1.0f, 1.5f};
/* Directions of the fingers in the plane z = 0. */
static const double REACH[FINGERS][2] = {{1, 0},
                                         {0.70710678118654757, 0.70710678118654757},
                                         {0, 1},
                                         {-0.70710678118654757, 0.70710678118654757},
                                         {-1, 0}};
/* Soft enough for one substep of 1/240 s at the finest cells; the force bends a finger by about
 * 0.3 of its length. */
static const float YOUNG = 10e3f;
static const float FORCE = 0.04f; /* newton */
static const double STEP = 1.0 / 60.0, SECONDS_MOST = 12.0;
static const double REST_SPEED = 2e-4; /* m/s, of the pulled tip */

static void find_fingers(const lim_mesh* mesh, double degrees, fingers_shape* s) {
    lim_mesh_view view = lim_mesh_get_view(mesh);
    double angle = degrees * 3.14159265358979323846 / 180.0, c = cos(angle), n = sin(angle);
    double depth = 0.0;
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        depth = fmax(depth, view.positions[i].z);
    }
    /* before it is turned it stands on the ground with its ball, whose size is its depth */
    s->radius = depth;
    s->centre = p3(-n * depth, c * depth, 0.0);
    for (int32_t f = 0; f < FINGERS; ++f) {
        double x = c * REACH[f][0] - n * REACH[f][1], y = n * REACH[f][0] + c * REACH[f][1];
        double most = 0.0, wide = 0.0, mirrored = f <= PULLED ? 1.0 : -1.0;
        for (int32_t i = 0; i < view.vertex_count; ++i) {
            lim_point at = p3_sub(view.positions[i], s->centre);
            double out = at.x * x + at.y * y;
            if (out > most) {
                most = out;
                s->tip[f] = i;
                s->rest[f] = view.positions[i];
            }
        }
        s->length = most - s->radius;
        s->pull[f] = (lim_vec3){(float)(mirrored * y), (float)(-mirrored * x), 0.0f};
        for (int32_t i = 0; i < view.vertex_count; ++i) {
            lim_point at = p3_sub(view.positions[i], s->centre);
            bool outer = at.x * x + at.y * y > s->radius + 0.5 * s->length;
            wide = outer ? fmax(wide, fabs(at.z)) : wide;
        }
        s->thickness = 2.0 * wide;
    }
}

lim_model_desc fingers_model_desc(fingers_kind kind, fingers_sampling which) {
    lim_model_desc desc = lim_model_desc_default();
    desc.cell_size = CELL;
    desc.region_width = WIDTH[kind];
    desc.regions = kind == FINGERS_BLENDED ? LIM_REGIONS_BLENDED : LIM_REGIONS_INTERVAL;
    if (which == FINGERS_ADAPTIVE) {
        desc.coarsen = COARSEN;
        desc.cells_across = 2.0f;
    }
    return desc;
}

static lim_result turn_mesh(lim_mesh** mesh, double degrees, const lim_host* host) {
    lim_mesh_view view = lim_mesh_get_view(*mesh);
    double angle = degrees * 3.14159265358979323846 / 180.0, c = cos(angle), s = sin(angle);
    arena scratch;
    arena_init(&scratch, host);
    double* at = ARENA_ARRAY(&scratch, double, 3 * (int64_t)view.vertex_count);
    lim_mesh* turned = NULL;
    for (int32_t i = 0; at != NULL && i < view.vertex_count; ++i) {
        lim_point p = view.positions[i];
        at[3 * (size_t)i] = c * p.x - s * p.y;
        at[3 * (size_t)i + 1] = s * p.x + c * p.y;
        at[3 * (size_t)i + 2] = p.z;
    }
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = view.vertex_count;
    desc.triangle_count = view.triangle_count;
    desc.positions = at;
    desc.indices = view.indices;
    lim_result result = at == NULL ? LIM_ERROR_MEMORY : lim_mesh_create(&desc, host, &turned);
    arena_release(&scratch);
    if (result == LIM_OK) {
        lim_mesh_destroy(*mesh);
        *mesh = turned;
    }
    return result;
}

lim_result fingers_set_turned(fingers_set* set, double degrees, const lim_host* host) {
    memset(set, 0, sizeof *set);
    lim_result result = model_mesh("polyp", 0, host, &set->mesh);
    if (result == LIM_OK && degrees != 0.0) {
        result = turn_mesh(&set->mesh, degrees, host);
    }
    if (result == LIM_OK) {
        find_fingers(set->mesh, degrees, &set->shape);
    }
    return result;
}

lim_result fingers_set_make(fingers_set* set, const lim_host* host) {
    lim_result result = fingers_set_turned(set, 0.0, host);
    for (int32_t k = 0; k < FINGERS_SAMPLINGS && result == LIM_OK; ++k) {
        lim_model_desc desc = fingers_model_desc(FINGERS_BLENDED, (fingers_sampling)k);
        result = sampled_make(set->mesh, &desc, host, &set->samplings[k]);
    }
    return result;
}

void fingers_set_release(fingers_set* set) {
    for (int32_t k = 0; k < FINGERS_SAMPLINGS; ++k) {
        sampled_release(&set->samplings[k]);
    }
    lim_mesh_destroy(set->mesh);
}

lim_result fingers_model(const fingers_set* set, fingers_kind kind, fingers_sampling which,
                         const lim_host* host, lim_model** out_model) {
    lim_model_desc desc = fingers_model_desc(kind, which);
    return lim_model_create(set->mesh, &desc, host, out_model);
}

lim_result fingers_printed(const fingers_set* set, fingers_sampling which, const lim_host* host,
                           paper_mode** out_mode) {
    sampled_paper_desc desc = {
        .width = (double)WIDTH[FINGERS_PRINTED], .alpha = 1.0f, .damping = 0.05f};
    return sampled_paper_mode(&set->samplings[which], &desc, host, out_mode);
}

lim_result fingers_world(const fingers_set* set, const lim_model* model, float gravity,
                         bool strong_damping, const lim_host* host, lim_world** out_world,
                         lim_body* out_body) {
    lim_world_desc desc = lim_world_desc_default();
    desc.gravity = (lim_vec3){0.0f, -gravity, 0.0f};
    desc.sleep = false;
    desc.substeps = strong_damping ? 4 : 1;
    lim_world* world = NULL;
    lim_result result = lim_world_create(&desc, host, &world);
    if (result != LIM_OK) {
        return result;
    }
    lim_body_desc body_desc = lim_body_desc_default();
    body_desc.model = model;
    body_desc.position = lim_model_get_info(model).centre;
    body_desc.material.young = YOUNG;
    if (strong_damping) {
        body_desc.material.viscosity = 300.0f;
        body_desc.material.damping_time = 0.2f;
    }
    result = lim_body_create(world, &body_desc, out_body);
    if (result == LIM_OK) {
        lim_pin_desc pin_desc = lim_pin_desc_default();
        pin_desc.body = *out_body;
        pin_desc.shape = LIM_SHAPE_SPHERE;
        pin_desc.size = (lim_vec3){(float)(0.5 * set->shape.radius), 0.0f, 0.0f};
        pin_desc.position = set->shape.centre;
        lim_pin pin;
        result = lim_pin_create(world, &pin_desc, &pin);
    }
    if (result != LIM_OK) {
        lim_world_destroy(world);
        return result;
    }
    *out_world = world;
    return LIM_OK;
}

static lim_result tip_of(const lim_world* world, lim_body body, int32_t vertex, lim_point* out) {
    lim_skin_view skin;
    lim_result result = lim_body_get_skin(world, body, &skin);
    if (result == LIM_OK) {
        const float* at = skin.positions + 3 * (size_t)vertex;
        *out = p3_add(skin.origin, p3((double)at[0], (double)at[1], (double)at[2]));
    }
    return result;
}

lim_result fingers_pull_tip(const fingers_set* set, lim_world* world, lim_body body,
                            fingers_pull* out) {
    const fingers_shape* s = &set->shape;
    memset(out, 0, sizeof *out);
    lim_point tip = s->rest[PULLED];
    lim_vec3 impulse = {(float)((double)FORCE * STEP), 0.0f, 0.0f};
    int32_t steps = (int32_t)(SECONDS_MOST / STEP), quiet = 0;
    for (int32_t i = 0; i < steps && quiet < 30; ++i) {
        lim_point before = tip;
        lim_result result = lim_body_apply_impulse(world, body, tip, impulse);
        result = result == LIM_OK ? lim_world_step(world, (float)STEP) : result;
        result = result == LIM_OK ? tip_of(world, body, s->tip[PULLED], &tip) : result;
        if (result != LIM_OK) {
            return result;
        }
        bool slow = p3_length(p3_sub(tip, before)) < REST_SPEED * STEP;
        quiet = slow ? quiet + 1 : 0;
        out->seconds += STEP;
    }
    out->rested = quiet > 0;
    for (int32_t f = 0; f < FINGERS; ++f) {
        lim_point now;
        lim_result result = tip_of(world, body, s->tip[f], &now);
        if (result != LIM_OK) {
            return result;
        }
        lim_point way = p3_sub(now, s->rest[f]);
        double share = p3_length(way) / s->length;
        if (f == PULLED) {
            out->tip = way;
            out->deflection = share;
        } else {
            out->others = fmax(out->others, share);
        }
    }
    return LIM_OK;
}

lim_result fingers_pull_all(const fingers_set* set, lim_world* world, lim_body body,
                            double out[FINGERS]) {
    const fingers_shape* s = &set->shape;
    lim_point tip[FINGERS];
    memcpy(tip, s->rest, sizeof tip);
    int32_t steps = (int32_t)(SECONDS_MOST / STEP), quiet = 0;
    float impulse = (float)((double)FORCE * STEP);
    for (int32_t i = 0; i < steps && quiet < 30; ++i) {
        lim_result result = LIM_OK;
        bool slow = true;
        for (int32_t f = 0; f < FINGERS && result == LIM_OK; ++f) {
            result = lim_body_apply_impulse(world, body, tip[f], v3_scale(s->pull[f], impulse));
        }
        result = result == LIM_OK ? lim_world_step(world, (float)STEP) : result;
        for (int32_t f = 0; f < FINGERS && result == LIM_OK; ++f) {
            lim_point before = tip[f];
            result = tip_of(world, body, s->tip[f], &tip[f]);
            slow = slow && p3_length(p3_sub(tip[f], before)) < REST_SPEED * STEP;
        }
        if (result != LIM_OK) {
            return result;
        }
        quiet = slow ? quiet + 1 : 0;
    }
    for (int32_t f = 0; f < FINGERS; ++f) {
        out[f] = p3_length(p3_sub(tip[f], s->rest[f])) / s->length;
    }
    return LIM_OK;
}

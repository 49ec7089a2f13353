/* SPDX-License-Identifier: MIT
 * Job: bodies at the border: make, end, list, set, get, move. In: ids and values, checked here.
 * Out: changes of one body, which wakes.
 */
#include "body/solver.h"
#include "world/model.h"
#include "world/surface_closed.h"
#include "world/world.h"

#include <string.h>

lim_material lim_material_default(void) {
    return (lim_material){.density = 1000.0f,
                          .young = 30e3f,
                          .viscosity = 100.0f,
                          .damping_every = 1,
                          .damping_time = 2.0f,
                          .friction = 0.5f,
                          .rolling_time = 0.5f,
                          .air_drag = 1.0f,
                          .goal = LIM_GOAL_RIGID,
                          .beta = 0.5f,
                          .creep = 20.0f,
                          .max_strain = 0.5f};
}

lim_body_desc lim_body_desc_default(void) {
    return (lim_body_desc){.cookie = COOKIE_BODY,
                           .orientation = {0.0f, 0.0f, 0.0f, 1.0f},
                           .scale = 1.0f,
                           .material = lim_material_default(),
                           .gravity_scale = 1.0f,
                           .enabled = true,
                           .layer = 1,
                           .mask = UINT32_MAX};
}

/* ---- inside -----------------------------------------------------------------------------------
 */

bool world_given(const lim_world* world, const char* call, const char* argument,
                 const void* pointer) {
    if (world == NULL) {
        return false;
    }
    check c = check_begin(&world->host, call);
    check_pointer(&c, argument, pointer);
    return c.result == LIM_OK;
}

world_body* world_body_of(const lim_world* world, const char* call, lim_body id) {
    if (!slots_holds(&world->body_slots, id.index, id.generation)) {
        log_say(&world->host, LIM_LOG_ERROR,
                "%s: body (%u, %u) is null, gone or of another world; give the id of a living body",
                call, id.index, id.generation);
        return NULL;
    }
    return world->bodies[id.index];
}

/* Whether another body of the world already told if its surface is closed. */
static const world_body* same_topology(const lim_world* world, const topology* t) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        if (world->bodies[i]->body.topology == t) {
            return world->bodies[i];
        }
    }
    return NULL;
}

lim_result world_body_make(const lim_body_desc* desc, topology* t, const lim_world* world,
                           world_body** out) {
    const lim_host* host = &world->host;
    world_body* b = mem_alloc(host, 1, sizeof *b);
    if (b == NULL) {
        return LIM_ERROR_MEMORY;
    }
    const world_body* twin = same_topology(world, t);
    lim_result result = LIM_OK;
    surface_seal seal = {false, false};
    if (twin != NULL) {
        seal = (surface_seal){.sealed = twin->body.sealed, .filled = twin->closed};
    } else {
        result = surface_closed(t, host, &seal);
    }
    /* Bodies step on workers, where no log line may come from: the world speaks for them. */
    lim_host silent = *host;
    silent.log = NULL;
    if (result == LIM_OK) {
        result = body_create(desc, t, &silent, &b->body);
    }
    if (result != LIM_OK) {
        mem_free(host, b, 1, sizeof *b);
        return result;
    }
    b->closed = seal.filled;
    b->body.sealed = seal.sealed;
    b->body.filled = seal.filled;
    world_body_refresh(world, b);
    *out = b;
    return LIM_OK;
}

/* Pressure needs an inside. */
static void say_pressure(const lim_world* world, const char* call, const body* b) {
    if (b->material.pressure != 0.0f && !b->sealed) {
        log_say(&world->host, LIM_LOG_WARNING,
                "%s: material.pressure has no effect, for the surface is not closed; close its "
                "holes or set it to 0",
                call);
    }
}

void world_body_free_between(const lim_host* host, world_body* b) {
    size_t n = (size_t)b->body.topology->vertex_count;
    for (int i = 0; i < 2; ++i) {
        mem_free(host, b->between[i].positions, 3 * n, sizeof(float));
        mem_free(host, b->between[i].normals, 3 * n, sizeof(float));
        mem_free(host, b->between[i].tangents, 4 * n, sizeof(float));
        b->between[i] = (world_skin){0};
    }
    b->show_between = false;
}

void world_body_free(const lim_host* host, world_body* b) {
    world_body_free_between(host, b);
    world_trained_free(host, b->trained);
    stroke_free(&b->stroke, host);
    world_fracture_free(host, &b->fracture);
    mem_free(host, b->origin_vertex, (size_t)b->origin_count, sizeof(int32_t));
    body_destroy(&b->body);
    mem_free(host, b, 1, sizeof *b);
}

/* A body that is being made has no index yet: the next step tells. */
static void say_restored(const lim_world* world, const world_body* b) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0 && b->body.restored_untold;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        if (world->bodies[i] == b) {
            world_body_say_restored(world, i);
        }
    }
}

void world_body_refresh(const lim_world* world, world_body* b) {
    body_refresh(&b->body, world->set, world->pool);
    world_trained_refresh(world, b);
    say_restored(world, b);
    b->moved = false;
    b->show_between = false;
}

void world_body_reshape(const lim_world* world, world_body* b) {
    body_refresh_shape(&b->body, world->set, world->pool);
    world_trained_refresh(world, b);
    say_restored(world, b);
    b->moved = false;
    b->show_between = false;
}

/* ---- making and ending ------------------------------------------------------------------------
 */

static lim_result create(lim_world* world, const lim_body_desc* desc, lim_body* out) {
    check c = check_begin(&world->host, "lim_body_create");
    check_cookie(&c, desc->cookie, COOKIE_BODY, "lim_body_desc_default");
    check_pointer(&c, "model", desc->model);
    check_point(&c, "position", desc->position);
    check_quat(&c, "orientation", desc->orientation);
    check_number(&c, "scale", (double)desc->scale, 1e-6, (double)CHECK_LENGTH,
                 "a factor from 1e-6 to 1e6");
    check_material(&c, &desc->material);
    check_vector(&c, "velocity", desc->velocity, (double)CHECK_SPEED, "m/s, up to 1e6");
    check_vector(&c, "angular_velocity", desc->angular_velocity, (double)CHECK_SPEED,
                 "rad/s, up to 1e6");
    check_number(&c, "gravity_scale", (double)desc->gravity_scale, -1e3, 1e3,
                 "a factor from -1000 to 1000");
    LIM_TRY(c.result);
    check_of_kind(&c, &desc->material, desc->model->topology->kind);
    check_number(&c, "scale times the model's longest side",
                 (double)desc->scale * desc->model->topology->unit, (double)CHECK_SMALL,
                 (double)CHECK_POSITION, "a body of 1e-9 to 1e9 metres");
    LIM_TRY(c.result);
    int32_t index = slots_peek(&world->body_slots);
    world_body* b = NULL;
    lim_result result = world_reserve_bodies(world, index + 1) ? LIM_OK : LIM_ERROR_MEMORY;
    if (result == LIM_OK) {
        result = world_body_make(desc, desc->model->topology, world, &b);
    }
    if (result != LIM_OK) {
        return log_fail(&world->host, result, "lim_body_create: no body was made (%s)",
                        lim_result_name(result));
    }
    say_pressure(world, "lim_body_create", &b->body);
    slots_take(&world->body_slots);
    world->bodies[index] = b;
    *out = (lim_body){(uint32_t)index, world->body_slots.generation[index]};
    return LIM_OK;
}

lim_result lim_body_create(lim_world* world, const lim_body_desc* desc, lim_body* out_body) {
    if (out_body != NULL) {
        *out_body = (lim_body){0};
    }
    if (!world_given(world, "lim_body_create", "desc", desc) ||
        !world_given(world, "lim_body_create", "out_body", out_body)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(create(world, desc, out_body));
}

void world_wake_around(lim_world* world, lim_box box) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        body* b = &world->bodies[i]->body;
        if (!b->asleep) {
            continue;
        }
        lim_box own = body_box(b);
        double near = (double)b->topology->cell * body_metres(b);
        lim_point apart = p3_max(p3_sub(own.lower, box.upper), p3_sub(box.lower, own.upper));
        if (apart.x < near && apart.y < near && apart.z < near) {
            body_wake(b);
        }
    }
}

static lim_result destroy(lim_world* world, lim_body id) {
    world_body* b = world_body_of(world, "lim_body_destroy", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    for (int32_t i = 0; i < b->body.pins.count; ++i) {
        slots_release(&world->pin_slots, (int32_t)b->body.pins.data[i].id_index);
    }
    for (int32_t i = 0; i < b->body.grabs.count; ++i) {
        slots_release(&world->grab_slots, (int32_t)b->body.grabs.data[i].id_index);
    }
    world_links_end_of(world, (int32_t)id.index);
    lim_box gone = body_box(&b->body);
    world_body_free(&world->host, b);
    world->bodies[id.index] = NULL;
    slots_release(&world->body_slots, (int32_t)id.index);
    world_wake_around(world, gone);
    return LIM_OK;
}

lim_result lim_body_destroy(lim_world* world, lim_body id) {
    return world == NULL ? LIM_ERROR_ARGUMENT : destroy(world, id);
}

bool lim_body_is_valid(const lim_world* world, lim_body id) {
    return world != NULL && slots_holds(&world->body_slots, id.index, id.generation);
}

lim_body lim_body_next(const lim_world* world, lim_body id) {
    if (world == NULL) {
        return (lim_body){0};
    }
    int64_t from = id.generation == 0 ? 0 : (int64_t)id.index + 1;
    int32_t index = slots_next(&world->body_slots, from);
    return index < 0 ? (lim_body){0}
                     : (lim_body){(uint32_t)index, world->body_slots.generation[index]};
}

/* ---- settings ---------------------------------------------------------------------------------
 */

static lim_result set_material(lim_world* world, lim_body id, const lim_material* material) {
    world_body* b = world_body_of(world, "lim_body_set_material", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    check c = check_begin(&world->host, "lim_body_set_material");
    check_material(&c, material);
    check_of_kind(&c, material, b->body.topology->kind);
    LIM_TRY(c.result);
    b->body.material = *material;
    b->body.plastic = b->body.plastic || material->yield > 0.0f;
    b->body.gains_stale = true; /* substeps are chosen anew at the next step */
    b->body.limit_said = false;
    say_pressure(world, "lim_body_set_material", &b->body);
    body_wake(&b->body);
    /* The affine parts depend on the gains: worked out now, they are the same with and without a
     * save in between. */
    world_body_refresh(world, b);
    return LIM_OK;
}

lim_result lim_body_set_material(lim_world* world, lim_body id, const lim_material* material) {
    if (!world_given(world, "lim_body_set_material", "material", material)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_material(world, id, material));
}

lim_result lim_body_get_material(const lim_world* world, lim_body id, lim_material* out) {
    if (!world_given(world, "lim_body_get_material", "out", out)) {
        return LIM_ERROR_ARGUMENT;
    }
    const world_body* b = world_body_of(world, "lim_body_get_material", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    *out = b->body.material;
    return LIM_OK;
}

static lim_result set_gravity_scale(lim_world* world, lim_body id, float scale) {
    world_body* b = world_body_of(world, "lim_body_set_gravity_scale", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    check c = check_begin(&world->host, "lim_body_set_gravity_scale");
    check_number(&c, "scale", (double)scale, -1e3, 1e3, "a factor from -1000 to 1000");
    LIM_TRY(c.result);
    b->body.gravity_scale = scale;
    body_wake(&b->body);
    return LIM_OK;
}

lim_result lim_body_set_gravity_scale(lim_world* world, lim_body id, float scale) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_gravity_scale(world, id, scale));
}

lim_result lim_body_set_enabled(lim_world* world, lim_body id, bool enabled) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    world_body* b = world_body_of(world, "lim_body_set_enabled", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    b->body.enabled = enabled;
    if (enabled) {
        body_wake(&b->body);
    }
    return LIM_OK;
}

static lim_result set_layer(lim_world* world, lim_body id, contact_layers layers) {
    world_body* b = world_body_of(world, "lim_body_set_layer", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    b->body.layers = layers;
    body_wake(&b->body);
    world_wake_around(world, body_box(&b->body)); /* who may have lain on it */
    return LIM_OK;
}

lim_result lim_body_set_layer(lim_world* world, lim_body id, uint32_t layer, uint32_t mask) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_layer(world, id, (contact_layers){layer, mask}));
}

lim_result lim_body_set_user(lim_world* world, lim_body id, void* user) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    world_body* b = world_body_of(world, "lim_body_set_user", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    b->body.user = user;
    return LIM_OK;
}

/* A region of half-width w cells has a variance of w (w + 1) / 3 of them, that of 2 w + 1 equal
 * masses in a row. Blended regions are a mixture of levels with variances of (4^n - 1) / 4
 * (region/blend.c), of which the narrow ones fall short: the width of the first level that does. */
static float width_needed(const body* b) {
    const topology* t = b->topology;
    double w = (double)t->region_width;
    if (b->gains.young_got >= (float)MATCH_ENOUGH * b->material.young || !(b->share > 0.0)) {
        return (float)w;
    }
    double variance = w * (w + 1.0) / 3.0 / b->share, level = 0.75;
    while (t->net.forward_weight != NULL && level < 0.95 * variance && level < 1e6) {
        level = 4.0 * level + 0.75;
    }
    variance = t->net.forward_weight != NULL ? level : variance;
    return w > 0.0 ? (float)(0.5 * (sqrt(1.0 + 12.0 * variance) - 1.0)) : 0.0f;
}

lim_result lim_body_get_limits(const lim_world* world, lim_body id, lim_body_limits* out) {
    if (!world_given(world, "lim_body_get_limits", "out", out)) {
        return LIM_ERROR_ARGUMENT;
    }
    const world_body* b = world_body_of(world, "lim_body_get_limits", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    *out = (lim_body_limits){.young_asked = b->body.material.young,
                             .young_got = b->body.gains.young_got,
                             .young_bending = solver_of(&b->body)->bending(&b->body),
                             .substeps_got = b->body.substeps,
                             .substeps_needed = b->body.substeps_needed,
                             .region_width_needed = width_needed(&b->body)};
    return LIM_OK;
}

/* ---- moving -----------------------------------------------------------------------------------
 */

static lim_result reset(lim_world* world, lim_body id) {
    world_body* b = world_body_of(world, "lim_body_reset", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    body_reset(&b->body);
    stroke_free(&b->stroke, &world->host);
    world_body_refresh(world, b);
    return LIM_OK;
}

lim_result lim_body_reset(lim_world* world, lim_body id) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(reset(world, id));
}

static lim_result teleport(lim_world* world, lim_body id, lim_point position,
                           lim_quat orientation) {
    world_body* b = world_body_of(world, "lim_body_teleport", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    check c = check_begin(&world->host, "lim_body_teleport");
    check_point(&c, "position", position);
    check_quat(&c, "orientation", orientation);
    LIM_TRY(c.result);
    world_pose pose = world_body_pose(b);
    dquat turn = dquat_mul(dquat_of(orientation), dquat_conjugate(pose.orientation));
    body_move(&b->body, pose.centre, dquat_unit(turn), p3_sub(position, pose.centre));
    world_body_refresh(world, b);
    return LIM_OK;
}

lim_result lim_body_teleport(lim_world* world, lim_body id, lim_point position,
                             lim_quat orientation) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(teleport(world, id, position, orientation));
}

static lim_result set_velocity(lim_world* world, lim_body id, lim_vec3 velocity,
                               lim_vec3 angular_velocity) {
    world_body* b = world_body_of(world, "lim_body_set_velocity", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    check c = check_begin(&world->host, "lim_body_set_velocity");
    check_vector(&c, "velocity", velocity, (double)CHECK_SPEED, "m/s, up to 1e6");
    check_vector(&c, "angular_velocity", angular_velocity, (double)CHECK_SPEED, "rad/s, up to 1e6");
    LIM_TRY(c.result);
    body_set_velocity(&b->body, velocity, angular_velocity);
    return LIM_OK;
}

lim_result lim_body_set_velocity(lim_world* world, lim_body id, lim_vec3 velocity,
                                 lim_vec3 angular_velocity) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_velocity(world, id, velocity, angular_velocity));
}

lim_result lim_body_wake(lim_world* world, lim_body id) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    world_body* b = world_body_of(world, "lim_body_wake", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    b->body.frozen = false;
    body_wake(&b->body);
    return LIM_OK;
}

/* ---- the skin ---------------------------------------------------------------------------------
 */

static lim_result get_skin(const lim_world* world, lim_body id, lim_skin_view* out) {
    world_body* b = world_body_of(world, "lim_body_get_skin", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    world_shown shown = world_body_shown(world, b);
    const topology* t = b->body.topology;
    *out = (lim_skin_view){.vertex_count = t->vertex_count,
                           .triangle_count = t->triangle_count,
                           .origin = shown.origin,
                           .positions = shown.positions,
                           .normals = shown.normals,
                           .tangents = shown.tangents,
                           .indices = t->indices,
                           .index_revision = 1 + t->revision};
    return LIM_OK;
}

lim_result lim_body_get_skin(const lim_world* world, lim_body id, lim_skin_view* out) {
    if (!world_given(world, "lim_body_get_skin", "out", out)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(get_skin(world, id, out));
}

static lim_result write_skin(const lim_world* world, lim_body id, lim_point origin,
                             unsigned char* positions, size_t position_stride,
                             unsigned char* normals, size_t normal_stride, int32_t vertex_count) {
    world_body* b = world_body_of(world, "lim_body_write_skin", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    int32_t count = b->body.topology->vertex_count;
    check c = check_begin(&world->host, "lim_body_write_skin");
    check_point(&c, "origin", origin);
    check_integer(&c, "vertex_count", vertex_count, count, count,
                  "the vertex count of lim_body_get_skin");
    if (positions != NULL) {
        check_integer(&c, "position_stride", (int64_t)position_stride, 12, INT32_MAX,
                      "12 bytes or more");
    }
    if (normals != NULL) {
        check_integer(&c, "normal_stride", (int64_t)normal_stride, 12, INT32_MAX,
                      "12 bytes or more");
    }
    LIM_TRY(c.result);
    world_shown shown = world_body_shown(world, b);
    lim_point shift = p3_sub(shown.origin, origin);
    for (int32_t i = 0; i < count; ++i) {
        const float* p = shown.positions + 3 * (size_t)i;
        lim_vec3 at = v3_of(p3_add(shift, p3((double)p[0], (double)p[1], (double)p[2])));
        if (positions != NULL) {
            memcpy(positions + (size_t)i * position_stride, &at, sizeof at);
        }
        if (normals != NULL) {
            memcpy(normals + (size_t)i * normal_stride, shown.normals + 3 * (size_t)i, sizeof at);
        }
    }
    return LIM_OK;
}

lim_result lim_body_write_skin(const lim_world* world, lim_body id, lim_point origin,
                               void* positions, size_t position_stride, void* normals,
                               size_t normal_stride, int32_t vertex_count) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(write_skin(world, id, origin, positions, position_stride, normals, normal_stride,
                            vertex_count));
}

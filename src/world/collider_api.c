/* SPDX-License-Identifier: MIT
 * Job: colliders at the border. In: descriptors, poses. Out: shapes under ids; bodies near a change
 * wake.
 */
#include "world/world.h"

lim_collider_desc lim_collider_desc_default(void) {
    return (lim_collider_desc){.cookie = COOKIE_COLLIDER,
                               .shape = LIM_SHAPE_PLANE,
                               .size = {1.0f, 1.0f, 1.0f},
                               .orientation = {0.0f, 0.0f, 0.0f, 1.0f},
                               .friction = 0.5f,
                               .layer = COLLIDER_LAYER,
                               .mask = UINT32_MAX};
}

static world_collider* collider_of(const lim_world* world, const char* call, lim_collider id) {
    if (!slots_holds(&world->collider_slots, id.index, id.generation)) {
        log_say(&world->host, LIM_LOG_ERROR,
                "%s: collider (%u, %u) is null, gone or of another world; give a living id", call,
                id.index, id.generation);
        return NULL;
    }
    return &world->colliders[id.index];
}

static void check_motion(check* c, lim_point position, lim_quat orientation, lim_vec3 velocity,
                         lim_vec3 angular_velocity) {
    check_point(c, "position", position);
    check_quat(c, "orientation", orientation);
    check_vector(c, "velocity", velocity, (double)CHECK_SPEED, "m/s, up to 1e6");
    check_vector(c, "angular_velocity", angular_velocity, (double)CHECK_SPEED, "rad/s, up to 1e6");
}

/* The arrays of a shape that has some; null for the others. */
static lim_result make_asset(check* c, const lim_collider_desc* d, const lim_host* host,
                             collider_asset** out) {
    *out = NULL;
    if (d->shape < LIM_SHAPE_HULL) {
        return LIM_OK;
    }
    asset_source from = {.shape = d->shape,
                         .point_count = d->point_count,
                         .triangle_count = d->triangle_count,
                         .columns = d->columns,
                         .rows = d->rows,
                         .points = d->points,
                         .indices = d->indices,
                         .heights = d->heights,
                         .step_x = d->size.x,
                         .step_z = d->size.z};
    const char *what = "the host gave no memory", *cure = "nothing was made";
    lim_result result = asset_make(&from, host, out, &what, &cure);
    if (result != LIM_OK) {
        check_fail(c, result, what, cure);
    }
    return result;
}

static lim_result create(lim_world* world, const lim_collider_desc* desc, lim_collider* out) {
    check c = check_begin(&world->host, "lim_collider_create");
    check_cookie(&c, desc->cookie, COOKIE_COLLIDER, "lim_collider_desc_default");
    check_shape(&c, desc->shape, desc->size, true);
    check_vector(&c, "size", desc->size, (double)CHECK_LENGTH, "metres, up to 1e6");
    check_motion(&c, desc->position, desc->orientation, desc->velocity, desc->angular_velocity);
    check_number(&c, "friction", (double)desc->friction, 0.0, 1e3,
                 "a friction coefficient, 0 or more");
    check_number(&c, "restitution", (double)desc->restitution, 0.0, 1.0, "a share from 0 to 1");
    LIM_TRY(c.result);
    collider_asset* asset;
    LIM_TRY(make_asset(&c, desc, &world->host, &asset));
    int32_t index = slots_peek(&world->collider_slots);
    if (!world_reserve_colliders(world, index + 1)) {
        asset_release(asset);
        return log_fail(&world->host, LIM_ERROR_MEMORY,
                        "lim_collider_create: the host gave no memory; nothing was made");
    }
    slots_take(&world->collider_slots);
    world_collider* to = &world->colliders[index];
    *to = (world_collider){.shape = {.shape = desc->shape,
                                     .size = desc->size,
                                     .position = desc->position,
                                     .orientation = dquat_of(desc->orientation),
                                     .velocity = desc->velocity,
                                     .angular_velocity = desc->angular_velocity,
                                     .friction = desc->friction,
                                     .restitution = desc->restitution,
                                     .asset = asset,
                                     .scale = 1.0},
                           .layers = {desc->layer, desc->mask},
                           .user = desc->user};
    world_wake_near(world, to);
    *out = (lim_collider){(uint32_t)index, world->collider_slots.generation[index]};
    return LIM_OK;
}

lim_result lim_collider_create(lim_world* world, const lim_collider_desc* desc,
                               lim_collider* out_collider) {
    if (out_collider != NULL) {
        *out_collider = (lim_collider){0};
    }
    if (!world_given(world, "lim_collider_create", "desc", desc) ||
        !world_given(world, "lim_collider_create", "out_collider", out_collider)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(create(world, desc, out_collider));
}

static lim_result destroy(lim_world* world, lim_collider id) {
    world_collider* c = collider_of(world, "lim_collider_destroy", id);
    if (c == NULL) {
        return LIM_ERROR_ID;
    }
    world_wake_near(world, c);
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0 && c->shape.asset != NULL;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        body_skin_forget(&world->bodies[i]->body, c->shape.asset, world->set, world->pool);
    }
    asset_release(c->shape.asset);
    c->shape.asset = NULL;
    slots_release(&world->collider_slots, (int32_t)id.index);
    return LIM_OK;
}

lim_result lim_collider_destroy(lim_world* world, lim_collider id) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(destroy(world, id));
}

static lim_result move(lim_world* world, lim_collider id, lim_point position, lim_quat orientation,
                       lim_vec3 velocity, lim_vec3 angular_velocity) {
    world_collider* to = collider_of(world, "lim_collider_move", id);
    if (to == NULL) {
        return LIM_ERROR_ID;
    }
    check c = check_begin(&world->host, "lim_collider_move");
    check_motion(&c, position, orientation, velocity, angular_velocity);
    LIM_TRY(c.result);
    /* Bodies that lay on it where it was, and bodies where it comes to. */
    world_wake_near(world, to);
    to->shape.position = position;
    to->shape.orientation = dquat_of(orientation);
    to->shape.velocity = velocity;
    to->shape.angular_velocity = angular_velocity;
    world_wake_near(world, to);
    return LIM_OK;
}

lim_result lim_collider_move(lim_world* world, lim_collider id, lim_point position,
                             lim_quat orientation, lim_vec3 velocity, lim_vec3 angular_velocity) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(move(world, id, position, orientation, velocity, angular_velocity));
}

static lim_result set_layer(lim_world* world, lim_collider id, contact_layers layers) {
    world_collider* c = collider_of(world, "lim_collider_set_layer", id);
    if (c == NULL) {
        return LIM_ERROR_ID;
    }
    /* Bodies that lay on it, and bodies that it meets now. */
    world_wake_near(world, c);
    c->layers = layers;
    world_wake_near(world, c);
    return LIM_OK;
}

lim_result lim_collider_set_layer(lim_world* world, lim_collider id, uint32_t layer,
                                  uint32_t mask) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_layer(world, id, (contact_layers){layer, mask}));
}

bool lim_collider_is_valid(const lim_world* world, lim_collider id) {
    return world != NULL && slots_holds(&world->collider_slots, id.index, id.generation);
}

lim_result lim_collider_get(const lim_world* world, lim_collider id, lim_collider_desc* out) {
    if (!world_given(world, "lim_collider_get", "out", out)) {
        return LIM_ERROR_ARGUMENT;
    }
    const world_collider* c = collider_of(world, "lim_collider_get", id);
    if (c == NULL) {
        return LIM_ERROR_ID;
    }
    const asset_source none = {0};
    const asset_source* from = c->shape.asset != NULL ? &c->shape.asset->from : &none;
    bool hull = c->shape.shape == LIM_SHAPE_HULL;
    *out = (lim_collider_desc){.cookie = COOKIE_COLLIDER,
                               .shape = c->shape.shape,
                               .size = c->shape.size,
                               .position = c->shape.position,
                               .orientation = quat_of(c->shape.orientation),
                               .velocity = c->shape.velocity,
                               .angular_velocity = c->shape.angular_velocity,
                               .friction = c->shape.friction,
                               .restitution = c->shape.restitution,
                               .layer = c->layers.layer,
                               .mask = c->layers.mask,
                               .user = c->user,
                               .points = from->points,
                               .indices = hull ? c->shape.asset->face_point : from->indices,
                               .heights = from->heights,
                               .point_count = from->point_count,
                               .triangle_count =
                                   hull ? c->shape.asset->face_count : from->triangle_count,
                               .columns = from->columns,
                               .rows = from->rows};
    return LIM_OK;
}

lim_result lim_collider_get_load(const lim_world* world, lim_collider id, lim_load* out) {
    if (!world_given(world, "lim_collider_get_load", "out", out)) {
        return LIM_ERROR_ARGUMENT;
    }
    const world_collider* c = collider_of(world, "lim_collider_get_load", id);
    if (c == NULL) {
        return LIM_ERROR_ID;
    }
    *out = c->load;
    return LIM_OK;
}

lim_collider lim_collider_next(const lim_world* world, lim_collider id) {
    if (world == NULL) {
        return (lim_collider){0};
    }
    int64_t from = id.generation == 0 ? 0 : (int64_t)id.index + 1;
    int32_t index = slots_next(&world->collider_slots, from);
    return index < 0 ? (lim_collider){0}
                     : (lim_collider){(uint32_t)index, world->collider_slots.generation[index]};
}

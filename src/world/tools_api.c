/* SPDX-License-Identifier: MIT
 * Job: pins, grabs and impulses at the border. In: descriptors, targets. Out: tools in their bodies
 * (body/tools.c) under ids of the world; the body wakes.
 */
#include "world/world.h"

lim_pin_desc lim_pin_desc_default(void) {
    return (lim_pin_desc){.cookie = COOKIE_PIN,
                          .shape = LIM_SHAPE_SPHERE,
                          .size = {0.1f, 0.1f, 0.1f},
                          .orientation = {0.0f, 0.0f, 0.0f, 1.0f}};
}

lim_grab_desc lim_grab_desc_default(void) {
    return (lim_grab_desc){.cookie = COOKIE_GRAB};
}

/* ---- pins -------------------------------------------------------------------------------------
 */

/* The body of a pin and the pin's place in it; null when the id is stale. */
static world_body* pin_owner(const lim_world* world, const char* call, lim_pin id,
                             int32_t* out_place) {
    if (!slots_holds(&world->pin_slots, id.index, id.generation)) {
        log_say(&world->host, LIM_LOG_ERROR,
                "%s: pin (%u, %u) is null, gone or of another world; give a living id", call,
                id.index, id.generation);
        return NULL;
    }
    world_body* b = world->bodies[world->pin_body[id.index]];
    for (int32_t i = 0; i < b->body.pins.count; ++i) {
        if (b->body.pins.data[i].id_index == id.index) {
            *out_place = i;
            return b;
        }
    }
    return NULL;
}

/* A body that is held otherwise than in the last step. Contacts and edits look at affine parts
 * before the next one does, and those that a save finds know of these holds. */
static void held_anew(const lim_world* world, world_body* b) {
    body_refresh_affine(&b->body, world->set, world->pool);
    body_wake(&b->body);
}

static lim_result pin_create(lim_world* world, const lim_pin_desc* desc, lim_pin* out) {
    check c = check_begin(&world->host, "lim_pin_create");
    check_cookie(&c, desc->cookie, COOKIE_PIN, "lim_pin_desc_default");
    check_shape(&c, desc->shape, desc->size, false);
    check_vector(&c, "size", desc->size, (double)CHECK_LENGTH, "metres, up to 1e6");
    check_point(&c, "position", desc->position);
    check_quat(&c, "orientation", desc->orientation);
    check_number(&c, "stiffness", (double)desc->stiffness, 0.0, (double)CHECK_FORCE,
                 "newton per metre, or 0 for a hard pin");
    LIM_TRY(c.result);
    world_body* b = world_body_of(world, "lim_pin_create", desc->body);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    int32_t index = slots_peek(&world->pin_slots);
    lim_result result = world_reserve_pins(world, index + 1) ? LIM_OK : LIM_ERROR_MEMORY;
    if (result == LIM_OK) {
        result = body_pin_create(&b->body, desc, (uint32_t)index);
    }
    if (result == LIM_ERROR_ARGUMENT) {
        return log_fail(&world->host, result,
                        "lim_pin_create: no material of the body lies in the shape; move it onto "
                        "the body or make it larger");
    }
    if (result != LIM_OK) {
        return log_fail(&world->host, result,
                        "lim_pin_create: the host gave no memory; nothing was made");
    }
    slots_take(&world->pin_slots);
    world->pin_body[index] = (int32_t)desc->body.index;
    held_anew(world, b);
    *out = (lim_pin){(uint32_t)index, world->pin_slots.generation[index]};
    return LIM_OK;
}

lim_result lim_pin_create(lim_world* world, const lim_pin_desc* desc, lim_pin* out_pin) {
    if (out_pin != NULL) {
        *out_pin = (lim_pin){0};
    }
    if (!world_given(world, "lim_pin_create", "desc", desc) ||
        !world_given(world, "lim_pin_create", "out_pin", out_pin)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(pin_create(world, desc, out_pin));
}

static lim_result pin_destroy(lim_world* world, lim_pin id) {
    int32_t place = 0;
    world_body* b = pin_owner(world, "lim_pin_destroy", id, &place);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    body_pin_destroy(&b->body, place);
    slots_release(&world->pin_slots, (int32_t)id.index);
    held_anew(world, b);
    return LIM_OK;
}

lim_result lim_pin_destroy(lim_world* world, lim_pin pin) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(pin_destroy(world, pin));
}

static lim_result pin_move(lim_world* world, lim_pin id, lim_point position, lim_quat orientation) {
    int32_t place = 0;
    world_body* b = pin_owner(world, "lim_pin_move", id, &place);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    check c = check_begin(&world->host, "lim_pin_move");
    check_point(&c, "position", position);
    check_quat(&c, "orientation", orientation);
    LIM_TRY(c.result);
    body_pin* pin = &b->body.pins.data[place];
    pin->target_position = position;
    pin->target_orientation = dquat_of(orientation);
    body_wake(&b->body);
    return LIM_OK;
}

lim_result lim_pin_move(lim_world* world, lim_pin pin, lim_point position, lim_quat orientation) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(pin_move(world, pin, position, orientation));
}

bool lim_pin_is_valid(const lim_world* world, lim_pin pin) {
    return world != NULL && slots_holds(&world->pin_slots, pin.index, pin.generation);
}

int32_t lim_pin_node_count(const lim_world* world, lim_pin pin) {
    int32_t place = 0;
    const world_body* b =
        world != NULL ? pin_owner(world, "lim_pin_node_count", pin, &place) : NULL;
    return b != NULL ? b->body.pins.data[place].count : 0;
}

static lim_result pin_get_load(const lim_world* world, lim_pin id, lim_load* out) {
    int32_t place = 0;
    const world_body* b = pin_owner(world, "lim_pin_get_load", id, &place);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    const body_pin* p = &b->body.pins.data[place];
    *out = (lim_load){.force = v3_scale(p->force, -1.0f),
                      .torque = v3_scale(p->torque, -1.0f),
                      .smooth_force = v3_scale(p->smooth_force, -1.0f),
                      .smooth_torque = v3_scale(p->smooth_torque, -1.0f)};
    return LIM_OK;
}

lim_result lim_pin_get_load(const lim_world* world, lim_pin pin, lim_load* out) {
    if (!world_given(world, "lim_pin_get_load", "out", out)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(pin_get_load(world, pin, out));
}

/* ---- grabs ------------------------------------------------------------------------------------
 */

static world_body* grab_owner(const lim_world* world, const char* call, lim_grab id,
                              int32_t* out_place) {
    if (!slots_holds(&world->grab_slots, id.index, id.generation)) {
        log_say(&world->host, LIM_LOG_ERROR,
                "%s: grab (%u, %u) is null, gone or of another world; give a living id", call,
                id.index, id.generation);
        return NULL;
    }
    world_body* b = world->bodies[world->grab_body[id.index]];
    for (int32_t i = 0; i < b->body.grabs.count; ++i) {
        if (b->body.grabs.data[i].id_index == id.index) {
            *out_place = i;
            return b;
        }
    }
    return NULL;
}

static lim_result grab_create(lim_world* world, const lim_grab_desc* desc, lim_grab* out) {
    check c = check_begin(&world->host, "lim_grab_create");
    check_cookie(&c, desc->cookie, COOKIE_GRAB, "lim_grab_desc_default");
    check_point(&c, "point", desc->point);
    check_number(&c, "radius", (double)desc->radius, 0.0, (double)CHECK_LENGTH,
                 "metres, or 0 for the point alone");
    check_number(&c, "stiffness", (double)desc->stiffness, 0.0, (double)CHECK_FORCE,
                 "newton per metre, or 0 to have it chosen");
    check_number(&c, "force_limit", (double)desc->force_limit, 0.0, (double)CHECK_FORCE,
                 "newton, or 0 for none");
    LIM_TRY(c.result);
    world_body* b = world_body_of(world, "lim_grab_create", desc->body);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    int32_t index = slots_peek(&world->grab_slots);
    lim_result result = world_reserve_grabs(world, index + 1) ? LIM_OK : LIM_ERROR_MEMORY;
    if (result == LIM_OK) {
        result = body_grab_create(&b->body, desc, (uint32_t)index, world->set, world->pool);
    }
    if (result != LIM_OK) {
        return log_fail(&world->host, result, "lim_grab_create: nothing was held (%s)",
                        lim_result_name(result));
    }
    slots_take(&world->grab_slots);
    world->grab_body[index] = (int32_t)desc->body.index;
    held_anew(world, b);
    *out = (lim_grab){(uint32_t)index, world->grab_slots.generation[index]};
    return LIM_OK;
}

lim_result lim_grab_create(lim_world* world, const lim_grab_desc* desc, lim_grab* out_grab) {
    if (out_grab != NULL) {
        *out_grab = (lim_grab){0};
    }
    if (!world_given(world, "lim_grab_create", "desc", desc) ||
        !world_given(world, "lim_grab_create", "out_grab", out_grab)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(grab_create(world, desc, out_grab));
}

static lim_result grab_destroy(lim_world* world, lim_grab id) {
    int32_t place = 0;
    world_body* b = grab_owner(world, "lim_grab_destroy", id, &place);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    body_grab_destroy(&b->body, place);
    slots_release(&world->grab_slots, (int32_t)id.index);
    held_anew(world, b);
    return LIM_OK;
}

lim_result lim_grab_destroy(lim_world* world, lim_grab grab) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(grab_destroy(world, grab));
}

static lim_result grab_move(lim_world* world, lim_grab id, lim_point target) {
    int32_t place = 0;
    world_body* b = grab_owner(world, "lim_grab_move", id, &place);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    check c = check_begin(&world->host, "lim_grab_move");
    check_point(&c, "target", target);
    LIM_TRY(c.result);
    b->body.grabs.data[place].target = target;
    body_wake(&b->body);
    return LIM_OK;
}

bool lim_grab_is_valid(const lim_world* world, lim_grab grab) {
    return world != NULL && slots_holds(&world->grab_slots, grab.index, grab.generation);
}

lim_result lim_grab_move(lim_world* world, lim_grab grab, lim_point target) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(grab_move(world, grab, target));
}

static lim_result grab_get_load(const lim_world* world, lim_grab id, lim_load* out) {
    int32_t place = 0;
    const world_body* b = grab_owner(world, "lim_grab_get_load", id, &place);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    const body_grab* g = &b->body.grabs.data[place];
    *out = (lim_load){.force = v3_scale(g->force, -1.0f),
                      .smooth_force = v3_scale(g->smooth_force, -1.0f)};
    return LIM_OK;
}

lim_result lim_grab_get_load(const lim_world* world, lim_grab grab, lim_load* out) {
    if (!world_given(world, "lim_grab_get_load", "out", out)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(grab_get_load(world, grab, out));
}

static lim_result grab_get_point(const lim_world* world, lim_grab id, lim_point* out_point) {
    int32_t place = 0;
    const world_body* b = grab_owner(world, "lim_grab_get_point", id, &place);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    *out_point = body_grab_point(&b->body, &b->body.grabs.data[place]);
    return LIM_OK;
}

lim_result lim_grab_get_point(const lim_world* world, lim_grab grab, lim_point* out_point) {
    if (!world_given(world, "lim_grab_get_point", "out_point", out_point)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(grab_get_point(world, grab, out_point));
}

/* ---- impulses ---------------------------------------------------------------------------------
 */

static lim_result push(lim_world* world, lim_body id, lim_point point, lim_vec3 impulse) {
    world_body* b = world_body_of(world, "lim_body_apply_impulse", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    check c = check_begin(&world->host, "lim_body_apply_impulse");
    check_point(&c, "point", point);
    check_vector(&c, "impulse", impulse, (double)CHECK_FORCE, "newton second, up to 1e12");
    LIM_TRY(c.result);
    if (body_push(&b->body, point, impulse, world->set, world->pool) != LIM_OK) {
        return log_fail(
            &world->host, LIM_ERROR_ARGUMENT,
            "lim_body_apply_impulse: the impulse would make the surface faster than 1e6 "
            "m/s; give a smaller one");
    }
    body_wake(&b->body);
    return LIM_OK;
}

lim_result lim_body_apply_impulse(lim_world* world, lim_body id, lim_point point,
                                  lim_vec3 impulse) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(push(world, id, point, impulse));
}

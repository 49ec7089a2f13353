/* SPDX-License-Identifier: MIT
 * Job: a body's memory and its whole-body operations. In: a descriptor and a topology. Out: a body
 * at rest at its pose. Creating is all or nothing; everything but pins, grabs, contacts and the
 * colliders that have lifted its skin lives in one arena.
 */
#include "body/beside.h"
#include "body/solver.h"

#include <string.h>

double body_metres(const body* b) {
    return b->topology->unit * b->scale;
}

node_state body_nodes(const body* b) {
    const topology* t = b->topology;
    return (node_state){.padded = t->slot_count,
                        .x0 = {t->x0[0], t->x0[1], t->x0[2]},
                        .mass = t->mass,
                        .d = {b->d[0], b->d[1], b->d[2]},
                        .v = {b->v[0], b->v[1], b->v[2]},
                        .inv_mass = b->inv_mass,
                        .affine = b->affine,
                        .components = b->components,
                        .component_count = t->component_count,
                        .blocks = t->blocks,
                        .block_count = t->block_count,
                        .slot_component = t->slot_component,
                        .more = {{b->moved[0], b->moved[1], b->moved[2]},
                                 {b->kicked[0], b->kicked[1], b->kicked[2]},
                                 {b->pressed[0], b->pressed[1], b->pressed[2]}}};
}

static lim_result allocate(body* b) {
    const topology* t = b->topology;
    size_t slots = (size_t)t->slot_count, region_slots = (size_t)t->regions.padded;
    size_t vertices = (size_t)t->vertex_count;
    struct {
        float** at;
        size_t count;
    } floats[] = {
        /* written before anybody reads them */
        {&b->d[0], slots},
        {&b->d[1], slots},
        {&b->d[2], slots},
        {&b->v[0], slots},
        {&b->v[1], slots},
        {&b->v[2], slots},
        {&b->q[0], region_slots},
        {&b->q[1], region_slots},
        {&b->q[2], region_slots},
        {&b->q[3], region_slots},
        {&b->spare, slots},
        {&b->usual, slots},
        {&b->since_touch, slots},
        {&b->strain[0], region_slots},
        {&b->strain[1], region_slots},
        {&b->strain[2], region_slots},
        {&b->strain[3], region_slots},
        {&b->strain[4], region_slots},
        {&b->strain[5], region_slots},
        {&b->stiffness, slots},
        {&b->region_stiffness, region_slots},
        {&b->good_d[0], slots},
        {&b->good_d[1], slots},
        {&b->good_d[2], slots},
        {&b->good_v[0], slots},
        {&b->good_v[1], slots},
        {&b->good_v[2], slots},
        {&b->good_q[0], region_slots},
        {&b->good_q[1], region_slots},
        {&b->good_q[2], region_slots},
        {&b->good_q[3], region_slots},
        {&b->good_strain[0], region_slots},
        {&b->good_strain[1], region_slots},
        {&b->good_strain[2], region_slots},
        {&b->good_strain[3], region_slots},
        {&b->good_strain[4], region_slots},
        {&b->good_strain[5], region_slots},
        {&b->inv_mass, slots},
        {&b->shape, slots},
        {&b->skin[0].positions, vertices * 3},
        {&b->skin[0].normals, vertices * 3},
        {&b->skin[1].positions, vertices * 3},
        {&b->skin[1].normals, vertices * 3},
        {&b->skin[0].tangents, t->tangent != NULL ? vertices * 4 : 0},
        {&b->skin[1].tangents, t->tangent != NULL ? vertices * 4 : 0},
    };
    for (size_t k = 0; k < sizeof floats / sizeof floats[0]; ++k) {
        if (floats[k].count > 0) {
            *floats[k].at = ARENA_ROOM(&b->mem, float, floats[k].count);
            LIM_TRY_MEMORY(*floats[k].at);
        }
    }
    float** history[] = {b->moved,      b->kicked,      b->pressed,
                         b->good_moved, b->good_kicked, b->good_pressed};
    for (size_t k = 0; k < 18 && solver_of(b)->history; ++k) {
        history[k / 3][k % 3] = ARENA_ROOM(&b->mem, float, slots);
        LIM_TRY_MEMORY(history[k / 3][k % 3]);
    }
    b->affine = t->bind.cell_count > 0 ? ARENA_ARRAY(&b->mem, float, slots * 16) /* they stay 0 */
                                       : ARENA_ROOM(&b->mem, float, slots * 16);
    LIM_TRY_MEMORY(b->affine);
    b->components = ARENA_ARRAY(&b->mem, component, t->component_count);
    b->good_components = ARENA_ARRAY(&b->mem, component, t->component_count);
    b->bounces = ARENA_ARRAY(&b->mem, body_bounce, t->component_count);
    b->block_sums = ARENA_ARRAY(&b->mem, double, (size_t)t->block_count* NODE_SUMS);
    b->walk = ARENA_ROOM(&b->mem, int32_t, slots);
    LIM_TRY_MEMORY(b->components);
    LIM_TRY_MEMORY(b->good_components);
    LIM_TRY_MEMORY(b->bounces);
    LIM_TRY_MEMORY(b->block_sums);
    LIM_TRY_MEMORY(b->walk);
    return solver_of(b)->make(b);
}

/* Rest at the descriptor's pose. */
static void to_rest(body* b) {
    const topology* t = b->topology;
    for (int k = 0; k < 3; ++k) {
        memset(b->d[k], 0, (size_t)t->slot_count * sizeof(float));
        memset(b->v[k], 0, (size_t)t->slot_count * sizeof(float));
    }
    for (int k = 0; k < 6; ++k) {
        memset(b->strain[k], 0, (size_t)t->regions.padded * sizeof(float));
    }
    for (int k = 0; k < 3 && b->moved[0] != NULL; ++k) {
        memset(b->moved[k], 0, (size_t)t->slot_count * sizeof(float));
        memset(b->kicked[k], 0, (size_t)t->slot_count * sizeof(float));
        memset(b->pressed[k], 0, (size_t)t->slot_count * sizeof(float));
    }
    b->history_h = 0.0f;
    b->plastic = b->material.yield > 0.0f;
    b->gripped = false;
    embedding_free(b->embedding);
    b->embedding = NULL;
    b->embed_wait = 0;
    for (int32_t r = 0; r < t->regions.padded; ++r) {
        b->q[0][r] = b->q[1][r] = b->q[2][r] = 0.0f;
        b->q[3][r] = 1.0f;
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        component* at = b->components + c;
        lim_point sum = p3(0, 0, 0);
        double mass = 0.0;
        b->bounces[c] = (body_bounce){0};
        *at = (component){.origin = b->start_position,
                          .rotation = b->start_orientation,
                          .begin = t->component_begin[c],
                          .end = t->component_begin[c + 1],
                          .finite = true};
        const float* const places[3] = {t->x0[0], t->x0[1], t->x0[2]};
        node_anchor(places, t->volume, t->side, at->begin, at->end, at->anchor, &at->span);
        double own = NODE_OWN * at->span * at->span;
        for (int32_t i = at->begin; i < at->end; ++i) {
            lim_point x0 = p3((double)t->x0[0][i], (double)t->x0[1][i], (double)t->x0[2][i]);
            sum = p3_mad(sum, x0, (double)t->mass[i]);
            mass += (double)t->mass[i];
            double side = (double)t->side[i];
            at->own_inertia += (double)t->mass[i] * (side * side / 6.0 + own);
        }
        at->mass = mass;
        at->rest_centre = p3_scale(sum, 1.0 / mass);
        at->centre = at->rest_centre;
    }
    b->sums_valid = false;
    b->frozen = false;
}

void body_set_velocity(body* b, lim_vec3 velocity, lim_vec3 angular_velocity) {
    const topology* t = b->topology;
    node_state n = body_nodes(b);
    double scale = body_metres(b);
    lim_point centre = body_centre(b);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (!(b->inv_mass[i] > 0.0f)) {
            continue;
        }
        const component* c = b->components + t->slot_component[i];
        lim_point local =
            p3((double)t->x0[0][i] + (double)n.d[0][i], (double)t->x0[1][i] + (double)n.d[1][i],
               (double)t->x0[2][i] + (double)n.d[2][i]);
        lim_point lever = p3_sub(node_to_world(c, scale, local), centre);
        lim_point world = p3_add(p3_of(velocity), p3_cross(p3_of(angular_velocity), lever));
        lim_point v = dquat_rotate(dquat_conjugate(c->rotation), p3_scale(world, 1.0 / scale));
        n.v[0][i] = (float)v.x;
        n.v[1][i] = (float)v.y;
        n.v[2][i] = (float)v.z;
    }
    b->history_h = 0.0f;
    body_wake(b);
}

lim_point body_centre(const body* b) {
    const topology* t = b->topology;
    double scale = body_metres(b), mass = 0.0;
    lim_point sum = p3(0, 0, 0);
    /* Relative to the first component's origin, so that distance costs no digits. */
    lim_point base = b->components[0].origin;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        const component* c = b->components + t->slot_component[i];
        lim_point local =
            p3((double)t->x0[0][i] + (double)b->d[0][i], (double)t->x0[1][i] + (double)b->d[1][i],
               (double)t->x0[2][i] + (double)b->d[2][i]);
        lim_point at = p3_sub(node_to_world(c, scale, local), base);
        sum = p3_mad(sum, at, (double)t->mass[i]);
        mass += (double)t->mass[i];
    }
    return p3_mad(base, sum, 1.0 / mass);
}

lim_result body_create_still(const lim_body_desc* desc, topology* t, const lim_host* host,
                             body* out) {
    body* b = out;
    *b = (body){.host = *host,
                .topology = t,
                .material = desc->material,
                .scale = (double)desc->scale,
                .gravity_scale = desc->gravity_scale,
                .enabled = desc->enabled,
                .self_contact = desc->self_contact,
                .layers = {desc->layer, desc->mask},
                .start_position = desc->position,
                .start_orientation = dquat_of(desc->orientation),
                .user = desc->user,
                .gains_stale = true};
    topology_retain(t);
    arena_init(&b->mem, host);
    lim_result result = allocate(b);
    if (result != LIM_OK) {
        body_destroy(b);
        return result;
    }
    body_model_stiffness(b);
    to_rest(b);
    body_refresh_inv_mass(b);
    return LIM_OK;
}

lim_result body_create(const lim_body_desc* desc, topology* t, const lim_host* host, body* out) {
    LIM_TRY(body_create_still(desc, t, host, out));
    lim_result result = out->self_contact ? body_beside_find(out) : LIM_OK;
    if (result != LIM_OK) {
        body_destroy(out);
        return result;
    }
    body_set_velocity(out, desc->velocity, desc->angular_velocity);
    return LIM_OK;
}

void body_destroy(body* b) {
    while (b->pins.count > 0) {
        body_pin_destroy(b, b->pins.count - 1);
    }
    while (b->grabs.count > 0) {
        body_grab_destroy(b, b->grabs.count - 1);
    }
    ARRAY_FREE(&b->host, &b->pins);
    ARRAY_FREE(&b->host, &b->grabs);
    ARRAY_FREE(&b->host, &b->skin[0].lifters);
    ARRAY_FREE(&b->host, &b->skin[1].lifters);
    contact_list_free(&b->contacts, &b->host);
    body_meeting_free(&b->meeting, &b->host);
    embedding_free(b->embedding);
    solver_of(b)->release(b);
    arena_release(&b->mem);
    topology_release(b->topology);
    *b = (body){0};
}

void body_wake(body* b) {
    b->asleep = false;
    b->damping_wait = 0;
    b->quiet_time = 0.0f;
    b->sums_valid = false;
}

bool body_is_outside(const body* b, const lim_box* box) {
    const topology* t = b->topology;
    lim_point low = p3(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = p3_scale(low, -1.0);
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        const component* c = &b->components[t->slot_component[slot]];
        lim_point at = node_to_world(c, body_metres(b), body_slot_local(b, slot));
        low = p3_min(low, at);
        high = p3_max(high, at);
    }
    double skin = (double)t->surface_reach * body_metres(b);
    return low.x - skin > box->upper.x || high.x + skin < box->lower.x ||
           low.y - skin > box->upper.y || high.y + skin < box->lower.y ||
           low.z - skin > box->upper.z || high.z + skin < box->lower.z;
}

void body_feel_touch(body* b) {
    b->feels_touch = true;
    for (int32_t i = 0; i < b->topology->slot_count; ++i) {
        b->since_touch[i] = BODY_NEVER_TOUCHED;
    }
}

void body_reset(body* b) {
    to_rest(b);
    if (b->feels_touch) {
        body_feel_touch(b);
    }
    body_wake(b);
}

void body_move(body* b, lim_point pivot, dquat rotation, lim_point shift) {
    for (int32_t c = 0; c < b->topology->component_count; ++c) {
        component* at = b->components + c;
        lim_point arm = dquat_rotate(rotation, p3_sub(at->origin, pivot));
        at->origin = p3_add(p3_add(pivot, shift), arm);
        at->rotation = dquat_unit(dquat_mul(rotation, at->rotation));
        b->bounces[c].speed = 0.0f;
    }
    b->gripped = false;
    body_wake(b);
}

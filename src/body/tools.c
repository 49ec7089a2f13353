/* SPDX-License-Identifier: MIT
 * Job: what holds and pulls a body: pins, grabs, impulses. In: descriptors, then the substeps of a
 * step. Out: velocities. A pin gives its nodes the velocity that takes them to where the moving
 * frame wants them at the substep's end; their inverse mass is 0, so nothing else moves them. A
 * grab is one spring and damper on the mean of a patch, implicit in its own velocity: J = h (k
 * (x_target - x - h v) - c v) / (1 + h c / m + h^2 k / m) with m the mass that the patch shows to a
 * push, 1 / sum weight_i^2 inv_mass_i: it cannot overshoot for any stiffness and step.
 */
#include "body/patch.h"

#include "base/log.h"
#include "math/trig.h"

#include <string.h>

/* A grab whose stiffness is left to us swings once in this many seconds with the whole piece in
 * hand; critically damped, it has followed a target after about half of it. */
#define GRAB_PERIOD 0.2

/* ---- pins -------------------------------------------------------------------------------------
 */

static lim_point slot_place(const body* b, int32_t slot) {
    const topology* t = b->topology;
    lim_point local = p3((double)t->x0[0][slot] + (double)b->d[0][slot],
                         (double)t->x0[1][slot] + (double)b->d[1][slot],
                         (double)t->x0[2][slot] + (double)b->d[2][slot]);
    return node_to_world(&b->components[t->slot_component[slot]], body_metres(b), local);
}

static void free_pin(const lim_host* host, body_pin* p) {
    mem_free(host, p->slot, (size_t)p->count, sizeof *p->slot);
    mem_free(host, p->local, (size_t)p->count, sizeof *p->local);
}

lim_result body_pin_create(body* b, const lim_pin_desc* desc, uint32_t id_index) {
    const topology* t = b->topology;
    collider shape = {.shape = desc->shape,
                      .size = desc->size,
                      .position = desc->position,
                      .orientation = dquat_of(desc->orientation)};
    int32_t count = 0;
    lim_vec3 normal;
    for (int32_t i = 0; i < t->node_count; ++i) {
        count += collider_distance(&shape, slot_place(b, t->node_slot[i]), &normal) <= 0.0;
    }
    if (count == 0) {
        return LIM_ERROR_ARGUMENT;
    }
    body_pin pin = {.id_index = id_index,
                    .count = count,
                    .slot = mem_alloc(&b->host, (size_t)count, sizeof(int32_t)),
                    .local = mem_alloc(&b->host, (size_t)count, sizeof(lim_vec3)),
                    .position = desc->position,
                    .target_position = desc->position,
                    .orientation = shape.orientation,
                    .target_orientation = shape.orientation};
    if (pin.slot == NULL || pin.local == NULL || !ARRAY_PUSH(&b->host, &b->pins, pin)) {
        free_pin(&b->host, &pin);
        return LIM_ERROR_MEMORY;
    }
    count = 0;
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        lim_point at = slot_place(b, slot);
        if (collider_distance(&shape, at, &normal) <= 0.0) {
            lim_point arm = p3_sub(at, pin.position);
            pin.slot[count] = slot;
            pin.local[count++] = v3_of(dquat_rotate(dquat_conjugate(pin.orientation), arm));
        }
    }
    body_refresh_inv_mass(b);
    return LIM_OK;
}

void body_pin_destroy(body* b, int32_t index) {
    free_pin(&b->host, &b->pins.data[index]);
    b->pins.count--;
    memmove(b->pins.data + index, b->pins.data + index + 1,
            (size_t)(b->pins.count - index) * sizeof(body_pin));
    body_refresh_inv_mass(b);
}

void body_refresh_inv_mass(body* b) {
    const topology* t = b->topology;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        b->inv_mass[i] = t->volume[i] > 0.0f ? 1.0f / t->volume[i] : 0.0f;
    }
    for (int32_t k = 0; k < b->pins.count; ++k) {
        const body_pin* p = &b->pins.data[k];
        for (int32_t i = 0; i < p->count; ++i) {
            b->inv_mass[p->slot[i]] = 0.0f;
        }
    }
}

/* The shorter way between two orientations, by a share. */
static dquat blend(dquat a, dquat b, double share) {
    double dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    double s = dot < 0.0 ? -share : share, r = 1.0 - share;
    return dquat_unit(
        (dquat){r * a.x + s * b.x, r * a.y + s * b.y, r * a.z + s * b.z, r * a.w + s * b.w});
}

void body_pins_apply(body* b, double t0, double t1, double dt) {
    const topology* t = b->topology;
    double metres = body_metres(b), per_second = 1.0 / ((t1 - t0) * dt);
    for (int32_t k = 0; k < b->pins.count; ++k) {
        const body_pin* p = &b->pins.data[k];
        lim_point place = p3_mad(p->position, p3_sub(p->target_position, p->position), t1);
        dquat turn = blend(p->orientation, p->target_orientation, t1);
        for (int32_t i = 0; i < p->count; ++i) {
            int32_t slot = p->slot[i];
            const component* c = &b->components[t->slot_component[slot]];
            lim_point to = p3_add(place, dquat_rotate(turn, p3_of(p->local[i])));
            lim_point local = node_to_local(c, metres, to);
            const double at[3] = {local.x, local.y, local.z};
            for (int a = 0; a < 3; ++a) {
                double now = (double)t->x0[a][slot] + (double)b->d[a][slot];
                b->v[a][slot] = (float)((at[a] - now) * per_second);
            }
        }
    }
}

void body_pins_finish(body* b) {
    for (int32_t k = 0; k < b->pins.count; ++k) {
        body_pin* p = &b->pins.data[k];
        p->position = p->target_position;
        p->orientation = p->target_orientation;
    }
}

/* ---- grabs ------------------------------------------------------------------------------------
 */

static void free_grab(const lim_host* host, body_grab* g) {
    mem_free(host, g->slot, (size_t)g->count, sizeof *g->slot);
    mem_free(host, g->weight, (size_t)g->count, sizeof *g->weight);
    mem_free(host, g->arm, (size_t)g->count, sizeof *g->arm);
}

static double piece_mass(const body* b, int32_t piece) {
    const topology* t = b->topology;
    double volume = 0.0, metres = body_metres(b);
    for (int32_t i = t->component_begin[piece]; i < t->component_begin[piece + 1]; ++i) {
        volume += (double)t->volume[i];
    }
    return volume * (double)b->material.density * metres * metres * metres;
}

/* Nodes of the patch with their shares of its mass. */
static lim_result grab_take_nodes(body* b, body_grab* g, const patch* p) {
    const topology* t = b->topology;
    size_t n = (size_t)p->count;
    g->count = p->count;
    g->slot = mem_alloc(&b->host, n, sizeof *g->slot);
    g->weight = mem_alloc(&b->host, n, sizeof *g->weight);
    g->arm = mem_alloc(&b->host, n, sizeof *g->arm);
    if (g->slot == NULL || g->weight == NULL || g->arm == NULL) {
        return LIM_ERROR_MEMORY;
    }
    int32_t at = 0;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (p->shape[i] > 0.0f) {
            double w = (double)t->volume[i] * (double)p->shape[i] / p->mass;
            lim_point x0 = p3((double)t->x0[0][i], (double)t->x0[1][i], (double)t->x0[2][i]);
            g->slot[at] = i;
            g->weight[at] = (float)w;
            g->arm[at++] = v3_of(p3_scale(p3_sub(p->rest, x0), w));
        }
    }
    return LIM_OK;
}

lim_result body_grab_create(body* b, const lim_grab_desc* desc, uint32_t id_index) {
    patch p;
    if (!patch_find(b, desc->point, (double)desc->radius, &p)) {
        return LIM_ERROR_ARGUMENT;
    }
    body_grab g = {.id_index = id_index,
                   .component = p.component,
                   .rest = v3_of(p.rest),
                   .target = p.world,
                   .previous_target = p.world,
                   .force_limit = desc->force_limit};
    lim_result result = grab_take_nodes(b, &g, &p);
    if (result == LIM_OK) {
        double mass = piece_mass(b, g.component), rate = 2.0 * TRIG_PI / GRAB_PERIOD;
        double k = desc->stiffness > 0.0f ? (double)desc->stiffness : mass * rate * rate;
        g.stiffness = (float)k;
        g.damping = (float)(2.0 * sqrt(k * mass)); /* critical */
        g.offset = v3_of(p3_sub(p.world, body_grab_point(b, &g)));
        result = ARRAY_PUSH(&b->host, &b->grabs, g) ? LIM_OK : LIM_ERROR_MEMORY;
    }
    if (result != LIM_OK) {
        free_grab(&b->host, &g);
    }
    return result;
}

void body_grab_destroy(body* b, int32_t index) {
    free_grab(&b->host, &b->grabs.data[index]);
    b->grabs.count--;
    memmove(b->grabs.data + index, b->grabs.data + index + 1,
            (size_t)(b->grabs.count - index) * sizeof(body_grab));
}

lim_point body_grab_point(const body* b, const body_grab* g) {
    lim_point x = p3_of(g->rest);
    for (int32_t i = 0; i < g->count; ++i) {
        int32_t slot = g->slot[i];
        const float* f = b->affine + 16 * (size_t)slot;
        double w = (double)g->weight[i];
        lim_point arm = p3_of(g->arm[i]);
        x.x += w * (double)b->d[0][slot] + (double)f[0] * arm.x + (double)f[1] * arm.y +
               (double)f[2] * arm.z;
        x.y += w * (double)b->d[1][slot] + (double)f[3] * arm.x + (double)f[4] * arm.y +
               (double)f[5] * arm.z;
        x.z += w * (double)b->d[2][slot] + (double)f[6] * arm.x + (double)f[7] * arm.y +
               (double)f[8] * arm.z;
    }
    lim_point mean = node_to_world(&b->components[g->component], body_metres(b), x);
    return p3_add(mean, p3_of(g->offset));
}

/* Adds an impulse in newton second, world axes, to the patch. */
static void grab_push(body* b, const body_grab* g, lim_point impulse) {
    double metres = body_metres(b);
    double unit = 1.0 / ((double)b->material.density * metres * metres * metres * metres);
    dquat back = dquat_conjugate(b->components[g->component].rotation);
    lim_point push = p3_scale(dquat_rotate(back, impulse), unit);
    for (int32_t i = 0; i < g->count; ++i) {
        int32_t slot = g->slot[i];
        double w = (double)g->weight[i] * (double)b->inv_mass[slot];
        b->v[0][slot] += (float)(w * push.x);
        b->v[1][slot] += (float)(w * push.y);
        b->v[2][slot] += (float)(w * push.z);
    }
}

void body_grabs_apply(body* b, double t0, double t1, double dt, double h) {
    double metres = body_metres(b);
    double kilograms = (double)b->material.density * metres * metres * metres;
    for (int32_t k = 0; k < b->grabs.count; ++k) {
        body_grab* g = &b->grabs.data[k];
        lim_point target = p3_mad(g->previous_target, p3_sub(g->target, g->previous_target), t1);
        lim_point v = p3(0, 0, 0);
        double inverse = 0.0; /* of the patch's mass; 0 when everything under it is pinned */
        for (int32_t i = 0; i < g->count; ++i) {
            int32_t slot = g->slot[i];
            double w = (double)g->weight[i];
            v = p3_mad(v, p3((double)b->v[0][slot], (double)b->v[1][slot], (double)b->v[2][slot]),
                       w);
            inverse += w * w * (double)b->inv_mass[slot] / kilograms;
        }
        v = p3_scale(dquat_rotate(b->components[g->component].rotation, v), metres);
        double stiff = (double)g->stiffness, damp = (double)g->damping;
        lim_point gap = p3_mad(p3_sub(target, body_grab_point(b, g)), v, -h);
        lim_point force = p3_mad(p3_scale(gap, stiff), v, -damp);
        force = p3_scale(force, 1.0 / (1.0 + h * (damp + h * stiff) * inverse));
        double size = p3_length(force), limit = (double)g->force_limit;
        if (limit > 0.0 && size > limit) {
            force = p3_scale(force, limit / size);
        }
        grab_push(b, g, p3_scale(force, h));
        /* The step's mean force: substeps add their share of dt. */
        lim_point mean = p3_scale(force, h / dt);
        g->force = t0 <= 0.0 ? v3_of(mean) : v3_add(g->force, v3_of(mean));
    }
}

void body_grabs_finish(body* b) {
    for (int32_t k = 0; k < b->grabs.count; ++k) {
        body_grab* g = &b->grabs.data[k];
        g->previous_target = g->target;
        /* A body that blew up goes back to its last finite state; so must what it felt. */
        g->force = v3_finite(g->force) ? g->force : v3(0, 0, 0);
    }
}

/* ---- impulses ---------------------------------------------------------------------------------
 */

/* A push that could make a node faster than this (m/s) is refused: it could leave what floats hold.
 */
#define PUSH_SPEED 1e6

lim_result body_push(body* b, lim_point point, lim_vec3 impulse) {
    patch p;
    if (!patch_find(b, point, 0.0, &p)) {
        return LIM_OK;
    }
    double metres = body_metres(b);
    double unit = 1.0 / ((double)b->material.density * metres * metres * metres * metres);
    dquat back = dquat_conjugate(b->components[p.component].rotation);
    lim_point local = p3_scale(dquat_rotate(back, p3_of(impulse)), unit);
    return patch_push(&p, b, local, PUSH_SPEED / metres) ? LIM_OK : LIM_ERROR_ARGUMENT;
}

/* SPDX-License-Identifier: MIT
 * Job: hold material to moving frames. In: descriptors, then the substeps of a step. Out:
 * velocities, and what each pin put on its body.
 *
 * A hard pin gives its nodes the velocity that takes them to where the frame wants them at the
 * substep's end; their inverse mass is 0, so nothing else moves them. What matching, gravity and
 * grabs would have done to them lies in their velocities until the pin sets them again: that
 * change, times mass, is the pin's impulse.
 *
 * A soft pin pulls each of its nodes to its place x* in the frame and damps it about the frame's
 * own velocity u there, m dv / h = k_m (x* - x - h v') - c_m (v' - u), implicit in the node's new
 * velocity v' = v + dv:
 *     dv = h (w (x* - x - h v) - c (v - u)) / (1 + h c + h^2 w).
 * With w = K / M of the held mass M, nodes move alike whatever they weigh, K is the stiffness of
 * all together, and c = 2 sqrt(K M') / M is critical for all that hangs on them, the mass M' of
 * their components. No stiffness and step can overshoot, and v' goes to the hard pin's as w grows.
 */
#include "body/body.h"

#include <string.h>

static lim_point slot_place(const body* b, int32_t slot) {
    const component* c = &b->components[b->topology->slot_component[slot]];
    return node_to_world(c, body_metres(b), body_slot_local(b, slot));
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
                    .stiffness = desc->stiffness,
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

body_pin* body_next_hold(const body* b, int32_t* k) {
    while (*k < b->pins.count + b->grabs.count) {
        int32_t i = (*k)++;
        if (i < b->pins.count) {
            return &b->pins.data[i];
        }
        body_grab* g = &b->grabs.data[i - b->pins.count];
        if (g->hard && !g->hold.gave_way) {
            return &g->hold;
        }
    }
    return NULL;
}

bool body_pin_is_hard(const body_pin* p) {
    return !(p->stiffness > 0.0f);
}

void body_refresh_inv_mass(body* b) {
    const topology* t = b->topology;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        b->inv_mass[i] = t->mass[i] > 0.0f ? 1.0f / t->mass[i] : 0.0f;
    }
    int32_t k = 0;
    for (const body_pin* p = body_next_hold(b, &k); p != NULL; p = body_next_hold(b, &k)) {
        for (int32_t i = 0; i < p->count && body_pin_is_hard(p); ++i) {
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

pin_frame body_pin_frame(const body* b, const body_pin* p, double share, int32_t piece) {
    const component* c = &b->components[piece];
    lim_point place = p3_mad(p->position, p3_sub(p->target_position, p->position), share);
    dquat turn = blend(p->orientation, p->target_orientation, share);
    return (pin_frame){.place = node_to_local(c, body_metres(b), place),
                       .turn = dquat_mul(dquat_conjugate(c->rotation), turn),
                       .unit = 1.0 / body_metres(b)};
}

lim_point body_pin_place(const pin_frame* f, lim_vec3 local) {
    return p3_mad(f->place, dquat_rotate(f->turn, p3_of(local)), f->unit);
}

double body_pin_load(const body* b, const body_pin* p) {
    double mass = 0.0;
    int32_t last = -1;
    for (int32_t i = 0; i < p->count; ++i) {
        int32_t piece = b->topology->slot_component[p->slot[i]];
        mass += piece != last ? b->components[piece].mass : 0.0; /* slots are in order */
        last = piece;
    }
    return mass;
}

/* Impulses on nodes of one component, in its frame, unit masses and lengths. */
typedef struct felt {
    lim_point push, turn; /* sum m dv, sum m x cross dv */
} felt;

/* Sets a node's velocity and adds the impulse of it. */
static void set_velocity(body* b, int32_t slot, lim_point v, felt* sum) {
    const double to[3] = {v.x, v.y, v.z};
    double change[3];
    for (int a = 0; a < 3; ++a) {
        float now = (float)to[a];
        change[a] = (double)now - (double)b->v[a][slot];
        b->v[a][slot] = now;
    }
    lim_point push = p3_scale(p3(change[0], change[1], change[2]), (double)b->topology->mass[slot]);
    sum->push = p3_add(sum->push, push);
    sum->turn = p3_add(sum->turn, p3_cross(body_slot_local(b, slot), push));
}

/* Adds impulses to what the pin has done in this step: newton second in world axes, about the
 * place where the frame's origin ends. */
static void feel(const body* b, body_pin* p, int32_t piece, const felt* sum) {
    const component* c = &b->components[piece];
    double metres = body_metres(b);
    double unit = (double)b->material.density * metres * metres * metres * metres;
    lim_point impulse = p3_scale(dquat_rotate(c->rotation, sum->push), unit);
    lim_point turning = p3_scale(dquat_rotate(c->rotation, sum->turn), unit * metres);
    lim_point arm = p3_sub(c->origin, p->target_position);
    p->impulse = p3_add(p->impulse, impulse);
    p->turning = p3_add(p->turning, p3_add(turning, p3_cross(arm, impulse)));
}

int32_t body_pin_run(const body* b, const body_pin* p, int32_t first) {
    const int32_t* of = b->topology->slot_component;
    int32_t i = first + 1;
    while (i < p->count && of[p->slot[i]] == of[p->slot[first]]) {
        ++i;
    }
    return i;
}

void body_pins_begin(body* b) {
    for (int32_t k = 0; k < b->pins.count; ++k) {
        b->pins.data[k].impulse = b->pins.data[k].turning = p3(0, 0, 0);
    }
    for (int32_t k = 0; k < b->grabs.count; ++k) {
        body_pin* p = &b->grabs.data[k].hold;
        p->impulse = p->turning = p3(0, 0, 0);
    }
}

/* The impulse that holding would take now, newton second in world axes. */
static lim_point wanted_impulse(const body* b, const body_pin* p, double t1, double h) {
    double metres = body_metres(b);
    double unit = (double)b->material.density * metres * metres * metres * metres;
    lim_point sum = p3(0, 0, 0);
    for (int32_t i = 0, end; i < p->count; i = end) {
        int32_t piece = b->topology->slot_component[p->slot[i]];
        pin_frame frame = body_pin_frame(b, p, t1, piece);
        lim_point push = p3(0, 0, 0);
        for (end = body_pin_run(b, p, i); i < end; ++i) {
            int32_t slot = p->slot[i];
            lim_point v = p3((double)b->v[0][slot], (double)b->v[1][slot], (double)b->v[2][slot]);
            lim_point way = p3_sub(body_pin_place(&frame, p->local[i]), body_slot_local(b, slot));
            push = p3_mad(push, p3_mad(p3_scale(way, 1.0 / h), v, -1.0),
                          (double)b->topology->mass[slot]);
        }
        sum = p3_mad(sum, dquat_rotate(b->components[piece].rotation, push), unit);
    }
    return sum;
}

/* Whether the hold of a grab can bear what it must in this substep; else it lets go. */
static bool bears(body* b, body_pin* p, double t1, double h) {
    if (!(p->limit > 0.0f)) {
        return true;
    }
    lim_point all = p3_add(p3_sub(p->impulse, p->begun), wanted_impulse(b, p, t1, h));
    if (p3_length(all) <= (double)p->limit * h) {
        return true;
    }
    p->gave_way = true;
    body_refresh_inv_mass(b);
    return false;
}

void body_pins_hold(body* b, double t1, double h) {
    int32_t k = 0;
    for (body_pin* p = body_next_hold(b, &k); p != NULL; p = body_next_hold(b, &k)) {
        if (!bears(b, p, t1, h)) {
            continue;
        }
        for (int32_t i = 0, end; i < p->count && body_pin_is_hard(p); i = end) {
            int32_t piece = b->topology->slot_component[p->slot[i]];
            pin_frame frame = body_pin_frame(b, p, t1, piece);
            felt sum = {0};
            for (end = body_pin_run(b, p, i); i < end; ++i) {
                lim_point to = body_pin_place(&frame, p->local[i]);
                lim_point way = p3_sub(to, body_slot_local(b, p->slot[i]));
                set_velocity(b, p->slot[i], p3_scale(way, 1.0 / h), &sum);
            }
            feel(b, p, piece, &sum);
        }
    }
}

bool body_pin_holds(const body* b, const body_pin* p, int32_t i) {
    return body_pin_is_hard(p) || b->inv_mass[p->slot[i]] > 0.0f;
}

void body_pins_share(body* b) {
    const topology* t = b->topology;
    int32_t k = 0;
    for (body_pin* p = body_next_hold(b, &k); p != NULL; p = body_next_hold(b, &k)) {
        for (int32_t i = 0, end; i < p->count; i = end) {
            int32_t piece = t->slot_component[p->slot[i]];
            const component* c = &b->components[piece];
            double mass = 0.0;
            for (end = body_pin_run(b, p, i); i < end; ++i) {
                mass += body_pin_holds(b, p, i) ? (double)t->mass[p->slot[i]] : 0.0;
            }
            if (!(c->held > 0.0)) {
                continue;
            }
            double share = p->hold * mass / c->held_mass;
            lim_point at = p3_add(c->own_centre, p3_sub(c->centre, c->rest_centre));
            felt sum = {p3_scale(c->held_impulse, share), p3_scale(c->held_turning, share)};
            sum.turn = p3_add(sum.turn, p3_cross(at, sum.push));
            feel(b, p, piece, &sum);
        }
    }
}

/* Mass of the nodes of a pin that are free, per density and unit volume. */
static double free_mass(const body* b, const body_pin* p) {
    double mass = 0.0;
    for (int32_t i = 0; i < p->count; ++i) {
        int32_t slot = p->slot[i];
        mass += b->inv_mass[slot] > 0.0f ? (double)b->topology->mass[slot] : 0.0;
    }
    return mass;
}

void body_pins_pull(body* b, double t0, double t1, double h) {
    double metres = body_metres(b);
    double kilograms = (double)b->material.density * metres * metres * metres;
    for (int32_t k = 0; k < b->pins.count; ++k) {
        body_pin* p = &b->pins.data[k];
        double mass = body_pin_is_hard(p) ? 0.0 : free_mass(b, p) * kilograms;
        if (!(mass > 0.0)) {
            continue;
        }
        double w = (double)p->stiffness / mass;
        double c = 2.0 * sqrt((double)p->stiffness * body_pin_load(b, p) * kilograms) / mass;
        double gain = h / (1.0 + h * c + h * h * w);
        for (int32_t i = 0, end; i < p->count; i = end) {
            int32_t piece = b->topology->slot_component[p->slot[i]];
            pin_frame from = body_pin_frame(b, p, t0, piece), to = body_pin_frame(b, p, t1, piece);
            felt sum = {0};
            for (end = body_pin_run(b, p, i); i < end; ++i) {
                int32_t slot = p->slot[i];
                if (!body_pin_holds(b, p, i)) {
                    continue;
                }
                lim_point v =
                    p3((double)b->v[0][slot], (double)b->v[1][slot], (double)b->v[2][slot]);
                lim_point at = body_pin_place(&to, p->local[i]);
                lim_point u = p3_scale(p3_sub(at, body_pin_place(&from, p->local[i])), 1.0 / h);
                lim_point gap = p3_mad(p3_sub(at, body_slot_local(b, slot)), v, -h);
                lim_point pull = p3_mad(p3_scale(gap, w), p3_sub(v, u), -c);
                set_velocity(b, slot, p3_mad(v, pull, gain), &sum);
            }
            feel(b, p, piece, &sum);
        }
    }
}

/* Of a soft pin, N/m and N s/m per kilogram of a node. */
typedef struct pin_spring {
    double stiff, damp, kilograms;
} pin_spring;

static bool spring_of(const body* b, const body_pin* p, pin_spring* out) {
    double metres = body_metres(b);
    out->kilograms = (double)b->material.density * metres * metres * metres;
    double mass = body_pin_is_hard(p) ? 0.0 : free_mass(b, p) * out->kilograms;
    if (!(mass > 0.0)) {
        return false;
    }
    out->stiff = (double)p->stiffness / mass;
    out->damp = 2.0 * sqrt((double)p->stiffness * body_pin_load(b, p) * out->kilograms) / mass;
    return true;
}

/* The force of a spring on a node at the substep's begin, without its velocity: newton. */
static lim_point node_spring(const body* b, const pin_spring* w, const pin_frame* from,
                             const pin_frame* to, lim_vec3 local, int32_t slot, double h) {
    lim_point at = body_pin_place(to, local);
    lim_point u = p3_scale(p3_sub(at, body_pin_place(from, local)), 1.0 / h);
    lim_point pull = p3_scale(p3_sub(at, body_slot_local(b, slot)), w->stiff);
    double mass = (double)b->topology->mass[slot] * w->kilograms;
    return p3_scale(p3_mad(pull, u, w->damp), mass * body_metres(b));
}

void body_pins_spring(const body* b, double t0, double t1, double h, const body_springs* s) {
    for (int32_t k = 0; k < b->pins.count; ++k) {
        const body_pin* p = &b->pins.data[k];
        pin_spring w;
        if (!spring_of(b, p, &w)) {
            continue;
        }
        for (int32_t i = 0; i < p->count; ++i) {
            int32_t slot = p->slot[i], piece = b->topology->slot_component[slot];
            pin_frame from = body_pin_frame(b, p, t0, piece), to = body_pin_frame(b, p, t1, piece);
            if (!body_pin_holds(b, p, i)) {
                continue;
            }
            lim_point f = node_spring(b, &w, &from, &to, p->local[i], slot, h);
            double mass = (double)b->topology->mass[slot] * w.kilograms;
            int32_t n = s->node[slot];
            s->force[0][n] += (float)f.x;
            s->force[1][n] += (float)f.y;
            s->force[2][n] += (float)f.z;
            s->spring[n] += (float)(mass * w.stiff);
            s->damper[n] += (float)(mass * w.damp);
        }
    }
}

void body_pins_sprung(body* b, double t0, double t1, double h, const body_springs* s) {
    double metres = body_metres(b);
    for (int32_t k = 0; k < b->pins.count; ++k) {
        body_pin* p = &b->pins.data[k];
        pin_spring w;
        if (!spring_of(b, p, &w)) {
            continue;
        }
        for (int32_t i = 0, end; i < p->count; i = end) {
            int32_t piece = b->topology->slot_component[p->slot[i]];
            pin_frame from = body_pin_frame(b, p, t0, piece), to = body_pin_frame(b, p, t1, piece);
            felt sum = {0};
            for (end = body_pin_run(b, p, i); i < end; ++i) {
                int32_t slot = p->slot[i], n = s->node[slot];
                if (!body_pin_holds(b, p, i)) {
                    continue;
                }
                double mass = (double)b->topology->mass[slot] * w.kilograms;
                lim_point f = node_spring(b, &w, &from, &to, p->local[i], slot, h);
                lim_point way =
                    p3((double)s->way[0][n], (double)s->way[1][n], (double)s->way[2][n]);
                lim_point v = p3((double)s->v[0][n], (double)s->v[1][n], (double)s->v[2][n]);
                f = p3_mad(p3_mad(f, way, -mass * w.stiff), v, -mass * w.damp);
                lim_point push = p3_scale(f, h / (w.kilograms * metres));
                sum.push = p3_add(sum.push, push);
                sum.turn = p3_add(sum.turn, p3_cross(body_slot_local(b, slot), push));
            }
            feel(b, p, piece, &sum);
        }
    }
}

void body_pins_finish(body* b, double dt) {
    for (int32_t k = 0; k < b->pins.count; ++k) {
        body_pin* p = &b->pins.data[k];
        p->position = p->target_position;
        p->orientation = p->target_orientation;
        p->force = v3_finite_of(p3_scale(p->impulse, 1.0 / dt));
        p->torque = v3_finite_of(p3_scale(p->turning, 1.0 / dt));
    }
}

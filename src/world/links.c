/* SPDX-License-Identifier: MIT
 * Job: links in a step. In: links, the bodies as others meet them. Out: gaps, velocities, loads,
 * links that break. Sums are in order of links and ties; each link is solved by one thread.
 */
#include "world/links.h"

#include "math/eigen.h"
#include "world/world.h"

static body* body_at(const lim_world* world, int32_t index) {
    return &world->bodies[index]->body;
}

static double kilograms(const body* b) {
    double metres = body_metres(b);
    return (double)b->material.density * metres * metres * metres;
}

/* ---- living -------------------------------------------------------------------------------------
 */

void world_link_free(const lim_host* host, world_link* link) {
    mem_free(host, link->tie, (size_t)link->count, sizeof *link->tie);
    *link = (world_link){0};
}

void world_link_end(lim_world* world, int32_t index) {
    world_link* link = &world->links[index];
    body_wake(body_at(world, link->body));
    body_wake(body_at(world, link->other));
    world_link_free(&world->host, link);
    slots_release(&world->link_slots, index);
}

void world_links_end_of(lim_world* world, int32_t body_index) {
    for (int32_t i = slots_next(&world->link_slots, 0); i >= 0;
         i = slots_next(&world->link_slots, (int64_t)i + 1)) {
        if (world->links[i].body == body_index || world->links[i].other == body_index) {
            world_link_end(world, i);
        }
    }
}

bool world_link_can_act(const lim_world* world, const world_link* link) {
    const body *a = body_at(world, link->body), *b = body_at(world, link->other);
    return a->enabled && b->enabled && (body_moves(a) || body_moves(b));
}

void world_link_mark(const world_link* link, int32_t body_index, uint8_t* tied) {
    for (int32_t i = 0; i < link->count; ++i) {
        const link_tie* t = &link->tie[i];
        if (link->body == body_index) {
            tied[t->node] = 1;
        }
        for (int k = 0; k < LINK_CARRIERS && link->other == body_index; ++k) {
            tied[t->carrier[k]] = 1;
        }
    }
}

/* ---- the step -----------------------------------------------------------------------------------
 */

static lim_point slot_place(const body* b, int32_t slot) {
    const component* c = &b->components[b->topology->slot_component[slot]];
    return node_to_world(c, body_metres(b), body_slot_local(b, slot));
}

/* Where the carriers are, without the arm, from `origin` on. */
static lim_point carried_place(const body* b, const link_tie* t, lim_point origin) {
    lim_point sum = p3(0, 0, 0);
    for (int k = 0; k < LINK_CARRIERS; ++k) {
        sum = p3_mad(sum, p3_sub(slot_place(b, t->carrier[k]), origin), (double)t->weight[k]);
    }
    return sum;
}

/* From rest to the world, of the material about the carriers. */
static dmat3 turn_about(const body* b, const link_tie* t) {
    dmat3 sum = {{0}};
    for (int k = 0; k < LINK_CARRIERS; ++k) {
        dmat3 f = body_gradient(b, t->carrier[k]);
        for (int j = 0; j < 9; ++j) {
            sum.m[j] += fabs((double)t->weight[k]) * f.m[j];
        }
    }
    dmat3 local = nearest_rotation(&sum);
    dmat3 frame = dquat_matrix(b->components[b->topology->slot_component[t->carrier[0]]].rotation);
    return dmat3_product(&frame, &local);
}

lim_vec3 world_tie_arm(const body* b, const link_tie* t, lim_point left) {
    dmat3 turn = turn_about(b, t);
    return v3_of(dmat3_mul_transposed(&turn, left));
}

static bool has_arm(const link_tie* t) {
    return v3_dot(t->arm, t->arm) > 0.0f;
}

static lim_point arm_now(const body* b, const link_tie* t) {
    if (!has_arm(t)) {
        return p3(0, 0, 0);
    }
    dmat3 turn = turn_about(b, t);
    return dmat3_mul(&turn, p3_of(t->arm));
}

lim_point world_tie_gap(const body* a, const body* b, const link_tie* t) {
    lim_point at = slot_place(a, t->node);
    lim_point belongs = p3_add(carried_place(b, t, at), arm_now(b, t)); /* from `at` on */
    return p3_scale(belongs, -1.0);
}

/* The mass that swings on a link: what both sides have against each other. */
static double swinging_mass(const body* a, const body* b) {
    double mass[2] = {0.0, 0.0};
    const body* pair[2] = {a, b};
    for (int k = 0; k < 2; ++k) {
        for (int32_t c = 0; c < pair[k]->topology->component_count; ++c) {
            mass[k] += pair[k]->components[c].mass * kilograms(pair[k]);
        }
    }
    if (!body_moves(a) || !body_moves(b)) {
        return body_moves(a) ? mass[0] : mass[1];
    }
    return mass[0] * mass[1] / (mass[0] + mass[1]);
}

void world_link_begin(lim_world* world, int32_t index) {
    world_link* link = &world->links[index];
    body *a = body_at(world, link->body), *b = body_at(world, link->other);
    pair_side *from = &a->meeting.side, *to = &b->meeting.side;
    double held = 0.0;
    lim_point middle = p3(0, 0, 0), first = slot_place(a, link->tie[0].node);
    for (int32_t i = 0; i < link->count; ++i) {
        held += (double)a->topology->mass[link->tie[i].node];
        middle = p3_add(middle, p3_sub(slot_place(a, link->tie[i].node), first));
    }
    for (int32_t i = 0; i < link->count; ++i) {
        link_tie* t = &link->tie[i];
        lim_vec3 arm = v3_of(arm_now(b, t));
        lim_vec3 spin = to->frame[b->topology->slot_component[t->carrier[0]]].spin;
        t->rate = v3_scale(v3_cross(spin, arm), -1.0f);
        t->share = (float)((double)a->topology->mass[t->node] / held);
        link_begin(t, from, to, v3_of(world_tie_gap(a, b, t)));
    }
    link->middle = p3_mad(first, middle, 1.0 / link->count);
    link->law.stiffness = (double)link->stiffness;
    link->law.damping = 2.0 * sqrt((double)link->stiffness * swinging_mass(a, b));
    link->acts = true;
}

bool world_link_solve(lim_world* world, int32_t index, bool first, double time, double h) {
    world_link* link = &world->links[index];
    body *a = body_at(world, link->body), *b = body_at(world, link->other);
    return link_solve(link->tie, link->tie + link->count, &a->meeting.side, &b->meeting.side,
                      &link->law, first, time, h);
}

bool world_link_settle(lim_world* world, int32_t index, double time, double h) {
    world_link* link = &world->links[index];
    body *a = body_at(world, link->body), *b = body_at(world, link->other);
    return link_settle(link->tie, link->tie + link->count, &a->meeting.side, &b->meeting.side,
                       &link->law, time, h);
}

void world_link_sum(lim_world* world, int32_t index, double h) {
    world_link* link = &world->links[index];
    link_sum(link->tie, link->tie + link->count, h);
}

/* ---- after it -----------------------------------------------------------------------------------
 */

void world_links_bear(lim_world* world, double dt) {
    for (int32_t i = slots_next(&world->link_slots, 0); i >= 0;
         i = slots_next(&world->link_slots, (int64_t)i + 1)) {
        const world_link* link = &world->links[i];
        world_body *a = world->bodies[link->body], *b = world->bodies[link->other];
        for (int32_t j = 0; j < link->count && link->acts; ++j) {
            const link_tie* t = &link->tie[j];
            lim_point force = p3_scale(p3_of(t->sum), 1.0 / dt);
            if (a->moved && a->body.pins.count > 0) {
                body_pin_bear(&a->body, t->node, force);
            }
            for (int k = 0; k < LINK_CARRIERS && b->moved && b->body.pins.count > 0; ++k) {
                body_pin_bear(&b->body, t->carrier[k], p3_scale(force, -(double)t->weight[k]));
            }
        }
    }
}

/* The mean of the step, on the body. */
static void measure_load(const lim_world* world, world_link* link, double dt) {
    const body* a = body_at(world, link->body);
    lim_point push = p3(0, 0, 0), turn = p3(0, 0, 0);
    for (int32_t i = 0; i < link->count; ++i) {
        const link_tie* t = &link->tie[i];
        lim_point arm = p3_sub(slot_place(a, t->node), link->middle);
        push = p3_add(push, p3_of(t->sum));
        turn = p3_add(turn, p3_cross(arm, p3_of(t->sum)));
    }
    link->load.force = v3_finite_of(p3_scale(push, 1.0 / dt));
    link->load.torque = v3_finite_of(p3_scale(turn, 1.0 / dt));
}

/* Nothing is left of what it pulled with: of a body that is switched off, or went back. */
static void let_go(world_link* link) {
    for (int32_t i = 0; i < link->count; ++i) {
        link->tie[i].force = v3(0, 0, 0);
    }
    link->load.force = link->load.torque = v3(0, 0, 0);
}

static bool pulls_finitely(const world_link* link) {
    bool finite = true;
    for (int32_t i = 0; i < link->count; ++i) {
        finite = finite && v3_finite(link->tie[i].force);
    }
    return finite;
}

static bool is_broken(const world_link* link) {
    return link->acts && link->force_limit > 0.0f &&
           v3_length(link->load.force) > link->force_limit;
}

static void break_link(lim_world* world, int32_t index, double dt) {
    const world_link* link = &world->links[index];
    const slots* bodies = &world->body_slots;
    float force = v3_length(link->load.force);
    world->touches.events.data[world->touches.events.count++] =
        (lim_event){.kind = LIM_EVENT_LINK_BROKEN,
                    .body = {(uint32_t)link->body, bodies->generation[link->body]},
                    .other = {(uint32_t)link->other, bodies->generation[link->other]},
                    .link = {(uint32_t)index, world->link_slots.generation[index]},
                    .point = link->middle,
                    .normal = v3_scale(link->load.force, 1.0f / force),
                    .impulse = (float)((double)force * dt)};
    world_link_end(world, index);
}

static void smooth(lim_vec3* mean, lim_vec3 now, float keep) {
    *mean = v3_mad(now, v3_sub(*mean, now), keep);
}

void world_links_feel(lim_world* world, double dt, float keep) {
    for (int32_t i = slots_next(&world->link_slots, 0); i >= 0;
         i = slots_next(&world->link_slots, (int64_t)i + 1)) {
        world_link* link = &world->links[i];
        bool enabled = body_at(world, link->body)->enabled && body_at(world, link->other)->enabled;
        if (link->acts) {
            measure_load(world, link, dt);
        }
        if (!enabled || world->times[link->body].restored || world->times[link->other].restored ||
            !pulls_finitely(link)) {
            let_go(link);
        }
        smooth(&link->load.smooth_force, link->load.force, keep);
        smooth(&link->load.smooth_torque, link->load.torque, keep);
        if (is_broken(link)) {
            break_link(world, i, dt);
        } else {
            link->acts = false;
        }
    }
}

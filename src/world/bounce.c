/* SPDX-License-Identifier: MIT
 * Job: give back speed after impacts. In: contacts and motions of a step. Out: meetings that begin
 * and end; velocities. Bodies and pairs in order of index, by one thread.
 */
#include "world/bounce.h"

#include "body/solver.h"

/* Slower approaches than what a body gains in so many steps of free fall do not bounce: what rests
 * stays at rest. */
#define SLOW_FALLS 2.0
/* A meeting ends when the approach is slower than this, in shares of what it was ... */
#define NEARLY_STOPPED 0.05
/* ... and the rebound grows by less than this in a step. */
#define NEARLY_SETTLED 0.02
/* Energy that can be given back at most: with a restitution of 1 a body comes to rest, too. */
#define GIVEN_BACK 0.98
/* Bodies bounce off each other where the contact looks along their centres: cosine. */
#define CENTRAL 0.7

static body* body_at(const lim_world* world, int32_t index) {
    return &world->bodies[index]->body;
}

static lim_point velocity_of(const body* b, int32_t piece) {
    const component* c = &b->components[piece];
    lim_point v = body_moves(b) ? c->velocity : p3(0, 0, 0);
    return p3_scale(dquat_rotate(c->rotation, v), body_metres(b));
}

static lim_point centre_of(const body* b, int32_t piece) {
    const component* c = &b->components[piece];
    return node_to_world(c, body_metres(b), c->centre);
}

static lim_point gravity_of(const lim_world* world, const body* b) {
    return p3_scale(p3_of(world->settings.gravity), (double)b->gravity_scale);
}

static double kilograms(const body* b) {
    double metres = body_metres(b);
    return (double)b->material.density * metres * metres * metres;
}

/* Energy of motion beside that of the centre, and what is stored in the shape (of all components),
 * joule. */
static double inner_energy(body* b, int32_t piece) {
    if (!body_moves(b)) {
        return 0.0;
    }
    const component* c = &b->components[piece];
    double metres = body_metres(b);
    double inner = c->kinetic - 0.5 * c->mass * p3_dot(c->velocity, c->velocity);
    inner = (inner > 0.0 ? inner : 0.0) + solver_of(b)->energy(b);
    return inner * kilograms(b) * metres * metres;
}

/* Adds a velocity (world) to a whole component. */
static void push(body* b, int32_t piece, lim_point change) {
    component* c = &b->components[piece];
    lim_point own = dquat_rotate(dquat_conjugate(c->rotation), change);
    lim_vec3 dv = v3_of(p3_scale(own, 1.0 / body_metres(b)));
    for (int32_t i = c->begin; i < c->end; ++i) {
        if (b->topology->mass[i] > 0.0f) {
            b->v[0][i] += dv.x;
            b->v[1][i] += dv.y;
            b->v[2][i] += dv.z;
        }
    }
    b->history_h = 0.0f;
    b->sums_valid = false;
}

void world_bounce_begin(lim_world* world) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        body* b = body_at(world, i);
        if (body_moves(b) && !b->sums_valid) {
            node_state nodes = body_nodes(b);
            node_component_sums(&nodes, b->block_sums, world->set, world->pool);
            b->sums_valid = true;
        }
        for (int32_t k = 0; k < b->topology->component_count; ++k) {
            b->bounces[k].pressed = false;
            b->bounces[k].velocity = velocity_of(b, k);
            b->bounces[k].centre = centre_of(b, k);
        }
    }
}

/* ---- who is pressed -----------------------------------------------------------------------------
 */

/* A meeting begins, if what comes is fast enough. */
static void begin(body_bounce* m, body_bounce met, double fall) {
    lim_point along = p3_of(met.along);
    double speed = -p3_dot(met.velocity, along);
    met.slide = p3_dot(met.velocity, met.velocity) - speed * speed;
    bool finite = isfinite(met.slide) && isfinite(met.level) && isfinite((float)speed) &&
                  v3_finite(met.along) && v3_finite(met.wall);
    if (met.share > 0.0f && speed > SLOW_FALLS * fall && finite) {
        met.slide = met.slide > 0.0 ? met.slide : 0.0;
        met.velocity = m->velocity;
        met.centre = m->centre;
        met.speed = (float)speed;
        met.level += 0.5 * GIVEN_BACK * speed * speed;
        met.pressed = true;
        *m = met;
    }
}

/* Colliders that have pressed on one component in this step, as one. */
static void meet_colliders(lim_world* world, body* b, int32_t piece, double dt) {
    body_bounce* m = &b->bounces[piece];
    const component* frame = &b->components[piece];
    lim_point normal = p3(0, 0, 0), moving = p3(0, 0, 0);
    double sum = 0.0;
    float share = 0.0f;
    for (int32_t i = 0; i < b->contacts.items.count; ++i) {
        const contact* c = &b->contacts.items.data[i];
        double impulse = (double)v3_dot(c->sum, c->normal); /* contact_finish: world axes */
        if (impulse > 0.0 && b->topology->slot_component[c->node] == piece) {
            normal = p3_mad(normal, p3_of(c->normal), impulse);
            moving = p3_mad(moving, p3_of(c->moving), impulse);
            share = fmaxf(share, world->collider_list[c->collider].restitution);
            sum += impulse;
        }
    }
    double length = p3_length(normal);
    if (!(length > 0.0) || (m->speed > 0.0f && m->generation != 0)) {
        return;
    }
    lim_point along = p3_scale(normal, 1.0 / length);
    lim_point wall = p3_scale(dquat_rotate(frame->rotation, moving), body_metres(b) / sum);
    if (m->speed > 0.0f) {
        m->pressed = true;
        m->wall = v3_finite_of(wall);
        return;
    }
    lim_point gravity = gravity_of(world, b);
    begin(m,
          (body_bounce){.share = fmaxf(share, b->material.restitution),
                        .along = v3_of(along),
                        .wall = v3_of(wall),
                        .level = -p3_dot(gravity, along) * p3_dot(m->centre, along),
                        .velocity = p3_sub(m->velocity, wall)},
          p3_length(gravity) * dt);
}

/* The contact of a pair that presses most; null: none does. side: whose point it is. */
static const pair_contact* strongest(const world_pair* p, body* const pair[2], int* side) {
    const pair_contact* most = NULL;
    float best = 0.0f;
    for (int k = 0; k < 2; ++k) {
        for (int32_t i = p->begin[k]; i < p->end[k]; ++i) {
            const pair_contact* c = &pair[k]->meeting.list.items.data[i];
            float impulse = v3_dot(c->sum, c->axis[0]);
            if (impulse > best) {
                best = impulse;
                most = c;
                *side = k;
            }
        }
    }
    return most;
}

/* Noted with the body of the lower index. */
static void meet_pair(lim_world* world, const world_pair* p, double dt) {
    body* pair[2] = {body_at(world, p->a), body_at(world, p->b)};
    int side = 0;
    const pair_contact* c = p->a != p->b ? strongest(p, pair, &side) : NULL;
    if (c == NULL) {
        return;
    }
    int32_t piece[2];
    piece[side] = pair[side]->topology->slot_component[c->node];
    piece[1 - side] = c->component_b;
    body_bounce* m = &pair[0]->bounces[piece[0]];
    const body_bounce* other = &pair[1]->bounces[piece[1]];
    uint32_t generation = world->body_slots.generation[p->b];
    if (m->speed > 0.0f) {
        bool same = m->other == (uint32_t)p->b && m->generation == generation;
        m->pressed = m->pressed || (same && m->piece == piece[1]);
        return;
    }
    lim_point way = p3_sub(m->centre, other->centre);
    lim_point along = p3_scale(way, 1.0 / (p3_length(way) + 1e-30));
    lim_point normal = p3_scale(p3_of(c->axis[0]), side == 0 ? 1.0 : -1.0);
    double fall =
        fmax(p3_length(gravity_of(world, pair[0])), p3_length(gravity_of(world, pair[1])));
    if (p3_dot(along, normal) > CENTRAL) {
        begin(m,
              (body_bounce){.share =
                                fmaxf(pair[0]->material.restitution, pair[1]->material.restitution),
                            .along = v3_of(along),
                            .other = (uint32_t)p->b,
                            .generation = generation,
                            .piece = piece[1],
                            .velocity = p3_sub(m->velocity, other->velocity)},
              fall * dt);
    }
}

/* ---- how it ends --------------------------------------------------------------------------------
 */

/* One component against another; of a collider the other is null. */
typedef struct bounce_sides {
    body* b;
    int32_t piece;
    body* other;
    int32_t other_piece;
} bounce_sides;

/* 1 / kg; 0: does not give way. */
static double give_of(const body* b, int32_t piece) {
    const component* c = &b->components[piece];
    bool free = body_moves(b) && !(c->held > 0.0);
    return free ? 1.0 / (c->mass * kilograms(b)) : 0.0;
}

static void finish(lim_world* world, body_bounce* m, const bounce_sides* s) {
    lim_point wall = p3_of(m->wall), before = wall, along = p3_of(m->along);
    if (s->other != NULL) {
        wall = velocity_of(s->other, s->other_piece);
        before = s->other->bounces[s->other_piece].velocity;
    }
    lim_point moving = p3_sub(velocity_of(s->b, s->piece), wall);
    double now = p3_dot(moving, along);
    double was = p3_dot(p3_sub(m->velocity, before), along);
    bool stopped = now > -NEARLY_STOPPED * (double)m->speed;
    if (m->pressed && !(stopped && now - was < NEARLY_SETTLED * (double)m->speed)) {
        return;
    }
    double inner = inner_energy(s->b, s->piece), give = give_of(s->b, s->piece), give_other = 0.0;
    double height =
        p3_dot(gravity_of(world, s->b), along) * p3_dot(centre_of(s->b, s->piece), along);
    if (s->other != NULL) {
        inner += inner_energy(s->other, s->other_piece);
        give_other = give_of(s->other, s->other_piece);
        height = 0.0;
    }
    double slide = p3_dot(moving, moving) - now * now - m->slide; /* came out of the approach */
    double left = 2.0 * (m->level + height - inner * (give + give_other));
    left -= slide > 0.0 ? slide : 0.0;
    double change = (double)m->share * ((left > 0.0 ? sqrt(left) : 0.0) - now);
    m->speed = 0.0f;
    if (stopped && change > 0.0 && give + give_other > 0.0) {
        double impulse = change / (give + give_other);
        push(s->b, s->piece, p3_scale(along, impulse * give));
        if (give_other > 0.0) {
            push(s->other, s->other_piece, p3_scale(along, -impulse * give_other));
        }
    }
}

static void advance(lim_world* world, body* b, int32_t piece) {
    body_bounce* m = &b->bounces[piece];
    bounce_sides sides = {.b = b, .piece = piece};
    if (m->generation != 0) {
        if (!slots_holds(&world->body_slots, m->other, m->generation) || m->piece < 0 ||
            m->piece >= body_at(world, (int32_t)m->other)->topology->component_count) {
            m->speed = 0.0f;
            return;
        }
        sides.other = body_at(world, (int32_t)m->other);
        sides.other_piece = m->piece;
        lim_point way = p3_sub(centre_of(b, piece), centre_of(sides.other, m->piece));
        m->along = v3_of(p3_scale(way, 1.0 / (p3_length(way) + 1e-30)));
    }
    finish(world, m, &sides);
}

void world_bounce_end(lim_world* world, double dt) {
    for (int32_t i = 0; i < world->meet.pairs.count; ++i) {
        meet_pair(world, &world->meet.pairs.data[i], dt);
    }
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        body* b = body_at(world, i);
        for (int32_t k = 0; k < b->topology->component_count && body_moves(b); ++k) {
            meet_colliders(world, b, k, dt);
        }
        for (int32_t k = 0; k < b->topology->component_count; ++k) {
            if (b->bounces[k].speed > 0.0f && b->enabled && !b->paused) {
                advance(world, b, k);
            }
        }
    }
}

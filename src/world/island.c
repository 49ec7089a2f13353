/* SPDX-License-Identifier: MIT
 * Job: step the bodies of an island together (world_step.c lists the stages). In: its bodies, the
 * contacts and links among them. Out: new states, published skins; all of them asleep when all are
 * tired.
 */
#include "world/island.h"

#include "base/timer.h"

enum {
    STEP_LARGE = 4096, /* bodies from this many nodes on are split inside, below it a split pass
                          costs more than it brings */
    VELOCITY_PASSES = 8,
    POSITION_PASSES = 2,
    CLEAR_ROUNDS = 3 /* tries to take points out of others after a step */
};

typedef struct island_step {
    lim_world* world;
    world_island* island;
    body_step_input in;
    int32_t stage, substep, substeps;
    bool first;      /* pass of the substep */
    int32_t pair_at; /* first pair of the colour */
} island_step;

enum {
    STAGE_BEGIN,
    STAGE_PUSH,
    STAGE_HOLD,
    STAGE_DRIFT,
    STAGE_SETTLE,
    STAGE_END,
    STAGE_PIECES, /* what hard impacts of a body's pieces leave */
    /* of bodies in hard impacts: where their points are now, and closely of those that no plane
     * parts, between which pairs ask ... */
    STAGE_PLACE,
    STAGE_NEAR,
    STAGE_BOUND,
    STAGE_ASK,
    STAGE_FINISH,
    STAGE_CLEAR, /* ... and are cleared; shapes of those that this has moved */
    STAGE_PUBLISH
};

static body* member_body(const island_step* s, int32_t member, int32_t* index) {
    *index = s->world->meet.member.data[s->island->body_begin + member];
    return &s->world->bodies[*index]->body;
}

static void stage_of(const island_step* s, int32_t member, workers* pool) {
    int32_t index;
    body* b = member_body(s, member, &index);
    body_step_times* times = &s->world->times[index];
    body_step_input in = s->in;
    in.pool = pool;
    switch (s->stage) {
    case STAGE_BEGIN:
        body_step_begin(b, &in, times);
        break;
    case STAGE_PUSH:
        body_substep_push(b, &in, s->substep, times);
        break;
    case STAGE_HOLD:
        body_substep_hold(b);
        break;
    case STAGE_DRIFT:
        body_substep_drift(b, &in, s->substep, times);
        break;
    case STAGE_SETTLE:
        body_substep_settle(b, &in, s->substep, times);
        break;
    case STAGE_END:
        body_step_end(b, &in, times);
        break;
    case STAGE_PIECES:
        if (body_moves(b)) {
            body_pieces_clear(b, &in);
        }
        break;
    case STAGE_PLACE:
        if (b->meeting.hard) {
            body_meeting_place_again(b, in.set);
        }
        break;
    case STAGE_BOUND:
        if (b->meeting.asked) {
            body_meeting_bound(b, in.set);
            b->meeting.asked = false;
        }
        break;
    case STAGE_FINISH:
        if (b->meeting.asked) {
            body_meeting_finish(b, in.set);
        }
        break;
    case STAGE_CLEAR:
        if (b->meeting.moved) {
            body_step_moved(b, &in);
        }
        break;
    default:
        body_step_publish(b, &in, times);
        break;
    }
}

static bool is_large(const island_step* s, int32_t member) {
    int32_t index;
    return member_body(s, member, &index)->topology->node_count >= STEP_LARGE;
}

static void stage_task(void* context, int32_t member) {
    const island_step* s = context;
    if (s->in.pool == NULL || !is_large(s, member)) {
        stage_of(s, member, NULL);
    }
}

/* Small bodies side by side, then large ones one by one, each split over the workers. */
static void run_stage(island_step* s, int32_t stage) {
    s->stage = stage;
    int32_t count = s->island->body_end - s->island->body_begin;
    workers_run(s->in.pool, count, stage_task, s);
    for (int32_t k = 0; k < count && s->in.pool != NULL; ++k) {
        if (is_large(s, k)) {
            stage_of(s, k, s->in.pool);
        }
    }
}

/* Links and both lists of a pair. */
static void solve_pair(const island_step* s, int32_t index) {
    world_pair* p = &s->world->meet.pairs.data[index];
    p->moving = false;
    body* pair[2] = {&s->world->bodies[p->a]->body, &s->world->bodies[p->b]->body};
    double h = s->in.dt / s->substeps, begin = s->substep * h, end = (s->substep + 1) * h;
    for (int32_t i = p->link_begin; i < p->link_end; ++i) {
        int32_t link = s->world->meet.ties.data[i].value;
        bool moving = s->stage == STAGE_HOLD ? world_link_solve(s->world, link, s->first, begin, h)
                                             : world_link_settle(s->world, link, end, h);
        p->moving = moving || p->moving;
    }
    for (int k = 0; k < 2; ++k) {
        body_meeting *from = &pair[k]->meeting, *to = &pair[1 - k]->meeting;
        if (p->begin[k] == p->end[k]) {
            continue;
        }
        pair_contact* first = from->list.items.data + p->begin[k];
        pair_contact* last = from->list.items.data + p->end[k];
        if (s->stage == STAGE_HOLD) {
            p->moving =
                pair_solve_velocity(first, last, &from->side, &to->side, s->first, begin, h) ||
                p->moving;
        } else {
            p->moving = pair_solve_position(first, last, &from->side, &to->side, end) || p->moving;
        }
    }
}

/* Who asks whom after a hard impact, or what it has left deep taken out. A body that does not move
 * may be in other islands too: it is not written to, and where it is was found before the step. */
static void clear_pair(const island_step* s, int32_t index) {
    world_pair* p = &s->world->meet.pairs.data[index];
    p->moving = false;
    for (int k = 0; k < 2 && p->hard; ++k) {
        body* from = &s->world->bodies[k == 0 ? p->a : p->b]->body;
        body* to = &s->world->bodies[k == 0 ? p->b : p->a]->body;
        if (s->stage == STAGE_NEAR) {
            p->asks[k] = body_moves(from) && body_meeting_is_felt(to) &&
                         !pair_clear_is_apart(&from->meeting.side, &to->meeting.side, s->in.set);
        } else if (s->stage == STAGE_ASK) {
            p->asks[k] = p->asks[k] && pair_clear_ask(&from->meeting.side, &to->meeting.side,
                                                      s->in.set, &p->asked[k]);
        }
        if (s->stage != STAGE_CLEAR) {
            from->meeting.asked = from->meeting.asked || p->asks[k];
            if (p->asks[k] && body_moves(to)) {
                to->meeting.asked = true;
            }
            if (s->stage == STAGE_ASK && p->asks[k] && body_moves(to)) {
                pair_answer(&to->meeting.side, p->asked[k]);
            }
        } else if (p->asks[k] && pair_clear(&from->meeting.list, &from->meeting.side,
                                            &to->meeting.side, s->in.set)) {
            p->moving = from->meeting.moved = true;
            to->meeting.moved = to->meeting.moved || body_moves(to);
        }
    }
}

static void pair_task(void* context, int32_t task) {
    const island_step* s = context;
    if (s->stage == STAGE_NEAR || s->stage == STAGE_ASK || s->stage == STAGE_CLEAR) {
        clear_pair(s, s->pair_at + task);
    } else {
        solve_pair(s, s->pair_at + task);
    }
}

/* One pass over all pairs, colour by colour. True while it changes something. */
static bool run_pairs(island_step* s) {
    const world_meet* m = &s->world->meet;
    for (int32_t i = s->island->pair_begin; i < s->island->pair_end;) {
        int32_t colour = m->pairs.data[i].colour, end = i;
        while (end < s->island->pair_end && m->pairs.data[end].colour == colour) {
            end++;
        }
        s->pair_at = i;
        workers_run(colour < MEET_COLOURS - 1 ? s->in.pool : NULL, end - i, pair_task, s);
        i = end;
    }
    bool moving = false;
    for (int32_t i = s->island->pair_begin; i < s->island->pair_end; ++i) {
        moving = moving || m->pairs.data[i].moving;
    }
    return moving;
}

/* After the passes of a substep: impulses are added up for the step, and components that something
 * presses on are marked: what rolls is braked there. */
static void sum_impulses(const island_step* s) {
    const world_meet* m = &s->world->meet;
    for (int32_t i = s->island->pair_begin; i < s->island->pair_end; ++i) {
        const world_pair* p = &m->pairs.data[i];
        body* pair[2] = {&s->world->bodies[p->a]->body, &s->world->bodies[p->b]->body};
        for (int32_t j = p->link_begin; j < p->link_end; ++j) {
            world_link_sum(s->world, m->ties.data[j].value, s->in.dt / s->substeps);
        }
        for (int k = 0; k < 2; ++k) {
            for (int32_t j = p->begin[k]; j < p->end[k]; ++j) {
                pair_contact* c = &pair[k]->meeting.list.items.data[j];
                if (c->impulse[0] > 0.0f) {
                    c->sum = v3_mad(c->sum, c->axis[0], c->impulse[0]);
                    c->sum = v3_mad(c->sum, c->axis[1], c->impulse[1]);
                    c->sum = v3_mad(c->sum, c->axis[2], c->impulse[2]);
                    pair[k]->components[pair[k]->topology->slot_component[c->node]].touched = true;
                    pair[1 - k]->components[c->component_b].touched = true;
                }
            }
        }
    }
}

/* Velocities of pairs, in passes with those of contacts with colliders. */
static void hold_pairs(island_step* s) {
    double t0 = timer_now(&s->world->host);
    bool moving = true;
    for (int pass = 0; pass < VELOCITY_PASSES && moving; ++pass) {
        s->stage = STAGE_HOLD;
        s->first = pass == 0;
        moving = run_pairs(s);
        run_stage(s, STAGE_HOLD);
    }
    sum_impulses(s);
    s->island->solve_time += timer_now(&s->world->host) - t0;
}

/* Positions of pairs. */
static void settle_pairs(island_step* s) {
    double t0 = timer_now(&s->world->host);
    bool moving = true;
    s->stage = STAGE_SETTLE;
    for (int pass = 0; pass < POSITION_PASSES && moving; ++pass) {
        moving = run_pairs(s);
    }
    s->island->solve_time += timer_now(&s->world->host) - t0;
}

static void substep(island_step* s) {
    bool pairs = s->island->pair_begin < s->island->pair_end;
    run_stage(s, STAGE_PUSH);
    if (pairs) {
        hold_pairs(s);
    }
    run_stage(s, STAGE_DRIFT);
    if (pairs) {
        settle_pairs(s);
    }
    run_stage(s, STAGE_SETTLE);
}

/* ---- after a hard impact ------------------------------------------------------------------------
 */

static bool is_finite(const body* b) {
    bool finite = true;
    for (int32_t c = 0; c < b->topology->component_count; ++c) {
        finite = finite && b->components[c].finite && p3_finite(b->components[c].origin);
    }
    return finite;
}

/* Whether points of two bodies may be deep in each other that no contact has held. What links tie
 * together may be; of a body and itself it was never seen. */
static bool is_hard(const lim_world* world, const world_pair* p, double dt) {
    const body* pair[2] = {&world->bodies[p->a]->body, &world->bodies[p->b]->body};
    bool put = false;
    if (p->a == p->b || p->link_begin < p->link_end ||
        !pair_is_rough(&pair[0]->meeting.side, &pair[1]->meeting.side, dt)) {
        return false;
    }
    for (int k = 0; k < 2; ++k) {
        const pair_contact* first = pair[k]->meeting.list.items.data;
        put = put || (p->begin[k] < p->end[k] &&
                      pair_was_put(first + p->begin[k], first + p->end[k], &pair[k]->meeting.side,
                                   &pair[1 - k]->meeting.side));
    }
    return !put && is_finite(pair[0]) && is_finite(pair[1]);
}

/* The pairs that are looked at in a round: hard ones, later those that were moved in the last. */
static bool begin_round(const island_step* s, bool first) {
    int32_t count = s->island->body_end - s->island->body_begin, index;
    bool any = false;
    for (int32_t i = s->island->pair_begin; i < s->island->pair_end; ++i) {
        world_pair* p = &s->world->meet.pairs.data[i];
        p->hard = first ? is_hard(s->world, p, s->in.dt) : p->hard && p->moving;
        any = any || p->hard;
    }
    for (int32_t k = 0; k < count && any; ++k) {
        body* b = member_body(s, k, &index);
        b->meeting.hard = b->meeting.asked = b->meeting.moved = false;
    }
    for (int32_t i = s->island->pair_begin; i < s->island->pair_end && any; ++i) {
        const world_pair* p = &s->world->meet.pairs.data[i];
        body* pair[2] = {&s->world->bodies[p->a]->body, &s->world->bodies[p->b]->body};
        for (int k = 0; k < 2 && p->hard; ++k) {
            if (body_moves(pair[k])) {
                pair[k]->meeting.hard = true;
            }
        }
    }
    return any;
}

static void clear_bodies(island_step* s) {
    double t0 = timer_now(&s->world->host);
    bool left = true;
    for (int round = 0; round < CLEAR_ROUNDS && left && begin_round(s, round == 0); ++round) {
        run_stage(s, STAGE_PLACE);
        s->stage = STAGE_NEAR;
        run_pairs(s);
        run_stage(s, STAGE_BOUND);
        s->stage = STAGE_ASK;
        run_pairs(s);
        run_stage(s, STAGE_FINISH);
        s->stage = STAGE_CLEAR;
        left = run_pairs(s);
        run_stage(s, STAGE_CLEAR);
    }
    s->island->solve_time += timer_now(&s->world->host) - t0;
}

/* The most that one of the bodies needs, and for a while those that it needed when they last
 * touched. A substep knows velocities half of its length before positions, so with each change of
 * the length a body that oscillates gains or loses energy. A light body that bounces on a heavy one
 * would change it with every bounce. */
static int32_t choose_substeps(const island_step* s) {
    int32_t count = s->island->body_end - s->island->body_begin, most = 0, index;
    float time = 0.0f;
    for (int32_t k = 0; k < count; ++k) {
        const body* b = member_body(s, k, &index);
        if (b->kept_substeps > most || (b->kept_substeps == most && b->kept_time > time)) {
            most = b->kept_substeps;
            time = b->kept_time;
        }
    }
    time -= (float)s->in.dt;
    most = time > 0.0f ? most : 0;
    for (int32_t k = 0; k < count; ++k) {
        int32_t own = body_own_substeps(member_body(s, k, &index), &s->in);
        time = own >= most ? BODY_KEEP_SUBSTEPS : time;
        most = own > most ? own : most;
    }
    for (int32_t k = 0; k < count; ++k) {
        body* b = member_body(s, k, &index);
        bool more = most > body_own_substeps(b, &s->in);
        b->kept_substeps = more ? most : 0;
        b->kept_time = more ? time : 0.0f;
    }
    return most;
}

/* A body sleeps when all that it touches can: else it would be woken at once. */
static void rest_together(const island_step* s) {
    int32_t count = s->island->body_end - s->island->body_begin, index;
    bool tired = s->world->settings.sleep;
    for (int32_t k = 0; k < count; ++k) {
        tired = tired && body_is_tired(member_body(s, k, &index));
    }
    for (int32_t k = 0; k < count && tired; ++k) {
        body* b = member_body(s, k, &index);
        if (!b->frozen) {
            body_sleep(b);
        }
    }
}

static void begin_links(const island_step* s) {
    const world_meet* m = &s->world->meet;
    for (int32_t i = s->island->pair_begin; i < s->island->pair_end; ++i) {
        for (int32_t j = m->pairs.data[i].link_begin; j < m->pairs.data[i].link_end; ++j) {
            world_link_begin(s->world, m->ties.data[j].value);
        }
    }
}

/* Nothing of what a body that turned non-finite did in the step is told of those that it met: their
 * impulses and what links pulled with may be anything. */
static void forget_restored(const island_step* s) {
    const world_meet* m = &s->world->meet;
    for (int32_t i = s->island->pair_begin; i < s->island->pair_end; ++i) {
        const world_pair* p = &m->pairs.data[i];
        if (!s->world->times[p->a].restored && !s->world->times[p->b].restored) {
            continue;
        }
        for (int32_t j = p->link_begin; j < p->link_end; ++j) {
            s->world->links[m->ties.data[j].value].acts = false;
        }
        body* pair[2] = {&s->world->bodies[p->a]->body, &s->world->bodies[p->b]->body};
        for (int k = 0; k < 2; ++k) {
            for (int32_t j = p->begin[k]; j < p->end[k]; ++j) {
                pair[k]->meeting.list.items.data[j].sum = v3(0, 0, 0);
            }
        }
    }
}

void world_island_step(lim_world* world, world_island* island, body_step_input in) {
    island_step s = {.world = world, .island = island, .in = in};
    s.substeps = s.in.substeps_least = choose_substeps(&s);
    s.in.leans = island->leans;
    begin_links(&s);
    run_stage(&s, STAGE_BEGIN);
    for (s.substep = 0; s.substep < s.substeps; ++s.substep) {
        substep(&s);
    }
    run_stage(&s, STAGE_END);
    run_stage(&s, STAGE_PIECES);
    clear_bodies(&s);
    run_stage(&s, STAGE_PUBLISH);
    forget_restored(&s);
    rest_together(&s);
}

/* SPDX-License-Identifier: MIT
 * Job: who touches whom. In: the bodies' states. Out: pairs with their contacts, islands, colours.
 * Stages: measure (side by side), boxes that overlap, surfaces (side by side), contacts (side by
 * side), waking, islands. Memory is taken between stages, by the calling thread alone.
 */
#include "world/meet.h"
#include "base/disjoint_set.h"

#include "world/world.h"

#include <string.h>

typedef struct meet_tasks {
    lim_world* world;
    const body_step_input* in;
    const int32_t* list;
} meet_tasks;

static body* body_at(const lim_world* world, int32_t index) {
    return &world->bodies[index]->body;
}

void world_meet_free(world_meet* m, const lim_host* host) {
    boxes_free(&m->tree, host);
    ARRAY_FREE(host, &m->body);
    ARRAY_FREE(host, &m->box);
    ARRAY_FREE(host, &m->found);
    ARRAY_FREE(host, &m->order);
    ARRAY_FREE(host, &m->spare);
    ARRAY_FREE(host, &m->ties);
    ARRAY_FREE(host, &m->pairs);
    ARRAY_FREE(host, &m->sorted);
    ARRAY_FREE(host, &m->partner_offset);
    ARRAY_FREE(host, &m->partner);
    ARRAY_FREE(host, &m->met);
    ARRAY_FREE(host, &m->root);
    ARRAY_FREE(host, &m->colours);
    ARRAY_FREE(host, &m->member);
    ARRAY_FREE(host, &m->islands);
}

/* ---- boxes --------------------------------------------------------------------------------------
 */

static lim_result list_bodies(lim_world* world) {
    world_meet* m = &world->meet;
    int32_t most = world->body_slots.count;
    bool room =
        ARRAY_RESERVE(&world->host, &m->body, most) && ARRAY_RESERVE(&world->host, &m->box, most) &&
        ARRAY_RESERVE(&world->host, &m->found, most) &&
        ARRAY_RESERVE(&world->host, &m->met, most) && ARRAY_RESERVE(&world->host, &m->root, most) &&
        ARRAY_RESERVE(&world->host, &m->colours, most) &&
        ARRAY_RESERVE(&world->host, &m->member, most) &&
        ARRAY_RESERVE(&world->host, &m->islands, most) &&
        ARRAY_RESERVE(&world->host, &m->order, most) &&
        ARRAY_RESERVE(&world->host, &m->spare, most) &&
        ARRAY_RESERVE(&world->host, &m->partner_offset, (int64_t)most + 2);
    LIM_TRY(room ? LIM_OK : LIM_ERROR_MEMORY);
    m->body.count = 0;
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        if (body_at(world, i)->enabled) {
            m->body.data[m->body.count++] = i;
            LIM_TRY(body_pieces_reserve(body_at(world, i)));
        }
    }
    return boxes_reserve(&m->tree, &world->host, m->body.count);
}

static void measure_task(void* context, int32_t task) {
    const meet_tasks* t = context;
    world_meet* m = &t->world->meet;
    body* b = body_at(t->world, m->body.data[task]);
    body_meeting_measure(b, t->in->gravity, t->in->dt, t->in->set);
    m->box.data[task] = b->meeting.way;
}

static bool may_meet(const body* a, const body* b) {
    return contact_layers_meet(a->layers, b->layers) && (body_moves(a) || body_moves(b)) &&
           (body_meeting_is_felt(a) || body_meeting_is_felt(b));
}

static uint64_t pair_key(int32_t a, int32_t b) {
    return (uint64_t)(uint32_t)a << 32 | (uint64_t)(uint32_t)b;
}

static bool add_pair(lim_world* world, int32_t a, int32_t b, bool meets) {
    world_pair pair = {.a = a < b ? a : b, .b = a < b ? b : a, .meets = meets};
    return ARRAY_PUSH(&world->host, &world->meet.pairs, pair);
}

/* A body and itself: as a whole, or only piece against piece. */
static lim_result add_own(lim_world* world, int32_t index) {
    body* b = body_at(world, index);
    bool meets = b->self_contact && body_meeting_is_felt(b);
    LIM_TRY(body_pieces_find(b));
    if (!meets && b->meeting.pieces.pair.count == 0) {
        return LIM_OK;
    }
    return add_pair(world, index, index, meets) ? LIM_OK : LIM_ERROR_MEMORY;
}

/* Pairs of overlapping boxes; those of two that move are found from the lower one. */
static lim_result find_pairs(lim_world* world) {
    world_meet* m = &world->meet;
    boxes_build(&m->tree, m->box.data, m->body.count);
    m->pairs.count = 0;
    bool room = true;
    for (int32_t k = 0; k < m->body.count && room; ++k) {
        int32_t i = m->body.data[k];
        const body* a = body_at(world, i);
        if (!body_moves(a)) {
            continue;
        }
        LIM_TRY(add_own(world, i));
        int32_t found =
            boxes_overlapping(&m->tree, m->box.data[k], m->found.data, m->found.capacity);
        for (int32_t j = 0; j < found && room; ++j) {
            int32_t other = m->body.data[m->found.data[j]];
            const body* b = body_at(world, other);
            if (other != i && (!body_moves(b) || i < other) && may_meet(a, b)) {
                room = add_pair(world, i, other, true);
            }
        }
    }
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

/* A pair for each two bodies that links hold together, near each other or not. */
static lim_result add_linked(lim_world* world) {
    world_meet* m = &world->meet;
    int32_t most = world->link_slots.count, count = 0;
    bool room =
        ARRAY_RESERVE(&world->host, &m->ties, most) && ARRAY_RESERVE(&world->host, &m->spare, most);
    LIM_TRY(room ? LIM_OK : LIM_ERROR_MEMORY);
    for (int32_t i = slots_next(&world->link_slots, 0); i >= 0;
         i = slots_next(&world->link_slots, (int64_t)i + 1)) {
        const world_link* link = &world->links[i];
        int32_t a = link->body < link->other ? link->body : link->other;
        int32_t b = link->body < link->other ? link->other : link->body;
        if (world_link_can_act(world, link)) {
            m->ties.data[count++] = (sort_item){.key = pair_key(a, b), .value = i};
        }
    }
    sort_items(m->ties.data, m->spare.data, count);
    for (int32_t i = 0, end; i < count && room; i = end) {
        uint64_t key = m->ties.data[i].key;
        for (end = i; end < count && m->ties.data[end].key == key;) {
            end++;
        }
        world_pair pair = {.a = (int32_t)(key >> 32),
                           .b = (int32_t)(key & 0xFFFFFFFFu),
                           .link_begin = i,
                           .link_end = end};
        room = ARRAY_PUSH(&world->host, &m->pairs, pair);
    }
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

/* In order of bodies. Of two that are near each other and linked there are two: they become one. */
static lim_result sort_pairs(lim_world* world) {
    world_meet* m = &world->meet;
    int32_t count = m->pairs.count, kept = 0;
    bool room = ARRAY_RESERVE(&world->host, &m->order, count) &&
                ARRAY_RESERVE(&world->host, &m->spare, count) &&
                ARRAY_RESERVE(&world->host, &m->sorted, count) &&
                ARRAY_RESERVE(&world->host, &m->partner, 2 * (int64_t)count);
    LIM_TRY(room ? LIM_OK : LIM_ERROR_MEMORY);
    for (int32_t i = 0; i < count; ++i) {
        const world_pair* p = &m->pairs.data[i];
        m->order.data[i] = (sort_item){.key = pair_key(p->a, p->b), .value = i};
    }
    sort_items(m->order.data, m->spare.data, count);
    for (int32_t i = 0; i < count; ++i) {
        const world_pair* p = &m->pairs.data[m->order.data[i].value];
        if (i > 0 && m->order.data[i].key == m->order.data[i - 1].key) {
            m->sorted.data[kept - 1].link_begin = p->link_begin; /* that of the links is later */
            m->sorted.data[kept - 1].link_end = p->link_end;
        } else {
            m->sorted.data[kept++] = *p;
        }
    }
    if (count > 0) {
        memcpy(m->pairs.data, m->sorted.data, (size_t)kept * sizeof(world_pair));
    }
    m->pairs.count = kept;
    return LIM_OK;
}

/* Lists per body, partners ascending: those with a lower index first. */
static void list_partners(lim_world* world) {
    world_meet* m = &world->meet;
    int32_t bodies = world->body_slots.count, *offset = m->partner_offset.data;
    memset(offset, 0, ((size_t)bodies + 2) * sizeof(int32_t));
    for (int32_t i = 0; i < m->pairs.count; ++i) {
        const world_pair* p = &m->pairs.data[i];
        offset[p->a + 2]++;
        offset[p->b + 2] += p->b != p->a;
    }
    for (int32_t i = 0; i < bodies; ++i) {
        offset[i + 2] += offset[i + 1];
    }
    for (int side = 1; side >= 0; --side) {
        for (int32_t i = 0; i < m->pairs.count; ++i) {
            const world_pair* p = &m->pairs.data[i];
            if (side == 0 || p->a != p->b) {
                m->partner.data[offset[(side == 1 ? p->b : p->a) + 1]++] = 2 * i + side;
            }
        }
    }
    m->met.count = 0;
    for (int32_t i = 0; i < bodies; ++i) {
        if (offset[i + 1] > offset[i]) {
            m->met.data[m->met.count++] = i;
        }
    }
}

/* ---- contacts -----------------------------------------------------------------------------------
 */

static body* partner_at(const lim_world* world, int32_t entry, int32_t* side) {
    const world_pair* p = &world->meet.pairs.data[world->meet.partner.data[entry] / 2];
    *side = world->meet.partner.data[entry] % 2;
    return body_at(world, *side == 1 ? p->a : p->b);
}

static void place_task(void* context, int32_t task) {
    const meet_tasks* t = context;
    const world_meet* m = &t->world->meet;
    int32_t index = t->list[task], begin = m->partner_offset.data[index], side;
    body* b = body_at(t->world, index);
    bool alone =
        m->partner_offset.data[index + 1] == begin + 1 && partner_at(t->world, begin, &side) == b;
    body_meeting_place(b, t->in->dt, t->in->set, alone);
}

/* Most whose boxes overlap are parted by a plane. Each body writes its own side of its pairs. */
static void near_task(void* context, int32_t task) {
    const meet_tasks* t = context;
    world_meet* m = &t->world->meet;
    int32_t index = t->list[task], side;
    body* b = body_at(t->world, index);
    for (int32_t e = m->partner_offset.data[index]; e < m->partner_offset.data[index + 1]; ++e) {
        const body* other = partner_at(t->world, e, &side);
        world_pair* p = &m->pairs.data[m->partner.data[e] / 2];
        p->asks[side] = p->meets && body_meeting_is_felt(other) &&
                        body_meeting_is_near(b, other, t->in->dt, t->in->set);
    }
}

/* Whether it asks somebody or is asked. */
static bool is_asked(const lim_world* world, int32_t index) {
    const world_meet* m = &world->meet;
    bool asked = false;
    for (int32_t e = m->partner_offset.data[index]; e < m->partner_offset.data[index + 1]; ++e) {
        const world_pair* p = &m->pairs.data[m->partner.data[e] / 2];
        asked = asked || p->asks[0] || p->asks[1];
    }
    return asked;
}

static void bound_task(void* context, int32_t task) {
    const meet_tasks* t = context;
    body* b = body_at(t->world, t->list[task]);
    bool apart = b->meeting.pieces.pair.count > 0;
    if (is_asked(t->world, t->list[task])) {
        body_meeting_bound(b, t->in->set);
    } else if (apart) {
        body_meeting_invert(b);
    }
    if (apart) {
        body_pieces_place(b, t->in->dt, t->in->set);
    }
}

static void ask_task(void* context, int32_t task) {
    const meet_tasks* t = context;
    world_meet* m = &t->world->meet;
    int32_t index = t->list[task], side;
    body* b = body_at(t->world, index);
    for (int32_t e = m->partner_offset.data[index]; e < m->partner_offset.data[index + 1]; ++e) {
        const body* other = partner_at(t->world, e, &side);
        world_pair* p = &m->pairs.data[m->partner.data[e] / 2];
        p->asks[side] =
            p->asks[side] && body_meeting_ask(b, other, t->in->dt, t->in->set, &p->asked[side]);
    }
}

static void answer_task(void* context, int32_t task) {
    const meet_tasks* t = context;
    const world_meet* m = &t->world->meet;
    int32_t index = t->list[task], side;
    body* b = body_at(t->world, index);
    for (int32_t e = m->partner_offset.data[index]; e < m->partner_offset.data[index + 1]; ++e) {
        const body* other = partner_at(t->world, e, &side);
        const world_pair* p = &m->pairs.data[m->partner.data[e] / 2];
        int asking = other == b ? side : 1 - side;
        if (p->asks[asking]) {
            pair_answer(&b->meeting.side, p->asked[asking]);
        }
    }
    /* Also of who is not asked, where it leaves nothing of an earlier step: at the end of this one
     * somebody may be knocked into it. */
    body_meeting_finish(b, t->in->set);
}

/* Nodes that links tie do not meet the body that they are tied to. */
static void mark_tied(const lim_world* world, const world_pair* p, int32_t index) {
    body* b = body_at(world, index);
    pair_list* list = &b->meeting.list;
    list->any_tied = p->link_end > p->link_begin;
    if (list->any_tied) {
        memset(list->tied.data, 0, (size_t)b->topology->slot_count);
    }
    for (int32_t i = p->link_begin; i < p->link_end; ++i) {
        const world_link* link = &world->links[world->meet.ties.data[i].value];
        world_link_mark(link, index, list->tied.data);
    }
}

static void search_task(void* context, int32_t task) {
    const meet_tasks* t = context;
    world_meet* m = &t->world->meet;
    int32_t index = t->list[task];
    body* b = body_at(t->world, index);
    pair_list* list = &b->meeting.list;
    pair_begin(list);
    for (int32_t e = m->partner_offset.data[index]; e < m->partner_offset.data[index + 1]; ++e) {
        world_pair* p = &m->pairs.data[m->partner.data[e] / 2];
        int side = m->partner.data[e] % 2;
        int32_t other = side == 1 ? p->a : p->b;
        body* o = body_at(t->world, other);
        p->begin[side] = list->items.count;
        if (p->asks[side]) {
            mark_tied(t->world, p, index);
            pair_self self = body_meeting_self(b);
            pair_search(list, &b->meeting.side, &o->meeting.side, other, t->in->dt,
                        other == index ? &self : NULL, t->in->set);
        }
        if (other == index) {
            body_pieces_search(b, index, t->in->dt, t->in->set);
        }
        p->end[side] = list->items.count;
        if (other == index) {
            p->begin[1] = p->end[1] = list->items.count;
        }
    }
}

static bool had_room(const pair_list* list) {
    return list->items_wanted <= list->items.count && list->points_wanted <= list->points.capacity;
}

/* Those whose search has found more than there was room for. */
static int32_t list_cramped(lim_world* world) {
    world_meet* m = &world->meet;
    m->found.count = 0;
    for (int32_t k = 0; k < m->met.count; ++k) {
        if (!had_room(&body_at(world, m->met.data[k])->meeting.list)) {
            m->found.data[m->found.count++] = m->met.data[k];
        }
    }
    return m->found.count;
}

static lim_result reserve_meeting(lim_world* world, int32_t index) {
    const world_meet* m = &world->meet;
    int32_t begin = m->partner_offset.data[index], end = m->partner_offset.data[index + 1];
    int32_t patches = 0, side;
    for (int32_t e = begin; e < end; ++e) {
        int32_t count = partner_at(world, e, &side)->topology->surface.patch_count;
        patches = count > patches ? count : patches;
    }
    return body_meeting_reserve(body_at(world, index), patches);
}

static lim_result find_contacts(lim_world* world, const body_step_input* in) {
    world_meet* m = &world->meet;
    meet_tasks tasks = {world, in, m->met.data};
    for (int32_t k = 0; k < m->met.count; ++k) {
        LIM_TRY(reserve_meeting(world, m->met.data[k]));
    }
    workers_run(world->pool, m->met.count, place_task, &tasks);
    workers_run(world->pool, m->met.count, near_task, &tasks);
    workers_run(world->pool, m->met.count, bound_task, &tasks);
    workers_run(world->pool, m->met.count, ask_task, &tasks);
    workers_run(world->pool, m->met.count, answer_task, &tasks);
    workers_run(world->pool, m->met.count, search_task, &tasks);
    /* More points may be near than there was room for, and so more contacts: twice at most. */
    for (tasks.list = m->found.data; list_cramped(world) > 0;) {
        for (int32_t k = 0; k < m->found.count; ++k) {
            LIM_TRY(reserve_meeting(world, m->found.data[k]));
        }
        workers_run(world->pool, m->found.count, search_task, &tasks);
    }
    return LIM_OK;
}

static int32_t contacts_of(const world_pair* p) {
    return p->end[0] - p->begin[0] + p->end[1] - p->begin[1];
}

static bool acts(const world_pair* p) {
    return contacts_of(p) > 0 || p->link_end > p->link_begin;
}

/* A sleeper wakes when something that is not at rest itself touches it. */
static bool wake_touched(lim_world* world) {
    world_meet* m = &world->meet;
    bool any = false;
    for (int32_t i = 0; i < m->pairs.count; ++i) {
        const world_pair* p = &m->pairs.data[i];
        world_body* pair[2] = {world->bodies[p->a], world->bodies[p->b]};
        for (int k = 0; k < 2 && acts(p); ++k) {
            const body* by = &pair[1 - k]->body;
            if (pair[k]->body.asleep && !pair[k]->body.paused && body_moves(by) &&
                !(by->quiet_time > 0.0f)) {
                pair[k]->woken_quiet =
                    pair[k]->woken ? pair[k]->woken_quiet : pair[k]->body.quiet_time;
                pair[k]->woken = true;
                body_wake(&pair[k]->body);
                any = true;
            }
        }
    }
    return any;
}

/* ---- islands ------------------------------------------------------------------------------------
 */

/* The lowest index of an island is its root. */
static void join_bodies(lim_world* world) {
    world_meet* m = &world->meet;
    disjoint_init(m->root.data, world->body_slots.count);
    for (int32_t i = 0; i < world->body_slots.count; ++i) {
        m->colours.data[i] = 0;
    }
    for (int32_t i = 0; i < m->pairs.count; ++i) {
        const world_pair* p = &m->pairs.data[i];
        if (acts(p) && body_moves(body_at(world, p->a)) && body_moves(body_at(world, p->b))) {
            disjoint_join(m->root.data, p->a, p->b);
        }
    }
}

static uint64_t taken_by(const lim_world* world, int32_t index) {
    return body_moves(body_at(world, index)) ? world->meet.colours.data[index] : 0;
}

static int32_t first_free(uint64_t taken) {
    int32_t colour = 0;
    while (colour < MEET_COLOURS - 1 && (taken >> colour & 1u) != 0) {
        colour++;
    }
    return colour;
}

/* Bodies of one island that are near each other and have no contact: one of them may be knocked
 * into the other within the step (island.c). */
static bool may_be_knocked(const lim_world* world, const world_pair* p) {
    int32_t* root = world->meet.root.data;
    return !acts(p) && (p->asks[0] || p->asks[1]) && p->a != p->b &&
           disjoint_root(root, p->a) == disjoint_root(root, p->b);
}

/* Pairs with contacts or links, by (island, colour, bodies). Those that may get some come last: the
 * order of the others is not theirs to change. */
static void sort_by_colour(lim_world* world) {
    world_meet* m = &world->meet;
    int32_t count = 0;
    m->contacts = 0;
    for (int32_t i = 0; i < 2 * m->pairs.count; ++i) {
        world_pair p = m->pairs.data[i % m->pairs.count];
        if (i < m->pairs.count ? !acts(&p) : !may_be_knocked(world, &p)) {
            continue;
        }
        m->contacts += contacts_of(&p);
        p.colour = first_free(taken_by(world, p.a) | taken_by(world, p.b));
        m->colours.data[p.a] |= (uint64_t)1 << p.colour;
        m->colours.data[p.b] |= (uint64_t)1 << p.colour;
        p.island = disjoint_root(m->root.data, body_moves(body_at(world, p.a)) ? p.a : p.b);
        m->order.data[count] =
            (sort_item){.key = (uint64_t)(uint32_t)p.island << 8 | (uint64_t)(uint32_t)p.colour,
                        .value = count};
        m->sorted.data[count++] = p;
    }
    sort_items(m->order.data, m->spare.data, count);
    for (int32_t i = 0; i < count; ++i) {
        m->pairs.data[i] = m->sorted.data[m->order.data[i].value];
    }
    m->pairs.count = count;
}

static void make_islands(lim_world* world) {
    world_meet* m = &world->meet;
    int32_t count = 0;
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        if (body_moves(body_at(world, i))) {
            uint64_t root = (uint64_t)(uint32_t)disjoint_root(m->root.data, i);
            m->order.data[count++] = (sort_item){.key = root, .value = i};
        }
    }
    sort_items(m->order.data, m->spare.data, count);
    m->islands.count = m->member.count = 0;
    int32_t pair = 0;
    for (int32_t i = 0; i < count;) {
        uint64_t root = m->order.data[i].key;
        world_island island = {.body_begin = i, .pair_begin = pair};
        for (; i < count && m->order.data[i].key == root; ++i) {
            m->member.data[m->member.count++] = m->order.data[i].value;
            island.nodes += body_at(world, m->order.data[i].value)->topology->node_count;
        }
        while (pair < m->pairs.count && (uint64_t)(uint32_t)m->pairs.data[pair].island == root) {
            island.leans = island.leans || contacts_of(&m->pairs.data[pair]) > 0;
            pair++;
        }
        island.body_end = i;
        island.pair_end = pair;
        m->islands.data[m->islands.count++] = island;
    }
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static bool nobody_can_meet(const lim_world* world) {
    const world_meet* m = &world->meet;
    const body* only = m->body.count == 1 ? body_at(world, m->body.data[0]) : NULL;
    return m->body.count == 0 ||
           (only != NULL && !only->self_contact && !body_pieces_can_meet(only));
}

static lim_result find(lim_world* world, const body_step_input* in) {
    world_meet* m = &world->meet;
    meet_tasks tasks = {.world = world, .in = in};
    m->pairs.count = m->met.count = 0;
    if (nobody_can_meet(world)) {
        return LIM_OK;
    }
    workers_run(world->pool, m->body.count, measure_task, &tasks);
    LIM_TRY(find_pairs(world));
    LIM_TRY(add_linked(world));
    LIM_TRY(sort_pairs(world));
    list_partners(world);
    return find_contacts(world, in);
}

lim_result world_meet_find(lim_world* world, const body_step_input* in) {
    LIM_TRY(list_bodies(world));
    LIM_TRY(find(world, in));
    if (wake_touched(world)) {
        LIM_TRY(find(world, in)); /* who was woken gives way now */
    }
    join_bodies(world);
    sort_by_colour(world);
    make_islands(world);
    return LIM_OK;
}

/* SPDX-License-Identifier: MIT
 * Events: against an oracle that keeps the rule over the contacts of each step; ends of what is
 * destroyed or switched off, sleep, impacts, saves, workers, memory.
 */
#include "world/world.h"
#include "world_kit.h"

enum { MOST = 256, MOST_CONTACTS = 8192 };
/* Lists of so many are static: where the stack is small (wasm) they would not fit. */

typedef struct happening {
    lim_event event[MOST];
    int32_t count;
} happening;

static void read_events(const lim_world* world, happening* h) {
    memset(h, 0, sizeof *h);
    CHECK(lim_world_get_events(world, NULL, 0, &h->count) == LIM_OK);
    CHECK(h->count <= MOST);
    int32_t again = -1;
    CHECK(lim_world_get_events(world, h->event, MOST, &again) == LIM_OK && again == h->count);
}

static bool same_body(lim_body a, lim_body b) {
    return a.index == b.index && a.generation == b.generation;
}

static bool same_event(const lim_event* a, const lim_event* b) {
    return a->kind == b->kind && same_body(a->body, b->body) && same_body(a->other, b->other) &&
           a->collider.index == b->collider.index &&
           a->collider.generation == b->collider.generation && a->point.x == b->point.x &&
           a->point.y == b->point.y && a->point.z == b->point.z && a->normal.x == b->normal.x &&
           a->normal.y == b->normal.y && a->normal.z == b->normal.z && a->impulse == b->impulse;
}

static bool same_happening(const happening* a, const happening* b) {
    bool same = a->count == b->count;
    for (int32_t i = 0; i < a->count && same; ++i) {
        same = same_event(&a->event[i], &b->event[i]);
    }
    return same;
}

/* ---- the rule, slowly ---------------------------------------------------------------------------
 */

typedef struct rule_pair {
    uint32_t body, other;
    bool of_bodies, touching;
    int quiet;
    double impulse; /* of the step */
} rule_pair;

typedef struct rule {
    rule_pair pair[MOST];
    int count;
} rule;

static rule_pair* pair_of(rule* r, uint32_t a, uint32_t b, bool of_bodies) {
    for (int i = 0; i < r->count; ++i) {
        rule_pair* p = &r->pair[i];
        if (p->body == a && p->other == b && p->of_bodies == of_bodies) {
            return p;
        }
    }
    r->pair[r->count] = (rule_pair){.body = a, .other = b, .of_bodies = of_bodies};
    return &r->pair[r->count++];
}

static int expected(const happening* h, const rule_pair* p, lim_event_kind kind) {
    int found = 0;
    for (int32_t i = 0; i < h->count; ++i) {
        const lim_event* e = &h->event[i];
        uint32_t other = p->of_bodies ? e->other.index : e->collider.index;
        bool of_bodies = e->other.generation != 0;
        if (e->kind == kind && e->body.index == p->body && other == p->other &&
            of_bodies == p->of_bodies) {
            found++;
            CHECK(kind == LIM_EVENT_END ||
                  fabs((double)e->impulse - p->impulse) <= 1e-4 * p->impulse + 1e-9);
        }
    }
    return found;
}

/* Nobody sleeps in it. */
static void follow(rule* r, const lim_world* world, const happening* h, double impact) {
    static lim_contact list[MOST_CONTACTS];
    int32_t count = 0;
    int events = 0;
    CHECK(lim_world_get_contacts(world, list, MOST_CONTACTS, &count) == LIM_OK);
    CHECK(count < MOST_CONTACTS);
    for (int i = 0; i < r->count; ++i) {
        r->pair[i].impulse = -1.0;
    }
    for (int32_t i = 0; i < count; ++i) {
        const lim_contact* c = &list[i];
        bool of_bodies = c->other.generation != 0;
        uint32_t a = c->body.index, b = of_bodies ? c->other.index : c->collider.index;
        bool turned = of_bodies && b < a;
        rule_pair* p = pair_of(r, turned ? b : a, turned ? a : b, of_bodies);
        p->impulse = p->impulse < 0.0 ? 0.0 : p->impulse;
        p->impulse += fmax(0.0, (double)v3_dot(c->impulse, c->normal));
    }
    for (int i = 0; i < r->count; ++i) {
        rule_pair* p = &r->pair[i];
        bool now = p->impulse >= 0.0, begins = now && !p->touching;
        p->quiet = now ? 0 : p->quiet + 1;
        bool ends = p->touching && p->quiet >= 3;
        bool hits = now && p->impulse > impact;
        CHECK(expected(h, p, LIM_EVENT_BEGIN) == begins);
        CHECK(expected(h, p, LIM_EVENT_END) == ends);
        CHECK(expected(h, p, LIM_EVENT_IMPACT) == hits);
        events += begins + ends + hits;
        p->touching = now || (p->touching && !ends);
    }
    CHECK(h->count == events);
}

static void in_order(const happening* h) {
    for (int32_t i = 1; i < h->count; ++i) {
        const lim_event *a = &h->event[i - 1], *b = &h->event[i];
        bool sleep_a = a->kind >= LIM_EVENT_SLEEP, sleep_b = b->kind >= LIM_EVENT_SLEEP;
        CHECK(sleep_a <= sleep_b);
        CHECK(sleep_a != sleep_b || a->body.index <= b->body.index);
    }
}

static lim_world* loud_world(float impact, bool sleep, int32_t threads, const lim_host* host) {
    lim_world_desc desc = lim_world_desc_default();
    desc.impact = impact;
    desc.sleep = sleep;
    desc.workers = threads;
    lim_world* world = NULL;
    CHECK(lim_world_create(&desc, host, &world) == LIM_OK);
    return world;
}

/* A heap of three that are thrown about. */
typedef struct heap {
    lim_world* world;
    lim_body body[3];
    lim_collider ground, wall;
} heap;

static heap make_heap(const lim_model* model, float impact, bool sleep, int32_t threads,
                      const lim_host* host) {
    heap h = {.world = loud_world(impact, sleep, threads, host)};
    h.ground = kit_floor(h.world);
    lim_collider_desc c = lim_collider_desc_default();
    c.shape = LIM_SHAPE_BOX;
    c.size = (lim_vec3){0.05f, 0.5f, 0.5f};
    c.position = p3(-0.3, 0.1, 0);
    CHECK(lim_collider_create(h.world, &c, &h.wall) == LIM_OK);
    for (int k = 0; k < 3; ++k) {
        h.body[k] = kit_toy(h.world, model, 0.02 * k, 0.14 + 0.3 * k);
    }
    return h;
}

static void heap_step(heap* h, int step) {
    if (step % 40 == 30) {
        lim_vec3 up = {step % 80 < 40 ? -1.5f : 1.0f, 2.0f, 0.1f}, none = {0, 0, 0};
        CHECK(lim_body_set_velocity(h->world, h->body[step / 40 % 3], up, none) == LIM_OK);
    }
    kit_steps(h->world, 1);
}

static void events_follow_the_rule(void) {
    lim_model* model = kit_model(28, NULL);
    heap h = make_heap(model, 2.0f, false, 1, NULL);
    static rule r;
    memset(&r, 0, sizeof r);
    int kinds[6] = {0};
    for (int step = 0; step < 120; ++step) {
        static happening now;
        heap_step(&h, step);
        read_events(h.world, &now);
        in_order(&now);
        follow(&r, h.world, &now, 2.0);
        for (int32_t i = 0; i < now.count; ++i) {
            kinds[now.event[i].kind]++;
        }
    }
    printf("  %d begin, %d end, %d impacts\n", kinds[1], kinds[2], kinds[3]);
    CHECK(kinds[LIM_EVENT_BEGIN] > 3 && kinds[LIM_EVENT_END] > 0 && kinds[LIM_EVENT_IMPACT] > 1);
    lim_world_destroy(h.world);
    lim_model_destroy(model);
}

/* ---- single stories -----------------------------------------------------------------------------
 */

static int count_of(const happening* h, lim_event_kind kind) {
    int count = 0;
    for (int32_t i = 0; i < h->count; ++i) {
        count += h->event[i].kind == kind;
    }
    return count;
}

/* A ball falls, rests, sleeps, is woken and thrown up. */
static void a_ball_on_the_floor(void) {
    lim_model* model = kit_model(28, NULL);
    lim_world* world = loud_world(5.0f, true, 1, NULL);
    lim_collider ground = kit_floor(world);
    lim_body b = kit_toy(world, model, 0, 0.5);
    lim_body_motion m;
    static happening h;
    int begun = 0, ended = 0, slept = 0, first = -1, impacts = 0, steps = 0;
    for (; steps < 1200 && slept == 0; ++steps) {
        CHECK(lim_body_get_motion(world, b, &m) == LIM_OK);
        kit_steps(world, 1);
        read_events(world, &h);
        begun += count_of(&h, LIM_EVENT_BEGIN);
        ended += count_of(&h, LIM_EVENT_END);
        impacts += count_of(&h, LIM_EVENT_IMPACT);
        slept += count_of(&h, LIM_EVENT_SLEEP);
        CHECK(begun - ended == 0 || begun - ended == 1);
        if (begun == 1 && first < 0) {
            first = steps;
            const lim_event* e = &h.event[0];
            CHECK(e->kind == LIM_EVENT_BEGIN && same_body(e->body, b));
            CHECK(e->collider.index == ground.index && e->other.generation == 0);
            CHECK(e->normal.y > 0.99f && fabs(e->point.y) < 0.03 && fabs(e->point.x) < 0.05);
            CHECK(e->impulse > 0.0f && e->impulse < 2.0 * m.mass * m.speed);
        }
    }
    printf("  touched after %d steps, slept after %d, %d begun, %d impacts\n", first, steps, begun,
           impacts);
    CHECK(slept == 1 && first > 10 && begun - ended == 1 && begun < 6 && impacts > 0);
    kit_steps(world, 1);
    read_events(world, &h);
    CHECK(h.count == 0);
    CHECK(lim_body_wake(world, b) == LIM_OK);
    kit_steps(world, 1);
    read_events(world, &h);
    CHECK(h.count == 1 && h.event[0].kind == LIM_EVENT_WAKE && same_body(h.event[0].body, b));
    CHECK(lim_body_set_velocity(world, b, (lim_vec3){0, 3, 0}, (lim_vec3){0, 0, 0}) == LIM_OK);
    int until = 0;
    do {
        kit_steps(world, 1);
        read_events(world, &h);
        until++;
    } while (h.count == 0 && until < 60);
    CHECK(h.count == 1 && h.event[0].kind == LIM_EVENT_END && h.event[0].impulse == 0.0f);
    CHECK(until >= 3 && until < 10);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void what_is_gone_has_ended(void) {
    lim_model* model = kit_model(28, NULL);
    lim_world* world = loud_world(0.0f, true, 1, NULL);
    lim_collider ground = kit_floor(world);
    lim_body b[3];
    for (int k = 0; k < 3; ++k) {
        b[k] = kit_toy(world, model, k, 0.12);
    }
    kit_steps(world, 60);
    static happening h;
    CHECK(lim_body_destroy(world, b[0]) == LIM_OK);
    lim_body fresh = kit_toy(world, model, 0, 0.119); /* in its place, and in its slot */
    CHECK(fresh.index == b[0].index && fresh.generation != b[0].generation);
    CHECK(lim_body_set_enabled(world, b[1], false) == LIM_OK);
    kit_steps(world, 1);
    read_events(world, &h);
    CHECK(h.count == 2 && h.event[0].kind == LIM_EVENT_END && same_body(h.event[0].body, b[0]));
    CHECK(h.event[1].kind == LIM_EVENT_BEGIN && same_body(h.event[1].body, fresh));
    kit_steps(world, 1);
    read_events(world, &h);
    CHECK(h.count == 0);
    kit_steps(world, 1);
    read_events(world, &h); /* three steps after it was switched off */
    CHECK(h.count == 1 && h.event[0].kind == LIM_EVENT_END && same_body(h.event[0].body, b[1]));
    CHECK(lim_collider_destroy(world, ground) == LIM_OK);
    int32_t contacts = -1;
    CHECK(lim_world_get_contacts(world, NULL, 0, &contacts) == LIM_OK && contacts == 0);
    kit_steps(world, 1);
    read_events(world, &h);
    CHECK(h.count == 2);
    for (int k = 0; k < 2; ++k) {
        CHECK(h.event[k].kind == LIM_EVENT_END && h.event[k].collider.index == ground.index &&
              h.event[k].collider.generation == ground.generation);
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Contacts with a body that was destroyed, and whose slot another has taken, are not told. */
static void contacts_with_the_gone_are_gone(void) {
    lim_model* model = kit_model(28, NULL);
    heap h = make_heap(model, 0.0f, false, 1, NULL);
    static lim_contact list[MOST_CONTACTS];
    int32_t count = 0, between = 0;
    for (int step = 0; step < 200 && between == 0; ++step) {
        kit_steps(h.world, 1);
        CHECK(lim_world_get_contacts(h.world, list, MOST_CONTACTS, &count) == LIM_OK);
        for (int32_t i = 0; i < count; ++i) {
            between += list[i].other.generation != 0 && list[i].other.index == h.body[1].index;
        }
    }
    CHECK(between > 0);
    CHECK(lim_body_destroy(h.world, h.body[1]) == LIM_OK);
    for (int made = 0; made < 2; ++made) {
        CHECK(lim_world_get_contacts(h.world, list, MOST_CONTACTS, &count) == LIM_OK);
        for (int32_t i = 0; i < count; ++i) {
            CHECK(list[i].body.index != h.body[1].index);
            CHECK(list[i].other.generation == 0 || list[i].other.index != h.body[1].index);
        }
        kit_toy(h.world, model, 3, 3);
    }
    lim_world_destroy(h.world);
    lim_model_destroy(model);
}

static void advance_keeps_the_events_of_all_steps(void) {
    lim_model* model = kit_model(28, NULL);
    heap a = make_heap(model, 2.0f, true, 1, NULL), b = make_heap(model, 2.0f, true, 1, NULL);
    int32_t told = 0;
    for (int frame = 0; frame < 60; ++frame) {
        static happening sum, one;
        memset(&sum, 0, sizeof sum);
        for (int k = 0; k < 3; ++k) {
            kit_steps(a.world, 1);
            read_events(a.world, &one);
            for (int32_t i = 0; i < one.count; ++i) {
                sum.event[sum.count++] = one.event[i];
            }
        }
        int32_t steps;
        CHECK(lim_world_advance(b.world, 3.0f / 60.0f + (frame == 0 ? 1e-4f : 0.0f), &steps) ==
              LIM_OK);
        CHECK(steps == 3);
        read_events(b.world, &one);
        CHECK(same_happening(&sum, &one));
        told += one.count;
        CHECK(lim_world_advance(b.world, 0.0f, &steps) == LIM_OK && steps == 0);
        read_events(b.world, &one);
        CHECK(one.count == 0);
    }
    CHECK(told > 5);
    lim_world_destroy(a.world);
    lim_world_destroy(b.world);
    lim_model_destroy(model);
}

/* After loading in any step the events are those without the detour; so are those of any number of
 * workers; and restoring. */
static void events_after_loading_are_the_same(void) {
    lim_model* model = kit_model(28, NULL);
    heap a = make_heap(model, 2.0f, true, 1, NULL), b = make_heap(model, 2.0f, true, 1, NULL);
    unsigned char* bytes = NULL;
    lim_snapshot* shot = NULL;
    int32_t told = 0;
    for (int step = 0; step < 80; ++step) {
        static happening one, two;
        if (step % 7 == 6) {
            size_t size = 0;
            CHECK(lim_world_save(b.world, NULL, 0, &size) == LIM_OK);
            bytes = realloc(bytes, size);
            CHECK(lim_world_save(b.world, bytes, size, &size) == LIM_OK);
            lim_world_destroy(b.world);
            CHECK(lim_world_load(bytes, size, 1 + step % 5, NULL, &b.world) == LIM_OK);
            read_events(b.world, &one);
            CHECK(one.count == 0);
        }
        if (step % 10 == 5) { /* a way that was not gone */
            CHECK(lim_snapshot_create(b.world, &shot) == LIM_OK);
            kit_steps(b.world, 4);
            CHECK(lim_snapshot_restore(b.world, shot) == LIM_OK);
            lim_snapshot_destroy(shot);
        }
        heap_step(&a, step);
        heap_step(&b, step);
        read_events(a.world, &one);
        read_events(b.world, &two);
        CHECK(same_happening(&one, &two));
        told += one.count;
    }
    CHECK(told > 5);
    CHECK(lim_world_hash(a.world) == lim_world_hash(b.world));
    free(bytes);
    lim_world_destroy(a.world);
    lim_world_destroy(b.world);
    lim_model_destroy(model);
}

/* A step without memory changes nothing, the events of the last one included. A warm one asks for
 * none. */
static void memory_may_fail_at_any_step(void) {
    lim_model* model = kit_model(28, NULL);
    failing_host f;
    failing_host_arm(&f, -1);
    heap a = make_heap(model, 2.0f, true, 1, NULL), b = make_heap(model, 2.0f, true, 1, &f.host);
    int failures = 0;
    for (int step = 0; step < 80; ++step) {
        static happening one, two, before;
        read_events(b.world, &before);
        for (int n = 0; n < 200; ++n) {
            f.fail_at = f.allocations + n;
            if (lim_world_step(b.world, 1.0f / 60.0f) == LIM_OK) {
                break;
            }
            failures++;
            read_events(b.world, &two);
            CHECK(same_happening(&before, &two));
        }
        f.fail_at = -1;
        kit_steps(a.world, 1);
        read_events(a.world, &one);
        read_events(b.world, &two);
        CHECK(same_happening(&one, &two));
    }
    CHECK(failures > 5);
    int64_t allocations = f.allocations;
    kit_steps(b.world, 20);
    CHECK(f.allocations == allocations);
    lim_world_destroy(a.world);
    lim_world_destroy(b.world);
    CHECK(f.held == 0);
    lim_model_destroy(model);
}

TEST_SUITE(world_events) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(events_follow_the_rule);
        RUN(events_after_loading_are_the_same);
    }
    RUN(a_ball_on_the_floor);
    RUN(what_is_gone_has_ended);
    RUN(contacts_with_the_gone_are_gone);
    RUN(advance_keeps_the_events_of_all_steps);
    RUN(memory_may_fail_at_any_step);
    TEST_END();
}

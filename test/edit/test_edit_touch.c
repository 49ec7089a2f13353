/* SPDX-License-Identifier: MIT
 * Level of detail by touch: a grab, a collider, another body and a pin that moves make cells fine
 * where they are, and some time after them cells are coarse again. What rests, stays; limits are
 * kept; nothing flickers; the same bits for any number of workers and after loading.
 */
#include "edit_kit.h"

typedef struct touched {
    lim_world* world;
    lim_model* model;
    lim_body bar;
    lim_detail detail;
} touched;

/* A bar held at its ends that floats. */
static touched touched_make(int32_t nodes, int32_t threads, float reach) {
    lim_world_desc desc = lim_world_desc_default();
    desc.workers = threads;
    desc.sleep = false;
    desc.gravity = (lim_vec3){0, 0, 0};
    touched t = {.model = edit_bar(nodes, 1, NULL), .detail = lim_detail_default()};
    CHECK(lim_world_create(&desc, NULL, &t.world) == LIM_OK);
    t.bar = edit_body(t.world, t.model, 0, 1);
    edit_pin(t.world, t.bar, -0.6, 1, 0.05, 0.0f);
    edit_pin(t.world, t.bar, 0.6, 1, 0.05, 0.0f);
    t.detail.touch = reach;
    t.detail.touch_time = 0.25f;
    CHECK(lim_body_set_detail(t.world, t.bar, &t.detail) == LIM_OK);
    return t;
}

static void touched_free(touched* t) {
    lim_world_destroy(t->world);
    lim_model_destroy(t->model);
}

static const topology* topology_now(const touched* t) {
    return t->world->bodies[t->bar.index]->body.topology;
}

/* The level of the node nearest to a place at rest, the bar's middle at the origin. */
static int32_t level_at(const touched* t, double x, double y) {
    const body* b = &t->world->bodies[t->bar.index]->body;
    const topology* of = b->topology;
    int32_t level = -1;
    double least = 1e30;
    for (int32_t i = 0; i < of->node_count; ++i) {
        int32_t slot = of->node_slot[i];
        lim_point p = p3_scale(body_slot_rest(of, slot), body_metres(b));
        double d = p3_length(p3_sub(p, p3(x, y, 0.0)));
        level = d < least ? octant_of(of->key[slot]).level : level;
        least = d < least ? d : least;
    }
    return level;
}

/* Finest at x on top, as coarse as before at the far end, few nodes more; and what there was before
 * some time after the touch, not sooner. `end` ends it. */
static void comes_and_goes(touched* t, double x, int32_t before, const char* what,
                           void (*end)(touched* t)) {
    edit_steps(t->world, 40);
    int32_t finest = topology_now(t)->levels, near = level_at(t, x, 0.15),
            far = level_at(t, -x, -0.15), fine = edit_nodes(t->world, t->bar);
    end(t);
    edit_steps(t->world, 10); /* of the 15 that cells are kept */
    int32_t kept = level_at(t, x, 0.15);
    edit_steps(t->world, 40);
    int32_t after = edit_nodes(t->world, t->bar);
    printf("  %s: %d nodes, then %d (levels %d here, %d there, finest %d), then %d\n", what, before,
           fine, near, far, finest, after);
    CHECK(near == finest && far < finest && kept == finest);
    CHECK(fine > before + 20 && after == before);
}

static lim_grab grab_made;
static lim_collider ball_made;
static lim_body stone_made;

static void end_grab(touched* t) {
    CHECK(lim_grab_destroy(t->world, grab_made) == LIM_OK);
}
static void end_ball(touched* t) {
    CHECK(lim_collider_destroy(t->world, ball_made) == LIM_OK);
}
static void end_stone(touched* t) {
    CHECK(lim_body_destroy(t->world, stone_made) == LIM_OK);
}

static int32_t settle(touched* t) {
    edit_steps(t->world, 30);
    return edit_nodes(t->world, t->bar);
}

static void a_grab_refines(void) {
    touched t = touched_make(2000, 1, 0.03f);
    int32_t before = settle(&t);
    grab_made = edit_grab(t.world, t.bar, 0.3, 1.15, false);
    CHECK(lim_grab_move(t.world, grab_made, (lim_point){0.3, 1.2, 0}) == LIM_OK);
    comes_and_goes(&t, 0.3, before, "a grab", end_grab);
    touched_free(&t);
}

static lim_collider ball_at(lim_world* world, double x, double y, float radius) {
    lim_collider_desc desc = lim_collider_desc_default();
    lim_collider made = {0};
    desc.shape = LIM_SHAPE_SPHERE;
    desc.size.x = radius;
    desc.position = (lim_point){x, y, 0};
    CHECK(lim_collider_create(world, &desc, &made) == LIM_OK);
    return made;
}

static void a_collider_refines(void) {
    touched t = touched_make(2000, 1, 0.03f);
    int32_t before = settle(&t);
    ball_made = ball_at(t.world, 0.3, 1.31, 0.2f); /* coarse points are 0.16 m apart */
    comes_and_goes(&t, 0.3, before, "a ball", end_ball);
    touched_free(&t);
}

static void another_body_refines(void) {
    touched t = touched_make(2000, 1, 0.03f);
    int32_t before = settle(&t);
    lim_model* small = edit_bar(100, 0, NULL);
    lim_body_desc desc = lim_body_desc_default();
    desc.model = small;
    desc.position = (lim_point){0.3, 1.25, 0};
    desc.scale = 0.15f;
    CHECK(lim_body_create(t.world, &desc, &stone_made) == LIM_OK);
    lim_pin press = edit_pin(t.world, stone_made, 0.3, 1.25, 0.2, 0.0f);
    for (int i = 0; i < 90; ++i) { /* pressed slowly into the bar */
        CHECK(lim_pin_move(t.world, press, (lim_point){0.3, 1.25 - 0.001 * i, 0},
                           (lim_quat){0, 0, 0, 1}) == LIM_OK);
        edit_steps(t.world, 1);
    }
    comes_and_goes(&t, 0.3, before, "a body", end_stone);
    lim_model_destroy(small);
    touched_free(&t);
}

/* A pin refines while it moves, and not where it only holds. */
static void a_pin_that_moves_refines(void) {
    touched t = touched_make(2000, 1, 0.0001f);
    lim_pin_desc desc = lim_pin_desc_default();
    lim_pin pin;
    desc.body = t.bar;
    desc.size.x = 0.08f;
    desc.position = (lim_point){0.24, 1.08, 0};
    CHECK(lim_pin_create(t.world, &desc, &pin) == LIM_OK);
    int32_t still = settle(&t);
    for (int i = 0; i < 40; ++i) {
        CHECK(lim_pin_move(t.world, pin, (lim_point){0.24, 1.08 + 0.001 * i, 0},
                           (lim_quat){0, 0, 0, 1}) == LIM_OK);
        edit_steps(t.world, 1);
    }
    int32_t moved = level_at(&t, 0.24, 0.08);
    CHECK(moved == topology_now(&t)->levels);
    CHECK(level_at(&t, -0.6, 0.0) < topology_now(&t)->levels);
    edit_steps(t.world, 60);
    printf("  a pin: %d nodes, after it has moved %d\n", still, edit_nodes(t.world, t.bar));
    CHECK(edit_nodes(t.world, t.bar) == still);
    touched_free(&t);
}

/* What is held still is refined, and then nothing changes for as long as it is. */
static void nothing_flickers(void) {
    static const float REACH[] = {0.0001f, 0.02f, 0.05f, 0.1f, 0.25f};
    for (int k = 0; k < 5; k += test_long ? 1 : 2) {
        touched t = touched_make(test_long ? 4000 : 1000, 1, REACH[k]);
        settle(&t);
        grab_made = edit_grab(t.world, t.bar, 0.5 - 0.17 * k, 1.15, k % 2 == 1);
        ball_made = ball_at(t.world, 0.6 - 0.2 * k, 0.76, 0.1f);
        int last = 0;
        for (int i = 0; i < (test_long ? 600 : 200); ++i) {
            const topology* before = topology_now(&t);
            edit_steps(t.world, 1);
            last = topology_now(&t) != before ? i : last;
        }
        printf("  within %g m: %d nodes, the last edit in step %d\n", (double)REACH[k],
               edit_nodes(t.world, t.bar), last);
        CHECK(last < 60);
        touched_free(&t);
    }
}

static void limits_are_kept(void) {
    for (int kind = 0; kind < 2; ++kind) {
        touched t = touched_make(2000, 1, 0.1f);
        int32_t before = settle(&t), limit = before + 60, most = 0;
        lim_world_detail all = lim_world_detail_default();
        t.detail.nodes = kind == 0 ? limit : 0;
        all.work = kind == 1 ? 40 : 256;
        CHECK(lim_body_set_detail(t.world, t.bar, &t.detail) == LIM_OK);
        CHECK(lim_world_set_detail(t.world, &all) == LIM_OK);
        edit_grab(t.world, t.bar, 0.3, 1.15, false);
        for (int i = 0; i < 60; ++i) {
            int32_t was = edit_nodes(t.world, t.bar);
            edit_steps(t.world, 1);
            int32_t now = edit_nodes(t.world, t.bar);
            CHECK(kind == 0 ? now <= limit : now - was <= 40);
            most = now > most ? now : most;
        }
        printf("  limit %d: from %d nodes to %d\n", kind, before, most);
        CHECK(most > before + 20);
        touched_free(&t);
    }
}

/* On the ground it is fine all over its underside. Asleep nothing of that changes; or it is as
 * coarse as it gets, and sleeps on. */
static void sleepers_are_left_alone(void) {
    for (int coarse = 0; coarse < 2; ++coarse) {
        lim_world* world = edit_world(NULL, 1);
        lim_model* model = edit_bar(600, 1, NULL);
        lim_collider_desc ground = lim_collider_desc_default();
        lim_collider floor;
        CHECK(lim_collider_create(world, &ground, &floor) == LIM_OK);
        lim_body bar = edit_body(world, model, 0, 0.16);
        lim_material m;
        CHECK(lim_body_get_material(world, bar, &m) == LIM_OK);
        m.viscosity = 500.0f;
        m.damping_time = 0.1f;
        CHECK(lim_body_set_material(world, bar, &m) == LIM_OK);
        lim_detail d = lim_detail_default();
        d.touch = 0.02f;
        d.rest_coarse = coarse != 0;
        CHECK(lim_body_set_detail(world, bar, &d) == LIM_OK);
        const topology* was = NULL;
        int32_t awake = 0, slept = -1, edits = 0;
        for (int i = 0; i < 600; ++i) {
            edit_steps(world, 1);
            bool asleep = edit_motion(world, bar).asleep;
            const topology* now = world->bodies[bar.index]->body.topology;
            edits += slept >= 0 && now != was;
            was = now;
            awake = asleep ? awake : edit_nodes(world, bar);
            slept = asleep && slept < 0 ? i : slept;
            CHECK(slept < 0 || asleep);
        }
        int32_t rest = edit_nodes(world, bar);
        printf("  %d nodes awake, asleep from step %d, then %d\n", awake, slept, rest);
        CHECK(slept >= 0);
        CHECK(coarse != 0 ? 2 * rest < awake : edits == 0 && rest == awake);
        lim_world_destroy(world);
        lim_model_destroy(model);
    }
}

/* Ten steps of a story, from a world: a grab that wanders, a ball that comes. */
static void tell(touched* t, int from, int to) {
    for (int i = from; i < to; ++i) {
        if (i == 5) {
            grab_made = edit_grab(t->world, t->bar, 0.5, 1.15, false);
        }
        if (i == 12) {
            ball_made = ball_at(t->world, -0.1, 1.23, 0.1f);
        }
        if (i == 30) {
            end_grab(t);
        }
        edit_steps(t->world, 1);
    }
}

static void the_same_for_workers_and_after_loading(void) {
    uint64_t one = 0;
    for (int32_t n = 1; n <= (TEST_RACES ? 2 : 3); ++n) {
        touched t = touched_make(1500, n, 0.04f);
        tell(&t, 0, 70);
        uint64_t hash = lim_world_hash(t.world);
        one = n == 1 ? hash : one;
        CHECK(hash == one);
        touched_free(&t);
    }
    /* at its end the grab is gone, and what it has touched is only remembered */
    touched t = touched_make(1500, 1, 0.04f);
    tell(&t, 0, 36);
    int32_t fine = edit_nodes(t.world, t.bar);
    lim_snapshot* shot = NULL;
    CHECK(lim_snapshot_create(t.world, &shot) == LIM_OK);
    size_t size = 0;
    CHECK(lim_world_save(t.world, NULL, 0, &size) == LIM_OK);
    unsigned char* bytes = malloc(size);
    CHECK(bytes != NULL && lim_world_save(t.world, bytes, size, &size) == LIM_OK);
    lim_world* loaded = NULL;
    CHECK(lim_world_load(bytes, size, 2, NULL, &loaded) == LIM_OK);
    free(bytes);
    lim_detail got;
    CHECK(lim_body_get_detail(loaded, t.bar, &got));
    CHECK(got.touch == 0.04f && got.touch_time == 0.25f);
    tell(&t, 36, 70);
    CHECK(lim_world_hash(t.world) == one && edit_nodes(t.world, t.bar) < fine);
    edit_steps(loaded, 34);
    CHECK(lim_world_hash(loaded) == one);
    lim_world_destroy(loaded);
    CHECK(lim_snapshot_restore(t.world, shot) == LIM_OK);
    tell(&t, 36, 70);
    CHECK(lim_world_hash(t.world) == one);
    lim_snapshot_destroy(shot);
    touched_free(&t);
}

/* A grab that began on large cells holds, once they are split, what one holds that begins then. */
static void a_grab_becomes_as_small_as_its_cells(void) {
    body_grab* grab[2];
    touched t[2];
    for (int k = 0; k < 2; ++k) {
        t[k] = touched_make(2000, 1, 0.0f);
        int32_t wide = 0;
        settle(&t[k]);
        if (k == 0) {
            edit_grab(t[k].world, t[k].bar, 0.3, 1.15, false);
            wide = t[k].world->bodies[t[k].bar.index]->body.grabs.data[0].count;
        }
        lim_refine_desc fine = edit_ball(0.3, 1.15, 0.12, 0);
        CHECK(lim_body_refine(t[k].world, t[k].bar, &fine, NULL) == LIM_OK);
        if (k == 1) {
            edit_grab(t[k].world, t[k].bar, 0.3, 1.15, false);
        }
        body* b = &t[k].world->bodies[t[k].bar.index]->body;
        grab[k] = &b->grabs.data[0];
        printf("  %d nodes of %d are held (before: %d)\n", grab[k]->count, b->topology->node_count,
               wide);
    }
    CHECK(grab[0]->count == grab[1]->count && grab[0]->count < 60);
    for (int32_t i = 0; i < grab[0]->count && i < grab[1]->count; ++i) {
        CHECK(grab[0]->slot[i] == grab[1]->slot[i]);
        CHECK_NEAR(grab[0]->weight[i], grab[1]->weight[i], 1e-5);
    }
    CHECK_NEAR(grab[0]->reach, grab[1]->reach, 1e-5f * grab[1]->reach);
    /* it still holds the same point, and pulls nothing */
    edit_steps(t[0].world, 5);
    lim_grab id = {0};
    id.generation = t[0].world->grab_slots.generation[0];
    lim_point at;
    CHECK(lim_grab_get_point(t[0].world, id, &at) == LIM_OK);
    CHECK(p3_length(p3_sub(at, p3(0.3, 1.15, 0))) < 1e-4);
    touched_free(&t[0]);
    touched_free(&t[1]);
}

/* Without the rule nothing is refined, and nothing of it is in the state. */
static void it_is_off_by_default(void) {
    touched t = touched_make(1500, 1, 0.0f);
    CHECK(lim_detail_default().touch == 0.0f);
    int32_t before = settle(&t);
    edit_grab(t.world, t.bar, 0.3, 1.15, false);
    edit_steps(t.world, 30);
    CHECK(edit_nodes(t.world, t.bar) == before);
    CHECK(!t.world->bodies[t.bar.index]->body.feels_touch);
    touched_free(&t);
}

TEST_SUITE(edit_touch) {
    TEST_BEGIN(argc, argv);
    RUN(the_same_for_workers_and_after_loading);
    if (!TEST_RACES) {
        RUN(a_grab_refines);
        RUN(a_collider_refines);
        RUN(another_body_refines);
        RUN(a_pin_that_moves_refines);
        RUN(nothing_flickers);
        RUN(limits_are_kept);
        RUN(sleepers_are_left_alone);
        RUN(a_grab_becomes_as_small_as_its_cells);
        RUN(it_is_off_by_default);
    }
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * Level of detail while a world runs: eyes that come near, go away and tremble, strain, sleep,
 * limits of nodes and of work. What is wished for comes, and then nothing flickers.
 */
#include "edit_kit.h"

typedef struct watched {
    lim_world* world;
    lim_body bar;
    lim_model* model;
} watched;

static watched watched_make(const lim_detail* d, const lim_world_detail* eye) {
    watched w = {.world = edit_world(NULL, 1), .model = edit_bar(200, 1, NULL)};
    w.bar = edit_body(w.world, w.model, 0, 1);
    edit_pin(w.world, w.bar, 0, 1, 0.7, 0.0f);
    lim_detail awake = *d;
    awake.rest_coarse = false; /* it is held, and so it sleeps */
    CHECK(lim_body_set_detail(w.world, w.bar, &awake) == LIM_OK);
    CHECK(lim_world_set_detail(w.world, eye) == LIM_OK);
    return w;
}

static void watched_free(watched* w) {
    lim_world_destroy(w->world);
    lim_model_destroy(w->model);
}

static const topology* topology_now(const watched* w) {
    return w->world->bodies[w->bar.index]->body.topology;
}

/* The level of a node that has a place. */
static int32_t level_near(const watched* w, lim_point at) {
    const body* b = &w->world->bodies[w->bar.index]->body;
    const topology* t = b->topology;
    int32_t level = -1;
    double least = 1e30;
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        lim_point p = node_to_world(&b->components[t->slot_component[slot]], body_metres(b),
                                    body_slot_local(b, slot));
        double d = p3_length(p3_sub(p, at));
        level = d < least ? octant_of(t->key[slot]).level : level;
        least = d < least ? d : least;
    }
    return level;
}

static void eyes_refine_and_coarsen(void) {
    lim_detail d = lim_detail_default();
    d.angle = 0.08f;
    lim_world_detail eye = lim_world_detail_default();
    eye.eye = (lim_point){0, 1, 50};
    watched w = watched_make(&d, &eye);
    edit_steps(w.world, 60);
    int32_t far = topology_now(&w)->node_count;
    eye.eye = (lim_point){0.6, 1, 0.3};
    CHECK(lim_world_set_detail(w.world, &eye) == LIM_OK);
    edit_steps(w.world, 60);
    int32_t near = topology_now(&w)->node_count;
    int32_t here = level_near(&w, (lim_point){0.6, 1, 0.15}),
            there = level_near(&w, (lim_point){-0.6, 1, -0.15});
    eye.eye = (lim_point){0, 1, 50};
    CHECK(lim_world_set_detail(w.world, &eye) == LIM_OK);
    edit_steps(w.world, 60);
    int32_t again = topology_now(&w)->node_count;
    printf("  %d nodes from afar, %d from near (level %d here, %d there), %d again\n", far, near,
           here, there, again);
    CHECK(near > 2 * far && here > there && again == far);
    watched_free(&w);
}

/* Whatever is wished for, there are never more nodes than the limits say, and no step does more
 * than its share of work. */
static void limits_are_kept(void) {
    for (int kind = 0; kind < 3; ++kind) {
        lim_detail d = lim_detail_default();
        d.angle = 0.02f;
        lim_world_detail eye = lim_world_detail_default();
        eye.eye = (lim_point){0, 1, 50};
        watched w = watched_make(&d, &eye);
        edit_steps(w.world, 60);
        int32_t start = topology_now(&w)->node_count, limit = 3 * start, most = 0;
        d.nodes = kind == 0 ? limit : 0;
        d.rest_coarse = false;
        eye.nodes = kind == 1 ? limit : 0;
        eye.work = kind == 2 ? 60 : 256;
        eye.eye = (lim_point){0.4, 1, 0.3};
        CHECK(lim_body_set_detail(w.world, w.bar, &d) == LIM_OK);
        CHECK(lim_world_set_detail(w.world, &eye) == LIM_OK);
        for (int i = 0; i < 120; ++i) {
            int32_t nodes = topology_now(&w)->node_count;
            edit_steps(w.world, 1);
            int32_t now = topology_now(&w)->node_count;
            if (kind < 2 && now > limit) {
                printf("  kind %d: %d nodes, limit %d\n", kind, now, limit);
                CHECK(false);
                break;
            }
            int32_t work = now > nodes ? now - nodes : nodes - now;
            if (work > eye.work) {
                printf("  kind %d: %d nodes more in one step, work %d\n", kind, now - nodes,
                       eye.work);
                CHECK(false);
                break;
            }
            most = now > most ? now : most;
        }
        printf("  limit %d: %d nodes at most %d\n", kind, start, most);
        CHECK(most > start + start / 2);
        watched_free(&w);
    }
}

/* An eye that stands still, and one that trembles: after the first second, nothing changes. */
static void nothing_flickers(void) {
    for (int kind = 0; kind < 6; ++kind) {
        lim_detail d = lim_detail_default();
        d.angle = 0.05f;
        lim_world_detail eye = lim_world_detail_default();
        lim_point home = {0.5 - 0.07 * kind, 1.1, 0.5 + 0.2 * kind};
        eye.eye = home;
        d.nodes = kind == 2 ? 150 : 0;
        eye.nodes = kind == 3 ? 150 : 0;
        eye.work = kind == 4 ? 50 : 256;
        if (kind == 5) {
            d.strain_fine = 0.05f;
            d.strain_coarse = 0.01f;
        }
        watched w = watched_make(&d, &eye);
        int last = 0;
        for (int i = 0; i < 600; ++i) {
            const topology* before = topology_now(&w);
            if (kind % 2 == 1) {
                double a = (double)(i % 7) / 7 - 0.5, b = (double)(i % 5) / 5 - 0.5;
                eye.eye = (lim_point){home.x + 0.01 * a, home.y + 0.01 * b, home.z - 0.01 * a};
                CHECK(lim_world_set_detail(w.world, &eye) == LIM_OK);
            }
            edit_steps(w.world, 1);
            last = topology_now(&w) != before ? i : last;
        }
        printf("  kind %d: %d nodes, the last edit in step %d\n", kind,
               topology_now(&w)->node_count, last);
        CHECK(last < 60);
        watched_free(&w);
    }
}

/* Asleep it is as coarse as it gets, and goes on sleeping. */
static void sleepers_are_coarse_and_sleep_on(void) {
    lim_world_detail eye = lim_world_detail_default();
    eye.eye = (lim_point){0, 0.3, 0.4};
    for (int coarse = 0; coarse < 2; ++coarse) {
        lim_world* world = edit_world(NULL, 1);
        lim_model* model = edit_bar(100, 1, NULL);
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
        d.angle = 0.1f;
        d.rest_coarse = coarse != 0;
        CHECK(lim_body_set_detail(world, bar, &d) == LIM_OK);
        CHECK(lim_world_set_detail(world, &eye) == LIM_OK);
        int32_t awake = 0, slept = -1;
        for (int i = 0; i < 900; ++i) {
            edit_steps(world, 1);
            bool asleep = edit_motion(world, bar).asleep;
            awake = asleep ? awake : edit_nodes(world, bar);
            slept = asleep && slept < 0 ? i : slept;
            CHECK(slept < 0 || asleep); /* once asleep, for good */
        }
        int32_t rest = edit_nodes(world, bar);
        printf("  %d nodes awake, asleep from step %d, then %d\n", awake, slept, rest);
        CHECK(slept >= 0 && (coarse != 0 ? 2 * rest < awake : rest == awake));
        lim_world_destroy(world);
        lim_model_destroy(model);
    }
}

/* Where it is strained it gets finer, and coarser when that is over. */
static void strain_refines(void) {
    lim_world* world = edit_world(NULL, 1);
    lim_model* model = edit_bar(200, 1, NULL);
    CHECK(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}) == LIM_OK);
    lim_body bar = edit_body(world, model, 0, 1);
    lim_pin left = edit_pin(world, bar, -0.6, 1, 0.1, 0),
            right = edit_pin(world, bar, 0.6, 1, 0.1, 0);
    (void)left;
    lim_detail d = lim_detail_default();
    d.strain_fine = 0.1f;
    d.strain_coarse = 0.03f;
    CHECK(lim_body_set_detail(world, bar, &d) == LIM_OK);
    edit_steps(world, 60);
    int32_t still = edit_nodes(world, bar);
    const lim_quat straight = {0, 0, 0, 1};
    for (int i = 0; i <= 60; ++i) {
        CHECK(lim_pin_move(world, right, (lim_point){0.6 + 0.005 * i, 1, 0}, straight) == LIM_OK);
        edit_steps(world, 1);
    }
    edit_steps(world, 60);
    int32_t pulled = edit_nodes(world, bar);
    for (int i = 60; i >= 0; --i) {
        CHECK(lim_pin_move(world, right, (lim_point){0.6 + 0.005 * i, 1, 0}, straight) == LIM_OK);
        edit_steps(world, 1);
    }
    edit_steps(world, 120);
    int32_t back = edit_nodes(world, bar);
    printf("  %d nodes, pulled %d, then %d\n", still, pulled, back);
    CHECK(pulled > 2 * still && back < pulled / 2);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Without wishes of its own a body is left alone. */
static void null_detail_keeps_cells(void) {
    lim_detail d = lim_detail_default();
    d.angle = 0.05f;
    lim_world_detail eye = lim_world_detail_default();
    eye.eye = (lim_point){0.3, 1, 0.3};
    watched w = watched_make(&d, &eye);
    edit_steps(w.world, 60);
    CHECK(lim_body_set_detail(w.world, w.bar, NULL) == LIM_OK);
    lim_detail got;
    CHECK(!lim_body_get_detail(w.world, w.bar, &got));
    const topology* t = topology_now(&w);
    eye.eye = (lim_point){0, 1, 50};
    CHECK(lim_world_set_detail(w.world, &eye) == LIM_OK);
    edit_steps(w.world, 60);
    CHECK(topology_now(&w) == t);
    watched_free(&w);
}

TEST_SUITE(edit_detail) {
    TEST_BEGIN(argc, argv);
    RUN(eyes_refine_and_coarsen);
    RUN(limits_are_kept);
    RUN(nothing_flickers);
    RUN(sleepers_are_coarse_and_sleep_on);
    RUN(strain_refines);
    RUN(null_detail_keeps_cells);
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * Training from a scene to bytes: the same however it is run, good in poses that were not learnt,
 * within its budget; what the accurate skin may not do.
 */
#include "train_kit.h"

static const char* const SCENE = TRAIN_SCENE("lattice", "\"poses\": 10, \"held_out\": 4,");

static bool stop_at_once(void* user, double share) {
    (void)user;
    (void)share;
    return false;
}

static train_file whole(const char* text, int32_t threads) {
    scene* s = train_scene(text);
    trainer* t = train_start(s);
    CHECK(trainer_run(t, threads, NULL, NULL) == LIM_OK);
    for (int32_t i = 0; i < trainer_count(t); ++i) {
        CHECK(trainer_report(t, i).status != TRAIN_WAITING);
    }
    train_file f = train_bytes(t, 0);
    trainer_destroy(t);
    scene_destroy(s);
    return f;
}

static void workers_do_not_change_the_bytes(void) {
    train_file one = whole(SCENE, 1);
    CHECK(one.size > 10000);
    for (int32_t threads = 2; threads <= 3; ++threads) {
        train_file more = whole(SCENE, threads);
        CHECK(same_file(one, more));
        free(more.data);
    }
    free(one.data);
}

/* Stopped after every batch, kept, and gone on in a new trainer. */
static void an_interrupted_training_goes_on(void) {
    train_file one = whole(SCENE, 1);
    scene* s = train_scene(SCENE);
    train_file kept = {NULL, 0};
    int rounds = 0;
    for (bool ends = false; !ends && rounds < 20; ++rounds) {
        trainer* t = train_start(s);
        CHECK(kept.data == NULL || trainer_resume(t, kept.data, kept.size) == LIM_OK);
        free(kept.data);
        CHECK(trainer_run(t, 1, stop_at_once, NULL) == LIM_OK);
        CHECK(trainer_keep(t, &kept.data, &kept.size) == LIM_OK);
        ends = trainer_report(t, trainer_count(t) - 1).status != TRAIN_WAITING;
        if (ends) {
            train_file all = train_bytes(t, 0);
            CHECK(same_file(one, all));
            free(all.data);
        }
        trainer_destroy(t);
    }
    CHECK(rounds == 5);
    /* damaged, cut short, of another training */
    scene* other = train_scene(TRAIN_SCENE("lattice", "\"poses\": 10, \"seed\": 2,"));
    trainer *t = train_start(s), *o = train_start(other);
    CHECK(trainer_resume(o, kept.data, kept.size) == LIM_ERROR_ARGUMENT);
    for (size_t size = 0; size < kept.size; size += 1 + kept.size / 53) {
        CHECK(trainer_resume(t, kept.data, size) == LIM_ERROR_FORMAT);
    }
    kept.data[kept.size / 3] ^= 4;
    CHECK(trainer_resume(t, kept.data, kept.size) == LIM_ERROR_FORMAT);
    for (int32_t i = 0; i < trainer_count(t); ++i) {
        CHECK(trainer_report(t, i).status == TRAIN_WAITING);
    }
    trainer_destroy(t);
    trainer_destroy(o);
    free(kept.data);
    free(one.data);
    scene_destroy(s);
    scene_destroy(other);
}

/* Over both ways of binding a skin to nodes. */
static void detail_helps_where_it_was_not_learnt(void) {
    static const char* const scenes[] = {TRAIN_SCENE("lattice", "\"poses\": 40, \"held_out\": 6,"),
                                         TRAIN_SCENE("octree", "\"poses\": 40, \"held_out\": 6,")};
    for (int i = 0; i < 2; ++i) {
        scene* s = train_scene(scenes[i]);
        trainer* t = train_start(s);
        CHECK(trainer_run(t, 1, NULL, NULL) == LIM_OK);
        train_file f = train_bytes(t, 0);
        train_quality q;
        CHECK(trainer_test(t, f.data, f.size, 1, NULL, NULL, &q) == LIM_OK);
        printf("  %d poses: %.3g m off, with detail %.3g m, at worst %.0f %%\n", q.poses, q.coarse,
               q.enriched, 100 * q.worst);
        CHECK(q.poses >= 4 && q.enriched < 0.5 * q.coarse && q.worst < 1.02);
        free(f.data);
        trainer_destroy(t);
        scene_destroy(s);
    }
}

static void the_budget_is_kept(void) {
    scene* s = train_scene(SCENE);
    trainer* t = train_start(s);
    CHECK(trainer_run(t, 2, NULL, NULL) == LIM_OK);
    train_file all = train_bytes(t, 0), half = {NULL, 0}, more = {NULL, 0};
    int32_t left_out = 0;
    CHECK(trainer_bytes(t, all.size / 2, &half.data, &half.size, &left_out) == LIM_OK);
    CHECK(half.size <= all.size / 2 && half.size > all.size / 4 && left_out >= 4);
    CHECK(trainer_bytes(t, all.size, &more.data, &more.size, &left_out) == LIM_OK);
    CHECK(left_out == 0 && same_file(all, more));
    free(all.data);
    free(half.data);
    free(more.data);
    trainer_destroy(t);
    scene_destroy(s);
}

/* The accurate skin stays where it is held, is not in the tool, and is in equilibrium. */
static void the_accurate_skin_keeps_to_its_bounds(void) {
    scene* s = train_scene(SCENE);
    trainer* t = train_start(s);
    arena scratch;
    arena_init(&scratch, &t->host);
    train_pair pair;
    CHECK(train_pair_make(t, &t->pose[0], NULL, 0, &scratch, &pair) == LIM_OK);
    CHECK(pair.status == TRAIN_DONE && pair.shell.converged && pair.shell.residual < 2.1e-3);
    lim_world* world = pair.coarse.world;
    body* b = &world->bodies[t->start.body.index]->body;
    const body_skin* plain = body_skin_now(b, world->set, NULL);
    const collider* tool = &world->colliders[t->start.tool.index].shape;
    int32_t moved = 0, held = 0, far = 0;
    for (int32_t i = 0; i + 1 < t->points; ++i) {
        const float* p = plain->positions + 3 * (size_t)t->skin.point_vertex[i];
        lim_point at = p3((double)p[0], (double)p[1], (double)p[2]);
        double off = p3_length(p3_sub(pair.accurate[i], at));
        lim_vec3 rest = v3(t->skin.rest[0][i], t->skin.rest[1][i], t->skin.rest[2][i]);
        double away = (double)v3_length(v3_sub(rest, pair.spot.point)) * t->rest.metres;
        CHECK(collider_gap(tool, p3_add(plain->origin, pair.accurate[i])) > -1e-6);
        if (away > 0.151 || t->rest.pinned[i]) {
            CHECK(off < 1e-9);
            far++;
        } else if (collider_gap(tool, p3_add(plain->origin, at)) < 1e-4) {
            CHECK(off < 2e-4);
            held++;
        } else {
            moved += off > 1e-4;
        }
    }
    printf("  %d free points moved, %d held by the tool, %d far\n", moved, held, far);
    CHECK(moved > 30 && held > 0 && far > 100);
    lim_world_destroy(world);
    arena_release(&scratch);
    trainer_destroy(t);
    scene_destroy(s);
}

/* What cannot become an example is told and left out. */
static void poses_that_fail_are_left_out(void) {
    scene* s = train_scene(TRAIN_SCENE("lattice", "\"poses\": 4, \"settle\": 0.1,"));
    trainer* t = train_start(s);
    CHECK(trainer_run(t, 2, NULL, NULL) == LIM_OK);
    for (int32_t i = 0; i < 4; ++i) {
        CHECK(trainer_report(t, i).status == TRAIN_RESTLESS);
    }
    unsigned char* bytes = NULL;
    size_t size;
    int32_t left_out;
    CHECK(trainer_bytes(t, 0, &bytes, &size, &left_out) == LIM_ERROR_ARGUMENT);
    trainer_destroy(t);
    scene_destroy(s);
}

TEST_SUITE(trainer) {
    TEST_BEGIN(argc, argv);
    RUN(workers_do_not_change_the_bytes);
    if (!TEST_RACES) {
        RUN(an_interrupted_training_goes_on);
        RUN(detail_helps_where_it_was_not_learnt);
        RUN(the_budget_is_kept);
        RUN(the_accurate_skin_keeps_to_its_bounds);
        RUN(poses_that_fail_are_left_out);
    }
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * Job: what bodies have to say while they are stepped or set reaches the log of the world's host,
 * once, from the calling thread, whatever number of workers there is.
 */
#include "world/world.h"
#include "world_kit.h"

typedef struct heard {
    int32_t limits, restored, others;
    char last[512];
} heard;

static void hear(void* user, lim_log_level level, const char* text) {
    heard* h = user;
    CHECK(level <= LIM_LOG_WARNING);
    h->limits += strstr(text, "got a modulus of") != NULL;
    h->restored += strstr(text, "turned non-finite") != NULL;
    h->others += strstr(text, "got a modulus of") == NULL && strstr(text, "non-finite") == NULL;
    snprintf(h->last, sizeof h->last, "%s", text);
}

static lim_body stiff_body(lim_world* world, const lim_model* model, double x) {
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = (lim_point){x, 2, 0};
    desc.material.young = 1e9f;
    lim_body made = {0};
    CHECK(lim_body_create(world, &desc, &made) == LIM_OK);
    return made;
}

static void a_limit_of_stiffness_is_told_once(void) {
    lim_model* model = kit_model(200, NULL);
    for (int32_t threads = 1; threads <= 2; ++threads) {
        heard h = {0};
        lim_host host = {.log = hear, .user = &h};
        lim_world* world = kit_world(&host, threads);
        lim_body a = stiff_body(world, model, 0);
        stiff_body(world, model, 3);
        kit_steps(world, 5);
        CHECK(h.limits == 2 && h.others == 0);
        CHECK(strstr(h.last, "body 1 got a modulus of") != NULL);
        lim_material softer = lim_material_default();
        softer.young = 5e8f; /* asks for too much again */
        CHECK(lim_body_set_material(world, a, &softer) == LIM_OK);
        kit_steps(world, 5);
        CHECK(h.limits == 3 && strstr(h.last, "body 0 got") != NULL);
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

/* No call makes a body non-finite: the test does so itself. */
static void poison(lim_world* world, lim_body id, bool velocity) {
    body* b = &world->bodies[id.index]->body;
    int32_t slot = b->topology->node_slot[0];
    (velocity ? b->v : b->d)[0][slot] = NAN;
    b->sums_valid = false;
}

static void what_turned_non_finite_is_told(void) {
    lim_model* model = kit_model(60, NULL);
    for (int32_t threads = 1; threads <= 2; ++threads) {
        heard h = {0};
        lim_host host = {.log = hear, .user = &h};
        lim_world* world = kit_world(&host, threads);
        kit_body(world, model, 0, 1);
        lim_body b = kit_body(world, model, 3, 1);
        kit_steps(world, 3);
        CHECK(h.restored == 0);
        poison(world, b, true);
        kit_steps(world, 1);
        CHECK(h.restored == 1 && strstr(h.last, "body 1 turned non-finite") != NULL);
        CHECK(lim_world_get_report(world).bodies_restored == 1 && motion_of(world, b).frozen);
        kit_steps(world, 3);
        CHECK(h.restored == 1);
        /* Between two steps, by a call that works out the shape anew. */
        CHECK(lim_body_reset(world, b) == LIM_OK);
        kit_steps(world, 1);
        poison(world, b, false);
        lim_material material = lim_material_default();
        CHECK(lim_body_set_material(world, b, &material) == LIM_OK);
        CHECK(h.restored == 2 && h.others == 0 && motion_of(world, b).frozen);
        kit_steps(world, 1);
        CHECK(h.restored == 2);
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

TEST_SUITE(world_log) {
    TEST_BEGIN(argc, argv);
    RUN(a_limit_of_stiffness_is_told_once);
    RUN(what_turned_non_finite_is_told);
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * Memory: for every call that allocates, its n-th allocation fails for n = 1, 2, ... until it
 * succeeds: each failure changes nothing (equal hash) and leaks nothing; a warm step allocates
 * nothing.
 */
#include "world_kit.h"

/* Switches between a host that counts and one that fails, within the life of a world. */
static void fail_next(failing_host* f, int64_t n) {
    f->fail_at = f->allocations + n;
}

static void making_worlds_and_models_survives_any_failure(void) {
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        lim_world_desc desc = lim_world_desc_default();
        lim_world* world = NULL;
        lim_result r = lim_world_create(&desc, &f.host, &world);
        if (r == LIM_OK) {
            CHECK(n >= 1);
            lim_world_destroy(world);
            CHECK(f.held == 0);
            break;
        }
        CHECK(r == LIM_ERROR_MEMORY && world == NULL && f.held == 0);
    }
    lim_mesh* mesh = NULL;
    CHECK(kit_mesh(NULL, &mesh) == LIM_OK);
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        lim_model_desc desc = lim_model_desc_default();
        desc.node_count = 60;
        kind_describe(&desc);
        lim_model* model = NULL;
        lim_result r = lim_model_create(mesh, &desc, &f.host, &model);
        if (r == LIM_OK) {
            CHECK(n >= 5);
            lim_model_destroy(model);
            CHECK(f.held == 0);
            break;
        }
        CHECK(r == LIM_ERROR_MEMORY && model == NULL && f.held == 0);
    }
    lim_mesh_destroy(mesh);
}

typedef struct memory_case {
    failing_host f;
    lim_model *a, *b;
    kit_scene s;
    lim_snapshot* shot;
    unsigned char* bytes;
    size_t size;
} memory_case;

typedef lim_result memory_call(memory_case* m);

static lim_result make_body(memory_case* m) {
    lim_body_desc desc = lim_body_desc_default();
    desc.model = m->b;
    desc.position = (lim_point){5, 1, 0};
    lim_body body;
    return lim_body_create(m->s.world, &desc, &body);
}

static lim_result make_collider(memory_case* m) {
    lim_collider_desc desc = lim_collider_desc_default();
    lim_collider collider;
    lim_result r = LIM_OK;
    for (int i = 0; i < 20 && r == LIM_OK; ++i) { /* past the first capacity */
        uint64_t before = lim_world_hash(m->s.world);
        r = lim_collider_create(m->s.world, &desc, &collider);
        CHECK(r == LIM_OK || lim_world_hash(m->s.world) == before);
    }
    return r;
}

static lim_result make_pin(memory_case* m) {
    lim_pin_desc desc = lim_pin_desc_default();
    desc.body = m->s.body[0];
    desc.size.x = 5.0f;
    lim_pin pin;
    return lim_pin_create(m->s.world, &desc, &pin);
}

static lim_result make_grab(memory_case* m) {
    lim_grab_desc desc = lim_grab_desc_default();
    desc.body = m->s.body[0];
    desc.radius = 0.2f;
    lim_grab grab;
    return lim_grab_create(m->s.world, &desc, &grab);
}

static lim_result make_link(memory_case* m) {
    lim_link_desc desc = lim_link_desc_default();
    desc.body = m->s.body[0];
    desc.other = m->s.body[1];
    desc.size.x = 5.0f;
    lim_link link;
    return lim_link_create(m->s.world, &desc, &link);
}

static lim_result take_step(memory_case* m) {
    return lim_world_step(m->s.world, 1.0f / 60.0f);
}

static lim_result take_advance(memory_case* m) {
    return lim_world_advance(m->s.world, 1.0f / 60.0f, NULL);
}

static lim_result make_snapshot(memory_case* m) {
    lim_snapshot* shot = NULL;
    lim_result r = lim_snapshot_create(m->s.world, &shot);
    lim_snapshot_destroy(shot);
    return r;
}

static lim_result restore_snapshot(memory_case* m) {
    return lim_snapshot_restore(m->s.world, m->shot);
}

static lim_result save_world(memory_case* m) {
    size_t size = 0;
    return lim_world_save(m->s.world, m->bytes, m->size, &size);
}

static lim_result load_world(memory_case* m) {
    lim_world* world = NULL;
    int64_t held = m->f.held;
    lim_result r = lim_world_load(m->bytes, m->size, 1, &m->f.host, &world);
    CHECK((r == LIM_OK) == (world != NULL));
    lim_world_destroy(world);
    CHECK(m->f.held == held);
    return r;
}

static lim_result get_strain(memory_case* m) {
    lim_skin_view skin;
    CHECK(lim_body_get_skin(m->s.world, m->s.body[0], &skin) == LIM_OK);
    float* strain = malloc(sizeof(float) * (size_t)skin.vertex_count);
    lim_result r = lim_body_get_strain(m->s.world, m->s.body[0], strain, skin.vertex_count);
    free(strain);
    return r;
}

static lim_result draw_region(memory_case* m) {
    int32_t count;
    return lim_body_debug_draw(m->s.world, m->s.body[0], LIM_DEBUG_REGION, 0, (lim_point){0}, NULL,
                               0, NULL, NULL, 0, &count);
}

/* Runs one call with its n-th allocation failing until it succeeds. `least` allocations are known
 * to be made, so that the loop cannot pass by never failing. */
static void fail_through(const char* name, memory_call* call, int64_t least, bool destroy_some) {
    memory_case m = {0};
    failing_host_arm(&m.f, -1);
    m.a = kit_model(40, NULL);
    m.b = kit_model(20, NULL);
    m.s = kit_everything(m.a, m.b, &m.f.host, 1);
    CHECK(lim_world_save(m.s.world, NULL, 0, &m.size) == LIM_OK);
    m.bytes = malloc(m.size);
    CHECK(lim_world_save(m.s.world, m.bytes, m.size, &m.size) == LIM_OK);
    CHECK(lim_snapshot_create(m.s.world, &m.shot) == LIM_OK);
    if (destroy_some) {
        CHECK(lim_body_destroy(m.s.world, m.s.body[1]) == LIM_OK);
        CHECK(lim_body_destroy(m.s.world, m.s.body[2]) == LIM_OK);
    }
    int64_t n = 0;
    for (;; ++n) {
        uint64_t before = lim_world_hash(m.s.world);
        int64_t held = m.f.held;
        fail_next(&m.f, n);
        lim_result r = call(&m);
        m.f.fail_at = -1;
        if (r == LIM_OK) {
            break;
        }
        if (r != LIM_ERROR_MEMORY || n > 1000) {
            printf("  %s: allocation %d gave %s\n", name, (int)n, lim_result_name(r));
            CHECK(false);
            break;
        }
        if (call != make_collider) { /* which made some before it failed */
            CHECK(lim_world_hash(m.s.world) == before);
        }
        /* Tables may have grown; they are the world's and end with it. A step has some 20, and 16
         * for each body that may meet another. */
        CHECK(m.f.held <= held + 60);
    }
    if (n < least) {
        printf("  %s: only %d allocations\n", name, (int)n);
        CHECK(false);
    }
    lim_snapshot_destroy(m.shot);
    lim_world_destroy(m.s.world);
    CHECK(m.f.held == 0);
    lim_model_destroy(m.a);
    lim_model_destroy(m.b);
    free(m.bytes);
}

static void every_call_survives_any_failure(void) {
    fail_through("body", make_body, 2, false);
    fail_through("collider", make_collider, 1, false);
    fail_through("pin", make_pin, 2, false);
    fail_through("grab", make_grab, 4, false);
    fail_through("link", make_link, 2, false);
    fail_through("step", take_step, 1, false);
    fail_through("advance", take_advance, 4, false);
    fail_through("snapshot", make_snapshot, 3, false);
    fail_through("restore", restore_snapshot, 8, false);
    fail_through("restore of the dead", restore_snapshot, 12, true);
    fail_through("save", save_world, 1, false);
    fail_through("load", load_world, 20, false);
    /* over a lattice it is worked out vertex by vertex, without scratch */
    bool lattice = kind_has_corners(kind_now);
    fail_through("strain", get_strain, lattice ? 0 : 1, false);
    fail_through("region", draw_region, 1, false);
}

static void a_restore_that_failed_can_be_tried_again(void) {
    failing_host f;
    failing_host_arm(&f, -1);
    lim_model* model = kit_model(40, NULL);
    kit_scene s = kit_everything(model, model, &f.host, 1);
    kit_everything_steps(&s, 0, 10);
    lim_snapshot* shot = NULL;
    CHECK(lim_snapshot_create(s.world, &shot) == LIM_OK);
    uint64_t then = lim_world_hash(s.world);
    kit_everything_steps(&s, 10, 20);
    uint64_t now = lim_world_hash(s.world);
    fail_next(&f, 0);
    CHECK(lim_snapshot_restore(s.world, shot) == LIM_ERROR_MEMORY);
    CHECK(lim_world_hash(s.world) == now);
    f.fail_at = -1;
    CHECK(lim_snapshot_restore(s.world, shot) == LIM_OK);
    CHECK(lim_world_hash(s.world) == then);
    kit_everything_steps(&s, 10, 20);
    CHECK(lim_world_hash(s.world) == now);
    lim_snapshot_destroy(shot);
    lim_world_destroy(s.world);
    lim_model_destroy(model);
    CHECK(f.held == 0);
}

/* A step that wakes a body and then has no memory for its contacts leaves it asleep. */
static void a_step_that_fails_wakes_nobody(void) {
    failing_host f;
    failing_host_arm(&f, -1);
    lim_model* model = kit_model(40, NULL);
    lim_world* world = kit_world(&f.host, 1);
    CHECK(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}) == LIM_OK);
    lim_body b = kit_toy(world, model, 0, 0);
    lim_collider_desc desc = lim_collider_desc_default();
    desc.shape = LIM_SHAPE_SPHERE;
    desc.size.x = 0.1f;
    desc.position = (lim_point){50.4, 0, 0}; /* a metre per step: wakes and touches at once */
    desc.velocity = (lim_vec3){-60, 0, 0};
    lim_collider ball;
    CHECK(lim_collider_create(world, &desc, &ball) == LIM_OK);
    kit_steps(world, 40);
    lim_body_motion m;
    CHECK(lim_body_get_motion(world, b, &m) == LIM_OK && m.asleep);
    int failures = 0;
    for (int i = 0; i < 60 && failures == 0; ++i) {
        uint64_t before = lim_world_hash(world);
        fail_next(&f, 0);
        lim_result r = lim_world_step(world, 1.0f / 60.0f);
        f.fail_at = -1;
        if (r != LIM_OK) {
            ++failures;
            CHECK(r == LIM_ERROR_MEMORY && lim_world_hash(world) == before);
        }
    }
    CHECK(failures == 1);
    kit_steps(world, 1);
    CHECK(lim_body_get_motion(world, b, &m) == LIM_OK && !m.asleep);
    lim_world_destroy(world);
    lim_model_destroy(model);
    CHECK(f.held == 0);
}

static void a_warm_step_allocates_nothing(void) {
    failing_host f;
    failing_host_arm(&f, -1);
    lim_model* model = kit_model(150, NULL);
    lim_world* world = kit_world(&f.host, 1);
    kit_floor(world);
    lim_body last = {0};
    for (int i = 0; i < 4; ++i) {
        last = kit_toy(world, model, i, 0.13 + 0.1 * i);
    }
    lim_link_desc link = lim_link_desc_default();
    link.body = kit_toy(world, model, 3, 0.67); /* tied to the one below it */
    link.other = last;
    link.size.x = 0.07f;
    link.position = (lim_point){3, 0.54, 0};
    lim_link made = {0};
    CHECK(lim_link_create(world, &link, &made) == LIM_OK);
    kit_steps(world, 200); /* contact lists have seen their largest */
    CHECK(lim_world_advance(world, 0.05f, NULL) == LIM_OK);
    int64_t warm = f.allocations;
    CHECK(lim_world_set_gravity(world, (lim_vec3){0, -9.0f, 0}) == LIM_OK); /* wakes */
    kit_steps(world, 1);
    CHECK(lim_world_get_report(world).contacts > 0);
    kit_steps(world, 50);
    for (int i = 0; i < 50; ++i) {
        CHECK(lim_world_advance(world, 0.011f, NULL) == LIM_OK);
    }
    CHECK(f.allocations == warm);
    lim_world_destroy(world);
    lim_model_destroy(model);
    CHECK(f.held == 0);
}

TEST_SUITE(world_memory) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(making_worlds_and_models_survives_any_failure);
        RUN(every_call_survives_any_failure);
        RUN(a_warm_step_allocates_nothing);
    }
    RUN(a_restore_that_failed_can_be_tried_again);
    RUN(a_step_that_fails_wakes_nobody);
    TEST_END();
}

/* SPDX-License-Identifier: MIT
 * Edits without memory: of every edit of a body that is pinned, grabbed, linked, flowing and of
 * uneven stiffness, each allocation fails once. Nothing has changed then and nothing is leaked, and
 * the call that succeeds at last gives the world that it would have given at once.
 */
#include "edit_kit.h"

typedef struct memory_case {
    failing_host f;
    lim_model* model;
    edit_patient p;
} memory_case;

typedef lim_result memory_call(memory_case* m);

static lim_result begin_stroke(memory_case* m) {
    return edit_cut_at(m->p.world, m->p.bar, 0.2, 1, 0.5, 0.02, false, NULL);
}

static lim_result go_on(memory_case* m) {
    return edit_cut_at(m->p.world, m->p.bar, 0.2, 1, 0.02, -0.5, true, NULL);
}

static lim_result cut_fine(memory_case* m) {
    edit_sweep s = edit_blade_at(-0.15, 1, 0.5, -0.5);
    lim_cut_desc desc = edit_cut_desc(&s, false, 1);
    return lim_body_cut(m->p.world, m->p.bar, &desc, NULL);
}

/* The other side of its links. */
static lim_result cut_below(memory_case* m) {
    return edit_cut_at(m->p.world, m->p.below, 0.2, 0.7, 0.5, -0.5, false, NULL);
}

static lim_result cut_nothing(memory_case* m) {
    return edit_cut_at(m->p.world, m->p.bar, 5, 1, 0.5, -0.5, false, NULL);
}

static lim_result refine(memory_case* m) {
    lim_refine_desc desc = edit_ball(0.3, 1, 0.25, 0);
    return lim_body_refine(m->p.world, m->p.bar, &desc, NULL);
}

static lim_result coarsen(memory_case* m) {
    lim_refine_desc desc = edit_ball(0.1, 0.8, 2, 0);
    return lim_body_coarsen(m->p.world, m->p.bar, &desc, NULL);
}

static lim_result split(memory_case* m) {
    lim_body made[16];
    int32_t count = 0;
    lim_result result = lim_body_split(m->p.world, m->p.bar, made, 16, &count);
    CHECK((result == LIM_OK) == (count > 0));
    return result;
}

static lim_result get_model(memory_case* m) {
    lim_model* model = NULL;
    lim_result result = lim_body_get_model(m->p.world, m->p.bar, &model);
    CHECK((result == LIM_OK) == (model != NULL));
    lim_model_destroy(model);
    return result;
}

static lim_result make_snapshot(memory_case* m) {
    lim_snapshot* shot = NULL;
    lim_result result = lim_snapshot_create(m->p.world, &shot);
    lim_snapshot_destroy(shot);
    return result;
}

static lim_result save_and_load(memory_case* m) {
    size_t size = 0;
    lim_result result = lim_world_save(m->p.world, NULL, 0, &size);
    unsigned char* bytes = malloc(size + 1);
    lim_world* world = NULL;
    result = result == LIM_OK ? lim_world_save(m->p.world, bytes, size, &size) : result;
    result = result == LIM_OK ? lim_world_load(bytes, size, 1, &m->f.host, &world) : result;
    CHECK(world == NULL || lim_world_hash(world) == lim_world_hash(m->p.world));
    lim_world_destroy(world);
    free(bytes);
    return result;
}

static lim_result restore(memory_case* m) {
    lim_snapshot* shot = NULL;
    int64_t fail_at = m->f.fail_at, begin = m->f.allocations;
    m->f.fail_at = -1;
    uint64_t hash = lim_world_hash(m->p.world);
    CHECK(lim_snapshot_create(m->p.world, &shot) == LIM_OK);
    CHECK(cut_fine(m) == LIM_OK);
    uint64_t cut = lim_world_hash(m->p.world);
    m->f.fail_at = fail_at >= 0 ? fail_at + m->f.allocations - begin : -1;
    lim_result result = lim_snapshot_restore(m->p.world, shot);
    m->f.fail_at = -1;
    if (result != LIM_OK) {
        CHECK(lim_world_hash(m->p.world) == cut);
        CHECK(lim_snapshot_restore(m->p.world, shot) == LIM_OK);
    }
    CHECK(lim_world_hash(m->p.world) == hash);
    lim_snapshot_destroy(shot);
    return result;
}

static void prepare(memory_case* m, memory_call* const* before) {
    failing_host_arm(&m->f, -1);
    m->model = edit_bar(130, 1, NULL);
    m->p = edit_patient_make(m->model, &m->f.host, 1, isa_best());
    edit_steps(m->p.world, 8);
    for (int i = 0; i < 3 && before[i] != NULL; ++i) {
        CHECK(before[i](m) == LIM_OK);
        edit_steps(m->p.world, 2);
    }
}

static uint64_t finish(memory_case* m) {
    edit_steps(m->p.world, 5);
    uint64_t hash = lim_world_hash(m->p.world);
    lim_world_destroy(m->p.world);
    lim_model_destroy(m->model);
    CHECK(m->f.held == 0);
    return hash;
}

typedef struct memory_row {
    const char* name;
    memory_call* call;
    memory_call* before[3];
    int64_t least; /* allocations that are known to be made */
    bool levels;   /* of octrees alone */
} memory_row;

static const memory_row ROWS[] = {
    {"a new stroke", begin_stroke, {NULL}, 20, false},
    {"a stroke that goes on", go_on, {begin_stroke}, 20, false},
    {"a cut that refines", cut_fine, {begin_stroke, go_on}, 20, false},
    {"a cut of the linked one", cut_below, {begin_stroke, refine}, 20, true},
    {"a cut of the linked one", cut_below, {begin_stroke}, 20, false},
    {"a cut of nothing", cut_nothing, {begin_stroke}, 1, false},
    {"refine", refine, {cut_fine}, 15, true},
    {"coarsen", coarsen, {refine}, 15, true},
    {"split", split, {begin_stroke, go_on, cut_fine}, 20, false},
    {"model", get_model, {cut_fine}, 1, false},
    {"snapshot", make_snapshot, {begin_stroke, cut_fine, begin_stroke}, 3, false},
    {"restore", restore, {begin_stroke}, 3, false},
    {"save and load", save_and_load, {begin_stroke, cut_fine, begin_stroke}, 20, false},
};
enum { ROW_COUNT = sizeof ROWS / sizeof ROWS[0] };

static void fail_through(const memory_row* row) {
    memory_case m, twin;
    prepare(&m, row->before);
    prepare(&twin, row->before);
    CHECK(row->call(&twin) == LIM_OK);
    int64_t n = 0;
    for (;; n += 1 + (!test_long && n > 40 ? n / 16 : 0)) {
        uint64_t before = lim_world_hash(m.p.world);
        int64_t held = m.f.held;
        m.f.fail_at = m.f.allocations + n;
        lim_result r = row->call(&m);
        bool reached = m.f.fail_at < 0 || m.f.allocations > m.f.fail_at;
        m.f.fail_at = -1;
        if (r == LIM_OK && (!reached || n > 100000 || row->call == restore)) {
            break;
        }
        bool same = lim_world_hash(m.p.world) == before;
        /* Tables of the world may have grown. */
        if (r != LIM_ERROR_MEMORY || !same || m.f.held > held + 6) {
            printf("  %s: allocation %d gave %s, %s, %d more held\n", row->name, (int)n,
                   lim_result_name(r), same ? "unchanged" : "CHANGED", (int)(m.f.held - held));
            CHECK(false);
            break;
        }
    }
    if (n < row->least) {
        printf("  %s: only %d allocations\n", row->name, (int)n);
        CHECK(false);
    }
    CHECK(lim_world_hash(m.p.world) == lim_world_hash(twin.p.world));
    CHECK(finish(&m) == finish(&twin));
}

static void every_edit_survives_any_failure(void) {
    for (int i = 0; i < ROW_COUNT; ++i) {
        if (edit_has_levels() || !ROWS[i].levels) {
            fail_through(&ROWS[i]);
        }
    }
}

/* A step that has no memory for other cells goes on with those that it has, and says so. */
static void details_without_memory(void) {
    memory_case m;
    memory_call* const none[3] = {NULL};
    for (int64_t n = 0; n < 60; ++n) {
        prepare(&m, none);
        lim_detail d = lim_detail_default();
        d.touch = 0.05f;
        CHECK(lim_body_set_detail(m.p.world, m.p.bar, &d) == LIM_OK);
        edit_steps(m.p.world, 1); /* it feels its grab */
        d.angle = 0.05f;
        lim_world_detail w = lim_world_detail_default();
        w.eye = (lim_point){0, 1, 1};
        CHECK(lim_body_set_detail(m.p.world, m.p.bar, &d) == LIM_OK);
        CHECK(lim_world_set_detail(m.p.world, &w) == LIM_OK);
        m.f.fail_at = m.f.allocations + n;
        lim_result r = lim_world_step(m.p.world, 1.0f / 60.0f);
        bool reached = m.f.allocations > m.f.fail_at;
        m.f.fail_at = -1;
        CHECK(r == LIM_OK || r == LIM_ERROR_MEMORY);
        finish(&m);
        if (!reached) {
            break;
        }
    }
}

TEST_SUITE(edit_memory) {
    TEST_BEGIN(argc, argv);
    RUN(every_edit_survives_any_failure);
    RUN(details_without_memory);
    RUN_OTHERS(every_edit_survives_any_failure);
    TEST_END();
}

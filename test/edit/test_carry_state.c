/* SPDX-License-Identifier: MIT
 * What a body has become is carried over too: plastic strain, a rest shape of its own, stiffness;
 * and whatever happens on the way leaves it as it was or finite.
 */
#include "test.h"

#include "edit/carry_kit.h"
#include "failing_host.h"

static const lim_vec3 NO_GRAVITY = {0, 0, 0};
static const carry_map ALL_NEW = {0};

static lim_material dough(float max_strain) {
    lim_material m = lim_material_default();
    m.young = 2e4f;
    m.viscosity = 200.0f;
    m.damping_time = 0.2f;
    m.yield = 0.03f;
    m.creep = 20.0f;
    m.max_strain = max_strain;
    return m;
}

/* ---- plastic strain ---------------------------------------------------------------------------
 */

/* Mean distance of the two ends along x, and of the middle below them along y. */
typedef struct ends {
    double length, sag;
} ends;

static ends ends_of(const body* b) {
    double sum[3] = {0}, high[3] = {0}, mass[3] = {0};
    for (int32_t i = 0; i < b->topology->slot_count; ++i) {
        double x = (double)b->topology->x0[0][i], m = (double)b->topology->mass[i];
        int which = x < -0.375 ? 0 : x > 0.375 ? 1 : 2;
        if (m > 0.0 && (which < 2 || fabs(x) < 0.125)) {
            sum[which] += m * node_world(b, i).x;
            high[which] += m * node_world(b, i).y;
            mass[which] += m;
        }
    }
    return (ends){sum[1] / mass[1] - sum[0] / mass[0],
                  high[2] / mass[2] - 0.5 * (high[0] / mass[0] + high[1] / mass[1])};
}

/* Bends a bar, or pulls it to so many times its length, and lets go. */
static void deform(stage* s, double pull, double bend) {
    lim_pin pin[2];
    for (int k = 0; k < 2; ++k) {
        lim_pin_desc p = lim_pin_desc_default();
        p.body = s->id;
        p.shape = LIM_SHAPE_BOX;
        p.size = (lim_vec3){0.13f, 1, 1};
        p.position = p3(k - 0.5, 0, 0);
        CHECK(lim_pin_create(s->world, &p, &pin[k]) == LIM_OK);
    }
    for (int step = 1; step <= 60; ++step) {
        for (int k = 0; k < 2; ++k) {
            double side = k - 0.5, share = step / 60.0;
            dquat turn = dquat_unit((dquat){0, 0, side * bend * share, 1.0});
            lim_point at = p3(side * (1.0 + (pull - 1.0) * share), 0, 0);
            CHECK(lim_pin_move(s->world, pin[k], at, quat_of(turn)) == LIM_OK);
        }
        stage_steps(s, 1);
    }
    stage_steps(s, 60);
    CHECK(lim_pin_destroy(s->world, pin[0]) == LIM_OK);
    CHECK(lim_pin_destroy(s->world, pin[1]) == LIM_OK);
    stage_steps(s, 180);
}

/* Pulled, and bent. Coarse regions, two across the bar, do not hold all of a bend that fine ones
 * have: only that it is still there. */
static void a_dent_stays(void) {
    bar b = bar_make(8);
    lim_material m = dough(0.5f);
    for (int k = 0; k < 4; ++k) {
        int from = k % 2;
        stage s = stage_make(b.level[from], &m, NO_GRAVITY, 1);
        deform(&s, k < 2 ? 1.3 : 1.0, k < 2 ? 0.0 : 1.0);
        ends was = ends_of(stage_body(&s));
        CHECK(stage_carry(&s, b.level[1 - from], &ALL_NEW) == LIM_OK);
        ends now = ends_of(stage_body(&s));
        stage_steps(&s, 240);
        ends then = ends_of(stage_body(&s));
        printf("  length %.4f, carried %.4f, later %.4f; sag %.4f, %.4f, %.4f\n", was.length,
               now.length, then.length, was.sag, now.sag, then.sag);
        CHECK(k < 2 ? was.length > 1.0 : fabs(was.sag) > 0.02);
        CHECK_NEAR(now.length, was.length, 1e-6);
        CHECK_NEAR(now.sag, was.sag, 1e-6);
        CHECK_NEAR(then.length, was.length, 0.02 * was.length);
        CHECK_NEAR(then.sag, was.sag, (k == 2 ? 0.75 : 0.15) * fabs(was.sag) + 1e-3);
        stage_free(&s);
    }
    bar_free(&b);
}

/* Flow so large that matching has a rest shape of its own. */
static void a_new_rest_shape_stays(void) {
    bar b = bar_make(4);
    lim_material m = dough(3.0f);
    for (int from = 0; from < 2; ++from) {
        stage s = stage_make(b.level[from], &m, NO_GRAVITY, 1);
        deform(&s, 2.2, 0.0);
        ends was = ends_of(stage_body(&s));
        CHECK(stage_body(&s)->embedding != NULL);
        CHECK(stage_carry(&s, b.level[1 - from], &ALL_NEW) == LIM_OK);
        CHECK(stage_body(&s)->embedding != NULL);
        ends now = ends_of(stage_body(&s));
        stage_steps(&s, 240);
        ends then = ends_of(stage_body(&s));
        printf("  as long as %.4f, carried %.4f, later %.4f\n", was.length, now.length,
               then.length);
        CHECK(was.length > 1.3);
        CHECK_NEAR(now.length, was.length, 1e-6);
        CHECK_NEAR(then.length, was.length, 0.03 * was.length);
        stage_free(&s);
    }
    bar_free(&b);
}

/* A body with a rest shape of its own that is carried over to itself is the same to the last bit.
 */
static void a_new_rest_shape_keeps_its_bits(void) {
    bar b = bar_make(4);
    lim_material m = dough(3.0f);
    int32_t* slot = same_slots(b.level[1]);
    carry_map map = {.slot = slot};
    stage s[2];
    for (int k = 0; k < 2; ++k) {
        s[k] = stage_make(b.level[1], &m, NO_GRAVITY, 1);
        deform(&s[k], 2.2, 0.0);
    }
    for (int step = 0; step < 5; ++step) {
        CHECK(stage_carry(&s[1], b.level[1], &map) == LIM_OK);
        stage_body(&s[0])->quiet_time = 0.0f; /* who is edited is awake */
        stage_steps(&s[0], 1);
        stage_steps(&s[1], 1);
        CHECK(lim_world_hash(s[0].world) == lim_world_hash(s[1].world));
    }
    stage_free(&s[0]);
    stage_free(&s[1]);
    free(slot);
    bar_free(&b);
}

/* ---- stiffness --------------------------------------------------------------------------------
 */

/* Factors per node, carried over, give what a body of the new topology with the same factors has.
 */
static void stiffness_stays(void) {
    bar b = bar_make(4);
    lim_material m = lim_material_default();
    for (int from = 0; from < 2; ++from) {
        stage s = stage_make(b.level[from], &m, NO_GRAVITY, 1);
        stage other = stage_make(b.level[1 - from], &m, NO_GRAVITY, 1);
        topology* const t[2] = {b.level[from], b.level[1 - from]};
        stage* const both[2] = {&s, &other};
        for (int k = 0; k < 2; ++k) {
            float* factor = malloc((size_t)t[k]->node_count * sizeof(float));
            for (int32_t i = 0; i < t[k]->node_count; ++i) {
                factor[i] = t[k]->x0[0][t[k]->node_slot[i]] < 0.0f ? 4.0f : 0.5f;
            }
            CHECK(lim_body_set_stiffness(both[k]->world, both[k]->id, factor, t[k]->node_count) ==
                  LIM_OK);
            free(factor);
        }
        CHECK(stage_carry(&s, t[1], &ALL_NEW) == LIM_OK);
        const body *got = stage_body(&s), *wanted = stage_body(&other);
        CHECK(got->own_stiffness);
        for (int32_t i = 0; i < t[1]->slot_count; ++i) {
            CHECK_NEAR(got->stiffness[i], wanted->stiffness[i], 1e-6);
        }
        for (int32_t i = 0; i < t[1]->regions.padded; ++i) {
            CHECK_NEAR(got->region_stiffness[i], wanted->region_stiffness[i], 1e-5);
        }
        stage_free(&s);
        stage_free(&other);
    }
    bar_free(&b);
}

/* ---- slots for others -------------------------------------------------------------------------
 */

/* Shares by brute force: every fragment, every pair. */
static void slots_are_shared_out(void) {
    bar b = bar_make(4);
    topology* mixed = level_topology(b.mesh, b.cell, (level_rule){2, 4});
    const topology* const t[3] = {b.level[1], mixed, b.level[0]};
    for (int k = 0; k < 9; ++k) {
        const topology *from = t[k / 3], *to = t[k % 3];
        arena a;
        carry_slots got;
        arena_init(&a, NULL);
        CHECK(from->matter.count == to->matter.count);
        CHECK(carry_slots_make(&a, from, to, &ALL_NEW, &got) == LIM_OK);
        for (int32_t i = 0; i < from->slot_count; ++i) {
            double whole = 0.0, sum = 0.0;
            for (int32_t f = 0; f < from->matter.count; ++f) {
                whole += from->fragment_slot[f] == i ? to->matter.volume[f] : 0.0;
            }
            CHECK((got.first[i + 1] > got.first[i]) == (from->slot_node[i] >= 0));
            for (int32_t e = got.first[i]; e < got.first[i + 1]; ++e) {
                double shared = 0.0;
                for (int32_t f = 0; f < from->matter.count; ++f) {
                    bool both = from->fragment_slot[f] == i && to->fragment_slot[f] == got.slot[e];
                    shared += both ? to->matter.volume[f] : 0.0;
                }
                CHECK(e == got.first[i] || got.slot[e] > got.slot[e - 1]);
                CHECK_NEAR(got.share[e], shared / whole, 1e-6);
                sum += (double)got.share[e];
            }
            CHECK(from->slot_node[i] < 0 || fabs(sum - 1.0) < 1e-5);
        }
        arena_release(&a);
    }
    topology_release(mixed);
    bar_free(&b);
}

/* ---- failures ---------------------------------------------------------------------------------
 */

/* A body of its own, with one of everything, over a host that fails. */
static lim_result make_full_body(topology* t, const lim_host* host, body* out) {
    lim_body_desc desc = lim_body_desc_default();
    desc.material = dough(0.5f);
    desc.self_contact = true;
    LIM_TRY(body_create(&desc, t, host, out));
    body_refresh(out, ISA_SCALAR, NULL);
    lim_pin_desc pin = lim_pin_desc_default();
    pin.shape = LIM_SHAPE_BOX;
    pin.size = (lim_vec3){0.13f, 1, 1};
    pin.position = p3(-0.5, 0, 0);
    lim_grab_desc grab = lim_grab_desc_default();
    grab.point = p3(0.5, 0, 0);
    lim_result result = body_pin_create(out, &pin, 1);
    for (int k = 0; k < 2 && result == LIM_OK; ++k) {
        grab.hard = k == 1;
        result = body_grab_create(out, &grab, (uint32_t)k, ISA_SCALAR, NULL);
    }
    float* factor = malloc((size_t)t->slot_count * sizeof(float));
    for (int32_t i = 0; i < t->slot_count; ++i) {
        factor[i] = 1.0f + (float)(i % 3);
    }
    result = result == LIM_OK ? body_set_stiffness(out, factor, ISA_SCALAR, NULL) : result;
    free(factor);
    const float* const rest[3] = {t->x0[0], t->x0[1], t->x0[2]};
    result = result == LIM_OK ? embedding_make(t, rest, false, host, &out->embedding) : result;
    if (result == LIM_OK) {
        body_refresh(out, ISA_SCALAR, NULL);
    }
    return result;
}

static void every_allocation_may_fail(void) {
    bar b = bar_make(4);
    for (int to = 0; to < 3; to += 2) {
        failing_host f;
        body from, made;
        failing_host_arm(&f, -1);
        CHECK(make_full_body(b.level[1], &f.host, &from) == LIM_OK);
        int64_t before = f.held;
        int32_t references = b.level[to]->references;
        for (int64_t n = 0;; ++n) {
            f.fail_at = f.allocations + n;
            lim_result result = body_carry(&from, b.level[to], &ALL_NEW, ISA_SCALAR, NULL, &made);
            if (result == LIM_OK) {
                CHECK(n > 20);
                CHECK(b.level[to]->references == references + 1);
                CHECK(made.pins.count == 1 && made.grabs.count == 2 && made.embedding != NULL);
                body_destroy(&made);
                CHECK(f.held == before && b.level[to]->references == references);
                break;
            }
            CHECK(result == LIM_ERROR_MEMORY);
            CHECK(f.held == before && b.level[to]->references == references);
        }
        f.fail_at = -1;
        body_destroy(&from);
        CHECK(f.held == 0);
    }
    bar_free(&b);
}

/* ---- many edits -------------------------------------------------------------------------------
 */

enum { MIXED = 6 };

/* A bar on a floor, pinned or not, that changes at random; its hash, and where it comes to. */
static uint64_t random_edits(topology* const all[MIXED], int32_t* const kept[MIXED * MIXED],
                             uint64_t seed, bool edit, isa set, lim_point* centre) {
    random_stream r = random_seed(seed);
    lim_material m = dough(0.5f);
    m.yield = seed % 2 == 0 ? 0.05f : 0.0f;
    m.volume = seed % 3 == 0 ? 0.3f : 0.0f;
    stage s = stage_make(all[0], &m, (lim_vec3){0, -9.81f, 0}, 1);
    s.world->set = set;
    lim_collider_desc floor = lim_collider_desc_default();
    lim_collider ground;
    floor.position = p3(0, -0.4, 0);
    CHECK(lim_collider_create(s.world, &floor, &ground) == LIM_OK);
    if (seed % 2 == 0) {
        stage_clamp(&s, 0.0f);
    }
    int32_t now = 0;
    for (int step = 0; step < 150; ++step) {
        if (edit && random_index(&r, 3) == 0) {
            int32_t to = random_index(&r, MIXED);
            carry_map map = {.slot = kept[now * MIXED + to]};
            CHECK(stage_carry(&s, all[to], &map) == LIM_OK);
            now = to;
        }
        stage_steps(&s, 1);
        CHECK(!stage_body(&s)->frozen);
    }
    sums last = sums_of(stage_body(&s));
    CHECK(p3_finite(last.centre) && last.kinetic < 0.1);
    *centre = last.centre;
    uint64_t hash = lim_world_hash(s.world);
    stage_free(&s);
    return hash;
}

/* An edit in every third step: the body comes to lie where it would have without. */
static void many_random_edits_change_little(void) {
    bar b = bar_make(8);
    topology* all[MIXED];
    int32_t* kept[MIXED * MIXED];
    for (int k = 0; k < MIXED; ++k) {
        all[k] = level_topology(b.mesh, b.cell, (level_rule){k < 2 ? k : 2, k < 2 ? 0 : k});
    }
    for (int k = 0; k < MIXED * MIXED; ++k) {
        kept[k] = kept_slots(all[k / MIXED], all[k % MIXED]);
    }
    for (uint64_t seed = test_long ? 1 : 2; seed <= (test_long ? 4 : 2); ++seed) {
        lim_point edited, plain;
        uint64_t hash = random_edits(all, kept, seed, true, isa_best(), &edited);
        random_edits(all, kept, seed, false, isa_best(), &plain);
        printf("  centre %.4f %.4f %.4f, without edits %.4f %.4f %.4f\n", edited.x, edited.y,
               edited.z, plain.x, plain.y, plain.z);
        CHECK(p3_length(p3_sub(edited, plain)) < 0.02);
        if (seed == 2) {
            CHECK(random_edits(all, kept, seed, true, ISA_SCALAR, &edited) == hash);
        }
    }
    for (int k = 0; k < MIXED * MIXED; ++k) {
        free(kept[k]);
    }
    for (int k = 0; k < MIXED; ++k) {
        topology_release(all[k]);
    }
    bar_free(&b);
}

TEST_SUITE(carry_state) {
    TEST_BEGIN(argc, argv);
    RUN(a_dent_stays);
    RUN(a_new_rest_shape_stays);
    RUN(a_new_rest_shape_keeps_its_bits);
    RUN(stiffness_stays);
    RUN(slots_are_shared_out);
    RUN(every_allocation_may_fail);
    RUN(many_random_edits_change_little);
    TEST_END();
}

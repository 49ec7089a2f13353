/* SPDX-License-Identifier: MIT
 * Pins and grabs of a body that is carried over: who was held is held, at the same place and with
 * the same force.
 */
#include "test.h"

#include "edit/carry_kit.h"

static const lim_vec3 GRAVITY = {0, -2, 0};
static const carry_map ALL_NEW = {0};

static lim_material soft(void) {
    lim_material m = lim_material_default();
    m.young = 3e4f;
    m.viscosity = 300.0f;
    m.damping_time = 0.3f;
    return m;
}

static double held_mass(const body* b, const body_pin* p) {
    double sum = 0.0;
    for (int32_t i = 0; i < p->count; ++i) {
        sum += (double)b->topology->mass[p->slot[i]];
    }
    return sum;
}

/* A clamped bar that hangs: the pin holds the same material, nothing moves, its load stays. */
static void clamped(float stiffness, int from, int to) {
    bar b = bar_make(8);
    lim_material m = soft();
    stage s = stage_make(b.level[from], &m, GRAVITY, 1);
    lim_pin pin = stage_clamp(&s, stiffness);
    stage_steps(&s, 240);
    lim_load was, now;
    CHECK(lim_pin_get_load(s.world, pin, &was) == LIM_OK);
    body_pin before = stage_body(&s)->pins.data[0];
    double mass = held_mass(stage_body(&s), &before);
    lim_vec3 force = before.force;
    uint32_t id = before.id_index;
    CHECK(stage_carry(&s, b.level[to], &ALL_NEW) == LIM_OK);
    const body_pin* after = &stage_body(&s)->pins.data[0];
    CHECK(stage_body(&s)->pins.count == 1 && after->id_index == id);
    CHECK_NEAR(held_mass(stage_body(&s), after), mass, 1e-6 * mass);
    CHECK(memcmp(&after->force, &force, sizeof force) == 0);
    for (int32_t i = 0; i < after->count; ++i) {
        int32_t slot = after->slot[i];
        CHECK(i == 0 || slot > after->slot[i - 1]);
        CHECK((stage_body(&s)->inv_mass[slot] > 0.0f) == (stiffness > 0.0f));
        lim_point at =
            p3_add(after->position, dquat_rotate(after->orientation, p3_of(after->local[i])));
        double gap = p3_length(p3_sub(at, node_world(stage_body(&s), slot)));
        CHECK(stiffness > 0.0f || gap < 1e-6);
    }
    double most = 0.0, last = 0.0, weight = sums_of(stage_body(&s)).mass * 2.0;
    for (int k = 0; k < 30; ++k) {
        stage_steps(&s, 1);
        CHECK(lim_pin_get_load(s.world, pin, &now) == LIM_OK);
        lim_point change = p3_sub(p3_of(stage_body(&s)->pins.data[0].force), p3_of(force));
        most = p3_length(change) > most ? p3_length(change) : most;
        last = p3_length(change);
    }
    printf(
        "  %s, %d to %d: weight %.2f N, force %.2f N, then other by up to %.3f N, at last %.3f N\n",
        stiffness > 0.0f ? "soft" : "hard", from, to, weight, (double)force.y, most, last);
    /* Other nodes at the clamp bend a little otherwise: for a step or two a hard pin feels it. */
    CHECK(most < (stiffness > 0.0f ? 0.05 : 0.6) * weight && last < 0.02 * weight);
    stage_free(&s);
    bar_free(&b);
}

static void pins_hold_the_same_material(void) {
    for (int from = 0; from < 2; ++from) {
        clamped(0.0f, from, 1 - from);
        clamped(2e3f, from, 1 - from);
    }
}

/* A hard pin that moves takes its nodes along as if nothing had happened. */
static void a_moving_pin_moves_on(void) {
    bar b = bar_make(8);
    lim_material m = soft();
    stage s = stage_make(b.level[1], &m, (lim_vec3){0, 0, 0}, 1);
    lim_pin pin = stage_clamp(&s, 0.0f);
    for (int k = 1; k <= 20; ++k) {
        dquat turn = dquat_unit((dquat){0, 0, 0.01 * k, 1.0});
        CHECK(lim_pin_move(s.world, pin, p3(-0.5, 0.01 * k, 0), quat_of(turn)) == LIM_OK);
        if (k == 10) {
            CHECK(stage_carry(&s, b.level[0], &ALL_NEW) == LIM_OK);
        }
        stage_steps(&s, 1);
    }
    const body* now = stage_body(&s);
    const body_pin* p = &now->pins.data[0];
    dquat turn = dquat_unit((dquat){0, 0, 0.2, 1.0});
    double most = 0.0;
    for (int32_t i = 0; i < p->count; ++i) {
        /* As the model lay when it was pinned, about the pin's frame. */
        lim_point rest = p3_scale(body_slot_rest(now->topology, p->slot[i]), body_metres(now));
        lim_point arm = dquat_rotate(turn, p3_sub(rest, p3(-0.5, 0, 0)));
        lim_point at = p3_add(p3(-0.5, 0.2, 0), arm);
        double off = p3_length(p3_sub(at, node_world(now, p->slot[i])));
        most = off > most ? off : most;
    }
    printf("  held to %.2f %% of a cell\n", 100 * most / (2 * b.cell));
    CHECK(most < 0.02 * 2 * b.cell);
    stage_free(&s);
    bar_free(&b);
}

/* What is refined far from a pin is not felt there: less than the step before. */
static void a_pin_does_not_feel_what_is_far(void) {
    bar b = bar_make(8);
    topology* half = level_topology(b.mesh, b.cell, (level_rule){1, 1});
    int32_t* slot = kept_slots(b.level[1], half);
    carry_map map = {.slot = slot};
    lim_material m = soft();
    stage s = stage_make(b.level[1], &m, GRAVITY, 1);
    stage_clamp(&s, 0.0f);
    stage_steps(&s, 240);
    lim_vec3 force = stage_body(&s)->pins.data[0].force;
    int32_t kept = 0;
    for (int32_t i = 0; i < half->slot_count; ++i) {
        kept += slot[i] >= 0;
    }
    CHECK(kept > 200 && kept < half->node_count - 200);
    CHECK(stage_carry(&s, half, &map) == LIM_OK);
    stage_steps(&s, 1);
    lim_vec3 now = stage_body(&s)->pins.data[0].force;
    printf("  %.4f N, %.4f N\n", (double)force.y, (double)now.y);
    CHECK(v3_length(v3_sub(now, force)) < 0.01f * v3_length(force));
    stage_free(&s);
    free(slot);
    topology_release(half);
    bar_free(&b);
}

typedef struct grab_stage {
    stage s;
    lim_grab grab;
} grab_stage;

static grab_stage grab_stage_make(topology* t, bool hard, float limit) {
    lim_material m = soft();
    grab_stage g = {.s = stage_make(t, &m, GRAVITY, 1)};
    lim_grab_desc desc = lim_grab_desc_default();
    stage_clamp(&g.s, 0.0f);
    desc.body = g.s.id;
    desc.point = p3(0.5, 0, 0);
    desc.hard = hard;
    desc.force_limit = limit;
    CHECK(lim_grab_create(g.s.world, &desc, &g.grab) == LIM_OK);
    CHECK(lim_grab_move(g.s.world, g.grab, p3(0.48, 0.1, 0.02)) == LIM_OK);
    stage_steps(&g.s, 120);
    return g;
}

static lim_point held_point(const grab_stage* g) {
    lim_point at = {0};
    CHECK(lim_grab_get_point(g->s.world, g->grab, &at) == LIM_OK);
    return at;
}

static void check_patch(const body_grab* g) {
    double weight = 0.0;
    lim_point arms = p3(0, 0, 0);
    for (int32_t i = 0; i < g->count; ++i) {
        CHECK(i == 0 || g->slot[i] > g->slot[i - 1]);
        weight += (double)g->weight[i];
        arms = p3_add(arms, p3_of(g->arm[i]));
    }
    CHECK_NEAR(weight, 1.0, 1e-5);
    CHECK(p3_length(arms) < 1e-6);
}

/* Beside one that stays as it is. */
static void grabbed(bool hard, float limit, int from, int to) {
    bar b = bar_make(8);
    grab_stage plain = grab_stage_make(b.level[from], hard, limit);
    grab_stage edited = grab_stage_make(b.level[from], hard, limit);
    lim_point was = held_point(&edited);
    const body_grab* before = stage_body(&edited.s)->grabs.data;
    bool gave_way = before->hold.gave_way;
    lim_vec3 force = before->force, smooth = before->smooth_force;
    CHECK(gave_way == (hard && limit > 0.0f));
    CHECK(stage_carry(&edited.s, b.level[to], &ALL_NEW) == LIM_OK);
    const body_grab* after = stage_body(&edited.s)->grabs.data;
    CHECK(p3_length(p3_sub(held_point(&edited), was)) < 1e-6);
    CHECK(after->hold.gave_way == gave_way);
    CHECK(memcmp(&after->smooth_force, &smooth, sizeof smooth) == 0);
    check_patch(after);
    double moved = 0.0;
    for (int k = 0; k < 30; ++k) {
        stage_steps(&plain.s, 1);
        stage_steps(&edited.s, 1);
        double away = p3_length(p3_sub(held_point(&edited), held_point(&plain)));
        moved = away > moved ? away : moved;
    }
    lim_vec3 now = stage_body(&edited.s)->grabs.data->force;
    printf("  %s, %d to %d: %.2f N, then %.2f N; held elsewhere by %.5f m\n",
           gave_way ? "gave way"
           : hard   ? "hard"
                    : "soft",
           from, to, (double)v3_length(force), (double)v3_length(now), moved);
    CHECK_NEAR(v3_length(now), v3_length(force), 0.06f * v3_length(force) + 0.01f);
    CHECK(moved < (gave_way ? 0.02 : 0.001));
    stage_free(&plain.s);
    stage_free(&edited.s);
    bar_free(&b);
}

static void grabs_hold_the_same_point(void) {
    for (int from = 0; from < 2; ++from) {
        grabbed(false, 0.0f, from, 1 - from);
        grabbed(true, 0.0f, from, 1 - from);
        grabbed(true, 2.0f, from, 1 - from);
    }
}

TEST_SUITE(carry_holds) {
    TEST_BEGIN(argc, argv);
    RUN(pins_hold_the_same_material);
    RUN(a_moving_pin_moves_on);
    RUN(a_pin_does_not_feel_what_is_far);
    RUN(grabs_hold_the_same_point);
    TEST_END();
}

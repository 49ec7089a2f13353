/* SPDX-License-Identifier: MIT
 * Trained detail of bodies in a world: the skin has it where a tool presses as it was trained, over
 * every kind of body, turned along, without a jump, whoever asks; nothing that moves has.
 */
#include "trained_kit.h"

static const dquat STRAIGHT = {0, 0, 0, 1};
static const lim_point PRESSED = {0, 0.6 + TOOL_RADIUS - 0.08, 0};

static lim_result give(trained_scene* s, trained_bytes b) {
    return lim_body_set_trained_detail(s->world, s->body, b.data, b.size);
}

/* ---- the skin has it ----------------------------------------------------------------------------
 */

/* In the pose of its only example a body shows that example's detail, turned with the skin. */
static void a_trained_pose_shows_its_detail(void) {
    lim_model* model = kit_model(300, NULL);
    trained_bytes b = train_press(model);
    trained_scene s = trained_start(model, STRAIGHT, 1);
    CHECK(give(&s, b) == LIM_OK);
    CHECK(is_plain(&s));
    tool_to(&s, STRAIGHT, PRESSED, 60);
    kit_steps(s.world, 30);
    trained_set t;
    set_start(&t, &s);
    trained_spot spot = spot_now(&t, &s);
    double metres = body_metres(&inside(&s)->body), worst = 0.0, most = 0.0;
    for (int32_t v = 0; v < skin_of(&s).vertex_count; ++v) {
        lim_vec3 want = bump(&t.skin, inside(&s)->body.topology->vertex_point[v], spot);
        double size = (double)v3_length(want) * metres, own = (double)v3_length(added(&s, v));
        worst = fmax(worst, fabs(own - size));
        most = fmax(most, own);
    }
    printf("  detail up to %.4f m, off by %.5f\n", most, worst);
    CHECK(most > 0.012 && most < 0.03);
    CHECK(worst < 0.15 * most); /* a stamp is sampled, and smooths its edges */
    arena_release(&t.mem);
    lim_world_destroy(s.world);
    lim_model_destroy(model);
    free(b.data);
}

/* It comes smoothly and goes when the tool lets go, to the last bit. */
static void detail_goes_when_the_tool_lets_go(void) {
    lim_model* model = kit_model(300, NULL);
    trained_bytes b = train_press(model);
    trained_scene s = trained_start(model, STRAIGHT, 1);
    CHECK(give(&s, b) == LIM_OK);
    tool_to(&s, STRAIGHT, PRESSED, 60);
    kit_steps(s.world, 30);
    float full = most_added(&s), last = full, jump = 0.0f;
    CHECK(full > 0.01f);
    CHECK(lim_collider_destroy(s.world, s.tool) == LIM_OK);
    for (int i = 0; i < 36; ++i) {
        kit_steps(s.world, 1);
        float now = most_added(&s);
        jump = fmaxf(jump, fabsf(now - last));
        last = now;
    }
    printf("  largest change in a step %.1f %%\n", 100.0 * (double)(jump / full));
    CHECK(is_plain(&s));
    lim_world_destroy(s.world);
    lim_model_destroy(model);
    free(b.data);
}

static void a_turned_scene_has_turned_detail(void) {
    lim_model* model = kit_model(300, NULL);
    trained_bytes b = train_press(model);
    dquat turn = dquat_unit((dquat){0.3, -0.5, 0.2, 0.6});
    trained_scene s = trained_start(model, STRAIGHT, 1), o = trained_start(model, turn, 1);
    CHECK(give(&s, b) == LIM_OK && give(&o, b) == LIM_OK);
    tool_to(&s, STRAIGHT, PRESSED, 60);
    tool_to(&o, turn, PRESSED, 60);
    double worst = 0.0, most = (double)most_added(&s);
    for (int32_t v = 0; v < skin_of(&s).vertex_count; ++v) {
        lim_point want = dquat_rotate(turn, p3_of(added(&s, v)));
        worst = fmax(worst, p3_length(p3_sub(p3_of(added(&o, v)), want)));
    }
    printf("  %.2e m of %.4f\n", worst, most);
    CHECK(most > 0.01 && worst < 0.02 * most);
    lim_world_destroy(s.world);
    lim_world_destroy(o.world);
    lim_model_destroy(model);
    free(b.data);
}

/* A tool that lies elsewhere than any example finds none that fits. */
static void an_untrained_place_stays_plain(void) {
    lim_model* model = kit_model(300, NULL);
    trained_bytes b = train_press(model);
    trained_scene s = trained_start(model, STRAIGHT, 1);
    CHECK(give(&s, b) == LIM_OK);
    tool_to(&s, STRAIGHT, p3(1, 0, 0), 30);
    tool_to(&s, STRAIGHT, p3(0.5 + TOOL_RADIUS - 0.08, 0, 0), 60);
    CHECK(inside(&s)->body.contacts.items.count > 0);
    CHECK(is_plain(&s));
    lim_world_destroy(s.world);
    lim_model_destroy(model);
    free(b.data);
}

/* ---- nothing that moves has it ------------------------------------------------------------------
 */

static void play(trained_scene* s, int i) {
    if (i == 0) {
        CHECK(lim_collider_move(s->world, s->tool, p3(0, 0.75, 0), (lim_quat){0, 0, 0, 1},
                                (lim_vec3){0.02f, -0.1f, 0}, (lim_vec3){0, 0, 0}) == LIM_OK);
    }
    kit_steps(s->world, 1);
}

static void no_bit_of_a_step_changes(void) {
    lim_model* model = kit_model(300, NULL);
    trained_bytes b = train_press(model);
    trained_scene with = trained_start(model, STRAIGHT, 1);
    trained_scene without = trained_start(model, STRAIGHT, 1);
    CHECK(give(&with, b) == LIM_OK);
    bool differed = false;
    for (int i = 0; i < 90; ++i) {
        play(&with, i);
        play(&without, i);
        CHECK(lim_world_hash(with.world) == lim_world_hash(without.world));
        differed = differed || !is_plain(&with);
        lim_body_motion m = motion_of(with.world, with.body),
                        n = motion_of(without.world, without.body);
        CHECK(memcmp(&m.bounds, &n.bounds, sizeof m.bounds) == 0 && m.volume == n.volume);
    }
    CHECK(differed);
    lim_world_destroy(with.world);
    lim_world_destroy(without.world);
    lim_model_destroy(model);
    free(b.data);
}

static void same_skin(const trained_scene* a, const trained_scene* b) {
    lim_skin_view s = skin_of(a), t = skin_of(b);
    CHECK(memcmp(s.positions, t.positions, 12 * (size_t)s.vertex_count) == 0);
    CHECK(memcmp(s.normals, t.normals, 12 * (size_t)s.vertex_count) == 0);
}

/* Asked for at every step, or once, by other numbers of workers: the same bits. */
static void who_asks_does_not_matter(void) {
    lim_model* model = kit_model(300, NULL);
    trained_bytes b = train_press(model);
    trained_scene often = trained_start(model, STRAIGHT, 1);
    CHECK(give(&often, b) == LIM_OK);
    for (int i = 0; i < 80; ++i) {
        play(&often, i);
        (void)skin_of(&often);
    }
    CHECK(!is_plain(&often));
    for (int32_t threads = 1; threads <= 5; ++threads) {
        trained_scene once = trained_start(model, STRAIGHT, threads);
        CHECK(give(&once, b) == LIM_OK);
        for (int i = 0; i < 80; ++i) {
            play(&once, i);
        }
        same_skin(&often, &once);
        lim_world_destroy(once.world);
    }
    lim_world_destroy(often.world);
    lim_model_destroy(model);
    free(b.data);
}

/* Two buffers take turns: what was handed out stays during the next step. */
static void a_view_outlives_the_next_step(void) {
    lim_model* model = kit_model(300, NULL);
    trained_bytes b = train_press(model);
    trained_scene s = trained_start(model, STRAIGHT, 1);
    CHECK(give(&s, b) == LIM_OK);
    for (int i = 0; i < 80; ++i) {
        play(&s, i);
    }
    lim_skin_view view = skin_of(&s);
    size_t bytes = 12 * (size_t)view.vertex_count;
    float* kept = malloc(bytes);
    memcpy(kept, view.positions, bytes);
    play(&s, 80);
    CHECK(skin_of(&s).positions != view.positions);
    CHECK(memcmp(kept, view.positions, bytes) == 0);
    CHECK(memcmp(kept, skin_of(&s).positions, bytes) != 0);
    free(kept);
    lim_world_destroy(s.world);
    lim_model_destroy(model);
    free(b.data);
}

/* Between two steps the skin lies between the two with detail, also when nobody had asked for the
 * first. */
static void advance_blends_skins_with_detail(void) {
    lim_model* model = kit_model(300, NULL);
    trained_bytes b = train_press(model);
    trained_scene s = trained_start(model, STRAIGHT, 1), o = trained_start(model, STRAIGHT, 1);
    CHECK(give(&s, b) == LIM_OK && give(&o, b) == LIM_OK);
    for (int i = 0; i < 70; ++i) {
        play(&s, i);
        play(&o, i);
    }
    CHECK(lim_world_advance(s.world, 0.0f, NULL) == LIM_OK);
    int32_t steps = 0;
    CHECK(lim_world_advance(s.world, 2.25f / 60.0f, &steps) == LIM_OK);
    CHECK(steps == 2 && inside(&s)->show_between);
    lim_skin_view between = skin_of(&s);
    kit_steps(o.world, 1);
    lim_skin_view first = skin_of(&o);
    kit_steps(o.world, 1);
    lim_skin_view second = skin_of(&o);
    CHECK(!is_plain(&o));
    double worst = 0.0;
    for (int32_t i = 0; i < 3 * between.vertex_count; ++i) {
        lim_vec3 shift = v3_of(p3_sub(first.origin, second.origin));
        const float by[3] = {shift.x, shift.y, shift.z};
        double want = 0.75 * (double)(first.positions[i] + by[i % 3]);
        want += 0.25 * (double)second.positions[i];
        worst = fmax(worst, fabs((double)between.positions[i] - want));
    }
    CHECK(worst < 1e-6);
    lim_world_destroy(s.world);
    lim_world_destroy(o.world);
    lim_model_destroy(model);
    free(b.data);
}

/* A snapshot does not have it, and the body keeps it: it shows from the next step on, in full. */
static void going_back_keeps_detail(void) {
    lim_model* model = kit_model(300, NULL);
    trained_bytes b = train_press(model);
    trained_scene s = trained_start(model, STRAIGHT, 1);
    CHECK(give(&s, b) == LIM_OK);
    tool_to(&s, STRAIGHT, PRESSED, 60);
    kit_steps(s.world, 20);
    lim_snapshot* shot = NULL;
    CHECK(lim_snapshot_create(s.world, &shot) == LIM_OK);
    kit_steps(s.world, 1);
    float full = most_added(&s);
    CHECK(full > 0.01f);
    CHECK(lim_snapshot_restore(s.world, shot) == LIM_OK);
    CHECK(is_plain(&s));
    kit_steps(s.world, 1);
    CHECK(fabsf(most_added(&s) - full) < 1e-3f * full);
    lim_snapshot_destroy(shot);
    size_t size = 0;
    CHECK(lim_world_save(s.world, NULL, 0, &size) == LIM_OK);
    void* saved = malloc(size);
    CHECK(lim_world_save(s.world, saved, size, &size) == LIM_OK);
    trained_scene loaded = s;
    CHECK(lim_world_load(saved, size, 1, NULL, &loaded.world) == LIM_OK);
    kit_steps(loaded.world, 1);
    CHECK(is_plain(&loaded));
    CHECK(give(&loaded, b) == LIM_OK);
    kit_steps(loaded.world, 1);
    kit_steps(s.world, 2);
    same_skin(&loaded, &s);
    CHECK(!is_plain(&s));
    free(saved);
    lim_world_destroy(loaded.world);
    lim_world_destroy(s.world);
    lim_model_destroy(model);
    free(b.data);
}

/* ---- a tool that moves --------------------------------------------------------------------------
 */

/* As a tool slides over trained places the bump goes along: its change per step stays within three
 * times the usual. */
static void a_sweep_has_no_jump(void) {
    lim_model* model = kit_model(1200, NULL);
    trained_scene s = trained_start(model, STRAIGHT, 1);
    trained_set t;
    set_start(&t, &s);
    t.data.sigma = 0.5f;
    for (int i = 0; i < 7; ++i) {
        double a = 0.15 * (i - 3), r = 0.55 + TOOL_RADIUS - 0.06;
        tool_to(&s, STRAIGHT, p3(r * trig_sin(a), r * trig_cos(a) + 0.2, 0), 20);
        tool_to(&s, STRAIGHT, p3(r * trig_sin(a), r * trig_cos(a), 0), 40);
        kit_steps(s.world, 20);
        set_take(&t, &s);
    }
    trained_bytes b = set_bytes(&t);
    CHECK(give(&s, b) == LIM_OK);
    enum { MOMENTS = 90 };
    static float before[3 * KIT_MOST], change[MOMENTS];
    int32_t vertices = skin_of(&s).vertex_count;
    tool_to(&s, STRAIGHT, p3(-0.3, 0.9, 0), 30);
    int n = 0;
    for (int i = 0; i <= 100; ++i) {
        double a = 0.9 * (i / 100.0 - 0.5), r = 0.55 + TOOL_RADIUS - 0.06;
        tool_to(&s, STRAIGHT, p3(r * trig_sin(a), r * trig_cos(a), 0), i == 0 ? 60 : 3);
        double sum = 0.0;
        for (int32_t v = 0; v < vertices; ++v) {
            lim_vec3 now = added(&s, v),
                     last = v3(before[3 * v], before[3 * v + 1], before[3 * v + 2]);
            lim_vec3 step = v3_sub(now, last);
            sum += (double)v3_dot(step, step);
            before[3 * v] = now.x;
            before[3 * v + 1] = now.y;
            before[3 * v + 2] = now.z;
        }
        if (i >= 11) {
            change[n++] = (float)sqrt(sum);
        }
    }
    float sorted[MOMENTS], most = 0.0f;
    memcpy(sorted, change, sizeof sorted);
    for (int i = 1; i < n; ++i) {
        for (int k = i; k > 0 && sorted[k] < sorted[k - 1]; --k) {
            float swap = sorted[k];
            sorted[k] = sorted[k - 1];
            sorted[k - 1] = swap;
        }
    }
    most = sorted[n - 1];
    printf("  change per step: median %.5f, most %.5f\n", (double)sorted[n / 2], (double)most);
    CHECK(sorted[n / 2] > 1e-4f && most < 3.0f * sorted[n / 2]);
    arena_release(&t.mem);
    lim_world_destroy(s.world);
    lim_model_destroy(model);
    free(b.data);
}

/* ---- what is refused, what ends it --------------------------------------------------------------
 */

static void bad_bytes_are_refused(void) {
    lim_model *model = kit_model(300, NULL), *other = kit_model(60, NULL);
    trained_bytes b = train_press(model);
    trained_scene s = trained_start(model, STRAIGHT, 1);
    CHECK(give(&s, b) == LIM_OK);
    tool_to(&s, STRAIGHT, PRESSED, 60);
    CHECK(!is_plain(&s));
    trained_bytes bad = {malloc(b.size), b.size};
    memcpy(bad.data, b.data, b.size);
    bad.data[b.size / 2] ^= 1;
    CHECK(give(&s, bad) == LIM_ERROR_FORMAT);
    bad.data[b.size / 2] ^= 1;
    for (size_t size = 0; size < b.size; size += 1 + b.size / 97) {
        CHECK(give(&s, (trained_bytes){bad.data, size}) == LIM_ERROR_FORMAT);
    }
    CHECK(!is_plain(&s)); /* what was there stays */
    trained_scene o = trained_start(other, STRAIGHT, 1);
    CHECK(give(&o, b) == LIM_ERROR_ARGUMENT);
    lim_body gone = s.body;
    gone.generation++;
    CHECK(lim_body_set_trained_detail(s.world, gone, b.data, b.size) == LIM_ERROR_ID);
    CHECK(lim_body_set_trained_detail(NULL, s.body, b.data, b.size) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_set_trained_detail(s.world, s.body, NULL, 0) == LIM_OK);
    CHECK(is_plain(&s));
    lim_world_destroy(s.world);
    lim_world_destroy(o.world);
    lim_model_destroy(model);
    lim_model_destroy(other);
    free(bad.data);
    free(b.data);
}

static void memory_may_run_out(void) {
    lim_model* model = kit_model(60, NULL);
    trained_bytes b = train_press(model);
    failing_host f;
    failing_host_arm(&f, -1);
    lim_world_desc desc = lim_world_desc_default();
    trained_scene s = {0};
    CHECK(lim_world_create(&desc, &f.host, &s.world) == LIM_OK);
    s.body = kit_body(s.world, model, 0, 0);
    int64_t held = f.held;
    for (int64_t n = 0;; ++n) {
        f.fail_at = f.allocations + n;
        lim_result result = give(&s, b);
        if (result == LIM_OK) {
            CHECK(n > 2);
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY && f.held == held);
        CHECK(inside(&s)->trained == NULL);
    }
    lim_world_destroy(s.world);
    CHECK(f.held == 0);
    lim_model_destroy(model);
    free(b.data);
}

static int warnings;
static void count_warnings(void* user, lim_log_level level, const char* text) {
    (void)user;
    warnings += level == LIM_LOG_WARNING && strstr(text, "trained detail was taken off") != NULL;
}

static void an_edit_ends_it(void) {
    kind_choose(0);
    lim_model* model = kit_model(300, NULL);
    trained_bytes b = train_press(model);
    lim_host host = {.log = count_warnings};
    lim_world_desc desc = lim_world_desc_default();
    trained_scene s = {0};
    CHECK(lim_world_create(&desc, &host, &s.world) == LIM_OK);
    s.body = kit_body(s.world, model, 0, 0);
    CHECK(give(&s, b) == LIM_OK);
    const lim_point tip[2] = {{-0.1, 0, -2.0}, {0.1, 0, -2.0}};
    const lim_point back[2] = {{-0.1, 0, 2.0}, {0.1, 0, 2.0}};
    lim_cut_desc cut = lim_cut_desc_default();
    cut.count = 2;
    cut.tips = tip;
    cut.backs = back;
    warnings = 0;
    CHECK(lim_body_cut(s.world, s.body, &cut, NULL) == LIM_OK);
    CHECK(warnings == 1 && inside(&s)->trained == NULL);
    kit_steps(s.world, 2);
    CHECK(is_plain(&s));
    lim_world_destroy(s.world);
    lim_model_destroy(model);
    free(b.data);
}

TEST_SUITE(trained_detail) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(a_trained_pose_shows_its_detail);
        RUN(detail_goes_when_the_tool_lets_go);
        RUN(a_turned_scene_has_turned_detail);
        RUN(no_bit_of_a_step_changes);
    }
    RUN(an_untrained_place_stays_plain);
    RUN(who_asks_does_not_matter);
    RUN(a_view_outlives_the_next_step);
    RUN(advance_blends_skins_with_detail);
    RUN(going_back_keeps_detail);
    RUN(a_sweep_has_no_jump);
    RUN(bad_bytes_are_refused);
    RUN(memory_may_run_out);
    RUN(an_edit_ends_it);
    TEST_END();
}

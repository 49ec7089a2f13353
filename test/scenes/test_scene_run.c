/* SPDX-License-Identifier: MIT
 * Running scenes: what is in the world after the start, when actions happen, where things go.
 */
#include "failing_host.h"
#include "math/quat.h"
#include "models.h"
#include "scene.h"
#include "test.h"

static scene_run* start_with(const char* text, scene** s, const scene_options* o, lim_result want,
                             lim_io_message* message) {
    scene_run* run = NULL;
    memset(message, 0, sizeof(*message));
    lim_result parsed = scene_parse(text, strlen(text), "t.json", "folder", NULL, s, message);
    CHECK(parsed == LIM_OK);
    lim_result result = parsed == LIM_OK ? scene_start(*s, o, NULL, &run, message) : parsed;
    CHECK(result == want);
    CHECK((result == LIM_OK) == (run != NULL));
    if (result != want) {
        printf("    %s\n", message->text);
    }
    return run;
}

static scene_run* start(const char* text, scene** s) {
    lim_io_message message;
    return start_with(text, s, NULL, LIM_OK, &message);
}

static void steps(scene_run* run, int count) {
    for (int i = 0; i < count; ++i) {
        CHECK(scene_step(run, NULL) == LIM_OK);
    }
}

static lim_body_motion motion(const scene_run* run, int32_t index) {
    lim_body_motion m;
    memset(&m, 0, sizeof(m));
    CHECK(lim_body_get_motion(scene_run_world(run), scene_run_body_at(run, index).body, &m) ==
          LIM_OK);
    return m;
}

static void end(scene_run* run, scene* s) {
    scene_stop(run);
    scene_destroy(s);
}

static void built_in_scenes_run(void) {
    enum { MOST = 64 };
    scene_entry entry[MOST];
    int32_t count = scene_list(entry, MOST);
    CHECK(count <= MOST);
    for (int32_t i = 0; i < count; ++i) {
        scene* s = NULL;
        scene_run* run = NULL;
        lim_io_message message = {{0}};
        CHECK(scene_parse(entry[i].text, entry[i].size, entry[i].name, NULL, NULL, &s, &message) ==
              LIM_OK);
        /* thin bones need cells to hold */
        scene_options o = {.nodes = scene_get_desc(s)->pin_count > 4 ? 2000 : 400, .substeps = 2};
        lim_result result = scene_start(s, &o, NULL, &run, &message);
        CHECK(result == LIM_OK);
        if (result != LIM_OK) {
            printf("    %s: %s\n", entry[i].name, message.text);
            scene_destroy(s);
            continue;
        }
        CHECK(scene_run_body_count(run) >= 1 && !scene_run_done(run));
        /* to the end of the last action, in the long test; many bodies only for some steps */
        const scene_desc* d = scene_get_desc(s);
        double last = scene_run_body_count(run) < 50 ? 0.2 : 0.0;
        for (int32_t k = 0; k < d->action_count; ++k) {
            double t = d->actions[k].until >= 0 ? d->actions[k].until : d->actions[k].at;
            last = t > last ? t : last;
        }
        last = scene_run_body_count(run) > 8 && last > 1.5 ? 1.5 : last; /* test_contact_scenes */
        last = !test_long && last > 0.4 ? 0.4 : last;
        last = !test_long && scene_run_body_count(run) >= 40 ? 0.0 : last;
        while (scene_run_time(run) < last + 0.05) {
            result = scene_step(run, &message);
            CHECK(result == LIM_OK);
            if (result != LIM_OK) {
                printf("    %s: %s\n", entry[i].name, message.text);
                break;
            }
        }
        CHECK(lim_world_get_report(scene_run_world(run)).bodies_restored == 0);
        lim_body_motion m = motion(run, 0);
        CHECK(isfinite(m.centre.x) && m.speed < 100.0);
        end(run, s);
    }
}

static void bodies_fall_as_they_should(void) {
    scene* s = NULL;
    scene_run* run =
        start("{\"limber\": 1, \"duration\": 0.5, \"dt\": 0.01, \"bodies\": [{\"model\": "
              "\"sphere\", \"nodes\": 100, \"position\": [1, 50, 2]}]}",
              &s);
    lim_body_motion before = motion(run, 0);
    CHECK_NEAR(before.bounds.lower.y, 50, 0.02); /* the base is where the position says */
    CHECK_NEAR(before.centre.x, 1, 0.02);
    CHECK_NEAR(before.centre.z, 2, 0.02);
    CHECK(scene_run_steps_total(run) == 50);
    while (!scene_run_done(run)) {
        steps(run, 1);
    }
    CHECK(scene_run_steps(run) == 50);
    CHECK_NEAR(scene_run_time(run), 0.5, 1e-12);
    lim_body_motion after = motion(run, 0);
    CHECK_NEAR(after.centre.y - before.centre.y, -0.5 * 9.81 * 0.25, 0.02);
    end(run, s);
}

static void anchors_and_ups_place_bodies(void) {
    scene* s = NULL;
    scene_run* run = start(
        "{\"limber\": 1, \"gravity\": [0, 0, 0], \"bodies\": ["
        "{\"model\": \"penguin\", \"nodes\": 200, \"position\": [0, 5, 0]},"
        "{\"model\": \"penguin\", \"nodes\": 200, \"position\": [0, 5, 0], \"anchor\": \"centre\"},"
        "{\"model\": \"penguin\", \"nodes\": 200, \"position\": [0, 5, 0], \"anchor\": \"origin\"},"
        "{\"model\": \"penguin\", \"nodes\": 200, \"position\": [0, 5, 0], \"up\": \"z\"},"
        "{\"model\": \"penguin\", \"nodes\": 200, \"position\": [0, 5, 0], \"size\": 2,"
        " \"rotation\": {\"axis\": [1, 0, 0], \"degrees\": 90}}]}",
        &s);
    CHECK(scene_run_body_count(run) == 5);
    CHECK_NEAR(motion(run, 0).bounds.lower.y, 5.0, 0.02);
    CHECK_NEAR(motion(run, 0).bounds.upper.y, 6.0, 0.02);
    CHECK_NEAR(motion(run, 1).bounds.lower.y, 4.5, 0.02);
    CHECK_NEAR(motion(run, 2).bounds.lower.y, 5.0, 0.02);
    /* a y-up mesh taken for z up lies on its back: its height is its depth */
    CHECK_NEAR(motion(run, 3).bounds.lower.y, 5.0, 0.02);
    CHECK(motion(run, 3).bounds.upper.y < 5.8);
    /* turned about its centre, which stays */
    lim_body_motion m = motion(run, 4);
    CHECK_NEAR(0.5 * (m.bounds.lower.y + m.bounds.upper.y), 6.0, 0.03);
    CHECK(m.bounds.upper.y - m.bounds.lower.y < 1.6);
    /* equal bodies share one model, other sizes have their own */
    CHECK(scene_run_body_at(run, 0).model == scene_run_body_at(run, 1).model);
    CHECK(scene_run_body_at(run, 0).model == scene_run_body_at(run, 3).model);
    CHECK(scene_run_body_at(run, 0).model != scene_run_body_at(run, 4).model);
    CHECK(scene_run_body_at(run, 5).name == NULL);
    end(run, s);
}

static void copies_stand_on_their_grid(void) {
    scene* s = NULL;
    scene_run* run =
        start("{\"limber\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"b\", \"model\": "
              "\"sphere\", \"nodes\": 60, \"position\": [0, 1, 0], \"copies\": {\"count\": "
              "[2, 1, 2], \"spacing\": [3, 4, 5]}, \"colour\": [1, 0, 0]}], \"actions\": ["
              "{\"type\": \"velocity\", \"body\": \"b.2\", \"velocity\": [0, 2, 0]}]}",
              &s);
    CHECK(scene_run_body_count(run) == 4);
    CHECK(strcmp(scene_run_body_at(run, 0).name, "b.1") == 0);
    CHECK(strcmp(scene_run_body_at(run, 3).name, "b.4") == 0);
    CHECK(scene_run_body_at(run, 3).has_colour);
    CHECK_NEAR(motion(run, 1).centre.x - motion(run, 0).centre.x, 3, 1e-5);
    CHECK_NEAR(motion(run, 2).centre.z - motion(run, 0).centre.z, 5, 1e-5);
    double y = motion(run, 0).centre.y;
    steps(run, 30);
    CHECK_NEAR(motion(run, 1).centre.y - y, 1.0, 0.02);
    CHECK_NEAR(motion(run, 0).centre.y - y, 0.0, 1e-3);
    end(run, s);
}

static void gravity_and_wind_come_and_go(void) {
    scene* s = NULL;
    scene_run* run = start("{\"limber\": 1, \"dt\": 0.01, \"gravity\": [0, 0, 0], \"bodies\": ["
                           "{\"model\": \"sphere\", \"nodes\": 60, \"position\": [0, 5, 0]}], "
                           "\"actions\": [{\"type\": \"gravity\", \"at\": 0.1, \"until\": 0.2, "
                           "\"gravity\": [0, 0, -5]}]}",
                           &s);
    for (int i = 0; i < 30; ++i) {
        steps(run, 1);
        bool on = i >= 10 && i < 20;
        CHECK_NEAR(lim_world_get_gravity(scene_run_world(run)).z, on ? -5.0 : 0.0, 0);
    }
    lim_body_motion m = motion(run, 0);
    CHECK_NEAR(m.momentum[2] / m.mass, -0.5, 0.01);
    end(run, s);
}

static void colliders_arrive_on_time(void) {
    scene* s = NULL;
    scene_run* run = start(
        "{\"limber\": 1, \"dt\": 0.01, \"bodies\": [{\"model\": \"sphere\", \"nodes\": 60, "
        "\"position\": [9, 0.1, 0]}], \"colliders\": [{\"name\": \"c\", \"shape\": \"box\", "
        "\"size\": [1, 1, 1], \"position\": [0, 2, 0]}], \"actions\": [{\"type\": "
        "\"move_collider\", \"collider\": \"c\", \"at\": 0.1, \"until\": 0.5, \"to\": [0, 3, 0], "
        "\"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 90}}]}",
        &s);
    lim_collider c = {0};
    lim_collider_desc d;
    memset(&d, 0, sizeof(d));
    for (lim_collider at = lim_collider_next(scene_run_world(run), c); at.generation != 0;
         at = lim_collider_next(scene_run_world(run), at)) {
        CHECK(lim_collider_get(scene_run_world(run), at, &d) == LIM_OK);
        if (d.shape == LIM_SHAPE_BOX) {
            c = at;
        }
    }
    CHECK(c.generation != 0);
    double expected[3] = {2.0, 2.5, 3.0};
    for (int i = 0; i < 3; ++i) {
        steps(run, i == 0 ? 10 : i == 1 ? 20 : 30); /* to 0.1, 0.3 and 0.6 s */
        CHECK(lim_collider_get(scene_run_world(run), c, &d) == LIM_OK);
        CHECK_NEAR(d.position.y, expected[i], 1e-6);
    }
    CHECK_NEAR(d.velocity.y, 0, 0);
    CHECK_NEAR(fabs((double)d.orientation.y), 0.70710678, 1e-6);
    end(run, s);
}

static void pins_hold_move_and_let_go(void) {
    scene* s = NULL;
    scene_run* run =
        start("{\"limber\": 1, \"ground\": false, \"bodies\": [{\"name\": \"b\", \"model\": "
              "\"bar\", \"nodes\": 200, \"position\": [0, 2, 0], \"anchor\": \"centre\"}], "
              "\"pins\": [{\"name\": \"p\", \"body\": \"b\", \"shape\": \"box\", \"size\": "
              "[2, 2, 2], \"position\": [0, 2, 0]}], \"actions\": [{\"type\": \"move_pin\", "
              "\"pin\": \"p\", \"at\": 0.5, \"until\": 1, \"to\": [1, 2, 0]}, {\"type\": "
              "\"release_pin\", \"pin\": \"p\", \"at\": 1.5}]}",
              &s);
    steps(run, 30);
    CHECK_NEAR(motion(run, 0).centre.y, 2.0, 0.01); /* wholly held */
    steps(run, 50);
    CHECK_NEAR(motion(run, 0).centre.x, 1.0, 0.02);
    steps(run, 40); /* free for half a second */
    CHECK(motion(run, 0).centre.y < 1.2);
    end(run, s);
}

/* A bar of two bones: the first swings about its end and travels, the second bends beside it. */
static void bones_follow_their_keys_and_parents(void) {
    scene* s = NULL;
    scene_run* run =
        start("{\"limber\": 1, \"ground\": false, \"bodies\": [{\"name\": \"b\", \"model\": "
              "\"bar\", \"nodes\": 400, \"position\": [0, 2, 0], \"anchor\": \"centre\"}], "
              "\"pins\": [{\"name\": \"p\", \"body\": \"b\", \"shape\": \"capsule\", "
              "\"from\": [-0.5, 2, 0], \"to\": [-0.2, 2, 0], \"radius\": 0.07, \"motion\": "
              "{\"keys\": [{\"at\": 0}, {\"at\": 1, \"move\": [0, 0.5, 0], \"axis\": [0, 0, 1], "
              "\"degrees\": 30}]}}, {\"name\": \"q\", \"body\": \"b\", \"shape\": \"capsule\", "
              "\"from\": [0.1, 2, 0], \"to\": [0.5, 2, 0], \"radius\": 0.07, \"parent\": \"p\", "
              "\"motion\": {\"pivot\": [0, 2, 0], \"keys\": [{\"at\": 0}, {\"at\": 1, \"axis\": "
              "[0, 0, 1], \"degrees\": 15}]}}]}",
              &s);
    lim_world* world = scene_run_world(run);
    lim_body body = scene_run_body_at(run, 0).body;
    lim_model_nodes rest = lim_model_get_nodes(scene_run_body_at(run, 0).model);
    double* x = malloc(24u * (size_t)rest.count);
    double* y = malloc(24u * (size_t)rest.count);
    CHECK(lim_body_get_nodes(world, body, x, NULL, rest.count) == LIM_OK);
    steps(run, 60);
    CHECK(lim_body_get_nodes(world, body, y, NULL, rest.count) == LIM_OK);
    int held[2] = {0, 0};
    for (int32_t i = 0; i < rest.count; ++i) {
        lim_point at = p3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
        bool in_p = at.x > -0.5 && at.x < -0.2 && hypot(at.y - 2, at.z) < 0.069;
        bool in_q = at.x > 0.1 && at.x < 0.5 && hypot(at.y - 2, at.z) < 0.069;
        if (in_p || in_q) {
            held[in_q]++;
            lim_point o = p3(0, 2, 0), end = p3(-0.5, 2, 0);
            dquat bend = {0, 0, sin(0.1308996938995747), cos(0.1308996938995747)};
            dquat swing = {0, 0, sin(0.2617993877991494), cos(0.2617993877991494)};
            at = in_q ? p3_add(o, dquat_rotate(bend, p3_sub(at, o))) : at;
            at = p3_add(p3_add(end, p3(0, 0.5, 0)), dquat_rotate(swing, p3_sub(at, end)));
            CHECK_NEAR(y[3 * i], at.x, 2e-6);
            CHECK_NEAR(y[3 * i + 1], at.y, 2e-6);
            CHECK_NEAR(y[3 * i + 2], at.z, 2e-6);
        }
    }
    CHECK(held[0] > 4 && held[1] > 4);
    steps(run, 400); /* the bones stand still: what they hold may sleep */
    CHECK(motion(run, 0).asleep);
    free(x);
    free(y);
    end(run, s);
}

/* A bar of a metre, heavy on its right, as it stands in the world: turned about, scaled. */
static void paint_makes_a_body_of_several_stuffs(void) {
    const char* const head =
        "{\"limber\": 1, \"ground\": false, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"b\", "
        "\"model\": \"bar\", \"nodes\": 2000, \"size\": 2, \"position\": [3, 1, 0], \"anchor\": "
        "\"centre\", \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 180}%s}, {\"name\": \"c\", "
        "\"model\": \"bar\", \"nodes\": 2000, \"size\": 2, \"anchor\": \"centre\"}]}";
    const char* const paint[5] = {
        "",
        ", \"paint\": [{\"what\": \"density\", \"shape\": \"box\", \"size\": [1, 9, 9], "
        "\"position\": [3.5, 1, 0], \"value\": 3}]",
        ", \"paint\": [{\"what\": \"density\", \"shape\": \"capsule\", \"from\": [3, 1, 0], "
        "\"to\": [4, 1, 0], \"radius\": 0.6, \"value\": 3, \"fade\": 0.2}]",
        ", \"coarsen\": 2, \"paint\": [{\"what\": \"size\", \"shape\": \"sphere\", \"radius\": "
        "0.3, \"position\": [4, 1, 0], \"value\": 0.02}]",
        ", \"zones\": [{\"density\": 3, \"shape\": \"box\", \"size\": [1, 9, 9], \"position\": "
        "[3.5, 1, 0]}]"};
    double mass[5], x[5];
    int32_t nodes[5];
    for (int k = 0; k < 5; ++k) {
        char text[1200];
        snprintf(text, sizeof text, head, paint[k]);
        scene* s = NULL;
        scene_run* run = start(text, &s);
        mass[k] = motion(run, 0).mass;
        x[k] = motion(run, 0).centre.x;
        nodes[k] = lim_model_get_info(scene_run_body_at(run, 0).model).nodes;
        /* the other bar has a model of its own when the first is painted */
        bool same = scene_run_body_at(run, 0).model == scene_run_body_at(run, 1).model;
        CHECK(same == (k == 0));
        CHECK_NEAR(motion(run, 1).mass, mass[0], 1e-3);
        end(run, s);
    }
    CHECK_NEAR(mass[1] / mass[0], 2.0, 0.02);
    CHECK_NEAR(x[1], 3.25, 0.02); /* (3 / 2 - 1 / 2) / 4 beside the middle */
    CHECK_NEAR(x[0], 3.0, 1e-3);
    CHECK(mass[2] > 2.3 * mass[0] && mass[2] < 2.95 * mass[0] && x[2] > 3.02);
    CHECK(nodes[3] > 100);
    CHECK_NEAR(mass[4] / mass[0], 2.0, 0.02); /* a zone is where it was put, in the turned body */
    CHECK_NEAR(x[4], 3.25, 0.02);
}

/* Regions as wide as the material, the scene's step and the options need; models are shared where
 * the same is wished. */
static void stiff_bodies_get_wider_regions(void) {
    const char* text = "{\"limber\": 1, \"bodies\": ["
                       "{\"model\": \"block\", \"size\": 0.1, \"cell\": 0.01,"
                       " \"material\": {\"young\": 1e5}},"
                       "{\"model\": \"block\", \"size\": 0.1, \"cell\": 0.01, \"widen\": false,"
                       " \"material\": {\"young\": 1e5}},"
                       "{\"model\": \"block\", \"size\": 0.1, \"cell\": 0.01,"
                       " \"material\": {\"young\": 8e3}}]}";
    lim_material rubber = lim_material_preset(LIM_PRESET_RUBBER);
    const scene_options all[5] = {{0},
                                  {.young = 5e4f},
                                  {.has_widen = true, .widen = false},
                                  {.substeps = 32},
                                  {.material = &rubber, .has_widen = true, .widen = true}};
    for (int k = 0; k < 5; ++k) {
        scene* s = NULL;
        lim_io_message message;
        scene_run* run = start_with(text, &s, &all[k], LIM_OK, &message);
        steps(run, 1);
        float width[3];
        lim_body_limits l[3];
        for (int i = 0; i < 3; ++i) {
            scene_run_body b = scene_run_body_at(run, i);
            width[i] = lim_model_get_info(b.model).region_width;
            CHECK(lim_body_get_limits(scene_run_world(run), b.body, &l[i]) == LIM_OK);
        }
        CHECK((width[0] > 1.0f) == (k != 2 && k != 3) && (width[1] > 1.0f) == (k == 4));
        CHECK((width[2] > 1.0f) == (k == 1 || k == 4));
        CHECK(k == 2 || k == 4 || l[0].young_got >= 0.95f * l[0].young_asked);
        CHECK(l[1].young_got < 0.95f * l[1].young_asked || k == 3);
        CHECK(k != 1 || (l[2].young_asked == 5e4f && l[2].young_got >= 0.95f * 5e4f));
        CHECK(k != 4 || l[0].young_asked == rubber.young);
        bool shared = scene_run_body_at(run, 0).model == scene_run_body_at(run, 2).model;
        CHECK(shared == (k == 1 || k == 2 || k == 4));
        end(run, s);
    }
}

static void grabs_pull_and_let_go(void) {
    scene* s = NULL;
    scene_run* run =
        start("{\"limber\": 1, \"gravity\": [0, 0, 0], \"ground\": false, \"bodies\": [{\"name\": "
              "\"b\", \"model\": \"sphere\", \"nodes\": 200, \"position\": [0, 0, 0], \"anchor\": "
              "\"centre\"}], \"actions\": [{\"type\": \"grab\", \"body\": \"b\", \"at\": 0, "
              "\"until\": 2, \"point\": [0.5, 0, 0], \"to\": [1.5, 0, 0], \"radius\": 0.2}]}",
              &s);
    steps(run, 120);
    CHECK(motion(run, 0).centre.x > 0.5);
    steps(run, 2);
    CHECK(scene_run_time(run) > 2.0);
    end(run, s);
}

/* ---- meshes from files -----------------------------------------------------------------------
 */

typedef struct reader {
    int calls;
    char path[64];
} reader;

static lim_result read_box(void* user, const char* path, const lim_host* host, lim_mesh** out,
                           lim_io_message* message) {
    reader* r = user;
    r->calls++;
    snprintf(r->path, sizeof(r->path), "%s", path);
    if (strstr(path, "missing") != NULL) {
        snprintf(message->text, sizeof(message->text), "%s: there is no such file", path);
        return LIM_ERROR_FILE;
    }
    const int32_t cells[3] = {4, 4, 4};
    return box_mesh(2, 1, 1, cells, host, out);
}

static void meshes_are_read_once_and_missed_with_a_place(void) {
    reader r = {0};
    scene_options o = {.read_mesh = read_box, .read_user = &r};
    scene* s = NULL;
    lim_io_message message;
    scene_run* run =
        start_with("{\"limber\": 1, \"bodies\": [{\"mesh\": \"a.obj\", \"nodes\": 100},"
                   "{\"mesh\": \"a.obj\", \"nodes\": 100, \"position\": [0, 3, 0]}]}",
                   &s, &o, LIM_OK, &message);
    CHECK(r.calls == 1);
    CHECK(strcmp(r.path, "folder/a.obj") == 0);
    lim_box box = motion(run, 1).bounds;
    CHECK_NEAR(box.upper.x - box.lower.x, 1.0, 0.02); /* scaled to one metre */
    end(run, s);
    run =
        start_with("{\"limber\": 1,\n \"bodies\": [{\"name\": \"m\", \"mesh\": \"missing.obj\"}]}",
                   &s, &o, LIM_ERROR_FILE, &message);
    CHECK(strcmp(message.text,
                 "t.json:2:13: body \"m\": folder/missing.obj: there is no such file") == 0);
    end(run, s);
    run = start_with("{\"limber\": 1, \"bodies\": [{\"mesh\": \"/a.obj\"}]}", &s, NULL,
                     LIM_ERROR_FILE, &message);
    CHECK(strstr(message.text, "files cannot be read here") != NULL);
    end(run, s);
}

static void pins_in_empty_space_are_refused(void) {
    scene* s = NULL;
    lim_io_message message;
    scene_run* run = start_with(
        "{\"limber\": 1, \"bodies\": [{\"name\": \"b\", \"model\": \"bar\", \"nodes\": 100}],\n"
        "\"pins\": [{\"body\": \"b\", \"shape\": \"sphere\", \"radius\": 0.1, \"position\": "
        "[9, 9, 9]}]}",
        &s, NULL, LIM_ERROR_ARGUMENT, &message);
    CHECK(strcmp(message.text, "t.json:2:10: pin \"pin 1\" holds nothing: no material of body "
                               "\"b\" lies in its shape; move or enlarge it") == 0);
    end(run, s);
}

/* Two copies side by side, the first of them held: the second hangs on its link, and falls without
 * one. */
static void links_tie_copies_together(void) {
    for (int linked = 0; linked < 2; ++linked) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{\"limber\": 1, \"ground\": false, \"bodies\": [{\"name\": \"b\", \"model\": "
            "\"sphere\", \"nodes\": 60, \"size\": 0.2, \"anchor\": \"centre\", \"copies\": "
            "{\"count\": [1, 2, 1], \"spacing\": [0, -0.2, 0]}}], \"pins\": [{\"body\": "
            "\"b.1\", \"shape\": \"sphere\", \"radius\": 0.06, \"position\": [0, 0.08, 0]}]%s}",
            linked ? ", \"links\": [{\"body\": \"b\", \"other\": \"b\", \"shape\": \"sphere\", "
                     "\"radius\": 0.06, \"position\": [0, -0.1, 0]}]"
                   : "");
        scene* s = NULL;
        lim_io_message message;
        scene_run* run = start_with(text, &s, NULL, LIM_OK, &message);
        for (int i = 0; i < 60; ++i) {
            CHECK(scene_step(run, &message) == LIM_OK);
        }
        lim_body_motion m;
        lim_world* world = scene_run_world(run);
        lim_body second = lim_body_next(world, lim_body_next(world, (lim_body){0}));
        CHECK(lim_body_get_motion(world, second, &m) == LIM_OK);
        CHECK(linked ? m.centre.y > -0.4 : m.centre.y < -2.0);
        end(run, s);
    }
}

static void links_in_empty_space_are_refused(void) {
    scene* s = NULL;
    lim_io_message message;
    scene_run* run = start_with(
        "{\"limber\": 1, \"bodies\": [{\"name\": \"b\", \"model\": \"bar\", \"nodes\": 100}, "
        "{\"name\": \"c\", \"model\": \"bar\", \"nodes\": 100, \"position\": [9, 9, 9]}],\n"
        "\"links\": [{\"body\": \"b\", \"other\": \"c\", \"shape\": \"sphere\", \"radius\": 1, "
        "\"position\": [0, 0, 0]}]}",
        &s, NULL, LIM_ERROR_ARGUMENT, &message);
    CHECK(strcmp(message.text, "t.json:2:11: link \"link 1\" ties nothing: no two bodies \"b\" and "
                               "\"c\" reach into its shape; move or enlarge it") == 0);
    end(run, s);
    run = start_with(
        "{\"limber\": 1, \"bodies\": [{\"name\": \"b\", \"model\": \"bar\", \"nodes\": 100}],\n"
        "\"links\": [{\"body\": \"b\", \"other\": \"b\", \"shape\": \"sphere\", \"radius\": 9, "
        "\"position\": [0, 0, 0]}]}",
        &s, NULL, LIM_ERROR_ARGUMENT, &message);
    CHECK(strcmp(message.text,
                 "t.json:2:11: link \"link 1\" ties body \"b\" to itself: \"body\" and "
                 "\"other\" must differ; name two bodies, or two copies of one") == 0);
    end(run, s);
}

/* What the library refuses is told with the place in the file, the cause and the cure. */
static void refusals_of_the_library_are_told(void) {
    static const char* const CASES[][2] = {
        {"\"colliders\": [{\"shape\": \"hull\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, "
         "1, "
         "0]]}]",
         "t.json:2:15: collider \"collider 1\" could not be made: points of the hull lie in about "
         "one plane; give at least four that do not"},
        {"\"colliders\": [{\"shape\": \"hull\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}]",
         "give a hull 4 to 1024 points"},
        {"\"colliders\": [{\"shape\": \"mesh\", \"points\": [[0, 0, 0], [0, 0, 0], [0, 1, 0]], "
         "\"triangles\": [[0, 1, 2]]}]",
         "no triangle of the mesh has an area; give at least one that has"}};
    for (int i = 0; i < 3; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"limber\": 1, \"bodies\": [{\"name\": \"b\", \"model\": \"bar\", \"nodes\": "
                 "60}],\n%s}",
                 CASES[i][0]);
        scene* s = NULL;
        lim_io_message message;
        scene_run* run = start_with(text, &s, NULL, LIM_ERROR_ARGUMENT, &message);
        CHECK(strstr(message.text, CASES[i][1]) != NULL &&
              strncmp(message.text, "t.json:2:15: ", 13) == 0 &&
              strstr(message.text, "LIM_ERROR") == NULL);
        end(run, s);
    }
    scene* s = NULL;
    lim_io_message message;
    scene_run* run =
        start_with("{\"limber\": 1, \"bodies\": [\n{\"name\": \"b\", \"model\": \"bar\", "
                   "\"nodes\": 60, \"fracture\": {\"strain\": 0.1, \"zones\": [{\"shape\": "
                   "\"sphere\", \"radius\": 0.1, \"position\": [0, 0, 0], \"density\": 2}]}}]}",
                   &s, NULL, LIM_ERROR_ARGUMENT, &message);
    CHECK(strcmp(message.text,
                 "t.json:2:1: the fracture of body \"b\" was refused: zones.density is "
                 "2; give 1: the mass of a body does not change") == 0);
    end(run, s);
}

#define LOAF                                                                                       \
    "{\"limber\": 1, \"dt\": 0.01, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"b\", "        \
    "\"model\": "                                                                                  \
    "\"bar\", \"triangles\": 1500, \"nodes\": 150, \"position\": [0, 1, 0]"
/* A blade across the bar at x, as it comes down. */
#define BLADE(x)                                                                                   \
    "\"blade\": [{\"from\": [" x ", 1.5, -0.5], \"to\": [" x ", 1.5, 0.5]}, {\"from\": [" x        \
    ", 0.8, -0.5], \"to\": [" x ", 0.8, 0.5]}]"

static double mass_of(const scene_run* run) {
    double mass = 0.0;
    for (int32_t i = 0; i < scene_run_body_count(run); ++i) {
        mass += motion(run, i).mass;
    }
    return mass;
}

static void blades_cut_and_pieces_become_bodies(void) {
    scene* s = NULL;
    scene_run* run = start(
        LOAF
        "}], \"actions\": [{\"type\": \"cut\", \"body\": \"b\", \"at\": 0.1, \"move_time\": "
        "0.2, " BLADE(
            "0.22") "}, {\"type\": \"split\", \"body\": \"b\", \"at\": 0.4}, "
                    "{\"type\": \"cut\", \"body\": \"b\", \"at\": 0.5, " BLADE(
                        "-0.2") "}, "
                                "{\"type\": \"split\", \"body\": \"b\", \"at\": 0.6}, "
                                "{\"type\": \"cut\", \"body\": \"b\", \"at\": 0.7, " BLADE(
                                    "0.35") "}, "
                                            "{\"type\": \"split\", \"body\": \"b\", \"at\": 0.8}]}",
        &s);
    int32_t edits = 0;
    double mass = mass_of(run);
    steps(run, 10);
    CHECK(scene_run_edits(run, &edits) == NULL || edits == 0);
    steps(run, 25);
    const scene_edit* edit = scene_run_edits(run, &edits);
    CHECK(edits > 3); /* a sweep for every step in which the blade is in the bar */
    CHECK(edits > 0 && edit[0].at > 0.1 && edit[0].report.pieces == 1);
    CHECK(edits > 0 && edit[edits - 1].report.pieces == 2 && edit[edits - 1].body == 0);
    CHECK(scene_run_body_count(run) == 1);
    steps(run, 10);
    CHECK(scene_run_body_count(run) == 2);
    scene_run_body piece = scene_run_body_at(run, 1);
    CHECK(strcmp(piece.name, "b/1") == 0 && piece.from == 0 && piece.model != NULL);
    CHECK(motion(run, 1).bounds.lower.x > 0.2 && motion(run, 0).bounds.upper.x < 0.24);
    CHECK_NEAR(motion(run, 1).mass / mass, 0.28, 0.02);
    /* one sweep at once; then one that only meets the piece */
    steps(run, 20);
    CHECK(scene_run_body_count(run) == 3);
    CHECK(strcmp(scene_run_body_at(run, 2).name, "b/2") == 0);
    steps(run, 20);
    CHECK(scene_run_body_count(run) == 4);
    CHECK(scene_run_body_at(run, 3).from == 1);
    CHECK_NEAR(mass_of(run) / mass, 1.0, 1e-5);
    edit = scene_run_edits(run, &edits);
    CHECK(edits > 0 && edit[edits - 1].action == 4 && edit[edits - 1].body == 1);
    end(run, s);
}

static void blades_that_miss_do_nothing(void) {
    scene* s = NULL;
    scene_run* run = start(LOAF "}], \"actions\": [{\"type\": \"cut\", \"body\": \"b\", " BLADE(
                               "0.9") "}, {\"type\": \"split\", \"body\": \"b\"}]}",
                           &s);
    uint64_t before = lim_world_hash(scene_run_world(run));
    steps(run, 1);
    int32_t edits = -1;
    (void)scene_run_edits(run, &edits);
    CHECK(edits == 0 && scene_run_body_count(run) == 1 && before != 0);
    end(run, s);
}

static void cuts_of_other_kinds_are_named(void) {
    scene* s = NULL;
    lim_io_message message;
    const scene_options options = {.has_kind = true, .kind = LIM_KIND_POINTS};
    scene_run* run =
        start_with(LOAF "}], \"actions\": [{\"type\": \"cut\", \"body\": \"b\", " BLADE("0") "}]}",
                   &s, &options, LIM_OK, &message);
    CHECK(run != NULL && scene_step(run, &message) == LIM_ERROR_UNSUPPORTED);
    CHECK(strncmp(message.text, "t.json:1:", 9) == 0 &&
          strstr(message.text, "action 1 at 0 s failed: bodies of points cannot be edited; "
                               "make the model with another kind") != NULL);
    end(run, s);
}

/* Two blades are in one body at once: each sweep of one ends the stroke of the other, and both go
 * on cutting, with strokes that begin where they are. */
static void blades_take_turns(void) {
    scene* s = NULL;
    scene_run* run = start(
        LOAF "}], \"actions\": [{\"type\": \"cut\", \"body\": \"b\", \"at\": 0.0, \"move_time\": "
             "0.2, " BLADE("0.22") "}, {\"type\": \"cut\", \"body\": \"b\", \"at\": 0.05, "
                                   "\"move_time\": 0.2, " BLADE(
                                       "-0.2") "}, {\"type\": \"split\", \"body\": \"b\", \"at\": "
                                               "0.2}, {\"type\": \"split\", "
                                               "\"body\": \"b\", \"at\": 0.4}]}",
        &s);
    steps(run, 45);
    int32_t edits = 0, by[2] = {0};
    const scene_edit* edit = scene_run_edits(run, &edits);
    for (int32_t i = 0; i < edits; ++i) {
        by[edit[i].action & 1] += edit[i].action < 2 && edit[i].at > 0.1;
    }
    CHECK(by[0] > 3 && by[1] > 3);
    end(run, s);
}

/* Cells of a shape are split and joined; a body near the eye has more nodes than one far away. */
static void details_follow_actions_and_the_camera(void) {
    scene* s = NULL;
    scene_run* run = start(
        "{\"limber\": 1, \"dt\": 0.01, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"b\", "
        "\"model\": \"bar\", \"triangles\": 1500, \"cell\": 0.03, \"coarsen\": 2, "
        "\"cells_across\": 0, \"position\": [0, 1, 0]}], \"actions\": [{\"type\": \"refine\", "
        "\"body\": \"b\", \"at\": 0.1, \"shape\": \"sphere\", \"radius\": 0.1, \"position\": [0.4, "
        "1.1, 0]}, {\"type\": \"coarsen\", \"body\": \"b\", \"at\": 0.2, \"shape\": \"box\", "
        "\"size\": [4, 4, 4], \"position\": [0, 1, 0]}]}",
        &s);
    steps(run, 15);
    int32_t edits = 0;
    const scene_edit* edit = scene_run_edits(run, &edits);
    CHECK(edits == 1 && edit[0].report.nodes_after > 2 * edit[0].report.nodes_before);
    steps(run, 15);
    edit = scene_run_edits(run, &edits);
    CHECK(edits == 2 && edit[1].report.nodes_after <= edit[0].report.nodes_before);
    end(run, s);
    run = start(
        "{\"limber\": 1, \"dt\": 0.01, \"gravity\": [0, 0, 0], \"camera\": {\"eye\": [0, 1, 1], "
        "\"target\": [0, 1, 0], \"motion\": {\"at\": 0.2, \"keys\": [{\"at\": 0, \"move\": [20, "
        "0, 0]}]}}, \"detail\": {\"work\": 0}, \"bodies\": [{\"name\": \"b\", "
        "\"model\": \"bar\", \"triangles\": 1500, \"cell\": 0.03, \"coarsen\": 2, "
        "\"cells_across\": 0, \"position\": [0, 1, 0], \"copies\": {\"count\": [2, 1, 1], "
        "\"spacing\": [20, 0, 0]}, \"angular_velocity\": [0, 0.5, 0], "
        "\"detail\": {\"angle\": 0.04}}]}",
        &s);
    int32_t nodes[2][2];
    for (int moved = 0; moved < 2; ++moved) {
        steps(run, moved == 0 ? 10 : 30);
        for (int i = 0; i < 2; ++i) {
            lim_model* model = NULL;
            CHECK(lim_body_get_model(scene_run_world(run), scene_run_body_at(run, i).body,
                                     &model) == LIM_OK);
            nodes[moved][i] = lim_model_get_info(model).nodes;
            lim_model_destroy(model);
        }
    }
    CHECK(nodes[0][0] > 2 * nodes[0][1] && nodes[1][1] > 2 * nodes[1][0]);
    end(run, s);
}

/* A step with a cut and a split in which an allocation fails says so and leaks nothing. */
static void failed_edits_leak_nothing(void) {
    const char* text =
        LOAF "}], \"actions\": [{\"type\": \"cut\", \"body\": \"b\", \"at\": 0.01, " BLADE(
            "0.2") "}, {\"type\": \"split\", \"body\": \"b\", \"at\": 0.01}]}";
    scene* s = NULL;
    lim_io_message message;
    CHECK(scene_parse(text, strlen(text), "t", NULL, NULL, &s, &message) == LIM_OK);
    int failures = 0;
    bool done = false;
    for (int64_t n = 0; !done && n < 100000; n += 1 + n / 6) {
        failing_host f;
        failing_host_arm(&f, -1);
        scene_run* run = NULL;
        CHECK(scene_start(s, NULL, &f.host, &run, &message) == LIM_OK);
        CHECK(scene_step(run, &message) == LIM_OK);
        f.fail_at = f.allocations + n;
        lim_result result = scene_step(run, &message);
        CHECK(result == LIM_OK || result == LIM_ERROR_MEMORY);
        failures += result == LIM_ERROR_MEMORY;
        done = result == LIM_OK && f.allocations <= f.fail_at;
        scene_stop(run);
        CHECK(f.held == 0);
    }
    CHECK(done && failures > 10);
    scene_destroy(s);
}

static void dropped_meshes_come_down(void) {
    const int32_t cells[3] = {4, 4, 4};
    lim_mesh* mesh = NULL;
    CHECK(box_mesh(30, 20, 30, cells, NULL, &mesh) == LIM_OK);
    scene* s = NULL;
    scene_run* run = NULL;
    lim_io_message message = {{0}};
    scene_drop_options o = scene_drop_options_default();
    o.nodes = 300;
    CHECK(scene_drop_of_mesh(mesh, &o, NULL, &s, &message) == LIM_OK);
    CHECK(scene_start(s, NULL, NULL, &run, &message) == LIM_OK);
    lim_body_motion before = motion(run, 0);
    CHECK_NEAR(before.bounds.lower.y, 1.0 / 3.0, 0.01);
    while (!scene_run_done(run)) {
        steps(run, 1);
    }
    CHECK(motion(run, 0).bounds.lower.y < 0.05);
    CHECK(motion(run, 0).bounds.lower.y > -0.05);
    end(run, s);
    lim_mesh_destroy(mesh);
}

/* In the middle of a cut, of a grab and of a pin's way: going back and on gives the same bits, with
 * pieces, edits and time as they were. */
static void runs_go_back_and_on(void) {
    const char* text =
        "{\"limber\": 1, \"duration\": 2, \"gravity\": [0, 0, 0], \"ground\": false, \"bodies\": ["
        "{\"name\": \"b\", \"model\": \"block\", \"triangles\": 800, \"nodes\": 200, \"size\": 1}],"
        "\"pins\": [{\"name\": \"p\", \"body\": \"b\", \"shape\": \"sphere\", \"radius\": 0.3, "
        "\"position\": [-0.5, 0, 0]}], \"actions\": ["
        "{\"type\": \"grab\", \"body\": \"b\", \"at\": 0.1, \"until\": 0.4, \"point\": [0.5, 0, "
        "0], "
        "\"to\": [0.8, 0.2, 0]},"
        "{\"type\": \"move_pin\", \"pin\": \"p\", \"at\": 0.1, \"until\": 0.5, \"to\": [-0.6, 0.1, "
        "0]},"
        "{\"type\": \"cut\", \"body\": \"b\", \"at\": 0.2, \"move_time\": 0.2, \"blade\": ["
        "{\"from\": [0.2, 2, -2], \"to\": [0.2, 2, 2]}, {\"from\": [0.2, -2, -2], \"to\": [0.2, "
        "-2, 2]}]},"
        "{\"type\": \"split\", \"body\": \"b\", \"at\": 0.5}]}";
    scene* s = NULL;
    scene_run* run = start(text, &s);
    for (int32_t before = 3; before < 36; before += 8) { /* 0.05 to 0.6 s */
        scene_snapshot *here = NULL, *start_of_run = NULL;
        CHECK(scene_snapshot_create(run, &start_of_run) == LIM_OK);
        steps(run, before);
        CHECK(scene_snapshot_create(run, &here) == LIM_OK);
        uint64_t hash_here = lim_world_hash(scene_run_world(run));
        steps(run, 40 - before);
        uint64_t hash = lim_world_hash(scene_run_world(run));
        int32_t edits = 0, edits_again = 0;
        scene_run_edits(run, &edits);
        CHECK(edits > 1 && scene_run_body_count(run) == 2);
        for (int turn = 0; turn < 2; ++turn) {
            CHECK(scene_snapshot_restore(run, here) == LIM_OK);
            CHECK(scene_run_steps(run) == before);
            CHECK(lim_world_hash(scene_run_world(run)) == hash_here);
            CHECK(scene_run_body_count(run) == (before > 30 ? 2 : 1));
            steps(run, 40 - before);
            scene_run_edits(run, &edits_again);
            CHECK(lim_world_hash(scene_run_world(run)) == hash);
            CHECK(edits_again == edits && scene_run_body_count(run) == 2);
        }
        CHECK(scene_snapshot_restore(run, start_of_run) == LIM_OK);
        scene_snapshot_destroy(here);
        scene_snapshot_destroy(start_of_run);
    }
    CHECK(scene_snapshot_restore(run, NULL) == LIM_ERROR_ARGUMENT);
    scene_snapshot_destroy(NULL);
    end(run, s);
}

/* Bent between two hands the biscuit breaks in the middle, not where it is held. */
static void a_biscuit_breaks_in_two(void) {
    scene* s = NULL;
    lim_io_message message;
    scene_run* run = start_with(scene_find("biscuit")->text, &s, NULL, LIM_OK, &message);
    steps(run, 90);
    CHECK(scene_run_body_count(run) == 2);
    if (scene_run_body_count(run) == 2) {
        double share = motion(run, 1).mass / (motion(run, 0).mass + motion(run, 1).mass);
        CHECK(share > 0.4);
    }
    end(run, s);
}

/* Sides of the skin's triangles that are longer than at rest by more than so much. */
static int32_t stretched_sides(const scene_run* run, double most) {
    lim_model* model = NULL;
    lim_skin_view skin;
    lim_body body = scene_run_body_at(run, 0).body;
    CHECK(lim_body_get_model(scene_run_world(run), body, &model) == LIM_OK);
    CHECK(lim_body_get_skin(scene_run_world(run), body, &skin) == LIM_OK);
    lim_mesh_view rest = lim_model_get_surface(model);
    int32_t count = 0;
    for (int32_t i = 0; i < 3 * skin.triangle_count; ++i) {
        uint32_t a = skin.indices[i], b = skin.indices[i % 3 == 2 ? i - 2 : i + 1];
        const float *p = skin.positions + 3 * (size_t)a, *q = skin.positions + 3 * (size_t)b;
        double now =
            p3_length(p3((double)(p[0] - q[0]), (double)(p[1] - q[1]), (double)(p[2] - q[2])));
        count += now - p3_length(p3_sub(rest.positions[a], rest.positions[b])) > most;
    }
    lim_model_destroy(model);
    return count;
}

/* Where blades of successive steps go on from each other nothing of the skin spans the crack. */
static void a_torn_sheet_has_no_threads(void) {
    scene* s = NULL;
    lim_io_message message;
    scene_run* run = start_with(scene_find("torn_sheet")->text, &s, NULL, LIM_OK, &message);
    int32_t whole = lim_model_get_surface(scene_run_body_at(run, 0).model).triangle_count;
    lim_skin_view skin;
    steps(run, 130);
    CHECK(lim_body_get_skin(scene_run_world(run), scene_run_body_at(run, 0).body, &skin) == LIM_OK);
    CHECK(skin.triangle_count > whole + 200); /* it has torn, cell by cell */
    CHECK(stretched_sides(run, 0.05) == 0);   /* cells of 3.2 cm; the gap is of half a metre */
    end(run, s);
}

static void same_bits_for_any_number_of_workers(void) {
    static const char* const names[] = {"block", "loaf"};
    for (int k = 0; k < 2; ++k) {
        uint64_t hash[2] = {0, 1};
        for (int i = 0; i < 2; ++i) {
            scene* s = NULL;
            lim_io_message message;
            scene_options o = {.workers = 1 + 2 * i, .nodes = 300};
            const scene_entry* e = scene_find(names[k]);
            scene_run* run = start_with(e->text, &s, &o, LIM_OK, &message);
            steps(run, 75);
            hash[i] = lim_world_hash(scene_run_world(run));
            CHECK(k == 0 || scene_run_body_count(run) > 1);
            end(run, s);
        }
        CHECK(hash[0] == hash[1]);
    }
}

static void failed_allocations_leak_nothing(void) {
    const char* text =
        "{\"limber\": 1, \"bodies\": [{\"name\": \"b\", \"model\": \"torus\", \"triangles\": 400, "
        "\"nodes\": 40, \"copies\": {\"count\": [2, 1, 1]}}], \"pins\": [{\"body\": \"b\", "
        "\"shape\": \"box\", \"size\": [4, 4, 4], \"position\": [0, 0, 0]}], \"colliders\": ["
        "{\"shape\": \"sphere\", \"radius\": 1, \"position\": [0, -2, 0]}]}";
    scene* s = NULL;
    lim_io_message message;
    CHECK(scene_parse(text, strlen(text), "t", NULL, NULL, &s, &message) == LIM_OK);
    for (int n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        scene_run* run = NULL;
        lim_result result = scene_start(s, NULL, &f.host, &run, &message);
        if (result == LIM_OK) {
            scene_stop(run);
            CHECK(f.held == 0 && n > 10);
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY && run == NULL && f.held == 0);
    }
    scene_destroy(s);
    CHECK(scene_start(NULL, NULL, NULL, NULL, &message) == LIM_ERROR_ARGUMENT);
    CHECK(scene_step(NULL, &message) == LIM_ERROR_ARGUMENT);
    scene_stop(NULL);
}

TEST_SUITE(scene_run) {
    TEST_BEGIN(argc, argv);
    RUN(built_in_scenes_run);
    RUN(bodies_fall_as_they_should);
    RUN(anchors_and_ups_place_bodies);
    RUN(copies_stand_on_their_grid);
    RUN(gravity_and_wind_come_and_go);
    RUN(colliders_arrive_on_time);
    RUN(pins_hold_move_and_let_go);
    RUN(bones_follow_their_keys_and_parents);
    RUN(paint_makes_a_body_of_several_stuffs);
    RUN(stiff_bodies_get_wider_regions);
    RUN(grabs_pull_and_let_go);
    RUN(meshes_are_read_once_and_missed_with_a_place);
    RUN(pins_in_empty_space_are_refused);
    RUN(links_tie_copies_together);
    RUN(links_in_empty_space_are_refused);
    RUN(refusals_of_the_library_are_told);
    RUN(blades_cut_and_pieces_become_bodies);
    RUN(blades_that_miss_do_nothing);
    RUN(blades_take_turns);
    RUN(cuts_of_other_kinds_are_named);
    RUN(details_follow_actions_and_the_camera);
    RUN(failed_edits_leak_nothing);
    RUN(runs_go_back_and_on);
    RUN(dropped_meshes_come_down);
    RUN(a_biscuit_breaks_in_two);
    RUN(a_torn_sheet_has_no_threads);
    RUN(same_bits_for_any_number_of_workers);
    RUN(failed_allocations_leak_nothing);
    TEST_END();
}

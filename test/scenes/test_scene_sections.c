/* SPDX-License-Identifier: MIT
 * Sections of the scene format: blades and details, bones and other motions, paint, zones, points,
 * presets: what arrives, and what is refused with which words.
 */
#include "math/quat.h"
#include "scene_motion.h"
#include "scenes/parse_kit.h"

#define CUT               HEAD "}], \"actions\": [{\"type\": \"cut\", \"body\": \"a\""
#define STATION(from, to) "{\"from\": " from ", \"to\": " to "}"

static void cameras_move(void) {
    scene* s = NULL;
    lim_io_message message;
    CHECK(parse(HEAD
                "}], \"camera\": {\"eye\": [0, 1, 4], \"target\": [0, 1, 0], \"motion\": "
                "{\"at\": 1, \"keys\": [{\"at\": 0}, {\"at\": 2, \"move\": [0, 3, 0], \"axis\": "
                "[0, 1, 0], \"degrees\": 90}]}}}",
                &s, &message) == LIM_OK);
    scene* copy = NULL;
    CHECK(s != NULL && scene_create(scene_get_desc(s), NULL, &copy, &message) == LIM_OK);
    scene_destroy(s);
    if (copy == NULL) {
        printf("    %s\n", message.text);
        return;
    }
    const scene_desc* d = scene_get_desc(copy);
    lim_camera before = scene_camera_at(d, 0.5), after = scene_camera_at(d, 4.0);
    CHECK(memcmp(&before.eye, &d->camera.eye, sizeof before.eye) == 0);
    CHECK_NEAR(after.eye.x, 4, 1e-5);
    CHECK_NEAR(after.eye.y, 4, 1e-5);
    CHECK_NEAR(after.eye.z, 0, 1e-5);
    CHECK_NEAR(after.target.y, 4, 1e-5);
    CHECK_NEAR(after.up.y, 1, 1e-5);
    lim_camera between = scene_camera_at(d, 2.0);
    CHECK(between.eye.y > 1.5f && between.eye.y < 3.5f);
    scene_desc bad = *d;
    bad.camera_motion.loop = -1.0;
    scene* none = NULL;
    CHECK(scene_create(&bad, NULL, &none, &message) == LIM_ERROR_ARGUMENT);
    scene_destroy(copy);
}

static void blades_arrive(void) {
    scene* s = NULL;
    lim_io_message message;
    const char* text = HEAD
        ", \"inner_colour\": [0.5, 0.25, 1]}], \"actions\": ["
        "{\"type\": \"cut\", \"body\": \"a\", \"at\": 1, \"move_time\": 0.5, \"refine\": 2, "
        "\"blade\": [" STATION("[1, 2, 3]", "[4, 5, 6]") ", " STATION(
            "[1, 2, 4]",
            "[4, 5, 7]") ", " STATION("[1, 3, 4]",
                                      "[4, 6, 7]") "]}, "
                                                   "{\"type\": \"cut\", \"body\": \"a\", "
                                                   "\"blade\": [" STATION(
                                                       "[1, 2, 3]",
                                                       "[4, 5, 6]") ", " STATION("[1, 2, 4]",
                                                                                 "[4, 5, 7]") "]}, "
                                                                                              "{\"t"
                                                                                              "ype"
                                                                                              "\": "
                                                                                              "\"sp"
                                                                                              "lit"
                                                                                              "\", "
                                                                                              "\"bo"
                                                                                              "dy\""
                                                                                              ": "
                                                                                              "\"a"
                                                                                              "\", "
                                                                                              "\"at"
                                                                                              "\": "
                                                                                              "2}]"
                                                                                              "}";
    CHECK(parse(text, &s, &message) == LIM_OK);
    if (s == NULL) {
        printf("    %s\n", message.text);
        return;
    }
    const scene_desc* d = scene_get_desc(s);
    CHECK_NEAR(d->bodies[0].inner_colour.y, 0.25, 0);
    const scene_action* a = d->actions;
    CHECK(d->action_count == 3 && a[0].type == SCENE_CUT && a[0].target == 0 && a[0].copy == -1);
    CHECK(a[0].blade_count == 3 && a[0].refine == 2);
    CHECK_NEAR(a[0].move_time, 0.5, 0);
    CHECK_NEAR(a[0].blade[0].from.z + a[0].blade[1].to.z + a[0].blade[2].to.y, 16, 0);
    CHECK(a[1].refine == 0 && a[1].blade_count == 2);
    CHECK_NEAR(a[1].move_time, 0, 0);
    CHECK(a[2].type == SCENE_SPLIT);
    /* a copy has blades of its own, and those that cannot cut are refused */
    scene* copy = NULL;
    CHECK(scene_create(d, NULL, &copy, &message) == LIM_OK);
    CHECK(copy != NULL && scene_get_desc(copy)->actions[0].blade != a[0].blade &&
          memcmp(scene_get_desc(copy)->actions[0].blade, a[0].blade, 3 * sizeof *a[0].blade) == 0);
    scene_destroy(copy);
    scene_station bad[2] = {a[0].blade[0], a[0].blade[1]};
    scene_action wrong = a[0];
    scene_desc e = *d;
    e.actions = &wrong;
    e.action_count = 1;
    wrong.blade = bad;
    wrong.blade_count = 2;
    CHECK(scene_create(&e, NULL, &copy, &message) == LIM_OK);
    scene_destroy(copy);
    wrong.refine = 21;
    CHECK(scene_create(&e, NULL, &copy, &message) == LIM_ERROR_ARGUMENT);
    wrong.refine = 0;
    wrong.blade_count = 1;
    CHECK(scene_create(&e, NULL, &copy, &message) == LIM_ERROR_ARGUMENT);
    wrong.blade_count = 2;
    wrong.blade = NULL;
    CHECK(scene_create(&e, NULL, &copy, &message) == LIM_ERROR_ARGUMENT);
    wrong.blade = bad;
    bad[1].to.x = (double)NAN;
    CHECK(scene_create(&e, NULL, &copy, &message) == LIM_ERROR_ARGUMENT);
    bad[1] = bad[0];
    CHECK(scene_create(&e, NULL, &copy, &message) == LIM_ERROR_ARGUMENT);
    CHECK(strstr(message.text, "does not move") != NULL);
    scene_destroy(s);
}

static void details_arrive(void) {
    scene* s = NULL;
    lim_io_message message;
    CHECK(
        parse(HEAD
              ", \"detail\": {\"angle\": 0.5, \"strain_fine\": 0.2, \"strain_coarse\": 0.1, "
              "\"touch\": 0.3, \"touch_time\": 0.7, \"finest\": 0.01, \"coarsest\": 0.2, "
              "\"hysteresis\": 2, \"nodes\": 77, "
              "\"rest_coarse\": false}}], \"detail\": {\"eye\": [1, 2, 3], \"nodes\": 99, "
              "\"work\": 11}, \"actions\": [{\"type\": \"refine\", \"body\": \"a\", \"at\": 1, "
              "\"shape\": \"sphere\", \"radius\": 0.5, \"position\": [1, 2, 3], \"cell\": 0.125}, "
              "{\"type\": \"coarsen\", \"body\": \"a\", \"shape\": \"box\", \"size\": [2, 4, 6], "
              "\"position\": [3, 2, 1]}]}",
              &s, &message) == LIM_OK);
    if (s == NULL) {
        printf("    %s\n", message.text);
        return;
    }
    const scene_desc* d = scene_get_desc(s);
    const lim_detail* b = &d->bodies[0].detail;
    CHECK(d->bodies[0].has_detail && b->nodes == 77 && !b->rest_coarse && d->has_eye);
    CHECK_NEAR(b->angle + b->strain_fine + b->strain_coarse + b->finest + b->coarsest, 1.01, 1e-6);
    CHECK_NEAR(b->hysteresis + d->detail.eye.z, 5, 0);
    CHECK_NEAR(b->touch + 10.0f * b->touch_time, 7.3, 1e-6);
    CHECK(d->detail.nodes == 99 && d->detail.work == 11);
    const scene_action* a = d->actions;
    CHECK(a[0].type == SCENE_REFINE && a[0].shape == LIM_SHAPE_SPHERE);
    CHECK_NEAR(a[0].size.x + a[0].cell, 0.625, 0);
    CHECK_NEAR(a[0].point.z, 3, 0);
    CHECK(a[1].type == SCENE_COARSEN && a[1].shape == LIM_SHAPE_BOX);
    CHECK_NEAR(a[1].size.z + a[1].cell, 3, 0);
    scene_desc bad = *d;
    scene_body body = d->bodies[0];
    scene* none = NULL;
    bad.bodies = &body;
    body.detail.hysteresis = 5.0f;
    CHECK(scene_create(&bad, NULL, &none, &message) == LIM_ERROR_ARGUMENT);
    body = d->bodies[0];
    scene_action action = a[0];
    action.shape = LIM_SHAPE_CAPSULE;
    bad.actions = &action;
    bad.action_count = 1;
    CHECK(scene_create(&bad, NULL, &none, &message) == LIM_ERROR_ARGUMENT);
    scene_destroy(s);
    refuse(HEAD ", \"kind\": \"points\", \"detail\": {}}]}", LIM_ERROR_FORMAT,
           "t.json:1:85: body \"a\" has \"detail\", which only octrees can have");
    refuse(HEAD
           "}], \"actions\": [{\"type\": \"refine\", \"body\": \"a\", \"position\": [0, 0, 0], "
           "\"shape\": \"box\"}]}",
           LIM_ERROR_FORMAT, "t.json:1:71: action 1 (refine) needs \"size\"");
}

static void wrong_blades_are_refused(void) {
    refuse(CUT "}]}", LIM_ERROR_FORMAT, "t.json:1:71: action 1 (cut) needs \"blade\"");
    refuse(
        CUT ", \"blade\": 3}]}", LIM_ERROR_FORMAT,
        "t.json:1:109: \"blade\" in action 1 (cut) must be a list of 2 to 4096 stations, such as "
        "{\"from\": [0, 1, -1], \"to\": [0, 1, 1]}");
    refuse(
        CUT ", \"blade\": [" STATION("[0, 0, 0]", "[0, 0, 1]") "]}]}", LIM_ERROR_FORMAT,
        "t.json:1:109: \"blade\" in action 1 (cut) must be a list of 2 to 4096 stations, such as "
        "{\"from\": [0, 1, -1], \"to\": [0, 1, 1]}");
    refuse(CUT ", \"blade\": [{\"from\": [0, 0, 0]}, {}]}]}", LIM_ERROR_FORMAT,
           "t.json:1:110: station 1 of action 1 (cut) needs \"to\"");
    refuse(CUT ", \"blade\": [{\"form\": [0, 0, 0]}, {}]}]}", LIM_ERROR_FORMAT,
           "t.json:1:111: unknown key \"form\" in station 1 of action 1 (cut); did you mean "
           "\"from\"?");
    refuse(CUT ", \"blade\": [" STATION("[0, 0, 0]", "[0, 0, 0]") ", " STATION("[0, 1, 0]",
                                                                               "[0, 1, 1]") "]}]}",
           LIM_ERROR_FORMAT,
           "t.json:1:148: action 1 (cut) has a blade of no length; give it two ends, \"from\" and "
           "\"to\", that differ");
    refuse(CUT ", \"blade\": [" STATION("[0, 0, 0]", "[0, 0, 1]") ", " STATION("[0, 0, 0]",
                                                                               "[0, 0, 1]") "]}]}",
           LIM_ERROR_FORMAT,
           "t.json:1:148: action 1 (cut) has a blade that does not move from one station to the "
           "next; move it across its length, or leave the station out");
    refuse(
        HEAD "}], \"colliders\": [{\"shape\": \"heights\", \"spacing\": 0.1, \"heights\": [[0]]}]}",
        LIM_ERROR_FORMAT, "t.json:1:121: collider 1: \"heights\" must be a list of 2 to 4096 rows");
    refuse(CUT ", \"until\": 3}]}", LIM_ERROR_FORMAT,
           "t.json:1:100: unknown key \"until\" in action 1 (cut); it may have type, at, body, "
           "move_time, blade, refine");
    refuse(CUT ", \"refine\": 21}]}", LIM_ERROR_FORMAT,
           "t.json:1:110: \"refine\" in action 1 (cut) is 21; give 0 to 20");
    refuse(
        HEAD ", \"kind\": \"points\"}], \"actions\": [{\"type\": \"split\", \"body\": \"a\"}]}",
        LIM_ERROR_FORMAT,
        "t.json:1:115: action 1 (split) changes body \"a\", which is made of points; these cannot "
        "be edited");
    refuse(HEAD ", \"kind\": \"points\", \"fracture\": {\"strain\": 1}}]}", LIM_ERROR_FORMAT,
           "t.json:1:87: body \"a\" has \"fracture\", which points cannot have");
    refuse(HEAD ", \"kind\": \"lattice\"}], \"actions\": [{\"type\": \"refine\", \"body\": \"a\", "
                "\"shape\": \"sphere\", \"position\": [0, 0, 0], \"radius\": 1}]}",
           LIM_ERROR_FORMAT,
           "t.json:1:117: action 1 (refine) changes the cells of body \"a\", which is a lattice; "
           "only octrees have cells of several sizes");
}

#define PINS HEAD "}], \"pins\": [{\"body\": \"a\", \"name\": \"p\", \"shape\": "

static void bones_arrive(void) {
    scene* s = NULL;
    lim_io_message message;
    CHECK(parse(PINS "\"capsule\", \"radius\": 0.1, \"from\": [1, 2, 3], \"to\": [1, 2, 5], "
                     "\"stiffness\": 250, \"motion\": {\"at\": 1, \"loop\": 3, \"fade\": 0.5, "
                     "\"keys\": [{\"at\": 0}, {\"at\": 2, \"move\": [1, 2, 3], \"axis\": "
                     "[0, 4, 0], \"degrees\": 90}]}}, {\"body\": \"a\", \"shape\": \"capsule\", "
                     "\"radius\": 0.1, \"from\": [0, 1, 0], \"to\": [0, -1, 0], \"parent\": "
                     "\"p\"}], \"colliders\": [{\"shape\": \"capsule\", \"radius\": 2, "
                     "\"from\": [0, 0, 0], \"to\": [4, 0, 0]}]}",
                &s, &message) == LIM_OK);
    const scene_desc* d = scene_get_desc(s);
    const scene_pin* p = &d->pins[0];
    CHECK_NEAR(p->position.z, 4, 0);
    CHECK_NEAR(p->size.y, 1, 0);
    CHECK_NEAR(p->stiffness, 250, 0);
    lim_point up = dquat_rotate(dquat_of(p->rotation), p3(0, 1, 0));
    CHECK_NEAR(up.z, 1, 1e-6);
    CHECK(p->parent == 0 && p->motion.key_count == 2);
    CHECK_NEAR(p->motion.begin + p->motion.loop + p->motion.fade, 4.5, 0);
    CHECK_NEAR(p->motion.pivot.z, 3, 0); /* its first end */
    CHECK_NEAR(p->motion.keys[1].move.z, 3, 0);
    CHECK_NEAR(p->motion.keys[1].turn.y, 1.5707963267948966, 1e-12);
    CHECK(d->pins[1].parent == 1 && d->pins[1].motion.key_count == 0);
    up = dquat_rotate(dquat_of(d->pins[1].rotation), p3(0, 1, 0)); /* straight down */
    CHECK_NEAR(up.y, -1, 1e-6);
    CHECK_NEAR(d->colliders[0].position.x, 2, 0);
    CHECK_NEAR(d->colliders[0].size.y, 2, 0);
    scene_destroy(s);
}

#define BALL "\"sphere\", \"radius\": 1, \"position\": [0, 0, 0]"

static void wrong_bones_are_refused(void) {
    refuse(PINS "\"capsule\", \"radius\": 1, \"from\": [0, 0, 0], \"to\": [0, 0, 0]}]}",
           LIM_ERROR_FORMAT,
           "t.json:1:153: pin \"p\" ends where it begins; make \"to\" another point, or use a "
           "sphere");
    refuse(PINS "\"capsule\", \"radius\": 1, \"from\": [0, 0, 0]}]}", LIM_ERROR_FORMAT,
           "t.json:1:68: pin \"p\" needs \"to\"");
    refuse(PINS "\"capsule\", \"radius\": 1, \"from\": [0, 0, 0], \"to\": [0, 1, 0], "
                "\"length\": 1}]}",
           LIM_ERROR_FORMAT, "t.json:1:174: pin \"p\" has both \"from\" and \"length\"; keep one");
    refuse(PINS BALL ", \"parent\": \"q\"}]}", LIM_ERROR_FORMAT,
           "t.json:1:160: pin \"p\" names the parent \"q\", which is not there");
    refuse(PINS BALL ", \"stiffness\": -1}]}", LIM_ERROR_FORMAT,
           "t.json:1:163: \"stiffness\" in pin \"p\" is -1; give 0 to 1e+12");
    refuse(PINS BALL ", \"motion\": {\"keys\": [{\"at\": 1}, {\"at\": 1}]}}]}", LIM_ERROR_FORMAT,
           "t.json:1:181: the motion of pin \"p\" has keys that are not in order of time");
    refuse(PINS BALL ", \"motion\": {\"loop\": 2, \"keys\": [{\"at\": 2}]}}]}", LIM_ERROR_FORMAT,
           "t.json:1:181: the motion of pin \"p\" has a key at or after the end of its loop, where "
           "the first comes again");
    refuse(
        PINS BALL ", \"motion\": {\"keys\": []}}]}", LIM_ERROR_FORMAT,
        "t.json:1:169: \"keys\" in the motion of pin \"p\" must be a list of 1 to 10000 moments, "
        "such as {\"at\": 1, \"move\": [0, 0.1, 0]}");
    refuse(PINS BALL ", \"motion\": {\"keys\": [{\"at\": 1, \"degrees\": 4}]}}]}", LIM_ERROR_FORMAT,
           "t.json:1:170: key 1 of the motion of pin \"p\" needs \"axis\"");
    refuse(PINS BALL ", \"motion\": {\"keys\": [{\"at\": 1}]}}], \"actions\": [{\"type\": "
                     "\"move_pin\", \"pin\": \"p\", \"until\": 1, \"to\": [0, 0, 0]}]}",
           LIM_ERROR_FORMAT,
           "t.json:1:225: action 1 (move_pin) moves pin \"p\", which has a motion or a parent of "
           "its own; give it keys instead");
    scene_pin pin = {.name = "p", .rotation = {0, 0, 0, 1}, .copy = -1, .parent = 1};
    scene_desc d = scene_desc_default();
    scene_body b = scene_body_default();
    b.name = "b";
    b.model = "duck";
    d.bodies = &b;
    d.body_count = d.pin_count = 1;
    d.pins = &pin;
    scene* s = NULL;
    CHECK(scene_create(&d, NULL, &s, NULL) == LIM_ERROR_ARGUMENT); /* its own parent */
    pin.parent = 0;
    scene_key keys[2] = {{.at = 0}, {.at = 1, .move = {0, 1, 0}}};
    pin.motion = (scene_motion){.keys = keys, .key_count = 2};
    CHECK(scene_create(&d, NULL, &s, NULL) == LIM_OK);
    CHECK(s != NULL && scene_get_desc(s)->pins[0].motion.keys != keys);
    scene_destroy(s);
    keys[1].at = 0;
    CHECK(scene_create(&d, NULL, &s, NULL) == LIM_ERROR_ARGUMENT);
}

#define PAINT HEAD ", \"paint\": [{\"what\": \"density\", \"shape\": \"sphere\", \"radius\": 1, "

static void wrong_paint_is_refused(void) {
    scene* s = NULL;
    lim_io_message message;
    CHECK(parse(PAINT "\"position\": [1, 2, 3], \"value\": 2, \"fade\": 0.5}]}]}", &s, &message) ==
          LIM_OK);
    const scene_body* b = scene_get_desc(s)->bodies;
    CHECK(b->paint_count == 1 && b->paint[0].what == SCENE_PAINT_DENSITY);
    CHECK_NEAR(b->paint[0].value + b->paint[0].fade + b->paint[0].size.x, 3.5, 0);
    scene_destroy(s);
    refuse(PAINT "\"position\": [0, 0, 0], \"value\": 0}]}]}", LIM_ERROR_FORMAT,
           "t.json:1:151: \"value\" in paint 1 of body \"a\" is 0; give 1e-06 to 1e+06");
    refuse(PAINT "\"value\": 1}]}]}", LIM_ERROR_FORMAT,
           "t.json:1:67: paint 1 of body \"a\" needs \"position\"");
    refuse(HEAD ", \"paint\": 3}]}", LIM_ERROR_FORMAT,
           "t.json:1:66: \"paint\" in body \"a\" must be a list of 0 to 1000 places");
    refuse(HEAD ", \"paint\": [{\"what\": \"stifness\", \"shape\": \"sphere\"}]}]}",
           LIM_ERROR_FORMAT,
           "t.json:1:76: unknown what \"stifness\" in paint 1 of body \"a\"; did you mean "
           "\"stiffness\"?");
    scene_paint paint = {.what = SCENE_PAINT_SIZE,
                         .shape = LIM_SHAPE_SPHERE,
                         .size = {1, 0, 0},
                         .rotation = {0, 0, 0, 1}};
    scene_body body = scene_body_default();
    body.name = "b";
    body.model = "duck";
    body.paint = &paint;
    body.paint_count = 1;
    scene_desc d = scene_desc_default();
    d.bodies = &body;
    d.body_count = 1;
    CHECK(scene_create(&d, NULL, &s, NULL) == LIM_ERROR_ARGUMENT); /* a size of 0 */
    paint.value = 0.1f;
    CHECK(scene_create(&d, NULL, &s, NULL) == LIM_OK);
    CHECK(scene_get_desc(s)->bodies[0].paint != &paint);
    scene_destroy(s);
}

#define ZONE HEAD ", \"zones\": [{\"shape\": \"box\", \"size\": [2, 4, 6], "

static void wrong_zones_are_refused(void) {
    scene* s = NULL;
    lim_io_message message;
    CHECK(parse(ZONE "\"position\": [1, 2, 3], \"stiffness\": 4, \"fade\": 0.5}]}]}", &s,
                &message) == LIM_OK);
    const scene_body* b = scene_get_desc(s)->bodies;
    CHECK(b->zone_count == 1 && b->zones[0].shape == LIM_SHAPE_BOX);
    const lim_zone* z = &b->zones[0];
    CHECK_NEAR(z->stiffness + z->fade + z->density, 5.5, 0);
    CHECK(z->size.x == 1.0f && z->size.z == 3.0f && z->position.y == 2.0);
    scene_destroy(s);
    refuse(ZONE "\"position\": [0, 0, 0]}]}]}", LIM_ERROR_FORMAT,
           "t.json:1:67: zone 1 of body \"a\" needs \"stiffness\"");
    refuse(ZONE "\"density\": 2}]}]}", LIM_ERROR_FORMAT,
           "t.json:1:67: zone 1 of body \"a\" needs \"position\"");
    refuse(HEAD ", \"zones\": 3}]}", LIM_ERROR_FORMAT,
           "t.json:1:66: \"zones\" in body \"a\" must be a list of 0 to 1000 zones");
    lim_zone zone = lim_zone_default();
    scene_body body = scene_body_default();
    body.name = "b";
    body.model = "duck";
    body.zones = &zone;
    body.zone_count = 1;
    zone.size.x = 1.0f;
    zone.stiffness = 0.0f;
    scene_desc d = scene_desc_default();
    d.bodies = &body;
    d.body_count = 1;
    CHECK(scene_create(&d, NULL, &s, NULL) == LIM_ERROR_ARGUMENT);
    zone.stiffness = 2.0f;
    CHECK(scene_create(&d, NULL, &s, NULL) == LIM_OK);
    CHECK(scene_get_desc(s)->bodies[0].zones != &zone);
    CHECK(scene_get_desc(s)->bodies[0].zones[0].stiffness == 2.0f);
    scene_destroy(s);
}

/* Exact at its keys, within two neighbours, without a jump in speed, again after the loop. */
static void motions_run_smoothly_through_their_keys(void) {
    const scene_key keys[4] = {{.at = 0.5, .move = {1, 0, 0}, .turn = {0, 0, 0.2}},
                               {.at = 1.0, .move = {3, 1, 0}, .turn = {0, 0, 7.0}},
                               {.at = 1.2, .move = {3.5, -2, 0}, .turn = {0, 0, 7.0}},
                               {.at = 2.5, .move = {-1, 0, 0}, .turn = {0, 0, -1.0}}};
    for (int loop = 0; loop < 2; ++loop) {
        scene_motion m = {.keys = keys, .key_count = 4, .begin = 10.0, .loop = loop ? 3.0 : 0.0};
        CHECK(motion_fault(&m) == NULL);
        for (int i = 0; i < 4; ++i) {
            motion_pose p = motion_at(&m, 10.0 + keys[i].at);
            CHECK_NEAR(p.move.x, keys[i].move.x, 1e-12);
            CHECK_NEAR(p.move.y, keys[i].move.y, 1e-12);
            CHECK_NEAR(p.turn.z, sin(0.5 * keys[i].turn.z), 1e-12);
        }
        motion_pose before = motion_at(&m, 9.99);
        CHECK_NEAR(before.move.x, 0, 0);
        CHECK_NEAR(before.turn.w, 1, 0);
        double h = 1e-4, last = 0, speed = 0;
        for (int i = 0; i < 80000; ++i) {
            double t = h * i;
            motion_pose p = motion_at(&m, 10.0 + t);
            CHECK(p.move.x <= 3.5 + 1e-12 && p.move.x >= -1 - 1e-12);
            CHECK(t < 1.0 || t > 1.2 || (p.move.x >= 3 && p.move.x <= 3.5));
            if (i > 1) {
                CHECK(fabs((p.move.x - last) / h - speed) < 0.02); /* acceleration below 200 */
            }
            speed = i > 0 ? (p.move.x - last) / h : speed;
            last = p.move.x;
            if (loop) {
                CHECK_NEAR(motion_at(&m, 13.0 + t).move.x, p.move.x, 1e-9);
            }
        }
        CHECK_NEAR(motion_at(&m, 1e4).move.x, loop ? motion_at(&m, 10.0).move.x : -1, 1e-6);
        m.fade = 0.4;
        CHECK_NEAR(motion_at(&m, 10.0).move.x, 0, 0);
        CHECK_NEAR(motion_at(&m, 10.7).move.x, motion_at(&m, loop ? 13.7 : 10.7).move.x, 1e-9);
    }
}

static void points_say_their_goals_and_start(void) {
    const char* text = "{\"limber\": 1, \"bodies\": [{\"name\": \"a\", \"model\": \"duck\","
                       "\"kind\": \"points\", \"clusters\": 8, \"start\": \"mirrored\","
                       "\"material\": {\"goal\": \"quadratic\", \"beta\": 0.25, \"alpha\": 0.5}},"
                       "{\"name\": \"b\", \"model\": \"duck\"}]}";
    scene* s = NULL;
    lim_io_message message;
    CHECK(parse(text, &s, &message) == LIM_OK);
    if (s == NULL) {
        printf("    %s\n", message.text);
        return;
    }
    const scene_body *a = &scene_get_desc(s)->bodies[0], *b = a + 1;
    CHECK(a->kind == LIM_KIND_POINTS && a->clusters == 8 && a->start == SCENE_MIRRORED);
    CHECK(a->material.goal == LIM_GOAL_QUADRATIC);
    CHECK_NEAR(a->material.beta + a->material.alpha, 0.75, 0);
    CHECK(b->clusters == 1 && b->start == SCENE_AT_REST && b->material.goal == LIM_GOAL_RIGID);
    CHECK_NEAR(b->material.beta, 0.5, 0);
    scene_destroy(s);
}

/* Every preset has its word; other keys change it, before and after. */
static void presets_come_first(void) {
    for (int i = 0; lim_preset_name((lim_preset)i) != NULL; ++i) {
        char text[256];
        scene* s = NULL;
        lim_io_message message;
        snprintf(text, sizeof text,
                 "{\"limber\": 1, \"bodies\": [{\"model\": \"duck\", \"material\": "
                 "{\"density\": 77, \"preset\": \"%s\", \"friction\": 0.125}}]}",
                 lim_preset_name((lim_preset)i));
        CHECK(parse(text, &s, &message) == LIM_OK);
        if (s == NULL) {
            printf("    %s\n", message.text);
            return;
        }
        const lim_material* m = &scene_get_desc(s)->bodies[0].material;
        lim_material preset = lim_material_preset((lim_preset)i);
        CHECK(m->density == 77.0f && m->friction == 0.125f);
        CHECK(m->young == preset.young && m->viscosity == preset.viscosity);
        CHECK(m->yield == preset.yield && m->volume == preset.volume);
        scene_destroy(s);
    }
    refuse(HEAD ", \"material\": {\"preset\": \"jely\"}}]}", LIM_ERROR_FORMAT,
           "t.json:1:80: unknown preset \"jely\" in the material of body \"a\"; did you mean "
           "\"jelly\"?");
}

TEST_SUITE(scene_sections) {
    TEST_BEGIN(argc, argv);
    RUN(cameras_move);
    RUN(blades_arrive);
    RUN(details_arrive);
    RUN(wrong_blades_are_refused);
    RUN(bones_arrive);
    RUN(wrong_bones_are_refused);
    RUN(wrong_paint_is_refused);
    RUN(wrong_zones_are_refused);
    RUN(motions_run_smoothly_through_their_keys);
    RUN(points_say_their_goals_and_start);
    RUN(presets_come_first);
    TEST_END();
}

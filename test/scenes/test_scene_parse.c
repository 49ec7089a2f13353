/* SPDX-License-Identifier: MIT
 * The scene format as a whole: defaults, every key, what it refuses and what it says then; the
 * built-in scenes.
 */
#include "failing_host.h"
#include "scenes/parse_kit.h"

static void defaults_are_those_of_the_documentation(void) {
    scene* s = NULL;
    lim_io_message message;
    CHECK(parse(HEAD "}]}", &s, &message) == LIM_OK);
    const scene_desc* d = scene_get_desc(s);
    CHECK(strcmp(d->name, "scene") == 0);
    CHECK_NEAR(d->duration, 4, 0);
    CHECK_NEAR(d->fps, 30, 0);
    CHECK_NEAR(d->dt, 1.0 / 60.0, 0);
    CHECK(d->substeps == 4 && d->sleep && d->ground && !d->has_camera);
    CHECK_NEAR(d->gravity.y, -9.81, 1e-6);
    CHECK_NEAR(d->wind.density, 0, 0);
    CHECK(d->body_count == 1 && d->collider_count == 0 && d->pin_count == 0);
    const scene_body* b = &d->bodies[0];
    CHECK(strcmp(b->name, "a") == 0 && strcmp(b->model, "duck") == 0 && b->mesh_file == NULL);
    CHECK(b->nodes == 2000 && !(b->cell > 0) && b->glue && b->solid && !b->has_colour);
    CHECK_NEAR(b->size, 1, 0);
    CHECK(isnan(b->material.young) && isnan(b->material.viscosity));
    CHECK_NEAR(b->material.density, 1000, 0);
    CHECK(b->copies[0] == 1 && b->copies[1] == 1 && b->copies[2] == 1);
    scene_destroy(s);
}

static void every_key_arrives(void) {
    const char* text =
        "{\"limber\": 1, \"name\": \"n\", \"about\": \"x\", \"duration\": 2.5, \"fps\": 24,\n"
        " \"dt\": 0.01, \"substeps\": 6, \"sleep\": false, \"gravity\": [1, -2, 3],\n"
        " \"ground\": {\"height\": 0.5, \"friction\": 0.25},\n"
        " \"wind\": {\"velocity\": [4, 5, 6], \"gust\": 1, \"gust_size\": 2, \"density\": 1.5},\n"
        " \"camera\": {\"eye\": [1, 2, 3], \"target\": [4, 5, 6], \"up\": [0, 0, 1], \"fov\": "
        "90},\n"
        " \"bodies\": [{\"name\": \"a\", \"mesh\": \"m.obj\", \"cell\": 0.02, \"region_width\": "
        "3, \"widen\": false,\n"
        "   \"kind\": \"lattice\", \"coarsen\": 4, \"cells_across\": 1.5,\n"
        "   \"glue\": false, \"self_contact\": true, \"contact\": false, \"layer\": 6, \"mask\": "
        "4294967294, \"solid\": false, "
        "\"regions\": \"interval\", "
        "\"scale\": 0.01, \"up\": "
        "\"auto\",\n"
        "   \"anchor\": \"origin\", \"position\": [1, 2, 3],\n"
        "   \"rotation\": {\"axis\": [0, 2, 0], \"degrees\": 90}, \"velocity\": [1, 0, 0],\n"
        "   \"angular_velocity\": [0, 1, 0], \"gravity_scale\": 0.5, \"colour\": [1, 0.5, 0],\n"
        "   \"material\": {\"density\": 500, \"young\": 1e4, \"viscosity\": 2,\n"
        "     \"damping_time\": 3, \"rolling_time\": 0.75, \"friction\": 0.25, \"air_drag\": "
        "0.125, \"restitution\": 0.25},\n"
        "   \"copies\": {\"count\": [2, 1, 3], \"spacing\": [1, 2, 3], \"turn\": 30}},\n"
        "  {\"name\": \"b\", \"model\": \"bar\", \"triangles\": 500, \"nodes\": 300, \"size\": "
        "2}],\n"
        " \"colliders\": [{\"name\": \"c\", \"shape\": \"capsule\", \"radius\": 0.5, \"length\": "
        "2,\n"
        "   \"position\": [1, 1, 1], \"rotation\": [0, 0, 0, 2], \"velocity\": [1, 0, 0],\n"
        "   \"angular_velocity\": [0, 0, 1], \"friction\": 0.125, \"restitution\": 0.5,\n"
        "   \"layer\": 3, \"mask\": 0, \"colour\": [1, 0.5, 0]},\n"
        "   {\"shape\": \"box\", \"size\": [1, 2, 4]}, {\"shape\": \"plane\"}],\n"
        " \"pins\": [{\"body\": \"a.5\", \"shape\": \"sphere\", \"radius\": 0.1, \"position\":\n"
        "   [0, 0, 0]}],\n"
        " \"links\": [{\"body\": \"b\", \"other\": \"a.2\", \"shape\": \"box\", \"size\":\n"
        "   [2, 4, 8], \"position\": [1, 2, 3], \"stiffness\": 5, \"force_limit\": 6}],\n"
        " \"actions\": [\n"
        "  {\"type\": \"grab\", \"at\": 1, \"until\": 3, \"body\": \"a\", \"point\": [1, 2, 3],\n"
        "   \"to\": [4, 5, 6], \"radius\": 0.5, \"stiffness\": 7, \"force_limit\": 8,\n"
        "   \"move_time\": 0.5},\n"
        "  {\"type\": \"impulse\", \"body\": \"b\", \"point\": [1, 2, 3], \"impulse\": [1, 2, "
        "3]},\n"
        "  {\"type\": \"velocity\", \"body\": \"b\", \"velocity\": [1, 2, 3]},\n"
        "  {\"type\": \"gravity\", \"gravity\": [0, 0, 0], \"until\": 2},\n"
        "  {\"type\": \"wind\", \"velocity\": [9, 0, 0]},\n"
        "  {\"type\": \"move_collider\", \"collider\": \"collider 2\", \"until\": 1, \"to\":\n"
        "   [0, 1, 0]},\n"
        "  {\"type\": \"move_pin\", \"pin\": \"pin 1\", \"at\": 0.5, \"until\": 1,\n"
        "   \"rotation\": [1, 0, 0, 0]},\n"
        "  {\"type\": \"release_pin\", \"pin\": \"pin 1\", \"at\": 2},\n"
        "  {\"type\": \"reset\", \"body\": \"a.2\", \"at\": 2}]}";
    scene* s = NULL;
    lim_io_message message;
    CHECK(parse(text, &s, &message) == LIM_OK);
    if (s == NULL) {
        printf("    %s\n", message.text);
        return;
    }
    const scene_desc* d = scene_get_desc(s);
    CHECK(strcmp(d->name, "n") == 0 && strcmp(d->about, "x") == 0);
    CHECK_NEAR(d->duration + d->fps + d->dt + d->substeps, 2.5 + 24 + 0.01 + 6, 1e-12);
    CHECK(!d->sleep && d->ground && d->has_camera);
    CHECK(d->bodies[0].kind == LIM_KIND_LATTICE && d->bodies[1].kind == LIM_KIND_OCTREE);
    CHECK(d->bodies[0].coarsen == 4 && d->bodies[1].coarsen == 0);
    CHECK_NEAR(d->bodies[0].cells_across, 1.5, 0);
    CHECK_NEAR(d->bodies[1].cells_across, 2.0, 0);
    CHECK(!d->bodies[0].widen && d->bodies[1].widen);
    CHECK_NEAR(d->ground_height, 0.5, 0);
    CHECK_NEAR(d->ground_friction, 0.25, 0);
    CHECK_NEAR(d->wind.velocity.z + d->wind.gust + d->wind.gust_size + d->wind.density, 10.5, 1e-6);
    CHECK_NEAR(d->camera.fov, 1.5707963, 1e-6);
    CHECK_NEAR(d->camera.up.z, 1, 0);
    const scene_body* b = &d->bodies[0];
    CHECK(b->regions == LIM_REGIONS_INTERVAL);
    CHECK(strcmp(b->mesh_file, "m.obj") == 0 && b->up == SCENE_UP_AUTO && !b->glue && !b->solid);
    CHECK(b->anchor == SCENE_ANCHOR_ORIGIN && b->has_colour);
    CHECK(b->self_contact && !b->contact && b->layer == 6 && b->mask == 4294967294u);
    CHECK(d->bodies[1].layer == 1 && d->bodies[1].mask == UINT32_MAX);
    CHECK(d->colliders[0].layer == 3 && d->colliders[0].mask == 0);
    CHECK(d->colliders[1].layer == (1 | LIM_LAYER_COLLIDER) && d->colliders[1].mask == UINT32_MAX);
    CHECK_NEAR(b->size, 0, 0);
    CHECK_NEAR(b->scale, 0.01, 0);
    CHECK_NEAR(b->cell, 0.02, 1e-8);
    CHECK_NEAR(b->rotation.y, 0.70710678, 1e-7);
    CHECK_NEAR(b->rotation.w, 0.70710678, 1e-7);
    CHECK_NEAR(b->position.z + b->velocity.x + b->angular_velocity.y + b->gravity_scale, 5.5, 0);
    CHECK_NEAR(b->material.young + b->material.viscosity + b->material.damping_time, 10005, 0);
    CHECK_NEAR(b->material.rolling_time + b->material.friction + b->material.air_drag, 1.125, 0);
    CHECK(b->copies[0] == 2 && b->copies[1] == 1 && b->copies[2] == 3);
    CHECK_NEAR(b->spacing.z + b->turn, 33, 0);
    CHECK(d->bodies[1].triangles == 500 && d->bodies[1].nodes == 300);
    CHECK_NEAR(b->material.restitution, 0.25, 0);
    CHECK_NEAR(d->colliders[0].restitution, 0.5, 0);
    CHECK(d->colliders[0].has_colour && !d->colliders[1].has_colour);
    CHECK_NEAR(d->colliders[0].colour.y, 0.5, 0);
    CHECK_NEAR(d->colliders[0].size.x, 0.5, 0);
    CHECK_NEAR(d->colliders[0].size.y, 1.0, 0);
    CHECK_NEAR(d->colliders[0].rotation.w, 1.0, 0);
    CHECK_NEAR(d->colliders[1].size.z, 2.0, 0);
    CHECK(strcmp(d->colliders[1].name, "collider 2") == 0);
    CHECK(d->colliders[2].shape == LIM_SHAPE_PLANE);
    CHECK(d->pins[0].body == 0 && d->pins[0].copy == 4);
    const scene_link* l = &d->links[0];
    CHECK(d->link_count == 1 && strcmp(l->name, "link 1") == 0);
    CHECK(l->body == 1 && l->copy == -1 && l->other == 0 && l->other_copy == 1);
    CHECK(l->shape == LIM_SHAPE_BOX);
    CHECK_NEAR(l->size.z + l->stiffness + l->force_limit, 15, 0);
    CHECK_NEAR(l->position.z, 3, 0);
    CHECK(d->action_count == 9);
    const scene_action* a = d->actions;
    CHECK(a[0].type == SCENE_GRAB && a[0].target == 0 && a[0].copy == -1 && a[0].has_to);
    CHECK_NEAR(a[0].move_time + a[0].radius + a[0].stiffness + a[0].force_limit, 16, 0);
    CHECK(a[1].target == 1);
    CHECK_NEAR(a[1].vector.z + a[2].vector.y, 5, 0);
    CHECK_NEAR(a[3].until, 2, 0);
    CHECK_NEAR(a[4].wind.velocity.x + a[4].wind.density, 10.2, 1e-6);
    CHECK(a[5].target == 1 && a[5].has_to && !a[5].has_rotation);
    CHECK_NEAR(a[6].move_time, 0.5, 0);
    CHECK(a[6].has_rotation && !a[6].has_to);
    CHECK(a[8].target == 0 && a[8].copy == 1);
    scene_destroy(s);
}

static void mistakes_are_named_with_place_and_cure(void) {
    refuse("{\"limber\": 1,\n \"bodies\": [{\"name\": \"a\", \"model\": \"duck\",\n"
           "   \"positon\": [0, 1, 0]}]}",
           LIM_ERROR_FORMAT,
           "t.json:3:4: unknown key \"positon\" in body \"a\"; did you mean \"position\"?");
    refuse(HEAD ", \"zebra\": 1}]}", LIM_ERROR_FORMAT,
           "t.json:1:57: unknown key \"zebra\" in body \"a\"; it may have name, model, mesh, "
           "triangles, kind, nodes, cell, coarsen, cells_across, region_width, widen, regions, "
           "clusters, glue, solid, "
           "size, scale, up, anchor, position, "
           "rotation, start, velocity, angular_velocity, gravity_scale, material, colour, "
           "inner_colour, copies");
    refuse(HEAD ", \"position\": [0, 1]}]}", LIM_ERROR_FORMAT,
           "t.json:1:69: \"position\" in body \"a\" must be a list of 3 numbers; it has 2");
    refuse(HEAD ", \"nodes\": \"many\"}]}", LIM_ERROR_FORMAT,
           "t.json:1:66: \"nodes\" in body \"a\" must be a number, not a string");
    refuse(HEAD ", \"nodes\": 0}]}", LIM_ERROR_FORMAT,
           "t.json:1:66: \"nodes\" in body \"a\" is 0; give 1 to 4e+06");
    refuse(HEAD ", \"nodes\": 10.5}]}", LIM_ERROR_FORMAT,
           "t.json:1:66: \"nodes\" in body \"a\" is 10.5; give a whole number");
    refuse(HEAD ", \"region_width\": 17}]}", LIM_ERROR_FORMAT,
           "t.json:1:73: \"region_width\" in body \"a\" is 17; give 1 to 16");
    refuse(HEAD ", \"kind\": \"latice\"}]}", LIM_ERROR_FORMAT,
           "t.json:1:65: unknown kind \"latice\" in body \"a\"; did you mean \"lattice\"?");
    refuse(HEAD ", \"solid\": 1}]}", LIM_ERROR_FORMAT,
           "t.json:1:66: \"solid\" in body \"a\" must be true or false, not a number");
    refuse(HEAD ", \"nodes\": 10, \"cell\": 0.1}]}", LIM_ERROR_FORMAT,
           "t.json:1:78: body \"a\" has both \"nodes\" and \"cell\"; keep one");
    refuse(HEAD ", \"mesh\": \"a.obj\"}]}", LIM_ERROR_FORMAT,
           "t.json:1:65: body \"a\" has both \"model\" and \"mesh\"; keep one");
    refuse(HEAD ", \"material\": {\"yuong\": 3}}]}", LIM_ERROR_FORMAT,
           "t.json:1:70: unknown key \"yuong\" in the material of body \"a\"; did you mean "
           "\"young\"?");
    refuse(HEAD ", \"rotation\": {\"axis\": [0, 0, 0], \"degrees\": 5}}]}", LIM_ERROR_FORMAT,
           "t.json:1:69: \"rotation\" in body \"a\" has no direction; give an axis or quaternion "
           "that is not zero");
    refuse(HEAD ", \"rotation\": {\"axis\": [0, 1, 0]}}]}", LIM_ERROR_FORMAT,
           "t.json:1:69: \"rotation\" of body \"a\" needs \"degrees\"");
    refuse(HEAD ", \"copies\": {\"count\": [200, 200, 200]}}]}", LIM_ERROR_TOO_LARGE,
           "t.json:1:26: more than 10000 bodies with all their copies");
    refuse(HEAD "}, {\"name\": \"a\", \"model\": \"duck\"}]}", LIM_ERROR_FORMAT,
           "t.json:1:67: the name of body \"a\" is taken by line 1; give each its own");
    refuse("{\"limber\": 1, \"bodies\": [{\"model\": \"creatur\"}]}", LIM_ERROR_FORMAT,
           "t.json:1:36: there is no model \"creatur\"; did you mean \"creature\"?");
    refuse("{\"limber\": 1, \"bodies\": [{\"name\": \"a\"}]}", LIM_ERROR_FORMAT,
           "t.json:1:26: body \"a\" needs \"model\" or \"mesh\"");
    refuse(
        "{\"limber\": 1, \"bodies\": []}", LIM_ERROR_FORMAT,
        "t.json:1:25: the scene has no bodies; give \"bodies\" at least one, such as {\"model\": "
        "\"creature\"}");
    refuse("{\"limber\": 1}", LIM_ERROR_FORMAT,
           "t.json:1:1: the scene has no bodies; give \"bodies\" at least one, such as {\"model\": "
           "\"creature\"}");
    refuse("{\"limber\": 2}", LIM_ERROR_VERSION,
           "t.json:1:12: a scene says \"limber\": 1, the version of the format");
    refuse("[]", LIM_ERROR_FORMAT, "t.json:1:1: a scene is an object, not an array");
    refuse(HEAD "}], \"colliders\": [{\"shape\": \"spehre\"}]}", LIM_ERROR_FORMAT,
           "t.json:1:83: unknown shape \"spehre\" in collider 1; did you mean \"sphere\"?");
    refuse(HEAD "}], \"colliders\": [{\"shape\": \"sphere\"}]}", LIM_ERROR_FORMAT,
           "t.json:1:73: collider 1 needs \"radius\"");
    refuse(HEAD "}], \"pins\": [{\"body\": \"b\", \"shape\": \"plane\"}]}", LIM_ERROR_FORMAT,
           "t.json:1:91: unknown shape \"plane\" in pin 1; there are sphere, capsule, box");
    refuse(HEAD "}], \"pins\": [{\"body\": \"ab\", \"shape\": \"sphere\", \"radius\": 1, "
                "\"position\": [0, 0, 0]}]}",
           LIM_ERROR_FORMAT,
           "t.json:1:77: pin 1 names the body \"ab\", which is not there; did you mean \"a\"?");
    refuse(HEAD "}], \"links\": [{\"body\": \"a\", \"shape\": \"sphere\", \"radius\": 1, "
                "\"position\": [0, 0, 0]}]}",
           LIM_ERROR_FORMAT, "t.json:1:69: link 1 needs \"other\"");
    refuse(HEAD "}], \"actions\": [{\"type\": \"grab\", \"body\": \"a\"}]}", LIM_ERROR_FORMAT,
           "t.json:1:71: action 1 (grab) needs \"point\"");
    refuse(HEAD "}], \"actions\": [{\"type\": \"reset\", \"body\": \"a\", \"to\": [0, 0, 0]}]}",
           LIM_ERROR_FORMAT,
           "t.json:1:102: unknown key \"to\" in action 1 (reset); it may have type, at, body");
    refuse(HEAD "}], \"actions\": [{\"type\": \"gravity\", \"gravity\": [0, 0, 0], \"at\": 2, "
                "\"until\": 1}]}",
           LIM_ERROR_FORMAT,
           "t.json:1:131: action 1 (gravity) ends at 1 s, before it begins at 2 s");
    refuse(HEAD "}], \"actions\": [{\"type\": \"reset\", \"body\": \"a.2\"}]}", LIM_ERROR_FORMAT,
           "t.json:1:97: action 1 (reset) names the body \"a.2\", which is not there; did you mean "
           "\"a\"?");
}

static void broken_json_has_a_place(void) {
    scene* s = NULL;
    lim_io_message message;
    CHECK(parse("{\"limber\": 1,\n \"bodies\": [}", &s, &message) == LIM_ERROR_FORMAT);
    CHECK(strncmp(message.text, "t.json:2:13: ", 13) == 0);
    CHECK(parse("", &s, &message) == LIM_ERROR_FORMAT);
    CHECK(scene_parse(NULL, 0, "x", NULL, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    CHECK(scene_parse("{}", 2, NULL, NULL, NULL, &s, NULL) == LIM_ERROR_FORMAT);
    CHECK(s == NULL);
}

static void every_cut_of_a_scene_is_refused(void) {
    const scene_entry* hand = scene_find("hand");
    CHECK(hand != NULL);
    scene* s = NULL;
    lim_io_message message;
    size_t end = hand->size;
    while (end > 0 && hand->text[end - 1] != '}') {
        end--;
    }
    for (size_t size = 0; size < end; ++size) {
        CHECK(scene_parse(hand->text, size, "hand", NULL, NULL, &s, &message) == LIM_ERROR_FORMAT);
        CHECK(s == NULL);
    }
}

static void built_in_scenes_are_good(void) {
    enum { MOST = 64 };
    scene_entry entry[MOST];
    int32_t count = scene_list(entry, MOST);
    CHECK(count == 37 && scene_list(NULL, 0) == count);
    CHECK(scene_find("creature") != NULL && scene_find("unicorn") == NULL);
    for (int32_t i = 0; i < count; ++i) {
        scene* s = NULL;
        lim_io_message message;
        CHECK(entry[i].text[entry[i].size] == '\0');
        CHECK(strlen(entry[i].text) == entry[i].size);
        lim_result result =
            scene_parse(entry[i].text, entry[i].size, entry[i].name, NULL, NULL, &s, &message);
        CHECK(result == LIM_OK);
        if (result != LIM_OK) {
            printf("    %s\n", message.text);
            continue;
        }
        CHECK(strcmp(scene_get_desc(s)->name, entry[i].name) == 0);
        CHECK(strlen(scene_get_desc(s)->about) > 10);
        CHECK(scene_get_desc(s)->has_camera);
        scene_destroy(s);
    }
}

static void failed_allocations_leak_nothing(void) {
    const scene_entry* hand = scene_find("hand");
    for (int n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        scene* s = NULL;
        lim_io_message message;
        lim_result result =
            scene_parse(hand->text, hand->size, "hand", "folder", &f.host, &s, &message);
        if (result == LIM_OK) {
            scene_destroy(s);
            CHECK(f.held == 0 && n > 3);
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY && s == NULL && f.held == 0);
        CHECK(strstr(message.text, "out of memory") != NULL);
    }
}

TEST_SUITE(scene_parse) {
    TEST_BEGIN(argc, argv);
    RUN(defaults_are_those_of_the_documentation);
    RUN(every_key_arrives);
    RUN(mistakes_are_named_with_place_and_cure);
    RUN(broken_json_has_a_place);
    RUN(every_cut_of_a_scene_is_refused);
    RUN(built_in_scenes_are_good);
    RUN(failed_allocations_leak_nothing);
    TEST_END();
}

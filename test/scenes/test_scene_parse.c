/* SPDX-License-Identifier: MIT
 * The scene format: what it reads, what it refuses and what it says then; the default scene of a
 * mesh; the built-in scenes.
 */
#include "base/hash.h"
#include "failing_host.h"
#include "math/quat.h"
#include "models.h"
#include "scene.h"
#include "scene_motion.h"
#include "test.h"

static lim_result parse(const char* text, scene** out, lim_io_message* message) {
    memset(message, 0, sizeof(*message));
    return scene_parse(text, strlen(text), "t.json", "some/folder", NULL, out, message);
}

/* A scene that is refused with exactly this message. */
static void refuse(const char* text, lim_result result, const char* wanted) {
    scene* s = NULL;
    lim_io_message message;
    lim_result got = parse(text, &s, &message);
    CHECK(got == result);
    CHECK(s == NULL);
    CHECK(strcmp(message.text, wanted) == 0);
    if (strcmp(message.text, wanted) != 0) {
        printf("    said:   %s\n    wanted: %s\n", message.text, wanted);
    }
    scene_destroy(s);
}

#define HEAD "{\"limber\": 1, \"bodies\": [{\"name\": \"a\", \"model\": \"duck\""

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
        "   \"glue\": false, \"self_contact\": true, \"contact\": false, \"solid\": false, "
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
        "   \"angular_velocity\": [0, 0, 1], \"friction\": 0.125, \"restitution\": 0.5},\n"
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
    CHECK(b->self_contact && !b->contact);
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
    scene_entry entry[48];
    int32_t count = scene_list(entry, 48);
    CHECK(count == 33 && scene_list(NULL, 0) == count);
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

/* ---- the default scene -----------------------------------------------------------------------
 */

/* A copy of a mesh with (x, y, z) -> (x, -z, y): from y up to z up; times a factor, moved. */
static lim_mesh* laid_down(const lim_mesh* mesh, double factor, double shift) {
    lim_mesh_view view = lim_mesh_get_view(mesh);
    double* p = malloc((size_t)view.vertex_count * 3 * sizeof(double));
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        p[3 * i] = view.positions[i].x * factor + shift;
        p[3 * i + 1] = -view.positions[i].z * factor - shift;
        p[3 * i + 2] = view.positions[i].y * factor + 2 * shift;
    }
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = view.vertex_count;
    desc.triangle_count = view.triangle_count;
    desc.positions = p;
    desc.indices = view.indices;
    lim_mesh* out = NULL;
    CHECK(lim_mesh_create(&desc, NULL, &out) == LIM_OK);
    free(p);
    return out;
}

static void up_is_found(void) {
    static const char* standing[] = {"penguin", "duck", "flower", "hand"};
    for (int i = 0; i < 4; ++i) {
        lim_mesh* mesh = NULL;
        CHECK(model_mesh(standing[i], 3000, NULL, &mesh) == LIM_OK);
        CHECK(scene_find_up(mesh) == SCENE_UP_Y);
        lim_mesh* lying = laid_down(mesh, 3.0, 50.0);
        CHECK(scene_find_up(lying) == SCENE_UP_Z);
        lim_mesh_destroy(lying);
        lim_mesh_destroy(mesh);
    }
    /* without a hint, y */
    const int32_t cells[3] = {2, 2, 2};
    lim_mesh* cube = NULL;
    CHECK(box_mesh(1, 1, 1, cells, NULL, &cube) == LIM_OK);
    CHECK(scene_find_up(cube) == SCENE_UP_Y);
    lim_mesh_destroy(cube);
}

static void a_mesh_is_dropped_from_half_its_height(void) {
    for (int z_up = 0; z_up < 2; ++z_up) {
        lim_mesh *standing = NULL, *mesh = NULL;
        CHECK(model_mesh("penguin", 3000, NULL, &standing) == LIM_OK);
        if (z_up) {
            mesh = laid_down(standing, 30.0, 500.0);
            lim_mesh_destroy(standing);
        } else {
            mesh = standing;
        }
        scene* s = NULL;
        lim_io_message message;
        CHECK(scene_drop_of_mesh(mesh, NULL, NULL, &s, &message) == LIM_OK);
        const scene_desc* d = scene_get_desc(s);
        CHECK(d->body_count == 1 && d->ground);
        CHECK_NEAR(d->rest_after, 4, 0);
        CHECK_NEAR(d->duration, 12, 0);
        const scene_body* b = &d->bodies[0];
        CHECK(b->nodes == 2000 && b->mesh == mesh);
        CHECK(b->up == (z_up ? SCENE_UP_Z : SCENE_UP_Y));
        CHECK_NEAR(2.0 * acos((double)b->rotation.w) * 180.0 / 3.14159265358979, 10.0, 1e-3);
        /* place every vertex as the run will, and look for the lowest */
        lim_mesh_view view = lim_mesh_get_view(mesh);
        lim_box box = lim_mesh_get_report(mesh).bounds;
        lim_point c = p3_scale(p3_add(box.lower, box.upper), 0.5);
        double lowest = 1e9;
        for (int32_t i = 0; i < view.vertex_count; ++i) {
            lim_point p = p3_scale(p3_sub(view.positions[i], c), b->scale);
            p = z_up ? p3(p.x, p.z, -p.y) : p;
            double y = dquat_rotate(dquat_of(b->rotation), p).y + b->position.y;
            lowest = y < lowest ? y : lowest;
        }
        double height = (z_up ? box.upper.z - box.lower.z : box.upper.y - box.lower.y) * b->scale;
        CHECK_NEAR(height, 1.0, 1e-9); /* the penguin's longest side */
        CHECK_NEAR(lowest, 0.5 * height, 1e-6);
        scene_destroy(s);
        lim_mesh_destroy(mesh);
    }
}

static void drop_options_are_kept(void) {
    const int32_t cells[3] = {1, 1, 1};
    lim_mesh* mesh = NULL;
    CHECK(box_mesh(4, 2, 3, cells, NULL, &mesh) == LIM_OK);
    scene_drop_options o = scene_drop_options_default();
    o.keep_units = true;
    o.nodes = 123;
    o.up = SCENE_UP_Z;
    o.name = "crate";
    scene* s = NULL;
    lim_io_message message;
    CHECK(scene_drop_of_mesh(mesh, &o, NULL, &s, &message) == LIM_OK);
    const scene_body* b = &scene_get_desc(s)->bodies[0];
    CHECK_NEAR(b->scale, 1, 0);
    CHECK(b->nodes == 123 && b->up == SCENE_UP_Z && strcmp(b->name, "crate") == 0);
    CHECK(b->name != o.name);
    scene_destroy(s);
    CHECK(scene_drop_of_mesh(NULL, &o, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    lim_mesh_destroy(mesh);
    CHECK(box_mesh(1e6, 1e6, 1e6, cells, NULL, &mesh) == LIM_OK);
    CHECK(scene_drop_of_mesh(mesh, &o, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    CHECK(strstr(message.text, "scaled to one metre") != NULL);
    lim_mesh_destroy(mesh);
    for (int n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        CHECK(model_mesh("sphere", 400, NULL, &mesh) == LIM_OK);
        lim_result result = scene_drop_of_mesh(mesh, NULL, &f.host, &s, &message);
        CHECK((result == LIM_OK) == (s != NULL));
        scene_destroy(s);
        lim_mesh_destroy(mesh);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
    }
}

static void automatic_material_has_the_stated_damping(void) {
    scene_body b = scene_body_default();
    for (int i = 0; i < 4; ++i) {
        double side = 0.03 * (double)(1 << (2 * i)), gravity = i == 3 ? 0.0 : 9.81;
        lim_material m = scene_auto_material(b.material, side, gravity);
        CHECK_NEAR((double)m.young / (1000 * 9.81 * side / 0.04), 1.0, 1e-6);
        double omega = 3.14159265358979 / side * sqrt((double)m.young / 1000.0);
        double ratio = 1.0 / ((double)m.damping_time * omega) +
                       (double)m.viscosity * omega / (2.0 * (double)m.young);
        CHECK_NEAR(ratio, 0.12, 1e-6);
    }
    lim_material asked = {1000, 5e3f, 7,    1,     3,    0.1f, 0.7f, 0.2f, 0.3f, LIM_GOAL_LINEAR,
                          0.4f, 0.6f, 0.5f, 10.0f, 0.1f, 2.0f, 0.3f, 1.0f};
    lim_material m = scene_auto_material(asked, 1, 9.81);
    CHECK(memcmp(&m, &asked, sizeof(m)) == 0);
}

static void descriptions_in_c_are_checked(void) {
    scene_desc d = scene_desc_default();
    scene_body b = scene_body_default();
    scene* s = NULL;
    lim_io_message message;
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    CHECK(strstr(message.text, "no bodies") != NULL);
    d.bodies = &b;
    d.body_count = 1;
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    b.name = "b";
    b.model = "unicorn";
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    b.model = "duck";
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_OK);
    scene_destroy(s);
    scene_body good = b;
#define BAD(member, value)                                                                         \
    do {                                                                                           \
        b = good;                                                                                  \
        b.member = value;                                                                          \
        CHECK(scene_create(&d, NULL, &s, &message) == LIM_ERROR_ARGUMENT);                         \
    } while (0)
    BAD(nodes, 0);
    BAD(nodes, 4000001);
    BAD(cell, -1.0f);
    BAD(size, (double)NAN);
    BAD(scale, 0.0);
    BAD(position.x, (double)INFINITY);
    BAD(material.density, 0.0f);
    BAD(material.young, -1.0f);
    BAD(material.rolling_time, -2.0f);
    BAD(material.volume, 1.5f);
    BAD(material.yield, -0.1f);
    BAD(material.max_strain, 11.0f);
    BAD(copies[1], 0);
    BAD(copies[1], 10001);
    BAD(turn, (double)NAN);
    b = good;
    d.dt = 0;
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    d.dt = 0.01;
    scene_action a = {.type = SCENE_RESET, .until = -1, .target = 1};
    d.actions = &a;
    d.action_count = 1;
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    a.target = 0;
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_OK);
    scene_destroy(s);
    scene_destroy(NULL);
    CHECK(scene_get_desc(NULL) == NULL);
}

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
              "\"finest\": 0.01, \"coarsest\": 0.2, \"hysteresis\": 2, \"nodes\": 77, "
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
    refuse(CUT ", \"blade\": 3}]}", LIM_ERROR_FORMAT,
           "t.json:1:109: action 1 (cut): \"blade\" must be a list of 2 to 4096 stations, such as "
           "{\"from\": [0, 1, -1], \"to\": [0, 1, 1]}");
    refuse(CUT ", \"blade\": [" STATION("[0, 0, 0]", "[0, 0, 1]") "]}]}", LIM_ERROR_FORMAT,
           "t.json:1:109: action 1 (cut): \"blade\" must be a list of 2 to 4096 stations, such as "
           "{\"from\": [0, 1, -1], \"to\": [0, 1, 1]}");
    refuse(CUT ", \"blade\": [{\"from\": [0, 0, 0]}, {}]}]}", LIM_ERROR_FORMAT,
           "t.json:1:110: station 1 of action 1 (cut) needs \"to\"");
    refuse(CUT ", \"blade\": [{\"form\": [0, 0, 0]}, {}]}]}", LIM_ERROR_FORMAT,
           "t.json:1:111: unknown key \"form\" in station 1 of action 1 (cut); did you mean "
           "\"from\"?");
    refuse(CUT ", \"blade\": [" STATION("[0, 0, 0]", "[0, 0, 0]") ", " STATION("[0, 1, 0]",
                                                                               "[0, 1, 1]") "]}]}",
           LIM_ERROR_FORMAT, "t.json:1:148: action 1 (cut) has a blade of no length");
    refuse(CUT ", \"blade\": [" STATION("[0, 0, 0]", "[0, 0, 1]") ", " STATION("[0, 0, 0]",
                                                                               "[0, 0, 1]") "]}]}",
           LIM_ERROR_FORMAT,
           "t.json:1:148: action 1 (cut) has a blade that does not move from one station to the "
           "next");
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
           "t.json:1:66: \"paint\" in body \"a\" must be a list of at most 1000 places");
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
           "t.json:1:66: \"zones\" in body \"a\" must be a list of at most 1000 zones");
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

int main(int argc, char** argv) {
    TEST_BEGIN(argc, argv);
    RUN(presets_come_first);
    RUN(defaults_are_those_of_the_documentation);
    RUN(every_key_arrives);
    RUN(mistakes_are_named_with_place_and_cure);
    RUN(broken_json_has_a_place);
    RUN(every_cut_of_a_scene_is_refused);
    RUN(built_in_scenes_are_good);
    RUN(failed_allocations_leak_nothing);
    RUN(up_is_found);
    RUN(a_mesh_is_dropped_from_half_its_height);
    RUN(drop_options_are_kept);
    RUN(automatic_material_has_the_stated_damping);
    RUN(bones_arrive);
    RUN(wrong_bones_are_refused);
    RUN(cameras_move);
    RUN(blades_arrive);
    RUN(details_arrive);
    RUN(wrong_blades_are_refused);
    RUN(motions_run_smoothly_through_their_keys);
    RUN(wrong_paint_is_refused);
    RUN(wrong_zones_are_refused);
    RUN(descriptions_in_c_are_checked);
    RUN(points_say_their_goals_and_start);
    TEST_END();
}

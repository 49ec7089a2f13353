/* SPDX-License-Identifier: MIT
 * Job: scenes from JSON. In: text. Out: a scene, every value of which is in range and every name of
 * which is known, or a message with the place and the cure. The tables are the format; they are
 * explained in docs/scenes.md.
 */
#include "field_table.h"
#include "math/trig.h"
#include "math/vec3.h"
#include "parse_sections.h"
#include "scene_parts.h"

#include <stdio.h>
#include <string.h>

static const field SCENE_FIELDS[] = {
    {"limber", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"name", FIELD_TEXT, AT(scene_desc, name), 0, 0, PLAIN},
    {"about", FIELD_TEXT, AT(scene_desc, about), 0, 0, PLAIN},
    {"duration", FIELD_DOUBLE, AT(scene_desc, duration), 1e-3, 86400, PLAIN},
    {"rest_after", FIELD_DOUBLE, AT(scene_desc, rest_after), 0, 86400, PLAIN},
    {"fps", FIELD_DOUBLE, AT(scene_desc, fps), 0.1, 1000, PLAIN},
    {"dt", FIELD_DOUBLE, AT(scene_desc, dt), 1e-6, 1, PLAIN},
    {"substeps", FIELD_WHOLE, AT(scene_desc, substeps), 1, 64, PLAIN},
    {"sleep", FIELD_BOOL, AT(scene_desc, sleep), 0, 0, PLAIN},
    {"gravity", FIELD_VECTOR, AT(scene_desc, gravity), -1000, 1000, PLAIN},
    {"ground", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"wind", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"camera", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"detail", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"training", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"bodies", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"colliders", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"pins", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"links", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"actions", FIELD_OTHER, 0, 0, 0, PLAIN}};

static const field GROUND_FIELDS[] = {
    {"height", FIELD_FLOAT, AT(scene_desc, ground_height), -FAR, FAR, PLAIN},
    {"friction", FIELD_FLOAT, AT(scene_desc, ground_friction), 0, 100, PLAIN}};

static const field WIND_FIELDS[] = {
    {"velocity", FIELD_VECTOR, AT(lim_wind, velocity), -1000, 1000, PLAIN},
    {"gust", FIELD_FLOAT, AT(lim_wind, gust), 0, 4, PLAIN},
    {"gust_size", FIELD_FLOAT, AT(lim_wind, gust_size), 1e-3, FAR, PLAIN},
    {"density", FIELD_FLOAT, AT(lim_wind, density), 0, 1e4, PLAIN}};

static const field CAMERA_FIELDS[] = {
    {"eye", FIELD_VECTOR, AT(lim_camera, eye), -FAR, FAR, PLAIN},
    {"target", FIELD_VECTOR, AT(lim_camera, target), -FAR, FAR, PLAIN},
    {"up", FIELD_VECTOR, AT(lim_camera, up), -FAR, FAR, PLAIN},
    {"fov", FIELD_FLOAT, AT(lim_camera, fov), 1, 150, PLAIN},
    {"motion", FIELD_OTHER, 0, 0, 0, PLAIN}};

static const field WORLD_DETAIL_FIELDS[] = {
    {"eye", FIELD_POINT, AT(lim_world_detail, eye), -FAR, FAR, PLAIN},
    {"nodes", FIELD_WHOLE, AT(lim_world_detail, nodes), 0, 1e9, PLAIN},
    {"work", FIELD_WHOLE, AT(lim_world_detail, work), 0, 1e9, PLAIN}};

static lim_result list_size(const field_reader* r, const json_value* list, const char* key,
                            int32_t* out_count) {
    *out_count = 0;
    if (list == NULL) {
        return LIM_OK;
    }
    if (!json_is(list, JSON_ARRAY)) {
        return field_fail(r, list, LIM_ERROR_FORMAT, "\"%s\" must be a list, not %s", key,
                          json_kind_name(list->kind));
    }
    if (json_count(list) > SCENE_THING_LIMIT) {
        return field_fail(r, list, LIM_ERROR_TOO_LARGE, "\"%s\" has %d entries; at most %d", key,
                          json_count(list), SCENE_THING_LIMIT);
    }
    *out_count = json_count(list);
    return LIM_OK;
}

static lim_result read_lists(const field_reader* r, const json_value* root) {
    scene_desc* d = &r->s->desc;
    const json_value* bodies = json_member(root, "bodies");
    const json_value* colliders = json_member(root, "colliders");
    const json_value* pins = json_member(root, "pins");
    const json_value* links = json_member(root, "links");
    const json_value* actions = json_member(root, "actions");
    int32_t body_count, collider_count, pin_count, link_count, action_count;
    LIM_TRY(list_size(r, bodies, "bodies", &body_count));
    LIM_TRY(list_size(r, colliders, "colliders", &collider_count));
    LIM_TRY(list_size(r, pins, "pins", &pin_count));
    LIM_TRY(list_size(r, links, "links", &link_count));
    LIM_TRY(list_size(r, actions, "actions", &action_count));
    scene_body* body = NULL;
    LIM_TRY(bodies_read(r, bodies != NULL ? bodies : root, &body));
    d->bodies = body;
    d->body_count = body_count;

    arena* mem = &r->s->mem;
    scene_collider* collider = ARENA_ARRAY(mem, scene_collider, collider_count);
    scene_pin* pin = ARENA_ARRAY(mem, scene_pin, pin_count);
    scene_link* link = ARENA_ARRAY(mem, scene_link, link_count);
    scene_action* action = ARENA_ARRAY(mem, scene_action, action_count);
    if (collider == NULL || pin == NULL || link == NULL || action == NULL) {
        return field_fail(r, root, LIM_ERROR_MEMORY, "out of memory");
    }
    d->colliders = collider;
    d->pins = pin;
    d->links = link;
    d->actions = action;
    for (int32_t i = 0; i < collider_count; ++i) {
        LIM_TRY(collider_read(r, colliders, i, &collider[i]));
        d->collider_count = i + 1;
    }
    for (int32_t i = 0; i < pin_count; ++i) {
        LIM_TRY(pin_read(r, pins, i, &pin[i]));
        d->pin_count = i + 1;
    }
    for (int32_t i = 0; i < link_count; ++i) {
        LIM_TRY(link_read(r, links, i, &link[i]));
        d->link_count = i + 1;
    }
    for (int32_t i = 0; i < action_count; ++i) {
        LIM_TRY(action_read(r, actions, i, &action[i]));
        d->action_count = i + 1;
    }
    const json_value* training = json_member(root, "training");
    d->has_training = training != NULL;
    return d->has_training ? training_read(r, training, &d->training) : LIM_OK;
}

static lim_result read_surroundings(const field_reader* r, const json_value* root) {
    scene_desc* d = &r->s->desc;
    const json_value* ground = json_member(root, "ground");
    if (json_is(ground, JSON_BOOL)) {
        d->ground = ground->boolean;
    } else if (ground != NULL) {
        LIM_TRY(fields_read(r, ground, "\"ground\"", GROUND_FIELDS, COUNT(GROUND_FIELDS), 0, d));
    }
    const json_value* wind = json_member(root, "wind");
    if (wind != NULL) {
        d->wind.density = 1.2f;
        LIM_TRY(fields_read(r, wind, "\"wind\"", WIND_FIELDS, COUNT(WIND_FIELDS), 0, &d->wind));
        LIM_TRY(field_require(r, wind, "\"wind\"", "velocity"));
    }
    const json_value* detail = json_member(root, "detail");
    if (detail != NULL) {
        LIM_TRY(fields_read(r, detail, "\"detail\"", WORLD_DETAIL_FIELDS,
                            COUNT(WORLD_DETAIL_FIELDS), 0, &d->detail));
        d->has_eye = json_member(detail, "eye") != NULL;
    }
    const json_value* camera = json_member(root, "camera");
    if (camera != NULL) {
        d->camera.fov = 36.0f;
        LIM_TRY(fields_read(r, camera, "\"camera\"", CAMERA_FIELDS, COUNT(CAMERA_FIELDS), 0,
                            &d->camera));
        LIM_TRY(field_require(r, camera, "\"camera\"", "eye"));
        LIM_TRY(field_require(r, camera, "\"camera\"", "target"));
        d->camera.fov = (float)((double)d->camera.fov * (TRIG_PI / 180.0));
        d->has_camera = true;
        lim_vec3 t = d->camera.target;
        LIM_TRY(motion_read(r, camera, "\"camera\"", p3((double)t.x, (double)t.y, (double)t.z),
                            &d->camera_motion));
    }
    return LIM_OK;
}

static lim_result read_scene(const field_reader* r, const json_value* root) {
    if (!json_is(root, JSON_OBJECT)) {
        return field_fail(r, root, LIM_ERROR_FORMAT, "a scene is an object, not %s",
                          json_kind_name(root->kind));
    }
    const json_value* version = json_member(root, "limber");
    int64_t number;
    if (!json_whole(version, 1, 1, &number)) {
        return field_fail(r, version != NULL ? version : root,
                          json_is(version, JSON_NUMBER) ? LIM_ERROR_VERSION : LIM_ERROR_FORMAT,
                          "a scene says \"limber\": 1, the version of the format");
    }
    LIM_TRY(fields_read(r, root, "the scene", SCENE_FIELDS, COUNT(SCENE_FIELDS), 0, &r->s->desc));
    LIM_TRY(read_surroundings(r, root));
    return read_lists(r, root);
}

/* A folder that can be put before a file name: "" or with a slash at its end. */
static bool set_places(scene* s, const char* name, const char* folder) {
    bool ok = true;
    s->source = scene_text(s, name, &ok);
    size_t length = folder != NULL ? strlen(folder) : 0;
    char* text = arena_alloc(&s->mem, length + 2, 1);
    if (text == NULL) {
        return false;
    }
    if (length > 0) {
        snprintf(text, length + 2, "%s%s", folder, folder[length - 1] == '/' ? "" : "/");
    }
    s->folder = text;
    return ok;
}

lim_result scene_parse(const char* text, size_t size, const char* name, const char* folder,
                       const lim_host* host, scene** out_scene, lim_io_message* out_message) {
    if (text == NULL || out_scene == NULL) {
        return scene_fail(out_message, LIM_ERROR_ARGUMENT, "scene_parse: a pointer is null");
    }
    *out_scene = NULL;
    scene* s = scene_empty(host);
    field_reader r = {.s = s,
                      .file = name != NULL ? name : "scene",
                      .text = text,
                      .size = size,
                      .message = out_message};
    if (s == NULL || !set_places(s, r.file, folder)) {
        scene_destroy(s);
        return scene_fail(out_message, LIM_ERROR_MEMORY, "out of memory");
    }
    arena tree; /* the JSON values are needed only while reading */
    arena_init(&tree, host);
    json_value root;
    json_error error;
    lim_result result = json_parse(&tree, text, size, &root, &error);
    if (result == LIM_OK) {
        result = read_scene(&r, &root);
    } else if (result == LIM_ERROR_MEMORY) {
        scene_fail(out_message, result, "out of memory");
    } else {
        json_value at = {.line = error.line, .column = error.column};
        field_fail(&r, &at, result, "%s", error.text);
    }
    arena_release(&tree);
    if (result != LIM_OK) {
        scene_destroy(s);
        return result;
    }
    *out_scene = s;
    return LIM_OK;
}

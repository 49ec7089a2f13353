/* SPDX-License-Identifier: MIT
 * Job: the actions of a scene file. In: entries of the list "actions", and what they name. Out:
 * what is done when; or a message with the place and the cure. The tables are the format
 * (docs/scenes.md).
 */
#include "field_table.h"
#include "parse_sections.h"
#include "scene_parts.h"

#include <stdio.h>

#define GRAB          (1u << SCENE_GRAB)
#define IMPULSE       (1u << SCENE_IMPULSE)
#define VELOCITY      (1u << SCENE_VELOCITY)
#define GRAVITY       (1u << SCENE_GRAVITY)
#define WIND          (1u << SCENE_WIND)
#define MOVE_COLLIDER (1u << SCENE_MOVE_COLLIDER)
#define MOVE_PIN      (1u << SCENE_MOVE_PIN)
#define RELEASE_PIN   (1u << SCENE_RELEASE_PIN)
#define RESET         (1u << SCENE_RESET)
#define CUT           (1u << SCENE_CUT)
#define SPLIT         (1u << SCENE_SPLIT)
#define REFINE        (1u << SCENE_REFINE)
#define COARSEN       (1u << SCENE_COARSEN)
#define MOVES         (MOVE_COLLIDER | MOVE_PIN)
#define LEVELS        (REFINE | COARSEN)
#define EDITS         (CUT | SPLIT | LEVELS)

static const field_word ACTIONS[] = {
    {"grab", SCENE_GRAB},         {"impulse", SCENE_IMPULSE},
    {"velocity", SCENE_VELOCITY}, {"gravity", SCENE_GRAVITY},
    {"wind", SCENE_WIND},         {"move_collider", SCENE_MOVE_COLLIDER},
    {"move_pin", SCENE_MOVE_PIN}, {"release_pin", SCENE_RELEASE_PIN},
    {"reset", SCENE_RESET},       {"cut", SCENE_CUT},
    {"split", SCENE_SPLIT},       {"refine", SCENE_REFINE},
    {"coarsen", SCENE_COARSEN},   {NULL, 0}};

static const field_word SHAPES_REFINED[] = {
    {"sphere", LIM_SHAPE_SPHERE}, {"box", LIM_SHAPE_BOX}, {NULL, 0}};

static const field ACTION_FIELDS[] = {
    {"type", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"at", FIELD_DOUBLE, AT(scene_action, at), 0, 86400, PLAIN},
    {"until", FIELD_DOUBLE, AT(scene_action, until), 0, 86400, NULL, GRAB | GRAVITY | WIND | MOVES},
    {"body", FIELD_OTHER, 0, 0, 0, NULL, GRAB | IMPULSE | VELOCITY | RESET | EDITS},
    {"collider", FIELD_OTHER, 0, 0, 0, NULL, MOVE_COLLIDER},
    {"pin", FIELD_OTHER, 0, 0, 0, NULL, MOVE_PIN | RELEASE_PIN},
    {"point", FIELD_POINT, AT(scene_action, point), -FAR, FAR, NULL, GRAB | IMPULSE},
    {"to", FIELD_POINT, AT(scene_action, to), -FAR, FAR, NULL, GRAB | MOVES},
    {"move_time", FIELD_DOUBLE, AT(scene_action, move_time), 0, 86400, NULL, GRAB | CUT},
    {"blade", FIELD_OTHER, 0, 0, 0, NULL, CUT},
    {"refine", FIELD_WHOLE, AT(scene_action, refine), 0, 20, NULL, CUT},
    {"rotation", FIELD_ROTATION, AT(scene_action, rotation), 0, 0, NULL, MOVES},
    {"radius", FIELD_FLOAT, AT(scene_action, radius), 0, FAR, NULL, GRAB | LEVELS},
    {"shape", FIELD_WORD, AT(scene_action, shape), 0, 0, SHAPES_REFINED, LEVELS},
    {"position", FIELD_POINT, AT(scene_action, point), -FAR, FAR, NULL, LEVELS},
    {"size", FIELD_VECTOR, AT(scene_action, size), 1e-4, FAR, NULL, LEVELS},
    {"cell", FIELD_FLOAT, AT(scene_action, cell), 1e-5, 1e4, NULL, LEVELS},
    {"stiffness", FIELD_FLOAT, AT(scene_action, stiffness), 0, 1e12, NULL, GRAB},
    {"force_limit", FIELD_FLOAT, AT(scene_action, force_limit), 0, 1e12, NULL, GRAB},
    {"hard", FIELD_BOOL, AT(scene_action, hard), 0, 0, NULL, GRAB},
    {"impulse", FIELD_VECTOR, AT(scene_action, vector), -1e9, 1e9, NULL, IMPULSE},
    {"velocity", FIELD_VECTOR, AT(scene_action, vector), -FAST, FAST, NULL, VELOCITY},
    {"angular_velocity", FIELD_VECTOR, AT(scene_action, angular_velocity), -FAST, FAST, NULL,
     VELOCITY},
    {"gravity", FIELD_VECTOR, AT(scene_action, vector), -1000, 1000, NULL, GRAVITY},
    {"velocity", FIELD_VECTOR, AT(scene_action, wind.velocity), -1000, 1000, NULL, WIND},
    {"gust", FIELD_FLOAT, AT(scene_action, wind.gust), 0, 4, NULL, WIND},
    {"gust_size", FIELD_FLOAT, AT(scene_action, wind.gust_size), 1e-3, FAR, NULL, WIND},
    {"density", FIELD_FLOAT, AT(scene_action, wind.density), 0, 1e4, NULL, WIND}};

/* What each type cannot do without, beside what it acts on. */
static const char* const NEEDED[][3] = {[SCENE_GRAB] = {"point"},
                                        [SCENE_IMPULSE] = {"impulse", "point"},
                                        [SCENE_VELOCITY] = {"velocity"},
                                        [SCENE_GRAVITY] = {"gravity"},
                                        [SCENE_WIND] = {"velocity"},
                                        [SCENE_MOVE_COLLIDER] = {"until"},
                                        [SCENE_MOVE_PIN] = {"until"},
                                        [SCENE_RELEASE_PIN] = {NULL},
                                        [SCENE_RESET] = {NULL},
                                        [SCENE_CUT] = {"blade"},
                                        [SCENE_SPLIT] = {NULL},
                                        [SCENE_REFINE] = {"shape", "position"},
                                        [SCENE_COARSEN] = {"shape", "position"}};

static lim_result action_target(const field_reader* r, const json_value* entry, const char* what,
                                scene_action* a) {
    switch (a->type) {
    case SCENE_GRAVITY:
    case SCENE_WIND:
        return LIM_OK;
    case SCENE_MOVE_COLLIDER:
        return named_find(r, entry, what, "collider", NAMED_COLLIDER, &a->target, NULL);
    case SCENE_MOVE_PIN:
    case SCENE_RELEASE_PIN:
        return named_find(r, entry, what, "pin", NAMED_PIN, &a->target, NULL);
    default:
        return named_find(r, entry, what, "body", NAMED_BODY, &a->target, &a->copy);
    }
}

lim_result action_read(const field_reader* r, const json_value* list, int32_t index,
                       scene_action* out) {
    const json_value* entry = json_item(list, index);
    char what[160];
    snprintf(what, sizeof(what), "action %d", index + 1);
    LIM_TRY(field_require(r, entry, what, "type"));
    int type = 0;
    LIM_TRY(field_word_read(r, json_member(entry, "type"), what, "type", ACTIONS, &type));
    snprintf(what, sizeof(what), "action %d (%s)", index + 1,
             json_string(json_member(entry, "type"), ""));
    scene_action a = {.type = (scene_action_type)type,
                      .until = -1.0,
                      .move_time = -1.0,
                      .target = -1,
                      .copy = -1,
                      .rotation = {0, 0, 0, 1},
                      .wind = {.gust_size = 1.0f, .density = 1.2f},
                      .line = entry->line,
                      .column = entry->column};
    LIM_TRY(fields_read(r, entry, what, ACTION_FIELDS, COUNT(ACTION_FIELDS), 1u << type, &a));
    for (int i = 0; i < 3 && NEEDED[type][i] != NULL; ++i) {
        LIM_TRY(field_require(r, entry, what, NEEDED[type][i]));
    }
    LIM_TRY(action_target(r, entry, what, &a));
    const scene_pin* pin = a.type == SCENE_MOVE_PIN ? &r->s->desc.pins[a.target] : NULL;
    if (pin != NULL && scene_pin_is_driven(pin)) {
        return field_fail(r, json_member(entry, "pin"), LIM_ERROR_FORMAT,
                          "%s moves pin \"%.*s\", which has a motion or a parent of its own; give "
                          "it keys instead",
                          what, NAME_SHOWN, pin->name);
    }
    a.has_to = json_member(entry, "to") != NULL;
    a.has_rotation = json_member(entry, "rotation") != NULL;
    if (a.until >= 0.0 && a.until < a.at) {
        return field_fail(r, json_member(entry, "until"), LIM_ERROR_FORMAT,
                          "%s ends at %g s, before it begins at %g s", what, a.until, a.at);
    }
    if ((MOVES & 1u << type) != 0 && !a.has_to && !a.has_rotation) {
        return field_fail(r, entry, LIM_ERROR_FORMAT, "%s needs \"to\" or \"rotation\"", what);
    }
    bool edits = (EDITS & 1u << type) != 0;
    lim_kind_info kind = lim_kind_get_info(edits ? r->s->desc.bodies[a.target].kind : 0);
    if (edits && !kind.edits) {
        return field_fail(r, json_member(entry, "body"), LIM_ERROR_FORMAT,
                          "%s changes body \"%.*s\", which is made of points; these cannot be "
                          "edited",
                          what, NAME_SHOWN, r->s->desc.bodies[a.target].name);
    }
    if ((LEVELS & 1u << type) != 0 && !kind.levels) {
        return field_fail(r, json_member(entry, "body"), LIM_ERROR_FORMAT,
                          "%s changes the cells of body \"%.*s\", which is a lattice; only octrees "
                          "have cells of several sizes",
                          what, NAME_SHOWN, r->s->desc.bodies[a.target].name);
    }
    if ((LEVELS & 1u << type) != 0) {
        shape_text shape = {.size = a.size, .radius = a.radius};
        shape_place place = {.position = a.point};
        LIM_TRY(entry_only_one(r, entry, what, "radius", "size"));
        LIM_TRY(shape_read(r, entry, what, (int)a.shape, &shape, &place));
        a.size = place.size;
    }
    if (a.type == SCENE_CUT) {
        LIM_TRY(blade_read(r, entry, what, &a.blade, &a.blade_count));
    }
    if (a.move_time < 0.0) {
        a.move_time = a.until >= 0.0 ? a.until - a.at : a.type == SCENE_CUT ? 0.0 : 1.0;
    }
    *out = a;
    return LIM_OK;
}

/* SPDX-License-Identifier: MIT
 *
 * Shapes, motions, paint and zones of a scene file. In: JSON entries. Out: sizes and places as the
 * world wants them, keys in the scene's arena; or a message with the place and the cure.
 */
#include "scene_parts.h"

#include "math/trig.h"
#include "scene_motion.h"

#include <stdio.h>

#define FAR              1e6 /* metres */
#define AT(type, member) offsetof(type, member)
#define PLAIN            NULL, 0

enum { KEYS_MOST = 10000, PAINT_MOST = 1000 };

/* ---- shapes ----------------------------------------------------------------------------------
 */

/* The turn that takes y to a direction, the shortest way. */
static lim_quat turn_from_y(lim_point direction) {
    lim_point d = p3_scale(direction, 1.0 / p3_length(direction));
    /* cross((0, 1, 0), d) and 1 + dot; straight down: half a turn about x */
    dquat q = d.y > -1.0 + 1e-12 ? (dquat){d.z, 0.0, -d.x, 1.0 + d.y} : (dquat){1, 0, 0, 0};
    return quat_of(dquat_unit(q));
}

static lim_result capsule_of_ends(const field_reader* r, const json_value* entry, const char* what,
                                  const shape_text* text, shape_place* out) {
    static const char* const other[] = {"position", "rotation", "length"};
    LIM_TRY(field_require(r, entry, what, "from"));
    LIM_TRY(field_require(r, entry, what, "to"));
    for (int i = 0; i < 3; ++i) {
        const json_value* twice = json_member(entry, other[i]);
        if (twice != NULL) {
            return field_fail(r, twice, LIM_ERROR_FORMAT,
                              "%s has both \"from\" and \"%s\"; keep one", what, other[i]);
        }
    }
    lim_point way = p3_sub(text->to, text->from);
    double length = p3_length(way);
    if (!(length > 1e-6)) {
        return field_fail(r, json_member(entry, "to"), LIM_ERROR_FORMAT,
                          "%s ends where it begins; make \"to\" another point, or use a sphere",
                          what);
    }
    out->size = v3(text->radius, (float)(0.5 * length), 0);
    out->position = p3_mad(text->from, way, 0.5);
    out->rotation = turn_from_y(way);
    return LIM_OK;
}

lim_result shape_read(const field_reader* r, const json_value* entry, const char* what, int shape,
                      const shape_text* text, shape_place* out) {
    if (shape == LIM_SHAPE_BOX) {
        LIM_TRY(field_require(r, entry, what, "size"));
        out->size = v3(0.5f * text->size.x, 0.5f * text->size.y, 0.5f * text->size.z);
        return LIM_OK;
    }
    if (shape == LIM_SHAPE_PLANE) {
        out->size = v3(1, 1, 1);
        return LIM_OK;
    }
    LIM_TRY(field_require(r, entry, what, "radius"));
    if (json_member(entry, "from") != NULL || json_member(entry, "to") != NULL) {
        return capsule_of_ends(r, entry, what, text, out);
    }
    if (shape == LIM_SHAPE_CAPSULE) {
        LIM_TRY(field_require(r, entry, what, "length"));
    }
    out->size = v3(text->radius, 0.5f * text->length, 0);
    return LIM_OK;
}

/* ---- paint -----------------------------------------------------------------------------------
 */

typedef struct paint_text {
    scene_paint p;
    shape_text shape;
} paint_text;

#define SPHERE  (1u << LIM_SHAPE_SPHERE)
#define CAPSULE (1u << LIM_SHAPE_CAPSULE)
#define BOX     (1u << LIM_SHAPE_BOX)

static const field_word PAINTS[] = {{"density", SCENE_PAINT_DENSITY},
                                    {"stiffness", SCENE_PAINT_STIFFNESS},
                                    {"size", SCENE_PAINT_SIZE},
                                    {NULL, 0}};
static const field_word SHAPES[] = {{"sphere", LIM_SHAPE_SPHERE},
                                    {"capsule", LIM_SHAPE_CAPSULE},
                                    {"box", LIM_SHAPE_BOX},
                                    {NULL, 0}};

static const field PAINT_FIELDS[] = {
    {"what", FIELD_WORD, AT(paint_text, p.what), 0, 0, PAINTS, 0},
    {"shape", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"size", FIELD_VECTOR, AT(paint_text, shape.size), 1e-4, FAR, NULL, BOX},
    {"radius", FIELD_FLOAT, AT(paint_text, shape.radius), 1e-4, FAR, NULL, SPHERE | CAPSULE},
    {"length", FIELD_FLOAT, AT(paint_text, shape.length), 0, FAR, NULL, CAPSULE},
    {"from", FIELD_POINT, AT(paint_text, shape.from), -FAR, FAR, NULL, CAPSULE},
    {"to", FIELD_POINT, AT(paint_text, shape.to), -FAR, FAR, NULL, CAPSULE},
    {"position", FIELD_POINT, AT(paint_text, p.position), -FAR, FAR, PLAIN},
    {"rotation", FIELD_ROTATION, AT(paint_text, p.rotation), 0, 0, PLAIN},
    {"value", FIELD_FLOAT, AT(paint_text, p.value), 1e-6, 1e6, PLAIN},
    {"fade", FIELD_FLOAT, AT(paint_text, p.fade), 0, FAR, PLAIN}};

_Static_assert(sizeof(scene_paint_what) == sizeof(int), "a word is read as an int");

static lim_result read_paint(const field_reader* r, const json_value* entry, const char* what,
                             scene_paint* out) {
    paint_text text = {.p = {.rotation = {0, 0, 0, 1}}};
    int shape = 0;
    int32_t count = (int32_t)(sizeof PAINT_FIELDS / sizeof PAINT_FIELDS[0]);
    LIM_TRY(field_require(r, entry, what, "shape"));
    LIM_TRY(field_word_read(r, json_member(entry, "shape"), what, "shape", SHAPES, &shape));
    LIM_TRY(fields_read(r, entry, what, PAINT_FIELDS, count, 1u << shape, &text));
    LIM_TRY(field_require(r, entry, what, "what"));
    LIM_TRY(field_require(r, entry, what, "value"));
    if (json_member(entry, "from") == NULL) {
        LIM_TRY(field_require(r, entry, what, "position"));
    }
    shape_place place = {.position = text.p.position, .rotation = text.p.rotation};
    LIM_TRY(shape_read(r, entry, what, shape, &text.shape, &place));
    text.p.shape = (lim_shape)shape;
    text.p.size = place.size;
    text.p.position = place.position;
    text.p.rotation = place.rotation;
    *out = text.p;
    return LIM_OK;
}

lim_result paint_read(const field_reader* r, const json_value* entry, const char* what,
                      const scene_paint** out, int32_t* out_count) {
    const json_value* list = json_member(entry, "paint");
    if (list == NULL) {
        return LIM_OK;
    }
    int32_t count = json_is(list, JSON_ARRAY) ? json_count(list) : -1;
    if (count < 0 || count > PAINT_MOST) {
        return field_fail(r, list, LIM_ERROR_FORMAT,
                          "\"paint\" in %s must be a list of at most %d places", what, PAINT_MOST);
    }
    scene_paint* paint = ARENA_ARRAY(&r->s->mem, scene_paint, count);
    if (paint == NULL) {
        return field_fail(r, list, LIM_ERROR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < count; ++i) {
        char inner[200];
        snprintf(inner, sizeof(inner), "paint %d of %s", i + 1, what);
        LIM_TRY(read_paint(r, json_item(list, i), inner, &paint[i]));
    }
    *out = paint;
    *out_count = count;
    return LIM_OK;
}

/* ---- zones -----------------------------------------------------------------------------------
 */

typedef struct zone_text {
    lim_zone z;
    shape_text shape;
} zone_text;

static const field ZONE_FIELDS[] = {
    {"shape", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"size", FIELD_VECTOR, AT(zone_text, shape.size), 1e-4, FAR, NULL, BOX},
    {"radius", FIELD_FLOAT, AT(zone_text, shape.radius), 1e-4, FAR, NULL, SPHERE | CAPSULE},
    {"length", FIELD_FLOAT, AT(zone_text, shape.length), 0, FAR, NULL, CAPSULE},
    {"from", FIELD_POINT, AT(zone_text, shape.from), -FAR, FAR, NULL, CAPSULE},
    {"to", FIELD_POINT, AT(zone_text, shape.to), -FAR, FAR, NULL, CAPSULE},
    {"position", FIELD_POINT, AT(zone_text, z.position), -FAR, FAR, PLAIN},
    {"rotation", FIELD_ROTATION, AT(zone_text, z.orientation), 0, 0, PLAIN},
    {"stiffness", FIELD_FLOAT, AT(zone_text, z.stiffness), 1e-6, 1e6, PLAIN},
    {"density", FIELD_FLOAT, AT(zone_text, z.density), 1e-6, 1e6, PLAIN},
    {"fade", FIELD_FLOAT, AT(zone_text, z.fade), 0, FAR, PLAIN}};

static lim_result read_zone(const field_reader* r, const json_value* entry, const char* what,
                            lim_zone* out) {
    zone_text text = {.z = lim_zone_default()};
    int shape = 0;
    int32_t count = (int32_t)(sizeof ZONE_FIELDS / sizeof ZONE_FIELDS[0]);
    LIM_TRY(field_require(r, entry, what, "shape"));
    LIM_TRY(field_word_read(r, json_member(entry, "shape"), what, "shape", SHAPES, &shape));
    LIM_TRY(fields_read(r, entry, what, ZONE_FIELDS, count, 1u << shape, &text));
    if (json_member(entry, "density") == NULL) {
        LIM_TRY(field_require(r, entry, what, "stiffness"));
    }
    if (json_member(entry, "from") == NULL) {
        LIM_TRY(field_require(r, entry, what, "position"));
    }
    shape_place place = {.position = text.z.position, .rotation = text.z.orientation};
    LIM_TRY(shape_read(r, entry, what, shape, &text.shape, &place));
    text.z.shape = (lim_shape)shape;
    text.z.size = place.size;
    text.z.position = place.position;
    text.z.orientation = place.rotation;
    *out = text.z;
    return LIM_OK;
}

lim_result zones_read(const field_reader* r, const json_value* entry, const char* what,
                      const lim_zone** out, int32_t* out_count) {
    const json_value* list = json_member(entry, "zones");
    if (list == NULL) {
        return LIM_OK;
    }
    int32_t count = json_is(list, JSON_ARRAY) ? json_count(list) : -1;
    if (count < 0 || count > PAINT_MOST) {
        return field_fail(r, list, LIM_ERROR_FORMAT,
                          "\"zones\" in %s must be a list of at most %d zones", what, PAINT_MOST);
    }
    lim_zone* zones = ARENA_ARRAY(&r->s->mem, lim_zone, count);
    if (zones == NULL) {
        return field_fail(r, list, LIM_ERROR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < count; ++i) {
        char inner[200];
        snprintf(inner, sizeof(inner), "zone %d of %s", i + 1, what);
        LIM_TRY(read_zone(r, json_item(list, i), inner, &zones[i]));
    }
    *out = zones;
    *out_count = count;
    return LIM_OK;
}

/* ---- motions ---------------------------------------------------------------------------------
 */

static const field MOTION_FIELDS[] = {
    {"at", FIELD_DOUBLE, AT(scene_motion, begin), 0, 86400, PLAIN},
    {"loop", FIELD_DOUBLE, AT(scene_motion, loop), 1e-3, 86400, PLAIN},
    {"fade", FIELD_DOUBLE, AT(scene_motion, fade), 0, 86400, PLAIN},
    {"pivot", FIELD_POINT, AT(scene_motion, pivot), -FAR, FAR, PLAIN},
    {"keys", FIELD_OTHER, 0, 0, 0, PLAIN}};

typedef struct key_text {
    scene_key key;
    lim_point axis;
    double degrees;
} key_text;

static const field KEY_FIELDS[] = {
    {"at", FIELD_DOUBLE, AT(key_text, key.at), 0, 86400, PLAIN},
    {"move", FIELD_POINT, AT(key_text, key.move), -FAR, FAR, PLAIN},
    {"axis", FIELD_POINT, AT(key_text, axis), -FAR, FAR, PLAIN},
    {"degrees", FIELD_DOUBLE, AT(key_text, degrees), -36000, 36000, PLAIN}};

static lim_result read_key(const field_reader* r, const json_value* entry, const char* what,
                           scene_key* out) {
    key_text text = {.axis = {0, 0, 0}};
    LIM_TRY(fields_read(r, entry, what, KEY_FIELDS, 4, 0, &text));
    LIM_TRY(field_require(r, entry, what, "at"));
    if (json_member(entry, "degrees") != NULL) {
        LIM_TRY(field_require(r, entry, what, "axis"));
        double length = p3_length(text.axis);
        if (!(length > 1e-6)) {
            return field_fail(r, json_member(entry, "axis"), LIM_ERROR_FORMAT,
                              "\"axis\" in %s has no direction; give one that is not zero", what);
        }
        text.key.turn = p3_scale(text.axis, text.degrees * (TRIG_PI / 180.0) / length);
    } else if (json_member(entry, "axis") != NULL) {
        LIM_TRY(field_require(r, entry, what, "degrees"));
    }
    *out = text.key;
    return LIM_OK;
}

lim_result motion_read(const field_reader* r, const json_value* entry, const char* what,
                       lim_point pivot, scene_motion* out) {
    const json_value* motion = json_member(entry, "motion");
    *out = (scene_motion){.pivot = pivot};
    if (motion == NULL) {
        return LIM_OK;
    }
    char inner[200];
    snprintf(inner, sizeof(inner), "the motion of %s", what);
    LIM_TRY(fields_read(r, motion, inner, MOTION_FIELDS, 5, 0, out));
    LIM_TRY(field_require(r, motion, inner, "keys"));
    const json_value* list = json_member(motion, "keys");
    int32_t count = json_is(list, JSON_ARRAY) ? json_count(list) : 0;
    if (count < 1 || count > KEYS_MOST) {
        return field_fail(r, list, LIM_ERROR_FORMAT,
                          "\"keys\" in %s must be a list of 1 to %d moments, such as {\"at\": 1, "
                          "\"move\": [0, 0.1, 0]}",
                          inner, KEYS_MOST);
    }
    scene_key* keys = ARENA_ARRAY(&r->s->mem, scene_key, count);
    if (keys == NULL) {
        return field_fail(r, list, LIM_ERROR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < count; ++i) {
        char which[230];
        snprintf(which, sizeof(which), "key %d of %s", i + 1, inner);
        LIM_TRY(read_key(r, json_item(list, i), which, &keys[i]));
        out->keys = keys;
        out->key_count = i + 1;
        const char* fault = motion_fault(out);
        if (fault != NULL) {
            return field_fail(r, json_item(list, i), LIM_ERROR_FORMAT, "%s %s", inner, fault);
        }
    }
    return LIM_OK;
}

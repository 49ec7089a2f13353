/* SPDX-License-Identifier: MIT
 *
 * Shapes, motions, paint and zones of a scene file. In: JSON entries. Out: sizes and places as the
 * world wants them, keys in the scene's arena; or a message with the place and the cure.
 */
#include "scene_parts.h"

#include "field_table.h"
#include "math/trig.h"
#include "scene_motion.h"

#include <stdio.h>

enum { KEYS_MOST = 10000, PAINT_MOST = 1000 };

lim_result entries_read(const field_reader* r, const json_value* list, const char* what,
                        const entries_rule* rule, void** out, int32_t* out_count) {
    int32_t count = json_is(list, JSON_ARRAY) ? json_count(list) : -1;
    if (count < rule->least || count > rule->most) {
        return field_fail(r, list, LIM_ERROR_FORMAT, "\"%s\" in %s must be a list of %d to %d %s",
                          rule->key, what, rule->least, rule->most, rule->wish);
    }
    char* entries = arena_alloc(&r->s->mem, (size_t)count, rule->size);
    if (entries == NULL) {
        return field_fail(r, list, LIM_ERROR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < count; ++i) {
        char inner[230];
        snprintf(inner, sizeof(inner), "%s %d of %s", rule->each, i + 1, what);
        LIM_TRY(rule->read(r, json_item(list, i), inner, entries + (size_t)i * rule->size));
    }
    *out = entries;
    *out_count = count;
    return LIM_OK;
}

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
    SHAPE_FIELDS(paint_text),
    {"position", FIELD_POINT, AT(paint_text, p.position), -FAR, FAR, PLAIN},
    {"rotation", FIELD_ROTATION, AT(paint_text, p.rotation), 0, 0, PLAIN},
    {"value", FIELD_FLOAT, AT(paint_text, p.value), 1e-6, 1e6, PLAIN},
    {"fade", FIELD_FLOAT, AT(paint_text, p.fade), 0, FAR, PLAIN}};

_Static_assert(sizeof(scene_paint_what) == sizeof(int), "a word is read as an int");

static lim_result read_paint(const field_reader* r, const json_value* entry, const char* what,
                             void* out) {
    paint_text text = {.p = {.rotation = {0, 0, 0, 1}}};
    int shape = 0;
    LIM_TRY(field_require(r, entry, what, "shape"));
    LIM_TRY(field_word_read(r, json_member(entry, "shape"), what, "shape", SHAPES, &shape));
    LIM_TRY(fields_read(r, entry, what, PAINT_FIELDS, COUNT(PAINT_FIELDS), 1u << shape, &text));
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
    *(scene_paint*)out = text.p;
    return LIM_OK;
}

lim_result paint_read(const field_reader* r, const json_value* entry, const char* what,
                      const scene_paint** out, int32_t* out_count) {
    static const entries_rule rule = {
        "paint", "paint", "places", 0, PAINT_MOST, sizeof(scene_paint), read_paint};
    const json_value* list = json_member(entry, rule.key);
    void* paint = NULL;
    LIM_TRY(list != NULL ? entries_read(r, list, what, &rule, &paint, out_count) : LIM_OK);
    *out = paint;
    return LIM_OK;
}

/* ---- zones -----------------------------------------------------------------------------------
 */

typedef struct zone_text {
    lim_zone z;
    shape_text shape;
} zone_text;

static const field ZONE_FIELDS[] = {
    SHAPE_FIELDS(zone_text),
    {"position", FIELD_POINT, AT(zone_text, z.position), -FAR, FAR, PLAIN},
    {"rotation", FIELD_ROTATION, AT(zone_text, z.orientation), 0, 0, PLAIN},
    {"stiffness", FIELD_FLOAT, AT(zone_text, z.stiffness), 1e-6, 1e6, PLAIN},
    {"density", FIELD_FLOAT, AT(zone_text, z.density), 1e-6, 1e6, PLAIN},
    {"fade", FIELD_FLOAT, AT(zone_text, z.fade), 0, FAR, PLAIN}};

static lim_result read_zone(const field_reader* r, const json_value* entry, const char* what,
                            void* out) {
    zone_text text = {.z = lim_zone_default()};
    int shape = 0;
    LIM_TRY(field_require(r, entry, what, "shape"));
    LIM_TRY(field_word_read(r, json_member(entry, "shape"), what, "shape", SHAPES, &shape));
    LIM_TRY(fields_read(r, entry, what, ZONE_FIELDS, COUNT(ZONE_FIELDS), 1u << shape, &text));
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
    *(lim_zone*)out = text.z;
    return LIM_OK;
}

lim_result zones_read(const field_reader* r, const json_value* entry, const char* what,
                      const lim_zone** out, int32_t* out_count) {
    static const entries_rule rule = {"zones",    "zone",           "zones",  0,
                                      PAINT_MOST, sizeof(lim_zone), read_zone};
    const json_value* list = json_member(entry, rule.key);
    void* zones = NULL;
    LIM_TRY(list != NULL ? entries_read(r, list, what, &rule, &zones, out_count) : LIM_OK);
    *out = zones;
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
                           void* out) {
    key_text text = {.axis = {0, 0, 0}};
    LIM_TRY(fields_read(r, entry, what, KEY_FIELDS, COUNT(KEY_FIELDS), 0, &text));
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
    *(scene_key*)out = text.key;
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
    LIM_TRY(fields_read(r, motion, inner, MOTION_FIELDS, COUNT(MOTION_FIELDS), 0, out));
    LIM_TRY(field_require(r, motion, inner, "keys"));
    static const entries_rule rule = {
        "keys",  "key",     "moments, such as {\"at\": 1, \"move\": [0, 0.1, 0]}",
        1,       KEYS_MOST, sizeof(scene_key),
        read_key};
    const json_value* list = json_member(motion, rule.key);
    void* keys = NULL;
    int32_t count = 0;
    LIM_TRY(entries_read(r, list, inner, &rule, &keys, &count));
    out->keys = keys;
    for (int32_t i = 0; i < count; ++i) {
        out->key_count = i + 1;
        const char* fault = motion_fault(out);
        if (fault != NULL) {
            return field_fail(r, json_item(list, i), LIM_ERROR_FORMAT, "%s %s", inner, fault);
        }
    }
    return LIM_OK;
}

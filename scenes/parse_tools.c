/* SPDX-License-Identifier: MIT
 * Job: the colliders, pins and links of a scene file. In: entries of their lists. Out: what they
 * describe; or a message with the place and the cure. The tables are the format (docs/scenes.md).
 */
#include "field_table.h"
#include "math/vec3.h"
#include "parse_sections.h"
#include "scene_parts.h"

/* Colliders and pins say their shape with the same keys. */
typedef struct collider_text {
    scene_collider c;
    shape_text shape;
    float spacing; /* of heights */
} collider_text;

typedef struct pin_text {
    scene_pin p;
    shape_text shape;
} pin_text;

typedef struct link_text {
    scene_link l;
    shape_text shape;
} link_text;

static const field_word SHAPES_ALL[] = {
    {"plane", LIM_SHAPE_PLANE},     {"sphere", LIM_SHAPE_SPHERE},
    {"capsule", LIM_SHAPE_CAPSULE}, {"box", LIM_SHAPE_BOX},
    {"hull", LIM_SHAPE_HULL},       {"mesh", LIM_SHAPE_MESH},
    {"heights", LIM_SHAPE_HEIGHTS}, {NULL, 0}};
static const field_word SHAPES_PINNED[] = {{"sphere", LIM_SHAPE_SPHERE},
                                           {"capsule", LIM_SHAPE_CAPSULE},
                                           {"box", LIM_SHAPE_BOX},
                                           {NULL, 0}};

static const field COLLIDER_FIELDS[] = {
    {"name", FIELD_TEXT, AT(collider_text, c.name), 0, 0, PLAIN},
    SHAPE_FIELDS(collider_text),
    {"points", FIELD_OTHER, 0, 0, 0, NULL, HULL | MESH},
    {"triangles", FIELD_OTHER, 0, 0, 0, NULL, MESH},
    {"heights", FIELD_OTHER, 0, 0, 0, NULL, HEIGHTS},
    {"spacing", FIELD_FLOAT, AT(collider_text, spacing), 1e-4, 1e5, NULL, HEIGHTS},
    {"position", FIELD_POINT, AT(collider_text, c.position), -FAR, FAR, PLAIN},
    {"rotation", FIELD_ROTATION, AT(collider_text, c.rotation), 0, 0, PLAIN},
    {"velocity", FIELD_VECTOR, AT(collider_text, c.velocity), -FAST, FAST, PLAIN},
    {"angular_velocity", FIELD_VECTOR, AT(collider_text, c.angular_velocity), -FAST, FAST, PLAIN},
    {"friction", FIELD_FLOAT, AT(collider_text, c.friction), 0, 100, PLAIN},
    {"colour", FIELD_VECTOR, AT(collider_text, c.colour), 0, 1, PLAIN},
    {"restitution", FIELD_FLOAT, AT(collider_text, c.restitution), 0, 1, PLAIN},
    {"layer", FIELD_BITS, AT(collider_text, c.layer), 0, UINT32_MAX, PLAIN},
    {"mask", FIELD_BITS, AT(collider_text, c.mask), 0, UINT32_MAX, PLAIN}};

static const field PIN_FIELDS[] = {
    {"name", FIELD_TEXT, AT(pin_text, p.name), 0, 0, PLAIN},
    {"body", FIELD_OTHER, 0, 0, 0, PLAIN},
    SHAPE_FIELDS(pin_text),
    {"position", FIELD_POINT, AT(pin_text, p.position), -FAR, FAR, PLAIN},
    {"rotation", FIELD_ROTATION, AT(pin_text, p.rotation), 0, 0, PLAIN},
    {"stiffness", FIELD_FLOAT, AT(pin_text, p.stiffness), 0, 1e12, PLAIN},
    {"parent", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"motion", FIELD_OTHER, 0, 0, 0, PLAIN}};

static const field LINK_FIELDS[] = {
    {"name", FIELD_TEXT, AT(link_text, l.name), 0, 0, PLAIN},
    {"body", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"other", FIELD_OTHER, 0, 0, 0, PLAIN},
    SHAPE_FIELDS(link_text),
    {"position", FIELD_POINT, AT(link_text, l.position), -FAR, FAR, PLAIN},
    {"rotation", FIELD_ROTATION, AT(link_text, l.rotation), 0, 0, PLAIN},
    {"stiffness", FIELD_FLOAT, AT(link_text, l.stiffness), 0, 1e12, PLAIN},
    {"force_limit", FIELD_FLOAT, AT(link_text, l.force_limit), 0, 1e12, PLAIN}};

lim_result collider_read(const field_reader* r, const json_value* list, int32_t index,
                         scene_collider* out) {
    const json_value* entry = json_item(list, index);
    char what[160];
    entry_title(what, "collider", entry, index);
    collider_text text = {.c = {.rotation = {0, 0, 0, 1},
                                .friction = 0.5f,
                                .layer = 1 | LIM_LAYER_COLLIDER,
                                .mask = UINT32_MAX}};
    int shape = 0;
    LIM_TRY(field_require(r, entry, what, "shape"));
    LIM_TRY(field_word_read(r, json_member(entry, "shape"), what, "shape", SHAPES_ALL, &shape));
    LIM_TRY(
        fields_read(r, entry, what, COLLIDER_FIELDS, COUNT(COLLIDER_FIELDS), 1u << shape, &text));
    LIM_TRY(entry_name_is_new(r, list, index, what));
    LIM_TRY(entry_name(r, entry, "collider", index, &text.c.name));
    shape_place place = {.position = text.c.position, .rotation = text.c.rotation};
    if (shape >= LIM_SHAPE_HULL) {
        place.size = v3(text.spacing, 0.0f, text.spacing);
        LIM_TRY(arrays_read(r, entry, what, shape, &text.c));
    } else {
        LIM_TRY(shape_read(r, entry, what, shape, &text.shape, &place));
    }
    text.c.has_colour = json_member(entry, "colour") != NULL;
    text.c.shape = (lim_shape)shape;
    text.c.size = place.size;
    text.c.position = place.position;
    text.c.rotation = place.rotation;
    text.c.line = entry->line;
    text.c.column = entry->column;
    *out = text.c;
    return LIM_OK;
}

lim_result pin_read(const field_reader* r, const json_value* list, int32_t index, scene_pin* out) {
    const json_value* entry = json_item(list, index);
    char what[160];
    entry_title(what, "pin", entry, index);
    pin_text text = {.p = {.rotation = {0, 0, 0, 1}, .copy = -1}};
    int shape = 0;
    LIM_TRY(field_require(r, entry, what, "shape"));
    LIM_TRY(field_word_read(r, json_member(entry, "shape"), what, "shape", SHAPES_PINNED, &shape));
    LIM_TRY(fields_read(r, entry, what, PIN_FIELDS, COUNT(PIN_FIELDS), 1u << shape, &text));
    bool ends = shape == LIM_SHAPE_CAPSULE && json_member(entry, "from") != NULL;
    if (!ends) {
        LIM_TRY(field_require(r, entry, what, "position"));
    }
    LIM_TRY(entry_name_is_new(r, list, index, what));
    LIM_TRY(entry_name(r, entry, "pin", index, &text.p.name));
    LIM_TRY(named_find(r, entry, what, "body", NAMED_BODY, &text.p.body, &text.p.copy));
    if (json_member(entry, "parent") != NULL) {
        LIM_TRY(named_find(r, entry, what, "parent", NAMED_PIN, &text.p.parent, NULL));
        text.p.parent += 1;
    }
    shape_place place = {.position = text.p.position, .rotation = text.p.rotation};
    LIM_TRY(shape_read(r, entry, what, shape, &text.shape, &place));
    LIM_TRY(motion_read(r, entry, what, ends ? text.shape.from : place.position, &text.p.motion));
    text.p.shape = (lim_shape)shape;
    text.p.size = place.size;
    text.p.position = place.position;
    text.p.rotation = place.rotation;
    text.p.line = entry->line;
    text.p.column = entry->column;
    *out = text.p;
    return LIM_OK;
}

lim_result link_read(const field_reader* r, const json_value* list, int32_t index,
                     scene_link* out) {
    const json_value* entry = json_item(list, index);
    char what[160];
    entry_title(what, "link", entry, index);
    link_text text = {.l = {.rotation = {0, 0, 0, 1}, .copy = -1, .other_copy = -1}};
    int shape = 0;
    LIM_TRY(field_require(r, entry, what, "shape"));
    LIM_TRY(field_word_read(r, json_member(entry, "shape"), what, "shape", SHAPES_PINNED, &shape));
    LIM_TRY(fields_read(r, entry, what, LINK_FIELDS, COUNT(LINK_FIELDS), 1u << shape, &text));
    if (shape != LIM_SHAPE_CAPSULE || json_member(entry, "from") == NULL) {
        LIM_TRY(field_require(r, entry, what, "position"));
    }
    LIM_TRY(entry_name_is_new(r, list, index, what));
    LIM_TRY(entry_name(r, entry, "link", index, &text.l.name));
    LIM_TRY(named_find(r, entry, what, "body", NAMED_BODY, &text.l.body, &text.l.copy));
    LIM_TRY(named_find(r, entry, what, "other", NAMED_BODY, &text.l.other, &text.l.other_copy));
    shape_place place = {.position = text.l.position, .rotation = text.l.rotation};
    LIM_TRY(shape_read(r, entry, what, shape, &text.shape, &place));
    text.l.shape = (lim_shape)shape;
    text.l.size = place.size;
    text.l.position = place.position;
    text.l.rotation = place.rotation;
    text.l.line = entry->line;
    text.l.column = entry->column;
    *out = text.l;
    return LIM_OK;
}

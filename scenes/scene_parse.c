/* SPDX-License-Identifier: MIT
 *
 * Scenes from JSON. In: text. Out: a scene, every value of which is in range and every name of
 * which is known, or a message with the place and the cure. The tables below are the format; they
 * are explained in docs/scenes.md.
 */
#include "fields.h"
#include "math/trig.h"
#include "math/vec3.h"
#include "polygonise.h"
#include "scene.h"
#include "scene_inside.h"
#include "scene_parts.h"
#include "shapes.h"

#include <stdio.h>
#include <string.h>

#define FAR              1e6 /* metres */
#define FAST             1e4 /* metres or radians per second */
#define COUNT(table)     ((int32_t)(sizeof(table) / sizeof((table)[0])))
#define AT(type, member) offsetof(type, member)
#define PLAIN            NULL, 0

enum { NAME_SHOWN = 100 };

/* ---- the tables ------------------------------------------------------------------------------
 */

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

static const field DETAIL_FIELDS[] = {
    {"angle", FIELD_FLOAT, AT(lim_detail, angle), 0, 1, PLAIN},
    {"strain_fine", FIELD_FLOAT, AT(lim_detail, strain_fine), 0, 100, PLAIN},
    {"strain_coarse", FIELD_FLOAT, AT(lim_detail, strain_coarse), 0, 100, PLAIN},
    {"finest", FIELD_FLOAT, AT(lim_detail, finest), 0, 1e4, PLAIN},
    {"coarsest", FIELD_FLOAT, AT(lim_detail, coarsest), 0, 1e4, PLAIN},
    {"hysteresis", FIELD_FLOAT, AT(lim_detail, hysteresis), 1, 4, PLAIN},
    {"nodes", FIELD_WHOLE, AT(lim_detail, nodes), 0, SCENE_NODE_LIMIT, PLAIN},
    {"rest_coarse", FIELD_BOOL, AT(lim_detail, rest_coarse), 0, 0, PLAIN}};

static const field FRACTURE_FIELDS[] = {
    {"strain", FIELD_FLOAT, AT(lim_fracture, strain), 1e-3, 100, PLAIN},
    {"most", FIELD_WHOLE, AT(lim_fracture, most), 0, 1e6, PLAIN},
    {"zones", FIELD_OTHER, 0, 0, 0, PLAIN}};

static const field_word ANCHORS[] = {{"base", SCENE_ANCHOR_BASE},
                                     {"centre", SCENE_ANCHOR_CENTRE},
                                     {"origin", SCENE_ANCHOR_ORIGIN},
                                     {NULL, 0}};
static const field_word KINDS[] = {{"octree", LIM_KIND_OCTREE},
                                   {"lattice", LIM_KIND_LATTICE},
                                   {"points", LIM_KIND_POINTS},
                                   {NULL, 0}};
static const field_word GOALS[] = {{"rigid", LIM_GOAL_RIGID},
                                   {"linear", LIM_GOAL_LINEAR},
                                   {"quadratic", LIM_GOAL_QUADRATIC},
                                   {NULL, 0}};
static const field_word STARTS[] = {{"rest", SCENE_AT_REST},
                                    {"flattened", SCENE_FLATTENED},
                                    {"mirrored", SCENE_MIRRORED},
                                    {"line", SCENE_LINE},
                                    {"point", SCENE_POINT},
                                    {"scrambled", SCENE_SCRAMBLED},
                                    {NULL, 0}};
static const field_word REGIONS[] = {
    {"blended", LIM_REGIONS_BLENDED}, {"interval", LIM_REGIONS_INTERVAL}, {NULL, 0}};
static const field_word UPS[] = {
    {"y", SCENE_UP_Y}, {"z", SCENE_UP_Z}, {"auto", SCENE_UP_AUTO}, {NULL, 0}};

static const field BODY_FIELDS[] = {
    {"name", FIELD_TEXT, AT(scene_body, name), 0, 0, PLAIN},
    {"model", FIELD_TEXT, AT(scene_body, model), 0, 0, PLAIN},
    {"mesh", FIELD_TEXT, AT(scene_body, mesh_file), 0, 0, PLAIN},
    {"triangles", FIELD_WHOLE, AT(scene_body, triangles), POLYGONISE_TRIANGLES_LEAST,
     POLYGONISE_TRIANGLES_MOST, PLAIN},
    {"kind", FIELD_WORD, AT(scene_body, kind), 0, 0, KINDS, 0},
    {"nodes", FIELD_WHOLE, AT(scene_body, nodes), 1, SCENE_NODE_LIMIT, PLAIN},
    {"cell", FIELD_FLOAT, AT(scene_body, cell), 1e-5, 1e4, PLAIN},
    {"coarsen", FIELD_WHOLE, AT(scene_body, coarsen), 0, 10, PLAIN},
    {"cells_across", FIELD_FLOAT, AT(scene_body, cells_across), 0, 64, PLAIN},
    {"region_width", FIELD_FLOAT, AT(scene_body, region_width), 1, 16, PLAIN},
    {"widen", FIELD_BOOL, AT(scene_body, widen), 0, 0, PLAIN},
    {"regions", FIELD_WORD, AT(scene_body, regions), 0, 0, REGIONS, 0},
    {"clusters", FIELD_WHOLE, AT(scene_body, clusters), 1, 4096, PLAIN},
    {"glue", FIELD_BOOL, AT(scene_body, glue), 0, 0, PLAIN},
    {"solid", FIELD_BOOL, AT(scene_body, solid), 0, 0, PLAIN},
    {"size", FIELD_DOUBLE, AT(scene_body, size), 1e-4, 1e4, PLAIN},
    {"scale", FIELD_DOUBLE, AT(scene_body, scale), 1e-9, 1e9, PLAIN},
    {"up", FIELD_WORD, AT(scene_body, up), 0, 0, UPS, 0},
    {"anchor", FIELD_WORD, AT(scene_body, anchor), 0, 0, ANCHORS, 0},
    {"position", FIELD_POINT, AT(scene_body, position), -FAR, FAR, PLAIN},
    {"rotation", FIELD_ROTATION, AT(scene_body, rotation), 0, 0, PLAIN},
    {"start", FIELD_WORD, AT(scene_body, start), 0, 0, STARTS, 0},
    {"velocity", FIELD_VECTOR, AT(scene_body, velocity), -FAST, FAST, PLAIN},
    {"angular_velocity", FIELD_VECTOR, AT(scene_body, angular_velocity), -FAST, FAST, PLAIN},
    {"gravity_scale", FIELD_FLOAT, AT(scene_body, gravity_scale), -100, 100, PLAIN},
    {"material", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"colour", FIELD_VECTOR, AT(scene_body, colour), 0, 1, PLAIN},
    {"inner_colour", FIELD_VECTOR, AT(scene_body, inner_colour), 0, 1, PLAIN},
    {"copies", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"detail", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"fracture", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"paint", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"zones", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"contact", FIELD_BOOL, AT(scene_body, contact), 0, 0, PLAIN},
    {"self_contact", FIELD_BOOL, AT(scene_body, self_contact), 0, 0, PLAIN}};

static const field_word PRESETS[] = {{"jelly", LIM_PRESET_JELLY}, {"rubber", LIM_PRESET_RUBBER},
                                     {"foam", LIM_PRESET_FOAM},   {"clay", LIM_PRESET_CLAY},
                                     {"liver", LIM_PRESET_LIVER}, {"dough", LIM_PRESET_DOUGH},
                                     {"stiff", LIM_PRESET_STIFF}, {NULL, 0}};

static const field MATERIAL_FIELDS[] = {
    {"preset", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"density", FIELD_FLOAT, AT(lim_material, density), 1e-3, 1e6, PLAIN},
    {"young", FIELD_FLOAT, AT(lim_material, young), 1e-3, 1e12, PLAIN},
    {"viscosity", FIELD_FLOAT, AT(lim_material, viscosity), 0, 1e12, PLAIN},
    {"damping_every", FIELD_WHOLE, AT(lim_material, damping_every), 1, 16, PLAIN},
    {"damping_time", FIELD_FLOAT, AT(lim_material, damping_time), 0, 1e6, PLAIN},
    {"rolling_time", FIELD_FLOAT, AT(lim_material, rolling_time), 0, 1e9, PLAIN},
    {"friction", FIELD_FLOAT, AT(lim_material, friction), 0, 100, PLAIN},
    {"restitution", FIELD_FLOAT, AT(lim_material, restitution), 0, 1, PLAIN},
    {"air_drag", FIELD_FLOAT, AT(lim_material, air_drag), 0, 1, PLAIN},
    {"goal", FIELD_WORD, AT(lim_material, goal), 0, 0, GOALS, 0},
    {"beta", FIELD_FLOAT, AT(lim_material, beta), 0, 1, PLAIN},
    {"alpha", FIELD_FLOAT, AT(lim_material, alpha), 0, 1, PLAIN},
    {"volume", FIELD_FLOAT, AT(lim_material, volume), 0, 1, PLAIN},
    {"pressure", FIELD_FLOAT, AT(lim_material, pressure), -1e9, 1e9, PLAIN},
    {"yield", FIELD_FLOAT, AT(lim_material, yield), 0, 10, PLAIN},
    {"creep", FIELD_FLOAT, AT(lim_material, creep), 0, 1e6, PLAIN},
    {"max_strain", FIELD_FLOAT, AT(lim_material, max_strain), 0, 10, PLAIN},
    {"hardening", FIELD_FLOAT, AT(lim_material, hardening), 0, 100, PLAIN}};

static const field COPIES_FIELDS[] = {
    {"count", FIELD_COUNTS, AT(scene_body, copies), 1, SCENE_BODY_LIMIT, PLAIN},
    {"spacing", FIELD_POINT, AT(scene_body, spacing), -FAR, FAR, PLAIN},
    {"turn", FIELD_DOUBLE, AT(scene_body, turn), -36000, 36000, PLAIN}};

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

#define SPHERE  (1u << LIM_SHAPE_SPHERE)
#define CAPSULE (1u << LIM_SHAPE_CAPSULE)
#define BOX     (1u << LIM_SHAPE_BOX)
#define HULL    (1u << LIM_SHAPE_HULL)
#define MESH    (1u << LIM_SHAPE_MESH)
#define HEIGHTS (1u << LIM_SHAPE_HEIGHTS)

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
    {"shape", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"size", FIELD_VECTOR, AT(collider_text, shape.size), 1e-4, FAR, NULL, BOX},
    {"radius", FIELD_FLOAT, AT(collider_text, shape.radius), 1e-4, FAR, NULL, SPHERE | CAPSULE},
    {"length", FIELD_FLOAT, AT(collider_text, shape.length), 0, FAR, NULL, CAPSULE},
    {"from", FIELD_POINT, AT(collider_text, shape.from), -FAR, FAR, NULL, CAPSULE},
    {"to", FIELD_POINT, AT(collider_text, shape.to), -FAR, FAR, NULL, CAPSULE},
    {"points", FIELD_OTHER, 0, 0, 0, NULL, HULL | MESH},
    {"triangles", FIELD_OTHER, 0, 0, 0, NULL, MESH},
    {"heights", FIELD_OTHER, 0, 0, 0, NULL, HEIGHTS},
    {"spacing", FIELD_FLOAT, AT(collider_text, spacing), 1e-4, 1e5, NULL, HEIGHTS},
    {"position", FIELD_POINT, AT(collider_text, c.position), -FAR, FAR, PLAIN},
    {"rotation", FIELD_ROTATION, AT(collider_text, c.rotation), 0, 0, PLAIN},
    {"velocity", FIELD_VECTOR, AT(collider_text, c.velocity), -FAST, FAST, PLAIN},
    {"angular_velocity", FIELD_VECTOR, AT(collider_text, c.angular_velocity), -FAST, FAST, PLAIN},
    {"friction", FIELD_FLOAT, AT(collider_text, c.friction), 0, 100, PLAIN},
    {"restitution", FIELD_FLOAT, AT(collider_text, c.restitution), 0, 1, PLAIN}};

static const field PIN_FIELDS[] = {
    {"name", FIELD_TEXT, AT(pin_text, p.name), 0, 0, PLAIN},
    {"body", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"shape", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"size", FIELD_VECTOR, AT(pin_text, shape.size), 1e-4, FAR, NULL, BOX},
    {"radius", FIELD_FLOAT, AT(pin_text, shape.radius), 1e-4, FAR, NULL, SPHERE | CAPSULE},
    {"length", FIELD_FLOAT, AT(pin_text, shape.length), 0, FAR, NULL, CAPSULE},
    {"from", FIELD_POINT, AT(pin_text, shape.from), -FAR, FAR, NULL, CAPSULE},
    {"to", FIELD_POINT, AT(pin_text, shape.to), -FAR, FAR, NULL, CAPSULE},
    {"position", FIELD_POINT, AT(pin_text, p.position), -FAR, FAR, PLAIN},
    {"rotation", FIELD_ROTATION, AT(pin_text, p.rotation), 0, 0, PLAIN},
    {"stiffness", FIELD_FLOAT, AT(pin_text, p.stiffness), 0, 1e12, PLAIN},
    {"parent", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"motion", FIELD_OTHER, 0, 0, 0, PLAIN}};

static const field LINK_FIELDS[] = {
    {"name", FIELD_TEXT, AT(link_text, l.name), 0, 0, PLAIN},
    {"body", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"other", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"shape", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"size", FIELD_VECTOR, AT(link_text, shape.size), 1e-4, FAR, NULL, BOX},
    {"radius", FIELD_FLOAT, AT(link_text, shape.radius), 1e-4, FAR, NULL, SPHERE | CAPSULE},
    {"length", FIELD_FLOAT, AT(link_text, shape.length), 0, FAR, NULL, CAPSULE},
    {"from", FIELD_POINT, AT(link_text, shape.from), -FAR, FAR, NULL, CAPSULE},
    {"to", FIELD_POINT, AT(link_text, shape.to), -FAR, FAR, NULL, CAPSULE},
    {"position", FIELD_POINT, AT(link_text, l.position), -FAR, FAR, PLAIN},
    {"rotation", FIELD_ROTATION, AT(link_text, l.rotation), 0, 0, PLAIN},
    {"stiffness", FIELD_FLOAT, AT(link_text, l.stiffness), 0, 1e12, PLAIN},
    {"force_limit", FIELD_FLOAT, AT(link_text, l.force_limit), 0, 1e12, PLAIN}};

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

/* ---- bodies ----------------------------------------------------------------------------------
 */

/* How an entry is called in messages: by its name if it has one, else by its number. */
static void title(char out[160], const char* kind, const json_value* entry, int32_t index) {
    const char* name = json_string(json_member(entry, "name"), NULL);
    if (name != NULL) {
        snprintf(out, 160, "%s \"%.*s\"", kind, NAME_SHOWN, name);
    } else {
        snprintf(out, 160, "%s %d", kind, index + 1);
    }
}

static lim_result auto_name(const field_reader* r, const json_value* entry, const char* kind,
                            int32_t index, const char** name) {
    if (*name == NULL) {
        char text[40];
        snprintf(text, sizeof(text), "%s %d", kind, index + 1);
        bool ok = true;
        *name = scene_text(r->s, text, &ok);
        if (!ok) {
            return field_fail(r, entry, LIM_ERROR_MEMORY, "out of memory");
        }
    }
    return LIM_OK;
}

static lim_result name_is_new(const field_reader* r, const json_value* list, int32_t index,
                              const char* what) {
    const json_value* name = json_member(json_item(list, index), "name");
    for (int32_t i = 0; json_is(name, JSON_STRING) && i < index; ++i) {
        const json_value* other = json_member(json_item(list, i), "name");
        if (json_is(other, JSON_STRING) && json_string_is(other, name->string)) {
            return field_fail(r, name, LIM_ERROR_FORMAT,
                              "the name of %s is taken by line %d; give each its own", what,
                              other->line);
        }
    }
    return LIM_OK;
}

static const char* next_model(const void* user, int32_t i) {
    (void)user;
    const shape_entry* entry = shape_at(i);
    return entry != NULL ? entry->name : NULL;
}

/* Two keys that say the same thing in different ways. */
static lim_result only_one(const field_reader* r, const json_value* entry, const char* what,
                           const char* a, const char* b) {
    const json_value* second = json_member(entry, b);
    return json_member(entry, a) != NULL && second != NULL
               ? field_fail(r, second, LIM_ERROR_FORMAT, "%s has both \"%s\" and \"%s\"; keep one",
                            what, a, b)
               : LIM_OK;
}

static lim_result check_source(const field_reader* r, const json_value* entry, const char* what,
                               const scene_body* b) {
    if (b->model == NULL && b->mesh_file == NULL) {
        return field_fail(r, entry, LIM_ERROR_FORMAT, "%s needs \"model\" or \"mesh\"", what);
    }
    LIM_TRY(only_one(r, entry, what, "model", "mesh"));
    LIM_TRY(only_one(r, entry, what, "mesh", "triangles"));
    LIM_TRY(only_one(r, entry, what, "nodes", "cell"));
    LIM_TRY(only_one(r, entry, what, "size", "scale"));
    if (b->model != NULL && shape_find(b->model) == NULL) {
        const char* meant = nearest_word(b->model, next_model, NULL);
        const json_value* at = json_member(entry, "model");
        return meant != NULL ? field_fail(r, at, LIM_ERROR_FORMAT,
                                          "there is no model \"%.*s\"; did you mean \"%s\"?",
                                          NAME_SHOWN, b->model, meant)
                             : field_fail(r, at, LIM_ERROR_FORMAT,
                                          "there is no model \"%.*s\"; see `limber list`",
                                          NAME_SHOWN, b->model);
    }
    return LIM_OK;
}

/* A preset first, wherever it stands: the other keys change it. */
static lim_result read_material(const field_reader* r, const json_value* material, const char* what,
                                lim_material* out) {
    const json_value* preset =
        json_is(material, JSON_OBJECT) ? json_member(material, "preset") : NULL;
    if (preset != NULL) {
        int which = 0;
        LIM_TRY(field_word_read(r, preset, what, "preset", PRESETS, &which));
        *out = lim_material_preset((lim_preset)which);
    }
    return fields_read(r, material, what, MATERIAL_FIELDS, COUNT(MATERIAL_FIELDS), 0, out);
}

static lim_result read_body(const field_reader* r, const json_value* list, int32_t index,
                            scene_body* b) {
    const json_value* entry = json_item(list, index);
    char what[160], inner[200];
    title(what, "body", entry, index);
    *b = scene_body_default();
    b->widen = true;
    LIM_TRY(fields_read(r, entry, what, BODY_FIELDS, COUNT(BODY_FIELDS), 0, b));
    b->line = entry->line;
    b->column = entry->column;
    LIM_TRY(name_is_new(r, list, index, what));
    LIM_TRY(auto_name(r, entry, "body", index, &b->name));
    LIM_TRY(check_source(r, entry, what, b));
    LIM_TRY(paint_read(r, entry, what, &b->paint, &b->paint_count));
    LIM_TRY(zones_read(r, entry, what, &b->zones, &b->zone_count));
    b->has_colour = json_member(entry, "colour") != NULL;
    b->size = json_member(entry, "scale") != NULL ? 0.0 : b->size;
    const json_value* material = json_member(entry, "material");
    if (material != NULL) {
        snprintf(inner, sizeof(inner), "the material of %s", what);
        LIM_TRY(read_material(r, material, inner, &b->material));
    }
    const json_value* detail = json_member(entry, "detail");
    if (detail != NULL) {
        snprintf(inner, sizeof(inner), "the detail of %s", what);
        LIM_TRY(fields_read(r, detail, inner, DETAIL_FIELDS, COUNT(DETAIL_FIELDS), 0, &b->detail));
        b->has_detail = true;
        if (b->kind != LIM_KIND_OCTREE) {
            return field_fail(r, detail, LIM_ERROR_FORMAT,
                              "%s has \"detail\", which only octrees can have", what);
        }
    }
    const json_value* fracture = json_member(entry, "fracture");
    if (fracture != NULL) {
        snprintf(inner, sizeof(inner), "the fracture of %s", what);
        LIM_TRY(fields_read(r, fracture, inner, FRACTURE_FIELDS, COUNT(FRACTURE_FIELDS), 0,
                            &b->fracture));
        LIM_TRY(field_require(r, fracture, inner, "strain"));
        LIM_TRY(zones_read(r, fracture, inner, &b->fracture.zones, &b->fracture.zone_count));
        b->has_fracture = true;
        if (b->kind == LIM_KIND_POINTS) {
            return field_fail(r, fracture, LIM_ERROR_FORMAT,
                              "%s has \"fracture\", which points cannot have", what);
        }
    }
    const json_value* copies = json_member(entry, "copies");
    if (copies != NULL) {
        snprintf(inner, sizeof(inner), "the copies of %s", what);
        LIM_TRY(fields_read(r, copies, inner, COPIES_FIELDS, COUNT(COPIES_FIELDS), 0, b));
        LIM_TRY(field_require(r, copies, inner, "count"));
    }
    return LIM_OK;
}

static lim_result read_bodies(const field_reader* r, const json_value* list, scene_body** out) {
    if (!json_is(list, JSON_ARRAY) || json_count(list) == 0) {
        return field_fail(r, list, LIM_ERROR_FORMAT,
                          "the scene has no bodies; give \"bodies\" at least one, such as "
                          "{\"model\": \"creature\"}");
    }
    scene_body* body = ARENA_ARRAY(&r->s->mem, scene_body, json_count(list));
    if (body == NULL) {
        return field_fail(r, list, LIM_ERROR_MEMORY, "out of memory");
    }
    int64_t total = 0;
    for (int32_t i = 0; i < json_count(list); ++i) {
        LIM_TRY(read_body(r, list, i, &body[i]));
        int64_t copies = (int64_t)body[i].copies[0] * body[i].copies[1];
        copies = copies > SCENE_BODY_LIMIT ? copies : copies * body[i].copies[2];
        total += copies;
        if (total > SCENE_BODY_LIMIT) {
            return field_fail(r, json_item(list, i), LIM_ERROR_TOO_LARGE,
                              "more than %d bodies with all their copies", SCENE_BODY_LIMIT);
        }
    }
    *out = body;
    return LIM_OK;
}

/* ---- names -----------------------------------------------------------------------------------
 */

typedef struct name_list {
    const scene_desc* d;
    int kind; /* 0 bodies, 1 colliders, 2 pins */
} name_list;

static const char* next_name(const void* user, int32_t i) {
    const name_list* n = user;
    if (n->kind == 0) {
        return i < n->d->body_count ? n->d->bodies[i].name : NULL;
    }
    if (n->kind == 1) {
        return i < n->d->collider_count ? n->d->colliders[i].name : NULL;
    }
    return i < n->d->pin_count ? n->d->pins[i].name : NULL;
}

/* "name.3" as the third copy of body "name": its number from 0, or -1. */
static int32_t copy_number(const char* text, const scene_body* b) {
    size_t length = strlen(b->name);
    if (strncmp(text, b->name, length) != 0 || text[length] != '.') {
        return -1;
    }
    int64_t number = 0;
    const char* digit = text + length + 1;
    for (; *digit >= '0' && *digit <= '9' && number <= SCENE_BODY_LIMIT; ++digit) {
        number = number * 10 + (*digit - '0');
    }
    int64_t copies = (int64_t)b->copies[0] * b->copies[1] * b->copies[2];
    return *digit == '\0' && number >= 1 && number <= copies ? (int32_t)number - 1 : -1;
}

/* Finds what the member `key` names. out_copy may be null for colliders and pins. */
static lim_result find_name(const field_reader* r, const json_value* entry, const char* what,
                            const char* key, int kind, int32_t* out_index, int32_t* out_copy) {
    LIM_TRY(field_require(r, entry, what, key));
    const json_value* name = json_member(entry, key);
    if (!json_is(name, JSON_STRING)) {
        return field_fail(r, name, LIM_ERROR_FORMAT, "\"%s\" in %s must be a name, not %s", key,
                          what, json_kind_name(name->kind));
    }
    name_list names = {&r->s->desc, kind};
    for (int32_t i = 0; next_name(&names, i) != NULL; ++i) {
        if (strcmp(next_name(&names, i), name->string) == 0) {
            *out_index = i;
            return LIM_OK;
        }
    }
    for (int32_t i = 0; kind == 0 && i < r->s->desc.body_count; ++i) {
        int32_t copy = copy_number(name->string, &r->s->desc.bodies[i]);
        if (copy >= 0) {
            *out_index = i;
            *out_copy = copy;
            return LIM_OK;
        }
    }
    const char* meant = nearest_word(name->string, next_name, &names);
    return meant != NULL
               ? field_fail(r, name, LIM_ERROR_FORMAT,
                            "%s names the %s \"%.*s\", which is not there; did you mean \"%.*s\"?",
                            what, key, 60, name->string, 60, meant)
               : field_fail(r, name, LIM_ERROR_FORMAT,
                            "%s names the %s \"%.*s\", which is not there", what, key, 60,
                            name->string);
}

/* ---- colliders, pins and links
 * ----------------------------------------------------------------------
 */

static lim_result read_collider(const field_reader* r, const json_value* list, int32_t index,
                                scene_collider* out) {
    const json_value* entry = json_item(list, index);
    char what[160];
    title(what, "collider", entry, index);
    collider_text text = {.c = {.rotation = {0, 0, 0, 1}, .friction = 0.5f}};
    int shape = 0;
    LIM_TRY(field_require(r, entry, what, "shape"));
    LIM_TRY(field_word_read(r, json_member(entry, "shape"), what, "shape", SHAPES_ALL, &shape));
    LIM_TRY(
        fields_read(r, entry, what, COLLIDER_FIELDS, COUNT(COLLIDER_FIELDS), 1u << shape, &text));
    LIM_TRY(name_is_new(r, list, index, what));
    LIM_TRY(auto_name(r, entry, "collider", index, &text.c.name));
    shape_place place = {.position = text.c.position, .rotation = text.c.rotation};
    if (shape >= LIM_SHAPE_HULL) {
        place.size = v3(text.spacing, 0.0f, text.spacing);
        LIM_TRY(arrays_read(r, entry, what, shape, &text.c));
    } else {
        LIM_TRY(shape_read(r, entry, what, shape, &text.shape, &place));
    }
    text.c.shape = (lim_shape)shape;
    text.c.size = place.size;
    text.c.position = place.position;
    text.c.rotation = place.rotation;
    text.c.line = entry->line;
    text.c.column = entry->column;
    *out = text.c;
    return LIM_OK;
}

static lim_result read_pin(const field_reader* r, const json_value* list, int32_t index,
                           scene_pin* out) {
    const json_value* entry = json_item(list, index);
    char what[160];
    title(what, "pin", entry, index);
    pin_text text = {.p = {.rotation = {0, 0, 0, 1}, .copy = -1}};
    int shape = 0;
    LIM_TRY(field_require(r, entry, what, "shape"));
    LIM_TRY(field_word_read(r, json_member(entry, "shape"), what, "shape", SHAPES_PINNED, &shape));
    LIM_TRY(fields_read(r, entry, what, PIN_FIELDS, COUNT(PIN_FIELDS), 1u << shape, &text));
    bool ends = shape == LIM_SHAPE_CAPSULE && json_member(entry, "from") != NULL;
    if (!ends) {
        LIM_TRY(field_require(r, entry, what, "position"));
    }
    LIM_TRY(name_is_new(r, list, index, what));
    LIM_TRY(auto_name(r, entry, "pin", index, &text.p.name));
    LIM_TRY(find_name(r, entry, what, "body", 0, &text.p.body, &text.p.copy));
    if (json_member(entry, "parent") != NULL) {
        LIM_TRY(find_name(r, entry, what, "parent", 2, &text.p.parent, NULL));
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

static lim_result read_link(const field_reader* r, const json_value* list, int32_t index,
                            scene_link* out) {
    const json_value* entry = json_item(list, index);
    char what[160];
    title(what, "link", entry, index);
    link_text text = {.l = {.rotation = {0, 0, 0, 1}, .copy = -1, .other_copy = -1}};
    int shape = 0;
    LIM_TRY(field_require(r, entry, what, "shape"));
    LIM_TRY(field_word_read(r, json_member(entry, "shape"), what, "shape", SHAPES_PINNED, &shape));
    LIM_TRY(fields_read(r, entry, what, LINK_FIELDS, COUNT(LINK_FIELDS), 1u << shape, &text));
    if (shape != LIM_SHAPE_CAPSULE || json_member(entry, "from") == NULL) {
        LIM_TRY(field_require(r, entry, what, "position"));
    }
    LIM_TRY(name_is_new(r, list, index, what));
    LIM_TRY(auto_name(r, entry, "link", index, &text.l.name));
    LIM_TRY(find_name(r, entry, what, "body", 0, &text.l.body, &text.l.copy));
    LIM_TRY(find_name(r, entry, what, "other", 0, &text.l.other, &text.l.other_copy));
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

/* ---- actions ---------------------------------------------------------------------------------
 */

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
        return find_name(r, entry, what, "collider", 1, &a->target, NULL);
    case SCENE_MOVE_PIN:
    case SCENE_RELEASE_PIN:
        return find_name(r, entry, what, "pin", 2, &a->target, NULL);
    default:
        return find_name(r, entry, what, "body", 0, &a->target, &a->copy);
    }
}

static lim_result read_action(const field_reader* r, const json_value* list, int32_t index,
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
    lim_kind kind = (EDITS & 1u << type) != 0 ? r->s->desc.bodies[a.target].kind : LIM_KIND_OCTREE;
    if (kind == LIM_KIND_POINTS) {
        return field_fail(r, json_member(entry, "body"), LIM_ERROR_FORMAT,
                          "%s changes body \"%.*s\", which is made of points; these cannot be "
                          "edited",
                          what, NAME_SHOWN, r->s->desc.bodies[a.target].name);
    }
    if ((LEVELS & 1u << type) != 0 && kind == LIM_KIND_LATTICE) {
        return field_fail(r, json_member(entry, "body"), LIM_ERROR_FORMAT,
                          "%s changes the cells of body \"%.*s\", which is a lattice; only octrees "
                          "have cells of several sizes",
                          what, NAME_SHOWN, r->s->desc.bodies[a.target].name);
    }
    if ((LEVELS & 1u << type) != 0) {
        shape_text shape = {.size = a.size, .radius = a.radius};
        shape_place place = {.position = a.point};
        LIM_TRY(only_one(r, entry, what, "radius", "size"));
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

/* ---- the whole -------------------------------------------------------------------------------
 */

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
    LIM_TRY(read_bodies(r, bodies != NULL ? bodies : root, &body));
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
        LIM_TRY(read_collider(r, colliders, i, &collider[i]));
        d->collider_count = i + 1;
    }
    for (int32_t i = 0; i < pin_count; ++i) {
        LIM_TRY(read_pin(r, pins, i, &pin[i]));
        d->pin_count = i + 1;
    }
    for (int32_t i = 0; i < link_count; ++i) {
        LIM_TRY(read_link(r, links, i, &link[i]));
        d->link_count = i + 1;
    }
    for (int32_t i = 0; i < action_count; ++i) {
        LIM_TRY(read_action(r, actions, i, &action[i]));
        d->action_count = i + 1;
    }
    return LIM_OK;
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

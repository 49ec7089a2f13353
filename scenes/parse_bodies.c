/* SPDX-License-Identifier: MIT
 * Job: the bodies of a scene file. In: the list "bodies". Out: an array in the scene's arena; or a
 * message with the place and the cure. The tables are the format (docs/scenes.md).
 */
#include "field_table.h"
#include "parse_sections.h"
#include "polygonise.h"
#include "scene_parts.h"
#include "shapes.h"

#include <stdio.h>

enum { KINDS_MOST = 16 };

static const field DETAIL_FIELDS[] = {
    {"angle", FIELD_FLOAT, AT(lim_detail, angle), 0, 1, PLAIN},
    {"strain_fine", FIELD_FLOAT, AT(lim_detail, strain_fine), 0, 100, PLAIN},
    {"strain_coarse", FIELD_FLOAT, AT(lim_detail, strain_coarse), 0, 100, PLAIN},
    {"touch", FIELD_FLOAT, AT(lim_detail, touch), 0, 1e4, PLAIN},
    {"touch_time", FIELD_FLOAT, AT(lim_detail, touch_time), 0, 3600, PLAIN},
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
    {"kind", FIELD_OTHER, 0, 0, 0, PLAIN},
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
    {"layer", FIELD_BITS, AT(scene_body, layer), 0, UINT32_MAX, PLAIN},
    {"mask", FIELD_BITS, AT(scene_body, mask), 0, UINT32_MAX, PLAIN},
    {"self_contact", FIELD_BOOL, AT(scene_body, self_contact), 0, 0, PLAIN}};

static const field_word PRESETS[] = {{"jelly", LIM_PRESET_JELLY},
                                     {"rubber", LIM_PRESET_RUBBER},
                                     {"foam", LIM_PRESET_FOAM},
                                     {"clay", LIM_PRESET_CLAY},
                                     {"liver", LIM_PRESET_LIVER},
                                     {"dough", LIM_PRESET_DOUGH},
                                     {"stiff", LIM_PRESET_STIFF},
                                     {"silicone", LIM_PRESET_SILICONE},
                                     {"tyre", LIM_PRESET_TYRE},
                                     {"tendon", LIM_PRESET_TENDON},
                                     {NULL, 0}};

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
    {"hardening", FIELD_FLOAT, AT(lim_material, hardening), 0, 100, PLAIN},
    {"nu", FIELD_FLOAT, AT(lim_material, nu), 0, 0.495, PLAIN}};

static const field COPIES_FIELDS[] = {
    {"count", FIELD_COUNTS, AT(scene_body, copies), 1, SCENE_BODY_LIMIT, PLAIN},
    {"spacing", FIELD_POINT, AT(scene_body, spacing), -FAR, FAR, PLAIN},
    {"turn", FIELD_DOUBLE, AT(scene_body, turn), -36000, 36000, PLAIN}};

static const char* next_model(const void* user, int32_t i) {
    (void)user;
    const shape_entry* entry = shape_at(i);
    return entry != NULL ? entry->name : NULL;
}

static lim_result check_source(const field_reader* r, const json_value* entry, const char* what,
                               const scene_body* b) {
    if (b->model == NULL && b->mesh_file == NULL) {
        return field_fail(r, entry, LIM_ERROR_FORMAT, "%s needs \"model\" or \"mesh\"", what);
    }
    LIM_TRY(entry_only_one(r, entry, what, "model", "mesh"));
    LIM_TRY(entry_only_one(r, entry, what, "mesh", "triangles"));
    LIM_TRY(entry_only_one(r, entry, what, "nodes", "cell"));
    LIM_TRY(entry_only_one(r, entry, what, "size", "scale"));
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

static lim_result read_kind(const field_reader* r, const json_value* v, const char* what,
                            lim_kind* out) {
    field_word words[KINDS_MOST + 1] = {{NULL, 0}};
    for (int k = 0; k < KINDS_MOST && lim_kind_get_info((lim_kind)k).name != NULL; ++k) {
        words[k] = (field_word){lim_kind_get_info((lim_kind)k).name, k};
    }
    int kind = (int)*out;
    LIM_TRY(field_word_read(r, v, what, "kind", words, &kind));
    *out = (lim_kind)kind;
    return LIM_OK;
}

static lim_result read_body(const field_reader* r, const json_value* list, int32_t index,
                            scene_body* b) {
    const json_value* entry = json_item(list, index);
    char what[160], inner[200];
    entry_title(what, "body", entry, index);
    *b = scene_body_default();
    b->widen = true;
    LIM_TRY(fields_read(r, entry, what, BODY_FIELDS, COUNT(BODY_FIELDS), 0, b));
    const json_value* kind = json_member(entry, "kind");
    LIM_TRY(kind != NULL ? read_kind(r, kind, what, &b->kind) : LIM_OK);
    b->line = entry->line;
    b->column = entry->column;
    LIM_TRY(entry_name_is_new(r, list, index, what));
    LIM_TRY(entry_name(r, entry, "body", index, &b->name));
    LIM_TRY(check_source(r, entry, what, b));
    LIM_TRY(paint_read(r, entry, what, &b->paint, &b->paint_count));
    LIM_TRY(zones_read(r, entry, what, &b->zones, &b->zone_count));
    b->has_colour = json_member(entry, "colour") != NULL;
    b->has_inner_colour = json_member(entry, "inner_colour") != NULL;
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
        if (!lim_kind_get_info(b->kind).levels) {
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
        if (!lim_kind_get_info(b->kind).edits) {
            return field_fail(r, fracture, LIM_ERROR_FORMAT,
                              "%s has \"fracture\", which %s cannot have", what,
                              lim_kind_get_info(b->kind).name);
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

lim_result bodies_read(const field_reader* r, const json_value* list, scene_body** out) {
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

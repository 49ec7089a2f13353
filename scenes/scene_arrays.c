/* SPDX-License-Identifier: MIT
 * Job: colliders of a scene file that are arrays. In: lists of points, triangles or rows of
 * heights. Out: arrays in the scene's arena; or a message with the place and the cure. What they
 * mean is judged where the collider is made.
 */
#include "math/vec3.h"
#include "scene_inside.h"
#include "scene_parts.h"

static lim_result list_of(const field_reader* r, const json_value* entry, const char* what,
                          const char* key, int32_t least, int32_t most, const json_value** out) {
    LIM_TRY(field_require(r, entry, what, key));
    *out = json_member(entry, key);
    int32_t count = json_count(*out);
    if ((*out)->kind != JSON_ARRAY || count < least || count > most) {
        return field_fail(r, *out, LIM_ERROR_FORMAT, "%s: \"%s\" must be a list of %d to %d %s",
                          what, key, least, most, most == SCENE_SIDE_LIMIT ? "rows" : "entries");
    }
    return LIM_OK;
}

static lim_result bad_item(const field_reader* r, const json_value* item, const char* what,
                           const char* key, int32_t index, const char* cure) {
    return field_fail(r, item, LIM_ERROR_FORMAT, "%s: entry %d of \"%s\" must be %s", what,
                      index + 1, key, cure);
}

static lim_result read_points(const field_reader* r, const json_value* entry, const char* what,
                              scene_collider* out) {
    const json_value* list;
    LIM_TRY(list_of(r, entry, what, "points", 3, SCENE_ARRAY_LIMIT, &list));
    out->point_count = json_count(list);
    lim_vec3* points = ARENA_ARRAY(&r->s->mem, lim_vec3, out->point_count);
    if (points == NULL) {
        return field_fail(r, list, LIM_ERROR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < out->point_count; ++i) {
        double p[3];
        const json_value* item = json_item(list, i);
        if (!json_numbers(item, 3, p) ||
            !(fabs(p[0]) <= 1e6 && fabs(p[1]) <= 1e6 && fabs(p[2]) <= 1e6)) {
            return bad_item(r, item, what, "points", i, "three numbers up to 1e6");
        }
        points[i] = v3((float)p[0], (float)p[1], (float)p[2]);
    }
    out->points = points;
    return LIM_OK;
}

static lim_result read_triangles(const field_reader* r, const json_value* entry, const char* what,
                                 scene_collider* out) {
    const json_value* list;
    LIM_TRY(list_of(r, entry, what, "triangles", 1, SCENE_ARRAY_LIMIT, &list));
    out->triangle_count = json_count(list);
    uint32_t* indices = ARENA_ARRAY(&r->s->mem, uint32_t, 3 * (size_t)out->triangle_count);
    if (indices == NULL) {
        return field_fail(r, list, LIM_ERROR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < out->triangle_count; ++i) {
        double p[3];
        const json_value* item = json_item(list, i);
        bool good = json_numbers(item, 3, p);
        for (int k = 0; k < 3 && good; ++k) {
            good = p[k] >= 0.0 && p[k] < out->point_count;
            indices[3 * i + k] = good ? (uint32_t)p[k] : 0;
            good = good && (double)indices[3 * i + k] >= p[k];
        }
        if (!good) {
            return bad_item(r, item, what, "triangles", i,
                            "three whole numbers that count points from 0");
        }
    }
    out->indices = indices;
    return LIM_OK;
}

static lim_result read_heights(const field_reader* r, const json_value* entry, const char* what,
                               scene_collider* out) {
    const json_value* list;
    LIM_TRY(field_require(r, entry, what, "spacing"));
    LIM_TRY(list_of(r, entry, what, "heights", 2, SCENE_SIDE_LIMIT, &list));
    out->rows = json_count(list);
    out->columns = json_count(json_item(list, 0));
    if (out->columns < 2 || out->columns > SCENE_SIDE_LIMIT) {
        return bad_item(r, json_item(list, 0), what, "heights", 0, "a row of 2 to 4096 heights");
    }
    size_t columns = (size_t)out->columns;
    float* heights = ARENA_ARRAY(&r->s->mem, float, columns*(size_t)out->rows);
    if (heights == NULL) {
        return field_fail(r, list, LIM_ERROR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < out->rows; ++i) {
        const json_value* row = json_item(list, i);
        bool good = row->kind == JSON_ARRAY && json_count(row) == out->columns;
        for (int32_t k = 0; k < out->columns && good; ++k) {
            double h = json_number(json_item(row, k), 2e6); /* no number: too high */
            good = fabs(h) <= 1e6;
            heights[(size_t)i * columns + (size_t)k] = (float)h;
        }
        if (!good) {
            return bad_item(r, row, what, "heights", i,
                            "a list of numbers up to 1e6, as many as in the first row");
        }
    }
    out->heights = heights;
    return LIM_OK;
}

lim_result arrays_read(const field_reader* r, const json_value* entry, const char* what, int shape,
                       scene_collider* out) {
    if (shape == LIM_SHAPE_HEIGHTS) {
        return read_heights(r, entry, what, out);
    }
    LIM_TRY(read_points(r, entry, what, out));
    return shape == LIM_SHAPE_MESH ? read_triangles(r, entry, what, out) : LIM_OK;
}

/* SPDX-License-Identifier: MIT
 * Parts of a scene file: shapes, which stand in several places, motions, paint, zones, blades.
 */
#ifndef LIMBER_SCENE_PARTS_H
#define LIMBER_SCENE_PARTS_H

#include "fields.h"

/* A list of entries that are read one by one, into the scene's arena. */
typedef struct entries_rule {
    const char *key, *each; /* of the list; of one of its entries in messages */
    const char* wish;       /* what it should be a list of */
    int32_t least, most;
    size_t size; /* of an entry in the array */
    lim_result (*read)(const field_reader* r, const json_value* entry, const char* what, void* out);
} entries_rule;
lim_result entries_read(const field_reader* r, const json_value* list, const char* what,
                        const entries_rule* rule, void** out, int32_t* out_count);

/* A shape as the file says it. */
typedef struct shape_text {
    lim_vec3 size; /* edges of a box */
    float radius, length;
    lim_point from, to; /* the ends of a capsule's axis */
} shape_text;

/* What it means to the world. */
typedef struct shape_place {
    lim_vec3 size; /* as lim_collider_desc */
    lim_point position;
    lim_quat rotation;
} shape_place;

/* Sets the size from the keys that the shape needs; a capsule with "from" and "to" also has its
 * position and rotation from them. */
lim_result shape_read(const field_reader* r, const json_value* entry, const char* what, int shape,
                      const shape_text* text, shape_place* out);

/* The member "paint" of a body. */
lim_result paint_read(const field_reader* r, const json_value* entry, const char* what,
                      const scene_paint** out, int32_t* out_count);

/* The member "zones" of a body. */
lim_result zones_read(const field_reader* r, const json_value* entry, const char* what,
                      const lim_zone** out, int32_t* out_count);

/* The member "motion" of an entry; `pivot`: what it turns about when it does not say. */
lim_result motion_read(const field_reader* r, const json_value* entry, const char* what,
                       lim_point pivot, scene_motion* out);

/* The arrays of a hull, a mesh or heights, in the scene's arena. */
lim_result arrays_read(const field_reader* r, const json_value* entry, const char* what, int shape,
                       scene_collider* out);

/* The member "blade" of an action. */
lim_result blade_read(const field_reader* r, const json_value* entry, const char* what,
                      const scene_station** out, int32_t* out_count);

#endif

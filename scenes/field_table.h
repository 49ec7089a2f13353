/* SPDX-License-Identifier: MIT
 * What tables of fields (fields.h) are written with.
 */
#ifndef LIMBER_FIELD_TABLE_H
#define LIMBER_FIELD_TABLE_H

#include "fields.h"

#include <stddef.h>

#define FAR              1e6 /* metres */
#define FAST             1e4 /* metres or radians per second */
#define COUNT(table)     ((int32_t)(sizeof(table) / sizeof((table)[0])))
#define AT(type, member) offsetof(type, member)
#define PLAIN            NULL, 0

/* Variants of what has a shape. */
#define SPHERE  (1u << LIM_SHAPE_SPHERE)
#define CAPSULE (1u << LIM_SHAPE_CAPSULE)
#define BOX     (1u << LIM_SHAPE_BOX)
#define HULL    (1u << LIM_SHAPE_HULL)
#define MESH    (1u << LIM_SHAPE_MESH)
#define HEIGHTS (1u << LIM_SHAPE_HEIGHTS)

/* The keys of a shape, into the member `shape` (shape_text, scene_parts.h) of a struct. */
#define SHAPE_FIELDS(type)                                                                         \
    {"shape", FIELD_OTHER, 0, 0, 0, PLAIN},                                                        \
        {"size", FIELD_VECTOR, AT(type, shape.size), 1e-4, FAR, NULL, BOX},                        \
        {"radius", FIELD_FLOAT, AT(type, shape.radius), 1e-4, FAR, NULL, SPHERE | CAPSULE},        \
        {"length", FIELD_FLOAT, AT(type, shape.length), 0, FAR, NULL, CAPSULE},                    \
        {"from", FIELD_POINT, AT(type, shape.from), -FAR, FAR, NULL, CAPSULE}, {                   \
        "to", FIELD_POINT, AT(type, shape.to), -FAR, FAR, NULL, CAPSULE                            \
    }

#endif

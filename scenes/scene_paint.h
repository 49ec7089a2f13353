/* SPDX-License-Identifier: MIT
 * Painting what a body is made of onto the vertices of its mesh.
 */
#ifndef LIMBER_SCENE_PAINT_H
#define LIMBER_SCENE_PAINT_H

#include "base/arena.h"
#include "math/quat.h"
#include "scene.h"

/* Where a body stands at the start: a point p of its mesh (its own units) comes to
 * middle + turn (scale p - centre). */
typedef struct body_place {
    double scale;
    lim_point centre, middle;
    dquat turn;
} body_place;

/* One value per vertex, as lim_model_desc takes them; null where nothing paints. */
typedef struct painted_values {
    float *density, *stiffness, *size;
} painted_values;

/* Distance of a point from a shape, metres; at most 0 inside. */
double paint_distance(const scene_paint* p, lim_point at);
/* The mesh's own values, with the paint of a body over them. In memory of `a`. */
lim_result paint_mesh(arena* a, const lim_mesh* mesh, const scene_paint* paint, int32_t count,
                      const body_place* place, painted_values* out);

#endif

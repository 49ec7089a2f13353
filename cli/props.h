/* SPDX-License-Identifier: MIT
 * Colliders as meshes, so that pictures show what a body rests on.
 */
#ifndef LIMBER_PROPS_H
#define LIMBER_PROPS_H

#include "cli/film.h"

enum { PROP_COLUMNS = 32, PROP_ROWS = 17 }; /* of the grid that covers a sphere, capsule or box */
enum {
    PROP_VERTICES = PROP_COLUMNS * PROP_ROWS + 24,
    PROP_TRIANGLES = 2 * PROP_COLUMNS * PROP_ROWS
};

/* Room for one collider's mesh. */
typedef struct prop {
    float positions[3 * PROP_VERTICES], normals[3 * PROP_VERTICES];
    uint32_t indices[3 * PROP_TRIANGLES];
    int32_t vertex_count, triangle_count;
} prop;

void prop_make(prop* p, const film_collider* collider);
/* Borrowed from the prop. */
lim_draw_mesh prop_mesh(const prop* p);

#endif

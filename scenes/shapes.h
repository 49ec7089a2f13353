/* SPDX-License-Identifier: MIT
 * The procedural shapes by name, before they are polygonised.
 */
#ifndef LIMBER_SHAPES_H
#define LIMBER_SHAPES_H

#include "implicit.h"

typedef struct shape_entry {
    const char* name;
    const char* about;
    int32_t triangles; /* default target */
    void (*build)(implicit_shape* out);
    bool has_inside;
    float inside[3]; /* linear colour where it is cut */
} shape_entry;

int32_t shape_count(void);
const shape_entry* shape_at(int32_t index);      /* null beyond the last */
const shape_entry* shape_find(const char* name); /* null when there is none */

#endif

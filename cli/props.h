/* SPDX-License-Identifier: MIT
 * Colliders as meshes, so that pictures show what a body rests on.
 */
#ifndef LIMBER_PROPS_H
#define LIMBER_PROPS_H

#include "cli/film.h"

/* The collider where it stands; the arrays live in the arena. */
lim_result prop_make(const film_collider* collider, arena* memory, lim_draw_mesh* out);

#endif

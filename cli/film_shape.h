/* SPDX-License-Identifier: MIT
 * The part of a film that changes only with edits: which bodies there are, their triangles,
 * colours, rest places and nodes.
 */
#ifndef LIMBER_FILM_SHAPE_H
#define LIMBER_FILM_SHAPE_H

#include "cli/film.h"

/* Sets film_body.now of all bodies to what they are at this moment of the run: the shape that they
 * had where nothing has changed. */
lim_result film_shapes_update(film* f, const scene_run* run);

#endif

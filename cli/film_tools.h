/* SPDX-License-Identifier: MIT
 * The part of a film that acts on bodies: pins, grabs and blades.
 */
#ifndef LIMBER_FILM_TOOLS_H
#define LIMBER_FILM_TOOLS_H

#include "cli/film.h"

/* The frame has its skins; the first one of a film tells what the pins hold. */
lim_result film_tools_take(film* f, const scene_run* run, film_frame* frame);

#endif

/* SPDX-License-Identifier: MIT
 * The part of a film that lies within the skins: cells, graph, nodes, a region, contacts.
 */
#ifndef LIMBER_FILM_INSIDE_H
#define LIMBER_FILM_INSIDE_H

#include "cli/film.h"

/* The nodes of a body: how many, their colours, and the one whose region is shown: the nearest to
 * that of `before`, its shape until now, or one that film_telling_node finds. With film.region_at
 * and no shape before there is none. */
lim_result film_inside_nodes(film* f, const lim_world* world, lim_body body, const lim_model* model,
                             const film_shape* before, film_shape* s);
/* With film.region_at: shows the region of the node nearest to that place, of whichever body. The
 * bodies of the film have their shapes. */
lim_result film_inside_choose(film* f, const lim_world* world);
/* The frame has its parts. */
lim_result film_inside_take(film* f, const lim_world* world, film_frame* frame);

/* A node whose region is worth a look: with the most neighbours of another size, and of those the
 * nearest to the centre; -1 when there is no node. `count` has room for a number per node. */
int32_t film_telling_node(const lim_model_nodes* nodes, int32_t* count);

#endif

/* SPDX-License-Identifier: MIT
 * The part of a film that lies within the skins: cells, graph, nodes, a region, contacts.
 */
#ifndef LIMBER_FILM_INSIDE_H
#define LIMBER_FILM_INSIDE_H

#include "cli/film.h"

/* Counts, colours and the nodes whose regions are shown; region_at as in film_begin. The bodies of
 * the film are known. */
lim_result film_inside_begin(film* f, const scene_run* run, const lim_point* region_at);
lim_result film_inside_take(film* f, const lim_world* world, film_frame* frame);

/* A node whose region is worth a look: with the most neighbours of another size, and of those the
 * nearest to the centre; -1 when there is no node. `count` has room for a number per node. */
int32_t film_telling_node(const lim_model_nodes* nodes, int32_t* count);

#endif

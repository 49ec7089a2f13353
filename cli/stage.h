/* SPDX-License-Identifier: MIT
 * A picture put together piece by piece: skins of bodies, their lattices, other meshes.
 */
#ifndef LIMBER_STAGE_H
#define LIMBER_STAGE_H

#include "base/arena.h"
#include "base/array.h"
#include "scenes/scene.h"

#include <limber/io.h>
#include <limber/world.h>

typedef struct stage {
    arena memory;
    lim_host host;
    ARRAY(lim_draw_mesh) meshes;
    ARRAY(lim_debug_line) lines;
    ARRAY(lim_debug_point) points;
} stage;

void stage_begin(stage* s, const lim_host* host);
void stage_end(stage* s);

/* The body's skin as it is now, in the colours of its model. veil: what is inside shows through. */
lim_result stage_add_skin(stage* s, const lim_world* world, lim_body body, const lim_model* model,
                          bool veil);
/* The edges of a lattice body's cells, and its nodes as discs of `size` metres (0: none). */
lim_result stage_add_lattice(stage* s, const lim_world* world, lim_body body,
                             const lim_model* model, uint32_t line_rgba, uint32_t node_rgba,
                             float size);
/* The colliders of a scene where they begin, planes left out. */
lim_result stage_add_colliders(stage* s, const scene_desc* d);
/* A mesh whose arrays outlive the stage. */
lim_result stage_add_mesh(stage* s, const lim_draw_mesh* mesh);

/* Draws it all; of `look` the size, camera, ground and caption count. The image is made here and is
 * the caller's to destroy. */
lim_result stage_draw(const stage* s, const lim_picture* look, lim_image* out_image);

#endif

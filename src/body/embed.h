/* SPDX-License-Identifier: MIT
 * Embedding: where flow is large, matching gets a rest shape of its own (Jones et al. 2014,
 * Falkenstein et al. 2017). One matrix U per region says little about a region that has flowed far
 * and not evenly, so the body lets go of its elastic strain for a moment, in a copy: where its
 * nodes come to rest is the shape y0 that regions match from then on, and U begins anew. Skin,
 * bindings, frames, contacts and displacements keep x0, so nothing else is built again.
 *
 * With G the linear fit of a region from the old shape to the new one, what it pulls stays the
 * same: U G^-1 = R U' and q' = q R keep F U^-1 but for a rotation, whatever y0 is. Gains stay those
 * of the body as it was made, for the same reason. The determinant of U' is the one that gives a
 * region the volume which it had in x0, so that what y0 loses never adds up.
 */
#ifndef LIMBER_EMBED_H
#define LIMBER_EMBED_H

#include "body/topology.h"

/* Steps until the next try: a shape that was refused, or that regions have not come to rest in,
 * costs no more than its share of so many. */
enum { EMBED_WAIT = 16 };

struct body;

/* All but y0 follows from it and the topology. */
typedef struct body_embedding {
    lim_host host;
    arena mem; /* owns the arrays */
    float *y0[3], *shift[3];
    float* d[3];     /* x - y0 of the present matching pass */
    float* gradient; /* 9 per slot: of y0 by x0, mean over its regions; null: a lattice */
    /* per region, of its linear fit from x0 to y0: n(stretch - 1), and det^(-1/3) */
    float *past, *swell;
    charts charts;   /* the topology's with origins at y0 */
    regions regions; /* likewise with c0 and a0 of y0 */
    quadratic quadratic;
    node_state nodes; /* what matching sees */
    match_rest rest;
} body_embedding;

/* From a shape over the slots; filled: the skin is closed around the material. LIM_ERROR_MEMORY, or
 * LIM_ERROR_FORMAT for a shape that is none. */
lim_result embedding_make(const topology* t, const float* const y0[3], bool filled,
                          const lim_host* host, body_embedding** out);
void embedding_free(body_embedding* e); /* null is allowed */

/* In two halves, between steps: a plan, which takes all memory and changes nothing of the body but
 * its `plan`, null where no region has flowed far; then the commit, which cannot fail. */
lim_result embedding_plan(struct body* b, isa set, workers* pool);
/* True when the body has a new rest shape; false: there was no plan, or its shape was refused. */
bool embedding_commit(struct body* b);
void embedding_drop(struct body* b);

#endif

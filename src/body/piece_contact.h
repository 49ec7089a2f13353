/* SPDX-License-Identifier: MIT
 * Pieces of a body that a cut or a tear has made separate meet each other as bodies do, whatever
 * the body says about contact with itself: then nothing changes when they become bodies. Pieces are
 * components that come from one (topology.component_origin); parts that were apart from the first
 * may lie in each other at rest, and do not meet here. Contacts are with the body itself, in its
 * list; made anew in every step, no state.
 */
#ifndef LIMBER_PIECE_CONTACT_H
#define LIMBER_PIECE_CONTACT_H

#include "body/meeting_side.h"
#include "contact/boxes.h"

struct body_step_input;

typedef struct piece_side {
    int32_t component;
    pair_side side;
    meeting_shape shape;
    bool placed; /* somebody is near it ... */
    bool near;   /* ... and no plane parts them */
} piece_side;

typedef struct piece_pair {
    int32_t a, b; /* places in body_pieces.side, a < b */
    bool asks[2]; /* points of a, of b may meet the other's surface ... */
    surface_box asked[2];
    int32_t begin[2], end[2]; /* their contacts in the body's list */
    bool hard;                /* points may end deep that no contact holds (contact/pair.h) */
    bool moving;              /* the last round has taken some out */
} piece_pair;

typedef struct body_pieces {
    ARRAY(piece_side) side; /* components that can be felt by others with their origin */
    ARRAY(lim_box) way;     /* of each: where it may travel in the step */
    ARRAY(int32_t) found;
    ARRAY(piece_pair) pair; /* whose boxes overlap, in this step */
    boxes tree;
} body_pieces;

void body_pieces_free(body_pieces* p, const lim_host* host);
/* Whether it has such pieces, and they may meet. A body that does not meet its like (layer, mask)
 * has pieces that do not either, as after a split; contact with itself is beside that. */
bool body_pieces_can_meet(const struct body* b);
/* Room to measure pieces; allocates. */
lim_result body_pieces_reserve(struct body* b);
/* How they move; there are no pairs yet. */
void body_pieces_measure(struct body* b, lim_vec3 gravity, double dt);
/* Pairs whose boxes overlap, of a body that moves. Allocates. */
lim_result body_pieces_find(struct body* b);
/* Room for the surfaces of those that have pairs; raises `patches` to the most that one has. */
lim_result body_pieces_reserve_shapes(struct body* b, int32_t* patches);
/* Where the surfaces of pairs are, and who asks whom; the body's frames are made, and where it is
 * inside out is known. */
void body_pieces_place(struct body* b, double dt, isa set);
/* Adds their contacts to the body's list, as contacts with the body of this number. */
void body_pieces_search(struct body* b, int32_t index, double dt, isa set);
/* After the substeps: takes out what hard impacts have left deep in another piece. */
void body_pieces_clear(struct body* b, const struct body_step_input* in);

#endif

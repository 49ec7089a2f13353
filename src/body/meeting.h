/* SPDX-License-Identifier: MIT
 * A body as other bodies meet it: its box, its deformed surface, the contacts of its points with
 * the surfaces of others. Made anew in every step in which there is somebody to meet; no state.
 */
#ifndef LIMBER_MEETING_H
#define LIMBER_MEETING_H

#include "body/piece_contact.h"

struct body;

typedef struct body_meeting {
    lim_box box;    /* of all its points now, world, and nobody outside of it */
    lim_box way;    /* with what it may travel in the step */
    pair_side side; /* placed: by body_meeting_place */
    pair_list list; /* of this body's points */
    bool hard;      /* it is in a hard impact, and is looked at after the step ... */
    bool asked;     /* ... closely: some of it may be deep */
    bool moved;     /* nodes were taken out of others since its shape was measured */
    meeting_shape shape;
    ARRAY(uint8_t) inverted; /* per slot */
    ARRAY(pair_frame) frame;
    /* of a body that may meet itself: the slots beside each slot (contact/pair.h) */
    ARRAY(int32_t) beside_offset;
    ARRAY(int32_t) beside;
    pair_kept kept;     /* who of its patches is near whom */
    body_pieces pieces; /* those of its components that meet each other */
} body_meeting;

void body_meeting_free(body_meeting* m, const lim_host* host);
/* Fills box, way and the side's motion: what is needed to know whom it may meet within dt. */
void body_meeting_measure(struct body* b, lim_vec3 gravity, double dt, isa set);
/* Room for the surface, for surfaces of others of up to so many patches, and as many contacts as
 * were wanted last. Allocates. */
lim_result body_meeting_reserve(struct body* b, int32_t patches);
/* Where the points of its surface are now, and between which planes. alone: it meets nobody but
 * itself. */
void body_meeting_place(struct body* b, double dt, isa set, bool alone);
/* Where they are after the step, of a body that was placed and has moved. */
void body_meeting_place_again(struct body* b, isa set);
/* Whether no plane parts it from another, within dt; both are placed. */
bool body_meeting_is_near(struct body* b, const struct body* other, double dt, isa set);
/* Boxes of its points, and where it is inside out: of a body that is placed and near somebody. */
void body_meeting_bound(struct body* b, isa set);
/* The second of these alone. */
void body_meeting_invert(struct body* b);
/* Of two that are near, or of one and itself: marks its patches that may meet another within dt,
 * and tells where they ask (contact/pair.h). */
bool body_meeting_ask(struct body* b, const struct body* other, double dt, isa set,
                      surface_box* out);
/* Normals and boxes of the patches that are marked. */
void body_meeting_finish(struct body* b, isa set);
/* Whether others can feel its surface: most of it is closed. */
bool body_meeting_is_felt(const struct body* b);
pair_self body_meeting_self(struct body* b);

#endif

/* SPDX-License-Identifier: MIT
 * Job: what others need to know of a body to meet it. In: its state. Out: box, motion, deformed
 * surface, and for a body that may meet itself who is beside whom.
 */
#include "body/meeting.h"

#include "body/body.h"
#include "contact/felt_kernel.h"

#include <string.h>

void body_meeting_free(body_meeting* m, const lim_host* host) {
    pair_list_free(&m->list, host);
    meeting_shape_free(&m->shape, host);
    ARRAY_FREE(host, &m->inverted);
    ARRAY_FREE(host, &m->frame);
    ARRAY_FREE(host, &m->beside_offset);
    ARRAY_FREE(host, &m->beside);
    pair_kept_free(&m->kept, host);
    body_pieces_free(&m->pieces, host);
}

/* ---- motion and box -----------------------------------------------------------------------------
 */

void body_meeting_measure(body* b, lim_vec3 gravity, double dt, isa set) {
    body_meeting* m = &b->meeting;
    node_state nodes = body_nodes(b);
    if (body_moves(b) && !b->sums_valid) {
        node_component_sums(&nodes, b->block_sums, set, NULL);
        b->sums_valid = true;
    }
    meeting_measure all =
        meeting_side_measure(b, 0, b->topology->component_count, gravity, dt, &m->side);
    m->box = all.box;
    m->way = all.way;
    body_pieces_measure(b, gravity, dt);
}

/* ---- the deformed surface -----------------------------------------------------------------------
 */

bool body_meeting_is_felt(const body* b) {
    return meeting_is_felt(&b->topology->surface);
}

lim_result body_meeting_reserve(body* b, int32_t patches) {
    const surface_net* felt = &b->topology->surface;
    body_meeting* m = &b->meeting;
    bool room = meeting_shape_reserve(&m->shape, &b->host, felt) &&
                ARRAY_RESERVE(&b->host, &m->inverted, b->topology->slot_count) &&
                ARRAY_RESERVE(&b->host, &m->frame, b->topology->component_count);
    LIM_TRY(room ? LIM_OK : LIM_ERROR_MEMORY);
    if (b->self_contact) {
        LIM_TRY(pair_kept_reserve(&m->kept, &b->host, b->topology->slot_count, felt));
    }
    LIM_TRY(body_pieces_reserve_shapes(b, &patches));
    return pair_reserve(&m->list, &b->host, b->topology->slot_count, patches);
}

static void begin(body* b) {
    meeting_frames(b);
    meeting_side_begin(b, &b->topology->surface, &b->meeting.shape, &b->meeting.side);
}

void body_meeting_place(body* b, double dt, isa set, bool alone) {
    const surface_net* felt = &b->topology->surface;
    body_meeting* m = &b->meeting;
    begin(b);
    if (felt->patch_count == 0 || (alone && !b->self_contact)) {
        return; /* it is there for links, or its pieces meet each other */
    }
    if (b->self_contact) {
        pair_kept_check(&m->kept, &m->side, dt);
    }
    if (alone && m->kept.holds) {
        memcpy(m->shape.wanted.data, m->kept.wanted.data, (size_t)felt->patch_count);
        m->side.shape.triangle = m->kept.triangle.data;
        m->side.shape.triangle_count = m->kept.triangle.count;
    }
    meeting_side_place(b, &m->side, dt, set, alone);
}

void body_meeting_bound(body* b, isa set) {
    pair_side* s = &b->meeting.side;
    body_meeting_invert(b);
    if (b->topology->surface.patch_count > 0) {
        surface_shape_place(&s->shape, felt_kernels_for(set));
    }
}

void body_meeting_invert(body* b) {
    pair_side* s = &b->meeting.side;
    uint8_t* mark = b->meeting.inverted.data;
    /* links of a body of points go along its surface: nothing is behind it */
    bool filled = b->topology->kind->nodes != LIM_NODES_ARE_POINTS;
    s->inverted = filled && pair_find_inverted(s, mark) ? mark : NULL;
}

void body_meeting_place_again(body* b, isa set) {
    begin(b);
    body_pins_affine(b);
    skin_prepare(&b->meeting.side.nodes, set, NULL);
    if (b->topology->surface.patch_count > 0) {
        meeting_side_place(b, &b->meeting.side, 0.0, set, false);
    }
}

bool body_meeting_is_near(body* b, const body* other, double dt, isa set) {
    return other == b || !pair_is_apart(&b->meeting.side, &other->meeting.side, dt, set);
}

bool body_meeting_ask(body* b, const body* other, double dt, isa set, surface_box* out) {
    pair_self self = body_meeting_self(b);
    return pair_ask(&b->meeting.side, &other->meeting.side, dt, other == b ? &self : NULL, set,
                    out);
}

void body_meeting_finish(body* b, isa set) {
    if (b->topology->surface.patch_count > 0) {
        surface_shape_update(&b->meeting.side.shape, felt_kernels_for(set));
    }
}

pair_self body_meeting_self(body* b) {
    body_meeting* m = &b->meeting;
    return (pair_self){.offset = m->beside_offset.data,
                       .slot = m->beside.data,
                       .kept = &m->kept,
                       .origin = body_pieces_can_meet(b) ? b->topology->component_origin : NULL};
}

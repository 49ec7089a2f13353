/* SPDX-License-Identifier: MIT
 * Job: contact between the pieces of one body. In: its state. Out: contacts in its list. The stages
 * are those of bodies (world/meet.c, world/island.c), one after the other in the body's own task.
 */
#include "body/piece_contact.h"

#include "body/body.h"
#include "contact/felt_kernel.h"

enum { CLEAR_ROUNDS = 3 }; /* tries to take points out of others after a step */

void body_pieces_free(body_pieces* p, const lim_host* host) {
    for (int32_t k = 0; k < p->side.count; ++k) {
        meeting_shape_free(&p->side.data[k].shape, host);
    }
    ARRAY_FREE(host, &p->side);
    ARRAY_FREE(host, &p->way);
    ARRAY_FREE(host, &p->found);
    ARRAY_FREE(host, &p->pair);
    boxes_free(&p->tree, host);
}

bool body_pieces_can_meet(const body* b) {
    return b->topology->piece != NULL &&
           (b->self_contact || contact_layers_meet(b->layers, b->layers));
}

/* ---- who is near whom ---------------------------------------------------------------------------
 */

lim_result body_pieces_reserve(body* b) {
    const topology* t = b->topology;
    body_pieces* p = &b->meeting.pieces;
    if (p->side.count > 0 || !body_pieces_can_meet(b)) {
        return LIM_OK;
    }
    bool room = ARRAY_RESERVE(&b->host, &p->side, t->component_count) &&
                ARRAY_RESERVE(&b->host, &p->way, t->component_count) &&
                ARRAY_RESERVE(&b->host, &p->found, t->component_count);
    LIM_TRY(room ? LIM_OK : LIM_ERROR_MEMORY);
    LIM_TRY(boxes_reserve(&p->tree, &b->host, t->component_count));
    for (int32_t c = 0; c < t->component_count; ++c) {
        if (meeting_is_felt(&t->piece[c])) {
            p->side.data[p->side.count++] = (piece_side){.component = c};
        }
    }
    return LIM_OK;
}

void body_pieces_measure(body* b, lim_vec3 gravity, double dt) {
    body_pieces* p = &b->meeting.pieces;
    p->pair.count = 0;
    for (int32_t k = 0; k < p->side.count && body_moves(b); ++k) {
        piece_side* s = &p->side.data[k];
        p->way.data[k] = meeting_side_measure(b, s->component, 1, gravity, dt, &s->side).way;
    }
}

lim_result body_pieces_find(body* b) {
    body_pieces* p = &b->meeting.pieces;
    const int32_t* origin = b->topology->component_origin;
    if (p->side.count == 0) {
        return LIM_OK;
    }
    boxes_build(&p->tree, p->way.data, p->side.count);
    for (int32_t k = 0; k < p->side.count; ++k) {
        int32_t found =
            boxes_overlapping(&p->tree, p->way.data[k], p->found.data, p->found.capacity);
        for (int32_t i = 0; i < found; ++i) {
            int32_t other = p->found.data[i];
            piece_pair pair = {.a = k, .b = other};
            bool meets = other > k &&
                         origin[p->side.data[k].component] == origin[p->side.data[other].component];
            if (meets && !ARRAY_PUSH(&b->host, &p->pair, pair)) {
                return LIM_ERROR_MEMORY;
            }
        }
    }
    return LIM_OK;
}

static piece_side* side_of(body_pieces* p, const piece_pair* pair, int which) {
    return &p->side.data[which == 0 ? pair->a : pair->b];
}

/* Those of all pairs, or only of pairs that are hard. */
static void mark_placed(body_pieces* p, bool hard) {
    for (int32_t k = 0; k < p->side.count; ++k) {
        p->side.data[k].placed = p->side.data[k].near = false;
    }
    for (int32_t i = 0; i < p->pair.count; ++i) {
        const piece_pair* pair = &p->pair.data[i];
        for (int k = 0; k < 2 && (!hard || pair->hard); ++k) {
            side_of(p, pair, k)->placed = true;
        }
    }
}

lim_result body_pieces_reserve_shapes(body* b, int32_t* patches) {
    body_pieces* p = &b->meeting.pieces;
    bool room = true;
    mark_placed(p, false);
    for (int32_t k = 0; k < p->side.count && room; ++k) {
        const surface_net* felt = &b->topology->piece[p->side.data[k].component];
        if (p->side.data[k].placed) {
            room = meeting_shape_reserve(&p->side.data[k].shape, &b->host, felt);
            *patches = felt->patch_count > *patches ? felt->patch_count : *patches;
        }
    }
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

/* ---- contacts -----------------------------------------------------------------------------------
 */

static void place_sides(body* b, double dt, isa set) {
    body_pieces* p = &b->meeting.pieces;
    for (int32_t k = 0; k < p->side.count; ++k) {
        piece_side* s = &p->side.data[k];
        if (s->placed) {
            meeting_side_begin(b, &b->topology->piece[s->component], &s->shape, &s->side);
            meeting_side_place(b, &s->side, dt, set, false);
        }
    }
}

static void note_near(body_pieces* p) {
    for (int32_t i = 0; i < p->pair.count; ++i) {
        const piece_pair* pair = &p->pair.data[i];
        bool near = pair->asks[0] || pair->asks[1];
        for (int k = 0; k < 2; ++k) {
            side_of(p, pair, k)->near = side_of(p, pair, k)->near || near;
        }
    }
}

static void bound_sides(body* b, isa set) {
    body_pieces* p = &b->meeting.pieces;
    for (int32_t k = 0; k < p->side.count; ++k) {
        if (p->side.data[k].near) {
            p->side.data[k].side.inverted = b->meeting.side.inverted;
            surface_shape_place(&p->side.data[k].side.shape, felt_kernels_for(set));
        }
    }
}

/* All have asked. */
static void answer_sides(body_pieces* p, isa set) {
    for (int32_t i = 0; i < p->pair.count; ++i) {
        const piece_pair* pair = &p->pair.data[i];
        for (int k = 0; k < 2; ++k) {
            if (pair->asks[k]) {
                pair_answer(&side_of(p, pair, 1 - k)->side, pair->asked[k]);
            }
        }
    }
    for (int32_t k = 0; k < p->side.count; ++k) {
        if (p->side.data[k].near) {
            surface_shape_update(&p->side.data[k].side.shape, felt_kernels_for(set));
        }
    }
}

void body_pieces_place(body* b, double dt, isa set) {
    body_pieces* p = &b->meeting.pieces;
    mark_placed(p, false);
    place_sides(b, dt, set);
    for (int32_t i = 0; i < p->pair.count; ++i) {
        piece_pair* pair = &p->pair.data[i];
        for (int k = 0; k < 2; ++k) {
            pair->asks[k] =
                !pair_is_apart(&side_of(p, pair, k)->side, &side_of(p, pair, 1 - k)->side, dt, set);
        }
    }
    note_near(p);
    bound_sides(b, set);
    for (int32_t i = 0; i < p->pair.count; ++i) {
        piece_pair* pair = &p->pair.data[i];
        for (int k = 0; k < 2; ++k) {
            pair->asks[k] = pair->asks[k] &&
                            pair_ask(&side_of(p, pair, k)->side, &side_of(p, pair, 1 - k)->side, dt,
                                     NULL, set, &pair->asked[k]);
        }
    }
    answer_sides(p, set);
}

void body_pieces_search(body* b, int32_t index, double dt, isa set) {
    body_pieces* p = &b->meeting.pieces;
    pair_list* list = &b->meeting.list;
    list->any_tied = false;
    for (int32_t i = 0; i < p->pair.count; ++i) {
        piece_pair* pair = &p->pair.data[i];
        for (int k = 0; k < 2; ++k) {
            pair->begin[k] = list->items.count;
            if (pair->asks[k]) {
                pair_search(list, &side_of(p, pair, k)->side, &side_of(p, pair, 1 - k)->side, index,
                            dt, NULL, set);
            }
            pair->end[k] = list->items.count;
        }
    }
}

/* ---- after a hard impact ------------------------------------------------------------------------
 */

static bool is_finite(const body* b, int32_t piece) {
    return b->components[piece].finite && p3_finite(b->components[piece].origin);
}

static bool is_hard(body* b, const piece_pair* pair, double dt) {
    const piece_side* s[2];
    const pair_contact* first = b->meeting.list.items.data;
    bool put = false, finite = true;
    for (int k = 0; k < 2; ++k) {
        s[k] = side_of(&b->meeting.pieces, pair, k);
        finite = finite && is_finite(b, s[k]->component);
    }
    for (int k = 0; k < 2; ++k) {
        put = put || (pair->begin[k] < pair->end[k] &&
                      pair_was_put(first + pair->begin[k], first + pair->end[k], &s[k]->side,
                                   &s[1 - k]->side));
    }
    return finite && !put && pair_is_rough(&s[0]->side, &s[1]->side, dt);
}

/* The pairs that are looked at in a round: hard ones, later those that were moved in the last. */
static bool begin_round(body* b, bool first, double dt) {
    body_pieces* p = &b->meeting.pieces;
    bool any = false;
    for (int32_t i = 0; i < p->pair.count; ++i) {
        piece_pair* pair = &p->pair.data[i];
        pair->hard = first ? is_hard(b, pair, dt) : pair->hard && pair->moving;
        pair->moving = false;
        any = any || pair->hard;
    }
    return any;
}

/* Where the pieces of hard pairs are now, and which of them ask. */
static void place_again(body* b, isa set) {
    body_pieces* p = &b->meeting.pieces;
    node_state nodes = body_nodes(b);
    meeting_frames(b);
    body_pins_affine(b);
    skin_prepare(&nodes, set, NULL);
    mark_placed(p, true);
    place_sides(b, 0.0, set);
    for (int32_t i = 0; i < p->pair.count; ++i) {
        piece_pair* pair = &p->pair.data[i];
        for (int k = 0; k < 2; ++k) {
            pair->asks[k] = pair->hard && !pair_clear_is_apart(&side_of(p, pair, k)->side,
                                                               &side_of(p, pair, 1 - k)->side, set);
        }
    }
    note_near(p);
    body_meeting_invert(b);
    bound_sides(b, set);
    for (int32_t i = 0; i < p->pair.count; ++i) {
        piece_pair* pair = &p->pair.data[i];
        for (int k = 0; k < 2; ++k) {
            pair->asks[k] = pair->asks[k] &&
                            pair_clear_ask(&side_of(p, pair, k)->side,
                                           &side_of(p, pair, 1 - k)->side, set, &pair->asked[k]);
        }
    }
    answer_sides(p, set);
}

void body_pieces_clear(body* b, const body_step_input* in) {
    body_pieces* p = &b->meeting.pieces;
    bool left = true;
    for (int round = 0; round < CLEAR_ROUNDS && left && begin_round(b, round == 0, in->dt);
         ++round) {
        place_again(b, in->set);
        left = false;
        for (int32_t i = 0; i < p->pair.count; ++i) {
            piece_pair* pair = &p->pair.data[i];
            for (int k = 0; k < 2; ++k) {
                bool moved =
                    pair->asks[k] && pair_clear(&b->meeting.list, &side_of(p, pair, k)->side,
                                                &side_of(p, pair, 1 - k)->side, in->set);
                pair->moving = pair->moving || moved;
            }
            left = left || pair->moving;
        }
        if (left) {
            body_step_moved(b, in);
        }
    }
}

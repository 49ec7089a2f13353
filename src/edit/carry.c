/* SPDX-License-Identifier: MIT
 * Job: make a body over a new topology from one over the old. In: a body, the topology that its own
 * has become, what of it is the same. Out: a body beside it, in the same state. Nothing of the old
 * one changes, so that a failure anywhere leaves it as it was.
 */
#include "edit/carry.h"

#include "body/beside.h"
#include "body/filled.h"
#include "body/solver.h"

#include "edit/carry_holds.h"
#include "edit/carry_nodes.h"
#include "edit/carry_regions.h"
#include "edit/carry_skin.h"

#include <string.h>

/* All that does not depend on nodes. */
static lim_result make_body(const body* from, topology* after, body* out) {
    lim_body_desc desc = {.position = from->start_position,
                          .orientation = quat_of(from->start_orientation),
                          .scale = (float)from->scale,
                          .material = from->material,
                          .gravity_scale = from->gravity_scale,
                          .enabled = from->enabled,
                          .self_contact = from->self_contact,
                          .layer = from->layers.layer,
                          .mask = from->layers.mask,
                          .user = from->user};
    LIM_TRY(body_create_still(&desc, after, &from->host, out));
    out->start_orientation = from->start_orientation;
    out->scale = from->scale;
    out->plastic = from->plastic;
    out->embed_wait = from->embed_wait;
    out->frozen = from->frozen;
    out->asleep_told = from->asleep_told;
    out->paused = from->paused;
    out->damping_wait = from->damping_wait;
    out->quiet_step = from->quiet_step;
    out->kept_substeps = from->kept_substeps;
    out->kept_time = from->kept_time;
    out->gains_h = from->gains_h;
    out->asked_h = from->asked_h;
    out->substeps = from->substeps;
    out->gains_stale = from->gains_stale;
    out->share_stale = true; /* other regions may want other substeps */
    out->limit_said = from->limit_said;
    out->restored_untold = from->restored_untold;
    out->sealed = from->sealed;
    out->filled = from->sealed && topology_is_filled(after);
    return LIM_OK;
}

/* The rest shape of its matching. A shape that is none over these nodes is refused. */
static lim_result carry_shape(arena* scratch, const carry_overlap* o, const carry_field* f,
                              const body* from, body* to) {
    const body_embedding* had = from->embedding;
    const topology* t = o->after;
    if (had == NULL) {
        return LIM_OK;
    }
    float* y0[3];
    for (int k = 0; k < 3; ++k) {
        y0[k] = ARENA_ARRAY(scratch, float, t->slot_count);
        LIM_TRY_MEMORY(y0[k]);
    }
    carry_values shift = {.value = {had->shift[0], had->shift[1], had->shift[2]},
                          .slope = had->gradient,
                          .stride = 9,
                          .gradient = true};
    LIM_TRY(carry_displacements(scratch, o, f, &shift, y0));
    for (int k = 0; k < 3; ++k) {
        for (int32_t i = 0; i < t->slot_count; ++i) {
            y0[k][i] = o->kept[i] >= 0 ? had->y0[k][o->kept[i]] : t->x0[k][i] + y0[k][i];
        }
    }
    const float* const given[3] = {y0[0], y0[1], y0[2]};
    lim_result result = embedding_make(t, given, to->filled, &to->host, &to->embedding);
    return result == LIM_ERROR_FORMAT ? LIM_ERROR_UNSUPPORTED : result;
}

/* A node has been touched when any was that it has material of. */
static void carry_touch(const carry_overlap* o, const body* from, body* to) {
    if (!from->feels_touch) {
        return;
    }
    body_feel_touch(to);
    for (int32_t i = 0; i < o->after->slot_count; ++i) {
        for (int32_t k = o->first[i]; k < o->first[i + 1]; ++k) {
            float since = from->since_touch[o->old[k]];
            to->since_touch[i] = since < to->since_touch[i] ? since : to->since_touch[i];
        }
    }
}

/* What the solver remembers: of a new node that of the one which it shares most with. Forces stay
 * with nodes that stay. */
static void carry_history(const carry_overlap* o, const body* from, body* to) {
    for (int32_t i = 0; i < o->after->slot_count && to->moved[0] != NULL; ++i) {
        for (int k = 0; k < 3 && o->source[i] >= 0; ++k) {
            to->moved[k][i] = from->moved[k][o->source[i]];
            to->kicked[k][i] = from->kicked[k][o->source[i]];
            to->pressed[k][i] = o->kept[i] >= 0 ? from->pressed[k][o->kept[i]] : 0.0f;
        }
    }
    to->history_h = from->history_h;
}

static lim_result carry(arena* scratch, const body* from, const carry_map* map, isa set,
                        workers* pool, body* to) {
    carry_overlap o;
    carry_field f;
    carry_fits fits;
    LIM_TRY(carry_overlap_make(scratch, from->topology, to->topology, map, &o));
    if (to->self_contact) {
        LIM_TRY(body_beside_carry(to, from, o.kept));
    }
    LIM_TRY(carry_field_make(scratch, scratch, &o, &f));
    LIM_TRY(carry_motion(scratch, &o, &f, from, set, pool, to));
    LIM_TRY(carry_shape(scratch, &o, &f, from, to));
    LIM_TRY(carry_stiffness(scratch, &o, from, to));
    LIM_TRY(carry_holds(scratch, &o, from, to));
    carry_touch(&o, from, to);
    carry_history(&o, from, to);
    solver_of(to)->refresh(to, set, pool); /* for the substep of `from` */
    LIM_TRY(carry_regions(scratch, scratch, &o, map->source, from, to, &fits));
    if (fits.count > 0) {
        LIM_TRY(carry_rotations(scratch, &fits, set, pool, to));
        if (to->topology->kind->nodes ==
            LIM_NODES_IN_CELLS) { /* corners carry the skin as they did */
            LIM_TRY(carry_skin(scratch, &o, from, set, pool, to));
        }
        LIM_TRY(carry_rotations(scratch, &fits, set, pool, to));
    }
    LIM_TRY(carry_held_places(scratch, &o, from, to));
    LIM_TRY(carry_turning(scratch, &o, from, to));
    body_refresh_shape(to, set, pool);
    return LIM_OK;
}

lim_result body_carry(const body* from, topology* after, const carry_map* map, isa set,
                      workers* pool, body* out) {
    if (!after->kind->edits || after->kind != from->topology->kind) {
        return LIM_ERROR_UNSUPPORTED;
    }
    body made;
    LIM_TRY(make_body(from, after, &made));
    arena scratch;
    arena_init(&scratch, &from->host);
    lim_result result = carry(&scratch, from, map, set, pool, &made);
    arena_release(&scratch);
    if (result != LIM_OK) {
        body_destroy(&made);
        return result;
    }
    *out = made;
    return LIM_OK;
}

/* SPDX-License-Identifier: MIT
 * Job: the skin of a body, for those who ask. In: a body whose step has ended, or whose state was
 * set. Out: its skin, made when somebody asks for it, once.
 *
 * Between steps nodes do not change without the skin being published anew, so it can be made at any
 * time until the next step, of the same bits. Who was asked for after each of the last two steps is
 * likely to be asked again, and its skin is made within the step, beside those of others; who is
 * looked at every few steps, or never, costs nothing there. Nothing that moves may depend on
 * whether a skin was made.
 *
 * Two buffers take turns at each step, made or not, so what another thread reads during the next
 * step is not written before the one after that.
 */
#include "body/body.h"
#include "body/meeting_side.h"

#include <string.h>

enum { ASKED_TWICE = 3 }; /* the last bits of body.skin_asked */

/* affine, components: of the moment to be shown. */
static void make_skin(const body* b, float* affine, component* components, body_skin* to, isa set,
                      workers* pool) {
    const topology* t = b->topology;
    node_state nodes = body_nodes(b);
    nodes.affine = affine;
    nodes.components = components;
    skin_surface surface = {t->vertex_count, t->triangle_count, t->vertex_point,
                            t->normal,       t->tangent,        t->indices};
    skin_output out = {.origin = components[0].origin,
                       .positions = to->positions,
                       .normals = to->normals,
                       .tangents = to->tangents};
    skin_deform(&t->bind, &surface, &nodes, body_metres(b), set, pool, &out);
    contact_clear_skin(to->lifters.data, to->lifters.count, set, &out, t->vertex_count);
    to->origin = out.origin;
    to->lower = out.lower;
    to->upper = out.upper;
    to->made = true;
}

static void make_front(body* b, isa set, workers* pool) {
    body_skin* front = &b->skin[b->skin_front];
    if (!front->made) {
        make_skin(b, b->affine, b->components, front, set, pool);
    }
}

const body_skin* body_skin_now(body* b, isa set, workers* pool) {
    b->skin_asked |= 1;
    make_front(b, set, pool);
    return &b->skin[b->skin_front];
}

/* ---- publishing ---------------------------------------------------------------------------------
 */

/* From the positions as they are now, so that loading finds the same. */
void body_complete_affine(body* b, isa set, workers* pool) {
    node_state nodes = body_nodes(b);
    body_pins_affine(b);
    skin_prepare(&nodes, set, pool);
    b->box_known = false;
}

void body_publish_step(body* b, const body_step_input* in) {
    body_complete_affine(b, in->set, in->pool);
    b->skin_front = 1 - b->skin_front;
    body_skin* front = &b->skin[b->skin_front];
    front->made = false;
    front->lifters.count =
        contact_lifters(&b->contacts, in->colliders, in->dt, front->lifters.data);
    if ((b->skin_asked & ASKED_TWICE) == ASKED_TWICE) {
        make_front(b, in->set, in->pool);
    }
    b->skin_asked = (uint8_t)(b->skin_asked << 1);
}

void body_publish_set(body* b, isa set, workers* pool) {
    body_complete_affine(b, set, pool);
    b->skin[b->skin_front].made = false;
    b->skin[b->skin_front].lifters.count = 0;
}

void body_skin_settle(body* b, isa set, workers* pool) {
    make_front(b, set, pool);
}

lim_result body_reserve_lifters(body* b) {
    int32_t count = contact_collider_count(&b->contacts);
    bool room = ARRAY_RESERVE(&b->host, &b->skin[0].lifters, count) &&
                ARRAY_RESERVE(&b->host, &b->skin[1].lifters, count);
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

/* ---- the skin before the last step --------------------------------------------------------------
 */

lim_result body_reserve_before(body* b) {
    const topology* t = b->topology;
    if (b->before.affine == NULL) {
        b->before.affine = ARENA_ROOM(&b->mem, float, 16 * (int64_t)t->slot_count);
        LIM_TRY_MEMORY(b->before.affine);
    }
    if (b->before.components == NULL) {
        b->before.components = ARENA_ARRAY(&b->mem, component, t->component_count);
        LIM_TRY_MEMORY(b->before.components);
    }
    return LIM_OK;
}

void body_keep_before(body* b) {
    const topology* t = b->topology;
    b->before.kept = b->before.components != NULL && !b->skin[b->skin_front].made;
    if (b->before.kept) {
        memcpy(b->before.affine, b->affine, 16 * (size_t)t->slot_count * sizeof(float));
        memcpy(b->before.components, b->components, (size_t)t->component_count * sizeof(component));
    }
}

bool body_has_before(const body* b) {
    return b->before.kept || b->skin[1 - b->skin_front].made;
}

const body_skin* body_skin_before(body* b, isa set, workers* pool) {
    body_skin* back = &b->skin[1 - b->skin_front];
    if (!back->made) {
        make_skin(b, b->before.affine, b->before.components, back, set, pool);
    }
    return back;
}

/* ---- what ends ----------------------------------------------------------------------------------
 */

static bool is_lifted_by(const body_skin* s, const collider_asset* asset) {
    bool lifted = false;
    for (int32_t i = 0; i < s->lifters.count && !s->made; ++i) {
        lifted = lifted || s->lifters.data[i].asset == asset;
    }
    return lifted;
}

void body_skin_forget(body* b, const collider_asset* asset, isa set, workers* pool) {
    if (is_lifted_by(&b->skin[b->skin_front], asset)) {
        make_front(b, set, pool);
    }
    if (b->before.kept && is_lifted_by(&b->skin[1 - b->skin_front], asset)) {
        body_skin_before(b, set, pool);
    }
}

/* ---- where the surface is -----------------------------------------------------------------------
 */

lim_box body_box(body* b) {
    if (!b->box_known) {
        b->box = meeting_side_box(b);
        b->box_known = true;
    }
    return b->box;
}

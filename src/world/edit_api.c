/* SPDX-License-Identifier: MIT
 * Job: edits at the border. In: ids and descriptors, checked here. Out: a body that was edited, or
 * one that is as it was and a reason.
 */
#include "base/timer.h"
#include "world/model.h"
#include "world/world.h"

lim_cut_desc lim_cut_desc_default(void) {
    return (lim_cut_desc){.cookie = COOKIE_CUT, .inner_submesh = -1};
}

/* ---- looking at it ------------------------------------------------------------------------------
 */

static lim_result get_model(const lim_world* world, lim_body id, lim_model** out) {
    const world_body* b = world_body_of(world, "lim_body_get_model", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    topology_retain(b->body.topology);
    lim_result result = model_wrap(b->body.topology, &world->host, out);
    if (result != LIM_OK) {
        return log_fail(&world->host, result, "lim_body_get_model: the host gave no memory");
    }
    return LIM_OK;
}

lim_result lim_body_get_model(const lim_world* world, lim_body id, lim_model** out_model) {
    if (out_model != NULL) {
        *out_model = NULL;
    }
    if (!world_given(world, "lim_body_get_model", "out_model", out_model)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(get_model(world, id, out_model));
}

const lim_vertex_source* lim_model_get_sources(const lim_model* model, int32_t* out_count) {
    if (out_count != NULL) {
        *out_count = model != NULL ? model->topology->source_count : 0;
    }
    return model != NULL ? model->topology->source : NULL;
}

/* ---- cutting ------------------------------------------------------------------------------------
 */

check world_editable(const lim_world* world, const char* call, lim_body id, world_body** out) {
    check c = check_begin(&world->host, call);
    world_body* b = *out = world_body_of(world, call, id);
    c.result = b != NULL ? LIM_OK : LIM_ERROR_ID;
    if (b != NULL && !b->body.topology->kind->edits) {
        c.result = log_fail(&world->host, LIM_ERROR_UNSUPPORTED,
                            "%s: bodies of %s cannot be edited; make the model with another kind",
                            call, b->body.topology->kind->name);
    }
    return c;
}

check world_refinable(const lim_world* world, const char* call, lim_body id, world_body** out) {
    check c = world_editable(world, call, id, out);
    if (c.result == LIM_OK && !(*out)->body.topology->kind->levels) {
        c.result = log_fail(&world->host, LIM_ERROR_UNSUPPORTED,
                            "%s: all cells of a %s are of one size; make the model with "
                            "LIM_KIND_OCTREE",
                            call, (*out)->body.topology->kind->name);
    }
    return c;
}

static lim_result check_cut(check c, const lim_cut_desc* desc, const topology* t) {
    check_cookie(&c, desc->cookie, COOKIE_CUT, "lim_cut_desc_default");
    check_integer(&c, "count", desc->count, 2, 4096, "2 to 4096 stations");
    check_pointer(&c, "tips", desc->tips);
    check_pointer(&c, "backs", desc->backs);
    check_integer(&c, "refine", desc->refine, 0, 20, "a number of levels from 0 to 20");
    check_integer(&c, "inner_submesh", desc->inner_submesh, -1, t->submesh_count,
                  "-1 for one of its own, or a submesh of the body");
    for (int32_t i = 0; c.result == LIM_OK && i < desc->count; ++i) {
        check_point(&c, "tips", desc->tips[i]);
        check_point(&c, "backs", desc->backs[i]);
    }
    return c.result;
}

static const char* cut_failure(lim_result result) {
    switch (result) {
    case LIM_ERROR_MEMORY:
        return "the host gave no memory";
    case LIM_ERROR_MESH:
        return "the skin is not closed, or inside out, where the blade meets it; close its holes "
               "and turn its triangles outwards before the model is made";
    case LIM_ERROR_UNSUPPORTED:
        return "skin or blade cross themselves there, so that there is no sound cut; move the "
               "blade "
               "a little, or sweep it in smaller parts";
    case LIM_ERROR_TOO_LARGE:
        return "too much would be made; use a shorter sweep";
    default:
        return "the sweep has no area or folds onto itself; move the blade across its length";
    }
}

/* Faces of all cuts are one submesh, behind those of the mesh. */
static int32_t inner_of(const lim_cut_desc* desc, const topology* t) {
    return desc->inner_submesh >= 0 ? desc->inner_submesh : t->own_submeshes;
}

static lim_result try_cut(lim_world* world, int32_t index, const lim_cut_desc* desc, arena* a,
                          edit_stroke* stroke, edit_made* made, const char** why) {
    world_body* b = world->bodies[index];
    double begin = timer_now(&world->host);
    blade_strip sweep = {desc->count, desc->tips, desc->backs};
    edit_stroke ended = {.number = b->stroke.number};
    const edit_stroke* before = desc->continues ? &b->stroke : &ended;
    LIM_TRY(stroke_add(a, before, &b->body, &sweep, &world->host, stroke, why));
    edit_cut_plan plan = {.base = stroke->base,
                          .refine = desc->refine,
                          .inner_submesh = inner_of(desc, stroke->base),
                          .stroke = stroke->number};
    edit_blade* blade;
    LIM_TRY(stroke_blades(a, stroke, &blade, &plan.blade_count, why));
    plan.blade = blade;
    double at_rest = timer_now(&world->host);
    edit_means with = {&world->host, world->set, world->pool, a};
    LIM_TRY(edit_cut(&with, &b->body, &plan, made));
    made->report.blade = at_rest - begin;
    if (made->report.changed) {
        lim_result result = world_body_take(world, index, made, a);
        if (result != LIM_OK) {
            body_destroy(&made->body);
        }
        LIM_TRY(result);
    }
    made->report.total = timer_now(&world->host) - begin;
    return LIM_OK;
}

static lim_result check_goes_on(const check* c, const world_body* b, const lim_cut_desc* desc) {
    blade_strip sweep = {desc->count, desc->tips, desc->backs};
    if (b->stroke.base == NULL) {
        return log_fail(c->host, LIM_ERROR_ARGUMENT,
                        "%s: continues is set, and the body has no stroke: none has begun, or it "
                        "has ended with a split, a tear or a reset; begin one with continues "
                        "false",
                        c->call);
    }
    double gap = stroke_gap(&b->stroke, &b->body, &sweep);
    if (gap > 0.0) {
        return log_fail(c->host, LIM_ERROR_ARGUMENT,
                        "%s: continues is set, and the first station is %g m from where the stroke "
                        "has ended; begin there (lim_body_get_stroke), or begin a stroke with "
                        "continues false",
                        c->call, gap);
    }
    return LIM_OK;
}

static lim_result cut(lim_world* world, lim_body id, const lim_cut_desc* desc,
                      lim_edit_report* out) {
    world_body* b;
    check c = world_editable(world, "lim_body_cut", id, &b);
    LIM_TRY(c.result);
    /* A stroke that goes on is cut anew from where it began. */
    bool goes_on = desc->continues && b->stroke.base != NULL;
    LIM_TRY(check_cut(c, desc, goes_on ? b->stroke.base : b->body.topology));
    if (desc->continues) {
        LIM_TRY(check_goes_on(&c, b, desc));
    }
    arena a;
    arena_init(&a, &world->host);
    edit_stroke stroke = {0};
    edit_made made = {0};
    const char* why = NULL;
    lim_result result = try_cut(world, (int32_t)id.index, desc, &a, &stroke, &made, &why);
    arena_release(&a);
    if (result != LIM_OK) {
        stroke_free(&stroke, &world->host);
        return log_fail(&world->host, result, "lim_body_cut: %s; nothing was changed",
                        why != NULL ? why : cut_failure(result));
    }
    stroke_free(&b->stroke, &world->host);
    b->stroke = stroke;
    if (out != NULL) {
        *out = made.report;
    }
    return LIM_OK;
}

lim_result lim_body_cut(lim_world* world, lim_body id, const lim_cut_desc* desc,
                        lim_edit_report* out_report) {
    if (out_report != NULL) {
        *out_report = (lim_edit_report){0};
    }
    if (!world_given(world, "lim_body_cut", "desc", desc)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(cut(world, id, desc, out_report));
}

bool lim_body_get_stroke(const lim_world* world, lim_body id, lim_point* out_tip,
                         lim_point* out_back) {
    const world_body* b = world != NULL ? world_body_of(world, "lim_body_get_stroke", id) : NULL;
    if (b == NULL || b->stroke.base == NULL) {
        return false;
    }
    if (out_tip != NULL) {
        *out_tip = b->stroke.tip;
    }
    if (out_back != NULL) {
        *out_back = b->stroke.back;
    }
    return true;
}

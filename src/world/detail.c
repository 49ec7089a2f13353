/* SPDX-License-Identifier: MIT
 * Job: level of detail at the border and in the step. In: shapes to refine or coarsen, what bodies
 * wish of their cells, limits of the world. Out: edited bodies. Everything depends on the state
 * alone, and limits count nodes, never time: the same calls give the same bits everywhere.
 */
#include "body/material.h"
#include "edit/detail_wish.h"
#include "world/world.h"

/* A body whose wishes could not be met is tried again after so many steps. */
enum { DETAIL_PATIENCE = 8, DETAIL_WORK = 256 };
#define DETAIL_COARSEST 8.0

lim_refine_desc lim_refine_desc_default(void) {
    return (lim_refine_desc){
        .cookie = COOKIE_REFINE, .shape = LIM_SHAPE_SPHERE, .size = {0.1f, 0.1f, 0.1f}};
}

lim_detail lim_detail_default(void) {
    return (lim_detail){
        .cookie = COOKIE_DETAIL, .touch_time = 1.0f, .hysteresis = 1.5f, .rest_coarse = true};
}

lim_world_detail lim_world_detail_default(void) {
    return (lim_world_detail){.work = DETAIL_WORK};
}

/* ---- levels of a body -------------------------------------------------------------------------
 */

/* What one decision about the levels of a body needs. */
typedef struct leveling {
    arena* a;
    const body* b;
    detail_nodes nodes; /* in the world, metres */
    level_wish* wish;   /* per slot */
} leveling;

/* The coarsest level whose cells have edges of at most so many metres. */
static int32_t level_of_size(const body* b, double metres) {
    const topology* t = b->topology;
    int32_t level = t->levels;
    double edge = (double)t->cell * body_metres(b);
    while (level > 0 && 2.0 * edge <= metres * (1.0 + 1e-6)) {
        edge *= 2.0;
        level--;
    }
    return level;
}

static int32_t coarsest_now(const topology* t) {
    int32_t level = t->levels;
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t own = octant_of(t->key[t->node_slot[i]]).level;
        level = own < level ? own : level;
    }
    return level;
}

static lim_result begin_leveling(leveling* l, arena* a, const body* b) {
    const topology* t = b->topology;
    double metres = body_metres(b);
    lim_point* place = ARENA_ARRAY(a, lim_point, t->slot_count);
    float* side = ARENA_ARRAY(a, float, t->slot_count);
    *l = (leveling){.a = a, .b = b, .wish = ARENA_ARRAY(a, level_wish, t->slot_count)};
    LIM_TRY_MEMORY(place);
    LIM_TRY_MEMORY(side);
    LIM_TRY_MEMORY(l->wish);
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        const component* c = &b->components[t->slot_component[slot]];
        place[slot] = node_to_world(c, metres, body_slot_local(b, slot));
        side[slot] = (float)((double)t->side[slot] * metres);
    }
    l->nodes = (detail_nodes){.coarsest = coarsest_now(t),
                              .finest = t->levels,
                              .cell = (double)t->cell * metres,
                              .count = t->slot_count,
                              .position = place,
                              .side = side};
    return LIM_OK;
}

/* Whether a node is outside of what it wishes, so that it may be worth looking closer. */
static bool is_restless(const leveling* l) {
    const topology* t = l->b->topology;
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i], level = octant_of(t->key[slot]).level;
        if (level < l->wish[slot].coarsest || level > l->wish[slot].finest) {
            return true;
        }
    }
    return false;
}

/* Chooses levels and edits the body when they are others than now. */
static lim_result apply_with(lim_world* world, int32_t index, leveling* l, material_tree tree,
                             const level_limits* limits, edit_made* made, level_report* report) {
    const topology* t = l->b->topology;
    int8_t* now = ARENA_ARRAY(l->a, int8_t, t->matter.count);
    int8_t* level = ARENA_ARRAY(l->a, int8_t, t->matter.count);
    level_wish* wish = ARENA_ARRAY(l->a, level_wish, t->matter.count);
    LIM_TRY_MEMORY(now);
    LIM_TRY_MEMORY(level);
    LIM_TRY_MEMORY(wish);
    edit_levels_of(t, now);
    detail_spread(l->wish, t->matter.count, t->fragment_slot, NULL, wish);
    LIM_TRY(levels_choose(l->a, tree.pieces, now, wish, limits, level, report));
    if (report->refined == 0 && report->joined == 0) {
        made->report.nodes_before = made->report.nodes_after = t->node_count;
        made->report.pieces = t->component_count;
        return LIM_OK;
    }
    edit_means with = {&world->host, world->set, world->pool, l->a};
    LIM_TRY(edit_levels(&with, l->b, tree, level, made));
    lim_result result = world_body_take(world, index, made, l->a);
    if (result != LIM_OK) {
        body_destroy(&made->body);
    }
    return result;
}

static lim_result apply(lim_world* world, int32_t index, leveling* l, const level_limits* limits,
                        edit_made* made, level_report* report) {
    material_tree tree;
    LIM_TRY(material_tree_of(l->b->topology, &world->host, &tree));
    lim_result result = apply_with(world, index, l, tree, limits, made, report);
    shared_leave(tree.mem);
    return result;
}

/* ---- once ---------------------------------------------------------------------------------------
 */

static detail_request request_of(const lim_refine_desc* desc, int32_t level) {
    detail_request r = {.level = level, .centre = desc->position};
    lim_point half = p3_of(desc->size);
    if (desc->shape == LIM_SHAPE_SPHERE) {
        r.radius = (double)desc->size.x;
    } else {
        r.box = (lim_box){p3_sub(desc->position, half), p3_add(desc->position, half)};
    }
    return r;
}

static lim_result change_once(lim_world* world, int32_t index, const lim_refine_desc* desc,
                              bool finer, arena* a, edit_made* made) {
    const body* b = &world->bodies[index]->body;
    leveling l;
    level_report report;
    LIM_TRY(begin_leveling(&l, a, b));
    double size = (double)desc->cell_size;
    int32_t level = size > 0.0 ? level_of_size(b, size) : finer ? b->topology->levels : 0;
    detail_request r = request_of(desc, level);
    l.nodes.coarsest = level < l.nodes.coarsest ? level : l.nodes.coarsest;
    detail_keep(&l.nodes, l.wish);
    LIM_TRY(finer ? detail_by_request(&l.nodes, &r, l.wish) : detail_release(&l.nodes, &r, l.wish));
    level_limits limits = {.coarsest = l.nodes.coarsest};
    return apply(world, index, &l, &limits, made, &report);
}

static lim_result change(lim_world* world, const char* call, lim_body id,
                         const lim_refine_desc* desc, bool finer, lim_edit_report* out) {
    world_body* b;
    check c = world_refinable(world, call, id, &b);
    check_cookie(&c, desc->cookie, COOKIE_REFINE, "lim_refine_desc_default");
    if (c.result == LIM_OK && desc->shape != LIM_SHAPE_SPHERE && desc->shape != LIM_SHAPE_BOX) {
        check_fail(&c, LIM_ERROR_ARGUMENT, "shape is neither LIM_SHAPE_SPHERE nor LIM_SHAPE_BOX",
                   "give one of these");
    }
    check_shape(&c, desc->shape, desc->size, false);
    check_point(&c, "position", desc->position);
    check_number(&c, "cell_size", (double)desc->cell_size, 0.0, (double)CHECK_LENGTH,
                 "metres, or 0");
    LIM_TRY(c.result);
    arena a;
    arena_init(&a, &world->host);
    edit_made made = {0};
    lim_result result = change_once(world, (int32_t)id.index, desc, finer, &a, &made);
    arena_release(&a);
    if (result != LIM_OK) {
        return log_fail(&world->host, result, "%s: %s; nothing was changed", call,
                        result == LIM_ERROR_MEMORY ? "the host gave no memory"
                                                   : "it cannot be done here");
    }
    if (out != NULL) {
        *out = made.report;
    }
    return LIM_OK;
}

lim_result lim_body_refine(lim_world* world, lim_body id, const lim_refine_desc* desc,
                           lim_edit_report* out_report) {
    if (out_report != NULL) {
        *out_report = (lim_edit_report){0};
    }
    if (!world_given(world, "lim_body_refine", "desc", desc)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(change(world, "lim_body_refine", id, desc, true, out_report));
}

lim_result lim_body_coarsen(lim_world* world, lim_body id, const lim_refine_desc* desc,
                            lim_edit_report* out_report) {
    if (out_report != NULL) {
        *out_report = (lim_edit_report){0};
    }
    if (!world_given(world, "lim_body_coarsen", "desc", desc)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(change(world, "lim_body_coarsen", id, desc, false, out_report));
}

/* ---- while it runs ------------------------------------------------------------------------------
 */

static lim_result set_detail(lim_world* world, lim_body id, const lim_detail* detail) {
    world_body* b;
    check c = world_refinable(world, "lim_body_set_detail", id, &b);
    if (detail != NULL) {
        check_cookie(&c, detail->cookie, COOKIE_DETAIL, "lim_detail_default");
        check_detail(&c, detail);
    }
    LIM_TRY(c.result);
    b->detailed = detail != NULL;
    b->detail = detail != NULL ? *detail : lim_detail_default();
    b->detail_waits = false;
    if (!b->detailed || !(b->detail.touch > 0.0f)) {
        b->body.feels_touch = false;
    } else if (!b->body.feels_touch) {
        body_feel_touch(&b->body);
    }
    return LIM_OK;
}

lim_result lim_body_set_detail(lim_world* world, lim_body id, const lim_detail* detail) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_detail(world, id, detail));
}

bool lim_body_get_detail(const lim_world* world, lim_body id, lim_detail* out) {
    const world_body* b =
        world != NULL && out != NULL ? world_body_of(world, "lim_body_get_detail", id) : NULL;
    if (out != NULL) {
        *out = b != NULL && b->detailed ? b->detail : lim_detail_default();
        out->cookie = COOKIE_DETAIL;
    }
    return b != NULL && b->detailed;
}

lim_result lim_world_set_detail(lim_world* world, const lim_world_detail* detail) {
    if (!world_given(world, "lim_world_set_detail", "detail", detail)) {
        return LIM_ERROR_ARGUMENT;
    }
    check c = check_begin(&world->host, "lim_world_set_detail");
    check_world_detail(&c, detail);
    LIM_TRY(c.result);
    world->settings.detail = *detail;
    return LIM_OK;
}

lim_world_detail lim_world_get_detail(const lim_world* world) {
    return world != NULL ? world->settings.detail : lim_world_detail_default();
}

/* Distances are those at rest: a body that is stretched does not leave the reach of a touch. */
static lim_result wish_by_touch(const lim_detail* d, leveling* l, int32_t finest) {
    const topology* t = l->b->topology;
    double metres = body_metres(l->b);
    bool any = false;
    for (int32_t i = 0; i < t->slot_count && !any; ++i) {
        any = l->b->since_touch[i] <= d->touch_time;
    }
    if (!any) {
        return LIM_OK;
    }
    lim_point* place = ARENA_ARRAY(l->a, lim_point, t->slot_count);
    LIM_TRY_MEMORY(place);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        place[i] = p3_scale(body_slot_rest(t, i), metres);
    }
    detail_nodes nodes = l->nodes;
    nodes.position = place;
    detail_touch touch = {.since = l->b->since_touch,
                          .keep = (double)d->touch_time,
                          .reach = (double)d->touch,
                          .links = topology_graph(t),
                          .finest = finest,
                          .still = l->b->asleep};
    return detail_by_touch(l->a, &nodes, &touch, l->wish);
}

/* What a body wishes by its own rules. */
static lim_result make_wishes(const lim_world* world, const world_body* w, leveling* l) {
    const lim_detail* d = &w->detail;
    const body* b = &w->body;
    double cell = l->nodes.cell;
    double coarsest = d->coarsest > 0.0f ? (double)d->coarsest : DETAIL_COARSEST * cell;
    int32_t finest = level_of_size(b, fmax((double)d->finest, cell));
    l->nodes.coarsest = level_of_size(b, fmax(coarsest, cell));
    l->nodes.coarsest = l->nodes.coarsest < finest ? l->nodes.coarsest : finest;
    detail_none(&l->nodes, l->wish);
    if ((b->asleep && d->rest_coarse) || b->paused) {
        return LIM_OK;
    }
    if (d->angle > 0.0f) {
        detail_camera camera = {.eye = world->settings.detail.eye,
                                .angle = (double)d->angle,
                                .least = (double)d->finest,
                                .hysteresis = (double)d->hysteresis};
        LIM_TRY(detail_by_camera(&l->nodes, &camera, l->wish));
    }
    if (d->strain_fine > 0.0f) {
        float* strain = ARENA_ARRAY(l->a, float, b->topology->slot_count);
        LIM_TRY_MEMORY(strain);
        world_slot_strain(b, strain);
        detail_strain limits = {d->strain_fine, d->strain_coarse, finest};
        LIM_TRY(detail_by_strain(&l->nodes, strain, &limits, l->wish));
    }
    return b->feels_touch ? wish_by_touch(d, l, finest) : LIM_OK;
}

/* A body that sleeps goes on sleeping on other cells. */
static void keep_asleep(body* b, bool asleep, float quiet) {
    b->asleep = asleep;
    b->quiet_time = quiet;
}

typedef struct detail_turn {
    int32_t nodes; /* of all bodies with details; no limit: see settings */
    int32_t work;  /* left in this step */
} detail_turn;

static lim_result take_turn(lim_world* world, int32_t index, arena* a, detail_turn* turn) {
    world_body* w = world->bodies[index];
    const lim_world_detail* limit = &world->settings.detail;
    int32_t before = w->body.topology->node_count;
    leveling l;
    LIM_TRY(begin_leveling(&l, a, &w->body));
    LIM_TRY(make_wishes(world, w, &l));
    bool over = (w->detail.nodes > 0 && before > w->detail.nodes) ||
                (limit->nodes > 0 && turn->nodes > limit->nodes);
    if (!is_restless(&l) && !over) {
        w->detail_waits = false;
        return LIM_OK;
    }
    level_limits limits = {.coarsest = l.nodes.coarsest,
                           .nodes = w->detail.nodes,
                           .work = limit->work > 0 ? turn->work : 0};
    if (limit->nodes > 0) {
        int32_t room = before + limit->nodes - turn->nodes;
        room = room > 1 ? room : 1;
        limits.nodes = limits.nodes > 0 && limits.nodes < room ? limits.nodes : room;
    }
    bool asleep = w->body.asleep;
    float quiet = w->body.quiet_time;
    edit_made made = {0};
    level_report report = {0};
    LIM_TRY(apply(world, index, &l, &limits, &made, &report));
    keep_asleep(&w->body, asleep, quiet);
    w->detail_waits = report.refined == 0 && report.joined == 0;
    turn->nodes += w->body.topology->node_count - before;
    turn->work -= report.refined + report.joined + made.report.new_nodes;
    return LIM_OK;
}

static bool is_due(const lim_world* world, int32_t index) {
    const world_body* w = world->bodies[index];
    uint64_t turn = (world->settings.tick + (uint64_t)index) % DETAIL_PATIENCE;
    return w->detailed && w->body.enabled && !w->body.frozen && (!w->detail_waits || turn == 0);
}

void world_detail_update(lim_world* world) {
    detail_turn turn = {.work = world->settings.detail.work};
    bool any = false;
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        bool detailed = world->bodies[i]->detailed;
        turn.nodes += detailed ? world->bodies[i]->body.topology->node_count : 0;
        any = any || detailed;
    }
    /* In turns, so that no body is always the first to be served. */
    int32_t count = world->body_slots.count;
    int32_t first = count > 0 ? (int32_t)(world->settings.tick % (uint64_t)count) : 0;
    for (int32_t k = 0; any && k < count; ++k) {
        int32_t i = (first + k) % count;
        bool room = world->settings.detail.work == 0 || turn.work > 0;
        if (!slots_is_used(&world->body_slots, i) || !is_due(world, i) || !room) {
            continue;
        }
        arena a;
        arena_init(&a, &world->host);
        lim_result result = take_turn(world, i, &a, &turn);
        arena_release(&a);
        if (result != LIM_OK) {
            log_say(&world->host, LIM_LOG_WARNING, "lim_world_step: body %d keeps its cells (%s)",
                    i, lim_result_name(result));
        }
    }
}

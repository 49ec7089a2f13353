/* SPDX-License-Identifier: MIT
 * Job: one pose, both models, one after the other, and the example that they make. In: a pose. Out:
 * how the body is deformed, what the accurate skin differs by in the axes of the rest shape, where
 * the tool touches, and that as a stamp.
 */
#include "train/stamp_make.h"
#include "train/trainer_inside.h"

/* Displacements below this share of the largest are left out. */
#define LEAST 2e-3f

/* The point of the skin that is nearest to the tool, in the rest shape. */
static lim_vec3 nearest_to_tool(const trainer* t, const body* b, const body_skin* plain,
                                const collider* tool) {
    double least = INFINITY;
    lim_vec3 at = v3(0, 0, 0);
    for (int32_t i = 0; i < t->points; ++i) {
        int32_t v = t->skin.point_vertex[i];
        if (v < 0 || t->skin.fan_start[i + 1] == t->skin.fan_start[i]) {
            continue;
        }
        const float* p = plain->positions + 3 * (size_t)v;
        lim_point place = p3_add(plain->origin, p3((double)p[0], (double)p[1], (double)p[2]));
        double gap = collider_gap(tool, place);
        if (gap < least) {
            least = gap;
            at = bindings_rest(&b->topology->bind, i);
        }
    }
    return at;
}

static bool is_touched(const body* b) {
    bool touched = false;
    for (int32_t i = 0; i < b->contacts.items.count; ++i) {
        touched = touched || b->contacts.items.data[i].pushed;
    }
    return touched;
}

static lim_result solve_pair(const trainer* t, arena* scratch, train_pair* pair) {
    lim_world* world = pair->coarse.world;
    body* b = &world->bodies[t->start.body.index]->body;
    const collider* tool = &world->colliders[t->start.tool.index].shape;
    const body_skin* plain = body_skin_now(b, world->set, world->pool);
    trained_search room;
    LIM_TRY(trained_search_create(scratch, b->topology, &room));
    LIM_TRY_MEMORY(pair->accurate = ARENA_ARRAY(scratch, lim_point, t->points));
    lim_vec3 about = nearest_to_tool(t, b, plain, tool);
    bool near =
        trained_contact(b, &t->skin, tool, about, t->grid.radius, world->set, &room, &pair->spot);
    if (!near || !(is_touched(b) || b->asleep)) {
        pair->status = TRAIN_MISSED;
        return LIM_OK;
    }
    if (!pair->coarse.rests) {
        pair->status = TRAIN_RESTLESS;
        return LIM_OK;
    }
    lim_host silent = t->host;
    silent.log = NULL;
    lim_result result =
        accurate_skin_solve(&t->rest, world, t->start.body, t->start.tool, &t->training,
                            pair->spot.point, scratch, &silent, pair->accurate, &pair->shell);
    if (result == LIM_ERROR_MEMORY) {
        return result;
    }
    pair->status = result != LIM_OK        ? TRAIN_FAILED
                   : pair->shell.converged ? TRAIN_DONE
                                           : TRAIN_NOT_CONVERGED;
    return LIM_OK;
}

lim_result train_pair_make(const trainer* t, const tool_pose* pose, const void* detail,
                           size_t detail_size, arena* scratch, train_pair* out) {
    *out = (train_pair){.status = TRAIN_FAILED};
    LIM_TRY(coarse_press_run(&t->start, pose, scratch, &t->host, &out->coarse));
    lim_result result = LIM_OK;
    if (detail != NULL) { /* a step later the body knows who presses */
        result = lim_body_set_trained_detail(out->coarse.world, t->start.body, detail, detail_size);
        LIM_TRY(lim_body_wake(out->coarse.world, t->start.body));
        result = result == LIM_OK ? lim_world_step(out->coarse.world, (float)t->start.dt) : result;
    }
    return result == LIM_OK ? solve_pair(t, scratch, out) : result;
}

/* ---- the example --------------------------------------------------------------------------------
 */

static lim_result take_way(const trainer* t, const body* b, arena* a, arena* scratch,
                           detail_example* e) {
    trained_nodes nodes;
    LIM_TRY(trained_nodes_create(scratch, b->topology, &nodes));
    trained_nodes_update(b, &nodes);
    int32_t width = displacement_width(t->nodes);
    LIM_TRY_MEMORY(e->way = ARENA_ARRAY(a, float, width));
    e->size = displacement_of(&nodes.nodes, e->way);
    for (int32_t i = 0; i < width && e->size > 0.0f; ++i) {
        e->way[i] /= e->size;
    }
    return LIM_OK;
}

/* Accurate minus coarse, in the axes of the rest shape, unit lengths. Returns the longest. */
static float take_difference(const trainer* t, const train_pair* pair, const body_skin* plain,
                             float* field) {
    float most = 0.0f;
    for (int32_t i = 0; i < t->points; ++i) {
        int32_t v = t->skin.point_vertex[i];
        if (v < 0) {
            continue;
        }
        const float* p = plain->positions + 3 * (size_t)v;
        lim_point off = p3_sub(pair->accurate[i], p3((double)p[0], (double)p[1], (double)p[2]));
        lim_vec3 own = v3_of(p3_scale(off, 1.0 / t->rest.metres));
        own = detail_to_rest(&t->skin, i, own, plain->positions, plain->normals);
        detail_set(field, i, own);
        most = v3_length(own) > most ? v3_length(own) : most;
    }
    return most;
}

lim_result train_example_make(const trainer* t, const train_pair* pair, arena* a, arena* scratch,
                              detail_example* e, double* out_most) {
    lim_world* world = pair->coarse.world;
    body* b = &world->bodies[t->start.body.index]->body;
    const body_skin* plain = body_skin_now(b, world->set, world->pool);
    int32_t texels = t->grid.side * t->grid.side;
    float* field = ARENA_ARRAY(scratch, float, detail_blocks(t->points) * DETAIL_BLOCK);
    float* stamp = ARENA_ARRAY(scratch, float, detail_blocks(texels) * DETAIL_BLOCK);
    LIM_TRY_MEMORY(field);
    LIM_TRY_MEMORY(stamp);
    LIM_TRY(take_way(t, b, a, scratch, e));
    e->point = pair->spot.point;
    e->normal = pair->spot.normal;
    float most = take_difference(t, pair, plain, field);
    *out_most = (double)most * t->rest.metres;
    stamp_place at = stamp_at(&t->grid, e->point, e->normal);
    LIM_TRY(stamp_make(scratch, &t->skin, &t->grid, &at, field, stamp));
    LIM_TRY(detail_field_of(a, field, detail_blocks(t->points), LEAST * most, &e->field));
    return detail_field_of(a, stamp, detail_blocks(texels), LEAST * most, &e->stamp);
}

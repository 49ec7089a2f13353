/* SPDX-License-Identifier: MIT
 * Job: picking. In: a ray or a point in world coordinates. Out: the nearest place on the skins that
 * the caller sees (skin/query.h does one skin). Of equal hits the lowest body wins.
 */
#include "skin/query.h"

#include "world/world.h"

/* Whether a ray comes within the box around a body, grown a little for interpolated skins that may
 * stick out between two steps. */
static bool ray_meets(lim_box box, lim_point from, lim_point direction, double max_t) {
    lim_point margin = p3_scale(p3_sub(box.upper, box.lower), 0.25);
    double grow = p3_length(margin) + 1e-9;
    const double low[3] = {box.lower.x - grow, box.lower.y - grow, box.lower.z - grow};
    const double high[3] = {box.upper.x + grow, box.upper.y + grow, box.upper.z + grow};
    const double at[3] = {from.x, from.y, from.z};
    const double along[3] = {direction.x, direction.y, direction.z};
    double enter = 0.0, leave = max_t;
    for (int k = 0; k < 3; ++k) {
        if (along[k] == 0.0) {
            if (at[k] < low[k] || at[k] > high[k]) {
                return false;
            }
            continue;
        }
        double a = (low[k] - at[k]) / along[k], b = (high[k] - at[k]) / along[k];
        double first = a < b ? a : b, last = a < b ? b : a;
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    return enter <= leave;
}

/* A hit on one skin as the caller wants it. */
static lim_hit hit_of(const lim_world* world, int32_t index, const skin_hit* found) {
    world_body* b = world->bodies[index];
    const uint32_t* indices = b->body.topology->indices;
    world_shown shown = world_body_shown(world, b);
    lim_point at = p3(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        const float* p =
            shown.positions + 3 * (size_t)indices[3 * (size_t)found->triangle + (size_t)k];
        at = p3_mad(at, p3((double)p[0], (double)p[1], (double)p[2]), (double)found->weights[k]);
    }
    return (lim_hit){
        .body = {(uint32_t)index, world->body_slots.generation[index]},
        .triangle = found->triangle,
        .weights = {found->weights[0], found->weights[1], found->weights[2]},
        .distance = found->distance,
        .point = p3_add(shown.origin, at),
        .normal = skin_triangle_normal(shown.positions, indices, found->triangle),
    };
}

static lim_result pick(const lim_world* world, lim_point origin, lim_vec3 direction,
                       double max_distance, lim_hit* out) {
    check c = check_begin(&world->host, "lim_world_pick");
    check_point(&c, "origin", origin);
    check_vector(&c, "direction", direction, 1e15, "a vector with finite components up to 1e15");
    check_number(&c, "max_distance", max_distance, 0.0, INFINITY, "metres, 0 or more");
    double length = p3_length(p3_of(direction));
    check_number(&c, "the length of direction", length, 1e-15, 1e16, "a vector that is not zero");
    LIM_TRY(c.result);
    lim_vec3 unit = v3_of(p3_scale(p3_of(direction), 1.0 / length));
    lim_hit best = {.triangle = -1, .distance = max_distance};
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        world_body* b = world->bodies[i];
        if (!ray_meets(body_box(&b->body), origin, p3_of(unit), best.distance)) {
            continue;
        }
        world_shown shown = world_body_shown(world, b);
        const topology* t = b->body.topology;
        skin_hit found = skin_ray(shown.positions, t->indices, t->triangle_count,
                                  p3_sub(origin, shown.origin), unit, best.distance);
        if (found.triangle >= 0 && (best.triangle < 0 || found.distance < best.distance)) {
            best = hit_of(world, i, &found);
        }
    }
    *out = best.triangle >= 0 ? best : (lim_hit){.triangle = -1};
    return LIM_OK;
}

lim_result lim_world_pick(const lim_world* world, lim_point origin, lim_vec3 direction,
                          double max_distance, lim_hit* out_hit) {
    if (!world_given(world, "lim_world_pick", "out_hit", out_hit)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(pick(world, origin, direction, max_distance, out_hit));
}

static lim_result closest(const lim_world* world, lim_body id, lim_point point, lim_hit* out) {
    world_body* b = world_body_of(world, "lim_body_closest_point", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    check c = check_begin(&world->host, "lim_body_closest_point");
    check_point(&c, "point", point);
    LIM_TRY(c.result);
    world_shown shown = world_body_shown(world, b);
    const topology* t = b->body.topology;
    skin_hit found = skin_closest(shown.positions, t->indices, t->triangle_count,
                                  p3_sub(point, shown.origin), INFINITY);
    *out =
        found.triangle >= 0 ? hit_of(world, (int32_t)id.index, &found) : (lim_hit){.triangle = -1};
    return LIM_OK;
}

lim_result lim_body_closest_point(const lim_world* world, lim_body id, lim_point point,
                                  lim_hit* out_hit) {
    if (!world_given(world, "lim_body_closest_point", "out_hit", out_hit)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(closest(world, id, point, out_hit));
}

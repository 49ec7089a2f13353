/* SPDX-License-Identifier: MIT
 * Job: what holds, pulls or cuts at the present moment. In: a run. Out: a list, for pictures.
 */
#include "scene_run_inside.h"

#include "math/vec3.h"

/* Of a blade's way, for its direction. */
static const double SHARE_STEP = 1e-3;

lim_collider scene_run_collider_at(const scene_run* run, int32_t index) {
    bool there = index >= 0 && index < run->source->desc.collider_count;
    return there ? run->collider[index] : (lim_collider){0, 0};
}

static bool pin_at(const scene_run* run, int32_t entry, scene_tool* out) {
    const scene_pin* p = &run->source->desc.pins[entry];
    const run_pin* now = &run->pin[entry];
    *out = (scene_tool){.kind = SCENE_TOOL_PIN,
                        .entry = entry,
                        .shape = p->shape,
                        .size = p->size,
                        .position = now->position,
                        .rotation = now->rotation,
                        .driven = scene_pin_is_driven(p)};
    return now->count > 0; /* released ones have none */
}

static bool grab_at(const scene_run* run, int32_t entry, scene_tool* out) {
    const scene_action* a = &run->source->desc.actions[entry];
    const run_action* state = &run->action[entry];
    if (state->state != RUN_ACTIVE) {
        return false;
    }
    lim_point to = a->has_to ? a->to : state->from;
    *out = (scene_tool){.kind = SCENE_TOOL_GRAB,
                        .entry = entry,
                        .to = run_between(state->from, to, run_ease(a, scene_run_time(run)))};
    return lim_grab_get_point(run->world, run->grab[state->first_grab], &out->from) == LIM_OK;
}

static lim_point middle_at(const scene_action* a, double share) {
    scene_station s = run_station(a, share);
    return run_between(s.from, s.to, 0.5);
}

static bool blade_at(const scene_run* run, int32_t entry, scene_tool* out) {
    const scene_action* a = &run->source->desc.actions[entry];
    double time = scene_run_time(run), half_step = 0.5 * run->source->desc.dt;
    if (!(a->move_time > 0.0) || time < a->at - half_step ||
        time > a->at + a->move_time + half_step) {
        return false;
    }
    double share = fmin(fmax((time - a->at) / a->move_time, 0.0), 1.0);
    scene_station s = run_station(a, share);
    lim_point way = p3_sub(middle_at(a, fmin(share + SHARE_STEP, 1.0)),
                           middle_at(a, fmax(share - SHARE_STEP, 0.0)));
    double length = p3_length(way);
    *out = (scene_tool){.kind = SCENE_TOOL_BLADE,
                        .entry = entry,
                        .from = s.from,
                        .to = s.to,
                        .forward = length > 0.0 ? p3_scale(way, 1.0 / length) : p3(0, 0, 0)};
    return true;
}

int32_t scene_run_tools(const scene_run* run, scene_tool* out, int32_t capacity) {
    const scene_desc* d = &run->source->desc;
    int32_t count = 0;
    for (int32_t i = 0; i < d->pin_count + d->action_count; ++i) {
        int32_t action = i - d->pin_count;
        scene_tool tool;
        bool there = action < 0                              ? pin_at(run, i, &tool)
                     : d->actions[action].type == SCENE_GRAB ? grab_at(run, action, &tool)
                     : d->actions[action].type == SCENE_CUT  ? blade_at(run, action, &tool)
                                                             : false;
        if (there && count < capacity) {
            out[count] = tool;
        }
        count += there;
    }
    return count;
}

/* SPDX-License-Identifier: MIT
 * Job: what acts on bodies in a frame. In: a run at a moment, the skins of the frame. Out: its
 * tools, and whether an action comes to its point. What a pin holds is the skin in its box at the
 * start: triangles are clipped to the box (Sutherland and Hodgman 1974).
 */
#include "cli/film_tools.h"

#include "cli/solids.h"
#include "math/vec3.h"

#include <math.h>

enum { CORNERS_MOST = 9 }; /* of a triangle clipped by six planes */

/* The pin's box: half edges, the same for a sphere. */
static lim_vec3 half_of(const scene_tool* t) {
    return t->shape == LIM_SHAPE_BOX ? t->size : v3(t->size.x, t->size.x, t->size.x);
}

/* What of a triangle lies within +-half, as bounds. */
static void add_clipped(const lim_vec3 triangle[3], const float half[3], film_hold* hold) {
    float corner[2][CORNERS_MOST][3];
    int32_t count = 3, from = 0;
    for (int32_t k = 0; k < 3; ++k) {
        corner[0][k][0] = triangle[k].x;
        corner[0][k][1] = triangle[k].y;
        corner[0][k][2] = triangle[k].z;
    }
    for (int32_t plane = 0; plane < 6 && count > 0; ++plane) {
        int32_t axis = plane / 2, kept = 0;
        float side = plane % 2 == 0 ? 1.0f : -1.0f;
        for (int32_t i = 0; i < count; ++i) {
            const float *a = corner[from][i], *b = corner[from][(i + 1) % count];
            float da = half[axis] - side * a[axis], db = half[axis] - side * b[axis];
            float share = da == db ? 0.0f : da / (da - db);
            for (int32_t end = 0; end < 2; ++end) {
                bool put = end == 0 ? da >= 0.0f : (da >= 0.0f) != (db >= 0.0f);
                for (int32_t k = 0; k < 3 && put && kept < CORNERS_MOST; ++k) {
                    corner[1 - from][kept][k] = end == 0 ? a[k] : a[k] + share * (b[k] - a[k]);
                }
                kept += put && kept < CORNERS_MOST;
            }
        }
        count = kept;
        from = 1 - from;
    }
    for (int32_t i = 0; i < count; ++i) {
        lim_vec3 p = v3(corner[from][i][0], corner[from][i][1], corner[from][i][2]);
        hold->lower = v3_min(hold->lower, p);
        hold->upper = v3_max(hold->upper, p);
    }
}

/* The way from the pin's centre to the skin, which may be a little longer if it leads upwards. */
static void find_way_out(const film* f, const scene_tool* t, const lim_io_frame* skin,
                         lim_quat back, film_hold* hold) {
    const float UPWARDS = 0.45f; /* share of its length that a way upwards is let off */
    lim_vec3 centre = film_relative(f, v3_of(t->position));
    float best = INFINITY;
    for (int64_t v = 0; v < skin->vertex_count; ++v) {
        const float* p = skin->positions + 3 * v;
        lim_vec3 way = v3_sub(v3(p[0], p[1], p[2]), centre);
        float length = v3_length(way), score = length - UPWARDS * way.y;
        if (score < best) {
            const float* n = skin->normals + 3 * v;
            bool inside = v3_dot(way, v3(n[0], n[1], n[2])) > 0.0f;
            best = score;
            hold->out = v3_unit(inside ? way : v3_scale(way, -1.0f), v3(0, 1, 0));
            hold->depth = inside ? length : -length;
        }
    }
    hold->out = solid_rotate(back, hold->out);
}

/* What a pin holds of a body, if anything. */
static lim_result add_hold(film* f, const scene_tool* t, const lim_io_frame* skin) {
    lim_quat back = {-t->rotation.x, -t->rotation.y, -t->rotation.z, t->rotation.w};
    lim_vec3 at = film_relative(f, v3_of(t->position)), size = half_of(t);
    const float half[3] = {size.x, size.y, size.z};
    film_hold hold = {.pin = t->entry};
    hold.lower = v3(INFINITY, INFINITY, INFINITY);
    hold.upper = v3_scale(hold.lower, -1.0f);
    lim_vec3 lower = hold.lower, upper = hold.upper;
    for (int64_t i = 0; i < skin->triangle_count; ++i) {
        lim_vec3 corner[3];
        for (int32_t k = 0; k < 3; ++k) {
            const float* p = skin->positions + 3 * (size_t)skin->indices[3 * i + k];
            corner[k] = solid_rotate(back, v3_sub(v3(p[0], p[1], p[2]), at));
            lower = v3_min(lower, corner[k]);
            upper = v3_max(upper, corner[k]);
        }
        add_clipped(corner, half, &hold);
    }
    if (!(hold.lower.x <= hold.upper.x)) {
        return LIM_OK; /* it holds another copy, or what lies deep inside */
    }
    hold.size = v3_length(v3_sub(upper, lower));
    const float least[3] = {hold.lower.x, hold.lower.y, hold.lower.z};
    const float most[3] = {hold.upper.x, hold.upper.y, hold.upper.z};
    for (int32_t k = 0; k < 3; ++k) {
        float border = half[k] - 1e-3f * hold.size;
        hold.goes_on[k][0] = least[k] < -border;
        hold.goes_on[k][1] = most[k] > border;
    }
    find_way_out(f, t, skin, back, &hold);
    return ARRAY_PUSH(&f->host, &f->holds, hold) ? LIM_OK : LIM_ERROR_MEMORY;
}

/* The bodies of an entry of the scene, from *out_first on; returns how many. */
static int32_t bodies_of(const scene_desc* d, int32_t entry, int32_t* out_first) {
    int32_t first = 0, count = 0;
    for (int32_t i = 0; i <= entry; ++i) {
        const int32_t* n = d->bodies[i].copies;
        first += count;
        count = n[0] * n[1] * n[2];
    }
    *out_first = first;
    return count;
}

/* What is drawn at its own size needs no more: bones, and what is held along a line. */
static bool is_held(const scene_tool* t) {
    return t->kind == SCENE_TOOL_PIN && t->shape != LIM_SHAPE_CAPSULE &&
           !(t->driven && t->shape == LIM_SHAPE_SPHERE);
}

static lim_result find_holds(film* f, const scene_run* run, const film_frame* frame,
                             const scene_tool* tools, int32_t count) {
    const scene_desc* d = scene_run_desc(run);
    for (int32_t i = 0; i < count; ++i) {
        if (!is_held(&tools[i])) {
            continue;
        }
        const scene_pin* pin = &d->pins[tools[i].entry];
        int32_t first, copies = bodies_of(d, pin->body, &first);
        for (int32_t k = 0; k < copies; ++k) {
            const film_part* p = &frame->parts[first + k];
            if ((pin->copy >= 0 && pin->copy != k) || p->shape == NULL) {
                continue;
            }
            const lim_io_frame skin = {.vertex_count = p->shape->vertex_count,
                                       .triangle_count = p->shape->triangle_count,
                                       .positions = frame->positions + 3 * p->first_vertex,
                                       .normals = frame->normals + 3 * p->first_vertex,
                                       .indices = p->shape->indices};
            lim_result result = add_hold(f, &tools[i], &skin);
            if (result != LIM_OK) {
                return result;
            }
        }
    }
    return LIM_OK;
}

/* The diagonal of the body that an action is about. */
static float size_of_target(const scene_run* run, int32_t action) {
    const scene_desc* d = scene_run_desc(run);
    const scene_action* a = &d->actions[action];
    int32_t first;
    (void)bodies_of(d, a->target, &first);
    lim_body body = scene_run_body_at(run, first + (a->copy > 0 ? a->copy : 0)).body;
    lim_body_motion motion;
    if (lim_body_get_motion(scene_run_world(run), body, &motion) != LIM_OK) {
        return 0.0f;
    }
    return (float)p3_length(p3_sub(motion.bounds.upper, motion.bounds.lower));
}

static film_tool tool_of(const film* f, const scene_run* run, const scene_tool* t) {
    bool pin = t->kind == SCENE_TOOL_PIN;
    return (film_tool){.kind = t->kind,
                       .shape = t->shape,
                       .size = pin ? t->size : v3(size_of_target(run, t->entry), 0.0f, 0.0f),
                       .position = film_relative(f, v3_of(t->position)),
                       .rotation = t->rotation,
                       .hold = -1,
                       .from = film_relative(f, v3_of(t->from)),
                       .to = film_relative(f, v3_of(t->to)),
                       .forward = v3_of(t->forward)};
}

/* When an action shows what it does: half of a cut, the end of a way or a pull; negative: never. */
static double telling_time(const scene_action* a) {
    switch (a->type) {
    case SCENE_CUT:
        return a->move_time > 0.0 ? a->at + 0.5 * a->move_time : -1.0;
    case SCENE_GRAB:
        return a->until >= 0.0 ? a->until : a->at + a->move_time;
    case SCENE_MOVE_COLLIDER:
    case SCENE_MOVE_PIN:
        return a->at + a->move_time;
    default:
        return -1.0;
    }
}

static bool is_telling(const film* f, const scene_run* run, double time) {
    const scene_desc* d = scene_run_desc(run);
    double last = f->frames.count > 0 ? f->frames.data[f->frames.count - 1].time : time;
    bool telling = false;
    for (int32_t i = 0; i < d->action_count; ++i) {
        double at = telling_time(&d->actions[i]);
        /* a grab is gone as soon as its time has come */
        telling = telling || (at > 0.0 && at > last + 1e-6 && at <= time + 1e-6);
    }
    return telling;
}

lim_result film_tools_take(film* f, const scene_run* run, film_frame* frame) {
    int32_t count = scene_run_tools(run, NULL, 0);
    scene_tool* tools = ARENA_ARRAY(&f->memory, scene_tool, count);
    if (tools == NULL) {
        return LIM_ERROR_MEMORY;
    }
    (void)scene_run_tools(run, tools, count);
    lim_result result = f->frames.count == 0 ? find_holds(f, run, frame, tools, count) : LIM_OK;
    frame->tools = ARENA_ARRAY(&f->memory, film_tool, (int64_t)count + f->holds.count);
    if (frame->tools == NULL || result != LIM_OK) {
        return result != LIM_OK ? result : LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < count; ++i) {
        bool held = is_held(&tools[i]);
        if (!held) {
            frame->tools[frame->tool_count++] = tool_of(f, run, &tools[i]);
        }
        for (int32_t h = 0; held && h < f->holds.count; ++h) {
            if (f->holds.data[h].pin == tools[i].entry) {
                frame->tools[frame->tool_count] = tool_of(f, run, &tools[i]);
                frame->tools[frame->tool_count++].hold = h;
            }
        }
    }
    frame->telling = is_telling(f, run, frame->time);
    return LIM_OK;
}

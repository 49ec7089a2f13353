/* SPDX-License-Identifier: MIT
 * Job: actions that change what bodies are. In: a blade on its way, bodies that have come apart.
 * Out: cut bodies, pieces as bodies of their own behind those of the scene, and a list of what each
 * edit did. Pieces are edited with the body that they came from.
 */
#include "scene_run_inside.h"

#include "base/log.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a blade's way: times are sums of steps and seldom exact. */
static const double SHARE_LEAST = 1e-7;

bool run_edits_body(const scene_run* run, const scene_action* a, int32_t body) {
    while (run->body[body].from >= 0) {
        body = run->body[body].from;
    }
    int32_t begin = run->first_body[a->target] + (a->copy >= 0 ? a->copy : 0);
    int32_t end = a->copy >= 0 ? begin + 1 : run->first_body[a->target + 1];
    return body >= begin && body < end;
}

/* ---- cutting ---------------------------------------------------------------------------------
 */

static run_stroke* stroke_of(scene_run* run, int32_t action, int32_t body, double from) {
    for (int32_t i = 0; i < run->strokes.count; ++i) {
        run_stroke* s = &run->strokes.data[i];
        if (s->action == action && s->body == body) {
            return s;
        }
    }
    run_stroke fresh = {.action = action, .body = body, .done = from};
    return ARRAY_PUSH(&run->host, &run->strokes, fresh) ? &run->strokes.data[run->strokes.count - 1]
                                                        : NULL;
}

scene_station run_station(const scene_action* a, double share) {
    double at = share * (a->blade_count - 1);
    int32_t i = (int32_t)at;
    i = i < a->blade_count - 2 ? i : a->blade_count - 2;
    double t = at - i;
    const scene_station *p = &a->blade[i], *q = p + 1;
    return (scene_station){run_between(p->from, q->from, t), run_between(p->to, q->to, t)};
}

/* The stations from one share of the way to another, its own between them; returns how many. */
static int32_t sweep_between(const scene_action* a, double from, double to, lim_point* tips,
                             lim_point* backs) {
    int32_t count = 0;
    scene_station s = run_station(a, from);
    tips[count] = s.from;
    backs[count++] = s.to;
    for (int32_t i = 0; i < a->blade_count; ++i) {
        double share = (double)i / (a->blade_count - 1);
        if (share > from && share < to) {
            tips[count] = a->blade[i].from;
            backs[count++] = a->blade[i].to;
        }
    }
    s = run_station(a, to);
    tips[count] = s.from;
    backs[count++] = s.to;
    return count;
}

/* Whether the body's stroke is still that of this blade: it ends when the body is split, torn or
 * reset, and when another blade begins one. Then one begins where the blade was. */
static bool goes_on(const scene_run* run, const run_stroke* stroke, lim_point tip, lim_point back) {
    const lim_point from[2] = {tip, back};
    lim_point end[2];
    return stroke->begun &&
           lim_body_get_stroke(run->world, run->body[stroke->body].body, &end[0], &end[1]) &&
           memcmp(from, end, sizeof end) == 0;
}

static lim_result cut_body(scene_run* run, run_stroke* stroke, double to, bool last, arena* a) {
    const scene_action* action = &run->source->desc.actions[stroke->action];
    lim_point* tips = ARENA_ARRAY(a, lim_point, (size_t)action->blade_count + 2);
    lim_point* backs = ARENA_ARRAY(a, lim_point, (size_t)action->blade_count + 2);
    if (tips == NULL || backs == NULL) {
        return LIM_ERROR_MEMORY;
    }
    lim_cut_desc desc = lim_cut_desc_default();
    desc.count = sweep_between(action, stroke->done, to, tips, backs);
    desc.tips = tips;
    desc.backs = backs;
    desc.continues = goes_on(run, stroke, tips[0], backs[0]);
    desc.refine = action->refine;
    scene_edit edit = {.at = scene_run_time(run), .action = stroke->action, .body = stroke->body};
    lim_result result = lim_body_cut(run->world, run->body[stroke->body].body, &desc, &edit.report);
    if (result == LIM_ERROR_UNSUPPORTED && !last) {
        return LIM_OK; /* a longer sweep may be a sound one */
    }
    if (result == LIM_OK) {
        stroke->done = to;
        stroke->begun = true;
        if (edit.report.changed && !ARRAY_PUSH(&run->host, &run->edits, edit)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return result;
}

lim_result run_cut(scene_run* run, int32_t action, double time, bool last) {
    const scene_action* a = &run->source->desc.actions[action];
    double now = a->move_time > 0.0 ? (scene_run_time(run) - a->at) / a->move_time : 0.0;
    double to = a->move_time > 0.0 ? (time - a->at) / a->move_time : 1.0;
    now = fmin(fmax(now, 0.0), 1.0);
    to = fmin(fmax(to, 0.0), 1.0);
    to = to > 1.0 - SHARE_LEAST ? 1.0 : to;
    int32_t count = run->body_count;
    for (int32_t i = 0; i < count; ++i) {
        if (!run_edits_body(run, a, i) || !lim_body_is_valid(run->world, run->body[i].body)) {
            continue;
        }
        run_stroke* stroke = stroke_of(run, action, i, now);
        LIM_TRY_MEMORY(stroke);
        if (to > stroke->done + SHARE_LEAST) {
            arena scratch;
            arena_init(&scratch, &run->host);
            lim_result result = cut_body(run, stroke, to, last, &scratch);
            arena_release(&scratch);
            LIM_TRY(result);
        }
    }
    return LIM_OK;
}

/* ---- pieces ----------------------------------------------------------------------------------
 */

/* "name/3": the third piece of the body of the scene that all of it comes from. */
static char* piece_name(scene_run* run, int32_t from) {
    int32_t root = from, number = 1;
    while (run->body[root].from >= 0) {
        root = run->body[root].from;
    }
    for (int32_t i = root + 1; i < run->body_count; ++i) {
        int32_t other = i;
        while (run->body[other].from >= 0) {
            other = run->body[other].from;
        }
        number += other == root && i != root;
    }
    size_t room = strlen(run->body[root].name) + 16;
    char* name = arena_alloc(&run->mem, room, 1);
    if (name != NULL) {
        snprintf(name, room, "%s/%d", run->body[root].name, number);
    }
    return name;
}

static lim_result add_piece(scene_run* run, int32_t from, lim_body id) {
    lim_model* model = NULL;
    LIM_TRY(lim_body_get_model(run->world, id, &model));
    if (!ARRAY_PUSH(&run->host, &run->piece_models, model)) {
        lim_model_destroy(model);
        return LIM_ERROR_MEMORY;
    }
    char* name = piece_name(run, from);
    LIM_TRY_MEMORY(name);
    scene_run_body* piece = &run->body[run->body_count++];
    *piece = run->body[from];
    piece->body = id;
    piece->name = name;
    piece->model = model;
    piece->from = from;
    return LIM_OK;
}

static lim_result split_body(scene_run* run, int32_t index, arena* scratch) {
    int32_t count = 0;
    LIM_TRY(lim_body_split(run->world, run->body[index].body, NULL, 0, &count));
    if (count == 0) {
        return LIM_OK;
    }
    if (count > SCENE_BODY_LIMIT - run->body_count) {
        return log_fail(&run->host, LIM_ERROR_TOO_LARGE,
                        "%d pieces would come off, and there are %d bodies of at most %d; cut into "
                        "fewer",
                        count, run->body_count, SCENE_BODY_LIMIT);
    }
    lim_body* ids = ARENA_ARRAY(scratch, lim_body, count);
    LIM_TRY_MEMORY(ids);
    LIM_TRY(lim_body_split(run->world, run->body[index].body, ids, count, &count));
    scene_run_body* more = ARENA_ARRAY(&run->mem, scene_run_body, run->body_count + count);
    LIM_TRY_MEMORY(more);
    memcpy(more, run->body, (size_t)run->body_count * sizeof *more);
    run->body = more;
    for (int32_t i = 0; i < count; ++i) {
        LIM_TRY(add_piece(run, index, ids[i]));
    }
    return LIM_OK;
}

lim_result run_split(scene_run* run, int32_t action) {
    const scene_action* a = &run->source->desc.actions[action];
    int32_t count = run->body_count;
    for (int32_t i = 0; i < count; ++i) {
        if (run_edits_body(run, a, i) && lim_body_is_valid(run->world, run->body[i].body)) {
            arena scratch;
            arena_init(&scratch, &run->host);
            lim_result result = split_body(run, i, &scratch);
            arena_release(&scratch);
            LIM_TRY(result);
        }
    }
    return LIM_OK;
}

/* ---- level of detail -------------------------------------------------------------------------
 */

lim_result run_refine(scene_run* run, int32_t action) {
    const scene_action* a = &run->source->desc.actions[action];
    lim_refine_desc desc = lim_refine_desc_default();
    desc.shape = a->shape;
    desc.size = a->size;
    desc.position = a->point;
    desc.cell_size = a->cell;
    for (int32_t i = 0; i < run->body_count; ++i) {
        lim_body id = run->body[i].body;
        if (!run_edits_body(run, a, i) || !lim_body_is_valid(run->world, id)) {
            continue;
        }
        scene_edit edit = {.at = scene_run_time(run), .action = action, .body = i};
        LIM_TRY(a->type == SCENE_REFINE ? lim_body_refine(run->world, id, &desc, &edit.report)
                                        : lim_body_coarsen(run->world, id, &desc, &edit.report));
        if (edit.report.changed && !ARRAY_PUSH(&run->host, &run->edits, edit)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

lim_result run_look(scene_run* run, double time) {
    const scene_desc* d = &run->source->desc;
    lim_world_detail detail = d->detail;
    if (!d->has_eye && d->has_camera) {
        lim_vec3 eye = scene_camera_at(d, time).eye;
        detail.eye = p3((double)eye.x, (double)eye.y, (double)eye.z);
    }
    return lim_world_set_detail(run->world, &detail);
}

void run_edits_free(scene_run* run) {
    for (int32_t i = 0; i < run->piece_models.count; ++i) {
        lim_model_destroy(run->piece_models.data[i]);
    }
    ARRAY_FREE(&run->host, &run->piece_models);
    ARRAY_FREE(&run->host, &run->strokes);
    ARRAY_FREE(&run->host, &run->edits);
}

/* SPDX-License-Identifier: MIT
 * Job: 000.fig6, what refinement is for. In: a flower of the scene `flowers`. Out: how far a petal
 * bends when its tip is grabbed and pulled, and the opposite one with it: with cells as they are,
 * with cells that follow the touch and with fine cells everywhere; how many nodes that takes, and
 * how soon they are gone; pictures.
 *
 * The stem gives way too, so that the whole head nods: bends are measured in a frame on the heart.
 */
#include "cli/paper_edit.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* A petal's tip, seen from the middle of the flower's head at rest, and what is done to it. */
static const lim_point TIP = {0.38, 0.87, -0.07}, HEAD = {0.0, 0.78, 0.0};
static const double PULL = 0.12;                   /* metres, downwards */
static const double PULL_TIME = 0.5, HOLD = 1.0;   /* seconds */
static const double LET_GO = 3.0, STILL_AIR = 0.3; /* seconds after, before */
static const float DT = 1.0f / 60.0f;

/* A vertex of the skin and where it was before the pull. */
typedef struct mark {
    int32_t vertex;
    lim_point start;
} mark;

typedef struct petal {
    scene_run* run;
    lim_world* world;
    lim_body flower;
    mark pulled, opposite, heart[3];
    int32_t before, most, splitting; /* nodes; steps until there are most */
    double bent[2];                  /* the two tips, against the heart */
    double gone;                     /* seconds from letting go until there are as few as before */
} petal;

/* One flower in still air, its root where the scene has those of all. */
static lim_result plan_one(const scene* of, paper_petal_cells cells, const lim_host* host,
                           scene** out) {
    scene_desc desc = *scene_get_desc(of);
    scene_body body = desc.bodies[0];
    body.copies[0] = body.copies[1] = body.copies[2] = 1;
    body.has_detail = cells == PAPER_PETAL_TOUCH;
    if (cells == PAPER_PETAL_FINE) { /* regions as wide, in smaller cells */
        body.region_width *= (float)(1 << body.coarsen);
        body.coarsen = 0;
    }
    desc.bodies = &body;
    desc.action_count = 0;
    desc.has_camera = false;
    desc.wind = (lim_wind){.gust_size = 1.0f};
    return scene_create(&desc, host, out, NULL);
}

static lim_result nodes_now(const petal* p, int32_t* out) {
    lim_model_info info;
    int32_t triangles;
    lim_result result = paper_model_now(p->run, &info, &triangles);
    *out = result == LIM_OK ? info.nodes : 0;
    return result;
}

static lim_point vertex_now(const lim_skin_view* skin, int32_t vertex) {
    const float* p = skin->positions + 3 * (size_t)vertex;
    return p3_add(skin->origin, p3((double)p[0], (double)p[1], (double)p[2]));
}

static mark mark_near(const lim_skin_view* skin, lim_point at) {
    mark m = {.vertex = 0};
    double least = HUGE_VAL;
    for (int32_t v = 0; v < skin->vertex_count; ++v) {
        double away = p3_length(p3_sub(vertex_now(skin, v), at));
        m.vertex = away < least ? v : m.vertex;
        least = away < least ? away : least;
    }
    m.start = vertex_now(skin, m.vertex);
    return m;
}

static lim_result begin(petal* p, const scene* plan, const lim_host* host) {
    lim_result result = scene_start(plan, NULL, host, &p->run, NULL);
    if (result != LIM_OK) {
        return result;
    }
    p->world = scene_run_world(p->run);
    p->flower = scene_run_body_at(p->run, 0).body;
    for (int32_t i = 0; i < (int32_t)(STILL_AIR / (double)DT) && result == LIM_OK; ++i) {
        result = lim_world_step(p->world, DT);
    }
    lim_skin_view skin;
    result = result == LIM_OK ? lim_body_get_skin(p->world, p->flower, &skin) : result;
    result = result == LIM_OK ? nodes_now(p, &p->before) : result;
    if (result == LIM_OK) {
        lim_point across = p3_sub(TIP, HEAD);
        across.y = -across.y;
        p->pulled = mark_near(&skin, TIP);
        p->opposite = mark_near(&skin, p3_sub(HEAD, across));
        p->heart[0] = mark_near(&skin, HEAD);
        p->heart[1] = mark_near(&skin, p3_add(HEAD, p3(0.07, 0, 0)));
        p->heart[2] = mark_near(&skin, p3_add(HEAD, p3(0, 0, 0.07)));
        p->most = p->before;
    }
    return result;
}

/* A frame on three vertices of the heart. */
typedef struct heart_frame {
    lim_point origin, axis[3];
} heart_frame;

static lim_point unit(lim_point a) {
    return p3_scale(a, 1.0 / p3_length(a));
}

static heart_frame frame_on(lim_point a, lim_point b, lim_point c) {
    heart_frame f = {.origin = a};
    f.axis[0] = unit(p3_sub(b, a));
    f.axis[1] = unit(p3_cross(f.axis[0], p3_sub(c, a)));
    f.axis[2] = p3_cross(f.axis[0], f.axis[1]);
    return f;
}

static lim_point seen_from(const heart_frame* f, lim_point at) {
    lim_point r = p3_sub(at, f->origin);
    return p3(p3_dot(r, f->axis[0]), p3_dot(r, f->axis[1]), p3_dot(r, f->axis[2]));
}

/* How far a tip has moved against the heart. */
static double bent(const petal* p, const lim_skin_view* skin, const mark* m) {
    heart_frame was = frame_on(p->heart[0].start, p->heart[1].start, p->heart[2].start);
    heart_frame is =
        frame_on(vertex_now(skin, p->heart[0].vertex), vertex_now(skin, p->heart[1].vertex),
                 vertex_now(skin, p->heart[2].vertex));
    return p3_length(
        p3_sub(seen_from(&is, vertex_now(skin, m->vertex)), seen_from(&was, m->start)));
}

static lim_result pull(petal* p) {
    lim_grab_desc desc = lim_grab_desc_default();
    lim_grab grab;
    desc.body = p->flower;
    desc.point = p->pulled.start;
    desc.hard = true;
    lim_result result = lim_grab_create(p->world, &desc, &grab);
    int32_t steps = (int32_t)(HOLD / (double)DT);
    for (int32_t i = 1; i <= steps && result == LIM_OK; ++i) {
        double share = i * (double)DT / PULL_TIME;
        lim_point to = p->pulled.start;
        to.y -= PULL * (share < 1.0 ? share : 1.0);
        result = lim_grab_move(p->world, grab, to);
        result = result == LIM_OK ? lim_world_step(p->world, DT) : result;
        int32_t nodes = 0;
        result = result == LIM_OK ? nodes_now(p, &nodes) : result;
        if (nodes > p->most) {
            p->most = nodes;
            p->splitting = i;
        }
    }
    lim_skin_view skin;
    result = result == LIM_OK ? lim_body_get_skin(p->world, p->flower, &skin) : result;
    if (result == LIM_OK) {
        p->bent[0] = bent(p, &skin, &p->pulled);
        p->bent[1] = bent(p, &skin, &p->opposite);
    }
    return result == LIM_OK ? lim_grab_destroy(p->world, grab) : result;
}

static lim_result let_go(petal* p) {
    lim_result result = LIM_OK;
    p->gone = NAN;
    for (int32_t i = 1; i * (double)DT <= LET_GO && result == LIM_OK; ++i) {
        int32_t nodes = 0;
        result = lim_world_step(p->world, DT);
        result = result == LIM_OK ? nodes_now(p, &nodes) : result;
        p->gone = isnan(p->gone) && nodes == p->before ? i * (double)DT : p->gone;
    }
    return result;
}

lim_result paper_petal(const scene* of, paper_petal_cells cells, const paper_still* still,
                       const lim_host* host, paper_rows* rows, lim_image* panel) {
    static const char* const ABOUT[] = {"not refined", "refined by touch", "all cells fine"};
    const char* about = ABOUT[cells];
    petal p;
    memset(&p, 0, sizeof p);
    scene* one = NULL;
    lim_result result = plan_one(of, cells, host, &one);
    result = result == LIM_OK ? begin(&p, one, host) : result;
    result = result == LIM_OK ? pull(&p) : result;
    if (result == LIM_OK && panel != NULL) {
        result = paper_draw_now(still, p.run, true, about, host, &panel[0]);
        result = result == LIM_OK
                     ? paper_draw_now(still, p.run, false, "its cells", host, &panel[3])
                     : result;
    }
    if (result == LIM_OK) {
        paper_rows_of(rows, about, "the petal bends by", NAN, 1e3 * p.bent[0], "mm");
        paper_rows_of(rows, about, "the opposite petal", NAN, 1e3 * p.bent[1], "mm");
        paper_rows_of(rows, about, "nodes", NAN, (double)p.most, "");
    }
    if (result == LIM_OK && cells == PAPER_PETAL_TOUCH) {
        result = let_go(&p);
        paper_rows_of(rows, about, "steps until they are split", NAN, (double)p.splitting, "");
        paper_rows_of(rows, about, "let go, as few again after", NAN, p.gone, "s");
    }
    scene_stop(p.run);
    scene_destroy(one);
    return result;
}

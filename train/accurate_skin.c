/* SPDX-License-Identifier: MIT
 * Job: the accurate skin of a pose. In: the coarse body with the tool in place. Out: the shell's
 * equilibrium.
 */
#include "train/accurate_skin.h"

#include "base/random.h"
#include "skin/trilinear.h"

/* A point nearer to a collider than this share of the mean edge is held. */
#define TOUCHES 0.25
/* Free points begin this share of the mean edge away, at random, so that sheets can buckle. */
#define DISTURBED 1e-3
/* How thin material may become, and how thick. */
#define THINNEST  0.2
#define THICKEST  1.5
#define TOLERANCE 2e-3
enum { ITERATIONS = 300 };

/* ---- at rest ------------------------------------------------------------------------------------
 */

/* How much of a point hangs on nodes of hard pins. */
static double held_share(const body* b, const uint8_t* held, int32_t point) {
    const bindings* bind = &b->topology->bind;
    double share = 0.0, phi[8], gradient[8][3];
    if (bind->cell_count > 0) {
        const int32_t* corner = bind->corner + 8 * (size_t)bind->cell[point];
        trilinear_weights(bind, point, phi, gradient);
        for (int k = 0; k < 8; ++k) {
            share += held[corner[k]] ? phi[k] : 0.0;
        }
        return share;
    }
    for (int k = 0; k < BINDING_NODES; ++k) {
        const binding* own = &bind->bind[point];
        share += held[own->node[k]] ? (double)own->weight[k] : 0.0;
    }
    return share;
}

static lim_result find_pinned(arena* a, const body* b, int32_t points, const uint8_t** out) {
    uint8_t* held = ARENA_ARRAY(a, uint8_t, b->topology->slot_count);
    uint8_t* pinned = ARENA_ARRAY(a, uint8_t, points);
    LIM_TRY_MEMORY(held);
    LIM_TRY_MEMORY(pinned);
    for (int32_t k = 0; k < b->pins.count; ++k) {
        const body_pin* p = &b->pins.data[k];
        for (int32_t i = 0; i < p->count && body_pin_is_hard(p); ++i) {
            held[p->slot[i]] = 1;
        }
    }
    for (int32_t i = 0; i < points; ++i) {
        pinned[i] = held_share(b, held, i) > 0.99;
    }
    *out = pinned;
    return LIM_OK;
}

static lim_point rest_at(const detail_skin* s, int32_t point) {
    return p3((double)s->rest[0][point], (double)s->rest[1][point], (double)s->rest[2][point]);
}

/* Where a ray from inside the surface leaves it: the nearest triangle ahead. */
static int32_t leaves(const detail_skin* s, lim_point from, lim_point way, int32_t but,
                      double weight[3], double* distance) {
    int32_t best = -1;
    *distance = INFINITY;
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        const int32_t* v = s->triangle + 3 * (size_t)t;
        lim_point a = rest_at(s, v[0]);
        lim_point e1 = p3_sub(rest_at(s, v[1]), a), e2 = p3_sub(rest_at(s, v[2]), a);
        lim_point p = p3_cross(way, e2), q = p3_sub(from, a);
        double det = p3_dot(e1, p);
        if (t == but || !(fabs(det) > 1e-14)) {
            continue;
        }
        double u = p3_dot(q, p) / det, w = p3_dot(way, p3_cross(q, e1)) / det;
        double far = p3_dot(e2, p3_cross(q, e1)) / det;
        if (u >= 0.0 && w >= 0.0 && u + w <= 1.0 && far > 0.0 && far < *distance) {
            *distance = far;
            weight[0] = 1.0 - u - w;
            weight[1] = u;
            weight[2] = w;
            best = t;
        }
    }
    return best;
}

static lim_result find_across(arena* a, const detail_skin* s, double metres, accurate_rest* out) {
    int32_t* across = ARENA_ARRAY(a, int32_t, s->triangle_count);
    float* weight = ARENA_ARRAY(a, float, 3 * (int64_t)s->triangle_count);
    float* thick = ARENA_ARRAY(a, float, s->triangle_count);
    LIM_TRY_MEMORY(across);
    LIM_TRY_MEMORY(weight);
    LIM_TRY_MEMORY(thick);
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        const int32_t* v = s->triangle + 3 * (size_t)t;
        lim_point x = rest_at(s, v[0]), y = rest_at(s, v[1]), z = rest_at(s, v[2]);
        lim_point normal = p3_cross(p3_sub(y, x), p3_sub(z, x));
        double length = p3_length(normal), w[3] = {1, 0, 0}, far = 0.0;
        lim_point middle = p3_scale(p3_add(p3_add(x, y), z), 1.0 / 3.0);
        across[t] =
            length > 0.0 ? leaves(s, middle, p3_scale(normal, -1.0 / length), t, w, &far) : -1;
        for (size_t k = 0; k < 3 && across[t] >= 0; ++k) {
            weight[3 * (size_t)t + k] = (float)w[k];
        }
        thick[t] = across[t] >= 0 ? (float)(far * metres) : 0.0f;
    }
    out->across = across;
    out->weight = weight;
    out->thick = thick;
    return LIM_OK;
}

lim_result accurate_rest_make(arena* a, const lim_world* world, lim_body id,
                              const detail_skin* skin, const scene_training* t,
                              accurate_rest* out) {
    const body* b = &world->bodies[id.index]->body;
    *out = (accurate_rest){.skin = skin, .metres = body_metres(b)};
    LIM_TRY(find_pinned(a, b, skin->point_count, &out->pinned));
    return t->bulge ? find_across(a, skin, out->metres, out) : LIM_OK;
}

/* ---- a pose -------------------------------------------------------------------------------------
 */

typedef struct solving {
    const accurate_rest* rest;
    const scene_training* t;
    lim_world* world;
    const world_body* w;
    const collider* tool;
    lim_point origin;
    lim_vec3 contact; /* rest shape */
    const lim_point* coarse;
    double edge; /* mean, metres */
} solving;

/* What the shell may not move: see the head. */
static uint8_t* find_held(const solving* s, arena* scratch) {
    const detail_skin* skin = s->rest->skin;
    uint8_t* held = ARENA_ARRAY(scratch, uint8_t, skin->point_count);
    double reach = (double)s->t->reach / s->rest->metres;
    for (int32_t i = 0; i < skin->point_count && held != NULL; ++i) {
        bool used = skin->fan_start[i + 1] > skin->fan_start[i];
        double away = p3_length(p3_sub(rest_at(skin, i), p3_of(s->contact)));
        bool touches = false;
        for (int32_t k = slots_next(&s->world->collider_slots, 0); k >= 0 && used && !touches;
             k = slots_next(&s->world->collider_slots, (int64_t)k + 1)) {
            const world_collider* c = &s->world->colliders[k];
            touches = contact_layers_meet(s->w->body.layers, c->layers) &&
                      collider_gap(&c->shape, p3_add(s->origin, s->coarse[i])) < TOUCHES * s->edge;
        }
        held[i] = !used || touches || s->rest->pinned[i] || (reach > 0.0 && away > reach);
    }
    return held;
}

static double* find_thinning(const solving* s, arena* scratch) {
    const accurate_rest* r = s->rest;
    double* thin = ARENA_ARRAY(scratch, double, r->skin->triangle_count);
    for (int32_t t = 0; t < r->skin->triangle_count && thin != NULL; ++t) {
        thin[t] = 1.0;
        if (r->across[t] < 0) {
            continue;
        }
        const int32_t *own = r->skin->triangle + 3 * (size_t)t,
                      *other = r->skin->triangle + 3 * (size_t)r->across[t];
        lim_point from = p3(0, 0, 0), to = from;
        for (size_t k = 0; k < 3; ++k) {
            from = p3_mad(from, s->coarse[own[k]], 1.0 / 3.0);
            to = p3_mad(to, s->coarse[other[k]], (double)r->weight[3 * (size_t)t + k]);
        }
        double share = p3_length(p3_sub(to, from)) / (double)r->thick[t];
        thin[t] = share < THINNEST ? THINNEST : share > THICKEST ? THICKEST : share;
    }
    return thin;
}

/* The material below draws the skin to where the coarse body has it: by the area about each point.
 */
static void find_springs(const solving* s, double* spring) {
    const detail_skin* skin = s->rest->skin;
    double scale = (double)s->t->support * s->rest->metres * s->rest->metres / 6.0;
    for (int32_t t = 0; t < skin->triangle_count; ++t) {
        const int32_t* v = skin->triangle + 3 * (size_t)t;
        lim_point a = rest_at(skin, v[0]);
        lim_point n = p3_cross(p3_sub(rest_at(skin, v[1]), a), p3_sub(rest_at(skin, v[2]), a));
        for (int k = 0; k < 3; ++k) {
            spring[v[k]] += scale * p3_length(n);
        }
    }
}

/* What has gone into the tool is put onto its surface. */
static void leave_tool(const solving* s, lim_point* x) {
    for (int32_t i = 0; i < s->rest->skin->point_count; ++i) {
        lim_vec3 normal;
        double gap = collider_distance(s->tool, p3_add(s->origin, x[i]), &normal);
        x[i] = gap < 0.0 ? p3_mad(x[i], p3_of(normal), -gap) : x[i];
    }
}

static double mean_edge(const detail_skin* s, double metres) {
    double sum = 0.0;
    for (int64_t i = 0; i < 3 * (int64_t)s->triangle_count; ++i) {
        int64_t next = i % 3 == 2 ? i - 2 : i + 1;
        sum += p3_length(p3_sub(rest_at(s, s->triangle[next]), rest_at(s, s->triangle[i])));
    }
    return metres * sum / (3.0 * fmax(1.0, (double)s->triangle_count));
}

static lim_result make_shell(const solving* s, arena* scratch, const lim_host* host, shell** out) {
    const detail_skin* skin = s->rest->skin;
    lim_point* rest = ARENA_ARRAY(scratch, lim_point, skin->point_count);
    LIM_TRY_MEMORY(rest);
    for (int32_t i = 0; i < skin->point_count; ++i) {
        rest[i] = p3_scale(rest_at(skin, i), s->rest->metres);
    }
    shell_desc d = shell_desc_default();
    d.vertex_count = skin->point_count;
    d.triangle_count = skin->triangle_count;
    d.rest = rest;
    d.triangles = skin->triangle;
    d.thickness = (double)s->t->thickness;
    d.youngs_modulus = (double)s->t->young;
    d.poisson_ratio = (double)s->t->poisson;
    return shell_create(&d, host, out);
}

static lim_result solve(const solving* s, shell* made, arena* scratch, lim_point* x,
                        shell_report* report) {
    const detail_skin* skin = s->rest->skin;
    shell_info info = shell_get_info(made);
    shell_pose pose = shell_pose_default();
    uint8_t* held = find_held(s, scratch);
    LIM_TRY_MEMORY(held);
    if (s->rest->across != NULL) {
        LIM_TRY_MEMORY(pose.thinning = find_thinning(s, scratch));
    }
    if (s->t->support > 0.0f) {
        double* spring = ARENA_ARRAY(scratch, double, skin->point_count);
        LIM_TRY_MEMORY(spring);
        find_springs(s, spring);
        pose.spring = spring;
        pose.anchor = s->coarse;
    }
    pose.held = held;
    pose.tolerance = TOLERANCE;
    pose.most_iterations = ITERATIONS;
    if (info.closed) {
        pose.pressure = (double)s->t->pressure;
        pose.bulk = (double)s->t->bulk;
        pose.fill = info.volume;
    }
    random_stream r = random_seed((uint64_t)s->t->seed);
    int32_t left = 0;
    for (int32_t i = 0; i < skin->point_count; ++i) {
        double off = DISTURBED * s->edge * (double)random_range(&r, -1.0f, 1.0f);
        x[i] = s->coarse[i];
        left += !held[i];
        if (!held[i]) {
            const float* n =
                s->w->body.skin[s->w->body.skin_front].normals + 3 * (size_t)skin->point_vertex[i];
            x[i] = p3_mad(x[i], p3((double)n[0], (double)n[1], (double)n[2]), off);
        }
    }
    *report = (shell_report){.converged = true};
    LIM_TRY(left > 0 ? shell_solve(made, &pose, x, report) : LIM_OK);
    leave_tool(s, x);
    return LIM_OK;
}

lim_result accurate_skin_solve(const accurate_rest* rest, lim_world* world, lim_body id,
                               lim_collider tool, const scene_training* t, lim_vec3 about,
                               arena* scratch, const lim_host* host, lim_point* x,
                               shell_report* report) {
    world_body* w = world->bodies[id.index];
    const body_skin* plain = body_skin_now(&w->body, world->set, world->pool);
    const detail_skin* skin = rest->skin;
    lim_point* coarse = ARENA_ARRAY(scratch, lim_point, skin->point_count);
    LIM_TRY_MEMORY(coarse);
    for (int32_t i = 0; i < skin->point_count; ++i) {
        int32_t v = skin->point_vertex[i];
        const float* p = plain->positions + 3 * (size_t)(v < 0 ? 0 : v);
        coarse[i] = p3((double)p[0], (double)p[1], (double)p[2]);
    }
    solving s = {.rest = rest,
                 .t = t,
                 .world = world,
                 .w = w,
                 .tool = &world->colliders[tool.index].shape,
                 .origin = plain->origin,
                 .contact = about,
                 .coarse = coarse,
                 .edge = mean_edge(skin, rest->metres)};
    shell* made = NULL;
    LIM_TRY(make_shell(&s, scratch, host, &made));
    lim_result result = solve(&s, made, scratch, x, report);
    shell_destroy(made);
    return result;
}

/* SPDX-License-Identifier: MIT
 * Job: measurements of trained detail. In: a trainer that is done, or nothing. Out: numbers beside
 * those of Seiler, Spillmann and Harders 2012.
 */
#include "bench/trained_figures.h"

#include "base/timer.h"
#include "bench/linear_regression.h"
#include "detail/detail_data.h"
#include "math/trig.h"
#include "train/mix_choice.h"
#include "train/stamp_make.h"
#include "train/trainer_inside.h"

#include <string.h>

/* ---- a flat sheet -------------------------------------------------------------------------------
 */

enum { SIDE = 60, SHEET = (SIDE + 1) * (SIDE + 1), ROUNDS = 20 };

/* One metre square in y = 0, facing up. */
static lim_result make_sheet(arena* a, detail_skin* out) {
    float* place = ARENA_ARRAY(a, float, 3 * SHEET);
    float* normal = ARENA_ARRAY(a, float, 3 * SHEET);
    int32_t* point = ARENA_ARRAY(a, int32_t, SHEET);
    int32_t* triangle = ARENA_ARRAY(a, int32_t, 6 * SIDE * SIDE);
    if (place == NULL || normal == NULL || point == NULL || triangle == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < SHEET; ++i) {
        place[3 * i] = (float)(i / (SIDE + 1)) / (float)SIDE;
        place[3 * i + 2] = (float)(i % (SIDE + 1)) / (float)SIDE;
        normal[3 * i + 1] = 1.0f;
        point[i] = i;
    }
    for (int32_t i = 0; i < SIDE * SIDE; ++i) {
        int32_t p = i / SIDE * (SIDE + 1) + i % SIDE, q = p + SIDE + 1;
        const int32_t corner[6] = {p, p + 1, q, p + 1, q + 1, q};
        memcpy(triangle + 6 * i, corner, sizeof corner);
    }
    return detail_skin_build(a, place, SHEET, point, normal, SHEET, triangle, 2 * SIDE * SIDE, out);
}

/* The share of one example that both ways give for a displacement that is `times` that of it. */
static lim_result shares(arena* a, const detail_examples* e, const float* u, float times,
                         double* regression, double* ours) {
    float room, weight;
    double w;
    float* now = ARENA_ARRAY(a, float, e->width);
    LIM_TRY_MEMORY(now);
    for (int32_t i = 0; i < e->width; ++i) {
        now[i] = times * u[i];
    }
    LIM_TRY(linear_regression(a, u, 1, e->width, 0.0, now, &w));
    detail_correlate(isa_best(), e, now, e->size[0] * fabsf(times), &room, &weight);
    *regression = w;
    *ours = (double)weight;
    return LIM_OK;
}

static lim_result stretch(arena* a, trained_stretch* out) {
    detail_skin s;
    LIM_TRY(make_sheet(a, &s));
    int32_t width = displacement_width(SHEET);
    float *u = ARENA_ARRAY(a, float, width), *way = ARENA_ARRAY(a, float, width), size = 0.0f;
    LIM_TRY_MEMORY(u);
    LIM_TRY_MEMORY(way);
    for (int32_t i = 0; i < SHEET; ++i) { /* pressed together along x by a tenth */
        u[i] = -0.1f * (s.rest[0][i] - 0.5f) / sqrtf((float)SHEET);
        size += u[i] * u[i];
    }
    size = sqrtf(size);
    for (int32_t i = 0; i < width; ++i) {
        way[i] = u[i] / size;
    }
    const detail_examples e = {1, width, way, &size, 0.3f, DETAIL_TAU, DETAIL_MOST};
    LIM_TRY(shares(a, &e, u, 1.0f, &out->regression_pressed, &out->ours_pressed));
    return shares(a, &e, u, -1.0f, &out->regression_stretched, &out->ours_stretched);
}

lim_result trained_stretch_measure(const lim_host* host, trained_stretch* out) {
    arena a;
    arena_init(&a, host);
    lim_result result = stretch(&a, out);
    arena_release(&a);
    return result;
}

/* ---- between two places -------------------------------------------------------------------------
 */

#define BULGE 0.06f /* its radius */
#define APART 0.16f /* of the two places */

static void bulge(const detail_skin* s, lim_vec3 at, float* field) {
    for (int32_t i = 0; i < SHEET; ++i) {
        lim_vec3 way = v3_sub(v3(s->rest[0][i], s->rest[1][i], s->rest[2][i]), at);
        double d2 = (double)v3_dot(way, way);
        detail_set(field, i, v3(0, (float)trig_exp(-d2 / ((double)BULGE * (double)BULGE)), 0));
    }
}

static void highest(const detail_skin* s, const float* field, lim_vec3 tool, double* height,
                    double* off) {
    *height = 0.0;
    for (int32_t i = 0; i < SHEET; ++i) {
        double y = (double)detail_get(field, i).y;
        if (y > *height) {
            lim_vec3 at = v3(s->rest[0][i], s->rest[1][i], s->rest[2][i]);
            *height = y;
            *off = (double)(v3_length(v3_sub(at, tool)) / APART);
        }
    }
}

static lim_result between(arena* a, trained_between* out) {
    const stamp_grid g = {.axis = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},
                          .side = 65,
                          .radius = 0.25f,
                          .inner = 0.2f,
                          .depth = 0.1f};
    const lim_vec3 tool = {0.5f, 0, 0.5f}, up = {0, 1, 0};
    int32_t points = detail_blocks(SHEET), texels = detail_blocks(65 * 65);
    detail_skin s;
    LIM_TRY(make_sheet(a, &s));
    float* field = ARENA_ARRAY(a, float, points* DETAIL_BLOCK);
    float* vector = ARENA_ARRAY(a, float, points* DETAIL_BLOCK);
    float* stamp = ARENA_ARRAY(a, float, texels* DETAIL_BLOCK);
    float* stamps = ARENA_ARRAY(a, float, texels* DETAIL_BLOCK);
    if (field == NULL || vector == NULL || stamp == NULL || stamps == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int k = 0; k < 2; ++k) { /* both fit equally, so both count by half */
        lim_vec3 at = {k == 0 ? 0.5f - 0.5f * APART : 0.5f + 0.5f * APART, 0, 0.5f};
        stamp_place place = stamp_at(&g, at, up);
        bulge(&s, at, field);
        LIM_TRY(stamp_make(a, &s, &g, &place, field, stamp));
        for (int32_t i = 0; i < points * DETAIL_BLOCK; ++i) {
            vector[i] += 0.5f * field[i];
        }
        for (int32_t i = 0; i < texels * DETAIL_BLOCK; ++i) {
            stamps[i] += 0.5f * stamp[i];
        }
    }
    highest(&s, vector, tool, &out->height[0], &out->off[0]);
    detail_layer layer = {.vector = vector, .grid = &g, .texels = stamps};
    layer.place = stamp_at(&g, tool, up);
    memset(field, 0, (size_t)(points * DETAIL_BLOCK) * sizeof *field);
    detail_add(&s, &layer, field);
    highest(&s, field, tool, &out->height[1], &out->off[1]);
    return LIM_OK;
}

lim_result trained_between_measure(const lim_host* host, trained_between* out) {
    arena a;
    arena_init(&a, host);
    lim_result result = between(&a, out);
    arena_release(&a);
    return result;
}

/* ---- times
 * ---------------------------------------------------------------------------------------
 */

static void least(double* to, double seconds) {
    *to = seconds < *to ? seconds : *to;
}

/* The parts of a step and a skin with detail (world/trained.c), one after the other. */
static void time_parts(lim_world* world, world_body* w, trained_times* out) {
    world_trained* t = w->trained;
    trained_moment* m = &t->moment[t->front];
    const body_skin* plain = body_skin_now(&w->body, world->set, NULL);
    size_t vertices = 3 * (size_t)w->body.topology->vertex_count;
    int32_t texels = detail_blocks(t->data.grid.side * t->data.grid.side);
    int32_t points = detail_blocks(t->skin.point_count);
    for (int round = 0; round < ROUNDS; ++round) {
        double t0 = timer_now(NULL);
        trained_nodes_update(&w->body, &t->nodes);
        float size = displacement_of(&t->nodes.nodes, t->u);
        detail_correlate(world->set, &t->examples, t->u, size, t->product, m->weight);
        double t1 = timer_now(NULL);
        detail_blend(world->set, t->field, m->weight, t->data.count, points, t->vector);
        detail_blend(world->set, t->stamp, m->weight, t->data.count, texels, t->texels);
        double t2 = timer_now(NULL);
        memset(t->sum, 0, (size_t)points * DETAIL_BLOCK * sizeof *t->sum);
        const detail_layer layer = {
            .vector = t->vector,
            .grid = &t->data.grid,
            .texels = t->texels,
            .place = stamp_at(&t->data.grid, m->press[0].point, m->press[0].normal)};
        detail_add(&t->skin, &layer, t->sum);
        memcpy(m->positions, plain->positions, vertices * sizeof(float));
        memcpy(m->normals, plain->normals, vertices * sizeof(float));
        detail_move(&t->skin, t->sum, (float)body_metres(&w->body), &t->room, m->positions,
                    m->normals, NULL);
        double t3 = timer_now(NULL);
        least(&out->correlate, t1 - t0);
        least(&out->blend, t2 - t1);
        least(&out->embed, t3 - t2);
    }
    out->examples = t->data.count;
    out->nodes = t->nodes.nodes.count;
    out->points = t->skin.point_count;
}

/* The first held-out pose in which the tool touches. */
static lim_result pose_with(const trainer* t, const unsigned char* bytes, size_t size,
                            int32_t which, arena* a, train_pair* pair) {
    lim_result result = LIM_OK;
    for (int32_t i = which; i < t->training.held_out && result == LIM_OK; ++i) {
        result = train_pair_make(t, &t->pose[t->count + i], bytes, size, a, pair);
        if (result != LIM_OK || pair->status == TRAIN_DONE) {
            return result;
        }
        lim_world_destroy(pair->coarse.world);
        pair->coarse.world = NULL;
    }
    return result == LIM_OK ? LIM_ERROR_ARGUMENT : result;
}

lim_result trained_times_measure(const trainer* t, const unsigned char* bytes, size_t size,
                                 trained_times* out) {
    arena a;
    arena_init(&a, &t->host);
    train_pair pair = {.status = TRAIN_FAILED};
    lim_result result = pose_with(t, bytes, size, 0, &a, &pair);
    *out = (trained_times){.correlate = INFINITY, .blend = INFINITY, .embed = INFINITY};
    if (result == LIM_OK) {
        time_parts(pair.coarse.world, pair.coarse.world->bodies[t->start.body.index], out);
    }
    lim_world_destroy(pair.coarse.world);
    arena_release(&a);
    return result;
}

/* ---- errors
 * --------------------------------------------------------------------------------------
 */

struct trained_held {
    int32_t count;
    detail_example example[TRAINED_POSES];
};

lim_result trained_held_make(const trainer* t, arena* a, trained_held** out) {
    trained_held* h = ARENA_ARRAY(a, trained_held, 1);
    LIM_TRY_MEMORY(h);
    lim_result result = LIM_OK;
    for (int32_t i = 0; i < t->training.held_out && h->count < TRAINED_POSES && result == LIM_OK;
         ++i) {
        arena scratch;
        arena_init(&scratch, &t->host);
        train_pair pair;
        double most;
        result = train_pair_make(t, &t->pose[t->count + i], NULL, 0, &scratch, &pair);
        if (result == LIM_OK && pair.status == TRAIN_DONE) {
            result = train_example_make(t, &pair, a, &scratch, &h->example[h->count++], &most);
        }
        lim_world_destroy(pair.coarse.world);
        arena_release(&scratch);
    }
    *out = h;
    return result;
}

typedef struct predicting {
    const trainer* t;
    const detail_data* d;
    detail_examples e;
    detail_field *field, *stamp;
    float* raw; /* u of each example, rows */
    float *u, *room, *weight, *vector, *texels, *sum, *truth;
    double* w;
} predicting;

/* Adds what is left of a held-out field by these weights to *left. */
static void add_left(const predicting* p, const detail_example* held, double* left) {
    const detail_data* d = p->d;
    int32_t blocks = detail_blocks(d->points), texels = detail_blocks(d->grid.side * d->grid.side);
    detail_blend(isa_best(), p->field, p->weight, d->count, blocks, p->vector);
    detail_blend(isa_best(), p->stamp, p->weight, d->count, texels, p->texels);
    const detail_layer layer = {.vector = p->vector,
                                .grid = &d->grid,
                                .texels = p->texels,
                                .place = stamp_at(&d->grid, held->point, held->normal)};
    memset(p->sum, 0, (size_t)blocks * DETAIL_BLOCK * sizeof(float));
    detail_add(&p->t->skin, &layer, p->sum);
    for (int32_t i = 0; i < d->points; ++i) {
        lim_vec3 off = v3_sub(detail_get(p->sum, i), detail_get(p->truth, i));
        *left += (double)v3_dot(off, off);
    }
}

static lim_result predict(const trainer* t, const trained_held* held, detail_data* d, arena* a,
                          trained_errors* out) {
    int32_t points = detail_blocks(d->points) * DETAIL_BLOCK, width = displacement_width(d->nodes);
    int32_t texels = detail_blocks(d->grid.side * d->grid.side) * DETAIL_BLOCK;
    predicting p = {.t = t, .d = d};
    mix_choice choice;
    LIM_TRY(mix_choose(a, d, &t->skin, 0.02f, 0.5f, &choice));
    d->sigma = choice.sigma;
    LIM_TRY(detail_data_examples(a, d, &p.e));
    p.field = ARENA_ARRAY(a, detail_field, d->count);
    p.stamp = ARENA_ARRAY(a, detail_field, d->count);
    p.raw = ARENA_ARRAY(a, float, (int64_t)d->count* width);
    p.u = ARENA_ARRAY(a, float, width);
    p.room = ARENA_ARRAY(a, float, d->count);
    p.weight = ARENA_ARRAY(a, float, d->count);
    p.w = ARENA_ARRAY(a, double, d->count);
    p.vector = ARENA_ARRAY(a, float, points);
    p.sum = ARENA_ARRAY(a, float, points);
    p.truth = ARENA_ARRAY(a, float, points);
    p.texels = ARENA_ARRAY(a, float, texels);
    if (p.field == NULL || p.stamp == NULL || p.raw == NULL || p.u == NULL || p.room == NULL ||
        p.weight == NULL || p.w == NULL || p.vector == NULL || p.sum == NULL || p.truth == NULL ||
        p.texels == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < d->count; ++i) {
        p.field[i] = d->example[i].field;
        p.stamp[i] = d->example[i].stamp;
        for (int32_t k = 0; k < width; ++k) {
            p.raw[(int64_t)i * width + k] = d->example[i].size * d->example[i].way[k];
        }
    }
    double whole = 0.0, left[2] = {0.0, 0.0};
    const float one = 1.0f;
    for (int32_t h = 0; h < held->count; ++h) {
        const detail_example* own = &held->example[h];
        for (int32_t k = 0; k < width; ++k) {
            p.u[k] = own->size * own->way[k];
        }
        detail_blend(isa_best(), &own->field, &one, 1, detail_blocks(d->points), p.truth);
        for (int32_t i = 0; i < d->points; ++i) {
            lim_vec3 v = detail_get(p.truth, i);
            whole += (double)v3_dot(v, v);
        }
        detail_correlate(isa_best(), &p.e, p.u, own->size, p.room, p.weight);
        add_left(&p, own, &left[0]);
        LIM_TRY(linear_regression(a, p.raw, d->count, width, 0.0, p.u, p.w));
        for (int32_t i = 0; i < d->count; ++i) {
            p.weight[i] = (float)p.w[i];
        }
        add_left(&p, own, &left[1]);
    }
    out->examples = d->count;
    out->ours = whole > 0.0 ? sqrt(left[0] / whole) : 1.0;
    out->regression = whole > 0.0 ? sqrt(left[1] / whole) : 1.0;
    return LIM_OK;
}

lim_result trained_errors_measure(const trainer* t, const trained_held* held, int32_t examples,
                                  int32_t most, trained_errors* out) {
    arena a;
    arena_init(&a, &t->host);
    detail_data d = {.nodes = t->nodes,
                     .points = t->points,
                     .tau = DETAIL_TAU,
                     .most = most,
                     .grid = t->grid,
                     .example = ARENA_ARRAY(&a, detail_example, t->count)};
    for (int32_t i = 0; d.example != NULL && i < t->count && d.count < examples; ++i) {
        if (t->result[i].report.status == TRAIN_DONE) {
            d.example[d.count++] = t->result[i].example;
        }
    }
    lim_result result = d.example == NULL ? LIM_ERROR_MEMORY
                        : d.count == 0    ? LIM_ERROR_ARGUMENT
                                          : predict(t, held, &d, &a, out);
    arena_release(&a);
    return result;
}

/* ---- a pose three times
 * --------------------------------------------------------------------------
 */

static void own_normals(const trained_view* v, int which) {
    float* n = v->normals[which];
    const float* x = v->positions[which];
    memset(n, 0, 3 * (size_t)v->vertex_count * sizeof *n);
    for (int32_t t = 0; t < v->triangle_count; ++t) {
        const uint32_t* c = v->indices + 3 * (size_t)t;
        lim_vec3 at[3];
        for (int k = 0; k < 3; ++k) {
            at[k] = v3(x[3 * c[k]], x[3 * c[k] + 1], x[3 * c[k] + 2]);
        }
        lim_vec3 own = v3_cross(v3_sub(at[1], at[0]), v3_sub(at[2], at[0]));
        for (int k = 0; k < 3; ++k) {
            n[3 * c[k]] += own.x;
            n[3 * c[k] + 1] += own.y;
            n[3 * c[k] + 2] += own.z;
        }
    }
    for (int32_t i = 0; i < v->vertex_count; ++i) {
        lim_vec3 unit =
            v3_unit(v3_scale(v3(n[3 * i], n[3 * i + 1], n[3 * i + 2]), 1e6f), v3(0, 1, 0));
        n[3 * i] = unit.x;
        n[3 * i + 1] = unit.y;
        n[3 * i + 2] = unit.z;
    }
}

static lim_result fill_view(const trainer* t, const train_pair* pair, arena* a, trained_view* v) {
    lim_world* world = pair->coarse.world;
    body* b = &world->bodies[t->start.body.index]->body;
    const body_skin* plain = body_skin_now(b, world->set, NULL);
    lim_skin_view rich;
    LIM_TRY(lim_body_get_skin(world, t->start.body, &rich));
    *v = (trained_view){.vertex_count = rich.vertex_count, .triangle_count = rich.triangle_count};
    uint32_t* indices = ARENA_ARRAY(a, uint32_t, 3 * (int64_t)rich.triangle_count);
    LIM_TRY_MEMORY(indices);
    memcpy(indices, rich.indices, 3 * (size_t)rich.triangle_count * sizeof *indices);
    v->indices = indices;
    v->lower = v3(1e9f, 1e9f, 1e9f);
    v->upper = v3(-1e9f, -1e9f, -1e9f);
    for (int k = 0; k < 3; ++k) {
        LIM_TRY_MEMORY(v->positions[k] = ARENA_ARRAY(a, float, 3 * (int64_t)v->vertex_count));
        LIM_TRY_MEMORY(v->normals[k] = ARENA_ARRAY(a, float, 3 * (int64_t)v->vertex_count));
        for (int32_t i = 0; i < v->vertex_count; ++i) {
            const float* from = (k == 0 ? plain->positions : rich.positions) + 3 * (size_t)i;
            lim_vec3 at = v3(from[0], from[1], from[2]);
            at = k == 1 ? v3_of(pair->accurate[t->skin.vertex_point[i]]) : at;
            at = v3_add(at, v3_of(plain->origin));
            memcpy(v->positions[k] + 3 * (size_t)i, &at, sizeof at);
            v->lower = v3_min(v->lower, at);
            v->upper = v3_max(v->upper, at);
        }
        own_normals(v, k);
    }
    return LIM_OK;
}

lim_result trained_view_make(const trainer* t, const unsigned char* bytes, size_t size,
                             int32_t held_out, arena* a, trained_view* out) {
    arena scratch;
    arena_init(&scratch, &t->host);
    train_pair pair = {.status = TRAIN_FAILED};
    lim_result result = pose_with(t, bytes, size, held_out, &scratch, &pair);
    result = result == LIM_OK ? fill_view(t, &pair, a, out) : result;
    lim_world_destroy(pair.coarse.world);
    arena_release(&scratch);
    return result;
}

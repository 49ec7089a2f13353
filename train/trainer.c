/* SPDX-License-Identifier: MIT
 * Job: training from a scene to bytes. In: a scene. Out: examples, pose by pose, side by side; the
 * bytes of all; how good they are in poses that were held out.
 */
#include "base/hash.h"
#include "base/log.h"
#include "base/workers.h"
#include "math/trig.h"
#include "train/mix_choice.h"
#include "train/trainer_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A stamp counts in full up to this share of its radius, and within this share of it from its
 * plane. */
#define STAMP_INNER 0.6f
#define STAMP_DEPTH 1.0f
/* Damping of the coarse body in training, seconds: it is to come to rest, nothing else. */
#define CALM 0.1f
/* Between these the kernel's width is looked for. */
#define SIGMA_LEAST 0.02f
#define SIGMA_MOST  0.5f
static const uint64_t HELD_OUT_SEED = 0x5DEECE66Du;

const char* train_status_name(train_status status) {
    static const char* const names[] = {
        "waits", "done", "missed", "did not come to rest", "not converged", "not possible"};
    return names[status];
}

static lim_result fail(lim_io_message* out, lim_result result, const char* text) {
    if (out != NULL) {
        snprintf(out->text, sizeof out->text, "%s", text);
    }
    return result;
}

/* ---- making ------------------------------------------------------------------------------------
 */

/* The world at rest without gravity, as bytes. */
static lim_result take_world(trainer* t) {
    lim_world* world = scene_run_world(t->run);
    lim_material m;
    LIM_TRY(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}));
    LIM_TRY(lim_world_set_wind(world, (lim_wind){0}));
    LIM_TRY(lim_body_get_material(world, t->start.body, &m));
    m.damping_time = CALM;
    LIM_TRY(lim_body_set_material(world, t->start.body, &m));
    LIM_TRY(lim_world_save(world, NULL, 0, &t->world_size));
    LIM_TRY_MEMORY(t->world = arena_alloc(&t->mem, t->world_size, 1));
    LIM_TRY(lim_world_save(world, t->world, t->world_size, &t->world_size));
    t->start.bytes = t->world;
    t->start.size = t->world_size;
    return LIM_OK;
}

/* Tangents are turned from those of the way the trained skin faces. */
static stamp_grid make_grid(const trainer* t) {
    lim_vec3 n = t->training.angle < 3.0f ? t->training.toward : v3(0, 1, 0);
    lim_vec3 u = v3_unit(v3_cross(fabsf(n.x) < 0.6f ? v3(1, 0, 0) : v3(0, 0, 1), n), n);
    float radius = (float)((double)t->training.stamp / t->rest.metres);
    return (stamp_grid){.axis = {u, v3_cross(n, u), n},
                        .side = t->training.texels,
                        .radius = radius,
                        .inner = STAMP_INNER * radius,
                        .depth = STAMP_DEPTH * radius};
}

static uint64_t key_of(const trainer* t) {
    scene_training own;
    memset(&own, 0, sizeof own); /* padding too */
    own = t->training;
    const double numbers[] = {own.poses,
                              own.drags,
                              (double)own.least_depth,
                              (double)own.depth,
                              (double)own.drag,
                              (double)own.lean,
                              own.lower.x,
                              own.lower.y,
                              own.lower.z,
                              own.upper.x,
                              own.upper.y,
                              own.upper.z,
                              (double)own.toward.x,
                              (double)own.toward.y,
                              (double)own.toward.z,
                              (double)own.angle,
                              (double)own.reach,
                              (double)own.stamp,
                              own.texels,
                              own.seed,
                              (double)own.settle,
                              (double)own.thickness,
                              (double)own.young,
                              (double)own.poisson,
                              (double)own.bulk,
                              (double)own.pressure,
                              (double)own.support,
                              own.bulge};
    return hash_bytes(hash_bytes(t->model, t->world, t->world_size), numbers, sizeof numbers);
}

static lim_result make_poses(trainer* t, lim_io_message* message) {
    lim_world* world = scene_run_world(t->run);
    int32_t all = t->count + t->training.held_out;
    uint64_t seed = (uint64_t)t->training.seed;
    lim_skin_view view;
    arena scratch;
    arena_init(&scratch, &t->host);
    LIM_TRY_MEMORY(t->pose = ARENA_ARRAY(&t->mem, tool_pose, all));
    LIM_TRY_MEMORY(t->result = ARENA_ARRAY(&t->mem, train_result, t->count));
    lim_result result = lim_body_get_skin(world, t->start.body, &view);
    if (result == LIM_OK) {
        result = tool_poses_make(&scratch, &view, &t->training, seed, t->count, t->pose);
    }
    if (result == LIM_OK) {
        result = tool_poses_make(&scratch, &view, &t->training, seed ^ HELD_OUT_SEED,
                                 t->training.held_out, t->pose + t->count);
    }
    arena_release(&scratch);
    for (int32_t i = 0; i < t->count; ++i) {
        arena_init(&t->result[i].mem, &t->host);
        t->result[i].report.point = t->pose[i].point;
        t->result[i].report.depth = t->pose[i].depth;
    }
    return result == LIM_ERROR_ARGUMENT
               ? fail(message, result,
                      "no skin of the body lies where the training presses; make \"lower\", "
                      "\"upper\" and \"angle\" wider")
               : result;
}

/* Drags stay the same share of all. */
static void choose(scene_training* t, const trainer_choice* choice) {
    if (choice != NULL && choice->poses > 0) {
        t->drags = (int32_t)((int64_t)t->drags * choice->poses / t->poses);
        t->poses = choice->poses;
    }
    t->held_out = choice != NULL && choice->held_out >= 0 ? choice->held_out : t->held_out;
}

static lim_result make(trainer* t, const scene_options* options, const trainer_choice* choice,
                       lim_io_message* message) {
    const scene_desc* d = scene_get_desc(t->plan);
    if (!d->has_training) {
        return fail(message, LIM_ERROR_ARGUMENT,
                    "the scene has no \"training\"; docs/detail.md says how to write one");
    }
    t->training = d->training;
    choose(&t->training, choice);
    t->count = t->training.poses;
    LIM_TRY(scene_start(t->plan, options, &t->host, &t->run, message));
    lim_world* world = scene_run_world(t->run);
    int32_t entry = 0;
    for (int32_t i = 0; i < t->training.body; ++i) {
        const int32_t* copies = d->bodies[i].copies;
        entry += copies[0] * copies[1] * copies[2];
    }
    t->start = (press_start){.body = scene_run_body_at(t->run, entry).body,
                             .tool = scene_run_collider_at(t->run, t->training.tool),
                             .dt = d->dt,
                             .settle = (double)t->training.settle};
    const body* b = &world->bodies[t->start.body.index]->body;
    if (!trained_is_tool(b, &world->colliders[t->start.tool.index].shape)) {
        return fail(message, LIM_ERROR_ARGUMENT,
                    "the training's tool is no tool: it must be smaller than the body, and no "
                    "plane or heights");
    }
    LIM_TRY(take_world(t));
    LIM_TRY(trained_skin_build(&t->mem, b->topology, &t->skin));
    LIM_TRY(accurate_rest_make(&t->mem, world, t->start.body, &t->skin, &t->training, &t->rest));
    t->model = trained_model(b->topology);
    t->nodes = b->topology->node_count;
    t->points = b->topology->point_count;
    t->grid = make_grid(t);
    t->key = key_of(t);
    return make_poses(t, message);
}

lim_result trainer_create(const scene* s, const scene_options* options,
                          const trainer_choice* choice, const lim_host* host, trainer** out,
                          lim_io_message* message) {
    lim_host hooks = mem_host(host);
    trainer* t = mem_alloc(&hooks, 1, sizeof *t);
    LIM_TRY_MEMORY(t);
    t->host = hooks;
    t->plan = s;
    arena_init(&t->mem, &hooks);
    lim_result result = make(t, options, choice, message);
    if (result != LIM_OK) {
        trainer_destroy(t);
        return result;
    }
    *out = t;
    return LIM_OK;
}

void trainer_destroy(trainer* t) {
    if (t != NULL) {
        for (int32_t i = 0; t->result != NULL && i < t->count; ++i) {
            if (t->result[i].mem.host.alloc != NULL) {
                arena_release(&t->result[i].mem);
            }
        }
        scene_stop(t->run);
        lim_host host = t->host;
        arena_release(&t->mem);
        mem_free(&host, t, 1, sizeof *t);
    }
}

int32_t trainer_count(const trainer* t) {
    return t->count;
}

train_pose_report trainer_report(const trainer* t, int32_t pose) {
    return t->result[pose].report;
}

/* ---- poses side by side ------------------------------------------------------------------------
 */

typedef struct batch {
    const trainer* t;
    const int32_t* which;
    lim_result* result;
    train_result* learnt;
    const unsigned char* bytes; /* of a test */
    size_t size;
    double (*error)[2];
} batch;

static lim_result learn(const trainer* t, int32_t index, train_result* out) {
    arena scratch;
    arena_init(&scratch, &t->host);
    train_pair pair;
    lim_result result = train_pair_make(t, &t->pose[index], NULL, 0, &scratch, &pair);
    if (result == LIM_OK && pair.status == TRAIN_DONE) {
        result =
            train_example_make(t, &pair, &out->mem, &scratch, &out->example, &out->report.detail);
        pair.status = out->example.size > 0.0f ? TRAIN_DONE : TRAIN_MISSED;
    }
    if (result == LIM_OK) {
        out->report.status = pair.status;
        out->report.residual = pair.shell.residual;
        out->report.iterations = pair.shell.iterations;
    }
    lim_world_destroy(pair.coarse.world);
    arena_release(&scratch);
    return result;
}

static void learn_task(void* context, int32_t task) {
    const batch* b = context;
    int32_t index = b->which[task];
    b->result[task] = learn(b->t, index, &b->learnt[index]);
}

enum { BATCH_EACH = 2, BATCH_MOST = 2 * 64 };

static int32_t next_waiting(const trainer* t, int32_t from) {
    while (from < t->count && t->result[from].report.status != TRAIN_WAITING) {
        from++;
    }
    return from;
}

/* Tasks of a batch; the first failure counts. */
static lim_result run_batch(workers* pool, int32_t count, workers_task* task, batch* b) {
    workers_run(pool, count, task, b);
    for (int32_t i = 0; i < count; ++i) {
        LIM_TRY(b->result[i]);
    }
    return LIM_OK;
}

lim_result trainer_run(trainer* t, int32_t threads, bool (*progress)(void* user, double share),
                       void* user) {
    workers* pool = NULL;
    LIM_TRY(workers_create(&t->host, threads, &pool));
    int32_t each = BATCH_EACH * workers_count(pool);
    int32_t which[BATCH_MOST];
    lim_result results[BATCH_MOST], result = LIM_OK;
    batch b = {.t = t, .which = which, .result = results, .learnt = t->result};
    bool goes_on = true;
    for (int32_t at = next_waiting(t, 0); at < t->count && goes_on && result == LIM_OK;
         at = next_waiting(t, at)) {
        int32_t count = 0;
        for (int32_t i = at; i < t->count && count < each; i = next_waiting(t, i + 1)) {
            which[count++] = i;
        }
        result = run_batch(pool, count, learn_task, &b);
        goes_on = progress == NULL || progress(user, (double)next_waiting(t, at) / t->count);
    }
    workers_destroy(pool);
    return result;
}

/* ---- bytes --------------------------------------------------------------------------------------
 */

static float likeness(const detail_example* a, const detail_example* b, int32_t width) {
    double r = 0.0;
    for (int32_t i = 0; i < width; ++i) {
        r += (double)a->way[i] * (double)b->way[i];
    }
    return (float)r;
}

/* Of the two examples that are most alike the later one goes. */
static void leave_one_out(detail_data* d, float* like) {
    int32_t worst = d->count - 1, n = d->count;
    float most = -2.0f;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t k = 0; k < i; ++k) {
            if (like[(size_t)i * (size_t)n + (size_t)k] > most) {
                most = like[(size_t)i * (size_t)n + (size_t)k];
                worst = i;
            }
        }
    }
    int32_t to = 0;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t k = 0; k < n; ++k) {
            if (i != worst && k != worst) {
                like[to++] = like[(size_t)i * (size_t)n + (size_t)k];
            }
        }
    }
    memmove(d->example + worst, d->example + worst + 1,
            (size_t)(n - 1 - worst) * sizeof *d->example);
    d->count--;
}

static lim_result fit_budget(const trainer* t, arena* scratch, size_t budget, detail_data* d) {
    int32_t width = displacement_width(t->nodes);
    size_t n = (size_t)d->count;
    if (budget == 0 || detail_data_save(d, NULL) <= budget) {
        return LIM_OK;
    }
    float* like = ARENA_ARRAY(scratch, float, n* n);
    LIM_TRY_MEMORY(like);
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < n; ++k) {
            like[i * n + k] = likeness(&d->example[i], &d->example[k], width);
        }
    }
    while (d->count > 1 && detail_data_save(d, NULL) > budget) {
        leave_one_out(d, like);
    }
    return LIM_OK;
}

static lim_result gather(const trainer* t, arena* scratch, size_t budget, detail_data* d) {
    *d = (detail_data){.model = t->model,
                       .seed = (uint64_t)t->training.seed,
                       .nodes = t->nodes,
                       .points = t->points,
                       .sigma = 0.5f,
                       .tau = DETAIL_TAU,
                       .most = DETAIL_MOST,
                       .grid = t->grid,
                       .example = ARENA_ARRAY(scratch, detail_example, t->count)};
    LIM_TRY_MEMORY(d->example);
    for (int32_t i = 0; i < t->count; ++i) {
        if (t->result[i].report.status == TRAIN_DONE) {
            d->example[d->count++] = t->result[i].example;
        }
    }
    if (d->count == 0) {
        return LIM_ERROR_ARGUMENT;
    }
    LIM_TRY(fit_budget(t, scratch, budget, d));
    detail_examples rows;
    LIM_TRY(detail_data_examples(scratch, d, &rows));
    float* room = ARENA_ARRAY(scratch, float, d->count);
    LIM_TRY_MEMORY(room);
    if (t->training.mix > 0) {
        d->sigma = detail_sigma(isa_best(), &rows, t->training.mix, room);
        return LIM_OK;
    }
    mix_choice choice;
    LIM_TRY(mix_choose(scratch, d, &t->skin, SIGMA_LEAST, SIGMA_MOST, &choice));
    d->sigma = choice.sigma;
    return LIM_OK;
}

lim_result trainer_bytes(const trainer* t, size_t budget, unsigned char** out, size_t* out_size,
                         int32_t* out_left_out) {
    arena scratch;
    arena_init(&scratch, &t->host);
    detail_data d;
    int32_t done = 0;
    lim_result result = gather(t, &scratch, budget, &d);
    if (result == LIM_OK) {
        *out_size = detail_data_save(&d, NULL);
        *out = malloc(*out_size);
        result = *out != NULL ? LIM_OK : LIM_ERROR_MEMORY;
    }
    if (result == LIM_OK) {
        (void)detail_data_save(&d, *out);
        for (int32_t i = 0; i < t->count; ++i) {
            done += t->result[i].report.status == TRAIN_DONE;
        }
        *out_left_out = done - d.count;
    }
    arena_release(&scratch);
    return result;
}

/* ---- poses that were held out
 * --------------------------------------------------------------------
 */

/* Sums of squares of the distances of both skins from the accurate one, unless the pose fails. */
static lim_result compare(const batch* b, int32_t index, double error[2]) {
    const trainer* t = b->t;
    arena scratch;
    arena_init(&scratch, &t->host);
    train_pair pair;
    lim_skin_view view;
    lim_result result = train_pair_make(t, &t->pose[index], b->bytes, b->size, &scratch, &pair);
    error[0] = error[1] = -1.0;
    if (result == LIM_OK && pair.status == TRAIN_DONE) {
        result = lim_body_get_skin(pair.coarse.world, t->start.body, &view);
    }
    if (result == LIM_OK && pair.status == TRAIN_DONE) {
        body* own = &pair.coarse.world->bodies[t->start.body.index]->body;
        const float* plain = body_skin_now(own, pair.coarse.world->set, NULL)->positions;
        error[0] = error[1] = 0.0;
        for (int32_t i = 0; i < t->points; ++i) {
            int32_t v = t->skin.point_vertex[i];
            for (int k = 0; k < 2 && v >= 0; ++k) {
                const float* p = (k == 0 ? plain : view.positions) + 3 * (size_t)v;
                lim_point off = p3((double)p[0], (double)p[1], (double)p[2]);
                off = p3_sub(off, pair.accurate[i]);
                error[k] += p3_dot(off, off) / t->points;
            }
        }
    }
    lim_world_destroy(pair.coarse.world);
    arena_release(&scratch);
    return result;
}

static void compare_task(void* context, int32_t task) {
    const batch* b = context;
    b->result[task] = compare(b, b->which[task], b->error[task]);
}

static void add_errors(double error[][2], int32_t count, train_quality* q) {
    for (int32_t i = 0; i < count; ++i) {
        if (error[i][0] < 0.0) {
            q->left_out++;
            continue;
        }
        q->poses++;
        q->coarse += error[i][0];
        q->enriched += error[i][1];
        double ratio = error[i][0] > 0.0 ? sqrt(error[i][1] / error[i][0]) : 1.0;
        q->worst = ratio > q->worst ? ratio : q->worst;
    }
}

lim_result trainer_test(const trainer* t, const unsigned char* bytes, size_t size, int32_t threads,
                        bool (*progress)(void* user, double share), void* user,
                        train_quality* out) {
    workers* pool = NULL;
    LIM_TRY(workers_create(&t->host, threads, &pool));
    int32_t each = BATCH_EACH * workers_count(pool), all = t->training.held_out;
    int32_t which[BATCH_MOST];
    lim_result results[BATCH_MOST], result = LIM_OK;
    double error[BATCH_MOST][2];
    batch b = {
        .t = t, .which = which, .result = results, .bytes = bytes, .size = size, .error = error};
    *out = (train_quality){0};
    bool goes_on = true;
    for (int32_t at = 0; at < all && goes_on && result == LIM_OK; at += each) {
        int32_t count = 0;
        for (int32_t i = at; i < all && count < each; ++i) {
            which[count++] = t->count + i;
        }
        result = run_batch(pool, count, compare_task, &b);
        add_errors(error, count, out);
        goes_on = progress == NULL || progress(user, (double)(at + count) / all);
    }
    workers_destroy(pool);
    double poses = out->poses > 0 ? out->poses : 1.0;
    out->coarse = sqrt(out->coarse / poses);
    out->enriched = sqrt(out->enriched / poses);
    return result;
}

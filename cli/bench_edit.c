/* SPDX-License-Identifier: MIT
 * Job: what edits cost. In: how many livers. Out: a hanging liver is cut by strokes of several
 * sweeps, refined about the blade, until it has three times its nodes: all of a call and its
 * stages, over sweeps that cut at least an edge and ten triangles; and one cut of the same size in
 * bodies of more and more nodes, with what the call costs per node.
 */
#include "cli/bench_step_table.h"
#include "cli/commands.h"
#include "cli/emit.h"
#include "cli/subject.h"

#include "base/random.h"
#include "base/timer.h"
#include "scenes/models.h"

#include <limber/edit.h>

#include <string.h>
#include <time.h>

enum {
    TRIANGLES = 20000,
    NODES = 500,
    NODES_MOST = 1550,
    STROKES_MOST = 40,
    SWEEPS = 5,
    STATIONS = 3,
    LIVERS = 6,
    SIZES = 3,
    SAME_CUTS = 9,
    STAGES = 7
};
static const char* const stage_names[STAGES] = {"all",   "blade", "skin",   "material",
                                                "nodes", "state", "by wall"};
static const int32_t sizes[SIZES] = {1000, 10648, 97336};
#define FRAME (1.0f / 60.0f)
#define CELL  (1.0 / 32.0)

typedef struct stage_times {
    ARRAY(double) of[STAGES];
} stage_times;

typedef struct stage_summary {
    double median, p99, most;
} stage_summary;

typedef struct edit_row {
    int32_t sweeps, counted, refused, strokes, livers;
    int32_t nodes_before, nodes_after, triangles;
    stage_summary stage[STAGES];
    uint64_t hash;
} edit_row;

typedef struct same_row {
    int32_t nodes, triangles, cut_edges, cut_triangles;
    stage_summary stage[STAGES];
    uint64_t hash;
} same_row;

/* Processor time: other programs on the machine do not count. */
static double processor_now(void* user) {
    (void)user;
    return (double)clock() / (double)CLOCKS_PER_SEC;
}

/* wall: seconds of the call that passed outside. */
static lim_result add_times(stage_times* t, const lim_edit_report* r, double wall,
                            const lim_host* host) {
    const double values[STAGES] = {r->total, r->blade, r->skin, r->material,
                                   r->nodes, r->state, wall};
    for (int i = 0; i < STAGES; ++i) {
        if (!ARRAY_PUSH(host, &t->of[i], values[i])) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

/* Frees the times. */
static void sum_up(stage_times* t, const lim_host* host, stage_summary out[STAGES]) {
    for (int i = 0; i < STAGES; ++i) {
        measure_summary m = measure_of(t->of[i].data, t->of[i].count, host);
        out[i] = (stage_summary){.median = m.median, .p99 = m.p99};
        for (int32_t k = 0; k < t->of[i].count; ++k) {
            out[i].most = t->of[i].data[k] > out[i].most ? t->of[i].data[k] : out[i].most;
        }
        ARRAY_FREE(host, &t->of[i]);
    }
}

static lim_result make_world(const lim_host* host, lim_world** out) {
    lim_world_desc desc = lim_world_desc_default();
    lim_host timed = *host;
    timed.now = processor_now;
    desc.workers = 1;
    desc.sleep = false;
    return lim_world_create(&desc, &timed, out);
}

static lim_result pin_ball(lim_world* world, lim_body body, lim_point at, float radius) {
    lim_pin_desc desc = lim_pin_desc_default();
    lim_pin made;
    desc.body = body;
    desc.shape = LIM_SHAPE_SPHERE;
    desc.size.x = radius;
    desc.position = at;
    return lim_pin_create(world, &desc, &made);
}

static lim_result hang_liver(lim_world* world, const lim_model* model, lim_body* out) {
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = lim_model_get_info(model).centre;
    desc.position.y += 0.3; /* as in the scene of that name */
    desc.material.density = 1060.0f;
    desc.material.young = 40e3f;
    desc.material.viscosity = 150.0f;
    desc.material.damping_time = 0.5f;
    lim_result result = lim_body_create(world, &desc, out);
    lim_point left = {-0.25, 0.87, -0.05}, right = {0.3, 0.78, 0.0};
    result = result == LIM_OK ? pin_ball(world, *out, left, 0.12f) : result;
    return result == LIM_OK ? pin_ball(world, *out, right, 0.1f) : result;
}

/* A blade through all of the depth that comes from below and stops inside: a stroke of some bend,
 * in sweeps that go on. */
typedef struct stroke_path {
    double x, y, from, length, lean, bend;
} stroke_path;

static stroke_path random_path(random_stream* r, lim_box box) {
    stroke_path p;
    double wide = box.upper.x - box.lower.x, high = box.upper.y - box.lower.y;
    p.x = box.lower.x + wide * (double)random_range(r, 0.15f, 0.85f);
    p.y = box.lower.y + high * (double)random_range(r, -0.02f, 0.25f);
    p.length = high * (double)random_range(r, 0.25f, 0.5f);
    p.lean = (double)random_range(r, -0.5f, 0.5f);
    p.bend = (double)random_range(r, -0.3f, 0.3f);
    p.from = 0.6 * (box.upper.z - box.lower.z);
    return p;
}

static void stations_of(const stroke_path* p, double z, int32_t sweep, lim_point tip[STATIONS],
                        lim_point back[STATIONS]) {
    for (int k = 0; k < STATIONS; ++k) {
        double u = (double)(sweep * (STATIONS - 1) + k) / (double)(SWEEPS * (STATIONS - 1));
        double x = p->x + p->length * (p->lean * u + p->bend * u * u), y = p->y + p->length * u;
        tip[k] = (lim_point){x, y, z - p->from};
        back[k] = (lim_point){x + 0.1 * p->length * p->bend, y, z + p->from};
    }
}

/* Refusals are counted and change nothing. */
static lim_result do_stroke(lim_world* world, lim_body body, const stroke_path* path, double z,
                            stage_times* times, edit_row* out, const lim_host* host) {
    lim_result result = LIM_OK;
    for (int32_t s = 0; s < SWEEPS && result == LIM_OK; ++s) {
        lim_point tip[STATIONS], back[STATIONS];
        lim_cut_desc desc = lim_cut_desc_default();
        lim_edit_report r;
        stations_of(path, z, s, tip, back);
        desc.count = STATIONS;
        desc.tips = tip;
        desc.backs = back;
        desc.continues = s > 0;
        desc.refine = 1;
        double begin = timer_now(host);
        lim_result cut = lim_body_cut(world, body, &desc, &r);
        double wall = timer_now(host) - begin;
        if (cut == LIM_OK && r.changed) {
            out->sweeps++;
            out->nodes_after = r.nodes_after;
            if (r.cut_edges >= 1 && r.cut_triangles >= 10) {
                out->counted++;
                result = add_times(times, &r, wall, host);
            }
        }
        out->refused += cut != LIM_OK;
        result = cut == LIM_ERROR_MEMORY ? cut : result;
        result = result == LIM_OK ? lim_world_step(world, FRAME) : result;
    }
    return result;
}

static lim_result cut_liver(const lim_model* model, uint64_t seed, stage_times* times,
                            edit_row* out, const lim_host* host) {
    lim_world* world = NULL;
    lim_body body = {0};
    random_stream r = random_seed(seed);
    lim_result result = make_world(host, &world);
    result = result == LIM_OK ? hang_liver(world, model, &body) : result;
    for (int k = 0; k < 10 && result == LIM_OK; ++k) {
        result = lim_world_step(world, FRAME);
    }
    out->nodes_before = out->nodes_after = lim_model_get_info(model).nodes;
    for (int s = 0; s < STROKES_MOST && out->nodes_after < NODES_MOST && result == LIM_OK; ++s) {
        lim_body_motion motion;
        result = lim_body_get_motion(world, body, &motion);
        if (result == LIM_OK) {
            stroke_path path = random_path(&r, motion.bounds);
            double z = 0.5 * (motion.bounds.lower.z + motion.bounds.upper.z);
            result = do_stroke(world, body, &path, z, times, out, host);
            out->strokes++;
        }
    }
    out->hash = result == LIM_OK ? out->hash * 31 + lim_world_hash(world) : 0;
    lim_world_destroy(world);
    return result;
}

static lim_result measure_liver(int32_t livers, const lim_host* host, edit_row* out) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    stage_times times;
    memset(&times, 0, sizeof times);
    lim_result result = model_mesh("liver", TRIANGLES, host, &mesh);
    if (result == LIM_OK) {
        lim_model_desc desc = lim_model_desc_default();
        desc.node_count = NODES;
        desc.coarsen = 1;
        result = lim_model_create(mesh, &desc, host, &model);
    }
    lim_mesh_destroy(mesh);
    out->livers = livers;
    for (int32_t i = 0; i < livers && result == LIM_OK; ++i) {
        out->triangles = lim_model_get_surface(model).triangle_count;
        result = cut_liver(model, 11 + (uint64_t)i, &times, out, host);
    }
    sum_up(&times, host, out->stage);
    lim_model_destroy(model);
    return result;
}

/* A notch of 5 by 3 cells in the middle of an edge, in a body that was not cut before. */
static lim_result cut_same(const lim_model* model, double edge, stage_times* times, same_row* out,
                           const lim_host* host) {
    lim_world* world = NULL;
    lim_body body;
    lim_body_desc desc = lim_body_desc_default();
    lim_result result = make_world(host, &world);
    desc.model = model;
    result = result == LIM_OK ? lim_body_create(world, &desc, &body) : result;
    lim_cut_desc cut = lim_cut_desc_default();
    lim_edit_report r = {0};
    lim_point tip[STATIONS], back[STATIONS];
    for (int k = 0; k < STATIONS; ++k) { /* the body lies about its centre */
        double y = 0.5 * edge + CELL * (1.3 - 2.2 * (double)k);
        tip[k] = (lim_point){0.013 * CELL, y, 0.5 * edge - 3.21 * CELL};
        back[k] = (lim_point){0.017 * CELL, y, 0.5 * edge + 1.37 * CELL};
    }
    cut.count = STATIONS;
    cut.tips = tip;
    cut.backs = back;
    double begin = timer_now(host);
    result = result == LIM_OK ? lim_body_cut(world, body, &cut, &r) : result;
    double wall = timer_now(host) - begin;
    result = result == LIM_OK ? add_times(times, &r, wall, host) : result;
    out->nodes = r.nodes_after;
    out->cut_edges = r.cut_edges;
    out->cut_triangles = r.cut_triangles;
    out->hash = result == LIM_OK ? lim_world_hash(world) : 0;
    lim_world_destroy(world);
    return result;
}

static lim_result measure_same(int32_t nodes, const lim_host* host, same_row* out) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    stage_times times;
    memset(&times, 0, sizeof times);
    int32_t side = bench_cube_side(nodes);
    const int32_t cells[3] = {side, side, side};
    double edge = (double)side * CELL;
    lim_result result = box_mesh(edge, edge, edge, cells, host, &mesh);
    if (result == LIM_OK) {
        lim_model_desc desc = lim_model_desc_default();
        desc.cell_size = (float)CELL;
        result = lim_model_create(mesh, &desc, host, &model);
    }
    lim_mesh_destroy(mesh);
    for (int i = 0; i < SAME_CUTS && result == LIM_OK; ++i) {
        result = cut_same(model, edge, &times, out, host);
    }
    out->triangles = model != NULL ? lim_model_get_surface(model).triangle_count : 0;
    sum_up(&times, host, out->stage);
    lim_model_destroy(model);
    return result;
}

static void print_liver(const edit_row* r) {
    printf("A hanging liver, %d triangles, refined by 1 about the blade; %d livers, %d strokes of "
           "%d sweeps that go on,\neach from %d nodes to %d and more (%d at last); %d sweeps, "
           "%d refused, 1 worker. ms of the processor over the %d sweeps that cut\nan edge and ten "
           "triangles.\n"
           "  %-10s %8s %8s %8s\n",
           r->triangles, r->livers, r->strokes, SWEEPS, r->nodes_before, NODES_MOST, r->nodes_after,
           r->sweeps, r->refused, r->counted, "", "median", "p99", "most");
    for (int i = 0; i < STAGES; ++i) {
        printf("  %-10s %8.3f %8.3f %8.3f\n", stage_names[i], 1e3 * r->stage[i].median,
               1e3 * r->stage[i].p99, 1e3 * r->stage[i].most);
    }
    printf("  hash %016llx\n", (unsigned long long)r->hash);
}

/* Nanoseconds that a node more costs, from one size to the next. */
static double growth(const same_row* few, const same_row* many, int stage) {
    return 1e9 * (many->stage[stage].median - few->stage[stage].median) /
           (double)(many->nodes - few->nodes);
}

static void print_same(const same_row row[SIZES]) {
    printf("The same notch in boxes of more and more cells of one size, triangles of one size; "
           "medians of %d, ms of the "
           "processor.\n  %8s %9s %6s %9s",
           SAME_CUTS, "nodes", "triangles", "edges", "triangles");
    for (int i = 0; i < STAGES; ++i) {
        printf(" %9s", stage_names[i]);
    }
    printf("\n  %8s %9s %6s %9s\n", "", "", "cut", "cut");
    for (int k = 0; k < SIZES; ++k) {
        printf("  %8d %9d %6d %9d", row[k].nodes, row[k].triangles, row[k].cut_edges,
               row[k].cut_triangles);
        for (int i = 0; i < STAGES; ++i) {
            printf(" %9.3f", 1e3 * row[k].stage[i].median);
        }
        printf("   hash %016llx\n", (unsigned long long)row[k].hash);
    }
    printf("  ns per node more, from %d to %d:  ", row[1].nodes, row[2].nodes);
    for (int i = 0; i < STAGES; ++i) {
        printf(" %s %.0f", stage_names[i], growth(&row[1], &row[2], i));
    }
    printf("\n");
}

static void emit_stages(emit* e, const stage_summary stage[STAGES]) {
    for (int i = 0; i < STAGES; ++i) {
        emit_object(e, stage_names[i]);
        emit_number(e, "median_ms", 1e3 * stage[i].median);
        emit_number(e, "p99_ms", 1e3 * stage[i].p99);
        emit_number(e, "most_ms", 1e3 * stage[i].most);
        emit_close_object(e);
    }
}

static void emit_all(const edit_row* r, const same_row same[SIZES]) {
    emit e = emit_begin(stdout);
    emit_object(&e, NULL);
    emit_text(&e, "bench", "edit");
    emit_count(&e, "triangles", r->triangles);
    emit_count(&e, "nodes_before", r->nodes_before);
    emit_count(&e, "nodes_after", r->nodes_after);
    emit_count(&e, "sweeps", r->sweeps);
    emit_count(&e, "counted", r->counted);
    emit_count(&e, "refused", r->refused);
    emit_stages(&e, r->stage);
    emit_hash(&e, "hash", r->hash);
    emit_array(&e, "same_cut");
    for (int i = 0; i < SIZES; ++i) {
        emit_object(&e, NULL);
        emit_count(&e, "nodes", same[i].nodes);
        emit_count(&e, "triangles", same[i].triangles);
        emit_stages(&e, same[i].stage);
        emit_hash(&e, "hash", same[i].hash);
        emit_close_object(&e);
    }
    emit_close_array(&e);
    emit_close_object(&e);
    emit_end(&e);
}

int bench_edit_command(const bench_options* o, say_log* log) {
    edit_row liver;
    same_row same[SIZES];
    memset(&liver, 0, sizeof liver);
    memset(same, 0, sizeof same);
    int32_t livers = o->steps < LIVERS ? o->steps : LIVERS;
    lim_result result = measure_liver(livers, &log->host, &liver);
    for (int i = 0; i < SIZES && result == LIM_OK; ++i) {
        result = measure_same(sizes[i], &log->host, &same[i]);
    }
    if (result != LIM_OK) {
        return subject_failed("bench edit", result, NULL, log);
    }
    if (o->json) {
        emit_all(&liver, same);
    } else {
        print_liver(&liver);
        print_same(same);
    }
    return EXIT_DONE;
}

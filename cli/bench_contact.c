/* SPDX-License-Identifier: MIT
 * Job: what contact between bodies costs. In: how many steps. Out: a heap of more and more balls at
 * equal density, with 1 and 2 workers in turns, and the slope of the cost of contact over their
 * number, also as a picture; a body of two leaves that folds on itself, with and without contact of
 * its own in turns, in steps of several substeps and of one, as the octree paper has them; and a
 * block on another, held up by contact or by the springs of that paper.
 */
#include "cli/bench_step_table.h"
#include "cli/commands.h"
#include "cli/emit.h"
#include "cli/output.h"
#include "cli/plot.h"
#include "cli/subject.h"

#include "bench/leaves.h"
#include "bench/penalty_case.h"
#include "scenes/models.h"

#include <math.h>
#include <string.h>

enum { SIZES = 5, BALL_NODES = 60, LEAF_NODES = 1550, LEAF_TRIANGLES = 20000, SETTLE = 40 };
static const int32_t sizes[SIZES] = {10, 30, 100, 300, 1000};
#define BALL_SIZE 0.2
#define FRAME     (1.0f / 60.0f)

/* The leaves: as stiff as the balls about, and as soft as one substep allows in shorter steps. */
enum { LEAVES = 2, ACTIVE_MOST = 8192 };
static const float leaves_young[LEAVES] = {20e3f, 4e3f};
static const float leaves_step[LEAVES] = {FRAME, 0.25f * FRAME};

/* Springs between two blocks, newton per metre and node; 0: contact. */
enum { WAYS = 4, BLOCK_STEPS = 480 };
static const double stiffness[WAYS] = {100.0, 1000.0, 10000.0, 0.0};

typedef struct contact_row {
    int32_t bodies, nodes, substeps;
    double contacts; /* mean, between bodies or of a body with itself */
    double active;   /* those of them that had an impulse, if they were counted */
    measure_summary total[2], contact[2];
    uint64_t hash;
    bool same_hash;
} contact_row;

static lim_result make_model(lim_mesh* mesh, int32_t nodes, const lim_host* host, lim_model** out) {
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = nodes;
    lim_result result = lim_model_create(mesh, &desc, host, out);
    lim_mesh_destroy(mesh);
    return result;
}

/* substeps: at least; 0: as a world has them. */
static lim_result make_world(int32_t workers, int32_t substeps, const lim_host* host,
                             lim_world** out) {
    lim_world_desc desc = lim_world_desc_default();
    desc.substeps = substeps > 0 ? substeps : desc.substeps;
    desc.workers = workers;
    desc.sleep = false;
    lim_result result = lim_world_create(&desc, host, out);
    if (result != LIM_OK) {
        return result;
    }
    lim_collider_desc floor = lim_collider_desc_default();
    lim_collider made;
    floor.shape = LIM_SHAPE_PLANE;
    return lim_collider_create(*out, &floor, &made);
}

/* Four walls: a pen in which two layers of so many balls lie as close however many they are. */
static lim_result add_pen(lim_world* world, double half) {
    const float r = 0.70710678f;
    const lim_quat turn[4] = {{0, 0, -r, r}, {0, 0, r, r}, {r, 0, 0, r}, {-r, 0, 0, r}};
    lim_result result = LIM_OK;
    for (int k = 0; k < 4 && result == LIM_OK; ++k) {
        lim_collider_desc wall = lim_collider_desc_default();
        lim_collider made;
        double away = k % 2 == 0 ? -half : half;
        wall.shape = LIM_SHAPE_PLANE;
        wall.orientation = turn[k];
        wall.position = (lim_point){k < 2 ? away : 0.0, 0.0, k < 2 ? 0.0 : away};
        result = lim_collider_create(world, &wall, &made);
    }
    return result;
}

static lim_result add_balls(lim_world* world, const lim_model* model, int32_t count) {
    int32_t side = (int32_t)ceil(sqrt(0.5 * (double)count));
    lim_box bounds = lim_model_get_info(model).bounds;
    double scale = BALL_SIZE / (bounds.upper.x - bounds.lower.x);
    double apart = 1.02 * BALL_SIZE, half = 0.5 * apart * (double)side + 0.01;
    lim_result result = add_pen(world, half);
    for (int32_t i = 0; i < count && result == LIM_OK; ++i) {
        int32_t layer = i / (side * side), in = i % (side * side);
        lim_body_desc desc = lim_body_desc_default();
        lim_body made;
        desc.model = model;
        desc.scale = (float)scale;
        desc.material.young = 30e3f;
        desc.position = (lim_point){apart * ((double)(in % side) + 0.5) - half + 0.01,
                                    0.12 + 0.22 * (double)layer + 0.01 * (double)(i % 3),
                                    apart * ((double)(in / side) + 0.5) - half + 0.01};
        result = lim_body_create(world, &desc, &made);
    }
    return result;
}

/* Contacts of bodies with bodies that had an impulse in the last step. */
static int32_t count_active(const lim_world* world, lim_contact* room) {
    int32_t count = 0, active = 0;
    lim_world_get_contacts(world, room, ACTIVE_MOST, &count);
    count = count < ACTIVE_MOST ? count : ACTIVE_MOST;
    for (int32_t i = 0; i < count; ++i) {
        active += room[i].other.generation != 0;
    }
    return active;
}

/* Two worlds take turns, step by step; what they cost after they have settled. */
static lim_result take_turns(lim_world* const worlds[2], int32_t steps, float dt,
                             const lim_host* host, contact_row* out) {
    ARRAY(double) total[2] = {{0}}, contact[2] = {{0}};
    static lim_contact told[ACTIVE_MOST];
    lim_result result = LIM_OK;
    int32_t settle = (int32_t)(SETTLE * FRAME / dt + 0.5f);
    for (int32_t k = -settle; k < steps && result == LIM_OK; ++k) {
        for (int w = 0; w < 2 && result == LIM_OK; ++w) {
            result = lim_world_step(worlds[w], dt);
            lim_step_report r = lim_world_get_report(worlds[w]);
            if (k >= 0 && result == LIM_OK) {
                bool room = ARRAY_PUSH(host, &total[w], r.total) &&
                            ARRAY_PUSH(host, &contact[w], r.contact_find + r.contact_solve);
                result = room ? LIM_OK : LIM_ERROR_MEMORY;
                out->contacts += w == 0 ? (double)r.body_contacts / (double)steps : 0.0;
                out->active += w == 0 ? (double)count_active(worlds[0], told) / (double)steps : 0.0;
                out->nodes = r.nodes;
                out->bodies = r.bodies;
                out->substeps = r.substeps_most;
            }
        }
    }
    for (int w = 0; w < 2; ++w) {
        out->total[w] = measure_of(total[w].data, total[w].count, host);
        out->contact[w] = measure_of(contact[w].data, contact[w].count, host);
        ARRAY_FREE(host, &total[w]);
        ARRAY_FREE(host, &contact[w]);
    }
    out->hash = lim_world_hash(worlds[0]);
    out->same_hash = out->hash == lim_world_hash(worlds[1]);
    return result;
}

static lim_result measure_heap(const lim_model* model, int32_t count, int32_t steps,
                               const lim_host* host, contact_row* out) {
    lim_world* worlds[2] = {NULL};
    lim_result result = LIM_OK;
    for (int w = 0; w < 2 && result == LIM_OK; ++w) {
        result = make_world(w + 1, 0, host, &worlds[w]);
        result = result == LIM_OK ? add_balls(worlds[w], model, count) : result;
    }
    result = result == LIM_OK ? take_turns(worlds, steps, FRAME, host, out) : result;
    lim_world_destroy(worlds[0]);
    lim_world_destroy(worlds[1]);
    return result;
}

/* [0]: it meets itself, [1]: it does not. */
static lim_result measure_leaves(int which, int32_t steps, const lim_host* host, contact_row* out) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_world* worlds[2] = {NULL};
    lim_result result = leaves_mesh(LEAF_TRIANGLES, host, &mesh);
    result = result == LIM_OK ? make_model(mesh, LEAF_NODES, host, &model) : result;
    for (int w = 0; w < 2 && result == LIM_OK; ++w) {
        lim_body_desc desc = lim_body_desc_default();
        lim_body made;
        desc.model = model;
        desc.position.y = 0.06;
        desc.material.young = leaves_young[which];
        desc.self_contact = w == 0;
        result = make_world(1, which, host, &worlds[w]);
        result = result == LIM_OK ? lim_body_create(worlds[w], &desc, &made) : result;
    }
    result = result == LIM_OK ? take_turns(worlds, steps, leaves_step[which], host, out) : result;
    lim_world_destroy(worlds[0]);
    lim_world_destroy(worlds[1]);
    lim_model_destroy(model);
    return result;
}

typedef struct contact_results {
    contact_row heap[SIZES], leaves[LEAVES];
    penalty_result way[WAYS];
} contact_results;

static lim_result measure_all(const bench_options* o, const lim_host* host, contact_results* out) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_result result = model_mesh("sphere", 800, host, &mesh);
    result = result == LIM_OK ? make_model(mesh, BALL_NODES, host, &model) : result;
    for (int i = 0; i < SIZES && result == LIM_OK; ++i) {
        result = measure_heap(model, sizes[i], o->steps, host, &out->heap[i]);
    }
    lim_model_destroy(model);
    for (int i = 0; i < LEAVES && result == LIM_OK; ++i) {
        result = measure_leaves(i, o->steps, host, &out->leaves[i]);
    }
    for (int i = 0; i < WAYS && result == LIM_OK; ++i) {
        result = penalty_case_run(stiffness[i], BLOCK_STEPS, host, &out->way[i]);
    }
    return result;
}

static plot_series series_of(const contact_row heap[SIZES], bool per_step) {
    plot_series s = {.name = per_step ? "all of a step" : "contact",
                     .rgba = per_step ? 0x8A939CFFu : 0xC4452DFFu,
                     .count = SIZES};
    for (int i = 0; i < SIZES; ++i) {
        s.x[i] = (double)heap[i].bodies;
        s.y[i] = 1e3 * (per_step ? heap[i].total[0].median : heap[i].contact[0].median);
    }
    return s;
}

static double slope_of(const contact_row heap[SIZES]) {
    plot_series s = series_of(heap, false);
    return plot_slope(&s, 1.0, 1e6);
}

/* Cost over number, and a line of slope 1 through the largest heap. */
static int write_plot(const char* path, const contact_row heap[SIZES], const say_log* log) {
    char title[96];
    snprintf(title, sizeof title, "Balls in a pen: contact grows as bodies to the power %.2f",
             slope_of(heap));
    plot p = {.title = title, .x_name = "bodies", .y_name = "ms per step", .series_count = 3};
    p.series[0] = series_of(heap, true);
    p.series[1] = series_of(heap, false);
    p.series[2] = (plot_series){.name = "slope 1", .rgba = 0x4C9BE8FFu, .count = 2, .line = true};
    double last = p.series[1].y[SIZES - 1] / (double)heap[SIZES - 1].bodies;
    for (int i = 0; i < 2; ++i) {
        p.series[2].x[i] = (double)heap[i == 0 ? 0 : SIZES - 1].bodies;
        p.series[2].y[i] = last * p.series[2].x[i];
    }
    lim_image image = {0};
    lim_io_message message = {{0}};
    lim_result result = plot_draw(&p, 720, 520, &image);
    result = result == LIM_OK ? lim_io_write_png(path, &image, &message) : result;
    lim_image_destroy(&image);
    return result == LIM_OK ? EXIT_DONE : subject_failed(path, result, &message, log);
}

static void print_ways(const penalty_result way[WAYS]) {
    printf("A block falls by 5 cm on another, %d nodes, %d steps of 1/240 s, 1 worker: springs of "
           "the octree paper\nbetween them, or contact. Depths in cells, energy in that of the "
           "fall, height of the block above its place at last in cells.\n"
           "  %-18s %8s %8s %8s %10s %8s %8s\n",
           way[0].nodes, BLOCK_STEPS, "N/m per node", "inside", "99 %", "most", "gained", "height",
           "ms");
    for (int i = 0; i < WAYS; ++i) {
        char name[32] = "contact";
        if (stiffness[i] > 0.0) {
            snprintf(name, sizeof name, "springs %.0f", stiffness[i]);
        }
        printf("  %-18s %8d %8.4f %8.3f %10.4f %8.2f %8.3f   hash %016llx\n", name, way[i].inside,
               way[i].p99, way[i].most, way[i].gained, way[i].height, 1e3 * way[i].seconds,
               (unsigned long long)way[i].hash);
    }
}

static void print_all(const bench_options* o, const contact_results* all) {
    const contact_row* heap = all->heap;
    printf("Two layers of balls in a pen, %d nodes each, steps of 1/60 s after %d; %d steps, ms, "
           "medians.\n"
           "  %8s %8s %9s %9s %9s %9s %12s\n",
           BALL_NODES, SETTLE, o->steps, "bodies", "nodes", "contacts", "step", "2 workers",
           "contact", "us per body");
    for (int i = 0; i < SIZES; ++i) {
        const contact_row* r = &heap[i];
        printf("  %8d %8d %9.0f %9.3f %9.3f %9.3f %12.1f   hash %016llx%s\n", r->bodies, r->nodes,
               r->contacts, 1e3 * r->total[0].median, 1e3 * r->total[1].median,
               1e3 * r->contact[0].median, 1e6 * r->contact[0].median / (double)r->bodies,
               (unsigned long long)r->hash,
               r->same_hash ? ", the same with 2 workers" : ", DIFFERENT with 2 workers");
    }
    printf("  contact grows as bodies to the power %.2f\n", slope_of(heap));
    for (int i = 0; i < LEAVES; ++i) {
        const contact_row* leaves = &all->leaves[i];
        printf("Two leaves, %d nodes, skin of %d triangles, %.0f Pa, steps of 1/%.0f s of %d "
               "substeps, 1 worker: %.0f contacts with itself, %.0f with an impulse, step %.3f ms, "
               "without contact with itself %.3f   hash %016llx\n",
               leaves->nodes, LEAF_TRIANGLES, (double)leaves_young[i], 1.0 / (double)leaves_step[i],
               leaves->substeps, leaves->contacts, leaves->active, 1e3 * leaves->total[0].median,
               1e3 * leaves->total[1].median, (unsigned long long)leaves->hash);
    }
    print_ways(all->way);
}

static void emit_ways(emit* e, const penalty_result way[WAYS]) {
    emit_array(e, "blocks");
    for (int i = 0; i < WAYS; ++i) {
        emit_object(e, NULL);
        emit_number(e, "stiffness", stiffness[i]);
        emit_count(e, "inside", way[i].inside);
        emit_number(e, "depth_p99", way[i].p99);
        emit_number(e, "depth_most", way[i].most);
        emit_number(e, "energy_gained", way[i].gained);
        emit_number(e, "height", way[i].height);
        emit_number(e, "step_ms", 1e3 * way[i].seconds);
        emit_hash(e, "hash", way[i].hash);
        emit_close_object(e);
    }
    emit_close_array(e);
}

static void emit_all(const contact_results* all) {
    const contact_row* heap = all->heap;
    emit e = emit_begin(stdout);
    emit_object(&e, NULL);
    emit_text(&e, "bench", "contact");
    emit_array(&e, "heaps");
    for (int i = 0; i < SIZES; ++i) {
        emit_object(&e, NULL);
        emit_count(&e, "bodies", heap[i].bodies);
        emit_count(&e, "nodes", heap[i].nodes);
        emit_number(&e, "contacts", heap[i].contacts);
        emit_number(&e, "step_ms", 1e3 * heap[i].total[0].median);
        emit_number(&e, "step_ms_2_workers", 1e3 * heap[i].total[1].median);
        emit_number(&e, "contact_ms", 1e3 * heap[i].contact[0].median);
        emit_hash(&e, "hash", heap[i].hash);
        emit_flag(&e, "same_hash", heap[i].same_hash);
        emit_close_object(&e);
    }
    emit_close_array(&e);
    emit_number(&e, "slope", slope_of(heap));
    emit_array(&e, "leaves");
    for (int i = 0; i < LEAVES; ++i) {
        const contact_row* leaves = &all->leaves[i];
        emit_object(&e, NULL);
        emit_count(&e, "nodes", leaves->nodes);
        emit_count(&e, "triangles", LEAF_TRIANGLES);
        emit_count(&e, "substeps", leaves->substeps);
        emit_number(&e, "contacts", leaves->contacts);
        emit_number(&e, "active", leaves->active);
        emit_number(&e, "step_ms", 1e3 * leaves->total[0].median);
        emit_number(&e, "step_ms_without", 1e3 * leaves->total[1].median);
        emit_hash(&e, "hash", leaves->hash);
        emit_close_object(&e);
    }
    emit_close_array(&e);
    emit_ways(&e, all->way);
    emit_close_object(&e);
    emit_end(&e);
}

/* Whether the picture can be written; EXIT_USAGE after a message. */
static int check_picture(const char* path) {
    lim_io_message message = {{0}};
    if (output_kind_of(path) != OUTPUT_PNG) {
        say_error("%s: a picture of a bench is a .png", path);
        return EXIT_USAGE;
    }
    if (!output_is_possible(path, &message)) {
        say_error("%s", message.text);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

int bench_contact_command(const bench_options* o, say_log* log) {
    contact_results all;
    memset(&all, 0, sizeof all);
    if (o->picture != NULL && check_picture(o->picture) != EXIT_DONE) {
        return EXIT_USAGE;
    }
    lim_result result = measure_all(o, &log->host, &all);
    if (result != LIM_OK) {
        return subject_failed("bench contact", result, NULL, log);
    }
    if (o->json) {
        emit_all(&all);
    } else {
        print_all(o, &all);
    }
    bool same = true;
    for (int i = 0; i < SIZES; ++i) {
        same = same && all.heap[i].same_hash;
    }
    int written = o->picture != NULL ? write_plot(o->picture, all.heap, log) : EXIT_DONE;
    return same ? written : EXIT_FAILED;
}

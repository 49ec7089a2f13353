/* SPDX-License-Identifier: MIT
 * Job: time steps. In: the side of a cube in cells that hangs without contact, or the creature at
 * rest on the ground. Out: medians per stage with 1 and with 2 workers, and beside the printed
 * step. Bodies take turns in short blocks of steps, so that a slow moment of the machine hits all.
 * That a body moves at every measured step is seen in a second run of the same steps, with a hash
 * after each, which has to end with the same bits.
 */
#include "cli/bench.h"

#include "base/arena.h"
#include "bench/paper_cube.h"
#include "scenes/models.h"

#include <string.h>

static const float CELL = 1.0f / 32.0f; /* of every cube: all have the same regions */
enum { BLOCK = 20, PAPER_BLOCK = 4 };
#define REST_DT (1.0f / 60.0f)

int32_t bench_cube_side(int32_t nodes) {
    int32_t side = 1;
    while ((side + 1) * (side + 1) * (side + 1) - nodes <= nodes - side * side * side) {
        side++;
    }
    return side;
}

lim_result bench_hang(const lim_model* model, const lim_material* material, int32_t workers,
                      const lim_host* host, lim_world** out_world) {
    lim_world_desc desc = lim_world_desc_default();
    desc.substeps = 1;
    desc.workers = workers;
    desc.sleep = false;
    lim_world* world = NULL;
    lim_result result = lim_world_create(&desc, host, &world);
    if (result != LIM_OK) {
        return result;
    }
    lim_body_desc body_desc = lim_body_desc_default();
    body_desc.model = model;
    body_desc.material = *material;
    lim_body body;
    result = lim_body_create(world, &body_desc, &body);
    if (result == LIM_OK) {
        lim_model_info info = lim_model_get_info(model);
        double top = info.bounds.upper.y - info.centre.y;
        float wide = (float)(info.bounds.upper.x - info.bounds.lower.x +
                             (info.bounds.upper.z - info.bounds.lower.z));
        lim_pin_desc pin_desc = lim_pin_desc_default();
        pin_desc.body = body;
        pin_desc.shape = LIM_SHAPE_BOX;
        /* the topmost layer of nodes lies half a cell under the face */
        pin_desc.size = (lim_vec3){wide, info.cell_size, wide};
        pin_desc.position = (lim_point){0.0, top, 0.0};
        lim_pin pin;
        result = lim_pin_create(world, &pin_desc, &pin);
    }
    if (result != LIM_OK) {
        lim_world_destroy(world);
        return result;
    }
    *out_world = world;
    return LIM_OK;
}

/* On the ground, as its model stands. */
static lim_result lay_down(const lim_model* model, const lim_material* material, int32_t workers,
                           const lim_host* host, lim_world** out_world) {
    lim_world_desc desc = lim_world_desc_default();
    desc.workers = workers;
    desc.sleep = false;
    lim_world* world = NULL;
    lim_result result = lim_world_create(&desc, host, &world);
    if (result != LIM_OK) {
        return result;
    }
    lim_collider_desc ground = lim_collider_desc_default();
    lim_collider made;
    result = lim_collider_create(world, &ground, &made);
    if (result == LIM_OK) {
        lim_body_desc body_desc = lim_body_desc_default();
        lim_model_info info = lim_model_get_info(model);
        lim_body body;
        body_desc.model = model;
        body_desc.material = *material;
        body_desc.position.y = info.centre.y - info.bounds.lower.y + 0.002;
        result = lim_body_create(world, &body_desc, &body);
    }
    if (result != LIM_OK) {
        lim_world_destroy(world);
        return result;
    }
    *out_world = world;
    return LIM_OK;
}

lim_result bench_cube(lim_kind kind, int32_t nodes, double width, const lim_host* host,
                      lim_model** out_model) {
    lim_mesh* mesh = NULL;
    const int32_t cells[3] = {1, 1, 1};
    double edge = bench_cube_side(nodes) * (double)CELL;
    lim_result result = box_mesh(edge, edge, edge, cells, host, &mesh);
    if (result == LIM_OK) {
        lim_model_desc desc = lim_model_desc_default();
        desc.kind = kind;
        desc.cell_size = CELL;
        desc.region_width = (float)width;
        result = lim_model_create(mesh, &desc, host, out_model);
    }
    lim_mesh_destroy(mesh);
    return result;
}

lim_result bench_read_skins(const lim_world* world) {
    lim_result result = LIM_OK;
    for (lim_body b = lim_body_next(world, (lim_body){0}); b.generation != 0 && result == LIM_OK;
         b = lim_body_next(world, b)) {
        lim_skin_view skin;
        result = lim_body_get_skin(world, b, &skin);
    }
    return result;
}

/* How the worlds of a comparison are stepped. */
typedef struct stepping {
    float dt;
    bool reads; /* somebody asks for the skins after each step */
} stepping;

static lim_result take_steps(lim_world* world, int32_t count, stepping how, measure* times,
                             const lim_host* host, int32_t* substeps) {
    for (int32_t i = 0; i < count; ++i) {
        lim_result result = lim_world_step(world, how.dt);
        result = result == LIM_OK && how.reads ? bench_read_skins(world) : result;
        if (result != LIM_OK) {
            return result;
        }
        lim_step_report report = lim_world_get_report(world);
        *substeps = report.substeps_most;
        if (times != NULL && !measure_add(times, host, &report)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

/* The measured steps once more: how many of them changed the hash. */
static lim_result count_moves(lim_world* world, const lim_snapshot* begin, int32_t steps, float dt,
                              bench_step_result* out) {
    lim_result result = lim_snapshot_restore(world, begin);
    uint64_t before = lim_world_hash(world);
    for (int32_t i = 0; i < steps && result == LIM_OK; ++i) {
        result = lim_world_step(world, dt);
        uint64_t after = lim_world_hash(world);
        out->moves += after != before;
        before = after;
    }
    out->moves = before == out->hash ? out->moves : 0; /* not the steps that were measured */
    return result;
}

lim_material bench_material(void) {
    lim_material material = lim_material_default();
    material.young = 10e3f;
    return material;
}

static lim_result compare(lim_world* worlds[BENCH_WORKERS], int32_t warm, int32_t steps,
                          stepping how, measure* times, const lim_host* host,
                          bench_step_result* out) {
    lim_result result = LIM_OK;
    lim_snapshot* begin = NULL;
    for (int32_t w = 0; w < BENCH_WORKERS && result == LIM_OK; ++w) {
        result = take_steps(worlds[w], warm, how, NULL, host, &out->substeps);
    }
    if (result == LIM_OK) {
        result = lim_snapshot_create(worlds[0], &begin);
    }
    for (int32_t done = 0; done < steps && result == LIM_OK; done += BLOCK) {
        int32_t block = steps - done < BLOCK ? steps - done : BLOCK;
        for (int32_t w = 0; w < BENCH_WORKERS && result == LIM_OK; ++w) {
            result = take_steps(worlds[w], block, how, &times[w], host, &out->substeps);
        }
    }
    if (result == LIM_OK) {
        out->steps = steps;
        out->hash = lim_world_hash(worlds[0]);
        out->same_hash = lim_world_hash(worlds[1]) == out->hash;
        result = count_moves(worlds[0], begin, steps, how.dt, out);
    }
    lim_snapshot_destroy(begin);
    for (int32_t w = 0; w < BENCH_WORKERS && result == LIM_OK; ++w) {
        out->total[w] = measure_summarise(&times[w], host, 0);
        for (int32_t s = 0; s < MEASURE_STAGES; ++s) {
            out->stages[w][s] = measure_summarise(&times[w], host, 1 + s);
        }
    }
    return result;
}

/* A body in a world for each number of workers: they hang, or they lie on the ground. */
static lim_result run_model(const lim_model* model, const lim_material* material, bool hangs,
                            int32_t steps, const lim_host* host, bench_step_result* out) {
    memset(out, 0, sizeof *out);
    lim_world* worlds[BENCH_WORKERS] = {NULL, NULL};
    measure times[BENCH_WORKERS];
    memset(times, 0, sizeof times);
    lim_result result = LIM_OK;
    for (int32_t w = 0; w < BENCH_WORKERS && result == LIM_OK; ++w) {
        result = hangs ? bench_hang(model, material, w + 1, host, &worlds[w])
                       : lay_down(model, material, w + 1, host, &worlds[w]);
    }
    if (result == LIM_OK) {
        out->info = lim_model_get_info(model);
        stepping how = {.dt = hangs ? BENCH_STEP_DT : REST_DT, .reads = !hangs};
        result = compare(worlds, hangs ? BENCH_WARM_STEPS : BENCH_REST_STEPS, steps, how, times,
                         host, out);
    }
    for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
        measure_free(&times[w], host);
        lim_world_destroy(worlds[w]);
    }
    return result;
}

lim_result bench_model(const lim_model* model, const lim_material* material, int32_t steps,
                       const lim_host* host, bench_step_result* out) {
    return run_model(model, material, true, steps, host, out);
}

lim_result bench_creature(int32_t steps, const lim_host* host, bench_step_result* out) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    lim_material material = lim_material_default();
    material.young = 90e3f; /* as in the scene of that name */
    material.viscosity = 1000.0f;
    material.damping_time = 0.2f;
    material.friction = 0.9f;
    desc.node_count = 3000;
    lim_result result = model_mesh("creature", 0, host, &mesh);
    result = result == LIM_OK ? lim_model_create(mesh, &desc, host, &model) : result;
    result = result == LIM_OK ? run_model(model, &material, false, steps, host, out) : result;
    out->width = (double)desc.region_width;
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
    return result;
}

lim_result bench_step(int32_t nodes, double width, int32_t steps, const lim_host* host,
                      bench_step_result* out) {
    lim_model* model = NULL;
    lim_material material = bench_material();
    lim_result result = bench_cube(LIM_KIND_OCTREE, nodes, width, host, &model);
    if (result == LIM_OK) {
        result = bench_model(model, &material, steps, host, out);
        out->width = width;
    }
    lim_model_destroy(model);
    return result;
}

/* Blocks of the world's steps and of the printed one in turns; seconds of each step. The first
 * round only warms. */
static lim_result take_turns(lim_world* world, paper_cube* cube, int32_t rounds, double* ours,
                             double* paper[4], const lim_host* host, bench_paper_result* out) {
    int32_t our_count = 0, paper_count = 0;
    for (int32_t round = 0; round <= rounds; ++round) {
        for (int32_t i = 0; i < BLOCK; ++i) {
            lim_result result = lim_world_step(world, BENCH_STEP_DT);
            if (result != LIM_OK) {
                return result;
            }
            ours[our_count] = lim_world_get_report(world).total;
            our_count += round > 0;
        }
        for (int32_t i = 0; i < PAPER_BLOCK; ++i) {
            uint64_t before = paper_cube_hash(cube);
            paper_cube_times t = paper_cube_step(cube, BENCH_STEP_DT);
            out->moves += round > 0 && paper_cube_hash(cube) != before;
            const double parts[4] = {t.sums + t.rotations + t.damping, t.sums, t.rotations,
                                     t.damping};
            for (int32_t k = 0; k < 4; ++k) {
                paper[k][paper_count] = parts[k];
            }
            paper_count += round > 0;
        }
    }
    out->steps = paper_count;
    out->hash = paper_cube_hash(cube);
    out->ours = measure_of(ours, our_count, host);
    out->total = measure_of(paper[0], paper_count, host);
    out->sums = measure_of(paper[1], paper_count, host).median;
    out->rotations = measure_of(paper[2], paper_count, host).median;
    out->damping = measure_of(paper[3], paper_count, host).median;
    return LIM_OK;
}

lim_result bench_paper_step(int32_t nodes, double width, int32_t rounds, const lim_host* host,
                            bench_paper_result* out) {
    memset(out, 0, sizeof *out);
    int32_t side = bench_cube_side(nodes);
    lim_model* model = NULL;
    lim_world* world = NULL;
    paper_cube* cube = NULL;
    arena scratch;
    arena_init(&scratch, host);
    double* ours = ARENA_ARRAY(&scratch, double, (rounds + 1) * BLOCK);
    double* paper[4];
    bool complete = ours != NULL;
    for (int32_t k = 0; k < 4; ++k) {
        paper[k] = ARENA_ARRAY(&scratch, double, (rounds + 1) * PAPER_BLOCK);
        complete = complete && paper[k] != NULL;
    }
    lim_result result =
        complete ? bench_cube(LIM_KIND_OCTREE, nodes, width, host, &model) : LIM_ERROR_MEMORY;
    lim_material material = bench_material();
    if (result == LIM_OK) {
        result = bench_hang(model, &material, 1, host, &world);
    }
    if (result == LIM_OK) {
        result = paper_cube_create(side, (double)CELL, PAPER_CUBE_WIDTH, host, &cube);
    }
    if (result == LIM_OK) {
        out->info = paper_cube_get_info(cube);
        out->our_info = lim_model_get_info(model);
        result = take_turns(world, cube, rounds, ours, paper, host, out);
    }
    paper_cube_destroy(cube);
    lim_world_destroy(world);
    lim_model_destroy(model);
    arena_release(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT
 * Job: time skinning. In: a number of triangles. Out: the skin stage of steps of a falling creature
 * that carries positions, normals and tangents, as an octree and as a lattice, with 1 and with 2
 * workers, all in turns.
 */
#include "cli/bench.h"

#include "base/arena.h"
#include "scenes/models.h"

#include <math.h>
#include <string.h>

static const float STEP_DT = 1.0f / 60.0f;
enum { BLOCK = 20, NODES = 2000 };

/* The model's mesh again, with a unit tangent across each normal. */
static lim_result add_tangents(const lim_mesh* plain, const lim_host* host, lim_mesh** out_mesh) {
    lim_mesh_view view = lim_mesh_get_view(plain);
    arena scratch;
    arena_init(&scratch, host);
    float* tangents = ARENA_ARRAY(&scratch, float, 4 * (int64_t)view.vertex_count);
    lim_result result = LIM_ERROR_MEMORY;
    if (tangents != NULL) {
        for (int64_t i = 0; i < view.vertex_count; ++i) {
            const float* n = view.normals + 3 * i;
            /* n x the axis that it leans on least: never zero for a unit normal */
            bool along_x = fabsf(n[0]) < 0.6f;
            float t[3] = {along_x ? 0.0f : -n[2], along_x ? n[2] : 0.0f, along_x ? -n[1] : n[0]};
            float length = sqrtf(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
            length = length > 0.0f ? length : 1.0f;
            for (int32_t k = 0; k < 3; ++k) {
                tangents[4 * i + k] = t[k] / length;
            }
            tangents[4 * i + 3] = 1.0f;
        }
        lim_mesh_desc desc = lim_mesh_desc_default();
        desc.vertex_count = view.vertex_count;
        desc.triangle_count = view.triangle_count;
        desc.positions = &view.positions[0].x;
        desc.normals = view.normals;
        desc.tangents = tangents;
        desc.uvs = view.uvs;
        desc.indices = view.indices;
        result = lim_mesh_create(&desc, host, out_mesh);
    }
    arena_release(&scratch);
    return result;
}

static lim_result make_world(const lim_model* model, int32_t workers, const lim_host* host,
                             lim_world** out_world) {
    lim_world_desc desc = lim_world_desc_default();
    desc.workers = workers;
    desc.sleep = false;
    lim_world* world = NULL;
    lim_result result = lim_world_create(&desc, host, &world);
    if (result != LIM_OK) {
        return result;
    }
    lim_body_desc body_desc = lim_body_desc_default();
    body_desc.model = model;
    body_desc.angular_velocity = (lim_vec3){1.0f, 2.0f, 0.5f};
    lim_body body;
    result = lim_body_create(world, &body_desc, &body);
    if (result != LIM_OK) {
        lim_world_destroy(world);
        return result;
    }
    *out_world = world;
    return LIM_OK;
}

enum { WORLDS = BENCH_SKINS * BENCH_WORKERS };

/* Warms all worlds, then times blocks in turns. `times` holds `steps` numbers per world. */
static lim_result compare(lim_world* worlds[WORLDS], int32_t steps, double* times[WORLDS],
                          const lim_host* host, bench_skin_result out[BENCH_SKINS]) {
    for (int32_t done = -BENCH_WARM_STEPS; done < steps; done += BLOCK) {
        for (int32_t w = 0; w < WORLDS; ++w) {
            for (int32_t i = done; i < done + BLOCK && i < steps; ++i) {
                lim_result result = lim_world_step(worlds[w], STEP_DT);
                result = result == LIM_OK ? bench_read_skins(worlds[w]) : result;
                if (result != LIM_OK) {
                    return result;
                }
                if (i >= 0) {
                    times[w][i] = lim_world_get_report(worlds[w]).skin;
                }
            }
        }
    }
    for (int32_t k = 0; k < BENCH_SKINS; ++k) {
        lim_world** own = worlds + BENCH_WORKERS * k;
        out[k].hash = lim_world_hash(own[0]);
        out[k].same_hash = lim_world_hash(own[1]) == out[k].hash;
        for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
            out[k].skin[w] = measure_of(times[BENCH_WORKERS * k + w], steps, host);
        }
    }
    return LIM_OK;
}

/* The model of one kind, and a world for each number of workers. */
static lim_result make_kind(const lim_mesh* mesh, lim_kind kind, const lim_host* host,
                            lim_world* worlds[BENCH_WORKERS], bench_skin_result* out) {
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = kind;
    desc.node_count = NODES;
    lim_model* model = NULL;
    lim_result result = lim_model_create(mesh, &desc, host, &model);
    for (int32_t w = 0; w < BENCH_WORKERS && result == LIM_OK; ++w) {
        result = make_world(model, w + 1, host, &worlds[w]);
    }
    lim_mesh_view view = lim_mesh_get_view(mesh);
    *out = (bench_skin_result){.kind = kind,
                               .vertices = view.vertex_count,
                               .triangles = view.triangle_count,
                               .nodes = lim_model_get_info(model).nodes};
    lim_model_destroy(model);
    return result;
}

static lim_result make_mesh(int32_t triangles, const lim_host* host, lim_mesh** out) {
    lim_mesh* plain = NULL;
    lim_result result = model_mesh("creature", triangles, host, &plain);
    if (result == LIM_OK) {
        result = add_tangents(plain, host, out);
    }
    lim_mesh_destroy(plain);
    return result;
}

lim_result bench_skin(int32_t triangles, int32_t steps, const lim_host* host,
                      bench_skin_result out[BENCH_SKINS]) {
    static const lim_kind kinds[BENCH_SKINS] = {LIM_KIND_OCTREE, LIM_KIND_LATTICE};
    memset(out, 0, BENCH_SKINS * sizeof *out);
    lim_mesh* mesh = NULL;
    lim_world* worlds[WORLDS] = {NULL};
    arena scratch;
    arena_init(&scratch, host);
    double* times[WORLDS];
    lim_result result = make_mesh(triangles, host, &mesh);
    for (int32_t w = 0; w < WORLDS && result == LIM_OK; ++w) {
        times[w] = ARENA_ARRAY(&scratch, double, steps);
        result = times[w] != NULL ? LIM_OK : LIM_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < BENCH_SKINS && result == LIM_OK; ++k) {
        result = make_kind(mesh, kinds[k], host, worlds + BENCH_WORKERS * k, &out[k]);
    }
    if (result == LIM_OK) {
        result = compare(worlds, steps, times, host, out);
    }
    for (int32_t w = 0; w < WORLDS; ++w) {
        lim_world_destroy(worlds[w]);
    }
    arena_release(&scratch);
    lim_mesh_destroy(mesh);
    return result;
}

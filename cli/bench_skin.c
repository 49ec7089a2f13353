/* SPDX-License-Identifier: MIT
 * Job: time skinning. In: a number of triangles. Out: the skin stage of steps of a falling creature
 * that carries positions, normals and tangents, with 1 and with 2 workers in turns.
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

/* Warms both worlds, then times blocks in turns. `times` holds `steps` numbers per world. */
static lim_result compare(lim_world* worlds[BENCH_WORKERS], int32_t steps,
                          double* times[BENCH_WORKERS], const lim_host* host,
                          bench_skin_result* out) {
    for (int32_t done = -BENCH_WARM_STEPS; done < steps; done += BLOCK) {
        for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
            for (int32_t i = done; i < done + BLOCK && i < steps; ++i) {
                lim_result result = lim_world_step(worlds[w], STEP_DT);
                if (result != LIM_OK) {
                    return result;
                }
                if (i >= 0) {
                    times[w][i] = lim_world_get_report(worlds[w]).skin;
                }
            }
        }
    }
    out->hash = lim_world_hash(worlds[0]);
    out->same_hash = lim_world_hash(worlds[1]) == out->hash;
    for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
        out->skin[w] = measure_of(times[w], steps, host);
    }
    return LIM_OK;
}

lim_result bench_skin(int32_t triangles, int32_t steps, const lim_host* host,
                      bench_skin_result* out) {
    memset(out, 0, sizeof *out);
    lim_mesh *plain = NULL, *mesh = NULL;
    lim_model* model = NULL;
    lim_world* worlds[BENCH_WORKERS] = {NULL, NULL};
    arena scratch;
    arena_init(&scratch, host);
    double* times[BENCH_WORKERS];
    for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
        times[w] = ARENA_ARRAY(&scratch, double, steps);
    }
    lim_result result = times[0] != NULL && times[1] != NULL
                            ? model_mesh("creature", triangles, host, &plain)
                            : LIM_ERROR_MEMORY;
    if (result == LIM_OK) {
        result = add_tangents(plain, host, &mesh);
    }
    if (result == LIM_OK) {
        lim_model_desc desc = lim_model_desc_default();
        desc.node_count = NODES;
        result = lim_model_create(mesh, &desc, host, &model);
    }
    for (int32_t w = 0; w < BENCH_WORKERS && result == LIM_OK; ++w) {
        result = make_world(model, w + 1, host, &worlds[w]);
    }
    if (result == LIM_OK) {
        lim_mesh_view view = lim_mesh_get_view(mesh);
        out->vertices = view.vertex_count;
        out->triangles = view.triangle_count;
        out->nodes = lim_model_get_info(model).nodes;
        result = compare(worlds, steps, times, host, out);
    }
    for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
        lim_world_destroy(worlds[w]);
    }
    arena_release(&scratch);
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
    lim_mesh_destroy(plain);
    return result;
}

/* SPDX-License-Identifier: MIT
 * Job: time the way from a triangle soup to the first step. In: a number of triangles. Out: seconds
 * of cleaning, building and stepping once, for the creature as it is and with every hundredth face
 * removed, which leaves it open in many places; in cells of one size, or of several beside one of
 * as many nodes in cells of one size.
 */
#include "cli/bench.h"

#include "base/arena.h"
#include "scenes/models.h"

#include <string.h>
#include <time.h>

enum { NODES = 2000, HOLE_EVERY = 100 };

/* Processor time, of one thread: other programs on the machine do not count. */
static double processor_now(void) {
    return (double)clock() / (double)CLOCKS_PER_SEC;
}

/* Seconds of a model in cells of one size. */
static lim_result time_uniform(const lim_mesh* mesh, int32_t nodes, const lim_host* host,
                               double* out) {
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = nodes;
    double start = processor_now();
    lim_result result = lim_model_create(mesh, &desc, host, &model);
    *out = processor_now() - start;
    lim_model_destroy(model);
    return result;
}

/* Cleans, builds and steps once; the seconds of each part. */
static lim_result build_once(const lim_mesh_desc* desc, int32_t coarsen, const lim_host* host,
                             bench_build_result* out) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_world* world = NULL;
    double start = processor_now();
    lim_result result = lim_mesh_create(desc, host, &mesh);
    double cleaned = processor_now();
    if (result == LIM_OK) {
        lim_model_desc model_desc = lim_model_desc_default();
        model_desc.node_count = NODES;
        model_desc.coarsen = coarsen;
        result = lim_model_create(mesh, &model_desc, host, &model);
    }
    double built = processor_now();
    if (result == LIM_OK) {
        lim_world_desc world_desc = lim_world_desc_default();
        result = lim_world_create(&world_desc, host, &world);
    }
    if (result == LIM_OK) {
        lim_body_desc body_desc = lim_body_desc_default();
        body_desc.model = model;
        lim_body body;
        result = lim_body_create(world, &body_desc, &body);
    }
    if (result == LIM_OK) {
        result = lim_world_step(world, 1.0f / 60.0f);
    }
    double stepped = processor_now();
    if (result == LIM_OK) {
        out->triangles = lim_mesh_get_report(mesh).triangles_kept;
        out->open_edges = lim_mesh_get_report(mesh).open_edges;
        out->nodes = lim_model_get_info(model).nodes;
        out->clean = cleaned - start;
        out->build = built - cleaned;
        out->first_step = stepped - built;
        out->hash = lim_world_hash(world);
    }
    for (int i = 0; i < 2 && result == LIM_OK && coarsen > 0; ++i) {
        double seconds;
        result = time_uniform(mesh, out->nodes, host, &seconds);
        out->uniform = i == 0 || seconds < out->uniform ? seconds : out->uniform;
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
    return result;
}

lim_result bench_build(int32_t triangles, bool holes, int32_t coarsen, const lim_host* host,
                       bench_build_result* out) {
    memset(out, 0, sizeof *out);
    lim_mesh* source = NULL;
    lim_result result = model_mesh("creature", triangles, host, &source);
    if (result != LIM_OK) {
        return result;
    }
    lim_mesh_view view = lim_mesh_get_view(source);
    arena scratch;
    arena_init(&scratch, host);
    uint32_t* indices = ARENA_ARRAY(&scratch, uint32_t, 3 * (int64_t)view.triangle_count);
    result = LIM_ERROR_MEMORY;
    if (indices != NULL) {
        int32_t kept = 0;
        for (int32_t t = 0; t < view.triangle_count; ++t) {
            if (!holes || t % HOLE_EVERY != 0) {
                memcpy(indices + 3 * (int64_t)kept++, view.indices + 3 * (int64_t)t,
                       3 * sizeof(uint32_t));
            }
        }
        lim_mesh_desc desc = lim_mesh_desc_default();
        desc.vertex_count = view.vertex_count;
        desc.triangle_count = kept;
        desc.positions = &view.positions[0].x;
        desc.uvs = view.uvs;
        desc.colours = view.colours;
        desc.indices = indices;
        result = build_once(&desc, coarsen, host, out);
    }
    arena_release(&scratch);
    lim_mesh_destroy(source);
    return result;
}

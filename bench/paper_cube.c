/* SPDX-License-Identifier: MIT
 * Job: a hanging cube under the printed step. In: its size. Out: steps and their times. Regions are
 * not made symmetric (that costs six times the summation nodes) and weights are those that
 * conserve: the faster baseline of those that paper_mode.h offers.
 */
#include "bench/paper_cube.h"

#include "base/hash.h"
#include "bench/sampled.h"
#include "scenes/models.h"

#include <string.h>

static const lim_vec3 GRAVITY = {0.0f, -9.81f, 0.0f};
#define DAMPING 0.05f /* share of the motion within regions per step */

struct paper_cube {
    lim_host host;
    sampled body;
    paper_mode* mode;
    double width;
    float top; /* nodes above it are held */
};

lim_result paper_cube_create(int32_t side, double cell, double width, const lim_host* host,
                             paper_cube** out_cube) {
    paper_cube* c = mem_alloc(host, 1, sizeof *c);
    LIM_TRY_MEMORY(c);
    c->host = *host;
    c->width = width;
    lim_mesh* mesh = NULL;
    const int32_t cells[3] = {1, 1, 1};
    double edge = side * cell;
    lim_result result = box_mesh(edge, edge, edge, cells, host, &mesh);
    if (result == LIM_OK) {
        lim_model_desc desc = lim_model_desc_default();
        desc.cell_size = (float)cell;
        result = sampled_make(mesh, &desc, host, &c->body);
    }
    if (result == LIM_OK) {
        sampled_paper_desc desc = {
            .width = width, .alpha = 1.0f, .damping = DAMPING, .gravity = GRAVITY};
        result = sampled_paper_mode(&c->body, &desc, host, &c->mode);
        /* unit space: the cube's edge is 1 */
        c->top = (float)(0.5 - 1.0 / side);
    }
    lim_mesh_destroy(mesh);
    if (result != LIM_OK) {
        paper_cube_destroy(c);
        return result;
    }
    *out_cube = c;
    return LIM_OK;
}

void paper_cube_destroy(paper_cube* c) {
    if (c != NULL) {
        lim_host host = c->host;
        paper_mode_destroy(c->mode);
        sampled_release(&c->body);
        mem_free(&host, c, 1, sizeof *c);
    }
}

static void hold_top(paper_cube* c) {
    const region_nodes* nodes = &c->body.nodes;
    float *x = paper_mode_positions(c->mode), *v = paper_mode_velocities(c->mode);
    for (int32_t i = 0; i < nodes->count; ++i) {
        for (int k = 0; k < 3 && nodes->x0[1][i] > c->top; ++k) {
            x[3 * i + k] = nodes->x0[k][i];
            v[3 * i + k] = 0.0f;
        }
    }
}

paper_cube_times paper_cube_step(paper_cube* c, float h) {
    paper_mode_times before = paper_mode_get_times(c->mode);
    paper_mode_step(c->mode, h);
    paper_mode_times after = paper_mode_get_times(c->mode);
    hold_top(c);
    return (paper_cube_times){after.sums - before.sums, after.rotations - before.rotations,
                              after.damping - before.damping};
}

paper_cube_info paper_cube_get_info(const paper_cube* c) {
    paper_mode_info info = paper_mode_get_info(c->mode);
    return (paper_cube_info){.nodes = info.nodes,
                             .width = c->width,
                             .members = info.members,
                             .summation_nodes = info.summation_nodes};
}

uint64_t paper_cube_hash(const paper_cube* c) {
    size_t size = 3 * sizeof(float) * (size_t)c->body.nodes.count;
    uint64_t hash = hash_bytes(HASH_SEED, paper_mode_positions(c->mode), size);
    return hash_bytes(hash, paper_mode_velocities(c->mode), size);
}

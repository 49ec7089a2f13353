/* SPDX-License-Identifier: MIT
 * Job: deform the surface. In: node affines, bindings, rest surface. Out: the skin and its box.
 * Two passes in fixed blocks, each task writing its own: nodes, vertices. The arithmetic is in
 * skin_kernel.c.
 */
#include "skin/deform.h"

#include "skin/skin_kernel.h"

/* Slots or vertices per task, a multiple of 8: some 10 microseconds. */
enum { SKIN_BLOCK = 512 };

typedef struct skin_kernels {
    skin_prepare_kernel* prepare;
    skin_place_kernel* place;
    skin_range_kernel *deform, *deform_cells;
    skin_bounds_kernel* bounds;
} skin_kernels;

static skin_kernels kernels_of(isa set) {
    switch (set) {
#define SKIN_CASE(number, suffix)                                                                  \
    case number:                                                                                   \
        return (skin_kernels){skin_prepare_slots_##suffix, skin_place_points_##suffix,             \
                              skin_deform_vertices_##suffix, skin_deform_cells_##suffix,           \
                              skin_bounds_##suffix};
        ISA_LIST(SKIN_CASE)
#undef SKIN_CASE
    default:
        return (skin_kernels){ISA_BASE(skin_prepare_slots), ISA_BASE(skin_place_points),
                              ISA_BASE(skin_deform_vertices), ISA_BASE(skin_deform_cells),
                              ISA_BASE(skin_bounds)};
    }
}

typedef struct skin_pass {
    skin_kernels kernels;
    skin_job job;
    int32_t count; /* slots or vertices of the pass */
} skin_pass;

static int32_t block_count(int32_t count) {
    return count / SKIN_BLOCK + (count % SKIN_BLOCK != 0);
}

static void block_range(const skin_pass* pass, int32_t index, int32_t* begin, int32_t* end) {
    *begin = index * SKIN_BLOCK;
    *end = pass->count - *begin < SKIN_BLOCK ? pass->count : *begin + SKIN_BLOCK;
}

static void prepare_task(void* context, int32_t index) {
    const skin_pass* pass = context;
    int32_t begin, end;
    block_range(pass, index, &begin, &end);
    pass->kernels.prepare(pass->job.nodes, begin, end);
}

static void deform_task(void* context, int32_t index) {
    const skin_pass* pass = context;
    int32_t begin, end;
    block_range(pass, index, &begin, &end);
    pass->kernels.deform(&pass->job, begin, end);
}

void skin_prepare(node_state* nodes, isa set, workers* pool) {
    skin_pass pass = {.kernels = kernels_of(set), .job = {.nodes = nodes}, .count = nodes->padded};
    workers_run(pool, block_count(pass.count), prepare_task, &pass);
}

void skin_prepare_some(node_state* nodes, isa set, int32_t begin, int32_t end) {
    kernels_of(set).prepare(nodes, begin, end);
}

void skin_place(const bindings* b, const node_state* nodes, isa set, float* const place[3]) {
    kernels_of(set).place(b, nodes, NULL, 0, b->count, place);
}

void skin_place_some(const bindings* b, const node_state* nodes, isa set, const int32_t* order,
                     int32_t begin, int32_t end, float* const place[3]) {
    kernels_of(set).place(b, nodes, order, begin, end, place);
}

void skin_bound(isa set, skin_output* out, int32_t vertex_count) {
    out->lower = out->upper = v3(0, 0, 0);
    if (vertex_count > 0) {
        kernels_of(set).bounds(out->positions, vertex_count, &out->lower, &out->upper);
    }
}

void skin_deform(const bindings* b, const skin_surface* s, const node_state* nodes, double scale,
                 isa set, workers* pool, skin_output* out) {
    skin_pass pass = {.kernels = kernels_of(set), .count = s->vertex_count};
    pass.job = (skin_job){b, s, nodes, scale, out};
    if (b->cell_count > 0) {
        pass.kernels.deform = pass.kernels.deform_cells;
    }
    workers_run(pool, block_count(pass.count), deform_task, &pass);
    skin_bound(set, out, s->vertex_count);
}

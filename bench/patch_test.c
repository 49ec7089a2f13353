/* SPDX-License-Identifier: MIT
 * Job: the patch test. In: a box, regions. Out: how far goals are off under stretch, shear and
 * bending. Nothing of the three fields depends on z or moves along it, so it does not matter how
 * near the box ends there: a plate does.
 */
#include "bench/patch_test.h"

#include "bench/sampled.h"
#include "match/match.h"
#include "scenes/models.h"

#include <math.h>
#include <string.h>

static const double STEP = 1e-3, DENSITY = 1000.0, STRAIN = 0.1;
static const float CELL = 1.0f / 64.0f;
enum { TURNS = 5 }; /* passes in which rotations settle */

/* What one match needs beside the sampling. */
typedef struct patch_body {
    charts charts;
    sampled s;
    net n;
    regions r;
    node_state nodes;
    match_gains gains;
    match_body match;
} patch_body;

/* Edge wished at a place: the half x > 0 is coarse. */
static float size_at(void* user, lim_point centre, float edge) {
    (void)edge;
    const patch_plan* plan = user;
    double middle = 0.5 * plan->cells[0] * (double)CELL;
    return centre.x > middle ? CELL * (float)(1 << plan->jump) : CELL;
}

static lim_result sample_box(const patch_plan* plan, const lim_host* host, patch_body* b) {
    const int32_t one[3] = {1, 1, 1};
    double cell = (double)CELL;
    lim_mesh* mesh = NULL;
    lim_result result = box_mesh(plan->cells[0] * cell, plan->cells[1] * cell,
                                 plan->cells[2] * cell, one, host, &mesh);
    if (result == LIM_OK) {
        patch_plan rule = *plan;
        lim_model_desc desc = lim_model_desc_default();
        desc.cell_size = CELL;
        desc.coarsen = plan->jump;
        desc.cells_across = 0.0f;
        desc.size_at = size_at;
        desc.size_user = &rule;
        result = sampled_make(mesh, &desc, host, &b->s);
    }
    lim_mesh_destroy(mesh);
    return result;
}

static lim_result build_regions(const patch_plan* plan, const lim_host* host, patch_body* b) {
    sampled* s = &b->s;
    int32_t half = (int32_t)(2.0 * plan->width + 0.5);
    if (plan->kind == PATCH_BALLS) {
        return regions_build_balls(&s->mem, host, &s->nodes, s->g, half, &b->n, &b->r);
    }
    int32_t* whole = ARENA_ARRAY(&s->mem, int32_t, s->nodes.padded);
    float* width = ARENA_ARRAY(&s->mem, float, s->nodes.padded);
    LIM_TRY_MEMORY(whole);
    LIM_TRY_MEMORY(width);
    for (int32_t i = 0; i < s->nodes.count; ++i) {
        width[i] = (float)plan->width * (plan->even ? s->s.cell_size : s->side[i]);
        whole[i] = plan->even ? half : half << (s->s.levels - s->tree.level[i]);
    }
    return plan->kind == PATCH_BLENDED
               ? regions_build_blended(&s->mem, host, &s->nodes, s->tree, width, &b->n, &b->r)
               : regions_build_intervals(&s->mem, host, &s->nodes, s->g, s->tree, whole, 1, 2, true,
                                         &b->n, &b->r);
}

/* The whole body in one frame. */
static lim_result one_chart(patch_body* b, int32_t slots) {
    arena* a = &b->s.mem;
    charts* c = &b->charts;
    *c = (charts){.count = 1, .components = 1, .slots = slots};
    c->begin = ARENA_ARRAY(a, int32_t, 2);
    c->component = ARENA_ARRAY(a, int32_t, 1);
    LIM_TRY_MEMORY(c->begin);
    LIM_TRY_MEMORY(c->component);
    c->begin[1] = slots;
    b->match.frames = ARENA_ARRAY(a, match_chart, 1);
    LIM_TRY_MEMORY(b->match.frames);
    b->match.charts = c;
    return charts_place(a, c, &b->s.nodes);
}

static lim_result build_state(patch_body* b) {
    arena* a = &b->s.mem;
    int32_t slots = b->s.nodes.padded;
    int32_t blocks = (slots + NODE_BLOCK - 1) / NODE_BLOCK;
    size_t records = (size_t)b->n.record_count;
    node_state* n = &b->nodes;
    node_block* block = ARENA_ARRAY(a, node_block, blocks);
    int32_t* slot_component = ARENA_ARRAY(a, int32_t, slots);
    float* inv_weight = ARENA_ARRAY(a, float, slots);
    float* fit_mass = ARENA_ARRAY(a, float, slots);
    n->components = ARENA_ARRAY(a, component, 1);
    LIM_TRY_MEMORY(block);
    LIM_TRY_MEMORY(slot_component);
    LIM_TRY_MEMORY(inv_weight);
    LIM_TRY_MEMORY(fit_mass);
    LIM_TRY_MEMORY(n->components);
    struct {
        float** array;
        size_t floats;
    } arrays[] = {{&n->d[0], (size_t)slots},
                  {&n->d[1], (size_t)slots},
                  {&n->d[2], (size_t)slots},
                  {&n->v[0], (size_t)slots},
                  {&n->v[1], (size_t)slots},
                  {&n->v[2], (size_t)slots},
                  {&n->inv_mass, (size_t)slots},
                  {&n->affine, 16 * (size_t)slots},
                  {&b->gains.goal, (size_t)b->r.padded},
                  {&b->gains.damp, (size_t)b->r.padded},
                  {&b->gains.goal_sum, (size_t)slots},
                  {&b->gains.damp_sum, (size_t)slots},
                  {&b->match.q[0], (size_t)b->r.padded},
                  {&b->match.q[1], (size_t)b->r.padded},
                  {&b->match.q[2], (size_t)b->r.padded},
                  {&b->match.q[3], (size_t)b->r.padded},
                  {&b->match.forward, 24 * records},
                  {&b->match.adjoint, 16 * records}};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
        *arrays[k].array = ARENA_ARRAY(a, float, arrays[k].floats);
        LIM_TRY_MEMORY(*arrays[k].array);
    }
    b->match.block_sums = ARENA_ARRAY(a, double, (size_t)blocks* NODE_SUMS);
    LIM_TRY_MEMORY(b->match.block_sums);
    LIM_TRY(one_chart(b, slots));
    LIM_TRY(
        regions_constants(a, &b->s.nodes, &b->charts, &b->n, NULL, &b->r, inv_weight, fit_mass));
    for (int32_t i = 0; i < blocks; ++i) {
        int32_t end = (i + 1) * NODE_BLOCK < slots ? (i + 1) * NODE_BLOCK : slots;
        block[i] = (node_block){.begin = i * NODE_BLOCK, .end = end};
    }
    for (int32_t i = 0; i < b->s.nodes.count; ++i) {
        n->inv_mass[i] = 1.0f / b->s.nodes.volume[i];
    }
    n->components[0] = (component){.rotation = dquat_identity(), .end = slots, .finite = true};
    for (int k = 0; k < 3; ++k) {
        n->x0[k] = b->s.nodes.x0[k];
    }
    n->padded = slots;
    n->mass = b->s.nodes.volume;
    n->component_count = 1;
    n->blocks = block;
    n->block_count = blocks;
    n->slot_component = slot_component;
    b->match.net = &b->n;
    b->match.regions = &b->r;
    b->match.inv_weight = inv_weight;
    b->match.fit_mass = fit_mass;
    b->match.nodes = n;
    b->match.gains = &b->gains;
    return LIM_OK;
}

/* A modulus for which the smallest region just reaches its goal in a step. */
static match_material limit_material(const patch_body* b) {
    double least = INFINITY;
    for (int32_t r = 0; r < b->r.count; ++r) {
        double sigma2 = (double)b->r.sigma2[r];
        least = sigma2 > 0.0 && sigma2 < least ? sigma2 : least;
    }
    return (match_material){
        .young = DENSITY * least / (STEP * STEP), .density = DENSITY, .scale = 1.0};
}

static void deform(patch_body* b, patch_field field, double size) {
    for (int32_t i = 0; i < b->s.nodes.count; ++i) {
        double x = (double)b->nodes.x0[0][i], y = (double)b->nodes.x0[1][i];
        double dx = field == PATCH_STRETCH ? x : field == PATCH_SHEAR ? y : -x * y / size;
        double dy = field == PATCH_BEND ? 0.5 * x * x / size : 0.0;
        b->nodes.d[0][i] = (float)(STRAIN * dx);
        b->nodes.d[1][i] = (float)(STRAIN * dy);
        b->nodes.d[2][i] = 0.0f;
    }
    for (int32_t r = 0; r < b->r.padded; ++r) {
        for (int k = 0; k < 4; ++k) {
            b->match.q[k][r] = k == 3 ? 1.0f : 0.0f;
        }
    }
}

/* Velocities become p (goal - position) / h, where the goal of a node is the mean of what its
 * regions want, each with its pull w alpha, alpha = E h^2 / (rho sigma^2), and p the sum of pulls.
 */
static void find_goals(patch_body* b) {
    match_material material = limit_material(b);
    match_refresh(&b->match, &material, STEP, isa_best(), NULL);
    for (int turn = 0; turn < TURNS; ++turn) {
        for (int k = 0; k < 3; ++k) {
            memset(b->nodes.v[k], 0, (size_t)b->nodes.padded * sizeof(float));
        }
        node_component_sums(&b->nodes, b->match.block_sums, isa_best(), NULL);
        match_step(&b->match, true, isa_best(), NULL, NULL, NULL);
    }
}

static bool is_inside(const patch_plan* plan, const patch_body* b, int32_t slot) {
    double cell = (double)b->s.s.cell_size;
    for (int k = 0; k < 2; ++k) {
        double left = 0.5 * plan->cells[k] - fabs((double)b->nodes.x0[k][slot]) / cell;
        if (left < plan->margin) {
            return false;
        }
    }
    return true;
}

/* Largest distance in finest cells. The modulus is the one at which the node with the largest pull
 * goes all the way to its goal in a step; where regions are wider the same modulus moves it less.
 */
static double largest_inside(const patch_plan* plan, const patch_body* b, patch_result* out) {
    double worst = 0.0, pull = 0.0, cell = (double)b->s.s.cell_size;
    int32_t levels = 0;
    out->inside = 0;
    for (int32_t i = 0; i < b->s.nodes.count; ++i) {
        if (is_inside(plan, b, i)) {
            double off = 0.0;
            for (int k = 0; k < 3; ++k) {
                off += pow((double)b->nodes.v[k][i], 2.0);
            }
            out->inside++;
            levels |= 1 << b->s.tree.level[i];
            worst = fmax(worst, off);
            pull = fmax(pull, (double)b->gains.goal_sum[i]);
        }
    }
    out->sizes = 0;
    for (; levels != 0; levels &= levels - 1) {
        out->sizes++;
    }
    return pull > 0.0 ? sqrt(worst) / (pull * cell) : 0.0;
}

lim_result patch_test(const patch_plan* plan, const lim_host* host, patch_result* out) {
    memset(out, 0, sizeof *out);
    patch_body b;
    memset(&b, 0, sizeof b);
    lim_host hooks = mem_host(host);
    lim_result result = sample_box(plan, &hooks, &b);
    if (result == LIM_OK) {
        result = build_regions(plan, &hooks, &b);
    }
    if (result == LIM_OK) {
        result = build_state(&b);
    }
    if (result == LIM_OK) {
        out->nodes = b.s.nodes.count;
        out->regions = b.r.count;
        double size = 0.5 * plan->cells[0] * (double)b.s.s.cell_size;
        for (int32_t field = 0; field < PATCH_FIELDS; ++field) {
            deform(&b, (patch_field)field, size);
            find_goals(&b);
            out->off[field] = largest_inside(plan, &b, out);
        }
    }
    sampled_release(&b.s);
    return result;
}

/* How far from an end, in cells, the sums of a region or its neighbours still feel it. Blended
 * regions of n levels hold nodes up to 2^n - 1 cells away, and so do those that share a node. */
static double reach(patch_regions kind, double width) {
    if (kind != PATCH_BLENDED) {
        return 4.0 * width + 4.0;
    }
    /* variances of 1, 2 and 3 levels are those of widths 1, 2.9 and 6.4 */
    return width <= 1.0 ? 8.0 : width <= 2.9 ? 16.0 : width <= 6.4 ? 32.0 : 48.0;
}

patch_plan patch_plate(patch_regions kind, double width, bool even, int32_t jump, int32_t shift) {
    int32_t larger = even ? 1 : 1 << jump;
    double margin = reach(kind, width) * larger + (jump > 0 ? 8.0 : 0.0);
    int32_t length = 2 * (int32_t)margin + 24;
    return (patch_plan){.kind = kind,
                        .cells = {length - shift, length - 2 * shift, jump > 0 ? 8 : 4},
                        .width = width,
                        .even = even,
                        .jump = jump,
                        .margin = margin};
}

lim_result patch_worst(patch_regions kind, double width, bool even, int32_t jump, int32_t shifts,
                       const lim_host* host, double* out_off) {
    *out_off = 0.0;
    for (int32_t s = 0; s < shifts; ++s) {
        patch_plan plan = patch_plate(kind, width, even, jump, s);
        patch_result r;
        lim_result result = patch_test(&plan, host, &r);
        if (result != LIM_OK) {
            return result;
        }
        for (int32_t field = 0; field < PATCH_FIELDS; ++field) {
            *out_off = fmax(*out_off, r.off[field]);
        }
        if (r.sizes != 1 + jump || r.inside < 16) {
            *out_off = NAN;
            return LIM_OK;
        }
    }
    return LIM_OK;
}

/* SPDX-License-Identifier: MIT
 * Job: shape matching as the solver of a body. In: a body, and a substep or a question about it.
 * Out: what match/ does with the body's arrays.
 */
#include "body/matching.h"

#include "match/match_box.h"
#include "match/stretch.h"
#include "node/sums_kernel.h"

match_body body_match(body* b, node_state* nodes) {
    const topology* t = b->topology;
    body_embedding* e = b->embedding;
    if (e != NULL) {
        e->nodes = *nodes;
        for (int k = 0; k < 3; ++k) {
            e->nodes.x0[k] = e->y0[k];
            e->nodes.d[k] = e->d[k];
            e->rest.d[k] = nodes->d[k];
        }
    }
    return (match_body){.net = &t->net,
                        .regions = e != NULL ? &e->regions : &t->regions,
                        .charts = e != NULL ? &e->charts : &t->charts,
                        .inv_weight = t->inv_weight,
                        .fit_mass = t->fit_mass,
                        .nodes = e != NULL ? &e->nodes : nodes,
                        .q = {b->q[0], b->q[1], b->q[2], b->q[3]},
                        .gains = &b->gains,
                        .forward = b->forward,
                        .adjoint = b->adjoint,
                        .block_sums = b->block_sums,
                        .frames = b->frames,
                        .damped = true,
                        .box = t->regions.box > 0 ? &t->box : NULL,
                        .box_sums = b->box_sums,
                        .box_scratch = b->box_scratch,
                        .plain = t->bind.cell_count > 0,
                        .region_component = t->region_component,
                        .watch = t->kind->regions == REGIONS_CLUSTERS ? &b->watch : NULL,
                        .quadratic = e != NULL ? &e->quadratic : &t->quadratic,
                        .work = &b->work,
                        .more = {b->more[0], b->more[1], b->more[2]},
                        .plastic = {b->strain[0], b->strain[1], b->strain[2], b->strain[3],
                                    b->strain[4], b->strain[5]},
                        .flowed = b->plastic,
                        .rest = e != NULL ? &e->rest : NULL,
                        .past = e != NULL ? e->past : NULL,
                        .swell = e != NULL ? e->swell : NULL};
}

match_material body_match_material(const body* b) {
    return (match_material){.young = (double)b->material.young,
                            .density = (double)b->material.density,
                            .viscosity = (double)b->material.viscosity,
                            .damping_every = b->material.damping_every,
                            .damping_time = (double)b->material.damping_time,
                            .rolling_time = (double)b->material.rolling_time,
                            .scale = body_metres(b),
                            .alpha = (double)b->material.alpha,
                            .goal = (match_goal)b->material.goal,
                            .beta = (double)b->material.beta,
                            .volume = (double)b->material.volume,
                            .yield = (double)b->material.yield,
                            .creep = (double)b->material.creep,
                            .max_strain = (double)b->material.max_strain,
                            .hardening = (double)b->material.hardening,
                            .stiffness = b->region_stiffness,
                            .at_surface = b->topology->kind->nodes != LIM_NODES_IN_CELLS};
}

/* What clusters need beside. */
static lim_result allocate_clusters(body* b) {
    const topology* t = b->topology;
    for (int k = 0; k < 9; ++k) {
        b->watch.a[k] = ARENA_ARRAY(&b->mem, float, t->regions.padded);
        LIM_TRY_MEMORY(b->watch.a[k]);
    }
    b->watch.det = ARENA_ARRAY(&b->mem, float, t->regions.padded);
    b->watch.torque2 = ARENA_ARRAY(&b->mem, float, t->regions.padded);
    b->watch.guided = ARENA_ARRAY(&b->mem, float, t->regions.padded);
    b->watch.lost = ARENA_ARRAY(&b->mem, match_lost, t->component_count);
    LIM_TRY_MEMORY(b->watch.det);
    LIM_TRY_MEMORY(b->watch.torque2);
    LIM_TRY_MEMORY(b->watch.guided);
    LIM_TRY_MEMORY(b->watch.lost);
    for (int k = 0; k < 3; ++k) {
        b->more[k] = ARENA_ARRAY(&b->mem, float, t->slot_count);
        LIM_TRY_MEMORY(b->more[k]);
    }
    return quadratic_work_make(&b->mem, &t->quadratic, &b->work);
}

/* Of a lattice's windows. */
static lim_result allocate_windows(body* b) {
    const box_net* box = &b->topology->box;
    int32_t tasks = box->slab_count > box->pile_count ? box->slab_count : box->pile_count;
    b->box_sums = ARENA_ROOM(&b->mem, float, match_box_sums(box));
    b->box_scratch = ARENA_ROOM(&b->mem, float, match_box_scratch(box) * (size_t)tasks);
    LIM_TRY_MEMORY(b->box_sums);
    LIM_TRY_MEMORY(b->box_scratch);
    return LIM_OK;
}

static lim_result make(body* b) {
    const topology* t = b->topology;
    size_t padded = (size_t)t->regions.padded, nodes = (size_t)t->net.node_count;
    size_t records = (size_t)t->net.record_count;
    struct {
        float** at;
        size_t count;
    } floats[] = {
        {&b->gains.goal, padded},
        {&b->gains.damp, padded},
        {&b->gains.goal_sum, nodes},
        {&b->gains.damp_sum, nodes},
        {&b->gains.bulk, padded},
        {&b->gains.inverse[0], padded},
        {&b->gains.inverse[1], padded},
        {&b->gains.inverse[2], padded},
        {&b->gains.inverse[3], padded},
        {&b->gains.inverse[4], padded},
        {&b->gains.inverse[5], padded},
        {&b->forward, records * NET_FORWARD_STRIPS * 8},
        {&b->adjoint, records * NET_ADJOINT_STRIPS * 8},
    };
    for (size_t k = 0; k < sizeof floats / sizeof floats[0]; ++k) {
        *floats[k].at = ARENA_ROOM(&b->mem, float, floats[k].count);
        LIM_TRY_MEMORY(*floats[k].at);
    }
    b->frames = ARENA_ARRAY(&b->mem, match_chart, charts_many(&t->charts) ? t->charts.count : 0);
    LIM_TRY_MEMORY(b->frames);
    LIM_TRY(t->regions.box > 0 ? allocate_windows(b) : LIM_OK);
    return t->kind->regions == REGIONS_CLUSTERS ? allocate_clusters(b) : LIM_OK;
}

static bool enough(const body* b, double h) {
    const regions* r = &b->topology->regions;
    match_material material = body_match_material(b);
    return !(match_share(r, &material, h) < MATCH_ENOUGH ||
             match_volume_share(r, &material, h) < MATCH_ENOUGH) &&
           match_most_get(r, &material, h);
}

static double share(const body* b, double h) {
    match_material material = body_match_material(b);
    return match_share(&b->topology->regions, &material, h);
}

static void refresh(body* b, isa set, workers* pool) {
    node_state nodes = body_nodes(b);
    match_body match = body_match(b, &nodes);
    match_material material = body_match_material(b);
    match_refresh(&match, &material, b->gains_h, set, pool);
}

static void stiffen(body* b, const uint8_t* touched, uint8_t* marks, isa set, workers* pool) {
    node_state nodes = body_nodes(b);
    match_body match = body_match(b, &nodes);
    match_material material = body_match_material(b);
    match_refresh_some(&match, &material, touched, marks, set, pool);
}

static void push(body* b, const body_substep* s) {
    const body_step_input* in = s->in;
    node_state nodes = body_nodes(b);
    match_body match = body_match(b, &nodes);
    double fall = (double)b->gravity_scale * s->h / body_metres(b);
    bool touched = b->contacts.items.count > 0 || b->grabs.count > 0;
    match.gravity = p3_scale(p3_of(in->gravity), fall);
    match.damped = b->material.viscosity > 0.0f && b->damping_wait == 0;
    b->damping_wait = (b->damping_wait > 0 ? b->damping_wait : b->gains.damping_every) - 1;
    match_step(&match, touched || s->last, in->set, in->pool, &b->host, &s->times->match);
    body_pins_affine(b);
    body_limits_measure(b, s);
}

typedef struct node_pass {
    const node_state* nodes;
    const node_kernels* kernels;
    float h;
} node_pass;

static void drift_task(void* context, int32_t index) {
    const node_pass* p = context;
    const node_block* block = p->nodes->blocks + index;
    p->kernels->drift(p->nodes, block->begin, block->end, p->h);
}

static void drift(body* b, const body_substep* s) {
    node_state nodes = body_nodes(b);
    node_pass pass = {&nodes, node_kernels_for(s->in->set), (float)s->h};
    workers_run(s->in->pool, b->topology->block_count, drift_task, &pass);
}

static void affine(body* b, isa set, workers* pool) {
    node_state nodes = body_nodes(b);
    match_body match = body_match(b, &nodes);
    match_affine(&match, set, pool);
}

static double energy(body* b) {
    node_state nodes = body_nodes(b);
    match_body match = body_match(b, &nodes);
    return match_energy(&match, b->gains_h);
}

/* The modulus that matching gives at a node: alpha rho sigma^2 / h^2 of its region, less what its
 * volume adds (match/stretch.h); what the material says where the region has no extent. */
static double young_at(const body* b, int32_t slot) {
    const regions* r = &b->topology->regions;
    int32_t i = r->seed_region[slot];
    double density = (double)b->material.density * (r->density != NULL ? (double)r->density[i] : 1);
    double scale = body_metres(b), h = b->gains.h;
    double inertia = density * (double)r->sigma2[i] * scale * scale;
    double stiffness = r->stiffness != NULL ? (double)r->stiffness[i] : 1.0;
    if (!(inertia > 0.0 && r->weight[i] > 0.0f && h > 0.0)) {
        return (double)b->material.young * stiffness;
    }
    double goals = (double)b->gains.goal[i] * h / (double)r->weight[i] * inertia / (h * h);
    bool bar = b->material.goal == LIM_GOAL_RIGID && b->material.volume > 0.0f;
    return bar ? goals / stretch_softer((double)b->gains.bulk[i]) : goals;
}

/* Its memory is all in the arena. */
static lim_result reserve(body* b) {
    (void)b;
    return LIM_OK;
}

static void release(body* b) {
    (void)b;
}

const body_solver matching_solver = {.make = make,
                                     .reserve = reserve,
                                     .release = release,
                                     .enough = enough,
                                     .share = share,
                                     .refresh = refresh,
                                     .stiffen = stiffen,
                                     .push = push,
                                     .drift = drift,
                                     .affine = affine,
                                     .energy = energy,
                                     .young = young_at,
                                     .bending = matching_bending};

/* SPDX-License-Identifier: MIT
 * Job: the numbers of figure 1. In: nothing. Out: nodes, cost of a step of each kind over both
 * samplings, and how far a pulled finger and the others move. The bodies take turns, a few steps of
 * the large ones and more of the small ones, so that a slow moment of the machine hits all.
 */
#include "cli/fingers_body.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 12, MODELS = FINGERS_PRINTED };
static const int32_t BLOCK[FINGERS_SAMPLINGS] = {4, 24};
static const float TIMED_DT = 1.0f / 240.0f, TIMED_GRAVITY = 9.81f;

/* Seconds of each measured step: all, then three parts. */
typedef struct fingers_times {
    ARRAY(double) part[4];
} fingers_times;

static bool times_add(fingers_times* t, const lim_host* host, const double parts[4]) {
    for (int32_t k = 0; k < 4; ++k) {
        if (!ARRAY_PUSH(host, &t->part[k], parts[k])) {
            return false;
        }
    }
    return true;
}

typedef struct fingers_bench {
    lim_world* worlds[MODELS][FINGERS_SAMPLINGS];
    paper_mode* printed[FINGERS_SAMPLINGS];
    fingers_times times[FINGERS_KINDS][FINGERS_SAMPLINGS];
} fingers_bench;

static lim_result step_ours(lim_world* world, double parts[4]) {
    lim_result result = lim_world_step(world, TIMED_DT);
    lim_step_report r = lim_world_get_report(world);
    parts[0] = r.total - r.skin - r.contact_find;
    parts[1] = r.sums;
    parts[2] = r.regions;
    parts[3] = r.goals;
    return result;
}

static void step_printed(paper_mode* mode, double parts[4]) {
    paper_mode_times before = paper_mode_get_times(mode);
    paper_mode_step(mode, TIMED_DT);
    paper_mode_times after = paper_mode_get_times(mode);
    parts[1] = after.sums - before.sums;
    parts[2] = after.rotations - before.rotations;
    parts[3] = after.damping - before.damping;
    parts[0] = parts[1] + parts[2] + parts[3];
}

/* The first round warms. */
static lim_result take_turns(fingers_bench* b, const lim_host* host) {
    for (int32_t round = 0; round <= ROUNDS; ++round) {
        for (int32_t turn = 0; turn < (int32_t)FINGERS_KINDS * (int32_t)FINGERS_SAMPLINGS; ++turn) {
            int32_t kind = turn / FINGERS_SAMPLINGS, s = turn % FINGERS_SAMPLINGS;
            for (int32_t i = 0; i < BLOCK[s]; ++i) {
                double parts[4];
                lim_result result = LIM_OK;
                if (kind == FINGERS_PRINTED) {
                    step_printed(b->printed[s], parts);
                } else {
                    result = step_ours(b->worlds[kind][s], parts);
                }
                if (result != LIM_OK) {
                    return result;
                }
                if (round > 0 && !times_add(&b->times[kind][s], host, parts)) {
                    return LIM_ERROR_MEMORY;
                }
            }
        }
    }
    return LIM_OK;
}

static fingers_cost cost_of(const fingers_times* t, fingers_cost cost, const lim_host* host) {
    measure_summary all = measure_of(t->part[0].data, t->part[0].count, host);
    cost.ms = 1e3 * all.median;
    cost.least_ms = 1e3 * all.least;
    for (int32_t i = 0; i < t->part[0].count; ++i) {
        for (int32_t k = 0; k < 3 && t->part[0].data[i] == all.least; ++k) {
            cost.shares[k] = t->part[1 + k].data[i] / all.least;
        }
    }
    return cost;
}

/* A slow shear, so that regions turn. */
static void stir(const fingers_set* set, fingers_sampling which, paper_mode* mode) {
    const region_nodes* nodes = &set->samplings[which].nodes;
    float* v = paper_mode_velocities(mode);
    for (int32_t i = 0; i < nodes->count; ++i) {
        v[3 * i] = nodes->x0[1][i];
        v[3 * i + 1] = -0.5f * nodes->x0[2][i];
    }
}

static lim_result measure_printed(const fingers_set* set, const lim_host* host, fingers_bench* b,
                                  fingers_result* out) {
    for (int32_t s = 0; s < FINGERS_SAMPLINGS; ++s) {
        lim_result result = fingers_printed(set, (fingers_sampling)s, host, &b->printed[s]);
        if (result != LIM_OK) {
            return result;
        }
        stir(set, (fingers_sampling)s, b->printed[s]);
        paper_mode_info info = paper_mode_get_info(b->printed[s]);
        out->cost[FINGERS_PRINTED][s].regions = info.regions;
        out->cost[FINGERS_PRINTED][s].members = info.members;
        out->cost[FINGERS_PRINTED][s].inputs = info.summation_nodes;
    }
    return LIM_OK;
}

/* A model, its world for the timing, and the pull in a world of its own. */
static lim_result measure_model(const fingers_set* set, int32_t kind, int32_t s,
                                const lim_host* host, fingers_bench* b, fingers_result* out) {
    lim_model* model = NULL;
    lim_world* world = NULL;
    lim_body body;
    lim_result result = fingers_model(set, (fingers_kind)kind, (fingers_sampling)s, host, &model);
    if (result == LIM_OK) {
        lim_model_info info = lim_model_get_info(model);
        out->nodes[s] = info.nodes;
        out->cost[kind][s].regions = info.regions;
        out->cost[kind][s].members = info.members_per_region;
        out->cost[kind][s].inputs = info.inputs_per_region;
        result = fingers_world(set, model, TIMED_GRAVITY, false, host, &b->worlds[kind][s], &body);
    }
    if (result == LIM_OK) {
        result = fingers_world(set, model, 0.0f, true, host, &world, &body);
    }
    if (result == LIM_OK) {
        result = fingers_pull_tip(set, world, body, &out->pull[kind][s]);
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
    return result;
}

static void describe(const fingers_set* set, fingers_result* out) {
    const sampled* fine = &set->samplings[FINGERS_ADAPTIVE];
    lim_model_desc desc = fingers_model_desc(FINGERS_BLENDED, FINGERS_ADAPTIVE);
    out->base_cells = sampled_base_cells(fine, desc.coarsen);
    out->across = set->shape.thickness / (double)desc.cell_size;
    for (int32_t kind = 0; kind < FINGERS_KINDS; ++kind) {
        desc = fingers_model_desc((fingers_kind)kind, FINGERS_ADAPTIVE);
        out->widths[kind] = (double)desc.region_width;
    }
}

lim_result fingers_measure(const lim_host* host, fingers_result* out) {
    memset(out, 0, sizeof *out);
    fingers_bench b;
    memset(&b, 0, sizeof b);
    fingers_set set;
    lim_result result = fingers_set_make(&set, host);
    for (int32_t kind = 0; kind < MODELS; ++kind) {
        for (int32_t s = 0; s < FINGERS_SAMPLINGS && result == LIM_OK; ++s) {
            result = measure_model(&set, kind, s, host, &b, out);
        }
    }
    if (result == LIM_OK) {
        describe(&set, out);
        result = measure_printed(&set, host, &b, out);
    }
    if (result == LIM_OK) {
        result = take_turns(&b, host);
    }
    for (int32_t s = 0; s < FINGERS_SAMPLINGS; ++s) {
        for (int32_t kind = 0; kind < FINGERS_KINDS; ++kind) {
            out->cost[kind][s] = cost_of(&b.times[kind][s], out->cost[kind][s], host);
            for (int32_t k = 0; k < 4; ++k) {
                ARRAY_FREE(host, &b.times[kind][s].part[k]);
            }
        }
        for (int32_t kind = 0; kind < MODELS; ++kind) {
            lim_world_destroy(b.worlds[kind][s]);
        }
        paper_mode_destroy(b.printed[s]);
    }
    fingers_set_release(&set);
    return result;
}

/* SPDX-License-Identifier: MIT
 * Job: rows about the octree body. In: measurements. Out: rows with fixed names.
 */
#include "cli/paper_octree.h"

#include "bench/patch_test.h"
#include "cli/fingers.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

/* Uniform and adaptive of one kind of step, and what the adaptive one gains. */
static void add_costs(const fingers_result* r, fingers_kind kind, const char* const names[7],
                      const double paper[2], paper_rows* rows) {
    const fingers_cost* uniform = &r->cost[kind][FINGERS_UNIFORM];
    const fingers_cost* adaptive = &r->cost[kind][FINGERS_ADAPTIVE];
    double nodes = (double)r->nodes[FINGERS_UNIFORM] / r->nodes[FINGERS_ADAPTIVE];
    double ratio = uniform->ms / adaptive->ms, least = uniform->least_ms / adaptive->least_ms;
    paper_rows_add(rows, names[0], NAN, r->widths[kind], "cells");
    paper_rows_add(rows, names[1], NAN, adaptive->members, "");
    paper_rows_add(rows, names[2], paper[0], uniform->ms, "ms");
    paper_rows_add(rows, names[3], paper[1], adaptive->ms, "ms");
    paper_rows_add(rows, names[4], paper[0] / paper[1], ratio, "");
    paper_rows_add(rows, names[5], paper[0] / paper[1] / (35000.0 / 661.0), ratio / nodes, "");
    paper_rows_add(rows, names[6], NAN, least / nodes, "");
}

static void add_shares(const fingers_result* r, paper_rows* rows) {
    const double* printed = r->cost[FINGERS_PRINTED][FINGERS_UNIFORM].shares;
    const double* ours = r->cost[FINGERS_ONE_PER_NODE][FINGERS_UNIFORM].shares;
    double third = 1.0 / 3.0;
    paper_rows_add(rows, "printed step, uniform: share of sums and goals", third, printed[0], "");
    paper_rows_add(rows, "printed step, uniform: share of rotations", third, printed[1], "");
    paper_rows_add(rows, "printed step, uniform: share of damping", third, printed[2], "");
    paper_rows_add(rows, "one per node, uniform: share of sums, below the regions", NAN, ours[0],
                   "");
    paper_rows_add(rows, "one per node, uniform: share of region sums, rotations, motions", NAN,
                   ours[1], "");
    paper_rows_add(rows, "one per node, uniform: share of goals and damping", NAN, ours[2], "");
}

/* names: deflection, difference of the tips, pulled tip over the others. */
static void add_pull(const fingers_pull pull[FINGERS_SAMPLINGS], const char* const names[4],
                     paper_rows* rows) {
    const fingers_pull *uniform = &pull[FINGERS_UNIFORM], *adaptive = &pull[FINGERS_ADAPTIVE];
    double off = p3_length(p3_sub(adaptive->tip, uniform->tip)) / p3_length(uniform->tip);
    paper_rows_add(rows, names[0], NAN, uniform->deflection, "of its length");
    paper_rows_add(rows, names[1], NAN, adaptive->deflection, "of its length");
    paper_rows_add(rows, names[2], NAN, off, "of the deflection");
    paper_rows_add(rows, names[3], NAN, adaptive->deflection / adaptive->others, "");
}

/* How far apart mirror images are, over their mean: the worse of the two pairs. */
static double mirrored_apart(const double at[FINGERS]) {
    double worst = 0.0;
    for (int32_t f = 0; f < FINGERS / 2; ++f) {
        double other = at[FINGERS - 1 - f];
        worst = fmax(worst, 2.0 * fabs(at[f] - other) / (at[f] + other));
    }
    return worst;
}

static void add_bent(const fingers_bent* b, int32_t turns, paper_rows* rows) {
    char name[96];
    double least = INFINITY, most = 0.0, worst = 0.0;
    for (int32_t t = 0; t < turns; ++t) {
        const double *uniform = b->deflection[t][FINGERS_UNIFORM],
                     *adaptive = b->deflection[t][FINGERS_ADAPTIVE];
        char about[48] = "";
        if (t > 0) {
            snprintf(about, sizeof about, "turned by %g degrees: ", b->degrees[t]);
            snprintf(name, sizeof name, "%snodes, adaptive", about);
            paper_rows_add(rows, name, NAN, (double)b->nodes[t][FINGERS_ADAPTIVE], "");
        }
        for (int32_t f = 0; f < FINGERS; ++f) {
            double off = adaptive[f] / uniform[f] - 1.0;
            snprintf(name, sizeof name, "%sfinger %d, uniform", about, (int)f);
            paper_rows_add(rows, name, NAN, uniform[f], "of its length");
            snprintf(name, sizeof name, "%sfinger %d, adaptive off uniform", about, (int)f);
            paper_rows_add(rows, name, NAN, off, "");
            least = fmin(least, uniform[f]);
            most = fmax(most, uniform[f]);
            worst = fmax(worst, fabs(off));
        }
        snprintf(name, sizeof name, "%smirror fingers apart, uniform", about);
        paper_rows_add(rows, name, NAN, mirrored_apart(uniform), "");
        snprintf(name, sizeof name, "%smirror fingers apart", about);
        paper_rows_add(rows, name, NAN, mirrored_apart(adaptive), "");
    }
    paper_rows_add(rows, "all fingers: least, uniform", NAN, least, "of its length");
    paper_rows_add(rows, "all fingers: most, uniform", NAN, most, "of its length");
    paper_rows_add(rows, "all fingers: worst, adaptive off uniform", NAN, worst, "");
    paper_rows_add(rows, "the paper's count, one region per node: nodes", 661.0,
                   (double)b->paper_nodes, "");
    for (int32_t f = 0; f < FINGERS; ++f) {
        snprintf(name, sizeof name, "the paper's count, one region per node: finger %d off uniform",
                 (int)f);
        paper_rows_add(rows, name, NAN, b->paper[f] / b->deflection[0][FINGERS_UNIFORM][f] - 1.0,
                       "");
    }
}

lim_result paper_fingers(const lim_host* host, paper_rows* rows) {
    static const char* const one[7] = {"one region per node: width, in own cells",
                                       "one region per node: members per region, adaptive",
                                       "one region per node: step, uniform",
                                       "one region per node: step, adaptive",
                                       "one region per node: time ratio",
                                       "one region per node: time ratio over node ratio",
                                       "one region per node: the same, fastest steps"};
    static const char* const blended[7] = {"our regions: width, in own cells",
                                           "our regions: members per region, adaptive",
                                           "our regions: step, uniform",
                                           "our regions: step, adaptive",
                                           "our regions: time ratio",
                                           "our regions: time ratio over node ratio",
                                           "our regions: the same, fastest steps"};
    static const char* const printed[7] = {"printed step, scalar: width, in own cells",
                                           "printed step, scalar: members per region, adaptive",
                                           "printed step, scalar: step, uniform",
                                           "printed step, scalar: step, adaptive",
                                           "printed step, scalar: time ratio",
                                           "printed step, scalar: time ratio over node ratio",
                                           "printed step, scalar: the same, fastest steps"};
    static const char* const pulled[4] = {"pulled finger, uniform", "pulled finger, adaptive",
                                          "pulled finger, adaptive off uniform",
                                          "pulled tip over the other tips, adaptive"};
    static const char* const pulled_one[4] = {
        "pulled finger, one region per node, uniform",
        "pulled finger, one region per node, adaptive",
        "pulled finger, one region per node, adaptive off uniform",
        "pulled tip over the other tips, one region per node"};
    /* 4.6 and 222 frames per second, one step each; the paper's were those of its own step */
    const double none[2] = {NAN, NAN}, frames[2] = {1000.0 / 4.6, 1000.0 / 222.0};
    fingers_result r;
    fingers_bent bent;
    int32_t turns = rows->quick ? 1 : FINGERS_TURNS;
    lim_result result = fingers_measure(host, &r);
    if (result == LIM_OK) {
        result = fingers_bend(turns, host, &bent);
    }
    if (result != LIM_OK) {
        return result;
    }
    paper_rows_add(rows, "base cells", 28.0, (double)r.base_cells, "");
    paper_rows_add(rows, "finest cells across a finger", NAN, r.across, "");
    paper_rows_add(rows, "nodes, uniform", 35000.0, (double)r.nodes[FINGERS_UNIFORM], "");
    paper_rows_add(rows, "nodes, adaptive", 661.0, (double)r.nodes[FINGERS_ADAPTIVE], "");
    paper_rows_add(rows, "node ratio", 35000.0 / 661.0,
                   (double)r.nodes[FINGERS_UNIFORM] / r.nodes[FINGERS_ADAPTIVE], "");
    paper_rows_add(rows, "summation nodes per region, adaptive", 6.0,
                   r.cost[FINGERS_PRINTED][FINGERS_ADAPTIVE].inputs, "");
    add_costs(&r, FINGERS_ONE_PER_NODE, one, none, rows);
    add_costs(&r, FINGERS_BLENDED, blended, none, rows);
    add_costs(&r, FINGERS_PRINTED, printed, frames, rows);
    add_shares(&r, rows);
    add_bent(&bent, turns, rows);
    add_pull(r.pull[FINGERS_BLENDED], pulled, rows);
    add_pull(r.pull[FINGERS_ONE_PER_NODE], pulled_one, rows);
    return LIM_OK;
}

lim_result paper_patch(const lim_host* host, paper_rows* rows) {
    static const struct {
        const char* name;
        patch_regions kind;
        double width;
        bool even;
        int32_t jump;
    } cases[] = {
        {"interval regions, width 1", PATCH_INTERVAL, 1.0, false, 0},
        {"interval regions, width 1.5", PATCH_INTERVAL, 1.5, false, 0},
        {"interval regions, width 2", PATCH_INTERVAL, 2.0, false, 0},
        {"interval regions, width 4", PATCH_INTERVAL, 4.0, false, 0},
        {"exact balls, width 1", PATCH_BALLS, 1.0, false, 0},
        {"exact balls, width 1.5", PATCH_BALLS, 1.5, false, 0},
        {"exact balls, width 2", PATCH_BALLS, 2.0, false, 0},
        {"exact balls, width 4", PATCH_BALLS, 4.0, false, 0},
        {"blended regions, width 1", PATCH_BLENDED, 1.0, false, 0},
        {"blended regions, width 1.5", PATCH_BLENDED, 1.5, false, 0},
        {"blended regions, width 2", PATCH_BLENDED, 2.0, false, 0},
        {"blended regions, width 4", PATCH_BLENDED, 4.0, false, 0},
        {"level jump, interval regions, width 1 own cell", PATCH_INTERVAL, 1.0, false, 1},
        {"level jump, interval regions, width 2 own cells", PATCH_INTERVAL, 2.0, false, 1},
        {"level jump, interval regions, width 4 own cells", PATCH_INTERVAL, 4.0, false, 1},
        {"level jump, blended regions, width 1 own cell", PATCH_BLENDED, 1.0, false, 1},
        {"level jump, blended regions, width 2 own cells", PATCH_BLENDED, 2.0, false, 1},
        {"level jump, blended regions, width 4 own cells", PATCH_BLENDED, 4.0, false, 1},
        {"level jump, interval regions, width 2 finest cells", PATCH_INTERVAL, 2.0, true, 1},
        {"level jump, interval regions, width 4 finest cells", PATCH_INTERVAL, 4.0, true, 1},
        {"level jump, exact balls, width 2 finest cells", PATCH_BALLS, 2.0, true, 1},
        {"level jump, exact balls, width 4 finest cells", PATCH_BALLS, 4.0, true, 1},
        {"level jump, blended regions, width 2 finest cells", PATCH_BLENDED, 2.0, true, 1},
        {"level jump, blended regions, width 4 finest cells", PATCH_BLENDED, 4.0, true, 1}};
    enum { SHIFTS = 3 };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double off;
        lim_result result = patch_worst(cases[i].kind, cases[i].width, cases[i].even, cases[i].jump,
                                        SHIFTS, host, &off);
        if (result != LIM_OK) {
            return result;
        }
        paper_rows_add(rows, cases[i].name, NAN, off, "cells off");
    }
    return LIM_OK;
}

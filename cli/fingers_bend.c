/* SPDX-License-Identifier: MIT
 * Job: all five fingers bent in place, and in turned copies. In: the model `polyp`. Out: how far
 * each tip goes in a body of plain uniform cells, in an adaptive one, and in one with the paper's
 * count of nodes and one region per node. All have the default widths of regions, and no cell is
 * placed by hand.
 */
#include "cli/fingers_body.h"

#include <string.h>

static const double TURN[FINGERS_TURNS] = {0.0, 10.0, 22.5, 45.0};
enum { PAPER_NODES = 661 };

static lim_result bend_one(const fingers_set* set, fingers_kind kind, fingers_sampling which,
                           int32_t budget, const lim_host* host, int32_t* out_nodes,
                           double out[FINGERS]) {
    lim_model_desc desc = fingers_model_desc(kind, which);
    desc.node_budget = budget;
    lim_model* model = NULL;
    lim_world* world = NULL;
    lim_body body;
    lim_result result = lim_model_create(set->mesh, &desc, host, &model);
    if (result == LIM_OK) {
        *out_nodes = lim_model_get_info(model).nodes;
        result = fingers_world(set, model, 0.0f, true, host, &world, &body);
    }
    if (result == LIM_OK) {
        result = fingers_pull_all(set, world, body, out);
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
    return result;
}

lim_result fingers_bend(int32_t turns, const lim_host* host, fingers_bent* out) {
    memset(out, 0, sizeof *out);
    lim_result result = LIM_OK;
    for (int32_t t = 0; t < turns && result == LIM_OK; ++t) {
        fingers_set set;
        out->degrees[t] = TURN[t];
        result = fingers_set_turned(&set, TURN[t], host);
        for (int32_t s = 0; s < FINGERS_SAMPLINGS && result == LIM_OK; ++s) {
            result = bend_one(&set, FINGERS_BLENDED, (fingers_sampling)s, 0, host,
                              &out->nodes[t][s], out->deflection[t][s]);
        }
        if (t == 0 && result == LIM_OK) {
            result = bend_one(&set, FINGERS_ONE_PER_NODE, FINGERS_ADAPTIVE, PAPER_NODES, host,
                              &out->paper_nodes, out->paper);
        }
        fingers_set_release(&set);
    }
    return result;
}

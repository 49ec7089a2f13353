/* SPDX-License-Identifier: MIT
 * Job: batches at the border: make, look at, end. In: a model and how many nodes a draw call may
 * have. Out: a lim_batches that owns its lists.
 */
#include "skin/batches.h"

#include "base/fpenv.h"
#include "world/check.h"
#include "world/model.h"
#include "world/skinning.h"

enum { BATCH_DEFAULT = 64, BATCH_MOST = 65536 };

struct lim_batches {
    arena mem;
    lim_batches_view view;
};

static lim_result build(lim_batches* batches, arena* scratch, const topology* t,
                        int32_t max_nodes) {
    lim_skinning_view skin;
    LIM_TRY(skinning_fill(scratch, t, &skin));
    batch_source source = {.vertex_count = t->vertex_count,
                           .triangle_count = t->triangle_count,
                           .node_count = t->node_count,
                           .point_count = t->point_count,
                           .indices = t->indices,
                           .submesh = t->submesh,
                           .vertex_point = t->vertex_point,
                           .positions = skin.positions,
                           .nodes = skin.nodes};
    return batches_build(&batches->mem, scratch, &source, max_nodes, &batches->view);
}

static lim_result make_batches(const lim_model* model, int32_t max_nodes, const lim_host* host,
                               lim_batches** out) {
    check c = check_begin(host, "lim_model_make_batches");
    int32_t most = max_nodes == 0 ? BATCH_DEFAULT : max_nodes;
    check_integer(&c, "max_nodes", most, BATCH_LEAST, BATCH_MOST,
                  "a number from 24 to 65536, or 0 for 64");
    LIM_TRY(c.result);
    lim_host hooks = mem_host(host);
    lim_batches* made = mem_alloc(&hooks, 1, sizeof *made);
    LIM_TRY_MEMORY(made);
    arena scratch;
    arena_init(&made->mem, &hooks);
    arena_init(&scratch, &hooks);
    lim_result result = build(made, &scratch, model->topology, most);
    arena_release(&scratch);
    if (result != LIM_OK) {
        lim_batches_destroy(made);
        return result;
    }
    *out = made;
    return LIM_OK;
}

lim_result lim_model_make_batches(const lim_model* model, int32_t max_nodes, const lim_host* host,
                                  lim_batches** out_batches) {
    if (out_batches != NULL) {
        *out_batches = NULL;
    }
    if (model == NULL || out_batches == NULL) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "lim_model_make_batches: model or out_batches is null; give both");
    }
    fpenv env = fpenv_enter();
    lim_result result = make_batches(model, max_nodes, host, out_batches);
    fpenv_leave(env);
    if (result == LIM_ERROR_MEMORY || result == LIM_ERROR_TOO_LARGE) {
        return log_fail(host, result, "lim_model_make_batches: %s; nothing was made",
                        result == LIM_ERROR_MEMORY ? "the host gave no memory"
                                                   : "the surface has too many triangles");
    }
    return result;
}

lim_batches_view lim_batches_get_view(const lim_batches* batches) {
    return batches != NULL ? batches->view : (lim_batches_view){0};
}

void lim_batches_destroy(lim_batches* batches) {
    if (batches != NULL) {
        lim_host host = batches->mem.host;
        arena_release(&batches->mem);
        mem_free(&host, batches, 1, sizeof *batches);
    }
}

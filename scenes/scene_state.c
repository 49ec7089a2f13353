/* SPDX-License-Identifier: MIT
 * Job: bodies that begin out of shape. In: a body at rest. Out: its nodes flat, mirrored, on a
 * line, in a point or scrambled, each about the centre of mass.
 */
#include "base/mem.h"
#include "base/random.h"
#include "math/vec3.h"
#include "scene.h"

static void put_node(double p[3], lim_point centre, scene_shape_state state) {
    p[0] = state == SCENE_MIRRORED ? 2.0 * centre.x - p[0] : state == SCENE_POINT ? centre.x : p[0];
    if (state == SCENE_FLATTENED || state == SCENE_LINE || state == SCENE_POINT) {
        p[1] = centre.y;
    }
    if (state == SCENE_LINE || state == SCENE_POINT) {
        p[2] = centre.z;
    }
}

/* Every node changes places with another, the same on every machine. */
static void scramble(double* at, int32_t count) {
    random_stream r = random_seed(1);
    for (int32_t i = count - 1; i > 0; --i) {
        double *a = at + 3 * (size_t)i, *b = at + 3 * (size_t)random_index(&r, i);
        for (int k = 0; k < 3; ++k) {
            double swap = a[k];
            a[k] = b[k];
            b[k] = swap;
        }
    }
}

lim_result scene_put_state(lim_world* world, lim_body body, int32_t node_count,
                           scene_shape_state state, const lim_host* host) {
    lim_body_motion motion;
    LIM_TRY(lim_body_get_motion(world, body, &motion));
    double* at = mem_alloc(host, 3 * (size_t)node_count, sizeof *at);
    LIM_TRY_MEMORY(at);
    lim_result result = lim_body_get_nodes(world, body, at, NULL, node_count);
    for (int32_t i = 0; i < node_count && result == LIM_OK; ++i) {
        put_node(at + 3 * (size_t)i, motion.centre, state);
    }
    if (result == LIM_OK && state == SCENE_SCRAMBLED) {
        scramble(at, node_count);
    }
    if (result == LIM_OK) {
        result = lim_body_set_nodes(world, body, at, NULL, node_count);
    }
    mem_free(host, at, 3 * (size_t)node_count, sizeof *at);
    return result;
}

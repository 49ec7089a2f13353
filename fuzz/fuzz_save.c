/* SPDX-License-Identifier: MIT
 * Job: any bytes as a saved world and as a saved model, once as they are and once under a head with
 * a right checksum, which a fuzzer would never find. What loads must step, answer, be cut, refined
 * and split, and save.
 */
#include "fuzz.h"

#include "world/container.h"

#include <limber/edit.h>

#include <stdlib.h>
#include <string.h>

/* Edits may be refused, for whatever reason there is; not for one of their own. */
static void edit(lim_world* world, lim_body body) {
    lim_body_motion m;
    if (lim_body_get_motion(world, body, &m) != LIM_OK) {
        __builtin_trap();
    }
    double x = 0.6 * m.bounds.lower.x + 0.4 * m.bounds.upper.x;
    lim_point tips[2] = {m.bounds.lower, m.bounds.upper}, backs[2] = {tips[0], tips[1]};
    tips[0].x = tips[1].x = backs[0].x = x;
    backs[1].x = x + 0.01;
    tips[0].z = tips[1].z = m.bounds.lower.z - 0.01;
    backs[0].z = backs[1].z = m.bounds.upper.z + 0.01;
    lim_cut_desc cut = lim_cut_desc_default();
    cut.count = 2;
    cut.tips = tips;
    cut.backs = backs;
    lim_refine_desc refine = lim_refine_desc_default();
    refine.position = m.centre;
    (void)lim_body_coarsen(world, body, &refine, NULL);
    const lim_point begin[2] = {tips[0], backs[0]};
    for (int goes_on = 1; goes_on >= 0; --goes_on) {
        cut.continues = goes_on != 0 && lim_body_get_stroke(world, body, &tips[0], &backs[0]);
        tips[0] = cut.continues ? tips[0] : begin[0];
        backs[0] = cut.continues ? backs[0] : begin[1];
        if (lim_body_cut(world, body, &cut, NULL) == LIM_ERROR_ID) {
            __builtin_trap();
        }
    }
    (void)lim_body_refine(world, body, &refine, NULL);
    lim_body pieces[64];
    (void)lim_body_split(world, body, pieces, 64, NULL);
}

static void use(lim_world* world) {
    if (lim_world_step(world, 1.0f / 60.0f) != LIM_OK) {
        __builtin_trap();
    }
    for (lim_body b = lim_body_next(world, (lim_body){0}); b.generation != 0;
         b = lim_body_next(world, b)) {
        lim_skin_view skin;
        lim_hit hit;
        if (lim_body_get_skin(world, b, &skin) != LIM_OK ||
            lim_body_closest_point(world, b, (lim_point){0, 0, 0}, &hit) != LIM_OK) {
            __builtin_trap();
        }
        edit(world, b);
    }
    if (lim_world_step(world, 1.0f / 60.0f) != LIM_OK) {
        __builtin_trap();
    }
    size_t size = 0;
    if (lim_world_save(world, NULL, 0, &size) != LIM_OK || size == 0) {
        __builtin_trap();
    }
}

static void load(const uint8_t* bytes, size_t size) {
    lim_world* world = NULL;
    if (lim_world_load(bytes, size, 1, NULL, &world) == LIM_OK) {
        use(world);
    }
    lim_world_destroy(world);
    lim_model* model = NULL;
    if (lim_model_load(bytes, size, NULL, &model) == LIM_OK &&
        lim_model_get_nodes(model).count != lim_model_get_info(model).nodes) {
        __builtin_trap();
    }
    lim_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    load(bytes, size);
    if (size < CONTAINER_HEAD) {
        return 0;
    }
    unsigned char* sealed = malloc(size);
    if (sealed == NULL) {
        return 0;
    }
    memcpy(sealed, bytes, size);
    container_seal(sealed, size, memcmp(bytes, "LIMMODEL", 8) == 0 ? "LIMMODEL" : "LIMWORLD");
    load(sealed, size);
    free(sealed);
    return 0;
}

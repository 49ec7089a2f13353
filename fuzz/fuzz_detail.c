/* SPDX-License-Identifier: MIT
 * Job: any bytes as trained detail, once as they are and once under a right head, which a fuzzer
 * would never find. What loads must correlate, blend and be stamped, and save.
 */
#include "fuzz.h"

#include "detail/detail_data.h"
#include "detail/displacement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the model that the seeds are trained on (detail_seeds.c). */
enum { NODES = 5, POINTS = 37 };
#define MODEL 0x0123456789ABCDEFu

/* A sum of fields as the run time makes it; not finite: the reader let something through. */
static void blend(arena* a, const detail_field* fields, const float* weight, int32_t count,
                  int32_t blocks) {
    float* dense = ARENA_ARRAY(a, float, (size_t)blocks* DETAIL_BLOCK);
    if (dense == NULL) {
        return;
    }
    detail_blend(isa_best(), fields, weight, count, blocks, dense);
    for (int32_t i = 0; i < blocks * DETAIL_BLOCK; ++i) {
        if (isnan(dense[i])) {
            __builtin_trap();
        }
    }
}

static void use(arena* a, const detail_data* d) {
    detail_examples e;
    detail_field* fields = ARENA_ARRAY(a, detail_field, d->count);
    float *room = ARENA_ARRAY(a, float, d->count), *weight = ARENA_ARRAY(a, float, d->count);
    if (fields == NULL || room == NULL || weight == NULL ||
        detail_data_examples(a, d, &e) != LIM_OK || d->count == 0) {
        return;
    }
    detail_correlate(isa_best(), &e, e.way, 1.0f, room, weight);
    for (int32_t i = 0; i < d->count; ++i) {
        fields[i] = d->example[i].field;
        if (!(weight[i] >= 0.0f && weight[i] <= 1.5f)) {
            __builtin_trap();
        }
    }
    blend(a, fields, weight, d->count, detail_blocks(d->points));
    for (int32_t i = 0; i < d->count; ++i) {
        fields[i] = d->example[i].stamp;
    }
    blend(a, fields, weight, d->count, detail_blocks(d->grid.side * d->grid.side));
    if (detail_data_save(d, NULL) < DETAIL_DATA_HEAD) {
        __builtin_trap();
    }
}

static void load(const uint8_t* bytes, size_t size) {
    arena a;
    lim_host host = mem_host(NULL);
    detail_data d;
    arena_init(&a, &host);
    if (detail_data_load(&a, bytes, size, MODEL, NODES, POINTS, &host, &d) == LIM_OK) {
        use(&a, &d);
    }
    arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    load(bytes, size);
    if (size < DETAIL_DATA_HEAD) {
        return 0;
    }
    unsigned char* sealed = malloc(size);
    if (sealed == NULL) {
        return 0;
    }
    memcpy(sealed, bytes, size);
    detail_data_seal(sealed, size, MODEL);
    load(sealed, size);
    free(sealed);
    return 0;
}

/* SPDX-License-Identifier: MIT
 * Job: the width of the kernel. In: examples. Out: that of a few widths with which examples that
 * are left out are met best.
 */
#include "train/mix_choice.h"

#include "detail/displacement.h"

#include <math.h>
#include <string.h>

enum { WIDTHS = 9 };

typedef struct leaving {
    const detail_data* d;
    const detail_skin* skin;
    detail_examples e;
    float* way; /* that of e, to write in */
    float *u, *room, *weight, *vector, *texels, *sum;
    detail_field *field, *stamp;
} leaving;

static lim_result begin(arena* a, const detail_data* d, const detail_skin* skin, leaving* l) {
    int32_t points = detail_blocks(d->points) * DETAIL_BLOCK;
    int32_t texels = detail_blocks(d->grid.side * d->grid.side) * DETAIL_BLOCK;
    *l = (leaving){.d = d, .skin = skin};
    LIM_TRY(detail_data_examples(a, d, &l->e));
    l->way = (float*)(uintptr_t)l->e.way; /* made for us */
    LIM_TRY_MEMORY(l->u = ARENA_ARRAY(a, float, l->e.width));
    LIM_TRY_MEMORY(l->room = ARENA_ARRAY(a, float, d->count));
    LIM_TRY_MEMORY(l->weight = ARENA_ARRAY(a, float, d->count));
    LIM_TRY_MEMORY(l->vector = ARENA_ARRAY(a, float, points));
    LIM_TRY_MEMORY(l->sum = ARENA_ARRAY(a, float, points));
    LIM_TRY_MEMORY(l->texels = ARENA_ARRAY(a, float, texels));
    LIM_TRY_MEMORY(l->field = ARENA_ARRAY(a, detail_field, d->count));
    LIM_TRY_MEMORY(l->stamp = ARENA_ARRAY(a, detail_field, d->count));
    for (int32_t i = 0; i < d->count; ++i) {
        l->field[i] = d->example[i].field;
        l->stamp[i] = d->example[i].stamp;
    }
    return LIM_OK;
}

static void add_squares(const float* field, int32_t points, double* sum) {
    for (int32_t i = 0; i < points; ++i) {
        lim_vec3 v = detail_get(field, i);
        *sum += (double)v3_dot(v, v);
    }
}

/* Adds the square of what example i has, and of what the others leave of it. */
static void leave_out(leaving* l, int32_t i, double* whole, double* left) {
    const detail_data* d = l->d;
    const detail_example* own = &d->example[i];
    int32_t points = d->points, width = l->e.width;
    float* way = l->way + (size_t)i * (size_t)width;
    for (int32_t k = 0; k < width; ++k) {
        l->u[k] = own->size * own->way[k];
        way[k] = 0.0f; /* r = 0, which counts for nothing at any sigma <= 0.5 */
    }
    detail_correlate(isa_best(), &l->e, l->u, own->size, l->room, l->weight);
    memcpy(way, own->way, (size_t)width * sizeof *way);
    int32_t blocks = detail_blocks(points), texels = detail_blocks(d->grid.side * d->grid.side);
    detail_blend(isa_best(), l->field, l->weight, d->count, blocks, l->vector);
    detail_blend(isa_best(), l->stamp, l->weight, d->count, texels, l->texels);
    const detail_layer layer = {.vector = l->vector,
                                .grid = &d->grid,
                                .texels = l->texels,
                                .place = stamp_at(&d->grid, own->point, own->normal)};
    memset(l->sum, 0, (size_t)blocks * DETAIL_BLOCK * sizeof(float));
    detail_add(l->skin, &layer, l->sum);
    const float one = 1.0f;
    detail_blend(isa_best(), &own->field, &one, 1, blocks, l->vector);
    add_squares(l->vector, points, whole);
    for (int32_t k = 0; k < points; ++k) {
        detail_set(l->sum, k, v3_sub(detail_get(l->sum, k), detail_get(l->vector, k)));
    }
    add_squares(l->sum, points, left);
}

lim_result mix_choose(arena* scratch, const detail_data* d, const detail_skin* skin, float least,
                      float most, mix_choice* out) {
    leaving l;
    LIM_TRY(begin(scratch, d, skin, &l));
    *out = (mix_choice){most, INFINITY};
    float ratio = 1.6f;
    l.e.sigma = most;
    for (int k = 0; k < WIDTHS && l.e.sigma >= least * 0.999f; ++k, l.e.sigma /= ratio) {
        double whole = 0.0, left = 0.0;
        for (int32_t i = 0; i < d->count; ++i) {
            leave_out(&l, i, &whole, &left);
        }
        double error = whole > 0.0 ? sqrt(left / whole) : 1.0;
        if (error < out->error) {
            *out = (mix_choice){l.e.sigma, error};
        }
    }
    return LIM_OK;
}

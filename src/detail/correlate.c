/* SPDX-License-Identifier: MIT
 * Job: weights of examples. In: the present displacement, those of the examples. Out: how much of
 * each example's detail to add, continuous in the displacement.
 */
#include "detail/correlate.h"

#include "math/trig.h"

#include <string.h>

#define DECLARE(set, suffix) extern const detail_kernels detail_kernels_##suffix;
ISA_LIST(DECLARE)

const detail_kernels* detail_kernels_for(isa set) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        return &detail_kernels_##suffix;
        ISA_LIST(CASE)
    default:
        return &ISA_BASE(detail_kernels);
    }
}

float detail_falloff(float t) {
    const double least = 0x1.2c155b8213cf4p-6; /* e^-4 */
    if (!(t < 2.0f)) {
        return 0.0f;
    }
    return (float)((trig_exp(-(double)t * (double)t) - least) / (1.0 - least));
}

/* The largest but `most`: what is taken off all. */
static float next_best(const float* value, int32_t count, int32_t most) {
    float bound = 0.0f;
    int32_t above = 0;
    for (int32_t i = 0; i < count; ++i) {
        above += value[i] > 0.0f;
    }
    if (above <= most) {
        return 0.0f;
    }
    /* From above, one value at a time: how many lie at or above the last bound. */
    above = 0;
    for (float last = 2.0f; above <= most; last = bound) {
        bound = 0.0f;
        for (int32_t i = 0; i < count; ++i) {
            bound = value[i] < last && value[i] > bound ? value[i] : bound;
        }
        for (int32_t i = 0; i < count; ++i) {
            above += value[i] == bound;
        }
    }
    return bound;
}

void detail_correlate(isa set, const detail_examples* e, const float* u, float size, float* room,
                      float* weight) {
    memset(weight, 0, (size_t)e->count * sizeof *weight);
    if (!(size > 0.0f)) {
        return;
    }
    detail_kernels_for(set)->products(e->way, e->count, e->width, u, room);
    for (int32_t i = 0; i < e->count; ++i) {
        float apart = 1.0f - room[i] / size;
        room[i] = detail_falloff(apart < 0.0f ? 0.0f : apart / e->sigma);
    }
    float off = next_best(room, e->count, e->most), sum = 0.0f;
    for (int32_t i = 0; i < e->count; ++i) {
        room[i] = room[i] > off ? room[i] - off : 0.0f;
        sum += room[i];
    }
    sum = sum > e->tau ? sum : e->tau;
    for (int32_t i = 0; i < e->count; ++i) {
        float grown = size / e->size[i];
        grown = grown < DETAIL_OVERSHOOT ? grown : DETAIL_OVERSHOOT;
        weight[i] = grown * (room[i] / sum);
    }
}

/* The mean of the `mix` least of the distances 1 - r, that to itself left out. */
static double nearest_mean(const float* r, int32_t count, int32_t self, int32_t mix) {
    double sum = 0.0;
    int32_t taken = 0;
    for (float last = 2.0f; taken < mix && last > -2.0f;) {
        float best = -2.0f;
        for (int32_t i = 0; i < count; ++i) {
            best = i != self && r[i] < last && r[i] > best ? r[i] : best;
        }
        for (int32_t i = 0; i < count && taken < mix; ++i) {
            if (i != self && r[i] == best) {
                sum += 1.0 - (double)best;
                taken++;
            }
        }
        last = best;
    }
    return taken > 0 ? sum / taken : 0.0;
}

float detail_sigma(isa set, const detail_examples* e, int32_t mix, float* room) {
    const float least = 0.01f, most = 0.5f;
    mix = mix < e->count - 1 ? mix : e->count - 1;
    if (mix < 1) {
        return most;
    }
    double sum = 0.0;
    for (int32_t i = 0; i < e->count; ++i) {
        const float* own = e->way + (size_t)i * (size_t)e->width;
        detail_kernels_for(set)->products(e->way, e->count, e->width, own, room);
        sum += nearest_mean(room, e->count, i, mix);
    }
    float sigma = (float)(sum / e->count);
    return sigma < least ? least : sigma < most ? sigma : most;
}

/* SPDX-License-Identifier: MIT
 * Job: a lattice as a dense array. In: whole coordinates of nodes. Out: where each is in an array
 * that bounds them all, and the sums over cubes there.
 */
#include "bench/lattice_array.h"

#include <string.h>

#define DECLARE(set, suffix) extern const lattice_kernels lattice_kernels_##suffix;
ISA_LIST(DECLARE)

const lattice_kernels* lattice_kernels_for(isa set) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        return &lattice_kernels_##suffix;
        ISA_LIST(CASE)
    default:
        return &lattice_kernels_scalar;
    }
}

lim_result lattice_array_make(arena* a, const int32_t* coordinates, int32_t count,
                              lattice_array* out) {
    *out = (lattice_array){.count = count};
    int32_t least[3] = {0, 0, 0};
    int64_t places = 1;
    for (int32_t k = 0; k < 3; ++k) {
        int32_t most = least[k] = coordinates[k];
        for (int32_t i = 1; i < count; ++i) {
            int32_t at = coordinates[3 * i + k];
            least[k] = at < least[k] ? at : least[k];
            most = at > most ? at : most;
        }
        int64_t size = (int64_t)most - least[k] + 1;
        places *= size;
        if (size > 1 << 26 || places > 1 << 26) {
            return LIM_ERROR_TOO_LARGE;
        }
        out->size[k] = (int32_t)size;
    }
    out->places = (int32_t)places;
    out->place = ARENA_ARRAY(a, int32_t, count);
    LIM_TRY_MEMORY(out->place);
    for (int32_t i = 0; i < count; ++i) {
        const int32_t* at = coordinates + 3 * i;
        int32_t row = (at[2] - least[2]) * out->size[1] + (at[1] - least[1]);
        out->place[i] = row * out->size[0] + (at[0] - least[0]);
    }
    return LIM_OK;
}

void lattice_array_spread(const lattice_array* l, int32_t strips, const float* nodes,
                          float* array) {
    size_t floats = (size_t)strips * 8;
    for (int32_t i = 0; i < l->count; ++i) {
        memcpy(array + (size_t)l->place[i] * floats, nodes + (size_t)i * floats,
               floats * sizeof(float));
    }
}

void lattice_array_collect(const lattice_array* l, int32_t strips, const float* array,
                           float* nodes) {
    size_t floats = (size_t)strips * 8;
    for (int32_t i = 0; i < l->count; ++i) {
        memcpy(nodes + (size_t)i * floats, array + (size_t)l->place[i] * floats,
               floats * sizeof(float));
    }
}

void lattice_array_naive(const lattice_array* l, int32_t w, int32_t strips, isa set,
                         const float* in, float* out) {
    lattice_kernels_for(set)->naive(l, w, strips, in, out);
}

void lattice_array_bars(const lattice_array* l, int32_t w, int32_t strips, isa set, const float* in,
                        float* bars, float* plates, float* out) {
    const lattice_kernels* kernels = lattice_kernels_for(set);
    kernels->along(l, 0, w, strips, in, bars);
    kernels->along(l, 1, w, strips, bars, plates);
    kernels->along(l, 2, w, strips, plates, out);
}

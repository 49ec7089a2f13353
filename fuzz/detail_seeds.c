/* SPDX-License-Identifier: MIT
 * Job: make the seeds of fuzz_detail anew, when the format of trained detail has changed:
 * detail_seeds FOLDER.
 */
#include "base/random.h"
#include "detail/detail_data.h"
#include "detail/displacement.h"

#include <stdio.h>
#include <stdlib.h>

enum { NODES = 5, POINTS = 37, SIDE = 6, MOST = 4 };
#define MODEL 0x0123456789ABCDEFu

static bool field(arena* a, random_stream* r, int32_t vectors, detail_field* out) {
    float dense[DETAIL_BLOCK * 8] = {0};
    for (int32_t i = 0; i < vectors; ++i) {
        float x = random_range(r, -1, 1), y = random_range(r, -1, 1);
        detail_set(dense, i, i / 8 % 2 == 0 ? v3(x, y, 0.1f) : v3(0, 0, 0));
    }
    return detail_field_of(a, dense, detail_blocks(vectors), 0.0f, out) == LIM_OK;
}

static bool example(arena* a, random_stream* r, int32_t k, detail_example* e) {
    int32_t stride = displacement_width(NODES) / 3;
    float *way = ARENA_ARRAY(a, float, 3 * stride), square = 0.0f;
    if (way == NULL) {
        return false;
    }
    for (int32_t i = 0; i < 3 * NODES; ++i) {
        float x = random_range(r, -1, 1);
        way[i / NODES * stride + i % NODES] = x;
        square += x * x;
    }
    for (int32_t i = 0; i < 3 * stride; ++i) {
        way[i] /= sqrtf(square);
    }
    *e = (detail_example){.size = 0.1f + (float)k, .way = way, .normal = {0, 1, 0}};
    return field(a, r, POINTS, &e->field) && field(a, r, SIDE * SIDE, &e->stamp);
}

static bool write_seed(const char* folder, int32_t count) {
    arena a;
    lim_host host = mem_host(NULL);
    arena_init(&a, &host);
    random_stream r = random_seed((uint64_t)count);
    detail_example examples[MOST];
    detail_data d = {.model = MODEL,
                     .nodes = NODES,
                     .points = POINTS,
                     .count = count,
                     .sigma = 0.2f,
                     .tau = DETAIL_TAU,
                     .most = 2,
                     .grid = {{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, SIDE, 0.4f, 0.3f, 0.2f},
                     .example = examples};
    bool good = true;
    for (int32_t k = 0; k < count; ++k) {
        good = good && example(&a, &r, k, &examples[k]);
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/examples_%d.bin", folder, count);
    size_t size = good ? detail_data_save(&d, NULL) : 0;
    unsigned char* bytes = malloc(size + 1);
    FILE* file = fopen(path, "wb");
    good = good && bytes != NULL && file != NULL && detail_data_save(&d, bytes) == size &&
           fwrite(bytes, 1, size, file) == size;
    good = (file == NULL || fclose(file) == 0) && good;
    free(bytes);
    arena_release(&a);
    return good;
}

int main(int argc, char** argv) {
    for (int32_t count = 0; argc == 2 && count <= MOST; count += 1 + count / 2) {
        if (!write_seed(argv[1], count)) {
            fprintf(stderr, "detail_seeds: writing to %s failed\n", argv[1]);
            return 1;
        }
    }
    return argc == 2 ? 0 : 1;
}

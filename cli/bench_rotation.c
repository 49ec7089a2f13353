/* SPDX-License-Identifier: MIT
 * Job: time the rotation kernel. In: 4,096 stretched and sheared rotations with a warm start that
 * is 0.05 rad off, which is more than a step of a fast body turns a region. Out: ns per rotation
 * and the largest angle to the rotation of the cold solver in double, per instruction set. The
 * public API has no rotation call: this one file looks into the core.
 */
#include "cli/bench.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/timer.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

enum { N = BENCH_ROTATION_COUNT, BATCHES = 31, REPEATS = 20 };

typedef struct rotation_data {
    float* A;      /* 9 arrays of N */
    float* start;  /* 4 arrays of N: the warm start */
    float* q;      /* 4 arrays of N: the result */
    double* exact; /* 4 per matrix */
} rotation_data;

static void quat_to_matrix(const double q[4], double R[9]) {
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double m[9] = {
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z),       2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),       1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),       2.0 * (y * z + w * x),       1.0 - 2.0 * (x * x + y * y)};
    memcpy(R, m, sizeof m);
}

static void random_quat(random_stream* r, double spread, double q[4]) {
    double length = 0.0;
    for (int32_t k = 0; k < 4; ++k) {
        q[k] = (double)random_range(r, -1.0f, 1.0f) * (k < 3 ? spread : 0.0) + (k == 3 ? 1.0 : 0.0);
        length += q[k] * q[k];
    }
    for (int32_t k = 0; k < 4; ++k) {
        q[k] /= sqrt(length); /* at least 1: q[3] is 1 */
    }
}

static void quat_product(const double a[4], const double b[4], double out[4]) {
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static void fill(rotation_data* d) {
    random_stream r = random_seed(7);
    for (int32_t i = 0; i < N; ++i) {
        double q[4], R[9], S[9], A[9];
        random_quat(&r, 2.0, q);
        quat_to_matrix(q, R);
        /* symmetric, stretches of 0.6 to 1.4, some shear */
        for (int32_t row = 0; row < 3; ++row) {
            for (int32_t column = row; column < 3; ++column) {
                double value = row == column ? (double)random_range(&r, 0.6f, 1.4f)
                                             : (double)random_range(&r, -0.15f, 0.15f);
                S[3 * row + column] = value;
                S[3 * column + row] = value;
            }
        }
        for (int32_t row = 0; row < 3; ++row) {
            for (int32_t column = 0; column < 3; ++column) {
                double sum = 0.0;
                for (int32_t k = 0; k < 3; ++k) {
                    sum += R[3 * row + k] * S[3 * k + column];
                }
                float stored = (float)sum;
                d->A[(3 * row + column) * N + i] = stored;
                A[3 * row + column] = (double)stored;
            }
        }
        rotation_cold(A, &d->exact[4 * i]);
        /* an angle of about 0.05: twice the length of the vector part */
        double off[4], start[4];
        random_quat(&r, 0.0177, off);
        quat_product(&d->exact[4 * i], off, start);
        for (int32_t k = 0; k < 4; ++k) {
            d->start[k * N + i] = (float)start[k];
        }
    }
}

static double largest_angle(const rotation_data* d) {
    double largest = 0.0;
    for (int32_t i = 0; i < N; ++i) {
        double q[4], inverse[4] = {-d->exact[4 * i], -d->exact[4 * i + 1], -d->exact[4 * i + 2],
                                   d->exact[4 * i + 3]};
        for (int32_t k = 0; k < 4; ++k) {
            q[k] = (double)d->q[k * N + i];
        }
        double between[4];
        quat_product(inverse, q, between);
        double angle =
            2.0 * sqrt(between[0] * between[0] + between[1] * between[1] + between[2] * between[2]);
        largest = angle > largest ? angle : largest;
    }
    return largest;
}

static void measure_set(isa set, int32_t iterations, rotation_data* d, const lim_host* host,
                        bench_rotation_result* out) {
    double times[BATCHES];
    for (int32_t batch = 0; batch < BATCHES; ++batch) {
        double seconds = 0.0;
        for (int32_t i = 0; i < REPEATS; ++i) {
            memcpy(d->q, d->start, sizeof(float) * 4 * N);
            double begin = timer_now(host);
            rotation_solve(set, d->A, d->q, N, iterations);
            seconds += timer_now(host) - begin;
        }
        times[batch] = seconds * 1e9 / ((double)REPEATS * N);
    }
    out->set = set;
    out->ns = measure_of(times, BATCHES, host).median;
    out->residual = largest_angle(d);
    out->hash = hash_bytes(HASH_SEED, d->q, sizeof(float) * 4 * N);
}

lim_result bench_rotation(int32_t iterations, const lim_host* host,
                          bench_rotation_result out[ISA_COUNT], int32_t* out_count) {
    arena memory;
    arena_init(&memory, host);
    rotation_data d = {.A = ARENA_ARRAY(&memory, float, 9 * N),
                       .start = ARENA_ARRAY(&memory, float, 4 * N),
                       .q = ARENA_ARRAY(&memory, float, 4 * N),
                       .exact = ARENA_ARRAY(&memory, double, 4 * N)};
    bool there = d.A != NULL && d.start != NULL && d.q != NULL && d.exact != NULL;
    if (there) {
        fill(&d);
        *out_count = 0;
        for (int32_t set = 0; set < ISA_COUNT; ++set) {
            if (isa_available((isa)set)) {
                measure_set((isa)set, iterations, &d, host, &out[(*out_count)++]);
            }
        }
    }
    arena_release(&memory);
    return there ? LIM_OK : LIM_ERROR_MEMORY;
}

/* SPDX-License-Identifier: MIT
 * Job: record the matrices of a moving body and time rotations on them. In: a bar that is twisted.
 * Out: sweeps, ns and errors of three ways. Positions come from the public API and sums are in
 * double, so the matrices do not depend on how the library sums.
 */
#include "bench/polar_record.h"

#include "base/hash.h"
#include "base/sort.h"
#include "base/timer.h"
#include "bench/polar_jacobi.h"
#include "math/eigen.h"
#include "math/rotation.h"
#include "math/trig.h"
#include "scenes/models.h"

#include <math.h>
#include <string.h>

#define DECLARE(set, suffix) extern const polar_kernel polar_kernel_##suffix;
ISA_LIST(DECLARE)

polar_kernel polar_kernel_for(isa set) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        return polar_kernel_##suffix;
        ISA_LIST(CASE)
    default:
        return polar_kernel_scalar;
    }
}

/* ---- the bar ---------------------------------------------------------------------------------
 */

static const double LENGTH = 1.0, ACROSS = 0.25;
static const float DT = 1.0f / 240.0f;

typedef struct twisted_bar {
    lim_model* model;
    lim_world* world;
    lim_body body;
    lim_pin turning;
    /* regions as lists of nodes */
    int32_t regions, nodes;
    int32_t *offset, *member;
    lim_debug_point* now;
} twisted_bar;

static lim_result bar_world(const lim_host* host, twisted_bar* b) {
    lim_world_desc desc = lim_world_desc_default();
    desc.gravity = (lim_vec3){0.0f, 0.0f, 0.0f};
    desc.substeps = 1;
    desc.sleep = false;
    LIM_TRY(lim_world_create(&desc, host, &b->world));
    lim_body_desc body = lim_body_desc_default();
    body.model = b->model;
    body.material.young = 20e3f;
    body.position = lim_model_get_info(b->model).centre;
    LIM_TRY(lim_body_create(b->world, &body, &b->body));
    for (int32_t end = 0; end < 2; ++end) {
        lim_pin_desc pin = lim_pin_desc_default();
        pin.body = b->body;
        pin.shape = LIM_SHAPE_BOX;
        pin.size = (lim_vec3){0.06f, 1.0f, 1.0f};
        pin.position = (lim_point){end * LENGTH, 0.5 * ACROSS, 0.5 * ACROSS};
        LIM_TRY(lim_pin_create(b->world, &pin, &b->turning));
    }
    return LIM_OK;
}

static lim_result bar_regions(arena* a, twisted_bar* b) {
    b->nodes = lim_model_get_nodes(b->model).count;
    b->regions = b->nodes;
    b->offset = ARENA_ARRAY(a, int32_t, b->regions + 1);
    b->now = ARENA_ARRAY(a, lim_debug_point, b->nodes);
    if (b->offset == NULL || b->now == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t r = 0; r < b->regions; ++r) {
        b->offset[r + 1] = b->offset[r] + lim_model_get_region(b->model, r, NULL, NULL, 0);
    }
    b->member = ARENA_ARRAY(a, int32_t, b->offset[b->regions]);
    LIM_TRY_MEMORY(b->member);
    for (int32_t r = 0; r < b->regions; ++r) {
        lim_model_get_region(b->model, r, b->member + b->offset[r], NULL,
                             b->offset[r + 1] - b->offset[r]);
    }
    return LIM_OK;
}

/* Half a turn in the first third, then held; free from the second third on. */
static lim_result bar_step(twisted_bar* b, int32_t step, int32_t steps) {
    int32_t third = steps / 3;
    if (step < third) {
        double half = 0.5 * TRIG_PI * (step + 1) / third;
        lim_quat turn = {(float)trig_sin(half), 0.0f, 0.0f, (float)trig_cos(half)};
        lim_point at = {LENGTH, 0.5 * ACROSS, 0.5 * ACROSS};
        LIM_TRY(lim_pin_move(b->world, b->turning, at, turn));
    } else if (step == third) {
        LIM_TRY(lim_pin_destroy(b->world, b->turning));
    }
    return lim_world_step(b->world, DT);
}

static lim_result bar_positions(twisted_bar* b) {
    int32_t lines = 0, points = 0;
    const lim_point origin = {0.0, 0.0, 0.0};
    return lim_body_debug_draw(b->world, b->body, LIM_DEBUG_NODES, 0, origin, NULL, 0, &lines,
                               b->now, b->nodes, &points);
}

/* A of one region; every node has the same mass. */
static void region_matrix(const twisted_bar* b, const lim_model_nodes* rest, int32_t r,
                          float out[POLAR_RECORD]) {
    double c[3] = {0, 0, 0}, c0[3] = {0, 0, 0}, A[9] = {0};
    double share = 1.0 / (b->offset[r + 1] - b->offset[r]);
    for (int32_t pass = 0; pass < 2; ++pass) {
        for (int32_t e = b->offset[r]; e < b->offset[r + 1]; ++e) {
            int32_t i = b->member[e];
            const double x[3] = {(double)b->now[i].at.x, (double)b->now[i].at.y,
                                 (double)b->now[i].at.z};
            const double x0[3] = {(double)rest->x[i], (double)rest->y[i], (double)rest->z[i]};
            for (int32_t k = 0; k < 3 && pass == 0; ++k) {
                c[k] += share * x[k];
                c0[k] += share * x0[k];
            }
            for (int32_t k = 0; k < 9 && pass == 1; ++k) {
                A[k] += share * (x[k / 3] - c[k / 3]) * (x0[k % 3] - c0[k % 3]);
            }
        }
    }
    for (int32_t k = 0; k < 9; ++k) {
        out[k] = (float)A[k];
    }
}

static float* record_at(const polar_record* p, int32_t step, int32_t region) {
    return p->records + ((size_t)step * (size_t)p->regions + (size_t)region) * POLAR_RECORD;
}

static lim_result record_steps(arena* a, twisted_bar* b, int32_t steps, polar_record* out) {
    out->steps = steps;
    out->regions = (b->regions + 7) / 8 * 8;
    out->records = ARENA_ARRAY(a, float, (int64_t)steps * out->regions * POLAR_RECORD);
    LIM_TRY_MEMORY(out->records);
    lim_model_nodes rest = lim_model_get_nodes(b->model);
    for (int32_t step = 0; step < steps; ++step) {
        LIM_TRY(bar_step(b, step, steps));
        LIM_TRY(bar_positions(b));
        for (int32_t r = 0; r < out->regions; ++r) {
            region_matrix(b, &rest, r < b->regions ? r : b->regions - 1, record_at(out, step, r));
        }
    }
    return LIM_OK;
}

/* ---- how much happens ------------------------------------------------------------------------
 */

static void matrix_of(const float* record, dmat3* out) {
    for (int32_t k = 0; k < 9; ++k) {
        out->m[k] = (double)record[k];
    }
}

static double angle_between(const double a[4], const double b[4]) {
    /* the vector part of conjugate(a) b */
    double x = a[3] * b[0] - a[0] * b[3] - a[1] * b[2] + a[2] * b[1];
    double y = a[3] * b[1] - a[1] * b[3] - a[2] * b[0] + a[0] * b[2];
    double z = a[3] * b[2] - a[2] * b[3] - a[0] * b[1] + a[1] * b[0];
    double w = a[3] * b[3] + a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    double angle = 2.0 * atan2(sqrt(x * x + y * y + z * z), fabs(w));
    return angle;
}

static void describe(polar_record* p, double* exact) {
    double sum = 0.0;
    for (int32_t s = 0; s < p->steps; ++s) {
        for (int32_t r = 0; r < p->regions; ++r) {
            double A[9], q[4], sizes[3];
            dmat3 m, u, v;
            const float* record = record_at(p, s, r);
            for (int32_t k = 0; k < 9; ++k) {
                A[k] = (double)record[k];
            }
            rotation_cold(A, q);
            double turn = s > 0 ? angle_between(exact + 4 * (size_t)r, q) : 0.0;
            memcpy(exact + 4 * (size_t)r, q, sizeof q);
            p->most = turn > p->most ? turn : p->most;
            p->turn += turn / ((double)(p->steps - 1) * p->regions);
            matrix_of(record, &m);
            svd3(&m, &u, sizes, &v);
            sum += sizes[2] > 0.0 ? sizes[0] / sizes[2] : 0.0;
        }
    }
    p->stretch = sum / ((double)p->steps * p->regions);
}

lim_result polar_record_bar(arena* a, lim_kind kind, int32_t cells, int32_t steps,
                            const lim_host* host, polar_record* out) {
    *out = (polar_record){.regions = 0};
    twisted_bar b = {.model = NULL};
    lim_mesh* mesh = NULL;
    arena scratch;
    arena_init(&scratch, host);
    const int32_t squares[3] = {1, 1, 1};
    lim_result result = box_mesh(LENGTH, ACROSS, ACROSS, squares, host, &mesh);
    if (result == LIM_OK) {
        lim_model_desc desc = lim_model_desc_default();
        desc.kind = kind;
        desc.cell_size = (float)(ACROSS / cells);
        result = lim_model_create(mesh, &desc, host, &b.model);
    }
    result = result == LIM_OK ? bar_world(host, &b) : result;
    result = result == LIM_OK ? bar_regions(&scratch, &b) : result;
    result = result == LIM_OK ? record_steps(a, &b, steps, out) : result;
    if (result == LIM_OK) {
        double* exact = ARENA_ARRAY(&scratch, double, 4 * (int64_t)out->regions);
        result = exact == NULL ? LIM_ERROR_MEMORY : LIM_OK;
        if (exact != NULL) {
            describe(out, exact);
        }
    }
    lim_world_destroy(b.world);
    lim_model_destroy(b.model);
    lim_mesh_destroy(mesh);
    arena_release(&scratch);
    return result;
}

/* ---- the rotations ---------------------------------------------------------------------------
 */

/* State of one way over all regions. */
typedef struct polar_state {
    float *V, *R;  /* 9 per region; of Jacobi */
    float* q[4];   /* of ours */
    double* times; /* seconds of each step */
    double sweeps, largest;
} polar_state;

static const float IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static lim_result state_make(arena* a, const polar_record* r, polar_state* s) {
    *s = (polar_state){.V = ARENA_ARRAY(a, float, 9 * (int64_t)r->regions),
                       .R = ARENA_ARRAY(a, float, 9 * (int64_t)r->regions),
                       .times = ARENA_ARRAY(a, double, r->steps)};
    bool complete = s->V != NULL && s->R != NULL && s->times != NULL;
    for (int32_t k = 0; k < 4; ++k) {
        s->q[k] = ARENA_ARRAY(a, float, r->regions);
        complete = complete && s->q[k] != NULL;
    }
    if (!complete) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < r->regions; ++i) {
        memcpy(s->V + 9 * (size_t)i, IDENTITY, sizeof IDENTITY);
        memcpy(s->R + 9 * (size_t)i, IDENTITY, sizeof IDENTITY);
        s->q[3][i] = 1.0f;
    }
    return LIM_OK;
}

static int64_t jacobi_step(const polar_record* r, int32_t step, bool warm, polar_state* s) {
    int64_t sweeps = 0;
    for (int32_t i = 0; i < r->regions; ++i) {
        if (!warm) {
            memcpy(s->V + 9 * (size_t)i, IDENTITY, sizeof IDENTITY);
        }
        sweeps += polar_jacobi(record_at(r, step, i), s->V + 9 * (size_t)i, s->R + 9 * (size_t)i);
    }
    return sweeps;
}

/* Sine of the angle between a rotation matrix and a unit quaternion, which for small angles is the
 * angle: half the skew part of Q^T R. */
static double matrix_angle(const double q[4], const float R[9]) {
    double x = q[0], y = q[1], z = q[2], w = q[3], E[9];
    const double Q[9] = {
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z),       2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),       1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),       2.0 * (y * z + w * x),       1.0 - 2.0 * (x * x + y * y)};
    for (int32_t i = 0; i < 9; ++i) {
        E[i] = 0.0;
        for (int32_t k = 0; k < 3; ++k) {
            E[i] += Q[3 * k + i / 3] * (double)R[3 * k + i % 3];
        }
    }
    double a = E[7] - E[5], b = E[2] - E[6], c = E[3] - E[1];
    double trace = E[0] + E[4] + E[8];
    return atan2(sqrt(a * a + b * b + c * c), trace - 1.0);
}

static void check_step(const polar_record* r, int32_t step, polar_state s[POLAR_WAYS]) {
    for (int32_t i = 0; i < r->regions; ++i) {
        double A[9], exact[4], ours[4];
        for (int32_t k = 0; k < 9; ++k) {
            A[k] = (double)record_at(r, step, i)[k];
        }
        rotation_cold(A, exact);
        for (int32_t k = 0; k < 4; ++k) {
            ours[k] = (double)s[POLAR_OURS].q[k][i];
        }
        for (int32_t way = 0; way < POLAR_WAYS; ++way) {
            double angle = way == POLAR_OURS ? angle_between(exact, ours)
                                             : matrix_angle(exact, s[way].R + 9 * (size_t)i);
            s[way].largest = angle > s[way].largest ? angle : s[way].largest;
        }
    }
}

static double median(double* values, int32_t count, arena* scratch) {
    sort_item* items = ARENA_ARRAY(scratch, sort_item, count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, count);
    if (items == NULL || spare == NULL) {
        return -1.0;
    }
    for (int32_t i = 0; i < count; ++i) {
        items[i] = (sort_item){sort_key_double(values[i]), i, 0};
    }
    sort_items(items, spare, count);
    return values[items[count / 2].value];
}

static lim_result solve_steps(const polar_record* r, isa set, const lim_host* host,
                              polar_state s[POLAR_WAYS]) {
    for (int32_t step = 0; step < r->steps; ++step) {
        for (int32_t way = 0; way < POLAR_WAYS; ++way) {
            double begin = timer_now(host);
            int64_t sweeps = 2 * (int64_t)r->regions;
            if (way == POLAR_OURS) {
                polar_kernel_for(set)(record_at(r, step, 0), s[way].q, r->regions);
            } else {
                sweeps = jacobi_step(r, step, way == POLAR_WARM, &s[way]);
            }
            s[way].times[step] = timer_now(host) - begin;
            s[way].sweeps += step > 0 ? (double)sweeps : 0.0;
        }
        if (step > 0) {
            check_step(r, step, s);
        }
    }
    return LIM_OK;
}

lim_result polar_record_solve(const polar_record* r, isa set, const lim_host* host,
                              polar_result out[POLAR_WAYS]) {
    arena scratch;
    arena_init(&scratch, host);
    lim_host hooks = mem_host(host);
    polar_state s[POLAR_WAYS];
    lim_result result = r->steps < 2 ? LIM_ERROR_ARGUMENT : LIM_OK;
    for (int32_t way = 0; way < POLAR_WAYS && result == LIM_OK; ++way) {
        result = state_make(&scratch, r, &s[way]);
    }
    result = result == LIM_OK ? solve_steps(r, set, &hooks, s) : result;
    for (int32_t way = 0; way < POLAR_WAYS && result == LIM_OK; ++way) {
        double seconds = median(s[way].times + 1, r->steps - 1, &scratch);
        result = seconds < 0.0 ? LIM_ERROR_MEMORY : LIM_OK;
        out[way] = (polar_result){.sweeps = s[way].sweeps / ((double)(r->steps - 1) * r->regions),
                                  .ns = 1e9 * seconds / r->regions,
                                  .largest = s[way].largest};
    }
    arena_release(&scratch);
    return result;
}

/* SPDX-License-Identifier: MIT
 * Job: the printed step. In: positions and velocities. Out: the same one step later, and where the
 * time went. HF{v} (eq. 5) is a depth pass over the virtual nodes and a breadth pass over the
 * regions, for as many floats at once as the equation has. Sums are kept as arrays of structures,
 * so that a summation node is one or two cache lines.
 */
#include "bench/paper_mode.h"

#include "base/timer.h"
#include "bench/polar_jacobi.h"
#include "bench/symmetric.h"
#include "math/mat3.h"

#include <string.h>

enum { RECORD = 12 }; /* most floats of one HF */

struct paper_mode {
    arena mem;
    paper_mode_desc desc;
    net n;
    regions r;
    int32_t slots, count; /* padded nodes; regions */
    double added;
    int64_t sweeps, rotations;
    int32_t* seed; /* per region: its node */
    float *x, *v, *goal, *x0;
    float* mass;         /* per slot: m_i */
    float* fit_mass;     /* per slot: m~_i */
    float* inv_weight;   /* per slot: 1 / W_i, W_i = sum of m_r over the regions r that hold i */
    float* region_mass;  /* M_r = HF{m~} */
    float *c0, *c;       /* per region: HF{m~ x0} / M_r, HF{m~ x} / M_r */
    float* eigenvectors; /* 9 per region */
    float* transform;    /* 12 per region: R_r row major, t_r */
    float* fit;          /* 12 per region: sums */
    float* record;       /* RECORD per record of the network */
    paper_mode_times times;
};

/* The depth summation: virtual nodes from their children. `floats` is a constant where it is
 * called, so that the loops over it unroll. */
static inline void depth(const net* n, float* record, int floats) {
    int32_t first_region = n->first[n->layers - 1];
    for (int32_t i = n->first[1]; i < first_region; ++i) {
        float sum[RECORD] = {0};
        for (int32_t e = n->forward_offset[i]; e < n->forward_offset[i + 1]; ++e) {
            const float* input = record + (size_t)n->forward[e] * (size_t)floats;
            for (int k = 0; k < floats; ++k) {
                sum[k] += input[k];
            }
        }
        memcpy(record + (size_t)i * (size_t)floats, sum, (size_t)floats * sizeof(float));
    }
}

/* The breadth summation: regions from their summation nodes. */
static inline void breadth(const net* n, const float* record, float* out, int32_t count,
                           int floats) {
    int32_t first_region = n->first[n->layers - 1];
    for (int32_t r = 0; r < count; ++r) {
        float sum[RECORD] = {0};
        int32_t end = n->forward_offset[first_region + r + 1];
        for (int32_t e = n->forward_offset[first_region + r]; e < end; ++e) {
            const float* input = record + (size_t)n->forward[e] * (size_t)floats;
            for (int k = 0; k < floats; ++k) {
                sum[k] += input[k];
            }
        }
        memcpy(out + (size_t)r * (size_t)floats, sum, (size_t)floats * sizeof(float));
    }
}

/* The adjoint: from regions (in their records) to all that they are made of, down to the nodes. */
static inline void adjoint(const net* n, float* record, int floats) {
    for (int32_t i = n->first[n->layers - 1] - 1; i >= 0; --i) {
        float sum[RECORD] = {0};
        for (int32_t e = n->back_offset[i]; e < n->back_offset[i + 1]; ++e) {
            const float* input = record + (size_t)n->back[e] * (size_t)floats;
            for (int k = 0; k < floats; ++k) {
                sum[k] += input[k];
            }
        }
        memcpy(record + (size_t)i * (size_t)floats, sum, (size_t)floats * sizeof(float));
    }
}

/* eq. 6: c_r = HF{m x} / M_r */
static void centres(paper_mode* p) {
    for (int32_t i = 0; i < p->slots; ++i) {
        for (int k = 0; k < 3; ++k) {
            p->record[3 * i + k] = p->fit_mass[i] * p->x[3 * i + k];
        }
    }
    depth(&p->n, p->record, 3);
    breadth(&p->n, p->record, p->c, p->count, 3);
    for (int32_t r = 0; r < p->count; ++r) {
        for (int k = 0; k < 3; ++k) {
            p->c[3 * r + k] /= p->region_mass[r];
        }
    }
}

/* eq. 7: A_r = HF{m x x0^T} - M_r c_r c0_r^T, left in `fit` */
static void shapes(paper_mode* p) {
    for (int32_t i = 0; i < p->slots; ++i) {
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) {
                p->record[9 * i + 3 * row + column] =
                    p->fit_mass[i] * p->x[3 * i + row] * p->x0[3 * i + column];
            }
        }
    }
    depth(&p->n, p->record, 9);
    breadth(&p->n, p->record, p->fit, p->count, 9);
    for (int32_t r = 0; r < p->count; ++r) {
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) {
                p->fit[9 * r + 3 * row + column] -=
                    p->region_mass[r] * p->c[3 * r + row] * p->c0[3 * r + column];
            }
        }
    }
}

/* T_r = [R_r | c_r - R_r c0_r] */
static void rotations(paper_mode* p) {
    for (int32_t r = 0; r < p->count; ++r) {
        float* T = p->transform + 12 * (size_t)r;
        p->sweeps += polar_jacobi(p->fit + 9 * (size_t)r, p->eigenvectors + 9 * (size_t)r, T);
        const float* c0 = p->c0 + 3 * (size_t)r;
        for (int k = 0; k < 3; ++k) {
            T[9 + k] =
                p->c[3 * r + k] - (T[3 * k] * c0[0] + T[3 * k + 1] * c0[1] + T[3 * k + 2] * c0[2]);
        }
    }
    p->rotations += p->count;
}

/* Sums of m_r value_r over the regions that hold each node: HF again where regions are symmetric,
 * since then the nodes whose regions hold i are the members of i's own region; else the adjoint.
 * value: `floats` per region. The sums of a slot are at its region's place of `fit` (symmetric) or
 * at its own of `record`. */
static inline void sum_over_holders(paper_mode* p, const float* value, int floats) {
    int32_t first_region = p->n.first[p->n.layers - 1];
    for (int32_t r = 0; r < p->count; ++r) {
        int32_t at = p->desc.symmetric ? p->seed[r] : first_region + r;
        float* record = p->record + (size_t)at * (size_t)floats;
        const float* from = value + (size_t)r * (size_t)floats;
        for (int k = 0; k < floats; ++k) {
            record[k] = p->mass[p->seed[r]] * from[k];
        }
    }
    if (p->desc.symmetric) {
        depth(&p->n, p->record, floats);
        breadth(&p->n, p->record, p->fit, p->count, floats);
    } else {
        adjoint(&p->n, p->record, floats);
    }
}

static inline const float* held_sum(const paper_mode* p, int32_t region, int floats) {
    return p->desc.symmetric ? p->fit + (size_t)region * (size_t)floats
                             : p->record + (size_t)p->seed[region] * (size_t)floats;
}

/* eq. 8: g_i = HF{m_r T_r} x0_i / M_i */
static void goals(paper_mode* p) {
    sum_over_holders(p, p->transform, 12);
    for (int32_t r = 0; r < p->count; ++r) {
        int32_t i = p->seed[r];
        const float *T = held_sum(p, r, 12), *x0 = p->x0 + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            p->goal[3 * i + k] = p->inv_weight[i] * (T[3 * k] * x0[0] + T[3 * k + 1] * x0[1] +
                                                     T[3 * k + 2] * x0[2] + T[9 + k]);
        }
    }
}

/* Sums of {m v, m x cross v, m (|x|^2 1 - x x^T)}, left in `fit`. */
static void momenta(paper_mode* p) {
    for (int32_t i = 0; i < p->slots; ++i) {
        float m = p->fit_mass[i], *out = p->record + 12 * (size_t)i;
        const float *x = p->x + 3 * (size_t)i, *v = p->v + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            out[k] = m * v[k];
            out[3 + k] = m * (x[a] * v[b] - x[b] * v[a]);
            out[6 + k] = m * (x[a] * x[a] + x[b] * x[b]);
        }
        out[9] = -m * x[0] * x[1];
        out[10] = -m * x[0] * x[2];
        out[11] = -m * x[1] * x[2];
    }
    depth(&p->n, p->record, 12);
    breadth(&p->n, p->record, p->fit, p->count, 12);
}

/* Rivers and James 2007, eq. 9 to 14: the rigid motion of each region from its momenta, and the
 * mean of these over the regions of a node; velocities move toward it. */
static void damp(paper_mode* p) {
    momenta(p);
    float* motion = p->fit; /* 6 per region: w x (-c) + v_r, w; overwrites what was read */
    for (int32_t r = 0; r < p->count; ++r) {
        const float *s = p->fit + 12 * (size_t)r, *c = p->c + 3 * (size_t)r;
        float M = p->region_mass[r];
        lim_point centre = p3((double)c[0], (double)c[1], (double)c[2]);
        lim_point v = p3((double)(s[0] / M), (double)(s[1] / M), (double)(s[2] / M));
        lim_point L =
            p3_mad(p3((double)s[3], (double)s[4], (double)s[5]), p3_cross(centre, v), -(double)M);
        const double inertia[6] = {(double)(s[6] - M * (c[1] * c[1] + c[2] * c[2])),
                                   (double)(s[7] - M * (c[0] * c[0] + c[2] * c[2])),
                                   (double)(s[8] - M * (c[0] * c[0] + c[1] * c[1])),
                                   (double)(s[9] + M * c[0] * c[1]),
                                   (double)(s[10] + M * c[0] * c[2]),
                                   (double)(s[11] + M * c[1] * c[2])};
        lim_point w = sym3_solve(inertia, L, 1e-6);
        lim_vec3 at_origin = v3_of(p3_sub(v, p3_cross(w, centre))), spin = v3_of(w);
        float* out = motion + 6 * (size_t)r;
        out[0] = at_origin.x;
        out[1] = at_origin.y;
        out[2] = at_origin.z;
        out[3] = spin.x;
        out[4] = spin.y;
        out[5] = spin.z;
    }
    sum_over_holders(p, motion, 6);
    for (int32_t r = 0; r < p->count; ++r) {
        int32_t i = p->seed[r];
        const float *s = held_sum(p, r, 6), *x = p->x + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            float mean = p->inv_weight[i] * (s[k] + s[3 + a] * x[b] - s[3 + b] * x[a]);
            p->v[3 * i + k] += p->desc.damping * (mean - p->v[3 * i + k]);
        }
    }
}

static double match(paper_mode* p, double begin) {
    centres(p);
    shapes(p);
    double fitted = timer_now(&p->mem.host);
    rotations(p);
    double turned = timer_now(&p->mem.host);
    goals(p);
    p->times.sums += fitted - begin;
    p->times.rotations += turned - fitted;
    return turned;
}

/* eq. 2; pads stay where they are */
static void push(paper_mode* p, float h) {
    const float gravity[3] = {p->desc.gravity.x, p->desc.gravity.y, p->desc.gravity.z};
    for (int32_t r = 0; r < p->count; ++r) {
        size_t i = 3 * (size_t)p->seed[r];
        for (size_t k = 0; k < 3; ++k) {
            p->v[i + k] += p->desc.alpha * (p->goal[i + k] - p->x[i + k]) / h + h * gravity[k];
        }
    }
}

void paper_mode_step(paper_mode* p, float h) {
    double matched = match(p, timer_now(&p->mem.host));
    push(p, h);
    double pushed = timer_now(&p->mem.host);
    if (p->desc.damping > 0.0f) {
        damp(p);
    }
    double damped = timer_now(&p->mem.host);
    for (int32_t i = 0; i < 3 * p->slots; ++i) {
        p->x[i] += h * p->v[i];
    }
    p->times.sums += pushed - matched + timer_now(&p->mem.host) - damped;
    p->times.damping += damped - pushed;
}

const float* paper_mode_goals(paper_mode* p) {
    match(p, timer_now(&p->mem.host));
    return p->goal;
}

/* W_i, m~_i, M_r and c0_r, in double. */
static lim_result constants(paper_mode* p, arena* scratch) {
    const net* n = &p->n;
    int32_t first_region = n->first[n->layers - 1];
    double* weight = ARENA_ARRAY(scratch, double, n->record_count);
    double* sum = ARENA_ARRAY(scratch, double, 4 * (size_t)n->record_count); /* m~, m~ x0 */
    LIM_TRY_MEMORY(weight);
    LIM_TRY_MEMORY(sum);
    for (int32_t r = 0; r < p->count; ++r) {
        weight[first_region + r] = (double)p->mass[p->seed[r]];
    }
    for (int32_t i = first_region - 1; i >= 0; --i) {
        for (int32_t e = n->back_offset[i]; e < n->back_offset[i + 1]; ++e) {
            weight[i] += weight[n->back[e]];
        }
    }
    for (int32_t i = 0; i < p->slots; ++i) {
        bool real = p->mass[i] > 0.0f;
        p->inv_weight[i] = real ? (float)(1.0 / weight[i]) : 0.0f;
        p->fit_mass[i] =
            p->desc.literal || !real ? p->mass[i] : (float)((double)p->mass[i] / weight[i]);
        sum[4 * i] = (double)p->fit_mass[i];
        for (int k = 0; k < 3; ++k) {
            sum[4 * i + 1 + k] = sum[4 * i] * (double)p->x0[3 * i + k];
        }
    }
    for (int32_t i = n->first[1]; i < n->record_count; ++i) {
        for (int32_t e = n->forward_offset[i]; e < n->forward_offset[i + 1]; ++e) {
            for (int k = 0; k < 4; ++k) {
                sum[4 * i + k] += sum[4 * n->forward[e] + k];
            }
        }
    }
    for (int32_t r = 0; r < p->count; ++r) {
        const double* s = sum + 4 * (size_t)(first_region + r);
        p->region_mass[r] = (float)s[0];
        for (int k = 0; k < 3; ++k) {
            p->c0[3 * r + k] = (float)(s[1 + k] / s[0]);
        }
        for (int k = 0; k < 9; k += 4) {
            p->eigenvectors[9 * r + k] = 1.0f;
            p->transform[12 * r + k] = 1.0f;
        }
    }
    return LIM_OK;
}

static lim_result allocate(paper_mode* p, const region_nodes* nodes) {
    size_t slots = (size_t)p->slots, count = (size_t)p->count;
    struct {
        float** array;
        size_t floats;
    } arrays[] = {{&p->x, 3 * slots},
                  {&p->v, 3 * slots},
                  {&p->goal, 3 * slots},
                  {&p->x0, 3 * slots},
                  {&p->mass, slots},
                  {&p->fit_mass, slots},
                  {&p->inv_weight, slots},
                  {&p->region_mass, count},
                  {&p->c0, 3 * count},
                  {&p->c, 3 * count},
                  {&p->eigenvectors, 9 * count},
                  {&p->transform, 12 * count},
                  {&p->fit, 12 * count},
                  {&p->record, RECORD * (size_t)p->n.record_count}};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
        *arrays[k].array = ARENA_ARRAY(&p->mem, float, arrays[k].floats);
        LIM_TRY_MEMORY(*arrays[k].array);
    }
    p->seed = ARENA_ARRAY(&p->mem, int32_t, count);
    LIM_TRY_MEMORY(p->seed);
    for (int32_t i = 0; i < p->slots; ++i) {
        p->mass[i] = nodes->volume[i];
        for (int k = 0; k < 3; ++k) {
            p->x0[3 * i + k] = p->x[3 * i + k] = p->goal[3 * i + k] = nodes->x0[k][i];
        }
        if (p->r.seed_region[i] >= 0) {
            p->seed[p->r.seed_region[i]] = i;
        }
    }
    return LIM_OK;
}

static lim_result build(paper_mode* p, arena* scratch) {
    const paper_mode_desc* d = &p->desc;
    arena* lists = d->symmetric ? scratch : &p->mem;
    net n;
    LIM_TRY(regions_build_intervals(lists, &p->mem.host, d->nodes, d->g, d->tree, d->width,
                                    d->eps_num, d->eps_den, true, &n, &p->r));
    p->n = n;
    int64_t added = 0;
    if (d->symmetric) {
        LIM_TRY(regions_symmetrise(&p->mem, scratch, &n, &p->r, &p->n, &added));
        int32_t* kept = ARENA_ARRAY(&p->mem, int32_t, d->nodes->padded);
        LIM_TRY_MEMORY(kept);
        memcpy(kept, p->r.seed_region, (size_t)d->nodes->padded * sizeof(int32_t));
        p->r.seed_region = kept;
    }
    p->slots = d->nodes->padded;
    p->count = p->r.count;
    p->added = (double)added / (p->count > 0 ? p->count : 1);
    LIM_TRY(allocate(p, d->nodes));
    return constants(p, scratch);
}

lim_result paper_mode_create(const paper_mode_desc* desc, const lim_host* host,
                             paper_mode** out_mode) {
    arena mem, scratch;
    arena_init(&mem, host);
    arena_init(&scratch, host);
    paper_mode* p = ARENA_ARRAY(&mem, paper_mode, 1);
    lim_result result = LIM_ERROR_MEMORY;
    if (p != NULL) {
        p->mem = mem;
        p->desc = *desc;
        result = build(p, &scratch);
        mem = p->mem; /* what it has grown to */
    }
    arena_release(&scratch);
    if (result != LIM_OK) {
        arena_release(&mem);
        return result;
    }
    p->desc.nodes = NULL;
    p->desc.width = NULL;
    *out_mode = p;
    return LIM_OK;
}

void paper_mode_destroy(paper_mode* p) {
    if (p != NULL) {
        arena mem = p->mem; /* it lies in its own arena */
        arena_release(&mem);
    }
}

paper_mode_times paper_mode_get_times(const paper_mode* p) {
    return p->times;
}

paper_mode_info paper_mode_get_info(const paper_mode* p) {
    const net* n = &p->n;
    int32_t first_region = n->first[n->layers - 1];
    double lists = (double)(n->forward_offset[n->record_count] - n->forward_offset[first_region]);
    double count = p->count > 0 ? (double)p->count : 1.0;
    return (paper_mode_info){.nodes = p->count,
                             .regions = p->count,
                             .summation_nodes = lists / count,
                             .members = p->r.members + p->added,
                             .added = p->added,
                             .sweeps =
                                 p->rotations > 0 ? (double)p->sweeps / (double)p->rotations : 0.0};
}

float* paper_mode_positions(paper_mode* p) {
    return p->x;
}

float* paper_mode_velocities(paper_mode* p) {
    return p->v;
}

const net* paper_mode_net(const paper_mode* p) {
    return &p->n;
}

const int32_t* paper_mode_seed_regions(const paper_mode* p) {
    return p->r.seed_region;
}

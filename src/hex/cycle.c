/* SPDX-License-Identifier: MIT
 * Job: the linear solve. In: levels, rotations, masses, filters, a right side. Out: an answer, and
 * how good it is. Work is cut into fixed blocks of groups and of pairs of nodes, and sums go over
 * blocks in order: any number of workers gives the same bits.
 */
#include "hex/cycle.h"

#include "hex/direct.h"

#include <math.h>
#include <string.h>

enum { GROUP_BLOCK = 64, PAIR_BLOCK = 256 };

#define DECLARE(set, suffix) extern const hex_kernels hex_kernels_##suffix;
ISA_LIST(DECLARE)

const hex_kernels* hex_kernels_for(isa set) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        return &hex_kernels_##suffix;
        ISA_LIST(CASE)
    default:
        return &ISA_BASE(hex_kernels);
    }
}

static int32_t blocks_of(int32_t count, int32_t block) {
    return (count + block - 1) / block;
}

lim_result hex_solver_make(arena* a, hex_levels* levels, hex_solver* out) {
    size_t rows = 2 * (size_t)levels->level[0].pairs;
    *out = (hex_solver){.levels = levels, .kernels = hex_kernels_for(isa_best())};
    out->answer = ARENA_ARRAY(a, float, 4 * rows);
    out->search = ARENA_ARRAY(a, float, 4 * rows);
    out->q = ARENA_ARRAY(a, float, 4 * rows);
    out->sums = ARENA_ARRAY(a, double, blocks_of(levels->level[0].pairs, PAIR_BLOCK));
    LIM_TRY_MEMORY(out->answer);
    LIM_TRY_MEMORY(out->search);
    LIM_TRY_MEMORY(out->q);
    LIM_TRY_MEMORY(out->sums);
    return LIM_OK;
}

/* ---- passes over blocks -------------------------------------------------------------------------
 */

typedef enum pass_kind {
    PASS_APPLY,
    PASS_FORCE,
    PASS_FLOW,
    PASS_ROTATE,
    PASS_PIECES,
    PASS_DIAGONAL,
    PASS_SUMS,
    PASS_INVERT,
    PASS_PRODUCT,
    PASS_FIRST,
    PASS_SMOOTH,
    PASS_RESIDUAL,
    PASS_UP,
    PASS_DOWN,
    PASS_DOT,
    PASS_SCALE_ADD,
    PASS_ADD_SCALED
} pass_kind;

typedef struct pass {
    const hex_solver* s;
    hex_level *l, *fine;
    pass_kind kind;
    int32_t count, block, part;
    const float *x, *y;
    float* out;
    float c1, c2;
    const match_gains* gains;
} pass;

static void pass_elements(const pass* p, int32_t begin, int32_t end) {
    const hex_kernels* k = p->s->kernels;
    switch (p->kind) {
    case PASS_APPLY:
        k->apply(p->l, p->x, p->c1, begin, end);
        break;
    case PASS_FORCE:
        k->force(p->l, p->x, begin, end);
        break;
    case PASS_FLOW:
        k->flow(p->l, p->gains, p->x, begin, end);
        break;
    case PASS_ROTATE:
        k->rotate(p->l, p->x, begin, end);
        break;
    case PASS_PIECES:
        k->rotate_pieces(p->fine, p->l, begin, end);
        break;
    default:
        k->diagonal(p->l, p->part, begin, end);
        break;
    }
}

static void pass_nodes(const pass* p, int32_t index, int32_t begin, int32_t end) {
    const hex_kernels* k = p->s->kernels;
    switch (p->kind) {
    case PASS_SUMS:
        k->sums(p->l, p->out, p->part, begin, end);
        break;
    case PASS_INVERT:
        k->invert(p->l, p->c1, begin, end);
        break;
    case PASS_PRODUCT:
        p->s->sums[index] = k->product(p->l, p->x, p->out, begin, end);
        break;
    case PASS_FIRST:
        k->smooth_first(p->l, p->c1, begin, end);
        break;
    case PASS_SMOOTH:
        k->smooth(p->l, p->c1, p->c2, p->part != 0, begin, end);
        break;
    case PASS_RESIDUAL:
        k->residual(p->l, begin, end);
        break;
    case PASS_UP:
        k->weigh(&p->l->up, p->x, p->out, begin, end);
        break;
    case PASS_DOWN:
        k->weigh(&p->l->down, p->x, p->out, begin, end);
        break;
    case PASS_DOT:
        p->s->sums[index] = k->dot(p->x, p->y, begin, end);
        break;
    case PASS_SCALE_ADD:
        k->scale_add(p->x, p->c1, p->out, begin, end);
        break;
    default:
        k->add_scaled(p->x, p->c1, p->out, begin, end);
        break;
    }
}

static void pass_task(void* context, int32_t index) {
    const pass* p = context;
    int32_t begin = index * p->block;
    int32_t end = begin + p->block < p->count ? begin + p->block : p->count;
    if (p->kind <= PASS_DIAGONAL) {
        pass_elements(p, begin, end);
    } else {
        pass_nodes(p, index, begin, end);
    }
}

static void run(pass p) {
    workers_run(p.s->pool, blocks_of(p.count, p.block), pass_task, &p);
}

static pass over_groups(const hex_solver* s, hex_level* l, pass_kind kind) {
    return (pass){.s = s, .l = l, .kind = kind, .count = l->groups, .block = GROUP_BLOCK};
}

static pass over_pairs(const hex_solver* s, hex_level* l, pass_kind kind) {
    return (pass){.s = s, .l = l, .kind = kind, .count = l->pairs, .block = PAIR_BLOCK};
}

static double run_summed(pass p) {
    double sum = 0.0;
    run(p);
    for (int32_t i = 0; i < blocks_of(p.count, p.block); ++i) {
        sum += p.s->sums[i];
    }
    return sum;
}

/* out = elements' A x; left in `out` of the level, for its nodes to sum. */
static void run_apply(const hex_solver* s, hex_level* l, const float* x) {
    pass p = over_groups(s, l, PASS_APPLY);
    p.x = x;
    p.c1 = s->scale;
    run(p);
}

static void run_sums(const hex_solver* s, hex_level* l, float* to, int32_t stride) {
    pass p = over_pairs(s, l, PASS_SUMS);
    p.out = to;
    p.part = stride;
    run(p);
}

/* ---- what a substep prepares --------------------------------------------------------------------
 */

void hex_solver_turn(hex_solver* s, const float* d) {
    for (int32_t i = 0; i < s->levels->count; ++i) {
        hex_level* l = &s->levels->level[i];
        pass turn = over_groups(s, l, i == 0 ? PASS_ROTATE : PASS_PIECES);
        turn.x = d;
        turn.fine = i == 0 ? NULL : l - 1;
        run(turn);
        for (int32_t part = 0; part < 2 && i + 1 < s->levels->count; ++part) {
            pass diagonal = over_groups(s, l, PASS_DIAGONAL);
            diagonal.part = part;
            run(diagonal);
            run_sums(s, l, l->diagonal + 4 * part, 8);
        }
    }
}

void hex_solver_flow(hex_solver* s, const match_gains* gains, const float* d) {
    pass p = over_groups(s, &s->levels->level[0], PASS_FLOW);
    p.x = d;
    p.gains = gains;
    run(p);
}

void hex_solver_force(hex_solver* s, const float* d, float* out) {
    hex_level* l = &s->levels->level[0];
    pass p = over_groups(s, l, PASS_FORCE);
    p.x = d;
    run(p);
    run_sums(s, l, out, 4);
}

void hex_solver_stiffness(hex_solver* s, const float* x, float* out) {
    hex_level* l = &s->levels->level[0];
    run_apply(s, l, x);
    run_sums(s, l, out, 4);
}

void hex_filter(const hex_level* l, float* r) {
    for (int32_t i = 0; i < l->limited_count; ++i) {
        const float* f = l->filter + 6 * (size_t)i;
        float *at = r + 4 * (size_t)l->limited[i], x = at[0], y = at[1], z = at[2];
        at[0] = f[0] * x + f[3] * y + f[4] * z;
        at[1] = f[3] * x + f[1] * y + f[5] * z;
        at[2] = f[4] * x + f[5] * y + f[2] * z;
    }
}

/* A coarse node takes the filter of the fine node at its place. Where none is: that of the heaviest
 * limited one, when limited ones have half of its weight. */
static int32_t filter_below(const hex_level* fine, int32_t node) {
    const hex_rows* down = &fine->down;
    float all = 0.0f, limited = 0.0f, heaviest = 0.0f;
    int32_t best = -1;
    for (int32_t i = down->first[node]; i < down->first[node + 1]; ++i) {
        int32_t of = fine->filter_of[down->node[i]];
        float w = down->weight[i];
        if (w == 1.0f) {
            return of;
        }
        all += w;
        limited += of >= 0 ? w : 0.0f;
        if (of >= 0 && w > heaviest) {
            heaviest = w;
            best = of;
        }
    }
    return limited >= 0.5f * all ? best : -1;
}

static void coarse_filters(const hex_level* fine, hex_level* l) {
    for (int32_t i = 0; i < l->limited_count; ++i) {
        l->filter_of[l->limited[i]] = -1;
    }
    l->limited_count = 0;
    for (int32_t n = 0; n < l->nodes && fine->limited_count > 0; ++n) {
        int32_t from = filter_below(fine, n);
        if (from >= 0) {
            memcpy(l->filter + 6 * (size_t)l->limited_count, fine->filter + 6 * (size_t)from,
                   6 * sizeof(float));
            l->filter_of[n] = l->limited_count;
            l->limited[l->limited_count++] = n;
        }
    }
}

/* D^-1 of limited nodes is S D^-1 S with D = S (m + ...) S on what S leaves: by the inverse of
 * S D S + t (1 - S), t its trace, filtered. */
static void filter_inverse(hex_level* l, float scale, int32_t i) {
    static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2}, six[6] = {0, 4, 8, 1, 2, 5};
    size_t n = (size_t)l->limited[i];
    const float *f = l->filter + 6 * (size_t)i, *g = l->diagonal + 8 * n;
    const float m = l->mass[4 * n], d[6] = {m + scale * g[0], m + scale * g[1], m + scale * g[2],
                                            scale * g[4],     scale * g[5],     scale * g[6]};
    double half[9], a[9], b[6], trace = (double)d[0] + (double)d[1] + (double)d[2];
    for (int pass_number = 0; pass_number < 2; ++pass_number) {
        for (int k = 0; k < 9; ++k) {
            double sum = 0.0;
            for (int j = 0; j < 3; ++j) {
                double s = (double)f[place[pass_number == 0 ? 3 * (k / 3) + j : 3 * j + k % 3]];
                sum += pass_number == 0 ? s * (double)d[place[3 * j + k % 3]]
                                        : half[3 * (k / 3) + j] * s;
            }
            *(pass_number == 0 ? &half[k] : &a[k]) = sum;
        }
    }
    for (int k = 0; k < 6; ++k) {
        double out = (k < 3 ? 1.0 : 0.0) - (double)f[k];
        b[k] = a[six[k]] / trace + out;
    }
    double xx = b[1] * b[2] - b[5] * b[5], xy = b[4] * b[5] - b[3] * b[2];
    double xz = b[3] * b[5] - b[4] * b[1], det = b[0] * xx + b[3] * xy + b[4] * xz;
    double yy = b[0] * b[2] - b[4] * b[4], yz = b[3] * b[4] - b[0] * b[5];
    double zz = b[0] * b[1] - b[3] * b[3], q = det > 0.0 ? 1.0 / (det * trace) : 0.0;
    const double inverse[6] = {xx, yy, zz, xy, xz, yz};
    for (int k = 0; k < 9; ++k) { /* the directions taken out have 1 / trace */
        double out = (k % 4 == 0 ? 1.0 : 0.0) - (double)f[place[k]];
        double entry = q * inverse[place[k]] - out / trace;
        l->inverse[24 * (n / 2) + 8 * (size_t)(k / 3) + 4 * (n % 2) + (size_t)(k % 3)] =
            (float)entry;
    }
}

void hex_solver_ready(hex_solver* s) {
    for (int32_t i = 0; i < s->levels->count; ++i) {
        hex_level* l = &s->levels->level[i];
        if (i > 0) {
            pass mass = over_pairs(s, l - 1, PASS_DOWN);
            mass.count = l->nodes;
            mass.x = (l - 1)->mass;
            mass.out = l->mass;
            run(mass);
            coarse_filters(l - 1, l);
        }
        if (i + 1 == s->levels->count) {
            hex_direct_factor(l, s->kernels, s->scale);
            return;
        }
        pass invert = over_pairs(s, l, PASS_INVERT);
        invert.c1 = s->scale;
        run(invert);
        for (int32_t k = 0; k < l->limited_count; ++k) {
            filter_inverse(l, s->scale, k);
        }
    }
}

/* ---- one cycle ----------------------------------------------------------------------------------
 * Chebyshev polynomials on [CHEBYSHEV_LOW, 1].
 */

#define CHEBYSHEV_LOW    0.1f
#define CHEBYSHEV_MIDDLE (0.5f * (1.0f + CHEBYSHEV_LOW))
#define CHEBYSHEV_HALF   (0.5f * (1.0f - CHEBYSHEV_LOW))
#define CHEBYSHEV_SIGMA  (CHEBYSHEV_MIDDLE / CHEBYSHEV_HALF)
/* rho_0 = 1 / sigma, rho_1 = 1 / (2 sigma - rho_0) */
#define CHEBYSHEV_NEXT (1.0f / (2.0f * CHEBYSHEV_SIGMA - 1.0f / CHEBYSHEV_SIGMA))

static void smooth_again(const hex_solver* s, hex_level* l, float c1, float c2, bool add) {
    run_apply(s, l, l->p);
    pass p = over_pairs(s, l, PASS_SMOOTH);
    p.c1 = c1;
    p.c2 = c2;
    p.part = add;
    run(p);
}

static void smooth_second(const hex_solver* s, hex_level* l) {
    smooth_again(s, l, CHEBYSHEV_NEXT / CHEBYSHEV_SIGMA, 2.0f * CHEBYSHEV_NEXT / CHEBYSHEV_HALF,
                 false);
}

/* The correction of the coarser levels, as p of this one. */
static void coarse_correction(const hex_solver* s, int32_t level);

/* x, from nothing, for b. */
static void cycle(const hex_solver* s, int32_t level) {
    hex_level* l = &s->levels->level[level];
    if (level + 1 == s->levels->count) {
        hex_direct_solve(l, s->kernels, l->b, l->x);
        return;
    }
    pass first = over_pairs(s, l, PASS_FIRST);
    first.c1 = 1.0f / CHEBYSHEV_MIDDLE;
    run(first);
    smooth_second(s, l);
    coarse_correction(s, level);
    smooth_again(s, l, 0.0f, 1.0f / CHEBYSHEV_MIDDLE, true);
    smooth_second(s, l);
}

static void coarse_correction(const hex_solver* s, int32_t level) {
    hex_level *l = &s->levels->level[level], *coarse = l + 1;
    run_apply(s, l, l->p);
    run(over_pairs(s, l, PASS_RESIDUAL));
    hex_filter(l, l->r);
    pass down = over_pairs(s, l, PASS_DOWN);
    down.count = coarse->nodes;
    down.x = l->r;
    down.out = coarse->b;
    run(down);
    hex_filter(coarse, coarse->b);
    cycle(s, level + 1);
    pass up = over_pairs(s, l, PASS_UP);
    up.count = l->nodes;
    up.x = coarse->x;
    up.out = l->p;
    run(up);
    hex_filter(l, l->p);
}

/* ---- conjugate gradients ------------------------------------------------------------------------
 */

static double dot(const hex_solver* s, const float* x, const float* y) {
    pass p = over_pairs(s, &s->levels->level[0], PASS_DOT);
    p.x = x;
    p.y = y;
    return run_summed(p);
}

static void add(const hex_solver* s, pass_kind kind, const float* x, double c, float* to) {
    pass p = over_pairs(s, &s->levels->level[0], kind);
    p.x = x;
    p.c1 = (float)c;
    p.out = to;
    run(p);
}

/* q = A x, filtered; returns x.q */
static double multiply(const hex_solver* s, const float* x) {
    hex_level* l = &s->levels->level[0];
    run_apply(s, l, x);
    pass p = over_pairs(s, l, PASS_PRODUCT);
    p.x = x;
    p.out = s->q;
    double product = run_summed(p);
    hex_filter(l, s->q);
    return product;
}

hex_solve_report hex_solver_solve(hex_solver* s, double tolerance, int32_t most) {
    hex_level* l = &s->levels->level[0];
    hex_solve_report report = {0};
    hex_filter(l, l->b);
    double whole = dot(s, l->b, l->b), enough = tolerance * tolerance * whole, before = 1.0;
    multiply(s, s->answer);
    add(s, PASS_ADD_SCALED, s->q, -1.0, l->b);
    double left = dot(s, l->b, l->b);
    while (left > enough && report.iterations < most) {
        cycle(s, 0);
        double now = dot(s, l->b, l->x);
        add(s, PASS_SCALE_ADD, l->x, report.iterations == 0 ? 0.0 : now / before, s->search);
        double step = now / multiply(s, s->search);
        if (!(now > 0.0 && isfinite(step))) {
            break;
        }
        before = now;
        add(s, PASS_ADD_SCALED, s->search, step, s->answer);
        add(s, PASS_ADD_SCALED, s->q, -step, l->b);
        left = dot(s, l->b, l->b);
        report.iterations++;
    }
    report.residual = whole > 0.0 ? sqrt(left / whole) : 0.0;
    report.converged = left <= enough;
    return report;
}

/* SPDX-License-Identifier: MIT
 * The slow oracle of edit/carry_skin.h: how near to where it was any places of the nodes could
 * bring a skin. A bound point p moves by sum_k w_pk x_k when nodes move by x_k, and their affine
 * parts stay, which are rotations of regions. For any weights u_p that add up to 1
 *   min_x (sum_p u_p |r_p - sum_k w_pk x_k|^2)^(1/2) <= min_x max_p |r_p - sum_k w_pk x_k|,
 * and weights that grow where much is left come near to equality (Lawson 1961). Least squares by
 * conjugate gradients.
 */
#ifndef LIMBER_SKIN_FIT_H
#define LIMBER_SKIN_FIT_H

#include "edit/carry_kit.h"

enum { FIT_ROUNDS = 40, FIT_SWEEPS = 300 };

typedef struct skin_fit {
    const topology* t;
    int32_t points, slots;
    lim_point *wanted, *left;             /* per point: to where it was, and what is left of that */
    double* weight;                       /* per point, adding up to 1 */
    lim_point *move, *down, *way, *image; /* per slot: x, minus the gradient, and of the descent */
    double* square;                       /* per slot: sum u w^2 */
} skin_fit;

static inline lim_point fit_point(const skin_fit* f, int32_t p, const lim_point* by_slot) {
    const binding* b = f->t->bind.bind + p;
    lim_point sum = p3(0, 0, 0);
    for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
        sum = p3_mad(sum, by_slot[b->node[k]], (double)b->weight[k]);
    }
    return sum;
}

/* out += the transpose of that, weighted, of one point's value. */
static inline void fit_spread(const skin_fit* f, int32_t p, lim_point value, lim_point* out) {
    const binding* b = f->t->bind.bind + p;
    for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
        double w = f->weight[p] * (double)b->weight[k];
        out[b->node[k]] = p3_mad(out[b->node[k]], value, w);
    }
}

static inline lim_point fit_scaled(const skin_fit* f, int32_t slot) {
    return p3_scale(f->down[slot], f->square[slot] > 0.0 ? 1.0 / f->square[slot] : 0.0);
}

/* The weighted least squares of what is left, from the moves as they are. */
static inline double fit_solve(skin_fit* f) {
    size_t bytes = (size_t)f->slots * sizeof(lim_point);
    memset(f->down, 0, bytes);
    memset(f->square, 0, (size_t)f->slots * sizeof(double));
    for (int32_t p = 0; p < f->points; ++p) {
        const binding* b = f->t->bind.bind + p;
        fit_spread(f, p, p3_sub(f->wanted[p], fit_point(f, p, f->move)), f->down);
        for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
            f->square[b->node[k]] += f->weight[p] * (double)b->weight[k] * (double)b->weight[k];
        }
    }
    double size = 0.0, first = 0.0;
    for (int32_t i = 0; i < f->slots; ++i) {
        f->way[i] = fit_scaled(f, i);
        size += p3_dot(f->down[i], f->way[i]);
    }
    first = size;
    for (int sweep = 0; sweep < FIT_SWEEPS && size > 1e-16 * first; ++sweep) {
        double along = 0.0, before = size;
        memset(f->image, 0, bytes);
        for (int32_t p = 0; p < f->points; ++p) {
            fit_spread(f, p, fit_point(f, p, f->way), f->image);
        }
        for (int32_t i = 0; i < f->slots; ++i) {
            along += p3_dot(f->way[i], f->image[i]);
        }
        size = 0.0;
        for (int32_t i = 0; i < f->slots; ++i) {
            f->move[i] = p3_mad(f->move[i], f->way[i], before / along);
            f->down[i] = p3_mad(f->down[i], f->image[i], -before / along);
            size += p3_dot(f->down[i], fit_scaled(f, i));
        }
        for (int32_t i = 0; i < f->slots; ++i) {
            f->way[i] = p3_mad(fit_scaled(f, i), f->way[i], size / before);
        }
    }
    double sum = 0.0;
    for (int32_t p = 0; p < f->points; ++p) {
        f->left[p] = p3_sub(f->wanted[p], fit_point(f, p, f->move));
        sum += f->weight[p] * p3_dot(f->left[p], f->left[p]);
    }
    return sqrt(sum);
}

/* A distance that some vertex of the skin keeps from where it was, wherever the nodes are. */
static inline double skin_least_moved(body* b, const skin_copy* was) {
    skin_copy now = skin_of(b);
    const topology* t = b->topology;
    skin_fit f = {.t = t, .points = t->point_count - 1, .slots = t->slot_count};
    f.wanted = calloc((size_t)f.points, sizeof(lim_point));
    f.left = calloc((size_t)f.points, sizeof(lim_point));
    f.weight = calloc((size_t)f.points, sizeof(double));
    f.move = calloc((size_t)f.slots, sizeof(lim_point));
    f.down = calloc((size_t)f.slots, sizeof(lim_point));
    f.way = calloc((size_t)f.slots, sizeof(lim_point));
    f.image = calloc((size_t)f.slots, sizeof(lim_point));
    f.square = calloc((size_t)f.slots, sizeof(double));
    for (int32_t i = 0; i < now.count; ++i) {
        f.wanted[t->vertex_point[i]] = p3_sub(was->at[i], now.at[i]);
    }
    for (int32_t p = 0; p < f.points; ++p) {
        f.weight[p] = 1.0 / f.points;
    }
    double least = 0.0;
    for (int round = 0; round < FIT_ROUNDS; ++round) {
        least = fmax(least, fit_solve(&f));
        double sum = 0.0;
        for (int32_t p = 0; p < f.points; ++p) {
            f.weight[p] *= p3_length(f.left[p]);
            sum += f.weight[p];
        }
        for (int32_t p = 0; p < f.points && sum > 0.0; ++p) {
            f.weight[p] /= sum;
        }
    }
    void* const mine[] = {f.wanted, f.left, f.weight, f.move, f.down, f.way, f.image, f.square};
    for (size_t k = 0; k < sizeof mine / sizeof mine[0]; ++k) {
        free(mine[k]);
    }
    free(now.at);
    return least;
}

#endif

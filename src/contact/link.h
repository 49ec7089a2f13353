/* SPDX-License-Identifier: MIT
 * Links: nodes of one body (A) that keep their places in the material of another (B). The place of
 * node i of A is carried by up to eight nodes of B,
 *     p_i = sum_k w_k x_k + arm,  sum_k w_k = 1,
 * with weights that give back any affine motion of the carriers (moving least squares: w_k = g_k (1
 * + (x_k - c) . S^-1 (x_i - c)) over distance weights g_k with mean c and second moment S), so that
 * the place turns and stretches with B, and what a link puts on both bodies has no moment. Where
 * the carriers lie in a plane or a line, S has no inverse across it: what is left is the arm, which
 * turns with the material about them and puts no moment on B.
 *
 * With the gap g = x_i - p_i and u = dg/dt a tie is a spring and a damper, implicit in the velocity
 * u' and the gap g + h u' at the end of the substep: the impulse on A is
 *     l = -h (k (g + h u') + c u'),  that is  u' + l / (h (c + h k)) + g k / (c + h k) = 0.
 * A hard tie has u' = 0, and its gap is closed by moves after the substep (link_settle). Passes
 * solve tie by tie for the sum of impulses; each lowers the energy, so that no stiffness and no
 * step can make them grow.
 */
#ifndef LIMBER_LINK_H
#define LIMBER_LINK_H

#include "contact/pair.h"

enum { LINK_CARRIERS = 8 };

typedef struct link_tie {
    /* state */
    int32_t node;                   /* of A */
    int32_t carrier[LINK_CARRIERS]; /* of B, all of one component */
    float weight[LINK_CARRIERS];    /* sum 1, may be below 0; 0: no more carriers */
    lim_vec3 arm;                   /* metres, in the axes of the material at rest */
    lim_vec3 force;                 /* on A, newton, of the last substep: the next begins with it */
    /* of the present step, world axes */
    lim_vec3 base; /* T_a d_i - T_b sum_k w_k d_k - g at the step's begin, metres */
    lim_vec3 rate; /* of the gap by the turning arm, m/s */
    float give;    /* metres per second per newton second, both sides */
    float push_a, push_b[LINK_CARRIERS]; /* what each node takes of an impulse in its frame */
    float share;                         /* of the link's stiffness and damping */
    /* of the present substep: u' + soft l + close = 0 */
    float soft;            /* 1 / (h (c + h k)); 0 of a hard tie */
    lim_vec3 close;        /* g k / (c + h k) of the gap as it begins, m/s */
    lim_vec3 impulse, sum; /* newton second on A, of the substep and of the step */
} link_tie;

/* Of a whole link. */
typedef struct link_law {
    double stiffness; /* newton per metre; 0: hard */
    double damping;   /* newton second per metre */
} link_law;

/* The weights of carriers at from[], seen from the place that they carry; at first weight[] holds
 * the g_k, in any unit. Returns what they leave of the place: the arm. */
lim_point link_weights(const lim_point* from, int32_t count, double* weight);

/* Give of a tie and the base of its gap, from the gap at the step's begin. */
void link_begin(link_tie* t, const pair_side* a, const pair_side* b, lim_vec3 gap);
/* One pass over the ties of a link. `time`: since the step's begin; h: the substep; the first pass
 * of a substep begins with the forces of the last. True when a velocity changed by more than some
 * ten thousandths of a cell per substep: not done yet. */
bool link_solve(link_tie* begin, link_tie* end, pair_side* a, pair_side* b, const link_law* law,
                bool first, double time, double h);
/* One pass over hard ties that closes gaps by moving nodes, as contacts are cleared: speed would
 * come of it where something else, a contact, has moved them, and the more the shorter the substep
 * is. `time`: of the positions. True when anything was moved. */
bool link_settle(link_tie* begin, link_tie* end, pair_side* a, pair_side* b, const link_law* law,
                 double time, double h);
/* After the passes of a substep: adds up impulses and keeps the force. */
void link_sum(link_tie* begin, link_tie* end, double h);

#endif

/* SPDX-License-Identifier: MIT
 * Limits in the solve: what nodes may not do. A limit that touches takes its direction out of the
 * solve and prescribes the speed there; what the solve then leaves on the node is its multiplier.
 * Those that pull let go, those that would be passed touch, and the solve is repeated until nothing
 * changes (an active set).
 *
 * Friction acts along the surface with the impulse s (T - rho v), T the last one, v the speed along
 * the surface, rho some masses of what touches, s = min(1, mu lambda / |T - rho v|) from the last
 * round, lambda the multiplier. It sticks when s = 1 and slips else, in one formula; s rho only
 * adds to the mass of the node.
 */
#ifndef LIMBER_LIMITS_H
#define LIMBER_LIMITS_H

#include "hex/cycle.h"

typedef struct hex_limit {
    int32_t node;      /* limits are in the order of their nodes */
    bool held;         /* the node goes the way of `velocity`, whatever pulls */
    float normal[3];   /* unit, away from what must not be entered */
    float gap;         /* along the normal at the substep's begin, m */
    float velocity[3]; /* of what is met, m/s */
    float friction;
    /* kept from substep to substep: whether it touches, and the forces on the node, N */
    bool touches;
    float press;   /* along the normal, >= 0 */
    float drag[3]; /* along the surface; of a held node all of it */
} hex_limit;

/* What a substep knows of each. */
typedef struct hex_limit_work {
    float least;          /* normal velocity that is prescribed */
    float hold[3];        /* velocity of a held node */
    float share;          /* mass of the connected part over the nodes of it that touch */
    float slip;           /* s */
    float sticky;         /* rho */
    float press, drag[3]; /* impulses */
} hex_limit_work;

typedef struct hex_limit_set {
    hex_limit* limit;
    hex_limit_work* work;
    int32_t count;
    float step;        /* an impulse is force times this: s of the substep, of BDF2 two thirds */
    float close;       /* m/s: a limit that is passed by less does not touch */
    const float* mass; /* per node, with what springs add */
} hex_limit_set;

/* Impulses from forces, rho from shares, s from the velocities v (rows). */
void hex_limits_begin(hex_limit_set* s, const float* v);

/* The filters of the finest level, the masses with what friction adds, and the velocity changes
 * `given` (rows) that touching limits prescribe. */
void hex_limits_filter(const hex_limit_set* s, hex_level* l, const float* v, float* given);

/* Adds to b what friction does at velocities v + given. */
void hex_limits_push(const hex_limit_set* s, const float* v, const float* given, float* b);

/* From the velocity changes dv and what is left on the nodes, `rest` = m dv + s K dv - impulses
 * without limits: multipliers, who lets go, who begins to touch. Returns whether any did;
 * out_lag: by how much friction was off, as a share of what it can be. */
bool hex_limits_update(hex_limit_set* s, const float* v, const float* dv, const float* rest,
                       float* out_lag);

/* Forces, at the velocities that the substep ends with. */
void hex_limits_end(hex_limit_set* s, const float* v);

#endif

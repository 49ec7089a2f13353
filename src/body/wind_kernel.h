/* SPDX-License-Identifier: MIT
 * The push of the wind on nodes, compiled per instruction set (body/wind_kernel.c). Equations in
 * body/wind.c.
 */
#ifndef LIMBER_WIND_KERNEL_H
#define LIMBER_WIND_KERNEL_H

#include "base/isa.h"
#include "node/node.h"

enum { WIND_WAVES = 3, WIND_SAIL = 6 };

/* The wind as the nodes of one component feel it: its frame, unit lengths. */
typedef struct wind_air {
    float velocity[3];
    bool gusts;
    float phase[WIND_WAVES];   /* of each wave at the frame's origin, radians */
    float wave[WIND_WAVES][3]; /* slope of the phase */
    float share[WIND_WAVES];   /* of the wave in the strength */
    float strength;            /* a change of velocity is strength |u| A u */
} wind_air;

typedef struct wind_nodes {
    const node_state* nodes;
    const float* sail[WIND_SAIL]; /* A at rest, per slot: xx yy zz xy xz yz */
    float* push[3];               /* out: change of velocity over the step, per slot */
} wind_nodes;

typedef struct wind_kernels {
    /* Slots [begin, end), multiples of 8, of one component. turn: 16 floats for each of these
     * slots, of which the first 9 are L - 1 (node_state.affine). */
    void (*blow)(const wind_nodes* w, const wind_air* air, const float* turn, int32_t begin,
                 int32_t end);
} wind_kernels;

const wind_kernels* wind_kernels_for(isa set);

#endif

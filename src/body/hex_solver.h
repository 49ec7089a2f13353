/* SPDX-License-Identifier: MIT
 * Implicit elastic cubes as a solver (body/solver.h).
 */
#ifndef LIMBER_HEX_SOLVER_H
#define LIMBER_HEX_SOLVER_H

#include "body/solver.h"

/* Poisson's ratio of a material: its own, or what its share of volume stands for. */
static inline double body_poisson(const lim_material* m) {
    return m->nu > 0.0f ? (double)m->nu : 0.494 * (double)m->volume;
}

#endif

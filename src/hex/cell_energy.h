/* SPDX-License-Identifier: MIT
 * The energy that is stored in the cells.
 */
#ifndef LIMBER_CELL_ENERGY_H
#define LIMBER_CELL_ENERGY_H

#include "hex/hex_levels.h"

/* At displacements d (rows), in the rotations and with the plastic strain that the finest level
 * has: joule. */
double hex_cell_energy(const hex_levels* h, const float* d);

#endif

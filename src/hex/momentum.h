/* SPDX-License-Identifier: MIT
 * The momentum of connected parts, in double.
 */
#ifndef LIMBER_MOMENTUM_H
#define LIMBER_MOMENTUM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hex_momentum {
    double mass, centre[3], velocity[3]; /* of the centre of mass */
    double angular[3];                   /* about it */
    double inertia[6];                   /* xx yy zz xy xz yz */
} hex_momentum;

/* Of nodes [begin, end) at rest + d. */
hex_momentum hex_momentum_of(const float* const rest[3], const float* mass, float* const d[3],
                             float* const v[3], int32_t begin, int32_t end);

/* The rigid motion that takes one to the velocity and angular momentum of `to`: velocity of the
 * centre, and spin. The spin is 0 where the part has no inertia to speak of, or would turn it by
 * more than half a radian in dt. */
void hex_momentum_change(const hex_momentum* from, const hex_momentum* to, double dt,
                         double out_velocity[3], double out_spin[3]);

#endif

/* SPDX-License-Identifier: MIT
 * Zones: parts of space with factors of stiffness and density (lim_zone).
 */
#ifndef LIMBER_ZONES_H
#define LIMBER_ZONES_H

#include "math/quat.h"

#include <limber/model.h>

typedef enum zone_factor { ZONE_STIFFNESS = 0, ZONE_DENSITY } zone_factor;

/* Whether any zone has a factor other than 1. */
bool zones_say(const lim_zone* zones, int32_t count, zone_factor which);
/* `base` times the factors of the zones at a place (metres, the frame of lim_model_info.bounds),
 * within 1e-6 to 1e6. */
float zones_apply(const lim_zone* zones, int32_t count, zone_factor which, lim_point at,
                  float base);

#endif

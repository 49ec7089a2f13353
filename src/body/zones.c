/* SPDX-License-Identifier: MIT
 * Job: factors of the material from parts of space. In: zones and a place. Out: the product over
 * the zones of f s + (1 - s), where s is 1 inside the shape and falls with the distance d outside
 * of it as a smooth step, s = t^2 (3 - 2 t) with t = 1 - d / fade. At s = 1 that is exactly f, at s
 * = 0 exactly 1.
 */
#include "body/zones.h"

#include "contact/contact.h"

static double factor_of(const lim_zone* z, zone_factor which) {
    return (double)(which == ZONE_STIFFNESS ? z->stiffness : z->density);
}

bool zones_say(const lim_zone* zones, int32_t count, zone_factor which) {
    for (int32_t i = 0; i < count; ++i) {
        double f = factor_of(&zones[i], which);
        if (f < 1.0 || f > 1.0) {
            return true;
        }
    }
    return false;
}

static double share_at(const lim_zone* z, lim_point at) {
    collider shape = {.shape = z->shape,
                      .size = z->size,
                      .position = z->position,
                      .orientation = dquat_of(z->orientation)};
    double gap = collider_gap(&shape, at), fade = (double)z->fade;
    if (gap <= 0.0) {
        return 1.0;
    }
    double t = gap < fade ? 1.0 - gap / fade : 0.0;
    return t * t * (3.0 - 2.0 * t);
}

float zones_apply(const lim_zone* zones, int32_t count, zone_factor which, lim_point at,
                  float base) {
    double product = (double)base;
    for (int32_t i = 0; i < count; ++i) {
        double s = share_at(&zones[i], at);
        product *= factor_of(&zones[i], which) * s + (1.0 - s);
    }
    product = product < 1e-6 ? 1e-6 : product > 1e6 ? 1e6 : product;
    return (float)product;
}

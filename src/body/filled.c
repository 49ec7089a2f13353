/* SPDX-License-Identifier: MIT
 * Job: compare the volume that a surface encloses at rest with that of the nodes. In: a topology.
 * Out: whether they are about the same. That of a shell, of a surface inside out, of parts within
 * parts, or of a sliver that was cut off is not.
 */
#include "body/filled.h"

/* By the divergence theorem, in unit space about the centre of mass. */
static double rest_volume(const topology* t) {
    double sum = 0.0;
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        lim_point p[3];
        for (int k = 0; k < 3; ++k) {
            int32_t point = t->vertex_point[t->indices[3 * (size_t)i + (size_t)k]];
            p[k] = p3((double)t->bind.rest[0][point], (double)t->bind.rest[1][point],
                      (double)t->bind.rest[2][point]);
        }
        sum += p3_dot(p[0], p3_cross(p[1], p[2]));
    }
    return sum / 6.0;
}

bool topology_is_filled(const topology* t) {
    double volume = rest_volume(t);
    return volume > 0.5 * t->volume_sum && volume < 2.0 * t->volume_sum;
}

/* SPDX-License-Identifier: MIT
 * How a body is deformed, whatever way it lies: the displacement of its nodes from their rest shape
 * laid over it as well as a rigid motion can (shape matching of the whole body, by mass),
 *     u_i = sqrt(m_i / M) (R^T (x_i - c) - (x0_i - c0)).
 * |u| is then the rms displacement by mass, in the unit of x0, for any number of nodes.
 */
#ifndef LIMBER_DISPLACEMENT_H
#define LIMBER_DISPLACEMENT_H

#include "math/vec3.h"

typedef struct displaced_nodes {
    int32_t count;
    const float* x0[3]; /* at rest */
    const float* d[3];  /* x - x0, in any axes that turn with the body or do not */
    const float* share; /* sqrt(m / M), from displacement_shares */
} displaced_nodes;

/* Floats of u: x, y and z of all nodes, each padded to a multiple of 8 with zeros. */
static inline int32_t displacement_width(int32_t count) {
    return 3 * ((count + 7) / 8 * 8);
}
/* Nodes without mass have no share; all are 0 when no node has any. */
void displacement_shares(const float* mass, int32_t count, float* out_share);
/* Fills u and returns |u|. A displacement that is no more than the rounding of floats of the body's
 * size is none: u = 0. */
float displacement_of(const displaced_nodes* n, float* u);

#endif

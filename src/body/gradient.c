/* SPDX-License-Identifier: MIT
 * Job: how the material about a node is turned and stretched. In: a body. Out: the gradient 1 + B
 * of a node's affine part; of a lattice node, which has none, the differences to its neighbours
 * along the axes over their distance, one-sided at a border (each node is the corner of a cell, so
 * that there is one along every axis).
 */
#include "body/body.h"

/* -1, 0 or 1 when the slots are neighbours along this axis and no other, else 0. */
static int32_t step_along(const topology* t, int32_t from, int32_t to, int axis) {
    octant a = octant_of(t->key[from]), b = octant_of(t->key[to]);
    const int32_t step[3] = {b.x - a.x, b.y - a.y, b.z - a.z};
    bool alone = step[(axis + 1) % 3] == 0 && step[(axis + 2) % 3] == 0;
    bool near = step[axis] >= -1 && step[axis] <= 1; /* glue may reach farther */
    return alone && near ? step[axis] : 0;
}

static dmat3 lattice_gradient(const body* b, int32_t slot) {
    const topology* t = b->topology;
    dmat3 f = dmat3_identity();
    for (int axis = 0; axis < 3; ++axis) {
        double change[3] = {0, 0, 0}, distance = 0.0;
        for (int32_t e = t->edge_offset[slot]; e < t->edge_offset[slot + 1]; ++e) {
            int32_t other = t->edge_node[e], step = step_along(t, slot, other, axis);
            for (int k = 0; k < 3; ++k) {
                change[k] += step * ((double)b->d[k][other] - (double)b->d[k][slot]);
            }
            distance += step != 0 ? (double)t->cell : 0.0;
        }
        for (int k = 0; k < 3 && distance > 0.0; ++k) {
            f.m[3 * k + axis] += change[k] / distance;
        }
    }
    return f;
}

dmat3 body_gradient(const body* b, int32_t slot) {
    if (b->topology->bind.cell_count > 0) {
        return lattice_gradient(b, slot);
    }
    dmat3 f = dmat3_identity();
    for (int k = 0; k < 9; ++k) {
        f.m[k] += (double)b->affine[16 * (size_t)slot + (size_t)k];
    }
    return f;
}

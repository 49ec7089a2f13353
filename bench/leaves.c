/* SPDX-License-Identifier: MIT
 * Job: the mesh of two leaves. In: how many triangles. Out: the faces between boxes that are filled
 * and boxes that are not.
 */
#include "bench/leaves.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

#define LENGTH 0.22 /* metres */

/* In squares: a leaf is `thick`, the gap half of that; 44 : 6 : 3 : 40. */
typedef struct leaves {
    int32_t size[3], thick, gap;
    double* position;
    uint32_t* index;
    int32_t* point; /* of each corner of a box, -1: none yet */
    int32_t vertices, triangles, most;
} leaves;

static bool is_full(const leaves* l, const int32_t at[3]) {
    for (int k = 0; k < 3; ++k) {
        if (at[k] < 0 || at[k] >= l->size[k]) {
            return false;
        }
    }
    return at[1] < l->thick || at[1] >= l->thick + l->gap || at[0] < l->thick;
}

static uint32_t corner_of(leaves* l, const int32_t at[3]) {
    size_t place =
        ((size_t)at[0] * (size_t)(l->size[1] + 1) + (size_t)at[1]) * (size_t)(l->size[2] + 1) +
        (size_t)at[2];
    if (l->point[place] < 0) {
        double edge = LENGTH / (double)l->size[0];
        for (int k = 0; k < 3; ++k) {
            l->position[3 * (size_t)l->vertices + (size_t)k] = edge * (double)at[k];
        }
        l->point[place] = l->vertices++;
    }
    return (uint32_t)l->point[place];
}

/* The face of a box along an axis, on its far (1) or near (0) side: two triangles that look out. */
static void add_face(leaves* l, const int32_t at[3], int axis, int side) {
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    uint32_t corner[4];
    for (int k = 0; k < 4; ++k) {
        int32_t c[3] = {at[0], at[1], at[2]};
        c[axis] += side;
        c[u] += k == 1 || k == 2;
        c[v] += k >= 2;
        corner[k] = corner_of(l, c);
    }
    const int turn[2][6] = {{0, 2, 1, 0, 3, 2}, {0, 1, 2, 0, 2, 3}};
    for (int k = 0; k < 6; ++k) {
        l->index[3 * (size_t)l->triangles + (size_t)k] = corner[turn[side][k]];
    }
    l->triangles += 2;
}

static void add_faces(leaves* l) {
    int32_t at[3];
    for (at[0] = 0; at[0] < l->size[0]; ++at[0]) {
        for (at[1] = 0; at[1] < l->size[1]; ++at[1]) {
            for (at[2] = 0; at[2] < l->size[2]; ++at[2]) {
                for (int k = 0; k < 6 && is_full(l, at); ++k) {
                    int32_t beside[3] = {at[0], at[1], at[2]};
                    beside[k / 2] += k % 2 == 1 ? 1 : -1;
                    if (!is_full(l, beside)) {
                        add_face(l, at, k / 2, k % 2);
                    }
                }
            }
        }
    }
}

lim_result leaves_mesh(int32_t triangles, const lim_host* host, lim_mesh** out) {
    /* 44 squares along make some 17,700 triangles, and twice as many four times that. */
    double fine = 44.0 * sqrt((double)triangles / 17700.0);
    leaves l = {.size = {(int32_t)(fine + 0.5), 0, (int32_t)(fine * 40.0 / 44.0 + 0.5)}};
    l.thick = (int32_t)(fine * 6.0 / 44.0 + 0.5) > 1 ? (int32_t)(fine * 6.0 / 44.0 + 0.5) : 1;
    l.gap = l.thick / 2 > 1 ? l.thick / 2 : 1;
    l.size[1] = 2 * l.thick + l.gap;
    size_t corners = (size_t)(l.size[0] + 1) * (size_t)(l.size[1] + 1) * (size_t)(l.size[2] + 1);
    l.most = 12 * l.size[0] * l.size[1] * l.size[2];
    l.position = mem_alloc(host, corners, 3 * sizeof(double));
    l.point = mem_alloc(host, corners, sizeof(int32_t));
    l.index = mem_alloc(host, (size_t)l.most, 3 * sizeof(uint32_t));
    lim_result result = LIM_ERROR_MEMORY;
    if (l.position != NULL && l.point != NULL && l.index != NULL) {
        memset(l.point, 0xFF, corners * sizeof(int32_t));
        add_faces(&l);
        lim_mesh_desc desc = lim_mesh_desc_default();
        desc.positions = l.position;
        desc.vertex_count = l.vertices;
        desc.indices = l.index;
        desc.triangle_count = l.triangles;
        result = lim_mesh_create(&desc, host, out);
    }
    mem_free(host, l.position, corners, 3 * sizeof(double));
    mem_free(host, l.point, corners, sizeof(int32_t));
    mem_free(host, l.index, (size_t)l.most, 3 * sizeof(uint32_t));
    return result;
}

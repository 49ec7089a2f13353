/* SPDX-License-Identifier: MIT
 * Job: anchor points to the cells of a lattice. In: keys of nodes and of cells with material, rest
 * points. Out: per cell the slots of its corners, per point its cell, its place in it and the same
 * as a binding. Places are worked out in double from whole coordinates, so that they do not depend
 * on where in the body a cell is (Rivers and James 2007, eq. 15-17).
 */
#include "skin/trilinear.h"

#include "base/log.h"
#include "base/sort.h"
#include "sample/octant.h"
#include "skin/cell_grid.h"

#include <string.h>

/* Points and nodes are rounded to float, in a space where the body is 1 long: a point this far
 * outside of a cell still is in it. */
#define ROUNDING 2.5e-7
/* Weights below this are dropped from the binding: less than float rounding, but they would move
 * light nodes far in contact. */
#define LEAST_WEIGHT 1e-7

typedef struct builder {
    const lattice_bind* in;
    cell_grid grid;
    int32_t* near;
} builder;

/* ---- cells ------------------------------------------------------------------------------------
 */

static int32_t find_key(const sort_item* items, int32_t count, uint64_t key) {
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (items[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && items[low].key == key ? items[low].value : -1;
}

/* The slots of the corners of every cell. */
static lim_result find_corners(arena* scratch, const lattice_bind* in, int32_t* corner) {
    sort_item* items = ARENA_ARRAY(scratch, sort_item, in->slot_count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, in->slot_count);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    int32_t count = 0;
    for (int32_t i = 0; i < in->slot_count; ++i) {
        if (in->slot_node[i] >= 0) {
            items[count++] = (sort_item){.key = in->key[i], .value = i};
        }
    }
    sort_items(items, spare, count);
    for (int32_t c = 0; c < in->cell_count; ++c) {
        octant low = octant_of(in->cell[c]);
        for (int k = 0; k < 8; ++k) {
            octant at = {low.level, low.x + (k & 1), low.y + (k >> 1 & 1), low.z + (k >> 2)};
            int32_t slot = find_key(items, count, octant_key(at));
            if (slot < 0) {
                return log_fail(&scratch->host, LIM_ERROR_ARGUMENT,
                                "bindings: a corner of a lattice cell is no node; give every cell "
                                "its eight corners");
            }
            corner[8 * (size_t)c + (size_t)k] = slot;
        }
    }
    return LIM_OK;
}

static lim_result find_grid(arena* scratch, const lattice_bind* in, cell_grid* out) {
    float* column[4];
    for (int k = 0; k < 4; ++k) {
        column[k] = ARENA_ARRAY(scratch, float, in->cell_count);
        LIM_TRY_MEMORY(column[k]);
    }
    for (int32_t c = 0; c < in->cell_count; ++c) {
        octant o = octant_of(in->cell[c]);
        lim_vec3 centre = v3_of(p3_mad(in->lower, p3(o.x + 0.5, o.y + 0.5, o.z + 0.5), in->edge));
        column[0][c] = centre.x;
        column[1][c] = centre.y;
        column[2][c] = centre.z;
        column[3][c] = (float)in->edge;
    }
    const float* const centres[3] = {column[0], column[1], column[2]};
    return cell_grid_build(out, scratch, centres, column[3], in->cell_count, NULL);
}

/* ---- points -----------------------------------------------------------------------------------
 */

/* A point in units of cells from the cell's lowest corner; 0..1 along every axis inside. */
static void place_in_cell(const lattice_bind* in, int32_t cell, lim_point at, double place[3]) {
    octant o = octant_of(in->cell[cell]);
    place[0] = (at.x - in->lower.x) / in->edge - o.x;
    place[1] = (at.y - in->lower.y) / in->edge - o.y;
    place[2] = (at.z - in->lower.z) / in->edge - o.z;
}

double trilinear_outside(const lattice_bind* in, int32_t cell, lim_point at) {
    double place[3], square = 0.0;
    place_in_cell(in, cell, at, place);
    for (int axis = 0; axis < 3; ++axis) {
        double out = place[axis] < 0.0 ? -place[axis] : place[axis] - 1.0;
        square += out > 0.0 ? out * out : 0.0;
    }
    return sqrt(square) * in->edge;
}

/* Of two cells that are as near, the first; of pieces of one cell the one whose material is nearer.
 */
static bool comes_first(const lattice_bind* in, int32_t cell, int32_t best, lim_point at) {
    if (in->middle == NULL || in->cell[cell] != in->cell[best]) {
        return cell < best;
    }
    lim_point own = p3_sub(in->middle[cell], at), other = p3_sub(in->middle[best], at);
    double square = p3_dot(own, own), least = p3_dot(other, other);
    return square < least || (square <= least && cell < best);
}

/* Of the cells nearest to the point the one whose middle is nearest to the point moved inwards by a
 * quarter of a cell. */
static int32_t find_cell(builder* b, lim_point at, lim_point normal) {
    const lattice_bind* in = b->in;
    int32_t count = cell_grid_nearest(&b->grid, at, b->near), best = -1;
    double least = HUGE_VAL, best_square = HUGE_VAL;
    for (int32_t i = 0; i < count; ++i) {
        double distance = trilinear_outside(in, b->near[i], at);
        least = distance < least ? distance : least;
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t cell = b->near[i];
        if (trilinear_outside(in, cell, at) > least + ROUNDING) {
            continue;
        }
        double place[3];
        lim_point inner = p3_mad(at, normal, -0.25 * in->edge);
        place_in_cell(in, cell, inner, place);
        lim_point from = p3(place[0] - 0.5, place[1] - 0.5, place[2] - 0.5);
        double square = p3_dot(from, from);
        if (square < best_square || (square <= best_square && comes_first(in, cell, best, inner))) {
            best = cell;
            best_square = square;
        }
    }
    return best;
}

/* phi of the corners: bit k of a corner's number says that it is at the far side along axis k. */
static void corner_weights(const double place[3], double phi[8]) {
    for (int corner = 0; corner < 8; ++corner) {
        phi[corner] = 1.0;
        for (int axis = 0; axis < 3; ++axis) {
            phi[corner] *= corner >> axis & 1 ? place[axis] : 1.0 - place[axis];
        }
    }
}

/* The corners as a binding: those that weigh anything, the heaviest first. */
static void fill_binding(const int32_t corner[8], const double phi[8], binding* out) {
    int32_t slot[BINDING_NODES];
    double weight[BINDING_NODES], sum = 0.0;
    int32_t count = 0;
    for (int k = 0; k < BINDING_NODES; ++k) {
        if (phi[k] < LEAST_WEIGHT) {
            continue;
        }
        int32_t to = count++;
        for (; to > 0 &&
               (phi[k] > weight[to - 1] || (phi[k] >= weight[to - 1] && corner[k] < slot[to - 1]));
             --to) {
            weight[to] = weight[to - 1];
            slot[to] = slot[to - 1];
        }
        weight[to] = phi[k];
        slot[to] = corner[k];
        sum += phi[k];
    }
    for (int k = 0; k < BINDING_NODES; ++k) {
        out->node[k] = slot[k < count ? k : 0];
        out->weight[k] = k < count ? (float)(weight[k] / sum) : 0.0f;
    }
}

/* A point whose cell and place at rest are there. */
static void bind_point(const lattice_bind* in, int32_t i, bindings* out) {
    double place[3], phi[8];
    place_in_cell(in, out->cell[i], p3_of(bindings_rest(out, i)), place);
    for (int axis = 0; axis < 3; ++axis) {
        double inside = place[axis] < 0.0 ? 0.0 : place[axis] > 1.0 ? 1.0 : place[axis];
        out->local[axis][i] = (float)inside;
        place[axis] = (double)out->local[axis][i];
    }
    const int32_t* corner = out->corner + 8 * (size_t)out->cell[i];
    corner_weights(place, phi);
    fill_binding(corner, phi, &out->bind[i]);
    out->component[i] = in->slot_component[corner[0]];
}

void bindings_fill_trilinear(const lattice_bind* in, bindings* b) {
    for (int32_t i = 0; i < b->count; ++i) {
        bind_point(in, i, b);
    }
}

static lim_result bindings_alloc(arena* a, int32_t count, int32_t cells, bindings* out) {
    *out = (bindings){.count = count, .cell_count = cells};
    out->bind = ARENA_ARRAY(a, binding, count);
    out->component = ARENA_ARRAY(a, int32_t, count);
    out->cell = ARENA_ARRAY(a, int32_t, count);
    out->corner = ARENA_ARRAY(a, int32_t, 8 * (int64_t)cells);
    LIM_TRY_MEMORY(out->bind);
    LIM_TRY_MEMORY(out->component);
    LIM_TRY_MEMORY(out->cell);
    LIM_TRY_MEMORY(out->corner);
    for (int axis = 0; axis < 3; ++axis) {
        out->rest[axis] = ARENA_ARRAY(a, float, count);
        out->local[axis] = ARENA_ARRAY(a, float, count);
        LIM_TRY_MEMORY(out->rest[axis]);
        LIM_TRY_MEMORY(out->local[axis]);
    }
    return LIM_OK;
}

lim_result bindings_build_trilinear(arena* a, arena* scratch, const lattice_bind* in,
                                    const lim_vec3* points, const lim_vec3* normals, int32_t count,
                                    bindings* out) {
    bindings made;
    if (in->cell_count <= 0) {
        return log_fail(&scratch->host, LIM_ERROR_ARGUMENT,
                        "bindings: there is no lattice cell to bind points to; sample first");
    }
    LIM_TRY(bindings_alloc(a, count, in->cell_count, &made));
    made.cell_edge = (float)in->edge;
    if (in->corner != NULL) {
        memcpy(made.corner, in->corner, 8 * (size_t)in->cell_count * sizeof(int32_t));
    } else {
        LIM_TRY(find_corners(scratch, in, made.corner));
    }
    builder b = {.in = in};
    LIM_TRY(find_grid(scratch, in, &b.grid));
    b.near = ARENA_ARRAY(scratch, int32_t, in->cell_count);
    LIM_TRY_MEMORY(b.near);
    for (int32_t i = 0; i < count; ++i) {
        if (!v3_finite(points[i])) {
            return log_fail(&scratch->host, LIM_ERROR_ARGUMENT,
                            "bindings: point %d is not finite; clean the mesh first", (int)i);
        }
        lim_vec3 normal = normals != NULL ? v3_unit(normals[i], v3(0, 0, 0)) : v3(0, 0, 0);
        normal = v3_finite(normal) ? normal : v3(0, 0, 0);
        made.rest[0][i] = points[i].x;
        made.rest[1][i] = points[i].y;
        made.rest[2][i] = points[i].z;
        made.cell[i] = find_cell(&b, p3_of(points[i]), p3_of(normal));
        bind_point(in, i, &made);
    }
    *out = made;
    return LIM_OK;
}

/* ---- gradients --------------------------------------------------------------------------------
 */

void trilinear_weights(const bindings* b, int32_t point, double phi[8], double gradient[8][3]) {
    const double place[3] = {(double)b->local[0][point], (double)b->local[1][point],
                             (double)b->local[2][point]};
    corner_weights(place, phi);
    for (int corner = 0; corner < 8; ++corner) {
        for (int along = 0; along < 3; ++along) {
            double slope = (corner >> along & 1 ? 1.0 : -1.0) / (double)b->cell_edge;
            for (int axis = 0; axis < 3; ++axis) {
                if (axis != along) {
                    slope *= corner >> axis & 1 ? place[axis] : 1.0 - place[axis];
                }
            }
            gradient[corner][along] = slope;
        }
    }
}

dmat3 trilinear_gradient(const bindings* b, int32_t point, const node_state* n) {
    double phi[8], gradient[8][3];
    trilinear_weights(b, point, phi, gradient);
    const int32_t* corner = b->corner + 8 * (size_t)b->cell[point];
    dmat3 f = dmat3_identity();
    for (int k = 0; k < 8; ++k) {
        for (int entry = 0; entry < 9; ++entry) {
            f.m[entry] += (double)n->d[entry / 3][corner[k]] * gradient[k][entry % 3];
        }
    }
    return f;
}

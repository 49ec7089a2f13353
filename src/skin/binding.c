/* SPDX-License-Identifier: MIT
 * Job: anchor points to nodes. In: rest nodes with their cells and graph, rest points. Out: up to 8
 * (slot, weight) per point. A point's own slot is the fragment of the cell that holds it; the
 * others are the slots within two graph edges of it whose kernel reaches the point (algorithms B.3,
 * F.2.7). A cell whose fragments are seen by several paths counts once: only its fragments nearest
 * along the graph, in equal shares, so that weights on a full grid stay a partition of unity.
 */
#include "skin/binding.h"

#include "base/log.h"
#include "skin/cell_grid.h"

/* A point this share of a cell's edge outside of it still is in it: rest points and cell centres
 * are rounded to float. */
#define INSIDE_TOLERANCE 1e-4
/* Weights below this share of the sum are dropped: less than float rounding, but they would move
 * light nodes far in contact. */
#define LEAST_WEIGHT 1e-7

typedef struct candidate {
    int32_t slot, ring; /* graph edges from the own slot: 0, 1 or 2 */
    double weight;
} candidate;

typedef struct builder {
    const bind_nodes* nodes;
    cell_grid grid;
    int32_t* near;
    candidate* found;
    int32_t* mark; /* per slot: 1 + the own slot that it is a neighbour of */
    int32_t marked;
} builder;

/* K(t) = 1 - t^2 (3 - 2 t) for t < 1, else 0. */
static double kernel(double t) {
    return t < 1.0 ? 1.0 - t * t * (3.0 - 2.0 * t) : 0.0;
}

static double kernel_at(const bind_nodes* n, int32_t slot, lim_point at) {
    double side = (double)n->side[slot];
    return kernel(fabs(at.x - (double)n->centre[0][slot]) / side) *
           kernel(fabs(at.y - (double)n->centre[1][slot]) / side) *
           kernel(fabs(at.z - (double)n->centre[2][slot]) / side);
}

static lim_point centroid(const bind_nodes* n, int32_t slot) {
    return p3((double)n->x0[0][slot], (double)n->x0[1][slot], (double)n->x0[2][slot]);
}

/* Among the first `count` of near: the slots whose cells are nearest to `at`; of these the one
 * whose centroid is nearest to `at` moved inwards by a quarter of the cell. */
static int32_t nearest_slot(const builder* b, int32_t count, lim_point at, lim_point normal,
                            double* out_distance) {
    double least = HUGE_VAL;
    for (int32_t i = 0; i < count; ++i) {
        double distance = cell_grid_distance(&b->grid, b->near[i], at);
        least = distance < least ? distance : least;
    }
    int32_t best = -1;
    double best_square = HUGE_VAL;
    for (int32_t i = 0; i < count; ++i) {
        int32_t slot = b->near[i];
        double side = (double)b->nodes->side[slot];
        if (cell_grid_distance(&b->grid, slot, at) > least + INSIDE_TOLERANCE * side) {
            continue;
        }
        lim_point inner = p3_mad(at, normal, -0.25 * side);
        lim_point r = p3_sub(centroid(b->nodes, slot), inner);
        double square = p3_dot(r, r);
        if (square < best_square || (square <= best_square && slot < best)) {
            best = slot;
            best_square = square;
        }
    }
    *out_distance = least;
    return best;
}

/* The own slot of a point, and in b->near the *out_near cells around the point. */
static int32_t own_slot(builder* b, lim_point at, lim_point normal, int32_t* out_near) {
    double distance;
    *out_near = cell_grid_near(&b->grid, at, b->near);
    int32_t own = nearest_slot(b, *out_near, at, normal, &distance);
    double side = (double)b->nodes->side[own];
    if (distance > INSIDE_TOLERANCE * side && p3_dot(normal, normal) > 0.0) {
        /* No cell holds the point: its material is on the inner side. */
        lim_point inner = p3_mad(at, normal, -0.25 * side);
        int32_t count = cell_grid_near(&b->grid, inner, b->near);
        own = nearest_slot(b, count, inner, p3(0, 0, 0), &distance);
        *out_near = cell_grid_near(&b->grid, at, b->near);
    }
    return own;
}

/* Graph edges from the own slot (whose neighbours are marked): 0, 1, 2, or 3 for further. */
static int32_t ring_of(const builder* b, int32_t own, int32_t slot) {
    const graph* g = &b->nodes->g;
    if (slot == own) {
        return 0;
    }
    if (b->mark[slot] == own + 1) {
        return 1;
    }
    for (int32_t e = g->offset[slot]; e < g->offset[slot + 1]; ++e) {
        if (b->mark[g->node[e]] == own + 1) {
            return 2;
        }
    }
    return 3;
}

static void mark_neighbours(builder* b, int32_t own) {
    const graph* g = &b->nodes->g;
    if (b->marked == own) {
        return;
    }
    b->marked = own;
    for (int32_t e = g->offset[own]; e < g->offset[own + 1]; ++e) {
        b->mark[g->node[e]] = own + 1;
    }
}

/* Slots within two edges whose kernel is positive, into b->found. */
static int32_t find_candidates(builder* b, int32_t own, int32_t near_count, lim_point at) {
    const bind_nodes* n = b->nodes;
    int32_t count = 0;
    mark_neighbours(b, own);
    for (int32_t i = 0; i < near_count; ++i) {
        int32_t slot = b->near[i];
        if (n->slot_component[slot] != n->slot_component[own]) {
            continue;
        }
        double weight = kernel_at(n, slot, at);
        if (weight > 0.0) {
            int32_t ring = ring_of(b, own, slot);
            if (ring < 3) {
                b->found[count++] = (candidate){slot, ring, weight};
            }
        }
    }
    return count;
}

static bool same_cell(const bind_nodes* n, int32_t a, int32_t b) {
    return n->centre[0][a] == n->centre[0][b] && n->centre[1][a] == n->centre[1][b] &&
           n->centre[2][a] == n->centre[2][b] && n->side[a] == n->side[b];
}

/* A cell's weight goes to its fragments of the lowest ring, in equal shares. */
static double fragment_share(const builder* b, int32_t count, int32_t which) {
    const candidate* c = &b->found[which];
    int32_t sharing = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (same_cell(b->nodes, b->found[i].slot, c->slot)) {
            if (b->found[i].ring < c->ring) {
                return 0.0;
            }
            sharing += b->found[i].ring == c->ring;
        }
    }
    return c->weight / (double)sharing;
}

/* Keeps the 8 largest in order of (weight descending, slot), normalised in double. */
static void bind_point(builder* b, lim_point at, lim_point normal, binding* out, int32_t* out_own) {
    int32_t near_count;
    int32_t own = own_slot(b, at, normal, &near_count);
    int32_t count = find_candidates(b, own, near_count, at);
    double weight[BINDING_NODES];
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        double w = fragment_share(b, count, i);
        int32_t slot = b->found[i].slot;
        int32_t to = kept;
        while (to > 0 &&
               (w > weight[to - 1] || (w >= weight[to - 1] && slot < out->node[to - 1]))) {
            to--;
        }
        if (!(w > 0.0) || to == BINDING_NODES) {
            continue;
        }
        kept += kept < BINDING_NODES;
        for (int32_t k = kept - 1; k > to; --k) {
            weight[k] = weight[k - 1];
            out->node[k] = out->node[k - 1];
        }
        weight[to] = w;
        out->node[to] = slot;
    }
    double sum = 0.0;
    for (int32_t k = 0; k < kept; ++k) {
        sum += weight[k];
    }
    while (kept > 1 && weight[kept - 1] < LEAST_WEIGHT * sum) {
        sum -= weight[--kept];
    }
    if (!(sum > 0.0)) {
        kept = 1; /* no kernel reaches the point: it hangs on its own slot */
        out->node[0] = own;
        weight[0] = sum = 1.0;
    }
    for (int32_t k = 0; k < BINDING_NODES; ++k) {
        out->weight[k] = k < kept ? (float)(weight[k] / sum) : 0.0f;
        out->node[k] = k < kept ? out->node[k] : out->node[0];
    }
    *out_own = own;
}

static lim_result builder_init(builder* b, arena* scratch, const bind_nodes* nodes) {
    *b = (builder){.nodes = nodes, .marked = -1};
    lim_result result =
        cell_grid_build(&b->grid, scratch, nodes->centre, nodes->side, nodes->padded);
    if (result == LIM_ERROR_ARGUMENT) {
        return log_fail(&scratch->host, result,
                        "bindings: there are points but no node to bind them to; sample first");
    }
    LIM_TRY(result);
    b->near = ARENA_ARRAY(scratch, int32_t, b->grid.slot_count);
    b->found = ARENA_ARRAY(scratch, candidate, b->grid.slot_count);
    b->mark = ARENA_ARRAY(scratch, int32_t, nodes->padded);
    LIM_TRY_MEMORY(b->near);
    LIM_TRY_MEMORY(b->found);
    LIM_TRY_MEMORY(b->mark);
    return LIM_OK;
}

lim_result bindings_build(arena* a, arena* scratch, const bind_nodes* nodes, const lim_vec3* points,
                          const lim_vec3* normals, int32_t count, bindings* out) {
    bindings made = {.count = count};
    builder b;
    if (count > 0) {
        LIM_TRY(builder_init(&b, scratch, nodes));
    }
    made.bind = ARENA_ARRAY(a, binding, count);
    made.component = ARENA_ARRAY(a, int32_t, count);
    LIM_TRY_MEMORY(made.bind);
    LIM_TRY_MEMORY(made.component);
    for (int axis = 0; axis < 3; ++axis) {
        made.rest[axis] = ARENA_ARRAY(a, float, count);
        LIM_TRY_MEMORY(made.rest[axis]);
    }
    for (int32_t i = 0; i < count; ++i) {
        if (!v3_finite(points[i])) {
            return log_fail(&scratch->host, LIM_ERROR_ARGUMENT,
                            "bindings: point %d is not finite; clean the mesh first", (int)i);
        }
        lim_vec3 normal = normals != NULL ? v3_unit(normals[i], v3(0, 0, 0)) : v3(0, 0, 0);
        normal = v3_finite(normal) ? normal : v3(0, 0, 0);
        int32_t own;
        bind_point(&b, p3_of(points[i]), p3_of(normal), &made.bind[i], &own);
        made.component[i] = nodes->slot_component[own];
        made.rest[0][i] = points[i].x;
        made.rest[1][i] = points[i].y;
        made.rest[2][i] = points[i].z;
    }
    *out = made;
    return LIM_OK;
}

lim_vec3 binding_position(const binding* b, lim_vec3 rest, const node_state* n) {
    lim_vec3 sum = v3(0, 0, 0);
    for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
        int32_t i = b->node[k];
        const float* m = n->affine + (size_t)i * 16;
        float w = b->weight[k];
        float x = rest.x - n->x0[0][i], y = rest.y - n->x0[1][i], z = rest.z - n->x0[2][i];
        sum.x += w * (n->d[0][i] + (m[0] * x + m[1] * y + m[2] * z));
        sum.y += w * (n->d[1][i] + (m[3] * x + m[4] * y + m[5] * z));
        sum.z += w * (n->d[2][i] + (m[6] * x + m[7] * y + m[8] * z));
    }
    return v3_add(rest, sum);
}

lim_vec3 binding_velocity(const binding* b, const node_state* n) {
    lim_vec3 sum = v3(0, 0, 0);
    for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
        int32_t i = b->node[k];
        sum = v3_mad(sum, v3(n->v[0][i], n->v[1][i], n->v[2][i]), b->weight[k]);
    }
    return sum;
}

void binding_push(const binding* b, node_state* n, lim_vec3 dv) {
    for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
        int32_t i = b->node[k];
        float share = n->inv_mass[i] > 0.0f ? b->weight[k] : 0.0f;
        n->v[0][i] += share * dv.x;
        n->v[1][i] += share * dv.y;
        n->v[2][i] += share * dv.z;
    }
}

float binding_mass(const binding* b, const node_state* n) {
    float sum = 0.0f;
    for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
        sum += b->weight[k] * n->volume[b->node[k]];
    }
    return sum;
}

float binding_response(const binding* b) {
    float sum = 0.0f;
    for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
        sum += b->weight[k] * b->weight[k];
    }
    return sum;
}

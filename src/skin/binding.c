/* SPDX-License-Identifier: MIT
 * Job: anchor points to nodes. In: rest nodes with their cells and graph, rest points. Out: up to 8
 * (slot, weight) per point. A point's own slot is the fragment of the cell that holds it; the
 * others are those whose cells lie in the point's window (skin/cell_kernel.h) and which the own one
 * sees there (skin/sight.h). A cell counts once, as much as the best seen of its fragments, which
 * share that in proportion to how well they are seen.
 */
#include "skin/binding.h"

#include "base/log.h"
#include "skin/cell_kernel.h"
#include "skin/sight.h"

/* A point this share of a cell's edge outside of it still is in it: rest points and cell centres
 * are rounded to float. */
#define INSIDE_TOLERANCE 1e-4
/* Weights below this share of the sum are dropped: less than float rounding, but they would move
 * light nodes far in contact. */
#define LEAST_WEIGHT 1e-7

typedef struct builder {
    const bind_nodes* nodes;
    cell_grid grid;
    cell_grid pieces; /* of bind_nodes.material, when given */
    sight sight;
    int32_t* near;
    sight_node* found;
} builder;

/* Where the material of a cell or a piece of one is. */
typedef struct whereabouts {
    const cell_grid* grid;
    const float* const* x0; /* centroids */
} whereabouts;

/* Among the first `count` of near: the cells nearest to `at`; of these the one whose centroid is
 * nearest to `at` moved inwards by a quarter of the cell. */
static int32_t choose_nearest(whereabouts w, const int32_t* near, int32_t count, lim_point at,
                              lim_point normal, double* out_distance) {
    double least = HUGE_VAL;
    for (int32_t i = 0; i < count; ++i) {
        double distance = cell_grid_distance(w.grid, near[i], at);
        least = distance < least ? distance : least;
    }
    int32_t best = -1;
    double best_square = HUGE_VAL;
    for (int32_t i = 0; i < count; ++i) {
        int32_t slot = near[i];
        double side = (double)w.grid->side[slot];
        if (cell_grid_distance(w.grid, slot, at) > least + INSIDE_TOLERANCE * side) {
            continue;
        }
        lim_point inner = p3_mad(at, normal, -0.25 * side);
        lim_point x0 = p3((double)w.x0[0][slot], (double)w.x0[1][slot], (double)w.x0[2][slot]);
        lim_point r = p3_sub(x0, inner);
        double square = p3_dot(r, r);
        if (square < best_square || (square <= best_square && slot < best)) {
            best = slot;
            best_square = square;
        }
    }
    *out_distance = least;
    return best;
}

/* The cell or piece that a point belongs to. */
static int32_t find_own(whereabouts w, int32_t* near, lim_point at, lim_point normal) {
    double distance;
    int32_t count = cell_grid_nearest(w.grid, at, near);
    int32_t own = choose_nearest(w, near, count, at, normal, &distance);
    double side = (double)w.grid->side[own];
    if (distance > INSIDE_TOLERANCE * side && p3_dot(normal, normal) > 0.0) {
        /* No cell holds the point: its material is on the inner side. */
        lim_point inner = p3_mad(at, normal, -0.25 * side);
        count = cell_grid_nearest(w.grid, inner, near);
        own = choose_nearest(w, near, count, inner, p3(0, 0, 0), &distance);
    }
    return own;
}

/* The piece of material that a point belongs to, and its slot. */
static int32_t find_home(builder* b, lim_point at, lim_point normal, int32_t* out_own) {
    const bind_material* m = b->nodes->material;
    whereabouts w = {&b->grid, b->nodes->x0};
    if (m != NULL) {
        w = (whereabouts){&b->pieces, m->x0};
    }
    int32_t home = find_own(w, b->near, at, normal);
    *out_own = m != NULL ? m->slot[home] : home;
    return home;
}

/* Keeps, in their order, the slots of the own one's component that can have weight or make the
 * window narrower: cells that come nearer than CELL_KERNEL_FINE of the own edge. Bins hold several
 * times as many. */
static int32_t keep_near(const builder* b, int32_t own, lim_point at, int32_t* near,
                         int32_t count) {
    const cell_grid* g = &b->grid;
    const int32_t* kind = b->nodes->slot_component;
    double reach = (CELL_KERNEL_FINE + INSIDE_TOLERANCE) * (double)g->side[own];
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        int32_t slot = near[i];
        double most = reach + 0.5 * (double)g->side[slot];
        bool counts = fabs(at.x - (double)g->centre[0][slot]) < most &&
                      fabs(at.y - (double)g->centre[1][slot]) < most &&
                      fabs(at.z - (double)g->centre[2][slot]) < most && kind[slot] == kind[own];
        near[kept] = slot;
        kept += counts;
    }
    return kept;
}

/* Slots of the own one's component in the point's window, with their weights, into b->found. */
static int32_t find_candidates(builder* b, int32_t own, lim_point at) {
    const cell_grid* g = &b->grid;
    const int32_t* kind = b->nodes->slot_component;
    double side = (double)g->side[own];
    int32_t near_count = 0, count = 0;
    for (int32_t layer = 0; layer < g->layer_count; ++layer) {
        bool finer = g->layer[layer].widest < 0.75 * side;
        near_count += cell_grid_around(g, layer, at, (finer ? CELL_KERNEL_FINE : 0.5) * side,
                                       b->near + near_count);
    }
    near_count = keep_near(b, own, at, b->near, near_count);
    double width = cell_kernel_width(g, kind, own, b->near, near_count, at);
    for (int32_t i = 0; i < near_count; ++i) {
        int32_t slot = b->near[i];
        double weight = cell_kernel(g, slot, at, width);
        if (weight > 0.0) {
            b->found[count++] = (sight_node){slot, weight, 0.0};
        }
    }
    sight_look(&b->sight, own, b->found, count);
    return count;
}

static bool same_cell(const bind_nodes* n, int32_t a, int32_t b) {
    return n->centre[0][a] == n->centre[0][b] && n->centre[1][a] == n->centre[1][b] &&
           n->centre[2][a] == n->centre[2][b] && n->side[a] == n->side[b];
}

/* A fragment's share of what its cell counts. Fragments of one cell weigh the same to the last bit:
 * few others are asked where they lie. */
static double fragment_share(const builder* b, int32_t count, int32_t which) {
    const sight_node* c = &b->found[which];
    double sum = 0.0, best = 0.0;
    if (!(c->seen > 0.0)) {
        return 0.0;
    }
    for (int32_t i = 0; i < count; ++i) {
        const sight_node* other = &b->found[i];
        if (other->weight == c->weight &&
            (other == c || same_cell(b->nodes, other->slot, c->slot))) {
            sum += other->seen;
            best = other->seen > best ? other->seen : best;
        }
    }
    return sum > 0.0 ? c->seen * (best / sum) : 0.0;
}

/* The largest weights in order of (weight descending, slot). */
typedef struct largest {
    int32_t count;
    int32_t slot[BINDING_NODES + 1];
    double weight[BINDING_NODES + 1];
} largest;

static void keep_largest(largest* l, int32_t slot, double weight) {
    int32_t to = l->count;
    while (to > 0 && (weight > l->weight[to - 1] ||
                      (weight >= l->weight[to - 1] && slot < l->slot[to - 1]))) {
        to--;
    }
    if (!(weight > 0.0) || to > BINDING_NODES) {
        return;
    }
    l->count += l->count <= BINDING_NODES;
    for (int32_t k = l->count - 1; k > to; --k) {
        l->weight[k] = l->weight[k - 1];
        l->slot[k] = l->slot[k - 1];
    }
    l->weight[to] = weight;
    l->slot[to] = slot;
}

/* Normalised in double. Cells of one tree are at most 8; when fragments make it more, all weights
 * lose as much as the ninth has: a node comes in and leaves with weight 0. */
static void bind_point(builder* b, lim_point at, int32_t own, binding* out) {
    int32_t count = find_candidates(b, own, at);
    largest l = {.count = 0};
    for (int32_t i = 0; i < count; ++i) {
        keep_largest(&l, b->found[i].slot, fragment_share(b, count, i));
    }
    int32_t kept = l.count;
    double sum = 0.0;
    if (kept > BINDING_NODES) {
        kept = BINDING_NODES;
        for (int32_t k = 0; k < kept; ++k) {
            l.weight[k] -= l.weight[BINDING_NODES];
        }
    }
    for (int32_t k = 0; k < kept; ++k) {
        sum += l.weight[k];
    }
    while (kept > 1 && l.weight[kept - 1] < LEAST_WEIGHT * sum) {
        sum -= l.weight[--kept];
    }
    if (!(sum > 0.0)) {
        kept = 1; /* nothing it sees is near the point: it hangs on its own slot */
        l.slot[0] = own;
        l.weight[0] = sum = 1.0;
    }
    for (int32_t k = 0; k < BINDING_NODES; ++k) {
        out->weight[k] = k < kept ? (float)(l.weight[k] / sum) : 0.0f;
        out->node[k] = l.slot[k < kept ? k : 0];
    }
}

/* What a builder writes to while it binds; its grids are there. */
static lim_result builder_room(builder* b, arena* scratch) {
    int32_t most =
        b->grid.slot_count > b->pieces.slot_count ? b->grid.slot_count : b->pieces.slot_count;
    LIM_TRY(sight_init(&b->sight, scratch, b->nodes->g));
    b->near = ARENA_ROOM(scratch, int32_t, most);
    b->found = ARENA_ROOM(scratch, sight_node, b->grid.slot_count);
    LIM_TRY_MEMORY(b->near);
    LIM_TRY_MEMORY(b->found);
    return LIM_OK;
}

static lim_result builder_init(builder* b, arena* scratch, const bind_nodes* nodes) {
    const bind_material* m = nodes->material;
    *b = (builder){.nodes = nodes};
    lim_result result = LIM_OK;
    if (nodes->grid != NULL) {
        b->grid = *nodes->grid;
    } else {
        result = cell_grid_build(&b->grid, scratch, nodes->centre, nodes->side, nodes->padded,
                                 nodes->frame);
    }
    if (result == LIM_OK && m != NULL && m->grid != NULL) {
        b->pieces = *m->grid;
    } else if (result == LIM_OK && m != NULL) {
        result = cell_grid_build(&b->pieces, scratch, m->centre, m->side, m->count, nodes->frame);
    }
    if (result == LIM_ERROR_ARGUMENT) {
        return log_fail(&scratch->host, result,
                        "bindings: there are points but no node to bind them to; sample first");
    }
    LIM_TRY(result);
    return builder_room(b, scratch);
}

lim_result bindings_build(arena* a, arena* scratch, const bind_nodes* nodes, const lim_vec3* points,
                          const lim_vec3* normals, int32_t count, int32_t* out_home,
                          bindings* out) {
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
        int32_t own, home = find_home(&b, p3_of(points[i]), p3_of(normal), &own);
        bind_point(&b, p3_of(points[i]), own, &made.bind[i]);
        if (out_home != NULL) {
            out_home[i] = home;
        }
        made.component[i] = nodes->slot_component[own];
        made.rest[0][i] = points[i].x;
        made.rest[1][i] = points[i].y;
        made.rest[2][i] = points[i].z;
    }
    *out = made;
    return LIM_OK;
}

/* Points are bound one by one, each from what is given alone: any share of them to any worker. */
enum { RENEW_LEAST = 64 };

typedef struct renewal {
    builder* made; /* one per task */
    const int32_t *which, *own;
    int32_t count, tasks;
    bindings* b;
} renewal;

static void renew_task(void* context, int32_t index) {
    const renewal* r = context;
    int32_t end = (int32_t)((int64_t)r->count * (index + 1) / r->tasks);
    for (int32_t i = (int32_t)((int64_t)r->count * index / r->tasks); i < end; ++i) {
        int32_t point = r->which[i];
        bind_point(&r->made[index], p3_of(bindings_rest(r->b, point)), r->own[i],
                   &r->b->bind[point]);
        r->b->component[point] = r->made->nodes->slot_component[r->own[i]];
    }
}

lim_result bindings_renew(arena* scratch, const bind_nodes* nodes, const int32_t* which,
                          const int32_t* own, int32_t count, workers* pool, bindings* b) {
    if (count == 0) {
        return LIM_OK;
    }
    int32_t tasks = workers_count(pool), most = 1 + count / RENEW_LEAST;
    renewal r = {.which = which, .own = own, .count = count, .b = b};
    r.tasks = tasks < most ? tasks : most;
    r.made = ARENA_ROOM(scratch, builder, r.tasks);
    LIM_TRY_MEMORY(r.made);
    LIM_TRY(builder_init(&r.made[0], scratch, nodes));
    for (int32_t i = 1; i < r.tasks; ++i) {
        r.made[i] = r.made[0];
        LIM_TRY(builder_room(&r.made[i], scratch));
    }
    workers_run(pool, r.tasks, renew_task, &r);
    return LIM_OK;
}

lim_result bindings_homes(arena* scratch, const bind_material* m, const lim_vec3* points,
                          const lim_vec3* normals, int32_t count, int32_t* out_home) {
    cell_grid grid;
    if (count == 0) {
        return LIM_OK;
    }
    LIM_TRY(cell_grid_build(&grid, scratch, m->centre, m->side, m->count, NULL));
    int32_t* near = ARENA_ARRAY(scratch, int32_t, grid.slot_count);
    LIM_TRY_MEMORY(near);
    whereabouts w = {&grid, m->x0};
    for (int32_t i = 0; i < count; ++i) {
        lim_vec3 normal = v3_unit(normals[i], v3(0, 0, 0));
        normal = v3_finite(normal) ? normal : v3(0, 0, 0);
        out_home[i] = find_own(w, near, p3_of(points[i]), p3_of(normal));
    }
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

float binding_mass(const binding* b, const node_state* n) {
    float sum = 0.0f;
    for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
        sum += b->weight[k] * n->mass[b->node[k]];
    }
    return sum;
}

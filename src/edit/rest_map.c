/* SPDX-License-Identifier: MIT
 * Job: from the deformed body to rest. In: places in the frame of a component. Out: rest places. A
 * first answer blends what the nodes about a place say, X_i = x0_i + L_i^-1 (x - x_i), by how near
 * they are: smooth in x, however far outside. Then Newton's method on the field of the skin, x(X) =
 * X + sum w_k (d_k + B_k (X - x0_k)), with the gradient 1 + sum w_k B_k; the weights' own gradient
 * is left out at first; each step then teaches the gradient what it has seen (Broyden 1965). What
 * it corrects fades away outside of the cells, where bindings go over to single nodes. Over a
 * lattice the field is that of skin/trilinear.h, whose gradient is known.
 */
#include "edit/rest_map.h"

#include "body/lattice_material.h"

#include <string.h>

enum { ROUNDS = 12 };
/* Right, and good enough: finest cells. */
static const double RIGHT = 2e-4, ENOUGH = 1e-2;
/* Places farther from every node than this are outside of all cells, by more than where corrections
 * end: edges of the node's cell. */
static const double SURELY_OUT = 1.8;
/* Corrections fade between these distances from the nearest cell, in its edges. */
static const double FADE_FROM = 0.1, FADE_TO = 0.4;

static bool invert(const double m[9], double out[9]) {
    double c[9];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            int a = (i + 1) % 3, b = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
            c[3 * j + i] = m[3 * a + p] * m[3 * b + q] - m[3 * a + q] * m[3 * b + p];
        }
    }
    double det = m[0] * c[0] + m[1] * c[3] + m[2] * c[6];
    for (int k = 0; k < 9; ++k) {
        out[k] = c[k] / det;
    }
    return det > 1e-3;
}

static lim_point apply(const double m[9], lim_point p) {
    return p3(m[0] * p.x + m[1] * p.y + m[2] * p.z, m[3] * p.x + m[4] * p.y + m[5] * p.z,
              m[6] * p.x + m[7] * p.y + m[8] * p.z);
}

/* Where it is turned inside out or pressed flat there is no way back: none of the strain is
 * undone. */
static void find_back(const body* b, int32_t slot, double out[9]) {
    dmat3 gradient = body_gradient(b, slot);
    if (!invert(gradient.m, out)) {
        for (int k = 0; k < 9; ++k) {
            out[k] = k % 4 == 0 ? 1.0 : 0.0;
        }
    }
}

/* ---- what is near -------------------------------------------------------------------------------
 */

static bool is_near(lim_point x, lim_point lower, lim_point upper, double reach) {
    return x.x > lower.x - reach && x.x < upper.x + reach && x.y > lower.y - reach &&
           x.y < upper.y + reach && x.z > lower.z - reach && x.z < upper.z + reach;
}

static int32_t bin_along(double x, double corner, double edge, int32_t size) {
    double bin = (x - corner) / edge;
    return bin > 0.0 ? bin < (double)size ? (int32_t)bin : size - 1 : 0;
}

static int32_t bin_of(const rest_map* m, lim_point x) {
    int32_t i = bin_along(x.x, m->corner.x, m->edge, m->size[0]);
    int32_t j = bin_along(x.y, m->corner.y, m->edge, m->size[1]);
    int32_t k = bin_along(x.z, m->corner.z, m->edge, m->size[2]);
    return (k * m->size[1] + j) * m->size[0] + i;
}

/* Bins over the near nodes, which are at `x`. There are never more than some times as many bins as
 * nodes, however far apart these are. */
static lim_result make_bins(arena* a, const int32_t* near, const lim_point* x, rest_map* m) {
    lim_point low = x[0], high = x[0];
    for (int32_t i = 1; i < m->count; ++i) {
        low = p3_min(low, x[i]);
        high = p3_max(high, x[i]);
    }
    lim_point size = p3_sub(high, low);
    while ((size.x / m->edge + 1.0) * (size.y / m->edge + 1.0) * (size.z / m->edge + 1.0) >
           8.0 * m->count + 1000.0) {
        m->edge *= 1.5;
    }
    m->corner = low;
    m->size[0] = (int32_t)(size.x / m->edge) + 1;
    m->size[1] = (int32_t)(size.y / m->edge) + 1;
    m->size[2] = (int32_t)(size.z / m->edge) + 1;
    m->first =
        ARENA_ARRAY(a, int32_t, (size_t)m->size[0] * (size_t)m->size[1] * (size_t)m->size[2] + 2);
    int32_t* bin = ARENA_ROOM(a, int32_t, m->count);
    LIM_TRY_MEMORY(m->first);
    LIM_TRY_MEMORY(bin);
    int32_t bins = m->size[0] * m->size[1] * m->size[2], *first = m->first + 1;
    for (int32_t i = 0; i < m->count; ++i) {
        bin[i] = bin_of(m, x[i]);
        first[bin[i] + 1]++;
    }
    for (int32_t i = 1; i <= bins; ++i) {
        first[i] += first[i - 1];
    }
    for (int32_t i = 0; i < m->count; ++i) { /* first[bin] grows to first[bin + 1] */
        m->slot[first[bin[i]]++] = near[i];
    }
    return LIM_OK;
}

/* What is asked of each near node. */
static lim_result describe_nodes(arena* a, rest_map* m) {
    size_t count = (size_t)m->count;
    m->weight = ARENA_ROOM(a, float, count);
    m->back = arena_room(a, count, sizeof(*m->back));
    m->has_back = ARENA_ARRAY(a, uint8_t, count);
    bool ok = m->weight != NULL && m->back != NULL && m->has_back != NULL;
    for (int k = 0; k < 3; ++k) {
        m->x[k] = ARENA_ROOM(a, float, count);
        ok = ok && m->x[k] != NULL;
    }
    for (int32_t i = 0; i < m->count && ok; ++i) {
        lim_point x = body_slot_local(m->b, m->slot[i]);
        float side = m->b->topology->side[m->slot[i]];
        m->x[0][i] = (float)x.x;
        m->x[1][i] = (float)x.y;
        m->x[2][i] = (float)x.z;
        m->weight[i] = 1.0f / (side * side);
    }
    return ok ? LIM_OK : LIM_ERROR_MEMORY;
}

/* The fragments of near nodes, where nodes are coarser than they. */
static lim_result take_material(arena* a, const float* side, rest_map* m) {
    const topology* t = m->b->topology;
    const matter* all = &t->matter;
    int32_t count = 0;
    for (int32_t f = 0; f < all->count; ++f) {
        count += side[t->fragment_slot[f]] > 0.0f;
    }
    float* column = ARENA_ROOM(a, float, 7 * (size_t)count);
    int32_t* slot = ARENA_ROOM(a, int32_t, count);
    if (column == NULL || slot == NULL) {
        return LIM_ERROR_MEMORY;
    }
    int32_t to = 0;
    for (int32_t f = 0; f < all->count; ++f) {
        if (!(side[t->fragment_slot[f]] > 0.0f)) {
            continue;
        }
        octant o = octant_of(all->key[f]);
        lim_point cell = p3_mad(all->corner, p3(o.x + 0.5, o.y + 0.5, o.z + 0.5), all->side);
        lim_vec3 centre = v3_of(p3_sub(cell, t->rest_origin));
        lim_vec3 x0 = v3_of(p3_sub(all->centroid[f], t->rest_origin));
        const float value[7] = {x0.x, x0.y, x0.z, centre.x, centre.y, centre.z, (float)all->side};
        for (int k = 0; k < 7; ++k) {
            column[(size_t)k * (size_t)count + (size_t)to] = value[k];
        }
        slot[to++] = t->fragment_slot[f];
    }
    size_t n = (size_t)count;
    m->material = (bind_material){.count = count,
                                  .x0 = {column, column + n, column + 2 * n},
                                  .centre = {column + 3 * n, column + 4 * n, column + 5 * n},
                                  .side = column + 6 * n,
                                  .slot = slot};
    return LIM_OK;
}

/* The cells of a lattice that hang on near nodes. */
static lim_result take_cells(arena* a, const float* side, rest_map* m) {
    const topology* t = m->b->topology;
    const matter* all = &t->matter;
    int32_t count = 0;
    for (int32_t f = 0; f < all->count; ++f) {
        count += side[t->fragment_slot[f]] > 0.0f;
    }
    uint64_t* key = ARENA_ARRAY(a, uint64_t, count);
    int32_t* corner = ARENA_ARRAY(a, int32_t, 8 * (size_t)count);
    lim_point* middle = ARENA_ARRAY(a, lim_point, count);
    if (key == NULL || corner == NULL || middle == NULL) {
        return LIM_ERROR_MEMORY;
    }
    LIM_TRY(lattice_material_cells(t, a, &m->cells));
    int32_t to = 0;
    for (int32_t f = 0; f < all->count; ++f) {
        if (side[t->fragment_slot[f]] > 0.0f) {
            key[to] = all->key[f];
            middle[to] = m->cells.middle[f];
            memcpy(corner + 8 * (size_t)to, t->bind.corner + 8 * (size_t)f, 8 * sizeof(int32_t));
            to++;
        }
    }
    m->cells.cell_count = count;
    m->cells.cell = key;
    m->cells.corner = corner;
    m->cells.middle = middle;
    return LIM_OK;
}

lim_result rest_map_make(arena* a, const body* b, int32_t piece, lim_point lower, lim_point upper,
                         rest_map* out) {
    const topology* t = b->topology;
    *out = (rest_map){.b = b};
    int32_t begin = t->component_begin[piece], end = t->component_begin[piece + 1];
    float* side = ARENA_ARRAY(a, float, t->slot_count);
    int32_t* near = ARENA_ROOM(a, int32_t, end - begin);
    lim_point* x = ARENA_ROOM(a, lim_point, end - begin);
    out->slot = ARENA_ROOM(a, int32_t, end - begin);
    if (side == NULL || near == NULL || x == NULL || out->slot == NULL) {
        return LIM_ERROR_MEMORY;
    }
    float widest = 0.0f;
    for (int32_t i = begin; i < end; ++i) {
        widest = t->slot_node[i] >= 0 && t->side[i] > widest ? t->side[i] : widest;
    }
    out->edge = (double)widest;
    double reach = (double)REST_MAP_NEAR * out->edge;
    for (int32_t i = begin; i < end; ++i) {
        lim_point at = body_slot_local(b, i);
        if (t->slot_node[i] >= 0 && is_near(at, lower, upper, reach)) {
            side[i] = t->side[i];
            x[out->count] = at;
            near[out->count++] = i;
        }
    }
    if (out->count == 0) {
        return LIM_OK;
    }
    LIM_TRY(make_bins(a, near, x, out));
    LIM_TRY(describe_nodes(a, out));
    if (t->kind->nodes == LIM_NODES_AT_CORNERS) {
        return take_cells(a, side, out);
    }
    out->nodes = (bind_nodes){.padded = t->slot_count,
                              .x0 = {t->x0[0], t->x0[1], t->x0[2]},
                              .centre = {t->centre[0], t->centre[1], t->centre[2]},
                              .side = side,
                              .slot_component = t->slot_component,
                              .g = topology_graph(t)};
    return t->node_count < t->matter.count ? take_material(a, side, out) : LIM_OK;
}

/* ---- the first answer ---------------------------------------------------------------------------
 */

/* Distance of the i-th near node, squared, in edges of its cell. */
static float nearness(const rest_map* m, int32_t i, lim_vec3 x) {
    float dx = m->x[0][i] - x.x, dy = m->x[1][i] - x.y, dz = m->x[2][i] - x.z;
    return (dx * dx + dy * dy + dz * dz) * m->weight[i];
}

static lim_point said_by(const rest_map* m, int32_t i, lim_point x) {
    int32_t slot = m->slot[i];
    if (!m->has_back[i]) {
        find_back(m->b, slot, m->back[i]);
        m->has_back[i] = 1;
    }
    return p3_add(body_slot_rest(m->b->topology, slot),
                  apply(m->back[i], p3_sub(x, body_slot_local(m->b, slot))));
}

/* The bins within so many of a place, as runs along x: calls `visit` for each run of near nodes. */
typedef struct bin_walk {
    int32_t low[3], high[3], j, k;
} bin_walk;

static bin_walk walk_about(const rest_map* m, lim_point at, int32_t bins) {
    double reach = bins * m->edge;
    bin_walk w = {.low = {bin_along(at.x - reach, m->corner.x, m->edge, m->size[0]),
                          bin_along(at.y - reach, m->corner.y, m->edge, m->size[1]),
                          bin_along(at.z - reach, m->corner.z, m->edge, m->size[2])},
                  .high = {bin_along(at.x + reach, m->corner.x, m->edge, m->size[0]),
                           bin_along(at.y + reach, m->corner.y, m->edge, m->size[1]),
                           bin_along(at.z + reach, m->corner.z, m->edge, m->size[2])}};
    w.j = w.low[1];
    w.k = w.low[2];
    return w;
}

/* The next run of near nodes; false: there is none. */
static bool walk_on(const rest_map* m, bin_walk* w, int32_t* begin, int32_t* end) {
    if (w->k > w->high[2]) {
        return false;
    }
    int32_t row = (w->k * m->size[1] + w->j) * m->size[0];
    *begin = m->first[row + w->low[0]];
    *end = m->first[row + w->high[0] + 1];
    w->k += w->j == w->high[1];
    w->j = w->j == w->high[1] ? w->low[1] : w->j + 1;
    return true;
}

/* Nearest node within so many bins, and how far, squared, in edges of its cell; -1: none. */
static int32_t find_nearest(const rest_map* m, lim_point at, int32_t bins, float* out_least) {
    lim_vec3 x = v3_of(at);
    int32_t nearest = -1, begin, end;
    *out_least = HUGE_VALF;
    for (bin_walk w = walk_about(m, at, bins); walk_on(m, &w, &begin, &end);) {
        for (int32_t i = begin; i < end; ++i) {
            float q = nearness(m, i, x);
            nearest = q < *out_least ? i : nearest;
            *out_least = q < *out_least ? q : *out_least;
        }
    }
    return nearest;
}

/* Wider and wider until no node beyond can be nearer: one that is n bins away is at least n edges
 * of its own cell away. -1: none within `most`. */
static int32_t search_nearest(const rest_map* m, lim_point at, int32_t most, float* out_least) {
    for (int32_t bins = 1; bins <= most; ++bins) {
        int32_t nearest = find_nearest(m, at, bins, out_least);
        if (*out_least <= (float)(bins * bins)) {
            return nearest;
        }
    }
    return -1;
}

/* Blended over nodes that are not much farther than the nearest. Only those that mean about the
 * same place count: where two parts of a body touch, one says nothing about the other. */
static rest_place first_answer(const rest_map* m, lim_point at) {
    float least;
    int32_t nearest = search_nearest(m, at, REST_MAP_NEAR / 2, &least), begin, end;
    nearest = nearest >= 0 ? nearest : find_nearest(m, at, 1 << 20, &least);
    float away = sqrtf(least), reach = 1.5f * away + 1.0f, limit = reach * reach;
    lim_vec3 x = v3_of(at);
    lim_point mean = said_by(m, nearest, at), sum = p3(0, 0, 0);
    double total = 0.0, own = (double)m->b->topology->side[m->slot[nearest]];
    for (bin_walk w = walk_about(m, at, (int32_t)reach + 1); walk_on(m, &w, &begin, &end);) {
        for (int32_t i = begin; i < end; ++i) {
            float q = nearness(m, i, x);
            if (!(q < limit)) {
                continue;
            }
            lim_point said = p3_sub(said_by(m, i, at), mean);
            double apart = ((double)m->b->topology->side[m->slot[i]] + own) * (1.0 + (double)away);
            double part = 1.0 - (double)q / (double)limit, v = part / ((double)q + 0.1);
            if (p3_dot(said, said) < apart * apart) {
                sum = p3_mad(sum, said, v * v);
                total += v * v;
            }
        }
    }
    return (rest_place){.at = p3_mad(mean, sum, 1.0 / total), .away = away};
}

/* ---- corrections --------------------------------------------------------------------------------
 */

/* A place on its way: where its rest place is thought to be, and how far from right that is. */
typedef struct search {
    lim_point at;
    double error;         /* HUGE_VAL: not known */
    double outside;       /* of the nearest cell that it is bound to, in its edges */
    double away;          /* the same in unit lengths */
    double back[9];       /* inverse gradient as far as it is known */
    lim_point step, left; /* the last step, and what was left to go before it */
    bool begun, done;
} search;

static void find_outside(const rest_map* m, const bindings* bound, int32_t point, search* s) {
    const topology* t = m->b->topology;
    const binding* b = &bound->bind[point];
    s->outside = HUGE_VAL;
    if (bound->cell_count > 0) {
        s->away = trilinear_outside(&m->cells, bound->cell[point], s->at);
        s->outside = s->away / m->cells.edge;
        return;
    }
    for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
        int32_t i = b->node[k];
        double half = 0.5 * (double)t->side[i];
        double x = fmax(fabs(s->at.x - (double)t->centre[0][i]) - half, 0.0);
        double y = fmax(fabs(s->at.y - (double)t->centre[1][i]) - half, 0.0);
        double z = fmax(fabs(s->at.z - (double)t->centre[2][i]) - half, 0.0);
        double away = sqrt(x * x + y * y + z * z);
        if (away < 2.0 * half * s->outside) {
            s->outside = away / (2.0 * half);
            s->away = away;
        }
    }
}

/* The last step s has moved the place by y = (left before) - (left now): the inverse H is changed
 * as little as it can be so that H y = s. */
static void learn(search* s, lim_point left) {
    lim_point moved = p3_sub(s->left, left), said = apply(s->back, moved);
    double share = p3_dot(s->step, said);
    if (!(fabs(share) > 0.01 * p3_dot(s->step, s->step))) {
        return;
    }
    const double miss[3] = {(s->step.x - said.x) / share, (s->step.y - said.y) / share,
                            (s->step.z - said.z) / share};
    double row[3]; /* step^T H */
    for (int j = 0; j < 3; ++j) {
        row[j] = s->step.x * s->back[j] + s->step.y * s->back[3 + j] + s->step.z * s->back[6 + j];
    }
    for (int k = 0; k < 9; ++k) {
        s->back[k] += miss[k / 3] * row[k % 3];
    }
}

/* Where a place at rest is now, and the gradient of the field there. */
static lim_point look_at(const rest_map* m, const bindings* bound, int32_t point, lim_point at,
                         dmat3* gradient) {
    const body* of = m->b;
    const binding* bind = &bound->bind[point];
    bool plain = bound->cell_count > 0;
    lim_point x = at;
    node_state nodes = body_nodes(of);
    *gradient = plain ? trilinear_gradient(bound, point, &nodes) : dmat3_identity();
    for (int k = 0; k < BINDING_NODES && bind->weight[k] > 0.0f; ++k) {
        int32_t i = bind->node[k];
        double w = (double)bind->weight[k], affine[9] = {0};
        for (int c = 0; c < 9 && !plain; ++c) {
            affine[c] = (double)of->affine[16 * (size_t)i + (size_t)c];
            gradient->m[c] += w * affine[c];
        }
        lim_point d = p3((double)of->d[0][i], (double)of->d[1][i], (double)of->d[2][i]);
        lim_point r = p3_sub(at, body_slot_rest(of->topology, i));
        x = p3_mad(x, p3_add(d, apply(affine, r)), w);
    }
    return x;
}

/* One round for one place. */
static void correct(const rest_map* m, const bindings* bound, int32_t i, lim_point target,
                    search* s) {
    const topology* t = m->b->topology;
    dmat3 gradient;
    lim_point x = look_at(m, bound, i, s->at, &gradient);
    lim_point left = p3_sub(target, x);
    double cell = (double)t->cell;
    s->error = p3_length(left) / cell;
    find_outside(m, bound, i, s);
    s->done = s->error < RIGHT || s->outside > FADE_TO;
    if (s->done) {
        return;
    }
    if (s->begun) {
        learn(s, left);
    } else if (!invert(gradient.m, s->back)) {
        s->done = true;
        return;
    }
    lim_point step = apply(s->back, left);
    s->begun = true;
    s->left = left;
    s->step = p3_scale(step, 0.5 * cell / fmax(p3_length(step), 0.5 * cell));
    s->at = p3_add(s->at, s->step);
}

/* A round for all that are not done. */
static lim_result correct_all(const rest_map* m, arena* scratch, const bind_nodes* nodes,
                              const lim_point* local, int32_t count, search* all,
                              int32_t* out_left) {
    lim_vec3* point = ARENA_ROOM(scratch, lim_vec3, count);
    int32_t *which = ARENA_ROOM(scratch, int32_t, count), active = 0;
    if (point == NULL || which == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < count; ++i) {
        if (!all[i].done) {
            which[active] = i;
            point[active++] = v3_of(all[i].at);
        }
    }
    bindings bound;
    LIM_TRY(m->cells.cell_count > 0
                ? bindings_build_trilinear(scratch, scratch, &m->cells, point, NULL, active, &bound)
                : bindings_build(scratch, scratch, nodes, point, NULL, active, NULL, &bound));
    *out_left = 0;
    for (int32_t i = 0; i < active; ++i) {
        correct(m, &bound, i, local[which[i]], &all[which[i]]);
        *out_left += !all[which[i]].done;
    }
    return LIM_OK;
}

/* Rounds share the grids of cells. */
static lim_result search_all(const rest_map* m, arena* mem, const lim_point* local, int32_t count,
                             search* all) {
    int32_t left = 0;
    for (int32_t i = 0; i < count; ++i) {
        left += !all[i].done;
    }
    if (left == 0) {
        return LIM_OK;
    }
    bind_nodes nodes = m->nodes;
    bind_material material = m->material;
    cell_grid cells, parts;
    if (m->cells.cell_count == 0) {
        LIM_TRY(cell_grid_build(&cells, mem, nodes.centre, nodes.side, nodes.padded, nodes.frame));
        nodes.grid = &cells;
    }
    if (material.count > 0) {
        LIM_TRY(cell_grid_build(&parts, mem, material.centre, material.side, material.count, NULL));
        material.grid = &parts;
        nodes.material = &material;
    }
    for (int32_t round = 0; round < ROUNDS && left > 0; ++round) {
        arena scratch;
        arena_init(&scratch, &m->b->host);
        lim_result result = correct_all(m, &scratch, &nodes, local, count, all, &left);
        arena_release(&scratch);
        LIM_TRY(result);
    }
    return LIM_OK;
}

lim_result rest_map_places(const rest_map* m, const lim_point* local, int32_t count,
                           rest_place* out) {
    arena scratch;
    arena_init(&scratch, &m->b->host);
    search* all = ARENA_ROOM(&scratch, search, count);
    lim_result result = all != NULL ? LIM_OK : LIM_ERROR_MEMORY;
    for (int32_t i = 0; i < count && result == LIM_OK; ++i) {
        out[i] = first_answer(m, local[i]);
        all[i] = (search){.at = out[i].at, .error = HUGE_VAL};
        if ((double)out[i].away > SURELY_OUT) {
            all[i].done = true;
            all[i].outside = (double)out[i].away;
            all[i].away =
                ((double)out[i].away - SURELY_OUT + FADE_TO) * (double)m->b->topology->cell;
        }
    }
    if (result == LIM_OK) {
        result = search_all(m, &scratch, local, count, all);
    }
    for (int32_t i = 0; i < count && result == LIM_OK; ++i) {
        double part = (FADE_TO - all[i].outside) / (FADE_TO - FADE_FROM);
        part = part < 0.0 ? 0.0 : part < 1.0 ? part * part * (3.0 - 2.0 * part) : 1.0;
        part = all[i].error < ENOUGH ? part : 0.0;
        out[i].at = p3_mad(out[i].at, p3_sub(all[i].at, out[i].at), part);
        out[i].outside = (float)all[i].away;
    }
    arena_release(&scratch);
    return result;
}

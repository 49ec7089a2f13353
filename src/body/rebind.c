/* SPDX-License-Identifier: MIT
 * Job: bindings after an edit. In: bindings before it, nodes that are still the same, the home of
 * every point. Out: bindings. What a point is bound to follows from its own slot, from the cells
 * that come nearer than half the own cell's edge (finer ones: CELL_KERNEL_FINE of it), from which
 * of these are neighbours or of one component, and from the order of their slots; so a point is
 * bound anew where any of these is another.
 */
#include "body/rebind.h"

#include "body/bind_cells.h"
#include "skin/cell_kernel.h"

/* How much farther is looked than rounding could matter. */
#define SLACK 1.001
/* Points farther outside of their own cell than this share of its edge are looked at one by one. */
#define STRAY 0.25
/* Widest cells: how far from what has changed the centres of cells lie that matter. Points near a
 * change lie within CELL_KERNEL_FINE of it, cells that they see within as much again and a half. */
#define ABOUT 2.5

typedef struct rebinding {
    topology* t;
    const topology* from;
    const kept_nodes* kept;
    const int32_t* old;
    int32_t* own;   /* per point: its slot */
    uint8_t* renew; /* per point */
    int32_t* first; /* CSR: the points of each slot */
    int32_t* point;
    int32_t* stray; /* points far outside of their cells */
    int32_t strays;
    cell_grid grid;
    int32_t* near;
} rebinding;

/* Distance of a point from a box in the max norm; 0 inside. */
static double beyond(lim_vec3 at, const double centre[3], double half) {
    const double x[3] = {(double)at.x, (double)at.y, (double)at.z};
    double most = 0.0;
    for (int k = 0; k < 3; ++k) {
        double out = fabs(x[k] - centre[k]) - half;
        most = out > most ? out : most;
    }
    return most;
}

static void cell_of(const topology* t, int32_t slot, double centre[3]) {
    for (int k = 0; k < 3; ++k) {
        centre[k] = (double)t->centre[k][slot];
    }
}

static lim_result allocate(rebinding* r, arena* scratch) {
    int32_t count = r->t->bind.count;
    r->own = ARENA_ROOM(scratch, int32_t, count);
    r->renew = ARENA_ROOM(scratch, uint8_t, count);
    r->first = ARENA_ARRAY(scratch, int32_t, r->t->slot_count + 1);
    r->point = ARENA_ROOM(scratch, int32_t, count);
    r->stray = ARENA_ROOM(scratch, int32_t, count);
    r->near = ARENA_ROOM(scratch, int32_t, r->t->slot_count);
    LIM_TRY_MEMORY(r->own);
    LIM_TRY_MEMORY(r->renew);
    LIM_TRY_MEMORY(r->first);
    LIM_TRY_MEMORY(r->point);
    LIM_TRY_MEMORY(r->stray);
    LIM_TRY_MEMORY(r->near);
    return LIM_OK;
}

/* Own slots; points that are new, or whose own slot is or has changed; the others by slot. */
static void sort_points(rebinding* r) {
    const topology* t = r->t;
    for (int32_t i = 0; i < t->bind.count; ++i) {
        int32_t own = r->own[i] = t->fragment_slot[t->point_home[i]], q = r->old[i];
        int32_t was = q >= 0 ? r->from->fragment_slot[r->from->point_home[q]] : -1;
        r->renew[i] = was < 0 || r->kept->before[own] != was || r->kept->changed[own];
        if (!r->renew[i]) {
            double centre[3], side = (double)t->side[own];
            cell_of(t, own, centre);
            if (beyond(bindings_rest(&t->bind, i), centre, 0.5 * side) > STRAY * side) {
                r->stray[r->strays++] = i;
            } else {
                r->first[own + 1]++;
            }
        }
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        r->first[i + 1] += r->first[i];
    }
    /* Those that are not strays: found again by walking strays along, both are ascending. */
    int32_t stray = 0;
    for (int32_t i = 0; i < t->bind.count; ++i) {
        bool is_stray = stray < r->strays && r->stray[stray] == i;
        stray += is_stray;
        if (!r->renew[i] && !is_stray) {
            r->point[r->first[r->own[i]]++] = i;
        }
    }
    for (int32_t i = t->slot_count; i > 0; --i) {
        r->first[i] = r->first[i - 1];
    }
    r->first[0] = 0;
}

/* Only finer cells matter beyond half of the own edge (skin/cell_kernel.h). */
static void look_at(rebinding* r, int32_t point, const double centre[3], double half) {
    if (!r->renew[point]) {
        double side = (double)r->t->side[r->own[point]];
        double reach = SLACK * (2.0 * half < 0.75 * side ? CELL_KERNEL_FINE : 0.5) * side;
        r->renew[point] = beyond(bindings_rest(&r->t->bind, point), centre, half) < reach;
    }
}

/* Whether no point of a slot, strays apart, can be near a cell. */
static bool is_far(const rebinding* r, int32_t slot, const double centre[3], double half) {
    const topology* t = r->t;
    double side = (double)t->side[slot], reach = (0.5 + STRAY + SLACK * CELL_KERNEL_FINE) * side;
    return beyond(v3(t->centre[0][slot], t->centre[1][slot], t->centre[2][slot]), centre, half) >
           SLACK * reach;
}

/* All points near a cell in which something has changed. */
static void spread_cell(rebinding* r, const topology* of, int32_t slot) {
    double centre[3], half = 0.5 * (double)of->side[slot];
    cell_of(of, slot, centre);
    for (int32_t l = 0; l < r->grid.layer_count; ++l) {
        double widest = r->grid.layer[l].widest;
        double reach = half + (SLACK * CELL_KERNEL_FINE + STRAY) * widest;
        int32_t count =
            cell_grid_around(&r->grid, l, p3(centre[0], centre[1], centre[2]), reach, r->near);
        for (int32_t i = 0; i < count; ++i) {
            int32_t begin = r->first[r->near[i]], end = r->first[r->near[i] + 1];
            if (begin == end || is_far(r, r->near[i], centre, half)) {
                continue;
            }
            for (int32_t k = begin; k < end; ++k) {
                look_at(r, r->point[k], centre, half);
            }
        }
    }
    for (int32_t i = 0; i < r->strays; ++i) {
        look_at(r, r->stray[i], centre, half);
    }
}

/* Fragments of one cell are slots in a row as a rule: the cell is looked at once. */
static bool same_cell(const topology* t, int32_t a, int32_t b) {
    return b >= 0 && t->key[a] == t->key[b] && t->side[b] > 0.0f;
}

static void spread_changes(rebinding* r) {
    int32_t last = -1;
    for (int32_t i = 0; i < r->t->slot_count; ++i) {
        if (r->kept->changed[i]) {
            if (!same_cell(r->t, i, last)) {
                spread_cell(r, r->t, i);
            }
            last = i;
        }
    }
    last = -1;
    for (int32_t i = 0; i < r->from->slot_count; ++i) {
        if (r->from->slot_node[i] >= 0 && r->kept->after[i] < 0) {
            if (!same_cell(r->from, i, last)) {
                spread_cell(r, r->from, i);
            }
            last = i;
        }
    }
}

/* Components that are not one and the same: bit 0 of those of `t` that were part of a larger one,
 * or several. */
static lim_result find_split(const rebinding* r, arena* scratch, uint8_t** out, bool* out_any) {
    const topology* t = r->t;
    int32_t* now = ARENA_ARRAY(scratch, int32_t, r->from->component_count); /* 1 + component */
    int32_t* was = ARENA_ARRAY(scratch, int32_t, t->component_count);
    uint8_t* split = *out = ARENA_ARRAY(scratch, uint8_t, t->component_count);
    LIM_TRY_MEMORY(now);
    LIM_TRY_MEMORY(was);
    LIM_TRY_MEMORY(split);
    *out_any = false;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        int32_t before = r->kept->before[i];
        if (before < 0) {
            continue;
        }
        int32_t c = t->slot_component[i], o = r->from->slot_component[before];
        now[o] = now[o] == 0 ? c + 1 : now[o];
        was[c] = was[c] == 0 ? o + 1 : was[c];
        if (now[o] != c + 1 || was[c] != o + 1) {
            split[c] = split[now[o] - 1] = 1;
            *out_any = true;
        }
    }
    return LIM_OK;
}

/* Whether some cell about a slot counts for its points now and did not before, or the other way
 * round, because it is of another component. */
static bool parted(rebinding* r, int32_t slot) {
    const topology* t = r->t;
    const int32_t *now = t->slot_component, *was = r->from->slot_component;
    const int32_t* before = r->kept->before;
    lim_point at =
        p3((double)t->centre[0][slot], (double)t->centre[1][slot], (double)t->centre[2][slot]);
    double reach = (0.5 + STRAY + SLACK * CELL_KERNEL_FINE) * (double)t->side[slot];
    for (int32_t l = 0; l < r->grid.layer_count; ++l) {
        int32_t count = cell_grid_around(&r->grid, l, at, reach, r->near);
        for (int32_t i = 0; i < count; ++i) {
            int32_t other = r->near[i];
            bool joined = now[other] == now[slot];
            if (before[other] >= 0 && joined != (was[before[other]] == was[before[slot]])) {
                return true;
            }
        }
    }
    return false;
}

/* Points that see cells of another component now. */
static void spread_splits(rebinding* r, const uint8_t* split) {
    for (int32_t i = 0; i < r->t->slot_count; ++i) {
        if (r->first[i] < r->first[i + 1] && split[r->t->slot_component[i]] && parted(r, i)) {
            for (int32_t k = r->first[i]; k < r->first[i + 1]; ++k) {
                r->renew[r->point[k]] = 1;
            }
        }
    }
    for (int32_t i = 0; i < r->strays; ++i) {
        r->renew[r->stray[i]] = 1;
    }
}

/* ---- cells about a change -----------------------------------------------------------------------
 */

static void add_to_box(lim_point box[2], lim_point at, double half) {
    lim_point by = p3(half, half, half);
    box[0] = p3_min(box[0], p3_sub(at, by));
    box[1] = p3_max(box[1], p3_add(at, by));
}

static void add_cell(lim_point box[2], const topology* of, int32_t slot, double* widest) {
    double centre[3], side = (double)of->side[slot];
    cell_of(of, slot, centre);
    add_to_box(box, p3(centre[0], centre[1], centre[2]), 0.5 * side);
    *widest = side > *widest ? side : *widest;
}

/* Around all that has changed, and whatever matters to points there. */
static void box_changes(const rebinding* r, lim_point box[2]) {
    const topology *t = r->t, *from = r->from;
    double widest = 0.0;
    box[0] = p3(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    box[1] = p3_scale(box[0], -1.0);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        widest = (double)t->side[i] > widest ? (double)t->side[i] : widest;
        if (r->kept->changed[i]) {
            add_cell(box, t, i, &widest);
        }
    }
    for (int32_t i = 0; i < from->slot_count; ++i) {
        if (from->slot_node[i] >= 0 && r->kept->after[i] < 0) {
            add_cell(box, from, i, &widest);
        }
    }
    for (int32_t i = 0; i < t->bind.count; ++i) {
        if (r->renew[i]) {
            add_to_box(box, p3_of(bindings_rest(&t->bind, i)), 0.0);
        }
    }
    lim_point by = p3(ABOUT * widest, ABOUT * widest, ABOUT * widest);
    box[0] = p3_sub(box[0], by);
    box[1] = p3_add(box[1], by);
}

/* Where a component has fallen apart anything may have changed that is near another part of it. */
static lim_result find_cells(rebinding* r, arena* scratch, const bind_nodes* nodes, bool everywhere,
                             cell_frame frame) {
    lim_point box[2];
    if (!everywhere) {
        box_changes(r, box);
        frame.within = box;
    }
    lim_result result =
        cell_grid_build(&r->grid, scratch, nodes->centre, nodes->side, nodes->padded, &frame);
    return result == LIM_ERROR_ARGUMENT ? LIM_OK : result; /* no cell is near: none is found */
}

/* Slots renumbered. A node that is gone cannot be among them; should it be, the point is bound
 * anew. */
static void take_over(rebinding* r, int32_t point) {
    const binding* b = &r->from->bind.bind[r->old[point]];
    const int32_t* after = r->kept->after;
    binding out = *b;
    int32_t all = 0; /* negative where one of them is */
    for (int k = 0; k < BINDING_NODES; ++k) {
        out.node[k] = after[b->node[k]];
        all |= out.node[k];
    }
    r->t->bind.bind[point] = out;
    r->renew[point] = all < 0;
    r->t->bind.component[point] = r->t->slot_component[r->own[point]];
}

lim_result rebind(topology* t, arena* scratch, const topology* from, const kept_nodes* kept,
                  const int32_t* old, workers* pool, int32_t* out_renewed) {
    rebinding r = {.t = t, .from = from, .kept = kept, .old = old};
    cell_frame frame;
    bind_nodes nodes = bind_cells_nodes(t, &frame);
    uint8_t* split;
    bool fell_apart;
    int32_t count = 0;
    t->bind.bind = ARENA_ROOM(&t->mem, binding, t->bind.count);
    t->bind.component = ARENA_ROOM(&t->mem, int32_t, t->bind.count);
    LIM_TRY_MEMORY(t->bind.bind);
    LIM_TRY_MEMORY(t->bind.component);
    LIM_TRY(allocate(&r, scratch));
    LIM_TRY(find_split(&r, scratch, &split, &fell_apart));
    sort_points(&r);
    LIM_TRY(find_cells(&r, scratch, &nodes, fell_apart, frame));
    spread_changes(&r);
    if (fell_apart) {
        spread_splits(&r, split);
    }
    for (int32_t i = 0; i < t->bind.count; ++i) {
        if (!r.renew[i]) {
            take_over(&r, i);
        }
        if (r.renew[i]) {
            r.point[count] = i;
            r.own[count++] = r.own[i];
        }
    }
    *out_renewed = count;
    nodes.grid = &r.grid;
    return bindings_renew(scratch, &nodes, r.point, r.own, count, pool, &t->bind);
}

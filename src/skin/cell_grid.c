/* SPDX-License-Identifier: MIT
 * Job: find cells near a point. In: cell centres and edges. Out: lists of slots. Each layer of
 * cells of one size is a dense grid of bins over its centres, filled by counting; the search
 * for the nearest walks shells of bins outwards until no bin further out can hold a nearer cell.
 */
#include "skin/cell_grid.h"

/* Bins along the longest side at most: 64^3 offsets are 1 MB of scratch per layer. Of a tree: along
 * the root, which may be twice as wide as the body. */
enum { GRID_LONGEST = 64, GRID_ROOT = 128 };

static int32_t bin_along(const cell_layer* l, int axis, double x) {
    double t = (x - l->lower[axis]) / l->edge;
    t = t < 0.0 ? 0.0 : t;
    double last = (double)(l->size[axis] - 1);
    return (int32_t)(t > last ? last : t);
}

static int32_t bin_of(const cell_layer* l, int32_t x, int32_t y, int32_t z) {
    return (z * l->size[1] + y) * l->size[0] + x;
}

/* Halvings from the widest cell to this one, the nearest whole number. */
static int32_t layer_of(double widest, double side) {
    int32_t layer = 0;
    for (double edge = widest; layer < CELL_LAYERS - 1 && side < 0.75 * edge; edge *= 0.5) {
        layer++;
    }
    return layer;
}

/* A cell on its way into its bin. */
typedef struct placed_cell {
    int32_t slot, layer, bin;
} placed_cell;

static bool is_within(const cell_frame* frame, const cell_grid* g, int32_t i) {
    if (frame == NULL || frame->within == NULL) {
        return true;
    }
    lim_point at = p3((double)g->centre[0][i], (double)g->centre[1][i], (double)g->centre[2][i]);
    lim_point low = frame->within[0], high = frame->within[1];
    return at.x >= low.x && at.x <= high.x && at.y >= low.y && at.y <= high.y && at.z >= low.z &&
           at.z <= high.z;
}

/* Lists the cells, counts those of each layer and measures the boxes of their centres. */
static void layers_measure(cell_grid* g, double widest, double upper[CELL_LAYERS][3],
                           int32_t padded, const cell_frame* frame, placed_cell* cell) {
    for (int32_t i = 0; i < padded; ++i) {
        if (!(g->side[i] > 0.0f) || !is_within(frame, g, i)) {
            continue;
        }
        int32_t which = layer_of(widest, (double)g->side[i]);
        cell_layer* l = &g->layer[which];
        l->widest = (double)g->side[i] > l->widest ? (double)g->side[i] : l->widest;
        for (int axis = 0; axis < 3; ++axis) {
            double x = (double)g->centre[axis][i];
            l->lower[axis] = l->count == 0 || x < l->lower[axis] ? x : l->lower[axis];
            upper[which][axis] = l->count == 0 || x > upper[which][axis] ? x : upper[which][axis];
        }
        l->count++;
        cell[g->slot_count++] = (placed_cell){.slot = i, .layer = which};
        g->layer_count = which >= g->layer_count ? which + 1 : g->layer_count;
    }
}

/* Bin edge and number of bins; returns the bins. */
static int32_t layer_bins(cell_layer* l, const double upper[3]) {
    double longest = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double extent = upper[axis] - l->lower[axis];
        longest = extent > longest ? extent : longest;
    }
    double coarse = longest / (GRID_LONGEST - 1);
    l->edge = l->widest > coarse ? l->widest : coarse;
    for (int axis = 0; axis < 3; ++axis) {
        double bins = (upper[axis] - l->lower[axis]) / l->edge;
        l->size[axis] = (int32_t)(bins < GRID_LONGEST - 1 ? bins : GRID_LONGEST - 1) + 1;
    }
    return l->size[0] * l->size[1] * l->size[2];
}

/* The same with bins of the root's; cells have their centres well inside of one. */
static int32_t layer_bins_of_root(cell_layer* l, const double upper[3], const cell_frame* frame) {
    const double corner[3] = {frame->lower.x, frame->lower.y, frame->lower.z};
    l->edge = l->widest;
    while (l->edge * ((double)GRID_ROOT + 0.5) < frame->root) {
        l->edge *= 2.0;
    }
    for (int axis = 0; axis < 3; ++axis) {
        double before = (double)(int64_t)((l->lower[axis] - corner[axis]) / l->edge);
        l->lower[axis] = corner[axis] + before * l->edge;
        double bins = (upper[axis] - l->lower[axis]) / l->edge;
        l->size[axis] = (int32_t)(bins < (double)GRID_ROOT ? bins : (double)GRID_ROOT) + 1;
    }
    return l->size[0] * l->size[1] * l->size[2];
}

/* The bins of a layer, empty. */
static lim_result layer_open(cell_layer* l, arena* a, const double upper[3],
                             const cell_frame* frame) {
    l->bins = frame != NULL ? layer_bins_of_root(l, upper, frame) : layer_bins(l, upper);
    l->offset = ARENA_ARRAY(a, int32_t, l->bins + 1);
    l->slot = ARENA_ROOM(a, int32_t, l->count);
    LIM_TRY_MEMORY(l->offset);
    LIM_TRY_MEMORY(l->slot);
    return LIM_OK;
}

/* Cells into the bins of their layers, in order of slot. */
static void layers_fill(cell_grid* g, placed_cell* cell) {
    for (int32_t i = 0; i < g->slot_count; ++i) {
        const cell_layer* l = &g->layer[cell[i].layer];
        int32_t slot = cell[i].slot;
        cell[i].bin = bin_of(l, bin_along(l, 0, (double)g->centre[0][slot]),
                             bin_along(l, 1, (double)g->centre[1][slot]),
                             bin_along(l, 2, (double)g->centre[2][slot]));
        l->offset[cell[i].bin + 1]++;
    }
    for (int32_t which = 0; which < g->layer_count; ++which) {
        const cell_layer* l = &g->layer[which];
        for (int32_t bin = 0; bin < l->bins; ++bin) {
            l->offset[bin + 1] += l->offset[bin];
        }
    }
    for (int32_t i = g->slot_count - 1; i >= 0; --i) { /* backwards: ends become beginnings */
        const cell_layer* l = &g->layer[cell[i].layer];
        l->slot[--l->offset[cell[i].bin + 1]] = cell[i].slot;
    }
    for (int32_t which = 0; which < g->layer_count; ++which) {
        const cell_layer* l = &g->layer[which];
        for (int32_t bin = 0; bin < l->bins; ++bin) {
            l->offset[bin] = l->offset[bin + 1];
        }
        if (l->count > 0) {
            l->offset[l->bins] = l->count;
        }
    }
}

lim_result cell_grid_build(cell_grid* g, arena* a, const float* const centre[3], const float* side,
                           int32_t padded, const cell_frame* frame) {
    *g = (cell_grid){.centre = {centre[0], centre[1], centre[2]}, .side = side};
    double widest = 0.0, upper[CELL_LAYERS][3] = {{0}};
    placed_cell* cell = ARENA_ROOM(a, placed_cell, padded);
    LIM_TRY_MEMORY(cell);
    for (int32_t i = 0; i < padded; ++i) {
        widest = (double)side[i] > widest ? (double)side[i] : widest;
    }
    layers_measure(g, widest, upper, padded, frame, cell);
    if (g->slot_count == 0) {
        return LIM_ERROR_ARGUMENT;
    }
    for (int32_t which = 0; which < g->layer_count; ++which) {
        if (g->layer[which].count > 0) {
            LIM_TRY(layer_open(&g->layer[which], a, upper[which], frame));
        }
    }
    layers_fill(g, cell);
    return LIM_OK;
}

static double square_distance(const cell_grid* g, int32_t slot, lim_point at) {
    double half = 0.5 * (double)g->side[slot], x[3] = {at.x, at.y, at.z}, sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double out = fabs(x[axis] - (double)g->centre[axis][slot]) - half;
        sum += out > 0.0 ? out * out : 0.0;
    }
    return sum;
}

double cell_grid_distance(const cell_grid* g, int32_t slot, lim_point at) {
    return sqrt(square_distance(g, slot, at));
}

/* Of the cells from `from` on keeps those that may be nearest so far; lowers the distance. */
static int32_t keep_nearest(const cell_grid* g, lim_point at, int32_t from, int32_t count,
                            double* best, int32_t* near) {
    for (int32_t i = from; i < count; ++i) {
        double reach = *best + CELL_GRID_MARGIN * (double)g->side[near[i]];
        double square = square_distance(g, near[i], at);
        near[from] = near[i];
        if (!(square > reach * reach)) {
            double distance = sqrt(square);
            *best = distance < *best ? distance : *best;
            from++;
        }
    }
    return from;
}

/* Appends the cells of the bins at exactly `ring` bins from `base` in the max norm. */
static int32_t append_shell(const cell_layer* l, const int32_t base[3], int32_t ring, int32_t count,
                            int32_t* near) {
    int32_t low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = base[axis] - ring < 0 ? 0 : base[axis] - ring;
        high[axis] = base[axis] + ring >= l->size[axis] ? l->size[axis] - 1 : base[axis] + ring;
    }
    for (int32_t z = low[2]; z <= high[2]; ++z) {
        for (int32_t y = low[1]; y <= high[1]; ++y) {
            bool face = z == base[2] - ring || z == base[2] + ring || y == base[1] - ring ||
                        y == base[1] + ring;
            for (int32_t x = low[0]; x <= high[0]; ++x) {
                if (!face && x != base[0] - ring && x != base[0] + ring) {
                    continue;
                }
                int32_t bin = bin_of(l, x, y, z);
                for (int32_t k = l->offset[bin]; k < l->offset[bin + 1]; ++k) {
                    near[count++] = l->slot[k];
                }
            }
        }
    }
    return count;
}

int32_t cell_grid_nearest(const cell_grid* g, lim_point at, int32_t* near) {
    int32_t count = 0;
    double best = HUGE_VAL;
    /* First the bins about the point in every layer, then what further shells a layer needs. */
    for (int32_t pass = 0; pass < 2; ++pass) {
        for (int32_t which = 0; which < g->layer_count; ++which) {
            const cell_layer* l = &g->layer[which];
            if (l->count == 0) {
                continue;
            }
            int32_t base[3] = {bin_along(l, 0, at.x), bin_along(l, 1, at.y), bin_along(l, 2, at.z)};
            int32_t longest = l->size[0] > l->size[1] ? l->size[0] : l->size[1];
            longest = l->size[2] > longest ? l->size[2] : longest;
            for (int32_t ring = 2 * pass; ring < (pass == 0 ? 2 : longest); ++ring) {
                /* A cell reaches at most half a bin out of the bin of its centre. */
                double reach = best + CELL_GRID_MARGIN * l->widest;
                if (ring > 1 && reach <= ((double)ring - 1.5) * l->edge) {
                    break;
                }
                int32_t end = append_shell(l, base, ring, count, near);
                count = keep_nearest(g, at, count, end, &best, near);
            }
        }
    }
    return count;
}

int32_t cell_grid_around(const cell_grid* g, int32_t layer, lim_point at, double radius,
                         int32_t* near) {
    const cell_layer* l = &g->layer[layer];
    double x[3] = {at.x, at.y, at.z}, reach = radius + 0.5 * l->widest;
    int32_t low[3], high[3], count = 0;
    if (l->count == 0) {
        return 0;
    }
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = bin_along(l, axis, x[axis] - reach);
        high[axis] = bin_along(l, axis, x[axis] + reach);
    }
    for (int32_t z = low[2]; z <= high[2]; ++z) {
        for (int32_t y = low[1]; y <= high[1]; ++y) {
            int32_t first = l->offset[bin_of(l, low[0], y, z)];
            int32_t end = l->offset[bin_of(l, high[0], y, z) + 1];
            for (int32_t k = first; k < end; ++k) {
                near[count++] = l->slot[k];
            }
        }
    }
    return count;
}

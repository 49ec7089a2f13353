/* SPDX-License-Identifier: MIT
 * Job: find cells near a point. In: cell centres and edges. Out: lists of slots. Bins are a dense
 * grid over the centres, filled by one stable sort; a search walks shells of bins outwards until no
 * bin further out can hold a nearer cell.
 */
#include "skin/cell_grid.h"

#include "base/sort.h"

/* Bins along the longest side at most: 64^3 offsets are 1 MB of scratch. */
enum { GRID_LONGEST = 64 };

static int32_t bin_along(const cell_grid* g, int axis, double x) {
    double t = (x - g->lower[axis]) / g->edge;
    t = t < 0.0 ? 0.0 : t;
    double last = (double)(g->size[axis] - 1);
    return (int32_t)(t > last ? last : t);
}

static int32_t bin_of(const cell_grid* g, int32_t x, int32_t y, int32_t z) {
    return (z * g->size[1] + y) * g->size[0] + x;
}

/* Box of the centres and bin edge; false when there is no cell. */
static bool grid_measure(cell_grid* g, int32_t padded) {
    double upper[3] = {0, 0, 0}, widest = 0.0, longest = 0.0;
    g->slot_count = 0;
    for (int32_t i = 0; i < padded; ++i) {
        if (!(g->side[i] > 0.0f)) {
            continue;
        }
        widest = (double)g->side[i] > widest ? (double)g->side[i] : widest;
        for (int axis = 0; axis < 3; ++axis) {
            double x = (double)g->centre[axis][i];
            g->lower[axis] = g->slot_count == 0 || x < g->lower[axis] ? x : g->lower[axis];
            upper[axis] = g->slot_count == 0 || x > upper[axis] ? x : upper[axis];
        }
        g->slot_count++;
    }
    for (int axis = 0; axis < 3; ++axis) {
        double extent = upper[axis] - g->lower[axis];
        longest = extent > longest ? extent : longest;
    }
    double coarse = longest / (GRID_LONGEST - 1);
    g->edge = widest > coarse ? widest : coarse;
    for (int axis = 0; axis < 3 && g->slot_count > 0; ++axis) {
        double bins = (upper[axis] - g->lower[axis]) / g->edge;
        g->size[axis] = (int32_t)(bins < GRID_LONGEST - 1 ? bins : GRID_LONGEST - 1) + 1;
    }
    return g->slot_count > 0;
}

lim_result cell_grid_build(cell_grid* g, arena* a, const float* const centre[3], const float* side,
                           int32_t padded) {
    *g = (cell_grid){.centre = {centre[0], centre[1], centre[2]}, .side = side};
    if (!grid_measure(g, padded)) {
        return LIM_ERROR_ARGUMENT;
    }
    int32_t bins = g->size[0] * g->size[1] * g->size[2];
    sort_item* items = ARENA_ARRAY(a, sort_item, g->slot_count);
    sort_item* scratch = ARENA_ARRAY(a, sort_item, g->slot_count);
    g->offset = ARENA_ARRAY(a, int32_t, bins + 1);
    g->slot = ARENA_ARRAY(a, int32_t, g->slot_count);
    if (items == NULL || scratch == NULL || g->offset == NULL || g->slot == NULL) {
        return LIM_ERROR_MEMORY;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < padded; ++i) {
        if (side[i] > 0.0f) {
            int32_t bin = bin_of(g, bin_along(g, 0, (double)centre[0][i]),
                                 bin_along(g, 1, (double)centre[1][i]),
                                 bin_along(g, 2, (double)centre[2][i]));
            items[count++] = (sort_item){.key = (uint64_t)bin, .value = i};
            g->offset[bin + 1]++;
        }
    }
    sort_items(items, scratch, count);
    for (int32_t i = 0; i < count; ++i) {
        g->slot[i] = items[i].value;
    }
    for (int32_t bin = 0; bin < bins; ++bin) {
        g->offset[bin + 1] += g->offset[bin];
    }
    return LIM_OK;
}

double cell_grid_distance(const cell_grid* g, int32_t slot, lim_point at) {
    double half = 0.5 * (double)g->side[slot], x[3] = {at.x, at.y, at.z}, sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double out = fabs(x[axis] - (double)g->centre[axis][slot]) - half;
        sum += out > 0.0 ? out * out : 0.0;
    }
    return sqrt(sum);
}

/* Appends the cells of the bins at exactly `ring` bins from `base` in the max norm. */
static int32_t append_shell(const cell_grid* g, const int32_t base[3], int32_t ring, int32_t count,
                            int32_t* near) {
    int32_t low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = base[axis] - ring < 0 ? 0 : base[axis] - ring;
        high[axis] = base[axis] + ring >= g->size[axis] ? g->size[axis] - 1 : base[axis] + ring;
    }
    for (int32_t z = low[2]; z <= high[2]; ++z) {
        for (int32_t y = low[1]; y <= high[1]; ++y) {
            bool face = z == base[2] - ring || z == base[2] + ring || y == base[1] - ring ||
                        y == base[1] + ring;
            for (int32_t x = low[0]; x <= high[0]; ++x) {
                if (!face && x != base[0] - ring && x != base[0] + ring) {
                    continue;
                }
                int32_t bin = bin_of(g, x, y, z);
                for (int32_t k = g->offset[bin]; k < g->offset[bin + 1]; ++k) {
                    near[count++] = g->slot[k];
                }
            }
        }
    }
    return count;
}

int32_t cell_grid_near(const cell_grid* g, lim_point at, int32_t* near) {
    int32_t base[3] = {bin_along(g, 0, at.x), bin_along(g, 1, at.y), bin_along(g, 2, at.z)};
    int32_t count = 0, measured = 0;
    double best = HUGE_VAL;
    for (int32_t ring = 0; ring < GRID_LONGEST; ++ring) {
        /* A cell reaches at most half a bin out of the bin of its centre. The shells up to 1 hold
         * every cell the kernel reaches. */
        if (ring > 1 && best <= ((double)ring - 1.5) * g->edge) {
            break;
        }
        count = append_shell(g, base, ring, count, near);
        for (; measured < count; ++measured) {
            double distance = cell_grid_distance(g, near[measured], at);
            best = distance < best ? distance : best;
        }
    }
    return count;
}

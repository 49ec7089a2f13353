/* SPDX-License-Identifier: MIT
 * Job: which sub-voxels have their centre inside. In: a grid with its surface. Out: inside masks,
 * with cells made where material is away from the surface. Inside is: winding number above 1/2. Two
 * ways: for a mesh of closed parts, the signed crossings of each row of centres along x give the
 * numbers of the whole row exactly; for any other mesh the hierarchical winding number is asked for
 * near the surface, and once per cell further in.
 */
#include "sample/voxels.h"

#include "base/sort.h"
#include "mesh/crossing.h"

/* ---- closed: rows ---------------------------------------------------------------------------- */

typedef ARRAY(sort_item) crossing_list;

/* A row is (y, z) in sub-voxels, in order of cells first; a place along x is up to 2^21. */
enum { BAR_BITS = 4, CELL_BITS = 19, PLACE_BITS = 22 };

static int32_t clamp_up(double at, int32_t most) {
    double index = ceil(at);
    return index < 0.0 ? 0 : index > most ? most : (int32_t)index;
}

/* Range of y in which the triangle lies at height z; empty (low > high) when it does not reach z.
 */
static void range_at(const lim_point p[3], double z, double* out_low, double* out_high) {
    *out_low = INFINITY;
    *out_high = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        lim_point a = p[k], b = p[k == 2 ? 0 : k + 1];
        if ((a.z > z) == (b.z > z)) {
            continue;
        }
        double y = a.y + (b.y - a.y) * ((z - a.z) / (b.z - a.z));
        *out_low = y < *out_low ? y : *out_low;
        *out_high = y > *out_high ? y : *out_high;
    }
}

static uint64_t row_of(int32_t y, int32_t z) {
    uint64_t bar = (uint64_t)(z >> 2) << CELL_BITS | (uint64_t)(y >> 2);
    return bar << BAR_BITS | (uint64_t)(4 * (z & 3) + (y & 3));
}

static lim_result cross_triangle(const voxels* v, int32_t triangle, crossing_list* list) {
    const int32_t* corner = v->mesh->triangle_point + 3 * (size_t)triangle;
    lim_point p[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = voxels_grid(v, v->mesh->point[corner[k]]);
    }
    int32_t rows = MASK_SIDE * v->extent;
    lim_point lower = p3_min(p3_min(p[0], p[1]), p[2]);
    lim_point upper = p3_max(p3_max(p[0], p[1]), p[2]);
    for (int32_t k = clamp_up(lower.z - 0.5, rows); k < rows && k + 0.5 <= upper.z; ++k) {
        double low, high;
        range_at(p, k + 0.5, &low, &high);
        /* A little more than the range: the crossing test alone decides. */
        for (int32_t j = clamp_up(low - 0.501, rows); j < rows && j + 0.5 <= high + 1e-3; ++j) {
            double x = 0.0;
            int sign = crossing_triangle(p[0], p[1], p[2], j + 0.5, k + 0.5, &x);
            if (sign != 0) {
                uint64_t place = (uint64_t)clamp_up(x - 0.5, rows);
                sort_item item = {.key = row_of(j, k) << PLACE_BITS | place, .value = sign};
                if (!ARRAY_PUSH(&v->host, list, item)) {
                    return LIM_ERROR_MEMORY;
                }
            }
        }
    }
    return LIM_OK;
}

/* The cells along x that 4 x 4 rows pass through. */
typedef struct cell_bar {
    uint64_t* inside;
    int32_t begin, end; /* those that may have some */
} cell_bar;

/* Sets inside bits of sub-voxels first .. end - 1 of a row. */
static void fill_row(cell_bar* bar, int32_t first, int32_t end, int shift) {
    bar->begin = first < end && first >> 2 < bar->begin ? first >> 2 : bar->begin;
    bar->end = first < end && (end + 3) >> 2 > bar->end ? (end + 3) >> 2 : bar->end;
    while (first < end) {
        int32_t stop = (first | 3) + 1;
        stop = stop < end ? stop : end;
        uint64_t bits = ((uint64_t)1 << (stop - first)) - 1;
        bar->inside[first >> 2] |= bits << (first & 3) << shift;
        first = stop;
    }
}

/* Makes the cells of a bar, and empties it. */
static lim_result take_bar(voxels* v, cell_bar* bar, uint64_t number) {
    int32_t y = (int32_t)(number & ((1 << CELL_BITS) - 1)), z = (int32_t)(number >> CELL_BITS);
    for (int32_t x = bar->begin; x < bar->end; ++x) {
        int32_t cell = -1;
        if (bar->inside[x] != 0) {
            LIM_TRY(voxels_add(v, x, y, z, &cell));
            v->cell.data[cell].inside = bar->inside[x];
            bar->inside[x] = 0;
        }
    }
    bar->begin = v->extent;
    bar->end = 0;
    return LIM_OK;
}

static lim_result fill_rows(voxels* v, const sort_item* item, int32_t count, cell_bar* bar) {
    int32_t number = 0;
    v->simple = true;
    for (int32_t i = 0; i < count; ++i) {
        number -= item[i].value; /* going in counts up */
        uint64_t row = item[i].key >> PLACE_BITS;
        uint64_t next = i + 1 < count ? item[i + 1].key >> PLACE_BITS : UINT64_MAX;
        bool same_place = i + 1 < count && item[i + 1].key == item[i].key;
        v->simple = v->simple && (same_place || number == 0 || number == 1);
        if (next != row) {
            number = 0;
        } else if (number > 0) {
            int32_t mask = (1 << PLACE_BITS) - 1;
            fill_row(bar, (int32_t)item[i].key & mask, (int32_t)item[i + 1].key & mask,
                     4 * (int)(row & 15));
        }
        if (next >> BAR_BITS != row >> BAR_BITS) {
            LIM_TRY(take_bar(v, bar, row >> BAR_BITS));
        }
    }
    return LIM_OK;
}

lim_result voxels_inside_rows(voxels* v) {
    crossing_list list = {0};
    lim_result result = LIM_OK;
    for (int32_t t = 0; t < v->mesh->triangle_count && result == LIM_OK; ++t) {
        result = cross_triangle(v, t, &list);
    }
    size_t count = (size_t)list.count;
    arena scratch;
    arena_init(&scratch, &v->host);
    if (result == LIM_OK && count > 0) {
        sort_item* other = ARENA_ROOM(&scratch, sort_item, count);
        cell_bar bar = {ARENA_ARRAY(&scratch, uint64_t, v->extent), v->extent, 0};
        result = other == NULL || bar.inside == NULL ? LIM_ERROR_MEMORY : LIM_OK;
        if (result == LIM_OK) {
            sort_items(list.data, other, list.count);
            result = fill_rows(v, list.data, list.count, &bar);
        }
    }
    arena_release(&scratch);
    ARRAY_FREE(&v->host, &list);
    return result;
}

/* ---- any mesh: winding numbers --------------------------------------------------------------- */

/* Away from the surface the number changes slowly, and only near holes. A region without surface in
 * one cell is of one kind when its numbers at both ends are this far from 1/2; a cell away from the
 * surface too, when it is CELL_DOUBT away at its centre. */
#define REGION_DOUBT 0.4f
#define CELL_DOUBT   0.2f

typedef struct asking {
    const voxels* v;
    const winding* w;
    int block; /* edge of the blocks of sub-voxels that share one number */
} asking;

/* The block around a sub-voxel of a cell. */
static uint64_t block_of(int block, int bit) {
    uint64_t m = MASK_ALL;
    for (int axis = 0; axis < 3; ++axis) {
        int low = (bit >> (2 * axis) & 3) / block * block;
        m &= mask_below(axis, low + block) & ~mask_below(axis, low);
    }
    return m;
}

/* Winding number at the centre of that block. */
static float number_at(const asking* a, const voxel_cell* c, int bit) {
    double at[3];
    for (int axis = 0; axis < 3; ++axis) {
        at[axis] = (bit >> (2 * axis) & 3) / a->block * a->block + 0.5 * a->block;
    }
    lim_point p = p3(4.0 * c->x + at[0], 4.0 * c->y + at[1], 4.0 * c->z + at[2]);
    return winding_number(a->w, v3_of(p3_mad(a->v->corner, p, a->v->sub)));
}

static uint64_t test_bits(const asking* a, const voxel_cell* c, uint64_t bits) {
    uint64_t inside = 0;
    while (bits != 0) {
        int bit = mask_lowest(bits);
        uint64_t block = block_of(a->block, bit) & bits;
        inside |= number_at(a, c, bit) > 0.5f ? block : 0;
        bits &= ~block;
    }
    return inside;
}

static bool is_clear(float number) {
    return number < 0.5f - REGION_DOUBT || number > 0.5f + REGION_DOUBT;
}

/* A cell with surface: each overlapped sub-voxel by itself, the others by connected region. */
static uint64_t test_surface_cell(const asking* a, const voxel_cell* c) {
    if (a->block > 1) {
        return test_bits(a, c, MASK_ALL);
    }
    uint64_t inside = test_bits(a, c, c->surface), free = ~c->surface;
    while (free != 0) {
        uint64_t region = mask_flood(free, 0, free & (~free + 1));
        float low = number_at(a, c, mask_lowest(region));
        float high = number_at(a, c, mask_highest(region));
        if (is_clear(low) && is_clear(high) && (low > 0.5f) == (high > 0.5f)) {
            inside |= low > 0.5f ? region : 0;
        } else {
            inside |= test_bits(a, c, region);
        }
        free &= ~region;
    }
    return inside;
}

static uint64_t test_free_cell(const asking* a, const voxel_cell* c) {
    asking whole = {a->v, a->w, MASK_SIDE};
    float number = number_at(&whole, c, 0);
    if (number > 0.5f - CELL_DOUBT && number < 0.5f + CELL_DOUBT) {
        return test_bits(a, c, MASK_ALL);
    }
    return number > 0.5f ? MASK_ALL : 0;
}

lim_result voxels_inside_winding(voxels* v, const winding* w, int block) {
    asking a = {v, w, block};
    for (int32_t i = 0; i < v->cell.count; ++i) {
        v->cell.data[i].inside = test_surface_cell(&a, &v->cell.data[i]);
    }
    /* Material goes on into a neighbour that is not there yet only where it reaches the common
     * face. New cells are appended and so come up themselves; those found empty stay as a mark that
     * they were asked, and go in voxels_finish. */
    for (int32_t i = 0; i < v->cell.count; ++i) {
        for (int face = 0; face < 6; ++face) {
            voxel_cell c = v->cell.data[i];
            int axis = face / 2, step = face % 2 == 0 ? -1 : 1;
            uint64_t plane = mask_below(axis, step < 0 ? 1 : 3);
            if ((c.inside & (step < 0 ? plane : ~plane)) == 0) {
                continue;
            }
            int32_t at[3] = {c.x, c.y, c.z};
            at[axis] += step;
            if (at[axis] < 0 || at[axis] >= v->extent || voxels_find(v, at[0], at[1], at[2]) >= 0) {
                continue;
            }
            int32_t cell = -1;
            LIM_TRY(voxels_add(v, at[0], at[1], at[2], &cell));
            v->cell.data[cell].inside = test_free_cell(&a, &v->cell.data[cell]);
        }
    }
    return LIM_OK;
}

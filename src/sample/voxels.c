/* SPDX-License-Identifier: MIT
 * Job: the sparse grid of cells and its surface. In: a mesh and a cell edge. Out: cells that
 * triangles overlap, with the sub-voxels they overlap (exact test, James et al. 2004). Each
 * triangle descends from the smallest block of the octree around it, so a large triangle costs by
 * its area, not by its bounds; cells live in a hash table, so memory follows what is occupied.
 */
#include "sample/voxels.h"

#include "base/hash.h"
#include "base/sort.h"
#include "sample/overlap.h"

#include <string.h>

/* Sub-voxels are this much too large in the overlap test, in sub-voxels: it covers rounding (1e-9
 * at 2^21 sub-voxels) and what may stick out of the root cell. */
#define SLACK 1e-5

static int32_t cells_along(double length, double side) {
    double cells = ceil(length / side - 1e-6);
    return cells < 1.0 ? 1 : (int32_t)cells;
}

void voxels_init(voxels* v, const lim_mesh* mesh, double side, int32_t coarsen, int32_t cell_limit,
                 const lim_host* host) {
    *v = (voxels){.host = mem_host(host),
                  .mesh = mesh,
                  .side = side,
                  .sub = 0.25 * side,
                  .cell_limit = cell_limit};
    arena_init(&v->mem, host);
    /* Each axis has its own number of cells, with the model in their middle: cells at the ends are
     * as full as they can be, and a flat sheet lies in the middle of one layer. Blocks of cells
     * that may become one are treated likewise, as far as whole cells allow. */
    lim_point size = p3_sub(mesh->report.bounds.upper, mesh->report.bounds.lower);
    int32_t count[3] = {cells_along(size.x / mesh->size, side),
                        cells_along(size.y / mesh->size, side),
                        cells_along(size.z / mesh->size, side)};
    int32_t most = count[0] > count[1] ? count[0] : count[1];
    most = most > count[2] ? most : count[2];
    v->extent = 1;
    while (v->extent < most) {
        v->extent *= 2;
        v->level++;
    }
    double corner[3];
    int32_t block = 1 << (coarsen < v->level ? coarsen : v->level);
    for (int axis = 0; axis < 3; ++axis) {
        int32_t blocks = (count[axis] + block - 1) / block;
        int32_t before =
            (v->extent / block - blocks) / 2 * block + (blocks * block - count[axis]) / 2;
        corner[axis] = (double)(float)(-side * (0.5 * count[axis] + before));
    }
    v->corner = p3(corner[0], corner[1], corner[2]);
}

void voxels_release(voxels* v) {
    ARRAY_FREE(&v->host, &v->cell);
    ARRAY_FREE(&v->host, &v->touch);
    mem_free(&v->host, v->table, v->table_size, sizeof(int32_t));
    v->table = NULL;
    v->table_size = 0;
    arena_release(&v->mem);
}

static size_t slot_of(const voxels* v, uint64_t key) {
    size_t slot = hash_mix(key) & (v->table_size - 1);
    while (v->table[slot] != 0 && v->cell.data[v->table[slot] - 1].key != key) {
        slot = (slot + 1) & (v->table_size - 1);
    }
    return slot;
}

static bool is_in_root(const voxels* v, int32_t x, int32_t y, int32_t z) {
    return x >= 0 && y >= 0 && z >= 0 && x < v->extent && y < v->extent && z < v->extent;
}

int32_t voxels_find(const voxels* v, int32_t x, int32_t y, int32_t z) {
    if (v->table_size == 0 || !is_in_root(v, x, y, z)) {
        return -1;
    }
    return v->table[slot_of(v, octant_key((octant){v->level, x, y, z}))] - 1;
}

/* A table for at least as many cells as there are, half empty. */
static lim_result make_table(voxels* v, int32_t cells) {
    size_t size = 64;
    while (size < 2 * (size_t)cells) {
        size *= 2;
    }
    int32_t* table = mem_alloc(&v->host, size, sizeof(int32_t));
    LIM_TRY_MEMORY(table);
    mem_free(&v->host, v->table, v->table_size, sizeof(int32_t));
    v->table = table;
    v->table_size = size;
    for (int32_t i = 0; i < v->cell.count; ++i) {
        v->table[slot_of(v, v->cell.data[i].key)] = i + 1;
    }
    return LIM_OK;
}

lim_result voxels_add(voxels* v, int32_t x, int32_t y, int32_t z, int32_t* out_cell) {
    if (2 * ((size_t)v->cell.count + 1) > v->table_size) {
        LIM_TRY(make_table(v, 2 * v->cell.count + 1));
    }
    uint64_t key = octant_key((octant){v->level, x, y, z});
    size_t slot = slot_of(v, key);
    if (v->table[slot] == 0) {
        if (v->cell.count >= v->cell_limit) {
            return LIM_ERROR_TOO_LARGE;
        }
        voxel_cell cell = {.key = key, .x = x, .y = y, .z = z};
        if (!ARRAY_PUSH(&v->host, &v->cell, cell)) {
            return LIM_ERROR_MEMORY;
        }
        v->table[slot] = v->cell.count;
    }
    *out_cell = v->table[slot] - 1;
    return LIM_OK;
}

/* Marks the sub-voxels of a cell that a triangle overlaps. */
static lim_result mark(voxels* v, int32_t triangle, int32_t x, int32_t y, int32_t z,
                       uint64_t bits) {
    voxel_touch touch = {.triangle = triangle, .mask = bits};
    LIM_TRY(voxels_add(v, x, y, z, &touch.cell));
    v->cell.data[touch.cell].surface |= bits;
    return ARRAY_PUSH(&v->host, &v->touch, touch) ? LIM_OK : LIM_ERROR_MEMORY;
}

typedef struct block {
    int32_t x, y, z, level; /* edge 2^level cells, coordinates in blocks */
} block;

/* The cell that holds a coordinate in sub-voxels, or the first or last one. */
static int32_t clamp_cell(const voxels* v, double at) {
    double index = floor(at * (1.0 / (double)MASK_SIDE));
    return index < 0.0 ? 0 : index > v->extent - 1 ? v->extent - 1 : (int32_t)index;
}

static lim_result mark_triangle(voxels* v, int32_t triangle) {
    const int32_t* corner = v->mesh->triangle_point + 3 * (size_t)triangle;
    overlap_triangle t = overlap_prepare(voxels_grid(v, v->mesh->point[corner[0]]),
                                         voxels_grid(v, v->mesh->point[corner[1]]),
                                         voxels_grid(v, v->mesh->point[corner[2]]));
    overlap_axes axes = overlap_axes_of(&t, 0.5 + SLACK);
    int32_t low[3] = {clamp_cell(v, t.lower.x - SLACK), clamp_cell(v, t.lower.y - SLACK),
                      clamp_cell(v, t.lower.z - SLACK)};
    int32_t high[3] = {clamp_cell(v, t.upper.x + SLACK), clamp_cell(v, t.upper.y + SLACK),
                       clamp_cell(v, t.upper.z + SLACK)};
    int32_t level = 0;
    while ((high[0] >> level) - (low[0] >> level) > 1 ||
           (high[1] >> level) - (low[1] >> level) > 1 ||
           (high[2] >> level) - (low[2] >> level) > 1) {
        level++;
    }
    block stack[8 * 24];
    int top = 0;
    for (int32_t z = low[2] >> level; z <= high[2] >> level; ++z) {
        for (int32_t y = low[1] >> level; y <= high[1] >> level; ++y) {
            for (int32_t x = low[0] >> level; x <= high[0] >> level; ++x) {
                stack[top++] = (block){x, y, z, level};
            }
        }
    }
    while (top > 0) {
        block b = stack[--top];
        double edge = (double)MASK_SIDE * (double)(1 << b.level), half = 0.5 * edge;
        lim_point lower = p3(edge * b.x, edge * b.y, edge * b.z);
        bool one = low[0] == high[0] && low[1] == high[1] && low[2] == high[2];
        if (!one && !overlap_cube(&t, p3_add(lower, p3(half, half, half)), half + SLACK)) {
            continue;
        }
        if (b.level == 0) {
            uint64_t bits = overlap_block(&t, &axes, lower, 0.5 + SLACK);
            if (bits != 0) {
                LIM_TRY(mark(v, triangle, b.x, b.y, b.z, bits));
            }
            continue;
        }
        for (int k = 0; k < 8; ++k) {
            stack[top++] =
                (block){2 * b.x + (k & 1), 2 * b.y + (k >> 1 & 1), 2 * b.z + (k >> 2), b.level - 1};
        }
    }
    return LIM_OK;
}

lim_result voxels_surface(voxels* v) {
    for (int32_t t = 0; t < v->mesh->triangle_count; ++t) {
        LIM_TRY(mark_triangle(v, t));
    }
    return LIM_OK;
}

/* Cells in order of key; `sorted` and the renaming live only here. */
static lim_result sort_cells(voxels* v, arena* scratch) {
    int32_t n = v->cell.count, kept = 0;
    sort_item* item = ARENA_ARRAY(scratch, sort_item, n);
    sort_item* other = ARENA_ARRAY(scratch, sort_item, n);
    voxel_cell* sorted = ARENA_ARRAY(scratch, voxel_cell, n);
    int32_t* renamed = ARENA_ARRAY(scratch, int32_t, n);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(other);
    LIM_TRY_MEMORY(sorted);
    LIM_TRY_MEMORY(renamed);
    for (int32_t i = 0; i < n; ++i) {
        const voxel_cell* c = &v->cell.data[i];
        if ((c->surface | c->inside) != 0) {
            item[kept++] = (sort_item){.key = c->key, .value = i};
        }
    }
    sort_items(item, other, kept);
    for (int32_t i = 0; i < kept; ++i) {
        sorted[i] = v->cell.data[item[i].value];
        renamed[item[i].value] = i;
    }
    if (kept > 0) {
        memcpy(v->cell.data, sorted, (size_t)kept * sizeof(voxel_cell));
    }
    v->cell.count = kept;
    for (int32_t i = 0; i < v->touch.count; ++i) {
        v->touch.data[i].cell = renamed[v->touch.data[i].cell];
    }
    return make_table(v, kept);
}

lim_result voxels_finish(voxels* v) {
    arena scratch;
    arena_init(&scratch, &v->host);
    lim_result result = sort_cells(v, &scratch);
    arena_release(&scratch);
    LIM_TRY(result);
    int32_t cells = v->cell.count;
    v->touch_first = ARENA_ARRAY(&v->mem, int32_t, cells + 1);
    v->touch_item = ARENA_ARRAY(&v->mem, int32_t, v->touch.count);
    LIM_TRY_MEMORY(v->touch_first);
    LIM_TRY_MEMORY(v->touch_item);
    for (int32_t i = 0; i < v->touch.count; ++i) {
        v->touch_first[v->touch.data[i].cell + 1]++;
    }
    for (int32_t i = 0; i < cells; ++i) {
        v->touch_first[i + 1] += v->touch_first[i];
    }
    for (int32_t i = 0; i < v->touch.count; ++i) {
        v->touch_item[v->touch_first[v->touch.data[i].cell]++] = i;
    }
    memmove(v->touch_first + 1, v->touch_first, (size_t)cells * sizeof(int32_t));
    v->touch_first[0] = 0;
    return voxels_neighbours(v);
}

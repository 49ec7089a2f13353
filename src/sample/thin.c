/* SPDX-License-Identifier: MIT
 * Job: material that is too thin for sub-voxel centres. In: surface and inside masks. Out: thin and
 * cover masks. Material is thick where 2^3 sub-voxels are all inside. A surface sub-voxel without
 * thick material among itself and its 26 neighbours becomes thin material, and so do surface
 * sub-voxels next to those, so that the thin holds on to the thick. Sheets, hair and thin plates so
 * become unbroken layers, and the gap between two thick walls stays open. At last each triangle
 * that still touches no cell with material gets the sub-voxels it overlaps in one cell.
 */
#include "sample/voxels.h"

typedef uint64_t mask_field; /* one mask per cell */

static void gather(const voxels* v, const mask_field* field, int32_t cell, uint64_t out[27]) {
    for (int i = 0; i < 27; ++i) {
        int32_t other = v->near[cell][i];
        out[i] = other >= 0 ? field[other] : 0;
    }
}

/* Lower corners of 2^3 blocks that are all inside. */
static void find_thick(const voxels* v, mask_field* thick) {
    for (int32_t i = 0; i < v->cell.count; ++i) {
        const voxel_cell* c = &v->cell.data[i];
        if (c->inside == 0) {
            continue;
        }
        uint64_t m[8];
        for (int k = 0; k < 8; ++k) {
            int32_t other = v->near[i][13 + (k & 1) + 3 * (k >> 1 & 1) + 9 * (k >> 2)];
            m[k] = other >= 0 ? v->cell.data[other].inside : 0;
        }
        for (int k = 0; k < 8; k += 2) {
            m[k] &= mask_shift(m[k], 0, 1, m[k + 1]);
        }
        for (int k = 0; k < 8; k += 4) {
            m[k] &= mask_shift(m[k], 1, 1, m[k + 2]);
        }
        thick[i] = m[0] & mask_shift(m[0], 2, 1, m[4]);
    }
}

/* The touch of a triangle with the most sub-voxels gives its cell material. */
static void cover_triangles(voxels* v) {
    for (int32_t i = 0, end; i < v->touch.count; i = end) {
        bool covered = false;
        int32_t best = i;
        for (end = i;
             end < v->touch.count && v->touch.data[end].triangle == v->touch.data[i].triangle;
             ++end) {
            covered = covered || voxels_material(&v->cell.data[v->touch.data[end].cell]) != 0;
            if (mask_count(v->touch.data[end].mask) > mask_count(v->touch.data[best].mask)) {
                best = end;
            }
        }
        if (!covered) {
            v->cell.data[v->touch.data[best].cell].cover |= v->touch.data[best].mask;
        }
    }
}

static lim_result find_thin(voxels* v, arena* scratch) {
    int32_t n = v->cell.count;
    mask_field* thick = ARENA_ARRAY(scratch, mask_field, n);
    mask_field* seed = ARENA_ARRAY(scratch, mask_field, n);
    LIM_TRY_MEMORY(thick);
    LIM_TRY_MEMORY(seed);
    find_thick(v, thick);
    bool any = false;
    for (int32_t i = 0; i < n; ++i) {
        voxel_cell* c = &v->cell.data[i];
        if (c->surface != 0) {
            /* A block from corner u + o has u for o from -1 to 0, and a sub-voxel within 1 of u for
             * o from -2 to 1. */
            uint64_t around[27];
            gather(v, thick, i, around);
            c->weak = c->inside & ~mask_reach(around, -1, 0);
            seed[i] = c->surface & ~mask_reach(around, -2, 1);
            any = any || seed[i] != 0;
        }
    }
    for (int32_t i = 0; i < n && any; ++i) {
        voxel_cell* c = &v->cell.data[i];
        if (c->surface != 0) {
            uint64_t around[27];
            gather(v, seed, i, around);
            c->thin = c->surface & mask_reach(around, -1, 1);
        }
    }
    return LIM_OK;
}

lim_result voxels_thin(voxels* v, bool shell) {
    if (shell) {
        for (int32_t i = 0; i < v->cell.count; ++i) {
            v->cell.data[i].thin = v->cell.data[i].surface;
        }
        return LIM_OK;
    }
    arena scratch;
    arena_init(&scratch, &v->host);
    lim_result result = find_thin(v, &scratch);
    arena_release(&scratch);
    LIM_TRY(result);
    cover_triangles(v);
    return LIM_OK;
}

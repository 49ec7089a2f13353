/* SPDX-License-Identifier: MIT
 * Job: the material of a lattice, for edits to start from. In: voxels, fragments, which cells are
 * occupied. Out: matter (sample/matter.h) whose cells are the occupied ones, in the coordinates of
 * the lattice's corners: the key of a cell is that of its lowest corner. Every occupied cell has a
 * fragment: one that only a triangle reaches has what that touches. Corners hold together
 * whatever shares them, so fragments that share one and that nothing joins are glued.
 */
#include "sample/lattice.h"

#include "base/sort.h"
#include "sample/matter_cut.h"

#include <string.h>

enum { CORNERS = 8 };

/* ---- fragments of occupied cells ----------------------------------------------------------------
 */

static lim_result allocate(arena* a, int32_t cells, int32_t count, fragments* out) {
    *out = (fragments){.count = count,
                       .cell_first = ARENA_ARRAY(a, int32_t, cells + 1),
                       .cell = ARENA_ARRAY(a, int32_t, count),
                       .mask = ARENA_ARRAY(a, uint64_t, count),
                       .part = ARENA_ARRAY(a, int32_t, count),
                       .volume = ARENA_ARRAY(a, double, count),
                       .centroid = ARENA_ARRAY(a, lim_point, count)};
    LIM_TRY_MEMORY(out->cell_first);
    LIM_TRY_MEMORY(out->cell);
    LIM_TRY_MEMORY(out->mask);
    LIM_TRY_MEMORY(out->part);
    LIM_TRY_MEMORY(out->volume);
    LIM_TRY_MEMORY(out->centroid);
    return LIM_OK;
}

/* Occupied cells without a fragment: what triangles touch in them is material, as it is where an
 * octree's triangle finds none (cover: it holds together also over edges and corners). */
static lim_result cover_cells(arena* scratch, const lattice_masses* in, voxels* out) {
    const voxels* v = in->v;
    *out = *v;
    out->cell.data = ARENA_ARRAY(scratch, voxel_cell, v->cell.count);
    LIM_TRY_MEMORY(out->cell.data);
    memcpy(out->cell.data, v->cell.data, (size_t)v->cell.count * sizeof(voxel_cell));
    for (int32_t i = 0; i < v->cell.count; ++i) {
        voxel_cell* c = &out->cell.data[i];
        if (in->occupied[i] && in->f->cell_first[i] == in->f->cell_first[i + 1]) {
            c->cover |= c->surface | c->inside;
            c->cover |= c->cover == 0; /* any will do */
        }
    }
    return LIM_OK;
}

/* The next piece of what is covered, with next to no volume. */
static uint64_t put_cover(const voxels* v, int32_t cell, uint64_t left, int32_t at,
                          fragments* out) {
    const voxel_cell* c = &v->cell.data[cell];
    uint64_t piece = mask_flood(left, left, left & (~left + 1));
    lim_point sum = p3(0, 0, 0);
    for (uint64_t m = piece; m != 0; m &= m - 1) {
        int bit = mask_lowest(m);
        sum = p3_add(sum,
                     voxels_at(v, MASK_SIDE * c->x + (bit & 3), MASK_SIDE * c->y + (bit >> 2 & 3),
                               MASK_SIDE * c->z + (bit >> 4)));
    }
    out->mask[at] = piece;
    out->volume[at] = FRAGMENT_SHARE * v->sub * v->sub * v->sub;
    out->centroid[at] = p3_scale(sum, 1.0 / mask_count(piece));
    return left & ~piece;
}

/* Those that are there, and the pieces of covered cells; `out` may be null: how many. */
static int32_t put_cell(const voxels* v, const fragments* f, int32_t cell, int32_t at,
                        fragments* out) {
    int32_t begin = at;
    for (int32_t k = f->cell_first[cell]; k < f->cell_first[cell + 1]; ++k, ++at) {
        if (out != NULL) {
            out->mask[at] = f->mask[k];
            out->part[at] = f->part[k];
            out->volume[at] = f->volume[k];
            out->centroid[at] = f->centroid[k];
        }
    }
    uint64_t left = at == begin ? v->cell.data[cell].cover : 0;
    for (; left != 0; ++at) {
        left = out != NULL ? put_cover(v, cell, left, at, out)
                           : left & ~mask_flood(left, left, left & (~left + 1));
    }
    for (int32_t k = begin; k < at && out != NULL; ++k) {
        out->cell[k] = cell;
    }
    return at;
}

static lim_result choose(arena* scratch, const lattice_masses* in, const voxels* v,
                         fragments* out) {
    int32_t count = 0, at = 0;
    for (int32_t i = 0; i < v->cell.count; ++i) {
        count = in->occupied[i] ? put_cell(v, in->f, i, count, NULL) : count;
    }
    LIM_TRY(allocate(scratch, v->cell.count, count, out));
    for (int32_t i = 0; i < v->cell.count; ++i) {
        out->cell_first[i] = at;
        at = in->occupied[i] ? put_cell(v, in->f, i, at, out) : at;
    }
    out->cell_first[v->cell.count] = at;
    return LIM_OK;
}

/* ---- in the lattice's coordinates ---------------------------------------------------------------
 */

/* Fragments in order of the keys of their lowest corners; number: per fragment its place. */
static lim_result sort_fragments(arena* scratch, const lattice_masses* in, const fragments* f,
                                 const int32_t low[3], int32_t level, sort_item** out,
                                 int32_t** number) {
    sort_item* item = *out = ARENA_ARRAY(scratch, sort_item, f->count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, f->count);
    *number = ARENA_ARRAY(scratch, int32_t, f->count);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(spare);
    LIM_TRY_MEMORY(*number);
    for (int32_t i = 0; i < f->count; ++i) {
        const voxel_cell* c = &in->v->cell.data[f->cell[i]];
        octant o = {level, c->x - low[0], c->y - low[1], c->z - low[2]};
        item[i] = (sort_item){.key = octant_key(o), .value = i};
    }
    sort_items(item, spare, f->count); /* stable: pieces of a cell stay in order */
    for (int32_t i = 0; i < f->count; ++i) {
        (*number)[item[i].value] = i;
    }
    return LIM_OK;
}

static lim_result take_graph(arena* a, const matter* m, const sort_item* item,
                             const int32_t* number, matter* out) {
    int32_t at = 0;
    out->edge_offset = ARENA_ARRAY(a, int32_t, m->count + 1);
    out->edge_node = ARENA_ARRAY(a, int32_t, m->edge_offset[m->count]);
    LIM_TRY_MEMORY(out->edge_offset);
    LIM_TRY_MEMORY(out->edge_node);
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t from = item[i].value;
        for (int32_t e = m->edge_offset[from]; e < m->edge_offset[from + 1]; ++e) {
            int32_t to = number[m->edge_node[e]], k = at++;
            for (; k > out->edge_offset[i] && out->edge_node[k - 1] > to; --k) {
                out->edge_node[k] = out->edge_node[k - 1];
            }
            out->edge_node[k] = to;
        }
        out->edge_offset[i + 1] = at;
    }
    return LIM_OK;
}

static lim_result renumber(arena* a, arena* scratch, const matter* m, const sort_item* item,
                           const int32_t* number, matter* out) {
    int32_t* name = ARENA_ARRAY(scratch, int32_t, m->component_count);
    out->key = ARENA_ARRAY(a, uint64_t, m->count);
    out->mask = ARENA_ARRAY(a, uint64_t, m->count);
    out->soft = ARENA_ARRAY(a, uint64_t, m->count);
    out->volume = ARENA_ARRAY(a, double, m->count);
    out->centroid = ARENA_ARRAY(a, lim_point, m->count);
    out->moment = arena_alloc(a, (size_t)m->count, sizeof *out->moment);
    out->component = ARENA_ARRAY(a, int32_t, m->count);
    LIM_TRY_MEMORY(name);
    LIM_TRY_MEMORY(out->key);
    LIM_TRY_MEMORY(out->mask);
    LIM_TRY_MEMORY(out->soft);
    LIM_TRY_MEMORY(out->volume);
    LIM_TRY_MEMORY(out->centroid);
    LIM_TRY_MEMORY(out->moment);
    LIM_TRY_MEMORY(out->component);
    int32_t names = 0;
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t from = item[i].value, was = m->component[from];
        name[was] = name[was] == 0 ? ++names : name[was];
        out->key[i] = item[i].key;
        out->mask[i] = m->mask[from];
        out->soft[i] = m->soft[from];
        out->volume[i] = m->volume[from];
        out->centroid[i] = m->centroid[from];
        memcpy(out->moment[i], m->moment[from], sizeof *out->moment);
        out->component[i] = name[was] - 1;
    }
    return take_graph(a, m, item, number, out);
}

/* ---- glue ---------------------------------------------------------------------------------------
 */

/* Pairs of fragments about one corner that are of different components, or how many they are at
 * most, when `pair` is null. */
static int32_t pairs_about(const lattice_masses* in, const fragments* f, const int32_t* number,
                           const matter* m, int32_t node, sort_item* pair) {
    int32_t count = 0, first = -1;
    for (int k = 0; k < CORNERS; ++k) {
        int32_t cell = in->cell[CORNERS * (size_t)node + (size_t)k];
        for (int32_t i = cell >= 0 ? f->cell_first[cell] : 0;
             cell >= 0 && i < f->cell_first[cell + 1]; ++i) {
            int32_t own = number[i];
            first = first < 0 ? own : first;
            if (m->component[own] != m->component[first]) {
                uint64_t low = (uint64_t)(own < first ? own : first);
                uint64_t high = (uint64_t)(own < first ? first : own);
                if (pair != NULL) {
                    pair[count] = (sort_item){.key = low << 32 | high};
                }
                count++;
            }
        }
    }
    return count;
}

static lim_result glue_corners(arena* a, arena* scratch, const lattice_masses* in,
                               const fragments* f, const int32_t* number, int32_t nodes,
                               matter* m) {
    int64_t count = 0;
    for (int32_t i = 0; i < nodes; ++i) {
        count += pairs_about(in, f, number, m, i, NULL);
    }
    if (count == 0) {
        return LIM_OK;
    }
    if (count > INT32_MAX / 2) {
        return LIM_ERROR_TOO_LARGE;
    }
    sort_item* pair = ARENA_ARRAY(scratch, sort_item, count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, count);
    int32_t* list = ARENA_ARRAY(scratch, int32_t, 2 * count);
    LIM_TRY_MEMORY(pair);
    LIM_TRY_MEMORY(spare);
    LIM_TRY_MEMORY(list);
    int32_t at = 0, kept = 0;
    for (int32_t i = 0; i < nodes; ++i) {
        at += pairs_about(in, f, number, m, i, pair + at);
    }
    sort_items(pair, spare, at);
    for (int32_t i = 0; i < at; ++i) {
        if (i == 0 || pair[i].key != pair[i - 1].key) {
            list[2 * kept] = (int32_t)(pair[i].key >> 32);
            list[2 * kept + 1] = (int32_t)(uint32_t)pair[i].key;
            kept++;
        }
    }
    return matter_glue(a, m, list, kept, m);
}

lim_result lattice_matter(arena* a, arena* scratch, const lattice_masses* in, const int32_t low[3],
                          sampling* out) {
    voxels covered;
    const voxels* v = &covered;
    fragments f;
    visibility see;
    matter rough;
    sort_item* item;
    int32_t* number;
    LIM_TRY(cover_cells(scratch, in, &covered));
    LIM_TRY(choose(scratch, in, v, &f));
    LIM_TRY(visibility_build(scratch, v, &f, false, &see));
    LIM_TRY(matter_make(scratch, v, &f, &see, &rough));
    LIM_TRY(sort_fragments(scratch, in, &f, low, out->levels, &item, &number));
    out->matter = rough;
    out->matter.level = out->levels;
    out->matter.corner = p3_mad(v->corner, p3(low[0], low[1], low[2]), v->side);
    LIM_TRY(renumber(a, scratch, &rough, item, number, &out->matter));
    return glue_corners(a, scratch, in, &f, number, out->node_count, &out->matter);
}

/* SPDX-License-Identifier: MIT
 * Job: the lattice of a body. In: cells, or a model. Out: whole coordinates and links, nodes in
 * order of z, y, x.
 */
#include "bench/lattice_nodes.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

/* Whether a cell at (x, y, z) is there. */
static bool has_cell(const int32_t cells[3], const uint8_t* kept, int32_t x, int32_t y, int32_t z) {
    if (x < 0 || y < 0 || z < 0 || x >= cells[0] || y >= cells[1] || z >= cells[2]) {
        return false;
    }
    return kept == NULL ||
           kept[((size_t)z * (size_t)cells[1] + (size_t)y) * (size_t)cells[0] + (size_t)x] != 0;
}

/* Whether two corners, at most one apart along each axis, are corners of one cell that is there.
 * Corner (x, y, z) is a corner of the cells from (x - 1, y - 1, z - 1) to (x, y, z). */
static bool share_cell(const int32_t cells[3], const uint8_t* kept, const int32_t at[3],
                       const int32_t step[3]) {
    for (int32_t c = 0; c < 8; ++c) {
        int32_t cell[3];
        bool common = true;
        for (int32_t k = 0; k < 3; ++k) {
            int32_t back = c >> k & 1; /* 1: the cell below the corner */
            common = common && !(step[k] > 0 && back == 1) && !(step[k] < 0 && back == 0);
            cell[k] = at[k] - back;
        }
        if (common && has_cell(cells, kept, cell[0], cell[1], cell[2])) {
            return true;
        }
    }
    return false;
}

/* Neighbours come in order of z, y, x, as nodes do: lists are ascending. */
static int32_t find_links(const int32_t cells[3], const uint8_t* kept, const int32_t* name,
                          const int32_t at[3], int32_t* out) {
    int32_t count = 0, nx = cells[0] + 1, ny = cells[1] + 1;
    for (int32_t d = 0; d < 27; ++d) {
        const int32_t step[3] = {d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1};
        if (d != 13 && share_cell(cells, kept, at, step)) {
            out[count++] =
                name[((at[2] + step[2]) * ny + at[1] + step[1]) * nx + at[0] + step[0]] - 1;
        }
    }
    return count;
}

lim_result lattice_nodes_of_cells(arena* a, const int32_t cells[3], const uint8_t* kept,
                                  lattice_nodes* out) {
    *out = (lattice_nodes){.count = 0};
    const int32_t n[3] = {cells[0] + 1, cells[1] + 1, cells[2] + 1}, none[3] = {0, 0, 0};
    int32_t corners = n[0] * n[1] * n[2], links = 0;
    int32_t* name = ARENA_ARRAY(a, int32_t, corners); /* number of a node plus one */
    LIM_TRY_MEMORY(name);
    for (int32_t i = 0; i < corners; ++i) {
        const int32_t at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        name[i] = share_cell(cells, kept, at, none) ? ++out->count : 0;
    }
    if (out->count == 0) {
        return LIM_ERROR_ARGUMENT;
    }
    int32_t* offset = ARENA_ARRAY(a, int32_t, out->count + 1);
    int32_t* node = ARENA_ARRAY(a, int32_t, (int64_t)out->count * 26);
    uint16_t* length = ARENA_ARRAY(a, uint16_t, (int64_t)out->count * 26);
    out->coordinates = ARENA_ARRAY(a, int32_t, 3 * (int64_t)out->count);
    if (offset == NULL || node == NULL || length == NULL || out->coordinates == NULL) {
        return LIM_ERROR_MEMORY;
    }
    out->full = true;
    for (int32_t i = 0; i < corners; ++i) {
        const int32_t at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        out->full = out->full && name[i] > 0 &&
                    (at[0] == cells[0] || at[1] == cells[1] || at[2] == cells[2] ||
                     has_cell(cells, kept, at[0], at[1], at[2]));
        if (name[i] > 0) {
            memcpy(out->coordinates + 3 * (size_t)(name[i] - 1), at, sizeof at);
            links += find_links(cells, kept, name, at, node + links);
            offset[name[i]] = links;
        }
    }
    for (int32_t e = 0; e < links; ++e) {
        length[e] = 1;
    }
    out->g = (graph){out->count, offset, node, length};
    return LIM_OK;
}

/* ---- of a model -------------------------------------------------------------------------------
 */

/* Coordinates in cells from the lowest node; false when a node is off the lattice by more than a
 * hundredth of a cell. */
static bool whole_coordinates(const lim_model_nodes* nodes, double cell, int32_t* out) {
    const float* axes[3] = {nodes->x, nodes->y, nodes->z};
    bool good = true;
    for (int32_t k = 0; k < 3; ++k) {
        double least = (double)axes[k][0];
        for (int32_t i = 1; i < nodes->count; ++i) {
            least = (double)axes[k][i] < least ? (double)axes[k][i] : least;
        }
        for (int32_t i = 0; i < nodes->count; ++i) {
            double at = ((double)axes[k][i] - least) / cell, whole = floor(at + 0.5);
            good = good && fabs(at - whole) < 0.01 && whole < 1 << 19;
            out[3 * (size_t)i + (size_t)k] = good ? (int32_t)whole : 0;
        }
    }
    return good;
}

/* Links of both directions by (from, to), lists ascending. */
static lim_result links_of(arena* a, arena* scratch, const lim_model_nodes* nodes,
                           const int32_t* rank, lattice_nodes* out) {
    int32_t links = 2 * nodes->edge_count;
    sort_item* items = ARENA_ARRAY(scratch, sort_item, links);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, links);
    int32_t* offset = ARENA_ARRAY(a, int32_t, nodes->count + 1);
    int32_t* node = ARENA_ARRAY(a, int32_t, links);
    uint16_t* length = ARENA_ARRAY(a, uint16_t, links);
    if (items == NULL || spare == NULL || offset == NULL || node == NULL || length == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t e = 0; e < links; ++e) {
        int32_t from = rank[nodes->edges[e]], to = rank[nodes->edges[e ^ 1]];
        items[e] = (sort_item){(uint64_t)from << 32 | (uint64_t)to, to, from};
    }
    sort_items(items, spare, links);
    for (int32_t e = 0; e < links; ++e) {
        node[e] = items[e].value;
        length[e] = 1;
        offset[items[e].extra + 1]++;
    }
    for (int32_t i = 0; i < nodes->count; ++i) {
        offset[i + 1] += offset[i];
    }
    out->g = (graph){nodes->count, offset, node, length};
    return LIM_OK;
}

static lim_result rank_nodes(arena* a, arena* scratch, const lim_model_nodes* nodes, double cell,
                             int32_t* rank, lattice_nodes* out) {
    int32_t* at = ARENA_ARRAY(scratch, int32_t, 3 * (int64_t)nodes->count);
    sort_item* items = ARENA_ARRAY(scratch, sort_item, nodes->count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, nodes->count);
    out->coordinates = ARENA_ARRAY(a, int32_t, 3 * (int64_t)nodes->count);
    if (at == NULL || items == NULL || spare == NULL || out->coordinates == NULL) {
        return LIM_ERROR_MEMORY;
    }
    if (!whole_coordinates(nodes, cell, at)) {
        return LIM_ERROR_ARGUMENT;
    }
    for (int32_t i = 0; i < nodes->count; ++i) {
        const int32_t* p = at + 3 * (size_t)i;
        items[i] = (sort_item){(uint64_t)p[2] << 38 | (uint64_t)p[1] << 19 | (uint64_t)p[0], i, 0};
    }
    sort_items(items, spare, nodes->count);
    for (int32_t i = 0; i < nodes->count; ++i) {
        rank[items[i].value] = i;
        memcpy(out->coordinates + 3 * (size_t)i, at + 3 * (size_t)items[i].value,
               3 * sizeof(int32_t));
    }
    return LIM_OK;
}

lim_result lattice_nodes_of_model(arena* a, const lim_model* model, lattice_nodes* out) {
    lim_model_nodes nodes = lim_model_get_nodes(model);
    *out = (lattice_nodes){.count = nodes.count};
    if (nodes.count == 0 || nodes.edge_count > INT32_MAX / 2) {
        return LIM_ERROR_ARGUMENT;
    }
    arena scratch;
    arena_init(&scratch, &a->host);
    int32_t* rank = ARENA_ARRAY(&scratch, int32_t, nodes.count);
    double cell = (double)lim_model_get_info(model).cell_size;
    lim_result result =
        rank == NULL ? LIM_ERROR_MEMORY : rank_nodes(a, &scratch, &nodes, cell, rank, out);
    if (result == LIM_OK) {
        result = links_of(a, &scratch, &nodes, rank, out);
    }
    arena_release(&scratch);
    return result;
}

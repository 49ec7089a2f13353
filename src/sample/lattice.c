/* SPDX-License-Identifier: MIT
 * Job: a sampling of the lattice. In: a mesh and wishes (cell edge, or number of nodes). Out: nodes
 * at the corners of occupied cells, their volumes, links and components, the list of cells and what
 * they hold.
 *
 * A corner is shared by up to eight cells. Of the occupied ones the first in order of (z, y, x)
 * owns it; the others find it there. So corners are counted and numbered without sorting eight keys
 * per cell.
 */
#include "sample/lattice.h"

#include "base/sort.h"
#include "sample/sampler.h"

#include <string.h>

enum { CORNERS = 8, HOP = 2 };

typedef struct work {
    const voxels* v;
    arena* scratch;
    uint8_t* occupied;
    int32_t* node;  /* per cell and corner (x + 2 y + 4 z) its node */
    int32_t* cell;  /* per node the cells around it, likewise (the lowest first); -1: empty */
    int32_t low[3]; /* lowest corner along each axis */
} work;

/* The cell that owns a corner, and which of its corners it is. */
static int32_t owner_of(const voxels* v, const uint8_t* occupied, int32_t cell, int corner,
                        int* out_corner) {
    for (int k = CORNERS - 1; k > corner; --k) { /* the cell of which it is corner k */
        int32_t other =
            v->near[cell][13 + (corner & 1) - (k & 1) + 3 * ((corner >> 1 & 1) - (k >> 1 & 1)) +
                          9 * ((corner >> 2) - (k >> 2))];
        if (other >= 0 && occupied[other]) {
            *out_corner = k;
            return other;
        }
    }
    *out_corner = corner;
    return cell;
}

static lim_result count_corners(const voxels* v, const uint8_t* occupied, int32_t* out) {
    int64_t nodes = 0;
    for (int32_t i = 0; i < v->cell.count; ++i) {
        for (int k = 0; k < CORNERS && occupied[i]; ++k) {
            int own;
            nodes += owner_of(v, occupied, i, k, &own) == i;
        }
    }
    *out = nodes <= NODES_MOST ? (int32_t)nodes : NODES_MOST;
    return nodes <= NODES_MOST ? LIM_OK : LIM_ERROR_TOO_LARGE;
}

static lim_result count_nodes(const sampler* s, attempt* now) {
    uint8_t* occupied = mem_alloc(&s->host, (size_t)now->v.cell.count, sizeof *occupied);
    LIM_TRY_MEMORY(occupied);
    lattice_occupy(&now->v, occupied);
    lim_result result = count_corners(&now->v, occupied, &now->nodes);
    mem_free(&s->host, occupied, (size_t)now->v.cell.count, sizeof *occupied);
    return result;
}

static octant corner_of(const work* w, int32_t level, int32_t cell, int corner) {
    const voxel_cell* c = &w->v->cell.data[cell];
    return (octant){level, c->x + (corner & 1) - w->low[0], c->y + (corner >> 1 & 1) - w->low[1],
                    c->z + (corner >> 2) - w->low[2]};
}

/* The lowest corner, and the level of the keys: a tree of at least one octet of nodes in a row. */
static lim_result find_bounds(work* w, sampling* out) {
    int32_t high[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
        w->low[axis] = INT32_MAX;
    }
    for (int32_t i = 0; i < w->v->cell.count; ++i) {
        const voxel_cell* c = &w->v->cell.data[i];
        const int32_t at[3] = {c->x, c->y, c->z};
        for (int axis = 0; axis < 3 && w->occupied[i]; ++axis) {
            w->low[axis] = at[axis] < w->low[axis] ? at[axis] : w->low[axis];
            high[axis] = at[axis] + 1 > high[axis] ? at[axis] + 1 : high[axis];
        }
        out->cell_count += w->occupied[i];
    }
    out->levels = 3;
    for (int axis = 0; axis < 3 && out->cell_count > 0; ++axis) {
        while (high[axis] - w->low[axis] >= 1 << out->levels) {
            out->levels++;
        }
    }
    return out->levels <= OCTANT_LEVELS ? LIM_OK : LIM_ERROR_TOO_LARGE;
}

static lim_result list_cells(const work* w, arena* a, sampling* out) {
    sort_item* item = ARENA_ARRAY(w->scratch, sort_item, out->cell_count);
    sort_item* spare = ARENA_ARRAY(w->scratch, sort_item, out->cell_count);
    out->lattice_cells = ARENA_ARRAY(a, uint64_t, out->cell_count);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(spare);
    LIM_TRY_MEMORY(out->lattice_cells);
    int32_t count = 0;
    for (int32_t i = 0; i < w->v->cell.count; ++i) {
        if (w->occupied[i]) {
            item[count++] = (sort_item){.key = octant_key(corner_of(w, out->levels, i, 0))};
        }
    }
    sort_items(item, spare, count);
    for (int32_t i = 0; i < count; ++i) {
        out->lattice_cells[i] = item[i].key;
    }
    return LIM_OK;
}

/* Nodes in order of key; cells learn their corners and nodes the cells around them. */
static lim_result number_nodes(work* w, arena* a, sampling* out) {
    const voxels* v = w->v;
    sort_item* item = ARENA_ARRAY(w->scratch, sort_item, out->node_count);
    sort_item* spare = ARENA_ARRAY(w->scratch, sort_item, out->node_count);
    w->node = ARENA_ARRAY(w->scratch, int32_t, CORNERS * (size_t)v->cell.count);
    w->cell = ARENA_ARRAY(w->scratch, int32_t, CORNERS * (size_t)out->node_count);
    out->key = ARENA_ARRAY(a, uint64_t, out->node_count);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(spare);
    LIM_TRY_MEMORY(w->node);
    LIM_TRY_MEMORY(w->cell);
    LIM_TRY_MEMORY(out->key);
    int32_t count = 0;
    int own;
    for (int32_t i = 0; i < v->cell.count; ++i) {
        for (int k = 0; k < CORNERS && w->occupied[i]; ++k) {
            if (owner_of(v, w->occupied, i, k, &own) == i) {
                uint64_t key = octant_key(corner_of(w, out->levels, i, k));
                item[count++] = (sort_item){.key = key, .value = i, .extra = k};
            }
        }
    }
    sort_items(item, spare, count);
    for (int32_t n = 0; n < count; ++n) {
        out->key[n] = item[n].key;
        w->node[CORNERS * (size_t)item[n].value + (size_t)item[n].extra] = n;
    }
    memset(w->cell, 0xFF, CORNERS * (size_t)count * sizeof(int32_t));
    for (int32_t i = 0; i < v->cell.count; ++i) {
        for (int k = 0; k < CORNERS && w->occupied[i]; ++k) {
            int32_t owner = owner_of(v, w->occupied, i, k, &own);
            int32_t n = w->node[CORNERS * (size_t)owner + (size_t)own];
            w->node[CORNERS * (size_t)i + (size_t)k] = n;
            w->cell[CORNERS * (size_t)n + (size_t)(CORNERS - 1 - k)] = i;
        }
    }
    return LIM_OK;
}

static lim_result place_nodes(const work* w, arena* a, sampling* out) {
    int32_t n = out->node_count;
    lim_point corner = p3_mad(w->v->corner, p3(w->low[0], w->low[1], w->low[2]), w->v->side);
    out->corner = v3_of(corner);
    out->fragment = ARENA_ARRAY(a, uint16_t, n);
    out->centre = ARENA_ARRAY(a, lim_vec3, n);
    out->side = ARENA_ARRAY(a, float, n);
    out->level = ARENA_ARRAY(a, int32_t, n);
    LIM_TRY_MEMORY(out->fragment);
    LIM_TRY_MEMORY(out->centre);
    LIM_TRY_MEMORY(out->side);
    LIM_TRY_MEMORY(out->level);
    out->centroid = out->centre;
    for (int32_t i = 0; i < n; ++i) {
        octant o = octant_of(out->key[i]);
        out->centre[i] = v3_of(p3_mad(corner, p3(o.x, o.y, o.z), w->v->side));
        out->side[i] = out->cell_size;
        out->level[i] = out->levels;
    }
    return LIM_OK;
}

/* The node one step of -1, 0 or 1 along each axis away, through any cell that holds both. */
static int32_t neighbour(const work* w, int32_t node, const int d[3]) {
    for (int k = 0; k < CORNERS; ++k) {
        int32_t cell = w->cell[CORNERS * (size_t)node + (size_t)k];
        bool both = cell >= 0;
        int corner = 0;
        for (int axis = 0; axis < 3; ++axis) {
            int upper = k >> axis & 1; /* the cell lies on this side of the node */
            both = both && (d[axis] == 0 || d[axis] == 2 * upper - 1);
            corner += (d[axis] + 1 - upper) * (1 << axis);
        }
        if (both) {
            return w->node[CORNERS * (size_t)cell + (size_t)corner];
        }
    }
    return -1;
}

/* Writes the neighbours of a node in ascending order; returns how many. */
static int32_t list_neighbours(const work* w, int32_t node, int32_t* list) {
    int32_t count = 0;
    for (int i = 0; i < 27; ++i) {
        const int d[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        int32_t other = i != 13 ? neighbour(w, node, d) : -1;
        if (other >= 0) {
            int32_t at = count++;
            for (; at > 0 && list[at - 1] > other; --at) {
                list[at] = list[at - 1];
            }
            list[at] = other;
        }
    }
    return count;
}

static lim_result link_nodes(const work* w, arena* a, sampling* out) {
    int32_t list[26];
    out->edge_offset = ARENA_ARRAY(a, int32_t, out->node_count + 1);
    LIM_TRY_MEMORY(out->edge_offset);
    for (int32_t n = 0; n < out->node_count; ++n) {
        out->edge_offset[n + 1] = out->edge_offset[n] + list_neighbours(w, n, list);
    }
    int32_t edges = out->edge_offset[out->node_count];
    out->edge_node = ARENA_ARRAY(a, int32_t, edges);
    out->edge_length = ARENA_ARRAY(a, uint16_t, edges);
    LIM_TRY_MEMORY(out->edge_node);
    LIM_TRY_MEMORY(out->edge_length);
    for (int32_t n = 0; n < out->node_count; ++n) {
        list_neighbours(w, n, out->edge_node + out->edge_offset[n]);
    }
    for (int32_t e = 0; e < edges; ++e) {
        out->edge_length[e] = HOP;
    }
    return LIM_OK;
}

lim_result lattice_components(arena* a, arena* scratch, sampling* out) {
    int32_t* stack = ARENA_ARRAY(scratch, int32_t, out->node_count);
    out->component = ARENA_ARRAY(a, int32_t, out->node_count);
    LIM_TRY_MEMORY(stack);
    LIM_TRY_MEMORY(out->component);
    memset(out->component, 0xFF, (size_t)out->node_count * sizeof(int32_t));
    for (int32_t n = 0; n < out->node_count; ++n) {
        if (out->component[n] >= 0) {
            continue;
        }
        int32_t depth = 0;
        stack[depth++] = n;
        out->component[n] = out->component_count;
        while (depth > 0) {
            int32_t at = stack[--depth];
            for (int32_t e = out->edge_offset[at]; e < out->edge_offset[at + 1]; ++e) {
                int32_t other = out->edge_node[e];
                if (out->component[other] < 0) {
                    out->component[other] = out->component_count;
                    stack[depth++] = other;
                }
            }
        }
        out->component_count++;
    }
    return LIM_OK;
}

static lim_result fill_all(work* w, const sampler* s, arena* a, sampling* out) {
    out->cell_size = (float)w->v->side;
    w->occupied = ARENA_ARRAY(w->scratch, uint8_t, w->v->cell.count);
    LIM_TRY_MEMORY(w->occupied);
    lattice_occupy(w->v, w->occupied);
    LIM_TRY(count_corners(w->v, w->occupied, &out->node_count));
    LIM_TRY(find_bounds(w, out));
    LIM_TRY(list_cells(w, a, out));
    LIM_TRY(number_nodes(w, a, out));
    LIM_TRY(place_nodes(w, a, out));
    LIM_TRY(link_nodes(w, a, out));
    LIM_TRY(lattice_components(a, w->scratch, out));
    lattice_masses masses = {w->v, &s->best.f, w->occupied, w->cell, s->desc->solid};
    LIM_TRY(lattice_weigh(a, w->scratch, &masses, out));
    return lattice_matter(a, w->scratch, &masses, w->low, out);
}

static lim_result fill(sampler* s, arena* a, sampling* out) {
    arena scratch;
    arena_init(&scratch, &s->host);
    work w = {.v = &s->best.v, .scratch = &scratch};
    lim_result result = fill_all(&w, s, a, out);
    arena_release(&scratch);
    return result;
}

lim_result lattice_build(arena* a, const lim_mesh* mesh, const lim_model_desc* desc,
                         const lim_host* host, sampling* out) {
    sampler s = {.mesh = mesh,
                 .desc = desc,
                 .host = mem_host(host),
                 .count = count_nodes,
                 .fill = fill,
                 .skin_solid = 1.2,
                 .skin_open = 2.5,
                 .row_more = 2.0};
    return sampler_run(&s, a, out);
}

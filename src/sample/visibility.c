/* SPDX-License-Identifier: MIT
 * Job: the graph. In: voxels, fragments. Out: symmetric lists of neighbours and connected
 * components (algorithms A.1.2). Fragments of touching cells are linked directly when their
 * sub-voxels touch over a face (thin ones: in any way). Fragments of cells that touch along an edge
 * or in a corner are also linked when direct links join them within the 2 x 2 or 2 x 2 x 2 cells
 * that the two span: so no link leads around the outside of a corner (F.2, 6).
 * Glue: pieces that nothing joins and that are of different parts of the mesh are linked where
 * they share a cell or their cells touch.
 */
#include "sample/visibility.h"

#include <string.h>

typedef struct link {
    int32_t a, b;
} link;

typedef struct linking {
    const voxels* v;
    const fragments* f;
    arena* scratch;
    int32_t* near; /* 27 per cell: the cells around it, -1: none; only of cells with fragments */
    uint8_t* full; /* per cell: all of it is one fragment */
    ARRAY(link) link;
    int32_t *first, *item; /* CSR of direct links */
    int32_t* seen;         /* per fragment: stamp of the search that found it */
    int32_t stamp;
    int32_t* queue;
    int32_t* component; /* before gluing */
} linking;

enum { DIRECTIONS = 13 };

/* The 13 of 26 directions whose last coordinate that is not 0 is positive. */
static void direction_of(int i, int d[3]) {
    int k = 14 + i;
    d[0] = k % 3 - 1;
    d[1] = k / 3 % 3 - 1;
    d[2] = k / 9 - 1;
}
static bool is_diagonal(const int d[3]) {
    return (d[0] != 0) + (d[1] != 0) + (d[2] != 0) > 1;
}

static int32_t cell_at(const linking* l, int32_t cell, const int d[3]) {
    return l->near[27 * (size_t)cell + (size_t)(13 + d[0] + 3 * d[1] + 9 * d[2])];
}

/* Each pair of cells is looked up once. */
static lim_result find_cells(linking* l) {
    const voxels* v = l->v;
    const int32_t* first = l->f->cell_first;
    size_t n = (size_t)v->cell.count;
    l->near = ARENA_ARRAY(l->scratch, int32_t, 27 * n);
    l->full = ARENA_ARRAY(l->scratch, uint8_t, n);
    LIM_TRY_MEMORY(l->near);
    LIM_TRY_MEMORY(l->full);
    memset(l->near, 0xFF, 27 * n * sizeof(int32_t));
    for (int32_t cell = 0; cell < v->cell.count; ++cell) {
        const voxel_cell* c = &v->cell.data[cell];
        l->full[cell] = first[cell + 1] - first[cell] == 1 && l->f->mask[first[cell]] == MASK_ALL;
        for (int i = 0; i < DIRECTIONS && first[cell] < first[cell + 1]; ++i) {
            int d[3];
            direction_of(i, d);
            int32_t other = voxels_find(v, c->x + d[0], c->y + d[1], c->z + d[2]);
            if (other >= 0 && first[other] < first[other + 1]) {
                l->near[27 * (size_t)cell + (size_t)(14 + i)] = other;
                l->near[27 * (size_t)other + (size_t)(12 - i)] = cell;
            }
        }
    }
    return LIM_OK;
}

static lim_result push(linking* l, int32_t a, int32_t b) {
    link pair = {a, b};
    return ARRAY_PUSH(&l->v->host, &l->link, pair) ? LIM_OK : LIM_ERROR_MEMORY;
}

static lim_result link_directly(linking* l) {
    const voxels* v = l->v;
    const fragments* f = l->f;
    for (int32_t cell = 0; cell < v->cell.count; ++cell) {
        const voxel_cell* c = &v->cell.data[cell];
        for (int i = 0; i < DIRECTIONS; ++i) {
            int d[3];
            direction_of(i, d);
            int32_t other = cell_at(l, cell, d);
            if (other < 0) {
                continue;
            }
            uint64_t soft = voxels_soft(c), other_soft = voxels_soft(&v->cell.data[other]);
            if (is_diagonal(d) && (soft | other_soft) == 0) {
                continue;
            }
            for (int32_t p = f->cell_first[cell]; p < f->cell_first[cell + 1]; ++p) {
                for (int32_t q = f->cell_first[other]; q < f->cell_first[other + 1]; ++q) {
                    if (mask_touch(f->mask[p], soft, f->mask[q], other_soft, d)) {
                        LIM_TRY(push(l, p, q));
                    }
                }
            }
        }
    }
    return LIM_OK;
}

/* Both directions of all links so far, by fragment, ascending. */
static lim_result list_links(const linking* l, arena* a, int32_t** out_first, int32_t** out_item) {
    int32_t n = l->f->count;
    if (l->link.count > INT32_MAX / 2) {
        return LIM_ERROR_TOO_LARGE;
    }
    int32_t* first = ARENA_ARRAY(a, int32_t, n + 1);
    int32_t* item = ARENA_ARRAY(a, int32_t, 2 * (size_t)l->link.count);
    LIM_TRY_MEMORY(first);
    LIM_TRY_MEMORY(item);
    for (int32_t i = 0; i < l->link.count; ++i) {
        first[l->link.data[i].a + 1]++;
        first[l->link.data[i].b + 1]++;
    }
    for (int32_t i = 0; i < n; ++i) {
        first[i + 1] += first[i];
    }
    for (int32_t i = 0; i < l->link.count; ++i) {
        link k = l->link.data[i];
        item[first[k.a]++] = k.b;
        item[first[k.b]++] = k.a;
    }
    memmove(first + 1, first, (size_t)n * sizeof(int32_t));
    first[0] = 0;
    /* Lists are short: sort each by insertion. */
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t k = first[i] + 1; k < first[i + 1]; ++k) {
            int32_t node = item[k], to = k;
            for (; to > first[i] && item[to - 1] > node; --to) {
                item[to] = item[to - 1];
            }
            item[to] = node;
        }
    }
    *out_first = first;
    *out_item = item;
    return LIM_OK;
}

static bool is_linked(const linking* l, int32_t a, int32_t b) {
    for (int32_t i = l->first[a]; i < l->first[a + 1]; ++i) {
        if (l->item[i] == b) {
            return true;
        }
    }
    return false;
}

static bool between(int32_t x, int32_t from, int d) {
    return x == from || x == from + d;
}

/* Marks everything that direct links reach from a fragment within the block of cells between its
 * cell and the one `d` away. */
static void search_block(linking* l, int32_t from, const int d[3]) {
    const voxel_cell* corner = &l->v->cell.data[l->f->cell[from]];
    int32_t count = 1;
    l->stamp++;
    l->queue[0] = from;
    l->seen[from] = l->stamp;
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t k = l->first[l->queue[i]]; k < l->first[l->queue[i] + 1]; ++k) {
            int32_t next = l->item[k];
            const voxel_cell* c = &l->v->cell.data[l->f->cell[next]];
            if (l->seen[next] != l->stamp && between(c->x, corner->x, d[0]) &&
                between(c->y, corner->y, d[1]) && between(c->z, corner->z, d[2])) {
                l->seen[next] = l->stamp;
                l->queue[count++] = next;
            }
        }
    }
}

/* Are all cells between one and the one `d` away full? Then faces join them: no need to search. */
static bool is_solid(const linking* l, int32_t cell, const int d[3]) {
    for (int i = 0; i < 8; ++i) {
        int part[3] = {i & 1 ? d[0] : 0, i & 2 ? d[1] : 0, i & 4 ? d[2] : 0};
        bool own = part[0] == 0 && part[1] == 0 && part[2] == 0;
        int32_t other = own ? cell : cell_at(l, cell, part);
        if (other < 0 || !l->full[other]) {
            return false;
        }
    }
    return true;
}

static lim_result link_diagonally(linking* l) {
    const fragments* f = l->f;
    for (int32_t cell = 0; cell < l->v->cell.count; ++cell) {
        for (int i = 0; i < DIRECTIONS; ++i) {
            int d[3];
            direction_of(i, d);
            int32_t other = is_diagonal(d) ? cell_at(l, cell, d) : -1;
            if (other < 0) {
                continue;
            }
            if (is_solid(l, cell, d)) {
                int32_t p = f->cell_first[cell], q = f->cell_first[other];
                LIM_TRY(is_linked(l, p, q) ? LIM_OK : push(l, p, q));
                continue;
            }
            for (int32_t p = f->cell_first[cell]; p < f->cell_first[cell + 1]; ++p) {
                search_block(l, p, d);
                for (int32_t q = f->cell_first[other]; q < f->cell_first[other + 1]; ++q) {
                    if (l->seen[q] == l->stamp && !is_linked(l, p, q)) {
                        LIM_TRY(push(l, p, q));
                    }
                }
            }
        }
    }
    return LIM_OK;
}

/* Components of all links so far, numbered by lowest fragment. */
static int32_t find_components(const linking* l, int32_t* component) {
    int32_t n = l->f->count, count = 0;
    for (int32_t i = 0; i < n; ++i) {
        component[i] = i;
    }
    for (int32_t i = 0; i < l->link.count; ++i) {
        int32_t end[2] = {l->link.data[i].a, l->link.data[i].b};
        for (int k = 0; k < 2; ++k) {
            while (component[end[k]] != end[k]) {
                component[end[k]] = component[component[end[k]]];
                end[k] = component[end[k]];
            }
        }
        int32_t low = end[0] < end[1] ? end[0] : end[1];
        component[end[0] < end[1] ? end[1] : end[0]] = low;
    }
    /* Parents are lower than their children: one pass from the front names them all. */
    for (int32_t i = 0; i < n; ++i) {
        component[i] = component[i] == i ? count++ : component[component[i]];
    }
    return count;
}

static lim_result glue(linking* l, int32_t* out_glued) {
    const fragments* f = l->f;
    int32_t before = l->link.count;
    for (int32_t cell = 0; cell < l->v->cell.count; ++cell) {
        for (int i = -1; i < DIRECTIONS; ++i) {
            int d[3] = {0, 0, 0};
            if (i >= 0) {
                direction_of(i, d);
            }
            int32_t other = i >= 0 ? cell_at(l, cell, d) : cell;
            if (other < 0) {
                continue;
            }
            for (int32_t p = f->cell_first[cell]; p < f->cell_first[cell + 1]; ++p) {
                int32_t q = other == cell ? p + 1 : f->cell_first[other];
                for (; q < f->cell_first[other + 1]; ++q) {
                    if (l->component[p] != l->component[q] && f->part[p] != f->part[q]) {
                        LIM_TRY(push(l, p, q));
                    }
                }
            }
        }
    }
    *out_glued = l->link.count - before;
    return LIM_OK;
}

static lim_result build(linking* l, arena* a, bool glue_parts, visibility* out) {
    int32_t n = l->f->count;
    l->seen = ARENA_ARRAY(l->scratch, int32_t, n);
    l->queue = ARENA_ARRAY(l->scratch, int32_t, n);
    out->component = ARENA_ARRAY(a, int32_t, n);
    LIM_TRY_MEMORY(l->seen);
    LIM_TRY_MEMORY(l->queue);
    LIM_TRY_MEMORY(out->component);
    LIM_TRY(find_cells(l));
    LIM_TRY(link_directly(l));
    LIM_TRY(list_links(l, l->scratch, &l->first, &l->item));
    LIM_TRY(link_diagonally(l));
    if (glue_parts && l->v->mesh->report.parts > 1) {
        l->component = ARENA_ARRAY(a, int32_t, n);
        LIM_TRY_MEMORY(l->component);
        find_components(l, l->component);
        LIM_TRY(glue(l, &out->glued_edges));
        out->unglued = out->glued_edges > 0 ? l->component : NULL;
    }
    out->component_count = find_components(l, out->component);
    return list_links(l, a, &out->edge_offset, &out->edge_node);
}

lim_result visibility_build(arena* a, const voxels* v, const fragments* f, bool glue_parts,
                            visibility* out) {
    *out = (visibility){0};
    arena scratch;
    arena_init(&scratch, &a->host);
    linking l = {.v = v, .f = f, .scratch = &scratch};
    lim_result result = build(&l, a, glue_parts, out);
    ARRAY_FREE(&v->host, &l.link);
    arena_release(&scratch);
    return result;
}

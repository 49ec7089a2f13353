/* SPDX-License-Identifier: MIT
 * Job: the shape of the levels. In: cells and their nodes. Out: pieces, coarse nodes, interpolation
 * and its transpose, lanes, and the rows that each node sums.
 */
#include "hex/hex_levels.h"

#include "base/disjoint_set.h"

#include <string.h>

enum { AXES = 3, CELLS_MOST = 1 << 25, COORDINATES = 1 << 20 };

typedef struct build {
    arena *a, *scratch;
    const hex_desc* desc;
} build;

/* ---- one level ----------------------------------------------------------------------------------
 */

static bool is_cube(const build* b, bool finest, int32_t element) {
    return finest && (b->desc->mask == NULL || b->desc->mask[element] == ~(uint64_t)0);
}

/* Cubes in the order given, then the rest from the next whole group on. */
static lim_result fill_lanes(const build* b, hex_level* l, bool finest) {
    int32_t cubes = 0;
    for (int32_t e = 0; e < l->elements; ++e) {
        cubes += is_cube(b, finest, e);
    }
    l->cubes = (cubes + HEX_LANES - 1) / HEX_LANES;
    l->groups = l->cubes + (l->elements - cubes + HEX_LANES - 1) / HEX_LANES;
    l->element = ARENA_ARRAY(b->a, int32_t, l->groups * HEX_LANES);
    l->lane = ARENA_ARRAY(b->a, int32_t, l->elements);
    l->changed = ARENA_ARRAY(b->a, uint8_t, l->elements);
    l->group_corner = ARENA_ARRAY(b->a, int32_t, (size_t)l->groups * HEX_GROUP);
    LIM_TRY_MEMORY(l->element);
    LIM_TRY_MEMORY(l->lane);
    LIM_TRY_MEMORY(l->changed);
    LIM_TRY_MEMORY(l->group_corner);
    memset(l->element, 0xFF, (size_t)l->groups * HEX_LANES * sizeof(int32_t));
    int32_t next[2] = {l->cubes * HEX_LANES, 0};
    for (int32_t e = 0; e < l->elements; ++e) {
        int32_t lane = next[is_cube(b, finest, e)]++;
        l->lane[e] = lane;
        l->element[lane] = e;
        for (int c = 0; c < HEX_CORNERS; ++c) {
            l->group_corner[(size_t)(lane / HEX_LANES) * HEX_GROUP +
                            (size_t)(c * HEX_LANES + lane % HEX_LANES)] = l->corner[e][c];
        }
    }
    return LIM_OK;
}

/* Per pair as many entries as the node with more rows has; the other's last ones are the row of
 * zeros. */
static lim_result fill_rows(const build* b, hex_level* l) {
    int32_t* count = ARENA_ARRAY(b->scratch, int32_t, 2 * (size_t)l->pairs);
    l->pair_first = ARENA_ARRAY(b->a, int32_t, l->pairs + 1);
    LIM_TRY_MEMORY(count);
    LIM_TRY_MEMORY(l->pair_first);
    for (int32_t e = 0; e < l->elements; ++e) {
        for (int c = 0; c < HEX_CORNERS; ++c) {
            count[l->corner[e][c]]++;
        }
    }
    for (int32_t i = 0; i < l->pairs; ++i) {
        int32_t first = count[2 * i], second = count[2 * i + 1];
        l->pair_first[i + 1] = l->pair_first[i] + (first > second ? first : second);
        count[2 * i] = count[2 * i + 1] = 0;
    }
    int32_t entries = l->pair_first[l->pairs];
    l->pair_row = ARENA_ARRAY(b->a, int32_t, 2 * (size_t)entries);
    LIM_TRY_MEMORY(l->pair_row);
    for (int32_t i = 0; i < 2 * entries; ++i) {
        l->pair_row[i] = l->groups * HEX_GROUP;
    }
    for (int32_t lane = 0; lane < l->groups * HEX_LANES; ++lane) {
        int32_t e = l->element[lane];
        for (int c = 0; c < HEX_CORNERS && e >= 0; ++c) {
            int32_t n = l->corner[e][c], i = l->pair_first[n / 2] + count[n]++;
            l->pair_row[2 * i + n % 2] =
                lane / HEX_LANES * HEX_GROUP + c * HEX_LANES + lane % HEX_LANES;
        }
    }
    return LIM_OK;
}

static lim_result fill_arrays(const build* b, hex_level* l, bool finest) {
    size_t groups = (size_t)l->groups, rows = 2 * (size_t)l->pairs;
    l->lame = ARENA_ARRAY(b->a, float, (size_t)l->cubes * 3 * HEX_LANES);
    l->matrix = ARENA_ARRAY(b->a, float, (groups - (size_t)l->cubes) * HEX_ENTRIES * HEX_LANES);
    l->block = ARENA_ARRAY(b->a, float, groups* HEX_CORNERS * 6 * HEX_LANES);
    l->q = ARENA_ARRAY(b->a, float, groups * 4 * HEX_LANES);
    l->turn = ARENA_ARRAY(b->a, float, groups * 9 * HEX_LANES);
    l->strain = ARENA_ARRAY(b->a, float, finest ? groups * 6 * HEX_LANES : 0);
    l->out = ARENA_ARRAY(b->a, float, 4 * (groups * HEX_GROUP + 1));
    l->mass = ARENA_ARRAY(b->a, float, 4 * rows);
    l->x = ARENA_ARRAY(b->a, float, 4 * rows);
    l->b = ARENA_ARRAY(b->a, float, 4 * rows);
    l->r = ARENA_ARRAY(b->a, float, 4 * rows);
    l->p = ARENA_ARRAY(b->a, float, 4 * rows);
    l->diagonal = ARENA_ARRAY(b->a, float, 8 * rows);
    l->inverse = ARENA_ARRAY(b->a, float, 12 * rows);
    l->limited = ARENA_ARRAY(b->a, int32_t, rows);
    l->filter = ARENA_ARRAY(b->a, float, 6 * rows);
    l->filter_of = ARENA_ARRAY(b->a, int32_t, rows);
    LIM_TRY_MEMORY(l->lame);
    LIM_TRY_MEMORY(l->matrix);
    LIM_TRY_MEMORY(l->block);
    LIM_TRY_MEMORY(l->q);
    LIM_TRY_MEMORY(l->turn);
    LIM_TRY_MEMORY(l->strain);
    LIM_TRY_MEMORY(l->out);
    LIM_TRY_MEMORY(l->mass);
    LIM_TRY_MEMORY(l->x);
    LIM_TRY_MEMORY(l->b);
    LIM_TRY_MEMORY(l->r);
    LIM_TRY_MEMORY(l->p);
    LIM_TRY_MEMORY(l->diagonal);
    LIM_TRY_MEMORY(l->inverse);
    LIM_TRY_MEMORY(l->limited);
    LIM_TRY_MEMORY(l->filter);
    LIM_TRY_MEMORY(l->filter_of);
    for (size_t i = 0; i < groups * HEX_LANES; ++i) {
        l->q[32 * (i / HEX_LANES) + 24 + i % HEX_LANES] = 1.0f;
    }
    memset(l->filter_of, 0xFF, rows * sizeof(int32_t));
    return LIM_OK;
}

static lim_result finish_level(const build* b, hex_level* l, bool finest) {
    l->pairs = (l->nodes + 1) / 2;
    LIM_TRY(fill_lanes(b, l, finest));
    LIM_TRY(fill_rows(b, l));
    return fill_arrays(b, l, finest);
}

/* ---- the next coarser ---------------------------------------------------------------------------
 */

/* The corner of an element at the middle of its coarse cell. */
static int middle_corner(const int32_t at[AXES]) {
    return (~at[0] & 1) | (~at[1] & 1) << 1 | (~at[2] & 1) << 2;
}

/* Pieces in the order of their first elements. */
static lim_result find_pieces(const build* b, hex_level* fine, hex_level* l) {
    int32_t* of_node = ARENA_ARRAY(b->scratch, int32_t, fine->nodes);
    fine->piece = ARENA_ARRAY(b->a, int32_t, fine->elements);
    LIM_TRY_MEMORY(of_node);
    LIM_TRY_MEMORY(fine->piece);
    memset(of_node, 0xFF, (size_t)fine->nodes * sizeof *of_node);
    for (int32_t e = 0; e < fine->elements; ++e) {
        int32_t* piece = &of_node[fine->corner[e][middle_corner(fine->at[e])]];
        *piece = *piece < 0 ? l->elements++ : *piece;
        fine->piece[e] = *piece;
    }
    l->at = arena_alloc(b->a, (size_t)l->elements, sizeof *l->at);
    l->corner = arena_alloc(b->a, (size_t)l->elements, sizeof *l->corner);
    fine->piece_first = ARENA_ARRAY(b->a, int32_t, l->elements + 1);
    fine->piece_item = ARENA_ARRAY(b->a, int32_t, fine->elements);
    int32_t* next = ARENA_ARRAY(b->scratch, int32_t, l->elements);
    LIM_TRY_MEMORY(l->at);
    LIM_TRY_MEMORY(l->corner);
    LIM_TRY_MEMORY(fine->piece_first);
    LIM_TRY_MEMORY(fine->piece_item);
    LIM_TRY_MEMORY(next);
    for (int32_t e = 0; e < fine->elements; ++e) {
        fine->piece_first[fine->piece[e] + 1]++;
        for (int k = 0; k < AXES; ++k) {
            l->at[fine->piece[e]][k] = fine->at[e][k] / 2;
        }
    }
    for (int32_t p = 0; p < l->elements; ++p) {
        fine->piece_first[p + 1] += fine->piece_first[p];
        next[p] = fine->piece_first[p];
    }
    for (int32_t e = 0; e < fine->elements; ++e) {
        fine->piece_item[next[fine->piece[e]]++] = e;
    }
    return LIM_OK;
}

/* Corners of a piece that a node at corner c of one of its elements is interpolated from: those d
 * with a weight above zero. */
static float corner_weight(const int32_t at[AXES], int c, int d) {
    float weight = 1.0f;
    for (int k = 0; k < AXES; ++k) {
        float t = 0.5f * (float)((at[k] & 1) + (c >> k & 1));
        weight *= (d >> k & 1) != 0 ? t : 1.0f - t;
    }
    return weight;
}

/* Where a fine node is in several pieces, the corners that it is interpolated from are one. They
 * lie at the same places: corner d of the cell at A is at A + d. */
static void join_corners(const hex_level* fine, const hex_level* l, int32_t e, int c, int32_t other,
                         int32_t* set) {
    int32_t piece = fine->piece[e];
    for (int d = 0; d < HEX_CORNERS; ++d) {
        int32_t match = 0;
        for (int k = 0; k < AXES; ++k) {
            match |= (l->at[piece][k] + (d >> k & 1) - l->at[other][k]) * (1 << k);
        }
        if (corner_weight(fine->at[e], c, d) > 0.0f) {
            disjoint_join(set, HEX_CORNERS * piece + d, HEX_CORNERS * other + match);
        }
    }
}

static lim_result name_nodes(const build* b, const hex_level* fine, hex_level* l) {
    int32_t corners = HEX_CORNERS * l->elements;
    int32_t* set = ARENA_ARRAY(b->scratch, int32_t, corners);
    int32_t* first = ARENA_ARRAY(b->scratch, int32_t, fine->nodes); /* a piece of each node */
    LIM_TRY_MEMORY(set);
    LIM_TRY_MEMORY(first);
    memset(first, 0xFF, (size_t)fine->nodes * sizeof *first);
    disjoint_init(set, corners);
    for (int32_t i = 0; i < HEX_CORNERS * fine->elements; ++i) {
        int32_t e = i / HEX_CORNERS, *piece = &first[fine->corner[e][i % HEX_CORNERS]];
        *piece = *piece < 0 ? fine->piece[e] : *piece;
        if (*piece != fine->piece[e]) {
            join_corners(fine, l, e, i % HEX_CORNERS, *piece, set);
        }
    }
    l->nodes = disjoint_name(set, corners);
    for (int32_t i = 0; i < corners; ++i) {
        l->corner[i / HEX_CORNERS][i % HEX_CORNERS] = set[i];
    }
    return LIM_OK;
}

static lim_result room_for_rows(const build* b, int32_t rows, int32_t entries, hex_rows* out) {
    out->first = ARENA_ARRAY(b->a, int32_t, rows + 1);
    out->node = ARENA_ARRAY(b->a, int32_t, entries);
    out->weight = ARENA_ARRAY(b->a, float, entries);
    LIM_TRY_MEMORY(out->first);
    LIM_TRY_MEMORY(out->node);
    LIM_TRY_MEMORY(out->weight);
    return LIM_OK;
}

/* Writes the interpolation of each node of `fine`, when there is room; returns how many entries. */
static int32_t interpolate(hex_level* fine, const hex_level* l, const int32_t* element) {
    int32_t count = 0;
    for (int32_t n = 0; n < fine->nodes; ++n) {
        int32_t e = element[n] / HEX_CORNERS;
        for (int d = 0; d < HEX_CORNERS; ++d) {
            float weight = corner_weight(fine->at[e], element[n] % HEX_CORNERS, d);
            if (weight > 0.0f && fine->up.node != NULL) {
                fine->up.node[count] = l->corner[fine->piece[e]][d];
                fine->up.weight[count] = weight;
            }
            count += weight > 0.0f;
        }
        if (fine->up.first != NULL) {
            fine->up.first[n + 1] = count;
        }
    }
    return count;
}

static lim_result fill_transfer(const build* b, hex_level* fine, const hex_level* l) {
    int32_t* element = ARENA_ARRAY(b->scratch, int32_t, fine->nodes); /* any, and which corner */
    int32_t* next = ARENA_ARRAY(b->scratch, int32_t, l->nodes);
    LIM_TRY_MEMORY(element);
    LIM_TRY_MEMORY(next);
    for (int32_t i = HEX_CORNERS * fine->elements - 1; i >= 0; --i) {
        element[fine->corner[i / HEX_CORNERS][i % HEX_CORNERS]] = i;
    }
    int32_t entries = interpolate(fine, l, element);
    LIM_TRY(room_for_rows(b, fine->nodes, entries, &fine->up));
    LIM_TRY(room_for_rows(b, l->nodes, entries, &fine->down));
    interpolate(fine, l, element);
    for (int32_t i = 0; i < entries; ++i) {
        fine->down.first[fine->up.node[i] + 1]++;
    }
    for (int32_t n = 0; n < l->nodes; ++n) {
        fine->down.first[n + 1] += fine->down.first[n];
        next[n] = fine->down.first[n];
    }
    for (int32_t n = 0; n < fine->nodes; ++n) {
        for (int32_t i = fine->up.first[n]; i < fine->up.first[n + 1]; ++i) {
            int32_t at = next[fine->up.node[i]]++;
            fine->down.node[at] = n;
            fine->down.weight[at] = fine->up.weight[i];
        }
    }
    return LIM_OK;
}

static lim_result coarsen(const build* b, hex_level* fine, hex_level* l) {
    l->edge = 2.0f * fine->edge;
    LIM_TRY(find_pieces(b, fine, l));
    LIM_TRY(name_nodes(b, fine, l));
    LIM_TRY(fill_transfer(b, fine, l));
    return finish_level(b, l, false);
}

/* ---- all of them --------------------------------------------------------------------------------
 */

static lim_result plan_direct(const build* b, arena* a, hex_level* l, skyline* out) {
    return skyline_plan(a, b->scratch, l->nodes, l->elements, l->at, l->corner, out);
}

static lim_result build_levels(build* b, hex_levels* h) {
    h->level[0].at = b->desc->at;
    h->level[0].corner = b->desc->corner;
    h->level[0].elements = b->desc->cells;
    h->level[0].nodes = b->desc->nodes;
    h->level[0].edge = b->desc->edge;
    h->young = ARENA_ARRAY(b->a, float, b->desc->cells);
    h->poisson = ARENA_ARRAY(b->a, float, b->desc->cells);
    LIM_TRY_MEMORY(h->young);
    LIM_TRY_MEMORY(h->poisson);
    LIM_TRY(finish_level(b, &h->level[0], true));
    for (h->count = 1; h->count < HEX_LEVELS; ++h->count) {
        skyline plan;
        LIM_TRY(plan_direct(b, b->scratch, &h->level[h->count - 1], &plan));
        if (plan.work <= HEX_DIRECT) {
            break;
        }
        LIM_TRY(coarsen(b, &h->level[h->count - 1], &h->level[h->count]));
    }
    hex_level* last = &h->level[h->count - 1];
    LIM_TRY(plan_direct(b, b->a, last, &last->direct));
    last->full = ARENA_ARRAY(b->a, float, (size_t)last->elements* HEX_DEGREES* HEX_DEGREES);
    LIM_TRY_MEMORY(last->full);
    return skyline_room(b->a, &last->direct);
}

lim_result hex_levels_build(arena* a, const lim_host* host, const hex_desc* desc, hex_levels* out) {
    *out = (hex_levels){.mask = desc->mask};
    bool large = desc->cells > CELLS_MOST;
    for (int32_t e = 0; e < desc->cells && !large; ++e) {
        for (int k = 0; k < AXES; ++k) {
            large = large || desc->at[e][k] >= COORDINATES;
        }
    }
    if (large) {
        return LIM_ERROR_TOO_LARGE;
    }
    arena scratch;
    arena_init(&scratch, host);
    build b = {a, &scratch, desc};
    lim_result result = build_levels(&b, out);
    arena_release(&scratch);
    return result;
}

void hex_levels_scale(hex_levels* h, float edge) {
    for (int32_t i = 0; i < h->count; ++i) {
        h->level[i].edge = i == 0 ? edge : 2.0f * h->level[i - 1].edge;
    }
    memset(h->young, 0, (size_t)h->level[0].elements * sizeof *h->young);
}

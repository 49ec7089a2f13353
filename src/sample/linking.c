/* SPDX-License-Identifier: MIT
 * Job: links between fragments. In: cells with fragments, who lies around whom, links between
 * sub-voxels that are cut. Out: pairs. Fragments of touching cells are linked directly when their
 * sub-voxels touch over a face (soft ones: in any way). Fragments of cells that touch along an edge
 * or in a corner are also linked when direct links join them within the 2 x 2 or 2 x 2 x 2 cells
 * that the two span: so no link leads around the outside of a corner.
 */
#include "sample/linking.h"

#include <string.h>

/* Bit v: bit v + e of piece b, which lies in the cell d away, d and e alike where d is not 0. */
static uint64_t seen_along(uint64_t b, const int e[3], const int d[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        b = d[axis] != 0 ? mask_shift(0, axis, e[axis], b) : mask_shift(b, axis, e[axis], 0);
    }
    return b;
}

bool linking_touch(uint64_t a, uint64_t a_soft, const uint64_t* a_cut, uint64_t b, uint64_t b_soft,
                   const uint64_t* b_cut, const int d[3]) {
    bool touch = mask_touch(a, a_soft, b, b_soft, d);
    if (!touch || (a_cut == NULL && b_cut == NULL)) {
        return touch;
    }
    for (int k = 0; k < 27; ++k) {
        const int e[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        if ((d[0] != 0 && e[0] != d[0]) || (d[1] != 0 && e[1] != d[1]) ||
            (d[2] != 0 && e[2] != d[2])) {
            continue;
        }
        uint64_t hit = a & seen_along(b, e, d);
        if (link_is_diagonal(e)) {
            hit &= a_soft | seen_along(b_soft, e, d);
        }
        /* A link is kept by the end from which it goes up. */
        if (hit != 0 && k > 13 && a_cut != NULL) {
            hit &= ~a_cut[k - 14];
        } else if (hit != 0 && k < 13 && b_cut != NULL) {
            hit &= ~seen_along(b_cut[12 - k], e, d);
        }
        if (hit != 0) {
            return true;
        }
    }
    return false;
}

void linking_between(uint64_t a, uint64_t b, const int d[3], uint64_t* cut) {
    for (int i = 0; i < LINK_WAYS; ++i) {
        int e[3];
        link_way(i, e);
        bool fits = (d[0] == 0 || e[0] == d[0]) && (d[1] == 0 || e[1] == d[1]) &&
                    (d[2] == 0 || e[2] == d[2]);
        cut[i] |= fits ? a & seen_along(b, e, d) : 0;
    }
}

static uint64_t moved(uint64_t m, const int d[3], int sign) {
    for (int axis = 0; axis < 3; ++axis) {
        m = mask_shift(m, axis, -sign * d[axis], 0);
    }
    return m;
}

uint64_t linking_flood(uint64_t m, uint64_t soft, const uint64_t* cut, uint64_t seed) {
    if (cut == NULL) {
        return mask_flood(m, soft, seed);
    }
    uint64_t piece = seed, before = 0;
    while (piece != before) {
        before = piece;
        for (int i = 0; i < LINK_WAYS; ++i) {
            int d[3];
            link_way(i, d);
            bool diagonal = link_is_diagonal(d);
            if (diagonal && (m & soft) == 0) {
                continue;
            }
            uint64_t up = moved(piece & ~cut[i], d, 1), down = moved(piece, d, -1) & ~cut[i];
            if (diagonal) {
                up = (up & soft) | moved(piece & soft & ~cut[i], d, 1);
                down = (down & soft) | (moved(piece & soft, d, -1) & ~cut[i]);
            }
            piece |= (up | down) & m;
        }
    }
    return piece;
}

static int32_t cell_at(const linking* l, int32_t cell, const int d[3]) {
    return l->near[27 * (size_t)cell + (size_t)(13 + d[0] + 3 * d[1] + 9 * d[2])];
}

static int way_between(const int32_t from[3], const int32_t to[3]) {
    return 13 + (to[0] - from[0]) + 3 * (to[1] - from[1]) + 9 * (to[2] - from[2]);
}

static const uint64_t* cut_of(const linking* l, int32_t cell) {
    return l->cut != NULL ? l->cut[cell] : NULL;
}

static lim_result push(linking* l, int32_t a, int32_t b) {
    link_pair pair = {a, b};
    return ARRAY_PUSH(&l->host, &l->link, pair) ? LIM_OK : LIM_ERROR_MEMORY;
}

static uint64_t cell_soft(const linking* l, int32_t cell) {
    uint64_t soft = 0;
    for (int32_t p = l->cell_first[cell]; p < l->cell_first[cell + 1]; ++p) {
        soft |= l->soft[p];
    }
    return soft;
}

static bool is_single(const linking* l, int32_t cell) {
    return l->cell_first[cell + 1] - l->cell_first[cell] == 1;
}

/* A cell of which a face is a link wherever there is material beyond. */
static bool is_whole(const linking* l, int32_t cell) {
    int32_t p = l->cell_first[cell];
    return is_single(l, cell) && l->mask[p] == MASK_ALL && l->soft[p] == 0 &&
           cut_of(l, cell) == NULL;
}

/* Which cells are whole; those with nothing but whole ones around are within. */
static lim_result find_whole(linking* l) {
    l->whole = ARENA_ROOM(l->scratch, uint8_t, l->cell_count);
    l->joined = ARENA_ARRAY(l->scratch, uint32_t, l->cell_count);
    LIM_TRY_MEMORY(l->whole);
    LIM_TRY_MEMORY(l->joined);
    for (int32_t i = 0; i < l->cell_count; ++i) {
        l->whole[i] = is_whole(l, i) ? LINK_WHOLE : LINK_ANY;
    }
    for (int32_t i = 0; i < l->cell_count; ++i) {
        const int32_t* near = l->near + 27 * (size_t)i;
        int around = l->whole[i] != LINK_ANY ? 0 : 27;
        while (around < 27 && near[around] >= 0 && l->whole[near[around]] != LINK_ANY) {
            around++;
        }
        if (l->whole[i] != LINK_ANY && around == 27) {
            l->whole[i] = LINK_WITHIN;
        }
    }
    return LIM_OK;
}

static const int FACE_WAYS[3] = {14, 16, 22};

/* A cell that lies within links over all of its faces. */
static lim_result link_faces(linking* l, int32_t cell) {
    for (int i = 0; i < 3; ++i) {
        int way = FACE_WAYS[i];
        int32_t other = l->near[27 * (size_t)cell + (size_t)way];
        LIM_TRY(push(l, l->cell_first[cell], l->cell_first[other]));
        l->joined[cell] |= (uint32_t)1 << way;
        l->joined[other] |= (uint32_t)1 << (26 - way);
    }
    return LIM_OK;
}

static lim_result link_cells(linking* l, int32_t cell, int32_t other, int way, const int d[3]) {
    bool single = is_single(l, cell) && is_single(l, other);
    for (int32_t p = l->cell_first[cell]; p < l->cell_first[cell + 1]; ++p) {
        for (int32_t q = l->cell_first[other]; q < l->cell_first[other + 1]; ++q) {
            if ((l->whole[cell] != LINK_ANY && l->whole[other] != LINK_ANY) ||
                linking_touch(l->mask[p], l->soft[p], cut_of(l, cell), l->mask[q], l->soft[q],
                              cut_of(l, other), d)) {
                LIM_TRY(push(l, p, q));
                l->joined[cell] |= (uint32_t)single << way;
                l->joined[other] |= (uint32_t)single << (26 - way);
            }
        }
    }
    return LIM_OK;
}

static lim_result link_directly(linking* l) {
    for (int32_t cell = 0; cell < l->cell_count; ++cell) {
        if (l->whole[cell] == LINK_WITHIN) {
            LIM_TRY(link_faces(l, cell));
            continue;
        }
        uint64_t soft = cell_soft(l, cell);
        for (int i = 0; i < LINK_WAYS && l->cell_first[cell] < l->cell_first[cell + 1]; ++i) {
            int d[3];
            link_way(i, d);
            int32_t other = cell_at(l, cell, d);
            if (other >= 0 && (!link_is_diagonal(d) || (soft | cell_soft(l, other)) != 0)) {
                LIM_TRY(link_cells(l, cell, other, 14 + i, d));
            }
        }
    }
    return LIM_OK;
}

lim_result linking_list(arena* a, int32_t count, const link_pair* pair, int32_t pairs,
                        int32_t** out_first, int32_t** out_item) {
    if (pairs > INT32_MAX / 2) {
        return LIM_ERROR_TOO_LARGE;
    }
    int32_t* first = ARENA_ARRAY(a, int32_t, count + 1);
    int32_t* item = ARENA_ARRAY(a, int32_t, 2 * (size_t)pairs);
    LIM_TRY_MEMORY(first);
    LIM_TRY_MEMORY(item);
    for (int32_t i = 0; i < pairs; ++i) {
        first[pair[i].a + 1]++;
        first[pair[i].b + 1]++;
    }
    for (int32_t i = 0; i < count; ++i) {
        first[i + 1] += first[i];
    }
    int32_t* seen = mem_alloc(&a->host, 2 * (size_t)pairs + 1, sizeof(int32_t));
    int32_t* next = mem_alloc(&a->host, (size_t)count + 1, sizeof(int32_t));
    bool memory = seen != NULL && next != NULL;
    if (memory) {
        memcpy(next, first, ((size_t)count + 1) * sizeof(int32_t));
        for (int32_t i = 0; i < pairs; ++i) {
            seen[next[pair[i].a]++] = pair[i].b;
            seen[next[pair[i].b]++] = pair[i].a;
        }
        /* Links are mutual: who goes into the lists of its own, in order, makes ordered lists. */
        memcpy(next, first, ((size_t)count + 1) * sizeof(int32_t));
        for (int32_t i = 0; i < count; ++i) {
            for (int32_t k = first[i]; k < first[i + 1]; ++k) {
                item[next[seen[k]]++] = i;
            }
        }
    }
    mem_free(&a->host, seen, 2 * (size_t)pairs + 1, sizeof(int32_t));
    mem_free(&a->host, next, (size_t)count + 1, sizeof(int32_t));
    LIM_TRY_MEMORY(memory ? item : NULL);
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

/* Steps between cells as numbers, so that sums of two tell what lies where. */
static int step_number(int x, int y, int z) {
    return x + 5 * y + 25 * z;
}

/* The steps of direct links, and which sums of two stay in the block of cells of a way. */
static lim_result find_steps(linking* l) {
    int32_t n = l->cell_first[l->cell_count];
    l->step = ARENA_ROOM(l->scratch, int8_t, l->first[n]);
    l->queue_step = ARENA_ROOM(l->scratch, int8_t, n);
    LIM_TRY_MEMORY(l->step);
    LIM_TRY_MEMORY(l->queue_step);
    for (int32_t i = 0; i < n; ++i) {
        const int32_t* from = l->place[l->cell[i]];
        for (int32_t k = l->first[i]; k < l->first[i + 1]; ++k) {
            const int32_t* to = l->place[l->cell[l->item[k]]];
            l->step[k] = (int8_t)step_number(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
        }
    }
    for (int way = 0; way < 27; ++way) {
        for (int at = 0; at < 27; ++at) {
            int number = step_number(at % 3 - 1, at / 3 % 3 - 1, at / 9 - 1);
            l->within[way][STEP_MIDDLE + number] = l->block[way] >> at & 1;
        }
    }
    return LIM_OK;
}

/* Marks everything that direct links reach from a fragment within the block of cells between its
 * cell and the one that way, until all of the latter, [begin, end), is reached. */
static void search_block(linking* l, int32_t from, int way, int32_t begin, int32_t end) {
    const uint8_t* within = l->within[way] + STEP_MIDDLE;
    int32_t count = 1, left = end - begin;
    l->stamp++;
    l->queue[0] = from;
    l->queue_step[0] = 0;
    l->seen[from] = l->stamp;
    for (int32_t i = 0; i < count && left > 0; ++i) {
        int at = l->queue_step[i];
        for (int32_t k = l->first[l->queue[i]]; k < l->first[l->queue[i] + 1]; ++k) {
            int32_t next = l->item[k];
            if (within[at + l->step[k]] && l->seen[next] != l->stamp) {
                l->seen[next] = l->stamp;
                l->queue_step[count] = (int8_t)(at + l->step[k]);
                l->queue[count++] = next;
                left -= next >= begin && next < end;
            }
        }
    }
}

/* Do faces between cells of one fragment lead from one to the one `d` away, through the cells
 * between them? Mostly so: then there is no need to search. */
static bool leads(const linking* l, int32_t cell, const int d[3]) {
    for (int axis = 0, step = 1; axis < 3; ++axis, step *= 3) {
        int way = 13 + step * d[axis];
        if (d[axis] == 0 || (l->joined[cell] >> way & 1) == 0) {
            continue;
        }
        int rest[3] = {d[0], d[1], d[2]};
        rest[axis] = 0;
        if ((rest[0] == 0 && rest[1] == 0 && rest[2] == 0) ||
            leads(l, l->near[27 * (size_t)cell + (size_t)way], rest)) {
            return true;
        }
    }
    return false;
}

/* Does what links a cell and the one that way hang on a changed cell? */
static bool is_wanted(const linking* l, int32_t cell, int way) {
    return l->dirty_near == NULL || (l->dirty_near[cell] & l->block[way]) != 0;
}

static void find_blocks(linking* l) {
    for (int way = 0; way < 27; ++way) {
        const int d[3] = {way % 3 - 1, way / 3 % 3 - 1, way / 9 - 1};
        for (int i = 0; i < 8; ++i) {
            int at = 13 + (i & 1 ? d[0] : 0) + 3 * (i & 2 ? d[1] : 0) + 9 * (i & 4 ? d[2] : 0);
            l->block[way] |= (uint32_t)1 << at;
        }
    }
}

/* The other links of a cell that lies within. */
static lim_result link_around(linking* l, int32_t cell) {
    for (int way = 14; way < 27; ++way) {
        bool face = way == FACE_WAYS[0] || way == FACE_WAYS[1] || way == FACE_WAYS[2];
        if (!face && is_wanted(l, cell, way)) {
            int32_t other = l->near[27 * (size_t)cell + (size_t)way];
            LIM_TRY(push(l, l->cell_first[cell], l->cell_first[other]));
        }
    }
    return LIM_OK;
}

static lim_result link_way_of(linking* l, int32_t cell, int32_t other, int way, const int d[3]) {
    bool known = leads(l, cell, d);
    for (int32_t p = l->cell_first[cell]; p < l->cell_first[cell + 1]; ++p) {
        if (!known) {
            search_block(l, p, way, l->cell_first[other], l->cell_first[other + 1]);
        }
        for (int32_t q = l->cell_first[other]; q < l->cell_first[other + 1]; ++q) {
            bool joined = known ? (l->joined[cell] >> way & 1) != 0
                                : l->seen[q] != l->stamp || is_linked(l, p, q);
            if (!joined) {
                LIM_TRY(push(l, p, q));
            }
        }
    }
    return LIM_OK;
}

static lim_result link_diagonally(linking* l) {
    for (int32_t cell = 0; cell < l->cell_count; ++cell) {
        if (l->whole[cell] == LINK_WITHIN) {
            LIM_TRY(link_around(l, cell));
            continue;
        }
        for (int i = 0; i < LINK_WAYS && l->cell_first[cell] < l->cell_first[cell + 1]; ++i) {
            int d[3];
            link_way(i, d);
            int32_t other = link_is_diagonal(d) ? cell_at(l, cell, d) : -1;
            if (other >= 0 && is_wanted(l, cell, 14 + i)) {
                LIM_TRY(link_way_of(l, cell, other, 14 + i, d));
            }
        }
    }
    return LIM_OK;
}

/* Of the direct links, those that are wanted. */
static void keep_wanted(linking* l) {
    int32_t kept = 0;
    for (int32_t i = 0; i < l->link.count; ++i) {
        link_pair pair = l->link.data[i];
        int32_t from = l->cell[pair.a], to = l->cell[pair.b];
        if (is_wanted(l, from, way_between(l->place[from], l->place[to]))) {
            l->link.data[kept++] = pair;
        }
    }
    l->link.count = kept;
}

lim_result linking_find(linking* l) {
    int32_t n = l->cell_first[l->cell_count];
    l->seen = ARENA_ARRAY(l->scratch, int32_t, n);
    l->queue = ARENA_ARRAY(l->scratch, int32_t, n);
    LIM_TRY_MEMORY(l->seen);
    LIM_TRY_MEMORY(l->queue);
    find_blocks(l);
    LIM_TRY(find_whole(l));
    LIM_TRY(link_directly(l));
    LIM_TRY(linking_list(l->scratch, n, l->link.data, l->link.count, &l->first, &l->item));
    LIM_TRY(find_steps(l));
    keep_wanted(l);
    l->direct = l->link.count;
    return link_diagonally(l);
}

void linking_release(linking* l) {
    ARRAY_FREE(&l->host, &l->link);
}

/* SPDX-License-Identifier: MIT
 * Job: the hierarchy of the material. In: fragments and their graph. Out: pieces of every level
 * with parents, children, volume, centroid, second moments and neighbours. A level follows from the
 * next finer one: pieces with the same parent cell that edges join become one. Where the hierarchy
 * of a material before is known, cells whose pieces are all as they were give what they gave
 * before, and neighbours follow from those before unless one lies in a cell that has changed.
 *
 * Sums: V = sum V_c, c = sum V_c c_c / V, and by the parallel axis theorem
 * M = sum (M_c + V_c d d^T), d = c_c - c, over the children in ascending order.
 */
#include "sample/pieces.h"
#include "base/disjoint_set.h"

#include <string.h>

typedef struct joining {
    arena* a;
    int32_t* set;      /* union-find over the finer level: a set is named by its lowest piece */
    int32_t* stamp;    /* per coarser piece: the piece that last saw it, plus 1 */
    int32_t* list;     /* room for the edges of a level */
    const pieces* was; /* null: all is made */
    int32_t* origin;   /* per finer piece: the one before, in what has not changed; -1 */
    int32_t* same;     /* per coarser piece: the one before, in a cell that is as it was; -1 */
    int32_t* now;      /* per coarser piece before: the one it is `same` of; -1 */
} joining;

static lim_result allocate_level(arena* a, piece_level* l, int32_t count) {
    l->count = count;
    l->key = ARENA_ROOM(a, uint64_t, count);
    l->volume = ARENA_ROOM(a, double, count);
    l->centroid = ARENA_ROOM(a, lim_point, count);
    l->moment = arena_room(a, (size_t)count, sizeof *l->moment);
    LIM_TRY_MEMORY(l->key);
    LIM_TRY_MEMORY(l->volume);
    LIM_TRY_MEMORY(l->centroid);
    LIM_TRY_MEMORY(l->moment);
    return LIM_OK;
}

/* Adds volume times d d^T. */
static void add_square(double moment[6], double volume, lim_point d) {
    moment[0] += volume * d.x * d.x;
    moment[1] += volume * d.y * d.y;
    moment[2] += volume * d.z * d.z;
    moment[3] += volume * d.x * d.y;
    moment[4] += volume * d.x * d.z;
    moment[5] += volume * d.y * d.z;
}

static bool shares_cell(const piece_level* l, int32_t i) {
    return (i > 0 && l->key[i - 1] == l->key[i]) ||
           (i + 1 < l->count && l->key[i + 1] == l->key[i]);
}

/* The finest edges without those within a cell. */
static lim_result finest_edges(arena* a, int32_t* offset, int32_t* node, piece_level* l) {
    int32_t inner = 0, kept = 0;
    for (int32_t i = 0; i < l->count; ++i) {
        if (!shares_cell(l, i)) {
            continue;
        }
        for (int32_t e = offset[i]; e < offset[i + 1]; ++e) {
            inner += l->key[node[e]] == l->key[i];
        }
    }
    l->edge_offset = offset;
    l->edge_piece = node;
    if (inner == 0) {
        return LIM_OK;
    }
    l->edge_offset = ARENA_ARRAY(a, int32_t, l->count + 1);
    l->edge_piece = ARENA_ARRAY(a, int32_t, offset[l->count] - inner);
    LIM_TRY_MEMORY(l->edge_offset);
    LIM_TRY_MEMORY(l->edge_piece);
    for (int32_t i = 0; i < l->count; ++i) {
        for (int32_t e = offset[i]; e < offset[i + 1]; ++e) {
            if (l->key[node[e]] != l->key[i]) {
                l->edge_piece[kept++] = node[e];
            }
        }
        l->edge_offset[i + 1] = kept;
    }
    return LIM_OK;
}

static lim_result finest_level(arena* a, const matter* m, piece_level* l) {
    *l = (piece_level){.count = m->count,
                       .key = m->key,
                       .volume = m->volume,
                       .centroid = m->centroid,
                       .moment = m->moment};
    return finest_edges(a, m->edge_offset, m->edge_node, l);
}

/* Are the pieces [begin, end), all of one parent cell, all that lay there before, unchanged? */
static bool cell_stays(const joining* j, const piece_level* fine, const piece_level* was,
                       int32_t begin, int32_t end) {
    int32_t from = j->origin[begin], to = from + end - begin;
    uint64_t parent = octant_parent(fine->key[begin]);
    bool same = from >= 0;
    for (int32_t i = begin; i < end && same; ++i) {
        same = j->origin[i] == from + i - begin;
    }
    return same && (from == 0 || octant_parent(was->key[from - 1]) != parent) &&
           (to == was->count || octant_parent(was->key[to]) != parent);
}

/* Names the parents of the pieces [begin, end) of one parent cell from `count` on; returns how many
 * parents there are by now. Pieces are in order of (key, lowest fragment), so the lowest piece of a
 * set holds its lowest fragment, and numbering the sets by it orders the parents likewise. */
static int32_t join_cell(const joining* j, const int32_t* offset, const int32_t* node,
                         piece_level* fine, int32_t begin, int32_t end, int32_t count) {
    for (int32_t i = begin; i < end; ++i) {
        j->set[i] = i;
        for (int32_t e = offset[i]; e < offset[i + 1] && node[e] < i; ++e) {
            if (node[e] >= begin) {
                disjoint_join(j->set, i, node[e]);
            }
        }
    }
    for (int32_t i = begin; i < end; ++i) {
        if (j->set[i] == i) {
            j->same[count] = -1;
            fine->parent[i] = count++;
        } else {
            fine->parent[i] = fine->parent[j->set[i]];
        }
    }
    return count;
}

/* The same from the parents before, of which the first has the lowest number. */
static int32_t keep_cell(const joining* j, const piece_level* was, piece_level* fine, int32_t begin,
                         int32_t end, int32_t count) {
    const int32_t* parent = was->parent + j->origin[begin];
    int32_t more = 0;
    for (int32_t i = begin; i < end; ++i) {
        int32_t place = parent[i - begin] - parent[0];
        fine->parent[i] = count + place;
        more = place + 1 > more ? place + 1 : more;
    }
    for (int32_t i = 0; i < more; ++i) {
        j->same[count + i] = parent[0] + i;
    }
    return count + more;
}

/* Names the parent of each piece; returns how many there are. */
static int32_t join_siblings(const joining* j, const int32_t* offset, const int32_t* node,
                             const piece_level* was, piece_level* fine) {
    int32_t count = 0;
    for (int32_t begin = 0, end; begin < fine->count; begin = end) {
        uint64_t parent = octant_parent(fine->key[begin]);
        end = begin + 1;
        while (end < fine->count && octant_parent(fine->key[end]) == parent) {
            end++;
        }
        bool stays = was != NULL && cell_stays(j, fine, was, begin, end);
        count = stays ? keep_cell(j, was, fine, begin, end, count)
                      : join_cell(j, offset, node, fine, begin, end, count);
    }
    return count;
}

static lim_result list_children(arena* a, const piece_level* fine, piece_level* coarse) {
    coarse->child_first = ARENA_ARRAY(a, int32_t, coarse->count + 1);
    coarse->child = ARENA_ROOM(a, int32_t, fine->count);
    LIM_TRY_MEMORY(coarse->child_first);
    LIM_TRY_MEMORY(coarse->child);
    for (int32_t i = 0; i < fine->count; ++i) {
        coarse->child_first[fine->parent[i] + 1]++;
    }
    for (int32_t i = 0; i < coarse->count; ++i) {
        coarse->child_first[i + 1] += coarse->child_first[i];
    }
    for (int32_t i = 0; i < fine->count; ++i) {
        coarse->child[coarse->child_first[fine->parent[i]]++] = i;
    }
    memmove(coarse->child_first + 1, coarse->child_first, (size_t)coarse->count * sizeof(int32_t));
    coarse->child_first[0] = 0;
    return LIM_OK;
}

static void sum_children(const piece_level* fine, piece_level* coarse, int32_t i) {
    int32_t begin = coarse->child_first[i], end = coarse->child_first[i + 1];
    lim_point sum = p3(0, 0, 0);
    coarse->key[i] = octant_parent(fine->key[coarse->child[begin]]);
    coarse->volume[i] = 0.0;
    memset(coarse->moment[i], 0, sizeof *coarse->moment);
    for (int32_t k = begin; k < end; ++k) {
        int32_t c = coarse->child[k];
        coarse->volume[i] += fine->volume[c];
        sum = p3_mad(sum, fine->centroid[c], fine->volume[c]);
    }
    coarse->centroid[i] = p3_scale(sum, 1.0 / coarse->volume[i]);
    for (int32_t k = begin; k < end; ++k) {
        int32_t c = coarse->child[k];
        for (int m = 0; m < 6; ++m) {
            coarse->moment[i][m] += fine->moment[c][m];
        }
        add_square(coarse->moment[i], fine->volume[c],
                   p3_sub(fine->centroid[c], coarse->centroid[i]));
    }
}

static void measure_pieces(const joining* j, const piece_level* fine, const piece_level* was,
                           piece_level* coarse) {
    for (int32_t i = 0; i < coarse->count; ++i) {
        int32_t from = j->same[i];
        if (from < 0) {
            sum_children(fine, coarse, i);
            continue;
        }
        coarse->key[i] = was->key[from];
        coarse->volume[i] = was->volume[from];
        coarse->centroid[i] = was->centroid[from];
        memcpy(coarse->moment[i], was->moment[from], sizeof *coarse->moment);
    }
}

/* The neighbours of a coarse piece, each once, as they come; how many. */
static int32_t find_neighbours(const joining* j, const piece_level* fine, const piece_level* coarse,
                               int32_t i, int32_t* list) {
    int32_t found = 0;
    j->stamp[i] = i + 1;
    for (int32_t k = coarse->child_first[i]; k < coarse->child_first[i + 1]; ++k) {
        int32_t c = coarse->child[k];
        for (int32_t e = fine->edge_offset[c]; e < fine->edge_offset[c + 1]; ++e) {
            int32_t other = fine->parent[fine->edge_piece[e]];
            if (j->stamp[other] != i + 1) {
                j->stamp[other] = i + 1;
                list[found++] = other;
            }
        }
    }
    return found;
}

/* The same from the neighbours before; -1: one of them lies in a cell that has changed. */
static int32_t keep_neighbours(const joining* j, const piece_level* was, int32_t from,
                               int32_t* list) {
    int32_t found = 0;
    for (int32_t e = was->edge_offset[from]; e < was->edge_offset[from + 1]; ++e) {
        list[found] = j->now[was->edge_piece[e]];
        if (list[found++] < 0) {
            return -1;
        }
    }
    return found;
}

/* Appends the neighbours of all pieces to `list`, which has room for all finer edges; count: how
 * many each has, + 1. */
static void list_neighbours(const joining* j, const piece_level* fine, const piece_level* was,
                            const piece_level* coarse, int32_t* count, int32_t* list) {
    int32_t at = 0;
    memset(j->stamp, 0, (size_t)coarse->count * sizeof(int32_t));
    for (int32_t i = 0; i < coarse->count; ++i) {
        int32_t found = j->same[i] >= 0 ? keep_neighbours(j, was, j->same[i], list + at) : -1;
        found = found >= 0 ? found : find_neighbours(j, fine, coarse, i, list + at);
        count[i + 1] = found;
        at += found;
    }
}

/* Neighbours are mutual: a piece goes into the lists of those in its own, pieces in ascending
 * order, so that lists are ascending. */
static lim_result link_pieces(const joining* j, const piece_level* fine, const piece_level* was,
                              piece_level* coarse) {
    int32_t n = coarse->count;
    int32_t* next = coarse->edge_offset = ARENA_ROOM(j->a, int32_t, n + 1);
    LIM_TRY_MEMORY(next);
    next[0] = 0;
    list_neighbours(j, fine, was, coarse, next, j->list);
    for (int32_t i = 0; i < n; ++i) {
        next[i + 1] += next[i];
    }
    coarse->edge_piece = ARENA_ROOM(j->a, int32_t, next[n]);
    LIM_TRY_MEMORY(coarse->edge_piece);
    /* How many a piece has seen is how many have seen it: both lists of it begin at one place. */
    memcpy(j->stamp, next, (size_t)n * sizeof(int32_t));
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t e = next[i]; e < next[i + 1]; ++e) {
            coarse->edge_piece[j->stamp[j->list[e]]++] = i;
        }
    }
    return LIM_OK;
}

/* Where the coarser pieces before are now. */
static void name_now(const joining* j, const piece_level* was, const piece_level* coarse) {
    memset(j->now, 0xFF, (size_t)was->count * sizeof(int32_t));
    for (int32_t i = 0; i < coarse->count; ++i) {
        if (j->same[i] >= 0) {
            j->now[j->same[i]] = i;
        }
    }
}

/* offset, node: what joins the finer pieces; at the finest level also links within a cell. */
static lim_result coarser_level(const joining* j, const int32_t* offset, const int32_t* node,
                                int32_t l, piece_level* fine, piece_level* coarse) {
    const piece_level* was = j->was != NULL ? &j->was->level[l] : NULL;
    fine->parent = ARENA_ROOM(j->a, int32_t, fine->count);
    LIM_TRY_MEMORY(fine->parent);
    int32_t count = join_siblings(j, offset, node, was != NULL ? was + 1 : NULL, fine);
    LIM_TRY(allocate_level(j->a, coarse, count));
    LIM_TRY(list_children(j->a, fine, coarse));
    measure_pieces(j, fine, was, coarse);
    if (was != NULL) {
        name_now(j, was, coarse);
    }
    LIM_TRY(link_pieces(j, fine, was, coarse));
    /* What such a piece may have lost are neighbours in cells that have changed: those above them
     * have changed too. */
    memcpy(j->origin, j->same, (size_t)coarse->count * sizeof(int32_t));
    return LIM_OK;
}

/* Which fragments are as they were, with all of their edges: glue counts as changed. */
static lim_result name_origins(const joining* j, arena* scratch, const matter* m,
                               const pieces_before* before) {
    uint8_t* glued = ARENA_ARRAY(scratch, uint8_t, before->m->count);
    LIM_TRY_MEMORY(glued);
    for (int32_t i = 0; i < 2 * before->m->glued_edges; ++i) {
        glued[before->m->glue[i]] = 1;
    }
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t from = before->source[i];
        j->origin[i] = before->touched[i] || glued[from] ? -1 : from;
    }
    for (int32_t i = 0; i < 2 * m->glued_edges; ++i) {
        j->origin[m->glue[i]] = -1;
    }
    return LIM_OK;
}

static lim_result build(joining* j, arena* scratch, const matter* m, const pieces_before* before,
                        pieces* out) {
    j->set = ARENA_ROOM(scratch, int32_t, m->count);
    j->stamp = ARENA_ROOM(scratch, int32_t, m->count);
    j->list = ARENA_ROOM(scratch, int32_t, m->edge_offset[m->count]);
    j->origin = ARENA_ROOM(scratch, int32_t, m->count);
    j->same = ARENA_ROOM(scratch, int32_t, m->count);
    LIM_TRY_MEMORY(j->set);
    LIM_TRY_MEMORY(j->stamp);
    LIM_TRY_MEMORY(j->list);
    LIM_TRY_MEMORY(j->origin);
    LIM_TRY_MEMORY(j->same);
    if (before != NULL) {
        j->was = before->tree;
        j->now = ARENA_ROOM(scratch, int32_t, before->m->count);
        LIM_TRY_MEMORY(j->now);
        LIM_TRY(name_origins(j, scratch, m, before));
    }
    piece_level* fine = &out->level[out->finest];
    LIM_TRY(finest_level(j->a, m, fine));
    const int32_t *offset = m->edge_offset, *node = m->edge_node;
    for (int32_t l = out->finest - 1; l >= 0; --l) {
        LIM_TRY(coarser_level(j, offset, node, l, fine, &out->level[l]));
        fine = &out->level[l];
        offset = fine->edge_offset;
        node = fine->edge_piece;
    }
    return LIM_OK;
}

lim_result pieces_follow(arena* a, const matter* m, const pieces_before* before, pieces* out) {
    *out = (pieces){.finest = m->level, .side = m->side, .corner = m->corner};
    arena scratch;
    arena_init(&scratch, &a->host);
    joining j = {.a = a};
    lim_result result = build(&j, &scratch, m, before, out);
    arena_release(&scratch);
    return result;
}

lim_result pieces_build(arena* a, const matter* m, pieces* out) {
    return pieces_follow(a, m, NULL, out);
}

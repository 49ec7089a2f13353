/* SPDX-License-Identifier: MIT
 * Job: the nodes of a sampling. In: the material and the chosen pieces. Out: keys,
 * places, masses, anchors, and the graph between nodes: an edge where any finest edge joins two.
 * Because levels differ by one at most along an edge, the neighbours of a node are found in the
 * graph of its own level: pieces that are nodes, or whose parents are. What a coarser node is
 * linked to below its level, it learns from the finer ones.
 */
#include "sample/nodes.h"

#include "base/sort.h"

#include <string.h>

typedef struct filling {
    const matter* m;
    const adaptation* chosen;
    sampling* out;
    arena* a;
    arena* scratch;
    int32_t* owner[OCTANT_LEVELS + 1]; /* per piece its node; -1: it is split */
} filling;

static lim_result allocate_nodes(const filling* w) {
    sampling* s = w->out;
    int32_t n = s->node_count;
    s->key = ARENA_ROOM(w->a, uint64_t, n);
    s->fragment = ARENA_ROOM(w->a, uint16_t, n);
    s->centre = ARENA_ROOM(w->a, lim_vec3, n);
    s->centroid = ARENA_ROOM(w->a, lim_vec3, n);
    s->volume = ARENA_ROOM(w->a, float, n);
    s->side = ARENA_ROOM(w->a, float, n);
    s->moment = arena_room(w->a, (size_t)n, sizeof *s->moment);
    s->component = ARENA_ROOM(w->a, int32_t, n);
    LIM_TRY_MEMORY(s->key);
    LIM_TRY_MEMORY(s->fragment);
    LIM_TRY_MEMORY(s->centre);
    LIM_TRY_MEMORY(s->centroid);
    LIM_TRY_MEMORY(s->volume);
    LIM_TRY_MEMORY(s->side);
    LIM_TRY_MEMORY(s->moment);
    LIM_TRY_MEMORY(s->component);
    return LIM_OK;
}

/* Which of the pieces of its cell a node is. */
static int32_t place_in_cell(const sampling* s, const piece_level* l, int32_t node) {
    int32_t piece = s->piece[node], first = piece;
    if (node > 0 && s->key[node - 1] == s->key[node]) {
        return s->fragment[node - 1] + piece - s->piece[node - 1];
    }
    while (first > 0 && l->key[first - 1] == l->key[piece]) {
        first--;
    }
    return piece - first;
}

static void place_nodes(const filling* w) {
    sampling* s = w->out;
    const pieces* tree = &s->pieces;
    octant o = {0, 0, 0, 0};
    for (int32_t i = 0; i < s->node_count; ++i) {
        const piece_level* l = &tree->level[s->level[i]];
        int32_t piece = s->piece[i];
        o = i > 0 ? octant_near(l->key[piece], s->key[i - 1], o) : octant_of(l->key[piece]);
        double side = tree->side * (double)(1 << (tree->finest - o.level));
        s->key[i] = l->key[piece];
        s->fragment[i] = (uint16_t)place_in_cell(s, l, i);
        s->centre[i] = v3_of(p3_mad(tree->corner, p3(o.x + 0.5, o.y + 0.5, o.z + 0.5), side));
        s->centroid[i] = v3_of(l->centroid[piece]);
        s->volume[i] = (float)l->volume[piece];
        s->side[i] = (float)side;
        for (int k = 0; k < 6; ++k) {
            s->moment[i][k] = (float)l->moment[piece][k];
        }
    }
    for (int32_t i = 0; i < s->node_count; ++i) {
        bool first = i == 0 || s->key[i - 1] != s->key[i];
        bool last = i + 1 == s->node_count || s->key[i + 1] != s->key[i];
        s->cell_count += first;
        s->fragment_count += !(first && last);
    }
}

/* Names the node of every piece that is one or lies in one. */
static lim_result find_owners(filling* w) {
    const pieces* tree = &w->out->pieces;
    int32_t node = 0;
    for (int32_t l = 0; l <= tree->finest; ++l) {
        const piece_level* level = &tree->level[l];
        arena* to = l == tree->finest ? w->a : w->scratch;
        w->owner[l] = ARENA_ROOM(to, int32_t, level->count);
        LIM_TRY_MEMORY(w->owner[l]);
        for (int32_t i = 0; i < level->count; ++i) {
            w->owner[l][i] = l > 0 ? w->owner[l - 1][level->parent[i]] : -1;
        }
        for (; node < w->out->node_count && w->out->level[node] == l; ++node) {
            w->owner[l][w->out->piece[node]] = node;
        }
    }
    w->out->fragment_node = w->owner[tree->finest];
    return LIM_OK;
}

/* Distance of a number from the interval [low, low + 4]. */
static double beyond(double x, double low) {
    const double high = low + (double)MASK_SIDE;
    return x < low ? low - x : x > high ? x - high : 0.0;
}

/* Fragments in ascending order, their sub-voxels likewise; the first of the nearest ones counts. */
static void find_anchors(const matter* m, sampling* s, double* nearest) {
    for (int32_t i = 0; i < s->node_count; ++i) {
        nearest[i] = HUGE_VAL;
    }
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t node = s->fragment_node[i];
        octant c = octant_of(m->key[i]);
        lim_point at =
            p3_scale(p3_sub(s->pieces.level[s->level[node]].centroid[s->piece[node]], m->corner),
                     1.0 / m->sub);
        int32_t low[3] = {MASK_SIDE * c.x, MASK_SIDE * c.y, MASK_SIDE * c.z};
        lim_point out = p3(beyond(at.x, low[0]), beyond(at.y, low[1]), beyond(at.z, low[2]));
        for (uint64_t bits = p3_dot(out, out) < nearest[node] ? m->mask[i] : 0; bits != 0;
             bits &= bits - 1) {
            int bit = mask_lowest(bits);
            int32_t sub[3] = {low[0] + (bit & 3), low[1] + (bit >> 2 & 3), low[2] + (bit >> 4)};
            lim_point d = p3(sub[0] + 0.5 - at.x, sub[1] + 0.5 - at.y, sub[2] + 0.5 - at.z);
            if (p3_dot(d, d) < nearest[node]) {
                nearest[node] = p3_dot(d, d);
                memcpy(s->anchor[node], sub, sizeof sub);
            }
        }
    }
}

lim_result nodes_anchor(arena* a, const matter* m, sampling* s) {
    arena scratch;
    arena_init(&scratch, &a->host);
    double* nearest = ARENA_ARRAY(&scratch, double, s->node_count);
    s->anchor = arena_alloc(a, (size_t)s->node_count, sizeof *s->anchor);
    bool memory = nearest != NULL && s->anchor != NULL;
    if (memory) {
        find_anchors(m, s, nearest);
    }
    arena_release(&scratch);
    return memory ? LIM_OK : LIM_ERROR_MEMORY;
}

/* The neighbours of a node that are of its level or coarser, each once, into `list`: how many.
 * `stamp`: the node that last saw each, plus 1. */
static int32_t find_neighbours(const filling* w, int32_t node, int32_t* stamp, int32_t* list) {
    const sampling* s = w->out;
    int32_t l = s->level[node], piece = s->piece[node], found = 0;
    bool finest = l == s->pieces.finest; /* glue within cells is only in the fragments' graph */
    const int32_t* offset = finest ? w->m->edge_offset : s->pieces.level[l].edge_offset;
    const int32_t* other = finest ? w->m->edge_node : s->pieces.level[l].edge_piece;
    for (int32_t e = offset[piece]; e < offset[piece + 1]; ++e) {
        int32_t to = w->owner[l][other[e]];
        if (to >= 0 && stamp[to] != node + 1) {
            stamp[to] = node + 1;
            list[found++] = to;
        }
    }
    return found;
}

static void sort_list(int32_t* list, int32_t count) {
    for (int32_t k = 1; k < count; ++k) {
        int32_t node = list[k], to = k;
        for (; to > 0 && list[to - 1] > node; --to) {
            list[to] = list[to - 1];
        }
        list[to] = node;
    }
}

/* Room for what all nodes may find. */
static int64_t count_rows(const filling* w) {
    const sampling* s = w->out;
    int64_t room = 0;
    for (int32_t i = 0; i < s->node_count; ++i) {
        bool finest = s->level[i] == s->pieces.finest;
        const int32_t* offset =
            finest ? w->m->edge_offset : s->pieces.level[s->level[i]].edge_offset;
        room += offset[s->piece[i] + 1] - offset[s->piece[i]];
    }
    return room;
}

static lim_result link_nodes(const filling* w) {
    sampling* s = w->out;
    int32_t n = s->node_count, at = 0;
    int32_t* stamp = ARENA_ARRAY(w->scratch, int32_t, n);
    int32_t* first = ARENA_ROOM(w->scratch, int32_t, n + 1);
    int32_t* list = ARENA_ROOM(w->scratch, int32_t, count_rows(w));
    s->edge_offset = ARENA_ARRAY(w->a, int32_t, n + 1);
    LIM_TRY_MEMORY(stamp);
    LIM_TRY_MEMORY(first);
    LIM_TRY_MEMORY(list);
    LIM_TRY_MEMORY(s->edge_offset);
    for (int32_t i = 0; i < n; ++i) {
        first[i] = at;
        at += find_neighbours(w, i, stamp, list + at);
        s->edge_offset[i + 1] += at - first[i];
        for (int32_t k = first[i]; k < at; ++k) {
            s->edge_offset[list[k] + 1] += s->level[list[k]] < s->level[i]; /* who does not know */
        }
    }
    first[n] = at;
    for (int32_t i = 0; i < n; ++i) {
        s->edge_offset[i + 1] += s->edge_offset[i];
    }
    s->edge_node = ARENA_ROOM(w->a, int32_t, s->edge_offset[n]);
    LIM_TRY_MEMORY(s->edge_node);
    int32_t* next = stamp;
    memcpy(next, s->edge_offset, (size_t)n * sizeof(int32_t));
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t k = first[i]; k < first[i + 1]; ++k) {
            s->edge_node[next[i]++] = list[k];
            if (s->level[list[k]] < s->level[i]) {
                s->edge_node[next[list[k]]++] = i;
            }
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        sort_list(s->edge_node + s->edge_offset[i], s->edge_offset[i + 1] - s->edge_offset[i]);
    }
    return LIM_OK;
}

/* A node's component is that of its fragments, renumbered by lowest node. */
static lim_result name_components(const filling* w) {
    sampling* s = w->out;
    s->component_count = 0;
    int32_t* name = ARENA_ARRAY(w->scratch, int32_t, w->m->component_count);
    LIM_TRY_MEMORY(name);
    for (int32_t i = 0; i < w->m->count; ++i) {
        s->component[s->fragment_node[i]] = w->m->component[i];
    }
    for (int32_t i = 0; i < s->node_count; ++i) {
        int32_t c = s->component[i];
        if (name[c] == 0) {
            name[c] = ++s->component_count;
        }
        s->component[i] = name[c] - 1;
    }
    return LIM_OK;
}

/* Edges between nodes of which a finest edge is glue. */
static lim_result count_glued(const filling* w) {
    sampling* s = w->out;
    const matter* see = w->m;
    const int32_t* owner = w->owner[s->pieces.finest];
    sort_item* pair = ARENA_ARRAY(w->scratch, sort_item, see->glued_edges);
    sort_item* other = ARENA_ARRAY(w->scratch, sort_item, see->glued_edges);
    LIM_TRY_MEMORY(pair);
    LIM_TRY_MEMORY(other);
    int32_t count = 0;
    for (int32_t i = 0; i < see->glued_edges; ++i) {
        int32_t a = owner[see->glue[2 * i]], b = owner[see->glue[2 * i + 1]];
        if (a != b) {
            uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
            pair[count++] = (sort_item){.key = low << 32 | high};
        }
    }
    sort_items(pair, other, count);
    for (int32_t i = 0; i < count; ++i) {
        s->glued_edges += i == 0 || pair[i].key != pair[i - 1].key;
    }
    return LIM_OK;
}

static lim_result fill(filling* w) {
    sampling* s = w->out;
    s->cell_size = (float)w->m->side;
    s->corner = v3_of(w->m->corner);
    s->levels = w->m->level;
    s->node_count = w->chosen->count;
    s->level = w->chosen->level;
    s->piece = w->chosen->piece;
    LIM_TRY(allocate_nodes(w));
    place_nodes(w);
    LIM_TRY(find_owners(w));
    if (s->node_count == 0 || s->level[0] == s->pieces.finest) {
        s->edge_offset = w->m->edge_offset; /* the nodes are the fragments */
        s->edge_node = w->m->edge_node;
    } else {
        LIM_TRY(link_nodes(w));
    }
    LIM_TRY(name_components(w));
    return count_glued(w);
}

lim_result nodes_fill(arena* a, const matter* m, const adaptation* chosen, sampling* out) {
    arena scratch;
    arena_init(&scratch, &a->host);
    filling w = {.m = m, .chosen = chosen, .out = out, .a = a, .scratch = &scratch};
    lim_result result = fill(&w);
    arena_release(&scratch);
    return result;
}

static int32_t apart(int32_t a, int32_t b) {
    return a > b ? a - b : b - a;
}

/* Max-norm of the difference of cell centres in half finest cells; 1 within a cell. */
static uint16_t length_between(const sampling* s, int32_t a, int32_t b) {
    octant o[2] = {octant_of(s->key[a]), octant_of(s->key[b])};
    int32_t edge[2] = {1 << (s->levels - o[0].level), 1 << (s->levels - o[1].level)};
    int32_t x = apart((2 * o[0].x + 1) * edge[0], (2 * o[1].x + 1) * edge[1]);
    int32_t y = apart((2 * o[0].y + 1) * edge[0], (2 * o[1].y + 1) * edge[1]);
    int32_t z = apart((2 * o[0].z + 1) * edge[0], (2 * o[1].z + 1) * edge[1]);
    int32_t most = x > y ? x : y;
    most = z > most ? z : most;
    LIM_ASSERT(most <= UINT16_MAX);
    return (uint16_t)(most > 0 ? most : 1);
}

/* One direction of an edge, if there is one. */
static void measure_edge(const sampling* s, int32_t from, int32_t to, uint16_t* length) {
    for (int32_t e = s->edge_offset[from]; e < s->edge_offset[from + 1]; ++e) {
        if (s->edge_node[e] == to) {
            length[e] = length_between(s, from, to);
        }
    }
}

/* Cells that material joins touch: along one axis their centres are as far apart as half of both
 * edges, along the others no farther. Only glue may lead elsewhere. Nodes, and so rows, are in
 * order of level: a row whose ends are of the node's own level is. */
void nodes_measure(const sampling* s, uint16_t* length) {
    int32_t low = 0, high = 0; /* the nodes of one level */
    for (int32_t i = 0; i < s->node_count; ++i) {
        low = i == high ? i : low;
        while (high < s->node_count && (high <= i || s->level[high] == s->level[i])) {
            high++;
        }
        int32_t begin = s->edge_offset[i], end = s->edge_offset[i + 1];
        int32_t own = 1 << (s->levels - s->level[i]);
        bool one = high - low == s->node_count ||
                   (begin < end && s->edge_node[begin] >= low && s->edge_node[end - 1] < high);
        for (int32_t e = begin; e < end; ++e) {
            length[e] = (uint16_t)(2 * own);
        }
        for (int32_t e = one ? end : begin; e < end; ++e) {
            int32_t other = 1 << (s->levels - s->level[s->edge_node[e]]);
            length[e] = (uint16_t)(own + other);
        }
    }
    for (int32_t i = 0; i < s->matter.glued_edges; ++i) {
        int32_t a = s->fragment_node[s->matter.glue[2 * i]];
        int32_t b = s->fragment_node[s->matter.glue[2 * i + 1]];
        measure_edge(s, a, b, length);
        measure_edge(s, b, a, length);
    }
}

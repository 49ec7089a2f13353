/* SPDX-License-Identifier: MIT
 * Nodes in a hierarchy of material for tests, without a mesh: cells of a cube of 2^finest cells a
 * side that a mask keeps, one or two fragments in each, random links between fragments of touching
 * cells and a wall with a hole. Coarser pieces by flooding, nodes by random refinement that is then
 * balanced 2:1 along the links. Slots as in a body: components one after the other, each padded to
 * a multiple of 8. Neighbours of coarser pieces are left out.
 */
#ifndef LIMBER_PIECE_BODY_H
#define LIMBER_PIECE_BODY_H

#include "base/random.h"
#include "base/sort.h"
#include "region/region.h"

typedef struct piece_recipe {
    int32_t finest;
    float keep;   /* chance of a cell; 1: solid */
    float twice;  /* chance that a cell has two fragments */
    float link;   /* chance that two fragments of touching cells are joined */
    float split;  /* chance that a piece is refined; 1: uniform at the finest level */
    bool wall;    /* no link through the middle plane, but for one corner */
    bool capsule; /* keep only a few rods along the axes: fingers with gaps */
} piece_recipe;

typedef struct piece_body {
    arena mem;
    pieces tree;
    int32_t* node_level; /* per fragment: the level of the node that holds it */
    int32_t *level, *piece;
    float *x0[3], *volume;
    uint64_t* key;
    uint16_t* fragment;
    int32_t *edge_offset, *edge_node;
    uint16_t* edge_length;
    region_nodes nodes;
    graph g;
    region_tree where;
} piece_body;

static inline bool piece_kept(const piece_recipe* r, random_stream* random, octant o) {
    int32_t n = 1 << r->finest;
    if (r->capsule) {
        /* rods of two cells along x, one cell apart, on a foot */
        bool foot = o.x < n / 4, rod = o.y % 3 != 2 && o.z < (n + 1) / 2;
        return (foot || rod) && random_unit(random) < r->keep;
    }
    return random_unit(random) < r->keep;
}

/* The fragments: pieces of the finest level. first_of: per cell (Morton code) its first one. */
static inline void piece_fragments(piece_body* b, const piece_recipe* r, random_stream* random,
                                   int32_t* first_of) {
    piece_level* f = &b->tree.level[r->finest];
    int32_t cells = 1 << (3 * r->finest);
    f->key = ARENA_ARRAY(&b->mem, uint64_t, 2 * cells);
    for (int32_t m = 0; m < cells; ++m) {
        uint64_t key = (uint64_t)r->finest << 58 | (uint64_t)m;
        first_of[m] = f->count;
        if (m == 0 || piece_kept(r, random, octant_of(key))) {
            f->key[f->count++] = key;
            if (random_unit(random) < r->twice) {
                f->key[f->count++] = key;
            }
        }
    }
    first_of[cells] = f->count;
}

/* The same answer for (i, j) and (j, i). */
static inline bool piece_joined(const piece_recipe* r, uint64_t seed, octant a, octant b, int32_t i,
                                int32_t j) {
    int32_t half = 1 << (r->finest - 1);
    if (r->wall && (a.x < half) != (b.x < half) && (a.y > 0 || b.y > 0)) {
        return false;
    }
    int32_t low = i < j ? i : j, high = i < j ? j : i;
    random_stream s = random_seed(seed + ((uint64_t)low << 32 | (uint64_t)high));
    return random_unit(&s) < r->link;
}

static inline void piece_links(piece_body* b, const piece_recipe* r, uint64_t seed,
                               const int32_t* first_of) {
    piece_level* f = &b->tree.level[r->finest];
    int32_t n = 1 << r->finest, edges = 0;
    f->edge_offset = ARENA_ARRAY(&b->mem, int32_t, f->count + 1);
    f->edge_piece = ARENA_ARRAY(&b->mem, int32_t, f->count * 52);
    for (int32_t i = 0; i < f->count; ++i) {
        octant o = octant_of(f->key[i]);
        for (int32_t k = 0; k < 27; ++k) {
            octant t = {o.level, o.x + k % 3 - 1, o.y + k / 3 % 3 - 1, o.z + k / 9 - 1};
            if (k == 13 || t.x < 0 || t.y < 0 || t.z < 0 || t.x >= n || t.y >= n || t.z >= n) {
                continue;
            }
            int32_t cell = (int32_t)(octant_key(t) & 0xFFFFFFF);
            for (int32_t j = first_of[cell]; j < first_of[cell + 1]; ++j) {
                if (piece_joined(r, seed, o, t, i, j)) {
                    f->edge_piece[edges++] = j;
                }
            }
        }
        f->edge_offset[i + 1] = edges;
    }
}

static inline int32_t piece_root(int32_t* group, int32_t i) {
    while (group[i] != i) {
        group[i] = group[group[i]];
        i = group[i];
    }
    return i;
}

/* holder: per fragment its piece of level `level`; flood inside the cells one level up. */
static inline void piece_coarsen(piece_body* b, int32_t level, int32_t* holder) {
    const piece_level* f = &b->tree.level[b->tree.finest];
    piece_level *fine = &b->tree.level[level], *here = &b->tree.level[level - 1];
    int32_t* group = ARENA_ARRAY(&b->mem, int32_t, fine->count);
    int32_t* number = ARENA_ARRAY(&b->mem, int32_t, fine->count);
    for (int32_t p = 0; p < fine->count; ++p) {
        group[p] = p;
        number[p] = -1;
    }
    for (int32_t i = 0; i < f->count; ++i) {
        for (int32_t e = f->edge_offset[i]; e < f->edge_offset[i + 1]; ++e) {
            int32_t p = holder[i], q = holder[f->edge_piece[e]];
            if (octant_parent(fine->key[p]) == octant_parent(fine->key[q])) {
                group[piece_root(group, p)] = piece_root(group, q);
            }
        }
    }
    here->key = ARENA_ARRAY(&b->mem, uint64_t, fine->count);
    here->child_first = ARENA_ARRAY(&b->mem, int32_t, fine->count + 1);
    here->child = ARENA_ARRAY(&b->mem, int32_t, fine->count);
    fine->parent = ARENA_ARRAY(&b->mem, int32_t, fine->count);
    for (int32_t p = 0; p < fine->count; ++p) {
        int32_t root = piece_root(group, p);
        if (number[root] < 0) {
            here->key[here->count] = octant_parent(fine->key[p]);
            number[root] = here->count++;
        }
        fine->parent[p] = number[root];
        here->child_first[number[root] + 1]++;
    }
    int32_t* at = ARENA_ARRAY(&b->mem, int32_t, here->count);
    for (int32_t p = 0; p < here->count; ++p) {
        here->child_first[p + 1] += here->child_first[p];
        at[p] = here->child_first[p];
    }
    for (int32_t p = 0; p < fine->count; ++p) {
        here->child[at[fine->parent[p]]++] = p;
    }
    for (int32_t i = 0; i < f->count; ++i) {
        holder[i] = fine->parent[holder[i]];
    }
}

/* Chooses the nodes: node_level per fragment, equal within a node. */
static inline void piece_refine(piece_body* b, const piece_recipe* r, uint64_t seed,
                                int32_t* const* piece_at) {
    const piece_level* f = &b->tree.level[r->finest];
    b->node_level = ARENA_ARRAY(&b->mem, int32_t, f->count);
    for (int32_t i = 0; i < f->count; ++i) {
        int32_t l = r->finest > 2 && r->split > 0.0f ? 1 : 0;
        for (; l < r->finest; ++l) {
            random_stream s = random_seed(seed ^ ((uint64_t)l << 40 | (uint64_t)piece_at[l][i]));
            if (!(random_unit(&s) < r->split)) {
                break;
            }
        }
        b->node_level[i] = l;
    }
    /* A node that is linked to one finer by more than a level is split into its children. */
    uint8_t* marked = ARENA_ARRAY(&b->mem, uint8_t, f->count);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < f->count; ++i) {
            for (int32_t e = f->edge_offset[i]; e < f->edge_offset[i + 1]; ++e) {
                marked[i] |= b->node_level[f->edge_piece[e]] > b->node_level[i] + 1;
            }
        }
        for (int32_t i = 0; i < f->count; ++i) {
            if (marked[i]) {
                int32_t l = b->node_level[i];
                for (int32_t j = 0; j < f->count; ++j) {
                    if (b->node_level[j] == l && piece_at[l][j] == piece_at[l][i]) {
                        b->node_level[j] = l + 1;
                        marked[j] = 0;
                    }
                }
                changed = true;
            }
        }
    }
}

/* Slots of nodes in order of (component, first fragment), components padded to 8; slot_of: per
 * fragment. */
static inline void piece_slots(piece_body* b, int32_t* const* piece_at, int32_t* slot_of) {
    const piece_level* f = &b->tree.level[b->tree.finest];
    int32_t* group = ARENA_ARRAY(&b->mem, int32_t, f->count); /* component of the nodes */
    for (int32_t i = 0; i < f->count; ++i) {
        group[i] = i;
        slot_of[i] = -1;
    }
    int32_t* first[OCTANT_LEVELS + 1]; /* per piece: its first fragment + 1 */
    for (int32_t l = 0; l <= b->tree.finest; ++l) {
        first[l] = ARENA_ARRAY(&b->mem, int32_t, b->tree.level[l].count);
    }
    for (int32_t i = 0; i < f->count; ++i) {
        int32_t* lowest = &first[b->node_level[i]][piece_at[b->node_level[i]][i]];
        *lowest = *lowest == 0 ? i + 1 : *lowest;
        group[piece_root(group, i)] = piece_root(group, *lowest - 1);
        for (int32_t e = f->edge_offset[i]; e < f->edge_offset[i + 1]; ++e) {
            group[piece_root(group, i)] = piece_root(group, f->edge_piece[e]);
        }
    }
    int32_t slots = 0;
    for (int32_t c = 0; c < f->count; ++c) {
        if (group[c] != c) {
            continue;
        }
        for (int32_t i = 0; i < f->count; ++i) {
            int32_t l = b->node_level[i], lowest = first[l][piece_at[l][i]] - 1;
            if (piece_root(group, i) == c) {
                b->nodes.count += lowest == i;
                slot_of[i] = lowest == i ? slots++ : slot_of[lowest];
            }
        }
        slots = (slots + 7) / 8 * 8;
    }
    b->nodes.padded = slots;
}

static inline void piece_nodes(piece_body* b, int32_t* const* piece_at, const int32_t* slot_of) {
    const piece_level* f = &b->tree.level[b->tree.finest];
    size_t slots = (size_t)b->nodes.padded;
    b->level = ARENA_ARRAY(&b->mem, int32_t, slots);
    b->piece = ARENA_ARRAY(&b->mem, int32_t, slots);
    b->volume = ARENA_ARRAY(&b->mem, float, slots);
    b->key = ARENA_ARRAY(&b->mem, uint64_t, slots);
    b->fragment = ARENA_ARRAY(&b->mem, uint16_t, slots);
    for (int k = 0; k < 3; ++k) {
        b->x0[k] = ARENA_ARRAY(&b->mem, float, slots);
        b->nodes.x0[k] = b->x0[k];
    }
    for (size_t i = 0; i < slots; ++i) {
        b->level[i] = -1;
    }
    for (int32_t i = 0; i < f->count; ++i) {
        int32_t s = slot_of[i], l = b->node_level[i];
        octant o = octant_of(f->key[i]);
        b->level[s] = l;
        b->piece[s] = piece_at[l][i];
        b->key[s] = b->tree.level[l].key[piece_at[l][i]];
        b->volume[s] += 1.0f;
        b->x0[0][s] += (float)o.x;
        b->x0[1][s] += (float)o.y;
        b->x0[2][s] += (float)o.z;
    }
    for (size_t s = 0; s < slots; ++s) {
        for (int k = 0; k < 3 && b->volume[s] > 0.0f; ++k) {
            float cells = (float)(1 << b->tree.finest);
            b->x0[k][s] = (b->x0[k][s] / b->volume[s] + 0.5f) / cells - 0.5f;
        }
    }
    b->nodes.volume = b->volume;
    b->nodes.key = b->key;
    b->nodes.fragment = b->fragment;
    b->where = (region_tree){&b->tree, b->level, b->piece};
}

/* The graph of the nodes: an edge where fragments are linked; s + t half cells long for cells of s
 * and t finest cells. */
static inline void piece_graph(piece_body* b, const int32_t* slot_of) {
    const piece_level* f = &b->tree.level[b->tree.finest];
    int32_t links = f->edge_offset[f->count], slots = b->nodes.padded, edges = 0;
    sort_item* item = ARENA_ARRAY(&b->mem, sort_item, links);
    sort_item* spare = ARENA_ARRAY(&b->mem, sort_item, links);
    int32_t count = 0;
    for (int32_t i = 0; i < f->count; ++i) {
        for (int32_t e = f->edge_offset[i]; e < f->edge_offset[i + 1]; ++e) {
            int32_t s = slot_of[i], t = slot_of[f->edge_piece[e]];
            if (s != t) {
                item[count++] = (sort_item){(uint64_t)s << 32 | (uint64_t)t, 0, 0};
            }
        }
    }
    sort_items(item, spare, count);
    b->edge_offset = ARENA_ARRAY(&b->mem, int32_t, slots + 1);
    b->edge_node = ARENA_ARRAY(&b->mem, int32_t, count);
    b->edge_length = ARENA_ARRAY(&b->mem, uint16_t, count);
    for (int32_t k = 0; k < count; ++k) {
        if (k > 0 && item[k].key == item[k - 1].key) {
            continue;
        }
        int32_t s = (int32_t)(item[k].key >> 32), t = (int32_t)(item[k].key & 0xFFFFFFFFu);
        b->edge_node[edges] = t;
        b->edge_length[edges++] = (uint16_t)((1 << (b->tree.finest - b->level[s])) +
                                             (1 << (b->tree.finest - b->level[t])));
        b->edge_offset[s + 1] = edges;
    }
    for (int32_t s = 0; s < slots; ++s) {
        int32_t before = b->edge_offset[s];
        b->edge_offset[s + 1] = b->edge_offset[s + 1] > before ? b->edge_offset[s + 1] : before;
    }
    b->g = (graph){slots, b->edge_offset, b->edge_node, b->edge_length};
}

static inline void piece_body_make(piece_body* b, const piece_recipe* r, uint64_t seed) {
    *b = (piece_body){.tree = {.finest = r->finest, .side = 1.0 / (1 << r->finest)}};
    arena_init(&b->mem, NULL);
    random_stream random = random_seed(seed);
    int32_t* first_of = ARENA_ARRAY(&b->mem, int32_t, (1 << (3 * r->finest)) + 1);
    piece_fragments(b, r, &random, first_of);
    piece_links(b, r, seed, first_of);
    int32_t count = b->tree.level[r->finest].count;
    int32_t* piece_at[OCTANT_LEVELS + 1]; /* per level and fragment */
    for (int32_t l = r->finest; l >= 0; --l) {
        piece_at[l] = ARENA_ARRAY(&b->mem, int32_t, count);
        for (int32_t i = 0; i < count; ++i) {
            piece_at[l][i] = l == r->finest ? i : piece_at[l + 1][i];
        }
        if (l < r->finest) {
            piece_coarsen(b, l + 1, piece_at[l]);
        }
    }
    int32_t* slot_of = ARENA_ARRAY(&b->mem, int32_t, count);
    piece_refine(b, r, seed, piece_at);
    piece_slots(b, piece_at, slot_of);
    piece_nodes(b, piece_at, slot_of);
    piece_graph(b, slot_of);
}

static inline void piece_body_free(piece_body* b) {
    arena_release(&b->mem);
}

#endif

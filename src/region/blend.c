/* SPDX-License-Identifier: MIT
 * Job: blended regions as a sum network. In: nodes, the hierarchy of material pieces, a width per
 * node. Out: the network nodes -> pieces -> coarser pieces -> regions, with weights.
 *
 * Steinemann et al. 2008 sum over the octree: a parent is the sum of its children, whole. Regions
 * made of such blocks show the tree: a block that no region's border ever cuts moves as a brick.
 * Here a child gives its value not to its parent alone but to the eight parent-sized cells around
 * it, with the weights of linear interpolation (3/4 and 1/4 along each axis). The sums of a level
 * are then taken with smooth tents that overlap, two cells of that level wide, and a region is
 * simply one record of a level. Because linear interpolation reproduces linear functions, level
 * after level, the mean rest centre of the regions of a node is the node, wherever the tree's
 * planes lie: a body that is stretched, sheared or turned evenly has goals equal to its positions
 * (the patch test, docs/model_octree.md). One region serves the nodes of a whole cell, so there are
 * eight times fewer regions than nodes, or fewer, and the cost does not depend on the width.
 *
 * Weights of a node over all regions add up to 1. They act in the fit and in the goals alike, so
 * momentum is conserved as with plain sets (A.1.6).
 *
 * Topology: a value is given to a neighbouring cell only where material leads from the own piece to
 * a piece there. What a missing cell would have got goes to the others along the same axes.
 *
 * Width: after n levels the variance of the weights about a region's centre is (4^n - 1) / 4 square
 * cell edges, n = 1, 2, ... A piece that wants less than the next level but more than this one
 * becomes a region with one share and passes the rest on. Where node sizes change, fine pieces next
 * to a coarse node pass some of theirs on too: then the width changes gradually, and so do forces.
 */
#include "base/array.h"
#include "region/region.h"

#include <string.h>

enum { SHARE_STEPS = 16, OCTET = 8 };
/* Share that pieces one and two steps away from a coarse node pass on at least. Any ramp over some
 * four cells keeps the patch test; of these, less makes a finger that ends in coarse cells too
 * stiff at its root and more too soft (docs/model_octree.md). */
static const float RAMP[2] = {0.9375f, 0.4375f};

typedef struct entry {
    int32_t target; /* piece of the coarser level */
    int32_t source; /* node slot, or ~number of a middle record */
    int32_t only;   /* the node, when the source holds nothing but this one; else -1 */
    float weight;
} entry;

/* Lists of records in order of creation. */
typedef struct list_store {
    ARRAY(int32_t) source;
    ARRAY(float) weight;
    ARRAY(int32_t) start; /* of each list */
} list_store;

/* What the pieces of one level hold while the network grows from fine to coarse. */
typedef struct level_sums {
    int32_t* slot;   /* node that is this piece, -1 */
    int32_t* source; /* what it passes on: node slot, or ~number of a middle record */
    int32_t* only;   /* the node that is all it holds, -1 */
    float* share;    /* of it that is passed on, 0 .. 1 */
    double* mass;    /* that it has got */
    double* wish;    /* mass times the level wished for */
    octant* place;   /* of its cell */
} level_sums;

typedef struct blender {
    const lim_host* host;
    arena scratch;
    const region_nodes* nodes;
    region_tree tree;
    const float* width;
    level_sums level[OCTANT_LEVELS + 1];
    list_store middles, finals;
    int32_t layer_middles[NET_LAYERS]; /* middle records up to and with each layer */
    ARRAY(entry) entries;
    float split[256][OCTET]; /* per set of present cells: the weight of each, */
    bool split_known[256];   /* where one was asked for */
} blender;

/* Weight of cell `cell` (bit k: on the far side of axis k) when the cells of `present` share a
 * value along the axes in one order: 3/4 to the near side and 1/4 to the far one, all to one side
 * where the other has nothing. */
static double split_along(unsigned present, int cell, const int order[3]) {
    double weight = 1.0;
    unsigned left = present;
    for (int k = 0; k < 3; ++k) {
        unsigned near = 0, far = 0;
        for (int c = 0; c < OCTET; ++c) {
            unsigned bit = left & 1u << c;
            near |= c >> order[k] & 1 ? 0 : bit;
            far |= c >> order[k] & 1 ? bit : 0;
        }
        bool on_far = cell >> order[k] & 1;
        weight *= near == 0 || far == 0 ? 1.0 : on_far ? 0.25 : 0.75;
        left = on_far ? far : near;
    }
    return (left & 1u << cell) != 0 ? weight : 0.0;
}

/* The mean over the six orders of the axes: no axis is first. */
static const float* split_of(blender* b, unsigned present) {
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int c = 0; c < OCTET && !b->split_known[present]; ++c) {
        double sum = 0.0;
        for (int o = 0; o < 6; ++o) {
            sum += split_along(present, c, order[o]);
        }
        b->split[present][c] = (float)(sum / 6.0);
    }
    b->split_known[present] = true;
    return b->split[present];
}

static lim_result allocate_levels(blender* b) {
    for (int32_t l = 0; l <= b->tree.pieces->finest; ++l) {
        int32_t count = b->tree.pieces->level[l].count;
        level_sums* s = &b->level[l];
        s->slot = ARENA_ARRAY(&b->scratch, int32_t, count);
        s->source = ARENA_ARRAY(&b->scratch, int32_t, count);
        s->only = ARENA_ARRAY(&b->scratch, int32_t, count);
        s->share = ARENA_ARRAY(&b->scratch, float, count);
        s->mass = ARENA_ARRAY(&b->scratch, double, count);
        s->wish = ARENA_ARRAY(&b->scratch, double, count);
        s->place = ARENA_ROOM(&b->scratch, octant, count);
        if (s->slot == NULL || s->source == NULL || s->only == NULL || s->share == NULL ||
            s->mass == NULL || s->wish == NULL || s->place == NULL) {
            return LIM_ERROR_MEMORY;
        }
        for (int32_t p = 0; p < count; ++p) {
            s->place[p] = octant_of(b->tree.pieces->level[l].key[p]);
        }
        memset(s->slot, 0xFF, (size_t)count * sizeof(int32_t));
    }
    return LIM_OK;
}

/* How many levels above its own a node's regions should lie. A region of half-width w cells has the
 * variance w (w + 1) / 3 (a row of 2 w + 1 cells); levels have (4^n - 1) / 4; between two levels
 * the variance is mixed. */
static double levels_up(double cells) {
    double wanted = cells * (cells + 1.0) / 3.0, low = 0.75, next = 3.75;
    double up = 1.0;
    for (; wanted >= next && up < (double)OCTANT_LEVELS; up += 1.0) {
        low = next;
        next = 4.0 * next + 0.75;
    }
    double part = (wanted - low) / (next - low);
    return up + (part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0);
}

static void place_nodes(blender* b) {
    for (int32_t i = 0; i < b->nodes->padded; ++i) {
        int32_t l = b->tree.level[i];
        if (l < 0) {
            continue;
        }
        double side = b->tree.pieces->side * (double)(1 << (b->tree.pieces->finest - l));
        level_sums* s = &b->level[l];
        int32_t p = b->tree.piece[i];
        s->slot[p] = i;
        s->mass[p] = (double)b->nodes->volume[i];
        s->wish[p] = s->mass[p] * ((double)l - levels_up((double)b->width[i] / side));
    }
}

static bool store_begin(blender* b, list_store* s) {
    return ARRAY_PUSH(b->host, &s->start, s->source.count);
}

static bool store_add(blender* b, list_store* s, int32_t source, float weight) {
    return ARRAY_PUSH(b->host, &s->source, source) && ARRAY_PUSH(b->host, &s->weight, weight);
}

/* The node that is all that piece p sums up, -1 when there are several or none. */
static int32_t only_node(const level_sums* s, int32_t p, const entry* sorted,
                         const int32_t* first) {
    int32_t only = s->slot[p];
    for (int32_t e = first[p]; e < first[p + 1]; ++e) {
        if (sorted[e].only < 0 || (only >= 0 && sorted[e].only != only)) {
            return -1;
        }
        only = sorted[e].only;
    }
    return only;
}

/* Share that each piece with mass passes on to the next level. One node alone has no shape to
 * match, so it is passed on whole. */
static void choose_shares(blender* b, int32_t l, const entry* sorted, const int32_t* first) {
    const piece_level* all = &b->tree.pieces->level[l];
    level_sums* s = &b->level[l];
    for (int32_t p = 0; p < all->count; ++p) {
        double over = s->mass[p] > 0.0 ? (double)l - s->wish[p] / s->mass[p] : 0.0;
        over = over > 0.0 ? over < 1.0 ? over : 1.0 : 0.0;
        s->share[p] = (float)(int32_t)(over * (double)SHARE_STEPS + 0.5) / (float)SHARE_STEPS;
        s->only[p] = only_node(s, p, sorted, first);
        s->share[p] = s->slot[p] >= 0 || s->only[p] >= 0 ? 1.0f : s->share[p];
    }
    /* Neighbours of nodes of this level pass some on. Reads only larger shares than it writes, so
     * the order does not matter. */
    for (int step = 0; step < 2; ++step) {
        float from = step == 0 ? 1.0f : RAMP[0];
        for (int32_t p = 0; p < all->count; ++p) {
            bool source = step == 0 ? s->slot[p] >= 0 : s->share[p] == from;
            for (int32_t e = all->edge_offset[p]; source && e < all->edge_offset[p + 1]; ++e) {
                float* share = &s->share[all->edge_piece[e]];
                *share = *share < RAMP[step] ? RAMP[step] : *share;
            }
        }
    }
    for (int32_t p = 0; p < all->count; ++p) {
        s->share[p] = l > 0 && s->mass[p] > 0.0 ? s->share[p] : 0.0f;
    }
}

/* Turns the entries of a level, sorted by piece, into records: a piece that only passes on becomes
 * a middle record (or stays the node that it is), one that keeps all a region, one that does both
 * a middle record and a region over it. */
static lim_result make_records(blender* b, int32_t l, const entry* sorted, const int32_t* first) {
    level_sums* s = &b->level[l];
    for (int32_t p = 0; p < b->tree.pieces->level[l].count; ++p) {
        int32_t count = first[p + 1] - first[p];
        bool node = s->slot[p] >= 0;
        if (!node && count == 0) {
            continue;
        }
        float share = s->share[p];
        bool alone = node ? count == 0 : count == 1 && sorted[first[p]].weight == 1.0f;
        list_store* store = share > 0.0f ? &b->middles : &b->finals;
        bool done = true;
        if (share > 0.0f && alone) {
            s->source[p] = node ? s->slot[p] : sorted[first[p]].source;
        } else {
            s->source[p] = ~b->middles.start.count;
            done = store_begin(b, store);
            if (node) {
                done = done && store_add(b, store, s->slot[p], 1.0f);
            }
            for (int32_t e = first[p]; e < first[p + 1]; ++e) {
                done = done && store_add(b, store, sorted[e].source, sorted[e].weight);
            }
        }
        if (share > 0.0f && share < 1.0f) {
            done = done && store_begin(b, &b->finals) &&
                   store_add(b, &b->finals, s->source[p], 1.0f - share);
        }
        if (!done) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

/* Gives what piece p of level l passes on to the pieces around it in the coarser level. */
static lim_result pass_on(blender* b, int32_t l, int32_t p) {
    const piece_level *fine = &b->tree.pieces->level[l], *coarse = fine - 1;
    level_sums *from = &b->level[l], *to = &b->level[l - 1];
    int32_t own = fine->parent[p], targets[OCTET * 8], cells[OCTET * 8], count = 1;
    double volume[OCTET] = {coarse->volume[own]};
    targets[0] = own;
    cells[0] = 0;
    unsigned present = 1;
    octant at = from->place[p], home = to->place[own];
    const int32_t side[3] = {at.x & 1 ? 1 : -1, at.y & 1 ? 1 : -1, at.z & 1 ? 1 : -1};
    for (int32_t e = coarse->edge_offset[own]; e < coarse->edge_offset[own + 1]; ++e) {
        int32_t q = coarse->edge_piece[e];
        octant o = to->place[q];
        const int32_t d[3] = {o.x - home.x, o.y - home.y, o.z - home.z};
        int32_t cell = 0;
        bool around = true;
        for (int k = 0; k < 3; ++k) {
            around = around && (d[k] == 0 || d[k] == side[k]);
            cell |= (d[k] != 0) << k;
        }
        if (around && count < OCTET * 8) {
            targets[count] = q;
            cells[count++] = cell;
            volume[cell] += coarse->volume[q];
            present |= 1u << cell;
        }
    }
    float share = from->share[p];
    const float* split = split_of(b, present);
    for (int32_t t = 0; t < count; ++t) {
        int32_t q = targets[t];
        double part = cells[t] == 0 ? 1.0 : coarse->volume[q] / volume[cells[t]];
        entry made = {.target = q, .source = from->source[p], .only = from->only[p]};
        made.weight = share * (float)((double)split[cells[t]] * part);
        to->mass[q] += (double)made.weight * from->mass[p];
        to->wish[q] += (double)made.weight * from->wish[p];
        if (made.weight > 0.0f && !ARRAY_PUSH(b->host, &b->entries, made)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

/* Entries by target; those of one target stay in order of their source piece. */
static lim_result sort_entries(blender* b, int32_t targets, entry** out_sorted,
                               int32_t** out_first) {
    int32_t* first = ARENA_ARRAY(&b->scratch, int32_t, targets + 1);
    entry* sorted = ARENA_ROOM(&b->scratch, entry, b->entries.count);
    LIM_TRY_MEMORY(first);
    LIM_TRY_MEMORY(sorted);
    for (int32_t e = 0; e < b->entries.count; ++e) {
        first[b->entries.data[e].target + 1]++;
    }
    for (int32_t t = 0; t < targets; ++t) {
        first[t + 1] += first[t];
    }
    for (int32_t e = 0; e < b->entries.count; ++e) {
        sorted[first[b->entries.data[e].target]++] = b->entries.data[e];
    }
    memmove(first + 1, first, (size_t)targets * sizeof(int32_t));
    first[0] = 0;
    *out_sorted = sorted;
    *out_first = first;
    return LIM_OK;
}

static lim_result grow(blender* b) {
    const pieces* all = b->tree.pieces;
    b->entries.count = 0;
    for (int32_t l = all->finest; l >= 0; --l) {
        entry* sorted;
        int32_t* first;
        LIM_TRY(sort_entries(b, all->level[l].count, &sorted, &first));
        choose_shares(b, l, sorted, first);
        LIM_TRY(make_records(b, l, sorted, first));
        b->layer_middles[all->finest - l] = b->middles.start.count;
        b->entries.count = 0;
        for (int32_t p = 0; p < all->level[l].count; ++p) {
            if (b->level[l].share[p] > 0.0f) {
                LIM_TRY(pass_on(b, l, p));
            }
        }
    }
    return LIM_OK;
}

static void copy_lists(const list_store* s, int32_t first, int32_t nodes, net* n) {
    int32_t at = n->forward_offset[first];
    if (s->weight.count > 0) {
        memcpy(n->forward_weight + at, s->weight.data, (size_t)s->weight.count * sizeof(float));
    }
    for (int32_t l = 0; l < s->start.count; ++l) {
        n->forward_offset[first + l] = at + s->start.data[l];
    }
    for (int32_t e = 0; e < s->source.count; ++e) {
        int32_t source = s->source.data[e];
        n->forward[at + e] = source >= 0 ? source : nodes + ~source;
    }
    n->forward_offset[first + s->start.count] = at + s->source.count;
}

static lim_result emit(blender* b, arena* a, net* n) {
    int32_t nodes = b->nodes->padded, finest = b->tree.pieces->finest;
    int64_t padded = ((int64_t)b->finals.start.count + 7) / 8 * 8;
    int64_t records = (int64_t)nodes + b->middles.start.count + padded;
    int64_t inputs = (int64_t)b->middles.source.count + b->finals.source.count;
    if (records > INT32_MAX / 32 || inputs > INT32_MAX) {
        return LIM_ERROR_TOO_LARGE;
    }
    *n = (net){
        .record_count = (int32_t)records, .node_count = nodes, .region_count = (int32_t)padded};
    n->first[1] = nodes;
    n->layers = 1;
    for (int32_t l = 0; l <= finest; ++l) {
        int32_t end = nodes + b->layer_middles[l];
        if (end > n->first[n->layers]) {
            n->first[++n->layers] = end;
        }
    }
    n->first[++n->layers] = (int32_t)records;
    n->forward_offset = ARENA_ARRAY(a, int32_t, records + 1);
    n->forward = ARENA_ARRAY(a, int32_t, inputs);
    n->forward_weight = ARENA_ARRAY(a, float, inputs);
    LIM_TRY_MEMORY(n->forward_offset);
    LIM_TRY_MEMORY(n->forward);
    LIM_TRY_MEMORY(n->forward_weight);
    copy_lists(&b->middles, nodes, nodes, n);
    int32_t first = nodes + b->middles.start.count;
    copy_lists(&b->finals, first, nodes, n);
    for (int32_t r = first + b->finals.start.count; r < n->record_count; ++r) {
        n->forward_offset[r + 1] = n->forward_offset[r];
    }
    return net_transpose(n, a);
}

/* The region in which a node weighs most, the first of equals; and how many it is in. */
typedef struct upward {
    const net* n;
    float* weight;  /* per record */
    int32_t* found; /* records with weight, ascending */
    int32_t count;
} upward;

static void climb_to(upward* u, int32_t record, float weight) {
    if (u->weight[record] == 0.0f) {
        int32_t at = u->count++;
        for (; at > 0 && u->found[at - 1] > record; --at) {
            u->found[at] = u->found[at - 1];
        }
        u->found[at] = record;
    }
    u->weight[record] += weight;
}

/* All records above a node. Lists lead to later records only, so each has its whole weight when it
 * is its turn, and the many ways to a wide region are one walk. */
static void climb(upward* u, int32_t node) {
    u->count = 0;
    climb_to(u, node, 1.0f);
    for (int32_t k = 0; k < u->count; ++k) {
        int32_t from = u->found[k];
        for (int32_t e = u->n->back_offset[from]; e < u->n->back_offset[from + 1]; ++e) {
            climb_to(u, u->n->back[e], u->weight[from] * u->n->back_weight[e]);
        }
    }
}

static lim_result find_seeds(blender* b, const net* n, regions* r) {
    upward u = {.n = n,
                .weight = ARENA_ARRAY(&b->scratch, float, n->record_count),
                .found = ARENA_ARRAY(&b->scratch, int32_t, n->record_count)};
    LIM_TRY_MEMORY(u.weight);
    LIM_TRY_MEMORY(u.found);
    double members = 0.0;
    int32_t first = n->first[n->layers - 1];
    for (int32_t i = 0; i < b->nodes->padded; ++i) {
        r->seed_region[i] = -1;
        climb(&u, i);
        float most = 0.0f;
        for (int32_t k = 0; k < u.count; ++k) {
            int32_t record = u.found[k];
            float w = u.weight[record];
            u.weight[record] = 0.0f;
            if (record >= first && w > most) {
                most = w;
                r->seed_region[i] = record - first;
            }
            members += record >= first;
        }
    }
    r->members = members / (r->count > 0 ? r->count : 1);
    r->inputs = (double)n->forward_offset[n->record_count] / (r->count > 0 ? r->count : 1);
    return LIM_OK;
}

static lim_result build(blender* b, arena* a, net* out_net, regions* out) {
    LIM_TRY(allocate_levels(b));
    place_nodes(b);
    LIM_TRY(grow(b));
    LIM_TRY(emit(b, a, out_net));
    *out = (regions){.count = b->finals.start.count, .padded = out_net->region_count};
    out->seed_region = ARENA_ARRAY(a, int32_t, b->nodes->padded);
    LIM_TRY_MEMORY(out->seed_region);
    LIM_TRY(regions_allocate(a, out));
    for (int32_t i = 0; i < out->count; ++i) {
        out->weight[i] = 1.0f;
    }
    return find_seeds(b, out_net, out);
}

static void store_free(const lim_host* host, list_store* s) {
    ARRAY_FREE(host, &s->source);
    ARRAY_FREE(host, &s->weight);
    ARRAY_FREE(host, &s->start);
}

lim_result regions_build_blended(arena* a, const lim_host* host, const region_nodes* nodes,
                                 region_tree tree, const float* width, net* out_net,
                                 regions* out_regions) {
    blender b = {.host = host, .nodes = nodes, .tree = tree, .width = width};
    arena_init(&b.scratch, host);
    lim_result result = build(&b, a, out_net, out_regions);
    store_free(host, &b.middles);
    store_free(host, &b.finals);
    ARRAY_FREE(host, &b.entries);
    arena_release(&b.scratch);
    return result;
}

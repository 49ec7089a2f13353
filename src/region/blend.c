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

/* A share of what a piece passes on. */
typedef struct entry {
    int32_t target; /* piece of the coarser level */
    int32_t piece;  /* of the finer one */
    float weight;
} entry;

/* What the pieces of one level hold while the network grows from fine to coarse. */
typedef struct level_sums {
    int32_t* slot;   /* node that is this piece, -1 */
    int32_t* source; /* the record that it passes on */
    int32_t* only;   /* the node that is all it holds, NONE, SEVERAL */
    float* share;    /* of it that is passed on, 0 .. 1 */
    double* mass;    /* that it has got */
    double* wish;    /* mass times the level wished for */
    /* what it has got from finer pieces, in their order: records and weights */
    int32_t* first; /* count + 1 */
    int32_t* input;
    float* weight;
} level_sums;

enum { NONE = -2, SEVERAL = -1 };

/* How a neighbour of a coarser piece lies to it. */
typedef struct bearing {
    uint8_t sides; /* set of the corners of the piece's cell whose children give to it */
    uint8_t cell;  /* bit k: it is off along axis k */
} bearing;

typedef struct blender {
    const lim_host* host;
    arena scratch;
    const region_nodes* nodes;
    region_tree tree;
    const float* width;
    level_sums level[OCTANT_LEVELS + 1];
    int32_t begin;                       /* level of the finest nodes: finer pieces hold nothing */
    int32_t middles, finals;             /* records so far, */
    int64_t middle_inputs, final_inputs; /* and entries of their lists */
    int32_t layer_middles[NET_LAYERS];   /* middle records up to and with each layer */
    ARRAY(entry) entries;
    /* of the neighbours of piece `near_piece` of the level that is passed on to */
    bearing* near;
    int32_t near_piece;
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

static lim_result allocate_level(blender* b, int32_t l) {
    int32_t count = b->tree.pieces->level[l].count;
    level_sums* s = &b->level[l];
    s->slot = ARENA_ROOM(&b->scratch, int32_t, count);
    s->source = ARENA_ROOM(&b->scratch, int32_t, count);
    s->only = ARENA_ROOM(&b->scratch, int32_t, count);
    s->share = ARENA_ROOM(&b->scratch, float, count);
    s->mass = ARENA_ARRAY(&b->scratch, double, count);
    s->wish = ARENA_ARRAY(&b->scratch, double, count);
    s->first = ARENA_ARRAY(&b->scratch, int32_t, count + 1);
    if (s->slot == NULL || s->source == NULL || s->only == NULL || s->share == NULL ||
        s->mass == NULL || s->wish == NULL || s->first == NULL) {
        return LIM_ERROR_MEMORY;
    }
    memset(s->slot, 0xFF, (size_t)count * sizeof(int32_t));
    return LIM_OK;
}

static lim_result allocate_levels(blender* b) {
    int32_t finest = 0, most = 0;
    for (int32_t i = 0; i < b->nodes->padded; ++i) {
        finest = b->tree.level[i] > finest ? b->tree.level[i] : finest;
    }
    b->begin = finest;
    for (int32_t l = 0; l <= finest; ++l) {
        const piece_level* all = &b->tree.pieces->level[l];
        LIM_TRY(allocate_level(b, l));
        for (int32_t p = 0; p < all->count && l < finest; ++p) {
            int32_t degree = all->edge_offset[p + 1] - all->edge_offset[p];
            most = degree > most ? degree : most;
        }
    }
    b->near = ARENA_ROOM(&b->scratch, bearing, most);
    LIM_TRY_MEMORY(b->near);
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

/* Share that each piece with mass passes on to the next level. One node alone has no shape to
 * match, so it is passed on whole. */
static void choose_shares(blender* b, int32_t l) {
    const piece_level* all = &b->tree.pieces->level[l];
    level_sums* s = &b->level[l];
    for (int32_t p = 0; p < all->count; ++p) {
        double over = s->mass[p] > 0.0 ? (double)l - s->wish[p] / s->mass[p] : 0.0;
        over = over > 0.0 ? over < 1.0 ? over : 1.0 : 0.0;
        s->share[p] = (float)(int32_t)(over * (double)SHARE_STEPS + 0.5) / (float)SHARE_STEPS;
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

/* What becomes of a piece. One that only passes on is a middle record, or stays the record that is
 * all it holds; one that keeps all is a region; one that does both a middle record and a region
 * over it. */
typedef struct piece_record {
    int32_t inputs;     /* of its list, with its own node */
    bool middle, whole; /* the list is that of a middle record, of a region */
    bool part;          /* a region over what it passes on */
} piece_record;

static piece_record record_of(const level_sums* s, int32_t p) {
    int32_t got = s->first[p + 1] - s->first[p], inputs = got + (s->slot[p] >= 0);
    float share = s->share[p];
    /* One input: its own node, or an only entry, which must be all of it. */
    bool alone = inputs == 1 && (got == 0 || s->weight[s->first[p]] == 1.0f);
    return (piece_record){.inputs = inputs,
                          .middle = share > 0.0f && !alone,
                          .whole = share == 0.0f && inputs > 0,
                          .part = share > 0.0f && share < 1.0f};
}

/* Numbers the records of a level, in the order of pieces. */
static void number_records(blender* b, int32_t l) {
    level_sums* s = &b->level[l];
    for (int32_t p = 0; p < b->tree.pieces->level[l].count; ++p) {
        piece_record r = record_of(s, p);
        if (r.middle) {
            s->source[p] = b->nodes->padded + b->middles++;
            b->middle_inputs += r.inputs;
        } else if (r.inputs == 1) {
            s->source[p] = s->slot[p] >= 0 ? s->slot[p] : s->input[s->first[p]];
        }
        b->finals += r.whole || r.part;
        b->final_inputs += r.whole ? r.inputs : r.part;
    }
}

/* How the neighbours of a piece of level l lie to it. A child at corner s of the cell gives to the
 * cells on its side of each axis. */
static void find_bearings(blender* b, int32_t l, int32_t piece) {
    static const uint8_t high[3] = {0xAA, 0xCC, 0xF0}; /* corners on the far side of each axis */
    const piece_level* all = &b->tree.pieces->level[l];
    octant home = octant_of(all->key[piece]);
    int32_t begin = all->edge_offset[piece];
    for (int32_t e = begin; e < all->edge_offset[piece + 1]; ++e) {
        octant o = octant_of(all->key[all->edge_piece[e]]);
        const int32_t d[3] = {o.x - home.x, o.y - home.y, o.z - home.z};
        unsigned sides = 0xFF, cell = 0;
        for (int k = 0; k < 3; ++k) {
            sides &= d[k] == 0 ? 0xFF : d[k] == 1 ? high[k] : d[k] == -1 ? 0xFF ^ high[k] : 0;
            cell |= (unsigned)(d[k] != 0) << k;
        }
        b->near[e - begin] = (bearing){(uint8_t)sides, (uint8_t)cell};
    }
    b->near_piece = piece;
}

/* The node that is all of two things. */
static int32_t only_of(int32_t one, int32_t other) {
    return one == other || other == NONE ? one : one == NONE ? other : SEVERAL;
}

/* Gives what piece p of level l passes on to the pieces around it in the coarser level. */
static lim_result pass_on(blender* b, int32_t l, int32_t p) {
    const piece_level *fine = &b->tree.pieces->level[l], *coarse = fine - 1;
    level_sums *from = &b->level[l], *to = &b->level[l - 1];
    int32_t own = fine->parent[p], targets[OCTET * 8], count = 1;
    uint8_t cells[OCTET * 8];
    double volume[OCTET] = {coarse->volume[own]};
    targets[0] = own;
    cells[0] = 0;
    unsigned present = 1, side = (unsigned)fine->key[p] & 7u;
    if (b->near_piece != own) {
        find_bearings(b, l - 1, own);
    }
    const int32_t* edge = coarse->edge_piece + coarse->edge_offset[own];
    int32_t degree = coarse->edge_offset[own + 1] - coarse->edge_offset[own];
    for (int32_t e = 0; e < degree && count < OCTET * 8; ++e) {
        targets[count] = edge[e];
        cells[count] = b->near[e].cell;
        count += b->near[e].sides >> side & 1;
    }
    for (int32_t t = 1; t < count; ++t) {
        volume[cells[t]] += coarse->volume[targets[t]];
        present |= 1u << cells[t];
    }
    if (!ARRAY_RESERVE(b->host, &b->entries, (int64_t)b->entries.count + count)) {
        return LIM_ERROR_MEMORY;
    }
    float share = from->share[p];
    const float* split = split_of(b, present);
    entry* made = b->entries.data + b->entries.count;
    for (int32_t t = 0; t < count; ++t) {
        int32_t q = targets[t];
        double part = cells[t] == 0 ? 1.0 : coarse->volume[q] / volume[cells[t]];
        float weight = share * (float)((double)split[cells[t]] * part);
        to->mass[q] += (double)weight * from->mass[p];
        to->wish[q] += (double)weight * from->wish[p];
        if (weight > 0.0f) {
            *made++ = (entry){q, p, weight};
            to->first[q + 1]++;
            to->only[q] = only_of(to->only[q], from->only[p]);
        }
    }
    b->entries.count = (int32_t)(made - b->entries.data);
    return LIM_OK;
}

/* Entries by target; those of one target stay in order of their source piece. */
static lim_result sort_entries(blender* b, int32_t l) {
    level_sums* s = &b->level[l];
    int32_t count = b->tree.pieces->level[l].count;
    s->input = ARENA_ROOM(&b->scratch, int32_t, b->entries.count);
    s->weight = ARENA_ROOM(&b->scratch, float, b->entries.count);
    LIM_TRY_MEMORY(s->input);
    LIM_TRY_MEMORY(s->weight);
    for (int32_t p = 0; p < count; ++p) {
        s->first[p + 1] += s->first[p];
    }
    for (int32_t e = 0; e < b->entries.count; ++e) {
        entry made = b->entries.data[e];
        int32_t at = s->first[made.target]++;
        s->input[at] = b->level[l + 1].source[made.piece];
        s->weight[at] = made.weight;
    }
    memmove(s->first + 1, s->first, (size_t)count * sizeof(int32_t));
    s->first[0] = 0;
    return LIM_OK;
}

/* Passes on what the pieces of a level do not keep. */
static lim_result pass_level(blender* b, int32_t l) {
    const level_sums *from = &b->level[l], *to = from - 1;
    int32_t count = b->tree.pieces->level[l].count, passing = 0;
    for (int32_t p = 0; p < count; ++p) {
        passing += from->share[p] > 0.0f;
    }
    for (int32_t q = 0; q < b->tree.pieces->level[l - 1].count; ++q) {
        to->only[q] = to->slot[q] >= 0 ? to->slot[q] : NONE;
    }
    b->entries.count = 0;
    b->near_piece = -1;
    if (!ARRAY_RESERVE(b->host, &b->entries, (int64_t)passing * OCTET)) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t p = 0; p < count; ++p) {
        if (from->share[p] > 0.0f) {
            LIM_TRY(pass_on(b, l, p));
        }
    }
    return sort_entries(b, l - 1);
}

static lim_result grow(blender* b) {
    int32_t finest = b->tree.pieces->finest;
    level_sums* s = &b->level[b->begin];
    memcpy(s->only, s->slot, (size_t)b->tree.pieces->level[b->begin].count * sizeof(int32_t));
    for (int32_t l = b->begin; l >= 0; --l) {
        choose_shares(b, l);
        number_records(b, l);
        b->layer_middles[finest - l] = b->middles;
        if (l > 0) {
            LIM_TRY(pass_level(b, l));
        }
    }
    return LIM_OK;
}

/* The list of a piece, at the end of the network's. */
static int32_t copy_list(const level_sums* s, int32_t p, int32_t at, net* n) {
    if (s->slot[p] >= 0) {
        n->forward[at] = s->slot[p];
        n->forward_weight[at++] = 1.0f;
    }
    for (int32_t e = s->first[p]; e < s->first[p + 1]; ++e) {
        n->forward[at] = s->input[e];
        n->forward_weight[at++] = s->weight[e];
    }
    return at;
}

/* Lists of records in order of level, from fine to coarse, and piece: first all middle records,
 * then all regions. */
static void write_lists(const blender* b, net* n) {
    int32_t record = b->nodes->padded, at = 0;
    memset(n->forward_offset, 0, (size_t)record * sizeof(int32_t));
    for (int32_t l = b->begin; l >= 0; --l) {
        const level_sums* s = &b->level[l];
        for (int32_t p = 0; p < b->tree.pieces->level[l].count; ++p) {
            if (record_of(s, p).middle) {
                n->forward_offset[record++] = at;
                at = copy_list(s, p, at, n);
            }
        }
    }
    for (int32_t l = b->begin; l >= 0; --l) {
        const level_sums* s = &b->level[l];
        for (int32_t p = 0; p < b->tree.pieces->level[l].count; ++p) {
            piece_record r = record_of(s, p);
            if (r.whole) {
                n->forward_offset[record++] = at;
                at = copy_list(s, p, at, n);
            } else if (r.part) {
                n->forward_offset[record++] = at;
                n->forward[at] = s->source[p];
                n->forward_weight[at++] = 1.0f - s->share[p];
            }
        }
    }
    while (record <= n->record_count) {
        n->forward_offset[record++] = at;
    }
}

static lim_result emit(blender* b, arena* a, net* n) {
    int32_t nodes = b->nodes->padded, finest = b->tree.pieces->finest;
    int64_t padded = ((int64_t)b->finals + 7) / 8 * 8;
    int64_t records = (int64_t)nodes + b->middles + padded;
    int64_t inputs = b->middle_inputs + b->final_inputs;
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
    n->forward_offset = ARENA_ROOM(a, int32_t, records + 1);
    n->forward = ARENA_ROOM(a, int32_t, inputs);
    n->forward_weight = ARENA_ROOM(a, float, inputs);
    LIM_TRY_MEMORY(n->forward_offset);
    LIM_TRY_MEMORY(n->forward);
    LIM_TRY_MEMORY(n->forward_weight);
    write_lists(b, n);
    return net_transpose(n, a);
}

/* All records above a node, with its weight in them. */
typedef struct upward {
    const net* n;
    float* weight;   /* per record */
    int32_t* found;  /* partial sums with weight, ascending, */
    int32_t* region; /* and regions, as they come */
    int32_t count, regions;
} upward;

static void climb_to(upward* u, int32_t record, float weight) {
    if (u->weight[record] == 0.0f && record >= u->n->first[u->n->layers - 1]) {
        u->region[u->regions++] = record;
    } else if (u->weight[record] == 0.0f) {
        int32_t at = u->count++;
        for (; at > 0 && u->found[at - 1] > record; --at) {
            u->found[at] = u->found[at - 1];
        }
        u->found[at] = record;
    }
    u->weight[record] += weight;
}

/* Lists lead to later records only, so each has its whole weight when it is its turn, and the many
 * ways to a wide region are one walk. */
static void climb(upward* u, int32_t node) {
    u->count = u->regions = 0;
    climb_to(u, node, 1.0f);
    for (int32_t k = 0; k < u->count; ++k) {
        int32_t from = u->found[k];
        for (int32_t e = u->n->back_offset[from]; e < u->n->back_offset[from + 1]; ++e) {
            climb_to(u, u->n->back[e], u->weight[from] * u->n->back_weight[e]);
        }
        u->weight[from] = 0.0f;
    }
}

/* The region in which a node weighs most, the first of equals; and how many it is in. */
static lim_result find_seeds(blender* b, const net* n, regions* r) {
    upward u = {.n = n,
                .weight = ARENA_ARRAY(&b->scratch, float, n->record_count),
                .found = ARENA_ROOM(&b->scratch, int32_t, n->record_count),
                .region = ARENA_ROOM(&b->scratch, int32_t, n->region_count)};
    LIM_TRY_MEMORY(u.weight);
    LIM_TRY_MEMORY(u.found);
    LIM_TRY_MEMORY(u.region);
    double members = 0.0;
    int32_t first = n->first[n->layers - 1];
    for (int32_t i = 0; i < b->nodes->padded; ++i) {
        int32_t best = first - 1;
        float most = 0.0f;
        climb(&u, i);
        for (int32_t k = 0; k < u.regions; ++k) {
            int32_t record = u.region[k];
            float w = u.weight[record];
            u.weight[record] = 0.0f;
            if (w > most || (w == most && record < best)) {
                most = w;
                best = record;
            }
        }
        r->seed_region[i] = best - first;
        members += u.regions;
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
    *out = (regions){.count = b->finals, .padded = out_net->region_count};
    out->seed_region = ARENA_ROOM(a, int32_t, b->nodes->padded);
    LIM_TRY_MEMORY(out->seed_region);
    LIM_TRY(regions_allocate(a, out));
    for (int32_t i = 0; i < out->count; ++i) {
        out->weight[i] = 1.0f;
    }
    return find_seeds(b, out_net, out);
}

lim_result regions_build_blended(arena* a, const lim_host* host, const region_nodes* nodes,
                                 region_tree tree, const float* width, net* out_net,
                                 regions* out_regions) {
    blender b = {.host = host, .nodes = nodes, .tree = tree, .width = width};
    arena_init(&b.scratch, host);
    lim_result result = build(&b, a, out_net, out_regions);
    ARRAY_FREE(host, &b.entries);
    arena_release(&b.scratch);
    return result;
}

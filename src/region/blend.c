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
 * momentum is conserved as with plain sets.
 *
 * Topology: a value is given to a neighbouring cell only where material leads from the own piece to
 * a piece there. What a missing cell would have got goes to the others along the same axes.
 *
 * Width: after n levels the variance of the weights about a region's centre is (4^n - 1) / 4 square
 * cell edges, n = 1, 2, ... A piece that wants less than the next level but more than this one
 * becomes a region with one share and passes the rest on. Where node sizes change, fine pieces next
 * to a coarse node pass some of theirs on too: then the width changes gradually, and so do forces.
 * Only in material that is as thick as that: wide regions that reached up a thin feature would tie
 * it to the body, and it would turn at its foot with them.
 */
#include "base/array.h"
#include "region/past.h"

#include <string.h>

enum { SHARE_STEPS = 16, OCTET = 8 };
/* Share that pieces one and two steps away from a coarse node pass on at least, in material as
 * thick as around that node. Any ramp over some four cells keeps the patch test. */
static const double RAMP[2] = {0.75, 0.25};
/* Thickness here is how full the 3 x 3 x 3 cells around a piece are of what hangs together with it:
 * from THICK on it is thick, which a plane surface is (2/3, less where its cells are part empty).
 * With less than a share THINNER of what there is around the coarse nodes a piece is of something
 * thinner that stands there, and passes nothing on. At the foot of a feature one cell across on a
 * plane the fullness is 11/27; along a bar, however thin, the ratio is 1. */
static const double THICK = 0.675, THINNER = 0.704;

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
    /* after an edit, -1: the record before that was the same sum and has its list, and the region
     * before over a share of it */
    int32_t *kept, *kept_part;
} level_sums;

/* Of record_sum.only. */
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
    bool has_middles[OCTANT_LEVELS + 1]; /* per level: there are such records, */
    bool has_finals[OCTANT_LEVELS + 1];  /* and regions */
    ARRAY(entry) entries;
    /* of the neighbours of piece `near_piece` of the level that is passed on to */
    bearing* near;
    int32_t near_piece;
    int32_t* targets; /* room for what a piece passes on to, */
    uint8_t* cells;   /* and for the cells of these, as bearing.cell */
    /* after an edit; else null */
    const region_past* past;
    record_map* map;
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
    b->targets = ARENA_ROOM(&b->scratch, int32_t, most + 2);
    b->cells = ARENA_ROOM(&b->scratch, uint8_t, most + 2);
    LIM_TRY_MEMORY(b->near);
    LIM_TRY_MEMORY(b->targets);
    LIM_TRY_MEMORY(b->cells);
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
    double cells = 0.0, up = 0.0; /* of the node before: widths are few */
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
        if (cells != (double)b->width[i] / side) {
            cells = (double)b->width[i] / side;
            up = levels_up(cells);
        }
        s->wish[p] = s->mass[p] * ((double)l - up);
    }
}

/* Gives pieces that no change has come near the records that they had. */
static lim_result keep_records(blender* b) {
    const region_past* past = b->past;
    const pieces* all = b->tree.pieces;
    int32_t nodes = past->n->node_count, *slot[OCTANT_LEVELS + 1];
    uint8_t* dirty[OCTANT_LEVELS + 1];
    for (int32_t l = 0; l <= b->begin; ++l) {
        level_sums* s = &b->level[l];
        size_t bytes = (size_t)all->level[l].count * sizeof(int32_t);
        slot[l] = s->slot;
        s->kept = ARENA_ROOM(&b->scratch, int32_t, all->level[l].count);
        s->kept_part = ARENA_ROOM(&b->scratch, int32_t, all->level[l].count);
        LIM_TRY_MEMORY(s->kept);
        LIM_TRY_MEMORY(s->kept_part);
        memset(s->kept, 0xFF, bytes);
        memset(s->kept_part, 0xFF, bytes);
    }
    LIM_TRY(past_marks(&b->scratch, past, &b->tree, b->nodes->padded, (const int32_t* const*)slot,
                       b->begin, dirty));
    for (int32_t i = nodes; i < past->n->record_count; ++i) {
        int32_t p = past->r->record_fragment[i - nodes], kind = past->r->record_level[i - nodes];
        int32_t level = kind % REGION_OF_PART;
        p = p >= 0 && past->fragment_after != NULL ? past->fragment_after[p] : p;
        for (int32_t l = all->finest; p >= 0 && l > level; --l) {
            p = all->level[l].parent[p];
        }
        if (p < 0 || dirty[level][p]) {
            continue;
        }
        level_sums* s = &b->level[level];
        *(kind >= REGION_OF_PART ? &s->kept_part[p] : &s->kept[p]) = i;
    }
    return LIM_OK;
}

static lim_result prepare_past(blender* b, arena* scratch) {
    b->map->now = ARENA_ROOM(scratch, int32_t, b->past->n->record_count);
    LIM_TRY_MEMORY(b->map->now);
    int32_t nodes = b->past->n->node_count;
    memcpy(b->map->now, b->past->after, (size_t)nodes * sizeof(int32_t));
    memset(b->map->now + nodes, 0xFF, (size_t)(b->past->n->record_count - nodes) * sizeof(int32_t));
    return LIM_OK;
}

static void find_fullness(const pieces* all, int32_t l, double* full) {
    const piece_level* level = &all->level[l];
    double edge = all->side * (double)(1 << (all->finest - l)), room = 27.0 * edge * edge * edge;
    for (int32_t p = 0; p < level->count; ++p) {
        full[p] = level->volume[p];
        for (int32_t e = level->edge_offset[p]; e < level->edge_offset[p + 1]; ++e) {
            full[p] += level->volume[level->edge_piece[e]];
        }
        full[p] /= room;
    }
}

/* Pieces up to two steps from nodes of this level pass some on, less where the material is thinner
 * than around those nodes. Each step reads what the one before wrote, so the order does not matter.
 */
static lim_result ramp_shares(blender* b, int32_t l) {
    const piece_level* all = &b->tree.pieces->level[l];
    level_sums* s = &b->level[l];
    double* full = ARENA_ROOM(&b->scratch, double, all->count);
    double* there = ARENA_ARRAY(&b->scratch, double, all->count); /* fullness around those nodes */
    uint8_t* steps = ARENA_ARRAY(&b->scratch, uint8_t, all->count);
    LIM_TRY_MEMORY(full);
    LIM_TRY_MEMORY(there);
    LIM_TRY_MEMORY(steps);
    find_fullness(b->tree.pieces, l, full);
    for (int step = 0; step < 2; ++step) {
        for (int32_t p = 0; p < all->count; ++p) {
            bool source = step == 0 ? s->slot[p] >= 0 : steps[p] == 1;
            double from = step == 0 ? full[p] < THICK ? full[p] : THICK : there[p];
            for (int32_t e = all->edge_offset[p]; source && e < all->edge_offset[p + 1]; ++e) {
                int32_t q = all->edge_piece[e];
                if (s->slot[q] < 0 && (steps[q] == 0 || steps[q] > step)) {
                    steps[q] = (uint8_t)(step + 1);
                    there[q] = from > there[q] ? from : there[q];
                }
            }
        }
    }
    for (int32_t p = 0; p < all->count; ++p) {
        double part = steps[p] != 0 ? (full[p] / there[p] - THINNER) / (1.0 - THINNER) : 0.0;
        part = part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0;
        part *= steps[p] != 0 ? RAMP[steps[p] - 1] : 0.0;
        float share = (float)(int32_t)(part * (double)SHARE_STEPS + 0.5) / (float)SHARE_STEPS;
        s->share[p] = s->share[p] < share ? share : s->share[p];
    }
    return LIM_OK;
}

/* Share that each piece with mass passes on to the next level. One node alone has no shape to
 * match, so it is passed on whole. */
static lim_result choose_shares(blender* b, int32_t l) {
    const piece_level* all = &b->tree.pieces->level[l];
    level_sums* s = &b->level[l];
    int32_t others = 0; /* that are no nodes */
    for (int32_t p = 0; p < all->count; ++p) {
        s->share[p] = 1.0f;
        others += s->slot[p] < 0;
        if (s->only[p] < 0) {
            double over = s->mass[p] > 0.0 ? (double)l - s->wish[p] / s->mass[p] : 0.0;
            over = over > 0.0 ? over < 1.0 ? over : 1.0 : 0.0;
            s->share[p] = (float)(int32_t)(over * (double)SHARE_STEPS + 0.5) / (float)SHARE_STEPS;
            s->share[p] = s->slot[p] >= 0 ? 1.0f : s->share[p];
        }
    }
    LIM_TRY(others > 0 ? ramp_shares(b, l) : LIM_OK);
    for (int32_t p = 0; p < all->count; ++p) {
        s->share[p] = l > 0 && s->mass[p] > 0.0 ? s->share[p] : 0.0f;
    }
    return LIM_OK;
}

/* What becomes of a piece. One that only passes on is a middle record, or stays the record that is
 * all it holds; one that keeps all is a region; one that does both a middle record and a region
 * over it. */
typedef struct piece_record {
    int32_t inputs;     /* of its list, with its own node */
    bool middle, whole; /* the list is that of a middle record, of a region */
    bool part;          /* a region over what it passes on */
} piece_record;

static bool is_kept(const level_sums* s, int32_t p) {
    return s->kept != NULL && s->kept[p] >= 0;
}

static piece_record record_of(const blender* b, const level_sums* s, int32_t p) {
    int32_t got = s->first[p + 1] - s->first[p], inputs = got + (s->slot[p] >= 0);
    float share = s->share[p];
    /* One input: its own node, or an only entry, which must be all of it. */
    bool alone = inputs == 1 && (got == 0 || s->weight[s->first[p]] == 1.0f);
    if (is_kept(s, p)) {
        const int32_t* offset = b->past->n->forward_offset + s->kept[p];
        inputs = offset[1] - offset[0];
        alone = false;
    }
    return (piece_record){.inputs = inputs,
                          .middle = share > 0.0f && !alone,
                          .whole = share == 0.0f && inputs > 0,
                          .part = share > 0.0f && share < 1.0f};
}

/* Numbers the records of a level, in the order of pieces. */
static void number_records(blender* b, int32_t l) {
    level_sums* s = &b->level[l];
    for (int32_t p = 0; p < b->tree.pieces->level[l].count; ++p) {
        piece_record r = record_of(b, s, p);
        if (r.middle) {
            int32_t record = s->source[p] = b->nodes->padded + b->middles++;
            b->middle_inputs += r.inputs;
            b->has_middles[l] = true;
            if (is_kept(s, p)) {
                b->map->now[s->kept[p]] = record;
            }
        } else if (r.inputs == 1 && !is_kept(s, p)) {
            s->source[p] = s->slot[p] >= 0 ? s->slot[p] : s->input[s->first[p]];
        }
        b->finals += r.whole || r.part;
        b->has_finals[l] = b->has_finals[l] || r.whole || r.part;
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
    b->near_piece = piece;
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
}

/* The node that is all of two things. */
static int32_t only_of(int32_t one, int32_t other) {
    return one == other || other == NONE ? one : one == NONE ? other : SEVERAL;
}

/* Gives what piece p of level l passes on to the pieces around it in the coarser level, but for
 * those that are kept. */
static lim_result pass_on(blender* b, int32_t l, int32_t p) {
    const piece_level *fine = &b->tree.pieces->level[l], *coarse = fine - 1;
    level_sums *from = &b->level[l], *to = &b->level[l - 1];
    int32_t own = fine->parent[p], *targets = b->targets, count = 1;
    uint8_t* cells = b->cells;
    double volume[OCTET] = {coarse->volume[own]};
    targets[0] = own;
    cells[0] = 0;
    unsigned present = 1, side = (unsigned)fine->key[p] & 7u;
    if (b->near_piece != own) {
        find_bearings(b, l - 1, own);
    }
    const int32_t* edge = coarse->edge_piece + coarse->edge_offset[own];
    int32_t degree = coarse->edge_offset[own + 1] - coarse->edge_offset[own];
    for (int32_t e = 0; e < degree; ++e) {
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
        if (is_kept(to, q)) {
            continue;
        }
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

/* What pieces that are kept hold is what they held: the sums that pass_on makes. */
static void hold_kept(blender* b, int32_t l) {
    const record_sum* held = b->past->r->record_sum;
    level_sums* s = &b->level[l];
    for (int32_t p = 0; p < b->tree.pieces->level[l].count; ++p) {
        if (is_kept(s, p)) {
            record_sum sum = held[s->kept[p] - b->past->n->node_count];
            s->mass[p] = sum.mass;
            s->wish[p] = sum.wish;
            s->only[p] = sum.only >= 0 ? b->map->now[sum.only] : sum.only;
            LIM_ASSERT(sum.only < 0 || s->only[p] >= 0);
        }
    }
}

/* Which pieces of a level have to be passed on to, or have a neighbour that has: all but where they
 * are kept. */
static lim_result find_asking(blender* b, int32_t l, uint8_t** out) {
    const piece_level* all = &b->tree.pieces->level[l];
    uint8_t* asks = *out = ARENA_ARRAY(&b->scratch, uint8_t, all->count);
    LIM_TRY_MEMORY(asks);
    for (int32_t p = 0; p < all->count; ++p) {
        asks[p] |= !is_kept(&b->level[l], p);
        for (int32_t e = all->edge_offset[p];
             b->past != NULL && !is_kept(&b->level[l], p) && e < all->edge_offset[p + 1]; ++e) {
            asks[all->edge_piece[e]] = 1;
        }
    }
    return LIM_OK;
}

/* Passes on what the pieces of a level do not keep. */
static lim_result pass_level(blender* b, int32_t l) {
    const level_sums *from = &b->level[l], *to = from - 1;
    const int32_t* parent = b->tree.pieces->level[l].parent;
    int32_t count = b->tree.pieces->level[l].count, passing = 0;
    uint8_t* asks;
    LIM_TRY(find_asking(b, l - 1, &asks));
    for (int32_t p = 0; p < count; ++p) {
        passing += from->share[p] > 0.0f && asks[parent[p]];
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
        if (from->share[p] > 0.0f && asks[parent[p]]) {
            LIM_TRY(pass_on(b, l, p));
        }
    }
    if (b->past != NULL) {
        hold_kept(b, l - 1);
    }
    return sort_entries(b, l - 1);
}

static lim_result grow(blender* b) {
    int32_t finest = b->tree.pieces->finest;
    level_sums* s = &b->level[b->begin];
    memcpy(s->only, s->slot, (size_t)b->tree.pieces->level[b->begin].count * sizeof(int32_t));
    for (int32_t l = b->begin; l >= 0; --l) {
        LIM_TRY(choose_shares(b, l));
        number_records(b, l);
        b->layer_middles[finest - l] = b->middles;
        if (l > 0) {
            LIM_TRY(pass_level(b, l));
        }
    }
    return LIM_OK;
}

/* The lists of the network, record after record, and where they come from. */
typedef struct list_writer {
    const blender* b;
    net* n;
    regions* r;
    int32_t record, at; /* the next record, and the next entry */
    int32_t*
        lowest[OCTANT_LEVELS]; /* per level but the finest: the lowest fragment of each piece */
} list_writer;

static lim_result find_lowest(const pieces* all, arena* scratch, int32_t** lowest) {
    for (int32_t l = all->finest - 1; l >= 0; --l) {
        const piece_level* fine = &all->level[l + 1];
        lowest[l] = ARENA_ROOM(scratch, int32_t, all->level[l].count);
        LIM_TRY_MEMORY(lowest[l]);
        for (int32_t p = fine->count - 1; p >= 0; --p) { /* the lowest comes last */
            lowest[l][fine->parent[p]] = l + 1 < all->finest ? lowest[l + 1][p] : p;
        }
    }
    return LIM_OK;
}

/* A record of piece p of level l; kept: the record before that is the same, -1. */
static void begin_list(list_writer* w, int32_t l, int32_t p, int32_t kind, int32_t kept) {
    const blender* b = w->b;
    int32_t record = w->record++;
    int32_t lowest = l < b->tree.pieces->finest ? w->lowest[l][p] : p;
    w->n->forward_offset[record] = w->at;
    w->r->record_fragment[record - b->nodes->padded] = lowest;
    w->r->record_level[record - b->nodes->padded] = (uint8_t)(l + kind);
    const level_sums* s = &b->level[l];
    w->r->record_sum[record - b->nodes->padded] =
        kind == 0 ? (record_sum){s->mass[p], s->wish[p], s->only[p]} : (record_sum){.only = NONE};
    if (b->past != NULL) {
        b->map->before[record] = kept;
        if (kept >= 0) {
            b->map->now[kept] = record;
        }
    }
}

static void add_entry(list_writer* w, int32_t input, float weight) {
    w->n->forward[w->at] = input;
    w->n->forward_weight[w->at++] = weight;
}

/* The record of all that piece p holds. */
static void write_whole(list_writer* w, int32_t l, int32_t p) {
    const level_sums* s = &w->b->level[l];
    begin_list(w, l, p, 0, is_kept(s, p) ? s->kept[p] : -1);
    if (is_kept(s, p)) {
        const net* old = w->b->past->n;
        int32_t begin = old->forward_offset[s->kept[p]], *to = w->n->forward + w->at;
        int32_t count = old->forward_offset[s->kept[p] + 1] - begin;
        const int32_t* now = w->b->map->now;
        for (int32_t e = 0; e < count; ++e) {
            to[e] = now[old->forward[begin + e]];
        }
        memcpy(w->n->forward_weight + w->at, old->forward_weight + begin,
               (size_t)count * sizeof(float));
        w->at += count;
        return;
    }
    if (s->slot[p] >= 0) {
        add_entry(w, s->slot[p], 1.0f);
    }
    for (int32_t e = s->first[p]; e < s->first[p + 1]; ++e) {
        add_entry(w, s->input[e], s->weight[e]);
    }
}

/* Lists of records in order of level, from fine to coarse, and piece: first all middle records,
 * then all regions. */
static lim_result write_lists(blender* b, net* n, regions* r) {
    list_writer w = {.b = b, .n = n, .r = r, .record = b->nodes->padded};
    LIM_TRY(find_lowest(b->tree.pieces, &b->scratch, w.lowest));
    memset(n->forward_offset, 0, (size_t)w.record * sizeof(int32_t));
    for (int32_t l = b->begin; l >= 0; --l) {
        for (int32_t p = 0; b->has_middles[l] && p < b->tree.pieces->level[l].count; ++p) {
            if (record_of(b, &b->level[l], p).middle) {
                write_whole(&w, l, p);
            }
        }
    }
    for (int32_t l = b->begin; l >= 0; --l) {
        const level_sums* s = &b->level[l];
        for (int32_t p = 0; b->has_finals[l] && p < b->tree.pieces->level[l].count; ++p) {
            piece_record made = record_of(b, s, p);
            if (made.whole) {
                write_whole(&w, l, p);
            } else if (made.part) {
                begin_list(&w, l, p, REGION_OF_PART, s->kept != NULL ? s->kept_part[p] : -1);
                add_entry(&w, s->source[p], 1.0f - s->share[p]);
            }
        }
    }
    for (; w.record < n->record_count; ++w.record) {
        n->forward_offset[w.record] = w.at;
        r->record_fragment[w.record - b->nodes->padded] = -1;
        r->record_level[w.record - b->nodes->padded] = 0;
        r->record_sum[w.record - b->nodes->padded] = (record_sum){.only = NONE};
        if (b->past != NULL) {
            b->map->before[w.record] = -1;
        }
    }
    n->forward_offset[n->record_count] = w.at;
    return LIM_OK;
}

static lim_result emit(blender* b, arena* a, arena* scratch, net* n, regions* r) {
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
    *r = (regions){.count = b->finals,
                   .padded = n->region_count,
                   .record_fragment = ARENA_ROOM(a, int32_t, records - nodes),
                   .record_level = ARENA_ROOM(a, uint8_t, records - nodes),
                   .record_sum = ARENA_ROOM(a, record_sum, records - nodes)};
    LIM_TRY_MEMORY(r->record_fragment);
    LIM_TRY_MEMORY(r->record_level);
    LIM_TRY_MEMORY(r->record_sum);
    if (b->past != NULL) {
        b->map->before = ARENA_ROOM(scratch, int32_t, records);
        LIM_TRY_MEMORY(b->map->before);
        memcpy(b->map->before, b->past->before, (size_t)nodes * sizeof(int32_t));
    }
    LIM_TRY(write_lists(b, n, r));
    return b->past != NULL ? past_transpose(a, scratch, b->past, b->map, n) : net_transpose(n, a);
}

static lim_result build(blender* b, arena* a, arena* scratch, net* out_net, regions* out) {
    LIM_TRY(allocate_levels(b));
    if (b->past != NULL) {
        LIM_TRY(prepare_past(b, scratch));
    }
    place_nodes(b);
    if (b->past != NULL) {
        LIM_TRY(keep_records(b));
    }
    LIM_TRY(grow(b));
    LIM_TRY(emit(b, a, scratch, out_net, out));
    out->seed_region = ARENA_ROOM(a, int32_t, b->nodes->padded);
    LIM_TRY_MEMORY(out->seed_region);
    LIM_TRY(regions_allocate(a, out));
    for (int32_t i = 0; i < out->count; ++i) {
        out->weight[i] = 1.0f;
    }
    return regions_seeds(&b->scratch, out_net, b->past, b->map, out);
}

lim_result regions_blend_again(arena* a, arena* scratch, const lim_host* host,
                               const region_nodes* nodes, region_tree tree, const float* width,
                               const region_past* past, net* out_net, regions* out_regions,
                               record_map* out_map) {
    blender b = {
        .host = host, .nodes = nodes, .tree = tree, .width = width, .past = past, .map = out_map};
    arena_init(&b.scratch, host);
    lim_result result = build(&b, a, scratch, out_net, out_regions);
    ARRAY_FREE(host, &b.entries);
    arena_release(&b.scratch);
    return result;
}

lim_result regions_build_blended(arena* a, const lim_host* host, const region_nodes* nodes,
                                 region_tree tree, const float* width, net* out_net,
                                 regions* out_regions) {
    return regions_blend_again(a, NULL, host, nodes, tree, width, NULL, out_net, out_regions, NULL);
}

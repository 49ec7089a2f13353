/* SPDX-License-Identifier: MIT
 * Job: local thickness. In: pieces and the graph of the fragments. Out: depths, and which pieces
 * are thick. All ways lead along the graph: a wall of one cell's edge away does not count.
 *
 * Depth d of a fragment: how far its cell's centre is below the surface. A cell at the surface that
 * is filled to a share s has d = s - 1/2, as if a plane cut it; from there depth grows along the
 * graph by 1, 17/12 or 21/12 cells over faces, edges and corners (a chamfer distance, at most 8 %
 * more than the straight one). Between two neighbours over a face the thickness along their axis is
 * at most d_p + d_q + 1; the least over the axes, of each axis the more of both sides, is exact in
 * the middle of a slab wherever the cells' planes lie, and nowhere more than its thickness.
 *
 * A thickness of t = cells_across 2^j finest cells is found by an opening: the core is where
 * material is t thick, and within t / 2 + 1 cells of the core everything is thick. The core is
 * eroded by a ball, but grown by a cube (steps of the graph): corners of a box and poles of a ball
 * count as thick, a finger that stands on a body does not. A piece of edge 2^j cells is thick when
 * half of its volume is, and when it holds no feature of any size 2^i up to its own: nothing that
 * is further than two edges 2^i from what is thick for i. So a finger is found from about twice its
 * width on, however large the cell, and a wedge, which is thin only near its tip at every size, is
 * none down to about 40 degrees (a cell that holds nothing but its tip is split all the same).
 * Growing happens on pieces of a quarter of the edge, so the cost
 * falls with j.
 *
 * A feature bends at its root as much as along it, so it is followed back to the surface that it
 * stands on, and some of what lies below gets cells as fine. That surface is the opening's, now
 * with a ball: height h above it is the distance to the core less the core's depth. What is sure to
 * be a feature and all that hangs on it above one cell is the feature, and the material within 5/3
 * of its cells below h = 0 (about two layers below its foot, and one or two around it) is its root.
 * Coarser cells further below need no rule: neighbours differ by one level.
 *
 * Exactness: a slab of N cells is thick for every t <= N, and for none above N + 0.6: 1/4 for the
 * rounding to sub-voxels on its two sides, 1/3 as tolerance for it.
 */
#include "sample/thickness.h"

enum {
    STEP_FACE = THICKNESS_UNIT,
    STEP_EDGE = 17,
    STEP_CORNER = 21,
    TOLERANCE = 4,
    BUCKETS = 64, /* more than the largest step and the range of what is entered first */
    NEIGHBOURS = 26,
    FAR = INT32_MAX,
    FOOT = THICKNESS_UNIT,         /* least height of what is a feature for sure */
    FOOT_END = 3 * THICKNESS_UNIT, /* from its foot up to here ways to the root begin */
    ROOT_THIRDS = 5                /* depth of a root, in thirds of its cells */
};

#define MORTON_X 0x1249249249249249u

typedef struct field {
    const pieces* tree;
    const visibility* see;
    int32_t n;
    int32_t* depth;  /* or another distance that is being found */
    int32_t waiting; /* fragments in the rings */
    /* Fragments by depth modulo BUCKETS, as doubly linked rings through their heads. */
    int32_t head[BUCKETS];
    int32_t *next, *previous;
} field;

/* Along which axes two cells of a level differ: bits 0, 1 and 2. */
static int axes_between(uint64_t a, uint64_t b) {
    uint64_t differ = a ^ b;
    return ((differ & MORTON_X) != 0) | ((differ & (MORTON_X << 1)) != 0) << 1 |
           ((differ & (MORTON_X << 2)) != 0) << 2;
}

static int32_t step_between(uint64_t a, uint64_t b) {
    static const int32_t step[8] = {1,         STEP_FACE, STEP_FACE, STEP_EDGE,
                                    STEP_FACE, STEP_EDGE, STEP_EDGE, STEP_CORNER};
    return step[axes_between(a, b)];
}

/* Material on all sides: the cell is full, and so many cells around it hold on to it. */
static bool is_inside(const field* d, const fragments* f, int32_t i) {
    int32_t cells = 0, last = f->cell[i];
    if (f->mask[i] != MASK_ALL) {
        return false;
    }
    for (int32_t e = d->see->edge_offset[i]; e < d->see->edge_offset[i + 1]; ++e) {
        int32_t cell = f->cell[d->see->edge_node[e]];
        cells += cell != last && cell != f->cell[i];
        last = cell;
    }
    return cells >= NEIGHBOURS;
}

static void enter(field* d, int32_t i) {
    int32_t bucket = (int32_t)((uint32_t)d->depth[i] % BUCKETS);
    d->previous[i] = -1;
    d->next[i] = d->head[bucket];
    if (d->next[i] >= 0) {
        d->previous[d->next[i]] = i;
    }
    d->head[bucket] = i;
    d->waiting++;
}

static void leave(field* d, int32_t i) {
    int32_t bucket = (int32_t)((uint32_t)d->depth[i] % BUCKETS);
    d->waiting--;
    if (d->previous[i] >= 0) {
        d->next[d->previous[i]] = d->next[i];
    } else {
        d->head[bucket] = d->next[i];
    }
    if (d->next[i] >= 0) {
        d->previous[d->next[i]] = d->previous[i];
    }
}

/* All distances into `depth`, FAR, and nothing waits. */
static void begin_ways(field* d, int32_t* depth) {
    d->depth = depth;
    d->waiting = 0;
    for (int b = 0; b < BUCKETS; ++b) {
        d->head[b] = -1;
    }
    for (int32_t i = 0; i < d->n; ++i) {
        depth[i] = FAR;
    }
}

/* Shortest ways from what has been entered with a ring of buckets (Dial 1969), from the least
 * distance on, up to `until`. */
static void find_ways(field* d, int32_t least, int32_t until) {
    const uint64_t* key = d->tree->level[d->tree->finest].key;
    for (int32_t at = least; d->waiting > 0 && at < until; ++at) {
        int32_t bucket = (int32_t)((uint32_t)at % BUCKETS);
        while (d->head[bucket] >= 0) {
            int32_t i = d->head[bucket];
            leave(d, i);
            for (int32_t e = d->see->edge_offset[i]; e < d->see->edge_offset[i + 1]; ++e) {
                int32_t other = d->see->edge_node[e];
                int32_t depth = at + step_between(key[i], key[other]);
                if (depth < d->depth[other]) {
                    if (d->depth[other] != FAR) {
                        leave(d, other);
                    }
                    d->depth[other] = depth;
                    enter(d, other);
                }
            }
        }
    }
}

/* From the surface. Material without a surface cannot be; a fragment that no surface reaches would
 * keep FAR. */
static void find_depths(field* d, const fragments* f, int32_t* depth) {
    begin_ways(d, depth);
    for (int32_t i = 0; i < d->n; ++i) {
        if (!is_inside(d, f, i)) {
            depth[i] = (THICKNESS_UNIT * mask_count(f->mask[i]) + 32) / 64 - THICKNESS_UNIT / 2;
            enter(d, i);
        }
    }
    find_ways(d, -THICKNESS_UNIT / 2, FAR);
}

/* The thickness centred at each fragment or half-way to a neighbour over a face. */
static void find_widths(const field* d, int32_t* width) {
    const uint64_t* key = d->tree->level[d->tree->finest].key;
    for (int32_t i = 0; i < d->n; ++i) {
        int32_t own = 2 * d->depth[i], along[8] = {own, own, own, own, own, own, own, own};
        for (int32_t e = d->see->edge_offset[i]; e < d->see->edge_offset[i + 1]; ++e) {
            int32_t other = d->see->edge_node[e], axes = axes_between(key[i], key[other]);
            int32_t here = d->depth[i] + d->depth[other] + THICKNESS_UNIT;
            along[axes] = here > along[axes] ? here : along[axes];
        }
        /* of the 8 sets of axes those that hold one */
        int32_t least = along[1] < along[2] ? along[1] : along[2];
        width[i] = along[4] < least ? along[4] : least;
    }
}

static void gather_children(const piece_level* l, const int32_t* shallow, const int32_t* widest,
                            int32_t* out_shallow, int32_t* out_widest) {
    for (int32_t i = 0; i < l->count; ++i) {
        int32_t first = l->child[l->child_first[i]];
        out_shallow[i] = shallow[first];
        out_widest[i] = widest[first];
        for (int32_t k = l->child_first[i] + 1; k < l->child_first[i + 1]; ++k) {
            int32_t c = l->child[k];
            out_shallow[i] = shallow[c] < out_shallow[i] ? shallow[c] : out_shallow[i];
            out_widest[i] = widest[c] > out_widest[i] ? widest[c] : out_widest[i];
        }
    }
}

/* Steps of the graph of a level from the pieces that are at least `wanted` thick, up to `most`;
 * beyond that FAR. */
static void grow_core(const piece_level* l, const int32_t* widest, double wanted, int32_t most,
                      int32_t* steps, int32_t* queue) {
    int32_t count = 0;
    for (int32_t i = 0; i < l->count; ++i) {
        steps[i] = FAR;
        if (widest[i] >= wanted) {
            steps[i] = 0;
            queue[count++] = i;
        }
    }
    for (int32_t at = 0; at < count && steps[queue[at]] < most; ++at) {
        int32_t i = queue[at];
        for (int32_t e = l->edge_offset[i]; e < l->edge_offset[i + 1]; ++e) {
            int32_t other = l->edge_piece[e];
            if (steps[other] == FAR) {
                steps[other] = steps[i] + 1;
                queue[count++] = other;
            }
        }
    }
}

/* Which pieces of a level are thick, by the steps that pieces of level `grain` are away from the
 * core, and which hold a feature: `fine` says it for the next finer level (null: none do). */
static void judge_level(const pieces* tree, const int32_t* steps, int32_t grain, int32_t level,
                        int32_t near, const uint8_t* fine, double* volume, uint8_t* feature,
                        uint8_t* thick) {
    const piece_level *below = &tree->level[grain], *l = &tree->level[level];
    for (int32_t i = 0; i < l->count; ++i) {
        volume[i] = 0.0;
        for (int32_t k = l->child_first[i]; fine != NULL && k < l->child_first[i + 1]; ++k) {
            feature[i] |= fine[l->child[k]];
        }
    }
    for (int32_t i = 0; i < below->count; ++i) {
        int32_t piece = i;
        for (int32_t up = grain; up > level; --up) {
            piece = tree->level[up].parent[piece];
        }
        volume[piece] += steps[i] <= near ? below->volume[i] : 0.0;
        feature[piece] |= steps[i] == FAR;
    }
    for (int32_t i = 0; i < l->count; ++i) {
        thick[i] = !feature[i] && volume[i] >= 0.499999 * l->volume[i];
    }
}

/* What a search for features works with. */
typedef struct feature_search {
    field* d;
    const int32_t *depth, *widest; /* per fragment */
    int32_t *height, *root;        /* above the opening, from a feature's foot */
    int32_t* list;                 /* fragments of features of this size, and then their roots */
    uint8_t* known;                /* per fragment: of a feature of this size or a smaller one */
} feature_search;

/* Fragments that are sure to be of a feature that is none at smaller sizes. */
static int32_t list_sure(const feature_search* s, const int32_t* steps, int32_t grain) {
    const pieces* tree = s->d->tree;
    int32_t count = 0;
    for (int32_t i = 0; i < s->d->n; ++i) {
        int32_t piece = i;
        for (int32_t l = tree->finest; l > grain; --l) {
            piece = tree->level[l].parent[piece];
        }
        if (steps[piece] == FAR && !s->known[i]) {
            s->known[i] = 1;
            s->list[count++] = i;
        }
    }
    return count;
}

/* Heights above the opening up to FOOT_END, in the core minus its depth; higher up FAR. */
static void find_heights(feature_search* s, int32_t wanted) {
    const visibility* see = s->d->see;
    int32_t least = 0;
    begin_ways(s->d, s->height);
    for (int32_t i = 0; i < s->d->n; ++i) {
        bool rim = false;
        for (int32_t e = see->edge_offset[i]; s->widest[i] >= wanted && e < see->edge_offset[i + 1];
             ++e) {
            rim = rim || s->widest[see->edge_node[e]] < wanted;
        }
        s->height[i] = s->widest[i] >= wanted ? -s->depth[i] : FAR;
        if (rim) {
            least = s->height[i] < least ? s->height[i] : least;
            enter(s->d, i);
        }
    }
    find_ways(s->d, least, FOOT_END);
}

/* Lists the features of a size whole, down to their feet, and their roots. Returns how many. */
static int32_t list_features(feature_search* s, int32_t sure, int32_t wanted, int32_t root) {
    const visibility* see = s->d->see;
    int32_t count = sure;
    find_heights(s, wanted);
    for (int32_t at = 0; at < count; ++at) {
        for (int32_t e = see->edge_offset[s->list[at]]; e < see->edge_offset[s->list[at] + 1];
             ++e) {
            int32_t other = see->edge_node[e];
            if (!s->known[other] && s->height[other] > FOOT) {
                s->known[other] = 1;
                s->list[count++] = other;
            }
        }
    }
    begin_ways(s->d, s->root);
    for (int32_t at = 0; at < count; ++at) {
        int32_t i = s->list[at];
        s->root[i] = s->height[i] < FOOT_END ? -s->height[i] : -FOOT_END;
        if (s->height[i] < FOOT_END) {
            enter(s->d, i);
        }
    }
    find_ways(s->d, -FOOT_END, root);
    for (int32_t i = 0; i < s->d->n; ++i) {
        if (s->root[i] < root && !s->known[i]) {
            s->list[count++] = i;
        }
    }
    return count;
}

/* Marks the pieces of a level that hold features of a size, or their roots. */
static void mark_features(feature_search* s, const int32_t* steps, int32_t grain, int32_t level,
                          double wanted, uint8_t* feature) {
    const pieces* tree = s->d->tree;
    int32_t count = list_sure(s, steps, grain);
    if (count > 0) {
        int32_t cell = THICKNESS_UNIT << (tree->finest - level - 1);
        count = list_features(s, count, (int32_t)wanted, ROOT_THIRDS * cell / 3);
    }
    for (int32_t k = 0; k < count; ++k) {
        int32_t piece = s->list[k];
        for (int32_t l = tree->finest; l > level; --l) {
            piece = tree->level[l].parent[piece];
        }
        feature[piece] = 1;
    }
}

static lim_result begin_search(arena* scratch, field* d, const thickness* t, feature_search* out) {
    *out = (feature_search){.d = d,
                            .depth = t->shallow[d->tree->finest],
                            .widest = t->widest[d->tree->finest],
                            .height = ARENA_ARRAY(scratch, int32_t, d->n),
                            .root = ARENA_ARRAY(scratch, int32_t, d->n),
                            .list = ARENA_ARRAY(scratch, int32_t, d->n),
                            .known = ARENA_ARRAY(scratch, uint8_t, d->n)};
    LIM_TRY_MEMORY(out->height);
    LIM_TRY_MEMORY(out->root);
    LIM_TRY_MEMORY(out->list);
    LIM_TRY_MEMORY(out->known);
    return LIM_OK;
}

static lim_result judge(arena* a, arena* scratch, field* d, double cells_across, thickness* out) {
    const pieces* tree = d->tree;
    int32_t n = tree->level[tree->finest].count;
    int32_t* steps = ARENA_ARRAY(scratch, int32_t, n);
    int32_t* queue = ARENA_ARRAY(scratch, int32_t, n);
    double* volume = ARENA_ARRAY(scratch, double, n);
    LIM_TRY_MEMORY(steps);
    LIM_TRY_MEMORY(queue);
    LIM_TRY_MEMORY(volume);
    feature_search search;
    LIM_TRY(begin_search(scratch, d, out, &search));
    const uint8_t* fine = NULL;
    for (int32_t level = tree->finest - 1; level >= out->coarsest; --level) {
        int32_t j = tree->finest - level, g = j > 2 ? j - 2 : 0;
        double edges = cells_across * (double)(1 << j); /* finest cells */
        double wanted = (double)THICKNESS_UNIT * edges - (double)TOLERANCE;
        double reach = ceil(0.5 * edges / (double)(1 << g));
        int32_t near = reach < n ? (int32_t)reach + 1 : n + 1;
        out->thick[level] = ARENA_ARRAY(a, uint8_t, tree->level[level].count);
        uint8_t* feature = ARENA_ARRAY(scratch, uint8_t, tree->level[level].count);
        LIM_TRY_MEMORY(out->thick[level]);
        LIM_TRY_MEMORY(feature);
        grow_core(&tree->level[tree->finest - g], out->widest[tree->finest - g], wanted,
                  near + (2 << (j - g)), steps, queue);
        mark_features(&search, steps, tree->finest - g, level, wanted, feature);
        judge_level(tree, steps, tree->finest - g, level, near, fine, volume, feature,
                    out->thick[level]);
        fine = feature;
    }
    return LIM_OK;
}

static lim_result build(arena* a, arena* scratch, const pieces* tree, const fragments* f,
                        const visibility* see, double cells_across, thickness* out) {
    field d = {.tree = tree, .see = see, .n = f->count};
    for (int32_t l = tree->finest; l >= out->coarsest; --l) {
        out->shallow[l] = ARENA_ARRAY(a, int32_t, tree->level[l].count);
        out->widest[l] = ARENA_ARRAY(a, int32_t, tree->level[l].count);
        LIM_TRY_MEMORY(out->shallow[l]);
        LIM_TRY_MEMORY(out->widest[l]);
    }
    d.next = ARENA_ARRAY(scratch, int32_t, d.n);
    d.previous = ARENA_ARRAY(scratch, int32_t, d.n);
    LIM_TRY_MEMORY(d.next);
    LIM_TRY_MEMORY(d.previous);
    find_depths(&d, f, out->shallow[tree->finest]);
    find_widths(&d, out->widest[tree->finest]);
    for (int32_t l = tree->finest - 1; l >= out->coarsest; --l) {
        gather_children(&tree->level[l], out->shallow[l + 1], out->widest[l + 1], out->shallow[l],
                        out->widest[l]);
    }
    return cells_across > 0.0 ? judge(a, scratch, &d, cells_across, out) : LIM_OK;
}

lim_result thickness_build(arena* a, const pieces* tree, const fragments* f, const visibility* see,
                           int32_t coarsest, double cells_across, thickness* out) {
    *out = (thickness){.coarsest = coarsest};
    arena scratch;
    arena_init(&scratch, &a->host);
    lim_result result = build(a, &scratch, tree, f, see, cells_across, out);
    arena_release(&scratch);
    return result;
}

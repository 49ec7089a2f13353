/* SPDX-License-Identifier: MIT
 * Level of detail in the plainest way: levels per fragment, one split or join after the other, all
 * looked at again after each. Shares nothing with edit/levels.h but the hierarchy of pieces.
 */
#ifndef LIMBER_LEVELS_ORACLE_H
#define LIMBER_LEVELS_ORACLE_H

#include "edit/levels.h"
#include "mesh/sample_kit.h"

typedef struct oracle {
    const pieces* tree;
    const int32_t *edge_offset, *edge_node; /* of fragments, links within a cell too */
    const level_wish* wish;
    int32_t base, count;
    int32_t* over[OCTANT_LEVELS + 1];                              /* piece over each fragment */
    int32_t *first[OCTANT_LEVELS + 1], *member[OCTANT_LEVELS + 1]; /* its fragments */
} oracle;

static inline oracle oracle_make(const finest_kit* k) {
    oracle o = {.tree = &k->tree,
                .edge_offset = k->m.edge_offset,
                .edge_node = k->m.edge_node,
                .count = k->m.count};
    for (int32_t l = 0; l <= o.tree->finest; ++l) {
        int32_t n = o.tree->level[l].count;
        o.over[l] = calloc((size_t)o.count, sizeof(int32_t));
        o.member[l] = calloc((size_t)o.count, sizeof(int32_t));
        o.first[l] = calloc((size_t)n + 2, sizeof(int32_t));
        for (int32_t f = 0; f < o.count; ++f) {
            o.over[l][f] = piece_over(o.tree, f, l);
            o.first[l][o.over[l][f] + 2]++;
        }
        for (int32_t i = 0; i < n; ++i) {
            o.first[l][i + 2] += o.first[l][i + 1];
        }
        for (int32_t f = 0; f < o.count; ++f) {
            o.member[l][o.first[l][o.over[l][f] + 1]++] = f;
        }
    }
    return o;
}

static inline void oracle_free(oracle* o) {
    for (int32_t l = 0; l <= o->tree->finest; ++l) {
        free(o->over[l]);
        free(o->member[l]);
        free(o->first[l]);
    }
}

static inline int32_t oracle_wish(const oracle* o, int32_t level) {
    return level < o->base ? o->base : level > o->tree->finest ? o->tree->finest : level;
}

/* Antichain, cover, balance. */
static inline bool oracle_valid(const oracle* o, const int8_t* level) {
    for (int32_t f = 0; f < o->count; ++f) {
        int32_t l = level[f];
        if (l < 0 || l > o->tree->finest) {
            return false;
        }
        int32_t p = o->over[l][f];
        for (int32_t k = o->first[l][p]; k < o->first[l][p + 1]; ++k) {
            if (level[o->member[l][k]] != l) {
                return false;
            }
        }
        for (int32_t e = o->edge_offset[f]; e < o->edge_offset[f + 1]; ++e) {
            if (abs(level[o->edge_node[e]] - l) > 1) {
                return false;
            }
        }
    }
    return true;
}

static inline int32_t oracle_nodes(const oracle* o, const int8_t* level) {
    int32_t count = 0;
    for (int32_t f = 0; f < o->count; ++f) {
        int32_t l = level[f];
        count += o->member[l][o->first[l][o->over[l][f]]] == f;
    }
    return count;
}

static inline bool oracle_is_split(const oracle* o, const int8_t* level, int32_t l, int32_t p) {
    return level[o->member[l][o->first[l][p]]] > l;
}

/* Nodes made by splits and taken by joins between two choices. */
static inline int32_t oracle_work(const oracle* o, const int8_t* a, const int8_t* b,
                                  int32_t* refined, int32_t* joined) {
    int32_t work = 0;
    *refined = *joined = 0;
    for (int32_t l = 0; l < o->tree->finest; ++l) {
        const piece_level* at = &o->tree->level[l];
        for (int32_t p = 0; p < at->count; ++p) {
            bool before = oracle_is_split(o, a, l, p), after = oracle_is_split(o, b, l, p);
            int32_t children = at->child_first[p + 1] - at->child_first[p];
            work += before != after ? children : 0;
            *refined += after && !before;
            *joined += before && !after;
        }
    }
    return work;
}

static inline void oracle_split_node(const oracle* o, int8_t* level, int32_t fragment) {
    int32_t l = level[fragment], p = o->over[l][fragment];
    for (int32_t k = o->first[l][p]; k < o->first[l][p + 1]; ++k) {
        level[o->member[l][k]] = (int8_t)(l + 1);
    }
}

static inline void oracle_balance(const oracle* o, int8_t* level) {
    for (bool again = true; again;) {
        again = false;
        for (int32_t f = 0; f < o->count; ++f) {
            for (int32_t e = o->edge_offset[f]; e < o->edge_offset[f + 1]; ++e) {
                if (level[o->edge_node[e]] < level[f] - 1) {
                    oracle_split_node(o, level, o->edge_node[e]);
                    again = true;
                }
            }
        }
    }
}

/* All fragments of the piece are content with its level. */
static inline bool oracle_content(const oracle* o, int32_t l, int32_t p) {
    for (int32_t k = o->first[l][p]; k < o->first[l][p + 1]; ++k) {
        if (oracle_wish(o, o->wish[o->member[l][k]].coarsest) > l) {
            return false;
        }
    }
    return true;
}

/* It, or a larger piece that it is in, suits all and is wished for by one. */
static inline bool oracle_join_wanted(const oracle* o, int32_t l, int32_t p) {
    int32_t f = o->member[l][o->first[l][p]];
    for (int32_t m = 0; m <= l; ++m) {
        int32_t q = o->over[m][f];
        if (oracle_content(o, m, q)) {
            for (int32_t k = o->first[m][q]; k < o->first[m][q + 1]; ++k) {
                if (oracle_wish(o, o->wish[o->member[m][k]].finest) <= m) {
                    return true;
                }
            }
        }
    }
    return false;
}

static inline bool oracle_may_join(const oracle* o, const int8_t* level, int32_t l, int32_t p) {
    for (int32_t k = o->first[l][p]; k < o->first[l][p + 1]; ++k) {
        int32_t f = o->member[l][k];
        if (level[f] != l + 1) {
            return false;
        }
        for (int32_t e = o->edge_offset[f]; e < o->edge_offset[f + 1]; ++e) {
            if (level[o->edge_node[e]] > l + 1) {
                return false;
            }
        }
    }
    return oracle_content(o, l, p) && oracle_join_wanted(o, l, p);
}

/* Without limits. */
static inline void oracle_choose(const oracle* o, int8_t* level) {
    for (int32_t f = 0; f < o->count; ++f) {
        while (level[f] < oracle_wish(o, o->wish[f].coarsest)) {
            oracle_split_node(o, level, f);
        }
    }
    oracle_balance(o, level);
    for (bool again = true; again;) {
        again = false;
        for (int32_t l = 0; l < o->tree->finest; ++l) {
            for (int32_t p = 0; p < o->tree->level[l].count; ++p) {
                if (oracle_may_join(o, level, l, p)) {
                    for (int32_t k = o->first[l][p]; k < o->first[l][p + 1]; ++k) {
                        level[o->member[l][k]] = (int8_t)l;
                    }
                    again = true;
                }
            }
        }
    }
}

typedef struct oracle_candidate {
    bool asked;
    float weight;
    int32_t level, piece;
} oracle_candidate;

static inline bool oracle_before(oracle_candidate a, oracle_candidate b) {
    if (a.asked != b.asked) {
        return a.asked;
    }
    if (a.weight > b.weight || a.weight < b.weight) {
        return a.weight > b.weight;
    }
    return a.level != b.level ? a.level < b.level : a.piece < b.piece;
}

/* With a limit of nodes: from the coarsest on, the first in order that fits. */
static inline void oracle_fit(const oracle* o, int32_t nodes, int8_t* level) {
    int32_t total = 0, found = 0;
    for (int32_t l = 0; l < o->tree->finest; ++l) {
        total += o->tree->level[l].count;
    }
    oracle_candidate* list = calloc((size_t)total + 1, sizeof *list);
    for (int32_t l = o->base; l < o->tree->finest; ++l) {
        for (int32_t p = 0; p < o->tree->level[l].count; ++p) {
            oracle_candidate c = {.level = l, .piece = p};
            float any = 0.0f;
            for (int32_t k = o->first[l][p]; k < o->first[l][p + 1]; ++k) {
                const level_wish* w = &o->wish[o->member[l][k]];
                any = w->weight > any ? w->weight : any;
                if (oracle_wish(o, w->coarsest) > l) {
                    c.asked = true;
                    c.weight = w->weight > c.weight ? w->weight : c.weight;
                }
            }
            c.weight = c.asked ? c.weight : any;
            bool kept = oracle_is_split(o, level, l, p) && !oracle_join_wanted(o, l, p);
            if (c.asked || kept) {
                int32_t at = found++;
                for (; at > 0 && oracle_before(c, list[at - 1]); --at) {
                    list[at] = list[at - 1];
                }
                list[at] = c;
            }
        }
    }
    int8_t* trial = calloc((size_t)o->count, 1);
    memset(level, o->base, (size_t)o->count);
    for (int32_t i = 0; i < found; ++i) {
        oracle_candidate c = list[i];
        memcpy(trial, level, (size_t)o->count);
        int32_t f = o->member[c.level][o->first[c.level][c.piece]];
        while (trial[f] <= c.level) {
            oracle_split_node(o, trial, f);
        }
        oracle_balance(o, trial);
        if (oracle_nodes(o, trial) <= nodes) {
            memcpy(level, trial, (size_t)o->count);
        }
    }
    free(trial);
    free(list);
}

#endif

/* SPDX-License-Identifier: MIT
 * Job: see nodes from a node. In: a graph, weighted nodes about a point. Out: how much of each is
 * seen. Widest paths by the greedy order of Prim and Dijkstra.
 */
#include "skin/sight.h"

lim_result sight_init(sight* s, arena* a, graph g) {
    *s = (sight){.g = g, .marked = -1};
    s->mark = ARENA_ARRAY(a, int32_t, g.node_count);
    LIM_TRY_MEMORY(s->mark);
    return LIM_OK;
}

static void mark_neighbours(sight* s, int32_t own) {
    if (s->marked == own) {
        return;
    }
    s->marked = own;
    for (int32_t e = s->g.offset[own]; e < s->g.offset[own + 1]; ++e) {
        s->mark[s->g.node[e]] = own + 1;
    }
}

/* Rows are short: all of one is read faster than it is guessed where to look. */
static bool linked(const graph* g, int32_t from, int32_t to) {
    int32_t found = 0;
    for (int32_t e = g->offset[from]; e < g->offset[from + 1]; ++e) {
        found |= g->node[e] == to;
    }
    return found != 0;
}

/* nodes[0..settled) are final, and none of the others can be seen better than the next to settle.
 */
static void settle(const graph* g, sight_node* nodes, int32_t settled, int32_t count) {
    for (; settled < count; ++settled) {
        int32_t best = settled;
        for (int32_t i = settled + 1; i < count; ++i) {
            best = nodes[i].seen > nodes[best].seen ? i : best;
        }
        sight_node through = nodes[best];
        if (!(through.seen > 0.0)) {
            return;
        }
        nodes[best] = nodes[settled];
        nodes[settled] = through;
        for (int32_t i = settled + 1; i < count; ++i) {
            double most = nodes[i].weight < through.seen ? nodes[i].weight : through.seen;
            if (nodes[i].seen < most && linked(g, through.slot, nodes[i].slot)) {
                nodes[i].seen = most;
            }
        }
    }
}

void sight_look(sight* s, int32_t own, sight_node* nodes, int32_t count) {
    bool all = true;
    mark_neighbours(s, own);
    for (int32_t i = 0; i < count; ++i) {
        bool direct = nodes[i].slot == own || s->mark[nodes[i].slot] == own + 1;
        nodes[i].seen = direct ? nodes[i].weight : 0.0;
        all = all && direct;
    }
    if (!all) {
        settle(&s->g, nodes, 0, count);
    }
}

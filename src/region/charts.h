/* SPDX-License-Identifier: MIT
 * Charts: the coordinates in which matching sums. A sum of m d x0^T over a region far from the
 * origin cancels: in a bar of 1,000 cells floats leave an error of 1e-2 rad in a rotation. So a
 * long component is cut into charts, connected pieces of cubes, each with a rest origin o and a
 * node that it moves with. Records of the chart are about them: x0' = x0 - o,  d' = d - d_node,  x'
 * = x0' + d',  v' = v - v_node - w cross x' with the component's spin w. Subtracting a constant
 * from d and v inside a region changes nothing in exact arithmetic, and what is left is as small as
 * the chart. A short component is one chart, in the component's frame, about its anchor.
 *
 * A region belongs to one chart. A node that it takes from another is summed as a ghost: a record
 * of layer 0 more, of the same node in the region's chart. Layer 0 is the slots, then the ghosts,
 * by chart, each chart's padded to a multiple of 8.
 */
#ifndef LIMBER_CHARTS_H
#define LIMBER_CHARTS_H

#include "graph/distance.h"
#include "node/node.h"
#include "region/region.h"

/* A cube is at most 2^CHART_LEVELS cells of the finest node in it; a component is cut only along
 * axes on which it has more than twice as many, or four times when it has on all three. */
enum { CHART_LEVELS = 5 };

typedef struct charts {
    int32_t count; /* at least one per component; in order of component */
    int32_t components, slots;
    int32_t* begin;       /* count + 1: slots of each chart, multiples of 8 */
    int32_t* component;   /* of each chart */
    int32_t* node;        /* slot that it moves with; -1: the component's frame */
    float* origin[3];     /* rest position of that node; the component's anchor (node_anchor) */
    int32_t ghost_count;  /* padded */
    int32_t* ghost_begin; /* count + 1: records of each chart's ghosts, the first is `slots` */
    int32_t* ghost_node;  /* per ghost its slot; that of the chart's node for pads */
    int32_t* node_offset; /* slots + 1: where a node's ghosts begin in `node_ghost` */
    int32_t* node_ghost;  /* records of a node's ghosts, ascending */
    int32_t ghost_block_count;
    node_block* ghost_blocks; /* runs of ghosts of one chart; begin and end are records */
} charts;

static inline bool charts_many(const charts* c) {
    return c->count > c->components;
}

/* What charts are cut from: nodes in any order (not slots). */
typedef struct chart_source {
    int32_t count, components;
    const uint64_t* key;
    const int32_t* component;
    graph g;
    int32_t levels; /* CHART_LEVELS; tests have smaller cubes */
} chart_source;

/* Cuts components into charts: out_chart is the chart of each node. Charts are in order of
 * (component, lowest node). Fills count, component and begin (charts one after the other, each
 * padded to 8). */
lim_result charts_cut(arena* a, arena* scratch, const chart_source* s, charts* out,
                      int32_t* out_chart);
/* Chooses the node of each chart: the one nearest to the middle. Needs the rest positions of the
 * slots. */
lim_result charts_place(arena* a, charts* c, const region_nodes* nodes);
/* Runs of at most NODE_BLOCK records of one chart. `begin` has count + 1 entries. */
lim_result charts_blocks(arena* a, const charts* c, const int32_t* begin, node_block** out_blocks,
                         int32_t* out_count);

/* Gives every region a chart, and rewrites the network so that every record sums records of its own
 * chart only: partial sums that several charts use are copied, nodes of other charts become ghosts.
 * The new network and regions are in `a` (the old ones may be in scratch memory). With one chart
 * per component nothing is changed. */
lim_result charts_split(arena* a, const lim_host* host, const region_nodes* nodes, charts* c,
                        net* n, regions* r);

/* Mixed moments of every region with another place of its nodes, to[3] over the slots, which is
 * near enough to rest for its own chart: sum m~ (y - c)(x0 - c0)^T. out: r->count of them. */
lim_result regions_moments(arena* scratch, const region_nodes* nodes, const charts* c, const net* n,
                           const box_net* b, const regions* r, const float* fit_mass,
                           const float* const to[3], dmat3* out);
/* The mean of a matrix over the regions of each slot, 9 floats each; of lists alone. */
lim_result regions_blend(arena* scratch, const charts* c, const net* n, const regions* r,
                         const float* inv_weight, const dmat3* matrix, float* out);

/* The chart of a slot. */
int32_t charts_of_slot(const charts* c, int32_t slot);

/* The slow oracle over the ghosts too: the weight of a node in a region, and its members, as
 * net_weight and net_members give them. */
double charts_weight(const charts* c, const net* n, int32_t node, int32_t region);
/* The node of a record of layer 0. */
static inline int32_t charts_node(const charts* c, int32_t record) {
    return record < c->slots ? record : c->ghost_node[record - c->slots];
}

#endif

/* SPDX-License-Identifier: MIT
 * Matching regions: sets of nodes over which shape is matched, as a sum network, and their
 * constants. A region is its own index with a weight, which comes from its seed nodes: nodes whose
 * sets are equal share one region. W_i = sum of the weights of the regions that hold node i; m~_i =
 * m_i / W_i.
 */
#ifndef LIMBER_REGION_H
#define LIMBER_REGION_H

#include "graph/distance.h"
#include "net/box.h"
#include "net/net.h"
#include "sample/pieces.h"

enum { REGION_OF_PART = 128 };

/* What a record of blended regions holds while they are made (region/blend.c). */
typedef struct record_sum {
    double mass, wish; /* volume of its nodes by weight; that times the level wished for */
    int32_t only;      /* the node that is all it holds; negative: none or several */
} record_sum;

typedef struct regions {
    int32_t count, padded; /* padded: multiple of 8 */
    int32_t box;           /* the first so many are windows of a lattice (net/box.h), one per slot,
                              those of weight 0 unused; the others are in the network's last layer */
    float* weight;         /* w_r; 0 for pads */
    float* inv_mass;       /* 1 / M_r, M_r = P{m~}; 1 for pads */
    float* c0[3];          /* P{m~ x0} / M_r, in the region's chart */
    float* a0[6];          /* P{m~ x0 x0^T} - M_r c0 c0^T: xx yy zz xy xz yz */
    float* sigma2;         /* largest eigenvalue of a0 / M_r (C.4a); 0 for a single node */
    /* means of its nodes' factors of the material's density and modulus, 1 for pads; null: all 1 */
    float *density, *stiffness;
    int32_t* seed_region;   /* per node slot: the region whose seed it is, -1 for pads */
    double members, inputs; /* means per region */
    /* of blended regions, for those after an edit: per record behind the nodes the piece that it
     * is, by its lowest fragment (-1: a pad) and level, and REGION_OF_PART where it is a region
     * over a share of the piece's sum; not saved, null in what was read */
    int32_t* record_fragment;
    uint8_t* record_level;
    record_sum* record_sum; /* likewise; of regions over shares nothing */
} regions;

/* What region builders and constants need of the nodes: arrays over `padded` slots. */
typedef struct region_nodes {
    int32_t count, padded; /* padded: multiple of 8 */
    const float* x0[3];
    const float* volume; /* 0 for pads */
    const float* mass;   /* per unit density; null: the volumes */
    const float* side;   /* of the cells; null: they are points */
    const uint64_t* key; /* octant keys */
    const uint16_t* fragment;
} region_nodes;

/* Where the nodes are in the hierarchy of the material: per slot the octree level and the piece of
 * that level that is the node; level -1 for pads. No node is inside another, and every fragment is
 * in one. */
typedef struct region_tree {
    const pieces* pieces;
    const int32_t* level;
    const int32_t* piece;
} region_tree;

/* Exact balls: region of node i = nodes with graph distance <= width (in half cells), built from
 * shared bars (along x) and plates (along x and y), so that the cost grows with the width, not its
 * cube, and nothing of the tree shows in the motion. The graph is over slots. */
lim_result regions_build_balls(arena* a, const lim_host* host, const region_nodes* nodes, graph g,
                               int32_t width, net* out_net, regions* out_regions);

/* Whether regions of a lattice that can be windows are. What is cheaper is found by counting the
 * work of both, when the regions are made; tests ask for one or the other. */
typedef enum window_use { WINDOWS_WHERE_CHEAPER, WINDOWS_ALWAYS, WINDOWS_NEVER } window_use;

/* Regions of a lattice (Rivers and James 2007): the region of a node is every node that can be
 * reached in `width` hops, two nodes being one hop apart when they share a cell with material.
 * Where that is all nodes of the cube around it, it may be a window of `out_box`, one region per
 * slot, of weight 0 where it is not; the others are sets in the network, equal ones collapsed.
 * Where no windows are used, all are sets and `out_box` is empty. Slots are in octets (net/box.h)
 * along `axis`; a cell has material exactly if its corners are linked across. A component may come
 * in sheets, one after the other, each in the order of places (body/layout.h). component_width:
 * hops of each component, at most BOX_WIDTH_MOST; those of other than `width` have no windows;
 * null: `width` everywhere. */
lim_result regions_build_lattice(arena* a, const lim_host* host, const region_nodes* nodes, graph g,
                                 const int32_t* slot_component, int32_t axis, int32_t width,
                                 const int32_t* component_width, window_use use, box_net* out_box,
                                 net* out_net, regions* out_regions);

/* Blended regions over the octree: sums of pieces with the weights of linear interpolation, level
 * by level; `width` is the wished half-width per slot in unit space, at least one cell (region/
 * blend.c says how and why). Region r is in the last layer; weights of a node over all regions add
 * up to 1. seed_region: the region in which a node weighs most. */
lim_result regions_build_blended(arena* a, const lim_host* host, const region_nodes* nodes,
                                 region_tree tree, const float* width, net* out_net,
                                 regions* out_regions);

/* Interval regions (Steinemann et al. 2008, section 4.2): the region of node i holds every node
 * with graph distance <= width[i] and none at (1 + eps) width[i] or beyond (at eps = 0: none beyond
 * width[i]); between the two the tree decides, so that few virtual nodes make up the whole set.
 * width: per slot, half finest cells, not negative; eps = eps_num / eps_den >= 0. one_per_node: a
 * region per node, as in the paper; otherwise equal sets are one region whose weight is the sum.
 * The graph is over slots. LIM_ERROR_TOO_LARGE beyond what 32-bit records hold. */
lim_result regions_build_intervals(arena* a, const lim_host* host, const region_nodes* nodes,
                                   graph g, region_tree tree, const int32_t* width, int32_t eps_num,
                                   int32_t eps_den, bool one_per_node, net* out_net,
                                   regions* out_regions);

/* The windows of a lattice of slots in octets, as regions_build_lattice makes them. */
lim_result lattice_windows(arena* a, arena* scratch, const region_nodes* nodes,
                           const int32_t* slot_component, int32_t axis, int32_t width,
                           box_net* out);

/* How many regions there are: those with a weight. */
int32_t regions_used(const regions* r);

/* For builders: the arrays over r->padded regions. */
lim_result regions_allocate(arena* a, regions* r);
/* The weight of each region: the volume of its seeds, in units of the mean node. */
void regions_weigh_seeds(const region_nodes* nodes, regions* r);

/* Constants from the lists, summed in double: W per node (out_inv_weight = 1 / W_i, out_fit_mass =
 * mass_i / W_i; both 0 for pads, and over all records of layer 0: a ghost has its node's) and the
 * region constants, in the charts' coordinates. b: of a lattice, else null. */
struct charts;
lim_result regions_constants(arena* scratch, const region_nodes* nodes, const struct charts* c,
                             const net* n, const box_net* b, regions* r, float* out_inv_weight,
                             float* out_fit_mass);
/* The mean of a factor, given per slot, over the nodes of each region; out: r->padded of them. */
lim_result regions_mean(arena* scratch, const region_nodes* nodes, const struct charts* c,
                        const net* n, const box_net* b, const float* inv_weight,
                        const float* factor, const regions* r, float* out);
/* The same after the factors of some slots have changed: touched (r->padded, 0 before) becomes 1
 * where a region holds one of them, and only there `means` is written, with the bits that
 * regions_mean would give. A failure leaves `means` in part. */
lim_result regions_mean_again(arena* scratch, const region_nodes* nodes, const struct charts* c,
                              const net* n, const box_net* b, const float* inv_weight,
                              const float* factor, const uint8_t* changed, const regions* r,
                              uint8_t* touched, float* means);

#endif

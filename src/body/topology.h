/* SPDX-License-Identifier: MIT
 * Topology: everything about a body that is constant while it is not edited; what a lim_model holds
 * and bodies share. Rest coordinates are in unit space (the longest side of the surface is 1)
 * relative to the centre of mass; a body's scale turns them into metres.
 */
#ifndef LIMBER_TOPOLOGY_H
#define LIMBER_TOPOLOGY_H

#include "base/shared.h"
#include "body/kind.h"
#include "contact/felt_surface.h"
#include "match/match.h"
#include "match/quadratic.h"
#include "mesh/surface.h"
#include "sample/sampling.h"
#include "skin/deform.h"

#include <limber/model.h>

/* The pieces of a material, and where they are if they may be kept. */
typedef struct material_tree {
    const pieces* pieces;
    shared_arena* mem; /* null: somebody else's for now */
} material_tree;

typedef struct topology {
    arena mem; /* owns everything below, and this struct's own memory is host->alloc */
    const body_kind* kind;
    _Atomic int32_t references;
    /* surface, original vertex order */
    int32_t vertex_count, triangle_count, submesh_count, point_count;
    lim_point* position;                   /* as given, mesh units */
    float *normal, *tangent, *uv, *colour; /* 3, 4 or null, 2 or null, 4 or null per vertex */
    float* attribute[ATTRIBUTES];          /* 1 per vertex, or null (mesh/attributes.h) */
    uint32_t* indices;
    int32_t* submesh;
    int32_t*
        vertex_point; /* into the bindings; unused vertices go to the last, the centre of mass */
    /* nodes over padded slots; components, and the charts within them, are contiguous and start at
     * multiples of 8; pads may be anywhere (body/layout.h) */
    int32_t node_count, slot_count;
    int32_t row_axis;   /* of a lattice: the axis along which 8 places make a group of slots; 0 */
    int32_t* node_slot; /* per node (in key order) its slot */
    int32_t* slot_node; /* per slot its node, -1 for pads */
    uint64_t* key;
    uint16_t* fragment;
    float *x0[3], *centre[3], *volume, *side;
    float* mass;      /* volume times the node's density factor; the same array when all are 1 */
    float* stiffness; /* the node's factor of Young's modulus, 1 for pads; null: all are 1 */
    float* density;   /* of a lattice: that of the density likewise (fragment_density of others) */
    int32_t* slot_component;
    int32_t component_count;
    int32_t* component_begin; /* component_count + 1 slots */
    /* Components that edits have made from one have its number here: they meet each other, what
     * was apart from the first does not (body/piece_contact.h) */
    int32_t* component_origin;
    charts charts;
    int32_t block_count;
    node_block* blocks;
    /* graph over slots */
    int32_t edge_count;               /* directed entries */
    int32_t *edge_offset, *edge_node; /* edge_node may be that of the material */
    uint16_t* edge_length;
    net net;
    box_net box; /* of a lattice; else empty */
    regions regions;
    int32_t* region_component;
    float *inv_weight, *fit_mass; /* per record of layer 0: slots, then ghosts */
    quadratic quadratic;          /* of points: the fits of quadratic goals; derived, not saved */
    bindings bind; /* point_count of the skin (welded points, then the centre of mass), then points
                      between the corners of large triangles, which only feel contacts */
    int32_t felt_count; /* triangles between all of these; 0: those of the skin are fine enough */
    int32_t* felt;      /* 3 points each */
    int32_t
        coarse_count; /* triangles likewise, as few as other bodies need to feel; 0: `felt` is */
    int32_t* coarse;
    bindings touch;      /* those of them that feel contacts (body/touch.h); derived, not saved */
    surface_net surface; /* as others feel it; derived, not saved */
    surface_net* piece;  /* likewise, of each component that others with its origin are beside; null
                            where there are none */
    float surface_reach; /* largest distance at rest of a bound point from a node it follows, */
    float surface_off;   /* and of one that others feel from where its nodes' weights put it, */
    float skin_off;      /* and of any likewise */
    /* scalars */
    /* what edits start from; of points empty. A fragment of an octree is part of one node; one of
     * a lattice is a cell that points are bound to, and has the nodes of bind.corner
     * (body/lattice_material.h) */
    matter matter;            /* the material at the finest level */
    shared_arena* matter_mem; /* its arrays, for all topologies of the same material; null: `mem` */
    material_tree tree;       /* its pieces; none in what was read, nor of a lattice: made when they
                                 are asked for (material_tree_of) */
    int32_t* point_home;      /* per bound point: the fragment that it lies on; bind.cell */
    int32_t* fragment_slot;  /* per fragment: the slot of the node that it is part of; the lowest */
    float* fragment_density; /* per fragment: factors that a node of it has; null: all 1 */
    float* fragment_stiffness;
    float* fragment_width; /* wished half-width of its regions, unit, which edits do not change; 0:
                              own_width cells of its node; null: all 0. Of a lattice hops, which are
                              the same for a component */
    float own_width;       /* half-width of regions in own cells: lim_model_desc.region_width; of a
                              lattice hops */
    lim_region_kind region_kind;
    lim_point* skin_point;     /* welded points of the skin exactly, unit space of the mesh;
                                  point_count - 1 of them */
    lim_vertex_source* source; /* of the vertices that edits have made, the last so many; null */
    int32_t source_count;
    int32_t own_submeshes;    /* those of the mesh; faces of cuts are the next */
    bool felt_coarse;         /* `felt` is as coarse as others need: it was made by an edit */
    uint64_t revision;        /* of indices and counts: edits that changed the surface so far */
    double unit;              /* metres per unit length: desc.scale * mesh size */
    lim_point rest_origin;    /* centre of mass in the mesh's unit space: x0 = unit - rest_origin */
    lim_point centre_of_mass; /* in metres, the mesh's frame times scale */
    double volume_sum;        /* sum of volume[], unit^3 */
    float extent;             /* largest distance of a rest point from the centre of mass, unit */
    float cell;               /* finest cell edge, unit */
    float region_width;       /* half-width of the widest regions, finest cells; 0: of points */
    int32_t levels;
    lim_model_info info;
} topology;

/* How many nodes a fragment is part of or hangs on, and their slots. */
static inline int32_t topology_ends(const topology* t) {
    return t->kind->nodes == LIM_NODES_AT_CORNERS ? 8 : 1;
}
static inline int32_t topology_end(const topology* t, int32_t fragment, int32_t k) {
    return t->kind->nodes == LIM_NODES_AT_CORNERS ? t->bind.corner[8 * (size_t)fragment + (size_t)k]
                                                  : t->fragment_slot[fragment];
}

/* mesh -> sampling -> slots -> regions over a net -> bindings. */
lim_result topology_build(const lim_mesh* mesh, const lim_model_desc* desc, const lim_host* host,
                          topology** out);
/* The triangles that other bodies feel: `coarse`, of a surface that no edit has made. */
lim_result topology_coarsen(topology* t, arena* scratch);
/* What follows from the rest and is not saved; after building and reading. before: one that it was
 * made from, of which much may be left; null: none. The outcome is the same. */
lim_result topology_derive(topology* t, arena* scratch, const topology* before);
void topology_destroy(topology* t);
graph topology_graph(const topology* t);
region_nodes topology_nodes(const topology* t);
/* Where a slot's node is at rest: metres, the frame of lim_model_info.bounds. */
lim_point topology_place(const topology* t, int32_t slot);
/* The weight of a slot's node in a region, 0 when it is no member. Slow. */
double topology_region_weight(const topology* t, int32_t slot, int32_t region);
bool topology_is_valid(const topology* t);

/* Constant and shared: models and bodies each hold one reference. */
void topology_retain(topology* t);
void topology_release(topology* t);

/* As bytes (body/topology_bytes.c): sizes, arrays, checksum. Loading checks everything it reads. */
size_t topology_bytes(const topology* t);
void topology_write(const topology* t, unsigned char* out);
lim_result topology_read(const unsigned char* bytes, size_t size, const lim_host* host,
                         topology** out);

#endif

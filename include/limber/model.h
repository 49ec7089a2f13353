/* SPDX-License-Identifier: MIT
 *
 * Limber, models: a surface turned into something that can be simulated: nodes, their graph, the
 * matching regions over the sum network, and the binding of the surface to the nodes.
 *
 * A model is a pointer that the caller owns. It is constant, may be shared by any number of bodies,
 * worlds and threads, and may be destroyed while bodies still use it (they hold what they need).
 */
#ifndef LIMBER_MODEL_H
#define LIMBER_MODEL_H

#include <limber/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lim_model lim_model;

/* What a body is made of under its skin: one page each in docs/. */
typedef enum lim_kind {
    LIM_KIND_OCTREE = 0, /* nodes in the cells of an octree (Steinemann et al. 2008): the default */
    LIM_KIND_LATTICE = 1, /* nodes at the corners of equal cells (Rivers and James 2007) */
    LIM_KIND_POINTS = 2,  /* given points, one shape or a few clusters (Mueller et al. 2005) */
    LIM_KIND_HEX = 3      /* the cells of a lattice as elastic cubes, solved implicitly: as stiff as
                             the material is, at any step */
} lim_kind;

/* What nodes are. */
typedef enum lim_node_place {
    LIM_NODES_IN_CELLS = 0,   /* the material in a cell; they turn with it */
    LIM_NODES_AT_CORNERS = 1, /* corners of cells; they do not turn */
    LIM_NODES_ARE_POINTS = 2  /* points of their own; nothing fills the space between them */
} lim_node_place;

/* What a kind is called and what its bodies can do. */
typedef struct lim_kind_info {
    const char* name; /* in scene files and on the command line; null: there is no such kind */
    lim_node_place nodes;
    bool edits;   /* bodies can be cut, torn and split (edit.h) */
    bool levels;  /* cells of several sizes, which can be refined and coarsened */
    float widest; /* the largest region_width */
} lim_kind_info;

typedef enum lim_size_shape {
    LIM_SIZE_BOX = 1,   /* half = half its sides */
    LIM_SIZE_SPHERE = 2 /* half.x = radius */
} lim_size_shape;

/* A place where cells should be small. Metres, in the mesh's frame times scale. */
typedef struct lim_size_region {
    lim_size_shape shape;
    lim_point centre;
    lim_vec3 half;
    float size; /* longest edge of a cell that meets the region, > 0 */
} lim_size_region;

typedef enum lim_shape {
    LIM_SHAPE_PLANE = 1,  /* everything below the local plane y = 0 is solid */
    LIM_SHAPE_SPHERE = 2, /* size.x = radius */
    LIM_SHAPE_CAPSULE =
        3,             /* along local y; size.x = radius, size.y = half the length of its axis */
    LIM_SHAPE_BOX = 4, /* size = half extents */
    /* Only of colliders (lim_collider_desc has their arrays): */
    LIM_SHAPE_HULL = 5,   /* the convex hull of points */
    LIM_SHAPE_MESH = 6,   /* triangles: solid when closed, else a sheet that stops both sides */
    LIM_SHAPE_HEIGHTS = 7 /* heights over a grid in local y = 0, centred; solid below */
} lim_shape;

/* A part of the body that is made of something else: factors of the material's Young's modulus and
 * density inside a shape, deep below the surface too. Outside they go to 1 along a smooth step
 * (3 t^2 - 2 t^3) over `fade`. Metres, in the mesh's frame times scale: that of
 * lim_model_info.bounds. Where zones overlap they multiply, and with what vertices say; a node's
 * factors are kept within 1e-6 to 1e6. */
typedef struct lim_zone {
    lim_shape shape;    /* a sphere, a capsule or a box */
    lim_point position; /* of its centre */
    lim_quat orientation;
    lim_vec3 size;            /* as lim_shape says */
    float fade;               /* metres beyond the shape, >= 0 */
    float stiffness, density; /* factors, 1e-6 to 1e6 */
} lim_zone;

/* How regions are made (docs/model_octree.md). */
typedef enum lim_region_kind {
    LIM_REGIONS_BLENDED = 0, /* overlapping tents over the octree: smooth, fast, the default */
    LIM_REGIONS_INTERVAL = 1 /* one region per node, as printed in Steinemann et al. 2008: slower,
                                and its blocks show; for comparisons */
} lim_region_kind;

/* Sampling: the finest cells have one size. In an octree, where nothing asks for them, they
 * are joined, eight to one, up to `coarsen` times: the rules below say how large a cell may be,
 * and the strictest one counts. Cells that are linked through material differ by at most a factor
 * of two. Nothing is ever finer than the finest cells, and two pieces of material that share a cell
 * without touching in it are two nodes, however large the cell. Lengths are in metres, places in
 * the mesh's frame times scale. Arrays are only read while the model is made.
 *
 * A lattice has cells of one size and one node at each corner of them, however many pieces of
 * material meet there. It does not look at coarsen and the rules that go with it, width_at, regions
 * and glue_parts. LIM_KIND_HEX has the same cells and nodes, and does not look at region_width,
 * young, density and step either. */
typedef struct lim_model_desc {
    uint32_t cookie;
    lim_kind kind;      /* default LIM_KIND_OCTREE */
    int32_t node_count; /* about how many nodes to make, 1 to 4,000,000; used when cell_size is 0 */
    float cell_size;    /* edge of a finest cell in metres; 0: chosen to give about node_count nodes
                           (of all sizes; not above 64 finest cells per wished node) */
    double scale;       /* metres per unit of the mesh, > 0 */
    /* Cells may have up to 2^coarsen times the finest edge, 0 to 10; 0: all are finest cells and no
     * rule has any effect. */
    int32_t coarsen;
    /* Features: at least so many cells across any thickness of material, and cells are split while
     * they hold several pieces of it. Up to 64; 0: off. Default 2. A slab is judged to within 0.6
     * of a finest cell. */
    float cells_across;
    /* Surface: an edge is at most surface_size + size_growth * distance from the surface. 0: off.
     */
    float surface_size, size_growth;
    const lim_size_region* interest; /* interest_count of them, or null */
    int32_t interest_count;
    /* Painted: for each vertex of the mesh the longest edge of the cells that its triangles touch;
     * 0: no wish. As many as the mesh has vertices, or null: the mesh's own sizes, if it has any.
     */
    const float* vertex_size;
    /* Painted: factors of the material's density and Young's modulus at each vertex, 1e-6 to 1e6,
     * taken by the nodes nearest to it. As many as the mesh has vertices, or null: the mesh's own,
     * else 1. */
    const float *vertex_density, *vertex_stiffness;
    const lim_zone* zones; /* zone_count of them, or null; on top of what vertices say */
    int32_t zone_count;
    /* Longest edge wished at a cell with this centre and edge; 0, negative or NaN: no wish. Must
     * give the same answer to the same question. May be null. */
    float (*size_at)(void* user, lim_point centre, float edge);
    void* size_user;
    /* Most nodes to make, 0: no limit. The largest cells are split first, of these the one that is
     * too large by the largest factor. With coarsen too small even the coarsest cells may be more.
     */
    int32_t node_budget;
    float region_width; /* half-width of a matching region in cells, 1 to 8, of a lattice 1 to 16
                           and rounded to whole ones; wider regions reach a higher modulus in the
                           same step and bend less truly. Of an octree in the node's own cells;
                           edits that change these keep the width in space */
    /* Half-width in metres at a node with this place and cell edge; 0, negative or NaN: as
     * region_width says. Must give the same answer to the same question. May be null. */
    float (*width_at)(void* user, lim_point place, float edge);
    void* width_user;
    /* Regions are widened where they are too narrow for a body of this modulus (pascal) and density
     * (kg/m^3, default 1000) in steps of `step` seconds (default 1/60): each component has the
     * least width that gives it with 8 substeps, up to the whole of it (of a lattice 16 cells), or
     * else its widest; factors of stiffness and density count, wider wishes of width_at stay. Costs
     * some more builds of the regions. young 0, the default: regions are as wide as they are given.
     * The model does not keep these; give its bodies that material, that step and a scale of 1. Not
     * for LIM_KIND_POINTS (clusters have no width; fewer of them are larger) and
     * LIM_REGIONS_INTERVAL. */
    float young, density, step;
    lim_region_kind regions; /* default LIM_REGIONS_BLENDED */
    /* LIM_KIND_POINTS: the points, 3 coordinates each, in the mesh's frame and units, 1 to
     * 4,000,000 of them; null: the mesh's own welded points. Points at one place are one node;
     * nodes are in order of the first. Of the fields about cells and regions only scale and
     * glue_parts count. */
    const double* points;
    int32_t point_count;
    /* LIM_KIND_POINTS: 1: one shape, matched as a whole; more: about so many overlapping clusters,
     * up to 4,096, each matched as a whole: more ways to deform, and more work. Default 1. With
     * glue_parts false no cluster reaches into two parts, and every part has one. */
    int32_t clusters;
    bool glue_parts; /* parts of the mesh closer than a cell hold together (eyes, teeth) */
    bool solid;      /* fill the inside; false: a shell of one finest cell */
    /* Called now and then with the share done, 0..1; returning false cancels. May be null. */
    bool (*progress)(void* user, float done, const char* stage);
    void* progress_user;
} lim_model_desc;

typedef struct lim_model_info {
    lim_kind kind;
    int32_t nodes, regions, edges, components, levels;
    int32_t cells;       /* cells with material; in an octree, more nodes than cells means
                            fragments */
    int32_t fragments;   /* nodes that share their cell with another; of a lattice 0 */
    int32_t glued_edges; /* graph edges that glue_parts has made */
    float cell_size;     /* edge of the finest cells, metres */
    float region_width; /* half-width of the regions in finest cells: as wished, or of the component
                           that was widened most; of points 0 */
    float coarsest_size;       /* edge of the largest cells with a node, metres */
    int32_t level_nodes[20];   /* nodes in cells of each level; 0: the root, levels: the finest */
    double volume;             /* cubic metres, sum over nodes, whatever their densities */
    lim_point centre;          /* of mass, at rest, in the mesh's frame times scale */
    lim_box bounds;            /* of the rest surface, likewise */
    double members_per_region; /* mean number of nodes in a region */
    double inputs_per_region;  /* mean number of network inputs per region, all layers together */
    double build_seconds;      /* by the host's clock */
} lim_model_info;

/* One line of lim_model_get_nodes: the nodes at rest, for pictures and tools. Borrowed. */
typedef struct lim_model_nodes {
    int32_t count;
    const float *x, *y, *z; /* rest positions in metres, relative to info.centre */
    const float* volume;    /* cubic metres */
    const float* side;      /* edge of the cell, metres */
    const int32_t* level;   /* level of the cell, 0 = the root of the tree */
    const int32_t* component;
    int32_t edge_count;
    const int32_t* edges; /* 2 node indices per edge */
} lim_model_nodes;

/* Kinds are numbered from 0 without a gap. */
LIM_API lim_kind_info lim_kind_get_info(lim_kind kind);
LIM_API lim_model_desc lim_model_desc_default(void);
/* A sphere about the origin with factors of 1 and no fade; its radius is the caller's to set. */
LIM_API lim_zone lim_zone_default(void);

/* Builds a model. A pure function: the same mesh and descriptor give the same bits. The mesh may be
 * null where desc gives points: then the skin has one vertex per point and no triangles (it has
 * contacts, pins, grabs and debug drawing; rays pass through it, and wind has nothing to blow on).
 */
LIM_API lim_result lim_model_create(const lim_mesh* mesh, const lim_model_desc* desc,
                                    const lim_host* host, lim_model** out_model);
LIM_API void lim_model_destroy(lim_model* model); /* null is allowed */
LIM_API lim_model_info lim_model_get_info(const lim_model* model);
LIM_API lim_model_nodes lim_model_get_nodes(const lim_model* model);
/* Where a vertex that an edit has made comes from, so that any attribute can be made for it. A mesh
 * whose solids share an edge or a corner has such vertices from the start: what moves apart has
 * copies of its own, appended, each of weight 1 of the vertex that it was. */
typedef struct lim_vertex_source {
    int32_t
        vertex[3]; /* on the skin: the vertices between which it lies; inside, on a cut face: -1 */
    float weight[3]; /* of them, sum 1 */
    int32_t side;    /* of the blade: 1 where the blade's normal looks to, -1 behind; 0: the end of
                        a cut inside the material, or not made by a blade */
    float uv[2];     /* on a blade: along its way and from tip to back, metres at rest */
} lim_vertex_source;

/* The surface that the model was built from, borrowed from the model. Positions are those of the
 * mesh, in its units, without `scale` of lim_model_desc: times that they are metres in the frame of
 * info.bounds. (Nodes are in metres, relative to info.centre.) */
LIM_API lim_mesh_view lim_model_get_surface(const lim_model* model);
/* The members of one region (the one in which `node` weighs most) and their weights in it, above 0
 * and at most 1: writes at most `capacity` of each, either may be null; returns how many there are,
 * 0 if node is out of range. Slow: for pictures and tools. */
LIM_API int32_t lim_model_get_region(const lim_model* model, int32_t node, int32_t* out_nodes,
                                     float* out_weights, int32_t capacity);

/* ---- skinning on a GPU (docs/skinning.md) -----------------------------------------------------
 */

/* What a vertex shader needs beside the transforms of lim_body_write_node_transforms. With the
 * rows of a node's transform (A_k | t_k), A_k 3x3, a vertex with rest position X, normal N and
 * tangent T is at
 *     x = sum_k w_k (A_k X + t_k)
 * and its tangent and normal are, with B = cross(N, T),
 *     u = sum_k (w_k A_k T + a_k t_k),    v = sum_k (w_k A_k B + b_k t_k),
 *     tangent = unit(u),    normal = unit(cross(u, v)),
 * where a and b are the tangent weights; they are null, and count as 0, for kinds whose nodes carry
 * a rotation of their own (those whose nodes are not at corners). */
typedef struct lim_skinning lim_skinning;
typedef struct lim_skinning_view {
    int32_t vertex_count, node_count;
    const float* positions; /* 3 per vertex: metres, relative to info.centre */
    const float* normals;   /* 3 per vertex, unit */
    const float* tangents; /* 4 per vertex: unit and across the normal; the mesh's where it has any,
                              else any; then the handedness of the mesh's, or 1 */
    const int32_t* nodes;  /* 8 per vertex, in the order of lim_model_get_nodes */
    const float* weights;  /* 8 per vertex, w: not below 0, sum 1; an unused one is 0 */
    const float* tangent_weights; /* 16 per vertex, per metre: 8 a, then 8 b; or null */
} lim_skinning_view;

/* The arrays belong to the skinning, which does not need the model any more: upload, destroy. */
LIM_API lim_result lim_model_make_skinning(const lim_model* model, const lim_host* host,
                                           lim_skinning** out_skinning);
LIM_API lim_skinning_view lim_skinning_get_view(const lim_skinning* skinning);
LIM_API void lim_skinning_destroy(lim_skinning* skinning); /* null is allowed */

/* A draw call: triangles of one submesh whose vertices follow few nodes. */
typedef struct lim_batch {
    int32_t submesh;
    int32_t first_triangle, triangle_count;
    int32_t first_vertex, vertex_count;
    int32_t first_node, node_count;
} lim_batch;

typedef struct lim_batches lim_batches;
/* Every triangle of the surface is in one batch. A vertex is listed once in every batch that uses
 * it, with its own eight node indices there. */
typedef struct lim_batches_view {
    int32_t batch_count, triangle_count, vertex_count, node_count; /* of the lists below */
    const lim_batch* batches;
    const int32_t* triangles;    /* per triangle: which one of lim_model_get_surface */
    const uint32_t* indices;     /* 3 per triangle, into `vertices` */
    const int32_t* vertices;     /* per vertex: which one of lim_model_get_surface */
    const uint16_t* local_nodes; /* 8 per vertex: the nodes of lim_skinning_view, as places in the
                                    batch's own part of `nodes` */
    const int32_t* nodes;        /* in the order of lim_model_get_nodes */
} lim_batches_view;

/* Cuts the surface into batches of at most max_nodes nodes (24 to 65536; 0: 64), as few as a greedy
 * growth over neighbouring triangles finds. A pure function. O(triangles log triangles). */
LIM_API lim_result lim_model_make_batches(const lim_model* model, int32_t max_nodes,
                                          const lim_host* host, lim_batches** out_batches);
LIM_API lim_batches_view lim_batches_get_view(const lim_batches* batches);
LIM_API void lim_batches_destroy(lim_batches* batches); /* null is allowed */

/* A model as bytes. Call with out = null to learn the size. */
LIM_API lim_result lim_model_save(const lim_model* model, void* out, size_t capacity,
                                  size_t* out_size);
LIM_API lim_result lim_model_load(const void* bytes, size_t size, const lim_host* host,
                                  lim_model** out_model);

#ifdef __cplusplus
}
#endif
#endif

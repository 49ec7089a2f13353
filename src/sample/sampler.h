/* SPDX-License-Identifier: MIT
 * A sampler: what the kinds of sampling share until there are cells and material in them. It finds
 * the edge of the finest cells, given or searched for so that about node_count nodes come of it,
 * and fills cells of that edge. What the nodes are is up to the kind: it says how many a try gives.
 */
#ifndef LIMBER_SAMPLER_H
#define LIMBER_SAMPLER_H

#include "sample/sampling.h"

enum { NODES_MOST = 4000000 };

/* One try: what a cell edge leads to. */
typedef struct attempt {
    voxels v;
    arena mem; /* of the fragments */
    fragments f;
    int32_t nodes;           /* that come of it; as many as fragments before the kind has counted */
    arena kept;              /* what the kind has made to count them, for when the try is taken */
    struct refined* refined; /* that, of the octree (sample/sampling.c); or null */
    bool made;
} attempt;

typedef struct sampler sampler;
struct sampler {
    const lim_mesh* mesh;
    const lim_model_desc* desc;
    lim_host host;
    /* What the kind says: how often cells may be joined (0: all are of one size); how many nodes a
     * try gives, into now->nodes (LIM_ERROR_TOO_LARGE: too many to be counted); the nodes of
     * s->best. For a first guess: layers of nodes on a surface (of closed solids, of anything else)
     * beyond those of the volume, and how many more nodes than cells are in a row. */
    int32_t coarsen;
    lim_result (*count)(const sampler* s, attempt* now);
    lim_result (*fill)(sampler* s, arena* a, sampling* out);
    double skin_solid, skin_open, row_more;
    /* Made by sampler_run. */
    arena tools; /* of the trees */
    winding* number;
    bvh* tree;
    bool closed;
    int block; /* for voxels_inside_winding */
    attempt best;
};

/* Checks what the descriptor says of cells and nodes, finds the edge, fills cells and makes the
 * nodes. Mesh, desc, host and what the kind says are set. A failure is logged; then `out` is empty.
 */
lim_result sampler_run(sampler* s, arena* a, sampling* out);
bool sampler_go_on(const sampler* s, float done, const char* stage); /* false: cancelled */

/* The parts of sampler_run. */
lim_result attempt_make(const sampler* s, double side, int32_t cell_limit, attempt* a);
void attempt_release(attempt* a);
double edge_guess_nodes(const sampler* s, double side); /* about how many an edge will give */
lim_result edge_search(sampler* s);                     /* fills s->best */

#endif
